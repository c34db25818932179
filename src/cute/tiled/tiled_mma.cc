#include "heddle/cute/tiled_mma.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include "core/text.h"
#include "cute/layout/format.h"
#include "cute/tiled/tiled_part.h"
#include "heddle/cute/complement.h"
#include "heddle/cute/composition.h"
#include "heddle/cute/divide.h"
#include "heddle/cute/int_tuple.h"
#include "heddle/cute/inverse.h"
#include "heddle/cute/partition.h"
#include "heddle/cute/product.h"

namespace heddle::cute {
namespace {

/// Which of M, N, K the two modes of an operand are.
struct OperandModes {
  std::size_t first;
  std::size_t second;
};

OperandModes modes_of(Operand operand) {
  constexpr std::array<OperandModes, 3> kModes = {{{0, 2}, {1, 2}, {0, 1}}};
  return kModes[static_cast<std::size_t>(operand)];
}

std::string_view name_of(Operand operand) {
  constexpr std::array<std::string_view, 3> kNames = {"A", "B", "C"};
  return kNames[static_cast<std::size_t>(operand)];
}

/// The size of mode `mode` of M, N, K.
Int extent(const IntTuple& shape_mnk, std::size_t mode) { return size(shape_mnk.mode(mode)); }

Result<void> check_threads(const Layout& threads, const Layout& layout, Operand operand) {
  if (layout.rank() == 2 && known_equal(layout.mode(0).size(), threads.size())) return {};
  return refuse("mma_atom.threads",
                "the layout {} of operand {} does not have a mode for the {} threads {} and one "
                "for their values",
                layout, name_of(operand), threads.size(), threads);
}

Result<void> check_operand(const IntTuple& shape, const Layout& threads, const Layout& layout,
                           Operand operand) {
  HEDDLE_CHECK(check_threads(threads, layout, operand));
  const auto [first, second] = modes_of(operand);
  const Int rows = extent(shape, first);
  const Int columns = extent(shape, second);
  // Threads that hold the same elements hold everything equally often, so they do not matter.
  HEDDLE_TRY(Layout moving, filter_zeros(layout.mode(0)));
  HEDDLE_TRY(const Layout distinct, make_layout({std::move(moving), layout.mode(1)}));
  HEDDLE_TRY(const Verdict held, covers(distinct, rows * columns));
  if (held.is_yes()) return {};
  Diagnostic diagnostic = diagnose(
      "mma_atom.operand", "the layout {} does not share out the {} x {} elements of operand {}",
      layout, rows, columns, name_of(operand));
  diagnostic = std::move(diagnostic).with_note(held.method());
  return refuse(with_counterexample(std::move(diagnostic), held));
}

/// Extends a tiler to three tiles.
Result<Tiler> permutation_of_mnk(const Tiler& permutation) {
  std::vector<Tiler> tiles;
  if (permutation.is_leaf()) {
    tiles.push_back(permutation);
  } else {
    for (const TilerView tile : permutation.modes()) tiles.emplace_back(tile);
  }
  if (tiles.size() > 3) {
    return refuse("tiled_mma.rank", "the permutation {} has {}; M, N and K are three",
                  to_string(permutation), counted(tiles.size(), "tile"));
  }
  tiles.resize(3, Tiler(Tile(Underscore())));
  for (const Tiler& tile : tiles) {
    if (tile.is_leaf()) continue;
    return refuse("tiled_mma.rank", "the permutation {} has a tuple of tiles for one of M, N and K",
                  to_string(permutation));
  }
  return Tiler::of(tiles);
}

/// The number of elements of mode `mode` of M, N, K that the atoms of all threads cover.
Int atoms_extent(const TiledMma& mma, std::size_t mode) {
  return extent(mma.atom().shape_mnk(), mode) * mma.thr_layout_vmnk().mode(mode + 1).size();
}

/// The tile by which mode `mode` of M, N, K is permuted.
Tile permutation(const TiledMma& mma, std::size_t mode) {
  const Tile& tile = mma.permutation_mnk().leaves()[mode];
  return tile.is_underscore() ? Tile(atoms_extent(mma, mode)) : tile;
}

Int tile_extent(const TiledMma& mma, std::size_t mode) {
  const Tile tile = permutation(mma, mode);
  return tile.size() != nullptr ? *tile.size() : tile.layout()->size();
}

Tiler by_modes(Tile first, Tile second) {
  return Tiler{Tiler(std::move(first)), Tiler(std::move(second))};
}

/// Whether whole atoms fill the tile of this mode, which is a run of neighbours, in any tensor.
bool fills_its_tile(const TiledMma& mma, std::size_t mode) {
  const Tile tile = permutation(mma, mode);
  return tile.size() != nullptr && known_divides(atoms_extent(mma, mode), *tile.size());
}

/// The atoms must fill the permuted tiles: a part past the end of one would be in another.
Result<void> check_whole_atoms(const TiledMma& mma, Operand operand, const Layout& permuted,
                               const Int& covered) {
  const auto [first, second] = modes_of(operand);
  if (fills_its_tile(mma, first) && fills_its_tile(mma, second)) return {};
  if (known_equal(covered, permuted.size())) return {};
  return refuse(
      diagnose("tiled_mma.tile",
               "the atoms of all threads, {} x {}, do not divide the tile {} x {} of operand {}",
               atoms_extent(mma, first), atoms_extent(mma, second), tile_extent(mma, first),
               tile_extent(mma, second), name_of(operand))
          .with_note(fmt::format("the permuted operand {} has {}; the atoms cover {}", permuted,
                                 counted(permuted.size(), "element"), covered))
          .with_hint("a permutation's size must be a multiple of the atoms', and so must be its "
                     "fastest mode"));
}

Result<Layout> thrfrg(const TiledMma& mma, Operand operand, const Layout& layout) {
  if (layout.rank() < 2) {
    return refuse("tiled_mma.operand", "operand {} has two modes; {} has one", name_of(operand),
                  layout);
  }
  const auto [first, second] = modes_of(operand);
  const IntTuple& atom = mma.atom().shape_mnk();
  const Layout& threads = mma.thr_layout_vmnk();
  HEDDLE_TRY(const Layout permuted,
             logical_divide(layout, by_modes(permutation(mma, first), permutation(mma, second))));
  // ((AtomM,AtomN),(RestM,RestN,…))
  HEDDLE_TRY(const Layout by_atom,
             zipped_divide(permuted, by_modes(extent(atom, first), extent(atom, second))));
  // ((ThrV,FrgV),(RestM,RestN,…))
  HEDDLE_TRY(const Layout by_value,
             composition(by_atom, by_modes(mma.atom().layout(operand), Underscore())));
  // ((ThrM,ThrN),(RestM,RestN,…))
  HEDDLE_TRY(const Layout by_thread,
             zipped_divide(by_value.mode(1), by_modes(threads.mode(first + 1).size(),
                                                      threads.mode(second + 1).size())));
  HEDDLE_CHECK(
      check_whole_atoms(mma, operand, permuted, by_atom.mode(0).size() * by_thread.size()));
  const Layout held = by_value.mode(0);
  HEDDLE_TRY(const Layout thread_modes, make_layout({held.mode(0), by_thread.mode(0)}));
  HEDDLE_TRY(const Layout value_modes, make_layout({held.mode(1), by_thread.mode(1)}));
  return make_layout({thread_modes, value_modes});
}

/// (ThrV,ThrM,ThrN,ThrK) from the flat coordinate of the two modes of an operand that a thread has:
/// the threads along its third mode hold the same.
Result<Tiler> thread_tile(const TiledMma& mma, Operand operand) {
  const Layout& threads = mma.thr_layout_vmnk();
  const auto extents = [&](std::size_t i) { return threads.mode(i).size(); };
  const Tiler all(Tile{Underscore()});
  const auto of_pair = [](const Layout& first, const Tiler& second) {
    return Tiler{Tiler(Tile(Underscore())), Tiler{Tiler(Tile(first)), second}};
  };
  if (operand == Operand::kC) {
    if (known_equal(extents(3), 1)) return all;
    HEDDLE_TRY(const Layout n_and_k, make_layout(IntTuple{extents(2), extents(3)}, {1, 0}));
    return Tiler{all, Tiler{all, Tiler(Tile(n_and_k))}};
  }
  const StrideTuple stride = operand == Operand::kA ? StrideTuple{1, 0} : StrideTuple{0, 1};
  HEDDLE_TRY(const Layout m_and_n, make_layout(IntTuple{extents(1), extents(2)}, stride));
  return of_pair(m_and_n, all);
}

/// thread index -> (ThrV,ThrM,ThrN,ThrK) as a flat coordinate. Indices in the gaps belong to the
/// thread whose digits they have.
Result<Layout> thread_coordinates(const Layout& threads) {
  HEDDLE_TRY(const Layout gaps, complement(threads));
  HEDDLE_TRY(const Layout all, make_layout({threads, gaps}));
  HEDDLE_TRY(const Layout inverse, right_inverse(all));
  if (!known_equal(inverse.size(), all.size())) {
    return refuse(
        diagnose("tiled_mma.threads",
                 "the threads {} do not each have an index of their own, or leave gaps that copies "
                 "of them do not fill",
                 threads)
            .with_hint("an atom layout such as (2,2,1):(1,2,0) numbers the atoms 0, 1, 2, 3"));
  }
  HEDDLE_TRY(const Layout dropped, make_layout(IntTuple{threads.size(), 1}, {1, 0}));
  return composition(dropped, inverse);
}

Result<TvLayout> layout_tv(const TiledMma& mma, Operand operand) {
  const auto [first, second] = modes_of(operand);
  const Int rows = tile_extent(mma, first);
  const Int columns = tile_extent(mma, second);
  HEDDLE_TRY(const Layout tile, make_layout(IntTuple{rows, columns}));
  HEDDLE_TRY(const Layout by_thread, thrfrg(mma, operand, tile));
  HEDDLE_TRY(const Tiler threads, thread_tile(mma, operand));
  HEDDLE_TRY(const Layout by_coordinate,
             composition(by_thread, Tiler{threads, Tiler(Tile(Underscore()))}));
  HEDDLE_TRY(const Layout coordinates, thread_coordinates(mma.thr_layout_vmnk()));
  HEDDLE_TRY(Layout tv, composition(by_coordinate, by_modes(coordinates, Underscore())));
  HEDDLE_TRY(const Int reached, cosize(tv));
  HEDDLE_TRY(const bool keeps_tile,
             decide_needed({reached, Predicate::kAtMost, rows * columns},
                           [&] { return fmt::format("layout{}_TV", name_of(operand)); }));
  if (keeps_tile) return TvLayout{std::move(tv), to_tiler(IntTuple{rows, columns})};
  return refuse(
      diagnose("tiled_mma.tile", "the permutation {} does not keep the tile {} x {} of operand {}",
               to_string(mma.permutation_mnk()), rows, columns, name_of(operand))
          .with_note(fmt::format("threads and values would be {}, which reaches element {} of {}",
                                 to_string(tv), reached - 1, rows * columns)));
}

/// The part of a divided operand that the thread with this coordinate holds.
Part held_by(const Layout& by_thread, Operand operand, const IntTuple& thread) {
  const auto [first, second] = modes_of(operand);
  const auto index = [&](std::size_t i) { return Index(thread.leaves()[i]); };
  return Part{
      by_thread,
      Coordinate{Coordinate{index(0), Coordinate{index(first + 1), index(second + 1)}},
                 Coordinate{Index(Underscore()), everything_of(by_thread.mode(1).mode(1))}}};
}

Result<IntTuple> partition_shape(const TiledMma& mma, Operand operand, const IntTuple& shape) {
  HEDDLE_TRY(const Layout layout, make_layout(shape));
  HEDDLE_TRY(const OffsetLayout part, pick(layout, part_of(mma, operand, layout, 0)));
  return part.layout.shape();
}

}  // namespace

const Layout& MmaAtom::layout(Operand operand) const {
  return operands_[static_cast<std::size_t>(operand)];
}

Result<MmaAtom> MmaAtom::make(const IntTuple& shape, const Layout& threads, const Layout& a,
                              const Layout& b, const Layout& c) {
  const auto positive = [](const Int& size) { return known_less(0, size); };
  if (shape.is_leaf() || shape.rank() != 3 || !std::ranges::all_of(shape.leaves(), positive)) {
    return refuse("mma_atom.shape", "the shape {} of an MMA atom is not three sizes (M,N,K)",
                  shape);
  }
  HEDDLE_CHECK(check_operand(shape, threads, a, Operand::kA));
  HEDDLE_CHECK(check_operand(shape, threads, b, Operand::kB));
  HEDDLE_CHECK(check_operand(shape, threads, c, Operand::kC));
  return MmaAtom(shape, threads, {a, b, c});
}

Result<TiledMma> make_tiled_mma(const MmaAtom& atom, const Layout& atom_layout,
                                const Tiler& permutation) {
  if (atom_layout.rank() > 3) {
    return refuse("tiled_mma.rank", "the atom layout {} has {}; M, N and K are three", atom_layout,
                  counted(atom_layout.rank(), "mode"));
  }
  HEDDLE_TRY(const Layout mnk, append(atom_layout, 3));
  HEDDLE_TRY(Layout threads, tiled_product(atom.thr_id(), Tiler(Tile(mnk))));
  HEDDLE_CHECK(thread_coordinates(threads));
  HEDDLE_TRY(Tiler permutation_mnk, permutation_of_mnk(permutation));
  return TiledMma(atom, std::move(threads), std::move(permutation_mnk));
}

IntTuple tile_shape(const TiledMma& mma) {
  return IntTuple{tile_extent(mma, 0), tile_extent(mma, 1), tile_extent(mma, 2)};
}

Int size(const TiledMma& mma) { return mma.thr_layout_vmnk().size(); }

Result<Layout> thrfrg_A(const TiledMma& mma, const Layout& layout) {
  return thrfrg(mma, Operand::kA, layout);
}
Result<Layout> thrfrg_B(const TiledMma& mma, const Layout& layout) {
  return thrfrg(mma, Operand::kB, layout);
}
Result<Layout> thrfrg_C(const TiledMma& mma, const Layout& layout) {
  return thrfrg(mma, Operand::kC, layout);
}

Result<TvLayout> layoutA_TV(const TiledMma& mma) { return layout_tv(mma, Operand::kA); }
Result<TvLayout> layoutB_TV(const TiledMma& mma) { return layout_tv(mma, Operand::kB); }
Result<TvLayout> layoutC_TV(const TiledMma& mma) { return layout_tv(mma, Operand::kC); }

Result<IntTuple> thread_slice(const TiledMma& mma, const Int& thread) {
  const Layout& threads = mma.thr_layout_vmnk();
  HEDDLE_TRY(const Layout coordinates, thread_coordinates(threads));
  HEDDLE_CHECK(check_thread(thread, coordinates.size(), to_string(threads)));
  return idx2crd(IntTuple(coordinates(thread)), product_each(threads.shape()));
}

Result<Part> part_of(const TiledMma& mma, Operand operand, const Layout& layout,
                     const Int& thread) {
  HEDDLE_TRY(const Layout by_thread, thrfrg(mma, operand, layout));
  HEDDLE_TRY(const IntTuple coordinate, thread_slice(mma, thread));
  return held_by(by_thread, operand, coordinate);
}

Result<IntTuple> partition_shape_A(const TiledMma& mma, const IntTuple& shape) {
  return partition_shape(mma, Operand::kA, shape);
}
Result<IntTuple> partition_shape_B(const TiledMma& mma, const IntTuple& shape) {
  return partition_shape(mma, Operand::kB, shape);
}
Result<IntTuple> partition_shape_C(const TiledMma& mma, const IntTuple& shape) {
  return partition_shape(mma, Operand::kC, shape);
}

std::string to_string(const MmaAtom& atom) {
  return fmt::format(
      "MMA_Atom\n  ThrID:      {}\n  Shape_MNK:  {}\n  LayoutA_TV: {}\n  LayoutB_TV: {}\n  "
      "LayoutC_TV: {}",
      atom.thr_id(), atom.shape_mnk(), atom.layout(Operand::kA), atom.layout(Operand::kB),
      atom.layout(Operand::kC));
}

std::string to_string(const TiledMma& mma) {
  return fmt::format("TiledMMA\n  ThrLayoutVMNK:  {}\n  PermutationMNK: {}\n{}",
                     mma.thr_layout_vmnk(), mma.permutation_mnk().view(), to_string(mma.atom()));
}

}  // namespace heddle::cute
