// heddle.pycute: the functions and classes of CUTLASS's pycute, under its names.
//
//   Layout((4, (2, 2)), (2, (1, 8)))(1, 3)                  11
//   composition(Layout((6, 2), (8, 2)), Layout((4, 3), (3, 1)))   ((2, 2), 3):((24, 2), 8)
//
// Here tuples of Python become those of the library and back; the library computes. Where pycute
// and CuTe 4.7 write the same map differently, the text is pycute's.

#include <nanobind/stl/string.h>
#include <structmember.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fastcall.h"
#include "heddle/core/diagnostic.h"
#include "heddle/core/inline_vector.h"
#include "heddle/cute/complement.h"
#include "heddle/cute/composition.h"
#include "heddle/cute/coordinate.h"
#include "heddle/cute/divide.h"
#include "heddle/cute/int_tuple.h"
#include "heddle/cute/inverse.h"
#include "heddle/cute/layout.h"
#include "heddle/cute/manipulation.h"
#include "heddle/cute/product.h"
#include "heddle/cute/swizzle.h"
#include "heddle/cute/tiler.h"
#include "object.h"
#include "pycute_plain.h"
#include "refusal.h"

namespace heddle::python {
namespace {

// ---- Refusals ----

/// Raises heddle.pycute.Refused, which is an AssertionError too, as pycute asserts.
[[noreturn]] void raise_refused(const Diagnostic& why) {
  raise(why, nb::module_::import_("heddle.pycute").attr("Refused"));
}

template <class T>
T or_refused(Result<T> result) {
  if (!result) raise_refused(result.error());
  return *std::move(result);
}

// ---- Numbers and tuples ----

Int number_of(PyObject* object) {
  std::int64_t plain = 0;
  if (read_number(object, plain)) [[likely]]
    return Int(plain);
  if (PyLong_Check(object)) {
    int overflow = 0;
    const long long number = PyLong_AsLongLongAndOverflow(object, &overflow);
    if (overflow == 0) return Int(number);
    const auto text = nb::cast<std::string>(nb::str(nb::handle(object)));
    raise_refused(Diagnostic("overflow", text + " does not fit into 64 bits"));
  }
  if (PyIndex_Check(object)) return number_of(checked(PyNumber_Index(object)).ptr());
  const Object* own = nullptr;
  if (nb::try_cast<const Object*>(nb::handle(object), own) && own != nullptr) {  // None is null
    const Value value = value_in_force(*own);
    const IntTuple* tuple = value.get_if<IntTuple>();
    if (tuple != nullptr && tuple->is_leaf()) return tuple->leaf();
  }
  throw_error(PyExc_TypeError, std::string("an integer or a tuple of integers is needed, not '") +
                                   Py_TYPE(object)->tp_name + "'");
}

/// Refuses (`tuple.too_deep`) a tuple within so many others.
void check_nesting(std::size_t depth) {
  if (depth < kMaxDepth) return;
  raise_refused(Diagnostic("tuple.too_deep",
                           "a tuple nests more than " + std::to_string(kMaxDepth) + " deep"));
}

/// Counts the parts of a tuple: one of a few objects, which has another one twice, and so on, may
/// have no end within memory.
class Parts {
 public:
  /// Visits a tuple at this depth. Refuses `tuple.too_deep` and `call.too_large`.
  void visit(PyObject* tuple, std::size_t depth) {
    check_nesting(depth);
    count_ += static_cast<std::size_t>(PyTuple_GET_SIZE(tuple)) + 1;
    if (count_ <= kMaxRank) return;
    raise_refused(Diagnostic("call.too_large",
                             "a tuple has more than " + std::to_string(kMaxRank) + " parts"));
  }

 private:
  std::size_t count_ = 0;
};

/// Reads a tuple of Python, with one leaf of the result for each of its leaves.
template <class Leaf, class ReadLeaf>
class TupleReader {
 public:
  explicit TupleReader(ReadLeaf read_leaf) : read_leaf_(read_leaf) {}

  void read(PyObject* object, std::size_t depth = 0) {
    if (!PyTuple_Check(object)) {
      profile.append_leaf();
      leaves.push_back(read_leaf_(object));
      return;
    }
    parts_.visit(object, depth);
    read_modes(&PyTuple_GET_ITEM(object, 0), static_cast<std::size_t>(PyTuple_GET_SIZE(object)),
               depth);
  }
  /// Reads the tuple of these.
  void read_modes(PyObject* const* modes, std::size_t count, std::size_t depth = 0) {
    profile.append_tuple(count);
    for (std::size_t i = 0; i < count; ++i) read(modes[i], depth + 1);
  }

  Profile profile = Profile::incomplete();
  typename Tuple<Leaf>::Leaves leaves;

 private:
  ReadLeaf read_leaf_;
  Parts parts_;
};

template <class Leaf, class ReadLeaf>
Tuple<Leaf> read_tuple(PyObject* object, ReadLeaf read_leaf) {
  TupleReader<Leaf, ReadLeaf> reader(read_leaf);
  reader.read(object);
  return {std::move(reader.profile), std::move(reader.leaves)};
}

IntTuple int_tuple_of(PyObject* object) { return read_tuple<Int>(object, number_of); }

/// In a coordinate None is `_`.
cute::Index index_of(PyObject* object) {
  return object == Py_None ? cute::Index(cute::_) : cute::Index(number_of(object));
}
cute::Coordinate coordinate_of_tuple(PyObject* object) {
  return read_tuple<cute::Index>(object, index_of);
}

cute::Coordinate coordinate_of_modes(PyObject* const* modes, std::size_t count) {
  TupleReader<cute::Index, decltype(&index_of)> reader(index_of);
  reader.read_modes(modes, count);
  return {std::move(reader.profile), std::move(reader.leaves)};
}

nb::object to_object(const Int& number) {
  if (number.is_constant()) [[likely]]
    return make_number(number.value());
  if (!number.is_defined()) raise_refused(check_defined(number, "the result").error());
  return to_python(number);
}

/// Writes the tuple whose nodes and leaves begin here, and moves both on.
template <class Leaf, class WriteLeaf>
nb::object write_tuple(const Profile::Node*& node, const Leaf*& leaf, WriteLeaf write_leaf) {
  const Profile::Node at = *node++;
  if (at == 0) return write_leaf(*leaf++);
  nb::object tuple = checked(PyTuple_New(static_cast<Py_ssize_t>(at) - 1));
  for (Profile::Node i = 0; i + 1 < at; ++i) {
    PyTuple_SET_ITEM(tuple.ptr(), static_cast<Py_ssize_t>(i),
                     write_tuple(node, leaf, write_leaf).release().ptr());
  }
  return tuple;
}

template <class Leaf, class WriteLeaf>
nb::object write_tuple(ProfileView profile, std::span<const Leaf> leaves, WriteLeaf write_leaf) {
  const Profile::Node* node = profile.nodes().data();
  const Leaf* leaf = leaves.data();
  return write_tuple(node, leaf, write_leaf);
}

nb::object to_object(const IntTuple& tuple) {
  return write_tuple(tuple.profile(), tuple.leaves(),
                     [](const Int& number) { return to_object(number); });
}

// ---- Layouts ----

/// A layout of the library or none, and how many read it: as std::optional, but its flag and the
/// count share a word. So an object of Python is small enough for Python's own allocator (512).
class Kept {
 public:
  Kept() {}  // NOLINT: nothing is kept yet
  Kept(const Kept&) = delete;
  Kept& operator=(const Kept&) = delete;
  ~Kept() { reset(); }

  explicit operator bool() const { return is_there_; }
  const cute::Layout& operator*() const { return layout_; }
  const cute::Layout* operator->() const { return &layout_; }
  void emplace(cute::Layout&& layout) {
    reset();
    std::construct_at(&layout_, std::move(layout));
    is_there_ = true;
  }
  void reset() {
    if (std::exchange(is_there_, false)) std::destroy_at(&layout_);
  }

  [[nodiscard]] bool has_readers() const { return readers_ > 0; }
  void add_reader() { ++readers_; }
  void remove_reader() { --readers_; }

 private:
  std::uint32_t readers_ = 0;
  bool is_there_ = false;
  union {
    cute::Layout layout_;
  };
};

/// A layout as Python has it: as tuples, as a layout of the library, or both; what is missing is
/// made when it is asked for. Its parts cannot be assigned while it has readers: code of Python
/// that runs meanwhile, `__index__` for instance, would free what is read.
struct PyLayout {
  PyObject_HEAD vectorcallfunc call;
  PyObject* shape;
  PyObject* stride;
  PyObject* dict;
  PyObject* weak_references;
  Kept layout;
};

/// A reader of a layout.
class Reader {
 public:
  explicit Reader(PyLayout& layout) : layout_(layout) { layout_.layout.add_reader(); }
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;
  ~Reader() { layout_.layout.remove_reader(); }

