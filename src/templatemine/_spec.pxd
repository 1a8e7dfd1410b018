"""What a scanner is told: separators, patterns that are switched on, words of the closed lists; and the numbers of kinds."""

from libc.stdint cimport int32_t, uint8_t

from templatemine._tables cimport Table


cdef enum:
    WORD = 0        # token kinds
    TAG = 1
    RAW = 2         # script, style or comment: one token whatever it holds
    FIRST = 0x80    # flag: a line break stands before the token
    LETTERS = 0x40  # flag: ASCII letters only (a token may be so without the flag)
    KIND = 0x3F     # what is left without the flags


# Pattern numbers: places in patterns.TABLE counted from 1 (tests/unit/test_patterns.py holds the two together).
cdef enum:
    URL = 1
    EMAIL = 2
    HANDLE = 3
    ISO_DATE = 4
    PHONE = 5
    UUID = 6
    HEX = 7
    NUMBER = 8
    CLOCK = 9
    DATE = 10
    NUMERIC = 11
    ORDINAL = 12
    TIME = 13
    PRICE = 14
    PERCENT = 15
    ABBREVIATION = 16
    INITIALS = 17
    MERIDIEM = 18
    UPPER = 19
    RULE = 20
    GLUED = 29
    NUMBER_WORLD = 30


cdef enum:
    MARKER = 0xFF   # first byte of a pattern in a form; the pattern's number follows


cdef enum:
    PLAIN = 0       # part of a token
    SPACE = 1       # ASCII white space
    EXTRA = 2       # a separator that is no white space (the hyphen)
    LEAD = 3        # first byte of a character that may be white space or a token of its own
    ANGLE = 4       # '<' in HTML
    JOINT = 5       # a token ends after it although a letter follows at once


cdef struct Spec:
    uint8_t kind[256]       # PLAIN, SPACE, EXTRA, LEAD, ANGLE or JOINT of each first byte
    uint8_t on[256]         # pattern numbers that are switched on
    uint8_t extra[12]       # what may end a run of plain bytes beside blanks, controls and bytes beyond ASCII
    int extras
    bint html
    Table words             # words of the closed lists
    int32_t* word_pattern   # pattern number of each
