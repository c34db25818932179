// Loop nests in MLIR: affine.for and affine.if where bounds and conditions are quasi-affine, else
// scf.for and scf.if.

#include <fmt/format.h>
#include <mlir/Dialect/Affine/IR/AffineOps.h>
#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/Func/IR/FuncOps.h>
#include <mlir/Dialect/SCF/IR/SCF.h>
#include <mlir/IR/MLIRContext.h>

#include <span>

#include "emit/function_texts.h"
#include "emit/loop_plan.h"
#include "emit/mlir_function.h"
#include "emit/mlir_values.h"

namespace heddle::emit {
namespace {

namespace affine = mlir::affine;
namespace arith = mlir::arith;
namespace func = mlir::func;
namespace scf = mlir::scf;

class MlirLoops {
 public:
  explicit MlirLoops(std::string body) : body_(std::move(body)) {}

  void build(const std::vector<LoopPlan>& plans, MlirValues& values) {
    for (const LoopPlan& plan : plans) {
      values.define(plan.kernel);
      std::visit([&](const auto& kind) { build(kind, plan, values); }, plan.node->node);
    }
  }

 private:
  void build(const map::Loop& loop, const LoopPlan& plan, MlirValues& values) {
    const std::span<const CodeExpression> all = plan.kernel.results;
    const auto firsts = all.first(loop.firsts.size());
    const auto ends = all.subspan(loop.firsts.size());
    const auto low = values.affine_of(firsts);
    const auto high = values.affine_of(ends);
    if (low && high) {
      auto op = values.builder().create<affine::AffineForOp>(
          values.place(), low->operands, low->map, high->operands, high->map, loop.step);
      MlirValues inside(*op.getBody(), values);
      inside.bind(loop.name, op.getInductionVar(), false);
      return build(plan.body, inside);
    }
    auto op = values.builder().create<scf::ForOp>(
        values.place(), extreme<arith::MaxSIOp>(firsts, values),
        extreme<arith::MinSIOp>(ends, values), values.constant(loop.step));
    MlirValues inside(*op.getBody(), values);
    inside.bind(loop.name, op.getInductionVar(), false);
    build(plan.body, inside);
  }

  template <class Op>
  static mlir::Value extreme(std::span<const CodeExpression> numbers, MlirValues& values) {
    mlir::Value result = values.number(numbers.front());
    for (const CodeExpression& number : numbers.subspan(1)) {
      result = values.builder().create<Op>(values.place(), result, values.number(number));
    }
    return result;
  }

  void build(const map::LoopGuard& guard, const LoopPlan& plan, MlirValues& values) {
    const bool has_else = !plan.otherwise.empty();
    const auto affine_conditions =
        guard.alternatives.size() == 1 ? values.conditions_of(plan.kernel.guards) : std::nullopt;
    if (affine_conditions) {
      auto op = values.builder().create<affine::AffineIfOp>(values.place(), affine_conditions->set,
                                                            affine_conditions->operands, has_else);
      return build_branches(plan, values, *op.getThenBlock(),
                            has_else ? op.getElseBlock() : nullptr);
    }
    auto op =
        values.builder().create<scf::IfOp>(values.place(), any_of(guard, plan, values), has_else);
    build_branches(plan, values, *op.thenBlock(), has_else ? op.elseBlock() : nullptr);
  }

  void build_branches(const LoopPlan& plan, const MlirValues& values, mlir::Block& then,
                      mlir::Block* otherwise) {
    MlirValues inside(then, values);
    build(plan.body, inside);
    if (otherwise == nullptr) return;
    MlirValues beside(*otherwise, values);
    build(plan.otherwise, beside);
  }

  static mlir::Value any_of(const map::LoopGuard& guard, const LoopPlan& plan, MlirValues& values) {
    mlir::Value any;
    std::size_t next = 0;
    for (const auto& conditions : guard.alternatives) {
      mlir::Value all;
      for (std::size_t i = 0; i < conditions.size(); ++i) {
        const mlir::Value holds = values.truth(plan.kernel.guards[next++]);
        all = all ? values.both(all, holds) : holds;
      }
      if (!all) all = values.known(true);
      any = any ? values.either(any, all) : all;
    }
    return any;
  }

  void build(const map::Visit& /*visit*/, const LoopPlan& plan, MlirValues& values) {
    std::vector<mlir::Value> arguments;
    for (const CodeExpression& number : plan.kernel.results) {
      arguments.push_back(values.number(number));
    }
    values.builder().create<func::CallOp>(values.place(), body_, mlir::TypeRange(),
                                          mlir::ValueRange(arguments));
  }

  std::string body_;
};

}  // namespace

Result<std::string> mlir_loops(const map::LoopNest& nest, const LoopTextOptions& options) {
  const LoopNames names = loop_names(nest, options);
  HEDDLE_TRY(const std::vector<LoopPlan> plans,
             plan_of(nest, names, usual_target(options.dialect), LoopBounds::kEach));
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  context.loadDialect<arith::ArithDialect, func::FuncDialect, affine::AffineDialect,
                      scf::SCFDialect>();
  const mlir::Type index = mlir::IndexType::get(&context);
  const std::string body = options.name + "_body";
  MlirFunction function(context, options.name, names.sizes,
                        std::vector<mlir::Type>(names.sizes.size(), index), {});
  MlirValues values(function.block(), index);
  for (std::size_t i = 0; i < nest.sizes.size(); ++i) {
    values.bind(nest.sizes[i], function.argument(i), true);
  }
  MlirLoops(body).build(plans, values);
  values.builder().create<func::ReturnOp>(values.place());
  std::string text;
  for (const std::string& line : comments_of(nest, names, options)) text += "// " + line + "\n";
  const Names types(names.coordinates.size() + names.places.size(), "index");
  text += fmt::format("func.func private @{}({})\n\n", body, listed(types));
  text += function.text();
  HEDDLE_CHECK(read_back(context, text, options.name));
  return text;
}

}  // namespace heddle::emit
