#include "machine/gemm/fit.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "axe/layout/iters.h"
#include "core/format.h"
#include "form/divisors.h"
#include "heddle/axe/canonical.h"
#include "heddle/axe/group.h"
#include "heddle/axe/tile.h"
#include "heddle/core/exact.h"
#include "heddle/machine/matrix_descriptor.h"
#include "machine/gemm/units.h"

namespace heddle::machine {
namespace {

using Digits = std::vector<SharedDigit>;
using Numbers = std::vector<std::size_t>;

std::string text_of(const MatrixStep& step) {
  return step.stride == 0 ? "0" : fmt::format("{}@{}", step.stride, step.axis);
}

/// Axes of which an instruction takes one of several equal parts.
bool has_parts(const std::string& axis) { return axis == "warpid" || axis == "TCol"; }

axe::Iter iter_of(std::int64_t extent, const MatrixStep& step) {
  return {extent, step.stride, step.stride == 0 ? Axis::memory() : Axis(step.axis)};
}

/// Chooses the digits of one instruction, and proves that the rest are loops.
class Fitting {
 public:
  Fitting(const form::Instruction& instruction, const GemmTensors& tensors,
          const GemmDigits& digits, std::int64_t bank_elements)
      : instruction_(instruction),
        tensors_(tensors),
        digits_(digits),
        bank_elements_(bank_elements) {}

  GemmChoice run() {
    choice_.instruction = instruction_.name;
    choice_.shape = instruction_.shape;
    using Step = std::string (Fitting::*)();
    for (const Step step :
         {&Fitting::read_atoms, &Fitting::check_places, &Fitting::choose, &Fitting::stay_in_bank,
          &Fitting::check_rest, &Fitting::check_offsets, &Fitting::check_copies,
          &Fitting::check_descriptors, &Fitting::find_loops, &Fitting::prove}) {
      choice_.reason = (this->*step)();
      if (!choice_.reason.empty()) break;
    }
    return std::move(choice_);
  }

 private:
  std::string read_atoms() {
    if (instruction_.operands.empty()) return "it has no operands";
    choice_.type = instruction_.operands.front().type;
    for (std::size_t matrix = 0; matrix < 3; ++matrix) {
      auto atom = gemm_atom(instruction_, matrix);
      if (auto* reason = std::get_if<std::string>(&atom)) return *std::move(reason);
      atoms_[matrix] = std::get<GemmAtom>(std::move(atom));
    }
    for (std::size_t dim = 0; dim < 3; ++dim) {
      const auto [one, other] = kGemmSides[dim];
      const std::int64_t size = atoms_[one.matrix].shape[one.side];
      if (size != atoms_[other.matrix].shape[other.side]) {
        return fmt::format("it computes several products: {} is {} in {} and {} in {}",
                           kGemmDims[dim], size, kGemmMatrices[one.matrix],
                           atoms_[other.matrix].shape[other.side], kGemmMatrices[other.matrix]);
      }
      sizes_[dim] = size;
    }
    const auto* c = instruction_.operand("C");
    const auto* d = instruction_.operand("D");
    if (c != nullptr && d != nullptr && c->fragment != d->fragment) {
      return "C and D are held in different ways";
    }
    return {};
  }

  /// Whether each matrix is where the instruction takes it from.
  std::string check_places() {
    for (std::size_t matrix = 0; matrix < 3; ++matrix) {
      std::set<std::string> has;
      for (const MatrixRuns& side : digits_.matrices[matrix].sides) {
        for (const MatrixRun& run : side) has.insert(run.step.axis);
      }
      const GemmAtom& atom = atoms_[matrix];
      const bool is_on_lanes = has.contains("laneid");
      const auto is_there = [&](const auto& place) {
        return has.contains(place.first) || has_parts(place.first) ||
               is_copied(matrix, place.first);
      };
      if (std::ranges::all_of(atom.sizes, is_there) && !(atom.is_in_memory && is_on_lanes))
        continue;
      std::vector<std::string> wanted;
      for (const auto& [axis, size] : atom.sizes) wanted.push_back(axis);
      return fmt::format("{} is on {}; the instruction takes it from {}", kGemmMatrices[matrix],
                         fmt::join(has, ", "),
                         atom.is_in_memory ? "memory" : fmt::format("{}", fmt::join(wanted, ", ")));
    }
    return {};
  }

