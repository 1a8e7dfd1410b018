#!/usr/bin/env python3
"""Public data sets into one shape of JSON lines.

    convert.py --list
    convert.py --format cleaneval-folder CleanEval/ -o cleaneval.jsonl.gz
    convert.py --format gold gold/ --texts allsides.jsonl.gz -o annotated.jsonl

In: a file or folder in a format of `FORMATS`.  Out: {source, id, text or html, url?, date?, title?, gold?, spans?}:
`gold` is the main text of a page, `spans` the boilerplate of a text, [[start, end, status, kind], …] in code points,
the status one of `LABELS`, the kind optional.  Each record is checked on its way; the first bad one stops the run with
file, line and field.  `manifest.toml` says which data sets there are and under which licence; none of them comes with
this project.
"""

from __future__ import annotations

import argparse
import gzip
import json
import re
import sys
import zipfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from html import unescape
from html.parser import HTMLParser
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlsplit

HERE = str(Path(__file__).resolve().parent)
if HERE not in sys.path:  # so that it works as a script, as a module on the path, and loaded from its file alike
    sys.path.insert(0, HERE)

from jsonlines import format_line, open_writer, read_records  # noqa: E402

__all__ = ["FORMATS", "ConvertError", "Format", "check_record", "convert"]

Record = dict[str, Any]
LocatedRecords = Iterator[tuple[str, Record]]
FIELDS = ("source", "id", "text", "html", "url", "date", "title", "gold", "spans")
LABELS = ("template", "dynamic", "optional")
COMMENTS = "!@#$%^&*()"
SURROGATE = re.compile("[\ud800-\udfff]")
#: What the gold text of L3S-GN1 holds: headline, full text, supplemental; and what its other labels are to a cleaner.
L3S_GOLD = (1, 2, 3)
L3S_SPANS = {0: "template", 4: "dynamic", 5: "dynamic"}


class ConvertError(ValueError):
    """Input that is not what its format says; the message names place, expectation and finding."""


class Format(NamedTuple):
    """A row of the table: what is read, and how."""

    read: Callable[[Path, Sequence[Path]], LocatedRecords]
    description: str


# -- shared pieces -----------------------------------------------------------------------------------------------------


def check_record(where: str, record: Record) -> Record:
    """The record in the common shape, empty fields left out; ConvertError if it is not fit for it."""
    out = {name: record[name] for name in FIELDS if record.get(name) not in (None, "")}
    for name, value in out.items():
        if name != "spans" and not isinstance(value, str):
            raise ConvertError(f"{where}: {name}: expected a string, found {type(value).__name__}")
    for name in ("source", "id"):
        if name not in out:
            raise ConvertError(f"{where}: {name}: expected a string, found nothing")
    if ("text" in out) == ("html" in out):
        raise ConvertError(f"{where}: expected either text or html, found {'both' if 'text' in out else 'neither'}")
    body = out.get("text", out.get("html", ""))
    if SURROGATE.search(body):
        raise ConvertError(f"{where}: expected Unicode text, found a lone surrogate")
    if "date" in out:
        out["date"] = to_iso_date(out["date"])
    at = 0
    for span in out.get("spans", ()):
        if not (len(span) in (3, 4) and at <= span[0] < span[1] <= len(body) and span[2] in LABELS):
            raise ConvertError(
                f"{where}: spans: expected sorted, disjoint [start, end, status, kind] in the text, found {span}"
            )
        at = span[1]
    return out


def to_iso_date(date: str) -> str:
    """Dates written as 20220924, 24/07/2017 or 2015-07-21 13:05:37 in ISO form; others as they are."""
    for pattern, form in (
        (r"(\d{4})(\d\d)(\d\d)", r"\1-\2-\3"),
        (r"(\d\d)/(\d\d)/(\d{4})", r"\3-\2-\1"),
        (r"(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d)", r"\1T\2"),
    ):
        if re.fullmatch(pattern, date):
            return re.sub(pattern, form, date)
    return date


