#include "notation/dumps/tvm_script.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/text.h"
#include "core/words.h"
#include "heddle/notation/evaluator.h"
#include "notation/dumps/distinct_names.h"

namespace heddle::notation {
namespace {

/// How far before a layout its call may begin, and how far after that it may end.
constexpr std::size_t kLongestCall = 4096;
/// At how many places the name of a layout is looked at, and in how many calls, for its buffer.
constexpr int kMostPlaces = 4096;
constexpr int kMostUses = 64;

using Constants = std::map<std::string_view, std::int64_t>;

/// What the lines `BM = 128` of a text bind.
Constants constants_in(std::string_view text) {
  Constants constants;
  while (!text.empty()) {
    std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    line = trimmed(line.substr(0, line.find('#')));
    const std::string_view name = first_word(line);
    line = trimmed(line.substr(name.size()));
    if (name.empty() || !line.starts_with('=')) continue;
    if (const auto number = integer_in(trimmed(line.substr(1)))) constants[name] = *number;
  }
  return constants;
}

/// A call around a layout: its brackets, and what its value is bound to, or else empty.
struct BufferCall {
  std::string name;
  std::vector<std::int64_t> shape;
};

class ScriptReader {
 public:
  explicit ScriptReader(std::string_view text) : text_(text), constants_(constants_in(text)) {}

  Recognized read() && {
    for (std::size_t at = 0; at < text_.size(); ++at) {
      if (!begins_layout(at)) continue;
      if (found_.layouts.size() == kMaxFoundLayouts || tries_ >= kMostTriesOfAll) {
        found_.remarks.push_back(fmt::format("from byte {} on the text is not searched", at));
        break;
      }
      at = take(at);
    }
    for (FoundLayout& layout : found_.layouts) {
      if (layout.shape.empty()) give_shape(layout, use_of(layout.name).shape);
    }
    return std::move(found_);
  }

 private:
  [[nodiscard]] bool begins_layout(std::size_t at) const {
    const bool is_within_word = at > 0 && is_word_character(text_[at - 1]);
    const std::string_view rest = text_.substr(at);
    return !is_within_word && (rest.starts_with("S[") || rest.starts_with("SW(") ||
                               rest.starts_with("TileLayout(") || rest.starts_with(kComposed));
  }

  /// Takes the layout that begins there, if it can be read; where to go on.
  std::size_t take(std::size_t at) {
    const auto end = end_of_layout(at);
    // What is within a layout that cannot be read is not all of it.
    const bool has_parts = text_.substr(at).starts_with(kComposed);
    if (!end && has_parts)
      found_.remarks.push_back(fmt::format("the layout at byte {} cannot be read", at));
    if (!end) return has_parts ? closing_of(text_.find('(', at)) : at;
    const BufferCall buffer = buffer_around(at);
    const bool is_buffer = !buffer.name.empty() && !buffer.shape.empty();
    found_.layouts.push_back({names_.make(is_buffer ? buffer.name : name_before(at)),
                              std::string(text_.substr(at, *end - at)), "an Axe layout",
                              Span{at, *end}});
    give_shape(found_.layouts.back(), buffer.shape);
    return *end;
  }

  /// The bracket that closes the one there; where the search ends if there is none.
  [[nodiscard]] std::size_t closing_of(std::size_t open) const {
    int depth = 0;
    const std::size_t end = std::min(text_.size(), open + 2 * kLongestCall);
    for (std::size_t at = open; at < end; ++at) {
      if (text_[at] == '(') ++depth;
      if (text_[at] == ')' && --depth == 0) return at;
    }
    return end;
  }

  /// The end of the longest piece of the text from `begin` on that is an Axe layout.
  [[nodiscard]] std::optional<std::size_t> end_of_layout(std::size_t begin) {
    constexpr std::size_t kMostTries = 64;
    std::vector<std::size_t> ends;
    int depth = 0;
    for (std::size_t at = begin; at < std::min(text_.size(), begin + kLongestCall); ++at) {
      const char c = text_[at];
      if (c == '(' || c == '[') ++depth;
      if (c == ')' || c == ']') --depth;
      if (depth < 0 || (depth == 0 && (c == '\n' || c == '#'))) break;
      const bool ends_word =
          is_word_character(c) && (at + 1 == text_.size() || !is_word_character(text_[at + 1]));
      if (depth == 0 && (c == ')' || c == ']' || ends_word)) ends.push_back(at + 1);
      if (ends.size() == kMostTries) break;
    }
    for (; !ends.empty(); ++tries_) {
      const auto value = evaluate(text_.substr(begin, ends.back() - begin));
      if (value && value->is<axe::Layout>()) return ends.back();
      ends.pop_back();
    }
    return std::nullopt;
  }

  /// The name that ends before `end`; empty if there is none.
  [[nodiscard]] std::string_view word_before(std::size_t end) const {
    const std::string_view word = last_word(text_.substr(0, end));
    return !word.empty() && begins_name(word.front()) ? word : std::string_view();
  }

  /// Before the blanks in the line that ends at `end`.
  [[nodiscard]] std::size_t before_blanks(std::size_t end) const {
    while (end > 0 && (text_[end - 1] == ' ' || text_[end - 1] == '\t')) --end;
    return end;
  }

