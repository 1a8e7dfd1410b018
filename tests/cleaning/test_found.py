"""What bylines and datelines say: names, agency, place and time, whatever is cut."""

from __future__ import annotations

from dataclasses import replace

import orjson
import pytest

from strategies import make_pack
from templatemine.cleaning.found import MetadataFinder, read_byline, read_dateline
from templatemine.cleaning.records import RecordCleaner, RecordConfig
from templatemine.config import CleanConfig
from templatemine.io.pending import Items
from templatemine.kinds import choose
from templatemine.packs.pack import Pack
from templatemine.text.patterns import pattern_set

STRINGS = (
    ("By", "end/start", "byline"),
    ("Autor:", "end/start", "byline"),
    ("| Tide Desk", "start/end", "byline"),
    ("(Reuters) -", "start/end", "dateline"),
    ("Updated:", "end/start", "dateline"),
    ("Sign up", "end/start", "promotion"),
)


def pack() -> Pack:
    patterns = pattern_set("news")
    rows = [
        ([word.encode() for word in text.replace(" -", "").split()], text.replace(" -", "")) for text, _, _ in STRINGS
    ]
    made = make_pack(rows, patterns, "-", False, [anchor for _, anchor, _ in STRINGS])
    kinds = {f"t{place}": kind for place, (_, _, kind) in enumerate(STRINGS)}
    return replace(made, templates=tuple(replace(one, kind=kinds[one.id[:2]]) for one in made.templates))


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("By Ines Harper and Odette Joshi\nThe story.", {"byline": ["Ines Harper", "Odette Joshi"]}),
        ("The story.\nAutor: Jana Nová", {"byline": ["Jana Nová"]}),
        ("Ann Doe | Tide Desk\nThe story.", {"byline": ["Ann Doe"]}),
        ("By\tIda B. Wells", {"byline": ["Ida B. Wells"]}),
        ("BRIDGEBRIDGE, March 3 (Reuters)\nThe story.", {"agency": "Reuters", "place": "BRIDGEBRIDGE"}),
        ("Updated: 5 March 2024\nThe story.", {"updated": "2024-03-05"}),
        ("Sign up Ann Doe\nThe story.", {}),
        ("The story, By Nature, ends.", {}),
    ],
)
def test_what_is_found(text: str, found: dict[str, object]) -> None:
    assert MetadataFinder(pack()).find(text) == found


def fixed(text: str, df: int, documents: int = 10, kind: str = "byline") -> Pack:
    """A pack with one string without a slot."""
    made = make_pack([([word.encode() for word in text.split()], text)], pattern_set("news"), "-", False)
    return replace(made, documents=documents, templates=(replace(made.templates[0], kind=kind, df=df),))


def test_a_line_of_most_articles_names_nobody() -> None:
    assert MetadataFinder(fixed("Ann Doe", 3)).find("Ann Doe\nThe story.") == {"byline": ["Ann Doe"]}
    assert MetadataFinder(fixed("Story Continued Below", 9)).find("Story Continued Below\nThe story.") == {}
    assert (read_byline("Ann Doe", label=True), read_byline("記者 林美", label=True)) == ((), ("林美",))


