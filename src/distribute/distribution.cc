#include "heddle/distribute/distribution.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <utility>

#include "axe/layout/iters.h"
#include "axe/sharding/sharding_parts.h"
#include "core/format.h"
#include "core/text.h"
#include "distribute/distribution_access.h"
#include "expr/format.h"
#include "heddle/axe/group.h"
#include "heddle/axe/slice.h"
#include "heddle/core/exact.h"
#include "heddle/move/relayout.h"

namespace heddle::distribute {
namespace {

using axe::Iter;
using axe::Layout;

bool selects(const Iter& iter) {
  return iter.axis == axe::device_axis() && iter.stride != Int(0) && iter.extent != Int(1);
}

Result<void> check_layout(const Layout& layout) {
  if (!axe::is_constant(layout)) {
    return refuse("distribute.symbolic", "the devices of {} depend on sizes that are not known",
                  layout);
  }
  for (const Axis& axis : axe::axes(layout)) {
    if (axis == axe::device_axis() || axis == Axis::memory()) continue;
    return refuse(diagnose("distribute.axes", "{} has places on the axis {}", layout, axis.name())
                      .with_hint("a tensor over devices has the axes gpuid and m"));
  }
  if (layout.swizzle() && layout.swizzle()->axis == axe::device_axis()) {
    return refuse("distribute.axes", "{} swizzles its devices", layout);
  }
  return {};
}

/// A digit of one dimension that does not run within the boxes.
struct OuterDigit {
  std::size_t dim = 0;
  /// How far a step goes along the dimension.
  std::int64_t weight = 1;
  Iter iter;
};

/// The digits of a layout: those that run within every box, and those that select one.
struct Digits {
  std::vector<OuterDigit> outer;
  std::vector<Iter> inner;
  /// The box in which all outer digits are 0.
  Box first;
};

void add_dimension(std::span<const Iter> iters, Digits& digits) {
  std::size_t kept = iters.size();
  std::int64_t length = 1;
  while (kept > 0 && !selects(iters[kept - 1])) length *= iters[--kept].extent.value();
  std::int64_t weight = length;
  for (std::size_t i = kept; i-- > 0;) {
    digits.outer.push_back({digits.first.size(), weight, iters[i]});
    weight *= iters[i].extent.value();
  }
  for (const Iter& iter : iters.subspan(kept)) {
    const bool is_broadcast_over_devices = iter.axis == axe::device_axis();
    digits.inner.push_back(is_broadcast_over_devices ? Iter{iter.extent, 0, Axis::memory()} : iter);
  }
  digits.first.push_back({0, length});
}

Digits digits_of(const axe::Grouping& grouping) {
  Digits digits;
  for (std::size_t j = 0; j < grouping.rank(); ++j) add_dimension(grouping.block(j), digits);
  return digits;
}

/// The devices' shifts by the replicas over devices, each once.
Result<std::vector<std::int64_t>> device_shifts(const Layout& layout) {
  const auto shifts = axe::points(axe::on_axis(layout.replica(), axe::device_axis()));
  if (shifts && shifts->size() <= Distribution::kMaxDevices) return *shifts;
  return refuse("distribute.too_large", "an element of {} is on more than {} devices", layout,
                Distribution::kMaxDevices);
}

/// The blocks that one value of the outer digits gives, one for each replica.
Result<void> add_blocks(const Layout& layout, const Digits& digits,
                        std::span<const std::int64_t> values, std::span<const std::int64_t> shifts,
                        std::vector<Block>& blocks) {
  axe::Coordinate offset = layout.offset();
  Box box = digits.first;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const OuterDigit& digit = digits.outer[i];
    offset.add(digit.iter.axis, digit.iter.stride * values[i]);
    box[digit.dim].begin += digit.weight * values[i];
    box[digit.dim].end += digit.weight * values[i];
  }
  const Int device = offset[axe::device_axis()];
  const Int place = offset[Axis::memory()];
  if (!device.is_constant() || !place.is_constant()) {
    return refuse("overflow", "a device or a place of {} does not fit into 64 bits", layout);
  }
  HEDDLE_TRY(const Layout local,
             Layout::make(digits.inner, axe::on_axis(layout.replica(), Axis::memory()),
                          {{Axis::memory(), place}}, layout.swizzle()));
  for (const std::int64_t shift : shifts) {
    const exact::Value shifted = exact::add(device.value(), shift);
    if (!shifted) return refuse("overflow", "a device of {} does not fit into 64 bits", layout);
    blocks.push_back({*shifted, box, local});
  }
  return {};
}

Result<std::vector<Block>> blocks_of(const axe::Grouping& grouping, const Digits& digits) {
  HEDDLE_TRY(const std::vector<std::int64_t> shifts, device_shifts(grouping.layout));
  Int count = static_cast<std::int64_t>(shifts.size());
  for (const OuterDigit& digit : digits.outer) count *= digit.iter.extent;
  if (!known_at_most(count, Int(Distribution::kMaxBlocks))) {
    return refuse("distribute.too_large", "{} cuts the tensor into {} boxes; {} are taken",
                  grouping.layout, count, Distribution::kMaxBlocks);
  }
  std::vector<Block> blocks;
  std::vector<std::int64_t> values(digits.outer.size(), 0);
  const std::int64_t ways = count.value() / static_cast<std::int64_t>(shifts.size());
  for (std::int64_t way = 0; way < ways; ++way) {
    HEDDLE_CHECK(add_blocks(grouping.layout, digits, values, shifts, blocks));
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (++values[i] < digits.outer[i].iter.extent.value()) break;
      values[i] = 0;
    }
  }
  return blocks;
}

