"""``templatemine show``: packs, rejected candidates and folders, for people and for machines."""

from __future__ import annotations

import gzip
import json
import os
import re
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from cli_support import CALL, SOURCES, command, records, write

from conftest import Cli
from templatemine.__main__ import main
from templatemine.archive.apply_overrides import apply_rules
from templatemine.cli import cmd_show as show
from templatemine.controls import escape_regex
from templatemine.errors import PackError
from templatemine.model import RejectedCandidate
from templatemine.packs.overrides import Rule
from templatemine.packs.pack import Pack
from templatemine.packs.pack_folder import pack_names, read_rejected, rejected_path
from templatemine.packs.pack_record import template_id


@pytest.fixture
def pack(mined: Path) -> Path:
    return mined / "alpha.example.json"


def test_a_pack(cli: Cli, pack: Path) -> None:
    ran = cli("show", pack)
    assert (ran.code, ran.err) == (0, "")
    head = dict(line.split(maxsplit=1) for line in ran.out.splitlines()[:6])
    assert head["source"] == "alpha.example"
    assert head["documents"] == "40, 2024-01-01 to 2024-01-28"
    assert head["method"].startswith("learned (templatemine ")
    assert CALL.format("Alpha") in ran.out
    assert all(template.id in ran.out for template in Pack.load(pack).templates)


def test_decisions(cli: Cli, pack: Path, tmp_path: Path) -> None:
    """What people decided about a pack is told; a pack that nobody touched says nothing of it."""
    assert "decisions" not in cli("show", pack).out
    mined = Pack.load(pack)
    first = mined.templates[0]
    apply_rules(mined, (), [Rule(action="reject", id=first.id)]).save(tmp_path / "steered.json")
    out = cli("show", tmp_path / "steered.json").out
    assert "decisions   1 reject; 1 template removed and 0 added by them" in out


def test_histogram(cli: Cli, pack: Path) -> None:
    cut = Pack.load(pack)
    replace(cut, cutoff=replace(cut.cutoff, method="energy", df=12, share=0.3)).save(pack, force=True)
    lines = cli("show", pack).out.splitlines()
    place = lines.index("strings by share of documents (log scale)")
    bars = lines[place + 1].removeprefix("  0% ").removesuffix(" 100%")
    counts = Pack.load(pack).cutoff.histogram
    assert len(bars) == len(counts) == 100
    assert [bar != " " for bar in bars] == [count > 0 for count in counts]
    assert bars[counts.index(max(counts))] == "█"
    assert lines[place + 2].strip() == "^ cut-off, 30.0%"
    assert lines[place + 2].index("^") == lines[place + 1].index("%") + 2 + 29


def test_histogram_in_half_the_width(pack: Path) -> None:
    whole, half = (show._format_histogram(Pack.load(pack), width)[1] for width in (None, 80))
    assert (len(whole), len(half)) == (110, 60)


def test_rejected(cli: Cli, pack: Path) -> None:
    ran = cli("show", pack, "--rejected", "--limit", "3")
    rows = list(read_rejected(pack))
    assert ran.out.splitlines()[-1] == f"and {len(rows) - 3:,} more (--limit 0 lists all)"
    lines = [line.split(maxsplit=3) for line in ran.out.splitlines()[-4:-1]]
    for (tokens, df, count, reason, *_), line in zip(rows, lines, strict=False):
        assert [line[0], line[2]] == [f"{df:,}", f"{count:,}"]
        assert line[3].split() == [*reason.split(), template_id(tokens), *tokens]
    assert "\nrejected candidates, the nearest to being templates first\n" in ran.out
    assert len(cli("show", pack, "--rejected", "--limit", "0").out.splitlines()) > len(rows)


def test_rejected_candidates_with_most_at_stake_stand_first(cli: Cli, pack: Path, tmp_path: Path) -> None:
    """The list began with whatever had the highest score, though hardly anything depended on it."""
    rows, data = list(read_rejected(pack)), json.loads(pack.read_text(encoding="utf-8"))
    asked = {tokens: stake for stake, (tokens, *_) in zip((700, 90), (rows[4], rows[2]), strict=True)}
    told = [
        {"tokens": [*tokens], "df": 9, "count": 9, "anchor": "", "filled": "", "example": " ".join(tokens)}
        | {"score": 0.4, "stake": stake}
        for tokens, stake in asked.items()
    ]
    cut = {**told[0], "tokens": data["templates"][0]["tokens"], "stake": 900}  # no rejected candidate
    file = tmp_path / "p.json"
    file.write_text(json.dumps({**data, "questions": [cut, *told]}), encoding="utf-8")
    shutil.copy(rejected_path(pack), rejected_path(file))
    facts = json.loads(cli("show", file, "--rejected", "--json", "--limit", "4").out)["rejected_candidates"]
    assert [tuple(one["tokens"]) for one in facts] == [*asked, rows[0][0], rows[1][0]]
    assert [one.get("stake") for one in facts] == [700, 90, None, None]
    lines = cli("show", file, "--rejected", "--limit", "3").out.splitlines()[-6:-1]
    assert lines[0] == (
        "rejected candidates, first what ask asks about, by the characters at stake; then the others, the nearest to "
        "being templates first"
    )
    assert [line.split()[3] for line in lines[2:]] == ["700", "90", "-"]


