"""Pages of an invented paper: a menu, a headline, a story in prose, a foot."""

from __future__ import annotations

import random
from collections.abc import Iterable

from templatemine.config import PageConfig
from templatemine.model import PageHistory
from templatemine.pages.abreast import take_in_turn
from templatemine.pages.history import PageCounter

__all__ = ["CALL", "learn_history", "marked_page", "page"]

PROSE = (
    "The harbour board met on Tuesday to hear what the new crane would cost, and who would pay for it in the end.",
    "Nobody had expected the bridge to open before winter, said the engineer, but the steel came early this year.",
    "When the ferry stopped running in March, the islanders bought a boat of their own and took turns at the helm.",
    "A second vote was called after the first was found to have been counted by candle light, with some ballots lost.",
)
NAMES = [f"{a}{b}{c}{d}" for a in "bdfgk" for b in "aeiou" for c in "lmnrst" for d in ("ek", "oon", "ind")]
MENU = "<div id=nav><ul><li><a href=/>Home</a></li><li><a href=/n>News</a></li><li><a href=/s>Sport</a></li></ul></div>"
FOOT = "<div id=footer><p>&copy; 2004 The Lantern. All rights reserved.</p><p><a href=/p>Privacy policy</a></p></div>"
CALL = "<div class=story><p>Readers have stood by this paper through many a storm, and the paper has stood by its readers, year after year.</p></div>"


def page(number: int, extra: str = "") -> str:
    draw = random.Random(number)
    # With words of its own in each paragraph, or all stories would be versions of one.
    said = [f"{' '.join(draw.choices(NAMES, k=6)).capitalize()} spoke in turn." for _ in range(5)]
    story = "".join(f"<p>{' '.join(draw.sample(PROSE, 3))} {one}</p>" for one in said)
    title = f"Story number {number} of the harbour"
    return (
        f"<html><head><title>{title} - Lantern</title></head><body>{MENU}<h1>{title}</h1>"
        f"<div class=story><p class=by>By Anna Reed, 3 March 2004</p>{story}</div>{extra}{FOOT}</body></html>"
    )


TABLE = (
    "<table><tr><th>The quay of the harbour that is meant<th>What its engineer said of the cranes in May</tr>"
    "<tr><td>North quay, which is the older one of both<td>There are twelve cranes, and two wait for a repair.</tr>"
    "<tr><td>South quay, where the ferry stops in winter<td>Seven cranes are there, and all of them work.</tr></table>"
)


def marked_page(number: int, extra: str = "") -> str:
    """A page with an emphasis, a link, a picture and a table in its story."""
    begun = "<p>The <b>board</b> met <a href=b.html>in May</a> <img src=c.png alt=crane> and later."
    return page(number, extra).replace("<p>", f"{begun} ", 2).replace("</p><p>", f"</p>{TABLE}<p>", 1)


def learn_history(pages: Iterable[str], config: PageConfig) -> PageHistory | None:
    """The history of a source from its pages, all of which count; None if they are too few."""
    counter = PageCounter(config)
    rows = take_in_turn(map(counter.read, pages))
    return counter.learn([row for row in rows if row is not None])
