#include "kernel/source/cpu_panels.h"

#include <fmt/format.h>

#include "heddle/kernel/source.h"
#include "kernel/source/conversions.h"

namespace heddle::kernel {

namespace {

/// Rows whose elements lie side by side are transposed four by four, from a buffer if they are
/// converted; columns that do are copied.
constexpr std::string_view kPack = R"(
static inline TYPE heddle_loaded_NAME(FROM x) { return LOADED; }
#if defined(__has_builtin)
#if __has_builtin(__builtin_shufflevector)
#define HEDDLE_TRANSPOSES_NAME
typedef TYPE heddle_four_NAME
    __attribute__((vector_size(4 * sizeof(TYPE)), aligned(sizeof(TYPE)), may_alias));
static inline void heddle_transpose_NAME(const TYPE* from, long row, TYPE* to, long side) {
  const heddle_four_NAME a = *(const heddle_four_NAME*)from;
  const heddle_four_NAME b = *(const heddle_four_NAME*)(from + row);
  const heddle_four_NAME c = *(const heddle_four_NAME*)(from + 2 * row);
  const heddle_four_NAME d = *(const heddle_four_NAME*)(from + 3 * row);
  const heddle_four_NAME ab = __builtin_shufflevector(a, b, 0, 4, 1, 5);
  const heddle_four_NAME cd = __builtin_shufflevector(c, d, 0, 4, 1, 5);
  const heddle_four_NAME ab2 = __builtin_shufflevector(a, b, 2, 6, 3, 7);
  const heddle_four_NAME cd2 = __builtin_shufflevector(c, d, 2, 6, 3, 7);
  *(heddle_four_NAME*)to = __builtin_shufflevector(ab, cd, 0, 1, 4, 5);
  *(heddle_four_NAME*)(to + side) = __builtin_shufflevector(ab, cd, 2, 3, 6, 7);
  *(heddle_four_NAME*)(to + 2 * side) = __builtin_shufflevector(ab2, cd2, 0, 1, 4, 5);
  *(heddle_four_NAME*)(to + 3 * side) = __builtin_shufflevector(ab2, cd2, 2, 3, 6, 7);
}
#endif
#endif
static inline void heddle_pack_NAME(
    const int side, TYPE* to, long to_step, const FROM* from, long row, long step, int rows,
    int depth) {
  int k = 0;
#if defined(HEDDLE_TRANSPOSES_NAME)
  enum { kSteps = 16, kMostRows = 64 };
  for (; step == 1 && rows >= side && side % 4 == 0 && side <= kMostRows && k + kSteps <= depth; k += kSteps) {
HELD    for (int i = 0; i < side; i += 4) {
      for (int j = 0; j < kSteps; j += 4) {
        heddle_transpose_NAME(ROWS_OF_I + j, ROW, to + (k + j) * to_step + i, to_step);
      }
    }
  }
#endif
  if (row == 1 && rows >= side) {
    for (; k < depth; ++k) {
      __builtin_prefetch(from + (k + 16) * step);
#pragma omp simd
      for (int i = 0; i < side; ++i) to[k * to_step + i] = heddle_loaded_NAME(from[k * step + i]);
    }
  }
  for (; k < depth; ++k) {
    for (int i = 0; i < side; ++i) {
      to[k * to_step + i] = i < rows ? heddle_loaded_NAME(from[i * row + k * step]) : 0;
    }
  }
}
)";

/// A piece of the rows, converted.
constexpr std::string_view kHeldRows = R"(    TYPE held[kMostRows * kSteps];
    for (int i = 0; i < side; ++i) {
#pragma omp simd
      for (int j = 0; j < kSteps; ++j) {
        held[i * kSteps + j] = heddle_loaded_NAME(from[i * row + k + j]);
      }
    }
)";

/// Four steps of each row together.
constexpr std::string_view kPackBytes = R"(
static inline void heddle_pack_NAME(
    const int side, int* to, long to_step, const FROM* from, long row, long step, int rows,
    int depth) {
  int k = 0;
  if (step == 1 && rows >= side) {
    for (; k + 4 <= depth; k += 4) {
      for (int i = 0; i < side; ++i) memcpy(to + k / 4 * to_step + i, from + i * row + k, 4);
    }
  }
  if (row == 1 && rows >= side) {
    for (; k + 4 <= depth; k += 4) {
      const FROM* const first = from + k * step;
      for (int j = 0; j < 4; ++j) __builtin_prefetch(first + (16 + j) * step);
#pragma omp simd
      for (int i = 0; i < side; ++i) {
        to[k / 4 * to_step + i] = (int)((unsigned)(unsigned char)first[i] |
                                     (unsigned)(unsigned char)first[step + i] << 8 |
                                     (unsigned)(unsigned char)first[2 * step + i] << 16 |
                                     (unsigned)(unsigned char)first[3 * step + i] << 24);
      }
    }
  }
  for (; k < depth; k += 4) {
    for (int i = 0; i < side; ++i) {
      unsigned char four[4] = {0};
      for (int j = 0; i < rows && j < 4 && k + j < depth; ++j) {
        four[j] = (unsigned char)from[i * row + (k + j) * step];
      }
      memcpy(to + k / 4 * to_step + i, four, 4);
    }
  }
}
)";

}  // namespace

std::string CpuPanels::add(const PackPanel& panel, std::string_view loaded) {
  const DType type = panel.type;
  const DType from = panel.from_type;
  const bool has_bytes = panel.together != 1;
  const std::string name =
      fmt::format("{}_of_{}", has_bytes ? "bytes" : name_of(type), name_of(from));
  const bool is_same = type == from;
  functions_.emplace(name,
                     replaced(std::string(has_bytes ? kPackBytes : kPack),
                              {{"HELD", is_same ? "" : std::string(kHeldRows)},
                               {"ROWS_OF_I", is_same ? "from + i * row + k" : "held + i * kSteps"},
                               {"ROW", is_same ? "row" : "kSteps"},
                               {"LOADED", std::string(loaded)},
                               {"NAME", name},
                               {"TYPE", std::string(stored_as(type, Target::kCpu))},
                               {"FROM", std::string(stored_as(from, Target::kCpu))}}));
  return "heddle_pack_" + name;
}

std::string CpuPanels::text() const {
  std::string text;
  for (const auto& [name, function] : functions_) text += function;
  return text;
}

}  // namespace heddle::kernel
