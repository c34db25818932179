// Evaluation, slices and swizzles, step by step: digits, each times its stride, and their sum.

#include <algorithm>

#include "cute/explain/steps.h"
#include "cute/layout/coordinate_sums.h"
#include "cute/layout/picked_modes.h"
#include "form/explain_swizzle.h"
#include "heddle/cute/explain.h"

namespace heddle::cute {
namespace {

/// `13 = 3*4 + 1`.
std::string division(const Int& number, const Int& divisor) {
  return fmt::format("{} = {}*{} + {}", number, floor_div(number, divisor), divisor,
                     mod(number, divisor));
}

/// One walk over a coordinate and the layout it indexes: a row for each leaf of the layout.
class CoordinateWalk {
 public:
  explicit CoordinateWalk(const Layout& layout) : layout_(layout) {}

  /// False if the coordinate does not fit.
  bool visit(const Coordinate& coordinate) {
    return visit_parts(coordinate, layout_.profile(),
                       [this](const Index& index, ProfileView mode) { return add(index, mode); });
  }

  [[nodiscard]] std::vector<Explanation>&& steps() && { return std::move(steps_); }

  /// `2 + 1 + 8 = 11`; by axis if the strides are on several axes.
  [[nodiscard]] Explanation sum_step(const char* title, const IntTuple& total) const {
    const bool is_sum = terms_.size() > 1;
    return step(title, is_sum ? fmt::format("{}", fmt::join(terms_, " + ")) : "", total);
  }

 private:
  bool add(const Index& index, ProfileView mode) {
    const std::size_t end = leaf_ + mode.leaf_count();
    if (index.is_underscore()) {
      for (; leaf_ < end; ++leaf_) {
        add_step(steps_, leaf_text(), "_ keeps it", leaf_text());
      }
      return true;
    }
    Int rest = index.value();
    const bool is_flat = mode.leaf_count() > 1;
    if (is_flat && known_less(rest, 0)) return false;
    for (; leaf_ < end; ++leaf_) {
      const bool last = leaf_ + 1 == end;
      const Int& extent = layout_.extents()[leaf_];
      const Int digit = last ? rest : mod(rest, extent);
      add_digit(digit, last ? whole_digit(digit, extent, is_flat)
                            : fmt::format("{}: digit {}, {} left", division(rest, extent), digit,
                                          floor_div(rest, extent)));
      rest = floor_div(rest, extent);
    }
    return true;
  }

  static std::string whole_digit(const Int& digit, const Int& extent, bool is_flat) {
    std::string text =
        is_flat ? fmt::format("what is left: digit {}", digit) : fmt::format("digit {}", digit);
    if (known_at_most(extent, digit)) text += fmt::format(", past the end {}", extent);
    if (known_less(digit, 0)) text += ", before the beginning";
    return text;
  }

  void add_digit(const Int& digit, const std::string& how) {
    const Stride& stride = layout_.strides()[leaf_];
    terms_.push_back(fmt::format("{}", digit * stride));
    add_step(steps_, MarkedText::whole(leaf_text(), leaf_),
             fmt::format("{}; {}", how, times(digit, stride)),
             MarkedText::whole(terms_.back(), leaf_));
  }

  [[nodiscard]] std::string leaf_text() const {
    return fmt::format("{}:{}", layout_.extents()[leaf_], layout_.strides()[leaf_]);
  }

