#include "kernel/targets/support.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <sstream>

#include "core/words.h"

namespace heddle::kernel {

namespace {

constexpr std::string_view kPieceBegins = "//@ ";
constexpr std::string_view kChoiceBegins = "//? ";
constexpr std::string_view kChoiceEnds = "//?\n";

/// `heddle_tanh_f32(): heddle_exp_f32 heddle_fma_f32`
SupportPiece piece_of(std::string_view marker) {
  SupportPiece piece;
  std::string_view name = marker.substr(0, marker.find(':'));
  piece.is_function = name.ends_with("()");
  if (piece.is_function) name.remove_suffix(2);
  piece.name = name;
  std::istringstream needs{std::string(marker.substr(std::min(marker.find(' '), marker.size())))};
  for (std::string need; needs >> need;) piece.needs.push_back(need);
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
  const std::string begin = fmt::format("{}{}\n", kChoiceBegins, word);
  for (std::size_t at = text.find(begin); at != std::string::npos; at = text.find(begin)) {
    const std::size_t end = text.find(kChoiceEnds, at + begin.size());
    const std::size_t first = at + begin.size();
    const std::string kept = is_kept ? text.substr(first, end - first) : std::string();
    text.replace(at, end + kChoiceEnds.size() - at, kept);
  }
}

}  // namespace

Support::Support(std::string_view text) {
  bool is_after_blank = false;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(line.size() + 1);
    if (line.starts_with("///")) continue;
    if (line.starts_with(kPieceBegins)) {
      pieces_.push_back(piece_of(line.substr(kPieceBegins.size())));
      pieces_.back().begins_group = is_after_blank;
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

Support Support::named(std::string_view name) const {
  Support found;
  std::ranges::copy_if(pieces_, std::back_inserter(found.pieces_),
                       [&](const SupportPiece& piece) { return piece.name == name; });
  return found;
}

Support Support::group(std::string_view name) const {
  const auto begins = [](const SupportPiece& piece) { return piece.begins_group; };
  const auto at = std::ranges::find(pieces_, name, &SupportPiece::name);
  Support found;
  const auto first =
      std::find_if(std::make_reverse_iterator(std::next(at)), pieces_.rend(), begins);
  found.pieces_.assign(std::prev(first.base()), std::find_if(std::next(at), pieces_.end(), begins));
  return found;
}

Support Support::with(const std::vector<std::pair<std::string, std::string>>& by) const {
  Support made = *this;
  for (SupportPiece& piece : made.pieces_) {
    for (const auto& [from, to] : by) {
      choose(piece.text, from, !to.empty());
      replace(piece.text, from, to);
      replace(piece.name, from, to);
      for (std::string& need : piece.needs) replace(need, from, to);
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
  std::set<std::string_view> used;
  std::vector<std::string_view> waiting;
  for (const SupportPiece& piece : pieces_) {
    if (piece.is_function && has_word(callers, piece.name)) waiting.push_back(piece.name);
  }
  while (!waiting.empty()) {
    const std::string_view name = waiting.back();
    waiting.pop_back();
    if (!used.insert(name).second) continue;
    for (const SupportPiece& piece : pieces_) {
      if (piece.name == name) {
        waiting.insert(waiting.end(), piece.needs.begin(), piece.needs.end());
      }
    }
  }
  std::string text;
  bool has_blank = false;
  for (const SupportPiece& piece : pieces_) {
    has_blank = has_blank || piece.begins_group;
    if (!used.contains(piece.name)) continue;
    if (std::exchange(has_blank, false)) text += "\n";
    text += may_repeat && piece.is_function
                ? fmt::format("#ifndef HEDDLE_HAS_{0}\n#define HEDDLE_HAS_{0}\n{1}#endif\n",
                              piece.name, piece.text)
                : piece.text;
  }
  return text;
}

}  // namespace heddle::kernel
