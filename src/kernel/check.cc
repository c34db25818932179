// Checks a kernel from its first statement to its last, with the names, the threads and the loops
// around each.

#include "heddle/kernel/check.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <string>
#include <utility>

#include "core/overloaded.h"
#include "core/text.h"
#include "heddle/axe/axes.h"
#include "heddle/core/nearest_names.h"
#include "heddle/expr/proof.h"
#include "heddle/expr/variables.h"
#include "heddle/kernel/operators.h"
#include "heddle/kernel/schedule.h"
#include "kernel/assumption.h"
#include "kernel/own_places.h"
#include "kernel/parts/check_devices.h"
#include "kernel/pipeline.h"
#include "kernel/placed.h"
#include "kernel/sparse.h"
#include "kernel/value_type.h"

namespace heddle::kernel {

namespace {

/// The type and the shape of a value.
struct Typed : ValueType {
  Typed(ValueType of, std::vector<Int> shape) : ValueType(of), extents(std::move(shape)) {}

  std::vector<Int> extents;
};

Result<Typed> typed(const Elementwise& value, const Names& names);

Refusal refuse_type(const Elementwise& value, std::string_view needed, const Typed& found) {
  return refuse("kernel.type", fmt::format("{} needs {}, and an operand is {}", to_string(value),
                                           needed, name_of(found.type)));
}

bool reads_tensor(const Elementwise& value) {
  bool found = false;
  for_each_view(value, [&](const View& /*view*/) { found = true; });
  return found;
}

/// Whether the loop with this body may be left by a `break`, which is not one of a loop within.
bool has_break(const Block& body) {
  return std::ranges::any_of(body, [](const Statement& statement) {
    const auto* condition = std::get_if<If>(&statement.node);
    return std::holds_alternative<Break>(statement.node) ||
           (condition != nullptr &&
            (has_break(condition->then) || has_break(condition->otherwise)));
  });
}

Result<Typed> apply(const Elementwise& value, Function function, std::vector<Typed> operands) {
  for (std::size_t i = 0; i != operands.size(); ++i) {
    const bool needs_truth = is_logical(function) || i < first_combined(function);
    const bool is_truth = operands[i].type == DType::kBool;
    if (needs_truth && !is_truth) return refuse_type(value, "a truth value", operands[i]);
    if (takes_floats_only(function) && !is_float(operands[i].type) && !operands[i].is_literal) {
      return refuse_type(value, "floats", operands[i]);
    }
    const bool needs_integer = function == Function::kQuotient || function == Function::kRemainder;
    if (needs_integer && is_float(operands[i].type)) {
      return refuse_type(value, "integers", operands[i]);
    }
  }
  std::vector<ValueType> types(operands.begin(), operands.end());
  Typed result(result_of(function, types), {});
  for (const Typed& operand : operands) {
    HEDDLE_TRY(result.extents, broadcast(result.extents, operand.extents));
  }
  return result;
}

Result<Typed> typed_view(const View& view, const Names& names) {
  const Tensor* tensor = names.find(view.tensor);
  if (tensor == nullptr) {
    std::vector<std::string> known;
    for (const std::string_view name : names.names()) known.emplace_back(name);
    return refuse(Diagnostic("kernel.name", fmt::format("unknown tensor '{}'", view.tensor))
                      .with_hint(did_you_mean(view.tensor, known)));
  }
  HEDDLE_TRY(ViewShape shape, shape_of(view, *tensor));
  return Typed({shape.type, false}, std::move(shape.extents));
}

Result<Typed> typed(const Elementwise& value, const Names& names) {
  std::vector<Typed> operands;
  for (const Elementwise& operand : value.operands) {
    HEDDLE_TRY(Typed each, typed(operand, names));
    operands.push_back(std::move(each));
  }
  const auto of_apply = [&](const Elementwise::Apply& node) -> Result<Typed> {
    if (operands.size() != operand_count(node.function)) {
      return refuse(
          "kernel.operands",
          fmt::format("{} takes {}, not {}", name_of(node.function),
                      counted(static_cast<std::int64_t>(operand_count(node.function)), "operand"),
                      operands.size()));
    }
    return apply(value, node.function, std::move(operands));
  };
  return std::visit(Overloaded{[](const Elementwise::Literal& node) -> Result<Typed> {
                                 return Typed(
                                     {node.value.is_real ? DType::kF32 : DType::kI32, true}, {});
                               },
                               [](const Elementwise::Index&) -> Result<Typed> {
                                 return Typed({DType::kI64, false}, {});
                               },
                               [&](const View& view) { return typed_view(view, names); }, of_apply,
                               [&](const Elementwise::Convert& node) -> Result<Typed> {
                                 return Typed({node.type, false}, operands.front().extents);
                               }},
                    value.node);
}

/// The threads that perform a statement, and what they have in common.
struct Performers {
  /// kCta, kWarpgroup or kWarp if they do it together; kThread if each does it on its own.
  Scope::Kind kind = Scope::Kind::kCta;
  std::int64_t threads = 1;
  /// Whether the statement is under a condition or in a loop that threads leave on their own.
  bool is_conditional = false;
};

/// The most statements that the schedules of a kernel may stand for, all calls together.
constexpr std::size_t kMaxExpanded = std::size_t{1} << 16;

class Checker {
 public:
  explicit Checker(const Kernel& kernel)
      : kernel_(kernel),
        kernel_names_(kernel.schedules.empty() ? std::set<std::string>() : names_in(kernel)) {}

