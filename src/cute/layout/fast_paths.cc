#include "cute/layout/fast_paths.h"

#include <algorithm>
#include <ranges>

#include "cute/layout/steps.h"
#include "heddle/core/exact.h"

namespace heddle::cute {
namespace constant {
namespace {

/// A non-owning view of a layout or of one of its modes.
struct View {
  ProfileView profile;
  std::span<const Leaf> leaves;

  [[nodiscard]] std::size_t rank() const { return profile.rank(); }
};

constexpr Leaf kOne{1, 0};

View view(const Draft& draft) { return {draft.profile.view(), draft.leaves}; }

// Reading and writing.

bool is_constant(const Int& extent, const Stride& stride) {
  return extent.is_constant() && stride.scale().is_constant() && stride.basis().empty();
}

/// The leaves of a layout; nullopt if one is symbolic or on an axis.
std::optional<Leaves> read(const Layout& layout) {
  const std::span<const Int> extents = layout.extents();
  const std::span<const Stride> strides = layout.strides();
  for (std::size_t i = 0; i < extents.size(); ++i) {
    if (!is_constant(extents[i], strides[i])) return std::nullopt;
  }
  const auto numbers =
      std::views::iota(std::size_t{0}, extents.size()) | std::views::transform([&](std::size_t i) {
        return Leaf{extents[i].value(), strides[i].scale().value()};
      });
  std::optional<Leaves> leaves(std::in_place);
  leaves->append(numbers.begin(), numbers.end());
  return leaves;
}

/// The size of a layout and the range of its indices, while leaves are added.
class Range {
 public:
  /// False past 64 bits.
  bool add(std::int64_t extent, std::int64_t stride) {
    std::int64_t furthest = 0;
    if (__builtin_mul_overflow(size_, extent, &size_)) return false;
    if (__builtin_mul_overflow(extent - 1, stride, &furthest)) return false;
    std::int64_t& end = furthest < 0 ? low_ : high_;
    return !__builtin_add_overflow(end, furthest, &end);
  }
  [[nodiscard]] bool fits() const {
    std::int64_t span = 0;
    return !__builtin_sub_overflow(high_, low_, &span) && !__builtin_add_overflow(span, 1, &span);
  }

