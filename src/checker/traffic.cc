#include "checker/traffic.h"

#include <algorithm>
#include <bit>
#include <optional>
#include <span>

#include "heddle/analyze/banks.h"

namespace heddle::checker {

namespace {

/// The wavefronts of lanes that are served together, of which some may not be there (-1).
std::int64_t wavefronts_of_phase(std::span<const std::int64_t> lanes, std::int64_t bytes,
                                 bool is_write) {
  const auto first = std::ranges::find_if(lanes, [](std::int64_t at) { return at >= 0; });
  if (first == lanes.end()) return 0;
  std::vector<std::int64_t> there(lanes.begin(), lanes.end());
  std::ranges::replace_if(there, [](std::int64_t at) { return at < 0; }, *first);
  const auto phases =
      analyze::bank_phases(there, static_cast<int>(bytes), {},
                           is_write ? analyze::Direction::kWrite : analyze::Direction::kRead);
  return phases ? phases->front().wavefronts : 1;
}

}  // namespace

void TrafficCounter::touch(unsigned thread, std::uint32_t site, std::uint64_t moment,
                           const std::string& buffer, std::int64_t offset, std::int64_t bytes,
                           bool is_write) {
  Visit& visit = visits_[std::uint64_t{thread} << 32 | site];
  visit = {moment, visit.moment == moment ? visit.count + 1 : 1};
  const std::array<std::uint64_t, 4> key = {site, thread / 32, moment, visit.count};
  Instruction& instruction = begun_[key];
  if (instruction.lanes == 0) instruction.offsets.fill(-1);
  instruction.offsets[thread % 32] = offset;
  instruction.bytes = bytes;
  instruction.is_write = is_write;
  instruction.buffer = &buffer;
  if (++instruction.lanes < 32) return;
  count(site, instruction);
  begun_.erase(key);
}

void TrafficCounter::count(std::uint32_t site, const Instruction& instruction) {
  // What is no vector of CUDA's goes in pieces, which are not counted.
  const auto bytes = static_cast<std::uint64_t>(instruction.bytes);
  if (bytes > 16 || !std::has_single_bit(bytes)) return;
  const auto size = static_cast<std::size_t>(analyze::lanes_of_phase(instruction.bytes));
  std::int64_t wavefronts = 0;
  std::int64_t ideal = 0;
  for (std::size_t first = 0; first != 32; first += size) {
    const std::int64_t taken =
        wavefronts_of_phase(std::span(instruction.offsets).subspan(first, size), instruction.bytes,
                            instruction.is_write);
    wavefronts += taken;
    ideal += taken > 0 ? 1 : 0;
  }
  add(site, *instruction.buffer, wavefronts, ideal);
}

void TrafficCounter::touch_rows(std::uint32_t site, const std::string& buffer,
                                const std::vector<std::int64_t>& rows) {
  std::int64_t wavefronts = 0;
  for (std::size_t first = 0; first < rows.size(); first += 8) {
    wavefronts += wavefronts_of_phase(std::span(rows).subspan(first, 8), 16, false);
  }
  add(site, buffer, wavefronts, static_cast<std::int64_t>(rows.size() / 8));
}

void TrafficCounter::add(std::uint32_t site, const std::string& buffer, std::int64_t wavefronts,
                         std::int64_t ideal) {
  SiteTraffic& place = places_[site];
  place.buffer = buffer;
  place.offset = site;
  ++place.traffic.instructions;
  place.traffic.wavefronts += wavefronts;
  place.traffic.ideal += ideal;
}

void TrafficCounter::end_block() {
  for (const auto& [key, instruction] : begun_) {
    count(static_cast<std::uint32_t>(key[0]), instruction);
  }
  begun_.clear();
  visits_.clear();
}

Traffic TrafficCounter::total() const {
  Traffic sum;
  for (const auto& [site, place] : places_) {
    sum.instructions += place.traffic.instructions;
    sum.wavefronts += place.traffic.wavefronts;
    sum.ideal += place.traffic.ideal;
  }
  return sum;
}

std::vector<SiteTraffic> TrafficCounter::places() const {
  std::vector<SiteTraffic> all;
  for (const auto& [site, place] : places_) all.push_back(place);
  return all;
}

}  // namespace heddle::checker
