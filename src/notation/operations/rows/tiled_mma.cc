// Operations on MMA atoms and tiled MMAs.

#include <algorithm>

#include "heddle/cute/atoms.h"
#include "heddle/cute/tiled_mma.h"
#include "notation/operations/binding.h"
#include "notation/operations/rows/tiled.h"

namespace heddle::notation {
namespace {

using cute::Layout;
using cute::MmaAtom;
using cute::TiledMma;
using cute::Tiler;

constexpr const char* kTiledMmas = "tiled MMAs";
constexpr TiledFamily<TiledMma> kMmas = {kTiledMmas, "mma"};

void add_names_with(const std::string& part, const std::vector<std::string>& names,
                    std::string& text) {
  for (const std::string& name : names) {
    if (name.find(part) == std::string::npos) continue;
    text += text.empty() ? name : " " + name;
  }
}

void add_making_mmas(std::vector<Operation>& table) {
  table.push_back(operation(
      "mma_atom_of", kTiledMmas, {"shape", "threads", "a", "b", "c"},
      "A matrix instruction from its shape (M,N,K), threads and thread-value layouts.",
      "tile_shape(mma_atom_of((1,1,4), 1:0, (1,4):(0,1), (1,4):(0,1), (1,1):(0,0)))", "(1,1,4)",
      [](const IntTuple& shape, const Layout& threads, const Layout& a, const Layout& b,
         const Layout& c) { return MmaAtom::make(shape, threads, a, b, c); }));
  table.push_back(operation(
      "atom_names", kTiledMmas, {"part"},
      "The names of the known MMA and copy atoms that contain a text.", "atom_names(\"SM90_U32x\")",
      "SM90_U32x1_STSM_N SM90_U32x2_STSM_N SM90_U32x4_STSM_N", [](const std::string& part) {
        std::string text;
        add_names_with(part, cute::mma_atom_names(), text);
        add_names_with(part, cute::copy_atom_names(), text);
        return text;
      }));
  table.push_back(operation(
      "make_tiled_mma", kTiledMmas, {"atom", "atoms=(1,1,1)", "permutation=<_,_,_>"},
      "An MMA atom repeated after a layout (M,N,K) -> atom, M, N and K permuted before by tiles.",
      "tile_shape(make_tiled_mma(SM70_8x8x4_F32F16F16F32_TN, (2,2), <_,32,_>))", "(16,32,4)",
      [](const MmaAtom& atom, const std::optional<Layout>& atoms,
         const std::optional<Tiler>& permutation) {
        return cute::make_tiled_mma(atom, atoms.value_or(Layout()),
                                    permutation.value_or(Tiler(cute::Tile(cute::Underscore()))));
      }));
  table.push_back(operation(
      "thr_layout_vmnk", kTiledMmas, {"mma"},
      "The threads of a tiled MMA: (thread of the atom, M, N, K) -> thread.",
      "thr_layout_vmnk(make_tiled_mma(SM80_16x8x16_F32F16F16F32_TN, (2,2,1)))",
      "(32,2,2,1):(1,32,64,0)", [](const TiledMma& mma) { return mma.thr_layout_vmnk(); }));
  table.push_back(operation(
      "thread_slice", kTiledMmas, {"mma", "thread"},
      "The coordinate of a thread index in thr_layout_vmnk.",
      "thread_slice(make_tiled_mma(SM80_16x8x16_F32F16F16F32_TN, (2,2,1)), 70)", "(6,0,1,0)",
      [](const TiledMma& mma, const Int& thread) { return cute::thread_slice(mma, thread); }));
}

using OnShape = Result<IntTuple> (*)(const TiledMma&, const IntTuple&);

void add_shape(std::vector<Operation>& table, const TiledRow& row, OnShape function) {
  kMmas.add(table, row, {"shape"}, [function](const TiledMma& mma, const IntTuple& shape) {
    return function(mma, shape);
  });
}

void add_operands(std::vector<Operation>& table) {
  kMmas.add_layout_tv(table,
                      {"layoutA_TV", "Who holds what of the tile of A: (thread, value) -> (M,K).",
                       "layoutA_TV(make_tiled_mma(SM80_16x8x16_F32F16F16F32_TN, (2,2,1)))",
                       "((4,8,2,2),((2,2,2),(1,1))):((64,1,16,0),((32,8,256),(0,0))) tile (32,16)"},
                      cute::layoutA_TV);
  kMmas.add_layout_tv(table,
                      {"layoutB_TV", "Who holds what of the tile of B: (thread, value) -> (N,K).",
                       "layoutB_TV(make_tiled_mma(SM80_16x8x16_F32F16F16F32_TN, (2,2,1)))",
                       "((4,8,2,2),((2,2),(1,1))):((32,1,0,8),((16,128),(0,0))) tile (16,16)"},
                      cute::layoutB_TV);
  kMmas.add_layout_tv(table,
                      {"layoutC_TV", "Who holds what of the tile of C: (thread, value) -> (M,N).",
                       "layoutC_TV(make_tiled_mma(SM80_16x8x16_F32F16F16F32_TN, (2,2,1)))",
                       "((4,8,2,2),((2,2),(1,1))):((64,1,16,256),((32,8),(0,0))) tile (32,16)"},
                      cute::layoutC_TV);
  kMmas.add_division(table,
                     {"thrfrg_A", "A layout (M,K) by threads and values: ((V,(M,K)),(V,(M,K))).",
                      "thrfrg_A(SM80_8x8x4_F64F64F64F64_TN, (16,8))",
                      "(((4,8),(1,1)),(1,(2,2))):(((16,1),(0,0)),(0,(8,64)))"},
                     cute::thrfrg_A);
  kMmas.add_division(table,
                     {"thrfrg_B", "A layout (N,K) by threads and values: ((V,(N,K)),(V,(N,K))).",
                      "thrfrg_B(SM80_8x8x4_F64F64F64F64_TN, (16,8))",
                      "(((4,8),(1,1)),(1,(2,2))):(((16,1),(0,0)),(0,(8,64)))"},
                     cute::thrfrg_B);
  kMmas.add_division(table,
                     {"thrfrg_C", "A layout (M,N) by threads and values: ((V,(M,N)),(V,(M,N))).",
                      "thrfrg_C(SM80_8x8x4_F64F64F64F64_TN, (16,8))",
                      "(((4,8),(1,1)),(2,(2,1))):(((32,1),(0,0)),(16,(8,0)))"},
                     cute::thrfrg_C);
  kMmas.add_partition(table,
                      {"partition_A", "What a thread holds of A: (V, M, K).",
                       "partition_A(SM80_16x8x16_F32F16F16F32_TN, (32,64):(64,1), 5)",
                       "((2,2,2),2,4):((1,512,8),1024,16) offset 66"},
                      [](const TiledMma& mma, const auto& tensor, const Int& thread) {
                        return cute::partition_A(mma, tensor, thread);
                      });
  kMmas.add_partition(table,
                      {"partition_B", "What a thread holds of B: (V, N, K).",
                       "partition_B(SM80_16x8x16_F32F16F16F32_TN, (32,64):(64,1), 5)",
                       "((2,2),4,4):((1,8),512,16) offset 66"},
                      [](const TiledMma& mma, const auto& tensor, const Int& thread) {
                        return cute::partition_B(mma, tensor, thread);
                      });
  kMmas.add_partition(table,
                      {"partition_C", "What a thread holds of C: (V, M, N).",
                       "partition_C(SM80_16x8x16_F32F16F16F32_TN, (32,64):(64,1), 5)",
                       "((2,2),2,8):((1,512),1024,8) offset 66"},
                      [](const TiledMma& mma, const auto& tensor, const Int& thread) {
                        return cute::partition_C(mma, tensor, thread);
                      });
  add_shape(table,
            {"partition_shape_A", "The shape of what a thread holds of an A of this shape.",
             "partition_shape_A(SM80_16x8x16_F32F16F16F32_TN, (32,64))", "((2,2,2),2,4)"},
            cute::partition_shape_A);
  add_shape(table,
            {"partition_shape_B", "The shape of what a thread holds of a B of this shape.",
             "partition_shape_B(SM80_16x8x16_F32F16F16F32_TN, (32,64))", "((2,2),4,4)"},
            cute::partition_shape_B);
  add_shape(table,
            {"partition_shape_C", "The shape of what a thread holds of a C of this shape.",
             "partition_shape_C(SM80_16x8x16_F32F16F16F32_TN, (32,64))", "((2,2),2,8)"},
            cute::partition_shape_C);
}

}  // namespace

void add_tiled_mma_operations(std::vector<Operation>& table) {
  add_making_mmas(table);
  add_operands(table);
}

}  // namespace heddle::notation