def test_rejected_of_a_folder_stand_below_their_source(cli: Cli, mined: Path, tmp_path: Path) -> None:
    packs = shutil.copytree(mined, tmp_path / "packs")
    ran = cli("show", packs, "--rejected", "--limit", "2")
    assert ran.code == 0
    parts = [part.splitlines() for part in ran.out.split("\n\n")]
    assert [part[0] for part in parts] == list(SOURCES)
    for source, part in zip(SOURCES, parts, strict=True):
        alone = cli("show", packs / f"{source}.json", "--rejected", "--limit", "2").out
        assert alone.rstrip().endswith("\n".join(part[1:]).rstrip())
    facts = json.loads(cli("show", packs, "--rejected", "--json", "--limit", "2").out)
    assert [(one["source"], len(one["rejected_candidates"])) for one in facts] == [(one, 2) for one in SOURCES]
    (packs / f"{SOURCES[1]}.rejected.jsonl.gz").unlink()
    ran = cli("show", packs, "--rejected")
    assert ran.code == 2
    assert f"{SOURCES[1]}.rejected.jsonl.gz: not found" in ran.err
    assert [one in ran.out for one in SOURCES] == [True, False, True]
    ran = cli("show", packs, "--regex")
    assert ran.error == "--regex: expected a pack, got a folder of packs; give one of its files"


def test_a_label_that_mining_took_away_is_shown(cli: Cli, pack: Path, tmp_path: Path) -> None:
    """Of one word, too, which other rejected candidates of one word are not."""
    shutil.copy(pack, tmp_path / "p.json")
    rows = [RejectedCandidate(("often",), 9, 9, "not likely")] * 3
    rows.insert(0, RejectedCandidate(("Opinion:",), 4, 4, "a label whose text stays", "line", "related", "Opinion:"))
    lines = "".join(json.dumps(row.as_dict()) + "\n" for row in rows)
    (tmp_path / "p.rejected.jsonl.gz").write_bytes(gzip.compress(lines.encode()))
    shown = cli("show", tmp_path / "p.json", "--rejected").out
    assert "Opinion:" in shown
    assert "often" not in shown


def test_rejected_strings_that_are_not_there(cli: Cli, pack: Path, tmp_path: Path) -> None:
    shutil.copy(pack, tmp_path / "p.json")
    ran = cli("show", tmp_path / "p.json", "--rejected")
    missing = f"{tmp_path}/p.rejected.jsonl.gz"
    assert ran.error == (
        f"{missing}: not found; it holds the rejected candidates, and mine writes it beside the pack, as Packs.save does"
    )
    for content, message in ((b"no gzip", "damaged"), (b"", "no rejected candidates")):
        Path(missing).write_bytes(content)
        ran = cli("show", tmp_path / "p.json", "--rejected")
        assert message in ran.out + ran.err


def test_why(cli: Cli, pack: Path) -> None:
    plain, why = cli("show", pack), cli("show", pack, "--why")
    assert why.out.startswith(plain.out)
    lines = why.out.splitlines()[-len(Pack.load(pack).templates) :]
    assert {line.split()[0] for line in lines} == {one.id for one in Pack.load(pack).templates}
    assert all("; score " in line and "; for it: " in line for line in lines)


def test_a_template_with_patterns_has_its_example(cli: Cli, pack: Path, tmp_path: Path) -> None:
    """What is a month to a pattern may be another word, as may is."""
    data = json.loads(pack.read_text())
    first, *others = data["templates"]
    words = {"tokens": ["{month}", "be"], "regex": None, "example": "May be", "anchor": ""}
    (tmp_path / "p.json").write_text(json.dumps({**data, "templates": [{**first, **words, "id": "t0"}, *others]}))
    lines = cli("show", tmp_path / "p.json", "--why").out.splitlines()
    assert next(line for line in lines if line.startswith("t0 ")).startswith('t0  anywhere, as in "May be"; score ')
    assert sum(", as in " in line for line in lines) == 1


