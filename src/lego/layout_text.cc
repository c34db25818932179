#include <fmt/format.h>
#include <fmt/ranges.h>

#include <ostream>

#include "heddle/core/tuple.h"
#include "heddle/lego/layout.h"

namespace heddle::lego {
namespace {

std::string chain_text(const Layout& layout) {
  std::vector<std::string> tiles;
  for (const Sizes& tile : layout.tiles()) tiles.push_back(to_string(tile));
  std::string text =
      fmt::format("{}({})", layout.is_tiled() ? "TileBy" : "GroupBy", fmt::join(tiles, ","));
  for (const Order& order : layout.chain()) text += "." + to_string(order);
  return text;
}

}  // namespace

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

std::ostream& operator<<(std::ostream& stream, const Layout& layout) {
  return stream << to_string(layout);
}

}  // namespace heddle::lego

std::size_t std::hash<heddle::lego::Layout>::operator()(const heddle::lego::Layout& layout) const {
  using heddle::combine_hashes;
  std::size_t seed = layout.is_tiled() ? 1 : 0;
  const auto add = [&](std::span<const heddle::Int> sizes) {
    seed = combine_hashes(seed, sizes.size());
    for (const heddle::Int& size : sizes)
      seed = combine_hashes(seed, std::hash<heddle::Int>()(size));
  };
  for (const heddle::lego::Sizes& tile : layout.tiles()) add(tile);
  for (const heddle::lego::Order& order : layout.chain()) {
    seed = combine_hashes(seed, order.tiled ? 1 : 0);
    for (const heddle::lego::Permutation& permutation : order.permutations) {
      seed = combine_hashes(seed, std::hash<heddle::lego::Permutation>()(permutation));
    }
  }
  if (const auto& expansion = layout.expansion()) {
    add(expansion->original);
    add(expansion->extended);
  }
  return seed;
}
