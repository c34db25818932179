#pragma once

// Arrays in few words, and the words of kernels (heddle/kernel/builder.h), for tests.

#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "heddle/expr/index_variable.h"
#include "heddle/kernel/builder.h"
#include "heddle/kernel/dtype.h"
#include "heddle/kernel/meaning.h"
#include "heddle/kernel/program.h"

namespace heddle::test {

using kernel::Array;
using kernel::DType;
using kernel::Elementwise;
using kernel::Function;
using kernel::Number;
using kernel::Statement;
using kernel::Subscript;
using kernel::Tensor;
using kernel::View;

using namespace kernel::build;  // NOLINT: the words of kernels

inline View whole_of(std::string tensor) { return view(std::move(tensor)); }
inline Elementwise value_of(View of) { return kernel::build::value(std::move(of)); }
inline Elementwise value_of(const char* tensor) { return kernel::build::value(tensor); }

inline Int size_variable(std::string_view name) { return Int::variable(name, 1, 1 << 20); }
inline Int thread_variable() { return Int::variable("tx", 0, 1023); }

/// An array of what `element(i)` gives for its flat indices.
template <class Element>
Array array_of(DType type, std::vector<std::int64_t> shape, Element element) {
  Array array{type, std::move(shape), {}};
  const std::int64_t count = [&] {
    std::int64_t product = 1;
    for (const std::int64_t extent : array.shape) product *= extent;
    return product;
  }();
  for (std::int64_t i = 0; i != count; ++i) {
    array.elements.push_back(encode(type, Number(element(i))));
  }
  return array;
}
inline Array zeros(DType type, std::vector<std::int64_t> shape) {
  return array_of(type, std::move(shape), [](std::int64_t) { return std::int64_t{0}; });
}
inline Array counting(DType type, std::vector<std::int64_t> shape) {
  return array_of(type, std::move(shape), [](std::int64_t i) { return i; });
}

/// The elements as doubles.
inline std::vector<double> doubles(const Array& array) {
  std::vector<double> values;
  for (const std::uint64_t bits : array.elements) {
    const Number number = decode(array.type, bits);
    values.push_back(number.is_real ? number.real : static_cast<double>(number.integer));
  }
  return values;
}

/// One array as the kernel leaves it; the text of the refusal if there is one.
struct Outcome {
  std::vector<Array> arrays;
  std::string refusal;
};
inline Outcome outcome(const kernel::Kernel& kernel, std::vector<Array> arguments,
                       const kernel::RunOptions& options = {}) {
  auto result = kernel::run(kernel, std::move(arguments), options);
  if (!result) return {{}, result.error().to_string()};
  return {*std::move(result), ""};
}

}  // namespace heddle::test
