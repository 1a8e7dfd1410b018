"""Patterns that part a stretch of bytes, where separators would not: addresses, dates, phone numbers, hex."""

from libc.stdint cimport int64_t, uint8_t


cdef int64_t mark_at(const uint8_t* p, int64_t i, int64_t n, const uint8_t* on, int* pattern) noexcept nogil
cdef bint may_hold_mark(const uint8_t* p, int64_t n) noexcept nogil
