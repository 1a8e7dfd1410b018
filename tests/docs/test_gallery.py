"""The gallery is what its script writes: ten papers, eight languages, the worst article of each."""

from __future__ import annotations

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "datasets"))

import gallery  # noqa: E402
from generate import Article  # noqa: E402
from templatemine.model import Span  # noqa: E402

PAGE = (ROOT / "docs" / "gallery.md").read_text(encoding="utf-8")


def test_the_page_is_what_the_script_writes() -> None:
    assert gallery.write_page() == PAGE, "python datasets/gallery.py docs/gallery.md"


def test_ten_papers_in_eight_languages() -> None:
    assert len(re.findall("^## ", PAGE, re.MULTILINE)) == 10
    assert len({exhibit.language for exhibit in gallery.EXHIBITS}) == 8
    assert PAGE.count("<del>") > 40
    assert PAGE.count("<em>") > 20  # what stays is shown, too
    assert PAGE.count("<del>") == PAGE.count("</del>")
    assert PAGE.count("<em>") == PAGE.count("</em>")


def test_held_out_articles_are_not_learnt_from() -> None:
    for exhibit in gallery.EXHIBITS[1:4]:
        _, kept, away = gallery.read_paper(exhibit)
        assert len(away) == exhibit.spec.documents // gallery.HELD_OUT
        assert not {one.record["id"] for one in away} & {record["id"] for record in kept}
        for article in away:
            for start, end, _ in article.spans:
                assert article.record["text"][start:end].strip() == article.record["text"][start:end] != ""


def test_lost_and_left_are_counted_in_characters() -> None:
    shown = gallery.Shown("story Read on", [(6, 13, "template")], [Span(3, 10)])
    assert (shown.count_lost(), shown.count_left()) == (2, 3)
    assert gallery.Shown("story Read on", [(6, 13, "template")], [Span(5, 13)]).count_lost() == 0


def test_the_worst_is_the_one_that_loses_most() -> None:
    _, kept, away = gallery.read_paper(gallery.EXHIBITS[3])
    (pack,) = gallery.templatemine.mine(kept).values()
    worst = gallery.show_worst(pack, away)
    cleaner = gallery.templatemine.Cleaner(pack)

    def score(article: Article) -> tuple[int, int]:
        text = article.record["text"]
        one = gallery.Shown(text, article.spans, cleaner.clean(text).removed)
        return one.count_lost(), one.count_left()

    assert (worst.count_lost(), worst.count_left()) == max(map(score, away))
