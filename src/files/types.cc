// The types of elements, by their names in NumPy and in safetensors.

#include <algorithm>
#include <charconv>

#include "files/formats.h"
#include "heddle/core/exact.h"
#include "heddle/form/element_type.h"

namespace heddle::files {
namespace {

Tensor tensor_of(const form::ElementType& type) {
  Tensor tensor;
  tensor.type = type.numpy;
  tensor.safetensors_type = type.safetensors;
  tensor.element_bits = type.bits;
  return tensor;
}

}  // namespace

std::optional<Tensor> tensor_of_npy_type(std::string_view type) {
  if (type.empty()) return std::nullopt;
  std::string_view rest = type;
  if (std::string_view("<>|=").find(rest.front()) != std::string_view::npos) rest.remove_prefix(1);
  if (rest == "?") return tensor_of_npy_type("|b1");
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
  if (const auto* known = form::element_type_of_numpy(type, 8 * width)) return tensor_of(*known);
  Tensor tensor;
  tensor.type = type;
  tensor.safetensors_type.clear();
  tensor.element_bits = 8 * width * (rest.front() == 'U' ? 4 : 1);
  return tensor;
}

std::optional<Tensor> tensor_of_safetensors_type(std::string_view type) {
  const form::ElementType* known = form::element_type_of_safetensors(type);
  return known == nullptr ? std::nullopt : std::optional(tensor_of(*known));
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
