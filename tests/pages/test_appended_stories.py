"""Pages of an archive below whose story the site appends others: the first stays whole, nothing of the others does."""

from __future__ import annotations

import random

from templatemine import Cleaner, Document, mine

WHAT = "weir bridge chapel orchard tram lighthouse library meadow harbour archive mural depot".split()
WHERE = "Pell Torrance Overbeck Lisle Droste Carrow Ekdahl Marrow Okafor Saltmarsh Renshaw Vane".split()
PARTS = "ba ce di fo gu ha ke li mo nu pa re si to vu wa".split()
PAGES, APPENDED = 24, 3


def story(chance: random.Random) -> list[str]:
    """Six paragraphs of words of their own, for what all stories share would be boilerplate."""

    def sentence() -> str:
        words = ["".join(chance.choices(PARTS, k=chance.randint(2, 4))) for _ in range(12)]
        return f"{words[0].capitalize()} of {words[1].capitalize()} {' '.join(words[2:])}."

    return [" ".join(sentence() for _ in range(4)) for _ in range(6)]


def page(number: int, stories: list[list[str]], notes: list[str]) -> str:
    def article(of: int, inside: str = "") -> str:
        own = "".join(f"<p>{text}</p>" for text in stories[of])
        return f"<header><h1>{WHERE[of // 2]} keeps its {WHAT[of % 12]}</h1></header><div class=post-content>{own}{inside}</div>"

    listed = "".join(f"<li id='fn:{at}'><p>{note} <a href='#fnref:{at}'>↩</a></p></li>" for at, note in enumerate(notes, 1))
    foot = f"<div class=footnotes role=doc-endnotes><ol>{listed}</ol></div>"
    others = "".join(
        f"<article class=post-add-story>{article((number + step) % PAGES)}</article>" for step in range(1, APPENDED + 1)
    )
    return (
        f"<!doctype html><title>{WHERE[number // 2]} keeps its {WHAT[number % 12]} | Carrow Courier</title><body>"
        "<header class=site-header><a href=/>Home</a> <a href=/town>Town</a> <a href=/coast>Coast</a></header>"
        f"<main><article class=post>{article(number, foot)}</article><div id=post-add-box>{others}</div></main>"
        "<footer><p>Carrow Courier, Mill Lane 4. All rights reserved.</p></footer>"
    )


def test_the_first_story_stays_with_its_notes_and_the_appended_ones_go() -> None:
    chance = random.Random(33)
    stories = [story(chance) for _ in range(PAGES)]
    notes = [[text.partition(".")[0] + "." for text in story(chance)[:2]] for _ in range(PAGES)]
    documents = [
        Document(
            source="carrow.example", id=str(at), url=f"https://carrow.example/{at}", html=page(at, stories, notes[at])
        )
        for at in range(PAGES)
    ]
    clean = Cleaner(mine(documents)["carrow.example"]).clean
    for at, document in enumerate(documents):
        text = " ".join(clean(document.body).text.split())
        assert [one for one in (*stories[at], *notes[at]) if one not in text] == []
        others = [one for step in range(1, APPENDED + 1) for one in stories[(at + step) % PAGES]]
        assert [one for one in others if one in text] == []


