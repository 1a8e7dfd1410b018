"""What a page says of itself: title, authors, date, site, language, licence, tags, and more.

For each field JSON-LD is asked first, then Open Graph and other ``<meta>``, then microdata and ``rel``, then what is
shown.  Names of properties are data; the tags come from the scanner of blocks.  Linear in the page.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any
from urllib.parse import urlsplit

import numpy as np

from templatemine.pages import _html, _model
from templatemine.pages.about import EARLIEST, PUBLISHED, is_article, labelled, objects, published
from templatemine.pages.date_order import DateOrder
from templatemine.pages.names import language_of, licence_of, names_of, signed
from templatemine.pages.outline import plain
from templatemine.pages.page_dates import LONGEST, stated
from templatemine.pages.page_tags import CLOSE, OPEN, VOID, Tags
from templatemine.pages.scanner import GROUPS

__all__ = ["Metadata", "Seen", "metadata_of"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Metadata:
    """What a page says of itself; what it does not say is None or empty.

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
        Declared, never guessed, as BCP 47 has it: "pt-BR".
    licence, licence_url : str or None
        "CC BY-SA 4.0", or the words of the link.
    tags, categories : tuple of str
    description : str or None
    url : str or None
        The canonical address, else that of the record.
    image : str or None
    kind : str or None
        What it declares to be: a type of schema.org, else ``og:type``.
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
        """What the page says, as JSON holds it."""
        found = {one.name: getattr(self, one.name) for one in fields(self)}
        return {name: list(value) if isinstance(value, tuple) else value for name, value in found.items() if value}


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """What stands on the page for its readers: title, whether it is much as ``<title>``, date, and lines about both.

    `around` are the elements that hold the beginning of the main text, `region` the place of the lines in the text of
    the blocks.
    """

    title: str | None = None
    alike: bool = False
    date: str | None = None
    head: tuple[str, ...] = ()
    around: Sequence[int] = ()
    region: tuple[int, int] = (0, 0)


