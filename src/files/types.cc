// The types of elements, by their names in NumPy and in safetensors.

#include <algorithm>
#include <charconv>

#include "files/formats.h"
#include "heddle/core/exact.h"
#include "heddle/form/element_type.h"
#include "notation/language/python_literal.h"

namespace heddle::files {
namespace {

Tensor tensor_of(const form::ElementType& type) {
  Tensor tensor;
  tensor.type = type.numpy;
  tensor.safetensors_type = type.safetensors;
  tensor.element_bits = type.bits;
  return tensor;
}

using notation::PythonLiteral;

/// The bits of a structure by the list of its fields, without gaps between them: `(NAME, TYPE)`
/// or `(NAME, TYPE, SHAPE)`, where the type is a list of fields or one word.
exact::Value bits_of_fields(const PythonLiteral& fields);

exact::Value bits_of_field(const PythonLiteral& field) {
  using Kind = PythonLiteral::Kind;
  const std::size_t parts = field.items.size();
  if (!field.is(Kind::kTuple) || (parts != 2 && parts != 3)) return std::nullopt;
  exact::Value bits;
  if (field.items[1].is(Kind::kList)) {
    bits = bits_of_fields(field.items[1]);
  } else if (field.items[1].is(Kind::kString)) {
    if (const auto tensor = tensor_of_npy_type(field.items[1].text)) bits = tensor->element_bits;
  }
  if (parts == 2) return bits;
  const PythonLiteral& shape = field.items[2];
  if (!shape.is(Kind::kTuple)) return std::nullopt;
  for (const PythonLiteral& extent : shape.items) {
    if (!bits || !extent.is(Kind::kInteger) || extent.number < 0) return std::nullopt;
    bits = exact::multiply(*bits, extent.number);
  }
  return bits;
}

exact::Value bits_of_fields(const PythonLiteral& fields) {
  exact::Value bits = 0;
  for (const PythonLiteral& field : fields.items) {
    const exact::Value more = bits_of_field(field);
    bits = bits && more ? exact::add(*bits, *more) : std::nullopt;
  }
  return bits;
}

/// Elements of this width, of which safetensors has no type.
Tensor unnamed_tensor(std::string_view type, std::int64_t bits) {
  Tensor tensor;
  tensor.type = type;
  tensor.safetensors_type.clear();
  tensor.element_bits = bits;
  return tensor;
}

std::optional<Tensor> tensor_of_structure(std::string_view type) {
  const Result<PythonLiteral> fields = notation::parse_python_literal(type);
  if (!fields || !fields->is(PythonLiteral::Kind::kList)) return std::nullopt;
  const exact::Value bits = bits_of_fields(*fields);
  if (!bits || *bits < 1) return std::nullopt;
  return unnamed_tensor(type, *bits);
}

}  // namespace

std::optional<Tensor> tensor_of_npy_type(std::string_view type) {
  if (type.empty()) return std::nullopt;
  if (type.front() == '[') return tensor_of_structure(type);
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
  return unnamed_tensor(type, 8 * width * (rest.front() == 'U' ? 4 : 1));
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
