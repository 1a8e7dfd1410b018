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

    text_field, html_field, source_field, id_field, date_field : names of the fields, or columns; no two may be the
        same.
    url_field, title_field : those of the address and of the headline, which may also be one of the others: an address
        is often the id.
    format : name of a format of `io.formats`; None to go by the suffix of each file.
    source_of : rule for the source of a record, see `io.sources`; None for what the format has (the field, or the
        registered domain of the page).
    source : of all records, whatever they say; None to go by `source_of`.
    max_record : bytes of the largest record that is read; a larger one is skipped, reported and counted.  64 MiB: more
        than ten times what Common Crawl keeps of a page (5 MiB), and still no danger to memory.
    csv_delimiter : the character between the columns of CSV; None to find it in the header, see `io.csv`.
    csv_encoding : of CSV, as Python calls it.
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
    """Names of the fields of records, or columns of tables; see `ReadConfig`."""

    text_field: str
    html_field: str
    source_field: str
    id_field: str
    date_field: str
    url_field: str
    title_field: str


@dataclass(frozen=True, slots=True, kw_only=True)
class UserPattern(Options):
    """A mutable pattern of the user's own: strings that match `regex` count as equal.

    `spans` allows a match to hold separators; such a pattern is looked for in the running text, before tokenising.
    """

    name: str
    regex: str
    spans: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class TokeniseConfig(Options):
    """Options of tokenising.

    separators : characters that part tokens beside white space; the thesis uses the hyphen (section 5.2).
    patterns : name of a preset of `patterns.TABLE`: "news", "thesis" or "none".
    text_markup : "html" if texts hold tags and entities, which are decoded for tokens, "none" if not, "auto" to look.
    """

    separators: str = "-"
    patterns: str = "news"
    user_patterns: tuple[UserPattern, ...] = ()
    text_markup: str = "auto"


