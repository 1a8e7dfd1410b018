"""Whatever is mined can be read: no pack takes its place that the loader refuses, whatever the archive and settings."""

from __future__ import annotations

import gzip
import json
import sys
from collections import defaultdict
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import pytest
from test_pack_format import PACK

from scale import SCALE
from templatemine.cleaning.cleaner import Cleaner
from templatemine.config import CleanConfig, MineConfig, PipelineConfig, SelectConfig, SharedConfig, SlotConfig
from templatemine.errors import PackError, UnreadablePackError
from templatemine.kinds import CUT_ALL
from templatemine.model import Document, Template
from templatemine.packs.pack import Pack
from templatemine.packs.pack_folder import PackFiles, open_pack_folder
from templatemine.packs.pack_record import keep_one_of_each, template_id
from templatemine.pipeline import Miner

sys.path.insert(0, str(Path(__file__).parents[2] / "datasets"))

from generate import ArchiveSpec, generate

SHARED = Path(__file__).parents[3] / "shared" / "data"
SCRIPTS = ("arabic", "en", "han", "latin")
CAUTIONS = (1e-9, 0.01, 0.1, 0.5, 1.0, 4.0)


def check(reports: list[Any], gap: int = 8) -> int:
    """Packs that were written and read again: ids are unique, each template is found in its own example."""
    checked = 0
    for report in reports:
        if report.pack is None:
            continue
        pack = Pack.from_json(report.pack.to_json(), report.source)
        ids = [template.id for template in pack.templates]
        assert len({*ids}) == len(ids)
        cleaner = Cleaner(pack, CleanConfig(gap=gap, choice=CUT_ALL))  # notes, too, which are kept by default
        for template in pack.templates:
            found = {
                name for text in put_back(template.example) for span in cleaner.spans(text) for name in span.templates
            }
            assert template.id in found, (report.source, template)
        assert "left out, as no match of their own example" not in pack.cutoff.note
        checked += 1
    return checked


def put_back(example: str) -> tuple[str, ...]:
    """An example, and with a character beside it: a full-width sign at its edge is one beside Chinese or Japanese."""
    return example, f"字{example}", f"{example}字"


def random_settings(random: Random) -> PipelineConfig:
    select = SelectConfig(
        caution=random.choice(CAUTIONS),
        few=random.choice((0, 3)),
        uncovered=random.choice((0.0, 0.25)),
        prefix_own=random.choice((0.0, 0.1)),
        suffix_own=random.choice((0.0, 0.3)),
        filler_own=random.choice((0.0, 0.5)),
        inline_own=random.choice((0.0, 0.25)),
        edge=random.choice((0.5, 0.9, 1.0)),
    )
    return PipelineConfig(
        method=random.choice(("learned", "learned", "learned", "energy", "thesis")),
        mine=MineConfig(min_docs=random.choice((None, 5)), min_df=random.choice((2, 3))),
        select=select,
        slots=SlotConfig(kinds=random.random() < 0.7, unseen=random.choice((0.5, 1.0))),
        shared=SharedConfig(least=2) if random.random() < 0.3 else None,
    )


def random_archive(random: Random) -> list[Document]:
    """An archive of the generator; here and there a blank more, a line break, or a label within other text."""
    spec = ArchiveSpec(
        seed=random.randrange(10**6),
        sources=random.choice((1, 3)),
        documents=random.choice((20, 60)),
        kilobytes=random.choice((0.5, 1.0)),
        scripts=(random.choice(SCRIPTS),),
    )
    documents = []
    for record in generate(spec):
        text = record["text"]
        if random.random() < 0.5:
            text = text.replace(": ", random.choice((":  ", ":\n", ": ")))
        if random.random() < 0.3:
            text = text.replace(". ", random.choice((".  ", ".\n")), 3)
        documents.append(Document(source=record["source"], id=record["id"], text=text, date=record["date"]))
    return documents


def mine_at_random(seed: int) -> None:
    random = Random(seed)
    assert check(Miner(random_settings(random)).run(random_archive(random)), random.choice((0, 8, 40))) > 0


@pytest.mark.parametrize("first", range(12))
def test_packs_of_random_archives_and_settings_can_be_read(first: int) -> None:
    """Twelve of them, or four hundred with TEMPLATEMINE_SCALE=1."""
    for seed in range(first, 400 if SCALE >= 1 else 12, 12):
        mine_at_random(seed)


def shared_archive(path: Path) -> dict[str, list[Document]]:
    if not path.exists():
        pytest.skip("the real archives (../shared) are not here")
    by_source: dict[str, list[Document]] = defaultdict(list)
    with gzip.open(path, "rt", encoding="utf-8") if path.suffix == ".gz" else path.open(encoding="utf-8") as lines:
        for number, line in enumerate(lines):
            row = json.loads(line)
            source = row.get("source") or path.stem
            by_source[source].append(
                Document(source=source, id=str(number), text=row.get("text") or "", date=row.get("date"))
            )
    return by_source


def test_packs_of_real_sources_can_be_read() -> None:
    """Two equal ids were in the packs of these two."""
    by_source = shared_archive(SHARED / "publishers" / "publishers.jsonl.gz")
    some = [*by_source["audipassionmagazine.club"], *by_source["baomoi.com"]]
    assert check(Miner(PipelineConfig(select=SelectConfig(caution=0.1))).run(some)) == 2


