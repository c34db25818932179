#include "heddle/cute/equality.h"

#include <algorithm>
#include <optional>

#include "core/bits.h"
#include "cute/layout/format.h"
#include "cute/layout/modes.h"
#include "heddle/cute/instantiate.h"
#include "heddle/cute/int_tuple.h"
#include "heddle/expr/proof.h"
#include "heddle/form/bit_matrix.h"
#include "heddle/form/recover.h"

namespace heddle::cute {
namespace {

constexpr std::int64_t kMaxEvaluated = form::kMaxVerified;

/// Compares coordinates of a tensor, from which trailing coordinates that are always 0 are left
/// out.
bool are_equal_values(const IntTuple& a, const IntTuple& b) {
  if (a.depth() != 1 || b.depth() != 1) return a == b;
  const auto leaf = [](const IntTuple& tuple, std::size_t i) {
    return i < tuple.leaves().size() ? tuple.leaves()[i] : Int(0);
  };
  for (std::size_t i = 0; i < std::max(a.leaves().size(), b.leaves().size()); ++i) {
    if (!(leaf(a, i) == leaf(b, i))) return false;
  }
  return true;
}

Result<IntTuple> value_at(const AnyLayout& layout, std::int64_t coordinate) {
  return evaluate(layout, Coordinate(Index(coordinate)));
}

/// The value at a coordinate, or why there is none.
std::string text_at(const AnyLayout& layout, std::int64_t coordinate) {
  const Result<IntTuple> value = value_at(layout, coordinate);
  return value ? fmt::format("{}", *value) : value.error().message();
}

std::optional<NamedNumbers> numbers_of(const IntTuple& tuple) {
  NamedNumbers all;
  for (const Int& leaf : tuple.leaves()) {
    if (!leaf.is_constant()) return std::nullopt;
    all.numbers.push_back(leaf.value());
  }
  return all;
}

std::optional<WitnessNumbers::Images> numbers_at(const AnyLayout& layout, std::int64_t coordinate) {
  const Result<IntTuple> value = value_at(layout, coordinate);
  const auto numbers = value ? numbers_of(*value) : std::nullopt;
  if (!numbers) return std::nullopt;
  return WitnessNumbers::Images{*numbers};
}

Result<AnyLayout> instantiated(const AnyLayout& layout, const Bindings& values) {
  const auto visit = [&](const auto& any) -> Result<AnyLayout> {
    HEDDLE_TRY(auto made, instantiate(any, values));
    return AnyLayout(std::move(made));
  };
  return std::visit(visit, layout);
}

AnyLayout flattened(const AnyLayout& layout) {
  const auto* composed = std::get_if<ComposedLayout>(&layout);
  if (composed == nullptr) return coalesce(std::get<Layout>(layout));
  return *map_layout(*composed, [](const Layout& plain) { return coalesce(plain); });
}

constexpr std::size_t kAddressBits = 64;

bool is_power_of_two(const Int& n) { return n.is_constant() && heddle::is_power_of_two(n.value()); }

std::optional<form::BitMatrix> bit_form_of(const Layout& layout) {
  if (!layout.is_integral()) return std::nullopt;
  std::vector<std::uint64_t> columns;
  std::uint64_t used = 0;
  for (const Mode& mode : leaves(layout)) {
    if (!is_power_of_two(mode.extent)) return std::nullopt;
    if (!mode.stride.is_zero() && !is_power_of_two(mode.stride.scale())) return std::nullopt;
    for (std::int64_t digit = 1; digit < mode.extent.value(); digit *= 2) {
      const auto bit = static_cast<std::uint64_t>(digit * mode.stride.scale().value());
      if ((used & bit) != 0) return std::nullopt;
      used |= bit;
      columns.push_back(bit);
    }
  }
  return form::BitMatrix(kAddressBits, std::move(columns));
}

/// The layout as a matrix over GF(2), from the bits of the flat coordinate to the bits of the
/// index, in which swizzles are linear too; nullopt unless all extents and strides are powers of
/// two (or 0) whose bits do not overlap, and no offset is added.
///
///   (2,4):(4,1)      bit 0 of the coordinate is bit 2 of the index, bits 1 and 2 are bits 0 and 1
std::optional<form::BitMatrix> bit_form(const AnyLayout& layout) {
  if (const Layout* plain = std::get_if<Layout>(&layout)) return bit_form_of(*plain);
  const ComposedLayout& composed = std::get<ComposedLayout>(layout);
  if (composed.outer() != nullptr || !known_equal(composed.offset().leaf(), 0)) return std::nullopt;
  const auto inner = bit_form_of(composed.layout());
  if (!inner) return std::nullopt;
  std::vector<std::uint64_t> columns;
  for (const std::uint64_t column : inner->columns()) {
    columns.push_back(
        static_cast<std::uint64_t>(composed.swizzle()(static_cast<std::int64_t>(column))));
  }
  return form::BitMatrix(kAddressBits, std::move(columns));
}

/// Two maps of one size, and how their coordinates are named in a counterexample.
class EqualityDecision {
 public:
  EqualityDecision(const AnyLayout& a, const AnyLayout& b)
      : a_(a),
        b_(b),
        flat_a_(flattened(a)),
        flat_b_(flattened(b)),
        size_(inner_layout(a).size()),
        shape_(product_each(inner_layout(a).shape())),
        alike_(shape_ == product_each(inner_layout(b).shape())) {}

