#include "heddle/axe/shard.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <utility>

#include "axe/layout/iters.h"
#include "axe/sharding/sharding_parts.h"
#include "heddle/axe/canonical.h"

namespace heddle::axe {
namespace {

bool selects(const Iter& iter) { return iter.axis == device_axis() && iter.stride != Int(0); }

Refusal undecided(const Layout& layout, std::string_view why) {
  return refuse("axe.undecided", "who holds what of {} is not listed: {}", layout, why);
}

/// How an index is mapped to its devices: the digits that select them, as constants, and the sums
/// of offset and replicas.
struct Selection {
  std::vector<std::int64_t> extents;
  std::vector<std::int64_t> strides;
  /// The digits' weights in the tensor's flat index.
  std::vector<Int> weights;
  /// The offset and the replicas, ascending.
  std::vector<std::int64_t> shifts;
  std::int64_t ways = 1;
};

Result<std::vector<std::int64_t>> shifts_of(const Layout& layout) {
  const Int offset = layout.offset()[device_axis()];
  const auto replicas = points(on_axis(layout.replica(), device_axis()));
  if (!replicas || !offset.is_constant()) {
    return undecided(layout, "its replicas over devices are symbolic or too many");
  }
  std::vector<std::int64_t> shifts;
  for (const std::int64_t replica : *replicas) {
    HEDDLE_TRY(const Int sum, check_defined(Int(replica) + offset, "a device"));
    shifts.push_back(sum.value());
  }
  return shifts;
}

Result<Selection> selection_of(const Layout& layout) {
  if (layout.swizzle() && layout.swizzle()->axis == device_axis()) {
    return undecided(layout, "it swizzles its devices");
  }
  Selection selection;
  HEDDLE_TRY(selection.shifts, shifts_of(layout));
  Int weight = 1;
  Int ways = static_cast<std::int64_t>(selection.shifts.size());
  const std::span<const Iter> iters = layout.shard();
  for (std::size_t i = iters.size(); i-- > 0; weight *= iters[i].extent) {
    if (!selects(iters[i])) continue;
    if (!is_constant(iters[i])) {
      return undecided(layout, fmt::format("{} is symbolic", iters[i]));
    }
    selection.extents.push_back(iters[i].extent.value());
    selection.strides.push_back(iters[i].stride.value());
    selection.weights.push_back(weight);
    ways *= iters[i].extent;
  }
  if (!known_at_most(ways, kMaxPlaces)) {
    return undecided(layout, fmt::format("more than {} ways lead to devices", kMaxPlaces));
  }
  selection.ways = floor_div(ways, Int(selection.shifts.size())).value();
  return selection;
}

/// Calls `visit(sum of the digits' strides, digits)` for all values of the digits, the slowest
/// digit of the tensor running slowest.
template <class Visit>
void for_all_digits(const Selection& selection, Visit visit) {
  std::vector<std::int64_t> digits(selection.extents.size(), 0);
  for (std::int64_t way = 0; way < selection.ways; ++way) {
    std::int64_t rest = way;
    std::int64_t sum = 0;
    for (std::size_t i = 0; i < digits.size(); ++i) {
      digits[i] = rest % selection.extents[i];
      rest /= selection.extents[i];
      sum += digits[i] * selection.strides[i];
    }
    visit(sum, digits);
  }
}

/// The box from the first to the last of the indices, if they fill it: both enumerations ascend, so
/// the sets are equal exactly if the maps are.
std::optional<std::vector<Interval>> box_of(const Layout& indices, std::span<const Int> shape) {
  const Int first = indices.offset()[Axis::memory()];
  Int last = first;
  for (const Iter& iter : indices.shard()) last += (iter.extent - 1) * iter.stride;
  const std::vector<Int> low = unflatten(shape, first);
  const std::vector<Int> high = unflatten(shape, last);
  const std::vector<Int> steps = compact_strides(shape);
  std::vector<Interval> box;
  std::vector<Iter> iters;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    box.push_back({low[i], high[i] + 1});
    const Int extent = high[i] + 1 - low[i];
    if (!known_at_most(1, extent)) return std::nullopt;
    iters.push_back({extent, steps[i], Axis::memory()});
  }
  const Result<Layout> filled = Layout::make(std::move(iters), {}, {{Axis::memory(), first}});
  if (!filled || !known_equal(size(*filled), size(indices))) return std::nullopt;
  if (!equal(*filled, indices).is_yes()) return std::nullopt;
  return box;
}

/// The digits that select no device, as steps of the flat index.
std::vector<Iter> free_digits(const Layout& layout) {
  std::vector<Iter> iters;
  Int weight = 1;
  for (std::size_t i = layout.shard().size(); i-- > 0;) {
    const Iter& iter = layout.shard()[i];
    if (!selects(iter)) iters.push_back({iter.extent, weight, Axis::memory()});
    weight *= iter.extent;
  }
  std::ranges::reverse(iters);
  return iters;
}

/// Bits as bytes of 8, rounded up.
Int bytes_of(const Int& elements, std::int64_t element_bits) {
  return ceil_div(elements * element_bits, 8);
}

/// How many times the replicas on other axes put an element on one device.
Result<Int> copies_on_a_device(const Layout& layout) {
  Int copies = 1;
  for (const Axis& axis : axes(layout)) {
    if (axis == device_axis()) continue;
    const auto replicas = points(on_axis(layout.replica(), axis));
    if (!replicas) return undecided(layout, "its replicas are symbolic or too many");
    copies *= static_cast<std::int64_t>(replicas->size());
  }
  return copies;
}

std::string piece_text(const ShardPiece& piece) {
  if (!piece.box) return to_string(piece.indices);
  if (piece.box->empty()) return "the element";
  std::vector<std::string> texts;
  for (const Interval& interval : *piece.box) {
    texts.push_back(fmt::format("[{},{})", interval.begin, interval.end));
  }
  return fmt::format("{}", fmt::join(texts, " x "));
}

}  // namespace

