// Any text is either refused with a place in it or read, and what is printed reads back as itself.

#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "heddle/lego/equality.h"
#include "heddle/notation/cute.h"
#include "heddle/notation/evaluator.h"
#include "heddle/notation/lego.h"

namespace {

using heddle::Result;

/// What is printed of a LEGO layout is that layout; a size whose name stood only in a part that
/// simplified away may be missing its meaning.
void check_lego(const heddle::lego::Layout& layout) {
  const Result<heddle::lego::Layout> again =
      heddle::notation::parse_lego(heddle::lego::to_string(layout));
  if (!again && again.error().code() == "name.unknown") return;
  // A formula may have come to a simpler one.
  if (!again || (*again != layout && heddle::lego::equal(*again, layout).is_no())) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace heddle;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const Result<notation::Value> value = notation::evaluate(text);
  if (!value) {
    if (value.error().to_string(text).empty()) std::abort();
    return 0;
  }
  if (const auto* layout = value->get_if<lego::Layout>()) check_lego(*layout);
  if (!value->is_layout()) return 0;
  const std::string printed = notation::to_string(*value);
  const Result<cute::AnyLayout> again = notation::parse_layout(printed);
  // A name that stood in a coordinate is a number only for who knows that: Sw<3,0,3> o 8*M o 8:1.
  if (!again && again.error().code() == "name.unknown") return 0;
  if (!again || notation::to_string(notation::Value(*again)) != printed) std::abort();
  return 0;
}
