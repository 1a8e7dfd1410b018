"""The effect of slot kinds: on boilerplate with a slot, and on sentences that begin with the same words.

    python bench/quality/slot_kinds.py             the trial
    python bench/quality/slot_kinds.py --halves    real archives: packs of one half of each, on the other half

In a part of the articles of a source, on lines of their own, stand lines of a few words of the source's own with a
filler of a kind: names, numbers, dates, durations, addresses, one to four words.  A pack is mined of half of the
articles.  In the other half, which the pack does not know, stand the same lines with new fillers, and in as many other
articles sentences of the source whose first words are those of the line.  It needs the real archives (../shared).
"""

from __future__ import annotations

import argparse
import calendar
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import blake2b
from pathlib import Path
from random import Random

ROOT = Path(__file__).resolve().parents[2]
if str(ROOT / "bench") not in sys.path:
    sys.path.insert(0, str(ROOT / "bench"))

from quality import archives  # noqa: E402
from templatemine.cleaning.cleaner import Cleaner  # noqa: E402
from templatemine.config import CleanConfig, PipelineConfig, SlotConfig  # noqa: E402
from templatemine.evaluation.synthetic_boilerplate import LanguageProfile, learn_profile  # noqa: E402
from templatemine.kinds import CUT_ALL  # noqa: E402
from templatemine.model import Document  # noqa: E402
from templatemine.pipeline import Miner  # noqa: E402
from templatemine.text.expressions import SLOT_SIZE  # noqa: E402

__all__ = ["FILLERS", "SlotCounts", "main", "run_trial"]

SEED = 7
SOURCES = {"allsides": ("reuters.com", "vox.com", "cnn.com"), "fakebr": ("fakebr",)}
SHARE = 0.2
"""Of the articles that carry a line of each kind; as many of the new articles have a sentence of its words."""
WORDS = 3
"""Of a line before its slot."""

Fill = Callable[[Random, LanguageProfile, Sequence[str]], str]


def _make_names(rng: Random, speech: LanguageProfile, names: Sequence[str]) -> str:
    some = [f"{rng.choice(names)} {rng.choice(names)}" for _ in range(rng.randint(1, 3))]
    return ", ".join(some)


MONTHS = list(calendar.month_name)[1:]

