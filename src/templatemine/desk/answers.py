"""The answers of a desk as plain functions of the values of a request: packs, documents, decisions, exports."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from threading import Lock
from typing import Any

from templatemine.archive.apply_answers import (
    QuestionContexts,
    add_answer_rules,
    current_removal,
    open_questions,
    possible_answers,
)
from templatemine.archive.apply_overrides import apply_rules, join_tokens, mined_templates
from templatemine.cleaning.cleaner import Cleaner
from templatemine.desk import compare as comparing
from templatemine.desk import review
from templatemine.desk.agreement import measure_agreements
from templatemine.desk.annotations import LABELS, count_passages, document_kind, find_units, label_units, read_marks
from templatemine.desk.answer_effects import measure_answers
from templatemine.desk.effects import Effects, SlowArticles, TemplateEffect, count_cuts, sum_cuts
from templatemine.desk.export import EXPORT_FORMATS, select_finished
from templatemine.desk.library import Article, Library, StoredPack, parse_rules, rules_json, stamp_rule
from templatemine.desk.safe_page import render_article, sanitise_page
from templatemine.desk.security import RequestLimits
from templatemine.desk.store import Annotation, utc_now
from templatemine.errors import ConfigError, PackError, TemplateMineError, counted
from templatemine.evaluation.gold import GoldSpans
from templatemine.kinds import KINDS
from templatemine.model import Question, Template
from templatemine.packs.overrides import Rule, read_rule
from templatemine.packs.pack import Pack
from templatemine.packs.pack_record import template_id
from templatemine.packs.short_forms import short_forms_of
from templatemine.report.histogram import BARS, histogram_of, sparkline
from templatemine.report.risk import is_scored
from templatemine.report.words import describe_reasons

__all__ = ["DESK_FOLDER", "Desk", "NotFound"]

DESK_FOLDER = Path(__file__).parent
MAX_PAST_VERSIONS = 100
"""Number of earlier versions of an annotation that can be restored after a reload."""
MAX_FOUND = 100
"""Most rejected candidates that a search shows."""
MAX_QUESTIONS = 10
"""Questions that are put at once."""

_FRAME_STYLE = (DESK_FOLDER / "static" / "frame.css").read_text(encoding="utf-8")


class NotFound(TemplateMineError):
    """The requested thing does not exist."""


class Desk:
    """The answers of a desk, as plain functions of the values of a request.

    Parameters
    ----------
    library : Library
    gold : mapping
        Annotated spans by id of the article.
    limits : RequestLimits, optional
    """

    def __init__(self, library: Library, gold: GoldSpans | None = None, limits: RequestLimits | None = None) -> None:
        self.library = library
        self.gold = gold or {}
        self.limits = limits or RequestLimits()
        self._preview: tuple[tuple[str, ...], review.CutoffPreview] | None = None
        self._preview_lock = Lock()
        self._effects: tuple[Pack, Effects] | None = None
        self._cuts: list[tuple[str, tuple[Template, ...], list[int]]] = []
        self._row_cache: tuple[str, _RowCache] = "", _RowCache()
        self._effects_lock = Lock()

    # ----------------------------------------------------------------------------------------------------------- home

    def list_sources(self) -> list[dict[str, Any]]:
        """List the sources, a row each."""
        done: dict[str, set[str]] = {}
        for one in self.library.store.annotations():
            if one.done:
                done.setdefault(one.source, set()).add(one.id)
        rows = []
        for source in self.library.sources:
            articles = self.library.articles.get(source, [])
            row: dict[str, Any] = {"source": source, "sample": len(articles), "annotated": len(done.get(source, ()))}
            row |= {"pages": sum(one.document.is_html for one in articles), "problem": "", "pack": False}
            try:
                stored = self.library.stored_pack(source)
            except PackError as error:
                row["problem"], stored = str(error), None
            if stored is not None:
                row |= {
                    "pack": True,
                    "documents": stored.pack.documents,
                    "templates": len(stored.pack.templates),
                    "decisions": len(stored.pack.overrides.rules),
                    "spark": sparkline(stored.pack.cutoff.histogram, 25, BARS),
                }
            rows.append(row)
        return rows

    # --------------------------------------------------------------------------------------------------------- review

    def stored_pack(self, source: str) -> StoredPack:
        stored = self.library.stored_pack(source)
        if stored is None:
            raise NotFound(f"there is no pack of {source!r}")
        return stored

    def review_state(self, source: str, since: str = "") -> dict[str, Any]:
        """Return the data of the review of a source.

        Parameters
        ----------
        since : str
            A version that was returned before: "templates" has only the rows that have changed since, "gone" the ids of
            those that are no longer there.  If another version was returned meanwhile, "since" of the answer is empty,
            and all rows are there.
        """
        stored = self.stored_pack(source)
        events = self.library.reconcile_history(stored)
        pack = stored.pack
        added, rules = set(pack.overrides.added), pack.overrides.rules
        effects = self._find_effects(stored)
        each, reviewed = effects.template_effects(pack), self.library.store.reviewed(source)
        heads, shown, gone = (
            effects.family_heads(pack),
            self._cached_rows(stored),
            {one.id for one in pack.overrides.removed},
        )
        rows = []
        for one in (*pack.templates, *pack.overrides.removed):
            name = one.id
            state = "out" if name in gone else "added" if name in added else "kept"
            rows.append(shown.row(one, state, each[name], heads.get(name, name), reviewed.get(name, "")))
        changed, gone_ids, since = shown.changes(rows, since, stored.version)
        histogram = histogram_of(pack)
        moved = next((rule.df for rule in rules if rule.action == "cutoff"), None)
        undone = {event.undoes for event in events}
        return {
            "source": source,
            "version": stored.version,
            "kinds": KINDS,
            "documents": pack.documents,
            "dates": [pack.first_date, pack.last_date],
            "method": pack.mined_by,
            "html": pack.html,
            "note": pack.cutoff.note,
            "cutoff": pack.cutoff.df,
            "moved": moved,
            "histogram": {"counts": histogram.counts, "templates": histogram.templates},
            "since": since,
            "templates": changed,
            "gone": gone_ids,
            "rules": rules_json(rules),
            "articles": len(self.library.matching_articles(stored)),
            "left_out": self.library.left_out(stored),
            "sample": sum_cuts(self._count_cuts(stored), self.library.matching_articles(stored)),
            "scored": is_scored(pack),
            "seq": events[-1].seq if events else 0,
            "history": [
                {**asdict(event), "undone": event.seq in undone, "before": None, "after": None}
                for event in reversed(events[-200:])
            ],
        }

    def _cached_rows(self, stored: StoredPack) -> _RowCache:
        """Return the rows of the last review of a source."""
        with self._effects_lock:
            if self._row_cache[0] != stored.path:
                self._row_cache = stored.path, _RowCache()
            return self._row_cache[1]

    def _find_effects(self, stored: StoredPack) -> Effects:
        """Compute what the templates of a pack and those removed from it do in the sample. Articles for which
        expressions take too long leave it, or these could be neither seen nor removed."""
        wanted = (*stored.pack.templates, *stored.pack.overrides.removed)
        with self._effects_lock:
            known = self._effects
            if known is not None and known[0] is stored.pack:
                return known[1]
            self._effects = None
            while True:
                articles = self.library.matching_articles(stored)
                try:
                    if known is None or not known[1].extend(stored.pack, wanted, articles):
                        known = stored.pack, Effects(stored.pack, wanted, articles)
                except SlowArticles as slow:
                    self.library.leave_out(stored, slow.articles)
                    known = None
                else:
                    self._effects = stored.pack, known[1]
                    return known[1]

    def _find_sample(self, stored: StoredPack) -> list[Article]:
        """Return the articles of a source for which no template of its pack takes too long."""
        self._find_effects(stored)
        return self.library.matching_articles(stored)

    def _count_cuts(self, stored: StoredPack, pack: Pack | None = None) -> list[int]:
        """Count the characters that a pack of the source, by default the present one, removes from each article of
        the sample.

        Of articles in which none of the templates occurs that it has and the pack before had not, or the other way
        round, they are those of the pack before.
        """
        pack = pack or stored.pack
        effects, articles = self._find_effects(stored), self.library.matching_articles(stored)
        with self._effects_lock:
            key = stored.path, pack.templates
            known = next((cuts for path, one, cuts in self._cuts if (path, one) == key), None)
            if known is None:
                path, last, cuts = self._cuts[0] if self._cuts else ("", (), [])
                places = (
                    effects.find_articles(_symmetric_difference(last, pack.templates)) if path == stored.path else None
                )
                if places is None or len(cuts) != len(articles):
                    cuts, places = [0] * len(articles), [*range(len(articles))]
                known = [*cuts]
                there = effects.restrict_pack(pack, places)
                fresh = count_cuts(there, [articles[place] for place in places], self.library.config.clean)
                for place, cut in zip(places, fresh, strict=True):
                    known[place] = cut
                self._cuts = [(*key, known), *self._cuts[:1]]  # before a decision and after it
            return known

    def summarise(self, source: str, since: int) -> dict[str, Any]:
        """Say what was done about a source after an event of its history, and what is left to do."""
        stored = self.stored_pack(source)
        pack, articles = stored.pack, self._find_sample(stored)
        events = [one for one in self.library.reconcile_history(stored) if one.seq > since]
        undone = {one.undoes for one in events}
        then = apply_rules(pack, self.library.rejected(stored), parse_rules(events[0].before)) if events else pack
        reviewed, each = self.library.store.reviewed(source), self._find_effects(stored).template_effects(pack)
        open_ones = sorted(
            (one for one in pack.templates if one.id not in reviewed), key=lambda one: -each[one.id].risk
        )
        return {
            "decisions": [
                {"what": one.what, "name": one.name} for one in events if one.undoes is None and one.seq not in undone
            ],
            "before": {"templates": len(then.templates), **sum_cuts(self._count_cuts(stored, then), articles)},
            "after": {"templates": len(pack.templates), **sum_cuts(self._count_cuts(stored), articles)},
            "reviewed": len(pack.templates) - len(open_ones),
            "risk": round(sum(each[one.id].risk for one in pack.templates)),
            "open_risk": round(sum(each[one.id].risk for one in open_ones)),
            "next": [{**_template_row(one, ""), "effect": each[one.id].as_dict()} for one in open_ones[:3]],
        }

    def preview_cutoff(self, source: str, df: int | None) -> dict[str, Any]:
        """Compute what a new cut-off would change; None is the cut-off of mining."""
        stored = self.stored_pack(source)
        if df is not None and not 1 <= df <= stored.pack.documents + 1:
            raise ConfigError(f"expected a cut-off from 1 to {stored.pack.documents + 1} documents, got {df}")
        # The preview depends on the mined templates only, so that it stays valid after decisions.
        key = (stored.path, *(one.id for one in mined_templates(stored.pack)))
        with self._preview_lock:
            if self._preview is None or self._preview[0] != key:
                made = review.CutoffPreview(stored.pack, self.library.rejected(stored), self._find_sample(stored))
                self._preview = key, made
            preview = self._preview[1]
        rules = stored.pack.overrides.rules
        after = tuple(rule for rule in rules if rule.action != "cutoff")
        if df is not None:
            after = (*after, Rule(action="cutoff", df=df))
        return {"version": stored.version, **preview.compare_rules(rules, after, self.library.config.clean.gap)}

    def describe_template(self, source: str, name: str) -> dict[str, Any]:
        """Return a template, or a rejected candidate, its expression as packs write it, and its occurrences in the
        sample."""
        stored = self.stored_pack(source)
        pack = stored.pack
        everything = (*pack.templates, *pack.overrides.removed)
        found = next((one for one in everything if one.id == name), None)
        if found is None:
            raise NotFound(f"there is no template {name!r}")
        short = short_forms_of(pack).shorten(found) or found.regex
        return {
            **_template_row(found, ""),
            "regex": found.regex,
            "reasons": describe_reasons(found),
            "short": short,
            **review.find_sightings(pack, found, self._find_sample(stored)),
        }

    def search_rejected(self, source: str, text: str) -> list[dict[str, Any]]:
        """Return rejected candidates that contain some words, in the order of their file."""
        stored = self.stored_pack(source)
        wanted = " ".join(text.split()).casefold()
        rows: list[dict[str, Any]] = []
        first = wanted.split(" ")[0] if wanted else ""
        for tokens, df, count, reason in self.library.rejected(stored):
            # Most candidates can be skipped by their tokens, without joining them.
            if not any(first[:1] in token.casefold() for token in tokens):
                continue
            said = join_tokens(tokens)
            if wanted in said.casefold():
                rows.append({"tokens": tokens, "text": said, "df": df, "count": count, "reason": reason})
                if len(rows) >= MAX_FOUND:
                    break
        return rows

    def list_questions(self, source: str) -> list[dict[str, Any]]:
        """Return the questions of a pack that nobody has answered, that with most at stake first, and where they
        stand."""
        stored = self.stored_pack(source)
        asked = open_questions(stored.pack)[:MAX_QUESTIONS]
        seen = QuestionContexts(stored.pack, asked, review.SNIPPET_CONTEXT)
        for article in self._find_sample(stored):
            seen.add(article.document)
        return [
            {
                "tokens": one.tokens,
                "text": join_tokens(one.tokens),
                "df": one.df,
                "score": one.score,
                "filled": one.filled,
                "today": current_removal(stored.pack, one),
                "answers": possible_answers(one),
                "snippets": [
                    dict(zip(("before", "match", "after"), place, strict=True)) for place in seen.contexts_of(one)
                ],
            }
            for one in asked
        ]

    def measure_answers(self, source: str, tokens: Sequence[str]) -> dict[str, dict[str, int]]:
        """Measure what each answer to a question would change in the sample."""
        stored = self.stored_pack(source)
        question, articles = _find_question(stored.pack, tokens), self._find_sample(stored)
        rejected, effects = self.library.rejected(stored), self._find_effects(stored)
        return measure_answers(stored.pack, rejected, question, articles, effects, self.library.config.clean)

    def try_expression(self, source: str, regex: str) -> dict[str, Any]:
        """Return the effect of an expression on the sample."""
        stored = self.stored_pack(source)
        return asdict(review.try_expression(stored.pack, regex, self._find_sample(stored)))

    def sample_articles(self, source: str, first: int, cut_only: bool) -> dict[str, Any]:
        """Return some articles with their removed parts."""
        stored = self.stored_pack(source)
        cleaner = Cleaner(stored.pack, self.library.config.clean)
        rows: list[dict[str, Any]] = []
        articles = self._find_sample(stored)
        place = max(0, first)
        while place < len(articles) and len(rows) < 5:
            article = articles[place]
            document = article.document
            spans = cleaner.spans(document.body)
            if spans or not cut_only:
                pieces = review.render_pieces(document.body[: self.limits.page], spans, 200, stored.pack)
                rows.append({"id": article.name, "title": document.title, "date": document.date, "pieces": pieces})
            place += 1
        return {"articles": rows, "next": place if place < len(articles) else None}

    def decide(self, source: str, name: str, body: Mapping[str, Any]) -> dict[str, Any]:
        """Apply a decision and return the new state; if the request has "changed", what is new since its "version"."""
        stored = self.stored_pack(source)
        version, kind = str(body.get("version", "")), body.get("kind")
        rules = stored.pack.overrides.rules
        if version != stored.version:
            # The store raises the conflict, with the name of the other person.
            self.library.decide(source, version, rules, name=name, what="")
        undoes, reviewed = None, list[str]()
        if kind == "undo":
            rules, what, undoes = self._undo(stored)
        elif kind == "remove":
            rule = read_rule(body.get("rule"), "rule")
            if rule not in rules:
                raise NotFound("there is no such rule")
            rules, what = tuple(one for one in rules if one != rule), f"removed: {_describe_rule(rule)}"
        elif kind == "add":
            made = self._read_rules(stored, body, name)
            for rule in made:
                rules = review.amend_rules(stored.pack, self.library.rejected(stored), rules, rule)
            what = _describe_rule(made[0]) + _describe_variants(len(made) - 1)
            reviewed = [_rule_template_id(rule) for rule in made if rule.action in ("accept", "reject")]
        elif kind == "review":
            known = {one.id: one for one in stored.pack.templates}
            reviewed = [one for one in _read_list(body, "ids", str) if one in known]
            if not reviewed:
                raise NotFound("expected ids of templates of the pack")
            what = f"keep {_shorten(_template_text(known[reviewed[0]]))}" + _describe_variants(len(reviewed) - 1)
        elif kind == "answer":
            question, answer = _find_question(stored.pack, body.get("tokens")), str(body.get("answer"))
            rules = add_answer_rules(stored.pack, rules, question, answer, by=name, time=utc_now())
            what = f"{answer}: {join_tokens(question.tokens)}"
        elif kind == "reset-cutoff":
            rules, what = tuple(one for one in rules if one.action != "cutoff"), "reset the cut-off"
        else:
            raise ConfigError(f"expected add, answer, remove, review, undo or reset-cutoff, got {kind!r}")
        after, _ = self.library.decide(source, version, rules, name=name, what=what, undoes=undoes, reviewed=reviewed)
        self._find_effects(after)  # by which articles may leave the sample
        pairs = list(zip(self._count_cuts(stored), self._count_cuts(after), strict=True))
        did = {"articles": sum(a != b for a, b in pairs), "characters": sum(b - a for a, b in pairs)}
        return {**self.review_state(source, version if body.get("changed") else ""), "did": did}

    def _read_rules(self, stored: StoredPack, body: Mapping[str, Any], name: str) -> list[Rule]:
        """Return the rules of a request: one, or one for each variant of a template."""
        rows = _read_list(body, "rules", dict) if "rules" in body else [body.get("rule")]
        if not rows:
            raise ConfigError("expected rules")
        rules = [read_rule(row, "rule") for row in rows]
        for rule in rules:
            _check_template(stored.pack, rule)
        return [stamp_rule(self._complete_rule(stored, rule), name) for rule in rules]

    def _undo(self, stored: StoredPack) -> tuple[tuple[Rule, ...], str, int]:
        events = self.library.reconcile_history(stored)
        undone = {event.undoes for event in events}
        last = next((one for one in reversed(events) if one.undoes is None and one.seq not in undone), None)
        if last is None:
            raise ConfigError("there is nothing to undo")
        return parse_rules(last.before), f"undid: {last.what}", last.seq

    def _complete_rule(self, stored: StoredPack, rule: Rule) -> Rule:
        """Return a rule with values that the desk knows better than the browser: counts, examples, tokens."""
        if rule.action == "add":
            trial = review.try_expression(stored.pack, rule.regex, self._find_sample(stored))
            if trial.refused:
                raise PackError(trial.refused)
            example = trial.example or rule.example
            return Rule(action="add", regex=rule.regex, example=example, df=trial.touched, count=trial.matches)
        if rule.action == "accept" and rule.tokens is not None and not rule.df:
            for tokens, df, count, _ in self.library.rejected(stored):
                if tokens == rule.tokens:
                    return replace(rule, df=df, count=count)
        return rule

    # ------------------------------------------------------------------------------------------------------- annotate

    def find_article(self, source: str, name: str) -> Article:
        article = self.library.article(source, name)
        if article is None:
            raise NotFound(f"there is no document {name!r} of {source!r} in the sample")
        if len(article.document.body) > self.limits.page:
            raise ConfigError(f"expected a document of at most {self.limits.page:,} characters")
        return article

    def render_document(self, source: str, name: str, styled: bool) -> str:
        """Return a document as HTML for its frame."""
        document = self.find_article(source, name).document
        if document.is_html:
            return sanitise_page(document.body, find_units(document), styled=styled, base=_FRAME_STYLE)
        return render_article(document.body, find_units(document), base=_FRAME_STYLE, title=document.title or "")

    def describe_document(self, source: str, name: str, annotator: str, proposals: bool) -> dict[str, Any]:
        """Return units, labels and marks of a document, and proposals if there are no marks yet."""
        document = self.find_article(source, name).document
        versions = self.library.store.annotation(source, name, annotator)
        last = versions[-1] if versions else None
        proposed: list[Any] = []
        if last is None and proposals:
            stored = self.library.stored_pack(source)
            pack = None if stored is None else stored.pack
            proposed = [list(mark) for mark in comparing.propose_marks(document, pack, self.library.config.clean)]
        return {
            "source": source,
            "id": name,
            "title": document.title,
            "url": document.url,
            "kind": document_kind(document),
            "labels": [asdict(label) for label in LABELS[document_kind(document)]],
            "units": find_units(document),
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
                        "title": document.title or "",
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
        marks = read_marks(document, body.get("marks"))
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
                marks=[list(mark) for mark in marks],
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
        effort: dict[str, dict[str, Any]] = {}
        for one in self.library.store.annotations():
            article = self.library.article(one.source, one.id)
            if article is None or not one.done:
                continue
            marks = [(start, end, label) for start, end, label in one.marks]
            labels = label_units(marks, find_units(article.document))
            labelled.setdefault(one.name, {})[one.source, one.id] = labels
            row = effort.setdefault(one.name, {"documents": 0, "passages": 0, "clicks": 0, "keys": 0, "seconds": 0.0})
            for key, value in (
                *(("documents", 1), ("passages", count_passages(labels)), ("clicks", one.clicks)),
                *(("keys", one.keys), ("seconds", one.seconds)),
            ):
                row[key] += value
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
        stored, article = self.library.stored_pack(source), self.find_article(source, name)
        pack = None if stored is None else stored.pack
        people = comparing.finished_marks(self.library, article)
        return comparing.list_systems(article.document, pack, people, article.document.id in self.gold)

    def compare_systems(self, source: str, name: str, systems: list[str]) -> dict[str, Any]:
        """Return the results of several systems on a document."""
        article, known = self.find_article(source, name), self.list_systems(source, name)
        unknown = [system for system in systems if system not in known]
        if unknown:
            raise ConfigError(f"expected systems of {', '.join(known)}, got {unknown[0]!r}")
        stored = self.library.stored_pack(source)
        pack = None if stored is None else stored.pack
        chosen_ones = systems or [*known][:1] + [*known][1:][-1:]
        found = comparing.compare_systems(self.library, article, pack, chosen_ones, self.gold.get(article.document.id))
        return {**asdict(found), "kind": document_kind(article.document)}


def _read_list(body: Mapping[str, Any], key: str, kind: type) -> list[Any]:
    found = body.get(key)
    if not isinstance(found, list):
        raise ConfigError(f"{key}: expected a list, got {type(found).__name__}")
    for place, one in enumerate(found):
        if not isinstance(one, kind):
            raise ConfigError(f"{key}[{place}]: expected {_KIND_NAMES[kind]}, got {type(one).__name__}")
    return found


_KIND_NAMES: Mapping[type, str] = {str: "a string", dict: "an object"}


def _find_question(pack: Pack, tokens: object) -> Question:
    found = next((one for one in open_questions(pack) if list(one.tokens) == tokens), None)
    if found is None:
        raise NotFound("there is no such question, or it is answered")
    return found


def _rule_template_id(rule: Rule) -> str:
    return rule.id or template_id(rule.tokens or ())


def _check_template(pack: Pack, rule: Rule) -> None:
    """Raise `NotFound` for the rejection, or the kind, of a template that the pack has not."""
    if rule.action in ("reject", "kind"):
        name = _rule_template_id(rule)
        if all(one.id != name for one in (*pack.templates, *pack.overrides.removed)):
            raise NotFound(f"there is no template {name!r}")


def _describe_variants(variants: int) -> str:
    return f", and {counted(variants, 'variant')}" if variants else ""


def _template_text(one: Template) -> str:
    return join_tokens(one.tokens) if one.tokens is not None else one.regex


def _symmetric_difference(one: Sequence[Template], other: Sequence[Template]) -> list[Template]:
    """Return the templates that only one of two packs has; those that are the same objects are not looked into."""
    mine, its = ({id(template): template for template in templates} for templates in (one, other))
    return [*({mine[key] for key in mine.keys() - its.keys()} ^ {its[key] for key in its.keys() - mine.keys()})]


class _RowCache:
    """The rows of a review; of thousands a decision changes a few, and the others are the same objects."""

    def __init__(self) -> None:
        self._known: dict[int, tuple[Template, tuple[Any, ...], dict[str, Any]]] = {}
        self._last: tuple[str, dict[str, dict[str, Any]]] = "", {}

    def changes(
        self, rows: Sequence[dict[str, Any]], since: str, version: str
    ) -> tuple[Sequence[dict[str, Any]], list[str], str]:
        """Return the rows that are new since a version, the ids of those that have gone, and that version.

        If it is not the last one, return all rows, no ids and "".
        """
        last, known = self._last
        now = {row["id"]: row for row in rows}
        self._last = version, now
        if not since or since != last:
            return rows, [], ""
        return [row for name, row in now.items() if known.get(name) is not row], [*known.keys() - now.keys()], since

    def row(self, one: Template, state: str, effect: TemplateEffect, head: str, reviewed: str) -> dict[str, Any]:
        """Return a template with what it does, not to be changed."""
        key = state, effect, head, reviewed
        known = self._known.get(id(one))
        if known is None or known[1] != key:
            base = _template_row(one, state) if known is None else known[2]
            more = {"state": state, "effect": effect.as_dict(), "head": head, "reviewed": reviewed}
            known = self._known[id(one)] = one, key, {**base, **more}
        return known[2]


def _template_row(one: Template, state: str) -> dict[str, Any]:
    """Return what a list shows of a template.  Its expression and its reasons, which are half of all that the rows of
    thousands would take, are shown of one alone: `Desk.describe_template`."""
    return {
        "id": one.id,
        "text": _template_text(one),
        "tokens": one.tokens,
        "df": one.df,
        "count": one.count,
        "example": one.example,
        "anchor": one.anchor,
        "kind": one.kind,
        "score": one.score,
        "state": state,
    }


def _describe_rule(rule: Rule) -> str:
    """Return a decision in a few words."""
    what = {
        "accept": lambda: f"accept {join_tokens(rule.tokens or ()) or rule.id}",
        "reject": lambda: f"reject {join_tokens(rule.tokens or ()) or rule.id}",
        "always": lambda: f"always: {rule.text}",
        "never": lambda: f"never: {rule.text}",
        "add": lambda: f"add {rule.regex}",
        "kind": lambda: f"{rule.kind}: {join_tokens(rule.tokens or ()) or rule.id}",
        "edit": lambda: f"edit {join_tokens(rule.tokens or ())}",
        "cutoff": lambda: f"cut-off at {counted(rule.df, 'document')}",
    }[rule.action]()
    return _shorten(what)


def _shorten(text: str) -> str:
    return text if len(text) <= 200 else text[:199] + "…"