  [[nodiscard]] Verdict decide() const {
    if (const auto verdict = by_digits()) return with_remark(*verdict);
    if (const auto verdict = by_bits()) return with_remark(*verdict);
    if (!is_constant_pair()) {
      if (a_ == b_) return Verdict::yes("the same layout");
      if (const auto verdict = by_samples()) return with_remark(*verdict);
      return Verdict::unknown("the sizes are symbolic, and the digits are not known to differ");
    }
    if (known_at_most(size_, kMaxEvaluated)) return with_remark(by_evaluation());
    return Verdict::unknown(
        fmt::format("{} coordinates are too many to try each, and no normal form applies", size_));
  }

 private:
  [[nodiscard]] bool is_constant_pair() const { return is_constant(a_) && is_constant(b_); }

  [[nodiscard]] bool differ_at(std::int64_t coordinate) const {
    const Result<IntTuple> left = value_at(flat_a_, coordinate);
    const Result<IntTuple> right = value_at(flat_b_, coordinate);
    return !left || !right || !are_equal_values(*left, *right);
  }

  [[nodiscard]] Witness witness(std::int64_t coordinate) const {
    Witness witness{std::to_string(coordinate), text_at(a_, coordinate), text_at(b_, coordinate)};
    WitnessNumbers::Point point{{{coordinate}, {}}, coordinate};
    if (alike_ && shape_.rank() > 1) {
      const IntTuple digits = idx2crd(IntTuple(Int(coordinate)), shape_).value();
      witness.coordinate += fmt::format(" = {}", digits);
      point.coordinate = numbers_of(digits).value_or(point.coordinate);
    }
    witness.numbers = WitnessNumbers{
        std::move(point), numbers_at(a_, coordinate), numbers_at(b_, coordinate), {}, {}};
    return witness;
  }

  /// The first coordinate that differs among those that are tried: all, or only those where a mode
  /// of either layout begins.
  [[nodiscard]] std::optional<std::int64_t> difference() const {
    for (std::int64_t c = 0; c < std::min(size_.value(), kMaxEvaluated); ++c) {
      if (differ_at(c)) return c;
    }
    for (const Layout* layout : {&inner_layout(a_), &inner_layout(b_)}) {
      Int begin = 1;
      for (const Int& extent : layout->extents()) {
        for (const Int& c : {begin, begin * (extent - 1)}) {
          if (known_less(c, size_) && differ_at(c.value())) return c.value();
        }
        begin *= extent;
      }
    }
    return std::nullopt;
  }

