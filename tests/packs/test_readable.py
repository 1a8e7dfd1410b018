"""Tokens as people read them."""

from __future__ import annotations

import pytest

from templatemine.packs.readable import join_tokens, sought_words


@pytest.mark.parametrize(
    ("tokens", "example", "text"),
    [
        (["S", "au", "reîntâlnit"], "S-au reîntâlnit", "S-au reîntâlnit"),
        (["reality", "show", "ului"], "reality show-ului", "reality show-ului"),
        (["(afp/", "nxp)"], "(afp/-nxp)", "(afp/-nxp)"),
        (["{number}", "year", "old"], "10-year-old", "{number}-year-old"),
        (["{number}", "{number}", "of", "us"], "2019 - 2020\nof  us", "{number} - {number} of us"),
        (["Photo:", "{slot}", "in", "chief"], "Photo: Ann-Marie, editor-in-chief", "Photo: {slot}-in-chief"),
        (["{slot}", "{number}", "pm"], "Ann-Marie 7 pm", "{slot} {number} pm"),
        (["do", "n't", "re", "read"], "do n’t re-read", "do n't re-read"),  # the reading form of the example
        (["a", "-b"], "a -b", "a -b"),
        (["of", "no", "use"], "another-example", "of no use"),
        (["no", "example"], "", "no example"),
        (["日", "本", "News"], "日本-News", "日本-News"),
        ([], "-", ""),
    ],
)
def test_hyphens_between_tokens_are_those_of_the_example(tokens: list[str], example: str, text: str) -> None:
    """They vanished: "S au reîntâlnit"."""
    assert join_tokens(tokens, example) == text
    assert join_tokens(tokens) == " ".join(tokens).replace("日 本 ", "日本")


@pytest.mark.parametrize(
    ("tokens", "example", "text"),
    [
        (["Spring/", "Kai", "Rees"], "Spring/Kai Rees", "Spring/Kai Rees"),
        (["Read", "also:", "The", "mill"], "Read also:The mill", "Read also:The mill"),
        (["Also:", "{month_other}", "is"], "Also:May is", "Also:{month} is"),
        (
            ["{number}", "{number}", "/", "Kai"],
            "3 4/Kai",
            "{number} {number} / Kai",
        ),  # where its word ends is not known
        (["{slot}", "Kai/", "Rees"], "By Ann Kai/Rees", "{slot} Kai/Rees"),
        (["other", "words"], "words", "other words"),
    ],
)
def test_nothing_parts_tokens_that_nothing_parts_in_the_example(tokens: list[str], example: str, text: str) -> None:
    """It was shown as "Spring/ Kai Rees", which no article has."""
    assert join_tokens(tokens, example) == text


@pytest.mark.parametrize(
    ("tokens", "example", "text"),
    [
        (["{number}", "機", "種", "Wi", "Fi"], "17機種 Wi-Fi", "{number}機種Wi-Fi"),
        (["「", "SH", "{number}D", "」", "と", "S", "MAX"], "「SH-07D」と - S-MAX", "「SH-{number}D」と - S-MAX"),
    ],
)
def test_what_has_a_pattern_ends_where_a_script_without_blanks_goes_on(
    tokens: list[str], example: str, text: str
) -> None:
    assert join_tokens(tokens, example) == text


def test_a_month_is_a_month_in_any_language() -> None:
    """People were shown "{day} {month_other}", which says more of the program than of the template."""
    tokens = ["({month_other}", "{number_world},", "{weekday_short}", "{my_other}", "{{month_other}}"]
    assert join_tokens(tokens) == "({month} {number}, {weekday} {my_other} {{month_other}}"
    assert join_tokens(["el", "{month_other}", "pm"], "el mayo-pm") == "el {month}-pm"
    assert sought_words(["de", "{month_other}"]) == "de {month}\nde {month_other}"
