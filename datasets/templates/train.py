#!/usr/bin/env python3
"""Train the model that scores candidates and tells kinds, and write its trees and weights as a table.

    train.py texts/*.jsonl.gz --gold gold2/ feeds/gold/ --labels labels/ -o src/templatemine/mining/model.npz

In: archives of articles, and folders of what people say of them, a file a source: annotated articles (SOURCE.jsonl,
lines {id, spans}) and labelled strings (lines {unit, text, df, n, label, filler, places}), see `training_data`; one of
the two is enough.  Out: trees (`templatemine.mining.score`) and weights of words (`wording`), and beside them a JSON
file that says what they were trained on and by which command.  Sources of one publisher are held out together where
scores of unseen sources are learnt from: `training_data.PUBLISHERS` and `--publisher` name them.  Needs lightgbm and
scikit-learn (`pip install --group training`).  The same archives and versions give the same table.  Six minutes of one
core for 145 sources.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

import numpy as np

HERE = Path(__file__).resolve().parent
for folder in (str(HERE), str(HERE.parent)):
    if folder not in sys.path:
        sys.path.insert(0, folder)

import score_model  # noqa: E402
import training_data  # noqa: E402

from templatemine.mining.features import FEATURES  # noqa: E402
from templatemine.mining.labels import KINDS  # noqa: E402


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("archives", metavar="ARCHIVE", nargs="+")
    parser.add_argument("--gold", nargs="+", type=Path, default=[], metavar="FOLDER", help="annotated articles")
    parser.add_argument("--labels", type=Path, metavar="FOLDER", help="labelled strings")
    parser.add_argument(
        "--documents",
        metavar="N",
        type=int,
        default=training_data.MAX_DOCUMENTS,
        help="of each source at most (default %(default)s)",
    )
    parser.add_argument(
        "--publisher", metavar="SOURCE=NAME", action="append", default=[], help="of sources that share one"
    )
    parser.add_argument(
        "--dressed",
        metavar="N",
        type=int,
        default=score_model.SYNTHETIC_COPIES,
        help="copies of each source with synthetic boilerplate, and with repeated passages (default %(default)s)",
    )
    parser.add_argument("-o", "--output", required=True)
    args = parser.parse_args()
    publishers = {**training_data.PUBLISHERS, **dict(one.split("=", 1) for one in args.publisher)}
    sources = training_data.read_sources(
        args.archives, args.gold, args.labels, publishers=publishers, max_documents=args.documents
    )
    examples = [score_model.make_examples(source) for source in sources]
    added = [
        make(source, seed)
        for seed in range(1, args.dressed + 1)
        for source in sources
        for make in score_model.ADDED_EXAMPLES
        if source.gold
    ]
    columns = score_model.fit([*examples, *added])
    np.savez_compressed(args.output, **columns)
    import lightgbm
    import sklearn

    model_card = {
        "sources": {
            source.name: {
                "documents": len(source.documents),
                "annotated": len(source.gold),
                "labelled": len(source.labels),
                "candidates": {kind: len(own.kinds[kind].size) for kind in KINDS},
            }
            for source, own in zip(sources, examples, strict=True)
        },
        "dressed": {"copies": args.dressed, "weight": score_model.SYNTHETIC_WEIGHT},
        "running": {"copies": args.dressed, "weight": score_model.RUNNING_WEIGHT},
        "command": " ".join(
            [
                *("train.py", *(Path(path).name for path in args.archives)),
                *("--gold", *(folder.name for folder in args.gold)),
                *(("--labels", args.labels.name) if args.labels else ()),
            ]
        ),
        "lightgbm": lightgbm.__version__,
        "scikit-learn": sklearn.__version__,
        "trees": {name.removesuffix(".sizes"): len(columns[name]) for name in columns if name.endswith(".sizes")},
        "features": {kind: list(FEATURES[kind]) for kind in KINDS},
        "options": score_model.OPTIONS,
        "licence": (
            "The numbers are the project's own.  The articles they were fitted to were read for research and are not "
            "part of it; trees over shares and counts, and weights of hashed strings of five characters at most, hold "
            "no sentence of them."
        ),
    }
    Path(args.output).with_suffix(".json").write_text(json.dumps(model_card, indent=1) + "\n", encoding="utf-8")
    print(
        f"{len(sources)} sources, {model_card['trees']} trees, {Path(args.output).stat().st_size:,} bytes",
        file=sys.stderr,
    )


if __name__ == "__main__":
    main()
