#pragma once

// The function that LEGO's GenP takes, made from a table: any function on a box.
//
//   lego_function([2,0,3,1])      at 2: 3, at i: select(i<2,-2*i+2,-2*i+7)

#include "heddle/form/table.h"
#include "heddle/lego/genp.h"

#pragma GCC visibility push(default)
namespace heddle::map {

/// The table as a function with its text: at numbers it gives its values, at symbolic coordinates
/// the pieces of its relation, undefined if relation() refuses it. The pieces are computed when
/// they are first needed.
[[nodiscard]] lego::NamedMap lego_function(const form::Table& table);

}  // namespace heddle::map
#pragma GCC visibility pop
