#include "heddle/map/any_layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <ostream>
#include <utility>

#include "core/bits.h"
#include "core/overloaded.h"
#include "core/text.h"
#include "cute/layout/axes.h"
#include "expr/assume_needed.h"
#include "expr/numbers_text.h"
#include "heddle/linear/equality.h"
#include "map/view/box_function.h"
#include "map/view/shown_digits.h"

namespace heddle::map {

// ---- Systems ----

namespace {

struct SystemText {
  System system;
  std::string_view name;
  std::string_view description;
};

constexpr std::array kSystemTexts = {
    SystemText{System::kCute, "cute", "a CuTe layout"},
    SystemText{System::kCuteTv, "cute_tv", "a CuTe thread-value layout"},
    SystemText{System::kLinear, "linear", "a linear layout"},
    SystemText{System::kAxe, "axe", "an Axe layout"},
    SystemText{System::kLego, "lego", "a LEGO layout"},
    SystemText{System::kRelation, "relation", "a relation"},
    SystemText{System::kTable, "table", "a table"},
};

constexpr std::array kSystems = {System::kCute, System::kCuteTv,   System::kLinear, System::kAxe,
                                 System::kLego, System::kRelation, System::kTable};

}  // namespace

std::string_view name(System system) { return kSystemTexts[static_cast<std::size_t>(system)].name; }

std::string_view description(System system) {
  return kSystemTexts[static_cast<std::size_t>(system)].description;
}

std::optional<System> find_system(std::string_view name) {
  // Users may call systems by the name of their project.
  if (name == "triton") return System::kLinear;
  if (name == "tvm") return System::kAxe;
  if (name == "isl") return System::kRelation;
  const auto found = std::ranges::find(kSystemTexts, name, &SystemText::name);
  return found == kSystemTexts.end() ? std::nullopt : std::optional(found->system);
}

std::span<const System> systems() { return kSystems; }

System system_of(const AnyLayout& layout) {
  return std::visit(Overloaded{[](const cute::Layout&) { return System::kCute; },
                               [](const cute::ComposedLayout&) { return System::kCute; },
                               [](const cute::TvLayout&) { return System::kCuteTv; },
                               [](const linear::LinearLayout&) { return System::kLinear; },
                               [](const axe::Layout&) { return System::kAxe; },
                               [](const lego::Layout&) { return System::kLego; },
                               [](const IntegerRelation&) { return System::kRelation; },
                               [](const form::Table&) { return System::kTable; }},
                    layout);
}

std::string to_string(const AnyLayout& layout) {
  // Finds to_string() in the namespace of each layout's type.
  return std::visit([](const auto& any) -> std::string { return to_string(any); }, layout);
}

std::ostream& operator<<(std::ostream& stream, const AnyLayout& layout) {
  return stream << to_string(layout);
}

Result<Int> size(const AnyLayout& layout) {
  HEDDLE_TRY(const View box, view(layout));
  return check_defined(box.size(), [&] { return "the size of " + to_string(layout); });
}

Result<std::vector<std::vector<Int>>> evaluate(const AnyLayout& layout,
                                               const std::vector<Int>& point) {
  if (const auto* relation = std::get_if<IntegerRelation>(&layout)) return images(*relation, point);
  HEDDLE_TRY(View box, view(layout));
  const auto* axe = std::get_if<axe::Layout>(&layout);
  if (axe != nullptr && axe->shard().size() == point.size()) {
    HEDDLE_TRY(box, reshaped(box, axe::extents_of(axe->shard())));
  }
  return images(box, point);
}

Result<form::IndexMap> index_map(const AnyLayout& layout) {
  HEDDLE_TRY(const View box, view(layout));
  return box.index_map();
}

// ---- Views ----

namespace {

constexpr std::int64_t kMaxCopies = std::int64_t{1} << 20;

// ---- CuTe ----

/// The digits of each mode, on these axes.
StridedView strided_modes(const cute::Layout& layout, std::span<const cute::Basis> bases) {
  StridedView strided;
  for (const cute::Layout& mode : layout.modes()) {
    std::vector<form::Digit> digits;
    for (std::size_t i = 0; i < mode.extents().size(); ++i) {
      const cute::Stride& stride = mode.strides()[i];
      form::Digit digit{mode.extents()[i], std::vector<Int>(bases.size(), Int(0))};
      if (!stride.is_zero()) {
        const auto axis = std::ranges::find(bases, stride.basis()) - bases.begin();
        digit.stride[static_cast<std::size_t>(axis)] = stride.scale();
      }
      digits.push_back(std::move(digit));
    }
    strided.modes.push_back(std::move(digits));
  }
  if (strided.modes.empty())
    strided.modes.emplace_back();  // ():() has one element, at coordinate 0
  strided.offset.assign(bases.size(), Int(0));
  return strided;
}

View::Evaluator evaluator_of(StridedView strided) {
  return [strided = std::move(strided)](std::span<const Int> point, const Int& copy) {
    return image_of(strided, point, copy);
  };
}

View view_of_strided(System system, StridedView strided, std::vector<Axis> axes) {
  View view;
  view.system = system;
  for (const std::vector<form::Digit>& mode : strided.modes) {
    Int extent = 1;
    for (const form::Digit& digit : mode) extent *= digit.extent;
    view.extents.push_back(std::move(extent));
  }
  view.names = numbered_names(view.extents.size());
  view.bounds.assign(axes.size(), std::nullopt);
  view.axes = std::move(axes);
  for (const form::Digit& digit : strided.copies) view.copies *= digit.extent;
  view.evaluate = evaluator_of(strided);
  view.strided = std::move(strided);
  return view;
}

/// The view of a map that is only known as a function.
View view_of(System system, const form::IndexMap& map) {
  View view;
  view.system = system;
  view.extents.assign(map.extents().begin(), map.extents().end());
  view.names = numbered_names(view.extents.size());
  view.order = map.order();
  view.axes.assign(map.axes().begin(), map.axes().end());
  view.bounds.assign(view.axes.size(), std::nullopt);
  const auto shared = std::make_shared<const form::IndexMap>(map);
  view.evaluate = [shared](std::span<const Int> point, const Int&) { return (*shared)(point); };
  return view;
}

View view_of(const cute::Layout& layout) {
  std::vector<cute::Basis> bases = cute::distinct_bases(layout.strides());
  if (bases.empty()) bases.emplace_back();
  std::vector<Axis> axes;
  for (const cute::Basis& basis : bases) axes.push_back(basis.axis());
  return view_of_strided(System::kCute, strided_modes(layout, bases), std::move(axes));
}

View view_of(const cute::ComposedLayout& layout) {
  if (layout.outer() != nullptr) return view_of(System::kCute, cute::index_map(layout));
  const std::vector<cute::Basis> plain(1);
  StridedView strided = strided_modes(layout.layout(), plain);
  strided.offset.front() = layout.offset().leaf();
  const cute::Swizzle& swizzle = layout.swizzle();
  if (!swizzle.is_identity()) {
    strided.swizzle = SwizzleStep{0, swizzle.source_mask(), swizzle.shift()};
  }
  return view_of_strided(System::kCute, std::move(strided), {Axis::memory()});
}

View view_of(const cute::TvLayout& layout) {
  View view = view_of(layout.layout);
  view.system = System::kCuteTv;
  if (view.names.size() == 2) view.names = {"thread", "value"};
  if (view.axes.size() == 1) view.bounds.front() = product_of(cute::tile_shape(layout).leaves());
  return view;
}

// ---- Linear layouts ----

View view_of(const linear::LinearLayout& layout) {
  View view;
  view.system = System::kLinear;
  for (const linear::Dimension& dimension : layout.in_dims()) {
    view.extents.emplace_back(dimension.size());
    view.names.push_back(dimension.name);
  }
  BitView bits;
  for (const linear::Dimension& dimension : layout.out_dims()) {
    view.axes.emplace_back(dimension.name);
    view.bounds.emplace_back(dimension.size());
    bits.widths.push_back(dimension.bits);
  }
  bits.matrix = layout.matrix();
  view.bits = std::move(bits);
  const auto map = std::make_shared<const form::IndexMap>(linear::index_map(layout));
  view.evaluate = [map](std::span<const Int> point, const Int&) { return (*map)(point); };
  return view;
}

// ---- Axe ----

form::Digit digit_of(const axe::Iter& iter, std::span<const Axis> axes) {
  form::Digit digit{iter.extent, std::vector<Int>(axes.size(), Int(0))};
  const auto axis = std::ranges::find(axes, iter.axis) - axes.begin();
  digit.stride[static_cast<std::size_t>(axis)] = iter.stride;
  return digit;
}

/// Whether a replica iter makes no second copy.
bool is_idle(const axe::Iter& iter) {
  return known_equal(iter.extent, 1) || known_equal(iter.stride, 0);
}

View view_of(const axe::Layout& layout) {
  std::vector<Axis> axes = axe::axes(layout);
  StridedView strided;
  strided.modes.emplace_back();
  for (std::size_t i = layout.shard().size(); i-- > 0;) {
    strided.modes.front().push_back(digit_of(layout.shard()[i], axes));
  }
  for (const axe::Iter& iter : layout.replica()) {
    if (!is_idle(iter)) strided.copies.push_back(digit_of(iter, axes));
  }
  for (const Axis& axis : axes) strided.offset.push_back(layout.offset()[axis]);
  if (const auto& swizzle = layout.swizzle(); swizzle && !swizzle->is_identity()) {
    const auto axis = std::ranges::find(axes, swizzle->axis);
    // An axis that no iter uses is always 0, which no swizzle changes.
    if (axis != axes.end()) {
      const std::int64_t bits = (std::int64_t{1} << swizzle->swizzle_len) - 1;
      const int from = swizzle->per_element + (swizzle->inner ? swizzle->atom_len : 0);
      strided.swizzle = SwizzleStep{static_cast<std::size_t>(axis - axes.begin()), bits << from,
                                    swizzle->inner ? swizzle->atom_len : -swizzle->atom_len};
    }
  }
  View view = view_of_strided(System::kAxe, std::move(strided), std::move(axes));
  view.order = form::FlatOrder::kLastFastest;
  view.takes_any_shape = true;
  return view;
}

// ---- LEGO ----

View view_of(const lego::Layout& layout) {
  View view;
  view.system = System::kLego;
  view.extents = layout.dims();
  view.names = numbered_names(view.extents.size());
  view.order = form::FlatOrder::kLastFastest;
  view.axes = {Axis::memory()};
  view.bounds.emplace_back();
  if (const auto& expansion = layout.expansion()) {
    view.leaves_out = !are_equal(expansion->original, expansion->extended);
  }
  if (!layout.is_injective_only() && !layout.expansion()) {
    view.bounds.front() = layout.physical_size();
  }
  view.evaluate = [layout](std::span<const Int> point, const Int&) {
    return std::vector<Int>{layout.apply(point).value_or(Int::undefined())};
  };
  view.strided = strided_view(layout);
  view.bits = bit_view(layout);
  return view;
}

// ---- Relations and tables ----

View view_of(const form::Table& table) { return view_of(System::kTable, form::index_map(table)); }

/// Known copies must be steps to different places, or there must be none.
bool is_view(const BoxFunction& box) { return box.copies.empty() || box.strided.has_value(); }

Result<View> view_of(const IntegerRelation& relation, const Limits& limits) {
  std::shared_ptr<const BoxFunction> box = box_function_of(relation);
  View view;
  if (box != nullptr && is_view(*box) && !box->copies.empty()) {
    view = view_of_strided(System::kRelation, *box->strided,
                           {relation.axes().begin(), relation.axes().end()});
  } else {
    HEDDLE_TRY(const form::IndexMap map, index_map(relation, limits));
    view = view_of(System::kRelation, map);
    box = box_function_of(relation);
    if (box != nullptr) {
      view.strided = box->strided;
      view.bits = box->bits;
    }
  }
  if (relation.inputs().size() == view.names.size()) {
    view.names.assign(relation.inputs().begin(), relation.inputs().end());
  }
  view.relation = relation;
  return view;
}

/// Refuses a point that is known to be outside the box.
Result<void> check_point(const View& view, std::span<const Int> point) {
  const auto refusal = [&](std::string_view why) {
    return refuse("view.coordinate", fmt::format("{} is not a point of the box {}: {}",
                                                 tuple_text(point), tuple_text(view.extents), why));
  };
  if (point.size() != view.extents.size()) {
    return refusal(
        fmt::format("it has {}, the box {}", counted(point.size(), "index"), view.extents.size()));
  }
  for (std::size_t i = 0; i < point.size(); ++i) {
    if (!known_less(point[i], 0) && !known_at_most(view.extents[i], point[i])) continue;
    return refusal(
        fmt::format("index {} runs from 0 to {}", view.names[i], to_string(view.extents[i] - 1)));
  }
  return {};
}

bool is_bit_box(std::span<const Int> extents) {
  return std::ranges::all_of(extents, [](const Int& extent) {
    return extent.is_constant() && is_power_of_two(extent.value());
  });
}

std::optional<BitView> reshaped_bits(const View& view, std::span<const Int> shape) {
  if (!view.bits || !is_bit_box(shape)) return std::nullopt;
  if (view.order == form::FlatOrder::kFirstFastest) return view.bits;
  const std::vector<std::uint64_t> flat = mirrored(view.bits->matrix.columns(), view.extents);
  const std::vector<Int> reversed(shape.rbegin(), shape.rend());
  BitView bits = *view.bits;
  bits.matrix = form::BitMatrix(bits.matrix.rows(), mirrored(flat, reversed));
  return bits;
}

std::optional<StridedView> reshaped_digits(const View& view, std::span<const Int> shape) {
  if (!view.strided) return std::nullopt;
  std::vector<Int> extents(shape.begin(), shape.end());
  const bool is_reversed = view.order == form::FlatOrder::kLastFastest;
  if (is_reversed) std::ranges::reverse(extents);
  auto modes = cut_digits(flat_digits(*view.strided, view.order), extents);
  if (!modes) return std::nullopt;
  if (is_reversed) std::ranges::reverse(*modes);
  StridedView strided = *view.strided;
  strided.modes = *std::move(modes);
  return strided;
}

}  // namespace

Int View::size() const { return product_of(extents); }

bool View::is_function() const { return known_equal(copies, 1); }

form::IndexMap View::index_map() const {
  return {extents, order, axes,
          [evaluator = evaluate](std::span<const Int> point) { return evaluator(point, 0); }};
}

Result<View> view(const AnyLayout& layout, const Limits& limits) {
  HEDDLE_TRY(
      View view,
      std::visit(
          Overloaded{[&](const IntegerRelation& relation) { return view_of(relation, limits); },
                     [](const auto& plain) -> Result<View> { return view_of(plain); }},
          layout));
  complete(view);
  return view;
}

Result<View> reshaped(const View& view, std::span<const Int> shape) {
  if (are_equal(view.extents, shape) && !view.takes_any_shape) return view;
  const auto bad = std::ranges::find_if(shape, [](const Int& n) { return known_less(n, 1); });
  if (bad != shape.end()) {
    return refuse("view.shape", fmt::format("a box {} has no shape {}: extents are at least 1",
                                            tuple_text(view.extents), tuple_text(shape)));
  }
  const Condition same_size{product_of(shape), Predicate::kEqual, view.size()};
  HEDDLE_TRY(const bool fits, decide(same_size, [&] {
               return fmt::format("a box {} as {}", tuple_text(view.extents), tuple_text(shape));
             }));
  if (!fits) {
    return refuse("view.shape",
                  fmt::format("a box {} of {} has no shape {} of {}", tuple_text(view.extents),
                              counted(to_string(view.size()), "point"), tuple_text(shape),
                              counted(to_string(same_size.left), "point")));
  }
  View result = view;
  result.extents.assign(shape.begin(), shape.end());
  result.names = numbered_names(shape.size());
  result.takes_any_shape = false;
  result.relation.reset();
  result.strided = reshaped_digits(view, shape);
  result.bits = reshaped_bits(view, shape);
  if (result.strided) {
    // Each index has digits of its own, so none has to be carried into the next one.
    result.evaluate = evaluator_of(*result.strided);
    complete(result);
    return result;
  }
  result.evaluate = [from = view.extents, to = result.extents, order = view.order,
                     evaluator = view.evaluate](std::span<const Int> point, const Int& copy) {
    return evaluator(point_of(from, order, flat_of(to, order, point)), copy);
  };
  complete(result);
  return result;
}

Result<std::vector<std::vector<Int>>> images(const View& view, std::span<const Int> point) {
  HEDDLE_CHECK(check_point(view, point));
  if (!view.copies.is_constant() || view.copies.value() > kMaxCopies) {
    return refuse("axe.undecided", fmt::format("{} copies of a point; up to {} are listed",
                                               to_string(view.copies), kMaxCopies));
  }
  std::vector<std::vector<Int>> all;
  for (std::int64_t copy = 0; copy < view.copies.value(); ++copy) {
    std::vector<Int> image = view.evaluate(point, copy);
    for (const Int& coordinate : image) {
      HEDDLE_CHECK(check_defined(
          coordinate, [&] { return fmt::format("the image of {}", tuple_text(point)); }));
    }
    all.push_back(std::move(image));
  }
  const auto text_before = [](const Int& a, const Int& b) {
    if (a.is_constant() && b.is_constant()) return a.value() < b.value();
    if (a.is_constant() != b.is_constant()) return a.is_constant();
    return to_string(a) < to_string(b);
  };
  std::ranges::sort(all, [&](const std::vector<Int>& a, const std::vector<Int>& b) {
    return std::ranges::lexicographical_compare(a, b, text_before);
  });
  const auto repeated = std::ranges::unique(all);
  all.erase(repeated.begin(), repeated.end());
  return all;
}

}  // namespace heddle::map