def test_names_stand_beside_a_label_on_its_line() -> None:
    by = fixed("By", 9)
    assert MetadataFinder(by).find("By Ann Doe\nThe story.") == {"byline": ["Ann Doe"]}
    assert MetadataFinder(by).find("By the time he came Ann Doe had left, and nobody knew of it any more.") == {}
    place = fixed("(AFP)", 9, kind="dateline")
    assert MetadataFinder(place).find("New York (AFP) The story.") == {"agency": "AFP", "place": "New York"}
    assert MetadataFinder(place).find("It is said (AFP) that it is.") == {"agency": "AFP"}


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Fox News' Lukas Minor, Jeff Rubin and Adam Shaw contributed to this report.", ["Lukas Minor", "Jeff Rubin", "Adam Shaw"]),
        ("reportage de la photojournaliste Anne Goff.", ["Anne Goff"]),
        ("and Ines van der Harper", ["Ines van der Harper"]),
        ("The Associated Press contributed to this report.", []),
        ("This report contains material", []),
        ("Ann Doe's favourite gear", []),
        ("Stay connected", []),
        ("Instagram", []),
        ("【記者駱亞／綜合報導】", ["駱亞"]),
        ("見習記者 侯慧静 赵婉婷", ["侯慧静", "赵婉婷"]),
        ("記事執筆：memn0ck", ["memn0ck"]),
        ("홍길동 기자", ["홍길동"]),
        ("相关论文信息：", []),
    ],
)  # fmt: skip
def test_names_of_bylines(text: str, names: list[str]) -> None:
    assert [*read_byline(text)] == names


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("WASHINGTON (Reuters) -", {"agency": "Reuters", "place": "WASHINGTON"}),
        ("NEW YORK/CHICAGO (Reuters) -", {"agency": "Reuters", "place": "NEW YORK"}),
        ("Door County, Wis. (AP) -", {"agency": "AP", "place": "Door County"}),
        ("Di Linh (AFP) -", {"agency": "AFP", "place": "Di Linh"}),
        ("Von Anna Kern, Berlin", {}),
        ("PAZARTESİ, 12 Mart 2018", {"updated": "2018-03-12"}),
        ("Sábado, 3 de marzo de 2018", {"updated": "2018-03-03"}),
        ("ΔΕΥΤΕΡΑ, 3 Μαρτίου 2018", {"updated": "2018-03-03"}),
        ("JAKARTA, KOMPAS.com -", {"place": "JAKARTA"}),
        ("Liputan6.com, Jakarta -", {"place": "Jakarta"}),
        ("KOMPAS.com -", {}),
        ("(afp/nxp)", {"agency": "afp"}),
        ("(CNN) --", {}),
        ("Published – May 21, 2026 03:13 pm", {"updated": "2026-05-21"}),
        ("Updated: 5 March 2024", {"updated": "2024-03-05"}),
        ("a line of prose, with a comma", {}),
        ("ANALYSE -", {}),
        ("LIVE UPDATES |", {}),
        ("Levent YENİGÜN / ANKARA, (DHA)", {"agency": "DHA", "place": "ANKARA"}),
        ("Fri, 27 Nov 2020 13:35:56 GMT", {"updated": "2020-11-27"}),
        ("Segunda-feira, 12 de março de 2018.", {"updated": "2018-03-12"}),
        ("SUN VALLEY, Idaho —", {"place": "SUN VALLEY"}),
    ],
)
def test_what_datelines_say(text: str, found: dict[str, str]) -> None:
    assert read_dateline(text) == found


def heads(source: str, *rows: tuple[str, int]) -> MetadataFinder:
    """Of a source whose lines begin with these, in so many documents."""
    forms = [([word.encode() for word in text.split()], text) for text, _ in rows]
    made = make_pack(forms, pattern_set("news"), "-", False, ["start"] * len(rows))
    dfs = dict(rows)
    templates = tuple(replace(one, kind="dateline", df=dfs[one.example]) for one in made.templates)
    return MetadataFinder(replace(made, source=source, documents=100, templates=templates))


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("BEACONVOX - A story.", None),
        ("INFO LE BEACON - A story.", None),
        ("LE PHARE - A story.", None),  # where most heads are rubrics, so may this be
        ("ROME (Reuters) A story.", "ROME"),
    ],
)
def test_rubrics_are_no_places(text: str, place: str | None) -> None:
    """As FIGAROVOX, INFO LE FIGARO and LE SCAN ÉCO of lefigaro.fr."""
    finder = heads(
        "www.lebeacon.example", ("BEACONVOX", 7), ("INFO LE BEACON", 4), ("LE PHARE", 3), ("ROME (Reuters)", 2)
    )
    assert finder.find(text).get("place") == place
    assert (
        heads("tide.example", ("WASHINGTON", 9), ("TIDE EXTRA", 4)).find("WASHINGTON - A story.")["place"]
        == "WASHINGTON"
    )


