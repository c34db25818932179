// Inverses of GenP tiles that were given without one: strided, by moved bits, otherwise a table.

#include "lego/prove_genp.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "core/text.h"
#include "expr/format.h"
#include "heddle/form/bit_matrix.h"
#include "heddle/form/recover.h"
#include "heddle/form/recover_bits.h"
#include "lego/digits.h"

namespace heddle::lego {
namespace {

using Point = std::vector<Int>;
using Inverse = std::shared_ptr<const FoundInverse>;

Inverse found(InverseKind kind, std::function<Result<Point>(const Int&)> point_at) {
  return std::make_shared<const FoundInverse>(FoundInverse{kind, std::move(point_at)});
}

/// The table as a function, for recovering a layout from it.
form::Sampler sampler_of(const std::vector<std::int64_t>& table) {
  return [&](std::int64_t flat) {
    return std::vector<std::int64_t>{table[static_cast<std::size_t>(flat)]};
  };
}

// ---- Strided ----

/// One digit of the tile, counted up or down, and the stride of its steps in the image.
struct TileDigit {
  std::size_t place = 0;
  Int size;
  bool is_reversed = false;
};

/// The digits of the tile, outermost first, by their strides in the image.
struct StridedInverse {
  Sizes dims;
  /// The digits, slowest in the image first.
  std::vector<TileDigit> steps;

  [[nodiscard]] Result<Point> operator()(const Int& flat) const {
    Sizes image_sizes;
    for (const TileDigit& step : steps) image_sizes.push_back(step.size);
    const Point image = unflatten(image_sizes, flat);
    Digits digits{Point(steps.size()), Sizes(steps.size())};
    for (std::size_t i = 0; i < steps.size(); ++i) {
      const TileDigit& step = steps[i];
      digits.values[step.place] = step.is_reversed ? step.size - 1 - image[i] : image[i];
      digits.sizes[step.place] = step.size;
    }
    return reshape(std::move(digits), dims).values;
  }
};

/// The steps in the order of a permutation: each stride is the number of points of the faster ones.
/// nullopt if the strides form no such chain.
std::optional<StridedInverse> chained(std::span<const Int> dims, const Sizes& sizes,
                                      const std::vector<Int>& strides, const Int& first) {
  StridedInverse inverse{Sizes(dims.begin(), dims.end()), {}};
  std::vector<bool> used(sizes.size());
  Int reach = 1;
  Int lowest = first;
  for (std::size_t count = 0; count < sizes.size(); ++count) {
    std::size_t next = 0;
    const auto goes_on = [&](std::size_t i) {
      return !used[i] && (strides[i] == reach || strides[i] == -reach);
    };
    while (next < sizes.size() && !goes_on(next)) ++next;
    if (next == sizes.size()) return std::nullopt;
    used[next] = true;
    const bool is_reversed = strides[next] != reach;
    inverse.steps.push_back({next, sizes[next], is_reversed});
    if (is_reversed) lowest += (sizes[next] - 1) * strides[next];
    reach *= sizes[next];
  }
  if (!known_equal(lowest, 0)) return std::nullopt;
  std::ranges::reverse(inverse.steps);
  return inverse;
}

Inverse strided_inverse(std::span<const Int> dims, const std::vector<std::int64_t>& table) {
  const auto digits = form::recover(static_cast<std::int64_t>(table.size()), 1, sampler_of(table));
  if (!digits) return nullptr;
  Sizes sizes;
  std::vector<Int> strides;
  for (std::size_t i = digits->size(); i-- > 0;) {
    sizes.push_back((*digits)[i].extent);
    strides.push_back((*digits)[i].stride[0]);
  }
  std::optional<StridedInverse> inverse = chained(dims, sizes, strides, table[0]);
  if (!inverse) return nullptr;
  return found(InverseKind::kStrided, *std::move(inverse));
}

// ---- Linear over bits ----

/// Some bits of a number, moved up (or down, for negative places).
struct Diagonal {
  std::int64_t places = 0;
  std::uint64_t mask = 0;
};

/// The matrix as the XOR of shifted and masked numbers.
std::vector<Diagonal> diagonals_of(const form::BitMatrix& matrix) {
  std::vector<Diagonal> diagonals;
  for (std::size_t column = 0; column < matrix.columns().size(); ++column) {
    for (std::size_t row = 0; row < matrix.rows(); ++row) {
      if ((matrix.columns()[column] >> row & 1U) == 0) continue;
      const std::int64_t places =
          static_cast<std::int64_t>(row) - static_cast<std::int64_t>(column);
      auto diagonal = std::ranges::find(diagonals, places, &Diagonal::places);
      if (diagonal == diagonals.end()) {
        diagonals.push_back({places, 0});
        diagonal = diagonals.end() - 1;
      }
      diagonal->mask |= std::uint64_t{1} << row;
    }
  }
  return diagonals;
}

struct BitInverse {
  Sizes dims;
  std::int64_t first = 0;
  std::vector<Diagonal> diagonals;

