#pragma once

// A vector whose first `N` elements are stored inside the object, so that usually nothing is
// allocated.
//
//   InlineVector<int, 4> digits{1, 2, 3};
//   digits.push_back(4);                      // still inside the object
//   digits.push_back(5);                      // moved to the heap, like a std::vector
//
// The interface is the part of std::vector's that this project uses. Elements are reached through
// one pointer, whether inline or on the heap. A copy or a move touches only the elements that
// exist; a moved-from vector is empty.

#include <algorithm>
#include <compare>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <iterator>
#include <limits>
#include <memory>
#include <new>
#include <ranges>
#include <stdexcept>
#include <type_traits>
#include <utility>

#pragma GCC visibility push(default)
namespace heddle {

/// How many leaves of a tuple live inline.
inline constexpr std::size_t kInlineLeaves = 8;

/// Whether a T may be moved by copying its bytes, if the original is never touched again. This is
/// true of most types without pointers into themselves; a type that is not trivially copyable says
/// so by a specialisation.
template <class T>
inline constexpr bool kTriviallyRelocatable = std::is_trivially_copyable_v<T>;

template <class T, std::size_t N>
class InlineVector {
  static_assert(N > 0);

 public:
  using value_type = T;
  using size_type = std::size_t;
  using difference_type = std::ptrdiff_t;
  using reference = T&;
  using const_reference = const T&;
  using pointer = T*;
  using const_pointer = const T*;
  using iterator = T*;
  using const_iterator = const T*;

  // A defaulted constructor would have T() and the like clear all of the inline storage first.
  InlineVector() noexcept {}  // NOLINT(modernize-use-equals-default)
  // These delegate to the empty constructor, so that a throwing element constructor frees the
  // vector.
  explicit InlineVector(std::size_t count) : InlineVector() { resize(count); }
  InlineVector(std::size_t count, const T& value) : InlineVector() { append(count, value); }
  template <std::forward_iterator Iterator>
  InlineVector(Iterator first, Iterator last) : InlineVector() {
    append(first, last);
  }
  InlineVector(std::initializer_list<T> values) : InlineVector(values.begin(), values.end()) {}

  InlineVector(const InlineVector& other) : InlineVector(other.begin(), other.end()) {}
  InlineVector(InlineVector&& other) noexcept { take(other); }
  ~InlineVector() { release(); }

  InlineVector& operator=(const InlineVector& other) {
    if (this != &other) assign(other.begin(), other.end());
    return *this;
  }
  InlineVector& operator=(InlineVector&& other) noexcept {
    if (this == &other) return *this;
    release();
    take(other);
    return *this;
  }

  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] std::size_t capacity() const { return capacity_; }
  [[nodiscard]] bool empty() const { return size_ == 0; }
  [[nodiscard]] T* data() { return data_; }
  [[nodiscard]] const T* data() const { return data_; }
  [[nodiscard]] iterator begin() { return data_; }
  [[nodiscard]] const_iterator begin() const { return data_; }
  [[nodiscard]] iterator end() { return data_ + size_; }
  [[nodiscard]] const_iterator end() const { return data_ + size_; }
  [[nodiscard]] T& operator[](std::size_t index) { return data_[index]; }
  [[nodiscard]] const T& operator[](std::size_t index) const { return data_[index]; }
  [[nodiscard]] T& front() { return data_[0]; }
  [[nodiscard]] const T& front() const { return data_[0]; }
  [[nodiscard]] T& back() { return data_[size_ - 1]; }
  [[nodiscard]] const T& back() const { return data_[size_ - 1]; }

  /// Makes room for `count` elements in all. Like everything that grows, throws std::length_error
  /// past 2^32 - 1 and std::bad_alloc.
  void reserve(std::size_t count) {
    if (count > capacity_) adopt(larger(count), size_);
  }

  template <class... Arguments>
  T& emplace_back(Arguments&&... arguments) {
    if (size_ == capacity_) return grow_with(std::forward<Arguments>(arguments)...);
    T* const place = std::construct_at(data_ + size_, std::forward<Arguments>(arguments)...);
    ++size_;
    return *place;
  }
  void push_back(const T& value) { emplace_back(value); }
  void push_back(T&& value) { emplace_back(std::move(value)); }
  void pop_back() { std::destroy_at(data_ + --size_); }
  void clear() { truncate(0); }

  void resize(std::size_t count) {
    if (count < size_) return truncate(count);
    reserve(count);
    std::uninitialized_value_construct_n(data_ + size_, count - size_);
    size_ = static_cast<Count>(count);
  }
  void resize(std::size_t count, const T& value) {
    if (count < size_) return truncate(count);
    append(count - size_, value);
  }

  /// Appends elements, which must not be elements of this vector.
  template <std::forward_iterator Iterator>
  void append(Iterator first, Iterator last) {
    const auto count = static_cast<std::size_t>(std::ranges::distance(first, last));
    reserve(size_ + count);
    if constexpr (std::is_trivially_copyable_v<T>) {
      T* place = data_ + size_;
      for (; first != last; ++first, ++place) std::construct_at(place, *first);
    } else {
      std::uninitialized_copy(first, last, data_ + size_);
    }
    size_ += static_cast<Count>(count);
  }

  void assign(std::size_t count, const T& value) { *this = InlineVector(count, value); }
  template <std::forward_iterator Iterator>
  void assign(Iterator first, Iterator last) {
    clear();
    append(first, last);
  }

