// What a kernel that is compiled for the CPU calls, and what runs it has: the host. It puts itself
// into the kernel's `heddle_host` when the kernel is loaded.

#pragma once

struct CudaIndex {
  unsigned x, y, z;
};

enum HeddleAccess { kHeddleRead, kHeddleWrite, kHeddleAtomic };

// What the 32 threads of a warp do together. Each has its own operands; they are done for all of
// them when the last one has come.
enum HeddleOperation {
  kHeddleSyncWarp,
  kHeddleShuffle,   // d[lane] = a[number of this lane], of `bytes`
  kHeddleMatrices,  // ldmatrix of `number` matrices into d, a row at `a`; `bytes` is 1 if
                    // transposed
  kHeddleMultiply,  // the intrinsic `name`: D = A B + C, a sparse A with the index and the selector
  kHeddleGather     // d is a HeddleGathered, behind which stand the `bytes` at `a` of each lane
};
struct HeddleCollective {
  enum HeddleOperation operation;
  unsigned mask;
  int number;
  int bytes;
  void* d;
  const void* a;
  const void* b;
  const void* c;
  const char* name;
  unsigned index;
};

// What the lanes of a warp have, for votes, matches and reductions. Lanes that have ended are not
// there.
struct HeddleGathered {
  unsigned lanes;
  unsigned unused[3];
};

// Where threads wait for each other, and what they find then. A barrier of 0 threads is for all of
// the block.
enum HeddleVote { kHeddleNoVote, kHeddleAny, kHeddleAll, kHeddleCount };
struct HeddleBarrier {
  int number;
  int threads;
  enum HeddleVote vote;
  int value;
  const char* name;
  int* result;
};

// Where the text calls a function that threads do together: what std::source_location has.
// Compilers copy calls into branches and loops; all copies of one call have the same place.
struct HeddlePlace {
  const char* file;
  const char* function;
  unsigned line, column;
};

// A site is where a function is called, either its HeddlePlace or the address to which it returns.
struct HeddleHost {
  // The thread that runs.
  struct CudaIndex thread, block, threads, blocks;
  // How many more pieces of code may run, and what then happens.
  long steps;
  void (*too_long)(struct HeddleHost*, const void* site);
  // The piece of code that the thread is in. `jump` is called for one that is not after it: the
  // next iteration of a loop; `enter` and `leave` for functions that are not inlined.
  const void* last;
  void (*jump)(struct HeddleHost*, const void* to);
  void (*enter)(struct HeddleHost*, const void* site);
  void (*leave)(struct HeddleHost*);
  // Calls a function once for every thread of every block; both have three extents.
  void (*run)(struct HeddleHost*, void (*call)(void*), void* data, const unsigned* blocks,
              const unsigned* threads);
  void (*access)(struct HeddleHost*, const void* at, unsigned long bytes, enum HeddleAccess,
                 const void* site);
  // A pointer that is not aligned as its type needs, to so many bytes, and an index past the end of
  // an array of this type; both before the access, if there is one.
  void (*unaligned)(struct HeddleHost*, const void* at, unsigned long bytes, enum HeddleAccess,
                    const void* site);
  void (*index)(struct HeddleHost*, long index, const char* type, const void* site);
  // __threadfence()
  void (*fence)(struct HeddleHost*);
  void (*barrier)(struct HeddleHost*, const struct HeddleBarrier*, const void* site);
  void (*collective)(struct HeddleHost*, const struct HeddleCollective*, const void* site);
  // cp.async of `size` bytes, of which `bytes` are read.
  void (*copy)(struct HeddleHost*, void* to, const void* from, int bytes, int size,
               const void* site);
  void (*commit)(struct HeddleHost*, const void* site);
  void (*wait)(struct HeddleHost*, int pending, const void* site);
  void (*print)(struct HeddleHost*, const char* text, unsigned long bytes);
  // The thread ends the kernel: it `calls __trap()`. Does not return.
  void (*end)(struct HeddleHost*, const char* what, const void* site);
};
