#include "heddle/analyze/access.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "analyze/checks.h"
#include "core/text.h"
#include "expr/assume_needed.h"
#include "heddle/linear/encoding_counts.h"
#include "linear/bit_runs.h"

namespace heddle::analyze {
namespace {

using form::IndexMap;

/// Addresses in bits must fit into 64 bits, with room for sums.
constexpr std::int64_t kMaxAddress = std::int64_t{1} << 52;

// From index maps.

Result<std::int64_t> constant_of(const Int& number, std::string_view what) {
  if (number.is_constant()) return number.value();
  if (!number.is_defined()) {
    return refuse("overflow", fmt::format("{} does not fit into 64 bits", what));
  }
  return refuse(Diagnostic("analyze.symbolic", fmt::format("{} is {}; an analysis needs numbers",
                                                           what, to_string(number)))
                    .with_hint(value_hint({&number, 1})));
}

Result<std::vector<std::int64_t>> constant_extents(const IndexMap& map) {
  std::vector<std::int64_t> extents;
  for (const Int& extent : map.extents()) {
    HEDDLE_TRY(const std::int64_t constant, constant_of(extent, "an extent"));
    extents.push_back(constant);
  }
  return extents;
}

/// An access with these threads and values, without addresses; refuses one that is too large.
Result<Access> empty_access(const std::vector<std::int64_t>& extents, int element_bits) {
  HEDDLE_CHECK(check_element_bits(element_bits));
  Access access;
  access.element_bits = element_bits;
  if (!extents.empty()) access.threads = extents.front();
  Int points = 1;
  for (const std::int64_t extent : extents) points *= extent;
  if (!known_at_most(points, kMaxAccessPoints)) {
    return refuse("analyze.too_large",
                  fmt::format("an access of {} threads has more than {} values in all",
                              access.threads, kMaxAccessPoints));
  }
  access.values = points.value() / access.threads;
  access.addresses.resize(static_cast<std::size_t>(points.value()));
  return access;
}

std::string thread_text(std::int64_t thread, std::int64_t value) {
  return fmt::format("(thread {}, value {})", thread, value);
}

Result<std::int64_t> checked_address(std::int64_t address, std::int64_t thread,
                                     std::int64_t value) {
  if (address > kMaxAddress) {
    return refuse("analyze.too_large", fmt::format("{} touches address {}, above 2^52",
                                                   thread_text(thread, value), address));
  }
  if (address >= 0) return address;
  return refuse("analyze.negative",
                fmt::format("{} touches address {}, below the beginning of the memory",
                            thread_text(thread, value), address));
}

/// Composes a memory layout with an access, point by point.
class Composer {
 public:
  Composer(const IndexMap& access, const IndexMap* memory) : access_(access), memory_(memory) {}

  Result<Access> composed(int element_bits) {
    HEDDLE_CHECK(check_fit());
    HEDDLE_TRY(const auto extents, constant_extents(access_));
    HEDDLE_TRY(Access result, empty_access(extents, element_bits));
    if (memory_ != nullptr) {
      HEDDLE_TRY(memory_extents_, constant_extents(*memory_));
      HEDDLE_TRY(memory_size_, constant_of(memory_->size(), "the size of the memory layout"));
    }
    std::vector<Int> point(extents.size());
    for (std::int64_t flat = 0; flat < result.threads * result.values; ++flat) {
      std::int64_t rest = flat;
      for (std::size_t i = 0; i < extents.size(); ++i) {
        point[i] = rest % extents[i];
        rest /= extents[i];
      }
      thread_ = flat % result.threads;
      value_ = flat / result.threads;
      HEDDLE_TRY(result.addresses[static_cast<std::size_t>(flat)], address(access_(point)));
    }
    return result;
  }

 private:
  [[nodiscard]] Result<void> check_fit() const {
    const std::size_t axes = access_.axes().size();
    if (memory_ == nullptr) {
      if (axes == 1) return {};
      return refuse(Diagnostic("analyze.rank",
                               fmt::format("the access maps to coordinates of {}, and no memory "
                                           "layout turns them into addresses",
                                           counted(axes, "axis")))
                        .with_hint("give the memory's layout after the access: (128,64):(64,1)"));
    }
    if (memory_->axes().size() != 1) {
      return refuse("analyze.rank",
                    fmt::format("the memory layout maps to coordinates of {}; addresses are "
                                "needed",
                                counted(memory_->axes().size(), "axis")));
    }
    if (axes == 1 || axes == memory_->extents().size()) return {};
    return refuse("analyze.rank",
                  fmt::format("the access maps to coordinates of {}, and the memory layout "
                              "has {}",
                              counted(axes, "axis"), counted(memory_->extents().size(), "mode")));
  }

