#pragma once

// The static assertions in what a compiler prints, with the templates that led to each:
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
// Knows compilers, not CuTe. Reads line by line: any text will do, most of it is passed over.

#include <cstddef>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

namespace heddle::notation {

/// A place in a source, as the log writes it; line 0 where there is none.
struct SourcePlace {
  std::string_view file;
  std::size_t line = 0;
  /// The text of the line, where the log shows it.
  std::string_view text;
};

/// A template that was being instantiated, and where that was asked for.
struct TemplateInstantiation {
  std::string_view signature;
  SourcePlace caller;
};

struct FailedAssertion {
  /// The message; the condition where it has none.
  std::string_view message;
  SourcePlace place;
  /// From the assertion outwards.
  std::vector<TemplateInstantiation> instantiations;
};

/// Gives one assertion after the other. The log must outlive the reader and what it gave.
class CompilerLog {
 public:
  explicit CompilerLog(std::string_view log) : rest_(log) {}

  /// Reads on to the next assertion; false at the end of the log.
  bool next(FailedAssertion& assertion);

  /// Another error stood between the last assertions: compilers stop with them, too.
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
  // g++ says first what it instantiates; the caller of the last one is still to come.
  std::vector<TemplateInstantiation> before_;
  // clang says the instantiations only where they are others than before.
  std::vector<TemplateInstantiation> last_;
  std::string_view last_file_;
  // Lines whose colours were taken out.
  std::deque<std::string> cleaned_;
};

}  // namespace heddle::notation
