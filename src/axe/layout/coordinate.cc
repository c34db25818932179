#include "heddle/axe/coordinate.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "axe/layout/iters.h"

namespace heddle::axe {
namespace {

/// Room for these entries is made at once.
constexpr std::size_t kUsualAxes = 3;

bool number_before(const Int& a, const Int& b) {
  if (a.is_constant() && b.is_constant()) return a.value() < b.value();
  if (a.is_constant() != b.is_constant()) return a.is_constant();
  return to_string(a) < to_string(b);
}

}  // namespace

Coordinate::Coordinate(std::initializer_list<Entry> entries) {
  for (const auto& [axis, value] : entries) add(axis, value);
}

Int Coordinate::operator[](const Axis& axis) const {
  const auto found = std::ranges::lower_bound(entries_, axis, {}, &Entry::first);
  return found != entries_.end() && found->first == axis ? found->second : Int(0);
}

void Coordinate::add(const Axis& axis, const Int& value) {
  if (value == Int(0)) return;
  const auto found = std::ranges::lower_bound(entries_, axis, {}, &Entry::first);
  if (found == entries_.end() || found->first != axis) {
    const auto place = found - entries_.begin();
    if (entries_.empty()) entries_.reserve(kUsualAxes);
    entries_.emplace(entries_.begin() + place, axis, value);
    return;
  }
  found->second += value;
  if (found->second == Int(0)) entries_.erase(found);
}

void Coordinate::set(const Axis& axis, const Int& value) {
  std::erase_if(entries_, [&](const Entry& entry) { return entry.first == axis; });
  add(axis, value);
}

Coordinate& Coordinate::operator+=(const Coordinate& other) {
  for (const auto& [axis, value] : other) add(axis, value);
  return *this;
}

Coordinate& Coordinate::operator-=(const Coordinate& other) {
  for (const auto& [axis, value] : other) add(axis, -value);
  return *this;
}

Coordinate hadamard(const Coordinate& a, const Coordinate& b) {
  Coordinate product;
  for (const auto& [axis, value] : a) product.add(axis, value * b[axis]);
  return product;
}

bool operator<(const Coordinate& a, const Coordinate& b) {
  auto i = a.begin();
  auto j = b.begin();
  while (i != a.end() || j != b.end()) {
    const bool only_a = j == b.end() || (i != a.end() && i->first < j->first);
    const bool only_b = !only_a && (i == a.end() || j->first < i->first);
    const Int left = only_b ? Int(0) : i->second;
    const Int right = only_a ? Int(0) : j->second;
    if (!(left == right)) return number_before(left, right);
    if (!only_b) ++i;
    if (!only_a) ++j;
  }
  return false;
}

std::string to_string(const Coordinate& coordinate) {
  if (coordinate.is_zero()) return "0";
  std::vector<std::string> terms;
  for (const auto& [axis, value] : coordinate) {
    terms.push_back(step_text(value, axis));
  }
  return fmt::format("{}", fmt::join(terms, " + "));
}

}  // namespace heddle::axe
