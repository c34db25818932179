#pragma once

// Expressions in a template as program text: the replacement of `{{ … }}`.
//
//   A[i, j + 1]       the index of a layout of any system, at coordinates of the program
//   A.guard[i, j]     whether these are a point
//   A[m, k, :, :]     a slice, whose ranges are those of Triton
//   i < M             a comparison of integers
//   A.guard[i] and not i == j          conditions joined
//   if A.guard[i] then A[i] else -1    a choice by conditions
//   cosize(A)         any other expression: an integer, a truth value, a text

#include <deque>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "heddle/core/result.h"
#include "heddle/emit/dialect.h"
#include "heddle/emit/inline_text.h"
#include "heddle/expr/condition.h"
#include "heddle/expr/proof.h"
#include "heddle/notation/evaluator.h"
#include "heddle/notation/index_expression.h"
#include "heddle/notation/syntax.h"

namespace heddle::notation {

struct Access;

class Placeholders {
 public:
  explicit Placeholders(emit::Dialect dialect) : dialect_(dialect) {}

  /// The value of an expression within `text`, to bind or to print: an access is at a point of the
  /// layout, with coordinates of the program. Refuses what index_expression() does,
  /// `template.several`, and `template.value` for a truth value that depends on the program.
  Result<Value> evaluated(const Expression& expression, std::string_view text,
                          const Environment& environment);

  /// The expression as text within a line of the program; `spelling` replaces some of its names.
  /// Refuses what evaluating it refuses, `template.value` for a value that no program can hold,
  /// `template.range` for `:` outside of Triton, and what emit::inline_text() refuses.
  Result<emit::InlineText> printed(const Expression& expression, std::string_view text,
                                   const Environment& environment, const emit::Spelling& spelling);

  /// The functions that printed expressions call, as text; empty if they call none.
  [[nodiscard]] Result<std::string> helpers_of(const Kernel& kernel) const;

 private:
  /// The context of an expression: the text that contains it, the bindings of its names, and how
  /// the program spells them.
  struct Scope {
    std::string_view text;
    const Environment& environment;
    const emit::Spelling& spelling;
  };

  /// A generated name for a coordinate that is no name, `i - m`.
  struct StandIn {
    std::string name;
    emit::InlineText coordinate;
  };

  /// A layout too long for a line of the program, as a function that is called.
  struct Function {
    std::string layout;
    std::string axis;
    std::size_t coordinates = 0;
    std::string name;
    std::vector<std::string> sizes;
    Range values;
    std::string text;
  };

  Result<Value> accessed(const Access& written, const Scope& around);
  Result<Value> indexed(const Access& written, const Scope& around);
  Result<Function> function_of(const Access& access, const Environment& environment) const;
  Result<Function> called_function(const Access& access, const Environment& environment);
  Result<emit::InlineText> call_of(const Function& function, const std::string& name,
                                   const Access& access, const Environment& environment,
                                   const emit::Spelling& spelling) const;
  Result<Value> called(const Access& written, const Scope& around);
  Result<Expression> without_accesses(const Expression& expression, const Scope& around,
                                      Environment& environment);
  Result<Expression> without_access(const Expression& part, const Scope& around,
                                    Environment& environment);
  Result<Access> without_inner(const Access& access, const Scope& around, Environment& environment);
  [[nodiscard]] bool calls_functions(const Value& value) const;
  Result<Access> with_stand_ins(const Access& access, const Environment& environment,
                                const emit::Spelling& spelling);
  Result<IndexCoordinate> stand_in(const IndexCoordinate& coordinate,
                                   const Environment& environment, const emit::Spelling& spelling);
  Result<emit::InlineText> guard_text(const Access& written, const Scope& around);
  Result<std::optional<emit::InlineText>> truth_in(const Expression& expression,
                                                   const Scope& scope);
  Result<std::optional<emit::InlineText>> comparison_in(const Expression& expression,
                                                        const Scope& scope);
  Result<emit::InlineText> side_of_connective(const Expression& side, const Scope& scope);
  Result<emit::InlineText> choice_text(const Expression& choice, const Scope& scope);
  Result<emit::InlineText> expression_text(const Expression& expression, const Scope& scope);
  Result<emit::InlineText> as_written(const Expression& sum, const Scope& scope) const;
  Result<Access> with_sums_as_written(const Access& access, const Scope& around,
                                      Environment& environment);
  [[nodiscard]] Environment with_variables(Environment environment) const;
  std::string_view named(emit::InlineText made, const Environment& environment);
  [[nodiscard]] emit::Spelling with_stand_ins(emit::Spelling spelling) const;
  [[nodiscard]] emit::InlineText with_their_kernels(emit::InlineText made) const;
  Result<Value> evaluated(const Expression& expression, const Scope& scope);

  emit::Dialect dialect_;
  /// Expressions refer to the names, which must not move.
  std::deque<StandIn> stand_ins_;
  std::vector<Function> functions_;
  /// Undefined names in the conditions of the placeholder: variables of the program.
  std::set<std::string> variables_;
};

}  // namespace heddle::notation
