#include "heddle/hub_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "heddle/notation/hub.h"
#include "heddle/notation/lexer.h"
#include "heddle/numbers_option.h"

namespace heddle::app {

Result<map::AnyLayout> any_layout_of(const std::string& expression,
                                     const notation::Environment& environment) {
  HEDDLE_TRY(const notation::Value value, notation::evaluate(expression, environment));
  return notation::hub_layout(value);
}

Result<std::optional<map::Reading>> reading_of(const std::string& text) {
  if (text.empty()) return std::nullopt;
  if (const auto reading = map::find_reading(text)) return reading;
  return refuse("usage.option", fmt::format("--as is {}; literal, memory or ownership is needed",
                                            notation::quote(text)));
}

Result<map::System> system_of(const std::string& text) {
  if (const auto system = map::find_system(text)) return *system;
  std::vector<std::string_view> names;
  for (const map::System system : map::systems()) names.push_back(map::name(system));
  if (text.empty()) {
    return refuse(Diagnostic("usage.option", "convert needs --to SYSTEM")
                      .with_hint(fmt::format("the systems are {}", fmt::join(names, ", "))));
  }
  return refuse("usage.option", fmt::format("--to is {}; one of {} is needed",
                                            notation::quote(text), fmt::join(names, ", ")));
}

Result<std::optional<std::vector<Int>>> box_of(const std::string& text) {
  if (text.empty()) return std::nullopt;
  constexpr NumbersOption kShape = {"--shape", 1, 64, "a shape is needed, as 8,16"};
  HEDDLE_TRY(const std::vector<std::int64_t> sizes, numbers_of(kShape, text));
  return std::vector<Int>(sizes.begin(), sizes.end());
}

std::string shape_text(const std::vector<Int>& shape) {
  std::vector<std::string> sizes;
  for (const Int& size : shape) sizes.push_back(to_string(size));
  return fmt::format("({})", fmt::join(sizes, ","));
}

std::string remark_text(const map::Converted& converted) {
  if (map::system_of(converted.layout) != map::System::kAxe) return converted.remark;
  const std::string shape = fmt::format("shape {}", shape_text(converted.shape));
  return converted.remark.empty() ? shape : shape + ", " + converted.remark;
}

std::string indented(const std::string& text, std::size_t blanks) {
  std::string result;
  for (const char character : text) {
    result += character;
    if (character == '\n') result.append(blanks, ' ');
  }
  return result;
}

std::string layout_json(const map::AnyLayout& layout) {
  return notation::to_json(notation::to_value(layout));
}

}  // namespace heddle::app
