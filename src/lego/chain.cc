#include "heddle/lego/chain.h"

#include <utility>
#include <vector>

namespace heddle::lego {

namespace {

template <class Made>
Result<Permutation> as_permutation(Result<Made> made) {
  if (!made) return refuse(std::move(made).error());
  return Permutation(*std::move(made));
}

Result<std::vector<Permutation>> all_of(const std::vector<Result<Permutation>>& permutations) {
  std::vector<Permutation> made;
  for (const Result<Permutation>& permutation : permutations) {
    HEDDLE_CHECK(permutation);
    made.push_back(*permutation);
  }
  return made;
}

}  // namespace

Result<Permutation> reg_p(Sizes dims, std::vector<std::int64_t> sigma) {
  return as_permutation(RegP::make(std::move(dims), std::move(sigma)));
}
Result<Permutation> row(Sizes dims) { return as_permutation(RegP::row(std::move(dims))); }
Result<Permutation> col(Sizes dims) { return as_permutation(RegP::col(std::move(dims))); }

Result<Permutation> gen_p(Sizes dims, std::string name, std::vector<Int> parameters) {
  return as_permutation(
      GenP::make(std::move(dims), BuiltIn{std::move(name), std::move(parameters)}));
}
Result<Permutation> gen_p(Sizes dims, Formula function, std::optional<Formula> inverse) {
  return as_permutation(GenP::make(std::move(dims), std::move(function), std::move(inverse)));
}

Chain Chain::order_by(const std::vector<Result<Permutation>>& permutations) const {
  return Chain(layout_.and_then([&](const Layout& layout) -> Result<Layout> {
    HEDDLE_TRY(std::vector<Permutation> made, all_of(permutations));
    return layout.order_by(std::move(made));
  }));
}

Chain Chain::tile_order_by(const std::vector<Result<Permutation>>& permutations) const {
  return Chain(layout_.and_then([&](const Layout& layout) -> Result<Layout> {
    HEDDLE_TRY(std::vector<Permutation> made, all_of(permutations));
    return layout.tile_order_by(std::move(made));
  }));
}

Chain group_by(std::vector<Sizes> tiles) { return Chain(Layout::group_by(std::move(tiles))); }
Chain tile_by(std::vector<Sizes> tiles) { return Chain(Layout::tile_by(std::move(tiles))); }
Chain expand_by(Sizes original, Sizes extended, const Chain& chain) {
  return Chain(chain.layout().and_then([&](const Layout& layout) {
    return Layout::expand_by(std::move(original), std::move(extended), layout);
  }));
}

}  // namespace heddle::lego
