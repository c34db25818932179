// Copies and functions of elements by instructions. The search goes from the widest instruction to
// the narrowest; what is taken is proved: both operands are tiler (x) atom, the elements of an atom
// lie where the instruction has them, aligned, all of them inside or none, and each is written
// once.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

#include "core/text.h"
#include "expr/term/short_xors.h"
#include "heddle/expr/index_variable.h"
#include "heddle/expr/proof.h"
#include "heddle/form/index_map.h"
#include "heddle/kernel/view.h"
#include "kernel/assumption.h"
#include "kernel/lower/lowerer.h"

namespace heddle::kernel {

namespace {

/// The elements that the first of an atom is a multiple of; registers are aligned as far as the
/// atom has as many.
std::int64_t alignment_in_elements(const Instruction& instruction, std::size_t operand,
                                   const Spread& atom, bool is_register) {
  const std::int64_t wanted = instruction.alignment * 8 / instruction.operands[operand].bits;
  const auto registers = static_cast<std::uint64_t>(atom.registers.value());
  const std::int64_t held =
      is_register ? static_cast<std::int64_t>(std::bit_floor(registers)) : wanted;
  return std::max<std::int64_t>(1, std::min(wanted, held));
}

std::int64_t lanes_of(const Spread& atom) {
  std::int64_t lanes = 1;
  for (const SpreadDigit& digit : atom.digits) lanes *= digit.is_thread ? digit.extent.value() : 1;
  return lanes;
}

Refusal refuse_copy(std::string_view reason) { return refuse("kernel.schedule", reason); }

}  // namespace

bool holds_alike(const Condition& first, const Condition& any) {
  if (first == any) return true;
  if (first.predicate != any.predicate) return false;
  const bool is_below = first.predicate == Predicate::kLess && known_equal(any.right, first.right);
  const bool is_above = first.predicate == Predicate::kAtMost && known_equal(any.left, first.left);
  if (!is_below && !is_above) return false;
  const Range grown = is_below ? range(any.left - first.left) : range(any.right - first.right);
  if (!grown.is_bounded() || grown.low < 0) return false;
  const Int reach = Int(grown.high) + 1;
  return known_divides(reach, first.left) && known_divides(reach, first.right);
}

namespace {

std::string without_marks(const Int& value) {
  std::string text = to_string(value);
  std::erase(text, '#');
  return text;
}

std::string would_do(const std::string& assumed) {
  return assumed.empty() ? std::string() : fmt::format("; `assume {}` would do", assumed);
}

/// What to assume so that an atom is inside with its first element, or not at all.
std::string keeping_together(std::span<const Condition> first, std::span<const Condition> any,
                             std::int64_t elements) {
  std::vector<Int> sides;
  for (const Condition& each : first) sides.insert(sides.end(), {each.left, each.right});
  return assumed_multiples(sides, {&elements, 1}, [&](const Assumed& assumed) {
    return std::ranges::equal(first, any, [&](const Condition& one, const Condition& other) {
      const std::array all = {assumed(one.left), assumed(one.right), assumed(other.left),
                              assumed(other.right)};
      return std::ranges::all_of(all, [](const Int& side) { return side.is_defined(); }) &&
             holds_alike({all[0], one.predicate, all[1]}, {all[2], other.predicate, all[3]});
    });
  });
}

}  // namespace

/// Why the operand of an instruction does not take the tensor of a view.
Result<void> Lowerer::check_memory(const View& view, const InstructionOperand& operand) const {
  const Tensor& tensor = find(view.tensor)->tensor;
  if (is_recast(view)) {
    return refuse_copy(fmt::format("{} are bits of {}", to_string(view), name_of(tensor.type)));
  }
  const bool is_type =
      operand.type ? *operand.type == tensor.type : operand.bits == bits(tensor.type);
  if (is_type && (!operand.space || *operand.space == tensor.space)) return {};
  return refuse_copy(fmt::format("{} does not take {} in {}, which is what {} is",
                                 to_string(operand), name_of(tensor.type), name_of(tensor.space),
                                 to_string(view)));
}

/// How the elements that an instruction is applied to are spread: as the registers of an operand
/// are, else over all threads, an atom for each in turn.
Result<Spread> Lowerer::spread_for_all(const std::vector<View>& operands, const Spread& atom,
                                       const Team& team) const {
  HEDDLE_TRY(const std::vector<Int> shape, shape_of({operands.front()}));
  std::optional<Spread> held;
  for (std::size_t i = 0; i != operands.size(); ++i) {
    HEDDLE_TRY(const std::optional<Spread> each, spread_in({operands[i]}, shape));
    const Placed& placed = *find(operands[i].tensor);
    if (!each && placed.spread && !placed.is_private) {
      return refuse_copy(
          fmt::format("a part of a tensor in registers is {}", i == 0 ? "written" : "read"));
    }
    if (each && held && *each != *held) {
      return refuse_copy(fmt::format("the {} are spread differently over the threads",
                                     operands.size() == 2 ? "two" : "operands"));
    }
    if (!held) held = each;
  }
  const Spread spread = held ? *held : spread_over(shape, team.threads, atom);
  if (divided(spread, atom)) return spread;
  const std::int64_t side = atom.shape.back().value();
  return refuse_copy(known_equal(atom.registers, side)
                         ? fmt::format("a thread does not hold {} contiguous elements", side)
                         : fmt::format("a thread does not hold {} elements as the instruction does",
                                       shape_text(atom.shape)));
}

/// The instruction laid over its operands, if it is proved to do the operator on them.
Result<Lowerer::Tiling> Lowerer::tiled(const Instruction& instruction,
                                       const std::vector<View>& operands, const Team& team,
                                       const std::optional<Picked>& picked) const {
  const View& destination = operands.front();
  HEDDLE_TRY(const std::vector<Int> shape, shape_of({destination}));
  Tiling tiling{instruction, {}, {}, {}, picked};
  std::size_t held = 0;
  for (std::size_t i = operands.size(); i-- != 0;) {
    HEDDLE_TRY(const ViewShape from,
               kernel::shape_of(operands[i], find(operands[i].tensor)->tensor));
    HEDDLE_TRY(const DType type, type_of({destination}));
    std::vector<Int> wanted = shape;
    if (picked && i == 1) wanted[picked->axis] = picked->extent;
    if (shape.empty() || !std::ranges::equal(wanted, from.extents, known_equal)) {
      return refuse_copy("the shapes are not the same");
    }
    if (instruction.operation == "copy" && from.type != type) {
      return refuse_copy("the types are not the same");
    }
    if (bits(from.type) < 8) return refuse_copy("instructions do not take 4-bit elements");
    if (find(operands[i].tensor)->spread) held = i;
  }
  for (std::size_t i = 0; i != operands.size(); ++i) {
    HEDDLE_CHECK(check_memory(operands[i], instruction.operands[i]));
  }
  const bool is_of_warp = instruction.threads != 1;
  if (is_of_warp && (team.threads % instruction.threads != 0 || team.is_alone)) {
    return refuse_copy(fmt::format("it is for whole warps, and {} threads do this together",
                                   team.is_alone ? 1 : team.threads));
  }
  for (const InstructionOperand& operand : instruction.operands) {
    HEDDLE_TRY(tiling.atoms.emplace_back(), atom_of(instruction, operand));
  }
  if (is_of_warp && lanes_of(tiling.atoms.front()) != instruction.threads) {
    return refuse_copy("its result is not spread over all lanes of a warp");
  }
  // What registers hold is where it is; memory is gone over as they are spread.
  const Spread& atom = tiling.atoms[held];
  if (atom.shape.size() > shape.size()) {
    return refuse_copy(fmt::format("the instruction is for boxes of {}, and {} has {}",
                                   counted(atom.shape.size(), "dimension"), to_string(destination),
                                   shape.size()));
  }
  HEDDLE_TRY(tiling.spread, spread_for_all(operands, atom, team));
  tiling.tiler = *divided(tiling.spread, atom);
  for (std::size_t i = 0; i != operands.size(); ++i) {
    HEDDLE_CHECK(prove(operands[i], i, tiling, team));
  }
  return tiling;
}

/// Where the elements of an atom begin that this lane holds, or gives the address of.
std::vector<Int> Lowerer::of_lane(const Spread& atom, const Team& team, std::vector<Int> begin) {
  const std::size_t outer = begin.size() - atom.shape.size();
  for (const SpreadDigit& digit : atom.digits) {
    if (!digit.is_thread) continue;
    begin[outer + digit.dimension] +=
        mod(floor_div(team.rank, digit.stride), digit.extent) * digit.step;
  }
  return begin;
}

Result<Lowerer::AtomPlaces> Lowerer::places_in(const View& view, std::size_t operand,
                                               const Tiling& tiling, const Team& team) const {
  const Spread& atom = tiling.atoms[operand];
  // No kernel has names with this mark, whose counters are others.
  std::vector<Int> counters;
  for (const SpreadDigit& digit : register_digits(tiling.tiler)) {
    counters.push_back(index_variable(fmt::format("c#{}", counters.size()), digit.extent));
  }
  const std::vector<Int> begin =
      of_lane(atom, team, coordinate_at(tiling.tiler, team.rank, counters));
  const std::size_t outer = begin.size() - atom.shape.size();
  std::vector<Int> any = begin;
  AtomPlaces places;
  for (std::size_t i = 0; i != atom.digits.size(); ++i) {
    const SpreadDigit& digit = atom.digits[i];
    if (digit.is_thread) continue;
    const std::string name = atom.digits.size() == 1 ? "j#" : fmt::format("j#{}", i);
    const Int j = index_variable(name, digit.extent);
    any[outer + digit.dimension] += j * digit.step;
    places.place += j * digit.stride;
  }
  // Nothing is known of an index.
  const auto at = [&](std::vector<Int> point) {
    if (tiling.picked && operand == 1) point[tiling.picked->axis] = Int::variable("index#");
    return point;
  };
  HEDDLE_TRY(places.first, locate(view, at(begin), team));
  HEDDLE_TRY(places.any, locate(view, at(any), team));
  places.inside_first = places.first.inside;
  places.inside_any = places.any.inside;
  std::ranges::move(inside(tiling.spread, begin), std::back_inserter(places.inside_first));
  std::ranges::move(inside(tiling.spread, any), std::back_inserter(places.inside_any));
  return places;
}

/// Whether the elements of each atom lie in this operand as the instruction has them, for every
/// thread and step.
Result<void> Lowerer::prove(const View& view, std::size_t operand, const Tiling& tiling,
                            const Team& team) const {
  const std::int64_t elements = size(tiling.instruction.operands[operand]);
  HEDDLE_TRY(const AtomPlaces places, places_in(view, operand, tiling, team));
  const auto refuse_view = [&](std::string_view reason) {
    return refuse_copy(fmt::format("{}: {}", to_string(view), reason));
  };
  const Int address = expr::with_short_xors(places.first.location.address);
  const Int any = expr::with_short_xors(places.any.location.address);
  if (!known_equal(any - address, places.place)) {
    const bool is_row = tiling.atoms[operand].digits.size() == 1 &&
                        known_equal(places.place, index_variable("j#", elements));
    return refuse_view(is_row ? fmt::format("{} elements are not known to be contiguous", elements)
                              : fmt::format("{} elements are not known to be {} after the first",
                                            elements, without_marks(places.place)));
  }
  const std::int64_t alignment = alignment_in_elements(
      tiling.instruction, operand, tiling.atoms[operand], find(view.tensor)->spread.has_value());
  if (!known_divides(alignment, address)) {
    const std::string needed =
        assumed_multiples({&address, 1}, {&alignment, 1}, [&](const Assumed& assumed) {
          const Int at = assumed(address);
          return at.is_defined() && known_divides(alignment, at);
        });
    return refuse_view(fmt::format("the address {} is not known to be a multiple of {}{}",
                                   without_marks(address), alignment, would_do(needed)));
  }
  if (tiling.instruction.threads != 1 && !places.inside_any.empty()) {
    return refuse_view("elements may be outside, and a warp loads all of them or none");
  }
  if (!std::ranges::equal(places.inside_first, places.inside_any, holds_alike)) {
    return refuse_view(
        fmt::format("a vector of {} elements may straddle the edge of the tensor{}", elements,
                    would_do(keeping_together(places.inside_first, places.inside_any, elements))));
  }
  return {};
}

/// Goes over the tiler and applies the instruction at each step.
Result<void> Lowerer::over_tiler(const View& destination, const Team& team, const Tiling& tiling,
                                 const AtomVisit& visit) {
  std::vector<Condition> outer = team.members;
  if (!find(destination.tensor)->spread) {
    std::ranges::move(is_first_copy(tiling.spread, team.rank), std::back_inserter(outer));
  }
  std::vector<Int> counters;
  const auto step = [&]() -> Result<void> {
    const std::vector<Int> coordinate = coordinate_at(tiling.tiler, team.rank, counters);
    const std::vector<Int> held = of_lane(tiling.atoms.front(), team, coordinate);
    HEDDLE_TRY(Found to, locate(destination, held, team));
    std::vector<Condition> conditions = inside(tiling.spread, held);
    std::ranges::move(to.inside, std::back_inserter(conditions));
    return guarded(std::move(conditions), [&] { return visit(coordinate, to.location); });
  };
  return in_order(team, &destination, [&] {
    return guarded(std::move(outer),
                   [&] { return loops(register_digits(tiling.tiler), counters, step); });
  });
}

Result<void> Lowerer::apply(const View& destination, const View& source, const Team& team,
                            const Tiling& tiling, const Number& outside) {
  const DType type = find(destination.tensor)->tensor.type;
  const Computation pad{
      Computation::Literal{converted(computed_in(type), outside)}, computed_in(type), {}};
  const bool is_assignment = size(tiling.instruction.operands.front()) == 1 &&
                             !tiling.instruction.texts.contains(options_.target);
  const auto visit = [&](const std::vector<Int>& coordinate, const Location& to) -> Result<void> {
    std::vector<Int> point = of_lane(tiling.atoms[1], team, coordinate);
    std::vector<Condition> inside;
    if (tiling.picked) {
      HEDDLE_TRY(inside, read_index(*tiling.picked, team, point));
    }
    HEDDLE_TRY(Found from, locate(source, point, team));
    from.inside.insert(from.inside.begin(), inside.begin(), inside.end());
    inside.clear();
    // For one worker, guards become bounds of loops.
    if (!is_assignment || options_.has_one_worker) inside.swap(from.inside);
    ThreadStatement applied{
        ApplyInstruction{tiling.instruction, {to, from.location}, {}, tiling.intrinsic}};
    if (is_assignment) {
      const DType computed = from.type == DType::kBool ? from.type : computed_in(from.type);
      Computation::Load load{from.location, std::move(from.inside), converted(computed, outside)};
      applied = {StoreElement{to, {std::move(load), computed, {}}}};
    }
    if (inside.empty()) {
      open_->push_back(std::move(applied));
      return {};
    }
    Guarded guard{std::move(inside), {std::move(applied)}, {}};
    for (const std::int64_t place : places_of(tiling.instruction.operands.front())) {
      guard.otherwise.push_back({StoreElement{{to.buffer, to.address + place}, pad}});
    }
    add(std::move(guard));
    return {};
  };
  return over_tiler(destination, team, tiling, visit);
}

/// An instruction for the function that the value is, laid over its operands; what is not taken is
/// noted.
Result<std::optional<Lowerer::Tiling>> Lowerer::by_function(const View& destination,
                                                            const Elementwise& value,
                                                            const Team& team) {
  const auto* function = std::get_if<Elementwise::Apply>(&value.node);
  if (function == nullptr) return std::nullopt;
  std::vector<View> operands = {destination};
  for (const Elementwise& operand : value.operands) {
    if (const auto* view = std::get_if<View>(&operand.node)) operands.push_back(*view);
  }
  HEDDLE_TRY(const bool is_early, overtakes(destination, value, team));
  for (const Instruction& instruction : kernel_.instructions) {
    const auto done = find_function(instruction.operation, instruction.operands.size() - 1);
    if (instruction.operation == "copy" || done != function->function) continue;
    if (!instruction.texts.contains(options_.target)) {
      reject(instruction.name, "it has no text for the target");
    } else if (operands.size() != instruction.operands.size()) {
      reject(instruction.name, "not all operands are views");
    } else if (is_early) {
      reject(instruction.name, "the source is overwritten while it is read");
    } else {
      auto found = tiled(instruction, operands, team);
      std::string reason = found ? "" : found.error().message();
      for (std::size_t i = 1; found && i != operands.size(); ++i) {
        HEDDLE_TRY(const AtomPlaces places, places_in(operands[i], i, *found, team));
        if (places.first.inside.empty()) continue;
        reason = fmt::format("{}: elements may be outside", to_string(operands[i]));
      }
      if (reason.empty()) return *std::move(found);
      reject(instruction.name, std::move(reason));
    }
  }
  return std::nullopt;
}

Result<void> Lowerer::apply_function(const View& destination, const Elementwise& value,
                                     const Team& team, const Tiling& tiling) {
  choose(tiling.instruction.name).notes.push_back({"spread", to_string(tiling.spread)});
  const auto visit = [&](const std::vector<Int>& coordinate, const Location& to) -> Result<void> {
    ApplyInstruction applied{tiling.instruction, {to}, {}};
    for (const Elementwise& operand : value.operands) {
      const Spread& atom = tiling.atoms[applied.places.size()];
      HEDDLE_TRY(Found from,
                 locate(std::get<View>(operand.node), of_lane(atom, team, coordinate), team));
      applied.places.push_back(std::move(from.location));
    }
    const std::vector<Int>& box = tiling.atoms.front().shape;
    const std::size_t outer = coordinate.size() - box.size();
    for (std::int64_t i = 0; i != size(tiling.instruction.operands.front()); ++i) {
      std::vector<Int> point = coordinate;
      const std::vector<Int> step = form::unflatten(box, i);
      for (std::size_t d = 0; d != box.size(); ++d) point[outer + d] += step[d];
      HEDDLE_TRY(Found element, locate(destination, point, team));
      HEDDLE_TRY(Computation computed, compute(value, point, team));
      applied.meaning.push_back({StoreElement{std::move(element.location), std::move(computed)}});
    }
    add(std::move(applied));
    return {};
  };
  return over_tiler(destination, team, tiling, visit);
}

}  // namespace heddle::kernel
