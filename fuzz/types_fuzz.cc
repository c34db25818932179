// A C++ type of any kind is either refused with a place in it or read, and what is printed reads
// back as itself.

#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "heddle/notation/cute.h"
#include "heddle/notation/evaluator.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace heddle;
  const std::string text = "cute::" + std::string(reinterpret_cast<const char*>(data), size);
  const Result<notation::Value> value = notation::evaluate(text);
  if (!value) {
    if (value.error().to_string(text).empty()) std::abort();
    return 0;
  }
  // What is printed reads back as itself.
  const std::string printed = notation::to_string(*value);
  const bool has_text = value->is_layout() || value->is<cute::Tensor>() || value->is<IntTuple>();
  if (!has_text) return 0;
  const Result<notation::Value> again = notation::evaluate(printed);
  if (!again || notation::to_string(*again) != printed) std::abort();
  return 0;
}