@dataclass(frozen=True, slots=True, kw_only=True)
class MineConfig(Options):
    """Numbers of documents: of a source that is mined, and of a string that is looked at; and of a string's sources.

    min_docs : a source with fewer documents is skipped; None: five, or ten for methods that cut a histogram, of which
        one bin is a document if there are fewer.
    min_df, min_share : of methods that cut a histogram, the document floor of step 7: the greater of `min_df` and
        `min_share * n`.  Three documents, because two are what a corrected reprint gives.  None for what the method
        asks.
    min_tokens : None for what the method asks: two as in the thesis (step 7); one where the edges of a line count as
        tokens ("CLOSE" on a line of its own).
    max_sources : of methods that cut a histogram: a string that is among those of this many other sources is an idiom,
        not a template.
    """

    min_docs: int | None = None
    min_df: int = 3
    min_share: float | None = None
    min_tokens: int | None = None
    max_sources: int = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class SelectConfig(Options):
    """Options of choosing templates among candidates by their scores.

    segment, label, filler : least scores, for `caution` 1: of a whole segment, of a label, and the product of the
        scores of a label and of what fills its line, for both to go.  Chosen with publishers left out: with 0.65
        for all three twice the content is lost, and F1 is half a point less; with 0.79 for the last half a point
        more of stretches are cut in part.  With 0.65 for segments a tenth less of F1, a quarter of a wound fewer, and
        much less of what repeats in small archives is found.
    caution : how many times likelier than that candidates must be: the odds of all three are multiplied by it.  2
        loses less, 0.5 finds more (docs/research/loso.md has the figures).  That is so as a rule: with 2 half of 94
        sources lose fewer characters, and four more, as narrower strings take the place of one that is rejected.
    few, few_share, few_score : a segment in at most so many documents, and in less than this share of them, must have
        this score, unless it reads like boilerplate, goes before a dash, or is beside another template wherever it
        stands: of the cuts of others with less, three in ten took letters of the story.
    continued : least share of a longer label among the occurrences of the one shorter by a token, or it is a chance
        continuation of that.
    uncovered : least share of the documents of a label that have it but not within a longer one that is chosen.
    prefix_own, suffix_own, filler_own : least share of all occurrences of a label's tokens that are the label, for it
        to go at all, and for its filler to go with it.
    inline_own : the same for strings in the middle of lines.
    edge : from this share of occurrences on that begin (end) a line, only those are cut.
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

    kinds : only fillers of the kind that was seen (`slot_types`); else anything.
    unseen : a slot of a kind may refuse this share of its fillers, by the rule of three, without one such seen in the
        archive: six documents with fillers must agree.
    """

    kinds: bool = True
    unseen: float = 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class SampleConfig(Options):
    """A source of more documents is mined from a sample, and what is found there is counted in all of them.

    documents : size of the sample.  A string of document share s is looked at if the sample holds it three times; by
        Chernoff's bound it is missed with a chance of at most exp(-(m s - 2)^2 / (2 m s)), which for s = 0.2 % and
        m = 6,500 is one in a hundred, and for s = 0.5 % one in a million.
    seed : the sample is the documents whose ids have the least hashes under this seed, in whatever order they come.
    exact : never sample.
    """

    documents: int = 6500
    seed: int = 1
    exact: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class PageConfig(Options):
    """Options of finding the main text of a page; docs/pages.md has the formulas.

    min_pages : a source with fewer pages has no say (three bring 0.6 to 1.0 points of F1, mean over 84 sites; see
        docs/research/pages.md).
    vote, vote_pages : weight of the path's vote against the page model, in log odds, where the path is on many
        pages; on n of them it is vote n / (n + vote_pages).  vote_unknown : the same for a path that no page of the
        source had, of which only what holds it is known.
    prior_words : words with the share of what holds it, or of the whole source, that are added to each path's votes.
    once, several : what a block gains whose path occurs once on each page, and loses where it occurs more often, in log
        odds, if the path's share of main text leaves doubt: is at least `doubt_from` and, for a loss, below `doubt_to`.
        The loss is that of a path on half of the pages; it is the smaller the fewer have it, and the more of what holds
        the path is main text.
    strange, story_words : what a block loses whose path the source's other pages do not have, in log odds, on pages
        with at least `story_words` words that are expected to be main text where other pages have theirs.
    repeat : a block whose text df of n pages have under its path loses repeat * ln(1 + df) in log odds, one of fewer
        than ten words (twenty characters of a script without spaces) (df / n) to the power 1 / (2 sqrt(1 - e)) of that,
        e being the path's share of main text.
    text_chance : a text is remembered if the page model gave it this probability on a page; what the model never holds
        for possible needs no second witness.
    smooth : share of what isotonic regression over the tree makes of a probability; 0 leaves it as it is, 1 gives much
        recall for much precision (docs/research/quality.md, steps of pages).
    smooth_price, smooth_inner : what a fall from a container to what it holds costs, in shares of the page's words; and
        what a container's own mean weighs beside its blocks.
    fill, fill_share : a block between chosen ones is chosen too if its probability is at least `fill` and its path
        holds `fill_share` of the chosen words.
    least : if no block's probability is greater, the best stretch of the page is taken.
    headline : "keep" or "drop" the headline of the page and what is dated or signed below it.  Most sets of pages with
        gold count them in, and a reader misses them; scrapinghub's leaves them out (docs/pages.md, section 3).
    keep : "main", the main text, or "all" that is no boilerplate: also comments of readers, and text beside the story,
        as CleanEval counts it.
    kind : what pages are, such as "article" or "forum"; "auto" to tell it from each page (docs/pages.md, section 2).
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
    """Contents of Markdown, TEI and data beside the text of a page and its emphasis.

    links, images : with addresses in full.
    tables : of data, as tables; else their cells are paragraphs.
    comments : those of readers, as a part of their own.
    metadata : in Markdown, as front matter; TEI has it in its header in any case.
    """

    links: bool = False
    images: bool = False
    tables: bool = True
    comments: bool = False
    metadata: bool = False


TEXT_FORMATS = WORDS["CleanConfig.text_format"]
"""Format of the main text of a page (`Extraction.written`): a line a block, or with its structure."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CleanConfig:
    """gap : two cuts with fewer characters than this between them become one; 3 swallows a blank line, no word of three
    letters.  engine : "native" or "regex"; both give the same spans.  html : of pages, give "main", the main text, or
    "strip", all text that is in no template.  guard : a text of whose characters a greater share is boilerplate
    is a stub, and marked.  stubs : "mark" them and clean them, "keep" them whole, or "drop" their records; "clean" is
    the old name of "mark".  text_format : one of `TEXT_FORMATS`, for the
    main text of pages; texts stay plain.  markup : content beside the text, if the format is not plain.
    choice : which kinds of boilerplate are cut.  whole_lines : cut whole lines of texts alone, which leaves more and
    damages less.
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
        """Return the same for plain text, as it is compared and measured."""
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
    """Options of the page-level systems.

    clean : for hybrid, how the page model and the history of the site decide.
    density_share : density goes down into a node that holds more than this share of its parent's characters; one half
        in Baisa (2009), algorithm 1.
    sparse : density drops a page whose target node holds fewer characters than this for each structural element; None
        keeps all.  Ten in Baisa (2009), appendix, SPARSE_DENSITY.
    main_block : shallow keeps the main block alone (equation 7 of San and Aye), instead of all that is content.
    prune : diff leaves a page that is built otherwise than its reference page to density (option -p there).
    from_target : diff compares the target nodes of both pages alone (option -f there).
    other : crf keeps text for which the probability of being none is below this; less means more precision and less
        recall, one half is the default of Spousta, Marek and Pecina (2008), figure 2.
    blog_rules : blog goes by "all" its rules, or by those of the "paper" alone (section 4 of Petasis and Petasis).
    blog_own : rules of the user's own, tried before those.
    choice : which kinds of boilerplate stay in and just before the story, and which go from it; None for what the
        system decides.
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
    """Options of the shared pack, see `shared_pack`.

    least, share : sources that must claim a template, at least; the greater of a number, and a share of all sources.
        Five: sister papers of one publisher are often three or four.
    agree : least share of the sources that have the string at all.
    """

    least: int = 5
    share: float = 0.01
    agree: float = 0.5


SHIPPED = "shipped"
"""Name of the model that is no file."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PipelineConfig(Options):
    """Options of every stage; `method` names the way templates are decided upon.

    keep_copies : count copies and versions of a story like other documents, see `near_duplicates`.
    shared : of the pack of what many sources share; None for none.
    model : what scores candidates (`mining.score`): the one that is shipped, or a file of datasets/templates/train.py.
    cues : a file of cues of the user's own, beside those that are shipped (`mining.cues`); None for none.
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
    """Limits of a report for each source; with these a report of fifty sources stays below 5 MB (docs/report.md).

    samples : articles with cuts, half of them those that lose the greatest share, which is where harm would be.
    context : characters beside a cut; longer stretches between cuts are hidden, and counted.
    characters : of an article that are shown; what follows is counted.
    rows : rows of the tables of templates of all sources together; where there are more, those of the greatest are cut.
    rejected : strings listed for each reason, the nearest to being templates first.
    points : steps of the strip that tells when a template was seen.
    risky : templates at the head of the report, those at most risk and those that remove most.
    looked : articles that change, of each source, that are searched for examples and residues.
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