@pytest.mark.slow  # mines real archives, twice
@pytest.mark.parametrize("name", ["publishers/publishers.jsonl.gz", "publishers/publishers2.jsonl.gz"])
@pytest.mark.parametrize("caution", [0.01, 1.0])
def test_packs_of_all_real_sources_can_be_read(name: str, caution: float) -> None:
    """Together, and each alone."""
    by_source = shared_archive(SHARED / name)
    config = PipelineConfig(select=SelectConfig(caution=caution))
    assert check(Miner(config).run([one for documents in by_source.values() for one in documents])) > 5
    for documents in by_source.values():
        check(Miner(config).run(documents))


@pytest.mark.slow  # mines real archives
def test_packs_of_all_annotated_sources_can_be_read() -> None:
    folders = [SHARED / name for name in ("gold", "gold2", "cues")]
    files = [path for folder in folders for path in sorted(folder.glob("*.jsonl"))]
    if not files:
        pytest.skip("the real archives (../shared) are not here")
    for path in files:
        for documents in shared_archive(path).values():
            check(Miner(PipelineConfig(select=SelectConfig(caution=0.1))).run(documents))


# ------------------------------------------------------------------------------------- the same string in several ways


def word(random: Random) -> str:
    return "".join(random.choice("bcdfglmnprst") + random.choice("aeiou") for _ in range(random.randint(2, 4)))


def labelled(blanks: tuple[str, ...], seed: int = 1) -> list[Document]:
    """Articles with one label, followed by one blank in some and by two in others; what fills it does not repeat."""
    random = Random(seed)

    def sentence(words: int) -> str:
        return " ".join(word(random) for _ in range(words)).capitalize()

    return [
        Document(
            source="s",
            id=str(number),
            text=f"{sentence(12)}. {sentence(9)}.\nRelated:{random.choice(blanks)}{sentence(9)}\n{sentence(11)}.",
        )
        for number in range(40)
    ]


@pytest.mark.parametrize("caution", CAUTIONS[:4])
@pytest.mark.parametrize("blanks", [(" ", "  "), (" ", " ", " ", "  ")])
def test_a_label_followed_by_one_blank_or_by_two(caution: float, blanks: tuple[str, ...]) -> None:
    """It is a segment of its own where two follow, and a label where one does: both were templates, of one id."""
    for seed in range(3):
        assert check(Miner(PipelineConfig(select=SelectConfig(caution=caution))).run(labelled(blanks, seed))) == 1


def test_a_full_width_sign_at_the_edge_of_a_string() -> None:
    """It is one in the archive, beside a character that the string does not have: such templates were left out."""
    random = Random(1)

    def prose(size: int) -> str:
        return "".join(chr(random.randrange(0x4E00, 0x5E00)) for _ in range(size))

    documents = [
        Document(source="s", id=str(number), text=f"{prose(90)}。\n{prose(70)}。\n写真：{prose(6)}\n{prose(50)}。")
        for number in range(40)
    ]
    (report,) = Miner().run(documents)
    assert check([report]) == 1
    assert report.pack is not None
    assert "写真：" in [template.example for template in report.pack.templates]


def named(anchor: str, df: int, tokens: tuple[str, ...] = ("a",)) -> Template:
    return Template(id=template_id(tokens), regex="", tokens=tokens, df=df, count=df, example="a", anchor=anchor)


def test_of_equal_strings_the_one_stays_that_holds_in_most_places() -> None:
    line, start, end, anywhere = named("line", 9), named("start", 5), named("end", 7), named("", 2)
    assert keep_one_of_each([line, start]) == keep_one_of_each([start, line]) == [start]
    assert keep_one_of_each([start, end]) == [start]
    assert keep_one_of_each([end, start]) == [end]
    assert keep_one_of_each([line, end, anywhere]) == [anywhere]
    other = named("line", 1, ("a", "{slot}"))
    assert keep_one_of_each([line, other]) == [line, other]
    assert keep_one_of_each([other, named("end", 3, ("a", "{slot:names}"))])[0].anchor == "end"


# ---------------------------------------------------------------------------------------------------- what is written


BAD = replace(PACK, templates=(*PACK.templates, PACK.templates[0]))


def test_a_pack_that_nobody_could_read_is_not_saved(tmp_path: Path) -> None:
    path = tmp_path / "folder" / "a.json"
    PACK.save(path)
    before = path.read_bytes()
    with pytest.raises(UnreadablePackError, match=r"same id as templates\[0\]; .* a bug of templatemine"):
        BAD.save(path, force=True)
    assert path.read_bytes() == before
    with pytest.raises(PackError):
        BAD.save(tmp_path / "new" / "b.json")
    assert not (tmp_path / "new").exists()


def test_the_others_of_a_folder_are_written(tmp_path: Path) -> None:
    class Result:
        def __init__(self, pack: Pack) -> None:
            self.source, self.documents, self.note, self.pack, self.rejected = pack.source, 9, "note", pack, None
            self.copies = 0

    good = replace(PACK, source="good")
    with open_pack_folder(tmp_path) as folder:
        outcomes = [folder.save(Result(pack)) for pack in (replace(BAD, source="bad"), good)]
    assert outcomes[0].bug.startswith(f"bad: templates[{len(PACK.templates)}] (")
    assert (outcomes[0].pack, outcomes[1].bug) == (None, "")
    assert [*PackFiles([tmp_path]).load_all()] == ["good"]
