"""How likely rows are what is asked for: the scores of trees, smoothing of scores over a page, and the blocks that they make
main text.
"""

import numpy as np

from libc.math cimport exp, isfinite, log, log1p
from libc.stdint cimport int16_t, int32_t, int64_t, int8_t, uint32_t, uint64_t, uint8_t
from libc.stdlib cimport calloc, free, malloc
from libc.string cimport memcpy, memset

from templatemine.pages._html cimport C_LINKED, C_SIZE, K_FULL, K_SIZE

from templatemine.pages._blocks cimport check, falling_order, first_places, probability_of

__all__ = [
    "CODES", "Forest", "LEAVES", "average_by_path", "decode_blocks", "describe_main", "find_kind_chances", "measure_doubt",
    "smooth_scores", "to_probabilities",
]


# ----------------------------------------------------------------------------------------------------------------------- trees
# Trees that say how likely a row is: a table of trees and a matrix come in, out goes the sum of their leaves.
#
# No tree is walked.  A row has for each tree a set of leaves, a bit each, that it can no longer fall into; every condition
# that is false adds the leaves of its left side, and of those that are left in the end the first is the one (Lucchese et
# al., QuickScorer, SIGIR 2015).  A value is first put in its place among the thresholds of its feature, which is a byte,
# for a batch of rows at once; then each condition is a comparison of bytes, and the sets of a whole batch stay in the
# registers of the processor while a tree is asked.  Time is rows times conditions, at some hundredths of a nanosecond each.


LEAVES = 16
"""Leaves of a tree at most."""

cdef enum:
    BITS = 16           # LEAVES
    BATCH = 64          # rows that conditions are asked of at once
    HALF = 32           # or so many, where no more are left
    STEPS = 255         # thresholds that a byte tells apart; a feature with more has several columns
    FOURFOLD = 0x01010101
    TRANSPOSED = 16         # features that are taken out of the rows of a batch at once: a line of the cache


