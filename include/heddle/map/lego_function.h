#pragma once

// What LEGO's GenP takes for a table: any function on a box.
//
//   lego_function([2,0,3,1])      at 2: 3, at i: select(i<2,-2*i+2,-2*i+7)

#include "heddle/form/table.h"
#include "heddle/lego/genp.h"

#pragma GCC visibility push(default)
namespace heddle::map {

/// The table with the text that it prints as: at numbers its values, at other coordinates the
/// pieces of the relation that it is, undefined where relation() refuses it. These are looked for
/// when they are first asked for.
[[nodiscard]] lego::NamedMap lego_function(const form::Table& table);

}  // namespace heddle::map
#pragma GCC visibility pop
