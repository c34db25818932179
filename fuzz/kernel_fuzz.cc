// A text of kernels is either refused with a message or read, and what is printed of each kernel
// reads as the same kernel.

#include <cstdint>
#include <cstdlib>
#include <string>

#include "heddle/notation/kernel.h"

namespace {

using namespace heddle;

void check_round_trip(const kernel::Kernel& kernel) {
  const auto again = notation::parse_kernels(to_string(kernel));
  if (!again || again->size() != 1 || again->front() != kernel) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  const auto kernels = notation::parse_kernels(text);
  if (!kernels) {
    if (kernels.error().to_string(text).empty()) std::abort();
    return 0;
  }
  for (const kernel::Kernel& kernel : *kernels) check_round_trip(kernel);
  return 0;
}
