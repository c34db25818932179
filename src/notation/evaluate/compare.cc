// == and != between values of any kinds, < and <= between integers.

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "heddle/axe/sharding_equality.h"
#include "heddle/cute/partition.h"
#include "notation/evaluate/evaluation.h"
#include "notation/language/comparators.h"
#include "notation/operations/any_layout.h"
#include "notation/operations/lego_arguments.h"
#include "notation/value/shard_pieces.h"

namespace heddle::notation {

Verdict negation(const Verdict& verdict) {
  if (verdict.is_yes()) return Verdict::no(verdict.method()).with_remark(verdict.remark());
  if (!verdict.is_no()) return verdict;
  std::string evidence = verdict.method();
  if (const auto& witness = verdict.counterexample()) {
    evidence += fmt::format("; coordinate {}: {} and {}", witness->coordinate, witness->found,
                            witness->wanted);
  }
  return Verdict::yes(std::move(evidence)).with_remark(verdict.remark());
}

namespace {

/// The negation if sizes may be symbolic: if some values differ, that does not decide it for all.
Verdict negation_of(const Verdict& verdict, const Value& left, const Value& right) {
  const bool is_symbolic = !variables(left).empty() || !variables(right).empty();
  if (!is_symbolic || !verdict.is_no()) return negation(verdict);
  return Verdict::unknown("they differ for some values; for all of them is not decided");
}

bool is_equality(TokenKind comparator) {
  return comparator == TokenKind::kEqual || comparator == TokenKind::kNotEqual;
}

/// Whether devices have the same terms of partial values; a layout alone has no partial ones.
bool have_same_terms(const Value& left, const Value& right) {
  const axe::Sharded alone;
  const auto* a = left.get_if<axe::Sharded>();
  const auto* b = right.get_if<axe::Sharded>();
  if (a == nullptr) a = &alone;
  if (b == nullptr) b = &alone;
  return axe::have_same_terms(a->mesh, a->partial, b->mesh, b->partial);
}

/// The tensor over the mesh as if its terms were values.
Value without_partial(const Value& side) {
  const auto* sharded = side.get_if<axe::Sharded>();
  if (sharded == nullptr || sharded->partial.empty()) return side;
  axe::Sharded alone = *sharded;
  alone.partial.clear();
  return Value(std::move(alone));
}

template <class... T>
bool is_any_of(const Value& value) {
  return (value.is<T>() || ...);
}

/// `left == right` or `left != right` of layouts.
struct Question {
  const Calls& calls;
  TokenKind comparator;
  const Value& left;
  const Value& right;
  Span span;

  /// Whether a side is one of these types.
  template <class... T>
  [[nodiscard]] bool has() const {
    return is_any_of<T...>(left) || is_any_of<T...>(right);
  }

  /// Refuses unless both sides are one of these types.
  template <class... T>
  [[nodiscard]] Result<void> check_sides(std::string_view needed) const {
    for (const Value* side : {&left, &right}) {
      if (!is_any_of<T...>(*side)) return wrong_kind("a side of ==", *side, needed, span);
    }
    return {};
  }

  [[nodiscard]] Value answer(const Verdict& are_equal) const {
    return Value(comparator == TokenKind::kEqual ? are_equal : negation_of(are_equal, left, right));
  }

  /// The answer of the operation `equal`.
  [[nodiscard]] Result<Value> ask(const Operation& equal) const {
    const Argument arguments[] = {{left, {}, span}, {right, {}, span}};
    HEDDLE_TRY(const Value verdict, at(calls.call(equal, arguments), span));
    return answer(verdict.get<Verdict>());
  }

