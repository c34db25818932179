#pragma once

// A nested tuple stored flat: an array of leaves plus a profile (core/profile.h).
//
//   IntTuple shape{4, {2, 2}};        // (4,(2,2)): leaves 4 2 2, profile (*,(*,*))
//   shape.rank()                      // 2
//   shape.leaves()                    // 4 2 2: flattening is free
//   congruent(shape, stride)          // shape.profile() == stride.profile()
//
// `IntTuple(4)` is the leaf 4 and `IntTuple{4}` the tuple of one, (4); write IntTuple::of for a
// tuple of one tuple, which compilers read differently in braces. Tuples of up to 8 leaves allocate
// nothing.

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <functional>
#include <initializer_list>
#include <ostream>
#include <span>
#include <type_traits>
#include <utility>

#include "heddle/core/profile.h"

#pragma GCC visibility push(default)
namespace heddle {

/// A non-owning view of a tuple or of one of its modes. Cheap to copy; valid as long as the tuple.
template <class Leaf>
class TupleView {
 public:
  TupleView(ProfileView profile, const Leaf* leaves) : profile_(profile), leaves_(leaves) {}

  [[nodiscard]] bool is_leaf() const { return profile_.is_leaf(); }
  /// The leaf itself; only for is_leaf().
  [[nodiscard]] const Leaf& leaf() const { return *leaves_; }
  [[nodiscard]] std::size_t rank() const { return profile_.rank(); }
  [[nodiscard]] std::size_t depth() const { return profile_.depth(); }
  [[nodiscard]] ProfileView profile() const { return profile_; }
  [[nodiscard]] std::span<const Leaf> leaves() const { return {leaves_, profile_.leaf_count()}; }

  /// Iterates over the modes in order; a leaf is its own single mode.
  class ModeIterator {
   public:
    using value_type = TupleView;
    using difference_type = std::ptrdiff_t;

    ModeIterator() = default;
    ModeIterator(ProfileView::ModeIterator profile, const Leaf* leaves)
        : profile_(profile), leaves_(leaves) {}
    TupleView operator*() const { return TupleView(*profile_, leaves_); }
    ModeIterator& operator++() {
      leaves_ += (*profile_).leaf_count();
      ++profile_;
      return *this;
    }
    void operator++(int) { ++*this; }
    friend bool operator==(const ModeIterator& a, const ModeIterator& b) {
      return a.profile_ == b.profile_;
    }

   private:
    ProfileView::ModeIterator profile_;
    const Leaf* leaves_ = nullptr;
  };

  struct Modes {
    ModeIterator begin_;
    [[nodiscard]] ModeIterator begin() const { return begin_; }
    [[nodiscard]] ModeIterator end() const { return {}; }
  };
  [[nodiscard]] Modes modes() const { return {ModeIterator(profile_.modes().begin(), leaves_)}; }

  /// Mode `index`, which must be below rank(). Cost: linear in the nodes before it.
  [[nodiscard]] TupleView mode(std::size_t index) const {
    auto iterator = modes().begin();
    for (; index > 0; --index) ++iterator;
    return *iterator;
  }

  friend bool operator==(TupleView a, TupleView b) {
    return a.profile() == b.profile() && std::ranges::equal(a.leaves(), b.leaves());
  }

 private:
  ProfileView profile_;
  const Leaf* leaves_;
};

/// A nested tuple of leaves. A value: copy, ==, hash, stream output.
template <class Leaf>
class Tuple {
 public:
  using Leaves = InlineVector<Leaf, kInlineLeaves>;

  /// A single leaf.
  template <class T>
    requires std::convertible_to<T, Leaf>
  Tuple(T&& leaf) : leaves_(1, Leaf(std::forward<T>(leaf))) {}  // NOLINT: an integer is a tuple
  /// The tuple of the given modes.
  Tuple(std::initializer_list<Tuple> modes) : Tuple(of({modes.begin(), modes.size()})) {}
  explicit Tuple(TupleView<Leaf> view)
      : profile_(view.profile()), leaves_(view.leaves().begin(), view.leaves().end()) {}
  /// The tuple with this profile and as many leaves as it has.
  Tuple(Profile profile, Leaves leaves)
      : profile_(std::move(profile)), leaves_(std::move(leaves)) {}

