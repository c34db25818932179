// What there is to compute for a layout: kernels from functions in pieces.

#include "heddle/emit/map_function.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>
#include <unordered_set>

#include "emit/function_source.h"
#include "heddle/emit/print.h"

namespace heddle::emit {
namespace {

SimplifyOptions simplify_options(const Target& target) {
  SimplifyOptions options;
  options.target = target;
  return options;
}

/// The position of the item in the list, where it is put unless it is there.
template <class T>
std::size_t position_of(std::vector<T>& list, const T& item) {
  const auto found = std::ranges::find(list, item);
  if (found != list.end()) return static_cast<std::size_t>(found - list.begin());
  list.push_back(item);
  return list.size() - 1;
}

/// One kernel for all pieces: what they share is computed once.
Result<BranchedKernel> branched(const Pieces& source, const Target& target, bool asks_all) {
  BranchedKernel made;
  made.parameters = source.variables;
  std::vector<Int> values;
  std::vector<Condition> conditions;
  for (const map::Piece& piece : source.pieces) {
    Branch branch;
    const bool is_asked = asks_all || made.branches.size() + 1 < source.pieces.size();
    for (std::size_t i = 0; is_asked && i < piece.conditions.size(); ++i) {
      branch.guards.push_back(position_of(conditions, piece.conditions[i]));
    }
    for (const Int& output : piece.outputs) branch.results.push_back(position_of(values, output));
    made.branches.push_back(std::move(branch));
  }
  HEDDLE_TRY(Simplified simplified, simplify(values, conditions, simplify_options(target)));
  made.kernel = std::move(simplified.kernel);
  return made;
}

Result<GuardKernel> guard_of(const FunctionSource& source, const Target& target) {
  GuardKernel guard;
  std::vector<Int> values;
  const auto place = [&](const std::optional<Int>& end) {
    return end ? std::optional(position_of(values, *end)) : std::nullopt;
  };
  for (const Ends& ends : source.box) guard.box.push_back({place(ends.low), place(ends.end)});
  HEDDLE_TRY(Simplified simplified, simplify(values, {}, simplify_options(target)));
  guard.ends = std::move(simplified.kernel);
  HEDDLE_TRY(guard.inside, branched(source.inside, target, true));
  return guard;
}

/// For each place a range that holds all its values.
std::vector<Range> ranges_of(const Pieces& map, std::size_t places) {
  std::vector<Range> ranges;
  for (std::size_t k = 0; k < places; ++k) {
    Range all = range(map.pieces.front().outputs[k]);
    for (const map::Piece& piece : map.pieces) {
      const Range more = range(piece.outputs[k]);
      all = {std::min(all.low, more.low), std::max(all.high, more.high)};
    }
    ranges.push_back(all);
  }
  return ranges;
}

// Variables.

/// The variables of kernels, each once, by name.
class VariableSet {
 public:
  void take(const Kernel& kernel, std::span<const std::string> own) {
    own_ = own;
    for (const Definition& definition : kernel.definitions) take(definition.value);
    for (const Expression& result : kernel.results) take(result);
    for (const Expression& guard : kernel.guards) take(guard);
  }
  /// Those that are no parameters, with what is known of them.
  [[nodiscard]] const std::map<std::string, Range>& sizes() const { return sizes_; }
  [[nodiscard]] const std::set<std::string>& unbounded() const { return unbounded_; }

 private:
  void take(const Expression& expression) {
    if (!seen_.insert(expression.identity()).second) return;
    kept_.push_back(expression);
    if (expression.operation() == Operation::kVariable) add(expression);
    for (const Expression& operand : expression.operands()) take(operand);
  }
  void add(const Expression& variable) {
    const Range values = range(variable.value());
    if (!values.is_bounded()) unbounded_.insert(variable.name());
    if (std::ranges::find(own_, variable.name()) == own_.end()) {
      sizes_.emplace(variable.name(), values);
    }
  }

