"""What stays of an earlier pack when a window is too small to speak of it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from random import Random

import pytest
from test_update import article, write

from templatemine.api import mine
from templatemine.archive.carried import MAX_ABSENT_DAYS, CarriedTemplate, carry
from templatemine.archive.update import UpdateConfig, update_packs
from templatemine.archive.window import DatedDocument, WindowConfig, day_after
from templatemine.cleaning.drift import absence_score
from templatemine.model import Document
from templatemine.packs.pack import Pack
from templatemine.packs.pack_folder import PackFiles
from templatemine.packs.pack_record import mined_entry, mined_mark

RARE = "All prices were right when we published our test."
CALL = "Sign up for the letter of a.example today."


def documents(first: int, last: int, every: int = 20) -> list[Document]:
    """Articles with a call, and a notice in one of `every`."""
    found = []
    for number in range(first, last):
        fields = article("a.example", number)
        if every and number % every == 0:
            fields["text"] = f"{fields['text']}\n{RARE}"
        found.append(Document(**fields))
    return found


def window(some: list[Document], day: str = "2024-03-01") -> list[DatedDocument]:
    return [DatedDocument(day, one, True) for one in some]


def strings(pack: Pack) -> set[str]:
    return {" ".join(one.tokens or ()) for one in pack.templates}


@pytest.fixture(scope="module")
def old() -> Pack:
    pack = mine(documents(0, 400))["a.example"]
    assert {RARE, CALL} <= strings(pack)
    return replace(pack, last_date="2024-02-20")


def test_what_a_small_window_does_not_show_stays(old: Pack) -> None:
    some = documents(400, 480, every=0)
    new = mine(some)["a.example"]
    assert RARE not in strings(new)
    merged, known, _ = carry(old, new, {}, window(some), 80)
    assert strings(merged) == strings(new) | {RARE}
    (rare,) = (one for one in merged.templates if " ".join(one.tokens or ()) == RARE)
    assert (rare.df, rare.count) == (4, 4)  # 20 of 400, in proportion to 80
    assert known == {mined_mark(rare): CarriedTemplate(df=20, documents=400, absent=80, seen="2024-02-20")}
    assert merged.mined == (*(new.mined or ()), mined_entry(rare))


def test_a_string_that_has_changed_its_place_in_the_line_is_in_the_pack_once(old: Pack) -> None:
    """It has the same id there, and a pack with an id twice is refused."""
    some = documents(400, 480)
    new = mine(some)["a.example"]
    (rare,) = (one for one in new.templates if " ".join(one.tokens or ()) == RARE)
    before = next(one for one in old.templates if one.id == rare.id)
    other = replace(before, anchor="" if before.anchor else "line")
    moved = replace(old, mined=None, templates=tuple(other if one.id == rare.id else one for one in old.templates))
    assert mined_mark(other) != mined_mark(rare)
    within = Document(source="a.example", id="within", text=f"Somebody wrote {RARE} And somebody else read it.")
    merged, known, _ = carry(moved, new, {}, window([*some, within]), 80)
    assert [one for one in merged.templates if one.id == rare.id] == [rare]
    assert mined_mark(other) not in known


def test_absence_adds_up_until_it_is_evidence(old: Pack) -> None:
    pack, known = old, {}
    rounds = 0
    while RARE in strings(pack):
        some = documents(1000 + 80 * rounds, 1080 + 80 * rounds, every=0)
        pack, known, _ = carry(pack, mine(some)["a.example"], known, window(some), 80)
        rounds += 1
    assert 400 < 80 * rounds < 1600
    assert known == {}


def test_a_headline_of_one_article_is_of_its_day(old: Pack) -> None:
    some = documents(400, 480, every=0)
    new = mine(some)["a.example"]
    for df, stays in ((1, False), (2, True)):
        templates = [replace(one, df=df) if " ".join(one.tokens or ()) == RARE else one for one in old.templates]
        merged, known, _ = carry(replace(old, templates=tuple(templates)), new, {}, window(some), 80)
        assert (RARE in strings(merged)) == stays == bool(known)


def test_it_is_seen_again(old: Pack) -> None:
    some = documents(400, 480, every=0)
    new = mine(some)["a.example"]
    pack, known, _ = carry(old, new, {}, window(some), 80)
    again = [*some[1:], documents(500, 501, every=1)[0]]
    pack, known, _ = carry(pack, new, known, window(again, "2024-04-01"), 1)
    (one,) = known.values()
    assert (one.absent, one.seen) == (0, "2024-04-01")
    assert RARE in strings(pack)


def test_after_a_year_it_goes(old: Pack) -> None:
    some = documents(400, 480, every=0)
    new = mine(some)["a.example"]
    for days, stays in ((MAX_ABSENT_DAYS, True), (MAX_ABSENT_DAYS + 1, False)):
        pack, _, _ = carry(old, new, {}, window(some, day_after("2024-02-20", days)), 80)
        assert (RARE in strings(pack)) == stays


def test_what_was_learnt_from_no_more_documents_than_the_window_is_judged_anew(old: Pack) -> None:
    some = documents(400, 480)
    new = mine(documents(400, 480, every=0))["a.example"]
    for size, stays in ((80, False), (81, True)):
        pack, _, left = carry(replace(old, documents=size), new, {}, window(some), 80)
        assert (RARE in strings(pack)) == stays
        rare = next(one.id for one in old.templates if " ".join(one.tokens or ()) == RARE)
        having = sum(RARE in document.body for document in some)
        assert left.get(rare) == (None if stays else having)


def test_what_the_new_pack_cuts_anyway_goes(old: Pack) -> None:
    new = mine(documents(400, 480))["a.example"]
    part = replace(old.templates[0], id="t0000000000", tokens=("letter", "of", "a.example"), anchor="")
    assert CALL in strings(new)
    bare = replace(old, templates=(part,), mined=None)
    pack, known, _ = carry(bare, new, {}, window(documents(400, 480)), 80)
    assert (pack, known) == (new, {})


def test_rules_of_people_are_no_templates_that_stay(old: Pack) -> None:
    some = documents(400, 480, every=0)
    own = replace(old, mined=tuple(mark for mark in old.mined or () if mark in {mined_mark(old.templates[0])}))
    pack, _, _ = carry(own, mine(some)["a.example"], {}, window(some), 80)
    assert RARE not in strings(pack)


def test_an_update_says_what_stays_and_a_dry_run_changes_nothing(tmp_path: Path) -> None:
    rows = [
        {"source": one.source, "id": one.id, "date": one.date or "", "text": one.text or ""}
        for one in documents(0, 400)
    ]
    config = UpdateConfig(today="2024-12-31", new_sources=True, window=WindowConfig(days=1, least=400))
    update_packs(str(tmp_path / "packs"), [write(tmp_path / "a.jsonl", rows)], config)
    Random(1).shuffle(rows)
    fresh = [article("a.example", number) | {"date": "2024-06-01"} for number in range(1000, 1100)]
    new = write(tmp_path / "b.jsonl", fresh)
    small = replace(config, window=WindowConfig(days=1, least=50))
    before = {path: path.read_bytes() for path in (tmp_path / "packs").rglob("*") if path.is_file()}
    (told,) = update_packs(str(tmp_path / "packs"), [new], replace(small, dry_run=True))
    assert {path: path.read_bytes() for path in (tmp_path / "packs").rglob("*") if path.is_file()} == before
    (done,) = update_packs(str(tmp_path / "packs"), [new], small)
    assert told == done
    assert done.kept == 1
    (pack,) = PackFiles([tmp_path / "packs"]).load_all().values()
    assert RARE in strings(pack)
    (again,) = update_packs(str(tmp_path / "packs"), [new], small)
    assert (again.kept, bool(again.changes)) == (1, False)


@pytest.mark.parametrize(("share", "documents_without"), [(0.5, 50), (0.05, 600), (0.01, 4000)])
def test_how_long_until_absence_is_evidence(share: float, documents_without: int) -> None:
    """The figures of docs/scale.md: with a hundred templates and a thousand documents."""
    threshold = 16.8  # ln(2 x 100 x 100,000)
    assert absence_score(round(1000 * share), 1000, documents_without, 0.25) > threshold
    assert absence_score(round(1000 * share), 1000, documents_without // 4, 0.25) < threshold
