"""The bytes of a page -> its text: one decoder for files, tables, archives of crawls and pages from the network.

The character set is that of the mark at the front, else UTF-8 if the page is that (other sets hardly ever look like
it), else what the header, the ``<meta>`` or the XML declaration name, else what charset-normalizer makes of the text.
A name that the text contradicts is not believed.  A page is never refused for it: what fits nowhere becomes U+FFFD, and
is reported.

On 725 articles of the publishers at hand, written in the sets of their languages without a name, the choice made here
reads 98 % as they were (all that are not Latin, all of Windows-1252), resiliparse's detector 83 % of 688 of them (none
in Korean, a quarter of those in Big5).
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from templatemine.io.files import Report

WRONG_CHARSETS = "pages in another character set than they say"
GUESSED_CHARSETS = "pages that name no character set, so that it was guessed"
BROKEN_PAGES = "pages with bytes that no character set explains"
GARBLED_TEXTS = "articles garbled by a wrong character set, as they came"

# ----------------------------------------------------------------------------------------------------------- the names

_META_CHARSET = re.compile(rb"<meta\b[^>]{0,1000}?\bcharset\s*=\s*[\"']?\s*([A-Za-z0-9_.:\-]{1,40})", re.IGNORECASE)
_META_BYTES = 4096
_XML = re.compile(rb"\s*<\?xml\b[^<>]{0,200}?\bencoding\s*=\s*[\"']([A-Za-z0-9_.:\-]{1,40})[\"']")

_CODECS = {
    # What browsers understand by a label (WHATWG Encoding Standard, section 4.2) where Python's codec is narrower.
    "ascii": "cp1252",
    "iso8859-1": "cp1252",
    "iso8859-9": "cp1254",
    "iso8859-11": "cp874",
    "tis-620": "cp874",
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "big5": "big5hkscs",
    "shift_jis": "cp932",
    "euc_kr": "cp949",
    # A page whose meta could be read byte by byte is not UTF-16, whatever it says (same standard, HTML section 13.2.3).
    "utf-16": "utf-8",
    "utf-16-le": "utf-8",
    "utf-16-be": "utf-8",
    # Codecs taken as they are.  It is a list because Python knows more than character sets, some of them very slow.
    **{name: name for name in ("utf-8", "gb18030", "big5hkscs", "cp932", "cp949", "euc_jp", "iso2022_jp")},
    **{name: name for name in ("koi8-r", "koi8-u", "cp866", "mac-roman", "mac-cyrillic", "cp874")},
    **{f"cp{page}": f"cp{page}" for page in range(1250, 1259)},
    **{f"iso8859-{part}": f"iso8859-{part}" for part in (2, 3, 4, 5, 6, 7, 8, 10, 13, 14, 15, 16)},
}
"""Python's name of a codec -> the codec to use."""

_LABELS = {
    label: codec
    for codec, labels in {
        "utf-8": "unicode-1-1-utf-8 unicode11utf8 unicode20utf8 unicode ucs-2 iso-10646-ucs-2",
        "iso8859-2": "iso88592",
        "iso8859-6": "csiso88596e csiso88596i iso-8859-6-e iso-8859-6-i",
        "iso8859-7": "sun_eu_greek",
        "iso8859-8": "csiso88598e csiso88598i iso-8859-8-e iso-8859-8-i visual logical",
        "iso8859-13": "iso885913",
        "iso8859-15": "csisolatin9 iso885915",
        "koi8-r": "koi koi8",
        "koi8-u": "koi8-ru",
        "mac-roman": "csmacintosh mac",
        "mac-cyrillic": "mac-ukrainian",
        "cp874": "dos-874 windows-874",
        "gb18030": "csgb2312 gb_2312 gb_2312-80",
        "big5hkscs": "cn-big5 x-big5",
        "euc_jp": "cseucpkdfmtjapanese",
        "cp932": "windows-31j",
        "cp949": "cseuckr csksc56011987 iso-ir-149 ks_c_5601-1989 ksc_5601 windows-949",
    }.items()
    for label in labels.split()
}
"""Labels of the WHATWG Encoding Standard that Python has no codec under, without ``x-`` in front."""


def _declared_codecs(data: bytes, header: str) -> Iterator[str]:
    """Yield the codecs of the labels that are known: of the header, the ``<meta>``, the XML declaration."""
    labels = [header.encode("ascii", "ignore")]
    labels += [match[1] for match in (_META_CHARSET.search(data[:_META_BYTES]), _XML.match(data)) if match]
    for label in labels:
        name = label.decode("ascii").strip(" \t\r\n\"'").lower().removeprefix("x-")
        codec = _LABELS.get(name)
        if codec is None and name:
            try:
                codec = _CODECS.get(codecs.lookup(name).name)
            except (LookupError, ValueError):  # a NUL in the header
                continue
        if codec is not None:
            yield codec