  /// The answer of the operation named `equal` that matches the types of the sides.
  [[nodiscard]] Result<Value> ask() const {
    HEDDLE_TRY(const Value verdict, calls.call("equal", {left, right}, span));
    return answer(verdict.get<Verdict>());
  }
};

Result<Value> compare_axe(const Question& question) {
  HEDDLE_CHECK((question.check_sides<axe::Layout, axe::Sharded>("an Axe layout")));
  const Value left = without_partial(question.left);
  const Value right = without_partial(question.right);
  if (have_same_terms(question.left, question.right)) {
    return Question{question.calls, question.comparator, left, right, question.span}.ask();
  }
  const Verdict differ = Verdict::no("values over other axes of the mesh are partial");
  return Value(question.comparator == TokenKind::kEqual ? differ : negation(differ));
}

Result<Value> compare_cute(const Question& question) {
  const auto& [calls, comparator, left, right, span] = question;
  constexpr std::string_view kSide = "a side of ==";
  HEDDLE_TRY(const auto a, converted<cute::AnyLayout>(left, kSide, span, "a layout"));
  HEDDLE_TRY(const auto b, converted<cute::AnyLayout>(right, kSide, span, "a layout"));
  const Verdict verdict = cute::equal(a, b);
  const Argument arguments[] = {{Value(a), {}, span}, {Value(b), {}, span}};
  HEDDLE_CHECK(calls.told(*find_operation("equal"), arguments, Value(verdict)));
  return Question{calls, comparator, Value(a), Value(b), span}.answer(verdict);
}

Result<Value> compare_layouts(const Question& question) {
  // Layouts of two systems, a relation or a table, or a requested method or reading.
  const map::DecideOptions& decide = question.calls.context().decide;
  if (decide.method || decide.reading ||
      are_compared_as_any_layouts(question.left, question.right)) {
    return question.ask(*find_operation("equal", kParameterType<map::AnyLayout>));
  }
  if (question.has<lego::Layout>()) {
    HEDDLE_CHECK(question.check_sides<lego::Layout>("a LEGO layout"));
    return question.ask();
  }
  if (question.has<linear::LinearLayout>()) return question.ask();
  return question.has<axe::Layout, axe::Sharded>() ? compare_axe(question) : compare_cute(question);
}

// ---- Shardings ----

/// A sharding with the mesh and the shape of a tensor over one, where it states none.
Result<Value> placed_like(const axe::Sharding& given, const axe::Sharded& other) {
  axe::Sharding sharding = given;
  if (!axe::mesh_of(sharding)) sharding.mesh = other.mesh;
  if (!sharding.shape) sharding.shape = other.shape;
  Result<axe::Sharded> placed = axe::place(sharding);
  if (placed) return Value(*std::move(placed));
  return axe::is_uneven(sharding) ? with_pieces(Value(std::move(sharding)))
                                  : Result<Value>(refuse(placed.error()));
}

/// The verdict about shardings of which something is missing: some of what may be meant differs.
Value answer_about_all(TokenKind comparator, const Verdict& verdict) {
  if (comparator == TokenKind::kEqual) return Value(verdict);
  if (!verdict.is_no()) return Value(negation(verdict));
  return Value(
      Verdict::unknown("they differ over some meshes or shapes; over all of them is not "
                       "decided"));
}

bool is_complete(const axe::Sharding& sharding) {
  return sharding.shape && axe::mesh_of(sharding).has_value();
}

/// Shardings are compared by what they mean. nullopt for a sharding and something else.
Result<std::optional<Value>> compare_shardings(const Question& question) {
  const auto* a = question.left.get_if<axe::Sharding>();
  const auto* b = question.right.get_if<axe::Sharding>();
  if (a != nullptr && b != nullptr) {
    const Verdict verdict = axe::equal(*a, *b);
    const bool has_all = is_complete(*a) && is_complete(*b);
    return has_all ? question.answer(verdict) : answer_about_all(question.comparator, verdict);
  }
  const Value& other = a != nullptr ? question.right : question.left;
  const auto* sharded = other.get_if<axe::Sharded>();
  if (sharded == nullptr) return std::nullopt;
  const Result<Value> placed = placed_like(a != nullptr ? *a : *b, *sharded);
  if (!placed) return Value(Verdict::unknown(placed.error().message()));
  const Value& left = a != nullptr ? *placed : question.left;
  const Value& right = a != nullptr ? question.right : *placed;
  HEDDLE_TRY(Value answer,
             compare_layouts({question.calls, question.comparator, left, right, question.span}));
  return std::optional(std::move(answer));
}

/// A boolean for constants; for symbolic integers a verdict about all their values.
Value compare_integers(TokenKind comparator, const Int& a, const Int& b) {
  const Condition condition = condition_of(comparator, a, b);
  return a.is_constant() && b.is_constant() ? Value(known(condition)) : Value(prove(condition));
}

/// Whether the leaves of two tuples of one profile are equal, for all values of the variables.
Verdict all_leaves_equal(const IntTuple& a, const IntTuple& b) {
  Verdict all = Verdict::yes("leaf by leaf");
  for (std::size_t i = 0; i < a.leaves().size(); ++i) {
    Verdict leaf = prove({a.leaves()[i], Predicate::kEqual, b.leaves()[i]});
    if (leaf.is_no()) return leaf;
    if (leaf.is_unknown()) all = std::move(leaf);
  }
  return all;
}

/// Whether the tuples differ for all values: one leaf that always differs is enough.
Verdict some_leaf_differs(const IntTuple& a, const IntTuple& b) {
  bool are_equal = true;
  for (std::size_t i = 0; i < a.leaves().size(); ++i) {
    if (known_different(a.leaves()[i], b.leaves()[i])) return Verdict::yes("ranges and divisors");
    are_equal = are_equal && known_equal(a.leaves()[i], b.leaves()[i]);
  }
  return are_equal ? Verdict::no("leaf by leaf")
                   : Verdict::unknown("they differ for some values or for none");
}

/// Tuples are equal if their profiles and all their leaves are equal.
Value compare_tuples(TokenKind comparator, const IntTuple& a, const IntTuple& b) {
  if (a.is_leaf() && b.is_leaf()) return compare_integers(comparator, a.leaf(), b.leaf());
  const bool is_constant = std::ranges::all_of(a.leaves(), &Int::is_constant) &&
                           std::ranges::all_of(b.leaves(), &Int::is_constant);
  const bool wants_equal = comparator == TokenKind::kEqual;
  if (is_constant || a.profile() != b.profile()) return Value((a == b) == wants_equal);
  return Value(wants_equal ? all_leaves_equal(a, b) : some_leaf_differs(a, b));
}

/// The layout alone of a tensor with a counter, whose origin is the same on both sides.
Value without_counter(const Value& value) {
  const cute::Tensor& tensor = value.get<cute::Tensor>();
  return std::holds_alternative<cute::Counter>(tensor.engine) ? Value(tensor.layout) : value;
}

/// Refuses to compare tensors that count from different origins: the layouts alone would be
/// misleading.
Result<void> check_origins(const cute::Tensor& a, const cute::Tensor& b, Span span) {
  const auto* left = std::get_if<cute::Counter>(&a.engine);
  const auto* right = std::get_if<cute::Counter>(&b.engine);
  if (left == nullptr && right == nullptr) return {};
  if (left != nullptr && right != nullptr && *left == *right) return {};
  return refuse_at(
      Diagnostic("call.type", fmt::format("{} and {} do not count from the same beginning",
                                          cute::to_string(a.engine), cute::to_string(b.engine)))
          .with_hint("layout(TENSOR) is the layout alone"),
      span);
}

/// An encoding as the layout of a tensor of the shape in question; any other value as it is.
Result<Value> side_of(const Value& value, const CallContext& context, Span span) {
  if (!value.is<linear::Encoding>()) return value;
  if (context.decide.shape) return at(layout_of_encoding(value, *context.decide.shape), span);
  return refuse_at(Diagnostic("call.type", "a side of == is an encoding; a layout is needed")
                       .with_hint(layout_hint(value)),
                   span);
}

Result<Value> compare_equality(const Question& question) {
  const auto& [calls, comparator, left, right, span] = question;
  if (left.is<cute::Tensor>() && right.is<cute::Tensor>()) {
    HEDDLE_CHECK(check_origins(left.get<cute::Tensor>(), right.get<cute::Tensor>(), span));
    return compare_layouts(
        {calls, comparator, without_counter(left), without_counter(right), span});
  }
  if (question.has<axe::Sharding>()) {
    HEDDLE_TRY(std::optional<Value> answer, compare_shardings(question));
    if (answer) return *std::move(answer);
    HEDDLE_TRY(const Value a, with_pieces(left));
    HEDDLE_TRY(const Value b, with_pieces(right));
    const bool is_known = !a.is<axe::Sharding>() && !b.is<axe::Sharding>();
    if (is_known) return compare_layouts({calls, comparator, a, b, span});
  }
  if (question.has<map::IntegerSet>()) {
    HEDDLE_CHECK(question.check_sides<map::IntegerSet>("an integer set"));
    return question.ask();
  }
  const bool is_placed = calls.context().decide.shape && question.has<linear::Encoding>();
  if (left.has_map() || right.has_map() || is_placed) {
    HEDDLE_TRY(const Value a, side_of(left, calls.context(), span));
    HEDDLE_TRY(const Value b, side_of(right, calls.context(), span));
    return compare_layouts({calls, comparator, a, b, span});
  }
  if (left.is<IntTuple>() && right.is<IntTuple>()) {
    return compare_tuples(comparator, left.get<IntTuple>(), right.get<IntTuple>());
  }
  if (left.is<TupleList>() != right.is<TupleList>()) {  // [4,1] may be written with parentheses
    const auto a = as_sizes(left);
    const auto b = as_sizes(right);
    if (a && b) return compare_tuples(comparator, a->get<IntTuple>(), b->get<IntTuple>());
  }
  if (left.data().index() != right.data().index()) {
    return wrong_kind("the right side of the comparison", right, std::string(kind_name(left)),
                      span);
  }
  const bool alike = to_string(left) == to_string(right);
  if (!alike && (!variables(left).empty() || !variables(right).empty())) {
    return Value(Verdict::unknown("symbolic, and not written alike"));
  }
  return Value(alike == (comparator == TokenKind::kEqual));
}

}  // namespace

std::optional<Verdict> verdict_of(const Value& value) {
  if (const auto* verdict = value.get_if<Verdict>()) return *verdict;
  const bool* truth = value.get_if<bool>();
  if (truth == nullptr) return std::nullopt;
  return *truth ? Verdict::yes("evaluated") : Verdict::no("evaluated");
}

Result<Value> Evaluator::visit(const ComparisonNode& node, const Expression& expression,
                               Grouping) const {
  HEDDLE_TRY(const Value left, run(expression.parts[0]));
  HEDDLE_TRY(const Value right, run(expression.parts[1]));
  if (is_equality(node.comparator)) {
    return compare_equality({calls_, node.comparator, left, right, expression.span});
  }
  HEDDLE_TRY(const Int a, converted<Int>(left, kLeftSide, expression.parts[0].span));
  HEDDLE_TRY(const Int b, converted<Int>(right, kRightSide, expression.parts[1].span));
  return compare_integers(node.comparator, a, b);
}

}  // namespace heddle::notation
