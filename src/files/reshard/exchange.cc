#include "files/reshard/exchange.h"

#include <algorithm>
#include <deque>
#include <span>
#include <utility>
#include <vector>

#include "heddle/distribute/plan.h"

namespace heddle::files {
namespace {

using distribute::Box;
using distribute::Transfer;

/// Calls `act` with boxes of at most so many elements, or one, that are the box together.
template <class Act>
Result<void> each_piece(const Box& box, std::int64_t most, const Act& act) {
  const std::int64_t elements = distribute::volume(box);
  if (elements == 0) return {};
  const auto longest_first = std::ranges::find_if(
      box, [](const distribute::Extent& extent) { return extent.end - extent.begin > 1; });
  if (elements <= most || longest_first == box.end()) return act(box);
  const auto dim = static_cast<std::size_t>(longest_first - box.begin());
  const std::int64_t row = elements / (box[dim].end - box[dim].begin);
  const std::int64_t step = std::max<std::int64_t>(1, most / row);
  Box piece = box;
  for (std::int64_t begin = box[dim].begin; begin < box[dim].end; begin += step) {
    piece[dim] = {begin, std::min(begin + step, box[dim].end)};
    HEDDLE_CHECK(each_piece(piece, most, act));
  }
  return {};
}

/// Runs the transfers of one job.
class Exchange {
 public:
  Exchange(const Job& job, const Memories& memories, const Crew& crew,
           const ReshardRequest& request)
      : job_(job),
        plan_(*job.movement->plan),
        memories_(memories),
        crew_(crew),
        request_(request),
        most_(std::max<std::int64_t>(
            1, 8 * std::clamp<std::int64_t>(request.piece_bytes, 0, kMostPieceBytes) /
                   plan_.element_bits())) {}

  // Both ends of every message go through the transfers in the same order. So each process gets to
  // the first message that has not arrived, and none waits for ever.
  Result<void> run() {
    auto done = run_steps();
    if (!done) {
      for (Message& message : on_the_way_) crew_.transport().keep(std::move(message.bytes));
    }
    return done;
  }

 private:
  Result<void> run_steps() {
    for (const distribute::Step& step : plan_.steps()) {
      for (const Transfer& transfer : step.transfers) HEDDLE_CHECK(run(transfer));
      while (!on_the_way_.empty()) HEDDLE_CHECK(finish_first());
    }
    return plan_.averaged_over() == 1 ? Result<void>() : divide();
  }

  /// A piece that is being sent, or awaited.
  struct Message {
    std::size_t number = 0;
    std::vector<std::byte> bytes;
    Transfer piece;
    bool is_awaited = false;
  };
  static constexpr std::size_t kMostOnTheWay = 8;
  /// Transports take less than 2 GiB at once.
  static constexpr std::int64_t kMostPieceBytes = std::int64_t{1} << 30;
  static constexpr auto kDestination = distribute::Memory::kDestination;

  Result<void> run(const Transfer& transfer) {
    const bool sends = crew_.is_mine(transfer.from);
    const bool gets = crew_.is_mine(transfer.to);
    if (!sends && !gets) return {};
    return each_piece(transfer.box, most_, [&](const Box& box) -> Result<void> {
      if (request_.stop.stop_requested()) {
        return refuse(Diagnostic("move.stopped", "the checkpoint was not written completely")
                          .with_hint("the same command with --resume goes on"));
      }
      Transfer piece = transfer;
      piece.box = box;
      if (sends && gets) return move_within(piece);
      return sends ? send(piece) : receive(piece);
    });
  }

  Result<void> move_within(const Transfer& piece) {
    const distribute::DeviceMemory& source = memories_.at(piece.from);
    const distribute::DeviceMemory& target = memories_.at(piece.to);
    if (piece.from == piece.to && !piece.reduces) {
      HEDDLE_CHECK(distribute::keep(plan_, piece, source));
      count(piece);
      return {};
    }
    std::vector<std::byte> bytes = buffer_for(piece);
    HEDDLE_CHECK(distribute::pack(plan_, piece, source, bytes));
    HEDDLE_CHECK(put(piece, bytes, target));
    unused_.push_back(std::move(bytes));
    return {};
  }

