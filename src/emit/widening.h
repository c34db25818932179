#pragma once

// Expressions over variables of 32 bits that compute in 64 bits where 32 may be too few.
//
//   8192*page + 128*row + lane      (long long)page * 8192 + row * 128 + lane
//
// An operation whose result is not known to fit has an operand that is cast, as C then widens the
// others. What fits is computed before the cast, in 32 bits.

#include <string>
#include <string_view>
#include <unordered_set>

#include "heddle/core/result.h"
#include "heddle/emit/print.h"

namespace heddle::emit {

class Widening {
 public:
  /// Operands are cast to the type `wide`; the options are those that the kernel is printed by.
  Widening(std::string_view wide, PrintOptions options)
      : wide_(wide), options_(std::move(options)) {}

  /// The kernel, which has no definitions, with variables in place of operands that are cast.
  [[nodiscard]] Result<Kernel> of(const Kernel& kernel);
  /// What these variables are written as, with the spelling of all others.
  [[nodiscard]] const PrintOptions& options() const { return options_; }

 private:
  [[nodiscard]] CodeExpression widened(const CodeExpression& node);
  [[nodiscard]] CodeExpression cast(const CodeExpression& operand);
  [[nodiscard]] bool is_wide(const CodeExpression& node) const {
    return wide_nodes_.contains(node.identity());
  }

  std::string wide_;
  PrintOptions options_;
  /// The nodes whose text has the wide type.
  std::unordered_set<const void*> wide_nodes_;
  /// Why an operand cannot be printed.
  Result<void> printed_;
};

}  // namespace heddle::emit
