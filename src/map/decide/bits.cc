// Decisions by bits: maps that are affine over GF(2), f(x) = M x xor o, whatever their size.
//
//   equal              the columns are alike; else the first point that differs is the first bit
//                      whose columns do
//   injective          no column is an XOR of columns before it; else that bit and those are the
//                      smallest pair
//   onto, covers       spans of columns
//   within             the largest XOR of columns, bit by bit from the top

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "core/bits.h"
#include "heddle/form/subspace.h"
#include "map/decide/methods.h"
#include "map/view/shown_digits.h"

namespace heddle::map {
namespace {

constexpr const char* kBitForm = "GF(2) form";

using BitWord = std::uint64_t;

/// The same words, with fields of other widths that can hold them.
BitView widened(const BitView& bits, std::span<const int> widths) {
  const auto wide = [&](BitWord word) {
    BitWord result = 0;
    int begin = 0;
    const std::vector<std::int64_t> image = unpacked(bits, word);
    for (std::size_t axis = 0; axis < image.size(); ++axis) {
      if (begin < 64) result |= static_cast<BitWord>(image[axis]) << begin;
      begin += widths[axis];
    }
    return result;
  };
  BitView result;
  std::vector<BitWord> columns;
  for (const BitWord column : bits.matrix.columns()) columns.push_back(wide(column));
  result.matrix = form::BitMatrix(64, std::move(columns));
  result.widths.assign(widths.begin(), widths.end());
  result.offset = wide(bits.offset);
  return result;
}

struct BitPair {
  BitView a;
  BitView b;
};

/// nullopt if the fields of both, taken at the larger widths, do not fit one word.
std::optional<BitPair> widened(const BitView& a, const BitView& b) {
  std::vector<int> widths;
  int total = 0;
  for (std::size_t axis = 0; axis < a.widths.size(); ++axis) {
    widths.push_back(std::max(a.widths[axis], b.widths[axis]));
    total += widths.back();
  }
  if (total > 64) return std::nullopt;
  return BitPair{widened(a, widths), widened(b, widths)};
}

std::int64_t point_of_bit(std::size_t bit) { return std::int64_t{1} << bit; }

Verdict equal_by_bits(const Claim& claim) {
  const auto pair = widened(*claim.a.bits, *claim.b->bits);
  if (!pair) return Verdict::unknown("more than 64 bits");
  if (pair->a.offset != pair->b.offset) return Verdict::no(kBitForm, difference_at(claim, 0));
  const auto left = pair->a.matrix.columns();
  const auto right = pair->b.matrix.columns();
  for (std::size_t bit = 0; bit < left.size(); ++bit) {
    // Below the first bit that differs all points agree.
    if (left[bit] == right[bit]) continue;
    return Verdict::no(kBitForm, difference_at(claim, point_of_bit(bit)));
  }
  return Verdict::yes(kBitForm);
}

Verdict injective_by_bits(const FlatMap& map) {
  form::Subspace before;
  const auto columns = map.bits->matrix.columns();
  for (std::size_t bit = 0; bit < columns.size(); ++bit) {
    if (before.insert(columns[bit], BitWord{1} << bit)) continue;
    const BitWord same = *before.express(columns[bit]);
    return Verdict::no(kBitForm,
                       collision_at(map, point_of_bit(bit), map, static_cast<std::int64_t>(same)));
  }
  return Verdict::yes(kBitForm);
}

// ---- Ranges ----

/// The largest number that the field has among all images, or the least.
BitWord extreme(std::span<const BitWord> columns, BitWord offset, bool largest) {
  const form::Subspace space(columns);
  BitWord word = space.reduce(offset);
  if (!largest) return word;
  for (const BitWord vector : space.basis()) word = std::max(word, word ^ vector);
  return word;
}

/// One field of the map, as a map of numbers.
struct Field {
  std::vector<BitWord> columns;
  BitWord offset = 0;

