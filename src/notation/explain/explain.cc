// The explanation of each operation.

#include "heddle/notation/explain.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "core/text.h"
#include "heddle/cute/explain.h"
#include "heddle/lego/explain.h"
#include "heddle/notation/datum.h"
#include "notation/explain/explainers.h"
#include "notation/operations/cut.h"
#include "notation/operations/empty_tuples.h"

namespace heddle::notation {
namespace {

using cute::AnyLayout;
using cute::ComposedLayout;
using cute::Coordinate;
using cute::Layout;
using cute::Swizzle;
using cute::Tiler;

/// Extends an explanation for plain layouts to composed ones.
template <class Function>
Explanation on_inner_layout(const AnyLayout& layout, Function explain) {
  if (const auto* plain = std::get_if<Layout>(&layout)) return explain(*plain);
  return step("", "Acts on the layout within; the swizzle and the offset stay as they are.",
              {explain(std::get<ComposedLayout>(layout).layout())});
}

// Composition, by the kinds of its two sides; other pairs have no steps of their own.

Explanation explain_factors(const Layout& a, const Layout& b) {
  return cute::explain_composition(a, b);
}
Explanation explain_factors(const Layout& a, const Tiler& b) {
  return cute::explain_composition(a, b);
}
template <class Right>
  requires(std::is_same_v<Right, Layout> || std::is_same_v<Right, Tiler>)
Explanation explain_factors(const ComposedLayout& a, const Right& b) {
  return on_inner_layout(a, [&](const Layout& l) { return cute::explain_composition(l, b); });
}
Explanation explain_factors(const Layout&, const Swizzle& b) {
  return step("", fmt::format("{} is carried through the layout to its other side: the bits it "
                              "reads and those it changes, at the indices the layout gives "
                              "them; then every element is tried.",
                              cute::to_string(b)));
}
Explanation explain_factors(const Swizzle&, const Layout&) {
  return step("", "The swizzle after the layout; a composed layout says just that.");
}
template <class Left, class Right>
Explanation explain_factors(const Left&, const Right&) {
  return {};
}

void add_composition(Explainers& table) {
  table["composition"] = explainer([](const LayoutOrSwizzle& a, const ComposableOrTiler& b) {
    return std::visit([](const auto& x, const auto& y) { return explain_factors(x, y); }, a, b);
  });
  table["with_shape"] = explainer([](const AnyLayout& layout, const IntTuple& shape) {
    return on_inner_layout(layout, [&](const Layout& l) {
      Explanation explanation =
          step(fmt::format("with_shape({}, {})", cute::to_string(l), to_string(Value(shape))),
               "The composition with the compact layout of that shape.");
      if (const Result<Layout> view = cute::make_layout(shape)) {
        explanation.steps.push_back(cute::explain_composition(l, *view));
      }
      return explanation;
    });
  });
}

void add_inverses(Explainers& table) {
  const auto of_layout = [](Explanation (*explain)(const Layout&)) {
    return explainer([explain](const LayoutOrSwizzle& x) -> Explanation {
      if (const auto* layout = std::get_if<Layout>(&x)) return explain(*layout);
      if (std::holds_alternative<Swizzle>(x)) {
        return step("", "XORing the same bits again undoes it: a swizzle is its own inverse.");
      }
      return step("", "The inverse of the layout within, then the swizzle carried to its front.",
                  {explain(std::get<ComposedLayout>(x).layout())});
    });
  };
  table["inverse"] = of_layout(cute::explain_inverse);
  table["right_inverse"] = of_layout(cute::explain_right_inverse);
  table["left_inverse"] = of_layout(cute::explain_left_inverse);
  const auto common = [](const AnyLayout& a, const AnyLayout& b) -> Explanation {
    const auto* left = std::get_if<Layout>(&a);
    const auto* right = std::get_if<Layout>(&b);
    if (left == nullptr || right == nullptr) return {};
    Explanation explanation =
        step("",
             "The first layout after the right inverse of the second: how far that maps 0, 1, 2, … "
             "to themselves.");
    explanation.steps.push_back(cute::explain_right_inverse(*right));
    const Result<Layout> back = cute::right_inverse(*right);
    if (!back) return explanation;
    explanation.steps.push_back(cute::explain_composition(*left, *back));
    const Result<Layout> through = cute::composition(*left, *back);
    if (through) explanation.steps.push_back(cute::explain_coalesce(*through));
    return explanation;
  };
  table["max_common_vector"] = explainer(common);
  table["max_common_layout"] = explainer(common);
}

void add_simplifying(Explainers& table) {
  table["coalesce"] = explainer([](const AnyLayout& layout, const std::optional<Profile>& profile) {
    return on_inner_layout(layout, [&](const Layout& l) {
      return profile ? cute::explain_coalesce(l, *profile) : cute::explain_coalesce(l);
    });
  });
  table["filter"] =
      explainer([](const AnyLayout& layout, const std::optional<Profile>& profile) -> Explanation {
        if (profile) return {};
        return on_inner_layout(layout, [](const Layout& l) { return cute::explain_filter(l); });
      });
  table["complement"] = explainer([](const Layout& layout,
                                     const std::optional<IntTuple>& cotarget) -> Explanation {
    if (cotarget) return cute::explain_complement(layout, *cotarget);
    const Result<Layout> own = cute::filter(layout);
    const Result<Int> target = own ? cute::cosize(*own) : refuse(own.error());
    if (!target) return {};
    return step("", "In its own cosize.", {cute::explain_complement(layout, IntTuple(*target))});
  });
  table["complement_fill"] = explainer(cute::explain_complement_fill);
  table["admissible_for_complementation"] = explainer(cute::explain_admissible_for_complementation);
  table["admissible_for_composition"] = explainer(cute::explain_admissible_for_composition);
  table["admissible_for_cutlass_composition"] =
      explainer(cute::explain_admissible_for_cutlass_composition);
  table["equal"] = explainer([](const AnyLayout& a, const AnyLayout& b) -> Explanation {
    const auto* left = std::get_if<Layout>(&a);
    const auto* right = std::get_if<Layout>(&b);
    if (left == nullptr || right == nullptr) return {};
    return step("", "Layouts of one size are the same map exactly when they coalesce alike.",
                {cute::explain_coalesce(*left), cute::explain_coalesce(*right)});
  });
}

template <class Right>
Explainer of_inner_layout(Explanation (*explain)(const Layout&, const Right&)) {
  return explainer([explain](const AnyLayout& layout, const Right& right) {
    return on_inner_layout(layout, [&](const Layout& l) { return explain(l, right); });
  });
}

void add_tilings(Explainers& table) {
  table["logical_divide"] = of_inner_layout<Tiler>(cute::explain_logical_divide);
  table["zipped_divide"] = of_inner_layout(cute::explain_zipped_divide);
  table["tiled_divide"] = of_inner_layout(cute::explain_tiled_divide);
  table["flat_divide"] = of_inner_layout(cute::explain_flat_divide);
  table["logical_product"] = of_inner_layout<Tiler>(cute::explain_logical_product);
  table["zipped_product"] = of_inner_layout(cute::explain_zipped_product);
  table["tiled_product"] = of_inner_layout(cute::explain_tiled_product);
  table["flat_product"] = of_inner_layout(cute::explain_flat_product);
  table["blocked_product"] = of_inner_layout(cute::explain_blocked_product);
  table["raked_product"] = of_inner_layout(cute::explain_raked_product);
  table["tile_to_shape"] = explainer(
      [](const AnyLayout& block, const IntTuple& shape, const std::optional<IntTuple>& order) {
        return on_inner_layout(block, [&](const Layout& l) {
          return order ? cute::explain_tile_to_shape(l, shape, *order)
                       : cute::explain_tile_to_shape(l, shape);
        });
      });
}

/// The layout of a LayoutOrTuple or a Structure; nullopt for a tuple.
template <class Variant>
std::optional<AnyLayout> any_layout_in(const Variant& any) {
  if (const auto* plain = std::get_if<Layout>(&any)) return *plain;
  if (const auto* composed = std::get_if<ComposedLayout>(&any)) return *composed;
  return std::nullopt;
}

/// The coordinate with `_` as 0: where a slice begins.
Coordinate with_zeros(const Coordinate& coordinate) {
  return transform_leaves(coordinate, [](const cute::Index& index) {
    return index.is_underscore() ? cute::Index(Int(0)) : index;
  });
}

/// crd2idx in its three forms: within a shape, of a layout, of shape and stride.
Explanation explain_index_of(const Coordinate& coordinate, const LayoutOrTuple& shape,
                             const std::optional<IntTuple>& stride) {
  if (cute::has_underscore(coordinate)) return {};
  if (const auto layout = any_layout_in(shape)) return cute::explain_apply(*layout, coordinate);
  const auto& extents = std::get<IntTuple>(shape);
  if (stride) {
    const Result<Layout> layout = cute::make_layout(extents, cute::to_strides(*stride));
    return layout ? cute::explain_apply(*layout, coordinate) : Explanation();
  }
  const Result<IntTuple> digits = cute::to_int_tuple(coordinate);
  return digits ? cute::explain_crd2idx(*digits, extents) : Explanation();
}

void add_coordinates(Explainers& table) {
  table["apply"] = explainer(cute::explain_apply);
  // Slicing a tuple has no steps.
  const auto of_cut = [](Explanation (*explain)(const Coordinate&, const AnyLayout&)) {
    return explainer([explain](const Value& a, const Value& b) {
      const Result<Cut> cut = cut_of(a, b);
      const auto layout = cut ? any_layout_in(cut->target) : std::nullopt;
      return layout ? explain(cut->coordinate, *layout) : Explanation();
    });
  };
  table["slice"] = of_cut(cute::explain_slice);
  table["slice_offset"] = of_cut([](const Coordinate& coordinate, const AnyLayout& layout) {
    return step("", "The index of the coordinate with 0 for each _.",
                {cute::explain_apply(layout, with_zeros(coordinate))});
  });
  table["slice_and_offset"] = of_cut([](const Coordinate& coordinate, const AnyLayout& layout) {
    const auto* plain = std::get_if<Layout>(&layout);
    return plain ? cute::explain_slice_and_offset(coordinate, *plain) : Explanation();
  });
  table["domain_offset"] = of_cut([](const Coordinate& coordinate, const AnyLayout& layout) {
    if (!std::holds_alternative<Layout>(layout)) return Explanation();
    return step("", "The same layout, counted from the index of the coordinate.",
                {cute::explain_apply(layout, coordinate)});
  });
  table["crd2idx"] = explainer(explain_index_of);
  table["idx2crd"] = explainer([](const IntTuple& index, const LayoutOrTuple& shape,
                                  const std::optional<IntTuple>& stride) -> Explanation {
    const auto* extents = std::get_if<IntTuple>(&shape);
    if (extents == nullptr) return {};
    return stride ? cute::explain_idx2crd(index, *extents, *stride)
                  : cute::explain_idx2crd(index, *extents);
  });
  table["cosize"] = explainer([](const AnyLayout& layout) -> Explanation {
    const auto* plain = std::get_if<Layout>(&layout);
    return plain == nullptr ? Explanation() : cute::explain_cosize(*plain);
  });
}

const Explainers& explainers() {
  static const Explainers table = [] {
    Explainers all;
    add_composition(all);
    add_inverses(all);
    add_simplifying(all);
    add_tilings(all);
    add_coordinates(all);
    return all;
  }();
  return table;
}

/// The argument as it is written in a call: a text is in quotes.
std::string text_of(const Argument& argument) {
  const auto* text = argument.value.get_if<std::string>();
  return text ? to_string(Datum(*text)) : to_string(argument.value);
}

std::vector<std::string> texts_of(std::span<const Argument> arguments) {
  std::vector<std::string> texts;
  for (const Argument& argument : arguments) {
    const std::string text = text_of(argument);
    texts.push_back(argument.name.empty() ? text : argument.name + "=" + text);
  }
  return texts;
}

/// The call as a line. An argument whose text has several lines, such as a tiled MMA, is named by
/// its kind only.
std::string call_text(const Operation& operation, std::span<const Argument> arguments) {
  std::vector<std::string> texts = texts_of(arguments);
  for (std::size_t i = 0; i < texts.size(); ++i) {
    if (texts[i].find('\n') != std::string::npos) texts[i] = kind_name(arguments[i].value);
  }
  return fmt::format("{}({})", operation.name, fmt::join(texts, ", "));
}

/// The general part of every operation's explanation.
Explanation general(const Operation& operation, std::span<const Argument> arguments) {
  Explanation explanation;
  explanation.operation = operation.name;
  explanation.operands = texts_of(arguments);
  explanation.title = call_text(operation, arguments);
  explanation.text = operation.summary;
  return explanation;
}

/// The steps of an operation with this result; empty if it has none.
Explanation steps_of(const Operation& operation, std::span<const Argument> arguments,
                     const Result<Value>& result, const CallContext& context) {
  // A swizzle is applied to an address, which is not in the table of operations.
  if (operation.name == "apply" && arguments.front().value.is<Swizzle>()) {
    return cute::explain_swizzle(arguments[0].value.get<Swizzle>(),
                                 arguments[1].value.get<IntTuple>().leaf());
  }
  const auto is_empty = [](const Argument& argument) { return has_empty_tuple(argument.value); };
  if (std::ranges::any_of(arguments, is_empty)) return {};
  // Operations on layouts of any system have steps of their own.
  if (takes_any_layout(operation)) return any_layout_steps(operation, arguments, result, context);
  if (operation.parameters.empty()) return {};
  const ParameterType& first = *operation.parameters.front().type;
  const bool is_axe = first == kParameterType<axe::Layout> || first == kParameterType<axe::Iter>;
  const Explainers& table = is_axe                                  ? axe_explainers()
                            : first == kParameterType<lego::Layout> ? lego_explainers()
                                                                    : explainers();
  const auto found = table.find(operation.name);
  // Operations of the same names on these have no steps.
  const bool has_none = std::ranges::any_of(arguments, [](const Argument& argument) {
    return argument.value.is<linear::LinearLayout>() || argument.value.is<map::IntegerSet>();
  });
  if (has_none || found == table.end()) return {};
  const auto values = arranged(operation, arguments);
  return values ? found->second(*values) : Explanation();
}

/// Whether the operation constructs a LEGO layout or a piece of one, as a literal does for other
/// layouts.
bool is_lego_piece(const Operation& operation) {
  return operation.family == "LEGO permutations" ||
         (operation.family == "LEGO views" && operation.name != "desugar");
}

/// The explanation with the operation's result; its steps only if they end with the same result.
Explanation concluded(const Operation& operation, std::span<const Argument> arguments,
                      const Result<Value>& value, const CallContext& context) {
  Explanation explanation = steps_of(operation, arguments, value, context);
  const std::string result = value ? to_string(*value) : "";
  const bool agrees = explanation.result.text.empty() || explanation.result.text == result;
  const Explanation call = general(operation, arguments);
  if (!agrees || (explanation.text.empty() && explanation.steps.empty())) explanation = call;
  if (explanation.title.text.empty()) explanation.title = call.title;
  explanation.operation = operation.name;
  if (explanation.operands.empty()) explanation.operands = call.operands;
  if (explanation.result.text.empty()) explanation.result = result;
  if (!value && !explanation.refusal) explanation.refusal = value.error();
  return explanation;
}

/// `13*i0 + i1`: the index of a layout in the digits of a coordinate.
std::string formula(const Layout& layout) {
  std::string text;
  for (std::size_t i = 0; i < layout.strides().size(); ++i) {
    const cute::Stride& stride = layout.strides()[i];
    if (stride.is_zero()) continue;
    text += fmt::format("{}{}*i{}", text.empty() ? "" : " + ",
                        to_string(Value(cute::StrideTuple(stride))), i);
  }
  return text.empty() ? "0" : text;
}

/// `i0 < 4, i1 < 8`.
std::string digit_ranges(const Layout& layout) {
  std::vector<std::string> digits;
  for (std::size_t i = 0; i < layout.extents().size(); ++i) {
    digits.push_back(fmt::format("i{} < {}", i, to_string(layout.extents()[i])));
  }
  return fmt::format("{}", fmt::join(digits, ", "));
}

/// The explanation of an expression that is only a layout.
Explanation literal(const Value& value) {
  Explanation explanation = step(to_string(value), fmt::format("This is {}.", kind_name(value)));
  explanation.operands = {to_string(value)};
  const auto* axe = value.get_if<axe::Layout>();
  if (axe != nullptr && axe->shard().size() <= cute::kMaxExplainedLeaves)
    explanation.text = axe_formula(*axe);
  if (const auto* lego = value.get_if<lego::Layout>()) explanation.text = lego::description(*lego);
  const auto* layout = value.get_if<Layout>();
  if (layout != nullptr && layout->extents().size() <= cute::kMaxExplainedLeaves) {
    explanation.text = fmt::format(
        "A layout of {}. A coordinate has the digits {}, the first running fastest; its "
        "index is {}.",
        counted(to_string(layout->size()), "element"), digit_ranges(*layout), formula(*layout));
  }
  explanation.result = to_string(value);
  return explanation;
}

}  // namespace

Explanation explain(const Operation& operation, std::span<const Argument> arguments) {
  return concluded(operation, arguments, call(operation, arguments), {});
}

Explained explain(const Expression& expression, const Environment& environment) {
  struct Applied {
    const Operation* operation;
    std::vector<Argument> arguments;
    Result<Value> value;
  };
  std::vector<Applied> applied;
  const Observer observer = [&](const Operation& operation, std::span<const Argument> arguments,
                                const Result<Value>& value) {
    if (value && is_lego_piece(operation)) return;
    applied.push_back({&operation, {arguments.begin(), arguments.end()}, value});
  };
  Explained explained{{}, 0, evaluate(expression, environment, observer)};
  if (applied.size() > kMaxExplained) explained.left_out = applied.size() - kMaxExplained;
  for (std::size_t i = explained.left_out; i < applied.size(); ++i) {
    explained.operations.push_back(concluded(*applied[i].operation, applied[i].arguments,
                                             applied[i].value, environment.context()));
  }
  if (!explained.value) return explained;
  const std::string value = to_string(*explained.value);
  if (applied.empty()) {
    explained.operations.push_back(literal(*explained.value));
  } else if (explained.operations.back().result.text != value) {
    explained.operations.push_back(step(value, "The value of the whole expression."));
    explained.operations.back().result = value;
  }
  return explained;
}

}  // namespace heddle::notation
