"""Cleaning: one pack applied to articles of 2 to 10 KB, against other ways to apply the same expressions."""

from __future__ import annotations

import hashlib
import statistics
import time
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

from benchmark_archives import EXPRESSIONS, count_bytes, load_texts
from harness import GROUPS, Bench, Claim, Figure, Measure, Record, round_digits

__all__ = ["CLEANING", "load_articles", "make_fresh"]

NAME = "clean"
VARIANTS = {number: f"{number:,} expressions" for number in EXPRESSIONS}
DENSE = "dense"
IN_TURN = "all packs in turn"
SPREAD = "slowest_by_fastest"


def load_articles(bench: Bench, megabytes: float = 1e9) -> list[str]:
    """The first articles, of about so many megabytes, at least one."""
    chosen: list[str] = []
    left = megabytes * 1e6
    for text in load_texts(bench.folder / "articles.jsonl"):
        if chosen and left <= 0:
            break
        chosen.append(text)
        left -= len(text.encode())
    return chosen


def make_fresh(texts: Iterable[str]) -> Callable[[], list[str]]:
    """A maker of strings that were not there before: Python keeps the UTF-8 of a str once someone has asked for it."""
    encoded = [text.encode() for text in texts]
    return lambda: [text.decode() for text in encoded]


def _load_pack(bench: Bench, number: int) -> Any:
    from templatemine.packs.pack import Pack

    return Pack.load(bench.folder / f"expressions-{number}.json")


def _measure_cleaner(bench: Bench, number: int) -> Record:
    from templatemine.cleaning.cleaner import Cleaner

    return _measure_cleaning(bench, Cleaner(_load_pack(bench, number)).clean, load_articles(bench))


def _measure_in_turn(bench: Bench) -> Record:
    """All packs in one process, one after the other in each round: rows of their own lie minutes apart, in which the
    machine may become slower than a pack can make it."""
    from templatemine.cleaning.cleaner import Cleaner

    texts = load_articles(bench)
    cleaners = [Cleaner(_load_pack(bench, number)).clean for number in EXPRESSIONS]
    spreads: list[float] = []

    def run(rounds: list[list[str]]) -> None:
        seconds = []
        for clean, given in zip(cleaners, rounds, strict=True):
            began = time.thread_time()
            for text in given:
                clean(text)
            seconds.append(time.thread_time() - began)
        spreads.append(max(seconds) / min(seconds))

    again = make_fresh(texts)
    size = len(cleaners) * count_bytes(texts)
    record = bench.time(run, prepare=lambda: [again() for _ in cleaners], size=size, max_runs=15, documents=len(texts))
    return {**record, SPREAD: round_digits(statistics.median(spreads))}


def _measure_dense(bench: Bench) -> Record:
    from templatemine.cleaning.cleaner import Cleaner
    from templatemine.packs.pack import Pack

    return _measure_cleaning(
        bench, Cleaner(Pack.load(bench.folder / "dense.json")).clean, load_texts(bench.folder / "dense.jsonl")
    )


def _measure_cleaning(bench: Bench, clean: Callable[[str], Any], texts: list[str]) -> Record:
    def run(given: list[str]) -> None:
        for text in given:
            clean(text)

    cuts = sum(len(clean(text).removed) for text in texts) / len(texts)
    size = count_bytes(texts)
    return bench.time(run, prepare=make_fresh(texts), size=size, documents=len(texts), cuts_an_article=round(cuts, 1))


# ----------------------------------------------------------------------------------------------------------- contenders

# A contender gives, for a list of expressions, a function that finds all matches in a text and says how many; and how
# many of the expressions it could not take.
Finder = tuple[Callable[[str], int], int]


def _compile_separately(expressions: list[str], module: str) -> Finder:
    from importlib import import_module

    compiled = [import_module(module).compile(expression) for expression in expressions]

    def find(text: str) -> int:
        return sum(1 for one in compiled for _ in one.finditer(text))

    return find, 0


