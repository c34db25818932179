// heddle.tvm_layout: the base of TVM's layouts, with the methods that are called most.
//
//   TileLayout(S[(8,4,2):(4 @ laneid, 1 @ laneid, 1)]).apply(21)      {"laneid": 10, "m": 1}
//
// Here iters, shapes and places of Python become those of the library and back; the library
// computes. What is called seldom, and the sizes that are expressions of TVM, are in
// heddle/tvm_layout.py.

#include <nanobind/stl/string.h>
#include <structmember.h>

#include <algorithm>
#include <cctype>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "fastcall.h"
#include "heddle/axe/canonical.h"
#include "heddle/axe/group.h"
#include "heddle/axe/hardware.h"
#include "heddle/axe/layout.h"
#include "heddle/axe/pack.h"
#include "heddle/axe/slice.h"
#include "heddle/axe/threads.h"
#include "heddle/axe/tile.h"
#include "heddle/core/diagnostic.h"
#include "object.h"
#include "refusal.h"
#include "tvm_parts.h"

namespace heddle::python::tvm {
namespace {

using Shape = std::vector<Int>;

/// A layout as Python has it: as iters and an offset, as a layout of the library, or both; what is
/// missing is made when it is asked for.
struct PyLayout {
  PyObject_HEAD PyObject* weak_references;
  PyObject* shard;
  PyObject* replica;
  PyObject* offset;
  /// The TileLayout under a swizzle.
  PyObject* tile;
  /// What methods without arguments have answered, by their names; and what is printed.
  PyObject* answers;
  PyObject* text;
  std::optional<axe::Layout> layout;
  /// A layout with symbolic sizes was made under assumptions, and is read anew under others.
  bool is_symbolic;
  std::shared_ptr<const Facts> facts;
  std::optional<axe::Layout> in_force;
};

PyTypeObject*& base_type() {
  static PyTypeObject* type = nullptr;
  return type;
}

PyLayout& own(PyObject* object) { return *reinterpret_cast<PyLayout*>(object); }

// ---- Refusals ----

/// Raises a refusal where TVM checks, or one of this class.
[[noreturn]] void raise_refused(const Diagnostic& why, PyObject* kind = nullptr) {
  raise(why,
        kind != nullptr ? nb::borrow(kind) : checked(PyObject_CallNoArgs(names().refused_class)));
}

template <class T>
T or_refused(Result<T> result, PyObject* kind = nullptr) {
  if (!result) raise_refused(result.error(), kind);
  return *std::move(result);
}

/// The answer, or None where the library proves or reports that there is none.
template <class T>
std::optional<T> or_none(Result<T> result) {
  if (result) return *std::move(result);
  const std::string_view code = result.error().code();
  const bool is_none = code.starts_with("axe.no_") || code == "axe.not_a_tile" ||
                       code == "axe.not_a_direct_sum" || code == "axe.swizzle_mixed";
  if (!is_none) raise_refused(result.error());
  return std::nullopt;
}

// ---- Layouts of the library and of Python ----

bool is_constant(const axe::Layout& layout) {
  const auto are_constant = [](std::span<const axe::Iter> iters) {
    return std::ranges::all_of(iters, [](const axe::Iter& iter) {
      return iter.extent.is_constant() && iter.stride.is_constant();
    });
  };
  return are_constant(layout.shard()) && are_constant(layout.replica()) &&
         std::ranges::all_of(layout.offset(),
                             [](const auto& entry) { return entry.second.is_constant(); });
}

void keep(PyLayout& self, axe::Layout layout) {
  self.is_symbolic = !is_constant(layout);
  if (self.is_symbolic) self.facts = facts_about(notation::variables(Value(layout)));
  self.layout.emplace(std::move(layout));
}

nb::object blank(PyTypeObject* type) {
  nb::object made = checked(type->tp_alloc(type, 0));
  PyLayout& layout = own(made.ptr());
  std::construct_at(&layout.layout);
  std::construct_at(&layout.facts);
  std::construct_at(&layout.in_force);
  return made;
}

nb::object to_object(axe::Layout layout) {
  nb::object made = blank(names().tile_layout);
  if (!layout.swizzle()) [[likely]] {
    keep(own(made.ptr()), std::move(layout));
    return made;
  }
  const axe::Swizzle swizzle = *layout.swizzle();
  keep(own(made.ptr()), or_refused(axe::Layout::make(
                            {layout.shard().begin(), layout.shard().end()},
                            {layout.replica().begin(), layout.replica().end()}, layout.offset())));
  const nb::handle compose(reinterpret_cast<PyObject*>(names().compose_layout));
  return compose(swizzle.per_element, swizzle.swizzle_len, swizzle.atom_len, made, swizzle.inner);
}

/// Calls `read` with every item of a list, a tuple or what else can be gone through.
template <class Read>
auto list_of(PyObject* object, Read read) {
  const nb::object items = checked(PySequence_Fast(object, "a list is needed"));
  const Py_ssize_t size = PySequence_Fast_GET_SIZE(items.ptr());
  std::vector<decltype(read(object))> list;
  list.reserve(static_cast<std::size_t>(size));
  for (Py_ssize_t i = 0; i < size; ++i) {
    list.push_back(read(PySequence_Fast_GET_ITEM(items.ptr(), i)));
  }
  return list;
}

Shape shape_of(PyObject* object) { return list_of(object, size_of); }

axe::Iter iter_of(PyObject* object) {
  const nb::handle iter(object);
  return {size_of(nb::object(iter.attr("extent")).ptr()),
          size_of(nb::object(iter.attr("stride")).ptr()),
          axis_in(nb::object(iter.attr("axis")).ptr())};
}

/// The layout of the iters and the offset that were given.
axe::Layout layout_of_parts(PyLayout& self) {
  axe::Coordinate offset;
  if (self.offset != nullptr) {
    for (const auto& [axis, value] : nb::borrow<nb::dict>(self.offset)) {
      offset.add(axis_in(axis.ptr()), size_of(value.ptr()));
    }
  }
  std::vector<axe::Iter> shard = list_of(self.shard, iter_of);
  if (shard.empty()) shard.push_back({1, 0, Axis::memory()});
  return or_refused(
      axe::Layout::make(std::move(shard), list_of(self.replica, iter_of), std::move(offset)));
}

/// A layout that was made is read anew if more is assumed now.
const axe::Layout& layout_in(PyLayout& self) {
  if (!self.layout) keep(self, layout_of_parts(self));
  if (!self.is_symbolic) [[likely]]
    return *self.layout;
  self.in_force = value_in_force({Value(*self.layout), self.facts}).get<axe::Layout>();
  return *self.in_force;
}

/// A layout as an argument: one of TVM is read.
class LayoutArgument {
 public:
  explicit LayoutArgument(PyObject* object)
      : object_(PyObject_TypeCheck(object, base_type())
                    ? nb::borrow(object)
                    : checked(PyObject_CallOneArg(names().own, object))) {}

