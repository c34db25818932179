#include "heddle/axe/sharding_spec.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <numeric>
#include <ostream>
#include <set>
#include <span>

#include "axe/layout/iters.h"
#include "axe/sharding/sharding_parts.h"
#include "core/python_text.h"
#include "core/text.h"

namespace heddle::axe {
namespace {

using Counts = std::vector<std::int64_t>;

/// How shards that are not even are cut.
enum class Rounding : std::uint8_t { kRefused, kPadded, kChunked };

Rounding rounding_of(const Sharding& sharding) {
  if (std::holds_alternative<PartitionSpec>(sharding.spec)) return Rounding::kRefused;
  return std::holds_alternative<Placements>(sharding.spec) ? Rounding::kChunked : Rounding::kPadded;
}

// ---- Shardy: parts of axes as axes of a finer mesh ----

/// Shardy has names in double quotes, HLO in single ones.
std::string part_text(const AxisPart& part, char quote = '"') {
  if (!part.size) return fmt::format("{1}{0}{1}", part.axis, quote);
  return fmt::format("{1}{0}{1}:({2}){3}", part.axis, quote, part.pre_size, *part.size);
}

std::string parts_text(std::span<const AxisPart> parts, char quote) {
  std::vector<std::string> texts;
  for (const AxisPart& part : parts) texts.push_back(part_text(part, quote));
  return fmt::format("{}", fmt::join(texts, ", "));
}

std::vector<AxisPart> parts_in(const ShardySpec& spec) {
  std::vector<AxisPart> parts;
  for (const ShardyDimension& dim : spec.dims) {
    parts.insert(parts.end(), dim.axes.begin(), dim.axes.end());
  }
  parts.insert(parts.end(), spec.replicated.begin(), spec.replicated.end());
  parts.insert(parts.end(), spec.unreduced.begin(), spec.unreduced.end());
  parts.insert(parts.end(), spec.manual.begin(), spec.manual.end());
  return parts;
}

/// A mesh whose axes are cut wherever a part of an axis begins or ends.
class FineMesh {
 public:
  static Result<FineMesh> make(const Mesh& mesh, std::span<const AxisPart> parts) {
    FineMesh fine(mesh);
    for (const AxisPart& part : parts) HEDDLE_CHECK(fine.cut(part));
    HEDDLE_CHECK(fine.finish());
    return fine;
  }

  [[nodiscard]] const Mesh& mesh() const { return mesh_; }

  /// The axes of the finer mesh that the part consists of, coarsest first. Each may be taken once.
  Result<std::vector<std::size_t>> take(const AxisPart& part) {
    const std::size_t axis = *coarse_.axis(part.axis);
    const std::int64_t end = part.pre_size * part.size.value_or(coarse_.extents()[axis]);
    std::vector<std::size_t> result;
    for (auto at = borders_[axis].find(part.pre_size); *at != end; ++at) {
      const auto number = static_cast<std::size_t>(std::distance(borders_[axis].begin(), at));
      result.push_back(first_[axis] + number);
      if (is_taken_[result.back()]) {
        return refuse("axe.sharding_spec", "the devices of {} are used twice", part_text(part));
      }
      is_taken_[result.back()] = true;
    }
    return result;
  }

 private:
  explicit FineMesh(const Mesh& mesh) : coarse_(mesh), borders_(mesh.rank()) {
    for (std::size_t axis = 0; axis < mesh.rank(); ++axis) {
      borders_[axis] = {1, mesh.extents()[axis]};
    }
  }

  Result<void> cut(const AxisPart& part) {
    HEDDLE_TRY(const std::size_t axis, axis_named(coarse_, part.axis));
    if (!part.size) return {};
    const std::int64_t extent = coarse_.extents()[axis];
    const bool fits = extent % part.pre_size == 0 && (extent / part.pre_size) % *part.size == 0;
    if (!fits) {
      return refuse(diagnose("axe.sharding_spec", "axis {} of {} has no part {}", part.axis,
                             counted(extent, "device"), part_text(part))
                        .with_note(fmt::format("{} * {} does not divide {}", part.pre_size,
                                               *part.size, extent)));
    }
    borders_[axis].insert(part.pre_size);
    borders_[axis].insert(part.pre_size * *part.size);
    return {};
  }

