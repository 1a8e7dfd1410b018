"""The structure of kept blocks: headings, lists, quotes, code, tables, and the runs of text, links and images in them.

In come a page, the blocks that were kept and their cuts; out goes a tree of nodes whose text is theirs.  The tags
come from the scanner of blocks (`BlockScanner.scan_marks`), each with its place in the text of the blocks: nothing is
parsed twice, and no text can differ from that of the blocks.  Only preformatted text is taken from the source, for its
white space.  Linear in the page.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import unescape
from itertools import groupby
from typing import Any

import numpy as np
from numpy.typing import NDArray

from templatemine.config import MarkupConfig
from templatemine.pages import _blocks, cleaneval
from templatemine.pages.lazy import lazy
from templatemine.pages.nodes import (
    PLAIN,
    Cell,
    Code,
    Heading,
    Image,
    Inline,
    LineBreak,
    List,
    Node,
    Paragraph,
    Quote,
    Style,
    Table,
    TextRun,
    fold_spaces,
    join_runs,
    remove_common_style,
)
from templatemine.pages.page_tags import CONTAINERS, STYLES, VOID, PageTags
from templatemine.pages.scanner import TAG_NAMES

Cuts = Mapping[int, Sequence[tuple[int, int]]]
Chain = tuple[tuple[str, int], ...]
"""Containers of a block, outermost first: kind of container and number of its element."""

HEADING_WORDS = 60
"""Words of a heading at most: one that never ends holds the page."""
CELL_WORDS = 80
"""Words of a cell at most in a table of data; the cells of layout hold articles."""
MAX_QUOTE_SHARE = 0.8
"""Share of all words from which on a quote is a way to indent the page."""
MAX_DEPTH = 24
"""Levels of nested containers that are kept."""
MIN_PIXELS = 40
"""Pixels: pictures of less in either direction are icons, counters and spacers."""

_LANGUAGE = re.compile(r"(?:^|\s)(?:lang(?:uage)?|highlight-source|brush:|sourceCode)[-: ]\s*([\w+#.-]{1,20})")
_DIGITS = re.compile(r"\s*(\d{1,6})")
_PRE_END = re.compile(rb"</(?:pre|listing)\b", re.IGNORECASE)
_NEWLINE = re.compile(r"\r\n?")
_INVISIBLE = re.compile("[\xad\ufeff]")
_CONTROL = re.compile("[\0-\x08\x0b-\x1f\xa0\u2000-\u200b\u2028\u2029\u202f\u3000]")
_BLANK_LINES = re.compile(r"\A(?:[ \t]*\n)+")
_LAZY_ATTRIBUTES = ("data-src", "data-original", "data-lazy-src", "data-orig-file", "data-hi-res-src")
"""Attributes with the address of images that load later."""
TAIL_BYTES = 2000
"""Bytes behind the last word of preformatted text that are looked at for lines without one."""
_IMG = TAG_NAMES.index("img")


@dataclass(frozen=True, slots=True)
class _Entry:
    """A kept block, or an image between blocks (block -1)."""

    chain: Chain
    block: int
    inlines: tuple[Inline, ...]
    continues: bool = False


def build_nodes(
    tags: PageTags, kept: NDArray[np.bool_], cuts: Cuts, config: MarkupConfig, kinds: Mapping[int, str] | None = None
) -> tuple[Node, ...]:
    """Return the nodes of kept blocks, in the order of the page.

    Parameters
    ----------
    kept : bool array, shape (blocks,)
    cuts : mapping of int to stretches
        Of the text of kept blocks, left out.
    config : MarkupConfig
        Whether links, images and tables are kept.
    kinds : mapping of int to str, optional
        Of kept blocks that are boilerplate of a kind; paragraphs have it.
    """
    return _Builder(tags, kept, cuts, config, kinds or {}).nodes()


class _Builder:
    def __init__(
        self, tags: PageTags, kept: NDArray[np.bool_], cuts: Cuts, config: MarkupConfig, kinds: Mapping[int, str]
    ) -> None:
        self.tags, self.page, self.kept, self.cuts, self.config = tags, tags.page, kept, cuts, config
        self.kinds = kinds
        self.kept_indices: list[int] = np.flatnonzero(kept).tolist()
        columns = self.page.columns
        self._block_elements: list[int] = columns["element"].tolist()
        self._parents: list[int] = columns["parents"].tolist()
        self._names = [TAG_NAMES[tag] for tag in columns["tags"].tolist()]
        self._chains: dict[int, Chain] = {0: ()}

    def nodes(self) -> tuple[Node, ...]:
        images = self._find_images() if self.config.images else {}
        spans = self._inline_spans()
        entries: list[_Entry] = []
        previous = -1
        for block in self.kept_indices:
            entries += images.pop(-block - 1, ())
            inlines = self._make_inlines(block, spans.get(block, ()), images.pop(block, ()))
            if inlines:
                continues = block == previous + 1 and cleaneval.continues_paragraph(self.page, block)
                entries.append(_Entry(self._container_chain(self._block_elements[block]), block, inlines, continues))
            previous = block
        for trailing in images.values():  # behind the last block
            entries += [entry for entry in trailing if isinstance(entry, _Entry)]
        self._find_layout(entries)
        return tuple(self._group_entries([self._remove_layout(entry) for entry in entries], 0))

    # -------------------------------------------------------------------------------------------------- containers

    def _container_chain(self, element: int) -> Chain:
        """List the elements around an element, itself included."""
        cached = self._chains.get(element)
        if cached is not None:
            return cached
        path: list[int] = []
        while element not in self._chains:
            path.append(element)
            element = self._parents[element]
        chain = self._chains[element]
        for ancestor in reversed(path):
            kind = CONTAINERS.get(self._names[ancestor])
            if kind is not None and len(chain) < MAX_DEPTH and not (chain and chain[-1][0] == "code"):
                if kind == "item" and not any(kind == "list" for kind, _ in chain[-1:]):
                    chain = (*chain, ("list", self._parents[ancestor]))
                chain = (*chain, (kind, ancestor))
            self._chains[ancestor] = chain
        return chain

    def _find_layout(self, entries: Sequence[_Entry]) -> None:
        """Find the containers that are there for layout."""
        words: Counter[int] = Counter()
        blocks: Counter[int] = Counter()
        items: dict[int, set[int]] = {}
        cells: dict[int, dict[int, set[int]]] = {}
        layout: set[int] = set()
        for entry in entries:
            words_in_block = int(self.page.words[entry.block]) if entry.block >= 0 else 0
            row = -1
            for depth, (kind, element) in enumerate(entry.chain):
                words[element] += words_in_block
                blocks[element] += entry.block >= 0
                outer = entry.chain[depth - 1][1] if depth else -1
                if kind == "item":
                    items.setdefault(outer, set()).add(element)
                elif kind == "row":
                    row = element
                elif kind == "cell" and row >= 0:
                    table = next((e for k, e in reversed(entry.chain[:depth]) if k == "table"), -1)
                    cells.setdefault(table, {}).setdefault(row, set()).add(element)
                elif kind == "table":
                    layout.update(e for k, e in entry.chain[:depth] if k == "table")  # they hold another one
                    inner = tuple(k for k, _ in entry.chain[depth + 1 : depth + 3])
                    if inner[:2] != ("row", "cell") and (inner[:1] != ("caption",) or element in cells):
                        layout.add(element)
        total = sum(int(self.page.words[entry.block]) for entry in entries if entry.block >= 0)
        kinds = {element: kind for entry in entries for kind, element in entry.chain if kind != "list"}
        for element, kind in kinds.items():
            if (
                (kind == "heading" and words[element] > HEADING_WORDS)
                or (kind == "quote" and words[element] >= MAX_QUOTE_SHARE * total)
                or (kind == "table" and not self._is_data(cells.get(element, {}), words))
            ):
                layout.add(element)
        lists = {element for entry in entries for kind, element in entry.chain if kind == "list"}
        single_item_lists = {
            element for element in lists if len(items.get(element, ())) == 1 and blocks[next(iter(items[element]))] > 2
        }
        self._layout = layout
        self._single_item_lists = single_item_lists

    def _is_data(self, rows: Mapping[int, set[int]], words: Mapping[int, int]) -> bool:
        """Return whether rows of cells are a table of data: two rows with two cells, half of the rows, and no long
        cell."""
        wide = sum(len(cells) > 1 for cells in rows.values())
        longest = max((words[cell] for cells in rows.values() for cell in cells), default=0)
        return self.config.tables and wide > 1 and 2 * wide >= len(rows) and longest <= CELL_WORDS

    def _remove_layout(self, entry: _Entry) -> _Entry:
        """Return an entry without the containers that are there for layout, and without those within headings and
        cells."""
        chain: list[tuple[str, int]] = []
        in_data_table = in_single_item_list = False
        for kind, element in entry.chain:
            if kind == "table":
                in_data_table = element not in self._layout
            elif kind == "list":
                in_single_item_list = element in self._single_item_lists
            if kind in ("row", "cell", "caption") and not in_data_table:
                continue
            if element in self._layout or (in_single_item_list and kind in ("list", "item")):
                continue
            chain.append((kind, element))
            if kind in ("cell", "caption", "heading"):
                break
        return _Entry(tuple(chain), entry.block, entry.inlines, entry.continues)

    # ------------------------------------------------------------------------------------------------------- nodes

    def _group_entries(self, entries: Sequence[_Entry], depth: int) -> Iterator[Node]:
        for key, rows in groupby(entries, lambda entry: entry.chain[depth] if len(entry.chain) > depth else None):
            group = list(rows)
            if key is None:
                yield from _make_paragraphs(group, self.kinds)
                continue
            kind, element = key
            if kind == "heading":
                yield Heading(int(self._names[element][1]), remove_common_style(_join_entries(group, TextRun(" "))))
            elif kind == "quote":
                yield Quote(tuple(self._group_entries(group, depth + 1)))
            elif kind == "code":
                yield from self._make_code(element, group)
            elif kind == "table":
                yield self._make_table(group, depth + 1)
            elif kind == "list":
                yield self._make_list(element, group, depth + 1)
            else:  # a row or item on its own
                yield from self._group_entries(group, depth + 1)

    def _make_list(self, element: int, entries: Sequence[_Entry], depth: int) -> List:
        ordered = self._names[element] == "ol"
        items: list[tuple[Node, ...]] = []
        for key, rows in groupby(entries, lambda entry: entry.chain[depth] if len(entry.chain) > depth else None):
            is_item = key is not None and key[0] == "item"
            nodes = tuple(self._group_entries(list(rows), depth + is_item))
            if is_item or not items:
                items.append(nodes)
            else:  # text between items goes with the one before
                items[-1] += nodes
        start_attribute = self.tags.element_attributes(element).get("start", "") if ordered else ""
        start = (
            int(start_attribute)
            if start_attribute.isascii() and start_attribute.isdigit() and len(start_attribute) < 9
            else 1
        )
        return List(ordered, start, tuple(items))

    def _make_table(self, entries: Sequence[_Entry], depth: int) -> Table:
        caption: list[Inline] = []
        rows: list[tuple[Cell, ...]] = []
        for (kind, element), group in groupby(entries, lambda one: one.chain[depth]):
            if kind == "row":
                rows.append(self._make_row(element, list(group), depth + 1))
            else:
                caption += _join_entries(list(group), TextRun(" "))
        return Table(join_runs(caption), tuple(rows))

    def _make_row(self, row: int, entries: Sequence[_Entry], depth: int) -> tuple[Cell, ...]:
        """Return the cells of a row, those without kept text among them."""
        texts: dict[int, list[_Entry]] = {}
        for entry in entries:
            texts.setdefault(entry.chain[depth][1], []).append(entry)
        cells: list[Cell] = []
        for element in self._cells_of_rows.get(row, ()):
            attributes = self.tags.element_attributes(element)
            columns, rows = (_parse_count(attributes.get(name, "")) for name in ("colspan", "rowspan"))
            inlines = _join_entries(texts.get(element, []), LineBreak())
            cells.append(Cell(remove_common_style(inlines), self._names[element] == "th", columns, rows))
        return tuple(cells)

    @lazy
    def _cells_of_rows(self) -> dict[int, list[int]]:
        """Return the cells of each row, by their elements."""
        cells: dict[int, list[int]] = {}
        for element, name in enumerate(self._names):
            if name in ("td", "th"):
                row = self._parents[element]
                while row > 0 and self._names[row] not in ("tr", "table"):
                    row = self._parents[row]
                cells.setdefault(row, []).append(element)
        return cells

    # -------------------------------------------------------------------------------------------------------- code

    def _make_code(self, element: int, entries: Sequence[_Entry]) -> Iterator[Node]:
        attributes = self.tags.element_attributes(element)
        for inner in range(element + 1, min(element + 3, len(self._parents))):  # pre > code, or pre > samp > code
            if self._parents[inner] in (element, inner - 1):
                attributes = {**self.tags.element_attributes(inner), **{k: v for k, v in attributes.items() if v}}
        match = _LANGUAGE.search(attributes.get("class", ""))
        language = match[1] if match else ""
        blocks = [entry.block for entry in entries if entry.block >= 0]
        mark = self.tags.start_marks.get(element)
        content_start = 0 if mark is None else int(self.tags.columns["ends"][mark])
        pieces: list[str] = []
        for _, group in groupby(enumerate(blocks), lambda row: row[1] - row[0]):
            run = [block for _, block in group]
            is_uncut = not any(block in self.cuts for block in run)
            pieces.append(self._preformatted_text(run, content_start) if is_uncut else self._code_lines(run))
        if pieces:
            yield Code("\n".join(pieces), language)
        yield from _make_paragraphs([entry for entry in entries if entry.block < 0], {})

    def _code_lines(self, blocks: Sequence[int]) -> str:
        runs = (run for block in blocks for run in (*self._make_inlines(block, (), ()), TextRun("\n")))
        return "".join(run.text for run in runs if isinstance(run, TextRun)).rstrip()

    def _preformatted_text(self, blocks: Sequence[int], content_start: int) -> str:
        """Return preformatted text with its white space and empty lines, from the source after `content_start`."""
        starts, ends = (self.page.columns[name] for name in ("starts", "ends"))
        first, last = blocks[0], blocks[-1]
        offset = max(content_start, int(ends[first - 1]) if first else 0)
        stop = int(starts[last + 1]) if last + 1 < len(self.page) else len(self.page.data)
        end = int(ends[last])
        end_tag = _PRE_END.search(self.page.source(end, min(stop, end + TAIL_BYTES)))
        stop = (
            end if end_tag is None and stop > end + TAIL_BYTES else stop if end_tag is None else end + end_tag.start()
        )
        span_starts, span_ends = self._non_text_spans
        pieces: list[bytes] = []
        for index in range(int(np.searchsorted(span_ends, offset, "right")), len(span_starts)):
            if span_starts[index] >= stop:
                break
            pieces.append(self.page.source(offset, max(int(span_starts[index]), offset)))
            offset = max(offset, int(span_ends[index]))
            tag = self.page.source(int(span_starts[index]), int(span_starts[index]) + 3).lower()
            if tag == b"<br" and self.page.source(offset, offset + 1) not in (b"\n", b"\r"):
                pieces.append(b"\n")
        pieces.append(self.page.source(offset, max(stop, offset)))
        text = unescape(b"".join(pieces).decode("utf-8", "replace"))
        return _BLANK_LINES.sub("", _CONTROL.sub(" ", _INVISIBLE.sub("", _NEWLINE.sub("\n", text)))).rstrip()

    @lazy
    def _non_text_spans(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the stretches of the page that are no text: begins and ends, ascending."""
        marks, holes = self.tags.columns, self.page.columns["holes"]
        tags = np.stack([marks["starts"], marks["ends"]], 1)[marks["ends"] > 0]
        both = np.concatenate([tags, holes])
        both = both[np.argsort(both[:, 0], kind="stable")]
        return both[:, 0], np.maximum.accumulate(both[:, 1])

    # ------------------------------------------------------------------------------------------------- runs of text

    def _inline_spans(self) -> dict[int, list[tuple[int, int, Style, str]]]:
        """Return, by block, begin and end in the text of the page, style and link of the inline elements that meet
        it."""
        bounds = self.page.columns["bounds"]
        spans: dict[int, list[tuple[int, int, Style, str]]] = {}
        for start, end, mark, name in self.tags.spans:
            if end <= start:
                continue
            style, link = STYLES.get(name, PLAIN), ""
            if name == "a":
                link = self.tags.resolve_url(self.tags.attributes(mark).get("href")) if self.config.links else ""
                if not link:
                    continue
            first = int(np.searchsorted(bounds, start, "right")) - 1
            stop = int(np.searchsorted(bounds, end, "left"))
            for block in np.flatnonzero(self.kept[first:stop]).tolist():
                spans.setdefault(first + block, []).append((start, end, style, link))
        return spans

    def _make_inlines(
        self, block: int, spans: Sequence[tuple[int, int, Style, str]], images: Sequence[tuple[int, Image]]
    ) -> tuple[Inline, ...]:
        """Return the runs of a block, its cuts left out and white space folded as in its text."""
        bounds, text = self.page.columns["bounds"], self.page.text(block)
        block_start, block_end = int(bounds[block]), int(bounds[block + 1])
        cuts = self.cuts.get(block, ())
        if not spans and not images and not cuts:
            return (TextRun(text),) if text else ()
        data = self.page.columns["text"][block_start:block_end].tobytes()

        def to_code_points(offset: int) -> int:
            return len(data[: max(offset - block_start, 0)].decode("utf-8", "replace"))

        styled = [(to_code_points(start), to_code_points(end), style, link) for start, end, style, link in spans]
        image_positions = [(to_code_points(offset), image) for offset, image in images]
        edges = {
            0,
            len(text),
            *(edge for row in styled for edge in row[:2]),
            *(offset for offset, _ in image_positions),
        }
        edges |= {edge for cut in cuts for edge in cut}
        ordered = sorted(edge for edge in edges if edge <= len(text))
        runs: list[Inline] = []
        for start, end in zip(ordered, [*ordered[1:], len(text)], strict=True):
            for image in (image for offset, image in image_positions if offset == start):
                runs += [TextRun(" "), image, TextRun(" ")]
            if start == end:
                continue
            if any(cut_start <= start and end <= cut_end for cut_start, cut_end in cuts):
                runs.append(TextRun(" "))
                continue
            covering = [row for row in styled if row[0] <= start and end <= row[1]]
            style = PLAIN
            for row in covering:
                style |= row[2]
            runs.append(TextRun(text[start:end], style, next((row[3] for row in covering[::-1] if row[3]), "")))
        return fold_spaces(runs, bool(cuts))

    # ------------------------------------------------------------------------------------------------------ images

    def _find_images(self) -> dict[int, list[Any]]:
        """Find images by the kept block that they are in; images before a block are entries of -1 - block."""
        starts, ends = (self.page.columns[name] for name in ("starts", "ends"))
        columns, images = self.tags.columns, dict[int, list[Any]]()
        urls: set[str] = set()
        for mark in self.tags.find_marks(_IMG, VOID):
            offset = int(columns["starts"][mark])
            block = int(np.searchsorted(starts, offset, "right")) - 1
            in_block = block >= 0 and offset < ends[block]
            element = int(columns["elements"][mark])
            if self._hidden[element] or not (self.kept[block] if in_block else self._is_in_main_text(block, element)):
                continue
            image = self._make_image(mark, element)
            if image is None or image.url in urls:
                continue
            urls.add(image.url)
            if in_block:
                images.setdefault(block, []).append((int(columns["at"][mark]), image))
            else:
                next_block = block + 1
                while next_block < len(self.kept) and not self.kept[next_block]:
                    next_block += 1
                images.setdefault(-next_block - 1, []).append(_Entry(self._container_chain(element), -1, (image,)))
        return images

    @lazy
    def _hidden(self) -> list[bool]:
        columns = self.page.columns
        return _blocks.inherit_values(columns["parents"], columns["hidden"]).astype(np.bool_).tolist()  # type: ignore[no-any-return]

    def _is_in_main_text(self, block: int, element: int) -> bool:
        """Return whether an image between blocks belongs to the main text: the blocks on both sides do, or all of the
        least element with a block that holds it."""
        neighbours = self.kept[max(block, 0) : block + 2]
        if not neighbours.any():
            return False
        if len(neighbours) == 2 and neighbours.all():
            return True
        first, last = self._block_ranges
        while element > 0 and first[element] < 0:
            element = self._parents[element]
        return bool(self.kept[first[element] : last[element] + 1].all())

    @lazy
    def _block_ranges(self) -> tuple[list[int], list[int]]:
        """Return the first and last block in each element, -1 where there is none."""
        first, last = [-1] * len(self._parents), [-1] * len(self._parents)
        for block, element in enumerate(self._block_elements):
            if first[element] < 0:
                first[element] = block
            last[element] = block
        for element in range(len(self._parents) - 1, 0, -1):  # parents come first
            parent = self._parents[element]
            if first[element] >= 0:
                first[parent] = min(first[element], first[parent]) if first[parent] >= 0 else first[element]
                last[parent] = max(last[element], last[parent])
        return first, last

    def _make_image(self, mark: int, element: int) -> Image | None:
        attributes = self.tags.attributes(mark)
        if any(
            (size := _parse_count(attributes.get(name, ""), 0)) and size < MIN_PIXELS for name in ("width", "height")
        ):
            return None
        lazy = next((attributes[name] for name in _LAZY_ATTRIBUTES if attributes.get(name)), None)
        url = (
            self.tags.resolve_url(lazy)
            or self.tags.resolve_url(attributes.get("src"))
            or self.tags.resolve_url(_first_address(attributes))
        )
        if not url:
            return None
        link = ""
        while self.config.links and element > 0 and not link:
            if self._names[element] == "a":
                link = self.tags.resolve_url(self.tags.element_attributes(element).get("href"))
            element = self._parents[element]
        return Image(url, " ".join(attributes.get("alt", "").split()), link)


