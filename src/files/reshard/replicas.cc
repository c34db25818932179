#include "files/reshard/replicas.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/format.h"
#include "core/printable.h"
#include "core/text.h"
#include "files/reshard/arithmetic.h"
#include "files/reshard/checksum.h"
#include "files/reshard/exchange.h"
#include "files/reshard/pieces.h"
#include "heddle/distribute/distribution.h"
#include "heddle/distribute/run.h"

namespace heddle::files {
namespace {

using distribute::Box;
using Devices = std::vector<std::int64_t>;

std::vector<Box> boxes_of(const distribute::Distribution& from, std::int64_t device) {
  std::vector<Box> boxes;
  for (const distribute::Block& block : from.blocks(device)) boxes.push_back(block.box);
  return boxes;
}

/// The coordinates of a device along the axes over which the values are partial: devices that
/// differ there have different terms.
std::vector<std::int64_t> term_of(const distribute::Distribution& from, std::int64_t device) {
  std::vector<std::int64_t> term;
  if (from.partial().empty()) return term;
  const auto coordinate = from.mesh().coordinate(device);
  for (const axe::PartialAxis& axis : from.partial()) {
    term.push_back(coordinate->at(*from.mesh().axis(axis.axis)));
  }
  return term;
}

/// The devices that have the same part, where there are several.
std::vector<Devices> groups_of(const Job& job, const Sources& sources) {
  if (!job.movement->plan) return {};
  const distribute::Distribution& from = job.movement->plan->from();
  std::map<std::pair<std::vector<std::int64_t>, std::vector<Box>>, Devices> by_part;
  for (const std::int64_t device : from.devices()) {
    std::vector<Box> boxes = boxes_of(from, device);
    if (boxes.empty() || sources.find(device, job.tensor.name) == nullptr) continue;
    by_part[{term_of(from, device), std::move(boxes)}].push_back(device);
  }
  std::vector<Devices> groups;
  for (auto& [part, devices] : by_part) {
    if (devices.size() > 1) groups.push_back(std::move(devices));
  }
  return groups;
}

/// The first element in which two messages of one piece differ, and its bits in both.
struct Difference {
  std::int64_t element = 0;
  std::uint64_t first = 0;
  std::uint64_t second = 0;
};

std::uint64_t bits_at(std::string_view bytes, std::int64_t bit, std::int64_t count) {
  std::uint64_t bits = 0;
  for (std::int64_t i = 0; i < std::min<std::int64_t>(count, 64); ++i) {
    const auto byte = static_cast<unsigned char>(bytes[static_cast<std::size_t>((bit + i) / 8)]);
    bits |= static_cast<std::uint64_t>(byte >> ((bit + i) % 8) & 1) << i;
  }
  return bits;
}

Difference difference_of(std::string_view first, std::string_view second, std::int64_t bits) {
  const auto byte = std::ranges::mismatch(first, second).in1 - first.begin();
  Difference found{.element = byte * 8 / bits};
  while (true) {
    found.first = bits_at(first, found.element * bits, bits);
    found.second = bits_at(second, found.element * bits, bits);
    // Where elements are smaller than a byte, the first ones in it may be the same.
    if (found.first != found.second) return found;
    ++found.element;
  }
}

/// The coordinate of an element of a box that is counted in row-major order.
std::vector<std::int64_t> coordinate_in(const Box& box, std::int64_t element) {
  std::vector<std::int64_t> coordinate(box.size());
  for (std::size_t dim = box.size(); dim-- > 0;) {
    const std::int64_t extent = box[dim].end - box[dim].begin;
    coordinate[dim] = box[dim].begin + element % extent;
    element /= extent;
  }
  return coordinate;
}

/// Compares the replicas of one tensor.
class Comparison {
 public:
  Comparison(const Job& job, const Sources& sources, const Crew& crew,
             const ReshardRequest& request)
      : job_(job),
        plan_(*job.movement->plan),
        sources_(sources),
        crew_(crew),
        request_(request),
        most_(elements_in_piece(request.piece_bytes, plan_.element_bits())) {}

  Result<void> run(const std::vector<Devices>& groups) {
    Devices all;
    for (const Devices& group : groups) all.insert(all.end(), group.begin(), group.end());
    HEDDLE_TRY(const auto hashes,
               each_says(all, [&](std::int64_t device) { return hashes_of(device); }));
    for (const Devices& group : groups) {
      for (const std::int64_t device : group) {
        const std::string& first = hashes.at(group.front());
        const std::string& second = hashes.at(device);
        if (first != second) return compare(group.front(), device, first, second);
      }
    }
    return {};
  }

 private:
  using Texts = std::map<std::int64_t, std::string>;

  /// What the processes say of these devices, each of its own.
  template <class Say>
  Result<Texts> each_says(const Devices& devices, const Say& say) const {
    const auto of_mine = [&]() -> Result<std::string> {
      std::vector<std::string> texts;
      for (const std::int64_t device : devices) {
        if (!crew_.is_mine(device)) continue;
        HEDDLE_TRY(std::string text, say(device));
        texts.push_back(std::move(text));
      }
      return joined(texts);
    };
    HEDDLE_TRY(const std::vector<std::string> all, crew_.gather(of_mine()));
    std::vector<std::vector<std::string>> by_process;
    for (const std::string& text : all) by_process.push_back(separated(text));
    std::vector<std::size_t> next(all.size());
    Texts said;
    for (const std::int64_t device : devices) {
      const std::size_t process = crew_.process_of(device);
      said[device] = by_process[process].at(next[process]++);
    }
    return said;
  }

