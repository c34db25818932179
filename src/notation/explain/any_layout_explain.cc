// Explanations of operations on layouts of any system.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <ranges>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/text.h"
#include "expr/numbers_text.h"
#include "heddle/form/recover.h"
#include "heddle/form/recover_bits.h"
#include "heddle/form/recover_mixed.h"
#include "heddle/map/convert.h"
#include "heddle/map/decide.h"
#include "heddle/move/relayout.h"
#include "heddle/notation/any_layout.h"
#include "notation/explain/explainers.h"
#include "notation/operations/element_width.h"

namespace heddle::notation {
namespace {

// ---- The form of a layout ----

/// `4:8, 8:1`: extent and stride of each digit, the fastest first.
std::string digits_text(std::span<const form::Digit> digits) {
  std::vector<std::string> texts;
  for (const form::Digit& digit : digits) {
    texts.push_back(fmt::format("{}:{}", to_string(digit.extent), point_text(digit.stride)));
  }
  return texts.empty() ? "1:0" : fmt::format("{}", fmt::join(texts, " "));
}

std::string modes_text(const std::vector<std::vector<form::Digit>>& modes) {
  std::vector<std::string> texts;
  for (const auto& mode : modes) texts.push_back(digits_text(mode));
  return fmt::format("{}", fmt::join(texts, ", "));
}

std::string axes_text(const map::View& view) {
  std::vector<std::string> names;
  for (const Axis& axis : view.axes) names.push_back(axis.name());
  return fmt::format("{} {}", names.size() == 1 ? "axis" : "axes", fmt::join(names, ", "));
}

/// The form that its notation shows, without evaluating it.
std::string shown_form(const map::View& view) {
  std::string text;
  if (view.strided) text = "digits " + modes_text(view.strided->modes);
  if (view.strided && view.strided->swizzle) text += ", then a swizzle";
  if (!view.strided && view.bits) text = "a matrix over GF(2)";
  if (text.empty()) text = "neither digits nor bits: it is evaluated";
  return text;
}

Explanation reading_step(std::string title, const map::AnyLayout& layout,
                         const map::Limits& limits) {
  const Result<map::View> view = map::view(layout, limits);
  const auto system = map::description(map::system_of(layout));
  if (!view) return step(std::move(title), fmt::format("{}: {}", system, view.error().message()));
  const bool is_first_fastest = view->order == form::FlatOrder::kFirstFastest;
  std::string text = fmt::format("{} of {} points to {}, the {} index fastest", system,
                                 fmt::join(view->extents, " x "), axes_text(*view),
                                 is_first_fastest ? "first" : "last");
  if (!view->is_function()) text += fmt::format(", each {} times", to_string(view->copies));
  return step(std::move(title), std::move(text), shown_form(*view));
}

/// An explanation whose first step is the layout.
Explanation begun(std::string text, const map::AnyLayout& layout, const CallContext& context) {
  return step("", std::move(text), {reading_step("layout", layout, context.decide.limits)});
}

// ---- Decisions ----

struct MethodWords {
  map::Method method;
  const char* how;
};

constexpr MethodWords kMethodWords[] = {
    {map::Method::kDigits, "The digits that the notation shows, in normal form."},
    {map::Method::kBits, "The columns of the matrices over GF(2)."},
    {map::Method::kExhaustive, "Every coordinate."},
    {map::Method::kIsl, "Sets of integers, which isl is asked about."},
    {map::Method::kZ3, "Coordinates that are variables, and Z3 for what stays open."},
};

Explanation method_step(const MethodWords& words, const Verdict& verdict) {
  const std::string title(map::name(words.method));
  if (!verdict.is_unknown()) return step(title, words.how, verdict.to_string());
  return step(title, fmt::format("{} Does not decide: {}", words.how, verdict.method()));
}

/// The answer of one method alone.
std::optional<Verdict> by_method(const Operation& operation, CallValues values, map::Method method,
                                 CallContext context) {
  context.decide.method = method;
  const Result<Value> answer = operation.function(values, context);
  const auto* verdict = answer ? answer->get_if<Verdict>() : nullptr;
  return verdict == nullptr ? std::nullopt : std::optional(*verdict);
}

/// The methods in their order, up to the one that decides.
void add_methods(Explanation& explanation, const Operation& operation, CallValues values,
                 const Verdict& verdict, CallContext context) {
  context.decide.limits = context.decide.limits.begun();
  for (const MethodWords& words : kMethodWords) {
    if (words.method == map::Method::kIsl && verdict.method() == "values tried") {
      explanation.steps.push_back(
          step("values", "Numbers in place of the sizes.", verdict.to_string()));
      return;
    }
    if (context.decide.limits.are_over()) return;
    const auto answer = by_method(operation, values, words.method, context);
    if (!answer) return;
    explanation.steps.push_back(method_step(words, *answer));
    if (!answer->is_unknown()) return;
  }
}

Explanation decision_steps(const Operation& operation, CallValues values,
                           const Result<Value>& result, const CallContext& context) {
  const auto* verdict = result ? result->get_if<Verdict>() : nullptr;
  if (verdict == nullptr || context.decide.method) return {};
  Explanation explanation;
  explanation.text = operation.summary;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!values[i]) continue;
    const Result<map::AnyLayout> layout = to_any_layout(*values[i], context);
    if (*operation.parameters[i].type != kParameterType<map::AnyLayout> || !layout) continue;
    explanation.steps.push_back(
        reading_step(operation.parameters[i].name, *layout, context.decide.limits));
  }
  if (!verdict->remark().empty()) {
    explanation.steps.push_back(step("coordinates", verdict->remark()));
  }
  add_methods(explanation, operation, values, *verdict, context);
  return explanation;
}