def _first_address(attributes: Mapping[str, str]) -> str:
    """Return the first address of a ``srcset``."""
    return (attributes.get("srcset") or attributes.get("data-srcset") or "").strip().split(" ")[0].rstrip(",")


def _parse_count(text: str, default: int = 1) -> int:
    match = _DIGITS.match(text)
    return min(max(int(match[1]), default), 1000) if match else default


def _make_paragraphs(entries: Sequence[_Entry], kinds: Mapping[int, str]) -> Iterator[Paragraph]:
    """Yield a paragraph for each entry, but join those that go on after a line break and are of the same kind."""
    lines: list[Inline] = []
    kind = ""
    for entry in entries:
        own = kinds.get(entry.block, "")
        if lines and (not entry.continues or own != kind):
            yield Paragraph(tuple(lines), kind)
            lines = []
        elif lines:
            lines.append(LineBreak())
        lines += entry.inlines
        kind = own
    if lines:
        yield Paragraph(tuple(lines), kind)


def _join_entries(entries: Sequence[_Entry], separator: Inline) -> tuple[Inline, ...]:
    """Join the contents of several entries by a break or a blank."""
    lines: list[Inline] = []
    for entry in entries:
        lines += [separator, *entry.inlines] if lines else entry.inlines
    return tuple(lines)
