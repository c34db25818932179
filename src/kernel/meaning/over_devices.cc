#include "kernel/meaning/over_devices.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "core/format.h"
#include "heddle/form/index_map.h"
#include "heddle/kernel/operators.h"
#include "kernel/meaning/memories.h"
#include "kernel/parts/split.h"
#include "kernel/placed.h"

namespace heddle::kernel {

namespace {

using meaning::Held;

/// The elements of all tensors while a kernel over devices runs.
class DevicesRun {
 public:
  DevicesRun(const Kernel& kernel, Sizes sizes, std::int64_t work)
      : kernel_(kernel), sizes_(std::move(sizes)), budget_(work) {}

  Result<void> run(std::vector<Array>& arguments) {
    HEDDLE_TRY(tensors_, held_tensors(kernel_, sizes_));
    HEDDLE_CHECK(take(arguments));
    for (std::size_t i = 0; i != kernel_.body.size(); ++i) {
      auto done = run_statement(kernel_.body[i], i);
      if (!done) return refuse_at(kernel_.body[i].span, std::move(done).error());
    }
    std::size_t next = 0;
    for (std::size_t i = 0; i != arguments.size(); ++i) {
      if (kernel_.parameters[i].space == Space::kValue) continue;
      arguments[i].elements = std::move(wholes_[next++].elements);
    }
    return {};
  }

 private:
  Result<void> take(std::vector<Array>& arguments) {
    for (std::size_t i = 0; i != arguments.size(); ++i) {
      const bool is_value = kernel_.parameters[i].space == Space::kValue;
      (is_value ? values_ : wholes_).push_back({std::move(arguments[i].elements)});
      if (is_value) arguments[i].elements = values_.back().elements;
    }
    for (const HeldTensor& each : tensors_) {
      if (!each.is_parameter) {
        const exact::Value elements = meaning::product_of(numbers_of(each.whole.shape));
        if (!elements || *elements > meaning::kMaxWords) {
          return refuse("kernel.work", "{} is too large to be interpreted", each.whole.name);
        }
        HEDDLE_CHECK(memory_.reserve(2 * *elements));
        const std::vector<std::uint64_t> zeros(static_cast<std::size_t>(*elements));
        wholes_.push_back({zeros, zeros});
      }
      holdings_.push_back(holding_of(each.part));
    }
    return {};
  }

  Result<void> run_statement(const Statement& statement, std::size_t number) {
    if (std::holds_alternative<Declaration>(statement.node)) return {};
    if (std::holds_alternative<Scope>(statement.node)) return run_scope(statement, number);
    const Kernel logical = logical_kernel(kernel_, tensors_, statement);
    return meaning::run_on(logical, sizes_, wholes_, budget_);
  }

  Result<void> run_scope(const Statement& statement, std::size_t number) {
    // Sizes have numbers in the layouts of parts, and names in the statements.
    HEDDLE_TRY(const std::vector<HeldTensor> named, held_tensors(kernel_));
    HEDDLE_TRY(const LocalKernel local,
               local_kernel(kernel_, named, statement, local_name(kernel_, number)));
    const std::vector<std::size_t> written = written_parameters(local.kernel);
    std::vector<Held> after = wholes_;
    std::vector<std::vector<bool>> is_done(wholes_.size());
    for (std::int64_t device = 0; device != kernel_.launch.devices; ++device) {
      HEDDLE_TRY(const std::vector<Held> parts, parts_after(local, device));
      for (const std::size_t parameter : written) {
        const std::size_t tensor = local.tensors[parameter];
        HEDDLE_CHECK(put_back(tensor, device, parts[parameter], after[tensor], is_done[tensor]));
      }
    }
    wholes_ = std::move(after);
    return {};
  }

