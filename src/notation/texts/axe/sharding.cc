#include "heddle/notation/sharding.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "core/text.h"
#include "core/words.h"
#include "heddle/core/exact.h"
#include "heddle/notation/lexer.h"
#include "notation/language/placement_text.h"
#include "notation/language/python_literal.h"
#include "notation/texts/axe/sharding_readers.h"

namespace heddle::notation {
namespace {

using SpecKind = PythonLiteral::Kind;
using Numbers = std::vector<std::int64_t>;
using MeshNames = std::vector<std::string>;

/// An array of device ids.
struct Array {
  Numbers extents;
  Numbers entries;
};

class SpecReader {
 public:
  explicit SpecReader(std::string_view text) : text_(text) {}

  Result<axe::Mesh> mesh(const PythonLiteral& literal) const {
    if (literal.is_call("NamedSharding")) {
      const PythonLiteral* inner = literal.argument("mesh", 0);
      if (inner == nullptr) return wrong(literal, "a NamedSharding with a mesh");
      const PythonLiteral* order = literal.keyed("logical_device_ids");
      if (order != nullptr && !order->is_name("None")) {
        return wrong(*order, "a mesh with its devices in that order");
      }
      return mesh(*inner);
    }
    if (literal.is_call("DeviceMesh")) return device_mesh(literal);
    if (literal.is_call("init_device_mesh")) {
      return mesh_of_sizes(literal, literal.argument("mesh_shape", 1),
                           literal.argument("mesh_dim_names", 2));
    }
    if (literal.is_call("make_mesh")) {
      return mesh_of_sizes(literal, literal.argument("axis_shapes", 0),
                           literal.argument("axis_names", 1));
    }
    if (literal.is_call("create_device_mesh")) {
      return mesh_of_sizes(literal, literal.argument("mesh_shape", 0), nullptr);
    }
    if (literal.is_call("AbstractMesh") && !literal.positional().empty()) {
      return abstract_mesh(literal);
    }
    if (literal.is_call("Mesh") || literal.is_call("AbstractMesh")) return jax_mesh(literal);
    if (literal.is(SpecKind::kSet)) return mesh_of_pairs(literal);
    return mesh_of_array(literal, nullptr);
  }

  Result<axe::Placements> placements(const PythonLiteral& literal) const {
    return each<axe::Placement>(literal, [this](const auto& item) { return placement(item); });
  }

  Result<axe::PartitionSpec> partition_spec(const PythonLiteral& literal) const {
    if (literal.is_call("NamedSharding")) {
      const PythonLiteral* inner = literal.argument("spec", 1);
      if (inner == nullptr) return wrong(literal, "a NamedSharding with a spec");
      return partition_spec(*inner);
    }
    if (!literal.is_call("PartitionSpec") && !literal.is_call("P") &&
        !literal.is(SpecKind::kTuple)) {
      return wrong(literal, "a PartitionSpec");
    }
    axe::PartitionSpec spec;
    for (std::size_t i = 0; i < literal.items.size(); ++i) {
      const PythonLiteral& item = literal.items[i];
      if (literal.keys[i].empty()) {
        if (item.is_name("UNCONSTRAINED")) spec.unconstrained.push_back(spec.dims.size());
        HEDDLE_TRY(MeshNames names, entry(item));
        spec.dims.push_back(std::move(names));
      } else if (literal.keys[i] == "unreduced") {
        HEDDLE_TRY(spec.unreduced, axis_set(item));
      } else if (literal.keys[i] == "reduced") {
        HEDDLE_TRY(spec.reduced, axis_set(item));
      } else {
        return wrong(item, "the value of unreduced or reduced");
      }
    }
    HEDDLE_CHECK(check_roles(spec, literal.span));
    return spec;
  }