  std::span<const std::string> own_;
  std::map<std::string, Range> sizes_;
  std::set<std::string> unbounded_;
  std::unordered_set<const void*> seen_;
  /// So that no identity is used anew.
  std::vector<Expression> kept_;
};

VariableSet variables_of(const MapFunction& function) {
  VariableSet variables;
  variables.take(function.map.kernel, function.map.parameters);
  variables.take(function.guard.ends, {});
  variables.take(function.guard.inside.kernel, function.guard.inside.parameters);
  if (function.inverse) {
    variables.take(function.inverse->kernel, function.inverse->parameters);
  }
  return variables;
}

Range range_of_all(const MapFunction& function) {
  Range all = range_on_the_way(function.map.kernel);
  const auto join = [&](const Kernel& kernel) {
    const Range more = range_on_the_way(kernel);
    all = {std::min(all.low, more.low), std::max(all.high, more.high)};
  };
  join(function.guard.ends);
  join(function.guard.inside.kernel);
  if (function.inverse) join(function.inverse->kernel);
  return all;
}

/// `1 <= M <= 4096`; empty where nothing is known.
std::string range_text(const std::string& name, const Range& values) {
  std::string text = name;
  if (values.low != Range::kNoLow) text = fmt::format("{} <= {}", values.low, text);
  if (values.high != Range::kNoHigh) text += fmt::format(" <= {}", values.high);
  return text == name ? "" : text;
}

std::vector<std::string> assumptions_about(const std::map<std::string, Range>& sizes,
                                           std::span<const Condition> assumed) {
  std::vector<std::string> texts;
  for (const auto& [name, values] : sizes) {
    if (std::string text = range_text(name, values); !text.empty()) texts.push_back(text);
  }
  for (const Condition& condition : assumed) {
    std::vector<std::string> names = variables(condition.left);
    const std::vector<std::string> more = variables(condition.right);
    names.insert(names.end(), more.begin(), more.end());
    const bool is_about =
        std::ranges::any_of(names, [&](const std::string& name) { return sizes.contains(name); });
    if (is_about) texts.push_back(heddle::to_string(condition));
  }
  return texts;
}

Result<void> check_overflow(const MapFunction& function) {
  if (function.on_the_way.is_bounded() || !function.unbounded.empty()) return {};
  return refuse(
      Diagnostic("overflow", fmt::format("the functions of {} compute with numbers that are not "
                                         "proved to fit 64 bits",
                                         function.layout))
          .with_hint("assume smaller sizes"));
}

}  // namespace

Result<MapFunction> map_function(const map::AnyLayout& layout, const MapFunctionOptions& options) {
  HEDDLE_TRY(const FunctionSource source, source_of(layout, options));
  if (source.map.pieces.empty()) return refuse("relation.empty", "the relation has no points");
  HEDDLE_TRY(BranchedKernel map, branched(source.map, options.target, false));
  HEDDLE_TRY(GuardKernel guard, guard_of(source, options.target));
  Result<Pieces> back = inverse_of(layout, source, options.limits);
  Result<BranchedKernel> inverse =
      back ? branched(*back, options.target, false) : Result<BranchedKernel>(refuse(back.error()));
  MapFunction function{.layout = map::to_string(layout),
                       .description = std::string(map::description(map::system_of(layout))),
                       .coordinates = source.coordinates,
                       .places = source.places,
                       .sizes = {},
                       .map = std::move(map),
                       .guard = std::move(guard),
                       .inverse = std::move(inverse),
                       .values = ranges_of(source.map, source.places.size()),
                       .on_the_way = {},
                       .unbounded = {},
                       .assumptions = {}};
  const VariableSet found = variables_of(function);
  for (const auto& [name, values] : found.sizes()) function.sizes.push_back(name);
  function.unbounded.assign(found.unbounded().begin(), found.unbounded().end());
  function.on_the_way = range_of_all(function);
  function.assumptions = assumptions_about(found.sizes(), options.assumed);
  HEDDLE_CHECK(check_overflow(function));
  return function;
}

Target usual_target(Dialect dialect) {
  switch (dialect) {
    case Dialect::kC:
    case Dialect::kCpp:
    case Dialect::kPython:
      return Target::cpu();
    case Dialect::kHeddle:
    case Dialect::kLatex:
      return Target::operations();
    default:
      return Target::gpu();
  }
}

Result<std::string> map_text(const map::AnyLayout& layout, const TextOptions& text,
                             MapFunctionOptions options) {
  options.target = usual_target(text.dialect);
  HEDDLE_TRY(const MapFunction function, map_function(layout, options));
  return to_text(function, text);
}

}  // namespace heddle::emit
