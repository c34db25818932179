// Any text is either refused with a place in it or read, and what is printed reads back as itself.

#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "heddle/notation/cute.h"
#include "heddle/notation/evaluator.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace heddle;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const Result<notation::Value> value = notation::evaluate(text);
  if (!value) {
    if (value.error().to_string(text).empty()) std::abort();
    return 0;
  }
  if (!value->is_layout()) return 0;
  const std::string printed = notation::to_string(*value);
  const Result<cute::AnyLayout> again = notation::parse_layout(printed);
  if (!again || notation::to_string(notation::Value(*again)) != printed) std::abort();
  return 0;
}
