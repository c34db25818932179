#include "support/plain.h"

#include <algorithm>
#include <set>

namespace heddle::test {

Plain plain_leaf(std::int64_t extent, std::int64_t stride) { return {extent, stride, {}}; }

Plain plain_tuple(std::vector<Plain> modes) { return {1, 0, std::move(modes)}; }

std::int64_t size(const Plain& layout) {
  if (layout.is_leaf()) return layout.extent;
  std::int64_t product = 1;
  for (const Plain& mode : layout.modes) product *= size(mode);
  return product;
}

std::int64_t evaluate(const Plain& layout, std::int64_t coordinate) {
  if (layout.is_leaf()) return coordinate * layout.stride;
  std::int64_t index = 0;
  for (std::size_t i = 0; i + 1 < layout.modes.size(); ++i) {
    const std::int64_t extent = size(layout.modes[i]);
    index += evaluate(layout.modes[i], coordinate % extent);
    coordinate /= extent;
  }
  return index + evaluate(layout.modes.back(), coordinate);
}

std::vector<std::int64_t> table(const Plain& layout) {
  std::vector<std::int64_t> values;
  const std::int64_t n = size(layout);
  for (std::int64_t c = 0; c < n; ++c) values.push_back(evaluate(layout, c));
  return values;
}

std::vector<Plain> leaves(const Plain& layout) {
  if (layout.is_leaf()) return {layout};
  std::vector<Plain> all;
  for (const Plain& mode : layout.modes) {
    for (Plain& leaf : leaves(mode)) all.push_back(std::move(leaf));
  }
  return all;
}

std::int64_t cosize(const Plain& layout) {
  const std::vector<std::int64_t> values = table(layout);
  return 1 + *std::max_element(values.begin(), values.end());
}

bool has_negative_stride(const Plain& layout) {
  const std::vector<Plain> all = leaves(layout);
  return std::any_of(all.begin(), all.end(), [](const Plain& leaf) { return leaf.stride < 0; });
}

bool is_injective(const Plain& layout) {
  const std::vector<std::int64_t> values = table(layout);
  return std::set<std::int64_t>(values.begin(), values.end()).size() == values.size();
}

namespace {

std::string numbers(const Plain& layout, bool strides) {
  if (layout.is_leaf()) return std::to_string(strides ? layout.stride : layout.extent);
  std::string text = "(";
  for (std::size_t i = 0; i < layout.modes.size(); ++i) {
    if (i > 0) text += ',';
    text += numbers(layout.modes[i], strides);
  }
  return text + ')';
}

Plain from_tuples(IntTupleView shape, TupleView<cute::Stride> stride) {
  if (shape.is_leaf()) return plain_leaf(shape.leaf().value(), stride.leaf().scale().value());
  std::vector<Plain> modes;
  for (std::size_t i = 0; i < shape.rank(); ++i) {
    modes.push_back(from_tuples(shape.mode(i), stride.mode(i)));
  }
  return plain_tuple(std::move(modes));
}

}  // namespace

IntTuple to_shape(const Plain& layout) {
  if (layout.is_leaf()) return IntTuple(Int(layout.extent));
  std::vector<IntTuple> modes;
  for (const Plain& mode : layout.modes) modes.push_back(to_shape(mode));
  return IntTuple::of(modes);
}

cute::StrideTuple to_stride(const Plain& layout) {
  if (layout.is_leaf()) return cute::StrideTuple(cute::Stride(Int(layout.stride)));
  std::vector<cute::StrideTuple> modes;
  for (const Plain& mode : layout.modes) modes.push_back(to_stride(mode));
  return cute::StrideTuple::of(modes);
}

std::string to_string(const Plain& layout) {
  return numbers(layout, false) + ":" + numbers(layout, true);
}

cute::Layout to_layout(const Plain& layout) {
  return cute::Layout::make(to_shape(layout), to_stride(layout)).value();
}

Plain to_plain(const cute::Layout& layout) {
  const IntTuple shape = layout.shape();
  const cute::StrideTuple stride = layout.stride();
  return from_tuples(shape, stride);
}

std::vector<std::vector<std::int64_t>> ordered_factorizations(std::int64_t n) {
  if (n == 1) return {{}};
  std::vector<std::vector<std::int64_t>> all;
  for (std::int64_t first = 2; first <= n; ++first) {
    if (n % first != 0) continue;
    for (std::vector<std::int64_t>& rest : ordered_factorizations(n / first)) {
      rest.insert(rest.begin(), first);
      all.push_back(std::move(rest));
    }
  }
  return all;
}

std::vector<std::vector<Plain>> layouts_with(const std::vector<std::int64_t>& values) {
  std::vector<std::vector<Plain>> found;
  for (const auto& factors : ordered_factorizations(static_cast<std::int64_t>(values.size()))) {
    std::vector<Plain> modes;
    std::int64_t level = 1;
    for (const std::int64_t factor : factors) {
      modes.push_back(plain_leaf(factor, values[static_cast<std::size_t>(level)]));
      level *= factor;
    }
    const Plain candidate = modes.empty() ? plain_leaf(1, 0) : plain_tuple(modes);
    if (table(candidate) == values) found.push_back(std::move(modes));
  }
  return found;
}

}  // namespace heddle::test
