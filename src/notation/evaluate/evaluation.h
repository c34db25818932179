#pragma once

// The walk over a syntax tree that computes its value; evaluator.h is the public interface. Each
// kind of node is visited in the file named after it: references.cc, literals.cc,
// layout_literals.cc, arithmetic.cc, composition.cc, compare.cc, truths.cc, choices.cc (functions
// too), apply.cc and apply_lego.cc (a layout applied to a coordinate), evaluator.cc (calls).

#include <fmt/format.h>

#include <array>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "heddle/notation/evaluator.h"
#include "heddle/notation/syntax.h"
#include "heddle/notation/triton.h"
#include "heddle/notation/value.h"
#include "notation/evaluate/calls.h"
#include "notation/operations/empty_tuples.h"
#include "notation/operations/readers.h"

namespace heddle::notation {

/// How parentheses are read, as usual or always as tuples, and what `?` is: a number from 0 on, or
/// a size, from 1 on.
enum class Grouping {
  kUsual,
  kSizes,    // `?` is a size
  kStrides,  // always tuples
  kTuples,   // always tuples, `?` is a size
};

// The sides of a comparison in messages.
inline constexpr std::string_view kLeftSide = "the left side of the comparison";
inline constexpr std::string_view kRightSide = "the right side of the comparison";

/// Whether a name is used as a value or called.
enum class Use { kValue, kCall };

/// The refusal of `what` for being of the wrong kind.
inline Refusal wrong_kind(std::string_view what, const Value& value, std::string_view needed,
                          Span span) {
  return refuse_at(Diagnostic("call.type", fmt::format("{} is {}; {} is needed", what,
                                                       kind_name(value), needed)),
                   span);
}

/// Whether the parts of a layout of CuTe, or a layout, may be tuples without modes where a T is
/// read.
template <class T>
inline constexpr bool kTakesEmptyTuples =
    std::is_same_v<T, IntTuple> || std::is_same_v<T, cute::StrideTuple> ||
    std::is_same_v<T, cute::Coordinate> || std::is_same_v<T, cute::Layout> ||
    std::is_same_v<T, cute::AnyLayout>;

/// The negation of a verdict about constants; with symbolic sizes a no only means that some values
/// differ.
[[nodiscard]] Verdict negation(const Verdict& verdict);

/// The value as a T. Refuses `call.type`, and `tuple.empty` where a T has modes; the messages have
/// `what` and `needed`.
template <class T>
Result<T> converted(const Value& value, std::string_view what, Span span,
                    std::string_view needed = Reader<T>::kDescription) {
  HEDDLE_TRY(const std::optional<Value> given, at(convert<T>(value), span));
  if (!given) return wrong_kind(what, value, needed, span);
  if constexpr (!kTakesEmptyTuples<T>) HEDDLE_CHECK(at(check_has_modes(what, *given), span));
  return Reader<T>::read(*given);
}

template <class T>
Result<Value> as_value(Result<T> result) {
  return std::move(result).map([](T&& value) { return Value(std::move(value)); });
}

/// The result as a value; a refusal gets this place.
template <class T>
Result<Value> value_at(Result<T> result, Span span) {
  return at(as_value(std::move(result)), span);
}

/// Whether the value can be applied: a layout, a swizzle or a function.
[[nodiscard]] bool is_applicable(const Value& value);

class Evaluator {
 public:
  /// `sizes` are the names that are sizes unless more is known of them, `unknowns` the names of the
  /// expression's unknown numbers.
  Evaluator(const Environment& environment, std::set<std::string_view> sizes,
            std::map<const Expression*, std::string> unknowns, const Observer* observer = nullptr)
      : environment_(environment),
        sizes_(std::move(sizes)),
        unknowns_(std::move(unknowns)),
        calls_(environment, observer) {}

  /// The evaluator without checks of divisors, for sides of assumptions and bodies of functions,
  /// where nothing is known yet of their variables.
  [[nodiscard]] Evaluator with_any_divisors() && {
    checks_divisors_ = false;
    return std::move(*this);
  }

