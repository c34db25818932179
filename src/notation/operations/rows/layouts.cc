// Operations that make, measure and rearrange layouts.

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "heddle/cute/algebra.h"
#include "notation/operations/binding.h"
#include "notation/operations/format_tag.h"
#include "notation/operations/structure.h"

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
  const std::optional<Value> tuple = Reader<IntTuple>::make(parts.front());
  const auto* shape = tuple ? tuple->get_if<IntTuple>() : nullptr;
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
template <class Function>
auto of_mode_range(std::string_view operation, Function function) {
  return [=](const Structure& x, const std::vector<ModeNumbers>& modes) -> Result<Value> {
    const std::vector<std::size_t> numbers = all_numbers(modes);
    if (numbers.size() != 2) {
      return refuse("call.arity", fmt::format("{} needs two mode numbers, begin and end, not {}",
                                              operation, numbers.size()));
    }
    return on_structure(x, [&](const auto& any) { return function(any, numbers[0], numbers[1]); });
  };
}

enum class End { kFront, kBack };

/// With a mode more at one end, or as many as bring it to the rank.
Result<Layout> extended(const Layout& layout, const Layout& mode, std::optional<std::size_t> rank,
                        End end) {
  const std::size_t least = rank.value_or(layout.rank() + 1);
  return end == End::kBack ? cute::append(layout, least, mode) : cute::prepend(layout, least, mode);
}
template <class Leaf>
Tuple<Leaf> extended(const Tuple<Leaf>& tuple, const Tuple<Leaf>& mode,
                     std::optional<std::size_t> rank, End end) {
  std::vector<Tuple<Leaf>> modes = modes_of(tuple);
  const std::size_t least = rank.value_or(modes.size() + 1);
  if (least <= modes.size()) return tuple;
  modes.insert(end == End::kFront ? modes.begin() : modes.end(), least - modes.size(), mode);
  return Tuple<Leaf>::of(modes);
}

/// The mode that is added to a T: `given`, or the mode of one element.
template <class T>
Result<T> mode_for(const std::optional<Value>& given) {
  HEDDLE_TRY(const std::optional<Value> mode, convert<T>(given.value_or(Value(Int(1)))));
  if (!given && std::is_same_v<T, Layout>) return T(Reader<T>::read(Value(Layout())));
  if (mode) return T(Reader<T>::read(*mode));
  return refuse("call.type", fmt::format("a mode is added that is {}; {} is needed",
                                         kind_name(*given), Reader<T>::kDescription));
}

