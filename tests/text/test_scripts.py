"""Archives of many scripts: sentence ends, digits and names of months of each, mined and cleaned as those in Latin are."""

from __future__ import annotations

import random
import re
from dataclasses import dataclass, replace
from itertools import accumulate

import numpy as np
import pytest

from templatemine.api import mine
from templatemine.cleaning.cleaner import Cleaner
from templatemine.config import CleanConfig, PipelineConfig
from templatemine.model import Document
from templatemine.packs.pack import Pack
from templatemine.text._scan import form_traits


@dataclass(frozen=True, kw_only=True)
class Tongue:
    """How sentences are made: of syllables, with an end, and blanks or not; lines of boilerplate; digits."""

    syllables: str
    end: str
    lines: tuple[str, ...]
    blank: str = " "
    digits: str = "0123456789"
    end_in_quotes: str = ""


YEAR = "%Y"
CLAUSE, SENTENCE, OWN, COLON, QUOTE, SMALL, BULLET = 1, 2, 4, 32, 128, 512, 1024
TONGUES = {
    "armenian": Tongue(
        syllables="բա գե դի զո թու լա խե կի հո նու",
        end="։",
        lines=(
            "Բաժանորդագրվեք մեր ալիքին և ստացեք վերջին լուրերը։",
            "© %Y Հյուսիսային աստղ։ Բոլոր իրավունքները պաշտպանված են։",
        ),
    ),
    "armenian, typed with a colon": Tongue(
        syllables="բա գե դի զո թու լա խե կի հո նու",
        end=":",
        lines=("Բաժանորդագրվեք մեր ալիքին և ստացեք վերջին լուրերը:",),
    ),
    "greek, asking": Tongue(
        syllables="βα γε δη ζο θυ λα με νι πο του",
        end=";",
        lines=("Θέλετε να μαθαίνετε πρώτοι τα νέα μας;", "© %Y Βόρειο Άστρο. Με επιφύλαξη παντός δικαιώματος."),
    ),
    "amharic": Tongue(
        syllables="ሀ ለ መ ሰ ረ ሸ ቀ በ ተ ነ",
        end="።",
        lines=("የቅርብ ጊዜ ዜናዎችን ለማግኘት የቴሌግራም ቻናላችንን ይቀላቀሉ።", "© %Y ሰሜን ኮከብ። መብቱ በሕግ የተጠበቀ ነው።"),
    ),
    "amharic of two word spaces": Tongue(
        syllables="ሀ ለ መ ሰ ረ ሸ ቀ በ ተ ነ",
        end="፡፡",
        lines=("የቅርብ ጊዜ ዜናዎችን ለማግኘት የቴሌግራም ቻናላችንን ይቀላቀሉ፡፡", "© %Y ሰሜን ኮከብ፡፡ መብቱ በሕግ የተጠበቀ ነው፡፡"),
    ),
    "burmese": Tongue(
        syllables="က ခ ဂ စ ဆ တ ထ န ပ မ",
        end="။",
        blank="",
        lines=("နောက်ဆုံးရသတင်းများကို ကျွန်ုပ်တို့၏ စာမျက်နှာတွင် ဖတ်ရှုပါ။", "© %Y မြောက်ကြယ်မီဒီယာ မူပိုင်ခွင့်အားလုံး"),
        digits="၀၁၂၃၄၅၆၇၈၉",
    ),
    "khmer": Tongue(
        syllables="ក ខ គ ច ឆ ត ថ ន ប ម",
        end="។",
        blank="",
        lines=("សូមតាមដានព័ត៌មានថ្មីៗប្រចាំថ្ងៃតាមទំព័ររបស់យើង។", "រក្សាសិទ្ធិគ្រប់យ៉ាង © %Y ផ្កាយជើងមេឌៀ"),
        digits="០១២៣៤៥៦៧៨៩",
    ),
    "thai": Tongue(
        syllables="กา ขี คู จิ ชา ตี นู ปา มี รา",
        end=" ",
        blank="",
        lines=("ติดตามข่าวสารล่าสุดได้ที่เฟซบุ๊กของเราทุกวัน", "© พ.ศ. %Y สงวนลิขสิทธิ์ บริษัท แสงเหนือ จำกัด"),
        digits="๐๑๒๓๔๕๖๗๘๙",
    ),
    "hindi": Tongue(
        syllables="का खी गु चे जा टी डू ता ने पी",
        end="।",
        lines=("ताज़ा खबरों के लिए हमारे चैनल से जुड़ें।", "कॉपीराइट © %Y उत्तरतारा मीडिया। सर्वाधिकार सुरक्षित।"),
        digits="०१२३४५६७८९",
    ),
    "japanese, spoken": Tongue(
        syllables="国会 人年 大十 二本 中長 出三 同時 政事 自行 社見",
        end="。",
        blank="",
        lines=("最新ニュースは北星新聞の公式アプリでご覧ください。", "Copyright © %Y 北星新聞社 無断転載を禁じます。"),
        digits="０１２３４５６７８９",
        end_in_quotes="」",
    ),
}


