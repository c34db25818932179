// Quotients of layouts without swizzles: the unknown side of a product, iter by iter.

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "axe/layout/iters.h"
#include "axe/layout/progressions.h"
#include "axe/layout/reach.h"
#include "axe/quotient/quotient.h"
#include "heddle/axe/canonical.h"

namespace heddle::axe {
namespace {

using Iters = std::span<const Iter>;

class Divider {
 public:
  Divider(const Quotient& quotient, const Scale& scale, std::span<const Int> unknown_shape,
          const Trace& trace)
      : quotient_(quotient), scale_(scale), unknown_shape_(unknown_shape), trace_(trace) {}

  PlainQuotient run() {
    Result<Layout> layout = unknown_side();
    return {.layout = std::move(layout), .is_final = is_final_};
  }

 private:
  Result<Layout> unknown_side() {
    HEDDLE_TRY(known_, group(quotient_.known, quotient_.known_shape));
    HEDDLE_CHECK(group_product());
    std::vector<Iter> shard;
    for (std::size_t j = 0; j < known_.rank(); ++j) {
      HEDDLE_CHECK(check_known_block(j));
      HEDDLE_TRY(const std::vector<Iter> block, unknown_block(j));
      trace_([&] { return dimension_step(j, block); });
      shard.insert(shard.end(), block.begin(), block.end());
    }
    HEDDLE_TRY(const Coordinate offset, unknown_offset());
    HEDDLE_TRY(std::vector<Iter> replica, unknown_replica());
    if (!offset.is_zero()) {
      trace_([&] {
        return step("offset", "what the given side does not account for", to_string(offset));
      });
    }
    if (!replica.empty()) {
      trace_([&] {
        return step("replicas", "what the given side does not account for", iters_text(replica));
      });
    }
    HEDDLE_TRY(const Layout result, Layout::make(std::move(shard), std::move(replica), offset));
    Result<Layout> shortest = canonicalize(result);
    if (shortest && *shortest != result) {
      trace_([&] { return step("together", "in normal form", to_string(*shortest)); });
    }
    return shortest;
  }

  /// What the dimension has of the given side, and the rest before and after the division.
  [[nodiscard]] Explanation dimension_step(std::size_t j, Iters unknown) const {
    const bool left = quotient_.left_is_unknown();
    const Iters rest = left ? left_block(j) : right_block(j);
    std::string text =
        fmt::format("of {} the {} side has {}, as in the product", quotient_.product_shape[j],
                    known_name(quotient_), iters_text(left ? right_block(j) : left_block(j)));
    if (!std::ranges::equal(rest, unknown)) {
      text += fmt::format("; {} divided by the span", iters_text(rest));
    }
    return step(fmt::format("dim {}", j), std::move(text), iters_text(unknown));
  }

  Result<void> group_product() {
    const Shape domain = quotient_.left_is_unknown()
                             ? interleaved(unknown_shape_, quotient_.known_shape)
                             : interleaved(quotient_.known_shape, unknown_shape_);
    Result<Grouping> grouping = group(quotient_.product, domain);
    if (grouping) {
      product_ = *std::move(grouping);
      trace_([&] {
        return step(
            "cut", fmt::format("into {}, both sides of each dimension in turn", tuple_text(domain)),
            iters_text(product_.layout.shard()));
      });
      return {};
    }
    if (grouping.error().code() != "axe.no_grouping") return refuse(grouping.error());
    is_final_ = false;
    Diagnostic diagnostic = no_quotient(
        quotient_, fmt::format("it has no blocks of iters for the extents {} of both sides",
                               tuple_text(domain)));
    for (const std::string& note : grouping.error().notes()) {
      diagnostic = std::move(diagnostic).with_note(note);
    }
    if (const std::optional<Witness>& witness = grouping.error().witness()) {
      diagnostic = std::move(diagnostic).with_witness(*witness);
    }
    return refuse(std::move(diagnostic));
  }

