"""The one decoder of pages: what it makes of names, lies, bad bytes and sets that nobody names."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from io_support import gather, response
from templatemine.cleaning.page_records import GARBLED, RecordExtractor
from templatemine.io.charset import (
    BROKEN_PAGES as BROKEN,
)
from templatemine.io.charset import (
    GARBLED_TEXTS,
    decode_page,
    is_garbled,
)
from templatemine.io.charset import (
    GUESSED_CHARSETS as GUESSED,
)
from templatemine.io.charset import (
    WRONG_CHARSETS as WRONG,
)
from templatemine.io.pending import Items


def page_text(data: bytes) -> str:
    return decode_page(data)[0]


# ------------------------------------------------------------------------------------- pages of ../shared/cases/13-encodings

GERMAN = (
    "Räder im Wald stehen still",
    "Die Höhe der Windräder ärgert viele Bürger, sagte Frau Möß am Freitag. „Wir prüfen das“, erklärte der Förster später.",
    "Größere Schäden gab es nicht, obwohl der Sturm über Nacht sehr kräftig wehte – für 40 € Schaden.",
)
JAPANESE = (
    "港の渡し船、時刻を変更",
    "カロウ港の渡し船は月曜日から毎時十分に出発することになったと、港湾局が発表した。新しい浮き桟橋のためである。",
    "往復切符の値段はこれまでと同じ四百円のままで、子供は半額となる。利用者からは賛成の声が多い。",
)
CHINESE = (
    "渡輪時間表將會更改",
    "港務局宣布，由星期一起渡輪將於每小時十分開出，因為新的浮橋需要較長時間才能清空。",
    "來回票的票價維持四元不變，兒童半價。許多乘客表示支持這項安排，並希望班次能夠增加。",
)
SIMPLIFIED = (
    "渡轮时间表将会更改",
    "港务局宣布，从星期一起渡轮将于每小时十分开出，因为新的浮桥需要较长时间才能清空。",
    "港务局计划于明年春季拆除旧码头，工程需时六个月，镕基路将封闭。",
)
RUSSIAN = (
    "Паром меняет расписание",
    "Паром из Карроу с понедельника отправляется в десять минут каждого часа, сообщила администрация порта.",
    "Цена обратного билета не изменится, дети платят половину, и многие пассажиры этому рады.",
)
KOREAN = (
    "여객선 시간표가 바뀐다",
    "카로우 여객선은 월요일부터 매시 십 분에 출발한다고 항만 당국이 발표했다. 새 부잔교 때문이다.",
    "왕복 표 값은 그대로이며 어린이는 반값이다. 승객들은 대부분 찬성한다.",
)


def make_page(lines: tuple[str, ...], label: str = "") -> str:
    title, *paragraphs = lines
    meta = f'<meta charset="{label}">' if label else ""
    body = "".join(f"<p>{one}</p>\n" for one in paragraphs)
    return (
        f'<!DOCTYPE html>\n<html lang="en"><head>{meta}<title>{title} | Carrow Courier</title></head>\n'
        f"<body><nav><a href=/news>News</a></nav><article><h1>{title}</h1>{body}</article></body></html>"
    )


@pytest.mark.parametrize(
    ("lines", "codec", "label", "notes"),
    [
        (CHINESE, "big5", "Big5", []),
        (CHINESE, "big5", "", [GUESSED]),
        (CHINESE, "big5", "iso-8859-1", [WRONG]),
        (SIMPLIFIED, "gbk", "gb2312", []),
        (SIMPLIFIED, "gbk", "", [GUESSED]),
        (JAPANESE, "euc_jp", "x-euc-jp", []),
        (JAPANESE, "cp932", "Shift_JIS", []),
        (JAPANESE, "cp932", "utf-8", [WRONG]),
        (JAPANESE, "euc_jp", "", [GUESSED]),
        (KOREAN, "cp949", "", [GUESSED]),
        (RUSSIAN, "koi8-r", "koi8-r", []),
        (RUSSIAN, "cp1251", "", [GUESSED]),
        (RUSSIAN, "cp1251", "iso-8859-1", [WRONG]),
        (GERMAN, "cp1252", "iso-8859-1", []),
        (GERMAN, "cp1252", "utf-8", [WRONG]),
        (GERMAN, "cp1252", "", [GUESSED]),
        (GERMAN, "utf-8", "iso-8859-1", [WRONG]),
        (GERMAN, "utf-8", "", []),
        (GERMAN, "utf-16-le", "utf-16", []),
        (GERMAN, "utf-16", "utf-8", []),
    ],
)
@pytest.mark.parametrize("way", ["file", "table", "warc"])
def test_every_way_in_reads_a_page_alike(
    tmp_path: Path, lines: tuple[str, ...], codec: str, label: str, notes: list[str], way: str
) -> None:
    wanted = make_page(lines, label)
    data = wanted.encode(codec)
    assert decode_page(data) == (wanted, notes)
    if way == "file":
        path = tmp_path / "page.html"
        path.write_bytes(data)
    elif way == "table":
        pa = pytest.importorskip("pyarrow")
        parquet = pytest.importorskip("pyarrow.parquet")
        path = tmp_path / "pages.parquet"
        parquet.write_table(pa.table({"source": ["a"], "id": ["1"], "html": pa.array([data], pa.binary())}), path)
    else:
        for name in ("fastwarc", "resiliparse", "tldextract"):
            pytest.importorskip(name)
        path = tmp_path / "crawl.warc"
        path.write_bytes(response(body=data, headers=[("Content-Type", "text/html")]))
    (record,), errors, report = gather(path)
    assert record.document.html == wanted
    assert (errors, sorted(report.notes)) == ([], sorted(notes))


BAD_FOOTER = b"<footer>Copyright \xa9 2024 Carrow Courier</footer>"


@pytest.mark.parametrize(
    ("page", "bad"),
    [
        # Two characters of UTF-8 and one byte that is none.
        ("<meta charset=utf-8><p>The board’s plan was put off, and the café by the lock will close.</p>", BAD_FOOTER),
        (make_page(GERMAN, "utf-8"), BAD_FOOTER),
        (make_page(GERMAN, ""), BAD_FOOTER),
        (make_page(GERMAN, "utf-8"), "<div class=ad>Für Sie: Möbel günstig</div>".encode("cp1252")),
        (make_page(GERMAN, "utf-8"), f"<p>{GERMAN[2]}</p>".encode("cp1252")),
        (make_page(JAPANESE, "utf-8"), b"\xff"),
    ],
)
@pytest.mark.parametrize("header", ["", "utf-8"])
def test_utf8_with_bad_bytes_stays_utf8(page: str, bad: bytes, header: str) -> None:
    text, notes = decode_page(page.encode() + bad, header)
    assert text == page + bad.decode("utf-8", "replace")
    assert text.count("\ufffd") == sum(byte > 127 for byte in bad)
    assert notes == [BROKEN]


@pytest.mark.parametrize(("lines", "codec"), [(SIMPLIFIED, "gb18030"), (JAPANESE, "cp932"), (RUSSIAN, "cp1251")])
@pytest.mark.parametrize("label", ["", "its own"])
def test_a_page_that_ends_within_a_character(lines: tuple[str, ...], codec: str, label: str) -> None:
    page = make_page(lines, codec if label else "").removesuffix("</p>\n</article></body></html>").encode(codec)
    whole = page.decode(codec)
    text, _ = decode_page(page + b"\x81" * (codec != "cp1251"))
    assert text.rstrip("\ufffd") == whole


def test_labels_that_python_does_not_know() -> None:
    for label, lines, codec in (
        ("windows-949", KOREAN, "cp949"),
        ("ks_c_5601-1989", KOREAN, "cp949"),
        ("cn-big5", CHINESE, "big5"),
        ("x-x-big5", CHINESE, "big5"),
        ("windows-31j", JAPANESE, "cp932"),
        ("koi8", RUSSIAN, "koi8-r"),
        ("x-mac-cyrillic", RUSSIAN, "mac-cyrillic"),
    ):
        page = make_page(lines, label)
        assert decode_page(page.encode(codec)) == (page, [])


def test_the_header_outranks_the_meta() -> None:
    page = make_page(RUSSIAN, "koi8-r")
    assert decode_page(page.encode("cp1251"), "windows-1251") == (page, [])
    assert decode_page(page.encode("koi8-r"), "windows-1251") == (page, [WRONG])


def test_time_grows_with_the_page_alone() -> None:
    """A large page in a set that nobody names: a sample of it is looked at."""
    for page in (
        make_page((RUSSIAN[0], *RUSSIAN[1:] * 20_000)).encode("cp1251"),
        b"\xe0" * 5_000_000,
        b"<\xe0" * 900_000,
    ):
        start = time.process_time()
        decode_page(page)
        assert time.process_time() - start < 5


# -------------------------------------------------------------------------------------------------------- garbled before


@pytest.mark.parametrize("lines", [GERMAN, JAPANESE, RUSSIAN])
def test_texts_that_were_garbled_are_counted(tmp_path: Path, lines: tuple[str, ...]) -> None:
    text = "\n".join(lines)
    mojibake = "".join(
        bytes((byte,)).decode("cp1252") if byte not in (0x81, 0x8D, 0x8F, 0x90, 0x9D) else chr(byte)
        for byte in text.encode()
    )
    lost = text.encode("ascii", "replace").decode().replace("?", "\ufffd")
    assert [is_garbled(one) for one in (text, mojibake, lost)] == [False, True, True]
    path = tmp_path / "news.csv"
    rows = "".join(f'a,"{one}"\n' for one in (text, mojibake, lost))
    path.write_text("source,text\n" + rows, encoding="utf-8")
    records, errors, report = gather(path)
    assert (len(records), errors, report.notes) == (3, [], {GARBLED_TEXTS: 2})
    assert report.first_places == {GARBLED_TEXTS: records[1].where}


def test_pages_that_were_garbled_are_counted() -> None:
    text = "\n".join(GERMAN)
    made = (
        text,
        text.encode().decode("cp1252", "ignore"),
        text.encode("ascii", "replace").decode().replace("?", "\ufffd"),
    )
    extractor = RecordExtractor()
    pages = [("a", str(number), {"html": f"<p>{one}</p>"}) for number, one in enumerate(made)]
    assert b"".join(extractor.extract_batches([Items(pages)])).count(b"\n") == 3
    assert extractor.tally.notes[GARBLED] == 2


def test_what_looks_like_garbled_text() -> None:
    for text in (
        "A text with one hole \ufffd in four hundred characters. " * 8,
        "NÃO, disse ele. SÃO PAULO e MANHÃ: Â, Ã, É, Ê.",
        "Er sagte „Spaß“ und „Größe“, „Fuß“, „Maß“, „Gruß“, „Ã“.",
        "Ðetta er á íslensku, Ðað er gott, Ðá er það.",
    ):
        assert not is_garbled(text)


# ------------------------------------------------------------------------------------------------------------- the names


class TestHtmlEncoding:
    def test_utf8_comes_first(self) -> None:
        assert page_text('<meta charset="latin-1">é日'.encode()) == '<meta charset="latin-1">é日'
        assert page_text(b"\xef\xbb\xbf<p>") == "<p>"

    @pytest.mark.parametrize(
        ("label", "codec", "text"),
        [
            ("windows-1251", "cp1251", "Новости"),
            ("KOI8-R", "koi8-r", "Новости"),
            ("iso-8859-1", "cp1252", "café “quote”"),  # a browser reads Windows-1252 here
            ("us-ascii", "cp1252", "café"),
            ("iso-8859-2", "iso8859-2", "źródło"),
            ("windows-1256", "cp1256", "أخبار"),
            ("gb2312", "gb18030", "新闻 镕"),  # the last is in GBK only, as pages labelled gb2312 often are
            ("GBK", "gbk", "新闻"),
            ("big5", "big5hkscs", "新聞"),
            ("Shift_JIS", "cp932", "ニュース①"),
            ("x-sjis", "cp932", "ニュース"),
            ("euc-jp", "euc_jp", "ニュース"),
            ("euc-kr", "cp949", "뉴스"),
        ],
    )
    def test_charset_of_the_meta(self, label: str, codec: str, text: str) -> None:
        for meta in (
            f'<meta charset="{label}">',
            f"<META content='text/html; charset={label}' http-equiv=Content-Type>",
            f'<meta name="a" content="b"><meta http-equiv="Content-Type" content="text/html; charset = {label} "/>',
        ):
            assert page_text((meta + text).encode(codec)) == meta + text

    @pytest.mark.parametrize("label", ["nonsense", "rot13", "punycode", "idna", "hex", "unicode_escape", "undefined"])
    def test_unknown_labels(self, label: str) -> None:
        meta = f"<meta charset={label}>"
        assert page_text(meta.encode() + b"caf\xe9 \x93x\x94") == meta + "café “x”"

    def test_without_meta(self) -> None:
        assert page_text(b"caf\xe9 \x81") == "café \ufffd"

    def test_meta_is_looked_for_in_the_first_4096_bytes(self) -> None:
        page = b"<!--" + b" " * 5000 + b"--><meta charset=koi8-r>\xee"
        assert page_text(page).endswith("î")

    def test_a_byte_order_mark_outranks_the_meta(self) -> None:
        meta = "<meta charset=koi8-r>é"
        assert page_text(b"\xef\xbb\xbf" + meta.encode() + b"\xff") == meta + "\ufffd"

    @pytest.mark.parametrize("codec", ["utf-16-le", "utf-16-be"])
    def test_utf16_with_its_mark(self, codec: str) -> None:
        assert page_text("\ufeff<p>日".encode(codec)) == "<p>日"

    @pytest.mark.parametrize("codec", ["utf-16-le", "utf-16-be"])
    def test_utf16_without_its_mark(self, codec: str) -> None:
        page = "<p>Straße</p>"
        assert page_text(page.encode(codec)) == page
        assert page_text(page.encode()) == page

    def test_utf8_with_few_bad_bytes_stays_utf8_whatever_it_says(self) -> None:
        text = "日本語のページ" * 5
        for meta in ("", "<meta charset=iso-8859-1>"):
            assert page_text((meta + text).encode() + b"\xff") == meta + text + "\ufffd"

    def test_escapes_of_iso_2022(self) -> None:
        page = '<meta charset="iso-2022-jp"><p>東京の天気</p>'
        assert page_text(page.encode("iso2022_jp")) == page
        assert page_text(page.encode()) == page
        plain = "<p>\x1b[1m text"
        assert page_text(plain.encode()) == plain

    def test_the_xml_declaration_names_a_character_set(self) -> None:
        page = '<?xml version="1.0" encoding="koi8-r"?>\n<html><p>Новости'
        assert page_text(page.encode("koi8-r")) == page
        both = page.replace("<p>", "<meta charset=windows-1251><p>")
        assert page_text(both.encode("cp1251")) == both


GREEK = "<p>Η γρήγορη αλεπού πηδάει πάνω από τον σκύλο και φεύγει μακριά.</p>"


@pytest.mark.parametrize(
    ("header", "data", "text", "notes"),
    [
        ("utf-8", GREEK.encode(), GREEK, []),
        ("", GREEK.encode(), GREEK, []),
        ("iso-8859-1", GREEK.encode(), GREEK, [WRONG]),
        ("utf-8", b"\xef\xbb\xbf<p>", "<p>", []),
        ("windows-1253", GREEK.encode("cp1253"), GREEK, []),
        ("utf-8", GREEK.encode("cp1253"), GREEK, [WRONG]),
        ("", GREEK.encode("cp1253"), GREEK, [GUESSED]),
        ("", b"<meta charset=windows-1253>" + GREEK.encode("cp1253"), "<meta charset=windows-1253>" + GREEK, []),
        ("utf-16", GREEK.encode("utf-16"), GREEK, []),
        ("utf-16le", "<p>a</p>".encode("utf-16-le"), "<p>a</p>", []),
        ("iso-2022-jp", "<p>日本</p>".encode("iso2022_jp"), "<p>日本</p>", []),
        ("utf-8", GREEK.encode() + b"\xff", GREEK + "\ufffd", [BROKEN]),
        ("no-such-set", GREEK.encode(), GREEK, []),
        ("windows-1252", b"caf\xe9", "café", []),
        ("iso-8859-1", b"ascii", "ascii", []),
    ],
)
def test_character_sets(header: str, data: bytes, text: str, notes: list[str]) -> None:
    assert decode_page(data, header) == (text, notes)


@given(st.binary(max_size=300), st.sampled_from(["", "utf-8", "iso-8859-1", "shift_jis", "utf-16", "x", "\x00"]))
def test_no_bytes_are_refused(data: bytes, header: str) -> None:
    text, notes = decode_page(data, header)
    text.encode()
    assert set(notes) <= {WRONG, GUESSED, BROKEN}


@given(st.text(max_size=200))
def test_utf8_is_what_it_says(text: str) -> None:
    text = text.replace("\x1b", "").replace("\x00", "").replace("\ufeff", "")
    assert decode_page(text.encode(), "utf-8") == (text, [])
