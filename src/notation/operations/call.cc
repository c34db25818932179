// Calls: arguments by position and by name, converted to the types of the parameters.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "heddle/core/nearest_names.h"
#include "heddle/map/isl_engine.h"
#include "heddle/notation/lexer.h"
#include "heddle/notation/operations.h"
#include "notation/operations/any_layout.h"
#include "notation/operations/empty_tuples.h"
#include "notation/operations/readers.h"

namespace heddle::notation {
namespace {

/// The operands of a call for isl: layouts, and the target size (of a complement).
struct Operands {
  std::vector<cute::Layout> layouts;
  std::optional<std::int64_t> target;
};

std::optional<cute::Layout> layout_in(const Value& value) {
  if (const auto* layout = value.get_if<cute::Layout>()) return *layout;
  const auto* tiler = value.get_if<cute::Tiler>();
  if (tiler == nullptr || !tiler->is_leaf() || tiler->leaf().layout() == nullptr) {
    return std::nullopt;
  }
  return *tiler->leaf().layout();
}

/// nullopt if an operand is neither.
std::optional<Operands> operands_in(std::span<const std::optional<Value>> values) {
  Operands operands;
  for (const std::optional<Value>& value : values) {
    if (!value) continue;
    if (has_empty_tuple(*value)) return std::nullopt;
    if (auto layout = layout_in(*value)) {
      operands.layouts.push_back(*std::move(layout));
    } else if (value->is_integer() && value->get<IntTuple>().leaf().is_constant()) {
      operands.target = value->get<IntTuple>().leaf().value();
    } else {
      return std::nullopt;
    }
  }
  return operands;
}

Result<Value> called(const Operation& operation, std::span<const std::optional<Value>> values,
                     const map::Limits& limits) {
  const std::optional<Operands> operands = operands_in(values);
  if (!operands) {
    return refuse(
        Diagnostic("isl_engine.operation",
                   fmt::format("the isl engine supports {} of plain layouts only", operation.name))
            .with_hint("without --engine isl the algebra itself answers"));
  }
  HEDDLE_TRY(cute::Layout layout,
             map::isl_engine::call(operation.name, operands->layouts, operands->target, limits));
  return Value(std::move(layout));
}

/// The result of the isl engine (map/isl_engine.h); nullopt for operations that it does not have.
/// Refuses `isl_engine.operation` for operands that are no plain layouts.
std::optional<Result<Value>> call_by_isl(const Operation& operation,
                                         std::span<const std::optional<Value>> values,
                                         const map::Limits& limits) {
  const auto names = map::isl_engine::operations();
  if (std::ranges::find(names, operation.name) == names.end()) return std::nullopt;
  return called(operation, values, limits);
}

/// The parameter that takes the argument of this number: further ones are the last one's.
const Parameter& parameter_at(const Operation& operation, std::size_t index) {
  return operation.parameters[std::min(index, operation.parameters.size() - 1)];
}

/// What the other operations of this name take instead, as a hint; empty if there are none.
std::string hint_at_namesakes(const Operation& operation, std::size_t index) {
  std::vector<std::string_view> others;
  const std::string_view own = parameter_at(operation, index).type->description;
  for (const Operation* namesake : operations_named(operation.name)) {
    if (index >= namesake->parameters.size()) continue;
    const std::string_view other = namesake->parameters[index].type->description;
    if (other != own && std::ranges::find(others, other) == others.end()) others.push_back(other);
  }
  if (others.empty()) return "";
  return fmt::format("other operations called {} take {}", operation.name, fmt::join(others, "; "));
}

Refusal wrong_type(const Operation& operation, std::size_t index, const Argument& argument) {
  const Parameter& parameter = parameter_at(operation, index);
  const Value& value = argument.value;
  if (const auto* report = value.get_if<Report>(); report != nullptr && report->refusal) {
    return refuse(*report->refusal);
  }
  // A negative number is no mode: the message shows the number.
  const bool is_number = *parameter.type == kParameterType<ModeNumbers> && value.is<IntTuple>();
  const std::string given = is_number ? to_string(value) : std::string(kind_name(value));
  Diagnostic diagnostic(
      "call.type", fmt::format("argument {} of {}, {}, is {}; {} is needed", index + 1,
                               operation.name, parameter.name, given, parameter.type->description));
  if (argument.span) diagnostic = std::move(diagnostic).with_span(*argument.span);
  std::string hint = parameter.type->hint(value);
  if (value.is<lego::Layout>()) {
    hint = "a LEGO layout has no strides; it has apply, inv, slice, dims, size and table";
  }
  if (value.is<cute::OffsetLayout>()) hint = "layout(T) is the layout without its offset";
  if (hint.empty()) hint = hint_at_namesakes(operation, index);
  return refuse(std::move(diagnostic).with_hint(std::move(hint)));
}

Refusal wrong_arity(const Operation& operation, std::string_view what) {
  return refuse(Diagnostic("call.arity", fmt::format("{} {}", operation.name, what))
                    .with_hint("it is called as " + signature(operation)));
}

Diagnostic unknown_keyword(const Operation& operation, std::string_view keyword) {
  std::vector<std::string> names;
  for (const Parameter& parameter : operation.parameters) names.push_back(parameter.name);
  // CuTe DSL asks some questions of one mode.
  const std::string meant = keyword == "mode" ? operation.name + "(get(L, 0)) is that of mode 0;"
                                              : did_you_mean(keyword, names);
  return Diagnostic("call.keyword",
                    fmt::format("{} has no parameter {}", operation.name, quote(keyword)))
      .with_hint(meant + (meant.empty() ? "" : " ") + "it is called as " + signature(operation));
}

Refusal refuse_keyword(Diagnostic diagnostic, const Argument& argument) {
  if (argument.span) diagnostic = std::move(diagnostic).with_span(*argument.span);
  return refuse(std::move(diagnostic));
}

/// Assigns arguments to the slots of the parameters.
class Filling {
 public:
  explicit Filling(const Operation& operation)
      : operation_(operation), slots_(operation.parameters.size()) {}

