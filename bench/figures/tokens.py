"""Tokens: find, intern and normalise them, against counting words."""

from __future__ import annotations

from functools import partial
from typing import Any

from benchmark_archives import count_bytes, load_documents, load_texts, read_rows
from harness import GROUPS, Bench, Claim, Figure, Measure, Record

__all__ = ["TOKENS"]

WC = {"wc -w, C": "C", "wc -w, UTF-8": "C.UTF-8"}
"""Contender -> locale: which bytes part words depends on it, and so does the speed."""


def _measure_native(bench: Bench) -> Record:
    from templatemine.config import TokeniseConfig
    from templatemine.text import _scan
    from templatemine.text.patterns import pattern_set

    texts = [row["text"].encode() for row in read_rows(bench.folder / "archive.jsonl")]
    config = TokeniseConfig()
    arguments = pattern_set(config.patterns, ()).scanner_arguments(config.separators, False)
    tokens = forms = 0

    def run() -> None:
        nonlocal tokens, forms
        tokeniser = _scan.Tokeniser(*arguments, True)
        for text in texts:
            tokeniser.add(text)
        found = tokeniser.finish()
        tokens, forms = len(found[0]), len(found[3]) - 1

    record = bench.time(run, size=sum(map(len, texts)))
    return {**record, "tokens": tokens, "forms": forms}


def _measure_stage(bench: Bench) -> Record:
    from templatemine.config import TokeniseConfig
    from templatemine.mining.tokenise import tokenise

    path = bench.folder / "archive.jsonl"

    def run(rows: list[Any]) -> None:
        tokenise("all", rows, TokeniseConfig(), lines=True)

    return bench.time(run, prepare=lambda: load_documents(path), size=count_bytes(load_texts(path)))


def _measure_wc(bench: Bench, locale: str) -> Record:
    path = bench.folder / "text.txt"
    return bench.time_program(["env", f"LC_ALL={locale}", "wc", "-w", str(path)], size=path.stat().st_size)


def _make_rows(data: str) -> tuple[Measure, ...]:
    name = "tokens"
    return (
        Measure(figure=name, data=data, contender="templatemine", work=_measure_native),
        Measure(figure=name, data=data, contender="templatemine, stage", work=_measure_stage),
        *(
            Measure(figure=name, data=data, contender=contender, work=partial(_measure_wc, locale=locale))
            for contender, locale in WC.items()
        ),
    )


TOKENS = Figure(
    name="tokens",
    title="Tokens",
    description=(
        "`_scan.Tokeniser`: bytes of each text of archive.jsonl in, ids of normalised tokens and line breaks out, all "
        "texts as one source. `stage` is `tokenise(documents)`, from str. `wc -w` reads the same texts from a file in "
        "the page cache, and the time of its process counts. The claim is against the faster of its locales."
    ),
    measures=tuple(row for data in GROUPS for row in _make_rows(data)),
    claims=(
        Claim(
            text="speed, against `wc -w`",
            value=lambda rows: rows.speed() / max(rows.speed(contender) for contender in WC),
            goal=0.6,
            unit="x",
        ),
    ),
    columns=("tokens", "forms"),
)