 private:
  std::int64_t size_ = 1;
  std::int64_t low_ = 0;
  std::int64_t high_ = 0;
};

/// A profile is no deeper than its number of tuples, so the depth of a small one needs no count.
bool is_shallow(ProfileView profile) { return profile.nodes().size() <= kMaxDepth; }

/// The invariants of a layout: its size and the range of its indices fit into 64 bits, and it is
/// not nested too deep.
bool fits(const Draft& draft) {
  if (!is_shallow(draft.profile)) return false;
  Range range;
  for (const Leaf& leaf : draft.leaves) {
    if (!range.add(leaf.extent, leaf.stride)) return false;
  }
  return range.fits();
}

void append(Draft& draft, View part) {
  draft.profile.append(part.profile);
  draft.leaves.append(part.leaves.begin(), part.leaves.end());
}

void append_leaf(Draft& draft, const Leaf& leaf) {
  draft.profile.append_leaf();
  draft.leaves.push_back(leaf);
}

/// Modes joined as CuTe writes them: none is 1:0, one is a leaf, more are a flat tuple.
std::optional<Draft> flat(std::span<const Leaf> modes) {
  std::optional<Draft> draft(std::in_place);
  if (modes.empty()) modes = {&kOne, 1};
  if (modes.size() > 1) draft->profile.append_tuple(modes.size());
  draft->profile.append_leaves(modes.size());
  draft->leaves.append(modes.begin(), modes.end());
  if (!fits(*draft)) draft.reset();
  return draft;
}

/// Calls `f(view, index)` for each mode in order, until it says false.
template <class Function>
bool for_each_mode(View layout, Function f) {
  std::size_t leaf = 0;
  std::size_t index = 0;
  for (const ProfileView mode : layout.profile.modes()) {
    const std::size_t count = mode.leaf_count();
    if (!f(View{mode, layout.leaves.subspan(leaf, count)}, index)) return false;
    leaf += count;
    ++index;
  }
  return true;
}

// Arithmetic on leaves. An optional number that a call returns is written in parts and read as a
// whole, which the processor waits for: these are inlined.

std::int64_t ceil_div(std::int64_t a, std::int64_t b) { return a / b + (a % b > 0 ? 1 : 0); }

/// nullopt past 64 bits.
[[gnu::always_inline]] inline exact::Value size(std::span<const Leaf> leaves) {
  std::int64_t size = 1;
  for (const Leaf& leaf : leaves) {
    if (__builtin_mul_overflow(size, leaf.extent, &size)) return std::nullopt;
  }
  return size;
}

/// One more than the sum of all reaches, whatever the signs of the strides.
[[gnu::always_inline]] inline exact::Value cosize(std::span<const Leaf> leaves) {
  exact::Value reach = 1;
  for (const Leaf& leaf : leaves) {
    const exact::Value furthest = exact::multiply(leaf.extent - 1, leaf.stride);
    const exact::Value distance = furthest ? exact::absolute(*furthest) : std::nullopt;
    reach = distance ? exact::add(*reach, *distance) : std::nullopt;
    if (!reach) return std::nullopt;
  }
  return reach;
}

/// Drops extents of 1 and joins neighbours (seed 004, coalescence rules). The sizes must fit into
/// 64 bits.
Leaves join(std::span<const Leaf> leaves) {
  Leaves joined;
  for (const Leaf& leaf : leaves) {
    if (leaf.extent == 1) continue;
    std::int64_t next = 0;
    const bool continues =
        !joined.empty() &&
        !__builtin_mul_overflow(joined.back().extent, joined.back().stride, &next) &&
        next == leaf.stride;
    if (continues) {
      joined.back().extent *= leaf.extent;
    } else {
      joined.push_back(leaf);
    }
  }
  return joined;
}

/// As join(), for the function on all coordinates: the last leaf continues, even with extent 1.
Leaves join_endless(std::span<const Leaf> leaves) {
  Leaves endless(leaves.begin(), leaves.end());
  if (endless.empty()) endless.push_back(kOne);
  if (endless.back().extent == 1) endless.back().extent = 2;
  return join(endless);
}

Leaves filter(std::span<const Leaf> leaves) {
  Leaves kept;
  for (const Leaf& leaf : leaves) {
    if (leaf.stride != 0) kept.push_back(leaf);
  }
  return join(kept);
}

/// Insertion sort, because there are few items; equal ones keep their order.
template <class Items, class Key>
void sort_by(Items& items, Key key) {
  for (std::size_t i = 1; i < items.size(); ++i) {
    for (std::size_t j = i; j > 0 && key(items[j]) < key(items[j - 1]); --j) {
      std::swap(items[j - 1], items[j]);
    }
  }
}

std::int64_t stride_of(const Leaf& leaf) { return leaf.stride; }

// Composition.

/// Takes the leaves of B one by one through A; see composition.cc for the method.
class Composition {
 public:
  explicit Composition(std::span<const Leaf> a)
      : left_(join_endless(a)), digits_(left_.size(), 0) {}

  /// Appends the image of a leaf of B; false where division does not settle it.
  bool take(const Leaf& leaf, Draft& result) {
    const auto [extent, stride] = leaf;
    if (stride == 0) {
      append_leaf(result, {extent, 0});
      return true;
    }
    if (extent == 1) return take_single(stride, result);
    ++moving_;
    return stride > 0 && divide(extent, stride, result);
  }

  /// Whether no digit of A carries when the leaves are joined.
  [[nodiscard]] bool is_additive() const {
    if (moving_ < 2) return true;
    for (std::size_t i = 0; i + 1 < digits_.size(); ++i) {
      if (digits_[i] >= left_[i].extent) return false;
    }
    return true;
  }

 private:
  /// CuTe's text for a leaf 1:r, whose stride has no meaning.
  bool take_single(std::int64_t stride, Draft& result) {
    if (stride < 0) return false;
    for (std::size_t i = 0; i + 1 < left_.size(); ++i) stride = ceil_div(stride, left_[i].extent);
    std::int64_t image = 0;
    if (__builtin_mul_overflow(stride, left_.back().stride, &image)) return false;
    append_leaf(result, {1, image});
    return true;
  }

