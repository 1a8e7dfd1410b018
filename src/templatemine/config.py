"""One frozen record of options a stage; every default says where it came from."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TypedDict

from templatemine.bounds import WORDS, Options, check_record
from templatemine.errors import ConfigError
from templatemine.kinds import DEFAULT_POLICY, POLICIES, Choice

__all__ = [
    "SHIPPED",
    "TEXT_FORMATS",
    "BlogRule",
    "CleanConfig",
    "ExtractConfig",
    "FieldNames",
    "MarkupConfig",
    "MineConfig",
    "PageConfig",
    "PipelineConfig",
    "ReadConfig",
    "RenderConfig",
    "ReportConfig",
    "SampleConfig",
    "SelectConfig",
    "SharedConfig",
    "SlotConfig",
    "TokeniseConfig",
    "UserPattern",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadConfig:
    """Options of reading archives.

    text_field, html_field, source_field, id_field, date_field : names of fields or columns, all different.
    url_field, title_field : names of the fields of the address and the headline; they may equal one of the others, as
        an address is often the id.
    format : a format of `io.formats`; None for the one of each file's suffix.
    source_of : where to take the source from: "domain" or "host" of the address, "field:NAME", "path:N" or "re:REGEX"
        (`io.sources`); None for the source field, or for crawled pages the registered domain.
    source : the source of all records, whatever their fields say; None for `source_of`.
    max_record : largest record in bytes; larger ones are skipped, reported and counted.  64 MiB: more than ten times
        what Common Crawl keeps of a page (5 MiB), and no danger to memory.
    csv_delimiter : one character; None to find it in the header, see `io.csv`.
    csv_encoding : a name of Python, such as "cp1252".
    """

    text_field: str = "text"
    html_field: str = "html"
    source_field: str = "source"
    id_field: str = "id"
    date_field: str = "date"
    url_field: str = "url"
    title_field: str = "title"
    format: str | None = None
    source: str | None = None
    source_of: str | None = None
    max_record: int = 64 << 20
    csv_delimiter: str | None = None
    csv_encoding: str = "utf-8"

    def __post_init__(self) -> None:
        check_record(self)
        names = (self.text_field, self.html_field, self.source_field, self.id_field, self.date_field)
        if not all((*names, self.url_field, self.title_field)):
            raise ConfigError("fields: expected a name for each, got an empty one")
        if self.source is not None:
            if not self.source.strip():
                raise ConfigError(f"source: expected a name, got {self.source!r}")
            rule = f"name:{self.source}"
            if self.source_of not in (None, rule):
                raise ConfigError(
                    f"source and source_of: expected one of them, got {self.source!r} and {self.source_of!r}"
                )
            object.__setattr__(self, "source_of", rule)  # readers know rules alone
        for name in names:
            if names.count(name) > 1:
                raise ConfigError(f"fields: expected a name for each, got {name!r} for more than one")
        if self.csv_delimiter is not None and (len(self.csv_delimiter) != 1 or self.csv_delimiter in '"\r\n\0'):
            raise ConfigError(f"csv_delimiter: expected one character, got {self.csv_delimiter!r}")
        try:
            " ".encode(self.csv_encoding)
        except (LookupError, ValueError) as error:  # not known, or none of text
            known = "expected an encoding of Python, such as cp1252 or latin-1"
            raise ConfigError(f"csv_encoding: {known}, got {self.csv_encoding!r}") from error


class FieldNames(TypedDict, total=False):
    """Names of fields or columns, as in `ReadConfig`."""

    text_field: str
    html_field: str
    source_field: str
    id_field: str
    date_field: str
    url_field: str
    title_field: str


@dataclass(frozen=True, slots=True, kw_only=True)
class UserPattern(Options):
    """A user's own mutable pattern: strings that match `regex` count as equal.

    `spans` allows separators within a match; such a pattern is searched in the text before it is tokenised.
    """

    name: str
    regex: str
    spans: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class TokeniseConfig(Options):
    """Options of tokenising.

    separators : characters that separate tokens, beside white space; the thesis uses the hyphen (section 5.2).
    patterns : a preset of `patterns.TABLE`: "news", "thesis" or "none".
    user_patterns : more patterns of your own.
    text_markup : "html" to decode tags and entities in texts, "none" not to, "auto" to find out.
    """

    separators: str = "-"
    patterns: str = "news"
    user_patterns: tuple[UserPattern, ...] = ()
    text_markup: str = "auto"


@dataclass(frozen=True, slots=True, kw_only=True)
class MineConfig(Options):
    """Least numbers of documents of a source and of a candidate.

    min_docs : sources with fewer documents are skipped.  None: five, or ten for "energy" and "thesis", whose histogram
        has one document per bin if there are fewer.
    min_df, min_share : for "energy" and "thesis", candidates must be in `min_df` documents and in `min_share * n` (step
        7 of the thesis).  Three documents, because two are what a corrected reprint gives.  None for what the method
        asks.
    min_tokens : least tokens of a candidate.  None for what the method asks: two as in the thesis (step 7), or one
        where the edges of a line count as tokens ("CLOSE" on a line of its own).
    max_sources : for "energy" and "thesis", a candidate that this many other sources have, too, is an idiom, not a
        template.
    """

    min_docs: int | None = None
    min_df: int = 3
    min_share: float | None = None
    min_tokens: int | None = None
    max_sources: int = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class SelectConfig(Options):
    """Options of the selection of templates by their scores; most users change `caution` only.

    caution : the odds of the three least scores below are multiplied by it.  2 usually loses less, 0.5 finds more
        (docs/research/loso.md has the figures).  With 2, half of 94 sources lose fewer characters, and four sources
        more, where narrower strings take the place of one that is rejected.
    segment, label, filler : least scores of a whole segment, of a label, and of a label and its filler (the rest of its
        line) in product, for both to go.  Chosen with publishers left out.  With 0.65 for all three, twice the content
        is lost, and F1 is half a point less.  With 0.79 for `filler`, half a point more of stretches are cut in part.
        With 0.65 for `segment`, F1 is a tenth less, wounds are a quarter of a wound fewer, and in small archives much
        less of what repeats is found.
    few, few_share, few_score : a segment in at most `few` documents, and in less than `few_share` of them, needs
        `few_score`, unless it reads like boilerplate, precedes a dash, or is always beside another template.  Of the
        cuts by other segments with less, three in ten took letters of the story.
    continued : least share of a longer label among the occurrences of the one shorter by a token; with less it is a
        chance continuation.
    uncovered : least share of the documents of a label that have it outside of longer labels that are selected.
    prefix_own, suffix_own, filler_own : least share of the occurrences of a label's tokens in which they are the label,
        for it to be cut, and for its filler to be cut with it.
    inline_own : the same for strings in the middle of lines.
    edge : if at least this share of occurrences begin (end) a line, only those are cut.
    """

    segment: float = 0.60
    label: float = 0.70
    filler: float = 0.75
    caution: float = 1.0
    few: int = 5
    few_share: float = 0.02
    few_score: float = 0.8
    continued: float = 0.12
    uncovered: float = 0.25
    prefix_own: float = 0.1
    suffix_own: float = 0.3
    filler_own: float = 0.5
    inline_own: float = 0.25
    edge: float = 0.9


@dataclass(frozen=True, slots=True, kw_only=True)
class SlotConfig(Options):
    """Options of the slots of templates.

    kinds : give slots the type of the fillers that were seen (`slot_types`); if False, they match any text.
    unseen : share of fillers that a typed slot may miss, although none was seen in the archive (rule of three); with
        one half, six documents with fillers must agree.
    """

    kinds: bool = True
    unseen: float = 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class SampleConfig(Options):
    """Options of sampling: larger sources are mined from a sample, and the templates counted in all documents.

    documents : size m of the sample.  A string in a share s of the documents must be in the sample three times.  By
        Chernoff's bound it is missed with a probability of at most exp(-(m s - 2)^2 / (2 m s)): with m = 6,500, one in
        a hundred for s = 0.2 %, one in a million for s = 0.5 %.
    seed : the sample are the documents whose ids have the smallest hashes under this seed, in any order of documents.
    exact : never sample.
    """

    documents: int = 6500
    seed: int = 1
    exact: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class PageConfig(Options):
    """Options of finding the main text of a page; docs/pages.md and docs/history.md have the formulas.

    Most users change the first three only.

    headline : "keep" or "drop" the headline, and date and byline below it.  Most gold standards include them;
        scrapinghub's does not (docs/pages.md, section 3).
    keep : "main" for the main text, or "all" for all but boilerplate: also readers' comments, and text beside the
        story, as CleanEval counts it.
    kind : the kind of the pages, such as "article" or "forum"; "auto" to predict it (docs/pages.md, section 2).
    min_pages : the page history is used from this many pages on (three bring 0.6 to 1.0 points of F1, mean over 84
        sites; see docs/research/pages.md).
    vote, vote_pages : weight of the page history against the page model, in log odds: vote n / (n + vote_pages) for a
        path on n pages.  vote_unknown : the weight for a path that no page had, by the path's container.
    prior_words : words with the share of main text of the container, or of the source, that are added to each path.
    once, several : gain of a block whose path occurs once per page, and loss of one whose path occurs more often, in
        log odds.  They apply if the path's share of main text is at least `doubt_from` and, for a loss, below
        `doubt_to`.  The loss is that of a path on half of the pages, and smaller if fewer have it, or more of its
        container is main text.
    strange, story_words : loss of a block under an unknown path, in log odds, on pages with at least `story_words`
        expected words of main text under known paths.
    repeat : a block whose text is on df of n pages under its path loses repeat * ln(1 + df) in log odds.  A block of
        fewer than ten words (twenty characters of a script without spaces) loses (df / n) to the power
        1 / (2 sqrt(1 - e)) of that, e being the path's share of main text.
    text_chance : a text is remembered if the page model gave it this probability on some page; other texts are dropped
        anyway.
    smooth : weight of isotonic regression over the tree of elements; 0 changes nothing, 1 gives much recall for much
        precision (docs/research/quality.md, steps of pages).
    smooth_price, smooth_inner : price of a fall from a container to its contents, in shares of the page's words; weight
        of a container's own mean beside its blocks.
    fill, fill_share : a block between chosen blocks is chosen, too, if its probability is at least `fill`, and its path
        holds `fill_share` of the chosen words.
    least : if no block has a greater probability, the best stretch of the page is taken.
    """

    min_pages: int = 3
    vote: float = 0.6
    vote_pages: float = 3.0
    vote_unknown: float = 0.3
    prior_words: float = 20.0
    once: float = 0.75
    several: float = 2.5
    doubt_from: float = 0.2
    doubt_to: float = 0.8
    strange: float = 2.0
    story_words: float = 60.0
    repeat: float = 3.0
    text_chance: float = 0.08
    smooth: float = 0.25
    smooth_price: float = 0.03
    smooth_inner: float = 0.1
    fill: float = 0.12
    fill_share: float = 0.25
    least: float = 0.1
    headline: str = "keep"
    keep: str = "main"
    kind: str = "auto"


@dataclass(frozen=True, slots=True, kw_only=True)
class MarkupConfig(Options):
    """What Markdown, TEI and JSON hold beside the text of a page and its emphasis.

    links, images : include them, with full addresses.
    tables : keep tables of data; if False, their cells become paragraphs.
    comments : include readers' comments, as a part of their own.
    metadata : include it as front matter of Markdown; the header of TEI always has it.
    """

    links: bool = False
    images: bool = False
    tables: bool = True
    comments: bool = False
    metadata: bool = False


TEXT_FORMATS = WORDS["CleanConfig.text_format"]
"""Formats of the main text of a page: one block per line, or with its structure."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CleanConfig:
    """Options of cleaning.

    choice : which kinds of boilerplate are cut; all but notes by default.
    whole_lines : in texts, cut whole lines only, which misses more and damages less.
    guard : a text of which a greater share is boilerplate is a stub.
    stubs : "mark" to clean and mark them, "keep" to leave them whole, "drop" to leave out their records ("clean" is the
        old name of "mark").
    gap : cuts with fewer characters than this between them become one; 3 covers a blank line, but no word of three
        letters.
    engine : "native" or "regex"; both give the same spans, native is faster.
    html : for pages, "main" for the main text, or "strip" for all text without templates.
    page : for pages, how the main text is found.
    text_format : for the main text of pages, one of `TEXT_FORMATS`; texts stay plain.
    markup : what the text format holds beside the text.
    """

    gap: int = 3
    guard: float = 0.9
    stubs: str = "mark"
    engine: str = "native"
    html: str = "main"
    page: PageConfig = field(default_factory=PageConfig)
    text_format: str = "text"
    markup: MarkupConfig = field(default_factory=MarkupConfig)
    choice: Choice = POLICIES[DEFAULT_POLICY]
    whole_lines: bool = False

    def __post_init__(self) -> None:
        check_record(self)
        form, markup = self.text_format, self.markup
        if form == "text" and markup != MarkupConfig():
            raise ConfigError(f"markup: expected text_format {' or '.join(TEXT_FORMATS[1:])}, got text")
        if form == "json" and (markup.comments or markup.metadata):
            raise ConfigError("markup: comments and metadata: expected text_format markdown or tei, got json")
        if form != "text" and self.html == "strip":
            raise ConfigError(f"text_format: expected text with html strip, got {form}")

    def plain(self) -> CleanConfig:
        """Return the same options for plain text, as it is compared and measured."""
        return replace(self, text_format="text", markup=MarkupConfig())


