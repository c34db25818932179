#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "heddle/draw/banks.h"
#include "heddle/notation/analyses.h"
#include "heddle/notation/picture.h"

namespace heddle::notation {
namespace {

draw::BankPhase drawn_phase(const analyze::Request& request, const analyze::Phase& phase,
                            std::int64_t bytes) {
  draw::BankPhase drawn;
  drawn.label = analyze::lanes_text(phase.lanes);
  const std::int64_t words = std::max<std::int64_t>(bytes / analyze::kBankBytes, 1);
  for (const std::int64_t lane : phase.lanes) {
    const std::int64_t first = request.bytes[static_cast<std::size_t>(lane)] / analyze::kBankBytes;
    for (std::int64_t word = first; word < first + words; ++word)
      drawn.accesses.push_back({lane, word});
  }
  return drawn;
}

}  // namespace

Result<draw::Picture> worst_picture(const analyze::BankReport& report, bool all_phases,
                                    const draw::PictureOptions& options) {
  const analyze::Request& request = report.requests[report.worst()];
  std::vector<analyze::Phase> phases = report.phases(report.worst());
  if (!all_phases) {
    const auto worst = std::ranges::max_element(phases, {}, &analyze::Phase::wavefronts);
    phases = {*worst};
  }
  draw::BankAccess access;
  access.title = fmt::format("warp {}, value{} {}", request.warp,
                             request.values.size() == 1 ? "" : "s", fmt::join(request.values, " "));
  access.banks = report.rule.banks;
  for (const analyze::Phase& phase : phases)
    access.phases.push_back(drawn_phase(request, phase, report.counts.vector_bits / 8));
  return draw::bank_picture(access, options);
}

}  // namespace heddle::notation
