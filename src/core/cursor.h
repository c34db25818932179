#pragma once

// A place in a text that is read piece by piece; blanks and line ends before a piece are skipped.
//
//   Cursor cursor("[ c0, 8 ]");
//   cursor.accept("[");  cursor.take(is_word_character);  cursor.sees(",");      // true, "c0",
//   true

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "core/text.h"

namespace heddle {

class Cursor {
 public:
  explicit Cursor(std::string_view text) : text_(text) {}

  [[nodiscard]] std::string_view text() const { return text_; }
  [[nodiscard]] std::size_t position() const { return position_; }
  /// Continues at this place of the text.
  void go_to(std::size_t position) { position_ = position; }

  /// The rest of the text, from the next piece on.
  [[nodiscard]] std::string_view rest() {
    position_ = std::min(text_.find_first_not_of(" \t\r\n", position_), text_.size());
    return text_.substr(position_);
  }
  [[nodiscard]] bool at_end() { return rest().empty(); }
  [[nodiscard]] bool sees(std::string_view piece) { return rest().starts_with(piece); }
  /// Consumes the piece if it comes next.
  bool accept(std::string_view piece) {
    if (!sees(piece)) return false;
    position_ += piece.size();
    return true;
  }
  /// Consumes the characters that the predicate wants, up to the first other one.
  template <class Predicate>
  std::string_view take(Predicate is_wanted) {
    const std::string_view rest = this->rest();
    const auto end = std::ranges::find_if_not(rest, is_wanted);
    const auto length = static_cast<std::size_t>(end - rest.begin());
    position_ += length;
    return rest.substr(0, length);
  }
  /// Consumes an integer with its sign, if one that fits into 64 bits comes next.
  std::optional<std::int64_t> integer() {
    std::string_view rest = this->rest();
    const std::optional<std::int64_t> value = take_integer(rest);
    position_ = text_.size() - rest.size();
    return value;
  }

 private:
  std::string_view text_;
  std::size_t position_ = 0;
};

}  // namespace heddle
