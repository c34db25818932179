#include "notation/diagnose/shape_div_caller.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/text.h"
#include "notation/diagnose/cute_calls.h"
#include "notation/language/foreign/cpp_types.h"

namespace heddle::notation {
namespace {

/// The template arguments in `[with …]`; none if they cannot be read.
CppBindings bindings_of(std::string_view signature) {
  std::size_t position = signature.find("[with ");
  if (position == std::string_view::npos) return {};
  return read_cpp_bindings(signature, position).value_or(CppBindings());
}

const CppType* bound(const CppBindings& bindings, std::string_view name) {
  const auto found = std::ranges::find(bindings, name, &CppBindings::value_type::first);
  return found == bindings.end() ? nullptr : &found->second;
}

/// The type in Heddle's notation; empty if it is no tuple or integer.
std::string text_of(const CppType* type) {
  if (type == nullptr) return {};
  const Result<Expression> expression = expression_of(*type, {});
  return expression ? to_string(*expression) : std::string();
}

/// What a fold carries beside its result so far: the last part of `tuple<tuple<…>, _96>`.
std::string carried(const CppType* state) {
  const bool is_pair = state != nullptr && state->arguments.size() == 2;
  return is_pair ? text_of(&state->arguments.back()) : std::string();
}

bool is_in(const SourcePlace& place, std::string_view file) { return place.file.ends_with(file); }

/// The fold of composition over the extents of A: its step has `<auto-1>`, what is left of B's
/// stride or extent, and `<auto-2>`, an extent of A.
std::optional<ShapeDivCaller> composition_of(const std::string& dividend, const CppBindings& step,
                                             const std::string& extents,
                                             const std::string& carried_first) {
  const std::string left = carried(bound(step, "<auto-1>"));
  const std::string extent = text_of(bound(step, "<auto-2>"));
  if (left.empty() || extent.empty()) return std::nullopt;
  const bool is_stride = dividend == extent;
  return ShapeDivCaller{
      fmt::format("composition(A, B): a mode of B with the {} {} {} the extents {} of A; {} of it "
                  "is left at {}",
                  is_stride ? "stride" : "extent", carried_first,
                  is_stride ? "steps over" : "runs through", extents, left, extent),
      {}};
}

/// `C<3>::value % C<2>::value == 0 || …`, which clang prints without any trace.
std::optional<ShapeDivCaller> caller_in_condition(std::string_view condition) {
  const auto number = [&]() -> std::optional<std::int64_t> {
    if (condition.starts_with("cute::")) condition.remove_prefix(6);
    if (!condition.starts_with("C<")) return std::nullopt;
    condition.remove_prefix(2);
    const auto value = take_integer(condition);
    constexpr std::string_view kEnd = ">::value";
    if (!value || !condition.starts_with(kEnd)) return std::nullopt;
    condition.remove_prefix(kEnd.size());
    return value;
  };
  while (condition.starts_with('(')) condition.remove_prefix(1);
  const auto a = number();
  constexpr std::string_view kRemainder = " % ";
  if (!a || !condition.starts_with(kRemainder)) return std::nullopt;
  condition.remove_prefix(kRemainder.size());
  const auto b = number();
  if (!b) return std::nullopt;
  const std::string call = fmt::format("shape_div({}, {})", *a, *b);
  return ShapeDivCaller{call, call};
}

}  // namespace

std::optional<ShapeDivCaller> caller_of_shape_div(const FailedAssertion& failed) {
  const auto& frames = failed.instantiations;
  if (frames.empty()) return caller_in_condition(failed.requirement);
  if (cute_function(frames.front().signature) != "shape_div") return std::nullopt;
  const bool is_in_layout = is_in(frames.front().caller, "layout.hpp");
  if (!is_in_layout && !is_in(frames.front().caller, "int_tuple.hpp") &&
      !frames.front().caller.file.empty()) {
    return std::nullopt;
  }
  const std::string dividend = text_of(bound(bindings_of(frames.front().signature), "IntTupleA"));
  for (std::size_t i = 1; i < frames.size(); ++i) {
    const std::string function = cute_function(frames[i].signature);
    const CppBindings bindings = bindings_of(frames[i].signature);
    if (function == "transform" && !is_in_layout) {
      const std::string a = text_of(bound(bindings, "T0"));
      const std::string b = text_of(bound(bindings, "T1"));
      if (a.empty() || b.empty()) return std::nullopt;
      const std::string call = fmt::format("shape_div({}, {})", a, b);
      return ShapeDivCaller{call, call};
    }
    if (function != "fold") continue;
    const std::string items = text_of(bound(bindings, "T"));
    const std::string first = carried(bound(bindings, "V"));
    if (items.empty() || first.empty()) return std::nullopt;
    if (is_in_layout)
      return composition_of(dividend, bindings_of(frames[1].signature), items, first);
    const std::string call = fmt::format("shape_div({}, {})", items, first);
    return ShapeDivCaller{call, call};
  }
  return std::nullopt;
}

}  // namespace heddle::notation
