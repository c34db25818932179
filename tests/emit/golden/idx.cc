#include <cstdint>

// idx: the map of Sw<1,1,1> o 4 o (3,(2,2)):(-2,(1,6)), a CuTe layout.
// 32 bits: every number on the way is proved to be from -5 to 15.

// The place m in [0, 11] of a point (i, j): 0 <= i < 3, 0 <= j < 4.
constexpr std::int32_t idx(std::int32_t i, std::int32_t j) {
  const std::int32_t t0 = j >> 1;
  const std::int32_t t1 = t0 + 1;
  return (((((t0 - i) >> 1) + t1) & 1) << 1) ^ (j + (t1 << 2) - (i << 1));
}

struct idx_point {
  std::int32_t i;
  std::int32_t j;
};

// The point (i, j) at a place m that idx gives.
constexpr idx_point idx_inverse(std::int32_t m) {
  const std::int32_t t0 = m ^ (((m >> 2) & 1) << 1);
  const std::int32_t t1 = t0 / 6;
  return {3 * t1 + 2 - (t0 >> 1), (t1 << 1) + (t0 & 1)};
}

// Whether (i, j) is a point of the layout.
constexpr bool idx_guard(std::int32_t i, std::int32_t j) {
  return 0 <= i && i < 3 && 0 <= j && j < 4;
}

// An array of so many elements has a place for every point.
constexpr std::int32_t idx_size = 12;

// The elements of an array in this layout, by their coordinates:
// idx_accessor<float> a{pointer};  a(i, j) = 1;
template <class T>
struct idx_accessor {
  T* data;
  constexpr T& operator()(std::int32_t i, std::int32_t j) const {
    return data[idx(i, j)];
  }
};