  const axe::Layout& operator*() const { return layout_in(own(object_.ptr())); }
  [[nodiscard]] PyTypeObject* type() const { return Py_TYPE(object_.ptr()); }

 private:
  nb::object object_;
};

// ---- What a layout consists of ----

nb::object iters_to_python(std::span<const axe::Iter> iters) {
  nb::object tuple = checked(PyTuple_New(static_cast<Py_ssize_t>(iters.size())));
  Py_ssize_t i = 0;
  for (const axe::Iter& iter : iters) {
    nb::object made = checked(PyObject_CallFunctionObjArgs(
        names().iter, expression(iter.extent).ptr(), expression(iter.stride).ptr(),
        axis_object(iter.axis), nullptr));
    PyTuple_SET_ITEM(tuple.ptr(), i++, made.release().ptr());
  }
  return tuple;
}

nb::object offset_to_python(const axe::Coordinate& offset) {
  nb::object map = checked(PyObject_CallNoArgs(reinterpret_cast<PyObject*>(names().map)));
  for (const auto& [axis, value] : offset) {
    if (PyDict_SetItem(map.ptr(), axis_object(axis), expression(value).ptr()) != 0) {
      throw nb::python_error();
    }
  }
  return map;
}

template <PyObject* PyLayout::* kPart, auto kMake>
PyObject* get_part(PyObject* self, void*) {
  return guarded([&] {
    PyObject*& part = own(self).*kPart;
    if (part == nullptr) {
      if (!own(self).layout) throw_error(PyExc_AttributeError, "the layout has no iters yet");
      part = kMake(*own(self).layout).release().ptr();
    }
    return nb::borrow(part);
  });
}
constexpr auto kShard = [](const axe::Layout& layout) { return iters_to_python(layout.shard()); };
constexpr auto kReplica = [](const axe::Layout& layout) {
  return iters_to_python(layout.replica());
};
constexpr auto kOffset = [](const axe::Layout& layout) {
  return offset_to_python(layout.offset());
};
PyObject* get_answers(PyObject* self, void*) {
  PyObject*& answers = own(self).answers;
  if (answers == nullptr) answers = PyDict_New();
  return Py_XNewRef(answers);
}

PyObject* get_tile(PyObject* self, void*) {
  if (own(self).tile != nullptr) return Py_NewRef(own(self).tile);
  PyErr_SetString(PyExc_AttributeError, "only a ComposeLayout has a tile_layout");
  return nullptr;
}

PyObject* get_value(PyObject* self, void*) {
  return guarded([&] {
    const axe::Layout& layout = layout_in(own(self));
    return make_object({Value(layout), own(self).facts});
  });
}

// ---- Making ----

/// Iters of numbers, as most are written; nullopt if something is not plain.
std::optional<std::vector<axe::Iter>> plain_iters(PyObject* pair) {
  std::vector<axe::Iter> iters;
  if (pair == Py_None) return iters;
  PyObject* extents = PyTuple_GET_ITEM(pair, 0);
  PyObject* strides = PyTuple_GET_ITEM(pair, 1);
  const Py_ssize_t count = PyTuple_GET_SIZE(extents);
  const bool is_compact = strides == Py_None;
  if (!is_compact && PyTuple_GET_SIZE(strides) != count) return std::nullopt;
  iters.resize(static_cast<std::size_t>(count));
  Int compact = 1;
  for (Py_ssize_t i = count; i-- > 0;) {
    axe::Iter& iter = iters[static_cast<std::size_t>(i)];
    PyObject* extent = PyTuple_GET_ITEM(extents, i);
    if (!PyLong_CheckExact(extent)) return std::nullopt;
    iter.extent = size_of(extent);
    if (is_compact) {
      iter.stride = compact;
      compact *= iter.extent;
      continue;
    }
    PyObject* stride = PyTuple_GET_ITEM(strides, i);
    const OnAxis* on_axis = on_axis_in(stride);
    PyObject* step = on_axis == nullptr ? stride : on_axis->value;
    if (!PyLong_CheckExact(step)) return std::nullopt;
    iter.stride = size_of(step);
    if (on_axis != nullptr) iter.axis = axis_in(on_axis->axis);
  }
  return iters;
}

void fill(PyLayout& self, PyObject* shard, PyObject* replica, PyObject* offset) {
  Py_XSETREF(self.shard, Py_NewRef(shard));
  Py_XSETREF(self.replica, Py_NewRef(replica));
  Py_XSETREF(self.offset, Py_NewRef(offset));
  self.layout.reset();
}

/// What S[…] + R[…] say, as a layout at once where all of it are numbers, else as iters of Python.
void fill_from(PyLayout& self, const Spec& spec) {
  if (spec.offset == Py_None) {
    auto shard = plain_iters(spec.shard);
    auto replica = plain_iters(spec.replica);
    if (shard && replica && !shard->empty()) {
      auto layout = axe::Layout::make(*std::move(shard), *std::move(replica));
      if (layout) return keep(self, *std::move(layout));
    }
  }
  const nb::object shard = checked(PyObject_CallOneArg(names().iters, spec.shard));
  const nb::object replica = checked(PyObject_CallOneArg(names().iters, spec.replica));
  const nb::object offset = checked(PyObject_CallOneArg(names().offsets, spec.offset));
  fill(self, shard.ptr(), replica.ptr(), offset.ptr());
}

PyObject* new_layout(PyTypeObject* type, PyObject*, PyObject*) {
  return guarded([&] { return blank(type); });
}

int init_layout(PyObject* self, PyObject* args, PyObject* kwargs) {
  static const char* const kNames[] = {"spec", nullptr};
  PyObject* given = nullptr;
  if (!PyObject_TypeCheck(self, names().tile_layout)) {
    PyErr_SetString(PyExc_AttributeError, "a Layout is a TileLayout or a ComposeLayout");
    return -1;
  }
  if (kwargs == nullptr && PyTuple_GET_SIZE(args) == 1) {
    given = PyTuple_GET_ITEM(args, 0);
  } else if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O:TileLayout", const_cast<char**>(kNames),
                                          &given)) {
    return -1;
  }
  const nb::object done = nb::steal(guarded([&]() -> nb::object {
    const Spec* spec = spec_in(given);
    if (spec == nullptr) throw_error(PyExc_TypeError, "TileLayout() needs S[…], R[…] or a sum");
    fill_from(own(self), *spec);
    return nb::none();
  }));
  return done.is_valid() ? 0 : -1;
}

