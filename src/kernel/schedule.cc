#include "heddle/kernel/schedule.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <utility>

#include "core/overloaded.h"
#include "core/text.h"
#include "heddle/expr/index_variable.h"
#include "heddle/expr/proof.h"
#include "heddle/expr/variables.h"
#include "heddle/kernel/operators.h"
#include "heddle/map/instantiate.h"

namespace heddle::kernel {

namespace {

Refusal refuse_schedule(const Schedule& schedule, std::string_view reason, std::string hint = {}) {
  return refuse(Diagnostic("kernel.schedule", fmt::format("schedule {}: {}", schedule.name, reason))
                    .with_hint(std::move(hint)));
}

bool is_size(const Int& extent) {
  const std::vector<std::string> names = variables(extent);
  return names.size() == 1 && to_string(extent) == names.front();
}

/// The body with other views for tensors, other integers for sizes, and other names.
class Expansion {
 public:
  explicit Expansion(const std::set<std::string>& taken) : taken_(taken) {}

  void bind(std::string name, View view, DType type) {
    known_.types[name] = type;
    known_.views[std::move(name)] = std::move(view);
  }
  void bind(const std::string& name, Int value) { known_.integers[name] = std::move(value); }
  void bind_threads(std::int64_t threads) {
    bind("tx", index_variable("tx", threads));
    bind("laneid", index_variable("laneid", kWarpThreads));
    bind("warpid", index_variable("warpid", ceil_div(threads, kWarpThreads)));
  }
  [[nodiscard]] bool has_integer(const std::string& name) const {
    return known_.integers.contains(name);
  }

  Result<Int> integer(const Int& value) const {
    for (const std::string& name : variables(value)) {
      if (!known_.integers.contains(name)) return refuse_name("integer", name);
    }
    return instantiate(value, known_.integers);
  }

  Result<Block> block(const Block& statements) {
    const Known outer = known_;
    Block result;
    for (const Statement& statement : statements) {
      auto node = std::visit([&](const auto& each) { return made(each); }, statement.node);
      if (!node) {
        const bool has_place = node.error().span().has_value();
        return has_place ? refuse(std::move(node).error())
                         : refuse(std::move(node).error().with_span(statement.span));
      }
      result.push_back({*std::move(node), statement.span});
    }
    known_ = outer;
    return result;
  }

 private:
  using Made = Result<Statement::Node>;

  /// What names mean at a place.
  struct Known {
    Bindings integers;
    std::map<std::string, View> views;
    std::map<std::string, DType> types;
  };

  static Refusal refuse_name(std::string_view what, std::string_view name) {
    return refuse(
        Diagnostic("kernel.name", fmt::format("there is no {} '{}' in the schedule", what, name))
            .with_hint("a schedule has the sizes and the operands that it is for"));
  }

  /// The name, or the first of name_1, name_2, … that nothing has.
  std::string fresh(const std::string& name) {
    std::string made = name;
    for (int k = 1; taken_.contains(made) || !declared_.insert(made).second; ++k) {
      made = fmt::format("{}_{}", name, k);
    }
    return made;
  }

  Result<std::vector<Int>> integers(const std::vector<Int>& values) const {
    std::vector<Int> result;
    for (const Int& value : values) {
      HEDDLE_TRY(result.emplace_back(), integer(value));
    }
    return result;
  }

  Result<View::Step> step(const Sliced& node) const {
    Sliced sliced = node;
    for (Subscript& subscript : sliced.subscripts) {
      HEDDLE_TRY(subscript.begin, integer(subscript.begin));
      HEDDLE_TRY(subscript.extent, integer(subscript.extent));
    }
    return sliced;
  }
  Result<View::Step> step(const Reshaped& node) const {
    HEDDLE_TRY(std::vector<Int> shape, integers(node.shape));
    return Reshaped{std::move(shape)};
  }
  Result<View::Step> step(const Relaid& node) const {
    HEDDLE_TRY(map::AnyLayout layout, map::instantiate(node.layout, known_.integers));
    return Relaid{std::move(layout)};
  }
  Result<View::Step> step(const Permuted& node) const { return node; }
  Result<View::Step> step(const Recast& node) const { return node; }