  /// Whether the atom has nothing but copies along the axis, or one element.
  [[nodiscard]] bool is_copied(std::size_t matrix, const std::string& axis) const {
    for (const MatrixRuns& side : atoms_[matrix].digits.sides) {
      for (const MatrixRun& run : side) {
        if (run.step.axis == axis) return false;
      }
    }
    return true;
  }

  // ---- Choosing digits ----

  [[nodiscard]] const MatrixRuns& runs_of(const GemmSide& side) const {
    return atoms_[side.matrix].digits.sides[side.side];
  }

  [[nodiscard]] bool agrees(std::size_t matrix, const MatrixStep& wanted,
                            const MatrixStep& has) const {
    const GemmAtom& atom = atoms_[matrix];
    if (wanted.axis != atom.free_axis) return wanted == has;
    if (has.axis != wanted.axis) return false;
    if (wanted.stride < atom.per_register) return wanted.stride == has.stride;
    return has.stride % atom.per_register == 0;
  }

  /// The digits that are one instruction's part of a dimension, in its order. If `chained` is one
  /// of the two matrices, its steps are one iter from the smallest on.
  [[nodiscard]] Numbers walk(std::size_t dim, std::optional<std::size_t> chained) const {
    const Digits& all = digits_.dims[dim];
    const auto [one, other] = kGemmSides[dim];
    Numbers used;
    std::int64_t weight = 1;
    const auto is_next = [&](std::size_t number) {
      const SharedDigit& digit = all[number];
      if (std::ranges::find(used, number) != used.end()) return false;
      if (digit.extent > sizes_[dim] / weight) return false;
      const bool is_whole = !instruction_.takes_smaller;
      if (is_whole && sizes_[dim] % (weight * digit.extent) != 0) return false;
      const auto first = step_at(runs_of(one), weight, digit.extent, is_whole);
      const auto second = step_at(runs_of(other), weight, digit.extent, is_whole);
      if (!first || !second || !agrees(one.matrix, *first, digit.steps[0]) ||
          !agrees(other.matrix, *second, digit.steps[1])) {
        return false;
      }
      return !chained || used.empty() ||
             exact::multiply(weight, all[used.front()].steps[*chained].stride) ==
                 digit.steps[*chained].stride;
    };
    const std::size_t key = chained.value_or(1);
    const auto is_before = [&](std::size_t a, std::size_t b) {
      const auto strides = [&](std::size_t number) {
        return std::pair(std::abs(all[number].steps[key].stride),
                         std::abs(all[number].steps[1 - key].stride));
      };
      return strides(a) < strides(b);
    };
    while (weight < sizes_[dim]) {
      std::optional<std::size_t> best;
      for (std::size_t number = 0; number < all.size(); ++number) {
        if (is_next(number) && (!best || is_before(number, *best))) best = number;
      }
      if (!best) break;
      used.push_back(*best);
      weight *= all[*best].extent;
    }
    return used;
  }

  [[nodiscard]] std::int64_t product(std::size_t dim, const Numbers& numbers) const {
    std::int64_t size = 1;
    for (const std::size_t number : numbers) size *= digits_.dims[dim][number].extent;
    return size;
  }

  std::string choose() {
    for (std::size_t dim = 0; dim < 3; ++dim) {
      const auto [one, other] = kGemmSides[dim];
      const bool is_whole = !instruction_.takes_smaller;
      if (is_whole && tensors_.shape[dim] % sizes_[dim] != 0) {
        return fmt::format("{} is {}, not a multiple of what one instruction takes", kGemmDims[dim],
                           tensors_.shape[dim]);
      }
      const bool is_free = is_free_side(one) && is_free_side(other);
      if (is_whole || !is_free) {
        used_[dim] = walk(dim, {});
      } else {
        // Seed 002: one of the two is a single iter, the one that gives the larger instruction.
        used_[dim] = walk(dim, 1);
        Numbers of_first = walk(dim, 0);
        if (product(dim, of_first) > product(dim, used_[dim])) used_[dim] = std::move(of_first);
      }
      choice_.shape[dim] = product(dim, used_[dim]);
      compare(dim);
      if (choice_.shape[dim] == sizes_[dim]) continue;
      if (is_whole) return next_digit(dim);
      if (auto reason = gap_reason(dim); !reason.empty()) return reason;
    }
    return {};
  }

