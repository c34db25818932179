#pragma once

// A regular permutation reorders the dimensions of a tile: RegP(dims, sigma) stores a tile of these
// dims as one of the dims in the order sigma, last one fastest.
//
//   RegP([2,3,2,3],[1,3,2,4])     (i,j,k,l)  ->  the flat index of (i,k,j,l) in 2 x 2 x 3 x 3
//   Row(4,8)  =  RegP([4,8],[1,2])                row-major
//   Col(4,8)  =  RegP([4,8],[2,1])                column-major
//
// sigma counts from 1, and sigma(dims) is the list of dims[sigma[1]], dims[sigma[2]], ….
// (Seed 001, section III-B and figure 4; Col with the errata: its dims are not reversed.)

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "heddle/core/hash.h"
#include "heddle/core/result.h"
#include "heddle/core/stream.h"
#include "heddle/expr/int.h"
#include "heddle/form/index_map.h"

#pragma GCC visibility push(default)
namespace heddle::lego {

using streams::operator<<;

/// The sizes of a tile, outermost dimension first.
using Sizes = std::vector<Int>;

/// `[6,4]`, `[M//BM,BK]`.
[[nodiscard]] std::string to_string(std::span<const Int> sizes);

/// The number of points of a tile, and the paper's B and its inverse.
using form::flatten;
using form::product;
using form::unflatten;

/// How a permutation was written, to print it the same way.
enum class Sugar : std::uint8_t { kNone, kRow, kCol };

/// A regular permutation. A value, immutable; == compares what was written, including the sugar.
class RegP {
 public:
  /// More dimensions than any tile needs.
  static constexpr std::size_t kMaxDims = 1024;

  /// Refuses `lego.permutation` if sigma is no permutation of 1 … d, `lego.tile` for no dimensions
  /// or more than kMaxDims, `lego.extent` for a size known to be below 1, `overflow`.
  [[nodiscard]] static Result<RegP> make(Sizes dims, std::vector<std::int64_t> sigma);
  /// Row(dims…): sigma = [1 … d].
  [[nodiscard]] static Result<RegP> row(Sizes dims);
  /// Col(dims…): sigma = [d … 1].
  [[nodiscard]] static Result<RegP> col(Sizes dims);

  [[nodiscard]] std::span<const Int> dims() const { return dims_; }
  /// The order of the dimensions, counted from 1.
  [[nodiscard]] std::span<const std::int64_t> sigma() const { return sigma_; }
  [[nodiscard]] Sugar sugar() const { return sugar_; }
  /// sigma(dims): the dims in the order in which the tile is stored.
  [[nodiscard]] Sizes physical_dims() const;

  /// Figure 4: the flat index of sigma(point) in sigma(dims). The point must be in the tile.
  [[nodiscard]] Int apply(std::span<const Int> point) const;
  /// The point with this number in [0, product(dims())).
  [[nodiscard]] std::vector<Int> inv(const Int& flat) const;

  friend bool operator==(const RegP&, const RegP&) = default;

 private:
  RegP(Sizes dims, std::vector<std::int64_t> sigma, Sugar sugar)
      : dims_(std::move(dims)), sigma_(std::move(sigma)), sugar_(sugar) {}

  Sizes dims_;
  std::vector<std::int64_t> sigma_;
  Sugar sugar_;
};

/// `RegP([2,2],[2,1])`, `Row(4,8)`.
[[nodiscard]] std::string to_string(const RegP& permutation);

/// sigma(items): items[sigma[1]], items[sigma[2]], ….
[[nodiscard]] std::vector<Int> permuted(std::span<const std::int64_t> sigma,
                                        std::span<const Int> items);
/// sigma^-1: [1 … d] scattered to the places in sigma.
[[nodiscard]] std::vector<std::int64_t> inverse(std::span<const std::int64_t> sigma);
/// sigma(d x q) of section III-B: q levels of d dimensions become, dimension by dimension, their q
/// levels. interleaving(3, 2) = [1,3,5,2,4,6].
[[nodiscard]] std::vector<std::int64_t> interleaving(std::size_t levels, std::size_t dimensions);

}  // namespace heddle::lego
#pragma GCC visibility pop

template <>
struct std::hash<heddle::lego::RegP> : heddle::HashOfText<heddle::lego::RegP> {};
