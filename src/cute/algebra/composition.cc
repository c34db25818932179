#include "heddle/cute/composition.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>

#include "core/text.h"
#include "cute/algebra/tiling.h"
#include "cute/layout/extension.h"
#include "cute/layout/fast_paths.h"
#include "cute/layout/format.h"
#include "cute/layout/modes.h"
#include "expr/assume_needed.h"
#include "heddle/cute/manipulation.h"
#include "heddle/form/recover.h"

namespace heddle::cute {
namespace {

constexpr std::int64_t kMaxElements = form::kMaxVerified;

std::string ordinal(std::size_t index) {
  static constexpr const char* kNames[] = {"first", "second", "third", "fourth", "fifth", "sixth"};
  return index < std::size(kNames) ? kNames[index] : fmt::format("number {}", index + 1);
}

/// A leaf of B after A: its modes in the result, and the greatest digit it takes in each mode of A.
struct Image {
  Modes modes;
  IntTuple::Leaves digits;
};

/// CuTe's text for a leaf 1:r, whose stride has no meaning.
Mode single(const Extension& a, Int stride) {
  for (std::size_t i = 0; i + 1 < a.modes().size(); ++i) {
    stride = heddle::ceil_div(stride, a.modes()[i].extent);
  }
  return {1, stride * a.modes().back().stride};
}

/// Why division does not settle a leaf of B: the number that leaves a remainder or, if it is
/// symbolic, may leave one, and the condition that would help.
struct Remainder {
  std::string reason;
  std::optional<Condition> needed;
};

/// The first of the conditions that is not known to fail, if its failing is not known either.
std::optional<Condition> open_condition(std::initializer_list<Condition> conditions) {
  for (const Condition& condition : conditions) {
    const bool is_symbolic = condition.left.is_symbolic() || condition.right.is_symbolic();
    if (is_symbolic && !known_false(condition)) return condition;
  }
  return std::nullopt;
}

/// extent:stride taken through A by division (seed 004, definition 2.13); nullopt if a division
/// leaves a remainder, and then `remainder` says which.
std::optional<Image> divide(const Extension& a, Int extent, Int stride, Remainder& remainder) {
  const Modes& modes = a.modes();
  Image image{{}, IntTuple::Leaves(modes.size(), Int(0))};
  const auto take = [&](std::size_t i, const Int& steps) {
    image.modes.push_back({steps, stride * modes[i].stride});
    image.digits[i] = (steps - 1) * stride;
  };
  const auto leaf = [&] { return fmt::format("{}:{}", extent, stride); };
  for (std::size_t i = 0; i + 1 < modes.size(); ++i) {
    const Int& size = modes[i].extent;
    if (known_divides(size, stride)) {
      stride = floor_div(stride, size);
      continue;
    }
    const bool divides = known_divides(stride, size);
    if (!divides && !known_less(stride, size)) {
      remainder.reason = fmt::format(
          "steps of {} are neither within the left side's {} mode ({}) nor a multiple of it",
          stride, ordinal(i), size);
      remainder.needed = size.is_constant() ? open_condition({{size, Predicate::kDivides, stride}})
                                            : open_condition({{stride, Predicate::kDivides, size},
                                                              {size, Predicate::kDivides, stride}});
      return std::nullopt;
    }
    const Int steps = heddle::ceil_div(size, stride);
    if (known_at_most(extent, steps)) {
      take(i, extent);
      return image;
    }
    if (!divides) {
      remainder.reason = fmt::format(
          "{} leaves the left side's {} mode ({}) between two steps; {} is not a multiple of {}",
          leaf(), ordinal(i), size, size, stride);
      remainder.needed = open_condition(
          {{stride, Predicate::kDivides, size}, {extent, Predicate::kAtMost, steps}});
      return std::nullopt;
    }
    if (!known_divides(steps, extent)) {
      remainder.reason = fmt::format(
          "{} runs through the left side's {} mode ({}) and {} of its {} ({}); {} is not a "
          "multiple of {}",
          leaf(), ordinal(i), size, heddle::ceil_div(extent, steps), ordinal(i + 1),
          modes[i + 1].extent, extent, steps);
      const Condition ends_here{extent, Predicate::kAtMost, steps};
      const Condition goes_on{steps, Predicate::kDivides, extent};
      remainder.needed = steps.is_constant() ? open_condition({goes_on, ends_here})
                                             : open_condition({ends_here, goes_on});
      return std::nullopt;
    }
    take(i, steps);
    extent = floor_div(extent, steps);
    stride = 1;
  }
  take(modes.size() - 1, extent);
  return image;
}

/// One composition A o B with B's strides on the plain integer line or along one mode of A.
struct Operands {
  const Layout& a;
  const Layout& b;

