// Included once for each vector width, after transpose_tile.h and in the same way.

/// Exchanges the upper halves of pieces of 2 * `Bits` bits of one row with the lower halves of
/// those of the other one. Rows are whole lines.
template <int Bits>
void exchange(std::byte* row, std::byte* other, std::int64_t bytes) {
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
    __builtin_memcpy(row + at, &a, sizeof(a));
    __builtin_memcpy(other + at, &b, sizeof(b));
  }
}

/// Byte i of each lane of a row becomes byte mask[i]. Rows are whole lines.
inline void shuffle(std::byte* row, std::int64_t bytes, const std::uint8_t* mask) {
  for (std::int64_t at = 0; at < bytes; at += 16 * HEDDLE_LANES) shuffle_bytes(row + at, mask);
}

constexpr ShuffleKernels kShuffles = {
    {exchange<1>, exchange<2>, exchange<4>, exchange<8>, exchange<16>, exchange<32>, exchange<64>},
    shuffle};
