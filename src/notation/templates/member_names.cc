#include "notation/templates/member_names.h"

#include <algorithm>
#include <set>
#include <string_view>
#include <vector>

#include "core/words.h"
#include "heddle/emit/dialect.h"

namespace heddle::notation {
namespace {

std::size_t end_of_word(std::string_view text, std::size_t begin) {
  return begin + first_word(text.substr(begin)).size();
}

/// The position after the string that begins at `begin`.
std::size_t end_of_string(std::string_view text, std::size_t begin) {
  const std::size_t end = text.find(text[begin], begin + 1);
  return end == std::string_view::npos ? text.size() : end + 1;
}

/// The position after `a.b.c`, or after the word that begins at `begin`.
std::size_t end_of_member(std::string_view text, std::size_t begin) {
  std::size_t end = end_of_word(text, begin);
  while (end + 1 < text.size() && text[end] == '.' && is_word_character(text[end + 1])) {
    end = end_of_word(text, end + 1);
  }
  return end;
}

}  // namespace

emit::Spelling take_members(std::string& text,
                            const std::function<bool(const std::string& name)>& is_known) {
  emit::Spelling spelling;
  std::map<std::string, std::string> name_of;
  const std::vector<std::string_view> words = words_in(text);
  std::set<std::string> taken(words.begin(), words.end());
  for (std::size_t i = 0; i < text.size();) {
    if (text[i] == '"' || text[i] == '\'') {
      i = end_of_string(text, i);
      continue;
    }
    const std::size_t end = end_of_member(text, i);
    const std::string member = text.substr(i, end - i);
    const std::string first = member.substr(0, member.find('.'));
    const bool is_called = end < text.size() && text[end] == '(';
    const bool follows_dot = i > 0 && text[i - 1] == '.';
    const bool is_member = first != member && emit::is_identifier(first) && !follows_dot &&
                           !is_called && !is_known(first);
    i = std::max(end, i + 1);
    if (!is_member) continue;
    if (!name_of.contains(member)) {
      std::string name = member;
      std::ranges::replace(name, '.', '_');
      while (is_known(name) || !taken.insert(name).second) name += '_';
      spelling.emplace(name, member);
      name_of.emplace(member, std::move(name));
    }
    const std::string& name = name_of.at(member);
    text.replace(end - member.size(), member.size(), name);
    i = end - member.size() + name.size();
  }
  return spelling;
}

std::vector<std::string> take_indices_of_threads(emit::Spelling& spelling, emit::Dialect dialect) {
  std::vector<std::string> conditions;
  if (dialect != emit::Dialect::kCuda && dialect != emit::Dialect::kHip) return conditions;
  for (auto& [name, member] : spelling) {
    const std::size_t dot = member.find('.');
    const std::string object = member.substr(0, dot);
    const std::string field = member.substr(dot + 1);
    const bool is_index = object == "threadIdx" || object == "blockIdx";
    const bool is_size = object == "blockDim" || object == "gridDim";
    if ((!is_index && !is_size) || (field != "x" && field != "y" && field != "z")) continue;
    member.insert(0, "(int)");
    conditions.push_back((is_index ? "0<=" : "1<=") + name);
  }
  return conditions;
}

std::string on_one_line(std::string_view text) {
  std::string line;
  for (const char c : text) {
    const bool is_blank = c == ' ' || c == '\n' || c == '\t' || c == '\r';
    if (!is_blank) line += c;
    if (is_blank && !line.empty() && line.back() != ' ') line += ' ';
  }
  return line;
}

}  // namespace heddle::notation
