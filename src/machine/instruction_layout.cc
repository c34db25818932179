#include "heddle/machine/instruction_layout.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "core/format.h"
#include "heddle/axe/fragment.h"
#include "heddle/cute/fragment.h"
#include "heddle/linear/fragment.h"
#include "heddle/machine/machine.h"
#include "heddle/map/fragment.h"

namespace heddle::machine {
namespace {

using form::Instruction;
using form::InstructionListing;
using form::InstructionOperand;
using form::InstructionQuery;

/// `cdna2, 64 lanes`.
std::string variant_text(const InstructionListing& listing) {
  std::string text = listing.machine;
  if (listing.lanes != 1) text += fmt::format(", {} lanes", listing.lanes);
  if (listing.vector_bits != 0) text += fmt::format(", {} bits a vector", listing.vector_bits);
  return text;
}

Refusal unknown(std::string_view name, const InstructionQuery& query) {
  const auto elsewhere = form::find_listings(name);
  if (elsewhere.empty()) {
    return refuse(diagnose("instruction.unknown", "unknown instruction {}", name)
                      .with_hint(fmt::format("instructions(\"{}\") lists those of a machine",
                                             query.machine.empty() ? "sm_90" : query.machine)));
  }
  if (!query.type.empty()) {
    InstructionQuery any_type = query;
    any_type.type = {};
    const auto others = form::find_listings(name, any_type);
    if (!others.empty()) return no_operand_of_type(name, query.type, others);
  }
  std::vector<std::string> variants;
  for (const InstructionListing* listing : elsewhere) {
    std::string variant = variant_text(*listing);
    if (std::ranges::find(variants, variant) == variants.end()) {
      variants.push_back(std::move(variant));
    }
  }
  return refuse(diagnose("instruction.unknown", "{} does not exist {}{}", name,
                         query.machine.empty() ? "with these lanes or vectors" : "on ",
                         query.machine)
                    .with_note(fmt::format("it exists with: {}", fmt::join(variants, "; "))));
}

bool same_operands(const Instruction& a, const Instruction& b) {
  return std::ranges::equal(a.operands, b.operands,
                            [](const InstructionOperand& x, const InstructionOperand& y) {
                              return x.name == y.name && x.fragment == y.fragment;
                            });
}

/// The layout whose lanes hold what the lanes that are read hold, if lane 0 reads itself.
Result<linear::LinearLayout> reading(const linear::LinearLayout& layout,
                                     const form::LaneRead& reads) {
  linear::Bases bases = layout.bases();
  for (linear::InBases& in : bases) {
    if (in.name != "lane") continue;
    for (std::size_t bit = 0; bit < in.vectors.size(); ++bit) {
      if (reads(std::int64_t{1} << bit) == 0) std::ranges::fill(in.vectors[bit], 0);
    }
  }
  return linear::LinearLayout::make(bases, layout.out_dim_sizes());
}

/// CuTe's order of the dimensions of a tile, fastest first: (M,K), (N,K), (M,N), then the blocks.
std::vector<std::string_view> tile_dims(const InstructionOperand& operand) {
  std::vector<std::string_view> dims;
  for (const auto& dim : operand.fragment.dims()) dims.push_back(dim.name);
  if (dims.front() == "block") std::ranges::rotate(dims, dims.begin() + 1);
  if (operand.name.ends_with('B') && dims.size() > 1) std::swap(dims[0], dims[1]);
  return dims;
}

/// The instructions of that name, at least one.
Result<std::vector<const InstructionListing*>> listings_of(std::string_view name,
                                                           const InstructionQuery& query) {
  if (!query.machine.empty()) HEDDLE_CHECK(find(query.machine));
  auto found = form::find_listings(name, query);
  if (found.empty()) return unknown(name, query);
  return found;
}

using Listings = std::vector<const InstructionListing*>;

/// `wave=32 or wave=64`: the values that tell the listings apart; empty if they have one only.
template <class ValueOf>
std::string choice_text(const Listings& listings, const ValueOf& value_of) {
  std::vector<std::string> values;
  for (const InstructionListing* listing : listings) {
    std::string value = value_of(*listing);
    if (std::ranges::find(values, value) == values.end()) values.push_back(std::move(value));
  }
  constexpr std::size_t kShown = 6;
  if (values.size() < 2) return {};
  const bool are_more = values.size() > kShown;
  values.resize(std::min(values.size(), kShown));
  return fmt::format("{}{}", fmt::join(values, " or "), are_more ? " or …" : "");
}

Refusal ambiguous(std::string_view name, const Listings& found, const InstructionListing& other) {
  const InstructionListing& first = *found.front();
  std::vector<std::string> choices = {
      choice_text(found, [](const auto& one) { return fmt::format("\"{}\"", one.name); }),
      choice_text(found, [](const auto& one) { return fmt::format("arch=\"{}\"", one.machine); }),
      choice_text(found, [](const auto& one) { return fmt::format("wave={}", one.lanes); }),
      choice_text(found, [](const auto& one) { return fmt::format("svl={}", one.vector_bits); }),
      choice_text(found, [](const auto& one) {
        return fmt::format("dtype=\"{}\"", one.make().operands.front().type);
      })};
  std::erase(choices, std::string());
  return refuse(diagnose("instruction.ambiguous", "{} differs between {} ({}) and {} ({})", name,
                         first.name, variant_text(first), other.name, variant_text(other))
                    .with_hint(fmt::format("name one: {}", fmt::join(choices, "; "))));
}

Result<InstructionOperand> operand_of(const Instruction& instruction, std::string_view name,
                                      std::string_view operand) {
  if (const InstructionOperand* found = instruction.operand(operand)) return *found;
  std::vector<std::string_view> names;
  for (const InstructionOperand& has : instruction.operands) names.push_back(has.name);
  return refuse("instruction.operand", "{} has no operand {}; it has {}", name, operand,
                fmt::join(names, ", "));
}

/// The operand of the instructions of that name, which must have the same: wgmma's mnemonic does
/// not say whether A is in registers or in shared memory, but D is the same.
template <class Same>
Result<InstructionOperand> operand_of(std::string_view name, std::string_view operand,
                                      const InstructionQuery& query,
                                      const form::InstructionModifiers& modifiers,
                                      const Same& same) {
  HEDDLE_TRY(const auto found, listings_of(name, query));
  std::optional<InstructionOperand> first;
  for (const InstructionListing* listing : found) {
    HEDDLE_TRY(const Instruction made, form::with_modifiers(listing->make(), modifiers));
    HEDDLE_TRY(InstructionOperand of_this, operand_of(made, name, operand));
    if (first && !same(*first, of_this)) return ambiguous(name, found, *listing);
    if (!first) first = std::move(of_this);
  }
  return *std::move(first);
}

Result<cute::TvLayout> thread_value_layout_of(const InstructionOperand& operand) {
  const form::Fragment& fragment = operand.fragment;
  const std::vector<std::string_view> dims = tile_dims(operand);
  HEDDLE_TRY(const cute::Layout layout, cute::thread_value_layout(fragment, dims));
  std::vector<cute::Tiler> sizes;
  for (const std::string_view dim : dims) {
    sizes.emplace_back(cute::Tile(Int(fragment.dims()[*fragment.dim(dim)].size)));
  }
  return cute::on_tile(layout, cute::Tiler::of(sizes));
}

/// The system that says all of the fragment in the words of its users.
map::System system_of(const form::Fragment& fragment) {
  if (fragment.has_unused() || fragment.has_descending()) return map::System::kRelation;
  return fragment.is_binary() ? map::System::kLinear : map::System::kCuteTv;
}

/// The lane that is read for each lane: of the registers and lanes, the ones that they stand for.
Result<map::IntegerRelation> relation_of(const form::LaneRead& reads, std::int64_t lanes) {
  std::string lane = fmt::format("(lane + {}) mod {}", reads.first, reads.period);
  if (reads.width != reads.period) {
    lane = fmt::format("{0}*floor(lane/{0}) + lane mod {1} + {2}", reads.period, reads.width,
                       reads.first);
  }
  return map::IntegerRelation::parse(
      fmt::format("{{ [register, lane] -> [register, {}] : 0 <= lane < {} }}", lane, lanes));
}

/// What is read at each place. It is linear if lane 0 reads itself.
Result<map::AnyLayout> layout_after(const form::LaneRead& reads, const form::Fragment& fragment,
                                    std::optional<map::System> system) {
  const bool is_linear = reads(0) == 0;
  const map::System wanted =
      system.value_or(is_linear ? map::System::kLinear : map::System::kRelation);
  if (wanted == map::System::kLinear && is_linear) {
    HEDDLE_TRY(const linear::LinearLayout held, linear::linear_layout(fragment));
    return reading(held, reads);
  }
  if (wanted != map::System::kRelation) {
    return refuse(diagnose("instruction.modifier",
                           "lanes read what other lanes hold: that can be written as {}, not as {}",
                           is_linear ? "a linear layout or a relation" : "a relation only",
                           map::description(wanted))
                      .with_hint("convert() writes a relation in other systems"));
  }
  HEDDLE_TRY(const map::IntegerRelation held, map::relation(fragment));
  const std::int64_t lanes = fragment.places()[*fragment.place("lane")].size;
  HEDDLE_TRY(const map::IntegerRelation read, relation_of(reads, lanes));
  return map::compose(read, held);
}

Result<map::AnyLayout> layout_of(const InstructionOperand& operand, map::System system) {
  switch (system) {
    case map::System::kLinear:
      return linear::linear_layout(operand.fragment);
    case map::System::kCuteTv:
      return thread_value_layout_of(operand);
    case map::System::kAxe:
      return axe::axe_layout(operand.fragment);
    case map::System::kRelation:
      return map::relation(operand.fragment);
    default:
      return refuse(
          diagnose("fragment.system", "a fragment has no form as {}", map::description(system))
              .with_hint("linear, cute_tv, axe or relation; convert() gives others"));
  }
}

}  // namespace

Result<Instruction> instruction(std::string_view name, const InstructionQuery& query) {
  HEDDLE_TRY(const auto found, listings_of(name, query));
  Instruction first = found.front()->make();
  for (const InstructionListing* other : found) {
    if (!same_operands(first, other->make())) return ambiguous(name, found, *other);
  }
  return first;
}

Result<map::AnyLayout> instruction_layout(std::string_view name, std::string_view operand,
                                          const InstructionQuery& query,
                                          std::optional<map::System> system,
                                          const form::InstructionModifiers& modifiers) {
  const auto same = [](const InstructionOperand& a, const InstructionOperand& b) {
    return a.fragment == b.fragment && a.reads == b.reads;
  };
  HEDDLE_TRY(const InstructionOperand found, operand_of(name, operand, query, modifiers, same));
  if (found.reads) return layout_after(*found.reads, found.fragment, system);
  return layout_of(found, system.value_or(system_of(found.fragment)));
}

Result<std::vector<form::RegisterSlot>> instruction_slots(
    std::string_view name, std::string_view operand, const InstructionQuery& query,
    const form::InstructionModifiers& modifiers) {
  const auto same = [](const InstructionOperand& a, const InstructionOperand& b) {
    return form::register_slots(a) == form::register_slots(b);
  };
  HEDDLE_TRY(const InstructionOperand found, operand_of(name, operand, query, modifiers, same));
  return form::register_slots(found);
}

}  // namespace heddle::machine
