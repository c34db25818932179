// Included once for each vector width, after transpose_tile.h and in the same way.

template <int Bits, bool Shuffles>
inline void exchange_rows(std::byte* row, std::byte* other, std::int64_t bytes,
                          const std::uint8_t* mask, const std::uint8_t* other_mask) {
  using Vector = Lanes<std::uint64_t, HEDDLE_LANES>;
  for (std::int64_t at = 0; at < bytes; at += std::int64_t{sizeof(Vector)}) {
    Vector a;
    Vector b;
    __builtin_memcpy(&a, row + at, sizeof(a));
    __builtin_memcpy(&b, other + at, sizeof(b));
    if constexpr (Bits == 64) {
      constexpr auto kAll = std::make_index_sequence<2 * HEDDLE_LANES>();
      const Vector lower = alternated<0>(a, b, kAll);
      b = alternated<1>(a, b, kAll);
      a = lower;
    } else {
      constexpr std::uint64_t kLower = ~std::uint64_t{0} / ((std::uint64_t{1} << Bits) + 1);
      const Vector differ = ((a >> Bits) ^ b) & kLower;
      b ^= differ;
      a ^= differ << Bits;
    }
    if constexpr (Shuffles) {
      a = shuffled_bytes(a, mask);
      b = shuffled_bytes(b, other_mask);
    }
    __builtin_memcpy(row + at, &a, sizeof(a));
    __builtin_memcpy(other + at, &b, sizeof(b));
  }
}

template <int Bits>
void exchange(std::byte* row, std::byte* other, std::int64_t bytes, const std::uint8_t* mask,
              const std::uint8_t* other_mask) {
  (mask == nullptr ? exchange_rows<Bits, false> : exchange_rows<Bits, true>)(row, other, bytes,
                                                                             mask, other_mask);
}

inline void shuffle(std::byte* row, std::int64_t bytes, const std::uint8_t* mask) {
  using Vector = Lanes<std::uint8_t, HEDDLE_LANES>;
  for (std::int64_t at = 0; at < bytes; at += std::int64_t{sizeof(Vector)}) {
    Vector vector;
    __builtin_memcpy(&vector, row + at, sizeof(vector));
    vector = shuffled_bytes(vector, mask);
    __builtin_memcpy(row + at, &vector, sizeof(vector));
  }
}

/// Lines of the destination from lanes anywhere.
template <int LaneCount>
[[gnu::always_inline]] inline Lanes<std::uint8_t, LaneCount> collected(const std::byte* rows,
                                                                       const std::int32_t* places) {
  if constexpr (LaneCount == 1) {
    return gathered<std::uint8_t, 1>(rows + *places, 0);
  } else {
    constexpr int kHalf = LaneCount / 2;
    return joined<std::uint8_t, kHalf>(collected<kHalf>(rows, places),
                                       collected<kHalf>(rows, places + kHalf),
                                       std::make_index_sequence<16 * LaneCount>());
  }
}

inline void collect(const std::byte* rows, const std::int32_t* places, std::int64_t count,
                    std::byte* dst, bool streams) {
  const auto copy = [&] {
    __builtin_memcpy(dst, rows + *places, 16);
    ++places;
    --count;
    dst += 16;
  };
  while (streams && count > 0 && past_line(dst) != 0) copy();
  for (; streams && count >= 4; count -= 4) {
#pragma GCC unroll 4
    for (int i = 0; i < 4; i += HEDDLE_LANES) {
      const auto vector = collected<HEDDLE_LANES>(rows, places);
      Native native;
      __builtin_memcpy(&native, &vector, sizeof(native));
      stream(native, dst);
      places += HEDDLE_LANES;
      dst += 16 * HEDDLE_LANES;
    }
  }
  while (count > 0) copy();
}

constexpr ShuffleKernels kShuffles = {
    {exchange<1>, exchange<2>, exchange<4>, exchange<8>, exchange<16>, exchange<32>, exchange<64>},
    shuffle,
    collect};