  Result<void> add(const Argument& argument) {
    if (!argument.name.empty()) return add_named(argument);
    const bool repeats =
        !operation_.parameters.empty() && operation_.parameters.back().need == Need::kRepeated;
    // Before arguments that repeat, an optional one is given by its name only.
    while (repeats && next_ < operation_.parameters.size() &&
           operation_.parameters[next_].need == Need::kOptional) {
      ++next_;
    }
    if (next_ >= slots_.size()) {
      if (!repeats) return too_many();
      slots_.push_back(nullptr);
    }
    const Argument*& slot = slots_[next_++];
    if (slot != nullptr) return given_twice(*slot);
    slot = &argument;
    return {};
  }

  /// The arguments by slot; nullptr for a missing optional one.
  Result<std::vector<const Argument*>> finish() && {
    for (std::size_t i = 0; i < operation_.parameters.size(); ++i) {
      const Parameter& parameter = operation_.parameters[i];
      const bool may_miss = parameter.need == Need::kOptional || !parameter.default_text.empty();
      if (slots_[i] != nullptr || may_miss) continue;
      // An optional parameter before it took what was meant for it.
      const bool is_named = i > 0 && i == next_ && slots_[i - 1] != nullptr &&
                            operation_.parameters[i - 1].need == Need::kOptional;
      return wrong_arity(
          operation_,
          fmt::format("needs the argument '{}'{}", parameter.name,
                      is_named ? fmt::format(", which is named, {}=…, where '{}' is left out",
                                             parameter.name, operation_.parameters[i - 1].name)
                               : ""));
    }
    return std::move(slots_);
  }

 private:
  Result<void> add_named(const Argument& argument) {
    const Parameter* found = find_parameter(operation_, argument.name);
    if (found == nullptr) {
      return refuse_keyword(unknown_keyword(operation_, argument.name), argument);
    }
    auto& slot = slots_[static_cast<std::size_t>(found - operation_.parameters.data())];
    if (slot != nullptr) return given_twice(argument);
    slot = &argument;
    return {};
  }

  Refusal given_twice(const Argument& argument) const {
    Diagnostic diagnostic("call.keyword", fmt::format("{} is given the parameter {} twice",
                                                      operation_.name, quote(argument.name)));
    return refuse_keyword(
        std::move(diagnostic).with_hint("it is called as " + signature(operation_)), argument);
  }

  Refusal too_many() const {
    const std::size_t most = slots_.size();
    return wrong_arity(operation_,
                       fmt::format("takes at most {} argument{}", most, most == 1 ? "" : "s"));
  }