  /// The address of an element.
  [[nodiscard]] Result<std::int64_t> address(std::vector<Int> element) const {
    if (memory_ != nullptr) {
      HEDDLE_CHECK(check_inside(element));
      element = element.size() == 1 ? memory_->at(element.front()) : (*memory_)(element);
    }
    HEDDLE_TRY(const std::int64_t address, constant_of(element.front(), "an address"));
    return checked_address(address, thread_, value_);
  }

  [[nodiscard]] Result<void> check_inside(const std::vector<Int>& element) const {
    const bool is_flat = element.size() == 1;
    for (std::size_t i = 0; i < element.size(); ++i) {
      HEDDLE_TRY(const std::int64_t coordinate, constant_of(element[i], "a coordinate"));
      const std::int64_t end = is_flat ? memory_size_ : memory_extents_[i];
      if (coordinate >= 0 && coordinate < end) continue;
      return refuse(
          Diagnostic("analyze.outside",
                     fmt::format("{} is element {}{}; the memory layout has {}",
                                 thread_text(thread_, value_), coordinate,
                                 is_flat ? "" : fmt::format(" along mode {}", i), end))
              .with_hint("the order is heddle banks ACCESS MEMORY, heddle swizzle MEMORY ACCESS"));
    }
    return {};
  }