@dataclass(frozen=True, slots=True, kw_only=True)
class BlogRule(Options):
    """A mark of a part of posts in a user's own blogs, see `pages.blog_rules.RULES`.

    part : a key of that table.  tags, like, item : names of elements; patterns of their classes and ids; words of
    itemprop or itemtype.  Each parted by blanks, and "" for any.
    """

    part: str
    tags: str = ""
    like: str = ""
    item: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ExtractConfig(Options):
    """Options of the systems that extract pages.

    clean : for hybrid: options of the page model and the page history (`CleanConfig.page`).
    choice : which kinds of boilerplate are cut from the story and just before it; None for what the system decides.
    density_share : density enters a node that holds more than this share of its parent's characters; one half in Baisa
        (2009), algorithm 1.
    sparse : density drops a page whose target node holds fewer characters than this per structural element; None keeps
        all pages.  Ten in Baisa (2009), appendix, SPARSE_DENSITY.
    main_block : shallow keeps only the main block (equation 7 of San and Aye), not all content.
    prune : diff leaves pages of another structure than the reference page to density (option -p there).
    from_target : diff compares only the target nodes of both pages (option -f there).
    other : crf keeps runs with a probability of boilerplate below this.  Less means more precision and less recall; one
        half is the default of Spousta, Marek and Pecina (2008), figure 2.
    blog_rules : "all" rules of blog, or only those of the "paper" (section 4 of Petasis and Petasis).
    blog_own : your own rules, tried first.
    """

    clean: CleanConfig = field(default_factory=CleanConfig)
    density_share: float = 0.5
    sparse: float | None = None
    main_block: bool = False
    prune: bool = True
    from_target: bool = False
    other: float = 0.5
    blog_rules: str = "all"
    blog_own: tuple[BlogRule, ...] = ()
    choice: Choice | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RenderConfig(Options):
    """Options of the browser that runs the scripts of pages (`pages.rendering`).

    network : what a page may load beside itself: "none"; from its "origin", the host and port of its address; or "any".
    allow_private : with these, also from this machine and from local networks.
    seconds : a page has this long from the first script to the last; ten is what users of the web wait (Nielsen,
        Usability Engineering, 1993, section 5.5).
    settle : of a page's own clock, which runs ahead while nothing happens: a script that waits longer than this many
        seconds is not waited for.
    max_bytes : a page of more is left as it came, before its scripts and behind them.  8 MiB: the bound of a crawl.
    max_loaded : bytes that a page may send and load.
    program : path of Chromium; None for the environment's CHROMIUM, Playwright's own, or one that is installed.
    sandbox : Chromium's own, between its processes and the system; it does not start as root with it.
    """

    network: str = "none"
    allow_private: bool = False
    seconds: float = 10.0
    settle: float = 5.0
    max_bytes: int = 8 << 20
    max_loaded: int = 32 << 20
    program: str | None = None
    sandbox: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class SharedConfig(Options):
    """Options of the pack of what many sources share, see `shared_pack`.

    least, share : a template must be one in `least` sources, and in this share of all.  Five: sister papers of one
        publisher are often three or four.
    agree : it must also be one in this share of the sources that have the string.
    """

    least: int = 5
    share: float = 0.01
    agree: float = 0.5


