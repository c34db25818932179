#pragma once

// A tiled copy spreads one copy instruction over threads and values of a tile.
//
//   atom = copy_atom(SM75_U32x4_LDSM_N, 16)                   32 threads load 8 halves each
//   copy = make_tiled_copy_A(atom, mma)                       for operand A of a tiled MMA
//   copy = make_tiled_copy(universal_copy(128, 16), (16,8):(8,1), (1,8))
//
//   partition_S(copy, (128,64):(64,1), 5)      ((8,1),8,1):((1,0),1024,0) offset 40
//
// The thread that reads an element need not be the one that receives it (in ldmatrix they differ).
// An atom describes both, as thread-value layouts onto an arbitrary numbering of the elements of
// one copy, and a third one, the reference, by which the tiled copy's own thread-value layout
// numbers threads and values.
//
// Sources: CuTe's copy_atom.hpp and copy_traits.hpp. Tensors are those of partition.h.

#include <string>

#include "heddle/core/result.h"
#include "heddle/cute/composed_layout.h"
#include "heddle/cute/manipulation.h"
#include "heddle/cute/thread_value.h"
#include "heddle/cute/tiled_mma.h"

#pragma GCC visibility push(default)
namespace heddle::cute {

/// The two sides of a copy.
enum class Side { kSource, kDestination };

/// A copy instruction: its threads, and which elements each holds on either side.
class CopyAtom {
 public:
  /// Layouts (thread, value) -> element; `bits` is the width of a value. Refuses
  /// `copy_atom.threads` if a layout has another number of threads, `copy_atom.reference` if the
  /// reference does not number the elements without gaps or a side has elements that it lacks, and
  /// `copy_atom.bits` for a width below 1 (`assume.needed` if that is not known).
  [[nodiscard]] static Result<CopyAtom> make(const Layout& threads, const Layout& source,
                                             const Layout& destination, const Layout& reference,
                                             const Int& bits);

  [[nodiscard]] const Layout& thr_id() const { return threads_; }
  [[nodiscard]] const Layout& layout_src() const { return source_; }
  [[nodiscard]] const Layout& layout_dst() const { return destination_; }
  [[nodiscard]] const Layout& layout_ref() const { return reference_; }
  [[nodiscard]] const Int& value_bits() const { return bits_; }

  friend bool operator==(const CopyAtom&, const CopyAtom&) = default;

 private:
  CopyAtom(Layout threads, Layout source, Layout destination, Layout reference, Int bits)
      : threads_(std::move(threads)),
        source_(std::move(source)),
        destination_(std::move(destination)),
        reference_(std::move(reference)),
        bits_(std::move(bits)) {}

  Layout threads_;
  Layout source_;
  Layout destination_;
  Layout reference_;
  Int bits_;
};

/// The same instruction on values of another width, like Copy_Atom<Instruction, T>. Refuses what
/// recast() refuses.
[[nodiscard]] Result<CopyAtom> copy_atom(const CopyAtom& instruction, const Int& value_bits);
/// One thread moves `bits` bits as values of `value_bits`: UniversalCopy, cp.async, and other
/// instructions in which each thread moves a run of its own. Refuses `copy_atom.bits` unless the
/// values divide the bits, and `assume.needed` if that is not known.
[[nodiscard]] Result<CopyAtom> universal_copy(const Int& bits, const Int& value_bits);

/// A copy atom, the thread-value layout of the tile, and the tiler that cuts the tile out.
class TiledCopy {
 public:
  [[nodiscard]] const CopyAtom& atom() const { return atom_; }
  /// The thread-value layout of the tile in the atom's reference numbering.
  [[nodiscard]] const Layout& layout_tv() const { return tv_.layout; }
  [[nodiscard]] const Tiler& tiler() const { return tv_.tiler; }

  friend bool operator==(const TiledCopy&, const TiledCopy&) = default;
  friend Result<TiledCopy> make_tiled_copy_impl(const CopyAtom& atom, const TvLayout& tv);

 private:
  TiledCopy(CopyAtom atom, TvLayout tv) : atom_(std::move(atom)), tv_(std::move(tv)) {}