constexpr auto kFill = [](PyObject* self, PyObject* const* a) {
  fill(own(self), a[0], a[1], a[2]);
  return nb::borrow(self);
};

/// Gives the layout a swizzle: per_element, swizzle_len, atom_len, swizzle_inner.
constexpr auto kCompose = [](PyObject* self, PyObject* const* a) -> nb::object {
  Py_XSETREF(own(self).tile, Py_NewRef(a[0]));
  std::array<int, 3> numbers = {};
  int is_inner = 1;
  if (!PyArg_ParseTuple(a[1], "iiip", &numbers[0], &numbers[1], &numbers[2], &is_inner)) {
    throw nb::python_error();
  }
  const axe::Layout& tile = layout_in(own(a[0]));
  const axe::Swizzle swizzle =
      or_refused(axe::Swizzle::make(numbers[0], numbers[1], numbers[2], is_inner == 1));
  keep(own(self), or_refused(axe::Layout::make({tile.shard().begin(), tile.shard().end()},
                                               {tile.replica().begin(), tile.replica().end()},
                                               tile.offset(), swizzle)));
  return nb::none();
};

/// The object of a layout of heddle.axe.
constexpr auto kRead = [](PyObject*, PyObject* const* a) {
  return to_object(value_in_force(nb::cast<const Object&>(nb::handle(a[0]))).get<axe::Layout>());
};