  /// Calls `act(box)` for the pieces of what a device has.
  template <class Act>
  Result<void> each_piece_of(std::int64_t device, const Act& act) const {
    for (const distribute::Block& block : plan_.from().blocks(device)) {
      HEDDLE_CHECK(each_piece(block.box, most_, act));
    }
    return {};
  }

  Result<std::string> piece(std::int64_t device, const Box& box) const {
    const distribute::Transfer transfer{.from = device, .to = device, .box = box};
    const SourceTensor& source = *sources_.find(device, job_.tensor.name);
    std::string bytes(static_cast<std::size_t>(distribute::message_bytes(plan_, transfer)), '\0');
    const distribute::DeviceMemory memory{.source = sources_.bytes(source), .destination = {}};
    HEDDLE_CHECK(
        distribute::pack(plan_, transfer, memory, std::as_writable_bytes(std::span(bytes))));
    return bytes;
  }

  /// One hash after the other, all of one length.
  Result<std::string> hashes_of(std::int64_t device) const {
    std::string hashes;
    const auto add = [&](const Box& box) -> Result<void> {
      HEDDLE_CHECK(check_not_stopped(request_));
      HEDDLE_TRY(const std::string bytes, piece(device, box));
      hashes += checksum_of(std::as_bytes(std::span(bytes)));
      return {};
    };
    HEDDLE_CHECK(each_piece_of(device, add));
    return hashes;
  }

  /// Refuses two devices whose hashes differ.
  Result<void> compare(std::int64_t first, std::int64_t second, const std::string& first_hashes,
                       const std::string& second_hashes) const {
    const auto at = std::ranges::mismatch(first_hashes, second_hashes).in1 - first_hashes.begin();
    auto before = static_cast<std::size_t>(at) / no_checksum().size();
    Box box;
    HEDDLE_CHECK(each_piece_of(first, [&](const Box& one) -> Result<void> {
      if (before-- == 0) box = one;
      return {};
    }));
    HEDDLE_TRY(const Texts pieces,
               each_says({first, second}, [&](std::int64_t device) { return piece(device, box); }));
    const Difference found =
        difference_of(pieces.at(first), pieces.at(second), plan_.element_bits());
    return refuse(refusal(first, second, found, coordinate_in(box, found.element)));
  }

  Diagnostic refusal(std::int64_t first, std::int64_t second, const Difference& found,
                     const std::vector<std::int64_t>& coordinate) const {
    const auto path_of = [&](std::int64_t device) {
      return printable(sources_.path(*sources_.find(device, job_.tensor.name)));
    };
    const auto texts = element_texts(job_.tensor.safetensors_type, found.first, found.second);
    return diagnose("reshard.replica", "the tensor {} is not the same in {} and in {}",
                    printable(job_.tensor.name), path_of(first), path_of(second))
        .with_note(fmt::format("the sharding gives both devices, {} and {}, the same part, {}",
                               first, second, part_text(first)))
        .with_note(fmt::format("the first element that differs is ({}): {} and {}",
                               fmt::join(coordinate, ","), texts.first, texts.second))
        .with_hint(
            "if the files have different parts, the spec should say which dimension is "
            "cut, as P('x', None) or [Shard(0)]; if they have terms of a sum, Partial; "
            "--trust-replicas takes any one of them");
  }

  [[nodiscard]] std::string part_text(std::int64_t device) const {
    std::vector<std::string> texts;
    for (const Box& box : boxes_of(plan_.from(), device)) texts.push_back(to_string(box));
    return shortened(fmt::format("{}", fmt::join(texts, ", ")), 120);
  }

  const Job& job_;
  const distribute::Plan& plan_;
  const Sources& sources_;
  const Crew& crew_;
  const ReshardRequest& request_;
  std::int64_t most_;
};

}  // namespace

StatedReplicas stated_replicas(const Job& job, const Sources& sources) {
  StatedReplicas stated = StatedReplicas::kSame;
  for (const Devices& group : groups_of(job, sources)) {
    const std::string& first = sources.find(group.front(), job.tensor.name)->checksum;
    for (const std::int64_t device : group) {
      const std::string& other = sources.find(device, job.tensor.name)->checksum;
      if (first.empty() || other.empty()) {
        stated = StatedReplicas::kUnknown;
      } else if (first != other) {
        return StatedReplicas::kDifferent;
      }
    }
  }
  return stated;
}

Result<void> check_replicas(const Job& job, const Sources& sources, const Crew& crew,
                            const ReshardRequest& request) {
  const std::vector<Devices> groups = groups_of(job, sources);
  if (groups.empty()) return {};
  return Comparison(job, sources, crew, request).run(groups);
}

}  // namespace heddle::files
