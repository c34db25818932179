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

std::string too_many() { return fmt::format("more than {} parts", kMostParts); }

/// Finds the loops of a choice, and the units that run them.
class Search {
 public:
  explicit Search(const GemmUnits& of) : of_(of), axes_(of.atoms, of.digits) {}

  std::string run(GemmChoice& choice) {
    if (!find_spreads(choice) || !find_copies()) return too_many();
    for (std::size_t dim = 0; dim < 3; ++dim) {
      parts_[dim] = parts_of(spreads_[dim], axes_.origin());
    }
    for (const auto& row : parts_[0]) {
      for (const auto& column : parts_[1]) {
        if (auto reason = visit(row, column); !reason.empty()) return reason;
      }
    }
    choice.units = static_cast<std::int64_t>(parts_of_unit_.size());
    return is_even() ? "" : "the parts of C are unevenly spread";
  }

 private:
  using Part = std::array<Unit, 2>;

  /// Whether the parts are few enough.
  bool find_spreads(GemmChoice& choice) {
    choice.loops = {1, 1, 1};
    for (std::size_t dim = 0; dim < 3; ++dim) {
      for (const std::size_t number : of_.left[dim]) {
        const SharedDigit& digit = of_.digits.dims[dim][number];
        Spread spread{digit.extent, {axes_.move(digit.steps[0]), axes_.move(digit.steps[1])}};
        const bool is_spread_in_c = dim < 2 && !spread.moves[1].empty();
        if (!is_spread_in_c) choice.loops[dim] *= digit.extent;
        if (spread.moves[0].empty() && spread.moves[1].empty()) continue;
        if (digit.extent > kMostParts / count_) return false;
        count_ *= digit.extent;
        spreads_[dim].push_back(std::move(spread));
      }
    }
    return true;
  }

  /// Whether the parts are few enough, with all copies of each.
  bool find_copies() {
    for (std::size_t matrix = 0; matrix < 3; ++matrix) {
      Unit begin = axes_.origin();
      for (const auto& [axis, value] : of_.digits.matrices[matrix].offset) {
        begin = sum(begin, axes_.move({axis, value}), 1);
      }
      Units& copies = copies_[matrix];
      copies = {begin};
      for (const MatrixRun& run : of_.digits.matrices[matrix].copies) {
        const Unit move = axes_.move(run.step);
        if (move.empty()) continue;
        const std::int64_t held = count_ * static_cast<std::int64_t>(copies.size());
        if (run.extent > kMostParts / held) return false;
        copies = with_copies(copies, move, run.extent);
      }
    }
    return true;
  }

  static Units with_copies(const Units& copies, const Unit& move, std::int64_t extent) {
    Units all;
    for (const Unit& copy : copies) {
      for (std::int64_t i = 0; i < extent; ++i) all.insert(sum(copy, move, i));
    }
    return all;
  }

  /// Counts the part of C for its units, and looks for what they multiply for it.
  std::string visit(const Part& row, const Part& column) {
    const Units has_c = all_of(copies_[2], row[1], column[1]);
    for (const Unit& unit : has_c) ++parts_of_unit_[unit];
    for (const Part& step : parts_[2]) {
      const std::array<Units, 2> has = {all_of(copies_[0], row[0], step[0]),
                                        all_of(copies_[1], step[1], column[0])};
      for (std::size_t matrix = 0; matrix < 2; ++matrix) {
        if (auto reason = lacking(matrix, has_c, has[matrix]); !reason.empty()) return reason;
      }
    }
    return {};
  }

  [[nodiscard]] std::string lacking(std::size_t matrix, const Units& has_c,
                                    const Units& has) const {
    for (const Unit& unit : has_c) {
      const Unit reads = of_.atoms[matrix].is_in_memory ? axes_.in_block(unit) : unit;
      if (has.contains(reads)) continue;
      return fmt::format("a part of C is at {}, and the part of {} for it is at {}",
                         axes_.text(unit), kGemmMatrices[matrix], axes_.text(*has.begin()));
    }
    return {};
  }

  /// Whether each unit has as many parts of C as loops run over that all units share.
  [[nodiscard]] bool is_even() const {
    std::int64_t shared = 1;
    for (std::size_t dim = 0; dim < 2; ++dim) {
      for (const Spread& spread : spreads_[dim]) {
        if (spread.moves[1].empty()) shared *= spread.extent;
      }
    }
    return std::ranges::all_of(parts_of_unit_,
                               [&](const auto& unit) { return unit.second == shared; });
  }

  const GemmUnits& of_;
  Axes axes_;
  std::array<std::vector<Spread>, 3> spreads_;
  /// Of all dimensions together.
  std::int64_t count_ = 1;
  std::array<Units, 3> copies_;
  std::array<Parts, 3> parts_;
  std::map<Unit, std::int64_t> parts_of_unit_;
};

}  // namespace

bool is_unit_axis(const std::string& axis) {
  static const axe::AxisTable table = axe::AxisTable::hardware();
  return table.kind(Axis(axis)) != axe::AxisKind::kMemory;
}

std::string GemmUnits::find(GemmChoice& choice) const { return Search(*this).run(choice); }

}  // namespace heddle::machine
