"""Variants of one string are one family, under the most frequent of them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from strategies import examples
from templatemine.model import Template
from templatemine.packs.families import Variants, group_families


def template(text: str | None, df: int = 1) -> Template:
    tokens = None if text is None else tuple(text.split())
    return Template(id=str(text), regex="", tokens=tokens, df=df, count=df, example="")


def are_variants(one: Template, other: Template) -> bool:
    return len(group_families([one, other])) == 1


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("Enlarge picture", "Enlarge picture", True),
        ("Enlarge picture", "Enlarge picture The", True),
        ("contributed to this report.", "Adam Shaw contributed to this report.", True),
        ("From our archive: How", "From our archive: Why", True),
        ("GET LEDGER ON YOUR PHONE TODAY", "GET COURIER ON YOUR PHONE TODAY", True),
        ("Sign up for our free letter", "Sign up for our new weekly letter", True),
        ("Fox", "Fox News'", True),
        ("|", "| Ledger story no. {number}", False),
        ("Read next", "Read also", False),
        ("Wren Bennett for Ledger", "Wren Nielsen for Courier", False),
        ("one two three four five six", "one 2 three 4 five 6", False),
        ("HAZELHAVEN", "MILLFIELD", False),
        ("", "a", False),
    ],
)
def test_variants(one: str, other: str, same: bool) -> None:
    assert are_variants(template(one), template(other)) == same
    assert are_variants(template(other), template(one)) == same


def test_families_have_the_most_frequent_as_head() -> None:
    texts = [
        "Enlarge picture {slot}",
        "Read next",
        "Enlarge picture",
        None,
        "Enlarge picture The",
        "Read next: {slot:names}",
    ]
    assert group_families([template(text) for text in texts]) == [[0, 2, 4], [1], [3], [5]]
    assert group_families([]) == []


def test_a_chain_of_small_differences_is_no_family() -> None:
    texts = ["a b c d", "a b c x", "a b y x", "a z y x"]
    assert group_families([template(text) for text in texts]) == [[0, 1], [2, 3]]


@given(
    st.lists(st.lists(st.sampled_from(["a", "b", "c", "{slot}"]), min_size=1, max_size=5).map(" ".join), max_size=12)
)
def test_every_template_is_in_one_family(texts: list[str]) -> None:
    templates = [template(text) for text in texts]
    found = group_families(templates)
    assert sorted(place for family in found for place in family) == list(range(len(texts)))
    assert [family[0] for family in found] == sorted(family[0] for family in found)
    for head, *others in found:
        assert all(are_variants(templates[head], templates[one]) for one in others)
    heads = [templates[family[0]] for family in found]
    assert not any(are_variants(one, other) for place, one in enumerate(heads) for other in heads[:place])


@examples(300)
@given(st.lists(st.lists(st.sampled_from("abcdef"), min_size=1, max_size=9).map(" ".join), max_size=14))
def test_no_head_is_passed_over(texts: list[str]) -> None:
    """Of the heads that a template is a variant of, it goes with the one that it has most in common with."""
    templates = [template(text) for text in texts]
    found: list[list[int]] = []
    for place, one in enumerate(templates):
        words = {*(one.tokens or ())}
        heads = sorted(range(len(found)), key=lambda f: -len(words & {*(templates[found[f][0]].tokens or ())}))
        own = next((f for f in heads if are_variants(templates[found[f][0]], one)), None)
        if own is None:
            found.append([place])
        else:
            found[own].append(place)
    assert group_families(templates) == found


@examples(200)
@given(
    st.lists(st.lists(st.sampled_from("abcdef"), min_size=1, max_size=7).map(" ".join), max_size=14), st.integers(0, 14)
)
def test_families_of_some_are_as_if_there_were_no_others(texts: list[str], size: int) -> None:
    """Templates come later, and others go."""
    templates = [template(text) for text in texts]
    variants = Variants()
    variants.add(templates[size:])
    variants.add(templates[:size])
    rest = len(templates[size:])
    places = [*range(rest, len(templates)), *range(rest)]
    assert [[places.index(place) for place in family] for family in variants.group(places)] == group_families(templates)
    some = variants.group(places[::2])
    assert [[places.index(place) // 2 for place in family] for family in some] == group_families(templates[::2])
