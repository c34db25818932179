#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <map>
#include <utility>

#include "heddle/expr/index_variable.h"
#include "heddle/expr/simplify.h"
#include "heddle/map/mlir_text.h"
#include "map/forms/conversion.h"

namespace heddle::map {
namespace {

std::string multiple(const std::string& text, std::int64_t factor) {
  if (factor == 1) return text;
  const bool is_name = text.find(' ') == std::string::npos;
  return fmt::format("{} * {}", is_name ? text : "(" + text + ")", factor);
}

/// floor(index / below) mod extent, where extent 0 is for the last digit.
std::string digit_text(std::size_t index, std::int64_t below, std::int64_t extent) {
  std::string text = fmt::format("d{}", index);
  if (below > 1) text = fmt::format("{} floordiv {}", text, below);
  if (extent == 0) return text;
  return fmt::format("{} mod {}", below > 1 ? "(" + text + ")" : text, extent);
}

std::string sum_of(const std::vector<std::string>& terms) {
  return terms.empty() ? "0" : fmt::format("{}", fmt::join(terms, " + "));
}

std::string affine_map(std::size_t indices, const std::vector<std::string>& results) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < indices; ++i) names.push_back(fmt::format("d{}", i));
  return fmt::format("affine_map<({}) -> ({})>", fmt::join(names, ", "), fmt::join(results, ", "));
}

bool are_constant(const StridedView& strided) {
  const auto is_constant = [](const Int& number) { return number.is_constant(); };
  for (const std::vector<form::Digit>& mode : strided.modes) {
    for (const form::Digit& digit : mode) {
      if (!is_constant(digit.extent) || !std::ranges::all_of(digit.stride, is_constant)) {
        return false;
      }
    }
  }
  return std::ranges::all_of(strided.offset, is_constant);
}

/// `memref<4x8xf32, strided<[1, 4], offset: 3>>`, if every coordinate is one digit on one axis.
std::optional<std::string> memref(const View& view, const StridedView& strided) {
  if (view.axes.size() != 1 || view.extents.empty()) return std::nullopt;
  std::string shape;
  std::vector<std::int64_t> strides;
  for (std::size_t i = 0; i < strided.modes.size(); ++i) {
    const std::vector<form::Digit>& mode = strided.modes[i];
    if (mode.size() > 1) return std::nullopt;
    shape += fmt::format("{}x", view.extents[i].value());
    strides.push_back(mode.empty() ? 0 : mode.front().stride.front().value());
  }
  // The stride of a coordinate that is always 0 may be any.
  std::int64_t compact = 1;
  bool is_compact = true;
  for (std::size_t i = strides.size(); i-- > 0;) {
    const bool is_idle = view.extents[i] == Int(1);
    is_compact = is_compact && (is_idle || strides[i] == compact);
    compact *= view.extents[i].value();
  }
  const std::int64_t offset = strided.offset.front().value();
  if (is_compact && offset == 0) return fmt::format("memref<{}f32>", shape);
  return fmt::format("memref<{}f32, strided<[{}]{}>>", shape, fmt::join(strides, ", "),
                     offset == 0 ? "" : fmt::format(", offset: {}", offset));
}

std::string map_of(const View& view, const StridedView& strided) {
  std::vector<std::string> results;
  for (std::size_t axis = 0; axis < view.axes.size(); ++axis) {
    std::vector<std::string> terms;
    for (std::size_t i = 0; i < strided.modes.size(); ++i) {
      std::int64_t below = 1;
      for (std::size_t k = 0; k < strided.modes[i].size(); ++k) {
        const form::Digit& digit = strided.modes[i][k];
        const bool is_last = k + 1 == strided.modes[i].size();
        const std::int64_t extent = digit.extent.value();
        const std::int64_t stride = digit.stride[axis].value();
        if (stride != 0) {
          terms.push_back(multiple(digit_text(i, below, is_last ? 0 : extent), stride));
        }
        below *= extent;
      }
    }
    const std::int64_t offset = strided.offset[axis].value();
    if (offset != 0) terms.push_back(std::to_string(offset));
    results.push_back(sum_of(terms));
  }
  return affine_map(view.extents.size(), results);
}

