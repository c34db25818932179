#include "heddle/lego/layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/text.h"
#include "expr/assume_needed.h"
#include "expr/format.h"
#include "lego/checks.h"
#include "lego/digits.h"

namespace heddle::lego {
namespace {

Sizes concatenated(std::span<const Sizes> tiles) {
  Sizes all;
  for (const Sizes& tile : tiles) all.insert(all.end(), tile.begin(), tile.end());
  return all;
}

/// Refuses tiles that differ from the first one in dimensionality.
Result<void> check_levels(std::span<const Sizes> tiles, const std::string& what) {
  for (const Sizes& tile : tiles) {
    if (tile.size() == tiles[0].size()) continue;
    return refuse(diagnose("lego.tile", "{}: {} has {}, {} has {}", what, to_string(tiles[0]),
                           counted(tiles[0].size(), "dimension"), to_string(tile), tile.size())
                      .with_hint("the levels of a tiling have the same dimensions"));
  }
  return {};
}

/// The permutation of the levels of a tiling to the dimensions that they divide: RegP(dims, sigma).
Result<RegP> interleaved(const Sizes& sizes, std::size_t levels) {
  return RegP::make(sizes, interleaving(levels, sizes.size() / levels));
}

/// The inverse of interleaved() in TileOrderBy, from whole dimensions to levels: RegP(sigma(dims),
/// sigma^-1).
Result<RegP> separated(const Sizes& sizes, std::size_t levels) {
  const std::vector<std::int64_t> sigma = interleaving(levels, sizes.size() / levels);
  return RegP::make(permuted(sigma, sizes), inverse(sigma));
}

const GenP* find_no_permutation(std::span<const Permutation> permutations) {
  for (const Permutation& permutation : permutations) {
    const auto* const genp = std::get_if<GenP>(&permutation);
    if (genp != nullptr && genp->not_a_permutation()) return genp;
  }
  return nullptr;
}

/// Refuses a GenP that is no permutation if a chain needs one.
Refusal needs_a_permutation(const GenP& genp) {
  return refuse(Diagnostic(*genp.not_a_permutation())
                    .with_note("a GenP that is not a permutation is allowed only in a GroupBy with "
                               "one OrderBy of one GenP on the same tile, and nothing after it"));
}

Result<void> check_same_size(const Layout& layout, const Order& order, const Sizes& sizes) {
  const Int has = layout.size();
  const Int wants = product(sizes);
  const auto call = [&] { return to_string(layout) + "." + to_string(order); };
  HEDDLE_TRY(const bool is_same, decide_open({wants, Predicate::kEqual, has}, call));
  if (is_same) return {};
  return refuse(
      diagnose("lego.sizes", "{}: {} has {}, the layout {}", call(),
               order.tiled ? "TileOrderBy" : "OrderBy", counted(to_string(wants), "point"),
               to_string(has))
          .with_hint("the sizes of all permutations of a link multiply to those of the GroupBy"));
}

std::string chain_text(const Layout& layout) {
  std::vector<std::string> tiles;
  for (const Sizes& tile : layout.tiles()) tiles.push_back(to_string(tile));
  std::string text =
      fmt::format("{}({})", layout.is_tiled() ? "TileBy" : "GroupBy", fmt::join(tiles, ","));
  for (const Order& order : layout.chain()) text += "." + to_string(order);
  return text;
}

}  // namespace

std::span<const Int> dims(const Permutation& permutation) {
  return std::visit([](const auto& regular_or_general) { return regular_or_general.dims(); },
                    permutation);
}

Result<Layout> Layout::headed(std::vector<Sizes> tiles, bool tiled) {
  const std::string what = tiled ? "TileBy" : "GroupBy";
  if (tiles.empty()) {
    return refuse(Diagnostic("lego.tile", what + " has no tile").with_hint(what + "([6,4])"));
  }
  for (const Sizes& tile : tiles) HEDDLE_CHECK(check_tile(tile, what));
  if (tiled) HEDDLE_CHECK(check_levels(tiles, what));
  Layout layout;
  layout.tiled_ = tiled;
  layout.tiles_ = std::move(tiles);
  const Sizes sizes = concatenated(layout.tiles_);
  HEDDLE_CHECK(check_tile(sizes, what));
  HEDDLE_CHECK(check_at_least_one(sizes, lego::to_string(layout)));
  if (tiled) {
    HEDDLE_TRY(RegP interleaving, interleaved(sizes, layout.tiles_.size()));
    layout.orders_.push_back({std::move(interleaving)});
  }
  return layout;
}

Result<Layout> Layout::group_by(std::vector<Sizes> tiles) {
  return headed(std::move(tiles), false);
}

Result<Layout> Layout::tile_by(std::vector<Sizes> tiles) { return headed(std::move(tiles), true); }

Result<Layout> Layout::order_by(std::vector<Permutation> permutations) const {
  return linked({std::move(permutations), false});
}

Result<Layout> Layout::tile_order_by(std::vector<Permutation> permutations) const {
  return linked({std::move(permutations), true});
}

bool Layout::is_injective_only() const {
  return chain_.size() == 1 && find_no_permutation(chain_[0].permutations) != nullptr;
}

Result<Layout> Layout::linked(Order order) const {
  const std::string what = order.tiled ? "TileOrderBy" : "OrderBy";
  if (expansion_) {
    return refuse(diagnose("lego.expand", "{}: {} after an ExpandBy", lego::to_string(*this), what)
                      .with_hint("put it into the layout that is expanded"));
  }
  if (order.permutations.empty()) {
    return refuse(
        Diagnostic("lego.tile", what + " has no permutation").with_hint(what + "(Row(6,4))"));
  }
  if (chain_.size() == kMaxLinks) {
    return refuse("lego.tile", "a chain of more than {} links", kMaxLinks);
  }
  if (is_injective_only()) {
    return needs_a_permutation(*find_no_permutation(chain_[0].permutations));
  }
  const Sizes sizes = sizes_of(order.permutations);
  HEDDLE_CHECK(check_tile(sizes, what));
  HEDDLE_CHECK(check_same_size(*this, order, sizes));
  HEDDLE_CHECK(check_at_least_one(sizes, lego::to_string(order)));
  Layout result = *this;
  if (order.tiled) {
    std::vector<Sizes> levels;
    for (const Permutation& permutation : order.permutations) {
      const std::span<const Int> tile = lego::dims(permutation);
      levels.emplace_back(tile.begin(), tile.end());
    }
    HEDDLE_CHECK(check_levels(levels, what));
    HEDDLE_TRY(RegP separation, separated(sizes, levels.size()));
    result.orders_.push_back({std::move(separation)});
  }
  result.orders_.push_back(order.permutations);
  result.chain_.push_back(std::move(order));
  if (const GenP* const genp = find_no_permutation(result.chain_.back().permutations)) {
    const bool stands_alone = result.orders_.size() == 1 && result.orders_[0].size() == 1 &&
                              tiles_.size() == 1 && tiles_[0] == sizes;
    if (!stands_alone) return needs_a_permutation(*genp);
  }
  return result;
}

Result<Layout> Layout::expand_by(Sizes original, Sizes extended, const Layout& layout) {
  const std::string call = fmt::format("ExpandBy({},{},{})", lego::to_string(original),
                                       lego::to_string(extended), lego::to_string(layout));
  const auto refusal = [&](const std::string& why) {
    return refuse("lego.expand", "{}: {}", call, why);
  };
  HEDDLE_CHECK(check_tile(original, "ExpandBy"));
  HEDDLE_CHECK(check_tile(extended, "ExpandBy"));
  if (layout.expansion_) return refusal("the layout is expanded already");
  if (layout.is_injective_only()) return refusal("the layout is not a bijection");
  if (original.size() != extended.size()) {
    return refusal(fmt::format("{} within {}", counted(original.size(), "size"), extended.size()));
  }
  const auto decided = [&](const Condition& condition) {
    return decide_open(condition, [&] { return call; });
  };
  const Int points = product(extended);
  HEDDLE_TRY(const bool same_size, decided({points, Predicate::kEqual, layout.size()}));
  if (!same_size) {
    return refusal(fmt::format("the extended sizes have {}, the layout {}",
                               counted(heddle::to_string(points), "point"),
                               heddle::to_string(layout.size())));
  }
  for (std::size_t i = 0; i < original.size(); ++i) {
    HEDDLE_TRY(const bool fits, decided({original[i], Predicate::kAtMost, extended[i]}));
    if (!fits) {
      return refusal(fmt::format("the original size {} is above the extended {}",
                                 to_string(original[i]), to_string(extended[i])));
    }
  }
  HEDDLE_CHECK(check_at_least_one(original, call));
  HEDDLE_CHECK(check_at_least_one(extended, call));
  Layout result = layout;
  result.expansion_ = Expansion{std::move(original), std::move(extended)};
  return result;
}

Sizes Layout::dims() const { return concatenated(tiles_); }

Int Layout::size() const { return product(dims()); }

Int Layout::physical_size() const { return expansion_ ? product(expansion_->original) : size(); }

Evidence evidence(const Layout& layout) {
  Evidence weakest = Evidence::kConstruction;
  for (const Order& order : layout.chain()) {
    for (const Permutation& permutation : order.permutations) {
      const auto* const genp = std::get_if<GenP>(&permutation);
      if (genp != nullptr) weakest = std::max(weakest, genp->evidence());
    }
  }
  return weakest;
}

std::string to_string(const Permutation& permutation) {
  return std::visit([](const auto& either) { return to_string(either); }, permutation);
}

std::string to_string(const Order& order) {
  std::vector<std::string> texts;
  for (const Permutation& permutation : order.permutations) texts.push_back(to_string(permutation));
  return fmt::format("{}({})", order.tiled ? "TileOrderBy" : "OrderBy", fmt::join(texts, ","));
}

std::string to_string(const Layout& layout) {
  if (const auto& expansion = layout.expansion()) {
    return fmt::format("ExpandBy({},{},{})", to_string(expansion->original),
                       to_string(expansion->extended), chain_text(layout));
  }
  return chain_text(layout);
}

}  // namespace heddle::lego