// ---- Measuring and evaluating ----

std::optional<Axis> axis_named(PyObject* name) {
  if (name == nullptr || name == Py_None) return std::nullopt;
  return Axis(nb::cast<std::string>(nb::str(nb::handle(name))));
}

constexpr auto kSize = [](PyObject* self, PyObject* const* a) {
  const axe::Layout& layout = layout_in(own(self));
  const std::optional<Axis> axis = axis_named(a[0]);
  if (!axis) return expression(axe::size(layout));
  Int product = 1;
  for (const axe::Iter& iter : layout.shard()) {
    if (iter.axis == *axis) product *= iter.extent;
  }
  return expression(product);
};

/// Without an axis that of all axes of memory together.
constexpr auto kSpan = [](PyObject* self, PyObject* const* a) {
  const axe::Layout& layout = layout_in(own(self));
  if (const std::optional<Axis> axis = axis_named(a[0])) {
    return expression(or_refused(axe::span(layout, *axis)));
  }
  const axe::Layout stored = or_refused(axe::storage(layout, settings()->environment.axes()));
  Int product = 1;
  for (const Axis& axis : axe::axes(stored)) product *= or_refused(axe::span(stored, axis));
  return expression(or_refused([&]() -> Result<Int> {
    HEDDLE_CHECK(check_defined(product, "the span"));
    return product;
  }()));
};

