#include "kernel/targets/support.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <utility>

#include "core/words.h"

namespace heddle::kernel {

namespace {

constexpr std::string_view kPieceBegins = "//@ ";
constexpr std::string_view kChoiceEnds = "//?\n";

/// `heddle_tanh_f32(): heddle_exp_f32 heddle_fma_f32`
SupportPiece piece_of(std::string_view marker, bool begins_group) {
  SupportPiece piece{.name = std::string(first_word(marker)), .begins_group = begins_group};
  piece.is_function = marker.substr(piece.name.size()).starts_with("()");
  piece.needs = marker.substr(std::min(marker.find(' '), marker.size()));
  return piece;
}

void replace(std::string& text, std::string_view from, std::string_view to) {
  for (std::size_t at = text.find(from); at != std::string::npos;
       at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
}

/// Keeps the lines that are for a word, or drops them.
void choose(std::string& text, std::string_view word, bool is_kept) {
  const std::string begin = fmt::format("//? {}\n", word);
  for (std::size_t at = text.find(begin); at != std::string::npos; at = text.find(begin)) {
    const std::size_t end = text.find(kChoiceEnds, at + begin.size());
    text.erase(is_kept ? end : at, (is_kept ? 0 : end - at) + kChoiceEnds.size());
    if (is_kept) text.erase(at, begin.size());
  }
}

}  // namespace

Support::Support(std::string_view text) {
  bool is_after_blank = false;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    if (line.starts_with("///")) continue;
    if (line.starts_with(kPieceBegins)) {
      pieces_.push_back(piece_of(line.substr(kPieceBegins.size()), is_after_blank));
    } else if (!line.empty() && !pieces_.empty()) {
      pieces_.back().text += fmt::format("{}{}\n", is_after_blank ? "\n" : "", line);
    }
    is_after_blank = line.empty();
  }
}

const Support& Support::of(std::string_view file) {
  static const std::map<std::string_view, Support> files = [] {
    std::map<std::string_view, Support> all;
    for (const auto& [name, text] : support_files()) all.emplace(name, Support(text));
    return all;
  }();
  return files.at(file);
}

Support Support::group(std::string_view name) const {
  const auto begins = [](const SupportPiece& piece) { return piece.begins_group; };
  auto first = std::ranges::find(pieces_, name, &SupportPiece::name);
  const auto last = std::find_if(std::next(first), pieces_.end(), begins);
  while (first != pieces_.begin() && !first->begins_group) --first;
  Support found;
  found.pieces_.assign(first, last);
  return found;
}

Support Support::with(const std::vector<std::pair<std::string, std::string>>& by) const {
  Support made = *this;
  for (SupportPiece& piece : made.pieces_) {
    for (const auto& [from, to] : by) {
      choose(piece.text, from, !to.empty());
      for (std::string* part : {&piece.text, &piece.name, &piece.needs}) replace(*part, from, to);
    }
  }
  return made;
}

Support& Support::operator+=(const Support& other) {
  pieces_.insert(pieces_.end(), other.pieces_.begin(), other.pieces_.end());
  return *this;
}

Support& Support::operator+=(SupportPiece piece) {
  pieces_.push_back(std::move(piece));
  return *this;
}

std::string Support::text() const {
  std::string text;
  for (const SupportPiece& piece : pieces_) {
    text += fmt::format("{}{}", piece.begins_group ? "\n" : "", piece.text);
  }
  return text;
}

std::string Support::called_by(std::string_view callers, bool may_repeat) const {
  std::set<const SupportPiece*> used;
  std::vector<std::string_view> waiting = {callers};
  while (!waiting.empty()) {
    const std::string_view names = waiting.back();
    waiting.pop_back();
    for (const SupportPiece& piece : pieces_) {
      if (!has_word(names, piece.name) || !used.insert(&piece).second) continue;
      waiting.push_back(piece.needs);
    }
  }
  std::string text;
  bool has_blank = false;
  for (const SupportPiece& piece : pieces_) {
    has_blank = has_blank || piece.begins_group;
    if (!used.contains(&piece)) continue;
    if (std::exchange(has_blank, false)) text += "\n";
    text += may_repeat && piece.is_function
                ? fmt::format("#ifndef HEDDLE_HAS_{0}\n#define HEDDLE_HAS_{0}\n{1}#endif\n",
                              piece.name, piece.text)
                : piece.text;
  }
  return text;
}

}  // namespace heddle::kernel
