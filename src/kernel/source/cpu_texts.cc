#include "kernel/source/cpu_texts.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "core/words.h"
#include "heddle/kernel/thread_program.h"
#include "kernel/lower/gemm_blocks.h"
#include "kernel/source/conversions.h"
#include "kernel/source/cpu_callers.h"

namespace heddle::kernel {

namespace {

constexpr std::string_view kHead =
    R"(// cc -std=gnu17 -O3 -march=native -fopenmp -fno-math-errno -fno-trapping-math
//    -ffp-contract=off -fPIC -shared, and for clang -fno-vectorize

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <math.h>
#include <stdlib.h>
#include <string.h>
#if defined(_OPENMP)
int omp_get_thread_num(void);
int omp_get_max_threads(void);
int omp_get_num_procs(void);
#endif
#if defined(__linux__)
#include <sched.h>
#endif
#if defined(__x86_64__)
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif
)";

/// One rounding where the machine has it; the constants below are made so that two do as well.
constexpr std::string_view kParts = R"(
static inline float heddle_fma_f32(float a, float b, float c) {
#if defined(__FMA__) || defined(__ARM_FEATURE_FMA)
  return __builtin_fmaf(a, b, c);
#else
  return a * b + c;
#endif
}
static inline int heddle_bits_f32(float x) {
  union { float f; int i; } both;
  both.f = x;
  return both.i;
}
static inline float heddle_of_bits_f32(int i) {
  union { float f; int i; } both;
  both.i = i;
  return both.f;
}
/* 2^n * e^r for |r| <= ln(2)/2, n from -151 to 129; z is n + 1.5*2^23. */
static inline float heddle_scaled_exp_f32(float r, float z) {
  const int n = heddle_bits_f32(z) - heddle_bits_f32(0x1.8p23f);
  float q = 0.000198919813f;
  q = heddle_fma_f32(q, r, 0.00139345419f);
  q = heddle_fma_f32(q, r, 0.00833331002f);
  q = heddle_fma_f32(q, r, 0.0416664568f);
  q = heddle_fma_f32(q, r, 0.166666667f);
  q = heddle_fma_f32(q, r, 0.5f);
  const float e = heddle_fma_f32(r * r, q, r) + 1.0f;
  /* In two steps, for results that are not normal numbers. */
  const int half = n >> 1;
  return e * heddle_of_bits_f32((int)((unsigned)(half + 127) << 23)) *
         heddle_of_bits_f32((int)((unsigned)(n - half + 127) << 23));
}
)";

/// Within 1 ulp.
constexpr std::string_view kExp = R"(
static inline float heddle_exp_f32(float x) {
  x = x > 89.0f ? 89.0f : x;
  x = x < -104.0f ? -104.0f : x;
  const float z = heddle_fma_f32(x, 0x1.715476p+0f, 0x1.8p23f);
  const float n = z - 0x1.8p23f;
  float r = heddle_fma_f32(n, -0.693145752f, x);
  r = heddle_fma_f32(n, -1.42860682e-06f, r);
  return heddle_scaled_exp_f32(r, z);
}
)";

/// Within 1 ulp.
constexpr std::string_view kExp2 = R"(
static inline float heddle_exp2_f32(float x) {
  x = x > 129.0f ? 129.0f : x;
  x = x < -151.0f ? -151.0f : x;
  const float z = x + 0x1.8p23f;
  return heddle_scaled_exp_f32((x - (z - 0x1.8p23f)) * 0.693147181f, z);
}
)";

