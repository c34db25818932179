#include "heddle/form/instruction.h"

#include <algorithm>

#include "form/machine/families.h"

namespace heddle::form {
namespace {

constexpr std::string_view kEncodingSuffix = "_e64";

std::string_view without_suffix(std::string_view name) {
  if (name.ends_with(kEncodingSuffix)) name.remove_suffix(kEncodingSuffix.size());
  return name;
}

bool answers(const InstructionListing& listing, const InstructionQuery& query) {
  return (query.machine.empty() || listing.machine == query.machine) &&
         (query.lanes == 0 || listing.lanes == query.lanes) &&
         (query.vector_bits == 0 || listing.vector_bits == query.vector_bits);
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
  std::vector<const InstructionListing*> found;
  for (const InstructionListing& listing : instruction_listings()) {
    if (listing.name == wanted && answers(listing, query)) found.push_back(&listing);
  }
  return found;
}

std::optional<Instruction> find_instruction(std::string_view name, const InstructionQuery& query) {
  const auto found = find_listings(name, query);
  if (found.empty()) return std::nullopt;
  return found.front()->make();
}

}  // namespace heddle::form
