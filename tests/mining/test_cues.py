"""The cue lexicon: its form, what it finds, and what a user's file may say."""

from __future__ import annotations

import sys
import unicodedata
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import reference
from scale import SCALE
from templatemine.config import PipelineConfig
from templatemine.errors import ConfigError
from templatemine.mining.corpus import Vocabulary
from templatemine.mining.cues import (
    COLUMNS,
    KINDS,
    Cue,
    FormWords,
    _read_char,
    _read_signed,
    compile_cues,
    fold_word,
    load_cues,
    parse_cues,
    read_cues,
)
from templatemine.mining.methods import resolve_defaults
from templatemine.text import _scan

TABLE = Path(__file__).resolve().parents[2] / "datasets" / "cues" / "cues.txt"
OPTIONS = resolve_defaults(PipelineConfig())
PATTERNS, SEPARATORS = OPTIONS.patterns, OPTIONS.tokenise.separators


def tokenise(text: str):
    native = _scan.Tokeniser(*PATTERNS.scanner_arguments(SEPARATORS, False), False)
    native.add_all([text])
    forms, _, arena, offsets = native.finish()
    return forms, Vocabulary(arena, offsets)


def find(text: str, lexicon=None) -> dict[str, float]:
    lexicon = lexicon or load_cues()
    forms, names = tokenise(text)
    row = lexicon.find(forms, np.zeros(1, np.int64), np.array([len(forms)], np.int32), lexicon.number_forms(names))[0]
    return dict(zip(COLUMNS, row.tolist(), strict=True))


def test_identifiers_of_publications_are_no_cues() -> None:
    assert find("DOI: 10.1038/s41586-026-10725-y")["cue_agency"] == 0


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("Sign up for our newsletter", "promotion"),
        ("SIGN UP for our Newsletter!", "promotion"),
        ("Lire aussi : le budget", "related"),
        ("Baca juga: Harga naik", "related"),
        ("続きを読む", "related"),
        ("The post Budget appeared first on The Courier.", "related"),
        ("© 2024 The Courier. All rights reserved.", "legal"),
    ],
)
def test_reads_boilerplate_of_several_languages(text: str, kind: str) -> None:
    assert find(text)[f"cue_{kind}"] == 2


def test_reads_nothing_in_a_sentence_of_prose() -> None:
    row = find("The council voted against a bridge over the river.")
    assert row["cue_share"] == 0


def test_a_cue_that_begins_or_ends_with_a_pattern_asks_for_one() -> None:
    """ "hours" is what a pattern stands for: "ago" would be left of "hours ago"."""
    made = compile_cues([Cue("xx", "dateline", True, "3 hours ago")], PATTERNS, SEPARATORS)
    assert find("long ago", made)["cue_dateline"] == 0
    assert find("Posted 7 hours ago", made)["cue_dateline"] == find("Posted 7 hours ago", made)["cue_last"] == 2
    inside = compile_cues([Cue("xx", "dateline", True, "updated 3 hours ago")], PATTERNS, SEPARATORS)
    assert find("Updated 5 hours ago", inside)["cue_dateline"] == 2
    assert find("Two years ago, long ago")["cue_dateline"] < 2
    assert find("11 min read")["cue_dateline"] == find("11 min read")["cue_first"] == 2


def test_first_and_last_pass_over_signs() -> None:
    row = find("» Read also")
    assert row["cue_first"] == 2
    assert row["cue_last"] == 2


words = st.sampled_from(["aa", "bb", "cc", "dd"])
NUMBER = "2000000"
bracketed = words.map(lambda word: f"({word})")
phrases = st.one_of(
    st.tuples(st.lists(words, min_size=1, max_size=3), st.sampled_from(["", ":"])).map(
        lambda pair: [*pair[0][:-1], pair[0][-1] + pair[1]]
    ),
    bracketed.map(lambda word: [word]),
    words.map(lambda word: [NUMBER, word]),
    words.map(lambda word: [word, NUMBER]),
)
tokens_of_text = st.one_of(
    words, st.just(NUMBER), words.map(lambda word: f"{word}:"), bracketed, st.sampled_from(["—", ":"])
)