  Result<void> check() {
    for (auto checked : {check_launch(), check_clusters(), check_additions()}) {
      if (!checked) return refuse_at(kernel_.place.span, std::move(checked).error());
    }
    for (const Tensor& parameter : kernel_.parameters) {
      auto declared = declare(parameter);
      if (!declared) return refuse_at(parameter.place.span, std::move(declared).error());
    }
    if (kernel_.launch.devices != 0) return check_over_devices(kernel_);
    return check(kernel_.body, {Scope::Kind::kCta, kernel_.launch.threads, false});
  }

 private:
  Result<void> check_launch() const {
    const Launch& launch = kernel_.launch;
    if (launch.grid.empty() || launch.grid.size() > 3) {
      return refuse("kernel.launch",
                    fmt::format("a grid has one to three extents, not {}", launch.grid.size()));
    }
    for (const Int& extent : launch.grid) {
      if (!known_at_most(1, extent)) {
        return refuse(Diagnostic("kernel.launch",
                                 fmt::format("the grid's extent {} is not known to be at least 1",
                                             to_string(extent)))
                          .with_hint(assumption({1, Predicate::kAtMost, extent})));
      }
    }
    if (launch.threads < 1 || launch.threads > kMaxThreads) {
      return refuse("kernel.launch", fmt::format("a block has 1 to {} threads, not {}", kMaxThreads,
                                                 launch.threads));
    }
    return {};
  }

  Result<void> check_clusters() const {
    const auto& [grid, threads, cluster, devices] = kernel_.launch;
    const std::string text = fmt::format("cluster ({})", fmt::join(cluster, ", "));
    if (cluster.size() > grid.size()) {
      return refuse("kernel.launch",
                    fmt::format("{} has {}, and the grid {} has {}", text,
                                counted(cluster.size(), "extent"), shape_text(grid), grid.size()));
    }
    std::int64_t blocks = 1;
    for (std::size_t d = 0; d != cluster.size(); ++d) {
      if (cluster[d] < 1 || cluster[d] > kMaxClusterBlocks / blocks) {
        return refuse("kernel.launch",
                      fmt::format("{}: a cluster has 1 to {} blocks", text, kMaxClusterBlocks));
      }
      blocks *= cluster[d];
      const Condition divides = {cluster[d], Predicate::kDivides, grid[d]};
      if (known(divides)) continue;
      return refuse(Diagnostic("kernel.launch",
                               fmt::format("{}: the grid's extent {} is not known to be a multiple "
                                           "of {}",
                                           text, to_string(grid[d]), cluster[d]))
                        .with_hint(known_false(divides) ? std::string() : assumption(divides)));
    }
    return {};
  }

  /// The instructions and schedules that the kernel brings along.
  Result<void> check_additions() const {
    std::set<std::string_view> names = {kernel_.name};
    const auto take = [&](std::string_view name) -> Result<void> {
      if (names.insert(name).second && find_operator(name) == nullptr) return {};
      return refuse(Diagnostic("kernel.name_taken",
                               fmt::format("'{}' is already defined in the kernel", name))
                        .with_hint("choose another name"));
    };
    if (kernel_.instructions.size() > kMaxInstructions) {
      return refuse("kernel.instruction",
                    fmt::format("{} has {} instructions; at most {} are allowed", kernel_.name,
                                kernel_.instructions.size(), kMaxInstructions));
    }
    for (const Instruction& instruction : kernel_.instructions) {
      HEDDLE_CHECK(take(instruction.name));
      HEDDLE_CHECK(kernel::check(instruction));
    }
    for (const Schedule& schedule : kernel_.schedules) {
      HEDDLE_CHECK(take(schedule.name));
      HEDDLE_CHECK(kernel::check(schedule));
    }
    return {};
  }

  /// Checks what the call is done by, if it names a schedule of the kernel's own.
  Result<void> check_schedule(const Call& node, const std::vector<Typed>& operands,
                              const Performers& performers) {
    const Schedule* schedule = find_schedule(kernel_, node);
    if (schedule == nullptr) return {};
    std::vector<ViewShape> shapes;
    for (const Typed& operand : operands) shapes.push_back({operand.type, operand.extents});
    HEDDLE_TRY(const Block block, expanded(*schedule, node, shapes, kernel_, kernel_names_));
    for_each_statement(block, [&](const Statement&) { ++expanded_; });
    if (expanded_ > kMaxExpanded) {
      return refuse("kernel.schedule",
                    fmt::format("the schedules of the kernel expand to more than {} statements",
                                kMaxExpanded));
    }
    const std::size_t loops = std::exchange(loops_, 0);
    auto checked = check(block, performers);
    loops_ = loops;
    if (checked) return {};
    return refuse(
        std::move(checked).error().with_note(fmt::format("in {}", to_string(Statement{node}))));
  }

