"""Packs from strangers: too large, too many, out of range, with expressions no engine should run, and links out of
their folder."""

from __future__ import annotations

import gzip
import json
import os
import re
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from test_pack_format import PACK, edited, put, refusal, written

from templatemine.errors import CorpusError, PackError
from templatemine.packs import pack as pack_module
from templatemine.packs import pack_folder, pack_json
from templatemine.packs.pack import Pack
from templatemine.packs.pack_folder import PackFiles, pack_files, pack_names, read_rejected
from templatemine.text.linear import compile_linear


@pytest.mark.parametrize(
    ("expression", "problem"),
    [
        ("(?=read)read more", "uses a look-around"),
        ("read(?! less) more", "uses a look-around"),
        ("(?<=a)b", "uses a look-around"),
        ("(?<!a)b", "uses a look-around"),
        ("(?:x|(?=y))y", "uses a look-around"),
        ("(?>a+)b", "uses an atomic group"),
        ("a++b", "uses a possessive repeat"),
        (r"(a)\1", "uses a back-reference"),
        ("(a)?(?(1)b|c)", "uses a condition"),
        ("(?:[ab]c){1001}", "repeats more than 1,000 times"),
        ("(?:a{1000}){1000}", "repeats more than 1,000 times"),
        ("(?:[ab][^ab]a?){1000}x", "is too large: expected at most 5,088 steps, got "),
        (r"\b[" + "][".join(map(chr, range(0x4E00, 0x4E40))) + "]", "tells more than 63 letters apart"),
    ],
)
def test_expressions_are_of_linear_engines_or_refused_by_name(expression: str, problem: str) -> None:
    told = refusal(written(expression, "x"))
    assert "templates[0] (own): regex: " in told
    assert problem in told


@pytest.mark.parametrize(
    "expression",
    [
        r"\bread (?:more|on)\b",
        "(?i:sign up) .{1,80}",
        "[^<>]+more",
        "^a.*b$",
        "a+?b",
        "(?:a+)+b",
        "(?:a|a)*b",
        "a" * 5000,
    ],
)
def test_what_re2_has_is_taken(expression: str) -> None:
    compile_linear(expression)


@pytest.mark.parametrize(
    ("path", "value", "problem"),
    [
        ("documents", -1, "documents: expected a number from 0 up, got -1"),
        ("templates.0.df", -5, "templates[0]: df: expected a number from 0 up, got -5"),
        ("templates.0.count", -5, "templates[0]: count: expected a number from 0 up, got -5"),
        ("templates.0.df", 10**19, "of at most 18 digits"),
        ("templates.0.df", 1e300, "df: expected a number, got float"),
        ("cutoff.df", float("nan"), "of at most 18 digits, got nan"),
    ],
)
def test_numbers_are_in_range(path: str, value: Any, problem: str) -> None:
    assert problem in refusal(edited(put(path, value)))


def test_lists_and_files_have_a_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "p.json"
    path.write_text(PACK.to_json())
    assert Pack.load(path).templates
    with monkeypatch.context() as patch:
        patch.setattr(pack_json, "_MAX_ENTRIES", 2)
        with pytest.raises(PackError, match=r"p.json: templates: expected at most 2 entries, got 4"):
            Pack.load(path)
    monkeypatch.setattr(pack_module, "MAX_PACK_BYTES", 100)
    with pytest.raises(PackError, match=r"p.json: expected at most 100 bytes, found more"):
        Pack.load(path)


def test_rejected_candidates_do_not_unpack_without_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pack_folder, "_MAX_LINE_BYTES", 1 << 16)
    (tmp_path / "p.rejected.jsonl.gz").write_bytes(gzip.compress(b'{"tokens": ["' + b"x" * (1 << 20) + b'"]}'))
    with pytest.raises(CorpusError, match=r"p.rejected.jsonl.gz:1: expected a rejected candidate"):
        list(read_rejected(tmp_path / "p.json"))


NAMES = [
    "../../etc/passwd",
    "/etc/passwd",
    "..",
    "a/b",
    "a\\b",
    "C:\\x",
    "a\0b",
    "con",
    ".hidden",
    "-o",
    "x" * 5000,
    "\ud800",
]


@pytest.mark.parametrize("source", NAMES)
def test_names_of_sources_are_never_paths(tmp_path: Path, source: str) -> None:
    folder = tmp_path / "packs"
    for name in pack_names(source):
        assert re.fullmatch(r"[^./\\\0-][^/\\\0]*", name)
        assert os.path.dirname(os.path.realpath(folder / name)) == os.path.realpath(folder)
    text = edited(put("source", source))
    if "\ud800" not in source:
        folder.mkdir()
        (folder / "p.json").write_text(text)
        assert list(PackFiles([folder]).load_all()) == [source]


OTHERS: dict[str, Callable[[Path, Path], None]] = {
    "a link out of it": lambda file, outside: file.symlink_to(outside),
    "a link by way of another": lambda file, outside: file.symlink_to(link(file.parent / "step", outside)),
    "a link to a device": lambda file, outside: file.symlink_to("/dev/zero"),
    "a link to nowhere": lambda file, outside: file.symlink_to(file.parent / "nowhere"),
    "a pipe": lambda file, outside: os.mkfifo(file),
    "a folder": lambda file, outside: file.mkdir(),
}


def link(path: Path, to: Path) -> Path:
    path.symlink_to(to)
    return path


@pytest.mark.parametrize("kind", OTHERS)
def test_links_are_not_followed_out_of_a_folder(tmp_path: Path, kind: str) -> None:
    """Nor is waited for pipes, nor read without end."""
    outside = tmp_path / "secret.json"
    outside.write_text(PACK.to_json())
    folder = tmp_path / "packs"
    folder.mkdir()
    OTHERS[kind](folder / "p.json", outside)
    told: list[PackError] = []

    def load() -> None:
        try:
            PackFiles([folder]).load_all()
        except PackError as error:
            told.append(error)

    thread = threading.Thread(target=load, daemon=True)
    thread.start()
    thread.join(20)
    assert not thread.is_alive()
    (error,) = told
    assert str(error).startswith(f"{folder}/p.json: ")
    assert "leads out of the folder" in str(error) or "expected a file, found something else" in str(error)


def test_links_within_a_folder_and_links_to_folders_are_fine(tmp_path: Path) -> None:
    folder = tmp_path / "packs"
    folder.mkdir()
    (folder / "p.pack").write_text(PACK.to_json())
    (folder / "p.json").symlink_to("p.pack")
    (tmp_path / "link").symlink_to(folder)
    for path in (folder, tmp_path / "link", folder / "p.json"):
        assert list(PackFiles([path]).load_all()) == [PACK.source]
    assert pack_files(folder) == [str(folder / "p.json")]


def test_a_pack_of_deep_json_is_refused(tmp_path: Path) -> None:
    (tmp_path / "p.json").write_text(json.dumps({"schema": 1})[:-1] + ', "x": ' + "[" * 100_000)
    with pytest.raises(PackError, match="not JSON"):
        PackFiles([tmp_path]).load_all()
