// Included once for each vector width, within a namespace and under the compiler's options for it:
// HEDDLE_LANES is the number of 16-byte lanes of a vector, HEDDLE_NARROWER the namespace for what
// is narrower than a tile. Therefore it has no include guard.

/// A vector of `LaneCount` lanes as elements of `Element`.
template <class Element, int LaneCount>
struct VectorOf {
  typedef Element Type __attribute__((vector_size(16 * LaneCount)));  // NOLINT: an attribute of it
};
template <class Element, int LaneCount>
using Lanes = typename VectorOf<Element, LaneCount>::Type;

/// The lanes of the first vector, and then those of the second.
template <class Element, int LaneCount, std::size_t... I>
[[gnu::always_inline]] inline Lanes<Element, 2 * LaneCount> joined(
    const Lanes<Element, LaneCount>& a, const Lanes<Element, LaneCount>& b,
    std::index_sequence<I...>) {
  return __builtin_shufflevector(a, b, static_cast<int>(I)...);
}

/// 16 bytes from each of `LaneCount` places, `step` bytes apart.
template <class Element, int LaneCount>
[[gnu::always_inline]] inline Lanes<Element, LaneCount> gathered(const std::byte* src,
                                                                 std::int64_t step) {
  if constexpr (LaneCount == 1) {
    Lanes<Element, 1> lane;
    __builtin_memcpy(&lane, src, sizeof(lane));
    return lane;
  } else {
    constexpr int kHalf = LaneCount / 2;
    return joined<Element, kHalf>(gathered<Element, kHalf>(src, step),
                                  gathered<Element, kHalf>(src + kHalf * step, step),
                                  std::make_index_sequence<16 * LaneCount / sizeof(Element)>());
  }
}

/// Position `i` of the vector that alternates between halves of each lane of two vectors of `total`
/// elements, `count` a lane; the halves begin at `begin`.
constexpr int alternating(int i, int total, int count, int begin) {
  return i / count * count + begin + i % count / 2 + (i % 2) * total;
}

/// The lower halves of the lanes if `Begin` is 0, the upper ones if it is half a lane.
template <int Begin, class Vector, std::size_t... I>
[[gnu::always_inline]] inline Vector alternated(const Vector& a, const Vector& b,
                                                std::index_sequence<I...>) {
  constexpr int kTotal = sizeof...(I);
  return __builtin_shufflevector(
      a, b, alternating(static_cast<int>(I), kTotal, kTotal / HEDDLE_LANES, Begin)...);
}

/// Transposes `kCount` columns of HEDDLE_LANES * kCount rows.
template <class Element>
[[gnu::always_inline]] inline void transpose_tile(const std::byte* src, std::int64_t from,
                                                  std::byte* dst, std::int64_t to) {
  constexpr int kCount = 16 / sizeof(Element);
  using Vector = Lanes<Element, HEDDLE_LANES>;
  constexpr auto kAll = std::make_index_sequence<kCount * HEDDLE_LANES>();
  Vector rows[kCount];
#pragma GCC unroll 16
  for (int i = 0; i < kCount; ++i) {
    rows[i] = gathered<Element, HEDDLE_LANES>(src + i * from, kCount * from);
  }
  // Each step alternates between the rows of the two halves.
#pragma GCC unroll 4
  for (int step = 1; step < kCount; step *= 2) {
    Vector next[kCount];
#pragma GCC unroll 8
    for (int i = 0; i < kCount / 2; ++i) {
      next[2 * i] = alternated<0>(rows[i], rows[i + kCount / 2], kAll);
      next[2 * i + 1] = alternated<kCount / 2>(rows[i], rows[i + kCount / 2], kAll);
    }
#pragma GCC unroll 16
    for (int i = 0; i < kCount; ++i) rows[i] = next[i];
  }
#pragma GCC unroll 16
  for (int i = 0; i < kCount; ++i) __builtin_memcpy(dst + i * to, &rows[i], sizeof(Vector));
}

/// The last tiles of a row or a column overlap those before them.
template <class Element>
void transpose(const std::byte* src, std::int64_t from, std::byte* dst, std::int64_t to,
               std::int64_t rows, std::int64_t columns) {
  constexpr std::int64_t kWidth = sizeof(Element);
  constexpr std::int64_t kColumns = 16 / kWidth;
  constexpr std::int64_t kRows = kColumns * HEDDLE_LANES;
  if (rows < kRows || columns < kColumns) {
    HEDDLE_NARROWER::transpose<Element>(src, from, dst, to, rows, columns);
    return;
  }
  for (std::int64_t r = 0; r < rows; r += kRows) {
    const std::int64_t row = std::min(r, rows - kRows);
    const std::byte* begin = src + row * from;
    std::byte* end = dst + row * kWidth;
    for (std::int64_t c = 0; c < columns; c += kColumns) {
      const std::int64_t column = std::min(c, columns - kColumns);
      transpose_tile<Element>(begin + column * kWidth, from, end + column * to, to);
    }
  }
}

/// Copies a row of whole vectors and what is left of it, and fetches another one.
inline void copy_row(const std::byte* src, std::byte* dst, std::int64_t bytes,
                     const std::byte* next) {
  using Vector = Lanes<std::uint8_t, HEDDLE_LANES>;
  constexpr std::int64_t kWidth = sizeof(Vector);
  std::int64_t at = 0;
  for (; at + kLine <= bytes; at += kLine) {
    __builtin_prefetch(next + at);
#pragma GCC unroll 4
    for (std::int64_t i = at; i < at + kLine; i += kWidth) {
      Vector vector;
      __builtin_memcpy(&vector, src + i, sizeof(vector));
      __builtin_memcpy(dst + i, &vector, sizeof(vector));
    }
  }
  if (at == bytes) return;
  __builtin_prefetch(next + bytes - 1);
  std::memcpy(dst + at, src + at, static_cast<std::size_t>(bytes - at));
}

inline void stream_line(const std::byte* src, std::byte* dst) {
#pragma GCC unroll 4
  for (std::int64_t i = 0; i < kLine; i += std::int64_t{sizeof(Native)}) {
    Native vector;
    __builtin_memcpy(&vector, src + i, sizeof(vector));
    stream(vector, dst + i);
  }
}

/// What is before and after whole lines goes through the caches.
inline void stream_rows(const std::byte* src, std::int64_t from, std::byte* dst, std::int64_t to,
                        const Rows& rows) {
  for (std::int64_t i = 0; i < rows.count; ++i) {
    const std::byte* row = src + i * from;
    std::byte* there = dst + i * to;
    std::int64_t at = rows.lead;
    if (at > 0) at -= past_line(there + at);
    const std::int64_t end = rows.bytes - (rows.go_on ? past_line(there + rows.bytes) : 0);
    const std::int64_t head = std::min((kLine - past_line(there + at)) % kLine, end - at);
    if (head > 0) std::memcpy(there + at, row + at, static_cast<std::size_t>(head));
    for (at += head; at + kLine <= end; at += kLine) stream_line(row + at, there + at);
    if (at < end) std::memcpy(there + at, row + at, static_cast<std::size_t>(end - at));
  }
}
