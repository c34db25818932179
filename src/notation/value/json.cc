#include "notation/value/json.h"

#include <fmt/format.h>

#include "heddle/notation/linear.h"
#include "heddle/notation/triton.h"
#include "notation/value/as_datum.h"

namespace heddle::notation {
namespace {

/// A number, the text of a symbolic one, or null.
Json integer(const Int& value) {
  if (value.is_constant()) return value.value();
  return value.is_defined() ? Json(to_string(value)) : Json();
}

Json text_of(const Value& value) { return to_string(value); }

Json json(bool truth) { return truth; }
Json json(const std::string& text) { return text; }

Json json(const IntTuple& tuple) {
  return tuple.is_leaf() ? integer(tuple.leaf()) : text_of(Value(tuple));
}

Json json(const TupleList& list) {
  Json array = Json::array();
  for (const IntTuple& tuple : list) array.push_back(json(tuple));
  return array;
}

Json json(const LayoutList& list) {
  Json array = Json::array();
  for (const cute::Layout& layout : list) array.push_back(cute::to_string(layout));
  return array;
}

Json json(const cute::OffsetLayout& slice) {
  return {{"layout", cute::to_string(slice.layout)}, {"offset", json(slice.offset)}};
}

Json json(const cute::Divisibility& divisibility) {
  Json rest = Json::array();
  for (const Int& factor : divisibility.rest) rest.push_back(integer(factor));
  return {{"answer", divisibility.holds ? "yes" : "no"},
          {"index", divisibility.index ? Json(*divisibility.index) : Json()},
          {"quotient", divisibility.quotient ? integer(*divisibility.quotient) : Json()},
          {"rest", rest},
          {"explanation", divisibility.explanation}};
}

Json json(const cute::TvLayout& tv) { return json_of(to_datum(tv)); }
Json json(const form::Table& table) { return json_of(to_datum(table)); }

Json json(const cute::MmaAtom& atom) {
  return {{"thr_id", cute::to_string(atom.thr_id())},
          {"shape_mnk", text_of(Value(atom.shape_mnk()))},
          {"layoutA_TV", cute::to_string(atom.layout(cute::Operand::kA))},
          {"layoutB_TV", cute::to_string(atom.layout(cute::Operand::kB))},
          {"layoutC_TV", cute::to_string(atom.layout(cute::Operand::kC))}};
}

Json json(const cute::TiledMma& mma) {
  return {{"thr_layout_vmnk", cute::to_string(mma.thr_layout_vmnk())},
          {"permutation_mnk", cute::to_string(mma.permutation_mnk())},
          {"atom", json(mma.atom())}};
}

Json json(const cute::CopyAtom& atom) {
  return {{"thr_id", cute::to_string(atom.thr_id())},
          {"layout_src", cute::to_string(atom.layout_src())},
          {"layout_dst", cute::to_string(atom.layout_dst())},
          {"layout_ref", cute::to_string(atom.layout_ref())},
          {"value_bits", integer(atom.value_bits())}};
}

Json json(const cute::TiledCopy& copy) {
  return {{"tiler", cute::to_string(copy.tiler())},
          {"layout_tv", cute::to_string(copy.layout_tv())},
          {"atom", json(copy.atom())}};
}

Json json(const linear::LinearLayout& layout) { return json_of(to_datum(layout)); }
Json json(const linear::Encoding& encoding) { return json_of(to_datum(encoding)); }
Json json(const Datum& datum) { return json_of(datum); }
Json json(const axe::Iter& iter) { return json_of(to_datum(iter)); }
Json json(const IterList& iters) {
  Json array = Json::array();
  for (const axe::Iter& iter : iters) array.push_back(json(iter));
  return array;
}
Json json(const axe::Mesh& mesh) {
  Json object = {{"shape", mesh.extents()}, {"devices", mesh.devices()}};
  if (!mesh.is_unnamed()) object["names"] = mesh.names();
  return object;
}
Json json(const Places& places) {
  Json array = Json::array();
  for (const axe::Coordinate& place : places) array.push_back(json_of(to_datum(place)));
  return array;
}
Json json(const axe::Sharded& sharded) {
  const std::string layout = axe::to_string(sharded.layout);
  if (sharded.partial.empty()) return layout;
  Json partial = Json::object();
  for (const axe::PartialAxis& axis : sharded.partial) partial[axis.axis] = axis.reduce_op;
  return {{"layout", layout}, {"partial", partial}};
}
Json json(const lego::Slice& slice) { return json_of(to_datum(slice)); }
Json json(const Report& report) { return json_of(report.data); }

Json json(const Verdict& verdict) { return json_of(to_datum(verdict)); }

// Everything else is written as text, in the notation it is read in.
template <class T>
Json json(const T& value) {
  return text_of(Value(value));
}

}  // namespace

Json json_of(const Value& value) {
  return std::visit([](const auto& data) { return json(data); }, value.data());
}

Json json_of(const Diagnostic& diagnostic) { return json_of(to_datum(diagnostic)); }

std::string to_json(const Value& value) { return dump(json_of(value)); }
std::string to_json(const Diagnostic& diagnostic) { return dump(json_of(diagnostic)); }

}  // namespace heddle::notation
