#pragma once

// Kernels, views and arrays in few words, for tests.

#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "heddle/expr/index_variable.h"
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

inline Subscript at(Int index) { return {Subscript::Kind::kIndex, std::move(index), 1}; }
inline Subscript range_of(Int begin, Int extent) {
  return {Subscript::Kind::kRange, std::move(begin), std::move(extent)};
}
inline Subscript whole() { return {}; }
inline Subscript new_dimension() { return {Subscript::Kind::kNew, 0, 1}; }

inline View whole_of(std::string tensor) { return {std::move(tensor), {}}; }
inline View slice(std::string tensor, std::vector<Subscript> subscripts) {
  return {std::move(tensor), {kernel::Sliced{std::move(subscripts)}}};
}

inline Elementwise value_of(View view) { return {std::move(view), {}}; }
inline Elementwise value_of(const char* tensor) { return value_of(whole_of(tensor)); }
inline Elementwise literal(double value) { return {Elementwise::Literal{Number(value)}, {}}; }
inline Elementwise literal(int value) {
  return {Elementwise::Literal{Number(std::int64_t{value})}, {}};
}
inline Elementwise index_value(Int value) { return {Elementwise::Index{std::move(value)}, {}}; }
inline Elementwise call(Function function, std::vector<Elementwise> operands) {
  return {Elementwise::Apply{function}, std::move(operands)};
}
inline Elementwise converted_to(DType type, Elementwise operand) {
  return {Elementwise::Convert{type}, {std::move(operand)}};
}

template <class Node>
Statement statement(Node node) {
  return {std::move(node), {}};
}
inline Statement assign(View to, Elementwise value) {
  return statement(kernel::Assign{std::move(to), std::move(value)});
}
inline Statement operation(std::string name, std::vector<Elementwise> operands,
                           std::map<std::string, kernel::OptionValue> options = {}) {
  return statement(kernel::Call{std::move(name), std::move(operands), std::move(options), {}});
}
inline Statement declare(Tensor tensor) {
  return statement(kernel::Declaration{std::move(tensor)});
}
inline Statement shared(std::string name, DType type, std::vector<Int> shape) {
  return declare({std::move(name), type, std::move(shape), kernel::Space::kShared, {}});
}
inline Statement registers(std::string name, DType type, std::vector<Int> shape) {
  return declare({std::move(name), type, std::move(shape), kernel::Space::kRegister, {}});
}
inline Statement each(kernel::Scope::Kind kind, kernel::Block body) {
  return statement(kernel::Scope{kind, {}, std::move(body), {}});
}
inline Statement each_thread(kernel::Block body) {
  return each(kernel::Scope::Kind::kThread, std::move(body));
}
inline Statement loop(std::string counter, Int extent, kernel::Block body) {
  return statement(kernel::For{std::move(counter), std::move(extent), std::move(body)});
}

inline Tensor parameter(std::string name, DType type, std::vector<Int> shape) {
  return {std::move(name), type, std::move(shape), kernel::Space::kGlobal, {}};
}

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
