// Tensors over meshes: sharding specs as layouts and back, and which devices hold which elements.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/format.h"
#include "core/text.h"
#include "heddle/axe/shard.h"
#include "heddle/axe/sharding.h"
#include "heddle/axe/sharding_equality.h"
#include "heddle/axe/sharding_spec.h"
#include "heddle/map/xla_layout.h"
#include "heddle/map/xla_size.h"
#include "heddle/notation/sharding.h"
#include "heddle/notation/xla.h"
#include "notation/operations/binding.h"
#include "notation/operations/element_width.h"
#include "notation/operations/planned.h"
#include "notation/value/axe.h"
#include "notation/value/constants.h"
#include "notation/value/data.h"

namespace heddle::notation {
namespace {

using axe::Mesh;
using axe::Sharded;

constexpr const char* kPlacing = "tensors over meshes";

/// Parses the text of a spec.
template <class Spec>
Result<Spec> read(const ShardingSpec& spec, Result<Spec> (*parse)(std::string_view)) {
  Result<Spec> result = parse(spec.text);
  if (!result) return without_place(std::move(result).error());
  return result;
}

// Meshes.

Result<Mesh> mesh_of(const Value& devices, const std::optional<linear::Names>& names) {
  const linear::Names axes = names.value_or(linear::Names());
  if (const auto* layout = devices.get_if<axe::Layout>()) {
    std::vector<std::int64_t> extents;
    for (const axe::Iter& iter : layout->shard()) {
      if (!iter.extent.is_constant()) {
        return refuse("axe.mesh", fmt::format("{} is symbolic; a mesh has a number of devices",
                                              axe::to_string(*layout)));
      }
      extents.push_back(iter.extent.value());
    }
    return Mesh::make(std::move(extents), axes, *layout);
  }
  HEDDLE_TRY(const std::optional<Value> read, as_mesh(devices));
  if (!read) {
    return refuse("call.type",
                  "a mesh is made from a text, a nested list of devices or an Axe layout");
  }
  const Mesh& mesh = read->get<Mesh>();
  if (!names) return mesh;
  return Mesh::make({mesh.extents().begin(), mesh.extents().end()}, axes,
                    {mesh.devices().begin(), mesh.devices().end()});
}

/// The ranks of Megatron-LM, whose axes are named from the one with neighbouring ranks to the
/// slowest. Axes of one rank are left out.
Result<Mesh> megatron_mesh_of(std::int64_t tp, const std::optional<std::int64_t>& cp,
                              const std::optional<std::int64_t>& ep,
                              const std::optional<std::int64_t>& dp,
                              const std::optional<std::int64_t>& pp,
                              const std::optional<std::string>& order) {
  const std::map<std::string_view, std::int64_t> sizes = {{"tp", tp},
                                                          {"cp", cp.value_or(1)},
                                                          {"ep", ep.value_or(1)},
                                                          {"dp", dp.value_or(1)},
                                                          {"pp", pp.value_or(1)}};
  std::vector<std::int64_t> extents;
  std::vector<std::string> names;
  std::string_view rest = order ? std::string_view(*order) : "tp-cp-ep-dp-pp";
  while (!rest.empty()) {
    const std::string_view name = rest.substr(0, rest.find('-'));
    rest.remove_prefix(std::min(rest.size(), name.size() + 1));
    const auto size = sizes.find(name);
    if (size == sizes.end()) {
      return refuse("axe.mesh",
                    fmt::format("an order of Megatron's ranks names '{}'; it has tp, cp, "
                                "ep, dp and pp, as in tp-cp-ep-dp-pp",
                                name));
    }
    if (size->second == 1) continue;
    names.emplace(names.begin(), name);
    extents.insert(extents.begin(), size->second);
  }
  for (const auto& [name, size] : sizes) {
    if (size == 1 || std::ranges::find(names, name) != names.end()) continue;
    return refuse("axe.mesh", fmt::format("{} has {} ranks, and the order '{}' does not name it",
                                          name, size, *order));
  }
  return Mesh::make(std::move(extents), std::move(names));
}

// Specs to layouts.

template <class Spec>
auto placed(Result<Spec> (*parse)(std::string_view),
            Result<Sharded> (*place)(const Mesh&, const Spec&, std::vector<Int>,
                                     const axe::LocalStrides&)) {
  return [=](const Mesh& mesh, const ShardingSpec& text, const IntList& shape,
             const std::optional<IntList>& strides) -> Result<Sharded> {
    HEDDLE_TRY(const Spec spec, read(text, parse));
    return place(mesh, spec, shape, strides);
  };
}

Result<Sharded> named_sharding_of(const ShardingSpec& sharding, const IntList& shape,
                                  const std::optional<IntList>& strides) {
  HEDDLE_TRY(const Mesh mesh, read(sharding, parse_mesh));
  return placed(parse_partition_spec, axe::partition_spec)(mesh, sharding, shape, strides);
}

// Shardings of every system.

/// The layout of a sharding whose mesh and shape are known; where no layout has its shards, and
/// where something is missing, the sharding with what is known of it.
Result<Value> located(const axe::Sharding& sharding) {
  const bool has_all = axe::mesh_of(sharding).has_value() && sharding.shape;
  if (!has_all) return Value(sharding);
  Result<Sharded> even = axe::place(sharding);
  if (even) return Value(*std::move(even));
  if (axe::is_uneven(sharding)) return Value(sharding);
  return refuse(even.error());
}

Result<Value> sharding_over(const axe::Sharding& given, const std::optional<Mesh>& mesh,
                            const std::optional<IntList>& shape) {
  axe::Sharding sharding = given;
  if (mesh) sharding.mesh = *mesh;
  if (shape) sharding.shape = *shape;
  return located(sharding);
}

void add_specs(const Rows& add) {
  add({.call = "sharding(spec, mesh, shape)",
       .summary = "A sharding of JAX, PyTorch, Shardy or XLA; with a mesh and the shape of a "
                  "tensor its layout, or a relation of pieces where shards are uneven.",
       .example = {"sharding(P('x', None), Mesh('x': 2), (4,8))", "S[(2,2,8):(1@gpuid,8@m,1@m)]"}},
      sharding_over);
  add({.call = "mesh(devices, names)",
       .summary = "Devices on named axes: from what PyTorch or JAX print, a nested list of "
                  "devices, or a layout on gpuid.",
       .example = {R"(mesh([[0,2],[1,3]], ["x", "y"]))",
                   "DeviceMesh([[0, 2], [1, 3]], mesh_dim_names=('x', 'y'))"}},
      mesh_of);
  add({.call = "megatron_mesh(tp, cp, ep, dp, pp, order)",
       .summary = "The ranks of Megatron-LM for its numbers of parallel ranks: tensor, context, "
                  "expert, data and pipeline. The order names the axes from the one with "
                  "neighbouring ranks on; tp-cp-ep-dp-pp is Megatron's own.",
       .example = {"megatron_mesh(tp=2, dp=2, pp=2)",
                   "DeviceMesh([[[0, 1], [2, 3]], [[4, 5], [6, 7]]], mesh_dim_names=('pp', 'dp', "
                   "'tp'))"}},
      megatron_mesh_of);
  add({.call = "dtensor(mesh, placements, shape, strides)",
       .summary = "The layout of PyTorch's DTensor of a shape, with the strides of the tensor on a "
                  "device where they are not row-major.",
       .example = {"dtensor('DeviceMesh([[0,1],[2,3]])', '[Shard(0), Replicate()]', (64,128))",
                   "S[(2,32,128):(2@gpuid,128@m,1@m)] + R[(2):(1@gpuid)]"}},
      placed(parse_placements, axe::dtensor));
  add({.call = "partition_spec(mesh, spec, shape, strides)",
       .summary = "The layout of a jax.Array of a shape with this PartitionSpec over the mesh.",
       .example =
           {R"code(partition_spec("Mesh('x': 2, 'y': 2)", "P(('x', 'y'), None)", (64,128)))code",
            "S[(2,2,16,128):(2@gpuid,1@gpuid,128@m,1@m)]"}},
      placed(parse_partition_spec, axe::partition_spec));
  add({.call = "named_sharding(sharding, shape, strides)",
       .summary = "The same of a NamedSharding as JAX prints it, which has its mesh with it.",
       .example =
           {R"code(named_sharding("NamedSharding(mesh=Mesh('x': 2), spec=PartitionSpec('x',))", (64,128)))code",
            "S[(2,32,128):(1@gpuid,128@m,1@m)]"}},
      named_sharding_of);
  add({.call = "alpa(mesh, spec, shape, strides)",
       .summary = "The layout of a tensor of a shape with Alpa's spec over the mesh.",
       .example = {"alpa([[0,2],[1,3]], 'S0S1', (64,128), strides=(128,1))",
                   "S[(2,32,2,64):(1@gpuid,128@m,2@gpuid,1@m)]"}},
      placed(parse_alpa, axe::alpa));
}

// Layouts to specs.

Refusal alone(const char* what) {
  return refuse(Diagnostic("call.arity", fmt::format("a layout alone does not say {}", what))
                    .with_hint("give mesh=[[0,1],[2,3]] and shape=(64,128), or what dtensor() "
                               "returns, which knows both"));
}

Result<Sharded> on_mesh(const AxeLayoutOrSharded& tensor, const std::optional<Mesh>& mesh,
                        const std::optional<IntList>& shape) {
  if (const auto* sharded = std::get_if<Sharded>(&tensor)) {
    Sharded result = *sharded;
    if (mesh) result.mesh = *mesh;
    if (shape) result.shape = *shape;
    return result;
  }
  if (!mesh || !shape) return alone("over which mesh it is, and of which shape");
  return Sharded{std::get<axe::Layout>(tensor), *mesh, *shape};
}

/// The text of the spec that `recognize` finds.
template <class Spec>
auto recognized(Result<Spec> (*recognize)(const Sharded&)) {
  return [recognize](const AxeLayoutOrSharded& layout, const std::optional<Mesh>& mesh,
                     const std::optional<IntList>& shape) -> Result<std::string> {
    HEDDLE_TRY(const Sharded sharded, on_mesh(layout, mesh, shape));
    HEDDLE_TRY(const Spec spec, recognize(sharded));
    return axe::to_string(spec);
  };
}

// Arrays of XLA.

std::string counted_text(const Int& count, std::string_view noun) {
  return count.is_constant() ? counted(count.value(), noun)
                             : fmt::format("{} {}s", to_string(count), noun);
}

Result<Value> offsets_of(const map::XlaLayout& layout, std::span<const Int> shape,
                         const map::Limits& limits) {
  HEDDLE_TRY(const map::AnyLayout offsets, map::offsets(layout, shape, limits));
  return to_value(offsets);
}

Result<Value> xla_layout_of(const QuotedOrValue& stated, const std::optional<IntList>& shape,
                            const map::Limits& limits) {
  const Value& given = stated.value;
  XlaText text;
  if (const auto* layout = given.get_if<map::XlaLayout>()) {
    text = *layout;
  } else if (const auto* written = given.get_if<std::string>()) {
    HEDDLE_TRY(text, parse_xla(*written));
  } else {
    return refuse(Diagnostic("call.type", "a layout of XLA is a text, as in {1,0:T(8,128)}"));
  }
  if (const auto* sharding = std::get_if<axe::Sharding>(&text)) return Value(*sharding);
  if (const auto* array = std::get_if<XlaArray>(&text)) {
    return offsets_of(array->layout, array->shape, limits);
  }
  const auto& layout = std::get<map::XlaLayout>(text);
  return shape ? offsets_of(layout, *shape, limits) : Value(layout);
}

/// `E(4)` of a layout, or the number in the name of a type, as in bf16 and f8e4m3fn; without E,
/// elements smaller than a byte take one each.
std::int64_t bits_of(const XlaArray& array) {
  const auto number_at = [](std::string_view text) {
    text = text.substr(0, text.find_first_not_of("0123456789"));
    return integer_in(text).value_or(8);
  };
  const std::string_view notes = array.layout.notes;
  if (const std::size_t at = notes.find("E("); at != std::string_view::npos) {
    return number_at(notes.substr(at + 2));
  }
  const std::string_view name = array.element;
  const std::size_t digit = std::min(name.find_first_of("0123456789"), name.size());
  return std::max<std::int64_t>(8, number_at(name.substr(digit)));
}

Result<Report> xla_bytes_of(const std::string& written, const std::optional<IntList>& shape,
                            const std::optional<std::int64_t>& element_bits) {
  HEDDLE_TRY(const XlaText text, parse_xla(written));
  XlaArray array;
  if (const auto* whole = std::get_if<XlaArray>(&text)) {
    array = *whole;
  } else if (const auto* layout = std::get_if<map::XlaLayout>(&text); layout && shape) {
    array.layout = *layout;
    array.shape = *shape;
  } else {
    return refuse(Diagnostic("call.arity", "a layout alone does not say of which array it is")
                      .with_hint("write the array, as in 'f32[10,128]{1,0:T(8,128)}', or give "
                                 "shape=(10,128) and element_bits=32"));
  }
  const std::int64_t bits = element_bits.value_or(bits_of(array));
  if (bits < 1) return refuse("axe.element_bits", "an element of {} bits; 1 are needed", bits);
  HEDDLE_TRY(const Int elements, map::allocated_elements(array.layout, array.shape));
  Int stated = 1;
  for (const Int& extent : array.shape) stated *= extent;
  HEDDLE_TRY(const Int bytes, check_defined(ceil_div(elements * bits, 8), "the bytes"));
  return Report{
      fmt::format("{}: {} of {}, of which the array has {}", counted_text(bytes, "byte"),
                  counted_text(elements, "element"), counted(bits, "bit"), to_string(stated)),
      Datum::Fields{{"bytes", to_datum(bytes)},
                    {"elements", to_datum(elements)},
                    {"array_elements", to_datum(stated)}}};
}

void add_arrays(const Rows& add) {
  add({.call = "xla_bytes(array, shape, element_bits)",
       .summary = "The bytes that XLA allocates for an array as it is printed, in quotes, with the "
                  "padding of its tiles; of a layout alone, with a shape and the bits of an "
                  "element.",
       .example = {"xla_bytes('u32[12582912,1]{1,0:T(8,128)}')",
                   "6442450944 bytes: 1610612736 elements of 32 bits, of which the array has "
                   "12582912"}},
      xla_bytes_of);
  add({.call = "xla_layout(layout, shape)",
       .summary =
           "Where XLA places the elements of an array, in elements: of a layout and a shape, "
           "or of an array as it is printed. A relation where tiles are padded.",
       .example = {"xla_layout({1,0:T(8,128)}, (16,256))",
                   "((8,2),(128,2)):((128,2048),(1,1024))"}},
      xla_layout_of);
}

void add_recognition(const Rows& add) {
  add({.call = "to_dtensor(layout, mesh, shape)",
       .summary =
           "The placements of PyTorch's DTensor that leave every element on the same devices.",
       .example =
           {"to_dtensor(S[(2,32,128):(2@gpuid,128@m,1@m)] + R[2:1@gpuid], [[0,1],[2,3]], (64,128))",
            "[Shard(dim=0), Replicate()]"}},
      recognized(axe::to_dtensor));
  add({.call = "to_partition_spec(layout, mesh, shape)",
       .summary = "The PartitionSpec of JAX that leaves every element on the same devices.",
       .example =
           {R"code(to_partition_spec(dtensor("Mesh('x': 2, 'y': 2)", '[Replicate(), Shard(1)]', (64,128))))code",
            "PartitionSpec(None, 'y')"}},
      recognized(axe::to_partition_spec));
  add({.call = "to_alpa(layout, mesh, shape)",
       .summary = "The spec of Alpa that leaves every element on the same devices.",
       .example = {"to_alpa(S[(2,32,2,64):(1@gpuid,128@m,2@gpuid,1@m)], [[0,2],[1,3]], (64,128))",
                   "S0S1"}},
      recognized(axe::to_alpa));
}

// Questions.

/// A sharding with the shape of the tensor, if that is given.
axe::Sharding shaped(axe::Sharding sharding, const std::optional<IntList>& shape) {
  if (shape) sharding.shape = *shape;
  return sharding;
}

const axe::Layout& layout_of(const OnDevices& tensor) {
  if (const auto* sharded = std::get_if<Sharded>(&tensor)) return sharded->layout;
  return std::get<axe::Layout>(tensor);
}

Result<std::vector<Int>> shape_of(const OnDevices& tensor, const std::optional<IntList>& shape) {
  if (shape) return *shape;
  if (const auto* sharded = std::get_if<Sharded>(&tensor)) return sharded->shape;
  return alone("of which shape the tensor is");
}

Datum datum_of(const axe::ShardPiece& piece) {
  if (!piece.box) return Datum::Fields{{"indices", axe::to_string(piece.indices)}};
  Datum::List box;
  for (const axe::Interval& interval : *piece.box) {
    box.emplace_back(Datum::List{to_datum(interval.begin), to_datum(interval.end)});
  }
  return Datum::Fields{{"box", std::move(box)}};
}

Result<std::vector<axe::ShardPiece>> pieces_on(const OnDevices& tensor, std::int64_t device,
                                               const std::optional<IntList>& shape) {
  if (const auto* sharding = std::get_if<axe::Sharding>(&tensor)) {
    return axe::shard_of(shaped(*sharding, shape), device);
  }
  HEDDLE_TRY(const std::vector<Int> extents, shape_of(tensor, shape));
  return axe::shard_of(layout_of(tensor), extents, device);
}

Result<Report> shard_report(const OnDevices& tensor, std::int64_t device,
                            const std::optional<IntList>& shape) {
  HEDDLE_TRY(const std::vector<axe::ShardPiece> pieces, pieces_on(tensor, device, shape));
  Datum::List data;
  for (const axe::ShardPiece& piece : pieces) data.push_back(datum_of(piece));
  return Report{axe::to_string(pieces), std::move(data)};
}

Result<Value> holders_of(const OnDevices& tensor, const IntList& point,
                         const std::optional<IntList>& shape) {
  if (const auto* sharding = std::get_if<axe::Sharding>(&tensor)) {
    HEDDLE_TRY(const std::vector<Int> found, axe::devices_of(shaped(*sharding, shape), point));
    return Value(list_of_data(found));
  }
  HEDDLE_TRY(const std::vector<Int> extents, shape_of(tensor, shape));
  HEDDLE_TRY(const std::vector<Int> devices, axe::devices_of(layout_of(tensor), extents, point));
  return Value(list_of_data(devices));
}

/// `0 to 3, 8`.
std::string runs_text(std::span<const std::int64_t> ids) {
  constexpr std::size_t kShown = 16;
  std::vector<std::string> runs;
  for (std::size_t begin = 0; begin < ids.size();) {
    std::size_t end = begin + 1;
    while (end < ids.size() && ids[end] == ids[end - 1] + 1) ++end;
    if (runs.size() == kShown) {
      runs.emplace_back("…");
      break;
    }
    runs.push_back(end - begin < 3
                       ? fmt::format("{}", fmt::join(ids.subspan(begin, end - begin), ", "))
                       : fmt::format("{} to {}", ids[begin], ids[end - 1]));
    begin = end;
  }
  return fmt::format("{} {}", ids.size() == 1 ? "device" : "devices", fmt::join(runs, ", "));
}

std::string text_of(const axe::Footprint& footprint, std::int64_t element_bits) {
  std::vector<std::string> lines;
  Int most = 0;
  for (const axe::Holders& holders : footprint.holders) {
    const std::string who = runs_text(holders.devices);
    if (holders.elements == Int(0)) {
      lines.push_back(fmt::format("nothing on {}", who));
      continue;
    }
    most = max(most, holders.bytes);
    lines.push_back(fmt::format("{} on {}: {} of {}", counted_text(holders.bytes, "byte"),
                                holders.devices.size() == 1 ? who : "each of " + who,
                                counted_text(holders.elements, "element"),
                                counted(element_bits, "bit")));
  }
  lines.push_back(fmt::format("  copies     {} of each element", to_string(footprint.copies)));
  lines.push_back(fmt::format("  in all     {}", counted_text(footprint.total_bytes, "byte")));
  if (footprint.allocated_bytes != most) {
    lines.push_back(fmt::format("  allocated  {} on a device, from the first to the last place",
                                counted_text(footprint.allocated_bytes, "byte")));
  }
  return fmt::format("{}", fmt::join(lines, "\n"));
}

Result<axe::Footprint> footprint_of(const OnDevices& tensor, std::int64_t element_bits,
                                    const std::optional<Mesh>& mesh) {
  if (const auto* sharding = std::get_if<axe::Sharding>(&tensor)) {
    axe::Sharding over = *sharding;
    if (mesh) over.mesh = *mesh;
    return axe::bytes_per_device(over, element_bits);
  }
  const auto* sharded = std::get_if<Sharded>(&tensor);
  const Mesh* over = mesh ? &*mesh : sharded != nullptr ? &sharded->mesh : nullptr;
  return axe::bytes_per_device(layout_of(tensor), element_bits, over);
}

Result<Report> bytes_report(const OnDevices& tensor, const ElementWidth& element,
                            const std::optional<Mesh>& mesh) {
  HEDDLE_TRY(const axe::Footprint footprint, footprint_of(tensor, element.bits, mesh));
  Datum::List holders;
  for (const axe::Holders& group : footprint.holders) {
    holders.emplace_back(Datum::Fields{{"devices", list_of(group.devices)},
                                       {"elements", to_datum(group.elements)},
                                       {"bytes", to_datum(group.bytes)}});
  }
  return Report{text_of(footprint, element.bits),
                Datum::Fields{{"holders", std::move(holders)},
                              {"copies", to_datum(footprint.copies)},
                              {"total_bytes", to_datum(footprint.total_bytes)},
                              {"allocated_bytes", to_datum(footprint.allocated_bytes)}}};
}

void add_mesh_questions(const Rows& add) {
  add({.call = "shard_of(layout, device, shape)",
       .summary = "The part of the tensor that a device holds: intervals of its dimensions, or "
                  "where they have gaps the layout of the elements' indices.",
       .example = {"shard_of(dtensor([[0,1],[2,3]], '[Shard(0), Shard(1)]', (64,128)), 1)",
                   "[0,32) x [64,128)"}},
      shard_report);
  add({.call = "devices_of(layout, point, shape)",
       .summary = "The devices that hold an element.",
       .example =
           {"devices_of(dtensor([[0,1],[2,3]], '[Shard(0), Replicate()]', (64,128)), (40,5))",
            "[2,3]"}},
      holders_of);
  add({.call = "bytes_per_device(layout, element, mesh)",
       .summary = "How much each device holds, how often each element is there, and what that "
                  "makes in all.",
       .example =
           {"bytes_per_device(dtensor([[0,1],[2,3]], '[Shard(0), Replicate()]', (64,128)), 16)",
            "8192 bytes on each of devices 0 to 3: 4096 elements of 16 bits\n"
            "  copies     2 of each element\n"
            "  in all     32768 bytes"}},
      bytes_report);
}

}  // namespace

void add_axe_mesh_operations(std::vector<Operation>& table) {
  add_specs({table, kPlacing});
  add_arrays({table, kPlacing});
  add_recognition({table, kPlacing});
  add_mesh_questions({table, "who holds what"});
}

}  // namespace heddle::notation
