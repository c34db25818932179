#include "kernel/source/integer_bounds.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <unordered_map>

#include "expr/term/substitute.h"
#include "kernel/wide_offsets.h"

namespace heddle::kernel {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

Interval joined(Interval a, Interval b) {
  return {std::min(a.low, b.low), std::max(a.high, b.high)};
}

Interval interval_of(const Range& range) {
  return {range.low == Range::kNoLow ? -kInfinity : static_cast<double>(range.low),
          range.high == Range::kNoHigh ? kInfinity : static_cast<double>(range.high)};
}

/// 0 times anything is 0.
double times(double a, double b) { return a == 0 || b == 0 ? 0 : a * b; }

Interval product(Interval a, Interval b) {
  const std::array<double, 4> corners = {times(a.low, b.low), times(a.low, b.high),
                                         times(a.high, b.low), times(a.high, b.high)};
  return {*std::ranges::min_element(corners), *std::ranges::max_element(corners)};
}

/// The quotients by numbers of at least 1.
Interval quotient(Interval a, Interval b) {
  if (b.low < 1) return IntegerBounds::all();
  const auto divided = [&](double number, bool is_low) {
    const double by = (number < 0) == is_low ? b.low : b.high;
    return std::isinf(number) ? number : std::floor(number / by);
  };
  return {divided(a.low, true), divided(a.high, false)};
}

/// The bounds of an operation by those of its operands; everything for those that have none here.
Interval computed(CodeOperation operation, const Interval& a, const Interval& b) {
  switch (operation) {
    case CodeOperation::kNegate:
      return {-a.high, -a.low};
    case CodeOperation::kAdd:
      return {a.low + b.low, a.high + b.high};
    case CodeOperation::kSubtract:
      return {a.low - b.high, a.high - b.low};
    case CodeOperation::kMultiply:
      return product(a, b);
    case CodeOperation::kShiftLeft:
      return product(a, {std::exp2(b.low), std::exp2(b.high)});
    case CodeOperation::kQuotient:
      return quotient(a, b);
    case CodeOperation::kShiftRight:
      return quotient(a, {std::exp2(b.low), std::exp2(b.high)});
    case CodeOperation::kRemainder:
      return b.low < 1 ? IntegerBounds::all() : Interval{0, b.high - 1};
    case CodeOperation::kMinimum:
      return {std::min(a.low, b.low), std::min(a.high, b.high)};
    case CodeOperation::kMaximum:
      return {std::max(a.low, b.low), std::max(a.high, b.high)};
    default:
      return IntegerBounds::all();
  }
}

bool fits(Interval numbers) {
  return numbers.low >= std::numeric_limits<std::int32_t>::min() &&
         numbers.high <= std::numeric_limits<std::int32_t>::max();
}

/// A size, or a size divided by a number, rounded in either way: `(M + 63) >> 6`.
struct Share {
  std::string size;
  double divisor = 1;
};
std::optional<Share> share_in(const CodeExpression& node) {
  if (node.operation() == CodeOperation::kVariable) return Share{node.name(), 1};
  const bool is_shift = node.operation() == CodeOperation::kShiftRight;
  if (!is_shift && node.operation() != CodeOperation::kQuotient) return std::nullopt;
  const CodeExpression& by = node.operand(1);
  if (by.operation() != CodeOperation::kConstant || by.constant() < 1) return std::nullopt;
  const double divisor = is_shift ? std::exp2(by.constant()) : static_cast<double>(by.constant());
  CodeExpression of = node.operand(0);
  const bool is_rounded = of.operation() == CodeOperation::kAdd &&
                          of.operand(1).operation() == CodeOperation::kConstant &&
                          static_cast<double>(of.operand(1).constant()) < divisor;
  if (is_rounded) of = of.operand(0);
  if (of.operation() != CodeOperation::kVariable) return std::nullopt;
  return Share{of.name(), divisor};
}

/// The bounds of the nodes of a kernel, in the order in which they are visited.
class Walk {
 public:
  Walk(const std::map<std::string, Interval>& names,
       const std::vector<std::set<std::string>>& tensors, const std::unordered_set<Int>& products,
       const heddle::Kernel& kernel)
      : names_(names), tensors_(tensors), products_(products) {
    for_each_node(kernel, [&](const CodeExpression& node) { visit(node); });
  }

  [[nodiscard]] bool fits_32_bits() const { return fits_; }
  [[nodiscard]] bool has_low_bits() const { return has_low_bits_; }
  [[nodiscard]] Interval at(const CodeExpression& node) const {
    const auto found = bounds_.find(node.identity());
    return found == bounds_.end() ? IntegerBounds::all() : found->second;
  }

