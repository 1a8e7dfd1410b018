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
from templatemine.desk.agreement import agreements
from templatemine.desk.annotations import LABELS, checked, kind_of, labels_of, passages, units
from templatemine.desk.effects import Effect, Effects, cuts_of, total
from templatemine.desk.export import FORMS, chosen
from templatemine.desk.library import Article, Held, Library, rules_json, rules_of, stamped
from templatemine.desk.safe_page import article_page, safe_page
from templatemine.desk.security import Limits
from templatemine.desk.store import Annotation, now
from templatemine.errors import ConfigError, PackError, TemplateMineError, counted
from templatemine.evaluation.gold import GoldSpans
from templatemine.model import Template
from templatemine.packs.overrides import Rule, read_rule
from templatemine.packs.pack import Pack, template_id
from templatemine.packs.short_forms import short_forms_of
from templatemine.report.histogram import BARS, histogram_of, sparkline
from templatemine.report.risk import is_scored
from templatemine.report.words import describe_grounds

__all__ = ["HERE", "Desk", "NotThere"]

HERE = Path(__file__).parent
PAST = 100
"""Number of earlier versions of an annotation that can be restored after a reload."""
FOUND = 100
"""Most rejected candidates that a search shows."""
ASKED = 10
"""Questions that are put at once."""

_FRAME_STYLE = (HERE / "static" / "frame.css").read_text(encoding="utf-8")


class NotThere(TemplateMineError):
    """The requested thing does not exist."""


