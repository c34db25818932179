#include "notation/language/placement_text.h"

#include <algorithm>
#include <array>

#include "core/words.h"
#include "notation/language/foreign/triton_text.h"

namespace heddle::notation {
namespace {

constexpr std::array<std::string_view, 9> kCalls = {"Shard",        "Replicate",     "Partial",
                                                    "_Partial",     "_StridedShard", "StridedShard",
                                                    "_MaskPartial", "_NormPartial",  "_S"};
constexpr std::array<std::string_view, 5> kOps = {"sum", "avg", "product", "max", "min"};

std::size_t blanks(std::string_view text) {
  return std::min(text.find_first_not_of(" \t\r\n"), text.size());
}

/// The module in front of a name: `torch.distributed.tensor.`.
std::size_t torch_length(std::string_view text) {
  std::size_t length = 0;
  if (!text.starts_with("torch.")) return 0;
  while (true) {
    const std::string_view word = first_word(text.substr(length));
    if (word.empty() || !text.substr(length + word.size()).starts_with('.')) return length;
    length += word.size() + 1;
  }
}

/// `(0)`, `(-1)`, `(0, 2)`, `(dim=0, sf=2)`: integers, by name or not.
bool has_numbers(std::string_view arguments) {
  const std::string_view inside = arguments.substr(1, arguments.size() - 2);
  std::size_t at = blanks(inside);
  for (bool is_first = true; at < inside.size() || is_first; is_first = false) {
    std::string_view rest = inside.substr(at);
    const std::string_view name = first_word(rest);
    if (!name.empty() && !is_digit(name.front())) {
      if (!rest.substr(name.size()).starts_with('=')) return false;
      rest.remove_prefix(name.size() + 1);
    }
    if (rest.starts_with('-')) rest.remove_prefix(1);
    const std::string_view digits = first_word(rest);
    if (digits.empty() || !std::ranges::all_of(digits, is_digit)) return false;
    rest.remove_prefix(digits.size());
    rest.remove_prefix(blanks(rest));
    if (rest.empty()) return true;
    if (rest.front() != ',') return false;
    rest.remove_prefix(1);
    rest.remove_prefix(blanks(rest));
    at = inside.size() - rest.size();
  }
  return true;
}

/// `S(0)`, `_S(0, 2)`, `R`, `P`, `P(sum)` at the beginning, which more letters may follow.
std::size_t short_length(std::string_view text) {
  for (const std::string_view name : {"_SS", "_S", "S"}) {
    if (!text.starts_with(name) || !text.substr(name.size()).starts_with('(')) continue;
    const auto arguments = bracketed_length(text.substr(name.size()));
    if (!arguments || !has_numbers(text.substr(name.size(), *arguments))) return 0;
    return name.size() + *arguments;
  }
  if (!text.starts_with('R') && !text.starts_with('P')) return 0;
  if (!text.starts_with("P(")) return 1;
  for (const std::string_view op : kOps) {
    const std::string_view rest = text.substr(2);
    if (rest.starts_with(op) && rest.substr(op.size()).starts_with(')')) return op.size() + 3;
  }
  return 0;
}

bool ends_word(std::string_view rest) {
  return rest.empty() || (!is_word_character(rest.front()) && rest.front() != '(');
}

}  // namespace

std::size_t placement_length(std::string_view text) {
  const std::size_t modules = torch_length(text);
  const std::string_view rest = text.substr(modules);
  const std::string_view name = first_word(rest);
  if (std::ranges::find(kCalls, name) != kCalls.end() && name != "_S") {
    const std::string_view arguments = rest.substr(name.size());
    const auto length = arguments.starts_with('(') ? bracketed_length(arguments) : std::nullopt;
    return length ? modules + name.size() + *length : 0;
  }
  const std::size_t length = short_length(rest);
  return length > 0 && ends_word(rest.substr(length)) ? modules + length : 0;
}

std::size_t placement_list_length(std::string_view text) {
  if (!text.starts_with('(') && !text.starts_with('[')) return 0;
  const char close = text.front() == '(' ? ')' : ']';
  bool has_call = false;
  std::size_t at = 1 + blanks(text.substr(1));
  while (at < text.size()) {
    const std::size_t length = placement_length(text.substr(at));
    if (length == 0) return 0;
    has_call = has_call || text[at + length - 1] == ')';
    at += length;
    at += blanks(text.substr(at));
    if (at < text.size() && text[at] == ',')
      at += 1 + blanks(text.substr(std::min(at + 1, text.size())));
    if (at < text.size() && text[at] == close) return has_call ? at + 1 : 0;
  }
  return 0;
}

std::size_t compact_length(std::string_view text) {
  std::size_t count = 0;
  bool has_shard = false;
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t length = short_length(text.substr(at));
    if (length == 0) break;
    has_shard = has_shard || text[at] == 'S' || text[at] == '_';
    at += length;
    ++count;
  }
  return count > 1 && has_shard && ends_word(text.substr(at)) ? at : 0;
}

std::optional<std::string> listed_placements(std::string_view text) {
  if (text.empty() || compact_length(text) != text.size()) return std::nullopt;
  std::string list = "[";
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = short_length(text.substr(at));
    list += (at == 0 ? "" : ", ") + std::string(text.substr(at, length));
    at += length;
  }
  return list + "]";
}

}  // namespace heddle::notation