def host_of(url: str | None) -> str | None:
    """The host of a URL without www: the source of a page that names none."""
    name = urlsplit(url if url and "//" in url else f"//{url or ''}").hostname
    return name.removeprefix("www.") if name else None


def decode_bytes(raw: bytes) -> str:
    """UTF-8, else what the page declares, else Windows-1252."""
    declared = re.search(rb"charset=[\"']?([\w-]+)", raw[:3000], re.IGNORECASE)
    for name in ("utf-8-sig", declared[1].decode() if declared else "utf-8"):
        try:
            return raw.decode(name)
        except (UnicodeDecodeError, LookupError):
            continue
    return raw.decode("cp1252", "replace")


def parse_cleaneval(gold: str) -> str:
    """CleanEval mark-up as plain paragraphs: <p>, <h>, <l> and blank lines begin one; the URL line goes."""
    gold = re.sub(r"\A\s*URL:.*$", "", gold, flags=re.MULTILINE)
    blocks = re.split(r"</?[phl]>|\n\s*\n", gold, flags=re.IGNORECASE)
    return "\n\n".join(" ".join(unescape(block).split()) for block in blocks if block.strip())


def unwrap_cleaneval(html: str) -> tuple[str, str | None, str | None]:
    """A CleanEval page without its <text id= title=> wrapper: html, url, title."""
    tag = re.match(r"\s*<text\b([^>]*)>", html)
    if not tag:
        return html, None, None
    names = {name: unescape(value) for name, value in re.findall(r'(\w+)="([^"]*)"', tag[1])}
    return re.sub(r"</text>\s*\Z", "", html[tag.end() :]).lstrip("\n"), names.get("id"), names.get("title")


def split_front_matter(text: str) -> tuple[dict[str, str], str]:
    """The simple ``name: "value"`` lines between two --- at the head of a markdown file, and the rest."""
    head = re.match(r"---\s*\n(.*?)\n---\s*\n", text, re.DOTALL)
    if not head:
        return {}, text
    names = dict(re.findall(r'^(\w+):\s*"?(.*?)"?\s*$', head[1], re.MULTILINE))
    return names, text[head.end() :].lstrip("\n")


# -- JSON lines --------------------------------------------------------------------------------------------------------


def read_lines(path: Path, _: Sequence[Path]) -> LocatedRecords:
    """{source, id, text} or {source, id, html, gold} as they are."""
    yield from read_records(path)


def read_gold(path: Path, texts: Sequence[Path]) -> LocatedRecords:
    """Annotated spans joined with the texts they belong to."""
    if not texts:
        raise ConvertError(f"{path.name}: gold spans need the archives they belong to: --texts FILE …")
    spans = {row["id"]: row["spans"] for file in _find_files(path, "*.jsonl") for _, row in read_records(file)}
    for file in texts:
        for where, row in read_records(file):
            if row["id"] in spans:
                yield where, row | {"spans": spans.pop(row["id"])}
    if spans:
        raise ConvertError(f"{path.name}: {len(spans)} annotated texts are in none of the archives, e.g. {min(spans)}")


def read_l3s_blocks(path: Path, _: Sequence[Path]) -> LocatedRecords:
    """Labelled blocks as one text, a block a line; boilerplate and comments are spans, the rest is gold."""
    for where, row in read_records(path):
        parts: list[str] = []
        spans: list[list[object]] = []
        at = 0
        for label, block in row["blocks"]:
            if label in L3S_SPANS and block:
                spans.append([at, at + len(block), L3S_SPANS[label]])
            parts.append(block)
            at += len(block) + 1
        main = "\n".join(block for label, block in row["blocks"] if label in L3S_GOLD)
        yield where, {**row, "text": "\n".join(parts), "gold": main, "spans": spans}


def read_cleaneval(path: Path, _: Sequence[Path]) -> LocatedRecords:
    """Pages in a <text> wrapper, gold in CleanEval mark-up."""
    for where, row in read_records(path):
        yield where, _convert_cleaneval(row)


