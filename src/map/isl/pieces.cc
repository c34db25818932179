#include "map/isl/pieces.h"

#include <isl/aff.h>
#include <isl/constraint.h>
#include <isl/local_space.h>
#include <isl/set.h>
#include <isl/space.h>

#include <algorithm>

namespace heddle::map {
namespace {

/// A number of isl's that does not fit an integer of 64 bits.
struct TooLarge {};

std::int64_t number_or_throw(const isl::val& value) {
  const std::optional<std::int64_t> result = number(value);
  if (!result) throw TooLarge();
  return *result;
}

/// Writes one piece; values are numbered inputs, parameters, quotients.
class PieceWriter {
 public:
  PieceWriter(std::size_t inputs, std::size_t parameters)
      : inputs_(inputs), parameters_(parameters) {}

  void add_constraints(const isl::basic_set& part) {
    const IslOwned<isl_local_space, isl_local_space_free> space(
        isl_basic_set_get_local_space(part.get()));
    const isl_size count = isl_local_space_dim(space.get(), isl_dim_div);
    std::vector<std::size_t> divisions;
    for (int i = 0; i < count; ++i) {
      const isl::aff definition = isl::manage(isl_local_space_get_div(space.get(), i));
      divisions.push_back(number_of(quotient_of(definition, divisions)));
    }
    const IslOwned<isl_constraint_list, isl_constraint_list_free> list(
        isl_basic_set_get_constraint_list(part.get()));
    const isl_size constraints = isl_constraint_list_n_constraint(list.get());
    for (int i = 0; i < constraints; ++i) {
      const IslOwned<isl_constraint, isl_constraint_free> constraint(
          isl_constraint_list_get_constraint(list.get(), i));
      const isl::aff sum = isl::manage(isl_constraint_get_aff(constraint.get()));
      piece_.constraints.push_back(
          {sum_of(sum, divisions), isl_constraint_is_equality(constraint.get()) == isl_bool_true});
    }
  }

  void add_output(const isl::aff& output) {
    const isl_size count = isl_aff_dim(output.get(), isl_dim_div);
    std::vector<std::size_t> divisions;
    for (int i = 0; i < count; ++i) {
      const isl::aff definition = isl::manage(isl_aff_get_div(output.get(), i));
      divisions.push_back(number_of(quotient_of(definition, divisions)));
    }
    piece_.outputs.push_back(quotient_of(output, divisions));
  }

  [[nodiscard]] AffinePiece take() && { return std::move(piece_); }

 private:
  /// `divisions`: the numbers of the values of isl's divisions, as far as they are known: a
  /// division refers to those before it.
  [[nodiscard]] AffineQuotient quotient_of(const isl::aff& sum,
                                           std::span<const std::size_t> divisions) const {
    const isl::val denominator = isl::manage(isl_aff_get_denominator_val(sum.get()));
    const isl::aff whole =
        isl::manage(isl_aff_scale_val(sum.copy(), isl_val_copy(denominator.get())));
    return {sum_of(whole, divisions), number_or_throw(denominator)};
  }

  [[nodiscard]] AffineSum sum_of(const isl::aff& sum,
                                 std::span<const std::size_t> divisions) const {
    AffineSum result;
    result.constant = number_or_throw(isl::manage(isl_aff_get_constant_val(sum.get())));
    const auto add = [&](isl_dim_type type, std::size_t count, auto index_of) {
      for (std::size_t i = 0; i < count; ++i) {
        const std::int64_t coefficient = number_or_throw(
            isl::manage(isl_aff_get_coefficient_val(sum.get(), type, static_cast<int>(i))));
        if (coefficient != 0) result.terms.emplace_back(index_of(i), coefficient);
      }
    };
    add(isl_dim_in, inputs_, [](std::size_t i) { return i; });
    add(isl_dim_param, parameters_, [&](std::size_t i) { return inputs_ + i; });
    add(isl_dim_div, divisions.size(), [&](std::size_t i) { return divisions[i]; });
    return result;
  }

  std::size_t number_of(AffineQuotient quotient) {
    const auto found = std::ranges::find(piece_.quotients, quotient);
    const auto index = static_cast<std::size_t>(found - piece_.quotients.begin());
    if (found == piece_.quotients.end()) piece_.quotients.push_back(std::move(quotient));
    return inputs_ + parameters_ + index;
  }

