#pragma once

// In which direction a layout is read, as the systems differ in this.
//
// A CuTe layout maps a coordinate to an offset, a register layout of Triton a place in the hardware
// to the element that it holds, a shared one an offset to the element stored there, a thread-value
// layout (thread, value) to an element, an Axe layout an element to its places.
//
//   literal       the same function, argument for argument
//   memory        coordinates -> addresses; Triton's (offset) -> dims is inverted
//   ownership     places -> elements; Axe's is inverted: elements in several places become a
//                 replica, and back
//
// Read as ownership, these three describe the same accumulator of mma.m16n8k16:
//
//   ((4,8),(2,2)):((32,1),(16,8)) tile (16,8)          (thread, value) -> element, column-major
//   register=1 -> (0,1), register=2 -> (8,0), …        (register, lane) -> element
//   S[(2,8,4,2):(2@reg,4@laneid,1@laneid,1@reg)]       element -> (reg, laneid)
//
// Conversions (convert.h) and decisions (decide.h) take a reading.

#include <cstdint>
#include <optional>
#include <string_view>

#pragma GCC visibility push(default)
namespace heddle::map {

enum class Reading : std::uint8_t { kLiteral, kMemory, kOwnership };

/// `literal`, `memory`, `ownership`.
[[nodiscard]] std::string_view name(Reading reading);
[[nodiscard]] std::optional<Reading> find_reading(std::string_view name);

}  // namespace heddle::map
#pragma GCC visibility pop
