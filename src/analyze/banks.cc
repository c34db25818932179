#include "heddle/analyze/banks.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "analyze/checks.h"
#include "heddle/form/subspace.h"
#include "linear/bit_runs.h"

namespace heddle::analyze {
namespace {

/// An access of a lane to a word.
struct Touch {
  std::int64_t bank = 0;
  std::int64_t word = 0;
  std::int64_t lane = 0;

  friend auto operator<=>(const Touch&, const Touch&) = default;
};

/// The touches of some lanes, by bank, word and lane.
std::vector<Touch> touches_of(std::span<const std::int64_t> lane_bytes,
                              std::span<const std::int64_t> lanes, std::int64_t bytes,
                              std::int64_t banks) {
  const std::int64_t words = std::max<std::int64_t>(bytes / kBankBytes, 1);
  std::vector<Touch> touches;
  for (const std::int64_t lane : lanes) {
    const std::int64_t first = lane_bytes[static_cast<std::size_t>(lane)] / kBankBytes;
    for (std::int64_t word = first; word < first + words; ++word) {
      touches.push_back({word % banks, word, lane});
    }
  }
  std::ranges::sort(touches);
  return touches;
}

/// Every accessed bank, with its words.
std::vector<BankConflict> by_bank(const std::vector<Touch>& touches) {
  std::vector<BankConflict> banks;
  for (const Touch& touch : touches) {
    if (banks.empty() || banks.back().bank != touch.bank) banks.push_back({touch.bank, {}});
    std::vector<TouchedWord>& words = banks.back().words;
    if (words.empty() || words.back().word != touch.word) words.push_back({touch.word, {}});
    words.back().lanes.push_back(touch.lane);
  }
  return banks;
}

Phase phase_of(std::span<const std::int64_t> lane_bytes, std::vector<std::int64_t> lanes,
               std::int64_t bytes, std::int64_t banks) {
  std::vector<BankConflict> accessed = by_bank(touches_of(lane_bytes, lanes, bytes, banks));
  Phase phase{std::move(lanes), 1, std::move(accessed)};
  for (const BankConflict& bank : phase.conflicts) {
    phase.wavefronts = std::max(phase.wavefronts, static_cast<std::int64_t>(bank.words.size()));
  }
  std::erase_if(phase.conflicts, [&](const BankConflict& bank) {
    return bank.words.size() == 1 ||
           static_cast<std::int64_t>(bank.words.size()) != phase.wavefronts;
  });
  return phase;
}

std::vector<Phase> phases_of(std::span<const std::int64_t> lane_bytes, std::int64_t bytes,
                             const ServingRule& rule) {
  std::vector<Phase> phases;
  for (auto& lanes : rule.phases(static_cast<std::int64_t>(lane_bytes.size()))) {
    phases.push_back(phase_of(lane_bytes, std::move(lanes), bytes, rule.banks));
  }
  return phases;
}

/// The wavefronts of an instruction whose lanes are served in these phases, without its conflicts.
std::int64_t wavefronts_of(std::span<const std::int64_t> lane_bytes, std::int64_t bytes,
                           std::span<const std::vector<std::int64_t>> phases, std::int64_t banks) {
  const std::int64_t words = std::max<std::int64_t>(bytes / kBankBytes, 1);
  std::int64_t wavefronts = 0;
  for (const std::vector<std::int64_t>& lanes : phases) {
    // At most a word for each bank: a phase moves no more in whole words.
    std::array<std::int64_t, kMostBanks> touched{};
    std::size_t count = 0;
    for (const std::int64_t lane : lanes) {
      const std::int64_t word = lane_bytes[static_cast<std::size_t>(lane)] / kBankBytes;
      for (std::int64_t i = 0; i < words; ++i) touched[count++] = word + i;
    }
    std::sort(touched.begin(), touched.begin() + static_cast<std::ptrdiff_t>(count));
    const auto end =
        std::unique(touched.begin(), touched.begin() + static_cast<std::ptrdiff_t>(count));
    std::array<std::int64_t, kMostBanks> words_of_bank{};
    std::for_each(touched.begin(), end, [&](std::int64_t word) {
      ++words_of_bank[static_cast<std::size_t>(word % banks)];
    });
    wavefronts += *std::ranges::max_element(words_of_bank);
  }
  return wavefronts;
}

Result<void> check_lane_bytes(std::span<const std::int64_t> lane_bytes, int bytes,
                              std::int64_t warp_lanes) {
  if (lane_bytes.empty() || lane_bytes.size() > static_cast<std::size_t>(warp_lanes)) {
    return refuse("analyze.lanes",
                  fmt::format("{} lanes; a warp has 1 to {}", lane_bytes.size(), warp_lanes));
  }
  constexpr std::array kWidths = {1, 2, 4, 8, 12, 16};
  if (std::ranges::find(kWidths, bytes) == kWidths.end()) {
    return refuse(
        "analyze.access_bytes",
        fmt::format("an access of {} bytes a lane: 1, 2, 4, 8, 12 or 16 is needed", bytes));
  }
  const std::int64_t alignment = bytes == 12 ? kBankBytes : bytes;
  for (std::size_t lane = 0; lane < lane_bytes.size(); ++lane) {
    if (lane_bytes[lane] >= 0 && lane_bytes[lane] % alignment == 0) continue;
    return refuse(
        "analyze.unaligned",
        fmt::format("lane {} moves {} bytes at address {}, which is not a multiple of {} from 0 on",
                    lane, bytes, lane_bytes[lane], alignment));
  }
  return {};
}

// Over GF(2).

/// Whether registers hold each of `count` contiguous elements, and nothing else moves within them.
bool makes_vectors(const form::Subspace& registers, std::span<const std::uint64_t> threads,
                   std::int64_t count) {
  const auto low_bits = static_cast<std::uint64_t>(count - 1);
  for (std::uint64_t bit = 1; bit <= low_bits; bit <<= 1U) {
    if (!registers.contains(bit)) return false;
  }
  return std::ranges::none_of(threads, [&](std::uint64_t c) { return (c & low_bits) != 0; });
}

}  // namespace

Result<std::vector<Phase>> bank_phases(std::span<const std::int64_t> lane_bytes, int bytes,
                                       const Serving& serving, Direction direction) {
  HEDDLE_CHECK(check_lane_bytes(lane_bytes, bytes, serving.warp_lanes()));
  HEDDLE_TRY(const ServingRule rule, serving.rule(bytes, direction));
  return phases_of(lane_bytes, bytes, rule);
}

std::size_t BankReport::worst() const {
  return static_cast<std::size_t>(std::ranges::max_element(wavefronts) - wavefronts.begin());
}

std::vector<Phase> BankReport::phases(std::size_t request) const {
  return phases_of(requests[request].bytes, counts.vector_bits / 8, rule);
}

Result<BankReport> bank_conflicts(const Access& access, int max_bits, const Serving& serving,
                                  Direction direction) {
  if (access.warp_lanes != serving.warp_lanes()) {
    return refuse("analyze.lanes",
                  fmt::format("the access has warps of {} lanes, the machine of {}",
                              access.warp_lanes, serving.warp_lanes()));
  }
  HEDDLE_TRY(const Vectors vectors, widest_vectors(access, max_bits));
  BankReport report;
  report.counts.vector_elements = vectors.elements;
  report.counts.vector_bits = vectors.elements * access.element_bits;
  report.requests = requests(access, vectors);
  report.counts.requests = static_cast<std::int64_t>(report.requests.size());
  const std::int64_t bytes = report.counts.vector_bits / 8;
  HEDDLE_TRY(report.rule, serving.rule(bytes, direction));
  const auto whole = report.rule.phases(access.warp_lanes);
  for (const Request& request : report.requests) {
    const auto lanes = static_cast<std::int64_t>(request.bytes.size());
    const auto phases = lanes == access.warp_lanes ? whole : report.rule.phases(lanes);
    report.wavefronts.push_back(wavefronts_of(request.bytes, bytes, phases, report.rule.banks));
    report.counts.wavefronts += report.wavefronts.back();
    report.counts.ideal += static_cast<std::int64_t>(phases.size());
  }
  return report;
}

Result<BankReport> bank_conflicts(const form::IndexMap& access, const form::IndexMap& shared,
                                  int element_bits, int max_bits) {
  HEDDLE_TRY(const Access composed, make_access(access, shared, element_bits));
  return bank_conflicts(composed, max_bits);
}

Result<BankReport> bank_conflicts(const linear::LinearLayout& registers,
                                  const linear::LinearLayout& shared, int element_bits,
                                  int max_bits) {
  HEDDLE_TRY(const Access composed, make_access(registers, shared, element_bits));
  return bank_conflicts(composed, max_bits);
}

Result<BankReport> bank_conflicts(const linear::Encoding& registers, const linear::Encoding& shared,
                                  std::span<const std::int64_t> shape, int element_bits,
                                  int max_bits) {
  if (!registers.is_distributed() || !shared.is_shared()) {
    return refuse(
        "analyze.encoding",
        fmt::format("a {} encoding and a {} encoding: bank conflicts need one of registers "
                    "and one of shared memory",
                    registers.kind(), shared.kind()));
  }
  HEDDLE_TRY(const linear::LinearLayout held, linear::to_linear_layout(registers, shape));
  HEDDLE_TRY(const linear::LinearLayout stored, linear::to_linear_layout(shared, shape));
  const auto* padded = shared.get_if<linear::PaddedSharedEncoding>();
  const Paddings paddings = padded == nullptr ? Paddings{} : Paddings(padded->paddings);
  HEDDLE_TRY(const Access access, make_access(held, stored, element_bits, paddings));
  return bank_conflicts(access, max_bits);
}

Result<BankCounts> bank_counts(const linear::LinearLayout& offsets, int element_bits, int max_bits,
                               const Served& served) {
  HEDDLE_CHECK(check_element_bits(element_bits));
  HEDDLE_CHECK(check_max_bits(max_bits));
  HEDDLE_CHECK(check_size(offsets));
  const std::vector<std::uint64_t> register_columns = columns_of(offsets, "register");
  const std::vector<std::uint64_t> lanes = columns_of(offsets, "lane");
  const std::vector<std::uint64_t> warps = columns_of(offsets, "warp");
  const form::Subspace registers{std::span(register_columns)};
  std::vector<std::uint64_t> threads = lanes;
  threads.insert(threads.end(), warps.begin(), warps.end());

  BankCounts counts;
  std::int64_t elements = max_bits / element_bits;
  while (elements * element_bits >= 8 && !makes_vectors(registers, threads, elements)) {
    elements /= 2;
  }
  if (elements * element_bits < 8) {
    return refuse("analyze.sub_byte", fmt::format("elements of {} bits: the registers of a thread "
                                                  "do not hold whole bytes of {} neighbours",
                                                  element_bits, 8 / element_bits));
  }
  counts.vector_elements = static_cast<int>(elements);
  counts.vector_bits = counts.vector_elements * element_bits;
  counts.requests = std::int64_t{1} << (static_cast<int>(registers.dimension()) -
                                        log2_exact(elements) + static_cast<int>(warps.size()));

  // The words of one phase: the span of its lanes, from the first lane's vector.
  HEDDLE_TRY(const ServingRule rule, served.serving.rule(counts.vector_bits / 8, served.direction));
  std::vector<std::uint64_t> bits = rule.vectors_of_phase(lanes);
  const std::size_t phase_lanes = bits.size();
  for (std::uint64_t bit = 1; bit < static_cast<std::uint64_t>(elements); bit <<= 1U) {
    bits.push_back(bit);
  }
  std::vector<std::uint64_t> words;
  const auto per_word = static_cast<std::uint64_t>(std::max(32 / element_bits, 1));
  const auto per_element = static_cast<std::uint64_t>(std::max(element_bits / 32, 1));
  for (const std::uint64_t bit : bits) words.push_back(bit / per_word * per_element);
  for (std::uint64_t bit = 1; bit < per_element; bit *= 2) words.push_back(bit);
  counts.ideal = counts.requests << (lanes.size() - phase_lanes);
  counts.wavefronts = counts.ideal << log2_conflicts(words, static_cast<std::uint64_t>(rule.banks));
  return counts;
}

}  // namespace heddle::analyze
