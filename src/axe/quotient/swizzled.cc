// Quotients with swizzled sides: each swizzle that could be undone is tried.

#include <fmt/format.h>

#include <functional>
#include <optional>
#include <utility>

#include "axe/quotient/quotient.h"
#include "axe/quotient/set_map.h"
#include "core/bits.h"
#include "heddle/axe/canonical.h"

namespace heddle::axe {
namespace {

/// Finds the unknown side of a product if some side may be swizzled.
class SwizzledDivider {
 public:
  SwizzledDivider(const Quotient& quotient, const Scale& scale, std::span<const Int> unknown_shape)
      : quotient_(quotient), scale_(scale), unknown_shape_(unknown_shape) {}

  Result<Layout> run() {
    if (auto layout = by_parts()) return *std::move(layout);
    const std::optional<SetMap> whole = evaluate(quotient_.product);
    const std::optional<SetMap> known = evaluate(quotient_.known);
    if (!whole || !known) return undecided(too_many());
    if (!is_determined(*whole)) return undecided("replicas and swizzles leave several sums open");
    return by_evaluation(*whole, *known);
  }

 private:
  /// Divides the swizzle and the strided layouts under it separately; accepted if the product
  /// confirms it.
  [[nodiscard]] std::optional<Layout> by_parts() const {
    const auto product = with_swizzle(quotient_.product, {});
    const auto known = with_swizzle(quotient_.known, {});
    if (!product || !known || !quotient_.product.swizzle()) return std::nullopt;
    const Result<Layout> part =
        divide_plain(quotient_.with(*product, *known), scale_, unknown_shape_, Trace()).layout;
    if (!part) return std::nullopt;
    const std::optional<Layout> candidate = swizzled(*part);
    if (!candidate || !is_confirmed(*candidate)) return std::nullopt;
    const Result<Layout> result = canonicalize(*candidate);
    return result ? std::optional(*result) : std::nullopt;
  }

  /// The layout with the product's swizzle, unless the known side has it.
  [[nodiscard]] std::optional<Layout> swizzled(const Layout& part) const {
    if (quotient_.known.swizzle()) return part;
    const Swizzle& swizzle = *quotient_.product.swizzle();
    int lowered = 0;
    if (quotient_.left_is_unknown()) {
      const Int width = scale_[swizzle.axis];
      if (!width.is_constant() || width.value() < 1) return std::nullopt;
      lowered = log2_exact(width.value());
    }
    const auto own = Swizzle::make(swizzle.per_element - lowered, swizzle.swizzle_len,
                                   swizzle.atom_len, swizzle.inner, swizzle.axis);
    if (!own) return std::nullopt;
    const auto layout = with_swizzle(part, *own);
    return layout ? std::optional(*layout) : std::nullopt;
  }

  [[nodiscard]] bool is_confirmed(const Layout& candidate) const {
    const auto product = quotient_.left_is_unknown()
                             ? multiply(quotient_.kind, candidate, unknown_shape_, quotient_.known,
                                        quotient_.known_shape)
                             : multiply(quotient_.kind, quotient_.known, quotient_.known_shape,
                                        candidate, unknown_shape_);
    return product && equal(*product, quotient_.product).is_yes();
  }

  /// Whether the map of the unknown side follows from the others: always for a tile, whose outer
  /// part is the number of a stretch of W places and whose inner part is the place within it; for a
  /// direct sum if there are no replicas.
  [[nodiscard]] bool is_determined(const SetMap& whole) const {
    if (quotient_.kind == Product::kTile) return true;
    for (const auto& [axis, sets] : whole.axes) {
      for (std::int64_t index = 0; index < whole.size; ++index) {
        if (sets[index].size() > 1) return false;
      }
    }
    return true;
  }

