"""The defaults of a run: what a method stands for, and what a user says instead."""

from __future__ import annotations

import warnings
from dataclasses import replace

import pytest

from templatemine.config import MineConfig, PipelineConfig, TokeniseConfig, UserPattern
from templatemine.errors import ConfigError
from templatemine.mining.methods import METHODS, resolve_defaults


@pytest.mark.parametrize("name", METHODS)
def test_what_is_left_open_is_as_the_method_has_it(name: str) -> None:
    options, method = resolve_defaults(PipelineConfig(method=name)), METHODS[name]
    assert options.way is method
    assert options.min_docs == method.min_docs
    assert (options.mine.min_tokens, options.mine.min_share) == (method.min_tokens, method.min_share)
    assert options.tokenise.patterns == method.patterns


@pytest.mark.parametrize("name", METHODS)
def test_what_a_user_says_stays(name: str) -> None:
    own = (UserPattern(name="desk", regex="[A-Z]{3}"),)
    config = PipelineConfig(
        method=name,
        mine=MineConfig(min_docs=3, min_df=4, min_share=0.0, min_tokens=7),
        tokenise=TokeniseConfig(separators="/", patterns="none", user_patterns=own),
    )
    options = resolve_defaults(config)
    assert options.mine == config.mine
    assert options.min_docs == 3
    assert options.tokenise == config.tokenise
    assert [one.name for one in options.patterns.user] == ["desk"]


def test_all_other_options_are_those_of_the_user() -> None:
    config = PipelineConfig()
    options = resolve_defaults(config)
    for name in ("keep_copies", "select", "slots", "sample", "page", "shared"):
        assert getattr(options, name) is getattr(config, name), name


def test_an_unknown_method_is_named() -> None:
    with pytest.raises(ConfigError, match="method: expected learned, energy or thesis, got 'none'"):
        resolve_defaults(PipelineConfig(method="none"))


def test_a_pattern_that_can_never_match_is_told() -> None:
    """A match that holds a separator does not count unless the pattern spans some."""
    own = UserPattern(name="ticket", regex="T-[0-9]+")
    with pytest.warns(UserWarning, match="^patterns: ticket can never match: .* separators '-'; set spans = true"):
        resolve_defaults(PipelineConfig(tokenise=TokeniseConfig(user_patterns=(own,))))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for tokenise in (
            TokeniseConfig(user_patterns=(own,), separators="|"),
            TokeniseConfig(user_patterns=(replace(own, spans=True),)),
            TokeniseConfig(user_patterns=(replace(own, regex="T-?[0-9]+"),)),
        ):
            resolve_defaults(PipelineConfig(tokenise=tokenise))
