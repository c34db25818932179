// Kernels over devices as programs: local kernels are lowered, exchanges are planned.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "core/text.h"
#include "heddle/kernel/check.h"
#include "heddle/kernel/devices.h"
#include "heddle/kernel/operators.h"
#include "kernel/devices/exchange.h"
#include "kernel/devices/overlap.h"
#include "kernel/parts/split.h"
#include "kernel/placed.h"

namespace heddle::kernel {

namespace {

/// Whether the part's elements are read in the block before anything is known to write all of them.
bool reads_in(const Block& block, const std::string& tensor) {
  bool is_read = false;
  for_each_statement(block, [&](const Statement& statement) {
    const auto note = [&](const View& view) { is_read = is_read || view.tensor == tensor; };
    if (const auto* assign = std::get_if<Assign>(&statement.node)) {
      for_each_view(assign->value, note);
      return;
    }
    const auto* call = std::get_if<Call>(&statement.node);
    if (call == nullptr) return for_each_view(statement, note);
    const OperatorRule& rule = *find_operator(call->operation);
    const auto accum = call->options.find("accum");
    const bool replaces = accum != call->options.end() && !std::get<bool>(accum->second);
    for (std::size_t i = 0; i != call->operands.size(); ++i) {
      const bool is_written = rule.operands[i].role == Role::kWrites ||
                              (rule.operands[i].role == Role::kUpdates && replaces);
      if (!is_written) for_each_view(call->operands[i], note);
    }
  });
  return is_read;
}

/// Whether the first statement that names the parameter reads it.
bool is_read_first(const Kernel& kernel, const std::string& tensor) {
  for (const Statement& statement : kernel.body) {
    const auto* scope = std::get_if<Scope>(&statement.node);
    const Block block = scope != nullptr ? scope->body : Block{statement};
    bool is_named = false;
    for_each_statement(block, [&](const Statement& each) {
      for_each_view(each, [&](const View& view) { is_named |= view.tensor == tensor; });
    });
    if (is_named) return reads_in(block, tensor);
  }
  return false;
}

class DevicesLowerer {
 public:
  DevicesLowerer(const Kernel& kernel, const Sizes& sizes, const LowerOptions& options)
      : options_(options), program_{kernel, sizes, {}, {}} {}

  Result<DevicesProgram> lower() {
    HEDDLE_TRY(named_, held_tensors(program_.kernel));
    HEDDLE_TRY(held_, held_tensors(program_.kernel, program_.sizes));
    for (const HeldTensor& each : held_) HEDDLE_CHECK(add_tensor(each));
    const Block& body = program_.kernel.body;
    for (std::size_t i = 0; i != body.size(); ++i) {
      auto lowered = add(body[i], i);
      if (!lowered) return refuse_at(body[i].span, std::move(lowered).error());
    }
    return std::move(program_);
  }

 private:
  Result<void> add_tensor(const HeldTensor& held) {
    DevicesTensor tensor{held.whole, held.part.local, 0, held.is_parameter, {}, false};
    tensor.is_read = held.is_parameter && is_read_first(program_.kernel, held.whole.name);
    HEDDLE_TRY(const distribute::Distribution distribution,
               distribution_of(held.part, all_dimensions(held.whole)));
    tensor.first_copy.assign(static_cast<std::size_t>(program_.kernel.launch.devices), -1);
    const Holding holding = holding_of(held.part);
    for (const std::int64_t first : holding.device) {
      for (const std::int64_t further : holding.copies) {
        const std::int64_t least = first + *std::ranges::min_element(holding.copies);
        tensor.first_copy[static_cast<std::size_t>(first + further)] = least;
      }
    }
    for (const std::int64_t device : held.part.devices) {
      tensor.elements = std::max(tensor.elements, distribution.memory(device));
    }
    program_.tensors.push_back(std::move(tensor));
    return {};
  }

  static ExchangedDimensions all_dimensions(const Tensor& tensor) {
    ExchangedDimensions dimensions;
    for (std::size_t d = 0; d != tensor.shape.size(); ++d) dimensions.order.push_back(d);
    return dimensions;
  }

  Result<void> add(const Statement& statement, std::size_t number) {
    if (std::holds_alternative<Declaration>(statement.node)) return {};
    if (std::holds_alternative<Scope>(statement.node)) return add_local(statement, number);
    return add_exchange(statement, number);
  }

  Result<void> add_local(const Statement& statement, std::size_t number) {
    HEDDLE_TRY(LocalKernel local, local_kernel(program_.kernel, named_, statement,
                                               local_name(program_.kernel, number)));
    HEDDLE_TRY(ThreadProgram lowered, kernel::lower(local.kernel, options_));
    LocalStep step{std::move(lowered), local.tensors, {}, local.takes_device};
    for (const std::string& name : step.program.sizes) {
      step.sizes.push_back(program_.sizes.find(name)->second);
    }
    program_.steps.emplace_back(std::move(step));
    before_ = std::move(local);
    return {};
  }

  [[nodiscard]] std::size_t tensor_called(const Elementwise& operand) const {
    const std::string& name = std::get<View>(operand.node).tensor;
    const auto found =
        std::ranges::find(held_, name, [](const HeldTensor& each) { return each.whole.name; });
    return static_cast<std::size_t>(found - held_.begin());
  }