  Result<Value> run(const Expression& expression, Grouping grouping = Grouping::kUsual) const {
    return std::visit([&](const auto& node) { return visit(node, expression, grouping); },
                      expression.node);
  }
  /// The value of the expression as a T. Refuses what converted() refuses.
  template <class T>
  Result<T> as(const Expression& expression, std::string_view what,
               std::string_view needed = Reader<T>::kDescription,
               Grouping grouping = Grouping::kUsual) const {
    HEDDLE_TRY(const Value value, run(expression, grouping));
    return converted<T>(value, what, expression.span, needed);
  }
  /// The value of a whole expression. Of a type of Triton that has no layout only because its sizes
  /// are no powers of two, a report of the layout with the next ones.
  Result<Value> described(const Expression& expression) const;
  /// An argument of GenP; `tile` has the sizes of the tile, if they are known.
  Result<Value> function(const Expression& expression, const Value& tile) const;

 private:
  using Parts = std::vector<Value>;
  using Parameters = std::map<std::string, Value, std::less<>>;

  Result<Value> visit(const IntegerLiteral& literal, const Expression&, Grouping) const {
    return Value(Int(literal.value));
  }
  Result<Value> visit(const RealLiteral&, const Expression& expression, Grouping) const {
    return refuse_at(Diagnostic("syntax.number", "a number here is an integer"), expression.span);
  }
  Result<Value> visit(const UnderscoreLiteral&, const Expression&, Grouping) const {
    return Value(cute::Coordinate(cute::Index(cute::Underscore())));
  }
  Result<Value> visit(const StringLiteral& literal, const Expression&, Grouping) const {
    return Value(literal.value);
  }
  Result<Value> visit(const Reference& reference, const Expression& expression, Grouping) const;
  Result<Value> visit(const Parentheses& node, const Expression& expression,
                      Grouping grouping) const;
  Result<Value> visit(const TilerLiteral&, const Expression& expression, Grouping) const;
  Result<Value> visit(const ListLiteral&, const Expression& expression, Grouping) const;
  Result<Value> visit(const ObjectLiteral& node, const Expression& expression, Grouping) const;
  Result<Value> visit(const TritonLiteral& literal, const Expression& expression, Grouping) const;
  Result<Value> visit(const LayoutLiteral&, const Expression& expression, Grouping) const;
  Result<Value> visit(const OnTile&, const Expression& expression, Grouping) const;
  Result<Value> visit(const DynamicLiteral& literal, const Expression& expression,
                      Grouping grouping) const;
  Result<Value> visit(const PointerLiteral& node, const Expression& expression, Grouping) const;
  Result<Value> visit(const FractionLiteral& node, const Expression& expression, Grouping) const;
  Result<Value> visit(const SwizzleLiteral&, const Expression& expression, Grouping) const;
  Result<Value> visit(const BasisLiteral& node, const Expression& expression, Grouping) const;
  Result<Value> visit(const ItersLiteral& node, const Expression& expression, Grouping) const;
  Result<Value> visit(const OnAxis& node, const Expression& expression, Grouping) const;
  Result<Value> visit(const TvmSwizzleLiteral& node, const Expression& expression, Grouping) const;
  Result<Value> visit(const Negation&, const Expression& expression, Grouping) const;
  Result<Value> visit(const Arithmetic& node, const Expression& expression, Grouping) const;
  Result<Value> visit(const CompositionChain&, const Expression& expression, Grouping) const;
  Result<Value> visit(const ComparisonNode& node, const Expression& expression, Grouping) const;
  Result<Value> visit(const Member& node, const Expression& expression, Grouping) const;
  Result<Value> visit(const Application& node, const Expression& expression, Grouping) const;
  Result<Value> visit(const Subscript&, const Expression& expression, Grouping) const;
  Result<Value> visit(const FunctionLiteral& node, const Expression& expression, Grouping) const;
  Result<Value> visit(const Choice&, const Expression& expression, Grouping) const;
  Result<Value> visit(const Connective& node, const Expression& expression, Grouping) const;