/// log(x) is e*ln(2) + log(1 + f), with f from -1/3 to 1/3. Within 2 ulp.
constexpr std::string_view kLog = R"(
static inline float heddle_log1p_f32(float f) {
  float p = 0.113306174f;
  p = heddle_fma_f32(p, f, -0.124222006f);
  p = heddle_fma_f32(p, f, 0.109156548f);
  p = heddle_fma_f32(p, f, -0.122887216f);
  p = heddle_fma_f32(p, f, 0.142918672f);
  p = heddle_fma_f32(p, f, -0.166733163f);
  p = heddle_fma_f32(p, f, 0.199999484f);
  p = heddle_fma_f32(p, f, -0.249999442f);
  p = heddle_fma_f32(p, f, 0.333333333f);
  return heddle_fma_f32(f * f, heddle_fma_f32(p, f, -0.5f), f);
}
static inline float heddle_log_parts_f32(float x, float* f) {
  const int is_small = x < 0x1p-126f;
  const float scaled = is_small ? x * 0x1p25f : x;
  const unsigned bits = (unsigned)heddle_bits_f32(scaled);
  const int e = (int)(bits - 0x3f2aaaabu) >> 23;
  *f = heddle_of_bits_f32((int)(bits - ((unsigned)e << 23))) - 1.0f;
  return (float)e - (is_small ? 25.0f : 0.0f);
}
static inline float heddle_log_special_f32(float x, float result) {
  result = x == 0.0f ? -INFINITY : result;
  result = x < 0.0f ? NAN : result;
  result = x == INFINITY ? x : result;
  return x != x ? x : result;
}
static inline float heddle_log_f32(float x) {
  float f;
  const float e = heddle_log_parts_f32(x, &f);
  const float low = heddle_fma_f32(e, 1.42860682e-06f, heddle_log1p_f32(f));
  return heddle_log_special_f32(x, heddle_fma_f32(e, 0.693145752f, low));
}
static inline float heddle_log2_f32(float x) {
  float f;
  const float e = heddle_log_parts_f32(x, &f);
  return heddle_log_special_f32(x, heddle_fma_f32(heddle_log1p_f32(f), 1.44269504f, e));
}
)";

/// x + x^3 p(x^2) near 0, else 1 - 2/(e^2x + 1). Within 2 ulp.
constexpr std::string_view kTanh = R"(
static inline float heddle_tanh_f32(float x) {
  const float a = fabsf(x);
  const float s = x * x;
  float p = 0.00215037035f;
  p = heddle_fma_f32(p, s, -0.00820884011f);
  p = heddle_fma_f32(p, s, 0.0217244759f);
  p = heddle_fma_f32(p, s, -0.0539533663f);
  p = heddle_fma_f32(p, s, 0.133332767f);
  p = heddle_fma_f32(p, s, -0.33333333f);
  const float near_zero = heddle_fma_f32(x * s, p, x);
  const float far = 1.0f - 2.0f / (heddle_exp_f32(a + a) + 1.0f);
  return copysignf(a < 0.625f ? near_zero : far, x);
}
)";

/// x p(x^2) below 1, else 1 - e^-q(x). Within 3 ulp.
constexpr std::string_view kErf = R"(
static inline float heddle_erf_f32(float x) {
  const float a = fabsf(x);
  const float s = x * x;
  float p = -9.66704457e-06f;
  p = heddle_fma_f32(p, s, 0.00011265959f);
  p = heddle_fma_f32(p, s, -0.000848408041f);
  p = heddle_fma_f32(p, s, 0.00522103181f);
  p = heddle_fma_f32(p, s, -0.0268654307f);
  p = heddle_fma_f32(p, s, 0.112837825f);
  p = heddle_fma_f32(p, s, -0.376126385f);
  p = heddle_fma_f32(p, s, 1.12837917f);
  const float c = a > 3.95f ? 3.95f : a;
  float q = -1.66137001e-06f;
  q = heddle_fma_f32(q, c, 4.65144513e-05f);
  q = heddle_fma_f32(q, c, -0.000600458436f);
  q = heddle_fma_f32(q, c, 0.00477576812f);
  q = heddle_fma_f32(q, c, -0.0264643277f);
  q = heddle_fma_f32(q, c, 0.110151129f);
  q = heddle_fma_f32(q, c, 0.631755974f);
  q = heddle_fma_f32(q, c, 1.13027122f);
  q = heddle_fma_f32(q, c, -0.000328646582f);
  const float far = 1.0f - heddle_exp_f32(-q);
  return x != x ? x : a < 1.0f ? x * p : copysignf(far, x);
}
)";

bool has_function_of_f32(std::string_view name) {
  constexpr std::array<std::string_view, 6> kNames = {"exp", "exp2", "log", "log2", "tanh", "erf"};
  return std::ranges::find(kNames, name) != kNames.end();
}

