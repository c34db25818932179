#include "notation/operations/table_length.h"

#include <fmt/format.h>

namespace heddle::notation {

Result<std::size_t> table_length(const Int& size, const std::optional<Int>& limit) {
  if (limit && known_less(*limit, 0)) {
    return refuse("table.limit", fmt::format("a table of {} values", to_string(*limit)));
  }
  const Int length = limit ? min(*limit, size) : size;
  if (!length.is_constant()) {
    return refuse(
        Diagnostic("table.symbolic",
                   fmt::format("a table of {} values: the size is no number", to_string(length)))
            .with_hint("give a limit, or the symbols values: --assume 'M==256'"));
  }
  if (known_at_most(length, kMaxListed)) return static_cast<std::size_t>(length.value());
  return refuse(
      Diagnostic("table.too_large", fmt::format("a table of {} values; at most {} are listed",
                                                to_string(length), kMaxListed))
          .with_hint("give a limit"));
}

}  // namespace heddle::notation
