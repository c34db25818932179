#include "kernel/passes/sink.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <span>
#include <string>
#include <utility>

#include "kernel/thread_walk.h"

namespace heddle::kernel {

namespace {

/// Whether some statement of the block, or in it, is one of these.
template <class... Nodes>
bool has_any(std::span<const ThreadStatement> block) {
  return std::ranges::any_of(block, [](const ThreadStatement& statement) {
    bool is_found = (std::holds_alternative<Nodes>(statement.node) || ...);
    for_each_block(statement, [&](const ThreadBlock& inner) {
      is_found = is_found || has_any<Nodes...>(inner);
    });
    return is_found;
  });
}

void add_names(std::span<const ThreadStatement> block, std::set<std::string>& names) {
  for (const ThreadStatement& statement : block) {
    for_each_place(statement, [&](const Location& place) { names.insert(place.buffer); });
    for_each_block(statement, [&](const ThreadBlock& inner) { add_names(inner, names); });
  }
}

bool exchanges(const Computation& value) {
  return std::holds_alternative<Computation::Shuffle>(value.node) ||
         std::ranges::any_of(value.operands, exchanges);
}

/// The statements of one block in front of a guard, and what they may write.
class Sinking {
 public:
  Sinking(ThreadBlock& block, std::size_t guard) : block_(block), guard_(guard) {
    for (const ThreadStatement& statement : block) {
      if (const auto* own = std::get_if<Buffer>(&statement.node)) own_.insert(own->name);
    }
    std::set<std::string> behind;
    add_names(std::span(block).subspan(guard + 1), behind);
    for (const std::string& name : behind) own_.erase(name);
    // The target's own text may name any of them.
    if (has_any<Verbatim>(std::span(block).subspan(guard + 1))) own_.clear();
  }

  /// Where the statements begin that only the guard needs; the guard itself if there are none.
  [[nodiscard]] std::size_t begin() const {
    std::size_t begin = guard_;
    for (std::size_t i = guard_; i != 0 && is_movable(block_[i - 1]); --i) {
      if (!is_silent(block_[i - 1])) begin = i - 1;
    }
    // With what names the first of them.
    while (begin != guard_ && begin != 0 && is_silent(block_[begin - 1]) &&
           is_movable(block_[begin - 1])) {
      --begin;
    }
    return begin;
  }

 private:
  /// Says something, and does nothing.
  static bool is_silent(const ThreadStatement& statement) {
    return std::holds_alternative<Origin>(statement.node) ||
           std::holds_alternative<Buffer>(statement.node);
  }

  [[nodiscard]] bool is_movable(const ThreadStatement& statement) const {
    if (const auto* buffer = std::get_if<Buffer>(&statement.node)) {
      return own_.contains(buffer->name);
    }
    return !has_any<AtomicAdd, MultiplyTile, PackPanel, PermuteRows, Define, Barrier, CommitCopies,
                    AwaitCopies, LeaveLoop, NextIteration, Verbatim>(std::span(&statement, 1)) &&
           writes_own(statement);
  }

  [[nodiscard]] bool writes_own(const ThreadStatement& statement) const {
    bool is_own = true;
    if (const auto* store = std::get_if<StoreElement>(&statement.node)) {
      is_own = own_.contains(store->to.buffer);
    }
    if (const auto* applied = std::get_if<ApplyInstruction>(&statement.node)) {
      is_own = own_.contains(applied->places.front().buffer) && applied->instruction.threads == 1;
    }
    for_each_value(statement,
                   [&](const Computation& value) { is_own = is_own && !exchanges(value); });
    for_each_block(statement, [&](const ThreadBlock& inner) {
      is_own = is_own && std::ranges::all_of(
                             inner, [&](const ThreadStatement& each) { return writes_own(each); });
    });
    return is_own;
  }

  const ThreadBlock& block_;
  std::size_t guard_;
  /// Registers of the block that nobody reads behind the guard.
  std::set<std::string> own_;
};

}  // namespace

void sink_into_guards(ThreadBlock& block) {
  for (std::size_t i = block.size(); i-- != 0;) {
    for_each_block(block[i], [](ThreadBlock& inner) { sink_into_guards(inner); });
    auto* guard = std::get_if<Guarded>(&block[i].node);
    if (guard == nullptr || guard->conditions.empty() || !guard->otherwise.empty()) continue;
    const std::size_t begin = Sinking(block, i).begin();
    const auto first = block.begin() + static_cast<std::ptrdiff_t>(begin);
    const auto last = block.begin() + static_cast<std::ptrdiff_t>(i);
    guard->body.insert(guard->body.begin(), std::make_move_iterator(first),
                       std::make_move_iterator(last));
    block.erase(first, last);
    i = begin;
  }
}

}  // namespace heddle::kernel
