"""The converters: each format on an invented sample, and on the real files where they are at hand."""

from __future__ import annotations

import gzip
import json
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "datasets"))

import convert  # noqa: E402
from convert import FORMATS, ConvertError  # noqa: E402
from jsonlines import read_records  # noqa: E402

PAGE = "<html><head><title>Tide</title></head><body><p>Low tide at nine.</p></body></html>"
ANNOTATED = (
    '<p><span class="x-nc-sel0">Home</span></p><h1><span class="x-nc-sel1">Low tide</span></h1>'
    '<p><span class="x-nc-sel2">The sea <b>went</b> out <span class="x-nc-sel0">(ad)</span> at\n nine.</span></p>'
    '<p><span class="x-nc-sel3">12 May</span></p><p><span class="x-nc-sel5">First!</span></p>'
)
UUID = "01ccc7c5-a1d1-46e1-a5f7-43310df16575"


def jsonl(*rows: dict[str, Any]) -> bytes:
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows).encode()


# One row a format: files, and the records that have to come out.
SAMPLES: dict[str, tuple[dict[str, bytes], list[dict[str, Any]]]] = {
    "text": (
        {"in.jsonl": jsonl({"source": "a", "id": "a/1", "text": "Ebb.", "title": None, "date": "20240512", "x": 1})},
        [{"source": "a", "id": "a/1", "text": "Ebb.", "date": "2024-05-12"}],
    ),
    "html": (
        {"in.jsonl": jsonl({"source": "a", "id": "1", "html": PAGE, "gold": "Low tide at nine.", "year": "2000"})},
        [{"source": "a", "id": "1", "html": PAGE, "gold": "Low tide at nine."}],
    ),
    "l3s-blocks": (
        {
            "in.jsonl": jsonl(
                {"source": "a", "id": "1", "blocks": [[0, "Home"], [1, "Low tide"], [2, "It ebbed."], [5, "Ha"]]}
            )
        },
        [
            {
                "source": "a",
                "id": "1",
                "text": "Home\nLow tide\nIt ebbed.\nHa",
                "gold": "Low tide\nIt ebbed.",
                "spans": [[0, 4, "template"], [24, 26, "dynamic"]],
            }
        ],
    ),
    "cleaneval": (
        {
            "in.jsonl": jsonl(
                {
                    "source": None,
                    "id": "1",
                    "html": f'<text id="http://www.ebb.example/x" title="Ebb &amp; flow">\n{PAGE}</text>\n',
                    "gold": "URL: http://www.ebb.example/x\n\n<h>  Ebb\n<p>Low tide\nat nine.\n\n"
                    "More\n<l> * one\n<l> * two &gt; one",
                }
            )
        },
        [
            {
                "source": "ebb.example",
                "id": "1",
                "html": PAGE,
                "url": "http://www.ebb.example/x",
                "title": "Ebb & flow",
                "gold": "Ebb\n\nLow tide at nine.\n\nMore\n\n* one\n\n* two > one",
            }
        ],
    ),
    "dragnet": (
        {
            "in.jsonl": jsonl(
                {"source": "a", "id": "1", "html": PAGE, "gold": "\nEbb.\n\n!@#$%^&*()  COMMENTS\n\nFirst!"}
            )
        },
        [{"source": "a", "id": "1", "html": PAGE, "gold": "Ebb."}],
    ),
    "newsletter": (
        {
            "in.jsonl": jsonl(
                {
                    "source": "n",
                    "id": "1",
                    "date": "x",
                    "text": '---\ntitle: "Tides"\ndate: "2020-01-02"\n---\n\n## Ebb',
                }
            )
        },
        [{"source": "n", "id": "1", "title": "Tides", "date": "2020-01-02", "text": "## Ebb"}],
    ),
    "cleaneval-folder": (
        {
            "original/1.html": f'<text id="http://ebb.example/1" encoding="utf-8">{PAGE}</text>'.encode(),
            "clean/1-cleaned.txt": b"<p>Low tide at nine.",
            "original/2.html": "<p>caf\u00e9</p>".encode("cp1252"),
            "clean/2.txt": "caf\u00e9".encode(),
            "original/3.html": b"no gold",
        },
        [
            {
                "source": "ebb.example",
                "id": "1.html",
                "html": PAGE,
                "url": "http://ebb.example/1",
                "gold": "Low tide at nine.",
            },
            {"source": "cleaneval", "id": "2.html", "html": "<p>caf\u00e9</p>", "gold": "caf\u00e9"},
        ],
    ),
    "dragnet-folder": (
        {
            "HTML/T1.html": b'<link rel="canonical" href="http://www.ebb.example/1"><p>Ebb.</p>',
            "Corrected/T1.html.corrected.txt": b"Ebb.\n\n!@#$%^&*()  COMMENTS\nHa",
            "HTML/T2.html": b"no gold",
        },
        [
            {
                "source": "ebb.example",
                "id": "T1.html",
                "html": '<link rel="canonical" href="http://www.ebb.example/1"><p>Ebb.</p>',
                "url": "http://www.ebb.example/1",
                "gold": "Ebb.",
            }
        ],
    ),
    "l3s-folder": (
        {
            f"original/{UUID}.html": PAGE.encode(),
            f"annotated/{UUID}.html": ANNOTATED.encode(),
            "url-mapping.txt": f"<urn:uuid:{UUID}>\t<http://www.ebb.example/1>\n".encode(),
        },
        [
            {
                "source": "ebb.example",
                "id": f"{UUID}.html",
                "html": PAGE,
                "url": "http://www.ebb.example/1",
                "gold": "Low tide\nThe sea went out at nine.\n12 May",
            }
        ],
    ),
    "paired-folder": (
        {
            "ebb.example/20000101_x.asp": PAGE.encode(),
            "ebb.example/20000101_x.asp.txt": b"Low tide.\n",
            "ebb.example/y": b"-",
        },
        [{"source": "ebb.example", "id": "ebb.example/20000101_x.asp", "html": PAGE, "gold": "Low tide."}],
    ),
    "scrapinghub-folder": (
        {
            "ground-truth.json": json.dumps(
                {"ab": {"articleBody": "Ebb.", "url": "https://www.ebb.example/1"}}
            ).encode(),
            "html/ab.html.gz": gzip.compress(PAGE.encode()),
        },
        [{"source": "ebb.example", "id": "ab", "html": PAGE, "url": "https://www.ebb.example/1", "gold": "Ebb."}],
    ),
    "livedoor-folder": (
        {
            "text/umi/umi-1.txt": "http://ebb.example/1\n2012-04-26T16:55:00+0900\n\u6f6e\n\u5f15\u3044\u305f\u3002\n".encode(),
            "text/umi/LICENSE.txt": b"Some licence\nof\nsome\nkind",
        },
        [
            {
                "source": "umi",
                "id": "umi/umi-1",
                "url": "http://ebb.example/1",
                "date": "2012-04-26T16:55:00+0900",
                "title": "\u6f6e",
                "text": "\u5f15\u3044\u305f\u3002",
            }
        ],
    ),
    "saudinews-folder": (
        {
            "2015-07-21.json": json.dumps(
                [
                    {
                        "source": "s",
                        "url": "http://s.example",
                        "date_extracted": "2015-07-21 13:05:37",
                        "title": "",
                        "content": "\u0645\u062f",
                    }
                ]
            ).encode()
        },
        [
            {
                "source": "s",
                "id": "2015-07-21/0",
                "url": "http://s.example",
                "date": "2015-07-21T13:05:37",
                "text": "\u0645\u062f",
            }
        ],
    ),
    "fakebr-folder": (
        {
            "full_texts/true/7.txt": "\ufeffMar\u00e9 baixa.".encode(),
            "full_texts/true-meta-information/7-meta.txt": b"Ana\nhttps://www.mare.example/7\npolitica\n24/07/2017\n12\n",
        },
        [
            {
                "source": "mare.example",
                "id": "true/7",
                "url": "https://www.mare.example/7",
                "date": "2017-07-24",
                "text": "Mar\u00e9 baixa.",
            }
        ],
    ),
    "allsides-folder": (
        {
            "jsons/x1.json": json.dumps(
                {
                    "ID": "x1",
                    "source_url": "www.ebb.example",
                    "url": "http://www.ebb.example/1",
                    "content_original": "Ebb.",
                    "bias": 1,
                }
            ).encode()
        },
        [{"source": "ebb.example", "id": "x1", "url": "http://www.ebb.example/1", "text": "Ebb."}],
    ),
    "newsletter-folder": (
        {"in/2020/a.md": b"---\ntitle: Tides\n---\n# Ebb\n", "in/b.md": b"No head"},
        [
            {"source": "in", "id": "2020/a.md", "title": "Tides", "text": "# Ebb\n"},
            {"source": "in", "id": "b.md", "text": "No head"},
        ],
    ),
}


