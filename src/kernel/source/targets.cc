// The targets by their names, and what may be asked of each: `cuda`, `cuda:sm_80`, `cpu:zen4`.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "heddle/kernel/source.h"
#include "heddle/machine/machine.h"
#include "kernel/lower/gemm_blocks.h"
#include "kernel/source/cpu_texts.h"

namespace heddle::kernel {

std::string_view name_of(Target target) {
  if (target == Target::kCpu) return "cpu";
  return target == Target::kCuda ? "cuda" : "opencl";
}

std::optional<Target> find_target(std::string_view name) {
  for (const Target target : {Target::kCuda, Target::kOpenCl, Target::kCpu}) {
    if (name == name_of(target)) return target;
  }
  return std::nullopt;
}

namespace {

/// The number of an architecture of NVIDIA, 80 of sm_80; 0 for other machines.
int architecture_of(const form::Machine* machine) {
  if (machine == nullptr || !machine->name.starts_with("sm_")) return 0;
  int number = 0;
  const std::string_view digits = machine->name.substr(3);
  std::from_chars(digits.data(), digits.data() + digits.size(), number);
  return number;
}

/// The first one with copies that are done later.
constexpr int kLeastArchitecture = 80;

bool is_nvidia_gpu(const form::Machine& machine) {
  return architecture_of(&machine) >= kLeastArchitecture;
}

/// The machine after `target`, "cuda:" or "cpu:"; a refusal lists those that the target has.
Result<const form::Machine*> machine_of(std::string_view target, std::string_view name,
                                        bool (*is_possible)(const form::Machine&)) {
  Result<const form::Machine*> found = machine::find(name);
  if (found) return found;
  std::vector<std::string> known;
  for (const form::Machine& machine : form::machines()) {
    if (is_possible(machine)) known.push_back(fmt::format("{}{}", target, machine.name));
  }
  if (is_possible(machine::host())) known.push_back(fmt::format("{}host", target));
  return refuse(
      std::move(found).error().with_hint(fmt::format("known are {}", fmt::join(known, ", "))));
}

Result<TargetMachine> cuda_target(std::string_view target, std::string_view name) {
  HEDDLE_TRY(const form::Machine* machine,
             machine_of(target, name.substr(target.size()), is_nvidia_gpu));
  if (is_nvidia_gpu(*machine)) {
    return TargetMachine(Target::kCuda, machine);
  }
  return refuse(Diagnostic("emit.target", fmt::format("{}: {} is not an NVIDIA GPU from sm_80 on",
                                                      name, machine->name))
                    .with_hint("cuda is for all NVIDIA GPUs, without matrix instructions"));
}

}  // namespace

Result<TargetMachine> parse_target(std::string_view name) {
  constexpr std::string_view kOnCpu = "cpu:";
  constexpr std::string_view kOnCuda = "cuda:";
  if (name.starts_with(kOnCuda)) return cuda_target(kOnCuda, name);
  if (!name.starts_with(kOnCpu)) {
    if (const auto target = find_target(name)) return *target;
    return refuse(
        Diagnostic("emit.target", fmt::format("kernels are not written in '{}'", name))
            .with_hint("the targets are cuda, opencl and cpu; cuda:sm_80 says the GPU, cpu:zen4 "
                       "and cpu:host the CPU"));
  }
  HEDDLE_TRY(const form::Machine* machine,
             machine_of(kOnCpu, name.substr(kOnCpu.size()), is_vector_cpu));
  if (is_vector_cpu(*machine)) return TargetMachine(Target::kCpu, machine);
  return refuse(
      Diagnostic("emit.target",
                 fmt::format("{}: {} is not a CPU with vector registers of 128, 256 or 512 bits",
                             name, machine->name))
          .with_hint("heddle eval 'machines()' lists them"));
}

std::vector<TargetMachine> family_of(Target target) {
  std::vector<TargetMachine> family;
  if (target != Target::kCuda) return family;
  for (const form::Machine& machine : form::machines()) {
    if (architecture_of(&machine) >= kLeastArchitecture) family.emplace_back(target, &machine);
  }
  return family;
}

namespace {

/// What a block may have, by the catalogue.
std::int64_t shared_bytes_of(const form::Machine& machine) {
  const form::MachineMemory* shared = machine.memory("shared");
  return shared != nullptr && shared->bytes_of_block ? shared->bytes_of_block->value
                                                     : LowerOptions().shared_bytes;
}

}  // namespace

namespace {

/// Those that have more than any before.
std::vector<SharedOf> larger_than(std::int64_t bytes, Target target) {
  std::vector<SharedOf> larger;
  for (const TargetMachine& each : family_of(target)) {
    const std::int64_t has = shared_bytes_of(*each.machine);
    if (has <= std::max(bytes, larger.empty() ? 0 : larger.back().bytes)) continue;
    larger.push_back({fmt::format("{}:{}", name_of(target), each.machine->name), has});
  }
  return larger;
}

}  // namespace

LowerOptions options_for(TargetMachine destination) {
  const Target target = destination.target;
  LowerOptions options;
  options.target = name_of(target);
  options.machine = destination.machine;
  options.has_shuffles = target == Target::kCuda;
  options.has_clusters = target == Target::kCuda;
  options.has_async_copies = options.has_matrix_loads =
      target == Target::kCuda && destination.machine != nullptr;
  if (options.has_async_copies) options.shared_bytes = shared_bytes_of(*destination.machine);
  options.larger = larger_than(options.shared_bytes, target);
  if (target == Target::kOpenCl) options.shared_bytes = 32 * 1024;
  if (target == Target::kCpu) {
    options.has_one_worker = true;
    options.shared_bytes = kCpuTileBytes;
    // The compiler makes vectors of loops.
    options.vector_bits = 0;
  }
  return options;
}

namespace {

/// What a statement is done by.
const Candidate& taken(const Choice& choice) { return choice.candidates.front(); }

/// The choice of another program for the same statement; nullptr if there is none.
const Choice* same_statement(const ThreadProgram& program, const Choice& choice) {
  const auto found = std::ranges::find(program.choices, choice.statement, &Choice::statement);
  return found == program.choices.end() ? nullptr : &*found;
}

/// Adds what is done for less on another machine; whether products are left that no instruction
/// does.
bool add_cheaper(ThreadProgram& program, const ThreadProgram& there, const std::string& target) {
  bool has_plain_products = false;
  for (Choice& choice : program.choices) {
    const Choice* instead = same_statement(there, choice);
    const std::optional<std::int64_t> cost =
        instead == nullptr ? std::nullopt : taken(*instead).cost;
    const bool is_less = cost && std::ranges::all_of(choice.candidates, [&](const Candidate& each) {
                           return !each.cost || *cost < *each.cost;
                         });
    if (is_less && taken(choice).cost) {
      choice.candidates.push_back(
          {taken(*instead).schedule, fmt::format("--target {} has it", target), cost});
    } else {
      const bool is_named = choice.candidates.back().reason.starts_with("--target ");
      has_plain_products = has_plain_products || (taken(choice).schedule == "fma" && !is_named);
    }
  }
  return has_plain_products;
}

}  // namespace

Result<ThreadProgram> lower_beside_family(const Kernel& kernel, TargetMachine destination) {
  HEDDLE_TRY(ThreadProgram program, lower(kernel, options_for(destination)));
  bool may_gain = destination.machine == nullptr ||
                  std::ranges::any_of(program.choices, [](const Choice& choice) {
                    return taken(choice).schedule == "fma";
                  });
  for (const TargetMachine& other : family_of(destination.target)) {
    if (!may_gain) break;
    if (other.machine == destination.machine) continue;
    const auto there = lower(kernel, options_for(other));
    if (!there) continue;
    may_gain = add_cheaper(program, *there,
                           fmt::format("{}:{}", name_of(other.target), other.machine->name));
  }
  return program;
}

}  // namespace heddle::kernel
