"""Signs that a cut leaves alone: what goes with it and what stays, natively as in the reference."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from strategies import examples
from templatemine.cleaning.cleaner import Cleaner
from templatemine.config import CleanConfig, TokeniseConfig
from templatemine.matching import _cutting
from templatemine.model import Cutoff, Template
from templatemine.packs.pack import Pack
from templatemine.packs.pack_record import template_id
from templatemine.text.expressions import expression
from templatemine.text.patterns import pattern_set
from widening_reference import GAP_SIGNS, JOINING_SIGNS, LONE_MARKS, RULE_SIGNS, widen_cuts


def pack_of(*strings: str) -> Pack:
    patterns = pattern_set("news")
    templates = [
        Template(
            id=template_id(tuple(one.split())),
            regex=expression([word.encode() for word in one.split()], patterns, "-", False),
            tokens=tuple(one.split()),
            df=9,
            count=9,
            example=one,
        )
        for one in strings
    ]
    return Pack(
        source="s",
        html=False,
        tokenise=TokeniseConfig(),
        enabled=patterns.enabled,
        documents=9,
        method="learned",
        cutoff=Cutoff(method="score", df=None, share=None, energy=None, histogram=(), note=""),
        templates=tuple(templates),
    )


PACK = pack_of("Paper", "Read more", "新")
CLEANERS = [Cleaner(PACK, CleanConfig(guard=1.0, engine=engine)) for engine in ("native", "regex")]


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("Paper - The story.", "The story."),
        ("Paper – | The story.", "The story."),
        ("A line\nPaper — The story.\nAnother", "A line\nThe story.\nAnother"),
        ("The story. • Read more", "The story."),
        ("The story.\nPaper | Read more\nGoes on", "The story.\nGoes on"),
        ("A: Paper – Read more -- said", "A: -- said"),
        ("The story.\n-- Paper\nGoes on", "The story.\nGoes on"),
        ("(Paper.)\nThe story.", "(Paper.)\nThe story."),
        ("“ Paper ”\nThe story.", "The story."),
        ("Read more ...\nThe story.", "The story."),
        # Lines of signs that part nothing from a story any more.
        (
            "The story of a town that nobody has ever heard of before, up there.\n-----\nRead more",
            "The story of a town that nobody has ever heard of before, up there.",
        ),
        ("The story.\n* * *\n\nRead more\n___\nPaper\n.", "The story."),
        ("***\nPaper\n---\n\nThe story.", "The story."),
        ("The story.\n\n-----\nRead more", "The story."),
        ("The story.\nPaper\n\n.\nRead more\nGoes on", "The story.\n\nGoes on"),
        ("The story.\n---\nPaper\nGoes on\n---\nEnds", "The story.\n---\nGoes on\n---\nEnds"),
        ("The story.\nPaper\n(\nGoes on", "The story.\n(\nGoes on"),
        ("He said: “\n...\nRead more", "He said: “\n..."),
        # A line of signs that is a part of what stays.
        ("“Why?” she asked.\nPaper\n“…”", "“Why?” she asked.\n“…”"),
        ("one {\nPaper\n}\nRead more", "one {\n}"),
        ("(...)\nPaper\nThe story.", "(...)\nThe story."),
        ("| a | 1 |\n|---|---|\nRead more", "| a | 1 |\n|---|---|"),
        ("┌──┐\n│ab│\n───\nRead more", "┌──┐\n│ab│\n───"),
        ("Code:\n~~~\nx = 1\n~~~\nRead more", "Code:\n~~~\nx = 1\n~~~"),
        ("Paper\n---\ntitle: a\n---\nThe story.", "---\ntitle: a\n---\nThe story."),
        ("Coming up\n=====\nRead more", "Coming up\n====="),
        ("Rating:\n*****\nRead more", "Rating:\n*****"),
        ("The story.\n→\nRead more", "The story.\n→"),
        ("The story.\n-=-\nRead more", "The story.\n-=-"),
        ("The story. ---\nRead more", "The story. ---"),
        # Signs that say something, or belong to what stands beside them.
        ("Paper ★★★★ great", "★★★★ great"),
        ("Paper -5 degrees", "-5 degrees"),
        ("Paper “Quoted,” he said", "“Quoted,” he said"),
        ("He asked: Read more", "He asked:"),
        ("well-known Paper - of all", "well-known - of all"),
        ("A list - Paper", "A list"),
        ("Paper 😀", "😀"),
    ],
)
def test_what_goes_with_a_cut(text: str, left: str) -> None:
    for cleaner in CLEANERS:
        cleaned = cleaner.clean(text)
        assert cleaned.text == left
        gained = "".join(text[span.start : span.end] for span in cleaned.removed)
        assert not set(gained.replace("Paper", "").replace("Read more", "")) - LONE_MARKS - {" ", "\n"}


@pytest.mark.parametrize(
    ("text", "gained"),
    [
        # Signs that joined the cut with what stays.
        ("⟦央视网消息（新闻联播）⟧：9月28日", "："),
        ("⟦Agency (news)⟧:9 of them", ":"),
        ("⟦Agency⟧:“Yes”", ":"),
        ("⟦KOMPAS.com⟧-Sawah", "-"),
        ("⟦Agency⟧—Verizon", "—"),
        # And others, that do not.
        ("⟦Agency⟧-5 degrees", ""),
        ("⟦Agency⟧ :smile:", ""),
        ("⟦Agency\n⟧-Sawah", ""),
        ("⟦Agency⟧•item", ""),
        ("a ⟦Agency⟧:b", ""),
        # Behind a cut of more than one line, a line begins; before one, a line ends.
        ("A photo of ⟦Jane Roe\n\n(Reuters)⟧ - Florida", " -"),
        ("It goes on – ⟦Read more\nPaper⟧ - The story", " -"),
        ("He said: ⟦Read more\nPaper⟧ “Yes”", ""),
        # Its signs are those of the next line.
        ("⟦Read more\n⟧- one\n- two", ""),
        ("⟦Read more\n ⟧| a | b |", ""),
        ("⟦KOMPAS.com⟧-based", ""),
        ("A photo of ⟦Jane Roe (Reuters)⟧ - Florida", ""),
    ],
)
def test_what_a_cut_gains(text: str, gained: str) -> None:
    start, end = text.index("⟦"), text.index("⟧") - 1
    text = text.replace("⟦", "").replace("⟧", "")
    for ((left, right),) in (_cutting.widen(text, [(start, end)]), widen_cuts(text, [(start, end)])):
        assert text[left:start] + text[end:right] == gained


TEXTS = st.lists(
    st.sampled_from(
        [
            "Paper",
            "Read more",
            "新",
            "語",
            "word",
            "Eé",
            *"-–—|:•★“”.,!\"'_─",
            " ",
            " ",
            "\n",
            "\n---\n",
            "\n===\n",
            "\n| a |\n",
            "\n#\n",
            "\u00a0",
            "\n",
            "\u2028",
            "\r",
            "\u3000",
        ]
    ),
    max_size=18,
).map("".join)


@examples(600)
@given(TEXTS, st.integers(0, 4))
def test_natively_as_in_the_reference(text: str, gap: int) -> None:
    native, regex = (Cleaner(PACK, CleanConfig(guard=1.0, engine=engine, gap=gap)) for engine in ("native", "regex"))
    assert native.clean(text) == regex.clean(text)


EDGES = st.lists(st.integers(0, 40), max_size=6, unique=True)


def make_spans(text: str, edges: list[int]) -> list[tuple[int, int]]:
    some = sorted(edge for edge in edges if edge <= len(text))
    return list(zip(some[::2], some[1::2], strict=False))


@examples(600)
@given(TEXTS, EDGES)
def test_only_punctuation_is_gained_and_cuts_stay_apart(text: str, edges: list[int]) -> None:
    spans = make_spans(text, edges)
    found = _cutting.widen(text, spans)
    assert found == widen_cuts(text, spans)
    assert len(found) == len(spans)
    for (start, end), (left, right) in zip(spans, found, strict=True):
        assert left <= start < end <= right
        for gained in (text[left:start], text[end:right]):
            assert all(char in LONE_MARKS | GAP_SIGNS or char.isspace() for char in gained)
    assert all(one[1] <= other[0] for one, other in pairwise(found))
    # What was widened is not widened any further.
    assert widen_cuts(text, found) == found


@examples(200)
@given(TEXTS, EDGES)
def test_spans_that_touch_are_one_cut(text: str, edges: list[int]) -> None:
    spans = make_spans(text, edges)
    halves = [half for start, end in spans for half in ((start, (start + end) // 2), ((start + end) // 2, end))]
    found = _cutting.widen(text, halves)
    assert [(left[0], right[1]) for left, right in zip(found[::2], found[1::2], strict=True)] == widen_cuts(text, spans)
    assert all(left[1] == right[0] for left, right in zip(found[::2], found[1::2], strict=True))


@pytest.mark.parametrize("spans", [[(3, 2)], [(0, 9)], [(-1, 1)], [(2, 3), (1, 2)]])
def test_spans_that_are_none_are_refused(spans: list[tuple[int, int]]) -> None:
    with pytest.raises(ValueError, match="expected ascending spans of a text of 4 characters"):
        _cutting.widen("a-b.", spans)


def test_no_mark_is_a_letter_or_a_figure() -> None:
    assert not any(char.isalnum() for char in LONE_MARKS | RULE_SIGNS | GAP_SIGNS)
    assert JOINING_SIGNS < LONE_MARKS
