// Runs the statements of a kernel: each by all parts of a block that perform it, before the next.
//
// A frame is what a scope makes: its parts (the block, each warp, each thread, …), a row of
// integers for each, and which of them perform the statement at hand. Conditions and loops switch
// parts off; a scope makes a frame of its own from those that are on.

#include <algorithm>
#include <map>
#include <utility>

#include "core/format.h"
#include "core/overloaded.h"
#include "fmt/ranges.h"
#include "kernel/meaning/code.h"

namespace heddle::kernel::meaning {
namespace {

/// The work of performing a statement once, beside its elements.
constexpr std::int64_t kStatementWork = 16;

using Mask = std::vector<std::uint8_t>;

bool any_of_mask(const Mask& mask) {
  return std::ranges::any_of(mask, [](std::uint8_t on) { return on != 0; });
}

struct Frame {
  /// The threads of each part, in order.
  std::vector<std::vector<std::int64_t>> parts;
  std::size_t slots = 0;
  /// A row for each part, one after the other.
  std::vector<std::int64_t> rows;
  Mask is_on;
  /// The parts that are still in the innermost loop.
  Mask* in_loop = nullptr;

  [[nodiscard]] std::span<std::int64_t> row(std::size_t part) {
    return std::span(rows).subspan(part * slots, slots);
  }
  void add(std::vector<std::int64_t> threads, std::span<const std::int64_t> row) {
    const std::int64_t first = threads.front();
    parts.push_back(std::move(threads));
    rows.insert(rows.end(), row.begin(), row.end());
    is_on.push_back(1);
    const std::span<std::int64_t> own = this->row(parts.size() - 1);
    own[kThreadSlot] = first;
    own[kLaneSlot] = first % kWarpThreads;
    own[kWarpSlot] = first / kWarpThreads;
  }
};

/// An asynchronous copy that has not been waited for.
struct PendingCopy {
  Storage* storage;
  std::vector<std::size_t> places;
  std::size_t part;
  /// The number of parts of the frame that began it.
  std::size_t parts;
};

class Machine {
 public:
  Machine(Code& code, Memory& memory, Budget& budget)
      : code_(code), memory_(memory), budget_(budget) {}

  Result<void> run() {
    exact::Value blocks = product_of(code_.grid);
    if (!blocks) return refuse("overflow", "the number of blocks does not fit into 64 bits");
    HEDDLE_CHECK(prepare(*blocks));
    for (std::int64_t block = 0; block != *blocks; ++block) {
      block_ = block;
      HEDDLE_CHECK(budget_.spend(kStatementWork));
      Frame frame = frame_of_block();
      HEDDLE_CHECK(run(code_.body, frame));
      finish_copies();
    }
    return {};
  }

 private:
  /// The end of a block waits for all copies.
  void finish_copies() {
    for (const auto& [group, copies] : pending_) std::ranges::for_each(copies, finish);
    pending_.clear();
  }

  static void finish(const PendingCopy& copy) {
    for (const std::size_t place : copy.places) {
      if (place < copy.storage->pending.size()) copy.storage->pending[place] = 0;
    }
  }

  /// Memory in which blocks are told apart, where they may meet.
  Result<void> prepare(std::int64_t blocks) {
    for (Storage& storage : code_.storages) {
      if (storage.tensor.space != Space::kGlobal) continue;
      HEDDLE_CHECK(memory_.reserve(storage.size));
      if (blocks == 1 || !writes_to(code_.body, storage)) continue;
      HEDDLE_CHECK(memory_.reserve(2 * storage.size));
      storage.blocks.resize(static_cast<std::size_t>(storage.size));
    }
    return {};
  }

  static bool writes_to(const CodeBlock& block, const Storage& storage) {
    return std::ranges::any_of(block, [&](const CodeStatement& statement) {
      if (statement.shared_destination == &storage) return true;
      return std::visit(
          Overloaded{[&](const ForCode& node) { return writes_to(node.body, storage); },
                     [&](const WhileCode& node) { return writes_to(node.body, storage); },
                     [&](const IfCode& node) {
                       return writes_to(node.then, storage) || writes_to(node.otherwise, storage);
                     },
                     [&](const ScopeCode& node) {
                       return writes_to(node.body, storage) || writes_to(node.otherwise, storage);
                     },
                     [](const auto&) { return false; }},
          statement.node);
    });
  }

