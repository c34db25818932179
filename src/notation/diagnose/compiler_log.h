#pragma once

// The failed static assertions in a compiler's output, with the template instantiations that led to
// each:
//
//   layout.hpp(1101): error: static assertion failed with "Shape Divisibility Condition"      nvcc
//     instantiation of "auto cute::composition(…) [with LShape=…]" at line 8 of tile.cu
//
//   layout.hpp:1101:24: error: static assertion failed due to requirement '…': Shape …       clang
//   tile.cu:8:15: note: in instantiation of … 'cute::composition<…>' requested here
//
//   layout.hpp: In instantiation of 'auto cute::composition(…) [with LShape = …]': g++
//   tile.cu:8:26:   required from here
//   config.hpp:126:64: error: static assertion failed: Shape Divisibility Condition
//
// Knows compilers, not CuTe. Reads any text line by line, and skips most of it.

#include <cstddef>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

namespace heddle::notation {

/// A place in a source, as the log writes it; line 0 if there is none.
struct SourcePlace {
  std::string_view file;
  std::size_t line = 0;
  /// The text of the line, if the log shows it.
  std::string_view text;
};

/// A template instantiation, and the place that requested it.
struct TemplateInstantiation {
  std::string_view signature;
  SourcePlace caller;
};

struct FailedAssertion {
  /// The message, or the condition if it has none.
  std::string_view message;
  SourcePlace place;
  /// From the assertion outwards.
  std::vector<TemplateInstantiation> instantiations;
  /// The condition with its numbers, which only clang prints.
  std::string_view requirement = {};
};

/// Reads assertions one at a time. The log must outlive the reader and its results.
class CompilerLog {
 public:
  explicit CompilerLog(std::string_view log) : rest_(log) {}

  /// Reads up to the next assertion; false at the end of the log.
  bool next(FailedAssertion& assertion);

  /// The number of other errors so far: compilers stop at these, too.
  [[nodiscard]] std::size_t other_errors() const { return other_errors_; }
  [[nodiscard]] std::size_t lines() const { return lines_; }

 private:
  bool next_line(std::string_view& line);
  void read_behind(FailedAssertion& assertion);
  bool read_before(std::string_view line);
  std::string_view without_colors(std::string_view line);

  std::string_view rest_;
  std::size_t lines_ = 0;
  std::size_t other_errors_ = 0;
  // g++ prints instantiations before the error; the caller of the last one follows.
  std::vector<TemplateInstantiation> before_;
  // clang prints the instantiations only if they differ from the previous ones.
  std::vector<TemplateInstantiation> last_;
  std::string_view last_file_;
  // Lines with their colours removed.
  std::deque<std::string> cleaned_;
};

}  // namespace heddle::notation
