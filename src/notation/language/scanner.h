#pragma once

// Reads a text piece by piece, skipping blanks and line ends: for Triton's output.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "heddle/core/result.h"

namespace heddle::notation {

class Scanner {
 public:
  /// `code` is the code of its refusals.
  Scanner(std::string_view text, std::string_view code) : text_(text), code_(code) {}

  [[nodiscard]] bool at_end() {
    skip_blanks();
    return position_ == text_.size();
  }
  [[nodiscard]] std::size_t position() const { return position_; }
  [[nodiscard]] std::string_view text() const { return text_; }
  /// The rest of the text, from the next piece on.
  [[nodiscard]] std::string_view rest() {
    skip_blanks();
    return text_.substr(position_);
  }

  /// Consumes the piece if it comes next.
  bool accept(std::string_view piece);
  [[nodiscard]] Result<void> expect(std::string_view piece);
  /// A run of letters, digits and `_` `.` `$`, if one comes next.
  [[nodiscard]] std::optional<std::string_view> word();
  [[nodiscard]] Result<std::string_view> expect_word(std::string_view what);
  /// A word, or any text in quotes (core/words.h, written_name()).
  [[nodiscard]] std::optional<std::string> name();
  [[nodiscard]] Result<std::string> expect_name(std::string_view what);
  /// An integer, with its sign, that fits into 64 bits.
  [[nodiscard]] Result<std::int64_t> expect_integer(std::string_view what);
  /// Refuses at the next piece.
  [[nodiscard]] Refusal refuse_here(std::string_view wanted);

 private:
  void skip_blanks();

  std::string_view text_;
  std::string_view code_;
  std::size_t position_ = 0;
};

}  // namespace heddle::notation
