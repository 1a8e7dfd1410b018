"""Bylines and datelines of an article -> who wrote it, for which agency, where and when: the strings know where the
names are, since their slots hold them.

What is found does not depend on which kinds are cut.  The cost is that of cleaning the text with the templates of
these two kinds, and reading their matches.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from templatemine.cleaning.cleaner import Cleaner
from templatemine.config import CleanConfig
from templatemine.kinds import CUT_ALL
from templatemine.packs.overrides import Overrides
from templatemine.packs.pack import Pack
from templatemine.text.characters import line_begin, line_end
from templatemine.text.expressions import expression
from templatemine.text.patterns import WEEKDAY_NAMES

if TYPE_CHECKING:
    from templatemine.model import Span, Template

SOURCES_OF_NAMES = ("byline", "dateline")
"""Kinds that are read."""

MAX_FIXED_SHARE = 0.3
"""Share of the documents from which on a line that is the same in all of them names nobody: it is a label."""
MAX_BESIDE = 60
"""Characters beside a label on its line that may be the name, or the place, that it is a label of."""

EDGE = 1_200
"""Characters at the beginning and at the end of an article in which its bylines and datelines stand."""
MAX_GROUPS = 2
"""Bylines with text between them at the end of an article, beyond which they are those of a list of other articles; one
alone where another stands at the beginning."""
_MAX_BETWEEN = 30
"""Characters between names of one byline."""

_AGENCY_NAMES = (
    "Reuters|AP|Associated Press|AFP|Agence France-Presse|dpa|ANSA|EFE|TASS|Xinhua|Kyodo|Yonhap|PTI|ANI|IANS|UPI|ANP"
    "|Belga|APA|SDA|Keystone-SDA|ATS|CTK|ČTK|TASR|SITA|PAP|MTI|Hina|Tanjug|Beta|Fena|Srna|TT|NTB|Ritzau|STT|BNS|LETA|ELTA|Lusa"
    "|Anadolu|AA|DHA|İHA|Bernama|Antara|AAP|NAN|SAPA|PA Media|Press Association|The Canadian Press"
    "|Agerpres|BTA|Unian|Ukrinform"
    "|Интерфакс|ТАСС|РИА Новости|新华社|新华网|中新社|共同通信|時事通信|연합뉴스|뉴시스|뉴스1"
)
_AGENCY = re.compile(rf"(?<!\w)(?:{_AGENCY_NAMES})(?!\w)")
"""Names of agencies as they write themselves; short ones are capitals, or they would be words."""
_BRACKETED = re.compile(rf"^\W*[(\[](?:\w+/)?(?P<agency>{_AGENCY_NAMES})(?:/\w+)*[)\]]", re.IGNORECASE)
"""Forms such as (afp/nxp)."""
_PHOTOGRAPHER = re.compile(r"[(\[]\w[^()\[\]\n/]*\s[^()\[\]\n/]*/$")
"""Before the agency of a picture: whose it is, in brackets with it."""
_EMAIL = re.compile(r"\w@\w")
_ENDS_IN_AGENCY = re.compile(
    rf"(?:[(\[](?i:{_AGENCY_NAMES})(?:[,/]\s?(?i:{_AGENCY_NAMES}))*[)\]]|,\s(?:{_AGENCY_NAMES}))\W*$"
)
"""A dateline on a line of its own, which a credit such as "Ann Doe (Photo/AP)" is not."""

_EDGES = re.compile(r"[,(/|:\n[\])–—]|\s-|-\s|-$")
"""Separators of place, outlet, agency and date of a dateline."""
_OUTLET = re.compile(r"\w\.\w|[\d\u00b7&]")
"""What addresses and names of outlets and sections have, and no place."""
_RUBRICS = frozenset(
    """
    analyse analysis analisis análisis analisi analiza analysen anketa blog breaking chronique comment commentary
    commentaire critique décryptage debate débat dossier editorial éditorial édito enquête entrevista entretien essay
    exclusif exclusive exclusiva exklusiv explainer fakta feature fact-check figures focus foto fotos galerie gallery
    gastbeitrag grafik hintergrund humeur info infographie infos interview intervista investigation kolumne kommentar
    komentarz komentář leitartikel live liveblog meinung newsletter opinie opinion opinión opinião photos podcast
    politique porträt portrait quiz rapport recap récit reportage reportaż reportagem review reviews serie série
    sources spezial sport sondage témoignage témoignages ticker tribune update updated video videos vidéo vidéos
    vizual watch weather wideo witness wywiad
    """.split()
)
"""Words of rubrics, which stand before a dash as places do."""
_CONTROLS = frozenset(
    """
    anterior comments compartilhar compartir condividi copy download email facebook follow home imprimer instagram
    linkedin login menu more next partager pinterest précédent prev previous print próximo read reddit related
    register save search share siguiente subscribe suivant tags teilen telegram topics tweet twitter weiter whatsapp
    youtube zurück
    """.split()
)
"""Words of pagers and share bars, which no place has."""
_OUTLET_WORDS = frozenset("business express magazine media museum news press radio staff times today tv wires".split())
"""Words of outlets, which no person has."""
_ARTICLES = re.compile("^(?:the|le|la|les|el|los|al|il|der|die|das|de|het)(?=[^\\W\\d_]{4})")
_MIN_OWN_NAME = 4
"""Letters of the name of a source by which its rubrics are known."""

_PERSON = re.compile(r"[^\W\d_][^\W\d_A-ZÇĞİÖŞÜ]{2,}(?: [A-ZÇĞİÖŞÜ]{3,})+")
"""A person whose family name is in capitals, before the place."""

_DASHES = ("-", "–", "—")
_BEGINS_DATE = re.compile(r"\s*(?:[^\W\d_]+\.?\s+)?\d")
"""Behind a dash: the text before it is no place but a label, as in "Published - May 21"."""

_REPORTERS = (
    r"[记記]者[\s:：]*(?P<han>[㐀-鿿]{2,4}(?:[、\s]+[㐀-鿿]{2,4})*)(?=[／/】)）\s]|$)"
    r"|(?:記事執筆|執筆|取材・文)[:：]\s*(?P<kana>[^\s、。]{1,30})"
    r"|(?P<hangul>[가-힣]{2,4})\s*(?:기자|특파원)"
)
_REPORTER = re.compile(_REPORTERS)
"""Names that no capital tells: by the word for a reporter beside them."""
_OWNER = re.compile(r"^.{2,30}?(?:['’]s|s['’])\s+(?=[^\W\d_a-z])")
"""Possessives as in Fox News' Ann Doe."""
_JOINED = re.compile(r"^(?:and|und|et|y|og|och|con|with|mit)\s+|\s+(?:and|und|et|y|og|och)$", re.IGNORECASE)
_PARTICLES = frozenset([
    "af", "al", "ap", "ben", "bin", "d'", "da", "dal", "das", "de", "degli", "del", "della", "den", "der", "di", "do",
    "dos", "du", "e", "el", "ibn", "la", "le", "ten", "ter", "und", "van", "von", "y", "zu",
])  # fmt: skip
_NO_FIRST = frozenset([
    "a", "an", "das", "der", "die", "i", "i'm", "i’m", "i’ve", "it", "le", "les", "my", "our", "that", "the", "these",
    "this", "those", "we", "you", "your",
])  # fmt: skip
"""First words of names of somebody or something else, or of nobody."""
_LABEL = re.compile(
    r"\W*(?:(?:words|text|story|report(?:ing|ed)?|written|article) )?(?:by|von|par|por|di|door|av|af)\W*"
)


