#include "notation/language/foreign/mlir_builtin.h"

#include "core/words.h"
#include "notation/language/foreign/sharding_text.h"

namespace heddle::notation {

std::size_t builtin_length(std::string_view text) {
  for (const std::string_view start : {"affine_map<", "affine_set<", "memref<", "vector<"}) {
    if (!text.starts_with(start)) continue;
    const std::string_view inside = text.substr(start.size());
    const bool is_type = !start.starts_with("affine");
    const bool has_sizes =
        !inside.empty() && (is_digit(inside.front()) || inside.starts_with("?x") ||
                            (inside.front() == '[' && start == "vector<"));
    if (is_type && !has_sizes) return 0;
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
