#include "pycute_plain.h"

#include <array>
#include <span>

#include "fastcall.h"
#include "heddle/core/exact.h"

namespace heddle::python::plain {
namespace {

using exact::Value;
using Modes = std::span<PyObject* const>;

/// The parts of all tuples of a call; more are not plain. It bounds how deep a walk goes, too.
constexpr std::size_t kMostParts = 64;

// An optional number that a call returns is written in parts and read as a whole, which the
// processor waits for: these are inlined, and longer functions return whether they have a number.

[[gnu::always_inline]] inline Value number(PyObject* object) {
  std::int64_t value = 0;
  return read_number(object, value) ? Value(value) : std::nullopt;
}

nb::object object_of(Value value) { return value ? make_number(*value) : nb::object(); }

/// Walks through tuples of Python, and counts their parts.
class Walk {
 public:
  std::optional<Modes> modes(PyObject* object) {
    if (!PyTuple_CheckExact(object)) return std::nullopt;
    const auto size = static_cast<std::size_t>(PyTuple_GET_SIZE(object));
    count_ += size + 1;
    if (count_ > kMostParts) return std::nullopt;
    return Modes(&PyTuple_GET_ITEM(object, 0), size);
  }

 private:
  std::size_t count_ = 0;
};

/// The tuple of these parts; not valid if one of them is not.
template <class Part>
nb::object tuple_of(std::size_t size, Part part) {
  nb::object tuple = checked(PyTuple_New(static_cast<Py_ssize_t>(size)));
  for (std::size_t i = 0; i < size; ++i) {
    nb::object made = part(i);
    if (!made.is_valid()) return made;
    PyTuple_SET_ITEM(tuple.ptr(), static_cast<Py_ssize_t>(i), made.release().ptr());
  }
  return tuple;
}

Value times(Value a, Value b) { return a && b ? exact::multiply(*a, *b) : std::nullopt; }

bool multiply_leaves(PyObject* object, Walk& walk, std::int64_t& product) {
  if (const Value value = number(object)) {
    return !__builtin_mul_overflow(product, *value, &product);
  }
  const auto modes = walk.modes(object);
  if (!modes) return false;
  for (PyObject* const mode : *modes) {
    if (!multiply_leaves(mode, walk, product)) return false;
  }
  return true;
}

[[gnu::always_inline]] inline Value product_of(PyObject* object, Walk& walk) {
  std::int64_t product = 1;
  return multiply_leaves(object, walk, product) ? Value(product) : std::nullopt;
}

bool add_products(PyObject* a, PyObject* b, Walk& walk, std::int64_t& sum) {
  if (const Value value = number(a)) {
    const Value product = times(value, number(b));
    return product && !__builtin_add_overflow(sum, *product, &sum);
  }
  const auto left = walk.modes(a);
  const auto right = walk.modes(b);
  if (!left || !right || left->size() != right->size()) return false;
  for (std::size_t i = 0; i < left->size(); ++i) {
    if (!add_products((*left)[i], (*right)[i], walk, sum)) return false;
  }
  return true;
}

nb::object scaled(PyObject* a, PyObject* b, Walk& walk) {
  if (const Value value = number(a)) return object_of(times(value, product_of(b, walk)));
  const auto left = walk.modes(a);
  const auto right = walk.modes(b);
  if (!left || !right || left->size() != right->size()) return {};
  return tuple_of(left->size(),
                  [&](std::size_t i) { return scaled((*left)[i], (*right)[i], walk); });
}

/// a/b rounded up, if one of the two divides the other.
[[gnu::always_inline]] inline Value even_quotient(std::int64_t a, std::int64_t b) {
  if (a < 1 || b < 1) return std::nullopt;
  if (a % b == 0) return a / b;
  return b % a == 0 ? Value(1) : std::nullopt;
}

/// Each mode is divided by what the modes before it leave of the divisor.
nb::object divided_by(PyObject* a, std::int64_t divisor, Walk& walk) {
  if (const Value value = number(a)) return object_of(even_quotient(*value, divisor));
  const auto modes = walk.modes(a);
  if (!modes) return {};
  return tuple_of(modes->size(), [&](std::size_t i) {
    nb::object quotient = divided_by((*modes)[i], divisor, walk);
    const Value size = quotient.is_valid() ? product_of((*modes)[i], walk) : std::nullopt;
    const Value rest = size ? even_quotient(divisor, *size) : std::nullopt;
    divisor = rest.value_or(1);
    return rest ? quotient : nb::object();
  });
}

nb::object divided(PyObject* a, PyObject* b, Walk& walk) {
  const bool is_by_number = PyLong_CheckExact(a) || PyLong_CheckExact(b);
  if (is_by_number) {
    const Value divisor = product_of(b, walk);
    return divisor ? divided_by(a, *divisor, walk) : nb::object();
  }
  const auto left = walk.modes(a);
  const auto right = walk.modes(b);
  if (!left || !right || left->size() != right->size()) return {};
  return tuple_of(left->size(),
                  [&](std::size_t i) { return divided((*left)[i], (*right)[i], walk); });
}

/// `leaf(value, before)` for each leaf, where `before` is the product of the leaves before it.
template <class Leaf>
nb::object with_products(PyObject* object, Value& before, Walk& walk, Leaf leaf) {
  if (const Value value = number(object)) {
    if (!before) return {};
    nb::object made = leaf(*value, *before);
    before = times(before, value);
    return made;
  }
  const auto modes = walk.modes(object);
  if (!modes) return {};
  return tuple_of(modes->size(),
                  [&](std::size_t i) { return with_products((*modes)[i], before, walk, leaf); });
}

/// Leaves or parts that are gathered for a flat tuple.
class Gathered {
 public:
  void append(PyObject* part) { parts_[size_++] = part; }
  [[nodiscard]] nb::object tuple() const {
    return tuple_of(size_, [&](std::size_t i) { return nb::borrow(parts_[i]); });
  }