  /// Any spec that prints as Python does.
  Result<axe::Sharding> sharding(const PythonLiteral& literal) const {
    if (literal.is_call("NamedSharding")) {
      HEDDLE_TRY(axe::PartitionSpec spec, partition_spec(literal));
      // In a program the mesh is a name, which says nothing here.
      const PythonLiteral* named = literal.argument("mesh", 0);
      if (named != nullptr && named->is(SpecKind::kName)) return axe::Sharding{std::move(spec)};
      HEDDLE_TRY(axe::Mesh over, mesh(literal));
      return axe::Sharding{std::move(spec), std::move(over)};
    }
    if (literal.is_call("PartitionSpec") || literal.is_call("P")) {
      HEDDLE_TRY(axe::PartitionSpec spec, partition_spec(literal));
      return axe::Sharding{std::move(spec)};
    }
    if (literal.is_call("DTensorSpec")) return dtensor_spec(literal);
    if (literal.is_call("Format")) return format(literal);
    if (literal.is(SpecKind::kSet)) return shard_order(literal);
    HEDDLE_TRY(axe::Placements found, placements(literal));
    return axe::Sharding{std::move(found)};
  }

  Result<axe::Mesh> mesh_of_sizes(const PythonLiteral& literal, const PythonLiteral* sizes,
                                  const PythonLiteral* names) const {
    if (sizes == nullptr) return wrong(literal, "a mesh with its shape");
    HEDDLE_TRY(Numbers extents, numbers(*sizes));
    HEDDLE_TRY(MeshNames axes, names_of(names));
    return axe::Mesh::make(std::move(extents), std::move(axes));
  }

 private:
  [[nodiscard]] Refusal wrong(const PythonLiteral& literal, std::string_view wanted) const {
    return refuse_literal(text_, literal, wanted);
  }

  /// Reads each item of a sequence, or any other literal as the only item.
  template <class T, class Read>
  static Result<std::vector<T>> each(const PythonLiteral& literal, Read read) {
    std::vector<T> result;
    for (const PythonLiteral& item :
         literal.is_sequence() ? std::span(literal.items) : std::span(&literal, 1)) {
      HEDDLE_TRY(result.emplace_back(), read(item));
    }
    return result;
  }

  /// JAX refuses an axis in two roles; one that cuts twice it refuses only with the mesh.
  static Result<void> check_roles(const axe::PartitionSpec& spec, Span span) {
    MeshNames others = spec.unreduced;
    others.insert(others.end(), spec.reduced.begin(), spec.reduced.end());
    for (std::size_t i = 0; i < others.size(); ++i) {
      const auto has = [&](const MeshNames& names) {
        return std::ranges::find(names, others[i]) != names.end();
      };
      const bool is_second =
          std::ranges::find(others, others[i]) - others.begin() != static_cast<std::ptrdiff_t>(i);
      if (!is_second && std::ranges::none_of(spec.dims, has)) continue;
      return refuse(Diagnostic("axe.sharding_spec", fmt::format("{} gives axis {} two roles",
                                                                to_string(spec), others[i]))
                        .with_span(span));
    }
    return {};
  }

  /// `Format(layout=Layout(major_to_minor=(1, 0)), sharding=NamedSharding(…))`, as JAX prints it:
  /// also how a device orders the dimensions of its part.
  Result<axe::Sharding> format(const PythonLiteral& literal) const {
    const PythonLiteral* layout = literal.argument("layout", 0);
    const PythonLiteral* of = literal.argument("sharding", 1);
    if (layout == nullptr || of == nullptr) return wrong(literal, "a layout and a sharding");
    HEDDLE_TRY(axe::Sharding result, sharding(*of));
    if (layout->is_name("None") || layout->is_name("AUTO")) return result;
    const PythonLiteral* order = layout->argument("major_to_minor", 0);
    if (order == nullptr || !order->is_sequence()) {
      return wrong(*layout, "a layout with major_to_minor");
    }
    HEDDLE_TRY(const Numbers dims, numbers(*order));
    Numbers sorted = dims;
    std::ranges::sort(sorted);
    for (std::size_t i = 0; i < sorted.size(); ++i) {
      if (!std::cmp_equal(sorted[i], i)) return wrong(*order, "an order of the dimensions");
    }
    const PythonLiteral* tiling = layout->keyed("_tiling");
    if (tiling == nullptr) tiling = layout->argument("tiling", 1);
    if (tiling != nullptr && !tiling->is_name("None") && !tiling->items.empty()) {
      return refuse(
          Diagnostic("axe.sharding_spec", "how a device tiles its part is not part of a sharding")
              .with_span(tiling->span)
              .with_hint("xla_layout(LAYOUT, SHAPE) places the elements of one part"));
    }
    result.major_to_minor.assign(dims.begin(), dims.end());
    return result;
  }

