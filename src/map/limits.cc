#include "heddle/map/limits.h"

#include <algorithm>

namespace heddle::map {

Limits Limits::begun() const {
  Limits limits = *this;
  if (!end) limits.end = std::chrono::steady_clock::now() + time;
  return limits;
}

std::chrono::milliseconds Limits::time_left() const {
  using std::chrono::milliseconds;
  if (!end) return time;
  const auto left = std::chrono::ceil<milliseconds>(*end - std::chrono::steady_clock::now());
  return std::clamp(left, milliseconds(0), time);
}

bool Limits::are_over() const {
  return stop.stop_requested() || time_left() <= std::chrono::milliseconds(0);
}

}  // namespace heddle::map
