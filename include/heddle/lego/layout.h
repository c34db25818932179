#pragma once

// A layout of LEGO maps the coordinates of a logical view to a flat physical position: the view is
// reshaped and its dimensions are permuted, any number of times.
//
//   GroupBy([6,4]).OrderBy(RegP([2,2],[2,1]),GenP([3,2],reverse))
//
//   [4,1] is 17 in the view; 17 is (1,0,2,1) in (2 x 2) x (3 x 2); the outer tile maps (1,0) to
//   2*0 + 1 = 1, the inner one (2,1) to 0:       apply([4,1]) = 1*6 + 0 = 6,  inv(6) = [4,1]
//
// A GroupBy opens the chain and each OrderBy after it reshapes its input to its own tiles and
// permutes each of them; GroupBy(…).OrderBy(A).OrderBy(B) applies A first, then B. TileBy and
// TileOrderBy are sugar for tiles that nest dimension by dimension:
//
//   TileBy([M//BM,K//BK],[BM,BK]).OrderBy(Row(M,K))         element (i,j) of tile (I,J)
//     =  GroupBy([M//BM,K//BK],[BM,BK]).OrderBy(RegP([M//BM,K//BK,BM,BK],[1,3,2,4]))
//                                      .OrderBy(Row(M,K))
//   …TileOrderBy(P1,P2)  =  …OrderBy(RegP(s(dims),s^-1)).OrderBy(P1,P2)
//     with s the interleaving of their dimensions: tiles P2 within the tiles of P1
//
// Sizes may be symbolic. Each OrderBy must have as many points as the GroupBy, and that is proved
// or refused: the first example needs BM | M and BK | K.
//
// ExpandBy([3,7],[4,9],G) is for partial tiles: G works on an extended space of 4 x 9, and
// positions of it outside of 3 x 7 are -1.
//
// A chain of permutations is a bijection. One GroupBy with one OrderBy of one GenP on the same tile
// may be any function: an injective layout (a broadcast, i -> 2*i), which has apply and no inv. Its
// positions are those of the function, which may be size() or more, or repeat;
// GenP::not_a_permutation() gives the point at which it leaves [0, size()) or repeats itself.
// (Seed 001, sections III-B and III-D, figures 3 to 5 and 9, with the errata.)

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "heddle/core/hash.h"
#include "heddle/core/result.h"
#include "heddle/expr/condition.h"
#include "heddle/expr/int.h"
#include "heddle/form/index_map.h"
#include "heddle/lego/genp.h"
#include "heddle/lego/permutation.h"

#pragma GCC visibility push(default)
namespace heddle::lego {

using Permutation = std::variant<RegP, GenP>;

[[nodiscard]] std::span<const Int> dims(const Permutation& permutation);
[[nodiscard]] std::string to_string(const Permutation& permutation);

/// Figure 4: the number of a point of the tile. Refuses as evaluating a GenP does.
[[nodiscard]] Result<Int> apply(const Permutation& permutation, std::span<const Int> point);
/// The point with this number. Refuses as GenP::inv().
[[nodiscard]] Result<std::vector<Int>> inv(const Permutation& permutation, const Int& flat);

/// One link of the chain: OrderBy(P1, P2, …) or TileOrderBy(P1, P2, …).
struct Order {
  std::vector<Permutation> permutations;
  bool tiled = false;

  friend bool operator==(const Order&, const Order&) = default;
};

/// `OrderBy(RegP([2,2],[2,1]),Row(3,2))`.
[[nodiscard]] std::string to_string(const Order& order);

/// The clipping of an ExpandBy: the original sizes within the extended ones.
struct Expansion {
  Sizes original;
  Sizes extended;

  friend bool operator==(const Expansion&, const Expansion&) = default;
};

/// The position that an ExpandBy gives a point, and the conditions under which it keeps it.
struct Placed {
  Int position;
  std::vector<Condition> kept;
};

/// A layout. A value, immutable; == compares what was written, equal() (lego/equality.h) the maps.
class Layout {
 public:
  /// The most links in a chain; the dimensions of one link together are at most RegP::kMaxDims.
  static constexpr std::size_t kMaxLinks = 1024;

  /// GroupBy(tiles…). Refuses `lego.tile` for no tile or an empty one and past RegP::kMaxDims,
  /// `lego.extent` for a size that is below 1, `assume.needed` for one that may be, `overflow`.
  [[nodiscard]] static Result<Layout> group_by(std::vector<Sizes> tiles);
  /// TileBy(tiles…): the levels of the tiling, outermost first. Also refuses `lego.tile` for tiles
  /// of differing dimensionality.
  [[nodiscard]] static Result<Layout> tile_by(std::vector<Sizes> tiles);

