"""How well packs of windows agree with packs of whole archives.

    python bench/window_agreement.py ARCHIVE.jsonl.gz ... [--least 100 200 500] [--parts 4]

The documents of each archive, by date, go to `update` in so many parts.  Then, for each source and each least size of a
window: does its pack hold the same expressions as mining all windows at once, and how much of what it cuts from the
newest documents does the pack of the whole archive cut too (characters, intersection over union)?
"""

from __future__ import annotations

import argparse
import tempfile
from collections import defaultdict
from pathlib import Path

from templatemine.api import mine
from templatemine.archive.update import UpdateConfig, update_packs
from templatemine.archive.window import Window, WindowConfig
from templatemine.cleaning.cleaner import Cleaner
from templatemine.config import CleanConfig, ReadConfig
from templatemine.io.jsonl import encode_line
from templatemine.io.read import read_records
from templatemine.kinds import CUT_ALL
from templatemine.mining.tokenise import document_days
from templatemine.model import Document
from templatemine.packs.pack import Pack
from templatemine.packs.pack_folder import PackFiles


def find_cuts(pack: Pack, documents: list[Document]) -> set[tuple[str, int]]:
    cleaner = Cleaner(pack, CleanConfig(choice=CUT_ALL))
    return {
        (one.id, place)
        for one in documents
        for span in cleaner.clean(one.body).removed
        for place in range(span.start, span.end)
    }


def select_window(documents: list[Document], config: WindowConfig) -> list[Document]:
    """The window of a source."""
    window = Window((), "2030-01-01", config, 1 << 40)
    window.add((one, True) for one in documents)
    return [one.document for one in window.documents]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("archives", nargs="+")
    parser.add_argument("--least", type=int, nargs="+", default=[100, 200, 500, 1000])
    parser.add_argument("--parts", type=int, default=4)
    args = parser.parse_args()
    records = [record for path in args.archives for record in read_records(path, ReadConfig())]
    records = [record for record in records if document_days([record.document.date])]
    records.sort(key=lambda record: document_days([record.document.date])[0])
    by_source: dict[str, list[Document]] = defaultdict(list)
    for record in records:
        by_source[record.document.source].append(record.document)
    whole = mine(record.document for record in records)
    print("least  source  documents  window  expressions  same_as_remined  agreement_with_whole_archive  alone")
    for least in args.least:
        window = WindowConfig(least=least)
        with tempfile.TemporaryDirectory() as folder:
            size = -(-len(records) // args.parts)
            for part in range(args.parts):
                lines = [encode_line(record.fields) for record in records[part * size : (part + 1) * size]]
                path = Path(folder) / "part.jsonl"
                path.write_bytes(b"".join(lines))
                update_packs(
                    f"{folder}/packs", [str(path)], UpdateConfig(today="2030-01-01", new_sources=True, window=window)
                )
            packs = PackFiles([f"{folder}/packs"]).load_all()
        windows = {source: select_window(found, window) for source, found in by_source.items()}
        remined = mine(window_cuts for found in windows.values() for window_cuts in found)
        for source, pack in sorted(packs.items()):
            last = windows[source][-200:]
            window_cuts, whole_cuts = find_cuts(pack, last), find_cuts(whole[source], last)
            same = {t.id for t in pack.templates} == {t.id for t in remined[source].templates}
            share = len(window_cuts & whole_cuts) / len(window_cuts | whole_cuts) if window_cuts | whole_cuts else 1.0
            print(
                f"{least:5}  {source:24} {len(by_source[source]):6} {len(windows[source]):6} {len(pack.templates):6}  "
                f"{same!s:5}  {share:.3f}  only window {len(window_cuts - whole_cuts):7} only whole {len(whole_cuts - window_cuts):7}"
            )


if __name__ == "__main__":
    main()