def _convert_cleaneval(row: Record) -> Record:
    html, url, title = unwrap_cleaneval(row["html"])
    source = row.get("source") or host_of(url) or "cleaneval"
    return {**row, "source": source, "html": html, "url": url, "title": title, "gold": parse_cleaneval(row["gold"])}


def read_dragnet(path: Path, _: Sequence[Path]) -> LocatedRecords:
    """Gold up to the line that announces the comments."""
    for where, row in read_records(path):
        yield where, {**row, "gold": row["gold"].split(COMMENTS)[0].strip()}


def read_newsletter(path: Path, _: Sequence[Path]) -> LocatedRecords:
    """Markdown with front matter in its text."""
    for where, row in read_records(path):
        names, text = split_front_matter(row["text"])
        yield where, {**row, "text": text, "title": names.get("title"), "date": names.get("date")}


# -- folders, as the data sets are published ---------------------------------------------------------------------------


def _find_files(path: Path, *patterns: str) -> list[Path]:
    found = [path] if path.is_file() else sorted(file for pattern in patterns for file in path.rglob(pattern))
    if not found:
        raise ConvertError(f"{path.name}: expected files like {' or '.join(patterns)}, found none")
    return found


def read_cleaneval_folder(path: Path, _: Sequence[Path]) -> LocatedRecords:
    """N.html with its gold N.txt or N-cleaned.txt, in whichever folders."""
    gold_files = {file.stem.removesuffix("-cleaned"): file for file in _find_files(path, "*.txt")}
    for page in _find_files(path, "*.html"):
        if page.stem in gold_files:
            text = decode_bytes(gold_files[page.stem].read_bytes())
            yield (
                page.name,
                _convert_cleaneval({"id": page.name, "html": decode_bytes(page.read_bytes()), "gold": text}),
            )


def read_dragnet_folder(path: Path, _: Sequence[Path]) -> LocatedRecords:
    """HTML/X.html with Corrected/X.html.corrected.txt."""
    for page in _find_files(path / "HTML", "*.html"):
        gold_file = path / "Corrected" / f"{page.name}.corrected.txt"
        if gold_file.exists():
            html = decode_bytes(page.read_bytes())
            link = re.search(r'<link[^>]+rel="canonical"[^>]+href="([^"]+)"', html)
            url = link[1] if link else None
            main = decode_bytes(gold_file.read_bytes()).split(COMMENTS)[0].strip()
            yield (
                page.name,
                {"source": host_of(url) or "dragnet", "id": page.name, "html": html, "url": url, "gold": main},
            )


def read_paired_folder(path: Path, _: Sequence[Path]) -> LocatedRecords:
    """SITE/PAGE with SITE/PAGE.txt, the site being the source."""
    for gold_file in _find_files(path, "*.txt"):
        page = gold_file.with_suffix("")
        if page.is_file():
            name = f"{page.parent.name}/{page.name}"
            main = decode_bytes(gold_file.read_bytes()).strip()
            yield name, {"source": page.parent.name, "id": name, "html": decode_bytes(page.read_bytes()), "gold": main}


class _AnnotationParser(HTMLParser):
    """Collects the text under <span class="x-nc-selN">; the innermost label counts, block elements end a line."""

    BREAKS = frozenset(("p", "div", "br", "li", "ul", "ol", "td", "tr", "table", "h1", "h2", "h3", "h4", "blockquote"))

    def __init__(self) -> None:
        super().__init__()
        self.stack: list[int] = []
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "span":
            label = re.search(r"x-nc-sel(\d)", dict(attrs).get("class") or "")
            self.stack.append(int(label[1]) if label else (self.stack or [0])[-1])
        self.text += "\n" if tag in self.BREAKS else ""

    def handle_endtag(self, tag: str) -> None:
        if tag == "span" and self.stack:
            self.stack.pop()
        self.text += "\n" if tag in self.BREAKS else ""

    def handle_data(self, data: str) -> None:
        if self.stack and self.stack[-1] in L3S_GOLD:
            self.text += re.sub(r"\s+", " ", data)