  Result<View> view(const View& node) const {
    const auto base = known_.views.find(node.tensor);
    if (base == known_.views.end()) return refuse_name("tensor", node.tensor);
    View result = base->second;
    for (const View::Step& taken : node.steps) {
      HEDDLE_TRY(result.steps.emplace_back(),
                 std::visit([&](const auto& each) { return step(each); }, taken));
    }
    return result;
  }

  Result<Elementwise> value(const Elementwise& node) const {
    Elementwise result{node.node};
    if (const auto* read = std::get_if<View>(&node.node)) {
      HEDDLE_TRY(result.node, view(*read));
    }
    if (const auto* index = std::get_if<Elementwise::Index>(&node.node)) {
      HEDDLE_TRY(Int number, integer(index->value));
      result.node = Elementwise::Index{std::move(number)};
    }
    for (const Elementwise& operand : node.operands) {
      HEDDLE_TRY(result.operands.emplace_back(), value(operand));
    }
    return result;
  }

  Made made(const Declaration& node) {
    Declaration result = node;
    HEDDLE_TRY(result.tensor.shape, integers(node.tensor.shape));
    if (node.tensor.layout) {
      HEDDLE_TRY(result.tensor.layout, map::instantiate(*node.tensor.layout, known_.integers));
    }
    result.tensor.name = fresh(node.tensor.name);
    bind(node.tensor.name, View{result.tensor.name, {}}, node.tensor.type);
    return result;
  }

  Made made(const Let& node) {
    Let result = node;
    HEDDLE_TRY(result.value, view(node.value));
    DType type = known_.types.at(node.value.tensor);
    for (const View::Step& taken : node.value.steps) {
      if (const auto* recast = std::get_if<Recast>(&taken)) type = recast->type;
    }
    result.name = fresh(node.name);
    bind(node.name, let_variable(result.name, type));
    return result;
  }

  Made made(const Assign& node) {
    HEDDLE_TRY(View destination, view(node.destination));
    HEDDLE_TRY(Elementwise computed, value(node.value));
    return Assign{std::move(destination), std::move(computed)};
  }

  Made made(const Call& node) {
    Call result = node;
    for (Elementwise& operand : result.operands) {
      HEDDLE_TRY(operand, value(operand));
    }
    return result;
  }

  /// The name that the counter of a loop gets, which is known in its body from here on.
  std::string bound_counter(const std::string& name, const Int& extent) {
    std::string counter = fresh(name);
    const Int index = index_variable(counter, extent);
    bind(name, index.is_defined() ? index : Int(0));
    return counter;
  }

  Made made(const For& node) {
    HEDDLE_TRY(Int extent, integer(node.extent));
    const Known outer = known_;
    std::string counter = bound_counter(node.counter, extent);
    HEDDLE_TRY(Block body, block(node.body));
    known_ = outer;
    return For{std::move(counter), std::move(extent), std::move(body)};
  }

  Made made(const Pipeline& node) {
    HEDDLE_TRY(Int extent, integer(node.extent));
    const Known outer = known_;
    std::string counter = bound_counter(node.counter, extent);
    HEDDLE_TRY(Block load, block(node.load));
    HEDDLE_TRY(Block compute, block(node.compute));
    known_ = outer;
    return Pipeline{std::move(counter), std::move(extent), node.stages, std::move(load),
                    std::move(compute)};
  }

  Made made(const While& node) {
    HEDDLE_TRY(Elementwise condition, value(node.condition));
    HEDDLE_TRY(Block body, block(node.body));
    return While{std::move(condition), std::move(body)};
  }

  Made made(const If& node) {
    HEDDLE_TRY(Elementwise condition, value(node.condition));
    HEDDLE_TRY(Block then, block(node.then));
    HEDDLE_TRY(Block otherwise, block(node.otherwise));
    return If{std::move(condition), std::move(then), std::move(otherwise)};
  }