/// Of two numbers, and of a number and NaN the number; of equals the first.
std::string extreme_text(std::string_view name, DType type, std::string_view c_type) {
  const std::string_view sign = name == "min" ? "<" : ">";
  const std::string is_no_number = is_float(type) ? " || a != a" : "";
  return fmt::format(
      "\nstatic inline {0} heddle_{1}_{2}({0} a, {0} b) {{ return b {3} a{4} ? b : a; }}\n", c_type,
      name, name_of(type), sign, is_no_number);
}

std::string listed(const std::vector<CParameter>& parameters) {
  std::string text;
  for (const CParameter& each : parameters) text += fmt::format("{} {}, ", each.type, each.name);
  return text;
}

/// C += A B of a tile, or C = A B, whose sums stay in vector registers.
constexpr std::string_view kVectors = R"(
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
)";

constexpr std::string_view kVectorType = R"(
typedef HELD heddle_NAMEs
    __attribute__((vector_size(HEDDLE_VECTOR_BYTES), aligned(sizeof(HELD)), may_alias));
)";

/// HEDDLE_HEIGHT is how many rows of a tile the registers have room for at once.
constexpr std::string_view kMultiply = R"(
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
static inline __attribute__((always_inline)) void heddle_tile_NAME_SIZE(
    const int rows, int depth, const TYPE* a, long a_row, long a_step, const TYPE* b, long b_step,
    TYPE* c, long c_row, int adds) {
  enum { kLanes = HEDDLE_VECTOR_BYTES / sizeof(TYPE), kVectors = COLUMNS / kLanes };
  heddle_NAMEs sums[HEDDLE_HEIGHT][kVectors];
NO_EXCESS#pragma GCC unroll 32
  for (int i = 0; i < rows; ++i) {
    __builtin_prefetch(c + i * c_row, 1);
#pragma GCC unroll 32
    for (int v = 0; v < kVectors; ++v) sums[i][v] = (heddle_NAMEs){0};
  }
  for (int k = 0; k < depth; ++k) {
    heddle_NAMEs row[kVectors];
#pragma GCC unroll 32
    for (int v = 0; v < kVectors; ++v) row[v] = *(const heddle_NAMEs*)(b + v * kLanes);
ADD_EXCESS#pragma GCC unroll 32
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
SUBTRACT_EXCESS#pragma GCC unroll 32
  for (int i = 0; i < rows; ++i) {
#pragma GCC unroll 32
    for (int v = 0; v < kVectors; ++v) {
      heddle_NAMEs* const to = (heddle_NAMEs*)(c + i * c_row + v * kLanes);
      if (adds) sums[i][v] += *to;
      *to = sums[i][v];
    }
  }
}
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
CASES  }
}
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
)";

/// Sums of products of four bytes each, which are exact: by instructions for bytes without a sign
/// and with one, of which a byte with a sign becomes one without by adding 128; else in pairs of 16
/// bits.
constexpr std::string_view kBytes = R"(
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
)";

constexpr std::string_view kDot = R"(
static inline __attribute__((always_inline)) heddle_words heddle_vector_fma_A_B(
    heddle_words a, heddle_words b, heddle_words c) {
#if defined(HEDDLE_DOT) && HAS_DOT
  return HEDDLE_DOT(UNSIGNED, SIGNED, c);
#else
  return heddle_pairs(heddle_even_A(a), heddle_even_B(b)) +
         heddle_pairs(heddle_odd_A(a), heddle_odd_B(b)) + c;
#endif
}
)";

/// What 128 times the bytes of B is too much.
constexpr std::string_view kNoExcess = R"(#if defined(HEDDLE_DOT)
  heddle_words excess[kVectors];
  for (int v = 0; v < kVectors; ++v) excess[v] = (heddle_words){0};
#endif
)";
constexpr std::string_view kAddExcess = R"(#if defined(HEDDLE_DOT)
    for (int v = 0; v < kVectors; ++v) {
      excess[v] = HEDDLE_DOT((heddle_words){0} + 0x80808080u, row[v], excess[v]);
    }
#endif
)";
constexpr std::string_view kSubtractExcess = R"(#if defined(HEDDLE_DOT)
  for (int i = 0; i < rows; ++i) {
    for (int v = 0; v < kVectors; ++v) sums[i][v] -= excess[v];
  }
