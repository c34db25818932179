#include "heddle/kernel/operators.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <string>

#include "core/text.h"
#include "heddle/core/nearest_names.h"

namespace heddle::kernel {

namespace {

using Kind = OptionRule::Kind;

const OptionRule kPad{"pad", Kind::kNumber, {}, false};
const OptionRule kGroup{"group", Kind::kName, {}, true};
const OptionRule kAxis{"axis", Kind::kAxes, {}, true, std::vector<std::int64_t>{0}};
const OptionValue kSumByDefault = std::string("sum");
const OptionRule kAccum{"accum", Kind::kFlag, {}, false};

/// The rows and columns of a tile, and the steps, rows and columns of blocks (lower/gemm_blocks.h).
const std::vector<std::string_view> kTileOptions = {"rows", "columns", "kc", "mc", "nc"};

constexpr OperandRule kWritten{"D", Role::kWrites, true};
constexpr OperandRule kRead{"S", Role::kReads, false};
constexpr OperandRule kReadView{"S", Role::kReads, true};

using Needs = WayRule::Needs;

const std::vector<WayRule> kElementwise = {{"vector"}, {"element"}};
const std::vector<WayRule> kCopied = {{"vector"},
                                      {"element"},
                                      {"rows", Needs::kOneWorker},
                                      {"cp_async", Needs::kAsyncCopies},
                                      {"ldmatrix", Needs::kMatrixLoads}};

std::vector<OperatorRule> make_operators() {
  return {
      {"copy", {kWritten, kReadView}, {kPad}, kCopied},
      {"copy_async", {kWritten, kReadView}, {kGroup, kPad}, kCopied},
      {"wait", {}, {kGroup}},
      {"fill", {kWritten, {"value", Role::kReads, false}}, {}, kElementwise},
      {"cast", {kWritten, kReadView}, {}, kElementwise},
      {"reduce",
       {kWritten, kRead},
       {{"op",
         Kind::kName,
         {"sum", "prod", "max", "min", "any", "all", "argmax", "argmin"},
         true,
         kSumByDefault},
        kAxis,
        kAccum},
       {{"registers"}, {"shuffle"}, {"warps"}, {"shared"}}},
      {"scan",
       {kWritten, kRead},
       {{"op", Kind::kName, {"sum", "prod", "max", "min"}, true, kSumByDefault},
        kAxis,
        {"exclusive", Kind::kFlag, {}, false}},
       {{"lines"}}},
      {"gemm",
       {{"C", Role::kUpdates, true}, {"A", Role::kReads, true}, {"B", Role::kReads, true}},
       {{"alpha", Kind::kNumber, {}, false}, {"beta", Kind::kNumber, {}, false}, kAccum},
       {{"fma"}, {"tiles", Needs::kOneWorker}, {"mma", Needs::kMatrixLoads}}},
      {"gemm_sparse",
       {{"C", Role::kUpdates, true},
        {"A", Role::kReads, true},
        {"B", Role::kReads, true},
        {"E", Role::kReads, true}},
       {{"alpha", Kind::kNumber, {}, false}, {"beta", Kind::kNumber, {}, false}, kAccum},
       {{"fma"}, {"mma", Needs::kMatrixLoads}}},
      {"gather",
       {kWritten, kReadView, {"I", Role::kReads, true}},
       {kAxis},
       {{"vector"}, {"element"}}},
      {"scatter", {kWritten, kReadView, {"I", Role::kReads, true}}, {kAxis}, {{"element"}}},
      {"atomic_add", {{"D", Role::kUpdates, true}, kRead}, {}, {{"atomic"}}},
      {"barrier", {}, {}},
  };
}

std::string_view description_of(Kind kind) {
  switch (kind) {
    case Kind::kFlag:
      return "true or false";
    case Kind::kNumber:
      return "a number";
    case Kind::kName:
      return "a name in quotes";
    case Kind::kAxes:
      return "a dimension, or a list of dimensions";
  }
  return "";
}

bool is_of_kind(const OptionValue& value, Kind kind) {
  switch (kind) {
    case Kind::kFlag:
      return std::holds_alternative<bool>(value);
    case Kind::kNumber:
      return std::holds_alternative<double>(value);
    case Kind::kName:
      return std::holds_alternative<std::string>(value);
    case Kind::kAxes:
      return std::holds_alternative<std::vector<std::int64_t>>(value);
  }
  return false;
}

/// `alpha, beta, accum`, for messages.
std::string option_names(const OperatorRule& rule) {
  std::vector<std::string_view> names;
  for (const OptionRule& option : rule.options) names.push_back(option.name);
  return fmt::format("{}", fmt::join(names, ", "));
}

Result<void> check_option(const OperatorRule& rule, const std::string& name,
                          const OptionValue& value) {
  const auto option = std::ranges::find(rule.options, name, &OptionRule::name);
  if (option == rule.options.end()) {
    return refuse(Diagnostic("kernel.option", fmt::format("{} has no option '{}'", rule.name, name))
                      .with_hint(rule.options.empty()
                                     ? fmt::format("{} has no options", rule.name)
                                     : fmt::format("its options are {}", option_names(rule))));
  }
  if (!is_of_kind(value, option->kind)) {
    return refuse("kernel.option", fmt::format("option '{}' of {} is {}", name, rule.name,
                                               description_of(option->kind)));
  }
  if (option->names.empty()) return {};
  const auto& chosen = std::get<std::string>(value);
  if (std::ranges::find(option->names, chosen) != option->names.end()) return {};
  return refuse("kernel.option",
                fmt::format("option '{}' of {} is \"{}\", which is not one of {}", name, rule.name,
                            chosen, fmt::join(option->names, ", ")));
}

Result<void> check_operand(const OperatorRule& rule, std::size_t index, const Elementwise& value) {
  const OperandRule& operand = rule.operands[index];
  if (!operand.is_view || std::holds_alternative<View>(value.node)) return {};
  return refuse(
      Diagnostic("kernel.operands", fmt::format("operand {} of {} is {}, which is not a view",
                                                operand.name, rule.name, to_string(value)))
          .with_hint(fmt::format("reg t: f32[64], then t = {}", to_string(value))));
}

/// The options of `using tiles(rows=6, kc=256)`. No other schedule has any.
Result<void> check_schedule_options(const Call& call) {
  const std::vector<std::string_view> known = call.operation == "gemm" && call.schedule == "tiles"
                                                  ? kTileOptions
                                                  : std::vector<std::string_view>();
  for (const auto& [name, value] : call.schedule_options) {
    if (std::ranges::find(known, name) == known.end()) {
      return refuse(
          Diagnostic("kernel.option", fmt::format("schedule '{}' of {} has no option '{}'",
                                                  call.schedule.value_or(""), call.operation, name))
              .with_hint(known.empty()
                             ? "it has no options"
                             : fmt::format("its options are {}", fmt::join(known, ", "))));
    }
    if (is_of_kind(value, Kind::kNumber)) continue;
    return refuse("kernel.option", fmt::format("option '{}' of schedule '{}' is a number", name,
                                               call.schedule.value_or("")));
  }
  return {};
}

/// Adds the names of the tensors that a statement writes itself.
void add_written(const Statement& statement, std::set<std::string>& names) {
  if (const auto* assign = std::get_if<Assign>(&statement.node)) {
    names.insert(assign->destination.tensor);
  }
  const auto* call = std::get_if<Call>(&statement.node);
  const OperatorRule* rule = call == nullptr ? nullptr : find_operator(call->operation);
  if (rule == nullptr) return;
  for (std::size_t i = 0; i != std::min(rule->operands.size(), call->operands.size()); ++i) {
    const auto* view = std::get_if<View>(&call->operands[i].node);
    if (rule->operands[i].role != Role::kReads && view != nullptr) names.insert(view->tensor);
  }
}

}  // namespace

std::span<const OperatorRule> operators() {
  static const std::vector<OperatorRule> kOperators = make_operators();
  return kOperators;
}

const OperatorRule* find_operator(std::string_view name) {
  const auto all = operators();
  const auto found = std::ranges::find(all, name, &OperatorRule::name);
  return found == all.end() ? nullptr : &*found;
}

bool is_way(std::string_view name) {
  return std::ranges::any_of(operators(), [&](const OperatorRule& rule) {
    return std::ranges::find(rule.ways, name, &WayRule::name) != rule.ways.end();
  });
}

Result<void> check_call(const Call& call) {
  const OperatorRule* rule = find_operator(call.operation);
  if (rule == nullptr) {
    std::vector<std::string> names;
    for (const OperatorRule& each : operators()) names.emplace_back(each.name);
    const std::string meant = did_you_mean(call.operation, names);
    return refuse(
        Diagnostic("kernel.operator", fmt::format("unknown operator '{}'", call.operation))
            .with_hint(meant.empty() ? fmt::format("the operators are {}", fmt::join(names, ", "))
                                     : meant));
  }
  if (call.operands.size() != rule->operands.size()) {
    return refuse("kernel.operands",
                  fmt::format("{} takes {}, not {}", rule->name,
                              counted(static_cast<std::int64_t>(rule->operands.size()), "operand"),
                              call.operands.size()));
  }
  for (std::size_t i = 0; i != call.operands.size(); ++i) {
    HEDDLE_CHECK(check_operand(*rule, i, call.operands[i]));
  }
  for (const auto& [name, value] : call.options) {
    HEDDLE_CHECK(check_option(*rule, name, value));
  }
  for (const OptionRule& option : rule->options) {
    if (!option.is_required || call.options.contains(std::string(option.name))) continue;
    return refuse(
        Diagnostic("kernel.option",
                   fmt::format("{} needs option '{}', {}", rule->name, option.name,
                               option.names.empty()
                                   ? std::string(description_of(option.kind))
                                   : fmt::format("one of {}", fmt::join(option.names, ", "))))
            .with_hint(option.kind == Kind::kName ? fmt::format("{}=\"g\"", option.name) : ""));
  }
  return check_schedule_options(call);
}

std::vector<std::size_t> written_parameters(const Kernel& kernel) {
  std::set<std::string> names;
  for_each_statement(kernel.body,
                     [&](const Statement& statement) { add_written(statement, names); });
  std::vector<std::size_t> written;
  for (std::size_t i = 0; i != kernel.parameters.size(); ++i) {
    if (names.contains(kernel.parameters[i].name)) written.push_back(i);
  }
  return written;
}

}  // namespace heddle::kernel