@given(
    st.lists(tokens_of_text, min_size=1, max_size=12),
    st.lists(st.tuples(phrases, st.integers(0, len(KINDS) - 1), st.booleans()), max_size=8),
)
def test_finds_what_the_reference_finds(tokens, cues) -> None:
    lexicon = compile_cues(
        [Cue("xx", KINDS[kind], strong, " ".join(phrase)) for phrase, kind, strong in cues], PATTERNS, SEPARATORS
    )
    row = find(" ".join(tokens), lexicon)
    expected = reference.find_cues(tokens, cues, len(KINDS))
    assert list(row.values()) == pytest.approx(expected)


def test_shipped_lexicon_is_that_of_the_table() -> None:
    cues = [*parse_cues(TABLE.read_text(encoding="utf-8"), TABLE.name)]
    made, shipped = compile_cues(cues, PATTERNS, SEPARATORS), load_cues()
    assert made.names == shipped.names
    for column in ("roots", "keys", "children", "strong", "weak"):
        assert np.array_equal(getattr(made, column), getattr(shipped, column))


def test_table_has_the_form_it_says() -> None:
    cues = [*parse_cues(TABLE.read_text(encoding="utf-8"), TABLE.name)]
    assert len({cue.language for cue in cues}) >= 88
    assert all(cue.phrase == cue.phrase.lower() or not cue.phrase.islower() for cue in cues)
    rows = [(cue.language, cue.kind, cue.strong, cue.phrase) for cue in cues]
    assert len(rows) == len(set(rows))


@pytest.mark.parametrize(
    "line", ["promotion strong: join us", "[en]\njoin us", "[en]\npromotion: join us", "[en]\nhype strong: join us"]
)
def test_other_lines_are_refused_by_number(line: str) -> None:
    with pytest.raises(ConfigError, match=r"cues.txt:\d: expected"):
        [*parse_cues(line, "cues.txt")]


def test_own_cues_are_read_from_a_file(tmp_path: Path) -> None:
    path = tmp_path / "own.txt"
    path.write_text("# ours\n[en]\npromotion strong: hop aboard | tag along\n", encoding="utf-8")
    lexicon = read_cues(str(path), PATTERNS, SEPARATORS)
    assert find("Hop aboard!", lexicon)["cue_promotion"] == 2
    with pytest.raises(ConfigError, match=r"^cues: .*none\.txt: cannot be read: No such file or directory$"):
        read_cues(str(tmp_path / "none.txt"), PATTERNS, SEPARATORS)
    (tmp_path / "latin.txt").write_bytes(b"\xff")
    with pytest.raises(ConfigError, match=r"^cues: expected a file of UTF-8 text, got .*latin\.txt: "):
        read_cues(str(tmp_path / "latin.txt"), PATTERNS, SEPARATORS)


@pytest.mark.parametrize(
    ("text", "strength"),
    [("Photo: Ann", 2), ("PHOTO : Ann", 2), ("写真：駅", 2), ("a photo of Ann", 1), ("写真を見て", 0)],
)
def test_a_colon_of_a_cue_counts(text: str, strength: int) -> None:
    table = "[en]\nmedia strong: photo: | 写真：\nmedia weak: photo"
    lexicon = compile_cues([*parse_cues(table, "own")], PATTERNS, SEPARATORS)
    assert find(text, lexicon)["cue_media"] == strength


@pytest.mark.parametrize(
    ("text", "strength"),
    [("(DR)", 2), ("Foto: (Dr).", 2), ("Dr. Ann Lee", 1), ("(Dr. Lee)", 1), ("(čtk)", 2), ("čtk", 0), ("dr", 1)],
)
def test_brackets_of_a_cue_of_one_word_count(text: str, strength: int) -> None:
    """ "(dr)" is a credit, "Dr." a title."""
    table = "[en]\nmedia strong: (dr) | (čtk)\nmedia weak: dr"
    lexicon = compile_cues([*parse_cues(table, "own")], PATTERNS, SEPARATORS)
    assert find(text, lexicon)["cue_media"] == strength