  /// `DTensorSpec(mesh=…, placements=…, tensor_meta=TensorMeta(shape=…, stride=…))`
  Result<axe::Sharding> dtensor_spec(const PythonLiteral& literal) const {
    const PythonLiteral* over = literal.argument("mesh", 0);
    const PythonLiteral* given = literal.argument("placements", 1);
    if (over == nullptr || given == nullptr) return wrong(literal, "a mesh and placements");
    axe::Sharding result;
    HEDDLE_TRY(result.mesh, mesh(*over));
    HEDDLE_TRY(axe::Placements found, placements(*given));
    result.spec = std::move(found);
    HEDDLE_CHECK(check_order(literal));
    const PythonLiteral* tensor = literal.argument("tensor_meta", 2);
    if (tensor == nullptr || tensor->is_name("None")) return result;
    const PythonLiteral* shape = tensor->argument("shape", 0);
    if (shape == nullptr) return wrong(*tensor, "TensorMeta(shape=…)");
    HEDDLE_TRY(const Numbers extents, size(*shape));
    result.shape.emplace(extents.begin(), extents.end());
    HEDDLE_CHECK(check_row_major(*tensor, extents));
    return result;
  }

  /// `torch.Size([64, 4])`, `(64, 4)`
  Result<Numbers> size(const PythonLiteral& literal) const {
    const bool is_wrapped = literal.is_call("Size") && literal.items.size() == 1;
    return numbers(is_wrapped ? literal.items.front() : literal);
  }

  /// A device holds its part row-major, as the strides of the whole tensor have to say.
  Result<void> check_row_major(const PythonLiteral& tensor, const Numbers& extents) const {
    const PythonLiteral* stride = tensor.argument("stride", 1);
    if (stride == nullptr || stride->is_name("None")) return {};
    HEDDLE_TRY(const Numbers strides, numbers(*stride));
    std::int64_t wanted = 1;
    bool fits = strides.size() == extents.size();
    for (std::size_t i = extents.size(); fits && i-- > 0;) {
      fits = extents[i] == 1 || strides[i] == wanted;
      wanted = exact::multiply(wanted, extents[i]).value_or(0);
    }
    if (fits) return {};
    return refuse(Diagnostic("axe.sharding_spec",
                             "the strides of the tensor are not row-major; how its devices hold "
                             "their parts is not known")
                      .with_span(stride->span)
                      .with_hint("dtensor(mesh, placements, shape, strides) takes the strides on a "
                                 "device"));
  }

  /// Axes that cut one dimension cut it in the order of the mesh, unless shard_order says another.
  Result<void> check_order(const PythonLiteral& literal) const {
    const PythonLiteral* order = literal.keyed("shard_order");
    if (order == nullptr || !order->is_sequence()) return {};
    for (const PythonLiteral& entry : order->items) {
      const PythonLiteral* axes =
          entry.is(SpecKind::kCall) ? entry.argument("mesh_dims", 1) : &entry;
      if (axes == nullptr) return wrong(entry, "a dimension with its axes of the mesh");
      HEDDLE_TRY(const Numbers found, numbers(*axes));
      if (std::ranges::is_sorted(found)) continue;
      return refuse(Diagnostic("axe.sharding_spec",
                               "axes of the mesh cut a dimension in another order than the mesh's")
                        .with_span(entry.span)
                        .with_hint("write it as PartitionSpec(('1', '0')), or with _StridedShard"));
    }
    return {};
  }

