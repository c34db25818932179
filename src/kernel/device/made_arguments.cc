#include "heddle/kernel/made_arguments.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "heddle/core/exact.h"
#include "heddle/expr/proof.h"
#include "heddle/kernel/check.h"
#include "kernel/device/index_uses.h"
#include "kernel/sparse.h"

namespace heddle::kernel {

Result<Array> zeros(const Tensor& parameter, const Sizes& sizes) {
  Bindings values;
  for (const auto& [name, size] : sizes) values[name] = size;
  Array array{parameter.type, {}, {}};
  constexpr std::int64_t kMostElements = std::int64_t{1} << 28;
  std::int64_t elements = 1;
  for (const Int& extent : parameter.shape) {
    const auto at = instantiate(extent, values);
    if (!at) {
      return refuse(Diagnostic(
          "kernel.assumption",
          fmt::format("the sizes break what the kernel assumes: {}", at.error().message())));
    }
    const Int& known = *at;
    if (!known.is_constant()) {
      return refuse(Diagnostic("kernel.arguments", fmt::format("the size {} of {} is not known",
                                                               to_string(known), parameter.name))
                        .with_hint(fmt::format("--size {}=64", to_string(known))));
    }
    array.shape.push_back(known.value());
    const auto product = exact::multiply(elements, known.value());
    if (!product || *product > kMostElements) {
      return refuse("kernel.argument", fmt::format("{} would have more than {} elements",
                                                   parameter.name, kMostElements));
    }
    elements = *product;
  }
  array.elements.assign(static_cast<std::size_t>(elements), 0);
  return array;
}

namespace {

/// The types of A for whose index a kernel copies or reads each tensor.
std::map<std::string, DType> index_tensors(const Kernel& kernel) {
  std::map<std::string, DType> found;
  Names names;
  for (const Tensor& parameter : kernel.parameters) names.declare(parameter);
  for_each_statement(kernel.body, [&](const Statement& statement) {
    const auto* declared = std::get_if<Declaration>(&statement.node);
    if (declared != nullptr) names.declare(declared->tensor);
  });
  for_each_statement(kernel.body, [&](const Statement& statement) {
    const auto* call = std::get_if<Call>(&statement.node);
    if (call == nullptr || call->operation != "gemm_sparse") return;
    const auto a = shape_of(call->operands[1], names);
    if (a) found.emplace(std::get<View>(call->operands[3].node).tensor, a->type);
  });
  for_each_statement(kernel.body, [&](const Statement& statement) {
    const auto* call = std::get_if<Call>(&statement.node);
    if (call == nullptr || !call->operation.starts_with("copy")) return;
    const auto to = found.find(std::get<View>(call->operands[0].node).tensor);
    const auto* from = std::get_if<View>(&call->operands[1].node);
    if (to != found.end() && from != nullptr) found.emplace(from->tensor, to->second);
  });
  return found;
}

/// Codes in all bits of an element.
std::uint64_t made_codes(const Tensor& parameter, DType a, std::mt19937_64& random) {
  const std::span<const std::int64_t> codes = sparse_group(a).codes;
  std::uint64_t element = 0;
  for (std::int64_t bit = 0; bit < bits(parameter.type); bit += 4) {
    element |= static_cast<std::uint64_t>(codes[random() % codes.size()]) << bit;
  }
  return element;
}

/// Numbers of a type from an interval.
std::uint64_t number_from(const NumberRange& range, DType type, std::mt19937_64& random) {
  if (!is_float(type)) {
    const auto from = static_cast<std::int64_t>(range.from);
    const auto count = static_cast<std::uint64_t>(static_cast<std::int64_t>(range.to) - from);
    return encode(type, Number(from + static_cast<std::int64_t>(random() % count)));
  }
  constexpr std::uint64_t kSteps = 1024;
  const double part = static_cast<double>(random() % kSteps) / static_cast<double>(kSteps);
  return encode(type, Number(range.from + (range.to - range.from) * part));
}

/// Refuses names of nothing.
template <class Rule>
Result<void> check_named(const Kernel& kernel, const std::map<std::string, Rule>& rules,
                         std::string_view what) {
  for (const auto& [name, rule] : rules) {
    if (std::ranges::find(kernel.parameters, name, &Tensor::name) != kernel.parameters.end()) {
      continue;
    }
    std::vector<std::string_view> known;
    for (const Tensor& parameter : kernel.parameters) known.push_back(parameter.name);
    return refuse("kernel.arguments",
                  fmt::format("the {} of {}: {} has no such parameter; it has {}", what, name,
                              kernel.name, fmt::join(known, ", ")));
  }
  return {};
}

Result<void> check_rules(const Kernel& kernel, const DataRules& rules) {
  HEDDLE_CHECK(check_named(kernel, rules.values, "value"));
  HEDDLE_CHECK(check_named(kernel, rules.ranges, "range"));
  for (const Tensor& parameter : kernel.parameters) {
    if (const auto value = rules.values.find(parameter.name); value != rules.values.end()) {
      HEDDLE_CHECK(array_of(parameter, Number(value->second)));
    }
    const auto range = rules.ranges.find(parameter.name);
    if (range == rules.ranges.end()) continue;
    const auto& [from, to] = range->second;
    const bool has_last = !is_float(parameter.type) && to == std::floor(to);
    HEDDLE_CHECK(array_of(parameter, Number(from)));
    HEDDLE_CHECK(array_of(parameter, Number(has_last ? to - 1 : to)));
    if (from < to && std::abs(from) < 0x1p53 && std::abs(to) < 0x1p53) continue;
    return refuse("kernel.argument", fmt::format("the range of {}, from {} to below {}, is empty",
                                                 parameter.name, from, to));
  }
  return {};
}

/// Numbers from 0 on, in a random order.
void shuffle_positions(Array& array, std::mt19937_64& random) {
  for (std::size_t i = 0; i != array.elements.size(); ++i) {
    const std::size_t other = random() % (i + 1);
    array.elements[i] = array.elements[other];
    array.elements[other] = encode(array.type, Number(static_cast<std::int64_t>(i)));
  }
}

/// What each element of a parameter is.
std::function<std::uint64_t()> drawing(const Tensor& parameter, const DataRules& rules,
                                       const IndexUse* use, std::mt19937_64& random) {
  const DType type = parameter.type;
  if (const auto value = rules.values.find(parameter.name); value != rules.values.end()) {
    return [element = encode(type, Number(value->second))] { return element; };
  }
  if (const auto range = rules.ranges.find(parameter.name); range != rules.ranges.end()) {
    return [&random, type, from = range->second] { return number_from(from, type, random); };
  }
  if (use != nullptr && !is_float(type)) {
    const NumberRange inside{0, static_cast<double>(std::max<std::int64_t>(use->below, 1))};
    return [&random, type, inside] { return number_from(inside, type, random); };
  }
  return [&random, type] {
    const auto number = static_cast<std::int64_t>(random() % 33) - 16;
    return encode(type, is_float(type) ? Number(static_cast<double>(number) / 8) : Number(number));
  };
}

}  // namespace

Result<std::vector<Array>> made_arguments(const Kernel& kernel, const Sizes& sizes,
                                          const DataRules& rules) {
  HEDDLE_CHECK(check_rules(kernel, rules));
  std::vector<Array> arguments;
  std::mt19937_64 random(kernel.parameters.size());
  const std::map<std::string, DType> codes = index_tensors(kernel);
  const std::map<std::string, IndexUse> uses = index_uses(kernel, sizes);
  for (const Tensor& parameter : kernel.parameters) {
    HEDDLE_TRY(Array array, zeros(parameter, sizes));
    if (parameter.space == Space::kValue) array.elements.assign(1, 0);
    const auto used = uses.find(parameter.name);
    const IndexUse* use = used == uses.end() ? nullptr : &used->second;
    const bool has_rule =
        rules.values.contains(parameter.name) || rules.ranges.contains(parameter.name);
    const auto code = codes.find(parameter.name);
    if (use != nullptr && use->is_distinct && !has_rule &&
        std::ssize(array.elements) <= use->below) {
      shuffle_positions(array, random);
    } else {
      const auto draw = drawing(parameter, rules, use, random);
      for (std::uint64_t& element : array.elements) {
        element =
            code != codes.end() && !has_rule ? made_codes(parameter, code->second, random) : draw();
      }
    }
    arguments.push_back(std::move(array));
  }
  return arguments;
}

}  // namespace heddle::kernel
