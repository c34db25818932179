#include "distribute/source/jax_rounds.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <tuple>

#include "core/format.h"
#include "distribute/cells.h"
#include "distribute/distribution_access.h"
#include "distribute/places.h"
#include "distribute/source/pieces.h"
#include "heddle/axe/canonical.h"

namespace heddle::distribute {
namespace {

/// A box in a memory of a device.
struct Located {
  JaxPlaces places;
  std::vector<std::int64_t> first;
};

/// The box in the block that has it; nullopt if it is not in one piece of scratch memory.
Result<std::optional<Located>> located(const Plan& plan, Memory memory, std::int64_t device,
                                       const Box& box) {
  for (const Block& block : distribution_of(plan, memory).blocks(device)) {
    if (!contains(block.box, box)) continue;
    if (memory != Memory::kScratch) {
      Located found{{memory, extents_of(box)}, {}};
      for (std::size_t i = 0; i < box.size(); ++i) {
        found.first.push_back(box[i].begin - block.box[i].begin);
      }
      return std::optional(found);
    }
    HEDDLE_TRY(const auto place, place_of(block, box));
    if (!place) return std::optional<Located>();
    const std::int64_t first = place->offset()[Axis::memory()].value();
    if (!axe::equal(*place, row_major(box, first)).is_yes()) return std::optional<Located>();
    return std::optional(Located{{memory, {volume(box)}}, {first}});
  }
  return std::optional<Located>();
}

/// A transfer of a box that lies in one piece on both sides, by the positions of its devices.
struct Hop {
  std::size_t from = 0;
  std::size_t to = 0;
  bool reduces = false;
  Located read;
  Located written;
};

class Rounds {
 public:
  Rounds(const Plan& plan, const axe::Mesh& mesh) : plan_(plan), size_(mesh.devices().size()) {
    for (std::size_t i = 0; i < size_; ++i) positions_[mesh.devices()[i]] = i;
  }

  Result<void> add(const Step& step) {
    std::vector<Hop> hops;
    for (const Transfer& transfer : step.transfers) {
      HEDDLE_CHECK(add_hops(transfer, transfer.box, hops));
    }
    // What goes equally far fits into one round.
    std::ranges::stable_sort(hops, {}, [&](const Hop& hop) { return distance(hop); });
    std::map<Key, std::vector<JaxRound>> rounds;
    for (const Hop& hop : hops) {
      HEDDLE_CHECK(check_pieces(count_ += size_));
      std::vector<JaxRound>& alike = rounds[key(hop)];
      const auto free =
          std::ranges::find_if(alike, [&](const JaxRound& round) { return has_room(round, hop); });
      put(free == alike.end() ? alike.emplace_back(empty_round(hop)) : *free, hop);
    }
    for (auto& [key, alike] : rounds) std::ranges::move(alike, std::back_inserter(rounds_));
    return {};
  }

  std::vector<JaxRound> take() && { return std::move(rounds_); }

 private:
  /// Those that reduce come after those that replace.
  using Key = std::tuple<bool, bool, JaxPlaces, JaxPlaces>;

  static Key key(const Hop& hop) {
    return {hop.reduces, hop.from != hop.to, hop.read.places, hop.written.places};
  }

  std::size_t distance(const Hop& hop) const { return (hop.to + size_ - hop.from) % size_; }

  Result<void> add_hops(const Transfer& transfer, const Box& box, std::vector<Hop>& hops) {
    HEDDLE_TRY(const auto read, located(plan_, transfer.read, transfer.from, box));
    HEDDLE_TRY(const auto written, located(plan_, transfer.written, transfer.to, box));
    if (read && written) {
      hops.push_back({positions_.at(transfer.from), positions_.at(transfer.to), transfer.reduces,
                      *read, *written});
      return check_pieces(hops.size());
    }
    if (volume(box) == 1) {
      return refuse("distribute.device", "{} has no place on device {} or {}", to_string(box),
                    transfer.from, transfer.to);
    }
    for (const Box& half : parts_of(box, 2)) HEDDLE_CHECK(add_hops(transfer, half, hops));
    return {};
  }

  static bool has_room(const JaxRound& round, const Hop& hop) {
    return std::ranges::none_of(round.pairs, [&](const auto& pair) {
      return pair.first == hop.from || pair.second == hop.to;
    });
  }

  JaxRound empty_round(const Hop& hop) const {
    return {.read = hop.read.places,
            .written = hop.written.places,
            .reduces = hop.reduces,
            .is_local = hop.from == hop.to,
            .pairs = {},
            .first_read = std::vector<std::vector<std::int64_t>>(size_),
            .first_written = std::vector<std::vector<std::int64_t>>(size_)};
  }

  static void put(JaxRound& round, const Hop& hop) {
    round.pairs.emplace_back(hop.from, hop.to);
    round.first_read[hop.from] = hop.read.first;
    round.first_written[hop.to] = hop.written.first;
  }

  const Plan& plan_;
  std::size_t size_;
  std::map<std::int64_t, std::size_t> positions_;
  std::vector<JaxRound> rounds_;
  std::size_t count_ = 0;
};

}  // namespace

Result<std::vector<JaxRound>> jax_rounds(const Plan& plan, const axe::Mesh& mesh) {
  Rounds rounds(plan, mesh);
  for (const Step& step : plan.steps()) HEDDLE_CHECK(rounds.add(step));
  return std::move(rounds).take();
}

}  // namespace heddle::distribute