/// Each bit of a result is the sum mod 2 of the bits of the coordinates in its row.
std::string map_of(const View& view, const BitView& bits) {
  std::vector<std::string> columns;
  for (std::size_t i = 0; i < view.extents.size(); ++i) {
    for (std::int64_t bit = 1; bit < view.extents[i].value(); bit *= 2) {
      columns.push_back(digit_text(i, bit, bit * 2 == view.extents[i].value() ? 0 : 2));
    }
  }
  std::vector<std::string> results;
  std::size_t row = 0;
  for (const int width : bits.widths) {
    std::vector<std::string> terms;
    for (int bit = 0; bit < width; ++bit, ++row) {
      std::vector<std::string> flips;
      for (std::size_t column = 0; column < columns.size(); ++column) {
        if ((bits.matrix.columns()[column] >> row & 1U) != 0) flips.push_back(columns[column]);
      }
      if ((bits.offset >> row & 1U) != 0) flips.emplace_back("1");
      if (flips.empty()) continue;
      const std::string flip =
          flips.size() == 1 ? flips.front() : fmt::format("({}) mod 2", fmt::join(flips, " + "));
      terms.push_back(multiple(flip, std::int64_t{1} << bit));
    }
    results.push_back(sum_of(terms));
  }
  return affine_map(view.extents.size(), results);
}

// ---- Other maps: the expressions of their results ----

/// How tightly the outermost operation of a text binds.
enum class Binding : std::uint8_t { kSum, kProduct, kOperand };

struct AffineText {
  std::string text;
  Binding binding = Binding::kOperand;

  /// In parentheses, unless it binds as tightly as `least`.
  [[nodiscard]] std::string as(Binding least) const {
    return binding < least ? "(" + text + ")" : text;
  }
};

/// Writes expressions of the indices $0, $1, … in the grammar of affine_map: sums, multiples, and
/// floordiv and mod by constants. Bits that are selected, shifted or XORed are written by these,
/// bit by bit where it must be.
class AffineWriter {
 public:
  AffineWriter(const Task& task, const Kernel& kernel) : task_(task) {
    for (const Definition& definition : kernel.definitions) {
      definitions_.emplace(definition.name, definition.value);
    }
  }

  Result<AffineText> text(const CodeExpression& expression) {
    constexpr std::size_t kMaxLength = 65536;
    constexpr int kMaxNodes = 4096;
    if (++nodes_ > kMaxNodes) return undecided_because("its affine_map would be too long");
    HEDDLE_TRY(AffineText text, written(expression));
    if (text.text.size() > kMaxLength) return undecided_because("its affine_map would be too long");
    return text;
  }

 private:
  Result<AffineText> written(const CodeExpression& expression) {
    switch (expression.operation()) {
      case CodeOperation::kConstant:
        return AffineText{std::to_string(expression.constant())};
      case CodeOperation::kVariable:
        return variable(expression.name());
      case CodeOperation::kDefinition:
        return text(definitions_.at(expression.name()));
      case CodeOperation::kNegate:
        return times(expression.operand(0), -1);
      case CodeOperation::kAdd:
        return sum(expression);
      case CodeOperation::kSubtract:
        return difference(expression);
      case CodeOperation::kMultiply:
        return product(expression);
      case CodeOperation::kQuotient:
        return divided(expression, "floordiv");
      case CodeOperation::kRemainder:
        return divided(expression, "mod");
      case CodeOperation::kAnd:
        return masked(expression);
      case CodeOperation::kXor:
        return exclusive(expression);
      case CodeOperation::kShiftLeft:
      case CodeOperation::kShiftRight:
        return shifted(expression);
      default:
        return undecided_because("one of its results is chosen by a condition");
    }
  }

  Refusal undecided_because(std::string_view why) const {
    return refuse("convert.undecided",
                  fmt::format("{} shows neither digits nor bits, and {}; an affine_map has sums, "
                              "multiples, and floordiv and mod by numbers",
                              task_.source, why));
  }

  Result<AffineText> variable(std::string_view name) const {
    if (name.starts_with('$')) return AffineText{fmt::format("d{}", name.substr(1))};
    return refuse("convert.symbolic",
                  fmt::format("an affine_map needs numbers, and {} is symbolic", task_.source));
  }

  Result<AffineText> sum(const CodeExpression& expression) {
    std::vector<std::string> terms;
    for (const CodeExpression& operand : expression.operands()) {
      HEDDLE_TRY(const AffineText term, text(operand));
      terms.push_back(term.text);
    }
    return AffineText{sum_of(terms), Binding::kSum};
  }

