#include "kernel/assumption.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <vector>

#include "expr/term/substitute.h"
#include "heddle/expr/proof.h"

namespace heddle::kernel {

namespace {

/// Sizes are at least 1; indices and what is read are not.
bool is_size_atom(const expr::AtomPointer& atom) { return atom->variable().range.low >= 1; }

}  // namespace

std::string assumed_multiples(std::span<const Int> values, std::span<const std::int64_t> numbers,
                              const std::function<bool(const Assumed&)>& holds) {
  std::vector<std::string> sizes;
  for (const expr::AtomPointer& atom : expr::variable_atoms(values)) {
    if (is_size_atom(atom)) sizes.push_back(atom->variable().name);
  }
  const auto is_enough = [&](std::span<const std::string> names, std::int64_t number) {
    constexpr std::int64_t kMostTimes = std::int64_t{1} << 30;
    Bindings multiples;
    for (const std::string& name : names) {
      multiples[name] = number * Int::variable(name, 1, kMostTimes);
    }
    return holds([&](const Int& value) {
      const auto assumed = instantiate(value, multiples);
      return assumed ? *assumed : Int();
    });
  };
  for (const std::int64_t number : numbers) {
    // One of them alone, from the last one, which is the length of rows; else all of them.
    std::vector<std::vector<std::string>> sets;
    for (auto size = sizes.rbegin(); size != sizes.rend(); ++size) sets.push_back({*size});
    if (sizes.size() > 1) sets.push_back(sizes);
    for (const std::vector<std::string>& names : sets) {
      if (!is_enough(names, number)) continue;
      std::vector<std::string> texts;
      for (const std::string& name : names)
        texts.push_back(fmt::format("{} % {} == 0", name, number));
      return fmt::format("{}", fmt::join(texts, ", "));
    }
  }
  return {};
}

std::string assumption(const Condition& condition) {
  const std::array sides = {condition.left, condition.right};
  const bool is_defined =
      std::ranges::all_of(sides, [](const Int& each) { return each.is_defined(); });
  if (!is_defined || !std::ranges::all_of(expr::variable_atoms(sides), is_size_atom)) return {};
  const std::string sufficient = assumption_for(condition);
  if (!sufficient.empty()) return fmt::format("assume {} before the launch", sufficient);
  constexpr std::array<std::int64_t, 11> kPowers = {2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048};
  const std::string multiples = assumed_multiples(sides, kPowers, [&](const Assumed& assumed) {
    return known({assumed(condition.left), condition.predicate, assumed(condition.right)});
  });
  return multiples.empty() ? std::string() : fmt::format("assume {} before the launch", multiples);
}

}  // namespace heddle::kernel