# ---------------------------------------------------------------------------------------------------------- the decoder

_MARKS = {codecs.BOM_UTF8: "utf-8", codecs.BOM_UTF16_LE: "utf-16-le", codecs.BOM_UTF16_BE: "utf-16-be"}
"""Byte order marks and their codecs."""
_UTF16_STARTS = {b"<\0": "utf-16-le", b"\0<": "utf-16-be"}
"""Beginnings of UTF-16 without a mark; read as UTF-8 it would be all zeros and letters, and valid."""
_ISO_2022 = re.compile(rb"\x1b\$[@B]")
"""Change of ISO-2022-JP to two bytes a character."""

_MAX_BROKEN_SHARE = 0.1
"""A text of which no more than this share of what is not ASCII is broken, is of that set with a few bad bytes."""
_MAX_BROKEN_SHARE_NAMED = 0.5
"""The same of UTF-8 in pages that say they are.  Of the articles above in other sets, at most a third of what is not
ASCII was valid UTF-8 (EUC-JP; 0.26 in GB18030)."""


def decode_page(data: bytes, header: str = "") -> tuple[str, list[str]]:
    """Return the text of a page, without a mark at the front, and notes about it.

    Parameters
    ----------
    header : str
        The character set that the header of HTTP names; empty if there is none.

    Returns
    -------
    text : str
        U+FFFD stands for bytes that its character set lacks, as in a browser.
    notes : list of str
        `WRONG_CHARSETS`, `GUESSED_CHARSETS`, `BROKEN_PAGES`, where it is so.
    """
    for mark, codec in (_MARKS | _UTF16_STARTS).items():
        if data.startswith(mark):
            text, broken = _decode(data.removeprefix(mark) if mark in _MARKS else data, codec)
            return text, [BROKEN_PAGES] * (broken > 0)
    named = list(_declared_codecs(data, header))
    codec = _find_codec(data, named)
    text, broken = _decode(data, codec)
    notes = []
    if named and codec != named[0] and not text.isascii():
        notes.append(WRONG_CHARSETS)
    elif not named and codec != "utf-8" and not broken:
        notes.append(GUESSED_CHARSETS)
    return text.removeprefix("\ufeff"), notes + [BROKEN_PAGES] * (broken > 0)


def _decode(data: bytes, codec: str) -> tuple[str, float]:
    """Return the text, and the share of broken characters among those that are not ASCII."""
    try:
        return data.decode(codec), 0.0
    except UnicodeDecodeError:
        text = data.decode(codec, "replace")
    return text, text.count("\ufffd") / max(1, len(text) - len(text.encode("ascii", "ignore")))


def _find_codec(data: bytes, named: list[str]) -> str:
    """Return the character set of a page without a mark; `named` are those that it names, the first that counts
    most."""
    if _ISO_2022.search(data) and _decode(data, "iso2022_jp")[1] == 0:
        return "iso2022_jp"
    if _decode(data, "utf-8")[1] <= (_MAX_BROKEN_SHARE_NAMED if "utf-8" in named else _MAX_BROKEN_SHARE):
        return "utf-8"
    sample = _sample(data)
    scores = _score_codecs(sample, _CANDIDATES)
    best = max(scores, key=scores.__getitem__, default=_DEFAULT)
    for codec in named:
        if codec in ("utf-8", "iso2022_jp") or _decode(data, codec)[1] > _MAX_BROKEN_SHARE:
            continue
        # Without the bytes that it cannot hold, for they would count as if nothing of it were right.
        whole = sample.decode(codec, "ignore").encode(codec, "ignore")
        if not scores or _score_codecs(whole, (codec,)).get(codec, -1.0) >= scores[best] - _MAX_DOUBT:
            return codec
    return best


# ------------------------------------------------------------------------------------------------------------ the guess

_DEFAULT = "cp1252"
_CANDIDATES = (
    *("cp1252", "cp1250", "iso8859-2", "cp1251", "koi8-r", "cp866", "iso8859-5", "cp1253", "iso8859-7", "cp1254"),
    *("cp1255", "cp1256", "cp1258", "cp874", "gb18030", "big5hkscs", "cp932", "euc_jp", "cp949"),
)
"""Character sets that pages were written in before UTF-8; with all that Python knows, 82 % of the articles are right.
Left out is Windows-1257, which 22 articles in French and English would be taken for."""

_MIN_EVIDENCE = 8
"""Bytes beyond ASCII that tell a character set; fewer are signs such as (c), in Windows-1252."""
_MAX_SAMPLE = 1 << 15

