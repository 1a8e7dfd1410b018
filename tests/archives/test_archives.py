"""Real archives: both engines, packs that are saved, and the thesis near its reference; skipped where they are missing.

What the methods must reach there is in tests/quality/floors.toml.
"""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bench"))

from quality.archives import ANNOTATED, has_shared_archives, load_annotated, load_texts  # noqa: E402
from quality.figures import make_annotated_system, mine_packs  # noqa: E402
from templatemine.cleaning.cleaner import Cleaner  # noqa: E402
from templatemine.config import CleanConfig  # noqa: E402
from templatemine.evaluation.gold import evaluate_annotation  # noqa: E402
from templatemine.packs.pack import Pack  # noqa: E402

pytestmark = [
    pytest.mark.skipif(not has_shared_archives(), reason="the annotated archives (../shared) are not here"),
    pytest.mark.slow,  # mines real archives
]


def test_the_thesis_comes_out_near_its_reference() -> None:
    """Recall 61, precision 84, F1 69 in the reference; five points are allowed."""
    mean = evaluate_annotation(load_texts(*ANNOTATED), load_annotated(*ANNOTATED), make_annotated_system("thesis"))[
        0
    ].row(source="mean")
    assert mean["recall"] == pytest.approx(0.61, abs=0.05)
    assert mean["precision"] == pytest.approx(0.84, abs=0.05)
    assert mean["f1"] == pytest.approx(0.69, abs=0.05)


def test_engines_agree_on_real_articles() -> None:
    reference = {source: Cleaner(pack, CleanConfig(engine="regex")) for source, pack in mine_packs("learned").items()}
    native = {source: Cleaner(pack) for source, pack in mine_packs("learned").items()}
    for document in load_texts(*ANNOTATED)[::40]:
        assert native[document.source].spans(document.body) == reference[document.source].spans(document.body)


def test_a_saved_pack_is_the_same_pack() -> None:
    for pack in mine_packs("learned").values():
        again = Pack.from_json(pack.to_json())
        assert again.to_json() == pack.to_json()
        assert again.templates == pack.templates
