#include "kernel/device/index_uses.h"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "heddle/expr/proof.h"
#include "heddle/kernel/check.h"
#include "heddle/kernel/view.h"

namespace heddle::kernel {

namespace {

class IndexUses {
 public:
  IndexUses(const Kernel& kernel, const Sizes& sizes) : kernel_(kernel) {
    for (const auto& [name, size] : sizes) sizes_[name] = size;
    for (const Tensor& parameter : kernel.parameters) names_.declare(parameter);
  }

  std::map<std::string, IndexUse> find() {
    for_each_statement(kernel_.body, [&](const Statement& statement) {
      const auto* declared = std::get_if<Declaration>(&statement.node);
      if (declared != nullptr) names_.declare(declared->tensor);
    });
    for_each_statement(kernel_.body, [&](const Statement& statement) { look_at(statement); });
    // What is copied is used as its copy is; a copy of a copy is found from the last one on.
    for (auto copy = copies_.rbegin(); copy != copies_.rend(); ++copy) {
      const auto used = uses_.find(copy->first);
      if (used != uses_.end()) add(copy->second, used->second);
    }
    return std::move(uses_);
  }

 private:
  void look_at(const Statement& statement) {
    if (const auto* let = std::get_if<Let>(&statement.node))
      read_by_[let->name] = let->value.tensor;
    if (const auto* call = std::get_if<Call>(&statement.node)) look_at(*call);
    for_each_view(statement, [&](const View& view) { look_at(view); });
  }

  void look_at(const Call& call) {
    const auto view = [&](std::size_t i) { return std::get_if<View>(&call.operands[i].node); };
    const bool is_scatter = call.operation == "scatter";
    if (call.operation.starts_with("copy") && view(0) != nullptr && view(1) != nullptr) {
      copies_.emplace_back(view(0)->tensor, view(1)->tensor);
    }
    if (!is_scatter && call.operation != "gather") return;
    const auto axis = std::get<std::vector<std::int64_t>>(call.options.at("axis")).front();
    const auto shape = shape_of(call.operands[is_scatter ? 0 : 1], names_);
    if (!shape) return;
    const auto extent = at_sizes(shape->extents[static_cast<std::size_t>(axis)]);
    if (extent) add(view(2)->tensor, {*extent, is_scatter});
  }

  /// The integers that are read from memory, where a slice begins at them.
  void look_at(const View& view) {
    const Tensor* tensor = names_.find(view.tensor);
    if (tensor == nullptr) return;
    for (std::size_t i = 0; i != view.steps.size(); ++i) {
      const auto* sliced = std::get_if<Sliced>(&view.steps[i]);
      if (sliced == nullptr) continue;
      const View before{
          view.tensor,
          {view.steps.begin(), std::next(view.steps.begin(), static_cast<std::ptrdiff_t>(i))}};
      const auto shape = kernel::shape_of(before, *tensor);
      if (shape) look_at(*sliced, shape->extents);
    }
  }

  void look_at(const Sliced& step, const std::vector<Int>& extents) {
    std::size_t dimension = 0;
    for (const Subscript& each : step.subscripts) {
      if (each.kind == Subscript::Kind::kNew) continue;
      const auto extent = at_sizes(extents[dimension++]);
      if (each.kind == Subscript::Kind::kWhole || !extent) continue;
      const auto length = each.kind == Subscript::Kind::kRange ? at_sizes(each.extent)
                                                               : std::optional<std::int64_t>(1);
      for (const std::string& name : variables(each.begin)) {
        const auto tensor = read_by_.find(name);
        if (tensor == read_by_.end() || !length) continue;
        const auto below = first_outside(each.begin, name, *extent - *length);
        if (below) add(tensor->second, {*below});
      }
    }
  }

  /// One more than the largest value of the variable for which the integer is at most `last`, all
  /// other variables 0 but the sizes.
  [[nodiscard]] std::optional<std::int64_t> first_outside(const Int& integer,
                                                          const std::string& name,
                                                          std::int64_t last) const {
    const auto at = [&](std::int64_t value) -> std::optional<std::int64_t> {
      Bindings values = sizes_;
      for (const std::string& other : variables(integer)) values.try_emplace(other, Int(0));
      values[name] = value;
      const auto found = instantiate(integer, values);
      if (!found || !found->is_constant()) return std::nullopt;
      return found->value();
    };
    const auto first = at(0);
    const auto second = at(1);
    if (!first || !second || *second <= *first || *first > last) return std::nullopt;
    return (last - *first) / (*second - *first) + 1;
  }

  [[nodiscard]] std::optional<std::int64_t> at_sizes(const Int& integer) const {
    const auto found = instantiate(integer, sizes_);
    if (!found || !found->is_constant()) return std::nullopt;
    return found->value();
  }

  void add(const std::string& tensor, IndexUse use) {
    const auto [known, is_new] = uses_.emplace(tensor, use);
    if (is_new) return;
    known->second.below = std::min(known->second.below, use.below);
    known->second.is_distinct = known->second.is_distinct || use.is_distinct;
  }

  const Kernel& kernel_;
  Bindings sizes_;
  Names names_;
  /// The tensor that each `let` reads.
  std::map<std::string, std::string> read_by_;
  std::vector<std::pair<std::string, std::string>> copies_;
  std::map<std::string, IndexUse> uses_;
};

}  // namespace

std::map<std::string, IndexUse> index_uses(const Kernel& kernel, const Sizes& sizes) {
  return IndexUses(kernel, sizes).find();
}

}  // namespace heddle::kernel
