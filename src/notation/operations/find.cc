// Finds the operation of a name: by the arguments if several systems have one of that name, and by
// similarity if none has.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>
#include <ranges>
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

/// The Levenshtein distance: how many characters to change, insert or drop to get from `a` to `b`.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0]++;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t change = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({change, row[j] + 1, diagonal + 1});
    }
  }
  return row.back();
}

/// Whether the parts of the name between its points are in the text, in order: those of
/// `ldmatrix.x4` are in `ldmatrix.sync.aligned.m8n8.x4.shared.b16`.
bool has_parts(std::string_view text, std::string_view name) {
  std::size_t at = 0;
  for (const auto part : std::views::split(name, '.')) {
    const std::string_view wanted(part.begin(), part.end());
    at = text.find(wanted, at);
    if (at == std::string_view::npos) return false;
    at += wanted.size();
  }
  return true;
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
  if (found != named.end()) return *found;
  return find_operation(name);
}

std::vector<std::string> nearest_names(std::string_view name, std::span<const std::string> names) {
  constexpr std::size_t kMaxNames = 3;
  constexpr std::size_t kMaxLength = 64;
  if (name.size() > kMaxLength) return {};
  std::vector<std::pair<std::size_t, std::string>> near;
  for (const std::string& candidate : names) {
    const std::size_t distance = edit_distance(name, candidate);
    const bool is_part = name.size() >= 3 && has_parts(candidate, name);
    if (distance <= 1 + name.size() / 4 || is_part) near.emplace_back(distance, candidate);
  }
  std::ranges::sort(near);
  // Several systems have operations of one name.
  near.erase(std::unique(near.begin(), near.end()), near.end());
  near.resize(std::min(near.size(), kMaxNames));
  std::vector<std::string> nearest;
  for (auto& [distance, candidate] : near) nearest.push_back(std::move(candidate));
  return nearest;
}

std::string did_you_mean(std::string_view name, std::span<const std::string> names) {
  const std::vector<std::string> nearest = nearest_names(name, names);
  return nearest.empty() ? "" : fmt::format("did you mean {}?", fmt::join(nearest, " or "));
}

}  // namespace heddle::notation
