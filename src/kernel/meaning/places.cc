#include "kernel/meaning/places.h"

#include <algorithm>
#include <array>
#include <optional>
#include <unordered_map>
#include <utility>

#include "core/format.h"
#include "core/text.h"
#include "fmt/ranges.h"
#include "heddle/expr/proof.h"
#include "heddle/form/index_map.h"
#include "heddle/map/instantiate.h"
#include "heddle/map/point_tables.h"

namespace heddle::kernel::meaning {
namespace {

constexpr std::int64_t kOutside = -1;

Bindings bindings_of(const Variables& variables) {
  Bindings bindings;
  for (const auto& [name, number] : variables.numbers) bindings.emplace(name, number);
  return bindings;
}

/// The numbers from 0 to the size of a box, of its points in row-major order, in another order.
std::vector<std::int64_t> flat_indices(std::span<const std::int64_t> extents, form::FlatOrder order,
                                       std::int64_t size) {
  std::vector<std::int64_t> flat(static_cast<std::size_t>(size));
  for (std::int64_t i = 0; i != size; ++i) {
    std::int64_t& result = flat[static_cast<std::size_t>(i)];
    result = i;
    if (order == form::FlatOrder::kLastFastest) continue;
    result = 0;
    std::int64_t rest = i;
    std::int64_t above = size;
    for (std::size_t d = extents.size(); d-- != 0;) {
      above /= extents[d];
      result += rest % extents[d] * above;
      rest /= extents[d];
    }
  }
  return flat;
}

/// The addresses of all points of a layout's box, row-major on `extents`, which regroup its order.
Result<std::vector<std::int64_t>> addresses(const map::AnyLayout& layout,
                                            std::span<const std::int64_t> extents,
                                            const Tensor& tensor) {
  HEDDLE_TRY(const map::View view, map::view(layout));
  HEDDLE_TRY(const map::PointTables tables,
             map::PointTables::make(layout, map::Coordinates::kFlat));
  const exact::Value size = product_of(extents);
  if (view.axes.size() != 1 || !size || *size != tables.extents().front()) {
    return refuse("kernel.layout", "{} is not a layout of {} in one memory", map::to_string(layout),
                  tensor.name);
  }
  if (*size > kMaxWords) {
    return refuse("kernel.work", "a table of {} places of {} is too large", *size, tensor.name);
  }
  std::vector<std::int64_t> flat = flat_indices(extents, view.order, *size);
  static_cast<void>(tables.evaluate({flat}, {flat}));
  return flat;
}

/// The element of the tensor at each address.
Result<std::unordered_map<std::int64_t, std::int64_t>> elements_by_address(
    const Storage& storage, const map::AnyLayout& layout) {
  HEDDLE_TRY(const auto all, addresses(layout, storage.extents, storage.tensor));
  std::unordered_map<std::int64_t, std::int64_t> elements;
  elements.reserve(all.size());
  for (std::size_t i = 0; i != all.size(); ++i) {
    const auto [other, is_new] = elements.emplace(all[i], i);
    if (is_new) continue;
    return refuse("kernel.layout", "{} and {} share one place of memory, {}, by the layout {}",
                  element_text(storage, other->second),
                  element_text(storage, static_cast<std::int64_t>(i)), all[i],
                  map::to_string(layout));
  }
  return elements;
}

/// The place in the storage of each address of the layout's memory.
Result<void> look_up(std::vector<std::int64_t>& table, const Storage& storage,
                     const map::AnyLayout& layout, const Bindings& bindings) {
  const auto refuse_address = [&](std::int64_t address) {
    return refuse("kernel.layout", "{} reaches place {} of {}, which holds no element",
                  map::to_string(layout), address, storage.tensor.name);
  };
  if (!storage.tensor.layout) {
    for (const std::int64_t address : table) {
      if (address < 0 || address >= storage.size) return refuse_address(address);
    }
    return {};
  }
  HEDDLE_TRY(const map::AnyLayout own, map::instantiate(*storage.tensor.layout, bindings));
  HEDDLE_TRY(const auto elements, elements_by_address(storage, own));
  for (std::int64_t& address : table) {
    const auto found = elements.find(address);
    if (found == elements.end()) return refuse_address(address);
    address = found->second;
  }
  return {};
}

}  // namespace

exact::Value product_of(std::span<const std::int64_t> extents) {
  exact::Value product = 1;
  for (const std::int64_t extent : extents) {
    product = exact::multiply(*product, extent);
    if (!product) return std::nullopt;
  }
  return product;
}

Result<std::int64_t> extent_at(const Formula& formula, std::span<const std::int64_t> row) {
  const exact::Value extent = formula.at(row);
  if (extent && *extent >= 0) return *extent;
  return refuse("overflow", "an extent of the kernel is {}",
                extent ? std::to_string(*extent) : "no 64-bit number");
}

Places::Box Places::Box::whole(std::span<const std::int64_t> extents) {
  Box box;
  box.dimensions.resize(extents.size());
  std::int64_t stride = 1;
  for (std::size_t d = extents.size(); d-- != 0;) {
    box.dimensions[d] = {extents[d], stride, 0, extents[d]};
    stride *= extents[d];
  }
  return box;
}

bool Places::Box::is_contiguous() const {
  std::int64_t stride = 1;
  for (std::size_t d = dimensions.size(); d-- != 0;) {
    const Dimension& each = dimensions[d];
    if (each.low > 0 || each.high < each.extent) return false;
    if (each.extent != 1 && each.stride != stride) return false;
    stride *= each.extent;
  }
  return !is_outside;
}

std::int64_t Places::Box::size() const {
  std::int64_t size = 1;
  for (const Dimension& each : dimensions) size *= each.extent;
  return size;
}

std::int64_t Places::Box::place(std::int64_t flat) const {
  if (is_outside) return kOutside;
  std::int64_t place = base;
  for (std::size_t d = dimensions.size(); d-- != 0;) {
    const Dimension& each = dimensions[d];
    const std::int64_t index = flat % each.extent;
    flat /= each.extent;
    if (index < each.low || index >= each.high) return kOutside;
    place += index * each.stride;
  }
  return place;
}

struct Places::Maker {
  const Variables& variables;
  Places places;

