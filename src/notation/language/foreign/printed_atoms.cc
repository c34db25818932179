#include "notation/language/foreign/printed_atoms.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/text.h"
#include "core/words.h"
#include "notation/language/foreign/pointers.h"

namespace heddle::notation {
namespace {

using Parts = std::vector<Expression>;

/// A name of a line in lower case without blanks and `_`: `TV Layout Src`,
/// `ThrID`.
std::string plain_name(std::string_view name) {
  std::string plain;
  for (const char c : name) {
    if (c != ' ' && c != '_') plain += static_cast<char>(std::tolower(c));
  }
  return plain;
}

constexpr std::array<std::string_view, 4> kTitles = {"tiledcopy", "tiledmma", "copyatom",
                                                     "mmaatom"};

bool is_title(std::string_view line) {
  return std::ranges::find(kTitles, plain_name(line)) != kTitles.end();
}

/// CuTe DSL's names of lines, and CuTe's.
constexpr std::array kSynonyms = {
    std::pair<std::string_view, std::string_view>{"tvlayouttiled", "tiledlayouttv"},
    std::pair<std::string_view, std::string_view>{"tvlayoutsrc", "vallayoutsrc"},
    std::pair<std::string_view, std::string_view>{"tvlayoutdst", "vallayoutdst"},
    std::pair<std::string_view, std::string_view>{"tvlayouta", "layoutatv"},
    std::pair<std::string_view, std::string_view>{"tvlayoutb", "layoutbtv"},
    std::pair<std::string_view, std::string_view>{"tvlayoutc", "layoutctv"},
};

/// The lines of a block, by their names, after its titles.
struct Block {
  std::string title;
  std::map<std::string, Span, std::less<>> lines;
  Span span;
};

Span line_at(std::string_view text, std::size_t begin) {
  return {begin, std::min(text.find('\n', begin), text.size())};
}

Block block_at(std::string_view text, std::size_t begin) {
  Block block;
  block.span = line_at(text, begin);
  block.title = plain_name(text_at(text, trimmed(text, block.span)));
  while (block.span.end < text.size()) {
    const Span line = line_at(text, block.span.end + 1);
    const std::string_view words = text_at(text, trimmed(text, line));
    const std::size_t colon = words.find(':');
    const bool is_inner = is_title(words) && block.title.starts_with("tiled");
    const bool is_value = colon != std::string_view::npos && text[line.begin] == ' ';
    if (!is_inner && !is_value) break;
    block.span.end = line.end;
    if (is_inner) continue;
    std::string name = plain_name(words.substr(0, colon));
    for (const auto& [other, usual] : kSynonyms) {
      if (name == other) name = usual;
    }
    const std::size_t value = trimmed(text, line).begin + colon + 1;
    block.lines.emplace(std::move(name), trimmed(text, {value, line.end}));
  }
  return block;
}

/// Makes the call that a block is.
class BlockReader {
 public:
  BlockReader(std::string_view text, const Block& block, const ParsePiece& parse)
      : text_(text), block_(block), parse_(parse) {}

  Result<Expression> run() const {
    if (block_.title == "tiledcopy") return tiled_copy();
    if (block_.title == "tiledmma") return tiled_mma();
    return block_.title == "copyatom" ? copy_atom() : mma_atom();
  }

 private:
  Result<Span> line(std::string_view name) const {
    const auto found = block_.lines.find(name);
    if (found != block_.lines.end()) return found->second;
    return refuse(Diagnostic("syntax.unexpected",
                             fmt::format("a printed {} has no line {}", block_.title, quote(name)))
                      .with_span(block_.span));
  }
  /// Appends the values of the lines.
  Result<void> add(std::initializer_list<std::string_view> names, Parts& parts) const {
    for (const std::string_view name : names) {
      HEDDLE_TRY(const Span span, line(name));
      HEDDLE_TRY(Expression value, parse_(span));
      parts.push_back(std::move(value));
    }
    return {};
  }
  Expression call(std::string_view operation, Parts parts) const {
    return call_of(operation, std::move(parts), block_.span);
  }
  Expression number(std::int64_t value) const {
    return make_expression(IntegerLiteral{value}, block_.span);
  }

