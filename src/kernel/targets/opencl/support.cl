/// Sums of floats in memory that others add to.

//@ add_f32()
inline static void add_f32(volatile __global float* to, float value) {
  union { float f; unsigned u; } before, after;
  do {
    before.f = *to;
    after.f = before.f + value;
  } while (atomic_cmpxchg((volatile __global unsigned*)to, before.u, after.u) != before.u);
}
//@ add_local_f32()
inline static void add_local_f32(volatile __local float* to, float value) {
  union { float f; unsigned u; } before, after;
  do {
    before.f = *to;
    after.f = before.f + value;
  } while (atomic_cmpxchg((volatile __local unsigned*)to, before.u, after.u) != before.u);
}