  Result<void> add_exchange(const Statement& statement, std::size_t number) {
    const auto& call = std::get<Call>(statement.node);
    std::size_t source = tensor_called(call.operands[1]);
    const std::size_t target = tensor_called(call.operands[0]);
    const Part& part = held_[source].part;
    const ExchangedDimensions dimensions = dimensions_of(call, part.local.shape.size());
    const bool are_terms = is_cut_to_terms(part, dimensions);
    const std::optional<LocalKernel> before = std::exchange(before_, std::nullopt);
    HEDDLE_TRY(const distribute::Distribution from, distribution_of(part, dimensions, !are_terms));
    const HeldTensor& to = held_[target];
    HEDDLE_TRY(const distribute::Distribution into,
               distribution_of(to.part, all_dimensions(to.whole)));
    HEDDLE_TRY(distribute::Plan plan, distribute::redistribute(from, into, bits(to.whole.type)));
    ExchangeStep exchange{
        to_string(statement), statement.span, source, target, std::move(plan), {}, {}, 0, {}, {}};
    exchange.steps.assign(exchange.plan.steps().begin(), exchange.plan.steps().end());
    note_parts(exchange, dimensions);
    if (!are_terms) HEDDLE_CHECK(add_terms(call, number, dimensions, exchange));
    if (are_terms && before) {
      overlap(*before, program_.sizes, program_.kernel.launch.devices, part.local, dimensions,
              exchange);
    }
    program_.steps.emplace_back(std::move(exchange));
    return {};
  }

  /// What a device reduces of its own first, into memory of its own.
  Result<void> add_terms(const Call& call, std::size_t number,
                         const ExchangedDimensions& dimensions, ExchangeStep& exchange) {
    const Part& part = held_[exchange.source].part;
    const std::string name = local_name(program_.kernel, number);
    const Tensor into = reduced_part(part, dimensions, "reduced_" + name);
    const Kernel reducing = reducing_kernel(part, into, call, dimensions, name);
    HEDDLE_CHECK(check(reducing));
    HEDDLE_TRY(ThreadProgram lowered, kernel::lower(reducing, options_));
    DevicesTensor tensor{into, into, 1, false, program_.tensors[exchange.source].first_copy, false};
    for (const std::int64_t extent : numbers_of(into.shape)) tensor.elements *= extent;
    program_.tensors.push_back(std::move(tensor));
    const std::size_t made = program_.tensors.size() - 1;
    program_.steps.emplace_back(LocalStep{std::move(lowered), {exchange.source, made}, {}, false});
    exchange.source = made;
    exchange.not_overlapped = "each device reduces its part first";
    return {};
  }

  void note_parts(ExchangeStep& exchange, const ExchangedDimensions& dimensions) const {
    const auto count = [&](const HeldTensor& held) {
      const auto devices = std::ssize(held.part.devices);
      if (devices == 1) return fmt::format("device {} has", held.part.devices.front());
      return fmt::format("each of {} devices has", devices);
    };
    const auto text = [&](const HeldTensor& held, std::string_view what) {
      return fmt::format("{} {}{}{} of {}", count(held), what, name_of(held.whole.type),
                         list_of(held.part.local.shape), held.whole.name);
    };
    const HeldTensor& source = held_[exchange.source];
    const bool has_terms = std::ranges::any_of(dimensions.reduced, [&](std::size_t dimension) {
      return !known_equal(source.part.local.shape[dimension], source.whole.shape[dimension]);
    });
    exchange.notes = {{"from", text(source, has_terms ? "a term " : "")},
                      {"to", text(held_[exchange.target], "")}};
  }

  static std::string list_of(const std::vector<Int>& shape) {
    std::string text = shape_text(shape);
    text.front() = '[';
    text.back() = ']';
    return text;
  }

  LowerOptions options_;
  DevicesProgram program_;
  /// With names for their sizes, and with numbers.
  std::vector<HeldTensor> named_;
  std::vector<HeldTensor> held_;
  /// The local kernel of the statement before.
  std::optional<LocalKernel> before_;
};

}  // namespace

Result<DevicesProgram> lower_over_devices(const Kernel& kernel, const Sizes& sizes,
                                          const LowerOptions& options) {
  HEDDLE_CHECK(check(kernel));
  return DevicesLowerer(kernel, sizes, options).lower();
}

namespace {

std::string aligned(const std::vector<std::pair<std::string, std::string>>& lines) {
  std::size_t width = 0;
  for (const auto& [title, text] : lines) width = std::max(width, title.size());
  std::string text;
  for (const auto& [title, line] : lines) {
    text += fmt::format("  {:<{}}  {}\n", title, width, line);
  }
  return text;
}

std::string explanation_of(const ExchangeStep& exchange) {
  std::vector<std::pair<std::string, std::string>> lines = exchange.notes;
  for (auto& line : distribute::lines_of(exchange.plan)) lines.push_back(std::move(line));
  if (!exchange.order.empty()) {
    std::size_t sent = 0;
    for (const SentBlocks& each : exchange.order) sent += each.transfer ? 1 : 0;
    lines.emplace_back("overlap",
                       fmt::format("{} messages, each sent when the blocks that write it are done; "
                                   "what goes farthest comes first",
                                   sent));
  } else if (!exchange.not_overlapped.empty()) {
    lines.emplace_back("no overlap", exchange.not_overlapped);
  }
  return fmt::format("{}\n{}", exchange.text, aligned(lines));
}

}  // namespace

std::string explanation(const DevicesProgram& program) {
  std::string text = fmt::format("{}: {}\n", program.kernel.name,
                                 counted(program.kernel.launch.devices, "device"));
  for (const auto& step : program.steps) {
    const auto* local = std::get_if<LocalStep>(&step);
    text += "\n";
    text += local != nullptr ? explanation(local->program)
                             : explanation_of(std::get<ExchangeStep>(step));
  }
  return text;
}

}  // namespace heddle::kernel