  /// `{0: [1], 1: [0]}`: for each dimension the axes of the mesh that cut it, by number.
  Result<axe::Sharding> shard_order(const PythonLiteral& literal) const {
    axe::PartitionSpec spec;
    for (std::size_t i = 0; i < literal.items.size(); ++i) {
      const std::string& key = literal.keys[i];
      const bool is_number = !key.empty() && key.size() < 3 &&
                             key.find_first_not_of("0123456789") == std::string::npos;
      if (!is_number) return wrong(literal.items[i], "dimension: [axes]");
      const auto dim = static_cast<std::size_t>(std::stoul(key));
      if (spec.dims.size() <= dim) spec.dims.resize(dim + 1);
      HEDDLE_TRY(spec.dims[dim], axis_set(literal.items[i]));
    }
    return axe::Sharding{std::move(spec)};
  }

  // Meshes.

  /// `AbstractMesh((2, 2), ('x', 'y'))`, `AbstractMesh((('x', 2), ('y', 2)))`: sizes, no devices.
  Result<axe::Mesh> abstract_mesh(const PythonLiteral& literal) const {
    const PythonLiteral& first = *literal.positional().front();
    const bool has_pairs = first.is_sequence() && !first.items.empty() &&
                           std::ranges::all_of(first.items, [](const PythonLiteral& pair) {
                             return pair.is(SpecKind::kTuple) && pair.items.size() == 2;
                           });
    if (!has_pairs) return mesh_of_sizes(literal, &first, literal.argument("axis_names", 1));
    Numbers extents;
    MeshNames names;
    for (const PythonLiteral& pair : first.items) {
      HEDDLE_TRY(names.emplace_back(), axis(pair.items[0]));
      HEDDLE_TRY(extents.emplace_back(), number(pair.items[1]));
    }
    return axe::Mesh::make(std::move(extents), std::move(names));
  }

  Result<axe::Mesh> device_mesh(const PythonLiteral& literal) const {
    const PythonLiteral* names = literal.keyed("mesh_dim_names");
    if (const PythonLiteral* given = given_array(literal)) return mesh_of_array(*given, names);
    for (const PythonLiteral* argument : literal.positional()) {
      if (is_printed(literal, *argument)) return printed_mesh(literal, *argument);
      if (!argument->is(SpecKind::kString)) return mesh_of_array(*argument, names);
    }
    return wrong(literal, "a DeviceMesh with its devices");
  }

  /// The array in `mesh=[[0, 1]]`, or in `Mesh: [[0, 1]]`, PyTorch's detailed form; nullptr if
  /// neither.
  static const PythonLiteral* given_array(const PythonLiteral& literal) {
    if (const PythonLiteral* array = literal.keyed("mesh")) return array;
    return literal.keyed("Mesh");
  }

  /// Whether the argument is a tuple of sizes, with names or followed by strides, rather than an
  /// array of devices.
  static bool is_printed(const PythonLiteral& literal, const PythonLiteral& argument) {
    if (!argument.is(SpecKind::kTuple)) return false;
    return literal.keyed("stride") != nullptr ||
           argument.positional().size() < argument.items.size();
  }

