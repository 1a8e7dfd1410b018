#!/usr/bin/env python3
"""Public data sets into one shape of JSON lines.

    convert.py --list
    convert.py --format cleaneval-folder CleanEval/ -o cleaneval.jsonl.gz
    convert.py --format gold gold/ --texts allsides.jsonl.gz -o annotated.jsonl

In: a file or folder in a format of `FORMATS`.  Out: {source, id, text or html, url?, date?, title?, gold?, spans?}:
`gold` is the main text of a page, `spans` the boilerplate of a text, [[start, end, "template" | "dynamic"], …] in code
points.  Each record is checked on its way; the first bad one stops the run with file, line and field.  `manifest.toml`
says which data sets there are and under which licence; none of them comes with this project.
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

from jsonlines import dumped, records, writer  # noqa: E402

__all__ = ["FORMATS", "ConvertError", "Format", "checked", "convert"]

Record = dict[str, Any]
Located = Iterator[tuple[str, Record]]
FIELDS = ("source", "id", "text", "html", "url", "date", "title", "gold", "spans")
LABELS = ("template", "dynamic")
COMMENTS = "!@#$%^&*()"
SURROGATE = re.compile("[\ud800-\udfff]")
#: What the gold text of L3S-GN1 holds: headline, full text, supplemental; and what its other labels are to a cleaner.
L3S_GOLD = (1, 2, 3)
L3S_SPANS = {0: "template", 4: "dynamic", 5: "dynamic"}


class ConvertError(ValueError):
    """Input that is not what its format says; the message names place, expectation and finding."""


class Format(NamedTuple):
    """A row of the table: what is read, and how."""

    read: Callable[[Path, Sequence[Path]], Located]
    what: str


# -- shared pieces -----------------------------------------------------------------------------------------------------


def checked(where: str, record: Record) -> Record:
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
        out["date"] = iso_date(out["date"])
    at = 0
    for span in out.get("spans", ()):
        if not (len(span) == 3 and at <= span[0] < span[1] <= len(body) and span[2] in LABELS):
            raise ConvertError(
                f"{where}: spans: expected sorted, disjoint [start, end, label] in the text, found {span}"
            )
        at = span[1]
    return out


def iso_date(date: str) -> str:
    """Dates written as 20220924, 24/07/2017 or 2015-07-21 13:05:37 in ISO form; others as they are."""
    for pattern, form in (
        (r"(\d{4})(\d\d)(\d\d)", r"\1-\2-\3"),
        (r"(\d\d)/(\d\d)/(\d{4})", r"\3-\2-\1"),
        (r"(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d)", r"\1T\2"),
    ):
        if re.fullmatch(pattern, date):
            return re.sub(pattern, form, date)
    return date


def host(url: str | None) -> str | None:
    """The host of a URL without www: the source of a page that names none."""
    name = urlsplit(url if url and "//" in url else f"//{url or ''}").hostname
    return name.removeprefix("www.") if name else None


def decoded(raw: bytes) -> str:
    """UTF-8, else what the page declares, else Windows-1252."""
    declared = re.search(rb"charset=[\"']?([\w-]+)", raw[:3000], re.IGNORECASE)
    for name in ("utf-8-sig", declared[1].decode() if declared else "utf-8"):
        try:
            return raw.decode(name)
        except (UnicodeDecodeError, LookupError):
            continue
    return raw.decode("cp1252", "replace")


def cleaneval_text(gold: str) -> str:
    """CleanEval mark-up as plain paragraphs: <p>, <h>, <l> and blank lines begin one; the URL line goes."""
    gold = re.sub(r"\A\s*URL:.*$", "", gold, flags=re.MULTILINE)
    blocks = re.split(r"</?[phl]>|\n\s*\n", gold, flags=re.IGNORECASE)
    return "\n\n".join(" ".join(unescape(block).split()) for block in blocks if block.strip())


def unwrapped(html: str) -> tuple[str, str | None, str | None]:
    """A CleanEval page without its <text id= title=> wrapper: html, url, title."""
    tag = re.match(r"\s*<text\b([^>]*)>", html)
    if not tag:
        return html, None, None
    names = {name: unescape(value) for name, value in re.findall(r'(\w+)="([^"]*)"', tag[1])}
    return re.sub(r"</text>\s*\Z", "", html[tag.end() :]).lstrip("\n"), names.get("id"), names.get("title")


def front_matter(text: str) -> tuple[dict[str, str], str]:
    """The simple ``name: "value"`` lines between two --- at the head of a markdown file, and the rest."""
    head = re.match(r"---\s*\n(.*?)\n---\s*\n", text, re.DOTALL)
    if not head:
        return {}, text
    names = dict(re.findall(r'^(\w+):\s*"?(.*?)"?\s*$', head[1], re.MULTILINE))
    return names, text[head.end() :].lstrip("\n")


# -- JSON lines --------------------------------------------------------------------------------------------------------


def lines(path: Path, _: Sequence[Path]) -> Located:
    """{source, id, text} or {source, id, html, gold} as they are."""
    yield from records(path)


def gold(path: Path, texts: Sequence[Path]) -> Located:
    """Annotated spans joined with the texts they belong to."""
    if not texts:
        raise ConvertError(f"{path.name}: gold spans need the archives they belong to: --texts FILE …")
    spans = {row["id"]: row["spans"] for file in _files(path, "*.jsonl") for _, row in records(file)}
    for file in texts:
        for where, row in records(file):
            if row["id"] in spans:
                yield where, row | {"spans": spans.pop(row["id"])}
    if spans:
        raise ConvertError(f"{path.name}: {len(spans)} annotated texts are in none of the archives, e.g. {min(spans)}")


def l3s_blocks(path: Path, _: Sequence[Path]) -> Located:
    """Labelled blocks as one text, a block a line; boilerplate and comments are spans, the rest is gold."""
    for where, row in records(path):
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


def cleaneval(path: Path, _: Sequence[Path]) -> Located:
    """Pages in a <text> wrapper, gold in CleanEval mark-up."""
    for where, row in records(path):
        yield where, _cleaneval(row)


def _cleaneval(row: Record) -> Record:
    html, url, title = unwrapped(row["html"])
    source = row.get("source") or host(url) or "cleaneval"
    return {**row, "source": source, "html": html, "url": url, "title": title, "gold": cleaneval_text(row["gold"])}


def dragnet(path: Path, _: Sequence[Path]) -> Located:
    """Gold up to the line that announces the comments."""
    for where, row in records(path):
        yield where, {**row, "gold": row["gold"].split(COMMENTS)[0].strip()}


def newsletter(path: Path, _: Sequence[Path]) -> Located:
    """Markdown with front matter in its text."""
    for where, row in records(path):
        names, text = front_matter(row["text"])
        yield where, {**row, "text": text, "title": names.get("title"), "date": names.get("date")}


# -- folders, as the data sets are published ---------------------------------------------------------------------------


def _files(path: Path, *patterns: str) -> list[Path]:
    found = [path] if path.is_file() else sorted(file for pattern in patterns for file in path.rglob(pattern))
    if not found:
        raise ConvertError(f"{path.name}: expected files like {' or '.join(patterns)}, found none")
    return found


def cleaneval_folder(path: Path, _: Sequence[Path]) -> Located:
    """N.html with its gold N.txt or N-cleaned.txt, in whichever folders."""
    answers = {file.stem.removesuffix("-cleaned"): file for file in _files(path, "*.txt")}
    for page in _files(path, "*.html"):
        if page.stem in answers:
            text = decoded(answers[page.stem].read_bytes())
            yield page.name, _cleaneval({"id": page.name, "html": decoded(page.read_bytes()), "gold": text})


def dragnet_folder(path: Path, _: Sequence[Path]) -> Located:
    """HTML/X.html with Corrected/X.html.corrected.txt."""
    for page in _files(path / "HTML", "*.html"):
        answer = path / "Corrected" / f"{page.name}.corrected.txt"
        if answer.exists():
            html = decoded(page.read_bytes())
            link = re.search(r'<link[^>]+rel="canonical"[^>]+href="([^"]+)"', html)
            url = link[1] if link else None
            main = decoded(answer.read_bytes()).split(COMMENTS)[0].strip()
            yield page.name, {"source": host(url) or "dragnet", "id": page.name, "html": html, "url": url, "gold": main}


def paired_folder(path: Path, _: Sequence[Path]) -> Located:
    """SITE/PAGE with SITE/PAGE.txt, the site being the source."""
    for answer in _files(path, "*.txt"):
        page = answer.with_suffix("")
        if page.is_file():
            name = f"{page.parent.name}/{page.name}"
            main = decoded(answer.read_bytes()).strip()
            yield name, {"source": page.parent.name, "id": name, "html": decoded(page.read_bytes()), "gold": main}


class _Annotated(HTMLParser):
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


def l3s_folder(path: Path, _: Sequence[Path]) -> Located:
    """original/X.html with annotated/X.html and url-mapping.txt."""
    mapping = path / "url-mapping.txt"
    pairs = re.findall(r"([0-9a-f-]{36})\S*\s+<?(https?://[^\s>]+)", mapping.read_text() if mapping.exists() else "")
    urls = dict(pairs)
    for page in _files(path / "original", "*.html"):
        answer = path / "annotated" / page.name
        if answer.exists():
            parser = _Annotated()
            parser.feed(decoded(answer.read_bytes()))
            main = "\n".join(" ".join(line.split()) for line in parser.text.split("\n") if line.strip())
            url = urls.get(page.stem)
            html = decoded(page.read_bytes())
            yield page.name, {"source": host(url) or "l3s_gn1", "id": page.name, "html": html, "url": url, "gold": main}


def scrapinghub_folder(path: Path, _: Sequence[Path]) -> Located:
    """ground-truth.json with html/ID.html.gz."""
    for name, row in sorted(json.loads((path / "ground-truth.json").read_text("utf-8")).items()):
        html = gzip.decompress((path / "html" / f"{name}.html.gz").read_bytes()).decode("utf-8")
        url = row.get("url")
        yield name, {"source": host(url), "id": name, "html": html, "url": url, "gold": row["articleBody"]}


def livedoor_folder(path: Path, _: Sequence[Path]) -> Located:
    """SOURCE/*.txt: URL, date and title on the first three lines, then the text."""
    for file in _files(path, "*/*.txt"):
        url, date, title, *body = file.read_text("utf-8").split("\n")
        if url.startswith("http"):  # the folders hold licence notes, too
            name = f"{file.parent.name}/{file.stem}"
            text = "\n".join(body).strip("\n")
            yield name, {"source": file.parent.name, "id": name, "url": url, "date": date, "title": title, "text": text}


