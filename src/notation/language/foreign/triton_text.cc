#include "notation/language/foreign/triton_text.h"

#include <algorithm>
#include <array>

#include "core/words.h"

namespace heddle::notation {
namespace {

/// `#` and the letters, digits, `_`, `$` and `.` after it, a letter first; otherwise empty.
std::string_view hash_name(std::string_view text) {
  if (text.size() < 2 || text[0] != '#' || !begins_name(text[1])) return {};
  const auto end = std::ranges::find_if_not(text.begin() + 1, text.end(), [](char c) {
    return is_word_character(c) || c == '.' || c == '$';
  });
  return text.substr(0, static_cast<std::size_t>(end - text.begin()));
}

/// The part before `<` if the text begins with a type of Triton; otherwise empty.
std::string_view type_name(std::string_view text) {
  constexpr std::string_view kTensorText = "tensor<";
  if (text.starts_with(kTensorText)) {
    // CuTe's tensor<…> is different: it contains an engine.
    const std::string_view body = text.substr(kTensorText.size());
    const bool has_sizes = !body.empty() && (is_digit(body[0]) || body.starts_with("?x"));
    const std::string_view element = first_word(body);
    const std::string_view after = body.substr(element.size());
    const bool is_scalar = !element.empty() && (after.starts_with('>') || after.starts_with(", #"));
    return has_sizes || is_scalar ? kTensorText.substr(0, kTensorText.size() - 1)
                                  : std::string_view();
  }
  constexpr std::array<std::string_view, 5> kTypes = {"!ttg.memdesc", "!triton_gpu.memdesc",
                                                      "!tt.memdesc", "!tt.tensordesc",
                                                      "!ttng.tensordesc_im2col"};
  for (const std::string_view name : kTypes) {
    if (text.starts_with(name) && text.substr(name.size()).starts_with('<')) return name;
  }
  return {};
}

}  // namespace

std::optional<std::size_t> bracketed_length(std::string_view text) {
  std::size_t depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const bool is_arrow = c == '>' && i > 0 && text[i - 1] == '-';
    if (c == '<' || c == '[' || c == '{' || c == '(') ++depth;
    if (is_arrow || (c != '>' && c != ']' && c != '}' && c != ')')) continue;
    if (--depth == 0) return i + 1;
  }
  return std::nullopt;
}

std::size_t alias_length(std::string_view text) {
  const std::string_view name = hash_name(text);
  // `#blocked<{…}>` is an attribute whose dialect is left out.
  const std::string_view rest = text.substr(name.size());
  const bool has_body = rest.starts_with("<{") || rest.starts_with("<[");
  return has_body || name.find('.') != std::string_view::npos ? 0 : name.size();
}

std::optional<std::size_t> triton_length(std::string_view text) {
  const bool is_attribute = text.starts_with('#');
  if (is_attribute && alias_length(text) > 0) return 0;
  const std::string_view name = is_attribute ? hash_name(text) : type_name(text);
  if (name.empty() || name.starts_with("#cute.")) return 0;
  const std::string_view rest = text.substr(name.size());
  if (!rest.starts_with('<')) return name.size();
  const auto body = bracketed_length(rest);
  if (!body) return std::nullopt;
  return name.size() + *body;
}

}  // namespace heddle::notation
