// Linear layouts by the five mappings of seed 000, section 5.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <optional>
#include <string>
#include <vector>

#include "heddle/map/isl_engine.h"
#include "map/isl/engine/mappings.h"

namespace heddle::map::isl_engine {
namespace {

using linear::Bases;
using linear::Dimension;
using linear::LinearLayout;

linear::NamedSizes named_sizes(std::span<const Dimension> dims) {
  linear::NamedSizes sizes;
  for (const Dimension& dim : dims) sizes.emplace_back(dim.name, dim.size());
  return sizes;
}

/// The relation with floors for the bits that it does not name, as Table 1 prints it: isl's later
/// operations then take far less time.
isl::map with_floors(const isl::map& map) {
  return isl::manage(isl_map_from_pw_multi_aff(map.as_pw_multi_aff().release()));
}

/// The image of the point that is `value` in one dimension and 0 in all others.
std::optional<std::vector<std::int64_t>> image_of_basis(const isl::map& map, std::size_t rank,
                                                        std::size_t dim, std::int64_t value) {
  std::vector<std::int64_t> point(rank, 0);
  point[dim] = value;
  const isl::set at(map.ctx(), fmt::format("{{ [{}] }}", fmt::join(point, ", ")));
  const auto image = least_point(map.intersect_domain(at).range());
  if (!image) return std::nullopt;
  std::vector<std::int64_t> numbers;
  for (const Int& number : *image) numbers.push_back(number.value());
  return numbers;
}

/// The layout whose bases are the images of the basis vectors, if these determine the whole
/// relation.
Result<LinearLayout> linear_layout_of(const IslSession& session, const isl::map& map,
                                      std::span<const Dimension> ins,
                                      std::span<const Dimension> outs, std::string_view what) {
  Bases bases;
  for (std::size_t i = 0; i < ins.size(); ++i) {
    linear::InBases images{ins[i].name, {}};
    for (int bit = 0; bit < ins[i].bits; ++bit) {
      auto image = image_of_basis(map, ins.size(), i, std::int64_t{1} << bit);
      if (!image) {
        return refuse("linear.dims_differ",
                      fmt::format("{}: bit {} of {} has no image", what, bit, ins[i].name));
      }
      images.vectors.push_back(*std::move(image));
    }
    bases.push_back(std::move(images));
  }
  HEDDLE_TRY(LinearLayout result, LinearLayout::make(bases, named_sizes(outs)));
  if (!with_floors(layout_mapping(session, result)).is_equal(map)) {
    return refuse("linear.dims_differ", fmt::format("{}: the relation is not linear", what));
  }
  return result;
}

bool fits_into(const LinearLayout& layout, const LinearLayout& outer) {
  if (layout.out_dims().size() != outer.in_dims().size()) return false;
  for (std::size_t i = 0; i < layout.out_dims().size(); ++i) {
    if (layout.out_dims()[i].bits > outer.in_dims()[i].bits) return false;
  }
  return true;
}

}  // namespace

Result<LinearLayout> compose(const LinearLayout& layout, const LinearLayout& outer,
                             const Limits& limits) {
  HEDDLE_CHECK(check_operand(layout));
  HEDDLE_CHECK(check_operand(outer));
  if (!fits_into(layout, outer)) {
    return refuse("linear.dims_differ",
                  "compose by the isl engine: the outputs of the one are not the inputs of the "
                  "other");
  }
  IslSession session(limits);
  return session.ask("compose", [&] {
    const isl::map composed =
        layout_mapping(session, layout).apply_range(layout_mapping(session, outer));
    return linear_layout_of(session, with_floors(composed), layout.in_dims(), outer.out_dims(),
                            "compose");
  });
}

Result<LinearLayout> invert(const LinearLayout& layout, const Limits& limits) {
  HEDDLE_CHECK(check_operand(layout));
  IslSession session(limits);
  return session.ask("invert", [&]() -> Result<LinearLayout> {
    const isl::map mapping = with_floors(layout_mapping(session, layout));
    const bool alike = layout.total_in_dim_size_log2() == layout.total_out_dim_size_log2();
    if (!alike || !mapping.is_injective()) {
      return refuse("linear.not_invertible",
                    "invert by the isl engine: the layout is not a bijection");
    }
    return linear_layout_of(session, mapping.reverse(), layout.out_dims(), layout.in_dims(),
                            "invert");
  });
}

}  // namespace heddle::map::isl_engine
