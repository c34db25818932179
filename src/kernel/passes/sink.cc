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

/// Goes through one block from its end, and knows what later statements name.
class Sinking {
 public:
  explicit Sinking(const ThreadBlock& block) : block_(block) {
    for (const ThreadStatement& statement : block) {
      if (const auto* own = std::get_if<Buffer>(&statement.node)) declared_.insert(own->name);
    }
  }

  /// The statement is a later one from here on.
  void pass(const ThreadStatement& statement) {
    const std::span<const ThreadStatement> one(&statement, 1);
    add_names(one, behind_);
    has_verbatim_ = has_verbatim_ || has_any<Verbatim>(one);
  }

  /// Where the statements begin that only the guard needs; the guard itself if there are none.
  [[nodiscard]] std::size_t begin(std::size_t guard) const {
    std::size_t begin = guard;
    for (std::size_t i = guard; i != 0 && is_movable(block_[i - 1]); --i) {
      if (!is_silent(block_[i - 1])) begin = i - 1;
    }
    // With what names the first of them.
    while (begin != guard && begin != 0 && is_silent(block_[begin - 1]) &&
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
      return is_own(buffer->name);
    }
    return !has_any<AtomicAdd, MultiplyTile, PackPanel, PermuteRows, Define, Barrier, CommitCopies,
                    AwaitCopies, LeaveLoop, NextIteration, Verbatim>(std::span(&statement, 1)) &&
           writes_own(statement);
  }

  [[nodiscard]] bool writes_own(const ThreadStatement& statement) const {
    bool is_all_own = true;
    if (const auto* store = std::get_if<StoreElement>(&statement.node)) {
      is_all_own = is_own(store->to.buffer);
    }
    if (const auto* applied = std::get_if<ApplyInstruction>(&statement.node)) {
      is_all_own = is_own(applied->places.front().buffer) && applied->instruction.threads == 1;
    }
    for_each_value(statement,
                   [&](const Computation& value) { is_all_own = is_all_own && !exchanges(value); });
    for_each_block(statement, [&](const ThreadBlock& inner) {
      is_all_own = is_all_own && std::ranges::all_of(inner, [&](const ThreadStatement& each) {
                     return writes_own(each);
                   });
    });
    return is_all_own;
  }

  /// Whether these are registers of the block that no later statement names; the target's own text
  /// may name any of them.
  [[nodiscard]] bool is_own(const std::string& name) const {
    return declared_.contains(name) && !behind_.contains(name) && !has_verbatim_;
  }

  const ThreadBlock& block_;
  std::set<std::string> declared_;
  std::set<std::string> behind_;
  bool has_verbatim_ = false;
};

}  // namespace

void sink_into_guards(ThreadBlock& block) {
  Sinking sinking(block);
  ThreadBlock kept;
  for (std::size_t i = block.size(); i-- != 0;) {
    ThreadStatement statement = std::move(block[i]);
    for_each_block(statement, [](ThreadBlock& inner) { sink_into_guards(inner); });
    auto* guard = std::get_if<Guarded>(&statement.node);
    if (guard != nullptr && !guard->conditions.empty() && guard->otherwise.empty()) {
      const std::size_t begin = sinking.begin(i);
      const auto first = block.begin() + static_cast<std::ptrdiff_t>(begin);
      const auto last = block.begin() + static_cast<std::ptrdiff_t>(i);
      guard->body.insert(guard->body.begin(), std::make_move_iterator(first),
                         std::make_move_iterator(last));
      i = begin;
    }
    sinking.pass(statement);
    kept.push_back(std::move(statement));
  }
  std::ranges::reverse(kept);
  block = std::move(kept);
}

}  // namespace heddle::kernel