 private:
  std::array<PyObject*, kMostParts> parts_;  // each is one of those that a Walk counts
  std::size_t size_ = 0;
};

bool gather_leaves(PyObject* object, Walk& walk, Gathered& leaves) {
  if (!PyTuple_Check(object)) {
    leaves.append(object);
    return true;
  }
  const auto modes = walk.modes(object);
  if (!modes) return false;
  for (PyObject* const mode : *modes) {
    if (!gather_leaves(mode, walk, leaves)) return false;
  }
  return true;
}

bool gather_slices(PyObject* coordinate, PyObject* part, Walk& walk, Gathered& slices);

bool gather_slices(Modes coordinates, PyObject* tuple, Walk& walk, Gathered& slices) {
  const auto modes = walk.modes(tuple);
  if (!modes || modes->size() != coordinates.size()) return false;
  for (std::size_t i = 0; i < modes->size(); ++i) {
    if (!gather_slices(coordinates[i], (*modes)[i], walk, slices)) return false;
  }
  return true;
}

bool gather_slices(PyObject* coordinate, PyObject* part, Walk& walk, Gathered& slices) {
  if (coordinate == Py_None) slices.append(part);
  if (coordinate == Py_None || number(coordinate)) return product_of(part, walk).has_value();
  const auto coordinates = walk.modes(coordinate);
  return coordinates && gather_slices(*coordinates, part, walk, slices);
}

/// The index of a coordinate in a shape and a stride.
class IndexOf {
 public:
  /// A stride that is nullptr is compact. False where something is not plain.
  bool add(PyObject* coordinate, PyObject* shape, PyObject* stride) {
    const Value flat = coordinate == Py_None ? Value(0) : number(coordinate);
    if (flat) {
      rest_ = *flat;
      return rest_ >= 0 && add_flat(shape, stride, true);
    }
    const auto coordinates = walk_.modes(coordinate);
    const auto extents = walk_.modes(shape);
    if (!coordinates || !extents || coordinates->size() != extents->size()) return false;
    return each_mode(*extents, stride, [&](std::size_t i, PyObject* mode_stride) {
      return add((*coordinates)[i], (*extents)[i], mode_stride);
    });
  }
  [[nodiscard]] std::int64_t index() const { return index_; }

 private:
  template <class Add>
  bool each_mode(Modes extents, PyObject* stride, Add add_mode) {
    const auto strides = stride == nullptr ? std::optional(extents) : walk_.modes(stride);
    if (!strides || strides->size() != extents.size() || extents.empty()) return false;
    for (std::size_t i = 0; i < extents.size(); ++i) {
      if (!add_mode(i, stride == nullptr ? nullptr : (*strides)[i])) return false;
    }
    return true;
  }

  /// Takes the digits of the rest; the last leaf takes all of it.
  bool add_flat(PyObject* shape, PyObject* stride, bool is_last) {
    const Value extent = number(shape);
    if (extent) return add_digit(*extent, stride, is_last);
    const auto extents = walk_.modes(shape);
    return extents && each_mode(*extents, stride, [&](std::size_t i, PyObject* mode_stride) {
             return add_flat((*extents)[i], mode_stride, is_last && i + 1 == extents->size());
           });
  }

  bool add_digit(std::int64_t extent, PyObject* stride, bool is_last) {
    const Value step = stride == nullptr ? Value(size_) : number(stride);
    if (!step || extent < 1) return false;
    const std::int64_t digit = is_last ? rest_ : rest_ % extent;
    rest_ /= extent;
    // The layout is refused if its greatest index does not fit, wherever the coordinate is.
    const Value last = exact::multiply(extent - 1, *step);
    const Value distance = last ? exact::absolute(*last) : last;
    return is_added(reach_, distance) && is_added(index_, exact::multiply(digit, *step)) &&
           !__builtin_mul_overflow(size_, extent, &size_);
  }

