// The machine that this program runs on, as the processor and the system describe it.

#include <algorithm>
#include <fstream>
#include <initializer_list>
#include <optional>
#include <string>

#include "heddle/machine/machine.h"

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace heddle::machine {
namespace {

constexpr std::string_view kCacheFolder = "/sys/devices/system/cpu/cpu0/cache/index";
constexpr std::string_view kCaches = "/sys/devices/system/cpu/cpu0/cache";
constexpr std::string_view kProcessor = "what the processor reports";

std::string first_line(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

/// `32K` in bytes; nullopt for what is no number.
std::optional<std::int64_t> cache_bytes(const std::string& text) {
  std::size_t end = 0;
  std::int64_t number = 0;
  for (; end != text.size() && text[end] >= '0' && text[end] <= '9' && end < 9; ++end) {
    number = 10 * number + (text[end] - '0');
  }
  if (end == 0) return std::nullopt;
  const char unit = end == text.size() ? ' ' : text[end];
  if (unit == 'K') return number << 10;
  return unit == 'M' ? number << 20 : number;
}

/// The processors of a list such as `0-7,64-71`.
std::int64_t processors_in(const std::string& list) {
  std::int64_t count = 0;
  std::int64_t first = 0;
  std::int64_t number = 0;
  bool is_range = false;
  for (const char each : list + ",") {
    if (each >= '0' && each <= '9' && number < 1'000'000) {
      number = 10 * number + (each - '0');
    } else if (each == '-') {
      first = number;
      number = 0;
      is_range = true;
    } else if (each == ',') {
      count += is_range ? number - first + 1 : 1;
      number = 0;
      is_range = false;
    }
  }
  return count;
}

/// The caches that hold data. Hardware threads that share a core count as cores of their own.
std::vector<form::MachineMemory> host_caches() {
  std::vector<form::MachineMemory> caches;
  for (int index = 0; index != 8; ++index) {
    const std::string folder = std::string(kCacheFolder) + std::to_string(index) + "/";
    const std::string level = first_line(folder + "level");
    if (first_line(folder + "type") == "Instruction") continue;
    std::string_view name;
    for (const std::string_view known : {"L1", "L2", "L3"}) {
      if (level == known.substr(1)) name = known;
    }
    const auto bytes = cache_bytes(first_line(folder + "size"));
    if (name.empty() || !bytes || *bytes == 0) continue;
    form::MachineMemory& cache = caches.emplace_back();
    cache.name = name;
    cache.bytes = form::Stated{*bytes, kCaches};
    const std::int64_t cores = processors_in(first_line(folder + "shared_cpu_list"));
    if (cores > 1) cache.cores = form::Stated{cores, kCaches};
  }
  return caches;
}

form::RegisterFile host_registers() {
  const auto file = [](std::string_view name, std::int64_t count, std::int64_t bits) {
    return form::RegisterFile{name, {count, kProcessor}, form::Stated{bits, kProcessor}};
  };
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f")) return file("zmm", 32, 512);
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return file("ymm", 16, 256);
  return file("xmm", 16, 128);
#else
  return file("V", 32, 128);
#endif
}

/// The entry of the catalogue that this processor is one of; nullptr if it is not known.
const form::Machine* known_entry() {
#if defined(__x86_64__)
  unsigned signature = 0;
  unsigned b = 0;
  unsigned c = 0;
  unsigned d = 0;
  if (__get_cpuid(1, &signature, &b, &c, &d) == 0) return nullptr;
  const unsigned family = (signature >> 8 & 15) + (signature >> 20 & 255);
  const unsigned model = (signature >> 4 & 15) | (signature >> 12 & 240);
  const auto is_one_of = [&](std::initializer_list<unsigned> models) {
    return std::ranges::find(models, model) != models.end();
  };
  // Of AMD, whose models are numbered in sixteens.
  const unsigned row = model >> 4;
  const bool is_zen4 = row == 1 || row == 6 || row == 7 || row == 10;
  if (family == 25) return form::find_machine(is_zen4 ? "zen4" : "zen3");
  if (family == 26) return form::find_machine("zen5");
  if (family != 6) return nullptr;
  if (is_one_of({0x3c, 0x3f, 0x45, 0x46, 0x3d, 0x47, 0x4f, 0x56})) {
    return form::find_machine("haswell");
  }
  if (is_one_of({0x55})) return form::find_machine("skylake-sp");
  if (is_one_of({0x8f, 0xcf})) return form::find_machine("golden-cove");
#endif
  return nullptr;
}

}  // namespace

const form::Machine& host() {
  static const form::Machine here = [] {
    form::Machine machine{.name = "host", .vendor = "this machine"};
    machine.registers = {host_registers()};
    machine.memories = host_caches();
    machine.source = kProcessor;
    const form::Machine* entry = known_entry();
    // A virtual machine may hide the wider registers.
    const bool has_its_registers = entry != nullptr && entry->registers.front().bits->value ==
                                                           machine.registers.front().bits->value;
    if (!has_its_registers) return machine;
    machine.predecessors = {entry->name};
    machine.vector_units = entry->vector_units;
    return machine;
  }();
  return here;
}

}  // namespace heddle::machine