  /// The chain with one more link. Refuses `lego.sizes` if the permutations have another number of
  /// points than the layout, with the numbers, `assume.needed` if that is open, with the assumption
  /// to make; `lego.genp_range` and `lego.genp_repeated` for a GenP that is no permutation, unless
  /// this is an injective layout; `lego.expand` after an ExpandBy; `lego.tile`, `lego.extent`,
  /// `overflow`.
  [[nodiscard]] Result<Layout> order_by(std::vector<Permutation> permutations) const;
  /// TileOrderBy(P1, …, Pq), outermost level first. Also refuses `lego.tile` for permutations of
  /// differing dimensionality.
  [[nodiscard]] Result<Layout> tile_order_by(std::vector<Permutation> permutations) const;

  /// ExpandBy(original, extended, layout). Refuses `lego.expand`: lists of differing length, an
  /// original size above the extended one, extended sizes with another number of points than the
  /// layout, an injective or an expanded layout; `assume.needed`.
  [[nodiscard]] static Result<Layout> expand_by(Sizes original, Sizes extended,
                                                const Layout& layout);

  /// Whether it was written as TileBy.
  [[nodiscard]] bool is_tiled() const { return tiled_; }
  [[nodiscard]] std::span<const Sizes> tiles() const { return tiles_; }
  /// The links as they were written.
  [[nodiscard]] std::span<const Order> chain() const { return chain_; }
  [[nodiscard]] const std::optional<Expansion>& expansion() const { return expansion_; }
  /// Whether it may be no bijection: it has apply() only.
  [[nodiscard]] bool is_injective_only() const;

  /// The sizes of the logical view, all tiles one after the other.
  [[nodiscard]] Sizes dims() const;
  /// The number of points of the logical view.
  [[nodiscard]] Int size() const;
  /// One more than the greatest position of a bijective layout: size(), or the number of original
  /// points of an ExpandBy.
  [[nodiscard]] Int physical_size() const;

  /// The physical position of a point of the view, -1 for one that an ExpandBy leaves out. On
  /// symbolic coordinates this is the index expression; they must be within dims(). Refuses
  /// `lego.coordinate` for another number of coordinates and for one known to be outside,
  /// `overflow`.
  [[nodiscard]] Result<Int> apply(std::span<const Int> coordinate) const;
  /// apply() in two parts: the position, and the conditions under which it holds, which are those
  /// of the ExpandBy; apply() is -1 elsewhere. Refuses as apply().
  [[nodiscard]] Result<Placed> place(std::span<const Int> coordinate) const;
  /// The point at a physical position in [0, physical_size()). Refuses `lego.coordinate` for a
  /// position known to be outside, `lego.no_inverse` for injective layouts and if a GenP has none,
  /// `overflow`.
  [[nodiscard]] Result<std::vector<Int>> inv(const Int& position) const;

  /// The chain of OrderBys without sugar, in the order in which they are applied.
  [[nodiscard]] std::span<const std::vector<Permutation>> orders() const { return orders_; }

  friend bool operator==(const Layout& a, const Layout& b) {
    return a.tiled_ == b.tiled_ && a.tiles_ == b.tiles_ && a.chain_ == b.chain_ &&
           a.expansion_ == b.expansion_;
  }

 private:
  Layout() = default;
  [[nodiscard]] static Result<Layout> headed(std::vector<Sizes> tiles, bool tiled);
  [[nodiscard]] Result<Layout> linked(Order order) const;

  bool tiled_ = false;
  std::vector<Sizes> tiles_;
  std::vector<Order> chain_;
  std::vector<std::vector<Permutation>> orders_;
  std::optional<Expansion> expansion_;
};

/// The paper's dotted text, with the sugar as it was written.
[[nodiscard]] std::string to_string(const Layout& layout);

/// The layout as a function on its view, last dimension fastest, to positions in memory; undefined
/// where apply() refuses.
[[nodiscard]] form::IndexMap index_map(const Layout& layout);

/// The weakest evidence of any GenP; kConstruction without one.
[[nodiscard]] Evidence evidence(const Layout& layout);

}  // namespace heddle::lego
#pragma GCC visibility pop

template <>
struct std::hash<heddle::lego::Layout> : heddle::HashOfText<heddle::lego::Layout> {};
