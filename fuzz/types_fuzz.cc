// A C++ type of any kind is either refused with a place in it or read, and what is printed reads
// back as itself.

#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "heddle/notation/cute.h"
#include "heddle/notation/evaluator.h"

namespace {

using namespace heddle;

bool reads_back(const std::string& printed, const notation::Environment& environment) {
  const Result<notation::Value> again = notation::evaluate(printed, environment);
  return again && notation::to_string(*again) == printed;
}

/// Every number that the type leaves open is assumed to be at least `low`.
notation::Environment assuming(const notation::Value& value, int low) {
  notation::Environment environment;
  for (const std::string& name : notation::variables(value)) {
    if (!environment.assume(name + ">=" + std::to_string(low))) std::abort();
  }
  return environment;
}

/// A layout and a tuple read back by themselves. A number is one only for who knows what its names
/// stand for: a number that may be 0, or a size.
bool reads_back(const notation::Value& value) {
  const std::string printed = notation::to_string(value);
  if (!value.is_integer()) return reads_back(printed, {});
  return reads_back(printed, assuming(value, 0)) || reads_back(printed, assuming(value, 1));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text = "cute::" + std::string(reinterpret_cast<const char*>(data), size);
  const Result<notation::Value> value = notation::evaluate(text);
  if (!value) {
    if (value.error().to_string(text).empty()) std::abort();
    return 0;
  }
  const bool has_text = value->is_layout() || value->is<cute::Tensor>() || value->is<IntTuple>();
  if (has_text && !reads_back(*value)) std::abort();
  return 0;
}
