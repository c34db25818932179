#include "heddle/core/nearest_names.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>
#include <ranges>
#include <utility>

namespace heddle {

namespace {

/// The Levenshtein distance: how many characters to change, insert or drop to get from `a` to `b`.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0]++;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t change = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({change, row[j] + 1, diagonal + 1});
    }
  }
  return row.back();
}

/// Whether the parts of the name between its points are in the text, in order: those of
/// `ldmatrix.x4` are in `ldmatrix.sync.aligned.m8n8.x4.shared.b16`.
bool has_parts(std::string_view text, std::string_view name) {
  std::size_t at = 0;
  for (const auto part : std::views::split(name, '.')) {
    const std::string_view wanted(part.begin(), part.end());
    at = text.find(wanted, at);
    if (at == std::string_view::npos) return false;
    at += wanted.size();
  }
  return true;
}

}  // namespace

std::vector<std::string> nearest_names(std::string_view name, std::span<const std::string> names) {
  constexpr std::size_t kMaxNames = 3;
  constexpr std::size_t kMaxLength = 64;
  if (name.size() > kMaxLength) return {};
  std::vector<std::pair<std::size_t, std::string>> near;
  for (const std::string& candidate : names) {
    const std::size_t distance = edit_distance(name, candidate);
    const bool is_part = name.size() >= 3 && has_parts(candidate, name);
    if (distance <= 1 + name.size() / 4 || is_part) near.emplace_back(distance, candidate);
  }
  std::ranges::sort(near);
  // Several systems have operations of one name.
  near.erase(std::unique(near.begin(), near.end()), near.end());
  near.resize(std::min(near.size(), kMaxNames));
  std::vector<std::string> nearest;
  for (auto& [distance, candidate] : near) nearest.push_back(std::move(candidate));
  return nearest;
}

std::string did_you_mean(std::string_view name, std::span<const std::string> names) {
  const std::vector<std::string> nearest = nearest_names(name, names);
  return nearest.empty() ? "" : fmt::format("did you mean {}?", fmt::join(nearest, " or "));
}

}  // namespace heddle
