#include "heddle/kernel/meaning.h"

#include <algorithm>
#include <set>
#include <utility>

#include "core/format.h"
#include "expr/term/substitute.h"
#include "fmt/ranges.h"
#include "heddle/expr/proof.h"
#include "heddle/kernel/check.h"
#include "kernel/meaning/code.h"
#include "kernel/meaning/memories.h"
#include "kernel/meaning/over_devices.h"

namespace heddle::kernel {
namespace {

using meaning::Formula;

std::string array_text(DType type, std::span<const std::int64_t> shape) {
  return fmt::format("{} ({})", name_of(type), fmt::join(shape, ","));
}

Refusal refuse_argument(const Tensor& parameter, const Array& argument, std::string_view why = "") {
  return refuse("kernel.argument", "{} is {} {}, not {}{}", parameter.name, name_of(parameter.type),
                shape_text(parameter.shape), array_text(argument.type, argument.shape), why);
}

Result<void> check_shape(const Tensor& parameter, const Array& argument) {
  if (parameter.type == argument.type && parameter.shape.size() == argument.shape.size()) return {};
  return refuse_argument(parameter, argument);
}

Result<void> check_elements(const Tensor& parameter, const Array& argument) {
  const bool is_valid = std::ranges::all_of(argument.shape, [](std::int64_t n) { return n >= 0; });
  const exact::Value size = is_valid ? meaning::product_of(argument.shape) : std::nullopt;
  if (size && std::cmp_equal(*size, argument.elements.size())) return {};
  return refuse("kernel.argument", "{} of {} has {} elements", parameter.name,
                array_text(argument.type, argument.shape), argument.elements.size());
}

/// The value of an Int at these sizes; nullopt if one is not known.
std::optional<std::int64_t> value_at(const Int& value, const Sizes& sizes) {
  meaning::Variables variables;
  variables.numbers.insert(sizes.begin(), sizes.end());
  const auto formula = Formula::make(value, variables);
  return formula ? formula->at({}) : std::nullopt;
}

/// The value of the one variable at which an extent that grows with it evenly has a value: 5 of
/// 2*M + 1 for 11; 64 of T//16 for 4 where T is a multiple of 16, and none where it need not be.
std::optional<std::int64_t> solution_of(const Int& extent, const std::string& name,
                                        std::int64_t value, const Sizes& sizes) {
  constexpr std::int64_t kMostSteps = std::int64_t{1} << 20;
  const auto at = [&](std::int64_t number) {
    Sizes tried = sizes;
    tried.emplace(name, number);
    return value_at(extent, tried);
  };
  const auto zero = at(0);
  std::int64_t distance = 1;
  while (distance < kMostSteps && at(distance) == zero) distance *= 2;
  const auto next = at(distance);
  if (!zero || !next || *zero == *next) return std::nullopt;
  const exact::Value rest = exact::subtract(value, *zero);
  const exact::Value step = exact::subtract(*next, *zero);
  const exact::Value all = rest ? exact::multiply(*rest, distance) : std::nullopt;
  if (!all || !step || *all % *step != 0 || (*step == -1 && *all == INT64_MIN)) return std::nullopt;
  const std::int64_t solution = *all / *step;
  const auto is_another = [&](std::int64_t number) {
    return at(number) == value && instantiate(extent, {{name, Int(number)}}).has_value();
  };
  if (at(solution) != value || is_another(solution + 1)) return std::nullopt;
  return solution;
}

/// Takes a size from an extent of which only it is not known.
void learn_size(const Int& extent, std::int64_t value, Sizes& sizes) {
  if (const auto name = expr::name_of(extent)) {
    sizes.emplace(*name, value);
    return;
  }
  std::vector<std::string> unknown = variables(extent);
  std::erase_if(unknown, [&](const std::string& name) { return sizes.contains(name); });
  if (unknown.size() != 1) return;
  const auto solution = solution_of(extent, unknown.front(), value, sizes);
  if (solution) sizes.emplace(unknown.front(), *solution);
}

bool holds_at(const Condition& condition, const Sizes& sizes) {
  const auto left = value_at(condition.left, sizes);
  const auto right = value_at(condition.right, sizes);
  return left && right && known({*left, condition.predicate, *right});
}

std::string sizes_text(const Sizes& sizes) {
  std::vector<std::string> texts;
  for (const auto& [name, number] : sizes) texts.push_back(fmt::format("{}={}", name, number));
  return fmt::format("{}", fmt::join(texts, ", "));
}

/// What is assumed of sizes by name, and by the Ints of the shapes.
Result<void> check_assumptions(const Kernel& kernel, const Sizes& sizes) {
  for (const Condition& condition : kernel.assumed) {
    if (holds_at(condition, sizes)) continue;
    return refuse("kernel.assumption", "{} assumes {}, which does not hold for {}", kernel.name,
                  to_string(condition), sizes_text(sizes));
  }
  Bindings bindings;
  for (const auto& [name, number] : sizes) bindings.emplace(name, number);
  for (const Tensor& parameter : kernel.parameters) {
    for (const Int& extent : parameter.shape) {
      const auto value = instantiate(extent, bindings);
      if (value) continue;
      return refuse("kernel.assumption", "the extent {} of {} cannot have these sizes: {}",
                    to_string(extent), parameter.name, value.error().message());
    }
  }
  return {};
}

}  // namespace

Result<Sizes> sizes_of(const Kernel& kernel, const std::vector<Array>& arguments,
                       const Sizes& given) {
  HEDDLE_TRY(Sizes sizes, sizes_of_shapes(kernel, arguments, given));
  for (std::size_t i = 0; i != arguments.size(); ++i) {
    HEDDLE_CHECK(check_elements(kernel.parameters[i], arguments[i]));
  }
  return sizes;
}

void learn_sizes(const Kernel& kernel, const std::vector<Array>& arguments, Sizes& sizes) {
  for (const bool learns_plain_names : {true, false}) {
    for (std::size_t i = 0; i != arguments.size(); ++i) {
      const Tensor& parameter = kernel.parameters[i];
      if (parameter.shape.size() != arguments[i].shape.size()) continue;
      for (std::size_t d = 0; d != parameter.shape.size(); ++d) {
        const Int& extent = parameter.shape[d];
        if (!extent.is_symbolic()) continue;
        if (learns_plain_names && !expr::name_of(extent)) continue;
        learn_size(extent, arguments[i].shape[d], sizes);
      }
    }
  }
}

Result<Sizes> sizes_of_shapes(const Kernel& kernel, const std::vector<Array>& arguments,
                              const Sizes& given) {
  if (arguments.size() != kernel.parameters.size()) {
    return refuse("kernel.arguments", "{} has {} parameters, not {}", kernel.name,
                  kernel.parameters.size(), arguments.size());
  }
  for (std::size_t i = 0; i != arguments.size(); ++i) {
    HEDDLE_CHECK(check_shape(kernel.parameters[i], arguments[i]));
  }
  Sizes sizes = given;
  learn_sizes(kernel, arguments, sizes);
  for (const std::string& name : size_names(kernel)) {
    if (sizes.contains(name)) continue;
    return refuse(
        diagnose("kernel.argument", "the shapes of the arguments do not tell the size {}", name)
            .with_hint("--size " + name + "=64; in Python " + kernel.name + "(…, " + name +
                       "=64)"));
  }
  HEDDLE_CHECK(check_assumptions(kernel, sizes));
  for (std::size_t i = 0; i != arguments.size(); ++i) {
    const Tensor& parameter = kernel.parameters[i];
    for (std::size_t d = 0; d != parameter.shape.size(); ++d) {
      const auto extent = value_at(parameter.shape[d], sizes);
      if (extent == arguments[i].shape[d]) continue;
      return refuse_argument(parameter, arguments[i],
                             sizes.empty() ? "" : fmt::format(", with {}", sizes_text(sizes)));
    }
  }
  return sizes;
}

Result<std::vector<Array>> run(const Kernel& kernel, std::vector<Array> arguments,
                               const RunOptions& options) {
  HEDDLE_CHECK(check(kernel));
  if (kernel.launch.devices != 0) return run_over_devices(kernel, std::move(arguments), options);
  HEDDLE_CHECK(check_one_device(kernel));
  HEDDLE_TRY(const Sizes sizes, sizes_of(kernel, arguments, options.sizes));
  std::vector<meaning::Held> held;
  for (Array& argument : arguments) held.push_back({std::move(argument.elements)});
  meaning::Budget budget(options.work);
  HEDDLE_CHECK(meaning::run_on(kernel, sizes, held, budget));
  for (std::size_t i = 0; i != arguments.size(); ++i) {
    arguments[i].elements = std::move(held[i].elements);
  }
  return arguments;
}

Result<void> meaning::run_on(const Kernel& kernel, const Sizes& sizes,
                             std::vector<Held>& parameters, Budget& budget) {
  Memory memory;
  HEDDLE_TRY(const std::unique_ptr<Code> code, make_code(kernel, sizes));
  memory.set_grid(code->grid);
  for (std::size_t i = 0; i != parameters.size(); ++i) {
    code->storages[i].elements = std::move(parameters[i].elements);
    code->storages[i].known = std::move(parameters[i].known);
  }
  HEDDLE_CHECK(run(*code, memory, budget));
  for (std::size_t i = 0; i != parameters.size(); ++i) {
    parameters[i].elements = std::move(code->storages[i].elements);
    parameters[i].known = std::move(code->storages[i].known);
  }
  return {};
}

}  // namespace heddle::kernel