 private:
  PyLayout& layout_;
};

/// The types of the module; PyType_FromSpec makes them when it is imported, once in a process.
struct Types {
  PyTypeObject* base = nullptr;
  PyTypeObject* layout = nullptr;
  PyTypeObject* swizzle = nullptr;
  PyTypeObject* composed = nullptr;
};
Types& types() {
  static constinit Types types;
  return types;
}

PyObject* call_layout(PyObject* self, PyObject* const* given, std::size_t count, PyObject* names);

bool is_own(PyObject* object) { return PyObject_TypeCheck(object, types().layout); }
PyLayout& own(PyObject* object) { return *reinterpret_cast<PyLayout*>(object); }

nb::object blank_layout() {
  PyLayout* made = PyObject_GC_New(PyLayout, types().layout);
  if (made == nullptr) throw nb::python_error();
  made->call = call_layout;
  made->shape = made->stride = made->dict = made->weak_references = nullptr;
  std::construct_at(&made->layout);
  return nb::steal(reinterpret_cast<PyObject*>(made));
}

nb::object to_object(cute::Layout&& layout) {
  nb::object made = blank_layout();
  own(made.ptr()).layout.emplace(std::move(layout));
  PyObject_GC_Track(made.ptr());
  return made;
}

nb::object object_or_refused(Result<cute::Layout> layout) {
  if (!layout) raise_refused(layout.error());
  return to_object(*std::move(layout));
}

const cute::Layout& layout_in(PyLayout& self);

nb::object shape_of(PyLayout& self) {
  if (self.shape == nullptr && self.layout) {
    const std::span<const Int> extents = self.layout->extents();
    self.shape = write_tuple(self.layout->profile(), extents,
                             [](const Int& extent) { return to_object(extent); })
                     .release()
                     .ptr();
  }
  if (self.shape == nullptr) throw_error(PyExc_AttributeError, "the layout has no shape yet");
  return nb::borrow(self.shape);
}

nb::object stride_of(PyLayout& self) {
  if (self.stride == nullptr && (self.layout || self.shape != nullptr)) {
    layout_in(self);
    const std::span<const cute::Stride> strides = self.layout->strides();
    self.stride = write_tuple(self.layout->profile(), strides,
                              [](const cute::Stride& stride) { return to_object(stride.scale()); })
                      .release()
                      .ptr();
  }
  if (self.stride == nullptr) throw_error(PyExc_AttributeError, "the layout has no stride yet");
  return nb::borrow(self.stride);
}

cute::Layout read_layout(PyObject* shape, PyObject* stride) {
  const auto read_stride = [](PyObject* object) { return cute::Stride(number_of(object)); };
  TupleReader<Int, Int (*)(PyObject*)> extents(number_of);
  extents.read(shape);
  TupleReader<cute::Stride, decltype(read_stride)> strides(read_stride);
  strides.read(stride);
  if (extents.profile != strides.profile) [[unlikely]] {
    return or_refused(cute::Layout::make(
        IntTuple(std::move(extents.profile), std::move(extents.leaves)),
        cute::StrideTuple(std::move(strides.profile), std::move(strides.leaves))));
  }
  return or_refused(cute::Layout::make(std::move(extents.profile), std::move(extents.leaves),
                                       std::move(strides.leaves)));
}

/// A layout as an argument: one of this module, or anything with a shape and a stride.
class LayoutArgument {
 public:
  explicit LayoutArgument(PyObject* object) {
    if (is_own(object)) [[likely]] {
      reader_.emplace(own(object));
      layout_ = &layout_in(own(object));
      return;
    }
    const nb::object shape = checked(PyObject_GetAttrString(object, "shape"));
    const nb::object stride = checked(PyObject_GetAttrString(object, "stride"));
    layout_ = &read_.emplace(read_layout(shape.ptr(), stride.ptr()));
  }
  LayoutArgument(const LayoutArgument&) = delete;
  LayoutArgument& operator=(const LayoutArgument&) = delete;

  const cute::Layout& operator*() const { return *layout_; }
  const cute::Layout* operator->() const { return layout_; }

 private:
  std::optional<Reader> reader_;
  std::optional<cute::Layout> read_;
  const cute::Layout* layout_ = nullptr;
};

bool is_int(PyObject* object) { return PyLong_Check(object) && !PyBool_Check(object); }
bool is_layout(PyObject* object) { return PyObject_TypeCheck(object, types().base); }

cute::Layout joined(std::span<const cute::Layout> modes) {
  return or_refused(cute::make_layout(modes));
}
cute::Layout joined(std::initializer_list<cute::Layout> modes) {
  return joined(std::span<const cute::Layout>(modes.begin(), modes.size()));
}
nb::object layout_of_parts(PyObject* shape, PyObject* stride);
cute::Layout line(const Int& size) { return or_refused(cute::make_layout(IntTuple(size))); }

// ---- Compact strides ----

/// The running products of the leaves from `current` on, which ends as their product.
void append_running_products(IntTupleView tuple, Int current, IntTuple::Leaves& products) {
  for (const Int& leaf : tuple.leaves()) {
    products.push_back(current);
    current *= leaf;
  }
}

IntTuple::Leaves running_products(IntTupleView tuple, IntTupleView start) {
  IntTuple::Leaves products;
  if (start.is_leaf()) {
    append_running_products(tuple, start.leaf(), products);
    return products;
  }
  if (tuple.is_leaf() || tuple.rank() != start.rank()) {
    raise_refused(
        Diagnostic("tuple.incongruent", "the first factors do not match the modes of the tuple"));
  }
  auto mode = tuple.modes().begin();
  for (const IntTupleView first : start.modes()) {
    const IntTuple::Leaves part = running_products(*mode, first);
    products.append(part.begin(), part.end());
    ++mode;
  }
  return products;
}

/// pycute's compact layout: modes of extent 1 keep their running product as a stride.
cute::Layout compact(IntTuple shape) {
  const IntTuple::Leaves products = running_products(shape, IntTuple(1));
  return or_refused(cute::Layout::make(shape.profile(),
                                       {shape.leaves().begin(), shape.leaves().end()},
                                       {products.begin(), products.end()}));
}

cute::Layout layout_of(PyObject* shape, PyObject* stride) {
  return stride == nullptr || stride == Py_None ? compact(int_tuple_of(shape))
                                                : read_layout(shape, stride);
}

const cute::Layout& layout_in(PyLayout& self) {
  if (!self.layout) {
    const Reader reader(self);
    cute::Layout read = layout_of(shape_of(self).ptr(), self.stride);
    if (!self.layout) self.layout.emplace(std::move(read));
  }
  return *self.layout;
}

// ---- Tilers ----

/// None keeps a mode, a number takes that many elements; modes beyond the tiler are kept.
class TilerReader {
 public:
  cute::Tiler read(PyObject* object, const cute::Layout& layout) {
    read_mode(object, layout.profile().view(), layout);
    return {std::move(profile_), std::move(tiles_)};
  }

 private:
  /// The tiler of a mode of the layout, or of all of it.
  void read_mode(PyObject* object, ProfileView mode, const cute::Layout& layout,
                 std::size_t depth = 0) {
    if (!PyTuple_Check(object)) {
      profile_.append_leaf();
      add_tile(object);
      return;
    }
    check_nesting(depth);
    const auto size = static_cast<std::size_t>(PyTuple_GET_SIZE(object));
    const std::size_t rank = mode.rank();
    if (size > rank) {
      raise_refused(Diagnostic("tiler.rank", "a tiler of " + std::to_string(size) + " tiles for " +
                                                 (depth == 0 ? "" : "a mode of ") +
                                                 cute::to_string(layout) + ", which has " +
                                                 std::to_string(rank) +
                                                 (rank == 1 ? " mode" : " modes")));
    }
    profile_.append_tuple(rank);
    std::size_t i = 0;
    for (const ProfileView part : mode.modes()) {
      if (i < size) {
        read_mode(PyTuple_GET_ITEM(object, static_cast<Py_ssize_t>(i)), part, layout, depth + 1);
      } else {
        profile_.append_leaf();
        tiles_.emplace_back(cute::_);
      }
      ++i;
    }
  }
  void add_tile(PyObject* object) {
    if (object == Py_None) {
      tiles_.emplace_back(cute::_);
    } else if (is_int(object)) {
      tiles_.emplace_back(number_of(object));
    } else {
      tiles_.emplace_back(*LayoutArgument(object));
    }
  }

