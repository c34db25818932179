#include "heddle/machine/instruction_layout.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "core/format.h"
#include "heddle/cute/fragment.h"
#include "heddle/linear/fragment.h"

namespace heddle::machine {
namespace {

using form::Instruction;
using form::InstructionListing;
using form::InstructionOperand;
using form::InstructionQuery;

bool is_machine(std::string_view name) {
  return std::ranges::any_of(form::instruction_listings(), [&](const InstructionListing& listing) {
    return listing.machine == name;
  });
}

std::string machines_text() {
  std::vector<std::string_view> names;
  for (const InstructionListing& listing : form::instruction_listings()) {
    if (std::ranges::find(names, listing.machine) == names.end()) names.push_back(listing.machine);
  }
  return fmt::format("{}", fmt::join(names, ", "));
}

/// `cdna2, 64 lanes`.
std::string variant_text(const InstructionListing& listing) {
  std::string text = fmt::format("{}, {} lanes", listing.machine, listing.lanes);
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
  for (const InstructionListing* listing : elsewhere) variants.push_back(variant_text(*listing));
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
  if (operand.name == "B") std::swap(dims[0], dims[1]);
  return dims;
}

Result<map::AnyLayout> layout_of(const InstructionOperand& operand) {
  const form::Fragment& fragment = operand.fragment;
  if (fragment.is_binary()) return linear::linear_layout(fragment);
  const std::vector<std::string_view> dims = tile_dims(operand);
  HEDDLE_TRY(const cute::Layout layout, cute::thread_value_layout(fragment, dims));
  std::vector<cute::Tiler> sizes;
  for (const std::string_view dim : dims) {
    sizes.emplace_back(cute::Tile(Int(fragment.dims()[*fragment.dim(dim)].size)));
  }
  return cute::on_tile(layout, cute::Tiler::of(sizes));
}

}  // namespace

Result<Instruction> instruction(std::string_view name, const InstructionQuery& query) {
  if (!query.machine.empty() && !is_machine(query.machine)) {
    return refuse(diagnose("machine.unknown", "no machine is called {}", query.machine)
                      .with_hint(fmt::format("known are {}", machines_text())));
  }
  const auto found = form::find_listings(name, query);
  if (found.empty()) return unknown(name, query);
  Instruction first = found.front()->make();
  for (const InstructionListing* other : found) {
    if (same_operands(first, other->make())) continue;
    return refuse(diagnose("instruction.ambiguous", "{} differs between {} and {}", name,
                           variant_text(*found.front()), variant_text(*other))
                      .with_hint("say which with arch=, wave= or svl="));
  }
  return first;
}

Result<map::AnyLayout> instruction_layout(std::string_view name, std::string_view operand,
                                          const InstructionQuery& query) {
  HEDDLE_TRY(const Instruction known, instruction(name, query));
  if (const InstructionOperand* found = known.operand(operand)) return layout_of(*found);
  std::vector<std::string_view> names;
  for (const InstructionOperand& has : known.operands) names.push_back(has.name);
  return refuse("instruction.operand", "{} has no operand {}; it has {}", name, operand,
                fmt::join(names, ", "));
}

}  // namespace heddle::machine