/// Why two elements have one place on a device; nullopt if none have. The place depends on the
/// digits on m alone, so other digits must not lead to one device twice.
Result<std::optional<Diagnostic>> overlap_of(const Layout& layout, const Digits& digits,
                                             std::span<const Block> blocks) {
  std::map<std::int64_t, std::int64_t> count;
  for (const Block& block : blocks) ++count[block.device];
  std::int64_t places = 1;
  for (const OuterDigit& digit : digits.outer) {
    if (digit.iter.axis == Axis::memory()) places *= digit.iter.extent.value();
  }
  for (const auto& [device, held] : count) {
    if (held == places) continue;
    return diagnose("distribute.overlap", "{} leads {} boxes to device {}, and has places for {}",
                    layout, held, device, places);
  }
  std::vector<Iter> local;
  for (const Iter& iter : layout.shard()) {
    if (selects(iter)) continue;
    local.push_back(iter.axis == Axis::memory() ? iter : Iter{iter.extent, 0, Axis::memory()});
  }
  HEDDLE_TRY(const Layout places_of_all,
             Layout::make(local, axe::on_axis(layout.replica(), Axis::memory()),
                          {{Axis::memory(), layout.offset()[Axis::memory()]}}, layout.swizzle()));
  const Layout packed = Layout::make({{axe::size(places_of_all), 1, Axis::memory()}}).value();
  constexpr std::int64_t kByte = 8;
  const Result<move::Plan> written = move::make_plan(packed, places_of_all, kByte);
  if (written) return std::optional<Diagnostic>();
  if (written.error().code() != "move.overlap") return refuse(written.error());
  return Diagnostic("distribute.overlap", written.error().message());
}

Result<std::vector<std::int64_t>> constants(std::span<const Int> shape) {
  std::vector<std::int64_t> extents;
  for (const Int& extent : shape) {
    if (!extent.is_constant()) {
      return refuse("distribute.symbolic", "a tensor with the extent {}, which is not known",
                    extent);
    }
    extents.push_back(extent.value());
  }
  return extents;
}

/// The number of elements up to the last place of a block. Of an element with copies in a memory
/// only one is read, and all are written.
Result<std::int64_t> reach_of(const Block& block) {
  const Layout packed = row_major(block.box);
  constexpr std::int64_t kByte = 8;
  HEDDLE_TRY(const move::Plan read, move::make_plan(block.place, packed, kByte));
  if (block.place.replica().empty()) return read.source_bytes();
  HEDDLE_TRY(const move::Plan written, move::make_plan(packed, block.place, kByte));
  return written.destination_bytes();
}

