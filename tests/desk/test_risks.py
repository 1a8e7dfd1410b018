"""The first page of the desk: what cuts leave behind, how many are in doubt, and where to begin."""

from __future__ import annotations

import re
from dataclasses import replace
from html import unescape
from pathlib import Path
from threading import Event
from typing import Any

import pytest

for _name in ("starlette", "jinja2"):
    pytest.importorskip(_name, reason=f"the desk needs {_name}: pip install 'templatemine[desk]'")

from desk_support import Client, opened  # noqa: E402

from templatemine.cleaning.cleaner import Cleaner  # noqa: E402
from templatemine.desk import review  # noqa: E402
from templatemine.desk.answers import Desk  # noqa: E402
from templatemine.desk.effects import ArticleCuts, share_rests  # noqa: E402
from templatemine.desk.library import Article, StoredPack  # noqa: E402
from templatemine.desk.risks import Risks, SourceRisk, describe_risks  # noqa: E402
from templatemine.evaluation.residue import Residue  # noqa: E402
from templatemine.model import Document, Template  # noqa: E402
from templatemine.packs.pack import Pack  # noqa: E402
from templatemine.packs.pack_record import template_id  # noqa: E402
from templatemine.report.doubts import MIN_DOUBT  # noqa: E402
from templatemine.report.harm import Blamed  # noqa: E402
from templatemine.report.rests import SHARED, find_rests  # noqa: E402
from templatemine.report.view import make_report  # noqa: E402
from templatemine.text.tears import JudgedCut  # noqa: E402

pytest_plugins = ("desk_fixtures",)


def put_tearing(pack: Pack, path: Path) -> Template:
    """Let a pack have a template that tears sentences in the place of its first one; return it."""
    first, *others = pack.templates
    torn = replace(first, regex="of the", tokens=None, example="of the")
    replace(pack, templates=(torn, *others)).save(path, force=True)
    return torn


def tearing(desk: Desk, source: str) -> tuple[StoredPack, str]:
    """Let the pack of a source have a template that tears sentences; return it, and the id of the template."""
    held = desk.library.stored_pack(source)
    assert held is not None
    torn = put_tearing(held.pack, Path(held.path))
    held = desk.library.stored_pack(source)
    assert held is not None
    return held, torn.id


def measured(desk: Desk) -> dict[str, Any]:
    """What the first page shows when all sources are looked at."""
    while (home := desk.describe_home())["missing"]:
        pass
    return home


def test_the_first_page_says_what_cuts_do_and_where_to_begin(world: tuple[Client, Desk], source: str) -> None:
    """It had documents and questions, and said nothing of what may be wrong."""
    client, desk = world
    held, worst = tearing(desk, source)
    home = measured(desk)
    first = home["rows"][0]
    made = make_report({source: held.pack}, [one.document for one in desk.library.articles[source]], lambda _: ())
    left, harmful = made.sources[0].left, {one.template.id: one for one in made.harmful}
    risk = first["risk"]
    assert (first["source"], risk.articles, risk.harmed) == (source, left.looked, left.articles)
    assert (risk.worst, risk.told) == (worst, harmful[worst].told[0])
    page = unescape(client.get("/").body.decode())
    assert describe_risks([row["risk"] for row in home["rows"] if row["risk"]]) in page
    told = f"{risk.told[0].lower()}{risk.told[1:]}"
    assert re.search(rf"Begin with <bdi>{re.escape(source)}</bdi>: .*{re.escape(told)} <a class=\"button main\"", page)
    assert f'href="/review?source={source}&id={worst}">Review it</a>' in page
    assert "Looking at the cuts" not in page


def test_cuts_in_doubt_are_those_that_harm_and_those_that_may_be_story(world: tuple[Client, Desk], source: str) -> None:
    _, desk = world
    held, _ = tearing(desk, source)
    scores = {one.id: replace(one, score=0.5 if place == 1 else 0.999) for place, one in enumerate(held.pack.templates)}
    replace(held.pack, templates=tuple(scores.values())).save(held.path, force=True)
    risk = next(row["risk"] for row in measured(desk)["rows"] if row["source"] == source)
    held = desk.library.stored_pack(source)
    assert held is not None
    table = desk._table(held)
    _, doubtful = table.find_undecided()
    assert doubtful == {
        one.id
        for one in held.pack.templates
        if table.describe_doubt(table.rows[one.id])[-1:]
        and "may be story" in table.describe_doubt(table.rows[one.id])[-1]
    }
    assert MIN_DOUBT < 0.5
    judged = [cut for cuts in desk._opened(held).judged(held) for cut in cuts]
    assert risk.cuts == len(judged)
    torn = {id(cut) for cut in judged if cut.torn}
    least = torn | {id(cut) for cut in judged if doubtful.intersection(cut.names)}
    assert torn
    assert len(least) <= risk.doubted <= len(judged)


