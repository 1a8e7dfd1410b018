"""A folder of packs: written together, chosen by the source they name, with the rejected candidates beside them."""

from __future__ import annotations

import gzip
import json
import pickle
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random

import numpy as np
import pytest

from templatemine.api import mine
from templatemine.config import UserPattern
from templatemine.errors import CorpusError, PackError
from templatemine.io.jsonl import encode_line
from templatemine.mining.candidates import CandidateStrings, RejectedCandidates
from templatemine.mining.corpus import Vocabulary
from templatemine.model import Document, PageHistory, RejectedCandidate
from templatemine.packs import pack_folder
from templatemine.packs.pack import Pack
from templatemine.packs.pack_folder import (
    PackFiles,
    compress_rejected,
    open_pack_folder,
    pack_files,
    read_rejected,
    refuse_renamed,
    rejected_path,
)
from templatemine.text.patterns import pattern_set

REJECTED: list[RejectedCandidate] = [
    RejectedCandidate(("of", "the"), 9, 30, "in other sources"),
    RejectedCandidate(("{number}", "{{x}}", '"\\"', "\x01\x7f", "é"), 5, 2**31 - 1, 'too "rare"'),
    RejectedCandidate(("a\ud800", "新"), 3, 3, "too rare"),
]


def columns(rows: list[RejectedCandidate]) -> RejectedCandidates:
    """Rejected candidates as mining has them."""
    patterns = pattern_set("news")
    place: dict[str, int] = {}
    tokens = [[place.setdefault(token, len(place)) for token in row[0]] for row in rows]
    forms = [patterns.from_readable(token) for token in place]
    reasons = sorted({row[3] for row in rows})
    return RejectedCandidates(
        strings=CandidateStrings(
            tokens=np.array([token for row in tokens for token in row], np.int32),
            bounds=np.cumsum([0, *map(len, tokens)], dtype=np.int64),
            names=Vocabulary(
                np.frombuffer(b"".join(forms), np.uint8), np.cumsum([0, *map(len, forms)], dtype=np.int64)
            ),
            df=np.array([row[1] for row in rows], np.int32),
            count=np.array([row[2] for row in rows], np.int32),
        ),
        reasons=reasons,
        reason_of=np.array([reasons.index(row[3]) for row in rows], np.int8),
        patterns=patterns,
    )


@dataclass(frozen=True)
class Result:
    source: str
    pack: Pack | None
    rows: list[RejectedCandidate] | None
    documents: int = 20
    note: str = ""
    copies: int = 0

    @property
    def rejected(self) -> RejectedCandidates | None:
        return None if self.rows is None else columns(self.rows)


@pytest.fixture(scope="module")
def pack() -> Pack:
    rng = Random(1)
    words = [f"{a}{b}{c}" for a in "bdfgk" for b in "aeiou" for c in ("m", "n", "rst")]
    stories = [" ".join(rng.choices(words, k=20)) for _ in range(20)]
    documents = [
        Document(source="a", id=str(number), text=f"{story}.\nRead our letter every single morning.")
        for number, story in enumerate(stories)
    ]
    return mine(documents)["a"]


def save(folder: Path, *results: Result, force: bool = False) -> list[str | None]:
    with open_pack_folder(folder, force) as shelf:
        return [shelf.save(result).pack for result in results]


def test_round_trip(tmp_path: Path, pack: Pack) -> None:
    second = replace(pack, source="../B")
    paths = save(tmp_path, Result("a", pack, REJECTED), Result("../B", second, None), Result("none", None, None))
    assert paths[0] == str(tmp_path / "a.json")
    assert paths[2] is None
    assert len(list(tmp_path.iterdir())) == 4
    loaded = PackFiles([tmp_path]).load_all()
    assert {source: one.templates for source, one in loaded.items()} == {"a": pack.templates, "../B": pack.templates}
    assert PackFiles(path for path in paths if path).load_all().keys() == loaded.keys()
    assert list(read_rejected(tmp_path / "a.json")) == REJECTED
    assert list(read_rejected(str(paths[1]))) == []
    lines = gzip.decompress((tmp_path / "a.rejected.jsonl.gz").read_bytes()).splitlines(keepends=True)
    keys = ("tokens", "df", "count", "reason")
    assert lines == [encode_line(dict(zip(keys, row, strict=False))) for row in REJECTED]


