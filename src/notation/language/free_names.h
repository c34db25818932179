#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>

#include "heddle/notation/syntax.h"

namespace heddle::notation {

[[nodiscard]] bool is_capital(char c);

/// Every name that an expression refers to, operations included.
[[nodiscard]] std::set<std::string_view> names_in(const Expression& expression);

/// Something in the expression is indexed by [].
[[nodiscard]] bool has_subscript(const Expression& expression);

/// The names that can only be sizes where they stand: those with a capital letter that are part of
/// a shape, a stride, a coordinate or a tiler written out, as M and N in (M,N):(N,1) or <M,64>, and
/// any in a tile of a LEGO layout, as n in Row(n,n).
[[nodiscard]] std::set<std::string_view> sizes_in(const Expression& expression);

/// A name for every number of the expression that only the running program knows, one that is not
/// in `taken`: D0, D1, …, in the order of the text.
[[nodiscard]] std::map<const Expression*, std::string> names_of_unknowns(
    const Expression& expression, const std::set<std::string>& taken);

}  // namespace heddle::notation
