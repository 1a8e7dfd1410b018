"""Memory is what docs/performance.md says."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="reads the peak as Linux tells it")

CODE = """
import json, sys

import numpy as np
import regex

def peak():
    # Of this process alone: what getrusage says may be the peak of the one that started it.
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) * 1024 for line in status if line.startswith("VmHWM"))

libraries = peak()
from templatemine.config import PipelineConfig, SampleConfig
from templatemine.model import Document
from templatemine.pipeline import Miner

miner = Miner(PipelineConfig(method=sys.argv[1], sample=SampleConfig(exact=True)))
miner.run(Document(source="s", id=str(i), text=f"w{i} the same {i % 3} line\\nof words") for i in range(30))
bare = peak()
random = np.random.default_rng(5)
words = [("w%x" % i).translate({48 + k: "aeiouyrstn"[k] for k in range(10)}) for i in range(60_000)]
documents = []
tokens = 0
for number in range(3000):
    drawn = np.minimum(random.zipf(1.25, 700), len(words)) - 1
    text = " ".join([words[k] for k in drawn.tolist()])
    documents.append(Document(source="s", id=str(number), text=text + "\\nSign up for the letter of our paper today."))
    tokens += 700 + 9 + 2
held = sum(sys.getsizeof(one.text) for one in documents)
(report,) = miner.run(documents)
strings = len(report.pack.templates) + len(report.rejected)
facts = {"libraries": libraries, "bare": bare, "held": held, "tokens": tokens, "strings": strings, "peak": peak(), "words": len(words)}
print(json.dumps({**facts, "bytes": sum(len(one.text) for one in documents)}))
"""


@pytest.mark.parametrize("method", ["learned", "energy"])
def test_the_peak_of_exact_mining(method: str) -> None:
    """Documents, 40 bytes a distinct token, 15 a token (35 where long strings are looked for), 130 a candidate; a tenth and 8 MB the allocator keeps."""
    ran = subprocess.run([sys.executable, "-c", CODE, method], capture_output=True, text=True, check=True)
    facts = json.loads(ran.stdout)
    assert facts["tokens"] > 2_000_000
    assert method == "learned" or facts["strings"] > 10_000
    tokens, strings = facts["tokens"], facts["strings"]
    formula = facts["held"] + 40 * facts["words"] + (35 if method == "learned" else 15) * tokens + 130 * strings
    assert facts["peak"] - facts["bare"] <= 1.1 * formula + 8e6
    # Modules, the table of cues (3 MB) and its words (6): less than libraries and interpreter, which differ by machine.
    assert facts["bare"] - facts["libraries"] <= 32e6


STREAM = """
import gc, json, sys
from pathlib import Path

sys.path.insert(0, sys.argv[2])
from generate import generate
from templatemine.cleaning.records import RecordCleaner
from templatemine.io.pending import Lines
from templatemine.model import Document
from templatemine.packs.pack_folder import PackFiles
from templatemine.api import mine

def held():
    gc.collect()
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) * 1024 for line in status if line.startswith("VmRSS"))

folder = Path(sys.argv[1])
articles = list(generate(seed=7, sources=1, documents=300))
named = ("source", "id", "text", "date")
(pack,) = mine(Document(**{name: one[name] for name in named}) for one in articles).values()
text = pack.to_json()
for number in range(140):
    (folder / f"{number}.json").write_text(text.replace(json.dumps(pack.source), f'"s{number}"', 1))
cleaner = RecordCleaner(PackFiles([folder], keep=False))

def clean(numbers):
    for number in numbers:
        lines = [json.dumps({**one, "source": f"s{number}"}) for one in articles[:25]]
        done = cleaner.clean_batch(Lines("f", "f", 1, "\\n".join(lines).encode()))
        assert done.tally.source_counts(f"s{number}").spans > 25

clean(range(40))
before = held()
clean(range(40, 140))
print(json.dumps({"bytes": len(text), "each": (held() - before) / 100}))
"""


def test_what_a_stream_holds_of_each_source(tmp_path: Path) -> None:
    """After 64 kB of text, by which the prefilter is made: less than three times the bytes of the pack."""
    datasets = str(Path(__file__).resolve().parents[2] / "datasets")
    command = [sys.executable, "-c", STREAM, str(tmp_path), datasets]
    facts = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    assert facts["bytes"] > 30_000
    assert facts["each"] < 200_000
