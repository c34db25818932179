#pragma once

// The memory of other libraries' arrays, without a copy: whatever has Python's buffer protocol, as
// NumPy's arrays, bytes and memory maps, or DLPack's, as tensors.

#include <nanobind/ndarray.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "heddle/map/any_layout.h"
#include "object.h"

namespace heddle::python {

enum class Access { kRead, kWrite };
/// The processor's memory, or that of the first GPU too, whose bytes() are not for the processor.
enum class Where { kProcess, kProcessOrGpu };

class Memory {
 public:
  /// Raises Refused: `call.type` for what is no array in such memory, or one of Python
  /// objects; `move.buffer` for one that may only be read, where it is to be written.
  Memory(nb::handle object, Access access, Where where = Where::kProcess);
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;
  ~Memory();

  [[nodiscard]] bool is_on_gpu() const { return is_on_gpu_; }
  [[nodiscard]] std::int64_t element_bits() const { return element_bits_; }
  [[nodiscard]] const std::vector<std::int64_t>& shape() const { return shape_; }
  /// Whether the elements are plain integers.
  [[nodiscard]] bool are_integers() const { return are_integers_; }
  /// Whether they lie row after row without gaps.
  [[nodiscard]] bool is_in_rows() const;
  /// From the element with the lowest address to the end of the last one.
  [[nodiscard]] std::span<std::byte> bytes() const { return {begin_, bytes_}; }
  /// Whether the first element is not the lowest one: a stride is negative.
  [[nodiscard]] bool runs_back() const { return first_ > 0; }
  /// Whether all of bytes() is elements, in an order without negative strides.
  [[nodiscard]] bool is_dense() const;
  /// What an element is: 'f' a float, 'i' and 'u' integers, 'b' a truth value; 0 if the array says
  /// nothing of that.
  [[nodiscard]] char kind() const;
  /// Whether the first byte of an element is its highest one, as of NumPy's `>f4`.
  [[nodiscard]] bool is_big_endian() const;
  /// Where the elements lie in bytes(). Raises Refused (`tensor.shape`) for an array without
  /// elements or with strides that are no whole elements.
  [[nodiscard]] map::AnyLayout layout() const;

 private:
  void use_buffer(nb::handle object, Access access);
  void use_tensor(nb::handle object, Access access, Where where);

  Py_buffer buffer_{};
  nb::ndarray<nb::ro> tensor_;
  std::byte* begin_ = nullptr;
  std::size_t bytes_ = 0;
  /// The place of the first element in bytes().
  std::int64_t first_ = 0;
  std::int64_t element_bits_ = 8;
  bool are_integers_ = false;
  bool is_on_gpu_ = false;
  std::vector<std::int64_t> shape_;
  /// In bytes.
  std::vector<std::int64_t> strides_;
};

}  // namespace heddle::python
