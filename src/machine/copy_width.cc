#include "heddle/machine/copy_width.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>
#include <variant>

#include "core/bits.h"
#include "core/format.h"
#include "core/text.h"
#include "expr/assume_needed.h"
#include "expr/format.h"
#include "heddle/core/exact.h"
#include "heddle/cute/inverse.h"
#include "heddle/form/index_map.h"

namespace heddle::machine {
namespace {

using cute::AnyLayout;

Result<void> check_bits(std::int64_t element_bits, std::int64_t max_bits) {
  constexpr std::int64_t kMaxElementBits = std::int64_t{1} << 20;
  if (element_bits < 1 || element_bits > kMaxElementBits) {
    return refuse("copy.bits", "elements of {} bits; they have 1 to {}", element_bits,
                  kMaxElementBits);
  }
  if (is_power_of_two(max_bits) && max_bits >= 8 && max_bits <= kMaxElementBits) return {};
  return refuse("copy.bits", "at most {} bits at a time; that is a power of two from 8 on",
                max_bits);
}

Result<void> check_sizes(const AnyLayout& a, const AnyLayout& b) {
  if (known_equal(cute::size(a), cute::size(b))) return {};
  return refuse("copy.sizes", "{} has {} and {} has {}; a copy moves each to one",
                cute::to_string(a), counted(cute::size(a), "element"), cute::to_string(b),
                cute::size(b));
}

Result<std::int64_t> alignment_of(const AnyLayout& layout) {
  HEDDLE_TRY(const Int alignment,
             std::visit([](const auto& any) { return cute::max_alignment(any); }, layout));
  return alignment.value();
}

Result<void> check_constant(const AnyLayout& layout) {
  const auto is_constant = [](const Int& integer) { return integer.is_constant(); };
  const std::vector<Int> numbers = cute::integers(layout);
  if (std::ranges::all_of(numbers, is_constant)) return {};
  return refuse(
      diagnose("copy.symbolic", "{} has sizes that are not known", cute::to_string(layout))
          .with_hint(value_hint(numbers)));
}

/// The first coordinate that is `common` places after the beginning in one of the layouts only.
std::optional<std::string> first_difference(const AnyLayout& a, const AnyLayout& b,
                                            std::int64_t common) {
  constexpr std::int64_t kMaxSearch = std::int64_t{1} << 14;
  const std::int64_t size = cute::size(a).value();
  if (size > kMaxSearch) return std::nullopt;
  const form::IndexMap map_a = cute::index_map(a);
  const form::IndexMap map_b = cute::index_map(b);
  const auto place = [](const form::IndexMap& map, std::int64_t flat) {
    return (map.at(flat).front() - map.at(0).front()).value();
  };
  for (std::int64_t flat = 0; flat < size; ++flat) {
    const std::int64_t in_a = place(map_a, flat);
    const std::int64_t in_b = place(map_b, flat);
    if (in_a == in_b || (in_a != common && in_b != common)) continue;
    return fmt::format("({}) is at {} in a and at {} in b", fmt::join(map_a.indices(flat), ","),
                       in_a, in_b);
  }
  return std::nullopt;
}

std::string common_limit(const AnyLayout& a, const AnyLayout& b, std::int64_t common) {
  if (common == cute::size(a).value())
    return fmt::format("there are only {}", counted(common, "element"));
  if (const auto difference = first_difference(a, b, common)) return *difference;
  return fmt::format("no coordinate is {} after the first in both", counted(common, "element"));
}

/// What stands in the way of accesses of `bits`.
std::vector<std::string> limits_of(const CopyWidth& width, std::int64_t bits, std::int64_t max_bits,
                                   const AnyLayout& a, const AnyLayout& b) {
  if (bits > max_bits) return {fmt::format("{} bits are the most at a time", max_bits)};
  std::vector<std::string> limits;
  if (width.common * width.element_bits % bits != 0) {
    limits.push_back(common_limit(a, b, width.common));
  }
  const auto check = [&](std::string_view name, std::int64_t alignment) {
    if (alignment * width.element_bits % bits == 0) return;
    limits.push_back(
        fmt::format("{} is aligned to {} bits only", name, alignment * width.element_bits));
  };
  check("a", width.alignment_a);
  check("b", width.alignment_b);
  return limits;
}

}  // namespace

Result<CopyWidth> copy_width(const AnyLayout& a, const AnyLayout& b, std::int64_t element_bits,
                             std::int64_t max_bits) {
  HEDDLE_CHECK(check_bits(element_bits, max_bits));
  HEDDLE_CHECK(check_constant(a));
  HEDDLE_CHECK(check_constant(b));
  HEDDLE_CHECK(check_sizes(a, b));
  CopyWidth width{.element_bits = element_bits, .vector_bits = element_bits};
  HEDDLE_TRY(const Int common, cute::max_common_vector(a, b));
  width.common = common.value();
  HEDDLE_TRY(width.alignment_a, alignment_of(a));
  HEDDLE_TRY(width.alignment_b, alignment_of(b));
  for (const std::int64_t elements : {width.common, width.alignment_a, width.alignment_b}) {
    if (exact::multiply(elements, element_bits)) continue;
    return refuse("overflow", "{} of {} bits: the bits do not fit into 64 bits",
                  counted(elements, "element"), element_bits);
  }
  const std::int64_t aligned =
      std::gcd(std::gcd(width.alignment_a, width.alignment_b), width.common);
  const std::int64_t bits = std::gcd(aligned * element_bits, max_bits);
  // Only accesses of whole bytes that are wider than an element pay.
  if (bits % 8 == 0 && bits > element_bits) width.vector_bits = bits;
  width.limits = limits_of(width, std::max<std::int64_t>(8, 2 * bits), max_bits, a, b);
  return width;
}

std::string to_string(const CopyWidth& width) {
  const std::int64_t elements = width.elements();
  std::string text = fmt::format(
      "{} element{} of {} bits, {} bits at a time\n"
      "  common     {} element{} contiguous and in the same order in both\n"
      "  aligned    a to {} bits, b to {} bits",
      elements, elements == 1 ? "" : "s", width.element_bits, width.vector_bits, width.common,
      width.common == 1 ? " is" : "s are", width.alignment_a * width.element_bits,
      width.alignment_b * width.element_bits);
  for (const std::string& limit : width.limits) text += "\n  not wider  " + limit;
  return text;
}

}  // namespace heddle::machine
