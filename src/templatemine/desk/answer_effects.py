"""(question, sample) -> what each of its answers would change: articles and characters, before somebody decides."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from templatemine.archive.apply_answers import add_answer_rules, possible_answers
from templatemine.archive.apply_overrides import apply_rules
from templatemine.desk.effects import Effects, compare_cuts, count_cuts
from templatemine.desk.library import Article
from templatemine.model import Question, Template
from templatemine.packs.pack import Pack
from templatemine.packs.pack_folder import RejectedCandidate
from templatemine.packs.pack_record import bare_template


def measure_answers(
    pack: Pack,
    rejected: Sequence[RejectedCandidate],
    question: Question,
    articles: Sequence[Article],
    effects: Effects,
) -> dict[str, dict[str, int]]:
    """Count the articles of a sample that each answer changes, and the characters that they lose by it, or keep if
    negative.

    Only articles with the string are cleaned, and only by templates that occur there.
    """
    places = list(_find_holding(pack, question, articles))
    some = [articles[place] for place in places]
    there = effects.restrict_pack(pack, places)
    before = count_cuts(there, some)
    found = {}
    for answer in possible_answers(question):
        whole = apply_rules(pack, rejected, add_answer_rules(pack, pack.overrides.rules, question, answer))
        after = count_cuts(replace(there, templates=_carry(pack, whole, there)), some)
        found[answer] = compare_cuts(before, after)
    return found


def _find_holding(pack: Pack, question: Question, articles: Sequence[Article]) -> Iterator[int]:
    """Yield places of the articles with the string of a question, wherever in its line."""
    string = replace(pack, templates=(bare_template(question.tokens),))
    for place, article in enumerate(articles):
        starts, _, _ = string.find_strings(pack.encode(article.document.body))
        if len(starts):
            yield place


def _carry(pack: Pack, whole: Pack, there: Pack) -> tuple[Template, ...]:
    """Return the templates of a part of a pack, with the changes that led from the pack to the `whole`."""
    old, new = {one.id: one for one in pack.templates}, {one.id: one for one in whole.templates}
    kept = [new[one.id] for one in there.templates if one.id in new]
    return (*kept, *(one for name, one in new.items() if name not in old))