def test_kinds_that_stay_are_marked(cli: Cli, pack: Path, tmp_path: Path) -> None:
    """Notes were listed as if they were cut."""
    told = "\n* clean leaves these in, unless it is told --cut-only all\n"
    assert told not in cli("show", pack).out
    mined = Pack.load(pack)
    templates = (replace(mined.templates[0], kind="note"), *mined.templates[1:])
    replace(mined, templates=templates).save(tmp_path / "p.json")
    out = cli("show", tmp_path / "p.json").out
    assert out.count("  note*  ") == 1
    assert told in out
    text = templates[0].example
    new = write(tmp_path / "new.jsonl", [{"source": mined.source, "text": f"A story.\n\n{text}"}])
    for option, is_left in ((), True), (("--cut-only", "all"), False):
        cli("clean", new, "-p", tmp_path / "p.json", "-o", tmp_path / "c.jsonl", "--force", *option)
        assert (text in json.loads((tmp_path / "c.jsonl").read_text())["text"]) is is_left


def test_variants_stand_below_the_most_frequent_of_them(cli: Cli, pack: Path, tmp_path: Path) -> None:
    data = json.loads(pack.read_text())
    example = "Sign up for the Alpha evening letter today."
    (call,) = (one for one in data["templates"] if one["tokens"][0] == "Sign")
    tokens = ["evening" if token == "morning" else token for token in call["tokens"]]
    variant = {**call, "tokens": tokens, "regex": None, "example": example, "id": "t0", "df": 2, "count": 2}
    (tmp_path / "p.json").write_text(json.dumps({**data, "templates": [*data["templates"], variant]}))
    lines = cli("show", tmp_path / "p.json").out.splitlines()
    place = next(place for place, line in enumerate(lines) if call["id"] in line and "Sign up" in line)
    assert lines[place + 1].endswith(f"  {example}")
    assert lines[place + 1].index(example) == lines[place].index("Sign up") + 2
    why = cli("show", tmp_path / "p.json", "--why").out
    assert f"\n{call['id']}  is a line; score " in why
    assert [call["id"], "t0"] in json.loads(cli("show", tmp_path / "p.json", "--json").out)["families"]


def test_a_few_variants_stand_for_many(cli: Cli, pack: Path, tmp_path: Path) -> None:
    """They do not take the rows of other templates; all are listed on request."""
    data = json.loads(pack.read_text())
    call = next(one for one in data["templates"] if one["tokens"][0] == "Sign")
    added = []
    for number in range(20):
        example = f"Sign up for the Alpha {chr(97 + number)}day letter today."
        tokens = example.split()
        added.append(
            {**call, "tokens": tokens, "regex": None, "example": example, "id": f"t{number}", "df": 2, "count": 2}
        )
    (tmp_path / "p.json").write_text(json.dumps({**data, "templates": [*data["templates"], *added]}))
    lines = cli("show", tmp_path / "p.json").out.splitlines()
    place = next(place for place, line in enumerate(lines) if call["id"] in line and "Sign up" in line)
    assert [line.split()[3] for line in lines[place + 1 : place + 4]] == ["t0", "t1", "t2"]
    assert lines[place + 4].split() == ["and", "17", "variants"]
    assert lines[-1] == "and 17 more (--limit 0 lists all)"
    everything = cli("show", tmp_path / "p.json", "--limit", "0").out
    assert all(f" t{number} " in everything for number in range(20))
    assert "variants" not in everything.partition("\n\n")[2]


def test_regex_and_limit(cli: Cli, pack: Path) -> None:
    templates = Pack.load(pack).templates
    ran = cli("show", pack, "--regex", "--limit", "1")
    shown = escape_regex(templates[0].regex)
    assert shown in ran.out
    assert r"[\n\u2028\u2029]" in shown
    assert re.findall(shown, templates[0].example) == re.findall(templates[0].regex, templates[0].example)
    assert f"and {len(templates) - 1} more (--limit 0 lists all)" in ran.out