def test_templates_that_were_taken_away_are_listed_as_they_were(tmp_path: Path, pack: Pack) -> None:
    nearest = [RejectedCandidate(("\u65b0", "{slot:names}"), 2, 3, "tears", "line", "byline", "\u65b0 Jane Roe")]
    covered = [RejectedCandidate(("By", "Ann\ud800"), 9, 9, "within", "start", "", "By Ann\ud800")]
    made = replace(columns(REJECTED), nearest=nearest, covered=covered)
    (tmp_path / "a.rejected.jsonl.gz").write_bytes(compress_rejected(made))
    expected = [*nearest, *REJECTED, *covered]
    assert list(read_rejected(tmp_path / "a.json")) == list(made) == expected
    assert len(made) == len(expected)


def test_many_rejected_strings(tmp_path: Path, pack: Pack) -> None:
    many = [
        RejectedCandidate((f"w{number}", *filter(None, ["x" * (number % 7)])), number, number, "r")
        for number in range(10_000)
    ]
    save(tmp_path, Result("a", pack, many))
    assert list(read_rejected(tmp_path / "a.json")) == many[::-1]  # the most frequent first
    assert list(columns(many)) == many[::-1]


def test_what_exists_is_refused(tmp_path: Path, pack: Pack) -> None:
    save(tmp_path, Result("a", pack, REJECTED))
    with open_pack_folder(tmp_path) as shelf:
        shelf.refuse_existing(["b", "c"])
        with pytest.raises(CorpusError, match=r"a\.json: exists"):
            shelf.refuse_existing(["b", "a"])
    save(tmp_path, Result("a", pack, []), force=True)
    assert list(read_rejected(tmp_path / "a.json")) == []


@pytest.mark.parametrize("edited", [False, True])
def test_a_pack_under_another_name_is_no_place_for_a_second_one(tmp_path: Path, pack: Pack, edited: bool) -> None:
    save(tmp_path, Result("a", pack, None), Result("b", replace(pack, source="b"), None))
    (tmp_path / "a.json").rename(tmp_path / "ours.json")
    if edited:
        data = json.loads((tmp_path / "ours.json").read_text())
        (tmp_path / "ours.json").write_text(json.dumps(dict(reversed(data.items()))), encoding="utf-8-sig")
    (tmp_path / "notes.json").write_text("[]")
    with pytest.raises(
        PackError, match=r"ours\.json: expected no pack of 'a' here, .* a\.json; give the file that name"
    ):
        refuse_renamed(str(tmp_path), ["a", "b"])
    refuse_renamed(str(tmp_path), ["b", "c"])
    with pytest.raises(PackError, match=r"ours\.json"), open_pack_folder(tmp_path, force=True) as shelf:
        shelf.refuse_existing(["a"])
    # Nor is the file of one source the place of another one's pack.
    (tmp_path / "ours.json").rename(tmp_path / "c.json")
    with pytest.raises(PackError, match=r"c\.json: expected no pack of 'a' here"):
        refuse_renamed(str(tmp_path), ["c"])
    refuse_renamed(str(tmp_path / "none"), ["c"])


def test_files_of_a_folder(tmp_path: Path) -> None:
    for name in ("b.json", "a.json", ".hidden.json", "a.rejected.jsonl.gz", "notes.txt"):
        (tmp_path / name).write_text("x")
    assert pack_files(tmp_path) == [str(tmp_path / "a.json"), str(tmp_path / "b.json")]
    assert pack_files(tmp_path / "notes.txt") == [str(tmp_path / "notes.txt")]
    for name in ("gone", "empty"):
        (tmp_path / "empty").mkdir(exist_ok=True)
        with pytest.raises(PackError, match=f"{name}: "):
            pack_files(tmp_path / name)