  const Operation& operation_;
  std::vector<const Argument*> slots_;
  std::size_t next_ = 0;
};

/// A place in a text argument is mapped to the source if the text is quoted there; otherwise the
/// place is the whole argument.
Refusal refuse_argument(Diagnostic why, const Argument& argument) {
  const bool is_placed = why.span() && !argument.value.is<std::string>();
  if (is_placed || !argument.span) return refuse(std::move(why));
  const bool is_within = why.span() && argument.places.are_known();
  const Span place = is_within ? argument.places.in_source(*why.span()) : *argument.span;
  return refuse(std::move(why).with_span(place));
}

/// Adds a place to a refusal about a text: within the only argument, or all arguments if there are
/// several.
Refusal refuse_read(Diagnostic why, std::span<const Argument> arguments) {
  const bool has_places = !arguments.empty() && arguments.front().span && arguments.back().span;
  if (!why.span() || !has_places) return refuse(std::move(why));
  if (arguments.size() == 1) return refuse_argument(std::move(why), arguments.front());
  const Span first = *arguments.front().span;
  const Span last = *arguments.back().span;
  return refuse(
      std::move(why).with_span({std::min(first.begin, last.begin), std::max(first.end, last.end)}));
}

bool is_none(const Value& value) {
  const auto* coordinate = value.get_if<cute::Coordinate>();
  return coordinate != nullptr && coordinate->is_leaf() && coordinate->leaf().is_underscore();
}

/// The value as the parameter takes it: an encoding also as the layout of a tensor of the shape in
/// question, where that is known.
Result<std::optional<Value>> converted(const Parameter& parameter, const Value& value,
                                       const CallContext& context) {
  HEDDLE_TRY(std::optional<Value> taken, parameter.type->convert(value, context));
  if (taken || !value.is<linear::Encoding>() || !context.decide.shape) return taken;
  HEDDLE_TRY(const Value layout, layout_of_encoding(value, *context.decide.shape));
  return parameter.type->convert(layout, context);
}

Result<std::vector<std::optional<Value>>> convert_all(const Operation& operation,
                                                      std::span<const Argument* const> arguments,
                                                      const CallContext& context) {
  std::vector<std::optional<Value>> values(arguments.size());
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const Parameter& parameter = parameter_at(operation, i);
    if (arguments[i] == nullptr) {
      values[i] = parameter.default_value;
      continue;
    }
    Result<std::optional<Value>> value = converted(parameter, arguments[i]->value, context);
    if (!value) return refuse_argument(std::move(value).error(), *arguments[i]);
    // None, as Python passes it for an argument that is left out.
    if (!*value && parameter.need == Need::kOptional && is_none(arguments[i]->value)) continue;
    if (!*value) return wrong_type(operation, i, *arguments[i]);
    if (const auto has_modes = check_has_modes(operation, **value); !has_modes) {
      return refuse_argument(has_modes.error(), *arguments[i]);
    }
    values[i] = *std::move(value);
  }
  return values;
}

}  // namespace

Result<void> check_keyword(std::string_view operation, std::string_view keyword) {
  const auto named = operations_named(operation);
  const auto takes_it = [&](const Operation* one) { return has_parameter(*one, keyword); };
  if (named.empty() || std::ranges::any_of(named, takes_it)) return {};
  return refuse(unknown_keyword(*named.front(), keyword));
}

Result<std::vector<std::optional<Value>>> arranged(const Operation& operation,
                                                   std::span<const Argument> arguments,
                                                   const CallContext& context) {
  std::size_t leaves = 0;
  for (const Argument& argument : arguments) leaves += leaf_count(argument.value);
  if (leaves > kMaxLeaves) {
    return refuse("call.too_large",
                  fmt::format("the arguments of {} have {} leaves together; at most {} are "
                              "worked on",
                              operation.name, leaves, kMaxLeaves));
  }
  Filling filling(operation);
  for (const Argument& argument : arguments) HEDDLE_CHECK(filling.add(argument));
  HEDDLE_TRY(const auto slots, std::move(filling).finish());
  return convert_all(operation, slots, context);
}

Result<Value> call(const Operation& operation, std::span<const Argument> arguments,
                   const CallContext& context) {
  HEDDLE_TRY(const auto values, arranged(operation, arguments, context));
  if (context.engine == AlgebraEngine::kIsl) {
    if (auto by_isl = call_by_isl(operation, values, context.decide.limits)) return *by_isl;
  }
  Result<Value> result = operation.function(values, context);
  if (!result) return refuse_read(std::move(result).error(), arguments);
  if (is_defined(*result)) return result;
  return refuse("overflow",
                fmt::format("the result of {} does not fit into 64 bits", operation.name));
}

}  // namespace heddle::notation
