#pragma once

// The 64 bits by which wgmma and tcgen05.mma find an operand in shared memory.
//
//   wgmma_descriptor((64,16):(1,64) swizzled by Sw<3,3,3>, 16 bits, MN)
//     start address  bits 0 to 13     address >> 4
//     leading        bits 16 to 29    bytes >> 4 between repetitions along the leading dimension
//     stride         bits 32 to 45    bytes >> 4 between repetitions along the other one
//     base offset    bits 49 to 51    0: the pattern begins at a multiple of its period
//     swizzle        bits 62 to 63    128B = 1; tcgen05: bits 61 to 63, 128B = 2, and bit 46 is set
//
// The operand is a tile of M (or N) by K elements, of which one instruction reads 32 bytes along K.
// T elements are 16 bytes, and a row of the swizzle has W*T of them:
//
//   K, no swizzle     ((8,m),(T,2)):((T,stride),(1,leading))
//   K, swizzled       ((8,m),(T,2)):((W*T,stride),(1,T))          leading is 1 and not used
//   MN, no swizzle    ((T,m),(8,k)):((1,stride),(T,leading))
//   MN, swizzled      ((W*T,m),(8,k)):((1,leading),(W*T,stride))
//   MN, 128B_ATOM_32B ((8*T,m),(4,k)):((1,leading),(8*T,stride))  tcgen05 only
//
// Source: PTX ISA, "Shared memory matrix layout" and "Matrix descriptor format" of wgmma and of
// tcgen05.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "heddle/core/result.h"
#include "heddle/machine/shared_swizzle.h"
#include "heddle/map/any_layout.h"

#pragma GCC visibility push(default)
namespace heddle::machine {

enum class MatrixUnit : std::uint8_t { kWgmma, kTcgen05 };

/// The dimension along which elements are contiguous.
enum class Major : std::uint8_t { kMN, kK };
/// `MN`, `K`; refuses `descriptor.major` for another word.
[[nodiscard]] Result<Major> major_named(std::string_view name);

struct MatrixDescriptor {
  MatrixUnit unit = MatrixUnit::kWgmma;
  Major major = Major::kK;
  SharedSwizzle swizzle;
  /// Bytes from the beginning of the buffer to the operand.
  std::int64_t offset = 0;
  /// Multiples of 16 bytes: the fields `leading dimension byte offset` and `stride dimension byte
  /// offset`. 0 where there is no repetition.
  std::int64_t leading = 0;
  std::int64_t stride = 0;

  /// The 64 bits for a buffer at this address. Refuses `descriptor.range` unless the address is a
  /// multiple of the swizzle's period (the base offset is then 0) and the operand begins below
  /// 2^18.
  [[nodiscard]] Result<std::uint64_t> bits(std::int64_t address) const;

  friend bool operator==(const MatrixDescriptor&, const MatrixDescriptor&) = default;
};

/// The descriptor of a tile (MN,K) in shared memory. Refuses `descriptor.layout` if it is none of
/// the canonical layouts, with the digit that differs, `descriptor.swizzle` for a swizzle that the
/// instruction does not have, `descriptor.shape` for a K of other than 32 bytes (16 or 64 for
/// sparse operands), a K of whole repetitions along MN for tcgen05, and a size that is not
/// constant, `descriptor.range` for an offset that does not fit its field or is no multiple of 16
/// bytes; and what map::convert() refuses. Cost: linear in the digits.
[[nodiscard]] Result<MatrixDescriptor> wgmma_descriptor(const map::AnyLayout& layout,
                                                        int element_bits, Major major,
                                                        std::optional<std::vector<Int>> shape = {});
[[nodiscard]] Result<MatrixDescriptor> umma_descriptor(const map::AnyLayout& layout,
                                                       int element_bits, Major major,
                                                       std::optional<std::vector<Int>> shape = {});

/// The fields, on several lines.
[[nodiscard]] std::string to_string(const MatrixDescriptor& descriptor);

}  // namespace heddle::machine
#pragma GCC visibility pop
