"""What the training scripts share: records out of files, and whose words in the gold our pieces of text have."""

from __future__ import annotations

import gzip
import hashlib
import json
import tomllib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, TypeVar

from rapidfuzz.distance import LCSseq

from templatemine.evaluation.metrics import split_words as words_of

__all__ = ["align_words", "describe_provenance", "read_records"]

Label = TypeVar("Label")
MANIFEST = Path(__file__).resolve().parents[1] / "manifest.toml"


def describe_provenance(script: str, paths: Sequence[str]) -> dict[str, Any]:
    """What a table of weights says of what it was made of: digests, licences and command."""
    known = {one["name"]: one["licence"] for one in tomllib.loads(MANIFEST.read_text(encoding="utf-8"))["dataset"]}
    names = [Path(path).name for path in paths]
    return {
        "sets": {
            name: hashlib.sha256(Path(path).read_bytes()).hexdigest() for name, path in zip(names, paths, strict=True)
        },
        "licences": {name: known.get(name.partition(".")[0], "unstated") for name in names},
        "command": " ".join([script, *names]),
    }


def read_records(path: str) -> Iterator[dict[str, Any]]:
    """JSON lines, plain or gzip."""
    with (gzip.open if path.endswith(".gz") else open)(path, "rt", encoding="utf-8") as lines:
        yield from map(json.loads, lines)


def align_words(texts: Sequence[str], gold: Sequence[tuple[Label, str]]) -> tuple[list[int], list[tuple[int, Label]]]:
    """The longest common subsequence of the words of some texts and of a gold.

    Returns
    -------
    owners : list of int
        Of each word of ours, the text it is in.
    pairs : list of (text, label)
        Of each word of ours that the gold has: its text, and what the gold says of it.
    """
    numbers: dict[str, int] = {}
    ours = [(numbers.setdefault(word, len(numbers)), at) for at, text in enumerate(texts) for word in words_of(text)]
    theirs = [(numbers.setdefault(word, len(numbers)), kind) for kind, text in gold for word in words_of(text)]
    pairs = []
    for step in LCSseq.opcodes([word for word, _ in ours], [word for word, _ in theirs]):
        if step.tag == "equal":
            for one, other in zip(
                range(step.src_start, step.src_end), range(step.dest_start, step.dest_end), strict=True
            ):
                pairs.append((ours[one][1], theirs[other][1]))
    return [at for _, at in ours], pairs
