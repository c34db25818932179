#include "heddle/error_pages.h"

#include <algorithm>
#include <regex>
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

/// Links as their text, without the marks of code.
std::string plain(const std::string& line) {
  static const std::regex link(R"(\[([^\]]*)\]\([^)]*\))");
  std::string text = std::regex_replace(line, link, "$1");
  std::erase(text, '`');
  return text;
}

/// The part of a page from behind `begin` to before the first line that begins with one of `ends`.
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

/// Text and fenced blocks, one after the other.
struct PageSegment {
  Lines lines;
  bool is_block = false;
  /// Shows commands of heddle; other blocks are programs, and what they print.
  bool shows_commands = false;
};

std::vector<PageSegment> pieces_of(const Lines& lines) {
  constexpr std::string_view kFence = "```";
  constexpr std::string_view kCommand = "$ heddle";
  std::vector<PageSegment> pieces(1);
  std::string language;
  for (const std::string& line : lines) {
    if (line.starts_with(kFence)) {
      language = line.substr(kFence.size());
      const bool opens = !pieces.back().is_block;
      pieces.emplace_back().is_block = opens;
      continue;
    }
    PageSegment& piece = pieces.back();
    const bool is_first = piece.lines.empty();
    if (is_first && piece.is_block)
      piece.shows_commands = language == "console" && line.starts_with(kCommand);
    piece.lines.push_back(line);
  }
  return pieces;
}

/// The lines, indented, without blank ones at either end.
std::string indented(const Lines& lines, std::size_t indent) {
  std::string text;
  for (const std::string& line : lines) {
    if (line.empty() && text.empty()) continue;
    text += line.empty() ? "\n" : std::string(indent, ' ') + line + "\n";
  }
  while (text.ends_with("\n\n")) text.pop_back();
  return text;
}

/// A piece for the terminal; empty for programs and what they print.
std::string shown(PageSegment piece) {
  if (piece.is_block) return piece.shows_commands ? indented(piece.lines, 4) : "";
  for (std::string& line : piece.lines) line = plain(line);
  return indented(piece.lines, 2);
}

/// The pieces that `is_wanted`, with blank lines between them.
template <class Test>
std::string shown(const Lines& lines, Test is_wanted) {
  std::string text;
  for (PageSegment& piece : pieces_of(lines)) {
    if (!is_wanted(piece)) continue;
    const std::string next = shown(std::move(piece));
    if (!text.empty() && !next.empty()) text += '\n';
    text += next;
  }
  return text;
}

}  // namespace

std::vector<ErrorChapter> error_index() {
  constexpr std::string_view kHeading = "## ";
  static const std::regex entry(R"(- \[([a-z0-9_.]+)\]\([^)]*\): (.*))");
  std::vector<ErrorChapter> chapters;
  for (const std::string& line : lines_of("README")) {
    std::smatch parts;
    if (line.starts_with(kHeading)) {
      chapters.push_back({line.substr(kHeading.size()), {}});
    } else if (std::regex_match(line, parts, entry) && !chapters.empty()) {
      chapters.back().codes.push_back({parts[1], plain(parts[2].str())});
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
  const auto all = [](const PageSegment&) { return true; };
  const auto commands = [](const PageSegment& piece) { return piece.shows_commands; };
  const std::string meaning = shown(part(lines, "# ", {"```", "<!--", "## "}), all);
  const std::string examples = shown(part(lines, "# ", {kAdvice}), commands);
  const std::string advice = shown(part(lines, kAdvice, {"See ["}), all);
  return std::string(code) + "\n\n" + meaning + "\n" + examples + (examples.empty() ? "" : "\n") +
         advice;
}

}  // namespace heddle::app
