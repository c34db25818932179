// Tensors as CuTe prints them, and the functions with which CuTe's sources make tuples.

#include <fmt/format.h>

#include "heddle/cute/algebra.h"
#include "heddle/cute/tensor.h"
#include "notation/operations/binding.h"
#include "notation/operations/tuples.h"

namespace heddle::notation {
namespace {

using cute::Engine;
using cute::Tensor;

constexpr const char* kTensors = "tensors";

Result<Value> layout_of(const Value& value) {
  if (const auto* tensor = value.get_if<Tensor>()) return Value(tensor->layout);
  HEDDLE_TRY(const std::optional<Value> placed, convert(value, Kind::kPlaced));
  if (!placed) {
    return refuse("call.type", fmt::format("layout takes a tensor or a layout with an offset, "
                                           "not {}",
                                           kind_name(value)));
  }
  if (const auto* offset = placed->get_if<cute::OffsetLayout>()) return Value(offset->layout);
  return *placed;
}

}  // namespace

void add_tensor_operations(std::vector<Operation>& table) {
  table.push_back(operation("layout", kTensors, {"tensor"},
                            "The layout of a tensor or a partition, without its engine or offset.",
                            "layout(gmem_ptr[16b](0x7f00) o (8,64):(64,1))", "(8,64):(64,1)",
                            [](const Value& tensor) { return layout_of(tensor); }));
  table.push_back(operation(
      "as_position_independent_swizzle_layout", kTensors, {"tensor"},
      "The element indices of a tensor: the swizzle of its pointer, in bytes, becomes one in "
      "elements.",
      "as_position_independent_swizzle_layout(Sw<3,4,3> o smem_ptr[16b](unset) o (8,64):(64,1))",
      "Sw<3,3,3> o 0 o (8,64):(64,1)",
      [](const Tensor& tensor) { return cute::as_position_independent_swizzle_layout(tensor); }));
  table.push_back(
      operation("counting_iter", kTensors, {"start"}, "What counts integers from a beginning.",
                "counting_iter(5) o 8:2", "counting_iter(5) o 8:2",
                [](const Int& start) { return Value(Engine(cute::Counter{IntTuple(start)})); }));
  table.push_back(
      operation("ArithTuple", kTensors, {"start"}, "What counts coordinates from a beginning.",
                "ArithTuple(0,32) o (8,64):(1@0,1@1)", "ArithTuple(0,32) o (8,64):(1@0,1@1)",
                [](const std::vector<IntTuple>& start) {
                  return Value(Engine(cute::Counter{IntTuple::of(start)}));
                }));
  table.push_back(operation("make_tuple", kTensors, {"modes"},
                            "The tuple with these modes; also make_shape, make_stride, make_coord, "
                            "make_tile, make_step.",
                            "make_tuple(4, (2,2))", "(4,(2,2))",
                            [](const std::vector<Value>& modes) { return tuple_of(modes); }));
}

}  // namespace heddle::notation