class Desk:
    """The answers of a desk, as plain functions of the values of a request.

    Parameters
    ----------
    library : Library
    gold : mapping
        Annotated spans by id of the article.
    limits : Limits, optional
    """

    def __init__(self, library: Library, gold: GoldSpans | None = None, limits: Limits | None = None) -> None:
        self.library = library
        self.gold = gold or {}
        self.limits = limits or Limits()
        self._preview: tuple[tuple[str, ...], review.Preview] | None = None
        self._previewing = Lock()
        self._effects: tuple[Pack, Effects] | None = None
        self._cuts: list[tuple[str, tuple[Template, ...], list[int]]] = []
        self._rows: tuple[str, _Rows] = "", _Rows()
        self._looking = Lock()

    # ----------------------------------------------------------------------------------------------------------- home

    def home(self) -> list[dict[str, Any]]:
        """One row per source."""
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
                held = self.library.held(source)
            except PackError as error:
                row["problem"], held = str(error), None
            if held is not None:
                row |= {
                    "pack": True,
                    "documents": held.pack.documents,
                    "templates": len(held.pack.templates),
                    "decisions": len(held.pack.overrides.rules),
                    "spark": sparkline(held.pack.cutoff.histogram, 25, BARS),
                }
            rows.append(row)
        return rows

    # --------------------------------------------------------------------------------------------------------- review

    def held(self, source: str) -> Held:
        held = self.library.held(source)
        if held is None:
            raise NotThere(f"there is no pack of {source!r}")
        return held

    def state(self, source: str) -> dict[str, Any]:
        """The data of the review of a source."""
        held = self.held(source)
        events = self.library.reconciled(held)
        pack = held.pack
        added, rules = set(pack.overrides.added), pack.overrides.rules
        effects = self._effects_of(held)
        each, reviewed = effects.each(pack), self.library.store.reviewed(source)
        heads, shown, gone = effects.heads(pack), self._shown(held), {one.id for one in pack.overrides.removed}
        rows = []
        for one in (*pack.templates, *pack.overrides.removed):
            name = one.id
            state = "out" if name in gone else "added" if name in added else "kept"
            rows.append(shown.row(one, state, each[name], heads.get(name, name), reviewed.get(name, "")))
        histogram = histogram_of(pack)
        moved = next((rule.df for rule in rules if rule.action == "cutoff"), None)
        undone = {event.undoes for event in events}
        return {
            "source": source,
            "version": held.version,
            "documents": pack.documents,
            "dates": [pack.first_date, pack.last_date],
            "method": pack.mined_by,
            "html": pack.html,
            "note": pack.cutoff.note,
            "cutoff": pack.cutoff.df,
            "moved": moved,
            "histogram": {"counts": histogram.counts, "templates": histogram.templates},
            "templates": rows,
            "rules": rules_json(rules),
            "articles": len(self.library.fitting(held)),
            "sample": total(self._cuts_of(held), self.library.fitting(held)),
            "scored": is_scored(pack),
            "seq": events[-1].seq if events else 0,
            "history": [
                {**asdict(event), "undone": event.seq in undone, "before": None, "after": None}
                for event in reversed(events[-200:])
            ],
        }

    def _shown(self, held: Held) -> _Rows:
        """The rows of the last review of a source."""
        with self._looking:
            if self._rows[0] != held.path:
                self._rows = held.path, _Rows()
            return self._rows[1]

    def _effects_of(self, held: Held) -> Effects:
        """What the templates of a pack and those removed from it do in the sample."""
        wanted = (*held.pack.templates, *held.pack.overrides.removed)
        with self._looking:
            articles, known = self.library.fitting(held), self._effects
            if known is not None and known[0] is held.pack:
                return known[1]
            if known is None or not known[1].extended(held.pack, wanted, articles):
                known = held.pack, Effects(held.pack, wanted, articles)
            self._effects = held.pack, known[1]
            return known[1]

    def _cuts_of(self, held: Held, pack: Pack | None = None) -> list[int]:
        """Characters that a pack of the source, by default the present one, removes of each article of the sample.

        Of articles in which none of the templates occurs that it has and the pack before had not, or the other way
        round, they are those of the pack before.
        """
        pack = pack or held.pack
        effects, articles = self._effects_of(held), self.library.fitting(held)
        with self._looking:
            key = held.path, pack.templates
            known = next((cuts for path, one, cuts in self._cuts if (path, one) == key), None)
            if known is None:
                path, last, cuts = self._cuts[0] if self._cuts else ("", (), [])
                places = effects.articles_with(_differing(last, pack.templates)) if path == held.path else None
                if places is None or len(cuts) != len(articles):
                    cuts, places = [0] * len(articles), [*range(len(articles))]
                known = [*cuts]
                there = effects.occurring(pack, places)
                fresh = cuts_of(there, [articles[place] for place in places], self.library.config.clean)
                for place, cut in zip(places, fresh, strict=True):
                    known[place] = cut
                self._cuts = [(*key, known), *self._cuts[:1]]  # before a decision and after it
            return known

    def summary(self, source: str, since: int) -> dict[str, Any]:
        """What was done about a source after an event of its history, and what is left to do."""
        held = self.held(source)
        pack, articles = held.pack, self.library.fitting(held)
        events = [one for one in self.library.reconciled(held) if one.seq > since]
        undone = {one.undoes for one in events}
        then = apply_rules(pack, self.library.rejected(held), rules_of(events[0].before)) if events else pack
        reviewed, each = self.library.store.reviewed(source), self._effects_of(held).each(pack)
        open_ones = sorted(
            (one for one in pack.templates if one.id not in reviewed), key=lambda one: -each[one.id].risk
        )
        return {
            "decisions": [
                {"what": one.what, "name": one.name} for one in events if one.undoes is None and one.seq not in undone
            ],
            "before": {"templates": len(then.templates), **total(self._cuts_of(held, then), articles)},
            "after": {"templates": len(pack.templates), **total(self._cuts_of(held), articles)},
            "reviewed": len(pack.templates) - len(open_ones),
            "risk": round(sum(each[one.id].risk for one in pack.templates)),
            "open_risk": round(sum(each[one.id].risk for one in open_ones)),
            "next": [{**_template(one, ""), "effect": each[one.id].as_dict()} for one in open_ones[:3]],
        }

    def moved(self, source: str, df: int | None) -> dict[str, Any]:
        """What a new cut-off would change; None is the cut-off of mining."""
        held = self.held(source)
        if df is not None and not 1 <= df <= held.pack.documents + 1:
            raise ConfigError(f"expected a cut-off from 1 to {held.pack.documents + 1} documents, got {df}")
        # The preview depends on the mined templates only, so that it stays valid after decisions.
        key = (held.path, *(one.id for one in mined_templates(held.pack)))
        with self._previewing:
            if self._preview is None or self._preview[0] != key:
                made = review.Preview(held.pack, self.library.rejected(held), self.library.fitting(held))
                self._preview = key, made
            ready = self._preview[1]
        rules = held.pack.overrides.rules
        after = tuple(rule for rule in rules if rule.action != "cutoff")
        if df is not None:
            after = (*after, Rule(action="cutoff", df=df))
        return {"version": held.version, **ready.moved(rules, after, self.library.config.clean.gap)}

    def template(self, source: str, name: str) -> dict[str, Any]:
        """A template, or a rejected candidate, its expression as packs write it, and its occurrences in the sample."""
        held = self.held(source)
        pack = held.pack
        everything = (*pack.templates, *pack.overrides.removed)
        found = next((one for one in everything if one.id == name), None)
        if found is None:
            raise NotThere(f"there is no template {name!r}")
        short = short_forms_of(pack).shorten(found) or found.regex
        return {**_template(found, ""), "short": short, **review.sightings(pack, found, self.library.fitting(held))}

    def found(self, source: str, text: str) -> list[dict[str, Any]]:
        """Rejected candidates that contain some words, in the order of their file."""
        held = self.held(source)
        wanted = " ".join(text.split()).casefold()
        rows: list[dict[str, Any]] = []
        first = wanted.split(" ")[0] if wanted else ""
        for tokens, df, count, reason in self.library.rejected(held):
            # Most candidates can be skipped by their tokens, without joining them.
            if not any(first[:1] in token.casefold() for token in tokens):
                continue
            said = join_tokens(tokens)
            if wanted in said.casefold():
                rows.append({"tokens": tokens, "text": said, "df": df, "count": count, "reason": reason})
                if len(rows) >= FOUND:
                    break
        return rows

    def questions(self, source: str) -> list[dict[str, Any]]:
        """The questions of a pack that nobody has answered, that with most at stake first, and where they stand."""
        held = self.held(source)
        asked = open_questions(held.pack)[:ASKED]
        seen = QuestionContexts(held.pack, asked, review.SNIPPET)
        for article in self.library.fitting(held):
            seen.add(article.document)
        return [
            {
                "tokens": one.tokens,
                "text": join_tokens(one.tokens),
                "df": one.df,
                "score": one.score,
                "filled": one.filled,
                "today": current_removal(held.pack, one),
                "answers": possible_answers(one),
                "snippets": [
                    dict(zip(("before", "match", "after"), place, strict=True)) for place in seen.contexts_of(one)
                ],
            }
            for one in asked
        ]

    def trial(self, source: str, regex: str) -> dict[str, Any]:
        """The effect of an expression on the sample."""
        held = self.held(source)
        return asdict(review.try_expression(held.pack, regex, self.library.fitting(held)))

    def sample(self, source: str, first: int, cut_only: bool) -> dict[str, Any]:
        """Some articles with their removed parts."""
        held = self.held(source)
        cleaner = Cleaner(held.pack, self.library.config.clean)
        rows: list[dict[str, Any]] = []
        articles = self.library.fitting(held)
        place = max(0, first)
        while place < len(articles) and len(rows) < 5:
            article = articles[place]
            document = article.document
            spans = cleaner.spans(document.body)
            if spans or not cut_only:
                pieces = review.article_pieces(document.body[: self.limits.page], spans, 200, held.pack)
                rows.append({"id": article.name, "title": document.title, "date": document.date, "pieces": pieces})
            place += 1
        return {"articles": rows, "next": place if place < len(articles) else None}

    def decide(self, source: str, name: str, body: Mapping[str, Any]) -> dict[str, Any]:
        """Apply a decision and return the new state."""
        held = self.held(source)
        version, kind = str(body.get("version", "")), body.get("kind")
        rules = held.pack.overrides.rules
        if version != held.version:
            # The store raises the conflict, with the name of the other person.
            self.library.decide(source, version, rules, name=name, what="")
        undoes, reviewed = None, list[str]()
        if kind == "undo":
            rules, what, undoes = self._undo(held)
        elif kind == "remove":
            rule = read_rule(body.get("rule"), "rule")
            rules, what = tuple(one for one in rules if one != rule), f"removed: {_said(rule)}"
        elif kind == "add":
            made = self._completed(held, body, name)
            for rule in made:
                rules = review.amended(held.pack, self.library.rejected(held), rules, rule)
            what = _said(made[0]) + _and_more(len(made) - 1)
            reviewed = [_about(rule) for rule in made if rule.action in ("accept", "reject")]
        elif kind == "review":
            known = {one.id: one for one in held.pack.templates}
            reviewed = [one for one in _list(body, "ids") if one in known]
            if not reviewed:
                raise NotThere("expected ids of templates of the pack")
            what = f"keep {_short(_words_of(known[reviewed[0]]))}" + _and_more(len(reviewed) - 1)
        elif kind == "answer":
            tokens, answer = body.get("tokens"), str(body.get("answer"))
            question = next((one for one in open_questions(held.pack) if list(one.tokens) == tokens), None)
            if question is None:
                raise NotThere("there is no such question, or it is answered")
            rules = add_answer_rules(rules, question, answer, by=name, time=now())
            what = f"{answer}: {join_tokens(question.tokens)}"
        elif kind == "reset-cutoff":
            rules, what = tuple(one for one in rules if one.action != "cutoff"), "reset the cut-off"
        else:
            raise ConfigError(f"expected add, answer, remove, review, undo or reset-cutoff, got {kind!r}")
        after, _ = self.library.decide(source, version, rules, name=name, what=what, undoes=undoes, reviewed=reviewed)
        pairs = list(zip(self._cuts_of(held), self._cuts_of(after), strict=True))
        did = {"articles": sum(a != b for a, b in pairs), "characters": sum(b - a for a, b in pairs)}
        return {**self.state(source), "did": did}

    def _completed(self, held: Held, body: Mapping[str, Any], name: str) -> list[Rule]:
        """The rules of a request: one, or one for each variant of a template."""
        rows = _list(body, "rules") if "rules" in body else [body.get("rule")]
        if not rows:
            raise ConfigError("expected rules")
        return [stamped(self._complete(held, read_rule(row, "rule")), name) for row in rows]

    def _undo(self, held: Held) -> tuple[tuple[Rule, ...], str, int]:
        events = self.library.reconciled(held)
        undone = {event.undoes for event in events}
        last = next((one for one in reversed(events) if one.undoes is None and one.seq not in undone), None)
        if last is None:
            raise ConfigError("there is nothing to undo")
        return rules_of(last.before), f"undid: {last.what}", last.seq

    def _complete(self, held: Held, rule: Rule) -> Rule:
        """A rule with values that the desk knows better than the browser: counts, examples, tokens."""
        if rule.action == "add":
            trial = review.try_expression(held.pack, rule.regex, self.library.fitting(held))
            if trial.refused:
                raise PackError(trial.refused)
            example = trial.example or rule.example
            return Rule(action="add", regex=rule.regex, example=example, df=trial.touched, count=trial.matches)
        if rule.action == "accept" and rule.tokens is not None and not rule.df:
            for tokens, df, count, _ in self.library.rejected(held):
                if tokens == rule.tokens:
                    return replace(rule, df=df, count=count)
        return rule

    # ------------------------------------------------------------------------------------------------------- annotate

    def article(self, source: str, name: str) -> Article:
        article = self.library.article(source, name)
        if article is None:
            raise NotThere(f"there is no document {name!r} of {source!r} in the sample")
        if len(article.document.body) > self.limits.page:
            raise ConfigError(f"expected a document of at most {self.limits.page:,} characters")
        return article

    def frame(self, source: str, name: str, styled: bool) -> str:
        """A document as HTML for its frame."""
        document = self.article(source, name).document
        if document.is_html:
            return safe_page(document.body, units(document), styled=styled, base=_FRAME_STYLE)
        return article_page(document.body, units(document), base=_FRAME_STYLE, title=document.title or "")

    def document(self, source: str, name: str, annotator: str, proposals: bool) -> dict[str, Any]:
        """Units, labels and marks of a document, and proposals if there are no marks yet."""
        document = self.article(source, name).document
        versions = self.library.store.annotation(source, name, annotator)
        last = versions[-1] if versions else None
        proposed: list[Any] = []
        if last is None and proposals:
            held = self.library.held(source)
            pack = None if held is None else held.pack
            proposed = [list(mark) for mark in comparing.propose(document, pack, self.library.config.clean)]
        return {
            "source": source,
            "id": name,
            "title": document.title,
            "url": document.url,
            "kind": kind_of(document),
            "labels": [asdict(label) for label in LABELS[kind_of(document)]],
            "units": units(document),
            "version": last.version if last else 0,
            "marks": last.marks if last else [],
            "past": [one.marks for one in versions[-PAST - 1 : -1]],
            "proposed": proposed,
            "done": bool(last and last.done),
            "clicks": last.clicks if last else 0,
            "keys": last.keys if last else 0,
            "seconds": last.seconds if last else 0.0,
        }

    def queue(self, source: str | None, annotator: str) -> list[dict[str, Any]]:
        """The documents of one source or all, with the progress of this annotator and the others."""
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
                        "kind": kind_of(document),
                        "state": state,
                        "others": others,
                        "gold": article.gold is not None or document.id in self.gold,
                    }
                )
        return rows

    def save(self, annotator: str, body: Mapping[str, Any]) -> dict[str, Any]:
        """Save marks."""
        source, name = str(body.get("source", "")), str(body.get("id", ""))
        document = self.article(source, name).document
        marks = checked(document, body.get("marks"))
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

    def agreement(self) -> dict[str, Any]:
        """The agreement of annotators, and the effort of each."""
        labelled: dict[str, dict[tuple[str, str], list[str]]] = {}
        effort: dict[str, dict[str, Any]] = {}
        for one in self.library.store.annotations():
            article = self.library.article(one.source, one.id)
            if article is None or not one.done:
                continue
            marks = [(start, end, label) for start, end, label in one.marks]
            labels = labels_of(marks, units(article.document))
            labelled.setdefault(one.name, {})[one.source, one.id] = labels
            row = effort.setdefault(one.name, {"documents": 0, "passages": 0, "clicks": 0, "keys": 0, "seconds": 0.0})
            for key, value in (
                *(("documents", 1), ("passages", passages(labels)), ("clicks", one.clicks)),
                *(("keys", one.keys), ("seconds", one.seconds)),
            ):
                row[key] += value
        return {"pairs": [asdict(pair) for pair in agreements(labelled)], "effort": effort}

    def export(self, form: str, source: str | None, annotator: str | None) -> tuple[str, bytes]:
        """A file of finished annotations: its name and its content."""
        if form not in FORMS:
            raise NotThere(f"expected one of {', '.join(FORMS)}, got {form!r}")
        name, _, make = FORMS[form]
        return name, make(self.library, chosen(self.library.store.annotations(source), annotator))

    # -------------------------------------------------------------------------------------------------------- compare

    def systems(self, source: str, name: str) -> dict[str, str]:
        """The systems that can process a document."""
        held, article = self.library.held(source), self.article(source, name)
        pack = None if held is None else held.pack
        people = comparing.annotators(self.library, article)
        return comparing.systems_for(article.document, pack, people, article.document.id in self.gold)

    def comparison(self, source: str, name: str, systems: list[str]) -> dict[str, Any]:
        """The results of several systems on a document."""
        article, known = self.article(source, name), self.systems(source, name)
        unknown = [system for system in systems if system not in known]
        if unknown:
            raise ConfigError(f"expected systems of {', '.join(known)}, got {unknown[0]!r}")
        held = self.library.held(source)
        pack = None if held is None else held.pack
        chosen_ones = systems or [*known][:1] + [*known][1:][-1:]
        found = comparing.compare(self.library, article, pack, chosen_ones, self.gold.get(article.document.id))
        return {**asdict(found), "kind": kind_of(article.document)}