  Result<AffineText> difference(const CodeExpression& expression) {
    HEDDLE_TRY(const AffineText left, text(expression.operand(0)));
    HEDDLE_TRY(const AffineText right, text(expression.operand(1)));
    return AffineText{fmt::format("{} - {}", left.text, right.as(Binding::kProduct)),
                      Binding::kSum};
  }

  Result<AffineText> times(const CodeExpression& expression, std::int64_t factor) {
    HEDDLE_TRY(const AffineText whole, text(expression));
    return product(whole, factor);
  }

  static AffineText product(const AffineText& whole, std::int64_t factor) {
    if (factor == 1) return whole;
    return {fmt::format("{} * {}", whole.as(Binding::kProduct), factor), Binding::kProduct};
  }

  static bool is_number(const CodeExpression& expression) {
    return expression.operation() == CodeOperation::kConstant;
  }

  Result<AffineText> product(const CodeExpression& expression) {
    const CodeExpression& a = expression.operand(0);
    const CodeExpression& b = expression.operand(1);
    if (expression.operands().size() == 2 && is_number(b)) return times(a, b.constant());
    if (expression.operands().size() == 2 && is_number(a)) return times(b, a.constant());
    return undecided_because("one of its results is a product of indices");
  }

  Result<AffineText> divided(const CodeExpression& expression, std::string_view operation) {
    const CodeExpression& divisor = expression.operand(1);
    if (!is_number(divisor) || divisor.constant() < 1) {
      return undecided_because("one of its results is divided by an index");
    }
    HEDDLE_TRY(const AffineText whole, text(expression.operand(0)));
    return divided(whole, operation, divisor.constant());
  }

  static AffineText divided(const AffineText& whole, std::string_view operation,
                            std::int64_t divisor) {
    if (divisor == 1) return operation == "mod" ? AffineText{"0"} : whole;
    return {fmt::format("{} {} {}", whole.as(Binding::kOperand), operation, divisor),
            Binding::kProduct};
  }

  static AffineText total(const std::vector<AffineText>& parts) {
    if (parts.size() == 1) return parts.front();
    std::vector<std::string> terms;
    for (const AffineText& part : parts) terms.push_back(part.text);
    return {sum_of(terms), parts.empty() ? Binding::kOperand : Binding::kSum};
  }

  /// The bits of `whole` from `low` on, `count` of them, where they are.
  static AffineText bits(const AffineText& whole, int low, int count) {
    const AffineText moved = divided(whole, "floordiv", std::int64_t{1} << low);
    return product(divided(moved, "mod", std::int64_t{1} << count), std::int64_t{1} << low);
  }

  /// x & mask: the runs of ones in the mask, each taken out of x.
  Result<AffineText> masked(const CodeExpression& expression) {
    const bool is_mask_first = is_number(expression.operand(0));
    const CodeExpression& mask = expression.operand(is_mask_first ? 0 : 1);
    if (!is_number(mask) || mask.constant() < 0) {
      return undecided_because("one of its results has bits selected by an index");
    }
    HEDDLE_TRY(const AffineText whole, text(expression.operand(is_mask_first ? 1 : 0)));
    std::vector<AffineText> runs;
    auto rest = static_cast<std::uint64_t>(mask.constant());
    for (int low = 0; rest != 0;) {
      const int gap = std::countr_zero(rest);
      const int ones = std::countr_one(rest >> gap);
      low += gap;
      runs.push_back(bits(whole, low, ones));
      low += ones;
      rest >>= gap + ones;
    }
    return total(runs);
  }

  Result<AffineText> shifted(const CodeExpression& expression) {
    const CodeExpression& distance = expression.operand(1);
    constexpr std::int64_t kMost = 62;
    if (!is_number(distance) || distance.constant() < 0 || distance.constant() > kMost) {
      return undecided_because("one of its results has bits shifted by an index");
    }
    const std::int64_t factor = std::int64_t{1} << distance.constant();
    if (expression.operation() == CodeOperation::kShiftLeft) {
      return times(expression.operand(0), factor);
    }
    HEDDLE_TRY(const AffineText whole, text(expression.operand(0)));
    return divided(whole, "floordiv", factor);
  }

  /// The least n with 0 <= value < 2^n; nullopt if that is not known.
  static std::optional<int> width(const Int& value) {
    constexpr int kMost = 62;
    if (!known_at_most(0, value)) return std::nullopt;
    int n = 0;
    while (n <= kMost && !known_less(value, std::int64_t{1} << n)) ++n;
    return n <= kMost ? std::optional(n) : std::nullopt;
  }

