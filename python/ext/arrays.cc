#include "arrays.h"

#include <nanobind/ndarray.h>

#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

#include "heddle/cute/tabulate.h"
#include "heddle/map/point_tables.h"
#include "heddle/notation/any_layout.h"
#include "refusal.h"

namespace heddle::python {
namespace {

using map::Coordinates;
using map::PointTables;
using Numbers = nb::ndarray<const std::int64_t, nb::numpy, nb::c_contig, nb::device::cpu>;
using Shape = std::vector<std::size_t>;

/// Memory of whole pages; in large ones, because the system takes longer for small ones than the
/// numbers take that are written there.
struct Block {
  explicit Block(std::size_t size);
  Block(const Block&) = delete;
  Block& operator=(const Block&) = delete;
  ~Block();

  std::size_t bytes = 0;
  void* memory = nullptr;
};

/// The memory of the last large array that was freed: the next one of its size need not wait for
/// fresh pages. Meanwhile the system may take the pages, as if they were free. Python's lock is
/// held where it is used.
struct Spare {
  std::size_t bytes = 0;
  void* memory = nullptr;
};
Spare& spare() {
  static Spare spare;
  return spare;
}

constexpr std::size_t kLargePage = std::size_t{2} << 20;
/// Larger blocks are given back to the system at once.
constexpr std::size_t kMaxSpare = std::size_t{1} << 28;

Block::Block(std::size_t size) {
  const bool is_large = size >= 2 * kLargePage;
  const std::size_t unit = is_large ? kLargePage : alignof(std::max_align_t);
  bytes = (std::max<std::size_t>(size, 1) + unit - 1) / unit * unit;
  if (spare().bytes == bytes) {
    memory = std::exchange(spare(), Spare()).memory;
    return;
  }
  memory = std::aligned_alloc(unit, bytes);
  if (memory == nullptr) throw std::bad_alloc();
#ifdef MADV_HUGEPAGE
  if (is_large) (void)madvise(memory, bytes, MADV_HUGEPAGE);
#endif
}

Block::~Block() {
#ifdef MADV_FREE
  const bool is_spare = bytes >= 2 * kLargePage && bytes <= kMaxSpare;
  if (is_spare && madvise(memory, bytes, MADV_FREE) == 0) {
    std::swap(memory, spare().memory);
    spare().bytes = bytes;
  }
#endif
  std::free(memory);
}

/// Memory for numbers, which are all written before they are read.
class Buffer {
 public:
  explicit Buffer(std::size_t size)
      : block_(std::make_unique<Block>(size * sizeof(std::int64_t))), size_(size) {}

  [[nodiscard]] std::span<std::int64_t> span() const { return {numbers(), size_}; }
  std::int64_t& operator[](std::size_t i) const { return numbers()[i]; }

  /// The array of these numbers, which owns them from now on.
  [[nodiscard]] nb::object array(const Shape& shape) && {
    std::int64_t* const first = numbers();
    const nb::capsule owner(block_.release(),
                            [](void* held) noexcept { delete static_cast<Block*>(held); });
    const nb::object array =
        nb::cast(nb::ndarray<nb::numpy, std::int64_t>(first, shape.size(), shape.data(), owner));
    // Of NumPy's two types of 64 bits, the usual one.
    return array.attr("view")(nb::module_::import_("numpy").attr("int64"));
  }

 private:
  [[nodiscard]] std::int64_t* numbers() const { return static_cast<std::int64_t*>(block_->memory); }

