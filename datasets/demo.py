"""The demo of the README: make an archive, mine it, clean articles it has not seen, show what happened.

python datasets/demo.py FOLDER
python datasets/demo.py FOLDER --readme README.md     # also put the article into the README
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
from collections.abc import Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

from generate import ArchiveSpec, write_archive

#: Paragraphs by hand would repeat in a larger archive, or in copies and agency stories; see `newsgen/stories.py`.
SPEC = ArchiveSpec(seed=7, sources=6, documents=100, kilobytes=2.0, scripts=("en",), near_duplicates=0.0, agency=0.0)
SPLIT = 0.1
#: Characters of the article that is shown.
READABLE = 1_250
#: Marks around what is cut, and around boilerplate that stays.
Marks = tuple[tuple[str, str], tuple[str, str]]
PRINTED: Marks = (("[[", "]]"), ("((", "))"))
MARKDOWN: Marks = (("~~", "~~"), ("*", "*"))


def run_command(*arguments: str) -> None:
    """One command of the package, shown as a user would type it."""
    print(f"\n$ templatemine {' '.join(arguments)}", flush=True)
    subprocess.run([sys.executable, "-m", "templatemine", *arguments], check=True)


def mark_article(
    text: str, removed: Sequence[dict[str, Any]], boilerplate: Sequence[Sequence[Any]], marks: Marks
) -> str:
    """A text with marks around what is cut, and around boilerplate that stays, on each of its lines."""
    states = bytearray(len(text))
    for start, end, *_ in boilerplate:
        states[start:end] = b"\2" * (end - start)
    for span in removed:
        states[span["start"] : span["end"]] = b"\1" * (span["end"] - span["start"])
    for blank in re.finditer(r"(?<=\S)[^\S\n]+(?=\S)", text):
        if states[blank.start() - 1] == states[blank.end()]:  # the marks do not stop at a blank
            states[blank.start() : blank.end()] = states[blank.end() : blank.end() + 1] * len(blank[0])
    lines, at = [], 0
    for line in text.split("\n"):
        parts = []
        for state, run in groupby(range(at, at + len(line)), key=states.__getitem__):
            part = "".join(text[place] for place in run)
            bare = part.strip()
            if state and bare:
                begin, end = marks[state - 1]
                part = part.replace(bare, f"{begin}{bare}{end}")
            parts.append(part)
        lines.append("".join(parts))
        at += len(line) + 1
    return "\n".join(lines)


def quote_article(marked: str) -> str:
    """A marked article as a quotation in Markdown, each of its lines a line."""
    lines = [line.rstrip() for line in marked.split("\n")]
    breaks = ["  " if line and after else "" for line, after in zip(lines, [*lines[1:], ""], strict=True)]
    return "".join(f"> {line}".rstrip() + end + "\n" for line, end in zip(lines, breaks, strict=True))


def read_lines(path: Path) -> list[dict[str, Any]]:
    """The records of a file of JSON lines."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def show_article(folder: Path) -> tuple[dict[str, Any], str, Sequence[Sequence[Any]]]:
    """An article as it was cleaned, its original text, and where its boilerplate is.

    Of those that are short enough to be read here, the one with most pieces of boilerplate.
    """
    texts = {row["id"]: row["text"] for row in read_lines(folder / "new.jsonl")}
    gold = {row["id"]: row["spans"] for path in (folder / "gold").iterdir() for row in read_lines(path)}
    short = [row for row in read_lines(folder / "cleaned.jsonl") if len(texts[row["id"]]) <= READABLE]
    record = max(short, key=lambda row: (len(gold[row["id"]]), row["id"]))
    return record, texts[record["id"]], gold[record["id"]]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", metavar="FOLDER", nargs="?", default="demo", help="made if it is missing")
    parser.add_argument("--readme", metavar="FILE", help="put the article into the quotation of this page")
    arguments = parser.parse_args()
    folder = Path(arguments.folder)
    folder.mkdir(parents=True, exist_ok=True)
    archive, new = folder / "archive.jsonl.gz", folder / "new.jsonl"
    packs, cleaned = folder / "packs", folder / "cleaned.jsonl"
    print(f"Making a sample archive of invented newspapers in {folder}/")
    write_archive(SPEC, str(archive), held_out=str(new), gold=str(folder / "gold"), split=SPLIT)
    run_command("mine", str(archive), "-o", str(packs), "--force")
    run_command("clean", str(new), "--packs", str(packs), "-o", str(cleaned), "--force")
    record, text, spans = show_article(folder)
    print(f"\n--- {record['id']} before: [[what is cut]], ((boilerplate that stays)) ---\n")
    print(mark_article(text, record["removed"], spans, PRINTED))
    print(f"\n--- {record['id']} after ---\n\n{record['text']}")
    saved = {json.loads(path.read_text(encoding="utf-8"))["source"]: path for path in packs.glob("*.json")}
    run_command("show", str(saved[record["source"]]), "--limit", "10")
    print(f"\nPacks lie in {packs}/, cleaned articles in {cleaned}.")
    if arguments.readme:
        page = Path(arguments.readme)
        quotation = quote_article(mark_article(text, record["removed"], spans, MARKDOWN))
        written = re.sub(r"(?:^>.*\n)+", lambda _: quotation, page.read_text(encoding="utf-8"), flags=re.MULTILINE)
        page.write_text(written, encoding="utf-8")


if __name__ == "__main__":
    main()
