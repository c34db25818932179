#include "heddle/lego/explain.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "lego/digits.h"

namespace heddle::lego {
namespace {

/// The permutations of one OrderBy, without sugar.
using Link = std::vector<Permutation>;

/// `2 x 2 x 3 x 2`
std::string box_text(std::span<const Int> sizes) {
  std::vector<std::string> texts;
  for (const Int& size : sizes) texts.push_back(to_string(size));
  return fmt::format("{}", fmt::join(texts, " x "));
}

/// `4*4+1*1 = 17`: the flat index as a sum over the dimensions; the number alone if it is symbolic.
std::string sum_text(std::span<const Int> sizes, std::span<const Int> point, const Int& flat) {
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

/// Says how a permutation numbers a point.
std::string numbering_text(const Permutation& permutation, std::span<const Int> point,
                           const Int& number) {
  const auto* regular = std::get_if<RegP>(&permutation);
  if (regular == nullptr) return "its function gives " + to_string(number);
  const std::vector<Int> turned = permuted(regular->sigma(), point);
  const Sizes sizes = regular->physical_dims();
  return fmt::format("{} in {}: {}", to_string(turned), box_text(sizes),
                     sum_text(sizes, turned, number));
}

/// Explains an OrderBy of a flat index, and returns the new index.
Result<Int> add_order(Explanation& explanation, const Link& order, const Int& flat) {
  const Sizes sizes = sizes_of(order);
  const std::vector<Int> whole = unflatten(sizes, flat);
  Explanation step = heddle::step(
      to_string(Order{order}),
      fmt::format("{} is {} in {}.", to_string(flat), to_string(whole), box_text(sizes)), "");
  const auto add_part = [&](const Permutation& permutation, std::span<const Int> point,
                            const Int& number) {
    step.steps.push_back(
        heddle::step(fmt::format("{} at {}", to_string(permutation), to_string(point)),
                     numbering_text(permutation, point, number), to_string(number)));
  };
  HEDDLE_TRY(Int result, ordered_index(order, flat, add_part));
  if (order.size() == 1) {  // a single permutation needs no sub-steps
    const bool is_regular = std::holds_alternative<RegP>(order.front());
    step.text +=
        fmt::format(" {} {}.", is_regular ? "Laid down as" : "There", step.steps.front().text);
    step.steps.clear();
  }
  step.result = to_string(result);
  explanation.steps.push_back(std::move(step));
  return result;
}

/// Explains the position that an ExpandBy gives a point of the extended space.
void add_clipping(Explanation& explanation, const Expansion& expansion, const Int& flat,
                  const Int& position) {
  explanation.steps.push_back(
      step("ExpandBy",
           fmt::format("{} is {} in the extended {}; the original is {}.", to_string(flat),
                       to_string(unflatten(expansion.extended, flat)), box_text(expansion.extended),
                       box_text(expansion.original)),
           to_string(position)));
}

/// Explains the inverse of an OrderBy, one permutation after the other, and returns the index
/// before it.
Result<Int> add_inverse(Explanation& explanation, const Link& order, const Int& flat) {
  Int rest = flat;
  std::vector<Explanation> parts;
  std::vector<Int> whole;
  for (std::size_t i = order.size(); i-- > 0;) {
    const Int count = product(lego::dims(order[i]));
    const Int number = i == 0 ? rest : mod(rest, count);
    rest = floor_div(rest, count);
    HEDDLE_TRY(const std::vector<Int> point, inv(order[i], number));
    whole.insert(whole.begin(), point.begin(), point.end());
    parts.push_back(heddle::step(fmt::format("{} at {}", to_string(order[i]), to_string(number)),
                                 "", to_string(point)));
  }
  std::ranges::reverse(parts);
  const Sizes sizes = sizes_of(order);
  const Int result = flatten(sizes, whole);
  Explanation step =
      heddle::step(to_string(Order{order}),
                   fmt::format("{} came from {} in {}: {}.", to_string(flat), to_string(whole),
                               box_text(sizes), sum_text(sizes, whole, result)),
                   to_string(result));
  if (parts.size() > 1) step.steps = std::move(parts);
  explanation.steps.push_back(std::move(step));
  return result;
}

/// Why an injective layout has no inverse.
std::string injective_text(const Layout& layout) {
  const auto& general = std::get<GenP>(layout.orders().front().front());
  const auto& why = general.not_a_permutation();
  if (!why) return "It may not be a bijection, and has no inv.";
  return fmt::format("It is not a bijection, and has apply but no inv: {}.", why->message());
}

/// How a bijection was checked that is only assumed.
std::string doubt_text(const Layout& layout) {
  if (evidence(layout) != Evidence::kAssumed) return {};
  for (const Link& order : layout.orders()) {
    for (const Permutation& permutation : order) {
      const auto* general = std::get_if<GenP>(&permutation);
      if (general == nullptr || general->evidence() != Evidence::kAssumed) continue;
      const Int size = product(general->dims());
      return size.is_constant()
                 ? fmt::format(
                       ": the {} points of {} are too many to check each; a sample of them shows "
                       "no fault",
                       to_string(size), to_string(*general))
                 : fmt::format(": small sizes of {} show no fault", to_string(*general));
    }
  }
  return {};
}

}  // namespace

Result<Explanation> explain_apply(const Layout& layout, std::span<const Int> point) {
  const Sizes sizes = layout.dims();
  HEDDLE_TRY(const Int position, layout.apply(point));
  Int flat = flatten(sizes, point);
  Explanation explanation;
  explanation.text = "The flat index of the view, and what each OrderBy makes of it.";
  explanation.steps.push_back(
      step("the view " + box_text(sizes), sum_text(sizes, point, flat), to_string(flat)));
  for (const Link& order : layout.orders()) {
    HEDDLE_TRY(flat, add_order(explanation, order, flat));
  }
  if (layout.expansion()) add_clipping(explanation, *layout.expansion(), flat, position);
  explanation.result = to_string(position);
  return explanation;
}

Result<Explanation> explain_inv(const Layout& layout, const Int& position) {
  HEDDLE_TRY(const std::vector<Int> point, layout.inv(position));
  Explanation explanation;
  explanation.text = "The OrderBys undone, the last one first, and the point of the view.";
  Int flat = position;
  if (layout.expansion()) {
    const std::vector<Int> original = unflatten(layout.expansion()->original, position);
    flat = flatten(layout.expansion()->extended, original);
    explanation.steps.push_back(
        step("ExpandBy",
             fmt::format("{} is {} in the original {}.", to_string(position), to_string(original),
                         box_text(layout.expansion()->original)),
             to_string(flat)));
  }
  const std::span<const Link> orders = layout.orders();
  for (auto order = orders.rbegin(); order != orders.rend(); ++order) {
    HEDDLE_TRY(flat, add_inverse(explanation, *order, flat));
  }
  explanation.steps.push_back(
      step("the view " + box_text(layout.dims()),
           fmt::format("{} is {} of it.", to_string(flat), to_string(point)), to_string(point)));
  explanation.result = to_string(point);
  return explanation;
}

std::string description(const Layout& layout) {
  const Sizes sizes = layout.dims();
  std::string text = fmt::format("A LEGO layout of a view of {}.", box_text(sizes));
  const std::span<const Link> orders = layout.orders();
  if (orders.empty()) return text + " Positions are its flat indices, the last dimension fastest.";
  for (std::size_t i = 0; i < orders.size(); ++i) {
    text += fmt::format(" {} flat index is taken as a point of {} and reordered.",
                        i == 0 ? "Its" : "The new", box_text(sizes_of(orders[i])));
  }
  if (layout.expansion()) {
    text += fmt::format(" Positions outside of {} are -1.", box_text(layout.expansion()->original));
  }
  if (layout.is_injective_only()) text += " " + injective_text(layout);
  const bool has_general = std::ranges::any_of(orders, [](const Link& order) {
    return std::ranges::any_of(order, [](const Permutation& permutation) {
      return std::holds_alternative<GenP>(permutation);
    });
  });
  if (has_general && !layout.is_injective_only()) {
    text += fmt::format(" That it is a bijection is {}{}.", to_string(evidence(layout)),
                        doubt_text(layout));
  }
  return text;
}

}  // namespace heddle::lego
