#include "heddle/form/instruction.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "core/format.h"
#include "form/machine/families.h"
#include "form/machine/names.h"
#include "form/machine/nvidia_names.h"
#include "form/machine/pasted_names.h"
#include "heddle/form/element_type.h"
#include "heddle/form/machine.h"

namespace heddle::form {
namespace {

constexpr std::int64_t kRegisterBits = 32;

/// `FMOPA` of `FMOPA (single)`.
std::string_view without_brackets(std::string_view name) {
  return name.substr(0, std::min(name.find(" ("), name.size()));
}

bool answers(const InstructionListing& listing, const InstructionQuery& query) {
  return (query.lanes == 0 || listing.lanes == query.lanes) &&
         (query.vector_bits == 0 || listing.vector_bits == query.vector_bits);
}

/// Whether it has what the name says of lanes, machine and registers.
bool agrees(const InstructionListing& listing, const PastedName& pasted) {
  if (pasted.lanes != 0 && listing.lanes != pasted.lanes) return false;
  if (!pasted.machine.empty() && listing.machine != pasted.machine) return false;
  if (pasted.bits_of_d == 0) return true;
  const Instruction instruction = listing.make();
  const auto has = [&](std::string_view name, std::int64_t bits) {
    const InstructionOperand* operand = instruction.operand(name);
    return operand != nullptr && register_count(*operand) * kRegisterBits == bits;
  };
  return has("D", pasted.bits_of_d) && has("A", pasted.bits_of_a);
}

/// Those of which A, the first operand, has the type, else those of which any operand has it; all
/// if no type is asked for.
std::vector<const InstructionListing*> with_type(
    const std::vector<const InstructionListing*>& listings, std::string_view type) {
  if (type.empty()) return listings;
  std::vector<const InstructionListing*> of_first;
  std::vector<const InstructionListing*> of_any;
  for (const InstructionListing* listing : listings) {
    const Instruction instruction = listing->make();
    const auto has = [&](const InstructionOperand& operand) { return is_of_type(operand, type); };
    if (std::ranges::any_of(instruction.operands, has)) of_any.push_back(listing);
    if (has(instruction.operands.front())) of_first.push_back(listing);
  }
  return of_first.empty() ? of_any : of_first;
}

/// The listings of each name, in lower case: in full, and without the words in brackets.
class NameIndex {
 public:
  explicit NameIndex(const std::vector<InstructionListing>& listings) {
    for (const InstructionListing& listing : listings) {
      add(in_full_, listing.name, listing);
      for (const std::string& alias : listing.aliases) add(in_full_, alias, listing);
      const std::string_view shortened = without_brackets(listing.name);
      if (shortened != listing.name) add(in_short_, shortened, listing);
    }
  }

  /// Those called so in full, else those called so without the words in brackets.
  [[nodiscard]] std::vector<const InstructionListing*> called(std::string_view name) const {
    const std::string key = nvidia_key(std::string(name));
    for (const auto* names : {&in_full_, &in_short_}) {
      const auto found = names->find(key);
      if (found != names->end()) return found->second;
    }
    return {};
  }

 private:
  using Names = std::unordered_map<std::string, std::vector<const InstructionListing*>>;

  static void add(Names& names, std::string_view name, const InstructionListing& listing) {
    auto& found = names[nvidia_key(std::string(name))];
    if (found.empty() || found.back() != &listing) found.push_back(&listing);
  }

