"""The form of a token, in which a match of a mutable pattern is a number, and what kind of token a form is."""

from libc.stdint cimport int64_t, uint8_t, uint16_t

from templatemine._spec cimport Spec


cdef int64_t normalise(const Spec* spec, const uint8_t* p, int64_t n, uint8_t* out) noexcept nogil


cdef enum:
    CLAUSE = 1          # bits of `form_traits`: the form ends with a punctuation mark that closes something
    SENTENCE = 2        # it ends with one that ends a sentence
    COLON = 32          # it ends with a colon
    FIGURE = 64         # a number stands in it, or a sign of a program
    QUOTE = 128         # it is nothing but closing quotes
    CAPITAL = 256       # it begins with a capital letter
    TRAITS = 512        # all there may be


cdef int closing_marks(const uint8_t* form, int64_t n) noexcept nogil
cdef uint16_t traits_of(const uint8_t* p, int64_t n) noexcept nogil