SHIPPED = "shipped"
"""Name of the model that is no file."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PipelineConfig(Options):
    """Options of mining, for all its stages.

    method : "learned" (by a trained score), "energy" (by document frequency) or "thesis".
    tokenise, mine, select, slots, sample, page : options of the stages.
    keep_copies : count copies and versions of a story as different documents, see `near_duplicates`.
    shared : options of the pack of what many sources share; None makes none.
    model : the scoring model (`mining.score`): "shipped", or a file made by datasets/templates/train.py.
    cues : a file of your own cues, beside those that ship (`mining.cues`).

    Examples
    --------
    >>> config = PipelineConfig(select=SelectConfig(caution=2), mine=MineConfig(min_docs=10))  # doctest: +SKIP
    >>> packs = templatemine.mine("archive.jsonl.gz", config)  # doctest: +SKIP
    """

    method: str = "learned"
    tokenise: TokeniseConfig = field(default_factory=TokeniseConfig)
    mine: MineConfig = field(default_factory=MineConfig)
    keep_copies: bool = False
    select: SelectConfig = field(default_factory=SelectConfig)
    slots: SlotConfig = field(default_factory=SlotConfig)
    sample: SampleConfig = field(default_factory=SampleConfig)
    page: PageConfig = field(default_factory=PageConfig)
    shared: SharedConfig | None = None
    model: str = SHIPPED
    cues: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportConfig(Options):
    """Limits of a report, per source unless noted; with these, fifty sources stay below 5 MB (docs/report.md).

    samples : articles with cuts; half of them are those that lose the greatest share, where harm is likeliest.
    context : characters shown beside a cut; longer stretches between cuts are hidden and counted.
    characters : characters shown of an article; the rest is counted.
    rows : rows in the tables of templates of all sources together; the largest tables are shortened first.
    rejected : candidates listed for each reason, the nearest to acceptance first.
    points : steps of the strip that shows when a template was seen.
    risky : templates at the head of the report: the riskiest, and those that remove most.
    looked : changed articles that are searched for examples and residues.
    clean : how the articles of the archive are cleaned.
    """

    samples: int = 6
    context: int = 240
    characters: int = 4000
    rows: int = 3500
    rejected: int = 15
    points: int = 24
    risky: int = 5
    looked: int = 200
    clean: CleanConfig = field(default_factory=CleanConfig)