  /// What a device has of all tensors when it has done its part.
  Result<std::vector<Held>> parts_after(const LocalKernel& local, std::int64_t device) {
    std::vector<Held> parts;
    for (const std::size_t tensor : local.tensors) {
      const Held& whole = wholes_[tensor];
      HEDDLE_CHECK(budget_.spend(std::ssize(whole.elements)));
      Held& part = parts.emplace_back();
      part.elements = taken(tensor, device, whole.elements);
      if (!whole.known.empty()) part.known = taken(tensor, device, whole.known);
    }
    parts.insert(parts.end(), values_.begin(), values_.end());
    if (local.takes_device) {
      parts.push_back({{static_cast<std::uint64_t>(device)}});
    }
    HEDDLE_CHECK(meaning::run_on(local.kernel, sizes_, parts, budget_));
    return parts;
  }

  std::vector<std::uint64_t> taken(std::size_t tensor, std::int64_t device,
                                   const std::vector<std::uint64_t>& whole) const {
    const HeldTensor& held = tensors_[tensor];
    return part_on(holdings_[tensor], held.part, device,
                   Array{held.whole.type, numbers_of(held.whole.shape), whole})
        .elements;
  }

  /// Writes a device's part into the whole, where another device may have left it already.
  Result<void> put_back(std::size_t tensor, std::int64_t device, const Held& part, Held& whole,
                        std::vector<bool>& is_done) const {
    const Holding& holding = holdings_[tensor];
    is_done.resize(whole.elements.size());
    for (std::size_t e = 0; e != whole.elements.size(); ++e) {
      const std::int64_t further = device - holding.device[e];
      if (std::ranges::find(holding.copies, further) == holding.copies.end()) continue;
      const auto place = static_cast<std::size_t>(holding.place[e]);
      const bool is_new = !is_done[e];
      const bool is_same = whole.elements[e] == part.elements[place] &&
                           (whole.known.empty() || whole.known[e] == part.known[place]);
      if (!is_new && !is_same) {
        return refuse_copy(tensor, e, device, part.elements[place], whole.elements[e]);
      }
      is_done[e] = true;
      whole.elements[e] = part.elements[place];
      if (!whole.known.empty()) whole.known[e] = part.known[place];
    }
    return {};
  }

  [[nodiscard]] Result<void> refuse_copy(std::size_t tensor, std::size_t element,
                                         std::int64_t device, std::uint64_t left,
                                         std::uint64_t before) const {
    const HeldTensor& held = tensors_[tensor];
    std::vector<std::string> point;
    for (const Int& index : form::unflatten(held.whole.shape, static_cast<std::int64_t>(element))) {
      point.push_back(to_string(index));
    }
    const Holding& holding = holdings_[tensor];
    const std::int64_t first = holding.device[element] + std::ranges::min(holding.copies);
    const auto text = [&](std::uint64_t bits) {
      const Number number = decode(held.whole.type, bits);
      return number.is_real ? fmt::format("{}", number.real) : fmt::format("{}", number.integer);
    };
    return refuse(diagnose("kernel.replicas",
                           "device {} leaves {} as {}[{}], and device {} leaves {}: both have a "
                           "copy of it",
                           first, text(before), held.whole.name, fmt::join(point, ","), device,
                           text(left))
                      .with_hint("let all devices that have a copy compute the same"));
  }

  const Kernel& kernel_;
  Sizes sizes_;
  meaning::Budget budget_;
  meaning::Memory memory_;
  std::vector<HeldTensor> tensors_;
  std::vector<Holding> holdings_;
  std::vector<Held> wholes_;
  std::vector<Held> values_;
};

}  // namespace

Result<std::vector<Array>> run_over_devices(const Kernel& kernel, std::vector<Array> arguments,
                                            const RunOptions& options) {
  HEDDLE_TRY(const Sizes sizes, sizes_of(kernel, arguments, options.sizes));
  HEDDLE_CHECK(DevicesRun(kernel, sizes, options.work).run(arguments));
  return arguments;
}

}  // namespace heddle::kernel
