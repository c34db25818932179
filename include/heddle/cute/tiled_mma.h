#pragma once

// A tiled MMA spreads one matrix instruction over threads: the atom's threads and values, repeated
// according to an atom layout.
//
//   atom = SM80_16x8x16_F32F16F16F32_TN      32 threads compute 16 x 8 from 16 x 16 and 8 x 16
//   mma  = make_tiled_mma(atom, (2,2,1))     128 threads, 2 x 2 atoms: 32 x 16 x 16
//
//   layoutC_TV(mma)            ((4,8,2,2),((2,2),(1,1))):((64,1,16,256),((32,8),(0,0))) tile
//   (32,16) partition_C(mma, (128,128):(128,1), 5)    ((2,2),4,8):((1,1024),4096,16) offset 130
//
// An atom says for each operand which element of it each value of each thread is, as a
// thread-value layout (thread_value.h): C is M x N, A is M x K and B is N x K, all column-major.
// In a tensor that is larger than the tile of the tiled MMA, each thread gets the values of every
// tile: modes (V, M, N) with V the atom's values, M and N the repetitions.
//
// Sources: CuTe's mma_atom.hpp and mma_traits.hpp. Tensors are those of partition.h.

#include <array>
#include <string>

#include "heddle/core/result.h"
#include "heddle/cute/composed_layout.h"
#include "heddle/cute/partition.h"
#include "heddle/cute/thread_value.h"
#include "heddle/cute/tiler.h"

#pragma GCC visibility push(default)
namespace heddle::cute {

/// One of the three matrices D = A * B + C.
enum class Operand { kA, kB, kC };

/// A matrix instruction: its shape, its threads, and which elements each thread holds.
class MmaAtom {
 public:
  /// `shape` is (M,N,K), `threads` maps the atom's threads to thread indices, `a`, `b`, `c` are its
  /// thread-value layouts. Refuses `mma_atom.shape` unless these are three sizes,
  /// `mma_atom.threads` if a layout has another number of threads or two threads have the same
  /// index, and `mma_atom.operand` if a layout does not hold each element of its operand equally
  /// often.
  [[nodiscard]] static Result<MmaAtom> make(const IntTuple& shape, const Layout& threads,
                                            const Layout& a, const Layout& b, const Layout& c);

  [[nodiscard]] const IntTuple& shape_mnk() const { return shape_; }
  [[nodiscard]] const Layout& thr_id() const { return threads_; }
  [[nodiscard]] const Layout& layout(Operand operand) const;

  friend bool operator==(const MmaAtom&, const MmaAtom&) = default;

 private:
  MmaAtom(IntTuple shape, Layout threads, std::array<Layout, 3> operands)
      : shape_(std::move(shape)), threads_(std::move(threads)), operands_(std::move(operands)) {}

  IntTuple shape_;
  Layout threads_;
  /// A, B and C.
  std::array<Layout, 3> operands_;
};

/// Atoms repeated over threads, each mode of M, N, K first permuted by a tile.
class TiledMma {
 public:
  [[nodiscard]] const MmaAtom& atom() const { return atom_; }
  /// (ThrV, ThrM, ThrN, ThrK) -> thread index.
  [[nodiscard]] const Layout& thr_layout_vmnk() const { return threads_; }
  /// The tiles of M, N and K; `_` for a mode that is not permuted.
  [[nodiscard]] const Tiler& permutation_mnk() const { return permutation_; }

  friend bool operator==(const TiledMma&, const TiledMma&) = default;
  friend Result<TiledMma> make_tiled_mma(const MmaAtom& atom, const Layout& atom_layout,
                                         const Tiler& permutation);

 private:
  TiledMma(MmaAtom atom, Layout threads, Tiler permutation)
      : atom_(std::move(atom)),
        threads_(std::move(threads)),
        permutation_(std::move(permutation)) {}