  Profile profile_ = Profile::incomplete();
  cute::Tiler::Leaves tiles_;
};

using Divided = Result<cute::Layout> (*)(const cute::Layout&, const cute::Tiler&);
using DividedByLayout = Result<cute::Layout> (*)(const cute::Layout&, const cute::Layout&);

template <Divided kOperation>
constexpr auto kTiled = [](PyObject*, PyObject* const* arguments) -> nb::object {
  const LayoutArgument layout(arguments[0]);
  return object_or_refused(kOperation(*layout, TilerReader().read(arguments[1], *layout)));
};

/// As kTiled; None alone leaves the layout as it is, and a layout alone needs no tiler.
template <Divided kOperation, DividedByLayout kByLayout>
constexpr auto kTiledOrSame = [](PyObject* self, PyObject* const* arguments) -> nb::object {
  if (arguments[1] == Py_None) return nb::borrow(arguments[0]);
  if (!is_own(arguments[1])) return kTiled<kOperation>(self, arguments);
  const LayoutArgument layout(arguments[0]);
  return object_or_refused(kByLayout(*layout, *LayoutArgument(arguments[1])));
};

Result<cute::Layout> composed(const cute::Layout& layout, const cute::Tiler& tiler) {
  const cute::Layout* inner = tiler.is_leaf() ? tiler.leaf().layout() : nullptr;
  return inner != nullptr ? cute::composition(layout, *inner) : cute::composition(layout, tiler);
}

// ---- Evaluation ----

nb::object index_at(const cute::Layout& layout, const cute::Coordinate& coordinate) {
  return to_object(or_refused(cute::evaluate(layout, coordinate)).leaf());
}

/// Tuples of Python may nest without end; a coordinate does not.
bool has_none(PyObject* object, Parts& parts, std::size_t depth = 0) {
  if (!PyTuple_Check(object)) return object == Py_None;
  parts.visit(object, depth);
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(object); ++i) {
    if (has_none(PyTuple_GET_ITEM(object, i), parts, depth + 1)) return true;
  }
  return false;
}
bool has_none(PyObject* object) {
  Parts parts;
  return has_none(object, parts);
}

/// None alone keeps the whole tuple as the one mode of a tuple.
nb::object sliced(PyObject* coordinate, PyObject* tuple) {
  if (coordinate == Py_None) return nb::make_tuple(nb::handle(tuple));
  if (!PyTuple_Check(coordinate)) return nb::make_tuple();
  const auto size = static_cast<std::size_t>(PyTuple_GET_SIZE(coordinate));
  nb::object plain = plain::slice(&PyTuple_GET_ITEM(coordinate, 0), size, tuple);
  if (plain.is_valid()) return plain;
  return to_object(or_refused(cute::slice(coordinate_of_tuple(coordinate), int_tuple_of(tuple))));
}

nb::object sliced_layout(const cute::Coordinate& coordinate, const cute::Layout& layout) {
  if (!coordinate.is_leaf()) return object_or_refused(cute::slice(coordinate, layout));
  if (coordinate.leaf().is_underscore()) return to_object(joined({layout}));
  return to_object(joined(std::span<const cute::Layout>()));
}

/// The modes at None, if the coordinate and the layout are plain; else not valid.
nb::object plain_slice(PyLayout& self, PyObject* const* coordinates, std::size_t count) {
  if (count == 1 && PyTuple_Check(coordinates[0])) {
    const auto size = static_cast<std::size_t>(PyTuple_GET_SIZE(coordinates[0]));
    return size == 1 ? nb::object() : plain_slice(self, &PyTuple_GET_ITEM(coordinates[0], 0), size);
  }
  const auto has_a_none = [](PyObject* coordinate) { return has_none(coordinate); };
  if (count == 1 || std::none_of(coordinates, coordinates + count, has_a_none)) return {};
  const nb::object shape = plain::slice(coordinates, count, shape_of(self).ptr());
  const nb::object stride = plain::slice(coordinates, count, stride_of(self).ptr());
  if (!shape.is_valid() || !stride.is_valid()) return {};
  return layout_of_parts(shape.ptr(), stride.ptr());
}

nb::object called(PyLayout& self, PyObject* const* given, std::size_t count) {
  const cute::Layout& layout = layout_in(self);
  std::int64_t index = 0;
  if (plain::find_index(layout, given, count, index)) return make_number(index);
  nb::object slice = plain_slice(self, given, count);
  if (slice.is_valid()) return slice;
  const Reader reader(self);
  const cute::Coordinate coordinate =
      count == 1 ? coordinate_of_tuple(given[0]) : coordinate_of_modes(given, count);
  if (cute::has_underscore(coordinate)) return sliced_layout(coordinate, layout);
  return index_at(layout, coordinate);
}

PyObject* call_layout(PyObject* self, PyObject* const* given, std::size_t count, PyObject* names) {
  return guarded([&]() -> nb::object {
    if (names != nullptr) throw_error(PyExc_TypeError, "a coordinate has no names");
    return called(own(self), given, static_cast<std::size_t>(PyVectorcall_NARGS(count)));
  });
}

/// A coordinate in which None is 0.
cute::Coordinate from_its_beginning(const cute::Coordinate& coordinate) {
  return transform_leaves(coordinate, [](const cute::Index& index) {
    return index.is_underscore() ? cute::Index(0) : index;
  });
}

// ---- The type Layout ----

void check_no_readers(const PyLayout& self) {
  if (!self.layout.has_readers()) return;
  throw_error(PyExc_RuntimeError, "the layout is changed while it is read");
}

/// What the parts mean is found out when they are used, as in pycute.
void set_parts(PyLayout& self, PyObject* shape, PyObject* stride) {
  check_no_readers(self);
  Py_XSETREF(self.shape, Py_NewRef(shape));
  Py_XSETREF(self.stride, stride == nullptr || stride == Py_None ? nullptr : Py_NewRef(stride));
  self.layout.reset();
}

nb::object layout_of_parts(PyObject* shape, PyObject* stride) {
  nb::object made = blank_layout();
  set_parts(own(made.ptr()), shape, stride);
  PyObject_GC_Track(made.ptr());
  return made;
}

PyObject* make_layout_fast(PyObject*, PyObject* const* given, std::size_t count, PyObject* names) {
  static constexpr Signature kParameters = signature_of("_shape, _stride=None");
  return guarded([&] {
    const Py_ssize_t size = PyVectorcall_NARGS(count);
    if (names == nullptr && size == 2) [[likely]]
      return layout_of_parts(given[0], given[1]);
    std::array<PyObject*, Signature::kMost> arguments = {};
    place_arguments("Layout", kParameters, given, static_cast<std::size_t>(size), names,
                    arguments.data());
    return layout_of_parts(arguments[0], arguments[1]);
  });
}

PyObject* new_layout(PyTypeObject* type, PyObject*, PyObject*) {
  PyObject* self = type->tp_alloc(type, 0);
  if (self == nullptr) return nullptr;
  own(self).call = call_layout;
  std::construct_at(&own(self).layout);
  return self;
}

int init_layout(PyObject* self, PyObject* args, PyObject* kwargs) {
  static const char* const kNames[] = {"_shape", "_stride", nullptr};
  PyObject* shape = nullptr;
  PyObject* stride = nullptr;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O|O:Layout", const_cast<char**>(kNames), &shape,
                                   &stride)) {
    return -1;
  }
  const nb::object done = nb::steal(guarded([&]() -> nb::object {
    set_parts(own(self), shape, stride);
    return nb::none();
  }));
  return done.is_valid() ? 0 : -1;
}

int visit_layout(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(self));
  Py_VISIT(own(self).shape);
  Py_VISIT(own(self).stride);
  Py_VISIT(own(self).dict);
  return 0;
}

int clear_layout(PyObject* self) {
  Py_CLEAR(own(self).shape);
  Py_CLEAR(own(self).stride);
  Py_CLEAR(own(self).dict);
  return 0;
}

void free_layout(PyObject* self) {
  PyTypeObject* type = Py_TYPE(self);
  PyObject_GC_UnTrack(self);
  Py_TRASHCAN_BEGIN(self, free_layout)  // a layout may be a part of another one, without end
      if (own(self).weak_references != nullptr) PyObject_ClearWeakRefs(self);
  clear_layout(self);
  std::destroy_at(&own(self).layout);
  type->tp_free(self);
  Py_DECREF(type);
  Py_TRASHCAN_END
}

template <auto kPart>
PyObject* get_part(PyObject* self, void*) {
  return guarded([&] { return kPart(own(self)); });
}

/// The parts may be assigned, as those of pycute's layouts.
template <PyObject* PyLayout::* kPart>
int set_part(PyObject* self, PyObject* part, void*) {
  if (part == nullptr) {
    PyErr_SetString(PyExc_AttributeError, "a layout has a shape and a stride");
    return -1;
  }
  PyLayout& layout = own(self);
  const nb::object done = nb::steal(guarded([&]() -> nb::object {
    check_no_readers(layout);
    if (layout.layout || layout.shape != nullptr) {
      shape_of(layout);
      stride_of(layout);
    }
    Py_XSETREF(layout.*kPart, Py_NewRef(part));
    layout.layout.reset();
    return nb::none();
  }));
  return done.is_valid() ? 0 : -1;
}

Py_ssize_t length_of_layout(PyObject* self) {
  PyLayout& layout = own(self);
  if (layout.shape == nullptr && layout.layout) {
    return static_cast<Py_ssize_t>(layout.layout->rank());
  }
  const nb::object shape = nb::steal(guarded([&] { return shape_of(layout); }));
  if (!shape.is_valid()) return -1;
  return PyTuple_Check(shape.ptr()) ? PyTuple_GET_SIZE(shape.ptr()) : 1;
}

