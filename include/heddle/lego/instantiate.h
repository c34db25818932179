#pragma once

// Replaces symbolic sizes by numbers.
//
//   instantiate(TileBy([M//8,2],[8,2]).OrderBy(Col(M,4)), {M: 16})
//     ->  TileBy([2,2],[8,2]).OrderBy(Col(16,4))

#include "heddle/expr/proof.h"
#include "heddle/lego/layout.h"

#pragma GCC visibility push(default)
namespace heddle::lego {

/// The permutation with its variables replaced; the parameters of its formulas are not variables.
[[nodiscard]] Result<GenP> instantiate(const GenP& permutation, const Bindings& bindings,
                                       const Prover& prover = {});
/// The layout with its variables replaced; the parameters of formulas are not variables. Refuses as
/// instantiating an Int (`instantiate.inadmissible`, `overflow`), as making the layout, and
/// `lego.genp` for a GenP of an index map with variables.
[[nodiscard]] Result<Layout> instantiate(const Layout& layout, const Bindings& bindings,
                                         const Prover& prover = {});

}  // namespace heddle::lego
#pragma GCC visibility pop
