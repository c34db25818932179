// CPUs: the vector registers, units and caches that blocks of matrix products are chosen for. The
// levels of x86-64 name instructions only, so they have no caches and no numbers of units.

#include "form/machine/cpus.h"

#include <utility>

namespace heddle::form {
namespace {

constexpr std::int64_t kCpuKiB = 1024;

/// A cache of a core, or one that several share.
MachineMemory cache(std::string_view name, std::int64_t kib, std::string_view guide,
                    std::int64_t cores = 1) {
  MachineMemory memory{.name = name, .bytes = Stated{kib * kCpuKiB, guide}};
  if (cores != 1) memory.cores = Stated{cores, guide};
  return memory;
}

VectorUnits units(std::int64_t multiply_adds, std::int64_t latency, std::int64_t loads,
                  std::string_view guide) {
  return {{multiply_adds, guide}, {latency, guide}, {loads, guide}};
}

RegisterFile vectors(std::int64_t bits, std::string_view guide) {
  if (bits == 512) return {"zmm", {32, guide}, Stated{512, guide}};
  if (bits == 256) return {"ymm", {16, guide}, Stated{256, guide}};
  return {"xmm", {16, guide}, Stated{128, guide}};
}

/// Of instructions only.
Machine level(std::string_view name, std::vector<std::string_view> aliases, std::int64_t bits) {
  constexpr std::string_view kAbi = "System V ABI, AMD64 Supplement, Micro-Architecture Levels";
  return {.name = name,
          .vendor = "x86",
          .aliases = std::move(aliases),
          .registers = {vectors(bits, kAbi)},
          .source = kAbi};
}

void add_x86_cores(std::vector<Machine>& all) {
  constexpr std::string_view kIntel =
      "Intel 64 and IA-32 Architectures Optimization Reference Manual";
  all.push_back(
      {.name = "haswell",
       .vendor = "Intel",
       .aliases = {"broadwell"},
       .registers = {vectors(256, kIntel)},
       .memories = {cache("L1", 32, kIntel), cache("L2", 256, kIntel), cache("L3", 2048, kIntel)},
       .vector_units = units(2, 5, 2, kIntel),
       .source = kIntel,
       .note = "L3 is the part of one core, as most have it"});
  all.push_back(
      {.name = "skylake-sp",
       .vendor = "Intel",
       .aliases = {"skylake-avx512", "skx", "cascadelake"},
       .registers = {vectors(512, kIntel)},
       .memories = {cache("L1", 32, kIntel), cache("L2", 1024, kIntel), cache("L3", 1408, kIntel)},
       .vector_units = units(2, 4, 2, kIntel),
       .source = kIntel,
       .note = "with two units of 512 bits; L3 is the part of one core"});
  all.push_back(
      {.name = "golden-cove",
       .vendor = "Intel",
       .aliases = {"sapphirerapids"},
       .predecessors = {"x86-amx", "x86-avx512"},
       .registers = {vectors(512, kIntel)},
       .memories = {cache("L1", 48, kIntel), cache("L2", 2048, kIntel), cache("L3", 1920, kIntel)},
       .vector_units = units(2, 4, 2, kIntel),
       .source = kIntel,
       .note = "as in Sapphire Rapids; L3 is the part of one core"});
  constexpr std::string_view kZen3 =
      "AMD, Software Optimization Guide for AMD EPYC 7003 Processors (56665)";
  all.push_back(
      {.name = "zen3",
       .vendor = "AMD",
       .aliases = {"znver3", "milan"},
       .registers = {vectors(256, kZen3)},
       .memories = {cache("L1", 32, kZen3), cache("L2", 512, kZen3), cache("L3", 32768, kZen3, 8)},
       .vector_units = units(2, 4, 2, kZen3),
       .source = kZen3});
  constexpr std::string_view kZen4 =
      "AMD, Software Optimization Guide for the AMD Zen4 Microarchitecture (57647)";
  all.push_back(
      {.name = "zen4",
       .vendor = "AMD",
       .aliases = {"znver4", "genoa"},
       .predecessors = {"x86-avx512"},
       .registers = {vectors(512, kZen4)},
       .memories = {cache("L1", 32, kZen4), cache("L2", 1024, kZen4), cache("L3", 32768, kZen4, 8)},
       .vector_units = units(1, 4, 2, kZen4),
       .source = kZen4,
       .note = "vectors of 512 bits are done in two halves"});
  constexpr std::string_view kZen5 =
      "AMD, Software Optimization Guide for the AMD Zen5 Microarchitecture (58455)";
  all.push_back(
      {.name = "zen5",
       .vendor = "AMD",
       .aliases = {"znver5", "turin"},
       .predecessors = {"x86-avx512"},
       .registers = {vectors(512, kZen5)},
       .memories = {cache("L1", 48, kZen5), cache("L2", 1024, kZen5), cache("L3", 32768, kZen5, 8)},
       .vector_units = units(2, 4, 2, kZen5),
       .source = kZen5});
}

Machine neoverse(std::string_view name, std::int64_t l2_kib, std::int64_t pipes, std::int64_t loads,
                 std::string_view guide, std::string_view note) {
  return {.name = name,
          .vendor = "Arm",
          .registers = {{"V", {32, guide}, Stated{128, guide}}},
          .memories = {cache("L1", 64, guide), cache("L2", l2_kib, guide)},
          .vector_units = units(pipes, 4, loads, guide),
          .source = guide,
          .note = note};
}

}  // namespace

void add_cpus(std::vector<Machine>& all) {
  all.push_back(level("x86-64-v2", {"sse4.2"}, 128));
  all.push_back(level("x86-64-v3", {"avx2"}, 256));
  all.push_back(level("x86-64-v4", {}, 512));
  add_x86_cores(all);
  Machine n1 =
      neoverse("neoverse-n1", 1024, 2, 2,
               "Arm, Neoverse N1 Software Optimization Guide and Technical Reference Manual",
               "L2 is 256 KiB, 512 KiB or 1 MiB: here the largest");
  n1.aliases = {"graviton2", "altra"};
  all.push_back(std::move(n1));
  Machine v2 =
      neoverse("neoverse-v2", 2048, 4, 3,
               "Arm, Neoverse V2 Software Optimization Guide and Technical Reference Manual",
               "L2 is 1 or 2 MiB: here the largest; vectors are those of NEON");
  v2.aliases = {"graviton4", "grace"};
  all.push_back(std::move(v2));
}

}  // namespace heddle::form
