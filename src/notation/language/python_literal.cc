#include "notation/language/python_literal.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "core/python_text.h"
#include "core/text.h"
#include "heddle/notation/lexer.h"
#include "notation/language/scanner.h"

namespace heddle::notation {
namespace {

using LiteralKind = PythonLiteral::Kind;

constexpr std::string_view kCode = "syntax.sharding";

/// `jax.sharding.P` without the modules; UNCONSTRAINED is a member.
std::string last_part(std::string_view name) {
  const std::size_t dot = name.rfind('.');
  return std::string(dot == std::string_view::npos ? name : name.substr(dot + 1));
}

class PythonLiteralReader {
 public:
  explicit PythonLiteralReader(std::string_view text) : scanner_(text, kCode) {}

  Result<PythonLiteral> read() {
    PythonLiteral all{.kind = LiteralKind::kTuple};
    HEDDLE_TRY(PythonLiteral first, value(0));
    if (scanner_.at_end()) return first;
    all.items.push_back(std::move(first));
    all.keys.emplace_back();
    while (scanner_.accept(",")) {
      if (scanner_.at_end()) break;
      HEDDLE_TRY(PythonLiteral next, value(0));
      all.items.push_back(std::move(next));
      all.keys.emplace_back();
    }
    if (!scanner_.at_end()) return scanner_.refuse_here("the end");
    all.span = {0, scanner_.position()};
    return all;
  }

 private:
  Result<PythonLiteral> value(int depth) {
    constexpr int kMaxDepth = 32;
    constexpr int kMaxLiterals = 1 << 17;
    if (depth > kMaxDepth || ++count_ > kMaxLiterals) {
      return scanner_.refuse_here("less nesting, or a shorter text,");
    }
    static_cast<void>(scanner_.rest());
    const std::size_t begin = scanner_.position();
    HEDDLE_TRY(PythonLiteral literal, primary(depth));
    literal.span = {begin, scanner_.position()};
    while (scanner_.accept(".reshape(")) {
      PythonLiteral call{.kind = LiteralKind::kCall, .text = "reshape"};
      call.items.push_back(std::move(literal));
      call.keys.emplace_back();
      HEDDLE_CHECK(items(call, ")", depth));
      call.span = {begin, scanner_.position()};
      literal = std::move(call);
    }
    if (literal.is_sequence() && scanner_.accept("*")) HEDDLE_CHECK(repeat(literal));
    return literal;
  }

  /// `(Auto,) * 2`
  Result<void> repeat(PythonLiteral& sequence) {
    constexpr std::int64_t kMost = 64;
    HEDDLE_TRY(const std::int64_t times, scanner_.expect_integer("how often to repeat it"));
    if (times < 0 || times > kMost || sequence.items.size() > static_cast<std::size_t>(kMost)) {
      return scanner_.refuse_here("a short sequence");
    }
    const PythonLiteral once = sequence;
    sequence.items.clear();
    sequence.keys.clear();
    for (std::int64_t i = 0; i < times; ++i) {
      sequence.items.insert(sequence.items.end(), once.items.begin(), once.items.end());
      sequence.keys.insert(sequence.keys.end(), once.keys.begin(), once.keys.end());
      count_ += static_cast<int>(once.items.size());
    }
    return {};
  }

  Result<PythonLiteral> primary(int depth) {
    for (const auto& [open, close, kind] : {std::tuple{"(", ")", LiteralKind::kTuple},
                                            {"[", "]", LiteralKind::kList},
                                            {"{", "}", LiteralKind::kSet}}) {
      if (!scanner_.accept(open)) continue;
      PythonLiteral sequence{.kind = kind};
      HEDDLE_CHECK(items(sequence, close, depth));
      // (x) is x in parentheses, (x,) a tuple.
      if (kind == LiteralKind::kTuple && sequence.items.size() == 1 && sequence.keys[0].empty() &&
          !trailing_comma_) {
        return std::move(sequence.items[0]);
      }
      return sequence;
    }
    const std::string_view rest = scanner_.rest();
    if (rest.starts_with('\'') || rest.starts_with('"')) return string(rest);
    if (!rest.empty() && (rest[0] == '-' || (rest[0] >= '0' && rest[0] <= '9'))) {
      HEDDLE_TRY(const std::int64_t number, scanner_.expect_integer("an integer"));
      scanner_.accept("L");  // as Python 2 wrote long integers
      return PythonLiteral{.kind = LiteralKind::kInteger, .number = number};
    }
    std::optional<std::string_view> word = scanner_.word();
    if (!word) return scanner_.refuse_here("a value");
    PythonLiteral literal{.kind = LiteralKind::kName, .text = last_part(*word)};
    // PyTorch prints a mesh as DeviceMesh:([0, 1]) too.
    const bool is_call = literal.text == "DeviceMesh" && scanner_.accept(":(");
    if (!is_call && !scanner_.accept("(")) return literal;
    literal.kind = LiteralKind::kCall;
    // A word may contain dots, but the method in np.arange(4).reshape comes after the call.
    HEDDLE_CHECK(items(literal, ")", depth));
    return literal;
  }

