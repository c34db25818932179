#include "machine/gemm/units.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "heddle/axe/axes.h"

namespace heddle::machine {
namespace {

/// Numbers of units along each axis, in the order of `axes`.
using Unit = std::vector<std::int64_t>;
using Units = std::set<Unit>;

constexpr std::int64_t kMostParts = std::int64_t{1} << 18;

/// The axes of units, and how many places of each an instruction takes together.
class Axes {
 public:
  Axes(const std::array<GemmAtom, 3>& atoms, const GemmDigits& digits) {
    for (std::size_t matrix = 0; matrix < 3; ++matrix) {
      const MatrixDigits& has = digits.matrices[matrix];
      for (const MatrixRuns* runs : {&has.sides[0], &has.sides[1], &has.copies}) {
        for (const MatrixRun& run : *runs) add(run.step.axis);
      }
      for (const auto& [axis, value] : has.offset) add(axis);
      for (auto& [axis, size] : sizes_) {
        const auto found = atoms[matrix].sizes.find(axis);
        if (found != atoms[matrix].sizes.end()) size = std::max(size, found->second);
      }
    }
  }

  /// What a step adds to the numbers of the units; empty if it stays within one.
  [[nodiscard]] Unit move(const MatrixStep& step) const {
    Unit moved;
    bool has_moved = false;
    for (const auto& [axis, size] : sizes_) {
      const std::int64_t units = step.axis == axis ? step.stride / size : 0;
      moved.push_back(units);
      has_moved = has_moved || units != 0;
    }
    return has_moved ? moved : Unit();
  }
  /// The unit as one that reads shared memory, which all warps of a block see.
  [[nodiscard]] Unit in_block(Unit unit) const {
    std::size_t i = 0;
    for (const auto& [axis, size] : sizes_) {
      if (axis == "warpid") unit[i] = 0;
      ++i;
    }
    return unit;
  }
  [[nodiscard]] Unit origin() const { return Unit(sizes_.size()); }

  [[nodiscard]] std::string text(const Unit& unit) const {
    std::string text;
    std::size_t i = 0;
    for (const auto& [axis, size] : sizes_) {
      text += fmt::format("{}{}@{}", i == 0 ? "" : " + ", unit[i], axis);
      ++i;
    }
    return text;
  }

 private:
  void add(const std::string& axis) {
    // Lanes execute an instruction together.
    if (axis != "laneid" && is_unit_axis(axis)) sizes_.try_emplace(axis, 1);
  }
  std::map<std::string, std::int64_t> sizes_;
};

Unit sum(Unit a, const Unit& b, std::int64_t times) {
  for (std::size_t i = 0; i < b.size(); ++i) a[i] += times * b[i];
  return a;
}

/// A loop over parts of M, N or K: what it does to the units of the two matrices.
struct Spread {
  std::int64_t extent = 1;
  std::array<Unit, 2> moves;
};

/// Where all parts of one dimension are, for the two matrices that have it.
using Parts = std::vector<std::array<Unit, 2>>;
Parts parts_of(const std::vector<Spread>& spreads, const Unit& origin) {
  Parts parts = {{origin, origin}};
  for (const Spread& spread : spreads) {
    Parts more;
    for (std::int64_t i = 0; i < spread.extent; ++i) {
      for (const auto& part : parts) {
        more.push_back({sum(part[0], spread.moves[0], i), sum(part[1], spread.moves[1], i)});
      }
    }
    parts = std::move(more);
  }
  return parts;
}

Units all_of(const Units& copies, const Unit& first, const Unit& second) {
  Units all;
  for (const Unit& copy : copies) all.insert(sum(sum(copy, first, 1), second, 1));
  return all;
}

}  // namespace

bool is_unit_axis(const std::string& axis) {
  static const axe::AxisTable table = axe::AxisTable::hardware();
  return table.kind(Axis(axis)) != axe::AxisKind::kMemory;
}

std::string GemmUnits::find(GemmChoice& choice) const {
  const Axes axes(atoms, digits);
  std::array<std::vector<Spread>, 3> spreads;
  std::int64_t count = 1;
  choice.loops = {1, 1, 1};
  for (std::size_t dim = 0; dim < 3; ++dim) {
    for (const std::size_t number : left[dim]) {
      const SharedDigit& digit = digits.dims[dim][number];
      Spread spread{digit.extent, {axes.move(digit.steps[0]), axes.move(digit.steps[1])}};
      const bool is_spread_in_c = dim < 2 && !spread.moves[1].empty();
      if (!is_spread_in_c) choice.loops[dim] *= digit.extent;
      if (spread.moves[0].empty() && spread.moves[1].empty()) continue;
      count *= digit.extent;
      if (count > kMostParts) return fmt::format("more than {} parts", kMostParts);
      spreads[dim].push_back(std::move(spread));
    }
  }
  std::array<Units, 3> copies;
  for (std::size_t matrix = 0; matrix < 3; ++matrix) {
    Unit begin = axes.origin();
    for (const auto& [axis, value] : digits.matrices[matrix].offset) {
      begin = sum(begin, axes.move({axis, value}), 1);
    }
    copies[matrix] = {begin};
    for (const MatrixRun& run : digits.matrices[matrix].copies) {
      const Unit move = axes.move(run.step);
      if (move.empty()) continue;
      Units more;
      for (const Unit& copy : copies[matrix]) {
        for (std::int64_t i = 0; i < run.extent; ++i) more.insert(sum(copy, move, i));
      }
      copies[matrix] = std::move(more);
      const auto held = static_cast<std::int64_t>(copies[matrix].size());
      if (count * held > kMostParts) return fmt::format("more than {} parts", kMostParts);
    }
  }
  const Parts m = parts_of(spreads[0], axes.origin());
  const Parts n = parts_of(spreads[1], axes.origin());
  const Parts k = parts_of(spreads[2], axes.origin());
  std::map<Unit, std::int64_t> parts_of_unit;
  for (const auto& row : m) {
    for (const auto& column : n) {
      const Units has_c = all_of(copies[2], row[1], column[1]);
      for (const Unit& unit : has_c) ++parts_of_unit[unit];
      for (const auto& step : k) {
        const std::array<Units, 2> has = {all_of(copies[0], row[0], step[0]),
                                          all_of(copies[1], step[1], column[0])};
        for (std::size_t matrix = 0; matrix < 2; ++matrix) {
          for (const Unit& unit : has_c) {
            const Unit reads = atoms[matrix].is_in_memory ? axes.in_block(unit) : unit;
            if (has[matrix].contains(reads)) continue;
            return fmt::format("a part of C is at {}, and the part of {} for it is at {}",
                               axes.text(unit), kGemmMatrices[matrix],
                               axes.text(*has[matrix].begin()));
          }
        }
      }
    }
  }
  choice.units = static_cast<std::int64_t>(parts_of_unit.size());
  const std::int64_t most = parts_of_unit.begin()->second;
  const bool is_even =
      std::ranges::all_of(parts_of_unit, [&](const auto& unit) { return unit.second == most; });
  std::int64_t spread_in_a = 1;
  for (std::size_t dim = 0; dim < 2; ++dim) {
    for (const Spread& spread : spreads[dim]) {
      if (spread.moves[1].empty()) spread_in_a *= spread.extent;
    }
  }
  if (!is_even || most != spread_in_a) return "the parts of C are unevenly spread";
  return {};
}

}  // namespace heddle::machine
