"""The structure of kept blocks: headings, lists, quotes, code, tables, and the runs of text, links and images in them.

In come a page, the blocks that were kept and their cuts; out goes a tree of nodes whose text is theirs.  The tags
come from the scanner of blocks (`BlockScanner.marks`), each with its place in the text of the blocks: nothing is
parsed twice, and no text can differ from that of the blocks.  Only preformatted text is taken from the source, for its
white space.  Linear in the page.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from html import unescape
from itertools import groupby
from typing import Any

import numpy as np
from numpy.typing import NDArray

from templatemine.config import MarkupConfig
from templatemine.pages import _model, cleaneval
from templatemine.pages.nodes import (
    PLAIN,
    Break,
    Cell,
    Code,
    Heading,
    Image,
    Inline,
    List,
    Node,
    Paragraph,
    Quote,
    Style,
    Table,
    Text,
    calm,
    folded,
    joined,
)
from templatemine.pages.page_tags import CONTAINERS, NAMES, STYLES, VOID, Tags

__all__ = ["structure"]

Cuts = Mapping[int, Sequence[tuple[int, int]]]
Chain = tuple[tuple[str, int], ...]
"""What a block stands in, outermost first: kind of container and number of its element."""

HEADING_WORDS = 60
"""Words of a heading at most: one that never ends holds the page."""
CELL_WORDS = 80
"""Words of a cell at most in a table of data; the cells of layout hold articles."""
ALL = 0.8
"""Share of all words from which on a quote is a way to indent the page."""
DEEP = 24
"""Containers in each other that are told apart."""
TINY = 40
"""Pixels: pictures of less in either direction are icons, counters and spacers."""

_LANGUAGE = re.compile(r"(?:^|\s)(?:lang(?:uage)?|highlight-source|brush:|sourceCode)[-: ]\s*([\w+#.-]{1,20})")
_DIGITS = re.compile(r"\s*(\d{1,6})")
_PRE_END = re.compile(rb"</(?:pre|listing)\b", re.IGNORECASE)
_NEWLINE = re.compile(r"\r\n?")
_NOTHING = re.compile("[\xad\ufeff]")
_CONTROL = re.compile("[\0-\x08\x0b-\x1f\xa0\u2000-\u200b\u2028\u2029\u202f\u3000]")
_BLANK_LINES = re.compile(r"\A(?:[ \t]*\n)+")
_LAZY = ("data-src", "data-original", "data-lazy-src", "data-orig-file", "data-hi-res-src")
"""Where pages that load images later say which."""
TAIL = 2000
"""Bytes behind the last word of preformatted text that are looked at for lines without one."""
_IMG = NAMES.index("img")


@dataclass(frozen=True, slots=True)
class _Entry:
    """A kept block, or an image between blocks (block -1)."""

    chain: Chain
    block: int
    inlines: tuple[Inline, ...]
    goes_on: bool = False


def structure(tags: Tags, kept: NDArray[np.bool_], cuts: Cuts, config: MarkupConfig) -> tuple[Node, ...]:
    """The nodes of kept blocks, in the order of the page.

    Parameters
    ----------
    tags : Tags
    kept : bool array, shape (blocks,)
    cuts : mapping of int to stretches
        Of the text of kept blocks, left out.
    config : MarkupConfig
        Whether links, images and tables are kept.
    """
    return _Builder(tags, kept, cuts, config).nodes()


class _Builder:
    def __init__(self, tags: Tags, kept: NDArray[np.bool_], cuts: Cuts, config: MarkupConfig) -> None:
        self.tags, self.page, self.kept, self.cuts, self.config = tags, tags.page, kept, cuts, config
        self.places: list[int] = np.flatnonzero(kept).tolist()
        columns = self.page.columns
        self._element: list[int] = columns["element"].tolist()
        self._parents: list[int] = columns["parents"].tolist()
        self._names = [NAMES[tag] for tag in columns["tags"].tolist()]
        self._chains: dict[int, Chain] = {0: ()}

    def nodes(self) -> tuple[Node, ...]:
        inner = self._images() if self.config.images else {}
        spans = self._spans()
        entries: list[_Entry] = []
        before = -1
        for block in self.places:
            entries += inner.pop(-block - 1, ())
            inlines = self._inlines(block, spans.get(block, ()), inner.pop(block, ()))
            if inlines:
                goes_on = block == before + 1 and cleaneval.continues(self.page, block)
                entries.append(_Entry(self._chain(self._element[block]), block, inlines, goes_on))
            before = block
        for rest in inner.values():  # behind the last block
            entries += [one for one in rest if isinstance(one, _Entry)]
        self._unwrap(entries)
        return tuple(self._grouped([self._plain(entry) for entry in entries], 0))

    # -------------------------------------------------------------------------------------------------- containers

    def _chain(self, element: int) -> Chain:
        """What an element stands in, itself included."""
        found = self._chains.get(element)
        if found is not None:
            return found
        path: list[int] = []
        while element not in self._chains:
            path.append(element)
            element = self._parents[element]
        chain = self._chains[element]
        for one in reversed(path):
            kind = CONTAINERS.get(self._names[one])
            if kind is not None and len(chain) < DEEP and not (chain and chain[-1][0] == "code"):
                if kind == "item" and not any(k == "list" for k, _ in chain[-1:]):
                    chain = (*chain, ("list", self._parents[one]))
                chain = (*chain, (kind, one))
            self._chains[one] = chain
        return chain

    def _unwrap(self, entries: Sequence[_Entry]) -> None:
        """Find the containers that are there for layout."""
        words: Counter[int] = Counter()
        blocks: Counter[int] = Counter()
        items: dict[int, set[int]] = {}
        cells: dict[int, dict[int, set[int]]] = {}
        layout: set[int] = set()
        for entry in entries:
            count = int(self.page.words[entry.block]) if entry.block >= 0 else 0
            row = -1
            for place, (kind, element) in enumerate(entry.chain):
                words[element] += count
                blocks[element] += entry.block >= 0
                outer = entry.chain[place - 1][1] if place else -1
                if kind == "item":
                    items.setdefault(outer, set()).add(element)
                elif kind == "row":
                    row = element
                elif kind == "cell" and row >= 0:
                    table = next((e for k, e in reversed(entry.chain[:place]) if k == "table"), -1)
                    cells.setdefault(table, {}).setdefault(row, set()).add(element)
                elif kind == "table":
                    layout.update(e for k, e in entry.chain[:place] if k == "table")  # they hold another one
                    inner = tuple(k for k, _ in entry.chain[place + 1 : place + 3])
                    if inner[:2] != ("row", "cell") and (inner[:1] != ("caption",) or element in cells):
                        layout.add(element)
        total = sum(int(self.page.words[entry.block]) for entry in entries if entry.block >= 0)
        kinds = {element: kind for entry in entries for kind, element in entry.chain if kind != "list"}
        for element, kind in kinds.items():
            if (
                (kind == "heading" and words[element] > HEADING_WORDS)
                or (kind == "quote" and words[element] >= ALL * total)
                or (kind == "table" and not self._is_data(cells.get(element, {}), words))
            ):
                layout.add(element)
        lists = {element for entry in entries for kind, element in entry.chain if kind == "list"}
        single = {one for one in lists if len(items.get(one, ())) == 1 and blocks[next(iter(items[one]))] > 2}
        self._layout = layout
        self._single = single

    def _is_data(self, rows: Mapping[int, set[int]], words: Mapping[int, int]) -> bool:
        """Whether rows of cells are a table of data: two rows with two cells, half of the rows, and no long cell."""
        wide = sum(len(cells) > 1 for cells in rows.values())
        longest = max((words[cell] for cells in rows.values() for cell in cells), default=0)
        return self.config.tables and wide > 1 and 2 * wide >= len(rows) and longest <= CELL_WORDS

    def _plain(self, entry: _Entry) -> _Entry:
        """An entry without the containers that are there for layout, and without those within headings and cells."""
        chain: list[tuple[str, int]] = []
        table = single = False
        for kind, element in entry.chain:
            if kind == "table":
                table = element not in self._layout
            elif kind == "list":
                single = element in self._single
            if kind in ("row", "cell", "caption") and not table:
                continue
            if element in self._layout or (single and kind in ("list", "item")):
                continue
            chain.append((kind, element))
            if kind in ("cell", "caption", "heading"):
                break
        return _Entry(tuple(chain), entry.block, entry.inlines, entry.goes_on)

    # ------------------------------------------------------------------------------------------------------- nodes

    def _grouped(self, entries: Sequence[_Entry], depth: int) -> Iterator[Node]:
        for key, rows in groupby(entries, lambda one: one.chain[depth] if len(one.chain) > depth else None):
            group = list(rows)
            if key is None:
                yield from _paragraphs(group)
                continue
            kind, element = key
            if kind == "heading":
                yield Heading(int(self._names[element][1]), calm(_lines(group, Text(" "))))
            elif kind == "quote":
                yield Quote(tuple(self._grouped(group, depth + 1)))
            elif kind == "code":
                yield from self._code(element, group)
            elif kind == "table":
                yield self._table(group, depth + 1)
            elif kind == "list":
                yield self._list(element, group, depth + 1)
            else:  # a row or item that stands alone
                yield from self._grouped(group, depth + 1)

    def _list(self, element: int, entries: Sequence[_Entry], depth: int) -> List:
        ordered = self._names[element] == "ol"
        items: list[tuple[Node, ...]] = []
        for key, rows in groupby(entries, lambda one: one.chain[depth] if len(one.chain) > depth else None):
            own = key is not None and key[0] == "item"
            nodes = tuple(self._grouped(list(rows), depth + own))
            if own or not items:
                items.append(nodes)
            else:  # what stands between items goes with the one before
                items[-1] += nodes
        written = self.tags.of_element(element).get("start", "") if ordered else ""
        start = int(written) if written.isascii() and written.isdigit() and len(written) < 9 else 1
        return List(ordered, start, tuple(items))

    def _table(self, entries: Sequence[_Entry], depth: int) -> Table:
        caption: list[Inline] = []
        rows: list[tuple[Cell, ...]] = []
        for (kind, element), group in groupby(entries, lambda one: one.chain[depth]):
            if kind == "row":
                rows.append(self._row(element, list(group), depth + 1))
            else:
                caption += _lines(list(group), Text(" "))
        return Table(joined(caption), tuple(rows))

    def _row(self, row: int, entries: Sequence[_Entry], depth: int) -> tuple[Cell, ...]:
        """The cells of a row, those without kept text among them."""
        texts: dict[int, list[_Entry]] = {}
        for entry in entries:
            texts.setdefault(entry.chain[depth][1], []).append(entry)
        found: list[Cell] = []
        for element in self._cells.get(row, ()):
            said = self.tags.of_element(element)
            columns, rows = (_count(said.get(name, "")) for name in ("colspan", "rowspan"))
            inlines = _lines(texts.get(element, []), Break())
            found.append(Cell(calm(inlines), self._names[element] == "th", columns, rows))
        return tuple(found)

    @cached_property
    def _cells(self) -> dict[int, list[int]]:
        """Cells of each row, by their elements."""
        found: dict[int, list[int]] = {}
        for element, name in enumerate(self._names):
            if name in ("td", "th"):
                row = self._parents[element]
                while row > 0 and self._names[row] not in ("tr", "table"):
                    row = self._parents[row]
                found.setdefault(row, []).append(element)
        return found

    # -------------------------------------------------------------------------------------------------------- code

    def _code(self, element: int, entries: Sequence[_Entry]) -> Iterator[Node]:
        said = self.tags.of_element(element)
        for inner in range(element + 1, min(element + 3, len(self._parents))):  # pre > code, or pre > samp > code
            if self._parents[inner] in (element, inner - 1):
                said = {**self.tags.of_element(inner), **{k: v for k, v in said.items() if v}}
        found = _LANGUAGE.search(said.get("class", ""))
        language = found[1] if found else ""
        blocks = [entry.block for entry in entries if entry.block >= 0]
        mark = self.tags.starts_of.get(element)
        inside = 0 if mark is None else int(self.tags.columns["ends"][mark])
        pieces: list[str] = []
        for _, group in groupby(enumerate(blocks), lambda row: row[1] - row[0]):
            run = [block for _, block in group]
            whole = not any(block in self.cuts for block in run)
            pieces.append(self._source(run, inside) if whole else self._lines_of(run))
        if pieces:
            yield Code("\n".join(pieces), language)
        yield from _paragraphs([entry for entry in entries if entry.block < 0])

    def _lines_of(self, blocks: Sequence[int]) -> str:
        runs = (run for block in blocks for run in (*self._inlines(block, (), ()), Text("\n")))
        return "".join(run.text for run in runs if isinstance(run, Text)).rstrip()

    def _source(self, blocks: Sequence[int], inside: int) -> str:
        """Preformatted text with its white space and the lines without a word, from the source behind `inside`."""
        starts, ends = (self.page.columns[name] for name in ("starts", "ends"))
        first, last = blocks[0], blocks[-1]
        at = max(inside, int(ends[first - 1]) if first else 0)
        stop = int(starts[last + 1]) if last + 1 < len(self.page) else len(self.page.data)
        end = int(ends[last])
        rest = _PRE_END.search(self.page.source(end, min(stop, end + TAIL)))
        stop = end if rest is None and stop > end + TAIL else stop if rest is None else end + rest.start()
        gone_starts, gone_ends = self._gone
        pieces: list[bytes] = []
        for place in range(int(np.searchsorted(gone_ends, at, "right")), len(gone_starts)):
            if gone_starts[place] >= stop:
                break
            pieces.append(self.page.source(at, max(int(gone_starts[place]), at)))
            at = max(at, int(gone_ends[place]))
        pieces.append(self.page.source(at, max(stop, at)))
        text = unescape(b"".join(pieces).decode("utf-8", "replace"))
        return _BLANK_LINES.sub("", _CONTROL.sub(" ", _NOTHING.sub("", _NEWLINE.sub("\n", text)))).rstrip()

    @cached_property
    def _gone(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Stretches of the page that are no text: begins and ends, ascending."""
        marks, holes = self.tags.columns, self.page.columns["holes"]
        tags = np.stack([marks["starts"], marks["ends"]], 1)[marks["ends"] > 0]
        both = np.concatenate([tags, holes])
        both = both[np.argsort(both[:, 0], kind="stable")]
        return both[:, 0], np.maximum.accumulate(both[:, 1])

    # ------------------------------------------------------------------------------------------------- runs of text

    def _spans(self) -> dict[int, list[tuple[int, int, Style, str]]]:
        """By block: begin and end in the text of the page, style and link of the inline elements that meet it."""
        bounds = self.page.columns["bounds"]
        found: dict[int, list[tuple[int, int, Style, str]]] = {}
        for begin, end, mark, name in self.tags.spans:
            if end <= begin:
                continue
            style, link = STYLES.get(name, PLAIN), ""
            if name == "a":
                link = self.tags.address(self.tags.attributes(mark).get("href")) if self.config.links else ""
                if not link:
                    continue
            first = int(np.searchsorted(bounds, begin, "right")) - 1
            last = int(np.searchsorted(bounds, end, "left"))
            for block in np.flatnonzero(self.kept[first:last]).tolist():
                found.setdefault(first + block, []).append((begin, end, style, link))
        return found

    def _inlines(
        self, block: int, spans: Sequence[tuple[int, int, Style, str]], images: Sequence[tuple[int, Image]]
    ) -> tuple[Inline, ...]:
        """The runs of a block, its cuts left out and white space folded as in its text."""
        bounds, text = self.page.columns["bounds"], self.page.text(block)
        low, high = int(bounds[block]), int(bounds[block + 1])
        cuts = self.cuts.get(block, ())
        if not spans and not images and not cuts:
            return (Text(text),) if text else ()
        data = self.page.columns["text"][low:high].tobytes()

        def place(at: int) -> int:
            return len(data[: max(at - low, 0)].decode("utf-8", "replace"))

        marked = [(place(begin), place(end), style, link) for begin, end, style, link in spans]
        pictures = [(place(at), image) for at, image in images]
        edges = {0, len(text), *(edge for row in marked for edge in row[:2]), *(at for at, _ in pictures)}
        edges |= {edge for cut in cuts for edge in cut}
        ordered = sorted(edge for edge in edges if edge <= len(text))
        runs: list[Inline] = []
        for begin, end in zip(ordered, [*ordered[1:], len(text)], strict=True):
            for image in (image for at, image in pictures if at == begin):
                runs += [Text(" "), image, Text(" ")]
            if begin == end:
                continue
            if any(first <= begin and end <= last for first, last in cuts):
                runs.append(Text(" "))
                continue
            over = [row for row in marked if row[0] <= begin and end <= row[1]]
            style = PLAIN
            for row in over:
                style |= row[2]
            runs.append(Text(text[begin:end], style, next((row[3] for row in over[::-1] if row[3]), "")))
        return folded(runs, bool(cuts))

    # ------------------------------------------------------------------------------------------------------ images

    def _images(self) -> dict[int, list[Any]]:
        """Images by the kept block that they stand in; by -1 - block, as entries, those that stand before a block."""
        starts, ends = (self.page.columns[name] for name in ("starts", "ends"))
        columns, found = self.tags.columns, dict[int, list[Any]]()
        seen: set[str] = set()
        for mark in self.tags.having(_IMG, VOID):
            place = int(columns["starts"][mark])
            block = int(np.searchsorted(starts, place, "right")) - 1
            within = block >= 0 and place < ends[block]
            element = int(columns["elements"][mark])
            if self._hidden[element] or not (self.kept[block] if within else self._belongs(block, element)):
                continue
            image = self._image(mark, element)
            if image is None or image.url in seen:
                continue
            seen.add(image.url)
            if within:
                found.setdefault(block, []).append((int(columns["at"][mark]), image))
            else:
                following = block + 1
                while following < len(self.kept) and not self.kept[following]:
                    following += 1
                found.setdefault(-following - 1, []).append(_Entry(self._chain(element), -1, (image,)))
        return found

    @cached_property
    def _hidden(self) -> list[bool]:
        columns = self.page.columns
        return _model.inherited(columns["parents"], columns["hidden"]).astype(np.bool_).tolist()  # type: ignore[no-any-return]

    def _belongs(self, before: int, element: int) -> bool:
        """Whether an image between blocks belongs to the main text: the blocks on both sides do, or all of the least
        element with a block that holds it."""
        sides = self.kept[max(before, 0) : before + 2]
        if not sides.any():
            return False
        if len(sides) == 2 and sides.all():
            return True
        first, last = self._extent
        while element > 0 and first[element] < 0:
            element = self._parents[element]
        return bool(self.kept[first[element] : last[element] + 1].all())

    @cached_property
    def _extent(self) -> tuple[list[int], list[int]]:
        """First and last block in each element, -1 where there is none."""
        first, last = [-1] * len(self._parents), [-1] * len(self._parents)
        for block, element in enumerate(self._element):
            if first[element] < 0:
                first[element] = block
            last[element] = block
        for element in range(len(self._parents) - 1, 0, -1):  # parents come first
            parent = self._parents[element]
            if first[element] >= 0:
                first[parent] = min(first[element], first[parent]) if first[parent] >= 0 else first[element]
                last[parent] = max(last[element], last[parent])
        return first, last

    def _image(self, mark: int, element: int) -> Image | None:
        said = self.tags.attributes(mark)
        if any((size := _count(said.get(name, ""), 0)) and size < TINY for name in ("width", "height")):
            return None
        lazy = next((said[name] for name in _LAZY if said.get(name)), None)
        url = self.tags.address(lazy) or self.tags.address(said.get("src")) or self.tags.address(_first(said))
        if not url:
            return None
        link = ""
        while self.config.links and element > 0 and not link:
            if self._names[element] == "a":
                link = self.tags.address(self.tags.of_element(element).get("href"))
            element = self._parents[element]
        return Image(url, " ".join(said.get("alt", "").split()), link)


def _first(said: Mapping[str, str]) -> str:
    """The first address of a ``srcset``."""
    return (said.get("srcset") or said.get("data-srcset") or "").strip().split(" ")[0].rstrip(",")


def _count(written: str, otherwise: int = 1) -> int:
    found = _DIGITS.match(written)
    return min(max(int(found[1]), otherwise), 1000) if found else otherwise


def _paragraphs(entries: Sequence[_Entry]) -> Iterator[Paragraph]:
    """A paragraph each, but for those that go on after a line break."""
    lines: list[Inline] = []
    for entry in entries:
        if lines and not entry.goes_on:
            yield Paragraph(tuple(lines))
            lines = []
        elif lines:
            lines.append(Break())
        lines += entry.inlines
    if lines:
        yield Paragraph(tuple(lines))


def _lines(entries: Sequence[_Entry], between: Inline) -> tuple[Inline, ...]:
    """What several entries say, parted by a break or a blank."""
    lines: list[Inline] = []
    for entry in entries:
        lines += [between, *entry.inlines] if lines else entry.inlines
    return tuple(lines)