  Result<void> put(const Transfer& piece, std::span<const std::byte> bytes,
                   const distribute::DeviceMemory& target) {
    HEDDLE_CHECK(distribute::unpack(plan_, piece, bytes, target, job_.arithmetic));
    count(piece);
    return {};
  }

  Result<void> send(const Transfer& piece) {
    HEDDLE_CHECK(make_room());
    Message message{0, buffer_for(piece), piece, false};
    HEDDLE_CHECK(distribute::pack(plan_, piece, memories_.at(piece.from), message.bytes));
    message.number = crew_.transport().send(crew_.process_of(piece.to), message.bytes);
    on_the_way_.push_back(std::move(message));
    return {};
  }

  Result<void> receive(const Transfer& piece) {
    HEDDLE_CHECK(make_room());
    Message message{0, buffer_for(piece), piece, true};
    message.number = crew_.transport().receive(crew_.process_of(piece.from), message.bytes);
    on_the_way_.push_back(std::move(message));
    return {};
  }

  Result<void> make_room() {
    return on_the_way_.size() < kMostOnTheWay ? Result<void>() : finish_first();
  }

  /// Terms are reduced in the order of the plan, because messages are finished in their order.
  Result<void> finish_first() {
    Message message = std::move(on_the_way_.front());
    on_the_way_.pop_front();
    crew_.transport().finish(message.number);
    if (message.is_awaited) {
      HEDDLE_CHECK(put(message.piece, message.bytes, memories_.at(message.piece.to)));
    }
    unused_.push_back(std::move(message.bytes));
    return {};
  }

  std::vector<std::byte> buffer_for(const Transfer& piece) {
    std::vector<std::byte> bytes;
    if (!unused_.empty()) {
      bytes = std::move(unused_.back());
      unused_.pop_back();
    }
    bytes.resize(static_cast<std::size_t>(distribute::message_bytes(plan_, piece)));
    return bytes;
  }

  /// Divides the sums of an average, as distribute::finish() does, but in pieces.
  Result<void> divide() {
    for (const auto& [device, memory] : memories_) {
      const auto divide_box = [&, target = memory, id = device](const Box& box) {
        return divide_piece({.from = id, .to = id, .box = box, .read = kDestination}, target);
      };
      for (const distribute::Block& block : plan_.to().blocks(device)) {
        HEDDLE_CHECK(each_piece(block.box, most_, divide_box));
      }
    }
    return {};
  }

  Result<void> divide_piece(const Transfer& piece, const distribute::DeviceMemory& memory) {
    std::vector<std::byte> bytes = buffer_for(piece);
    HEDDLE_CHECK(distribute::pack(plan_, piece, memory, bytes));
    job_.arithmetic.divide(bytes, plan_.averaged_over());
    HEDDLE_CHECK(distribute::unpack(plan_, piece, bytes, memory));
    unused_.push_back(std::move(bytes));
    return {};
  }

  void count(const Transfer& piece) {
    if (request_.progress == nullptr) return;
    request_.progress->moved += distribute::message_bytes(plan_, piece);
  }

  const Job& job_;
  const distribute::Plan& plan_;
  const Memories& memories_;
  const Crew& crew_;
  const ReshardRequest& request_;
  std::int64_t most_;
  std::deque<Message> on_the_way_;
  std::vector<std::vector<std::byte>> unused_;
};

}  // namespace

std::int64_t incoming_bytes(const Job& job, const Crew& crew) {
  std::int64_t bytes = 0;
  if (!job.movement->plan) return bytes;
  const distribute::Plan& plan = *job.movement->plan;
  for (const distribute::Step& step : plan.steps()) {
    for (const Transfer& transfer : step.transfers) {
      if (crew.is_mine(transfer.to)) bytes += distribute::message_bytes(plan, transfer);
    }
  }
  return bytes;
}

Result<void> exchange(const Job& job, const Memories& memories, const Crew& crew,
                      const ReshardRequest& request) {
  return Exchange(job, memories, crew, request).run();
}

}  // namespace heddle::files
