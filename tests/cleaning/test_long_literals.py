"""Expressions with long literals: `regex` prepares for one in the cube of its length, which no time limit sees.

Tokens as long are searched for in parts; those by hand and users' patterns are for RE2, which takes any.
"""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest

from strategies import make_pack, scan
from templatemine.cleaning.cleaner import Cleaner
from templatemine.config import CleanConfig
from templatemine.errors import PackError
from templatemine.packs.pack import Pack
from templatemine.text.expressions import MAX_LITERAL
from templatemine.text.patterns import pattern_set


@pytest.mark.parametrize("size", [MAX_LITERAL, MAX_LITERAL + 1, 3 * MAX_LITERAL, 20_000])
def test_long_tokens_are_cut_alike_by_both_engines(tmp_path: Path, size: int) -> None:
    token = "ab." * (size // 3) + "x" * (size % 3)
    text = f"Read {token} now"
    patterns = pattern_set("news")
    pack = make_pack([(scan(text, patterns, "-", False)[1], text)], patterns, "-", False)
    pack.save(tmp_path / "p.json")
    article = f"A story.\n{text}\nRead {token}a now\n{text[:-5]}\nThe end."
    start = time.process_time()
    pack = Pack.load(tmp_path / "p.json")
    spans = [Cleaner(pack, CleanConfig(engine=engine)).spans(article) for engine in ("native", "regex")]
    assert time.process_time() - start < 4
    assert spans[0] == spans[1]
    assert [article[one.start : one.end] for one in spans[0]] == [text]


def test_a_pack_of_another_version_with_a_long_token(tmp_path: Path) -> None:
    """Its expression is made of its tokens again, as those of others are; one that an edit made long is refused."""
    text = "Read " + "ab." * 200 + " now"
    patterns = pattern_set("news")
    pack = make_pack([(scan(text, patterns, "-", False)[1], text)], patterns, "-", False)
    data = json.loads(pack.to_json())
    data["generator"] = "templatemine 0.0.1"
    (row,) = data["templates"]
    own = row["regex"]
    row["regex"] = own.replace("now", "(?:now)")
    loaded = Pack.from_json(json.dumps(data), where="p.json")
    assert loaded.templates[0].regex == pack.templates[0].regex
    row["tokens"] = ["Read", "now"]
    with pytest.raises(PackError, match="does not match its own example"):
        Pack.from_json(json.dumps(data), where="p.json")