  /// Inserts before `position`; the inserted elements must not be elements of this vector.
  template <std::forward_iterator Iterator>
  iterator insert(const_iterator position, Iterator first, Iterator last) {
    const std::ptrdiff_t index = position - begin();
    const std::size_t before = size_;
    append(first, last);
    return put_at(index, before);
  }
  iterator insert(const_iterator position, std::size_t count, const T& value) {
    const std::ptrdiff_t index = position - begin();
    const std::size_t before = size_;
    append(count, value);
    return put_at(index, before);
  }
  iterator insert(const_iterator position, const T& value) {
    return insert(position, std::size_t{1}, value);
  }

  iterator erase(const_iterator first, const_iterator last) {
    T* const gap = data_ + (first - begin());
    T* const rest = data_ + (last - begin());
    if (gap == rest) return gap;  // an element is not to be moved to itself
    truncate(static_cast<std::size_t>(std::move(rest, end(), gap) - begin()));
    return gap;
  }
  iterator erase(const_iterator position) { return erase(position, position + 1); }

  friend bool operator==(const InlineVector& a, const InlineVector& b)
    requires std::equality_comparable<T>
  {
    return std::equal(a.begin(), a.end(), b.begin(), b.end());
  }
  friend auto operator<=>(const InlineVector& a, const InlineVector& b)
    requires std::three_way_comparable<T>
  {
    return std::lexicographical_compare_three_way(a.begin(), a.end(), b.begin(), b.end());
  }

 private:
  using Count = std::uint32_t;

  /// Storage on the heap that no vector owns yet.
  struct Block {
    T* data;
    Count capacity;
  };

  [[nodiscard]] T* inline_data() { return reinterpret_cast<T*>(inline_); }
  [[nodiscard]] bool is_inline() const { return data_ == reinterpret_cast<const T*>(inline_); }

  [[nodiscard]] Block larger(std::size_t least) const {
    constexpr std::size_t kMost = std::numeric_limits<Count>::max();
    if (least > kMost) throw std::length_error("InlineVector: more than 2^32 - 1 elements");
    const std::size_t capacity = std::min(std::max(least, std::size_t{capacity_} * 2), kMost);
    return {std::allocator<T>().allocate(capacity), static_cast<Count>(capacity)};
  }

  /// Moves `count` elements from one place to another and destroys the originals.
  static void relocate(T* from, std::size_t count, T* to) noexcept {
    if constexpr (kTriviallyRelocatable<T>) {
      // A loop, because there are few elements and a call to memcpy would cost more.
      for (std::size_t i = 0; i < count; ++i) {
        std::memcpy(static_cast<void*>(to + i), static_cast<const void*>(from + i), sizeof(T));
      }
    } else {
      std::uninitialized_move_n(from, count, to);
      std::destroy_n(from, count);
    }
  }

  /// Moves the elements into `block`, which then holds `size` of them.
  void adopt(Block block, std::size_t size) noexcept {
    relocate(data_, size_, block.data);
    if (!is_inline()) std::allocator<T>().deallocate(data_, capacity_);
    data_ = block.data;
    capacity_ = block.capacity;
    size_ = static_cast<Count>(size);
  }

  /// emplace_back() for a full vector. The new element is built first, because it may be made from
  /// an old one. Growing is rare, so it is kept out of the loops that append.
  template <class... Arguments>
  [[gnu::noinline]] T& grow_with(Arguments&&... arguments) {
    const Block block = larger(std::size_t{size_} + 1);
    T* place = nullptr;
    try {
      place = std::construct_at(block.data + size_, std::forward<Arguments>(arguments)...);
    } catch (...) {
      std::allocator<T>().deallocate(block.data, block.capacity);
      throw;
    }
    adopt(block, std::size_t{size_} + 1);
    return *place;
  }

  /// `value` is taken by value, because it may refer to an element that is about to move.
  void append(std::size_t count, T value) {
    reserve(size_ + count);
    std::uninitialized_fill_n(data_ + size_, count, value);
    size_ += static_cast<Count>(count);
  }

  /// Rotates the elements appended after the first `before` ones to position `index`.
  iterator put_at(std::ptrdiff_t index, std::size_t before) {
    T* const place = data_ + index;
    if (static_cast<std::size_t>(index) != before) std::rotate(place, data_ + before, end());
    return place;
  }

  void truncate(std::size_t count) {
    std::destroy(data_ + count, end());
    size_ = static_cast<Count>(count);
  }

  /// Takes over the elements of `other`, which is left empty; this vector must hold none.
  void take(InlineVector& other) noexcept {
    if (other.is_inline()) {
      data_ = inline_data();
      capacity_ = N;
      relocate(other.data_, other.size_, data_);
    } else {
      data_ = std::exchange(other.data_, other.inline_data());
      capacity_ = std::exchange(other.capacity_, static_cast<Count>(N));
    }
    size_ = std::exchange(other.size_, 0);
  }

  /// Destroys the elements and frees their memory.
  void release() noexcept {
    std::destroy_n(data_, size_);
    if (!is_inline()) std::allocator<T>().deallocate(data_, capacity_);
  }

  T* data_ = inline_data();
  Count size_ = 0;
  Count capacity_ = N;
  alignas(T) std::byte inline_[N * sizeof(T)];
};

}  // namespace heddle
#pragma GCC visibility pop
