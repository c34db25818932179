#include "memory.h"

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <numeric>
#include <string>
#include <utility>

#include "heddle/cute/composed_layout.h"
#include "heddle/cute/layout.h"
#include "refusal.h"

namespace heddle::python {
namespace {

std::string kind_of(nb::handle object) { return nb::type_name(object.type()).c_str(); }

[[noreturn]] void refuse_type(nb::handle object, const std::string& kind) {
  raise(Diagnostic("call.type", kind + " " + kind_of(object) +
                                    " is not an array of numbers in the processor's memory")
            .with_hint("NumPy's arrays, buffers and tensors with __dlpack__ are taken"));
}

[[noreturn]] void refuse_to_write(nb::handle object) {
  raise(Diagnostic("move.buffer", "the " + kind_of(object) + " may only be read"));
}

/// Whether a format of the buffer protocol has an object: `O`, not within a name as in `i:Offset:`.
bool has_objects(std::string_view format) {
  bool is_name = false;
  for (const char c : format) {
    if (c == ':') is_name = !is_name;
    if (c == 'O' && !is_name) return true;
  }
  return false;
}

/// Whether a format of the buffer protocol is of one integer; none is of bytes.
bool is_integer(std::string_view format) {
  if (!format.empty() && std::string_view("@=<>!|").find(format.front()) != std::string_view::npos)
    format.remove_prefix(1);
  return format.empty() ||
         (format.size() == 1 &&
          std::string_view("bBhHiIlLqQnN").find(format[0]) != std::string_view::npos);
}

/// Bytes that hold objects cannot be moved: who counts the references would not know.
bool holds_objects(nb::handle object, const Py_buffer& buffer) {
  if (nb::hasattr(object, "dtype") && nb::hasattr(object.attr("dtype"), "hasobject")) {
    return nb::cast<bool>(object.attr("dtype").attr("hasobject"));
  }
  return buffer.format != nullptr && has_objects(buffer.format);
}

/// PyTorch has tensors whose numbers are conjugated or negated when they are read.
void check_plain(nb::handle object) {
  for (const char* const name : {"is_conj", "is_neg"}) {
    if (!nb::hasattr(object, name) || !nb::cast<bool>(nb::bool_(object.attr(name)()))) continue;
    raise(Diagnostic("call.type", std::string("the numbers of the ") + kind_of(object) +
                                      " are not those in its memory: " + name + "() is true")
              .with_hint("resolve_conj() and resolve_neg() compute them"));
  }
}

}  // namespace

Memory::Memory(nb::handle object, Access access, Where where) {
  if (PyObject_CheckBuffer(object.ptr()) != 0) {
    use_buffer(object, access);
  } else {
    use_tensor(object, access, where);
  }
  if (std::ranges::find(shape_, 0) != shape_.end()) return;
  std::int64_t last = element_bits_ / 8;
  for (std::size_t i = 0; i < shape_.size(); ++i) {
    const std::int64_t reach = (shape_[i] - 1) * strides_[i];
    (reach < 0 ? first_ : last) += std::abs(reach);
  }
  begin_ -= first_;
  bytes_ = static_cast<std::size_t>(first_ + last);
}

Memory::~Memory() { PyBuffer_Release(&buffer_); }

void Memory::use_buffer(nb::handle object, Access access) {
  // NumPy has formats for most of its types, and memory for all of them.
  for (const int flags : {PyBUF_STRIDES | PyBUF_FORMAT, PyBUF_STRIDES}) {
    if (PyObject_GetBuffer(object.ptr(), &buffer_, flags) == 0) break;
    PyErr_Clear();
  }
  if (buffer_.obj == nullptr) refuse_type(object, "the");
  if (holds_objects(object, buffer_)) {
    PyBuffer_Release(&buffer_);
    refuse_type(object, "of Python's objects, the");
  }
  if (access == Access::kWrite && buffer_.readonly != 0) {
    PyBuffer_Release(&buffer_);
    refuse_to_write(object);
  }
  begin_ = static_cast<std::byte*>(buffer_.buf);
  element_bits_ = 8 * buffer_.itemsize;
  are_integers_ = is_integer(buffer_.format == nullptr ? "" : buffer_.format);
  shape_.assign(buffer_.shape, buffer_.shape + buffer_.ndim);
  if (buffer_.strides != nullptr) {
    strides_.assign(buffer_.strides, buffer_.strides + buffer_.ndim);
    return;
  }
  // ctypes has none: its arrays are in the order of rows.
  strides_.resize(shape_.size());
  std::int64_t step = buffer_.itemsize;
  for (std::size_t i = shape_.size(); i-- > 0; step *= shape_[i]) strides_[i] = step;
}

void Memory::use_tensor(nb::handle object, Access access, Where where) {
  check_plain(object);
  if (!nb::try_cast(nb::borrow(object), tensor_, false)) refuse_type(object, "the");
  if (nb::ndarray<> writable;
      access == Access::kWrite && !nb::try_cast(nb::borrow(object), writable, false)) {
    refuse_to_write(object);
  }
  element_bits_ = std::int64_t{tensor_.dtype().bits} * tensor_.dtype().lanes;
  const auto code = tensor_.dtype().code;
  are_integers_ = code == static_cast<std::uint8_t>(nb::dlpack::dtype_code::Int) ||
                  code == static_cast<std::uint8_t>(nb::dlpack::dtype_code::UInt);
  is_on_gpu_ = where == Where::kProcessOrGpu && tensor_.device_type() == nb::device::cuda::value &&
               tensor_.device_id() == 0;
  if (tensor_.device_type() != nb::device::cpu::value && !is_on_gpu_)
    refuse_type(object, "on another device, the");
  if (element_bits_ % 8 != 0) refuse_type(object, "of elements within bytes, the");
  if (tensor_.data() == nullptr && tensor_.size() > 0) refuse_type(object, "without memory, the");
  begin_ = const_cast<std::byte*>(static_cast<const std::byte*>(tensor_.data()));  // NOLINT
  for (std::size_t i = 0; i < tensor_.ndim(); ++i) {
    shape_.push_back(static_cast<std::int64_t>(tensor_.shape(i)));
    strides_.push_back(tensor_.stride(i) * element_bits_ / 8);
  }
}

bool Memory::is_dense() const {
  const std::int64_t elements =
      std::accumulate(shape_.begin(), shape_.end(), std::int64_t{1}, std::multiplies());
  const bool is_forward =
      std::ranges::all_of(strides_, [](std::int64_t step) { return step >= 0; });
  // Elements that do not overlap and take all of the bytes leave no gap.
  std::vector<std::pair<std::int64_t, std::int64_t>> modes;
  for (std::size_t i = 0; i < shape_.size(); ++i) {
    if (shape_[i] > 1) modes.emplace_back(strides_[i], shape_[i]);
  }
  std::ranges::sort(modes);
  std::int64_t step = element_bits_ / 8;
  for (const auto& [stride, extent] : modes) {
    if (stride != step) return elements == 0;
    step *= extent;
  }
  return is_forward;
}

bool Memory::is_in_rows() const {
  std::int64_t step = element_bits_ / 8;
  for (std::size_t i = shape_.size(); i-- > 0; step *= shape_[i]) {
    if (shape_[i] > 1 && strides_[i] != step) return false;
  }
  return true;
}

char Memory::kind() const {
  if (buffer_.obj == nullptr) {
    switch (static_cast<nb::dlpack::dtype_code>(tensor_.dtype().code)) {
      case nb::dlpack::dtype_code::Int:
        return 'i';
      case nb::dlpack::dtype_code::UInt:
        return 'u';
      case nb::dlpack::dtype_code::Float:
        return 'f';
      case nb::dlpack::dtype_code::Bool:
        return 'b';
      default:
        return 0;
    }
  }
  const std::string_view format = buffer_.format == nullptr ? "B" : buffer_.format;
  if (format.empty()) return 0;
  const char letter = format.back();
  if (std::string_view("efdg").find(letter) != std::string_view::npos) return 'f';
  if (std::string_view("bhilqn").find(letter) != std::string_view::npos) return 'i';
  if (std::string_view("BHILQN").find(letter) != std::string_view::npos) return 'u';
  return letter == '?' ? 'b' : 0;
}

bool Memory::is_big_endian() const {
  if (buffer_.obj == nullptr || buffer_.format == nullptr || element_bits_ == 8) return false;
  return buffer_.format[0] == '>' || buffer_.format[0] == '!';
}

map::AnyLayout Memory::layout() const {
  std::vector<cute::Layout> modes;
  const std::int64_t width = element_bits_ / 8;
  for (std::size_t i = 0; i < shape_.size(); ++i) {
    if (shape_[i] == 0) raise(Diagnostic("tensor.shape", "the array has no elements"));
    if (strides_[i] % width != 0) {
      raise(Diagnostic("tensor.shape", "a stride of the array is " + std::to_string(strides_[i]) +
                                           " bytes, and an element takes " +
                                           std::to_string(width)));
    }
    modes.push_back(
        unwrapped(cute::make_layout(IntTuple(shape_[i]), cute::StrideTuple(strides_[i] / width))));
  }
  if (modes.empty()) return cute::make_layout(IntTuple(1)).value();
  cute::Layout strided = unwrapped(cute::make_layout(modes));
  if (first_ == 0) return strided;
  return unwrapped(cute::ComposedLayout::make(cute::Swizzle(), Int(first_ / width), strided));
}

}  // namespace heddle::python
