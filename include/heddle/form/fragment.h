#pragma once

// A fragment says where a machine keeps the elements of a small matrix: which lane, register or row
// holds what. It deals the elements out, like cards: each deal gives the next `extent` places of
// one kind the next elements along one dimension of the matrix.
//
//   A of v_mfma_f32_32x32x8f16, 32 rows of 8 columns in 64 lanes of 4 elements:
//
//     Fragment({"register", "lane"}, {"row", "col"},
//              {{"register", "col", 4}, {"lane", "row", 32}, {"lane", "col", 2}})
//
//     lane 0    (0,0) (0,1) (0,2) (0,3)       registers take 4 neighbours of a row,
//     lane 1    (1,0) (1,1) (1,2) (1,3)       lanes then go down 32 rows,
//     …
//     lane 32   (0,4) (0,5) (0,6) (0,7)       and then to the other 4 columns
//
// Nearly all instructions of all machines are dealt in this way; the systems read their atoms and
// encodings from fragments (cute/fragment.h, linear/fragment.h, axe/fragment.h).

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "heddle/form/index_map.h"

#pragma GCC visibility push(default)
namespace heddle::form {

/// The next `extent` places of a kind take the next `extent` elements along a dimension.
struct Deal {
  std::string_view place;
  /// A dimension of the matrix, or one of the two below.
  std::string_view dim;
  std::int64_t extent = 1;
  /// The first place takes the last of the elements (POWER's accumulators).
  bool descending = false;
  /// Of unused places: the one that does hold something (a tile of Arm's ZA has every fourth row).
  std::int64_t held = 0;
  /// How far apart the elements are along the dimension, where an earlier deal passes over elements
  /// that a later one takes (RDNA4's waves of 64); 0 for the next ones.
  std::int64_t step = 0;
};
/// The next places hold the same elements as the ones before.
inline constexpr std::string_view kCopies = "copies";
/// Of the next places only one holds something, `held`, the first unless said otherwise.
inline constexpr std::string_view kUnused = "unused";

class Fragment {
 public:
  /// `extent` steps of `stride`, and which way: along dimension or place `index`, which is none for
  /// copies and unused places.
  struct Mode {
    std::optional<std::size_t> index;
    std::int64_t extent = 1;
    std::int64_t stride = 1;
    bool descending = false;
    /// Whether nothing is held there but in one place, `held`.
    bool unused = false;
    std::int64_t held = 0;

    friend bool operator==(const Mode&, const Mode&) = default;
  };
  struct Extent {
    std::string name;
    std::int64_t size = 1;

    friend bool operator==(const Extent&, const Extent&) = default;
  };

  /// Deals of extent 1 do nothing; a place or a dimension without others has size 1.
  Fragment(std::vector<std::string_view> places, std::vector<std::string_view> dims,
           const std::vector<Deal>& deals);

  /// The places and the dimensions with their sizes, in the order given.
  [[nodiscard]] const std::vector<Extent>& places() const { return places_; }
  [[nodiscard]] const std::vector<Extent>& dims() const { return dims_; }
  /// The number of this place or dimension; nullopt if there is none of that name.
  [[nodiscard]] std::optional<std::size_t> place(std::string_view name) const;
  [[nodiscard]] std::optional<std::size_t> dim(std::string_view name) const;
  /// The number of places that hold each element.
  [[nodiscard]] std::int64_t copies() const;
  /// Whether some places hold nothing; whether some hold the elements from the last one on; whether
  /// every extent is a power of two.
  [[nodiscard]] bool has_unused() const;
  [[nodiscard]] bool has_descending() const;
  [[nodiscard]] bool is_binary() const;

  /// What the places of one kind hold, fastest mode first: steps along the dimensions.
  [[nodiscard]] const std::vector<Mode>& modes_of_place(std::size_t place) const {
    return of_places_[place];
  }
  /// Where the elements of one dimension are, fastest mode first: steps along the places.
  [[nodiscard]] const std::vector<Mode>& modes_of_dim(std::size_t dim) const {
    return of_dims_[dim];
  }

  friend bool operator==(const Fragment&, const Fragment&) = default;

 private:
  std::vector<Extent> places_;
  std::vector<Extent> dims_;
  std::vector<std::vector<Mode>> of_places_;
  std::vector<std::vector<Mode>> of_dims_;
};

/// (place, …) -> (dimension, …), the first place fastest. Unused places must not be asked for.
[[nodiscard]] IndexMap index_map(const Fragment& fragment);

/// `register: col 4, lane: row 32, col 2`: the modes of each place, fastest first.
[[nodiscard]] std::string to_string(const Fragment& fragment);

}  // namespace heddle::form
#pragma GCC visibility pop