  [[nodiscard]] BitWord low() const { return extreme(columns, offset, false); }
  [[nodiscard]] BitWord high() const { return extreme(columns, offset, true); }
};

Field field_of(const BitView& bits, std::size_t axis) {
  int begin = 0;
  for (std::size_t i = 0; i < axis; ++i) begin += bits.widths[i];
  const auto cut = [&](BitWord word) {
    return begin >= 64 ? BitWord{0} : word >> begin & low_bits(bits.widths[axis]);
  };
  Field field;
  for (const BitWord column : bits.matrix.columns()) field.columns.push_back(cut(column));
  field.offset = cut(bits.offset);
  return field;
}

/// The smallest point whose number is at least `bound`, or at most `bound`; one must exist.
std::int64_t first_beyond(Field field, BitWord bound, bool above) {
  std::int64_t point = 0;
  const auto reaches = [&] { return above ? field.high() >= bound : field.low() <= bound; };
  while (!field.columns.empty()) {
    const BitWord column = field.columns.back();
    field.columns.pop_back();
    if (reaches()) continue;
    point |= point_of_bit(field.columns.size());
    field.offset ^= column;
  }
  return point;
}

Verdict within_by_bits(const FlatMap& map, const Int& low, const Int& high) {
  if (!low.is_constant() || !high.is_constant()) return Verdict::unknown("the limits are symbolic");
  std::optional<std::int64_t> first;
  std::string wanted;
  const auto note = [&](std::int64_t point, std::string text) {
    if (first && *first <= point) return;
    first = point;
    wanted = std::move(text);
  };
  for (std::size_t axis = 0; axis < map.axes.size(); ++axis) {
    const Field field = field_of(*map.bits, axis);
    const auto least = static_cast<std::int64_t>(field.low());
    const auto greatest = static_cast<std::int64_t>(field.high());
    if (greatest >= high.value()) {
      const auto bound = static_cast<BitWord>(std::max<std::int64_t>(high.value(), 0));
      note(first_beyond(field, bound, true), below_text(high));
    }
    if (least < low.value()) {
      note(first_beyond(field, static_cast<BitWord>(low.value() - 1), false),
           fmt::format("at least {}", low.value()));
    }
  }
  if (!first) return Verdict::yes(kBitForm);
  return Verdict::no(kBitForm, outside_at(map, *first, std::move(wanted)));
}

// ---- Images ----

/// The least number that is no image: 0, or if the images form a space, a single bit.
BitWord first_missing(const form::Subspace& space, BitWord offset) {
  if (!space.contains(offset)) return 0;
  BitWord missing = 1;
  while (space.contains(missing)) missing *= 2;
  return missing;
}

Verdict onto_by_bits(const Claim& claim) {
  const FlatMap& map = claim.a;
  if (!std::ranges::all_of(claim.sizes, &Int::is_constant)) {
    return Verdict::unknown("the box is symbolic");
  }
  std::optional<std::int64_t> outside;
  std::string wanted;
  std::vector<int> widths;
  int rows = 0;
  for (std::size_t axis = 0; axis < claim.sizes.size(); ++axis) {
    const std::int64_t size = claim.sizes[axis].value();
    const Field field = field_of(*map.bits, axis);
    widths.push_back(static_cast<int>(std::bit_width(static_cast<BitWord>(size - 1))));
    rows += widths.back();
    if (static_cast<std::int64_t>(field.high()) < size) continue;
    const std::int64_t point = first_beyond(field, static_cast<BitWord>(size), true);
    if (outside && *outside <= point) continue;
    outside = point;
    wanted = fmt::format("at most {}", size - 1);
  }
  if (outside) return Verdict::no(kBitForm, outside_at(map, *outside, std::move(wanted)));
  if (rows > 63) return Verdict::unknown("more than 63 bits");
  for (std::size_t axis = 0; axis < claim.sizes.size(); ++axis) {
    if (is_power_of_two(claim.sizes[axis].value())) continue;
    // There are as many images as a power of two, and all are below the size.
    const Field field = field_of(*map.bits, axis);
    std::vector<std::int64_t> missing(claim.sizes.size(), 0);
    missing[axis] =
        static_cast<std::int64_t>(first_missing(form::Subspace(field.columns), field.offset));
    return Verdict::no(kBitForm, not_met(missing));
  }
  const BitView bits = widened(*map.bits, widths);
  const form::Subspace space(bits.matrix.columns());
  if (space.dimension() == static_cast<std::size_t>(rows)) return Verdict::yes(kBitForm);
  return Verdict::no(kBitForm, not_met(unpacked(bits, first_missing(space, bits.offset))));
}

/// Decides whether the images form an interval and each is reached once.
Verdict contiguous_by_bits(const FlatMap& map) {
  if (map.axes.size() != 1) return Verdict::unknown("the images are on several axes");
  Verdict injective = injective_by_bits(map);
  if (!injective.is_yes()) return injective;
  const Field field = field_of(*map.bits, 0);
  const BitWord low = field.low();
  // In order, the images are low xor the XORs of the basis, counted in binary.
  BitWord count = 1;
  for (const BitWord vector : form::Subspace(field.columns).basis()) {
    if ((low ^ vector) != low + count) {
      return Verdict::no(kBitForm, not_met(std::vector{static_cast<std::int64_t>(low + count)}));
    }
    count *= 2;
  }
  return Verdict::yes(kBitForm);
}

Verdict disjoint_by_bits(const Claim& claim) {
  const auto pair = widened(*claim.a.bits, *claim.b->bits);
  if (!pair) return Verdict::unknown("more than 64 bits");
  const auto left = pair->a.matrix.columns();
  const auto right = pair->b.matrix.columns();
  // a's word expressed by its lowest columns, with the difference made up by those of b.
  BitWord target = pair->a.offset ^ pair->b.offset;
  std::int64_t x = 0;
  std::size_t end = left.size() + 1;
  while (true) {
    form::Subspace others;
    for (std::size_t bit = 0; bit < right.size(); ++bit)
      others.insert(right[bit], BitWord{1} << bit);
    std::size_t top = 0;
    while (!others.contains(target) && top + 1 < end) others.insert(left[top++], 0);
    if (!others.contains(target)) return Verdict::yes(kBitForm);
    if (top == 0) {
      return Verdict::no(
          kBitForm,
          collision_at(claim.a, x, *claim.b, static_cast<std::int64_t>(*others.express(target))));
    }
    x |= point_of_bit(top - 1);
    target ^= left[top - 1];
    end = top;
  }
}

/// Decides whether the spaces of both sides have 0 alone in common: the first column of `a` that is
/// a sum of those before it and of some of b, and no sum of those before it alone.
Verdict meet_at_zero_by_bits(const Claim& claim) {
  const auto pair = widened(*claim.a.bits, *claim.b->bits);
  if (!pair) return Verdict::unknown("more than 64 bits");
  if (pair->a.offset != 0 || pair->b.offset != 0) return Verdict::unknown("a side has an offset");
  const auto left = pair->a.matrix.columns();
  const auto right = pair->b.matrix.columns();
  form::Subspace both;
  form::Subspace other;
  for (std::size_t bit = 0; bit < right.size(); ++bit) {
    both.insert(right[bit], 0);
    other.insert(right[bit], BitWord{1} << bit);
  }
  for (std::size_t bit = 0; bit < left.size(); ++bit) {
    if (both.insert(left[bit], BitWord{1} << bit)) continue;
    const BitWord x = *both.express(left[bit]) | BitWord{1} << bit;
    const BitWord image = pair->a.matrix(x);
    if (image == 0) continue;
    return Verdict::no(kBitForm, collision_at(claim.a, static_cast<std::int64_t>(x), *claim.b,
                                              static_cast<std::int64_t>(*other.express(image))));
  }
  return Verdict::yes(kBitForm);
}

/// Decides whether every image of b is an image of a.
Verdict covers_by_bits(const Claim& claim) {
  const auto pair = widened(*claim.a.bits, *claim.b->bits);
  if (!pair) return Verdict::unknown("more than 64 bits");
  const form::Subspace space(pair->a.matrix.columns());
  const auto no_at = [&](std::int64_t flat) {
    return Verdict::no(kBitForm, outside_at(*claim.b, flat, "no image of the first"));
  };
  if (!space.contains(pair->a.offset ^ pair->b.offset)) return no_at(0);
  const auto columns = pair->b.matrix.columns();
  for (std::size_t bit = 0; bit < columns.size(); ++bit) {
    if (!space.contains(columns[bit])) return no_at(point_of_bit(bit));
  }
  return Verdict::yes(kBitForm);
}

Verdict involution_by_bits(const FlatMap& map) {
  if (map.axes.size() > 1) return Verdict::unknown("the images are on several axes");
  Verdict within = within_by_bits(map, 0, map.points);
  if (within.is_no() && map.is_constant()) return first_not_restored(map, std::move(within));
  if (!within.is_yes()) return within;
  const BitView& bits = *map.bits;
  const auto f = [&](BitWord word) { return bits.matrix(word) ^ bits.offset; };
  if (f(f(0)) != 0) return Verdict::no(kBitForm, not_restored_at(map, 0));
  for (std::size_t bit = 0; bit < bits.matrix.columns().size(); ++bit) {
    if (f(f(BitWord{1} << bit)) == BitWord{1} << bit) continue;
    return Verdict::no(kBitForm, not_restored_at(map, point_of_bit(bit)));
  }
  return Verdict::yes(kBitForm);
}

}  // namespace

Verdict by_bits(const Claim& claim) {
  if (!claim.a.bits || (claim.b && !claim.b->bits)) {
    return Verdict::unknown("a side is not known to be affine over bits");
  }
  switch (claim.question) {
    case Question::kEqual:
      return equal_by_bits(claim);
    case Question::kInjective:
      return injective_by_bits(claim.a);
    case Question::kOnto:
      return onto_by_bits(claim);
    case Question::kContiguous:
      return contiguous_by_bits(claim.a);
    case Question::kDisjoint:
      return disjoint_by_bits(claim);
    case Question::kMeetAtZero:
      return meet_at_zero_by_bits(claim);
    case Question::kCovers:
      return covers_by_bits(claim);
    case Question::kWithin:
      return within_by_bits(claim.a, claim.low, claim.high);
    case Question::kInvolution:
      return involution_by_bits(claim.a);
  }
  return Verdict::unknown("");
}

}  // namespace heddle::map
