#include "heddle/map/recover.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/bits.h"
#include "core/format.h"
#include "core/text.h"
#include "expr/numbers_text.h"
#include "map/forms/layouts_of_forms.h"
#include "map/recover/question.h"
#include "map/view/shown_digits.h"

namespace heddle::map {
namespace {

/// A shape and the question whose points it numbers.
struct Shaped {
  RecoverQuestion question;
  IntTuple shape;
};

/// The box as a shape; a box of one index is that one extent.
IntTuple box_shape(const RecoverQuestion& question) {
  const std::vector<Int>& extents = question.view().extents;
  if (extents.size() == 1) return extents.front();
  if (extents.empty()) return Int(1);
  return IntTuple::flat(extents);
}

Int product_of_leaves(IntTupleView shape) {
  Int product = 1;
  for (const Int& extent : shape.leaves()) product *= extent;
  return product;
}

/// Whether the shape's modes are the coordinates of the box.
bool is_by_mode(const IntTuple& shape, std::span<const std::int64_t> extents) {
  if (extents.size() == 1) return true;
  if (shape.is_leaf() || shape.rank() != extents.size()) return false;
  std::size_t i = 0;
  for (const IntTupleView mode : shape.view().modes()) {
    if (!known_equal(product_of_leaves(mode), extents[i++])) return false;
  }
  return true;
}

Result<Shaped> shaped(const RecoverQuestion& question, const std::optional<IntTuple>& shape) {
  if (!shape) return Shaped{question, box_shape(question)};
  for (const Int& extent : shape->leaves()) {
    if (extent.is_constant() && extent.value() >= 1) continue;
    return refuse("view.shape",
                  fmt::format("an extent is a number from 1, not {}", to_string(extent)));
  }
  if (!known_equal(product_of_leaves(shape->view()), question.size())) {
    return refuse("view.shape",
                  fmt::format("a shape of {1} does not have {0}", counted(question.size(), "point"),
                              to_string(product_of_leaves(shape->view()))));
  }
  if (is_by_mode(*shape, question.extents())) return Shaped{question, *shape};
  HEDDLE_TRY(RecoverQuestion flat, question.flattened());
  return Shaped{std::move(flat), *shape};
}

/// The numbers of a stride on each axis of the view.
Result<std::vector<std::int64_t>> stride_numbers(const cute::Stride& stride, const View& view) {
  std::vector<std::int64_t> numbers(view.axes.size(), 0);
  if (stride.is_zero()) return numbers;
  const std::vector<cute::Basis> bases = bases_of(view.axes);
  const auto place = std::ranges::find(bases, stride.basis()) - bases.begin();
  if (std::cmp_equal(place, bases.size()) || !stride.scale().is_constant()) {
    return refuse("recover.strides", fmt::format("the stride {} leads along none of the axes",
                                                 cute::StrideTuple(stride)));
  }
  numbers[static_cast<std::size_t>(place)] = stride.scale().value();
  return numbers;
}

/// Recovers a layout with these strides, point by point of the box as the question numbers it.
Result<cute::AnyLayout> with_strides(const RecoverQuestion& question,
                                     const cute::StrideTuple& strides) {
  std::vector<std::vector<std::int64_t>> numbers;
  for (const cute::Stride& stride : strides.leaves()) {
    HEDDLE_TRY(numbers.emplace_back(), stride_numbers(stride, question.view()));
  }
  HEDDLE_TRY(const form::StridedMap map,
             question.checked(form::recover_with_strides(
                 question.size(), numbers, question.sampler(), question.strided_options())));
  IntTuple::Leaves extents;
  for (const auto& mode : map.modes) extents.push_back(mode.front().extent);
  HEDDLE_TRY(const cute::Layout layout,
             cute::Layout::make(IntTuple(strides.profile(), extents), strides));
  return with_offset(layout, std::vector<Int>(map.offset.begin(), map.offset.end()),
                     recover_no_layout);
}

Result<cute::AnyLayout> recover_by_strides(const RecoverQuestion& question,
                                           const RecoverOptions& options) {
  Result<cute::AnyLayout> by_mode = with_strides(question, *options.strides);
  const bool is_one_index = question.extents().size() <= 1;
  if (is_one_index || (by_mode && is_by_mode(cute::shape(*by_mode), question.extents()))) {
    return by_mode;
  }
  HEDDLE_TRY(const RecoverQuestion flat, question.flattened());
  return with_strides(flat, *options.strides);
}

}  // namespace

Result<cute::AnyLayout> recover_strided(const AnyLayout& layout, const RecoverOptions& options) {
  HEDDLE_TRY(const RecoverQuestion question, RecoverQuestion::make(layout, options.limits));
  if (options.strides) return recover_by_strides(question, options);
  const auto recover = options.shape ? form::recover_with_shape : form::recover_compatible;
  HEDDLE_TRY(const Shaped shaped_question,
             shaped(question, options.shape ? options.shape : options.compatible_with));
  const auto& [asked, shape] = shaped_question;
  HEDDLE_TRY(const form::StridedMap map,
             asked.checked(recover(*constants(shape.leaves()), asked.axes(), asked.sampler(),
                                   asked.strided_options())));
  return cute_layout(strided_view({map, {}, 0}), shape.view(), asked.view().axes,
                     recover_no_layout);
}

Result<cute::AnyLayout> recover_mixed(const AnyLayout& layout, const RecoverOptions& options) {
  HEDDLE_TRY(const RecoverQuestion question, RecoverQuestion::make(layout, options.limits));
  HEDDLE_TRY(const Shaped shaped_question,
             shaped(question, options.shape ? options.shape : options.compatible_with));
  const auto& [asked, shape] = shaped_question;
  HEDDLE_TRY(const form::MixedMap map,
             asked.checked(form::recover_mixed(*constants(shape.leaves()), asked.axes(),
                                               asked.sampler(), asked.mixed_options())));
  if (map.swizzle.bits > 0 && asked.axes() != 1) {
    return refuse(Diagnostic("recover.no_mixed",
                             fmt::format("a swizzle acts on axis {} alone, and CuTe's on a layout "
                                         "of one axis",
                                         asked.view().axes[map.axis].name()))
                      .with_hint("recover_axe(…): an Axe layout swizzles one axis of several"));
  }
  return cute_layout(strided_view(map), shape.view(), asked.view().axes, recover_no_layout);
}

Result<linear::LinearLayout> recover_bit_linear(const AnyLayout& layout,
                                                const RecoverOptions& options) {
  HEDDLE_TRY(const RecoverQuestion question, RecoverQuestion::make(layout, options.limits));
  for (const std::int64_t extent : question.extents()) {
    if (is_power_of_two(extent)) continue;
    return refuse(
        "recover.no_bits",
        fmt::format("a linear layout over bits has a power-of-two number of points, not {}",
                    extent));
  }
  HEDDLE_TRY(const form::BitMap map,
             question.checked(form::recover_bit_linear(
                 question.size(), question.axes(), question.sampler(), question.bits_options())));
  if (std::ranges::any_of(map.offset, [](std::int64_t number) { return number != 0; })) {
    return refuse(Diagnostic("recover.no_bits",
                             fmt::format("the image of 0 is {}, and a linear layout takes 0 to 0",
                                         commas(map.offset)))
                      .with_witness({"0", commas(map.offset), "0", "a linear layout"}));
  }
  HEDDLE_TRY(const BitView bits, bit_view(map, question.view().bounds));
  return linear_layout(bits, question.view());
}

}  // namespace heddle::map
