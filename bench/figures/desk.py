"""The desk: how long it takes to answer a person who reviews a pack."""

from __future__ import annotations

import shutil
import tempfile
from functools import partial
from pathlib import Path

from benchmark_archives import EXPRESSIONS
from figures.cleaning import VARIANTS, load_articles
from harness import GROUPS, Bench, Claim, Figure, Measure, Record

__all__ = ["DESK"]

NAME = "desk"
DECISION, OPENING = "a decision", "opening"


def _measure_answers(bench: Bench, number: int, opening: bool) -> Record:
    """The answer to a decision is the state with a window of its rows, as JSON; every second undoes the one before."""
    import orjson

    from templatemine.desk.answers import Desk
    from templatemine.desk.library import Library
    from templatemine.desk.store import Store
    from templatemine.model import Document
    from templatemine.model import Record as Article

    folder = Path(tempfile.mkdtemp(prefix="templatemine-bench-"))
    path = folder / "pack.json"
    shutil.copy(bench.folder / f"expressions-{number}.json", path)
    source = str(orjson.loads(path.read_bytes())["source"])
    documents = [Document(source=source, id=str(place), text=text) for place, text in enumerate(load_articles(bench))]
    records = [Article(document=document, fields={}, where="") for document in documents]

    def desk() -> Desk:
        return Desk(Library(str(path), records, Store(folder / "desk.sqlite")))

    def open_it() -> None:
        in_use = desk()
        in_use.prepare(source)
        orjson.dumps(in_use.review_state(source))

    desk_in_use = desk()
    desk_in_use.prepare(source)
    state = desk_in_use.review_state(source)
    names = [one.id for one in desk_in_use.stored_pack(source).pack.templates]
    decisions = 0

    def decide() -> None:
        nonlocal state, decisions
        asked = (
            {"kind": "add", "rule": {"action": "reject", "id": names[decisions // 2]}}
            if decisions % 2 == 0
            else {"kind": "undo"}
        )
        state = desk_in_use.decide(source, "a", {**asked, "version": state["version"]})
        orjson.dumps(state)
        decisions += 1

    try:
        return bench.time(open_it if opening else decide, templates=number, articles=state["articles"])
    finally:
        shutil.rmtree(folder)


DESK = Figure(
    name=NAME,
    title="Answers of the desk",
    description=(
        "Packs of 50, 500 and 5,000 templates, of which the most are of other sources, and a sample of 300 articles. `opening` reads "
        "the articles and the pack and does all that the desk does apart before the first answer; `a decision` rejects a "
        "template, or undoes that, writes "
        "the pack and says what has changed. Both with the answer as JSON, without the browser."
    ),
    measures=tuple(
        Measure(
            figure=NAME,
            data=data,
            contender=contender,
            variant=VARIANTS[number],
            work=partial(_measure_answers, number=number, opening=contender == OPENING),
        )
        for data in GROUPS
        for number in EXPRESSIONS
        for contender in (DECISION, OPENING)
    ),
    claims=tuple(
        Claim(
            text=f"seconds of a decision, {VARIANTS[number]}",
            value=partial(lambda rows, variant: rows.time(DECISION, variant), variant=VARIANTS[number]),
            goal=0.1,
            at_least=False,
            unit="s",
        )
        for number in EXPRESSIONS[1:]
    ),
    columns=("templates", "articles"),
    reference=DECISION,
)
