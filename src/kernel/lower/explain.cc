// How each operator is done, in lines.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "heddle/kernel/lower.h"

namespace heddle::kernel {

std::string explanation(const ThreadProgram& program) {
  std::string text = fmt::format("{}: {} threads a block, {} bytes of shared memory\n",
                                 program.name, program.launch.threads, program.shared_bytes);
  for (const Choice& choice : program.choices) {
    text += fmt::format("\n{}\n", choice.statement);
    for (const Candidate& candidate : choice.candidates) {
      text += candidate.reason.empty()
                  ? fmt::format("  taken      {}\n", candidate.schedule)
                  : fmt::format("  not taken  {}: {}\n", candidate.schedule, candidate.reason);
    }
    for (const std::string& note : choice.notes) text += fmt::format("  spread     {}\n", note);
  }
  return text;
}

}  // namespace heddle::kernel