nb::object mode_at(PyLayout& self, Py_ssize_t index) {
  const nb::object shape = shape_of(self);
  const nb::object stride = stride_of(self);
  if (!PyTuple_Check(shape.ptr())) {
    if (index == 0) return layout_of_parts(shape.ptr(), stride.ptr());
    throw_error(PyExc_AssertionError,
                "the layout has the mode 0 only, not " + std::to_string(index));
  }
  const Py_ssize_t rank = PyTuple_GET_SIZE(shape.ptr());
  const Py_ssize_t at = index < 0 ? index + rank : index;
  if (at < 0 || at >= rank) {
    throw_error(PyExc_IndexError, "the layout has " + std::to_string(rank) +
                                      " modes, and no mode " + std::to_string(index));
  }
  if (!PyTuple_Check(stride.ptr()) || PyTuple_GET_SIZE(stride.ptr()) != rank) {
    layout_in(self);  // refuses
    throw_error(PyExc_RuntimeError, "the layout was changed while it was read");
  }
  return layout_of_parts(PyTuple_GET_ITEM(shape.ptr(), at), PyTuple_GET_ITEM(stride.ptr(), at));
}

PyObject* item_of_layout(PyObject* self, Py_ssize_t index) {
  return guarded([&] { return mode_at(own(self), index); });
}

PyObject* subscript_layout(PyObject* self, PyObject* index) {
  return guarded([&]() -> nb::object {
    if (PyIndex_Check(index)) {
      const Py_ssize_t at = PyNumber_AsSsize_t(index, PyExc_IndexError);
      if (at == -1 && PyErr_Occurred() != nullptr) throw nb::python_error();
      return mode_at(own(self), at);
    }
    if (!PyTuple_Check(shape_of(own(self)).ptr())) {
      throw_error(PyExc_AssertionError, "the layout has the mode 0 only");
    }
    const nb::object shape = checked(PyObject_GetItem(shape_of(own(self)).ptr(), index));
    const nb::object stride = checked(PyObject_GetItem(stride_of(own(self)).ptr(), index));
    return layout_of_parts(shape.ptr(), stride.ptr());
  });
}

/// A part of a layout, or of what else has a shape and a stride.
nb::object part_of(PyObject* object, nb::object (*own_part)(PyLayout&), const char* name) {
  if (is_own(object)) return own_part(own(object));
  return checked(PyObject_GetAttrString(object, name));
}

PyObject* compare_layouts(PyObject* self, PyObject* other, int operation) {
  if (operation != Py_EQ && operation != Py_NE) Py_RETURN_NOTIMPLEMENTED;
  return guarded([&] {
    bool are_equal = false;
    if (is_own(other) && own(self).layout && own(other).layout) {
      are_equal = *own(self).layout == *own(other).layout;
    } else {
      const auto same = [&](nb::object (*own_part)(PyLayout&), const char* name) {
        const nb::object part = own_part(own(self));
        const nb::object others = part_of(other, own_part, name);
        const int answer = PyObject_RichCompareBool(part.ptr(), others.ptr(), Py_EQ);
        if (answer < 0) throw nb::python_error();
        return answer == 1;
      };
      are_equal = same(shape_of, "shape") && same(stride_of, "stride");
    }
    return nb::borrow(are_equal == (operation == Py_EQ) ? Py_True : Py_False);
  });
}

/// The text of a shape and a stride.
class LayoutText {
 public:
  /// Appends what str() writes of a number or a tuple.
  void append(PyObject* object, std::size_t depth = 0) {
    if (PyTuple_CheckExact(object) && depth < kMaxDepth) {
      append_tuple(object, depth);
      return;
    }
    std::int64_t number = 0;
    if (read_number(object, number)) {
      std::array<char, 20> digits = {};
      append(
          {digits.data(), std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr});
      return;
    }
    const nb::str other = depth == 0 ? nb::str(nb::handle(object)) : nb::repr(object);
    is_ascii_ = is_ascii_ && PyUnicode_IS_ASCII(other.ptr());
    append(nb::cast<std::string>(other));
  }
  void append(std::string_view part) { text_.append(part.begin(), part.end()); }

  [[nodiscard]] nb::object object() const {
    const auto size = static_cast<Py_ssize_t>(text_.size());
    if (!is_ascii_) return checked(PyUnicode_FromStringAndSize(text_.data(), size));
    nb::object made = checked(PyUnicode_New(size, 127));
    std::ranges::copy(text_, PyUnicode_1BYTE_DATA(made.ptr()));
    return made;
  }

 private:
  void append_tuple(PyObject* tuple, std::size_t depth) {
    const Py_ssize_t size = PyTuple_GET_SIZE(tuple);
    text_.push_back('(');
    for (Py_ssize_t i = 0; i < size; ++i) {
      if (i > 0) append(", ");
      append(PyTuple_GET_ITEM(tuple, i), depth + 1);
    }
    append(size == 1 ? ",)" : ")");
  }

  InlineVector<char, 128> text_;
  bool is_ascii_ = true;
};

PyObject* text_of_layout(PyObject* self) {
  return guarded([&] {
    const nb::object shape = shape_of(own(self));
    const nb::object stride = stride_of(own(self));
    LayoutText text;
    text.append(shape.ptr());
    text.append(":");
    text.append(stride.ptr());
    return text.object();
  });
}
PyObject* represent_layout(PyObject* self) {
  return guarded([&] {
    const nb::object shape = shape_of(own(self));
    const nb::object stride = stride_of(own(self));
    return checked(PyUnicode_FromFormat("Layout(%R,%R)", shape.ptr(), stride.ptr()));
  });
}

/// As an object of a class of Python with two attributes is pickled and copied.
constexpr auto kReduce = [](PyObject* self, PyObject* const*) -> nb::object {
  PyLayout& layout = own(self);
  nb::dict parts;
  if (layout.shape != nullptr || layout.layout) {
    parts["shape"] = shape_of(layout);
    parts["stride"] = stride_of(layout);
  }
  const nb::object more = layout.dict == nullptr ? nb::none() : nb::borrow(layout.dict);
  return nb::make_tuple(nb::module_::import_("copyreg").attr("__newobj__"),
                        nb::make_tuple(nb::handle(reinterpret_cast<PyObject*>(Py_TYPE(self)))),
                        nb::make_tuple(more, parts));
};

constexpr auto kSize = [](PyObject* self, PyObject* const*) {
  return to_object(layout_in(own(self)).size());
};
constexpr auto kCosize = [](PyObject* self, PyObject* const*) {
  const cute::Layout& layout = layout_in(own(self));
  const auto rises = [](const cute::Stride& stride) { return known_at_most(0, stride.scale()); };
  if (std::ranges::all_of(layout.strides(), rises)) {
    const Int last = layout(layout.size() - 1);
    if (last.is_constant()) return to_object(last + 1);
  }
  return to_object(or_refused(cute::cosize(layout)));
};

PyTypeObject* add_layout_type(nb::module_& m, PyTypeObject* base) {
  static PyMethodDef methods[] = {
      method<"size", "", kSize>("The number of elements."),
      method<"cosize", "", kCosize>("One more than the greatest index."),
      method<"__reduce__", "", kReduce>("For pickle and copy."),
      {},
  };
  static PyGetSetDef parts[] = {
      {"shape", get_part<shape_of>, set_part<&PyLayout::shape>, "The shape.", nullptr},
      {"stride", get_part<stride_of>, set_part<&PyLayout::stride>, "The stride.", nullptr},
      {"__dict__", PyObject_GenericGetDict, PyObject_GenericSetDict, nullptr, nullptr},
      {},
  };
  static PyMemberDef members[] = {
      {"__vectorcalloffset__", T_PYSSIZET, offsetof(PyLayout, call), READONLY, nullptr},
      {"__dictoffset__", T_PYSSIZET, offsetof(PyLayout, dict), READONLY, nullptr},
      {"__weaklistoffset__", T_PYSSIZET, offsetof(PyLayout, weak_references), READONLY, nullptr},
      {},
  };
  static const char kDocumentation[] =
      "Layout(_shape, _stride=None)\n--\n\n"
      "A shape and a stride; without a stride it is compact, the first mode fastest.";
  static PyType_Slot slots[] = {
      {Py_tp_doc, const_cast<char*>(kDocumentation)},
      {Py_tp_new, reinterpret_cast<void*>(new_layout)},
      {Py_tp_init, reinterpret_cast<void*>(init_layout)},
      {Py_tp_dealloc, reinterpret_cast<void*>(free_layout)},
      {Py_tp_traverse, reinterpret_cast<void*>(visit_layout)},
      {Py_tp_clear, reinterpret_cast<void*>(clear_layout)},
      {Py_tp_call, reinterpret_cast<void*>(PyVectorcall_Call)},
      {Py_tp_richcompare, reinterpret_cast<void*>(compare_layouts)},
      {Py_tp_hash, reinterpret_cast<void*>(PyObject_HashNotImplemented)},
      {Py_tp_str, reinterpret_cast<void*>(text_of_layout)},
      {Py_tp_repr, reinterpret_cast<void*>(represent_layout)},
      {Py_mp_length, reinterpret_cast<void*>(length_of_layout)},
      {Py_mp_subscript, reinterpret_cast<void*>(subscript_layout)},
      {Py_sq_length, reinterpret_cast<void*>(length_of_layout)},
      {Py_sq_item, reinterpret_cast<void*>(item_of_layout)},
      {Py_tp_methods, methods},
      {Py_tp_getset, parts},
      {Py_tp_members, members},
      {},
  };
  static PyType_Spec specification = {
      "heddle.pycute.Layout", sizeof(PyLayout), 0,
      Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_HAVE_VECTORCALL,
      slots};
  PyTypeObject* type = add_type(m, specification, base);
  type->tp_vectorcall = make_layout_fast;
  return type;
}