Result<void> check_element_bits(std::int64_t element_bits) {
  constexpr std::int64_t kMaxElementBits = 1 << 16;
  if (element_bits >= 1 && element_bits <= kMaxElementBits) return {};
  return refuse("axe.element_bits", "an element of {} bits; 1 to {} are taken", element_bits,
                kMaxElementBits);
}

Result<std::vector<ShardPiece>> shard_of(const Layout& layout, std::span<const Int> shape,
                                         std::int64_t device) {
  HEDDLE_CHECK(check_admits(layout, shape, "shard_of"));
  HEDDLE_TRY(const Selection selection, selection_of(layout));
  const std::vector<Iter> free = free_digits(layout);
  std::vector<Int> firsts;
  for_all_digits(selection, [&](std::int64_t sum, std::span<const std::int64_t> digits) {
    const Int shift = Int(device) - sum;
    if (!shift.is_constant() || !std::ranges::binary_search(selection.shifts, shift.value()))
      return;
    Int first = 0;
    for (std::size_t i = 0; i < digits.size(); ++i) first += digits[i] * selection.weights[i];
    firsts.push_back(first);
  });
  std::vector<ShardPiece> pieces;
  for (const Int& first : firsts) {
    HEDDLE_TRY(Layout indices, Layout::make(free, {}, {{Axis::memory(), first}}));
    HEDDLE_TRY(indices, canonicalize(indices));
    pieces.push_back({box_of(indices, shape), std::move(indices)});
  }
  return pieces;
}

std::string to_string(std::span<const ShardPiece> pieces) {
  if (pieces.empty()) return "nothing";
  std::vector<std::string> texts;
  for (const ShardPiece& piece : pieces) texts.push_back(piece_text(piece));
  return fmt::format("{}", fmt::join(texts, " and "));
}

Result<std::vector<Int>> devices_of(const Layout& layout, std::span<const Int> shape,
                                    std::span<const Int> point) {
  HEDDLE_TRY(const std::vector<Coordinate> found, places(layout, shape, point));
  std::vector<Int> devices;
  for (const Coordinate& place : found) {
    const Int device = place[device_axis()];
    if (std::ranges::find(devices, device) == devices.end()) devices.push_back(device);
  }
  std::ranges::sort(devices, [](const Int& a, const Int& b) {
    return a.is_constant() && b.is_constant() && a.value() < b.value();
  });
  return devices;
}

Result<Footprint> bytes_per_device(const Layout& layout, std::int64_t element_bits,
                                   const Mesh* mesh) {
  HEDDLE_CHECK(check_element_bits(element_bits));
  HEDDLE_TRY(const Selection selection, selection_of(layout));
  HEDDLE_TRY(const Int copies, copies_on_a_device(layout));
  std::map<std::int64_t, std::int64_t> pieces;
  bool fits = true;
  for_all_digits(selection, [&](std::int64_t sum, std::span<const std::int64_t>) {
    for (const std::int64_t shift : selection.shifts) {
      const Int device = Int(sum) + shift;
      fits = fits && device.is_constant();
      if (fits) ++pieces[device.value()];
    }
  });
  if (!fits) return refuse("overflow", "a device's number does not fit into 64 bits");
  if (mesh != nullptr) {
    for (const std::int64_t device : mesh->devices()) pieces.try_emplace(device, 0);
  }
  Int piece_size = 1;
  for (const Iter& iter : free_digits(layout)) piece_size *= iter.extent;
  std::map<std::int64_t, std::vector<std::int64_t>, std::greater<>> devices;
  for (const auto& [device, count] : pieces) devices[count].push_back(device);
  Footprint footprint{.holders = {},
                      .copies = static_cast<std::int64_t>(selection.shifts.size()),
                      .total_bytes = 0,
                      .allocated_bytes = 0};
  for (auto& [count, ids] : devices) {
    const Int elements = piece_size * count;
    const Int bytes = bytes_of(elements * copies, element_bits);
    footprint.total_bytes += bytes * static_cast<std::int64_t>(ids.size());
    footprint.holders.push_back({std::move(ids), elements, bytes});
  }
  HEDDLE_TRY(const Int reach, span(layout, Axis::memory()));
  footprint.allocated_bytes = bytes_of(reach, element_bits);
  HEDDLE_CHECK(check_defined(footprint.total_bytes + footprint.allocated_bytes,
                             [&] { return "the bytes of " + to_string(layout); }));
  return footprint;
}

}  // namespace heddle::axe
