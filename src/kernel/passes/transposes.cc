#include "kernel/passes/transposes.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "heddle/expr/proof.h"
#include "heddle/expr/simplify.h"
#include "kernel/passes/bounds.h"
#include "kernel/thread_walk.h"

namespace heddle::kernel {

namespace {

/// A cache line of elements, which blocks are wide.
std::int64_t elements_of_line(DType type) { return 512 / bits(type); }

class TransposeFinder {
 public:
  TransposeFinder(const TypeOfMemory& type_of, const Fresh& fresh, std::vector<Choice>& choices)
      : type_of_(type_of), fresh_(fresh), choices_(choices) {}

  void visit(ThreadBlock& block) {
    for (ThreadStatement& statement : block) {
      if (const auto* origin = std::get_if<Origin>(&statement.node)) span_ = origin->span;
      const auto* loop = std::get_if<ThreadLoop>(&statement.node);
      if (loop != nullptr && loop->body.size() == 1) {
        if (auto found = in_blocks(*loop, loop->body.front())) {
          statement = *std::move(found);
          note();
          continue;
        }
      }
      for_each_block(statement, [&](ThreadBlock& inner) { visit(inner); });
    }
  }

 private:
  void note() {
    const Choice::Note note{"loops", "transpose blocks of a line of the caches in registers"};
    for (Choice& choice : choices_) {
      if (choice.span != span_ || std::ranges::count(choice.notes, note) != 0) continue;
      choice.notes.push_back(note);
    }
  }

  /// The inner loop, which may have two versions, within the outer one.
  std::optional<ThreadStatement> in_blocks(const ThreadLoop& outer,
                                           const ThreadStatement& statement) {
    if (const auto* inner = std::get_if<ThreadLoop>(&statement.node)) {
      return in_blocks(outer, *inner);
    }
    const auto* versions = std::get_if<Guarded>(&statement.node);
    if (versions == nullptr || versions->body.size() != 1 || versions->otherwise.size() > 1) {
      return std::nullopt;
    }
    for (const Condition& each : versions->conditions) {
      if (depends_on(each, outer.counter)) return std::nullopt;
    }
    Guarded result{versions->conditions, {}, {}};
    for (const auto& [from, to] : {std::pair{&versions->body, &result.body},
                                   std::pair{&versions->otherwise, &result.otherwise}}) {
      if (from->empty()) continue;
      auto found = in_blocks(outer, from->front());
      if (!found) return std::nullopt;
      to->push_back(*std::move(found));
    }
    return ThreadStatement{std::move(result)};
  }

  std::optional<ThreadStatement> in_blocks(const ThreadLoop& outer, const ThreadLoop& inner) {
    if (depends_on(inner.begin, outer.counter) || depends_on(inner.extent, outer.counter)) {
      return std::nullopt;
    }
    auto panel = transposed(outer, inner);
    // Rows of the destination that overlapped would be written in another order.
    const Int width = max(inner.extent - inner.begin, 0);
    if (!panel || known_at_most(panel->to_step + 1, width)) return std::nullopt;
    const std::int64_t side = panel->side;
    const std::string whole = fresh_("whole");
    const std::string block = fresh_("block");
    const Int blocks = Int::variable(whole);
    const Int first = inner.begin + side * Int::variable(block);
    for (Location* place : {&panel->to, &panel->from}) {
      place->address =
          *instantiate(place->address, {{outer.counter, outer.begin}, {inner.counter, first}});
    }
    ThreadLoop left = inner;
    left.begin = inner.begin + side * blocks;
    ThreadLoop rest = outer;
    rest.body = {{std::move(left)}};
    const Int count = floor_div(width, side);
    Guarded result;
    if (!known_at_most(width, panel->to_step)) {
      result.conditions.push_back({width, Predicate::kAtMost, panel->to_step});
      result.otherwise.push_back({outer});
    }
    result.body.push_back({Define{whole, {Computation::Index{count}, DType::kI64, {}}}});
    result.body.push_back({ThreadLoop{block, blocks, {{*std::move(panel)}}}});
    result.body.push_back({std::move(rest)});
    return ThreadStatement{std::move(result)};
  }

  /// Both loops as one block, at the counters' own places; nullopt unless they transpose.
  std::optional<PackPanel> transposed(const ThreadLoop& outer, const ThreadLoop& inner) const {
    const auto* store =
        inner.body.size() == 1 ? std::get_if<StoreElement>(&inner.body.front().node) : nullptr;
    const auto* load =
        store == nullptr ? nullptr : std::get_if<Computation::Load>(&store->value.node);
    if (load == nullptr || !load->inside.empty()) return std::nullopt;
    const Location& to = store->to;
    const Location& from = load->from;
    const auto type = type_of_(to.buffer);
    const bool is_copy = type && type == type_of_(from.buffer) && bits(*type) >= 8 &&
                         *type != DType::kBool && to.buffer != from.buffer && !to.seen &&
                         !from.seen;
    if (!is_copy) return std::nullopt;
    const auto along = [&](const Location& place, const ThreadLoop& loop) {
      return stride_along(place.address, loop.counter);
    };
    const auto to_step = along(to, outer);
    const auto row = along(from, inner);
    const auto to_inner = along(to, inner);
    const auto from_outer = along(from, outer);
    if (!to_step || !row || !to_inner || !from_outer) return std::nullopt;
    if (!known_equal(*to_inner, 1) || !known_equal(*from_outer, 1)) return std::nullopt;
    const std::int64_t side = elements_of_line(*type);
    const Int depth = max(outer.extent - outer.begin, 0);
    return PackPanel{to, from, *type, *type, side, *row, 1, side, depth, 1, *to_step};
  }

  const TypeOfMemory& type_of_;
  const Fresh& fresh_;
  std::vector<Choice>& choices_;
  /// Of the statement that the loops are of.
  Span span_;
};

}  // namespace

void find_transposes(ThreadBlock& block, const TypeOfMemory& type_of, const Fresh& fresh,
                     std::vector<Choice>& choices) {
  TransposeFinder(type_of, fresh, choices).visit(block);
}

}  // namespace heddle::kernel