  [[nodiscard]] std::string text() const { return to_string(a) + " o " + to_string(b); }

  /// B's coordinate with these digits at its leaves.
  [[nodiscard]] std::string coordinate(IntTuple::Leaves digits) const {
    return fmt::format("{}", IntTuple(b.profile(), std::move(digits)));
  }
  [[nodiscard]] std::string coordinate_along(std::size_t leaf, std::int64_t digit) const {
    IntTuple::Leaves digits(b.extents().size(), Int(0));
    digits[leaf] = digit;
    return coordinate(std::move(digits));
  }
};

Refusal overflow(const Operands& operands) {
  return refuse("overflow", operands.text() + ": the indices do not fit into 64 bits");
}

/// Division leaves a remainder, whatever the values of the symbols, and no values can be tried.
Refusal undecided_symbolic(const Operands& operands, const std::string& mode,
                           const std::string& reason) {
  return refuse(
      diagnose("composition.undecided",
               "{}: division does not settle the mode {}, and symbolic sizes cannot be tried",
               operands.text(), mode)
          .with_note(reason));
}

/// Decides a leaf of B for which division leaves a remainder by the values of the function.
class Recovery {
 public:
  Recovery(const Operands& operands, const Extension& left, std::size_t leaf, std::string reason)
      : operands_(operands),
        left_(left),
        leaf_(leaf),
        reason_(std::move(reason)),
        extent_(operands.b.extents()[leaf].value()),
        stride_(operands.b.strides()[leaf].scale()) {}

  Result<Image> run() {
    const auto sample = [this](std::int64_t n) {
      std::optional<Vector> value = left_.evaluate(n * stride_);
      overflow_ = overflow_ || !value;
      return value.value_or(Vector(left_.axes(), 0));
    };
    if (extent_ > kMaxElements) return undecided_or_refused(sample);
    const Result<std::vector<form::Digit>> digits = form::recover(extent_, left_.axes(), sample);
    if (overflow_) return past_64_bits_or_symbolic();
    if (!digits) return refused(*form::find_obstacle(extent_, left_.axes(), sample));
    return image_of(*digits);
  }

 private:
  [[nodiscard]] std::string mode_text() const { return fmt::format("{}:{}", extent_, stride_); }

  Result<Image> undecided_or_refused(const form::Sampler& sample) const {
    const auto obstacle = form::find_obstacle(extent_, left_.axes(), sample);
    if (overflow_) return past_64_bits_or_symbolic();
    if (obstacle) return refused(*obstacle);
    return refuse(diagnose("composition.undecided",
                           "{}: division does not settle the mode {}, and its {} elements are too "
                           "many to try each (at most {})",
                           operands_.text(), mode_text(), extent_, kMaxElements)
                      .with_note(reason_));
  }

  Refusal past_64_bits_or_symbolic() const {
    if (is_constant(operands_.a)) return overflow(operands_);
    return undecided_symbolic(operands_, mode_text(), reason_);
  }

  Refusal refused(const form::Obstacle& obstacle) const {
    return refuse(Diagnostic("composition.no_layout", operands_.text() + " is not a layout")
                      .with_note(reason_)
                      .with_witness({operands_.coordinate_along(leaf_, obstacle.point),
                                     left_.text(obstacle.found), left_.text(obstacle.wanted),
                                     wanting(obstacle)}));
  }

  /// Names the layout that would need the wanted value: a mode that continues its first step, or
  /// any.
  [[nodiscard]] std::string wanting(const form::Obstacle& obstacle) const {
    const Vector first = *left_.evaluate(stride_);
    const std::optional<Stride> step = left_.stride(first);
    for (std::size_t axis = 0; axis < first.size(); ++axis) {
      if (!known_equal(Int(first[axis]) * obstacle.point, obstacle.wanted[axis])) return "a layout";
    }
    return step ? fmt::format("a mode {}:{}", extent_, *step) : "a layout";
  }

  Result<Image> image_of(const std::vector<form::Digit>& digits) const {
    Image image{{}, IntTuple::Leaves(left_.modes().size(), Int(0))};
    for (const form::Digit& digit : digits) {
      Vector step;
      for (const Int& on_axis : digit.stride) step.push_back(on_axis.value());
      const std::optional<Stride> stride = left_.stride(step);
      if (!stride) {
        return refuse("composition.two_axes",
                      "{}: a mode of {} steps of {} would be on two axes at once", operands_.text(),
                      digit.extent, left_.text(step));
      }
      image.modes.push_back({digit.extent, *stride});
    }
    for (std::int64_t n = 0; n < extent_; ++n) {
      Int rest = n * stride_;
      for (std::size_t i = 0; i < left_.modes().size(); ++i) {
        const bool last = i + 1 == left_.modes().size();
        image.digits[i] = max(image.digits[i], last ? rest : mod(rest, left_.modes()[i].extent));
        rest = floor_div(rest, left_.modes()[i].extent);
      }
    }
    return image;
  }

