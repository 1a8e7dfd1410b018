"""What is common in prose elsewhere, as one more source: read, looked up, and asked when templates are decided upon."""

from __future__ import annotations

import gzip
import io
import os
from collections.abc import Iterable
from dataclasses import replace
from importlib.resources import files
from pathlib import Path
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from strategies import examples
from templatemine.config import NO_BACKGROUND, SHIPPED, PipelineConfig, SampleConfig, TokeniseConfig, UserPattern
from templatemine.errors import ConfigError
from templatemine.mining.background import Background, background, fingerprint, hashed, read, write
from templatemine.mining.methods import resolve_defaults
from templatemine.mining.select import COMMON
from templatemine.mining.stages import SourceReport, mine_source
from templatemine.model import Document
from templatemine.pipeline import Miner
from templatemine.text.patterns import PatternSet, pattern_set

IDIOM = "she added firmly."
CALL = "Sign up for the Lantern letter today."
NEWS = pattern_set("news")


def documents(number: int = 60, seed: int = 1) -> list[Document]:
    """Articles with a call, half of which end a quotation with the same words."""
    random = Random(seed)
    words = ["".join(random.choices("abcdefghijklmnop", k=6)) for _ in range(400)]

    def prose() -> str:
        return " ".join(random.choices(words, k=30)).capitalize()

    return [
        Document(
            source="lantern.example",
            id=str(place),
            text="\n\n".join(
                [prose() + ".", CALL, f'"{prose()}," {IDIOM if place % 2 else "he said " + prose() + "."}']
            ),
        )
        for place in range(number)
    ]


def table(path: Path, strings: dict[str, int]) -> str:
    with open(path, "w", encoding="utf-8") as handle:
        write(handle, strings, "for a test")
    return str(path)


def mined(rows: Iterable[Document], config: PipelineConfig) -> SourceReport:
    (report,) = Miner(config).run(rows)
    assert report.pack is not None
    return report


def strings_of(report: SourceReport) -> set[str]:
    assert report.pack is not None
    return {" ".join(template.tokens or ()) for template in report.pack.templates}


def reasons(report: SourceReport) -> dict[str, str]:
    assert report.rejected is not None
    return {" ".join(tokens): reason for tokens, _, _, reason in report.rejected}


def test_an_idiom_of_the_background_is_no_template_and_the_reason_says_so(tmp_path: Path) -> None:
    rows = documents()
    alone = mined(rows, PipelineConfig(background=NO_BACKGROUND))
    assert {IDIOM, CALL} <= strings_of(alone)
    assert COMMON not in reasons(alone).values()
    path = table(tmp_path / "common.tsv", {IDIOM: 12})
    before = mined(rows, PipelineConfig(background=path))
    assert strings_of(before) == strings_of(alone) - {IDIOM}
    assert reasons(before)[IDIOM] == COMMON
    assert before.pack is not None
    assert before.pack.rejected[COMMON] == 1


def test_it_counts_by_rate_as_other_sources_do(tmp_path: Path) -> None:
    """What begins or ends lines must be four times as frequent here, if it is no prose, and 128 times if it is."""
    rows = documents()
    one = mine_source("lantern.example", rows, resolve_defaults(PipelineConfig()))
    row = [" ".join(one.strings.readable(row, NEWS)) for row in range(len(one.strings))].index(IDIOM)
    bits = -np.log2(one.rates[row])
    for above, kept in ((6, False), (8, True)):
        path = table(tmp_path / f"{above}.tsv", {IDIOM: int(np.ceil(bits)) + above})
        assert (IDIOM in strings_of(mined(rows, PipelineConfig(background=path)))) is kept


def test_it_is_one_more_source_beside_others(tmp_path: Path) -> None:
    """Where a source of the run has the string in its prose, that is the reason."""
    rows = documents()
    random = Random(5)
    words = ["".join(random.choices("qrstuvwxyz", k=6)) for _ in range(400)]
    others = [
        Document(source="other.example", id=str(n), text=" ".join([*random.choices(words, k=20), IDIOM, *words[n : n + 20]]) + ".")
        for n in range(40)
    ]  # fmt: skip
    path = table(tmp_path / "common.tsv", {IDIOM: 12})
    for name in (NO_BACKGROUND, path):
        report, _ = Miner(PipelineConfig(background=name)).run([*rows, *others])
        assert reasons(report)[IDIOM] == "in other sources"


def test_a_sample_asks_it_too(tmp_path: Path) -> None:
    rows = documents(200)
    config = PipelineConfig(background=table(tmp_path / "common.tsv", {IDIOM: 12}), sample=SampleConfig(documents=80))
    assert CALL in strings_of(mined(rows, config))
    assert IDIOM not in strings_of(mined(rows, config))
    assert IDIOM in strings_of(mined(rows, replace(config, background=NO_BACKGROUND)))


@pytest.mark.parametrize("method", ["energy", "thesis"])
def test_other_methods_do_not_look_at_it(method: str) -> None:
    report = mined(documents(), PipelineConfig(method=method, background="no such file"))
    assert report.pack == mined(documents(), PipelineConfig(method=method, background=NO_BACKGROUND)).pack


