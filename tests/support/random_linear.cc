#include "support/random_linear.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <numeric>

namespace heddle::test {
namespace {

using linear::Bases;
using linear::LinearLayout;
using linear::NamedSizes;
using linear::Names;

int bits_of(const NamedSizes& dims) {
  int bits = 0;
  for (const auto& [name, size] : dims) bits += std::countr_zero(static_cast<std::uint64_t>(size));
  return bits;
}

std::vector<std::uint64_t> unit_columns(int count) {
  std::vector<std::uint64_t> columns;
  for (int bit = 0; bit < count; ++bit) columns.push_back(std::uint64_t{1} << bit);
  return columns;
}

std::uint64_t random_word(Random& random, int bits) {
  std::uint64_t word = 0;
  for (int bit = 0; bit < bits; ++bit) word |= std::uint64_t{random.chance(50)} << bit;
  return word;
}

/// Adds columns to one another, which keeps their span.
void mix(Random& random, std::vector<std::uint64_t>& columns) {
  if (columns.size() < 2) return;
  const auto last = static_cast<std::int64_t>(columns.size()) - 1;
  for (std::int64_t n = random.between(1, 3 * last); n > 0; --n) {
    const auto i = static_cast<std::size_t>(random.between(0, last));
    const auto j = static_cast<std::size_t>(random.between(0, last));
    if (i != j) columns[i] ^= columns[j];
  }
}

std::vector<std::uint64_t> arbitrary_columns(Random& random, int ins, int outs) {
  std::vector<std::uint64_t> columns;
  for (int bit = 0; bit < ins; ++bit) columns.push_back(random_word(random, outs));
  return columns;
}

/// Single bits in some order, zeros where there are not enough.
std::vector<std::uint64_t> single_bits(Random& random, int ins, int outs) {
  std::vector<std::uint64_t> columns = unit_columns(outs);
  if (random.chance(50)) random.shuffle(columns);
  columns.resize(static_cast<std::size_t>(std::max(ins, outs)));
  if (random.chance(50)) random.shuffle(columns);
  columns.resize(static_cast<std::size_t>(ins));
  return columns;
}

void spoil(Random& random, std::vector<std::uint64_t>& columns) {
  for (std::uint64_t& column : columns) {
    if (random.chance(15)) column = 0;
    if (random.chance(15)) column = random.one_of(columns);
  }
}

}  // namespace

NamedSizes random_dims(Random& random, const Names& names, int bits) {
  NamedSizes dims;
  for (const std::string& name : names) dims.emplace_back(name, 1);
  if (dims.empty()) return dims;
  for (; bits > 0; --bits) {
    dims[static_cast<std::size_t>(random.between(0, static_cast<std::int64_t>(dims.size()) - 1))]
        .second *= 2;
  }
  return dims;
}

LinearLayout linear_from_columns(const NamedSizes& ins, const NamedSizes& outs,
                                 const std::vector<std::uint64_t>& columns) {
  Bases bases;
  std::size_t next = 0;
  for (const auto& [name, size] : ins) {
    auto& in = bases.emplace_back(linear::InBases{name, {}});
    for (std::int64_t n = 1; n < size; n *= 2) {
      std::uint64_t rest = columns.at(next++);
      auto& vector = in.vectors.emplace_back();
      for (const auto& [out, out_size] : outs) {
        const auto modulus = static_cast<std::uint64_t>(out_size);
        vector.push_back(static_cast<std::int64_t>(rest % modulus));
        rest /= modulus;
      }
    }
  }
  return LinearLayout::make(bases, outs).value();
}

LinearLayout any_linear(Random& random, const NamedSizes& ins, const NamedSizes& outs) {
  const int in_bits = bits_of(ins);
  const int out_bits = bits_of(outs);
  std::vector<std::uint64_t> columns = random.chance(40)
                                           ? arbitrary_columns(random, in_bits, out_bits)
                                           : single_bits(random, in_bits, out_bits);
  if (random.chance(30)) mix(random, columns);
  if (random.chance(30)) spoil(random, columns);
  return linear_from_columns(ins, outs, columns);
}

LinearLayout any_linear(Random& random, int max_bits) {
  const auto bits = [&] { return static_cast<int>(random.between(0, max_bits)); };
  const NamedSizes ins = random_dims(random, {"register", "lane", "warp"}, bits());
  const NamedSizes outs = random_dims(random, {"dim0", "dim1"}, bits());
  return any_linear(random, ins, outs);
}

LinearLayout invertible_linear(Random& random, const NamedSizes& ins, const NamedSizes& outs) {
  std::vector<std::uint64_t> columns = single_bits(random, bits_of(ins), bits_of(outs));
  if (random.chance(60)) mix(random, columns);
  return linear_from_columns(ins, outs, columns);
}

LinearLayout surjective_linear(Random& random, const NamedSizes& ins, const NamedSizes& outs) {
  const auto in_bits = static_cast<std::size_t>(bits_of(ins));
  std::vector<std::uint64_t> columns = unit_columns(bits_of(outs));
  mix(random, columns);
  while (columns.size() < in_bits) {
    columns.push_back(random.chance(50) ? 0 : random_word(random, bits_of(outs)));
  }
  random.shuffle(columns);
  return linear_from_columns(ins, outs, columns);
}

LinearLayout distributed_linear(Random& random, const NamedSizes& ins, const NamedSizes& outs) {
  return linear_from_columns(ins, outs, single_bits(random, bits_of(ins), bits_of(outs)));
}

std::vector<NamedSizes> points(const NamedSizes& dims) {
  std::vector<NamedSizes> all;
  NamedSizes point = dims;
  for (auto& [name, coordinate] : point) coordinate = 0;
  while (true) {
    all.push_back(point);
    std::size_t i = 0;
    while (i < dims.size() && ++point[i].second == dims[i].second) point[i++].second = 0;
    if (i == dims.size()) return all;
  }
}

NamedSizes plain_apply(const LinearLayout& layout, const NamedSizes& point) {
  NamedSizes image = layout.out_dim_sizes();
  for (auto& [name, coordinate] : image) coordinate = 0;
  for (const linear::InBases& in : layout.bases()) {
    std::int64_t rest = coordinate_of(point, in.name);
    for (const auto& vector : in.vectors) {
      if (rest % 2 == 1) {
        for (std::size_t i = 0; i < image.size(); ++i) image[i].second ^= vector[i];
      }
      rest /= 2;
    }
  }
  return image;
}

std::int64_t coordinate_of(const NamedSizes& point, std::string_view name) {
  const auto found = std::ranges::find(point, name, &linear::NamedSize::first);
  if (found != point.end()) return found->second;
  ADD_FAILURE() << "no coordinate " << name;
  return 0;
}

Finding differs_as_map(const LinearLayout& got, const LinearLayout& wanted) {
  for (const NamedSizes& point : points(wanted.in_dim_sizes())) {
    const NamedSizes image = plain_apply(got, point);
    for (const auto& [name, coordinate] : plain_apply(wanted, point)) {
      if (coordinate_of(image, name) == coordinate) continue;
      return found("got\n", got, "\nwanted\n", wanted);
    }
  }
  return kHolds;
}

}  // namespace heddle::test
