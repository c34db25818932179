#include "notation/pictures/terminal_arguments.h"

#include <fmt/format.h>

#include "heddle/notation/lexer.h"

namespace heddle::notation {

Result<std::optional<std::int64_t>> number_of(const std::optional<Int>& given,
                                              std::string_view name) {
  if (!given) return std::nullopt;
  if (given->is_constant()) return given->value();
  return refuse("call.type", fmt::format("{} is {}; a number is needed", name, to_string(*given)));
}

Result<draw::TerminalStyle> style_of(const std::optional<std::string>& color,
                                     const std::optional<Int>& width) {
  draw::TerminalStyle style;
  style.color = color.has_value();
  style.true_color = color == "true";
  if (style.color && !style.true_color && color != "256") {
    return refuse("call.type", fmt::format("the colours of a terminal are '256' or 'true', not {}",
                                           quote(*color)));
  }
  HEDDLE_TRY(const auto characters, number_of(width, "width"));
  if (characters.value_or(0) < 0) {
    return refuse("call.type",
                  fmt::format("width is {}; it is a number of characters", *characters));
  }
  style.width = static_cast<std::size_t>(characters.value_or(0));
  return style;
}

}  // namespace heddle::notation
