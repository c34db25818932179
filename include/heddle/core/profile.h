#pragma once

// A profile is the nesting of a tuple without its leaves: (4,(2,2)) has the profile (*,(*,*)).
//
// It is stored in preorder, one number a node: 0 for a leaf, 1 + rank for a tuple.
//
//   4          ->  0
//   (4,(2,2))  ->  3 0 3 0 0
//   ()         ->  1
//
// Two tuples are congruent exactly when their profiles are equal, the number of leaves is the
// number of zeros, and flattening a tuple drops the profile and nothing else.

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <span>
#include <string_view>

#include "heddle/core/inline_vector.h"
#include "heddle/core/result.h"

#pragma GCC visibility push(default)
namespace heddle {

/// A non-owning view of a profile. Cheap to copy; valid as long as the profile exists.
class ProfileView {
 public:
  using Node = std::uint32_t;

  explicit ProfileView(std::span<const Node> nodes) : nodes_(nodes) {}

  [[nodiscard]] bool is_leaf() const { return nodes_.front() == 0; }
  /// The number of modes; 1 for a leaf.
  [[nodiscard]] std::size_t rank() const { return is_leaf() ? 1 : nodes_.front() - 1; }
  [[nodiscard]] std::size_t leaf_count() const;
  /// Whether the tuple contains a tuple of no modes.
  [[nodiscard]] bool has_empty_tuple() const;
  /// How deeply tuples nest: 0 for a leaf, 1 for a flat tuple.
  [[nodiscard]] std::size_t depth() const;
  [[nodiscard]] std::span<const Node> nodes() const { return nodes_; }

  /// Iterates over the modes of a tuple in order; a leaf is its own single mode. Each step skips a
  /// whole subtree.
  class ModeIterator {
   public:
    using value_type = ProfileView;
    using difference_type = std::ptrdiff_t;

    ModeIterator() = default;
    ModeIterator(std::span<const Node> rest, std::size_t modes_left);
    ProfileView operator*() const { return ProfileView(rest_.first(length_)); }
    ModeIterator& operator++();
    ModeIterator operator++(int);
    friend bool operator==(const ModeIterator& a, const ModeIterator& b) {
      return a.modes_left_ == b.modes_left_;
    }

   private:
    std::span<const Node> rest_;
    std::size_t length_ = 0;
    std::size_t modes_left_ = 0;
  };

  struct Modes {
    ModeIterator begin_;
    [[nodiscard]] ModeIterator begin() const { return begin_; }
    [[nodiscard]] ModeIterator end() const { return {}; }
  };
  [[nodiscard]] Modes modes() const;

  friend bool operator==(ProfileView a, ProfileView b);

 private:
  std::span<const Node> nodes_;
};

/// A profile that owns its nodes; profiles of up to 16 nodes (8 leaves, any sensible nesting) live
/// inline.
class Profile {
 public:
  using Node = ProfileView::Node;

  /// The profile of a single leaf.
  Profile() : nodes_(1, Node{0}) {}
  explicit Profile(ProfileView view) : nodes_(view.nodes().begin(), view.nodes().end()) {}

  /// A flat tuple of `rank` leaves.
  [[nodiscard]] static Profile flat(std::size_t rank);
  /// A profile from its preorder nodes, which must describe exactly one tree.
  [[nodiscard]] static Profile from_nodes(std::span<const Node> nodes);
  /// An empty profile to be filled with append_leaf(), append_tuple() and append(); it is not valid
  /// until it is a whole tree.
  [[nodiscard]] static Profile incomplete() { return Profile(Incomplete()); }

  void append_leaf() { nodes_.push_back(0); }
  void append_leaves(std::size_t count) { nodes_.resize(nodes_.size() + count); }
  /// Opens a tuple of `rank` modes; the nodes appended next are its modes.
  void append_tuple(std::size_t rank) { nodes_.push_back(static_cast<Node>(rank + 1)); }
  void append(ProfileView subtree) {
    nodes_.append(subtree.nodes().begin(), subtree.nodes().end());
  }

  // NOLINTNEXTLINE: a profile can be used wherever a view is expected
  operator ProfileView() const { return view(); }
  [[nodiscard]] ProfileView view() const { return ProfileView({nodes_.data(), nodes_.size()}); }
  [[nodiscard]] bool is_leaf() const { return view().is_leaf(); }
  [[nodiscard]] std::size_t rank() const { return view().rank(); }
  [[nodiscard]] std::size_t depth() const { return view().depth(); }
  [[nodiscard]] std::size_t leaf_count() const { return view().leaf_count(); }

  friend bool operator==(const Profile&, const Profile&) = default;

 private:
  struct Incomplete {};
  explicit Profile(Incomplete /*tag*/) {}

  InlineVector<Node, 2 * kInlineLeaves> nodes_;
};

/// A layout can be brought to at most this rank by appending modes.
inline constexpr std::size_t kMaxRank = std::size_t{1} << 20;

/// Tuples nest at most this deep; deeper ones are refused (`tuple.too_deep`), so that no input can
/// make the recursion over modes run out of stack.
inline constexpr std::size_t kMaxDepth = 256;

/// Refuses (`tuple.too_deep`) a profile deeper than kMaxDepth.
[[nodiscard]] Result<void> check_depth(ProfileView profile);
/// Refuses (`tuple.too_deep`) what `what` names, such as "the list", if `depth` exceeds kMaxDepth.
[[nodiscard]] Result<void> check_depth(std::string_view what, std::size_t depth);

}  // namespace heddle
#pragma GCC visibility pop
