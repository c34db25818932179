#include "heddle/form/instruction.h"

#include <algorithm>

#include "form/machine/families.h"
#include "form/machine/names.h"
#include "heddle/form/machine.h"

namespace heddle::form {
namespace {

constexpr std::string_view kEncodingSuffix = "_e64";

std::string_view without_suffix(std::string_view name) {
  if (name.ends_with(kEncodingSuffix)) name.remove_suffix(kEncodingSuffix.size());
  return name;
}

/// `FMOPA` of `FMOPA (single)`.
std::string_view without_brackets(std::string_view name) {
  return name.substr(0, std::min(name.find(" ("), name.size()));
}

bool has_type(const InstructionListing& listing, std::string_view type) {
  return std::ranges::any_of(listing.make().operands, [&](const InstructionOperand& operand) {
    return same_name(operand.type, type);
  });
}

bool answers(const InstructionListing& listing, std::string_view name,
             const InstructionQuery& query) {
  const bool is_called =
      same_name(listing.name, name) || same_name(without_brackets(listing.name), name);
  return is_called && (query.lanes == 0 || listing.lanes == query.lanes) &&
         (query.vector_bits == 0 || listing.vector_bits == query.vector_bits) &&
         (query.type.empty() || has_type(listing, query.type));
}

/// The names under which the instructions of a machine are listed, the machine first.
std::vector<std::string_view> searched(std::string_view name) {
  const Machine* machine = find_machine(name);
  if (machine == nullptr) return {name};
  std::vector<std::string_view> names = {machine->name};
  names.insert(names.end(), machine->predecessors.begin(), machine->predecessors.end());
  return names;
}

}  // namespace

const InstructionOperand* Instruction::operand(std::string_view operand_name) const {
  const auto found = std::ranges::find(operands, operand_name, &InstructionOperand::name);
  return found == operands.end() ? nullptr : &*found;
}

const std::vector<InstructionListing>& instruction_listings() {
  static const InstructionListings listings = [] {
    InstructionListings all;
    list_amd_mfma(all);
    return all;
  }();
  return listings;
}

std::vector<const InstructionListing*> find_listings(std::string_view name,
                                                     const InstructionQuery& query) {
  const std::string_view wanted = without_suffix(name);
  std::vector<const InstructionListing*> anywhere;
  for (const InstructionListing& listing : instruction_listings()) {
    if (answers(listing, wanted, query)) anywhere.push_back(&listing);
  }
  if (query.machine.empty()) return anywhere;
  const std::vector<std::string_view> machines = searched(query.machine);
  for (const std::string_view machine : machines) {
    std::vector<const InstructionListing*> found;
    for (const InstructionListing* listing : anywhere) {
      const bool is_there = listing->is_passed_on || machine == machines.front();
      if (is_there && listing->machine == machine) found.push_back(listing);
    }
    if (!found.empty()) return found;
  }
  return {};
}

std::optional<Instruction> find_instruction(std::string_view name, const InstructionQuery& query) {
  const auto found = find_listings(name, query);
  if (found.empty()) return std::nullopt;
  return found.front()->make();
}

}  // namespace heddle::form
