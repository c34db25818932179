#include "notation/lego_explain.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "core/overloaded.h"
#include "heddle/lego/layout.h"
#include "notation/binding.h"

namespace heddle::notation {
namespace {

/// The permutations of one OrderBy, sugar undone.
using LegoLink = std::vector<lego::Permutation>;

std::string lego_integers_text(std::span<const Int> integers, std::string_view separator) {
  std::vector<std::string> texts;
  for (const Int& integer : integers) texts.push_back(to_string(integer));
  return fmt::format("{}", fmt::join(texts, separator));
}

/// `[4,1]`
std::string lego_point_text(std::span<const Int> point) {
  return fmt::format("[{}]", lego_integers_text(point, ","));
}

/// `2 x 2 x 3 x 2`
std::string lego_box_text(std::span<const Int> sizes) { return lego_integers_text(sizes, " x "); }

/// `4*4+1*1 = 17`: the flat index as a sum over the dimensions; the number alone where it is
/// symbolic.
std::string lego_sum_text(std::span<const Int> sizes, std::span<const Int> point, const Int& flat) {
  if (!flat.is_constant()) return to_string(flat);
  std::vector<std::string> terms;
  Int stride = 1;
  for (std::size_t i = sizes.size(); i-- > 0; stride *= sizes[i]) {
    if (sizes[i] == Int(1)) continue;
    const std::string digit = to_string(point[i]);
    terms.push_back(stride == Int(1) ? digit : fmt::format("{}*{}", digit, to_string(stride)));
  }
  std::ranges::reverse(terms);
  if (terms.empty()) return to_string(flat);
  return fmt::format("{} = {}", fmt::join(terms, "+"), to_string(flat));
}

Explanation lego_step(std::string title, std::string text, std::string result) {
  Explanation step;
  step.title = std::move(title);
  step.text = std::move(text);
  step.result = std::move(result);
  return step;
}

std::string lego_order_text(const LegoLink& order) {
  std::vector<std::string> permutations;
  for (const lego::Permutation& permutation : order) permutations.push_back(to_string(permutation));
  return fmt::format("OrderBy({})", fmt::join(permutations, ","));
}

lego::Sizes lego_sizes_of(const LegoLink& order) {
  lego::Sizes sizes;
  for (const lego::Permutation& permutation : order) {
    const auto dims = lego::dims(permutation);
    sizes.insert(sizes.end(), dims.begin(), dims.end());
  }
  return sizes;
}

/// One permutation at a point: the number it gives and how.
struct LegoNumbered {
  Int number;
  std::string text;
};

Result<LegoNumbered> lego_numbered(const lego::RegP& regular, std::span<const Int> point) {
  const lego::Sizes sizes = lego::permuted(regular.sigma(), regular.dims());
  const std::vector<Int> turned = lego::permuted(regular.sigma(), point);
  const Int number = lego::flatten(sizes, turned);
  return LegoNumbered{number,
                      fmt::format("{} in {}: {}", lego_point_text(turned), lego_box_text(sizes),
                                  lego_sum_text(sizes, turned, number))};
}

Result<LegoNumbered> lego_numbered(const lego::GenP& general, std::span<const Int> point) {
  HEDDLE_TRY(const Int number, general.apply(point));
  return LegoNumbered{number, "by its function"};
}

Result<std::vector<Int>> lego_point_of(const lego::RegP& regular, const Int& number) {
  const lego::Sizes sizes = lego::permuted(regular.sigma(), regular.dims());
  return lego::permuted(lego::inverse(regular.sigma()), lego::unflatten(sizes, number));
}

Result<std::vector<Int>> lego_point_of(const lego::GenP& general, const Int& number) {
  return general.inv(number);
}

/// What an OrderBy makes of a flat index.
Result<Int> add_lego_order(Explanation& explanation, const LegoLink& order, const Int& flat) {
  const lego::Sizes sizes = lego_sizes_of(order);
  const std::vector<Int> whole = lego::unflatten(sizes, flat);
  Explanation step = lego_step(
      lego_order_text(order),
      fmt::format("{} is {} in {}.", to_string(flat), lego_point_text(whole), lego_box_text(sizes)),
      "");
  Int result = 0;
  std::size_t begin = 0;
  for (const lego::Permutation& permutation : order) {
    const auto dims = lego::dims(permutation);
    const auto point = std::span(whole).subspan(begin, dims.size());
    begin += dims.size();
    HEDDLE_TRY(const LegoNumbered part,
               std::visit([&](const auto& any) { return lego_numbered(any, point); }, permutation));
    result = result * lego::product(dims) + part.number;
    step.steps.push_back(
        lego_step(fmt::format("{} at {}", to_string(permutation), lego_point_text(point)),
                  part.text, to_string(part.number)));
  }
  if (order.size() == 1) {  // the only permutation says it all
    step.text += " Laid down as " + step.steps.front().text + ".";
    step.steps.clear();
  }
  step.result = to_string(result);
  explanation.steps.push_back(std::move(step));
  return result;
}

/// Where an ExpandBy puts a position of the extended space.
void add_lego_clipping(Explanation& explanation, const lego::Expansion& expansion, const Int& flat,
                       const Int& position) {
  explanation.steps.push_back(
      lego_step("ExpandBy",
                fmt::format("{} is {} in the extended {}; the original is {}.", to_string(flat),
                            lego_point_text(lego::unflatten(expansion.extended, flat)),
                            lego_box_text(expansion.extended), lego_box_text(expansion.original)),
                to_string(position)));
}

Result<Explanation> lego_apply_steps(const lego::Layout& layout, std::span<const Int> point) {
  const lego::Sizes sizes = layout.dims();
  HEDDLE_TRY(const Int position, layout.apply(point));
  Int flat = lego::flatten(sizes, point);
  Explanation explanation;
  explanation.text = "The flat index of the view, and what each OrderBy makes of it.";
  explanation.steps.push_back(lego_step("the view " + lego_box_text(sizes),
                                        lego_sum_text(sizes, point, flat), to_string(flat)));
  for (const LegoLink& order : layout.orders()) {
    HEDDLE_TRY(flat, add_lego_order(explanation, order, flat));
  }
  if (layout.expansion()) add_lego_clipping(explanation, *layout.expansion(), flat, position);
  explanation.result = to_string(position);
  return explanation;
}

/// What an OrderBy came from, its permutations undone one by one.
Result<Int> add_lego_inverse(Explanation& explanation, const LegoLink& order, const Int& flat) {
  Int rest = flat;
  std::vector<Explanation> parts;
  std::vector<Int> whole;
  for (std::size_t i = order.size(); i-- > 0;) {
    const Int count = lego::product(lego::dims(order[i]));
    const Int number = i == 0 ? rest : mod(rest, count);
    rest = floor_div(rest, count);
    HEDDLE_TRY(const std::vector<Int> point,
               std::visit([&](const auto& any) { return lego_point_of(any, number); }, order[i]));
    whole.insert(whole.begin(), point.begin(), point.end());
    parts.push_back(lego_step(fmt::format("{} at {}", to_string(order[i]), to_string(number)), "",
                              lego_point_text(point)));
  }
  std::ranges::reverse(parts);
  const lego::Sizes sizes = lego_sizes_of(order);
  const Int result = lego::flatten(sizes, whole);
  Explanation step =
      lego_step(lego_order_text(order),
                fmt::format("{} came from {} in {}: {}.", to_string(flat), lego_point_text(whole),
                            lego_box_text(sizes), lego_sum_text(sizes, whole, result)),
                to_string(result));
  if (parts.size() > 1) step.steps = std::move(parts);
  explanation.steps.push_back(std::move(step));
  return result;
}

Result<Explanation> lego_inv_steps(const lego::Layout& layout, const Int& position) {
  HEDDLE_TRY(const std::vector<Int> point, layout.inv(position));
  Explanation explanation;
  explanation.text = "The OrderBys undone, the last one first, and the point of the view.";
  Int flat = position;
  if (layout.expansion()) {
    const std::vector<Int> original = lego::unflatten(layout.expansion()->original, position);
    flat = lego::flatten(layout.expansion()->extended, original);
    explanation.steps.push_back(lego_step(
        "ExpandBy",
        fmt::format("{} is {} in the original {}.", to_string(position), lego_point_text(original),
                    lego_box_text(layout.expansion()->original)),
        to_string(flat)));
  }
  const std::span<const LegoLink> orders = layout.orders();
  for (auto order = orders.rbegin(); order != orders.rend(); ++order) {
    HEDDLE_TRY(flat, add_lego_inverse(explanation, *order, flat));
  }
  explanation.steps.push_back(
      lego_step("the view " + lego_box_text(layout.dims()),
                fmt::format("{} is {} of it.", to_string(flat), lego_point_text(point)),
                lego_point_text(point)));
  explanation.result = lego_point_text(point);
  return explanation;
}

}  // namespace

Explanation lego_steps(std::string_view operation, std::span<const std::optional<Value>> values) {
  const auto* layout = values.empty() || !values[0] ? nullptr : values[0]->get_if<lego::Layout>();
  if (layout == nullptr || values.size() < 2 || !values[1]) return {};
  const auto* argument = values[1]->get_if<IntTuple>();
  if (argument == nullptr) return {};
  const auto leaves = argument->leaves();
  if (operation == "apply") return lego_apply_steps(*layout, leaves).value_or(Explanation());
  if (operation == "inv") return lego_inv_steps(*layout, argument->leaf()).value_or(Explanation());
  return {};
}

bool is_lego_piece(const Operation& operation) {
  return operation.family == "LEGO permutations" ||
         (operation.family == "LEGO views" && operation.name != "desugar");
}

std::string lego_description(const lego::Layout& layout) {
  const lego::Sizes sizes = layout.dims();
  std::string text = fmt::format("A LEGO layout of a view of {}.", lego_box_text(sizes));
  const std::span<const LegoLink> orders = layout.orders();
  if (orders.empty()) return text + " Positions are its flat indices, the last dimension fastest.";
  for (std::size_t i = 0; i < orders.size(); ++i) {
    text += fmt::format(" {} flat index is taken as a point of {} and reordered.",
                        i == 0 ? "Its" : "The new", lego_box_text(lego_sizes_of(orders[i])));
  }
  if (layout.expansion()) {
    text += fmt::format(" Positions outside of {} are -1.",
                        lego_box_text(layout.expansion()->original));
  }
  if (layout.is_injective_only()) text += " It may be no bijection, and has no inv.";
  const bool has_general = std::ranges::any_of(orders, [](const LegoLink& order) {
    return std::ranges::any_of(order, [](const lego::Permutation& permutation) {
      return std::holds_alternative<lego::GenP>(permutation);
    });
  });
  if (has_general && !layout.is_injective_only()) {
    text += fmt::format(" That it is a bijection is {}.", lego::to_string(lego::evidence(layout)));
  }
  return text;
}

}  // namespace heddle::notation
