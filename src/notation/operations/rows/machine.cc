// Machines: their instructions, and which lane, register or row holds what.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "heddle/core/nearest_names.h"
#include "heddle/machine/instruction_layout.h"
#include "heddle/machine/machine.h"
#include "notation/operations/binding.h"
#include "notation/operations/machine_report.h"
#include "notation/operations/names_page.h"

namespace heddle::notation {
namespace {

constexpr const char* kMachines = "machines and their instructions";

// ---- Machines ----

std::string machine_names() {
  std::vector<std::string_view> names;
  for (const form::Machine& machine : form::machines()) names.push_back(machine.name);
  return fmt::format("{}", fmt::join(names, " "));
}

/// The refusal with the names that may have been meant instead of an unknown one.
template <class T>
Result<T> with_meant(Result<T> result, std::string_view code, std::string_view name,
                     const std::vector<std::string>& names) {
  // A note says that the name exists elsewhere.
  if (result || result.error().code() != code || !result.error().notes().empty()) return result;
  const std::string meant = did_you_mean(name, names);
  if (meant.empty()) return result;
  return refuse(Diagnostic(result.error()).with_hint(meant));
}

/// Names and aliases, for did_you_mean().
std::vector<std::string> all_machine_names() {
  std::vector<std::string> names = {"host"};
  for (const form::Machine& machine : form::machines()) {
    names.emplace_back(machine.name);
    names.insert(names.end(), machine.aliases.begin(), machine.aliases.end());
  }
  return names;
}

Result<Report> machine_report(const std::string& name) {
  HEDDLE_TRY(const form::Machine* found,
             with_meant(machine::find(name), "machine.unknown", name, all_machine_names()));
  return notation::report_of(*found);
}

void add_machines(const Rows& add) {
  add({.call = "machines()",
       .summary = "The names of the known machines.",
       .example = {"machines()",
                   "sm_70 sm_75 sm_80 sm_86 sm_87 sm_89 sm_90 sm_100 sm_103 sm_110 sm_120 sm_121 "
                   "cdna1 cdna2 cdna3 cdna4 rdna3 rdna3.5 rdna4 gfx1250 xe-hpg xe-hpc xe2 xe3 "
                   "x86-amx x86-avx512 apple-gpu apple-m5 apple-amx arm-sve arm-sme power10 "
                   "trainium1 trainium2 ascend910b tpu_v4 tpu_v5e tpu_v5p tpu_v6e x86-64-v2 "
                   "x86-64-v3 x86-64-v4 haswell skylake-sp golden-cove zen3 zen4 zen5 neoverse-n1 "
                   "neoverse-v2"}},
      machine_names);
  add({.call = "machine(name)",
       .summary = "What a machine has, by its name or that of a product: lanes, registers, "
                  "memories, banks; each number with its source.",
       .example =
           {R"(machine("avx512"))",
            "x86-avx512 (Intel): avx512, avx512-vnni, avx512_vnni, avx512-bf16, avx512_bf16\n"
            "  zmm registers  32 of 512 bits  Intel Architecture Software Developer's Manual, "
            "AVX-512\n"
            "  source: Intel Architecture Software Developer's Manual, AVX-512"}},
      machine_report);
}

// ---- Instructions ----

form::InstructionQuery query_of(const std::optional<std::string>& arch,
                                const std::optional<std::int64_t>& wave,
                                const std::optional<std::int64_t>& svl,
                                const std::optional<std::string>& dtype) {
  return {.machine = arch ? std::string_view(*arch) : std::string_view(),
          .lanes = wave.value_or(0),
          .vector_bits = svl.value_or(0),
          .type = dtype ? std::string_view(*dtype) : std::string_view()};
}

template <class T>
Result<T> with_meant_instruction(Result<T> result, std::string_view name) {
  std::vector<std::string> names;
  for (const auto& listing : form::instruction_listings()) {
    names.push_back(listing.name);
    names.insert(names.end(), listing.aliases.begin(), listing.aliases.end());
  }
  std::ranges::sort(names);
  names.erase(std::ranges::unique(names).begin(), names.end());
  return with_meant(std::move(result), "instruction.unknown", name, names);
}

Result<std::string> instructions(const std::string& machine, const std::string& dtype,
                                 const std::optional<IntList>& shape, const Int& from,
                                 const std::optional<Int>& limit) {
  machine::InstructionFilter filter{.type = dtype};
  std::string next = fmt::format("instructions(\"{}\", \"{}\", ", machine, dtype);
  if (shape) {
    if (shape->size() != 3 || !std::ranges::all_of(*shape, &Int::is_constant)) {
      return refuse("call.type", "the shape of an instruction is (M,N,K), three numbers");
    }
    filter.shape = {(*shape)[0].value(), (*shape)[1].value(), (*shape)[2].value()};
    next += fmt::format("({},{},{}), ", (*filter.shape)[0], (*filter.shape)[1], (*filter.shape)[2]);
  }
  HEDDLE_TRY(const std::vector<std::string> names, machine::instruction_names(machine, filter));
  return names_page(names, from, limit, next + "from=");
}

void add_instructions(const Rows& add) {
  add({.call = "instructions(machine, dtype=\"\", shape, from=0, limit)",
       .summary =
           "The names of a machine's instructions: those with an operand of a type, those of "
           "the shape (M,N,K); of many names `limit` ones, from number `from` on.",
       .example = {R"(instructions("mi250x", "fp16", (32,32,8)))", "v_mfma_f32_32x32x8f16"}},
      instructions);
  add({.call = "instruction(name, arch, wave, svl, dtype)",
       .summary = "An instruction's shape, lanes and operands: their types, sizes, registers, and "
                  "where their elements are.",
       .example = {R"(instruction("v_mfma_f32_32x32x8f16", arch="cdna2"))",
                   "v_mfma_f32_32x32x8f16 (cdna2): M, N, K = 32, 32, 8; 64 lanes\n"
                   "  A: fp16, 16 bits; row 32, col 8; 2 registers\n"
                   "    register: col 4, lane: row 32, col 2\n"
                   "  B: fp16, 16 bits; row 8, col 32; 2 registers\n"
                   "    register: row 4, lane: col 32, row 2\n"
                   "  C: fp32, 32 bits; row 32, col 32; 16 registers\n"
                   "    register: row 4, row 4, lane: col 32, row 2\n"
                   "  D: fp32, 32 bits; row 32, col 32; 16 registers\n"
                   "    register: row 4, row 4, lane: col 32, row 2\n"
                   "  source: AMD Matrix Instruction Calculator 1.3.2"}},
      [](const std::string& name, const std::optional<std::string>& arch,
         const std::optional<std::int64_t>& wave, const std::optional<std::int64_t>& svl,
         const std::optional<std::string>& dtype) -> Result<Report> {
        HEDDLE_TRY(const form::Instruction found,
                   with_meant_instruction(
                       machine::instruction(name, query_of(arch, wave, svl, dtype)), name));
        return notation::report_of(found);
      });
  add({.call =
           "instruction_layout(name, operand, arch, wave, svl, dtype, to, cbsz, abid, blgp, opsel)",
       .summary = "Which element of a matrix each register of each lane holds; as Axe layout, in "
                  "which places each element is.",
       .example = {R"(instruction_layout("v_mfma_f32_4x4x4f16", "A", arch="cdna2"))",
                   " - register=1 -> (0, 0, 1)\n   register=2 -> (0, 0, 2)\n"
                   " - lane=1 -> (0, 1, 0)\n   lane=2 -> (0, 2, 0)\n   lane=4 -> (1, 0, 0)\n"
                   "   lane=8 -> (2, 0, 0)\n   lane=16 -> (4, 0, 0)\n   lane=32 -> (8, 0, 0)\n"
                   "where out dims are: [block (size 16), row (size 4), col (size 4)]"}},
      [](const std::string& name, const std::string& operand,
         const std::optional<std::string>& arch, const std::optional<std::int64_t>& wave,
         const std::optional<std::int64_t>& svl, const std::optional<std::string>& dtype,
         std::optional<map::System> to, const std::optional<std::int64_t>& cbsz,
         const std::optional<std::int64_t>& abid, const std::optional<std::int64_t>& blgp,
         const std::optional<std::int64_t>& opsel) {
        return with_meant_instruction(
            machine::instruction_layout(name, operand, query_of(arch, wave, svl, dtype), to,
                                        {cbsz, abid, blgp, opsel}),
            name);
      });
  add({.call = "instruction_slots(name, operand, arch, wave, svl, dtype, cbsz, abid, blgp, opsel)",
       .summary = "(register of 32 bits, first bit, bits) of each element that a lane holds.",
       .example = {R"(instruction_slots("v_mfma_f32_4x4x4f16", "A", arch="cdna2"))",
                   "[(0,0,16),(0,16,16),(1,0,16),(1,16,16)]"}},
      [](const std::string& name, const std::string& operand,
         const std::optional<std::string>& arch, const std::optional<std::int64_t>& wave,
         const std::optional<std::int64_t>& svl, const std::optional<std::string>& dtype,
         const std::optional<std::int64_t>& cbsz, const std::optional<std::int64_t>& abid,
         const std::optional<std::int64_t>& blgp,
         const std::optional<std::int64_t>& opsel) -> Result<TupleList> {
        HEDDLE_TRY(const auto slots,
                   with_meant_instruction(
                       machine::instruction_slots(name, operand, query_of(arch, wave, svl, dtype),
                                                  {cbsz, abid, blgp, opsel}),
                       name));
        TupleList tuples;
        for (const form::RegisterSlot& slot : slots) {
          tuples.push_back(IntTuple{slot.vgpr, slot.first_bit, slot.bits});
        }
        return tuples;
      });
}

Result<linear::LinearLayout> dpas_scales(const linear::Encoding& encoding, int op_idx,
                                         const linear::Sizes& shape) {
  const auto* dpas = std::get_if<linear::DpasEncoding>(&encoding.data());
  if (dpas == nullptr || op_idx < 0 || op_idx > 1) {
    return refuse("call.type", "dpas_scale_layout takes #ttig.dpas, and the factor 0 or 1");
  }
  return linear::dpas_scale_layout(*dpas, op_idx, shape);
}

void add_scales(const Rows& add) {
  add({.call = "dpas_scale_layout(encoding, op_idx, shape)",
       .summary = "Which scale factor of A (0) or B (1) of #ttig.dpas each register of each lane "
                  "holds.",
       .example =
           {"dpas_scale_layout(#ttig.dpas<{repeatCount = 8, systolicDepth = 8, executionSize "
            "= 16, opsPerChan = 4, threadsPerWarp = 16, warpsPerCTA = [1, 1], repCluster = "
            "[1, 1], A = [8, 32], B = [32, 16], C = [8, 16]}>, 0, [8,2])",
            " - register=1 -> (0, 1)\n - lane=1 -> (1, 0)\n   lane=2 -> (2, 0)\n"
            "   lane=4 -> (4, 0)\n   lane=8 -> (0, 0)\n - warp is a size 1 dimension\n"
            " - block is a size 1 dimension\n"
            "where out dims are: [dim0 (size 8), dim1 (size 2)]"}},
      dpas_scales);
}

}  // namespace

void add_machine_operations(std::vector<Operation>& table) {
  const Rows add{table, kMachines};
  add_machines(add);
  add_instructions(add);
  add_scales(add);
}

}  // namespace heddle::notation
