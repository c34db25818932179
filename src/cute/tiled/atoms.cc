#include "heddle/cute/atoms.h"

#include <algorithm>

#include "heddle/cute/fragment.h"
#include "heddle/cute/manipulation.h"
#include "heddle/form/instruction.h"

namespace heddle::cute {
namespace {

using form::Instruction;
using form::InstructionListing;
using form::InstructionOperand;

// What an instruction holds is a fragment of the catalogue (heddle/form/instruction.h); here is how
// CuTe writes it down.

/// The layouts of this file are constants that are known to be valid.
Layout layout(const IntTuple& shape, const StrideTuple& stride) {
  return make_layout(shape, stride).value();
}

Layout single_value() { return layout({1, 1}, {0, 0}); }

Layout thread_value(const InstructionOperand& operand, const std::vector<std::string_view>& dims) {
  return thread_value_layout(operand.fragment, dims).value();
}

/// The thread-value layout of A, B or C, (M,K), (N,K) or (M,N) -> number.
Layout mma_layout(const Instruction& instruction, std::string_view name) {
  const InstructionOperand& operand = *instruction.operand(name);
  const bool is_b = name == "B";
  const Layout tv = thread_value(operand, is_b ? std::vector<std::string_view>{"col", "row"}
                                               : std::vector<std::string_view>{"row", "col"});
  const Layout values = tv.mode(1);
  // Two places where CuTe's text has a mode that says nothing.
  if (operand.bits == 4 && values.rank() == 1) {
    return make_layout({tv.mode(0), make_layout({values}).value()}).value();
  }
  const bool is_narrow = instruction.lanes == 128 && name == "C" && instruction.shape[1] == 8;
  if (is_narrow) {
    return make_layout({tv.mode(0), append(values, layout(1, 512)).value()}).value();
  }
  return tv;
}

Layout threads_of(const Instruction& instruction) {
  if (instruction.thread_ids.empty()) {
    return instruction.lanes == 1 ? layout(1, 0) : layout(instruction.lanes, 1);
  }
  std::vector<Layout> modes;
  for (const auto& [extent, stride] : instruction.thread_ids)
    modes.push_back(layout(extent, stride));
  return make_layout(modes).value();
}

MmaAtom mma_of(const Instruction& instruction) {
  const auto& [m, n, k] = instruction.shape;
  return MmaAtom::make({m, n, k}, threads_of(instruction), mma_layout(instruction, "A"),
                       mma_layout(instruction, "B"), mma_layout(instruction, "C"))
      .value();
}

CopyAtom copy_of(const Instruction& instruction) {
  const Layout source = thread_value(*instruction.operand("src"), {"bit"});
  const Layout destination = thread_value(*instruction.operand("dst"), {"bit"});
  const bool loads = instruction.from != "registers";
  // CuTe's traits of movmatrix do not say that it transposes.
  const bool is_movm = instruction.name == "SM75_U32x1_MOVM_T";
  return CopyAtom::make(threads_of(instruction), source, is_movm ? source : destination,
                        loads ? destination : source, 1)
      .value();
}

/// CuTe's name without template arguments, which do not change the layouts; empty for PTX's names,
/// for sparse atoms and for those of tensor memory.
std::string_view atom_name(const InstructionListing& listing) {
  const std::string_view name = listing.name;
  const bool is_cute = name.starts_with("SM") && name.size() > 2 && name[2] <= '9';
  const bool is_plain = is_cute && name.find(':') == std::string_view::npos;
  const bool is_tensor = name.starts_with("SM100_MMA") || name.starts_with("SM100_TMEM") ||
                         name.starts_with("SM100_UTCCP");
  if (!is_plain || is_tensor || name.find("SPARSE") != std::string_view::npos) return {};
  return name.substr(0, name.find('<'));
}

bool is_copy(const Instruction& instruction) { return !instruction.from.empty(); }

/// The instruction of CuTe's with this name, if it is a copy or not.
std::optional<Instruction> find(std::string_view name, bool copies) {
  for (const InstructionListing* listing : form::find_listings(name)) {
    if (atom_name(*listing) != name) continue;
    const Instruction instruction = listing->make();
    if (is_copy(instruction) == copies) return instruction;
  }
  return std::nullopt;
}

std::vector<std::string> names_of(std::string_view first, bool copies) {
  std::vector<std::string> names = {std::string(first)};
  for (const InstructionListing& listing : form::instruction_listings()) {
    const std::string_view name = atom_name(listing);
    if (name.empty() || is_copy(listing.make()) != copies) continue;
    if (std::ranges::find(names, name) == names.end()) names.emplace_back(name);
  }
  return names;
}

constexpr std::string_view kScalar = "UniversalFMA";
/// CuTe's default: a thread copies value by value, and merges what lies contiguously.
constexpr std::string_view kValueByValue = "DefaultCopy";

}  // namespace

std::optional<MmaAtom> find_mma_atom(std::string_view name) {
  const Layout value = single_value();
  if (name == kScalar) return MmaAtom::make({1, 1, 1}, layout(1, 0), value, value, value).value();
  const auto found = find(name, false);
  return found ? std::optional(mma_of(*found)) : std::nullopt;
}

std::optional<CopyAtom> find_copy_atom(std::string_view name) {
  const Layout value = single_value();
  if (name == kValueByValue) return CopyAtom::make(layout(1, 0), value, value, value, 1).value();
  const auto found = find(name, true);
  return found ? std::optional(copy_of(*found)) : std::nullopt;
}

bool is_bulk_copy(std::string_view name) {
  return name.starts_with("SM90_TMA_") || name.starts_with("SM100_TMA_") ||
         name.starts_with("SM90_BULK_COPY_G2S") || name.starts_with("SM90_BULK_COPY_S2G");
}

std::vector<std::string> mma_atom_names() { return names_of(kScalar, false); }

std::vector<std::string> copy_atom_names() { return names_of(kValueByValue, true); }

}  // namespace heddle::cute