  Names in_full_;
  Names in_short_;
};

std::vector<const InstructionListing*> called(std::string_view name) {
  static const NameIndex index(instruction_listings());
  return index.called(name);
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
  const auto found = std::ranges::find_if(
      operands, [&](const InstructionOperand& has) { return same_name(has.name, operand_name); });
  if (found != operands.end()) return &*found;
  // `AB` is what A and B both are.
  const InstructionOperand* first = nullptr;
  for (std::size_t i = 0; operand_name.size() > 1 && i < operand_name.size(); ++i) {
    const InstructionOperand* one = operand(operand_name.substr(i, 1));
    if (one == nullptr || (first != nullptr && first->fragment != one->fragment)) return nullptr;
    if (first == nullptr) first = one;
  }
  return first;
}

bool is_of_type(const InstructionOperand& operand, std::string_view type) {
  return std::ranges::any_of(split(operand.type, '/'),
                             [&](std::string_view has) { return same_element_type(has, type); });
}

std::vector<RegisterSlot> register_slots(const InstructionOperand& operand) {
  std::vector<RegisterSlot> slots;
  const auto place = operand.fragment.place("register");
  const std::int64_t count = place ? operand.fragment.places()[*place].size : 1;
  for (std::int64_t element = 0; element < count; ++element) {
    const std::int64_t start = operand.first_bit + element / operand.shared_by * operand.slot_bits;
    slots.push_back({start / kRegisterBits, start % kRegisterBits, operand.bits * operand.group});
  }
  return slots;
}

std::int64_t register_count(const InstructionOperand& operand) {
  const RegisterSlot last = register_slots(operand).back();
  return last.vgpr + (last.first_bit + last.bits + kRegisterBits - 1) / kRegisterBits;
}

Result<Instruction> with_modifiers(Instruction instruction, const InstructionModifiers& modifiers) {
  using Given = std::pair<std::string_view, std::optional<std::int64_t>>;
  const std::array<Given, 4> given = {{{"cbsz", modifiers.cbsz},
                                       {"abid", modifiers.abid},
                                       {"blgp", modifiers.blgp},
                                       {"opsel", modifiers.opsel}}};
  for (const auto& [name, value] : given) {
    if (value.value_or(0) == 0) continue;
    if (std::ranges::find(instruction.modifiers, name) != instruction.modifiers.end()) continue;
    if (instruction.modifiers.empty()) {
      return refuse("instruction.modifier", "{} is {}, but {} has no modifiers that move elements",
                    name, *value, instruction.name);
    }
    return refuse("instruction.modifier",
                  "{} is {}, but the only modifiers of {} that move elements are {}", name, *value,
                  instruction.name, fmt::join(instruction.modifiers, ", "));
  }
  if (instruction.modify != nullptr) HEDDLE_CHECK(instruction.modify(instruction, modifiers));
  return instruction;
}

const std::vector<InstructionListing>& instruction_listings() {
  static const InstructionListings listings = [] {
    InstructionListings all;
    list_nvidia_mma(all);
    list_nvidia_wgmma(all);
    list_nvidia_tcgen05(all);
    list_nvidia_copies(all);
    list_amd_mfma(all);
    list_amd_wmma(all);
    list_amd_transposing_loads(all);
    list_iree_amd(all);
    list_iree_nvidia(all);
    list_intel_dpas(all);
    list_intel_amx(all);
    list_arm_sme(all);
    list_arm_mmla(all);
    list_power10_mma(all);
    list_apple(all);
    list_trainium(all);
    list_ascend(all);
    return all;
  }();
  return listings;
}

std::vector<const InstructionListing*> listings_on(const Machine& machine) {
  std::vector<const InstructionListing*> all;
  std::unordered_set<std::string_view> nearer;
  for (const std::string_view name : searched(machine.name)) {
    std::unordered_set<std::string_view> here;
    for (const InstructionListing& listing : instruction_listings()) {
      const bool has = listing.is_passed_on || name == machine.name;
      if (!has || listing.machine != name || nearer.contains(listing.name)) continue;
      here.insert(listing.name);
      all.push_back(&listing);
    }
    nearer.merge(here);
  }
  return all;
}

std::vector<const InstructionListing*> find_listings(std::string_view name,
                                                     const InstructionQuery& query) {
  const PastedName pasted = pasted_name(name);
  std::vector<const InstructionListing*> anywhere = called(pasted.name);
  std::erase_if(anywhere, [&](const InstructionListing* listing) {
    return !answers(*listing, query) || !agrees(*listing, pasted);
  });
  if (query.machine.empty()) return with_type(anywhere, query.type);
  const std::vector<std::string_view> machines = searched(query.machine);
  for (const std::string_view machine : machines) {
    std::vector<const InstructionListing*> found;
    for (const InstructionListing* listing : anywhere) {
      const bool is_there = listing->is_passed_on || machine == machines.front();
      if (is_there && listing->machine == machine) found.push_back(listing);
    }
    found = with_type(found, query.type);
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