/// The places of a point, by the axes of the iters and of the offset.
nb::object places_by_axis(PyLayout& self, const axe::Layout& layout, const axe::Coordinate& place) {
  static PyObject* const kNone = PyTuple_New(0);
  nb::object map = checked(names().map->tp_new(names().map, kNone, nullptr));
  const auto put = [&](const Axis& axis, const Int& value) {
    if (PyDict_SetItem(map.ptr(), axis_text(axis), expression(value).ptr()) != 0) {
      throw nb::python_error();
    }
  };
  PyLayout& tile = self.tile != nullptr ? own(self.tile) : self;
  const bool has_iters = tile.shard == nullptr || PyTuple_GET_SIZE(tile.shard) > 0;
  const Axis* last = nullptr;
  for (const axe::Iter& iter : layout.shard()) {
    if (!has_iters || (last != nullptr && *last == iter.axis)) continue;
    last = &iter.axis;
    put(iter.axis, place[iter.axis]);
  }
  if (tile.offset != nullptr) {
    for (const auto& [axis, value] : nb::borrow<nb::dict>(tile.offset)) {
      const Axis named = axis_in(axis.ptr());
      put(named, place[named]);
    }
  }
  for (const auto& [axis, value] : place) put(axis, value);
  return map;
}

nb::object applied(PyLayout& self, PyObject* const* given, std::size_t count, PyObject* shape) {
  const axe::Layout& whole = layout_in(self);
  std::optional<axe::Layout> alone;
  if (!whole.replica().empty()) {
    alone = or_refused(axe::Layout::make({whole.shard().begin(), whole.shard().end()}, {},
                                         whole.offset(), whole.swizzle()));
  }
  const axe::Layout& layout = alone ? *alone : whole;
  Shape point;
  point.reserve(count);
  for (std::size_t i = 0; i < count; ++i) point.push_back(size_of(given[i]));
  const auto places = [&]() -> Result<std::vector<axe::Coordinate>> {
    if (shape != nullptr && shape != Py_None) return axe::places(layout, shape_of(shape), point);
    if (count == 1) return axe::places(layout, point.front());
    return axe::places(layout, axe::extents_of(layout.shard()), point);
  };
  const bool is_of_iters = (shape == nullptr || shape == Py_None) && count != 1;
  if (is_of_iters && count != layout.shard().size()) {
    raise_refused(Diagnostic("axe.position", std::to_string(count) + " indices for " +
                                                 std::to_string(layout.shard().size()) + " iters"));
  }
  return places_by_axis(self, layout, or_refused(places()).front());
}

PyObject* apply(PyObject* self, PyObject* const* given, Py_ssize_t count,
                PyObject* keywords) noexcept {
  return guarded([&] {
    PyObject* shape = nullptr;
    if (keywords != nullptr && PyTuple_GET_SIZE(keywords) > 0) {
      const bool is_shape =
          PyTuple_GET_SIZE(keywords) == 1 &&
          PyUnicode_CompareWithASCIIString(PyTuple_GET_ITEM(keywords, 0), "shape") == 0;
      if (!is_shape) throw_error(PyExc_TypeError, "apply() has the keyword shape only");
      shape = given[count];
    }
    return applied(own(self), given, static_cast<std::size_t>(count), shape);
  });
}

// ---- The algebra ----

/// A swizzle may have to be looked at place by place: other threads go on meanwhile.
template <class Work>
auto answered(const axe::Layout& a, const axe::Layout& b, Work work) {
  std::optional<nb::gil_scoped_release> unlocked;
  if (a.swizzle() || b.swizzle()) unlocked.emplace();
  return work();
}

constexpr auto kCanonicalize = [](PyObject* self, PyObject* const*) {
  return to_object(or_refused(axe::canonicalize(layout_in(own(self)))));
};

using Product = Result<axe::Layout> (*)(const axe::Layout&, std::span<const Int>,
                                        const axe::Layout&, std::span<const Int>);