Block shard_block(const axe::Shard& shard) {
  Block block{.device = shard.device, .box = {}, .place = {}};
  std::vector<Iter> iters;
  std::int64_t stride = 1;
  std::int64_t offset = 0;
  for (std::size_t i = shard.box.size(); i-- > 0;) {
    const auto [begin, end] = shard.box[i];
    block.box.insert(block.box.begin(), {begin, end});
    if (begin < end) iters.insert(iters.begin(), {end - begin, stride, Axis::memory()});
    offset += stride * (shard.first.empty() ? 0 : shard.first[i]);
    stride *= shard.extents[i];
  }
  if (volume(block.box) == 0) return block;
  block.place = Layout::make(std::move(iters), {}, {{Axis::memory(), offset}}).value();
  return block;
}

/// Refuses cuts into more pieces than can be blocks, before they are listed.
Result<void> check_boxes(const axe::Division& division, std::span<const std::int64_t> shape) {
  Int pieces = static_cast<std::int64_t>(division.mesh.devices().size());
  for (const axe::Cut& cut : division.cuts) pieces *= min(cut.split_factor, Int(shape[cut.dim]));
  if (known_at_most(pieces, Int(Distribution::kMaxBlocks))) return {};
  return refuse("distribute.too_large", "a tensor in {} boxes; {} are taken", pieces,
                Distribution::kMaxBlocks);
}

/// The runs of a box in the flat index, in the order of the box's own row-major index.
struct Runs {
  std::int64_t length = 1;
  std::vector<std::int64_t> firsts;
};

Result<Runs> runs_of(const Box& box, std::span<const std::int64_t> shape) {
  Runs runs;
  std::size_t outer = box.size();
  while (outer > 0) {
    --outer;
    const std::int64_t length = box[outer].end - box[outer].begin;
    runs.length *= length;
    if (length != shape[outer]) break;
  }
  std::vector<std::int64_t> steps(box.size(), 1);
  for (std::size_t i = box.size(); i-- > 1;) steps[i - 1] = steps[i] * shape[i];
  std::int64_t first = 0;
  for (std::size_t i = 0; i < box.size(); ++i) first += box[i].begin * steps[i];
  runs.firsts = {first};
  for (std::size_t i = 0; i < outer; ++i) {
    const std::int64_t length = box[i].end - box[i].begin;
    if (length > static_cast<std::int64_t>(Distribution::kMaxBlocks / runs.firsts.size())) {
      return refuse("distribute.too_large", "{} is more than {} intervals of the flat index",
                    to_string(box), Distribution::kMaxBlocks);
    }
    std::vector<std::int64_t> firsts;
    for (const std::int64_t begin : runs.firsts) {
      for (std::int64_t k = 0; k < length; ++k) firsts.push_back(begin + k * steps[i]);
    }
    runs.firsts = std::move(firsts);
  }
  return runs;
}

Result<void> add_runs(const Block& block, std::span<const std::int64_t> shape,
                      std::vector<Block>& blocks) {
  HEDDLE_TRY(const Runs runs, runs_of(block.box, shape));
  const Block as_row{.device = block.device, .box = {{0, volume(block.box)}}, .place = block.place};
  if (blocks.size() + runs.firsts.size() > Distribution::kMaxBlocks) {
    return refuse("distribute.too_large", "the flat index has more than {} intervals on devices",
                  Distribution::kMaxBlocks);
  }
  for (std::size_t i = 0; i < runs.firsts.size(); ++i) {
    const std::int64_t begin = static_cast<std::int64_t>(i) * runs.length;
    HEDDLE_TRY(std::optional<Layout> place, place_of(as_row, {{begin, begin + runs.length}}));
    if (!place) {
      return refuse("distribute.too_large", "no layout says the places of [{},{}) in {}", begin,
                    begin + runs.length, block.place);
    }
    const std::int64_t first = runs.firsts[i];
    blocks.push_back({block.device, {{first, first + runs.length}}, *std::move(place)});
  }
  return {};
}

std::string block_texts(std::span<const Block> blocks) {
  std::vector<std::string> texts;
  for (const Block& block : blocks) texts.push_back(to_string(block.box));
  return fmt::format("{}", fmt::join(texts, " and "));
}

}  // namespace