  /// Notes which matrices have the digits of a dimension where the instruction has them, and not
  /// merely on the same free axis.
  void compare(std::size_t dim) {
    std::int64_t weight = 1;
    for (const std::size_t number : used_[dim]) {
      const SharedDigit& digit = digits_.dims[dim][number];
      for (std::size_t i = 0; i < 2; ++i) {
        const GemmSide& side = kGemmSides[dim][i];
        if (step_at(runs_of(side), weight, digit.extent, false) != digit.steps[i]) {
          is_reordered_[side.matrix] = true;
        }
      }
      weight *= digit.extent;
    }
  }

  [[nodiscard]] bool is_free_side(const GemmSide& side) const {
    const std::string& free = atoms_[side.matrix].free_axis;
    return !free.empty() && std::ranges::all_of(runs_of(side), [&](const MatrixRun& run) {
      return run.step.axis == free;
    });
  }

  /// What the next digit of a dimension would have to be.
  [[nodiscard]] std::string next_digit(std::size_t dim) const {
    const std::int64_t weight = choice_.shape[dim];
    const std::int64_t factor = form::primes_of(sizes_[dim] / weight).front();
    const auto wanted = [&](const GemmSide& side) {
      const auto step = step_at(runs_of(side), weight, factor);
      if (!step) return fmt::format("anywhere in {}", kGemmMatrices[side.matrix]);
      const GemmAtom& atom = atoms_[side.matrix];
      const bool is_free = step->axis == atom.free_axis && step->stride >= atom.per_register;
      return fmt::format("at {} in {}",
                         is_free ? fmt::format("some {}", step->axis) : text_of(*step),
                         kGemmMatrices[side.matrix]);
    };
    const auto [one, other] = kGemmSides[dim];
    return fmt::format("along {} no digit of {} is {} and {}", kGemmDims[dim], factor, wanted(one),
                       wanted(other));
  }

  /// Of a smaller instruction: the elements that it leaves out must be the last ones on their axis.
  [[nodiscard]] std::string gap_reason(std::size_t dim) const {
    for (const GemmSide& side : kGemmSides[dim]) {
      std::int64_t reached = 1;
      for (const MatrixRun& run : runs_of(side)) {
        reached *= run.extent;
        const std::int64_t places = atoms_[side.matrix].sizes.at(run.step.axis);
        if (reached <= choice_.shape[dim] || run.step.stride * run.extent == places) continue;
        return fmt::format("{} of {} along {} leave gaps on {} of {}", choice_.shape[dim],
                           sizes_[dim], kGemmDims[dim], run.step.axis, kGemmMatrices[side.matrix]);
      }
    }
    return {};
  }

  // ---- The rest ----

  [[nodiscard]] Numbers left(std::size_t dim) const {
    Numbers numbers;
    for (std::size_t number = 0; number < digits_.dims[dim].size(); ++number) {
      if (std::ranges::find(used_[dim], number) == used_[dim].end()) numbers.push_back(number);
    }
    return numbers;
  }

  /// The digits of M and N along which C moves on its free axis, as (extent, stride).
  [[nodiscard]] std::vector<std::pair<std::int64_t, std::int64_t>> steps_in_c(bool of_rest) const {
    std::vector<std::pair<std::int64_t, std::int64_t>> steps;
    for (std::size_t dim = 0; dim < 2; ++dim) {
      for (const std::size_t number : of_rest ? left(dim) : used_[dim]) {
        const SharedDigit& digit = digits_.dims[dim][number];
        if (digit.steps[1].axis != atoms_[2].free_axis) continue;
        steps.emplace_back(digit.extent, digit.steps[1].stride);
      }
    }
    return steps;
  }

  [[nodiscard]] bool leaves_bank() const {
    std::int64_t lowest = 0;
    std::int64_t highest = 0;
    for (const auto& [extent, stride] : steps_in_c(false)) {
      (stride < 0 ? lowest : highest) += (extent - 1) * stride;
    }
    const auto offset = digits_.matrices[2].offset.find(atoms_[2].free_axis);
    std::set<std::int64_t> begins = {offset == digits_.matrices[2].offset.end() ? 0
                                                                                : offset->second};
    for (const auto& [extent, stride] : steps_in_c(true)) {
      std::set<std::int64_t> more;
      for (const std::int64_t begin : begins) {
        // Only the place within a bank matters.
        for (std::int64_t i = 0; i < std::min(extent, bank_elements_); ++i) {
          more.insert(exact::floor_modulo(begin + i * stride, bank_elements_).value());
        }
      }
      begins = std::move(more);
    }
    return std::ranges::any_of(begins, [&](std::int64_t begin) {
      const std::int64_t within = exact::floor_modulo(begin, bank_elements_).value();
      return within + lowest < 0 || highest >= bank_elements_ - within;
    });
  }