/// A product with this layout inside, in normal form.
template <Product kProduct>
constexpr auto kProductWith = [](PyObject* self, PyObject* const* a) {
  const LayoutArgument outer(a[0]);
  const axe::Layout& left = *outer;
  const axe::Layout& right = layout_in(own(self));
  const Shape left_shape = shape_of(a[1]);
  const Shape right_shape = shape_of(a[2]);
  const axe::Layout made = or_refused(
      answered(left, right, [&] { return kProduct(left, left_shape, right, right_shape); }));
  return to_object(or_refused(axe::canonicalize(made)));
};

/// The other part of a whole, its iters grouped by the shape that is left.
template <Product kQuotient>
nb::object quotient(PyObject* self, const axe::Layout& whole, const Shape& whole_shape,
                    const Shape& shape) {
  const axe::Layout& part = layout_in(own(self));
  auto found =
      or_none(answered(whole, part, [&] { return kQuotient(whole, whole_shape, part, shape); }));
  if (!found) return nb::none();
  Shape grid;
  for (std::size_t i = 0; i < std::min(shape.size(), whole_shape.size()); ++i) {
    grid.push_back(floor_div(whole_shape[i], shape[i]));
  }
  auto grouped = axe::group(*found, grid);
  // A swizzle is not grouped.
  return to_object(grouped ? std::move(grouped->layout) : *std::move(found));
}

template <Product kQuotient>
constexpr auto kOtherPart = [](PyObject* self, PyObject* const* a) {
  const LayoutArgument whole(a[0]);
  return quotient<kQuotient>(self, *whole, shape_of(a[1]), shape_of(a[2]));
};

/// The swizzle of a tiled layout is that of its tile.
constexpr auto kTileInner = [](PyObject* self, PyObject* const* a) -> nb::object {
  const LayoutArgument whole(a[0]);
  if (whole.type() != Py_TYPE(self)) return nb::none();
  return quotient<axe::tile_of>(self, *whole, shape_of(a[1]), shape_of(a[2]));
};

/// The extents of a sum are those of its addends in turn.
template <Product kQuotient>
constexpr auto kAddend = [](PyObject* self, PyObject* const* a) {
  const LayoutArgument whole(a[0]);
  const Shape interleaved = shape_of(a[1]);
  if (interleaved.size() % 2 != 0) {
    raise_refused(Diagnostic("axe.ranks", std::to_string(interleaved.size()) +
                                              " extents are not pairs of one of each addend"));
  }
  Shape pairs;
  for (std::size_t i = 0; i < interleaved.size(); i += 2) {
    pairs.push_back(interleaved[i] * interleaved[i + 1]);
  }
  return quotient<kQuotient>(self, *whole, pairs, shape_of(a[2]));
};

nb::object numbers(const std::vector<std::size_t>& all) {
  nb::object tuple = checked(PyTuple_New(static_cast<Py_ssize_t>(all.size())));
  for (std::size_t i = 0; i < all.size(); ++i) {
    PyTuple_SET_ITEM(tuple.ptr(), static_cast<Py_ssize_t>(i), PyLong_FromSize_t(all[i]));
  }
  return tuple;
}

/// The iters stay apart, as their own extents group them.
constexpr auto kGroup = [](PyObject* self, PyObject* const* a) -> nb::object {
  const axe::Layout& layout = layout_in(own(self));
  Shape extents;
  for (const axe::Iter& iter : layout.shard()) {
    if (!known_equal(iter.extent, 1)) extents.push_back(iter.extent);
  }
  if (extents.empty()) extents.push_back(1);
  const std::array shapes = {std::move(extents), shape_of(a[0])};
  axe::CommonGrouping found = or_refused(axe::group_many(layout, shapes));
  return nb::make_tuple(to_object(std::move(found.layout)), numbers(found.seps[1]));
};

constexpr auto kGroupMany = [](PyObject* self, PyObject* const* a) -> nb::object {
  const axe::Layout& layout = layout_in(own(self));
  std::vector<Shape> shapes = list_of(a[0], shape_of);
  shapes.insert(shapes.begin(), axe::extents_of(layout.shard()));
  axe::CommonGrouping found = or_refused(axe::group_many(layout, shapes));
  nb::list seps;
  for (std::size_t i = 1; i < found.seps.size(); ++i) seps.append(numbers(found.seps[i]));
  return nb::make_tuple(to_object(std::move(found.layout)), nb::tuple(seps));
};