  Result<void> declare(const Tensor& tensor) {
    if (names_.find(tensor.name) != nullptr) {
      return refuse(
          Diagnostic("kernel.name_taken", fmt::format("a tensor '{}' exists already", tensor.name))
              .with_hint("choose another name"));
    }
    const bool is_static = tensor.space == Space::kShared || tensor.space == Space::kRegister;
    for (const Int& extent : tensor.shape) {
      if (is_static && !extent.is_constant()) {
        return refuse(
            Diagnostic("kernel.dynamic",
                       fmt::format("{} has the extent {}, which is known at run time only",
                                   to_string(tensor), to_string(extent)))
                .with_hint(fmt::format("{} {}: {}[128] holds a tile; for k in range(0, {}, 128) "
                                       "{{ … }} goes through them",
                                       name_of(tensor.space), tensor.name, name_of(tensor.type),
                                       to_string(extent))));
      }
      if (!known_at_most(1, extent)) {
        return refuse(Diagnostic("kernel.shape",
                                 fmt::format("{} has the extent {}, which is not known to be at "
                                             "least 1",
                                             to_string(tensor), to_string(extent)))
                          .with_hint(assumption({1, Predicate::kAtMost, extent})));
      }
    }
    if (tensor.layout && tensor.space != Space::kRegister) HEDDLE_CHECK(check_memory(tensor));
    // Parameters are checked where they are written.
    if (tensor.layout && is_static) {
      HEDDLE_CHECK(check_own_places(*tensor.layout, to_string(tensor)));
    }
    names_.declare(tensor);
    return {};
  }

  Result<void> declare_integer(const std::string& name) {
    if (std::ranges::find(integers_, name) != integers_.end()) {
      return refuse(
          Diagnostic("kernel.name_taken", fmt::format("an integer '{}' exists already", name))
              .with_hint("choose another name"));
    }
    integers_.push_back(name);
    return {};
  }

  /// The layout of memory has one coordinate, which is no thread; that of a parameter may also say
  /// on which device an element is.
  static Result<void> check_memory(const Tensor& tensor) {
    HEDDLE_TRY(map::View view, map::view(*tensor.layout));
    HEDDLE_TRY(view, map::reshaped(view, tensor.shape));
    const auto of_kind = [&](axe::AxisKind kind) {
      return std::ranges::count_if(view.axes, [&](const Axis& axis) {
        return axe::AxisTable::hardware().kind(axis) == kind;
      });
    };
    const auto places = of_kind(axe::AxisKind::kMemory);
    const auto devices = tensor.space == Space::kGlobal ? of_kind(axe::AxisKind::kDevice) : 0;
    if (places + devices == std::ssize(view.axes) && (places == 1 || devices > 0)) return {};
    std::vector<std::string> names;
    for (const Axis& axis : view.axes) names.push_back(axis.name());
    return refuse(
        Diagnostic("kernel.layout",
                   fmt::format("{} is in memory, whose layout has one axis, of memory, not ({})",
                               to_string(tensor), fmt::join(names, ","))));
  }

  Result<void> check(const Block& block, const Performers& performers) {
    const std::size_t outer = names_.size();
    const std::size_t outer_registers = registers_.size();
    const std::size_t outer_integers = integers_.size();
    for (const Statement& statement : block) {
      auto checked =
          std::visit([&](const auto& node) { return check(node, performers); }, statement.node);
      if (!checked) return refuse_at(statement.span, std::move(checked).error());
    }
    names_.forget_to(outer);
    registers_.resize(outer_registers);
    integers_.resize(outer_integers);
    return {};
  }

  Result<void> check(const Declaration& node, const Performers& performers) {
    const Tensor& tensor = node.tensor;
    if (tensor.space != Space::kShared && tensor.space != Space::kRegister) {
      return refuse("kernel.space", fmt::format("{} is declared as {}; `shared` or `reg` is needed",
                                                tensor.name, name_of(tensor.space)));
    }
    if (tensor.space == Space::kShared && performers.kind != Scope::Kind::kCta) {
      return refuse(
          Diagnostic("kernel.space", fmt::format("{} is shared by the block, but declared by {} of "
                                                 "it",
                                                 to_string(tensor), described(performers)))
              .with_hint("declare it outside of the scope"));
    }
    if (tensor.space == Space::kRegister) registers_.emplace_back(tensor.name, scopes_);
    return declare(tensor);
  }

  Result<void> check(const Let& node, const Performers& performers) {
    HEDDLE_TRY(const Typed value, read({node.value}, performers));
    if (!value.extents.empty() || is_float(value.type)) {
      const std::string text = to_string(node.value);
      std::string hint = fmt::format("let {} = {}[0]", node.name, text);
      if (is_float(value.type) && value.extents.empty()) {
        hint = fmt::format("reg {0}: {1}[], then {0} = {2}", node.name, name_of(value.type), text);
      } else if (is_float(value.type) || value.extents.size() > 1) {
        hint = "one integer is one element of a tensor of integers: let n = I[bx]";
      }
      return refuse(
          Diagnostic("kernel.type",
                     fmt::format("let reads one integer, and {} has the type {} and the shape {}",
                                 text, name_of(value.type), shape_text(value.extents)))
              .with_hint(std::move(hint)));
    }
    return declare_integer(node.name);
  }

