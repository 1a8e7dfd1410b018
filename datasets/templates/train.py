#!/usr/bin/env python3
"""Train the model that scores candidates, and write it as a table of trees.

    train.py texts/*.jsonl.gz --gold gold/ -o src/templatemine/mining/model.npz

In: archives of articles, JSON lines {source, id, text, date?}, and a folder of annotated articles, a file a source
(SOURCE.jsonl, lines {id, spans}).  Out: the trees (`templatemine.mining.score`), and beside them a JSON file that says
what they were trained on and by which command.  Sources of one publisher are held out together where scores of unseen
sources are learnt from: `--publisher` names them.  Needs lightgbm (`pip install --group
training`).  The same archives and version of lightgbm give the same table.  Half a minute of one core for 35 sources.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import defaultdict
from pathlib import Path

import numpy as np

HERE = Path(__file__).resolve().parent
for folder in (str(HERE), str(HERE.parent)):
    if folder not in sys.path:
        sys.path.insert(0, folder)

import score_model  # noqa: E402

from templatemine.config import ReadConfig  # noqa: E402
from templatemine.evaluation.gold import read_spans  # noqa: E402
from templatemine.io.read import read_documents  # noqa: E402
from templatemine.mining.features import FEATURES  # noqa: E402
from templatemine.mining.labels import KINDS  # noqa: E402


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("archives", metavar="ARCHIVE", nargs="+")
    parser.add_argument("--gold", required=True, metavar="FOLDER")
    parser.add_argument(
        "--publisher", metavar="SOURCE=NAME", action="append", default=[], help="of sources that share one"
    )
    parser.add_argument(
        "--dressed",
        metavar="N",
        type=int,
        default=score_model.SYNTHETIC_COPIES,
        help="copies of each source with synthetic boilerplate (default %(default)s)",
    )
    parser.add_argument("-o", "--output", required=True)
    args = parser.parse_args()
    gold = {path.stem: read_spans(path) for path in sorted(Path(args.gold).glob("*.jsonl"))}
    publishers = dict(one.split("=", 1) for one in args.publisher)
    documents = defaultdict(list)
    for document in read_documents(args.archives, ReadConfig()):
        if document.source in gold:
            documents[document.source].append(document)
    sources = [
        score_model.make_examples(source, publishers.get(source, source), documents[source], gold[source])
        for source in sorted(documents)
    ]
    synthetic = [
        score_model.make_synthetic_examples(
            source, publishers.get(source, source), documents[source], gold[source], seed
        )
        for seed in range(1, args.dressed + 1)
        for source in sorted(documents)
    ]
    columns = score_model.fit([*sources, *synthetic])
    np.savez_compressed(args.output, **columns)
    import lightgbm

    model_card = {
        "sources": {
            one.source: {
                "documents": len(documents[one.source]),
                "annotated": len(gold[one.source]),
                "candidates": {kind: len(one.kinds[kind].size) for kind in KINDS},
            }
            for one in sources
        },
        "dressed": {"copies": args.dressed, "weight": score_model.SYNTHETIC_WEIGHT},
        "command": " ".join(["train.py", *(Path(path).name for path in args.archives), "--gold", Path(args.gold).name]),
        "lightgbm": lightgbm.__version__,
        "trees": {name.removesuffix(".sizes"): len(columns[name]) for name in columns if name.endswith(".sizes")},
        "features": {kind: list(FEATURES[kind]) for kind in KINDS},
        "options": score_model.OPTIONS,
        "licence": (
            "The numbers are the project's own.  The articles they were fitted to were read for research and are not "
            "part of it; no word of them can be told from trees over shares and counts."
        ),
    }
    Path(args.output).with_suffix(".json").write_text(json.dumps(model_card, indent=1) + "\n", encoding="utf-8")
    print(
        f"{len(sources)} sources, {model_card['trees']} trees, {Path(args.output).stat().st_size:,} bytes",
        file=sys.stderr,
    )


if __name__ == "__main__":
    main()