  /// `(dp=2, tp=2), 'cuda', stride=(2, 1)`.
  Result<axe::Mesh> printed_mesh(const PythonLiteral& literal, const PythonLiteral& sizes) const {
    Numbers extents;
    MeshNames names;
    for (std::size_t i = 0; i < sizes.items.size(); ++i) {
      HEDDLE_TRY(const std::int64_t size, number(sizes.items[i]));
      extents.push_back(size);
      if (!sizes.keys[i].empty()) names.push_back(sizes.keys[i]);
    }
    const PythonLiteral* stride = literal.keyed("stride");
    if (stride == nullptr) return axe::Mesh::make(std::move(extents), std::move(names));
    HEDDLE_TRY(const Numbers strides, numbers(*stride));
    if (strides.size() != extents.size()) return wrong(*stride, "a stride for every axis");
    std::vector<axe::Iter> iters;
    for (std::size_t i = 0; i < extents.size(); ++i) {
      iters.push_back({extents[i], strides[i], axe::device_axis()});
    }
    HEDDLE_TRY(const axe::Layout layout, axe::Layout::make(std::move(iters)));
    return axe::Mesh::make(std::move(extents), std::move(names), layout);
  }

  Result<axe::Mesh> jax_mesh(const PythonLiteral& literal) const {
    const bool has_pairs = !literal.items.empty() && literal.positional().empty() &&
                           literal.keyed("device_ids") == nullptr &&
                           literal.keyed("devices") == nullptr &&
                           literal.keyed("axis_sizes") == nullptr;
    if (has_pairs) return mesh_of_pairs(literal);
    const PythonLiteral* shape = literal.keyed("mesh_shape");
    const bool three = shape == nullptr && literal.positional().size() > 2;
    if (three) shape = literal.argument("mesh_shape", 1);
    const PythonLiteral* names = literal.argument("axis_names", three || shape != nullptr ? 2 : 1);
    if (const PythonLiteral* sizes = literal.keyed("axis_sizes")) {
      return mesh_of_sizes(literal, sizes, names);
    }
    const PythonLiteral* devices = literal.keyed("devices");
    if (devices == nullptr) devices = literal.argument("device_ids", 0);
    if (devices == nullptr) return wrong(literal, "a Mesh with its devices");
    if (shape == nullptr) return mesh_of_array(*devices, names);
    HEDDLE_TRY(Array ids, array(*devices));
    HEDDLE_TRY(Numbers extents, numbers(*shape));
    HEDDLE_TRY(MeshNames axes, names_of(names));
    return axe::Mesh::make(std::move(extents), std::move(axes), std::move(ids.entries));
  }

  /// `'x': 2, 'y': 2`; axis_types and device_kind are ignored.
  Result<axe::Mesh> mesh_of_pairs(const PythonLiteral& literal) const {
    Numbers extents;
    MeshNames names;
    for (std::size_t i = 0; i < literal.items.size(); ++i) {
      if (!literal.items[i].is(SpecKind::kInteger)) {
        if (literal.keys[i] == "axis_types" || literal.keys[i] == "device_kind") continue;
        return wrong(literal.items[i], "the size of an axis");
      }
      if (literal.keys[i].empty()) return wrong(literal.items[i], "'name': size");
      names.push_back(literal.keys[i]);
      extents.push_back(literal.items[i].number);
    }
    return axe::Mesh::make(std::move(extents), std::move(names));
  }

  Result<axe::Mesh> mesh_of_array(const PythonLiteral& literal, const PythonLiteral* names) const {
    HEDDLE_TRY(Array ids, array(literal));
    HEDDLE_TRY(MeshNames axes, names_of(names));
    return axe::Mesh::make(std::move(ids.extents), std::move(axes), std::move(ids.entries));
  }

