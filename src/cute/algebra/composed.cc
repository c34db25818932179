// Operations on composed layouts, by those of the inner layout if the swizzle allows it.

#include "heddle/cute/composed_layout.h"

#include <algorithm>

#include "cute/layout/format.h"
#include "cute/layout/modes.h"
#include "cute/layout/width.h"
#include "expr/assume_needed.h"
#include "heddle/cute/composition.h"
#include "heddle/cute/inverse.h"
#include "heddle/cute/recast.h"
#include "heddle/form/recover.h"

namespace heddle::cute {
namespace {

constexpr std::int64_t kMaxVerified = form::kMaxVerified;

bool is_constant(const ComposedLayout& layout) {
  return layout.offset().is_constant() && is_constant(layout.layout());
}

/// Refuses (`composition.undecided`) sizes that are symbolic or have too many elements to try each.
/// Leaves of one element cost time without adding elements.
template <std::invocable What>
Result<void> check_can_try_each(const ComposedLayout& layout, What what) {
  if (!is_constant(layout)) {
    return refuse(
        diagnose(
            "composition.undecided",
            "{}: a swizzle here is checked element by element, and symbolic sizes cannot be tried",
            what())
            .with_hint("give the symbols values"));
  }
  const Int cost = layout.size() * (1 + layout.layout().extents().size() / 64);
  if (known_at_most(cost, kMaxVerified)) return {};
  return refuse("composition.undecided",
                "{}: the {} elements are too many to try each (at most {})", what(), layout.size(),
                kMaxVerified);
}

/// Does the swizzle leave all of 0, …, end-1 in place? The first number it moves is its lowest
/// source bit.
bool moves_nothing_below(const Swizzle& swizzle, const Int& end) {
  const Int first_moved =
      max_alignment(swizzle) * (std::int64_t{1} << std::max(0, swizzle.shift()));
  return swizzle.is_identity() || known_at_most(end, first_moved);
}

/// The composed layout without its swizzle, if that moves none of the indices.
Result<ComposedLayout> without_idle_swizzle(const ComposedLayout& composed) {
  const auto backwards = [](const Stride& stride) { return known_less(stride.scale(), 0); };
  const Layout& layout = composed.layout();
  if (!known_at_most(0, composed.offset()) || std::ranges::any_of(layout.strides(), backwards)) {
    return composed;
  }
  HEDDLE_TRY(const Int reach, cosize(layout));
  if (!moves_nothing_below(composed.swizzle(), composed.offset() + reach)) return composed;
  return ComposedLayout::make(Swizzle(), composed.offset(), layout);
}

/// The plain layout if swizzle and offset have no effect, otherwise the composed one.
AnyLayout simplest(ComposedLayout composed) {
  if (composed.swizzle().is_identity() && known_equal(composed.offset(), 0))
    return composed.layout();
  return composed;
}

ComposedLayout as_composed(const AnyLayout& layout) {
  if (const auto* composed = std::get_if<ComposedLayout>(&layout)) return *composed;
  // A plain layout always composes with the identity.
  return *ComposedLayout::make(Swizzle(), 0, std::get<Layout>(layout));
}

/// A claim that `candidate` is the map `wanted`, tried at every coordinate.
using Map = std::function<Int(const Int&)>;

Result<AnyLayout> verified(const std::string& what, Result<ComposedLayout> candidate,
                           const Map& wanted) {
  if (!candidate) {
    return refuse(Diagnostic("composition.swizzle", what + " has no form swizzle o offset o layout")
                      .with_note(candidate.error().message()));
  }
  HEDDLE_CHECK(check_can_try_each(*candidate, [&] { return what; }));
  for (std::int64_t c = 0; c < candidate->size().value(); ++c) {
    const Int found = wanted(c);
    if (known_equal((*candidate)(c), found)) continue;
    return refuse(diagnose("composition.swizzle",
                           "{} is not {}, its only candidate of the form swizzle o offset o layout",
                           what, *candidate)
                      .with_witness({std::to_string(c), to_string(found),
                                     to_string((*candidate)(c)), "the candidate"}));
  }
  return simplest(*std::move(candidate));
}

/// The swizzle with its masks carried through the layout.
Result<Swizzle> carry(const Layout& layout, const Swizzle& swizzle) {
  if (swizzle.is_identity()) return swizzle;
  const auto what = [&] { return fmt::format("{} at the bits of {}", layout, swizzle); };
  const Int y = layout(swizzle.source_mask());
  const Int z = layout(swizzle.target_mask());
  HEDDLE_TRY(const Int sources, check_defined(y, what));
  HEDDLE_TRY(const Int targets, check_defined(z, what));
  if (!sources.is_constant() || !targets.is_constant()) {
    return refuse("composition.undecided",
                  what() + ": where the bits go depends on symbolic strides");
  }
  return make_swizzle(sources.value(), targets.value());
}

Result<ComposedLayout> candidate_of(const Layout& a, const ComposedLayout& right) {
  HEDDLE_TRY(const ComposedLayout b, without_idle_swizzle(right));
  HEDDLE_TRY(const Swizzle swizzle, carry(a, b.swizzle()));
  HEDDLE_TRY(const Layout layout, composition(a, b.layout()));
  return ComposedLayout::make(swizzle, a(b.offset()), layout);
}

Result<AnyLayout> inverse_of(std::string_view name, const ComposedLayout& layout,
                             const Layout& inner) {
  HEDDLE_TRY(const bool begins_at_0, decide({layout.offset(), Predicate::kEqual, 0},
                                            [&] { return fmt::format("{}({})", name, layout); }));
  if (!begins_at_0) {
    return refuse("inverse.offset", "{}({}): an inverse would have to begin at index {}, not at 0",
                  name, layout, layout(0));
  }
  HEDDLE_TRY(AnyLayout inverse, composition(inner, layout.swizzle()));
  return inverse;
}

std::optional<Witness> right_fault(const ComposedLayout& layout, const ComposedLayout& inverse) {
  for (std::int64_t i = 0; i < inverse.size().value(); ++i) {
    const Int coordinate = inverse(i);
    const bool inside = known_at_most(0, coordinate) && known_less(coordinate, layout.size());
    const Int back = layout(coordinate);
    if (!inside || !known_equal(back, i))
      return Witness{std::to_string(i), to_string(back), std::to_string(i)};
  }
  return std::nullopt;
}

std::optional<Witness> left_fault(const ComposedLayout& layout, const ComposedLayout& inverse) {
  for (std::int64_t c = 0; c < layout.size().value(); ++c) {
    const Int index = layout(c);
    const Int coordinate = inverse(index);
    const bool inside = known_at_most(0, coordinate) && known_less(coordinate, layout.size());
    const Int back = layout(coordinate);
    if (!inside || !known_equal(back, index))
      return Witness{std::to_string(c), to_string(index), to_string(back)};
  }
  return std::nullopt;
}

Result<AnyLayout> checked_inverse(std::string_view name, const ComposedLayout& layout,
                                  Result<AnyLayout> inverse,
                                  std::optional<Witness> (*fault)(const ComposedLayout&,
                                                                  const ComposedLayout&)) {
  if (!inverse) return inverse;
  HEDDLE_CHECK(check_can_try_each(layout, [&] { return fmt::format("{}({})", name, layout); }));
  if (auto witness = fault(layout, as_composed(*inverse))) {
    witness->wanted_by = "an inverse";
    return refuse(diagnose("inverse.swizzle",
                           "{}({}): the swizzle mixes indices that the layout meets with others",
                           name, layout)
                      .with_witness(*std::move(witness)));
  }
  return inverse;
}

/// How many of the first elements a swizzle keeps among themselves, at most `size`.
Result<Int> closed_under(const Swizzle& swizzle, const Int& size) {
  if (swizzle.is_identity()) return size;
  const Int block = swizzle.shift() > 0
                        ? max_alignment(swizzle) * (std::int64_t{1} << swizzle.shift())
                        : Int(swizzle.size());
  HEDDLE_TRY(const bool holds_blocks, decide({block, Predicate::kAtMost, size}, [&] {
               return fmt::format("max_common_vector of {} elements under {}", size, swizzle);
             }));
  if (holds_blocks) return size - mod(size, block);
  return swizzle.shift() > 0 ? size : min(size, max_alignment(swizzle));
}

/// 2^M of the swizzle, limited by the alignment of the offset; a plain layout has no limit.
Int vector_limit(const AnyLayout& layout, const Int& size) {
  const auto* composed = std::get_if<ComposedLayout>(&layout);
  return composed == nullptr || composed->swizzle().is_identity()
             ? size
             : min(size, gcd(max_alignment(composed->swizzle()), composed->offset()));
}

/// The layout without its swizzle, if that moves none of the indices.
Result<AnyLayout> without_idle_swizzle(const AnyLayout& layout) {
  const auto* composed = std::get_if<ComposedLayout>(&layout);
  if (composed == nullptr) return layout;
  HEDDLE_TRY(ComposedLayout idle, without_idle_swizzle(*composed));
  return simplest(std::move(idle));
}

}  // namespace

Result<Int> cosize(const ComposedLayout& layout) {
  HEDDLE_CHECK(check_can_try_each(layout, calling("cosize", layout)));
  Int greatest = layout(0);
  for (std::int64_t c = 1; c < layout.size().value(); ++c) greatest = max(greatest, layout(c));
  return greatest + 1;
}

Result<Int> cosize(const AnyLayout& layout) {
  return std::visit([](const auto& any) { return cosize(any); }, layout);
}

Result<AnyLayout> composition(const Swizzle& swizzle, const Layout& layout) {
  HEDDLE_TRY(ComposedLayout composed, ComposedLayout::make(swizzle, 0, layout));
  return simplest(std::move(composed));
}

Result<AnyLayout> composition(const Swizzle& swizzle, const ComposedLayout& layout) {
  HEDDLE_TRY(const Swizzle both, composition(swizzle, layout.swizzle()));
  HEDDLE_TRY(ComposedLayout composed, ComposedLayout::make(both, layout.offset(), layout.layout()));
  return simplest(std::move(composed));
}

Result<ComposedLayout> composition(const ComposedLayout& a, const Layout& b) {
  return map_layout(a, [&](const Layout& layout) { return composition(layout, b); });
}

Result<ComposedLayout> composition(const ComposedLayout& a, const Tiler& tiler) {
  return map_layout(a, [&](const Layout& layout) { return composition(layout, tiler); });
}

Result<AnyLayout> composition(const ComposedLayout& a, const Swizzle& b) {
  if (moves_nothing_below(b, a.size())) return a;
  HEDDLE_TRY(const Layout domain, make_layout(a.shape()));
  HEDDLE_TRY(const ComposedLayout right, ComposedLayout::make(b, 0, domain));
  return composition(a, right);
}

Result<AnyLayout> composition(const Layout& a, const Swizzle& b) {
  if (moves_nothing_below(b, a.size())) return a;
  const std::string what = fmt::format("{} o {}", a, b);
  const auto candidate = [&]() -> Result<ComposedLayout> {
    HEDDLE_TRY(const Swizzle swizzle, carry(a, b));
    return ComposedLayout::make(swizzle, 0, a);
  };
  return verified(what, candidate(), [&](const Int& c) { return a(b(c)); });
}

Result<AnyLayout> composition(const Layout& a, const ComposedLayout& b) {
  const std::string what = fmt::format("{} o {}", a, b);
  return verified(what, candidate_of(a, b), [&](const Int& c) { return a(b(c)); });
}

Result<AnyLayout> composition(const ComposedLayout& a, const ComposedLayout& b) {
  const std::string what = fmt::format("{} o {}", a, b);
  const auto candidate = [&]() -> Result<ComposedLayout> {
    HEDDLE_TRY(const ComposedLayout inner, candidate_of(a.layout(), b));
    HEDDLE_TRY(const Swizzle swizzle, composition(a.swizzle(), inner.swizzle()));
    return ComposedLayout::make(swizzle, a.offset() + inner.offset(), inner.layout());
  };
  return verified(what, candidate(), [&](const Int& c) { return a(b(c)); });
}

Swizzle get_swizzle_portion(const AnyLayout& layout) {
  const auto* composed = std::get_if<ComposedLayout>(&layout);
  return composed == nullptr ? Swizzle() : composed->swizzle();
}

Layout get_nonswizzle_portion(const AnyLayout& layout) { return inner_layout(layout); }

Result<ComposedLayout> slice(const Coordinate& coordinate, const ComposedLayout& layout) {
  HEDDLE_TRY(const OffsetLayout part, slice_and_offset(coordinate, layout.layout()));
  return ComposedLayout::make(layout.swizzle(), layout.offset() + part.offset.leaf(), part.layout);
}

Result<OffsetLayout> slice_and_offset(const Coordinate& coordinate, const ComposedLayout& layout) {
  HEDDLE_TRY(const ComposedLayout part, slice(coordinate, layout));
  HEDDLE_CHECK(check_can_try_each(part, [&] { return fmt::format("the slice {}", part); }));
  const std::int64_t first = part(0).value();
  const auto not_strided = [&](std::string note) {
    return refuse(diagnose("slice.not_strided",
                           "the slice {} is not strided: it touches both bits of a swizzled pair",
                           part)
                      .with_note(std::move(note))
                      .with_hint("slice keeps it in the form swizzle o offset o layout"));
  };
  std::vector<Modes> images;
  Int step = 1;
  for (const Int& extent : part.layout().extents()) {
    bool overflow = false;
    const auto along = [&](std::int64_t n) {
      const Int distance = part(n * step) - first;
      overflow = overflow || !distance.is_defined();
      return std::vector<std::int64_t>{distance.is_constant() ? distance.value() : 0};
    };
    const auto digits = form::recover(extent.value(), 1, along);
    if (overflow)
      return refuse("overflow", "the strides of the slice {} do not fit into 64 bits", part);
    if (!digits) return not_strided(digits.error().message());
    Modes modes;
    for (const form::Digit& digit : *digits) modes.push_back({digit.extent, digit.stride.front()});
    if (modes.empty()) modes.push_back({1, 0});
    images.push_back(std::move(modes));
    step *= extent;
  }
  HEDDLE_TRY(Layout strided, replace_leaves(part.layout().profile(), images));
  for (std::int64_t c = 0; c < part.size().value(); ++c) {
    if (known_equal(strided(c) + first, part(c))) continue;
    return not_strided(fmt::format("element {} lies at {}", c, part(c)));
  }
  return OffsetLayout{std::move(strided), IntTuple(Int(first))};
}

Result<ComposedLayout> domain_offset(const Coordinate& coordinate, const ComposedLayout& layout) {
  HEDDLE_TRY(const IntTuple offset, evaluate(layout.layout(), coordinate));
  return ComposedLayout::make(layout.swizzle(), layout.offset() + offset.leaf(), layout.layout());
}

Result<AnyLayout> right_inverse(const ComposedLayout& layout) {
  HEDDLE_TRY(const Layout inner, right_inverse(layout.layout()));
  return checked_inverse("right_inverse", layout, inverse_of("right_inverse", layout, inner),
                         right_fault);
}

Result<AnyLayout> left_inverse(const ComposedLayout& layout) {
  HEDDLE_TRY(const Layout inner, left_inverse(layout.layout()));
  return checked_inverse("left_inverse", layout, inverse_of("left_inverse", layout, inner),
                         left_fault);
}

Result<ComposedLayout> upcast(const ComposedLayout& layout, const Int& n) {
  HEDDLE_TRY(const Swizzle swizzle, upcast(layout.swizzle(), n));
  HEDDLE_TRY(const Layout inner, upcast(layout.layout(), n));
  HEDDLE_TRY(const bool aligned,
             decide({n, Predicate::kDivides, layout.offset()}, calling("upcast", layout, n)));
  if (!aligned) {
    return refuse("recast.divisibility", "upcast({},{}): the offset {} is no multiple of {}",
                  layout, n, layout.offset(), n);
  }
  return ComposedLayout::make(swizzle, floor_div(layout.offset(), n), inner);
}

Result<ComposedLayout> downcast(const ComposedLayout& layout, const Int& n) {
  HEDDLE_TRY(const Swizzle swizzle, downcast(layout.swizzle(), n));
  HEDDLE_TRY(const Layout inner, downcast(layout.layout(), n));
  return ComposedLayout::make(swizzle, layout.offset() * n, inner);
}

Result<ComposedLayout> recast(const ComposedLayout& layout, const Int& old_bits,
                              const Int& new_bits) {
  return change_width(layout, old_bits, new_bits);
}

Result<Int> max_alignment(const ComposedLayout& layout) {
  HEDDLE_TRY(const Int inner, max_alignment(layout.layout()));
  return gcd(gcd(max_alignment(layout.swizzle()), layout.offset()), inner);
}

Result<Int> max_common_vector(const AnyLayout& left_side, const AnyLayout& right_side) {
  HEDDLE_TRY(const AnyLayout a, without_idle_swizzle(left_side));
  HEDDLE_TRY(const AnyLayout b, without_idle_swizzle(right_side));
  HEDDLE_TRY(const Int size,
             max_common_vector(get_nonswizzle_portion(a), get_nonswizzle_portion(b)));
  const auto* left = std::get_if<ComposedLayout>(&a);
  const auto* right = std::get_if<ComposedLayout>(&b);
  const bool alike = left != nullptr && right != nullptr && left->swizzle() == right->swizzle() &&
                     known_equal(left->offset(), 0) && known_equal(right->offset(), 0);
  if (alike) return closed_under(left->swizzle(), size);
  return min(vector_limit(a, size), vector_limit(b, size));
}

Result<Layout> max_common_layout(const AnyLayout& left_side, const AnyLayout& right_side) {
  HEDDLE_TRY(const AnyLayout a, without_idle_swizzle(left_side));
  HEDDLE_TRY(const AnyLayout b, without_idle_swizzle(right_side));
  HEDDLE_TRY(const Layout common,
             max_common_layout(get_nonswizzle_portion(a), get_nonswizzle_portion(b)));
  const Int size = min(vector_limit(a, common.size()), vector_limit(b, common.size()));
  if (known_equal(size, common.size())) return common;
  HEDDLE_TRY(const Layout run, make_layout(IntTuple(size)));
  return composition(common, run);
}

}  // namespace heddle::cute
