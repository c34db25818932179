#include "heddle/cute/layout.h"

#include <algorithm>
#include <map>
#include <ostream>

#include "core/text.h"
#include "cute/layout/axes.h"
#include "cute/layout/fast_paths.h"
#include "cute/layout/format.h"
#include "cute/layout/modes.h"
#include "expr/assume_needed.h"
#include "heddle/cute/int_tuple.h"

namespace heddle::cute {
namespace {

/// The least and the greatest sum that some digits reach on one axis.
struct Reach {
  Int low;
  Int high;

  /// Symbolic extents and scales are skipped: they have no range to check in 64 bits.
  void add(const Int& extent, const Int& scale) {
    if (extent.is_symbolic() || scale.is_symbolic()) return;
    const Int furthest = (extent - 1) * scale;
    (known_less(furthest, 0) ? low : high) += furthest;
  }
  [[nodiscard]] bool fits() const { return low.is_defined() && (high - low + 1).is_defined(); }
};

std::string text_of(const Profile& profile, const Layout::Extents& extents,
                    const Layout::Strides& strides) {
  return fmt::format("{}:{}", IntTuple(profile, extents), StrideTuple(profile, strides));
}

/// Refuses index ranges past 64 bits on any axis. The usual case, one axis, needs no table.
bool index_fits(const Layout::Extents& extents, const Layout::Strides& strides, bool integral) {
  if (integral) {
    Reach reach;
    for (std::size_t i = 0; i < extents.size(); ++i) reach.add(extents[i], strides[i].scale());
    return reach.fits();
  }
  std::map<Basis, Reach> reaches;
  for (std::size_t i = 0; i < extents.size(); ++i) {
    reaches[strides[i].basis()].add(extents[i], strides[i].scale());
  }
  return std::ranges::all_of(reaches, [](const auto& entry) { return entry.second.fits(); });
}

Result<void> check_axes(const Profile& profile, const Layout::Strides& strides) {
  const std::vector<Basis> bases = distinct_bases({strides.data(), strides.size()});
  for (std::size_t i = 1; i < bases.size(); ++i) {
    if (!bases[i - 1].is_prefix_of(bases[i])) continue;
    const auto on = [](const Basis& basis) {
      return basis.empty() ? std::string("the plain integers") : "axis " + basis.axis().name();
    };
    return refuse("stride.mixed_axes",
                  "the stride {} has strides on {} and on {}: an index cannot be both a number and "
                  "a coordinate",
                  StrideTuple(profile, strides), on(bases[i - 1]), on(bases[i]));
  }
  return {};
}

Result<void> check_extent(const Int& extent, const Profile& profile,
                          const Layout::Extents& extents) {
  if (!extent.is_defined() || known_less(0, extent)) return {};
  const auto shape = [&] { return fmt::format("the shape {}", IntTuple(profile, extents)); };
  if (extent.is_symbolic() && !known_at_most(extent, 0)) {
    return needed(shape(), {1, Predicate::kAtMost, extent});
  }
  return refuse(diagnose("layout.extent", "the extent {} in {} is not positive", extent, shape())
                    .with_hint("every mode of a layout has at least one element"));
}

/// Algorithms sort modes by stride, so the sign must be known. Whether a stride may be 0 matters
/// only to those that leave out modes of stride 0 (moving_leaves()).
Result<void> check_sign(const Int& scale, const Profile& profile, const Layout::Strides& strides) {
  if (!scale.is_symbolic() || known_at_most(0, scale) || known_less(scale, 0)) return {};
  return needed_either_way(fmt::format("the stride {}", StrideTuple(profile, strides)),
                           {0, Predicate::kAtMost, scale});
}

/// One walk over a coordinate and the layout it indexes, adding digit * stride at each leaf.
class Evaluation {
 public:
  Evaluation(const Layout& layout, const Coordinate& coordinate)
      : layout_(layout), coordinate_(coordinate) {}

  Result<AxisValues> run() {
    HEDDLE_CHECK(visit(coordinate_.view(), layout_.profile().view()));
    for (const auto& [basis, value] : values_) {
      HEDDLE_CHECK(check_defined(
          value, [&] { return fmt::format("the index of {} at {}", layout_, coordinate_); }));
    }
    return values_;
  }

 private:
  Result<void> visit(CoordinateView coordinate, ProfileView mode) {
    if (coordinate.is_leaf()) return add_flat(coordinate.leaf(), mode.leaf_count());
    if (mode.is_leaf() || mode.rank() != coordinate.rank()) return incongruent();
    auto modes = mode.modes().begin();
    for (const CoordinateView part : coordinate.modes()) {
      HEDDLE_CHECK(visit(part, *modes));
      ++modes;
    }
    return {};
  }