def test_words_are_folded() -> None:
    assert [fold_word(token) for token in ("“Newsletter”:", "—", "")] == ["newsletter", "", ""]


def number_forms(forms: list[bytes], names: list[str]) -> FormWords:
    """The numbers of forms in a lexicon of some words without cues."""
    lexicon = replace(load_cues(), names="\n".join(names).encode(), roots=np.full(len(names) + 1, -1, np.int32))
    lexicon = replace(lexicon, keys=lexicon.keys[:0], children=lexicon.children[:0])
    offsets = np.cumsum([0, *map(len, forms)], dtype=np.int64)
    return lexicon.number_forms(Vocabulary(np.frombuffer(b"".join(forms), np.uint8), offsets))


PARTS = (
    st.characters(codec="utf-8").map(str.encode)
    | st.sampled_from("(a:.©Σάİ：क़각\u0f43").map(str.encode)
    | st.integers(1, 255).map(lambda number: bytes((_scan.MARKER, number)))
    | st.just("\ud800".encode("utf-8", "surrogatepass"))
)


@settings(max_examples=200, deadline=None)
@given(st.lists(st.lists(PARTS, min_size=1, max_size=8).map(b"".join), max_size=20))
def test_forms_are_numbered_as_words_are_folded(forms: list[bytes]) -> None:
    """As `fold_word` and `_read_signed` have each; a marker is a sign, and stands for a pattern."""
    tokens = [form.decode("utf-8", "replace") for form in forms]
    folded, signed = [fold_word(token) for token in tokens], [_read_signed(token) for token in tokens]
    words = sorted({word for word in folded + signed if word and "\n" not in word})
    names = ["#", *(word for word in words[::2] if word != "#")]
    found = number_forms(forms, names)
    number_of = {name: place for place, name in enumerate(names, 1)}
    pattern_or_none = [1 if "\ufffd" in token else -1 for token in tokens]
    # Line feeds within ASCII are in no form.
    is_plain = ["\n" not in token or not token.isascii() for token in tokens]
    expected = [number_of.get(word, 0) if word else none for word, none in zip(folded, pattern_or_none, strict=True)]
    assert found.words[is_plain].tolist() == np.array(expected, int)[is_plain].tolist()
    assert found.signed.tolist() == [number_of.get(word, 0) for word in signed]
    assert found.colons.tolist() == [token.endswith((":", "：", "﹕")) for token in tokens]


def test_signs_are_characters_alone() -> None:
    """A character is a sign, or none, whichever part of its small form is looked at; and has room in the kernel.

    Those that Unicode has assigned, or all of them with TEMPLATEMINE_SCALE=1.
    """
    chars = (chr(code) for code in range(128, sys.maxunicode + 1) if not 0xD800 <= code <= 0xDFFF)
    forms = [char.encode() for char in chars if SCALE >= 1 or unicodedata.category(char) not in ("Cn", "Co")]
    number_forms(forms, ["#"])
    longer = [small.decode() for small, _, _, _ in map(_read_char, forms) if len(small.decode()) > 1]
    assert longer == ["i\u0307"]


def test_kernel_refuses_what_lies_outside() -> None:
    lexicon = load_cues()
    forms, names = tokenise("read also")
    with pytest.raises(ValueError, match="string 0: expected it within"):
        lexicon.find(forms, np.array([1], np.int64), np.array([2], np.int32), lexicon.number_forms(names))
    with pytest.raises(ValueError, match="word_of"):
        lexicon.find(
            forms,
            np.zeros(1, np.int64),
            np.array([1], np.int32),
            FormWords(np.array([0, 1 << 30], np.int32), np.zeros(2, np.int32), np.zeros(2, np.uint8)),
        )
