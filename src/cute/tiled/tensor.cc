#include "heddle/cute/tensor.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <string_view>
#include <system_error>

#include "cute/layout/coordinate_sums.h"
#include "cute/layout/format.h"
#include "heddle/cute/recast.h"

namespace heddle::cute {
namespace {

constexpr int kBitsPerByte = 8;

std::string_view prefix(MemorySpace space) {
  constexpr std::array<std::string_view, 5> kPrefixes = {"", "gmem_", "smem_", "rmem_", "tmem_"};
  return kPrefixes[static_cast<std::size_t>(space)];
}

/// `smem_ptr[16b](0x400)`. CuTe writes `tmem_[32b](…)` without `ptr`.
std::string unswizzled_text(const Pointer& pointer) {
  const bool is_bare = pointer.space == MemorySpace::kTensor && !pointer.address.empty();
  return fmt::format("{}{}[{}b]({})", prefix(pointer.space),
                     is_bare              ? ""
                     : pointer.is_subbyte ? "subptr"
                                          : "ptr",
                     pointer.bits, pointer.address.empty() ? "unset" : pointer.address);
}

std::string text_of(const Pointer& pointer) {
  if (pointer.swizzle.is_identity() || pointer.address.empty()) return unswizzled_text(pointer);
  return fmt::format("{}_{}", pointer.swizzle, unswizzled_text(pointer));
}

std::string text_of(const Counter& counter) {
  return fmt::format(fmt::runtime(counter.origin.is_leaf() ? "counting_iter({})" : "ArithTuple{}"),
                     counter.origin);
}

std::string text_of(const Descriptor& descriptor) {
  return descriptor.owner + "::DescriptorIterator";
}

/// The distance of the address, in elements, from a multiple of the swizzle's size in bytes.
Result<Int> offset_of(const Pointer& pointer) {
  const auto address = address_of(pointer);
  if (!address) return Int(0);
  const auto size = static_cast<std::uint64_t>(pointer.swizzle.size());
  const Int bits = Int(*address % size) * kBitsPerByte;
  if (!known_divides(pointer.bits, bits)) {
    return refuse("tensor.address",
                  "{}: the address is {} bytes above a multiple of {}, the size of {}, which is "
                  "not a whole number of {}-bit elements",
                  text_of(pointer), *address % size, size, pointer.swizzle, pointer.bits);
  }
  return floor_div(bits, pointer.bits);
}

Result<AnyLayout> swizzled(const Pointer& pointer, const AnyLayout& layout) {
  if (pointer.swizzle.is_identity()) return layout;
  HEDDLE_TRY(const Swizzle swizzle, recast(pointer.swizzle, kBitsPerByte, pointer.bits));
  HEDDLE_TRY(const Int offset, offset_of(pointer));
  if (known_equal(offset, 0)) {
    return std::visit([&](const auto& inner) { return composition(swizzle, inner); }, layout);
  }
  const auto* plain = std::get_if<Layout>(&layout);
  if (plain == nullptr) {
    return refuse("tensor.address",
                  "{} is inside a period of its swizzle, and the layout it is applied to is "
                  "swizzled too: no single swizzle has that effect",
                  text_of(pointer));
  }
  HEDDLE_TRY(const ComposedLayout composed, ComposedLayout::make(swizzle, offset, *plain));
  return AnyLayout(composed);
}

/// The coordinate moved by the counter's origin.
Result<IntTuple> count_from(const IntTuple& origin, const IntTuple& index) {
  if (is_zero(origin)) return index;
  if (origin.profile() != index.profile()) {
    return refuse("tuple.incongruent",
                  "the origin {} of a counter and the index {} do not have the same nesting",
                  origin, index);
  }
  IntTuple::Leaves sums;
  for (std::size_t i = 0; i < origin.leaves().size(); ++i) {
    HEDDLE_TRY(const Int sum, check_defined(origin.leaves()[i] + index.leaves()[i],
                                            "an index after the origin of a counter"));
    sums.push_back(sum);
  }
  return IntTuple(origin.profile(), sums);
}

}  // namespace

std::optional<std::uint64_t> address_of(const Pointer& pointer) {
  std::string_view text = pointer.address;
  if (!text.starts_with("0x")) return std::nullopt;
  text.remove_prefix(2);
  if (text.ends_with(".0")) text.remove_suffix(2);
  std::uint64_t address = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), address, 16);
  const bool is_whole = end == text.data() + text.size();
  return error == std::errc() && is_whole ? std::optional(address) : std::nullopt;
}

Result<AnyLayout> as_position_independent_swizzle_layout(const Tensor& tensor) {
  if (const auto* pointer = std::get_if<Pointer>(&tensor.engine)) {
    return swizzled(*pointer, tensor.layout);
  }
  return tensor.layout;
}

Result<IntTuple> evaluate(const Tensor& tensor, const Coordinate& coordinate) {
  HEDDLE_TRY(const AnyLayout layout, as_position_independent_swizzle_layout(tensor));
  HEDDLE_TRY(const IntTuple index, evaluate(layout, coordinate));
  const auto* counter = std::get_if<Counter>(&tensor.engine);
  return counter == nullptr ? index : count_from(counter->origin, index);
}

std::string to_string(const Engine& engine) {
  return std::visit([](const auto& any) { return text_of(any); }, engine);
}

std::string to_string(const Tensor& tensor) {
  const auto* pointer = std::get_if<Pointer>(&tensor.engine);
  const bool is_flagged =
      pointer != nullptr && pointer->address.empty() && !pointer->swizzle.is_identity();
  return fmt::format("{}{} o {}", is_flagged ? to_string(pointer->swizzle) + " o " : "",
                     to_string(tensor.engine), to_string(tensor.layout));
}

}  // namespace heddle::cute
