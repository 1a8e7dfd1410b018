"""The answers of a desk as plain functions of the values of a request: packs, documents, decisions, exports."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, replace
from pathlib import Path
from threading import Lock, Thread
from typing import Any

from templatemine.archive.apply_answers import (
    Context,
    QuestionContexts,
    describe_removal,
    describe_stake,
    open_questions,
    possible_answers,
)
from templatemine.archive.apply_overrides import apply_rules, mined_templates
from templatemine.cleaning.cleaner import Cleaner
from templatemine.desk import compare as comparing
from templatemine.desk import review
from templatemine.desk.agreement import measure_agreements
from templatemine.desk.annotations import LABELS, count_passages, document_kind, find_units, label_units, read_marks
from templatemine.desk.decisions import changed_ids, find_question, plan_decision
from templatemine.desk.effects import compare_cuts, measure_answers, measure_change, measure_exchange, sum_cuts
from templatemine.desk.export import EXPORT_FORMATS, select_finished
from templatemine.desk.library import Article, Library, StoredPack, parse_rules, rules_json
from templatemine.desk.open_source import OpenSource
from templatemine.desk.review_table import ADDED, OUT, ReviewTable, View, read_view
from templatemine.desk.risks import Risks, SourceRisk, describe_risks
from templatemine.desk.safe_page import render_article, sanitise_page
from templatemine.desk.store import Annotation, Event, NotFound, escape_surrogates
from templatemine.errors import ConfigError, PackError, TemplateMineError
from templatemine.evaluation.gold import GoldSpans
from templatemine.kinds import KINDS, choose
from templatemine.model import Document
from templatemine.packs.overrides import Rule
from templatemine.packs.pack import Pack
from templatemine.packs.pack_record import template_id
from templatemine.packs.readable import (
    describe_choice,
    describe_position,
    describe_reasons,
    fold_search,
    join_tokens,
    template_text,
    title_text,
)
from templatemine.packs.short_forms import short_forms_of
from templatemine.report.histogram import count_strings
from templatemine.report.risk import is_scored

DESK_FOLDER = Path(__file__).parent
MAX_PAST_VERSIONS = 100
"""Number of earlier versions of an annotation that can be restored after a reload."""
MAX_FOUND = 100
"""Most rejected candidates that a search shows."""
MAX_QUESTIONS = 10
"""Questions that are put at once."""
MAX_OPEN = 8
"""Sources of which what was found out is kept."""
MAX_TOLD, MAX_PAST = 20, 100
"""Decisions of each answer, and of one that was asked for earlier ones."""
MAX_KIN, MAX_ALSO = 20, 6
"""Variants that are shown beside a template, and templates that are named for one cut or decision."""
MAX_SHOWN = 4_000_000
"""Characters of a page or article that is shown; the largest of 3,000 pages of the public sets has 1.5 million."""
PREPARING_SECONDS = 0.05
"""How long an answer waits for what is being prepared."""
WHOLE = View()
"""All templates, the most frequent first."""


class Desk:
    """The answers of a desk, as plain functions of the values of a request.

    Parameters
    ----------
    gold : mapping
        Annotated spans by id of the article.
    """

    def __init__(self, library: Library, gold: GoldSpans | None = None) -> None:
        self.library = library
        self.gold = gold or {}
        self._open: dict[str, OpenSource] = {}
        self._preparing: dict[str, Thread] = {}
        self._lock = Lock()
        self._risks = Risks(self._measure_risk)

    # ----------------------------------------------------------------------------------------------------------- home

    def describe_home(self) -> dict[str, Any]:
        """Return the sources, what all of their cuts do, and how many packs nobody has looked at yet."""
        rows = self.list_sources()
        risks = [row["risk"] for row in rows if row["risk"] is not None]
        packs = sum(row["pack"] for row in rows)
        return {"rows": rows, "said": describe_risks(risks), "missing": packs - len(risks), "packs": packs}

    def list_sources(self) -> list[dict[str, Any]]:
        """List the sources, a row each, those with a pack first: what they wait for must not stand among the others;
        first of these where cuts leave most behind, then the one with most at stake in a question."""
        done: dict[str, set[str]] = {}
        for one in self.library.store.annotations():
            if one.done:
                done.setdefault(one.source, set()).add(one.id)
        rows, stakes, packs = [], dict.fromkeys(self.library.sources, 0), dict[str, StoredPack]()
        for source in self.library.sources:
            articles = self.library.articles.get(source, [])
            row: dict[str, Any] = {"source": source, "sample": len(articles), "annotated": len(done.get(source, ()))}
            row |= {"problem": "", "pack": False, "risk": None}
            try:
                stored = self.library.stored_pack(source)
            except PackError as error:
                row["problem"], stored = str(error), None
            if stored is not None:
                packs[source], asked = stored, open_questions(stored.pack)
                stakes[source] = max((one.stake for one in asked), default=0)
                row |= {
                    "pack": True,
                    "documents": stored.pack.documents,
                    "templates": len(stored.pack.templates),
                    "decisions": len(stored.pack.overrides.rules),
                    "questions": len(asked),
                }
            rows.append(row)
        risks = self._risks.look(packs.values())
        for row in rows:
            row["risk"] = risks.get(packs[row["source"]].path) if row["pack"] else None

        def rank(row: dict[str, Any]) -> tuple[bool, float, float, int]:
            harm, doubt = (row["risk"] or SourceRisk()).rank(row.get("documents", 0))
            return not (row["pack"] or row["problem"]), -harm, -doubt, -stakes[row["source"]]

        return sorted(rows, key=rank)

    def _measure_risk(self, stored: StoredPack) -> SourceRisk:
        # A source that nobody reviews is forgotten again, or it would take the place of one that somebody does.
        with self._lock:
            opened = self._open.get(stored.path) or OpenSource(self.library)
        events = self.library.reconcile_history(stored, most=1)
        return opened.risk(stored, self._reviewed(stored, events, opened))

    # --------------------------------------------------------------------------------------------------------- review

    def stored_pack(self, source: str) -> StoredPack:
        stored = self.library.stored_pack(source)
        if stored is None:
            raise NotFound(f"there is no pack of {source!r}")
        return stored

    def _opened(self, stored: StoredPack) -> OpenSource:
        """Return what is known of a source; of the last `MAX_OPEN` it is kept."""
        with self._lock:
            found = self._open.pop(stored.path, None) or OpenSource(self.library)
            self._open[stored.path] = found
            while len(self._open) > MAX_OPEN:
                self._open.pop(next(iter(self._open)))
            return found

    def prepare(self, source: str) -> None:
        """Find out what the review of a source needs: what its templates do, and what would take long later."""
        stored = self.stored_pack(source)
        self._table(stored)
        self._opened(stored).cuts(stored)
        self.library.prepare(stored)
        self._opened(stored).preview(stored)

    def prepare_apart(self, source: str) -> dict[str, Any]:
        """Begin `prepare` in a thread of its own, if nobody has; return whether it is done, and of what size it is."""
        stored = self.stored_pack(source)

        def work() -> None:
            with suppress(TemplateMineError):  # whoever asks for the review is told
                self.prepare(source)

        with self._lock:
            thread = self._preparing.get(stored.path)
            if thread is None or not thread.is_alive():  # what is known already takes no time
                thread = self._preparing[stored.path] = Thread(target=work, daemon=True)
                thread.start()
        thread.join(PREPARING_SECONDS)
        return {
            "ready": not thread.is_alive(),
            "templates": len(stored.pack.templates),
            "articles": len(self.library.articles.get(source, ())),
        }

    def prepare_largest(self) -> None:
        """Prepare the list of sources, and those that take longest, one after the other, as many as are kept."""
        self.list_sources()
        sizes: dict[str, int] = {}
        for source in self.library.sources:
            with suppress(TemplateMineError):
                sizes[source] = len(self.stored_pack(source).pack.templates)
        for source in sorted(sizes, key=lambda one: -sizes[one])[:MAX_OPEN]:
            while not self.prepare_apart(source)["ready"]:
                pass

    def _table(self, stored: StoredPack) -> ReviewTable:
        return self._reviewed(stored, self.library.reconcile_history(stored, most=1))

    def _reviewed(self, stored: StoredPack, events: Sequence[Event], opened: OpenSource | None = None) -> ReviewTable:
        seq, reviewed = events[-1].seq if events else 0, self.library.store.reviewed(self.library.source_of(stored))
        return (opened or self._opened(stored)).table(stored, reviewed, seq)

    def review_state(self, source: str, view: View = WHOLE) -> dict[str, Any]:
        """Return the data of the review of a source, with a window of its templates."""
        stored = self.stored_pack(source)
        events = self.library.reconcile_history(stored, most=MAX_TOLD)
        opened, pack = self._opened(stored), stored.pack
        table, articles = self._reviewed(stored, events), opened.sample(stored)
        rules, histogram = pack.overrides.rules, count_strings(pack, table.strings())
        return {
            "source": source,
            "version": stored.version,
            "kinds": KINDS,
            "stays": choose().kept,
            "documents": pack.documents,
            "dates": [pack.first_date, pack.last_date],
            "method": pack.mined_by,
            "html": pack.html,
            "note": describe_choice(pack),
            "cutoff": pack.cutoff.df,
            "moved": next((rule.df for rule in rules if rule.action == "cutoff"), None),
            "histogram": {"counts": histogram.counts, "templates": histogram.templates},
            "decisions": len(rules),
            "rules": rules_json(rules[: -MAX_TOLD - 1 : -1]),
            "articles": len(articles),
            "left_out": self.library.left_out(stored),
            "sample": sum_cuts(opened.cuts(stored), articles),
            "scored": is_scored(pack),
            "seq": events[-1].seq if events else 0,
            "undoable": self._last_decision(stored),
            "history": _describe_events(events),
            **table.describe(view),
        }

    def _last_decision(self, stored: StoredPack) -> str:
        """Return what an undo would undo, in a few words; "" if there is nothing."""
        last = self.library.store.last_undoable(self.library.source_of(stored))
        return "" if last is None else last.what

    def list_rows(self, source: str, view: View) -> dict[str, Any]:
        """Return a window of the templates of a source."""
        stored = self.stored_pack(source)
        return {"version": stored.version, **self._table(stored).describe(view)}

    def list_past(self, source: str, what: str, first: int) -> dict[str, Any]:
        """Return some decisions of a source, the last ones first: those that are in force ("rules"), or all."""
        stored = self.stored_pack(source)
        if what == "rules":
            rows: list[Any] = rules_json(stored.pack.overrides.rules[::-1][first : first + MAX_PAST])
        else:
            rows = _describe_events(self.library.store.history(source, most=MAX_PAST, first=first))
        return {"rows": rows, "next": first + len(rows) if len(rows) == MAX_PAST else None}

    def summarise(self, source: str, since: int) -> dict[str, Any]:
        """Say what was done about a source after an event of its history, and what is left to do."""
        stored = self.stored_pack(source)
        pack, opened = stored.pack, self._opened(stored)
        articles, table = opened.sample(stored), self._table(stored)
        events = self.library.store.history(self.library.source_of(stored), since)
        undone = {one.undoes for one in events}
        # An undo of what was decided before is a decision of its own: the figures have it, so the list has it.
        made = [one for one in events if one.seq not in undone and (one.undoes is None or one.undoes <= since)]
        then = apply_rules(pack, self.library.rejected(stored), parse_rules(events[0].before)) if events else pack
        mined = table.measure_risks(opened.residues(stored, replace(pack, templates=tuple(mined_templates(pack)))).harm)
        mined[table.state == ADDED] = 0.0
        return {
            "decisions": [{"what": one.what, "name": one.name} for one in made],
            "before": {"templates": len(then.templates), **sum_cuts(opened.cuts(stored, then), articles)},
            "after": {"templates": len(pack.templates), **sum_cuts(opened.cuts(stored), articles)},
            "templates": len(table.templates),
            "done": int(table.is_decided.sum()),
            "risk": round(float(mined.sum())),
            "open_risk": round(float(mined[~table.is_decided].sum())),
            "next": [table.row(row) for row in table.list_open(3)],
        }

    def preview_cutoff(self, source: str, df: int | None) -> dict[str, Any]:
        """Compute what a new cut-off would change; None is the cut-off of mining."""
        stored = self.stored_pack(source)
        if df is not None and not 1 <= df <= stored.pack.documents + 1:
            raise ConfigError(f"expected a cut-off from 1 to {stored.pack.documents + 1} documents, got {df}")
        preview = self._opened(stored).preview(stored)
        rules = stored.pack.overrides.rules
        after = tuple(rule for rule in rules if rule.action != "cutoff")
        if df is not None:
            after = (*after, Rule(action="cutoff", df=df))
        return {"version": stored.version, **preview.compare_rules(rules, after)}

    def describe_template(self, source: str, name: str) -> dict[str, Any]:
        """Return a template, its family, its expression as packs write it, and its occurrences in the sample."""
        stored = self.stored_pack(source)
        pack, table = stored.pack, self._table(stored)
        row = table.rows.get(name)
        if row is None:
            raise NotFound(f"there is no template {name!r}")
        found = table.templates[row]
        family = table.family(table.templates[table.heads[row]].id)
        out = table.state[row] == OUT
        try:
            change = self._show_change(
                stored, {"kind": "judge", "verdict": "cut" if out else "leave", "id": name}, name
            )
        except (ConfigError, PackError) as problem:  # of a rule about another
            sample = self._opened(stored).sample(stored)
            change = {"problem": str(problem), **review.find_sightings(pack, found, sample)}
        return {
            **table.row(row),
            "text": template_text(found),
            "count": found.count,
            "position": describe_position(found, pack),
            "anchor": found.anchor,
            "written": found.tokens is None,
            "regex": found.regex,
            "reasons": describe_reasons(found),
            "doubt": table.describe_doubt(row),
            "short": short_forms_of(pack).shorten(found) or found.regex,
            "family": len(family),
            "variant": self._describe_riskiest(table, row, family),
            "kin": [table.row(one) for one in family if one != row][:MAX_KIN],
            **change,
        }

    def _describe_riskiest(self, table: ReviewTable, row: int, family: Sequence[int]) -> dict[str, Any] | None:
        """Return the variant for whose risk the list ranks the head of a family, and its doubts, or None."""
        worst = max((one for one in family if table.state[one] != OUT), key=table.risks.__getitem__, default=row)
        if table.heads[row] != row or table.risks[worst] <= table.risks[row]:
            return None
        return {**table.row(worst), "doubt": table.describe_doubt(worst)}

    def describe_candidate(self, source: str, tokens: Sequence[str]) -> dict[str, Any]:
        """Return what a rejected candidate would cut of the sample, and its occurrences there."""
        body = {"kind": "add", "rule": {"action": "accept", "tokens": tokens}}
        return self._show_change(self.stored_pack(source), body, template_id(tokens))

    def _show_change(self, stored: StoredPack, body: Mapping[str, Any], name: str) -> dict[str, Any]:
        """Return what a decision about a template would do, to which others, too, and the occurrences of this."""
        would, whole = self._plan_change(stored, body)
        known = (*stored.pack.templates, *stored.pack.overrides.removed, *whole.templates)
        found = next((one for one in known if one.id == name), None)
        if found is None:
            raise NotFound(f"there is no candidate {name!r}")
        opened = self._opened(stored)
        harm = opened.find_harm(stored, name)
        return {**would, **review.find_sightings(stored.pack, found, opened.sample(stored), harm)}

    def preview_decision(self, source: str, body: Mapping[str, Any]) -> dict[str, Any]:
        """Return what a decision would do to the sample, and to which templates that it is not about, too."""
        return self._plan_change(self.stored_pack(source), body)[0]

    def _plan_change(self, stored: StoredPack, body: Mapping[str, Any]) -> tuple[dict[str, Any], Pack]:
        """Return what a decision would do, and the pack after it."""
        opened = self._opened(stored)
        plan = plan_decision(self.library, stored, opened, body, "", lambda: self._table(stored))
        effects, articles, before = opened.effects(stored), opened.sample(stored), opened.cuts(stored)
        whole = apply_rules(stored.pack, self.library.rejected(stored), plan.rules)
        old, new = ({one.id: one for one in pack.templates} for pack in (stored.pack, whole))
        others = ({*old} ^ {*new}) - {*plan.reviewed, str(body.get("id"))}
        return {
            "did": measure_change(stored.pack, whole, articles, effects, before),
            "judged": plan.judged[1],
            "others": sorted(template_text(old.get(one) or new[one]) for one in others)[:MAX_ALSO],
            "also": len(others),
        }, whole

    def search_rejected(self, source: str, text: str) -> list[dict[str, Any]]:
        """Return the rejected candidates nearest to being templates that contain some words and are still out, those
        that most documents have first; without words those that questions are about, by what is at stake, and then the
        nearest."""
        stored = self.stored_pack(source)
        there = {one.id for one in stored.pack.templates}
        scores = {one.tokens: one.score for one in stored.pack.questions}
        stakes = {one.tokens: one.stake for one in open_questions(stored.pack)}
        wanted = fold_search(text)
        rows: list[dict[str, Any]] = []
        first = found.group() if (found := re.search(r"\w+", wanted)) else ""
        for one in self.library.rejected(stored):
            # Most candidates can be skipped by their tokens, without joining them as they are read: with blanks or not.
            if first not in fold_search("".join(one.tokens)):
                continue
            said = join_tokens(one.tokens, one.example)
            if wanted in fold_search(said) and template_id(one.tokens) not in there:
                row = {"tokens": one.tokens, "text": said, "df": one.df, "count": one.count, "reason": one.reason}
                rows.append({**row, "score": scores.get(one.tokens)})
                if len(rows) >= MAX_FOUND:
                    break
        return sorted(rows, key=lambda row: -row["df"] if wanted else -stakes.get(row["tokens"], 0))

    def list_questions(self, source: str) -> list[dict[str, Any]]:
        """Return the questions of a pack that nobody has answered, that with most at stake first, and where they
        stand, or their example; none without one is asked."""
        stored = self.stored_pack(source)
        asked = open_questions(stored.pack)[:MAX_QUESTIONS]
        seen = QuestionContexts(stored.pack, asked, review.SNIPPET_CONTEXT)
        for article in self._opened(stored).sample(stored):
            seen.add(article.document)
        return [
            {
                "tokens": one.tokens,
                "text": join_tokens(one.tokens, one.example),
                "df": one.df,
                "score": one.score,
                "filled": one.filled,
                "today": describe_removal(stored.pack, one),
                "stake": describe_stake(one),
                "answers": possible_answers(one),
                "snippets": [
                    {"before": place.before, "match": place.found, "filler": place.filler, "after": place.behind}
                    for place in seen.places_of(one) or [Context("", one.example, "", "")]
                ],
            }
            for one in asked
            if one.example or seen.places_of(one)
        ]

    def measure_answers(self, source: str, tokens: Sequence[str]) -> dict[str, dict[str, int]]:
        """Measure what each answer to a question would change in the sample."""
        stored = self.stored_pack(source)
        question, opened = find_question(stored.pack, tokens), self._opened(stored)
        effects, articles, before = opened.effects(stored), opened.sample(stored), opened.cuts(stored)
        return measure_answers(stored.pack, self.library.rejected(stored), question, articles, effects, before)

    def try_expression(self, source: str, regex: str, instead: str = "") -> dict[str, Any]:
        """Return the effect of an expression on the sample, of one `instead` of a template that of both."""
        stored = self.stored_pack(source)
        opened = self._opened(stored)
        trial = review.try_expression(opened.pack_there(stored), regex, opened.sample(stored))
        return self._tell_trial(stored, trial, Rule(action="add", regex=regex), instead)

    def try_words(self, source: str, words: str, anchor: str, kind: str = "", instead: str = "") -> dict[str, Any]:
        """Return the effect on the sample of a template of such words at such a position, of one `instead` of another
        that of both."""
        stored = self.stored_pack(source)
        opened = self._opened(stored)
        trial = review.try_words(opened.pack_there(stored), words, anchor, opened.sample(stored))
        rule = Rule(action="edit", tokens=trial.tokens, anchor=trial.anchor, kind=kind)
        return self._tell_trial(stored, trial, rule, instead)

    def _tell_trial(self, stored: StoredPack, trial: review.Trial, rule: Rule, instead: str) -> dict[str, Any]:
        """Return a trial, of what takes the place of a template as it will be decided."""
        told = asdict(trial)
        pack, opened, rejected = stored.pack, self._opened(stored), self.library.rejected(stored)
        old = next((one for one in pack.templates if one.id == instead), None)
        if old is None or not trial.matches:
            return told
        if (old.tokens, old.anchor) == (rule.tokens, rule.anchor) or rule.regex == old.regex:
            return {**told, "same": True}
        rest = [one for one in pack.overrides.rules if old.tokens is not None or one.regex != old.regex]
        made = replace(rule, df=trial.touched, count=trial.matches, example=trial.example)
        whole = apply_rules(
            pack, rejected, review.amend_rules(pack, rejected, rest, [made, Rule(action="reject", id=instead)])
        )
        told |= measure_exchange(pack, whole, opened.sample(stored), opened.effects(stored))
        return {**told, "harm": min(trial.harm, told["new"])}

    def sample_articles(self, source: str, first: int, cut_only: bool) -> dict[str, Any]:
        """Return some articles with their removed parts."""
        stored = self.stored_pack(source)
        opened, table = self._opened(stored), self._table(stored)
        articles, cuts = opened.sample(stored), opened.cuts(stored)
        places = [place for place in range(max(0, first), len(articles)) if cuts[place] or not cut_only]
        chosen, more = places[:5], places[5:]
        there = opened.pack_there(stored, [articles[place] for place in chosen])
        cleaner, judged = Cleaner(there), opened.judged(stored)
        rows: list[dict[str, Any]] = []
        for place in chosen:
            document, torn = articles[place].document, [cut for cut in judged[place] if cut.torn]
            spans = cleaner.spans(document.body)
            pieces = review.render_pieces(document.body[:MAX_SHOWN], spans, there, torn)
            shown = {"title": title_text(document), "date": document.date, "pieces": pieces, "torn": len(torn)}
            rows.append({"id": articles[place].name, **shown})
        pieces = [piece for row in rows for piece in row["pieces"]]
        names = {name for piece in pieces for name in (*piece["templates"][:MAX_ALSO], *piece["torn"].values())}
        return {
            "articles": rows,
            "templates": {name: table.row(table.rows[name]) for name in sorted(names) if name in table.rows},
            "next": more[0] if more else None,
        }

    def decide(self, source: str, name: str, body: Mapping[str, Any]) -> dict[str, Any]:
        """Apply a decision and return the new state, with what it did."""
        stored, view = self.stored_pack(source), read_view(body.get("view", {}))
        version, opened = str(body.get("version", "")), self._opened(stored)
        if version != stored.version:
            # The store raises the conflict, with the name of the other person.
            self.library.decide(source, version, stored.pack.overrides.rules, name=name, what="")
        plan = plan_decision(self.library, stored, opened, body, name, lambda: self._table(stored))
        after = stored
        if plan.what:
            words = {"name": name, "what": plan.what}
            after, _ = self.library.decide(
                source, version, plan.rules, undoes=plan.undoes, reviewed=plan.reviewed, **words
            )
        self._risks.forget(stored.path)
        opened.effects(after)  # by which articles may leave the sample
        did = compare_cuts(opened.cuts(stored), opened.cuts(after))
        state = {**self.review_state(source, view), "did": did, "judged": plan.judged}
        return {**state, "about": self._first_undone(stored, after, plan.undoes)}

    def _first_undone(self, before: StoredPack, after: StoredPack, event: int | None) -> dict[str, Any] | None:
        """Return the row of the template that an undone decision was about, of several the first; None if none is."""
        if event is None:
            return None
        table = self._table(after)
        names = {*self.library.store.reviewed_by(event)} | changed_ids(before.pack, after.pack)
        rows = (row for row in table.list_rows(WHOLE).tolist() if table.templates[row].id in names)
        first = next(rows, None)
        return None if first is None else table.row(first)

    # ------------------------------------------------------------------------------------------------------- annotate

    def find_article(self, source: str, name: str) -> Article:
        article = self.library.article(source, name)
        if article is None:
            raise NotFound(f"there is no document {name!r} of {source!r} in the sample")
        if len(article.document.body) > MAX_SHOWN:
            raise ConfigError(f"expected a document of at most {MAX_SHOWN:,} characters")
        return article

    def _pack_of(self, source: str, name: str) -> Pack | None:
        """Return the pack for a document: of a source that is open, the templates alone that occur there."""
        stored = self.library.stored_pack(source)
        opened = None if stored is None else self._open.get(stored.path)
        if stored is None or opened is None:
            return None if stored is None else stored.pack
        return opened.pack_there(stored, [self.find_article(source, name)])

    def render_document(self, source: str, name: str, styled: bool) -> str:
        """Return a document as HTML for its frame."""
        document = self.find_article(source, name).document
        if document.is_html:
            return sanitise_page(document.body, find_units(document), styled=styled)
        return render_article(document.body, self._units_of(document), title=title_text(document))

    def _units_of(self, document: Document) -> list[tuple[int, int]]:
        """Return the units of a document, as the pack of its source reads it, if there is one."""
        stored = None
        with suppress(PackError):
            stored = self.library.stored_pack(escape_surrogates(document.source))
        return find_units(document, None if stored is None else stored.pack.rules)

    def describe_document(self, source: str, name: str, annotator: str, proposals: bool) -> dict[str, Any]:
        """Return units, labels and marks of a document, and proposals if there are no marks yet."""
        document = self.find_article(source, name).document
        versions = self.library.store.annotation(source, name, annotator)
        last = versions[-1] if versions else None
        proposed: list[Any] = []
        if last is None and proposals:
            pack = self._pack_of(source, name)
            proposed = comparing.propose_marks(document, pack)
        return {
            "source": source,
            "id": name,
            "title": title_text(document),
            "kind": document_kind(document),
            "labels": [asdict(label) for label in LABELS[document_kind(document)]],
            "kinds": KINDS,
            "units": self._units_of(document),
            "version": last.version if last else 0,
            "marks": last.marks if last else [],
            "past": [one.marks for one in versions[-MAX_PAST_VERSIONS - 1 : -1]],
            "proposed": proposed,
            "done": bool(last and last.done),
            "clicks": last.clicks if last else 0,
            "keys": last.keys if last else 0,
            "seconds": last.seconds if last else 0.0,
        }

    def list_documents(self, source: str | None, annotator: str) -> list[dict[str, Any]]:
        """Return the documents of one source or all, with the progress of this annotator and the others."""
        last = {(one.source, one.id, one.name): one for one in self.library.store.annotations(source)}
        people: dict[tuple[str, str], list[str]] = {}
        for (of, name, person), one in last.items():
            if one.done:
                people.setdefault((of, name), []).append(person)
        rows = []
        for of in [source] if source else self.library.sources:
            for article in self.library.articles.get(of, ()):
                document = article.document
                own = last.get((of, article.name, annotator))
                state = "done" if own and own.done else "begun" if own else "new"
                others = [person for person in people.get((of, article.name), ()) if person != annotator]
                rows.append(
                    {
                        "source": of,
                        "id": article.name,
                        "title": title_text(document),
                        "kind": document_kind(document),
                        "state": state,
                        "others": others,
                        "gold": article.gold is not None or document.id in self.gold,
                    }
                )
        return rows

    def save_marks(self, annotator: str, body: Mapping[str, Any]) -> dict[str, Any]:
        """Save marks."""
        source, name = str(body.get("source", "")), str(body.get("id", ""))
        document = self.find_article(source, name).document
        numbers = {key: body.get(key, 0) for key in ("version", "clicks", "keys", "seconds")}
        if not all(isinstance(value, int | float) and 0 <= value < 1e9 for value in numbers.values()):
            raise ConfigError("expected numbers for version, clicks, keys and seconds")
        saved = self.library.store.annotate(
            Annotation(
                source=source,
                id=name,
                name=annotator,
                version=int(numbers["version"]),
                time="",
                marks=read_marks(document, body.get("marks")),
                done=bool(body.get("done")),
                clicks=int(numbers["clicks"]),
                keys=int(numbers["keys"]),
                seconds=float(numbers["seconds"]),
            )
        )
        return {"version": saved.version, "time": saved.time}

    def measure_agreement(self) -> dict[str, Any]:
        """Return the agreement of annotators, and the effort of each."""
        labelled: dict[str, dict[tuple[str, str], list[str]]] = {}
        effort: dict[str, Counter[str]] = {}
        for one in self.library.store.annotations():
            article = self.library.article(one.source, one.id)
            if article is None or not one.done:
                continue
            labels = label_units(one.marks, self._units_of(article.document))
            labelled.setdefault(one.name, {})[one.source, one.id] = labels
            more = {"clicks": one.clicks, "keys": one.keys, "seconds": one.seconds}
            effort.setdefault(one.name, Counter()).update({"documents": 1, "passages": count_passages(labels), **more})
        return {"pairs": [asdict(pair) for pair in measure_agreements(labelled)], "effort": effort}

    def export(self, form: str, source: str | None, annotator: str | None) -> tuple[str, bytes]:
        """Return a file of finished annotations: its name and its content."""
        if form not in EXPORT_FORMATS:
            raise NotFound(f"expected one of {', '.join(EXPORT_FORMATS)}, got {form!r}")
        name, _, make = EXPORT_FORMATS[form]
        return name, make(self.library, select_finished(self.library.store.annotations(source), annotator))

    # -------------------------------------------------------------------------------------------------------- compare

    def list_systems(self, source: str, name: str) -> dict[str, str]:
        """Return the systems that can process a document."""
        pack, article = self._pack_of(source, name), self.find_article(source, name)
        people = comparing.finished_marks(self.library, article)
        return comparing.list_systems(article.document, pack, people, article.document.id in self.gold)

    def compare_systems(self, source: str, name: str, systems: list[str]) -> dict[str, Any]:
        """Return the results of several systems on a document."""
        article, known = self.find_article(source, name), self.list_systems(source, name)
        unknown = [system for system in systems if system not in known]
        if unknown:
            raise ConfigError(f"expected systems of {', '.join(known)}, got {unknown[0]!r}")
        pack = self._pack_of(source, name)
        chosen_ones = systems or [*known][:1] + [*known][1:][-1:]
        found = comparing.compare_systems(self.library, article, pack, chosen_ones, self.gold.get(article.document.id))
        return {**asdict(found), "kind": document_kind(article.document)}


def _describe_events(events: Sequence[Event]) -> list[dict[str, Any]]:
    """Return decisions as the history shows them, the last one first."""
    undone = {event.undoes for event in events}
    return [
        {
            **{key: getattr(event, key) for key in ("seq", "time", "name", "what", "undoes")},
            "undone": event.seq in undone,
        }
        for event in reversed(events)
    ]