  Result<void> check(const Assign& node, const Performers& performers) {
    HEDDLE_TRY(const Typed to, written(node.destination, performers));
    HEDDLE_TRY(const Typed from, read(node.value, performers));
    return check_fits(to_string(node.destination), to, to_string(node.value), from);
  }

  Result<void> check(const Call& node, const Performers& performers) {
    HEDDLE_CHECK(check_call(node));
    if (node.operation == "barrier" && performers.is_conditional) {
      return refuse("kernel.scope",
                    "barrier() is under a condition that may differ between threads");
    }
    const OperatorRule& rule = *find_operator(node.operation);
    std::vector<Typed> operands;
    for (std::size_t i = 0; i != node.operands.size(); ++i) {
      const bool is_read = rule.operands[i].role == Role::kReads;
      HEDDLE_TRY(Typed operand, is_read
                                    ? read(node.operands[i], performers)
                                    : written(std::get<View>(node.operands[i].node), performers));
      operands.push_back(std::move(operand));
    }
    HEDDLE_CHECK(check_shapes(node, operands));
    return check_schedule(node, operands, performers);
  }

  Result<void> check(const For& node, const Performers& performers) {
    HEDDLE_CHECK(check_int(node.extent, performers));
    ++loops_;
    Performers inside = performers;
    inside.is_conditional = inside.is_conditional || differs(node.extent);
    HEDDLE_CHECK(declare_integer(node.counter));
    HEDDLE_CHECK(check(node.body, inside));
    integers_.pop_back();
    --loops_;
    return {};
  }

  Result<void> check(const Pipeline& node, const Performers& performers) {
    if (node.stages < 1 || node.stages > kMaxStages) {
      return refuse("kernel.pipeline",
                    fmt::format("a pipeline has 1 to {} stages, not {}", kMaxStages, node.stages));
    }
    const bool is_block =
        performers.kind == Scope::Kind::kCta && performers.threads == kernel_.launch.threads;
    if (!is_block || performers.is_conditional || differs(node.extent)) {
      return refuse(
          Diagnostic("kernel.pipeline",
                     "a pipeline needs all threads of the block, and here they may not all arrive")
              .with_hint("put it outside of scopes and conditions, or write a `for`"));
    }
    HEDDLE_CHECK(check(loop_of(node), performers));
    return check_pipeline(kernel_, node);
  }

  Result<void> check(const While& node, const Performers& performers) {
    HEDDLE_CHECK(check_condition(node.condition, performers));
    if (!reads_tensor(node.condition) && !has_break(node.body)) {
      return refuse(
          Diagnostic("kernel.loop",
                     "nothing changes the condition of this `while`, so that "
                     "the loop does not end")
              .with_hint("write `if done[0] { break }` in it, or a condition that reads an "
                         "element: while x[0] > 0"));
    }
    ++loops_;
    Performers inside = performers;
    inside.is_conditional = inside.is_conditional || performers.kind == Scope::Kind::kThread;
    HEDDLE_CHECK(check(node.body, inside));
    --loops_;
    return {};
  }

  Result<void> check(const Break& /*node*/, const Performers& /*performers*/) const {
    return check_loop("break");
  }
  Result<void> check(const Continue& /*node*/, const Performers& /*performers*/) const {
    return check_loop("continue");
  }

  Result<void> check(const If& node, const Performers& performers) {
    HEDDLE_CHECK(check_condition(node.condition, performers));
    Performers inside = performers;
    inside.is_conditional = inside.is_conditional || performers.kind == Scope::Kind::kThread;
    HEDDLE_CHECK(check(node.then, inside));
    return check(node.otherwise, inside);
  }

  Result<void> check(const Scope& node, const Performers& performers) {
    if (node.kind == Scope::Kind::kCluster) return check_cluster(node, performers);
    if (node.kind == Scope::Kind::kDevice) {
      return refuse(
          Diagnostic("kernel.scope", "`device` is the outermost scope of a kernel over devices")
              .with_hint("launch devices 4, cta (N + 127) // 128, threads 128"));
    }
    HEDDLE_TRY(const Performers inside, narrowed(node, performers));
    if (!node.part && !node.otherwise.empty()) {
      return refuse("kernel.scope", fmt::format("`else` after `{}` has no threads: every {} is in "
                                                "it",
                                                name_of(node.kind), name_of(node.kind)));
    }
    const std::size_t loops = std::exchange(loops_, 0);
    ++scopes_;
    HEDDLE_CHECK(check(node.body, inside));
    Performers others = performers;
    others.kind = Scope::Kind::kWarpgroup;
    others.threads -= inside.threads;
    if (others.threads == 0 && !node.otherwise.empty()) {
      return refuse("kernel.scope",
                    fmt::format("`else` has no threads: {} has all of them", name_of(node.kind)));
    }
    HEDDLE_CHECK(check(node.otherwise, others));
    --scopes_;
    loops_ = loops;
    return {};
  }

