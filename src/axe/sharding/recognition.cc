// Recovers the specs that place a tensor as a layout on devices does.
//
// The digits that select devices are unique in the normal form (theorem A.8), and no two axes of a
// mesh can have a step in common, since its devices differ. So an axis can only be where its steps
// are, and looking for each in turn, in the order in which DTensor places them, finds the
// placements if there are any. Comparing their layout with the given one then decides.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "axe/layout/iters.h"
#include "axe/sharding/sharding_parts.h"
#include "heddle/axe/canonical.h"
#include "heddle/axe/group.h"
#include "heddle/axe/sharding.h"

namespace heddle::axe {
namespace {

/// The layout of the devices alone: the other axes are dropped.
Result<Layout> devices_alone(const Layout& layout) {
  const Axis device = device_axis();
  if (layout.swizzle() && layout.swizzle()->axis == device) {
    return refuse("axe.undecided", "{} swizzles its devices; no spec is looked for", layout);
  }
  std::vector<Iter> shard(layout.shard().begin(), layout.shard().end());
  for (Iter& iter : shard) {
    if (iter.axis != device) iter = {iter.extent, 0, Axis::memory()};
  }
  return Layout::make(std::move(shard), on_axis(layout.replica(), device),
                      {{device, layout.offset()[device]}});
}

/// `x (2, 1@gpuid), y (2, 2@gpuid)`.
std::string axes_text(const Mesh& mesh, const Grouping& devices) {
  std::vector<std::string> texts;
  for (std::size_t axis = 0; axis < mesh.rank(); ++axis) {
    std::vector<std::string> iters;
    for (const Iter& iter : devices.block(axis)) iters.push_back(to_string(iter));
    texts.push_back(fmt::format("{} {}", mesh.names()[axis], fmt::join(iters, " ")));
  }
  return fmt::format("{}", fmt::join(texts, ", "));
}

/// The remaining digits of one dimension.
class Rest {
 public:
  explicit Rest(std::span<const Iter> iters) : iters_(iters.begin(), iters.end()) { merge(); }

  /// Removes the steps of an axis, if they are there; returns the number of pieces before them.
  std::optional<Int> take(std::span<const Iter> axis) {
    Int before = 1;
    for (std::size_t i = 0; i < iters_.size(); ++i) {
      if (const std::optional<Int> pieces = take_at(i, axis)) return before * *pieces;
      before *= iters_[i].extent;
    }
    return std::nullopt;
  }

  [[nodiscard]] const Iter* device_step() const {
    const auto found =
        std::ranges::find_if(iters_, [](const Iter& iter) { return iter.axis == device_axis(); });
    return found == iters_.end() ? nullptr : &*found;
  }

 private:
  /// The axis begins within iter i, after some outer part of it, and ends within an iter, before
  /// some inner part. Returns that outer part.
  std::optional<Int> take_at(std::size_t i, std::span<const Iter> axis) {
    const std::size_t last = i + axis.size() - 1;
    if (last >= iters_.size()) return std::nullopt;
    Int outer = 1;
    Int inner = 1;
    for (std::size_t j = 0; j < axis.size(); ++j) {
      const Iter& iter = iters_[i + j];
      const Iter& digit = axis[j];
      if (iter.axis != device_axis() || !is_constant(iter)) return std::nullopt;
      const Int below = j + 1 == axis.size() ? quotient(digit.stride, iter.stride) : Int(1);
      if (below == Int(0) || iter.stride * below != digit.stride) return std::nullopt;
      const Int above = quotient(iter.extent, digit.extent * below);
      if (above == Int(0) || (j > 0 && above != Int(1))) return std::nullopt;
      if (j == 0) outer = above;
      inner = below;
    }
    const Iter first = iters_[i];
    const Iter end = iters_[last];
    const auto at = iters_.begin() + static_cast<std::ptrdiff_t>(i);
    iters_.erase(at, at + static_cast<std::ptrdiff_t>(axis.size()));
    iters_.insert(iters_.begin() + static_cast<std::ptrdiff_t>(i),
                  {{outer, axis.front().stride * axis.front().extent, first.axis},
                   {inner, end.stride, end.axis}});
    merge();
    return outer;
  }

  /// a / b if b divides a with a positive quotient, otherwise 0.
  static Int quotient(const Int& a, const Int& b) {
    if (b == Int(0) || !known_divides(b, a)) return 0;
    const Int result = floor_div(a, b);
    return known_at_most(1, result) ? result : Int(0);
  }

  /// Removes units, and merges neighbours that one iter could replace.
  void merge() {
    std::vector<Iter> merged;
    for (const Iter& iter : iters_) {
      if (iter.extent == Int(1)) continue;
      if (!merged.empty() && chains(merged.back(), iter)) {
        merged.back() = {merged.back().extent * iter.extent, iter.stride, iter.axis};
        continue;
      }
      merged.push_back(iter);
    }
    iters_ = std::move(merged);
  }