  /// `16b`, or `f16` in CuTe DSL.
  Result<Expression> value_bits() const {
    HEDDLE_TRY(const Span span, line("valuetype"));
    const std::string_view type = text_at(text_, span);
    std::string_view digits = type;
    const auto bits = type.ends_with('b') ? take_integer(digits) : element_bits(type);
    if (bits && *bits > 0) return make_expression(IntegerLiteral{*bits}, span);
    return refuse(Diagnostic("syntax.unexpected",
                             fmt::format("{} is not an element type of known width", quote(type)))
                      .with_span(span));
  }

  /// CuTe DSL leaves the reference out: it is the layout of both sides if they
  /// are alike.
  Result<Expression> copy_atom() const {
    Parts parts;
    HEDDLE_CHECK(add({"thrid", "vallayoutsrc", "vallayoutdst"}, parts));
    HEDDLE_TRY(const Span source, line("vallayoutsrc"));
    HEDDLE_TRY(const Span destination, line("vallayoutdst"));
    const bool are_alike = text_at(text_, source) == text_at(text_, destination);
    const bool is_given = block_.lines.contains("vallayoutref") || !are_alike;
    HEDDLE_CHECK(add({is_given ? "vallayoutref" : "vallayoutsrc"}, parts));
    HEDDLE_TRY(Expression bits, value_bits());
    parts.push_back(std::move(bits));
    return call("copy_atom_of", std::move(parts));
  }

  Result<Expression> mma_atom() const {
    Parts parts;
    HEDDLE_CHECK(add({"shapemnk", "thrid", "layoutatv", "layoutbtv", "layoutctv"}, parts));
    return call("mma_atom_of", std::move(parts));
  }

  Result<Expression> tiled_copy() const {
    Parts parts;
    HEDDLE_TRY(Expression atom, copy_atom());
    parts.push_back(std::move(atom));
    HEDDLE_CHECK(add({"tiledlayouttv", "tilermn"}, parts));
    return call("make_tiled_copy_impl", std::move(parts));
  }

  /// The layout (M,N,K) -> atom is read back from the threads of the atoms:
  /// atom i begins at position i of the complement of the atom's own threads.
  Result<Expression> tiled_mma() const {
    Parts lines;
    HEDDLE_CHECK(add({"thrid", "thrlayoutvmnk", "permutationmnk"}, lines));
    Parts threads = {lines[1]};
    Parts target = {lines[0], call("cosize", std::move(threads))};
    Parts positions = {call("complement", std::move(target))};
    Parts modes = {lines[1], number(1), number(4)};
    Parts atoms = {call("left_inverse", std::move(positions)), call("take", std::move(modes))};
    HEDDLE_TRY(Expression atom, mma_atom());
    Parts parts = {std::move(atom), call("composition", std::move(atoms)), std::move(lines[2])};
    return call("make_tiled_mma", std::move(parts));
  }

  std::string_view text_;
  const Block& block_;
  const ParsePiece& parse_;
};

}  // namespace

std::size_t begins_printed_atom(std::string_view rest) {
  if (!rest.starts_with("Tiled") && !rest.starts_with("Copy") && !rest.starts_with("MMA")) return 0;
  const Span title = line_at(rest, 0);
  if (title.end == rest.size() || !is_title(text_at(rest, trimmed(rest, title)))) return 0;
  const std::string_view next = text_at(rest, line_at(rest, title.end + 1));
  const bool has_value = next.starts_with(' ') && next.find(':') != std::string_view::npos;
  return has_value ? first_word(rest).size() : 0;
}

Result<Expression> read_printed_atom(std::string_view text, std::size_t& position,
                                     const ParsePiece& parse) {
  const Block block = block_at(text, position);
  position = block.span.end;
  return BlockReader(text, block, parse).run();
}

}  // namespace heddle::notation
