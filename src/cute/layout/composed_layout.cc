#include "heddle/cute/composed_layout.h"

#include <algorithm>
#include <cassert>
#include <ostream>

#include "cute/layout/coordinate_sums.h"
#include "cute/layout/format.h"
#include "cute/layout/modes.h"

namespace heddle::cute {
namespace {

/// The index that the outer layout has at a coordinate of the inner one moved by the offset.
Result<IntTuple> through(const AnyLayout& outer, const IntTuple& place, const IntTuple& offset) {
  HEDDLE_TRY(const IntTuple there, moved(place, offset));
  return evaluate(outer, to_coordinate(filled(there, inner_layout(outer).profile())));
}

/// The number of layouts and swizzles that are applied one after the other.
std::size_t chain_length(const AnyLayout& layout) {
  const auto* composed = std::get_if<ComposedLayout>(&layout);
  if (composed == nullptr) return 1;
  return composed->outer() == nullptr ? 2 : 1 + chain_length(*composed->outer());
}

/// Where the digits of positive strides are greatest and the others 0, or the other way round.
IntTuple corner(const Layout& layout, bool is_last) {
  IntTuple::Leaves digits;
  for (std::size_t i = 0; i < layout.extents().size(); ++i) {
    const bool is_forward = !known_less(layout.strides()[i].scale(), 0);
    digits.push_back(is_forward == is_last ? layout.extents()[i] - 1 : Int(0));
  }
  return {layout.profile(), std::move(digits)};
}

/// Refuses `overflow` if the least or the greatest coordinates of `outer` have no 64-bit value or
/// no 64-bit index. Other refusals are left to evaluation: coordinates may be outside of `outer`.
Result<void> check_reach(const AnyLayout& outer, const IntTuple& offset, const Layout& layout) {
  for (const bool is_last : {false, true}) {
    HEDDLE_TRY(const IntTuple place, evaluate(layout, to_coordinate(corner(layout, is_last))));
    const Result<IntTuple> index = through(outer, place, offset);
    if (index || index.error().code() != "overflow") continue;
    return refuse("overflow", "{} o {} o {}: there are indices past 64 bits", to_string(outer),
                  offset, layout);
  }
  return {};
}

void add_integers_of(const Layout& layout, std::vector<Int>& all) {
  all.insert(all.end(), layout.extents().begin(), layout.extents().end());
  for (const Stride& stride : layout.strides()) all.push_back(stride.scale());
}

}  // namespace

Result<ComposedLayout> ComposedLayout::make(const Swizzle& swizzle, const Int& offset,
                                            const Layout& layout) {
  if (!layout.is_integral()) {
    return refuse("composed.not_integral",
                  "{} cannot be swizzled: it maps to coordinates, and a swizzle acts on the bits "
                  "of one number",
                  layout);
  }
  HEDDLE_TRY(const Int reach, cosize(layout));
  const auto what = [&] {
    return fmt::format("the index of {} o {} o {}", swizzle, offset, layout);
  };
  HEDDLE_CHECK(check_defined(offset + reach, what));
  HEDDLE_CHECK(check_defined(offset - reach, what));
  return ComposedLayout(swizzle, nullptr, IntTuple(offset), layout);
}

Result<ComposedLayout> ComposedLayout::make(const AnyLayout& outer, const IntTuple& offset,
                                            const Layout& layout) {
  const auto* plain = std::get_if<Layout>(&outer);
  if (plain != nullptr && !plain->is_integral()) {
    return refuse("composed.not_integral",
                  "{} o {} o {}: the left side maps to coordinates; only a layout of indices is "
                  "applied after an offset",
                  *plain, offset, layout);
  }
  if (chain_length(outer) >= kMaxChain) {
    return refuse(diagnose("composed.too_long", "a chain of more than {} layouts: … o {} o {}",
                           kMaxChain, offset, layout)
                      .with_hint("slice_and_offset() gives the strides of a chain that has some"));
  }
  const bool is_at_rest = std::ranges::all_of(layout.strides(), &Stride::is_zero);
  if (layout.is_integral() != offset.is_leaf() && !is_zero(offset) && !is_at_rest) {
    return refuse("coordinate.incongruent",
                  "{} o {} o {}: the offset and the coordinates of the layout on its right are not "
                  "of one kind, numbers or tuples",
                  to_string(outer), offset, layout);
  }
  // Only the nesting is checked; symbolic numbers may be outside of the outer layout.
  HEDDLE_TRY(const IntTuple origin, evaluate(layout, Coordinate(Index(Int(0)))));
  HEDDLE_TRY(const IntTuple begin, moved(origin, offset));
  const IntTuple zeros = transform_leaves(begin, [](const Int&) { return Int(0); });
  HEDDLE_CHECK(through(outer, zeros, IntTuple(0)));
  HEDDLE_CHECK(check_reach(outer, offset, layout));
  return ComposedLayout(Swizzle(), std::make_shared<const AnyLayout>(outer), offset, layout);
}

Result<ComposedLayout> ComposedLayout::with(const IntTuple& offset, const Layout& layout) const {
  if (outer_ == nullptr) return make(swizzle_, offset.leaf(), layout);
  return make(*outer_, offset, layout);
}

const Swizzle& ComposedLayout::swizzle() const {
  assert(outer_ == nullptr);
  return swizzle_;
}

Int ComposedLayout::at(const IntTuple& coordinate) const {
  const Result<IntTuple> index = evaluate(*this, to_coordinate(coordinate));
  return index ? index->leaf() : Int::undefined();
}

bool operator==(const ComposedLayout& a, const ComposedLayout& b) {
  const bool has_outer = a.outer_ != nullptr && b.outer_ != nullptr;
  return a.swizzle_ == b.swizzle_ && a.offset_ == b.offset_ && a.layout_ == b.layout_ &&
         (has_outer ? *a.outer_ == *b.outer_ : a.outer_ == b.outer_);
}

Result<IntTuple> evaluate(const ComposedLayout& layout, const Coordinate& coordinate) {
  HEDDLE_TRY(const IntTuple index, evaluate(layout.layout(), coordinate));
  if (layout.outer() != nullptr) return through(*layout.outer(), index, layout.offset());
  HEDDLE_TRY(const Int address, check_defined(layout.offset().leaf() + index.leaf(),
                                              [&] { return "the index of " + to_string(layout); }));
  return IntTuple(layout.swizzle()(address));
}

form::IndexMap index_map(const ComposedLayout& layout) {
  const form::IndexMap inner = index_map(layout.layout());
  const auto swizzled = [layout, inner](std::span<const Int> indices) {
    return std::vector<Int>{layout.swizzle()(layout.offset().leaf() + inner(indices).front())};
  };
  const auto evaluated = [layout](std::span<const Int> indices) {
    const IntTuple coordinate = modal_coordinate(layout.layout(), indices);
    const auto index = evaluate(layout, to_coordinate(coordinate));
    return std::vector<Int>{index ? index->leaf() : Int::undefined()};
  };
  form::IndexMap::Evaluator evaluator = swizzled;
  if (layout.outer() != nullptr) evaluator = evaluated;
  return {std::vector<Int>(inner.extents().begin(), inner.extents().end()),
          inner.order(),
          {Axis::memory()},
          std::move(evaluator)};
}

IntTuple shape(const AnyLayout& layout) {
  return std::visit([](const auto& any) { return any.shape(); }, layout);
}

const Layout& inner_layout(const AnyLayout& layout) {
  const auto* composed = std::get_if<ComposedLayout>(&layout);
  return composed != nullptr ? composed->layout() : std::get<Layout>(layout);
}

std::vector<Int> integers(const AnyLayout& layout) {
  std::vector<Int> all;
  const auto* composed = std::get_if<ComposedLayout>(&layout);
  if (composed != nullptr) {
    if (composed->outer() != nullptr) all = integers(*composed->outer());
    all.insert(all.end(), composed->offset().leaves().begin(), composed->offset().leaves().end());
  }
  add_integers_of(inner_layout(layout), all);
  return all;
}

Int size(const AnyLayout& layout) {
  return std::visit([](const auto& any) { return any.size(); }, layout);
}

Result<IntTuple> evaluate(const AnyLayout& layout, const Coordinate& coordinate) {
  return std::visit([&](const auto& any) { return evaluate(any, coordinate); }, layout);
}

form::IndexMap index_map(const AnyLayout& layout) {
  return std::visit([](const auto& any) { return index_map(any); }, layout);
}

std::string to_string(const AnyLayout& layout) {
  return std::visit([](const auto& any) { return to_string(any); }, layout);
}

std::string to_string(const ComposedLayout& layout) { return fmt::format("{}", layout); }

std::ostream& operator<<(std::ostream& stream, const ComposedLayout& layout) {
  if (layout.outer() == nullptr) {
    stream << layout.swizzle();
  } else {
    stream << to_string(*layout.outer());
  }
  return stream << " o " << layout.offset() << " o " << layout.layout();
}

}  // namespace heddle::cute

std::size_t std::hash<heddle::cute::ComposedLayout>::operator()(
    const heddle::cute::ComposedLayout& layout) const {
  return std::hash<std::string>()(to_string(layout));
}
