"""The methods, and the options of a run with the defaults of its method: resolved once, at the edge.

`resolve_defaults` makes a `ResolvedConfig` of a user's options; all stages take that, so that none of them asks
again what a method stands for.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace

from templatemine.config import PipelineConfig, TokeniseConfig
from templatemine.errors import warn_caller
from templatemine.mining.cues import CueLexicon, load_cues, read_cues
from templatemine.mining.score import Model, load_model
from templatemine.text.literals import always_holds
from templatemine.text.patterns import PatternSet, pattern_set


@dataclass(frozen=True, slots=True, kw_only=True)
class Method:
    """A way to decide which candidates are templates.

    Attributes
    ----------
    patterns : str
        Preset of mutable patterns.
    min_docs : int
        Fewest documents that a source is mined of.
    min_tokens, min_share : int, float
        Shortest string and least share of documents that are looked at, unless the user says otherwise.
    shared_first : bool
        Take the strings of other sources out before the histogram is cut, so that the cut is looked for among the
        source's own strings.
    gate : bool
        Cut only where there is a second mode.
    learned : bool
        Decide by the scores of a trained model instead of the histogram; candidates are segments of lines.
    """

    patterns: str
    min_docs: int
    min_tokens: int
    min_share: float
    shared_first: bool = False
    gate: bool = False
    learned: bool = False


METHODS: Mapping[str, Method] = {
    "learned": Method(patterns="news", min_docs=5, min_tokens=1, min_share=0.0, learned=True),
    "energy": Method(patterns="news", min_docs=10, min_tokens=2, min_share=0.002, shared_first=True, gate=True),
    "thesis": Method(patterns="thesis", min_docs=10, min_tokens=2, min_share=0.002),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ResolvedConfig(PipelineConfig):
    """The options of `PipelineConfig`, with all that its method stands for."""

    def __post_init__(self) -> None:
        """Check nothing: the options were checked as they were made."""

    @property
    def way(self) -> Method:
        """Return the method itself."""
        return METHODS[self.method]

    @property
    def patterns(self) -> PatternSet:
        """Return the mutable patterns."""
        return pattern_set(self.tokenise.patterns, self.tokenise.user_patterns)

    @property
    def scorer(self) -> Model:
        """Return the model that scores candidates."""
        return load_model(self.model)

    @property
    def lexicons(self) -> tuple[CueLexicon, ...]:
        """Return the cues: those that are shipped, and those of the user's own."""
        own = () if self.cues is None else (read_cues(self.cues, self.patterns, self.tokenise.separators),)
        return (load_cues(), *own)

    @property
    def min_docs(self) -> int:
        """Return the fewest documents that a source is mined of."""
        return self.way.min_docs if self.mine.min_docs is None else self.mine.min_docs


def _find_idle_patterns(tokenise: TokeniseConfig) -> list[str]:
    """Return the names of a user's patterns whose matches all hold a separator, and that span none."""
    pattern_set(tokenise.patterns, tokenise.user_patterns)  # has the error of one that does not compile
    return [
        one.name
        for one in tokenise.user_patterns
        if not one.spans and always_holds(one.regex, lambda char: char.isspace() or char in tokenise.separators)
    ]


def resolve_defaults(config: PipelineConfig) -> ResolvedConfig:
    """Return the options of a run, unset ones by the method."""
    method, mine, tokenise = METHODS[config.method], config.mine, config.tokenise
    if tokenise.patterns == TokeniseConfig().patterns:
        tokenise = replace(tokenise, patterns=method.patterns)
    if idle := _find_idle_patterns(tokenise):
        warn_caller(
            f"patterns: {', '.join(idle)} can never match: all that the expression matches holds white space or one of "
            f"the separators {tokenise.separators!r}; set spans = true, or give other separators"
        )
    resolved = {
        "tokenise": tokenise,
        "mine": replace(
            mine,
            min_tokens=method.min_tokens if mine.min_tokens is None else mine.min_tokens,
            min_share=method.min_share if mine.min_share is None else mine.min_share,
        ),
    }
    return ResolvedConfig(**{field.name: getattr(config, field.name) for field in fields(PipelineConfig)} | resolved)