 private:
  void visit(const CodeExpression& node) {
    if (is_condition(node.operation())) return;
    const Interval bounds = bounds_of(node);
    bounds_[node.identity()] = bounds;
    const bool is_operation = !node.operands().empty();
    fits_ = fits_ && (!is_operation || fits(bounds));
    if (wraps(node.operation())) return;
    for (const CodeExpression& operand : node.operands()) {
      if (is_condition(operand.operation())) continue;
      has_low_bits_ = has_low_bits_ && (operand.operands().empty() || fits(at(operand)));
    }
  }

  /// Whether the low bits of the operands give those of the result.
  static bool wraps(CodeOperation operation) {
    constexpr std::array kWrapping = {CodeOperation::kNegate, CodeOperation::kAdd,
                                      CodeOperation::kSubtract, CodeOperation::kMultiply,
                                      CodeOperation::kShiftLeft};
    return std::ranges::find(kWrapping, operation) != kWrapping.end();
  }

  [[nodiscard]] Interval bounds_of(const CodeExpression& node) const {
    const Interval known = interval_of(range(node.value()));
    Interval found = IntegerBounds::all();
    const auto name = names_.find(node.name());
    if (name != names_.end()) {
      found = name->second;
    } else if (node.operation() == CodeOperation::kSelect) {
      found = joined(at(node.operand(1)), at(node.operand(2)));
    } else if (!node.operands().empty()) {
      found = computed(node.operation(), at(node.operand(0)),
                       at(node.operand(node.operands().size() - 1)));
    }
    return {std::max(found.low, known.low),
            std::min({found.high, known.high, greatest_of_tensor(node)})};
  }

  /// The product of shares of two extents of one tensor is about the share of its elements.
  [[nodiscard]] double greatest_of_tensor(const CodeExpression& node) const {
    constexpr double kMost = std::numeric_limits<std::int32_t>::max();
    if (products_.contains(node.value())) return kMost;
    if (node.operation() != CodeOperation::kMultiply) return kInfinity;
    const auto a = share_in(node.operand(0));
    const auto b = share_in(node.operand(1));
    const auto has_both = [&](const std::set<std::string>& sizes) {
      return sizes.contains(a->size) && sizes.contains(b->size);
    };
    if (!a || !b || a->size == b->size || std::ranges::none_of(tensors_, has_both)) {
      return kInfinity;
    }
    const double rounded =
        (a->divisor > 1 ? kMost / b->divisor : 0) + (b->divisor > 1 ? kMost / a->divisor : 0);
    return kMost / (a->divisor * b->divisor) + rounded + (rounded > 0 ? 1 : 0);
  }

  const std::map<std::string, Interval>& names_;
  const std::vector<std::set<std::string>>& tensors_;
  const std::unordered_set<Int>& products_;
  std::unordered_map<const void*, Interval> bounds_;
  bool fits_ = true;
  bool has_low_bits_ = true;
};

}  // namespace

Interval IntegerBounds::narrow() {
  return {std::numeric_limits<std::int32_t>::min(), std::numeric_limits<std::int32_t>::max()};
}

void IntegerBounds::add_size(const std::string& size) {
  add(size, {0, static_cast<double>(kGreatestSize)});
}

void IntegerBounds::add_tensor(const std::vector<Int>& shape) {
  std::set<std::string>& names = tensors_.emplace_back();
  constexpr std::size_t kMostExtents = 8;
  std::vector<Int> products = {Int(1)};
  for (const Int& extent : std::span(shape).first(std::min(shape.size(), kMostExtents))) {
    if (const auto name = expr::name_of(extent)) names.insert(*name);
    for (std::size_t i = 0, count = products.size(); i != count; ++i) {
      products.push_back(products[i] * extent);
    }
  }
  products_.insert(products.begin(), products.end());
}

Interval IntegerBounds::all() { return {-kInfinity, kInfinity}; }

void IntegerBounds::add(const std::string& name, Interval numbers) {
  const auto [found, is_new] = names_.emplace(name, numbers);
  if (!is_new) found->second = joined(found->second, numbers);
}

Interval IntegerBounds::result_of(const heddle::Kernel& kernel) const {
  return Walk(names_, tensors_, products_, kernel).at(kernel.results.front());
}

bool IntegerBounds::fit_32_bits(const heddle::Kernel& kernel) const {
  return Walk(names_, tensors_, products_, kernel).fits_32_bits();
}

bool IntegerBounds::have_low_bits(const heddle::Kernel& kernel) const {
  return Walk(names_, tensors_, products_, kernel).has_low_bits();
}

}  // namespace heddle::kernel