def test_json(cli: Cli, pack: Path) -> None:
    facts = json.loads(cli("show", pack, "--json").out)
    families = facts.pop("families")
    written = json.loads(pack.read_text())
    del written["boundaries"]  # expressions are in full
    full = [one.as_dict() for one in Pack.load(pack).templates]
    assert facts == written | {"templates": json.loads(json.dumps(full))}
    assert facts["templates"][0]["regex"] != written["templates"][0]["regex"]
    assert sorted(name for family in families for name in family) == sorted(one["id"] for one in facts["templates"])
    facts = json.loads(cli("show", pack, "--json", "--rejected", "--limit", "1").out)
    assert len(facts["templates"]) == len(facts["rejected_candidates"]) == 1
    assert set(facts["rejected_candidates"][0]) == {"id", "tokens", "df", "count", "reason"}


def test_scores_that_decide_are_no_second_number_of_templates(cli: Cli, pack: Path, tmp_path: Path) -> None:
    """Templates within others, and those by hand, made the two differ."""
    whole = Pack.load(pack)
    note = f"{len(whole.templates) + 4} by their scores; 3 near-duplicates ignored"
    replace(whole, cutoff=replace(whole.cutoff, method="score", df=None, note=note)).save(tmp_path / "p.json")
    out = cli("show", tmp_path / "p.json").out
    assert "cut-off     none: scores decide; 3 near-duplicates ignored\n" in out
    assert f"templates   {len(whole.templates)}\n" in out


def test_a_pack_without_its_suffix(cli: Cli, mined: Path) -> None:
    """A program is told of the file, and a person gets it."""
    assert cli("show", mined / "alpha.example").out == cli("show", mined / "alpha.example.json").out
    with pytest.raises(PackError, match=re.escape(f"directory; did you mean {mined / 'alpha.example.json'}?")):
        Pack.load(mined / "alpha.example")


def test_rejected_candidates_that_few_would_decide_are_counted(cli: Cli, mined: Path, tmp_path: Path) -> None:
    """Words of prose filled the list."""
    pack = Pack.load(shutil.copy(mined / f"{SOURCES[0]}.json", tmp_path / "p.json"))
    words = [("The",), *(("near", str(n)) for n in range(12)), ("often", "said"), ("seldom", "said")]
    frequent = {"The": 40, "often": 30}
    rows = [{"tokens": one, "df": frequent.get(one[0], 2), "count": 40, "reason": "below the cut-off"} for one in words]
    data = "".join(json.dumps(row) + "\n" for row in rows)
    (tmp_path / "p.rejected.jsonl.gz").write_bytes(gzip.compress(data.encode()))
    replace(pack, rejected={"below the cut-off": len(rows)}, questions=()).save(tmp_path / "p.json", force=True)
    lines = cli("show", tmp_path / "p.json", "--rejected").out.splitlines()
    shown = [line.partition("below the cut-off  ")[2] for line in lines if "below the cut-off  " in line]
    shown = [line.partition("  ")[2] for line in shown]
    assert shown == [*(f"near {n}" for n in range(10)), "often said"]
    assert lines[-1] == "and 4 more, rarer or less likely (--limit 0 lists all)"
    assert cli("show", tmp_path / "p.json", "--rejected", "--limit", "0").out.count("below the cut-off  ") == 15


def test_what_was_a_template_hides_no_candidate_that_was_none(cli: Cli, mined: Path, tmp_path: Path) -> None:
    """Ten of each are shown, and what others cover if it is frequent."""
    pack = Pack.load(shutil.copy(mined / f"{SOURCES[0]}.json", tmp_path / "p.json"))
    base = {"df": 3, "count": 4, "reason": "r"}
    rows = [{"tokens": ["gone", str(n)], "example": f"Gone {n}", "anchor": "line", **base} for n in range(14)]
    rows += [{"tokens": ["near", str(n)], **base} for n in range(14)]
    rows += [{"tokens": ["within", str(n)], "example": "w", **base, "df": 3 + 30 * (n > 3)} for n in range(5)]
    (tmp_path / "p.rejected.jsonl.gz").write_bytes(gzip.compress("".join(json.dumps(r) + "\n" for r in rows).encode()))
    replace(pack, rejected={"r": len(rows)}, questions=()).save(tmp_path / "p.json", force=True)
    lines = cli("show", tmp_path / "p.json", "--rejected").out.splitlines()
    shown = [" ".join(line.split()[-2:]) for line in lines if "  r  " in line or " r " in line]
    told = [one for one in shown if one.split()[0] in ("gone", "near", "within")]
    assert told == [*(f"gone {n}" for n in range(10)), *(f"near {n}" for n in range(10)), "within 4"]


