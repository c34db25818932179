#pragma once

// What C for CPUs has around the statements of a kernel: functions that compilers can make vectors
// of, the function of a block, and the one that gives blocks to cores.
//
//   static void heddle_block_scale(const float* X, float* Y, int N, float alpha, int bx) { … }
//   int scale(const float* X, float* Y, int N, float alpha, int heddle_threads, int heddle_core)
//
// The second one gives the blocks of the grid to threads (0: as OpenMP is set), which it
// keeps on the cores from heddle_core on (-1: on any). It returns 0; 1 where there is no memory for
// them; 2 where there are no such threads or cores. heddle_run_scale() is the same with the
// arguments behind pointers.

#include <compare>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "heddle/kernel/dtype.h"
#include "heddle/kernel/thread_program.h"
#include "kernel/targets/support.h"

namespace heddle::kernel {

/// The shared memory of a block, which a core has in its caches.
inline constexpr std::int64_t kCpuTileBytes = std::int64_t{4} << 20;

/// Includes, and how the text is compiled.
[[nodiscard]] std::string cpu_head();

/// The function that multiplies tiles of a size: the types of sums and of the operands, which are
/// others if they are bytes.
struct TileFunction {
  DType type = DType::kF32;
  DType a = DType::kF32;
  DType b = DType::kF32;
  TileSize size;
  friend auto operator<=>(const TileFunction&, const TileFunction&) = default;
};
/// `heddle_multiply_f32_12x16`, `heddle_multiply_i8_u8_12x16`
[[nodiscard]] std::string name_of(const TileFunction& tile);

/// The functions of floats and integers that C has not, or none that compilers make vectors of.
class CpuFunctions {
 public:
  /// Whether there is one of this name and type, which is used then: heddle_exp_f32().
  bool add(std::string_view name, DType type);
  void add(const TileFunction& tile) { tiles_.insert(tile); }
  /// The name of the one that copies rows of a matrix into the order in which tiles read them, by
  /// `loaded`, which is the value of x: heddle_pack_f32_of_f16(), heddle_pack_bytes_of_i8().
  std::string add(const PackPanel& panel, std::string_view loaded);
  [[nodiscard]] Support support() const;

 private:
  std::set<std::pair<std::string, DType>> used_;
  std::set<TileFunction> tiles_;
  /// By their names.
  std::map<std::string, Support> panels_;
};

/// A parameter of a kernel: `const float*` and `X`.
struct CParameter {
  std::string type;
  std::string name;
};

/// What the functions of a kernel are made of.
struct CpuFunction {
  std::string name;
  std::vector<CParameter> parameters;
  /// The extents of the grid, in terms of the parameters.
  std::vector<std::string> grid;
  /// The memory of a block.
  std::int64_t bytes = 0;
  std::string body;
};
[[nodiscard]] std::string to_string(const CpuFunction& function);

}  // namespace heddle::kernel
