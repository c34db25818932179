#include "heddle/machine/matrix_descriptor.h"

#include <fmt/format.h>

#include <utility>

#include "core/format.h"
#include "core/text.h"
#include "expr/numbers_text.h"
#include "heddle/axe/group.h"
#include "machine/tma/memory_layout.h"

namespace heddle::machine {
namespace {

constexpr std::int64_t kUnitBytes = 16;
/// What the fields of 14 bits hold.
constexpr std::int64_t kMostAddress = (1 << 18) - kUnitBytes;

std::string_view name_of(MatrixUnit unit) {
  return unit == MatrixUnit::kWgmma ? "wgmma" : "tcgen05";
}

std::string_view name_of(Major major) { return major == Major::kMN ? "MN" : "K"; }

std::optional<int> layout_type(MatrixUnit unit, const SharedSwizzle& swizzle) {
  return unit == MatrixUnit::kWgmma ? swizzle.wgmma : swizzle.tcgen05;
}

/// A digit of a canonical layout: a fixed stride, or one that a field of the descriptor has.
struct CanonicalDigit {
  std::int64_t extent;
  std::int64_t stride = 0;
  std::int64_t MatrixDescriptor::* field = nullptr;
};

/// What is needed of a tile to match it.
struct Operand {
  MatrixUnit unit;
  Major major;
  SharedSwizzle swizzle;
  std::int64_t unit_elements;
  std::int64_t mn;
  std::int64_t k;
};

/// The digits of (MN, K), the slowest of each first.
std::vector<CanonicalDigit> canonical(const Operand& operand) {
  constexpr auto kLeading = &MatrixDescriptor::leading;
  constexpr auto kStride = &MatrixDescriptor::stride;
  const std::int64_t unit = operand.unit_elements;
  const bool is_plain = operand.swizzle.span == 0;
  const std::int64_t row = is_plain ? unit : operand.swizzle.span / kUnitBytes * unit;
  if (operand.major == Major::kK) {
    std::vector<CanonicalDigit> digits = {{operand.mn / 8, 0, kStride}, {8, row}};
    if (is_plain) {
      digits.insert(digits.end(), {{operand.k / unit, 0, kLeading}, {unit, 1}});
    } else {
      digits.push_back({operand.k, 1});
    }
    return digits;
  }
  // Swizzled in pieces of 32 bytes, the pattern has half as many rows.
  const std::int64_t rows = operand.swizzle.low == 5 ? 4 : 8;
  return {{operand.mn / row, 0, is_plain ? kStride : kLeading},
          {row, 1},
          {operand.k / rows, 0, is_plain ? kLeading : kStride},
          {rows, row}};
}

/// Refuses a tile that no repetition of the swizzle's rows fills, or of a K that no instruction
/// has.
Result<void> check_shape(const Operand& operand) {
  const std::int64_t unit = operand.unit_elements;
  const std::int64_t row =
      operand.swizzle.span == 0 ? unit : operand.swizzle.span / kUnitBytes * unit;
  const std::int64_t mn = operand.major == Major::kK ? 8 : row;
  const std::int64_t rows = operand.swizzle.low == 5 ? 4 : 8;
  if (operand.mn % mn != 0) {
    return refuse("descriptor.shape", "{} elements along MN are not a multiple of {}", operand.mn,
                  mn);
  }
  const bool any_k = operand.unit == MatrixUnit::kTcgen05 && operand.major == Major::kMN;
  const bool is_k = any_k ? operand.k % rows == 0
                          : operand.k == 2 * unit || operand.k == 4 * unit ||
                                (operand.major == Major::kMN && operand.k == unit);
  if (is_k && (operand.major == Major::kK || operand.k % rows == 0)) return {};
  return refuse(
      diagnose("descriptor.shape", "the tile has {} along K", counted(operand.k, "element"))
          .with_hint(fmt::format("an instruction reads 32 bytes along K, {}: "
                                 "slice the tile",
                                 counted(2 * unit, "element"))));
}

Result<std::int64_t> byte_offset(std::string_view what, std::int64_t bytes) {
  if (bytes % kUnitBytes == 0 && bytes >= 0 && bytes <= kMostAddress) return bytes;
  return refuse("descriptor.range", "{} is {} bytes; the field holds multiples of 16 below 2^18",
                what, bytes);
}

/// Compares the layout's digits with the canonical ones and takes the fields from them.
Result<void> take_fields(const axe::Layout& layout, const Operand& operand,
                         std::int64_t element_bits, MatrixDescriptor& descriptor) {
  const std::vector<CanonicalDigit> digits = canonical(operand);
  std::vector<Int> shape;
  for (const CanonicalDigit& digit : digits) shape.emplace_back(digit.extent);
  HEDDLE_TRY(const axe::Grouping grouping, axe::group(layout, shape));
  for (std::size_t i = 0; i < digits.size(); ++i) {
    const CanonicalDigit& digit = digits[i];
    if (digit.extent == 1) continue;
    const auto block = grouping.block(i);
    const bool is_constant = block.size() == 1 && block.front().stride.is_constant();
    if (is_constant && digit.field != nullptr) {
      const bool is_leading = digit.field == &MatrixDescriptor::leading;
      HEDDLE_TRY(descriptor.*digit.field,
                 byte_offset(is_leading ? "the leading offset" : "the stride offset",
                             block.front().stride.value() * element_bits / 8));
      continue;
    }
    if (is_constant && block.front().stride.value() == digit.stride) continue;
    std::vector<Int> strides;
    for (const axe::Iter& iter : block) strides.push_back(iter.stride);
    return refuse(diagnose("descriptor.layout",
                           "the tile is not a canonical {} layout with the swizzle {}: its digit "
                           "{} of extent {} has the stride {}, not {}",
                           name_of(operand.major), operand.swizzle.name, i, digit.extent,
                           point_text(strides),
                           digit.field != nullptr ? "a single one" : std::to_string(digit.stride))
                      .with_hint("the canonical digits are " + tuple_text(shape)));
  }
  return {};
}

Result<SharedSwizzle> swizzle_of(MatrixUnit unit, Major major, const axe::Layout& layout,
                                 int element_bits) {
  const axe::Swizzle swizzle = layout.swizzle().value_or(axe::Swizzle());
  const auto known = shared_swizzle(swizzle, element_bits);
  const bool is_possible =
      known && layout_type(unit, *known) && !(known->low == 5 && major == Major::kK);
  if (is_possible) return *known;
  return refuse(diagnose("descriptor.swizzle",
                         "{} on elements of {} bits is not a swizzle of {}, {}",
                         axe::to_string(swizzle), element_bits, name_of(unit), name_of(major))
                    .with_hint("on bytes, CuTe's Sw<1,4,3>, Sw<2,4,3> and Sw<3,4,3> are, and "
                               "Sw<2,5,2> for MN of tcgen05"));
}

Result<MatrixDescriptor> descriptor_of(MatrixUnit unit, const map::AnyLayout& layout,
                                       int element_bits, Major major,
                                       const std::optional<std::vector<Int>>& shape) {
  if (element_bits != 4 && element_bits != 8 && element_bits != 16 && element_bits != 32) {
    return refuse("descriptor.shape", "{} has no operands with elements of {} bits", name_of(unit),
                  element_bits);
  }
  HEDDLE_TRY(const MemoryLayout memory, memory_layout("shared", layout, shape));
  const auto& tile = memory.shape;
  if (tile.size() != 2 || !tile[0].is_constant() || !tile[1].is_constant()) {
    return refuse("descriptor.shape", "the tile is {}; two constant extents MN and K are needed",
                  tuple_text(tile));
  }
  const Int offset = memory_offset(memory.layout);
  if (!offset.is_constant()) {
    return refuse("descriptor.shape", "the tile begins at {}; a constant is needed", offset);
  }
  MatrixDescriptor descriptor;
  descriptor.unit = unit;
  descriptor.major = major;
  HEDDLE_TRY(descriptor.swizzle, swizzle_of(unit, major, memory.layout, element_bits));
  HEDDLE_TRY(descriptor.offset,
             byte_offset("the beginning of the tile", offset.value() * element_bits / 8));
  const Operand operand{
      unit, major, descriptor.swizzle, 128 / element_bits, tile[0].value(), tile[1].value()};
  HEDDLE_CHECK(check_shape(operand));
  HEDDLE_CHECK(take_fields(memory.layout, operand, element_bits, descriptor));
  // Rows that fill the swizzle have no repetition along K; the field is then 1 by convention.
  if (major == Major::kK && descriptor.swizzle.span != 0) descriptor.leading = kUnitBytes;
  return descriptor;
}

}  // namespace

Result<Major> major_named(std::string_view name) {
  if (name == "MN" || name == "mn" || name == "M" || name == "N") return Major::kMN;
  if (name == "K" || name == "k") return Major::kK;
  return refuse(diagnose("descriptor.major", "{} is not a major dimension", name)
                    .with_hint("K if elements are contiguous along K, otherwise MN"));
}

Result<std::uint64_t> MatrixDescriptor::bits(std::int64_t address) const {
  if (address < 0 || address > kMostAddress - offset || address % swizzle.period() != 0) {
    return refuse("descriptor.range",
                  "a buffer at {} and an operand {} bytes into it; the buffer begins at a multiple "
                  "of {}, the operand below 2^18",
                  address, offset, swizzle.period());
  }
  const auto field = [](std::int64_t bytes) {
    return static_cast<std::uint64_t>(bytes / kUnitBytes);
  };
  const std::uint64_t value = field(address + offset) | field(leading) << 16 | field(stride) << 32;
  const auto type = static_cast<std::uint64_t>(layout_type(unit, swizzle).value_or(0));
  if (unit == MatrixUnit::kWgmma) return value | type << 62;
  return value | std::uint64_t{1} << 46 | type << 61;
}

Result<MatrixDescriptor> wgmma_descriptor(const map::AnyLayout& layout, int element_bits,
                                          Major major, std::optional<std::vector<Int>> shape) {
  return descriptor_of(MatrixUnit::kWgmma, layout, element_bits, major, shape);
}

Result<MatrixDescriptor> umma_descriptor(const map::AnyLayout& layout, int element_bits,
                                         Major major, std::optional<std::vector<Int>> shape) {
  return descriptor_of(MatrixUnit::kTcgen05, layout, element_bits, major, shape);
}

std::string to_string(const MatrixDescriptor& descriptor) {
  std::string text = fmt::format("{} descriptor, {} major, swizzle {}", name_of(descriptor.unit),
                                 name_of(descriptor.major), descriptor.swizzle.name);
  text += fmt::format("\n  start    (address + {}) >> 4", descriptor.offset);
  text += fmt::format("\n  leading  {} bytes, field {}", descriptor.leading,
                      descriptor.leading / kUnitBytes);
  text += fmt::format("\n  stride   {} bytes, field {}", descriptor.stride,
                      descriptor.stride / kUnitBytes);
  return text + fmt::format("\n  type     {}",
                            layout_type(descriptor.unit, descriptor.swizzle).value_or(0));
}

}  // namespace heddle::machine
