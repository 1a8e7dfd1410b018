"""The demo of the README: make an archive, mine it, clean articles it has not seen, show what happened.

python datasets/demo.py FOLDER
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from generate import ArchiveSpec, write_archive

SPEC = ArchiveSpec(seed=7, sources=6, documents=400, scripts=("english",))


def run_command(*arguments: str) -> None:
    """One command of the package, shown as a user would type it."""
    print(f"\n$ templatemine {' '.join(arguments)}", flush=True)
    subprocess.run([sys.executable, "-m", "templatemine", *arguments], check=True)


def pick_article(records: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """The article with the greatest share of boilerplate."""

    def share(row: dict[str, Any]) -> float:
        cut = sum(span["end"] - span["start"] for span in row["removed"])
        return cut / (cut + len(row["text"]))

    return max(records, key=lambda row: (share(row), row["id"]))


def mark_removed(text: str, removed: Sequence[dict[str, Any]], begin: str, end: str) -> str:
    """A text with marks around what is cut, on each of its lines."""
    parts, position = [], 0
    for span in removed:
        lines = text[span["start"] : span["end"]].split("\n")
        cut = "\n".join(f"{begin}{line}{end}" if line.strip() else line for line in lines)
        parts += [text[position : span["start"]], cut]
        position = span["end"]
    return "".join([*parts, text[position:]])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", metavar="FOLDER", nargs="?", default="demo", help="made if it is missing")
    folder = Path(parser.parse_args().folder)
    folder.mkdir(parents=True, exist_ok=True)
    archive, new = folder / "archive.jsonl.gz", folder / "new.jsonl"
    packs, cleaned = folder / "packs", folder / "cleaned.jsonl"
    print(f"Making a sample archive of invented newspapers in {folder}/")
    write_archive(SPEC, str(archive), held_out=str(new), split=0.1)
    run_command("mine", str(archive), "-o", str(packs), "--force")
    run_command("clean", str(new), "--packs", str(packs), "-o", str(cleaned), "--force")
    records = [json.loads(line) for line in cleaned.read_text(encoding="utf-8").splitlines()]
    originals = {row["id"]: row["text"] for row in map(json.loads, new.read_text(encoding="utf-8").splitlines())}
    record = pick_article(records)
    print(f"\n--- {record['id']} before: [[what is cut]] is marked ---\n")
    print(mark_removed(originals[record["id"]], record["removed"], "[[", "]]"))
    print(f"\n--- {record['id']} after ---\n\n{record['text']}")
    saved = {json.loads(path.read_text(encoding="utf-8"))["source"]: path for path in packs.glob("*.json")}
    run_command("show", str(saved[record["source"]]), "--limit", "10")
    print(f"\nPacks lie in {packs}/, cleaned articles in {cleaned}.")


if __name__ == "__main__":
    main()