_COHERENCE_WEIGHT = 0.2
_DEFAULT_BONUS = 0.002
"""Weights of the library's two measures: the letters of a language (coherence) a fifth of the disorder (chaos), and
between equals Windows-1252: 710 of the 725 articles; disorder alone is right about 50 fewer."""
_MAX_DOUBT = 0.1
"""A set that is named stays if no other is better by more: none of 725 right names was changed then, and all 232 pages
in other scripts that said Latin 1 were found out."""
_MAX_CHAOS = 0.6

_TAG = re.compile(rb"<(?:script|style)\b.{0,100000}?</(?:script|style)|<[^<>]*>", re.IGNORECASE | re.DOTALL)
_PIECE = re.compile(rb"[^<>\r\n]*[\x80-\xff][^<>\r\n]*")


def _sample(data: bytes) -> bytes:
    """Sample text around characters beyond ASCII; no set here has ``<`` or ``>`` as a part of one."""
    text = _TAG.sub(b"\n", data[: _MAX_SAMPLE * 32])
    pieces: list[bytes] = []
    size = 0
    for match in _PIECE.finditer(text):
        piece = match[0]
        # The end of the page, or of this sample, may be within a character; so it goes up to the last blank.
        if match.end() == len(text) or size + len(piece) > _MAX_SAMPLE:
            head, _, tail = piece[: _MAX_SAMPLE - size].rpartition(b" ")
            piece = head or (b"" if pieces else tail)
        pieces.append(piece)
        size += len(piece)
        if size >= _MAX_SAMPLE:
            break
    return b"\n".join(pieces)


def _score_codecs(sample: bytes, candidates: Iterable[str]) -> dict[str, float]:
    """Return the character sets that a text can be in, with how much it looks like one; none where too little
    speaks."""
    if len(sample.translate(None, _ASCII)) < _MIN_EVIDENCE:
        return {}
    from charset_normalizer import from_bytes  # here, for most pages are in UTF-8

    wanted = {codec.replace("-", "_"): codec for codec in candidates}
    scores: dict[str, float] = {}
    found: Any = from_bytes(sample, cp_isolation=list(wanted), threshold=_MAX_CHAOS, enable_fallback=False)
    for match in found:
        for name in match.could_be_from_charset:
            codec = wanted.get(name)
            if codec is not None:
                bonus = _DEFAULT_BONUS if codec == _DEFAULT else 0.0
                scores[codec] = _COHERENCE_WEIGHT * match.coherence - match.chaos + bonus
    return scores


_ASCII = bytes(range(128))

# ------------------------------------------------------------------------------------------------------- garbled before

_MAX_LOST_SHARE = 0.02
"""One character of fifty lost (U+FFFD): every second or third word has a hole."""
_MIN_MOJIBAKE, _MOJIBAKE_SHARE = 5, 0.8
_NOT_ASCII = re.compile(r"[^\x00-\x7f]+")


def is_garbled(text: str) -> bool:
    """Return whether a text was garbled before it came here: full of U+FFFD, or UTF-8 that was read as Windows-1252.

    >>> is_garbled("GrÃ¶ÃŸere SchÃ¤den, sagte der FÃ¶rster, gab es fÃ¼r BÃ¼rger nicht")
    True
    """
    if text.isascii():
        return False
    if "\ufffd" in text and text.count("\ufffd") > _MAX_LOST_SHARE * len(text):
        return True
    # One of these is in whatever was UTF-8 and was read as Windows-1252: Latin, Cyrillic, punctuation, Japanese.
    # To look for one character takes a fifth of the time.
    if not (
        ("Ã" in text or "Â" in text or "Ð" in text)
        or ("â" in text and "â€" in text)
        or ("ã" in text and ("ã\x81" in text or "ã€" in text))
    ):
        return False
    runs = _NOT_ASCII.findall(text)
    meant = [(_count_meant(run), len(run)) for run in runs]
    wrong = sum(length for number, length in meant if number)
    return sum(number for number, _ in meant) >= _MIN_MOJIBAKE and wrong >= _MOJIBAKE_SHARE * sum(map(len, runs))


def _count_meant(run: str) -> int:
    """Count the characters of a run that was UTF-8; 0 if it was not."""
    try:
        data = b"".join(
            char.encode("latin-1") if "\x80" <= char <= "\x9f" else char.encode("cp1252")  # its five gaps
            for char in run
        )
        return len(data.decode())
    except UnicodeError:
        return 0


def note_all(report: Report, notes: Iterable[str]) -> None:
    """Count notes about a page."""
    for note in notes:
        report.note(note)
