#include "notation/language/foreign/printed_layout.h"

#include "notation/language/scanner.h"

namespace heddle::notation {

bool begins_printed_layout(std::string_view text) {
  constexpr std::string_view kBeginnings = "-(w";
  if (text.empty() || kBeginnings.find(text.front()) == std::string_view::npos) return false;
  if (text.starts_with(kEmptyLayout) || text.starts_with(kOutDims)) return true;
  Scanner scanner(text, "");
  if (!scanner.accept("-") || !scanner.name()) return false;
  if (scanner.accept(kSizeOne)) return true;
  return scanner.accept("=") && scanner.expect_integer("") && scanner.accept("->");
}

std::size_t printed_layout_length(std::string_view text) {
  if (text.starts_with(kEmptyLayout)) return kEmptyLayout.size();
  const std::size_t dims = text.find(kOutDims);
  if (dims == std::string_view::npos) return text.size();
  bool is_quoted = false;
  for (std::size_t i = dims; i < text.size(); ++i) {
    if (text[i] == '"') is_quoted = !is_quoted;
    if (text[i] == '\\' && is_quoted) ++i;
    if (text[i] == ']' && !is_quoted) return i + 1;
  }
  return text.size();
}

}  // namespace heddle::notation