/// A pair of numbers, or a range of TVM.
axe::Interval interval_of(PyObject* object) {
  if (!PyTuple_Check(object) && !PyList_Check(object) &&
      PyObject_HasAttrString(object, "extent") == 1) {
    const Int begin = size_of(nb::object(nb::handle(object).attr("min")).ptr());
    return {begin, begin + size_of(nb::object(nb::handle(object).attr("extent")).ptr())};
  }
  const Shape ends = shape_of(object);
  if (ends.size() < 2) throw_error(PyExc_IndexError, "a region has two ends in each dimension");
  return {ends[0], ends[1]};
}

constexpr auto kSlice = [](PyObject* self, PyObject* const* a) -> nb::object {
  const Shape shape = shape_of(a[0]);
  const std::vector<axe::Interval> region = list_of(a[1], interval_of);
  if (shape.size() != region.size()) {
    raise_refused(Diagnostic("axe.position", "a shape and a region of different lengths"),
                  names().asserted);
  }
  auto found = or_none(axe::slice(layout_in(own(self)), shape, region));
  return found ? to_object(*std::move(found)) : nb::none();
};

constexpr auto kPack = [](PyObject* self, PyObject* const* a) {
  return to_object(or_refused(axe::pack(layout_in(own(self)), size_of(a[0])), names().asserted));
};
constexpr auto kUnpack = [](PyObject* self, PyObject* const* a) {
  return to_object(or_refused(axe::unpack(layout_in(own(self)), size_of(a[0]))));
};

/// The width of a type is the number in its name.
constexpr auto kTcgen05Atom = [](PyObject*, PyObject* const* a) {
  const auto text = [](PyObject* object) {
    return nb::cast<std::string>(nb::str(nb::handle(object)));
  };
  std::int64_t bits = 0;
  for (const char character : text(a[2])) {
    if (std::isdigit(static_cast<unsigned char>(character)) != 0 && bits < 1000) {
      bits = 10 * bits + (character - '0');
    }
  }
  const std::vector<std::int64_t> shape = list_of(a[1], [](PyObject* size) {
    const Int number = size_of(size);
    return number.is_constant() ? number.value() : std::int64_t{-1};
  });
  return to_object(
      or_refused(axe::tcgen05_atom_layout(text(a[0]), shape, bits), names().out_of_range));
};

// ---- The type ----

PyObject* represent(PyObject* self) {
  return guarded([&] {
    PyObject*& text = own(self).text;
    if (text == nullptr) {
      text = checked(PyObject_CallMethod(self, "_printed", nullptr)).release().ptr();
    }
    return nb::borrow(text);
  });
}

void free_layout(PyObject* self) {
  PyTypeObject* type = Py_TYPE(self);
  PyLayout& layout = own(self);
  if (layout.weak_references != nullptr) PyObject_ClearWeakRefs(self);
  for (PyObject* part :
       {layout.shard, layout.replica, layout.offset, layout.tile, layout.answers, layout.text}) {
    Py_XDECREF(part);
  }
  std::destroy_at(&layout.layout);
  std::destroy_at(&layout.facts);
  std::destroy_at(&layout.in_force);
  type->tp_free(self);
  Py_DECREF(type);
}

}  // namespace
}  // namespace heddle::python::tvm

