#pragma once

// Which integers of a program may pass 32 bits on the way, so that sources compute them in 64:
// names that are read from memory times something, and products of sizes, but no places in tiles,
// which are bounded by the grid.
//
//   kernel f(X: f32[M,N]) launch cta (M+127)//128
//     128*bx + tx      up to 2^31 - 1, as 128*bx is less than M
//     M*N*N            past them, though M*N is not, where X has these extents

#include <map>
#include <set>
#include <string>
#include <unordered_set>
#include <vector>

#include "heddle/expr/code_expression.h"
#include "heddle/expr/int.h"

namespace heddle::kernel {

/// The numbers between two ends, which may be infinite; exact up to 2^53.
struct Interval {
  double low = 0;
  double high = 0;
};

/// What is known of the names of a program, besides the ranges that they have in its integers.
class IntegerBounds {
 public:
  /// What a number of 32 bits may be, and what any number may be.
  static Interval narrow();
  static Interval all();

  void add_size(const std::string& size);
  /// The extents of a tensor, the product of which has 32 bits.
  void add_tensor(const std::vector<Int>& shape);
  /// The name has these numbers too.
  void add(const std::string& name, Interval numbers);
  /// The numbers that the only result of the kernel may be.
  [[nodiscard]] Interval result_of(const heddle::Kernel& kernel) const;
  /// Whether all operations have results of 32 bits. Cost: linear in the nodes.
  [[nodiscard]] bool fit_32_bits(const heddle::Kernel& kernel) const;
  /// Whether the results have the right low 32 bits if all is computed in 32: what is divided,
  /// shifted to the right or chosen from fits into them. Cost: linear in the nodes.
  [[nodiscard]] bool have_low_bits(const heddle::Kernel& kernel) const;

 private:
  std::map<std::string, Interval> names_;
  /// The names among the extents of each tensor.
  std::vector<std::set<std::string>> tensors_;
  /// The products of some extents of one tensor.
  std::unordered_set<Int> products_;
};

}  // namespace heddle::kernel