  Made made(const Scope& node) {
    Scope result{node.kind, node.part, {}, {}};
    if (result.part) {
      HEDDLE_TRY(result.part->begin, integer(result.part->begin));
      HEDDLE_TRY(result.part->end, integer(result.part->end));
    }
    HEDDLE_TRY(result.body, block(node.body));
    HEDDLE_TRY(result.otherwise, block(node.otherwise));
    return result;
  }

  Made made(const Break& node) { return node; }
  Made made(const Continue& node) { return node; }
  Made made(const Unchecked& node) { return node; }

  const std::set<std::string>& taken_;
  std::set<std::string> declared_;
  Known known_;
};

/// Binds the sizes in the shape of a parameter to the extents of its operand.
Result<void> match(const Schedule& schedule, std::size_t operand, const Elementwise& value,
                   const ViewShape& shape, Expansion& expansion) {
  const Tensor& parameter = schedule.parameters[operand];
  const auto refuse_operand = [&] {
    return refuse_schedule(
        schedule,
        fmt::format("{} has the type {} and the shape {}, and {} is needed", to_string(value),
                    name_of(shape.type), shape_text(shape.extents), to_string(parameter)),
        "a schedule is for operands of its types and shapes");
  };
  if (shape.type != parameter.type || shape.extents.size() != parameter.shape.size()) {
    return refuse_operand();
  }
  for (std::size_t d = 0; d != shape.extents.size(); ++d) {
    const Int& extent = parameter.shape[d];
    if (is_size(extent) && !expansion.has_integer(to_string(extent))) {
      expansion.bind(to_string(extent), shape.extents[d]);
    }
  }
  for (std::size_t d = 0; d != shape.extents.size(); ++d) {
    const auto extent = expansion.integer(parameter.shape[d]);
    if (!extent || !known_equal(*extent, shape.extents[d])) return refuse_operand();
  }
  return {};
}

/// What a call is by its options, `op="max", axis=0`, for messages.
std::string options_of(std::string_view operation, const Options& options) {
  return to_string(Statement{Call{std::string(operation), {}, options}});
}

/// Whether the call of a schedule is one that it is for.
Result<void> check_fits(const Schedule& schedule, const Call& call) {
  if (call.operation != schedule.operation) {
    return refuse_schedule(
        schedule, fmt::format("it is for {}, and this is {}", schedule.operation, call.operation));
  }
  if (call.options != schedule.options) {
    return refuse_schedule(
        schedule,
        fmt::format("it is for {}, and this is {}", options_of(call.operation, schedule.options),
                    options_of(call.operation, call.options)),
        "its options stand behind its parameters, and are those of every call");
  }
  const OperatorRule& rule = *find_operator(call.operation);
  for (std::size_t i = 0; i != call.operands.size(); ++i) {
    const auto* view = std::get_if<View>(&call.operands[i].node);
    if (view == nullptr) {
      return refuse_schedule(
          schedule, fmt::format("{} is no view", to_string(call.operands[i])),
          fmt::format("reg t: f32[64], then t = {}", to_string(call.operands[i])));
    }
    for (std::size_t k = 0; k != i; ++k) {
      const bool is_written =
          rule.operands[i].role != Role::kReads || rule.operands[k].role != Role::kReads;
      if (!is_written || std::get<View>(call.operands[k].node).tensor != view->tensor) continue;
      return refuse_schedule(schedule,
                             fmt::format("{} and {} are of one tensor, of which one is written",
                                         to_string(call.operands[k]), to_string(call.operands[i])),
                             "its statements may write what others of them read");
    }
  }
  return {};
}

}  // namespace

std::set<std::string> names_in(const Kernel& kernel) {
  std::set<std::string> names = {"bx", "by", "bz", "tx", "laneid", "warpid"};
  for (const Tensor& parameter : kernel.parameters) names.insert(parameter.name);
  for (std::string& size : size_names(kernel)) names.insert(std::move(size));
  for_each_statement(kernel.body, [&](const Statement& statement) {
    std::visit(
        Overloaded{[&](const Declaration& node) { names.insert(node.tensor.name); },
                   [&](const Let& node) { names.insert(node.name); },
                   [&](const For& node) { names.insert(node.counter); },
                   [&](const Pipeline& node) { names.insert(node.counter); }, [](const auto&) {}},
        statement.node);
  });
  return names;
}

const Schedule* find_schedule(const Kernel& kernel, const Call& call) {
  if (!call.schedule) return nullptr;
  const auto found = std::ranges::find(kernel.schedules, *call.schedule, &Schedule::name);
  return found == kernel.schedules.end() ? nullptr : &*found;
}

Result<void> check_schedule_name(std::string_view name) {
  if (!is_way(name)) return {};
  return refuse(
      Diagnostic("kernel.name_taken", fmt::format("the library has a schedule '{}'", name))
          .with_hint("choose another name"));
}

Result<void> check(const Schedule& schedule) {
  HEDDLE_CHECK(check_schedule_name(schedule.name));
  const OperatorRule* rule = find_operator(schedule.operation);
  if (rule == nullptr || rule->operands.empty()) {
    return refuse_schedule(schedule,
                           fmt::format("there is no operator '{}' on tensors", schedule.operation));
  }
  if (schedule.parameters.size() != rule->operands.size()) {
    return refuse_schedule(
        schedule, fmt::format("{} has {}, not {}", schedule.operation,
                              counted(static_cast<std::int64_t>(rule->operands.size()), "operand"),
                              schedule.parameters.size()));
  }
  Kernel alone{schedule.name, schedule.parameters, {}, {}, schedule.body};
  for (const std::size_t written : written_parameters(alone)) {
    if (rule->operands[written].role != Role::kReads) continue;
    return refuse_schedule(schedule,
                           fmt::format("its body writes {}, which {} reads",
                                       schedule.parameters[written].name, schedule.operation));
  }
  const std::set<std::string> none;
  Expansion expansion(none);
  expansion.bind_threads(kMaxThreads);
  for (const Tensor& parameter : schedule.parameters) {
    if (parameter.layout) {
      return refuse_schedule(schedule, fmt::format("{} is a view of an operand, which has a layout "
                                                   "of its own",
                                                   to_string(parameter)));
    }
    expansion.bind(parameter.name, View{parameter.name, {}}, parameter.type);
    for (const Int& extent : parameter.shape) {
      if (is_size(extent)) expansion.bind(to_string(extent), extent);
    }
  }
  for (const Tensor& parameter : schedule.parameters) {
    for (const Int& extent : parameter.shape) {
      if (expansion.integer(extent)) continue;
      return refuse_schedule(schedule,
                             fmt::format("a size in the extent {} of {} is not known",
                                         to_string(extent), parameter.name),
                             "each size is all of the extent of some dimension");
    }
  }
  HEDDLE_CHECK(expansion.block(schedule.body));
  return {};
}

Result<Block> expanded(const Schedule& schedule, const Call& call,
                       std::span<const ViewShape> operands, const Kernel& kernel,
                       const std::set<std::string>& taken) {
  HEDDLE_CHECK(check_fits(schedule, call));
  Expansion expansion(taken);
  expansion.bind_threads(kernel.launch.threads);
  for (std::size_t i = 0; i != operands.size(); ++i) {
    HEDDLE_CHECK(match(schedule, i, call.operands[i], operands[i], expansion));
    expansion.bind(schedule.parameters[i].name, std::get<View>(call.operands[i].node),
                   operands[i].type);
  }
  HEDDLE_TRY(Block block, expansion.block(schedule.body));
  std::optional<Diagnostic> nested;
  for_each_statement(block, [&](const Statement& statement) {
    const auto* inner = std::get_if<Call>(&statement.node);
    if (inner == nullptr || find_schedule(kernel, *inner) == nullptr || nested) return;
    nested =
        Diagnostic("kernel.schedule",
                   fmt::format("schedule {}: {} stands in the body of a schedule", schedule.name,
                               to_string(statement)))
            .with_span(statement.span)
            .with_hint("in a schedule, `using` names instructions and schedules of the library");
  });
  if (nested) return refuse(*std::move(nested));
  return block;
}

}  // namespace heddle::kernel