  [[nodiscard]] Result<void> operator()(const Sliced& step) {
    Slice slice;
    for (const Subscript& subscript : step.subscripts) {
      HEDDLE_TRY(Formula begin, Formula::make(subscript.begin, variables));
      HEDDLE_TRY(Formula extent, Formula::make(subscript.extent, variables));
      slice.parts.push_back(
          {subscript.kind, std::move(begin), std::move(extent), loaded(subscript.begin)});
    }
    places.steps_.emplace_back(std::move(slice));
    return {};
  }
  [[nodiscard]] Result<void> operator()(const Permuted& step) {
    places.steps_.emplace_back(Permutation{step.order});
    return {};
  }
  [[nodiscard]] Result<void> operator()(const Reshaped& step) {
    Shape shape;
    for (const Int& extent : step.shape) {
      HEDDLE_TRY(Formula formula, Formula::make(extent, variables));
      shape.extents.push_back(std::move(formula));
    }
    places.steps_.emplace_back(std::move(shape));
    return {};
  }
  [[nodiscard]] Result<void> operator()(const Relaid& step) {
    HEDDLE_CHECK(check_first());
    const Bindings bindings = bindings_of(variables);
    HEDDLE_TRY(const map::AnyLayout layout, map::instantiate(step.layout, bindings));
    HEDDLE_TRY(const map::View view, map::view(layout));
    places.base_extents_.clear();
    for (const Int& extent : view.extents) {
      if (!extent.is_constant()) {
        return refuse("kernel.layout", "{} has the extent {}, which no size gives",
                      to_string(places.view_), to_string(extent));
      }
      places.base_extents_.push_back(extent.value());
    }
    HEDDLE_TRY(std::vector<std::int64_t> table,
               addresses(layout, places.base_extents_, places.storage_->tensor));
    HEDDLE_CHECK(look_up(table, *places.storage_, layout, bindings));
    places.table_ = std::make_shared<const std::vector<std::int64_t>>(std::move(table));
    return {};
  }
  [[nodiscard]] Result<void> operator()(const Recast& step) {
    HEDDLE_CHECK(check_first());
    const std::int64_t from = bits(places.type_);
    const std::int64_t to = bits(step.type);
    std::int64_t& last = places.base_extents_.back();
    last = last * from / to;
    places.type_ = step.type;
    places.wide_ = std::max<std::int64_t>(1, to / from);
    places.narrow_ = std::max<std::int64_t>(1, from / to);
    places.part_bits_ = std::min(from, to);
    return {};
  }

  /// nullptr for a subscript that depends on nothing that was read from memory.
  [[nodiscard]] std::shared_ptr<const LoadedIndex> loaded(const Int& value) const {
    LoadedIndex index{heddle::instantiate(value, bindings_of(variables)).value_or(value), {}};
    for (std::string& name : heddle::variables(index.value)) {
      if (!variables.loaded.contains(name)) continue;
      const std::size_t slot = variables.slots.at(name);
      index.slots.emplace(std::move(name), slot);
    }
    return index.slots.empty() ? nullptr : std::make_shared<const LoadedIndex>(std::move(index));
  }

