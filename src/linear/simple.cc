// Identities, strides and zeros.

#include <fmt/format.h>

#include "core/printable.h"
#include "linear/bit_runs.h"

namespace heddle::linear {

Result<LinearLayout> identity_1d(std::int64_t size, std::string_view in_dim,
                                 std::string_view out_dim) {
  return strided_1d(size, 1, in_dim, out_dim);
}

Result<LinearLayout> strided_1d(std::int64_t size, std::int64_t stride, std::string_view in_dim,
                                std::string_view out_dim) {
  HEDDLE_TRY(const int bits, log2_size(in_dim, size));
  HEDDLE_TRY(const int stride_bits, log2_size(out_dim, stride));
  // A layout of one point reaches 0 alone, whatever its stride.
  const int out_bits = bits == 0 ? 0 : bits + stride_bits;
  if (out_bits > kMaxDimBits) {
    return refuse("linear.too_many_bits", fmt::format("{} would have size {} * {}, above 2^{}",
                                                      out_dim, size, stride, kMaxDimBits));
  }
  HEDDLE_CHECK(check_name(in_dim));
  HEDDLE_CHECK(check_name(out_dim));
  std::vector<std::uint64_t> columns;
  for (int bit = 0; bit < bits; ++bit) columns.push_back(std::uint64_t{1} << (bit + stride_bits));
  return assembled({{std::string(in_dim), bits}}, {{std::string(out_dim), out_bits}},
                   {static_cast<std::size_t>(out_bits), std::move(columns)});
}

Result<LinearLayout> zeros_1d(std::int64_t size, std::string_view in_dim, std::string_view out_dim,
                              std::int64_t out_dim_size) {
  HEDDLE_TRY(const int bits, log2_size(in_dim, size));
  HEDDLE_TRY(const int out_bits, log2_size(out_dim, out_dim_size));
  HEDDLE_CHECK(check_name(in_dim));
  HEDDLE_CHECK(check_name(out_dim));
  return assembled(
      {{std::string(in_dim), bits}}, {{std::string(out_dim), out_bits}},
      form::BitMatrix::zeros(static_cast<std::size_t>(out_bits), static_cast<std::size_t>(bits)));
}

Result<LinearLayout> identity_standard_nd(std::string_view in_dim,
                                          std::span<const std::int64_t> shape,
                                          std::span<const int> order) {
  const Names names = standard_out_dim_names(shape.size());
  std::vector<bool> taken(shape.size());
  Result<LinearLayout> product = empty();
  for (const int dim : order) {
    const auto index = static_cast<std::size_t>(dim);
    if (dim < 0 || index >= shape.size() || taken[index]) {
      return refuse("linear.order", fmt::format("order ({}) is no permutation of 0..{}",
                                                fmt::join(order, ", "), shape.size() - 1));
    }
    taken[index] = true;
    product = std::move(product) * identity_1d(shape[index], in_dim, names[index]);
  }
  if (order.size() != shape.size()) {
    return refuse("linear.order", fmt::format("order ({}) has {} entries, the shape {}",
                                              fmt::join(order, ", "), order.size(), shape.size()));
  }
  return product;
}

LinearLayout zeros_like(const LinearLayout& layout) {
  return assembled(
      {layout.in_dims().begin(), layout.in_dims().end()},
      {layout.out_dims().begin(), layout.out_dims().end()},
      form::BitMatrix::zeros(layout.matrix().rows(), layout.matrix().columns().size()));
}

Names standard_out_dim_names(std::size_t rank) {
  Names names;
  for (std::size_t i = 0; i < rank; ++i) names.push_back(fmt::format("dim{}", i));
  return names;
}

NamedSizes standard_out_dim_pairs(std::span<const std::int64_t> shape) {
  NamedSizes pairs;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    pairs.emplace_back(fmt::format("dim{}", i), shape[i]);
  }
  return pairs;
}

}  // namespace heddle::linear
