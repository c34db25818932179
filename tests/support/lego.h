#pragma once

// LEGO layouts as the tests of the folder write them; what the library refuses throws.
//
//   group({{6, 4}}, {order({reg({2, 2}, {2, 1}), named({3, 2}, "reverse")})})

#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "heddle/lego/layout.h"

namespace heddle::test {

template <class T>
[[nodiscard]] T made(Result<T> result) {
  if (!result) throw std::invalid_argument(result.error().to_string());
  return *std::move(result);
}

[[nodiscard]] inline lego::Permutation reg(lego::Sizes dims, std::vector<std::int64_t> sigma) {
  return made(lego::RegP::make(std::move(dims), std::move(sigma)));
}
[[nodiscard]] inline lego::Permutation row(lego::Sizes dims) {
  return made(lego::RegP::row(std::move(dims)));
}
[[nodiscard]] inline lego::Permutation col(lego::Sizes dims) {
  return made(lego::RegP::col(std::move(dims)));
}
[[nodiscard]] inline lego::Permutation named(lego::Sizes dims, std::string name,
                                             std::vector<Int> parameters = {}) {
  return made(
      lego::GenP::make(std::move(dims), lego::BuiltIn{std::move(name), std::move(parameters)}));
}

[[nodiscard]] inline lego::Order order(std::vector<lego::Permutation> permutations) {
  return {std::move(permutations), false};
}
[[nodiscard]] inline lego::Order tile_order(std::vector<lego::Permutation> permutations) {
  return {std::move(permutations), true};
}

/// The layout with these links, or the first refusal.
[[nodiscard]] inline Result<lego::Layout> linked(Result<lego::Layout> layout,
                                                 const std::vector<lego::Order>& chain) {
  for (const lego::Order& link : chain) {
    if (!layout) return layout;
    layout =
        link.tiled ? layout->tile_order_by(link.permutations) : layout->order_by(link.permutations);
  }
  return layout;
}
[[nodiscard]] inline Result<lego::Layout> try_group(std::vector<lego::Sizes> tiles,
                                                    const std::vector<lego::Order>& chain = {}) {
  return linked(lego::Layout::group_by(std::move(tiles)), chain);
}
[[nodiscard]] inline Result<lego::Layout> try_tile(std::vector<lego::Sizes> tiles,
                                                   const std::vector<lego::Order>& chain = {}) {
  return linked(lego::Layout::tile_by(std::move(tiles)), chain);
}
[[nodiscard]] inline lego::Layout group(std::vector<lego::Sizes> tiles,
                                        const std::vector<lego::Order>& chain = {}) {
  return made(try_group(std::move(tiles), chain));
}
[[nodiscard]] inline lego::Layout tile(std::vector<lego::Sizes> tiles,
                                       const std::vector<lego::Order>& chain = {}) {
  return made(try_tile(std::move(tiles), chain));
}

/// apply() and inv(), or the refusal's code.
[[nodiscard]] inline std::string position(const lego::Layout& layout, const std::vector<Int>& at) {
  const Result<Int> result = layout.apply(at);
  return result ? to_string(*result) : result.error().code();
}
[[nodiscard]] inline std::string point(const lego::Layout& layout, const Int& position) {
  const Result<std::vector<Int>> result = layout.inv(position);
  return result ? lego::to_string(*result) : result.error().code();
}

}  // namespace heddle::test