def test_a_folder_lists_the_largest_source_first(cli: Cli, mined: Path, tmp_path: Path) -> None:
    """As mine, update and clean do."""
    shutil.copytree(mined, tmp_path / "packs")
    last = tmp_path / "packs" / f"{max(SOURCES)}.json"
    replace(Pack.load(last), documents=41).save(last, force=True)
    lines = cli("show", tmp_path / "packs").out.splitlines()[1:]
    assert [line.split()[0] for line in lines] == [max(SOURCES), *sorted(SOURCES)[:-1]]


def test_a_folder(cli: Cli, mined: Path) -> None:
    lines = cli("show", mined).out.splitlines()
    assert [line.split()[:2] for line in lines[1:]] == [[source, "40"] for source in SOURCES]
    facts = json.loads(cli("show", mined, "--json").out)
    assert [one["source"] for one in facts] == list(SOURCES)


def test_a_folder_with_something_else_in_it(cli: Cli, pack: Path, tmp_path: Path) -> None:
    shutil.copy(pack, tmp_path / "renamed.json")
    (tmp_path / "bad.json").write_text("{}")
    ran = cli("show", tmp_path)
    assert ran.error == f"{tmp_path}/bad.json: expected a pack, an object with a field 'schema'"
    assert "renamed.json" in ran.out


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, "there is no such pack or folder of packs"),
        ("{", "not JSON"),
        ('{"schema": 7}', "it is from a newer version"),
    ],
)
def test_what_is_no_pack(cli: Cli, tmp_path: Path, content: str | None, message: str) -> None:
    if content is not None:
        (tmp_path / "p.json").write_text(content)
    ran = cli("show", tmp_path / "p.json")
    assert ran.error.startswith(f"{tmp_path}/p.json: ")
    assert message in ran.error


@pytest.mark.parametrize("source", [SOURCES[0], "A/b", "d.example.json"])
def test_a_pack_is_found_by_its_source(
    cli: Cli, pack: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, source: str
) -> None:
    """In the folder of all examples, and beside the path that is given, in every command that takes packs."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "packs").mkdir()
    file = Path("packs", pack_names(source)[0])
    replace(Pack.load(pack), source=source).save(file)
    told = cli("show", file).out
    assert told
    for name in (source, file.name, str(file.with_suffix("")), f"packs/{source}", tmp_path / "packs" / source):
        assert cli("show", name).out == told
    archive = write(tmp_path / "a.jsonl", [{"source": source, "text": "One."}])
    for words in (
        ("diff", source, file),
        ("ask", source, "--list"),
        ("explain", archive, "-p", source),
        ("clean", archive, "-p", source, "-o", "out.jsonl", "--hits", "packs/hits"),
        ("report", source, "-o", "r.html", "--against", source),
        ("drift", source),
    ):
        ran = cli(*words)
        assert ran.code == 0, ran.err
    Path("packs", "hits").rename("hits")
    assert cli("drift", source).error.startswith("packs/hits: expected counts")


def test_where_a_pack_was_looked_for_is_told(
    cli: Cli, pack: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    missing = "there is no such pack or folder of packs"
    looked = "looked for a.com.json and packs/a.com.json, too"
    assert cli("show", "a.com").error == f"a.com: {missing}; {looked}; templatemine mine makes packs"
    shutil.copytree(pack.parent, "packs")
    assert cli("show", SOURCES[0][:-1]).error.endswith(f"; did you mean {SOURCES[0]}?")
    assert cli("show", SOURCES[0].partition(".")[0]).error.endswith(f"; did you mean {SOURCES[0]}?")
    assert cli("show", "a.com").error.endswith(f"; {looked}; in packs are those of {', '.join(SOURCES)}")
    Path("other").mkdir()
    assert cli("show", "other/a.com").error.endswith("; templatemine mine makes packs")
    for folder, meant in (("nopacks", "packs"), ("nopacks/", "packs"), (tmp_path / "pack", tmp_path / "packs")):
        assert cli("show", folder).error.endswith(f"; did you mean {meant}?")
    archive = write(tmp_path / "a.jsonl", [{"source": "a", "text": "One."}])
    for words in (
        ("diff", "packs", "a.com"),
        ("ask", "a.com"),
        ("explain", archive, "-p", "a.com"),
        ("clean", archive, "-p", "a.com"),
        ("report", "packs", "-o", "r.html", "--against", "a.com"),
        ("drift", "a.com"),
        ("extract", archive, "-p", "a.com"),
    ):
        assert cli(*words).error.startswith(f"a.com: {missing}; looked for "), words


def test_a_source_is_suggested_for_what_is_nearly_its_name(
    cli: Cli, pack: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("packs").mkdir()
    for source in ("b.example/news", "A.example"):
        replace(Pack.load(pack), source=source).save(Path("packs", pack_names(source)[0]))
    shutil.copy(pack, "packs/renamed.json")
    for name, meant in (
        ("b.example", "b.example/news"),
        ("packs/B.example", "packs/b.example/news"),
        ("B.EXAMPLE/NEWS", "b.example/news"),
        ("a.exampl", "A.example"),
        ("packs/a.example.json", "packs/A.example"),
        ("packs/renamd", "packs/renamed"),
    ):
        error = cli("show", name).error
        assert error.endswith(f"; did you mean {meant}?")
        assert "~" not in error
        assert cli("show", meant).code == 0
    missing = "there is no such pack or folder of packs"
    assert cli("show", "sp/zzz.json").error.startswith(
        f"sp/zzz.json: {missing}; in packs are those of A.example, b.example/"
    )
    assert cli("show", "").error == "expected a pack, a folder of packs or the name of a source, got an empty name"


def test_a_pack_of_the_name_of_something_else_is_told(
    cli: Cli, pack: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is never taken without a word."""
    monkeypatch.chdir(tmp_path)
    shutil.copytree(pack.parent, "packs")
    folder, file = Path(SOURCES[0]), Path(f"{SOURCES[1]}.json")
    folder.mkdir()
    file.write_text("{}")
    meant = f"; did you mean packs/{SOURCES[0]}.json?"
    error = cli("show", folder).error
    assert error == f"{folder}: expected a folder with packs, found no .json file in it{meant}"
    (folder / "article.json").write_text("{}")
    assert (
        cli("show", folder).error == f"{folder}/article.json: expected a pack, an object with a field 'schema'{meant}"
    )
    error = cli("show", file).error
    assert error == f"{file}: expected a pack, an object with a field 'schema'; did you mean packs/{file}?"
    shutil.copy(pack, folder)
    assert meant not in cli("show", folder).err


