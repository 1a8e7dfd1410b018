"""What cuts leave behind: each kind, where it is and where it is none; and the trial by source."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from templatemine.errors import ConfigError
from templatemine.evaluation.residue import KINDS, TORN, ResidueConfig, evaluate_residue, find_residues
from templatemine.model import Cleaned, Document, Span


def kinds(text: str, *cuts: str) -> list[str]:
    """Kinds of residue in lines when some parts of a text are cut."""
    spans = sorted(Span(text.index(cut), text.index(cut) + len(cut), ("t",)) for cut in cuts)
    return [one.kind for one in find_residues(text, spans) if one.kind != TORN]


@pytest.mark.parametrize(
    ("text", "cut", "found"),
    [
        ("JAKARTA, Paper - The story goes on.", "JAKARTA, Paper", ["begins torn"]),
        ("By Ann Lee and others wrote this", "By Ann Lee", ["begins torn"]),
        ("Source: https://a.example/b", "Source:", []),
        ("Source: www.a.example", "Source:", []),
        ("Source: a.example/b said so", "Source:", []),
        ("Updated at noon: The story.", "Updated at noon", ["begins torn"]),
        ("Read more. “It is over,” he said.", "Read more.", []),
        ("Read more. (It is over.)", "Read more.", []),
        ("iPhones are here. buy now", "buy now", []),
        ("He told (Paper) of it.", "(Paper", ["unbalanced"]),
        ("He told “the Paper” of it.", "“the Paper", ["unbalanced"]),
        ("「記事」の終わり", "「記事", ["begins torn", "unbalanced"]),
        ('Say "it" now.', '"it', ["unbalanced"]),
        ("It’s over. Don’t read more.", "It’s over.", []),
        ("-- Ann Lee", "Ann Lee", ["lone sign"]),
        ("Photo: Ann Lee", "Ann Lee", ["label"]),
        ("图：新华社", "新华社", ["label"]),
        ("Ann Lee contributed to this report.", "contributed to this report.", ["open end"]),
        ("He said so. Sign up here.", "Sign up here.", []),
        ("He said “so.” Sign up here.", "Sign up here.", []),
        ("記事です。続きを読む。", "続きを読む。", []),
        ("Its mines are watching Chin The post Ore Wrap appeared first.", "The post Ore Wrap appeared first.", []),
        ("He spoke of Ann Lee.", "Ann Lee.", ["open end"]),
    ],
)
def test_each_kind(text: str, cut: str, found: list[str]) -> None:
    assert kinds(text, cut) == found
    # Other lines do not matter, nor does what is cut of them.
    assert kinds(f"(Before\n{text}\u2028after", cut) == found


def test_whole_lines_leave_nothing_and_lines_are_looked_at_by_themselves() -> None:
    text = "A story.\nby Ann Lee:\n(read more"
    assert kinds(text, "by Ann Lee:\n(read more") == []
    (one,) = find_residues("x\nPhoto: Ann\n\nAnother line", [Span(9, 12, ("t",)), Span(12, 14, ("t",))])
    assert (one.kind, one.start, one.end, one.left, one.cut) == ("label", 2, 12, "Photo:", "Ann")


@given(st.text('aB.:("- \n', max_size=30), st.sets(st.integers(0, 29)))
def test_what_is_left_and_what_is_cut_make_the_line(text: str, cut: set[int]) -> None:
    spans = [Span(place, place + 1, ("t",)) for place in sorted(cut) if place < len(text)]
    for one in find_residues(text, spans):
        if one.kind == TORN:
            continue
        line = text[one.start : one.end]
        assert "\n" not in line
        assert sorted("".join((one.left + one.cut).replace(" … ", "").split())) == sorted("".join(line.split()))
        assert KINDS[one.kind](" ".join(line.split()), one.left)


def test_a_torn_sentence_is_a_residue() -> None:
    """It was left out of the column of all, and of what the report calls incomplete."""
    text = "The end.\nHe met Ann in Rome."
    (one,) = find_residues(text, [Span(16, 19, ("t",))])
    assert (one.kind, one.start, one.end) == (TORN, 16, 19)
    assert (one.left, one.cut) == ("The end. He met … in Rome.", "Ann")


def test_templates_that_tear_sentences_lead() -> None:
    texts = ["He met Ann in Rome.", "She saw Ann at noon.", "Ann\nA story.", "A story by Bob told it."]
    documents = [Document(source="a", id=str(place), text=text) for place, text in enumerate(texts)]

    def system(history: Sequence[Document], some: Sequence[Document]) -> list[Cleaned]:
        return [
            Cleaned("", tuple(Span(at, at + 3, (name,)) for name in ("Ann", "Bob") if (at := one.body.find(name)) >= 0))
            for one in some
        ]

    result = evaluate_residue(documents, system)
    assert result.row(source="a")["torn sentence"] == result.row(source="a")["any"] == 0.75
    assert result.notes[:2] == (
        "Ann of a tears a sentence in 2 of 3 cuts: He met [-Ann-] in Rome.",
        "Bob of a tears a sentence in 1 of 1 cut: A story by [-Bob-] told it.",
    )


def test_half_sentences_beside_a_cut_count() -> None:
    texts = ["See: First half of it. second half goes on", "Ann Lee Senators balk at votes MORE on Thursday said so."]
    cuts = ["See: First half of it.", "Ann Lee Senators balk at votes"]
    documents = [Document(source="a", id=str(place), text=text) for place, text in enumerate(texts)]
    result = evaluate_residue(
        documents, lambda history, some: [Cleaned("", (Span(0, len(cut), ("t",)),)) for cut in cuts]
    )
    assert result.row(source="a")["torn sentence"] == result.row(source="a")["any"] == 1
    assert result.notes[0].startswith("t of a tears a sentence in 2 of 2 cuts: ")


def test_cuts_of_two_kinds_that_touch_are_one() -> None:
    """Each alone would leave the words of the other beside the rest of the sentence."""
    text = "The end.\nShare Ann Advertisement\nthe rest"
    parts = (Span(9, 19, ("Ann",), "byline"), Span(19, 32, ("Ad",), "advertisement"))
    assert text[9:32] == "Share Ann Advertisement"
    result = evaluate_residue(
        [Document(source="a", id="1", text=text)], lambda history, some: [Cleaned("", parts) for _ in some]
    )
    assert result.row(source="a")["torn sentence"] == 0
    assert not [note for note in result.notes if "tears a sentence" in note]


def test_the_trial_counts_changed_articles_by_source() -> None:
    texts = {"a": ["Photo: Ann", "Ann", "A story."], "b": ["A story."]}
    documents = [
        Document(source=source, id=f"{source}{place}", text=text)
        for source, some in texts.items()
        for place, text in enumerate(some)
    ]
    page = Document(source="b", id="page", html="<p>Ann</p>")

    def system(history: Sequence[Document], some: Sequence[Document]) -> list[Cleaned]:
        return [
            Cleaned("", tuple([Span(at, at + 3, ("t",))] if (at := one.body.find("Ann")) >= 0 else [])) for one in some
        ]

    result = evaluate_residue([*documents, page], system, ResidueConfig(examples=1))
    assert [row["source"] for row in result.rows] == ["a", "b", "all"]
    assert result.row(source="a") == {
        "source": "a",
        "articles": 3,
        "changed": 2,
        "torn sentence": 0.0,
        "any": 0.5,
        **dict.fromkeys(KINDS, 0.0),
        "label": 0.5,
    }
    assert result.row(source="b")["any"] is None
    assert (result.row(source="all")["articles"], result.row(source="all")["label"]) == (4, 0.5)
    assert result.notes[0] == "1 page left out: their main text is not cut by lines"
    assert result.notes[2:] == ("label: a a0: Photo: [-Ann-]",)
    assert "left out" not in " ".join(evaluate_residue(documents, system).notes)
    with pytest.raises(ConfigError, match="examples"):
        ResidueConfig(examples=-1)
