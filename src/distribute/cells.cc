#include "distribute/cells.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <utility>

#include "core/format.h"
#include "core/text.h"
#include "distribute/distribution_access.h"
#include "heddle/core/exact.h"

namespace heddle::distribute {
namespace {

constexpr std::size_t kMaxCells = std::size_t{1} << 20;
constexpr std::size_t kMaxPairs = std::size_t{1} << 21;

/// The axes over which the values are partial, by their numbers in the source's mesh.
struct PartialAxes {
  std::vector<std::size_t> reduced;
  std::vector<std::size_t> kept;
};

Result<void> check_kept(const Distribution& from, const Distribution& to) {
  for (const axe::PartialAxis& axis : to.partial()) {
    if (std::ranges::find(from.partial(), axis) == from.partial().end()) {
      return refuse(
          diagnose("distribute.partial",
                   "the destination is to be partial ({}) over the axis {}, and the source is not",
                   axis.reduce_op, axis.axis)
              .with_hint("values are not taken apart into terms; give a destination without "
                         "partial axes"));
    }
    if (from.mesh() != to.mesh()) {
      return refuse("distribute.partial",
                    "values that stay partial over {} are taken on one mesh, not from {} to {}",
                    axis.axis, to_string(from.mesh()), to_string(to.mesh()));
    }
  }
  return {};
}

Result<PartialAxes> partial_axes(const Distribution& from, const Distribution& to,
                                 Reduction& reduction) {
  HEDDLE_CHECK(check_kept(from, to));
  PartialAxes axes;
  for (const axe::PartialAxis& axis : from.partial()) {
    const std::size_t number = *from.mesh().axis(axis.axis);
    if (std::ranges::find(to.partial(), axis) != to.partial().end()) {
      axes.kept.push_back(number);
      continue;
    }
    if (!reduction.op.empty() && reduction.op != axis.reduce_op) {
      return refuse("distribute.partial",
                    "terms are reduced by {} over one axis and by {} over the axis {}",
                    reduction.op, axis.reduce_op, axis.axis);
    }
    reduction.op = axis.reduce_op;
    reduction.terms *= from.mesh().extents()[number];
    axes.reduced.push_back(number);
  }
  return axes;
}

/// The coordinates of a device on some axes as one number, row-major; 0 outside of the mesh.
std::int64_t number_along(const axe::Mesh& mesh, std::span<const std::size_t> axes,
                          std::int64_t device) {
  if (axes.empty()) return 0;
  const auto coordinate = mesh.coordinate(device);
  std::int64_t number = 0;
  for (const std::size_t axis : axes) {
    number = number * mesh.extents()[axis] + (coordinate ? (*coordinate)[axis] : 0);
  }
  return number;
}

/// The borders of all boxes along each dimension.
std::vector<std::vector<std::int64_t>> borders(const Distribution& from, const Distribution& to,
                                               std::size_t rank) {
  std::vector<std::set<std::int64_t>> found(rank);
  for (const Distribution* side : {&from, &to}) {
    for (const Block& block : side->blocks()) {
      for (std::size_t i = 0; i < rank; ++i) {
        found[i].insert({block.box[i].begin, block.box[i].end});
      }
    }
  }
  std::vector<std::vector<std::int64_t>> sorted;
  for (const auto& values : found) sorted.emplace_back(values.begin(), values.end());
  return sorted;
}

/// A grid of cells between borders, one for each layer, and the devices that hold and want each of
/// them. A device is in one layer only.
class Grid {
 public:
  [[nodiscard]] static Result<Grid> make(std::vector<std::vector<std::int64_t>> borders,
                                         std::size_t layers) {
    Grid grid;
    std::size_t cells = layers;
    for (const auto& values : borders) {
      cells *= values.size() - 1;
      if (cells > kMaxCells) {
        return refuse("distribute.too_large",
                      "the borders of both sides cut the tensor into more than {} cells",
                      kMaxCells);
      }
    }
    grid.borders_ = std::move(borders);
    grid.holders_.resize(cells);
    grid.wanters_.resize(cells);
    return grid;
  }

  [[nodiscard]] Result<void> hold(const Block& block, std::size_t layer) {
    return add(block, layer, holders_);
  }
  [[nodiscard]] Result<void> want(const Block& block, std::size_t layer) {
    return add(block, layer, wanters_);
  }

