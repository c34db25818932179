// Reports of analyses as text: a verdict, and lines of names and values.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/text.h"
#include "heddle/analyze/coalescing.h"
#include "heddle/analyze/conversion.h"
#include "heddle/analyze/find_swizzle.h"
#include "heddle/analyze/matrix_access.h"

namespace heddle::analyze {
namespace {

/// The lines below a verdict: aligned names, and their values.
class Lines {
 public:
  void add(std::string name, std::string text) {
    lines_.emplace_back(std::move(name), std::move(text));
  }
  [[nodiscard]] std::string text(std::string verdict) const {
    std::size_t width = 0;
    for (const auto& [name, text] : lines_) width = std::max(width, name.size());
    for (const auto& [name, text] : lines_)
      verdict += fmt::format("\n  {:{}}  {}", name, width, text);
    return verdict;
  }

 private:
  std::vector<std::pair<std::string, std::string>> lines_;
};

/// `0 1 2 3`, `0 to 31`, `0 8 16 24`.
std::string numbers_text(const std::vector<std::int64_t>& numbers) {
  const bool is_run =
      numbers.back() - numbers.front() + 1 == static_cast<std::int64_t>(numbers.size()) &&
      std::ranges::is_sorted(numbers);
  if (is_run && numbers.size() > 3) return fmt::format("{} to {}", numbers.front(), numbers.back());
  return fmt::format("{}", fmt::join(numbers, " "));
}

std::string request_text(const Request& request) {
  return fmt::format("warp {}, value{} {}", request.warp, request.values.size() == 1 ? "" : "s",
                     numbers_text(request.values));
}

std::string vector_text(std::int64_t elements, std::int64_t bits) {
  return fmt::format("{} of {} bits in an instruction", counted(elements, "element"),
                     bits / elements);
}

std::string wavefronts_text(const BankCounts& counts) {
  std::string text = counted(counts.wavefronts, "wavefront");
  if (!counts.is_conflict_free()) text += fmt::format(", ideally {}", counts.ideal);
  return text;
}

std::string counts_text(const BankCounts& counts) {
  return fmt::format("{} of {} bits, {}", counted(counts.requests, "instruction"),
                     counts.vector_bits, wavefronts_text(counts));
}

/// `bank 0: word 0 by lane 0, word 32 by lanes 4 5`, the first few words.
std::string conflict_text(const BankConflict& conflict) {
  constexpr std::size_t kShown = 4;
  std::vector<std::string> words;
  for (const TouchedWord& word : conflict.words) {
    if (words.size() == kShown) break;
    words.push_back(fmt::format("word {} by lane{} {}", word.word,
                                word.lanes.size() == 1 ? "" : "s", numbers_text(word.lanes)));
  }
  std::string text = fmt::format("bank {}: {}", conflict.bank, fmt::join(words, ", "));
  if (conflict.words.size() > kShown) text += fmt::format(", … {} in all", conflict.words.size());
  return text;
}

void add_worst(const BankReport& report, Lines& lines) {
  const std::vector<Phase> phases = report.phases(report.worst());
  const auto worst = std::ranges::max_element(phases, {}, &Phase::wavefronts);
  if (worst->wavefronts <= 1) return;
  lines.add("worst",
            fmt::format("{}, {}: {}", request_text(report.requests[report.worst()]),
                        lanes_text(worst->lanes), counted(worst->wavefronts, "wavefront")));
  lines.add("", conflict_text(worst->conflicts.front()));
  const std::size_t others = worst->conflicts.size() - 1;
  if (others > 0)
    lines.add("",
              fmt::format("and {} like it", counted(static_cast<std::int64_t>(others), "bank")));
}

}  // namespace

std::string lanes_text(const std::vector<std::int64_t>& lanes) {
  std::vector<std::string> runs;
  for (std::size_t first = 0, next = 1; first < lanes.size(); first = next++) {
    while (next < lanes.size() && lanes[next] == lanes[next - 1] + 1) ++next;
    runs.push_back(fmt::format("{} to {}", lanes[first], lanes[next - 1]));
  }
  return fmt::format("lanes {}", fmt::join(runs, ", "));
}

std::string to_string(const BankReport& report) {
  const BankCounts& counts = report.counts;
  Lines lines;
  lines.add("each lane", vector_text(counts.vector_elements, counts.vector_bits));
  lines.add("instructions", std::to_string(counts.requests));
  if (counts.is_conflict_free())
    return lines.text("no bank conflicts: " + counted(counts.wavefronts, "wavefront"));
  std::int64_t ways = 1;
  for (const Phase& phase : report.phases(report.worst())) ways = std::max(ways, phase.wavefronts);
  add_worst(report, lines);
  return lines.text(fmt::format("{}-way bank conflicts: {}", ways, wavefronts_text(counts)));
}

std::string to_string(const std::vector<Phase>& phases) {
  Lines lines;
  BankCounts counts;
  std::int64_t ways = 1;
  for (const Phase& phase : phases) {
    counts.wavefronts += phase.wavefronts;
    ++counts.ideal;
    ways = std::max(ways, phase.wavefronts);
    lines.add(lanes_text(phase.lanes), counted(phase.wavefronts, "wavefront"));
    if (!phase.conflicts.empty()) lines.add("", conflict_text(phase.conflicts.front()));
  }
  const std::string wavefronts = wavefronts_text(counts);
  return lines.text(counts.is_conflict_free()
                        ? "no bank conflicts: " + wavefronts
                        : fmt::format("{}-way bank conflicts: {}", ways, wavefronts));
}

std::string to_string(const CoalescingReport& report) {
  const RequestTraffic& total = report.total;
  Lines lines;
  lines.add("each lane", vector_text(report.vector_elements, report.vector_bits));
  lines.add("instructions", std::to_string(report.requests.size()));
  lines.add("lines", fmt::format("{} of {} bytes", total.lines, kLineBytes));
  if (report.is_ideal()) {
    return lines.text(fmt::format("coalesced: {} of {} bytes for {} bytes",
                                  counted(total.sectors, "sector"), kSectorBytes, total.bytes));
  }
  const std::size_t worst = report.worst();
  lines.add("worst", fmt::format("{}: {} for {} bytes", request_text(report.requests[worst]),
                                 counted(report.traffic[worst].sectors, "sector"),
                                 report.traffic[worst].bytes));
  return lines.text(fmt::format("not coalesced: {} of {} bytes for {} bytes, ideally {}",
                                counted(total.sectors, "sector"), kSectorBytes, total.bytes,
                                total.ideal));
}

std::string to_string(const SwizzledBuffer& buffer) {
  Lines lines;
  lines.add("write", counts_text(buffer.write));
  lines.add("read", counts_text(buffer.read));
  lines.add("memory", counted(buffer.bytes, "byte"));
  const bool is_free = buffer.write.is_conflict_free() && buffer.read.is_conflict_free();
  const std::string verdict = fmt::format(
      "written by {} bits, read by {}: {}", buffer.write.vector_bits, buffer.read.vector_bits,
      is_free ? "no bank conflicts"
              : fmt::format("{} more than the ideal ones",
                            counted(buffer.write.wavefronts + buffer.read.wavefronts -
                                        buffer.write.ideal - buffer.read.ideal,
                                    "wavefront")));
  return lines.text(verdict) + "\n" + linear::to_string(buffer.layout);
}

std::string to_string(const MatrixAccess& access) {
  return fmt::format("ldmatrix.x{}{}: {}, {}{}", access.matrices,
                     access.order == MatrixOrder::kTransposed ? ".trans" : "",
                     counted(access.requests, "instruction"),
                     counted(access.wavefronts, "wavefront"),
                     access.wavefronts == access.ideal ? ", no bank conflicts"
                                                       : fmt::format(", ideally {}", access.ideal));
}

namespace {

/// `4 wavefronts`, `4 + 8 wavefronts`.
std::string sum_text(std::span<const BankCounts> counts) {
  std::vector<std::int64_t> wavefronts;
  for (const BankCounts& count : counts) wavefronts.push_back(count.wavefronts);
  return fmt::format("{} wavefront{}", fmt::join(wavefronts, " + "),
                     wavefronts.size() == 1 && wavefronts.front() == 1 ? "" : "s");
}

std::string swizzle_verdict(std::span<const BankCounts> plain,
                            const Candidate<cute::Swizzle>& best) {
  const std::int64_t before = wavefronts_of(plain);
  if (best.wavefronts() == before && best.requests() == requests_of(plain))
    return fmt::format("no swizzle is better than none: {}", counted(before, "wavefront"));
  return fmt::format("{}: {} instead of {}", to_string(best.layout),
                     counted(best.wavefronts(), "wavefront"), before);
}

/// What the swizzle takes apart, and what one that may take apart more would gain.
void add_losses(Lines& lines, const SwizzleSearch& search) {
  for (const std::string& loss : given_up(search, search.swizzled)) lines.add("gives up", loss);
  if (!search.splitting) return;
  lines.add("splitting", fmt::format("{}  {}", to_string(search.splitting->layout),
                                     sum_text(search.splitting->counts)));
  for (const std::string& loss : given_up(search, *search.splitting)) lines.add("", "but " + loss);
}

void add_linear(Lines& lines, const std::optional<SwizzledBuffer>& linear, bool is_one) {
  if (!linear) return;
  lines.add("linear", fmt::format("{}{}; the best of all linear layouts",
                                  is_one ? "" : fmt::format("{} + ", linear->write.wavefronts),
                                  is_one ? counted(linear->read.wavefronts, "wavefront")
                                         : fmt::format("{} wavefronts", linear->read.wavefronts)));
}

}  // namespace

std::string to_string(const SwizzleSearch& search) {
  // A layout with strides is written with its swizzle and its padding; otherwise only the swizzle
  // is.
  const auto named = [](std::string_view layout, std::span<const BankCounts> counts,
                        std::string_view best) {
    return fmt::format("{}{}{}{}", layout, layout.empty() ? "" : "  ", sum_text(counts), best);
  };
  const auto best_of = [](std::int64_t count, std::string_view noun) {
    return fmt::format("; the best of {}", counted(count, noun));
  };
  Lines lines;
  const cute::Swizzle& swizzle = search.swizzled.layout;
  lines.add("as it is",
            named(search.layout ? cute::to_string(*search.layout) : "", search.plain, ""));
  const std::string swizzled = search.layout           ? cute::to_string(search.swizzled_layout())
                               : swizzle.is_identity() ? "none"
                                                       : cute::to_string(swizzle);
  lines.add("swizzled",
            named(swizzled, search.swizzled.counts, best_of(search.swizzles_tried, "swizzle")));
  add_losses(lines, search);
  if (const auto& padded = search.padded) {
    const bool helps = padded->wavefronts() < wavefronts_of(search.plain);
    lines.add("padded", helps ? named(cute::to_string(padded->layout), padded->counts,
                                      best_of(search.paddings_tried, "padding"))
                              : fmt::format("none of {} is better than none",
                                            counted(search.paddings_tried, "padding")));
  }
  add_linear(lines, search.linear, search.plain.size() == 1);
  return lines.text(swizzle_verdict(search.plain, search.swizzled));
}

std::string to_string(const Conversion& conversion) {
  Lines lines;
  std::string verdict;
  switch (conversion.kind) {
    case ConversionClass::kNone:
      return "none: every place has its element already";
    case ConversionClass::kRegisters:
      verdict = "registers: every thread has its elements already, under other registers";
      break;
    case ConversionClass::kWarp:
      verdict = fmt::format("within a warp: {} a thread, {} each",
                            counted(conversion.shuffles, "shuffle"),
                            counted(conversion.elements_per_shuffle, "element"));
      break;
    case ConversionClass::kSharedMemory:
      verdict = "through shared memory";
      break;
    case ConversionClass::kAcrossCtas:
      verdict = "across CTAs: some elements are in the registers of another CTA only";
      break;
  }
  if (conversion.log2_leaving > 0) {
    lines.add("stays", fmt::format("1 of {} is in its thread already",
                                   counted(std::int64_t{1} << conversion.log2_leaving, "element")));
  }
  if (conversion.buffer) {
    const SwizzledBuffer& buffer = *conversion.buffer;
    lines.add("memory", counted(buffer.bytes, "byte"));
    lines.add("write", counts_text(buffer.write));
    lines.add("read", counts_text(buffer.read));
  } else if (!conversion.uncounted.empty()) {
    lines.add("memory", conversion.uncounted);
  }
  lines.add("moves", "place in dst -> place in src, without what stays where it is");
  return lines.text(verdict) + "\n" + linear::to_string(conversion.remaining);
}

}  // namespace heddle::analyze
