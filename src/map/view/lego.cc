// The structure that a LEGO chain shows without evaluation.
//
// A chain of RegPs moves digits: each link splits the flat position into the dimensions of its
// tiles and puts these into another order. If all splits are between digits, or split one evenly,
// the whole chain is strided:
//
//   TileBy([2,2],[2,2]).OrderBy(Row(4,4))     digits i1 i0 j1 j0 of (I,J,i,j)
//                                             go to strides 8 4 2 1 as I i J j
//
// On powers of two the regular permutations and some of the general ones only move and XOR bits.

#include <algorithm>
#include <array>
#include <utility>

#include "core/bits.h"
#include "map/view/shown_digits.h"

namespace heddle::map {
namespace {

constexpr int kMaxPositionBits = 62;

/// Digits of the position, fastest first; a stride gives the value of one step in each index.
using LegoDigits = std::vector<form::Digit>;

/// The digits after one link of regular permutations.
std::optional<LegoDigits> after_link(const LegoDigits& pieces,
                                     std::span<const lego::Permutation> permutations) {
  std::vector<Int> dims;
  for (const lego::Permutation& permutation : permutations) {
    const std::span<const Int> tile = lego::dims(permutation);
    dims.insert(dims.end(), tile.begin(), tile.end());
  }
  std::ranges::reverse(dims);
  auto groups = cut_digits(pieces, dims);
  if (!groups) return std::nullopt;
  std::ranges::reverse(*groups);  // in the order of the dimensions as written, outermost first
  std::vector<LegoDigits> ordered;
  std::size_t begin = 0;
  for (const lego::Permutation& permutation : permutations) {
    const auto* regular = std::get_if<lego::RegP>(&permutation);
    if (regular == nullptr) return std::nullopt;
    for (const std::int64_t from : regular->sigma()) {
      ordered.push_back((*groups)[begin + static_cast<std::size_t>(from) - 1]);
    }
    begin += regular->dims().size();
  }
  LegoDigits result;
  for (std::size_t i = ordered.size(); i-- > 0;) {
    result.insert(result.end(), ordered[i].begin(), ordered[i].end());
  }
  return result;
}

/// A digit of one index: the value of one step in the index, and what it adds to the position.
struct PlacedDigit {
  Int weight;
  Int extent;
  Int stride;
};

/// The digits of one index, fastest first.
std::vector<form::Digit> digits_of_index(std::vector<PlacedDigit> placed) {
  std::vector<form::Digit> digits;
  Int weight = 1;
  while (!placed.empty()) {
    const auto next = std::ranges::find_if(
        placed, [&](const PlacedDigit& one) { return known_equal(one.weight, weight); });
    if (next == placed.end()) return {};
    weight *= next->extent;
    digits.push_back({next->extent, {next->stride}});
    placed.erase(next);
  }
  return digits;
}

/// Whether the tile has only sizes of powers of two, and the permutation only moves and XORs bits,
/// or inverts all of them.
bool is_affine_over_bits(const lego::Permutation& permutation) {
  const auto is_power = [](const Int& size) {
    return size.is_constant() && is_power_of_two(size.value());
  };
  if (!std::ranges::all_of(lego::dims(permutation), is_power)) return false;
  const auto* general = std::get_if<lego::GenP>(&permutation);
  if (general == nullptr) return true;
  const auto* named = std::get_if<lego::BuiltIn>(&general->function());
  constexpr std::array<std::string_view, 4> kNames = {"morton", "reverse", "swizzle", "xor"};
  return named != nullptr && std::ranges::find(kNames, named->name) != kNames.end();
}

}  // namespace

std::optional<StridedView> strided_view(const lego::Layout& layout) {
  if (layout.expansion()) return std::nullopt;
  const std::vector<Int> dims = layout.dims();
  LegoDigits pieces;
  for (std::size_t i = dims.size(); i-- > 0;) {
    if (known_equal(dims[i], 1)) continue;
    pieces.push_back({dims[i], std::vector<Int>(dims.size(), Int(0))});
    pieces.back().stride[i] = 1;
  }
  for (const std::vector<lego::Permutation>& link : layout.orders()) {
    auto next = after_link(pieces, link);
    if (!next) return std::nullopt;
    pieces = *std::move(next);
  }
  std::vector<std::vector<PlacedDigit>> placed(dims.size());
  Int stride = 1;
  for (const form::Digit& piece : pieces) {
    const auto weight = std::ranges::find_if_not(
        piece.stride, [](const Int& step) { return known_equal(step, 0); });
    const auto index = static_cast<std::size_t>(weight - piece.stride.begin());
    placed[index].push_back({*weight, piece.extent, stride});
    stride *= piece.extent;
  }
  StridedView strided;
  for (std::size_t i = 0; i < dims.size(); ++i) {
    const bool has_digits = !placed[i].empty();
    strided.modes.push_back(digits_of_index(std::move(placed[i])));
    if (has_digits && strided.modes.back().empty()) return std::nullopt;
  }
  strided.offset = {0};
  return strided;
}

std::optional<BitView> bit_view(const lego::Layout& layout) {
  if (layout.expansion()) return std::nullopt;
  for (const std::vector<lego::Permutation>& link : layout.orders()) {
    if (!std::ranges::all_of(link, is_affine_over_bits)) return std::nullopt;
  }
  const std::vector<Int> dims = layout.dims();
  std::vector<Int> point(dims.size(), Int(0));
  const auto position = [&]() -> std::optional<std::uint64_t> {
    const Result<Int> there = layout.apply(point);
    if (!there || !there->is_constant() || there->value() < 0) return std::nullopt;
    return static_cast<std::uint64_t>(there->value());
  };
  const auto origin = position();
  if (!origin) return std::nullopt;
  std::vector<std::uint64_t> columns;
  for (std::size_t i = 0; i < dims.size(); ++i) {
    if (!dims[i].is_constant() || !is_power_of_two(dims[i].value())) return std::nullopt;
    for (std::int64_t step = 1; step < dims[i].value(); step *= 2) {
      point[i] = step;
      const auto there = position();
      if (!there) return std::nullopt;
      columns.push_back(*there ^ *origin);
    }
    point[i] = 0;
  }
  const auto bits = columns.size();
  if (bits > kMaxPositionBits) return std::nullopt;
  return BitView{form::BitMatrix(bits, std::move(columns)), {static_cast<int>(bits)}, *origin};
}

}  // namespace heddle::map