  MmaAtom atom_;
  Layout threads_;
  Tiler permutation_;
};

/// The atom repeated by `atom_layout` (M,N,K) -> atom, after each mode is permuted by its tile: a
/// layout is a permutation of that many elements, a size is the size of the tile, `_` is the size
/// of the atoms. Missing modes have size 1. Refuses `tiled_mma.rank` for more than three modes,
/// `tiled_mma.threads` if two threads have the same index, and what tiled_product() refuses.
[[nodiscard]] Result<TiledMma> make_tiled_mma(const MmaAtom& atom,
                                              const Layout& atom_layout = Layout(),
                                              const Tiler& permutation = Tiler(Tile(Underscore())));

/// The sizes (M,N,K) of the tile of all threads.
[[nodiscard]] IntTuple tile_shape(const TiledMma& mma);
/// The number of threads.
[[nodiscard]] Int size(const TiledMma& mma);

/// A layout of the operand (M,N), (M,K) or (N,K), with further modes or without, by threads and
/// values: ((ThrV,(ThrM,ThrN)),(FrgV,(RestM,RestN,…))). Refuses `tiled_mma.operand` for fewer than
/// two modes, and what divides and composition() refuse.
[[nodiscard]] Result<Layout> thrfrg_A(const TiledMma& mma, const Layout& layout);
[[nodiscard]] Result<Layout> thrfrg_B(const TiledMma& mma, const Layout& layout);
[[nodiscard]] Result<Layout> thrfrg_C(const TiledMma& mma, const Layout& layout);

/// The thread-value layouts of the tile: (thread index, value) -> (M,K), (N,K), (M,N). Thread
/// indices may have gaps (in the SM70 atoms); an index in a gap holds what the thread that it goes
/// with holds. Refuses `tiled_mma.tile` if the permuted tile is no multiple of the atoms' and the
/// layout would leave it, and what complement() refuses.
[[nodiscard]] Result<TvLayout> layoutA_TV(const TiledMma& mma);
[[nodiscard]] Result<TvLayout> layoutB_TV(const TiledMma& mma);
[[nodiscard]] Result<TvLayout> layoutC_TV(const TiledMma& mma);

/// The coordinate (ThrV,ThrM,ThrN,ThrK) of a thread index. Refuses `partition.thread` for an index
/// that is not that of a thread, `assume.needed` where that is not known.
[[nodiscard]] Result<IntTuple> thread_slice(const TiledMma& mma, const Int& thread);

/// The part of a tensor that thread `thread` holds: (FrgV,RestM,RestN,…). Refuses what thrfrg and
/// thread_slice() refuse.
[[nodiscard]] Result<Part> part_of(const TiledMma& mma, Operand operand, const Layout& layout,
                                   const Int& thread);
template <class Tensor>
[[nodiscard]] auto partition_A(const TiledMma& mma, const Tensor& tensor, const Int& thread) {
  return pick(tensor, part_of(mma, Operand::kA, layout_of(tensor), thread));
}
template <class Tensor>
[[nodiscard]] auto partition_B(const TiledMma& mma, const Tensor& tensor, const Int& thread) {
  return pick(tensor, part_of(mma, Operand::kB, layout_of(tensor), thread));
}
template <class Tensor>
[[nodiscard]] auto partition_C(const TiledMma& mma, const Tensor& tensor, const Int& thread) {
  return pick(tensor, part_of(mma, Operand::kC, layout_of(tensor), thread));
}

/// The shape of the part that a thread holds of an operand of this shape.
[[nodiscard]] Result<IntTuple> partition_shape_A(const TiledMma& mma, const IntTuple& shape);
[[nodiscard]] Result<IntTuple> partition_shape_B(const TiledMma& mma, const IntTuple& shape);
[[nodiscard]] Result<IntTuple> partition_shape_C(const TiledMma& mma, const IntTuple& shape);

/// Line by line, as CuTe prints them.
[[nodiscard]] std::string to_string(const MmaAtom& atom);
[[nodiscard]] std::string to_string(const TiledMma& mma);

}  // namespace heddle::cute
#pragma GCC visibility pop
