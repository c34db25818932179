#pragma once

// The analyses that are also drawn: what the operations `bank_conflicts` and `compare` find, for
// the pictures of them.

#include <optional>
#include <string>

#include "heddle/map/compare.h"
#include "heddle/notation/analyses.h"
#include "notation/operations/binding.h"

namespace heddle::notation {

/// What `bank_conflicts` says; its arguments as in the table.
[[nodiscard]] Result<analyze::BankReport> bank_report(const Value& access,
                                                      const std::optional<Value>& shared,
                                                      const Int& element_bits, const Int& max_bits,
                                                      const std::optional<IntTuple>& shape,
                                                      const std::optional<std::string>& machine,
                                                      const std::string& direction);

/// The access that `bank_conflicts` assumes for a memory alone, and in words.
[[nodiscard]] Result<std::optional<cute::Layout>> assumed_for_banks(
    const Value& access, const std::optional<Value>& shared, const Int& element_bits,
    const std::optional<IntTuple>& shape, const std::optional<std::string>& machine);
[[nodiscard]] std::string access_text(const cute::Layout& access);

/// What `compare` says.
[[nodiscard]] Result<map::Comparison> compared(const map::AnyLayout& a, const map::AnyLayout& b,
                                               std::optional<map::Reading> as,
                                               const std::optional<IntList>& shape,
                                               const map::DecideOptions& asked);

}  // namespace heddle::notation