  static bool is_added(std::int64_t& sum, Value more) {
    return more && !__builtin_add_overflow(sum, *more, &sum);
  }

  Walk walk_;
  std::int64_t index_ = 0;
  std::int64_t rest_ = 0;
  std::int64_t reach_ = 0;
  std::int64_t size_ = 1;
};

/// The index of a coordinate in a layout of the library.
class IndexIn {
 public:
  explicit IndexIn(const cute::Layout& layout)
      : node_(layout.profile().view().nodes().data()),
        extent_(layout.extents().data()),
        stride_(layout.strides().data()) {}

  bool add(PyObject* coordinate) {
    if (const Value flat = number(coordinate)) return *flat >= 0 && add_flat(*flat);
    const auto modes = walk_.modes(coordinate);
    return modes && add_modes(*modes);
  }
  bool add_modes(Modes coordinates) {
    if (*node_ != coordinates.size() + 1) return false;
    ++node_;
    for (PyObject* const coordinate : coordinates) {
      if (!add(coordinate)) return false;
    }
    return true;
  }
  [[nodiscard]] std::int64_t index() const { return index_; }

 private:
  /// Passes the node and all that is within.
  std::size_t leaves_of_node() {
    std::size_t leaves = 0;
    for (std::size_t open = 1; open > 0; --open) {
      const auto node = *node_++;
      if (node == 0) ++leaves;
      if (node > 0) open += node - 1;
    }
    return leaves;
  }

  bool add_flat(std::int64_t rest) {
    const std::size_t leaves = leaves_of_node();
    for (std::size_t i = 0; i < leaves; ++i) {
      const Int& extent = *extent_++;
      const cute::Stride& stride = *stride_++;
      const bool is_plain =
          extent.is_constant() && stride.scale().is_constant() && stride.basis().empty();
      if (!is_plain || extent.value() < 1) return false;
      const std::int64_t digit = i + 1 == leaves ? rest : rest % extent.value();
      rest /= extent.value();
      const Value more = exact::multiply(digit, stride.scale().value());
      if (!more || __builtin_add_overflow(index_, *more, &index_)) return false;
    }
    return leaves > 0;
  }

  Walk walk_;
  const Profile::Node* node_;
  const Int* extent_;
  const cute::Stride* stride_;
  std::int64_t index_ = 0;
};

}  // namespace

nb::object product(PyObject* tuple) {
  Walk walk;
  return object_of(product_of(tuple, walk));
}

nb::object inner_product(PyObject* a, PyObject* b) {
  Walk walk;
  std::int64_t sum = 0;
  return add_products(a, b, walk, sum) ? object_of(sum) : nb::object();
}

nb::object elem_scale(PyObject* a, PyObject* b) {
  Walk walk;
  return scaled(a, b, walk);
}

nb::object shape_div(PyObject* a, PyObject* b) {
  Walk walk;
  return divided(a, b, walk);
}

nb::object prefix_product(PyObject* tuple) {
  Walk walk;
  Value before = 1;
  return with_products(tuple, before, walk,
                       [](std::int64_t, std::int64_t product) { return object_of(product); });
}

nb::object flatten(PyObject* tuple) {
  Walk walk;
  Gathered leaves;
  return gather_leaves(tuple, walk, leaves) ? leaves.tuple() : nb::object();
}

nb::object idx2crd(PyObject* index, PyObject* shape) {
  const Value value = number(index);
  if (!value || *value < 0) return {};
  Walk walk;
  Value before = 1;
  return with_products(shape, before, walk, [&](std::int64_t extent, std::int64_t stride) {
    return extent < 1 ? nb::object() : object_of(*value / stride % extent);
  });
}

nb::object crd2idx(PyObject* coordinate, PyObject* shape, PyObject* stride) {
  IndexOf index;
  return index.add(coordinate, shape, stride) ? object_of(index.index()) : nb::object();
}

nb::object slice(PyObject* const* coordinates, std::size_t count, PyObject* tuple) {
  Walk walk;
  Gathered slices;
  return gather_slices(Modes(coordinates, count), tuple, walk, slices) ? slices.tuple()
                                                                       : nb::object();
}

bool find_index(const cute::Layout& layout, PyObject* const* coordinates, std::size_t count,
                std::int64_t& index) {
  IndexIn sum(layout);
  const bool is_plain =
      count == 1 ? sum.add(coordinates[0]) : sum.add_modes(Modes(coordinates, count));
  index = sum.index();
  return is_plain;
}

}  // namespace heddle::python::plain