  const IndexMap& access_;
  const IndexMap* memory_;
  std::vector<std::int64_t> memory_extents_;
  std::int64_t memory_size_ = 0;
  std::int64_t thread_ = 0;
  std::int64_t value_ = 0;
};

// From tiles.

/// The tile of each mode of the memory; that of a single leaf is cut out of the flat memory.
Result<std::vector<cute::Tile>> tiles_of(const cute::Tiler& tiler) {
  if (tiler.is_leaf()) return std::vector<cute::Tile>{tiler.leaf()};
  std::vector<cute::Tile> tiles;
  for (std::size_t i = 0; i < tiler.rank(); ++i) {
    if (!tiler.mode(i).is_leaf()) {
      return refuse(
          Diagnostic("analyze.tile",
                     fmt::format("the tile {} is nested in mode {}", cute::to_string(tiler), i))
              .with_hint("give the tile one size or one layout for each mode of the memory"));
    }
    tiles.push_back(tiler.mode(i).leaf());
  }
  return tiles;
}

/// The number of elements that a tile takes from a mode of the memory.
Int extent_of(const cute::Tile& tile, const Int& mode) {
  if (tile.is_underscore()) return mode;
  return tile.layout() != nullptr ? tile.layout()->size() : *tile.size();
}

/// The extents of the tile; refuses one that does not divide the modes of the memory.
Result<std::vector<Int>> tile_extents(const cute::TvLayout& tv, std::span<const cute::Tile> tiles,
                                      std::span<const Int> modes) {
  const auto refusal = [&](const std::string& why) {
    std::vector<std::string> texts;
    for (const Int& mode : modes) texts.push_back(to_string(mode));
    return refuse(Diagnostic("analyze.tile",
                             fmt::format("the tile of {} does not divide a memory of ({}): {}",
                                         cute::to_string(tv), fmt::join(texts, ","), why))
                      .with_hint("the tile is matched with the memory mode by mode, so give the "
                                 "memory the shape from which the tile is cut"));
  };
  if (tiles.size() > modes.size()) {
    const auto modes_text = [](std::size_t count) {
      return counted(static_cast<std::int64_t>(count), "mode");
    };
    return refusal(fmt::format("it has {}, the memory {}", modes_text(tiles.size()),
                               modes_text(modes.size())));
  }
  std::vector<Int> extents;
  for (std::size_t i = 0; i < tiles.size(); ++i) {
    extents.push_back(extent_of(tiles[i], modes[i]));
    if (known_divides(extents[i], modes[i])) continue;
    return refusal(
        fmt::format("{} does not divide {}", to_string(extents[i]), to_string(modes[i])));
  }
  return extents;
}

// From linear layouts.

/// Refuses as linear::padded_offset().
Result<void> check_paddings(Paddings paddings) {
  if (paddings.empty()) return {};
  HEDDLE_CHECK(linear::padded_offset({.paddings = {paddings.begin(), paddings.end()}}, 0));
  return {};
}

/// The padded offset; undefined past 64 bits.
Int padded(const Int& offset, Paddings paddings) {
  Int place = offset;
  for (const auto& [interval, padding] : paddings) place += floor_div(offset, interval) * padding;
  return place;
}

Result<void> check_offsets(const linear::LinearLayout& shared) {
  const bool has_others = std::ranges::any_of(shared.in_dims(), [](const linear::Dimension& in) {
    return in.bits > 0 && in.name != "offset" && in.name != "block";
  });
  if (shared.has_in_dim("offset") && !has_others) return {};
  return refuse("analyze.dims",
                fmt::format("a shared layout has the inputs offset and block; this one has {}",
                            linear::dims_text(shared.in_dims())));
}

Result<void> check_one_cta(const linear::LinearLayout& layout) {
  const linear::Dimension* block = layout.find_in("block");
  if (block == nullptr || block->bits == 0) return {};
  return refuse("analyze.across_ctas",
                fmt::format("the layout has {} CTAs; with a layout of another system it needs to "
                            "have one",
                            block->size()));
}

// Vectors.

/// The addresses of a value in all threads.
using Column = std::span<const std::int64_t>;

Column column_of(const Access& access, std::int64_t value) {
  return Column(access.addresses)
      .subspan(static_cast<std::size_t>(value * access.threads),
               static_cast<std::size_t>(access.threads));
}

struct ColumnLess {
  bool operator()(const Column& a, const Column& b) const {
    return std::ranges::lexicographical_compare(a, b);
  }
};

/// The first value with each column.
using Distinct = std::map<Column, std::int64_t, ColumnLess>;

Distinct distinct_values(const Access& access) {
  Distinct distinct;
  for (std::int64_t value = 0; value < access.values; ++value) {
    distinct.emplace(column_of(access, value), value);
  }
  return distinct;
}

/// The values one, two, … elements after `first`; nullopt if one is missing.
std::optional<std::vector<std::int64_t>> neighbours(const Access& access, const Distinct& distinct,
                                                    std::int64_t first, std::int64_t count) {
  const Column begin = column_of(access, first);
  std::vector<std::int64_t> values = {first};
  std::vector<std::int64_t> wanted(begin.begin(), begin.end());
  while (static_cast<std::int64_t>(values.size()) < count) {
    for (std::int64_t& address : wanted) ++address;
    const auto next = distinct.find(Column(wanted));
    if (next == distinct.end()) return std::nullopt;
    values.push_back(next->second);
  }
  return values;
}

/// All values in vectors of `count`; nullopt if that is impossible.
std::optional<Vectors> vectors_of(const Access& access, const Distinct& distinct,
                                  std::int64_t count) {
  Vectors vectors{static_cast<int>(count), {}};
  if (static_cast<std::int64_t>(distinct.size()) % count != 0) return std::nullopt;
  for (std::int64_t value = 0; value < access.values; ++value) {
    const Column column = column_of(access, value);
    if (distinct.at(column) != value) continue;
    const std::int64_t place = column.front() % count;
    const auto stands_there = [&](std::int64_t address) { return address % count == place; };
    if (!std::ranges::all_of(column, stands_there)) return std::nullopt;
    if (place != 0) continue;
    auto vector = neighbours(access, distinct, value, count);
    if (!vector) return std::nullopt;
    vectors.values.push_back(*std::move(vector));
  }
  // A value that is not the first of its vector is covered only if that first value exists.
  if (vectors.values.size() * static_cast<std::size_t>(count) != distinct.size())
    return std::nullopt;
  return vectors;
}

}  // namespace

Result<Access> make_access(const IndexMap& access, const IndexMap& memory, int element_bits) {
  return Composer(access, &memory).composed(element_bits);
}

Result<Access> make_access(const IndexMap& access, int element_bits) {
  return Composer(access, nullptr).composed(element_bits);
}

Result<IndexMap> access_of_tile(const cute::TvLayout& tv, const IndexMap& memory) {
  if (!tv.layout.is_integral()) {
    return refuse(
        "layout.not_integral",
        fmt::format("{} has strides in several axes; elements are numbered along the tile",
                    cute::to_string(tv)));
  }
  HEDDLE_TRY(const auto tiles, tiles_of(tv.tiler));
  const std::vector<Int> whole = {memory.size()};
  const bool is_flat = tv.tiler.is_leaf();
  HEDDLE_TRY(const auto extents,
             tile_extents(tv, tiles, is_flat ? std::span<const Int>(whole) : memory.extents()));
  const IndexMap elements = cute::index_map(tv.layout);
  const std::size_t rank = is_flat ? 1 : memory.extents().size();
  const auto evaluate = [=](std::span<const Int> place) {
    std::vector<Int> coordinates(rank, 0);
    Int rest = elements(place).front();
    for (std::size_t i = 0; i < tiles.size(); ++i) {
      const bool is_last = i + 1 == tiles.size();
      const Int index = is_last ? rest : mod(rest, extents[i]);
      coordinates[i] = tiles[i].layout() != nullptr ? (*tiles[i].layout())(index) : index;
      rest = floor_div(rest, extents[i]);
    }
    return coordinates;
  };
  std::vector<Axis> axes;
  for (std::size_t i = 0; i < rank; ++i) axes.emplace_back(fmt::format("dim{}", i));
  return IndexMap({elements.extents().begin(), elements.extents().end()}, elements.order(),
                  std::move(axes), evaluate);
}

Result<linear::LinearLayout> register_offsets(const linear::LinearLayout& registers,
                                              const linear::LinearLayout& shared,
                                              std::int64_t warp_lanes) {
  HEDDLE_CHECK(check_registers(registers, warp_lanes));
  HEDDLE_CHECK(check_size(shared));
  HEDDLE_CHECK(check_offsets(shared));
  HEDDLE_TRY(const linear::LinearLayout stored, linear::invert_and_compose(registers, shared));
  const auto offset = linear::run_of(stored.out_dims(), "offset");
  for (const std::string_view dim : {"register", "lane", "warp"}) {
    for (const std::uint64_t column : columns_of(stored, dim)) {
      if (offset->of(column) << offset->begin == column) continue;
      return refuse("analyze.across_ctas",
                    fmt::format("a {} of the register layout holds an element that is in the "
                                "shared memory of another CTA",
                                dim));
    }
  }
  linear::Bases bases;
  for (const std::string_view dim : {"register", "lane", "warp"}) {
    linear::InBases images{std::string(dim), {}};
    for (const std::uint64_t column : columns_of(stored, dim)) {
      images.vectors.push_back({static_cast<std::int64_t>(offset->of(column))});
    }
    bases.push_back(std::move(images));
  }
  const linear::NamedSizes offsets = {{"offset", std::int64_t{1} << offset->bits}};
  return linear::LinearLayout::make(bases, offsets);
}

Result<Access> make_access(const linear::LinearLayout& registers,
                           const linear::LinearLayout& shared, int element_bits, Paddings paddings,
                           std::int64_t warp_lanes) {
  HEDDLE_CHECK(check_paddings(paddings));
  HEDDLE_TRY(const linear::LinearLayout offsets, register_offsets(registers, shared, warp_lanes));
  const int value_bits = offsets.in_dims()[0].bits;
  const int thread_bits = offsets.in_dims()[1].bits + offsets.in_dims()[2].bits;
  if (value_bits + thread_bits > 30) {
    return refuse("analyze.too_large", fmt::format("an access of 2^{} values; at most {} are "
                                                   "counted",
                                                   value_bits + thread_bits, kMaxAccessPoints));
  }
  const std::vector<std::int64_t> extents = {std::int64_t{1} << thread_bits,
                                             std::int64_t{1} << value_bits};
  HEDDLE_TRY(Access access, empty_access(extents, element_bits));
  access.warp_lanes = warp_lanes;
  for (std::int64_t value = 0; value < access.values; ++value) {
    for (std::int64_t thread = 0; thread < access.threads; ++thread) {
      const std::uint64_t offset =
          offsets.matrix()(static_cast<std::uint64_t>(value | thread << value_bits));
      const Int place = padded(static_cast<std::int64_t>(offset), paddings);
      HEDDLE_TRY(const std::int64_t address, constant_of(place, "an address"));
      HEDDLE_TRY(access.addresses[static_cast<std::size_t>(value * access.threads + thread)],
                 checked_address(address, thread, value));
    }
  }
  return access;
}

Result<IndexMap> thread_value_map(const linear::LinearLayout& registers, std::int64_t warp_lanes) {
  HEDDLE_CHECK(check_registers(registers, warp_lanes));
  HEDDLE_CHECK(check_one_cta(registers));
  const auto value_run = linear::run_of(registers.in_dims(), "register");
  const auto lane_run = linear::run_of(registers.in_dims(), "lane");
  const auto warp_run = linear::run_of(registers.in_dims(), "warp").value_or(linear::Run{});
  std::vector<Axis> axes;
  for (const linear::Dimension& dim : registers.out_dims()) axes.emplace_back(dim.name);
  const auto evaluate = [=](std::span<const Int> indices) -> std::vector<Int> {
    std::vector<Int> undefined(registers.out_dims().size(), Int::undefined());
    if (!indices[0].is_constant() || !indices[1].is_constant()) return undefined;
    const auto thread = static_cast<std::uint64_t>(indices[0].value());
    const auto value = static_cast<std::uint64_t>(indices[1].value());
    const std::uint64_t lane = thread & ((std::uint64_t{1} << lane_run->bits) - 1);
    const std::uint64_t warp = thread >> lane_run->bits;
    const std::uint64_t point =
        value << value_run->begin | lane << lane_run->begin | warp << warp_run.begin;
    const auto image = linear::coordinates(registers.out_dims(), registers.matrix()(point));
    return {image.begin(), image.end()};
  };
  const std::vector<Int> extents = {Int(std::int64_t{1} << (lane_run->bits + warp_run.bits)),
                                    Int(std::int64_t{1} << value_run->bits)};
  return IndexMap(extents, form::FlatOrder::kFirstFastest, std::move(axes), evaluate);
}

Result<IndexMap> offset_map(const linear::LinearLayout& shared, Paddings paddings) {
  HEDDLE_CHECK(check_offsets(shared));
  HEDDLE_CHECK(check_one_cta(shared));
  HEDDLE_TRY(const linear::LinearLayout offsets,
             linear::sublayout(shared, {"offset"}, shared.out_dim_names()));
  HEDDLE_TRY(const linear::LinearLayout inverse, linear::invert(offsets));
  const IndexMap unpadded = linear::index_map(inverse);
  HEDDLE_CHECK(check_paddings(paddings));
  const std::vector<linear::PaddedSharedEncoding::Padding> kept(paddings.begin(), paddings.end());
  const auto evaluate = [unpadded, kept](std::span<const Int> indices) {
    std::vector<Int> offset = unpadded(indices);
    offset.front() = padded(offset.front(), kept);
    return offset;
  };
  return IndexMap({unpadded.extents().begin(), unpadded.extents().end()}, unpadded.order(),
                  {Axis("offset")}, evaluate);
}

Result<Vectors> widest_vectors(const Access& access, int max_bits) {
  HEDDLE_CHECK(check_max_bits(max_bits));
  const Distinct distinct = distinct_values(access);
  for (std::int64_t count = max_bits / access.element_bits; count >= 1; count /= 2) {
    if (count * access.element_bits < 8) break;
    if (auto vectors = vectors_of(access, distinct, count)) return *std::move(vectors);
  }
  if (access.element_bits > max_bits) {
    return refuse("analyze.max_bits", fmt::format("elements of {} bits do not fit into accesses of "
                                                  "{}",
                                                  access.element_bits, max_bits));
  }
  return refuse("analyze.sub_byte",
                fmt::format("elements of {} bits: the values of a thread do not come in whole "
                            "bytes of {} neighbours, alike in all threads",
                            access.element_bits, 8 / access.element_bits));
}

std::vector<Request> requests(const Access& access, const Vectors& vectors) {
  std::vector<Request> all;
  for (std::int64_t warp = 0; warp < access.warps(); ++warp) {
    const std::int64_t first = warp * access.warp_lanes;
    const std::int64_t end = std::min(first + access.warp_lanes, access.threads);
    for (const std::vector<std::int64_t>& values : vectors.values) {
      Request request{warp, values, {}};
      for (std::int64_t thread = first; thread < end; ++thread) {
        request.bytes.push_back(access.address(thread, values.front()) / 8 * access.element_bits +
                                access.address(thread, values.front()) % 8 * access.element_bits /
                                    8);
      }
      all.push_back(std::move(request));
    }
  }
  return all;
}

}  // namespace heddle::analyze