@given(
    st.dictionaries(st.sampled_from(["a b", "b", "{number} a", "c {user} a", "{{a}} b", "漢 字"]), st.integers(0, 60))
)
@examples(50)
def test_strings_are_found_by_the_hashes_of_a_source(strings: dict[str, int]) -> None:
    handle = io.StringIO()
    write(handle, strings, "x")
    assert handle.getvalue().count("\n") == len(strings) + 1
    known = pattern_set("news", (UserPattern(name="user", regex="[A-Z]{2}[0-9]{6}"),))
    found = _found(strings, known)
    rows = [Document(source="s", id=str(n), text=f"x{n} 9{n} a\nq{n} c AB12345{n} a\nz{n} {{a}} b") for n in range(8)]
    one = mine_source("s", rows, resolve_defaults(PipelineConfig(tokenise=TokeniseConfig(user_patterns=known.user))))
    expected = [
        2.0 ** -strings[name] if name in strings else 0.0
        for row in range(len(one.strings))
        for name in [" ".join(one.strings.readable(row, known))]
    ]
    assert np.allclose(found.of(one.hashes), expected)
    # Without the user's pattern nothing can be equal to a string that names it.
    assert len(_found(strings, NEWS).hashes) == len(strings) - ("c {user} a" in strings)


def _found(strings: dict[str, int], known: PatternSet) -> Background:
    found = hashed(strings.items(), known)
    assert (np.diff(found.hashes.astype(object)) > 0).all()
    return found


def test_an_empty_table_and_a_source_without_strings() -> None:
    empty = _found({}, NEWS)
    assert empty.of(np.array([3, 5], np.uint64)).tolist() == [0, 0]
    assert _found({"a": 3}, NEWS).of(np.empty(0, np.uint64)).tolist() == []


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "expected 'templatemine background 1' in line 1, found ''"),
        (b"he said\t3\n", "in line 1, found 'he said"),
        (b"templatemine background 1\tx\nhe said\n", ":2: expected a string, a tab and a number from 0 to 60"),
        (b"templatemine background 1\tx\nhe\t3\nhe said\t61\n", ":3: expected"),
        (b"templatemine background 1\tx\nhe said\t-1\n", ":2: expected"),
        (b"templatemine background 1\tx\n\t4\n", ":2: expected"),
        (b"templatemine background 1\xff\n", "can be read"),
        (gzip.compress(b"templatemine background 1\n")[:-9], "can be read"),
    ],
)
def test_a_file_that_is_no_table(tmp_path: Path, content: bytes, message: str) -> None:
    path = tmp_path / "wrong.tsv"
    path.write_bytes(content)
    with pytest.raises(ConfigError) as caught:
        background(str(path), NEWS)
    assert message in str(caught.value)
    assert str(path) in str(caught.value)


def test_a_missing_file(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"expected a table that can be read, got .*none\.tsv"):
        Miner(PipelineConfig(background=str(tmp_path / "none.tsv"))).run(documents(20))


def test_a_file_that_changes_is_read_again(tmp_path: Path) -> None:
    rates = []
    for rate in (3, 12):
        found = background(table(tmp_path / "common.tsv", {IDIOM: rate}), NEWS)
        assert found is not None
        assert background(str(tmp_path / "common.tsv"), NEWS) is found
        rates += found.rates.tolist()
    assert rates == [2.0**-3, 2.0**-12]


def test_a_fingerprint_is_of_what_is_in_a_file(tmp_path: Path) -> None:
    assert fingerprint(SHIPPED) is fingerprint(NO_BACKGROUND) is fingerprint(str(tmp_path / "none.tsv")) is None
    path = table(tmp_path / "common.tsv", {IDIOM: 4})
    first = fingerprint(path)
    assert first is not None
    assert fingerprint(table(tmp_path / "other.tsv", {IDIOM: 4})) == first
    before = os.stat(path)
    table(tmp_path / "common.tsv", {IDIOM: 5})
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert os.stat(path).st_size == before.st_size
    assert fingerprint(path) != first


def test_none_is_none() -> None:
    assert background(NO_BACKGROUND, NEWS) is None


def test_the_one_that_ships_is_small_short_and_prose() -> None:
    strings = read(SHIPPED)
    assert files("templatemine.mining").joinpath("background.tsv.gz").stat().st_size < 300_000  # type: ignore[attr-defined]
    assert 20_000 < len(strings) < 100_000
    assert max(len(string.split(" ")) for string in strings) <= 6
    assert strings["he said in a statement."] == 18
    assert {"he added.", "told reporters", "Capitol Hill"} <= strings.keys()
    # Boilerplate that stands in lines of its own.
    assert not strings.keys() & {"All rights reserved.", "Related:", "The Associated Press contributed to this report."}
    config = resolve_defaults(PipelineConfig()).tokenise
    assert len(_found(strings, pattern_set(config.patterns, config.user_patterns)).hashes) == len(strings)