  Result<Layout> by_evaluation(const SetMap& whole, const SetMap& known) const {
    const Interleaving domain = quotient_.left_is_unknown()
                                    ? Interleaving(unknown_shape_, quotient_.known_shape)
                                    : Interleaving(quotient_.known_shape, unknown_shape_);
    const std::optional<SetMap> unknown = unknown_map(whole, known, domain);
    if (!unknown) return undecided("its numbers are symbolic or too large");
    const std::optional<SetMap> product = quotient_.left_is_unknown()
                                              ? combine(*unknown, scale_, known, domain)
                                              : combine(known, scale_, *unknown, domain);
    if (!product) return undecided(too_many());
    if (const auto index = first_difference(whole, *product)) {
      return refuse(
          no_quotient(quotient_, "its places do not repeat those of the " +
                                     std::string(known_name(quotient_)) + " side")
              .with_witness({.coordinate = tuple_text(unflatten(quotient_.product_shape, *index)),
                             .found = set_text(whole, *index),
                             .wanted = set_text(*product, *index),
                             .wanted_by = "C, read off elsewhere,"}));
    }
    Recovery recovery = recover(*unknown, unknown_shape_);
    if (recovery.layout) return canonicalize(*recovery.layout);
    if (!recovery.is_proof) return undecided("the search for C's swizzle took too many steps");
    return refuse(no_quotient(
        quotient_, "no layout has the map that C would have, with or without a swizzle"));
  }

  /// The map that the unknown side has, if it exists; nullopt if numbers are too large.
  [[nodiscard]] std::optional<SetMap> unknown_map(const SetMap& whole, const SetMap& known,
                                                  const Interleaving& domain) const {
    const std::vector<std::int64_t> indices =
        quotient_.left_is_unknown() ? domain.of_left : domain.of_right;
    SetMap unknown{.size = static_cast<std::int64_t>(indices.size()), .axes = {}};
    for (const Axis& axis : axes_of(whole, known)) {
      if (!fits(known, axis)) return std::nullopt;
      const auto read = reader(whole, known, axis);
      Sets& sets = unknown.axes[axis];
      for (const std::int64_t index : indices) sets.append(read(whole.at(axis, index)));
    }
    return unknown;
  }

  /// Whether multiples of the known side's places stay small.
  [[nodiscard]] bool fits(const SetMap& known, const Axis& axis) const {
    if (!scale_[axis].is_constant()) return false;
    for (const std::int64_t place : {known.at(axis, 0).front(), known.low(axis)}) {
      const exact::Value multiple = exact::multiply(place, scale_[axis].value());
      if (!multiple || *multiple <= -kMaxCoordinate || *multiple >= kMaxCoordinate) return false;
    }
    return true;
  }

  using Values = std::vector<std::int64_t>;
  using Reader = std::function<Values(std::span<const std::int64_t>)>;

  /// Computes the unknown side's set at x from the product's set at x || 0 (or at y, from 0 || y).
  [[nodiscard]] Reader reader(const SetMap& whole, const SetMap& known, const Axis& axis) const {
    const std::int64_t width = scale_[axis].value();
    const bool tile = quotient_.kind == Product::kTile;
    const auto each = [](std::int64_t shift, auto convert) {
      return [shift, convert](std::span<const std::int64_t> set) {
        Values result;
        for (const std::int64_t place : set) convert(place - shift, result);
        return result;
      };
    };
    if (quotient_.left_is_unknown() && tile) {
      return each(known.low(axis), [width](std::int64_t place, Values& result) {
        result.push_back(*exact::floor_divide(place, width));
      });
    }
    const std::int64_t first = known.at(axis, 0).front();
    if (!tile) {
      return each(first, [](std::int64_t place, Values& result) { result.push_back(place); });
    }
    // The right side's places extend from `low` over W places.
    const std::int64_t low = whole.low(axis) - width * known.low(axis);
    return [=](std::span<const std::int64_t> set) {
      Values result;
      for (const std::int64_t place : set) {
        if (place - width * first - low < width) result.push_back(place - width * first);
      }
      // If there is no place, no such right side exists; any place will do, because the product
      // then differs.
      if (result.empty()) result.push_back(low);
      return result;
    };
  }

  static std::string too_many() {
    return fmt::format("there are more than {} places to evaluate", kMaxPlaces);
  }

  [[nodiscard]] Refusal undecided(std::string_view why) const {
    return refuse("axe.undecided", "{}: {}", call_text(quotient_), why);
  }

  const Quotient& quotient_;
  const Scale& scale_;
  std::span<const Int> unknown_shape_;
};

}  // namespace

Result<Layout> divide_swizzled(const Quotient& quotient, const Scale& scale,
                               std::span<const Int> unknown_shape) {
  return SwizzledDivider(quotient, scale, unknown_shape).run();
}

}  // namespace heddle::axe