def _squeeze(text: str) -> str:
    """Return the letters of a text, small and without accents."""
    return "".join(char for char in unicodedata.normalize("NFD", text.casefold()) if char.isalpha())


_WEEKDAYS = frozenset(map(_squeeze, (*WEEKDAY_NAMES, "sábado")))
_Filler = Callable[[str], str]


class MetadataFinder:
    """Reads the bylines and datelines of one source.

    Parameters
    ----------
    pack : Pack
    """

    def __init__(self, pack: Pack) -> None:
        templates = tuple(one for one in pack.templates if one.kind in SOURCES_OF_NAMES)
        small = replace(pack, templates=templates, overrides=Overrides(), questions=(), mined=None)
        self._cleaner = Cleaner(small, CleanConfig(choice=CUT_ALL, gap=0, guard=1.0)) if templates else None
        self._fillers = {one.id: _filler_reader(small, one) for one in templates}
        self._slotted = {one.id for one in templates if one.slot}
        most = MAX_FIXED_SHARE * pack.documents
        self._labels = {one.id for one in templates if not one.slot and one.df > most}
        self._own_name = _name_of_source(pack.source)
        # Where most of what lines of this kind begin with are rubrics, so may be the rest.
        heads = [one for one in templates if one.kind == "dateline" and one.anchor == "start"]
        alone = [(one.df, _EDGES.split(one.example)[0].strip()) for one in heads]
        names = [(df, name) for df, name in alone if name and _is_capitalised(name) and not _AGENCY.search(name)]
        rubrics = sum(df for df, name in names if self._is_rubric(name))
        self._trusts_names = 2 * rubrics <= sum(df for df, _ in names)

    def find(self, text: str) -> dict[str, Any]:
        """Read the metadata in a text: ``byline`` a list of names, ``agency``, ``place``, ``updated`` (ISO 8601);
        missing ones are left out."""
        if self._cleaner is None:
            return {}
        found: dict[str, Any] = {}
        names: dict[str, None] = {}
        for span in self._standing_spans(text):
            piece = text[span.start : span.end]
            if span.kind == "byline":
                filler = min((self._fillers[name](piece) for name in span.templates), key=len)
                if _LABEL.fullmatch(piece.lower()):
                    behind = text[span.end : line_end(text, span.end)]
                    filler = behind if len(behind) <= MAX_BESIDE else ""
                is_label = filler == piece.strip() and any(name in self._labels for name in span.templates)
                names |= dict.fromkeys(read_byline(filler, slot=filler != piece.strip(), label=is_label))
                found |= {"agency": agency[0]} if (agency := _AGENCY.search(piece)) and "agency" not in found else {}
                continue
            if piece.startswith(("(", "[")):
                before = text[line_begin(text, span.start) : span.start]
                piece = before + piece if len(before) <= MAX_BESIDE and _find_place(f"{before},") else piece
            fillers = [self._fillers[name](piece) for name in span.templates if name in self._slotted]
            is_led_into = bool(text[span.end : line_end(text, span.end)].strip())
            found = {**self._read_dateline(piece, fillers, is_led_into), **found}
        persons = [name for name in _leave_out_places([*names]) if not self._is_outlet(name)]
        return {**({"byline": persons} if persons else {}), **{name: found[name] for name in _FIELDS if name in found}}

    def _standing_spans(self, text: str) -> list[Span]:
        """Return the bylines and datelines that are those of the article: at its beginning, or at its end, and there
        neither whom to write to, nor in a list of other articles."""
        spans = [] if self._cleaner is None else self._cleaner.spans(text)
        first = [span for span in spans if span.start <= EDGE]
        last = [span for span in spans if span.start > EDGE and span.end >= len(text) - EDGE]
        last = [span for span in last if not _EMAIL.search(text, span.start, line_end(text, span.end))]
        spans = [span for span in (*first, *last) if not _credits_picture(text, span)]
        bylines = [span for span in last if span.kind == "byline"]
        gaps = sum(len(text[before.end : span.start].strip()) > _MAX_BETWEEN for before, span in pairwise(bylines))
        is_list = gaps >= (1 if any(span.kind == "byline" for span in first) else MAX_GROUPS)
        return [span for span in spans if span.start <= EDGE or span.kind != "byline" or not is_list]

    def _is_outlet(self, name: str) -> bool:
        """Return whether a name is that of the source, or of another outlet or a section."""
        own = len(self._own_name) >= _MIN_OWN_NAME and self._own_name in _squeeze(name)
        return own or not _OUTLET_WORDS.isdisjoint(name.casefold().split())

    def _read_dateline(self, text: str, fillers: Sequence[str], is_led_into: bool) -> dict[str, str]:
        """Read a dateline; leave out a place that is the name of the source, or what may be a rubric or a credit.

        A place stands on the line of its story, or with a date or an agency; and where a slot was filled, in that: what
        is fixed beside it is a label.
        """
        said = read_dateline(text)
        if place := said.get("place"):
            is_alone = len(said) == 1 and not _OUTLET.search(text)
            is_line = is_led_into or "updated" in said or _ENDS_IN_AGENCY.search(text)
            is_filler = not fillers or any(place in filler for filler in fillers)
            if self._is_rubric(place) or (is_alone and not self._trusts_names) or not (is_line and is_filler):
                del said["place"]
        return said

    def _is_rubric(self, name: str) -> bool:
        """Return whether a name has a word of rubrics, or that of the source."""
        own = len(self._own_name) >= _MIN_OWN_NAME and self._own_name in _squeeze(name)
        return own or _has_rubric(name)