def test_two_packs_for_a_source(tmp_path: Path, pack: Pack) -> None:
    pack.save(tmp_path / "1.json")
    pack.save(tmp_path / "2.json")
    with pytest.raises(PackError) as caught:
        PackFiles([tmp_path]).load_all()
    found = f"found a second one for 'a'; the first is {tmp_path}/1.json; give one of them, or compare both with"
    assert str(caught.value) == f"{tmp_path}/2.json: expected one pack a source, {found} templatemine diff"


def test_packs_are_read_when_they_are_asked_for(tmp_path: Path, pack: Pack, monkeypatch: pytest.MonkeyPatch) -> None:
    save(tmp_path, *(Result(name, replace(pack, source=name), None) for name in ("a", "b", "c")))
    data = json.loads((tmp_path / "b.json").read_text())
    (tmp_path / "b.json").write_text(json.dumps({**data, "documents": "many"}))
    read: list[str] = []
    load = Pack.load
    monkeypatch.setattr(Pack, "load", lambda path, **options: read.append(Path(path).name) or load(path, **options))
    packs = PackFiles([tmp_path])
    assert sorted(packs) == ["a", "b", "c"]
    assert len(packs) == 3
    assert "b" in packs
    assert packs.get("d") is None
    assert read == []
    assert packs["a"] is packs["a"]
    assert packs["a"].templates == pack.templates
    assert read == ["a.json"]
    with pytest.raises(PackError, match=r"b\.json: documents: expected a number"):
        packs["b"]
    # Another process gets the names of the files, and reads for itself.
    assert len(pickle.dumps(packs)) < 500
    assert pickle.loads(pickle.dumps(packs))["c"].source == "c"
    (tmp_path / "c.json").write_text((tmp_path / "a.json").read_text())
    with pytest.raises(PackError, match=r"c\.json: source: expected 'c', as before, found 'a'"):
        packs["c"]


def test_packs_that_are_not_kept(tmp_path: Path, pack: Pack) -> None:
    save(tmp_path, Result("a", replace(pack, source="a"), None))
    packs = PackFiles([tmp_path], keep=False)
    assert packs["a"] == packs["a"]
    assert packs["a"] is not packs["a"]
    assert pickle.loads(pickle.dumps(packs))["a"] == packs["a"]
    assert not pickle.loads(pickle.dumps(packs))._keep


def test_whether_packs_are_of_tokens_alone(tmp_path: Path, pack: Pack, monkeypatch: pytest.MonkeyPatch) -> None:
    """Told without reading them, however they are laid out."""
    odd = replace(pack.templates[0], example='"tokens": null', tokens=('"html":true',))
    plain = replace(pack, source="a", templates=(*pack.templates[1:], odd))
    pages = replace(pack, html=True, templates=(), pages=PageHistory(documents=9, share=0.5))
    by_hand = replace(pack, templates=(replace(pack.templates[0], tokens=None),))
    own = UserPattern(name="own", regex="x+y", spans=False)
    patterns = replace(pack, tokenise=replace(pack.tokenise, user_patterns=(own,)))
    (tmp_path / "a.json").write_text(plain.to_json())
    read: list[str] = []
    squeeze = pack_folder._squeeze

    def note(file: str) -> bytes:
        read.append(file)
        return squeeze(file)

    monkeypatch.setattr(pack_folder, "_squeeze", note)
    assert PackFiles([tmp_path]).by_tokens()
    assert len(read) == len({*read})  # thousands of them are read once
    for other in (pages, by_hand, patterns):
        text = replace(other, source="b").to_json()
        for written in (text, json.dumps(json.loads(text)), json.dumps(json.loads(text), separators=(",", ":"))):
            (tmp_path / "b.json").write_text(written)
            assert not PackFiles([tmp_path]).by_tokens()
    packs = PackFiles([tmp_path])
    (tmp_path / "b.json").unlink()
    assert not packs.by_tokens()


