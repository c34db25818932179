// How each operator is done, in lines.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <set>
#include <string_view>

#include "heddle/core/plain_text.h"
#include "heddle/kernel/lower.h"
#include "kernel/lower/fragment_picture.h"

namespace heddle::kernel {

std::string explanation(const ThreadProgram& program) {
  std::string text = fmt::format("{}: {} threads a block, {} bytes of shared memory\n",
                                 program.name, program.launch.threads, program.shared_bytes);
  if (has_shared_places(program)) {
    for (const Buffer& buffer : program.shared) {
      text += fmt::format("  shared     {}: bytes {} to {}\n", buffer.name, buffer.offset,
                          buffer.offset + planned_bytes(buffer) - 1);
    }
  }
  std::set<std::string_view> drawn;
  for (const Choice& choice : program.choices) {
    text += fmt::format("\n{}\n", choice.statement);
    for (const Candidate& candidate : choice.candidates) {
      text += candidate.reason.empty()
                  ? fmt::format("  taken      {}", candidate.schedule)
                  : fmt::format("  not taken  {}: {}", candidate.schedule, candidate.reason);
      if (candidate.cost) text += fmt::format("   cost {}", *candidate.cost);
      text += '\n';
    }
    for (const Choice::Note& note : choice.notes) {
      text += fmt::format("  {:<9}  {}\n", note.about, note.text);
    }
    if (choice.instruction.empty() || !drawn.insert(choice.instruction).second) continue;
    const auto pictures = fragment_pictures(choice.instruction, choice.machine);
    if (pictures) text += '\n' + indented(*pictures, 2);
  }
  return text;
}

}  // namespace heddle::kernel