_FIELDS = ("agency", "place", "updated")


def read_dateline(text: str) -> dict[str, str]:
    """Return agency, place and time of a dateline, as far as it has them.

    Examples
    --------
    >>> read_dateline("BRIDGEBRIDGE, 3 March 2024 (Reuters) -")
    {'agency': 'Reuters', 'place': 'BRIDGEBRIDGE', 'updated': '2024-03-03'}
    """
    from templatemine.pages.page_dates import find_dates

    agency, place, dates = _AGENCY.search(text), _find_place(text), find_dates(text)
    name = agency[0] if agency else bracketed["agency"] if (bracketed := _BRACKETED.match(text)) else ""
    values = zip(_FIELDS, (name, place, dates[0][0] if dates else ""), strict=True)
    return {field: value for field, value in values if value}


def read_byline(text: str, *, slot: bool = False, label: bool = False) -> tuple[str, ...]:
    """Return the names of persons in a byline, each once.

    Parameters
    ----------
    text : str
    slot : bool, default False
        It is what fills a slot: one word, and one of a script without capitals, may be a name.
    label : bool, default False
        It is the same in so many documents that it can hold a name only behind the word for a reporter.

    Examples
    --------
    >>> read_byline("Fox News' Ann Doe and Ines van Harper contributed to this report.")
    ('Ann Doe', 'Ines van Harper')
    """
    from templatemine.pages.names import byline_names

    if told := [
        name for match in _REPORTER.finditer(text) for name in re.split(r"[、\s]+", match[match.lastgroup or 0])
    ]:
        return (*dict.fromkeys(told),)
    names = () if label else byline_names([text])
    return (*dict.fromkeys(name for name in (_person(one, slot) for one in names) if name),)