  /// Where the dotted name that ends before `end` begins.
  [[nodiscard]] std::size_t begin_of_dotted(std::size_t end) const {
    while (end > 0 && (is_word_character(text_[end - 1]) || text_[end - 1] == '.')) --end;
    return end;
  }

  /// `A` in `A = `, `A: `, and `A: T.Buffer = ` before `end`; empty if nothing is bound there.
  [[nodiscard]] std::string_view bound_before(std::size_t end) const {
    const std::size_t sign = before_blanks(end);
    if (sign == 0) return {};
    const std::size_t name = before_blanks(sign - 1);
    if (text_[sign - 1] == ':') return word_before(name);
    if (text_[sign - 1] != '=') return {};
    const std::size_t colon = before_blanks(begin_of_dotted(name));
    const bool is_annotated = colon > 0 && text_[colon - 1] == ':';
    return word_before(is_annotated ? before_blanks(colon - 1) : name);
  }

  /// `smem` in `smem = T.TileLayout(`, in `smem: Layout = S[` and in `f(smem=S[`; `L` if there is
  /// no name.
  [[nodiscard]] std::string name_before(std::size_t at) const {
    const std::string_view name = bound_before(begin_of_dotted(at));
    return name.empty() ? "L" : std::string(name);
  }

  /// The buffer whose call is around the byte, `A = T.alloc_buffer((8, 64), …` or `A: T.Buffer(…`.
  [[nodiscard]] BufferCall buffer_around(std::size_t at) const {
    const auto open = opening_before(at);
    if (!open) return {};
    const std::size_t begin = *open + 1;
    return {std::string(bound_before(begin_of_dotted(*open))),
            shape_in(text_.substr(begin, closing_of(*open) - begin))};
  }

  /// The open parenthesis around a byte.
  [[nodiscard]] std::optional<std::size_t> opening_before(std::size_t at) const {
    const std::size_t first = at > kLongestCall ? at - kLongestCall : 0;
    int depth = 0;
    while (at > first) {
      const char c = text_[--at];
      if (c == ')' || c == ']') ++depth;
      if ((c == '(' || c == '[') && depth-- == 0)
        return c == '(' ? std::optional(at) : std::nullopt;
    }
    return std::nullopt;
  }

  /// The first list of sizes among the arguments of a call; empty if there is none.
  [[nodiscard]] std::vector<std::int64_t> shape_in(std::string_view arguments) const {
    for (std::string_view argument : split_at_commas(arguments)) {
      const std::size_t equal = argument.find('=');
      const bool is_named = argument.find_first_of("([{'\"") > equal;
      if (is_named && trimmed(argument.substr(0, equal)) != "shape") continue;
      if (is_named) argument = trimmed(argument.substr(equal + 1));
      const bool is_list = argument.starts_with('(') || argument.starts_with('[');
      if (!is_list) continue;
      std::vector<std::int64_t> shape;
      for (const std::string_view size : split_at_commas(argument.substr(1, argument.size() - 2))) {
        const auto number = size_named(size);
        if (!number) return {};
        shape.push_back(*number);
      }
      return shape;
    }
    return {};
  }

  /// A number, or what a line `BM = 128` binds.
  [[nodiscard]] std::optional<std::int64_t> size_named(std::string_view size) const {
    if (const auto number = integer_in(size)) return number;
    const auto constant = constants_.find(size);
    return constant != constants_.end() ? std::optional(constant->second) : std::nullopt;
  }

  /// The buffer that has the layout of that name: `A = T.alloc_buffer((8, 64), layout=name)`.
  [[nodiscard]] BufferCall use_of(const std::string& name) const {
    constexpr std::string_view kKey = "layout";
    int uses = 0;
    int places = 0;
    for (std::size_t at = text_.find(name); at != std::string_view::npos;
         at = text_.find(name, at + 1)) {
      if (uses == kMostUses || ++places == kMostPlaces) break;
      const bool is_word_end =
          at + name.size() >= text_.size() || !is_word_character(text_[at + name.size()]);
      const std::size_t equal = before_blanks(at);
      if (!is_word_end || equal == 0 || text_[equal - 1] != '=') continue;
      if (word_before(before_blanks(equal - 1)) != kKey) continue;
      ++uses;
      if (BufferCall buffer = buffer_around(at); !buffer.shape.empty()) return buffer;
    }
    return {};
  }

  /// Gives the layout the shape of its buffer, unless that has another number of elements.
  void give_shape(FoundLayout& layout, const std::vector<std::int64_t>& shape) {
    if (shape.empty()) return;
    const auto value = evaluate(layout.text);
    Int elements = 1;
    for (const std::int64_t size : shape) elements *= size;
    const Int size = value ? axe::size(value->get<axe::Layout>()) : Int(0);
    if (known_equal(elements, size)) {
      layout.shape = shape;
      return;
    }
    found_.remarks.push_back(fmt::format("{}: its buffer has the shape ({}), and its layout {}",
                                         layout.name, fmt::join(shape, ","),
                                         counted(to_string(size), "element")));
  }

  static constexpr std::string_view kComposed = "ComposeLayout(";
  /// Of about half a millisecond each.
  static constexpr std::size_t kMostTriesOfAll = 2000;

  std::string_view text_;
  Constants constants_;
  Recognized found_{"a TVM script"};
  DistinctNames names_;
  std::size_t tries_ = 0;
};

}  // namespace

Recognized read_script(std::string_view text) { return ScriptReader(text).read(); }

}  // namespace heddle::notation
