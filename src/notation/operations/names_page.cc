#include "notation/operations/names_page.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace heddle::notation {

Result<std::string> names_page(const std::vector<std::string>& names, const Int& from,
                               const std::optional<Int>& limit, std::string_view next) {
  const auto count = static_cast<std::int64_t>(names.size());
  const Int most = limit.value_or(count);
  if (!from.is_constant() || !most.is_constant() || known_less(from, 0) || known_less(most, 0)) {
    return refuse("table.limit",
                  fmt::format("{} names from number {} on", to_string(most), to_string(from)));
  }
  const std::int64_t begin = std::min(from.value(), count);
  const std::int64_t end = begin + std::min(most.value(), count - begin);
  const std::string page =
      fmt::format("{}", fmt::join(names.begin() + begin, names.begin() + end, " "));
  if (end == count) return page;
  return fmt::format("{}\n{} more: {}{})", page, count - end, next, end);
}

}  // namespace heddle::notation