#endif
)";

/// `f32`, `i8_u8`: the types of a tile in names of functions.
std::string types_of(const TileFunction& tile) {
  if (tile.a == tile.type) return std::string(name_of(tile.type));
  return fmt::format("{}_{}", name_of(tile.a), name_of(tile.b));
}

std::string dot_text(const TileFunction& tile) {
  const bool a_has_sign = tile.a == DType::kI8;
  const bool b_has_sign = tile.b == DType::kI8;
  return replaced(std::string(kDot),
                  {{"HAS_DOT", a_has_sign || b_has_sign ? "1" : "0"},
                   {"UNSIGNED", !a_has_sign ? "a" : (b_has_sign ? "a ^ 0x80808080u" : "b")},
                   {"SIGNED", b_has_sign ? "b" : "a"},
                   {"A_B", types_of(tile)},
                   {"_A(", fmt::format("_{}(", name_of(tile.a))},
                   {"_B(", fmt::format("_{}(", name_of(tile.b))}});
}

std::string vector_type_text(const TileFunction& tile) {
  // Sums of integers wrap.
  return replaced(
      std::string(kVectorType),
      {{"NAME", types_of(tile)},
       {"HELD",
        std::string(tile.type == DType::kI32 ? "unsigned" : stored_as(tile.type, Target::kCpu))}});
}

/// The registers that a tile's rows are counted for, by the name that the text has for them.
struct NamedRegisters {
  std::string_view name;
  VectorRegisters registers;
};
constexpr std::array<NamedRegisters, 4> kHeights = {{{"HEIGHT_OF_512", {64, 32}},
                                                     {"HEIGHT_OF_256", {32, 16}},
                                                     {"HEIGHT_OF_NEON", {16, 32}},
                                                     {"HEIGHT_OF_128", {16, 16}}}};

/// Tiles of fewer rows than are in registers at once, which are at most so many.
std::string cases_text(std::int64_t most) {
  std::string cases;
  for (std::int64_t rows = 1; rows < most; ++rows) {
    cases += fmt::format(
        "#if HEDDLE_HEIGHT > {0}\n"
        "    case {0}:\n      heddle_tile_NAME_SIZE({0}, depth, a, a_row, a_step, b, b_step, c, "
        "c_row, adds);\n"
        "      break;\n"
        "#endif\n",
        rows);
  }
  return cases;
}

std::string multiply_text(const TileFunction& tile) {
  const bool has_excess = tile.a == DType::kI8 && tile.b == DType::kI8;
  const auto if_excess = [&](std::string_view text) {
    return std::string(has_excess ? text : std::string_view());
  };
  std::vector<std::pair<std::string, std::string>> by;
  std::int64_t most = 1;
  for (const auto& [name, registers] : kHeights) {
    const std::int64_t height = tile_height(tile.size, bits(tile.type) / 8, registers);
    by.emplace_back(name, std::to_string(height));
    most = std::max(most, height);
  }
  const std::vector<std::pair<std::string, std::string>> rest = {
      {"NO_EXCESS", if_excess(kNoExcess)},
      {"ADD_EXCESS", if_excess(kAddExcess)},
      {"SUBTRACT_EXCESS", if_excess(kSubtractExcess)},
      {"CASES", cases_text(most)},
      {"NAME", types_of(tile)},
      {"SIZE", fmt::format("{}x{}", tile.size.rows, tile.size.columns)},
      {"TYPE", std::string(stored_as(tile.type, Target::kCpu))},
      {"HELD",
       std::string(tile.type == DType::kI32 ? "unsigned" : stored_as(tile.type, Target::kCpu))},
      {"ROWS", std::to_string(tile.size.rows)},
      {"COLUMNS", std::to_string(tile.size.columns)}};
  by.insert(by.end(), rest.begin(), rest.end());
  return replaced(std::string(kMultiply), by);
}