  Result<void> check_cluster(const Scope& node, const Performers& performers) {
    if (kernel_.launch.cluster.empty()) {
      return refuse(
          Diagnostic("kernel.scope", "`cluster` has no blocks: the launch has no clusters")
              .with_hint("launch cta (M // 64, N // 64), cluster (2, 1), threads 128"));
    }
    const bool is_block = performers.kind == Scope::Kind::kCta &&
                          performers.threads == kernel_.launch.threads && !is_in_cluster_;
    if (!is_block || node.part || !node.otherwise.empty()) {
      return refuse(
          Diagnostic("kernel.scope", "`cluster` is for all blocks, outside of other scopes")
              .with_hint("cluster { cta[0] { … } else { … } } divides its blocks"));
    }
    for (const Statement& statement : node.body) HEDDLE_CHECK(check_blocks(statement));
    const std::size_t loops = std::exchange(loops_, 0);
    is_in_cluster_ = true;
    HEDDLE_CHECK(check(blocks_of_cluster(kernel_.launch, node), performers));
    is_in_cluster_ = false;
    loops_ = loops;
    return {};
  }

  /// What a cluster does: something for each of its blocks, or for some.
  Result<void> check_blocks(const Statement& statement) const {
    const auto* scope = std::get_if<Scope>(&statement.node);
    if (scope == nullptr || scope->kind != Scope::Kind::kCta) {
      return refuse_at(
          statement.span,
          Diagnostic("kernel.scope",
                     "all blocks of a cluster would do this together, and memory that they share "
                     "is not supported yet")
              .with_hint("put it into `cta { … }`, for each block, or `cta[0] { … }`, for one"));
    }
    if (!scope->part) return {};
    const auto& [begin, end] = *scope->part;
    std::int64_t blocks = 1;
    for (const std::int64_t extent : kernel_.launch.cluster) blocks *= extent;
    const bool is_part = begin.is_constant() && end.is_constant() && 0 <= begin.value() &&
                         begin.value() < end.value() && end.value() <= blocks;
    const bool has_others = !is_part || end.value() - begin.value() < blocks;
    if (is_part && (has_others || scope->otherwise.empty())) return {};
    return refuse_at(
        statement.span,
        Diagnostic("kernel.scope",
                   is_part ? std::string("`else` has no blocks: cta has all of the cluster")
                           : fmt::format("cta[{}:{}] is not a part of the {} blocks of a cluster",
                                         to_string(begin), to_string(end), blocks)));
  }

  Result<void> check(const Unchecked& /*node*/, const Performers& /*performers*/) const {
    return {};
  }

  static std::string described(const Performers& performers) {
    if (performers.kind == Scope::Kind::kThread) return "each thread";
    if (performers.kind == Scope::Kind::kWarp) return "each warp";
    return fmt::format("{} threads", performers.threads);
  }

  Result<Performers> narrowed(const Scope& node, const Performers& performers) const {
    const auto threads_of = [&](Scope::Kind kind) -> std::int64_t {
      if (kind == Scope::Kind::kWarp) return kWarpThreads;
      if (kind == Scope::Kind::kWarpgroup) return kWarpThreads * kWarpgroupWarps;
      return kind == Scope::Kind::kCta ? performers.threads : 1;
    };
    if (node.kind == Scope::Kind::kCta && performers.kind != Scope::Kind::kCta) {
      return refuse("kernel.scope", fmt::format("`cta` is inside of {}", described(performers)));
    }
    if (node.kind == Scope::Kind::kElect) {
      return Performers{Scope::Kind::kThread, 1, performers.is_conditional};
    }
    const std::int64_t unit = threads_of(node.kind);
    if (performers.threads % unit != 0 || performers.kind == Scope::Kind::kThread) {
      return refuse(
          "kernel.scope",
          fmt::format("`{}` has {}, and {} cannot be divided into such parts", name_of(node.kind),
                      counted(unit, "thread"), described(performers)));
    }
    if (!node.part) {
      return Performers{node.kind, unit, performers.is_conditional};
    }
    if (!node.part->begin.is_constant() || !node.part->end.is_constant() ||
        node.part->begin.value() < 0 || node.part->end.value() <= node.part->begin.value() ||
        node.part->end.value() > performers.threads / unit) {
      return refuse(
          "kernel.scope",
          fmt::format("{}[{}:{}] is not a part of the {} {}s of {}", name_of(node.kind),
                      to_string(node.part->begin), to_string(node.part->end),
                      performers.threads / unit, name_of(node.kind), described(performers)));
    }
    const std::int64_t count = node.part->end.value() - node.part->begin.value();
    return Performers{Scope::Kind::kWarpgroup, count * unit, performers.is_conditional};
  }

  /// Whether the integer may be another one for each thread.
  static bool differs(const Int& value) {
    for (const std::string& name : variables(value)) {
      if (name == "tx" || name == "laneid") return true;
    }
    return false;
  }

  Result<void> check_int(const Int& value, const Performers& performers) const {
    if (performers.kind == Scope::Kind::kThread || !differs(value)) return {};
    return refuse(
        Diagnostic("kernel.scope",
                   fmt::format("{} differs between the {} that do this together", to_string(value),
                               counted(performers.threads, "thread")))
            .with_hint("put it into `thread { … }`, where each thread does it on its own"));
  }

