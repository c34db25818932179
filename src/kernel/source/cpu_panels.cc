#include "kernel/source/cpu_panels.h"

#include <fmt/format.h>

#include "heddle/kernel/source.h"
#include "kernel/source/conversions.h"

namespace heddle::kernel {

std::string CpuPanels::add(const PackPanel& panel, std::string_view loaded) {
  const DType type = panel.type;
  const DType from = panel.from_type;
  const bool has_bytes = panel.together != 1;
  const std::string prefix = has_bytes ? "heddle_pack_bytes_of_" : "heddle_pack_";
  const std::string types = has_bytes ? std::string(name_of(from))
                                      : fmt::format("{}_of_{}", name_of(type), name_of(from));
  const bool is_same = type == from;
  functions_.emplace(prefix + types,
                     Support::of("cpu/panels.h")
                         .group(prefix + "NAME")
                         .with({{"CONVERTED", is_same ? "" : "CONVERTED"},
                                {"ROWS_OF_I", is_same ? "from + i * row + k" : "held + i * kSteps"},
                                {"ROW", is_same ? "row" : "kSteps"},
                                {"LOADED", std::string(loaded)},
                                {"NAME", types},
                                {"TYPE", std::string(stored_as(type, Target::kCpu))},
                                {"FROM", std::string(stored_as(from, Target::kCpu))}}));
  return prefix + types;
}

Support CpuPanels::support() const {
  Support all;
  for (const auto& [name, function] : functions_) all += function;
  return all;
}

}  // namespace heddle::kernel