  Result<PythonLiteral> string(std::string_view rest) {
    std::optional<std::string> said = take_python_string(rest);
    if (!said) {
      scanner_.go_to(scanner_.position() + 1);
      return scanner_.refuse_here("the end of a string");
    }
    scanner_.go_to(scanner_.text().size() - rest.size());
    return PythonLiteral{.kind = LiteralKind::kString, .text = *std::move(said)};
  }

  /// Up to the closing bracket.
  Result<void> items(PythonLiteral& parent, std::string_view close, int depth) {
    bool comma = false;
    while (!scanner_.accept(close)) {
      const bool is_array = parent.is(LiteralKind::kList) && !parent.items.empty() &&
                            may_follow_blank(parent.items.back());
      if (parent.items.size() > first_item(parent) && !comma && !is_array) {
        return scanner_.refuse_here(fmt::format("',' or '{}'", close));
      }
      HEDDLE_TRY(PythonLiteral item, value(depth + 1));
      std::string key;
      const bool may_be_key = item.is(LiteralKind::kName) || item.is(LiteralKind::kString);
      const bool is_number = item.is(LiteralKind::kInteger) && parent.is(LiteralKind::kSet);
      if ((may_be_key && (scanner_.accept("=") || scanner_.accept(":"))) ||
          (is_number && scanner_.accept(":"))) {
        key = is_number ? std::to_string(item.number) : item.text;
        HEDDLE_TRY(item, value(depth + 1));
      }
      parent.items.push_back(std::move(item));
      parent.keys.push_back(std::move(key));
      comma = scanner_.accept(",");
    }
    trailing_comma_ = comma;
    return {};
  }

  /// NumPy prints arrays without commas: `[[CpuDevice(id=0) CpuDevice(id=1)] [CpuDevice(id=2) …]]`.
  static bool may_follow_blank(const PythonLiteral& item) {
    if (item.is(LiteralKind::kList)) {
      return !item.items.empty() && may_follow_blank(item.items.back());
    }
    return item.is(LiteralKind::kCall) && item.keyed("id") != nullptr;
  }

  /// A method already has its object as its first item.
  static std::size_t first_item(const PythonLiteral& parent) {
    return parent.is_call("reshape") ? 1 : 0;
  }

  Scanner scanner_;
  bool trailing_comma_ = false;
  int count_ = 0;
};

}  // namespace

const PythonLiteral* PythonLiteral::keyed(std::string_view key) const {
  const auto found = std::ranges::find(keys, key);
  if (found == keys.end()) return nullptr;
  return &items[static_cast<std::size_t>(found - keys.begin())];
}

std::vector<const PythonLiteral*> PythonLiteral::positional() const {
  std::vector<const PythonLiteral*> result;
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (keys[i].empty()) result.push_back(&items[i]);
  }
  return result;
}

const PythonLiteral* PythonLiteral::argument(std::string_view key, std::size_t position) const {
  if (const PythonLiteral* named = keyed(key)) return named;
  const std::vector<const PythonLiteral*> others = positional();
  return position < others.size() ? others[position] : nullptr;
}

Result<PythonLiteral> parse_python_literal(std::string_view text) {
  HEDDLE_CHECK(check_encoding(text));
  return PythonLiteralReader(text).read();
}

Refusal refuse_literal(std::string_view source, const PythonLiteral& literal,
                       std::string_view wanted) {
  const std::string found = quote(text_at(source, literal.span));
  return refuse(Diagnostic(kCode, fmt::format("there is {} where {} is expected", found, wanted))
                    .with_span(literal.span));
}

}  // namespace heddle::notation
