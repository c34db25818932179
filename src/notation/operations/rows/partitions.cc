// Operations on partitions and thread-value layouts.

#include <fmt/format.h>

#include "heddle/cute/partition.h"
#include "heddle/cute/thread_value.h"
#include "notation/operations/binding.h"

namespace heddle::notation {
namespace {

using cute::Coordinate;
using cute::Layout;
using cute::Tiler;
using cute::TvLayout;

constexpr const char* kPartitions = "partitions";
constexpr const char* kThreadValues = "thread-value layouts";

/// The same partition of either kind of tensor.
template <class Partition>
Result<Value> part(const Placed& tensor, Partition partition) {
  return std::visit([&](const auto& any) { return to_result(partition(any)); }, tensor);
}

const Layout& layout_of(const ThreadValue& tv) {
  if (const auto* with_tile = std::get_if<TvLayout>(&tv)) return with_tile->layout;
  return std::get<Layout>(tv);
}

/// The sizes of the tile: given, or those of the layout's own tiler.
std::optional<IntTuple> tile_of(const ThreadValue& tv, const std::optional<IntTuple>& given) {
  if (given) return given;
  const auto* with_tile = std::get_if<TvLayout>(&tv);
  if (with_tile == nullptr) return std::nullopt;
  return cute::tile_shape(*with_tile);
}

Result<TupleList> owners_of(const ThreadValue& tv, const IntTuple& element,
                            const std::optional<IntTuple>& given) {
  const Layout& layout = layout_of(tv);
  if (const auto tile = tile_of(tv, given)) return cute::owners(layout, element, *tile);
  if (element.is_leaf()) return cute::owners(layout, element.leaf());
  return refuse(Diagnostic("call.arity", fmt::format("owners needs the tile in which {} lies",
                                                     to_string(Value(element))))
                    .with_hint("owners(TV, (3,5), (16,8))"));
}

Result<Verdict> coverage_of(const ThreadValue& tv, const std::optional<IntTuple>& given) {
  const auto tile = tile_of(tv, given);
  if (tile) return cute::covers(layout_of(tv), cute::size(*tile));
  return refuse(Diagnostic("call.arity", "covers needs the tile of the thread-value layout")
                    .with_hint("covers(TV, (16,8))"));
}

void add_partitions(std::vector<Operation>& table) {
  table.push_back(operation(
      "local_tile", kPartitions, {"tensor", "tiler", "coordinate", "projection"},
      "One tile of a tensor, and where it begins; with a projection, of some modes of the tiler.",
      "local_tile((8,6):(1,8), (4,2), (1,2))", "(4,2):(1,8) offset 36",
      [](const Placed& tensor, const Tiler& tiler, const Coordinate& coordinate,
         const std::optional<Coordinate>& projection) {
        return part(tensor, [&](const auto& any) {
          return cute::local_tile(any, tiler, coordinate, projection);
        });
      }));
  table.push_back(
      operation("local_partition", kPartitions, {"tensor", "threads", "index", "projection"},
                "What a thread of a thread layout gets: its element of every tile of threads.",
                "local_partition((8,6):(1,8), (4,2):(2,1), 5)", "(2,3):(4,16) offset 10",
                [](const Placed& tensor, const Layout& threads, const Int& index,
                   const std::optional<Coordinate>& projection) {
                  return part(tensor, [&](const auto& any) {
                    return cute::local_partition(any, threads, index, projection);
                  });
                }));
  table.push_back(operation(
      "inner_partition", kPartitions, {"tensor", "tiler", "coordinate"},
      "What lies inside the tiler, at one of the places where it is put.",
      "inner_partition((8,6):(1,8), (4,2), 5)", "(4,2):(1,8) offset 36",
      [](const Placed& tensor, const Tiler& tiler, const Coordinate& coordinate) {
        return part(tensor,
                    [&](const auto& any) { return cute::inner_partition(any, tiler, coordinate); });
      }));
  table.push_back(operation(
      "outer_partition", kPartitions, {"tensor", "tiler", "coordinate"},
      "One element of the tiler, at every place where it is put.",
      "outer_partition((8,6):(1,8), (4,2), (2,1))", "(2,3):(4,16) offset 10",
      [](const Placed& tensor, const Tiler& tiler, const Coordinate& coordinate) {
        return part(tensor,
                    [&](const auto& any) { return cute::outer_partition(any, tiler, coordinate); });
      }));
}

void add_thread_values(std::vector<Operation>& table) {
  table.push_back(operation(
      "make_layout_tv", kThreadValues, {"threads", "values"},
      "The thread-value layout, and its tile, of threads that each hold a block of values.",
      "make_layout_tv((4,8):(8,1), (2,1))", "((8,4),2):((8,2),1) tile (8,8)",
      [](const Layout& threads, const Layout& values) {
        return cute::make_layout_tv(threads, values);
      }));
  table.push_back(operation(
      "owners", kThreadValues, {"layout", "element", "tile"},
      "The (thread, value) that hold an element: a number in the tile, or a coordinate of it.",
      "owners(layoutC_TV(SM80_16x8x16_F32F16F16F32_TN), (9,3))", "[(5,3)]",
      [](const ThreadValue& tv, const IntTuple& element, const std::optional<IntTuple>& tile) {
        return owners_of(tv, element, tile);
      }));
  table.push_back(operation("covers", kThreadValues, {"layout", "tile"},
                            "Does it hold every element of its tile, and all equally often?",
                            "covers(make_layout_tv((4,8), (2,1)))",
                            "yes  (each of the 64 elements is held once)",
                            [](const ThreadValue& tv, const std::optional<IntTuple>& tile) {
                              return coverage_of(tv, tile);
                            }));
  table.push_back(
      operation("tile_shape", kThreadValues, {"tiled"},
                "The sizes of the tile of a thread-value layout, a tiled copy or a tiled MMA.",
                "tile_shape(make_tiled_mma(SM80_16x8x16_F32F16F16F32_TN, (2,2,1)))", "(32,16,16)",
                [](const Tiled& tiled) {
                  return std::visit([](const auto& any) { return cute::tile_shape(any); }, tiled);
                }));
}

}  // namespace

void add_partition_operations(std::vector<Operation>& table) {
  add_partitions(table);
  add_thread_values(table);
}

}  // namespace heddle::notation
