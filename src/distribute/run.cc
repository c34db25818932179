#include "heddle/distribute/run.h"

#include <utility>

#include "core/format.h"
#include "distribute/places.h"
#include "heddle/move/relayout.h"

namespace heddle::distribute {
namespace {

std::span<const std::byte> readable(const DeviceMemory& memory, Memory which) {
  if (which == Memory::kSource) return memory.source;
  return which == Memory::kDestination ? memory.destination : memory.scratch;
}

std::span<std::byte> writable(const DeviceMemory& memory, Memory which) {
  return which == Memory::kScratch ? memory.scratch : memory.destination;
}

/// Moves the elements of a box from some blocks to others.
Result<void> move_box(std::span<const Block> from, std::span<const Block> to, const Box& box,
                      std::int64_t bits, std::span<const std::byte> source,
                      std::span<std::byte> destination) {
  return for_pieces(from, to, box, [&](const Piece& piece) -> Result<void> {
    HEDDLE_TRY(const move::Plan moves, move::make_plan(piece.read, piece.written, bits));
    return moves.run(source, destination);
  });
}

Result<void> check_buffer(std::size_t found, std::int64_t wanted, std::string_view what) {
  if (found >= static_cast<std::size_t>(wanted)) return {};
  return refuse("move.buffer", "{} has {} bytes, and {} are needed", what, found, wanted);
}

/// Reads the box's elements out of the destination as a message, combines, and writes them back.
Result<void> combine(const Plan& plan, const Transfer& transfer, std::span<const std::byte> message,
                     const DeviceMemory& memory, const Arithmetic& arithmetic) {
  if (!arithmetic.combine) {
    return refuse("distribute.partial", "{} is reduced by {}, and nothing says how",
                  to_string(transfer.box), plan.reduce_op());
  }
  std::vector<std::byte> sum(message.size());
  Transfer there = transfer;
  there.from = transfer.to;
  there.read = transfer.written;
  HEDDLE_CHECK(pack(plan, there, memory, sum));
  arithmetic.combine(sum, message);
  Transfer back = transfer;
  back.reduces = false;
  return unpack(plan, back, sum, memory);
}

Result<DeviceMemory> memory_of(const std::map<std::int64_t, DeviceMemory>& memories,
                               std::int64_t device) {
  const auto found = memories.find(device);
  if (found != memories.end()) return found->second;
  return refuse("distribute.device", "no memory is given for device {}", device);
}

Result<void> run_transfer(const Plan& plan, const Transfer& transfer,
                          const std::map<std::int64_t, DeviceMemory>& memories,
                          const Arithmetic& arithmetic) {
  HEDDLE_TRY(const DeviceMemory from, memory_of(memories, transfer.from));
  HEDDLE_TRY(const DeviceMemory to, memory_of(memories, transfer.to));
  if (transfer.from == transfer.to) return keep(plan, transfer, to);
  std::vector<std::byte> message(static_cast<std::size_t>(message_bytes(plan, transfer)));
  HEDDLE_CHECK(pack(plan, transfer, from, message));
  return unpack(plan, transfer, message, to, arithmetic);
}

}  // namespace

std::int64_t memory_bytes(const Plan& plan, Memory memory, std::int64_t device) {
  return bytes_of(distribution_of(plan, memory).memory(device), plan.element_bits());
}

std::int64_t message_bytes(const Plan& plan, const Transfer& transfer) {
  return bytes_of(volume(transfer.box), plan.element_bits());
}

Result<void> pack(const Plan& plan, const Transfer& transfer, const DeviceMemory& memory,
                  std::span<std::byte> message) {
  const std::int64_t bytes = message_bytes(plan, transfer);
  HEDDLE_CHECK(check_buffer(message.size(), bytes, "a message"));
  // Elements need not fill the last byte.
  message[static_cast<std::size_t>(bytes) - 1] = std::byte{0};
  const Block packed = message_of(transfer);
  return move_box(read_by(plan, transfer), {&packed, 1}, transfer.box, plan.element_bits(),
                  readable(memory, transfer.read), message);
}

Result<void> unpack(const Plan& plan, const Transfer& transfer, std::span<const std::byte> message,
                    const DeviceMemory& memory, const Arithmetic& arithmetic) {
  HEDDLE_CHECK(check_buffer(message.size(), message_bytes(plan, transfer), "a message"));
  if (transfer.reduces) return combine(plan, transfer, message, memory, arithmetic);
  const Block packed = message_of(transfer);
  return move_box({&packed, 1}, written_by(plan, transfer), transfer.box, plan.element_bits(),
                  message, writable(memory, transfer.written));
}

Result<void> keep(const Plan& plan, const Transfer& transfer, const DeviceMemory& memory) {
  return move_box(read_by(plan, transfer), written_by(plan, transfer), transfer.box,
                  plan.element_bits(), readable(memory, transfer.read),
                  writable(memory, transfer.written));
}

Result<void> finish(const Plan& plan, std::int64_t device, std::span<std::byte> destination,
                    const Arithmetic& arithmetic) {
  if (plan.averaged_over() == 1) return {};
  if (!arithmetic.divide) {
    return refuse("distribute.partial", "the average of {} terms is taken, and nothing says how",
                  plan.averaged_over());
  }
  for (const Block& block : plan.to().blocks(device)) {
    const Transfer whole{
        .from = device, .to = device, .box = block.box, .read = Memory::kDestination};
    std::vector<std::byte> elements(static_cast<std::size_t>(message_bytes(plan, whole)));
    const DeviceMemory memory{.source = {}, .destination = destination};
    HEDDLE_CHECK(pack(plan, whole, memory, elements));
    arithmetic.divide(elements, plan.averaged_over());
    HEDDLE_CHECK(unpack(plan, whole, elements, memory));
  }
  return {};
}

Result<void> run(const Plan& plan, const std::map<std::int64_t, DeviceMemory>& memories,
                 const Arithmetic& arithmetic) {
  std::map<std::int64_t, DeviceMemory> all = memories;
  std::map<std::int64_t, std::vector<std::byte>> scratch;
  for (auto& [device, memory] : all) {
    if (!memory.scratch.empty()) continue;
    scratch[device].resize(static_cast<std::size_t>(memory_bytes(plan, Memory::kScratch, device)));
    memory.scratch = scratch[device];
  }
  for (const Step& step : plan.steps()) {
    for (const Transfer& transfer : step.transfers) {
      HEDDLE_CHECK(run_transfer(plan, transfer, all, arithmetic));
    }
  }
  for (const std::int64_t device : plan.to().devices()) {
    HEDDLE_TRY(const DeviceMemory memory, memory_of(all, device));
    HEDDLE_CHECK(finish(plan, device, memory.destination, arithmetic));
  }
  return {};
}

}  // namespace heddle::distribute
