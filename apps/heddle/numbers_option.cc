#include "heddle/numbers_option.h"

#include <fmt/format.h>

#include <charconv>
#include <system_error>

#include "heddle/notation/lexer.h"

namespace heddle::app {

Result<std::vector<std::int64_t>> numbers_of(const NumbersOption& option, const std::string& text) {
  std::string_view rest = text;
  if (rest.starts_with('(') && rest.ends_with(')')) rest = rest.substr(1, rest.size() - 2);
  std::vector<std::int64_t> numbers;
  while (true) {
    std::int64_t number = 0;
    const auto read = std::from_chars(rest.data(), rest.data() + rest.size(), number);
    if (read.ec != std::errc()) break;
    numbers.push_back(number);
    rest.remove_prefix(static_cast<std::size_t>(read.ptr - rest.data()));
    if (rest.empty() && numbers.size() >= option.least && numbers.size() <= option.most)
      return numbers;
    if (!rest.starts_with(',') && !rest.starts_with('x')) break;
    rest.remove_prefix(1);
  }
  return refuse("usage.option",
                fmt::format("{} is {}; {}", option.name, notation::quote(text), option.needed));
}

}  // namespace heddle::app