  Result<void> check_condition(const Elementwise& condition, const Performers& performers) {
    HEDDLE_TRY(const Typed value, read(condition, performers));
    if (value.type == DType::kBool && value.extents.empty()) return {};
    const std::string text = to_string(condition);
    return refuse(
        Diagnostic("kernel.type",
                   fmt::format("a condition is one truth value, and {} has the type {} and the "
                               "shape {}",
                               text, name_of(value.type), shape_text(value.extents)))
            .with_hint(
                value.extents.empty()
                    ? fmt::format("if {} != 0", text)
                    : fmt::format("reg c: bool[], reduce(c, {}, op=\"any\", axis=0), if c", text)));
  }

  Result<void> check_loop(std::string_view word) const {
    if (loops_ != 0) return {};
    return refuse("kernel.loop", fmt::format("`{}` is not in a loop of its scope", word));
  }

  Result<void> check_view(const View& view, const Performers& performers) const {
    for (const View::Step& step : view.steps) {
      const auto* sliced = std::get_if<Sliced>(&step);
      if (sliced == nullptr) continue;
      for (const Subscript& subscript : sliced->subscripts) {
        HEDDLE_CHECK(check_int(subscript.begin, performers));
        if (subscript.kind == Subscript::Kind::kRange && differs(subscript.extent)) {
          return refuse("kernel.dynamic",
                        fmt::format("{} has the extent {}, which differs between threads",
                                    to_string(view), to_string(subscript.extent)));
        }
      }
    }
    const auto declared =
        std::ranges::find(registers_, view.tensor, &std::pair<std::string, std::size_t>::first);
    if (declared == registers_.end() || declared->second == scopes_) return {};
    return refuse(
        Diagnostic(
            "kernel.space",
            fmt::format("the registers {} belong to the threads of the scope around this one",
                        view.tensor))
            .with_hint("copy them to shared memory, or declare them here"));
  }

  Result<void> check_views(const Elementwise& value, const Performers& performers) const {
    if (const auto* view = std::get_if<View>(&value.node)) return check_view(*view, performers);
    if (const auto* index = std::get_if<Elementwise::Index>(&value.node)) {
      return check_int(index->value, performers);
    }
    for (const Elementwise& operand : value.operands) {
      HEDDLE_CHECK(check_views(operand, performers));
    }
    return {};
  }

  Result<Typed> read(const Elementwise& value, const Performers& performers) const {
    HEDDLE_TRY(Typed result, typed(value, names_));
    HEDDLE_CHECK(check_views(value, performers));
    return result;
  }

  Result<Typed> written(const View& view, const Performers& performers) const {
    HEDDLE_TRY(Typed result, typed_view(view, names_));
    HEDDLE_CHECK(check_view(view, performers));
    if (names_.find(view.tensor)->space == Space::kValue) {
      return refuse(
          Diagnostic("kernel.space",
                     fmt::format("{} is a parameter that holds a value, and cannot be written",
                                 view.tensor))
              .with_hint(fmt::format("a parameter with a shape, {}: {}[1], can be written",
                                     view.tensor, name_of(names_.find(view.tensor)->type))));
    }
    HEDDLE_CHECK(check_written_layouts(view));
    return result;
  }

  /// Those of the tensor and of the view: each element that is written has a place of its own.
  Result<void> check_written_layouts(const View& view) const {
    const Tensor& tensor = *names_.find(view.tensor);
    if (tensor.layout && tensor.space == Space::kGlobal) {
      HEDDLE_CHECK(check_own_places(*tensor.layout, to_string(tensor)));
    }
    for (const View::Step& step : view.steps) {
      const auto* relaid = std::get_if<Relaid>(&step);
      if (relaid != nullptr) HEDDLE_CHECK(check_own_places(relaid->layout, to_string(view)));
    }
    return {};
  }

  /// Whether the source broadcasts to the destination, whose shape stays as it is.
  static Result<void> check_fits(std::string_view to_text, const Typed& to,
                                 std::string_view from_text, const Typed& from) {
    const auto shape = broadcast(to.extents, from.extents);
    bool fits = shape.has_value() && from.extents.size() <= to.extents.size();
    for (std::size_t d = 0; fits && d != to.extents.size(); ++d) {
      fits = known_equal((*shape)[d], to.extents[d]);
    }
    if (fits) return {};
    Diagnostic diagnostic("kernel.shape", fmt::format("{} of shape {} does not fit into {} of "
                                                      "shape {}",
                                                      from_text, shape_text(from.extents), to_text,
                                                      shape_text(to.extents)));
    if (!shape) return refuse(std::move(diagnostic).with_hint(shape.error().hint()));
    return refuse(std::move(diagnostic));
  }

  static Refusal refuse_shapes(const Call& node, const std::vector<Typed>& operands,
                               std::string_view rule, std::string hint = {}) {
    std::string shapes;
    for (std::size_t i = 0; i != operands.size(); ++i) {
      shapes += fmt::format("{}{} {}", i == 0 ? "" : ", ", to_string(node.operands[i]),
                            shape_text(operands[i].extents));
    }
    return refuse(
        Diagnostic("kernel.shape", fmt::format("{}: {}; {}", node.operation, shapes, rule))
            .with_hint(std::move(hint)));
  }