  [[nodiscard]] Frame frame_of_block() const {
    std::vector<std::int64_t> row(code_.slots);
    std::int64_t rest = block_;
    for (std::size_t d = 0; d != code_.grid.size(); ++d) {
      row[kBlockSlots + d] = rest % code_.grid[d];
      rest /= code_.grid[d];
    }
    std::vector<std::int64_t> threads(static_cast<std::size_t>(code_.threads));
    for (std::size_t t = 0; t != threads.size(); ++t) threads[t] = static_cast<std::int64_t>(t);
    Frame frame;
    frame.slots = code_.slots;
    frame.add(std::move(threads), row);
    return frame;
  }

  Result<void> run(CodeBlock& block, Frame& frame) {
    for (CodeStatement& statement : block) {
      if (!any_of_mask(frame.is_on)) return {};
      auto done =
          std::visit([&](auto& node) { return run(node, statement, frame); }, statement.node);
      if (done) continue;
      Diagnostic diagnostic = std::move(done).error();
      if (diagnostic.span()) return refuse(std::move(diagnostic));
      return refuse(std::move(diagnostic).with_span(statement.span));
    }
    return {};
  }

  /// Calls `each(part, performance)` for every part that is on.
  template <class Each>
  Result<void> by_each_part(const CodeStatement& statement, Frame& frame, Each each) {
    ++statement_;
    const bool may_race = statement.shared_destination != nullptr && frame.parts.size() > 1;
    if (may_race) HEDDLE_CHECK(follow_parts(*statement.shared_destination));
    for (std::size_t part = 0; part != frame.parts.size(); ++part) {
      if (frame.is_on[part] == 0) continue;
      HEDDLE_CHECK(budget_.spend(kStatementWork));
      const Actor actor{block_, part, frame.parts[part].front(), may_race ? statement_ : 0, false};
      Result<void> done = each(part, Performance{memory_, actor, frame.row(part)});
      if (!done) return refuse(by(frame, part, std::move(done).error()));
    }
    return {};
  }

  /// The refusal of an index, with the block and the threads that have it where there are several.
  [[nodiscard]] Diagnostic by(Frame& frame, std::size_t part, Diagnostic diagnostic) const {
    if (diagnostic.code() != "kernel.index") return diagnostic;
    std::vector<std::string> who;
    const auto block = frame.row(part).subspan(kBlockSlots, code_.grid.size());
    if (*product_of(code_.grid) > 1) {
      who.push_back(block.size() == 1 ? fmt::format("block {}", block[0])
                                      : fmt::format("block ({})", fmt::join(block, ",")));
    }
    const std::vector<std::int64_t>& threads = frame.parts[part];
    if (frame.parts.size() > 1) {
      who.push_back(threads.size() == 1
                        ? fmt::format("thread {}", threads.front())
                        : fmt::format("threads {} to {}", threads.front(), threads.back()));
    }
    if (who.empty()) return diagnostic;
    return std::move(diagnostic).with_note(fmt::format("in {}", fmt::join(who, ", ")));
  }

  Result<void> follow_parts(Storage& storage) {
    if (storage.parts.size() == storage.elements.size()) return {};
    HEDDLE_CHECK(memory_.reserve(2 * storage.size));
    storage.parts.resize(storage.elements.size());
    return {};
  }

  Result<void> run(DeclareCode& node, const CodeStatement& /*statement*/, Frame& frame) {
    Storage& storage = *node.storage;
    const std::size_t parts = storage.is_private() ? frame.parts.size() : 1;
    const auto size = static_cast<std::size_t>(storage.size);
    HEDDLE_CHECK(budget_.spend(storage.size, static_cast<std::int64_t>(parts)));
    if (storage.elements.size() < parts * size) {
      const std::size_t more = parts * size - storage.elements.size();
      HEDDLE_CHECK(memory_.reserve(2 * static_cast<std::int64_t>(more)));
      storage.elements.resize(parts * size);
      storage.known.resize(parts * size);
    }
    storage.pending.clear();
    for (std::size_t part = 0; part != parts; ++part) {
      if (storage.is_private() && frame.is_on[part] == 0) continue;
      std::fill_n(storage.known.begin() + static_cast<std::ptrdiff_t>(part * size), size, 0);
    }
    return {};
  }

