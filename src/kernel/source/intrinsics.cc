#include "kernel/source/intrinsics.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <utility>

namespace heddle::kernel {

namespace {

constexpr int kAmpere = 80;
constexpr int kTuring = 75;

std::string device_function(std::string_view signature, std::string_view body) {
  return fmt::format("static __device__ __forceinline__ {} {{\n{}}}\n", signature, body);
}

/// What reads and writes memory stays where it stands, between barriers and other accesses.
Intrinsic copy_intrinsic(int bytes) {
  const std::string name = fmt::format("cp_async_{}", bytes);
  const std::string_view cached = bytes == 16 ? "cg" : "ca";
  return {name,
          device_function(
              fmt::format("void {}(void* to, const void* from, int bytes)", name),
              fmt::format("  asm volatile(\"cp.async.{}.shared.global [%0], [%1], {}, %2;\"\n"
                          "               :: \"r\"((unsigned)__cvta_generic_to_shared(to)), "
                          "\"l\"(from), \"r\"(bytes) : \"memory\");\n",
                          cached, bytes)),
          kAmpere, LastArguments::kBytes};
}

/// `%4, %5, %6, %7` for four registers from the fifth on.
std::string numbered(std::int64_t first, std::int64_t count) {
  std::vector<std::string> names;
  for (std::int64_t i = first; i != first + count; ++i) names.push_back(fmt::format("%{}", i));
  return fmt::format("{}", fmt::join(names, ", "));
}

Intrinsic matrix_load(bool is_transposed, int matrices) {
  const std::string name = fmt::format("ldmatrix_{}x{}", is_transposed ? "trans_" : "", matrices);
  std::vector<std::string> outputs;
  for (int i = 0; i != matrices; ++i) {
    outputs.push_back(fmt::format("\"=r\"(((unsigned*)to)[{}])", i));
  }
  return {name,
          device_function(
              fmt::format("void {}(void* to, const void* row)", name),
              fmt::format("  asm volatile(\"ldmatrix.sync.aligned.m8n8.x{}{}.shared.b16 {{{}}}, "
                          "[%{}];\"\n"
                          "               : {}\n"
                          "               : \"r\"((unsigned)__cvta_generic_to_shared(row)) : "
                          "\"memory\");\n",
                          matrices, is_transposed ? ".trans" : "", numbered(0, matrices), matrices,
                          fmt::join(outputs, ", "))),
          kTuring};
}

/// The name that PTX has for an instruction of the catalogue; empty if it has none, or several
/// instructions for it.
std::string ptx_name(const form::InstructionListing& listing) {
  const auto is_whole = [](std::string_view name) {
    return name.starts_with("mma.sync.aligned.m") || name.starts_with("mma.sp.sync.aligned.m");
  };
  if (is_whole(listing.name)) return listing.name;
  const auto alias = std::ranges::find_if(listing.aliases, is_whole);
  return alias == listing.aliases.end() ? std::string() : *alias;
}

/// `mma_m16n8k32_satfinite_s32_s8_s8_s32`.
std::string name_of_mma(std::string ptx) {
  for (const std::string_view part : {".sync", ".aligned", ".row", ".col"}) {
    ptx.erase(ptx.find(part), part.size());
  }
  std::ranges::replace(ptx, '.', '_');
  return ptx;
}

/// The registers of an operand, in a text of assembly and as arguments of it.
struct AssemblyOperand {
  std::string text;
  std::string arguments;
};
AssemblyOperand assembly_operand(const form::Instruction& instruction, std::string_view name,
                                 std::int64_t& next) {
  const form::InstructionOperand& operand = *instruction.operand(name);
  const bool is_double = operand.bits == 64;
  const bool is_float = operand.bits == 32 && operand.type == "f32";
  const std::int64_t count = form::register_count(operand) / (is_double ? 2 : 1);
  const bool is_result = name == "D";
  const std::string type = fmt::format("{}{}", is_result ? "" : "const ",
                                       is_double ? "double" : (is_float ? "float" : "unsigned"));
  const std::string_view letter = is_double ? "d" : (is_float ? "f" : "r");
  std::string variable(name);
  variable.front() = static_cast<char>(variable.front() - 'A' + 'a');
  std::vector<std::string> arguments;
  for (std::int64_t i = 0; i != count; ++i) {
    arguments.push_back(
        fmt::format("\"{}{}\"((({}*){})[{}])", is_result ? "=" : "", letter, type, variable, i));
  }
  const std::int64_t first = std::exchange(next, next + count);
  return {fmt::format("{{{}}}", numbered(first, count)),
          fmt::format("{}", fmt::join(arguments, ", "))};
}

/// A function of its operands and of nothing else: where it stands is for the compiler to choose.
Intrinsic mma_intrinsic(const form::InstructionListing& listing, const std::string& ptx) {
  const form::Instruction instruction = listing.make();
  const bool is_sparse = instruction.operand("E") != nullptr;
  const std::string name = name_of_mma(ptx);
  std::int64_t next = 0;
  const AssemblyOperand d = assembly_operand(instruction, "D", next);
  const AssemblyOperand a = assembly_operand(instruction, "A", next);
  const AssemblyOperand b = assembly_operand(instruction, "B", next);
  const AssemblyOperand c = assembly_operand(instruction, "C", next);
  std::string text = fmt::format("{} {}, {}, {}, {}", ptx, d.text, a.text, b.text, c.text);
  std::string inputs = fmt::format("{}, {}, {}", a.arguments, b.arguments, c.arguments);
  if (is_sparse) {
    text += fmt::format(", %{}, %{}", next, next + 1);
    inputs += ", \"r\"(index), \"n\"(kSelector)";
  }
  const std::string signature =
      fmt::format("void {}(void* d, const void* a, const void* b, const void* c{})", name,
                  is_sparse ? ", unsigned index" : "");
  return {name,
          (is_sparse ? "template <int kSelector>\n" : "") +
              device_function(signature, fmt::format("  asm(\"{};\"\n      : {}\n      : {});\n",
                                                     text, d.arguments, inputs)),
          static_cast<int>(listing.machine[3] - '0') * 10 + (listing.machine[4] - '0'),
          is_sparse ? LastArguments::kSumsAndIndex : LastArguments::kSums, &listing};
}

/// The catalogue has them as PTX's manual does, and ptxas 13.0 takes them from sm_120 on only.
bool is_refused_by_ptxas(std::string_view name) {
  return name.starts_with("mma_sp_m16n8k64_f16_e");
}

std::vector<Intrinsic> matrix_intrinsics() {
  constexpr std::int64_t kWarp = 32;
  std::vector<Intrinsic> all;
  // An instruction that machines have together is listed once for each; the oldest counts.
  for (const std::string_view machine : {"sm_75", "sm_80", "sm_89", "sm_90"}) {
    for (const form::InstructionListing& listing : form::instruction_listings()) {
      if (listing.machine != machine || listing.lanes != kWarp) continue;
      const std::string ptx = ptx_name(listing);
      if (ptx.empty()) continue;
      Intrinsic made = mma_intrinsic(listing, ptx);
      if (is_refused_by_ptxas(made.name)) continue;
      if (std::ranges::find(all, made.name, &Intrinsic::name) != all.end()) continue;
      all.push_back(std::move(made));
    }
  }
  return all;
}

std::vector<Intrinsic> made_intrinsics() {
  std::vector<Intrinsic> all;
  for (const int bytes : {4, 8, 16}) all.push_back(copy_intrinsic(bytes));
  all.push_back({"cp_async_commit",
                 device_function("void cp_async_commit()",
                                 "  asm volatile(\"cp.async.commit_group;\" ::: \"memory\");\n"),
                 kAmpere});
  all.push_back({"cp_async_wait",
                 "template <int kPending>\n" +
                     device_function("void cp_async_wait()",
                                     "  asm volatile(\"cp.async.wait_group %0;\" :: "
                                     "\"n\"(kPending) : \"memory\");\n"),
                 kAmpere});
  for (const bool is_transposed : {false, true}) {
    for (const int matrices : {1, 2, 4}) all.push_back(matrix_load(is_transposed, matrices));
  }
  std::ranges::move(matrix_intrinsics(), std::back_inserter(all));
  return all;
}

}  // namespace

const std::vector<Intrinsic>& intrinsics() {
  static const std::vector<Intrinsic> all = made_intrinsics();
  return all;
}

const Intrinsic* find_intrinsic(std::string_view name) {
  const auto found = std::ranges::find(intrinsics(), name, &Intrinsic::name);
  return found == intrinsics().end() ? nullptr : &*found;
}

}  // namespace heddle::kernel
