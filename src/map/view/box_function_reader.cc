// Reads formulas on boxes from isl's syntax. Texts in any other form are left to isl: parameters,
// conditions that are no bounds, and ambiguous expressions such as `2c mod 4`.

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <utility>

#include "core/cursor.h"
#include "core/words.h"
#include "map/view/box_function.h"

namespace heddle::map {
namespace {

/// Thrown if isl has to read the text.
struct NotPlain {};

class FormulaReader : private Cursor {
 public:
  explicit FormulaReader(std::string_view text) : Cursor(text) {}

  /// Reads the whole text: one part, without its braces.
  void read() {
    read_inputs();
    expect("->");
    read_outputs();
    if (accept(":")) read_conditions();
    if (!at_end() || !waiting_.empty()) throw NotPlain();
  }

  [[nodiscard]] BoxFormula::Part part() && {
    BoxFormula::Part part{std::move(sums_), {}, {}};
    for (const Bounds& bounds : bounds_) {
      if (!bounds.are_known()) throw NotPlain();
      part.lows.push_back(bounds.low);
      part.highs.push_back(bounds.high);
    }
    return part;
  }
  [[nodiscard]] std::vector<std::string> inputs() const {
    return {names_.begin(), names_.end() - static_cast<std::ptrdiff_t>(copies())};
  }
  [[nodiscard]] std::size_t copies() const { return names_.size() - inputs_; }
  [[nodiscard]] const std::vector<std::string>& labels() const { return labels_; }

 private:
  /// The bounds of a coordinate or a copy.
  struct Bounds {
    std::int64_t low = std::numeric_limits<std::int64_t>::min();
    std::int64_t high = std::numeric_limits<std::int64_t>::max();

    [[nodiscard]] bool are_known() const {
      return low > std::numeric_limits<std::int64_t>::min() &&
             high < std::numeric_limits<std::int64_t>::max() && low <= high;
    }
  };

  // ---- Words ----

  void expect(std::string_view word) {
    if (!accept(word)) throw NotPlain();
  }
  /// The next name, which is not consumed; empty if there is none.
  [[nodiscard]] std::string_view next_name() {
    const std::string_view rest = this->rest();
    if (rest.empty() || !begins_name(rest.front())) return {};
    return Cursor(rest).take([](char c) { return is_word_character(c) || c == '\''; });
  }
  bool accept_name(std::string_view name) { return next_name() == name && accept(name); }
  std::string name() {
    const std::string_view found = next_name();
    if (found.empty()) throw NotPlain();
    accept(found);
    return std::string(found);
  }
  [[nodiscard]] bool sees_number() {
    const std::string_view rest = this->rest();
    return !rest.empty() && is_digit(rest.front());
  }
  std::int64_t number() {
    const auto value = sees_number() ? integer() : std::nullopt;
    if (!value) throw NotPlain();
    return *value;
  }
  std::int64_t signed_number() { return accept("-") ? -number() : number(); }
  std::int64_t divisor() {
    const std::int64_t value = number();
    if (value < 1) throw NotPlain();
    return value;
  }

  // ---- Tuples ----

  void declare(std::string name) {
    if (!isl_word(name).empty() || !indices_.emplace(name, indices_.size()).second)
      throw NotPlain();
    bounds_.emplace_back();
    names_.push_back(std::move(name));
  }

  void read_inputs() {
    expect("[");
    if (accept("]")) return;
    do {
      declare(name());
      // isl prints a coordinate that has one value in this form.
      if (accept("=")) {
        const std::int64_t value = signed_number();
        bounds_.back() = {value, value};
      }
    } while (accept(","));
    expect("]");
    inputs_ = names_.size();
  }

  void read_outputs() {
    expect("[");
    if (accept("]")) throw NotPlain();
    do {
      const std::string_view word = next_name();
      std::string label;
      if (!word.empty() && !indices_.contains(std::string(word)) && isl_word(word).empty()) {
        label = name();
        if (!accept("=")) {
          // The conditions give its value.
          waiting_.emplace(label, sums_.size());
          sums_.emplace_back();
          labels_.push_back(std::move(label));
          continue;
        }
      }
      sums_.push_back(sum());
      labels_.push_back(std::move(label));
    } while (accept(","));
    expect("]");
    if (std::ranges::any_of(labels_, [&](const std::string& label) {
          return !label.empty() && std::ranges::count(labels_, label) > 1;
        })) {
      throw NotPlain();
    }
  }