  Result<void> run(LetCode& node, const CodeStatement& statement, Frame& frame) {
    return by_each_part(statement, frame,
                        [&](std::size_t part, const Performance& performance) -> Result<void> {
                          HEDDLE_TRY(const Number number, scalar(node.value, performance, budget_));
                          frame.row(part)[node.slot] = number.integer;
                          return {};
                        });
  }

  template <class Operator>
  Result<void> run(Operator& node, const CodeStatement& statement, Frame& frame) {
    return by_each_part(statement, frame, [&](std::size_t, const Performance& performance) {
      return perform(node, performance, budget_);
    });
  }

  Result<void> run(AssignCode& node, const CodeStatement& statement, Frame& frame) {
    return by_each_part(statement, frame,
                        [&](std::size_t part, const Performance& performance) -> Result<void> {
                          HEDDLE_CHECK(perform(node, performance, budget_));
                          if (node.group)
                            pending_[*node.group].push_back(begun(node, part, frame.parts.size()));
                          return {};
                        });
  }

  /// Marks what an asynchronous copy writes.
  static PendingCopy begun(const AssignCode& node, std::size_t part, std::size_t parts) {
    const Places& destination = node.destination;
    Storage& storage = destination.storage();
    PendingCopy copy{&storage, {}, part, parts};
    if (storage.pending.empty()) storage.pending.resize(storage.elements.size());
    Located located;
    const std::int64_t size = destination.size();
    for (std::int64_t first = 0; first < size; first += static_cast<std::int64_t>(kChunk)) {
      const auto count = static_cast<std::size_t>(std::min<std::int64_t>(kChunk, size - first));
      for (std::int64_t each = 0; each != destination.parts(); ++each) {
        destination.locate(first, count, located, each);
        for (std::size_t i = 0; i != count; ++i) {
          if (located.places[i] < 0) continue;
          copy.places.push_back(static_cast<std::size_t>(located.places[i]));
          storage.pending[copy.places.back()] = 1;
        }
      }
    }
    return copy;
  }

  /// A part waits for its own copies; parts of another scope wait for all of the group.
  Result<void> run(WaitCode& node, const CodeStatement& statement, Frame& frame) {
    return by_each_part(statement, frame,
                        [&](std::size_t part, const Performance&) -> Result<void> {
                          std::erase_if(pending_[node.group], [&](const PendingCopy& copy) {
                            if (copy.parts == frame.parts.size() && copy.part != part) return false;
                            for (const std::size_t place : copy.places) {
                              if (place < copy.storage->pending.size())
                                copy.storage->pending[place] = 0;
                            }
                            return true;
                          });
                          return {};
                        });
  }

  Result<void> run(BarrierCode& /*node*/, const CodeStatement& statement, Frame& frame) {
    return by_each_part(statement, frame,
                        [](std::size_t, const Performance&) -> Result<void> { return {}; });
  }

  Result<void> run(ForCode& node, const CodeStatement& statement, Frame& frame) {
    std::vector<std::int64_t> extents(frame.parts.size());
    HEDDLE_CHECK(by_each_part(
        statement, frame, [&](std::size_t part, const Performance& performance) -> Result<void> {
          const exact::Value extent = node.extent.at(performance.row);
          if (!extent) return refuse("overflow", "the extent of a loop is not a 64-bit number");
          extents[part] = *extent;
          return {};
        }));
    std::int64_t counter = 0;
    return loop(node.body, frame, [&](Mask& in_loop) -> Result<void> {
      for (std::size_t part = 0; part != in_loop.size(); ++part) {
        if (counter >= extents[part]) in_loop[part] = 0;
        frame.row(part)[node.slot] = counter;
      }
      ++counter;
      return {};
    });
  }

  Result<void> run(WhileCode& node, const CodeStatement& statement, Frame& frame) {
    return loop(node.body, frame, [&](Mask& in_loop) {
      frame.is_on = in_loop;
      return by_each_part(statement, frame,
                          [&](std::size_t part, const Performance& performance) -> Result<void> {
                            HEDDLE_TRY(const bool holds, truth(node.condition, performance));
                            if (!holds) in_loop[part] = 0;
                            return {};
                          });
    });
  }