// ---- The type Swizzle ----

struct PySwizzle {
  PyObject_HEAD vectorcallfunc call;
  cute::Swizzle swizzle;
};

const cute::Swizzle& swizzle_in(PyObject* object) {
  return reinterpret_cast<PySwizzle*>(object)->swizzle;
}

PyObject* call_swizzle(PyObject* self, PyObject* const* given, std::size_t count, PyObject* names) {
  return guarded([&] {
    if (names != nullptr || PyVectorcall_NARGS(count) != 1) {
      throw_error(PyExc_TypeError, "a swizzle takes one number");
    }
    std::int64_t address = 0;
    if (read_number(given[0], address)) [[likely]]
      return make_number(swizzle_in(self)(address));
    return to_object(swizzle_in(self)(number_of(given[0])));
  });
}

PyObject* new_swizzle(PyTypeObject* type, PyObject* args, PyObject* kwargs) {
  static const char* const kNames[] = {"bits", "base", "shift", nullptr};
  int bits = 0;
  int base = 0;
  int shift = 0;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "iii:Swizzle", const_cast<char**>(kNames), &bits,
                                   &base, &shift)) {
    return nullptr;
  }
  return guarded([&] {
    const cute::Swizzle swizzle = or_refused(cute::Swizzle::make(bits, base, shift));
    nb::object self = checked(type->tp_alloc(type, 0));
    auto* made = reinterpret_cast<PySwizzle*>(self.ptr());
    made->call = call_swizzle;
    std::construct_at(&made->swizzle, swizzle);
    return self;
  });
}

void free_swizzle(PyObject* self) {
  PyTypeObject* type = Py_TYPE(self);
  type->tp_free(self);
  Py_DECREF(type);
}

template <auto kPart>
PyObject* get_number(PyObject* self, void*) {
  return PyLong_FromLongLong((swizzle_in(self).*kPart)());
}

PyObject* compare_swizzles(PyObject* self, PyObject* other, int operation) {
  const bool is_comparable = operation == Py_EQ || operation == Py_NE;
  if (!is_comparable || !PyObject_TypeCheck(other, types().swizzle)) Py_RETURN_NOTIMPLEMENTED;
  return PyBool_FromLong((swizzle_in(self) == swizzle_in(other)) == (operation == Py_EQ));
}

Py_hash_t hash_swizzle(PyObject* self) {
  return static_cast<Py_hash_t>(std::hash<cute::Swizzle>()(swizzle_in(self)) >> 1);
}

template <Text kFormat>
PyObject* text_of_swizzle(PyObject* self) {
  const cute::Swizzle& swizzle = swizzle_in(self);
  return PyUnicode_FromFormat(kFormat.characters, swizzle.bits(), swizzle.base(), swizzle.shift());
}

constexpr auto kSwizzleSize = [](PyObject* self, PyObject* const*) {
  return to_object(Int(swizzle_in(self).size()));
};
constexpr auto kReduceSwizzle = [](PyObject* self, PyObject* const*) -> nb::object {
  const cute::Swizzle& swizzle = swizzle_in(self);
  return nb::make_tuple(nb::handle(reinterpret_cast<PyObject*>(Py_TYPE(self))),
                        nb::make_tuple(swizzle.bits(), swizzle.base(), swizzle.shift()));
};

PyTypeObject* add_swizzle_type(nb::module_& m) {
  static PyMethodDef methods[] = {
      method<"size", "", kSwizzleSize>("The number of offsets that are permuted."),
      method<"cosize", "", kSwizzleSize>("As size(): a swizzle permutes."),
      method<"__reduce__", "", kReduceSwizzle>("For pickle and copy."),
      {},
  };
  static PyGetSetDef parts[] = {
      {"bits", get_number<&cute::Swizzle::bits>, nullptr, "How many bits are swizzled.", nullptr},
      {"base", get_number<&cute::Swizzle::base>, nullptr, "How many low bits are kept.", nullptr},
      {"shift", get_number<&cute::Swizzle::shift>, nullptr, "How far bits are moved.", nullptr},
      {"yyy_msk", get_number<&cute::Swizzle::source_mask>, nullptr, "The bits read.", nullptr},
      {"zzz_msk", get_number<&cute::Swizzle::target_mask>, nullptr, "The bits changed.", nullptr},
      {},
  };
  static PyMemberDef members[] = {
      {"__vectorcalloffset__", T_PYSSIZET, offsetof(PySwizzle, call), READONLY, nullptr},
      {},
  };
  static const char kDocumentation[] =
      "Swizzle(bits, base, shift)\n--\n\nXORs some bits of an offset onto others.";
  static PyType_Slot slots[] = {
      {Py_tp_doc, const_cast<char*>(kDocumentation)},
      {Py_tp_new, reinterpret_cast<void*>(new_swizzle)},
      {Py_tp_dealloc, reinterpret_cast<void*>(free_swizzle)},
      {Py_tp_call, reinterpret_cast<void*>(PyVectorcall_Call)},
      {Py_tp_richcompare, reinterpret_cast<void*>(compare_swizzles)},
      {Py_tp_hash, reinterpret_cast<void*>(hash_swizzle)},
      {Py_tp_str, reinterpret_cast<void*>(text_of_swizzle<"SW_%d_%d_%d">)},
      {Py_tp_repr, reinterpret_cast<void*>(text_of_swizzle<"Swizzle(%d,%d,%d)">)},
      {Py_tp_methods, methods},
      {Py_tp_getset, parts},
      {Py_tp_members, members},
      {},
  };
  static PyType_Spec specification = {
      "heddle.pycute.Swizzle", sizeof(PySwizzle), 0,
      Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_VECTORCALL, slots};
  return add_type(m, specification);
}

// ---- The type ComposedLayout ----

/// A function after an offset after a layout, whatever they are.
struct PyComposed {
  PyObject_HEAD vectorcallfunc call;
  PyObject* function;
  PyObject* offset;
  PyObject* layout;
  PyObject* dict;
  PyObject* weak_references;
};

PyComposed& composed(PyObject* object) { return *reinterpret_cast<PyComposed*>(object); }

/// A part of a composed layout; code of Python may assign another one while this is used.
template <PyObject* PyComposed::* kPart>
nb::object composed_part(PyObject* self) {
  PyObject* const part = composed(self).*kPart;
  if (part == nullptr) {
    throw_error(PyExc_AttributeError, "the composed layout has no parts yet");
  }
  return nb::borrow(part);
}
constexpr auto kFunctionOf = composed_part<&PyComposed::function>;
constexpr auto kOffsetOf = composed_part<&PyComposed::offset>;
constexpr auto kLayoutOf = composed_part<&PyComposed::layout>;

/// A layout may be composed with itself, without end.
class RecursiveCall {
 public:
  RecursiveCall() {
    if (Py_EnterRecursiveCall(" in a composed layout") != 0) throw nb::python_error();
  }
  RecursiveCall(const RecursiveCall&) = delete;
  RecursiveCall& operator=(const RecursiveCall&) = delete;
  ~RecursiveCall() { Py_LeaveRecursiveCall(); }
};

/// Finds the address if the parts are a swizzle, a number and a layout and the coordinate is plain.
bool find_address(PyObject* function, PyObject* offset, PyObject* layout, PyObject* const* given,
                  std::size_t count, std::int64_t& address) {
  std::int64_t begin = 0;
  std::int64_t index = 0;
  std::int64_t sum = 0;
  const bool is_plain = Py_TYPE(function) == types().swizzle && read_number(offset, begin) &&
                        Py_TYPE(layout) == types().layout &&
                        plain::find_index(layout_in(own(layout)), given, count, index) &&
                        !__builtin_add_overflow(begin, index, &sum);
  if (is_plain) address = swizzle_in(function)(sum);
  return is_plain;
}

