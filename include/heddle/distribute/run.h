#pragma once

// Running a plan: what one device copies, sends and gets, piece by piece.
//
//   run(plan, sources, destinations)    all devices in one process, each with a buffer of its own
//
// A driver that has other ways of sending (MPI, files) does the same with the parts:
//
//   for each step, for each of its transfers
//     pack(plan, transfer, memory of `from`)        the elements of the box, row-major
//     … sent …
//     unpack(plan, transfer, bytes, memory of `to`)  put there, or combined with what is there

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <vector>

#include "heddle/core/result.h"
#include "heddle/distribute/plan.h"

#pragma GCC visibility push(default)
namespace heddle::distribute {

/// `into` = `into` (op) `from`, element by element; what the type of the elements and the plan's
/// reduce_op() say.
using Combine = std::function<void(std::span<std::byte> into, std::span<const std::byte> from)>;
/// Divides the elements by a number, for `avg`.
using Divide = std::function<void(std::span<std::byte> elements, std::int64_t by)>;

/// How elements of a type are reduced.
struct Arithmetic {
  Combine combine;
  Divide divide;
};

/// The buffers of one device, each at least memory_bytes() long. The destination may be read, too:
/// what arrived in an earlier step is sent on from there.
struct DeviceMemory {
  std::span<const std::byte> source;
  std::span<std::byte> destination;
  /// Empty if the plan has no scratch memory on the device.
  std::span<std::byte> scratch = {};
};

/// The bytes of one of the memories of a device, rounded up.
[[nodiscard]] std::int64_t memory_bytes(const Plan& plan, Memory memory, std::int64_t device);

/// The bytes of a box, row-major and without gaps; the last byte is filled up with zeros.
[[nodiscard]] std::int64_t message_bytes(const Plan& plan, const Transfer& transfer);

/// Writes the message of a transfer into `message`, message_bytes() long. Refuses `move.buffer` for
/// a buffer that is too short, and what move::make_plan() refuses. Cost: linear in the elements.
[[nodiscard]] Result<void> pack(const Plan& plan, const Transfer& transfer,
                                const DeviceMemory& memory, std::span<std::byte> message);

/// Puts a message into the memory that the transfer writes, or combines it with what is there.
/// Refuses as pack(), and `distribute.partial` if it reduces and `arithmetic` says not how.
[[nodiscard]] Result<void> unpack(const Plan& plan, const Transfer& transfer,
                                  std::span<const std::byte> message, const DeviceMemory& memory,
                                  const Arithmetic& arithmetic = {});

/// A copy of a local step, from one memory of a device to another, by move::Plan. Refuses as
/// pack().
[[nodiscard]] Result<void> keep(const Plan& plan, const Transfer& transfer,
                                const DeviceMemory& memory);

/// What is left when all steps are done: the division of an average. Refuses
/// `distribute.partial`.
[[nodiscard]] Result<void> finish(const Plan& plan, std::int64_t device,
                                  std::span<std::byte> destination,
                                  const Arithmetic& arithmetic = {});

/// All devices in this process; scratch memory is made where none is given. Places that no element
/// goes to keep what is there. Refuses as the parts, and `distribute.device` for a device without
/// memory.
[[nodiscard]] Result<void> run(const Plan& plan,
                               const std::map<std::int64_t, DeviceMemory>& memories,
                               const Arithmetic& arithmetic = {});

}  // namespace heddle::distribute
#pragma GCC visibility pop