  // ---- Conditions ----

  void read_conditions() {
    if (!accept_name("exists")) {
      read_conjunction();
      return;
    }
    const bool has_parentheses = accept("(");
    if (!has_parentheses) throw NotPlain();
    do {
      declare(name());
      if (waiting_.contains(names_.back())) throw NotPlain();
    } while (accept(","));
    expect(":");
    read_conjunction();
    expect(")");
  }

  void read_conjunction() {
    do {
      read_condition();
    } while (accept_name("and"));
  }

  void read_condition() {
    const auto output = waiting_.find(std::string(next_name()));
    if (output == waiting_.end()) {
      read_chain();
      return;
    }
    (void)name();
    expect("=");
    sums_[output->second] = sum();
    waiting_.erase(output);
  }

  /// A number, or a coordinate.
  struct Side {
    bool is_number = false;
    std::int64_t value = 0;
    std::size_t index = 0;
  };

  Side side() {
    const bool is_negative = accept("-");
    if (is_negative || sees_number()) {
      const std::int64_t value = number();
      return {true, is_negative ? -value : value, 0};
    }
    const auto found = indices_.find(name());
    if (found == indices_.end()) throw NotPlain();
    return {false, 0, found->second};
  }

  /// `0 <= c0 <= 3`, `c0 < 4`, `c0 = 0`.
  void read_chain() {
    Side left = side();
    bool is_first = true;
    for (;;) {
      const std::string_view relation = accept_relation();
      if (relation.empty()) {
        if (is_first) throw NotPlain();
        return;
      }
      is_first = false;
      const Side right = side();
      bind(left, relation, right);
      left = right;
    }
  }

  std::string_view accept_relation() {
    for (const std::string_view relation : {"<=", ">=", "<", ">", "="}) {
      if (sees("=>") || sees("<<") || sees("==")) throw NotPlain();
      if (accept(relation)) return relation;
    }
    return {};
  }

  void bind(const Side& left, std::string_view relation, const Side& right) {
    if (left.is_number == right.is_number) throw NotPlain();
    if (left.is_number) {
      const std::string_view turned = relation == "<="   ? ">="
                                      : relation == ">=" ? "<="
                                      : relation == "<"  ? ">"
                                      : relation == ">"  ? "<"
                                                         : "=";
      bind(right, turned, left);
      return;
    }
    Bounds& bounds = bounds_[left.index];
    const std::int64_t value = right.value;
    if (relation.front() == '<' || relation == "=") {
      bounds.high = std::min(bounds.high, value - (relation == "<" ? 1 : 0));
    }
    if (relation.front() == '>' || relation == "=") {
      if (value == std::numeric_limits<std::int64_t>::max()) throw NotPlain();
      bounds.low = std::max(bounds.low, value + (relation == ">" ? 1 : 0));
    }
  }

  // ---- Expressions ----

  QuasiSum sum() {
    if (++depth_ > kMaxDepth) throw NotPlain();
    bool is_negative = accept("-");
    QuasiSum result;
    for (;;) {
      result = plus(std::move(result), times(is_negative ? -1 : 1, product()));
      is_negative = sees("-");
      if (sees("->") || (!accept("-") && !accept("+"))) break;
    }
    --depth_;
    return result;
  }

  /// `8`, `8c0`, `8*floor(…)`, `8*(…)`, or an operand without a factor, which may be taken modulo.
  QuasiSum product() {
    if (++products_ > kMaxProducts) throw NotPlain();
    if (!sees_number()) return modulo(factor());
    const std::int64_t value = number();
    const bool is_times = accept("*");
    if (!is_times && next_name().empty()) {
      if (sees("(")) throw NotPlain();
      return ended({value, {}});
    }
    if (!is_times && !isl_word(next_name()).empty()) {
      if (next_name() == "and") return {value, {}};
      throw NotPlain();
    }
    return ended(times(value, factor()));
  }

