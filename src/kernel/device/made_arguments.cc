#include "heddle/kernel/made_arguments.h"

#include <fmt/format.h>

#include <map>
#include <random>
#include <span>
#include <string>
#include <utility>

#include "heddle/core/exact.h"
#include "heddle/expr/proof.h"
#include "heddle/kernel/check.h"
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

}  // namespace

Result<std::vector<Array>> made_arguments(const Kernel& kernel, const Sizes& sizes) {
  std::vector<Array> arguments;
  std::mt19937_64 random(kernel.parameters.size());
  const std::map<std::string, DType> indices = index_tensors(kernel);
  for (const Tensor& parameter : kernel.parameters) {
    HEDDLE_TRY(Array array, zeros(parameter, sizes));
    if (parameter.space == Space::kValue) array.elements.assign(1, 0);
    const auto index = indices.find(parameter.name);
    for (std::uint64_t& element : array.elements) {
      if (index != indices.end()) {
        element = made_codes(parameter, index->second, random);
        continue;
      }
      const auto number = static_cast<std::int64_t>(random() % 33) - 16;
      element =
          encode(parameter.type, is_float(parameter.type) ? Number(static_cast<double>(number) / 8)
                                                          : Number(number));
    }
    arguments.push_back(std::move(array));
  }
  return arguments;
}

}  // namespace heddle::kernel
