// Control flow: scopes, loops and branches around the operators.

#include "heddle/kernel/lower.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <span>
#include <utility>

#include "core/overloaded.h"
#include "core/text.h"
#include "heddle/expr/index_variable.h"
#include "heddle/expr/proof.h"
#include "heddle/form/index_map.h"
#include "heddle/kernel/check.h"
#include "heddle/kernel/operators.h"
#include "heddle/kernel/schedule.h"
#include "heddle/kernel/view.h"
#include "kernel/lower/lowerer.h"
#include "kernel/passes/guards.h"
#include "kernel/passes/hold.h"
#include "kernel/passes/loops.h"
#include "kernel/passes/memory_plan.h"
#include "kernel/passes/sink.h"
#include "kernel/passes/steps.h"
#include "kernel/passes/transposes.h"
#include "kernel/passes/turns.h"
#include "kernel/placed.h"
#include "kernel/thread_walk.h"

namespace heddle::kernel {

namespace {

/// What a thread can hold, in local memory too (CUDA C++ programming guide, technical
/// specifications).
constexpr std::int64_t kMaxThreadBytes = std::int64_t{512} << 10;

/// The names of everything that the integers of a kernel may name.
void add_names(const Block& block, std::set<std::string>& names) {
  for_each_statement(block, [&](const Statement& statement) {
    if (const auto* let = std::get_if<Let>(&statement.node)) names.insert(let->name);
    if (const auto* loop = std::get_if<For>(&statement.node)) names.insert(loop->counter);
    if (const auto* loop = std::get_if<Pipeline>(&statement.node)) names.insert(loop->counter);
  });
}

}  // namespace

Lowerer::Lowerer(const Kernel& kernel, const LowerOptions& options, SharedLayouts layouts)
    : kernel_(kernel),
      options_(options),
      layouts_(std::move(layouts)),
      scope_threads_(kernel.launch.threads),
      accesses_(kernel.launch.threads) {
  program_.name = kernel.name;
  program_.parameters = kernel.parameters;
  program_.sizes = size_names(kernel);
  program_.launch = kernel.launch;
  program_.assumed = kernel.assumed;
  program_.place = kernel.place;
  taken_ = {"bx", "by", "bz", "tx", "laneid", "warpid", kernel.name};
  taken_.insert(program_.sizes.begin(), program_.sizes.end());
  add_names(kernel.body, taken_);
  for (const Instruction& instruction : kernel.instructions) {
    taken_.insert("apply_" + instruction.name);
  }
}

namespace {

/// Of a parameter or of shared memory.
std::optional<DType> type_in(const ThreadProgram& program, const std::string& memory) {
  const auto parameter = std::ranges::find(program.parameters, memory, &Tensor::name);
  if (parameter != program.parameters.end()) return parameter->type;
  const auto shared = std::ranges::find(program.shared, memory, &Buffer::name);
  if (shared != program.shared.end()) return shared->type;
  return std::nullopt;
}

}  // namespace

Result<ThreadProgram> Lowerer::run() {
  for (const Tensor& parameter : kernel_.parameters) {
    // A parameter keeps its name, which callers know.
    taken_.insert(parameter.name);
    put({parameter, parameter.name, {}, 0, !parameter.layout});
  }
  const Team team{index_variable("tx", kernel_.launch.threads), kernel_.launch.threads};
  HEDDLE_TRY(program_.body, nested([&] { return lower(kernel_.body, team); }));
  if (are_copies_under_way_) program_.body.push_back({AwaitCopies{0}});
  if (!options_.has_one_worker) sink_into_guards(program_.body);
  drop_known_guards(program_.body);
  if (options_.has_one_worker) {
    const auto unused = [&](std::string_view name) { return fresh(name); };
    bound_loops(program_.body, unused);
    find_transposes(
        program_.body, [&](const std::string& name) { return type_in(program_, name); }, unused,
        program_.choices);
    find_vectors(program_.body, unused);
  }
  plan_memory(program_, options_.shared_bytes, copied_later_);
  if (program_.shared_bytes > options_.shared_bytes) {
    std::vector<Buffer> buffers = program_.shared;
    std::ranges::stable_sort(buffers, std::greater(), planned_bytes);
    std::vector<std::string> parts;
    for (const Buffer& buffer : buffers) {
      const Int held = floor_div(buffer.elements * held_bits(buffer.type, Space::kShared), 8);
      parts.push_back(fmt::format("{}: {}", buffer.name, to_string(held)));
    }
    constexpr std::size_t kMostNamed = 8;
    return refuse(Diagnostic("kernel.shared",
                             fmt::format("{} needs {} bytes of shared memory ({}), and a block has "
                                         "{}",
                                         kernel_.name, program_.shared_bytes,
                                         first_few(parts, kMostNamed, ", "), options_.shared_bytes))
                      .with_span(shared_spans_.at(buffers.front().name))
                      .with_hint(larger_hint(program_.shared_bytes)));
  }
  return std::move(program_);
}

ThreadProgram Lowerer::finished(ThreadProgram program) {
  hold_addresses(program, [&](std::string_view name) { return fresh(name); });
  return program;
}

Result<ThreadBlock> Lowerer::nested(const std::function<Result<void>()>& fill) {
  ThreadBlock block;
  ThreadBlock* outer = std::exchange(open_, &block);
  auto filled = fill();
  open_ = outer;
  if (!filled) return refuse(std::move(filled).error());
  return block;
}

Result<void> Lowerer::lower(const Block& block, const Team& team) {
  const std::size_t outer = placed_.size();
  blocks_.push_back(&block);
  for (const Statement& statement : block) {
    HEDDLE_CHECK(lower(statement, team));
  }
  for (const Statement& statement : block) {
    const auto* let = std::get_if<Let>(&statement.node);
    if (let == nullptr) continue;
    accesses_.forget(let->name);
    common_.erase(let->name);
  }
  blocks_.pop_back();
  forget_to(outer);
  return {};
}

Result<void> Lowerer::lower(const Statement& statement, const Team& team) {
  const Statement* outer = std::exchange(statement_, &statement);
  exchanges_.clear();
  const std::size_t begin = open_->size();
  const std::size_t choices = program_.choices.size();
  auto lowered = std::visit([&](const auto& node) { return lower(node, team); }, statement.node);
  const bool has_choice = std::holds_alternative<Assign>(statement.node) ||
                          std::holds_alternative<Call>(statement.node);
  if (lowered && has_choice && program_.choices.size() != choices) count_steps(begin, choices);
  statement_ = outer;
  if (lowered) return lowered;
  return refuse_at(statement.span, std::move(lowered).error());
}

/// Which machine of the family has so much shared memory for a block, or how much the largest has.
std::string Lowerer::larger_hint(const Int& bytes) const {
  constexpr std::string_view kSmaller = "declare smaller tiles";
  if (!bytes.is_defined() || options_.larger.empty()) return std::string(kSmaller);
  for (const auto& [target, has] : options_.larger) {
    if (known_at_most(bytes, has)) {
      return fmt::format("--target {} has {}; or {}", target, has, kSmaller);
    }
  }
  const auto& [target, most] = options_.larger.back();
  return fmt::format("{}; --target {} has {}, and none has more", kSmaller, target, most);
}

/// Refuses a tensor that nothing on a target could hold, before its layout is looked at.
Result<void> Lowerer::check_size(const Tensor& tensor, const Int& elements,
                                 std::int64_t most_bytes) const {
  const Int bytes = ceil_div(elements * held_bits(tensor.type, tensor.space), 8);
  if (bytes.is_defined() && known_at_most(bytes, most_bytes)) return {};
  const bool is_shared = tensor.space == Space::kShared;
  return refuse(Diagnostic(is_shared ? "kernel.shared" : "kernel.not_lowered",
                           fmt::format("{} needs {} bytes, and {} has {}", to_string(tensor),
                                       bytes.is_defined() ? to_string(bytes) : "more than 2^63",
                                       is_shared ? "a block" : "a thread", most_bytes))
                    .with_hint(is_shared ? larger_hint(bytes) : "declare smaller tiles"));
}

Result<void> Lowerer::lower(const Declaration& node, const Team& team) {
  const Int size = form::product(node.tensor.shape);
  if (node.tensor.space == Space::kRegister) {
    HEDDLE_CHECK(check_size(node.tensor, size, kMaxThreads * kMaxThreadBytes));
    const Team one = performers(team);
    const bool is_private = one.threads == 1 && !node.tensor.layout;
    HEDDLE_TRY(Spread spread, is_private ? row_spread(node.tensor.shape, 1, 1)
                                         : spread_for(node.tensor, one.threads));
    const bool is_of_block = options_.has_one_worker && !team.is_alone;
    HEDDLE_CHECK(check_size(node.tensor, spread.registers,
                            is_of_block ? options_.shared_bytes : kMaxThreadBytes));
    place(node.tensor, std::move(spread)).is_private = is_private;
    return {};
  }
  HEDDLE_CHECK(check_size(node.tensor, size, options_.shared_bytes));
  HEDDLE_TRY(Int elements, memory_of(node.tensor));
  HEDDLE_CHECK(check_size(node.tensor, elements, options_.shared_bytes));
  Tensor tensor = node.tensor;
  if (!tensor.layout && !layouts_.empty()) {
    const SharedLayout& found = layouts_.at(without_layout_.size());
    tensor.layout = found.layout;
    elements = found.elements;
    program_.choices.push_back({to_string(*statement_), statement_->span, found.candidates, {}});
  }
  Placed& placed = place(std::move(tensor), std::nullopt);
  if (!node.tensor.layout) without_layout_.push_back({node.tensor, placed.buffer});
  program_.shared.push_back({placed.buffer, node.tensor.type, Space::kShared, std::move(elements)});
  shared_spans_[placed.buffer] = statement_->span;
  return {};
}

Result<void> Lowerer::lower(const Let& node, const Team& all) {
  const Team team = performers(all);
  HEDDLE_TRY(Computation value, compute({node.value}, {}, team));
  HEDDLE_CHECK(read(value, team));
  add(Define{node.name, std::move(value), statement_->span});
  if (!team.is_alone && team.unit == 0) common_.insert(node.name);
  return {};
}

Result<void> Lowerer::lower(const Assign& node, const Team& team) {
  add(Origin{to_string(*statement_), statement_->span});
  return elementwise(node.destination, node.value, performers(team), {});
}

/// The statements of a schedule of the kernel's own, in place of the call.
Result<void> Lowerer::lower_by(const Schedule& schedule, const Call& node, const Team& team) {
  std::vector<ViewShape> operands;
  for (const Elementwise& operand : node.operands) {
    const auto* view = std::get_if<View>(&operand.node);
    if (view == nullptr) continue;
    HEDDLE_TRY(operands.emplace_back(), kernel::shape_of(*view, find(view->tensor)->tensor));
  }
  std::set<std::string> names = names_in(kernel_);
  names.insert(taken_.begin(), taken_.end());
  HEDDLE_TRY(Block statements, expanded(schedule, node, operands, kernel_, names));
  const Block& block = expansions_.emplace_back(std::move(statements));
  add_names(block, taken_);
  add(Origin{to_string(*statement_), statement_->span});
  choose(schedule.name);
  return lower_apart(block, team);
}

/// Lowers a block whose names are its own.
Result<void> Lowerer::lower_apart(const Block& block, const Team& team) {
  HEDDLE_TRY(ThreadBlock part, nested([&] { return lower(block, team); }));
  const bool has_names = std::ranges::any_of(block, [](const Statement& statement) {
    return std::holds_alternative<Let>(statement.node);
  });
  if (has_names) {
    add(Guarded{{}, std::move(part), {}});
  } else {
    std::ranges::move(part, std::back_inserter(*open_));
  }
  return {};
}

Result<void> Lowerer::lower(const Call& node, const Team& all) {
  if (const Schedule* schedule = find_schedule(kernel_, node)) {
    return lower_by(*schedule, node, all);
  }
  const Team team = performers(all);
  if (node.operation == "barrier") return add_barrier(team, "barrier()");
  if (node.operation == "wait") return await_copies(team);
  add(Origin{to_string(*statement_), statement_->span});
  if (node.operation == "copy" || node.operation == "copy_async") return copy(node, team);
  if (node.operation == "reduce") return reduce(node, team);
  if (node.operation == "scan") return scan(node, team);
  if (node.operation == "gemm" || node.operation == "gemm_sparse") return gemm(node, team);
  if (node.operation == "gather") return gather(node, team);
  if (node.operation == "scatter") return scatter(node, team);
  if (node.operation == "atomic_add") return atomic_add(node, team);
  // fill and cast
  HEDDLE_CHECK(check_forced(node));
  return elementwise(std::get<View>(node.operands[0].node), node.operands[1], team, node.schedule);
}

Result<ThreadBlock> Lowerer::loop_body(const std::function<Result<void>()>& fill, const Team& team,
                                       const std::string& counter, const Int& extent,
                                       const Computation* again) {
  Accesses::State before = accesses_.begin();
  std::vector<Access> left = accesses_.take_left();
  const Computation* outer = std::exchange(again_, again);
  const Leaving around = std::exchange(leaving_, {});
  HEDDLE_TRY(ThreadBlock lowered, nested([&]() -> Result<void> {
               HEDDLE_CHECK(fill());
               return read_again(team);
             }));
  again_ = outer;
  Accesses::State part = accesses_.end(std::move(before));
  left = accesses_.take_left(std::move(left));
  accesses_.add_pending(left);
  part.pending.insert(part.pending.end(), left.begin(), left.end());
  const Access* conflict = accesses_.between_runs(part, counter, extent);
  if (conflict != nullptr) {
    const ThreadBlock first = barrier();
    lowered.insert(lowered.begin(), first.begin(), first.end());
  }
  // Who skips the rest of an iteration comes to the next one, who leaves the loop does not.
  leaving_.skips = false;
  if (conflict != nullptr || (leaving_.breaks && has_barrier(lowered))) {
    HEDDLE_CHECK(check_barrier(team, conflict == nullptr ? "shared memory" : conflict->buffer));
  }
  leaving_ = around;
  return lowered;
}

/// The condition of a `while` is read again behind each iteration.
Result<void> Lowerer::read_again(const Team& team) {
  return again_ == nullptr ? Result<void>() : read(*again_, team);
}

bool Lowerer::differs(const Int& value, const Team& team) const {
  if (!team.is_alone && team.unit == 0 && team.members.empty()) return false;
  return !std::ranges::all_of(variables(value), [&](const std::string& name) {
    return is_common(name) && !common_.contains(name);
  });
}

bool Lowerer::is_common_to_all(const Computation& value, const Team& team) const {
  const bool is_together = !team.is_alone && team.unit == 0;
  if (is_together && team.members.empty()) return true;
  const auto is_same = [&](const Int& number) {
    return std::ranges::all_of(variables(number), [&](const std::string& name) {
      return is_common(name) && (team.members.empty() || !common_.contains(name));
    });
  };
  const auto is_same_place = [&](const Computation::Load& load) {
    return !load.from.seen && is_same(load.from.address) &&
           std::ranges::all_of(load.inside, [&](const Condition& condition) {
             return is_same(condition.left) && is_same(condition.right);
           });
  };
  if (const auto* load = std::get_if<Computation::Load>(&value.node)) {
    const bool is_of_threads = std::ranges::any_of(placed_, [&](const Placed& each) {
      return each.buffer == load->from.buffer && each.tensor.space == Space::kRegister;
    });
    return !is_of_threads && (is_together || is_same_place(*load));
  }
  const auto* index = std::get_if<Computation::Index>(&value.node);
  if (index != nullptr && !is_same(index->value)) return false;
  return std::ranges::all_of(
      value.operands, [&](const Computation& operand) { return is_common_to_all(operand, team); });
}

Result<void> Lowerer::lower(const For& node, const Team& team) {
  const auto loop = [&](const Team& inside) -> Result<void> {
    const Int counter = index_variable(node.counter, node.extent);
    if (counter.is_symbolic()) counters_.push_back(counter);
    const auto fill = [&] { return lower(node.body, inside); };
    HEDDLE_TRY(ThreadBlock body, loop_body(fill, inside, node.counter, node.extent));
    if (counter.is_symbolic()) counters_.pop_back();
    accesses_.end_loop(node.counter, node.extent);
    add(ThreadLoop{node.counter, node.extent, std::move(body), false, statement_->span});
    return {};
  };
  return diverge_unless(!differs(node.extent, team), team, loop);
}

/// Fills the part by the team if all threads of the block come to it alike; else only the members
/// do, and none of them can wait for others there.
Result<void> Lowerer::diverge_unless(bool is_common, const Team& team,
                                     const std::function<Result<void>(const Team&)>& fill) {
  if (is_common || performers(team).threads != team.threads) return fill(team);
  Team inside = team;
  inside.members.clear();
  inside.is_divergent = true;
  return by_members(team, [&] { return fill(inside); });
}

Result<Computation> Lowerer::condition(const Elementwise& value, const Team& all) {
  const Team team = performers(all);
  HEDDLE_TRY(Computation tested, compute(value, {}, team));
  HEDDLE_CHECK(read(tested, team));
  return tested;
}

Result<void> Lowerer::lower(const While& node, const Team& team) {
  HEDDLE_TRY(const Computation tested, condition(node.condition, team));
  const auto loop = [&](const Team& inside) -> Result<void> {
    const auto fill = [&] { return lower(node.body, inside); };
    HEDDLE_TRY(ThreadBlock body, loop_body(fill, inside, "", 1, &tested));
    add(ThreadWhile{tested, std::move(body)});
    return {};
  };
  return diverge_unless(is_common_to_all(tested, team), team, loop);
}

Result<void> Lowerer::lower(const Break& /*node*/, const Team& team) {
  leaving_.breaks = leaving_.breaks || team.is_divergent;
  accesses_.leave();
  add(LeaveLoop{});
  return {};
}

Result<void> Lowerer::lower(const Continue& /*node*/, const Team& team) {
  HEDDLE_CHECK(read_again(team));
  leaving_.skips = leaving_.skips || team.is_divergent;
  accesses_.leave();
  add(NextIteration{});
  return {};
}

Result<void> Lowerer::lower(const If& node, const Team& team) {
  HEDDLE_TRY(Computation tested, condition(node.condition, team));
  const bool is_common = is_common_to_all(tested, team);
  const auto branch = [&](const Team& inside) -> Result<void> {
    Accesses::State before = accesses_.begin();
    HEDDLE_TRY(ThreadBlock then, nested([&] { return lower(node.then, inside); }));
    accesses_.end(std::move(before));
    before = accesses_.begin();
    HEDDLE_TRY(ThreadBlock otherwise, nested([&] { return lower(node.otherwise, inside); }));
    accesses_.end(std::move(before));
    add(ThreadBranch{std::move(tested), std::move(then), std::move(otherwise), is_common});
    return {};
  };
  return diverge_unless(is_common, team, branch);
}

Team Lowerer::part_of(const Scope& node, const Team& team, bool is_complement) const {
  Team part = team;
  std::int64_t unit = 1;
  if (node.kind == Scope::Kind::kWarp) unit = kWarpThreads;
  if (node.kind == Scope::Kind::kWarpgroup) unit = kWarpThreads * kWarpgroupWarps;
  if (node.kind == Scope::Kind::kCta) return part;
  if (node.kind == Scope::Kind::kElect) {
    part.members.push_back({team.rank, Predicate::kEqual, 0});
    part.rank = 0;
    part.threads = 1;
    part.unit = 0;
    part.is_alone = true;
    return part;
  }
  if (!node.part) {
    part.is_alone = unit == 1;
    part.unit = unit == team.threads ? team.unit : unit;
    part.rank = mod(team.rank, unit);
    part.threads = unit;
    return part;
  }
  const Int begin = node.part->begin * unit;
  const Int end = node.part->end * unit;
  const Int count = end - begin;
  if (!is_complement) {
    part.members.push_back({begin, Predicate::kAtMost, team.rank});
    part.members.push_back({team.rank, Predicate::kLess, end});
    part.rank = team.rank - begin;
    part.threads = count.value();
    return part;
  }
  const Condition is_before = {team.rank, Predicate::kLess, begin};
  const Condition is_behind = {end, Predicate::kAtMost, team.rank};
  part.members.push_back({select(is_before, 1, select(is_behind, 1, 0)), Predicate::kEqual, 1});
  part.rank = select(is_before, team.rank, team.rank - count);
  part.threads = team.threads - count.value();
  return part;
}

Team Lowerer::performers(const Team& team) const {
  Team one = team;
  if (!options_.has_one_worker) return one;
  one.rank = 0;
  one.threads = 1;
  one.members.clear();
  return one;
}

/// The parts of a scope, done by one worker in turn.
Result<void> Lowerer::lower_in_turn(const Scope& node, const Team& part) {
  const bool is_each = node.kind == Scope::Kind::kThread || node.kind == Scope::Kind::kElect;
  const std::int64_t threads = is_each ? 1 : part.threads;
  const bool is_outermost = scope_threads_ == kernel_.launch.threads;
  // What the worker did before is done.
  if (is_outermost) HEDDLE_CHECK(add_barrier({}, {}));
  const bool is_plain = is_each && scope_threads_ == kernel_.launch.threads;
  Turns turns{is_plain ? "tx" : fresh("t"), scope_threads_ / threads, {}, part.members};
  const Int first = first_thread_ + index_variable(turns.counter, turns.count) * threads;
  const auto name = [&](std::string_view called, const Int& value) {
    turns.names.push_back({std::string(called), {Computation::Index{value}, DType::kI64, {}}});
  };
  if (!is_plain) name("tx", first);
  name("laneid", mod(first, kWarpThreads));
  name("warpid", floor_div(first, kWarpThreads));
  Team inside = part;
  inside.members.clear();
  const Int outer_first = std::exchange(first_thread_, first);
  const std::int64_t outer_threads = std::exchange(scope_threads_, threads);
  HEDDLE_TRY(ThreadBlock body, nested([&] { return lower_apart(node.body, inside); }));
  first_thread_ = outer_first;
  scope_threads_ = outer_threads;
  const auto unused = [&](std::string_view called) { return fresh(called); };
  HEDDLE_TRY(ThreadBlock loops, in_turns(turns, std::move(body), unused));
  std::ranges::move(loops, std::back_inserter(*open_));
  return is_outermost ? add_barrier({}, {}) : Result<void>();
}

Result<void> Lowerer::lower(const Scope& node, const Team& team) {
  if (node.kind == Scope::Kind::kCluster) {
    return lower_apart(expansions_.emplace_back(blocks_of_cluster(kernel_.launch, node)), team);
  }
  const bool is_divided = !node.part && node.kind != Scope::Kind::kCta;
  if (options_.has_one_worker && is_divided) return lower_in_turn(node, part_of(node, team, false));
  HEDDLE_CHECK(lower_apart(node.body, part_of(node, team, false)));
  return lower_apart(node.otherwise, part_of(node, team, true));
}

Result<void> Lowerer::lower(const Unchecked& node, const Team& team) {
  return by_members(performers(team), [&]() -> Result<void> {
    add(Verbatim{node.target, node.text, statement_->span});
    return {};
  });
}

Choice& Lowerer::choose(std::string_view schedule) {
  Choice& choice = choice_;
  choice.candidates.insert(choice.candidates.begin(), {std::string(schedule)});
  choice.statement = to_string(*statement_);
  choice.span = statement_->span;
  program_.choices.push_back(std::exchange(choice_, {}));
  return program_.choices.back();
}

void Lowerer::reject(std::string_view schedule, std::string reason,
                     std::optional<std::int64_t> more) {
  choice_.candidates.push_back({std::string(schedule), std::move(reason), more});
}

void Lowerer::count_steps(std::size_t begin, std::size_t choice) {
  const std::optional<std::int64_t> taken =
      steps(std::span(*open_).subspan(begin),
            [&](const std::string& buffer) { return is_memory(buffer); });
  for (Candidate& candidate : program_.choices[choice].candidates) {
    const bool is_taken = candidate.reason.empty();
    if (!is_taken && !candidate.cost) continue;
    candidate.cost = taken ? exact::add(*taken, candidate.cost.value_or(0)) : std::nullopt;
  }
}

bool Lowerer::has(const WayRule& way) const {
  switch (way.needs) {
    case WayRule::Needs::kOneWorker:
      return options_.has_one_worker;
    case WayRule::Needs::kAsyncCopies:
      return options_.has_async_copies;
    case WayRule::Needs::kMatrixLoads:
      return options_.has_matrix_loads;
    case WayRule::Needs::kNothing:
      break;
  }
  return true;
}

Result<void> Lowerer::check_forced(const Call& node) const {
  std::vector<std::string_view> known;
  for (const WayRule& way : find_operator(node.operation)->ways) {
    if (has(way)) known.push_back(way.name);
  }
  for (const Instruction& instruction : kernel_.instructions) {
    const bool is_copy = instruction.operation == "copy" && node.operation.starts_with("copy");
    if (is_copy) known.push_back(instruction.name);
  }
  for (const Schedule& schedule : kernel_.schedules) {
    if (schedule.operation == node.operation) known.push_back(schedule.name);
  }
  if (!node.schedule || std::ranges::find(known, *node.schedule) != known.end()) return {};
  const std::vector<WayRule>& ways = find_operator(node.operation)->ways;
  const auto elsewhere = std::ranges::find(ways, *node.schedule, &WayRule::name);
  std::string hint;
  if (elsewhere != ways.end()) {
    const bool is_of_cpus = elsewhere->needs == WayRule::Needs::kOneWorker;
    hint = fmt::format("--target {} has it", is_of_cpus ? "cpu" : "cuda:sm_80");
  }
  return refuse(Diagnostic("kernel.schedule",
                           fmt::format("{} has no schedule '{}'; it has {}", node.operation,
                                       *node.schedule, fmt::join(known, ", ")))
                    .with_hint(std::move(hint)));
}

namespace {

/// The layouts that are best for what the row-major program accesses.
Lowerer::SharedLayouts layouts_for(const Kernel& kernel, const Lowerer& lowerer,
                                   const ThreadProgram& program) {
  const std::map<std::string, SharedTraffic> traffic = shared_traffic(program);
  const RowMajorOnly row_major_only(kernel);
  Lowerer::SharedLayouts layouts;
  for (const auto& [tensor, buffer] : lowerer.without_layout()) {
    const std::string reason = row_major_only.reason(tensor.name);
    layouts.push_back(reason.empty() ? shared_layout(tensor, traffic.at(buffer))
                                     : row_major(tensor, reason));
  }
  return layouts;
}

/// Makes those row-major that do not cost in the program what was promised, as where vectors cannot
/// be proved any more. Returns whether there were any.
bool drop_broken(Lowerer::SharedLayouts& layouts, const Lowerer& lowerer,
                 const ThreadProgram& program) {
  const std::map<std::string, SharedTraffic> traffic = shared_traffic(program);
  const auto same = [](std::int64_t address) { return address; };
  bool has_dropped = false;
  for (std::size_t i = 0; i != layouts.size(); ++i) {
    const auto& [tensor, buffer] = lowerer.without_layout()[i];
    if (!layouts[i].layout) continue;
    if (bank_cost(traffic.at(buffer).accesses, tensor.type, same) == layouts[i].cost) continue;
    layouts[i] =
        row_major(tensor, fmt::format("{} is not known to keep the vectors of its accesses",
                                      map::to_string(*layouts[i].layout)));
    has_dropped = true;
  }
  return has_dropped;
}

/// Clusters are launched by some targets only.
Result<void> check_target(const Kernel& kernel, const LowerOptions& options) {
  if (kernel.launch.cluster.empty() || options.has_clusters) return {};
  const std::string target = options.target.empty() ? "the target" : options.target;
  return refuse_at(kernel.place.span,
                   Diagnostic("kernel.launch",
                              fmt::format("{} is launched in clusters of blocks, which {} does not "
                                          "have",
                                          kernel.name, target))
                       .with_hint("--target cuda has them, from sm_90 on; or leave `cluster` out"));
}

}  // namespace

Result<ThreadProgram> lower(const Kernel& kernel, const LowerOptions& options) {
  HEDDLE_CHECK(check(kernel));
  HEDDLE_CHECK(check_one_device(kernel));
  HEDDLE_CHECK(check_target(kernel, options));
  Lowerer plain(kernel, options);
  HEDDLE_TRY(ThreadProgram program, plain.run());
  // One worker has no banks.
  if (plain.without_layout().empty() || options.has_one_worker) {
    return plain.finished(std::move(program));
  }
  Lowerer::SharedLayouts layouts = layouts_for(kernel, plain, program);
  // Each time a layout is given up, what is left is checked again.
  for (;;) {
    Lowerer chosen(kernel, options, layouts);
    auto better = chosen.run();
    if (better && !drop_broken(layouts, chosen, *better)) {
      return chosen.finished(*std::move(better));
    }
    if (better) continue;
    // A padded tensor may be more than there is.
    bool has_dropped = false;
    for (std::size_t i = 0; i != layouts.size(); ++i) {
      if (!layouts[i].layout) continue;
      layouts[i] = row_major(plain.without_layout()[i].tensor,
                             "other layouts are refused: " + better.error().message());
      has_dropped = true;
    }
    if (!has_dropped) return better;
  }
}

}  // namespace heddle::kernel