  std::string stay_in_bank() {
    if (bank_elements_ == 0) return {};
    while (leaves_bank()) {
      if (used_[1].empty()) return "C leaves its bank";
      used_[1].pop_back();
    }
    choice_.shape[1] = product(1, used_[1]);
    return {};
  }

  std::string check_rest() {
    for (std::size_t dim = 0; dim < 3; ++dim) {
      for (const std::size_t number : left(dim)) {
        const SharedDigit& digit = digits_.dims[dim][number];
        for (std::size_t i = 0; i < 2; ++i) {
          const std::size_t matrix = kGemmSides[dim][i].matrix;
          if (may_be_loop(matrix, digit.steps[i])) continue;
          return rest_text(dim, digit, i);
        }
      }
    }
    return {};
  }

  [[nodiscard]] bool may_be_loop(std::size_t matrix, const MatrixStep& step) const {
    const GemmAtom& atom = atoms_[matrix];
    if (step.stride == 0) return true;
    if (step.axis == "m") return step.stride % atom.per_register == 0;
    const auto size = atom.sizes.find(step.axis);
    if (size == atom.sizes.end() || step.axis == atom.free_axis) return true;
    return has_parts(step.axis) && step.stride % size->second == 0;
  }

  /// Seed 002 intersects the steps of both matrices along K; those may belong to different k.
  [[nodiscard]] std::string rest_text(std::size_t dim, const SharedDigit& digit,
                                      std::size_t side) const {
    std::string text = fmt::format("along {} the digit {} at {} of {} is not in any instruction",
                                   kGemmDims[dim], digit.extent, text_of(digit.steps[side]),
                                   kGemmMatrices[kGemmSides[dim][side].matrix]);
    const MatrixStep& other = digit.steps[1 - side];
    if (dim == 2 && other.axis == digit.steps[side].axis && other != digit.steps[side]) {
      text += fmt::format("; {} has it at {}", kGemmMatrices[kGemmSides[dim][1 - side].matrix],
                          text_of(other));
    }
    return text;
  }

  std::string check_offsets() {
    for (std::size_t matrix = 0; matrix < 3; ++matrix) {
      const GemmAtom& atom = atoms_[matrix];
      const auto& has = digits_.matrices[matrix].offset;
      const auto at = [](const auto& offset, const std::string& axis) {
        const auto found = offset.find(axis);
        return found == offset.end() ? std::int64_t{0} : found->second;
      };
      for (const auto& [axis, size] : atom.sizes) {
        const bool is_free = axis == atom.free_axis;
        const std::int64_t unit = is_free ? atom.per_register : has_parts(axis) ? size : 0;
        const std::int64_t begin = at(has, axis);
        const std::int64_t wanted = at(atom.digits.offset, axis);
        if (begin == wanted) continue;
        if (unit != 0 && exact::floor_modulo(begin, unit) == exact::floor_modulo(wanted, unit)) {
          continue;
        }
        return fmt::format("{} begins at {}@{}, the instruction's at {}", kGemmMatrices[matrix],
                           begin, axis, wanted);
      }
    }
    return {};
  }

  /// Copies on axes of the instruction that are not parts of it.
  [[nodiscard]] std::vector<axe::Iter> copies_within(std::size_t matrix,
                                                     const MatrixRuns& copies) const {
    std::vector<axe::Iter> iters;
    const GemmAtom& atom = atoms_[matrix];
    for (const MatrixRun& run : copies) {
      const auto size = atom.sizes.find(run.step.axis);
      if (size == atom.sizes.end() || run.step.axis == atom.free_axis) continue;
      if (has_parts(run.step.axis) && run.step.stride % size->second == 0) continue;
      iters.push_back(iter_of(run.extent, run.step));
    }
    return iters;
  }

  std::string check_copies() {
    for (std::size_t matrix = 0; matrix < 3; ++matrix) {
      const MatrixRuns& copies = digits_.matrices[matrix].copies;
      const auto has = axe::Layout::make({}, copies_within(matrix, copies));
      const auto wanted =
          axe::Layout::make({}, copies_within(matrix, atoms_[matrix].digits.copies));
      if (!has || !wanted || !axe::equal(*has, *wanted).is_yes()) {
        return fmt::format("{} has other copies than the instruction's", kGemmMatrices[matrix]);
      }
      const auto is_memory = [](const MatrixRun& run) { return !is_unit_axis(run.step.axis); };
      const auto within = copies_within(matrix, copies);
      if (matrix == 2 && within.empty() && std::ranges::any_of(copies, is_memory)) {
        return "C has copies in memory, of which an instruction writes one";
      }
    }
    return {};
  }