  /// a ^ b with b below 2^n: a's bits from n on, and below that the sums of both bits mod 2. Bits
  /// in which b is 0 are a's.
  Result<AffineText> exclusive(const CodeExpression& expression) {
    const CodeExpression* a = &expression.operand(0);
    const CodeExpression* b = &expression.operand(1);
    auto wide = width(a->value());
    auto narrow = width(b->value());
    if (!wide || !narrow || expression.operands().size() != 2) {
      return undecided_because("one of its results is an exclusive or of numbers below 0");
    }
    if (*wide < *narrow) {
      std::swap(a, b);
      std::swap(wide, narrow);
    }
    int low = 0;
    while (low < *narrow && known_divides(std::int64_t{1} << (low + 1), b->value())) ++low;
    HEDDLE_TRY(const AffineText left, text(*a));
    HEDDLE_TRY(const AffineText right, text(*b));
    std::vector<AffineText> parts;
    if (*wide > *narrow) {
      const std::int64_t unit = std::int64_t{1} << *narrow;
      parts.push_back(product(divided(left, "floordiv", unit), unit));
    }
    for (int bit = *narrow; bit-- > low;) {
      const std::int64_t unit = std::int64_t{1} << bit;
      const AffineText both =
          total({divided(left, "floordiv", unit), divided(right, "floordiv", unit)});
      parts.push_back(product(divided(both, "mod", 2), unit));
    }
    if (low > 0) parts.push_back(divided(left, "mod", std::int64_t{1} << low));
    return total(parts);
  }

  const Task& task_;
  std::map<std::string, CodeExpression> definitions_;
  int nodes_ = 0;
};

/// The map of a layout whose results have affine expressions.
Result<std::string> map_of_expressions(const Task& task) {
  if (!std::ranges::all_of(task.view.extents, &Int::is_constant)) {
    return refuse("convert.symbolic",
                  fmt::format("an affine_map needs numbers, and {} is symbolic", task.source));
  }
  std::vector<Int> point;
  for (const Int& extent : task.view.extents) {
    point.push_back(index_variable(fmt::format("${}", point.size()), extent));
  }
  const std::vector<Int> image = task.view.evaluate(point, 0);
  if (!std::ranges::all_of(image, &Int::is_defined)) {
    return refuse("convert.undecided",
                  fmt::format("{} shows neither digits nor bits, nor an expression of its indices",
                              task.source));
  }
  HEDDLE_TRY(const Simplified found, simplify(image, {}, {.target = Target::operations()}));
  AffineWriter writer(task, found.kernel);
  std::vector<std::string> results;
  for (const CodeExpression& result : found.kernel.results) {
    HEDDLE_TRY(AffineText text, writer.text(result));
    results.push_back(std::move(text.text));
  }
  return affine_map(point.size(), results);
}

}  // namespace

Result<MlirText> mlir_text(const AnyLayout& layout, const ConvertOptions& options) {
  HEDDLE_TRY(const View source, view(layout, options.limits));
  HEDDLE_TRY(View box, boxed(layout, source, options.shape));
  const Task task{std::move(box), System::kRelation, source_text(layout), options.limits,
                  Reading::kLiteral};
  if (!task.view.is_function()) {
    return refuse(
        "convert.copies",
        fmt::format("{} has several images of a point; an affine_map has one", task.source));
  }
  MlirText result{{}, task.view.extents, {}};
  if (task.view.axes.size() > 1) result.remark = "results " + join_axes(task.view.axes);
  const Result<StridedView> strided = digit_form(task);
  if (strided && !strided->swizzle && !task.view.leaves_out) {
    if (!are_constant(*strided) || !std::ranges::all_of(task.view.extents, &Int::is_constant)) {
      return refuse("convert.symbolic",
                    fmt::format("an affine_map needs numbers, and {} is symbolic", task.source));
    }
    const std::optional<std::string> type = memref(task.view, *strided);
    result.text = type ? *type : map_of(task.view, *strided);
    return result;
  }
  const Result<BitView> bits = bit_form(task);
  if (bits && !task.view.leaves_out) {
    result.text = map_of(task.view, *bits);
    return result;
  }
  if (task.view.leaves_out) {
    return refuse(
        "convert.undecided",
        fmt::format("{} leaves points out; an affine_map has a result for each", task.source));
  }
  HEDDLE_TRY(result.text, map_of_expressions(task));
  return result;
}

}  // namespace heddle::map
