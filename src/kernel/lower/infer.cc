// How a register tensor without a layout is spread: as its uses want it, so that little is
// exchanged. A sum along rows is spread as the rows that it is made from; what a gemm adds up as a
// block for each thread; everything else along rows.

#include <algorithm>

#include "core/overloaded.h"
#include "kernel/lower/lowerer.h"

namespace heddle::kernel {

namespace {

/// Calls `visit` for the statements of a block and of its loops and branches, until it returns
/// true.
bool any_statement(const Block& block, const std::function<bool(const Statement&)>& visit) {
  return std::ranges::any_of(block, [&](const Statement& statement) {
    if (visit(statement)) return true;
    return std::visit(
        Overloaded{[&](const For& node) { return any_statement(node.body, visit); },
                   [&](const While& node) { return any_statement(node.body, visit); },
                   [&](const Pipeline& node) {
                     return any_statement(node.load, visit) || any_statement(node.compute, visit);
                   },
                   [&](const If& node) {
                     return any_statement(node.then, visit) || any_statement(node.otherwise, visit);
                   },
                   [](const auto&) { return false; }},
        statement.node);
  });
}

bool is_of(const Elementwise& operand, std::string_view name) {
  const auto* view = std::get_if<View>(&operand.node);
  return view != nullptr && view->tensor == name;
}

void add_names(const Elementwise& value, std::vector<std::string>& names) {
  if (const auto* view = std::get_if<View>(&value.node)) {
    if (view->steps.empty()) names.push_back(view->tensor);
  }
  for (const Elementwise& operand : value.operands) add_names(operand, names);
}

/// As many elements side by side as 16 bytes hold, as long as there are enough for all threads.
std::int64_t side_by_side(const Tensor& tensor, std::int64_t threads) {
  std::int64_t elements = 1;
  for (const Int& extent : tensor.shape) elements *= extent.value();
  std::int64_t side = std::max<std::int64_t>(1, 128 / bits(tensor.type));
  while (side > 1 && (elements < side * threads || tensor.shape.back().value() % side != 0)) {
    side /= 2;
  }
  return side;
}

}  // namespace

const Tensor* Lowerer::declaration_of(std::string_view name) const {
  const Tensor* found = nullptr;
  for (std::size_t i = blocks_.size(); i-- != 0 && found == nullptr;) {
    any_statement(*blocks_[i], [&](const Statement& statement) {
      const auto* declaration = std::get_if<Declaration>(&statement.node);
      if (declaration == nullptr || declaration->tensor.name != name) return false;
      found = &declaration->tensor;
      return true;
    });
  }
  return found != nullptr && found->space == Space::kRegister ? found : nullptr;
}

Result<Spread> Lowerer::spread_for(const Tensor& tensor, std::int64_t threads) {
  if (options_.has_one_worker) return row_spread(tensor.shape, threads, 1);
  if (tensor.layout) return spread_of(tensor, threads);
  if (const auto known = inferred_.find(&tensor); known != inferred_.end()) return known->second;
  if (!in_progress_.insert(&tensor).second) {
    return row_spread(tensor.shape, threads, side_by_side(tensor, threads));
  }
  std::optional<Spread> wanted;
  const auto of_reduce = [&](const Call& call) {
    std::vector<std::string> names;
    add_names(call.operands[1], names);
    for (const std::string& name : names) {
      const Tensor* source = declaration_of(name);
      if (source == nullptr || source->shape.size() <= tensor.shape.size()) continue;
      const auto spread = spread_for(*source, threads);
      if (!spread) continue;
      Spread kept = reduced(*spread, std::get<Axes>(call.options.at("axis")));
      if (kept.shape == tensor.shape) wanted = std::move(kept);
    }
  };
  any_statement(*blocks_.back(), [&](const Statement& statement) {
    const auto* call = std::get_if<Call>(&statement.node);
    if (call == nullptr || call->operands.empty() || !is_of(call->operands[0], tensor.name)) {
      return false;
    }
    if (call->operation == "gemm" || call->operation == "gemm_sparse") {
      wanted = spread_of_sums(*call, tensor, threads);
    }
    if (call->operation == "reduce") of_reduce(*call);
    return wanted.has_value();
  });
  // An operand of the expression that it is assigned, of the same shape.
  const auto adopt = [&](const std::string& name) {
    const Tensor* other = declaration_of(name);
    if (wanted || other == nullptr || other == &tensor || other->shape != tensor.shape) return;
    const auto spread = spread_for(*other, threads);
    if (spread) wanted = *spread;
  };
  if (!wanted) {
    any_statement(*blocks_.back(), [&](const Statement& statement) {
      std::vector<std::string> names;
      if (const auto* assign = std::get_if<Assign>(&statement.node)) {
        if (assign->destination.tensor == tensor.name) add_names(assign->value, names);
      }
      for (const std::string& name : names) adopt(name);
      return wanted.has_value();
    });
  }
  if (!wanted) wanted = row_spread(tensor.shape, threads, side_by_side(tensor, threads));
  in_progress_.erase(&tensor);
  inferred_.emplace(&tensor, *wanted);
  return *wanted;
}

}  // namespace heddle::kernel