  // ---- Descriptors ----

  /// Whether the parts in shared memory are what a descriptor of the instruction describes: those
  /// at the beginning and one step along each loop.
  std::string check_descriptors() {
    for (std::size_t matrix = 0; matrix < 2; ++matrix) {
      if (!atoms_[matrix].is_in_memory) continue;
      std::vector<std::int64_t> begins = {0};
      for (std::size_t dim = 0; dim < 3; ++dim) {
        for (std::size_t i = 0; i < 2; ++i) {
          if (kGemmSides[dim][i].matrix != matrix) continue;
          for (const std::size_t number : left(dim)) {
            const MatrixStep& step = digits_.dims[dim][number].steps[i];
            if (step.axis == "m") begins.push_back(step.stride);
          }
        }
      }
      for (const std::int64_t begin : begins) {
        if (auto reason = descriptor_reason(matrix, begin); !reason.empty()) return reason;
      }
    }
    return {};
  }

  /// Why no descriptor has the part that begins `begin` elements after the first one.
  [[nodiscard]] std::string descriptor_reason(std::size_t matrix, std::int64_t begin) const {
    // The tile is (M,K) or (N,K).
    std::vector<axe::Iter> iters;
    const std::size_t across = matrix;
    add_iters(iters, matrix, across, true);
    add_iters(iters, matrix, 1 - across, true);
    axe::Coordinate offset = coordinate_of(digits_.matrices[matrix].offset);
    offset.add(Axis::memory(), begin);
    const auto tile = axe::Layout::make(iters, {}, offset, tensors_.layouts[matrix].swizzle());
    if (!tile) return tile.error().message();
    const std::vector<Int> shape = {choice_.shape[matrix], choice_.shape[2]};
    const int bits = atoms_[matrix].element_bits;
    const bool is_wgmma = instruction_.machine == "sm_90";
    std::string reason;
    for (const Major major : {Major::kK, Major::kMN}) {
      // wgmma transposes elements of 16 bits only.
      if (major == Major::kMN && is_wgmma && bits != 16) continue;
      const auto descriptor = is_wgmma ? wgmma_descriptor(*tile, bits, major, shape)
                                       : umma_descriptor(*tile, bits, major, shape);
      if (descriptor) return {};
      if (reason.empty()) {
        reason = fmt::format("{}: {}", kGemmMatrices[matrix], descriptor.error().message());
      }
    }
    return reason;
  }

  // ---- Loops ----

  std::string find_loops() {
    GemmUnits units{.atoms = atoms_, .digits = digits_, .left = {left(0), left(1), left(2)}};
    return units.find(choice_);
  }

  /// The iters of these digits on a side of a matrix, the outermost first.
  void add_iters(std::vector<axe::Iter>& iters, std::size_t matrix, std::size_t side,
                 bool is_used) const {
    for (std::size_t dim = 0; dim < 3; ++dim) {
      for (std::size_t i = 0; i < 2; ++i) {
        if (kGemmSides[dim][i].matrix != matrix || kGemmSides[dim][i].side != side) continue;
        const Numbers numbers = is_used ? used_[dim] : left(dim);
        for (auto number = numbers.rbegin(); number != numbers.rend(); ++number) {
          const SharedDigit& digit = digits_.dims[dim][*number];
          iters.push_back(iter_of(digit.extent, digit.steps[i]));
        }
      }
    }
  }

  std::string prove() {
    for (std::size_t matrix = 0; matrix < 3; ++matrix) {
      auto tiling = tiling_of(matrix);
      if (!tiling) return fmt::format("{}: {}", kGemmMatrices[matrix], tiling.error().message());
      choice_.tilings.push_back(*std::move(tiling));
    }
    return {};
  }

  /// The matrix with its digits in the order of the loops and the instruction. The swizzle of
  /// shared memory comes after all that, and belongs to the descriptor.
  [[nodiscard]] Result<axe::Layout> reordered(std::size_t matrix,
                                              const std::vector<axe::Iter>& copies) const {
    std::vector<axe::Iter> all;
    for (std::size_t side = 0; side < 2; ++side) {
      for (const bool is_used : {false, true}) add_iters(all, matrix, side, is_used);
    }
    const bool is_described = atoms_[matrix].is_in_memory;
    return axe::Layout::make(all, copies, coordinate_of(digits_.matrices[matrix].offset),
                             is_described ? std::nullopt : tensors_.layouts[matrix].swizzle());
  }

