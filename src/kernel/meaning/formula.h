#pragma once

// An integer of a kernel, ready to be computed many times with machine integers.
//
//   128*bx + tx%32       products of places in a row of numbers and of operations on such sums
//
// instantiate() gives the same numbers, in microseconds; this takes nanoseconds.

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "heddle/core/exact.h"
#include "heddle/core/result.h"
#include "heddle/expr/code_operation.h"
#include "heddle/expr/int.h"

namespace heddle::kernel::meaning {

/// What the variables of a place in a kernel are: numbers, or places in the row of a thread.
struct Variables {
  std::map<std::string, std::int64_t, std::less<>> numbers;
  std::map<std::string, std::size_t, std::less<>> slots;
  /// Those of the slots that `let` has read from memory.
  std::set<std::string, std::less<>> loaded = {};
};

class Formula {
 public:
  Formula() = default;
  /// A number.
  explicit Formula(std::int64_t constant) : constant_(constant) {}

  /// Refuses `kernel.name` for a variable that has no value here, `overflow` for an undefined Int.
  [[nodiscard]] static Result<Formula> make(const Int& value, const Variables& variables);

  /// Its value for these numbers; nullopt for overflows and divisions by zero.
  [[nodiscard]] exact::Value at(std::span<const std::int64_t> row) const;

  /// Whether it is the same in all rows.
  [[nodiscard]] bool is_constant() const { return products_.empty(); }

 private:
  struct Operation;
  /// A slot, or the value of an operation.
  struct Factor {
    std::size_t slot = 0;
    std::shared_ptr<const Operation> operation = nullptr;
  };
  struct Product {
    std::int64_t coefficient = 1;
    std::vector<Factor> factors;
  };
  struct Maker;

  std::int64_t constant_ = 0;
  std::vector<Product> products_;
};

}  // namespace heddle::kernel::meaning
