#pragma once

// Expressions in kernels as what they are there: integers, views, values computed element by
// element, layouts.
//
//   32*k + 1                      an integer
//   A[32*k : +32, None].T         a view
//   exp(x - m[:, None]) * 2       a value; its integers are parts of it
//
// What holds no tensor and no real number is an integer, which the evaluator of the language
// computes.

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "heddle/core/result.h"
#include "heddle/kernel/program.h"
#include "heddle/notation/syntax.h"
#include "notation/kernel/kernel_names.h"

namespace heddle::notation {

/// How many nodes the values and statements of one kernel may have (`syntax.too_long`): macros
/// copy what they are called with.
inline constexpr std::size_t kMaxKernelNodes = std::size_t{1} << 18;
/// How high a value's tree may be, and how many steps a view may have (`syntax.too_deep`).
inline constexpr std::size_t kMaxValueHeight = 256;
inline constexpr std::size_t kMaxViewSteps = 32;

class KernelValues {
 public:
  /// Reads expressions of the text with these names; `nodes` counts what is made for a kernel.
  KernelValues(std::string_view text, const KernelNames& names, std::size_t& nodes)
      : text_(text), names_(names), nodes_(nodes) {}

  [[nodiscard]] bool is_integer(const Expression& expression) const;
  [[nodiscard]] bool is_view(const Expression& expression) const;

  /// Refuse `kernel.integer`, `kernel.view`, `kernel.value`, `kernel.dtype`, `kernel.layout` for
  /// expressions that are something else, `kernel.name` and `kernel.scope` for names without a
  /// meaning there, `kernel.function`, and what the evaluator refuses.
  [[nodiscard]] Result<Int> integer(const Expression& expression) const;
  [[nodiscard]] Result<std::vector<Int>> integers(std::span<const Expression> expressions) const;
  [[nodiscard]] Result<std::int64_t> constant(const Expression& expression) const;
  [[nodiscard]] Result<TypedView> view(const Expression& expression) const;
  [[nodiscard]] Result<KernelValue> value(const Expression& expression) const;
  [[nodiscard]] Result<map::AnyLayout> layout(const Expression& expression) const;
  /// The range of a subscript, `a:b` or `a : +n`.
  [[nodiscard]] Result<kernel::Subscript> range(const Expression& expression) const;

  /// Counts what is made for the kernel.
  [[nodiscard]] Result<void> count(std::size_t nodes, Span span) const;

 private:
  using Node = kernel::Elementwise::Node;

  // Integers.
  [[nodiscard]] bool is_plain(const Expression& expression) const;
  [[nodiscard]] bool is_plain_condition(const Expression& expression) const;
  [[nodiscard]] bool is_integer_name(std::string_view name) const;
  [[nodiscard]] bool is_integer_call(const Expression& expression) const;
  [[nodiscard]] const Expression* culprit_in(const Expression& expression) const;
  [[nodiscard]] const Expression* division_in(const Expression& expression) const;
  [[nodiscard]] Refusal fail_integer(const Expression& expression) const;
  [[nodiscard]] std::string reading_hint(const Expression& element) const;
  [[nodiscard]] std::string quotient_hint(const Expression& expression) const;
  [[nodiscard]] bool is_variable(std::string_view name) const;
  [[nodiscard]] Result<void> check_named(std::string_view variable, Span span) const;
  [[nodiscard]] Refusal fail_name(std::string_view name, Span span) const;

  // Views.
  [[nodiscard]] Result<kernel::Subscript> subscript(const Expression& expression) const;
  [[nodiscard]] Result<TypedView> sliced(const Expression& expression) const;
  [[nodiscard]] Result<TypedView> method(const Expression& expression) const;
  [[nodiscard]] Result<kernel::View::Step> step(std::string_view name,
                                                std::span<const Expression> arguments,
                                                Span span) const;
  [[nodiscard]] Result<TypedView> longer(TypedView view, kernel::View::Step step, Span span) const;

  // Values.
  [[nodiscard]] Result<KernelValue> made(Node node, std::vector<KernelValue> parts,
                                         Span span) const;
  [[nodiscard]] Result<KernelValue> applied(kernel::Function function,
                                            std::vector<KernelValue> parts, Span span) const;
  [[nodiscard]] Result<KernelValue> integer_value(const Expression& expression) const;
  [[nodiscard]] Result<KernelValue> named_value(std::string_view name, Span span) const;
  [[nodiscard]] Result<KernelValue> arithmetic(const Arithmetic& node,
                                               const Expression& expression) const;
  [[nodiscard]] Result<KernelValue> comparison(const ComparisonNode& node,
                                               const Expression& expression) const;
  [[nodiscard]] Result<KernelValue> connected(const Connective& node,
                                              const Expression& expression) const;
  [[nodiscard]] Result<KernelValue> chosen(const Expression& expression) const;
  [[nodiscard]] Result<KernelValue> called(const Expression& expression) const;
  [[nodiscard]] Result<KernelValue> negated(const Expression& expression) const;

  [[nodiscard]] std::string shown(const Expression& expression) const;

  std::string_view text_;
  const KernelNames& names_;
  std::size_t& nodes_;
};

/// Whether the parentheses are around one expression only, `(a)`, `(8)`.
[[nodiscard]] bool only_groups(const Expression& expression);

/// The refusal of a piece of a kernel.
[[nodiscard]] Refusal refuse_in_kernel(std::string_view code, std::string_view message, Span span,
                                       std::string hint = {});

/// The type of elements of this name. Refuses `kernel.dtype`, with the nearest ones.
[[nodiscard]] Result<kernel::DType> dtype_called(const NameSyntax& name);

}  // namespace heddle::notation