  Result<void> finish() {
    Counts extents;
    std::vector<std::string> names;
    for (std::size_t axis = 0; axis < coarse_.rank(); ++axis) {
      first_.push_back(extents.size());
      const Counts borders(borders_[axis].begin(), borders_[axis].end());
      const bool is_whole = borders.size() <= 2;
      for (std::size_t i = 1; i < borders.size(); ++i) {
        if (borders[i] % borders[i - 1] != 0) {
          return refuse("axe.sharding_spec",
                        "axis {} is cut after {} and after {}, which do not nest",
                        coarse_.names()[axis], borders[i - 1], counted(borders[i], "device"));
        }
        extents.push_back(borders[i] / borders[i - 1]);
        names.push_back(is_whole ? coarse_.names()[axis]
                                 : fmt::format("{}:({}){}", coarse_.names()[axis], borders[i - 1],
                                               extents.back()));
      }
    }
    is_taken_.assign(extents.size(), false);
    HEDDLE_TRY(mesh_, Mesh::make(std::move(extents), std::move(names),
                                 {coarse_.devices().begin(), coarse_.devices().end()}));
    return {};
  }

  Mesh coarse_;
  Mesh mesh_;
  /// For each axis, the numbers of devices after which it is cut; an axis of one device has none.
  std::vector<std::set<std::int64_t>> borders_;
  /// The first axis of the finer mesh in each axis.
  std::vector<std::size_t> first_;
  std::vector<bool> is_taken_;
};

Result<Division> division_of(const Mesh& mesh, const ShardySpec& spec, std::span<const Int> shape) {
  // On a single device a spec need not name the dimensions.
  const bool is_maximal = mesh.rank() == 0 && spec.dims.empty();
  if (spec.dims.size() != shape.size() && !is_maximal) {
    return refuse("axe.sharding_spec", "{} is for {}; {} has {}", to_string(spec),
                  counted(static_cast<std::int64_t>(spec.dims.size()), "dimension"),
                  tuple_text(shape), shape.size());
  }
  HEDDLE_TRY(FineMesh fine, FineMesh::make(mesh, parts_in(spec)));
  if (!spec.manual.empty()) {
    return refuse("axe.sharding_spec",
                  "the placement over {} is left to the program on each device; there is no layout "
                  "of it",
                  parts_text(spec.manual, '\''));
  }
  Division division{fine.mesh(), {}, {}};
  for (std::size_t dim = 0; dim < spec.dims.size(); ++dim) {
    for (const AxisPart& part : spec.dims[dim].axes) {
      HEDDLE_TRY(const std::vector<std::size_t> axes, fine.take(part));
      for (const std::size_t axis : axes) division.cuts.push_back({axis, dim, 1});
    }
  }
  for (const AxisPart& part : spec.replicated) HEDDLE_CHECK(fine.take(part));
  for (const AxisPart& part : spec.unreduced) {
    HEDDLE_TRY(const std::vector<std::size_t> axes, fine.take(part));
    for (const std::size_t axis : axes) {
      division.partial.push_back({fine.mesh().names()[axis], spec.reduce_op});
    }
  }
  return division;
}

// ---- XLA: the grid is the mesh ----

std::int64_t device_count(std::span<const std::int64_t> numbers) {
  return std::accumulate(numbers.begin(), numbers.end(), std::int64_t{1}, std::multiplies<>());
}

/// The numbers from 0 on, reshaped to `extents`, transposed, in row-major order.
Counts transposed_iota(std::span<const std::int64_t> extents,
                       std::span<const std::size_t> transpose) {
  Counts strides(extents.size(), 1);
  for (std::size_t i = extents.size(); i-- > 1;) strides[i - 1] = strides[i] * extents[i];
  Counts result = {0};
  for (std::size_t i = 0; i < extents.size(); ++i) {
    const std::size_t from = transpose.empty() ? i : transpose[i];
    Counts next;
    for (const std::int64_t start : result) {
      for (std::int64_t j = 0; j < extents[from]; ++j) next.push_back(start + j * strides[from]);
    }
    result = std::move(next);
  }
  return result;
}

Result<Mesh> mesh_of(const HloSpec& spec) {
  if (spec.kind == HloSpec::Kind::kMaximal) return Mesh::make({}, {}, spec.devices);
  Counts devices = spec.devices;
  if (!spec.iota.empty() && device_count(spec.iota) <= Mesh::kMaxDevices) {
    devices = transposed_iota(spec.iota, spec.transpose);
  }
  return Mesh::make(spec.tiles, {}, std::move(devices));
}

Refusal undecided(const HloSpec& spec, const char* reason) {
  return refuse("axe.sharding_spec", "{} {}; there is no layout of it", to_string(spec), reason);
}

Result<Division> division_of(const Mesh& mesh, const HloSpec& spec, std::span<const Int> shape) {
  Division division{mesh, {}, {}};
  switch (spec.kind) {
    case HloSpec::Kind::kReplicated:
    case HloSpec::Kind::kMaximal:
      return division;
    case HloSpec::Kind::kManual:
      return undecided(spec, "leaves the placement to the program on each device");
    case HloSpec::Kind::kUnknown:
      return undecided(spec, "leaves the placement to the compiler");
    case HloSpec::Kind::kUnreduced:
      for (const std::string& axis : mesh.names()) {
        division.partial.push_back({axis, spec.reduce_op});
      }
      return division;
    case HloSpec::Kind::kTiled:
      break;
  }
  const std::size_t rank = spec.tiles.size() - spec.subgroups.size();
  if (rank != shape.size()) {
    return refuse("axe.sharding_spec", "{} is for {}; {} has {}", to_string(spec),
                  counted(static_cast<std::int64_t>(rank), "dimension"), tuple_text(shape),
                  shape.size());
  }
  for (std::size_t dim = 0; dim < rank; ++dim) division.cuts.push_back({dim, dim, 1});
  for (std::size_t i = 0; i < spec.subgroups.size(); ++i) {
    if (spec.subgroups[i] == HloSpec::Subgroup::kManual) {
      return undecided(spec, "leaves a part of the placement to the program on each device");
    }
    if (spec.subgroups[i] == HloSpec::Subgroup::kUnreduced) {
      division.partial.push_back({mesh.names()[rank + i], "sum"});
    }
  }
  return division;
}

Result<Division> division_of(const Mesh&, const ShardingTuple& tuple, std::span<const Int>) {
  return refuse("axe.sharding_spec", "there are shardings of {}; a layout is that of one",
                counted(static_cast<std::int64_t>(tuple.parts.size()), "tensor"));
}

// ---- What is known ----

std::string_view example_of(const Sharding& sharding) {
  if (std::holds_alternative<PartitionSpec>(sharding.spec)) {
    return "sharding(P('x', None), Mesh('x': 8), (64,32))";
  }
  if (std::holds_alternative<Placements>(sharding.spec)) {
    return "sharding([Shard(0), Replicate()], DeviceMesh([[0, 1], [2, 3]]), (64,32))";
  }
  if (std::holds_alternative<ShardySpec>(sharding.spec)) {
    return "sharding(#sdy.sharding<@mesh, [{\"x\"}, {}]>, <[\"x\"=8]>, (64,32))";
  }
  return "sharding({devices=[8,1]<=[8]}, shape=(64,32))";
}

Refusal lacking(const Sharding& sharding, const char* what) {
  return refuse(
      diagnose("axe.sharding_spec", "{} does not give {}", to_string(sharding), what)
          .with_hint(fmt::format("a sharding is a map over a mesh, of a tensor's shape: {}",
                                 example_of(sharding))));
}

/// Whether the sharding is one of XLA with a grid of its own.
const HloSpec* grid_of(const Sharding& sharding) {
  const auto* spec = std::get_if<HloSpec>(&sharding.spec);
  if (spec == nullptr) return nullptr;
  const bool has_grid =
      spec->kind == HloSpec::Kind::kTiled || spec->kind == HloSpec::Kind::kMaximal;
  return has_grid ? spec : nullptr;
}

/// The strides of a part that has its dimensions in the order that the sharding says.
Result<LocalStrides> local_strides(const Sharding& sharding, std::span<const Parts> dims) {
  const std::vector<std::size_t>& order = sharding.major_to_minor;
  if (order.empty()) return LocalStrides();
  if (order.size() != dims.size()) {
    return refuse("axe.sharding_spec", "{} orders {}; {} has {}", to_string(sharding),
                  counted(static_cast<std::int64_t>(order.size()), "dimension"),
                  tuple_text(*sharding.shape), dims.size());
  }
  std::vector<Int> strides(dims.size(), 1);
  Int stride = 1;
  for (std::size_t i = order.size(); i-- > 0; stride *= whole_size(dims[order[i]])) {
    strides[order[i]] = stride;
  }
  return LocalStrides(std::move(strides));
}

// ---- Shards that are boxes ----

/// One dimension on one device.
struct Stretch {
  std::int64_t begin = 0;
  std::int64_t end = 0;
  std::int64_t extent = 0;
};

std::int64_t rounded_up(std::int64_t size, std::int64_t parts) {
  return (size + parts - 1) / parts;
}

/// Which of how many shards an axis gives to a device, of each of `pieces` pieces.
struct ShardNumber {
  std::int64_t index = 0;
  std::int64_t extent = 1;
  std::int64_t pieces = 1;
};

/// The shards over all axes together have one extent; the last ones are padded.
Stretch padded(std::int64_t size, std::span<const ShardNumber> axes) {
  std::int64_t number = 0;
  std::int64_t count = 1;
  for (const ShardNumber& axis : axes) {
    number = number * axis.extent + axis.index;
    count *= axis.extent;
  }
  const std::int64_t extent = rounded_up(size, count);
  return {std::min(number * extent, size), std::min((number + 1) * extent, size), extent};
}

/// Elements of a dimension in the order in which a device holds them: from the first up to the end.
using Runs = std::vector<std::pair<std::int64_t, std::int64_t>>;

std::int64_t size_of(const Runs& runs) {
  std::int64_t size = 0;
  for (const auto& [begin, end] : runs) size += end - begin;
  return size;
}

/// Appends what is at the places from `begin` up to `end` in the runs.
void append_part(Runs& part, const Runs& runs, std::int64_t begin, std::int64_t end) {
  std::int64_t at = 0;
  for (const auto& [first, last] : runs) {
    const std::int64_t from = std::max(begin, at) - at + first;
    const std::int64_t to = std::min(end, at + last - first) - at + first;
    at += last - first;
    if (from >= to) continue;
    if (!part.empty() && part.back().second == from) {
      part.back().second = to;
    } else {
      part.emplace_back(from, to);
    }
  }
}

/// Where torch.chunk begins and ends the piece of this number.
std::pair<std::int64_t, std::int64_t> chunk(std::int64_t size, std::int64_t number,
                                            std::int64_t of) {
  const std::int64_t step = rounded_up(size, of);
  const std::int64_t begin = std::min(number * step, size);
  return {begin, std::min(begin + step, size)};
}

/// Each axis cuts the pieces of what the axes before it left to the device, as torch.chunk does.
Runs chunked(std::int64_t size, std::span<const ShardNumber> axes) {
  Runs runs = {{0, size}};
  for (const ShardNumber& axis : axes) {
    const std::int64_t whole = size_of(runs);
    Runs part;
    // Pieces past the end are empty.
    for (std::int64_t piece = 0; piece < std::min(axis.pieces, whole); ++piece) {
      const auto [from, to] = chunk(whole, piece, axis.pieces);
      const auto [begin, end] = chunk(to - from, axis.index, axis.extent);
      append_part(part, runs, from + begin, from + end);
    }
    runs = std::move(part);
  }
  return runs;
}

/// For each dimension the shards that the axes give to a device, coarsest first.
using Numbers = std::vector<std::vector<ShardNumber>>;

Numbers numbers_of(const Division& division, std::size_t position, std::size_t rank) {
  const std::span<const std::int64_t> extents = division.mesh.extents();
  Counts point(extents.size());
  auto rest = static_cast<std::int64_t>(position);
  for (std::size_t i = extents.size(); i-- > 0; rest /= extents[i]) point[i] = rest % extents[i];
  Numbers numbers(rank);
  for (const Cut& cut : division.cuts) {
    numbers[cut.dim].push_back({point[cut.axis], extents[cut.axis], cut.split_factor.value()});
  }
  return numbers;
}

Shard padded_shard(std::int64_t device, const Counts& extents, const Numbers& numbers) {
  Shard shard{device, {}, {}};
  for (std::size_t dim = 0; dim < extents.size(); ++dim) {
    const Stretch part = padded(extents[dim], numbers[dim]);
    shard.box.emplace_back(part.begin, part.end);
    shard.extents.push_back(part.extent);
  }
  return shard;
}

constexpr std::size_t kMaxBoxes = 65536;

/// Appends the boxes whose sides are runs of the dimensions; false if there are too many.
bool append_boxes(std::vector<Shard>& shards, std::int64_t device, std::span<const Runs> runs) {
  Shard whole{device, {}, {}};
  for (const Runs& of_dim : runs) whole.extents.push_back(size_of(of_dim));
  std::vector<Shard> boxes = {whole};
  for (const Runs& of_dim : runs) {
    std::vector<Shard> next;
    for (const Shard& box : boxes) {
      std::int64_t first = 0;
      for (const auto& run : of_dim.empty() ? Runs{{0, 0}} : of_dim) {
        if (shards.size() + next.size() == kMaxBoxes) return false;
        Shard& grown = next.emplace_back(box);
        grown.box.push_back(run);
        grown.first.push_back(first);
        first += run.second - run.first;
      }
    }
    boxes = std::move(next);
  }
  for (Shard& box : boxes) {
    if (std::ranges::all_of(box.first, [](std::int64_t first) { return first == 0; })) {
      box.first.clear();
    }
  }
  std::ranges::move(boxes, std::back_inserter(shards));
  return true;
}

Result<Counts> constant_extents(std::span<const Int> shape) {
  HEDDLE_CHECK(check_extents(shape));
  Counts extents;
  for (const Int& extent : shape) {
    if (!extent.is_constant()) {
      return refuse("assume.needed", "shards are listed for sizes that are numbers; {} has {}",
                    tuple_text(shape), extent);
    }
    extents.push_back(extent.value());
  }
  return extents;
}

// ---- Texts ----

std::string tensor_text(const std::vector<Int>& shape) {
  std::vector<std::string> extents;
  for (const Int& extent : shape) extents.push_back(heddle::to_string(extent));
  return fmt::format("({}{})", fmt::join(extents, ", "), extents.size() == 1 ? "," : "");
}

std::string dimension_text(const ShardyDimension& dim, char quote) {
  std::string text = parts_text(dim.axes, quote);
  if (dim.is_open) text += text.empty() ? "?" : ", ?";
  text = fmt::format("{{{}}}", text);
  return dim.priority ? fmt::format("{}p{}", text, *dim.priority) : text;
}

bool counts_from_zero(const Mesh& mesh) {
  std::int64_t next = 0;
  return std::ranges::all_of(mesh.devices(), [&](std::int64_t id) { return id == next++; });
}

/// `mesh<["x"=2, "y"=2], device_ids=[…]>` without its name.
std::string shardy_mesh(const Mesh& mesh) {
  std::vector<std::string> axes;
  for (std::size_t i = 0; i < mesh.rank(); ++i) {
    axes.push_back(fmt::format("\"{}\"={}", mesh.names()[i], mesh.extents()[i]));
  }
  const std::string ids = counts_from_zero(mesh)
                              ? ""
                              : fmt::format(", device_ids=[{}]", fmt::join(mesh.devices(), ", "));
  return fmt::format("<[{}]{}>", fmt::join(axes, ", "), ids);
}

/// `mesh['x'=2,'y'=2], device_ids=(…)`.
std::string hlo_mesh(const Mesh& mesh) {
  std::vector<std::string> axes;
  for (std::size_t i = 0; i < mesh.rank(); ++i) {
    axes.push_back(fmt::format("'{}'={}", mesh.names()[i], mesh.extents()[i]));
  }
  const std::string ids = counts_from_zero(mesh)
                              ? ""
                              : fmt::format(", device_ids=({})", fmt::join(mesh.devices(), ","));
  return fmt::format("mesh[{}]{}", fmt::join(axes, ","), ids);
}

/// The operation before a set of axes or alone; nothing for the usual one.
std::string_view reduction_text(std::string_view reduce_op) {
  return reduce_op == "sum" ? std::string_view() : reduce_op;
}

/// `<@mesh, [{"x"}, {}]>`, `{mesh['x'=2], [{'x'}, {}]}`.
std::string shardy_text(const ShardySpec& spec, const std::optional<Mesh>& mesh) {
  const char quote = spec.is_hlo ? '\'' : '"';
  std::vector<std::string> dims;
  for (const ShardyDimension& dim : spec.dims) dims.push_back(dimension_text(dim, quote));
  std::string text = "@" + spec.mesh_name;
  if (mesh) text = spec.is_hlo ? hlo_mesh(*mesh) : "mesh" + shardy_mesh(*mesh);
  text += fmt::format(", [{}]", fmt::join(dims, ", "));
  if (!spec.replicated.empty()) {
    text += fmt::format(", replicated={{{}}}", parts_text(spec.replicated, quote));
  }
  if (!spec.unreduced.empty()) {
    text += fmt::format(", unreduced={}{{{}}}", reduction_text(spec.reduce_op),
                        parts_text(spec.unreduced, quote));
  }
  if (!spec.manual.empty()) {
    text += fmt::format(", manual={{{}}}", parts_text(spec.manual, quote));
  }
  return fmt::format(fmt::runtime(spec.is_hlo ? "{{{}{}}}" : "<{}{}>"), text, spec.notes);
}

/// With the name of its dialect.
std::string whole_shardy_text(const ShardySpec& spec, const std::optional<Mesh>& mesh) {
  return (spec.is_hlo ? "" : "#sdy.sharding") + shardy_text(spec, mesh);
}

std::string_view subgroup_text(HloSpec::Subgroup subgroup) {
  switch (subgroup) {
    case HloSpec::Subgroup::kReplicated:
      return "replicated";
    case HloSpec::Subgroup::kManual:
      return "manual";
    case HloSpec::Subgroup::kUnreduced:
      return "unreduced";
  }
  return "";
}

std::string grid_text(const HloSpec& spec) {
  std::string text = fmt::format("devices=[{}]", fmt::join(spec.tiles, ","));
  if (spec.iota.empty()) {
    text += fmt::format("{}", fmt::join(spec.devices, ","));
  } else {
    text += fmt::format("<=[{}]", fmt::join(spec.iota, ","));
  }
  if (!spec.transpose.empty()) text += fmt::format("T({})", fmt::join(spec.transpose, ","));
  if (spec.replicates_last) return text + " last_tile_dim_replicate";
  if (spec.subgroups.empty()) return text;
  std::vector<std::string_view> subgroups;
  for (const HloSpec::Subgroup subgroup : spec.subgroups) {
    subgroups.push_back(subgroup_text(subgroup));
  }
  return fmt::format("{} last_tile_dims={{{}}}", text, fmt::join(subgroups, ", "));
}

std::string kind_text(const HloSpec& spec) {
  switch (spec.kind) {
    case HloSpec::Kind::kReplicated:
      return "replicated";
    case HloSpec::Kind::kMaximal:
      return fmt::format("maximal device={}", spec.devices.front());
    case HloSpec::Kind::kManual:
      return "manual";
    case HloSpec::Kind::kUnknown:
      return "unknown";
    case HloSpec::Kind::kUnreduced:
      return spec.reduce_op == "sum" ? "unreduced" : "unreduced=" + spec.reduce_op;
    case HloSpec::Kind::kTiled:
      break;
  }
  return grid_text(spec);
}

/// A grid is a mesh; what has none is written with its mesh, `{mesh['x'=2], replicated}`.
std::string hlo_text(const HloSpec& spec, const std::optional<Mesh>& mesh) {
  const bool has_grid = spec.kind == HloSpec::Kind::kTiled || spec.kind == HloSpec::Kind::kMaximal;
  const std::string over = mesh && !has_grid ? hlo_mesh(*mesh) + ", " : "";
  return fmt::format("{{{}{}{}}}", over, kind_text(spec), spec.notes);
}

/// Of a part of a tuple Shardy leaves out its dialect.
std::string short_text(const Sharding& sharding) {
  const auto* spec = std::get_if<ShardySpec>(&sharding.spec);
  return spec == nullptr ? to_string(sharding) : shardy_text(*spec, sharding.mesh);
}

std::string texts_of(const ShardingTuple& tuple) {
  std::vector<std::string> texts;
  for (const Sharding& part : tuple.parts) texts.push_back(short_text(part));
  return fmt::format(fmt::runtime(tuple.is_shardy ? "#sdy.sharding_per_value<[{}]>" : "{{{}}}"),
                     fmt::join(texts, ", "));
}

std::string jax_sharding(const PartitionSpec& spec, const std::optional<Mesh>& mesh) {
  if (!mesh) return to_string(spec);
  return fmt::format("NamedSharding(mesh={}, spec={})", jax_text(*mesh), to_string(spec));
}

std::string torch_spec(const Placements& placements, const Sharding& sharding) {
  if (!sharding.mesh && !sharding.shape) return to_string(placements);
  if (!sharding.mesh) {
    return fmt::format("Spec({} on {})", to_string(placements), tensor_text(*sharding.shape));
  }
  const std::string tensor = !sharding.shape
                                 ? ""
                                 : fmt::format(", tensor_meta=TensorMeta(shape=torch.Size({}))",
                                               tuple_text(*sharding.shape));
  return fmt::format("DTensorSpec(mesh={}, placements={}{})", to_string(*sharding.mesh),
                     to_string(placements), tensor);
}

}  // namespace

std::string jax_text(const Mesh& mesh) {
  std::vector<std::string> axes;
  for (std::size_t i = 0; i < mesh.rank(); ++i) {
    axes.push_back(fmt::format("{}: {}", python_repr(mesh.names()[i]), mesh.extents()[i]));
  }
  if (counts_from_zero(mesh)) return fmt::format("Mesh({})", fmt::join(axes, ", "));
  const std::string ids = to_string(*Mesh::make({mesh.extents().begin(), mesh.extents().end()}, {},
                                                {mesh.devices().begin(), mesh.devices().end()}));
  constexpr std::string_view kName = "DeviceMesh(";
  return fmt::format("Mesh(device_ids=array({}, axis_names=({},))", ids.substr(kName.size()),
                     python_reprs(mesh.names()));
}

std::string to_string(const ShardySpec& spec) { return whole_shardy_text(spec, {}); }

std::string to_string(const HloSpec& spec) { return hlo_text(spec, {}); }

std::string to_string(const Sharding& sharding) {
  if (!sharding.major_to_minor.empty()) {
    Sharding alone = sharding;
    alone.major_to_minor.clear();
    return fmt::format("Format(layout=Layout(major_to_minor=({}{})), sharding={})",
                       fmt::join(sharding.major_to_minor, ", "),
                       sharding.major_to_minor.size() == 1 ? "," : "", to_string(alone));
  }
  if (const auto* placements = std::get_if<Placements>(&sharding.spec)) {
    return torch_spec(*placements, sharding);
  }
  std::string text;
  if (const auto* spec = std::get_if<ShardySpec>(&sharding.spec)) {
    text = whole_shardy_text(*spec, sharding.mesh);
  } else if (const auto* grid = std::get_if<HloSpec>(&sharding.spec)) {
    text = hlo_text(*grid, sharding.mesh);
  } else if (const auto* tuple = std::get_if<ShardingTuple>(&sharding.spec)) {
    text = texts_of(*tuple);
  } else {
    text = jax_sharding(std::get<PartitionSpec>(sharding.spec), sharding.mesh);
  }
  return sharding.shape ? fmt::format("{} on {}", text, tensor_text(*sharding.shape)) : text;
}

bool operator==(const Sharding& a, const Sharding& b) { return to_string(a) == to_string(b); }

std::ostream& operator<<(std::ostream& stream, const Sharding& sharding) {
  return stream << to_string(sharding);
}

Result<Mesh> mesh_of(const Sharding& sharding) {
  const HloSpec* grid = grid_of(sharding);
  if (grid == nullptr) {
    if (sharding.mesh) return *sharding.mesh;
    return lacking(sharding, "its mesh");
  }
  HEDDLE_TRY(Mesh mesh, mesh_of(*grid));
  if (!sharding.mesh || grid->kind == HloSpec::Kind::kMaximal) return mesh;
  const auto ids = [](const Mesh& of) {
    return std::set<std::int64_t>(of.devices().begin(), of.devices().end());
  };
  if (ids(mesh) == ids(*sharding.mesh)) return mesh;
  return refuse("axe.sharding_spec", "{} uses different devices from {}", to_string(sharding),
                to_string(*sharding.mesh));
}

Result<Division> division_of(const Sharding& sharding) {
  if (const auto* tuple = std::get_if<ShardingTuple>(&sharding.spec)) {
    return division_of(Mesh(), *tuple, {});
  }
  HEDDLE_TRY(const Mesh mesh, mesh_of(sharding));
  if (!sharding.shape) return lacking(sharding, "the shape of its tensor");
  return std::visit(
      [&](const auto& spec) -> Result<Division> {
        return division_of(mesh, spec, *sharding.shape);
      },
      sharding.spec);
}

Result<Sharded> place(const Sharding& sharding) {
  HEDDLE_TRY(const Division division, division_of(sharding));
  HEDDLE_TRY(const std::vector<Parts> dims, cut_up(division.mesh, *sharding.shape, division.cuts));
  HEDDLE_TRY(const LocalStrides strides, local_strides(sharding, dims));
  HEDDLE_TRY(Layout layout, layout_of(division.mesh, dims, strides));
  // Values may be partial over a part of an axis, which only the finer mesh has.
  HEDDLE_TRY(Mesh mesh, division.partial.empty() ? mesh_of(sharding) : division.mesh);
  return Sharded{std::move(layout), std::move(mesh), *sharding.shape, division.partial};
}

Result<std::vector<Shard>> shards_of(const Sharding& sharding) {
  HEDDLE_TRY(const Division division, division_of(sharding));
  HEDDLE_TRY(const Counts extents, constant_extents(*sharding.shape));
  const Rounding rounding = rounding_of(sharding);
  if (rounding == Rounding::kRefused) {
    HEDDLE_CHECK(cut_up(division.mesh, *sharding.shape, division.cuts));
  }
  for (const Cut& cut : division.cuts) {
    if (cut.split_factor.is_constant()) continue;
    return refuse("assume.needed", "shards are listed for split factors that are numbers, not {}",
                  cut.split_factor);
  }
  std::vector<Shard> shards;
  for (std::size_t at = 0; at < division.mesh.devices().size(); ++at) {
    const std::int64_t device = division.mesh.devices()[at];
    const Numbers numbers = numbers_of(division, at, extents.size());
    if (rounding != Rounding::kChunked) {
      shards.push_back(padded_shard(device, extents, numbers));
      continue;
    }
    std::vector<Runs> runs;
    for (std::size_t dim = 0; dim < extents.size(); ++dim) {
      runs.push_back(chunked(extents[dim], numbers[dim]));
    }
    if (!append_boxes(shards, device, runs)) {
      return refuse("axe.uneven_shard", "the shards of {} are more than {} boxes",
                    to_string(sharding), kMaxBoxes);
    }
  }
  return shards;
}

}  // namespace heddle::axe