  static bool same_shape(const std::vector<Int>& a, const std::vector<Int>& b) {
    return std::ranges::equal(a, b, known_equal);
  }

  static Result<void> check_shapes(const Call& node, const std::vector<Typed>& operands) {
    const std::string& operation = node.operation;
    if (operation == "gemm") return check_gemm(node, operands);
    if (operation == "gemm_sparse") return check_sparse(node, operands);
    if (operation == "reduce") return check_reduce(node, operands);
    if (operation == "gather" || operation == "scatter") return check_indexed(node, operands);
    if (operands.size() < 2) return {};
    if (operation == "scan") {
      HEDDLE_CHECK(check_axes(node, operands[1].extents.size()));
      if (axes_of(node).size() == 1 && same_shape(operands[0].extents, operands[1].extents)) {
        return {};
      }
      return refuse_shapes(node, operands, "a scan has one axis and keeps the shape");
    }
    return check_fits(to_string(node.operands[0]), operands[0], to_string(node.operands[1]),
                      operands[1]);
  }

  static const std::vector<std::int64_t>& axes_of(const Call& node) {
    return std::get<std::vector<std::int64_t>>(node.options.at("axis"));
  }

  static Result<void> check_axes(const Call& node, std::size_t rank) {
    std::set<std::int64_t> seen;
    for (const std::int64_t axis : axes_of(node)) {
      if (axis < 0 || std::cmp_greater_equal(axis, rank)) {
        Diagnostic diagnostic(
            "kernel.axis",
            fmt::format("{} goes along axis {} of an operand with {}", node.operation, axis,
                        counted(static_cast<std::int64_t>(rank), "dimension")));
        if (rank == 0) return refuse(std::move(diagnostic));
        return refuse(std::move(diagnostic)
                          .with_hint(fmt::format("axes are counted from 0 to {}", rank - 1)));
      }
      if (!seen.insert(axis).second) {
        return refuse("kernel.axis",
                      fmt::format("{} goes along axis {} twice", node.operation, axis));
      }
    }
    return {};
  }

  static Result<void> check_reduce(const Call& node, const std::vector<Typed>& operands) {
    HEDDLE_CHECK(check_axes(node, operands[1].extents.size()));
    const auto& axes = axes_of(node);
    const auto& op = std::get<std::string>(node.options.at("op"));
    const bool is_position = op == "argmax" || op == "argmin";
    if (is_position && (axes.size() != 1 || is_float(operands[0].type))) {
      return refuse_shapes(node, operands, "a position along one axis is an integer");
    }
    std::vector<Int> kept;
    for (std::size_t d = 0; d != operands[1].extents.size(); ++d) {
      if (std::ranges::find(axes, static_cast<std::int64_t>(d)) == axes.end()) {
        kept.push_back(operands[1].extents[d]);
      }
    }
    if (same_shape(operands[0].extents, kept)) return {};
    return refuse_shapes(node, operands,
                         fmt::format("the result has the shape {}", shape_text(kept)));
  }

  /// The product with one operand turned, or both, where that is what the shapes say.
  static std::string transposed_hint(const Call& node, const std::vector<Int>& c,
                                     std::vector<Int> a, std::vector<Int> b) {
    if (c.size() != 2 || a.size() != 2 || b.size() != 2) return {};
    for (const bool turns_a : {false, true}) {
      if (turns_a) std::swap(a[0], a[1]);
      for (const bool turns_b : {false, true}) {
        if (turns_b) std::swap(b[0], b[1]);
        if (known_equal(c[0], a[0]) && known_equal(c[1], b[1]) && known_equal(a[1], b[0])) {
          const auto turned = [&](std::size_t operand, bool turns) {
            std::string text = to_string(node.operands[operand]);
            if (!turns) return text;
            if (!text.ends_with(".T")) return text + ".T";
            return text.substr(0, text.size() - 2);
          };
          return fmt::format("gemm({}, {}, {})", to_string(node.operands[0]), turned(1, turns_a),
                             turned(2, turns_b));
        }
        if (turns_b) std::swap(b[0], b[1]);
      }
    }
    return {};
  }

  static Result<void> check_gemm(const Call& node, const std::vector<Typed>& operands) {
    HEDDLE_CHECK(check_factors(node, operands));
    const auto& c = operands[0].extents;
    const auto& a = operands[1].extents;
    const auto& b = operands[2].extents;
    const bool fits = c.size() == 2 && a.size() == 2 && b.size() == 2 && known_equal(c[0], a[0]) &&
                      known_equal(c[1], b[1]) && known_equal(a[1], b[0]);
    if (fits) return {};
    return refuse_shapes(node, operands, "C (M,N), A (M,K) and B (K,N) are needed",
                         transposed_hint(node, c, a, b));
  }