def read_l3s_folder(path: Path, _: Sequence[Path]) -> LocatedRecords:
    """original/X.html with annotated/X.html and url-mapping.txt."""
    mapping = path / "url-mapping.txt"
    pairs = re.findall(r"([0-9a-f-]{36})\S*\s+<?(https?://[^\s>]+)", mapping.read_text() if mapping.exists() else "")
    urls = dict(pairs)
    for page in _find_files(path / "original", "*.html"):
        gold_file = path / "annotated" / page.name
        if gold_file.exists():
            parser = _AnnotationParser()
            parser.feed(decode_bytes(gold_file.read_bytes()))
            main = "\n".join(" ".join(line.split()) for line in parser.text.split("\n") if line.strip())
            url = urls.get(page.stem)
            html = decode_bytes(page.read_bytes())
            yield (
                page.name,
                {"source": host_of(url) or "l3s_gn1", "id": page.name, "html": html, "url": url, "gold": main},
            )


def read_scrapinghub_folder(path: Path, _: Sequence[Path]) -> LocatedRecords:
    """ground-truth.json with html/ID.html.gz."""
    for name, row in sorted(json.loads((path / "ground-truth.json").read_text("utf-8")).items()):
        html = gzip.decompress((path / "html" / f"{name}.html.gz").read_bytes()).decode("utf-8")
        url = row.get("url")
        yield name, {"source": host_of(url), "id": name, "html": html, "url": url, "gold": row["articleBody"]}


def read_livedoor_folder(path: Path, _: Sequence[Path]) -> LocatedRecords:
    """SOURCE/*.txt: URL, date and title on the first three lines, then the text."""
    for file in _find_files(path, "*/*.txt"):
        url, date, title, *body = file.read_text("utf-8").split("\n")
        if url.startswith("http"):  # the folders hold licence notes, too
            name = f"{file.parent.name}/{file.stem}"
            text = "\n".join(body).strip("\n")
            yield name, {"source": file.parent.name, "id": name, "url": url, "date": date, "title": title, "text": text}


def read_saudinews_folder(path: Path, _: Sequence[Path]) -> LocatedRecords:
    """YYYY-MM-DD.json, or .zip around it: arrays of {source, url, date_extracted, title, content}."""
    for file in _find_files(path, "*.json", "*.zip"):
        for number, row in enumerate(json.loads(_read_zipped(file))):
            where = f"{file.stem}/{number}"
            yield where, {**row, "id": where, "date": row.get("date_extracted"), "text": row["content"]}


def _read_zipped(file: Path) -> bytes:
    if file.suffix != ".zip":
        return file.read_bytes()
    with zipfile.ZipFile(file) as archive:
        return archive.read(archive.namelist()[0])


def read_fakebr_folder(path: Path, _: Sequence[Path]) -> LocatedRecords:
    """true/N.txt with true-meta-information/N-meta.txt (author, link, category, date, a line each); fake likewise."""
    for file in _find_files(path, "true/*.txt", "fake/*.txt"):
        meta = file.parent.with_name(f"{file.parent.name}-meta-information") / f"{file.stem}-meta.txt"
        url, date = (meta.read_text("utf-8").split("\n") + [""] * 4)[1:4:2]
        name = f"{file.parent.name}/{file.stem}"
        text = file.read_text("utf-8-sig")
        yield name, {"source": host_of(url) or "fakebr", "id": name, "url": url, "date": date, "text": text}


def read_allsides_folder(path: Path, _: Sequence[Path]) -> LocatedRecords:
    """jsons/ID.json with the text as the parser left it in content_original."""
    for file in _find_files(path, "*.json"):
        row = json.loads(file.read_text("utf-8"))
        source = host_of(row.get("source_url")) or host_of(row.get("url"))
        yield file.name, {**row, "source": source, "id": row["ID"], "text": row["content_original"]}