// ---- Conversions ----

std::string_view way_of(map::Reading reading) {
  switch (reading) {
    case map::Reading::kLiteral:
      return "The same function, argument for argument.";
    case map::Reading::kMemory:
      return "Coordinates lead to addresses.";
    case map::Reading::kOwnership:
      return "Places lead to elements.";
  }
  return "";
}

std::string_view form_of(map::System system) {
  switch (system) {
    case map::System::kLinear:
      return "As a matrix over GF(2): an image for each bit of the coordinates.";
    case map::System::kTable:
      return "Every point is evaluated.";
    case map::System::kRelation:
      return "As quasi-affine constraints on coordinates and images.";
    default:
      return "As digits, each with an extent and a stride, with a swizzle where the system has it.";
  }
}

Explanation check_step(const map::AnyLayout& layout, const map::Converted& converted,
                       const map::ConvertOptions& asked, const CallContext& context) {
  map::DecideOptions options = context.decide;
  options.reading = converted.reading;
  const bool has_shape = map::system_of(converted.layout) == map::System::kAxe;
  options.shape = has_shape ? converted.shape : asked.shape;
  const Verdict same = map::equal(layout, converted.layout, options);
  return step("check", "Both as maps, read the same way.", same.to_string());
}

Explanation conversion_steps(CallValues values, const CallContext& context) {
  const BoxedLayout boxed = Reader<BoxedLayout>::read(*values[0]);
  const map::AnyLayout& layout = boxed.layout;
  const auto system = system_named(values[1]->get<std::string>());
  if (!system) return {};
  const auto as = Slot<std::optional<map::Reading>>::read(values.subspan(2));
  if (!as) return {};
  const auto shape = Slot<std::optional<IntList>>::read(values.subspan(3));
  const map::ConvertOptions options = convert_options(boxed, *as, shape, context);
  Explanation explanation = begun(
      fmt::format("The same map as {}, or a proof that there is none.", map::description(*system)),
      layout, context);
  const Result<map::Converted> converted = map::convert(layout, *system, options);
  if (!converted) {
    explanation.steps.push_back(step("form", std::string(form_of(*system)), "there is none"));
    return explanation;
  }
  explanation.steps.push_back(step(std::string(map::name(converted->reading)),
                                   std::string(way_of(converted->reading)), converted->remark));
  explanation.steps.push_back(
      step("form", std::string(form_of(*system)), to_string(to_value(converted->layout))));
  explanation.steps.push_back(check_step(layout, *converted, options, context));
  return explanation;
}

Explanation relayout_steps(CallValues values, const CallContext& context) {
  const auto from = Reader<map::AnyLayout>::read(*values[0]);
  const auto to = Reader<map::AnyLayout>::read(*values[1]);
  const auto element = Reader<ElementWidth>::read(*values[2]);
  const auto as = Slot<std::optional<map::Reading>>::read(values.subspan(3));
  if (!element || !as) return {};
  move::PlanOptions options;
  options.reading = *as;
  options.limits = context.decide.limits;
  Explanation explanation = begun(
      "The digits of both layouts are cut at common boundaries, and become loops.", from, context);
  explanation.steps.push_back(reading_step("to", to, context.decide.limits));
  const Result<move::Plan> plan = move::make_plan(from, to, element->bits, options);
  if (!plan) return explanation;
  for (const auto& [name, text] : plan->steps()) explanation.steps.push_back(step(name, text));
  return explanation;
}

Explanation relation_steps(const Operation& operation, std::span<const Argument> arguments,
                           const CallContext& context) {
  if (arguments.empty()) return {};
  const Result<map::AnyLayout> layout = to_any_layout(arguments.front().value, context);
  if (!layout) return {};
  Explanation explanation = begun(operation.summary, *layout, context);
  explanation.steps.push_back(step("form", std::string(form_of(map::System::kRelation))));
  return explanation;
}

// ---- Recovery ----

/// A sampler that records the points it evaluates.
struct CountedSampler {
  std::shared_ptr<std::set<std::int64_t>> points = std::make_shared<std::set<std::int64_t>>();
  form::Sampler sampler;
};