  std::unique_ptr<Block> block_;
  std::size_t size_;
};

bool is_array(nb::handle object) {
  return !nb::isinstance<Object>(object) && !is_python_integer(object) &&
         !PyUnicode_Check(object.ptr()) && !PyTuple_Check(object.ptr()) &&
         !PyList_Check(object.ptr()) &&
         (nb::hasattr(object, "__array__") || nb::hasattr(object, "__dlpack__"));
}

/// An array of 64-bit numbers, in one piece. Raises Refused for other than integers of the kinds
/// that NumPy names by these letters.
nb::object as_numbers(nb::handle object, std::string_view kinds) {
  const nb::module_ numpy = nb::module_::import_("numpy");
  // Beside arrays there may be numbers, which are no arrays themselves.
  const bool has_only_dlpack =
      nb::hasattr(object, "__dlpack__") && !nb::hasattr(object, "__array__");
  const nb::object array = numpy.attr(has_only_dlpack ? "from_dlpack" : "asarray")(object);
  const auto kind = nb::cast<std::string>(array.attr("dtype").attr("kind"));
  if (kinds.find(kind) == std::string_view::npos) {
    raise(Diagnostic("call.type", "an array of " +
                                      nb::cast<std::string>(array.attr("dtype").attr("name")) +
                                      " is given; an array of integers is needed"));
  }
  const bool is_wide = kind == "u" && nb::cast<int>(array.attr("dtype").attr("itemsize")) == 8;
  if (is_wide && nb::cast<std::int64_t>(array.attr("size")) > 0 &&
      nb::cast<std::uint64_t>(array.attr("max")()) > std::uint64_t{INT64_MAX}) {
    raise(Diagnostic("syntax.number", "a coordinate does not fit into 64 bits"));
  }
  return numpy.attr("asarray")(array, nb::arg("dtype") = numpy.attr("int64"),
                               nb::arg("order") = "C");
}

/// A layout as a function of arrays, and the names of its coordinates.
map::AnyLayout layout_of(const Object& function) {
  return unwrapped(
      notation::to_any_layout(value_in_force(function), settings()->environment.context()));
}

/// Evaluates, large arrays on several threads; the first point that is outside.
std::optional<std::size_t> evaluate(const PointTables& tables, const PointTables::Inputs& inputs,
                                    const PointTables::Outputs& outputs) {
  constexpr std::size_t kPart = std::size_t{1} << 18;
  const std::size_t count = inputs.empty() ? 0 : inputs.front().size();
  const std::size_t threads =
      std::min<std::size_t>({std::thread::hardware_concurrency(), 8, count / kPart});
  if (threads < 2) return tables.evaluate(inputs, outputs);
  // Each takes the next part when it is done with one, as threads run at different speeds.
  const std::size_t parts = (count + kPart - 1) / kPart;
  std::vector<std::optional<std::size_t>> outside(parts);
  std::atomic<std::size_t> next = 0;
  const auto work = [&] {
    for (std::size_t part = next++; part < parts; part = next++) {
      const std::size_t begin = part * kPart;
      const std::size_t size = std::min(kPart, count - begin);
      PointTables::Inputs points;
      PointTables::Outputs images;
      for (const auto& input : inputs) points.push_back(input.subspan(begin, size));
      for (const auto& output : outputs) images.push_back(output.subspan(begin, size));
      outside[part] = tables.evaluate(points, images);
      if (outside[part]) *outside[part] += begin;
    }
  };
  {
    std::vector<std::jthread> workers;
    for (std::size_t t = 1; t < threads; ++t) workers.emplace_back(work);
    work();
  }
  for (const auto& first : outside) {
    if (first) return first;
  }
  return std::nullopt;
}

/// An array for each axis: on its own if there is one, a dict if axes have names, else a tuple.
nb::object on_axes(std::vector<Buffer> buffers, const Shape& shape, std::span<const Axis> axes,
                   map::System system) {
  if (buffers.size() == 1 && system != map::System::kLinear) {
    return std::move(buffers.front()).array(shape);
  }
  const bool are_named = system != map::System::kCute && system != map::System::kCuteTv;
  nb::list list;
  nb::dict dict;
  for (std::size_t axis = 0; axis < buffers.size(); ++axis) {
    nb::object array = std::move(buffers[axis]).array(shape);
    if (are_named) dict[nb::str(axes[axis].name().c_str())] = array;
    list.append(array);
  }
  return are_named ? nb::object(dict) : nb::object(nb::tuple(list));
}

/// What a single point is refused for.
[[noreturn]] void refuse_point(const Object& function, const PointTables& tables,
                               const PointTables::Inputs& inputs, std::size_t place) {
  std::string point;
  for (std::size_t c = 0; c < inputs.size(); ++c) {
    point += (c > 0 ? "," : "") + std::to_string(inputs[c][place]);
  }
  std::string box;
  for (const std::int64_t extent : tables.extents()) {
    box += (box.empty() ? "" : " x ") + std::to_string(extent);
  }
  const std::string at = inputs.size() == 1 ? point : "(" + point + ")";
  raise(Diagnostic("view.coordinate", "the coordinate " + at + " is outside of the box " + box +
                                          " of " + notation::to_string(function.value))
            .with_note("it is element " + std::to_string(place) + " of the array"));
}

/// The index of point `i`, which has a coordinate in each input.
std::int64_t past_end(const cute::AnyLayout& layout, const PointTables::Inputs& inputs,
                      std::size_t i) {
  std::vector<cute::Index> point;
  for (const auto& input : inputs) point.emplace_back(input[i]);
  const Result<IntTuple> index = cute::evaluate(layout, cute::Coordinate::flat(point));
  if (!index) raise(index.error());
  return index->leaf().value();
}

/// CuTe's layouts go on past their end: those coordinates are evaluated one by one by the algebra.
bool evaluate_past_end(const map::AnyLayout& layout, const PointTables::Inputs& inputs,
                       const PointTables::Outputs& outputs) {
  const auto* plain = std::get_if<cute::Layout>(&layout);
  const auto* composed = std::get_if<cute::ComposedLayout>(&layout);
  if ((plain == nullptr && composed == nullptr) || outputs.size() != 1) return false;
  if (inputs.size() > 1) {
    const cute::AnyLayout any =
        plain != nullptr ? cute::AnyLayout(*plain) : cute::AnyLayout(*composed);
    for (std::size_t i = 0; i < outputs.front().size(); ++i) {
      outputs.front()[i] = past_end(any, inputs, i);
    }
    return true;
  }
  const Result<void> done = plain != nullptr
                                ? cute::evaluate(*plain, inputs.front(), outputs.front())
                                : cute::evaluate(*composed, inputs.front(), outputs.front());
  if (!done) raise(done.error());
  return true;
}

/// The arguments in the order of the box.
std::vector<nb::object> ordered(const PointTables& tables, const nb::args& args,
                                const nb::kwargs& kwargs) {
  std::vector<nb::object> coordinates(tables.names().size());
  if (kwargs.size() == 0) {
    for (std::size_t i = 0; i < args.size(); ++i) coordinates[i] = nb::borrow(args[i]);
    return coordinates;
  }
  std::string names;
  for (const std::string& one : tables.names()) names += (names.empty() ? "" : ", ") + one;
  for (const auto& [name, argument] : kwargs) {
    const auto called = nb::cast<std::string>(name);
    const auto found = std::ranges::find(tables.names(), called);
    if (found == tables.names().end() || args.size() > 0) {
      raise(Diagnostic("call.keyword", "the layout has no coordinate " + called)
                .with_hint("its coordinates are " + names));
    }
    coordinates[static_cast<std::size_t>(found - tables.names().begin())] = nb::borrow(argument);
  }
  for (std::size_t i = 0; i < coordinates.size(); ++i) {
    if (coordinates[i].is_valid()) continue;
    raise(Diagnostic("call.arity", "the coordinate " + tables.names()[i] + " is not given")
              .with_hint("the layout's coordinates are " + names));
  }
  return coordinates;
}

}  // namespace

bool has_arrays(const nb::args& args, const nb::kwargs& kwargs) {
  for (const nb::handle argument : args) {
    if (is_array(argument)) return true;
  }
  for (const auto& [name, argument] : kwargs) {
    if (is_array(argument)) return true;
  }
  return false;
}

nb::object evaluate_arrays(const Object& function, const nb::args& args, const nb::kwargs& kwargs) {
  const map::AnyLayout layout = layout_of(function);
  const bool is_flat = args.size() == 1 && kwargs.size() == 0;
  const PointTables tables =
      unwrapped(PointTables::make(layout, is_flat ? Coordinates::kFlat : Coordinates::kBox));
  if (kwargs.size() == 0 && args.size() != tables.extents().size()) {
    raise(Diagnostic("call.arity", "a coordinate of " + notation::to_string(function.value) +
                                       " has " + std::to_string(tables.box().size()) +
                                       " indices, and not " + std::to_string(args.size())));
  }
  std::vector<nb::object> given = {};
  if (is_flat) {
    given = {nb::borrow(args[0])};
  } else {
    given = ordered(tables, args, kwargs);
  }
  nb::list numbers;
  for (const nb::object& coordinate : given) numbers.append(as_numbers(coordinate, "iu"));
  if (given.size() > 1) {
    const nb::module_ numpy = nb::module_::import_("numpy");
    const nb::object together = numpy.attr("broadcast_arrays")(*nb::tuple(numbers));
    nb::list pieces;
    for (const nb::handle one : together)
      pieces.append(numpy.attr("asarray")(one, nb::arg("order") = "C"));
    numbers = pieces;
  }
  std::vector<Numbers> arrays;
  PointTables::Inputs inputs;
  for (const nb::handle one : numbers) {
    arrays.push_back(nb::cast<Numbers>(one));
    inputs.emplace_back(arrays.back().data(), arrays.back().size());
  }
  Shape shape;
  for (std::size_t i = 0; i < arrays.front().ndim(); ++i) shape.push_back(arrays.front().shape(i));
  const std::size_t count = arrays.front().size();
  std::vector<Buffer> buffers;
  PointTables::Outputs outputs;
  for (std::size_t axis = 0; axis < tables.axes().size(); ++axis) {
    outputs.push_back(buffers.emplace_back(count).span());
  }
  std::optional<std::size_t> outside;
  {
    const nb::gil_scoped_release unlocked;
    outside = evaluate(tables, inputs, outputs);
  }
  if (outside && !evaluate_past_end(layout, inputs, outputs)) {
    refuse_point(function, tables, inputs, *outside);
  }
  return on_axes(std::move(buffers), shape, tables.axes(), map::system_of(layout));
}

namespace {

/// All images, in row-major order of the points of the box; on several axes the last index is the
/// axis.
nb::object table_array(const Object& function) {
  const map::AnyLayout layout = layout_of(function);
  const PointTables tables = unwrapped(PointTables::make(layout, Coordinates::kBox));
  Shape shape(tables.box().begin(), tables.box().end());
  Int points = 1;
  for (const std::int64_t extent : tables.box()) points *= extent;
  const std::size_t axes = tables.axes().size();
  if (!known_at_most(points * Int(axes), form::kMaxTable * 16)) {
    raise(Diagnostic("table.too_large", notation::to_string(function.value) + " has " +
                                            to_string(points) + " points"));
  }
  const auto count = static_cast<std::size_t>(points.value());
  std::vector<Buffer> inputs;
  for (std::size_t i = 0; i < shape.size(); ++i) inputs.emplace_back(count);
  Buffer table(count * axes);
  {
    const nb::gil_scoped_release unlocked;
    std::size_t inner = count;
    for (std::size_t i = 0; i < shape.size(); ++i) {
      inner /= shape[i];
      for (std::size_t p = 0; p < count; ++p) {
        inputs[i][p] = static_cast<std::int64_t>(p / inner % shape[i]);
      }
    }
    PointTables::Inputs points_at;
    for (const Buffer& input : inputs) points_at.emplace_back(input.span());
    if (axes == 1) {
      (void)evaluate(tables, points_at, {table.span()});
    } else {
      std::vector<Buffer> images;
      PointTables::Outputs outputs;
      for (std::size_t axis = 0; axis < axes; ++axis) {
        outputs.push_back(images.emplace_back(count).span());
      }
      (void)evaluate(tables, points_at, outputs);
      for (std::size_t i = 0; i < count * axes; ++i) {
        table[i] = images[i % axes][i / axes];
      }
    }
  }
  if (axes > 1) shape.push_back(axes);
  return std::move(table).array(shape);
}

/// Two places of numbers from 0 to `greatest` that hold the same one.
std::optional<std::pair<std::size_t, std::size_t>> twice_in(std::span<const std::int64_t> numbers,
                                                            std::int64_t greatest) {
  if (greatest < std::int64_t{1} << 26) {
    std::vector<std::uint32_t> seen(static_cast<std::size_t>(greatest + 1));
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      std::uint32_t& before = seen[static_cast<std::size_t>(numbers[i])];
      if (before != 0) return std::pair<std::size_t, std::size_t>(before - 1, i);
      before = static_cast<std::uint32_t>(i + 1);
    }
    return std::nullopt;
  }
  std::vector<std::pair<std::int64_t, std::size_t>> places;
  for (std::size_t i = 0; i < numbers.size(); ++i) places.emplace_back(numbers[i], i);
  std::ranges::sort(places);
  for (std::size_t i = 1; i < places.size(); ++i) {
    if (places[i].first == places[i - 1].first)
      return std::pair(places[i - 1].second, places[i].second);
  }
  return std::nullopt;
}

/// The least number (at most 0), the greatest (at least -1), and two places that hold the same one.
nb::object measured(const Numbers& table) {
  std::int64_t least = 0;
  std::int64_t greatest = -1;
  const std::span<const std::int64_t> numbers(table.data(), table.size());
  std::optional<std::pair<std::size_t, std::size_t>> same;
  {
    const nb::gil_scoped_release unlocked;
    for (const std::int64_t number : numbers) {
      least = std::min(least, number);
      greatest = std::max(greatest, number);
    }
    if (least >= 0) same = twice_in(numbers, greatest);
  }
  nb::object twice = nb::none();
  if (same) twice = nb::make_tuple(same->first, same->second);
  return nb::make_tuple(least, greatest, twice);
}

/// A table of the array's numbers, on these axes.
nb::object table_of_array(nb::handle object) {
  const auto array = nb::cast<Numbers>(as_numbers(object, "iub"));
  std::vector<std::int64_t> extents;
  for (std::size_t i = 0; i < array.ndim(); ++i) {
    extents.push_back(static_cast<std::int64_t>(array.shape(i)));
  }
  if (array.size() > static_cast<std::size_t>(form::kMaxTable)) {
    raise(Diagnostic("table.too_large", "an array of " + std::to_string(array.size()) +
                                            " numbers is given; a table has at most " +
                                            std::to_string(form::kMaxTable)));
  }
  std::vector<std::int64_t> values(array.data(), array.data() + array.size());
  return to_python(
      Value(unwrapped(form::make_table(std::move(extents), {Axis::memory()}, std::move(values)))));
}

}  // namespace

void bind_arrays(nb::module_& m) {
  m.def("_table_array", table_array, nb::arg("layout"));
  m.def(
      "_box",
      [](const Object& function) {
        nb::list box;
        for (const Int& extent : unwrapped(map::view(layout_of(function))).extents) {
          box.append(to_python(extent));
        }
        return box;
      },
      nb::arg("layout"));
  m.def("_measured", measured, nb::arg("table"));
  m.def("_table_of_array", table_of_array, nb::arg("array"));
}

}  // namespace heddle::python