def test_what_articles_share_is_found_anew_when_cuts_change() -> None:
    """A decision changes the cuts of some articles; what the others shared with them is then of fewer."""
    texts = [
        f"The {name} of this town has seen it.\nSubscribe. All views are mine" for name in ("mayor", "cook", "nurse")
    ]
    cuts = [JudgedCut(text.index("Sub"), text.index(" All"), ("t",), {}) for text in texts]
    left: list[Blamed] = [(Residue(kind="label", start=0, end=9, left="Photo:", cut="Ann"), ("t",))]
    articles = [ArticleCuts(10, [cut], left, find_rests(text, [cut])) for text, cut in zip(texts, cuts, strict=True)]
    known = share_rests(articles)
    assert [[one.kind for one, _ in article.left] for article in known] == [["label", SHARED]] * 3
    assert share_rests(known) == known
    assert share_rests([*known[:2], ArticleCuts()]) == [*articles[:2], ArticleCuts(left=[])]


def test_the_worst_examples_come_first(world: tuple[Client, Desk], source: str) -> None:
    """Those of all articles in order hid the four of hundreds in which a template tore a sentence."""
    client, desk = world
    held, worst = tearing(desk, source)
    shown = client.get("/api/template", source=source, id=worst).json
    said = shown["doubt"][0].lower()
    opened = desk._opened(held)
    harm = opened.residues(held).harm[worst]
    cuts = {
        article.name: (article.document.body, judged)
        for article, judged in zip(opened.sample(held), opened.judged(held), strict=True)
    }
    first = [row for row in shown["snippets"] if "harm" in row]
    assert first == shown["snippets"][: len(first)]
    assert first[0]["harm"] == "tears a sentence or a headline"
    assert len({row["id"] for row in first}) == len(first) == min(harm.harmed, review.MAX_SNIPPETS)
    for row in first:
        assert row["harm"] in said
        text, judged = cuts[row["id"]]
        before, after = ("".join(piece for piece, _ in row[side]) for side in ("before", "after"))
        place = text.index(f"{before.removeprefix('… ')}{row['match']}{after.removesuffix(' …')}")
        start = place + len(before.removeprefix("… "))
        own = next(cut for cut in judged if (cut.start, cut.end) == (start, start + len(row["match"])))
        assert worst in own.names
        went = [piece for side in ("before", "after") for piece, goes in row[side] if goes]
        assert all(any(piece in text[cut.start : cut.end] for cut in judged if cut is not own) for piece in went)


def test_what_else_is_cut_beside_harm_is_marked() -> None:
    text = "Photo: Ann. The rest of it is here, and more."
    cuts = [JudgedCut(7, 11, ("a",), {}), JudgedCut(16, 20, ("b",), {})]
    article = Article(document=Document(source="s", id="1", text=text))
    row = review._make_harm_snippet(review.HarmfulCut(article, cuts[0], cuts, "label"))
    assert (row["match"], row["harm"]) == ("Ann.", "leaves a label without what it labelled")
    assert [piece for piece, goes in row["after"] if goes] == ["rest"]
    assert "".join(piece for side in ("before", "after") for piece, _ in row[side]) == text.replace("Ann.", "")


def test_what_may_be_story_is_told_in_one_sentence(world: tuple[Client, Desk], source: str) -> None:
    """The words of a template went on: "it may be story"."""
    client, desk = world
    held = desk.library.stored_pack(source)
    assert held is not None
    doubtful = (replace(one, score=0.5) for one in held.pack.templates)
    replace(held.pack, templates=tuple(doubtful)).save(held.path, force=True)
    told = next(row["risk"].told for row in measured(desk)["rows"] if row["source"] == source)
    assert told.startswith("It may be story: ")
    assert f"</a> {told.removeprefix('It ')}</small>" in unescape(client.get("/").body.decode())