namespace heddle::python {

void bind_tvm_layout(nb::module_& m) {
  using namespace tvm;
  nb::module_ module = m.def_submodule("tvm_layout");
  bind_parts(module);
  static PyMethodDef methods[] = {
      method<"_fill", "shard, replica, offset", kFill>("Takes these iters and this offset."),
      method<"_compose", "tile, numbers", kCompose>("Takes a tile and a swizzle after it."),
      method<"size", "axis_name=None", kSize>(
          "The number of logical indices, or the product of the extents on an axis."),
      method<"span", "axis_name=None", kSpan>(
          "1 + greatest - least place on an axis; without one, on all axes of memory together."),
      {"apply", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(&apply)),
       METH_FASTCALL | METH_KEYWORDS,
       "apply($self, *coord, shape=None)\n--\n\n"
       "The places of a coordinate, by axis; those of the replicas are these plus R's."},
      method<"canonicalize", "", kCanonicalize>(
          "The normal form: no unit iters, neighbours fused."),
      method<"tile", "outer, outer_shape, inner_shape", kProductWith<axe::tile>>(
          "A grid `outer` of tiles of this layout."),
      method<"direct_sum", "left, left_shape, right_shape", kProductWith<axe::direct_sum>>(
          "Both placements added, without a span between them."),
      method<"is_tile_inner", "tile_layout, tiled_shape, inner_shape", kTileInner>(
          "The grid on which this tile makes `tile_layout`, or None."),
      method<"is_tile_outer", "tile_layout, tiled_shape, outer_shape",
             kOtherPart<axe::tile_inner_of>>(
          "The tile that makes `tile_layout` on this grid, or None."),
      method<"is_direct_sum_right", "sum_layout, interleaved_shape, right_shape",
             kAddend<axe::direct_sum_left_of>>(
          "The left addend of `sum_layout` whose right one is this, or None."),
      method<"is_direct_sum_left", "sum_layout, interleaved_shape, left_shape",
             kAddend<axe::direct_sum_right_of>>(
          "The right addend of `sum_layout` whose left one is this, or None."),
      method<"_group", "shape", kGroup>(
          "The iters as one block for each extent, and where the blocks begin."),
      method<"_group_many", "shapes", kGroupMany>(
          "The coarsest iters that each shape groups, and where its blocks begin."),
      method<"slice", "shape, region", kSlice>(
          "The layout of a part of a tensor of this shape, or None."),
      method<"pack", "num", kPack>("The layout of elements that are made of `num` of this."),
      method<"unpack", "num", kUnpack>("The layout of elements of which `num` make one of this."),
      {},
  };
  static PyGetSetDef parts[] = {
      {"_shard", get_part<&PyLayout::shard, kShard>, nullptr, "The iters.", nullptr},
      {"_replica", get_part<&PyLayout::replica, kReplica>, nullptr, "Those of copies.", nullptr},
      {"_offset", get_part<&PyLayout::offset, kOffset>, nullptr, "The offset by axes.", nullptr},
      {"_tile", get_tile, nullptr, "The layout under the swizzle.", nullptr},
      {"_answers", get_answers, nullptr, "Answers that are kept, by name.", nullptr},
      {"_value", get_value, nullptr, "The layout of heddle.axe.", nullptr},
      {},
  };
  static PyMemberDef members[] = {
      {"__weaklistoffset__", T_PYSSIZET, offsetof(PyLayout, weak_references), READONLY, nullptr},
      {},
  };
  static PyType_Slot slots[] = {
      {Py_tp_new, reinterpret_cast<void*>(new_layout)},
      {Py_tp_init, reinterpret_cast<void*>(init_layout)},
      {Py_tp_dealloc, reinterpret_cast<void*>(free_layout)},
      {Py_tp_repr, reinterpret_cast<void*>(represent)},
      {Py_tp_str, reinterpret_cast<void*>(represent)},
      {Py_tp_methods, methods},
      {Py_tp_getset, parts},
      {Py_tp_members, members},
      {},
  };
  static PyType_Spec specification = {"heddle.tvm_layout.LayoutBase", sizeof(PyLayout), 0,
                                      Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, slots};
  base_type() = add_type(module, specification);
  static PyMethodDef functions[] = {
      function<"_read", "value", kRead>("The object of a layout of heddle.axe."),
      function<"tcgen05_atom_layout", "instr_shape, tensor_shape, dtype", kTcgen05Atom>(
          "The registers of a warpgroup that tcgen05.ld and tcgen05.st read and write."),
      {},
  };
  add_functions(module, functions, "heddle.tvm_layout");
}

}  // namespace heddle::python
