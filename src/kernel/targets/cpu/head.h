/// What sources for CPUs begin with.
//@ head
// cc -std=gnu17 -O3 -march=native -fopenmp -fno-math-errno -fno-trapping-math
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
