#include "heddle/map/convert.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "heddle/map/recover.h"
#include "map/forms/conversion.h"
#include "map/reading/read_as.h"
#include "map/view/shown_digits.h"

namespace heddle::map {
namespace {

Reading usual_reading(const View& source, System to) {
  const bool to_places = to == System::kLinear || to == System::kCuteTv;
  switch (source.system) {
    case System::kLinear: {
      const bool is_algebra = to == System::kCute || to == System::kAxe || to == System::kLego;
      if (is_algebra && names_offset(source)) return Reading::kMemory;
      const bool owns = to == System::kAxe || to == System::kCuteTv;
      return owns && names_places(source) ? Reading::kOwnership : Reading::kLiteral;
    }
    case System::kCuteTv:
      return to == System::kAxe || to == System::kLinear ? Reading::kOwnership : Reading::kLiteral;
    case System::kAxe:
      return to_places && has_thread_axis(source) ? Reading::kOwnership : Reading::kLiteral;
    default:
      return Reading::kLiteral;
  }
}

/// One conversion: the layout, the target, and the reading.
struct Conversion {
  const AnyLayout& layout;
  System from;
  System to;
  Reading reading;
  /// Whether the map has the other direction in the target.
  bool turns = false;
  Task task;
};

bool turns_round(const View& source, System to, Reading reading) {
  const auto one_is = [&](System system) { return (source.system == system) != (to == system); };
  if (reading == Reading::kOwnership) return one_is(System::kAxe);
  if (reading != Reading::kMemory || !one_is(System::kLinear)) return false;
  // A linear layout that maps to offsets already has the direction of the others.
  return to == System::kLinear || source.axes.size() != 1 || source.axes.front().name() != "offset";
}

/// Whether the target is a flat thread-value layout: a CuTe layout of threads and values has no
/// tile.
bool is_thread_values(const Conversion& conversion) {
  const bool is_cute = conversion.from == System::kCuteTv || conversion.from == System::kCute;
  return is_cute && conversion.reading == Reading::kOwnership &&
         conversion.task.view.extents.size() == 2;
}

/// Replaces element numbers by coordinates in the tile.
Result<void> cut_elements(View& view, std::span<const Int> tile) {
  if (tile.empty()) return {};
  view.order = form::FlatOrder::kFirstFastest;
  HEDDLE_TRY(view, reshaped(view, tile));
  return {};
}

/// Splits the axis of a function over bits into the dimensions of the tile, which are powers of
/// two.
Result<void> cut_axis(Task& task, std::span<const Int> tile) {
  if (tile.size() < 2) return {};
  HEDDLE_TRY(BitView bits, bit_form(task));
  View view = task.view;
  view.axes.clear();
  view.bounds.clear();
  std::vector<int> widths;
  int rest = static_cast<int>(bits.matrix.rows());
  for (std::size_t i = 0; i < tile.size(); ++i) {
    int width = 0;
    while (known_less(Int(std::int64_t{1} << width), tile[i])) ++width;
    if (!known_equal(Int(std::int64_t{1} << width), tile[i])) return {};
    width = std::min(width, rest);
    rest -= width;
    widths.push_back(width);
    view.axes.emplace_back(fmt::format("dim{}", i));
    view.bounds.emplace_back(tile[i]);
  }
  if (rest > 0) return {};
  bits.widths = std::move(widths);
  task.view = with_bits(std::move(view), std::move(bits));
  return {};
}

/// Removes dimensions of one point, which carry no information.
View without_idle_axes(View view) {
  std::vector<std::optional<std::size_t>> picks;
  std::vector<Axis> axes;
  for (std::size_t axis = 0; axis < view.axes.size(); ++axis) {
    const bool is_idle = view.bounds[axis] && known_equal(*view.bounds[axis], 1);
    if (is_idle) continue;
    picks.emplace_back(axis);
    axes.push_back(view.axes[axis]);
  }
  if (axes.empty() && !view.axes.empty()) {
    picks.emplace_back(0);
    axes.push_back(view.axes.front());
  }
  pick_axes(view, picks, std::move(axes));
  return view;
}

Result<void> turn(Conversion& conversion) {
  Task& task = conversion.task;
  const std::vector<Int> tile = tile_of(conversion.layout);
  // For memory there are no places in the hardware: m is the offset.
  const bool has_places =
      conversion.from == System::kAxe && conversion.reading == Reading::kOwnership;
  if (has_places) task.view = with_place_names(std::move(task.view), conversion.to);
  HEDDLE_TRY(task.view, converse(task));
  if (has_places) task.view = in_order_of_places(std::move(task.view));
  HEDDLE_CHECK(cut_elements(task.view, tile));
  task.view = without_idle_axes(std::move(task.view));
  return {};
}

/// `thread is (lane,warp), value is register`; empty if the box is (thread, value) already.
std::string thread_remark(const View& view) {
  std::vector<std::string> threads;
  std::vector<std::string> values;
  for (const std::string& name : view.names) {
    (is_thread_name(name) ? threads : values).push_back(name);
  }
  if (threads.empty() || threads.front() == "thread") return {};
  const std::string value = values.empty() ? "" : ", value is " + join_names(values);
  return fmt::format("thread is {}{}", join_names(threads), value);
}

/// `turned round: (dim0,dim1) -> (reg,laneid)`, `(dim0,dim1) on one axis, the first fastest`; empty
/// if nothing was changed.
std::string remark_of(const Conversion& conversion, const View& source) {
  const View& view = conversion.task.view;
  const auto is_named = [&](System system) {
    return conversion.to == system || conversion.from == system;
  };
  if (conversion.to == System::kLego && source.axes.size() > 1) {
    return fmt::format("{} on one axis, the first fastest", join_axes(view.axes));
  }
  if (conversion.to == System::kCuteTv) {
    if (conversion.reading != Reading::kOwnership) return {};
    const std::string remark = thread_remark(view);
    return conversion.turns && !remark.empty() ? "turned round, " + remark : remark;
  }
  const bool is_shown = is_named(System::kLinear) || is_named(System::kAxe);
  if (!conversion.turns && (!is_shown || conversion.to == System::kRelation)) return {};
  return (conversion.turns ? "turned round: " : "") + direction_text(view);
}

Result<AnyLayout> written_as(const Conversion& conversion) {
  const Task& task = conversion.task;
  switch (conversion.to) {
    case System::kCute:
      return write_cute(task);
    case System::kCuteTv:
      return write_cute_tv(task);
    case System::kLinear:
      return write_linear(task);
    case System::kAxe:
      return write_axe(task);
    case System::kLego:
      return write_lego(task);
    case System::kTable:
      return write_table(task);
    case System::kRelation:
      return write_relation(task);
  }
  return refuse(no_layout(task, "there is no such system"));
}

/// In other systems the -1 by which LEGO marks a missing place would be a place, unless values
/// are only listed.
Result<void> check_places(const Task& task) {
  const bool is_listed = task.to == System::kTable || task.to == System::kRelation;
  if (!task.view.leaves_out || is_listed) return {};
  const auto samples = samples_of(task);
  for (std::int64_t flat = 0; samples && flat < samples->size(); ++flat) {
    if (samples->at(flat).front() >= 0) continue;
    const std::vector<std::int64_t> point = samples->point(flat);
    return refuse(no_layout(task, fmt::format("{} has no place: {} stands for none, and {} has a "
                                              "place for every point",
                                              tuple_text(point), "-1", description(task.to)))
                      .with_hint("the values are listed by --to table, -1 among them"));
  }
  // The sizes may be those of the array after all.
  return samples ? Result<void>() : refuse(samples.error());
}

/// The map in the direction of the target, with its names.
Result<void> prepare(Conversion& conversion) {
  Task& task = conversion.task;
  HEDDLE_CHECK(check_places(task));
  const bool is_tv = is_thread_values(conversion);
  if (is_tv && (conversion.turns || conversion.to == System::kLinear))
    task.view = places_of_thread_values(std::move(task.view));
  if (conversion.turns) {
    HEDDLE_CHECK(turn(conversion));
  } else if (is_tv && conversion.to == System::kLinear) {
    HEDDLE_CHECK(cut_axis(task, tile_of(conversion.layout)));
  }
  task.view = with_names_of(conversion.to, std::move(task.view), conversion.turns);
  return {};
}

/// A relation with several images of a point has no view; an Axe layout expresses them as replicas.
Result<Converted> with_replicas(const AnyLayout& layout, const ConvertOptions& options,
                                const Diagnostic& no_view) {
  const bool turns = options.reading == Reading::kOwnership;
  if (no_view.code() != "relation.multi_valued" || turns) return refuse(no_view);
  RecoverOptions limited;
  limited.limits = options.limits;
  HEDDLE_TRY(RecoveredAxe recovered, recover_axe(layout, limited));
  return Converted{std::move(recovered.layout), std::move(recovered.shape), Reading::kLiteral, {}};
}

/// The layout itself if nothing has to be converted; otherwise nullopt.
std::optional<Converted> unchanged(const AnyLayout& layout, const View& source, System to,
                                   const ConvertOptions& options) {
  if (options.shape && !source.takes_any_shape) return std::nullopt;
  if (source.system == to) {
    return Converted{layout, options.shape.value_or(source.extents), Reading::kLiteral, {}};
  }
  if (to == System::kCute && source.system == System::kCuteTv) {
    return Converted{std::get<cute::TvLayout>(layout).layout,
                     {},
                     Reading::kLiteral,
                     "(thread,value) -> element, without its tile"};
  }
  return std::nullopt;
}

}  // namespace

Result<Converted> convert(const AnyLayout& layout, System to, const ConvertOptions& options) {
  if (system_of(layout) == to && to == System::kRelation && !options.shape) {
    return Converted{layout, {}, Reading::kLiteral, {}};
  }
  const auto viewed = view(layout, options.limits);
  if (!viewed) {
    if (to == System::kAxe) return with_replicas(layout, options, viewed.error());
    return refuse(viewed.error());
  }
  const View& source = *viewed;
  if (auto same = unchanged(layout, source, to, options)) return *std::move(same);
  const Reading reading = options.reading.value_or(usual_reading(source, to));
  HEDDLE_TRY(View box, boxed(layout, source, options.shape));
  Conversion conversion{layout,
                        source.system,
                        to,
                        reading,
                        turns_round(source, to, reading),
                        Task{std::move(box), to, source_text(layout), options.limits, reading}};
  HEDDLE_CHECK(prepare(conversion));
  // A CuTe layout that is read as ownership is a thread-value layout without its tile.
  const bool owns = to == System::kCute && reading == Reading::kOwnership;
  if (owns) conversion.to = System::kCuteTv;
  HEDDLE_TRY(AnyLayout written, written_as(conversion));
  if (owns) written = AnyLayout(std::get<cute::TvLayout>(written).layout);
  return Converted{std::move(written), conversion.task.view.extents, reading,
                   remark_of(conversion, source)};
}

}  // namespace heddle::map
