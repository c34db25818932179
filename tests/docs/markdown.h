#pragma once

// The documents of the project and the fenced blocks in them:
//
//   <!-- examples/composition.cc -->
//   ```cpp
//   …
//   ```
//
//   for (const Document& document : documents("docs/errors"))
//     for (const Block& block : document.blocks) block.language, block.source, block.lines

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <iterator>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "support/shell.h"

namespace heddle::test {

/// What stands between two fences.
struct Block {
  std::string language;
  /// The path in the HTML comment before the block, if any.
  std::string source;
  std::vector<std::string> lines;
  /// The number of the opening fence in the document, from 0.
  std::size_t fence = 0;
};

struct Document {
  /// From the root of the project.
  std::string path;
  std::vector<std::string> lines;
  std::vector<Block> blocks;
};

inline std::filesystem::path source_root() { return HEDDLE_SOURCE_DIR; }

inline std::vector<std::string> split_lines(std::string_view text) {
  std::vector<std::string> lines;
  std::istringstream stream{std::string(text)};
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

inline std::string join_lines(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

/// The path in `<!-- path -->`; empty where the line is no such comment.
inline std::string path_in_comment(std::string_view line) {
  constexpr std::string_view kOpen = "<!-- ";
  constexpr std::string_view kClose = " -->";
  if (!line.starts_with(kOpen) || !line.ends_with(kClose)) return "";
  line = line.substr(kOpen.size(), line.size() - kOpen.size() - kClose.size());
  return line.find(' ') == std::string_view::npos ? std::string(line) : "";
}

inline std::vector<Block> find_blocks(const std::vector<std::string>& lines) {
  constexpr std::string_view kFence = "```";
  std::vector<Block> blocks;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (!lines[i].starts_with(kFence)) continue;
    Block block;
    block.fence = i;
    block.language = lines[i].substr(kFence.size());
    if (i > 0) block.source = path_in_comment(lines[i - 1]);
    while (++i < lines.size() && lines[i] != kFence) block.lines.push_back(lines[i]);
    blocks.push_back(std::move(block));
  }
  return blocks;
}

inline Document read_document(const std::filesystem::path& path) {
  Document document;
  document.path = path.lexically_relative(source_root()).generic_string();
  document.lines = split_lines(contents(path));
  document.blocks = find_blocks(document.lines);
  return document;
}

/// The Markdown files of a folder of the project, in the order of their names.
inline std::vector<Document> documents(std::string_view folder) {
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::directory_iterator(source_root() / folder)) {
    if (entry.path().extension() == ".md") paths.push_back(entry.path());
  }
  std::ranges::sort(paths);
  std::vector<Document> found;
  for (const auto& path : paths) found.push_back(read_document(path));
  return found;
}

/// Every document: those of the root, and docs/ with its folders.
inline std::vector<Document> all_documents() {
  std::vector<std::string> folders = {"", "docs"};
  for (const auto& entry : std::filesystem::directory_iterator(source_root() / "docs")) {
    if (entry.is_directory()) folders.push_back("docs/" + entry.path().filename().string());
  }
  std::vector<Document> all;
  for (const std::string& folder : folders) {
    for (Document& document : documents(folder)) all.push_back(std::move(document));
  }
  return all;
}

}  // namespace heddle::test
