/// Rows of 16 bytes in registers.
#include "head.h"

//@ heddle_row: heddle_put_row
typedef unsigned char heddle_row __attribute__((vector_size(16)));
typedef unsigned long long heddle_halves __attribute__((vector_size(16)));
#if defined(__clang__)
#define heddle_shuffled(row, ...) __builtin_shufflevector(row, row, __VA_ARGS__)
#define heddle_joined(a, b, i, j) __builtin_shufflevector(a, b, i, j)
#else
#define heddle_shuffled(row, ...) __builtin_shuffle(row, (heddle_row){__VA_ARGS__})
#define heddle_joined(a, b, i, j) __builtin_shuffle(a, b, (heddle_halves){i, j})
#endif
#if defined(__x86_64__)
#define heddle_stream_row(to, row) _mm_stream_si128((__m128i*)(to), (__m128i)(row))
#define heddle_finish_rows() _mm_sfence()
#else
#define heddle_stream_row(to, row) heddle_put_row(to, row)
#define heddle_finish_rows() (void)0
#endif
//@ heddle_row_at(): heddle_row
static inline __attribute__((always_inline)) heddle_row heddle_row_at(const void* from) {
  heddle_row row;
  memcpy(&row, from, sizeof row);
  return row;
}
//@ heddle_put_row(): heddle_row
static inline __attribute__((always_inline)) void heddle_put_row(void* to, heddle_row row) {
  memcpy(to, &row, sizeof row);
}
//@ heddle_takes_streams()
static inline int heddle_takes_streams(const void* to) { return (size_t)to % 16 == 0; }
