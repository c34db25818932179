// The types of elements, by their names in NumPy and in safetensors.

#include <algorithm>
#include <charconv>

#include "files/formats.h"
#include "heddle/core/exact.h"

namespace heddle::files {
namespace {

struct TypeNames {
  std::string_view numpy;
  std::string_view safetensors;
  std::int64_t bits;
};

/// NumPy has no names for the last ones: it keeps them as bytes.
constexpr TypeNames kTypes[] = {
    {"|b1", "BOOL", 8},    {"|u1", "U8", 8},    {"|i1", "I8", 8},      {"<u2", "U16", 16},
    {"<i2", "I16", 16},    {"<f2", "F16", 16},  {"<u4", "U32", 32},    {"<i4", "I32", 32},
    {"<f4", "F32", 32},    {"<u8", "U64", 64},  {"<i8", "I64", 64},    {"<f8", "F64", 64},
    {"<c8", "C64", 64},    {"<V2", "BF16", 16}, {"|V1", "F8_E4M3", 8}, {"|V1", "F8_E5M2", 8},
    {"|V1", "F8_E8M0", 8}, {"|u1", "F4", 4},    {"|u1", "F6_E2M3", 6}, {"|u1", "F6_E3M2", 6},
};

Tensor tensor_of(const TypeNames& type) {
  Tensor tensor;
  tensor.type = type.numpy;
  tensor.safetensors_type = type.safetensors;
  tensor.element_bits = type.bits;
  return tensor;
}

}  // namespace

std::optional<Tensor> tensor_of_npy_type(std::string_view type) {
  const auto* known = std::ranges::find(kTypes, type, &TypeNames::numpy);
  if (known != std::end(kTypes)) return tensor_of(*known);
  if (type.empty()) return std::nullopt;
  std::string_view rest = type;
  if (std::string_view("<>|=").find(rest.front()) != std::string_view::npos) rest.remove_prefix(1);
  if (rest == "?") return tensor_of(kTypes[0]);
  if (rest.size() < 2 ||
      std::string_view("biufcVSUmM").find(rest.front()) == std::string_view::npos) {
    return std::nullopt;
  }
  // `M8[ns]` has a unit behind its width.
  constexpr std::int64_t kMaxWidth = std::int64_t{1} << 17;
  std::int64_t width = 0;
  const auto [end, error] = std::from_chars(rest.data() + 1, rest.data() + rest.size(), width);
  const bool has_unit = end != rest.data() + rest.size();
  if (error != std::errc() || width < 1 || width > kMaxWidth || (has_unit && *end != '[')) {
    return std::nullopt;
  }
  Tensor tensor;
  tensor.type = type;
  tensor.safetensors_type.clear();
  tensor.element_bits = 8 * width * (rest.front() == 'U' ? 4 : 1);
  return tensor;
}

std::optional<Tensor> tensor_of_safetensors_type(std::string_view type) {
  const auto* known = std::ranges::find(kTypes, type, &TypeNames::safetensors);
  if (known == std::end(kTypes)) return std::nullopt;
  return tensor_of(*known);
}

std::optional<std::int64_t> bytes_of(const Tensor& tensor) {
  if (std::ranges::find(tensor.shape, 0) != tensor.shape.end()) return 0;
  exact::Value bits = tensor.element_bits;
  for (const std::int64_t extent : tensor.shape) {
    if (bits) bits = exact::multiply(*bits, extent);
  }
  if (!bits || *bits >= std::int64_t{1} << 62) return std::nullopt;
  return (*bits + 7) / 8;
}

}  // namespace heddle::files
