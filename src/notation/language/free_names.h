#pragma once

// The unbound names of an expression: `M` in (M,8):(8,1) is a size, but `A` in `A o B` must be
// bound.

#include <array>
#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "heddle/notation/syntax.h"

namespace heddle::notation {

/// Whether Python reserves the word, so that it names nothing: `lambda`, `in`. True and False are
/// values, and None is read as `_`.
[[nodiscard]] bool is_word_of_python(std::string_view word);

[[nodiscard]] bool is_capital(char c);

/// Every name in an expression, including operations.
[[nodiscard]] std::set<std::string_view> names_in(const Expression& expression);

/// The name that an application calls, `math.floor` as `floor`; empty for all other expressions.
[[nodiscard]] std::string_view called_name(const Expression& expression);

/// How many of the first arguments of a call by this name are tiles of a LEGO layout.
[[nodiscard]] std::size_t tile_count(std::string_view name);

/// CuTe's functions that make a tuple of their arguments.
inline constexpr std::array<std::string_view, 5> kTupleMakers = {
    "make_shape", "make_stride", "make_coord", "make_tile", "make_step"};

/// Whether something in the expression is indexed by [].
[[nodiscard]] bool has_subscript(const Expression& expression);

/// The names that can only be sizes in their places: those with a capital letter in a literal
/// shape, stride, coordinate or tiler, as M and N in (M,N):(N,1), <M,64> or make_shape(M,N), and
/// any in a tile of a LEGO layout, as n in Row(n,n).
[[nodiscard]] std::set<std::string_view> sizes_in(const Expression& expression);

/// The numbers of the expression that are known only at run time, in the order of the text.
[[nodiscard]] std::vector<const Expression*> unknowns_in(const Expression& expression);

/// The name of such a number: D0, D1, ….
[[nodiscard]] std::string name_of_unknown(std::size_t number);
/// The index in such a name; nullopt for other names.
[[nodiscard]] std::optional<std::size_t> unknown_called(std::string_view name);

}  // namespace heddle::notation
