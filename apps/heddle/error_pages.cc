#include "heddle/error_pages.h"

#include <algorithm>
#include <regex>
#include <sstream>

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

/// The commands of a page with what they print. What a program prints is left out, as the program
/// is.
Lines examples(const Lines& lines) {
  constexpr std::string_view kCommand = "$ heddle";
  Lines found;
  for (auto line = lines.begin(); line != lines.end(); ++line) {
    if (*line != "```console") continue;
    const auto end = std::find(line, lines.end(), "```");
    if ((line + 1)->starts_with(kCommand)) found.insert(found.end(), line + 1, end);
    line = end;
  }
  return found;
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

Lines plain(Lines lines) {
  for (std::string& line : lines) line = plain(line);
  return lines;
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
    } else if (std::regex_match(line, parts, entry)) {
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
  const Lines meaning = part(lines, "# ", {"```", "<!--", "## "});
  const Lines advice = part(lines, "## What to do", {"See ["});
  const std::string shown = indented(examples(lines), 4);
  return std::string(code) + "\n\n" + indented(plain(meaning), 2) + "\n" + shown +
         (shown.empty() ? "" : "\n") + indented(plain(advice), 2);
}

}  // namespace heddle::app
