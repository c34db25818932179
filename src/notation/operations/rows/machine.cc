// Machines: their instructions, and which lane, register or row holds what.

#include <fmt/format.h>

#include <optional>
#include <string>
#include <utility>

#include "heddle/machine/copy_width.h"
#include "heddle/machine/instruction_layout.h"
#include "notation/operations/binding.h"
#include "notation/operations/element_width.h"
#include "notation/value/data.h"

namespace heddle::notation {
namespace {

constexpr const char* kMachines = "machines and their instructions";

form::InstructionQuery query_of(const std::optional<std::string>& arch,
                                const std::optional<std::int64_t>& wave,
                                const std::optional<std::int64_t>& svl) {
  return {.machine = arch ? std::string_view(*arch) : std::string_view(),
          .lanes = wave.value_or(0),
          .vector_bits = svl.value_or(0)};
}

void add_layouts(const Rows& add) {
  add({.call = "instruction_layout(name, operand, arch, wave, svl)",
       .summary = "Which element of a matrix each register of each lane holds.",
       .example = {R"(instruction_layout("v_mfma_f32_4x4x4f16", "A", arch="cdna2"))",
                   " - register=1 -> (0, 0, 1)\n   register=2 -> (0, 0, 2)\n"
                   " - lane=1 -> (0, 1, 0)\n   lane=2 -> (0, 2, 0)\n   lane=4 -> (1, 0, 0)\n"
                   "   lane=8 -> (2, 0, 0)\n   lane=16 -> (4, 0, 0)\n   lane=32 -> (8, 0, 0)\n"
                   "where out dims are: [block (size 16), row (size 4), col (size 4)]"}},
      [](const std::string& name, const std::string& operand,
         const std::optional<std::string>& arch, const std::optional<std::int64_t>& wave,
         const std::optional<std::int64_t>& svl) {
        return machine::instruction_layout(name, operand, query_of(arch, wave, svl));
      });
}

Datum::Fields data_of(const machine::CopyWidth& width) {
  return {{"element_bits", width.element_bits},
          {"vector_bits", width.vector_bits},
          {"elements", width.elements()},
          {"common", width.common},
          {"alignment_a", width.alignment_a},
          {"alignment_b", width.alignment_b},
          {"limits", Datum::List(width.limits.begin(), width.limits.end())}};
}

/// The widths of a copy whose elements have a width that is not said: for each that is usual.
Result<Report> copy_widths(const cute::AnyLayout& a, const cute::AnyLayout& b,
                           std::int64_t max_bits) {
  Report report;
  Datum::List data;
  for (const std::int64_t bits : {8, 16, 32, 64}) {
    HEDDLE_TRY(const machine::CopyWidth width, machine::copy_width(a, b, bits, max_bits));
    report.text +=
        fmt::format("{}{:>2} bits  {} at a time", data.empty() ? "" : "\n", bits, width.elements());
    data.emplace_back(data_of(width));
  }
  report.data = std::move(data);
  return report;
}

void add_copies(const Rows& add) {
  add({.call = "copy_width(a, b, element_bits, max_bits=128)",
       .summary = "How many elements CuTe's copy(a, b) moves at a time, and why not more; without "
                  "`element_bits` for elements of 8, 16, 32 and 64 bits.",
       .example = {"copy_width((4,8):(1,4), (4,8):(1,16), 16)",
                   "4 elements of 16 bits, 64 bits at a time\n"
                   "  common     4 elements are contiguous and in the same order in both\n"
                   "  aligned    a to 512 bits, b to 64 bits\n"
                   "  not wider  (0,1) is at 4 in a and at 16 in b\n"
                   "  not wider  b is aligned to 64 bits only"}},
      [](const cute::AnyLayout& a, const cute::AnyLayout& b,
         const std::optional<ElementWidth>& element, std::int64_t max_bits) -> Result<Report> {
        if (!element) return copy_widths(a, b, max_bits);
        HEDDLE_TRY(const machine::CopyWidth width,
                   machine::copy_width(a, b, element->bits, max_bits));
        return Report{.text = to_string(width), .data = data_of(width)};
      });
}

}  // namespace

void add_machine_operations(std::vector<Operation>& table) {
  const Rows rows{table, kMachines};
  add_layouts(rows);
  add_copies(rows);
}

}  // namespace heddle::notation
