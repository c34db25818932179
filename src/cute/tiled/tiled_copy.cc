#include "heddle/cute/tiled_copy.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include "core/text.h"
#include "cute/layout/format.h"
#include "cute/tiled/tiled_part.h"
#include "heddle/cute/composition.h"
#include "heddle/cute/divide.h"
#include "heddle/cute/equality.h"
#include "heddle/cute/int_tuple.h"
#include "heddle/cute/inverse.h"
#include "heddle/cute/partition.h"
#include "heddle/cute/product.h"
#include "heddle/cute/recast.h"

namespace heddle::cute {
namespace {

Tiler in_first_mode(const Layout& tile) {
  return Tiler{Tiler(Tile(tile)), Tiler(Tile(Underscore()))};
}

Result<void> check_side(const Layout& threads, const Layout& layout, std::string_view side) {
  if (layout.rank() == 2 && known_equal(layout.mode(0).size(), threads.size())) return {};
  return refuse(
      "copy_atom.threads",
      "the {} layout {} does not have a mode for the {} threads {} and one for their values", side,
      layout, threads.size(), threads);
}

/// Every element of `side` must be one that the reference numbers.
Result<void> check_numbered(const Layout& side, const Layout& reference) {
  HEDDLE_TRY(const Layout numbering, right_inverse(reference));
  HEDDLE_TRY(const Int elements, cosize(side));
  if (known_equal(numbering.size(), reference.size()) &&
      known_at_most(elements, reference.size())) {
    return {};
  }
  return refuse(diagnose("copy_atom.reference",
                         "the reference {} does not number the elements of {}", reference, side)
                    .with_note(fmt::format("it numbers {} in order, and {} are met",
                                           numbering.size(), elements)));
}

/// (thread, value) of one side -> (thread, value) of the reference.
Result<Layout> in_reference(const CopyAtom& atom, Side side) {
  HEDDLE_TRY(const Layout numbering, right_inverse(atom.layout_ref()));
  return composition(numbering, side == Side::kSource ? atom.layout_src() : atom.layout_dst());
}

/// ((atom threads, atom values), (more threads, more values)). Only whole atoms are possible,
/// because a thread-value layout has no end past which values could be left out.
Result<Layout> divided_by_atom(const CopyAtom& atom, const Layout& tv) {
  const Layout& reference = atom.layout_ref();
  const IntTuple tile{reference.mode(0).size(), reference.mode(1).size()};
  Diagnostic diagnostic =
      diagnose("tiled_copy.atom",
               "the thread-value layout {} is not made of atoms of {} threads with {} values each",
               to_string(tv), tile.leaves()[0], tile.leaves()[1]);
  const bool has_multiples = tv.rank() == 2 && known_divides(tile.leaves()[0], tv.mode(0).size()) &&
                             known_divides(tile.leaves()[1], tv.mode(1).size());
  if (!has_multiples) {
    return refuse(
        std::move(diagnostic).with_hint("its two modes, threads and values, must be multiples"));
  }
  const Result<Layout> divided = zipped_divide(tv, to_tiler(tile));
  if (divided && known_equal(divided->size(), tv.size())) return divided;
  return refuse(
      std::move(diagnostic)
          .with_note(divided
                         ? fmt::format("the runs of an atom do not divide its modes: {}", *divided)
                         : divided.error().message()));
}

/// ((TileM,TileN,…),(RestM,RestN,…)) as (Thr,(FrgV,FrgX),(RestM,RestN,…)).
Result<Layout> by_threads(const TiledCopy& copy, Side side, const Layout& tiled) {
  HEDDLE_TRY(const Layout by_atom, divided_by_atom(copy.atom(), copy.layout_tv()));
  HEDDLE_TRY(const Layout of_side, in_reference(copy.atom(), side));
  HEDDLE_TRY(const Layout held, composition(by_atom, in_first_mode(of_side)));
  HEDDLE_TRY(const Layout pairs, zip(held));
  HEDDLE_TRY(const Layout tv, coalesce(pairs, IntTuple{1, {1, 1}}.profile()));
  HEDDLE_TRY(const Layout whole, composition(tiled, in_first_mode(tv)));
  return slice(Coordinate{underscores(2), Index(Underscore())}, whole);
}

Result<Layout> tidfrg(const TiledCopy& copy, Side side, const Layout& layout) {
  HEDDLE_TRY(const Layout tiled, zipped_divide(layout, copy.tiler()));
  return by_threads(copy, side, tiled);
}

/// (thread, value) -> the tile itself, which is column-major and has no rest.
Result<TvLayout> layout_tv(const TiledCopy& copy, Side side) {
  const IntTuple tile = tile_modes(copy.tiler().view());
  HEDDLE_TRY(const Layout tiled, make_layout(IntTuple{tile, 1}));
  HEDDLE_TRY(const Layout by_thread, by_threads(copy, side, tiled));
  HEDDLE_TRY(Layout tv,
             slice(Coordinate{Index(Underscore()), Index(Underscore()), Index(0)}, by_thread));
  return TvLayout{std::move(tv), copy.tiler()};
}

/// The smallest tile, mode by mode, that contains the elements of a compact tensor of this shape
/// that a thread-value layout holds, and the thread-value layout within that tile.
Result<TvLayout> cut_out(const IntTuple& shape, const Layout& tv) {
  HEDDLE_TRY(const Layout whole, make_layout(shape));
  std::vector<Tiler> tiles;
  for (std::size_t i = 0; i < shape.rank(); ++i) {
    std::vector<Stride> along(shape.rank(), Stride(0));
    along[i] = Stride(1);
    HEDDLE_TRY(const Layout coordinate, make_layout(shape, StrideTuple::flat(along)));
    HEDDLE_TRY(const Layout met, composition(coordinate, tv));
    HEDDLE_TRY(Layout tile, filter(met));
    tiles.emplace_back(Tile(std::move(tile)));
  }
  const Tiler tiler = Tiler::of(tiles);
  HEDDLE_TRY(const Layout tile, composition(whole, tiler));
  HEDDLE_TRY(const Layout numbers, left_inverse(tile));
  HEDDLE_TRY(Layout within, composition(numbers, tv));
  HEDDLE_TRY(const Layout back, composition(tile, within));
  if (const Verdict same = equal(back, tv); !same.is_yes()) {
    Diagnostic diagnostic = diagnose(
        "tiled_copy.tile",
        "the elements that {} reaches in {} are not a tile by modes: {} does not cover them",
        to_string(tv), shape, to_string(tiler));
    return refuse(with_counterexample(std::move(diagnostic), same));
  }
  return TvLayout{std::move(within), tiler};
}

Result<void> check_bits(const Int& bits) {
  HEDDLE_TRY(const bool is_positive, decide_needed({0, Predicate::kLess, bits}, [&] {
               return fmt::format("a value of {} bits", bits);
             }));
  if (is_positive) return {};
  return refuse("copy_atom.bits", "a value of {} bits is not possible", bits);
}

/// Do `bits` hold a positive whole number of values of `value_bits`?
Result<bool> is_whole_number_of(const Int& value_bits, const Int& bits) {
  for (const Condition& condition :
       {Condition{0, Predicate::kLess, value_bits}, Condition{0, Predicate::kLess, bits},
        Condition{value_bits, Predicate::kDivides, bits}}) {
    HEDDLE_TRY(const bool holds,
               decide_needed(condition, calling("universal_copy", bits, value_bits)));
    if (!holds) return false;
  }
  return true;
}

}  // namespace

Result<CopyAtom> CopyAtom::make(const Layout& threads, const Layout& source,
                                const Layout& destination, const Layout& reference,
                                const Int& bits) {
  HEDDLE_CHECK(check_bits(bits));
  HEDDLE_CHECK(check_side(threads, source, "source"));
  HEDDLE_CHECK(check_side(threads, destination, "destination"));
  HEDDLE_CHECK(check_side(threads, reference, "reference"));
  HEDDLE_CHECK(check_numbered(source, reference));
  HEDDLE_CHECK(check_numbered(destination, reference));
  return CopyAtom(threads, source, destination, reference, bits);
}

Result<CopyAtom> copy_atom(const CopyAtom& instruction, const Int& value_bits) {
  HEDDLE_CHECK(check_bits(value_bits));
  const auto wider = [&](const Layout& layout) {
    return recast(layout, instruction.value_bits(), value_bits);
  };
  HEDDLE_TRY(const Layout source, wider(instruction.layout_src()));
  HEDDLE_TRY(const Layout destination, wider(instruction.layout_dst()));
  HEDDLE_TRY(const Layout reference, wider(instruction.layout_ref()));
  return CopyAtom::make(instruction.thr_id(), source, destination, reference, value_bits);
}

Result<CopyAtom> universal_copy(const Int& bits, const Int& value_bits) {
  HEDDLE_TRY(const bool is_whole, is_whole_number_of(value_bits, bits));
  if (!is_whole) {
    return refuse("copy_atom.bits", "{} bits are not a whole number of values of {} bits", bits,
                  value_bits);
  }
  HEDDLE_TRY(const Layout run, make_layout(IntTuple{1, floor_div(bits, value_bits)}));
  return CopyAtom::make(run.mode(0), run, run, run, value_bits);
}

Result<TiledCopy> make_tiled_copy_impl(const CopyAtom& atom, const TvLayout& tv) {
  HEDDLE_CHECK(divided_by_atom(atom, tv.layout));
  const bool has_underscore =
      std::ranges::any_of(tv.tiler.leaves(), [](const Tile& tile) { return tile.is_underscore(); });
  if (has_underscore) {
    return refuse("tiled_copy.tile", "the tiler {} does not say how large its tile is",
                  to_string(tv.tiler));
  }
  HEDDLE_TRY(const Int elements, check_defined(size(tile_modes(tv.tiler.view())), "the tile"));
  HEDDLE_TRY(const Int reached, cosize(tv.layout));
  HEDDLE_TRY(const bool stays_within, decide_needed({reached, Predicate::kAtMost, elements}, [&] {
               return fmt::format("a tiled copy of the tile {}", to_string(tv.tiler));
             }));
  if (!stays_within) {
    return refuse("tv.outside", "{} leaves a tile of {}: it reaches element {}",
                  to_string(tv.layout), counted(elements, "element"), reached - 1);
  }
  return TiledCopy(atom, tv);
}

Result<TiledCopy> make_tiled_copy(const CopyAtom& atom, const Layout& threads,
                                  const Layout& values) {
  HEDDLE_TRY(const TvLayout tv, make_layout_tv(threads, values));
  return make_tiled_copy_impl(atom, tv);
}

Result<TiledCopy> make_cotiled_copy(const CopyAtom& atom, const Layout& tv, const Layout& data) {
  // One extra element, to which every address past the end is mapped: it does not map back.
  HEDDLE_TRY(const Layout inverse, left_inverse(data));
  HEDDLE_TRY(const Layout to_coordinate, make_layout({inverse, Layout()}));
  HEDDLE_TRY(const Layout coordinates, composition(to_coordinate, tv));
  HEDDLE_TRY(const Layout to_address, make_layout({data, Layout()}));
  HEDDLE_TRY(const Layout back, composition(to_address, coordinates));
  if (const Verdict same = equal(back, tv); !same.is_yes()) {
    Diagnostic diagnostic =
        diagnose("tiled_copy.address", "threads and values {} meet addresses that {} does not have",
                 to_string(tv), data);
    return refuse(with_counterexample(std::move(diagnostic), same));
  }
  HEDDLE_TRY(const TvLayout cut, cut_out(product_each(data.shape()), coordinates));
  return make_tiled_copy_impl(atom, cut);
}

Result<TiledCopy> make_tiled_copy_A(const CopyAtom& atom, const TiledMma& mma) {
  HEDDLE_TRY(const TvLayout tv, layoutA_TV(mma));
  return make_tiled_copy_impl(atom, tv);
}
Result<TiledCopy> make_tiled_copy_B(const CopyAtom& atom, const TiledMma& mma) {
  HEDDLE_TRY(const TvLayout tv, layoutB_TV(mma));
  return make_tiled_copy_impl(atom, tv);
}
Result<TiledCopy> make_tiled_copy_C(const CopyAtom& atom, const TiledMma& mma) {
  HEDDLE_TRY(const TvLayout tv, layoutC_TV(mma));
  return make_tiled_copy_impl(atom, tv);
}

Result<TiledCopy> make_tiled_copy_C_atom(const CopyAtom& atom, const TiledMma& mma) {
  HEDDLE_TRY(const TvLayout whole, layoutC_TV(mma));
  const Layout& all = whole.layout;
  const Int values = atom.layout_src().mode(1).size();
  if (!known_at_most(values, all.mode(1).size())) {
    return refuse("tiled_copy.atom", "an atom copies {} values, and each thread has {} of C",
                  values, all.mode(1).size());
  }
  HEDDLE_TRY(const Layout first_values, make_layout(IntTuple{all.mode(0).size(), values}));
  HEDDLE_TRY(const Layout tv, composition(all, first_values));
  HEDDLE_TRY(const TvLayout cut, cut_out(tile_shape(whole), tv));
  return make_tiled_copy_impl(atom, cut);
}

Result<TiledCopy> make_tiled_copy_S(const CopyAtom& atom, const TiledCopy& copy) {
  HEDDLE_TRY(const TvLayout tv, layoutS_TV(copy));
  return make_tiled_copy_impl(atom, tv);
}
Result<TiledCopy> make_tiled_copy_D(const CopyAtom& atom, const TiledCopy& copy) {
  HEDDLE_TRY(const TvLayout tv, layoutD_TV(copy));
  return make_tiled_copy_impl(atom, tv);
}

IntTuple tile_shape(const TiledCopy& copy) { return product_each(tile_modes(copy.tiler().view())); }

Int size(const TiledCopy& copy) { return copy.layout_tv().mode(0).size(); }

Result<TvLayout> layoutS_TV(const TiledCopy& copy) { return layout_tv(copy, Side::kSource); }
Result<TvLayout> layoutD_TV(const TiledCopy& copy) { return layout_tv(copy, Side::kDestination); }

Result<Layout> tidfrg_S(const TiledCopy& copy, const Layout& layout) {
  return tidfrg(copy, Side::kSource, layout);
}
Result<Layout> tidfrg_D(const TiledCopy& copy, const Layout& layout) {
  return tidfrg(copy, Side::kDestination, layout);
}

Result<Part> part_of(const TiledCopy& copy, Side side, const Layout& layout, const Int& thread) {
  HEDDLE_CHECK(check_thread(thread, size(copy), "the tiled copy"));
  HEDDLE_TRY(const Layout by_thread, tidfrg(copy, side, layout));
  return Part{by_thread,
              Coordinate{Index(thread), Index(Underscore()), everything_of(by_thread.mode(2))}};
}

Result<Layout> retile(const TiledCopy& copy, const Layout& fragment) {
  const Int values = fragment.mode(0).size();
  HEDDLE_TRY(const Layout inverse, right_inverse(copy.layout_tv()));
  HEDDLE_TRY(const Layout shaped, with_shape(inverse, tile_modes(copy.tiler().view())));
  // (m,n) -> which run of so many values of a thread
  HEDDLE_TRY(const Layout runs, upcast(shaped, size(copy) * values));
  HEDDLE_TRY(const Layout run_places, right_inverse(runs));
  HEDDLE_TRY(const Layout first, make_layout(IntTuple(values)));
  HEDDLE_TRY(const Layout all_values, logical_product(first, run_places));
  HEDDLE_TRY(const Layout atom_values,
             make_layout(IntTuple(copy.atom().layout_ref().mode(1).size())));
  // (atom values, more values) -> (v,m,n)
  HEDDLE_TRY(const Layout by_atom, zipped_divide(all_values, Tiler(Tile(atom_values))));
  std::vector<Tiler> tiles{Tiler(Tile(values))};
  const IntTuple run_extents = product_each(runs.shape());
  for (const Int& extent : run_extents.leaves()) tiles.emplace_back(Tile(extent));
  HEDDLE_TRY(const Layout tiled, zipped_divide(fragment, Tiler::of(tiles)));
  HEDDLE_TRY(const Layout retiled, composition(tiled, in_first_mode(by_atom)));
  std::vector<Coordinate> rest(retiled.mode(1).rank(), Coordinate(Index(Underscore())));
  rest.front() = Coordinate(Index(0));
  HEDDLE_TRY(Layout result, slice(Coordinate{Index(Underscore()), Coordinate::of(rest)}, retiled));
  if (known_equal(result.size(), fragment.size())) return result;
  return refuse("tiled_copy.fragment",
                "the fragment {} does not hold whole tiles of the copy: {} values become {}",
                fragment, fragment.size(), result.size());
}

std::string to_string(const CopyAtom& atom) {
  return fmt::format(
      "Copy_Atom\n  ThrID:        {}\n  ValLayoutSrc: {}\n  ValLayoutDst: {}\n  ValLayoutRef: {}\n "
      " ValueType:    {}b",
      atom.thr_id(), atom.layout_src(), atom.layout_dst(), atom.layout_ref(), atom.value_bits());
}

std::string to_string(const TiledCopy& copy) {
  return fmt::format("TiledCopy\n  Tiler_MN:       {}\n  TiledLayout_TV: {}\n{}",
                     copy.tiler().view(), copy.layout_tv(), to_string(copy.atom()));
}

}  // namespace heddle::cute
