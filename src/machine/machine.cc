#include "heddle/machine/machine.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <unordered_set>

#include "core/format.h"
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
  if (const form::Machine* found = form::find_machine(name)) return found;
  std::vector<std::string_view> names;
  for (const form::Machine& machine : form::machines()) names.push_back(machine.name);
  return refuse(diagnose("machine.unknown", "no machine is called {}", name)
                    .with_hint(fmt::format("known are {}", fmt::join(names, ", "))));
}

Result<std::vector<std::string>> instruction_names(std::string_view machine,
                                                   const InstructionFilter& filter) {
  HEDDLE_TRY(const form::Machine* found, find(machine));
  std::vector<std::string_view> machines = {found->name};
  machines.insert(machines.end(), found->predecessors.begin(), found->predecessors.end());
  std::vector<std::string> names;
  std::unordered_set<std::string> known;
  for (const std::string_view searched : machines) {
    for (const form::InstructionListing& listing : form::instruction_listings()) {
      const bool has = listing.is_passed_on || searched == found->name;
      if (!has || listing.machine != searched || !fits(listing, filter)) continue;
      if (known.insert(listing.name).second) names.push_back(listing.name);
    }
  }
  return names;
}

}  // namespace heddle::machine