META: Mapping[str, tuple[str, ...]] = {
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

LINKED: Mapping[str, tuple[str, ...]] = {
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

_ASIDE = ("comment", "side", "related", "foot", "quote", "caption", "nav", "advert")
_MASK = np.uint32(sum(1 << list(GROUPS).index(name) for name in _ASIDE))
_ASIDE_TAGS = ("figure", "aside", "nav", "footer")
_OWN = np.uint32(1 << list(GROUPS).index("meta"))

_WHERE = (
    b"itemprop rel= datetime author byline by-line writer autor auteur username submitted vcard publi posted date fecha"
    b" datum timestamp creativecommons /tag/ /tags/ category/ categories/ /by/ /people/ /person/ /profile contributor"
    b" /staff/ journalist"
).split()
"""What stands in tags that are read; looked for one by one, which is ten times as fast as by one expression."""
_SIGNED = re.compile(r"author|byline|by-line|writer|\bautor|auteur|submitted[_-]by|\busername", re.IGNORECASE)
_UNSIGNED = re.compile(
    r"bio|about|avatar|ima?ge?\b|photo|social|comment|\bbox|count|e-?mail|twitter|date|profile|desc|follow|more|related",
    re.IGNORECASE,
)
_PERSON = re.compile(
    r"/(?:authors?|by|byline|people|person|profiles?|contributors?|staff|writers?|journalists?|autor(?:en|es)?|auteurs?)/"
)
_DATED = re.compile(r"publi|posted|fecha|datum|timestamp|(?<!up)(?<!vali)date(?!picker)|created", re.IGNORECASE)
_CHANGED = re.compile(r"(?:^|[\s_-])(?:updated?|modified|dateupdated?|datemodified|lastmod)\b", re.IGNORECASE)
_MARKED = re.compile(rf"{_DATED.pattern}|{_CHANGED.pattern}", re.IGNORECASE)
_URL_DATE = re.compile(
    r"/((?:19|20)\d\d)[/-](\d{1,2})[/-](\d{1,2})(?=[/-]|$)|[/_-]((?:19|20)\d\d)(\d\d)(\d\d)(?=[/_.-]|$)"
)
_SIGNS = r"(?:[-–—|·•:»«~]|--|::|//)"
"""What parts a title from the name of the site."""
_PART = re.compile(rf"\s+{_SIGNS}\s+|\s*[|»｜]\s*")
_HOST = re.compile(r"(?:[\w-]+\.)+[a-z]{2,10}", re.IGNORECASE)
_ARTICLE = re.compile(r"^the\s+(?=\w)", re.IGNORECASE)
_LETTERS = re.compile(r"[\W_]+")
_SEPARATOR = re.compile(r"\s*[,;|、，]\s*")
_COMMONS = re.compile(r"creativecommons\.org/(?:licenses|publicdomain)/")
_HANDLE = re.compile(r"^@\w+$|^https?://|^\d+$")
_SPACES = re.compile(r"\s+")
_FILED = {
    "tag": re.compile(r"/(?:tags?|topics?|labels?)/"),
    "category": re.compile(r"/(?:categor(?:y|ies)|rubrik|kategorie)/"),
}
LONG = 300
"""Characters of an element that is read for a name, a tag or a date."""
MANY = 100
"""Elements of one kind that are read."""

_Time = tuple[str, dict[str, str]]

NAMES = [name for name, _ in _html.TAGS]
_META, _LINK, _TAG_HTML, _H1 = (NAMES.index(name) for name in ("meta", "link", "html", "h1"))


def metadata_of(tags: Tags, seen: Seen, url: str | None = None) -> Metadata:
    """What a page says of itself; `url` is the address it came from."""
    return _Reader(tags, seen, url).metadata()


class _Reader:
    def __init__(self, tags: Tags, seen: Seen, url: str | None) -> None:
        self.tags, self.page, self.seen, self.given = tags, tags.page, seen, url

    def metadata(self) -> Metadata:
        site = self._first(self._site()) or self._shown_site()
        licence, licence_url = licence_of(self._licences())
        address = self._first(self.tags.address(one) for one in self._addresses()) or self.given or None
        return Metadata(
            title=_untitled(self._first(self._titles()), self._is_site) or self._shown_title(),
            authors=self._authors(),
            date=self._first(self._dates()),
            modified=self._first(self._changes()),
            site=site,
            language=self._first(language_of(one) or "" for one in self._languages()),
            licence=licence,
            licence_url=licence_url,
            tags=self._terms("tags", "tag"),
            categories=self._terms("categories", "category"),
            description=self._first(self._said("description")),
            url=address,
            image=self._first(self.tags.address(one) for one in self._said("image")),
            kind=self._first(self._kinds()),
        )

    @staticmethod
    def _first(found: Iterable[str]) -> str | None:
        return next((folded for one in found if one and (folded := _SPACES.sub(" ", one).strip())), None)

    # ---------------------------------------------------------------------------------------------------- declared

    @cached_property
    def _objects(self) -> list[dict[str, Any]]:
        return list(objects(self.page.data))

    @cached_property
    def _named(self) -> dict[str, dict[str, Any]]:
        """Objects by their @id, the one that says most."""
        found: dict[str, dict[str, Any]] = {}
        for one in self._objects:
            key = one.get("@id")
            if isinstance(key, str) and len(one) > len(found.get(key, ())):
                found[key] = one
        return found

    @cached_property
    def _article(self) -> dict[str, Any]:
        return next(filter(is_article, self._objects), {})

    @cached_property
    def _meta(self) -> dict[str, list[str]]:
        """What ``<meta>`` says, by name in lower case."""
        found: dict[str, list[str]] = {}
        for mark in self.tags.having(_META, VOID)[: 10 * MANY]:
            said = self.tags.attributes(mark)
            content = (said.get("content") or said.get("datetime") or "").strip()
            for key in ("property", "itemprop", "name", "http-equiv"):
                if content and (name := said.get(key, "").lower()):
                    found.setdefault(name.replace("dcterms:", "dcterms.").replace("dc:", "dc."), []).append(content)
        return found

    def _said(self, field: str) -> Iterator[str]:
        """What JSON-LD, ``<meta>`` and microdata say of a field, in this order."""
        for name in LINKED.get(field, ()):
            yield from self._strings(self._article.get(name))
        for name in META.get(field, ()):
            yield from self._meta.get(name, ())
        for name in LINKED.get(field, ()):
            if field in ("title", "site", "url"):
                continue  # those of the parts of a page say the same
            yield from (text for text, _ in self._items.get(name.lower(), ()))

    def _strings(self, value: Any, depth: int = 0) -> Iterator[str]:
        """Texts of a property: itself, or the names of what it is."""
        if isinstance(value, str):
            yield plain(value) if "<" in value or "&" in value else value
        elif isinstance(value, list) and depth < 3:
            for one in value[:MANY]:
                yield from self._strings(one, depth + 1)
        elif isinstance(value, dict) and depth < 3:
            known = self._named.get(str(value.get("@id")), value)
            for name in ("@value", "name", "url", "@id"):
                if isinstance(found := value.get(name) or known.get(name), str | list):
                    yield from self._strings(found, depth + 1)
                    return

    def _titles(self) -> Iterator[str]:
        return self._said("title")

    def _shown_title(self) -> str | None:
        """The only h1, if half of it is in ``<title>`` or nothing is more like that; else the headline, if it is; else
        ``<title>`` up to the name of the site, which stands behind it as a rule."""
        told, seen = self.page.title, self.seen.title
        if not told or _HOST.fullmatch(told):
            return seen
        heads = [text for mark in self.tags.having(_H1, OPEN) if (text := self.tags.text(mark))]
        if len(heads) == 1 and (not self.seen.alike or _half(heads[0], told)):
            return heads[0]
        if self.seen.alike:
            return seen
        parts = (part.strip() for part in _PART.split(told))
        return next((part for part in parts if part and not self._is_site(part)), seen)

    def _is_site(self, text: str) -> bool:
        """Whether a text is the name of the site, as it is declared or in its address."""
        name = _folded(_ARTICLE.sub("", text))
        return bool(name) and (name in self._named_sites or name in self._hosts)

    @cached_property
    def _named_sites(self) -> frozenset[str]:
        return frozenset(_folded(_ARTICLE.sub("", one)) for one in self._site()) - {""}

    @cached_property
    def _hosts(self) -> frozenset[str]:
        """Runs of labels of the host, such as "bbc" and "bbccouk"; no name is shorter than three letters."""
        address = next((one for one in (*map(self.tags.address, self._addresses()), self.given) if one), "")
        try:
            host = urlsplit(address).hostname or ""
        except ValueError:  # no address at all
            host = ""
        labels = [_folded(one) for one in host.split(".") if one != "www"]
        size = len(labels)
        runs = ("".join(labels[low:high]) for low in range(size) for high in range(low + 1, size + 1))
        return frozenset(run for run in runs if len(run) > 2)

    def _site(self) -> Iterator[str]:
        yield from self._meta.get("og:site_name", ())
        yield from (one for one in self._meta.get("article:publisher", ()) if not _HANDLE.match(one))
        yield from (one for one in self._strings(self._article.get("publisher")) if not _HANDLE.match(one))
        for one in self._objects:
            if one.get("@type") == "WebSite":
                yield from self._strings(one.get("name"))
        yield from (one for one in self._said("site") if not _HANDLE.match(one))

    def _shown_site(self) -> str | None:
        """The part of ``<title>`` that is in the address of the page, or is one."""
        parts = [part.strip() for part in _PART.split(self.page.title)] if _PART.search(self.page.title) else []
        named = (part for part in parts[::-1] if self._is_site(part) or _HOST.fullmatch(part))
        return next(named, None)

    def _addresses(self) -> Iterator[str]:
        yield from (said.get("href", "") for said in self._links if "canonical" in said.get("rel", "").lower().split())
        yield from (one for one in self._said("url") if "://" in one)

    @cached_property
    def _links(self) -> list[dict[str, str]]:
        return [self.tags.attributes(mark) for mark in self.tags.having(_LINK, VOID)[: 10 * MANY]]

    def _languages(self) -> Iterator[str]:
        for mark in self.tags.having(_TAG_HTML, OPEN)[:1]:
            said = self.tags.attributes(mark)
            yield from (said.get(name, "") for name in ("lang", "xml:lang"))
        yield from self._said("language")

    def _kinds(self) -> Iterator[str]:
        for one in (self._article, *self._objects[:1]):
            yield from (kind.rpartition("/")[2] for kind in self._strings(one.get("@type")))
        yield from self._said("kind")

    def _licences(self) -> Iterator[tuple[str, str]]:
        """Words and address of each licence that is named."""
        for one in self._strings(self._article.get("license")):
            yield ("", one) if "://" in one else (one, "")
        yield from (
            ("", said.get("href", "")) for said in self._links if "license" in said.get("rel", "").lower().split()
        )
        for text, said in self._related:
            if "license" in said.get("rel", "").lower().split():
                yield text, self.tags.address(said.get("href"))
        footed = self._within(np.uint32(1 << list(GROUPS).index("foot")), ("footer",))
        for text, said, mark, _ in self._elements:
            if _COMMONS.search(said.get("href", "")) and footed[self.tags.columns["elements"][mark]]:
                yield text, said["href"]
        for name in META["licence"]:
            for one in self._meta.get(name, ()):
                yield ("", one) if "://" in one else (one, "")

    def _dates(self) -> Iterator[str]:
        if self._article:
            yield from self._declared_dates(self._article)
        for name in META["date"]:
            yield from (published(one) or "" for one in self._meta.get(name, ()))
        for one in self._objects:  # a page, a recipe, a film
            yield from self._declared_dates(one)
        yield from (published(text) or "" for text, _ in self._items.get("datepublished", ()))
        near, far = self._times
        yield from self._marked_dates(filter(_is_publication, near))
        yield self.seen.date or ""
        yield from self._marked_dates(near)
        for times in (filter(_is_publication, far), (one for one in far if one[1].get("datetime"))):
            yield from self._marked_dates(times)
        yield from (date for date, change in self._head if not change)
        yield from (date for date, _ in self._head)
        for address in (self.given, *self._addresses()):
            yield from (published("-".join(filter(None, found))) or "" for found in _URL_DATE.findall(address or ""))

    def _declared_dates(self, one: Mapping[str, Any]) -> Iterator[str]:
        yield from (published(said) or "" for name in LINKED["date"] for said in self._strings(one.get(name)))

    def _changes(self) -> Iterator[str]:
        yield from (published(one) or "" for one in self._said("modified"))
        yield from self._marked_dates(one for one in self._times[0] if not _is_publication(one))
        yield from (date for date, change in self._head if change)
        yield labelled(self.page, self._order, change=True) or ""

    def _marked_dates(self, marked: Iterable[_Time]) -> Iterator[str]:
        """Of elements that hold a date: by an attribute, else by their text."""
        for text, said in marked:
            yield from (published(said.get(name, "")) or "" for name in ("datetime", "content", "title"))
            shown = next((date for date, _ in stated(text[:LONGEST], self._order, short=True)), "")
            yield shown if shown >= EARLIEST else ""

    @cached_property
    def _order(self) -> DateOrder:
        return DateOrder(self.page)

    @cached_property
    def _head(self) -> list[tuple[str, bool]]:
        """Dates in lines at the head, and whether each is that of a change."""
        return [one for line in self.seen.head if len(line) <= LONGEST for one in stated(line, self._order)]

    # --------------------------------------------------------------------------------------------------- in the body

    @cached_property
    def _elements(self) -> list[tuple[str, dict[str, str], int, str]]:
        """Text, attributes, place and name of elements whose tag says something of author, date or tags."""
        columns, data = self.tags.columns, self.page.data
        shown = np.flatnonzero(columns["kinds"] <= VOID)
        shown = shown[columns["kinds"][shown] != CLOSE]
        starts, ends = columns["starts"][shown], columns["ends"][shown]
        hits = np.array(list(_found(data.lower())), np.int64)
        if not len(hits) or not len(shown):
            return []
        places = np.searchsorted(starts, hits, "right") - 1
        places = np.unique(places[(places >= 0) & (hits < ends[places])])
        aside = self._within(_MASK, _ASIDE_TAGS)
        found = []
        for mark in shown[places].tolist():
            tag, element = int(columns["tags"][mark]), int(columns["elements"][mark])
            if tag in (_META, _LINK) and columns["kinds"][mark] == VOID and not self._body(mark):
                continue
            said = self.tags.attributes(mark)
            if self._is_aside(element, aside) and "license" not in said.get("rel", "") + said.get("href", ""):
                continue
            if "pubdate" not in said and re.search(r"\spubdate\b", self._written(mark)):
                said["pubdate"] = ""
            found.append((self.tags.text(mark), said, mark, NAMES[tag] if tag else self.tags.name(mark)))
        return found

    def _within(self, groups: np.uint32, names: Sequence[str]) -> Any:
        """Of each element, whether one that holds it, or itself, is of some groups or has one of some names."""
        columns = self.page.columns
        own = (columns["groups"] & groups) > 0
        if groups == _MASK:  # what holds the main text is no part of what stands around it
            own[list(self.seen.around)] = False
        if names:
            own = own | np.isin(columns["tags"], [NAMES.index(name) for name in names])
        return _model.inherited(columns["parents"], own.astype(np.uint8))

    def _written(self, mark: int) -> str:
        columns = self.tags.columns
        return self.page.source(int(columns["starts"][mark]), int(columns["ends"][mark])).decode("utf-8", "replace")

    def _body(self, mark: int) -> bool:
        return "itemprop" in self._written(mark)

    def _is_aside(self, element: int, aside: Any) -> bool:
        return element > 0 and bool(aside[element])

    @property
    def _related(self) -> Iterator[tuple[str, dict[str, str]]]:
        """Text and attributes of links with a ``rel``."""
        return ((text, said) for text, said, _, _ in self._elements if "rel" in said)

    @cached_property
    def _items(self) -> dict[str, list[tuple[str, int]]]:
        """Microdata: text and place of each property."""
        found: dict[str, list[tuple[str, int]]] = {}
        for text, said, mark, tag in self._elements:
            value = (
                said.get("content") or said.get("datetime") or (said.get("href", "") if tag == "link" else "") or text
            )
            for name in said.get("itemprop", "").lower().split():
                if value:
                    found.setdefault(name, []).append((value, mark))
        return found

    @cached_property
    def _times(self) -> tuple[list[_Time], list[_Time]]:
        """Text and attributes of elements that hold a date: those at the head of the story, and others."""
        low, high = self.seen.region
        high = max(high, low + 1)  # a page without a text has a head all the same
        at = self.tags.columns["at"]
        near, far = list[_Time](), list[_Time]()
        for text, said, mark, tag in self._elements:
            if tag == "time" or (len(text) <= LONGEST and _MARKED.search(said.get("class", ""))):
                (near if low <= at[mark] < high else far).append((text, said))
        return near, far

    def _terms(self, field: str, rel: str) -> tuple[str, ...]:
        found: dict[str, None] = {}
        declared = list(self._said(field))
        # The rel of a category is "category tag".
        linked = [text for text, said in self._related if _is_rel(said.get("rel", "").lower().split(), rel)]
        if not declared and not linked:
            linked = [
                text
                for text, said, mark, tag in self._elements
                if tag == "a"
                and self._own[self.tags.columns["elements"][mark]]
                and _FILED[rel].search(said.get("href", ""))
            ]
        for one in (*declared, *linked):
            if "&" in one or "<" in one:
                one = plain(one)
            for term in _SEPARATOR.split(_SPACES.sub(" ", one).strip()):
                if term and len(term) <= LONG and not _HANDLE.match(term):
                    found.setdefault(term)
        return tuple(list(found)[:MANY])

    @cached_property
    def _own(self) -> Any:
        return self._within(_OWN, ())

    def _authors(self) -> tuple[str, ...]:
        """The first names that are given; where that is the site itself, who signs below the headline instead."""
        for source in self._declared():
            if names := names_of(source, declared=True):
                house = all(map(self._is_site, names)) and not self._is_person
                return (self._byline if house else ()) or names
        return next(filter(None, self._shown()), ())

    @property
    def _is_person(self) -> bool:
        """Whether JSON-LD says that the author is a person: the site may be named after one."""
        authors = self._article.get("author")
        return any(
            isinstance(one, dict) and one.get("@type") == "Person"
            for one in (authors if isinstance(authors, list) else [authors])
        )

    @property
    def _byline(self) -> tuple[str, ...]:
        return names_of([found[1] for line in self.seen.head if (found := _BY.search(line))][:1])

    def _declared(self) -> Iterator[Sequence[str]]:
        """What names the authors for machines, the surest first."""
        for name in LINKED["authors"]:
            yield [one for one in self._strings(self._article.get(name)) if not _HANDLE.match(one)]
        for name in META["authors"]:
            yield [one for one in self._meta.get(name, ()) if not _HANDLE.match(one)]

    def _shown(self) -> Iterator[tuple[str, ...]]:
        """What names them for readers."""
        yield names_of(self._itemised())
        yield names_of([text for text, said in self._related if "author" in said["rel"].lower().split()])
        named = [
            (mark, tag == "author" or bool(_NAMED.search(name)))
            for _, said, mark, tag in self._elements
            if tag == "author"
            or (_SIGNED.search(name := " ".join(said.get(one, "") for one in _NAMING)) and not _UNSIGNED.search(name))
        ]
        for surest in (True, False):
            yield from (signed(self.tags.lines(mark)) for mark, sure in named if sure is surest)
        low, high = self.seen.region
        at = self.tags.columns["at"]
        for text, said, mark, tag in self._elements:
            if tag == "a" and low <= at[mark] < high and _PERSON.search(said.get("href", "")) and len(text) <= 60:
                yield names_of([text])
        yield self._byline
        if not self._article:
            people = (one for one in self._objects if one.get("@type") == "Person")
            yield names_of([text for one in people for text in self._strings(one.get("name"))], declared=True)

    def _itemised(self) -> list[str]:
        """Authors in microdata: the name within, else all of it."""
        names = self._items.get("name", [])
        found = []
        for text, mark in self._items.get("author", ()):
            last = self.tags.last(mark)
            inner = [name for name, place in names if mark <= place < last]
            found.append(inner[0] if inner else text)
        return found


_NAMING = ("class", "id", "data-component", "data-testid")
_NAMED = re.compile(r"(?:author|byline|writer|autor)s?(?:[-_]{0,2}(?:name|link|title|url))?(?:\s|$)", re.IGNORECASE)
_BY = re.compile(
    r"(?:^|[\s|•·,-])(?:(?i:by|von|par|por|di|door|av|af|autor|text|words by|written by|posted by)\b[:\s]\s*)"
    r"((?:[A-Z\u00c0-\u00de]|[^\W\d_a-zA-Z\u00df-\u00ff]).*)$"
)


def _found(data: bytes) -> Iterator[int]:
    """Places of the words of `_WHERE`."""
    for word in _WHERE:
        place = data.find(word)
        while place >= 0:
            yield place
            place = data.find(word, place + 1)


def _is_publication(one: _Time) -> bool:
    """Whether an element names its date after the publication of the page."""
    return "pubdate" in one[1] or _DATED.search(one[1].get("class", "")) is not None


def _half(text: str, other: str) -> bool:
    words = text.casefold().split()
    return 2 * len(set(words).intersection(other.casefold().split())) >= len(set(words))


def _is_rel(words: Sequence[str], rel: str) -> bool:
    return rel in words and (rel == "category" or "category" not in words)


def _folded(text: str) -> str:
    """The letters and digits of a text, by which names are compared."""
    return _LETTERS.sub("", text).casefold()


def _untitled(title: str | None, is_site: Callable[[str], bool]) -> str | None:
    """A title without the name of the site behind or before it."""
    pieces = list(_PART.finditer(title or ""))
    if title and pieces:
        if is_site(title[pieces[-1].end() :]):
            return title[: pieces[-1].start()].strip() or title
        if is_site(title[: pieces[0].start()]):
            return title[pieces[0].end() :].strip() or title
    return title
