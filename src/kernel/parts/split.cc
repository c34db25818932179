#include "kernel/parts/split.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "core/text.h"
#include "core/words.h"
#include "kernel/placed.h"

namespace heddle::kernel {

namespace {

/// The parameters with a shape, then what the body declares.
std::vector<HeldTensor> listed(const Kernel& kernel) {
  std::vector<HeldTensor> tensors;
  for (const Tensor& parameter : kernel.parameters) {
    if (parameter.space != Space::kValue) tensors.push_back({parameter, {}, true});
  }
  for (const Statement& statement : kernel.body) {
    const auto* declared = std::get_if<Declaration>(&statement.node);
    if (declared != nullptr) tensors.push_back({declared->tensor, {}, false});
  }
  return tensors;
}

Result<void> find_parts(const Kernel& kernel, std::vector<HeldTensor>& tensors) {
  for (HeldTensor& each : tensors) {
    auto part = part_of(each.whole, kernel.launch.devices);
    if (!part) return refuse_at(each.whole.place.span, std::move(part).error());
    each.part = *std::move(part);
  }
  return {};
}

/// The tensors that statements name but do not declare.
Result<void> check_everywhere(const Block& block, const std::vector<HeldTensor>& tensors,
                              std::int64_t devices) {
  Result<void> checked;
  for_each_statement(block, [&](const Statement& statement) {
    for_each_view(statement, [&](const View& view) {
      const auto found = std::ranges::find(tensors, view.tensor,
                                           [](const HeldTensor& each) { return each.whole.name; });
      if (!checked || found == tensors.end()) return;
      const auto count = std::ssize(found->part.devices);
      if (count == devices) return;
      checked = refuse_at(
          statement.span,
          Diagnostic("kernel.devices",
                     fmt::format("`device` is done by {}, and {} of them have a part of {}",
                                 counted(devices, "device"), count, view.tensor))
              .with_hint("copy it to a tensor that all of them have"));
    });
  });
  return checked;
}

/// Whether a statement's text has the number of the device, which is a word of the language.
bool names_device(const Block& block) {
  bool found = false;
  for_each_statement(block, [&](const Statement& statement) {
    found = found || has_word(to_string(statement), "gpuid");
  });
  return found;
}

/// The number of the device, as a parameter: a word of the language that no tensor can have.
constexpr std::string_view kDeviceNumber = "device";

}  // namespace

Result<std::vector<HeldTensor>> held_tensors(const Kernel& kernel) {
  std::vector<HeldTensor> tensors = listed(kernel);
  HEDDLE_CHECK(find_parts(kernel, tensors));
  return tensors;
}

Result<std::vector<HeldTensor>> held_tensors(const Kernel& kernel, const Sizes& sizes) {
  std::vector<HeldTensor> tensors = listed(kernel);
  for (HeldTensor& each : tensors) {
    auto known = with_sizes(each.whole, sizes);
    if (!known) return refuse_at(each.whole.place.span, std::move(known).error());
    each.whole = *std::move(known);
  }
  HEDDLE_CHECK(find_parts(kernel, tensors));
  return tensors;
}

Result<LocalKernel> local_kernel(const Kernel& kernel, const std::vector<HeldTensor>& tensors,
                                 const Statement& statement, std::string name) {
  const Block& body = std::get<Scope>(statement.node).body;
  HEDDLE_CHECK(check_everywhere(body, tensors, kernel.launch.devices));
  LocalKernel local{kernel, {}, names_device(body)};
  local.kernel.name = std::move(name);
  local.kernel.launch.devices = 0;
  local.kernel.body = body;
  std::vector<Tensor>& parameters = local.kernel.parameters;
  std::erase_if(parameters, [](const Tensor& each) { return each.space != Space::kValue; });
  std::vector<Tensor> parts;
  for (std::size_t i = 0; i != tensors.size(); ++i) {
    if (std::ssize(tensors[i].part.devices) != kernel.launch.devices) continue;
    local.tensors.push_back(i);
    parts.push_back(tensors[i].part.local);
  }
  parameters.insert(parameters.begin(), parts.begin(), parts.end());
  if (!local.takes_device) return local;
  const std::string device(kDeviceNumber);
  parameters.push_back({device, DType::kI32, {}, Space::kValue});
  local.kernel.body.insert(local.kernel.body.begin(), {Let{"gpuid", View{device, {}}}});
  return local;
}

Kernel logical_kernel(const Kernel& kernel, const std::vector<HeldTensor>& tensors,
                      const Statement& statement) {
  Kernel logical{kernel.name, {}};
  for (const HeldTensor& each : tensors) {
    Tensor& tensor = logical.parameters.emplace_back(each.whole);
    tensor.layout.reset();
    tensor.space = Space::kGlobal;
  }
  logical.body = {statement};
  logical.place = kernel.place;
  return logical;
}

std::string local_name(const Kernel& kernel, std::size_t number) {
  return fmt::format("{}_{}", kernel.name, number + 1);
}

}  // namespace heddle::kernel
