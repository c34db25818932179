#include "heddle/cute/instantiate.h"

namespace heddle::cute {

Result<Layout> instantiate(const Layout& layout, const Bindings& bindings) {
  Layout::Extents extents;
  Layout::Strides strides;
  for (const Int& extent : layout.extents()) {
    HEDDLE_TRY(Int value, heddle::instantiate(extent, bindings));
    extents.push_back(std::move(value));
  }
  for (const Stride& stride : layout.strides()) {
    HEDDLE_TRY(Int value, heddle::instantiate(stride.scale(), bindings));
    strides.push_back(Stride(std::move(value), stride.basis()));
  }
  return Layout::make(layout.profile(), std::move(extents), std::move(strides));
}

Result<ComposedLayout> instantiate(const ComposedLayout& layout, const Bindings& bindings) {
  HEDDLE_TRY(const Layout inner, instantiate(layout.layout(), bindings));
  IntTuple::Leaves leaves;
  for (const Int& number : layout.offset().leaves()) {
    HEDDLE_TRY(Int value, heddle::instantiate(number, bindings));
    leaves.push_back(std::move(value));
  }
  const IntTuple offset(layout.offset().profile(), std::move(leaves));
  if (layout.outer() == nullptr) return layout.with(offset, inner);
  const auto instantiated = [&](const auto& any) -> Result<AnyLayout> {
    HEDDLE_TRY(auto outer, instantiate(any, bindings));
    return AnyLayout(std::move(outer));
  };
  HEDDLE_TRY(const AnyLayout outer, std::visit(instantiated, *layout.outer()));
  return ComposedLayout::make(outer, offset, inner);
}

}  // namespace heddle::cute
