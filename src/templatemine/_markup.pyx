"""What the scanner of blocks knows of mark-up: the table of tags, what style hides, characters by their number."""

from libc.stdint cimport int64_t, uint8_t, uint32_t

from templatemine._chars cimport same_letters

__all__ = ["FLAGS", "TAGS"]


# ======================================================================================================================
# Tags
# ======================================================================================================================

TAGS = (
    ("?", 0), ("html", BLOCK), ("head", BLOCK), ("body", BLOCK), ("title", RAW), ("a", 0), ("p", BLOCK),
    ("br", BLOCK | VOID), ("li", BLOCK), ("ul", BLOCK), ("ol", BLOCK), ("dt", BLOCK), ("dd", BLOCK), ("dl", BLOCK),
    ("td", BLOCK | WALL), ("th", BLOCK | WALL), ("tr", BLOCK), ("tbody", BLOCK), ("thead", BLOCK), ("tfoot", BLOCK),
    ("table", BLOCK | WALL), ("caption", BLOCK | WALL), ("pre", BLOCK), ("img", VOID), ("script", RAW), ("style", RAW),
    ("h1", BLOCK | HEADING), ("h2", BLOCK | HEADING), ("h3", BLOCK | HEADING), ("h4", BLOCK | HEADING),
    ("h5", BLOCK | HEADING), ("h6", BLOCK | HEADING), ("div", BLOCK), ("article", BLOCK), ("main", BLOCK),
    ("section", BLOCK), ("nav", BLOCK), ("aside", BLOCK), ("header", BLOCK), ("footer", BLOCK), ("form", BLOCK),
    ("figure", BLOCK), ("figcaption", BLOCK), ("blockquote", BLOCK), ("center", BLOCK), ("address", BLOCK),
    ("fieldset", BLOCK), ("details", BLOCK), ("summary", BLOCK), ("hr", BLOCK | VOID), ("noscript", BLOCK),
    ("legend", BLOCK), ("dir", BLOCK), ("menu", BLOCK), ("hgroup", BLOCK), ("search", BLOCK), ("dialog", BLOCK),
    ("listing", BLOCK), ("frameset", BLOCK), ("colgroup", BLOCK),
    ("span", 0), ("label", 0), ("button", WALL), ("time", 0), ("cite", 0), ("q", 0), ("abbr", 0), ("code", 0),
    ("b", FORMAT | STRONG), ("strong", FORMAT | STRONG), ("i", FORMAT | STRONG), ("em", FORMAT | STRONG),
    ("u", FORMAT | STRONG), ("font", FORMAT), ("small", FORMAT), ("big", FORMAT), ("tt", FORMAT), ("sup", FORMAT),
    ("sub", FORMAT), ("s", FORMAT), ("strike", FORMAT), ("nobr", FORMAT), ("wbr", VOID | FORMAT), ("ins", FORMAT),
    ("del", FORMAT), ("mark", FORMAT),
    ("input", VOID), ("meta", VOID), ("link", VOID), ("base", VOID), ("area", VOID), ("col", VOID), ("embed", VOID),
    ("param", VOID), ("source", VOID), ("track", VOID), ("frame", VOID), ("basefont", VOID), ("spacer", VOID),
    ("textarea", RAW), ("iframe", RAW), ("noembed", RAW), ("noframes", RAW), ("xmp", RAW),
    ("select", MUTE | BREAKOUT), ("svg", MUTE | BREAKOUT), ("object", MUTE | BREAKOUT), ("video", MUTE | BREAKOUT),
    ("audio", MUTE | BREAKOUT), ("canvas", MUTE | BREAKOUT), ("datalist", MUTE | BREAKOUT), ("template", MUTE),
)
"""Name and properties of each tag; the first rows in the order of the numbers above."""

FLAGS = {"block": BLOCK, "void": VOID, "raw": RAW, "mute": MUTE, "format": FORMAT, "strong": STRONG, "wall": WALL,
         "heading": HEADING, "breakout": BREAKOUT}


cdef bint hides(const uint8_t* p, int64_t n) noexcept nogil:
    """The style says display: none (or visibility: hidden)."""
    cdef int64_t i = 0, j
    while i + 11 <= n:
        if same_letters(p + i, b"display", 7) or same_letters(p + i, b"visibility", 10):
            j = i + (7 if same_letters(p + i, b"display", 7) else 10)
            while j < n and (p[j] <= 32 or p[j] == 58):
                j += 1
            if (j + 4 <= n and same_letters(p + j, b"none", 4)) or (j + 6 <= n and same_letters(p + j, b"hidden", 6)):
                return True
        i += 1
    return False


# ======================================================================================================================
# Characters
# ======================================================================================================================

cdef uint32_t WINDOWS[32]


cdef void _tables():
    """What numbers from 128 to 159 mean: browsers read them as Windows does."""
    cdef int i
    windows = (0x20AC, 0x81, 0x201A, 0x192, 0x201E, 0x2026, 0x2020, 0x2021, 0x2C6, 0x2030, 0x160, 0x2039, 0x152, 0x8D, 0x17D, 0x8F,
               0x90, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014, 0x2DC, 0x2122, 0x161, 0x203A, 0x153, 0x9D, 0x17E, 0x178)
    for i in range(32):
        WINDOWS[i] = windows[i]


_tables()


cdef int encoded(uint32_t c, uint8_t* out) noexcept nogil:
    """A character by its number as UTF-8; returns its bytes, up to four."""
    if 0x80 <= c < 0xA0:
        c = WINDOWS[c - 0x80]
    if c == 0 or c > 0x10FFFF or 0xD800 <= c <= 0xDFFF:
        c = 0xFFFD
    if c < 0x80:
        out[0] = <uint8_t>c
        return 1
    if c < 0x800:
        out[0] = <uint8_t>(0xC0 | (c >> 6))
        out[1] = <uint8_t>(0x80 | (c & 0x3F))
        return 2
    if c < 0x10000:
        out[0] = <uint8_t>(0xE0 | (c >> 12))
        out[1] = <uint8_t>(0x80 | ((c >> 6) & 0x3F))
        out[2] = <uint8_t>(0x80 | (c & 0x3F))
        return 3
    out[0] = <uint8_t>(0xF0 | (c >> 18))
    out[1] = <uint8_t>(0x80 | ((c >> 12) & 0x3F))
    out[2] = <uint8_t>(0x80 | ((c >> 6) & 0x3F))
    out[3] = <uint8_t>(0x80 | (c & 0x3F))
    return 4
