#include "heddle/kernel/array.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "heddle/core/exact.h"
#include "heddle/form/index_map.h"
#include "heddle/map/any_layout.h"
#include "heddle/map/instantiate.h"

namespace heddle::kernel {

namespace {

std::size_t width_of(DType type) { return static_cast<std::size_t>(bits(type) / 8); }

/// Two elements of 4 bits from each byte, the first in the low bits.
std::vector<std::uint64_t> halves_of(std::span<const std::byte> bytes) {
  std::vector<std::uint64_t> halves;
  for (const std::byte byte : bytes) {
    halves.push_back(std::to_integer<std::uint64_t>(byte) & 15);
    halves.push_back(std::to_integer<std::uint64_t>(byte) >> 4);
  }
  return halves;
}

std::vector<std::byte> packed(std::span<const std::uint64_t> halves) {
  std::vector<std::byte> bytes((halves.size() + 1) / 2);
  for (std::size_t i = 0; i != halves.size(); ++i) {
    bytes[i / 2] |= static_cast<std::byte>((halves[i] & 15) << (i % 2 * 4));
  }
  return bytes;
}

/// The binary digits of the greatest number of an integer type.
int digits_of(DType type) {
  return type == DType::kBool ? 1 : static_cast<int>(bits(type)) - (is_signed(type) ? 1 : 0);
}

bool has_integer(DType type, const Number& number) {
  const int digits = digits_of(type);
  if (number.is_real) {
    return number.real == std::floor(number.real) && number.real < std::ldexp(1.0, digits) &&
           number.real >= (is_signed(type) ? -std::ldexp(1.0, digits) : 0.0);
  }
  if (number.integer < 0 && !is_signed(type)) return false;
  const std::int64_t magnitude = number.integer < 0 ? ~number.integer : number.integer;
  return digits > 62 || magnitude >> digits == 0;
}

}  // namespace

std::int64_t size(const Array& array) {
  std::int64_t product = 1;
  for (const std::int64_t extent : array.shape) {
    product = exact::multiply(product, extent).value_or(0);
  }
  return product;
}

Refusal refuse_number(const Tensor& parameter, std::string_view number) {
  const DType type = parameter.type;
  std::string range;
  if (!is_float(type)) {
    const std::uint64_t greatest = ~std::uint64_t{0} >> (64 - digits_of(type));
    const std::int64_t least = is_signed(type) ? -static_cast<std::int64_t>(greatest) - 1 : 0;
    range = fmt::format(", from {} to {}", least, greatest);
  }
  return refuse("kernel.argument", fmt::format("{} is not a number of type {}{}, which is needed "
                                               "for {}",
                                               number, name_of(type), range, parameter.name));
}

Result<Array> array_of(const Tensor& parameter, const Number& number) {
  const DType type = parameter.type;
  const std::uint64_t element = encode(type, number);
  if (is_float(type)) {
    const double given = number.is_real ? number.real : static_cast<double>(number.integer);
    if (std::isfinite(given) && !std::isfinite(decode(type, element).real)) {
      return refuse_number(parameter, fmt::format("{}", given));
    }
  } else if (!has_integer(type, number)) {
    return number.is_real ? refuse_number(parameter, fmt::format("{}", number.real))
                          : refuse_number(parameter, fmt::format("{}", number.integer));
  }
  return Array{type, {}, {element}};
}

Array array_of(DType type, std::vector<std::int64_t> shape, std::span<const std::byte> bytes) {
  Array array{type, std::move(shape), {}};
  if (bits(type) < 8) {
    array.elements = halves_of(bytes);
    const auto count = static_cast<std::uint64_t>(size(array));
    if (count + 1 == array.elements.size()) array.elements.pop_back();
    return array;
  }
  const std::size_t width = width_of(type);
  array.elements.resize(bytes.size() / width);
  for (std::size_t i = 0; i != array.elements.size(); ++i) {
    std::memcpy(&array.elements[i], bytes.data() + i * width, width);
  }
  return array;
}

std::vector<std::byte> bytes_of(const Array& array) {
  if (bits(array.type) < 8) return packed(array.elements);
  const std::size_t width = width_of(array.type);
  std::vector<std::byte> bytes(array.elements.size() * width);
  for (std::size_t i = 0; i != array.elements.size(); ++i) {
    std::memcpy(bytes.data() + i * width, &array.elements[i], width);
  }
  return bytes;
}

Result<Places> places_of(const Tensor& parameter, const Array& array, const Sizes& sizes) {
  Places places;
  places.elements = static_cast<std::int64_t>(array.elements.size());
  if (!parameter.layout) {
    for (std::int64_t i = 0; i != places.elements; ++i) places.of_element.push_back(i);
    return places;
  }
  Bindings values;
  for (const auto& [name, size] : sizes) values[name] = size;
  std::vector<Int> shape(array.shape.begin(), array.shape.end());
  HEDDLE_TRY(const map::AnyLayout layout, map::instantiate(*parameter.layout, values));
  HEDDLE_TRY(map::View view, map::view(layout));
  HEDDLE_TRY(view, map::reshaped(view, shape));
  const std::int64_t count = places.elements;
  for (std::int64_t i = 0; i != count; ++i) {
    const std::vector<Int> place = view.evaluate(form::unflatten(shape, i), 0);
    if (place.size() != 1 || !place.front().is_constant() || place.front().value() < 0) {
      return refuse("kernel.layout",
                    fmt::format("the layout of {} gives element {} no place in memory",
                                to_string(parameter), i));
    }
    places.of_element.push_back(place.front().value());
    places.elements = std::max(places.elements, place.front().value() + 1);
  }
  return places;
}

Array spread_out(const Array& array, const Places& places) {
  Array memory{array.type, {places.elements}, {}};
  memory.elements.resize(static_cast<std::size_t>(places.elements));
  for (std::size_t i = 0; i != array.elements.size(); ++i) {
    memory.elements[static_cast<std::size_t>(places.of_element[i])] = array.elements[i];
  }
  return memory;
}

Array gathered(Array array, const Places& places, const Array& memory) {
  for (std::size_t i = 0; i != array.elements.size(); ++i) {
    array.elements[i] = memory.elements[static_cast<std::size_t>(places.of_element[i])];
  }
  return array;
}

}  // namespace heddle::kernel