  /// Checks that nothing continues the product.
  QuasiSum ended(QuasiSum sum) {
    if (sees("*") || sees("/") || sees("%") || sees("^") || next_name() == "mod") throw NotPlain();
    return sum;
  }

  QuasiSum modulo(QuasiSum operand) {
    if (accept_name("mod") || accept("%")) return ended(remainder(std::move(operand), divisor()));
    return ended(std::move(operand));
  }

  QuasiSum factor() {
    if (accept("(")) {
      QuasiSum inner = sum();
      expect(")");
      return inner;
    }
    if (accept_name("floord")) {
      expect("(");
      QuasiSum inner = sum();
      expect(",");
      const std::int64_t by = divisor();
      expect(")");
      return quotient(std::move(inner), by);
    }
    if (accept_name("floor")) {
      expect("(");
      QuasiSum inner = factor();
      expect("/");
      const std::int64_t by = divisor();
      expect(")");
      return quotient(std::move(inner), by);
    }
    const auto found = indices_.find(name());
    if (found == indices_.end()) throw NotPlain();
    return coordinate(found->second);
  }

  static constexpr int kMaxDepth = 24;
  /// Bounds the number of terms, because each is compared with all others.
  static constexpr int kMaxProducts = 4096;

  int depth_ = 0;
  int products_ = 0;
  /// The inputs, then the copies.
  std::vector<std::string> names_;
  std::vector<Bounds> bounds_;
  std::map<std::string, std::size_t> indices_;
  std::size_t inputs_ = 0;
  std::vector<QuasiSum> sums_;
  std::vector<std::string> labels_;
  /// Outputs that only have a name so far.
  std::map<std::string, std::size_t> waiting_;
};

constexpr std::size_t kMaxParts = 4096;

/// The text between the braces.
std::string_view inside_of(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t\n\r");
  const std::size_t end = text.find_last_not_of(" \t\n\r");
  if (begin == std::string_view::npos || text[begin] != '{' || text[end] != '}') throw NotPlain();
  return text.substr(begin + 1, end - begin - 1);
}

/// Reads part by part; throws on text that isl has to read.
ReadFormula parts_in(std::string_view text) {
  std::string_view rest = inside_of(text);
  ReadFormula result;
  std::vector<BoxFormula::Part>& parts = result.formula.parts;
  for (bool is_last = false; !is_last;) {
    const std::size_t end = std::min(rest.find(';'), rest.size());
    is_last = end == rest.size();
    FormulaReader reader(rest.substr(0, end));
    reader.read();
    rest.remove_prefix(is_last ? end : end + 1);
    if (parts.empty()) {
      result = {{{}, reader.copies()}, reader.inputs(), reader.labels()};
    }
    const bool is_alike = reader.inputs() == result.inputs && reader.labels() == result.outputs;
    const bool is_whole = parts.empty() && is_last;
    if (!is_alike || parts.size() == kMaxParts || (reader.copies() > 0 && !is_whole)) {
      throw NotPlain();
    }
    parts.push_back(std::move(reader).part());
  }
  const auto begins_at_0 = [](std::int64_t low) { return low == 0; };
  if (parts.size() == 1 && !std::ranges::all_of(parts.front().lows, begins_at_0)) throw NotPlain();
  return result;
}

}  // namespace

std::string_view isl_word(std::string_view word) {
  static constexpr std::array<std::string_view, 19> kWords = {
      "mod", "floor", "floord", "exists",  "and", "or",    "not",      "ceil", "ceild", "min",
      "max", "true",  "false",  "implies", "rat", "infty", "infinity", "nan",  "def"};
  const auto lower = [](char c) {
    return 'A' <= c && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  };
  const auto known = std::ranges::find_if(
      kWords, [&](std::string_view own) { return std::ranges::equal(word, own, {}, lower); });
  return known == kWords.end() ? std::string_view() : *known;
}

std::optional<ReadFormula> read_formula(std::string_view text) {
  try {
    return parts_in(text);
  } catch (const NotPlain&) {
    return std::nullopt;
  } catch (const PastRange&) {
    return std::nullopt;
  }
}

}  // namespace heddle::map