  [[nodiscard]] Result<Point> operator()(const Int& flat) const {
    const Int number = bit_xor(flat, first);
    Int view = 0;
    for (const auto& [places, mask] : diagonals) {
      const Int moved = places < 0 ? shift_right(number, -places) : shift_left(number, places);
      view = bit_xor(view, bit_and(moved, static_cast<std::int64_t>(mask)));
    }
    return unflatten(dims, view);
  }
};

Inverse bit_inverse(std::span<const Int> dims, const std::vector<std::int64_t>& table) {
  const auto map =
      form::recover_bit_linear(static_cast<std::int64_t>(table.size()), 1, sampler_of(table));
  if (!map) return nullptr;
  const form::BitMatrix matrix = bit_matrix(*map, {static_cast<int>(map->columns.size())}).value();
  const Result<form::BitMatrix> back = form::inverse(matrix);
  if (!back) return nullptr;
  return found(InverseKind::kBitLinear,
               BitInverse{Sizes(dims.begin(), dims.end()), table[0], diagonals_of(*back)});
}

// ---- By table ----

struct TableInverse {
  Sizes dims;
  /// The flat index in the view for each number.
  std::vector<std::int64_t> view_of;

  [[nodiscard]] Result<Point> operator()(const Int& flat) const {
    if (!flat.is_constant()) {
      return refuse(
          diagnose("lego.no_inverse",
                   "the inverse of a GenP on {} is a table of {}, which {} cannot "
                   "be looked up in",
                   to_string(dims), counted(view_of.size(), "point"), to_string(flat))
              .with_hint("give the GenP its inverse: GenP(SIZES, FUNCTION, x -> (x//3, x%3))"));
    }
    if (flat.value() < 0 || std::cmp_greater_equal(flat.value(), view_of.size())) {
      return refuse("lego.coordinate", "{} is not in [0, {})", flat.value(), view_of.size());
    }
    return unflatten(dims, view_of[static_cast<std::size_t>(flat.value())]);
  }
};

Inverse table_inverse(std::span<const Int> dims, const std::vector<std::int64_t>& table) {
  std::vector<std::int64_t> view_of(table.size());
  for (std::size_t flat = 0; flat < table.size(); ++flat) {
    view_of[static_cast<std::size_t>(table[flat])] = static_cast<std::int64_t>(flat);
  }
  return found(InverseKind::kTable,
               TableInverse{Sizes(dims.begin(), dims.end()), std::move(view_of)});
}

}  // namespace

Inverse find_inverse(std::span<const Int> dims, std::vector<std::int64_t> table) {
  if (Inverse inverse = strided_inverse(dims, table)) return inverse;
  if (Inverse inverse = bit_inverse(dims, table)) return inverse;
  return table_inverse(dims, table);
}

Inverse find_affine_inverse(std::span<const Int> dims, const PointFunction& f) {
  Point point(dims.size(), 0);
  const Result<Int> first = f(point);
  if (!first) return nullptr;
  std::vector<Int> strides;
  Int affine = *first;
  Point variables;
  for (std::size_t i = 0; i < dims.size(); ++i) {
    point[i] = 1;
    const Result<Int> next = f(point);
    if (!next) return nullptr;
    point[i] = 0;
    variables.push_back(Int::variable(fmt::format("?{}", i)));
    strides.push_back(*next - *first);
    affine += strides.back() * variables.back();
  }
  const Result<Int> value = f(variables);
  if (!value || *value != affine) return nullptr;
  std::optional<StridedInverse> inverse =
      chained(dims, Sizes(dims.begin(), dims.end()), strides, *first);
  if (!inverse) return nullptr;
  return found(InverseKind::kStrided, *std::move(inverse));
}

}  // namespace heddle::lego
