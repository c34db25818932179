#pragma once

// A tensor is an engine, which says where the data are, and a layout, as CuTe prints it:
//
//   smem_ptr[16b](0x7f1e00000400) o (8,64):(64,1)             a pointer to 16-bit elements
//   Sw<3,4,3>_smem_ptr[16b](0x400) o (8,64):(64,1)            one that swizzles its addresses
//   Sw<3,4,3> o smem_ptr[16b](unset) o (8,64):(64,1)          the same without an address yet
//   ArithTuple(0,32) o (8,64):(1@0,1@1)                       coordinates, counted from (0,32)
//   counting_iter(5) o 8:2                                    integers, counted from 5
//
// The swizzle of a pointer acts on addresses in bytes, the swizzle of a layout on indices in
// elements: the same Sw<3,4,3> is another map. as_position_independent_swizzle_layout() goes from
// the first to the second, Sw<3,3,3> o 0 o (8,64):(64,1) for the 16-bit tile above.
//
// Sources: CuTe's pointer.hpp, pointer_swizzle.hpp, pointer_flagged.hpp, tensor_impl.hpp.

#include <cstdint>
#include <optional>
#include <string>
#include <variant>

#include "heddle/core/result.h"
#include "heddle/cute/composed_layout.h"
#include "heddle/cute/swizzle.h"

#pragma GCC visibility push(default)
namespace heddle::cute {

/// The memory a pointer points into; kGeneric where its type does not say.
enum class MemorySpace : std::uint8_t { kGeneric, kGlobal, kShared, kRegister, kTensor };

/// A pointer to elements of a width.
struct Pointer {
  MemorySpace space = MemorySpace::kGeneric;
  /// The width of an element.
  Int bits = 8;
  /// The address as it was printed, `0x400`, or `0x400.3` for elements smaller than a byte; empty
  /// if it is not set yet.
  std::string address;
  /// CuTe's subbyte_iterator, printed `subptr`.
  bool is_subbyte = false;
  /// The swizzle that is applied to every address, in bytes; the identity for most pointers.
  Swizzle swizzle;

  friend bool operator==(const Pointer&, const Pointer&) = default;
};

/// The address of a pointer in bytes, 1024 for `smem_ptr[16b](0x400)`; nullopt if it is not set,
/// was shortened, begins within a byte or does not fit into 64 bits.
[[nodiscard]] std::optional<std::uint64_t> address_of(const Pointer& pointer);

/// An iterator that counts coordinates or integers: `ArithTuple(0,32)`, `counting_iter(5)`.
struct Counter {
  IntTuple origin;

  friend bool operator==(const Counter&, const Counter&) = default;
};

/// An iterator over matrices in shared memory for tensor cores, which counts in units of 16 bytes:
/// `GMMA::DescriptorIterator`, `UMMA::DescriptorIterator`.
struct Descriptor {
  /// `GMMA` or `UMMA`.
  std::string owner;

  friend bool operator==(const Descriptor&, const Descriptor&) = default;
};

using Engine = std::variant<Pointer, Counter, Descriptor>;

/// A value: copy, structural ==, stream output.
struct Tensor {
  Engine engine;
  AnyLayout layout;

  friend bool operator==(const Tensor&, const Tensor&) = default;
};

/// The tensor's map from coordinates to element indices. With a plain pointer or a counter it is
/// the layout itself; the swizzle of a pointer, in bytes, becomes one in elements after the layout,
/// as CuTe's function of this name does. If the address is known and is no multiple of the
/// swizzle's size, indices are counted from the last such multiple below it, and the distance of
/// the address from that multiple becomes the offset:
///
///   Sw<3,4,3>_smem_ptr[16b](0x480) o (8,8):(64,1)      Sw<3,3,3> o 64 o (8,8):(64,1)
///
/// Refuses `tensor.address` where the address is no whole number of elements, and what recast()
/// and composition() of a swizzle refuse.
[[nodiscard]] Result<AnyLayout> as_position_independent_swizzle_layout(const Tensor& tensor);

/// The element index of a coordinate; for a counter the value that it counts there, its origin
/// included. Refuses what the layout's evaluate() refuses, `tuple.incongruent` and `overflow`.
[[nodiscard]] Result<IntTuple> evaluate(const Tensor& tensor, const Coordinate& coordinate);

/// `Sw<3,4,3>_smem_ptr[16b](0x400)`; a pointer whose address is not set is printed without its
/// swizzle.
[[nodiscard]] std::string to_string(const Engine& engine);
[[nodiscard]] std::string to_string(const Tensor& tensor);

}  // namespace heddle::cute
#pragma GCC visibility pop
