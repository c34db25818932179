#include "heddle/notation/value.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <span>
#include <sstream>

#include "core/overloaded.h"
#include "heddle/emit/slice.h"
#include "heddle/expr/proof.h"

namespace heddle::notation {
namespace {

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

/// As it reads back by itself: around a name alone parentheses only group, (M,) is a tuple.
std::string tuple_text(const IntTupleView& tuple) {
  if (tuple.is_leaf()) return heddle::to_string(tuple.leaf());
  std::string text;
  for (const IntTupleView mode : tuple.modes()) {
    text += (text.empty() ? "(" : ",") + tuple_text(mode);
  }
  const bool groups = tuple.rank() == 1 && (*tuple.modes().begin()).is_leaf() &&
                      !tuple.leaves().front().is_constant();
  return text + (groups ? ",)" : ")");
}

bool all_defined(std::span<const Int> integers) {
  return std::ranges::all_of(integers, &Int::is_defined);
}

}  // namespace

Value::Value(const cute::AnyLayout& layout)
    : data_(std::visit([](const auto& plain) { return std::make_shared<const Data>(plain); },
                       layout)) {}

std::string to_string(const Value& value) {
  return std::visit(
      Overloaded{
          [](bool truth) { return std::string(truth ? "true" : "false"); },
          [](const IntTuple& tuple) { return tuple_text(tuple.view()); },
          [](const std::string& text) { return text; },
          [](const TupleList& list) { return list_text(list); },
          [](const LayoutList& list) { return list_text(list); },
          [](const cute::Tiler& tiler) { return cute::to_string(tiler); },
          [](const Datum& datum) { return to_string(datum); },
          [](const Report& report) { return report.text; },
          [](const AxisStep& step) { return to_string(step); },
          [](const AxePart& part) { return to_string(part); },
          [](const IterList& iters) { return to_string(iters); },
          [](const Places& places) { return to_string(places); },
          [](const lego::Slice& slice) { return emit::to_string(slice); },
          [](const LegoPermutation& permutation) { return to_string(permutation); },
          [](const LegoOrders& orders) { return to_string(orders); },
          [](const LegoFunction& function) { return to_string(function); },
          [](const cute::OffsetLayout& slice) {
            return streamed(slice.layout) + " offset " + streamed(slice.offset);
          },
          [](cute::Major major) {
            return std::string(major == cute::Major::kRow ? "LayoutRight" : "LayoutLeft");
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
          [](const cute::Engine&) { return "a pointer or counter"; },
          [](const cute::Tensor&) { return "a tensor"; },
          [](cute::Major) { return "an order of modes"; },
          [](const cute::Divisibility&) { return "an answer"; },
          [](const cute::TvLayout&) { return "a thread-value layout"; },
          [](const cute::MmaAtom&) { return "an MMA atom"; },
          [](const cute::TiledMma&) { return "a tiled MMA"; },
          [](const cute::CopyAtom&) { return "a copy atom"; },
          [](const cute::TiledCopy&) { return "a tiled copy"; },
          [](const linear::LinearLayout&) { return "a linear layout"; },
          [](const linear::Encoding&) { return "an encoding"; },
          [](const axe::Layout&) { return "an Axe layout"; },
          [](const axe::Swizzle&) { return "a swizzle in TVM's order"; },
          [](const axe::Iter&) { return "an iter"; },
          [](const AxisStep&) { return "a step along an axis"; },
          [](const AxePart& part) {
            return part.replica.empty() ? "an offset along axes" : "the replica of an Axe layout";
          },
          [](const IterList&) { return "a list of iters"; },
          [](const Places&) { return "a set of places"; },
          [](const axe::Mesh&) { return "a mesh"; },
          [](const axe::Sharded&) { return "a tensor over a mesh"; },
          [](const lego::Layout&) { return "a LEGO layout"; },
          [](const lego::Slice&) { return "a slice of a LEGO layout"; },
          [](const LegoPermutation&) { return "a permutation of a tile"; },
          [](const LegoOrders&) { return "a chain of orders without a GroupBy"; },
          [](const LegoFunction&) { return "a function"; },
          [](const map::IntegerRelation&) { return "an integer set relation"; },
          [](const form::Table&) { return "a table"; },
          [](const Datum& datum) {
            if (datum.is_null()) return "nothing";
            if (datum.fields() != nullptr) return "an object";
            return datum.list() != nullptr && datum.list()->empty() ? "an empty list" : "a list";
          },
          [](const Report&) { return "a report"; },
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
          [](const AxisStep& step) { return step.value.is_defined(); },
          [](const axe::Iter& iter) {
            return iter.extent.is_defined() && iter.stride.is_defined();
          },
          [](const AxePart& part) {
            return std::ranges::all_of(part.offset,
                                       [](const auto& entry) { return entry.second.is_defined(); });
          },
          [](const lego::Slice& slice) { return slice.index.is_defined(); },
          [](const TupleList& list) {
            return std::ranges::all_of(list,
                                       [](const IntTuple& t) { return all_defined(t.leaves()); });
          },
          [](const auto&) { return true; },
      },
      value.data());
}

namespace {

void collect(std::span<const Int> integers, std::set<std::string>& names) {
  for (const Int& integer : integers) {
    for (std::string& name : heddle::variables(integer)) names.insert(std::move(name));
  }
}

void collect(std::span<const cute::Stride> strides, std::set<std::string>& names) {
  for (const cute::Stride& stride : strides) collect(std::span(&stride.scale(), 1), names);
}

void collect(std::span<const axe::Iter> iters, std::set<std::string>& names) {
  for (const axe::Iter& iter : iters) {
    collect(std::span(&iter.extent, 1), names);
    collect(std::span(&iter.stride, 1), names);
  }
}

void collect(const axe::Coordinate& coordinate, std::set<std::string>& names) {
  for (const auto& [axis, value] : coordinate) collect(std::span(&value, 1), names);
}

/// The parameters of a formula stand for nothing outside of it.
void collect(const lego::Formula& formula, std::set<std::string>& names) {
  std::set<std::string> inner;
  collect(std::span(formula.results), inner);
  for (const std::string& parameter : formula.parameters) inner.erase(parameter);
  names.merge(inner);
}

void collect(const lego::GenP::Function& function, std::set<std::string>& names) {
  if (const auto* formula = std::get_if<lego::Formula>(&function)) collect(*formula, names);
  if (const auto* built_in = std::get_if<lego::BuiltIn>(&function)) {
    collect(std::span(built_in->parameters), names);
  }
}

void collect(const lego::Permutation& permutation, std::set<std::string>& names) {
  collect(lego::dims(permutation), names);
  const auto* general = std::get_if<lego::GenP>(&permutation);
  if (general == nullptr) return;
  collect(general->function(), names);
  if (general->inverse()) collect(*general->inverse(), names);
}

void collect(const lego::Layout& layout, std::set<std::string>& names) {
  for (const lego::Sizes& tile : layout.tiles()) collect(std::span(tile), names);
  for (const lego::Order& order : layout.chain()) {
    for (const lego::Permutation& permutation : order.permutations) collect(permutation, names);
  }
  if (!layout.expansion()) return;
  collect(std::span(layout.expansion()->original), names);
  collect(std::span(layout.expansion()->extended), names);
}

void collect(const cute::Layout& layout, std::set<std::string>& names) {
  collect(layout.extents(), names);
  collect(layout.strides(), names);
}

void collect(const cute::Tiler& tiler, std::set<std::string>& names) {
  for (const cute::Tile& tile : tiler.leaves()) {
    if (tile.layout() != nullptr) collect(*tile.layout(), names);
    if (tile.size() != nullptr) collect(std::span(tile.size(), 1), names);
  }
}

}  // namespace

std::vector<std::string> variables(const Value& value) {
  std::set<std::string> names;
  std::visit(
      Overloaded{
          [&](const IntTuple& tuple) { collect(tuple.leaves(), names); },
          [&](const cute::StrideTuple& strides) { collect(strides.leaves(), names); },
          [&](const cute::Coordinate& coordinate) {
            for (const cute::Index& index : coordinate.leaves()) {
              if (!index.is_underscore()) collect(std::span(&index.value(), 1), names);
            }
          },
          [&](const cute::Tiler& tiler) { collect(tiler, names); },
          [&](const cute::TvLayout& tv) {
            collect(tv.layout, names);
            collect(tv.tiler, names);
          },
          [&](const cute::Layout& layout) { collect(layout, names); },
          [&](const cute::ComposedLayout& composed) {
            collect(composed.layout(), names);
            collect(std::span(&composed.offset(), 1), names);
          },
          [&](const cute::OffsetLayout& slice) {
            collect(slice.layout, names);
            collect(slice.offset.leaves(), names);
          },
          [&](const cute::Engine& engine) {
            if (const auto* counter = std::get_if<cute::Counter>(&engine))
              collect(counter->origin.leaves(), names);
          },
          [&](const cute::Tensor& tensor) {
            for (std::string& name : variables(Value(tensor.layout))) names.insert(std::move(name));
            for (std::string& name : variables(Value(tensor.engine))) names.insert(std::move(name));
          },
          [&](const axe::Layout& layout) {
            collect(layout.shard(), names);
            collect(layout.replica(), names);
            collect(layout.offset(), names);
          },
          [&](const axe::Sharded& sharded) {
            for (std::string& name : variables(Value(sharded.layout)))
              names.insert(std::move(name));
            collect(std::span(sharded.shape), names);
          },
          [&](const axe::Iter& iter) { collect(std::span(&iter, 1), names); },
          [&](const IterList& iters) { collect(std::span(iters), names); },
          [&](const AxisStep& step) { collect(std::span(&step.value, 1), names); },
          [&](const AxePart& part) {
            collect(std::span(part.replica), names);
            collect(part.offset, names);
          },
          [&](const Places& places) {
            for (const axe::Coordinate& place : places) collect(place, names);
          },
          [&](const lego::Layout& layout) { collect(layout, names); },
          [&](const lego::Slice& slice) { collect(std::span(&slice.index, 1), names); },
          [&](const LegoPermutation& permutation) { collect(permutation.permutation, names); },
          [&](const LegoOrders& orders) {
            for (const auto& link : orders.links) {
              for (const LegoPermutation& permutation : link) {
                collect(permutation.permutation, names);
              }
            }
          },
          [&](const LegoFunction& function) { collect(function.function, names); },
          [&](const map::IntegerRelation& relation) {
            names.insert(relation.parameters().begin(), relation.parameters().end());
          },
          [&](const TupleList& list) {
            for (const IntTuple& tuple : list) collect(tuple.leaves(), names);
          },
          [](const auto&) {},
      },
      value.data());
  return {names.begin(), names.end()};
}

namespace {

std::size_t leaves_of(const lego::Layout& layout) {
  std::size_t count = 0;
  for (const lego::Sizes& tile : layout.tiles()) count += tile.size();
  for (const lego::Order& order : layout.chain()) {
    for (const lego::Permutation& permutation : order.permutations) {
      count += lego::dims(permutation).size();
    }
  }
  return count;
}

}  // namespace

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
          [](const cute::TvLayout& tv) { return tv.layout.extents().size(); },
          [](const cute::Tensor& tensor) {
            return std::visit([](const auto& layout) { return leaf_count(Value(layout)); },
                              tensor.layout);
          },
          [](const axe::Layout& layout) { return layout.shard().size() + layout.replica().size(); },
          [](const axe::Sharded& sharded) {
            return leaf_count(Value(sharded.layout)) + sharded.mesh.devices().size();
          },
          [](const axe::Mesh& mesh) { return mesh.devices().size(); },
          [](const AxePart& part) { return part.replica.size() + 1; },
          [](const IterList& iters) { return iters.size(); },
          [](const Places& places) { return places.size(); },
          [](const lego::Layout& layout) { return leaves_of(layout); },
          [](const map::IntegerRelation& relation) {
            return relation.inputs().size() + relation.axes().size();
          },
          [](const Datum& datum) { return leaf_count(datum); },
          [](const std::string& text) { return leaf_count(Datum(text)); },
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

std::size_t depth(const Value& value) {
  return std::visit(Overloaded{
                        [](const cute::TvLayout& tv) { return tv.layout.depth(); },
                        [](const Datum& datum) { return depth(datum); },
                        [](const auto& other) {
                          if constexpr (requires { other.profile().depth(); })
                            return other.profile().depth();
                          return std::size_t{0};
                        },
                    },
                    value.data());
}

}  // namespace heddle::notation