Layout row_major(const Box& box, std::int64_t first) {
  return Layout::make({{volume(box), 1, Axis::memory()}}, {}, {{Axis::memory(), first}}).value();
}

Result<std::int64_t> elements_of(std::span<const std::int64_t> shape) {
  std::int64_t elements = 1;
  for (const std::int64_t extent : shape) {
    const exact::Value product = exact::multiply(elements, extent);
    if (!product) {
      return refuse("overflow", "a tensor of ({}) has more elements than 64 bits count",
                    fmt::join(shape, ","));
    }
    elements = *product;
  }
  return elements;
}

Result<std::optional<Layout>> place_of(const Block& block, const Box& part) {
  if (part == block.box) return std::optional(block.place);
  std::vector<Int> shape;
  std::vector<axe::Interval> within;
  for (std::size_t i = 0; i < part.size(); ++i) {
    shape.emplace_back(block.box[i].end - block.box[i].begin);
    within.push_back({part[i].begin - block.box[i].begin, part[i].end - block.box[i].begin});
  }
  Result<Layout> place = axe::slice(block.place, shape, within);
  if (place) return std::optional(*std::move(place));
  const std::string& code = place.error().code();
  const bool may_be_cut = code == "axe.no_slice" || code == "axe.undecided";
  if (may_be_cut && volume(part) > 1) return std::optional<Layout>();
  return refuse(std::move(place).error());
}

Result<Distribution> DistributionAccess::make(axe::Mesh mesh, std::vector<std::int64_t> shape,
                                              std::vector<Block> blocks,
                                              std::vector<axe::PartialAxis> partial, bool is_flat) {
  std::erase_if(blocks, [](const Block& block) { return volume(block.box) == 0; });
  if (blocks.size() > Distribution::kMaxBlocks) {
    return refuse("distribute.too_large", "a tensor in {} boxes; {} are taken", blocks.size(),
                  Distribution::kMaxBlocks);
  }
  std::ranges::sort(blocks, [](const Block& a, const Block& b) {
    return std::tie(a.device, a.box) < std::tie(b.device, b.box);
  });
  Distribution made;
  for (const Block& block : blocks) {
    if (!made.memory_.contains(block.device) && !mesh.coordinate(block.device)) {
      return refuse("distribute.device", "device {} holds {}, and {} does not have it",
                    block.device, to_string(block.box), to_string(mesh));
    }
    HEDDLE_TRY(const std::int64_t reach, reach_of(block));
    std::int64_t& memory = made.memory_[block.device];
    memory = std::max(memory, reach);
    if (block.box.empty()) continue;
    made.longest_ = std::max(made.longest_, block.box.front().end - block.box.front().begin);
  }
  if (made.memory_.size() > Distribution::kMaxDevices) {
    return refuse("distribute.too_large", "a tensor over {}; {} are taken",
                  counted(made.memory_.size(), "device"), Distribution::kMaxDevices);
  }
  made.mesh_ = std::move(mesh);
  made.shape_ = std::move(shape);
  made.blocks_ = std::move(blocks);
  made.partial_ = std::move(partial);
  made.is_flat_ = is_flat;
  return made;
}

Result<Distribution> DistributionAccess::make_scratch(const Distribution& tensor,
                                                      std::span<const std::int64_t> devices,
                                                      std::vector<Block> blocks) {
  HEDDLE_TRY(axe::Mesh mesh,
             axe::Mesh::make({static_cast<std::int64_t>(devices.size())}, {},
                             std::vector<std::int64_t>(devices.begin(), devices.end())));
  return make(std::move(mesh), tensor.shape_, std::move(blocks), {}, tensor.is_flat_);
}