/// The view along one of its indices, the others 0.
CountedSampler sampler_along(const map::View& view, std::size_t index) {
  CountedSampler counted;
  counted.sampler = [points = counted.points, evaluate = view.evaluate, rank = view.extents.size(),
                     axes = view.axes.size(), index](std::int64_t at) {
    points->insert(at);
    std::vector<Int> point(rank, Int(0));
    point[index] = at;
    std::vector<std::int64_t> image;
    for (const Int& number : evaluate(point, 0)) {
      image.push_back(number.is_constant() ? number.value() : 0);
    }
    image.resize(axes);
    return image;
  };
  return counted;
}

std::string points_text(const std::set<std::int64_t>& points) {
  constexpr std::size_t kShown = 12;
  const auto shown = points | std::views::take(kShown);
  return fmt::format("{}{}", fmt::join(shown, " "), points.size() > kShown ? " …" : "");
}

/// The strided form that the divisors of one index suggest; a later step verifies the whole.
Explanation index_step(const map::View& view, std::size_t index) {
  const std::int64_t extent = view.extents[index].value();
  const CountedSampler counted = sampler_along(view, index);
  form::RecoverStridedOptions candidate_only;
  candidate_only.verify = [](const form::StridedMap&) { return std::optional(true); };
  const auto found =
      form::recover_strided(extent, view.axes.size(), counted.sampler, candidate_only);
  std::string title = fmt::format("index {}", index);
  std::string text = fmt::format(
      "Of {} {} were evaluated, the divisors of {} and the coordinates before them: {}.",
      heddle::counted(extent, "point"), counted.points->size(), extent,
      points_text(*counted.points));
  if (found) return step(std::move(title), std::move(text), modes_text(found->modes));
  return step(std::move(title), text + " " + found.error().message() + ".");
}

bool has_numbers(const map::View& view) {
  return view.is_function() &&
         std::ranges::all_of(view.extents, [](const Int& extent) { return extent.is_constant(); });
}

std::string_view verification(const map::View& view) {
  if (view.strided) return "The digits that the notation shows are those of the candidate.";
  if (view.bits) return "The bits that the notation shows are those of the candidate.";
  return "Every point is evaluated.";
}

Explanation bits_step(const map::View& view) {
  std::vector<std::string> columns;
  for (std::size_t index = 0; index < view.extents.size(); ++index) {
    const CountedSampler counted = sampler_along(view, index);
    for (std::int64_t bit = 1; bit < view.extents[index].value(); bit *= 2) {
      columns.push_back(fmt::format("c{}={} -> {}", index, bit, point_text(counted.sampler(bit))));
      if (bit > std::numeric_limits<std::int64_t>::max() / 2) break;
    }
  }
  return step("bits", "The images of the powers of two are the columns.",
              fmt::format("{}", fmt::join(columns, ", ")));
}

Explanation recovery_steps(const Operation& operation, CallValues values,
                           const Result<Value>& result, const CallContext& context) {
  const map::AnyLayout layout = Reader<TableOrLayout>::read(*values[0]).layout;
  Explanation explanation = begun(operation.summary, layout, context);
  const Result<map::View> view = map::view(layout, context.decide.limits);
  if (!view || !has_numbers(*view)) return explanation;
  if (operation.name == "recover_bit_linear") {
    explanation.steps.push_back(bits_step(*view));
  } else {
    for (std::size_t index = 0; index < view->extents.size(); ++index) {
      explanation.steps.push_back(index_step(*view, index));
    }
  }
  const auto* composed = result ? result->get_if<cute::ComposedLayout>() : nullptr;
  if (composed != nullptr && composed->outer() == nullptr && composed->swizzle().bits() > 0) {
    explanation.steps.push_back(
        step("swizzle", "Undone by itself, it leaves a strided layout; the one of the fewest bits.",
             cute::to_string(composed->swizzle())));
  }
  const bool is_found = result.has_value();
  explanation.steps.push_back(step("check", std::string(verification(*view)),
                                   is_found ? "it is the function" : "it is not the function"));
  return explanation;
}

}  // namespace

bool takes_any_layout(const Operation& operation) {
  return !operation.parameters.empty() && operation.parameters.front().type->takes_any_layout();
}

Explanation any_layout_steps(const Operation& operation, std::span<const Argument> arguments,
                             const Result<Value>& result, const CallContext& context) {
  if (operation.name == "relation") return relation_steps(operation, arguments, context);
  const auto values = arranged(operation, arguments, context);
  if (!values) return {};
  if (operation.family == "decisions") return decision_steps(operation, *values, result, context);
  if (operation.family == "recovery") return recovery_steps(operation, *values, result, context);
  if (operation.name == "convert") return conversion_steps(*values, context);
  if (operation.name == "relayout_plan") return relayout_steps(*values, context);
  return {};
}

}  // namespace heddle::notation