@pytest.mark.parametrize(
    ("string", "anchor", "text", "place"),
    [
        ("Key Facts -", "start/start", "Defense Key Facts - A story.", None),
        ("Key Facts -", "start/start", "Key Facts - A story.", None),
        ("(Tide) -", "start/start", "ROME (Tide) - A story.", "ROME"),
        ("Today, I'm discussing:", "start", "Today, I'm discussing:\nA story.", None),
        ("Energy, Lead, News", "start", "Energy, Lead, News\nA story.", None),
        ("Ann Doe/AP", "", "Ann Doe/AP\nThe story.", None),
        ("Ann Doe (Ann Roe/AP)", "", "Ann Doe (Ann Roe/AP)\nThe story.", None),
        ("ROME (AP)", "", "ROME (AP)\nThe story.", "ROME"),
        ("ROME,", "", "ROME, A story.", "ROME"),
        ("Defense · Rome -", "", "Defense · Rome - A story.", None),
        ("Par Ann Doe -", "", "Par Ann Doe - A story.", None),
    ],
)
def test_a_place_leads_into_its_story(string: str, anchor: str, text: str, place: str | None) -> None:
    """Labels of sections, persons in credits and words of lists were taken for places."""
    words = [word.encode() for word in string.replace(" -", "").split()]
    made = make_pack([(words, string)], pattern_set("news"), "-", False, [anchor])
    templates = tuple(replace(one, kind="dateline", df=3) for one in made.templates)
    assert MetadataFinder(replace(made, documents=10, templates=templates)).find(text).get("place") == place


STORY = "The mayor opened the bridge. " * 100
OTHERS = "\nWhy bridges fall, and when they will\nBy Odette Joshi\nA longer way to the city for months\nBy Jana Nová"


@pytest.mark.parametrize(
    ("text", "byline"),
    [
        (f"By Ines Harper\n{STORY}", ["Ines Harper"]),
        (f"{STORY}\nBy Ines Harper", ["Ines Harper"]),
        (f"{STORY}\nBy Ines Harper\nBy Odette Joshi", ["Ines Harper", "Odette Joshi"]),
        (f"{STORY}\nBy Ines Harper\n{STORY}", None),
        (f"By Ines Harper\n{STORY}{OTHERS}", ["Ines Harper"]),
        (f"{STORY}{OTHERS}{OTHERS}", None),
        (f"By Ines Harper\n{STORY}\nBy Odette Joshi at o.joshi@tide.example", ["Ines Harper"]),
        (f"By Ines Harper, Bridgebridge\n{STORY}", ["Ines Harper"]),
        (f"By Tide News\n{STORY}", None),
        (f"By Tide News, Bridgebridge\n{STORY}", None),
    ],
)
def test_persons_are_those_of_the_article(text: str, byline: list[str] | None) -> None:
    """Not those of other articles, of outlets, of places or to write to."""
    assert MetadataFinder(pack()).find(text).get("byline") == byline


@pytest.mark.parametrize("kind", ["byline", "dateline"])
def test_the_credit_of_a_picture_names_no_agency_of_the_article(kind: str) -> None:
    finder = MetadataFinder(fixed("Reuters)", 2, kind=kind))
    assert "agency" not in finder.find("The bridge, on Monday. (Ann Doe/Reuters)\nThe story.")
    assert finder.find("(Tide/Reuters)\nThe story.")["agency"] == "Reuters"


@pytest.mark.parametrize("words", ["Next Previous", "Share Tweet", "Facebook", "Share\nTweet"])
def test_what_a_page_is_worked_with_is_no_place(words: str) -> None:
    assert "place" not in read_dateline(f"{words} - 5 March 2024")
    assert "place" not in read_dateline(f"{words}, 5 March 2024 (Reuters)")


@pytest.mark.parametrize("policy", ["llm", "reader", "archive"])
def test_records_have_it_whatever_is_cut(policy: str) -> None:
    fields = {"source": "a", "text": "By Ines Harper\nThe story.\nSign up now"}
    cleaner = RecordCleaner({"a": pack()}, RecordConfig(clean=CleanConfig(choice=choose(policy)), found=True))
    batch = cleaner.clean_batch(Items([("a", "f:1", fields)]))
    written = orjson.loads(batch.data)
    assert written["found"] == {"byline": ["Ines Harper"]}
    assert ("By Ines Harper" in written["text"]) == (policy != "llm")
    counts = batch.tally.total()
    assert (counts.with_found, counts.found) == (1, {"byline": 1})
