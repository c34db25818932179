// Operations on composed layouts, by those of the inner layout if the swizzle allows it.

#include "heddle/cute/composed_layout.h"

#include <algorithm>

#include "core/bits.h"
#include "core/text.h"
#include "cute/layout/coordinate_sums.h"
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

/// Refuses (`composition.undecided`) sizes that are symbolic or have too many elements to try each.
/// Leaves of one element cost time without adding elements.
template <std::invocable What>
Result<void> check_can_try_each(const ComposedLayout& layout, What what) {
  if (!is_constant(layout)) {
    return refuse(
        diagnose(
            "composition.undecided",
            "{}: a composed layout is checked here element by element, and symbolic sizes cannot "
            "be tried",
            what())
            .with_hint(value_hint(integers(layout))));
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

/// The coordinate of the whole layout.
Coordinate everything(const ComposedLayout& layout) {
  return transform_leaves(layout.shape(), [](const Int&) { return Index(_); });
}

/// The same map with a swizzle, here the identity, in place of the outer layout. Refuses
/// `slice.not_strided`.
Result<ComposedLayout> strided(const ComposedLayout& layout) {
  if (layout.outer() == nullptr) return layout;
  HEDDLE_TRY(const OffsetLayout plain, slice_and_offset(everything(layout), layout));
  return ComposedLayout::make(Swizzle(), plain.offset.leaf(), plain.layout);
}

/// The composed layout without its swizzle, if that moves none of the indices.
Result<ComposedLayout> without_idle_swizzle(const ComposedLayout& layout) {
  HEDDLE_TRY(const ComposedLayout composed, strided(layout));
  const auto backwards = [](const Stride& stride) { return known_less(stride.scale(), 0); };
  const Int& offset = composed.offset().leaf();
  if (!known_at_most(0, offset) || std::ranges::any_of(composed.layout().strides(), backwards)) {
    return composed;
  }
  HEDDLE_TRY(const Int reach, cosize(composed.layout()));
  if (!moves_nothing_below(composed.swizzle(), offset + reach)) return composed;
  return ComposedLayout::make(Swizzle(), offset, composed.layout());
}

/// The plain layout if swizzle and offset have no effect, otherwise the composed one.
AnyLayout simplest(ComposedLayout composed) {
  if (composed.outer() == nullptr && composed.swizzle().is_identity() &&
      known_equal(composed.offset().leaf(), 0)) {
    return composed.layout();
  }
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
  return ComposedLayout::make(swizzle, a(b.offset().leaf()), layout);
}

Result<AnyLayout> inverse_of(std::string_view name, const ComposedLayout& layout,
                             const Layout& inner) {
  HEDDLE_TRY(const bool begins_at_0, decide({layout.offset().leaf(), Predicate::kEqual, 0},
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
               return fmt::format("max_common_vector of {} under {}", counted(size, "element"),
                                  swizzle);
             }));
  if (holds_blocks) return size - mod(size, block);
  return swizzle.shift() > 0 ? size : min(size, max_alignment(swizzle));
}

/// 2^M of the swizzle, limited by the alignment of the offset; a plain layout has no limit.
Int vector_limit(const AnyLayout& layout, const Int& size) {
  const auto* composed = std::get_if<ComposedLayout>(&layout);
  return composed == nullptr || composed->swizzle().is_identity()
             ? size
             : min(size, gcd(max_alignment(composed->swizzle()), composed->offset().leaf()));
}

std::optional<AnyLayout> as_layout(const OuterFunction& outer) {
  if (const auto* plain = std::get_if<Layout>(&outer)) return *plain;
  if (const auto* composed = std::get_if<ComposedLayout>(&outer)) return *composed;
  return std::nullopt;
}

/// The composition of two functions, the inner one a layout.
Result<AnyLayout> composed_at_0(const OuterFunction& outer, const AnyLayout& inner) {
  return std::visit(
      [](const auto& a, const auto& b) -> Result<AnyLayout> { return composition(a, b); }, outer,
      inner);
}

/// Does a composed layout ask its outer layout only for coordinates that this has? A composition
/// says nothing of what lies past the end.
bool stays_inside_outer(const ComposedLayout& layout) {
  const auto forwards = [](const Stride& stride) { return known_at_most(0, stride.scale()); };
  const Layout& inner = layout.layout();
  if (!inner.is_integral() || !layout.offset().is_leaf() ||
      !std::ranges::all_of(inner.strides(), forwards)) {
    return false;
  }
  const auto reach = cosize(inner);
  return reach && known_at_most(0, layout.offset().leaf()) &&
         known_at_most(layout.offset().leaf() + *reach, size(*layout.outer()));
}

/// last o offset o next as it is written, which is right for coordinates past the end of `next`
/// too.
Result<AnyLayout> unfolded(const AnyLayout& last, const IntTuple& offset, const AnyLayout& next) {
  if (const auto* plain = std::get_if<Layout>(&next))
    return ComposedLayout::make(last, offset, *plain);
  const auto& composed = std::get<ComposedLayout>(next);
  if (composed.outer() == nullptr) {
    return refuse("composition.undecided",
                  "{} o {} o {}: the next layout may need coordinates past the end of the last one",
                  to_string(last), offset, composed);
  }
  HEDDLE_TRY(const AnyLayout both, unfolded(last, offset, *composed.outer()));
  return ComposedLayout::make(both, composed.offset(), composed.layout());
}

/// outer o offset o (the outer layout of `inner`).
Result<AnyLayout> composed_outer(const OuterFunction& outer, const IntTuple& offset,
                                 const ComposedLayout& inner) {
  const auto last = as_layout(outer);
  if (!last || stays_inside_outer(inner))
    return make_composed_layout(outer, offset, *inner.outer());
  return unfolded(*last, offset, *inner.outer());
}

/// The offset of a layout whose elements change their width; an outer layout takes flat coordinates
/// then.
Result<Int> address_offset(std::string_view name, const ComposedLayout& layout, const Int& n) {
  const bool is_flat = layout.layout().is_integral();
  if (is_flat && layout.offset().is_leaf()) return layout.offset().leaf();
  if (is_flat && is_zero(layout.offset())) return Int(0);
  return refuse("recast.divisibility",
                "{}({},{}): the coordinates of the left layout are tuples, not numbers of elements",
                name, layout, n);
}

/// The layout with its last leaf so long that what it has past its end shows.
Result<Layout> run_on(const Layout& layout, const Int& factor) {
  Layout::Extents extents(layout.extents().begin(), layout.extents().end());
  Layout::Strides strides(layout.strides().begin(), layout.strides().end());
  if (extents.empty()) return layout;
  extents.back() *= factor;
  return Layout::make(layout.profile(), std::move(extents), std::move(strides));
}

/// The outer layout of a composed one, if it leads all runs of `n` coordinates to runs of indices,
/// also past its end: it has stride 1 on a first mode that n divides.
Result<Layout> outer_in_runs(std::string_view name, const ComposedLayout& layout, const Int& n) {
  const auto* outer = std::get_if<Layout>(layout.outer());
  const auto call = [&] { return fmt::format("{}({},{})", name, layout, n); };
  if (outer != nullptr) {
    HEDDLE_TRY(const Layout longer, run_on(*outer, 2 * n));
    const Layout modes = coalesce(longer);
    bool keeps_runs = true;
    for (std::size_t i = 0; i < modes.extents().size(); ++i) {
      const Int& stride = modes.strides()[i].scale();
      const bool is_run = i == 0;
      HEDDLE_TRY(const bool fits, decide(is_run ? Condition{stride, Predicate::kEqual, 1}
                                                : Condition{n, Predicate::kDivides, stride},
                                         call));
      keeps_runs = keeps_runs && fits;
    }
    HEDDLE_TRY(const bool is_whole,
               decide({n, Predicate::kDivides, modes.extents().front()}, call));
    if (keeps_runs && is_whole) return *outer;
  }
  return refuse("recast.divisibility", "{}: the left layout does not keep neighbours together",
                call());
}

/// A swizzle in two parts that commute: the lowest `count` pairs of bits, and the others.
struct SplitSwizzle {
  Swizzle low;
  Swizzle high;
};

Result<SplitSwizzle> split(const Swizzle& swizzle, int count) {
  const int low = std::clamp(count, 0, swizzle.bits());
  SplitSwizzle parts;
  HEDDLE_TRY(parts.low, Swizzle::make(low, swizzle.base(), swizzle.shift()));
  HEDDLE_TRY(parts.high,
             Swizzle::make(swizzle.bits() - low, swizzle.base() + low, swizzle.shift()));
  return parts;
}

/// Refuses `recast.swizzle` with the first coordinate whose index the swizzle's lowest bits, those
/// within an element of n, do not leave in place.
Result<void> check_idle(const Swizzle& low, const Swizzle& high, const ComposedLayout& layout,
                        const Int& n) {
  const auto what = calling("upcast", layout, n);
  if (!is_constant(layout)) return check_can_try_each(layout, what);
  for (std::int64_t c = 0; c < std::min(layout.size().value(), kMaxVerified); ++c) {
    const Int address = layout.offset().leaf() + layout.layout()(c);
    if (known_equal(low(address), address)) continue;
    return refuse(
        diagnose("recast.swizzle",
                 "{}: the swizzle acts on bits of an index that count within a wider element, and "
                 "that tears elements apart",
                 what())
            .with_witness({std::to_string(c), to_string(layout(c)), to_string(high(address)),
                           "an element that stays whole"}));
  }
  return check_can_try_each(layout, what);
}

/// The swizzle of a layout of elements n times as wide; bits that tear no element of the layout are
/// left out.
Result<Swizzle> upcast_swizzle(const ComposedLayout& layout, const Int& n) {
  const Swizzle& swizzle = layout.swizzle();
  Result<Swizzle> wider = upcast(swizzle, n);
  if (wider || wider.error().code() != "recast.swizzle") return wider;
  HEDDLE_TRY(const auto parts, split(swizzle, log2_exact(n.value()) - swizzle.base()));
  HEDDLE_CHECK(check_idle(parts.low, parts.high, layout, n));
  return upcast(parts.high, n);
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
  if (layout.outer() != nullptr) return make_composed_layout(swizzle, IntTuple(0), layout);
  HEDDLE_TRY(const Swizzle both, composition(swizzle, layout.swizzle()));
  HEDDLE_TRY(ComposedLayout composed,
             ComposedLayout::make(both, layout.offset().leaf(), layout.layout()));
  return simplest(std::move(composed));
}

Result<AnyLayout> make_composed_layout(const OuterFunction& outer, const IntTuple& offset,
                                       const AnyLayout& inner) {
  const auto* composed = std::get_if<ComposedLayout>(&inner);
  const auto* plain = std::get_if<Layout>(&inner);
  if (composed != nullptr && composed->outer() != nullptr) {
    HEDDLE_TRY(const AnyLayout both, composed_outer(outer, offset, *composed));
    return ComposedLayout::make(both, composed->offset(), composed->layout());
  }
  if (is_zero(offset)) {
    auto folded = composed_at_0(outer, inner);
    const bool is_left_as_it_is = !folded && plain != nullptr && as_layout(outer);
    return is_left_as_it_is ? ComposedLayout::make(*as_layout(outer), offset, *plain) : folded;
  }
  if (plain == nullptr) {
    return refuse(
        diagnose("composition.offset",
                 "{} o {} o {}: nothing can be added between this function and the swizzle",
                 std::visit([](const auto& any) { return to_string(any); }, outer), offset,
                 *composed)
            .with_hint("an offset is followed by a plain layout: Sw<3,4,3> o 16 o (8,64):(64,1)"));
  }
  if (const auto layout = as_layout(outer)) return ComposedLayout::make(*layout, offset, *plain);
  const Swizzle& swizzle = std::get<Swizzle>(outer);
  if (offset.is_leaf()) return ComposedLayout::make(swizzle, offset.leaf(), *plain);
  return refuse("composed.not_integral", "{} o {}: an offset before a swizzle is one number",
                swizzle, offset);
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
  if (b.outer() != nullptr) return make_composed_layout(a, IntTuple(0), b);
  const std::string what = fmt::format("{} o {}", a, b);
  return verified(what, candidate_of(a, b), [&](const Int& c) { return a(b(c)); });
}

Result<AnyLayout> composition(const ComposedLayout& a, const ComposedLayout& b) {
  if (b.outer() != nullptr) return make_composed_layout(a, IntTuple(0), b);
  const std::string what = fmt::format("{} o {}", a, b);
  const auto candidate = [&]() -> Result<ComposedLayout> {
    HEDDLE_TRY(const ComposedLayout inner, candidate_of(a.layout(), b));
    HEDDLE_TRY(const IntTuple offset, moved(a.offset(), inner.offset()));
    if (a.outer() == nullptr) {
      HEDDLE_TRY(const Swizzle swizzle, composition(a.swizzle(), inner.swizzle()));
      return ComposedLayout::make(swizzle, offset.leaf(), inner.layout());
    }
    if (inner.swizzle().is_identity()) return a.with(offset, inner.layout());
    return refuse("composition.swizzle", "{} would swizzle the coordinates of {}", inner,
                  to_string(*a.outer()));
  };
  return verified(what, candidate(), [&](const Int& c) { return a(b(c)); });
}

Swizzle get_swizzle_portion(const AnyLayout& layout) {
  const auto* composed = std::get_if<ComposedLayout>(&layout);
  if (composed == nullptr) return Swizzle();
  return composed->outer() == nullptr ? composed->swizzle()
                                      : get_swizzle_portion(*composed->outer());
}

AnyLayout get_nonswizzle_portion(const AnyLayout& layout) {
  const auto* composed = std::get_if<ComposedLayout>(&layout);
  if (composed == nullptr || composed->outer() == nullptr) return inner_layout(layout);
  // Without the swizzle the outer layout still takes the same coordinates.
  return *ComposedLayout::make(get_nonswizzle_portion(*composed->outer()), composed->offset(),
                               composed->layout());
}

Result<ComposedLayout> slice(const Coordinate& coordinate, const ComposedLayout& layout) {
  HEDDLE_TRY(const OffsetLayout part, slice_and_offset(coordinate, layout.layout()));
  HEDDLE_TRY(const IntTuple offset, moved(layout.offset(), part.offset));
  return layout.with(offset, part.layout);
}

Result<OffsetLayout> slice_and_offset(const Coordinate& coordinate, const ComposedLayout& layout) {
  HEDDLE_TRY(const ComposedLayout part, slice(coordinate, layout));
  HEDDLE_CHECK(check_can_try_each(part, [&] { return fmt::format("the slice {}", part); }));
  const std::int64_t first = part(0).value();
  const auto not_strided = [&](std::string note) {
    return refuse(diagnose("slice.not_strided", "the slice {} is not strided: it {}", part,
                           part.outer() == nullptr ? "touches both bits of a swizzled pair"
                                                   : "carries between modes of the left layout")
                      .with_note(std::move(note))
                      .with_hint(part.outer() == nullptr
                                     ? "slice keeps it in the form swizzle o offset o layout"
                                     : "slice keeps it in the form layout o offset o layout"));
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
    return not_strided(fmt::format("element {} is at {}", c, part(c)));
  }
  return OffsetLayout{std::move(strided), IntTuple(Int(first))};
}

Result<ComposedLayout> domain_offset(const Coordinate& coordinate, const ComposedLayout& layout) {
  HEDDLE_TRY(const IntTuple step, evaluate(layout.layout(), coordinate));
  HEDDLE_TRY(const IntTuple offset, moved(layout.offset(), step));
  return layout.with(offset, layout.layout());
}

Result<AnyLayout> right_inverse(const ComposedLayout& layout) {
  if (layout.outer() != nullptr) {
    HEDDLE_TRY(const ComposedLayout plain, strided(layout));
    return right_inverse(plain);
  }
  HEDDLE_TRY(const Layout inner, right_inverse(layout.layout()));
  return checked_inverse("right_inverse", layout, inverse_of("right_inverse", layout, inner),
                         right_fault);
}

Result<AnyLayout> left_inverse(const ComposedLayout& layout) {
  if (layout.outer() != nullptr) {
    HEDDLE_TRY(const ComposedLayout plain, strided(layout));
    return left_inverse(plain);
  }
  HEDDLE_TRY(const Layout inner, left_inverse(layout.layout()));
  return checked_inverse("left_inverse", layout, inverse_of("left_inverse", layout, inner),
                         left_fault);
}

Result<ComposedLayout> upcast(const ComposedLayout& layout, const Int& n) {
  HEDDLE_TRY(const Layout inner, upcast(layout.layout(), n));
  HEDDLE_TRY(const Int offset, address_offset("upcast", layout, n));
  HEDDLE_TRY(const bool aligned,
             decide({n, Predicate::kDivides, offset}, calling("upcast", layout, n)));
  if (!aligned) {
    return refuse("recast.divisibility", "upcast({},{}): the offset {} is not a multiple of {}",
                  layout, n, offset, n);
  }
  const Int wide = floor_div(offset, n);
  if (layout.outer() != nullptr) {
    HEDDLE_TRY(const Layout outer, outer_in_runs("upcast", layout, n));
    HEDDLE_TRY(const Layout wider, upcast(outer, n));
    return ComposedLayout::make(wider, IntTuple(wide), inner);
  }
  HEDDLE_TRY(const Swizzle swizzle, upcast_swizzle(layout, n));
  return ComposedLayout::make(swizzle, wide, inner);
}

Result<ComposedLayout> downcast(const ComposedLayout& layout, const Int& n) {
  HEDDLE_TRY(const Layout inner, downcast(layout.layout(), n));
  HEDDLE_TRY(const Int offset, address_offset("downcast", layout, n));
  if (layout.outer() != nullptr) {
    HEDDLE_TRY(const Layout outer, outer_in_runs("downcast", layout, 1));
    HEDDLE_TRY(const Layout finer, downcast(outer, n));
    return ComposedLayout::make(finer, IntTuple(offset * n), inner);
  }
  HEDDLE_TRY(const Swizzle swizzle, downcast(layout.swizzle(), n));
  return ComposedLayout::make(swizzle, offset * n, inner);
}

Result<ComposedLayout> recast(const ComposedLayout& layout, const Int& old_bits,
                              const Int& new_bits) {
  return change_width(layout, old_bits, new_bits);
}

Result<Int> max_alignment(const ComposedLayout& layout) {
  if (layout.outer() != nullptr) {
    HEDDLE_CHECK(check_can_try_each(layout, calling("max_alignment", layout)));
    Int alignment = 0;
    for (std::int64_t c = 0; c < layout.size().value(); ++c) alignment = gcd(alignment, layout(c));
    return max(alignment, 1);
  }
  HEDDLE_TRY(const Int inner, max_alignment(layout.layout()));
  return gcd(gcd(max_alignment(layout.swizzle()), layout.offset().leaf()), inner);
}

Result<Int> max_common_vector(const AnyLayout& left_side, const AnyLayout& right_side) {
  HEDDLE_TRY(const AnyLayout a, without_idle_swizzle(left_side));
  HEDDLE_TRY(const AnyLayout b, without_idle_swizzle(right_side));
  HEDDLE_TRY(const Int size, max_common_vector(inner_layout(a), inner_layout(b)));
  const auto* left = std::get_if<ComposedLayout>(&a);
  const auto* right = std::get_if<ComposedLayout>(&b);
  const bool alike = left != nullptr && right != nullptr && left->swizzle() == right->swizzle() &&
                     is_zero(left->offset()) && is_zero(right->offset());
  if (alike) return closed_under(left->swizzle(), size);
  return min(vector_limit(a, size), vector_limit(b, size));
}

Result<Layout> max_common_layout(const AnyLayout& left_side, const AnyLayout& right_side) {
  HEDDLE_TRY(const AnyLayout a, without_idle_swizzle(left_side));
  HEDDLE_TRY(const AnyLayout b, without_idle_swizzle(right_side));
  HEDDLE_TRY(const Layout common, max_common_layout(inner_layout(a), inner_layout(b)));
  const Int size = min(vector_limit(a, common.size()), vector_limit(b, common.size()));
  if (known_equal(size, common.size())) return common;
  HEDDLE_TRY(const Layout run, make_layout(IntTuple(size)));
  return composition(common, run);
}

}  // namespace heddle::cute