def saudinews_folder(path: Path, _: Sequence[Path]) -> Located:
    """YYYY-MM-DD.json, or .zip around it: arrays of {source, url, date_extracted, title, content}."""
    for file in _files(path, "*.json", "*.zip"):
        for number, row in enumerate(json.loads(_unzipped(file))):
            where = f"{file.stem}/{number}"
            yield where, {**row, "id": where, "date": row.get("date_extracted"), "text": row["content"]}


def _unzipped(file: Path) -> bytes:
    if file.suffix != ".zip":
        return file.read_bytes()
    with zipfile.ZipFile(file) as archive:
        return archive.read(archive.namelist()[0])


def fakebr_folder(path: Path, _: Sequence[Path]) -> Located:
    """true/N.txt with true-meta-information/N-meta.txt (author, link, category, date, a line each); fake likewise."""
    for file in _files(path, "true/*.txt", "fake/*.txt"):
        meta = file.parent.with_name(f"{file.parent.name}-meta-information") / f"{file.stem}-meta.txt"
        url, date = (meta.read_text("utf-8").split("\n") + [""] * 4)[1:4:2]
        name = f"{file.parent.name}/{file.stem}"
        text = file.read_text("utf-8-sig")
        yield name, {"source": host(url) or "fakebr", "id": name, "url": url, "date": date, "text": text}


