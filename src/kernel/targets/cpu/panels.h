/// Rows of a matrix, copied into the order in which tiles of a product read them, and converted on the way.
#include "head.h"
#define TYPE float
#define FROM float
#define LOADED x
#define ROWS_OF_I held + i * kSteps
#define ROW kSteps

/// Rows whose elements are consecutive are transposed four by four, from a buffer if they are converted;
/// columns whose elements are consecutive are copied.
//@ heddle_loaded_NAME()
static inline TYPE heddle_loaded_NAME(FROM x) { return LOADED; }
//@ heddle_four_NAME
#if defined(__has_builtin)
#if __has_builtin(__builtin_shufflevector)
#define HEDDLE_TRANSPOSES_NAME
typedef TYPE heddle_four_NAME
    __attribute__((vector_size(4 * sizeof(TYPE)), aligned(sizeof(TYPE)), may_alias));
//@ heddle_transpose_NAME(): heddle_four_NAME
static inline void heddle_transpose_NAME(const TYPE* from, long row, TYPE* to, long side) {
  const heddle_four_NAME a = *(const heddle_four_NAME*)from;
  const heddle_four_NAME b = *(const heddle_four_NAME*)(from + row);
  const heddle_four_NAME c = *(const heddle_four_NAME*)(from + 2 * row);
  const heddle_four_NAME d = *(const heddle_four_NAME*)(from + 3 * row);
  const heddle_four_NAME ab = __builtin_shufflevector(a, b, 0, 4, 1, 5);
  const heddle_four_NAME cd = __builtin_shufflevector(c, d, 0, 4, 1, 5);
  const heddle_four_NAME ab2 = __builtin_shufflevector(a, b, 2, 6, 3, 7);
  const heddle_four_NAME cd2 = __builtin_shufflevector(c, d, 2, 6, 3, 7);
  *(heddle_four_NAME*)to = __builtin_shufflevector(ab, cd, 0, 1, 4, 5);
  *(heddle_four_NAME*)(to + side) = __builtin_shufflevector(ab, cd, 2, 3, 6, 7);
  *(heddle_four_NAME*)(to + 2 * side) = __builtin_shufflevector(ab2, cd2, 0, 1, 4, 5);
  *(heddle_four_NAME*)(to + 3 * side) = __builtin_shufflevector(ab2, cd2, 2, 3, 6, 7);
}
//@ heddle_four_NAME
#endif
#endif
//@ heddle_pack_NAME(): heddle_loaded_NAME heddle_four_NAME heddle_transpose_NAME
static inline void heddle_pack_NAME(
    const int side, TYPE* to, long to_step, const FROM* from, long row, long step, int rows,
    int depth) {
  int k = 0;
#if defined(HEDDLE_TRANSPOSES_NAME)
  enum { kSteps = 16, kMostRows = 64 };
  for (; step == 1 && rows >= side && side % 4 == 0 && side <= kMostRows && k + kSteps <= depth; k += kSteps) {
//? CONVERTED
/// A piece of the rows, converted.
    TYPE held[kMostRows * kSteps];
    for (int i = 0; i < side; ++i) {
#pragma omp simd
      for (int j = 0; j < kSteps; ++j) {
        held[i * kSteps + j] = heddle_loaded_NAME(from[i * row + k + j]);
      }
    }
//?
    for (int i = 0; i < side; i += 4) {
      for (int j = 0; j < kSteps; j += 4) {
        heddle_transpose_NAME(ROWS_OF_I + j, ROW, to + (k + j) * to_step + i, to_step);
      }
    }
  }
#endif
  if (row == 1 && rows >= side) {
    for (; k < depth; ++k) {
      __builtin_prefetch(from + (k + 16) * step);
#pragma omp simd
      for (int i = 0; i < side; ++i) to[k * to_step + i] = heddle_loaded_NAME(from[k * step + i]);
    }
  }
  for (; k < depth; ++k) {
    for (int i = 0; i < side; ++i) {
      to[k * to_step + i] = i < rows ? heddle_loaded_NAME(from[i * row + k * step]) : 0;
    }
  }
}

/// Four steps of each row together.
//@ heddle_pack_bytes_of_NAME()
static inline void heddle_pack_bytes_of_NAME(
    const int side, int* to, long to_step, const FROM* from, long row, long step, int rows,
    int depth) {
  int k = 0;
  if (step == 1 && rows >= side) {
    for (; k + 4 <= depth; k += 4) {
      for (int i = 0; i < side; ++i) memcpy(to + k / 4 * to_step + i, from + i * row + k, 4);
    }
  }
  if (row == 1 && rows >= side) {
    for (; k + 4 <= depth; k += 4) {
      const FROM* const first = from + k * step;
      for (int j = 0; j < 4; ++j) __builtin_prefetch(first + (16 + j) * step);
#pragma omp simd
      for (int i = 0; i < side; ++i) {
        to[k / 4 * to_step + i] = (int)((unsigned)(unsigned char)first[i] |
                                     (unsigned)(unsigned char)first[step + i] << 8 |
                                     (unsigned)(unsigned char)first[2 * step + i] << 16 |
                                     (unsigned)(unsigned char)first[3 * step + i] << 24);
      }
    }
  }
  for (; k < depth; k += 4) {
    for (int i = 0; i < side; ++i) {
      unsigned char four[4] = {0};
      for (int j = 0; i < rows && j < 4 && k + j < depth; ++j) {
        four[j] = (unsigned char)from[i * row + (k + j) * step];
      }
      memcpy(to + k / 4 * to_step + i, four, 4);
    }
  }
}
