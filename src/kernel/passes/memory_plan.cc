#include "kernel/passes/memory_plan.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <numeric>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "kernel/thread_walk.h"

namespace heddle::kernel {

namespace {

/// The statements of the program's own block that name a buffer, the first and the last.
struct Lifetime {
  std::size_t first = 0;
  std::size_t last = 0;
  bool is_used = false;
};

/// Notes which buffers a statement names.
class UseFinder {
 public:
  UseFinder(std::map<std::string, Lifetime>& lifetimes, const std::set<std::string>& copied_later)
      : lifetimes_(lifetimes), copied_later_(copied_later) {}

  void visit(const ThreadStatement& statement, std::size_t place) {
    place_ = place;
    visit(statement);
  }
  /// Whether there is a text of the target, which may use any buffer.
  [[nodiscard]] bool has_verbatim() const { return has_verbatim_; }

 private:
  void visit(const ThreadBlock& block) {
    for (const ThreadStatement& statement : block) visit(statement);
  }
  void visit(const ThreadStatement& statement) {
    if (std::holds_alternative<Verbatim>(statement.node)) has_verbatim_ = true;
    for_each_place(statement, [&](const Location& place) { use(place.buffer); });
    if (std::holds_alternative<AwaitCopies>(statement.node)) {
      for (const std::string& buffer : copied_later_) {
        if (lifetimes_.at(buffer).is_used) use(buffer);
      }
    }
    for_each_block(statement, [&](const ThreadBlock& block) { visit(block); });
  }
  void use(const std::string& buffer) {
    const auto found = lifetimes_.find(buffer);
    if (found == lifetimes_.end()) return;
    Lifetime& lifetime = found->second;
    if (!lifetime.is_used) lifetime = {place_, place_, true};
    lifetime.last = place_;
  }

  std::map<std::string, Lifetime>& lifetimes_;
  const std::set<std::string>& copied_later_;
  std::size_t place_ = 0;
  bool has_verbatim_ = false;
};

class MemoryPlan {
 public:
  MemoryPlan(const ThreadProgram& program, const std::set<std::string>& copied_later)
      : buffers_(program.shared) {
    std::map<std::string, Lifetime> lifetimes;
    for (const Buffer& buffer : buffers_) lifetimes[buffer.name];
    UseFinder finder(lifetimes, copied_later);
    for (std::size_t i = 0; i != program.body.size(); ++i) {
      finder.visit(program.body[i], i);
      if (std::holds_alternative<Barrier>(program.body[i].node)) barriers_.push_back(i);
    }
    for (const Buffer& buffer : buffers_) lifetimes_.push_back(lifetimes.at(buffer.name));
    may_share_ = !finder.has_verbatim();
    place_all();
  }

  [[nodiscard]] const std::vector<Buffer>& buffers() const { return buffers_; }
  [[nodiscard]] std::int64_t bytes() const {
    std::int64_t bytes = 0;
    for (const Buffer& buffer : buffers_) {
      bytes = std::max(bytes, buffer.offset + planned_bytes(buffer));
    }
    return bytes;
  }

  /// The statements before which a barrier would let a buffer have the bytes of an earlier one,
  /// without those that an earlier barrier of these serves.
  [[nodiscard]] std::vector<std::size_t> missing_barriers() const {
    std::vector<std::size_t> firsts;
    if (!may_share_) return firsts;
    for (const Lifetime& each : lifetimes_) {
      if (each.is_used) firsts.push_back(each.first);
    }
    std::ranges::sort(firsts);
    std::vector<std::size_t> missing;
    for (const std::size_t first : firsts) {
      const bool is_missing = std::ranges::any_of(lifetimes_, [&](const Lifetime& before) {
        if (!before.is_used || before.last >= first || has_barrier(before.last, first))
          return false;
        return missing.empty() || missing.back() <= before.last;
      });
      if (is_missing) missing.push_back(first);
    }
    return missing;
  }

 private:
  [[nodiscard]] bool has_barrier(std::size_t after, std::size_t before) const {
    const auto next = std::ranges::upper_bound(barriers_, after);
    return next != barriers_.end() && *next < before;
  }

  /// Whether the first is done with everywhere before the second one begins.
  [[nodiscard]] bool is_before(const Lifetime& a, const Lifetime& b) const {
    return a.last < b.first && has_barrier(a.last, b.first);
  }

  [[nodiscard]] bool can_share(std::size_t a, std::size_t b) const {
    const Lifetime& one = lifetimes_[a];
    const Lifetime& other = lifetimes_[b];
    if (!may_share_) return false;
    return !one.is_used || !other.is_used || is_before(one, other) || is_before(other, one);
  }

  void place_all() {
    std::vector<std::size_t> order(buffers_.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::sort(order, {},
                      [&](std::size_t i) { return std::pair(-planned_bytes(buffers_[i]), i); });
    std::vector<std::size_t> placed;
    for (const std::size_t i : order) {
      buffers_[i].offset = first_place(i, placed);
      const auto offset_of = [&](std::size_t j) { return buffers_[j].offset; };
      placed.insert(std::ranges::upper_bound(placed, offset_of(i), {}, offset_of), i);
    }
  }

  /// The first place behind or between the buffers, in the order of their places, that it may not
  /// share with.
  [[nodiscard]] std::int64_t first_place(std::size_t i,
                                         const std::vector<std::size_t>& placed) const {
    std::int64_t place = 0;
    for (const std::size_t j : placed) {
      const Buffer& other = buffers_[j];
      if (can_share(i, j) || other.offset >= place + planned_bytes(buffers_[i])) continue;
      place = std::max(place, other.offset + planned_bytes(other));
    }
    return place;
  }

  std::vector<Buffer> buffers_;
  std::vector<Lifetime> lifetimes_;
  /// Of the program's own block.
  std::vector<std::size_t> barriers_;
  bool may_share_ = true;
};

}  // namespace

std::int64_t held_bits(DType type, Space space) {
  return space == Space::kGlobal ? bits(type) : std::max<std::int64_t>(bits(type), 8);
}

std::int64_t planned_bytes(const Buffer& buffer) {
  const std::int64_t bytes = buffer.elements.value() * held_bits(buffer.type, Space::kShared) / 8;
  return (bytes + kSharedAlignment - 1) / kSharedAlignment * kSharedAlignment;
}

std::int64_t launched_shared_bytes(const ThreadProgram& program) {
  constexpr std::int64_t kMostDeclared = 48 * 1024;
  return program.shared_bytes > kMostDeclared ? program.shared_bytes : 0;
}

bool has_shared_places(const ThreadProgram& program) {
  std::int64_t bytes = 0;
  for (const Buffer& buffer : program.shared) bytes += planned_bytes(buffer);
  return bytes > program.shared_bytes;
}

void plan_memory(ThreadProgram& program, std::int64_t most_bytes,
                 const std::set<std::string>& copied_later) {
  MemoryPlan plan(program, copied_later);
  if (plan.bytes() > most_bytes) {
    ThreadProgram with_barriers = program;
    std::vector<std::size_t> places = plan.missing_barriers();
    for (std::size_t i = places.size(); i-- != 0;) {
      with_barriers.body.insert(with_barriers.body.begin() + static_cast<std::ptrdiff_t>(places[i]),
                                {Barrier{}});
    }
    MemoryPlan other(with_barriers, copied_later);
    if (other.bytes() <= most_bytes) {
      program.body = std::move(with_barriers.body);
      plan = std::move(other);
    }
  }
  program.shared = plan.buffers();
  program.shared_bytes = plan.bytes();
}

}  // namespace heddle::kernel
