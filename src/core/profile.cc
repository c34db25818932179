#include "heddle/core/profile.h"

#include <algorithm>
#include <string>

namespace heddle {
namespace {

using Node = ProfileView::Node;

/// How many of the leading nodes form the first whole tree.
std::size_t first_tree_length(std::span<const Node> nodes) {
  if (nodes.front() == 0) return 1;
  std::size_t open = 1;
  std::size_t length = 0;
  for (; open > 0; ++length) {
    const Node node = nodes[length];
    open += node == 0 ? 0 : node - 1;
    --open;
  }
  return length;
}

}  // namespace

std::size_t ProfileView::leaf_count() const {
  return static_cast<std::size_t>(std::ranges::count(nodes_, Node{0}));
}

bool ProfileView::has_empty_tuple() const {
  return std::ranges::find(nodes_, Node{1}) != nodes_.end();
}

std::size_t ProfileView::depth() const {
  // The number of modes that are still missing from each open tuple.
  InlineVector<std::size_t, 2 * kInlineLeaves> open;
  std::size_t depth = 0;
  for (const Node node : nodes_) {
    if (!open.empty()) --open.back();
    if (node != 0) open.push_back(node - 1);
    depth = std::max(depth, open.size());
    while (!open.empty() && open.back() == 0) open.pop_back();
  }
  return depth;
}

ProfileView::ModeIterator::ModeIterator(std::span<const Node> rest, std::size_t modes_left)
    : rest_(rest), length_(modes_left > 0 ? first_tree_length(rest) : 0), modes_left_(modes_left) {}

ProfileView::ModeIterator& ProfileView::ModeIterator::operator++() {
  *this = ModeIterator(rest_.subspan(length_), modes_left_ - 1);
  return *this;
}

ProfileView::ModeIterator ProfileView::ModeIterator::operator++(int) {
  const ModeIterator before = *this;
  ++*this;
  return before;
}

ProfileView::Modes ProfileView::modes() const {
  if (is_leaf()) return {ModeIterator(nodes_, 1)};
  return {ModeIterator(nodes_.subspan(1), rank())};
}

bool operator==(ProfileView a, ProfileView b) { return std::ranges::equal(a.nodes_, b.nodes_); }

Profile Profile::flat(std::size_t rank) {
  Profile profile = incomplete();
  profile.append_tuple(rank);
  profile.nodes_.insert(profile.nodes_.end(), rank, Node{0});
  return profile;
}

Profile Profile::from_nodes(std::span<const Node> nodes) { return Profile(ProfileView(nodes)); }

Result<void> check_depth(ProfileView profile) { return check_depth("the tuple", profile.depth()); }

Result<void> check_depth(std::string_view what, std::size_t depth) {
  if (depth <= kMaxDepth) return {};
  return refuse("tuple.too_deep", std::string(what) + " nests " + std::to_string(depth) +
                                      " levels deep; at most " + std::to_string(kMaxDepth) +
                                      " are allowed");
}

}  // namespace heddle
