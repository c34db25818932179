/// C += A B of a tile, or C = A B, whose sums stay in vector registers.
#include "head.h"
/// A tile of products of bytes with a sign.
#define TYPE int
#define HELD unsigned
#define ROWS 12
#define COLUMNS 16
#define HEIGHT_OF_512 12
#define HEIGHT_OF_256 6
#define HEIGHT_OF_NEON 6
#define HEIGHT_OF_128 3
#define CASES
#define HAS_DOT 1
#define NO_SIGN a ^ 0x80808080u
#define WITH_SIGN b

//@ HEDDLE_VECTOR_BYTES
#if defined(__AVX512F__)
#define HEDDLE_VECTOR_BYTES 64
#define heddle_vector_fma_f32(a, b, c) \
  (heddle_f32s)_mm512_fmadd_ps((__m512)(a), (__m512)(b), (__m512)(c))
#define heddle_vector_fma_f64(a, b, c) \
  (heddle_f64s)_mm512_fmadd_pd((__m512d)(a), (__m512d)(b), (__m512d)(c))
#elif defined(__FMA__)
#define HEDDLE_VECTOR_BYTES 32
#define heddle_vector_fma_f32(a, b, c) \
  (heddle_f32s)_mm256_fmadd_ps((__m256)(a), (__m256)(b), (__m256)(c))
#define heddle_vector_fma_f64(a, b, c) \
  (heddle_f64s)_mm256_fmadd_pd((__m256d)(a), (__m256d)(b), (__m256d)(c))
#elif defined(__aarch64__)
#define HEDDLE_VECTOR_BYTES 16
#define heddle_vector_fma_f32(a, b, c) \
  (heddle_f32s)vfmaq_f32((float32x4_t)(c), (float32x4_t)(a), (float32x4_t)(b))
#define heddle_vector_fma_f64(a, b, c) \
  (heddle_f64s)vfmaq_f64((float64x2_t)(c), (float64x2_t)(a), (float64x2_t)(b))
#else
#define HEDDLE_VECTOR_BYTES 16
#define heddle_vector_fma_f32(a, b, c) ((a) * (b) + (c))
#define heddle_vector_fma_f64(a, b, c) ((a) * (b) + (c))
#endif
#define heddle_vector_fma_i32(a, b, c) ((a) * (b) + (c))

//@ heddle_NAMEs: HEDDLE_VECTOR_BYTES
typedef HELD heddle_NAMEs
    __attribute__((vector_size(HEDDLE_VECTOR_BYTES), aligned(sizeof(HELD)), may_alias));

/// Sums of products of four bytes each, which are exact: by instructions for bytes without a sign and with
/// one, of which a byte with a sign becomes one without by adding 128; else in pairs of 16 bits.
//@ HEDDLE_DOT: HEDDLE_VECTOR_BYTES
typedef unsigned heddle_words __attribute__((vector_size(HEDDLE_VECTOR_BYTES)));
typedef int heddle_ints __attribute__((vector_size(HEDDLE_VECTOR_BYTES)));
typedef short heddle_shorts __attribute__((vector_size(HEDDLE_VECTOR_BYTES)));
#if HEDDLE_VECTOR_BYTES == 64 && defined(__AVX512VNNI__)
#define HEDDLE_DOT(u, s, c) \
  (heddle_words)_mm512_dpbusd_epi32((__m512i)(c), (__m512i)(u), (__m512i)(s))
#elif HEDDLE_VECTOR_BYTES == 32 && defined(__AVXVNNI__)
#define HEDDLE_DOT(u, s, c) \
  (heddle_words)_mm256_dpbusd_avx_epi32((__m256i)(c), (__m256i)(u), (__m256i)(s))
#endif
#if HEDDLE_VECTOR_BYTES == 64 && defined(__AVX512BW__)
#define heddle_pairs(a, b) (heddle_words)_mm512_madd_epi16((__m512i)(a), (__m512i)(b))
#elif HEDDLE_VECTOR_BYTES == 32 && defined(__AVX2__)
#define heddle_pairs(a, b) (heddle_words)_mm256_madd_epi16((__m256i)(a), (__m256i)(b))
#elif HEDDLE_VECTOR_BYTES == 16 && defined(__SSE2__)
#define heddle_pairs(a, b) (heddle_words)_mm_madd_epi16((__m128i)(a), (__m128i)(b))
#else
#define heddle_low(x) (heddle_words)((heddle_ints)((x) << 16) >> 16)
#define heddle_high(x) (heddle_words)((heddle_ints)(x) >> 16)
#define heddle_pairs(a, b) (heddle_low(a) * heddle_low(b) + heddle_high(a) * heddle_high(b))
#endif
#define heddle_even_i8(x) (heddle_words)((heddle_shorts)((x) << 8) >> 8)
#define heddle_odd_i8(x) (heddle_words)((heddle_shorts)(x) >> 8)
#define heddle_even_u8(x) ((x) & 0x00ff00ffu)
#define heddle_odd_u8(x) ((x) >> 8 & 0x00ff00ffu)

//@ heddle_vector_fma_NAME(): HEDDLE_DOT
static inline __attribute__((always_inline)) heddle_words heddle_vector_fma_NAME(
    heddle_words a, heddle_words b, heddle_words c) {
#if defined(HEDDLE_DOT) && HAS_DOT
  return HEDDLE_DOT(NO_SIGN, WITH_SIGN, c);
#else
  return heddle_pairs(heddle_even_i8(a), heddle_even_i8(b)) +
         heddle_pairs(heddle_odd_i8(a), heddle_odd_i8(b)) + c;
#endif
}

