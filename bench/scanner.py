#!/usr/bin/env python3
"""The block scanner beside parsers that build a tree: speed, and whether all text of a page is the same.

    python bench/scanner.py pages.jsonl.gz ... [--pages 200] [--broken 0.1]

In: sets of pages, JSON lines {html}.  Out: a row a set: MB of HTML a second of each on one core, the minimum of `RUNS`
runs in turn in one process; and F1 of the words of all text, ours against theirs, by the longest common subsequence:
mean over pages, and the share of pages below 95 %.  With --broken, that share of all tags is taken out first.  Each parser is asked for all text of the page without scripts and
styles, the way its documentation says.  Needs resiliparse, selectolax and rapidfuzz.
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
import re
import time
from collections.abc import Callable
from importlib.metadata import version
from statistics import fmean

from resiliparse.extract.html2text import extract_plain_text
from resiliparse.parse.html import HTMLTree
from selectolax.lexbor import LexborHTMLParser

from templatemine.evaluation.metrics import score_words, split_words
from templatemine.pages.blocks import Page

RUNS = 5
LEAST = 0.95
TAG = re.compile(r"</?(?!script|style|title|textarea|iframe|noscript|select)[a-zA-Z][^<>]*>", re.IGNORECASE)


def read_blocks(html: str) -> str:
    """Blocks, a line each."""
    page = Page(html)
    return "\n".join(page.text(block) for block in range(len(page)))


def extract_with_resiliparse(html: str) -> str:
    """Its plain text, without a choice of main content."""
    tree = HTMLTree.parse(html)
    return str(extract_plain_text(tree, main_content=False, alt_texts=False, links=False, form_fields=False))


def extract_with_selectolax(html: str) -> str:
    """The text of body, or of all, once what is not shown is taken out."""
    tree = LexborHTMLParser(html)
    tree.strip_tags(
        ["script", "style", "noscript", "template", "select", "svg", "object", "iframe", "textarea", "title"]
    )
    node = tree.body or tree.root
    return "" if node is None else node.text(separator="\n")


def remove_tags(html: str, share: float, seed: int) -> str:
    """The page with a share of its tags, at random, taken out; not those of scripts and styles."""
    draw = random.Random(seed)
    return TAG.sub(lambda found: "" if draw.random() < share else found[0], html)


PARSERS: dict[str, Callable[[str], str]] = {
    "ours": read_blocks,
    "resiliparse": extract_with_resiliparse,
    "selectolax": extract_with_selectolax,
}


def main() -> None:
    """The program."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sets", nargs="+")
    parser.add_argument("--pages", type=int, default=200)
    parser.add_argument("--broken", type=float, default=0.0)
    args = parser.parse_args()
    print(", ".join(f"{name} {version(name)}" for name in list(PARSERS)[1:]))
    for path in args.sets:
        with gzip.open(path, "rt", encoding="utf-8") as lines:
            pages = [
                html for _, html in zip(range(args.pages), (json.loads(line)["html"] for line in lines), strict=False)
            ]
        if args.broken:
            pages = [remove_tags(html, args.broken, place) for place, html in enumerate(pages)]
        size = sum(len(html.encode()) for html in pages) / 1e6
        best = dict.fromkeys(PARSERS, float("inf"))
        for _ in range(RUNS):
            for name, parse in PARSERS.items():
                begin = time.process_time()
                for html in pages:
                    parse(html)
                best[name] = min(best[name], time.process_time() - begin)
        texts = {name: [split_words(parse(html)) for html in pages] for name, parse in PARSERS.items()}
        row = [f"{name} {size / seconds:.0f} MB/s" for name, seconds in best.items()]
        for name in list(PARSERS)[1:]:
            scores = [score_words(a, b) for a, b in zip(texts["ours"], texts[name], strict=True)]
            f1 = [score.f1 if score.predicted + score.expected else 1.0 for score in scores]
            low = sum(one < LEAST for one in f1) / len(f1)
            row.append(f"{name}: F1 {100 * fmean(f1):.1f}, {100 * low:.0f} % below {100 * LEAST:.0f}")
        print(path.rpartition("/")[2], len(pages), *row, sep="; ")


if __name__ == "__main__":
    main()
