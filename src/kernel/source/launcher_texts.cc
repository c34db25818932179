#include "kernel/source/launcher_texts.h"

#include <fmt/format.h>

#include <cctype>

#include "kernel/targets/support.h"

namespace heddle::kernel {

std::string literal_of_c(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '\n') {
      quoted += "\\n";
    } else if (c == '"' || c == '\\' || c == '?') {
      quoted += {'\\', c};
    } else if (byte < 0x20 || byte >= 0x7f) {
      quoted += fmt::format("\\{:03o}", byte);
    } else {
      quoted += c;
    }
  }
  return quoted + "\"";
}

std::string type_constant(DType type) {
  std::string name = "HEDDLE_";
  for (const char c : name_of(type)) name += static_cast<char>(std::toupper(c));
  return name;
}

std::string type_in_c(DType type) {
  if (type == DType::kF64) return "double";
  if (type == DType::kF32 || type == DType::kTf32) return "float";
  constexpr std::int64_t kByte = 8;
  const bool has_sign = !is_float(type) && is_signed(type) && bits(type) >= kByte;
  return fmt::format("{}int{}_t", has_sign ? "" : "u", std::max(kByte, bits(type)));
}

std::string launcher_types() {
  std::string constants;
  std::string names;
  std::string overloads;
  for (const DType type : dtypes()) {
    constants += fmt::format("  {},\n", type_constant(type));
    names += fmt::format("    case {}: return \"{}\";\n", type_constant(type), name_of(type));
    // Types that are held as those of integers are named by hand.
    const bool is_own = type == DType::kF64 || type == DType::kF32 ||
                        (!is_float(type) && bits(type) >= 8 && type != DType::kBool);
    if (!is_own) continue;
    overloads += fmt::format("inline heddle_type heddle_type_of(const {}*) {{ return {}; }}\n",
                             type_in_c(type), type_constant(type));
  }
  return Support::of("launcher/types.h")
      .with({{"CONSTANTS\n", constants}, {"CASES\n", names}, {"OVERLOADS\n", overloads}})
      .text();
}

std::string launcher_checks(Target target) {
  std::string text =
      fmt::format("\n#ifndef HEDDLE_LAUNCHER_CHECKS\n#define HEDDLE_LAUNCHER_CHECKS\n{}#endif\n",
                  Support::of("launcher/checks.h").text());
  if (target == Target::kOpenCl) text += Support::of("launcher/opencl.h").text();
  return text;
}

}  // namespace heddle::kernel
