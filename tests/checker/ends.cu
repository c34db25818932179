// What a thread may do that would end or hold up the process, a number each.

extern "C" int pause();
extern "C" int raise(int);  // 6 is SIGABRT, 9 SIGKILL, 19 SIGSTOP
extern "C" void _exit(int);

__device__ int deeper(int n) { return n == -1 ? 0 : deeper(n + 1) + n; }

extern "C" __global__ void ends(int which, float* X, int n) {
  const int t = threadIdx.x;
  if (t != 3) return;
  switch (which) {
    case 0:
      __trap();
      break;
    case 1:
      assert(t < n && "few threads");
      break;
    case 2:
      exit(7);
      break;
    case 3:
      abort();
      break;
    case 4:
      __builtin_trap();
      break;
    case 5:
      X[t] = n / (t - 3);
      break;
    case 6:
      raise(6);
      break;
    case 7:
      _exit(5);
      break;
    case 8:
      raise(9);
      break;
    case 9:
      X[t] = deeper(n);
      break;
    case 10:
      while (n != 1) n = 0;
      break;
    case 11:
#ifdef __x86_64__
      asm volatile("1: jmp 1b");
#endif
      break;
    case 12:
      pause();
      n = 0;
      break;
    case 13:
      *(volatile int*)nullptr = t;
      break;
    case 14:
      raise(19);
      break;
  }
}