  Result<Array> array(const PythonLiteral& literal) const {
    if (literal.is_call("reshape")) return reshaped(literal);
    if (literal.is_call("arange")) return arange(literal);
    const bool is_wrapped = literal.is(SpecKind::kCall) && literal.positional().size() == 1 &&
                            (literal.text == "array" || literal.text == "tensor" ||
                             literal.text == "asarray" || literal.text == "Array");
    if (is_wrapped) return array(*literal.positional().front());
    if (literal.is(SpecKind::kSet)) return wrong(literal, "an array of devices");
    if (!literal.is_sequence()) {
      HEDDLE_TRY(const std::int64_t id, device(literal));
      return Array{{}, {id}};
    }
    if (literal.items.empty()) return wrong(literal, "at least one device");
    Array result;
    for (std::size_t i = 0; i < literal.items.size(); ++i) {
      HEDDLE_TRY(const Array row, array(literal.items[i]));
      if (i == 0) {
        result.extents = row.extents;
      } else if (row.extents != result.extents) {
        return refuse(
            Diagnostic("axe.mesh",
                       fmt::format("a mesh has rows of the shapes ({}) and ({})",
                                   fmt::join(result.extents, ","), fmt::join(row.extents, ",")))
                .with_span(literal.items[i].span));
      }
      result.entries.insert(result.entries.end(), row.entries.begin(), row.entries.end());
    }
    result.extents.insert(result.extents.begin(), std::ssize(literal.items));
    return result;
  }

  Result<Array> arange(const PythonLiteral& literal) const {
    const auto arguments = literal.positional();
    if (arguments.size() != 1) return wrong(literal, "arange with the number of devices");
    HEDDLE_TRY(const std::int64_t count, number(*arguments.front()));
    if (count < 1 || count > axe::Mesh::kMaxDevices) {
      return refuse("axe.mesh", fmt::format("a mesh of {}; 1 to {} are taken",
                                            counted(count, "device"), axe::Mesh::kMaxDevices));
    }
    Array result{{count}, {}};
    for (std::int64_t i = 0; i < count; ++i) result.entries.push_back(i);
    return result;
  }

  Result<Array> reshaped(const PythonLiteral& literal) const {
    const auto arguments = literal.positional();
    HEDDLE_TRY(Array result, array(*arguments.front()));
    result.extents.clear();
    for (std::size_t i = 1; i < arguments.size(); ++i) {
      HEDDLE_TRY(const Numbers extents, numbers(*arguments[i]));
      result.extents.insert(result.extents.end(), extents.begin(), extents.end());
    }
    return result;
  }

  /// The id of a device: `3`, or that of a device printed with its id.
  Result<std::int64_t> device(const PythonLiteral& literal) const {
    if (literal.is(SpecKind::kCall)) {
      if (const PythonLiteral* id = literal.keyed("id")) return number(*id);
    }
    if (literal.is(SpecKind::kInteger)) return literal.number;
    return wrong(literal, "the number of a device");
  }

  Result<std::int64_t> number(const PythonLiteral& literal) const {
    if (literal.is(SpecKind::kInteger)) return literal.number;
    return wrong(literal, "an integer");
  }

  /// `2`, `(2, 2)`.
  Result<Numbers> numbers(const PythonLiteral& literal) const {
    return each<std::int64_t>(literal, [this](const auto& item) { return number(item); });
  }

  /// The names in `'x'`, `('x', 'y')`; empty for no literal or None.
  Result<MeshNames> names_of(const PythonLiteral* literal) const {
    if (literal == nullptr || literal->is_name("None")) return MeshNames{};
    return axis_set(*literal);
  }

  Result<MeshNames> axis_set(const PythonLiteral& literal) const {
    if (literal.is_call("frozenset") || literal.is_call("set")) {
      return literal.items.empty() ? Result<MeshNames>(MeshNames{})
                                   : axis_set(literal.items.front());
    }
    return each<std::string>(literal, [this](const auto& item) { return axis(item); });
  }

  /// The name of an axis; an axis without a name has its number as the name.
  Result<std::string> axis(const PythonLiteral& literal) const {
    if (literal.is(SpecKind::kString)) return literal.text;
    if (literal.is(SpecKind::kInteger)) return std::to_string(literal.number);
    return wrong(literal, "the name of an axis");
  }

  // Specs.

  Result<MeshNames> entry(const PythonLiteral& literal) const {
    if (literal.is_name("None") || literal.is_name("UNCONSTRAINED")) return MeshNames{};
    return axis_set(literal);
  }

