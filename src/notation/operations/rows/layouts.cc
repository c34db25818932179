// Operations that make, measure and rearrange layouts.

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "heddle/cute/algebra.h"
#include "notation/operations/binding.h"

namespace heddle::notation {
namespace {

using cute::AnyLayout;
using cute::ComposedLayout;
using cute::Layout;
using cute::StrideTuple;

/// Refuses make_layout(4,8,2), which would be three modes that all run from 0: hardly ever
/// intended.
Result<void> check_not_a_shape(const std::vector<Value>& parts) {
  if (parts.size() < 3 || !std::ranges::all_of(parts, &Value::is_integer)) return {};
  std::string shape;
  for (const Value& part : parts) shape += (shape.empty() ? "(" : ",") + to_string(part);
  return refuse(
      Diagnostic(
          "call.type",
          fmt::format("make_layout takes a shape as one tuple, not as {} integers", parts.size()))
          .with_hint(fmt::format("write {}) for the shape: make_layout({}))", shape, shape)));
}

/// make_layout(shape), make_layout(shape, stride) or make_layout(layouts…), as in CuTe.
Result<Layout> make_layout_from(const std::vector<Value>& parts) {
  const auto* shape = parts.front().get_if<IntTuple>();
  if (shape != nullptr && parts.size() == 1) return cute::make_layout(*shape);
  if (shape != nullptr && parts.size() == 2) {
    if (const auto strides = Reader<StrideTuple>::make(parts[1])) {
      return cute::make_layout(*shape, strides->get<StrideTuple>());
    }
    if (const auto* major = parts[1].get_if<cute::Major>()) {
      return *major == cute::Major::kRow ? cute::make_layout_right(*shape)
                                         : cute::make_layout_left(*shape);
    }
  }
  HEDDLE_CHECK(check_not_a_shape(parts));
  std::vector<Layout> modes;
  for (const Value& part : parts) {
    HEDDLE_TRY(const std::optional<Value> mode, convert<cute::Layout>(part));
    if (!mode) {
      return refuse(
          "call.type",
          fmt::format("make_layout takes shape and stride, or layouts, not {}", kind_name(part)));
    }
    modes.push_back(mode->get<Layout>());
  }
  return cute::make_layout(modes);
}

/// The strides, as integers if none is along a mode.
Value stride_value(const Layout& layout) {
  if (!layout.is_integral()) return layout.stride();
  return transform_leaves(layout.stride(),
                          [](const cute::Stride& stride) { return stride.scale(); });
}

/// The mode numbers, given one by one or as a tuple: take(A, 0, 2) and take(A, (0,2)).
std::vector<std::size_t> all_numbers(const std::vector<ModeNumbers>& modes) {
  std::vector<std::size_t> numbers;
  for (const ModeNumbers& part : modes)
    numbers.insert(numbers.end(), part.numbers.begin(), part.numbers.end());
  return numbers;
}

/// An operation on the modes from begin to end (exclusive).
auto of_mode_range(std::string_view operation,
                   Result<Layout> (*function)(const Layout&, std::size_t, std::size_t)) {
  return [=](const AnyLayout& layout, const std::vector<ModeNumbers>& modes) -> Result<AnyLayout> {
    const std::vector<std::size_t> numbers = all_numbers(modes);
    if (numbers.size() != 2) {
      return refuse("call.arity", fmt::format("{} needs two mode numbers, begin and end, not {}",
                                              operation, numbers.size()));
    }
    return on_inner(layout, [&](const Layout& l) { return function(l, numbers[0], numbers[1]); });
  };
}

/// append or prepend: adds one mode, or as many as give the layout a rank.
template <class Extend>
auto extended(Extend extend) {
  return [extend](const AnyLayout& layout, const std::optional<Layout>& mode,
                  const std::optional<Int>& rank) -> Result<AnyLayout> {
    constexpr std::int64_t kMaxRank = 4096;
    const Layout added = mode.value_or(Layout());
    if (!rank) return on_inner(layout, [&](const Layout& l) { return extend(l, added); });
    if (known_less(*rank, 0) || known_less(kMaxRank, *rank)) {
      return refuse("layout.mode", fmt::format("a layout of rank {}; ranks up to {} are made here",
                                               to_string(*rank), kMaxRank));
    }
    const auto modes = static_cast<std::size_t>(rank->value());
    return on_inner(layout, [&](const Layout& l) { return extend(l, modes, added); });
  };
}

/// An operation that acts on both shape and strides of a layout, or on a tuple.
template <class Function>
Result<Value> on_shaped(const LayoutOrTuple& x, Function function) {
  const auto on_layout = [&](const Layout& layout) -> Result<Layout> { return function(layout); };
  if (const auto* tuple = std::get_if<IntTuple>(&x)) return to_result(function(tuple->view()));
  if (const auto* layout = std::get_if<Layout>(&x)) return to_result(on_layout(*layout));
  return to_result(cute::map_layout(std::get<ComposedLayout>(x), on_layout));
}

Result<Layout> mode_at(const Layout& layout, std::span<const std::size_t> path) {
  return cute::get(layout, path);
}
Result<IntTuple> mode_at(IntTupleView tuple, std::span<const std::size_t> path) {
  for (const std::size_t mode : path) {
    if (mode >= tuple.rank()) {
      return refuse("layout.mode",
                    fmt::format("{} has no mode {}", to_string(Value(IntTuple(tuple))), mode));
    }
    tuple = tuple.mode(mode);
  }
  return IntTuple(tuple);
}

void add_making_layouts(const Rows& add) {
  const auto make = make_layout_from;
  add({.call = "make_layout(parts)",
       .summary = "From a shape (column-major), from shape and stride, or from layouts as modes.",
       .example = {"make_layout(4:3, 3:1)", "(4,3):(3,1)"}},
      make);
  add({.call = "Layout(parts)",
       .summary = "The same, as pycute writes it.",
       .example = {"Layout((4, 8), (1, 4))", "(4,8):(1,4)"}},
      make);
  add({.call = "make_layout_left(shape)",
       .summary = "Compact, the first mode fastest: column-major.",
       .example = {"make_layout_left((4,8))", "(4,8):(1,4)"}},
      cute::make_layout_left);
  add({.call = "make_layout_right(shape)",
       .summary = "Compact, the last mode fastest: row-major.",
       .example = {"make_layout_right((4,8))", "(4,8):(8,1)"}},
      cute::make_layout_right);
  add({.call = "make_ordered_layout(shape, order)",
       .summary = "Compact, modes of lesser order running faster.",
       .example = {"make_ordered_layout((2,2,2,2), (0,2,3,1))", "(2,2,2,2):(1,4,8,2)"}},
      cute::make_ordered_layout);
  add({.call = "make_layout_like(layout)",
       .summary = "Compact, modes in the order of the layout's strides; stride 0 is kept.",
       .example = {"make_layout_like((4,8):(16,2))", "(4,8):(8,1)"}},
      cute::make_layout_like);
  add({.call = "make_fragment_like(layout)",
       .summary = "As make_layout_like, but the first mode runs fastest.",
       .example = {"make_fragment_like(((2,2),8):((16,64),1))", "((2,2),(8)):((1,2),(4))"}},
      cute::make_fragment_like);
  add({.call = "make_identity_layout(shape)",
       .summary = "Maps every coordinate of the shape to itself.",
       .example = {"make_identity_layout((4,8))", "(4,8):(1@0,1@1)"}},
      cute::make_identity_layout);
}

void add_measuring_layouts(const Rows& add) {
  add({.call = "shape(layout)",
       .summary = "The shape of a layout.",
       .example = {"shape((4,(2,2)):(2,(1,8)))", "(4,(2,2))"}},
      [](const AnyLayout& layout) { return cute::shape(layout); });
  add({.call = "stride(layout)",
       .summary = "The strides of a layout.",
       .example = {"stride((4,(2,2)):(2,(1,8)))", "(2,(1,8))"}},
      stride_value);
  add({.call = "cosize(layout)",
       .summary = "1 + the sum of (extent-1)*abs(stride).",
       .example = {"cosize((4,8):(16,1))", "56"}},
      [](const AnyLayout& layout) { return cute::cosize(layout); });
  add({.call = "coshape(layout)",
       .summary = "The box of the indices: cosize by axis.",
       .example = {"coshape((4,8):(1@1,2@0))", "(15,4)"}},
      cute::coshape);
  add({.call = "span(layout)",
       .summary = "1 + greatest index - least index.",
       .example = {"span(4:-2)", "7"}},
      cute::span);
}

void add_modes(const Rows& add) {
  add({.call = "get(x, path)",
       .summary = "The mode at a path: get(L, 1, 0) is mode 0 of mode 1.",
       .example = {"get((4,(3,6)):(1,(4,12)), (1,1))", "6:12"}},
      [](const LayoutOrTuple& x, const std::vector<ModeNumbers>& path) -> Result<Value> {
        const std::vector<std::size_t> numbers = all_numbers(path);
        return on_shaped(x, [&](const auto& any) { return mode_at(any, numbers); });
      });
  add({.call = "take(layout, modes)",
       .summary = "Modes from begin up to, but not including, end.",
       .example = {"take((2,3,5,7):(1,2,6,30), 1, 3)", "(3,5):(2,6)"}},
      of_mode_range("take", cute::take));
  add({.call = "select(layout, modes)",
       .summary = "The named modes, in the order named.",
       .example = {"select((2,3,5,7):(1,2,6,30), (0,1,3))", "(2,3,7):(1,2,30)"}},
      [](const AnyLayout& layout, const std::vector<ModeNumbers>& modes) {
        const std::vector<std::size_t> numbers = all_numbers(modes);
        return on_inner(layout, [&](const Layout& l) { return cute::select(l, numbers); });
      });
  add({.call = "group(layout, modes)",
       .summary = "Modes from begin up to end become one.",
       .example = {"group((2,3,5,7):(1,2,6,30), 0, 2)", "((2,3),5,7):((1,2),6,30)"}},
      of_mode_range("group", cute::group));
  add({.call = "append(layout, mode=1:0, rank)",
       .summary = "One more mode at the end; with `rank`, as many as bring the layout to it.",
       .example = {"append((4,3):(1,4), 2:12)", "(4,3,2):(1,4,12)"}},
      extended([](const auto&... all) { return cute::append(all...); }));
  add({.call = "prepend(layout, mode=1:0, rank)",
       .summary = "One more mode in front; with `rank`, as many as bring the layout to it.",
       .example = {"prepend((4,3):(1,4), 2:12)", "(2,4,3):(12,1,4)"}},
      extended([](const auto&... all) { return cute::prepend(all...); }));
  add({.call = "replace(layout, index, mode)",
       .summary = "Mode `index` replaced.",
       .example = {"replace((4,3):(1,4), 1, 8:16)", "(4,8):(1,16)"}},
      [](const AnyLayout& layout, const ModeNumbers& index, const Layout& mode) {
        return on_inner(
            layout, [&](const Layout& l) { return cute::replace(l, index.numbers.front(), mode); });
      });
  add({.call = "zip(layout, other)",
       .summary =
           "The modes of two layouts in pairs; of one layout of pairs, all firsts and all seconds.",
       .example = {"zip((4,3):(1,4), (2,5):(12,24))", "((4,2),(3,5)):((1,12),(4,24))"}},
      [](const AnyLayout& layout, const std::optional<Layout>& other) {
        return on_inner(
            layout, [&](const Layout& l) { return other ? cute::zip(l, *other) : cute::zip(l); });
      });
  add({.call = "tile_unzip(layout, tiler)",
       .summary = "Gathers the pairs that a divide by the tiler made: ((tiles…),(rests…)).",
       .example = {"tile_unzip(((3,3),(2,4)):((1,3),(9,18)), <3,2>)",
                   "((3,2),(3,4)):((1,9),(3,18))"}},
      of_inner(cute::tile_unzip));
  add({.call = "with_shape(layout, shape)",
       .summary = "The layout seen through another shape of the same size.",
       .example = {"with_shape((4,8):(8,1), (2,16))", "(2,(2,8)):(8,(16,1))"}},
      of_inner(cute::with_shape));
}

void add_simplifying(const Rows& add) {
  add({.call = "flatten(x)",
       .summary = "The same leaves without nesting.",
       .example = {"flatten((4,(2,2)):(2,(1,8)))", "(4,2,2):(2,1,8)"}},
      [](const LayoutOrTuple& x) {
        return on_shaped(x, [](const auto& any) { return cute::flatten(any); });
      });
  add({.call = "unflatten(x, profile)",
       .summary = "The leaves nested as another tuple.",
       .example = {"unflatten((4,2,2):(2,1,8), (0,(0,0)))", "(4,(2,2)):(2,(1,8))"}},
      [](const LayoutOrTuple& x, const Profile& profile) {
        return on_shaped(x, [&](const auto& any) { return cute::unflatten(any, profile); });
      });
  add({.call = "coalesce(layout, profile)",
       .summary =
           "The shortest layout with the same function; with a profile, at each of its leaves.",
       .example = {"coalesce((2,(1,6)):(1,(6,2)))", "12:1"}},
      [](const AnyLayout& layout, const std::optional<Profile>& profile) {
        return on_inner(layout, [&](const Layout& l) {
          return profile ? cute::coalesce(l, *profile) : Result<Layout>(cute::coalesce(l));
        });
      });
  add({.call = "filter_zeros(layout)",
       .summary = "Modes of stride 0 get extent 1.",
       .example = {"filter_zeros((4,8):(0,1))", "(1,8):(0,1)"}},
      of_inner(cute::filter_zeros));
  add({.call = "filter(layout, profile)",
       .summary = "Without modes of stride 0 or extent 1, coalesced; with a profile, at each of "
                  "its leaves.",
       .example = {"filter((9,4,2,2):(0,0,2,1))", "(2,2):(2,1)"}},
      [](const AnyLayout& layout, const std::optional<Profile>& profile) {
        return on_inner(layout, [&](const Layout& l) {
          return profile ? cute::filter(l, *profile) : cute::filter(l);
        });
      });
  add({.call = "sort(layout)",
       .summary = "Flat, the modes ordered by stride, then extent; another function.",
       .example = {"sort((4,8):(8,1))", "(8,4):(1,8)"}},
      cute::sort);
}

}  // namespace

void add_layout_operations(std::vector<Operation>& table) {
  add_making_layouts({table, "making layouts"});
  add_measuring_layouts({table, "measuring"});
  add_modes({table, "modes"});
  add_simplifying({table, "simplifying"});
}

}  // namespace heddle::notation