  Result<Value> called_basis(const Expression& call) const;
  Result<cute::Layout> mode_with_fractions(const IntTuple& shape, const Expression& strides) const;
  [[nodiscard]] Aliases aliases() const;
  Result<Value> read_triton(std::string_view text) const;
  [[nodiscard]] Result<bool> is_receiver(const Expression& front, std::string_view called) const;
  Result<Parts> all(const std::vector<Expression>& expressions, Grouping grouping) const;
  Result<Value> combine(TokenKind sign, const Value& left, const Value& right, Span span) const;
  Result<std::vector<Argument>> listed(const Expression& expression) const;
  Result<Value> checked(Result<Value> value, Span span) const;
  Result<std::array<int, 3>> swizzle_numbers(const Expression& expression) const;
  Result<Value> index(const Expression& expression, const Int& extent) const;
  Result<Value> apply_lego(const lego::Layout& layout, std::span<const Expression> indices,
                           Span span) const;
  Result<Value> invert_lego(const lego::Layout& layout, const Expression& position,
                            Span span) const;
  Result<Value> tile_as_layout(const Value& value, Span span) const;
  std::optional<LegoFunction> named_function(const Expression& expression) const;
  [[nodiscard]] std::optional<Value> named_on_square(const Expression& expression,
                                                     const Value& tile) const;
  [[nodiscard]] std::optional<std::string> axis_called(const Expression& expression) const;
  [[nodiscard]] Result<void> check_divisor(TokenKind sign, const Int& a, const Int& b) const;
  [[nodiscard]] Result<void> check_not_zero(const Int& divisor, const std::string& call) const;
  Result<Value> apply_function(const lego::Formula& formula, const Expression& expression) const;
  using Branch = std::function<Result<Value>()>;
  [[nodiscard]] Branch once(Branch branch) const;
  Result<Value> choose(const Expression& condition, const Branch& then,
                       const Branch& otherwise) const;
  Result<Value> choose_by_comparison(const ComparisonNode& node, const Expression& condition,
                                     const Branch& then, const Branch& otherwise) const;
  Result<Value> choose_by_truth(const Expression& condition, const Branch& then,
                                const Branch& otherwise) const;
  /// The condition, or what denies it, as a truth value or a verdict.
  [[nodiscard]] Result<Value> truth(const Expression& condition, bool is_denied = false) const;
  Result<Value> truth_of_all(const Expression& connective, bool is_and, bool is_denied) const;
  /// The verdict that the expression does not hold, from the verdict that it does.
  [[nodiscard]] Verdict denial(const Verdict& verdict, const Expression& expression) const;
  /// Whether the expression has symbolic sizes.
  [[nodiscard]] bool is_open(const Expression& expression) const;
  Result<Value> constrained(const Expression& call, const Expression& constraints) const;
  Result<Value> apply(const Value& applied, const Application& node,
                      const Expression& expression) const;
  Result<Value> call_named(std::string_view name, const Application& node,
                           const Expression& expression) const;
  Refusal unknown_name(std::string_view name, Span span, Use use) const;

  /// The value of a name: a parameter of an enclosing function, otherwise its binding.
  [[nodiscard]] const Value* find(std::string_view name) const;
  /// Whether the name has a value, is a size, or is an operation.
  [[nodiscard]] bool is_known(std::string_view name) const;

  const Environment& environment_;
  std::set<std::string_view> sizes_;
  std::map<const Expression*, std::string> unknowns_;
  Calls calls_;
  Parameters parameters_;
  /// The conditions of the branch that is being evaluated; each choice removes those that it adds.
  mutable std::vector<Condition> path_;
  /// How often the path was used to check a divisor, and how many cases choices were split into.
  mutable std::size_t path_questions_ = 0;
  mutable std::size_t cases_ = 0;
  bool checks_divisors_ = true;
  /// The constraints of a layout that hold already.
  const Expression* assumed_ = nullptr;
};

/// The conditions of `[divisibility_constraint(M, BM), M >= 1]`, over plain variables; none for a
/// name. Refuses `assume.syntax`.
[[nodiscard]] Result<std::vector<Condition>> constraints_in(const Expression& list);
/// Whether the expression can be nothing but constraints in the place of a tile: a list with a
/// comparison or a relation, or the name of a list that the program has elsewhere, `constraints`.
[[nodiscard]] bool may_be_constraints(const Expression& expression);

/// The value as a datum, which `what` must be: a number, a text, a list or an object of these.
[[nodiscard]] Result<Datum> datum(const Value& value, std::string_view what, Span span);

/// Whether the expression is the class of TVM's axes: `Axis`, `T.Axis`.
[[nodiscard]] bool is_axis_class(const Expression& expression);
/// Whether the expression is an enumeration whose members are texts here: `SwizzleMode`.
[[nodiscard]] bool is_enumeration(const Expression& expression);

/// Whether the application is a choice as symbolic integers print it: `select(x < 3, a, b)`.
[[nodiscard]] bool is_choice(const Reference& function, const Expression& application);

}  // namespace heddle::notation