def test_the_riskiest_variant_is_told_with_the_head_of_its_family(world: tuple[Client, Desk], source: str) -> None:
    """The list ranked a head by the risk of a variant, and nothing beside it said why."""
    client, desk = world
    held = desk.library.stored_pack(source)
    assert held is not None
    long = (one for one in held.pack.templates if len(one.tokens or ()) > 3 and not one.slot)
    head = max(long, key=lambda one: one.df)
    words = (*(head.tokens or ()), "twice")
    variant = replace(head, id=template_id(words), tokens=words, example=f"{head.example} twice", df=3, score=0.5)
    variant = replace(variant, regex=held.pack.derived(variant))
    others = (one for one in held.pack.templates if one.id != head.id)
    pack = replace(held.pack, templates=(replace(head, score=0.999), variant, *others), mined=None)
    pack.save(held.path, force=True)
    for article in desk.library.articles[source][:2]:
        object.__setattr__(article.document, "text", f"{article.document.text}\n{variant.example}\n")
    rows = client.get("/api/review", source=source).json["templates"]
    risks = {row["id"]: (row["head"], row["effect"]["risk"]) for row in rows}
    assert risks[variant.id][0] == risks[head.id][0] == head.id
    assert risks[variant.id][1] > risks[head.id][1]
    told = client.get("/api/template", source=source, id=head.id).json["variant"]
    own = client.get("/api/template", source=source, id=variant.id).json
    assert (told["id"], told["doubt"]) == (variant.id, own["doubt"])
    assert told["doubt"]
    assert own["variant"] is None


def test_what_somebody_decided_is_where_nobody_begins(world: tuple[Client, Desk], source: str) -> None:
    client, desk = world
    _, worst = tearing(desk, source)
    assert measured(desk)["rows"][0]["risk"].worst == worst
    held = desk.library.stored_pack(source)
    assert held is not None
    body = {"source": source, "version": held.version, "kind": "judge", "verdict": "leave", "id": worst}
    assert client.post("/api/decide", body).status == 200
    home = measured(desk)
    risk = next(row["risk"] for row in home["rows"] if row["source"] == source)
    assert risk.worst != worst
    pack = Pack.load(held.path)
    cleaner = Cleaner(pack)
    changed = sum(bool(cleaner.spans(one.document.body)) for one in desk.library.articles[source])
    assert risk.articles == changed


def test_a_desk_without_articles_says_nothing_of_cuts(packs: Path, rows: list[dict[str, Any]]) -> None:
    client, desk = opened(packs, [{"source": "elsewhere.example", "id": "1", "text": "A story of a port."}])
    assert measured(desk)["said"] == ""
    page = client.get("/").body.decode()
    assert "Begin with" not in page
    assert page.count('<td class="n extra">–</td><td class="n extra">–</td>') == len([*packs.glob("*.json")])


def test_the_list_does_not_wait_for_what_takes_long() -> None:
    """And measures each pack once, until somebody decides."""
    go, calls = Event(), list[str]()

    def measure(one: StoredPack) -> SourceRisk:
        assert go.wait(30)
        calls.append(one.path)
        return SourceRisk(cuts=len(calls))

    risks = Risks(measure)
    packs = [StoredPack(pack=None, path=name, version="1") for name in "ab"]  # type: ignore[arg-type]
    assert risks.look(packs, 0.01) == {}
    assert risks.look(packs, 0.01) == {}
    go.set()
    assert risks.look(packs, 30) == {"a": SourceRisk(cuts=1), "b": SourceRisk(cuts=2)}
    assert risks.look(packs, 30) == risks.look(packs, 30)
    assert calls == ["a", "b"]
    risks.forget("a")
    assert risks.look(packs, 30)["a"] == SourceRisk(cuts=3)
    newer = replace(packs[1], version="2")
    assert risks.look([newer], 30) == {"b": SourceRisk(cuts=4)}


def test_a_decision_during_the_measuring_is_not_lost() -> None:
    """A decision that keeps the version of its pack left the old figures on the page for good."""
    began, go, calls = Event(), Event(), list[str]()

    def measure(one: StoredPack) -> SourceRisk:
        calls.append(one.path)
        began.set()
        assert go.wait(30)
        return SourceRisk(cuts=len(calls))

    risks = Risks(measure)
    packs = [StoredPack(pack=None, path="a", version="1")]  # type: ignore[arg-type]
    assert risks.look(packs, 0.01) == {}
    assert began.wait(30)
    risks.forget("a")
    go.set()
    while not (found := risks.look(packs, 30)):
        pass
    assert found == {"a": SourceRisk(cuts=2)}


def test_what_cannot_be_measured_is_not_tried_for_ever() -> None:
    calls = list[str]()

    def measure(one: StoredPack) -> SourceRisk:
        calls.append(one.path)
        raise OSError("no place left")

    risks = Risks(measure)
    packs = [StoredPack(pack=None, path="a", version="1")]  # type: ignore[arg-type]
    while not risks.look(packs, 30):
        pass
    assert risks.look(packs, 30) == {"a": SourceRisk()}
    assert calls == ["a"]
