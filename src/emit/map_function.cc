// Kernels for a layout, from functions in pieces.

#include "heddle/emit/map_function.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>

#include "core/text.h"
#include "core/words.h"
#include "emit/function_source.h"
#include "expr/code/program.h"
#include "heddle/emit/print.h"

namespace heddle::emit {
namespace {

SimplifyOptions simplify_options(const Target& target) {
  SimplifyOptions options;
  options.target = target;
  return options;
}

/// The index of the item in the list; it is added unless it is there.
template <class T>
std::size_t position_of(std::vector<T>& list, const T& item) {
  const auto found = std::ranges::find(list, item);
  if (found != list.end()) return static_cast<std::size_t>(found - list.begin());
  list.push_back(item);
  return list.size() - 1;
}

/// Removes guards that are known to hold.
void leave_out_known(Branch& branch, const Kernel& kernel) {
  std::erase_if(branch.guards, [&](std::size_t i) {
    const CodeExpression& guard = kernel.guards[i];
    return guard.operation() == CodeOperation::kConstant && guard.constant() != 0;
  });
}

/// One kernel for all pieces: shared parts are computed once.
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
  for (Branch& branch : made.branches) leave_out_known(branch, made.kernel);
  // A branch without guards always holds: the points need no check.
  const bool is_everywhere =
      asks_all && std::ranges::any_of(made.branches,
                                      [](const Branch& branch) { return branch.guards.empty(); });
  if (is_everywhere) {
    made.kernel = {};
    made.branches.clear();
  }
  return made;
}

Result<GuardKernel> guard_of(const FunctionSource& source, const Target& target) {
  GuardKernel guard;
  std::vector<Int> values;
  const auto place = [&](const std::optional<Int>& end) {
    return end ? std::optional(position_of(values, *end)) : std::nullopt;
  };
  for (const Interval<Int>& ends : source.box)
    guard.box.push_back({place(ends.low), place(ends.end)});
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
      all = joined(all, range(piece.outputs[k]));
    }
    ranges.push_back(all);
  }
  return ranges;
}

/// Few enough to try all of them.
constexpr std::int64_t kMostTriedInverses = 2048;

/// The value of the branch taken; nullopt if none is.
std::optional<std::vector<exact::Value>> value_at(const BranchedKernel& kernel,
                                                  const expr::Program& program,
                                                  std::span<const std::int64_t> point,
                                                  bool asks_all) {
  const std::vector<exact::Value> values = program.run(point);
  const std::size_t guards = kernel.kernel.results.size();
  for (const Branch& branch : kernel.branches) {
    const bool is_free = !asks_all && &branch == &kernel.branches.back();
    const bool holds =
        std::ranges::all_of(branch.guards, [&](std::size_t i) { return values[guards + i] == 1; });
    if (!holds && !is_free) continue;
    std::vector<exact::Value> results;
    for (const std::size_t i : branch.results) results.push_back(values[i]);
    return results;
  }
  return std::nullopt;
}

/// The least range of each place, by trying all points of a small domain; nullopt for larger ones.
std::optional<std::vector<Range>> tried_ranges(const MapFunction& function) {
  const auto box = small_box(function.guard, kMostTriedInverses);
  if (!box || !function.sizes.empty()) return std::nullopt;
  const auto compiled = [](const BranchedKernel& kernel) {
    return expr::Program::compile(kernel.kernel, kernel.parameters);
  };
  const BranchedKernel& inside = function.guard.inside;
  const expr::Program guard = compiled(inside);
  const expr::Program map = compiled(function.map);
  std::vector<Range> ranges(function.places.size(), Range{Range::kNoHigh, Range::kNoLow});
  const auto take = [&](std::span<const std::int64_t> point) {
    if (!inside.branches.empty() && !value_at(inside, guard, point, true)) return true;
    const auto values = value_at(function.map, map, point, false);
    for (std::size_t k = 0; k < ranges.size(); ++k) {
      if (!values || !(*values)[k]) return false;
      ranges[k] = joined(ranges[k], {*(*values)[k], *(*values)[k]});
    }
    return true;
  };
  const bool has_values = all_points(*box, take);
  const bool has_points = !ranges.empty() && ranges.front().low <= ranges.front().high;
  return has_values && has_points ? std::optional(ranges) : std::nullopt;
}

/// Whether the range of the digits alone is the least one.
bool is_plainly_strided(const FunctionSource& source) {
  return source.view && source.view->strided && !source.view->strided->swizzle;
}

// Variables.

/// The variables of kernels, by name.
struct KnownVariables {
  /// The variables that are not parameters, with their ranges.
  std::map<std::string, Range> sizes;
  std::set<std::string> unbounded;
};

/// All kernels of a function, each with its own variables.
std::vector<std::pair<const Kernel*, std::span<const std::string>>> kernels_of(
    const MapFunction& function) {
  std::vector<std::pair<const Kernel*, std::span<const std::string>>> kernels = {
      {&function.map.kernel, function.map.parameters},
      {&function.guard.ends, {}},
      {&function.guard.inside.kernel, function.guard.inside.parameters}};
  if (function.inverse) {
    kernels.emplace_back(&function.inverse->kernel, function.inverse->parameters);
  }
  return kernels;
}