  Result<void> add_flat(const Index& index, std::size_t leaves) {
    if (index.is_underscore()) {
      return refuse("coordinate.underscore", "{} is a slice of {}, not one element", coordinate_,
                    layout_);
    }
    Int rest = index.value();
    if (leaves > 1) HEDDLE_CHECK(check_flat(rest));
    for (std::size_t i = 0; i < leaves; ++i, ++leaf_) {
      const Int& extent = layout_.extents()[leaf_];
      const Stride& stride = layout_.strides()[leaf_];
      const Int digit = i + 1 < leaves ? mod(rest, extent) : rest;
      rest = floor_div(rest, extent);
      if (!stride.is_zero()) values_[stride.basis()] += digit * stride.scale();
    }
    return {};
  }

  /// Flat coordinates of several modes count from 0.
  Result<void> check_flat(const Int& flat) const {
    if (known_at_most(0, flat)) return {};
    if (flat.is_symbolic() && !known_less(flat, 0)) {
      return needed(fmt::format("the flat coordinate {} of several modes of {}", flat, layout_),
                    {0, Predicate::kAtMost, flat});
    }
    return refuse("coordinate.negative",
                  "the flat coordinate {} of several modes of {} is negative", flat, layout_);
  }

  Refusal incongruent() const {
    return refuse("coordinate.incongruent", "the coordinate {} does not fit the shape {}",
                  coordinate_, layout_.shape());
  }

