#include "draw/layouts.h"

#include <fmt/format.h>

#include <sstream>

#include "cute/format.h"

namespace heddle::draw {
namespace {

/// The first number of the layout that is not a constant.
const Int* find_symbolic(const cute::Layout& layout) {
  for (const Int& extent : layout.extents()) {
    if (!extent.is_constant()) return &extent;
  }
  for (const cute::Stride& stride : layout.strides()) {
    if (!stride.scale().is_constant()) return &stride.scale();
  }
  return nullptr;
}

}  // namespace

std::string layout_text(const cute::AnyLayout& layout) {
  return std::visit([](const auto& any) { return cute::to_string(any); }, layout);
}

std::string tuple_text(const IntTuple& tuple) {
  if (tuple.is_leaf()) return to_string(tuple.leaf());
  std::ostringstream stream;
  stream << tuple;
  return stream.str();
}

const cute::Layout& strided_part(const cute::AnyLayout& layout) {
  const auto* composed = std::get_if<cute::ComposedLayout>(&layout);
  return composed != nullptr ? composed->layout() : std::get<cute::Layout>(layout);
}

Result<IntTuple> image_of(const cute::AnyLayout& layout, std::size_t flat) {
  if (const auto* composed = std::get_if<cute::ComposedLayout>(&layout))
    return IntTuple((*composed)(Int(flat)));
  const auto& plain = std::get<cute::Layout>(layout);
  if (plain.is_integral()) return IntTuple(plain(Int(flat)));
  return cute::evaluate(plain, cute::Coordinate(cute::Index(Int(flat))));
}

Result<void> check_constant(const cute::AnyLayout& layout) {
  const Int* symbolic = find_symbolic(strided_part(layout));
  const auto* composed = std::get_if<cute::ComposedLayout>(&layout);
  if (symbolic == nullptr && composed != nullptr && !composed->offset().is_constant())
    symbolic = &composed->offset();
  return symbolic == nullptr ? Result<void>() : check_constant(*symbolic, layout_text(layout));
}

Result<void> check_constant(const Int& number, std::string_view whole) {
  if (number.is_constant()) return {};
  return refuse(
      Diagnostic("draw.symbolic",
                 fmt::format("a picture shows numbers, and {} of {} has no value", number, whole))
          .with_hint("give every size a value"));
}

}  // namespace heddle::draw
