"""Mutated packs: refused with a `PackError`, or loaded, written as they were read, and cleaned with in bounded time."""

from __future__ import annotations

import json
import time
import warnings
from collections.abc import Iterator
from typing import Any

from common import texts
from common.choices import Choices
from common.session import instrumented, run
from common.written import written

with instrumented():
    from templatemine.cleaning.cleaner import Cleaner
    from templatemine.config import CleanConfig
    from templatemine.errors import PackError
    from templatemine.packs.pack import Pack

from strategies import USER_PATTERNS, make_pack, scan
from templatemine.text.patterns import pattern_set

LINES = ("Read more: 12", "© 2015 The Daily — all rights reserved.", "中国新闻网 5", "By Jim Young", "Sign up now")
PAGES = ('<p class="a b">Read more</p>', "<!-- x --><li id=c>12</li>", "<script>x</script>By")
HAND = {
    "id": "own",
    "regex": "read (?:more|on)",
    "tokens": None,
    "df": 0,
    "count": 0,
    "example": "read on",
    "anchor": "",
}
SECTIONS: dict[str, Any] = {
    "questions": [
        {"tokens": ["By", "{slot}"], "df": 3, "count": 4, "anchor": "line", "filled": "end", "example": "By A", "score": 0.5, "stake": 2}
    ],
    "overrides": [
        {"action": "reject", "id": "t1"}, {"action": "never", "text": "Minister"}, {"action": "cutoff", "df": 3, "by": "me"},
        {"action": "accept", "tokens": ["Sign", "up"], "example": "Sign up"}, {"action": "add", "regex": "a+b", "example": "aab"},
    ],
    "removed": [],
    "added": ["t0"],
    "pages": {"documents": 12, "share": 0.5},
    "page_paths": [{"path": "div.story>p", "pages": 3, "words": 40, "kept": 30, "blocks": 5}],
    "page_texts": [{"text": "By Anna", "path": "p", "df": 2}],
}  # fmt: skip
VALUES: tuple[Any, ...] = (
    *(None, True, False, 0, 1, -1, 2, 10**17, 10**18, 10**30, 0.5, 1e308, float("nan"), float("inf"), -0.0),
    *("", "a", "\ud800", "\x00", "../x", "{slot}", "{slot:names}", "{slot:7}", "{slot:0}", "{number}", "{", "line", "start", "end"),
    *([], {}, [[]], [None], [{}], ["Read", "{slot}"], ["{slot}"], ["By", "{slot:names}"], {"a": 1}, HAND, "regex", "learned"),
)  # fmt: skip
LONG, TIMES, BY_HAND = 1500, 8, 200
"""Characters of a text that is cleaned, how much longer the longer one is, and what is enough for expressions by hand."""

SLACK, PATIENCE = 0.05, 4.0
"""Seconds: below the first nothing is measured; expressions by hand may take the cube of a text, which is less than the
second for `BY_HAND` characters, and no exponential time."""


def base(
    examples: tuple[str, ...], html: bool, preset: str, own: tuple[str, ...], anchors: tuple[str, ...]
) -> dict[str, Any]:
    patterns = pattern_set(preset, tuple(USER_PATTERNS[name] for name in own))
    pack = make_pack([(scan(one, patterns, "-", html)[1], one) for one in examples], patterns, "-", html, anchors)
    data: dict[str, Any] = json.loads(pack.to_json())
    data["templates"].append(HAND)
    return {**data, **SECTIONS}


BASES = tuple(
    json.dumps(base(*row))
    for row in (
        (LINES, False, "none", (), ()),
        (LINES, False, "thesis", ("pair",), ("end/end", "start/start", "line")),
        (LINES, False, "news", (), ("line", "", "start")),
        (PAGES, True, "none", ("digits",), ()),
    )
)


def places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Each container of the data with each of its keys."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in items:
        if key != "schema":
            yield value, key
        if key != "patterns":
            yield from places(inner)


def edit(data: Any, choices: Choices) -> None:
    """One change somewhere in the data of a pack."""
    everywhere = list(places(data))
    container, key = choices.pick(everywhere)
    other, at = choices.pick(everywhere)
    kind = choices.number(6)
    if kind == 0:
        container[key] = choices.pick(VALUES)
    elif kind == 1:
        del container[key]
    elif kind == 2:
        container[key] = json.loads(json.dumps(other[at]))
    elif kind == 3:
        container[key] = texts.text(choices, data.get("html", False), 6)
    elif kind == 4:
        example = texts.text(choices, False, 4)
        data["templates"] = [
            {**HAND, "regex": written(choices), "example": choices.pick(("ab", "a b x1 news é語", example))}
        ]
    elif isinstance(container, list):
        container.append(json.loads(json.dumps(other[at])))


def mutated(choices: Choices) -> str:
    """A pack with up to four changes, at last in its bytes."""
    data = json.loads(choices.pick(BASES))
    raw = choices.number(16) == 15
    for _ in range(1 + choices.number(4)):
        edit(data, choices)
        if not choices or not data:
            break
    text = json.dumps(data)
    if raw:
        at = choices.number(len(text))
        text = text[:at] + choices.rest()[:8].decode("latin-1") + text[at + choices.number(3) :]
    return text


def seconds(cleaner: Cleaner, text: str) -> float:
    start = time.thread_time()
    cleaner.clean(text)
    return time.thread_time() - start


def check_time(cleaner: Cleaner, unit: str) -> None:
    """Time in proportion to the text; where expressions are by hand, less than `PATIENCE`."""
    by_hand = any(one.tokens is None for one in cleaner.pack.templates)
    size = BY_HAND if by_hand else LONG
    text = (unit * (size // len(unit) + 1))[:size]
    short = min(seconds(cleaner, text) for _ in range(2))
    if by_hand:
        assert short < PATIENCE, f"{short:.1f} s"
        return
    long = min(seconds(cleaner, text * TIMES) for _ in range(2))
    assert long < 3 * TIMES * short + SLACK, f"{long:.3f} s for {TIMES} times what took {short:.3f} s"


def one(data: bytes) -> None:
    choices = Choices(data)
    text = mutated(choices)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)
        try:
            pack = Pack.from_json(text)
        except PackError:
            return
    again = Pack.from_json(pack.to_json())
    assert again.to_json() == pack.to_json()
    assert again.templates == pack.templates
    native, regex = (Cleaner(pack, CleanConfig(engine=engine)) for engine in ("native", "regex"))
    documents = [*(one.example for one in pack.templates[:6]), texts.text(choices, pack.html)]
    for document in (*documents, "\n".join(documents)):
        assert native.spans(document) == regex.spans(document)
    for unit in documents[-2:]:
        if unit:
            check_time(native, unit)
            check_time(native, unit[0])


if __name__ == "__main__":
    run(one)