/// append or prepend.
auto extended_at(End end) {
  return [end](const Structure& x, const std::optional<Value>& mode,
               const std::optional<Int>& rank) -> Result<Value> {
    constexpr std::int64_t kMostModes = 4096;
    if (rank && (known_less(*rank, 1) || known_less(kMostModes, *rank))) {
      return refuse("layout.mode", fmt::format("a layout of rank {}; ranks up to {} are made here",
                                               to_string(*rank), kMostModes));
    }
    const auto modes = rank ? std::optional(static_cast<std::size_t>(rank->value())) : std::nullopt;
    // A layout beside a shape makes it a layout too.
    const auto* shape = std::get_if<IntTuple>(&x);
    if (shape != nullptr && mode && mode->is<Layout>()) {
      HEDDLE_TRY(const Layout layout, cute::make_layout(*shape));
      return to_result(extended(layout, mode->get<Layout>(), modes, end));
    }
    return on_structure(x, [&](const auto& any) {
      using T = std::remove_cvref_t<decltype(any)>;
      return mode_for<T>(mode).and_then(
          [&](const T& added) { return Result<T>(extended(any, added, modes, end)); });
    });
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

Result<Value> shape_of_structure(const Structure& x) {
  if (const auto* layout = std::get_if<Layout>(&x)) return Value(layout->shape());
  if (const auto* composed = std::get_if<ComposedLayout>(&x)) return Value(cute::shape(*composed));
  if (const auto* shape = std::get_if<IntTuple>(&x)) return Value(*shape);
  if (const auto* tiler = std::get_if<cute::Tiler>(&x)) return shape_of_tiler(tiler->view());
  return refuse("call.type",
                "argument 1 of shape, layout, has no shape; a layout or a tiler is needed");
}

void add_making_layouts(const Rows& add) {
  add({.call = "make_layout(shape, stride, modes=())",
       .summary = "From a shape (column-major), from shape and stride, or from layouts as modes.",
       .example = {"make_layout(4:3, 3:1)", "(4,3):(3,1)"}},
      [](const Value& shape, const std::optional<Value>& stride, const std::vector<Value>& modes) {
        std::vector<Value> parts = {shape};
        if (stride) parts.push_back(*stride);
        parts.insert(parts.end(), modes.begin(), modes.end());
        return make_layout_from(parts);
      });
  add({.call = "Layout(parts)",
       .summary = "The same, as pycute writes it.",
       .example = {"Layout((4, 8), (1, 4))", "(4,8):(1,4)"}},
      make_layout_from);
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
  add({.call = "format_tag(tag, shape)",
       .summary = "The layout of a tensor of this shape that a format tag of oneDNN names; a "
                  "dimension that its blocks do not divide is padded.",
       .example = {R"(format_tag("nChw16c", (2,32,7,9)))",
                   "(2,(16,2),7,9):(2016,(1,1008),144,16)"}},
      layout_of_tag);
  add({.call = "make_identity_layout(shape)",
       .summary = "Maps every coordinate of the shape to itself.",
       .example = {"make_identity_layout((4,8))", "(4,8):(1@0,1@1)"}},
      cute::make_identity_layout);
}

void add_measuring_layouts(const Rows& add) {
  add({.call = "shape(layout)",
       .summary = "The shape of a layout.",
       .example = {"shape((4,(2,2)):(2,(1,8)))", "(4,(2,2))"}},
      shape_of_structure);
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
  add({.call = "get(x, path=())",
       .summary = "The mode at a path: get(L, 1, 0) is mode 0 of mode 1.",
       .example = {"get((4,(3,6)):(1,(4,12)), (1,1))", "6:12"}},
      [](const Structure& x, const std::vector<ModeNumbers>& path) -> Result<Value> {
        const std::vector<std::size_t> numbers = all_numbers(path);
        return on_structure(x, [&](const auto& any) { return mode_at(any, numbers); });
      });
  add({.call = "take(layout, modes)",
       .summary = "Modes from begin up to, but not including, end.",
       .example = {"take((2,3,5,7):(1,2,6,30), 1, 3)", "(3,5):(2,6)"}},
      of_mode_range("take", [](const auto&... all) { return take_modes(all...); }));
  add({.call = "select(layout, modes=())",
       .summary = "The named modes, in the order named.",
       .example = {"select((2,3,5,7):(1,2,6,30), (0,1,3))", "(2,3,7):(1,2,30)"}},
      [](const Structure& x, const std::vector<ModeNumbers>& modes) {
        const std::vector<std::size_t> numbers = all_numbers(modes);
        return on_structure(x, [&](const auto& any) { return select_modes(any, numbers); });
      });
  add({.call = "group(layout, modes)",
       .summary = "Modes from begin up to end become one. Also: group_modes.",
       .example = {"group((2,3,5,7):(1,2,6,30), 0, 2)", "((2,3),5,7):((1,2),6,30)"}},
      of_mode_range("group", [](const auto&... all) { return group_modes(all...); }));
  add({.call = "append(layout, mode=1:0, rank)",
       .summary = "One more mode at the end; with `rank`, as many as bring it to that rank.",
       .example = {"append((4,3):(1,4), 2:12)", "(4,3,2):(1,4,12)"}},
      extended_at(End::kBack));
  add({.call = "prepend(layout, mode=1:0, rank)",
       .summary = "One more mode in front; with `rank`, as many as bring it to that rank.",
       .example = {"prepend((4,3):(1,4), 2:12)", "(2,4,3):(12,1,4)"}},
      extended_at(End::kFront));
  add({.call = "replace(layout, index, mode)",
       .summary = "Mode `index` replaced.",
       .example = {"replace((4,3):(1,4), 1, 8:16)", "(4,8):(1,16)"}},
      [](const AnyLayout& layout, const ModeNumbers& index,
         const Layout& mode) -> Result<AnyLayout> {
        if (index.numbers.size() != 1) {
          return refuse("call.arity",
                        fmt::format("replace needs one mode number, not {}", index.numbers.size()));
        }
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
      [](const Structure& x) {
        return on_structure(x, [](const auto& any) { return flatten_modes(any); });
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