def laid_out(folder: Path, files: dict[str, bytes]) -> Path:
    for name, raw in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(raw)
    return folder / next(iter(files)) if list(files) == ["in.jsonl"] else folder


@pytest.mark.parametrize("name", SAMPLES)
def test_sample(name: str, tmp_path: Path) -> None:
    files, wanted = SAMPLES[name]
    path = laid_out(tmp_path, files)
    assert list(convert.convert(name, path / "in" if name == "newsletter-folder" else path)) == wanted


def test_every_format_has_a_sample() -> None:
    assert set(SAMPLES) | {"gold"} == set(FORMATS)


def test_gold_spans_meet_their_texts(tmp_path: Path) -> None:
    folder = laid_out(
        tmp_path,
        {
            "gold/a.jsonl": jsonl({"id": "a/1", "spans": [[0, 4, "template"], [5, 7, "dynamic"]]}),
            "texts.jsonl": jsonl(
                {"source": "a", "id": "a/0", "text": "-"}, {"source": "a", "id": "a/1", "text": "More: ebb"}
            ),
        },
    )
    wanted = [{"source": "a", "id": "a/1", "text": "More: ebb", "spans": [[0, 4, "template"], [5, 7, "dynamic"]]}]
    assert list(convert.convert("gold", folder / "gold", [folder / "texts.jsonl"])) == wanted
    with pytest.raises(ConvertError, match="--texts"):
        list(convert.convert("gold", folder / "gold"))
    (folder / "other.jsonl").write_bytes(jsonl({"source": "a", "id": "b", "text": "-"}))
    with pytest.raises(ConvertError, match=r"1 annotated texts are in none .* a/1"):
        list(convert.convert("gold", folder / "gold", [folder / "other.jsonl"]))


def test_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    files, wanted = SAMPLES["text"]
    out = tmp_path / "out.jsonl.gz"
    assert convert.main(["--format", "text", str(laid_out(tmp_path, files)), "-o", str(out)]) == 0
    assert [row for _, row in read_records(out)] == wanted
    assert convert.main(["--list"]) == 0
    assert set(FORMATS) == {line.split()[0] for line in capsys.readouterr().out.splitlines()}
    with pytest.raises(ConvertError, match="expected one of"):
        list(convert.convert("word", tmp_path))
    with pytest.raises(ConvertError, match="found none"):
        list(convert.convert("livedoor-folder", tmp_path))


# -- the manifest ------------------------------------------------------------------------------------------------------


def manifest() -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = tomllib.loads((ROOT / "datasets" / "manifest.toml").read_text("utf-8"))["dataset"]
    return rows


def test_manifest_is_complete() -> None:
    names = [row["name"] for row in manifest()]
    assert len(names) == len(set(names))
    for row in manifest():
        for field in ("title", "what", "publisher", "licence", "good_for"):
            assert row[field].strip(), (row["name"], field)
        assert row["language"]
        assert row["kind"] in ("text", "html", "spans")
        assert {row["converter"], row.get("original", "text")} <= set(FORMATS)
