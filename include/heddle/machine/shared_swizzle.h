#pragma once

// The swizzles that NVIDIA's asynchronous copies and matrix instructions apply to shared memory: an
// XOR of bits of the absolute byte address.
//
//   128B   bits 4 to 6 ^= bits 7 to 9     Swizzle<3,4,3> on bytes, Sw<3,3,3> on elements of 16 bits
//
// Three families of instructions count them in three ways (tensor map, wgmma, tcgen05). Source: PTX
// ISA, "Swizzling modes", and CUtensorMapSwizzle of the CUDA driver API.

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "heddle/axe/swizzle.h"

#pragma GCC visibility push(default)
namespace heddle::machine {

struct SharedSwizzle {
  /// As in CU_TENSOR_MAP_SWIZZLE_…: `NONE`, `128B`, `128B_ATOM_32B`.
  std::string_view name;
  /// Bits of a byte address: `bits` of them from `low` on are XORed with those `shift` places up.
  int low = 0;
  int bits = 0;
  int shift = 0;
  /// The bytes of a row within which pieces change places; 0 for no swizzle.
  std::int64_t span = 0;
  /// Its numbers in a tensor map and in the matrix descriptors of wgmma and tcgen05; nullopt where
  /// these do not have it.
  int tensor_map = 0;
  std::optional<int> wgmma;
  std::optional<int> tcgen05;

  /// After how many bytes the pattern repeats, which is how a buffer has to be aligned; 16 for no
  /// swizzle.
  [[nodiscard]] std::int64_t period() const { return std::int64_t{1} << (low + bits + shift); }
  /// Where the byte at an address lies.
  [[nodiscard]] std::uint64_t operator()(std::uint64_t address) const {
    const std::uint64_t changed = ((std::uint64_t{1} << bits) - 1) << low;
    return address ^ ((address >> shift) & changed);
  }

  friend bool operator==(const SharedSwizzle&, const SharedSwizzle&) = default;
};

/// All of them that are an XOR, no swizzle first. (128B_ATOM_32B_FLIP_8B is not among them: no
/// layout of elements denotes it.)
[[nodiscard]] std::span<const SharedSwizzle> shared_swizzles();

/// The one that this swizzle of element addresses is; nullopt if the hardware has none like it.
[[nodiscard]] std::optional<SharedSwizzle> shared_swizzle(const axe::Swizzle& swizzle,
                                                          int element_bits);

}  // namespace heddle::machine
#pragma GCC visibility pop
