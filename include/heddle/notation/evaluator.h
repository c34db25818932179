#pragma once

// Evaluates syntax trees to values.
//
//   Environment environment;
//   environment.bind("A", *evaluate("(6,2):(8,2)"));
//   evaluate("composition(A, (4,3):(3,1))", environment)       ((2,2),3):((24,2),8)
//   evaluate("A(1,_)", environment)                                  (2):(2)
//
//   environment.assume("M%128==0");
//   evaluate("logical_divide((M):(1), 128)", environment)            (128,M//128):(1,128)

#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "heddle/axe/axes.h"
#include "heddle/core/result.h"
#include "heddle/expr/assumptions.h"
#include "heddle/notation/operations.h"
#include "heddle/notation/syntax.h"
#include "heddle/notation/value.h"

#pragma GCC visibility push(default)
namespace heddle::notation {

/// Names with their values, and the assumptions about the sizes among them.
class Environment {
 public:
  /// Adds the assumptions that a text states (notation/assume.h). Refuses what parse_assumptions()
  /// and Assumptions::make() refuse, and `assume.too_late` for a variable that a bound value
  /// already holds without the assumption.
  [[nodiscard]] Result<void> assume(std::string_view text);
  /// Adds conditions over plain variables; refuses the same.
  [[nodiscard]] Result<void> assume(std::span<const Condition> conditions);
  /// Executes an `assume` or `axis` statement; refusals have the place of the statement.
  [[nodiscard]] Result<void> assume(const Statement& statement);
  [[nodiscard]] const Assumptions& assumptions() const { return assumptions_; }
  /// The assumptions as conditions over plain variables.
  [[nodiscard]] std::span<const Condition> conditions() const { return conditions_; }

  /// Declares an axis of Axe layouts: `stage: memory` (notation/axe.h). Refuses what parse_axis()
  /// refuses, and `axe.axis_declared`.
  [[nodiscard]] Result<void> declare_axis(std::string_view text);
  /// From now on refuses axes that are not declared (`axe.unknown_axis`).
  void be_strict() { is_strict_ = true; }
  [[nodiscard]] bool is_strict() const { return is_strict_; }
  [[nodiscard]] const axe::AxisTable& axes() const { return axes_; }
  /// The declarations given to declare_axis(), joined by commas.
  [[nodiscard]] const std::string& declared_axes() const { return declared_axes_; }

  /// Sets the search limits and methods for the calls of an expression.
  void set_context(CallContext context) {
    context_ = std::move(context);
    context_.environment = nullptr;
    context_.sizes = assumptions_.variables();
    context_.assumed = conditions_;
  }
  /// The context of calls, with the assumptions about sizes.
  [[nodiscard]] const CallContext& context() const { return context_; }

  /// Binds or rebinds a name.
  void bind(std::string name, Value value);
  /// Binds the names to the parts of a list or a tuple: i, j = L.inv(6). One name is bound to the
  /// value itself. Refuses `call.arity` for another number of parts.
  [[nodiscard]] Result<void> bind(const std::vector<std::string>& names, const Value& value);
  /// The value of a name; nullptr if it is not bound.
  [[nodiscard]] const Value* find(std::string_view name) const;
  [[nodiscard]] const std::map<std::string, Value, std::less<>>& values() const { return values_; }
  /// Whether something is bound to the name, or a bound value has a variable of that name.
  [[nodiscard]] bool is_taken(std::string_view name) const { return taken_.contains(name); }
  /// The smallest k for which the name Dk is not taken; Dk names an unknown number.
  [[nodiscard]] std::size_t first_unknown() const { return first_unknown_; }

 private:
  friend Result<Environment> environment_of(const CallContext& context);
  void take(const std::string& name);
  void release(const std::string& name);

  std::map<std::string, Value, std::less<>> values_;
  /// By name, how many bound values have this name or contain a variable of this name.
  std::map<std::string, std::size_t, std::less<>> taken_;
  std::size_t first_unknown_ = 0;
  std::vector<Condition> conditions_;
  Assumptions assumptions_;
  axe::AxisTable axes_ = axe::AxisTable::hardware();
  std::string declared_axes_;
  bool is_strict_ = false;
  /// The nesting depth of the text being evaluated within other texts.
  std::size_t texts_ = 0;
  CallContext context_;
};

/// Called for every operation that an expression applies, innermost first, with its arguments and
/// its result: a call by its name, `A o B` as composition, A(1,2) as apply, A == B of layouts as
/// equal.
using Observer = std::function<void(const Operation& operation, std::span<const Argument> arguments,
                                    const Result<Value>& value)>;

/// The value of an expression. An unbound name is a variable if an assumption mentions it. It is a
/// size of at least 1 if it has a capital letter and is in a shape, a stride or a tiler:
/// (M,N):(N,1); in a tile of a LEGO layout every unbound name is a size: Row(n,n). An index of a
/// LEGO layout that is a name is a variable in the range of its dimension: L(i,j). Applying a bound
/// layout or swizzle evaluates or slices it, A(5), A(1,_); every other application calls an
/// operation. Every refusal has its place in the text.
///
/// The observer, if any, is called for every operation that is applied.
///
/// Refuses `name.unknown` (with the nearest names), `call.arity`, `call.keyword`, `call.type`,
/// `arithmetic.zero_divisor`, `overflow`, and what operations refuse.
[[nodiscard]] Result<Value> evaluate(const Expression& expression,
                                     const Environment& environment = {},
                                     const Observer& observer = {});
/// Parses and evaluates a text; refuses also what parse_expression() refuses.
[[nodiscard]] Result<Value> evaluate(std::string_view text, const Environment& environment = {});

/// The value of an argument of GenP: a name that GenP knows is that permutation, `reverse`,
/// `swizzle(2,0,2)`.
[[nodiscard]] Result<Value> evaluate_function(std::string_view text,
                                              const Environment& environment = {});

/// The verdict of a claim: a verdict, or a boolean as one; nullopt for other values.
[[nodiscard]] std::optional<Verdict> verdict_of(const Value& value);

/// Calls an operation as a call in an expression does: with the declared axes, and in strict mode
/// refusing undeclared ones. Refuses what call() refuses, and `axe.unknown_axis`.
[[nodiscard]] Result<Value> call_in(const Environment& environment, const Operation& operation,
                                    std::vector<Argument> arguments);
/// Calls the operation of that name, which must be in the table; the arguments select the overload.
[[nodiscard]] Result<Value> call_in(const Environment& environment, std::string_view name,
                                    std::vector<Argument> arguments);

/// The environment for an operation that evaluates its arguments' texts: the names and limits of
/// the caller, or no names if call() is used without an environment. Refuses `syntax.too_deep` if
/// the call is in a text within a text: s = 'index(s)' would never end.
[[nodiscard]] Result<Environment> environment_of(const CallContext& context);

}  // namespace heddle::notation
#pragma GCC visibility pop
