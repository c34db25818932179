#pragma once

// The pages of docs/errors on every error code, for `heddle help`. They are embedded unchanged, so
// that the command and the documents cannot disagree.

#include <string>
#include <string_view>
#include <vector>

namespace heddle::app {

/// A page by its name, which is the code, or README for the index.
struct ErrorPage {
  std::string_view name;
  std::string_view text;
};

/// All pages, unchanged.
[[nodiscard]] const std::vector<ErrorPage>& error_page_texts();

/// A code and its meaning, in one sentence.
struct ErrorCode {
  std::string code;
  std::string meaning;
};
/// The codes of one chapter of the index, under its heading.
struct ErrorChapter {
  std::string heading;
  std::vector<ErrorCode> codes;
};

/// The index, chapter by chapter.
[[nodiscard]] std::vector<ErrorChapter> error_index();

/// The page of a code for the terminal: its meaning, commands with their output, and what to do.
/// Empty if there is no such code.
[[nodiscard]] std::string error_page(std::string_view code);

}  // namespace heddle::app