  /// Repeats the body until no part is in the loop; `next` takes out those that are done.
  template <class Next>
  Result<void> loop(CodeBlock& body, Frame& frame, Next next) {
    const Mask entered = frame.is_on;
    Mask in_loop = entered;
    Mask* const outer = std::exchange(frame.in_loop, &in_loop);
    while (true) {
      HEDDLE_CHECK(budget_.spend(kStatementWork));
      HEDDLE_CHECK(next(in_loop));
      if (!any_of_mask(in_loop)) break;
      frame.is_on = in_loop;
      HEDDLE_CHECK(run(body, frame));
    }
    frame.in_loop = outer;
    frame.is_on = entered;
    return {};
  }

  static Result<void> run(BreakCode& /*node*/, const CodeStatement& /*statement*/, Frame& frame) {
    for (std::size_t part = 0; part != frame.is_on.size(); ++part) {
      if (frame.is_on[part] != 0) (*frame.in_loop)[part] = 0;
    }
    std::ranges::fill(frame.is_on, 0);
    return {};
  }

  static Result<void> run(ContinueCode& /*node*/, const CodeStatement& /*statement*/,
                          Frame& frame) {
    std::ranges::fill(frame.is_on, 0);
    return {};
  }

  Result<void> run(IfCode& node, const CodeStatement& statement, Frame& frame) {
    Mask otherwise(frame.parts.size());
    Mask then(frame.parts.size());
    HEDDLE_CHECK(by_each_part(
        statement, frame, [&](std::size_t part, const Performance& performance) -> Result<void> {
          HEDDLE_TRY(const bool holds, truth(node.condition, performance));
          (holds ? then : otherwise)[part] = 1;
          return {};
        }));
    frame.is_on = std::move(then);
    HEDDLE_CHECK(run(node.then, frame));
    const Mask after_then = std::exchange(frame.is_on, std::move(otherwise));
    HEDDLE_CHECK(run(node.otherwise, frame));
    for (std::size_t part = 0; part != after_then.size(); ++part) {
      frame.is_on[part] |= after_then[part];
    }
    return {};
  }

  Result<bool> truth(Expression& condition, const Performance& performance) {
    HEDDLE_TRY(const Number value, scalar(condition, performance, budget_));
    return value.is_real ? value.real != 0 : value.integer != 0;
  }

  Result<void> run(ScopeCode& node, const CodeStatement& statement, Frame& frame) {
    Frame inside;
    Frame outside;
    inside.slots = outside.slots = frame.slots;
    HEDDLE_CHECK(
        by_each_part(statement, frame, [&](std::size_t part, const Performance& performance) {
          return divide(node, frame.parts[part], performance.row, inside, outside);
        }));
    HEDDLE_CHECK(run(node.body, inside));
    return run(node.otherwise, outside);
  }

  /// Adds the parts that a scope makes of some threads.
  static Result<void> divide(const ScopeCode& node, const std::vector<std::int64_t>& threads,
                             std::span<const std::int64_t> row, Frame& inside, Frame& outside) {
    const auto count = static_cast<std::int64_t>(threads.size());
    const std::int64_t unit = node.unit == 0 ? count : node.unit;
    const auto slice = [&](std::int64_t begin, std::int64_t end) {
      return std::vector(threads.begin() + begin, threads.begin() + end);
    };
    if (!node.range) {
      const std::int64_t end = node.is_elected ? unit : count;
      for (std::int64_t t = 0; t < end; t += unit) {
        inside.add(slice(t, std::min(t + unit, count)), row);
      }
      return {};
    }
    const auto [first, last] = *node.range;
    if (first >= last || last > count / unit) {
      return refuse("kernel.scope", "the part {}:{} is not of {} threads in parts of {}", first,
                    last, count, unit);
    }
    inside.add(slice(first * unit, last * unit), row);
    std::vector<std::int64_t> rest = slice(0, first * unit);
    rest.insert(rest.end(), threads.begin() + last * unit, threads.end());
    if (!rest.empty()) outside.add(std::move(rest), row);
    return {};
  }

  Code& code_;
  Memory& memory_;
  Budget& budget_;
  std::int64_t block_ = 0;
  std::uint64_t statement_ = 0;
  std::map<std::string, std::vector<PendingCopy>, std::less<>> pending_;
};

}  // namespace

Result<void> run(Code& code, Memory& memory, Budget& budget) {
  return Machine(code, memory, budget).run();
}

}  // namespace heddle::kernel::meaning
