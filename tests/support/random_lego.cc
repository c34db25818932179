#include "support/random_lego.h"

#include <algorithm>
#include <bit>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "heddle/expr/assumptions.h"

namespace heddle::test {
namespace {

using lego::Layout;
using lego::Permutation;

std::int64_t plain_product(const Numbers& sizes) {
  return std::accumulate(sizes.begin(), sizes.end(), std::int64_t{1}, std::multiplies<>());
}

Numbers selected(const Numbers& items, const Numbers& sigma) {
  Numbers result;
  for (const std::int64_t place : sigma)
    result.push_back(items[static_cast<std::size_t>(place - 1)]);
  return result;
}

Numbers scattered(const Numbers& sigma) {
  Numbers result(sigma.size());
  for (std::size_t i = 0; i < sigma.size(); ++i) {
    result[static_cast<std::size_t>(sigma[i] - 1)] = static_cast<std::int64_t>(i + 1);
  }
  return result;
}

// ---- The named permutations, by lists of points in the order of their numbers ----

std::vector<Numbers> all_points(const Numbers& dims) {
  std::vector<Numbers> points;
  for (std::int64_t flat = 0; flat < plain_product(dims); ++flat) {
    points.push_back(plain_point(dims, flat));
  }
  return points;
}

std::vector<Numbers> antidiagonal_order(std::int64_t n) {
  std::vector<Numbers> points;
  for (std::int64_t sum = 0; sum <= 2 * (n - 1); ++sum) {
    for (std::int64_t i = 0; i < n; ++i) {
      if (sum - i >= 0 && sum - i < n) points.push_back({i, sum - i});
    }
  }
  return points;
}

std::vector<Numbers> grouped_order(std::int64_t rows, std::int64_t columns, std::int64_t group) {
  std::vector<Numbers> points;
  for (std::int64_t first = 0; first < rows; first += group) {
    for (std::int64_t j = 0; j < columns; ++j) {
      for (std::int64_t i = first; i < std::min(rows, first + group); ++i) points.push_back({i, j});
    }
  }
  return points;
}

/// Bits from the lowest up, the last dimension's before the others'.
std::int64_t morton_number(const Numbers& dims, const Numbers& point) {
  std::int64_t number = 0;
  int place = 0;
  for (int bit = 0; bit < 40; ++bit) {
    for (std::size_t k = dims.size(); k-- > 0;) {
      if ((std::int64_t{1} << bit) >= dims[k]) continue;
      number |= ((point[k] >> bit) & 1) << place++;
    }
  }
  return number;
}

std::int64_t swizzled_number(const Numbers& parameters, std::int64_t flat) {
  const std::int64_t shift = parameters[2];
  std::int64_t result = flat;
  for (std::int64_t bit = 0; bit < parameters[0]; ++bit) {
    const std::int64_t from = parameters[1] + bit + std::max<std::int64_t>(0, shift);
    const std::int64_t to = parameters[1] + bit + std::max<std::int64_t>(0, -shift);
    result ^= ((flat >> from) & 1) << to;
  }
  return result;
}

/// The number of each point, in flat order.
Numbers numbers_of(const PlainPermutation& genp) {
  const Numbers& dims = genp.dims;
  const std::int64_t size = plain_product(dims);
  Numbers numbers(static_cast<std::size_t>(size));
  const auto by_order = [&](const std::vector<Numbers>& order) {
    for (std::size_t i = 0; i < order.size(); ++i) {
      numbers[static_cast<std::size_t>(plain_flat(dims, order[i]))] = static_cast<std::int64_t>(i);
    }
  };
  const auto by_number = [&](auto number) {
    for (const Numbers& point : all_points(dims)) {
      numbers[static_cast<std::size_t>(plain_flat(dims, point))] = number(point);
    }
  };
  if (genp.name == "antidiag") by_order(antidiagonal_order(dims[0]));
  if (genp.name == "grouped") by_order(grouped_order(dims[0], dims[1], genp.parameters[0]));
  if (genp.name == "reverse") {
    by_number([&](const Numbers& p) { return size - 1 - plain_flat(dims, p); });
  }
  if (genp.name == "morton") by_number([&](const Numbers& p) { return morton_number(dims, p); });
  if (genp.name == "xor") {
    by_number([&](const Numbers& p) { return p[0] * dims[1] + (p[1] ^ (p[0] % dims[1])); });
  }
  if (genp.name == "swizzle") {
    by_number(
        [&](const Numbers& p) { return swizzled_number(genp.parameters, plain_flat(dims, p)); });
  }
  if (genp.name == "cyclic") {
    by_number([&](const Numbers& p) {
      const std::int64_t turned = p[1] + genp.parameters[0] * p[0];
      return p[0] * dims[1] + ((turned % dims[1]) + dims[1]) % dims[1];
    });
  }
  if (genp.name == "fan") {
    by_number([&](const Numbers& p) { return genp.parameters[0] * plain_flat(dims, p) % size; });
  }
  return numbers;
}

// ---- Figure 4 ----

std::int64_t plain_apply(const PlainPermutation& permutation, const Numbers& point) {
  if (permutation.sigma.empty()) {
    return numbers_of(permutation)[static_cast<std::size_t>(plain_flat(permutation.dims, point))];
  }
  return plain_flat(selected(permutation.dims, permutation.sigma),
                    selected(point, permutation.sigma));
}

Numbers plain_inv(const PlainPermutation& permutation, std::int64_t flat) {
  if (permutation.sigma.empty()) {
    const Numbers numbers = numbers_of(permutation);
    const auto found = std::ranges::find(numbers, flat);
    return plain_point(permutation.dims, found - numbers.begin());
  }
  return selected(plain_point(selected(permutation.dims, permutation.sigma), flat),
                  scattered(permutation.sigma));
}

Numbers plain_dims(const PlainOrder& order) {
  Numbers dims;
  for (const PlainPermutation& permutation : order.permutations) {
    dims.insert(dims.end(), permutation.dims.begin(), permutation.dims.end());
  }
  return dims;
}

std::int64_t plain_apply(const PlainOrder& order, const Numbers& point) {
  std::int64_t flat = 0;
  auto next = point.begin();
  for (const PlainPermutation& permutation : order.permutations) {
    const auto end = next + static_cast<std::ptrdiff_t>(permutation.dims.size());
    flat = flat * plain_product(permutation.dims) + plain_apply(permutation, Numbers(next, end));
    next = end;
  }
  return flat;
}

Numbers plain_inv(const PlainOrder& order, std::int64_t flat) {
  Numbers point;
  for (std::size_t k = order.permutations.size(); k-- > 0;) {
    const PlainPermutation& permutation = order.permutations[k];
    const std::int64_t size = plain_product(permutation.dims);
    const Numbers part = plain_inv(permutation, flat % size);
    point.insert(point.begin(), part.begin(), part.end());
    flat /= size;
  }
  return point;
}

/// sigma(d x q), by its definition: A[k][h] = k + 1 + d*h.
Numbers plain_interleaving(std::int64_t levels, std::int64_t dimensions) {
  Numbers sigma;
  for (std::int64_t k = 0; k < dimensions; ++k) {
    for (std::int64_t h = 0; h < levels; ++h) sigma.push_back(k + 1 + dimensions * h);
  }
  return sigma;
}

/// The chain without sugar.
std::vector<PlainOrder> plain_orders(const PlainLego& layout) {
  std::vector<PlainOrder> orders;
  const auto add_regular = [&](Numbers dims, Numbers sigma) {
    orders.push_back({{PlainPermutation{std::move(dims), std::move(sigma), {}, {}, {}}}, false});
  };
  if (layout.tiled) {
    add_regular(plain_dims(layout),
                plain_interleaving(static_cast<std::int64_t>(layout.tiles.size()),
                                   static_cast<std::int64_t>(layout.tiles[0].size())));
  }
  for (const PlainOrder& order : layout.chain) {
    if (order.tiled) {
      const Numbers sigma =
          plain_interleaving(static_cast<std::int64_t>(order.permutations.size()),
                             static_cast<std::int64_t>(order.permutations[0].dims.size()));
      add_regular(selected(plain_dims(order), sigma), scattered(sigma));
    }
    orders.push_back(order);
  }
  return orders;
}

// ---- Making the library's layout ----

template <class T>
T value_or_throw(Result<T> result) {
  if (!result) throw std::invalid_argument(result.error().to_string());
  return *std::move(result);
}

/// The named permutation as a formula in variables i0, i1, …, with the inverse in x.
lego::Formula formula_of(const lego::GenP& named) {
  lego::Formula formula;
  std::vector<Int> point;
  for (std::size_t k = 0; k < named.dims().size(); ++k) {
    formula.parameters.push_back("i" + std::to_string(k));
    point.push_back(Int::variable(formula.parameters.back()));
  }
  formula.results = {value_or_throw(named.apply(point))};
  return formula;
}

lego::Formula inverse_formula_of(const lego::GenP& named) {
  return {{"x"}, value_or_throw(named.inv(Int::variable("x")))};
}

lego::GenP to_genp(const PlainPermutation& plain) {
  const lego::GenP named = value_or_throw(
      lego::GenP::make(ints(plain.dims), lego::BuiltIn{plain.name, ints(plain.parameters)}));
  if (plain.form == PlainPermutation::Form::kNamed) return named;
  std::optional<lego::Formula> inverse;
  if (plain.form == PlainPermutation::Form::kPair) inverse = inverse_formula_of(named);
  return value_or_throw(lego::GenP::make(ints(plain.dims), formula_of(named), std::move(inverse)));
}

Permutation to_permutation(const PlainPermutation& plain) {
  if (plain.sigma.empty()) return to_genp(plain);
  return value_or_throw(lego::RegP::make(ints(plain.dims), plain.sigma));
}

// ---- Random chains ----

std::vector<std::int64_t> prime_factors(std::int64_t n) {
  Numbers factors;
  for (std::int64_t p = 2; n > 1; ++p) {
    for (; n % p == 0; n /= p) factors.push_back(p);
  }
  return factors;
}

/// `count` factors with product n.
Numbers factored(Random& random, std::int64_t n, std::int64_t count) {
  Numbers sizes(static_cast<std::size_t>(count), 1);
  for (const std::int64_t p : prime_factors(n)) {
    sizes[static_cast<std::size_t>(random.between(0, count - 1))] *= p;
  }
  return sizes;
}

Numbers random_sigma(Random& random, std::size_t count) {
  Numbers sigma(count);
  std::iota(sigma.begin(), sigma.end(), 1);
  random.shuffle(sigma);
  return sigma;
}

bool is_power_of_two(std::int64_t n) { return std::has_single_bit(static_cast<std::uint64_t>(n)); }

/// The names that a tile of these dims can have, with random parameters.
std::vector<std::pair<std::string, Numbers>> possible_names(Random& random, const Numbers& dims) {
  std::vector<std::pair<std::string, Numbers>> names = {{"reverse", {}}};
  const std::int64_t size = plain_product(dims);
  const std::int64_t factor = random.between(1, size);
  if (std::gcd(factor, size) == 1) names.push_back({"fan", {factor}});
  if (std::ranges::all_of(dims, is_power_of_two)) names.push_back({"morton", {}});
  const std::int64_t bits = random.between(0, 2);
  const std::int64_t shift = random.chance(50) ? bits + 1 : -bits;
  if (size % (std::int64_t{1} << (bits + 1 + std::max<std::int64_t>(0, -shift))) == 0) {
    names.push_back({"swizzle", {bits, 1, shift}});
  }
  if (dims.size() != 2) return names;
  names.push_back({"cyclic", {random.between(-3, 5)}});
  names.push_back({"grouped", {random.between(1, 9)}});
  if (is_power_of_two(dims[1])) names.push_back({"xor", {}});
  if (dims[0] == dims[1]) names.insert(names.end(), 3, {"antidiag", {}});
  return names;
}

PlainPermutation random_permutation(Random& random, Numbers dims, const LegoKind& kind) {
  PlainPermutation permutation;
  permutation.dims = std::move(dims);
  if (!kind.general || random.chance(65)) {
    permutation.sigma = random_sigma(random, permutation.dims.size());
    return permutation;
  }
  std::tie(permutation.name, permutation.parameters) =
      random.one_of(possible_names(random, permutation.dims));
  using Form = PlainPermutation::Form;
  permutation.form = random.one_of<Form>({Form::kNamed, Form::kNamed, Form::kPair, Form::kAlone});
  // Bits of variables are no use as formulas where nothing bounds them.
  const bool reads_bits = permutation.name == "morton" || permutation.name == "swizzle";
  if (reads_bits) permutation.form = Form::kNamed;
  return permutation;
}

PlainOrder random_order(Random& random, std::int64_t size, const LegoKind& kind) {
  PlainOrder order;
  order.tiled = random.chance(25);
  const std::int64_t levels = random.between(1, 3);
  const std::int64_t dimensions = random.between(1, 3);
  for (const std::int64_t level : factored(random, size, levels)) {
    const std::int64_t rank = order.tiled ? dimensions : random.between(1, 4);
    order.permutations.push_back(random_permutation(random, factored(random, level, rank), kind));
  }
  return order;
}

void expand(Random& random, PlainLego& layout, std::int64_t size) {
  layout.extended = factored(random, size, random.between(1, 3));
  for (const std::int64_t extent : layout.extended) {
    layout.original.push_back(random.between(1, extent));
  }
}

/// One of several random groupings of the factors into `count` products.
std::vector<Int> grouped_factors(Random& random, std::vector<Int> factors, std::int64_t count) {
  random.shuffle(factors);
  std::vector<Int> sizes(static_cast<std::size_t>(count), 1);
  for (const Int& factor : factors) {
    sizes[static_cast<std::size_t>(random.between(0, count - 1))] *= factor;
  }
  return sizes;
}

Permutation symbolic_permutation(Random& random, std::vector<Int> dims) {
  if (dims.size() == 2 && random.chance(30)) {
    const auto name = random.one_of<std::string>({"grouped", "cyclic"});
    return value_or_throw(lego::GenP::make(dims, lego::BuiltIn{name, {random.between(1, 4)}}));
  }
  if (random.chance(10))
    return value_or_throw(lego::GenP::make(dims, lego::BuiltIn{"reverse", {}}));
  return value_or_throw(lego::RegP::make(dims, random_sigma(random, dims.size())));
}

}  // namespace

std::int64_t plain_flat(const Numbers& sizes, const Numbers& point) {
  std::int64_t flat = 0;
  for (std::size_t i = 0; i < sizes.size(); ++i) flat = flat * sizes[i] + point[i];
  return flat;
}

Numbers plain_point(const Numbers& sizes, std::int64_t flat) {
  Numbers point(sizes.size());
  for (std::size_t i = sizes.size(); i-- > 0;) {
    point[i] = flat % sizes[i];
    flat /= sizes[i];
  }
  return point;
}

Numbers plain_dims(const PlainLego& layout) {
  Numbers dims;
  for (const Numbers& tile : layout.tiles) dims.insert(dims.end(), tile.begin(), tile.end());
  return dims;
}

std::int64_t plain_apply(const PlainLego& layout, const Numbers& point) {
  std::int64_t flat = plain_flat(plain_dims(layout), point);
  for (const PlainOrder& order : plain_orders(layout)) {
    flat = plain_apply(order, plain_point(plain_dims(order), flat));
  }
  if (layout.extended.empty()) return flat;
  const Numbers place = plain_point(layout.extended, flat);
  for (std::size_t i = 0; i < place.size(); ++i) {
    if (place[i] >= layout.original[i]) return -1;
  }
  return plain_flat(layout.original, place);
}

Numbers plain_inv(const PlainLego& layout, std::int64_t position) {
  std::int64_t flat = position;
  if (!layout.extended.empty()) {
    flat = plain_flat(layout.extended, plain_point(layout.original, position));
  }
  const std::vector<PlainOrder> orders = plain_orders(layout);
  for (std::size_t i = orders.size(); i-- > 0;) {
    flat = plain_flat(plain_dims(orders[i]), plain_inv(orders[i], flat));
  }
  return plain_point(plain_dims(layout), flat);
}

Layout to_layout(const PlainLego& layout) {
  std::vector<lego::Sizes> tiles;
  for (const Numbers& tile : layout.tiles) tiles.push_back(ints(tile));
  Layout result = value_or_throw(layout.tiled ? Layout::tile_by(tiles) : Layout::group_by(tiles));
  for (const PlainOrder& order : layout.chain) {
    std::vector<Permutation> permutations;
    for (const PlainPermutation& permutation : order.permutations) {
      permutations.push_back(to_permutation(permutation));
    }
    result = value_or_throw(order.tiled ? result.tile_order_by(std::move(permutations))
                                        : result.order_by(std::move(permutations)));
  }
  if (layout.extended.empty()) return result;
  return value_or_throw(Layout::expand_by(ints(layout.original), ints(layout.extended), result));
}

PlainLego any_lego(Random& random, const LegoKind& kind) {
  static const std::vector<std::int64_t> sizes = {1,  2,  4,  6,  8,  9,   12, 16, 18,
                                                  24, 25, 27, 30, 32, 36,  40, 48, 50,
                                                  54, 60, 64, 72, 96, 108, 144};
  std::int64_t size = random.one_of(sizes);
  while (size > kind.max_size) size = random.one_of(sizes);
  PlainLego layout;
  layout.tiled = random.chance(40);
  const std::int64_t dimensions = random.between(1, 3);
  for (const std::int64_t level : factored(random, size, random.between(1, 3))) {
    layout.tiles.push_back(
        factored(random, level, layout.tiled ? dimensions : random.between(1, 3)));
  }
  for (std::int64_t links = random.between(0, 4); links > 0; --links) {
    layout.chain.push_back(random_order(random, size, kind));
  }
  if (kind.expanded) expand(random, layout, size);
  return layout;
}

SymbolicLego symbolic_lego(Random& random) {
  // M and K are multiples of BM and BK, N is any number.
  const Int bm = Int::variable("BM");
  const Int bk = Int::variable("BK");
  const auto divides = [](const char* number, const Int& divisor) {
    return Condition{mod(Int::variable(number), divisor), Predicate::kEqual, 0};
  };
  const Assumptions world =
      value_or_throw(Assumptions::make(std::vector<Condition>{divides("M", bm), divides("K", bk)}));
  const auto named = [&](const char* name) { return world.variable(name); };
  std::vector<Int> factors = {floor_div(named("M"), named("BM")), named("BM")};
  if (random.chance(30)) {
    factors.push_back(floor_div(named("K"), named("BK")));
    factors.push_back(named("BK"));
  }
  if (random.chance(20)) factors.push_back(named("N"));
  if (random.chance(50)) factors.emplace_back(random.one_of<std::int64_t>({2, 3, 4}));

  std::vector<lego::Sizes> tiles;
  const std::int64_t levels = random.between(1, 2);
  const std::int64_t dimensions = random.between(1, 3);
  const std::vector<Int> sizes = grouped_factors(random, factors, levels * dimensions);
  for (std::int64_t level = 0; level < levels; ++level) {
    const auto begin = sizes.begin() + level * dimensions;
    tiles.emplace_back(begin, begin + dimensions);
  }
  Layout layout =
      value_or_throw(random.chance(50) ? Layout::tile_by(tiles) : Layout::group_by(tiles));
  // Longer chains of sizes that have nothing to do with each other grow long expressions.
  const std::int64_t most_links = random.chance(5) ? 2 : 1;
  for (std::int64_t links = random.between(0, most_links); links > 0; --links) {
    std::vector<Permutation> permutations;
    const std::int64_t count = random.between(1, 2);
    const std::int64_t rank = random.between(1, 3);
    const std::vector<Int> parts = grouped_factors(random, factors, count * rank);
    for (std::int64_t k = 0; k < count; ++k) {
      const auto begin = parts.begin() + k * rank;
      permutations.push_back(symbolic_permutation(random, {begin, begin + rank}));
    }
    layout = value_or_throw(random.chance(30) ? layout.tile_order_by(std::move(permutations))
                                              : layout.order_by(std::move(permutations)));
  }

  Bindings values;
  for (const char* name : {"BM", "BK", "N"}) values[name] = random.between(1, 4);
  values["M"] = values["BM"] * random.between(1, 4);
  values["K"] = values["BK"] * random.between(1, 3);
  return {std::move(layout), std::move(values)};
}

}  // namespace heddle::test
