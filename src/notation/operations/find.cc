// Finds the operation of a name, by the arguments if several systems have one of that name.

#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "heddle/notation/operations.h"
#include "notation/operations/readers.h"
#include "notation/operations/set_reader.h"

namespace heddle::notation {

namespace {

using Types = std::vector<const ParameterType*>;

bool begins_with_set(std::span<const Argument> arguments) {
  if (arguments.empty()) return false;
  const auto* text = arguments.front().value.get_if<std::string>();
  return text != nullptr ? looks_like_set(*text) : arguments.front().value.is<map::IntegerSet>();
}

/// The types of the first parameter that fit the systems of the arguments, the likeliest first: a
/// layout of any system for layouts of several systems, for relations and for tables.
Types types_meant(std::span<const Argument> arguments) {
  std::set<map::System> systems;
  std::size_t tiles = 0;
  bool is_lego = false;
  bool is_axe = false;
  constexpr const ParameterType* kAny = &kParameterType<map::AnyLayout>;
  for (const Argument& argument : arguments) {
    const Value& value = argument.value;
    if (value.is<cute::TvLayout>()) ++tiles;
    is_lego = is_lego || value.is_lego();
    is_axe = is_axe || value.is_axe();
    if (const auto system = system_of(value)) systems.insert(*system);
  }
  Types types;
  // A set is no layout, whatever stands beside it.
  if (begins_with_set(arguments)) types.push_back(&kParameterType<map::IntegerSet>);
  const bool has_relation = systems.contains(map::System::kRelation);
  if (has_relation) types.push_back(&kParameterType<map::IntegerRelation>);
  if (has_relation || systems.contains(map::System::kTable) || systems.size() > 1 ||
      (tiles > 1 && tiles == arguments.size())) {
    types.push_back(kAny);
  }
  if (is_lego && systems.size() > 1) types.push_back(&kParameterType<BesideLego>);
  if (is_lego) types.insert(types.end(), {&kParameterType<lego::Layout>, kAny});
  if (is_axe) types.insert(types.end(), {&kParameterType<axe::Layout>, kAny});
  return types;
}

/// Whether the operation has a parameter for every argument given by name.
bool has_parameters(const Operation& operation, std::span<const Argument> arguments) {
  return std::ranges::all_of(arguments, [&](const Argument& argument) {
    return argument.name.empty() || has_parameter(operation, argument.name);
  });
}

/// Whether it does not have fewer parameters than there are arguments.
bool has_room(const Operation& operation, std::span<const Argument> arguments) {
  const auto& parameters = operation.parameters;
  const bool repeats = !parameters.empty() && parameters.back().need == Need::kRepeated;
  return repeats || arguments.size() <= parameters.size();
}

/// Whether no layout is given for a parameter that takes numbers.
bool gives_numbers_where_asked(const Operation& operation, std::span<const Argument> arguments) {
  const std::size_t count = std::min(arguments.size(), operation.parameters.size());
  for (std::size_t i = 0; i < count; ++i) {
    const ParameterType& type = *operation.parameters[i].type;
    const bool takes_numbers = type == kParameterType<IntTuple> || type == kParameterType<Int>;
    if (takes_numbers && arguments[i].name.empty() && system_of(arguments[i].value)) return false;
  }
  return true;
}

/// Whether the operation is one of CuTe's maps, as compose(A, B), or of morphisms, as domain(f),
/// and the first argument is none.
bool is_of_another_system(const Operation& operation, std::span<const Argument> arguments) {
  if (arguments.empty() || operation.parameters.empty()) return false;
  const ParameterType& type = *operation.parameters.front().type;
  const bool is_special =
      type == kParameterType<LayoutOrSwizzle> || type == kParameterType<cute::FactMorphism>;
  if (!is_special) return false;
  const ConvertedArgument first = type.convert(arguments.front().value, {});
  return first && !first->has_value();
}

/// Whether the parameters take the arguments in their places, as far as there are parameters.
bool takes_leading(const Operation& operation, std::span<const Argument> arguments) {
  const std::size_t count = std::min(arguments.size(), operation.parameters.size());
  for (std::size_t i = 0; i < count && arguments[i].name.empty(); ++i) {
    const ConvertedArgument taken = operation.parameters[i].type->convert(arguments[i].value, {});
    if (!taken || !taken->has_value()) return false;
  }
  return count > 0;
}

/// If the operation does not take the first argument, a namesake that takes all arguments but those
/// it has no room for: of size(4:1, 8) the number of arguments is wrong, not the layout.
const Operation* with_too_many(const Operation* operation,
                               std::span<const Operation* const> namesakes,
                               std::span<const Argument> arguments) {
  const auto lacks_only_room = [&](const Operation* namesake) {
    return !has_room(*namesake, arguments) && has_parameters(*namesake, arguments) &&
           takes_leading(*namesake, arguments);
  };
  const auto found = std::ranges::find_if(namesakes, lacks_only_room);
  if (found == namesakes.end() || takes_leading(*operation, arguments.first(1))) return operation;
  return *found;
}

}  // namespace

const Operation* find_operation(std::string_view name, std::span<const Argument> arguments) {
  const Operation* of_any = find_operation(name, kParameterType<map::AnyLayout>);
  if (of_any != nullptr && has_parameters(*of_any, arguments)) {
    for (std::size_t i = 0; i < std::min(arguments.size(), of_any->parameters.size()); ++i) {
      const bool is_table = is_list(arguments[i].value) && arguments[i].name.empty();
      if (is_table && *of_any->parameters[i].type == kParameterType<map::AnyLayout>) return of_any;
    }
  }
  // A single argument that is no layout has the same value in every system: eval(R[4:32@TLane]).
  const bool is_alone = arguments.size() == 1 && !system_of(arguments.front().value);
  const Operation* of_value = is_alone ? find_operation(name, kParameterType<Value>) : nullptr;
  if (of_value != nullptr && has_parameters(*of_value, arguments)) return of_value;
  const auto named = operations_named(name);
  for (const ParameterType* type : types_meant(arguments)) {
    const auto of_count = std::ranges::find_if(named, [&](const Operation* operation) {
      return !operation->parameters.empty() && *operation->parameters.front().type == *type &&
             has_room(*operation, arguments) && has_parameters(*operation, arguments);
    });
    if (of_count != named.end()) return *of_count;
    const Operation* operation = find_operation(name, *type);
    if (operation != nullptr && has_parameters(*operation, arguments)) return operation;
  }
  const auto takes_all = [&](const Operation* operation) {
    return has_room(*operation, arguments) && has_parameters(*operation, arguments) &&
           gives_numbers_where_asked(*operation, arguments);
  };
  const auto fits = [&](const Operation* operation) {
    return takes_all(operation) && !is_of_another_system(*operation, arguments);
  };
  const auto found = std::ranges::find_if(named, fits);
  if (found != named.end()) return with_too_many(*found, named, arguments);
  return find_operation(name);
}

}  // namespace heddle::notation
