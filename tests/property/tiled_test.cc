// Laws of tiled MMAs and tiled copies: who holds an element is computed once more from the atom,
// and every partition holds what the thread-value layout says.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <numeric>

#include "heddle/cute/atoms.h"
#include "heddle/cute/partition.h"
#include "heddle/cute/tiled_copy.h"
#include "heddle/cute/tiled_mma.h"
#include "support/law.h"

namespace heddle::test {
namespace {

using cute::CopyAtom;
using cute::Layout;
using cute::MmaAtom;
using cute::OffsetLayout;
using cute::Operand;
using cute::Tile;
using cute::TiledCopy;
using cute::TiledMma;
using cute::Tiler;
using Values = std::vector<std::int64_t>;

const std::vector<MmaAtom>& mma_atoms() {
  static const std::vector<MmaAtom> atoms = [] {
    std::vector<MmaAtom> all;
    for (const char* name :
         {"UniversalFMA", "SM61_DP4A", "SM70_8x8x4_F32F16F16F32_TN", "SM70_8x8x4_F16F16F16F16_NT",
          "SM80_8x8x4_F64F64F64F64_TN", "SM80_16x8x8_F32TF32TF32F32_TN",
          "SM80_16x8x16_F32F16F16F32_TN", "SM75_8x8x16_S32S8S8S32_TN"}) {
      all.push_back(cute::find_mma_atom(name).value());
    }
    return all;
  }();
  return atoms;
}

/// One of M, N, K: atoms along it, and how it is permuted.
struct Along {
  std::int64_t atoms = 1;
  /// Of the tile, in atoms of all threads.
  std::int64_t repeats = 1;
  /// The permutation, compact; a leaf of extent 1 for none.
  Plain permutation;
};

/// A tiled MMA, and all that it was made from.
struct Spread {
  MmaAtom atom;
  std::array<Along, 3> along;
  Values strides;  // of the atoms
  TiledMma mma;
};

/// Numbers: the atom, the order of the atoms, and for each of M, N, K the atoms, the repeats and
/// the kind of its permutation.
Operands mma_numbers(Random& random) {
  Operands operands;
  operands.numbers = {random.between(1, static_cast<std::int64_t>(mma_atoms().size())),
                      random.between(1, 6)};
  for (int i = 0; i < 3; ++i) {
    operands.numbers.push_back(random.one_of<std::int64_t>({1, 1, 2, 3, 4}));
    operands.numbers.push_back(random.one_of<std::int64_t>({1, 1, 2}));
    operands.numbers.push_back(random.between(1, 4));
  }
  return operands;
}

/// A bijection of [0, n): kind 1 none, 2 a size, 3 and 4 two or three digits in another order.
Plain permutation(std::int64_t n, std::int64_t kind) {
  const std::int64_t factor = n % 3 == 0 ? 3 : n % 2 == 0 ? 2 : 1;
  if (kind == 3 && factor > 1) {
    return plain_tuple({plain_leaf(factor, n / factor), plain_leaf(n / factor, 1)});
  }
  const std::int64_t rest = n / factor;
  if (kind == 4 && factor > 1 && rest % 2 == 0) {
    return plain_tuple(
        {plain_leaf(rest / 2, 1), plain_leaf(factor, n / factor), plain_leaf(2, rest / 2)});
  }
  return plain_leaf(n, 1);
}

std::int64_t atom_extent(const MmaAtom& atom, std::size_t i) {
  return atom.shape_mnk().leaves()[i].value();
}

std::optional<Spread> spread(const Operands& o) {
  const auto number = [&](std::size_t i) { return o.numbers[i]; };
  const MmaAtom& atom = mma_atoms()[static_cast<std::size_t>(number(0) - 1) % mma_atoms().size()];
  std::array<Along, 3> along;
  std::vector<Tiler> tiles;
  for (std::size_t i = 0; i < 3; ++i) {
    along[i].atoms = number(2 + 3 * i);
    const std::int64_t kind = number(4 + 3 * i);
    along[i].repeats = kind == 1 ? 1 : number(3 + 3 * i);
    const std::int64_t n = along[i].atoms * along[i].repeats * atom_extent(atom, i);
    along[i].permutation = permutation(n, kind);
    if (kind == 1) {
      tiles.emplace_back(Tile(cute::Underscore()));
    } else if (along[i].permutation.is_leaf()) {
      tiles.emplace_back(Tile(n));
    } else {
      tiles.emplace_back(Tile(to_layout(along[i].permutation)));
    }
  }
  std::array<std::size_t, 3> order = {0, 1, 2};
  for (std::int64_t i = 1; i < number(1); ++i) std::next_permutation(order.begin(), order.end());
  Values strides(3);
  std::int64_t stride = 1;
  for (const std::size_t i : order) {
    strides[i] = stride;
    stride *= along[i].atoms;
  }
  const Layout atoms = cute::make_layout(IntTuple{along[0].atoms, along[1].atoms, along[2].atoms},
                                         {Int(strides[0]), Int(strides[1]), Int(strides[2])})
                           .value();
  const Result<TiledMma> mma = cute::make_tiled_mma(atom, atoms, Tiler::of(tiles));
  if (!mma) return std::nullopt;  // three Volta atoms leave gaps that no copies fill
  return Spread{atom, along, strides, *mma};
}

struct Modes {
  std::size_t first;
  std::size_t second;
};

Modes modes_of(Operand operand) {
  if (operand == Operand::kA) return {0, 2};
  if (operand == Operand::kB) return {1, 2};
  return {0, 1};
}

std::int64_t tile_extent(const Spread& s, std::size_t i) {
  return s.along[i].atoms * s.along[i].repeats * atom_extent(s.atom, i);
}

/// The coordinate along M, N or K of place `in_atom` of atom `atom` in its repetition `repeat`.
std::int64_t place(const Spread& s, std::size_t i, std::int64_t in_atom, std::int64_t atom,
                   std::int64_t repeat) {
  const std::int64_t flat = in_atom + atom_extent(s.atom, i) * (atom + s.along[i].atoms * repeat);
  return evaluate(s.along[i].permutation, flat);
}

/// The thread of the atom with this index within the atom's threads, and the atom's number: by
/// trying all.
struct Thread {
  std::int64_t in_atom;
  std::array<std::int64_t, 3> atom;
};

/// All threads, in the order of their coordinates (V,M,N,K), and their indices.
std::vector<std::pair<std::int64_t, Thread>> threads_of(const Spread& s) {
  const Values in_atom = table_of(s.atom.thr_id());
  const std::int64_t span = *std::ranges::max_element(in_atom) + 1;
  // Copies of the atom's threads fill its gaps before the next block of them begins: for 0-3 and
  // 16-19 that is at 4, 8, 12 and 32.
  std::vector<bool> taken(static_cast<std::size_t>(span * 64), false);
  std::vector<std::int64_t> begins;
  for (std::int64_t begin = 0; begins.size() < 64; ++begin) {
    const bool is_free = std::ranges::none_of(in_atom, [&](std::int64_t thread) {
      return taken[static_cast<std::size_t>(begin + thread)];
    });
    if (!is_free) continue;
    begins.push_back(begin);
    for (const std::int64_t thread : in_atom)
      taken[static_cast<std::size_t>(begin + thread)] = true;
    if (begins.size() * in_atom.size() >= static_cast<std::size_t>(span) * 8) break;
  }
  std::vector<std::pair<std::int64_t, Thread>> all;
  for (std::int64_t k = 0; k < s.along[2].atoms; ++k) {
    for (std::int64_t n = 0; n < s.along[1].atoms; ++n) {
      for (std::int64_t m = 0; m < s.along[0].atoms; ++m) {
        const std::int64_t atom = m * s.strides[0] + n * s.strides[1] + k * s.strides[2];
        if (static_cast<std::size_t>(atom) >= begins.size()) return all;
        for (std::size_t v = 0; v < in_atom.size(); ++v) {
          all.emplace_back(begins[static_cast<std::size_t>(atom)] + in_atom[v],
                           Thread{static_cast<std::int64_t>(v), {m, n, k}});
        }
      }
    }
  }
  return all;
}

/// Without its tile.
Result<Layout> layout_of(const Result<cute::TvLayout>& tv) {
  if (!tv) return refuse(tv.error());
  return tv->layout;
}

Result<Layout> layout_tv(const TiledMma& mma, Operand operand) {
  if (operand == Operand::kA) return layout_of(cute::layoutA_TV(mma));
  if (operand == Operand::kB) return layout_of(cute::layoutB_TV(mma));
  return layout_of(cute::layoutC_TV(mma));
}

Result<OffsetLayout> partition(const TiledMma& mma, Operand operand, const Layout& tensor,
                               std::int64_t thread) {
  if (operand == Operand::kA) return cute::partition_A(mma, tensor, thread);
  if (operand == Operand::kB) return cute::partition_B(mma, tensor, thread);
  return cute::partition_C(mma, tensor, thread);
}

/// What a thread holds of the tile: the places (row, column) in the order of its values.
std::vector<std::pair<std::int64_t, std::int64_t>> held(const Spread& s, Operand operand,
                                                        const Thread& thread) {
  const auto [first, second] = modes_of(operand);
  const Layout& tv = s.atom.layout(operand);
  const std::int64_t rows = atom_extent(s.atom, first);
  const std::int64_t values = tv.mode(1).size().value();
  std::vector<std::pair<std::int64_t, std::int64_t>> places;
  for (std::int64_t j = 0; j < s.along[second].repeats; ++j) {
    for (std::int64_t i = 0; i < s.along[first].repeats; ++i) {
      for (std::int64_t v = 0; v < values; ++v) {
        const std::int64_t element = tv(thread.in_atom, v).value();
        places.emplace_back(place(s, first, element % rows, thread.atom[first], i),
                            place(s, second, element / rows, thread.atom[second], j));
      }
    }
  }
  return places;
}

constexpr std::array kOperands = {Operand::kA, Operand::kB, Operand::kC};

TEST(TiledMma, GivesEveryThreadWhatItsAtomHolds) {
  for_all({.percent = 60}, mma_numbers, [&](const Operands& o) -> Finding {
    const auto made = spread(o);
    if (!made) return kSaysNothing;
    const Spread& s = *made;
    const auto threads = threads_of(s);
    for (const Operand operand : kOperands) {
      const Result<Layout> tv = layout_tv(s.mma, operand);
      if (!tv) return kSaysNothing;
      const std::int64_t rows = tile_extent(s, modes_of(operand).first);
      for (const auto& [index, thread] : threads) {
        const auto places = held(s, operand, thread);
        if (tv->mode(1).size() != Int(places.size())) return found(*tv, ": other values");
        for (std::size_t v = 0; v < places.size(); ++v) {
          const std::int64_t wanted = places[v].first + rows * places[v].second;
          if ((*tv)(index, v) != Int(wanted)) {
            return found(s.mma, "\n", *tv, " at (", index, ",", v, ") is not ", wanted);
          }
        }
      }
    }
    return kHolds;
  });
}

TEST(TiledMma, HoldsEveryElementOfTheTileEquallyOften) {
  for_all(mma_numbers, [](const Operands& o) -> Finding {
    const auto made = spread(o);
    if (!made) return kSaysNothing;
    const Spread& s = *made;
    for (const Operand operand : kOperands) {
      const auto [first, second] = modes_of(operand);
      const Result<Layout> tv = layout_tv(s.mma, operand);
      if (!tv) return kSaysNothing;
      const Verdict covers =
          cute::covers(*tv, tile_extent(s, first) * tile_extent(s, second)).value();
      if (!covers.is_yes()) return found(s.mma, "\n", *tv, ": ", covers);
    }
    return kHolds;
  });
}

// In a tensor of several tiles a thread holds the same places of each, tiles of the first mode
// first.
TEST(TiledMma, PartitionsATensorTileByTile) {
  for_all(
      [](Random& random) {
        Operands operands = mma_numbers(random);
        for (const std::int64_t most : {2, 3, 50}) {
          operands.numbers.push_back(random.between(1, most));
        }
        return operands;
      },
      [](const Operands& o) -> Finding {
        const auto made = spread(o);
        if (!made) return kSaysNothing;
        const Spread& s = *made;
        const auto threads = threads_of(s);
        const auto& [index, thread] =
            threads[static_cast<std::size_t>(o.numbers[13] * 7) % threads.size()];
        for (const Operand operand : kOperands) {
          const auto [first, second] = modes_of(operand);
          const std::int64_t rows = tile_extent(s, first);
          const std::int64_t columns = tile_extent(s, second);
          const IntTuple shape{rows * o.numbers[11], columns * o.numbers[12]};
          const Layout tensor = cute::make_layout(shape, {1000, 3}).value();
          const Result<OffsetLayout> part = partition(s.mma, operand, tensor, index);
          if (!part) return kSaysNothing;
          Values wanted;
          for (std::int64_t j = 0; j < o.numbers[12]; ++j) {
            for (std::int64_t i = 0; i < o.numbers[11]; ++i) {
              for (const auto& [row, column] : held(s, operand, thread)) {
                wanted.push_back(1000 * (row + rows * i) + 3 * (column + columns * j));
              }
            }
          }
          Values got = table_of(part->layout);
          for (std::int64_t& element : got) element += part->offset.leaf().value();
          // Repetitions within a tile and tiles run side by side: compare as sets.
          std::ranges::sort(got);
          std::ranges::sort(wanted);
          if (const Finding f = differs(got, wanted)) return f;
        }
        return kHolds;
      });
}

// Copies.

const std::vector<CopyAtom>& copy_atoms() {
  static const std::vector<CopyAtom> atoms = [] {
    std::vector<CopyAtom> all = {
        cute::universal_copy(16, 16).value(), cute::universal_copy(64, 16).value(),
        cute::universal_copy(128, 16).value(), cute::universal_copy(96, 32).value()};
    for (const char* name : {"SM75_U32x1_LDSM_N", "SM75_U32x4_LDSM_N", "SM75_U16x8_LDSM_T",
                             "SM90_U32x2_STSM_N", "SM90_U16x4_STSM_T"}) {
      all.push_back(cute::copy_atom(cute::find_copy_atom(name).value(), 16).value());
    }
    return all;
  }();
  return atoms;
}

/// Numbers: the atom, atoms along threads (two modes) and values (two modes), two orders.
Operands copy_numbers(Random& random) {
  Operands operands;
  operands.numbers = {random.between(1, static_cast<std::int64_t>(copy_atoms().size()))};
  for (int i = 0; i < 4; ++i) operands.numbers.push_back(random.between(1, 3));
  for (int i = 0; i < 2; ++i) operands.numbers.push_back(random.between(1, 2));
  return operands;
}

Layout numbering(std::int64_t rows, std::int64_t columns, std::int64_t order) {
  const IntTuple shape{rows, columns};
  return (order == 1 ? cute::make_layout_left(shape) : cute::make_layout_right(shape)).value();
}

Result<TiledCopy> copy_of(const Operands& o) {
  const auto& n = o.numbers;
  const CopyAtom& atom = copy_atoms()[static_cast<std::size_t>(n[0] - 1) % copy_atoms().size()];
  const std::int64_t threads = atom.layout_ref().mode(0).size().value();
  const std::int64_t values = atom.layout_ref().mode(1).size().value();
  const std::int64_t rows = std::gcd(threads, std::int64_t{8});
  return cute::make_tiled_copy(atom, numbering(rows * n[1], threads / rows * n[2], n[5]),
                               numbering(n[3], values * n[4], n[6]));
}

/// 32 threads of an atom are no part of 12 x 8 threads, of which 12 stand together.
bool is_unaligned(const Diagnostic& refusal) { return refusal.code() == "tiled_copy.atom"; }

/// The element that a side's thread and value is, by looking for it in the atom's reference.
std::int64_t element_of(const TiledCopy& copy, const Layout& side, std::int64_t thread,
                        std::int64_t value) {
  const Layout& reference = copy.atom().layout_ref();
  const std::int64_t threads = reference.mode(0).size().value();
  const std::int64_t values = reference.mode(1).size().value();
  const std::int64_t side_values = side.mode(1).size().value();
  const Int moved = side(thread % threads, value % side_values);
  for (std::int64_t t = 0; t < threads; ++t) {
    for (std::int64_t v = 0; v < values; ++v) {
      if (reference(t, v) != moved) continue;
      return copy.layout_tv()(t + threads * (thread / threads), v + values * (value / side_values))
          .value();
    }
  }
  return -1;
}

TEST(TiledCopy, GivesEitherSideWhatTheAtomMoves) {
  Tally tested;
  for_all(
      [](Random& random) {
        Operands operands = copy_numbers(random);
        operands.numbers.push_back(random.between(1, 1000));
        return operands;
      },
      [&](const Operands& o) -> Finding {
        const Result<TiledCopy> made = copy_of(o);
        if (!made) return is_unaligned(made.error()) ? kHolds : found(made.error());
        const TiledCopy& copy = *made;
        const Values tile = {tile_shape(copy).leaves()[0].value(),
                             tile_shape(copy).leaves()[1].value()};
        const Layout tensor = cute::make_layout(IntTuple{tile[0] * 2, tile[1]}, {1000, 3}).value();
        const std::int64_t thread = o.numbers[7] % cute::size(copy).value();
        const auto check = [&](const Layout& side, const Result<Layout>& tv,
                               const Result<OffsetLayout>& part) -> Finding {
          if (!tv || !part) return kSaysNothing;
          tested.count();
          const std::int64_t values = tv->mode(1).size().value();
          Values wanted;
          for (const std::int64_t row : {std::int64_t{0}, tile[0]}) {
            for (std::int64_t v = 0; v < values; ++v) {
              const std::int64_t element = element_of(copy, side, thread, v);
              if ((*tv)(thread, v) != Int(element))
                return found(*tv, " at ", v, " is not ", element);
              wanted.push_back(1000 * (row + element % tile[0]) + 3 * (element / tile[0]));
            }
          }
          Values got = table_of(part->layout);
          for (std::int64_t& element : got) element += part->offset.leaf().value();
          return differs(got, wanted);
        };
        if (const Finding f = check(copy.atom().layout_src(), layout_of(cute::layoutS_TV(copy)),
                                    cute::partition_S(copy, tensor, thread))) {
          return f;
        }
        return check(copy.atom().layout_dst(), layout_of(cute::layoutD_TV(copy)),
                     cute::partition_D(copy, tensor, thread));
      });
  tested.expect_at_least(80);
}

TEST(TiledCopy, MovesEveryElementOfTheTile) {
  for_all(copy_numbers, [](const Operands& o) -> Finding {
    const Result<TiledCopy> made = copy_of(o);
    if (!made) return is_unaligned(made.error()) ? kHolds : found(made.error());
    const TiledCopy& copy = *made;
    const Int tile = cute::size(tile_shape(copy));
    for (const auto& tv : {layout_of(cute::layoutS_TV(copy)), layout_of(cute::layoutD_TV(copy))}) {
      if (!tv) return kSaysNothing;
      const Verdict covers = cute::covers(*tv, tile).value();
      if (!covers.is_yes()) return found(copy, "\n", *tv, ": ", covers);
    }
    return kHolds;
  });
}

// The tile and the thread-value layout within it lead back to the addresses.
TEST(MakeCotiledCopy, KeepsTheAddresses) {
  for_all(
      {.percent = 10},
      [](Random& random) {
        Operands operands{{compact_layout(random, 128)}, {}};
        for (const std::int64_t most : {3, 8, 4}) {
          operands.numbers.push_back(random.between(1, most));
        }
        return operands;
      },
      [&](const Operands& o) -> Finding {
        const Layout data = to_layout(o.layouts[0]);
        const CopyAtom atom = cute::universal_copy(8 * (1 << o.numbers[0]), 8).value();
        const std::int64_t run = 1 << o.numbers[0];
        const Layout tv = cute::make_layout(IntTuple{o.numbers[1], {run, o.numbers[2]}},
                                            {Int(run * o.numbers[2]), {Int(1), Int(run)}})
                              .value();
        const Result<TiledCopy> copy = cute::make_cotiled_copy(atom, tv, data);
        if (!copy) return kSaysNothing;
        const Layout to_address = cute::composition(data, copy->tiler()).value();
        for (std::int64_t c = 0; c < tv.size().value(); ++c) {
          const Int address = to_address(copy->layout_tv()(c));
          if (address != tv(c)) return found(*copy, "\nat ", c, ": ", address);
        }
        return kHolds;
      });
}

// A register of an accumulator is the same element to the MMA and to the copy that stores it.
TEST(Retile, KeepsTheElementsOfTheRegisters) {
  for_all(
      {.percent = 30},
      [](Random& random) {
        Operands operands = mma_numbers(random);
        for (const std::int64_t most : {2, 3, 4, 200}) {
          operands.numbers.push_back(random.between(1, most));
        }
        return operands;
      },
      [&](const Operands& o) -> Finding {
        const auto made = spread(o);
        if (!made) return kSaysNothing;
        const Spread& s = *made;
        const CopyAtom atom = cute::universal_copy(16 << (o.numbers[13] % 3), 16).value();
        const Result<TiledCopy> copy = cute::make_tiled_copy_C(atom, s.mma);
        if (!copy) return kSaysNothing;
        const IntTuple shape{tile_extent(s, 0) * o.numbers[11], tile_extent(s, 1) * o.numbers[12]};
        const Layout tensor = cute::make_layout(shape).value();
        const auto threads = threads_of(s);
        const std::int64_t thread =
            threads[static_cast<std::size_t>(o.numbers[14]) % threads.size()].first;
        const Result<OffsetLayout> by_mma = cute::partition_C(s.mma, tensor, thread);
        const Result<OffsetLayout> by_copy = cute::partition_D(*copy, tensor, thread);
        if (!by_mma || !by_copy) return kSaysNothing;
        const Layout fragment = cute::make_layout(by_mma->layout.shape()).value();
        const Result<Layout> registers = cute::retile(*copy, fragment);
        if (!registers) return kSaysNothing;
        if (by_mma->offset != by_copy->offset) return found("other offsets");
        for (std::int64_t c = 0; c < registers->size().value(); ++c) {
          const Int by_register = by_mma->layout((*registers)(c));
          if (by_register != by_copy->layout(c)) {
            return found(*copy, "\n", *registers, " at ", c, ": ", by_register, " and ",
                         by_copy->layout(c));
          }
        }
        return kHolds;
      });
}

}  // namespace
}  // namespace heddle::test