/// How many threads work, and how each is kept on one core while it does.
constexpr std::string_view kWorkers = R"(
static inline int heddle_workers(int threads) {
#if defined(_OPENMP)
  const int most = omp_get_num_procs();
  if (threads <= 0) return omp_get_max_threads();
  return threads < most ? threads : most;
#else
  return threads <= 1;
#endif
}
static inline int heddle_worker(void) {
#if defined(_OPENMP)
  return omp_get_thread_num();
#else
  return 0;
#endif
}
#if defined(__linux__)
typedef cpu_set_t heddle_cores;
static int heddle_pin(heddle_cores* before, int core) {
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(core + heddle_worker(), &one);
  if (sched_getaffinity(0, sizeof *before, before) != 0) CPU_ZERO(before);
  return sched_setaffinity(0, sizeof one, &one) == 0;
}
static void heddle_unpin(const heddle_cores* before) {
  if (CPU_COUNT(before) != 0) sched_setaffinity(0, sizeof *before, before);
}
#else
typedef int heddle_cores;
static int heddle_pin(heddle_cores* before, int core) {
  *before = core;
  return 0;
}
static void heddle_unpin(const heddle_cores* before) { (void)before; }
#endif
)";

}  // namespace

std::string cpu_head() { return std::string(kHead); }

std::string cpu_workers() { return std::string(kWorkers); }

bool CpuFunctions::add(std::string_view name, DType type) {
  const bool is_known = name == "min" || name == "max" || (name == "rsqrt" && is_float(type)) ||
                        (type == DType::kF32 && has_function_of_f32(name));
  if (is_known) used_.emplace(name, type);
  return is_known;
}

std::string name_of(const TileFunction& tile) {
  return fmt::format("heddle_multiply_{}_{}x{}", types_of(tile), tile.size.rows, tile.size.columns);
}

std::string CpuFunctions::text() const {
  const auto uses = [&](std::string_view name) {
    return used_.contains({std::string(name), DType::kF32});
  };
  const bool has_exp = uses("exp") || uses("tanh") || uses("erf");
  std::string text;
  if (has_exp || uses("exp2") || uses("log") || uses("log2")) text += kParts;
  if (has_exp) text += kExp;
  if (uses("exp2")) text += kExp2;
  if (uses("log") || uses("log2")) text += kLog;
  if (uses("tanh")) text += kTanh;
  if (uses("erf")) text += kErf;
  if (!tiles_.empty()) text += kVectors;
  const auto has_bytes = [](const TileFunction& each) { return each.a != each.type; };
  if (std::ranges::any_of(tiles_, has_bytes)) text += kBytes;
  std::set<std::string> with_vectors;
  for (const TileFunction& tile : tiles_) {
    if (with_vectors.insert(types_of(tile)).second) {
      text += vector_type_text(tile) + (has_bytes(tile) ? dot_text(tile) : "");
    }
    text += multiply_text(tile);
  }
  for (const auto& [name, type] : used_) {
    if (name == "min" || name == "max")
      text += extreme_text(name, type, stored_as(type, Target::kCpu));
    if (name != "rsqrt") continue;
    const bool is_double = type == DType::kF64;
    text += fmt::format("\nstatic inline {0} heddle_rsqrt_{1}({0} x) {{ return 1 / {2}(x); }}\n",
                        stored_as(type, Target::kCpu), name_of(type), is_double ? "sqrt" : "sqrtf");
  }
  return text;
}