def archive(tongue: Tongue, documents: int = 150) -> list[tuple[Document, list[str]]]:
    """Articles of short paragraphs that repeat what they are about, and their boilerplate."""
    rng = random.Random(tongue.end + tongue.syllables)
    syllables = tongue.syllables.split()
    words = ["".join(rng.choices(syllables, k=rng.randint(2, 4))) for _ in range(2000)]
    weights = list(accumulate(1 / (place + 8) for place in range(len(words))))
    phrases = [tongue.blank.join(rng.choices(words, k=4)) for _ in range(12)]

    def sentence() -> str:
        own = rng.choices(words, cum_weights=weights, k=rng.randint(17, 22))
        if rng.random() < 0.4:
            own.insert(0, rng.choice(phrases))
        text = tongue.blank.join(own) + tongue.end
        return f"「{text}{tongue.end_in_quotes}" if tongue.end_in_quotes else text

    made = []
    for number in range(documents):
        year = str(2020 + number % 5).translate(str.maketrans("0123456789", tongue.digits))
        lines = [line.replace(YEAR, year) for line in tongue.lines]
        text = "\n\n".join([*(sentence().strip() for _ in range(5)), *lines])
        made.append((Document(source="s", id=str(number), text=text), lines))
    return made


@pytest.mark.parametrize("name", TONGUES)
def test_boilerplate_goes_and_prose_stays(name: str) -> None:
    made = archive(TONGUES[name])
    pack = mine([document for document, _ in made])["s"]
    native, regex = Cleaner(pack), Cleaner(pack, CleanConfig(engine="regex"))
    for place, (document, lines) in enumerate(made):
        cleaned = native.clean(document.body)
        assert cleaned.text.rstrip() == document.body[: document.body.index(lines[0])].rstrip()
        if place < 30:
            assert regex.clean(document.body) == cleaned
    # One year or another: it is a number in all digits.
    assert not [one for one in pack.templates if re.search(r"\d", " ".join(one.tokens or ()))]


@pytest.mark.parametrize(
    ("form", "traits"),
    [
        ("լուրերը։", SMALL | CLAUSE | SENTENCE),
        ("լուրերը:", SMALL | CLAUSE | SENTENCE | COLON),
        ("լուրերը»:", SMALL | CLAUSE | SENTENCE | COLON),
        ("νέα;", SMALL | CLAUSE | SENTENCE),
        ("νέα»;”", SMALL | CLAUSE | SENTENCE),
        ("news;", SMALL),
        ("news:", SMALL | CLAUSE | COLON),
        (":", CLAUSE | COLON),
        ("አለ፡፡", CLAUSE | SENTENCE),
        ("አለ፡", 0),
        ("៖", OWN | CLAUSE | COLON),
        ("፦", CLAUSE | COLON),
        ("။", OWN | CLAUSE | SENTENCE),
        ("wort.“", SMALL | CLAUSE | SENTENCE),
        ("wort“", SMALL | CLAUSE),
        ("■“", 0),
        ("”", CLAUSE | QUOTE),
        ("」", OWN | CLAUSE | QUOTE),
        ("】", OWN | CLAUSE),
        ("）", OWN | CLAUSE),
        ("|", CLAUSE | BULLET),
        ("•", BULLET),
        ("▶x", 0),
        ("๒", 0),
        ("ก", OWN),
    ],
)
def test_what_marks_say(form: str, traits: int) -> None:
    encoded = form.encode()
    assert form_traits(np.frombuffer(encoded, np.uint8), np.array([0, len(encoded)]))[0] == traits


@pytest.mark.parametrize(
    ("form", "code"),
    [
        *(
            (form, True)
            for form in (
                "x=1",
                "=",
                "==",
                "a==b",
                "{",
                "};",
                "call(x",
                "f(*args)",
                "_f(x)",
                "f()",
                "snake_case",
                "end);",
                "$",
            )
        ),
        *(
            (form, False)
            for form in (
                "===",
                "a===b",
                'WIDTH="5"',
                "(AP)",
                "London(AP)",
                "Text=",
                "x=",
                "DASH(",
                "_(new",
                "@snake_case",
                "_",
                "a_",
                "_a",
                "word;",
                "$a",
                "a$",
            )
        ),
    ],
)
def test_signs_of_programs(form: str, code: bool) -> None:
    encoded = form.encode()
    assert bool(form_traits(np.frombuffer(encoded, np.uint8), np.array([0, len(encoded)]))[0] & 64 > 0) == code


@pytest.mark.parametrize(
    ("form", "capital"),
    [
        *((form, True) for form in ("Word", "É", "Ждать", "“Word", "('A", "¿Qué")),
        *((form, False) for form in ("word", "語", "5A", "-A", "“word", "“", "", "'é", "ab'A")),
    ],
)
def test_capitals(form: str, capital: bool) -> None:
    encoded = form.encode()
    assert bool(form_traits(np.frombuffer(encoded, np.uint8), np.array([0, len(encoded)]))[0] & 256) == capital


def test_packs_whose_expressions_were_made_before_go_on() -> None:
    """Of an earlier version: without the rows that came later, and with what tokens were compiled to then."""
    made = archive(TONGUES["armenian"])
    pack = mine([document for document, _ in made], PipelineConfig(method="thesis"))["s"]
    later = {"number_world", "month_world", "weekday_world"}
    # Thai digits were letters of a script without spaces: its class stood at both edges of an expression.
    old = [
        replace(one, regex=one.regex.replace("\u0e00-\u0e4f\u0e5a-\u0ecf", "\u0e00-\u0ecf")) for one in pack.templates
    ]
    assert old != list(pack.templates)
    earlier = replace(
        pack, generator="templatemine 0.1.0", enabled=frozenset(pack.enabled - later), templates=tuple(old)
    )
    loaded = Pack.from_json(earlier.to_json())
    assert [one.regex for one in loaded.templates] == [one.regex for one in pack.templates]
    for document, _ in made[:20]:
        assert Cleaner(loaded).clean(document.body) == Cleaner(pack).clean(document.body)