def allsides_folder(path: Path, _: Sequence[Path]) -> Located:
    """jsons/ID.json with the text as the parser left it in content_original."""
    for file in _files(path, "*.json"):
        row = json.loads(file.read_text("utf-8"))
        source = host(row.get("source_url")) or host(row.get("url"))
        yield file.name, {**row, "source": source, "id": row["ID"], "text": row["content_original"]}


def newsletter_folder(path: Path, _: Sequence[Path]) -> Located:
    """Markdown files with front matter; the folder is the source."""
    for file in _files(path, "*.md"):
        names, text = front_matter(file.read_text("utf-8"))
        where = str(file.relative_to(path)) if path.is_dir() else file.name
        title, date = names.get("title"), names.get("date")
        yield where, {"source": path.resolve().name, "id": where, "title": title, "date": date, "text": text}


FORMATS: dict[str, Format] = {
    "text": Format(lines, "JSON lines {source, id, text, …}: checked, dates in ISO form"),
    "html": Format(lines, "JSON lines {source, id, html, gold?, …}: checked"),
    "gold": Format(gold, "span files {id, spans}, joined with the archives of --texts"),
    "l3s-blocks": Format(l3s_blocks, "JSON lines {source, id, blocks: [[label, text], …]}"),
    "cleaneval": Format(cleaneval, "JSON lines {id, html, gold} with <text> wrapper and <p> <h> <l> mark-up"),
    "dragnet": Format(dragnet, "JSON lines {source, id, html, gold} with comments behind their separator"),
    "newsletter": Format(newsletter, "JSON lines {source, id, text} with markdown front matter in the text"),
    "cleaneval-folder": Format(cleaneval_folder, "N.html with N.txt or N-cleaned.txt"),
    "dragnet-folder": Format(dragnet_folder, "HTML/X.html with Corrected/X.html.corrected.txt"),
    "l3s-folder": Format(l3s_folder, "original/X.html with annotated/X.html, url-mapping.txt"),
    "paired-folder": Format(paired_folder, "SITE/PAGE with SITE/PAGE.txt"),
    "scrapinghub-folder": Format(scrapinghub_folder, "ground-truth.json with html/ID.html.gz"),
    "livedoor-folder": Format(livedoor_folder, "SOURCE/*.txt: URL, date, title, text"),
    "saudinews-folder": Format(saudinews_folder, "YYYY-MM-DD.json or .zip, arrays of articles"),
    "fakebr-folder": Format(fakebr_folder, "true/ and fake/ with their -meta-information/"),
    "allsides-folder": Format(allsides_folder, "one JSON object an article, content_original"),
    "newsletter-folder": Format(newsletter_folder, "markdown files with front matter"),
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
            yield checked(where, record)
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
        print("\n".join(f"{name:20s} {row.what}" for name, row in FORMATS.items()))
        return 0
    if not args.input or not args.format:
        parser.error("an input and --format NAME are needed (--list shows the formats)")
    try:
        with writer(args.output) as put:
            for record in convert(args.format, args.input, args.texts):
                put(dumped(record))
    except (ValueError, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
