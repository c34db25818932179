/// How many threads work, and how each is kept on one core while it does.
#include "head.h"

//@ heddle_workers()
static inline int heddle_workers(int threads) {
#if defined(_OPENMP)
  const int most = omp_get_num_procs();
  if (threads <= 0) return omp_get_max_threads();
  return threads < most ? threads : most;
#else
  return threads <= 1;
#endif
}
//@ heddle_worker()
static inline int heddle_worker(void) {
#if defined(_OPENMP)
  return omp_get_thread_num();
#else
  return 0;
#endif
}
//@ heddle_cores
#if defined(__linux__)
typedef cpu_set_t heddle_cores;
//@ heddle_pin(): heddle_worker heddle_cores
static int heddle_pin(heddle_cores* before, int core) {
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(core + heddle_worker(), &one);
  if (sched_getaffinity(0, sizeof *before, before) != 0) CPU_ZERO(before);
  return sched_setaffinity(0, sizeof one, &one) == 0;
}
//@ heddle_unpin(): heddle_cores
static void heddle_unpin(const heddle_cores* before) {
  if (CPU_COUNT(before) != 0) sched_setaffinity(0, sizeof *before, before);
}
//@ heddle_cores
#else
typedef int heddle_cores;
//@ heddle_pin(): heddle_cores
static int heddle_pin(heddle_cores* before, int core) {
  *before = core;
  return 0;
}
//@ heddle_unpin(): heddle_cores
static void heddle_unpin(const heddle_cores* before) { (void)before; }
//@ heddle_cores
#endif