def _compile_re2_set(expressions: list[str]) -> Finder:
    import re2

    from templatemine.text.expressions import for_re2

    options = re2.Options()
    options.max_mem = 1 << 30
    re2_set = re2.Set.SearchSet(options)
    for expression in expressions:
        re2_set.Add(for_re2(expression))
    re2_set.Compile()
    return lambda text: len(re2_set.Match(text) or ()), 0


def _compile_hyperscan(expressions: list[str], start: bool, cache: Path) -> Finder:
    import hyperscan

    # Classes that end in a lone surrogate: UTF-8 has none, so nothing is lost.
    expressions = [expression.replace("-\udfff", "-\ud7ff") for expression in expressions]
    flags = hyperscan.HS_FLAG_UTF8 | hyperscan.HS_FLAG_UCP | (hyperscan.HS_FLAG_SOM_LEFTMOST if start else 0)
    digest = hashlib.sha256("\n".join([hyperscan.__version__, str(flags), *expressions]).encode()).hexdigest()
    stored = cache / f"hyperscan-{digest[:16]}.db"
    accepted_file = stored.with_suffix(".taken")
    if not accepted_file.exists():
        accepted = [data for data in map(str.encode, expressions) if _is_accepted(data, flags)]
        database = hyperscan.Database(mode=hyperscan.HS_MODE_BLOCK)
        database.compile(expressions=accepted, ids=list(range(len(accepted))), elements=len(accepted), flags=flags)
        stored.write_bytes(hyperscan.dumpb(database))
        accepted_file.write_text(str(len(accepted)), encoding="utf-8")
    # Loaded also when it was made just now, so that what is measured never depends on it.
    database = hyperscan.loadb(stored.read_bytes(), hyperscan.HS_MODE_BLOCK)
    database.scratch = hyperscan.Scratch(database)

    def find(text: str) -> int:
        found: list[tuple[int, int, int]] = []

        def keep(number: int, left: int, right: int, *_: object) -> None:
            found.append((number, left, right))

        database.scan(text.encode(), match_event_handler=keep)
        return len(found)

    return find, len(expressions) - int(accepted_file.read_text(encoding="utf-8"))


def _is_accepted(expression: bytes, flags: int) -> bool:
    """Hyperscan refuses long expressions, and to tell where a match starts if it holds long bounded repetitions."""
    import hyperscan

    try:
        hyperscan.Database(mode=hyperscan.HS_MODE_BLOCK).compile(
            expressions=[expression], ids=[0], elements=1, flags=flags
        )
    except hyperscan.HyperscanError:
        return False
    return True


def _measure_contender(
    bench: Bench, number: int, megabytes: float, make: Callable[..., Finder], **options: Any
) -> Record:
    expressions = [template.regex for template in _load_pack(bench, number).templates]
    if "start" in options:
        options["cache"] = bench.folder
    began = time.perf_counter()
    find, refused = make(expressions, **options)
    compiling = time.perf_counter() - began
    next_texts = _make_unseen(bench, megabytes / (4 if bench.quick else 1))
    matches: list[int] = []

    def run(given: tuple[list[str], int]) -> int:
        texts, size = given
        matches.extend([find(text) for text in texts])
        return size

    record = bench.time(run, prepare=next_texts, max_runs=RUNS)
    facts = {"matches_an_article": round(sum(matches) / len(matches), 1), "refused": refused}
    return {**record, **facts, "compiling_s": round(compiling, 2)}


RUNS = 3


def _make_unseen(bench: Bench, megabytes: float) -> Callable[[], tuple[list[str], int]]:
    """A maker of articles that come once, and their bytes.

    RE2 builds its automaton while it reads, and knows a text on second sight.
    """
    texts = load_articles(bench)
    total = count_bytes(texts)
    parts = max(RUNS + 1, min(len(texts), round(total / 1e6 / megabytes)))
    left = iter([texts[place::parts] for place in range(parts)])

    def next_part() -> tuple[list[str], int]:
        part = next(left)
        return part, count_bytes(part)

    return next_part


Makers = dict[str, tuple[tuple[str, ...], dict[str, Any], Callable[..., Finder], tuple[float, float, float]]]

