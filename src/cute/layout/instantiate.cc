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
  HEDDLE_TRY(const Int offset, heddle::instantiate(layout.offset(), bindings));
  return ComposedLayout::make(layout.swizzle(), offset, inner);
}

}  // namespace heddle::cute
