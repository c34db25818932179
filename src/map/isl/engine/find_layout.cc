// Algorithms 2 and 3: a layout from its layout mapping and its shape or its strides.

#include <fmt/format.h>
#include <isl/set.h>

#include <optional>
#include <string>
#include <vector>

#include "core/text.h"
#include "cute/layout/format.h"
#include "heddle/map/isl_engine.h"
#include "map/isl/engine/mappings.h"

namespace heddle::map::isl_engine {
namespace {

Refusal no_layout_mapping(const IntegerRelation& mapping, std::string_view why) {
  return refuse(
      Diagnostic("isl_engine.domain", fmt::format("the relation is not a layout mapping: {}", why))
          .with_note(mapping.text()));
}

/// The relation as isl's object, and the size of its domain, which is [0, size).
struct Mapping {
  isl::map map;
  std::int64_t size = 0;
};

Result<Mapping> layout_mapping_of(IslSession& session, const IntegerRelation& relation) {
  const isl::map map = read(session, relation);
  if (dimension(map, isl_dim_in) != 1 || dimension(map, isl_dim_out) != 1 ||
      dimension(map, isl_dim_param) != 0) {
    return no_layout_mapping(relation, "it does not take one number to one number");
  }
  const isl::set domain = map.domain();
  if (domain.is_empty()) return no_layout_mapping(relation, "it is empty");
  if (!map.is_single_valued()) return no_layout_mapping(relation, "a point has several images");
  const auto last = number(domain.dim_max_val(0));
  if (last && *last >= kMostPoints) return no_layout_mapping(relation, "it has too many points");
  if (!last || !domain.is_equal(interval(session, 0, *last + 1))) {
    return no_layout_mapping(relation, "its domain is not an interval from 0");
  }
  return Mapping{map, *last + 1};
}

/// The image of the last coordinate, f(size - 1), of a layout with these strides.
std::optional<std::int64_t> last_index(const IslSession& session, const Mapping& mapping) {
  const isl::set last = interval(session, mapping.size - 1, mapping.size);
  return number(mapping.map.intersect_domain(last).range().dim_max_val(0));
}

/// { [x0, x1, …] : sum of stride * x = last and 0 <= x < size }.
isl::set solutions(const IslSession& session, const std::vector<std::int64_t>& strides,
                   std::int64_t last, std::int64_t size) {
  std::string names;
  std::string sum = "0";
  std::string bounds;
  for (std::size_t i = 0; i < strides.size(); ++i) {
    names += fmt::format("{}x{}", i == 0 ? "" : ", ", i);
    sum += fmt::format(" + {}x{}", strides[i], i);
    bounds += fmt::format(" and 0 <= x{} < {}", i, size);
  }
  return isl::set(session.context(),
                  fmt::format("{{ [{}] : {} = {}{} }}", names, sum, last, bounds));
}

/// Tries one solution after the other.
struct StrideSearch {
  const IslSession& session;
  const Mapping& mapping;
  const std::vector<std::int64_t>& strides;
  std::optional<Leaves> found;
  std::exception_ptr error;

  void consider(const isl::point& solution) {
    Leaves leaves{{}, strides};
    Int size = 1;
    for (const Int& x : coordinates(solution)) {
      size *= x + 1;
      leaves.extents.push_back(x.is_constant() ? x.value() + 1 : 0);
    }
    if (size != Int(mapping.size)) return;
    if (layout_mapping(session, leaves).is_equal(mapping.map)) found = leaves;
  }

  static isl_stat visit(isl_point* point, void* user) {
    auto& search = *static_cast<StrideSearch*>(user);
    const isl::point solution = isl::manage(point);
    try {
      search.consider(solution);
    } catch (...) {
      search.error = std::current_exception();
    }
    return search.found || search.error ? isl_stat_error : isl_stat_ok;
  }
};

}  // namespace

Result<cute::Layout> layout_from_shape(const IntegerRelation& mapping, const IntTuple& shape,
                                       const Limits& limits) {
  HEDDLE_TRY(const cute::Layout compact, cute::make_layout(shape));
  HEDDLE_TRY(const Leaves wanted, leaves_of(compact));
  IslSession session(limits);
  return session.ask("a layout from its mapping and shape", [&]() -> Result<cute::Layout> {
    HEDDLE_TRY(const Mapping read, layout_mapping_of(session, mapping));
    if (read.size != wanted.size()) {
      return no_layout_mapping(
          mapping, fmt::format("it has {}, the shape {} has {}", counted(read.size, "point"), shape,
                               wanted.size()));
    }
    HEDDLE_TRY(const auto leaves, leaves_in_shape(session, read.map, wanted.extents));
    if (!leaves) {
      return refuse(Diagnostic("isl_engine.not_affine",
                               fmt::format("the relation is not a layout of the shape {}: its "
                                           "index mapping in that shape is not strictly affine",
                                           shape))
                        .with_note(mapping.text())
                        .with_hint("another shape of the same size may do"));
    }
    cute::Layout::Strides strides;
    for (const std::int64_t stride : leaves->strides) strides.push_back(cute::Stride(stride));
    return cute::make_layout(shape, cute::StrideTuple(Profile(shape.profile()), strides));
  });
}

Result<cute::Layout> layout_from_strides(const IntegerRelation& mapping,
                                         const cute::StrideTuple& strides, const Limits& limits) {
  std::vector<std::int64_t> numbers;
  for (const cute::Stride& stride : strides.leaves()) {
    if (!stride.basis().empty() || !stride.scale().is_constant()) {
      return refuse(
          "isl_engine.operand",
          fmt::format("the isl engine takes strides that are numbers; {} is not one", stride));
    }
    numbers.push_back(stride.scale().value());
  }
  IslSession session(limits);
  return session.ask("a layout from its mapping and strides", [&]() -> Result<cute::Layout> {
    HEDDLE_TRY(const Mapping read, layout_mapping_of(session, mapping));
    const auto last = last_index(session, read);
    if (!last) return refuse("overflow", "the last index is not an integer of 64 bits");
    StrideSearch search{session, read, numbers, std::nullopt, nullptr};
    const isl::set all = solutions(session, numbers, *last, read.size);
    const isl_stat status = isl_set_foreach_point(all.get(), &StrideSearch::visit, &search);
    if (search.error) std::rethrow_exception(search.error);
    if (status == isl_stat_error && !search.found) {
      isl::exception::throw_last_error(session.context());
    }
    if (!search.found) {
      return refuse(
          Diagnostic(
              "isl_engine.no_shape",
              fmt::format(
                  "the relation is not a layout with the strides {}: no extents have that mapping",
                  strides))
              .with_note(mapping.text()));
    }
    IntTuple::Leaves extents;
    for (const std::int64_t extent : search.found->extents) extents.push_back(Int(extent));
    return cute::make_layout(IntTuple(Profile(strides.profile()), extents), strides);
  });
}

}  // namespace heddle::map::isl_engine
