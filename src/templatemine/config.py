"""One frozen record of options a stage; every default says where it came from."""

from __future__ import annotations

from dataclasses import dataclass, field

__all__ = [
    "CleanConfig",
    "CrossSiteConfig",
    "CutoffConfig",
    "MineConfig",
    "PipelineConfig",
    "ReadConfig",
    "TokeniseConfig",
    "UserPattern",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadConfig:
    """Names of the fields in JSON lines."""

    text_field: str = "text"
    html_field: str = "html"
    source_field: str = "source"
    id_field: str = "id"


@dataclass(frozen=True, slots=True, kw_only=True)
class UserPattern:
    """A mutable pattern of the user's own: strings that match `regex` count as equal.

    `spans` allows a match to hold separators; such a pattern is looked for in the running text, before tokenising.
    """

    name: str
    regex: str
    spans: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class TokeniseConfig:
    """How text becomes tokens.

    separators : characters that part tokens beside white space; the thesis uses the hyphen (section 5.2).
    patterns : name of a preset of `patterns.TABLE`: "news", "thesis" or "none".
    """

    separators: str = "-"
    patterns: str = "news"
    user_patterns: tuple[UserPattern, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class MineConfig:
    """Which strings are looked at.

    min_docs : a source with fewer documents is skipped: with less than ten, one bin of the histogram is one document.
    min_df, min_share : the document floor of step 7, the greater of `min_df` and `min_share * n`.  Three documents,
        because two are what a corrected reprint gives.
    min_tokens : two, as in the thesis (step 7).
    """

    min_docs: int = 10
    min_df: int = 3
    min_share: float = 0.002
    min_tokens: int = 2
    force64: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class CutoffConfig:
    """bins : 100 as in the thesis (step 9).  level, draws, seed : of the test for a second mode, see `cutoff`."""

    bins: int = 100
    level: float = 0.01
    draws: int = 199
    seed: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class CrossSiteConfig:
    """max_sources : a string that stands among those of this many other sources is an idiom, not a template."""

    max_sources: int = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class CleanConfig:
    """gap : two cuts with fewer characters than this between them become one; 3 swallows a blank line, no word of three
    letters.  engine : "native" or "regex"; both give the same spans.
    """

    gap: int = 3
    engine: str = "native"


@dataclass(frozen=True, slots=True, kw_only=True)
class PipelineConfig:
    """Options of every stage; `method` names the way templates are decided upon."""

    method: str = "default"
    tokenise: TokeniseConfig = field(default_factory=TokeniseConfig)
    mine: MineConfig = field(default_factory=MineConfig)
    cutoff: CutoffConfig = field(default_factory=CutoffConfig)
    crosssite: CrossSiteConfig = field(default_factory=CrossSiteConfig)