  std::vector<Iter> iters_;
};

class Recognizer {
 public:
  Recognizer(const Sharded& sharded, Grouping devices, Layout placed)
      : sharded_(sharded),
        mesh_(sharded.mesh),
        devices_(std::move(devices)),
        placed_(std::move(placed)) {}

  Result<Placements> run() {
    HEDDLE_TRY(std::vector<Rest> rests, digits_of_dimensions());
    HEDDLE_TRY(Placements placements, partial_ones());
    for (std::size_t axis = 0; axis < mesh_.rank(); ++axis) {
      if (mesh_.extents()[axis] == 1) continue;
      for (std::size_t dim = 0; dim < rests.size(); ++dim) {
        const std::optional<Int> pieces = rests[dim].take(devices_.block(axis));
        if (!pieces) continue;
        if (placements[axis].kind == Placement::Kind::kPartial) {
          return none(fmt::format("axis {} cuts dimension {}, and values over it are partial",
                                  mesh_.names()[axis], dim));
        }
        placements[axis] = Placement::shard(static_cast<std::int64_t>(dim), *pieces);
        break;
      }
    }
    HEDDLE_CHECK(check_nothing_left(rests));
    HEDDLE_CHECK(compare(placements));
    return placements;
  }

 private:
  Result<std::vector<Rest>> digits_of_dimensions() const {
    const Result<Grouping> grouping = group(placed_, sharded_.shape);
    if (!grouping) {
      if (grouping.error().code() != "axe.no_grouping") return refuse(grouping.error());
      return none("a boundary between dimensions falls into an iter over devices");
    }
    std::vector<Rest> rests;
    for (std::size_t dim = 0; dim < grouping->rank(); ++dim)
      rests.emplace_back(grouping->block(dim));
    return rests;
  }

  Result<Placements> partial_ones() const {
    Placements placements(mesh_.rank());
    for (const PartialAxis& partial : sharded_.partial) {
      HEDDLE_TRY(const std::size_t axis, axis_named(mesh_, partial.axis));
      placements[axis] = Placement::partial(partial.reduce_op);
    }
    return placements;
  }

  [[nodiscard]] Result<void> check_nothing_left(std::span<const Rest> rests) const {
    for (std::size_t dim = 0; dim < rests.size(); ++dim) {
      const Iter* step = rests[dim].device_step();
      if (step == nullptr) continue;
      return none(fmt::format(
          "dimension {} steps over devices by {}, which is not an axis of the mesh", dim, *step));
    }
    return {};
  }

  /// Checks that the layout of the placements found is this one.
  [[nodiscard]] Result<void> compare(const Placements& placements) const {
    HEDDLE_TRY(const std::vector<Cut> cuts, cuts_of(mesh_, placements, sharded_.shape));
    HEDDLE_TRY(const std::vector<Parts> dims, cut_up(mesh_, sharded_.shape, cuts));
    HEDDLE_TRY(const Layout layout, layout_of(mesh_, dims, {}));
    HEDDLE_TRY(const Layout wanted, devices_alone(layout));
    const Verdict verdict = equal(placed_, wanted);
    if (verdict.is_yes()) return {};
    if (verdict.is_unknown()) {
      return refuse("axe.undecided", "whether {} has the devices of {} is left open: {}",
                    sharded_.layout, to_string(placements), verdict.method());
    }
    return different(placements, wanted);
  }

  [[nodiscard]] Refusal different(const Placements& placements, const Layout& wanted) const {
    const Int first = placed_.offset()[device_axis()];
    const Int mesh_first = wanted.offset()[device_axis()];
    std::vector<std::string> others;
    for (std::size_t axis = 0; axis < mesh_.rank(); ++axis) {
      if (placements[axis].kind == Placement::Kind::kShard || mesh_.extents()[axis] == 1) continue;
      others.push_back(mesh_.names()[axis]);
    }
    std::string why =
        fmt::format("its replicas are not all devices along the axes ({}), which cut no dimension",
                    fmt::join(others, ", "));
    if (others.empty()) why = "every axis cuts a dimension, and it has replicas";
    if (replication(placed_) == replication(wanted) && first != mesh_first) {
      why = fmt::format("it begins at device {}, the mesh at {}", first, mesh_first);
    }
    Diagnostic diagnostic = none(why).value();
    const Result<std::string> here = devices_text(placed_);
    const Result<std::string> there = devices_text(wanted);
    if (here && there && *here != *there) {
      diagnostic = std::move(diagnostic)
                       .with_witness({.coordinate = "0",
                                      .found = "gpuid " + *here,
                                      .wanted = "gpuid " + *there,
                                      .wanted_by = to_string(placements)});
    }
    return refuse(std::move(diagnostic));
  }