PyObject* call_composed(PyObject* self, PyObject* const* given, std::size_t count,
                        PyObject* names) {
  return guarded([&]() -> nb::object {
    if (names != nullptr) throw_error(PyExc_TypeError, "a coordinate has no names");
    const auto size = static_cast<std::size_t>(PyVectorcall_NARGS(count));
    const nb::object function = kFunctionOf(self);
    const nb::object offset = kOffsetOf(self);
    const nb::object layout = kLayoutOf(self);
    std::int64_t address = 0;
    if (find_address(function.ptr(), offset.ptr(), layout.ptr(), given, size, address)) {
      return make_number(address);
    }
    const RecursiveCall call;
    const nb::object index = checked(PyObject_Vectorcall(layout.ptr(), given, size, nullptr));
    const nb::object sum = checked(PyNumber_Add(offset.ptr(), index.ptr()));
    return checked(PyObject_CallOneArg(function.ptr(), sum.ptr()));
  });
}

PyObject* new_composed(PyTypeObject* type, PyObject*, PyObject*) {
  PyObject* self = type->tp_alloc(type, 0);
  if (self != nullptr) composed(self).call = call_composed;
  return self;
}

int init_composed(PyObject* self, PyObject* args, PyObject* kwargs) {
  static const char* const kNames[] = {"layoutB", "offset", "layoutA", nullptr};
  PyObject* function = nullptr;
  PyObject* offset = nullptr;
  PyObject* layout = nullptr;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "OOO:ComposedLayout", const_cast<char**>(kNames),
                                   &function, &offset, &layout)) {
    return -1;
  }
  Py_XSETREF(composed(self).function, Py_NewRef(function));
  Py_XSETREF(composed(self).offset, Py_NewRef(offset));
  Py_XSETREF(composed(self).layout, Py_NewRef(layout));
  return 0;
}

int visit_composed(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(self));
  Py_VISIT(composed(self).function);
  Py_VISIT(composed(self).offset);
  Py_VISIT(composed(self).layout);
  Py_VISIT(composed(self).dict);
  return 0;
}

int clear_composed(PyObject* self) {
  Py_CLEAR(composed(self).function);
  Py_CLEAR(composed(self).offset);
  Py_CLEAR(composed(self).layout);
  Py_CLEAR(composed(self).dict);
  return 0;
}

void free_composed(PyObject* self) {
  PyTypeObject* type = Py_TYPE(self);
  PyObject_GC_UnTrack(self);
  Py_TRASHCAN_BEGIN(self, free_composed) if (composed(self).weak_references != nullptr)
      PyObject_ClearWeakRefs(self);
  clear_composed(self);
  type->tp_free(self);
  Py_DECREF(type);
  Py_TRASHCAN_END
}

nb::object parts_of_composed(PyObject* self) {
  return nb::make_tuple(kFunctionOf(self), kOffsetOf(self), kLayoutOf(self));
}

PyObject* compare_composed(PyObject* self, PyObject* other, int operation) {
  if (operation != Py_EQ && operation != Py_NE) Py_RETURN_NOTIMPLEMENTED;
  return guarded([&] {
    const nb::handle others(other);
    const nb::object parts =
        nb::make_tuple(others.attr("layoutB"), others.attr("offset"), others.attr("layoutA"));
    return checked(PyObject_RichCompare(parts_of_composed(self).ptr(), parts.ptr(), operation));
  });
}

Py_ssize_t length_of_composed(PyObject* self) {
  Py_ssize_t length = -1;
  const nb::object done = nb::steal(guarded([&]() -> nb::object {
    const RecursiveCall call;
    length = PyObject_Size(kLayoutOf(self).ptr());
    if (length < 0) throw nb::python_error();
    return nb::none();
  }));
  return done.is_valid() ? length : -1;
}

PyObject* subscript_composed(PyObject* self, PyObject* mode) {
  return guarded([&] {
    const RecursiveCall call;
    const nb::object part = checked(PyObject_GetItem(kLayoutOf(self).ptr(), mode));
    return checked(PyObject_CallFunctionObjArgs(reinterpret_cast<PyObject*>(types().composed),
                                                kFunctionOf(self).ptr(), kOffsetOf(self).ptr(),
                                                part.ptr(), nullptr));
  });
}

PyObject* item_of_composed(PyObject* self, Py_ssize_t mode) {
  const nb::object number = nb::steal(PyLong_FromSsize_t(mode));
  return number.is_valid() ? subscript_composed(self, number.ptr()) : nullptr;
}

template <Text kFormat>
PyObject* text_of_composed(PyObject* self) {
  return guarded([&] {
    return checked(PyUnicode_FromFormat(kFormat.characters, kFunctionOf(self).ptr(),
                                        kOffsetOf(self).ptr(), kLayoutOf(self).ptr()));
  });
}

nb::object size_of(PyObject* layout);
constexpr auto kComposedSize = [](PyObject* self, PyObject* const*) {
  return size_of(kLayoutOf(self).ptr());
};
constexpr auto kComposedCosize = [](PyObject* self, PyObject* const*) -> nb::object {
  return nb::module_::import_("heddle.cute").attr("cosize")(nb::handle(self));
};
/// As an object of a class of Python with these attributes is pickled and copied.
constexpr auto kReduceComposed = [](PyObject* self, PyObject* const*) -> nb::object {
  nb::dict parts;
  if (composed(self).function != nullptr) parts["layoutB"] = kFunctionOf(self);
  if (composed(self).offset != nullptr) parts["offset"] = kOffsetOf(self);
  if (composed(self).layout != nullptr) parts["layoutA"] = kLayoutOf(self);
  const nb::object more =
      composed(self).dict == nullptr ? nb::none() : nb::borrow(composed(self).dict);
  return nb::make_tuple(nb::module_::import_("copyreg").attr("__newobj__"),
                        nb::make_tuple(nb::handle(reinterpret_cast<PyObject*>(Py_TYPE(self)))),
                        nb::make_tuple(more, parts));
};

PyTypeObject* add_composed_type(nb::module_& m, PyTypeObject* base) {
  static PyMethodDef methods[] = {
      method<"size", "", kComposedSize>("The number of elements of the layout."),
      method<"cosize", "", kComposedCosize>("One more than the greatest index."),
      method<"__reduce__", "", kReduceComposed>("For pickle and copy."),
      {},
  };
  static PyGetSetDef attributes[] = {
      {"__dict__", PyObject_GenericGetDict, PyObject_GenericSetDict, nullptr, nullptr},
      {},
  };
  static PyMemberDef members[] = {
      {"layoutB", T_OBJECT_EX, offsetof(PyComposed, function), 0, "The function."},
      {"offset", T_OBJECT_EX, offsetof(PyComposed, offset), 0, "The offset."},
      {"layoutA", T_OBJECT_EX, offsetof(PyComposed, layout), 0, "The layout."},
      {"__vectorcalloffset__", T_PYSSIZET, offsetof(PyComposed, call), READONLY, nullptr},
      {"__dictoffset__", T_PYSSIZET, offsetof(PyComposed, dict), READONLY, nullptr},
      {"__weaklistoffset__", T_PYSSIZET, offsetof(PyComposed, weak_references), READONLY, nullptr},
      {},
  };
  static const char kDocumentation[] =
      "ComposedLayout(layoutB, offset, layoutA)\n--\n\n"
      "A function after an offset after a layout: c -> layoutB(offset + layoutA(c)).";
  static PyType_Slot slots[] = {
      {Py_tp_doc, const_cast<char*>(kDocumentation)},
      {Py_tp_new, reinterpret_cast<void*>(new_composed)},
      {Py_tp_init, reinterpret_cast<void*>(init_composed)},
      {Py_tp_dealloc, reinterpret_cast<void*>(free_composed)},
      {Py_tp_traverse, reinterpret_cast<void*>(visit_composed)},
      {Py_tp_clear, reinterpret_cast<void*>(clear_composed)},
      {Py_tp_call, reinterpret_cast<void*>(PyVectorcall_Call)},
      {Py_tp_richcompare, reinterpret_cast<void*>(compare_composed)},
      {Py_tp_hash, reinterpret_cast<void*>(PyObject_HashNotImplemented)},
      {Py_tp_str, reinterpret_cast<void*>(text_of_composed<"%S o %S o %S">)},
      {Py_tp_repr, reinterpret_cast<void*>(text_of_composed<"ComposedLayout(%R,%R,%R)">)},
      {Py_mp_length, reinterpret_cast<void*>(length_of_composed)},
      {Py_mp_subscript, reinterpret_cast<void*>(subscript_composed)},
      {Py_sq_length, reinterpret_cast<void*>(length_of_composed)},
      {Py_sq_item, reinterpret_cast<void*>(item_of_composed)},
      {Py_tp_methods, methods},
      {Py_tp_getset, attributes},
      {Py_tp_members, members},
      {},
  };
  static PyType_Spec specification = {
      "heddle.pycute.ComposedLayout", sizeof(PyComposed), 0,
      Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_HAVE_VECTORCALL,
      slots};
  return add_type(m, specification, base);
}

// ---- Functions on tuples ----

nb::object truth(bool value) { return nb::borrow(value ? Py_True : Py_False); }