FILLERS: Mapping[str, Fill] = {
    "number": lambda rng, speech, names: f"{rng.randrange(2, 9000):,}",
    "date": lambda rng, speech, names: f"{rng.choice(MONTHS)} {rng.randrange(1, 29)}, {rng.randrange(2001, 2025)}",
    "duration": lambda rng, speech, names: f"{rng.randrange(2, 60)} {rng.choice(['minutes', 'hours', 'days'])} ago",
    "url": lambda rng, speech, names: f"https://www.example.org/{rng.choice(speech.words)}-{rng.randrange(99_999)}",
    "names": _make_names,
    "1-k": lambda rng, speech, names: " ".join(rng.choice(speech.words).lower() for _ in range(rng.randint(1, 4))),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class SlotCounts:
    """Characters of lines, and those found; of sentences, those lost; sentences, and those kept complete."""

    line: int
    found: int
    sentence: int
    lost: int
    sentences: int
    whole: int


def run_trial(documents: Sequence[Document], seed: int = SEED) -> dict[tuple[str, bool], SlotCounts]:
    """By kind, and by whether slots are of kinds, what is found and what is lost in articles that were not mined."""
    rng = Random(f"{seed}/{documents[0].source}")
    speech = learn_profile(documents, seed)
    names = sorted({word for word in speech.words if word.istitle() and len(word) > 3})
    tails = [tail for document in documents for tail in _find_tails(document.body)]
    order = rng.sample(list(documents), len(documents))
    half = len(order) // 2
    openings = {kind: _draw_opening(rng, speech) for kind in FILLERS}
    mined = [
        _append_pieces(
            one, [(_make_line(rng, kind, openings, speech, names), "") for kind in FILLERS if rng.random() < SHARE]
        )
        for one in order[:half]
    ]
    new: list[tuple[Document, list[tuple[str, str, bool]]]] = []
    for one in order[half:]:
        pieces = []
        for kind in FILLERS:
            drawn = rng.random()
            if drawn < SHARE:
                pieces.append((kind, _make_line(rng, kind, openings, speech, names), True))
            elif drawn < 2 * SHARE:
                pieces.append((kind, f"{openings[kind]} {rng.choice(tails)}", False))
        new.append((one, pieces))
    rows: dict[tuple[str, bool], SlotCounts] = {}
    for kinds in (False, True):
        config = PipelineConfig(slots=SlotConfig(kinds=kinds))
        pack = Miner(config).run(mined)[0].pack
        assert pack is not None
        rows.update(
            {
                (kind, kinds): row
                for kind, row in _count_removed(Cleaner(pack, CleanConfig(choice=CUT_ALL)), new).items()
            }
        )
    return rows


def _draw_opening(rng: Random, speech: LanguageProfile) -> str:
    words = " ".join(rng.choice([word for word in speech.words if len(word) > 3]).lower() for _ in range(WORDS))
    return words[:1].upper() + words[1:]


def _make_line(
    rng: Random, kind: str, openings: Mapping[str, str], speech: LanguageProfile, names: Sequence[str]
) -> str:
    return f"{openings[kind]} {FILLERS[kind](rng, speech, names)}"


def _find_tails(text: str) -> list[str]:
    """What follows the first words of the sentences of a text, where a slot that takes anything would take it."""
    sentences = re.findall(r"(?<=[.!?] )[^\W\d_][^.!?\n]{30,200}[.!?](?=\s)", text)
    tails = [" ".join(one.split()[2:]) for one in sentences]
    return [one for one in tails if len(one.split()) >= 6 and len(one) < SLOT_SIZE][:3]


def _append_pieces(document: Document, pieces: Sequence[tuple[str, str]]) -> Document:
    return replace(document, text="\n\n".join([document.body.rstrip(), *(piece for piece, _ in pieces)]))


def _count_removed(
    cleaner: Cleaner, articles: Sequence[tuple[Document, Sequence[tuple[str, str, bool]]]]
) -> dict[str, SlotCounts]:
    sums = {kind: dict.fromkeys(("line", "found", "sentence", "lost", "sentences", "whole"), 0) for kind in FILLERS}
    for document, pieces in articles:
        text = _append_pieces(document, [(piece, "") for _, piece, _ in pieces]).body
        spans = cleaner.spans(text)
        end = len(text)
        for kind, piece, line in reversed(pieces):
            start = end - len(piece)
            removed = sum(max(0, min(counts.end, end) - max(counts.start, start)) for counts in spans)
            counts = sums[kind]
            counts["line" if line else "sentence"] += len(piece)
            counts["found" if line else "lost"] += removed
            if not line:
                counts["sentences"] += 1
                counts["whole"] += removed == 0
            end = start - 2
    return {kind: SlotCounts(**counts) for kind, counts in sums.items()}


def compare_halves() -> dict[str, list[str]]:
    """What is cut of halves of the annotated archives with packs of the other halves: by slots that take anything, by
    slots of kinds alone, and what kinds leave."""
    documents = archives.load_texts(*archives.ANNOTATED)
    known = {one.id for one in documents if blake2b(one.id.encode()).digest()[0] & 1}
    cleaners: list[dict[str, Cleaner]] = []
    for kinds in (False, True):
        config = PipelineConfig(slots=SlotConfig(kinds=kinds))
        reports = Miner(config).run([one for one in documents if one.id in known])
        cleaners.append(
            {one.source: Cleaner(one.pack, CleanConfig(choice=CUT_ALL)) for one in reports if one.pack is not None}
        )
    found: dict[str, list[str]] = {"cut": [], "only with kinds": [], "left with kinds": []}
    for one in documents:
        if one.id in known or one.source not in cleaners[0]:
            continue
        before, after = ([(span.start, span.end) for span in some[one.source].spans(one.body)] for some in cleaners)
        for name, some, without in (
            ("cut", before, []),
            ("only with kinds", after, before),
            ("left with kinds", before, after),
        ):
            found[name] += [f"{one.source}: {piece}" for piece in _find_pieces(one.body, some, without)]
    return found


def _find_pieces(text: str, spans: Sequence[tuple[int, int]], without: Sequence[tuple[int, int]]) -> list[str]:
    """Stretches of a text that lie in some spans and not in others."""
    marks = bytearray(len(text))
    for value, some in ((1, spans), (0, without)):
        for start, end in some:
            marks[start:end] = bytes([value]) * (end - start)
    return [text[found.start() : found.end()] for found in re.finditer(b"\x01+", bytes(marks))]


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the table, all sources together."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--halves", action="store_true", help="real archives")
    args = parser.parse_args(arguments)
    if not archives.has_shared_archives():
        print("the real archives (../shared) are not here; nothing was measured", file=sys.stderr)
        return 2
    if args.halves:
        for name, pieces in compare_halves().items():
            size = sum(len(one.partition(": ")[2]) for one in pieces)
            print(f"{name}: {len(pieces)} pieces, {size} characters")
            if name != "cut":
                print("\n".join(f"    {one!r}" for one in pieces))
        return 0
    total: dict[tuple[str, bool], list[SlotCounts]] = {}
    for name, wanted in SOURCES.items():
        for source in wanted:
            documents = [one for one in archives.load_texts(name) if one.source == source or source == name][:1200]
            for key, row in run_trial(documents).items():
                total.setdefault(key, []).append(row)
    print(
        "| filler | lines found, any | kinds | of sentences lost, any | kinds | sentences kept complete, any | kinds |"
    )
    print("|---|---:|---:|---:|---:|---:|---:|")
    for kind in FILLERS:
        cells = []
        for top, bottom in (("found", "line"), ("lost", "sentence"), ("whole", "sentences")):
            for kinds in (False, True):
                rows = total[kind, kinds]
                cells.append(
                    f"{sum(getattr(row, top) for row in rows) / sum(getattr(row, bottom) for row in rows):.1%}"
                )
        print(f"| {kind} | {' | '.join(cells)} |")
    print(f"seed {SEED}; sentences: {sum(row.sentences for kind in FILLERS for row in total[kind, True])}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
