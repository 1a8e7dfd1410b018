"""Expressions that came, went and changed."""

from __future__ import annotations

from dataclasses import replace

from templatemine.api import mine
from templatemine.model import Document
from templatemine.packs.changes import Changes, compare
from templatemine.packs.pack import Pack

WORDS = [
    "amber",
    "birch",
    "cedar",
    "delta",
    "ember",
    "fjord",
    "grove",
    "heron",
    "islet",
    "jetty",
    "kelp",
    "larch",
    "mango",
    "nylon",
    "onyx",
    "pearl",
    "quill",
    "raven",
]


def pack(*lines: str) -> Pack:
    documents = [
        Document(
            source="s",
            id=str(n),
            text="\n".join([" ".join(WORDS[(n * k + k) % len(WORDS)] for k in range(1, 30)) + f" {n}x.", *lines]),
        )
        for n in range(40)
    ]
    return mine(documents)["s"]


def test_changes() -> None:
    old = pack("Sign up for our daily letter here", "Follow us on Facebook and elsewhere")
    new = pack("Sign up for our weekly letter here", "Read more stories about the weather")
    changes = compare(old, new)
    assert [" ".join(one.tokens or ()) for one in changes.added] == ["Read more stories about the weather"]
    assert [" ".join(one.tokens or ()) for one in changes.removed] == ["Follow us on Facebook and elsewhere"]
    ((before, after),) = changes.changed
    assert (before.tokens or ())[4] == "daily"
    assert (after.tokens or ())[4] == "weekly"
    assert changes


def test_no_changes() -> None:
    one = pack("Sign up for our daily letter here")
    assert not compare(one, one)
    assert not compare(one, replace(one, templates=tuple(replace(t, df=t.df - 1) for t in one.templates)))
    assert len(compare(None, one).added) == len(one.templates)


def test_another_anchor_is_a_change() -> None:
    one = pack("Sign up for our daily letter here")
    other = replace(one, templates=tuple(replace(t, anchor="", regex="x") for t in one.templates))
    assert compare(one, other) == Changes(changed=tuple(zip(one.templates, other.templates, strict=True)))
