// Operations on copy atoms and tiled copies.

#include "heddle/cute/tiled_copy.h"
#include "heddle/cute/atoms.h"
#include "notation/operations/binding.h"
#include "notation/operations/rows/tiled.h"

namespace heddle::notation {
namespace {

using cute::CopyAtom;
using cute::Layout;
using cute::TiledCopy;
using cute::TiledMma;
using cute::Tiler;

constexpr const char* kTiledCopies = "tiled copies";
constexpr TiledFamily<TiledCopy> kCopies = {kTiledCopies, "copy"};

void add_atoms(std::vector<Operation>& table) {
  table.push_back(operation(
      "copy_atom", kTiledCopies, {"instruction", "value_bits"},
      "A copy instruction on values of so many bits.",
      "size(tidfrg_S(make_tiled_copy(copy_atom(SM75_U32x4_LDSM_N, 16), (16,2), (1,8)), (16,16)))",
      "256", [](const CopyAtom& instruction, const Int& bits) {
        return cute::copy_atom(instruction, bits);
      }));
  table.push_back(operation(
      "copy_atom_of", kTiledCopies, {"threads", "source", "destination", "reference", "bits=1"},
      "A copy instruction from its threads and thread-value layouts, values of so many bits.",
      "tile_shape(make_tiled_copy(copy_atom_of(1:0, (1,4), (1,4), (1,4)), (8,4), (1,4)))", "(8,16)",
      [](const Layout& threads, const Layout& source, const Layout& destination,
         const Layout& reference, const std::optional<Int>& bits) {
        return CopyAtom::make(threads, source, destination, reference, bits.value_or(1));
      }));
  table.push_back(
      operation("universal_copy", kTiledCopies, {"bits", "value_bits"},
                "Each thread moves so many bits of its own, as values of so many bits.",
                "tile_shape(make_tiled_copy(universal_copy(128, 16), (16,8):(8,1), (1,8)))",
                "(16,64)", [](const Int& bits, const Int& value_bits) {
                  return cute::universal_copy(bits, value_bits);
                }));
}

using FromMma = Result<TiledCopy> (*)(const CopyAtom&, const TiledMma&);
using FromCopy = Result<TiledCopy> (*)(const CopyAtom&, const TiledCopy&);

void add_from_mma(std::vector<Operation>& table, const TiledRow& row, FromMma function) {
  table.push_back(operation(
      row.name, kTiledCopies, {"atom", "mma"}, row.summary, row.example, row.result,
      [function](const CopyAtom& atom, const TiledMma& mma) { return function(atom, mma); }));
}

void add_from_copy(std::vector<Operation>& table, const TiledRow& row, FromCopy function) {
  table.push_back(operation(
      row.name, kTiledCopies, {"atom", "copy"}, row.summary, row.example, row.result,
      [function](const CopyAtom& atom, const TiledCopy& copy) { return function(atom, copy); }));
}

void add_making_copies(std::vector<Operation>& table) {
  table.push_back(operation(
      "make_tiled_copy", kTiledCopies, {"atom", "threads", "values=1"},
      "A copy atom over layouts (m,n) -> thread and (m,n) -> value.",
      "layoutD_TV(make_tiled_copy(universal_copy(128, 16), (4,8):(8,1), (1,8)))",
      "((8,4),(8,1)):((32,1),(4,0)) tile (4,64)",
      [](const CopyAtom& atom, const Layout& threads, const std::optional<Layout>& values) {
        return cute::make_tiled_copy(atom, threads, values.value_or(Layout()));
      }));
  table.push_back(operation(
      "make_tiled_copy_impl", kTiledCopies, {"atom", "layout_tv", "tiler"},
      "A copy atom over a thread-value layout of the tile that a tiler cuts out.",
      "layoutS_TV(make_tiled_copy_impl(universal_copy(64, 32), ((4,2),2):((4,1),2), (4,4)))",
      "((4,2),(2,1)):((4,1),(2,0)) tile (4,4)",
      [](const CopyAtom& atom, const Layout& tv, const Tiler& tiler) {
        return cute::make_tiled_copy_impl(atom, cute::TvLayout{tv, tiler});
      }));
  table.push_back(operation(
      "make_cotiled_copy", kTiledCopies, {"atom", "layout_tv", "data"},
      "A copy atom over (thread, value) -> address, for data laid out as coordinate -> address.",
      "tile_shape(make_cotiled_copy(universal_copy(32, 8), (8,4):(4,1), (16,8):(8,1)))", "(4,8)",
      [](const CopyAtom& atom, const Layout& tv, const Layout& data) {
        return cute::make_cotiled_copy(atom, tv, data);
      }));
  add_from_mma(table,
               {"make_tiled_copy_A", "A copy atom as an MMA holds its A.",
                "tile_shape(make_tiled_copy_A(copy_atom(SM75_U32x4_LDSM_N, 16), "
                "SM80_16x8x16_F32F16F16F32_TN))",
                "(16,16)"},
               cute::make_tiled_copy_A);
  add_from_mma(table,
               {"make_tiled_copy_B", "A copy atom as an MMA holds its B.",
                "tile_shape(make_tiled_copy_B(copy_atom(SM75_U32x2_LDSM_N, 16), "
                "SM80_16x8x16_F32F16F16F32_TN))",
                "(8,16)"},
               cute::make_tiled_copy_B);
  add_from_mma(table,
               {"make_tiled_copy_C", "A copy atom as an MMA holds its C.",
                "tile_shape(make_tiled_copy_C(universal_copy(64, 32), "
                "SM80_16x8x16_F32F16F16F32_TN))",
                "(16,8)"},
               cute::make_tiled_copy_C);
  add_from_mma(table,
               {"make_tiled_copy_C_atom", "The smallest one for part of an MMA's C.",
                "tile_shape(make_tiled_copy_C_atom(universal_copy(64, 32), "
                "make_tiled_mma(SM80_16x8x16_F32F16F16F32_TN, (2,2,1))))",
                "(16,16)"},
               cute::make_tiled_copy_C_atom);
  add_from_copy(table,
                {"make_tiled_copy_S", "A copy atom as another tiled copy holds its source.",
                 "tile_shape(make_tiled_copy_S(universal_copy(16, 16), "
                 "make_tiled_copy(universal_copy(128, 16), (4,8):(8,1), (1,8))))",
                 "(4,64)"},
                cute::make_tiled_copy_S);
  add_from_copy(table,
                {"make_tiled_copy_D", "A copy atom as another tiled copy holds its destination.",
                 "tile_shape(make_tiled_copy_D(universal_copy(16, 16), "
                 "make_tiled_copy(universal_copy(128, 16), (4,8):(8,1), (1,8))))",
                 "(4,64)"},
                cute::make_tiled_copy_D);
}

void add_sides(std::vector<Operation>& table) {
  kCopies.add_layout_tv(table,
                        {"layoutS_TV", "Who reads what of the tile: (thread, value) -> element.",
                         "layoutS_TV(make_tiled_copy_A(copy_atom(SM75_U32x4_LDSM_N, 16), "
                         "SM80_16x8x16_F32F16F16F32_TN))",
                         "((16,2),(8,1)):((1,128),(16,0)) tile (16,16)"},
                        cute::layoutS_TV);
  kCopies.add_layout_tv(table,
                        {"layoutD_TV", "Who gets what of the tile: (thread, value) -> element.",
                         "layoutD_TV(make_tiled_copy_A(copy_atom(SM75_U32x4_LDSM_N, 16), "
                         "SM80_16x8x16_F32F16F16F32_TN))",
                         "((4,8),((2,2,2),1)):((32,1),((16,8,128),0)) tile (16,16)"},
                        cute::layoutD_TV);
  kCopies.add_division(table,
                       {"tidfrg_S", "A layout by source threads and values: (Thr,(V,X),(M,N)).",
                        "tidfrg_S(make_tiled_copy(universal_copy(64, 16), (4,2), (1,4)), (8,16))",
                        "((4,2),(4,1),(2,2)):((1,32),(8,0),(4,64))"},
                       cute::tidfrg_S);
  kCopies.add_division(
      table,
      {"tidfrg_D", "A layout by destination threads and values: (Thr,(V,X),(M,N)).",
       "tidfrg_D(make_tiled_copy(universal_copy(64, 16), (4,2), (1,4)), (8,16))",
       "((4,2),(4,1),(2,2)):((1,32),(8,0),(4,64))"},
      cute::tidfrg_D);
  kCopies.add_partition(
      table,
      {"partition_S", "What a thread reads: ((V,X), M, N).",
       "partition_S(make_tiled_copy(universal_copy(128, 16), (16,8):(8,1), (1,8)), "
       "(128,64):(64,1), 5)",
       "((8,1),8,1):((1,0),1024,0) offset 40"},
      [](const TiledCopy& copy, const auto& tensor, const Int& thread) {
        return cute::partition_S(copy, tensor, thread);
      });
  kCopies.add_partition(
      table,
      {"partition_D", "What a thread writes: ((V,X), M, N).",
       "partition_D(make_tiled_copy(universal_copy(128, 16), (16,8):(8,1), (1,8)), "
       "Sw<3,3,3> o 0 o (128,64):(64,1), 13)",
       "Sw<3,3,3> o 104 o ((8,1),8,1):((1,0),1024,0)"},
      [](const TiledCopy& copy, const auto& tensor, const Int& thread) {
        return cute::partition_D(copy, tensor, thread);
      });
  table.push_back(operation(
      "retile", kTiledCopies, {"copy", "fragment"},
      "A fragment (V, M, N) of an MMA, the same registers as the values of a copy.",
      "retile(make_tiled_copy_C(universal_copy(64, 32), SM80_16x8x16_F32F16F16F32_TN), "
      "((2,2),4,2))",
      "((2,2),4,2):((1,2),4,16)",
      [](const TiledCopy& copy, const Layout& fragment) { return cute::retile(copy, fragment); }));
}

}  // namespace

void add_tiled_copy_operations(std::vector<Operation>& table) {
  add_atoms(table);
  add_making_copies(table);
  add_sides(table);
}

}  // namespace heddle::notation
