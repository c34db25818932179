// Counts the pieces of code that run, so that no kernel runs for ever, and tells of jumps
// backwards, by which loops are known. It is compiled on its own, for it must not count itself.

#include "host.h"

extern "C" HeddleHost* heddle_host;
extern "C" void __sanitizer_cov_trace_pc() {
  if (heddle_host == nullptr) return;
  const void* const here = __builtin_return_address(0);
  if (here <= heddle_host->last) heddle_host->jump(heddle_host, here);
  heddle_host->last = here;
  if (--heddle_host->steps == 0) heddle_host->too_long(heddle_host, here);
}
