// Copies between memory and registers: what fits moves every value once, from whole rows; what is
// made of rows fits.

#include "heddle/analyze/copy_plan.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "analyze/random_layouts.h"
#include "support/law.h"

namespace heddle::analyze {
namespace {

using test::Finding;
using test::for_all_seeds;
using test::found;
using test::kHolds;
using test::kSaysNothing;
using test::Random;

/// An exchange of the catalogue, or of one lane.
struct Named {
  std::string name;
  Exchange exchange;
};

bool is_in_memory(std::string_view place) { return place == "shared" || place == "global"; }

const std::vector<Named>& exchanges() {
  static const std::vector<Named> all = [] {
    std::vector<Named> named;
    for (const std::int64_t bits : {16, 64, 128}) {
      named.push_back({"access of one lane", lane_exchange(bits)});
    }
    for (const form::InstructionListing& listing : form::instruction_listings()) {
      const form::Instruction copy = listing.make();
      if (auto exchange = exchange_of(copy)) named.push_back({listing.name, *std::move(exchange)});
    }
    return named;
  }();
  return all;
}

TEST(CopyPlan, EveryCopyBetweenSharedOrGlobalMemoryAndRegistersMovesRows) {
  int copies = 0;
  for (const form::InstructionListing& listing : form::instruction_listings()) {
    const form::Instruction copy = listing.make();
    const bool loads = is_in_memory(copy.from) && copy.to == "registers";
    const bool stores = copy.from == "registers" && is_in_memory(copy.to);
    // Six bits are no power of two, and no analysis has such elements.
    if ((!loads && !stores) || copy.operands.front().bits == 6) continue;
    EXPECT_TRUE(exchange_of(copy).has_value()) << listing.name;
    ++copies;
  }
  EXPECT_GE(copies, 7);
}

std::int64_t first_bit(const Exchange& exchange, std::size_t piece, std::int64_t lane) {
  return exchange.first_bits[piece][static_cast<std::size_t>(lane)];
}

/// An access that so many of these instructions make, from rows anywhere, its values in any order.
Access access_by(Random& random, const Exchange& exchange, std::int64_t instructions) {
  const std::int64_t bits = std::min<std::int64_t>(exchange.piece_bits, random.chance(50) ? 16 : 8);
  const std::int64_t warps = random.between(1, 2);
  Access access{.threads = warps * exchange.lanes,
                .values = 0,
                .element_bits = static_cast<int>(bits),
                .addresses = {},
                .warp_lanes = exchange.lanes};
  std::vector<std::vector<std::int64_t>> columns;
  std::set<std::int64_t> used;
  for (std::int64_t row = 0; row < instructions * exchange.rows_of_lane; ++row) {
    std::map<std::pair<std::int64_t, std::int64_t>, std::int64_t> begins;
    for (std::int64_t thread = 0; thread < access.threads; ++thread) {
      const auto lane = static_cast<std::size_t>(thread % exchange.lanes);
      std::int64_t begin = random.between(0, 1 << 20);
      while (!used.insert(begin).second) ++begin;
      begins.try_emplace({thread / exchange.lanes, exchange.row_of_lane[lane]},
                         begin * exchange.row_bits / bits);
    }
    for (std::size_t piece = 0; piece < exchange.first_bits.size(); ++piece) {
      for (std::int64_t within = 0; within < exchange.piece_bits; within += bits) {
        columns.emplace_back();
        for (std::int64_t thread = 0; thread < access.threads; ++thread) {
          const std::int64_t lane = thread % exchange.lanes;
          const auto row_class = exchange.row_of_lane[static_cast<std::size_t>(lane)];
          columns.back().push_back(begins.at({thread / exchange.lanes, row_class}) +
                                   (first_bit(exchange, piece, lane) + within) / bits);
        }
      }
    }
  }
  random.shuffle(columns);
  access.values = static_cast<std::int64_t>(columns.size());
  for (const auto& column : columns) {
    access.addresses.insert(access.addresses.end(), column.begin(), column.end());
  }
  return access;
}

TEST(CopyPlan, WhatAnInstructionMovesFitsIt) {
  for_all_seeds([](Random& random) -> Finding {
    const Named& named = random.one_of(exchanges());
    const std::int64_t instructions = random.between(1, 3);
    const Access access = access_by(random, named.exchange, instructions);
    const auto fitted = fit(named.exchange, access);
    if (const auto* reason = std::get_if<std::string>(&fitted)) {
      return found(named.name, ": ", *reason);
    }
    const auto count = static_cast<std::int64_t>(std::get<ExchangeFit>(fitted).instructions.size());
    return count == instructions ? Finding(kHolds) : found(named.name, " ", count);
  });
}

/// Whether the values, those of one row of each lane, are what the lanes have of aligned rows.
Finding check_row(const Exchange& exchange, const Access& access,
                  std::span<const std::int64_t> values) {
  std::map<std::pair<std::int64_t, std::int64_t>, std::int64_t> begins;
  for (std::int64_t thread = 0; thread < access.threads; ++thread) {
    const std::int64_t lane = thread % exchange.lanes;
    std::vector<std::int64_t> wanted;
    for (std::size_t piece = 0; piece < exchange.first_bits.size(); ++piece) {
      for (std::int64_t within = 0; within < exchange.piece_bits; within += access.element_bits) {
        wanted.push_back(first_bit(exchange, piece, lane) + within);
      }
    }
    std::vector<std::int64_t> bits;
    for (const std::int64_t value : values) {
      bits.push_back(access.address(thread, value) * access.element_bits);
    }
    std::ranges::sort(wanted);
    std::ranges::sort(bits);
    const std::int64_t begin = bits.front() - wanted.front();
    if (begin % exchange.row_bits != 0) return found("thread ", thread, " row at ", begin);
    const auto row_class = exchange.row_of_lane[static_cast<std::size_t>(lane)];
    const auto [row, is_new] = begins.emplace(std::pair{thread / exchange.lanes, row_class}, begin);
    if (row->second != begin) return found("thread ", thread, " has another row");
    for (std::size_t i = 0; i < bits.size(); ++i) {
      if (bits.size() != wanted.size() || bits[i] != begin + wanted[i]) {
        return found("thread ", thread, " bit ", bits[i]);
      }
    }
  }
  return kHolds;
}

/// Registers and a memory of a warp, as kernels have them.
Result<Access> random_access(Random& random, std::int64_t lanes) {
  const int bits = static_cast<int>(random.between(7, 10));
  const bool mixed = random.chance(20);
  const auto registers = test::random_registers(random, bits, mixed, lanes == 64 ? 6 : 5);
  const auto shared = test::random_shared(random, bits, false);
  return make_access(registers, shared, 16, {}, lanes);
}

TEST(CopyPlan, WhatFitsMovesEveryValueOnceFromWholeRows) {
  test::Tally by_warps;
  for_all_seeds({.one_in = 2}, [&](Random& random) -> Finding {
    const Named& named = random.one_of(exchanges());
    Access access = access_by(random, named.exchange, 2);
    if (random.chance(50)) {
      auto drawn = random_access(random, named.exchange.lanes == 64 ? 64 : 32);
      if (!drawn) return kSaysNothing;
      access = *std::move(drawn);
    } else if (random.chance(50)) {
      auto& address = access.addresses[static_cast<std::size_t>(
          random.between(0, static_cast<std::int64_t>(access.addresses.size()) - 1))];
      address += random.between(0, 8);
    }
    const auto fitted = fit(named.exchange, access);
    const auto* plan = std::get_if<ExchangeFit>(&fitted);
    if (plan == nullptr) return kSaysNothing;
    std::set<std::int64_t> moved;
    for (const auto& values : plan->instructions) {
      const std::size_t row = values.size() / static_cast<std::size_t>(named.exchange.rows_of_lane);
      for (std::size_t i = 0; i < values.size(); i += row) {
        if (auto wrong = check_row(named.exchange, access, std::span(values).subspan(i, row))) {
          return found(named.name, ": ", *wrong);
        }
      }
      moved.insert(values.begin(), values.end());
    }
    // A value that no instruction moves has the same addresses as one that is moved.
    for (std::int64_t value = 0; value < access.values; ++value) {
      const bool is_moved = std::ranges::any_of(moved, [&](std::int64_t other) {
        for (std::int64_t thread = 0; thread < access.threads; ++thread) {
          if (access.address(thread, value) != access.address(thread, other)) return false;
        }
        return true;
      });
      if (!is_moved) return found(named.name, ": value ", value, " is left");
    }
    if (named.exchange.lanes > 1) by_warps.count();
    return kHolds;
  });
  by_warps.expect_at_least(5);
}

TEST(CopyPlan, AccessesOfOneLaneFitAsVectorsDo) {
  for_all_seeds([](Random& random) -> Finding {
    const auto access = random_access(random, 32);
    if (!access) return kSaysNothing;
    const std::int64_t bits = std::int64_t{16} << random.between(0, 3);
    const auto vectors = widest_vectors(*access, static_cast<int>(bits));
    if (!vectors) return kSaysNothing;
    const bool is_whole = vectors->elements * access->element_bits == bits;
    const auto fitted = fit(lane_exchange(bits), *access);
    if (std::holds_alternative<ExchangeFit>(fitted) == is_whole) return kHolds;
    return found(bits, " bits: ", is_whole ? "refused" : "taken");
  });
}

}  // namespace
}  // namespace heddle::analyze
