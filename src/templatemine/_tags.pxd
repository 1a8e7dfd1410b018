"""Tags of HTML as tokens: where one ends, and its form."""

from libc.stdint cimport int64_t, uint8_t

from templatemine._spec cimport Spec


cdef int64_t script_end(const uint8_t* p, int64_t i, int64_t n) noexcept nogil
cdef int64_t tag_end(const uint8_t* p, int64_t i, int64_t n, uint8_t* kind) noexcept nogil
cdef int64_t tag_form(const Spec* spec, const uint8_t* p, int64_t n, uint8_t kind, uint8_t* out) noexcept nogil
