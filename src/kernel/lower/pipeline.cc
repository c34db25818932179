// Copies that are done later: pipelines whose loads run ahead, and copy_async with its wait.
//
//   pipeline k in K // 32, stages 3 { load { … } compute { … } }
//
//     for (turn = 0; turn < 2; ++turn)            the loads of iterations 0 and 1
//       if (turn < K/32) load k = turn; commit
//     for (round = 0; round < (K/32 + 2)/3; ++round) for (stage = 0; stage < 3; ++stage)
//       if (turn = 3*round + stage < K/32)
//         wait for all loads but the last one; barrier
//         if (turn + 2 < K/32) load k = turn + 2; commit
//         compute k = turn
//
// The barrier lets every thread see what the others have loaded, and none loads into the stage of
// the iteration before as long as one still computes with it. So no other barrier is needed for
// stages: check_pipeline() has found that iterations touch nothing but their own.

#include <ranges>
#include <set>
#include <utility>

#include "heddle/expr/index_variable.h"
#include "kernel/lower/lowerer.h"
#include "kernel/passes/bind.h"

namespace heddle::kernel {

namespace {

/// Longer turns of stages are not written out one by one.
constexpr std::int64_t kMostInTurn = 8;

/// Whether there is a text of a target, which may use the counters of loops around it.
bool has_text(const Block& block) {
  bool has_any = false;
  for_each_statement(block, [&](const Statement& statement) {
    has_any = has_any || std::holds_alternative<Unchecked>(statement.node);
  });
  return has_any;
}

/// Whether iterations may be left out, whose loads would have begun.
bool may_break(const Block& compute) {
  bool may = false;
  for_each_statement(compute, [&](const Statement& statement) {
    may = may || std::holds_alternative<Break>(statement.node);
  });
  return may;
}

}  // namespace

/// A pipeline that a `break` may leave, or that has no iteration, is a loop: no loads run ahead.
Result<void> Lowerer::lower(const Pipeline& node, const Team& team) {
  const bool may_run = index_variable(node.counter, node.extent).is_defined();
  if (options_.has_async_copies && node.stages > 1 && may_run && !may_break(node.compute)) {
    return lower_ahead(node, team);
  }
  const Block& loop = expansions_.emplace_back(Block{{loop_of(node), statement_->span}});
  return lower(std::get<For>(loop.front().node), team);
}

/// The loads of the iteration of this turn, if there is one, and their commit, which is counted
/// without loads too.
Result<void> Lowerer::load_at(const Pipeline& node, const Int& turn, const Team& team) {
  const Condition is_iteration{turn, Predicate::kLess, node.extent};
  if (known_false(is_iteration)) {
    add(CommitCopies{});
    return {};
  }
  Accesses::State before = accesses_.state();
  is_loading_ahead_ = true;
  auto lowered = nested([&] { return lower(node.load, team); });
  is_loading_ahead_ = false;
  HEDDLE_TRY(ThreadBlock loads, std::move(lowered));
  HEDDLE_CHECK(bind(loads, node.counter, turn));
  // The wait and the barrier of the turn in which they are used come before any other access that
  // follows; what an enclosing loop did before they begin is waited for there.
  accesses_.restore_pending(std::move(before));
  add(Guarded{{is_iteration}, std::move(loads), {}});
  add(CommitCopies{});
  return {};
}

Result<void> Lowerer::lower_ahead(const Pipeline& node, const Team& team) {
  HEDDLE_CHECK(check_barrier(team, "the stages of a pipeline"));
  std::set<std::string> staged;
  for_each_statement(node.load, [&](const Statement& statement) {
    const auto* copy = std::get_if<Call>(&statement.node);
    if (copy == nullptr) return;
    staged.insert(find(std::get<View>(copy->operands[0].node).tensor)->buffer);
  });
  const auto is_pending = [&](const std::string& buffer) { return accesses_.is_pending(buffer); };
  if (std::ranges::any_of(staged, is_pending)) HEDDLE_CHECK(add_barrier(team, "a pipeline"));

  const Int counter = index_variable(node.counter, node.extent);
  if (counter.is_symbolic()) counters_.push_back(counter);
  const std::int64_t ahead = node.stages - 1;
  const std::string first = fresh("turn");
  const std::size_t choices = program_.choices.size();
  HEDDLE_TRY(ThreadBlock loads,
             nested([&] { return load_at(node, index_variable(first, ahead), team); }));
  // The loads in the loop are done in the same ways, and tell of them.
  program_.choices.resize(choices);
  if (ahead > 1) {
    add(ThreadLoop{first, ahead, std::move(loads), true, statement_->span});
  } else {
    std::ranges::move(loads, std::back_inserter(*open_));
  }

  // As many iterations as there are stages are written out, so that a stage is a number in each.
  const std::int64_t together = node.stages <= kMostInTurn ? node.stages : 1;
  const std::string round_name = fresh("round");
  const std::string stage_name = fresh("stage");
  const Int rounds = ceil_div(node.extent, together);
  const Int turn =
      index_variable(round_name, rounds) * together + index_variable(stage_name, together);
  const auto fill = [&]() -> Result<void> {
    add(AwaitCopies{ahead - 1});
    HEDDLE_CHECK(add_barrier(team, "a pipeline"));
    HEDDLE_CHECK(load_at(node, turn + ahead, team));
    HEDDLE_TRY(ThreadBlock body, nested([&] { return lower(node.compute, team); }));
    HEDDLE_CHECK(bind(body, node.counter, turn));
    if (has_text(node.compute)) {
      body.insert(body.begin(), {Define{node.counter, {Computation::Index{turn}, DType::kI64}}});
    }
    add(Guarded{{}, std::move(body), {}});
    return {};
  };
  HEDDLE_TRY(ThreadBlock body, loop_body(fill, team, node.counter, node.extent));
  if (counter.is_symbolic()) counters_.pop_back();
  accesses_.end_loop(node.counter, node.extent);
  ThreadBlock stages = {{Guarded{{{turn, Predicate::kLess, node.extent}}, std::move(body), {}}}};
  if (together != 1) stages = {{ThreadLoop{stage_name, together, std::move(stages), true}}};
  add(ThreadLoop{round_name, rounds, std::move(stages), false, statement_->span});
  return {};
}

/// Each thread waits for its own copies, and for the others at a barrier: in a loop the copy may
/// stand behind the wait.
Result<void> Lowerer::await_copies(const Team& team) {
  if (!options_.has_async_copies) return {};
  add(AwaitCopies{0});
  are_copies_under_way_ = false;
  return add_barrier(team, "what is copied");
}

}  // namespace heddle::kernel