  /// What the layout of the memory is, only the tensor itself knows.
  [[nodiscard]] Result<void> check_first() const {
    if (places.steps_.empty() && !places.table_ && places.wide_ == 1 && places.narrow_ == 1) {
      return {};
    }
    return refuse(diagnose("kernel.recast", "{} reads a part of {} in another way",
                           to_string(places.view_), places.view_.tensor)
                      .with_hint("begin with `bits` or `relayout`, then slice"));
  }
};

Result<Places> Places::make(const View& view, Storage& storage, const Variables& variables) {
  Maker maker{variables, {}};
  maker.places.view_ = view;
  maker.places.storage_ = &storage;
  maker.places.type_ = storage.tensor.type;
  maker.places.part_bits_ = bits(storage.tensor.type);
  maker.places.base_extents_ = storage.extents;
  for (const View::Step& step : view.steps) HEDDLE_CHECK(std::visit(maker, step));
  maker.places.base_ = Box::whole(maker.places.base_extents_);
  return std::move(maker.places);
}

std::int64_t Places::size() const { return *product_of(extents_); }

Result<void> Places::resolve(std::span<const std::int64_t> row, std::size_t part) {
  outer_.clear();
  box_ = base_;
  for (const Step& step : steps_) {
    HEDDLE_CHECK(std::visit([&](const auto& each) { return follow(each, row); }, step));
  }
  extents_.clear();
  for (const Dimension& each : box_.dimensions) extents_.push_back(each.extent);
  if (!product_of(extents_)) {
    return refuse("overflow", "the number of elements of {} does not fit into 64 bits",
                  to_string(view_));
  }
  instance_ = storage_->is_private() ? static_cast<std::int64_t>(part) * storage_->size : 0;
  return {};
}

void Places::take_range(Dimension dimension, std::int64_t begin, std::int64_t extent) {
  const auto clamped = [&](std::int64_t index) {
    const exact::Value moved = exact::subtract(index, begin);
    const std::int64_t far = begin < 0 ? extent : 0;
    return std::clamp<std::int64_t>(moved.value_or(far), 0, extent);
  };
  const std::int64_t low = clamped(dimension.low);
  const std::int64_t high = clamped(dimension.high);
  // Only what is inside has a place, which is in the tensor.
  if (low < high) box_.base += begin * dimension.stride;
  scratch_.push_back({extent, dimension.stride, low, std::max(low, high)});
}

/// Tails are outside because of blocks, threads and counters; an index is wrong if it is outside
/// for all of them. A range may begin where the dimension ends: nothing may be left to read.
Result<void> Places::check_loaded(const Slice::Part& part, std::size_t dimension,
                                  std::int64_t begin, std::int64_t extent,
                                  std::span<const std::int64_t> row) const {
  const bool is_index = part.kind == Subscript::Kind::kIndex;
  const std::int64_t size = box_.dimensions[dimension].extent;
  const auto is_outside = [&](std::int64_t low, std::int64_t high) {
    return is_index ? low >= size || high < 0 : low > size || high < -extent;
  };
  if (part.loaded == nullptr || !is_outside(begin, begin)) return {};
  Bindings values;
  for (const auto& [name, slot] : part.loaded->slots) values.emplace(name, row[slot]);
  const auto index = heddle::instantiate(part.loaded->value, values);
  if (!index || !index->is_defined()) return {};
  const Range possible = range(*index);
  if (!is_outside(possible.low, possible.high)) return {};
  const std::string text =
      is_index ? fmt::format("the index {}", begin)
               : fmt::format("the elements from {} up to {}", begin, begin + extent);
  return refuse(diagnose("kernel.index", "{} has {} along axis {}, outside of its {}",
                         to_string(view_), text, dimension, counted(size, "element"))
                    .with_note("where " + bindings_text(values))
                    .with_hint("indices count from 0; leave out those that mean nothing by `if`"));
}

Result<void> Places::follow(const Slice& step, std::span<const std::int64_t> row) {
  scratch_.clear();
  std::size_t dimension = 0;
  for (const Slice::Part& part : step.parts) {
    if (part.kind == Subscript::Kind::kNew) {
      scratch_.push_back({1, 0, 0, 1});
      continue;
    }
    const Dimension& read = box_.dimensions[dimension++];
    if (part.kind == Subscript::Kind::kWhole) {
      scratch_.push_back(read);
      continue;
    }
    const exact::Value begin = part.begin.at(row);
    std::int64_t extent = 1;
    if (!begin) {
      return refuse("overflow", "a subscript of {} is not a 64-bit number", to_string(view_));
    }
    if (part.kind == Subscript::Kind::kRange) {
      HEDDLE_TRY(extent, extent_at(part.extent, row));
    }
    HEDDLE_CHECK(check_loaded(part, dimension - 1, *begin, extent, row));
    if (part.kind == Subscript::Kind::kRange) {
      take_range(read, *begin, extent);
    } else if (*begin < read.low || *begin >= read.high) {
      box_.is_outside = true;
    } else {
      box_.base += *begin * read.stride;
    }
  }
  scratch_.insert(scratch_.end(), box_.dimensions.begin() + static_cast<std::ptrdiff_t>(dimension),
                  box_.dimensions.end());
  std::swap(box_.dimensions, scratch_);
  return {};
}

Result<void> Places::follow(const Permutation& step, std::span<const std::int64_t> /*row*/) {
  scratch_.clear();
  for (const std::size_t from : step.order) scratch_.push_back(box_.dimensions[from]);
  std::swap(box_.dimensions, scratch_);
  return {};
}

Result<void> Places::follow(const Shape& step, std::span<const std::int64_t> row) {
  std::vector<std::int64_t> extents;
  for (const Formula& formula : step.extents) {
    HEDDLE_TRY(const std::int64_t extent, extent_at(formula, row));
    extents.push_back(extent);
  }
  const exact::Value size = product_of(extents);
  if (!size || *size != box_.size()) {
    return refuse("kernel.reshape", "{} reshapes {} to shape ({})", to_string(view_),
                  counted(box_.size(), "element"), fmt::join(extents, ","));
  }
  Box reshaped = Box::whole(extents);
  if (box_.is_contiguous()) {
    reshaped.base = box_.base;
  } else {
    outer_.push_back(std::move(box_));
  }
  box_ = std::move(reshaped);
  return {};
}

void Places::spread(std::span<const std::int64_t> box) {
  const std::size_t lead = box.size() - box_.dimensions.size();
  spread_.base = box_.base;
  spread_.is_outside = box_.is_outside;
  spread_.dimensions.clear();
  for (std::size_t d = 0; d != box.size(); ++d) {
    const bool is_own = d >= lead && extents_[d - lead] == box[d];
    if (is_own) {
      spread_.dimensions.push_back(box_.dimensions[d - lead]);
      continue;
    }
    // A repeated element; nothing is inside if it is not.
    const bool is_inside =
        d < lead || (box_.dimensions[d - lead].low == 0 && box_.dimensions[d - lead].high == 1);
    spread_.dimensions.push_back({box[d], 0, 0, is_inside ? box[d] : 0});
  }
}

void Places::locate(std::int64_t first, std::size_t count, Located& located,
                    std::int64_t part) const {
  located.count = count;
  located.width = part_bits_;
  std::array<std::int64_t, kChunk>& places = located.places;
  const std::vector<Dimension>& dimensions = spread_.dimensions;
  const Dimension last = dimensions.empty() ? Dimension{1, 0, 0, 1} : dimensions.back();
  const std::size_t outer = dimensions.empty() ? 0 : dimensions.size() - 1;
  std::int64_t row = first / last.extent;
  std::int64_t column = first % last.extent;
  for (std::size_t i = 0; i != count; ++row, column = 0) {
    std::int64_t base = spread_.base;
    bool is_inside = !spread_.is_outside;
    std::int64_t rest = row;
    for (std::size_t d = outer; d-- != 0;) {
      const Dimension& each = dimensions[d];
      const std::int64_t index = rest % each.extent;
      rest /= each.extent;
      is_inside = is_inside && index >= each.low && index < each.high;
      base += index * each.stride;
    }
    const std::int64_t end = std::min(last.extent, column + static_cast<std::int64_t>(count - i));
    const std::int64_t high = is_inside ? last.high : 0;
    for (; column != end; ++column, ++i) {
      const bool is_here = column >= last.low && column < high;
      places[i] = is_here ? base + column * last.stride : kOutside;
    }
  }
  std::fill_n(located.shifts.begin(), count, std::uint8_t{0});
  for (auto box = outer_.rbegin(); box != outer_.rend(); ++box) {
    for (std::size_t i = 0; i != count; ++i) {
      if (places[i] >= 0) places[i] = box->place(places[i]);
    }
  }
  if (table_) {
    for (std::size_t i = 0; i != count; ++i) {
      if (places[i] >= 0) places[i] = (*table_)[static_cast<std::size_t>(places[i])];
    }
  }
  if (narrow_ != 1 || wide_ != 1) {
    for (std::size_t i = 0; i != count; ++i) {
      if (places[i] < 0) continue;
      located.shifts[i] = static_cast<std::uint8_t>(places[i] % narrow_ * part_bits_);
      places[i] = places[i] / narrow_ * wide_ + part;
    }
  }
  if (instance_ == 0) return;
  for (std::size_t i = 0; i != count; ++i) {
    if (places[i] >= 0) places[i] += instance_;
  }
}

}  // namespace heddle::kernel::meaning
