#pragma once

// Replaces symbolic sizes by numbers:
//
//   instantiate((M,N):(N,1), {{"M", 4}, {"N", 8}})        (4,8):(8,1)

#include "heddle/core/result.h"
#include "heddle/cute/composed_layout.h"
#include "heddle/expr/proof.h"

#pragma GCC visibility push(default)
namespace heddle::cute {

/// The layout with the named sizes replaced. Refuses `instantiate.inadmissible` for a value that
/// the assumptions on its variable exclude, and what Layout::make refuses.
[[nodiscard]] Result<Layout> instantiate(const Layout& layout, const Bindings& bindings);
[[nodiscard]] Result<ComposedLayout> instantiate(const ComposedLayout& layout,
                                                 const Bindings& bindings);

}  // namespace heddle::cute
#pragma GCC visibility pop