  const Layout& layout_;
  const Coordinate& coordinate_;
  std::size_t leaf_ = 0;
  AxisValues values_;
};

}  // namespace

Result<Layout> Layout::make(Profile profile, Extents extents, Strides strides) {
  if (constant::are_parts(profile, extents, strides)) [[likely]] {
    return Layout(std::move(profile), std::move(extents), std::move(strides));
  }
  HEDDLE_CHECK(check_depth(profile));
  if (extents.size() != profile.leaf_count() || strides.size() != extents.size()) {
    return refuse("layout.incongruent", "{} and {} for the {} leaves of a layout",
                  counted(extents.size(), "extent"), counted(strides.size(), "stride"),
                  profile.leaf_count());
  }
  Int size = 1;
  bool integral = true;
  for (std::size_t i = 0; i < extents.size(); ++i) {
    HEDDLE_CHECK(check_extent(extents[i], profile, extents));
    HEDDLE_CHECK(check_sign(strides[i].scale(), profile, strides));
    size *= extents[i];
    integral = integral && strides[i].basis().empty();
  }
  if (!size.is_defined()) {
    return refuse("overflow", "the size of the shape {} does not fit into 64 bits",
                  IntTuple(profile, extents));
  }
  if (!integral) HEDDLE_CHECK(check_axes(profile, strides));
  if (!index_fits(extents, strides, integral)) {
    return refuse("overflow", "the indices of {} do not fit into 64 bits",
                  text_of(profile, extents, strides));
  }
  return Layout(std::move(profile), std::move(extents), std::move(strides));
}

Result<Layout> Layout::make(const IntTuple& shape, const StrideTuple& stride) {
  if (shape.profile() != stride.profile()) {
    return refuse(
        diagnose("layout.incongruent", "the shape {} and the stride {} are not nested alike", shape,
                 stride)
            .with_hint("shape and stride need the same parentheses, one stride for each extent"));
  }
  return make(shape.profile(), Extents(shape.leaves().begin(), shape.leaves().end()),
              Strides(stride.leaves().begin(), stride.leaves().end()));
}

Int Layout::size() const {
  Int size = 1;
  for (const Int& extent : extents_) size *= extent;
  return size;
}

Layout Layout::mode(std::size_t index) const {
  const TupleView<Int> shape = TupleView<Int>(profile_, extents_.data()).mode(index);
  const Int* begin = shape.leaves().data();
  const auto count = static_cast<std::ptrdiff_t>(shape.leaves().size());
  const auto stride = strides_.begin() + (begin - extents_.data());
  return Layout(Profile(shape.profile()), Extents(begin, begin + count),
                Strides(stride, stride + count));
}

std::vector<Layout> Layout::modes() const {
  std::vector<Layout> modes;
  modes.reserve(rank());
  std::size_t leaf = 0;
  for (const ProfileView mode : profile_.view().modes()) {
    const auto count = static_cast<std::ptrdiff_t>(mode.leaf_count());
    const auto offset = static_cast<std::ptrdiff_t>(leaf);
    const auto extent = extents_.begin() + offset;
    const auto stride = strides_.begin() + offset;
    modes.push_back(
        Layout(Profile(mode), Extents(extent, extent + count), Strides(stride, stride + count)));
    leaf += mode.leaf_count();
  }
  return modes;
}

bool Layout::is_integral() const {
  return std::ranges::all_of(
      strides_, [](const Stride& stride) { return stride.basis().empty() || stride.is_zero(); });
}

Int Layout::operator()(const Int& coordinate) const {
  if (const exact::Value index = constant::evaluate(*this, coordinate)) return *index;
  if (!is_integral()) return Int::undefined();
  if (extents_.empty()) return 0;
  if (extents_.size() > 1 && !known_at_most(0, coordinate)) return Int::undefined();
  Int index = 0;
  Int rest = coordinate;
  const std::size_t last = extents_.size() - 1;
  for (std::size_t i = 0; i < last; ++i) {
    index += mod(rest, extents_[i]) * strides_[i].scale();
    rest = floor_div(rest, extents_[i]);
  }
  return index + rest * strides_[last].scale();
}

Int Layout::at(const IntTuple& coordinate) const {
  const Result<IntTuple> index = evaluate(*this, to_coordinate(coordinate));
  return index && index->is_leaf() ? index->leaf() : Int::undefined();
}

Result<Layout> make_layout(const IntTuple& shape, const StrideTuple& stride) {
  return Layout::make(shape, stride);
}

Result<Layout> make_layout(const IntTuple& shape) {
  return Layout::make(shape, to_strides(compact_col_major(shape)));
}

Result<Layout> make_layout(std::span<const Layout> modes) {
  Profile profile = Profile::incomplete();
  profile.append_tuple(modes.size());
  Layout::Extents extents;
  Layout::Strides strides;
  for (const Layout& mode : modes) {
    profile.append(mode.profile());
    extents.insert(extents.end(), mode.extents().begin(), mode.extents().end());
    strides.insert(strides.end(), mode.strides().begin(), mode.strides().end());
  }
  return Layout::make(std::move(profile), std::move(extents), std::move(strides));
}

Result<Layout> make_layout(std::initializer_list<Layout> modes) {
  return make_layout(std::span<const Layout>(modes.begin(), modes.size()));
}

Result<IntTuple> evaluate(const Layout& layout, const Coordinate& coordinate) {
  if (const exact::Value index = constant::evaluate(layout, coordinate.view())) {
    return IntTuple(Int(*index));
  }
  HEDDLE_TRY(AxisValues values, Evaluation(layout, coordinate).run());
  if (layout.is_integral()) return IntTuple(values.empty() ? Int(0) : values.begin()->second);
  for (const Basis& basis : distinct_bases(layout.strides())) values.try_emplace(basis, 0);
  return assemble_coordinate(values);
}

IntTuple modal_coordinate(const Layout& layout, std::span<const Int> indices) {
  const bool is_flat = layout.profile().is_leaf() || layout.rank() == 0;
  return is_flat ? IntTuple(indices.front()) : IntTuple::flat(indices);
}

form::IndexMap index_map(const Layout& layout) {
  std::vector<Int> extents;
  for (const Layout& mode : layout.modes()) extents.push_back(mode.size());
  if (extents.empty()) extents.emplace_back(1);
  std::vector<Basis> bases = distinct_bases(layout.strides());
  if (bases.empty()) bases.emplace_back();
  std::vector<Axis> axes;
  for (const Basis& basis : bases) axes.push_back(basis.axis());
  const auto evaluator = [layout, bases](std::span<const Int> indices) {
    const auto values = Evaluation(layout, to_coordinate(modal_coordinate(layout, indices))).run();
    if (!values) return std::vector<Int>(bases.size(), Int::undefined());
    std::vector<Int> image;
    for (const Basis& basis : bases) {
      const auto found = values->find(basis);
      image.push_back(found == values->end() ? Int(0) : found->second);
    }
    return image;
  };
  return {std::move(extents), form::FlatOrder::kFirstFastest, std::move(axes), evaluator};
}

form::DigitForm digit_form(const Layout& layout) {
  const std::vector<Basis> bases = distinct_bases(layout.strides());
  std::vector<Axis> axes;
  for (const Basis& basis : bases) axes.push_back(basis.axis());
  std::vector<form::Digit> digits;
  for (const Mode& mode : join_neighbours(leaves(layout))) {
    form::Digit digit{mode.extent, std::vector<Int>(bases.size(), Int(0))};
    if (!mode.stride.is_zero()) {
      const auto axis = std::ranges::find(bases, mode.stride.basis()) - bases.begin();
      digit.stride[static_cast<std::size_t>(axis)] = mode.stride.scale();
    }
    digits.push_back(std::move(digit));
  }
  return {std::move(axes), digits};
}

std::string to_string(const Layout& layout) { return fmt::format("{}", layout); }

std::ostream& operator<<(std::ostream& stream, const Layout& layout) {
  return stream << TupleView<Int>(layout.profile(), layout.extents().data()) << ':'
                << TupleView<Stride>(layout.profile(), layout.strides().data());
}

}  // namespace heddle::cute

std::size_t std::hash<heddle::cute::Layout>::operator()(const heddle::cute::Layout& layout) const {
  return heddle::combine_hashes(std::hash<heddle::IntTuple>()(layout.shape()),
                                std::hash<heddle::cute::StrideTuple>()(layout.stride()));
}
