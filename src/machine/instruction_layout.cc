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
    return refuse(diagnose("instruction.unknown", "no instruction is called {}", name)
                      .with_hint("instructions(\"cdna3\") lists those of a machine"));
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

/// CuTe's order of the dimensions of a tile, fastest first: (M,K), (N,K), (M,N), then the blocks.
std::vector<std::string_view> tile_dims(const InstructionOperand& operand) {
  std::vector<std::string_view> dims;
  for (const auto& dim : operand.fragment.dims()) dims.push_back(dim.name);
  if (dims.front() == "block") std::ranges::rotate(dims, dims.begin() + 1);
  if (operand.name == "B" && dims.size() > 1) std::swap(dims[0], dims[1]);
  return dims;
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
  if (!query.machine.empty()) HEDDLE_CHECK(find(query.machine));
  const auto found = form::find_listings(name, query);
  if (found.empty()) return unknown(name, query);
  Instruction first = found.front()->make();
  for (const InstructionListing* other : found) {
    if (same_operands(first, other->make())) continue;
    return refuse(diagnose("instruction.ambiguous", "{} differs between {} ({}) and {} ({})", name,
                           first.name, variant_text(*found.front()), other->name,
                           variant_text(*other))
                      .with_hint("say which with arch=, wave=, svl= or dtype="));
  }
  return first;
}

Result<map::AnyLayout> instruction_layout(std::string_view name, std::string_view operand,
                                          const InstructionQuery& query,
                                          std::optional<map::System> system) {
  HEDDLE_TRY(const Instruction known, instruction(name, query));
  if (const InstructionOperand* found = known.operand(operand)) {
    return layout_of(*found, system.value_or(system_of(found->fragment)));
  }
  std::vector<std::string_view> names;
  for (const InstructionOperand& has : known.operands) names.push_back(has.name);
  return refuse("instruction.operand", "{} has no operand {}; it has {}", name, operand,
                fmt::join(names, ", "));
}

}  // namespace heddle::machine
