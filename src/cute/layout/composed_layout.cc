#include "heddle/cute/composed_layout.h"

#include <ostream>

#include "cute/layout/format.h"
#include "cute/layout/modes.h"

namespace heddle::cute {

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
  return ComposedLayout(swizzle, offset, layout);
}

Result<IntTuple> evaluate(const ComposedLayout& layout, const Coordinate& coordinate) {
  HEDDLE_TRY(const IntTuple index, evaluate(layout.layout(), coordinate));
  HEDDLE_TRY(const Int address, check_defined(layout.offset() + index.leaf(),
                                              [&] { return "the index of " + to_string(layout); }));
  return IntTuple(layout.swizzle()(address));
}

form::IndexMap index_map(const ComposedLayout& layout) {
  const form::IndexMap inner = index_map(layout.layout());
  const auto evaluator = [layout, inner](std::span<const Int> indices) {
    return std::vector<Int>{layout.swizzle()(layout.offset() + inner(indices).front())};
  };
  return {std::vector<Int>(inner.extents().begin(), inner.extents().end()),
          inner.order(),
          {Axis::memory()},
          evaluator};
}

IntTuple shape(const AnyLayout& layout) {
  return std::visit([](const auto& any) { return any.shape(); }, layout);
}

const Layout& inner_layout(const AnyLayout& layout) {
  const auto* composed = std::get_if<ComposedLayout>(&layout);
  return composed != nullptr ? composed->layout() : std::get<Layout>(layout);
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
  return stream << layout.swizzle() << " o " << layout.offset() << " o " << layout.layout();
}

}  // namespace heddle::cute

std::size_t std::hash<heddle::cute::ComposedLayout>::operator()(
    const heddle::cute::ComposedLayout& layout) const {
  const std::size_t seed =
      heddle::combine_hashes(std::hash<heddle::cute::Swizzle>()(layout.swizzle()),
                             std::hash<heddle::Int>()(layout.offset()));
  return heddle::combine_hashes(seed, std::hash<heddle::cute::Layout>()(layout.layout()));
}