def test_scripts_of_all_kinds(cli: Cli, tmp_path: Path) -> None:
    calls = [
        "央视网消息（新闻联播）欢迎订阅",
        "لمراسلة الكاتب على البريد",
        "記事執筆エスマックス編集部",
        "\x1b[31mRed alert\x07 for all \u202e readers",
    ]
    lines = [
        {**one, "text": one["text"].replace("Reporting", "\n\n".join(calls) + "\n\nReporting")}
        for one in records(["all.example"])
    ]
    assert cli("mine", write(tmp_path / "a.jsonl", lines), "-o", tmp_path / "packs", "-q").code == 0
    ran = cli("show", tmp_path / "packs" / "all.example.json", "-n", "0")
    for call in calls[:3]:
        assert (
            call in ran.out or call in cli("show", tmp_path / "packs" / "all.example.json", "--rejected", "-n", "0").out
        )
    assert "\x1b" not in ran.out
    assert "\u202e" not in ran.out


def test_smoke_and_narrow_encodings(program: Cli, pack: Path) -> None:
    ran = program("show", pack, env={"PYTHONIOENCODING": "ascii"})
    assert ran.code == 0
    assert "strings by share" in ran.out
    assert "@" in ran.out
    assert ran.out.isascii()


def test_standard_output_that_cannot_be_written(mined: Path, pack: Path) -> None:
    with open("/dev/full", "wb") as full:
        done = subprocess.run(command("show", pack), stdout=full, stderr=subprocess.PIPE, check=False)
    assert done.returncode == 2
    assert done.stderr == b"templatemine: error: stdout: cannot be written: No space left on device\n"
    read, write_end = os.pipe()
    os.close(read)
    with os.fdopen(write_end, "wb") as pipe:
        done = subprocess.run(command("show", pack), stdout=pipe, stderr=subprocess.PIPE, check=False)
    assert (done.returncode, done.stderr) == (0, b"")
    done = subprocess.run([*command("show", pack)], stderr=subprocess.PIPE, preexec_fn=lambda: os.close(1), check=False)
    assert (done.returncode, done.stderr) == (2, b"templatemine: error: stdout: standard output is closed\n")


def test_lines_on_a_terminal_fit(
    pack: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    assert main(["show", str(pack)]) == 0
    assert max(len(line) for line in capsys.readouterr().out.splitlines()) <= 80
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    assert main(["show", str(pack), "--full", "--regex"]) == 0
    assert max(len(line) for line in capsys.readouterr().out.splitlines()) > 80