  [[nodiscard]] Iters left_block(std::size_t j) const { return product_.block(2 * j); }
  [[nodiscard]] Iters right_block(std::size_t j) const { return product_.block(2 * j + 1); }

  /// Checks that the known side's block is in the product, the left one scaled.
  Result<void> check_known_block(std::size_t j) const {
    const Iters found = quotient_.left_is_unknown() ? right_block(j) : left_block(j);
    const std::vector<Iter> wanted =
        quotient_.left_is_unknown()
            ? std::vector<Iter>(known_.block(j).begin(), known_.block(j).end())
            : scaled(known_.block(j), scale_);
    if (std::ranges::equal(found, wanted)) return {};
    HEDDLE_TRY(const Layout here, Layout::make({found.begin(), found.end()}));
    HEDDLE_TRY(const Layout there, Layout::make(wanted));
    const Verdict verdict = equal(here, there);
    if (verdict.is_yes()) return {};
    if (verdict.is_unknown()) return unknown_block_equality(j, here, there);
    return refuse(wrong_block(j, here, there));
  }

  /// Refuses if symbolic numbers leave it open, with the first condition that would settle it.
  [[nodiscard]] Refusal unknown_block_equality(std::size_t j, const Layout& here,
                                               const Layout& there) const {
    const auto call = call_text(quotient_);
    if (here.shard().size() == there.shard().size()) {
      for (std::size_t i = 0; i < here.shard().size(); ++i) {
        const Iter& a = here.shard()[i];
        const Iter& b = there.shard()[i];
        if (a.axis != b.axis) break;
        if (!known_equal(a.extent, b.extent)) {
          return needed(call, {a.extent, Predicate::kEqual, b.extent});
        }
        if (!known_equal(a.stride, b.stride)) {
          return needed(call, {a.stride, Predicate::kEqual, b.stride});
        }
      }
    }
    return refuse("axe.undecided", "{}: whether {} is {} in dimension {}", call, here, there, j);
  }

  [[nodiscard]] Diagnostic wrong_block(std::size_t j, const Layout& here,
                                       const Layout& there) const {
    const bool scales = !quotient_.left_is_unknown() && quotient_.kind == Product::kTile;
    const std::string_view side = known_name(quotient_);
    Diagnostic diagnostic = no_quotient(
        quotient_,
        fmt::format("in dimension {} the {} part of {} is {}, but the {} side has {} there{}", j,
                    side, tuple_text(quotient_.product_shape), here, side, there,
                    scales ? ", scaled by the span of the inner one" : ""));
    const std::optional<Int> index = differing_index(here, there);
    if (!index) return diagnostic;
    return std::move(diagnostic)
        .with_witness({.coordinate = point(
                           j, quotient_.left_is_unknown() ? *index : *index * unknown_shape_[j]),
                       .found = to_string(shard_at(here, *index)) + " from the first place",
                       .wanted = to_string(shard_at(there, *index)),
                       .wanted_by = fmt::format("the {} side", side)});
  }

  /// The point of T that is `index` along dimension j and 0 along the others.
  [[nodiscard]] std::string point(std::size_t j, const Int& index) const {
    Shape all(quotient_.product_shape.size(), 0);
    if (j < all.size()) all[j] = index;
    return tuple_text(all);
  }

  Result<std::vector<Iter>> unknown_block(std::size_t j) const {
    if (!quotient_.left_is_unknown())
      return std::vector<Iter>(right_block(j).begin(), right_block(j).end());
    std::vector<Iter> block(left_block(j).begin(), left_block(j).end());
    Int level = quotient_.known_shape[j];
    for (std::size_t i = block.size(); i-- > 0;) {
      Iter& iter = block[i];
      if (iter.extent == Int(1)) continue;
      const Int width = scale_[iter.axis];
      HEDDLE_TRY(const bool divides, is_multiple(iter.stride, width));
      if (!divides) {
        return refuse(
            no_quotient(quotient_,
                        fmt::format("in dimension {} the outer iter {} steps by {}, not a multiple "
                                    "of {}, the span of the inner side on axis {}",
                                    j, iter, iter.stride, width, iter.axis.name()))
                .with_witness(
                    {.coordinate = point(j, level),
                     .found = step_of(iter) + " from the first place",
                     .wanted = "a multiple of " + to_string(Coordinate{{iter.axis, width}}),
                     .wanted_by = "a tile"}));
      }
      level *= iter.extent;
      iter.stride = floor_div(iter.stride, width);
    }
    return block;
  }