  bool divide(std::int64_t extent, std::int64_t stride, Draft& result) {
    images_.clear();
    for (std::size_t i = 0; i + 1 < left_.size(); ++i) {
      const std::int64_t size = left_[i].extent;
      if (stride >= size) {
        if (stride % size != 0) return false;
        stride /= size;
        continue;
      }
      const bool divides = size % stride == 0;
      const std::int64_t steps = size / stride + (divides ? 0 : 1);
      if (extent <= steps) return add(i, extent, stride) && append_images(result);
      if (!divides || extent % steps != 0 || !add(i, steps, stride)) return false;
      extent /= steps;
      stride = 1;
    }
    return add(left_.size() - 1, extent, stride) && append_images(result);
  }

  /// `steps` steps of `stride` within mode i of A.
  bool add(std::size_t i, std::int64_t steps, std::int64_t stride) {
    std::int64_t image = 0;
    if (__builtin_mul_overflow(stride, left_[i].stride, &image)) return false;
    images_.push_back({steps, image});
    std::int64_t digit = 0;
    return !__builtin_mul_overflow(steps - 1, stride, &digit) &&
           !__builtin_add_overflow(digits_[i], digit, &digits_[i]);
  }

  bool append_images(Draft& result) {
    if (images_.size() > 1) result.profile.append_tuple(images_.size());
    for (const Leaf& image : images_) append_leaf(result, image);
    return true;
  }

