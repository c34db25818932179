// Chains of any sizes, permutations and formulas are refused or made; those that are made lead back
// from where apply() leads.

#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "heddle/expr/condition.h"
#include "heddle/lego/layout.h"

namespace {

using namespace heddle;
using lego::Layout;
using lego::Permutation;
using lego::Sizes;

/// The input as choices; 0 where it is used up.
class Bytes {
 public:
  Bytes(const std::uint8_t* data, std::size_t size) : data_(data), size_(size) {}

  std::size_t below(std::size_t count) { return next() % count; }
  std::uint8_t next() { return at_ < size_ ? data_[at_++] : 0; }

 private:
  const std::uint8_t* data_;
  std::size_t size_;
  std::size_t at_ = 0;
};

Int any_size(Bytes& bytes) {
  const std::uint8_t choice = bytes.next();
  if (choice < 240) return std::vector<int>{1, 2, 3, 4, 2, 6, 1, 0}[choice / 30];
  const Int m = Int::variable("M", 1, Range::kNoHigh);
  const Int n = Int::variable("N", 1, 64);
  switch (choice % 6) {
    case 0:
      return m;
    case 1:
      return n;
    case 2:
      return floor_div(m, n);
    case 3:
      return min(m, n);
    case 4:
      return max(floor_div(m, 4), 1);
    default:
      return std::int64_t{1} << (bytes.next() % 63);
  }
}

Sizes any_sizes(Bytes& bytes) {
  Sizes sizes;
  for (std::size_t count = (bytes.below(64) + 16) / 20; count > 0; --count) {
    sizes.push_back(any_size(bytes));
  }
  return sizes;
}

Int any_expression(Bytes& bytes, const std::vector<std::string>& names, int depth) {
  if (depth == 0 || bytes.below(4) == 0) {
    if (names.empty() || bytes.below(3) == 0) return bytes.below(12);
    return Int::variable(names[bytes.below(names.size())]);
  }
  const std::size_t operation = bytes.below(9);
  const Int a = any_expression(bytes, names, depth - 1);
  const Int b = any_expression(bytes, names, depth - 1);
  switch (operation) {
    case 0:
      return a - b;
    case 1:
      return a * b;
    case 2:
      return floor_div(a, b);
    case 3:
      return mod(a, b);
    case 4:
      return bit_xor(a, b);
    case 5:
      return isqrt(a);
    case 6:
      return select({a, Predicate::kLess, b}, b, a + 1);
    default:
      return a + b;
  }
}

lego::Formula any_formula(Bytes& bytes, std::size_t parameters, std::size_t results) {
  lego::Formula formula;
  for (std::size_t i = 0; i < parameters; ++i)
    formula.parameters.push_back("i" + std::to_string(i));
  for (std::size_t i = 0; i < results; ++i) {
    formula.results.push_back(any_expression(bytes, formula.parameters, 4));
  }
  return formula;
}

template <class T>
Result<Permutation> as_permutation(Result<T> permutation) {
  if (!permutation) return refuse(std::move(permutation).error());
  return Permutation(*std::move(permutation));
}

Result<Permutation> any_permutation(Bytes& bytes) {
  Sizes dims = any_sizes(bytes);
  const std::size_t rank = dims.size();
  switch (bytes.below(6)) {
    case 0:
      return as_permutation(lego::RegP::row(std::move(dims)));
    case 1:
      return as_permutation(lego::RegP::col(std::move(dims)));
    case 2: {
      std::vector<std::int64_t> sigma;
      for (std::size_t i = 0; i < rank; ++i) {
        sigma.push_back(static_cast<std::int64_t>(bytes.below(rank + 1)));
      }
      return as_permutation(lego::RegP::make(std::move(dims), std::move(sigma)));
    }
    case 3: {
      const std::vector<std::string> names = lego::built_in_names();
      const std::string& name = names[bytes.below(names.size())];
      return as_permutation(
          lego::GenP::make(std::move(dims), lego::BuiltIn{name, any_sizes(bytes)}));
    }
    case 4:
      return as_permutation(lego::GenP::make(std::move(dims), any_formula(bytes, rank, 1)));
    default: {
      lego::Formula function = any_formula(bytes, rank, 1);
      return as_permutation(
          lego::GenP::make(std::move(dims), std::move(function), any_formula(bytes, 1, rank)));
    }
  }
}

/// One permutation more, so that the link has as many points as the layout, where that is possible.
Result<void> complete(std::vector<Permutation>& permutations, const Layout& layout) {
  Int size = 1;
  for (const Permutation& permutation : permutations)
    size *= lego::product(lego::dims(permutation));
  if (!size.is_defined() || !known_divides(size, layout.size())) return {};
  HEDDLE_TRY(Permutation rest, as_permutation(lego::RegP::row({floor_div(layout.size(), size)})));
  permutations.push_back(std::move(rest));
  return {};
}

Result<Layout> any_chain(Bytes& bytes) {
  std::vector<Sizes> tiles;
  for (std::size_t count = bytes.below(4); count > 0; --count) tiles.push_back(any_sizes(bytes));
  HEDDLE_TRY(Layout layout, bytes.below(2) == 0 ? Layout::group_by(tiles) : Layout::tile_by(tiles));
  for (std::size_t links = bytes.below(4); links > 0; --links) {
    std::vector<Permutation> permutations;
    for (std::size_t count = bytes.below(4); count > 0; --count) {
      HEDDLE_TRY(Permutation permutation, any_permutation(bytes));
      permutations.push_back(std::move(permutation));
    }
    if (bytes.below(8) > 0) HEDDLE_CHECK(complete(permutations, layout));
    HEDDLE_TRY(layout, bytes.below(2) == 0 ? layout.order_by(std::move(permutations))
                                           : layout.tile_order_by(std::move(permutations)));
  }
  if (bytes.below(4) == 0) return Layout::expand_by(any_sizes(bytes), any_sizes(bytes), layout);
  return layout;
}

/// Every position of a bijective layout leads to a point that leads back.
void check(const Layout& layout) {
  constexpr std::int64_t kMaxPoints = 256;
  const Int size = layout.physical_size();
  if (!size.is_constant() || size.value() > kMaxPoints || layout.is_injective_only()) return;
  if (lego::evidence(layout) == lego::Evidence::kAssumed) return;
  for (std::int64_t position = 0; position < size.value(); ++position) {
    const Result<std::vector<Int>> point = layout.inv(position);
    if (!point) return;
    const Result<Int> back = layout.apply(*point);
    if (!back || *back != Int(position)) std::abort();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Bytes bytes(data, size);
  const Result<Layout> layout = any_chain(bytes);
  if (!layout) {
    if (layout.error().to_string().empty()) std::abort();
    return 0;
  }
  if (to_string(*layout).empty()) std::abort();
  check(*layout);
  return 0;
}
