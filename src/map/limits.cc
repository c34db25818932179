#include "heddle/map/limits.h"

#include <fmt/format.h>

namespace heddle::map {

Limits Limits::begun() const {
  Limits limits = *this;
  if (time && !end) limits.end = std::chrono::steady_clock::now() + *time;
  return limits;
}

bool Limits::are_over() const {
  return stop.stop_requested() || (end && std::chrono::steady_clock::now() >= *end);
}

std::string Limits::over_text() const {
  if (stop.stop_requested()) return "it was interrupted";
  const auto milliseconds = time.value_or(std::chrono::milliseconds(0)).count();
  if (milliseconds < 1'000) return fmt::format("the time limit is {} ms", milliseconds);
  return fmt::format("the time limit is {:.3g} s", static_cast<double>(milliseconds) / 1'000);
}

}  // namespace heddle::map