@pytest.mark.parametrize("text", ["[]", "{", '{"source": "a", "templates": []}', '{"schema": 99, "source": 1}'])
def test_what_is_no_pack_is_told_at_once(tmp_path: Path, pack: Pack, text: str) -> None:
    replace(pack, source="b").save(tmp_path / "b.json")
    (tmp_path / "a.json").write_text(text)
    with pytest.raises(PackError, match=r"a\.json: "):
        PackFiles([tmp_path]).load_all()
    if "templates" not in text:  # else the source is told, and no more was asked
        with pytest.raises(PackError, match=r"a\.json: "):
            PackFiles([tmp_path])


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, "not found; it holds the rejected candidates"),
        (b"x", "damaged"),
        (gzip.compress(b'{"tokens": ["a"], "df": 1, "count": 1, "reason": "r"}\n')[:-9], "too early"),
        (gzip.compress(b"{}\n"), ":1: expected a rejected candidate"),
        (gzip.compress(b'{"tokens": "ab", "df": 1, "count": 1, "reason": "r"}\n'), ":1: expected a rejected candidate"),
        (gzip.compress(b"{\n"), ":1: expected a rejected candidate"),
        *(
            (
                gzip.compress(encode_line({"tokens": ["a"], "df": 1, "count": 1, "reason": "r", name: value})),
                ":1: expected a rejected candidate",
            )
            for name, value in (("anchor", "top"), ("anchor", []), ("kind", "prose"), ("kind", 1), ("example", 1))
        ),
        *(
            (
                gzip.compress(b'{"tokens": ["a"], "df": 1, "count": 1, "reason": "r", "%b": %b}\n' % (name, value)),
                ":1: expected a rejected candidate",
            )
            for name in (b"df", b"count")
            for value in (b"1e400", b"-1e400", b"-1", b"1.5", b"true", b'"1"')
        ),
    ],
)
def test_rejected_strings_that_cannot_be_read(tmp_path: Path, content: bytes | None, message: str) -> None:
    pack = tmp_path / "a.json"
    if content is not None:
        Path(rejected_path(pack)).write_bytes(content)
    with pytest.raises(CorpusError, match=message) as caught:
        list(read_rejected(pack))
    assert caught.value.fatal


def test_packs_of_pages_without_their_templates(tmp_path: Path, pack: Pack) -> None:
    history = PageHistory(documents=9, share=0.5)
    pages = replace(pack, source="p", html=True, templates=(), pages=history)
    save(tmp_path, Result("a", replace(pack, source="a"), None), Result("p", pages, None))
    data = json.loads((tmp_path / "p.json").read_text())
    data["templates"] = [{"id": "not looked at"}]
    (tmp_path / "p.json").write_text(json.dumps(data))
    packs = PackFiles([tmp_path], history_only=True)
    assert packs["a"].templates == pack.templates
    assert packs["p"].pages == history
    assert packs["p"].templates == ()
    assert pickle.loads(pickle.dumps(packs))["p"].templates == ()
    with pytest.raises(PackError, match="templates"):
        PackFiles([tmp_path])["p"]


def test_the_nearest_rejected_strings_come_first() -> None:
    rows = [RejectedCandidate((name,), df, df, "r") for name, df in (("a", 9), ("b", 3), ("c", 5), ("d", 7))]
    near = replace(columns(rows), nearness=np.array([0.1, 0.4, 0.1, -0.2], np.float32))
    assert [tokens for tokens, *_ in near] == [("b",), ("a",), ("c",), ("d",)]
    assert [json.loads(line)["tokens"] for block in near.json_lines() for line in block.splitlines()] == [
        ["b"],
        ["a"],
        ["c"],
        ["d"],
    ]
