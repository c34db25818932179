#include "programs.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "heddle/expr/proof.h"
#include "heddle/notation/kernel.h"

namespace heddle::kernels {

using kernel::Array;

namespace {

Array array_for(const kernel::Tensor& parameter, const kernel::Sizes& sizes, Random& random) {
  Bindings values;
  for (const auto& [name, size] : sizes) values[name] = size;
  Array array{parameter.type, {}, {}};
  std::int64_t elements = 1;
  for (const Int& extent : parameter.shape) {
    array.shape.push_back(instantiate(extent, values).value().value());
    elements *= array.shape.back();
  }
  for (std::int64_t i = 0; i != elements; ++i) {
    const bool is_float = kernel::is_float(parameter.type);
    const kernel::Number number =
        is_float ? kernel::Number(static_cast<double>(random.from(-64, 64)) / 8)
                 : kernel::Number(i * 7 + 1);
    array.elements.push_back(encode(parameter.type, number));
  }
  return array;
}

double real(const Array& array, std::size_t i) {
  const kernel::Number number = decode(array.type, array.elements[i]);
  return number.is_real ? number.real : static_cast<double>(number.integer);
}

}  // namespace

std::uint64_t seed() {
  const char* given = std::getenv("HEDDLE_SEED");
  return given != nullptr ? std::strtoull(given, nullptr, 10) : 20261126;
}

int case_count() {
  const char* given = std::getenv("HEDDLE_PROPERTY_COUNT");
  // A kernel is compiled, a case of other laws only computed.
  constexpr int kUsual = 2000;
  constexpr int kShare = 10;
  return (given != nullptr ? std::atoi(given) : kUsual) / kShare;
}

std::string text_of_file(const std::string& name) {
  std::ifstream stream(std::string(HEDDLE_KERNELS_FOLDER) + "/programs/" + name + ".heddle");
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

std::vector<kernel::Kernel> kernels_of_file(const std::string& name) {
  const std::string text = text_of_file(name);
  auto kernels = notation::parse_kernels(text);
  if (kernels) return *std::move(kernels);
  ADD_FAILURE() << name << ": " << kernels.error().to_string(text);
  return {};
}

std::vector<Array> data_for(const kernel::Kernel& kernel, const kernel::Sizes& sizes,
                            Random& random) {
  std::vector<Array> arguments;
  for (const kernel::Tensor& parameter : kernel.parameters) {
    arguments.push_back(array_for(parameter, sizes, random));
  }
  return arguments;
}

std::string difference(const Array& found, const Array& wanted, double tolerance) {
  double largest = 1;
  for (std::size_t i = 0; i != wanted.elements.size(); ++i) {
    if (std::isfinite(real(wanted, i))) largest = std::max(largest, std::abs(real(wanted, i)));
  }
  for (std::size_t i = 0; i != wanted.elements.size(); ++i) {
    if (found.elements[i] == wanted.elements[i]) continue;
    const double a = real(found, i);
    const double b = real(wanted, i);
    if (std::isnan(a) && std::isnan(b)) continue;
    if (tolerance > 0 && std::abs(a - b) <= tolerance * largest) continue;
    return "element " + std::to_string(i) + " is " + std::to_string(a) + ", not " +
           std::to_string(b);
  }
  return {};
}

std::string joined(const std::vector<std::string>& parts) {
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "" : ",") + part;
  return text;
}

}  // namespace heddle::kernels
