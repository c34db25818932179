#include "heddle/kernel/array.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "heddle/core/exact.h"
#include "heddle/form/index_map.h"
#include "heddle/map/any_layout.h"
#include "heddle/map/instantiate.h"

namespace heddle::kernel {

namespace {

std::size_t width_of(DType type) { return static_cast<std::size_t>(bits(type) / 8); }

}  // namespace

std::int64_t size(const Array& array) {
  std::int64_t product = 1;
  for (const std::int64_t extent : array.shape) {
    product = exact::multiply(product, extent).value_or(0);
  }
  return product;
}

Array array_of(DType type, std::vector<std::int64_t> shape, std::span<const std::byte> bytes) {
  Array array{type, std::move(shape), {}};
  const std::size_t width = width_of(type);
  array.elements.resize(bytes.size() / width);
  for (std::size_t i = 0; i != array.elements.size(); ++i) {
    std::memcpy(&array.elements[i], bytes.data() + i * width, width);
  }
  return array;
}

std::vector<std::byte> bytes_of(const Array& array) {
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
      return refuse("kernel.layout", fmt::format("the layout of {} puts element {} at no place in "
                                                 "memory",
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
