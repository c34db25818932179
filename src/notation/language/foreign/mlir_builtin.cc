#include "notation/language/foreign/mlir_builtin.h"

#include "core/words.h"
#include "notation/language/foreign/sharding_text.h"

namespace heddle::notation {

namespace {

/// `f32>`, `f32, strided<[]>>`: the type of a single element. The memref of CuTe has a layout in
/// quotes instead.
bool is_scalar(std::string_view inside) {
  const std::string_view element = first_word(inside);
  if (element.empty() || !begins_name(element.front())) return false;
  const std::string_view after = inside.substr(element.size());
  if (after.starts_with('>')) return true;
  return after.starts_with(", strided<") || after.starts_with(", affine_map<") ||
         after.starts_with(", #") ||
         (after.starts_with(", ") && after.size() > 2 && is_digit(after[2]));
}

}  // namespace

std::size_t builtin_length(std::string_view text) {
  for (const std::string_view start : {"affine_map<", "affine_set<", "memref<", "vector<"}) {
    if (!text.starts_with(start)) continue;
    const std::string_view inside = text.substr(start.size());
    const bool is_type = !start.starts_with("affine");
    const bool has_sizes =
        !inside.empty() && (is_digit(inside.front()) || inside.starts_with("?x") ||
                            (inside.front() == '[' && start == "vector<"));
    if (is_type && !has_sizes && !is_scalar(inside)) return 0;
    const std::size_t name = start.size() - 1;
    const std::size_t length = closed_length(text.substr(name));
    return length > 0 ? name + length : 0;
  }
  return 0;
}

Result<Expression> read_builtin(std::string_view text, std::size_t& position, const ParsePiece&) {
  const Span span{position, position + builtin_length(text.substr(position))};
  position = span.end;
  return call_with_text("mlir", text, span);
}

}  // namespace heddle::notation