  static std::string step_of(const Iter& iter) {
    return to_string(Coordinate{{iter.axis, iter.stride}});
  }

  Result<bool> is_multiple(const Int& number, const Int& width) const {
    if (width == Int(1)) return true;
    return decide_needed({width, Predicate::kDivides, number},
                         [&] { return call_text(quotient_); });
  }

  static std::string at(const Coordinate& place, const Axis& axis) {
    return fmt::format("{}@{}", place[axis], axis.name());
  }

  Result<Coordinate> unknown_offset() const {
    const Coordinate& whole = product_.layout.offset();
    if (!quotient_.left_is_unknown()) return whole - scaled(known_.layout.offset(), scale_);
    const Coordinate rest = whole - known_.layout.offset();
    Coordinate result;
    for (const auto& [axis, value] : rest) {
      const Int width = scale_[axis];
      HEDDLE_TRY(const bool divides, is_multiple(value, width));
      if (!divides) {
        return refuse(
            no_quotient(quotient_, fmt::format("the offsets on axis {} differ by {}, not a "
                                               "multiple of {}, the span of the inner side there",
                                               axis.name(), value, width))
                .with_witness({.coordinate = point(0, 0),
                               .found = at(whole, axis),
                               .wanted = fmt::format("{} and a multiple of {}",
                                                     at(known_.layout.offset(), axis),
                                                     Coordinate{{axis, width}}),
                               .wanted_by = "a tile"}));
      }
      result.add(axis, floor_div(value, width));
    }
    return result;
  }

  Result<std::vector<Iter>> unknown_replica() {
    std::set<Axis> named;
    for (const Layout* layout : {&product_.layout, &known_.layout}) {
      for (const Iter& iter : layout->replica()) named.insert(iter.axis);
    }
    std::vector<Iter> result;
    for (const Axis& axis : named) {
      HEDDLE_TRY(const std::vector<Iter> iters, unknown_replica_on(axis));
      result.insert(result.end(), iters.begin(), iters.end());
    }
    return result;
  }

  Result<std::vector<Iter>> unknown_replica_on(const Axis& axis) {
    const bool tile = quotient_.kind == Product::kTile;
    std::vector<Iter> known = on_axis(known_.layout.replica(), axis);
    if (!quotient_.left_is_unknown()) known = scaled(known, scale_);
    const Int width = scale_[axis];
    Remainder rest = remainder({.target = on_axis(product_.layout.replica(), axis),
                                .known = std::move(known),
                                .axis = axis,
                                .unit = quotient_.left_is_unknown() ? width : Int(1),
                                .is_unique = tile && quotient_.left_is_unknown()});
    if (rest.outcome == Outcome::kNone) {
      is_final_ = is_final_ && rest.is_for_any_set;
      return refuse(no_quotient(quotient_, rest.why));
    }
    if (rest.outcome == Outcome::kUndecided) {
      return refuse("axe.undecided", "{}: {}", call_text(quotient_), rest.why);
    }
    if (quotient_.left_is_unknown()) {
      for (Iter& iter : rest.iters) iter.stride = floor_div(iter.stride, width);
    }
    return std::move(rest.iters);
  }

  const Quotient& quotient_;
  const Scale& scale_;
  std::span<const Int> unknown_shape_;
  const Trace& trace_;
  Grouping known_;
  Grouping product_;
  bool is_final_ = true;
};

}  // namespace

PlainQuotient divide_plain(const Quotient& quotient, const Scale& scale,
                           std::span<const Int> unknown_shape, const Trace& trace) {
  return Divider(quotient, scale, unknown_shape, trace).run();
}

}  // namespace heddle::axe
