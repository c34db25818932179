#include "notation/operations/machine_report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace heddle::notation {
namespace {

using form::Fragment;
using form::Instruction;
using form::InstructionOperand;
using form::Machine;
using form::MachineMemory;
using form::RegisterFile;
using form::Stated;
using form::StatedSizes;

// ---- Machines ----

/// What is stated, how much, and where.
struct Line {
  std::string what;
  std::string value;
  std::string source;
};

std::string table_of(const std::vector<Line>& lines) {
  std::size_t what = 0;
  std::size_t value = 0;
  for (const Line& line : lines) {
    what = std::max(what, line.what.size());
    value = std::max(value, line.value.size());
  }
  std::string text;
  for (const Line& line : lines) {
    text += fmt::format("\n  {:{}}  {:{}}  {}", line.what, what, line.value, value, line.source);
  }
  return text;
}

std::string sizes_text(const StatedSizes& sizes) {
  return fmt::format("{}", fmt::join(sizes.values, ", "));
}

std::string registers_text(const RegisterFile& registers) {
  if (!registers.bits) return fmt::format("{}", registers.count.value);
  return fmt::format("{} of {} bits", registers.count.value, registers.bits->value);
}

/// `64 KiB` if it is a whole number of them.
std::string bytes_text(std::int64_t bytes) {
  constexpr std::int64_t kKiB = 1024;
  return bytes % kKiB == 0 ? fmt::format("{} KiB", bytes / kKiB) : fmt::format("{} bytes", bytes);
}

void add_memory(std::vector<Line>& lines, const MachineMemory& memory) {
  const auto add = [&](std::string_view what, const std::optional<Stated>& stated, bool is_bytes) {
    if (!stated) return;
    const std::int64_t value = stated->value;
    lines.push_back({fmt::format("{}{}", memory.name, what),
                     is_bytes ? bytes_text(value) : fmt::format("{}", value),
                     std::string(stated->source)});
  };
  add("", memory.bytes, true);
  add(", of a block", memory.bytes_of_block, true);
  add(", banks", memory.banks, false);
  add(", of a bank", memory.bank_bytes, true);
  add(", rows", memory.rows, false);
  add(", of a row", memory.row_bytes, true);
  add(", cores", memory.cores, false);
}

void add_units(std::vector<Line>& lines, const form::VectorUnits& units) {
  const auto add = [&](std::string what, const Stated& stated) {
    lines.push_back({std::move(what), fmt::format("{}", stated.value), std::string(stated.source)});
  };
  add("multiply-adds in a cycle", units.multiply_adds);
  add("cycles of a multiply-add", units.latency);
  add("loads in a cycle", units.loads);
}

std::string text_of(const Machine& machine) {
  std::vector<Line> lines;
  if (machine.lanes) {
    lines.push_back({"lanes", sizes_text(*machine.lanes), std::string(machine.lanes->source)});
  }
  if (const auto& threads = machine.threads_of_block) {
    lines.push_back(
        {"threads of a block", fmt::format("{}", threads->value), std::string(threads->source)});
  }
  for (const RegisterFile& registers : machine.registers) {
    lines.push_back({fmt::format("{} registers", registers.name), registers_text(registers),
                     std::string(registers.count.source)});
  }
  for (const MachineMemory& memory : machine.memories) add_memory(lines, memory);
  if (machine.vector_units) add_units(lines, *machine.vector_units);
  if (machine.load_bytes) {
    lines.push_back({"bytes of a load", sizes_text(*machine.load_bytes),
                     std::string(machine.load_bytes->source)});
  }
  std::string text = fmt::format("{} ({})", machine.name, machine.vendor);
  if (!machine.aliases.empty()) text += fmt::format(": {}", fmt::join(machine.aliases, ", "));
  text += table_of(lines);
  if (!machine.copy_units.empty()) {
    text += fmt::format("\n  copies with {}", fmt::join(machine.copy_units, ", "));
  }
  if (!machine.predecessors.empty()) {
    text +=
        fmt::format("\n  also has the instructions of {}", fmt::join(machine.predecessors, ", "));
  }
  text += fmt::format("\n  source: {}", machine.source);
  if (!machine.note.empty()) text += fmt::format("\n  note: {}", machine.note);
  return text;
}

Datum names_of(const std::vector<std::string_view>& names) {
  Datum::List list;
  for (const std::string_view name : names) list.emplace_back(std::string(name));
  return list;
}

Datum datum_of(const std::optional<Stated>& stated) {
  if (!stated) return nullptr;
  return Datum::Fields{{"value", stated->value}, {"source", std::string(stated->source)}};
}

Datum datum_of(const std::optional<StatedSizes>& sizes) {
  if (!sizes) return nullptr;
  return Datum::Fields{{"values", list_of(sizes->values)}, {"source", std::string(sizes->source)}};
}

Datum datum_of(const RegisterFile& registers) {
  return Datum::Fields{{"name", std::string(registers.name)},
                       {"count", datum_of(std::optional(registers.count))},
                       {"bits", datum_of(registers.bits)}};
}

Datum datum_of(const MachineMemory& memory) {
  return Datum::Fields{{"name", std::string(memory.name)},
                       {"bytes", datum_of(memory.bytes)},
                       {"bytes_of_block", datum_of(memory.bytes_of_block)},
                       {"banks", datum_of(memory.banks)},
                       {"bank_bytes", datum_of(memory.bank_bytes)},
                       {"rows", datum_of(memory.rows)},
                       {"row_bytes", datum_of(memory.row_bytes)},
                       {"cores", datum_of(memory.cores)}};
}

Datum datum_of(const std::optional<form::VectorUnits>& units) {
  if (!units) return nullptr;
  return Datum::Fields{{"multiply_adds", datum_of(std::optional(units->multiply_adds))},
                       {"latency", datum_of(std::optional(units->latency))},
                       {"loads", datum_of(std::optional(units->loads))}};
}

// ---- Instructions ----

/// 32-bit registers in which a lane holds the operand; none where places are no lanes.
std::optional<std::int64_t> registers_of(const InstructionOperand& operand) {
  if (!operand.fragment.place("register") || !operand.fragment.place("lane")) return std::nullopt;
  return form::register_count(operand);
}

std::string extents_text(const std::vector<Fragment::Extent>& extents) {
  std::vector<std::string> texts;
  for (const Fragment::Extent& extent : extents) {
    texts.push_back(fmt::format("{} {}", extent.name, extent.size));
  }
  return fmt::format("{}", fmt::join(texts, ", "));
}

Datum extents_data(const std::vector<Fragment::Extent>& extents) {
  Datum::Fields fields;
  for (const Fragment::Extent& extent : extents) fields.emplace_back(extent.name, extent.size);
  return fields;
}

std::string text_of(const InstructionOperand& operand) {
  const Fragment& fragment = operand.fragment;
  std::string text = fmt::format("\n  {}: {}, {} bits; {}", operand.name, operand.type,
                                 operand.bits, extents_text(fragment.dims()));
  if (const auto registers = registers_of(operand)) {
    text += fmt::format("; {} register{}", *registers, *registers == 1 ? "" : "s");
  }
  text += fmt::format("\n    {}", form::to_string(fragment));
  if (!operand.note.empty()) text += fmt::format("\n    note: {}", operand.note);
  return text;
}

Datum datum_of(const InstructionOperand& operand) {
  return Datum::Fields{{"name", operand.name},
                       {"type", operand.type},
                       {"bits", operand.bits},
                       {"slot_bits", operand.slot_bits},
                       {"registers", Datum(registers_of(operand))},
                       {"dims", extents_data(operand.fragment.dims())},
                       {"places", extents_data(operand.fragment.places())},
                       {"fragment", form::to_string(operand.fragment)},
                       {"note", text_or_null(operand.note)}};
}

template <class Item>
Datum data_of(const std::vector<Item>& items) {
  Datum::List list;
  for (const Item& item : items) list.push_back(datum_of(item));
  return list;
}

}  // namespace