  [[nodiscard]] std::optional<Verdict> by_digits() const {
    const Layout* left = std::get_if<Layout>(&a_);
    const Layout* right = std::get_if<Layout>(&b_);
    if (left == nullptr || right == nullptr) return std::nullopt;
    if (digit_form(*left) == digit_form(*right)) return Verdict::yes("digit form");
    if (!is_constant_pair()) return std::nullopt;
    const auto where = difference();
    return Verdict::no("digit form", where ? std::optional(witness(*where)) : std::nullopt);
  }

  [[nodiscard]] std::optional<Verdict> by_bits() const {
    const auto left = bit_form(a_);
    const auto right = bit_form(b_);
    if (!left || !right) return std::nullopt;
    if (*left == *right) return Verdict::yes("GF(2) form");
    // Below the first bit that differs all coordinates agree, so it is the first counterexample.
    const auto at = std::ranges::mismatch(left->columns(), right->columns()).in1;
    const auto bit = static_cast<std::size_t>(at - left->columns().begin());
    return Verdict::no("GF(2) form", witness(std::int64_t{1} << bit));
  }

  /// Tries numbers for the symbols, to find values at which the two differ.
  [[nodiscard]] std::optional<Verdict> by_samples() const {
    constexpr std::size_t kMaxSamples = 64;
    std::vector<Int> numbers;
    for (const AnyLayout* side : {&a_, &b_}) {
      const std::vector<Int> of_side = integers(*side);
      numbers.insert(numbers.end(), of_side.begin(), of_side.end());
    }
    for (const Bindings& values : samples(numbers, kMaxSamples)) {
      const Result<AnyLayout> left = instantiated(a_, values);
      const Result<AnyLayout> right = instantiated(b_, values);
      if (!left || !right || !known_at_most(inner_layout(*left).size(), kMaxEvaluated)) continue;
      const Verdict verdict = equal(*left, *right);
      if (!verdict.is_no() || !verdict.counterexample()) continue;
      return Verdict::no("values tried", where(*verdict.counterexample(), values));
    }
    return std::nullopt;
  }

  [[nodiscard]] Verdict by_evaluation() const {
    for (std::int64_t c = 0; c < size_.value(); ++c) {
      if (differ_at(c)) return Verdict::no("evaluation", witness(c));
    }
    return Verdict::yes(fmt::format("evaluated all {} coordinates", size_));
  }

  [[nodiscard]] Verdict with_remark(Verdict verdict) const {
    if (alike_) return verdict;
    return std::move(verdict).with_remark(fmt::format(
        "compared by flat coordinate: {} and {}", shape_, product_each(inner_layout(b_).shape())));
  }

  const AnyLayout& a_;
  const AnyLayout& b_;
  /// The same maps with as few modes as possible.
  AnyLayout flat_a_;
  AnyLayout flat_b_;
  Int size_;
  IntTuple shape_;
  bool alike_;
};

}  // namespace

Verdict equal(const AnyLayout& a, const AnyLayout& b) {
  const Int left = inner_layout(a).size();
  const Int right = inner_layout(b).size();
  const Condition same_size{left, Predicate::kEqual, right};
  if (left.is_constant() && right.is_constant() ? left != right : known_false(same_size)) {
    return Verdict::no(fmt::format("the sizes differ: {} and {}", left, right));
  }
  if (!known(same_size)) {
    if (Verdict verdict = prove(same_size); verdict.is_no()) {
      return Verdict::no(fmt::format("the sizes differ: {} and {}", left, right),
                         verdict.counterexample());
    }
    return Verdict::unknown(fmt::format("the sizes may differ: {} and {}", left, right));
  }
  return EqualityDecision(a, b).decide();
}

}  // namespace heddle::cute
