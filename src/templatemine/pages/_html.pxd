"""A page of HTML into blocks: the columns that are counted for each, the forms of its path, and the kinds of marks."""


cdef enum:
    C_WORDS, C_LINKED, C_STRONG, C_CAPITAL, C_UPPER, C_NUMBERS, C_SHORT, C_LETTERS, C_TITLE, C_TITLE_WORDS, C_MONTH
    C_WEEKDAY, C_CONTROL, C_BY, C_RIGHTS, C_YEAR, C_CLOCK, C_SENTENCES, C_COMMAS, C_COLONS, C_QUOTES, C_BARS, C_PARENS
    C_END, C_LOWER, C_OWN, C_TAGS, C_IMAGES, C_BREAK, C_BROKEN, C_TALK, C_SIZE


cdef enum:
    K_FULL, K_PARENT, K_GRAND, K_CLASS, K_TAGS, K_NEAR, K_SIZE


cdef enum:
    M_OPEN, M_CLOSE, M_VOID, M_OTHER