void append_leaves(PyObject* object, PyObject* list, Parts& parts, std::size_t depth = 0) {
  if (!PyTuple_Check(object)) {
    if (PyList_Append(list, object) != 0) throw nb::python_error();
    return;
  }
  parts.visit(object, depth);
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(object); ++i) {
    append_leaves(PyTuple_GET_ITEM(object, i), list, parts, depth + 1);
  }
}

constexpr auto kIsInt = [](PyObject*, PyObject* const* a) { return truth(is_int(a[0])); };
constexpr auto kIsTuple = [](PyObject*, PyObject* const* a) { return truth(PyTuple_Check(a[0])); };
constexpr auto kIsLayout = [](PyObject*, PyObject* const* a) { return truth(is_layout(a[0])); };
constexpr auto kHasNone = [](PyObject*, PyObject* const* a) { return truth(has_none(a[0])); };
constexpr auto kFlatten = [](PyObject*, PyObject* const* a) -> nb::object {
  if (!PyTuple_Check(a[0])) return nb::make_tuple(nb::handle(a[0]));
  nb::object plain = plain::flatten(a[0]);
  if (plain.is_valid()) return plain;
  const nb::object list = checked(PyList_New(0));
  Parts parts;
  append_leaves(a[0], list.ptr(), parts);
  return checked(PyList_AsTuple(list.ptr()));
};
constexpr auto kSignum = [](PyObject*, PyObject* const* a) {
  return to_object(sign(number_of(a[0])));
};
constexpr auto kProduct = [](PyObject*, PyObject* const* a) {
  nb::object plain = plain::product(a[0]);
  if (plain.is_valid()) return plain;
  return to_object(cute::product(int_tuple_of(a[0])));
};
constexpr auto kInnerProduct = [](PyObject*, PyObject* const* a) {
  nb::object plain = plain::inner_product(a[0], a[1]);
  if (plain.is_valid()) return plain;
  return to_object(or_refused(cute::inner_product(int_tuple_of(a[0]), int_tuple_of(a[1]))));
};
constexpr auto kTupleMax = [](PyObject*, PyObject* const* a) {
  return to_object(cute::max(int_tuple_of(a[0])));
};
constexpr auto kElemScale = [](PyObject*, PyObject* const* a) {
  nb::object plain = plain::elem_scale(a[0], a[1]);
  if (plain.is_valid()) return plain;
  return to_object(or_refused(cute::elem_scale(int_tuple_of(a[0]), int_tuple_of(a[1]))));
};
constexpr auto kShapeDiv = [](PyObject*, PyObject* const* a) {
  nb::object plain = plain::shape_div(a[0], a[1]);
  if (plain.is_valid()) return plain;
  return to_object(or_refused(cute::shape_div(int_tuple_of(a[0]), int_tuple_of(a[1]))));
};
constexpr auto kPrefixProduct = [](PyObject*, PyObject* const* a) {
  nb::object plain = a[1] == nullptr ? plain::prefix_product(a[0]) : nb::object();
  if (plain.is_valid()) return plain;
  const IntTuple tuple = int_tuple_of(a[0]);
  const IntTuple start = a[1] == nullptr ? IntTuple(1) : int_tuple_of(a[1]);
  return to_object(IntTuple(tuple.profile(), running_products(tuple, start)));
};
constexpr auto kIdx2crd = [](PyObject*, PyObject* const* a) {
  const bool is_compact = a[2] == nullptr || a[2] == Py_None;
  nb::object plain = is_compact ? plain::idx2crd(a[0], a[1]) : nb::object();
  if (plain.is_valid()) return plain;
  const IntTuple shape = int_tuple_of(a[1]);
  const IntTuple stride = is_compact
                              ? IntTuple(shape.profile(), running_products(shape, IntTuple(1)))
                              : int_tuple_of(a[2]);
  return to_object(or_refused(cute::idx2crd(int_tuple_of(a[0]), shape, stride)));
};
constexpr auto kCrd2idx = [](PyObject*, PyObject* const* a) {
  nb::object plain = plain::crd2idx(a[0], a[1], a[2] == Py_None ? nullptr : a[2]);
  if (plain.is_valid()) return plain;
  return index_at(layout_of(a[1], a[2]), from_its_beginning(coordinate_of_tuple(a[0])));
};

/// The coordinate in the other shape with the same flat coordinate; mode by mode between tuples.
IntTuple crd2crd(IntTupleView coordinate, IntTupleView target, const IntTuple* source) {
  if (coordinate.is_leaf() && target.is_leaf()) {
    if (!known_less(coordinate.leaf(), target.leaf())) {
      raise_refused(Diagnostic("coordinate.range", to_string(coordinate.leaf()) + " is not below " +
                                                       to_string(target.leaf())));
    }
    return IntTuple(coordinate);
  }
  if (coordinate.is_leaf()) {
    const IntTuple shape(target);
    return or_refused(cute::idx2crd(
        coordinate, shape, IntTuple(shape.profile(), running_products(shape, IntTuple(1)))));
  }
  if (target.is_leaf()) {
    if (source == nullptr) {
      raise_refused(Diagnostic("tuple.incongruent", "the shape of the coordinate is needed")
                        .with_hint("give src_shape"));
    }
    return or_refused(cute::crd2idx(coordinate, *source));
  }
  if (coordinate.rank() != target.rank()) {
    raise_refused(Diagnostic("tuple.incongruent",
                             "the coordinate has " + std::to_string(coordinate.rank()) +
                                 " modes and the shape " + std::to_string(target.rank())));
  }
  std::vector<IntTuple> modes;
  auto mode = target.modes().begin();
  for (const IntTupleView part : coordinate.modes()) {
    modes.push_back(crd2crd(part, *mode, nullptr));
    ++mode;
  }
  return IntTuple::of(modes);
}
constexpr auto kCrd2crd = [](PyObject*, PyObject* const* a) {
  nb::object plain = PyTuple_Check(a[1]) ? plain::idx2crd(a[0], a[1]) : nb::object();
  if (plain.is_valid()) return plain;
  std::optional<IntTuple> source;
  if (a[2] != nullptr && a[2] != Py_None) source = int_tuple_of(a[2]);
  return to_object(crd2crd(int_tuple_of(a[0]), int_tuple_of(a[1]), source ? &*source : nullptr));
};
constexpr auto kSlice = [](PyObject*, PyObject* const* a) { return sliced(a[0], a[1]); };

constexpr auto kShiftRight = [](PyObject*, PyObject* const* a) {
  const Int places = number_of(a[1]);
  return to_object(known_less(places, 0) ? shift_left(number_of(a[0]), -places)
                                         : shift_right(number_of(a[0]), places));
};
constexpr auto kShiftLeft = [](PyObject*, PyObject* const* a) {
  const Int places = number_of(a[1]);
  return to_object(known_less(places, 0) ? shift_right(number_of(a[0]), -places)
                                         : shift_left(number_of(a[0]), places));
};

// ---- Functions on layouts ----

nb::object layout_of_modes(PyObject* const* modes, Py_ssize_t count) {
  if (count == 0) throw_error(PyExc_ValueError, "make_layout() needs a layout");
  const nb::object shape = checked(PyTuple_New(count));
  const nb::object stride = checked(PyTuple_New(count));
  for (Py_ssize_t i = 0; i < count; ++i) {
    PyTuple_SET_ITEM(shape.ptr(), i, part_of(modes[i], shape_of, "shape").release().ptr());
    PyTuple_SET_ITEM(stride.ptr(), i, part_of(modes[i], stride_of, "stride").release().ptr());
  }
  return layout_of_parts(shape.ptr(), stride.ptr());
}

constexpr auto kMakeLayout = [](PyObject*, PyObject* const* given, std::size_t count) {
  if (count != 1 || is_layout(given[0])) {
    return layout_of_modes(given, static_cast<Py_ssize_t>(count));
  }
  const nb::object modes = checked(PySequence_Tuple(given[0]));
  return layout_of_modes(&PyTuple_GET_ITEM(modes.ptr(), 0), PyTuple_GET_SIZE(modes.ptr()));
};

nb::object size_of(PyObject* layout) {
  if (Py_TYPE(layout) == types().layout) return kSize(layout, nullptr);
  if (is_layout(layout)) return nb::handle(layout).attr("size")();
  return kProduct(nullptr, &layout);
}
constexpr auto kSizeOf = [](PyObject*, PyObject* const* a) { return size_of(a[0]); };
constexpr auto kCosizeOf = [](PyObject*, PyObject* const* a) -> nb::object {
  if (Py_TYPE(a[0]) == types().layout) return kCosize(a[0], nullptr);
  return nb::handle(a[0]).attr("cosize")();
};

/// The nesting of a profile, whatever its leaves are.
Profile profile_of(PyObject* object) {
  return read_tuple<Int>(object, [](PyObject*) { return Int(0); }).profile();
}