  const Operands& operands_;
  const Extension& left_;
  std::size_t leaf_;
  std::string reason_;
  std::int64_t extent_;
  Int stride_;
  bool overflow_ = false;
};

Result<Image> compose_leaf(const Operands& operands, const Extension& left, std::size_t leaf) {
  const Int& extent = operands.b.extents()[leaf];
  const Int& stride = operands.b.strides()[leaf].scale();
  if (known_equal(stride, 0)) {
    return Image{Modes(1, Mode{extent, Stride(0)}), IntTuple::Leaves(left.modes().size(), Int(0))};
  }
  if (known_equal(extent, 1)) {
    return Image{Modes(1, single(left, stride)), IntTuple::Leaves(left.modes().size(), Int(0))};
  }
  if (known_less(stride, 0)) {
    return refuse(
        diagnose(
            "composition.negative_coordinate",
            "{}: the mode {}:{} reaches coordinates below 0, where the left side has no elements",
            operands.text(), extent, stride)
            .with_witness({operands.coordinate_along(leaf, 1), to_string(stride), "", ""}));
  }
  Remainder remainder;
  if (std::optional<Image> image = divide(left, extent, stride, remainder)) {
    return *std::move(image);
  }
  if (remainder.needed) {
    Refusal refusal = needed(operands.text(), *remainder.needed);
    return refuse(std::move(refusal.value()).with_note(remainder.reason));
  }
  if (!extent.is_constant() || !stride.is_constant()) {
    return undecided_symbolic(operands, fmt::format("{}:{}", extent, stride), remainder.reason);
  }
  return Recovery(operands, left, leaf, std::move(remainder.reason)).run();
}

/// The leaves of B that go through one left-hand layout together.
class Together {
 public:
  Together(const Operands& operands, const Extension& left)
      : operands_(operands), left_(left), digits_(left.modes().size(), Int(0)) {}

  void add(std::size_t leaf, const Image& image) {
    // Leaves that stay at coordinate 0 carry nothing and would only cost time.
    const bool moves =
        !known_equal(operands_.b.extents()[leaf], 1) && !operands_.b.strides()[leaf].is_zero();
    if (moves) leaves_.push_back(leaf);
    for (std::size_t i = 0; i < digits_.size(); ++i) digits_[i] += image.digits[i];
  }

  /// Is A additive on the steps? Decided by digits if no mode of A carries, else by trying every
  /// coordinate.
  Result<void> check() const {
    if (leaves_.size() < 2) return {};
    const std::optional<std::size_t> carrying = first_carrying_mode();
    if (!carrying) return {};
    if (!is_constant(operands_.a) || !is_constant(operands_.b)) return symbolic_carry(*carrying);
    Int elements = 1;
    for (const std::size_t leaf : leaves_) elements *= operands_.b.extents()[leaf];
    const std::string note =
        fmt::format("the modes of the right side together carry past the left side's {} mode ({})",
                    ordinal(*carrying), left_.modes()[*carrying].extent);
    const bool all = known_at_most(elements, kMaxElements);
    HEDDLE_TRY(const bool additive, all ? try_every(note) : try_corners(note));
    if (additive && all) return {};
    return refuse(
        diagnose("composition.undecided",
                 "{}: digits may carry, and {} elements are too many to try each (at most {})",
                 operands_.text(), elements, kMaxElements)
            .with_note(note));
  }

 private:
  Refusal symbolic_carry(std::size_t mode) const {
    const Condition stays{digits_[mode], Predicate::kLess, left_.modes()[mode].extent};
    if (!known_false(stays)) return needed(operands_.text(), stays);
    return refuse(
        diagnose("composition.undecided", "{}: digits carry, and symbolic sizes cannot be tried",
                 operands_.text())
            .with_note(fmt::format("the modes of the right side together reach digit {} of the "
                                   "left side's {} mode ({})",
                                   digits_[mode], ordinal(mode), left_.modes()[mode].extent)));
  }

  [[nodiscard]] std::optional<std::size_t> first_carrying_mode() const {
    for (std::size_t i = 0; i + 1 < digits_.size(); ++i) {
      if (!known_less(digits_[i], left_.modes()[i].extent)) return i;
    }
    return std::nullopt;
  }

