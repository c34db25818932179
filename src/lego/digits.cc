#include "lego/digits.h"

#include <algorithm>
#include <cstddef>
#include <random>
#include <utility>

namespace heddle::lego {
namespace {

bool is_unit(const Int& size) { return size.is_constant() && size.value() == 1; }

/// The places of the sizes that are not 1.
std::vector<std::size_t> wide_places(std::span<const Int> sizes) {
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    if (!is_unit(sizes[i])) places.push_back(i);
  }
  return places;
}

Sizes at_places(std::span<const Int> items, std::span<const std::size_t> places) {
  Sizes result;
  result.reserve(places.size());
  for (const std::size_t place : places) result.push_back(items[place]);
  return result;
}

/// The products of the sizes from each place to the end.
Sizes suffix_products(std::span<const Int> sizes) {
  Sizes products(sizes.size() + 1, 1);
  for (std::size_t i = sizes.size(); i-- > 0;) products[i] = sizes[i] * products[i + 1];
  return products;
}

/// Rewrites digits from the right, one stretch at a time.
class Reshaper {
 public:
  Reshaper(std::span<const Int> values, std::span<const Int> from, std::span<const Int> to)
      : values_(values),
        from_(from),
        to_(to),
        from_products_(suffix_products(from)),
        to_products_(suffix_products(to)),
        result_(to.size()) {}

  [[nodiscard]] std::vector<Int> result() && {
    std::size_t from_end = from_.size();
    std::size_t to_end = to_.size();
    while (to_end > 0) {
      const auto [from_begin, to_begin] = stretch_before(from_end, to_end);
      rewrite(from_begin, from_end, to_begin, to_end);
      from_end = from_begin;
      to_end = to_begin;
    }
    return std::move(result_);
  }

 private:
  /// The shortest stretch that ends here and has the same number of points on both sides.
  [[nodiscard]] std::pair<std::size_t, std::size_t> stretch_before(std::size_t from_end,
                                                                   std::size_t to_end) const {
    for (std::size_t to = to_end; to-- > 1;) {
      for (std::size_t from = from_end; from-- > 1;) {
        if (from_products_[from] == to_products_[to]) return {from, to};
      }
    }
    return {0, 0};
  }

  void rewrite(std::size_t from_begin, std::size_t from_end, std::size_t to_begin,
               std::size_t to_end) {
    const std::size_t count = from_end - from_begin;
    const Int flat = flatten(from_.subspan(from_begin, count), values_.subspan(from_begin, count));
    const std::vector<Int> digits = unflatten(to_.subspan(to_begin, to_end - to_begin), flat);
    for (std::size_t i = 0; i < digits.size(); ++i) result_[to_begin + i] = digits[i];
  }

  std::span<const Int> values_;
  std::span<const Int> from_;
  std::span<const Int> to_;
  Sizes from_products_;
  Sizes to_products_;
  std::vector<Int> result_;
};

}  // namespace

Sizes sizes_of(std::span<const Permutation> permutations) {
  Sizes sizes;
  for (const Permutation& permutation : permutations) {
    const std::span<const Int> tile = dims(permutation);
    sizes.insert(sizes.end(), tile.begin(), tile.end());
  }
  return sizes;
}

std::vector<std::int64_t> sampled_indices(std::int64_t size, std::int64_t ends,
                                          std::int64_t anywhere) {
  std::vector<std::int64_t> indices;
  for (std::int64_t i = 0; i < ends; ++i) indices.insert(indices.end(), {i, size - 1 - i});
  for (std::int64_t power = ends; power < size - 1 && power > 0; power *= 2) {
    indices.insert(indices.end(), {power - 1, power, power + 1});
  }
  std::mt19937_64 random(0);
  for (std::int64_t i = 0; i < anywhere; ++i) {
    indices.push_back(static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(size)));
  }
  return indices;
}

Digits reshape(Digits digits, std::span<const Int> sizes) {
  if (std::ranges::equal(digits.sizes, sizes)) return digits;
  const std::vector<std::size_t> from = wide_places(digits.sizes);
  const std::vector<std::size_t> to = wide_places(sizes);
  const Sizes from_sizes = at_places(digits.sizes, from);
  const Sizes to_sizes = at_places(sizes, to);
  const std::vector<Int> from_values = at_places(digits.values, from);
  const std::vector<Int> wide = Reshaper(from_values, from_sizes, to_sizes).result();
  Digits result = {std::vector<Int>(sizes.size(), 0), Sizes(sizes.begin(), sizes.end())};
  for (std::size_t i = 0; i < to.size(); ++i) result.values[to[i]] = wide[i];
  return result;
}

}  // namespace heddle::lego