  CopyAtom atom_;
  TvLayout tv_;
};

/// A tiled copy from a thread-value layout. Refuses `tiled_copy.atom` if its numbers of threads and
/// values are not multiples of the atom's, `tv.outside` if it leaves the tile, and
/// `tiled_copy.tile` for a tiler that does not say how large its tile is.
[[nodiscard]] Result<TiledCopy> make_tiled_copy_impl(const CopyAtom& atom, const TvLayout& tv);
/// A tiled copy from layouts (m,n) -> thread and (m,n) -> value, by make_layout_tv().
[[nodiscard]] Result<TiledCopy> make_tiled_copy(const CopyAtom& atom, const Layout& threads,
                                                const Layout& values);
/// A tiled copy from addresses: `tv` maps threads and values to the addresses of `data`, a layout
/// from coordinates to addresses. Refuses `tiled_copy.address` if `tv` has an address that `data`
/// lacks.
[[nodiscard]] Result<TiledCopy> make_cotiled_copy(const CopyAtom& atom, const Layout& tv,
                                                  const Layout& data);
/// A tiled copy for an operand of a tiled MMA, with its thread-value layout and tile.
[[nodiscard]] Result<TiledCopy> make_tiled_copy_A(const CopyAtom& atom, const TiledMma& mma);
[[nodiscard]] Result<TiledCopy> make_tiled_copy_B(const CopyAtom& atom, const TiledMma& mma);
[[nodiscard]] Result<TiledCopy> make_tiled_copy_C(const CopyAtom& atom, const TiledMma& mma);
/// The smallest tiled copy for a part of C: it has as many values as one atom copies.
[[nodiscard]] Result<TiledCopy> make_tiled_copy_C_atom(const CopyAtom& atom, const TiledMma& mma);
/// A tiled copy for the source or the destination of another tiled copy.
[[nodiscard]] Result<TiledCopy> make_tiled_copy_S(const CopyAtom& atom, const TiledCopy& copy);
[[nodiscard]] Result<TiledCopy> make_tiled_copy_D(const CopyAtom& atom, const TiledCopy& copy);

/// The sizes of the tile, mode by mode.
[[nodiscard]] IntTuple tile_shape(const TiledCopy& copy);
/// The number of threads.
[[nodiscard]] Int size(const TiledCopy& copy);

/// The thread-value layouts of the two sides: (thread, value) -> element of the copy's tile.
[[nodiscard]] Result<TvLayout> layoutS_TV(const TiledCopy& copy);
[[nodiscard]] Result<TvLayout> layoutD_TV(const TiledCopy& copy);

/// A layout by threads and values: (Thr,(FrgV,FrgX),(RestM,RestN,…)), FrgV being the atom's values.
/// Refuses `tiler.rank` for fewer modes than the tiler has, and what zipped_divide() refuses.
[[nodiscard]] Result<Layout> tidfrg_S(const TiledCopy& copy, const Layout& layout);
[[nodiscard]] Result<Layout> tidfrg_D(const TiledCopy& copy, const Layout& layout);

/// The part that thread `thread` reads or writes: ((FrgV,FrgX),RestM,RestN,…). Refuses
/// `partition.thread` for an index that is not that of a thread, `assume.needed` if that is not
/// known.
[[nodiscard]] Result<Part> part_of(const TiledCopy& copy, Side side, const Layout& layout,
                                   const Int& thread);
template <class Tensor>
[[nodiscard]] auto partition_S(const TiledCopy& copy, const Tensor& tensor, const Int& thread) {
  return pick(tensor, part_of(copy, Side::kSource, layout_of(tensor), thread));
}
template <class Tensor>
[[nodiscard]] auto partition_D(const TiledCopy& copy, const Tensor& tensor, const Int& thread) {
  return pick(tensor, part_of(copy, Side::kDestination, layout_of(tensor), thread));
}

/// A fragment that was partitioned by an MMA, (V,M,N,…), seen as the copy's values: the same
/// registers as ((FrgV,FrgX),RestM,RestN,…). CuTe's retile_S and retile_D.
[[nodiscard]] Result<Layout> retile(const TiledCopy& copy, const Layout& fragment);

/// Line by line, as CuTe prints them.
[[nodiscard]] std::string to_string(const CopyAtom& atom);
[[nodiscard]] std::string to_string(const TiledCopy& copy);

}  // namespace heddle::cute
#pragma GCC visibility pop
