#include "heddle/axe/mesh.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "axe/layout/iters.h"
#include "core/python_text.h"
#include "core/text.h"
#include "heddle/form/recover.h"

namespace heddle::axe {
namespace {

std::vector<std::string> numbers_as_names(std::size_t rank) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < rank; ++i) names.push_back(std::to_string(i));
  return names;
}

Result<void> check_names(std::span<const std::string> names, std::size_t rank) {
  if (names.size() != rank) {
    return refuse("axe.mesh", "a mesh of {} has the names ({})", counted(rank, "axis"),
                  fmt::join(names, ", "));
  }
  for (std::size_t i = 0; i < rank; ++i) {
    if (names[i].empty()) return refuse("axe.mesh", "axis {} of a mesh has no name", i);
    const auto first = std::ranges::find(names, names[i]) - names.begin();
    if (static_cast<std::size_t>(first) == i) continue;
    return refuse("axe.mesh", "axes {} and {} of a mesh are both called {}", first, i, names[i]);
  }
  return {};
}

/// The number of devices.
Result<std::int64_t> checked_size(std::span<const std::int64_t> extents) {
  if (extents.size() > Mesh::kMaxRank) {
    return refuse("axe.mesh", "a mesh of {}; up to {} are taken", counted(extents.size(), "axis"),
                  Mesh::kMaxRank);
  }
  std::int64_t size = 1;
  for (const std::int64_t extent : extents) {
    if (extent < 1) {
      return refuse("axe.mesh", "a mesh has the extents ({}), and {} is below 1",
                    fmt::join(extents, ","), extent);
    }
    if (extent > Mesh::kMaxDevices / size) {
      return refuse("axe.mesh", "a mesh of extents ({}); up to {} devices are taken",
                    fmt::join(extents, ","), Mesh::kMaxDevices);
    }
    size *= extent;
  }
  return size;
}

std::vector<std::int64_t> entry_at(std::span<const std::int64_t> extents, std::int64_t index) {
  std::vector<std::int64_t> point(extents.size());
  for (std::size_t i = extents.size(); i-- > 0; index /= extents[i]) point[i] = index % extents[i];
  return point;
}

std::string entry_text(std::span<const std::int64_t> extents, std::int64_t index) {
  return fmt::format("({})", fmt::join(entry_at(extents, index), ","));
}

Result<void> check_devices(std::span<const std::int64_t> extents,
                           std::span<const std::int64_t> devices) {
  std::vector<std::int64_t> order(devices.size());
  std::iota(order.begin(), order.end(), 0);
  const auto id = [&](std::int64_t i) { return devices[static_cast<std::size_t>(i)]; };
  std::ranges::stable_sort(order, {}, id);
  if (id(order.front()) < 0) {
    return refuse("axe.mesh", "the entry {} of a mesh is the device {}; ids start at 0",
                  entry_text(extents, order.front()), id(order.front()));
  }
  const auto twice = std::ranges::adjacent_find(order, {}, id);
  if (twice == order.end()) return {};
  return refuse("axe.mesh", "the entries {} and {} of a mesh are both device {}",
                entry_text(extents, twice[0]), entry_text(extents, twice[1]), id(twice[0]));
}

std::string nested_text(std::span<const std::int64_t> extents,
                        std::span<const std::int64_t> devices) {
  if (extents.empty()) return std::to_string(devices.front());
  const std::size_t step = devices.size() / static_cast<std::size_t>(extents.front());
  std::vector<std::string> parts;
  for (std::size_t begin = 0; begin < devices.size(); begin += step) {
    parts.push_back(nested_text(extents.subspan(1), devices.subspan(begin, step)));
  }
  return fmt::format("[{}]", fmt::join(parts, ", "));
}

Refusal no_layout(const Mesh& mesh, std::string note) {
  return refuse(
      Diagnostic("axe.mesh_layout", "the devices of a mesh do not run in strides along its axes")
          .with_note(fmt::format("the mesh is {}", to_string(mesh)))
          .with_note(std::move(note))
          .with_hint("number the devices so that a step on an axis adds the same to the id "
                     "everywhere, or by digits of the coordinate"));
}

/// Why a step from one id to the next is not strided.
std::string obstacle_text(const Mesh& mesh) {
  const auto devices = mesh.devices();
  const auto id = [&](std::int64_t i) { return devices[static_cast<std::size_t>(i)]; };
  const auto count = static_cast<std::int64_t>(devices.size());
  const auto obstacle = form::find_obstacle(
      count, 1, [&](std::int64_t i) { return std::vector<std::int64_t>{id(i) - id(0)}; });
  if (!obstacle) return "no chain of digits gives them";
  return fmt::format(
      "the entry {} is device {}; after the entries before it strides lead to {}",
      entry_text(mesh.extents(), obstacle->point), id(obstacle->point),
      obstacle->wanted.empty() ? "none" : std::to_string(obstacle->wanted[0] + id(0)));
}

}  // namespace