  std::size_t inputs_;
  std::size_t parameters_;
  AffinePiece piece_;
};

/// The parts of a set, which have no point in common, with an explicit form for each division.
std::vector<isl::basic_set> disjoint_parts(isl::set set) {
  isl_set* whole = isl_set_compute_divs(set.release());
  if (isl_set_n_basic_set(whole) > 1) whole = isl_set_make_disjoint(whole);
  whole = isl_set_remove_redundancies(isl_set_compute_divs(whole));
  std::vector<isl::basic_set> parts;
  isl::manage(whole).foreach_basic_set([&](const isl::basic_set& part) { parts.push_back(part); });
  return parts;
}

}  // namespace

std::optional<isl::pw_multi_aff> function_of(IslSession& session, const IntegerRelation& relation) {
  if (auto written = read_function(session, relation)) return written;
  const isl::map map = read(session, relation);
  if (!map.is_single_valued()) return std::nullopt;
  return isl::manage(isl_pw_multi_aff_coalesce(isl_pw_multi_aff_from_map(map.copy())));
}

std::optional<Piecewise> piecewise(const isl::pw_multi_aff& function) {
  Piecewise result;
  const isl::space space = function.space();
  result.inputs = static_cast<std::size_t>(isl_space_dim(space.get(), isl_dim_in));
  result.outputs = static_cast<std::size_t>(isl_space_dim(space.get(), isl_dim_out));
  const auto parameters = static_cast<std::size_t>(isl_space_dim(space.get(), isl_dim_param));
  try {
    function.foreach_piece([&](const isl::set& domain, const isl::multi_aff& images) {
      for (const isl::basic_set& part : disjoint_parts(domain)) {
        PieceWriter writer(result.inputs, parameters);
        writer.add_constraints(part);
        for (std::size_t i = 0; i < result.outputs; ++i) {
          writer.add_output(images.at(static_cast<int>(i)));
        }
        result.pieces.push_back(std::move(writer).take());
      }
    });
  } catch (const TooLarge&) {
    return std::nullopt;
  }
  return result;
}

std::optional<Piecewise> parts_of(const isl::set& set) {
  return piecewise(isl::manage(isl_pw_multi_aff_from_domain(set.copy())));
}

std::optional<TwoImages> two_images(const isl::map& map) {
  // { x -> [y -> z] : y before z }, of which the first element is taken.
  isl_map* pairs = isl_map_range_product(map.copy(), map.copy());
  isl_set* before = isl_map_wrap(isl_map_lex_lt(isl_space_range(isl_map_get_space(map.get()))));
  pairs = isl_map_intersect_range(pairs, before);
  isl::set found = isl::manage(isl_map_wrap(pairs));
  if (found.is_empty()) return std::nullopt;
  isl::set least = found;
  // Not every relation has a first one.
  if (isl_set_is_bounded(found.get()) == isl_bool_true) least = found.lexmin();
  const std::vector<Int> all = coordinates(least.sample_point());
  const auto inputs = static_cast<std::ptrdiff_t>(dimension(map, isl_dim_in));
  const auto outputs = static_cast<std::ptrdiff_t>(dimension(map, isl_dim_out));
  const auto at = [&](std::ptrdiff_t begin, std::ptrdiff_t count) {
    return std::vector<Int>(all.begin() + begin, all.begin() + begin + count);
  };
  return TwoImages{at(0, inputs), at(inputs, outputs), at(inputs + outputs, outputs)};
}

Bounds bounds(const isl::set& set, std::size_t position) {
  const auto at = static_cast<int>(position);
  const isl::val low = isl::manage(isl_set_dim_min_val(set.copy(), at));
  const isl::val high = isl::manage(isl_set_dim_max_val(set.copy(), at));
  return {number(low), number(high)};
}

isl::set box_of(const isl::set& like, std::span<const std::int64_t> ends, std::int64_t low) {
  isl_set* result = isl_set_universe(isl_set_get_space(like.get()));
  isl_ctx* context = isl_set_get_ctx(result);
  for (std::size_t i = 0; i < ends.size(); ++i) {
    const auto at = static_cast<unsigned>(i);
    isl_val* last = isl_val_sub_ui(isl_val_int_from_si(context, ends[i]), 1);
    result = isl_set_lower_bound_val(result, isl_dim_set, at, isl_val_int_from_si(context, low));
    result = isl_set_upper_bound_val(result, isl_dim_set, at, last);
  }
  return isl::manage(result);
}

std::optional<isl::set> box_around(const isl::set& points) {
  isl_set* box = isl_set_universe(isl_set_get_space(points.get()));
  isl_ctx* context = isl_set_get_ctx(box);
  for (std::size_t i = 0; i < dimension(points, isl_dim_set); ++i) {
    const Bounds ends = bounds(points, i);
    if (!ends.low || !ends.high) {
      isl_set_free(box);
      return std::nullopt;
    }
    const auto at = static_cast<unsigned>(i);
    box = isl_set_lower_bound_val(box, isl_dim_set, at, isl_val_int_from_si(context, *ends.low));
    box = isl_set_upper_bound_val(box, isl_dim_set, at, isl_val_int_from_si(context, *ends.high));
  }
  return isl::manage(box);
}

std::optional<std::vector<std::vector<Int>>> listed_points(const isl::set& set, std::size_t most) {
  std::vector<std::vector<Int>> found;
  struct TooMany {};
  try {
    set.foreach_point([&](const isl::point& point) {
      if (found.size() >= most) throw TooMany();
      found.push_back(coordinates(point));
    });
  } catch (const TooMany&) {
    return std::nullopt;
  }
  std::ranges::sort(found, [](const std::vector<Int>& a, const std::vector<Int>& b) {
    return std::ranges::lexicographical_compare(a, b, [](const Int& x, const Int& y) {
      return y.is_constant() && (!x.is_constant() || x.value() < y.value());
    });
  });
  return found;
}

isl::map fixed(const isl::map& map, isl_dim_type type, std::span<const Int> values) {
  isl_map* result = map.copy();
  for (std::size_t i = 0; i < values.size(); ++i) {
    result = isl_map_fix_val(result, type, static_cast<unsigned>(i),
                             isl_val_int_from_si(isl_map_get_ctx(result), values[i].value()));
  }
  return isl::manage(result);
}

std::optional<std::vector<std::int64_t>> box(const isl::set& set) {
  std::vector<std::int64_t> extents;
  for (std::size_t i = 0; i < dimension(set, isl_dim_set); ++i) {
    const Bounds range = bounds(set, i);
    constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
    if (!range.low || !range.high || *range.low != 0 || *range.high == kMost) return std::nullopt;
    extents.push_back(*range.high + 1);
  }
  if (!set.is_equal(box_of(set, extents))) return std::nullopt;
  return extents;
}

}  // namespace heddle::map
