#pragma once

// A layout of any system with numbers for its symbolic sizes.
//
//   instantiate((M,N):(N,1), {{"M", 4}, {"N", 8}})        (4,8):(8,1)

#include "heddle/core/result.h"
#include "heddle/expr/int.h"
#include "heddle/map/any_layout.h"

#pragma GCC visibility push(default)
namespace heddle::map {

/// The layout with the named sizes replaced; linear layouts, relations and tables have none.
/// Refuses what the instantiate() of its system refuses (`instantiate.inadmissible`, …).
[[nodiscard]] Result<AnyLayout> instantiate(const AnyLayout& layout, const Bindings& values);

}  // namespace heddle::map
#pragma GCC visibility pop