  const Layout& layout_;
  std::size_t leaf_ = 0;
  std::vector<std::string> terms_;
  std::vector<Explanation> steps_;
};

Explanation explain_index(const Layout& layout, const Coordinate& coordinate) {
  Explanation explanation = step(marked(layout), "");
  explanation.title += fmt::format(" at {}", coordinate);
  explanation.operation = "apply";
  explanation.operands = {to_string(layout), fmt::format("{}", coordinate)};
  const Result<IntTuple> actual = evaluate(layout, coordinate);
  if (is_explainable(layout)) {
    CoordinateWalk walk(layout);
    const bool fits = walk.visit(coordinate);
    const Explanation sum = fits && actual ? walk.sum_step("sum", *actual) : Explanation();
    explanation.text =
        "A flat coordinate is taken apart first mode fastest; each digit times its stride.";
    if (fits) explanation.steps = std::move(walk).steps();
    if (fits && actual) explanation.steps.push_back(sum);
  } else {
    explanation.text = too_many_leaves();
  }
  return concluded(std::move(explanation), actual);
}

Explanation explain_index(const ComposedLayout& layout, const Coordinate& coordinate);

Explanation explain_outer_index(const AnyLayout& outer, const IntTuple& place) {
  const Coordinate coordinate = to_coordinate(filled(place, inner_layout(outer).profile()));
  return std::visit([&](const auto& any) { return explain_index(any, coordinate); }, outer);
}

Explanation explain_index(const ComposedLayout& layout, const Coordinate& coordinate) {
  Explanation explanation =
      step(fmt::format("{} at {}", layout, coordinate),
           layout.outer() == nullptr
               ? "The index within, the offset added, then the swizzle."
               : "The coordinate within, the offset added, then the layout on the left.");
  explanation.operation = "apply";
  explanation.operands = {to_string(layout), fmt::format("{}", coordinate)};
  explanation.steps.push_back(explain_index(layout.layout(), coordinate));
  const Result<IntTuple> index = evaluate(layout.layout(), coordinate);
  const auto place = index ? moved(*index, layout.offset()) : index;
  if (place) {
    add_step(explanation.steps, "offset",
             fmt::format("{} + {} = {}", layout.offset(), *index, *place), *place);
    explanation.steps.push_back(layout.outer() == nullptr
                                    ? explain_swizzle(layout.swizzle(), place->leaf())
                                    : explain_outer_index(*layout.outer(), *place));
  }
  return concluded(std::move(explanation), evaluate(layout, coordinate));
}

/// Which modes are kept, and the sum of the fixed coordinates' steps.
void add_slice_steps(Explanation& explanation, const Coordinate& coordinate, const Layout& layout) {
  if (!is_explainable(layout)) {
    explanation.text = too_many_leaves();
    return;
  }
  CoordinateWalk walk(layout);
  if (!walk.visit(coordinate)) return;
  explanation.text = "_ keeps a mode; what is fixed says where the slice begins.";
  const Result<IntTuple> begin = slice_offset(coordinate, layout);
  const Explanation sum = begin ? walk.sum_step("begins at", *begin) : Explanation();
  explanation.steps = std::move(walk).steps();
  if (begin) explanation.steps.push_back(sum);
}

}  // namespace

Explanation explain_swizzle(const Swizzle& swizzle, const Int& address) {
  Explanation explanation = step(fmt::format("{} at {}", swizzle, address), "");
  explanation.operation = "apply";
  explanation.operands = {to_string(swizzle), fmt::format("{}", address)};
  const Int image = swizzle(address);
  explanation.result = fmt::format("{}", image);
  if (swizzle.is_identity()) explanation.text = "No bits are swizzled.";
  if (swizzle.is_identity() || !address.is_constant()) return explanation;
  const form::SwizzledBits bits{swizzle.bits(), swizzle.base() + std::max(0, swizzle.shift()),
                                swizzle.base() - std::min(0, swizzle.shift())};
  form::explain_swizzle(explanation, bits, address, image);
  return explanation;
}

Explanation explain_apply(const AnyLayout& layout, const Coordinate& coordinate) {
  if (has_underscore(coordinate)) return explain_slice(coordinate, layout);
  return std::visit([&](const auto& any) { return explain_index(any, coordinate); }, layout);
}

Explanation explain_slice(const Coordinate& coordinate, const AnyLayout& layout) {
  Explanation explanation = explanation_of("slice", coordinate, to_string(layout));
  add_slice_steps(explanation, coordinate, inner_layout(layout));
  std::visit([&](const auto& any) { conclude(explanation, slice(coordinate, any)); }, layout);
  return explanation;
}

Explanation explain_slice_and_offset(const Coordinate& coordinate, const Layout& layout) {
  Explanation explanation = explanation_of("slice_and_offset", coordinate, layout);
  add_slice_steps(explanation, coordinate, layout);
  const Result<OffsetLayout> actual = slice_and_offset(coordinate, layout);
  if (actual) {
    explanation.result = fmt::format("{} offset {}", actual->layout, actual->offset);
  } else {
    explanation.refusal = actual.error();
  }
  return explanation;
}

Explanation explain_crd2idx(const IntTuple& coordinate, const IntTuple& shape) {
  Explanation explanation = explanation_of("crd2idx", coordinate, shape);
  const Result<Int> actual = crd2idx(coordinate, shape);
  const Result<IntTuple> extents = product_like(shape, coordinate.profile());
  if (coordinate.is_leaf()) explanation.text = "A flat coordinate is its own index.";
  if (coordinate.leaves().size() > kMaxExplainedLeaves) explanation.text = too_many_leaves();
  if (!explanation.text.empty() || !extents) {
    return concluded(std::move(explanation), actual);
  }
  explanation.text = "First mode fastest: each digit times the extents before it.";
  std::vector<Int> before;
  std::vector<Int> terms;
  Int worth = 1;
  for (std::size_t i = 0; i < coordinate.leaves().size(); ++i) {
    const Int& digit = coordinate.leaves()[i];
    terms.push_back(digit * worth);
    add_step(explanation.steps, fmt::format("{} of {}", digit, extents->leaves()[i]),
             fmt::format("{}*{}", digit,
                         before.size() > 1 ? "(" + product_of(before) + ")" : product_of(before)),
             terms.back());
    before.push_back(extents->leaves()[i]);
    worth *= extents->leaves()[i];
  }
  if (actual) add_step(explanation.steps, "sum", sum_of(terms), *actual);
  return concluded(std::move(explanation), actual);
}

Explanation explain_idx2crd(const IntTuple& index, const IntTuple& shape) {
  Explanation explanation = explanation_of("idx2crd", index, shape);
  const Result<IntTuple> actual = idx2crd(index, shape);
  if (shape.leaves().size() > kMaxExplainedLeaves) explanation.text = too_many_leaves();
  if (explanation.text.empty() && index.is_leaf()) {
    explanation.text = "Taken apart first mode fastest; the last leaf takes what is left.";
    Int rest = index.leaf();
    for (std::size_t i = 0; i < shape.leaves().size(); ++i) {
      const Int& extent = shape.leaves()[i];
      const bool last = i + 1 == shape.leaves().size();
      const Int digit = last ? rest : mod(rest, extent);
      add_step(explanation.steps, fmt::format("extent {}", extent),
               last ? "what is left"
                    : fmt::format("{}: {} left", division(rest, extent), floor_div(rest, extent)),
               digit);
      rest = floor_div(rest, extent);
    }
  }
  if (explanation.text.empty() && actual) {
    explanation.text = "Mode by mode.";
    for (std::size_t mode = 0; mode < index.rank(); ++mode) {
      explanation.steps.push_back(explain_idx2crd(index.mode(mode), shape.mode(mode)));
    }
  }
  return concluded(std::move(explanation), actual);
}

Explanation explain_idx2crd(const IntTuple& index, const IntTuple& shape, const IntTuple& stride) {
  Explanation explanation = explanation_of("idx2crd", index, shape, stride);
  const Result<IntTuple> actual = idx2crd(index, shape, stride);
  const bool is_plain = index.is_leaf() && congruent(shape.profile(), stride.profile());
  if (is_plain && shape.leaves().size() <= kMaxExplainedLeaves) {
    explanation.text = "At each leaf floor(index/stride) modulo the extent.";
    for (std::size_t i = 0; i < shape.leaves().size(); ++i) {
      const Int& extent = shape.leaves()[i];
      const Int& step_size = stride.leaves()[i];
      const std::string title = fmt::format("{}:{}", extent, step_size);
      if (known_equal(extent, 1)) {
        add_step(explanation.steps, title, "one element", "0");
        continue;
      }
      if (known_equal(step_size, 0)) {
        add_step(explanation.steps, title, "stride 0 carries no information");
        break;
      }
      const Int quotient = floor_div(index.leaf(), step_size);
      const Int digit = mod(quotient, extent);
      add_step(explanation.steps, title,
               fmt::format("floor({}/{}) = {}; {}%{} = {}", index.leaf(), step_size, quotient,
                           quotient, extent, digit),
               digit);
    }
  }
  return concluded(std::move(explanation), actual);
}

Explanation explain_cosize(const Layout& layout) {
  Explanation explanation = explanation_of("cosize", layout);
  const Result<Int> actual = cosize(layout);
  if (ends_too_large(explanation, actual, layout)) return explanation;
  if (!layout.is_integral()) {
    return concluded(std::move(explanation), actual);
  }
  explanation.text = "The greatest index and one more: each mode at its last element.";
  std::vector<Int> terms = {1};
  for (const Mode& mode : leaves(layout)) {
    const Int stride = abs(mode.stride.scale());
    terms.push_back((mode.extent - 1) * stride);
    add_step(explanation.steps, mode, fmt::format("({} - 1)*{}", mode.extent, stride),
             terms.back());
  }
  if (actual) {
    add_step(explanation.steps, "sum", sum_of(terms), *actual);
  }
  return concluded(std::move(explanation), actual);
}

}  // namespace heddle::cute