using Whole = Result<cute::Layout> (*)(const cute::Layout&);
using ByMode = Result<cute::Layout> (*)(const cute::Layout&, ProfileView);
template <Whole kWhole, ByMode kByMode>
constexpr auto kSimplified = [](PyObject*, PyObject* const* a) -> nb::object {
  const LayoutArgument layout(a[0]);
  const bool is_by_mode = a[1] != nullptr && PyTuple_Check(a[1]);
  return object_or_refused(is_by_mode ? kByMode(*layout, profile_of(a[1])) : kWhole(*layout));
};
Result<cute::Layout> coalesced(const cute::Layout& layout) { return cute::coalesce(layout); }

constexpr auto kComplement = [](PyObject*, PyObject* const* a) {
  const IntTuple most = a[1] == nullptr ? IntTuple(1) : IntTuple(number_of(a[1]));
  if (is_int(a[0])) return object_or_refused(cute::complement(line(number_of(a[0])), most));
  return object_or_refused(cute::complement(*LayoutArgument(a[0]), most));
};

using Inverted = Result<cute::Layout> (*)(const cute::Layout&);
template <Inverted kInvert>
constexpr auto kInverse = [](PyObject*, PyObject* const* a) -> nb::object {
  if (a[0] == Py_None) return nb::none();
  if (is_int(a[0])) return to_object(line(number_of(a[0])));
  return object_or_refused(kInvert(*LayoutArgument(a[0])));
};
/// In pycute the gaps of the image are the layout's complement, which counts on. Where the two do
/// not fill a run of indices, or elements are repeated, the inverse is that of CuTe 4.7.
Result<cute::Layout> left_inverse(const cute::Layout& layout) {
  if (const Result<cute::Layout> gaps = cute::complement(layout, IntTuple(1))) {
    if (gaps->size() == Int(1)) {
      Result<cute::Layout> inverse = cute::right_inverse(layout);
      if (inverse && known_equal(inverse->size(), layout.size())) return inverse;
      return cute::left_inverse(layout);
    }
    const cute::Layout filled = joined({layout, *gaps});
    Result<cute::Layout> inverse = cute::right_inverse(filled);
    if (inverse && known_equal(inverse->size(), filled.size())) return inverse;
  }
  return cute::left_inverse(layout);
}

/// ((tile, …), (rest, …)), where `splitter` makes (tile, rest) of every mode.
nb::object unzipped(PyObject* splitter, PyObject* layout, PyObject* tiler, std::size_t depth = 0) {
  if (tiler == Py_None) {
    return to_object(joined({cute::Layout(), *LayoutArgument(layout)}));
  }
  if (!PyTuple_Check(tiler)) {
    return checked(PyObject_CallFunctionObjArgs(splitter, layout, tiler, nullptr));
  }
  check_nesting(depth);
  const std::vector<cute::Layout> modes = LayoutArgument(layout)->modes();
  const auto size = static_cast<std::size_t>(PyTuple_GET_SIZE(tiler));
  if (size > modes.size())
    raise_refused(Diagnostic("tiler.rank", "the tiler has more modes than the layout"));
  std::vector<cute::Layout> tiles;
  std::vector<cute::Layout> rests;
  for (std::size_t i = 0; i < modes.size(); ++i) {
    if (i >= size) {
      rests.push_back(modes[i]);
      continue;
    }
    const nb::object mode = to_object(cute::Layout(modes[i]));
    const nb::object split = unzipped(
        splitter, mode.ptr(), PyTuple_GET_ITEM(tiler, static_cast<Py_ssize_t>(i)), depth + 1);
    const LayoutArgument pair(split.ptr());
    if (pair->rank() != 2) throw_error(PyExc_AssertionError, "the splitter makes no pair");
    tiles.push_back(pair->mode(0));
    rests.push_back(pair->mode(1));
  }
  return to_object(joined({joined(tiles), joined(rests)}));
}
constexpr auto kHierUnzip = [](PyObject*, PyObject* const* a) {
  return unzipped(a[0], a[1], a[2]);
};

constexpr auto kSliceAndOffset = [](PyObject*, PyObject* const* a) -> nb::object {
  if (is_own(a[1])) {
    PyLayout& layout = own(a[1]);
    layout_in(layout);
    const nb::object slice = plain_slice(layout, a, 1);
    const nb::object begin = plain::crd2idx(a[0], shape_of(layout).ptr(), stride_of(layout).ptr());
    if (slice.is_valid() && begin.is_valid()) {
      return checked(PyTuple_Pack(2, slice.ptr(), begin.ptr()));
    }
  }
  const LayoutArgument layout(a[1]);
  const cute::Coordinate coordinate = coordinate_of_tuple(a[0]);
  const nb::object slice = sliced_layout(coordinate, *layout);
  const nb::object begin = index_at(*layout, from_its_beginning(coordinate));
  return checked(PyTuple_Pack(2, slice.ptr(), begin.ptr()));
};

void add_all_functions(nb::module_& m) {
  static PyMethodDef functions[] = {
      function<"is_int", "x", kIsInt>("Whether this is an integer, and no truth value."),
      function<"is_tuple", "x", kIsTuple>("Whether this is a tuple."),
      function<"flatten", "t", kFlatten>("The leaves as a flat tuple."),
      function<"signum", "a", kSignum>("-1, 0 or 1."),
      function<"product", "a", kProduct>("The product of the leaves."),
      function<"inner_product", "a, b", kInnerProduct>("The sum of the products of the leaves."),
      function<"tuple_max", "a", kTupleMax>("The greatest leaf."),
      function<"elem_scale", "a, b", kElemScale>("Each leaf times the product of the mode of b."),
      function<"shape_div", "a, b", kShapeDiv>("The quotient of two shapes."),
      function<"prefix_product", "a, init=1", kPrefixProduct>(
          "The running products of the leaves."),
      function<"idx2crd", "idx, shape, stride=None", kIdx2crd>("The coordinate of an index."),
      function<"crd2idx", "crd, shape, stride=None", kCrd2idx>("The index of a coordinate."),
      function<"crd2crd", "crd, dst_shape, src_shape=None", kCrd2crd>(
          "The coordinate in another shape."),
      function<"slice_", "crd, trg", kSlice>("The modes at which the coordinate is None."),
      function<"has_none", "a", kHasNone>("Whether a leaf is None."),
      function<"shiftr", "a, s", kShiftRight>("a shifted right, or left by -s."),
      function<"shiftl", "a, s", kShiftLeft>("a shifted left, or right by -s."),
      function<"is_layout", "x", kIsLayout>("Whether this is a layout of the module."),
      variadic<"make_layout", "*layouts", kMakeLayout>("The layout with these modes."),
      function<"size", "layout", kSizeOf>("The number of elements of a layout or a shape."),
      function<"cosize", "layout", kCosizeOf>("One more than the greatest index."),
      function<"coalesce", "layout, profile=None", kSimplified<coalesced, cute::coalesce>>(
          "The shortest layout with the same map."),
      function<"filter", "layout, profile=None", kSimplified<cute::filter, cute::filter>>(
          "The layout without modes of stride 0 and extent 1."),
      function<"composition", "layoutA, layoutB", kTiledOrSame<composed, cute::composition>>(
          "The layout A after B."),
      function<"complement", "layout, max_idx=1", kComplement>("Where copies of the layout fit."),
      function<"right_inverse", "layout", kInverse<cute::right_inverse>>("R with L(R(i)) = i."),
      function<"left_inverse", "layout", kInverse<left_inverse>>("R with R(L(c)) = c."),
      function<"logical_divide", "layoutA, layoutB",
               kTiledOrSame<cute::logical_divide, cute::logical_divide>>("(tile, rest)."),
      function<"logical_product", "layoutA, layoutB",
               kTiledOrSame<cute::logical_product, cute::logical_product>>("(block, copies)."),
      function<"hier_unzip", "splitter, layoutA, layoutB", kHierUnzip>(
          "((tiles…), (rests…)) of what the splitter makes of each mode."),
      function<"zipped_divide", "layoutA, layoutB", kTiled<cute::zipped_divide>>(
          "((tiles…), (rests…))."),
      function<"tiled_divide", "layoutA, layoutB", kTiled<cute::tiled_divide>>(
          "((tiles…), rest, …)."),
      function<"zipped_product", "layoutA, layoutB", kTiled<cute::zipped_product>>(
          "((blocks…), (copies…))."),
      function<"tiled_product", "layoutA, layoutB", kTiled<cute::tiled_product>>(
          "((blocks…), copies, …)."),
      function<"slice_and_offset", "crd, layout", kSliceAndOffset>(
          "The slice, and the index at which it begins."),
      {},
  };
  add_functions(m, functions, "heddle.pycute");
}

}  // namespace

void bind_pycute(nb::module_& m) {
  nb::module_ module = m.def_submodule("pycute");
  static PyType_Slot no_slots[] = {{}};
  static PyType_Spec base = {"heddle.pycute.LayoutBase", 0, 0,
                             Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, no_slots};
  types().base = add_type(module, base);
  types().layout = add_layout_type(module, types().base);
  types().swizzle = add_swizzle_type(module);
  types().composed = add_composed_type(module, types().base);
  add_all_functions(module);
}

}  // namespace heddle::python
