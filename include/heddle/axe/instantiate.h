#pragma once

// Replaces symbolic sizes by numbers.
//
//   instantiate(S[(M,8):(8,1)], {M: 4})  ->  S[(4,8):(8,1)]

#include "heddle/axe/layout.h"
#include "heddle/expr/proof.h"

#pragma GCC visibility push(default)
namespace heddle::axe {

/// The layout with its variables replaced. Refuses what instantiating an Int refuses
/// (`instantiate.inadmissible`, `overflow`), and what Layout::make() refuses.
[[nodiscard]] Result<Layout> instantiate(const Layout& layout, const Bindings& bindings);

}  // namespace heddle::axe
#pragma GCC visibility pop