cdef extern from *:
    """
    #include <stdint.h>
    #include <string.h>

    typedef struct {
        int32_t column;         /* where its column of a batch begins */
        uint32_t level;         /* it is false for places above this one; each byte four times: so they are spread at once */
        uint32_t low, high;     /* the leaves of its left side */
    } tm_condition;

    typedef int8_t tm_rows __attribute__((vector_size(32), aligned(1)));

    typedef float tm_floats __attribute__((vector_size(32), aligned(1)));
    typedef int32_t tm_ints __attribute__((vector_size(32), aligned(1)));

    #define TM_INLINE static inline __attribute__((always_inline))

    /* The leaves that 32 rows (64, if `two`) cannot fall into, of one tree: for each 32 the first eight, then the others. */
    TM_INLINE void tm_lost(const tm_condition *c, const tm_condition *end, const int8_t *bins, int two, tm_rows *lost) {
        tm_rows low0 = {0}, low1 = {0}, high0 = {0}, high1 = {0}, left, right, below;
        for (; c < end; c++) {
            const tm_rows *column = (const tm_rows *)(bins + c->column);
            const tm_rows level = (tm_rows)((tm_ints){0} + (int32_t)c->level);
            left = (tm_rows)((tm_ints){0} + (int32_t)c->low);
            right = (tm_rows)((tm_ints){0} + (int32_t)c->high);
            below = (tm_rows)(column[0] > level);
            low0 |= below & left;
            high0 |= below & right;
            if (two) {
                below = (tm_rows)(column[1] > level);
                low1 |= below & left;
                high1 |= below & right;
            }
        }
        lost[0] = low0;
        lost[1] = high0;
        lost[2] = low1;
        lost[3] = high1;
    }

    /* Add the first leaf that is left of a tree to the sum of each of 32 rows; the leaves stand one place further to the
       left, the first one last. */
    TM_INLINE void tm_leaves(const tm_rows *lost, const float *leaves, float *sums) {
        const uint8_t *low = (const uint8_t *)lost, *high = low + 32;
        for (int r = 0; r < 32; r++)
            sums[r] += leaves[(__builtin_ctz(~((uint32_t)low[r] | (uint32_t)high[r] << 8)) + 15) & 15];
    }

    TM_INLINE void tm_score(const tm_condition *c, const int32_t *sizes, int64_t trees, const float *leaves, const int8_t *bins,
                          int two, float *sums) {
        tm_rows lost[4];
        for (int64_t t = 0; t < trees; c += sizes[t++], leaves += 16) {
            tm_lost(c, c + sizes[t], bins, two, lost);
            for (int half = 0; half <= two; half++)
                tm_leaves(lost + 2 * half, leaves, sums + 32 * half);
        }
    }

    /* The place of each of 32 values among ascending thresholds: how many of them it is not below or equal to. */
    TM_INLINE void tm_bin(const float *values, const float *threshold, int count, int8_t *bins) {
        const tm_floats *column = (const tm_floats *)values;
        tm_ints places[4];
        for (int r = 0; r < 4; r++)
            places[r] = (tm_ints){0} + (count - 128);
        for (int k = 0; k < count; k++) {
            const float t = threshold[k];
            const tm_floats level = {t, t, t, t, t, t, t, t};
            for (int r = 0; r < 4; r++)
                places[r] += (tm_ints)(column[r] <= level);
        }
        for (int r = 0; r < 32; r++)
            bins[r] = (int8_t)((const int32_t *)places)[r];
    }

    /* The values of a feature in one batch stand side by side in `columns`, those of `features` of them. */
    TM_INLINE void tm_transpose(const float *rows, int n, int64_t width, int features, float *columns) {
        for (int r = 0; r < 64; r++)
            for (int f = 0; f < features; f++)
                columns[f * 64 + r] = rows[(r < n ? r : n - 1) * width + f];
    }

    static void tm_score_plain(const tm_condition *c, const int32_t *sizes, int64_t trees, const float *leaves,
                             const int8_t *bins, int two, float *sums) {
        if (two)
            tm_score(c, sizes, trees, leaves, bins, 1, sums);
        else
            tm_score(c, sizes, trees, leaves, bins, 0, sums);
    }

    static void tm_bin_plain(const float *values, int two, const float *threshold, int count, int8_t *bins) {
        for (int half = 0; half <= two; half++)
            tm_bin(values + 32 * half, threshold, count, bins + 32 * half);
    }

    static void tm_transpose_plain(const float *rows, int n, int64_t width, int features, float *columns) {
        tm_transpose(rows, n, width, features, columns);
    }

    #if defined(__x86_64__) && defined(__GNUC__)
    #include <immintrin.h>
    #define TM_WIDE __attribute__((target("avx2")))
    #define TM_WIDEST __attribute__((target("avx2,avx512f,avx512vl")))

    /* Of 32 rows, the one bit that is the first leaf left; as a float it has its number for an exponent, 127 more, by which
       two tables of eight leaves are looked up for eight rows at a time. */
    TM_INLINE TM_WIDE void tm_leaves_wide(const tm_rows *lost, const float *leaves, float *sums) {
        const __m256 first = _mm256_loadu_ps(leaves), second = _mm256_loadu_ps(leaves + 8);
        const __m256i low = (__m256i)lost[0], high = (__m256i)lost[1], one = _mm256_set1_epi16(1);
        __m256i rows[2] = {_mm256_unpacklo_epi8(low, high), _mm256_unpackhi_epi8(low, high)};
        for (int k = 0; k < 2; k++)
            rows[k] = _mm256_andnot_si256(rows[k], _mm256_add_epi16(rows[k], one));
        for (int k = 0; k < 4; k++, sums += 8) {
            __m128i bit = k < 2 ? _mm256_castsi256_si128(rows[k]) : _mm256_extracti128_si256(rows[k - 2], 1);
            __m256i place = _mm256_srli_epi32(_mm256_castps_si256(_mm256_cvtepi32_ps(_mm256_cvtepu16_epi32(bit))), 23);
            __m256 value = _mm256_blendv_ps(_mm256_permutevar8x32_ps(first, place), _mm256_permutevar8x32_ps(second, place),
                                            _mm256_castsi256_ps(_mm256_slli_epi32(place, 28)));
            _mm256_storeu_ps(sums, _mm256_add_ps(_mm256_loadu_ps(sums), value));
        }
    }

    TM_INLINE TM_WIDE void tm_score_wider(const tm_condition *c, const int32_t *sizes, int64_t trees, const float *leaves,
                                        const int8_t *bins, int two, float *sums) {
        tm_rows lost[4];
        for (int64_t t = 0; t < trees; c += sizes[t++], leaves += 16) {
            tm_lost(c, c + sizes[t], bins, two, lost);
            for (int half = 0; half <= two; half++)
                tm_leaves_wide(lost + 2 * half, leaves, sums + 32 * half);
        }
    }

    TM_WIDE static void tm_score_wide(const tm_condition *c, const int32_t *sizes, int64_t trees, const float *leaves,
                                    const int8_t *bins, int two, float *sums) {
        if (two)
            tm_score_wider(c, sizes, trees, leaves, bins, 1, sums);
        else
            tm_score_wider(c, sizes, trees, leaves, bins, 0, sums);
    }

    /* The same, for processors that do two steps of a condition in one. */
    TM_WIDEST static void tm_score_widest(const tm_condition *c, const int32_t *sizes, int64_t trees, const float *leaves,
                                        const int8_t *bins, int two, float *sums) {
        if (two)
            tm_score_wider(c, sizes, trees, leaves, bins, 1, sums);
        else
            tm_score_wider(c, sizes, trees, leaves, bins, 0, sums);
    }

    TM_WIDE static void tm_bin_wide(const float *values, int two, const float *threshold, int count, int8_t *bins) {
        for (int half = 0; half <= two; half++)
            tm_bin(values + 32 * half, threshold, count, bins + 32 * half);
    }

    /* Eight by eight. */
    TM_WIDE static void tm_transpose_wide(const float *rows, int n, int64_t width, int features, float *columns) {
        __m256 a[8], b[8];
        if (features % 8) {
            tm_transpose(rows, n, width, features, columns);
            return;
        }
        for (int r = 0; r < 64; r += 8)
            for (int f = 0; f < features; f += 8) {
                for (int k = 0; k < 8; k++)
                    a[k] = _mm256_loadu_ps(rows + (r + k < n ? r + k : n - 1) * width + f);
                for (int k = 0; k < 8; k += 2) {
                    b[k] = _mm256_unpacklo_ps(a[k], a[k + 1]);
                    b[k + 1] = _mm256_unpackhi_ps(a[k], a[k + 1]);
                }
                for (int k = 0; k < 8; k += 4)
                    for (int j = 0; j < 2; j++) {
                        a[k + 2 * j] = _mm256_shuffle_ps(b[k + j], b[k + 2 + j], 0x44);
                        a[k + 2 * j + 1] = _mm256_shuffle_ps(b[k + j], b[k + 2 + j], 0xEE);
                    }
                for (int k = 0; k < 4; k++) {
                    _mm256_storeu_ps(columns + (f + k) * 64 + r, _mm256_permute2f128_ps(a[k], a[k + 4], 0x20));
                    _mm256_storeu_ps(columns + (f + k + 4) * 64 + r, _mm256_permute2f128_ps(a[k], a[k + 4], 0x31));
                }
            }
    }

    static int tm_widest(void) { return __builtin_cpu_supports("avx2") ? 1 + !!__builtin_cpu_supports("avx512vl") : 0; }
    #else
    #define tm_score_wide tm_score_plain
    #define tm_score_widest tm_score_plain
    #define tm_bin_wide tm_bin_plain
    #define tm_transpose_wide tm_transpose_plain
    static int tm_widest(void) { return 0; }
    #endif
    """
    ctypedef struct Condition "tm_condition":
        int32_t column
        uint32_t level
        uint32_t low
        uint32_t high

    void tm_score_plain(const Condition* c, const int32_t* sizes, int64_t trees, const float* leaves, const int8_t* bins,
                        bint two, float* sums) noexcept nogil
    void tm_score_wide(const Condition* c, const int32_t* sizes, int64_t trees, const float* leaves, const int8_t* bins,
                       bint two, float* sums) noexcept nogil
    void tm_score_widest(const Condition* c, const int32_t* sizes, int64_t trees, const float* leaves, const int8_t* bins,
                         bint two, float* sums) noexcept nogil
    void tm_bin_plain(const float* values, bint two, const float* threshold, int count, int8_t* bins) noexcept nogil
    void tm_bin_wide(const float* values, bint two, const float* threshold, int count, int8_t* bins) noexcept nogil
    void tm_transpose_plain(const float* rows, int n, int64_t width, int features, float* columns) noexcept nogil
    void tm_transpose_wide(const float* rows, int n, int64_t width, int features, float* columns) noexcept nogil
    int tm_widest() noexcept nogil