Result<Distribution> Distribution::make(const axe::Sharded& sharded) {
  for (const axe::PartialAxis& axis : sharded.partial) {
    if (sharded.mesh.axis(axis.axis)) continue;
    return refuse("distribute.partial",
                  "the values are partial over {}, which is not an axis of {}", axis.axis,
                  to_string(sharded.mesh));
  }
  HEDDLE_TRY(std::vector<std::int64_t> shape, constants(sharded.shape));
  HEDDLE_CHECK(axe::check_admits(sharded.layout, sharded.shape, "distribution"));
  HEDDLE_CHECK(check_layout(sharded.layout));
  Result<axe::Grouping> grouping = axe::group(sharded.layout, sharded.shape);
  const bool is_flat = !grouping;
  if (is_flat) {
    const std::vector<Int> flat = {axe::size(sharded.layout)};
    grouping = axe::group(sharded.layout, flat);
  }
  HEDDLE_CHECK(grouping);
  const Digits digits = digits_of(*grouping);
  HEDDLE_TRY(std::vector<Block> blocks, blocks_of(*grouping, digits));
  HEDDLE_TRY(std::optional<Diagnostic> overlap, overlap_of(grouping->layout, digits, blocks));
  HEDDLE_TRY(Distribution made,
             DistributionAccess::make(sharded.mesh, std::move(shape), std::move(blocks),
                                      sharded.partial, is_flat));
  made.overlap_ = std::move(overlap);
  return made;
}

Result<Distribution> Distribution::make(const axe::Sharding& sharding) {
  Result<axe::Sharded> sharded = axe::place(sharding);
  if (sharded) return make(*sharded);
  const std::string& code = sharded.error().code();
  if (code != "axe.uneven_shard" && code != "axe.mesh_layout" && code != "axe.extent") {
    return refuse(std::move(sharded).error());
  }
  HEDDLE_TRY(axe::Division division, axe::division_of(sharding));
  HEDDLE_TRY(axe::Mesh mesh, division.partial.empty() ? axe::mesh_of(sharding) : division.mesh);
  HEDDLE_TRY(std::vector<std::int64_t> shape, constants(*sharding.shape));
  HEDDLE_CHECK(elements_of(shape));
  HEDDLE_CHECK(check_boxes(division, shape));
  HEDDLE_TRY(const std::vector<axe::Shard> shards, axe::shards_of(sharding));
  std::vector<Block> blocks;
  for (const axe::Shard& shard : shards) {
    HEDDLE_CHECK(elements_of(shard.extents));
    blocks.push_back(shard_block(shard));
  }
  return DistributionAccess::make(std::move(mesh), std::move(shape), std::move(blocks),
                                  std::move(division.partial), false);
}

std::span<const Block> Distribution::blocks(std::int64_t device) const {
  const auto found = std::ranges::equal_range(blocks_, device, {}, &Block::device);
  return {found.begin(), found.end()};
}

std::span<const Block> Distribution::blocks_near(std::int64_t device, const Box& box) const {
  const std::span<const Block> all = blocks(device);
  if (box.empty()) return all;
  const auto begin_of = [](const Block& block) { return block.box.front().begin; };
  const auto first = std::ranges::lower_bound(all, box.front().begin - longest_ + 1, {}, begin_of);
  const auto end = std::ranges::lower_bound(first, all.end(), box.front().end, {}, begin_of);
  return {first, end};
}

std::vector<std::int64_t> Distribution::devices() const {
  std::vector<std::int64_t> devices;
  for (const auto& [device, memory] : memory_) devices.push_back(device);
  return devices;
}

std::int64_t Distribution::memory(std::int64_t device) const {
  const auto found = memory_.find(device);
  return found == memory_.end() ? 0 : found->second;
}

Result<void> Distribution::check_writable() const {
  if (overlap_) return refuse(*overlap_);
  return {};
}

Result<Distribution> Distribution::flat() const {
  if (is_flat_) return *this;
  std::vector<Block> blocks;
  for (const Block& block : blocks_) HEDDLE_CHECK(add_runs(block, shape_, blocks));
  HEDDLE_TRY(Distribution made,
             DistributionAccess::make(mesh_, shape_, std::move(blocks), partial_, true));
  made.overlap_ = overlap_;
  return made;
}

std::string to_string(const Distribution& distribution) {
  std::vector<std::string> lines;
  for (const std::int64_t device : distribution.devices()) {
    lines.push_back(
        fmt::format("device {}   {}", device, block_texts(distribution.blocks(device))));
  }
  return fmt::format("{}", fmt::join(lines, "\n"));
}

}  // namespace heddle::distribute
