// Analyses of encodings: the layouts of a tensor of that shape, put into the analyses of layouts.

#include <fmt/format.h>

#include "heddle/analyze/banks.h"

namespace heddle::analyze {

Result<BankReport> bank_conflicts(const linear::Encoding& registers, const linear::Encoding& shared,
                                  std::span<const std::int64_t> shape, int element_bits,
                                  int max_bits) {
  if (!registers.is_distributed() || !shared.is_shared()) {
    return refuse(
        "analyze.encoding",
        fmt::format("a {} encoding and a {} encoding: bank conflicts need one of registers "
                    "and one of shared memory",
                    registers.kind(), shared.kind()));
  }
  HEDDLE_TRY(const linear::LinearLayout held, linear::to_linear_layout(registers, shape));
  HEDDLE_TRY(const linear::LinearLayout stored, linear::to_linear_layout(shared, shape));
  const auto* padded = shared.get_if<linear::PaddedSharedEncoding>();
  const Paddings paddings = padded == nullptr ? Paddings{} : Paddings(padded->paddings);
  HEDDLE_TRY(const Access access, make_access(held, stored, element_bits, paddings));
  return bank_conflicts(access, max_bits);
}

}  // namespace heddle::analyze
