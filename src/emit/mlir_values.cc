#include "emit/mlir_values.h"

#include <mlir/Dialect/Affine/IR/AffineOps.h>
#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/SCF/IR/SCF.h>

#include <algorithm>
#include <optional>

#include "emit/writer.h"

namespace heddle::emit {
namespace {

namespace affine = mlir::affine;
namespace arith = mlir::arith;
namespace scf = mlir::scf;

bool is_constant(const CodeExpression& expression) {
  return expression.operation() == CodeOperation::kConstant;
}

/// The places of a shift by a constant, if the power of two fits into 64 bits.
std::optional<int> constant_places(const CodeExpression& shift) {
  constexpr std::int64_t kMost = 62;
  const CodeExpression& places = shift.operand(1);
  if (!is_constant(places) || places.constant() < 0 || places.constant() > kMost) {
    return std::nullopt;
  }
  return static_cast<int>(places.constant());
}

/// Whether x & mask is x modulo mask + 1.
bool is_low_mask(const CodeExpression& mask) {
  if (!is_constant(mask) || mask.constant() <= 0) return false;
  const auto bits = static_cast<std::uint64_t>(mask.constant());
  return (bits & (bits + 1)) == 0 && mask.constant() < (std::int64_t{1} << 62);
}

/// Whether it is arithmetic that is quasi-affine in its operands.
bool is_affine_arithmetic(const CodeExpression& expression) {
  switch (expression.operation()) {
    case CodeOperation::kNegate:
    case CodeOperation::kAdd:
    case CodeOperation::kSubtract:
      return true;
    case CodeOperation::kMultiply:
      return std::ranges::count_if(expression.operands(), std::not_fn(is_constant)) <= 1;
    case CodeOperation::kQuotient:
    case CodeOperation::kRemainder:
      return is_constant(expression.operand(1)) && expression.operand(1).constant() > 0;
    default:
      return false;
  }
}

/// Whether they are quasi-affine shifts and masks, which become arithmetic only within arithmetic.
bool are_affine_bits(const CodeExpression& expression) {
  switch (expression.operation()) {
    case CodeOperation::kShiftLeft:
    case CodeOperation::kShiftRight:
      return constant_places(expression).has_value();
    case CodeOperation::kAnd:
      return expression.operands().size() == 2 && is_low_mask(expression.operand(1));
    default:
      return false;
  }
}

}  // namespace

MlirValues::MlirValues(mlir::Block& block, mlir::Type type)
    : block_(block), builder_(mlir::OpBuilder::atBlockEnd(&block)), type_(type) {}

MlirValues::MlirValues(mlir::Block& block, const MlirValues& outside)
    : block_(block),
      builder_(mlir::OpBuilder::atBlockTerminator(&block)),
      type_(outside.type_),
      names_(outside.names_),
      sizes_(outside.sizes_),
      is_within_(true) {}

void MlirValues::bind(const std::string& variable, mlir::Value value, bool is_size) {
  names_[variable] = value;
  if (is_size) sizes_[variable] = value;
}

void MlirValues::define(const Kernel& kernel) {
  for (const auto& [name, value] : kernel.definitions) {
    const bool is_named_truth = value.operation() == CodeOperation::kDefinition &&
                                names_.at(value.name()).getType().isInteger(1);
    names_[name] = is_condition(value.operation()) || is_named_truth ? truth(value) : number(value);
  }
}

// Constants.

mlir::Value MlirValues::constant_of(mlir::TypedAttr attribute) {
  mlir::Value& value = constants_[attribute.getAsOpaquePointer()];
  if (value) return value;
  const mlir::OpBuilder::InsertionGuard guard(builder_);
  if (last_constant_ != nullptr) {
    builder_.setInsertionPointAfter(last_constant_);
  } else {
    builder_.setInsertionPointToStart(&block_);
  }
  auto made = builder_.create<arith::ConstantOp>(place(), attribute);
  last_constant_ = made;
  return value = made;
}

mlir::Value MlirValues::constant(std::int64_t value) {
  return constant_of(builder_.getIntegerAttr(type_, value));
}

mlir::Value MlirValues::known(bool truth) { return constant_of(builder_.getBoolAttr(truth)); }

// Truth.

mlir::Value MlirValues::both(mlir::Value a, mlir::Value b) {
  return operation<arith::AndIOp>(a, b);
}
mlir::Value MlirValues::either(mlir::Value a, mlir::Value b) {
  return operation<arith::OrIOp>(a, b);
}
mlir::Value MlirValues::choice(mlir::Value condition, mlir::Value then, mlir::Value otherwise) {
  return builder_.create<arith::SelectOp>(place(), condition, then, otherwise);
}
mlir::Value MlirValues::compared(CodeOperation operation, mlir::Value a, mlir::Value b) {
  const auto predicate = operation == CodeOperation::kEqual      ? arith::CmpIPredicate::eq
                         : operation == CodeOperation::kNotEqual ? arith::CmpIPredicate::ne
                         : operation == CodeOperation::kLess     ? arith::CmpIPredicate::slt
                                                                 : arith::CmpIPredicate::sle;
  return builder_.create<arith::CmpIOp>(place(), predicate, a, b);
}
mlir::Value MlirValues::at_most(mlir::Value a, mlir::Value b) {
  return compared(CodeOperation::kAtMost, a, b);
}
mlir::Value MlirValues::less(mlir::Value a, mlir::Value b) {
  return compared(CodeOperation::kLess, a, b);
}
mlir::Value MlirValues::equal(mlir::Value a, mlir::Value b) {
  return compared(CodeOperation::kEqual, a, b);
}

mlir::Value MlirValues::truth(const CodeExpression& expression) {
  if (is_constant(expression)) return known(expression.constant() != 0);
  const auto known = truths_.find(expression.identity());
  if (known != truths_.end()) return known->second;
  const mlir::Value value = made_truth(expression);
  return truths_[expression.identity()] = value;
}

mlir::Value MlirValues::made_truth(const CodeExpression& expression) {
  const CodeOperation operation = expression.operation();
  if (operation == CodeOperation::kDivides) return divides(expression);
  if (is_condition(operation)) {
    const mlir::Value left = number(expression.operand(0));
    return compared(operation, left, number(expression.operand(1)));
  }
  const bool has_name = operation == CodeOperation::kDefinition;
  const mlir::Value value = has_name ? names_.at(expression.name()) : number(expression);
  if (value.getType().isInteger(1)) return value;
  return compared(CodeOperation::kNotEqual, value, constant(0));
}

/// 0 divides only 0.
mlir::Value MlirValues::divides(const CodeExpression& expression) {
  const mlir::Value number = this->number(expression.operand(1));
  const mlir::Value rest = operation<arith::RemSIOp>(number, divisor(expression.operand(0)));
  const mlir::Value even = equal(rest, constant(0));
  if (known_different(expression.operand(0).value(), 0)) return even;
  return choice(equal(this->number(expression.operand(0)), constant(0)), equal(number, constant(0)),
                even);
}

// Numbers.

mlir::Value MlirValues::number(const CodeExpression& expression) {
  if (is_constant(expression)) return constant(expression.constant());
  const auto known = numbers_.find(expression.identity());
  if (known != numbers_.end()) return known->second;
  mlir::Value value = is_condition(expression.operation())
                          ? choice(truth(expression), constant(1), constant(0))
                          : made(expression);
  if (value.getType() != type_) value = choice(value, constant(1), constant(0));
  return numbers_[expression.identity()] = value;
}

template <class Op>
mlir::Value MlirValues::operation(mlir::Value a, mlir::Value b) {
  return builder_.create<Op>(place(), a, b);
}

template <class Op>
mlir::Value MlirValues::chain(const CodeExpression& expression) {
  mlir::Value value = number(expression.operand(0));
  for (const CodeExpression& operand : expression.operands().subspan(1)) {
    value = operation<Op>(value, number(operand));
  }
  return value;
}

mlir::Value MlirValues::made(const CodeExpression& expression) {
  const bool may_be_applied = type_.isIndex() && (!is_within_ || is_affine(expression));
  if (may_be_applied && is_affine_arithmetic(expression)) return applied(expression);
  switch (expression.operation()) {
    case CodeOperation::kNegate:
      return operation<arith::SubIOp>(constant(0), number(expression.operand(0)));
    case CodeOperation::kAdd:
      return chain<arith::AddIOp>(expression);
    case CodeOperation::kSubtract:
      return chain<arith::SubIOp>(expression);
    case CodeOperation::kMultiply:
      return chain<arith::MulIOp>(expression);
    case CodeOperation::kQuotient:
      return quotient(expression);
    case CodeOperation::kRemainder:
      return remainder(expression);
    case CodeOperation::kMinimum:
      return chain<arith::MinSIOp>(expression);
    case CodeOperation::kMaximum:
      return chain<arith::MaxSIOp>(expression);
    case CodeOperation::kGcd:
      return greatest_common_divisor(expression);
    case CodeOperation::kSquareRoot:
      return square_root(expression);
    case CodeOperation::kAnd:
      return chain<arith::AndIOp>(expression);
    case CodeOperation::kOr:
      return chain<arith::OrIOp>(expression);
    case CodeOperation::kXor:
      return chain<arith::XOrIOp>(expression);
    case CodeOperation::kShiftLeft:
      return chain<arith::ShLIOp>(expression);
    case CodeOperation::kShiftRight:
      return chain<arith::ShRSIOp>(expression);
    case CodeOperation::kSelect:
      return choice(truth(expression.operand(0)), number(expression.operand(1)),
                    number(expression.operand(2)));
    default:
      return names_.at(expression.name());
  }
}

// Division, which in arith truncates towards zero.

mlir::Value MlirValues::divisor(const CodeExpression& expression) {
  const mlir::Value value = number(expression);
  if (known_different(expression.value(), 0)) return value;
  return choice(equal(value, constant(0)), constant(1), value);
}

mlir::Value MlirValues::quotient(const CodeExpression& expression) {
  const mlir::Value a = number(expression.operand(0));
  const mlir::Value b = divisor(expression.operand(1));
  if (is_cut_off_alike(expression)) return operation<arith::DivUIOp>(a, b);
  const mlir::Value cut = operation<arith::DivSIOp>(a, b);
  const mlir::Value rest = operation<arith::RemSIOp>(a, b);
  mlir::Value lower = operation<arith::SubIOp>(cut, constant(1));
  if (!is_positive(expression.operand(1))) {
    lower = choice(less(b, constant(0)), operation<arith::AddIOp>(cut, constant(1)), lower);
  }
  return choice(less(rest, constant(0)), lower, cut);
}

mlir::Value MlirValues::remainder(const CodeExpression& expression) {
  const mlir::Value a = number(expression.operand(0));
  const mlir::Value b = divisor(expression.operand(1));
  if (is_cut_off_alike(expression)) return operation<arith::RemUIOp>(a, b);
  const mlir::Value rest = operation<arith::RemSIOp>(a, b);
  mlir::Value higher = operation<arith::AddIOp>(rest, b);
  if (!is_positive(expression.operand(1))) {
    higher = choice(less(b, constant(0)), operation<arith::SubIOp>(rest, b), higher);
  }
  return choice(less(rest, constant(0)), higher, rest);
}

// Loops.

/// Euclid's algorithm.
mlir::Value MlirValues::greatest_common_divisor(const CodeExpression& expression) {
  const mlir::Value zero = constant(0);
  const std::vector<mlir::Value> begin = {number(expression.operand(0)),
                                          number(expression.operand(1))};
  auto loop = builder_.create<scf::WhileOp>(
      place(), mlir::TypeRange{type_, type_}, begin,
      [&](mlir::OpBuilder& inside, mlir::Location at, mlir::ValueRange pair) {
        const mlir::Value goes_on =
            inside.create<arith::CmpIOp>(at, arith::CmpIPredicate::ne, pair[1], zero);
        inside.create<scf::ConditionOp>(at, goes_on, pair);
      },
      [&](mlir::OpBuilder& inside, mlir::Location at, mlir::ValueRange pair) {
        const mlir::Value rest = inside.create<arith::RemSIOp>(at, pair[0], pair[1]);
        inside.create<scf::YieldOp>(at, mlir::ValueRange{pair[1], rest});
      });
  const mlir::Value found = loop.getResult(0);
  return operation<arith::MaxSIOp>(found, operation<arith::SubIOp>(zero, found));
}

/// Newton's method from above: it falls until it reaches the root.
mlir::Value MlirValues::square_root(const CodeExpression& expression) {
  const mlir::Value number = this->number(expression.operand(0));
  const mlir::Value two = constant(2);
  const mlir::Value first =
      operation<arith::SubIOp>(number, operation<arith::ShRSIOp>(number, constant(1)));
  auto loop = builder_.create<scf::WhileOp>(
      place(), mlir::TypeRange{type_, type_}, mlir::ValueRange{number, first},
      [&](mlir::OpBuilder& inside, mlir::Location at, mlir::ValueRange roots) {
        const mlir::Value goes_on =
            inside.create<arith::CmpIOp>(at, arith::CmpIPredicate::slt, roots[1], roots[0]);
        inside.create<scf::ConditionOp>(at, goes_on, roots);
      },
      [&](mlir::OpBuilder& inside, mlir::Location at, mlir::ValueRange roots) {
        const mlir::Value other = inside.create<arith::DivSIOp>(at, number, roots[1]);
        const mlir::Value sum = inside.create<arith::AddIOp>(at, roots[1], other);
        const mlir::Value next = inside.create<arith::DivSIOp>(at, sum, two);
        inside.create<scf::YieldOp>(at, mlir::ValueRange{roots[1], next});
      });
  return loop.getResult(0);
}

// Affine.

mlir::Value MlirValues::applied(const CodeExpression& expression) {
  AffineOperands operands;
  const mlir::AffineExpr result = affine(expression, operands);
  const auto map = mlir::AffineMap::get(static_cast<unsigned>(operands.dims.size()),
                                        static_cast<unsigned>(operands.symbols.size()), result);
  std::vector<mlir::Value> all = std::move(operands.dims);
  all.insert(all.end(), operands.symbols.begin(), operands.symbols.end());
  return builder_.create<affine::AffineApplyOp>(place(), map, all);
}

mlir::AffineExpr MlirValues::affine(const CodeExpression& expression, AffineOperands& operands) {
  if (is_constant(expression)) return builder_.getAffineConstantExpr(expression.constant());
  if (!is_affine_arithmetic(expression) && !are_affine_bits(expression)) {
    return affine_leaf(expression, operands);
  }
  mlir::AffineExpr made = affine(expression.operand(0), operands);
  if (expression.operation() == CodeOperation::kNegate) return -made;
  switch (expression.operation()) {
    case CodeOperation::kShiftLeft:
      return made * (std::int64_t{1} << *constant_places(expression));
    case CodeOperation::kShiftRight:
      return made.floorDiv(std::uint64_t{1} << *constant_places(expression));
    case CodeOperation::kAnd:
      return made % static_cast<std::uint64_t>(expression.operand(1).constant() + 1);
    default:
      break;
  }
  for (const CodeExpression& next : expression.operands().subspan(1)) {
    const mlir::AffineExpr operand = affine(next, operands);
    const CodeOperation operation = expression.operation();
    if (operation == CodeOperation::kAdd) made = made + operand;
    if (operation == CodeOperation::kSubtract) made = made - operand;
    if (operation == CodeOperation::kMultiply) made = made * operand;
    if (operation == CodeOperation::kQuotient) made = made.floorDiv(operand);
    if (operation == CodeOperation::kRemainder) made = made % operand;
  }
  return made;
}

mlir::AffineExpr MlirValues::affine_leaf(const CodeExpression& expression,
                                         AffineOperands& operands) {
  const mlir::Value value = number(expression);
  const bool is_size =
      expression.operation() == CodeOperation::kVariable && sizes_.contains(expression.name());
  std::vector<mlir::Value>& among = is_size ? operands.symbols : operands.dims;
  auto found = std::ranges::find(among, value);
  if (found == among.end()) found = among.insert(found, value);
  const auto position = static_cast<unsigned>(found - among.begin());
  return is_size ? builder_.getAffineSymbolExpr(position) : builder_.getAffineDimExpr(position);
}

bool MlirValues::is_affine(const CodeExpression& expression) const {
  if (is_constant(expression)) return true;
  const bool has_name = expression.operation() == CodeOperation::kVariable ||
                        expression.operation() == CodeOperation::kDefinition;
  if (has_name) return affine::isValidDim(names_.at(expression.name()));
  if (!is_affine_arithmetic(expression) && !are_affine_bits(expression)) return false;
  return std::ranges::all_of(expression.operands(),
                             [&](const CodeExpression& operand) { return is_affine(operand); });
}

namespace {

std::vector<mlir::Value> all_operands(std::vector<mlir::Value> dims,
                                      const std::vector<mlir::Value>& symbols) {
  dims.insert(dims.end(), symbols.begin(), symbols.end());
  return dims;
}

}  // namespace

std::optional<MlirValues::Affine> MlirValues::affine_of(
    std::span<const CodeExpression> expressions) {
  AffineOperands operands;
  llvm::SmallVector<mlir::AffineExpr> results;
  for (const CodeExpression& expression : expressions) {
    if (!is_affine(expression)) return std::nullopt;
    results.push_back(affine(expression, operands));
  }
  const auto map = mlir::AffineMap::get(static_cast<unsigned>(operands.dims.size()),
                                        static_cast<unsigned>(operands.symbols.size()), results,
                                        builder_.getContext());
  return Affine{map, all_operands(std::move(operands.dims), operands.symbols)};
}

std::optional<MlirValues::AffineConditions> MlirValues::conditions_of(
    std::span<const CodeExpression> conditions) {
  AffineOperands operands;
  llvm::SmallVector<mlir::AffineExpr> constraints;
  llvm::SmallVector<bool> are_equalities;
  for (const CodeExpression& condition : conditions) {
    const CodeOperation operation = condition.operation();
    if (!is_condition(operation) || operation == CodeOperation::kNotEqual) return std::nullopt;
    const CodeExpression& left = condition.operand(0);
    const CodeExpression& right = condition.operand(1);
    if (!is_affine(left) || !is_affine(right)) return std::nullopt;
    if (operation == CodeOperation::kDivides) {
      if (!is_constant(left) || left.constant() < 1) return std::nullopt;
      constraints.push_back(affine(right, operands) % static_cast<std::uint64_t>(left.constant()));
    } else {
      const mlir::AffineExpr difference = affine(right, operands) - affine(left, operands);
      constraints.push_back(operation == CodeOperation::kLess ? difference - 1 : difference);
    }
    are_equalities.push_back(operation == CodeOperation::kEqual ||
                             operation == CodeOperation::kDivides);
  }
  if (constraints.empty()) return std::nullopt;
  const auto set = mlir::IntegerSet::get(static_cast<unsigned>(operands.dims.size()),
                                         static_cast<unsigned>(operands.symbols.size()),
                                         constraints, are_equalities);
  return AffineConditions{set, all_operands(std::move(operands.dims), operands.symbols)};
}

}  // namespace heddle::emit