  Leaves left_;
  /// The greatest digit that all leaves together add up to in each mode of A.
  InlineVector<std::int64_t, 2 * kInlineLeaves> digits_;
  Leaves images_;
  std::size_t moving_ = 0;
};

/// Appends the layout B with each leaf taken through A; false if division does not settle one.
bool take_all(Composition& through, View b, Draft& result) {
  auto leaf = b.leaves.begin();
  for (const ProfileView::Node node : b.profile.nodes()) {
    if (node != 0) {
      result.profile.append_tuple(node - 1);
    } else if (!through.take(*leaf++, result)) {
      return false;
    }
  }
  return true;
}

/// As above, for a list of modes.
bool take_all(Composition& through, std::span<const Leaf> modes, Draft& result) {
  if (modes.empty()) return through.take(kOne, result);
  if (modes.size() > 1) result.profile.append_tuple(modes.size());
  return std::ranges::all_of(modes, [&](const Leaf& mode) { return through.take(mode, result); });
}

/// Appends A o B.
bool compose(std::span<const Leaf> a, View b, Draft& result) {
  Composition through(a);
  return take_all(through, b, result) && through.is_additive();
}

// Complement.

/// Where copies of a layout may begin, uncoalesced; nullopt if the gaps are uneven. `filtered` is
/// coalesced and has no stride 0.
std::optional<Leaves> positions(Leaves filtered, std::span<const std::int64_t> cotarget) {
  sort_by(filtered, stride_of);
  std::optional<Leaves> gaps(std::in_place);
  std::int64_t covered = 1;
  for (const auto& [extent, stride] : filtered) {
    if (stride <= 0 || stride % covered != 0) return std::nullopt;
    gaps->push_back({stride / covered, covered});
    if (__builtin_mul_overflow(extent, stride, &covered)) return std::nullopt;
  }
  std::int64_t rest = 1;
  std::int64_t divisor = covered;
  for (const std::int64_t target : cotarget) {
    if (target < 1 || __builtin_mul_overflow(rest, ceil_div(target, divisor), &rest)) {
      return std::nullopt;
    }
    divisor = ceil_div(divisor, target);
  }
  gaps->push_back({rest, covered});
  if (!size(*gaps)) return std::nullopt;
  return gaps;
}

using MachineNumbers = InlineVector<std::int64_t, kInlineLeaves>;

[[gnu::always_inline]] inline exact::Value product(std::span<const std::int64_t> numbers) {
  std::int64_t product = 1;
  for (const std::int64_t number : numbers) {
    if (__builtin_mul_overflow(product, number, &product)) return std::nullopt;
  }
  return product;
}

/// The leaves of the complement; nullopt if it leaves holes.
std::optional<Leaves> complement(const Leaves& filtered, std::span<const std::int64_t> cotarget) {
  std::optional<Leaves> gaps = positions(filtered, cotarget);
  const exact::Value target = product(cotarget);
  if (!gaps || !target) return std::nullopt;
  if (*target / *size(filtered) > *size(*gaps)) return std::nullopt;
  *gaps = join(*gaps);
  return gaps;
}

// Divides.

/// The number of elements of the layout after the mode in which whole tiles end is rounded up, and
/// the leaves of that layout.
struct PaddedLeaves {
  Leaves leaves;
  std::int64_t size;
};

std::optional<PaddedLeaves> round_up_to_tiles(View layout, const Leaves& flat, const Leaves& tile) {
  std::int64_t rest = 1;
  for (const auto& [extent, stride] : tile) {
    std::int64_t end = 0;
    if (__builtin_mul_overflow(extent, stride, &end)) return std::nullopt;
    rest = std::max(rest, end);
  }
  std::size_t i = 0;
  for (; i + 1 < flat.size() && rest >= flat[i].extent; ++i) {
    if (rest == flat[i].extent) break;
    rest = ceil_div(rest, flat[i].extent);
  }
  const std::int64_t before = flat.empty() ? 1 : flat[i].extent;
  std::int64_t extent = 0;
  std::int64_t padded_size = 0;
  const exact::Value whole = size(flat);
  if (__builtin_mul_overflow(rest, ceil_div(before, rest), &extent) || !whole ||
      __builtin_mul_overflow(*whole / before, extent, &padded_size)) {
    return std::nullopt;
  }
  std::optional<PaddedLeaves> padded(std::in_place);
  padded->size = padded_size;
  padded->leaves.assign(layout.leaves.begin(), layout.leaves.end());
  if (i + 1 < flat.size() && extent != before) {
    padded->leaves = join_endless(layout.leaves);
    padded->leaves[i].extent = extent;
  }
  return padded;
}

/// Do the leaves, in the order of their strides, cover without a hole up to a divisor of `target`?
bool fills_exactly(Leaves leaves, std::int64_t target) {
  sort_by(leaves, stride_of);
  std::int64_t covered = 1;
  for (const auto& [extent, stride] : leaves) {
    if (stride <= 0 || stride % covered != 0) return false;
    if (__builtin_mul_overflow(extent, stride, &covered)) return false;
  }
  return target % covered == 0;
}

/// Appends the tile and the rest of a layout divided by it.
bool divide(View layout, View tile, Draft& tiles, Draft& rests) {
  const Leaves joined = join(layout.leaves);
  MachineNumbers cotarget;
  for (const Leaf& leaf : joined) cotarget.push_back(leaf.extent);
  if (cotarget.empty()) cotarget.push_back(1);
  Leaves covering = filter(tile.leaves);
  const std::optional<Leaves> rest = complement(covering, cotarget);
  if (!rest) return false;
  const std::optional<PaddedLeaves> padded = round_up_to_tiles(layout, joined, covering);
  if (!padded) return false;
  covering.append(rest->begin(), rest->end());
  if (!size(covering) || !fills_exactly(join(covering), padded->size)) return false;
  Composition through(padded->leaves);
  return take_all(through, tile, tiles) && take_all(through, *rest, rests) && through.is_additive();
}

/// The leaves of the layout that a tile means; nullopt for `_`. As make_layout writes it, the
/// stride of a mode of one element is 0.
std::optional<Leaves> read(const Tile& tile, std::int64_t stride_of_one = 0) {
  if (const Layout* layout = tile.layout()) return read(*layout);
  const Int* size = tile.size();
  if (size == nullptr || !size->is_constant() || size->value() < 1) return std::nullopt;
  return Leaves{{size->value(), size->value() == 1 ? stride_of_one : 1}};
}

ProfileView profile_of(const Tile& tile) {
  static constexpr ProfileView::Node kLeaf = 0;
  const Layout* layout = tile.layout();
  return layout == nullptr ? ProfileView({&kLeaf, 1}) : layout->profile().view();
}

/// Appends what `split` makes of each mode of the layout and its tile, a part for each draft; modes
/// past the end of the tiler are appended unchanged. `tiles` and `rests` may be one draft, which
/// then gets pairs. Tiles that are tilers themselves are left to the general function.
template <class Split>
bool by_mode(const Layout& layout, const Tiler& tiler, Split split, Draft& tiles, Draft& rests) {
  const std::optional<Leaves> leaves = read(layout);
  const std::span<const Tile> tile = tiler.leaves();
  const bool is_flat = tiler.depth() == 1 && !tile.empty() && tile.size() <= layout.rank();
  if (!leaves || !is_flat) return false;
  return for_each_mode({layout.profile(), *leaves}, [&](View mode, std::size_t index) {
    if (index >= tile.size()) {
      append(rests, mode);
      return true;
    }
    const std::optional<Leaves> part = read(tile[index]);
    if (!part) return false;
    if (&tiles == &rests) rests.profile.append_tuple(2);
    return split(mode, {profile_of(tile[index]), *part}, tiles, rests);
  });
}

template <class Split>
std::optional<Draft> paired_by_mode(const Layout& layout, const Tiler& tiler, Split split) {
  std::optional<Draft> result(std::in_place);
  result->profile.append_tuple(layout.rank());
  if (!by_mode(layout, tiler, split, *result, *result) || !fits(*result)) result.reset();
  return result;
}

/// The parts for the tiles together, then the others.
template <class Split>
std::optional<Draft> zipped_by_mode(const Layout& layout, const Tiler& tiler, Split split) {
  std::optional<Draft> result(std::in_place);
  Draft rests;
  result->profile.append_tuple(2);
  result->profile.append_tuple(tiler.leaves().size());
  rests.profile.append_tuple(layout.rank());
  const bool is_split = by_mode(layout, tiler, split, *result, rests);
  append(*result, view(rests));
  if (!is_split || !fits(*result)) result.reset();
  return result;
}

/// (A,(b0,b1,…)) -> (A,b0,b1,…); a second mode of rank 1 stays as it is.
void unpack_rest(Draft& zipped) {
  auto mode = zipped.profile.view().modes().begin();
  const ProfileView first = *mode;
  const ProfileView rest = *++mode;
  Profile unpacked = Profile::incomplete();
  unpacked.append_tuple(1 + rest.rank());
  unpacked.append(first);
  if (rest.rank() == 1) {
    unpacked.append(rest);
  } else {
    for (const ProfileView part : rest.modes()) unpacked.append(part);
  }
  zipped.profile = std::move(unpacked);
}

std::optional<Draft> divide_whole(const Layout& layout, View tile) {
  const std::optional<Leaves> leaves = read(layout);
  if (!leaves) return std::nullopt;
  std::optional<Draft> result(std::in_place);
  result->profile.append_tuple(2);
  if (!divide({layout.profile(), *leaves}, tile, *result, *result) || !fits(*result))
    result.reset();
  return result;
}

std::optional<Draft> divide_whole(const Layout& layout, const Tile& tile) {
  const std::optional<Leaves> part = read(tile);
  if (!part) return std::nullopt;
  return divide_whole(layout, {profile_of(tile), *part});
}

// Evaluation.

/// Adds to the index what a flat coordinate of these leaves does.
bool add_flat(std::span<const Int> extents, std::span<const Stride> strides, const Int& coordinate,
              std::int64_t& index) {
  if (!coordinate.is_constant() || coordinate.value() < 0) return false;
  std::int64_t rest = coordinate.value();
  for (std::size_t i = 0; i < extents.size(); ++i) {
    if (!is_constant(extents[i], strides[i])) return false;
    const bool last = i + 1 == extents.size();
    const std::int64_t quotient = last ? 0 : rest / extents[i].value();
    const std::int64_t digit = last ? rest : rest - quotient * extents[i].value();
    std::int64_t distance = 0;
    if (__builtin_mul_overflow(digit, strides[i].scale().value(), &distance) ||
        __builtin_add_overflow(index, distance, &index)) {
      return false;
    }
    rest = quotient;
  }
  return true;
}

// Inverses.

/// A mode together with the flat coordinate of one step along it.
struct ConstantStep {
  std::int64_t extent;
  std::int64_t stride;
  std::int64_t coordinate;
};

using ConstantSteps = InlineVector<ConstantStep, kInlineLeaves>;

/// The modes of the coalesced layout by ascending stride, without those of stride 0.
ConstantSteps steps_by_stride(std::span<const Leaf> leaves) {
  ConstantSteps steps;
  std::int64_t coordinate = 1;
  for (const auto& [extent, stride] : join(leaves)) {
    if (stride != 0) steps.push_back({extent, stride, coordinate});
    coordinate *= extent;
  }
  sort_by(steps, [](const ConstantStep& step) { return step.stride; });
  return steps;
}

// Products.

/// Appends the positions at which copies of a block begin, nested as the tiler.
bool append_copies(View block, View tiler, Draft& result) {
  const bool stays = std::ranges::all_of(tiler.leaves, [](const Leaf& l) { return l.stride == 0; });
  if (stays) {
    append(result, tiler);
    return true;
  }
  const exact::Value reach = cosize(tiler.leaves);
  const exact::Value block_size = size(block.leaves);
  const exact::Value target =
      reach && block_size ? exact::multiply(*block_size, *reach) : std::nullopt;
  if (!target) return false;
  const std::optional<Leaves> begins = positions(filter(block.leaves), {&*target, 1});
  if (!begins) return false;
  // Within the complement its shortest form is enough; past it the copies must not meet.
  if (*reach > *size(*begins)) return compose(*begins, tiler, result);
  const Leaves short_form = join(*begins);
  return compose(short_form.empty() ? std::span(&kOne, 1) : std::span<const Leaf>(short_form),
                 tiler, result);
}

/// Appends a block and its copies.
bool multiply(View block, View tiler, Draft& blocks, Draft& copies) {
  append(blocks, block);
  return append_copies(block, tiler, copies);
}

std::optional<Draft> multiply_whole(const Layout& block, View tiler) {
  const std::optional<Leaves> leaves = read(block);
  if (!leaves) return std::nullopt;
  std::optional<Draft> result(std::in_place);
  result->profile.append_tuple(2);
  if (!multiply({block.profile(), *leaves}, tiler, *result, *result) || !fits(*result)) {
    result.reset();
  }
  return result;
}

/// `layout` with 1:0 appended up to `rank`.
Draft padded(const Layout& layout, const Leaves& leaves, std::size_t rank) {
  Draft draft;
  const View whole{layout.profile(), leaves};
  if (rank == whole.rank()) {
    append(draft, whole);
    return draft;
  }
  draft.profile.append_tuple(rank);
  for_each_mode(whole, [&](View mode, std::size_t) {
    append(draft, mode);
    return true;
  });
  for (std::size_t i = whole.rank(); i < rank; ++i) append_leaf(draft, kOne);
  return draft;
}

}  // namespace

exact::Value evaluate(const Layout& layout, const Int& coordinate) {
  std::int64_t index = 0;
  const bool done = add_flat(layout.extents(), layout.strides(), coordinate, index);
  return done ? exact::Value(index) : std::nullopt;
}

exact::Value evaluate(const Layout& layout, CoordinateView coordinate) {
  const std::span<const Int> extents = layout.extents();
  const std::span<const Stride> strides = layout.strides();
  const std::span<const ProfileView::Node> nodes = layout.profile().view().nodes();
  std::size_t node = 0;
  std::size_t leaf = 0;
  std::int64_t index = 0;
  auto flat = coordinate.leaves().begin();
  for (const ProfileView::Node wanted : coordinate.profile().nodes()) {
    if (wanted != 0) {
      if (node == nodes.size() || nodes[node] != wanted) return std::nullopt;
      ++node;
      continue;
    }
    // A flat coordinate runs through all leaves of its mode.
    const std::size_t first = leaf;
    for (std::size_t open = 1; open > 0 && node < nodes.size(); ++node) {
      open += nodes[node] == 0 ? 0 : nodes[node] - 1;
      --open;
      leaf += nodes[node] == 0 ? 1 : 0;
    }
    const std::size_t count = leaf - first;
    if (flat->is_underscore() || !add_flat(extents.subspan(first, count),
                                           strides.subspan(first, count), flat->value(), index)) {
      return std::nullopt;
    }
    ++flat;
  }
  return index;
}

bool are_parts(const Profile& profile, const Layout::Extents& extents,
               const Layout::Strides& strides) {
  const std::size_t count = extents.size();
  if (!is_shallow(profile) || strides.size() != count || profile.leaf_count() != count)
    return false;
  Range range;
  for (std::size_t i = 0; i < count; ++i) {
    if (!is_constant(extents[i], strides[i]) || extents[i].value() < 1) return false;
    if (!range.add(extents[i].value(), strides[i].scale().value())) return false;
  }
  return range.fits();
}

std::optional<Draft> coalesce(const Layout& layout) {
  const std::optional<Leaves> leaves = read(layout);
  if (!leaves) return std::nullopt;
  return flat(join(*leaves));
}

std::optional<Draft> filter(const Layout& layout) {
  const std::optional<Leaves> leaves = read(layout);
  if (!leaves) return std::nullopt;
  Leaves moving;
  for (const Leaf& leaf : *leaves) {
    if (leaf.stride != 0) moving.push_back(leaf);
  }
  return flat(join(moving));
}

std::optional<Draft> composition(const Layout& a, const Layout& b) {
  const std::optional<Leaves> left = read(a);
  const std::optional<Leaves> right = read(b);
  if (!left || !right) return std::nullopt;
  std::optional<Draft> result(std::in_place);
  if (!compose(*left, {b.profile(), *right}, *result) || !fits(*result)) result.reset();
  return result;
}

std::optional<Draft> composition(const Layout& a, const Tiler& tiler) {
  const std::optional<Leaves> left = read(a);
  const std::span<const Tile> tile = tiler.leaves();
  if (!left || tiler.depth() != 1 || tile.empty() || tile.size() > a.rank()) return std::nullopt;
  std::optional<Draft> result(std::in_place);
  result->profile.append_tuple(tile.size());
  const auto take = [&](View mode, std::size_t index) {
    if (index >= tile.size()) return true;  // modes past the end of the tiler are dropped
    const std::optional<Leaves> part = read(tile[index], /*stride_of_one=*/1);
    return part && compose(mode.leaves, {profile_of(tile[index]), *part}, *result);
  };
  if (!for_each_mode({a.profile(), *left}, take) || !fits(*result)) result.reset();
  return result;
}

std::optional<Draft> complement(const Layout& layout, const IntTuple& cotarget) {
  const std::optional<Leaves> leaves = read(layout);
  if (!leaves || cotarget.leaves().empty()) return std::nullopt;
  MachineNumbers targets;
  for (const Int& extent : cotarget.leaves()) {
    if (!extent.is_constant()) return std::nullopt;
    targets.push_back(extent.value());
  }
  const std::optional<Leaves> rest = complement(filter(*leaves), targets);
  if (!rest) return std::nullopt;
  return flat(*rest);
}

std::optional<Draft> right_inverse(const Layout& layout) {
  const std::optional<Leaves> leaves = read(layout);
  if (!leaves) return std::nullopt;
  const ConstantSteps steps = steps_by_stride(*leaves);
  const ModeNumbers chain = longest_chain(
      steps.size(), [&](std::size_t i) { return steps[i].stride; },
      [&](std::size_t i) { return steps[i].extent; });
  Leaves inverse;
  for (const std::size_t i : chain) inverse.push_back({steps[i].extent, steps[i].coordinate});
  return flat(join(inverse));
}

std::optional<Draft> left_inverse(const Layout& layout) {
  const std::optional<Leaves> leaves = read(layout);
  if (!leaves) return std::nullopt;
  const ConstantSteps steps = steps_by_stride(*leaves);
  Leaves inverse;
  Leaf digit{1, 0};
  std::int64_t radix = 1;
  std::int64_t extent_before = 1;
  for (const ConstantStep& step : steps) {
    if (step.stride <= 0 || step.stride % radix != 0) return std::nullopt;
    digit.extent = step.stride / radix;
    if (digit.extent < extent_before) return std::nullopt;
    inverse.push_back(digit);
    digit.stride = step.coordinate;
    radix = step.stride;
    extent_before = step.extent;
  }
  if (steps.empty()) return std::nullopt;
  digit.extent = extent_before;
  inverse.push_back(digit);
  if (!size(inverse)) return std::nullopt;
  return flat(join(inverse));
}

std::optional<Draft> logical_divide(const Layout& layout, const Layout& tile) {
  const std::optional<Leaves> part = read(tile);
  if (!part) return std::nullopt;
  return divide_whole(layout, {tile.profile(), *part});
}

std::optional<Draft> logical_divide(const Layout& layout, const Tiler& tiler) {
  if (tiler.is_leaf()) return divide_whole(layout, tiler.leaf());
  return paired_by_mode(layout, tiler, divide);
}

std::optional<Draft> zipped_divide(const Layout& layout, const Tiler& tiler) {
  if (tiler.is_leaf()) return divide_whole(layout, tiler.leaf());
  return zipped_by_mode(layout, tiler, divide);
}

std::optional<Draft> tiled_divide(const Layout& layout, const Tiler& tiler) {
  std::optional<Draft> divided = constant::zipped_divide(layout, tiler);
  if (divided) unpack_rest(*divided);
  return divided;
}

std::optional<Draft> logical_product(const Layout& block, const Layout& tiler) {
  const std::optional<Leaves> leaves = read(tiler);
  if (!leaves) return std::nullopt;
  return multiply_whole(block, {tiler.profile(), *leaves});
}

std::optional<Draft> logical_product(const Layout& block, const Tiler& tiler) {
  if (!tiler.is_leaf()) return paired_by_mode(block, tiler, multiply);
  const std::optional<Leaves> leaves = read(tiler.leaf());
  if (!leaves) return std::nullopt;
  return multiply_whole(block, {profile_of(tiler.leaf()), *leaves});
}

std::optional<Draft> zipped_product(const Layout& block, const Tiler& tiler) {
  return tiler.is_leaf() ? constant::logical_product(block, tiler)
                         : zipped_by_mode(block, tiler, multiply);
}

std::optional<Draft> tiled_product(const Layout& block, const Tiler& tiler) {
  std::optional<Draft> product = constant::zipped_product(block, tiler);
  if (product) unpack_rest(*product);
  return product;
}

std::optional<Draft> blocked_product(const Layout& block, const Layout& tiler) {
  const std::optional<Leaves> block_leaves = read(block);
  const std::optional<Leaves> tiler_leaves = read(tiler);
  if (!block_leaves || !tiler_leaves) return std::nullopt;
  const std::size_t rank = std::max(block.rank(), tiler.rank());
  const Draft blocks = padded(block, *block_leaves, rank);
  const Draft tilers = padded(tiler, *tiler_leaves, rank);
  // If one is a leaf, the other must be treated as one mode, which the general function does.
  if (blocks.profile.is_leaf() || tilers.profile.is_leaf()) return std::nullopt;
  Draft copies;
  if (!append_copies(view(blocks), view(tilers), copies)) return std::nullopt;
  std::optional<Draft> result(std::in_place);
  result->profile.append_tuple(rank);
  auto copy = copies.profile.view().modes().begin();
  std::size_t copied = 0;
  for_each_mode(view(blocks), [&](View mode, std::size_t) {
    const std::size_t count = (*copy).leaf_count();
    result->profile.append_tuple(2);
    append(*result, mode);
    append(*result, {*copy, std::span<const Leaf>(copies.leaves).subspan(copied, count)});
    copied += count;
    ++copy;
    return true;
  });
  if (!fits(*result)) result.reset();
  return result;
}

}  // namespace constant

Layout::Layout(const constant::Draft& draft) : profile_(draft.profile) {
  const auto extents = draft.leaves | std::views::transform(&constant::Leaf::extent);
  const auto strides = draft.leaves | std::views::transform(&constant::Leaf::stride);
  extents_.append(extents.begin(), extents.end());
  strides_.append(strides.begin(), strides.end());
}

}  // namespace heddle::cute
