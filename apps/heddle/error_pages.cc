#include "heddle/error_pages.h"

#include <algorithm>
#include <sstream>
#include <utility>

namespace heddle::app {
namespace {

using Lines = std::vector<std::string>;

Lines lines_of(std::string_view name) {
  const auto& pages = error_page_texts();
  const auto page = std::ranges::find(pages, name, &ErrorPage::name);
  Lines lines;
  if (page == pages.end()) return lines;
  std::istringstream stream{std::string(page->text)};
  for (std::string line; std::getline(stream, line);) lines.push_back(std::move(line));
  return lines;
}

/// The line with links replaced by their text, and without code marks.
std::string plain(const std::string& line) {
  std::string text;
  for (std::size_t at = 0; at < line.size(); ++at) {
    const std::size_t middle = line[at] == '[' ? line.find(']', at) : std::string::npos;
    const bool is_link = middle != std::string::npos && line.compare(middle, 2, "](") == 0;
    const std::size_t end = is_link ? line.find(')', middle) : std::string::npos;
    if (end == std::string::npos) {
      text += line[at];
      continue;
    }
    text.append(line, at + 1, middle - at - 1);
    at = end;
  }
  std::erase(text, '`');
  return text;
}

/// The lines of a page between the line that begins with `begin` and the next that begins with one
/// of `ends`.
Lines part(const Lines& lines, std::string_view begin, const std::vector<std::string_view>& ends) {
  const auto starts_with = [](std::string_view prefix) {
    return [prefix](const std::string& line) { return line.starts_with(prefix); };
  };
  auto line = std::ranges::find_if(lines, starts_with(begin));
  Lines found;
  for (line += line == lines.end() ? 0 : 1; line != lines.end(); ++line) {
    const auto ends_here = [&](std::string_view prefix) { return line->starts_with(prefix); };
    if (std::ranges::any_of(ends, ends_here)) break;
    found.push_back(*line);
  }
  return found;
}

/// Lines of a page for the terminal: text without links and code marks, and blocks that show heddle
/// commands; only these blocks if `commands_only`. Other blocks are programs and their output.
std::string shown(const Lines& lines, bool commands_only) {
  constexpr std::string_view kFence = "```";
  std::string all;
  std::string piece;
  const auto end_piece = [&] {
    while (piece.ends_with("\n\n")) piece.pop_back();
    if (!all.empty() && !piece.empty()) all += '\n';
    all += std::exchange(piece, {});
  };
  bool is_block = false;
  bool is_console = false;  // in a block, before its first line
  bool shows_commands = false;
  for (const std::string& line : lines) {
    if (line.starts_with(kFence)) {
      end_piece();
      is_block = !is_block;
      is_console = line == "```console";
      shows_commands = false;
      continue;
    }
    if (std::exchange(is_console, false)) shows_commands = line.starts_with("$ heddle");
    if (is_block ? !shows_commands : commands_only) continue;
    const std::string text = is_block ? line : plain(line);
    if (text.empty() && piece.empty()) continue;
    if (!text.empty()) piece += std::string(is_block ? 4 : 2, ' ') + text;
    piece += '\n';
  }
  end_piece();
  return all;
}

}  // namespace

std::vector<ErrorChapter> error_index() {
  constexpr std::string_view kHeading = "## ";
  constexpr std::string_view kCode = "- [";
  std::vector<ErrorChapter> chapters;
  for (const std::string& line : lines_of("README")) {
    // A code is written as `- [code](page): meaning`.
    const std::size_t target = line.find("](");
    const std::size_t meaning = line.find("): ", target);
    const bool is_code = line.starts_with(kCode) && meaning != std::string::npos;
    if (line.starts_with(kHeading)) {
      chapters.push_back({line.substr(kHeading.size()), {}});
    } else if (is_code && !chapters.empty()) {
      chapters.back().codes.push_back(
          {line.substr(kCode.size(), target - kCode.size()), plain(line.substr(meaning + 3))});
    } else if (line.starts_with("  ") && !chapters.empty() && !chapters.back().codes.empty()) {
      chapters.back().codes.back().meaning += plain(line).substr(1);
    }
  }
  return chapters;
}

std::string error_page(std::string_view code) {
  const Lines lines = lines_of(code);
  if (lines.empty() || code == "README") return "";
  constexpr std::string_view kAdvice = "## What to do";
  const std::string meaning = shown(part(lines, "# ", {"```", "<!--", "## "}), false);
  const std::string examples = shown(part(lines, "# ", {kAdvice}), true);
  const std::string advice = shown(part(lines, kAdvice, {"See ["}), false);
  return std::string(code) + "\n\n" + meaning + "\n" + examples + (examples.empty() ? "" : "\n") +
         advice;
}

}  // namespace heddle::app