  [[nodiscard]] static Tuple of(std::span<const Tuple> modes) {
    Profile profile = Profile::incomplete();
    profile.append_tuple(modes.size());
    Leaves leaves;
    for (const Tuple& mode : modes) {
      profile.append(mode.profile());
      leaves.insert(leaves.end(), mode.leaves_.begin(), mode.leaves_.end());
    }
    return Tuple(std::move(profile), std::move(leaves));
  }
  /// The flat tuple of these leaves.
  [[nodiscard]] static Tuple flat(std::span<const Leaf> leaves) {
    return Tuple(Profile::flat(leaves.size()), Leaves(leaves.begin(), leaves.end()));
  }

  operator TupleView<Leaf>() const { return view(); }  // NOLINT: readable wherever a view is
  [[nodiscard]] TupleView<Leaf> view() const& {
    return TupleView<Leaf>(profile_.view(), leaves_.data());
  }
  [[nodiscard]] bool is_leaf() const { return profile_.is_leaf(); }
  [[nodiscard]] const Leaf& leaf() const { return leaves_.front(); }
  [[nodiscard]] std::size_t rank() const { return profile_.rank(); }
  [[nodiscard]] std::size_t depth() const { return profile_.depth(); }
  [[nodiscard]] const Profile& profile() const { return profile_; }
  [[nodiscard]] std::span<const Leaf> leaves() const { return {leaves_.data(), leaves_.size()}; }
  [[nodiscard]] auto modes() const& { return view().modes(); }
  /// Deleted: a view of a temporary tuple would dangle. Store the tuple first.
  TupleView<Leaf> view() const&& = delete;
  void modes() const&& = delete;
  [[nodiscard]] Tuple mode(std::size_t index) const { return Tuple(view().mode(index)); }

  friend bool operator==(const Tuple&, const Tuple&) = default;

 private:
  Profile profile_;
  Leaves leaves_;
};

/// The tuple with the same profile whose leaves are f(leaf).
template <class Leaf, class Function>
[[nodiscard]] auto transform_leaves(TupleView<Leaf> tuple, Function f) {
  using Image = std::remove_cvref_t<decltype(f(tuple.leaves().front()))>;
  typename Tuple<Image>::Leaves leaves;
  leaves.reserve(tuple.leaves().size());
  for (const Leaf& leaf : tuple.leaves()) leaves.push_back(f(leaf));
  return Tuple<Image>(Profile(tuple.profile()), std::move(leaves));
}

template <class Leaf, class Function>
[[nodiscard]] auto transform_leaves(const Tuple<Leaf>& tuple, Function f) {
  return transform_leaves(tuple.view(), std::move(f));
}

/// Writes `(4,(2,2))`, without spaces, each leaf by `write(stream, leaf)`.
template <class Leaf, class Write>
void write_tuple(std::ostream& stream, TupleView<Leaf> tuple, Write write) {
  if (tuple.is_leaf()) return write(stream, tuple.leaf());
  stream << '(';
  bool first = true;
  for (const TupleView<Leaf> mode : tuple.modes()) {
    if (!first) stream << ',';
    first = false;
    write_tuple(stream, mode, write);
  }
  stream << ')';
}

template <class Leaf>
std::ostream& operator<<(std::ostream& stream, TupleView<Leaf> tuple) {
  write_tuple(stream, tuple, [](std::ostream& out, const Leaf& leaf) { out << leaf; });
  return stream;
}

template <class Leaf>
std::ostream& operator<<(std::ostream& stream, const Tuple<Leaf>& tuple) {
  return stream << tuple.view();
}

/// Mixes `value` into `seed`, for hashes of composite values.
inline std::size_t combine_hashes(std::size_t seed, std::size_t value) {
  return seed ^ (value + 0x9e3779b97f4a7c15ULL + (seed << 6) + (seed >> 2));
}

}  // namespace heddle
#pragma GCC visibility pop

template <class Leaf>
struct std::hash<heddle::Tuple<Leaf>> {
  std::size_t operator()(const heddle::Tuple<Leaf>& tuple) const {
    std::size_t seed = 0;
    for (const auto node : tuple.profile().view().nodes())
      seed = heddle::combine_hashes(seed, node);
    for (const Leaf& leaf : tuple.leaves()) {
      seed = heddle::combine_hashes(seed, std::hash<Leaf>()(leaf));
    }
    return seed;
  }
};
