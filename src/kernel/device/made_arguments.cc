#include "heddle/kernel/made_arguments.h"

#include <fmt/format.h>

#include <random>
#include <utility>

#include "heddle/core/exact.h"
#include "heddle/expr/proof.h"

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

Result<std::vector<Array>> made_arguments(const Kernel& kernel, const Sizes& sizes) {
  std::vector<Array> arguments;
  std::mt19937_64 random(kernel.parameters.size());
  for (const Tensor& parameter : kernel.parameters) {
    HEDDLE_TRY(Array array, zeros(parameter, sizes));
    if (parameter.space == Space::kValue) array.elements.assign(1, 0);
    for (std::uint64_t& element : array.elements) {
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
