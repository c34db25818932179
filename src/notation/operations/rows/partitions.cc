// Partitions, thread-value layouts, tiled copies, tiled MMAs and tensors.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <string>
#include <variant>
#include <vector>

#include "heddle/cute/algebra.h"
#include "heddle/cute/atoms.h"
#include "heddle/cute/partition.h"
#include "heddle/cute/tensor.h"
#include "heddle/cute/thread_value.h"
#include "heddle/cute/tiled_copy.h"
#include "heddle/cute/tiled_mma.h"
#include "notation/operations/binding.h"
#include "notation/operations/names_page.h"
#include "notation/operations/tuples.h"

namespace heddle::notation {
namespace {

using cute::Coordinate;
using cute::CopyAtom;
using cute::Engine;
using cute::Layout;
using cute::MmaAtom;
using cute::Tensor;
using cute::TiledCopy;
using cute::TiledMma;
using cute::Tiler;
using cute::TvLayout;

// ---- Partitions and thread-value layouts ----

const Layout& layout_of(const LayoutOrTvLayout& tv) {
  if (const auto* with_tile = std::get_if<TvLayout>(&tv)) return with_tile->layout;
  return std::get<Layout>(tv);
}

/// The sizes of the tile: as given, or those of the layout's own tiler.
std::optional<IntTuple> tile_of(const LayoutOrTvLayout& tv, const std::optional<IntTuple>& given) {
  if (given) return given;
  const auto* with_tile = std::get_if<TvLayout>(&tv);
  if (with_tile == nullptr) return std::nullopt;
  return cute::tile_shape(*with_tile);
}

Result<TupleList> owners_of(const LayoutOrTvLayout& tv, const IntTuple& element,
                            const std::optional<IntTuple>& given) {
  const Layout& layout = layout_of(tv);
  if (const auto tile = tile_of(tv, given)) return cute::owners(layout, element, *tile);
  if (element.is_leaf()) return cute::owners(layout, element.leaf());
  return refuse(Diagnostic("call.arity", fmt::format("owners needs the tile that contains {}",
                                                     to_string(Value(element))))
                    .with_hint("owners(TV, (3,5), (16,8))"));
}

Result<Verdict> coverage_of(const LayoutOrTvLayout& tv, const std::optional<IntTuple>& given) {
  const auto tile = tile_of(tv, given);
  if (tile) return cute::covers(layout_of(tv), cute::size(*tile));
  return refuse(Diagnostic("call.arity", "covers needs the tile of the thread-value layout")
                    .with_hint("covers(TV, (16,8))"));
}

void add_partitions(const Rows& add) {
  add({.call = "local_tile(tensor, tiler, coordinate, projection)",
       .summary = "One tile of a tensor, and where it begins; with a projection, of some modes of "
                  "the tiler.",
       .example = {"local_tile((8,6):(1,8), (4,2), (1,2))", "(4,2):(1,8) offset 36"}},
      on_each<OffsetOrComposedLayout, Tiler, Coordinate, std::optional<Coordinate>>(
          [](const auto&... all) { return cute::local_tile(all...); }));
  add({.call = "local_partition(tensor, threads, index, projection)",
       .summary = "What a thread of a thread layout gets: its element of every tile of threads.",
       .example = {"local_partition((8,6):(1,8), (4,2):(2,1), 5)", "(2,3):(4,16) offset 10"}},
      on_each<OffsetOrComposedLayout, Layout, Int, std::optional<Coordinate>>(
          [](const auto&... all) { return cute::local_partition(all...); }));
  add({.call = "inner_partition(tensor, tiler, coordinate)",
       .summary = "What is inside the tiler, at one of the places where it is put.",
       .example = {"inner_partition((8,6):(1,8), (4,2), 5)", "(4,2):(1,8) offset 36"}},
      on_each<OffsetOrComposedLayout, Tiler, Coordinate>(
          [](const auto&... all) { return cute::inner_partition(all...); }));
  add({.call = "outer_partition(tensor, tiler, coordinate)",
       .summary = "One element of the tiler, at every place where it is put.",
       .example = {"outer_partition((8,6):(1,8), (4,2), (2,1))", "(2,3):(4,16) offset 10"}},
      on_each<OffsetOrComposedLayout, Tiler, Coordinate>(
          [](const auto&... all) { return cute::outer_partition(all...); }));
}

void add_thread_values(const Rows& add) {
  add({.call = "make_layout_tv(threads, values)",
       .summary =
           "The thread-value layout, and its tile, of threads that each hold a block of values.",
       .example = {"make_layout_tv((4,8):(8,1), (2,1))", "((8,4),2):((8,2),1) tile (8,8)"}},
      cute::make_layout_tv);
  add({.call = "owners(layout, element, tile)",
       .summary =
           "The (thread, value) that hold an element: a number in the tile, or a coordinate of it.",
       .example = {"owners(layoutC_TV(SM80_16x8x16_F32F16F16F32_TN), (9,3))", "[(5,3)]"}},
      owners_of);
  add({.call = "covers(layout, tile)",
       .summary = "Does it hold every element of its tile, and all equally often?",
       .example = {"covers(make_layout_tv((4,8), (2,1)))",
                   "yes  (each of the 64 elements is held once)"}},
      coverage_of);
  add({.call = "tile_shape(tiled)",
       .summary = "The sizes of the tile of a thread-value layout, a tiled copy or a tiled MMA.",
       .example = {"tile_shape(make_tiled_mma(SM80_16x8x16_F32F16F16F32_TN, (2,2,1)))",
                   "(32,16,16)"}},
      on_each<WithTile>([](const auto& any) { return cute::tile_shape(any); }));
}

// ---- Copy atoms and tiled copies, MMA atoms and tiled MMAs ----

// Common to tiled copies and tiled MMAs.

/// Divides a layout, plain or composed, by threads and values.
template <class Tiled>
auto division(Result<Layout> (*function)(const Tiled&, const Layout&)) {
  return [function](const Tiled& tiled, const cute::AnyLayout& layout) {
    return on_inner(layout, [&](const Layout& plain) { return function(tiled, plain); });
  };
}

/// A thread's partition of a tensor, with a plain or composed layout.
template <class Tiled, class Function>
auto partition(Function function) {
  return [function](const Tiled& tiled, const OffsetOrComposedLayout& tensor, const Int& thread) {
    return std::visit([&](const auto& any) { return to_result(function(tiled, any, thread)); },
                      tensor);
  };
}

// Copies.

void add_atoms(const Rows& add) {
  add({.call = "copy_atom(instruction, value_bits)",
       .summary = "A copy instruction on values of this width in bits.",
       .example = {"size(tidfrg_S(make_tiled_copy(copy_atom(SM75_U32x4_LDSM_N, 16), (16,2), "
                   "(1,8)), (16,16)))",
                   "256"}},
      cute::copy_atom);
  add({.call = "copy_atom_of(threads, source, destination, reference, bits=1)",
       .summary = "A copy instruction from its threads and thread-value layouts, on values of this "
                  "width in bits.",
       .example =
           {"tile_shape(make_tiled_copy(copy_atom_of(1:0, (1,4), (1,4), (1,4)), (8,4), (1,4)))",
            "(8,16)"}},
      CopyAtom::make);
  add({.call = "universal_copy(bits, value_bits)",
       .summary = "Each thread moves this many bits of its own, as values of the second width.",
       .example = {"tile_shape(make_tiled_copy(universal_copy(128, 16), (16,8):(8,1), (1,8)))",
                   "(16,64)"}},
      cute::universal_copy);
}

void add_making_copies(const Rows& add) {
  add({.call = "make_tiled_copy(atom, threads, values=1)",
       .summary = "A copy atom over layouts (m,n) -> thread and (m,n) -> value.",
       .example = {"layoutD_TV(make_tiled_copy(universal_copy(128, 16), (4,8):(8,1), (1,8)))",
                   "((8,4),(8,1)):((32,1),(4,0)) tile (4,64)"}},
      cute::make_tiled_copy);
  add({.call = "make_tiled_copy_impl(atom, layout_tv, tiler)",
       .summary = "A copy atom over a thread-value layout of the tile that a tiler cuts out.",
       .example =
           {"layoutS_TV(make_tiled_copy_impl(universal_copy(64, 32), ((4,2),2):((4,1),2), (4,4)))",
            "((4,2),(2,1)):((4,1),(2,0)) tile (4,4)"}},
      [](const CopyAtom& atom, const Layout& tv, const Tiler& tiler) {
        return cute::make_tiled_copy_impl(atom, cute::TvLayout{tv, tiler});
      });
  add({.call = "make_cotiled_copy(atom, layout_tv, data)",
       .summary = "A copy atom over (thread, value) -> address, for data laid out as coordinate -> "
                  "address.",
       .example =
           {"tile_shape(make_cotiled_copy(universal_copy(32, 8), (8,4):(4,1), (16,8):(8,1)))",
            "(4,8)"}},
      cute::make_cotiled_copy);
  add({.call = "make_tiled_copy_A(atom, mma)",
       .summary = "A copy atom as an MMA holds its A.",
       .example = {"tile_shape(make_tiled_copy_A(copy_atom(SM75_U32x4_LDSM_N, 16), "
                   "SM80_16x8x16_F32F16F16F32_TN))",
                   "(16,16)"}},
      cute::make_tiled_copy_A);
  add({.call = "make_tiled_copy_B(atom, mma)",
       .summary = "A copy atom as an MMA holds its B.",
       .example = {"tile_shape(make_tiled_copy_B(copy_atom(SM75_U32x2_LDSM_N, 16), "
                   "SM80_16x8x16_F32F16F16F32_TN))",
                   "(8,16)"}},
      cute::make_tiled_copy_B);
  add({.call = "make_tiled_copy_C(atom, mma)",
       .summary = "A copy atom as an MMA holds its C.",
       .example =
           {"tile_shape(make_tiled_copy_C(universal_copy(64, 32), SM80_16x8x16_F32F16F16F32_TN))",
            "(16,8)"}},
      cute::make_tiled_copy_C);
  add({.call = "make_tiled_copy_C_atom(atom, mma)",
       .summary = "The smallest one for part of an MMA's C.",
       .example = {"tile_shape(make_tiled_copy_C_atom(universal_copy(64, 32), "
                   "make_tiled_mma(SM80_16x8x16_F32F16F16F32_TN, (2,2,1))))",
                   "(16,16)"}},
      cute::make_tiled_copy_C_atom);
  add({.call = "make_tiled_copy_S(atom, copy)",
       .summary = "A copy atom as another tiled copy holds its source.",
       .example = {"tile_shape(make_tiled_copy_S(universal_copy(16, 16), "
                   "make_tiled_copy(universal_copy(128, 16), (4,8):(8,1), (1,8))))",
                   "(4,64)"}},
      cute::make_tiled_copy_S);
  add({.call = "make_tiled_copy_D(atom, copy)",
       .summary = "A copy atom as another tiled copy holds its destination.",
       .example = {"tile_shape(make_tiled_copy_D(universal_copy(16, 16), "
                   "make_tiled_copy(universal_copy(128, 16), (4,8):(8,1), (1,8))))",
                   "(4,64)"}},
      cute::make_tiled_copy_D);
}

void add_sides(const Rows& add) {
  add({.call = "layoutS_TV(copy)",
       .summary = "Who reads what of the tile: (thread, value) -> element.",
       .example = {"layoutS_TV(make_tiled_copy_A(copy_atom(SM75_U32x4_LDSM_N, 16), "
                   "SM80_16x8x16_F32F16F16F32_TN))",
                   "((16,2),(8,1)):((1,128),(16,0)) tile (16,16)"}},
      cute::layoutS_TV);
  add({.call = "layoutD_TV(copy)",
       .summary = "Who gets what of the tile: (thread, value) -> element.",
       .example = {"layoutD_TV(make_tiled_copy_A(copy_atom(SM75_U32x4_LDSM_N, 16), "
                   "SM80_16x8x16_F32F16F16F32_TN))",
                   "((4,8),((2,2,2),1)):((32,1),((16,8,128),0)) tile (16,16)"}},
      cute::layoutD_TV);
  add({.call = "tidfrg_S(copy, layout)",
       .summary = "A layout by source threads and values: (Thr,(V,X),(M,N)).",
       .example = {"tidfrg_S(make_tiled_copy(universal_copy(64, 16), (4,2), (1,4)), (8,16))",
                   "((4,2),(4,1),(2,2)):((1,32),(8,0),(4,64))"}},
      division(cute::tidfrg_S));
  add({.call = "tidfrg_D(copy, layout)",
       .summary = "A layout by destination threads and values: (Thr,(V,X),(M,N)).",
       .example = {"tidfrg_D(make_tiled_copy(universal_copy(64, 16), (4,2), (1,4)), (8,16))",
                   "((4,2),(4,1),(2,2)):((1,32),(8,0),(4,64))"}},
      division(cute::tidfrg_D));
  add({.call = "partition_S(copy, tensor, thread)",
       .summary = "What a thread reads: ((V,X), M, N).",
       .example = {"partition_S(make_tiled_copy(universal_copy(128, 16), (16,8):(8,1), (1,8)), "
                   "(128,64):(64,1), 5)",
                   "((8,1),8,1):((1,0),1024,0) offset 40"}},
      partition<TiledCopy>([](const auto&... all) { return cute::partition_S(all...); }));
  add({.call = "partition_D(copy, tensor, thread)",
       .summary = "What a thread writes: ((V,X), M, N).",
       .example = {"partition_D(make_tiled_copy(universal_copy(128, 16), (16,8):(8,1), (1,8)), "
                   "Sw<3,3,3> o 0 o (128,64):(64,1), 13)",
                   "Sw<3,3,3> o 104 o ((8,1),8,1):((1,0),1024,0)"}},
      partition<TiledCopy>([](const auto&... all) { return cute::partition_D(all...); }));
  add({.call = "retile(copy, fragment)",
       .summary = "A fragment (V, M, N) of an MMA, the same registers as the values of a copy.",
       .example = {"retile(make_tiled_copy_C(universal_copy(64, 32), "
                   "SM80_16x8x16_F32F16F16F32_TN), ((2,2),4,2))",
                   "((2,2),4,2):((1,2),4,16)"}},
      cute::retile);
}

// MMAs.

/// One page of the names that contain a part; below it, how to get the next page.
Result<std::string> names_with(const std::string& part, const Int& from,
                               const std::optional<Int>& limit) {
  std::vector<std::string> names = cute::mma_atom_names();
  std::ranges::move(cute::copy_atom_names(), std::back_inserter(names));
  std::erase_if(names,
                [&](const std::string& name) { return name.find(part) == std::string::npos; });
  return names_page(names, from, limit, fmt::format("atom_names(\"{}\", ", part));
}

void add_making_mmas(const Rows& add) {
  add({.call = "mma_atom_of(shape, threads, a, b, c)",
       .summary = "A matrix instruction from its shape (M,N,K), threads and thread-value layouts.",
       .example = {"tile_shape(mma_atom_of((1,1,4), 1:0, (1,4):(0,1), (1,4):(0,1), (1,1):(0,0)))",
                   "(1,1,4)"}},
      MmaAtom::make);
  add({.call = "atom_names(part, from=0, limit)",
       .summary = "The names of the known MMA and copy atoms that contain a text; of many names "
                  "`limit` ones, from number `from` on.",
       .example = {"atom_names(\"SM90_U32x\")",
                   "SM90_U32x1_STSM_N SM90_U32x2_STSM_N SM90_U32x4_STSM_N"}},
      names_with);
  add({.call = "make_tiled_mma(atom, atoms=(1,1,1), permutation=<_,_,_>)",
       .summary = "An MMA atom repeated after a layout (M,N,K) -> atom, M, N and K permuted before "
                  "by tiles.",
       .example = {"tile_shape(make_tiled_mma(SM70_8x8x4_F32F16F16F32_TN, (2,2), <_,32,_>))",
                   "(16,32,4)"}},
      [](const MmaAtom& atom, const std::optional<Layout>& atoms,
         const std::optional<Tiler>& permutation) {
        return cute::make_tiled_mma(atom, atoms.value_or(Layout()),
                                    permutation.value_or(Tiler(cute::Tile(cute::Underscore()))));
      });
  add({.call = "thr_layout_vmnk(mma)",
       .summary = "The threads of a tiled MMA: (thread of the atom, M, N, K) -> thread.",
       .example = {"thr_layout_vmnk(make_tiled_mma(SM80_16x8x16_F32F16F16F32_TN, (2,2,1)))",
                   "(32,2,2,1):(1,32,64,0)"}},
      &TiledMma::thr_layout_vmnk);
  add({.call = "thread_slice(mma, thread)",
       .summary = "The coordinate of a thread index in thr_layout_vmnk.",
       .example = {"thread_slice(make_tiled_mma(SM80_16x8x16_F32F16F16F32_TN, (2,2,1)), 70)",
                   "(6,0,1,0)"}},
      cute::thread_slice);
}

void add_operands(const Rows& add) {
  add({.call = "layoutA_TV(mma)",
       .summary = "Who holds what of the tile of A: (thread, value) -> (M,K).",
       .example = {"layoutA_TV(make_tiled_mma(SM80_16x8x16_F32F16F16F32_TN, (2,2,1)))",
                   "((4,8,2,2),((2,2,2),(1,1))):((64,1,16,0),((32,8,256),(0,0))) tile (32,16)"}},
      cute::layoutA_TV);
  add({.call = "layoutB_TV(mma)",
       .summary = "Who holds what of the tile of B: (thread, value) -> (N,K).",
       .example = {"layoutB_TV(make_tiled_mma(SM80_16x8x16_F32F16F16F32_TN, (2,2,1)))",
                   "((4,8,2,2),((2,2),(1,1))):((32,1,0,8),((16,128),(0,0))) tile (16,16)"}},
      cute::layoutB_TV);
  add({.call = "layoutC_TV(mma)",
       .summary = "Who holds what of the tile of C: (thread, value) -> (M,N).",
       .example = {"layoutC_TV(make_tiled_mma(SM80_16x8x16_F32F16F16F32_TN, (2,2,1)))",
                   "((4,8,2,2),((2,2),(1,1))):((64,1,16,256),((32,8),(0,0))) tile (32,16)"}},
      cute::layoutC_TV);
  add({.call = "thrfrg_A(mma, layout)",
       .summary = "A layout (M,K) by threads and values: ((V,(M,K)),(V,(M,K))).",
       .example = {"thrfrg_A(SM80_8x8x4_F64F64F64F64_TN, (16,8))",
                   "(((4,8),(1,1)),(1,(2,2))):(((16,1),(0,0)),(0,(8,64)))"}},
      division(cute::thrfrg_A));
  add({.call = "thrfrg_B(mma, layout)",
       .summary = "A layout (N,K) by threads and values: ((V,(N,K)),(V,(N,K))).",
       .example = {"thrfrg_B(SM80_8x8x4_F64F64F64F64_TN, (16,8))",
                   "(((4,8),(1,1)),(1,(2,2))):(((16,1),(0,0)),(0,(8,64)))"}},
      division(cute::thrfrg_B));
  add({.call = "thrfrg_C(mma, layout)",
       .summary = "A layout (M,N) by threads and values: ((V,(M,N)),(V,(M,N))).",
       .example = {"thrfrg_C(SM80_8x8x4_F64F64F64F64_TN, (16,8))",
                   "(((4,8),(1,1)),(2,(2,1))):(((32,1),(0,0)),(16,(8,0)))"}},
      division(cute::thrfrg_C));
  add({.call = "partition_A(mma, tensor, thread)",
       .summary = "What a thread holds of A: (V, M, K).",
       .example = {"partition_A(SM80_16x8x16_F32F16F16F32_TN, (32,64):(64,1), 5)",
                   "((2,2,2),2,4):((1,512,8),1024,16) offset 66"}},
      partition<TiledMma>([](const auto&... all) { return cute::partition_A(all...); }));
  add({.call = "partition_B(mma, tensor, thread)",
       .summary = "What a thread holds of B: (V, N, K).",
       .example = {"partition_B(SM80_16x8x16_F32F16F16F32_TN, (32,64):(64,1), 5)",
                   "((2,2),4,4):((1,8),512,16) offset 66"}},
      partition<TiledMma>([](const auto&... all) { return cute::partition_B(all...); }));
  add({.call = "partition_C(mma, tensor, thread)",
       .summary = "What a thread holds of C: (V, M, N).",
       .example = {"partition_C(SM80_16x8x16_F32F16F16F32_TN, (32,64):(64,1), 5)",
                   "((2,2),2,8):((1,512),1024,8) offset 66"}},
      partition<TiledMma>([](const auto&... all) { return cute::partition_C(all...); }));
  add({.call = "partition_shape_A(mma, shape)",
       .summary = "The shape of what a thread holds of an A of this shape.",
       .example = {"partition_shape_A(SM80_16x8x16_F32F16F16F32_TN, (32,64))", "((2,2,2),2,4)"}},
      cute::partition_shape_A);
  add({.call = "partition_shape_B(mma, shape)",
       .summary = "The shape of what a thread holds of a B of this shape.",
       .example = {"partition_shape_B(SM80_16x8x16_F32F16F16F32_TN, (32,64))", "((2,2),4,4)"}},
      cute::partition_shape_B);
  add({.call = "partition_shape_C(mma, shape)",
       .summary = "The shape of what a thread holds of a C of this shape.",
       .example = {"partition_shape_C(SM80_16x8x16_F32F16F16F32_TN, (32,64))", "((2,2),2,8)"}},
      cute::partition_shape_C);
}

// ---- Tensors as CuTe prints them, and the functions of CuTe's sources that make tuples ----

Result<Value> layout_of_tensor(const Value& value) {
  if (const auto* tensor = value.get_if<Tensor>()) return Value(tensor->layout);
  HEDDLE_TRY(const std::optional<Value> placed, convert<OffsetOrComposedLayout>(value));
  if (!placed) {
    return refuse(
        "call.type",
        fmt::format("layout takes a tensor or a layout with an offset, not {}", kind_name(value)));
  }
  if (const auto* offset = placed->get_if<cute::OffsetLayout>()) return Value(offset->layout);
  return *placed;
}

void add_tensor_rows(const Rows& add) {
  add({.call = "layout(tensor)",
       .summary = "The layout of a tensor or a partition, without its engine or offset.",
       .example = {"layout(gmem_ptr[16b](0x7f00) o (8,64):(64,1))", "(8,64):(64,1)"}},
      layout_of_tensor);
  add({.call = "as_position_independent_swizzle_layout(tensor)",
       .summary = "The element indices of a tensor: the swizzle of its pointer, in bytes, becomes "
                  "one in elements.",
       .example = {"as_position_independent_swizzle_layout(Sw<3,4,3> o smem_ptr[16b](unset) o "
                   "(8,64):(64,1))",
                   "Sw<3,3,3> o 0 o (8,64):(64,1)"}},
      cute::as_position_independent_swizzle_layout);
  add({.call = "counting_iter(start)",
       .summary = "What counts integers from a beginning.",
       .example = {"counting_iter(5) o 8:2", "counting_iter(5) o 8:2"}},
      [](const Int& start) { return Value(Engine(cute::Counter{IntTuple(start)})); });
  add({.call = "ArithTuple(start)",
       .summary = "What counts coordinates from a beginning.",
       .example = {"ArithTuple(0,32) o (8,64):(1@0,1@1)", "ArithTuple(0,32) o (8,64):(1@0,1@1)"}},
      [](const std::vector<IntTuple>& start) {
        return Value(Engine(cute::Counter{IntTuple::of(start)}));
      });
  add({.call = "DescriptorIterator(owner)",
       .summary = "What counts 16 bytes of shared memory for the tensor cores, of \"GMMA\" or "
                  "\"UMMA\". Also: UMMA::DescriptorIterator.",
       .example = {"DescriptorIterator(\"UMMA\") o (1,4):(0,2)",
                   "UMMA::DescriptorIterator o (1,4):(0,2)"}},
      [](const std::string& owner) -> Result<Value> {
        if (owner == "GMMA" || owner == "UMMA") return Value(Engine(cute::Descriptor{owner}));
        return refuse("call.type",
                      fmt::format("argument 1 of DescriptorIterator, owner, is \"{}\"; \"GMMA\" "
                                  "or \"UMMA\" is needed",
                                  owner));
      });
  add({.call = "ScaledBasis(value, mode)",
       .summary =
           "value@mode, a stride along a mode, as CuTe DSL writes it. Also: value * E(mode).",
       .example = {"ScaledBasis(2, [0,1])", "2@1@0"}},
      [](const Int& value, const ModeNumbers& mode) -> Result<cute::StrideTuple> {
        HEDDLE_TRY(const cute::Basis basis, cute::Basis::make(mode.numbers));
        return cute::StrideTuple(cute::Stride(value, basis));
      });
  add({.call = "make_tuple(modes)",
       .summary = "The tuple with these modes; also make_shape, make_stride, make_coord, "
                  "make_tile, make_step.",
       .example = {"make_tuple(4, (2,2))", "(4,(2,2))"}},
      [](const std::vector<Value>& modes) { return tuple_of(modes); });
}

}  // namespace

void add_partition_operations(std::vector<Operation>& table) {
  add_partitions({table, "partitions"});
  add_thread_values({table, "thread-value layouts"});
  const Rows mmas = {table, "tiled MMAs"};
  add_making_mmas(mmas);
  add_operands(mmas);
  const Rows copies = {table, "tiled copies"};
  add_atoms(copies);
  add_making_copies(copies);
  add_sides(copies);
  add_tensor_rows({table, "tensors"});
}

}  // namespace heddle::notation
