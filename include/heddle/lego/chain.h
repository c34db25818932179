#pragma once

// LEGO layouts written as LEGO writes them. Each step may be refused, and the chain is checked
// once, at its end.
//
//   const Result<Layout> layout =
//       group_by({{6, 4}}).order_by({reg_p({2, 2}, {2, 1}), gen_p({3, 2}, "reverse")}).layout();
//
// The result is the layout, or the first refusal on the way.

#include <string>
#include <utility>
#include <vector>

#include "heddle/core/result.h"
#include "heddle/lego/layout.h"

#pragma GCC visibility push(default)
namespace heddle::lego {

/// Refuse what RegP::make(), row(), col() and GenP::make() refuse.
[[nodiscard]] Result<Permutation> reg_p(Sizes dims, std::vector<std::int64_t> sigma);
[[nodiscard]] Result<Permutation> row(Sizes dims);
[[nodiscard]] Result<Permutation> col(Sizes dims);
/// A GenP with a name that GenP knows, and its parameters.
[[nodiscard]] Result<Permutation> gen_p(Sizes dims, std::string name,
                                        std::vector<Int> parameters = {});
/// A GenP of a formula, with or without its inverse.
[[nodiscard]] Result<Permutation> gen_p(Sizes dims, Formula function,
                                        std::optional<Formula> inverse = {});

class Chain {
 public:
  explicit Chain(Result<Layout> layout) : layout_(std::move(layout)) {}

  /// Layout::order_by() and tile_order_by(), applied to the chain so far.
  [[nodiscard]] Chain order_by(const std::vector<Result<Permutation>>& permutations) const;
  [[nodiscard]] Chain tile_order_by(const std::vector<Result<Permutation>>& permutations) const;

  /// The layout, or the first refusal.
  [[nodiscard]] const Result<Layout>& layout() const { return layout_; }

 private:
  Result<Layout> layout_;
};

/// The first links of a chain. Refuse as Layout::group_by(), tile_by() and expand_by().
[[nodiscard]] Chain group_by(std::vector<Sizes> tiles);
[[nodiscard]] Chain tile_by(std::vector<Sizes> tiles);
[[nodiscard]] Chain expand_by(Sizes original, Sizes extended, const Chain& chain);

}  // namespace heddle::lego
#pragma GCC visibility pop
