#include "draw/layouts.h"

#include <fmt/format.h>

#include <set>
#include <span>
#include <sstream>
#include <vector>

#include "cute/layout/format.h"
#include "heddle/expr/proof.h"

namespace heddle::draw {
namespace {

/// The numbers of the layout that are not constants.
std::vector<Int> symbolic_numbers(const cute::AnyLayout& layout) {
  std::vector<Int> numbers;
  const auto add = [&](const Int& number) {
    if (!number.is_constant()) numbers.push_back(number);
  };
  for (const Int& extent : strided_part(layout).extents()) add(extent);
  for (const cute::Stride& stride : strided_part(layout).strides()) add(stride.scale());
  if (const auto* composed = std::get_if<cute::ComposedLayout>(&layout)) add(composed->offset());
  return numbers;
}

/// `give every size a value: --assume 'M==256, N==256'`
std::string value_hint(std::span<const Int> numbers) {
  const std::set<std::string> names = variables(numbers);
  const std::string hint = "give every size a value";
  if (names.empty()) return hint;
  return fmt::format("{}: --assume '{}==256'", hint, fmt::join(names, "==256, "));
}

Result<void> refuse_symbolic(std::span<const Int> numbers, std::string_view whole) {
  return refuse(
      Diagnostic("draw.symbolic", fmt::format("a picture shows numbers, and {} of {} has no value",
                                              numbers.front(), whole))
          .with_hint(value_hint(numbers)));
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
  const std::vector<Int> symbolic = symbolic_numbers(layout);
  return symbolic.empty() ? Result<void>() : refuse_symbolic(symbolic, layout_text(layout));
}

Result<void> check_constant(const Int& number, std::string_view whole) {
  if (number.is_constant()) return {};
  return refuse_symbolic({&number, 1}, whole);
}

}  // namespace heddle::draw