  static Result<std::string> devices_text(const Layout& layout) {
    HEDDLE_TRY(const std::vector<Coordinate> found, places(layout, 0));
    std::vector<std::string> texts;
    for (const Coordinate& place : found) texts.push_back(to_string(place[device_axis()]));
    constexpr std::size_t kShown = 8;
    if (texts.size() > kShown) {
      texts.resize(kShown);
      texts.emplace_back("…");
    }
    return fmt::format("{}", fmt::join(texts, ", "));
  }

  [[nodiscard]] Refusal none(std::string why) const {
    return refuse(
        diagnose("axe.no_spec", "no placements over the mesh leave {} on the devices of {}",
                 tuple_text(sharded_.shape), sharded_.layout)
            .with_note(std::move(why))
            .with_note(fmt::format("the axes of the mesh are {}", axes_text(mesh_, devices_))));
  }

  const Sharded& sharded_;
  const Mesh& mesh_;
  Grouping devices_;
  Layout placed_;
};

/// The axes that cut each dimension, where each cuts the pieces that the ones before it left.
using Nesting = std::vector<std::vector<std::size_t>>;

Refusal no_nesting(const Sharded& sharded, std::string_view kind, std::string why) {
  return refuse(diagnose("axe.no_spec", "no {} leaves {} on the devices of {}", kind,
                         tuple_text(sharded.shape), sharded.layout)
                    .with_note(std::move(why)));
}

Result<Nesting> nesting_of(const Sharded& sharded, std::string_view kind) {
  HEDDLE_TRY(const Placements placements, to_dtensor(sharded));
  HEDDLE_TRY(const std::vector<Cut> cuts, cuts_of(sharded.mesh, placements, sharded.shape));
  HEDDLE_TRY(const std::vector<Parts> dims, cut_up(sharded.mesh, sharded.shape, cuts));
  Nesting nesting(dims.size());
  const auto& names = sharded.mesh.names();
  for (std::size_t dim = 0; dim < dims.size(); ++dim) {
    std::vector<std::size_t>& axes = nesting[dim];
    Int pieces = 1;
    for (const Part& part : dims[dim]) {
      if (!part.axis) {
        pieces *= part.extent;
      } else if (pieces != Int(1)) {
        return no_nesting(
            sharded, kind,
            fmt::format("a device holds {} pieces of dimension {}, with gaps that axis {} makes; "
                        "DTensor writes {}",
                        to_string(pieces), dim, names[*part.axis], to_string(placements)));
      } else if (axes.empty() || axes.back() != *part.axis) {
        if (std::ranges::find(axes, *part.axis) != axes.end()) {
          return no_nesting(
              sharded, kind,
              fmt::format(
                  "axis {} cuts dimension {} both before and after another axis; DTensor writes {}",
                  names[*part.axis], dim, to_string(placements)));
        }
        axes.push_back(*part.axis);
      }
    }
  }
  return nesting;
}

}  // namespace

Result<Placements> to_dtensor(const Sharded& sharded) {
  HEDDLE_CHECK(check_admits(sharded.layout, sharded.shape, "to_dtensor"));
  HEDDLE_TRY(Grouping devices, layout(sharded.mesh));
  HEDDLE_TRY(Layout placed, devices_alone(sharded.layout));
  HEDDLE_TRY(placed, canonicalize(placed));
  return Recognizer(sharded, std::move(devices), std::move(placed)).run();
}

Result<PartitionSpec> to_partition_spec(const Sharded& sharded) {
  HEDDLE_TRY(const Nesting nesting, nesting_of(sharded, "PartitionSpec"));
  PartitionSpec spec;
  for (const auto& axes : nesting) {
    auto& names = spec.dims.emplace_back();
    for (const std::size_t axis : axes) names.push_back(sharded.mesh.names()[axis]);
  }
  while (!spec.dims.empty() && spec.dims.back().empty()) spec.dims.pop_back();
  for (const PartialAxis& partial : sharded.partial) {
    if (partial.reduce_op != "sum") {
      return no_nesting(
          sharded, "PartitionSpec",
          fmt::format("values over axis {} are to be reduced by {}; unreduced means sum",
                      partial.axis, partial.reduce_op));
    }
    spec.unreduced.push_back(partial.axis);
  }
  return spec;
}

Result<AlpaSpec> to_alpa(const Sharded& sharded) {
  HEDDLE_TRY(Nesting nesting, nesting_of(sharded, "spec of Alpa"));
  if (!sharded.partial.empty()) {
    return no_nesting(sharded, "spec of Alpa",
                      fmt::format("values over axis {} are partial, which Alpa does not write",
                                  sharded.partial.front().axis));
  }
  constexpr std::size_t kDigits = 10;
  for (const auto& axes : nesting) {
    for (const std::size_t axis : axes) {
      if (axis < kDigits) continue;
      return no_nesting(sharded, "spec of Alpa",
                        fmt::format("axis {} of the mesh has no digit", axis));
    }
  }
  return AlpaSpec{std::move(nesting)};
}

}  // namespace heddle::axe