def _list(body: Mapping[str, Any], key: str) -> list[Any]:
    found = body.get(key)
    if not isinstance(found, list):
        raise ConfigError(f"{key}: expected a list, got {type(found).__name__}")
    return found


def _about(rule: Rule) -> str:
    return rule.id or template_id(rule.tokens or ())


def _and_more(variants: int) -> str:
    return f", and {counted(variants, 'variant')}" if variants else ""


def _words_of(one: Template) -> str:
    return join_tokens(one.tokens) if one.tokens is not None else one.regex


def _differing(one: Sequence[Template], other: Sequence[Template]) -> list[Template]:
    """The templates that only one of two packs has; those that are the same objects are not looked into."""
    mine, its = ({id(template): template for template in templates} for templates in (one, other))
    return [*({mine[key] for key in mine.keys() - its.keys()} ^ {its[key] for key in its.keys() - mine.keys()})]


class _Rows:
    """The rows of a review; of thousands a decision changes a few, and the others are the same objects."""

    def __init__(self) -> None:
        self._known: dict[int, tuple[Template, tuple[Any, ...], dict[str, Any]]] = {}

    def row(self, one: Template, state: str, effect: Effect, head: str, reviewed: str) -> dict[str, Any]:
        """A template with what it does, not to be changed."""
        key = state, effect, head, reviewed
        known = self._known.get(id(one))
        if known is None or known[1] != key:
            base = _template(one, state) if known is None else known[2]
            more = {"state": state, "effect": effect.as_dict(), "head": head, "reviewed": reviewed}
            known = self._known[id(one)] = one, key, {**base, **more}
        return known[2]


def _template(one: Template, state: str) -> dict[str, Any]:
    return {
        "id": one.id,
        "text": _words_of(one),
        "regex": one.regex,
        "tokens": one.tokens,
        "df": one.df,
        "count": one.count,
        "example": one.example,
        "anchor": one.anchor,
        "grounds": describe_grounds(one),
        "state": state,
    }


def _said(rule: Rule) -> str:
    """A decision in a few words."""
    what = {
        "accept": lambda: f"accept {join_tokens(rule.tokens or ()) or rule.id}",
        "reject": lambda: f"reject {join_tokens(rule.tokens or ()) or rule.id}",
        "always": lambda: f"always: {rule.text}",
        "never": lambda: f"never: {rule.text}",
        "add": lambda: f"add {rule.regex}",
        "edit": lambda: f"edit {join_tokens(rule.tokens or ())}",
        "cutoff": lambda: f"cut-off at {counted(rule.df, 'document')}",
    }[rule.action]()
    return _short(what)


def _short(text: str) -> str:
    return text if len(text) <= 200 else text[:199] + "…"
