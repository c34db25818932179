#pragma once

// Texts in quotes, and the place of each of their bytes in the source around them.
//
//   relation("{ [i] -> [i +* 2] }")      unexpected '*': byte 12 of the text, 22 of the source

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "heddle/core/diagnostic.h"

#pragma GCC visibility push(default)
namespace heddle::notation {

/// The place in the source of each byte of a text, and of the closing quote for its end.
class TextPlaces {
 public:
  TextPlaces() = default;
  explicit TextPlaces(std::vector<std::size_t> places) : places_(std::move(places)) {}

  /// Whether the text is written out in the source.
  [[nodiscard]] bool are_known() const { return !places_.empty(); }
  /// Maps a place in the text to the source.
  [[nodiscard]] Span in_source(Span in_text) const;

 private:
  std::vector<std::size_t> places_;
};

struct QuotedText {
  std::string text;
  TextPlaces places;
};

/// The contents of a quoted text whose opening quote is at `begin` in the source. Single quotes
/// have no escapes, as Python prints text; double quotes have those of JSON. nullopt if an escape
/// is invalid.
[[nodiscard]] std::optional<QuotedText> unquoted(std::string_view quoted, std::size_t begin);

}  // namespace heddle::notation
#pragma GCC visibility pop
