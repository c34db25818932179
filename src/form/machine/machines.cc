// The machines, one function a vendor. Where machines share a number, they share the document too.

#include <algorithm>

#include "form/machine/cpus.h"
#include "form/machine/names.h"
#include "heddle/form/machine.h"

namespace heddle::form {
namespace {

constexpr std::int64_t kKiB = 1024;
constexpr std::int64_t kMiB = 1024 * kKiB;

// ---- NVIDIA ----

constexpr std::string_view kCudaTable =
    "CUDA C++ Programming Guide, Technical Specifications per Compute Capability";
constexpr std::string_view kCudaBanks = "CUDA C++ Programming Guide, Shared Memory";
constexpr std::string_view kCudaLoads = "CUDA C++ Programming Guide, Device Memory Accesses";
constexpr std::string_view kPtx = "PTX ISA 9.0";
constexpr std::string_view kPtxTensorMemory = "PTX ISA 9.0, Tensor Memory Addressing";

MachineMemory nvidia_shared(std::int64_t bytes, std::int64_t bytes_of_block) {
  return {.name = "shared",
          .bytes = Stated{bytes, kCudaTable},
          .bytes_of_block = Stated{bytes_of_block, kCudaTable},
          .banks = Stated{32, kCudaBanks},
          .bank_bytes = Stated{4, kCudaBanks}};
}

Machine nvidia(std::string_view name, std::vector<std::string_view> aliases,
               std::vector<std::string_view> predecessors, MachineMemory shared) {
  return {.name = name,
          .vendor = "NVIDIA",
          .aliases = std::move(aliases),
          .predecessors = std::move(predecessors),
          .lanes = StatedSizes{{32}, kCudaTable},
          .threads_of_block = Stated{1024, kCudaTable},
          .registers = {{"R", {255, kCudaTable}, Stated{32, kCudaTable}}},
          .memories = {shared},
          .load_bytes = StatedSizes{{1, 2, 4, 8, 16}, kCudaLoads},
          .source = kPtx};
}

Machine with_copy_units(Machine machine, std::vector<std::string_view> units) {
  machine.copy_units = std::move(units);
  return machine;
}

/// Data-centre Blackwell: tensor memory of 128 data paths with 512 columns of 4 bytes.
Machine with_tensor_memory(Machine machine) {
  machine.memories.push_back({.name = "tensor",
                              .bytes = Stated{256 * kKiB, kPtxTensorMemory},
                              .rows = Stated{128, kPtxTensorMemory},
                              .row_bytes = Stated{2 * kKiB, kPtxTensorMemory}});
  machine.load_bytes = StatedSizes{{1, 2, 4, 8, 16, 32}, "PTX ISA 9.0, ld.global with .v8.b32"};
  return with_copy_units(
      std::move(machine),
      {"cp.async of 4, 8 or 16 bytes", "ldmatrix", "stmatrix", "movmatrix", "cp.async.bulk",
       "cp.async.bulk.tensor (TMA)", "tcgen05.ld, .st and .cp"});
}

Machine consumer_blackwell(std::string_view name, std::vector<std::string_view> aliases,
                           std::vector<std::string_view> predecessors) {
  Machine machine = nvidia(name, std::move(aliases), std::move(predecessors),
                           nvidia_shared(100 * kKiB, 99 * kKiB));
  machine.note = "the Blackwell Tuning Guide gives 128 KiB of shared memory per multiprocessor";
  return with_copy_units(std::move(machine),
                         {"cp.async of 4, 8 or 16 bytes", "ldmatrix", "stmatrix", "movmatrix",
                          "cp.async.bulk", "cp.async.bulk.tensor (TMA)"});
}

void add_nvidia(std::vector<Machine>& all) {
  const std::vector<std::string_view> ampere = {"cp.async of 4, 8 or 16 bytes", "ldmatrix",
                                                "movmatrix"};
  all.push_back(
      nvidia("sm_70", {"sm70", "volta", "v100"}, {}, nvidia_shared(96 * kKiB, 96 * kKiB)));
  all.push_back(with_copy_units(
      nvidia("sm_75", {"sm75", "turing", "t4"}, {"sm_70"}, nvidia_shared(64 * kKiB, 64 * kKiB)),
      {"ldmatrix", "movmatrix"}));
  all.push_back(with_copy_units(nvidia("sm_80", {"sm80", "ampere", "a100", "a30"},
                                       {"sm_75", "sm_70"}, nvidia_shared(164 * kKiB, 163 * kKiB)),
                                ampere));
  all.push_back(
      with_copy_units(nvidia("sm_86", {"sm86", "ga10x", "a10", "a40", "rtx3090"},
                             {"sm_80", "sm_75", "sm_70"}, nvidia_shared(100 * kKiB, 99 * kKiB)),
                      ampere));
  all.push_back(
      with_copy_units(nvidia("sm_87", {"sm87", "orin"}, {"sm_86", "sm_80", "sm_75", "sm_70"},
                             nvidia_shared(164 * kKiB, 163 * kKiB)),
                      ampere));
  all.push_back(with_copy_units(
      nvidia("sm_89", {"sm89", "ada", "l4", "l40", "l40s", "rtx4090"},
             {"sm_87", "sm_86", "sm_80", "sm_75", "sm_70"}, nvidia_shared(100 * kKiB, 99 * kKiB)),
      ampere));
  all.push_back(with_copy_units(
      nvidia("sm_90", {"sm90", "sm_90a", "sm90a", "hopper", "h100", "h200", "h20", "gh200"},
             {"sm_89", "sm_87", "sm_86", "sm_80", "sm_75", "sm_70"},
             nvidia_shared(228 * kKiB, 227 * kKiB)),
      {"cp.async of 4, 8 or 16 bytes", "ldmatrix", "stmatrix", "movmatrix", "cp.async.bulk",
       "cp.async.bulk.tensor (TMA)"}));
  const std::vector<std::string_view> hopper = {"sm_90", "sm_89", "sm_87", "sm_86",
                                                "sm_80", "sm_75", "sm_70"};
  std::vector<std::string_view> blackwell = hopper;
  blackwell.insert(blackwell.begin(), "sm_100");
  const MachineMemory shared = nvidia_shared(228 * kKiB, 227 * kKiB);
  all.push_back(with_tensor_memory(nvidia(
      "sm_100", {"sm100", "sm_100a", "sm_100f", "sm100a", "blackwell", "b100", "b200", "gb200"},
      hopper, shared)));
  all.push_back(with_tensor_memory(nvidia(
      "sm_103", {"sm103", "sm_103a", "sm_103f", "sm103a", "b300", "gb300"}, blackwell, shared)));
  Machine thor = with_tensor_memory(nvidia(
      "sm_110", {"sm110", "sm_110a", "sm_110f", "sm_101", "sm101", "sm_101a", "sm_101f", "thor"},
      blackwell, shared));
  thor.note = "called sm_101 before CUDA 13";
  all.push_back(std::move(thor));
  all.push_back(consumer_blackwell(
      "sm_120", {"sm120", "sm_120a", "sm_120f", "sm120a", "rtx5090", "rtxpro6000"}, hopper));
  std::vector<std::string_view> before_spark = hopper;
  before_spark.insert(before_spark.begin(), "sm_120");
  all.push_back(consumer_blackwell(
      "sm_121", {"sm121", "sm_121a", "sm_121f", "sm121a", "gb10", "dgx spark"}, before_spark));
}

// ---- AMD ----

constexpr std::string_view kRocmTable = "ROCm documentation, AMD GPU specifications";
constexpr std::string_view kLlvmLds = "LLVM, AMDGPU.td, addressable local memory and LDS banks";
constexpr std::string_view kCkBanks = "Composable Kernel, arch.hpp, get_n_lds_banks";

MachineMemory lds(std::int64_t bytes, Stated bytes_of_block, Stated banks) {
  return {.name = "shared",
          .bytes = Stated{bytes, kRocmTable},
          .bytes_of_block = bytes_of_block,
          .banks = banks,
          .bank_bytes = Stated{4, banks.source}};
}

void add_cdna(std::vector<Machine>& all) {
  const Stated block{64 * kKiB, kLlvmLds};
  const Stated banks{32, kCkBanks};
  const auto cdna = [&](std::string_view name, std::vector<std::string_view> aliases,
                        std::string_view guide, MachineMemory shared) {
    Machine machine{.name = name,
                    .vendor = "AMD",
                    .aliases = std::move(aliases),
                    .lanes = StatedSizes{{64}, guide},
                    .threads_of_block = Stated{1024, "HIP documentation, HIP programming model"},
                    .registers = {{"VGPR", {256, guide}, Stated{32, guide}},
                                  {"AccVGPR", {256, guide}, Stated{32, guide}}},
                    .memories = {shared},
                    .load_bytes = StatedSizes{{1, 2, 4, 8, 12, 16}, guide},
                    .copy_units = {"buffer_load … lds"},
                    .source = guide};
    return machine;
  };
  all.push_back(
      cdna("cdna1", {"cdna", "gfx908", "mi100"}, "CDNA1 ISA guide", lds(64 * kKiB, block, banks)));
  all.push_back(cdna("cdna2", {"gfx90a", "mi210", "mi250", "mi250x", "mi200"}, "CDNA2 ISA guide",
                     lds(64 * kKiB, block, banks)));
  Machine third =
      cdna("cdna3", {"gfx940", "gfx941", "gfx942", "mi300", "mi300a", "mi300x", "mi308x", "mi325x"},
           "CDNA3 ISA guide", lds(64 * kKiB, block, banks));
  third.copy_units.emplace_back("global_load_lds");
  all.push_back(std::move(third));
  Machine fourth = cdna("cdna4", {"gfx950", "mi350", "mi350x", "mi355x"}, "CDNA4 ISA guide",
                        lds(160 * kKiB, {160 * kKiB, kLlvmLds}, {64, kCkBanks}));
  fourth.predecessors = {"cdna3"};
  fourth.copy_units = {"buffer_load … lds", "global_load_lds", "ds_read_tr"};
  all.push_back(std::move(fourth));
}

void add_rdna(std::vector<Machine>& all) {
  const auto rdna = [](std::string_view name, std::vector<std::string_view> aliases,
                       std::vector<std::string_view> predecessors, std::string_view guide) {
    return Machine{.name = name,
                   .vendor = "AMD",
                   .aliases = std::move(aliases),
                   .predecessors = std::move(predecessors),
                   .lanes = StatedSizes{{32, 64}, guide},
                   .threads_of_block = Stated{1024, "HIP documentation, HIP programming model"},
                   .registers = {{"VGPR", {256, guide}, Stated{32, guide}}},
                   .memories = {lds(128 * kKiB, {64 * kKiB, kLlvmLds}, {32, kCkBanks})},
                   .load_bytes = StatedSizes{{1, 2, 4, 8, 12, 16}, guide},
                   .source = guide,
                   .note = "the shared memory is that of a workgroup processor, two compute units"};
  };
  all.push_back(rdna("rdna3",
                     {"gfx1100", "gfx1101", "gfx1102", "gfx1103", "gfx11", "rx7900xtx", "w7900"},
                     {}, "RDNA3 ISA guide"));
  all.push_back(rdna("rdna3.5", {"gfx1150", "gfx1151", "gfx1152", "gfx1153", "strix halo"},
                     {"rdna3"}, "RDNA3.5 ISA guide"));
  Machine fourth = rdna("rdna4", {"gfx12", "gfx1200", "gfx1201", "rx9060", "rx9070", "rx9070xt"},
                        {}, "RDNA4 ISA guide");
  fourth.copy_units = {"global_load_tr"};
  all.push_back(std::move(fourth));
  constexpr std::string_view kLlvm = "LLVM, AMDGPU.td, gfx1250";
  all.push_back({.name = "gfx1250",
                 .vendor = "AMD",
                 .aliases = {"gfx1251"},
                 .lanes = StatedSizes{{32}, "LLVM, User Guide for AMDGPU Backend"},
                 .threads_of_block = Stated{1024, "HIP documentation, HIP programming model"},
                 .registers = {{"VGPR", {1024, kLlvm}, Stated{32, kLlvm}}},
                 .memories = {{.name = "shared",
                               .bytes = Stated{320 * kKiB, kLlvm},
                               .bytes_of_block = Stated{320 * kKiB, kLlvm},
                               .banks = Stated{64, kLlvm},
                               .bank_bytes = Stated{4, kCkBanks}}},
                 .load_bytes = StatedSizes{{1, 2, 4, 8, 12, 16}, kLlvm},
                 .copy_units = {"global_load_tr", "ds_load_tr", "global_load_async_to_lds",
                                "tensor_load_to_lds (TDM)", "tensor_store_from_lds (TDM)"},
                 .source = kLlvm});
}

// ---- Intel ----

constexpr std::string_view kXeGuide = "oneAPI GPU Optimization Guide, Intel Xe GPU Architecture";
constexpr std::string_view kOccupancy = "Intel GPU Occupancy Calculator";

Machine intel_gpu(std::string_view name, std::vector<std::string_view> aliases,
                  std::vector<std::int64_t> subgroups, std::int64_t grf_bits) {
  return {.name = name,
          .vendor = "Intel",
          .aliases = std::move(aliases),
          .lanes = StatedSizes{std::move(subgroups), kOccupancy},
          .threads_of_block = Stated{1024, kOccupancy},
          .registers = {{"GRF", {128, kXeGuide}, Stated{grf_bits, kXeGuide}}},
          .copy_units = {"2D block load", "2D block store", "2D block prefetch"},
          .source = kXeGuide,
          .note = "registers are those of a hardware thread, which runs a whole subgroup"};
}

void add_intel(std::vector<Machine>& all) {
  Machine hpg = intel_gpu("xe-hpg", {"dg2", "acm", "alchemist", "arc a770", "arc-a770", "atsm"},
                          {8, 16, 32}, 256);
  hpg.memories = {{.name = "shared",
                   .bytes = Stated{128 * kKiB, kOccupancy},
                   .bytes_of_block = Stated{64 * kKiB, kOccupancy}}};
  hpg.copy_units = {};
  all.push_back(std::move(hpg));
  Machine hpc = intel_gpu("xe-hpc", {"pvc", "ponte vecchio", "max 1550", "max1550", "max 1100"},
                          {16, 32}, 512);
  hpc.memories = {{.name = "shared",
                   .bytes = Stated{128 * kKiB, kOccupancy},
                   .bytes_of_block = Stated{128 * kKiB, kOccupancy}}};
  all.push_back(std::move(hpc));
  Machine xe2 = intel_gpu("xe2", {"xe2-hpg", "bmg", "battlemage", "lnl", "lunar lake", "arc b580"},
                          {16, 32}, 512);
  xe2.lanes->source = kXeGuide;
  xe2.predecessors = {"xe-hpc"};
  all.push_back(std::move(xe2));
  Machine xe3 = intel_gpu("xe3", {"ptl", "panther lake"}, {16, 32}, 512);
  xe3.lanes->source = kXeGuide;
  xe3.predecessors = {"xe2", "xe-hpc"};
  all.push_back(std::move(xe3));
  constexpr std::string_view kPalette = "Intel Architecture Software Developer's Manual, AMX";
  all.push_back({.name = "x86-amx",
                 .vendor = "Intel",
                 .aliases = {"amx", "sapphire rapids", "spr", "granite rapids", "gnr",
                             "diamond rapids", "dmr"},
                 .registers = {{"tmm", {8, kPalette}, Stated{8192, kPalette}},
                               {"zmm", {32, kPalette}, Stated{512, kPalette}}},
                 .memories = {{.name = "tile",
                               .bytes = Stated{kKiB, kPalette},
                               .rows = Stated{16, kPalette},
                               .row_bytes = Stated{64, kPalette}}},
                 .copy_units = {"TILELOADD", "TILELOADDT1", "TILESTORED"},
                 .source = kPalette});
  constexpr std::string_view kAvx512 = "Intel Architecture Software Developer's Manual, AVX-512";
  all.push_back({.name = "x86-avx512",
                 .vendor = "Intel",
                 .aliases = {"avx512", "avx512-vnni", "avx512_vnni", "avx512-bf16", "avx512_bf16"},
                 .registers = {{"zmm", {32, kAvx512}, Stated{512, kAvx512}}},
                 .source = kAvx512});
  all[all.size() - 2].predecessors = {"x86-avx512"};
}

// ---- Apple, Arm, IBM ----

void add_apple(std::vector<Machine>& all) {
  constexpr std::string_view kTables = "Metal Feature Set Tables";
  const auto gpu = [&](std::string_view name, std::vector<std::string_view> aliases) {
    return Machine{.name = name,
                   .vendor = "Apple",
                   .aliases = std::move(aliases),
                   .lanes = StatedSizes{{32}, "MLX, steel/attn/mma.h"},
                   .threads_of_block = Stated{1024, kTables},
                   .memories = {{.name = "shared", .bytes_of_block = Stated{32 * kKiB, kTables}}},
                   .source = "Metal Shading Language Specification"};
  };
  all.push_back(gpu("apple-gpu", {"metal", "apple7", "apple8", "apple9", "apple m1", "apple m2",
                                  "apple m3", "apple m4"}));
  Machine m5 = gpu("apple-m5", {"apple10", "m5", "apple m5"});
  m5.predecessors = {"apple-gpu"};
  all.push_back(std::move(m5));
  constexpr std::string_view kCorsix = "corsix/amx, RegisterFile.md";
  all.push_back({.name = "apple-amx",
                 .vendor = "Apple",
                 .registers = {{"X", {8, kCorsix}, Stated{512, kCorsix}},
                               {"Y", {8, kCorsix}, Stated{512, kCorsix}},
                               {"Z", {64, kCorsix}, Stated{512, kCorsix}}},
                 .memories = {{.name = "Z",
                               .bytes = Stated{4 * kKiB, kCorsix},
                               .rows = Stated{64, kCorsix},
                               .row_bytes = Stated{64, kCorsix}}},
                 .source = kCorsix,
                 .note = "found out by experiment, not documented by the vendor"});
}

void add_arm(std::vector<Machine>& all) {
  constexpr std::string_view kManual = "Arm Architecture Reference Manual";
  all.push_back({.name = "arm-sve",
                 .vendor = "Arm",
                 .aliases = {"sve", "sve2", "neon", "arm-neon", "i8mm", "bf16mm", "arm mmla"},
                 .registers = {{"Z", {32, kManual}, std::nullopt},
                               {"V", {32, kManual}, Stated{128, kManual}}},
                 .source = kManual});
  all.push_back({.name = "arm-sme",
                 .vendor = "Arm",
                 .aliases = {"sme", "sme2", "sve-sme"},
                 .predecessors = {"arm-sve"},
                 .registers = {{"Z", {32, kManual}, std::nullopt}},
                 .memories = {{.name = "ZA"}},
                 .copy_units = {"MOVA", "LD1W to ZA", "ST1W from ZA"},
                 .source = kManual,
                 .note = "ZA is a square of SVL/8 by SVL/8 bytes; SVL, the bits of a vector, is a "
                         "power of two from 128 to 2048"});
}

void add_power(std::vector<Machine>& all) {
  constexpr std::string_view kPower = "Power ISA 3.1, Matrix-Multiply Assist";
  all.push_back({.name = "power10",
                 .vendor = "IBM",
                 .aliases = {"power10-mma", "ppc64le power10", "mma power10", "power11"},
                 .registers = {{"VSR", {64, kPower}, Stated{128, kPower}},
                               {"ACC", {8, kPower}, Stated{512, kPower}}},
                 .copy_units = {"xxmtacc", "xxmfacc"},
                 .source = kPower,
                 .note = "an accumulator stands for 4 VSRs; the first 32 VSRs make the 8"});
}

// ---- Accelerators ----

void add_trainium(std::vector<Machine>& all) {
  constexpr std::string_view kFirst = "NKI, Trainium/Inferentia2 Architecture Guide";
  constexpr std::string_view kSecond = "NKI, Trainium2 Architecture Guide";
  const auto psum = [](std::string_view guide) {
    return MachineMemory{.name = "PSUM",
                         .bytes = Stated{2 * kMiB, guide},
                         .banks = Stated{8, "NKI, nki.language.tile_size"},
                         .bank_bytes = Stated{2 * kKiB, "NKI, nki.language.tile_size"},
                         .rows = Stated{128, guide},
                         .row_bytes = Stated{16 * kKiB, guide}};
  };
  const auto sbuf = [](std::int64_t row_bytes, std::string_view guide) {
    return MachineMemory{.name = "SBUF",
                         .bytes = Stated{128 * row_bytes, guide},
                         .rows = Stated{128, guide},
                         .row_bytes = Stated{row_bytes, guide}};
  };
  all.push_back({.name = "trainium1",
                 .vendor = "AWS",
                 .aliases = {"trn1", "inferentia2", "inf2", "neuroncore-v2"},
                 .memories = {sbuf(192 * kKiB, kFirst), psum(kFirst)},
                 .copy_units = {"DMA", "dma_transpose"},
                 .source = kFirst});
  all.push_back({.name = "trainium2",
                 .vendor = "AWS",
                 .aliases = {"trn2", "neuroncore-v3"},
                 .predecessors = {"trainium1"},
                 .memories = {sbuf(224 * kKiB, kSecond), psum(kSecond)},
                 .copy_units = {"DMA", "dma_transpose"},
                 .source = kSecond});
}

void add_ascend(std::vector<Machine>& all) {
  constexpr std::string_view kIni = "CANN, platform_config/Ascend910B2.ini";
  constexpr std::string_view kUb = "CANN, Avoiding Bank Conflicts in the Unified Buffer";
  all.push_back({.name = "ascend910b",
                 .vendor = "Huawei",
                 .aliases = {"ascend", "910b", "atlas a2", "dav_2201"},
                 .memories = {{.name = "L0A", .bytes = Stated{64 * kKiB, kIni}},
                              {.name = "L0B", .bytes = Stated{64 * kKiB, kIni}},
                              {.name = "L0C", .bytes = Stated{128 * kKiB, kIni}},
                              {.name = "L1", .bytes = Stated{512 * kKiB, kIni}},
                              {.name = "UB",
                               .bytes = Stated{192 * kKiB, kIni},
                               .banks = Stated{48, kUb},
                               .bank_bytes = Stated{32, kUb}}},
                 .copy_units = {"MTE1", "MTE2", "MTE3", "FixPipe"},
                 .source = "CANN, Ascend C programming guide",
                 .note = "the 48 banks of UB are 16 groups of 3, and a group serves one access"});
}

void add_tpu(std::vector<Machine>& all) {
  constexpr std::string_view kInfo = "JAX, Pallas TpuInfo";
  const auto tpu = [&](std::string_view name, std::vector<std::string_view> aliases,
                       std::int64_t vmem) {
    return Machine{.name = name,
                   .vendor = "Google",
                   .aliases = std::move(aliases),
                   .lanes = StatedSizes{{128}, kInfo},
                   .memories = {{.name = "VMEM", .bytes = Stated{vmem, kInfo}},
                                {.name = "VREG",
                                 .bytes = Stated{4 * kKiB, kInfo},
                                 .rows = Stated{8, kInfo},
                                 .row_bytes = Stated{512, kInfo}}},
                   .copy_units = {"DMA"},
                   .source = kInfo,
                   .note = "a vector register has 8 sublanes of 128 lanes of 32 bits"};
  };
  all.push_back(tpu("tpu_v4", {"tpu", "tpuv4"}, 16 * kMiB));
  all.push_back(tpu("tpu_v5e", {"tpuv5e", "tpu v5 lite"}, 128 * kMiB));
  all.push_back(tpu("tpu_v5p", {"tpuv5p", "tpu v5"}, 64 * kMiB));
  all.push_back(tpu("tpu_v6e", {"tpuv6e", "trillium", "tpu v6 lite"}, 128 * kMiB));
}

}  // namespace

const MachineMemory* Machine::memory(std::string_view memory_name) const {
  const auto found = std::ranges::find_if(
      memories, [&](const MachineMemory& has) { return same_name(has.name, memory_name); });
  return found == memories.end() ? nullptr : &*found;
}

const std::vector<Machine>& machines() {
  static const std::vector<Machine> all = [] {
    std::vector<Machine> made;
    add_nvidia(made);
    add_cdna(made);
    add_rdna(made);
    add_intel(made);
    add_apple(made);
    add_arm(made);
    add_power(made);
    add_trainium(made);
    add_ascend(made);
    add_tpu(made);
    add_cpus(made);
    return made;
  }();
  return all;
}

const Machine* find_machine(std::string_view name) {
  const auto is_called = [&](std::string_view called) { return same_name(called, name); };
  const auto found = std::ranges::find_if(machines(), [&](const Machine& machine) {
    return is_called(machine.name) || std::ranges::any_of(machine.aliases, is_called);
  });
  return found == machines().end() ? nullptr : &*found;
}

}  // namespace heddle::form