  [[nodiscard]] static axe::Coordinate coordinate_of(
      const std::map<std::string, std::int64_t>& offset) {
    axe::Coordinate coordinate;
    for (const auto& [axis, value] : offset) coordinate.add(Axis(axis), value);
    return coordinate;
  }

  /// The matrix as a tiler of atoms, proved.
  [[nodiscard]] Result<GemmTiling> tiling_of(std::size_t matrix) const {
    const MatrixDigits& has = digits_.matrices[matrix];
    const std::array<std::int64_t, 2> shape = tensors_.shape_of(matrix);
    GemmTiling tiling;
    for (std::size_t dim = 0; dim < 3; ++dim) {
      for (const GemmSide& side : kGemmSides[dim]) {
        if (side.matrix != matrix) continue;
        tiling.atom_shape[side.side] = choice_.shape[dim];
        tiling.tiler_shape[side.side] = shape[side.side] / choice_.shape[dim];
      }
    }
    const std::vector<axe::Iter> within = copies_within(matrix, has.copies);
    std::vector<axe::Iter> copies;
    std::vector<axe::Iter> between;
    for (const MatrixRun& run : has.copies) {
      copies.push_back(iter_of(run.extent, run.step));
      if (std::ranges::find(within, copies.back()) == within.end())
        between.push_back(copies.back());
    }
    HEDDLE_TRY(const axe::Layout whole, reordered(matrix, copies));
    const axe::Coordinate inner = coordinate_of(atoms_[matrix].digits.offset);
    HEDDLE_TRY(tiling.atom, part_of(matrix, true, within, inner, tiling.atom_shape));
    HEDDLE_TRY(tiling.tiler, part_of(matrix, false, between, coordinate_of(has.offset) - inner,
                                     tiling.tiler_shape));
    const std::vector<Int> atom_shape = ints(tiling.atom_shape);
    const auto tiler = axe::tile_of(whole, ints(shape), tiling.atom, atom_shape);
    if (tiler && !is_reordered_[matrix]) {
      tiling.is_tile = true;
      tiling.tiler = *tiler;
      return tiling;
    }
    HEDDLE_TRY(const axe::Layout sum,
               axe::direct_sum(tiling.tiler, ints(tiling.tiler_shape), tiling.atom, atom_shape));
    if (axe::equal(sum, whole).is_yes()) return tiling;
    return refuse("axe.not_a_tile", "{} is not {} + {}", whole, tiling.tiler, tiling.atom);
  }

  /// The digits of the instruction, or the others, with the fewest iters.
  [[nodiscard]] Result<axe::Layout> part_of(std::size_t matrix, bool is_used,
                                            const std::vector<axe::Iter>& copies,
                                            const axe::Coordinate& offset,
                                            const std::array<std::int64_t, 2>& shape) const {
    std::vector<axe::Iter> iters;
    for (std::size_t side = 0; side < 2; ++side) add_iters(iters, matrix, side, is_used);
    HEDDLE_TRY(const axe::Layout layout, axe::Layout::make(iters, copies, offset));
    HEDDLE_TRY(axe::Grouping grouping, axe::group(layout, ints(shape)));
    return std::move(grouping.layout);
  }

  [[nodiscard]] static std::vector<Int> ints(const std::array<std::int64_t, 2>& sizes) {
    return {sizes[0], sizes[1]};
  }

  const form::Instruction& instruction_;
  const GemmTensors& tensors_;
  const GemmDigits& digits_;
  std::int64_t bank_elements_;
  std::array<GemmAtom, 3> atoms_;
  GemmShape sizes_{1, 1, 1};
  /// The digits of one instruction, by their numbers in M, N and K.
  std::array<Numbers, 3> used_;
  std::array<bool, 3> is_reordered_{false, false, false};
  GemmChoice choice_;
};

}  // namespace

GemmChoice gemm_choice(const form::Instruction& instruction, const GemmTensors& tensors,
                       const GemmDigits& digits, std::int64_t bank_elements) {
  return Fitting(instruction, tensors, digits, bank_elements).run();
}

}  // namespace heddle::machine