def read_newsletter_folder(path: Path, _: Sequence[Path]) -> LocatedRecords:
    """Markdown files with front matter; the folder is the source."""
    for file in _find_files(path, "*.md"):
        names, text = split_front_matter(file.read_text("utf-8"))
        where = str(file.relative_to(path)) if path.is_dir() else file.name
        title, date = names.get("title"), names.get("date")
        yield where, {"source": path.resolve().name, "id": where, "title": title, "date": date, "text": text}


FORMATS: dict[str, Format] = {
    "text": Format(read_lines, "JSON lines {source, id, text, …}: checked, dates in ISO form"),
    "html": Format(read_lines, "JSON lines {source, id, html, gold?, …}: checked"),
    "gold": Format(read_gold, "span files {id, spans}, joined with the archives of --texts"),
    "l3s-blocks": Format(read_l3s_blocks, "JSON lines {source, id, blocks: [[label, text], …]}"),
    "cleaneval": Format(read_cleaneval, "JSON lines {id, html, gold} with <text> wrapper and <p> <h> <l> mark-up"),
    "dragnet": Format(read_dragnet, "JSON lines {source, id, html, gold} with comments behind their separator"),
    "newsletter": Format(read_newsletter, "JSON lines {source, id, text} with markdown front matter in the text"),
    "cleaneval-folder": Format(read_cleaneval_folder, "N.html with N.txt or N-cleaned.txt"),
    "dragnet-folder": Format(read_dragnet_folder, "HTML/X.html with Corrected/X.html.corrected.txt"),
    "l3s-folder": Format(read_l3s_folder, "original/X.html with annotated/X.html, url-mapping.txt"),
    "paired-folder": Format(read_paired_folder, "SITE/PAGE with SITE/PAGE.txt"),
    "scrapinghub-folder": Format(read_scrapinghub_folder, "ground-truth.json with html/ID.html.gz"),
    "livedoor-folder": Format(read_livedoor_folder, "SOURCE/*.txt: URL, date, title, text"),
    "saudinews-folder": Format(read_saudinews_folder, "YYYY-MM-DD.json or .zip, arrays of articles"),
    "fakebr-folder": Format(read_fakebr_folder, "true/ and fake/ with their -meta-information/"),
    "allsides-folder": Format(read_allsides_folder, "one JSON object an article, content_original"),
    "newsletter-folder": Format(read_newsletter_folder, "markdown files with front matter"),
}


def convert(name: str, path: Path | str, texts: Iterable[Path | str] = ()) -> Iterator[Record]:
    """The records of a data set in the common shape.

    Parameters
    ----------
    name : str
        A key of `FORMATS`.
    path : path
        File or folder.
    texts : paths, optional
        The archives that gold spans belong to.

    Raises
    ------
    ConvertError
        At the first record that is not what the format says.
    """
    if name not in FORMATS:
        raise ConvertError(f"format: expected one of {', '.join(FORMATS)}, found {name!r}")
    try:
        for where, record in FORMATS[name].read(Path(path), [Path(text) for text in texts]):
            yield check_record(where, record)
    except KeyError as error:
        raise ConvertError(f"{Path(path).name}: expected the field {error} in every record of format {name}") from None


def main(arguments: list[str] | None = None) -> int:
    """Command line; 0 done, 2 usage or input error."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("input", nargs="?", type=Path)
    parser.add_argument("--format", choices=FORMATS, metavar="NAME")
    parser.add_argument("--texts", nargs="+", type=Path, default=[], metavar="FILE", help="archives of gold spans")
    parser.add_argument("-o", "--output", default="-")
    parser.add_argument("--list", action="store_true", help="the formats")
    args = parser.parse_args(arguments)
    if args.list:
        print("\n".join(f"{name:20s} {row.description}" for name, row in FORMATS.items()))
        return 0
    if not args.input or not args.format:
        parser.error("an input and --format NAME are needed (--list shows the formats)")
    try:
        with open_writer(args.output) as write:
            for record in convert(args.format, args.input, args.texts):
                write(format_line(record))
    except (ValueError, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
