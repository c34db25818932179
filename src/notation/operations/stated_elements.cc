// What the types of Triton among the arguments of an analysis state of a tensor's elements.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "heddle/notation/analyses.h"
#include "heddle/notation/triton.h"

namespace heddle::notation {
namespace {

constexpr std::string_view kElementBits = "element_bits";
constexpr std::string_view kTensorShape = "shape";

/// The argument for a parameter of that name, by name or by position; null where it is not given.
const Value* given_value(const Operation& operation, std::string_view name,
                         std::span<const Argument> arguments) {
  const auto named = std::ranges::find(arguments, name, &Argument::name);
  if (named != arguments.end()) return &named->value;
  const auto parameter = std::ranges::find(operation.parameters, name, &Parameter::name);
  const auto place = static_cast<std::size_t>(parameter - operation.parameters.begin());
  return place < arguments.size() && arguments[place].name.empty() ? &arguments[place].value
                                                                   : nullptr;
}

Result<void> state_bits(const Operation& operation, std::optional<int> stated,
                        std::vector<Argument>& arguments) {
  if (!stated) return {};
  const Value* given = given_value(operation, kElementBits, arguments);
  if (given == nullptr) {
    arguments.push_back({Value(Int(*stated)), std::string(kElementBits), {}});
    return {};
  }
  const auto* number = given->get_if<IntTuple>();
  if (number == nullptr || (number->is_leaf() && known_equal(number->leaf(), *stated))) return {};
  return refuse("analyze.element_bits",
                fmt::format("element_bits is {}; the type has elements of {} bits",
                            to_string(*given), *stated));
}

Result<void> state_shape(const Operation& operation, const linear::Sizes& stated,
                         std::vector<Argument>& arguments) {
  if (stated.empty() || !has_parameter(operation, kTensorShape)) return {};
  const Value* given = given_value(operation, kTensorShape, arguments);
  if (given == nullptr) {
    const std::vector<Int> extents(stated.begin(), stated.end());
    arguments.push_back({Value(IntTuple::flat(extents)), std::string(kTensorShape), {}});
    return {};
  }
  const auto* shape = given->get_if<IntTuple>();
  const auto is_same = [](const Int& a, std::int64_t b) { return known_equal(a, b); };
  if (shape == nullptr || std::ranges::equal(shape->leaves(), stated, is_same)) return {};
  return refuse("analyze.shape", fmt::format("shape is {}; the tensor has the shape ({})",
                                             to_string(*given), fmt::join(stated, ",")));
}

}  // namespace

Result<StatedElements> stated_elements(std::span<const std::string> texts) {
  constexpr int kByte = 8;
  StatedElements stated;
  for (const std::string& text : texts) {
    const auto type = stated_type(text);
    if (!type) continue;
    if (stated.shape.empty() && !type->is_memdesc) stated.shape = type->shape;
    const auto width = element_bit_width(type->element_type);
    if (!width) continue;
    const int bits = std::max(*width, kByte);
    if (stated.bits && *stated.bits != bits) {
      return refuse(
          "analyze.element_bits",
          fmt::format("the types have elements of {} and of {} bits", *stated.bits, bits));
    }
    stated.bits = bits;
  }
  return stated;
}

Result<void> add_stated_elements(const Operation& operation, std::span<const std::string> texts,
                                 std::vector<Argument>& arguments) {
  if (texts.empty() || !has_parameter(operation, kElementBits)) return {};
  HEDDLE_TRY(const StatedElements stated, stated_elements(texts));
  HEDDLE_CHECK(state_bits(operation, stated.bits, arguments));
  return state_shape(operation, stated.shape, arguments);
}

}  // namespace heddle::notation