/// HEDDLE_HEIGHT is how many rows of a tile the registers have room for at once.
//@ height_of_NAME_SIZE: HEDDLE_VECTOR_BYTES
#undef HEDDLE_HEIGHT
#if HEDDLE_VECTOR_BYTES == 64
#define HEDDLE_HEIGHT HEIGHT_OF_512
#elif HEDDLE_VECTOR_BYTES == 32
#define HEDDLE_HEIGHT HEIGHT_OF_256
#elif defined(__aarch64__)
#define HEDDLE_HEIGHT HEIGHT_OF_NEON
#else
#define HEDDLE_HEIGHT HEIGHT_OF_128
#endif
//@ heddle_tile_NAME_SIZE(): heddle_NAMEs heddle_vector_fma_NAME height_of_NAME_SIZE
static inline __attribute__((always_inline)) void heddle_tile_NAME_SIZE(
    const int rows, int depth, const TYPE* a, long a_row, long a_step, const TYPE* b, long b_step,
    TYPE* c, long c_row, int adds) {
  enum { kLanes = HEDDLE_VECTOR_BYTES / sizeof(TYPE), kVectors = COLUMNS / kLanes };
  heddle_NAMEs sums[HEDDLE_HEIGHT][kVectors];
//? EXCESS
/// What 128 times the bytes of B is too much.
#if defined(HEDDLE_DOT)
  heddle_words excess[kVectors];
  for (int v = 0; v < kVectors; ++v) excess[v] = (heddle_words){0};
#endif
//?
#pragma GCC unroll 32
  for (int i = 0; i < rows; ++i) {
    __builtin_prefetch(c + i * c_row, 1);
#pragma GCC unroll 32
    for (int v = 0; v < kVectors; ++v) sums[i][v] = (heddle_NAMEs){0};
  }
  for (int k = 0; k < depth; ++k) {
    heddle_NAMEs row[kVectors];
#pragma GCC unroll 32
    for (int v = 0; v < kVectors; ++v) row[v] = *(const heddle_NAMEs*)(b + v * kLanes);
//? EXCESS
#if defined(HEDDLE_DOT)
    for (int v = 0; v < kVectors; ++v) {
      excess[v] = HEDDLE_DOT((heddle_words){0} + 0x80808080u, row[v], excess[v]);
    }
#endif
//?
#pragma GCC unroll 32
    for (int i = 0; i < rows; ++i) {
      const heddle_NAMEs factor = (HELD)a[i * a_row] - (heddle_NAMEs){0};
#pragma GCC unroll 32
      for (int v = 0; v < kVectors; ++v) {
        sums[i][v] = heddle_vector_fma_NAME(factor, row[v], sums[i][v]);
      }
    }
    a += a_step;
    b += b_step;
  }
//? EXCESS
#if defined(HEDDLE_DOT)
  for (int i = 0; i < rows; ++i) {
    for (int v = 0; v < kVectors; ++v) sums[i][v] -= excess[v];
  }
#endif
//?
#pragma GCC unroll 32
  for (int i = 0; i < rows; ++i) {
#pragma GCC unroll 32
    for (int v = 0; v < kVectors; ++v) {
      heddle_NAMEs* const to = (heddle_NAMEs*)(c + i * c_row + v * kLanes);
      if (adds) sums[i][v] += *to;
      *to = sums[i][v];
    }
  }
}
//@ heddle_rows_NAME_SIZE(): height_of_NAME_SIZE heddle_tile_NAME_SIZE
static __attribute__((noinline)) void heddle_rows_NAME_SIZE(
    int rows, int depth, const TYPE* a, long a_row, long a_step, const TYPE* b, long b_step,
    TYPE* c, long c_row, int adds) {
  if (rows == ROWS && a_row == 1 && a_step == ROWS && b_step == COLUMNS) {
    for (int i = 0; i < ROWS; i += HEDDLE_HEIGHT) {
      heddle_tile_NAME_SIZE(HEDDLE_HEIGHT, depth, a + i, 1, ROWS, b, COLUMNS, c + i * c_row, c_row,
                       adds);
    }
    return;
  }
  for (; rows >= HEDDLE_HEIGHT; rows -= HEDDLE_HEIGHT) {
    heddle_tile_NAME_SIZE(HEDDLE_HEIGHT, depth, a, a_row, a_step, b, b_step, c, c_row, adds);
    a += HEDDLE_HEIGHT * a_row;
    c += HEDDLE_HEIGHT * c_row;
  }
  switch (rows) {
CASES
  }
}
//@ heddle_multiply_NAME_SIZE(): heddle_rows_NAME_SIZE
static inline void heddle_multiply_NAME_SIZE(
    int rows, int columns, int depth, const TYPE* a, long a_row, long a_step, const TYPE* b,
    long b_step, TYPE* c, long c_row, int adds) {
  if (columns == COLUMNS) {
    heddle_rows_NAME_SIZE(rows, depth, a, a_row, a_step, b, b_step, c, c_row, adds);
    return;
  }
  TYPE whole[ROWS * COLUMNS] = {0};
  for (int i = 0; adds && i < rows; ++i) {
    memcpy(whole + COLUMNS * i, c + i * c_row, columns * sizeof(TYPE));
  }
  heddle_rows_NAME_SIZE(rows, depth, a, a_row, a_step, b, b_step, whole, COLUMNS, adds);
  for (int i = 0; i < rows; ++i) memcpy(c + i * c_row, whole + COLUMNS * i, columns * sizeof(TYPE));
}
