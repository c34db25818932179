#pragma once

// A cursor that refuses what it does not find: for Triton's output and Python's.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/cursor.h"
#include "heddle/core/result.h"

namespace heddle::notation {

class Scanner : public Cursor {
 public:
  /// `code` is the code of its refusals.
  Scanner(std::string_view text, std::string_view code) : Cursor(text), code_(code) {}

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
  std::string_view code_;
};

}  // namespace heddle::notation
