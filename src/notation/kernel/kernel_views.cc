// Views and layouts in kernels: A[128*bx : +128, None].T, A.relayout(L).

#include <fmt/format.h>

#include <string>
#include <utility>

#include "core/text.h"
#include "heddle/core/nearest_names.h"
#include "heddle/form/element_type.h"
#include "heddle/notation/any_layout.h"
#include "notation/kernel/kernel_values.h"

namespace heddle::notation {

Result<kernel::DType> dtype_called(const NameSyntax& name) {
  // A declaration takes every name of a type; in calls a program may have its own half(k).
  const form::ElementType* known = form::find_element_type(name.text);
  const auto type = kernel::find_dtype(known == nullptr ? name.text : known->name);
  if (type) return *type;
  std::vector<std::string> names;
  for (const kernel::DType other : kernel::dtypes()) {
    names.emplace_back(kernel::name_of(other));
  }
  return refuse_in_kernel("kernel.dtype", fmt::format("unknown type {}", quote(name.text)),
                          name.span, did_you_mean(name.text, names));
}

bool KernelValues::is_view(const Expression& expression) const {
  if (const auto* name = std::get_if<Reference>(&expression.node)) {
    return names_.find_as<TypedView>(name->name) != nullptr;
  }
  if (const auto* call = std::get_if<Application>(&expression.node)) {
    const auto* method = std::get_if<Member>(&expression.parts.front().node);
    return call != nullptr && method != nullptr && is_view(expression.parts.front());
  }
  const bool has_front = std::holds_alternative<Subscript>(expression.node) ||
                         std::holds_alternative<Member>(expression.node) || only_groups(expression);
  return has_front && is_view(expression.parts.front());
}

/// `a : b` or `a : +n`
Result<kernel::Subscript> KernelValues::range(const Expression& expression) const {
  const Expression& end = expression.parts[1];
  HEDDLE_TRY(const Int begin, integer(expression.parts[0]));
  HEDDLE_TRY(const Int last, integer(end));
  const bool is_extent = text_at(text_, end.span).starts_with('+');
  const Int extent = is_extent ? last : last - begin;
  HEDDLE_CHECK(check_defined(extent, "the extent of a range"));
  return kernel::Subscript{kernel::Subscript::Kind::kRange, begin, extent};
}

Result<kernel::Subscript> KernelValues::subscript(const Expression& expression) const {
  using Kind = kernel::Subscript::Kind;
  if (std::holds_alternative<UnderscoreLiteral>(expression.node)) {
    return kernel::Subscript{Kind::kWhole};
  }
  if (std::holds_alternative<LayoutLiteral>(expression.node)) return range(expression);
  const auto* name = std::get_if<Reference>(&expression.node);
  if (name != nullptr && name->name == "None") return kernel::Subscript{Kind::kNew};
  HEDDLE_TRY(Int index, integer(expression));
  return kernel::Subscript{Kind::kIndex, std::move(index)};
}

Result<TypedView> KernelValues::longer(TypedView view, kernel::View::Step step, Span span) const {
  view.view.steps.push_back(std::move(step));
  if (view.view.steps.size() <= kMaxViewSteps) return view;
  return refuse_in_kernel("syntax.too_deep",
                          fmt::format("a view has more than {} steps", kMaxViewSteps), span);
}

Result<TypedView> KernelValues::sliced(const Expression& expression) const {
  HEDDLE_TRY(TypedView whole, view(expression.parts.front()));
  kernel::Sliced step;
  for (const Expression& part : std::span(expression.parts).subspan(1)) {
    HEDDLE_TRY(step.subscripts.emplace_back(), subscript(part));
  }
  return longer(std::move(whole), std::move(step), expression.span);
}

/// One of the methods that make a view of another one.
Result<kernel::View::Step> KernelValues::step(std::string_view name,
                                              std::span<const Expression> arguments,
                                              Span span) const {
  if (name == "permute") {
    kernel::Permuted step;
    for (const Expression& argument : arguments) {
      HEDDLE_TRY(const std::int64_t dimension, constant(argument));
      if (dimension < 0) {
        return refuse_in_kernel("kernel.permutation",
                                fmt::format("{} is not a dimension", dimension), argument.span,
                                "dimensions are counted from 0");
      }
      step.order.push_back(static_cast<std::size_t>(dimension));
    }
    return step;
  }
  if (name == "reshape") {
    HEDDLE_TRY(std::vector<Int> shape, integers(arguments));
    return kernel::Reshaped{std::move(shape)};
  }
  const bool takes_one = name == "relayout" || name == "bits";
  if (takes_one && arguments.size() == 1) {
    const Expression& argument = arguments.front();
    if (name == "relayout") {
      HEDDLE_TRY(map::AnyLayout relaid, layout(argument));
      return kernel::Relaid{std::move(relaid)};
    }
    HEDDLE_TRY(const kernel::DType type,
               dtype_called({text_at(text_, argument.span), argument.span}));
    return kernel::Recast{type};
  }
  return refuse_in_kernel(
      "kernel.view",
      fmt::format("a view has no method {} with {}", quote(name),
                  counted(static_cast<std::int64_t>(arguments.size()), "argument")),
      span, "views have .T, .permute(1,0), .reshape(8,16), .relayout(LAYOUT) and .bits(u8)");
}

Result<TypedView> KernelValues::method(const Expression& expression) const {
  const Expression& called = expression.parts.front();
  HEDDLE_TRY(TypedView whole, view(called.parts.front()));
  for (const std::string_view keyword : std::get<Application>(expression.node).names) {
    if (keyword.empty()) continue;
    return refuse_in_kernel("kernel.view",
                            fmt::format("methods of views have no option {}", quote(keyword)),
                            expression.span);
  }
  HEDDLE_TRY(kernel::View::Step taken,
             step(std::get<Member>(called.node).name, std::span(expression.parts).subspan(1),
                  expression.span));
  if (const auto* recast = std::get_if<kernel::Recast>(&taken)) whole.type = recast->type;
  return longer(std::move(whole), std::move(taken), expression.span);
}

Result<TypedView> KernelValues::view(const Expression& expression) const {
  if (is_view(expression)) {
    if (const auto* name = std::get_if<Reference>(&expression.node)) {
      return *names_.find_as<TypedView>(name->name);
    }
    if (only_groups(expression)) return view(expression.parts.front());
    if (std::holds_alternative<Subscript>(expression.node)) return sliced(expression);
    if (std::holds_alternative<Application>(expression.node)) return method(expression);
    HEDDLE_TRY(TypedView whole, view(expression.parts.front()));
    const std::string_view name = std::get<Member>(expression.node).name;
    if (name == "T") return longer(std::move(whole), kernel::Permuted{{1, 0}}, expression.span);
    HEDDLE_CHECK(step(name, {}, expression.span));
  }
  const Expression* root = &expression;
  while (!root->parts.empty() && !std::holds_alternative<Reference>(root->node)) {
    root = &root->parts.front();
  }
  const auto* name = std::get_if<Reference>(&root->node);
  if (name != nullptr && names_.find(name->name) == nullptr) {
    return fail_name(name->name, root->span);
  }
  return refuse_in_kernel("kernel.view",
                          fmt::format("{} is not a tensor or a view of one", shown(expression)),
                          expression.span);
}

Result<map::AnyLayout> KernelValues::layout(const Expression& expression) const {
  HEDDLE_TRY(const Value value, evaluate(expression, names_.environment()));
  for (const std::string& variable : variables(value)) {
    HEDDLE_CHECK(check_named(variable, expression.span));
  }
  Result<map::AnyLayout> layout = to_any_layout(value, names_.environment().context());
  if (layout) return layout;
  const bool has_place = layout.error().span().has_value();
  return has_place ? std::move(layout)
                   : refuse(std::move(layout).error().with_span(expression.span));
}

}  // namespace heddle::notation
