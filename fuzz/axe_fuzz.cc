// The text of an Axe layout is either refused with a place in it or read, and what is printed reads
// back as itself, also as LaTeX.

#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "heddle/notation/axe.h"
#include "heddle/notation/evaluator.h"

namespace {

using namespace heddle;

/// Numbers are sizes here; what may be 0 is written otherwise and not compared.
bool has_symbols(const notation::Value& value) { return !notation::variables(value).empty(); }

void check_text(const axe::Layout& layout, const std::string& text) {
  const Result<axe::Layout> again = notation::parse_axe(text);
  if (!again || *again != layout) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  const Result<notation::Value> value = notation::evaluate(text);
  if (!value) {
    if (value.error().to_string(text).empty()) std::abort();
    return 0;
  }
  const auto* layout = value->get_if<axe::Layout>();
  if (layout == nullptr || has_symbols(*value)) return 0;
  check_text(*layout, axe::to_string(*layout));
  check_text(*layout, notation::to_latex(*layout));
  return 0;
}
