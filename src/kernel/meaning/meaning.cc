#include "heddle/kernel/meaning.h"

#include <algorithm>
#include <set>
#include <utility>

#include "core/format.h"
#include "core/text.h"
#include "expr/term/substitute.h"
#include "fmt/ranges.h"
#include "heddle/expr/proof.h"
#include "heddle/kernel/check.h"
#include "kernel/meaning/code.h"
#include "kernel/meaning/memories.h"
#include "kernel/meaning/over_devices.h"
#include "kernel/meaning/solutions.h"

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
  return refuse("kernel.argument", "{} of {} has {}", parameter.name,
                array_text(argument.type, argument.shape),
                counted(argument.elements.size(), "element"));
}

/// The value of an Int at these sizes; nullopt if one is not known.
std::optional<std::int64_t> value_at(const Int& value, const Sizes& sizes) {
  meaning::Variables variables;
  variables.numbers.insert(sizes.begin(), sizes.end());
  const auto formula = Formula::make(value, variables);
  return formula ? formula->at({}) : std::nullopt;
}

/// The extent with the sizes that are known in it, if only one is not; else an undefined one.
Int with_one_unknown(const Int& extent, const Sizes& sizes) {
  const Bindings values(sizes.begin(), sizes.end());
  const auto known = instantiate(extent, values);
  return known && variables(*known).size() == 1 ? *known : Int::undefined();
}

/// Takes a size from an extent if it is the only one that makes it this number.
void learn_size(const Int& extent, std::int64_t value, Sizes& sizes) {
  if (const auto name = expr::name_of(extent)) {
    sizes.emplace(*name, value);
    return;
  }
  const Int open = with_one_unknown(extent, sizes);
  const auto found = meaning::solutions(open, value, value);
  if (found && found->low == found->high) sizes.emplace(variables(open).front(), found->low);
}

/// Takes sizes from what is assumed to be equal: GM from GM == (M+31)//32, where M is known.
void learn_from_equations(const Kernel& kernel, Sizes& sizes) {
  for (std::size_t known = sizes.size() + 1; known != sizes.size();) {
    known = sizes.size();
    for (const Condition& condition : kernel.assumed) {
      if (condition.predicate != Predicate::kEqual) continue;
      if (const auto right = value_at(condition.right, sizes)) {
        learn_size(condition.left, *right, sizes);
      } else if (const auto left = value_at(condition.left, sizes)) {
        learn_size(condition.right, *left, sizes);
      }
    }
  }
}

/// `table gives T//16 = 4: T is from 64 to 79`.
std::string told_text(const Tensor& parameter, const Int& extent, std::int64_t value,
                      const Sizes& sizes) {
  std::string text = fmt::format("{} gives {} = {}", parameter.name, to_string(extent), value);
  const Int open = with_one_unknown(extent, sizes);
  const auto found = meaning::solutions(open, value, value);
  if (!found || found->low > found->high) return text;
  return text +
         fmt::format(": {} is from {} to {}", variables(open).front(), found->low, found->high);
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

Result<Sizes> told_sizes(const Kernel& kernel, const std::vector<Array>& arguments,
                         const Sizes& given) {
  Sizes sizes = given;
  const auto for_each_extent = [&](auto each) {
    for (std::size_t i = 0; i != arguments.size(); ++i) {
      const Tensor& parameter = kernel.parameters[i];
      if (arguments[i].shape.size() != parameter.shape.size()) continue;
      for (std::size_t d = 0; d != parameter.shape.size(); ++d) {
        each(parameter, parameter.shape[d], arguments[i].shape[d]);
      }
    }
  };
  for (const bool learns_plain_names : {true, false}) {
    for_each_extent([&](const Tensor&, const Int& extent, std::int64_t value) {
      if (!extent.is_symbolic()) return;
      if (!learns_plain_names || expr::name_of(extent)) learn_size(extent, value, sizes);
    });
  }
  learn_from_equations(kernel, sizes);
  for (const std::string& name : given_names(kernel)) {
    if (sizes.contains(name)) continue;
    Diagnostic unknown =
        diagnose("kernel.argument", "the shapes of the arguments do not give the size {}", name)
            .with_hint(fmt::format("--size {0}=64; in Python {1}(…, {0}=64)", name, kernel.name));
    for_each_extent([&](const Tensor& parameter, const Int& extent, std::int64_t value) {
      const std::vector<std::string> names = variables(extent);
      if (std::ranges::find(names, name) == names.end()) return;
      unknown = std::move(unknown).with_note(told_text(parameter, extent, value, sizes));
    });
    return refuse(std::move(unknown));
  }
  return sizes;
}

Result<Sizes> sizes_of_shapes(const Kernel& kernel, const std::vector<Array>& arguments,
                              const Sizes& given) {
  if (arguments.size() != kernel.parameters.size()) {
    return refuse("kernel.arguments", "{} has {}, not {}", kernel.name,
                  counted(kernel.parameters.size(), "parameter"), arguments.size());
  }
  for (std::size_t i = 0; i != arguments.size(); ++i) {
    HEDDLE_CHECK(check_shape(kernel.parameters[i], arguments[i]));
  }
  HEDDLE_TRY(const Sizes sizes, told_sizes(kernel, arguments, given));
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
