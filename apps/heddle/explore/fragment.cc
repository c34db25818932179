#include "heddle/explore/fragment.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <string_view>
#include <utility>

#include "heddle/arguments.h"
#include "heddle/notation/npy.h"
#include "heddle/notation/value.h"

namespace heddle::app {
namespace {

/// A, B, …, Z, A1, B1, …
std::string letter(std::size_t index) {
  constexpr std::size_t kLetters = 26;
  const std::string number = index < kLetters ? "" : std::to_string(index / kLetters);
  return static_cast<char>('A' + index % kLetters) + number;
}

bool is_taken(const std::vector<NamedText>& texts, const std::string& name) {
  return std::ranges::find(texts, name, &NamedText::name) != texts.end();
}

std::string escaped(std::string_view text) {
  constexpr std::string_view kPlain = "-_~,:()";
  std::string result;
  for (const char c : text) {
    const bool is_word = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    const bool is_plain = is_word || kPlain.find(c) != std::string_view::npos;
    // A key that begins with a dot is none of a layout.
    const bool is_inner_dot = c == '.' && !result.empty();
    result += is_plain || is_inner_dot ? std::string(1, c)
                                       : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return result;
}

}  // namespace

Result<std::vector<NamedText>> texts_of(const std::vector<std::string>& arguments) {
  std::vector<NamedText> texts;
  std::size_t letters = 0;
  for (const std::string& argument : arguments) {
    HEDDLE_TRY(std::string text, argument_text(argument));
    if (notation::looks_like_npy(text)) {
      HEDDLE_TRY(const form::Table table, notation::read_npy(text));
      text = to_string(notation::Value(table));
    }
    std::error_code ignored;
    const bool is_file = std::filesystem::is_regular_file(argument, ignored);
    std::string name = is_file ? std::filesystem::path(argument).stem().string() : std::string();
    while (name.empty() || is_taken(texts, name)) name = letter(letters++);
    texts.push_back({std::move(name), std::move(text)});
  }
  return texts;
}

std::string fragment_of(const std::vector<NamedText>& texts) {
  std::string fragment;
  for (const auto& [name, text] : texts)
    fragment += fmt::format("{}{}={}", fragment.empty() ? "" : "&", escaped(name), escaped(text));
  return fragment;
}

}  // namespace heddle::app