Result<Mesh> Mesh::make(std::vector<std::int64_t> extents, std::vector<std::string> names,
                        std::vector<std::int64_t> devices) {
  HEDDLE_TRY(const std::int64_t size, checked_size(extents));
  if (names.empty()) names = numbers_as_names(extents.size());
  HEDDLE_CHECK(check_names(names, extents.size()));
  if (devices.empty()) {
    devices.resize(static_cast<std::size_t>(size));
    std::iota(devices.begin(), devices.end(), 0);
  }
  if (std::cmp_not_equal(devices.size(), size)) {
    return refuse("axe.mesh", "a mesh of extents ({}) has {}, and {} given",
                  fmt::join(extents, ","),
                  size == 1 ? "1 entry" : fmt::format("{}", counted(size, "entry")),
                  devices.size() == 1 ? "1 id is" : fmt::format("{} ids are", devices.size()));
  }
  HEDDLE_CHECK(check_devices(extents, devices));
  Mesh mesh;
  mesh.extents_ = std::move(extents);
  mesh.names_ = std::move(names);
  mesh.devices_ = std::move(devices);
  return mesh;
}

Result<Mesh> Mesh::make(std::vector<std::int64_t> extents, std::vector<std::string> names,
                        const Layout& layout) {
  HEDDLE_TRY(const std::int64_t count, checked_size(extents));
  const std::vector<Int> shape(extents.begin(), extents.end());
  HEDDLE_CHECK(check_admits(layout, shape, "mesh"));
  if (!layout.replica().empty()) {
    return refuse("axe.mesh", "{} has replicas; an entry of a mesh is one device", layout);
  }
  std::vector<std::int64_t> devices;
  for (std::int64_t i = 0; i < count; ++i) {
    HEDDLE_TRY(const std::vector<Coordinate> found, places(layout, i));
    for (const auto& [axis, value] : found.front()) {
      if (axis == device_axis() && value.is_constant()) continue;
      return refuse("axe.mesh", "{} takes entry {} to {}; the entries of a mesh are numbers on {}",
                    layout, i, found.front(), device_axis().name());
    }
    devices.push_back(found.front()[device_axis()].value());
  }
  return make(std::move(extents), std::move(names), std::move(devices));
}

std::optional<std::size_t> Mesh::axis(std::string_view name) const {
  const auto found = std::ranges::find(names_, name);
  if (found == names_.end()) return std::nullopt;
  return static_cast<std::size_t>(found - names_.begin());
}

bool Mesh::is_unnamed() const { return names_ == numbers_as_names(rank()); }

std::optional<std::vector<std::int64_t>> Mesh::coordinate(std::int64_t device) const {
  const auto found = std::ranges::find(devices_, device);
  if (found == devices_.end()) return std::nullopt;
  return entry_at(extents_, found - devices_.begin());
}

Result<Grouping> layout(const Mesh& mesh) {
  const auto devices = mesh.devices();
  const std::int64_t first = devices.front();
  const auto digits =
      form::recover(static_cast<std::int64_t>(devices.size()), 1, [&](std::int64_t index) {
        return std::vector<std::int64_t>{devices[static_cast<std::size_t>(index)] - first};
      });
  if (!digits) return no_layout(mesh, obstacle_text(mesh));
  std::vector<Iter> shard;
  for (const form::Digit& digit : *digits) {
    shard.insert(shard.begin(), {digit.extent, digit.stride[0], device_axis()});
  }
  HEDDLE_TRY(const Layout flat, Layout::make(std::move(shard), {}, {{device_axis(), first}}));
  const std::vector<Int> shape(mesh.extents().begin(), mesh.extents().end());
  Result<Grouping> grouping = group(flat, shape);
  if (!grouping && grouping.error().code() == "axe.no_grouping") {
    return no_layout(mesh, fmt::format("in row-major order the ids run as {}, and a step on one "
                                       "axis adds different numbers at different places",
                                       flat));
  }
  return grouping;
}

std::string to_string(const Mesh& mesh) {
  const std::string ids = nested_text(mesh.extents(), mesh.devices());
  if (mesh.is_unnamed()) return fmt::format("DeviceMesh({})", ids);
  return fmt::format("DeviceMesh({}, mesh_dim_names=({}{}))", ids, python_reprs(mesh.names()),
                     mesh.rank() == 1 ? "," : "");
}

}  // namespace heddle::axe
