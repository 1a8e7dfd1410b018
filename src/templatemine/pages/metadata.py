"""Metadata of a page: title, authors, date, site, language, licence, tags, and more.

For each field JSON-LD is asked first, then Open Graph and other ``<meta>``, then microdata and ``rel``, then what is
shown.  Names of properties are data; the tags come from the scanner of blocks.  Linear in the page.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any
from urllib.parse import urlsplit

import numpy as np

from templatemine.pages import _blocks
from templatemine.pages.date_order import DateOrder
from templatemine.pages.declared import (
    EARLIEST_DATE,
    PUBLISHED,
    find_objects,
    is_article,
    normalise_published,
    parse_attributes,
    plain_text,
)
from templatemine.pages.lazy import lazy
from templatemine.pages.names import byline_names, find_licence, find_names, normalise_language
from templatemine.pages.page_dates import MAX_DATE_LENGTH, ends_in_change, find_dates
from templatemine.pages.page_tags import CLOSE, OPEN, VOID, PageTags
from templatemine.pages.scanner import TAG_NAMES, group_mask
from templatemine.pages.title_and_date import find_labelled_date
from templatemine.text.characters import TITLE_SEPARATOR


@dataclass(frozen=True, slots=True, kw_only=True)
class Metadata:
    """The metadata of a page, see `Extraction.metadata`; missing values are None or empty.

    Attributes
    ----------
    title : str or None
        Declared, else shown.
    authors : tuple of str
        Names of persons and newsrooms.
    date, modified : str or None
        Of publication and of the last change, in ISO 8601.
    site : str or None
        Name of the site or publisher.
    language : str or None
        The declared one, never guessed, in BCP 47: "pt-BR".
    licence, licence_url : str or None
        "CC BY-SA 4.0", or the words of the link.
    tags, categories : tuple of str
    description : str or None
    url : str or None
        The canonical address, else that of the record.
    image : str or None
    kind : str or None
        The declared type: of schema.org, else ``og:type``.
    """

    title: str | None = None
    authors: tuple[str, ...] = ()
    date: str | None = None
    modified: str | None = None
    site: str | None = None
    language: str | None = None
    licence: str | None = None
    licence_url: str | None = None
    tags: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()
    description: str | None = None
    url: str | None = None
    image: str | None = None
    kind: str | None = None

    def as_dict(self) -> dict[str, Any]:
        """Give the metadata as JSON holds it."""
        values = {field.name: getattr(self, field.name) for field in fields(self)}
        return {name: list(value) if isinstance(value, tuple) else value for name, value in values.items() if value}


@dataclass(frozen=True, slots=True, kw_only=True)
class VisibleMetadata:
    """Metadata that the page shows its readers: title, whether it is much as ``<title>``, date, and lines about both.

    `containers` are the elements that hold the beginning of the main text, `head_region` the start and end of the lines
    in the text of the blocks, `story_region` those of the main text with the block right before it.
    """

    title: str | None = None
    matches_title: bool = False
    date: str | None = None
    head_lines: tuple[str, ...] = ()
    containers: Sequence[int] = ()
    head_region: tuple[int, int] = (0, 0)
    story_region: tuple[int, int] = (0, 0)


META_NAMES: Mapping[str, tuple[str, ...]] = {
    "title": ("og:title", "dc.title", "dcterms.title", "citation_title", "headline", "parsely-title", "sailthru.title",
              "twitter:title", "title"),
    "authors": ("citation_author", "parsely-author", "sailthru.author", "dc.creator", "dcterms.creator", "dc.author",
                "article:author", "og:article:author", "og:author", "author", "byl", "rbauthors", "creator"),
    "date": (*PUBLISHED, "dc.created", "dc.issued", "og:published_time", "og:datepublished", "publish_date", "created",
             "datecreated", "article_date_original"),
    "modified": ("article:modified_time", "og:updated_time", "datemodified", "dateupdate", "dcterms.modified",
                 "dc.date.modified", "lastmod", "last-modified"),
    "site": ("og:site_name", "application-name", "citation_journal_title", "dc.publisher", "dcterms.publisher",
             "publisher", "apple-mobile-web-app-title"),
    "language": ("content-language", "dc.language", "dcterms.language", "citation_language", "language", "og:locale"),
    "licence": ("dcterms.license", "dc.rights.license", "dcterms.rights", "dc.rights", "license"),
    "tags": ("article:tag", "og:article:tag", "news_keywords", "citation_keywords", "parsely-tags", "sailthru.tags",
             "keywords"),
    "categories": ("article:section", "og:article:section", "parsely-section", "cxenseparse:category"),
    "description": ("og:description", "description", "dc.description", "dcterms.abstract", "twitter:description",
                    "sailthru.description"),
    "url": ("og:url", "twitter:url", "citation_abstract_html_url"),
    "image": ("og:image", "og:image:url", "og:image:secure_url", "twitter:image", "twitter:image:src", "thumbnail"),
    "kind": ("og:type",),
}  # fmt: skip
"""Names (property, itemprop, name or http-equiv) of ``<meta>``, the surest first."""

SCHEMA_PROPERTIES: Mapping[str, tuple[str, ...]] = {
    "title": ("headline", "name"),
    "authors": ("author", "creator"),
    "date": ("datePublished", "dateCreated"),
    "modified": ("dateModified",),
    "site": ("publisher", "sourceOrganization"),
    "language": ("inLanguage",),
    "licence": ("license",),
    "tags": ("keywords",),
    "categories": ("articleSection", "genre"),
    "description": ("description", "abstract"),
    "url": ("url", "mainEntityOfPage"),
    "image": ("image", "thumbnailUrl"),
}
"""Properties of schema.org, in JSON-LD and in microdata."""

_ASIDE_GROUPS = ("comment", "side", "related", "foot", "quote", "caption", "nav", "advert")
_ASIDE_MASK = group_mask(*_ASIDE_GROUPS)
_ASIDE_TAGS = ("figure", "aside", "nav", "footer")
_META_MASK = group_mask("meta")

_TAG_WORDS = (
    b"itemprop rel= datetime author byline by-line writer autor auteur username submitted vcard publi posted date fecha"
    b" datum timestamp creativecommons /tag/ /tags/ category/ categories/ /by/ /people/ /person/ /profile contributor"
    b" /staff/ journalist"
).split()
"""Words of the tags that are read; looked for one by one, which is ten times as fast as by one expression."""
_AUTHOR_NAME = re.compile(r"author|byline|by-line|writer|\bautor|auteur|submitted[_-]by|\busername", re.IGNORECASE)
_NO_AUTHOR_NAME = re.compile(
    r"bio|about|avatar|ima?ge?\b|photo|social|comment|\bbox|count|e-?mail|twitter|date|profile|desc|follow|more|related",
    re.IGNORECASE,
)
_PERSON_PATH = re.compile(
    r"/(?:authors?|by|byline|people|person|profiles?|contributors?|staff|writers?|journalists?|autor(?:en|es)?|auteurs?)/"
)
_DATE_NAME = re.compile(r"publi|posted|fecha|datum|timestamp|(?<!up)(?<!vali)date(?!picker)|created", re.IGNORECASE)
_CHANGE_NAME = re.compile(r"(?:^|[\s_-])(?:updated?|modified|dateupdated?|datemodified|lastmod)\b", re.IGNORECASE)
_DATE_OR_CHANGE_NAME = re.compile(rf"{_DATE_NAME.pattern}|{_CHANGE_NAME.pattern}", re.IGNORECASE)
_URL_DATE = re.compile(
    r"/((?:19|20)\d\d)[/-](\d{1,2})[/-](\d{1,2})(?=[/-]|$)|[/_-]((?:19|20)\d\d)(\d\d)(\d\d)(?=[/_.-]|$)"
)
_HOST = re.compile(r"(?:[\w-]+\.)+[a-z]{2,10}", re.IGNORECASE)
_THE = re.compile(r"^the\s+(?=\w)", re.IGNORECASE)
_LETTERS = re.compile(r"[\W_]+")
_SEPARATOR = re.compile(r"\s*[,;|、，]\s*")
_COMMONS = re.compile(r"creativecommons\.org/(?:licenses|publicdomain)/")
_HANDLE = re.compile(r"^@\w+$|^https?://|^\d+$")
_SPACES = re.compile(r"\s+")
_TERM_PATHS = {
    "tag": re.compile(r"/(?:tags?|topics?|labels?)/"),
    "category": re.compile(r"/(?:categor(?:y|ies)|rubrik|kategorie)/"),
}
MAX_TERM_LENGTH = 300
"""Characters of an element that is read for a name, a tag or a date."""
LABEL_BYTES = 40
"""Bytes before a date that are searched for its label."""
MAX_ELEMENTS = 100
"""Elements of one kind that are read."""

_TEXT_FIELDS = frozenset(["title", "site", "description", "tags", "categories"])
"""Fields that are text, which may be escaped."""

_DatedElement = tuple[str, dict[str, str]]

_META, _LINK, _TAG_HTML, _H1 = (TAG_NAMES.index(name) for name in ("meta", "link", "html", "h1"))


def read_metadata(tags: PageTags, visible: VisibleMetadata, url: str | None = None) -> Metadata:
    """Read the metadata that a page declares or shows; `url` is the address it came from."""
    return _Reader(tags, visible, url).metadata()


class _Reader:
    def __init__(self, tags: PageTags, visible: VisibleMetadata, url: str | None) -> None:
        self.tags, self.page, self.visible, self.page_url = tags, tags.page, visible, url

    def metadata(self) -> Metadata:
        site = self._first_text(self._site_names()) or self._find_shown_site()
        licence, licence_url = find_licence(self._licences())
        address = self._first_text(self.tags.resolve_url(value) for value in self._addresses()) or self.page_url or None
        return Metadata(
            title=_remove_site_name(self._first_text(self._values("title")), self._is_site) or self._find_shown_title(),
            authors=self._authors(),
            date=self._first_text(self._dates()),
            modified=self._first_text(self._changes()),
            site=site,
            language=self._first_text(normalise_language(value) or "" for value in self._languages()),
            licence=licence,
            licence_url=licence_url,
            tags=self._read_terms("tags", "tag"),
            categories=self._read_terms("categories", "category"),
            description=self._first_text(self._values("description")),
            url=address,
            image=self._first_text(self.tags.resolve_url(value) for value in self._values("image")),
            kind=self._first_text(self._kinds()),
        )

    @staticmethod
    def _first_text(texts: Iterable[str]) -> str | None:
        return next((folded for text in texts if text and (folded := _SPACES.sub(" ", text).strip())), None)

    # ---------------------------------------------------------------------------------------------------- declared

    @lazy
    def _objects(self) -> list[dict[str, Any]]:
        return list(find_objects(self.page.data))

    @lazy
    def _objects_by_id(self) -> dict[str, dict[str, Any]]:
        """Return objects by their @id, the one that says most."""
        by_id: dict[str, dict[str, Any]] = {}
        for thing in self._objects:
            key = thing.get("@id")
            if isinstance(key, str) and len(thing) > len(by_id.get(key, ())):
                by_id[key] = thing
        return by_id

    @lazy
    def _article(self) -> dict[str, Any]:
        return next(filter(is_article, self._objects), {})

    @lazy
    def _meta_values(self) -> dict[str, list[str]]:
        """Return the contents of ``<meta>``, by name in lower case."""
        contents: dict[str, list[str]] = {}
        for mark in self.tags.find_marks(_META, VOID)[: 10 * MAX_ELEMENTS]:
            attributes = self.tags.attributes(mark)
            content = (attributes.get("content") or attributes.get("datetime") or "").strip()
            for key in ("property", "itemprop", "name", "http-equiv"):
                if content and (name := attributes.get(key, "").lower()):
                    contents.setdefault(name.replace("dcterms:", "dcterms.").replace("dc:", "dc."), []).append(content)
        return contents

    def _values(self, field: str) -> Iterator[str]:
        """List the values of a field in JSON-LD, ``<meta>`` and microdata, in this order."""
        for name in SCHEMA_PROPERTIES.get(field, ()):
            yield from self._strings(self._article.get(name))
        for name in META_NAMES.get(field, ()):
            yield from map(_plain, self._meta_values.get(name, ()) if field in _TEXT_FIELDS else ())
            yield from self._meta_values.get(name, ()) if field not in _TEXT_FIELDS else ()
        for name in SCHEMA_PROPERTIES.get(field, ()):
            if field in ("title", "site", "url"):
                continue  # those of the parts of a page say the same
            yield from (text for text, _ in self._microdata.get(name.lower(), ()))

    def _strings(self, value: Any, depth: int = 0) -> Iterator[str]:
        """Yield the texts of a property: itself, or the names of its objects."""
        if isinstance(value, str):
            yield _plain(value)
        elif isinstance(value, list) and depth < 3:
            for item in value[:MAX_ELEMENTS]:
                yield from self._strings(item, depth + 1)
        elif isinstance(value, dict) and depth < 3:
            full = self._objects_by_id.get(str(value.get("@id")), value)
            for name in ("@value", "name", "url", "@id"):
                if isinstance(named := value.get(name) or full.get(name), str | list):
                    yield from self._strings(named, depth + 1)
                    return

    def _find_shown_title(self) -> str | None:
        """Return the only h1, if half of it is in ``<title>`` or nothing is more like that; else the headline, if it
        is; else ``<title>`` up to the name of the site, which usually follows."""
        title_text, visible_title = self.page.title, self.visible.title
        if not title_text or _HOST.fullmatch(title_text):
            return visible_title
        headings = [text for mark in self.tags.find_marks(_H1, OPEN) if (text := self.tags.text(mark))]
        if len(headings) == 1 and (not self.visible.matches_title or _shares_half(headings[0], title_text)):
            return headings[0]
        if self.visible.matches_title:
            return visible_title
        parts = (part.strip() for part in TITLE_SEPARATOR.split(title_text))
        return next((part for part in parts if part and not self._is_site(part)), visible_title)

    def _is_site(self, text: str) -> bool:
        """Return whether a text is the name of the site, as it is declared or in its address."""
        name = _fold_name(_THE.sub("", text))
        return bool(name) and (name in self._folded_site_names or name in self._host_parts)

    @lazy
    def _folded_site_names(self) -> frozenset[str]:
        return frozenset(_fold_name(_THE.sub("", name)) for name in self._site_names()) - {""}

    @lazy
    def _host_parts(self) -> frozenset[str]:
        """Return runs of labels of the host, such as "bbc" and "bbccouk"; no name is shorter than three letters."""
        address = next(
            (candidate for candidate in (*map(self.tags.resolve_url, self._addresses()), self.page_url) if candidate),
            "",
        )
        try:
            host = urlsplit(address).hostname or ""
        except ValueError:  # no address at all
            host = ""
        labels = [_fold_name(candidate) for candidate in host.split(".") if candidate != "www"]
        size = len(labels)
        runs = ("".join(labels[start:end]) for start in range(size) for end in range(start + 1, size + 1))
        return frozenset(run for run in runs if len(run) > 2)

    def _site_names(self) -> Iterator[str]:
        yield from self._meta_values.get("og:site_name", ())
        yield from (name for name in self._meta_values.get("article:publisher", ()) if not _HANDLE.match(name))
        yield from (name for name in self._strings(self._article.get("publisher")) if not _HANDLE.match(name))
        for name in self._objects:
            if name.get("@type") == "WebSite":
                yield from self._strings(name.get("name"))
        yield from (name for name in self._values("site") if not _HANDLE.match(name))

    def _find_shown_site(self) -> str | None:
        """Return the part of ``<title>`` that is in the address of the page, or is one."""
        parts = (
            [part.strip() for part in TITLE_SEPARATOR.split(self.page.title)]
            if TITLE_SEPARATOR.search(self.page.title)
            else []
        )
        named = (part for part in parts[::-1] if self._is_site(part) or _HOST.fullmatch(part))
        return next(named, None)

    def _addresses(self) -> Iterator[str]:
        yield from (
            attributes.get("href", "")
            for attributes in self._links
            if "canonical" in attributes.get("rel", "").lower().split()
        )
        yield from (address for address in self._values("url") if "://" in address)

    @lazy
    def _links(self) -> list[dict[str, str]]:
        return [self.tags.attributes(mark) for mark in self.tags.find_marks(_LINK, VOID)[: 10 * MAX_ELEMENTS]]

    def _languages(self) -> Iterator[str]:
        for mark in self.tags.find_marks(_TAG_HTML, OPEN)[:1]:
            attributes = self.tags.attributes(mark)
            yield from (attributes.get(name, "") for name in ("lang", "xml:lang"))
        yield from self._values("language")

    def _kinds(self) -> Iterator[str]:
        for thing in (self._article, *self._objects[:1]):
            yield from (kind.rpartition("/")[2] for kind in self._strings(thing.get("@type")))
        yield from self._values("kind")

    def _licences(self) -> Iterator[tuple[str, str]]:
        """Yield words and address of each licence that is named."""
        for licence in self._strings(self._article.get("license")):
            yield ("", licence) if "://" in licence else (licence, "")
        yield from (
            ("", attributes.get("href", ""))
            for attributes in self._links
            if "license" in attributes.get("rel", "").lower().split()
        )
        for text, attributes in self._rel_links:
            if "license" in attributes.get("rel", "").lower().split():
                yield text, self.tags.resolve_url(attributes.get("href"))
        in_footer = self._inside_groups(group_mask("foot"), ("footer",))
        for text, attributes, mark, _ in self._elements:
            if _COMMONS.search(attributes.get("href", "")) and in_footer[self.tags.columns["elements"][mark]]:
                yield text, attributes["href"]
        for name in META_NAMES["licence"]:
            for licence in self._meta_values.get(name, ()):
                yield ("", licence) if "://" in licence else (licence, "")

    def _dates(self) -> Iterator[str]:
        if self._article:
            yield from self._declared_dates(self._article)
        for name in META_NAMES["date"]:
            yield from (normalise_published(value) or "" for value in self._meta_values.get(name, ()))
        for value in self._objects:  # a page, a recipe, a film
            yield from self._declared_dates(value)
        yield from (normalise_published(text) or "" for text, _ in self._microdata.get("datepublished", ()))
        near, far = self._dated_elements
        yield from self._marked_dates(filter(_is_publication, near))
        yield self.visible.date or ""
        yield from self._marked_dates(near)
        for times in (filter(_is_publication, far), (value for value in far if value[1].get("datetime"))):
            yield from self._marked_dates(times)
        yield from (date for date, change in self._head_dates if not change)
        yield from (date for date, _ in self._head_dates)
        for address in (self.page_url, *self._addresses()):
            yield from (
                normalise_published("-".join(filter(None, parts))) or "" for parts in _URL_DATE.findall(address or "")
            )

    def _declared_dates(self, thing: Mapping[str, Any]) -> Iterator[str]:
        yield from (
            normalise_published(text) or ""
            for name in SCHEMA_PROPERTIES["date"]
            for text in self._strings(thing.get(name))
        )

    def _changes(self) -> Iterator[str]:
        yield from (normalise_published(value) or "" for value in self._values("modified"))
        yield from self._marked_dates(filter(_is_change, self._dated_elements[0]))
        yield from (date for date, change in self._head_dates if change)
        yield find_labelled_date(self.page, self._order, change=True) or ""

    def _marked_dates(self, elements: Iterable[_DatedElement]) -> Iterator[str]:
        """Yield the dates of elements that hold one: from an attribute, else from their text."""
        for text, attributes in elements:
            yield from (
                normalise_published(attributes.get(name, "")) or "" for name in ("datetime", "content", "title")
            )
            shown = next((date for date, _ in find_dates(text[:MAX_DATE_LENGTH], self._order, short=True)), "")
            yield shown if shown >= EARLIEST_DATE else ""

    @lazy
    def _order(self) -> DateOrder:
        return DateOrder(self.page)

    @lazy
    def _head_dates(self) -> list[tuple[str, bool]]:
        """Return the dates in lines at the head, and whether each is that of a change."""
        return [
            date
            for line in self.visible.head_lines
            if len(line) <= MAX_DATE_LENGTH
            for date in find_dates(line, self._order)
        ]

    # --------------------------------------------------------------------------------------------------- in the body

    @lazy
    def _elements(self) -> list[tuple[str, dict[str, str], int, str]]:
        """Return text, attributes, place and name of elements whose tag says something of author, date or tags."""
        columns, data = self.tags.columns, self.page.data
        shown = np.flatnonzero(columns["kinds"] <= VOID)
        shown = shown[columns["kinds"][shown] != CLOSE]
        starts, ends = columns["starts"][shown], columns["ends"][shown]
        offsets = np.array(list(_find_tag_words(data.lower())), np.int64)
        if not len(offsets) or not len(shown):
            return []
        tag_indices = np.searchsorted(starts, offsets, "right") - 1
        tag_indices = np.unique(tag_indices[(tag_indices >= 0) & (offsets < ends[tag_indices])])
        is_aside = self._inside_groups(_ASIDE_MASK, _ASIDE_TAGS)
        elements = []
        for mark in shown[tag_indices].tolist():
            tag, element, source = int(columns["tags"][mark]), int(columns["elements"][mark]), self._tag_source(mark)
            if tag in (_META, _LINK) and columns["kinds"][mark] == VOID and "itemprop" not in source:
                continue
            attributes = parse_attributes(source)
            link = attributes.get("rel", "") + attributes.get("href", "")
            if element > 0 and is_aside[element] and "license" not in link:
                continue
            if "pubdate" not in attributes and re.search(r"\spubdate\b", source):
                attributes["pubdate"] = ""
            elements.append(
                (self.tags.text(mark), attributes, mark, TAG_NAMES[tag] if tag else self.tags.tag_name(mark))
            )
        return elements

    def _inside_groups(self, groups: int, names: Sequence[str]) -> Any:
        """Return whether each element, or one around it, is of some groups or has one of some names."""
        columns = self.page.columns
        is_member = (columns["groups"] & groups) > 0
        if groups == _ASIDE_MASK:  # what holds the main text is no part of what is around it
            is_member[list(self.visible.containers)] = False
        if names:
            is_member = is_member | np.isin(columns["tags"], [TAG_NAMES.index(name) for name in names])
        return _blocks.inherit_values(columns["parents"], is_member.astype(np.uint8))

    def _tag_source(self, mark: int) -> str:
        columns = self.tags.columns
        return self.page.source(int(columns["starts"][mark]), int(columns["ends"][mark])).decode("utf-8", "replace")

    @property
    def _rel_links(self) -> Iterator[tuple[str, dict[str, str]]]:
        """Yield text and attributes of links with a ``rel``."""
        return ((text, attributes) for text, attributes, _, _ in self._elements if "rel" in attributes)

    @lazy
    def _microdata(self) -> dict[str, list[tuple[str, int]]]:
        """Return the text and mark index of each property of microdata."""
        properties: dict[str, list[tuple[str, int]]] = {}
        for text, attributes, mark, tag in self._elements:
            value = (
                attributes.get("content")
                or attributes.get("datetime")
                or (attributes.get("href", "") if tag == "link" else "")
                or text
            )
            for name in attributes.get("itemprop", "").lower().split():
                if value:
                    properties.setdefault(name, []).append((value, mark))
        return properties

    @lazy
    def _dated_elements(self) -> tuple[list[_DatedElement], list[_DatedElement]]:
        """Return text and attributes of elements that hold a date: those at the head of the story, and others."""
        start, end = self.visible.head_region
        end = max(end, start + 1)  # a page without a text has a head all the same
        offsets = self.tags.columns["at"]
        near, far = list[_DatedElement](), list[_DatedElement]()
        for text, attributes, mark, tag in self._elements:
            if tag == "time" or (
                len(text) <= MAX_DATE_LENGTH and _DATE_OR_CHANGE_NAME.search(attributes.get("class", ""))
            ):
                is_near = start <= offsets[mark] < end
                if is_near and self._follows_change(int(offsets[mark])):
                    attributes = {**attributes, "change": ""}
                (near if is_near else far).append((text, attributes))
        return near, far

    def _follows_change(self, offset: int) -> bool:
        """Return whether the line up to an offset in the text of the page ends in a label of a change: "Updated: "."""
        bounds = self.page.columns["bounds"]
        block = int(np.searchsorted(bounds, offset, "right")) - 1
        start = max(int(bounds[max(block, 0)]), offset - LABEL_BYTES)
        return ends_in_change(self.page.columns["text"][start:offset].tobytes().decode("utf-8", "ignore"))

    def _read_terms(self, field: str, rel: str) -> tuple[str, ...]:
        terms: dict[str, None] = {}
        declared = list(self._values(field))
        # The rel of a category is "category tag".
        linked = [
            text for text, attributes in self._rel_links if _is_rel(attributes.get("rel", "").lower().split(), rel)
        ]
        if not declared and not linked:
            linked = [
                text
                for text, attributes, mark, tag in self._elements
                if tag == "a"
                and self._in_meta[self.tags.columns["elements"][mark]]
                and _TERM_PATHS[rel].search(attributes.get("href", ""))
            ]
        for text in (*declared, *linked):
            for term in _SEPARATOR.split(_SPACES.sub(" ", _plain(text)).strip()):
                if term and len(term) <= MAX_TERM_LENGTH and not _HANDLE.match(term):
                    terms.setdefault(term)
        return tuple(list(terms)[:MAX_ELEMENTS])

    @lazy
    def _in_meta(self) -> Any:
        return self._inside_groups(_META_MASK, ())

    def _authors(self) -> tuple[str, ...]:
        """Return the first names that are given; where that is the site itself, who signs below the headline
        instead."""
        for source in self._declared_authors():
            if names := find_names(source, declared=True):
                house = all(map(self._is_site, names)) and not self._is_person
                return (self._byline if house else ()) or names
        return next(filter(None, self._shown_authors()), ())

    @property
    def _is_person(self) -> bool:
        """Return whether JSON-LD says that the author is a person: the site may be named after one."""
        authors = self._article.get("author")
        return any(
            isinstance(author, dict) and author.get("@type") == "Person"
            for author in (authors if isinstance(authors, list) else [authors])
        )

    @property
    def _byline(self) -> tuple[str, ...]:
        return find_names([match[1] for line in self.visible.head_lines if (match := _BYLINE.search(line))][:1])

    def _declared_authors(self) -> Iterator[Sequence[str]]:
        """List the authors that are declared for machines, the surest first."""
        for name in SCHEMA_PROPERTIES["authors"]:
            authors = _persons_first(self._article.get(name))
            yield [author for author in self._strings(authors) if not _HANDLE.match(author)]
        for name in META_NAMES["authors"]:
            yield [author for author in self._meta_values.get(name, ()) if not _HANDLE.match(author)]

    def _shown_authors(self) -> Iterator[tuple[str, ...]]:
        """List the authors that are named for readers."""
        yield find_names(self._microdata_authors())
        yield self._linked_authors()
        candidates = [
            (mark, tag == "author" or bool(_NAMED_AUTHOR.search(name)))
            for _, attributes, mark, tag in self._elements
            if tag == "author"
            or (
                _AUTHOR_NAME.search(name := " ".join(attributes.get(attribute, "") for attribute in _NAME_ATTRIBUTES))
                and not _NO_AUTHOR_NAME.search(name)
            )
        ]
        for surest in (True, False):
            yield from (byline_names(self.tags.lines(mark)) for mark, sure in candidates if sure is surest)
        start, end = self.visible.head_region
        offsets = self.tags.columns["at"]
        for text, attributes, mark, tag in self._elements:
            if (
                tag == "a"
                and start <= offsets[mark] < end
                and _PERSON_PATH.search(attributes.get("href", ""))
                and len(text) <= 60
            ):
                yield find_names([text])
        yield self._byline
        if not self._article:
            people = (attribute for attribute in self._objects if attribute.get("@type") == "Person")
            yield find_names(
                [text for attribute in people for text in self._strings(attribute.get("name"))], declared=True
            )

    def _linked_authors(self) -> tuple[str, ...]:
        """List those who are linked as authors: of several links those beside the story, as those of teasers name their
        own."""
        links = [
            (text, start)
            for text, attributes, mark, _ in self._elements
            if "author" in attributes.get("rel", "").lower().split()
            and (start := int(self.tags.columns["at"][mark])) >= 0
        ]
        begin, end = self.visible.story_region
        near = [text for text, start in links if begin <= start < end]
        return find_names(near or [text for text, _ in links])

    def _microdata_authors(self) -> list[str]:
        """Return authors in microdata: the name within, else all of it."""
        names = self._microdata.get("name", [])
        authors = []
        for text, mark in self._microdata.get("author", ()):
            last = self.tags.end_mark(mark)
            inner = [name for name, name_mark in names if mark <= name_mark < last]
            authors.append(inner[0] if inner else text)
        return authors


_ORGANISATION = "Organization"
"""In the names of types of schema.org."""
_NAME_ATTRIBUTES = ("class", "id", "data-component", "data-testid")
_NAMED_AUTHOR = re.compile(
    r"(?:author|byline|writer|autor)s?(?:[-_]{0,2}(?:name|link|title|url))?(?:\s|$)", re.IGNORECASE
)
_BYLINE = re.compile(
    r"(?:^|[\s|•·,-])(?:(?i:by|von|par|por|di|door|av|af|autor|text|words by|written by|posted by)\b[:\s]\s*)"
    r"((?:[A-Z\u00c0-\u00de]|[^\W\d_a-zA-Z\u00df-\u00ff]).*)$"
)


def _find_tag_words(data: bytes) -> Iterator[int]:
    """Yield offsets of the words of `_TAG_WORDS`."""
    for word in _TAG_WORDS:
        offset = data.find(word)
        while offset >= 0:
            yield offset
            offset = data.find(word, offset + 1)


def _is_publication(element: _DatedElement) -> bool:
    """Return whether an element names its date after the publication of the page."""
    return "pubdate" in element[1] or _DATE_NAME.search(element[1].get("class", "")) is not None


def _is_change(element: _DatedElement) -> bool:
    """Return whether an element names its date after a change of the page, or the text before it does."""
    return _CHANGE_NAME.search(element[1].get("class", "")) is not None or "change" in element[1]


def _plain(text: str) -> str:
    """Return a text without tags and references, which systems escape once more than they should."""
    for _ in range(2):
        if not ("<" in text or "&" in text) or (plain := plain_text(text)) == text:
            break
        text = plain
    return text


def _shares_half(text: str, title: str) -> bool:
    words = text.casefold().split()
    return 2 * len(set(words).intersection(title.casefold().split())) >= len(set(words))


def _persons_first(authors: Any) -> Any:
    """Return authors without organisations, where persons are named beside them."""
    if not isinstance(authors, list):
        return authors
    persons = [
        author for author in authors if not (isinstance(author, dict) and _ORGANISATION in str(author.get("@type")))
    ]
    return persons or authors


def _is_rel(words: Sequence[str], rel: str) -> bool:
    return rel in words and (rel == "category" or "category" not in words)


def _fold_name(text: str) -> str:
    """Return the letters and digits of a text, by which names are compared."""
    return _LETTERS.sub("", text).casefold()


def _remove_site_name(title: str | None, is_site: Callable[[str], bool]) -> str | None:
    """Return a title without the name of the site behind or before it."""
    separators = list(TITLE_SEPARATOR.finditer(title or ""))
    if title and separators:
        if is_site(title[separators[-1].end() :]):
            return title[: separators[-1].start()].strip() or title
        if is_site(title[: separators[0].start()]):
            return title[separators[0].end() :].strip() or title
    return title
