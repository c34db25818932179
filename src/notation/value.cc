#include "heddle/notation/value.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

namespace heddle::notation {
namespace {

template <class... Functions>
struct Overloaded : Functions... {
  using Functions::operator()...;
};

template <class T>
std::string streamed(const T& value) {
  std::ostringstream stream;
  stream << value;
  return stream.str();
}

template <class Element>
std::string list_text(const std::vector<Element>& list) {
  std::ostringstream stream;
  stream << '[';
  for (std::size_t i = 0; i < list.size(); ++i) stream << (i > 0 ? "," : "") << list[i];
  stream << ']';
  return stream.str();
}

bool all_defined(std::span<const Int> integers) {
  return std::ranges::all_of(integers, &Int::is_defined);
}

}  // namespace

Value::Value(const cute::AnyLayout& layout)
    : data_(std::visit([](const auto& plain) { return std::make_shared<const Data>(plain); },
                       layout)) {}

std::string to_string(const Value& value) {
  return std::visit(Overloaded{
                        [](bool truth) { return std::string(truth ? "true" : "false"); },
                        [](const std::string& text) { return text; },
                        [](const TupleList& list) { return list_text(list); },
                        [](const LayoutList& list) { return list_text(list); },
                        [](const cute::Tiler& tiler) { return cute::to_string(tiler); },
                        [](const cute::OffsetLayout& slice) {
                          return streamed(slice.layout) + " offset " + streamed(slice.offset);
                        },
                        [](const cute::Divisibility& answer) {
                          return (answer.holds ? "yes: " : "no: ") + answer.explanation;
                        },
                        [](const auto& other) { return streamed(other); },
                    },
                    value.data());
}

std::string_view kind_name(const Value& value) {
  return std::visit(
      Overloaded{
          [](bool) { return "a truth value"; },
          [](const IntTuple& tuple) { return tuple.is_leaf() ? "an integer" : "a tuple"; },
          [](const cute::StrideTuple&) { return "a stride along modes"; },
          [](const cute::Coordinate&) { return "a coordinate with '_'"; },
          [](const cute::Tiler&) { return "a tiler"; },
          [](const cute::Layout&) { return "a layout"; },
          [](const cute::ComposedLayout&) { return "a composed layout"; },
          [](const cute::OffsetLayout&) { return "a layout with an offset"; },
          [](const cute::Swizzle&) { return "a swizzle"; },
          [](const cute::FactMorphism&) { return "a morphism of factorizations"; },
          [](const cute::Divisibility&) { return "an answer"; },
          [](const Verdict&) { return "a verdict"; },
          [](const std::string&) { return "a text"; },
          [](const TupleList&) { return "a list"; },
          [](const LayoutList&) { return "a list of layouts"; },
      },
      value.data());
}

bool is_defined(const Value& value) {
  return std::visit(
      Overloaded{
          [](const IntTuple& tuple) { return all_defined(tuple.leaves()); },
          [](const cute::StrideTuple& strides) {
            return std::ranges::all_of(strides.leaves(), [](const cute::Stride& stride) {
              return stride.scale().is_defined();
            });
          },
          [](const cute::OffsetLayout& slice) { return all_defined(slice.offset.leaves()); },
          [](const TupleList& list) {
            return std::ranges::all_of(list,
                                       [](const IntTuple& t) { return all_defined(t.leaves()); });
          },
          [](const auto&) { return true; },
      },
      value.data());
}

std::size_t leaf_count(const Value& value) {
  return std::visit(
      Overloaded{
          [](const cute::Layout& layout) { return layout.extents().size(); },
          [](const cute::ComposedLayout& composed) { return composed.layout().extents().size(); },
          [](const cute::OffsetLayout& slice) { return slice.layout.extents().size(); },
          [](const cute::Tiler& tiler) {
            std::size_t count = 0;
            for (const cute::Tile& tile : tiler.leaves()) {
              count += tile.layout() != nullptr ? tile.layout()->extents().size() : 1;
            }
            return count;
          },
          [](const TupleList& list) { return list.size(); },
          [](const LayoutList& list) {
            std::size_t count = 0;
            for (const cute::Layout& layout : list) count += layout.extents().size();
            return count;
          },
          [](const auto& other) {
            if constexpr (requires { other.leaves(); }) return other.leaves().size();
            return std::size_t{1};
          },
      },
      value.data());
}

}  // namespace heddle::notation
