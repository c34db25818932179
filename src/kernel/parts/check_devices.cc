#include "kernel/parts/check_devices.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "heddle/kernel/check.h"
#include "heddle/kernel/operators.h"
#include "kernel/parts/split.h"
#include "kernel/placed.h"

namespace heddle::kernel {

namespace {

/// What the body declares outside of `device`.
Result<void> check_declared(const Tensor& tensor) {
  if (tensor.space == Space::kGlobal && bits(tensor.type) >= 8) return {};
  return refuse(
      Diagnostic("kernel.space", fmt::format("{} is declared as {} outside of `device`; tensors of "
                                             "devices are `global`, of whole bytes",
                                             tensor.name, name_of(tensor.space))));
}

class DevicesChecker {
 public:
  DevicesChecker(const Kernel& kernel, const std::vector<HeldTensor>& tensors)
      : kernel_(kernel), tensors_(tensors) {}

  Result<void> check() const {
    HEDDLE_CHECK(check_names());
    for (const Tensor& parameter : kernel_.parameters) {
      if (parameter.space != Space::kValue && bits(parameter.type) < 8) {
        return refuse_at(parameter.place.span,
                         Diagnostic("kernel.devices",
                                    fmt::format("{}: elements of less than a byte are not sent "
                                                "from device to device",
                                                to_string(parameter)))
                             .with_hint("u8 holds two of them"));
      }
    }
    for (std::size_t i = 0; i != kernel_.body.size(); ++i) {
      auto checked = check_statement(kernel_.body[i], i);
      if (!checked) return refuse_at(kernel_.body[i].span, std::move(checked).error());
    }
    return {};
  }

 private:
  Result<void> check_names() const {
    std::set<std::string_view> names;
    for (const Tensor& parameter : kernel_.parameters) names.insert(parameter.name);
    for (const HeldTensor& each : tensors_) {
      if (each.is_parameter || names.insert(each.whole.name).second) continue;
      return refuse("kernel.name_taken",
                    fmt::format("a tensor '{}' exists already", each.whole.name));
    }
    return {};
  }

  Result<void> check_statement(const Statement& statement, std::size_t number) const {
    if (std::holds_alternative<Declaration>(statement.node)) return {};
    const auto* scope = std::get_if<Scope>(&statement.node);
    if (scope != nullptr && scope->kind == Scope::Kind::kDevice) {
      if (scope->part || !scope->otherwise.empty()) {
        return refuse("kernel.scope", "`device` is for all devices: it has no range and no `else`");
      }
      HEDDLE_TRY(const LocalKernel local,
                 local_kernel(kernel_, tensors_, statement, local_name(kernel_, number)));
      return kernel::check(local.kernel);
    }
    if (const auto* call = std::get_if<Call>(&statement.node)) {
      HEDDLE_CHECK(kernel::check(logical_kernel(kernel_, tensors_, statement)));
      return check_call(*call);
    }
    return refuse(
        Diagnostic(
            "kernel.scope",
            fmt::format(
                "{} is outside of `device`, where devices only copy and reduce whole tensors",
                to_string(statement)))
            .with_hint("put it into `device { … }`, which each device does on its own parts"));
  }

  /// What the network does: whole tensors are copied or reduced.
  Result<void> check_call(const Call& call) const {
    const bool is_copy = call.operation == "copy";
    if (!is_copy && call.operation != "reduce") {
      return refuse_devices(
          fmt::format("{} is not done by several devices together", call.operation),
          "copy and reduce are; in `device { … }` each device does the others on "
          "its parts");
    }
    if (call.schedule) {
      return refuse_devices(fmt::format("{} has `using {}`, and how devices exchange elements is "
                                        "planned",
                                        call.operation, *call.schedule),
                            "leave it out");
    }
    HEDDLE_CHECK(check_options(call));
    HEDDLE_CHECK(check_views(call));
    return check_types(call);
  }

  static Result<void> check_options(const Call& call) {
    if (call.options.contains("accum") && std::get<bool>(call.options.at("accum"))) {
      return refuse_devices("reduce over devices has accum=true, and its destination is replaced",
                            "add what it held in `device { … }`");
    }
    if (call.operation == "copy") return {};
    const auto& op = std::get<std::string>(call.options.at("op"));
    if (op == "sum" || op == "prod" || op == "max" || op == "min") return {};
    return refuse_devices(fmt::format("devices do not reduce by {}", op), "sum, prod, max or min");
  }

  Result<void> check_views(const Call& call) const {
    std::string first;
    for (const Elementwise& operand : call.operands) {
      const auto* view = std::get_if<View>(&operand.node);
      const bool is_source = &operand != &call.operands.front();
      const bool is_whole =
          view != nullptr && std::ranges::all_of(view->steps, [&](const View::Step& step) {
            return is_source && std::holds_alternative<Permuted>(step);
          });
      if (!is_whole) {
        return refuse_devices(
            fmt::format("{}: devices {} whole tensors, the source perhaps with its dimensions in "
                        "another order",
                        to_string(operand), call.operation == "copy" ? "copy" : "reduce"),
            "compute in `device { … }`, into a `global` tensor");
      }
      if (is_source && view->tensor == first) {
        return refuse_devices(fmt::format("{} is read and written at once", first),
                              "write another tensor");
      }
      first = view->tensor;
    }
    return {};
  }

  Result<void> check_types(const Call& call) const {
    std::vector<DType> types;
    for (const Elementwise& operand : call.operands) {
      const auto& name = std::get<View>(operand.node).tensor;
      for (const HeldTensor& each : tensors_) {
        if (each.whole.name == name) types.push_back(each.whole.type);
      }
    }
    if (call.operation == "reduce" && types.front() == DType::kBool) {
      return refuse_devices("devices do not reduce truth values",
                            "convert them to u8 in `device { … }`");
    }
    if (types[0] == types[1]) return {};
    return refuse_devices(
        fmt::format("{}: devices send elements as they are, and {} is not {}",
                    to_string(Statement{call}), name_of(types.back()), name_of(types.front())),
        "convert in `device { … }`");
  }

  const Kernel& kernel_;
  const std::vector<HeldTensor>& tensors_;
};

}  // namespace

Result<void> check_over_devices(const Kernel& kernel) {
  for (const Statement& statement : kernel.body) {
    const auto* declared = std::get_if<Declaration>(&statement.node);
    if (declared == nullptr) continue;
    auto checked = check_declared(declared->tensor);
    if (!checked) return refuse_at(statement.span, std::move(checked).error());
  }
  HEDDLE_TRY(const std::vector<HeldTensor> tensors, held_tensors(kernel));
  return DevicesChecker(kernel, tensors).check();
}

}  // namespace heddle::kernel
