/// The functions of floats and integers that C lacks, or that compilers make no vectors of.
#include "head.h"
#define TYPE float
#define OR_NAN || a != a
#define SQUARE_ROOT sqrtf

/// One rounding where the machine has it; the constants below are made so that two do as well.
//@ heddle_fma_f32()
static inline float heddle_fma_f32(float a, float b, float c) {
#if defined(__FMA__) || defined(__ARM_FEATURE_FMA)
  return __builtin_fmaf(a, b, c);
#else
  return a * b + c;
#endif
}
//@ heddle_bits_f32()
static inline int heddle_bits_f32(float x) {
  union { float f; int i; } both;
  both.f = x;
  return both.i;
}
//@ heddle_of_bits_f32()
static inline float heddle_of_bits_f32(int i) {
  union { float f; int i; } both;
  both.i = i;
  return both.f;
}
//@ heddle_scaled_exp_f32(): heddle_fma_f32 heddle_bits_f32 heddle_of_bits_f32
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

/// Within 1 ulp.
//@ heddle_exp_f32(): heddle_fma_f32 heddle_scaled_exp_f32
static inline float heddle_exp_f32(float x) {
  x = x > 89.0f ? 89.0f : x;
  x = x < -104.0f ? -104.0f : x;
  const float z = heddle_fma_f32(x, 0x1.715476p+0f, 0x1.8p23f);
  const float n = z - 0x1.8p23f;
  float r = heddle_fma_f32(n, -0.693145752f, x);
  r = heddle_fma_f32(n, -1.42860682e-06f, r);
  return heddle_scaled_exp_f32(r, z);
}

/// Within 1 ulp.
//@ heddle_exp2_f32(): heddle_scaled_exp_f32
static inline float heddle_exp2_f32(float x) {
  x = x > 129.0f ? 129.0f : x;
  x = x < -151.0f ? -151.0f : x;
  const float z = x + 0x1.8p23f;
  return heddle_scaled_exp_f32((x - (z - 0x1.8p23f)) * 0.693147181f, z);
}

/// log(x) is e*ln(2) + log(1 + f), with f from -1/3 to 1/3. Within 2 ulp.
//@ heddle_log1p_f32(): heddle_fma_f32
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
//@ heddle_log_parts_f32(): heddle_bits_f32 heddle_of_bits_f32
static inline float heddle_log_parts_f32(float x, float* f) {
  const int is_small = x < 0x1p-126f;
  const float scaled = is_small ? x * 0x1p25f : x;
  const unsigned bits = (unsigned)heddle_bits_f32(scaled);
  const int e = (int)(bits - 0x3f2aaaabu) >> 23;
  *f = heddle_of_bits_f32((int)(bits - ((unsigned)e << 23))) - 1.0f;
  return (float)e - (is_small ? 25.0f : 0.0f);
}
//@ heddle_log_special_f32()
static inline float heddle_log_special_f32(float x, float result) {
  result = x == 0.0f ? -INFINITY : result;
  result = x < 0.0f ? NAN : result;
  result = x == INFINITY ? x : result;
  return x != x ? x : result;
}
//@ heddle_log_f32(): heddle_fma_f32 heddle_log1p_f32 heddle_log_parts_f32 heddle_log_special_f32
static inline float heddle_log_f32(float x) {
  float f;
  const float e = heddle_log_parts_f32(x, &f);
  const float low = heddle_fma_f32(e, 1.42860682e-06f, heddle_log1p_f32(f));
  return heddle_log_special_f32(x, heddle_fma_f32(e, 0.693145752f, low));
}
//@ heddle_log2_f32(): heddle_fma_f32 heddle_log1p_f32 heddle_log_parts_f32 heddle_log_special_f32
static inline float heddle_log2_f32(float x) {
  float f;
  const float e = heddle_log_parts_f32(x, &f);
  return heddle_log_special_f32(x, heddle_fma_f32(heddle_log1p_f32(f), 1.44269504f, e));
}

/// x + x^3 p(x^2) near 0, else 1 - 2/(e^2x + 1). Within 2 ulp.
//@ heddle_tanh_f32(): heddle_fma_f32 heddle_exp_f32
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

/// x p(x^2) below 1, else 1 - e^-q(x). Within 3 ulp.
//@ heddle_erf_f32(): heddle_fma_f32 heddle_exp_f32
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

/// The lesser or the greater of two numbers; the number if the other is NaN, and the first of equals.
//@ heddle_min_NAME()
static inline TYPE heddle_min_NAME(TYPE a, TYPE b) { return b < a OR_NAN ? b : a; }

//@ heddle_max_NAME()
static inline TYPE heddle_max_NAME(TYPE a, TYPE b) { return b > a OR_NAN ? b : a; }

//@ heddle_rsqrt_NAME()
static inline TYPE heddle_rsqrt_NAME(TYPE x) { return 1 / SQUARE_ROOT(x); }
