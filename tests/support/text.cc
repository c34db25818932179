#include "support/text.h"

#include <charconv>
#include <stdexcept>
#include <string>
#include <vector>

namespace heddle::test {
namespace {

[[noreturn]] void fail(std::string_view text) {
  throw std::invalid_argument("cannot read '" + std::string(text) + "'");
}

std::string_view trim(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

std::int64_t number(std::string_view text) {
  text = trim(text);
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) fail(text);
  return value;
}

/// The pieces between `separator` outside all brackets.
std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> pieces;
  int depth = 0;
  std::size_t begin = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '(' || text[i] == '<') ++depth;
    if (text[i] == ')' || text[i] == '>') --depth;
    if (depth == 0 && text[i] == separator) {
      pieces.push_back(trim(text.substr(begin, i - begin)));
      begin = i + 1;
    }
  }
  pieces.push_back(trim(text.substr(begin)));
  return pieces;
}

/// What is between the brackets, or nothing where the text is not bracketed as a whole.
bool unwrap(std::string_view& text, char open, char close) {
  if (text.size() < 2 || text.front() != open || text.back() != close) return false;
  text = trim(text.substr(1, text.size() - 2));
  return true;
}

template <class Leaf, class Read>
Tuple<Leaf> read(std::string_view text, Read read_leaf) {
  text = trim(text);
  if (!unwrap(text, '(', ')')) return Tuple<Leaf>(read_leaf(text));
  std::vector<Tuple<Leaf>> modes;
  if (!text.empty()) {
    for (const std::string_view piece : split(text, ','))
      modes.push_back(read<Leaf>(piece, read_leaf));
  }
  return Tuple<Leaf>::of(modes);
}

cute::Stride stride(std::string_view text) {
  const std::vector<std::string_view> parts = split(text, '@');
  std::vector<std::size_t> path;  // printed from the last step to the first
  for (std::size_t i = parts.size(); i > 1; --i) {
    path.push_back(static_cast<std::size_t>(number(parts[i - 1])));
  }
  return {Int(number(parts[0])), cute::Basis::make(path).value()};
}

cute::Tile tile(std::string_view text) {
  if (text == "_") return cute::_;
  if (split(text, ':').size() == 2) return layout(text);
  return Int(number(text));
}

}  // namespace

IntTuple tuple(std::string_view text) {
  return read<Int>(text, [](std::string_view leaf) { return Int(number(leaf)); });
}

cute::StrideTuple strides(std::string_view text) { return read<cute::Stride>(text, stride); }

cute::Layout layout(std::string_view text) {
  const std::vector<std::string_view> sides = split(text, ':');
  if (sides.size() == 1) return cute::make_layout(tuple(text)).value();
  if (sides.size() != 2) fail(text);
  return cute::Layout::make(tuple(sides[0]), strides(sides[1])).value();
}

cute::Coordinate coordinate(std::string_view text) {
  return read<cute::Index>(text, [](std::string_view leaf) {
    return leaf == "_" ? cute::Index(cute::_) : cute::Index(Int(number(leaf)));
  });
}

cute::Tiler tiler(std::string_view text) {
  text = trim(text);
  const bool is_layout = split(text, ':').size() == 2;
  if (is_layout || !(unwrap(text, '<', '>') || unwrap(text, '(', ')')))
    return cute::Tiler(tile(text));
  std::vector<cute::Tiler> modes;
  for (const std::string_view piece : split(text, ',')) modes.push_back(tiler(piece));
  return cute::Tiler::of(modes);
}

cute::Swizzle swizzle(std::string_view text) {
  const std::string_view whole = text;
  const std::size_t open = text.find('<');
  if (open == std::string_view::npos || text.back() != '>') fail(whole);
  text = text.substr(open + 1, text.size() - open - 2);
  const std::vector<std::string_view> parts = split(text, ',');
  if (parts.size() != 3) fail(whole);
  return cute::Swizzle::make(static_cast<int>(number(parts[0])), static_cast<int>(number(parts[1])),
                             static_cast<int>(number(parts[2])))
      .value();
}

cute::ComposedLayout composed(std::string_view text) {
  const std::vector<std::string_view> parts = split(text, 'o');
  if (parts.size() != 3) fail(text);
  return cute::ComposedLayout::make(swizzle(parts[0]), Int(number(parts[1])), layout(parts[2]))
      .value();
}

}  // namespace heddle::test
