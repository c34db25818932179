#pragma once

// Expressions of kernels as values of a function in MLIR. Only src/emit/mlir_*.cc include this.
//
//   2*i + 8*(j//2) + j%2      on index     %0 = affine.apply affine_map<(d0, d1) ->
//                                                 (d0 * 2 + (d1 floordiv 2) * 8 + d1 mod 2)>(%i,
//                                                 %j)
//   xor(8*i + j, i//2%2)      on index     affine.apply for 8*i + j, arith.shrsi, arith.andi and
//                                          arith.xori for the rest
//   9*(i//3)                  on i32       arith.divui where i >= 0, a choice where it may be less
//
// Both sides of a choice are computed: nothing branches, so that the functions can be inlined
// anywhere and read by the analyses of affine and vector. The side that is not picked must do no
// harm: no divisor is ever 0.

#include <mlir/IR/AffineExpr.h>
#include <mlir/IR/Builders.h>
#include <mlir/IR/IntegerSet.h>
#include <mlir/IR/Value.h>

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "heddle/expr/code_expression.h"

namespace heddle::emit {

/// Builds values at the end of one function.
class MlirValues {
 public:
  /// `block` is that of the function; numbers have the given type, which is index, i32 or i64.
  MlirValues(mlir::Block& block, mlir::Type type);

  /// Within a loop or a branch of a function: before the end of its block, with the variables that
  /// have values outside of it.
  MlirValues(mlir::Block& block, const MlirValues& outside);

  /// Sets the value of a variable of the expressions. Sizes are symbols of affine maps.
  void bind(const std::string& variable, mlir::Value value, bool is_size);
  /// Computes the definitions of the kernel, for later expressions.
  void define(const Kernel& kernel);

  [[nodiscard]] mlir::Value number(const CodeExpression& expression);
  /// The truth value of a condition, or of a constant that represents one.
  [[nodiscard]] mlir::Value truth(const CodeExpression& expression);

  /// Quasi-affine expressions, or comparisons of them as constraints, with the values that they
  /// use.
  struct Affine {
    mlir::AffineMap map;
    std::vector<mlir::Value> operands;
  };
  /// nullopt if one of them is no quasi-affine expression.
  [[nodiscard]] std::optional<Affine> affine_of(std::span<const CodeExpression> expressions);
  struct AffineConditions {
    mlir::IntegerSet set;
    std::vector<mlir::Value> operands;
  };
  [[nodiscard]] std::optional<AffineConditions> conditions_of(
      std::span<const CodeExpression> conditions);

  [[nodiscard]] mlir::Value constant(std::int64_t value);
  [[nodiscard]] mlir::Value known(bool truth);
  [[nodiscard]] mlir::Value both(mlir::Value a, mlir::Value b);
  [[nodiscard]] mlir::Value either(mlir::Value a, mlir::Value b);
  [[nodiscard]] mlir::Value choice(mlir::Value condition, mlir::Value then, mlir::Value otherwise);
  /// a <= b; a < b.
  [[nodiscard]] mlir::Value at_most(mlir::Value a, mlir::Value b);
  [[nodiscard]] mlir::Value less(mlir::Value a, mlir::Value b);

  [[nodiscard]] mlir::OpBuilder& builder() { return builder_; }
  [[nodiscard]] mlir::Location place() { return builder_.getUnknownLoc(); }

 private:
  /// The operands of a quasi-affine expression.
  struct AffineOperands {
    std::vector<mlir::Value> dims;
    std::vector<mlir::Value> symbols;
  };

  mlir::Value made(const CodeExpression& expression);
  mlir::Value made_truth(const CodeExpression& expression);

  // Affine.
  mlir::Value applied(const CodeExpression& expression);
  mlir::AffineExpr affine(const CodeExpression& expression, AffineOperands& operands);
  mlir::AffineExpr affine_leaf(const CodeExpression& expression, AffineOperands& operands);
  /// Whether the values that the expression uses may be operands of an affine map here.
  [[nodiscard]] bool is_affine(const CodeExpression& expression) const;

  // Arith.
  template <class Op>
  mlir::Value operation(mlir::Value a, mlir::Value b);
  template <class Op>
  mlir::Value chain(const CodeExpression& expression);
  mlir::Value quotient(const CodeExpression& expression);
  mlir::Value remainder(const CodeExpression& expression);
  /// The divisor; 1 where it may be 0, which happens only in values that are not used.
  mlir::Value divisor(const CodeExpression& expression);
  mlir::Value greatest_common_divisor(const CodeExpression& expression);
  mlir::Value square_root(const CodeExpression& expression);
  mlir::Value divides(const CodeExpression& expression);
  mlir::Value equal(mlir::Value a, mlir::Value b);
  /// Compares by an operation that is a condition, except divisibility.
  mlir::Value compared(CodeOperation operation, mlir::Value a, mlir::Value b);

  /// Returns a constant, which is placed at the beginning of the function.
  mlir::Value constant_of(mlir::TypedAttr attribute);

  mlir::Block& block_;
  mlir::OpBuilder builder_;
  mlir::Type type_;
  std::map<std::string, mlir::Value> names_;
  std::map<std::string, mlir::Value> sizes_;
  /// Affine maps take any value of the function's own block, but within loops only some.
  bool is_within_ = false;
  std::unordered_map<const void*, mlir::Value> numbers_;
  std::unordered_map<const void*, mlir::Value> truths_;
  // Constants by attribute, each once.
  std::unordered_map<const void*, mlir::Value> constants_;
  mlir::Operation* last_constant_ = nullptr;
};

}  // namespace heddle::emit