# Contender -> modules it needs, options, maker, and megabytes of articles for the packs of EXPRESSIONS: a run should
# take about half a second.
MAKERS: Makers = {
    "re": ((), {"module": "re"}, _compile_separately, (1.0, 0.1, 0.01)),
    "regex": (("regex",), {"module": "regex"}, _compile_separately, (1.0, 0.1, 0.01)),
    "RE2 Set, no positions": (("re2",), {}, _compile_re2_set, (2.0, 2.0, 0.005)),
    "Hyperscan, no starts": (("hyperscan",), {"start": False}, _compile_hyperscan, (2.0, 2.0, 2.0)),
    "Hyperscan": (("hyperscan",), {"start": True}, _compile_hyperscan, (2.0, 2.0, 2.0)),
}

# Place in PATIENCE for the packs of EXPRESSIONS: Hyperscan needs seconds and minutes to compile the two greater ones.
RUN_KINDS_FOR = {_compile_hyperscan: (0, 1, 2), _compile_separately: (0, 0, 1), _compile_re2_set: (0, 0, 0)}


def _make_rows(data: str) -> Iterator[Measure]:
    for place, number in enumerate(EXPRESSIONS):
        variant = VARIANTS[number]
        yield Measure(
            figure=NAME,
            data=data,
            contender="templatemine",
            variant=variant,
            work=partial(_measure_cleaner, number=number),
        )
        for contender, (needs, options, make, megabytes) in MAKERS.items():
            run_kind = RUN_KINDS_FOR[make][place]
            yield Measure(
                figure=NAME,
                data=data,
                contender=contender,
                variant=variant,
                needs=needs,
                work=partial(_measure_contender, number=number, megabytes=megabytes[place], make=make, **options),
                run_kind=run_kind,
                limit=900 if run_kind == 2 else 150,
            )
    yield Measure(figure=NAME, data=data, contender="templatemine", variant=IN_TURN, work=_measure_in_turn)
    if data == "generated":
        yield Measure(figure=NAME, data=data, contender="templatemine", variant=DENSE, work=_measure_dense)


MIDDLE = VARIANTS[500]

CLEANING = Figure(
    name=NAME,
    title="Cleaning articles with packs of 50, 500 and 5,000 expressions",
    description=(
        "`Cleaner.clean(text)`, a call an article, for articles of 2 to 10 KB of one source: str in, cleaned text and "
        "spans out. All packs hold the source's 50 most frequent templates; the others are "
        "of other sources: some stand in the articles, so that more is cut, most do not and must be looked for all the same. `all packs in turn` is "
        "one process that cleans with each of the three in every round: `slowest by fastest` is the median over "
        "rounds, of processor time. `dense` is another source, whose pack of thousands cuts dozens of times an "
        "article. `re` and `regex` apply the same expressions one after the other (`finditer`, starts and ends, "
        "nothing is cut); RE2's Set says which match and not where; Hyperscan gives the end of every match, or start "
        "and end, by a call of Python for each. Hyperscan `refused` some expressions and is measured without them. "
        "Contenders get other articles of the source in each run, slow ones fewer; ours gets all of them anew. "
        "Compiling does not count; what Hyperscan compiled is kept for the next run, so its `compiling s` may be that "
        "of loading."
    ),
    measures=tuple(row for data in GROUPS for row in _make_rows(data)),
    claims=(
        Claim(text="speed, 500 expressions", value=lambda rows: rows.speed(variant=MIDDLE), goal=150.0, unit="MB/s"),
        Claim(
            text="speed, against Hyperscan with starts, 500 expressions",
            value=lambda rows: rows.speed(variant=MIDDLE) / rows.speed("Hyperscan", MIDDLE),
            goal=4.0,
            unit="x",
        ),
        Claim(
            text="slowest against fastest pack, less 1",
            value=lambda rows: rows.fact(SPREAD, variant=IN_TURN) - 1,
            goal=0.2,
            at_least=False,
        ),
    ),
    columns=("cuts_an_article", SPREAD, "matches_an_article", "refused", "compiling_s"),
)