  /// The cells that somebody wants, joined where the same devices hold and want them.
  [[nodiscard]] std::vector<Cell> cells() {
    std::map<std::pair<Devices, Devices>, std::vector<Box>> joined;
    for (std::size_t cell = 0; cell < wanters_.size(); ++cell) {
      if (wanters_[cell].empty()) continue;
      joined[{std::move(holders_[cell]), std::move(wanters_[cell])}].push_back(box_of(cell));
    }
    std::vector<Cell> cells;
    for (auto& [devices, boxes] : joined) {
      for (Box& box : merged(std::move(boxes))) {
        cells.push_back({std::move(box), devices.first, devices.second});
      }
    }
    std::ranges::sort(cells, {}, &Cell::box);
    return cells;
  }

 private:
  /// Calls `visit(cell)` for the cells of a box in a layer.
  template <class Visit>
  void for_all(const Box& box, std::size_t layer, Visit visit) const {
    std::vector<std::size_t> first;
    std::vector<std::size_t> count;
    for (std::size_t i = 0; i < box.size(); ++i) {
      first.push_back(position(i, box[i].begin));
      count.push_back(position(i, box[i].end) - first.back());
    }
    std::vector<std::size_t> at(box.size(), 0);
    for (bool more = true; more;) {
      std::size_t cell = layer;
      for (std::size_t i = 0; i < at.size(); ++i) {
        cell = cell * (borders_[i].size() - 1) + first[i] + at[i];
      }
      visit(cell);
      more = false;
      for (std::size_t i = at.size(); i-- > 0 && !more;) {
        more = ++at[i] < count[i];
        if (!more) at[i] = 0;
      }
    }
  }

  std::size_t position(std::size_t dim, std::int64_t border) const {
    const auto found = std::ranges::lower_bound(borders_[dim], border);
    return static_cast<std::size_t>(found - borders_[dim].begin());
  }

  Box box_of(std::size_t cell) const {
    Box box(borders_.size());
    for (std::size_t i = borders_.size(); i-- > 0;) {
      const std::size_t cells = borders_[i].size() - 1;
      box[i] = {borders_[i][cell % cells], borders_[i][cell % cells + 1]};
      cell /= cells;
    }
    return box;
  }

  Result<void> add(const Block& block, std::size_t layer, std::vector<Devices>& devices) {
    for_all(block.box, layer, [&](std::size_t cell) {
      if (pairs_++ < kMaxPairs) devices[cell].push_back(block.device);
    });
    if (pairs_ <= kMaxPairs) return {};
    return refuse("distribute.too_large", "more than {} pairs of a cell and a device", kMaxPairs);
  }