ctypedef void (*ScoreKernel)(const Condition*, const int32_t*, int64_t, const float*, const int8_t*, bint, float*) noexcept nogil


cdef struct Column:
    int32_t feature
    int32_t first           # of its thresholds
    int32_t count


cdef class Forest:
    """Trees that say how likely a row is, as log odds.

    Parameters
    ----------
    feature, threshold, left, right : int16, float32, int16, int16 arrays, shape (nodes,)
        Of all trees one after the other.  A row goes left if its feature is not above the threshold, right if it is or
        is not a number.  A child from 0 up is a node of the same tree, a negative one the leaf ~child.
    leaf : float32 array
        Values of the leaves of all trees.
    sizes : int32 array, shape (trees,)
        Nodes of each tree, from 1 to 15; it has a leaf more.
    """

    cdef Condition* conditions  # of each tree
    cdef int32_t* sizes
    cdef float* leaves          # (trees, BITS), each one place to the left, the first one last
    cdef Column* columns        # by feature
    cdef float* thresholds      # of each column, ascending, none twice
    cdef int64_t column_count
    cdef int64_t trees
    cdef int64_t width

    def __cinit__(self, const int16_t[::1] feature not None, const float[::1] threshold not None,
                  const int16_t[::1] left not None, const int16_t[::1] right not None, const float[::1] leaf not None,
                  const int32_t[::1] sizes not None, *rest):
        cdef int64_t t, i, at = 0, n = feature.shape[0]
        if threshold.shape[0] != n or left.shape[0] != n or right.shape[0] != n:
            raise ValueError("expected columns of one table of nodes, got columns of different lengths")
        self.trees = sizes.shape[0]
        for t in range(self.trees):
            if not 0 < sizes[t] <= n - at:
                raise ValueError(f"sizes[{t}]: expected from 1 to the {n - at} nodes that are left, got {sizes[t]}")
            if sizes[t] >= BITS:
                raise ValueError(f"sizes[{t}]: expected trees of at most {<int>BITS} leaves, got {sizes[t] + 1}")
            at += sizes[t]
        if at != n or leaf.shape[0] != n + self.trees:
            raise ValueError(f"expected {at} nodes and {at + self.trees} leaves, got {n} and {leaf.shape[0]}")
        self.conditions = <Condition*>malloc((n + 1) * sizeof(Condition))
        self.sizes = <int32_t*>malloc((self.trees + 1) * sizeof(int32_t))
        self.leaves = <float*>calloc((self.trees + 1) * BITS, sizeof(float))
        self.columns = <Column*>malloc((n + 1) * sizeof(Column))
        self.thresholds = <float*>malloc((n + 1) * sizeof(float))
        if (self.conditions == NULL or self.sizes == NULL or self.leaves == NULL or self.columns == NULL
                or self.thresholds == NULL):
            raise MemoryError
        at = 0
        for t in range(self.trees):
            for i in range(at, at + sizes[t]):
                if feature[i] < 0:
                    raise ValueError(f"tree {t}: expected features from 0 up, got {feature[i]}")
                if threshold[i] != threshold[i]:
                    raise ValueError(f"tree {t}: expected thresholds that are numbers, got {threshold[i]}")
                self.width = max(self.width, feature[i] + 1)
            if not build_tree_masks(&left[at], &right[at], &leaf[at + t], sizes[t], self.conditions + at, self.leaves + t * BITS):
                raise ValueError(f"tree {t}: expected children behind their parents and each node and leaf once")
            self.sizes[t] = sizes[t]
            at += sizes[t]
        if n:
            self._columns(feature, threshold, np.lexsort((np.asarray(threshold), np.asarray(feature))).astype(np.int64))

    def __dealloc__(self):
        free(self.conditions)
        free(self.sizes)
        free(self.leaves)
        free(self.columns)
        free(self.thresholds)

    cdef void _columns(self, const int16_t[::1] feature, const float[::1] threshold, const int64_t[::1] order) noexcept:
        """The thresholds of each feature, and the place of each condition's among them."""
        cdef int64_t i, node, size = 0
        cdef Column* column = self.columns - 1
        for i in range(order.shape[0]):
            node = order[i]
            if i == 0 or feature[node] != column.feature or (column.count == STEPS
                                                             and threshold[node] != self.thresholds[size - 1]):
                column += 1
                column.feature = feature[node]
                column.first = <int32_t>size
                column.count = 0
            if column.count == 0 or threshold[node] != self.thresholds[size - 1]:
                self.thresholds[size] = threshold[node]
                size += 1
                column.count += 1
            self.conditions[node].column = <int32_t>((column - self.columns) * BATCH)
            self.conditions[node].level = <uint8_t>(column.count - 1 - 128) * FOURFOLD
        self.column_count = column - self.columns + 1

    def scores(self, const float[:, ::1] rows not None, int wide=2):
        """Sum of the leaves that each row falls into: float32 array, shape (rows,).

        The same to the last bit on all processors; `wide` says how much is used of what only some of them have: nothing,
        AVX2, or AVX-512 for vectors of its length too.
        """
        cdef int64_t n = rows.shape[0], width = rows.shape[1], first = 0
        cdef int8_t* bins
        cdef ScoreKernel score_batch
        wide = min(wide, tm_widest())
        if width < self.width:
            raise ValueError(f"expected at least {self.width} features, got {width}")
        out = np.zeros((n + BATCH - 1) // BATCH * BATCH, np.float32)
        cdef float[::1] sums = out
        if n and self.trees:
            bins = <int8_t*>malloc(self.column_count * BATCH)
            if bins == NULL:
                raise MemoryError
            with nogil:
                while first < n:
                    self._bins(&rows[first, 0], <int>min(n - first, BATCH), width, wide, bins)
                    score_batch = tm_score_widest if wide > 1 else tm_score_wide if wide else tm_score_plain
                    score_batch(self.conditions, self.sizes, self.trees, self.leaves, bins, n - first > HALF, &sums[first])
                    first += BATCH
            free(bins)
        return out[:n]

    cdef void _bins(self, const float* rows, int n, int64_t width, bint wide, int8_t* bins) noexcept nogil:
        """The places of a batch of rows, column by column; what is missing to a batch is the last row again."""
        cdef float[TRANSPOSED * BATCH] transposed
        cdef const Column* column = self.columns
        cdef const Column* end = self.columns + self.column_count
        cdef const float* values
        cdef int64_t begin = -TRANSPOSED
        cdef int features = <int>min(width, TRANSPOSED)
        while column < end:
            if column.feature >= begin + TRANSPOSED:
                begin = min(column.feature, width - features)
                if wide:
                    tm_transpose_wide(rows + begin, n, width, features, transposed)
                else:
                    tm_transpose_plain(rows + begin, n, width, features, transposed)
            values = transposed + (column.feature - begin) * BATCH
            if wide:
                tm_bin_wide(values, n > HALF, self.thresholds + column.first, column.count, bins)
            else:
                tm_bin_plain(values, n > HALF, self.thresholds + column.first, column.count, bins)
            bins += BATCH
            column += 1


cdef bint build_tree_masks(const int16_t* left, const int16_t* right, const float* leaf, int n, Condition* nodes,
                           float* leaves) noexcept nogil:
    """The leaves that each condition of a tree takes away if it is false, and its leaves by their bit; False if it is none."""
    cdef int[2 * BITS] size, start
    cdef int i, side, child, place, known = 1
    cdef uint32_t lost
    for i in range(2 * BITS):
        start[i] = -1
    # Leaves of each node, children first; a leaf ~k stands at n + k.
    for i in range(n):
        size[n + i] = 1
    size[2 * n] = 1
    for i in range(n - 1, -1, -1):
        size[i] = 0
        for side in range(2):
            child = right[i] if side else left[i]
            if not (i < child < n or 0 <= ~child <= n):
                return False
            size[i] += size[child if child >= 0 else n + ~child]
    start[0] = 0
    for i in range(n):
        if start[i] < 0:
            return False
        for side in range(2):
            child = right[i] if side else left[i]
            place = child if child >= 0 else n + ~child
            if start[place] >= 0:
                return False
            start[place] = start[i]
            if side:
                child = left[i]
                start[place] += size[child if child >= 0 else n + ~child]
            known += 1
    if known != 2 * n + 1 or size[0] != n + 1:
        return False
    for i in range(n):
        child = left[i]
        lost = ((1 << size[child if child >= 0 else n + ~child]) - 1) << start[i]
        nodes[i].low = (lost & 0xFF) * FOURFOLD
        nodes[i].high = (lost >> 8) * FOURFOLD
    for i in range(n + 1):
        leaves[(start[n + i] + BITS - 1) % BITS] = leaf[i]
    return True


# ------------------------------------------------------------------------------------------------------------------- smoothing
# Smoothing of scores over a tree: what stands in a container is no more main text than the container is.
#
# In come the parents of the nodes of a tree, a score and a weight for each; out go the scores that lie nearest to them of
# those that never rise from a node to its child, with a price for each edge along which they fall.  That is the
# regularised isotonic regression on trees of Chakrabarti, Kumar and Punera (Page-level template detection via isotonic
# smoothing, WWW 2007), on a grid of levels, where it is exact and takes time and memory of nodes times levels.


cdef enum:
    LEVELS = 17         # evenly spaced from 0 to 1


def smooth_scores(const int32_t[::1] parents not None, const int32_t[::1] element not None,
                  const double[::1] scores not None, const int32_t[::1] words not None, double share_smoothed,
                  double inner, double price, double margin):
    """Log odds, each the weighted mean of its probability and what smoothing makes of that.

    Blocks are leaves that hang in the tree of elements, which have no score of their own: an element gets the mean score of
    the leaves it holds, by words, and `inner` times what they weigh together; leaves weigh their share of the whole.
    Elements without leaves are left out.  Smoothed scores x of all of these minimise  sum of weight (x - score)^2 + price
    for each edge with x[child] < x[parent],  where x[child] <= x[parent] everywhere and each x is one of `LEVELS`; of
    several solutions it is the one with the greatest scores from the root down.

    Parameters
    ----------
    parents : int32 array, shape (elements,)
        Of each element, before its children; -1 for the first only.
    element : int32 array, shape (blocks,)
        The element that each block stands in.
    scores : float64 array, shape (blocks,)
        Log odds.
    words : int32 array, shape (blocks,)
        From 1 up.
    share_smoothed : float
        Weight of the smoothed probability, from 0 to 1.
    inner, price : float
        From 0 up.
    margin : float
        What the mean keeps away from 0 and 1.

    Returns
    -------
    float64 array, shape (blocks,)
    """
    cdef int64_t n = element.shape[0], i
    cdef double* probability
    cdef double* sizes
    cdef double mixed
    check(scores.shape[0] == n and words.shape[0] == n, "a score and a number of words of each block")
    check_tree(parents, element)
    if not (price >= 0 and isfinite(price)):
        raise ValueError(f"price: expected a number from 0 up, got {price}")
    for i in range(n):
        if words[i] <= 0:
            check(False, "words in each block")
    out = np.empty(n, np.float64)
    if n == 0:
        return out
    cdef double[::1] smoothed = out
    probability = <double*>malloc(2 * n * sizeof(double))
    if probability == NULL:
        raise MemoryError
    sizes = probability + n
    try:
        with nogil:
            for i in range(n):
                probability[i] = probability_of(scores[i])
                sizes[i] = words[i]
            solve_leaves(&parents[0], parents.shape[0], &element[0], n, probability, sizes, inner, price, &smoothed[0])
            for i in range(n):
                mixed = (1 - share_smoothed) * probability[i] + share_smoothed * smoothed[i]
                mixed = min(max(mixed, margin), 1 - margin)
                smoothed[i] = log(mixed / (1 - mixed))
    finally:
        free(probability)
    return out


cdef void check_tree(const int32_t[::1] parents, const int32_t[::1] element) except *:
    cdef int64_t m = parents.shape[0], i
    for i in range(m):
        if not -1 <= parents[i] < i or (parents[i] < 0) != (i == 0):
            raise ValueError(f"parents: expected each before its children and -1 for the first only, got {parents[i]} at {i}")
    for i in range(element.shape[0]):
        if not 0 <= element[i] < m:
            raise ValueError(f"element: expected places from 0 to {m - 1}, got {element[i]}")


cdef int solve_leaves(const int32_t* parents, int64_t m, const int32_t* element, int64_t n, const double* scores,
                      const double* sizes, double inner, double price, double* out) except -1 nogil:
    """The tree of the nodes that hold leaves, and of the leaves below them, to `solve_tree`."""
    cdef int64_t i, count = 0, size = m + n
    cdef double whole = 0
    # Of each node: what it holds and its sum of scores, then goal, weight, solution and costs; its place, parent, levels
    cdef double* numbers = <double*>malloc((2 * m + (3 + LEVELS) * size) * sizeof(double))
    cdef int32_t* places = <int32_t*>malloc((m + size) * sizeof(int32_t))
    cdef uint8_t* below = <uint8_t*>malloc(size * LEVELS)
    cdef double* held = numbers
    cdef double* sums = held + m
    cdef double* goals = sums + m
    cdef double* weights = goals + size
    cdef double* solution = weights + size
    cdef int32_t* above = places + m
    if numbers == NULL or places == NULL or below == NULL:
        free(numbers)
        free(places)
        free(below)
        with gil:
            raise MemoryError
    memset(held, 0, 2 * m * sizeof(double))
    for i in range(n):
        held[element[i]] += sizes[i]
        sums[element[i]] += sizes[i] * scores[i]
        whole += sizes[i]
    for i in range(m - 1, 0, -1):
        held[parents[i]] += held[i]
        sums[parents[i]] += sums[i]
    for i in range(m):
        if held[i] > 0:
            places[i] = <int32_t>count
            above[count] = places[parents[i]] if i else -1
            goals[count] = min(1.0, sums[i] / held[i])
            weights[count] = inner * held[i] / whole
            count += 1
    for i in range(n):
        above[count + i] = places[element[i]]
        goals[count + i] = scores[i]
        weights[count + i] = sizes[i] / whole
    solve_tree(above, goals, weights, count + n, price, solution + size, below, solution)
    memcpy(out, solution + count, n * sizeof(double))
    free(numbers)
    free(places)
    free(below)
    return 0


cdef void solve_tree(const int32_t* parents, const double* scores, const double* weights, int64_t n, double price,
                     double* cost, uint8_t* below, double* out) noexcept nogil:
    """From the leaves up, what a subtree costs for each level of its root; then from the root down, the levels."""
    cdef int64_t i
    cdef int k, least
    cdef double far, step = 1.0 / (LEVELS - 1), best, one, fallen
    cdef double* own
    cdef double* above
    cdef uint8_t* lower
    for i in range(n):
        for k in range(LEVELS):
            far = k * step - scores[i]
            cost[i * LEVELS + k] = weights[i] * far * far
    for i in range(n - 1, 0, -1):
        own = cost + i * LEVELS
        above = cost + parents[i] * LEVELS
        lower = below + i * LEVELS
        least = 0
        best = own[0]
        for k in range(LEVELS):
            one = own[k]
            least = k if one <= best else least
            best = min(one, best)
            # Its root stays at the parent's level, or falls to the best one below.
            fallen = best + price
            lower[k] = <uint8_t>(k if one <= fallen else least)
            above[k] += min(one, fallen)
    least = 0
    for k in range(LEVELS):
        if cost[k] <= cost[least]:
            least = k
    # Levels stand in the first column from here on.
    below[0] = <uint8_t>least
    out[0] = least * step
    for i in range(1, n):
        below[i * LEVELS] = below[i * LEVELS + below[parents[i] * LEVELS]]
        out[i] = below[i * LEVELS] * step


# ---------------------------------------------------------------------------------------------------------------- probabilities
# Log odds as probabilities, and what they say of a page.


def to_probabilities(const double[::1] scores not None):
    """Log odds as probabilities: float64 array of the same shape."""
    cdef int64_t n = scores.shape[0], i
    found = np.empty(n, np.float64)
    cdef double[::1] out = found
    with nogil:
        for i in range(n):
            out[i] = probability_of(scores[i])
    return found


cdef double doubt_of(const double* scores, const int32_t* words, int64_t n) noexcept nogil:
    cdef double chance, unsure = 0, size = 0
    cdef int64_t i
    for i in range(n):
        chance = probability_of(scores[i])
        unsure += (chance - chance * chance) * words[i]
        size += words[i]
    return 4 * unsure / max(size, 1.0)


def measure_doubt(const double[::1] scores not None, const int32_t[::1] words not None):
    """The share of the words of which log odds are unsure: of a word of probability p, 4 p (1 - p)."""
    cdef int64_t n = scores.shape[0]
    cdef double doubt = 0
    check(words.shape[0] == n, "words of each block")
    if n:
        with nogil:
            doubt = doubt_of(&scores[0], &words[0], n)
    return doubt


def describe_main(const double[::1] scores not None, const int32_t[::1] words not None, const int32_t[:, ::1] counts not None):
    """What is main text by log odds: share of the words, log of the words, their share in links, log of the words of a
    block, share of the longest run of blocks, runs; and of how many words it is unsure, as `measure_doubt` says.

    Parameters
    ----------
    scores : float64 array, shape (blocks,)
    words : int32 array, shape (blocks,)
    counts : int32 array, shape (blocks, len(COUNTS))
    """
    cdef int64_t n = scores.shape[0], i, blocks = 0, runs = 0
    cdef double chance, expected = 0, every = 0, linked = 0, run = 0, longest = 0, kept = 0
    cdef bint before = False
    check(words.shape[0] == n and counts.shape[0] == n and counts.shape[1] == C_SIZE, "words and counts of each block")
    with nogil:
        for i in range(n):
            chance = probability_of(scores[i])
            expected += words[i] * chance
            linked += counts[i, C_LINKED] * chance
            every += words[i]
            if scores[i] > 0:
                runs += not before
                run = words[i] + (run if before else 0)
                longest = max(longest, run)
                kept += words[i]
                blocks += 1
            before = scores[i] > 0
    return [
        expected / max(every, 1.0), log1p(expected), linked / max(expected, 1.0), log1p(kept / max(blocks, 1)),
        longest / max(kept, 1.0), runs, measure_doubt(scores, words),
    ]


def find_kind_chances(const double[::1] values not None, const double[::1] mean not None, const double[::1] scale not None,
                      const double[:, ::1] weights not None, const double[::1] intercept not None, double most, double bonus):
    """The probability of each kind of page: a logistic regression over standard values.

    Parameters
    ----------
    values, mean, scale : float64 arrays, shape (values,)
    weights : float64 array, shape (kinds, values)
    intercept : float64 array, shape (kinds,)
    most : float
        Deviations from the mean, in units of the scale, at which a value is cut off.
    bonus : float
        Added to the log odds of the first kind.

    Returns
    -------
    float64 array, shape (kinds,)
    """
    cdef int64_t n = values.shape[0], kinds = weights.shape[0], i, k
    cdef double standard, greatest, total = 0
    check(mean.shape[0] == n and scale.shape[0] == n and weights.shape[1] == n, "mean, scale and weights of each value")
    check(intercept.shape[0] == kinds and kinds > 0, "an intercept of each kind")
    found = np.empty(kinds, np.float64)
    cdef double[::1] out = found
    with nogil:
        out[:] = intercept
        out[0] += bonus
        for i in range(n):
            standard = min(max((values[i] - mean[i]) / scale[i], -most), most)
            for k in range(kinds):
                out[k] += weights[k, i] * standard
        greatest = out[0]
        for k in range(1, kinds):
            greatest = max(greatest, out[k])
        for k in range(kinds):
            out[k] = exp(out[k] - greatest)
            total += out[k]
        for k in range(kinds):
            out[k] /= total
    return found


def average_by_path(const double[::1] first not None, const float[::1] second not None, const int32_t[::1] words not None,
                    const uint64_t[:, ::1] keys not None):
    """The mean of two scores of each block, half way to the mean of these, by words, of those with the same path on the page.

    Parameters
    ----------
    first, second : float64 and float32 arrays, shape (blocks,)
    words : int32 array, shape (blocks,)
    keys : uint64 array, shape (blocks, len(KEYS))
        As `_html.BlockScanner.scan_blocks` gives them.

    Returns
    -------
    float64 array, shape (blocks,)
    """
    cdef int64_t n = first.shape[0], i
    cdef int64_t* group
    cdef double* sums
    cdef double* sizes
    check(second.shape[0] == n and words.shape[0] == n and keys.shape[0] == n and keys.shape[1] == K_SIZE,
          "scores, words and keys of each block")
    found = np.empty(n, np.float64)
    if n == 0:
        return found
    cdef double[::1] out = found
    group = <int64_t*>malloc(n * sizeof(int64_t))
    sums = <double*>calloc(2 * n, sizeof(double))
    try:
        if group == NULL or sums == NULL:
            raise MemoryError
        sizes = sums + n
        with nogil:
            first_places(&keys[0, K_FULL], K_SIZE, n, group)
            for i in range(n):
                out[i] = (first[i] + second[i]) / 2
                sums[group[i]] += words[i] * out[i]
                sizes[group[i]] += words[i]
            for i in range(n):
                out[i] = (out[i] + sums[group[i]] / max(sizes[group[i]], 1.0)) / 2
    finally:
        free(group)
        free(sums)
    return found


# ---------------------------------------------------------------------------------------------------------- chances -> codes
# Which blocks are the main text, by their chances; see `pages.decode`, and the slow twin in the tests.

cdef enum:
    LEFT, CHOSEN, FILLED, STRETCH, REPEATED

CODES = ("left", "chosen", "filled", "stretch", "repeated")


def decode_blocks(const double[::1] scores not None, const int32_t[::1] words not None, const uint64_t[::1] paths not None,
                  const uint64_t[::1] texts not None, double least, double fill, double fill_share, int32_t short):
    """The place in `CODES` of each block.

    Parameters
    ----------
    scores : float64 array, shape (blocks,)
        Log odds.
    words : int32 array, shape (blocks,)
    paths, texts : uint64 arrays, shape (blocks,)
        Equal for equal paths and texts.
    least : float
        Of the greatest probability, for the best set of blocks to be sought, and not the best stretch.
    fill, fill_share : float
        Probability of a block, and share of the chosen words under its path, for a gap to be filled with it.
    short : int
        Words below which a text may be said twice.

    Returns
    -------
    int8 array, shape (blocks,)
    """
    cdef int64_t n = scores.shape[0], i
    cdef double* numbers
    cdef int64_t* indices
    check(words.shape[0] == n and paths.shape[0] == n and texts.shape[0] == n, "words, a path and a text of each block")
    found = np.zeros(n, np.int8)
    if n == 0:
        return found
    cdef int8_t[::1] code = found
    numbers = <double*>calloc(2 * n, sizeof(double))
    indices = <int64_t*>malloc(3 * n * sizeof(int64_t))
    try:
        if numbers == NULL or indices == NULL:
            raise MemoryError
        with nogil:
            for i in range(n):
                numbers[i] = probability_of(scores[i])
            choose_blocks(numbers, &words[0], &paths[0], n, least, fill, fill_share, numbers + n, indices, &code[0])
            drop_repeated(&scores[0], &words[0], &paths[0], &texts[0], n, short, indices, &code[0])
    finally:
        free(numbers)
        free(indices)
    return found


cdef int choose_blocks(const double* chance, const int32_t* words, const uint64_t* paths, int64_t n, double least, double fill,
                       double fill_share, double* sums, int64_t* indices, int8_t* code) except -1 nogil:
    """The best set of blocks and what fills its gaps, or the best stretch.  `sums` are n zeros, `indices` has room for 3 n."""
    cdef int64_t i, last = -1, first = -1
    cdef int64_t* order = indices
    cdef int64_t* place = indices + 2 * n
    cdef double expected = 0
    for i in range(n):
        expected += chance[i] * words[i]
    falling_order(chance, n, order, order + n)
    if chance[order[0]] < least:
        choose_best_stretch(chance, words, n, expected, code)
        return 0
    choose_best_set(chance, words, order, n, expected, code)
    first_places(paths, 1, n, place)
    for i in range(n):
        if code[i] == CHOSEN:
            first = i if first < 0 else first
            last = i
            sums[place[i]] += words[i]
    fill_gaps(chance, words, place, first, last, fill, fill_share, sums, code)
    return 0


cdef int drop_repeated(const double* scores, const int32_t* words, const uint64_t* paths, const uint64_t* texts, int64_t n,
                       int32_t short, int64_t* indices, int8_t* code) except -1 nogil:
    """Of each text the likeliest block, and others under its path.  `indices` has room for 2 n."""
    cdef int64_t i
    cdef int64_t* said = indices
    cdef int64_t* best = indices + n
    first_places(texts, 1, n, said)
    memset(best, 0xFF, n * sizeof(int64_t))
    for i in range(n):
        if code[i] != LEFT and words[i] >= short and (best[said[i]] < 0 or scores[i] > scores[best[said[i]]]):
            best[said[i]] = i
    for i in range(n):
        if code[i] != LEFT and words[i] >= short and paths[i] != paths[best[said[i]]]:
            code[i] = REPEATED
    return 0


cdef void choose_best_set(const double* chance, const int32_t* words, const int64_t* order, int64_t n, double expected,
                          int8_t* code) noexcept nogil:
    """The beginning of the order with the greatest expected F1."""
    cdef int64_t i, size = 0, many = 0
    cdef double sure = 0, gain, most = -1
    for i in range(n):
        sure += chance[order[i]] * words[order[i]]
        many += words[order[i]]
        gain = 2 * sure / (many + expected)
        if gain > most:
            most = gain
            size = i + 1
    for i in range(size):
        code[order[i]] = CHOSEN


cdef void choose_best_stretch(const double* chance, const int32_t* words, int64_t n, double expected, int8_t* code) noexcept nogil:
    """The run of blocks with the greatest sum of what is above the page's mean, in words."""
    cdef int64_t i, many = 0, begin = 0, least = 0, end = 0
    cdef double mean, total = 0, lowest = 0, most = 0
    for i in range(n):
        many += words[i]
    mean = expected / many
    for i in range(n):
        total += words[i] * (chance[i] - mean)
        if i == 0 or total - lowest > most:
            most = total - lowest
            begin = least
            end = i + 1
        if total < lowest:
            lowest = total
            least = i + 1
    for i in range(begin, end):
        code[i] = STRETCH


cdef void fill_gaps(const double* chance, const int32_t* words, const int64_t* place, int64_t first, int64_t last, double fill,
                    double fill_share, const double* sums, int8_t* code) noexcept nogil:
    """Between the first and the last chosen block, those likely enough under a path that much of what is chosen has."""
    cdef int64_t i
    cdef double whole = 0
    for i in range(first, last + 1):
        if code[i] == CHOSEN:
            whole += words[i]
    for i in range(first + 1, last):
        if code[i] == LEFT and chance[i] >= fill and sums[place[i]] > 0 and sums[place[i]] >= fill_share * whole:
            code[i] = FILLED
