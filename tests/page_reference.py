"""Slow, obvious twins of what reads pages: blocks of well-formed mark-up, trees, the best set of blocks."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from html.parser import HTMLParser
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

ROOT = Path(__file__).resolve().parents[1]


class Blocks(HTMLParser):
    """Texts, words, linked words and paths of blocks, by the parser of the standard library.

    For pages whose elements are all closed, and whose names are in the table of tags.
    """

    def __init__(self, block: frozenset[str], form: frozenset[str], mute: frozenset[str]) -> None:
        super().__init__(convert_charrefs=True)
        self.block, self.form, self.mute = block, form, mute
        self.stack: list[tuple[str, str | None, bool, int]] = []
        self.pieces: list[tuple[str, bool]] = []
        self.common: list[tuple[int, str]] | None = None
        self.number = 0
        self.edge = self.part = 0
        self.found: list[tuple[str, int, int, str]] = []

    def path(self) -> list[tuple[int, str]]:
        return [(number, sign) for _, sign, _, number in self.stack if sign is not None]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in self.block:
            self.flush()
        if tag in ("br", "hr", "img"):
            return
        if tag in self.mute - {"script", "style", "title", "template"}:
            self.pieces.append((" ", False))
        given = dict(attrs)
        if tag not in self.block and self.edge:
            self.part = 2 if self.edge == 2 and tag == "a" and "href" in given else max(self.part, 1)
        names = sorted((given.get("class") or "").split()) if "class" in given else []
        sign = ".".join([tag, *(re.sub("[0-9]+", "0", name) for name in names)])
        self.stack.append((tag, None if tag in self.form else sign, tag == "a" and "href" in given, self.number))
        self.number += 1

    def handle_endtag(self, tag: str) -> None:
        if tag in self.block:
            self.flush()
        elif tag not in self.mute:
            self.edge = max(self.edge, 2 if self.stack[-1][2] else 1)
        self.stack.pop()

    def handle_data(self, data: str) -> None:
        if any(tag in self.mute for tag, _, _, _ in self.stack):
            return
        before = "".join(piece for piece, _ in self.pieces)
        if self.part and before and _parts_words(before[-1], data[0], self.part):
            data = f" {data}"
        if data.strip():
            self.edge = self.part = 0
        self.pieces.append((data, any(link for _, _, link, _ in self.stack)))
        if data.strip():
            self.common = self.path() if self.common is None else _common_prefix(self.common, self.path())

    def flush(self) -> None:
        """End the block."""
        text = "".join(data for data, _ in self.pieces)
        marks = "".join("1" * len(data) if linked else "0" * len(data) for data, linked in self.pieces)
        words = [match.start() for match in re.finditer("[A-Za-z0-9]+", text)]
        if words:
            linked = sum(marks[place] == "1" for place in words)
            self.found.append(
                (" ".join(text.split()), len(words), linked, ">".join(sign for _, sign in self.common or []))
            )
        self.pieces, self.common = [], None
        self.edge = self.part = 0


def _parts_words(last: str, first: str, part: int) -> bool:
    """Whether what meets where elements do is two words: after a link and before one, else as capitals say."""
    closing = last in "!).:;?]"
    if part == 2:
        return (last.isalnum() or closing or last == ",") and first.isalnum()
    return first.isupper() and (closing or (last.isalnum() and not last.isupper()))


def _common_prefix(a: list[tuple[int, str]], b: list[tuple[int, str]]) -> list[tuple[int, str]]:
    size = next((place for place, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), min(len(a), len(b)))
    return a[:size]


def forest(rows: NDArray[np.float32], trees: Sequence[Mapping[str, Any]]) -> list[float]:
    """Sum of the leaves that each row falls into, tree by tree as nested records."""
    sums = []
    for row in rows:
        total = 0.0
        for tree in trees:
            node = tree
            while "leaf" not in node:
                node = node["left"] if row[node["feature"]] <= node["threshold"] else node["right"]
            total += node["leaf"]
        sums.append(total)
    return sums


def find_first_places(keys: Sequence[int]) -> list[int]:
    """Of each key the place of the first one that is equal."""
    return [keys.index(key) for key in keys]


def normalise_text(text: str) -> str | None:
    """The words of a text in lower case; None beyond ASCII, but for letters of Latin-1 and a few marks."""
    known = re.fullmatch("[\0-\x7f\xa0\xa9\xab\xb7\xbb\xc0-\xde\xe0-\xff\u2000-\u203f]*", text)
    return " ".join(re.sub(r"\W+", " ", text.casefold()).split()) if known else None


def expected_f1(probability: Sequence[float], words: Sequence[int]) -> float:
    """The greatest 2 sum(p w) / (sum(w) + sum of p w over all) of all sets of blocks that are not empty."""
    everything = sum(p * w for p, w in zip(probability, words, strict=True))
    blocks = range(len(words))
    return max(
        2 * sum(probability[i] * words[i] for i in chosen) / (sum(words[i] for i in chosen) + everything)
        for size in range(1, len(words) + 1)
        for chosen in combinations(blocks, size)
    )


def context(page: Mapping[str, Any], scores: Sequence[float], block_tags: frozenset[int]) -> list[dict[str, float]]:
    """What scores say of the surroundings of each block, block by block, by name."""
    if not scores:
        return []
    count, parents = len(scores), page["parents"].tolist()
    blocks = range(count)
    words = page["counts"][:, 0].tolist()
    chance = [1 / (1 + math.exp(-score)) for score in scores]
    kept = [p * w for p, w in zip(chance, words, strict=True)]
    total = sum(kept)

    def above(element: int) -> list[int]:
        """An element and those it stands in, innermost first."""
        found = [element]
        while parents[found[-1]] >= 0:
            found.append(parents[found[-1]])
        return found

    lines = [[e for e in above(int(leaf)) if e == 0 or page["tags"][e] in block_tags] for leaf in page["element"]]
    inside = {e: [i for i in blocks if e in above(int(page["element"][i]))] for e in range(len(parents))}

    def like(element: int) -> list[int]:
        node = page["element_nodes"][element]
        return [
            e for e in inside if e and page["element_nodes"][e] == node and inside[e] and page["tags"][e] in block_tags
        ]

    order = sorted(blocks, key=lambda i: -chance[i])
    gains = [
        2 * sum(kept[i] for i in order[:size]) / (sum(words[i] for i in order[:size]) + total)
        for size in range(1, count + 1)
    ]
    chosen = set(order[: gains.index(max(gains)) + 1])
    rows = []
    for i in blocks:
        row = {"score": scores[i]}
        row |= {f"chance{side:+d}": chance[i + side] if 0 <= i + side < count else -1 for side in range(-4, 5) if side}
        for side, others in (("left", range(i - 1, -1, -1)), ("right", range(i + 1, count))):
            for far, fade in (("", 0.6), ("_far", 0.9)):
                faded = [(fade**step, j) for step, j in enumerate(others)]
                row[f"kept_{side}{far}"] = math.log1p(sum(f * kept[j] for f, j in faded))
                row[f"lost_{side}{far}"] = math.log1p(sum(f * (words[j] - kept[j]) for f, j in faded))
        for name, form in (("full", 0), ("parent", 1), ("grandparent", 2), ("tags", 4), ("near", 5)):
            same = [j for j in blocks if page["keys"][j, form] == page["keys"][i, form]]
            row |= _part(name, same, kept, words, total)
        for level in range(4):
            element = lines[i][min(level, len(lines[i]) - 1)]
            row |= _part(f"container{level}", inside[element], kept, words, total)
        several = [e for e in lines[i] if e and len(inside[e]) >= 2]
        if several:
            most = max(several, key=lambda e: len(like(e)))
            row |= _part("record", [j for e in like(most) for j in inside[e]], kept, words, total)
        else:
            row |= {"record_chance": -1, "record_part": -1}
        row["rank"] = sum(kept[j] for j in order[: order.index(i)]) / total
        row["chosen"] = float(i in chosen)
        row["from_first"] = max(-50, min(50, i - min(chosen)))
        row["to_last"] = max(-50, min(50, max(chosen) - i))
        row["chosen_before"] = sum(words[j] for j in chosen if j <= i) / sum(words[j] for j in chosen)
        row |= {"page_gain": max(gains), "page_best": max(chance), "page_kept": math.log1p(total)}
        row["page_share"] = total / sum(words)
        rows.append(row)
    return rows


def _part(name: str, own: Sequence[int], kept: Sequence[float], words: Sequence[int], total: float) -> dict[str, float]:
    have = sum(kept[j] for j in own)
    size = sum(words[j] for j in own)
    return {f"{name}_chance": have / size if size else 0.0, f"{name}_part": have / total}


def sections(page: Mapping[str, Any], counts: Sequence[str], headings: Sequence[bool]) -> list[dict[str, float]]:
    """Headings and signatures around each block, block by block, by name."""
    at = {name: place for place, name in enumerate(counts)}
    rows = page["counts"].tolist()
    blocks = range(len(rows))
    words = [row[at["words"]] for row in rows]
    says = [row[at["talk"]] for row in rows]
    control = [row[at["control"]] for row in rows]
    dated = [
        size <= 25 and any(row[at[name]] for name in ("month", "clock", "year", "weekday"))
        for row, size in zip(rows, words, strict=True)
    ]
    bold = [row[at["strong"]] >= 0.8 * size and size <= 6 for row, size in zip(rows, words, strict=True)]
    mark = [words[i] <= 15 and (headings[i] or bold[i]) for i in blocks]
    holder = [max(int(page["parents"][e]), 0) for e in page["element"].tolist()]

    def last(i: int, kind: Sequence[bool]) -> int | None:
        return max((j for j in blocks if j < i and kind[j]), default=None)

    def since(i: int, kind: Sequence[bool]) -> float:
        found = last(i, kind)
        return -1.0 if found is None else math.log1p(sum(words[found + 1 : i]))

    found = []
    for i in blocks:
        under = last(i, mark)
        beside = [j for j in blocks if holder[j] == holder[i]]
        behind = [j for j in blocks if j > i and dated[j]]
        found.append(
            {
                "talk": says[i],
                "since_mark": since(i, mark),
                "mark_control": -1 if under is None else control[under] / words[under],
                "mark_talk": -1 if under is None else says[under],
                "since_control_mark": since(i, [mark[j] and control[j] > 0 for j in blocks]),
                "since_talk": since(i, [says[j] > 0 and words[j] <= 15 for j in blocks]),
                "since_talk_mark": since(i, [mark[j] and says[j] > 0 for j in blocks]),
                "since_dated": since(i, dated),
                "to_dated": math.log1p(sum(words[i + 1 : behind[0]])) if behind else -1.0,
                "dated_before": math.log1p(sum(dated[:i])),
                "dated_behind": math.log1p(len(behind)),
                "dated_beside": math.log1p(sum(dated[j] for j in beside)),
                "dated_beside_part": sum(dated[j] for j in beside) / len(beside),
            }
        )
    return found
