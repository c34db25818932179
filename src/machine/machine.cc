#include "heddle/machine/machine.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <unordered_set>

#include "core/format.h"
#include "core/printable.h"
#include "heddle/form/instruction.h"

namespace heddle::machine {
namespace {

bool fits(const form::InstructionListing& listing, const InstructionFilter& filter) {
  if (filter.type.empty() && !filter.shape) return true;
  const form::Instruction instruction = listing.make();
  if (filter.shape && instruction.shape != *filter.shape) return false;
  return filter.type.empty() ||
         std::ranges::any_of(instruction.operands, [&](const form::InstructionOperand& operand) {
           return form::is_of_type(operand, filter.type);
         });
}

}  // namespace

Result<const form::Machine*> find(std::string_view name) {
  if (name == host().name) return &host();
  if (const form::Machine* found = form::find_machine(name)) return found;
  std::vector<std::string_view> names;
  for (const form::Machine& machine : form::machines()) names.push_back(machine.name);
  return refuse(diagnose("machine.unknown", "unknown machine '{}'", printable(name))
                    .with_hint(fmt::format("known are {} and host", fmt::join(names, ", "))));
}

Result<std::vector<std::string>> instruction_names(std::string_view machine,
                                                   const InstructionFilter& filter) {
  HEDDLE_TRY(const form::Machine* found, find(machine));
  const auto listings = form::listings_on(*found);
  std::vector<std::string> names;
  std::unordered_set<std::string_view> known;
  for (const form::InstructionListing* listing : listings) {
    if (!fits(*listing, filter)) continue;
    if (known.insert(listing->name).second) names.push_back(listing->name);
  }
  const bool has_type = !names.empty() || filter.type.empty() ||
                        std::ranges::any_of(listings, [&](const auto* listing) {
                          return fits(*listing, {.type = filter.type});
                        });
  if (!has_type) return no_operand_of_type(found->name, filter.type, listings);
  return names;
}

Refusal no_operand_of_type(std::string_view what, std::string_view type,
                           const std::vector<const form::InstructionListing*>& listings) {
  std::vector<std::string> types;
  for (const form::InstructionListing* listing : listings) {
    for (const form::InstructionOperand& operand : listing->make().operands) {
      if (std::ranges::find(types, operand.type) == types.end()) types.push_back(operand.type);
    }
  }
  return refuse("instruction.type", "{} has no operand of type {}; its types are {}", what, type,
                fmt::join(types, ", "));
}

}  // namespace heddle::machine