  static Result<void> check_sparse(const Call& node, const std::vector<Typed>& operands) {
    HEDDLE_CHECK(check_factors(node, operands));
    if (bits(operands[1].type) > 32 || operands[3].type != DType::kU4) {
      return refuse(Diagnostic("kernel.type",
                               fmt::format("{}: A of {} with an index of {}", node.operation,
                                           name_of(operands[1].type), name_of(operands[3].type)))
                        .with_hint("A is of up to 32 bits, and its index is of u4: bytes are "
                                   "read as that by E.bits(u4)"));
    }
    const std::int64_t group = sparse_group(operands[1].type).elements;
    const auto& c = operands[0].extents;
    const auto& a = operands[1].extents;
    const auto& b = operands[2].extents;
    const auto& e = operands[3].extents;
    const bool fits =
        std::ranges::all_of(operands, [](const Typed& each) { return each.extents.size() == 2; }) &&
        known_equal(c[0], a[0]) && known_equal(c[1], b[1]) && known_equal(a[1] * 2, b[0]) &&
        known_equal(e[0], a[0]) && known_equal(e[1] * group, b[0]);
    if (fits) return {};
    return refuse_shapes(
        node, operands,
        fmt::format("C (M,N), A (M,K//2), B (K,N) and, with A of {} bits, E (M,K//{}) are needed",
                    bits(operands[1].type), group));
  }

  static Result<void> check_factors(const Call& node, const std::vector<Typed>& operands) {
    if (node.options.contains("beta") && node.options.contains("accum")) {
      return refuse(
          "kernel.option",
          fmt::format("{} has options 'accum' and 'beta', which say the same", node.operation));
    }
    for (const char* name : {"alpha", "beta"}) {
      const auto factor = node.options.find(name);
      if (factor == node.options.end() || is_float(operands[0].type)) continue;
      const double value = std::get<double>(factor->second);
      if (value == std::floor(value) && std::abs(value) < 0x1p53) continue;
      return refuse("kernel.option",
                    fmt::format("{} of integers is {}, which is not an integer", name, value));
    }
    return {};
  }

  static Result<void> check_indexed(const Call& node, const std::vector<Typed>& operands) {
    const bool is_gather = node.operation == "gather";
    const Typed& whole = operands[is_gather ? 1 : 0];
    const Typed& picked = operands[is_gather ? 0 : 1];
    const Typed& index = operands[2];
    HEDDLE_CHECK(check_axes(node, whole.extents.size()));
    if (is_float(index.type) || index.extents.size() != 1 || axes_of(node).size() != 1) {
      return refuse_shapes(node, operands, "the index is a vector of integers, along one axis");
    }
    std::vector<Int> wanted = whole.extents;
    wanted[static_cast<std::size_t>(axes_of(node).front())] = index.extents.front();
    if (same_shape(wanted, picked.extents)) return {};
    return refuse_shapes(node, operands,
                         fmt::format("the picked elements have the shape {}", shape_text(wanted)));
  }

  const Kernel& kernel_;
  /// What names of schedules are changed for.
  std::set<std::string> kernel_names_;
  Names names_;
  /// Register tensors, and how many scopes were open where they were declared.
  std::vector<std::pair<std::string, std::size_t>> registers_;
  /// The integers in sight: sizes, counters, names of `let`.
  std::vector<std::string> integers_ = {"bx", "by", "bz", "tx", "laneid", "warpid"};
  std::size_t scopes_ = 0;
  std::size_t loops_ = 0;
  bool is_in_cluster_ = false;
  /// The statements that schedules stand for.
  std::size_t expanded_ = 0;
};

}  // namespace

const Tensor* Names::find(std::string_view name) const {
  if (find_) return find_(name);
  for (std::size_t i = tensors_.size(); i-- != 0;) {
    if (tensors_[i]->name == name) return tensors_[i];
  }
  return nullptr;
}

std::vector<std::string_view> Names::names() const {
  std::vector<std::string_view> names;
  for (const Tensor* tensor : tensors_) names.emplace_back(tensor->name);
  return names;
}

Result<ViewShape> shape_of(const Elementwise& value, const Names& names) {
  HEDDLE_TRY(Typed result, typed(value, names));
  return ViewShape{result.type, std::move(result.extents)};
}

Result<void> check_one_device(const Kernel& kernel) {
  if (kernel.launch.devices != 0) {
    return refuse_at(kernel.place.span,
                     Diagnostic("kernel.devices",
                                fmt::format("{} is launched on {}, and here a kernel runs on one",
                                            kernel.name, counted(kernel.launch.devices, "device")))
                         .with_hint("heddle kernel run, explain, compile and check with --target "
                                    "cpu do it on several"));
  }
  for (const Tensor& parameter : kernel.parameters) {
    if (!parameter.layout) continue;
    HEDDLE_TRY(const map::View view, map::view(*parameter.layout));
    const auto device = std::ranges::find_if(view.axes, [](const Axis& axis) {
      return axe::AxisTable::hardware().kind(axis) == axe::AxisKind::kDevice;
    });
    if (device == view.axes.end()) continue;
    return refuse_at(
        parameter.place.span,
        Diagnostic(
            "kernel.devices",
            fmt::format("{} is spread over several devices, along {}, and the kernel runs on one",
                        to_string(parameter), device->name()))
            .with_hint("launch devices 4, cta (N + 127) // 128, threads 128"));
  }
  return {};
}

Result<void> check(const Kernel& kernel) { return Checker(kernel).check(); }

}  // namespace heddle::kernel