def _person(name: str, slot: bool) -> str:
    """Return the person behind a name, "" if it is nobody's."""
    name = _JOINED.sub("", _OWNER.sub("", name))
    words = name.split()
    if not words or _AGENCY.search(name) or re.search("[:：【】()・/]", name) or words[0].lower() in _NO_FIRST:
        return ""
    if name.lower() == name.upper():  # no capitals in this script
        return name if slot else ""
    run = [*_last_run(words)]
    if len(run) < len(words) and len(run) < 2:
        return ""
    return " ".join(run) if len(run) > 1 or slot else ""


def _credits_picture(text: str, span: Span) -> bool:
    """Return whether a cut is the credit of a picture, "(Ann Doe/AP)", or the end of one."""
    agency = _AGENCY.search(text, span.start, span.end)
    before = text[line_begin(text, span.start) : agency.start()] if agency else ""
    return _PHOTOGRAPHER.search(before) is not None


def _leave_out_places(names: Sequence[str]) -> list[str]:
    """Return names without those of one word beside longer ones: where somebody is, or what."""
    is_full = [" " in name or name.lower() == name.upper() for name in names]
    return [name for name, full in zip(names, is_full, strict=True) if full or not any(is_full)]


def _last_run(words: list[str]) -> Iterator[str]:
    """Yield the capitalised words at the end, with particles between them."""
    start = len(words)
    for place in range(len(words) - 1, -1, -1):
        if words[place][0].isupper():
            start = place
        elif words[place].lower() not in _PARTICLES:
            break
    yield from words[start:] if start < len(words) and words[-1][0].isupper() else ()


def _find_place(text: str) -> str:
    """Return the first part of a dateline that can be a place, "" if there is none.  A place is a name before an edge
    that is neither an agency nor an outlet; text before a colon, or before a dash and a date, is a label."""
    begin = 0
    for edge in _EDGES.finditer(text):
        part, begin = text[begin : edge.start()].strip(), edge.end()
        if _PERSON.fullmatch(part):
            continue
        if _OUTLET.search(part) or not part:
            if edge[0] in "([":  # what brackets hold is the outlet
                return ""
            continue
        is_label = edge[0] == ":" or (edge[0].strip() in _DASHES and _BEGINS_DATE.match(text, edge.end()) is not None)
        # "Door County (AP)" is no byline in Dutch.
        is_label |= _LABEL.fullmatch(part.split(maxsplit=1)[0].lower()) is not None and not _AGENCY.search(text)
        return part if 1 < len(part) <= 40 and part[0].isalpha() and not is_label and _is_name(part) else ""
    return ""


def _is_name(text: str) -> bool:
    """Return whether all words of a text begin with capitals, and none is an agency's, of rubrics, a weekday or of what
    a page is worked with."""
    is_label = _squeeze(text) in _WEEKDAYS or text.lower().endswith("-feira") or _has_rubric(text)
    is_label |= not _CONTROLS.isdisjoint(text.casefold().split())
    return _is_capitalised(text) and not (is_label or _OUTLET.search(text) or _AGENCY.search(text))


def _is_capitalised(text: str) -> bool:
    return all(word[0].isupper() or not word[0].isalpha() for word in text.split())


def _has_rubric(name: str) -> bool:
    return not _RUBRICS.isdisjoint(name.casefold().split())


def _name_of_source(source: str) -> str:
    """Return the letters of the name of a source, without an article: ``figaro`` of ``www.lefigaro.fr``."""
    return _ARTICLES.sub("", _squeeze(max(source.split("."), key=len)))


def _filler_reader(pack: Pack, template: Template) -> _Filler:
    """Make the function that reads, of the text of a match, the filler of the template's slot; all of it without a
    slot."""
    if not template.slot:
        return str.strip
    import regex

    settings = pack.patterns, pack.tokenise.separators, pack.html
    fixed = regex.compile(expression(pack.forms(template), *settings))
    head = regex.compile(expression(pack.head_forms(template), *settings)) if template.slot == "middle" else None

    def read(piece: str) -> str:
        match = fixed.search(piece)
        if match is None:
            return piece
        if head is not None:
            opening = head.search(piece)
            return piece[opening.end(1) if opening else 0 : match.start(1)].strip()
        return piece[match.end(1) :].strip() if template.slot == "end" else piece[: match.start(1)].strip()

    return read