  Result<axe::Placement> placement(const PythonLiteral& literal) const {
    const bool is_call = literal.is(SpecKind::kCall);
    const std::string& name = literal.text;
    if (!is_call && !literal.is(SpecKind::kName)) return wrong(literal, "a placement");
    if (name == "Replicate" || name == "R") {
      if (literal.items.empty()) return axe::Placement::replicate();
      return wrong(literal, "Replicate()");
    }
    if (name == "Partial" || name == "_Partial" || name == "P") return partial(literal);
    if (is_call && (name == "Shard" || name == "S")) return shard(literal, false);
    if (is_call &&
        (name == "_StridedShard" || name == "StridedShard" || name == "_S" || name == "_SS")) {
      return shard(literal, true);
    }
    if (!literal.items.empty() && (name == "_NormPartial" || name == "_MaskPartial")) {
      // They reduce as sums do, after a step of their own: they are kept as they are written.
      const std::string_view written = text_at(text_, literal.span);
      return axe::Placement::partial(std::string(written.substr(written.find(name))));
    }
    return wrong(literal, "Shard(dim), Replicate(), Partial() or _StridedShard(dim, split_factor)");
  }

  Result<axe::Placement> partial(const PythonLiteral& literal) const {
    if (literal.items.empty()) return axe::Placement::partial();
    const PythonLiteral* op = literal.argument("reduce_op", 0);
    if (literal.items.size() > 1 || op == nullptr ||
        (!op->is(SpecKind::kString) && !op->is(SpecKind::kName))) {
      return wrong(literal, "Partial(reduce_op)");
    }
    static constexpr std::array<std::string_view, 5> kOps = {"sum", "avg", "product", "max", "min"};
    std::string lower = op->text;
    std::ranges::transform(lower, lower.begin(), [](char c) {
      return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    });
    if (std::ranges::find(kOps, lower) == kOps.end()) {
      return wrong(*op, fmt::format("one of {}", fmt::join(kOps, ", ")));
    }
    return axe::Placement::partial(std::move(lower));
  }

  Result<axe::Placement> shard(const PythonLiteral& literal, bool strided) const {
    const PythonLiteral* dim = literal.argument("dim", 0);
    const PythonLiteral* factor = nullptr;
    if (strided) {
      factor = literal.keyed("sf") != nullptr ? literal.keyed("sf")
                                              : literal.argument("split_factor", 1);
    }
    const std::size_t used = strided ? 2 : 1;
    if (dim == nullptr || (strided && factor == nullptr) || literal.items.size() != used) {
      return wrong(literal, strided ? "_StridedShard(dim, split_factor)" : "Shard(dim)");
    }
    HEDDLE_TRY(const std::int64_t at, number(*dim));
    if (!strided) return axe::Placement::shard(at);
    HEDDLE_TRY(const std::int64_t pieces, number(*factor));
    return axe::Placement::shard(at, pieces);
  }

