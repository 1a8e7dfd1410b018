"""Local news written by hand: the languages of `datasets/stories/`, in the place of a grammar.

In: one text table a language (TOML): topics, each with facts, headlines, captions and paragraphs.  Out: articles that
tell one story.  An article draws the facts of its topic once (town, people, what is built, who pays), opens with a
lead, goes on with some of the topic's paragraphs in their order and some that fit any topic, and mostly ends with a
close.

Sentences are written from parts, so that few articles share a whole one.
"""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from copy import copy
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

from newsgen.arabic import ARABIC
from newsgen.han import HAN
from newsgen.language import Draft, Language, Script, capitalise, draw
from newsgen.latin import LATIN

__all__ = ["STORIES", "AnyLanguage", "StoryLanguage", "paragraphs"]

FOLDER = Path(__file__).resolve().parent.parent / "stories"
BASES = {script.name: script for script in (LATIN, ARABIC, HAN)}
CHOICE = re.compile(r"\{([^{}]*)\}")
NUMBER = re.compile(r"<(\d+)-(\d+)>")
SLOT = re.compile(r"<(\^?)([A-Za-z]\w*)(\*?)>")
#: Women and men: A and B belong to the article, the others to one of its paragraphs.
PEOPLE = {"A": "women", "B": "men", "C": "women", "D": "men", "E": "women", "F": "men", "G": "women", "H": "men"}
LASTING = "AB"
#: Paragraphs of an article that fit any topic, and how often one has a close.
GENERAL = (0, 0, 0, 1)
CLOSES = 0.75
#: Sentences of a paragraph, about.
SENTENCES = 2.5
SAMPLE = 200
#: Where a sentence ends; a closing quotation mark belongs to it.
SENTENCE_END = re.compile(r"(?<=[.?!])\s+|(?<=[.?!][”“»])\s+|(?<=[。？！])(?![」』”])(?=.)|(?<=[。？！][」』”])(?=.)")
#: A paragraph that begins with a sentence the paper has printed is written anew so many times.
TRIES = 6


class _Deck:
    """What a paper has printed: what it has drawn least comes first, and no sentence comes twice."""

    def __init__(self, script: Script) -> None:
        self.used: Counter[str] = Counter()
        self.printed: set[str] = set()
        names = sorted((*script.months, *script.weekdays), key=len, reverse=True)
        self._equal = re.compile("|".join([r"\d+", *map(re.escape, names)]))

    def draw(self, rng: Random, items: Sequence[str]) -> str:
        """One of the items that were drawn least."""
        return self.draw_some(rng, items, 1)[0]

    def draw_some(self, rng: Random, items: Sequence[str], count: int) -> list[str]:
        """At most `count` of the items that were drawn least, in the order of `items`."""
        ranked = sorted((self.used[item], rng.random(), index) for index, item in enumerate(items))
        chosen = sorted(index for _, _, index in ranked[: max(0, count)])
        self.used.update(items[index] for index in chosen)
        return [items[index] for index in chosen]

    def is_new(self, sentence: str) -> bool:
        """Whether the paper has not printed a sentence, dates and figures apart; now it has."""
        key = self._equal.sub("0", sentence)
        known = key in self.printed
        self.printed.add(key)
        return not known


class _Tale:
    """The facts of one article, and its sentences written out with them."""

    def __init__(self, rng: Random, table: Mapping[str, Any], topic: str, deck: _Deck) -> None:
        self.rng, self.table, self.deck = rng, table, deck
        self.topic = table["topics"][topic]
        self.lists = {**table["facts"], **self.topic["facts"]}
        self.facts: dict[str, str] = {}
        self.people: dict[str, tuple[str, str]] = {}
        self.met: set[str] = set()

    def write(self, text: str) -> str:
        """`text` with its choices made and its slots filled."""
        while CHOICE.search(text):
            text = CHOICE.sub(lambda found: self.deck.draw(self.rng, found[1].split("|")), text)
        return SLOT.sub(self._write_slot, NUMBER.sub(self._write_number, text))

    def write_paragraph(self, text: str) -> str:
        """A paragraph of the body, with people of its own, without the sentences that were printed before.

        It is empty if its first sentence was: the others speak of it.
        """
        gap = self.table["gap"]
        for _ in range(TRIES):
            self.people = {name: person for name, person in self.people.items() if name in LASTING}
            self.met &= set(LASTING)
            first, *others = SENTENCE_END.split(self.write(text))
            if self.deck.is_new(first):
                return gap.join([first, *filter(self.deck.is_new, others)])
        return ""

    def _write_number(self, found: re.Match[str]) -> str:
        low, high = int(found[1]), int(found[2])
        return str(low + int(self.rng.random() * (high + 1 - low)))

    def _write_slot(self, found: re.Match[str]) -> str:
        large, name, mark = found.groups()
        if name in PEOPLE:
            value = self._name_person(name, full=bool(mark))
        elif name in self.table.get("fresh", {}):
            value = draw(self.rng, self.table["fresh"][name])
        else:
            value = self._find_fact(name)
        return capitalise(value) if large else value

    def _find_fact(self, name: str) -> str:
        if name not in self.facts:
            options: Sequence[str] = self.lists[name]
            if options[0].startswith("@"):
                options = [one for one in self.table[options[0][1:]] if one not in self.facts.values()]
            self.facts[name] = self.write(draw(self.rng, options))
        return self.facts[name]

    def _name_person(self, name: str, *, full: bool) -> str:
        if name not in self.people:
            self.people[name] = draw_person(self.rng, self.table, PEOPLE[name])
        whole, short = self.people[name]
        if full or name not in self.met:
            if not full:
                self.met.add(name)
            return whole
        return short