KnownVariables variables_of(const MapFunction& function) {
  KnownVariables known;
  for (const auto& [kernel, parameters] : kernels_of(function)) {
    for_each_node(*kernel, [&](const CodeExpression& node) {
      if (node.operation() != CodeOperation::kVariable) return;
      const Range values = range(node.value());
      if (!values.is_bounded()) known.unbounded.insert(node.name());
      const bool is_size = std::ranges::find(parameters, node.name()) == parameters.end();
      if (is_size) known.sizes.emplace(node.name(), values);
    });
  }
  return known;
}

/// The sizes, if there are any: coordinates end where the sizes say.
std::vector<std::string> unbounded_of(const KnownVariables& variables,
                                      const MapFunction& function) {
  std::vector<std::string> names;
  for (const std::string& size : function.sizes) {
    if (variables.unbounded.contains(size)) names.push_back(size);
  }
  if (!names.empty()) return names;
  const std::vector<std::string>& parameters = function.map.parameters;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    if (variables.unbounded.contains(parameters[i])) names.push_back(function.coordinates[i]);
  }
  return names;
}

Range range_of_all(const MapFunction& function) {
  Range all{0, 0};
  for (const auto& [kernel, parameters] : kernels_of(function)) {
    all = joined(all, range_on_the_way(*kernel));
  }
  return all;
}

/// `1 <= M <= 4096`; empty if nothing is known.
std::string range_text(const std::string& name, const Range& values) {
  std::string text = name;
  if (values.low != Range::kNoLow) text = fmt::format("{} <= {}", values.low, text);
  if (values.high != Range::kNoHigh) text += fmt::format(" <= {}", values.high);
  return text == name ? "" : text;
}

/// Whether the condition follows from the range of a size: `1 <= M`.
bool is_in_ranges(const Condition& condition) {
  const bool is_order =
      condition.predicate == Predicate::kLess || condition.predicate == Predicate::kAtMost;
  const auto is_size = [](const Int& side) { return is_identifier(heddle::to_string(side)); };
  return is_order && ((condition.left.is_constant() && is_size(condition.right)) ||
                      (is_size(condition.left) && condition.right.is_constant()));
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
    if (is_about && !is_in_ranges(condition)) texts.push_back(heddle::to_string(condition));
  }
  return texts;
}

/// Refuses if time ran out: another machine might find more.
Result<void> check_time(const std::string& layout, const map::Limits& limits) {
  if (!limits.are_over()) return {};
  return refuse(Diagnostic("relation.gave_up", fmt::format("the functions of {}: gave up", layout))
                    .with_note(limits.over_text()));
}

Result<void> check_overflow(const MapFunction& function) {
  if (function.on_the_way.is_bounded() || !function.unbounded.empty()) return {};
  Diagnostic diagnostic("overflow", fmt::format("the functions of {} compute with numbers that are "
                                                "not proved to fit 64 bits",
                                                shortened(function.layout, 200)));
  // Constant sizes cannot be assumed to be smaller.
  if (function.sizes.empty()) return refuse(std::move(diagnostic));
  return refuse(std::move(diagnostic)
                    .with_hint(fmt::format("assume smaller sizes: --assume '{}<=65536'",
                                           fmt::join(function.sizes, "<=65536, "))));
}

}  // namespace

std::optional<NumberBox> small_box(const GuardKernel& guard, std::int64_t most) {
  NumberBox box;
  Int points = 1;
  for (const auto& [low, end] : guard.box) {
    if (!low || !end) return std::nullopt;
    const Int& first = guard.ends.results[*low].value();
    const Int& past = guard.ends.results[*end].value();
    if (!first.is_constant() || !past.is_constant()) return std::nullopt;
    box.push_back({first.value(), past.value() - 1});
    points *= past - first;
  }
  return known_at_most(points, most) ? std::optional(box) : std::nullopt;
}

bool all_points(const NumberBox& box,
                const std::function<bool(std::span<const std::int64_t> point)>& holds) {
  std::vector<std::int64_t> point;
  for (const Range& range : box) point.push_back(range.low);
  while (holds(point)) {
    std::size_t i = 0;
    for (; i < point.size() && ++point[i] > box[i].high; ++i) point[i] = box[i].low;
    if (i == point.size()) return true;
  }
  return false;
}

Result<MapFunction> map_function(const map::AnyLayout& layout, const MapFunctionOptions& asked) {
  MapFunctionOptions options = asked;
  options.limits = asked.limits.begun();
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
  const KnownVariables found = variables_of(function);
  for (const auto& [name, values] : found.sizes) function.sizes.push_back(name);
  std::ranges::stable_sort(function.sizes, {}, [&](const std::string& name) {
    return find_word(function.layout, name);
  });
  function.unbounded = unbounded_of(found, function);
  function.on_the_way = range_of_all(function);
  function.assumptions = assumptions_about(found.sizes, options.assumed);
  HEDDLE_CHECK(check_overflow(function));
  HEDDLE_CHECK(check_time(function.layout, options.limits));
  if (!is_plainly_strided(source)) {
    if (auto ranges = tried_ranges(function)) function.values = *std::move(ranges);
  }
  return function;
}

Result<std::string> map_text(const map::AnyLayout& layout, const TextOptions& text,
                             MapFunctionOptions options) {
  options.target = usual_target(text.dialect);
  HEDDLE_TRY(const MapFunction function, map_function(layout, options));
  return to_text(function, text);
}

}  // namespace heddle::emit
