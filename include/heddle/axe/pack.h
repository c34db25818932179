#pragma once

// Packs several narrow elements of memory into a wider one, and unpacks them.
//
//   pack(S[(8,16):(16@m,1@m)], 2)            ->  S[(8,8):(8@m,1@m)]
//   unpack(SW(3,3,3) o S[(512):(1@m)], 2)    ->  SW(4,3,3) o S[(512,2):(2@m,1@m)]
//
// Both act on axis m only; other axes are unchanged.

#include "heddle/axe/layout.h"

#pragma GCC visibility push(default)
namespace heddle::axe {

/// Each element becomes `n` at consecutive addresses: f(n*x + y) = n*f_L(x) + y on m, with one more
/// iter (n, 1@m) at the fast end. Refuses `axe.extent` for n < 1, `axe.pack` for a swizzle on m and
/// an n that is no power of two, `overflow`.
[[nodiscard]] Result<Layout> unpack(const Layout& layout, const Int& n);

/// The layout P with unpack(P, n) = L as maps: n consecutive indices become one. Complete: it
/// exists exactly if each n consecutive indices have consecutive addresses on m, the first of them
/// a multiple of n, for all replicas and with the offset; `axe.pack` names the number that prevents
/// it. Only a swizzle of bits within the n elements is refused without looking for another form.
/// Also refuses `axe.extent`, `assume.needed`. The iters stay as written if the last one can be
/// divided, otherwise the result is in normal form.
[[nodiscard]] Result<Layout> pack(const Layout& layout, const Int& n);

}  // namespace heddle::axe
#pragma GCC visibility pop