  std::vector<std::vector<std::int64_t>> borders_;
  std::vector<Devices> holders_;
  std::vector<Devices> wanters_;
  std::size_t pairs_ = 0;
};

Result<void> check_held(const Cell& cell, const Reduction& reduction) {
  std::set<std::int64_t> terms;
  for (const std::int64_t holder : cell.holders) terms.insert(reduction.term_of(holder));
  if (static_cast<std::int64_t>(terms.size()) == reduction.terms) return {};
  std::vector<std::int64_t> first;
  for (const Extent& extent : cell.box) first.push_back(extent.begin);
  const std::string held = reduction.terms == 1 ? std::string("no device holds it")
                                                : fmt::format("only {} of its {} terms are held",
                                                              terms.size(), reduction.terms);
  return refuse("distribute.device", "device {} wants the element ({}), and {}",
                cell.wanters.front(), fmt::join(first, ","), held);
}

/// Adds the elements [begin, end) of the box, counted row-major, as boxes: rows of a dimension that
/// are whole together, and of the first and the last one what belongs to it.
void add_run(const Box& box, std::size_t dim, std::int64_t begin, std::int64_t end,
             std::vector<Box>& boxes) {
  if (begin == end) return;
  if (dim == box.size()) return boxes.push_back(box);
  Box row = box;
  row[dim] = {0, 1};
  for (std::size_t i = 0; i < dim; ++i) row[i] = {0, 1};
  const std::int64_t length = volume(row);
  const auto rows = [&](std::int64_t first, std::int64_t last) {
    Box part = box;
    part[dim] = {box[dim].begin + first, box[dim].begin + last};
    return part;
  };
  const std::int64_t first = (begin + length - 1) / length;
  const std::int64_t last = end / length;
  if (first > last) {  // within one row
    return add_run(rows(last, last + 1), dim + 1, begin - last * length, end - last * length,
                   boxes);
  }
  if (begin < first * length) {
    add_run(rows(first - 1, first), dim + 1, begin - (first - 1) * length, length, boxes);
  }
  if (first < last) boxes.push_back(rows(first, last));
  add_run(rows(last, last + 1), dim + 1, 0, end - last * length, boxes);
}

}  // namespace

Result<void> check_bits(std::int64_t element_bits, const Distribution& from) {
  constexpr std::int64_t kMaxBits = std::int64_t{1} << 20;
  if (element_bits < 1 || element_bits > kMaxBits) {
    return refuse("distribute.bits", "elements of {} bits; 1 to {} are taken", element_bits,
                  kMaxBits);
  }
  HEDDLE_TRY(const std::int64_t elements, elements_of(from.shape()));
  constexpr std::int64_t kCopies = 2 * Distribution::kMaxDevices;
  const exact::Value bits = exact::multiply(elements, element_bits * kCopies);
  if (!bits) {
    return refuse("overflow", "{} of {} bits on {} devices are too many bits to count",
                  counted(elements, "element"), element_bits, Distribution::kMaxDevices);
  }
  return {};
}

std::vector<std::int64_t> devices_of(const Distribution& from, const Distribution& to) {
  std::set<std::int64_t> devices;
  for (const Distribution* side : {&from, &to}) {
    for (const std::int64_t device : side->devices()) devices.insert(device);
  }
  return {devices.begin(), devices.end()};
}

std::vector<std::vector<Box>> shares_of(const Box& box, std::size_t count) {
  std::vector<std::vector<Box>> shares(count);
  const auto pieces = static_cast<std::int64_t>(count);
  const std::vector<std::int64_t> extents = extents_of(box);
  const auto even =
      std::ranges::find_if(extents, [&](std::int64_t extent) { return extent % pieces == 0; });
  if (even != extents.end()) {
    const auto dim = static_cast<std::size_t>(even - extents.begin());
    for (std::int64_t i = 0; i < pieces; ++i) {
      const std::int64_t begin = box[dim].begin + i * (*even / pieces);
      Box part = box;
      part[dim] = {begin, begin + *even / pieces};
      shares[static_cast<std::size_t>(i)].push_back(std::move(part));
    }
    return shares;
  }
  const std::int64_t elements = volume(box);
  std::int64_t begin = 0;
  for (std::int64_t i = 0; i < pieces; ++i) {
    const std::int64_t length = elements / pieces + (i < elements % pieces ? 1 : 0);
    add_run(box, 0, begin, begin + length, shares[static_cast<std::size_t>(i)]);
    begin += length;
  }
  return shares;
}

std::vector<Box> halves_of(const Box& box) {
  const std::vector<std::int64_t> extents = extents_of(box);
  const auto dim = static_cast<std::size_t>(std::ranges::max_element(extents) - extents.begin());
  std::vector<Box> halves(2, box);
  halves[0][dim].end = halves[1][dim].begin = box[dim].begin + extents[dim] / 2;
  return halves;
}

Result<std::pair<Distribution, Distribution>> in_common_boxes(const Distribution& from,
                                                              const Distribution& to) {
  if (!std::ranges::equal(from.shape(), to.shape())) {
    return refuse("distribute.shapes", "from a tensor of ({}) to one of ({})",
                  fmt::join(from.shape(), ","), fmt::join(to.shape(), ","));
  }
  if (from.is_flat() == to.is_flat()) return std::pair(from, to);
  HEDDLE_TRY(Distribution flat_from, from.flat());
  HEDDLE_TRY(Distribution flat_to, to.flat());
  return std::pair(std::move(flat_from), std::move(flat_to));
}

Result<Problem> problem_of(const Distribution& from, const Distribution& to) {
  Problem found;
  HEDDLE_TRY(const PartialAxes axes, partial_axes(from, to, found.reduction));
  if (found.reduction.terms > 1) {
    for (const std::int64_t device : from.devices()) {
      found.reduction.term[device] = number_along(from.mesh(), axes.reduced, device);
    }
  }
  std::size_t layers = 1;
  for (const std::size_t axis : axes.kept) {
    layers *= static_cast<std::size_t>(from.mesh().extents()[axis]);
  }
  const std::size_t rank = from.is_flat() ? 1 : from.shape().size();
  HEDDLE_TRY(Grid grid, Grid::make(borders(from, to, rank), layers));
  const auto layer = [&](const Block& block) {
    return static_cast<std::size_t>(number_along(from.mesh(), axes.kept, block.device));
  };
  for (const Block& block : from.blocks()) HEDDLE_CHECK(grid.hold(block, layer(block)));
  for (const Block& block : to.blocks()) HEDDLE_CHECK(grid.want(block, layer(block)));
  found.cells = grid.cells();
  for (const Cell& cell : found.cells) HEDDLE_CHECK(check_held(cell, found.reduction));
  return found;
}

}  // namespace heddle::distribute