Report report_of(const Machine& machine) {
  return {text_of(machine), Datum::Fields{{"name", std::string(machine.name)},
                                          {"vendor", std::string(machine.vendor)},
                                          {"aliases", names_of(machine.aliases)},
                                          {"predecessors", names_of(machine.predecessors)},
                                          {"lanes", datum_of(machine.lanes)},
                                          {"threads_of_block", datum_of(machine.threads_of_block)},
                                          {"registers", data_of(machine.registers)},
                                          {"memories", data_of(machine.memories)},
                                          {"vector_units", datum_of(machine.vector_units)},
                                          {"load_bytes", datum_of(machine.load_bytes)},
                                          {"copy_units", names_of(machine.copy_units)},
                                          {"source", std::string(machine.source)},
                                          {"note", text_or_null(std::string(machine.note))}}};
}

Report report_of(const Instruction& instruction) {
  std::string text = fmt::format("{} ({}): M, N, K = {}", instruction.name, instruction.machine,
                                 fmt::join(instruction.shape, ", "));
  if (instruction.lanes != 1) text += fmt::format("; {} lanes", instruction.lanes);
  if (instruction.vector_bits != 0) {
    text += fmt::format("; vectors of {} bits", instruction.vector_bits);
  }
  for (const InstructionOperand& operand : instruction.operands) text += text_of(operand);
  text += fmt::format("\n  source: {}", instruction.source);
  if (!instruction.note.empty()) text += fmt::format("\n  note: {}", instruction.note);
  Datum::List threads;
  for (const auto& [extent, stride] : instruction.thread_ids) {
    threads.emplace_back(Datum::List{extent, stride});
  }
  return {std::move(text), Datum::Fields{{"name", instruction.name},
                                         {"machine", instruction.machine},
                                         {"shape", list_of(instruction.shape)},
                                         {"lanes", instruction.lanes},
                                         {"vector_bits", instruction.vector_bits},
                                         {"thread_ids", std::move(threads)},
                                         {"operands", data_of(instruction.operands)},
                                         {"source", instruction.source},
                                         {"note", text_or_null(instruction.note)}}};
}

}  // namespace heddle::notation