  std::string_view text_;
};

/// `^`, `{`, `}`, `_` and blanks between the letters and digits of Alpa's notation.
bool is_filler(char c) {
  return std::string_view("^{}_, \t\r\n").find(c) != std::string_view::npos;
}

/// ⁰¹²³⁴⁵⁶⁷⁸⁹: the digit, and how many bytes it has.
std::optional<std::pair<std::size_t, std::size_t>> superscript(std::string_view text) {
  static constexpr std::array<std::string_view, 10> kDigits = {"⁰", "¹", "²", "³", "⁴",
                                                               "⁵", "⁶", "⁷", "⁸", "⁹"};
  for (std::size_t digit = 0; digit < kDigits.size(); ++digit) {
    if (text.starts_with(kDigits[digit])) return std::pair{digit, kDigits[digit].size()};
  }
  return std::nullopt;
}

/// The literal behind one of the names, as an argument is pasted: `placements=(Shard(dim=0),)`.
Result<PythonLiteral> named_argument(std::string_view text,
                                     std::initializer_list<std::string_view> names) {
  for (const std::string_view name : names) {
    if (!text.starts_with(name)) continue;
    // Blanks keep the places of what follows.
    std::string blanked(text);
    std::fill_n(blanked.begin(), name.size(), ' ');
    return parse_python_literal(blanked);
  }
  return parse_python_literal(text);
}

Refusal wrong_alpa(std::string_view text, std::size_t position) {
  return refuse(Diagnostic("syntax.sharding",
                           fmt::format("{} is not a spec of Alpa: one S with the digits of mesh "
                                       "axes, or R, for each dimension, as in S01R",
                                       quote(text)))
                    .with_span({position, std::min(position + 1, text.size())}));
}

}  // namespace

Result<axe::Mesh> parse_mesh(std::string_view text) {
  if (begins_shardy_mesh(text)) return read_shardy_mesh(text);
  HEDDLE_TRY(const PythonLiteral literal, named_argument(text, {"mesh:", "mesh="}));
  // PyTorch prints the sizes alone, mesh: (2, 4).
  const bool are_sizes = text.starts_with("mesh:");
  return are_sizes ? SpecReader(text).mesh_of_sizes(literal, &literal, nullptr)
                   : SpecReader(text).mesh(literal);
}

Result<axe::Sharding> parse_sharding(std::string_view text) {
  HEDDLE_CHECK(check_encoding(text));
  if (text.starts_with("#sdy.") || text.starts_with("<@") || text.starts_with("<mesh")) {
    return read_shardy(text);
  }
  constexpr std::string_view kGspmd = "GSPMDSharding(";
  if (text.starts_with(kGspmd)) {
    // What follows the braces, such as memory_kind=device, is no part of the sharding.
    const std::string_view inside = text.substr(kGspmd.size());
    return read_hlo_sharding(inside.substr(0, inside.rfind('}') + 1));
  }
  const bool is_order = text.size() > 1 && is_digit(text[1]);
  if (text.starts_with('{') && !is_order) return read_hlo_sharding(text);
  if (text.starts_with("Spec(") || text.find("][") != std::string_view::npos) {
    return read_torch_spec(text);
  }
  if (const auto listed = listed_placements(text)) {
    HEDDLE_TRY(axe::Placements placements, parse_placements(*listed));
    return axe::Sharding{std::move(placements)};
  }
  HEDDLE_TRY(const PythonLiteral literal, parse_python_literal(text));
  return SpecReader(text).sharding(literal);
}

Result<axe::Placements> parse_placements(std::string_view text) {
  HEDDLE_TRY(const PythonLiteral literal, named_argument(text, {"placements="}));
  return SpecReader(text).placements(literal);
}

Result<axe::PartitionSpec> parse_partition_spec(std::string_view text) {
  HEDDLE_TRY(const PythonLiteral literal, parse_python_literal(text));
  return SpecReader(text).partition_spec(literal);
}

Result<axe::AlpaSpec> parse_alpa(std::string_view text) {
  HEDDLE_CHECK(check_encoding(text));
  axe::AlpaSpec spec;
  bool is_shard = false;
  bool needs_digit = false;
  std::size_t last = 0;
  for (std::size_t i = 0; i < text.size();) {
    const char c = text[i];
    const auto high = superscript(text.substr(i));
    if (is_filler(c)) {
      ++i;
    } else if (high || (c >= '0' && c <= '9')) {
      if (!is_shard) return wrong_alpa(text, i);
      spec.dims.back().push_back(high ? high->first : static_cast<std::size_t>(c - '0'));
      needs_digit = false;
      i += high ? high->second : 1;
    } else if ((c == 'S' || c == 'R') && !needs_digit) {
      spec.dims.emplace_back();
      is_shard = needs_digit = c == 'S';
      last = i++;
    } else {
      return wrong_alpa(text, i);
    }
  }
  if (needs_digit || spec.dims.empty()) return wrong_alpa(text, last);
  return spec;
}

}  // namespace heddle::notation
