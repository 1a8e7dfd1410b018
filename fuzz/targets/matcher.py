"""The automaton on any text: behind the sieve it finds what it finds without, and where the sieve said."""

from __future__ import annotations

from itertools import pairwise

from common.session import run
from strategies import USER_PATTERNS, make_pack, scan
from templatemine.packs.pack import Pack
from templatemine.text.expressions import SLOT_REACH
from templatemine.text.patterns import pattern_set

NEVER, ALWAYS = 0, 2
NEWS, THESIS = pattern_set("news"), pattern_set("thesis", (USER_PATTERNS["digits"],))
LINES = (
    "Sign up now", "Read more: 12", "By Jim Young", "© 2015 The Daily", "中国新闻网", "Contributing:", "a", "-30-", "12:30", "___",
    "http://x.org/a", "up now", "REUTERS/Jim", "May", "é été", "now -- Read", "２０ カ", "U.S. 5%", "a@b.org |",
)  # fmt: skip
ANCHORINGS = ((), ("line",), ("start", "end"), ("end/end", "", "start/start", "line"))


def edges(pack: Pack) -> list[int]:
    """By string, whether its matches reach to an edge of their line; such a one lies in a region with its string alone."""
    return [SLOT_REACH.get(template.slot, 0) for template in pack.templates if template.tokens is not None]


MATCHERS = tuple(
    (pack.make_matcher(NEVER)[0], pack.make_matcher(ALWAYS)[0], edges(pack))
    for patterns in (NEWS, THESIS)
    for anchors in ANCHORINGS
    for some in (LINES, LINES[:1], LINES[4:7])
    for pack in [make_pack([(scan(one, patterns, "-", False)[1], one) for one in some], patterns, "-", False, anchors)]
)


def one(data: bytes) -> None:
    plain, sieved, reach = MATCHERS[data[0] % len(MATCHERS) if data else 0]
    # Lone surrogates stand for what is no UTF-8, of which is promised that nothing is read that is not there.
    text = data[1:].decode("utf-8", "surrogateescape").encode("utf-8", "surrogatepass")
    if text != data[1:]:
        plain.find(data[1:]), sieved.find(data[1:])
    starts, ends, strings = plain.find(text)
    for found, same in zip((starts, ends, strings), sieved.find(text), strict=True):
        assert found.tobytes() == same.tobytes()
    if len(starts):
        regions = sieved.regions(text)
        assert all(a[1] < b[0] for a, b in pairwise(regions))
        for start, end, string in zip(starts.tolist(), ends.tolist(), strings.tolist(), strict=True):
            assert 0 <= start < end <= len(text)
            assert any((a <= start and end <= b) or (reach[string] and a < end and start < b) for a, b in regions)


if __name__ == "__main__":
    run(one)