namespace {

/// A function that computes an extent of the grid, whose sums need not fit into 32 bits, and a call
/// of it.
struct ExtentText {
  std::string function;
  std::string call;
};
ExtentText extent_text(const CpuFunction& function, std::size_t dimension) {
  const std::string& extent = function.grid[dimension];
  std::vector<std::string> parameters;
  std::vector<std::string> arguments;
  for (const CParameter& each : function.parameters) {
    if (!has_word(extent, each.name)) continue;
    parameters.push_back("long long " + each.name);
    arguments.push_back(each.name);
  }
  if (parameters.empty()) parameters.emplace_back("void");
  const std::string name = fmt::format("heddle_extent_{}_{}", function.name, dimension);
  return {fmt::format("\nstatic inline long long {}({}) {{ return {}; }}\n", name,
                      fmt::join(parameters, ", "), extent),
          fmt::format("{}({})", name, fmt::join(arguments, ", "))};
}

/// The blocks of a grid: the functions of its extents, how many blocks there are, the parameters of
/// a block, and what they are for block `heddle_i`.
struct GridText {
  std::string extents;
  std::string count = "1";
  std::string parameters;
  std::string arguments;
  std::string unused;
};
GridText grid_text(const CpuFunction& function) {
  constexpr std::array<std::string_view, 3> kBlocks = {"bx", "by", "bz"};
  GridText grid;
  for (std::size_t d = 0; d != function.grid.size(); ++d) {
    const auto [defined, extent] = extent_text(function, d);
    const std::string rest = d == 0 ? "heddle_i" : fmt::format("heddle_i / ({})", grid.count);
    grid.extents += defined;
    grid.count = d == 0 ? extent : fmt::format("{} * {}", grid.count, extent);
    grid.parameters += fmt::format("const int {}, ", kBlocks[d]);
    grid.arguments += fmt::format("(int)({} % ({})), ", rest, extent);
    grid.unused += fmt::format("  (void){};\n", kBlocks[d]);
  }
  return grid;
}

/// What a block does.
std::string block_text(const CpuFunction& function, const GridText& grid) {
  std::string unused;
  for (const CParameter& each : function.parameters) {
    if (!has_word(function.body, each.name)) unused += fmt::format("  (void){};\n", each.name);
  }
  return fmt::format(
      "\nstatic void heddle_block_{}({}{}unsigned char* heddle_memory) {{\n{}{}  "
      "(void)heddle_memory;\n{}}}\n",
      function.name, listed(function.parameters), grid.parameters, unused, grid.unused,
      function.body);
}

/// All blocks, given to threads.
std::string blocks_text(const CpuFunction& function, const GridText& grid) {
  std::string names;
  for (const CParameter& each : function.parameters) names += each.name + ", ";
  return fmt::format(R"(
int {0}({1}int heddle_threads, int heddle_core) {{
  const long long heddle_blocks = {2};
  int heddle_failed = 0;
  int heddle_count = heddle_workers(heddle_threads);
  if (heddle_count == 0) return 2;
  if (heddle_blocks < heddle_count) heddle_count = heddle_blocks < 1 ? 1 : (int)heddle_blocks;
#pragma omp parallel num_threads(heddle_count)
  {{
    heddle_cores heddle_before;
    if (heddle_core >= 0 && !heddle_pin(&heddle_before, heddle_core)) {{
#pragma omp atomic write
      heddle_failed = 2;
    }}
    unsigned char* const heddle_memory = aligned_alloc(64, {3});
    if (heddle_memory == NULL) {{
#pragma omp atomic write
      heddle_failed = 1;
    }}
#pragma omp barrier
#pragma omp for schedule(dynamic, heddle_blocks / (32LL * heddle_count) + 1)
    for (long long heddle_i = 0; heddle_i < (heddle_failed ? 0 : heddle_blocks); ++heddle_i) {{
      heddle_block_{0}({4}{5}heddle_memory);
    }}
    free(heddle_memory);
    if (heddle_core >= 0) heddle_unpin(&heddle_before);
  }}
  return heddle_failed;
}}
)",
                     function.name, listed(function.parameters), grid.count,
                     (std::max<std::int64_t>(function.bytes, 1) + 63) / 64 * 64, names,
                     grid.arguments);
}

/// The same with the arguments behind pointers.
std::string run_text(const CpuFunction& function) {
  std::string loaded;
  for (std::size_t i = 0; i != function.parameters.size(); ++i) {
    const std::string& type = function.parameters[i].type;
    loaded += type.ends_with('*') ? fmt::format("({})heddle_arguments[{}], ", type, i)
                                  : fmt::format("*(const {}*)heddle_arguments[{}], ", type, i);
  }
  return fmt::format(R"(
int heddle_run_{0}(void* const* heddle_arguments, int heddle_threads, int heddle_core) {{
  (void)heddle_arguments;
  return {0}({1}heddle_threads, heddle_core);
}}
)",
                     function.name, loaded);
}

}  // namespace

std::string to_string(const CpuFunction& function) {
  const GridText grid = grid_text(function);
  return grid.extents + block_text(function, grid) + blocks_text(function, grid) +
         run_text(function);
}

}  // namespace heddle::kernel