  /// One coordinate: digits[k] is the digit at leaves_[k].
  Result<void> confirm(const std::vector<std::int64_t>& digits, const std::string& note) const {
    Int coordinate = 0;
    std::vector<Int> sums(left_.axes(), Int(0));
    for (std::size_t k = 0; k < leaves_.size(); ++k) {
      const Int step = digits[k] * operands_.b.strides()[leaves_[k]].scale();
      coordinate += step;
      const std::optional<Vector> value = left_.evaluate(step);
      if (!value) return overflow(operands_);
      for (std::size_t axis = 0; axis < sums.size(); ++axis) sums[axis] += (*value)[axis];
    }
    const std::optional<Vector> found = left_.evaluate(coordinate);
    Vector wanted;
    for (const Int& sum : sums) {
      if (!sum.is_constant()) return overflow(operands_);
      wanted.push_back(sum.value());
    }
    if (!found) return overflow(operands_);
    if (*found == wanted) return {};
    IntTuple::Leaves all(operands_.b.extents().size(), Int(0));
    for (std::size_t k = 0; k < leaves_.size(); ++k) all[leaves_[k]] = digits[k];
    return refuse(Diagnostic("composition.no_layout", operands_.text() + " is not a layout")
                      .with_note(note)
                      .with_witness({operands_.coordinate(std::move(all)), left_.text(*found),
                                     left_.text(wanted), "the sum of its modes"}));
  }

  Result<bool> try_every(const std::string& note) const {
    std::vector<std::int64_t> digits(leaves_.size(), 0);
    while (true) {
      HEDDLE_CHECK(confirm(digits, note));
      std::size_t k = 0;
      for (; k < digits.size(); ++k) {
        if (++digits[k] < operands_.b.extents()[leaves_[k]].value()) break;
        digits[k] = 0;
      }
      if (k == digits.size()) return true;
    }
  }

  /// Tries the ends of every pair of modes, where digits that carry show first.
  Result<bool> try_corners(const std::string& note) const {
    const std::size_t count = std::min<std::size_t>(leaves_.size(), 64);
    for (std::size_t i = 0; i < count; ++i) {
      for (std::size_t j = i + 1; j < count; ++j) {
        std::vector<std::int64_t> digits(leaves_.size(), 0);
        digits[i] = operands_.b.extents()[leaves_[i]].value() - 1;
        for (const std::int64_t end :
             {std::int64_t{1}, operands_.b.extents()[leaves_[j]].value() - 1}) {
          digits[j] = end;
          HEDDLE_CHECK(confirm(digits, note));
        }
      }
    }
    return false;
  }

