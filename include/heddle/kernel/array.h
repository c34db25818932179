#pragma once

// The arguments of kernels as logical arrays, and as the bytes that memory has of them.
//
//   Array a = array_of(DType::kF16, {2, 3}, bytes);
//   bytes_of(a)                                      the same bytes
//   places_of(A: f16[2,3] = (2,3):(1,2), a, {})      0 2 4 1 3 5

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "heddle/core/result.h"
#include "heddle/kernel/program.h"

#pragma GCC visibility push(default)
namespace heddle::kernel {

/// A logical array: the bits of each element, row-major.
struct Array {
  DType type = DType::kF32;
  std::vector<std::int64_t> shape;
  std::vector<std::uint64_t> elements;

  friend bool operator==(const Array&, const Array&) = default;
};
[[nodiscard]] std::int64_t size(const Array& array);

/// Numbers for the sizes of a kernel.
using Sizes = std::map<std::string, std::int64_t, std::less<>>;

/// The array whose elements are these bytes, one after the other; what is left at the end is no
/// element. Elements of 4 bits lie two in a byte, the first in the low bits; where the shape has an
/// odd number of them, the last byte has one.
[[nodiscard]] Array array_of(DType type, std::vector<std::int64_t> shape,
                             std::span<const std::byte> bytes);
[[nodiscard]] std::vector<std::byte> bytes_of(const Array& array);
/// The argument that is a number. Refuses `kernel.argument` for an integer outside of the range of
/// the parameter's type, and for a finite number past the type's greatest one.
[[nodiscard]] Result<Array> array_of(const Tensor& parameter, const Number& number);
/// Says that the parameter's type does not have the number.
[[nodiscard]] Refusal refuse_number(const Tensor& parameter, std::string_view number);

/// Where each element of an argument lies in the memory of its parameter, in elements, by the
/// parameter's layout, and how many elements the memory has.
struct Places {
  std::vector<std::int64_t> of_element;
  std::int64_t elements = 0;
};
/// Refuses what the layout refuses, `kernel.layout` for a place outside of memory. Cost: an
/// evaluation of the layout for each element.
[[nodiscard]] Result<Places> places_of(const Tensor& parameter, const Array& array,
                                       const Sizes& sizes);
/// The array of all elements of the memory in which the argument's lie at these places; the others
/// are 0.
[[nodiscard]] Array spread_out(const Array& array, const Places& places);
/// The argument, with the elements that its memory has now.
[[nodiscard]] Array gathered(Array array, const Places& places, const Array& memory);

}  // namespace heddle::kernel
#pragma GCC visibility pop