def draw_person(rng: Random, table: Mapping[str, Any], sex: str) -> tuple[str, str]:
    """Full name and surname."""
    first, last = draw(rng, table[sex]), draw(rng, table["surnames"])
    whole = last + first if table.get("family_first") else f"{first} {last}"
    return whole, whole if table.get("full_names") else last


class StoryLanguage:
    """A language whose articles come from a table of paragraphs; to an `Archive` it is a `Language`."""

    def __init__(self, script: Script) -> None:
        self.script = script
        self.deck = _Deck(script)
        self.table: Mapping[str, Any] = {"gap": script.gap, **(script.stories or {})}
        self.words: Mapping[str, Sequence[str]] = {"places": self.table["places"]}
        rng = Random(0)
        sample = [self.begin().article(rng, sentences=12).body for _ in range(SAMPLE)]
        written = sum(len(paragraph.encode()) for body in sample for paragraph in body)
        self.sentence_bytes = written / sum(len(body) for body in sample) / SENTENCES

    def begin(self) -> StoryLanguage:
        """The same language for a paper that has printed nothing yet."""
        fresh = copy(self)
        fresh.deck = _Deck(self.script)
        return fresh

    def article(self, rng: Random, *, sentences: int) -> Draft:
        """A headline, and the paragraphs of a story with so many sentences, about, as far as its topic goes."""
        deck = self.deck
        tale = self._begin_tale(rng)
        wanted = max(2, round(sentences / SENTENCES) - 1)
        general = deck.draw_some(rng, self.table["general"]["body"], min(draw(rng, GENERAL), wanted // 2))
        told = deck.draw_some(rng, tale.topic["body"], wanted - len(general))
        texts = [deck.draw(rng, tale.topic["lead"]), *told]
        for text in general:
            texts.insert(2 + int(rng.random() * (len(texts) - 1)), text)
        if rng.random() < CLOSES:
            texts.append(deck.draw(rng, tale.topic["close"]))
        body = [text for text in map(tale.write_paragraph, texts) if text] or [tale.write(texts[0])]
        return Draft(tale.write(deck.draw(rng, tale.topic["headlines"])), body, tale)

    def headline(self, rng: Random) -> str:
        """The headline of another story."""
        tale = self._begin_tale(rng)
        return tale.write(self.deck.draw(rng, tale.topic["headlines"]))

    def _begin_tale(self, rng: Random) -> _Tale:
        return _Tale(rng, self.table, draw(rng, list(self.table["topics"])), self.deck)

    def caption(self, rng: Random, tale: object = None) -> str:
        """A caption for a picture of the story; of any, if none is told."""
        told = tale if isinstance(tale, _Tale) else self._begin_tale(rng)
        return told.write(self.deck.draw(rng, told.topic["captions"]))

    def body(self, rng: Random, *, sentences: int) -> list[str]:
        """The paragraphs of a story."""
        return self.article(rng, sentences=sentences).body

    def name(self, rng: Random) -> str:
        """A full name."""
        return draw_person(rng, self.table, draw(rng, ("women", "men")))[0]

    def perturb(self, rng: Random, paragraph: str) -> str:
        """The same paragraph with one figure changed."""
        return re.sub(r"\d+", lambda found: str(int(found[0]) + 1 + int(rng.random() * 3)), paragraph, count=1)


def paragraphs(table: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Each paragraph of a table, with its topic."""
    for text in table["general"]["body"]:
        yield "general", text
    for name, topic in table["topics"].items():
        for part in ("lead", "body", "close"):
            for text in topic[part]:
                yield name, text


AnyLanguage = Language | StoryLanguage


def _read_script(path: Path) -> Script:
    """A language: the tables of its base, with what its file says otherwise, and its stories."""
    table = tomllib.loads(path.read_text(encoding="utf-8"))
    own = {name: _freeze(value) for name, value in table.get("script", {}).items()}
    return replace(BASES[table["base"]], name=path.stem, stories=table, **own)


def _freeze(value: Any) -> Any:
    """Lists as tuples, as tables in code have them."""
    if isinstance(value, list):
        return tuple(_freeze(one) for one in value)
    return {name: _freeze(one) for name, one in value.items()} if isinstance(value, dict) else value


STORIES = {path.stem: _read_script(path) for path in sorted(FOLDER.glob("*.toml"))}