  const Operands& operands_;
  const Extension& left_;
  InlineVector<std::size_t, kInlineLeaves> leaves_;
  /// The greatest digit that all leaves together add up to in each mode of A.
  IntTuple::Leaves digits_;
};

using Images = InlineVector<Modes, kInlineLeaves>;
using Numbers = InlineVector<std::size_t, kInlineLeaves>;

Numbers all_numbers(std::size_t count) {
  Numbers numbers(count);
  std::iota(numbers.begin(), numbers.end(), std::size_t{0});
  return numbers;
}

/// Takes the named leaves of B through `part` of A and writes their modes into `images`.
Result<void> compose_leaves(const Operands& operands, const Layout& part, const Numbers& leaves,
                            Images& images) {
  const Extension left(part);
  Together together(operands, left);
  for (const std::size_t leaf : leaves) {
    HEDDLE_TRY(Image image, compose_leaf(operands, left, leaf));
    const auto past_64_bits = [](const Mode& mode) { return !mode.stride.scale().is_defined(); };
    if (std::ranges::any_of(image.modes, past_64_bits)) return overflow(operands);
    together.add(leaf, image);
    images[leaf] = std::move(image.modes);
  }
  return together.check();
}

/// The part of A in which steps along `basis` move: all of A for plain integers, else one of its
/// modes.
Result<Layout> part_of(const Operands& operands, const Basis& basis) {
  std::vector<std::size_t> path;
  for (std::size_t level = 0; level < basis.length(); ++level) path.push_back(basis[level]);
  Result<Layout> part = get(operands.a, path);
  if (part) return part;
  return refuse(
      diagnose(
          "composition.basis",
          "{}: the right side has a stride along axis {}, a mode that the left side does not have",
          operands.text(), basis.axis().name())
          .with_note(part.error().message()));
}

}  // namespace

Result<Layout> composition(const Layout& a, const Layout& b) {
  if (const auto result = constant::composition(a, b)) return layout_of(*result);
  const Operands operands{a, b};
  // A leaf of one element does not move, whichever mode of A its stride names.
  Images images(b.extents().size(), Modes(1, Mode{1, 0}));
  const auto along_integers = [](const Stride& stride) { return stride.basis().empty(); };
  if (std::ranges::all_of(b.strides(), along_integers)) {
    HEDDLE_CHECK(compose_leaves(operands, a, all_numbers(images.size()), images));
    return replace_leaves(b.profile(), images);
  }
  std::map<Basis, Numbers> leaves_along;
  for (std::size_t leaf = 0; leaf < b.extents().size(); ++leaf) {
    const Basis& basis = b.strides()[leaf].basis();
    if (basis.empty() || !known_equal(b.extents()[leaf], 1)) leaves_along[basis].push_back(leaf);
  }
  for (const auto& [basis, leaves] : leaves_along) {
    HEDDLE_TRY(const Layout part, part_of(operands, basis));
    HEDDLE_CHECK(compose_leaves(operands, part, leaves, images));
  }
  return replace_leaves(b.profile(), images);
}

Result<Layout> composition(const Layout& a, const Tiler& tiler) {
  if (const auto result = constant::composition(a, tiler)) return constant::layout_of(*result);
  if (tiler.is_leaf()) {
    const Tile& tile = tiler.leaf();
    if (tile.is_underscore()) return a;
    if (const Layout* layout = tile.layout()) return composition(a, *layout);
    HEDDLE_TRY(const Layout first, make_layout(IntTuple(*tile.size()), StrideTuple(1)));
    return composition(a, first);
  }
  if (tiler.rank() > a.rank()) {
    return refuse("tiler.rank", "the tiler {} has {} for the {} modes of {}", to_string(tiler),
                  counted(tiler.rank(), "tile"), a.rank(), a);
  }
  const std::vector<Layout> modes = a.modes();
  std::vector<Layout> results;
  for (const TilerView tile : tiler.view().modes()) {
    const std::size_t index = results.size();
    HEDDLE_TRY(Layout result, with_note(composition(modes[index], Tiler(tile)),
                                        [&] { return fmt::format("in mode {}", index); }));
    results.push_back(std::move(result));
  }
  return make_layout(results);
}

Result<std::vector<IntTuple>> domain_overflow(const Layout& a, const Layout& b, std::size_t limit) {
  constexpr std::int64_t kMaxEnumerated = std::int64_t{1} << 24;
  const Operands operands{a, b};
  // For each basis, the number of coordinates that A has along it.
  std::map<Basis, Int> room;
  std::map<Basis, Int> reach;
  for (const Mode& mode : leaves(b)) {
    if (mode.stride.is_zero()) continue;
    const Basis& basis = mode.stride.basis();
    if (!room.contains(basis)) {
      HEDDLE_TRY(const Layout part, part_of(operands, basis));
      room[basis] = part.size();
    }
    reach[basis] += (mode.extent - 1) * abs(mode.stride.scale());
  }
  const bool inside = std::ranges::all_of(
      room, [&](const auto& entry) { return known_less(reach[entry.first], entry.second); });
  const bool forward = std::ranges::none_of(
      leaves(b), [](const Mode& mode) { return known_less(mode.stride.scale(), 0); });
  if (inside && forward) return std::vector<IntTuple>{};
  if (!is_constant(a) || !is_constant(b)) {
    for (const auto& [basis, extent] : room) {
      const Condition within{reach[basis], Predicate::kLess, extent};
      if (!known(within)) return needed("domain_overflow of " + operands.text(), within);
    }
    return refuse("composition.undecided",
                  "domain_overflow of {}: symbolic coordinates cannot be listed", operands.text());
  }
  if (!known_at_most(b.size() * b.extents().size(), kMaxEnumerated)) {
    return refuse("domain_overflow.too_large",
                  "{}: some coordinates of the right side leave the left one, but its {} elements "
                  "are too many to list them",
                  operands.text(), b.size());
  }
  std::vector<IntTuple> outside;
  for_each_coordinate(b.shape(), [&](const IntTuple& coordinate) {
    std::map<Basis, Int> at;
    for (std::size_t i = 0; i < b.strides().size(); ++i) {
      at[b.strides()[i].basis()] += coordinate.leaves()[i] * b.strides()[i].scale();
    }
    for (const auto& [basis, extent] : room) {
      if (known_at_most(0, at[basis]) && known_less(at[basis], extent)) continue;
      outside.push_back(coordinate);
      break;
    }
    return outside.size() < limit;
  });
  return outside;
}

}  // namespace heddle::cute
