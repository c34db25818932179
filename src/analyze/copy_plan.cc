#include "heddle/analyze/copy_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <span>
#include <utility>

#include "core/bits.h"
#include "core/format.h"
#include "heddle/form/index_map.h"
#include "heddle/machine/machine.h"

namespace heddle::analyze {
namespace {

using machine::CopyChoice;
using Column = std::span<const std::int64_t>;

/// A bit of a row.
struct Source {
  std::int64_t row = 0;
  std::int64_t bit = 0;

  friend bool operator==(const Source&, const Source&) = default;
};

/// Which bit of which row each bit of a lane's registers is: by lane, then by bit.
struct Sources {
  std::int64_t lanes = 1;
  std::int64_t row_bits = 1;
  std::vector<std::vector<Source>> of_lane = {};
};

std::int64_t place_size(const form::Fragment& fragment, std::string_view place) {
  const auto index = fragment.place(place);
  return index ? fragment.places()[*index].size : 1;
}

/// What each lane's registers hold, register by register; nullopt if it has other places.
template <class Take>
bool for_each_place(const form::Fragment& fragment, Take take) {
  const std::int64_t registers = place_size(fragment, "register");
  const std::int64_t lanes = place_size(fragment, "lane");
  const bool is_of_lanes = std::ranges::all_of(fragment.places(), [](const auto& place) {
    return place.name == "register" || place.name == "lane" || place.size == 1;
  });
  if (!is_of_lanes || fragment.places().front().name != "register") return false;
  const form::IndexMap map = index_map(fragment);
  for (std::int64_t lane = 0; lane < lanes; ++lane) {
    for (std::int64_t reg = 0; reg < registers; ++reg) {
      take(lane, reg, map.at(lane * registers + reg));
    }
  }
  return true;
}

/// Of AMD's loads, whose fragment says which lane's address an element is read from.
std::optional<Sources> sources_of_addresses(const form::InstructionOperand& operand) {
  const form::Fragment& fragment = operand.fragment;
  const auto element = fragment.dim("element");
  if (!element || fragment.dim("address") != std::size_t{0} || !is_power_of_two(operand.bits)) {
    return std::nullopt;
  }
  Sources sources{.lanes = place_size(fragment, "lane"),
                  .row_bits = fragment.dims()[*element].size * operand.bits};
  sources.of_lane.resize(static_cast<std::size_t>(sources.lanes));
  const bool is_read = for_each_place(
      fragment, [&](std::int64_t lane, std::int64_t, const std::vector<Int>& element_read) {
        for (int bit = 0; bit < operand.bits; ++bit) {
          sources.of_lane[static_cast<std::size_t>(lane)].push_back(
              {element_read[0].value(), element_read[1].value() * operand.bits + bit});
        }
      });
  return is_read ? std::optional(std::move(sources)) : std::nullopt;
}

/// Of copies whose two sides are both given in bits: where the bit of a register is in memory.
std::optional<Sources> sources_in_memory(const form::Fragment& memory,
                                         const form::Fragment& registers) {
  Sources sources{.lanes = place_size(registers, "lane"),
                  .row_bits = place_size(memory, "register")};
  std::map<std::int64_t, Source> places;
  const bool has_rows =
      for_each_place(memory, [&](std::int64_t lane, std::int64_t bit, const std::vector<Int>& at) {
        places.emplace(at.front().value(), Source{lane, bit});
      });
  sources.of_lane.resize(static_cast<std::size_t>(sources.lanes));
  bool is_whole = true;
  const auto take = [&](std::int64_t lane, std::int64_t, const std::vector<Int>& held) {
    const auto place = places.find(held.front().value());
    is_whole = is_whole && place != places.end();
    if (is_whole) sources.of_lane[static_cast<std::size_t>(lane)].push_back(place->second);
  };
  if (!has_rows || !for_each_place(registers, take) || !is_whole) return std::nullopt;
  return sources;
}

std::optional<Sources> sources_of(const form::Instruction& instruction) {
  const bool is_load = instruction.to == "registers";
  if (is_load == (instruction.from == "registers")) return std::nullopt;
  if (const auto* loaded = instruction.operand("D")) return sources_of_addresses(*loaded);
  const auto* source = instruction.operand("src");
  const auto* destination = instruction.operand("dst");
  if (source == nullptr || destination == nullptr) return std::nullopt;
  return is_load ? sources_in_memory(source->fragment, destination->fragment)
                 : sources_in_memory(destination->fragment, source->fragment);
}

/// Whether each group of this many bits of a lane is contiguous in one row.
bool has_pieces(const Sources& sources, std::size_t bits) {
  return std::ranges::all_of(sources.of_lane, [&](const std::vector<Source>& held) {
    if (held.size() % bits != 0) return false;
    for (std::size_t i = 0; i < held.size(); ++i) {
      const auto within = static_cast<std::int64_t>(i % bits);
      const Source& first = held[i - i % bits];
      if (held[i] != Source{first.row, first.bit + within}) return false;
    }
    return true;
  });
}

/// The rows of a lane in the order of its registers, and the first bits of the pieces of each.
using RowsOfLane = std::vector<std::pair<std::int64_t, std::vector<std::int64_t>>>;
RowsOfLane rows_of(const std::vector<Source>& held, std::size_t piece_bits) {
  RowsOfLane rows;
  for (std::size_t i = 0; i < held.size(); i += piece_bits) {
    const auto same_row = [&](const auto& row) { return row.first == held[i].row; };
    auto row = std::ranges::find_if(rows, same_row);
    if (row == rows.end()) row = rows.insert(row, {held[i].row, {}});
    row->second.push_back(held[i].bit);
  }
  return rows;
}

// ---- Fitting ----

/// Finds the values of each row, ascending by the addresses of all threads.
class Fitting {
 public:
  Fitting(const Exchange& exchange, const Access& access) : exchange_(exchange), access_(access) {}

  std::variant<ExchangeFit, std::string> run() {
    if (auto reason = misfit(); !reason.empty()) return reason;
    sort_values();
    offsets_ = offsets();
    std::vector<std::vector<std::int64_t>> rows;
    for (std::size_t i = 0; i < sorted_.size(); ++i) {
      if (is_used_[i]) continue;
      rows.emplace_back();
      if (auto reason = take_row(i, rows.back()); !reason.empty()) return reason;
    }
    return grouped(rows);
  }

 private:
  /// Why no access of these elements and threads fits; empty if some might.
  [[nodiscard]] std::string misfit() const {
    const int bits = access_.element_bits;
    if (exchange_.piece_bits % bits != 0) {
      return fmt::format("elements of {} bits; a lane has pieces of {} bits of a row", bits,
                         exchange_.piece_bits);
    }
    if (access_.threads % exchange_.lanes != 0) {
      return fmt::format("{} threads; all {} lanes of a warp take part", access_.threads,
                         exchange_.lanes);
    }
    return {};
  }

  [[nodiscard]] Column column(std::int64_t value) const {
    return Column(access_.addresses)
        .subspan(static_cast<std::size_t>(value * access_.threads),
                 static_cast<std::size_t>(access_.threads));
  }

  void sort_values() {
    sorted_.resize(static_cast<std::size_t>(access_.values));
    std::iota(sorted_.begin(), sorted_.end(), 0);
    const auto before = [&](std::int64_t a, std::int64_t b) {
      return std::ranges::lexicographical_compare(column(a), column(b));
    };
    std::ranges::stable_sort(sorted_, before);
    const auto same = [&](std::int64_t a, std::int64_t b) {
      return std::ranges::equal(column(a), column(b));
    };
    const auto copies = std::ranges::unique(sorted_, same);
    sorted_.erase(copies.begin(), copies.end());
    is_used_.assign(sorted_.size(), false);
  }

  /// The elements of a row that a lane has, from the beginning of the row, the first ones of lane 0
  /// first.
  [[nodiscard]] std::vector<std::vector<std::int64_t>> offsets() const {
    const std::int64_t bits = access_.element_bits;
    std::vector<std::vector<std::int64_t>> offsets;
    for (const auto& piece : exchange_.first_bits) {
      for (std::int64_t within = 0; within < exchange_.piece_bits; within += bits) {
        offsets.emplace_back();
        for (const std::int64_t first : piece) offsets.back().push_back((first + within) / bits);
      }
    }
    std::ranges::sort(offsets, {}, [](const auto& of_lanes) { return of_lanes.front(); });
    return offsets;
  }

  /// The values of the row that begins with the value `first` of sorted_; what is in the way, if
  /// there is no such row.
  std::string take_row(std::size_t first, std::vector<std::int64_t>& values) {
    std::vector<std::int64_t> begins;
    const std::string reason = find_begins(sorted_[first], offsets_.front(), begins);
    if (!reason.empty()) return reason;
    is_used_[first] = true;
    values.push_back(sorted_[first]);
    for (std::size_t i = 1; i < offsets_.size(); ++i) {
      std::vector<std::int64_t> wanted = begins;
      for (std::size_t thread = 0; thread < wanted.size(); ++thread) {
        wanted[thread] += offsets_[i][thread % offsets_[i].size()];
      }
      const auto found = find(wanted);
      if (!found) return no_value(sorted_[first], wanted);
      is_used_[*found] = true;
      values.push_back(sorted_[*found]);
    }
    return {};
  }

  /// Where the row of each thread begins.
  std::string find_begins(std::int64_t value, const std::vector<std::int64_t>& offset,
                          std::vector<std::int64_t>& begins) const {
    const std::int64_t row_elements = exchange_.row_bits / access_.element_bits;
    /// The first thread of each row.
    std::map<std::pair<std::int64_t, std::int64_t>, std::int64_t> rows;
    for (std::int64_t thread = 0; thread < access_.threads; ++thread) {
      const auto lane = static_cast<std::size_t>(thread % exchange_.lanes);
      const std::int64_t address = access_.address(thread, value);
      const std::int64_t begin = address - offset[lane];
      const auto [row, is_new] =
          rows.try_emplace({thread / exchange_.lanes, exchange_.row_of_lane[lane]}, thread);
      if (is_new && begin % row_elements != 0) {
        return fmt::format(
            "value {} of thread {} is at {}; its {} bits begin at {}, not at a multiple of {}",
            value, thread, address, exchange_.row_bits, begin, row_elements);
      }
      if (const std::int64_t expected =
              is_new ? begin : begins[static_cast<std::size_t>(row->second)];
          begin != expected) {
        return fmt::format(
            "value {} of thread {} is at {}; it must be at {}, in the row of thread {}", value,
            thread, address, expected + offset[lane], row->second);
      }
      begins.push_back(begin);
    }
    return {};
  }

  /// The place in sorted_ of the value with these addresses, unless a row has it already.
  [[nodiscard]] std::optional<std::size_t> find(const std::vector<std::int64_t>& addresses) const {
    const auto before = [&](std::int64_t value, Column wanted) {
      return std::ranges::lexicographical_compare(column(value), wanted);
    };
    const auto found = std::lower_bound(sorted_.begin(), sorted_.end(), Column(addresses), before);
    if (found == sorted_.end() || !std::ranges::equal(column(*found), addresses)) {
      return std::nullopt;
    }
    const auto place = static_cast<std::size_t>(found - sorted_.begin());
    return is_used_[place] ? std::nullopt : std::optional(place);
  }

  /// Says which thread lacks the value with these addresses, in a row with `first`.
  [[nodiscard]] std::string no_value(std::int64_t first,
                                     const std::vector<std::int64_t>& addresses) const {
    for (std::int64_t thread = 0; thread < access_.threads; ++thread) {
      const std::int64_t wanted = addresses[static_cast<std::size_t>(thread)];
      const auto is_there = [&](std::int64_t value) {
        return access_.address(thread, value) == wanted;
      };
      if (std::ranges::any_of(sorted_, is_there)) continue;
      return fmt::format("value {} of thread {} is at {}, and none is at {}, in the same row",
                         first, thread, access_.address(thread, first), wanted);
    }
    return fmt::format("the values of the row with value {} are in another order in some threads",
                       first);
  }

  [[nodiscard]] std::variant<ExchangeFit, std::string> grouped(
      const std::vector<std::vector<std::int64_t>>& rows) const {
    const auto together = static_cast<std::size_t>(exchange_.rows_of_lane);
    if (rows.size() % together != 0) {
      return fmt::format("a lane has pieces of {} row{}; an instruction moves {}", rows.size(),
                         rows.size() == 1 ? "" : "s", together);
    }
    ExchangeFit fit;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (i % together == 0) fit.instructions.emplace_back();
      auto& values = fit.instructions.back();
      values.insert(values.end(), rows[i].begin(), rows[i].end());
    }
    return fit;
  }

  const Exchange& exchange_;
  const Access& access_;
  std::vector<std::vector<std::int64_t>> offsets_;
  /// The values without copies.
  std::vector<std::int64_t> sorted_;
  std::vector<bool> is_used_;
};

CopyChoice choice_of(std::string name, const Exchange& exchange, const Access& access) {
  CopyChoice choice{.instruction = std::move(name)};
  const auto fitted = fit(exchange, access);
  if (const auto* reason = std::get_if<std::string>(&fitted)) {
    choice.note = *reason;
  } else {
    choice.count = static_cast<std::int64_t>(std::get<ExchangeFit>(fitted).instructions.size());
  }
  return choice;
}

/// The copies of the catalogue between memory and registers that the machine has.
Result<std::vector<CopyChoice>> by_warps(const Access& access, Direction direction,
                                         std::string_view machine) {
  HEDDLE_TRY(const auto names, machine::instruction_names(machine));
  std::vector<CopyChoice> choices;
  for (const std::string& name : names) {
    const auto instruction = form::find_instruction(name, {.machine = machine});
    if (!instruction || (instruction->to == "registers") != (direction == Direction::kRead))
      continue;
    const auto exchange = exchange_of(*instruction);
    if (exchange && exchange->lanes > 1) choices.push_back(choice_of(name, *exchange, access));
  }
  return choices;
}

}  // namespace

Exchange lane_exchange(std::int64_t bits) { return {.row_bits = bits, .piece_bits = bits}; }

std::optional<Exchange> exchange_of(const form::Instruction& instruction) {
  const auto sources = sources_of(instruction);
  if (!sources) return std::nullopt;
  std::size_t piece = 1;
  while (has_pieces(*sources, 2 * piece)) piece *= 2;
  Exchange exchange{.lanes = sources->lanes,
                    .row_bits = sources->row_bits,
                    .piece_bits = static_cast<std::int64_t>(piece),
                    .row_of_lane = {},
                    .first_bits = {}};
  std::map<std::int64_t, std::vector<std::int64_t>> rows_with;
  for (const std::vector<Source>& held : sources->of_lane) {
    const RowsOfLane rows = rows_of(held, piece);
    exchange.row_of_lane.push_back(rows.front().first);
    // Lanes that share one row share all.
    std::vector<std::int64_t> numbers;
    for (const auto& [row, bits] : rows) numbers.push_back(row);
    if (rows_with.try_emplace(rows.front().first, numbers).first->second != numbers) {
      return std::nullopt;
    }
    exchange.rows_of_lane = static_cast<std::int64_t>(rows.size());
    exchange.first_bits.resize(rows.front().second.size());
    for (const auto& [row, bits] : rows) {
      if (bits != rows.front().second) return std::nullopt;
    }
    for (std::size_t i = 0; i < exchange.first_bits.size(); ++i) {
      exchange.first_bits[i].push_back(rows.front().second[i]);
    }
  }
  return exchange;
}

std::variant<ExchangeFit, std::string> fit(const Exchange& exchange, const Access& access) {
  return Fitting(exchange, access).run();
}

Result<machine::CopyPlan> copy_plan(const Access& access, Direction direction,
                                    std::string_view machine) {
  HEDDLE_TRY(const form::Machine* found, machine::find(machine));
  HEDDLE_TRY(const auto sizes, machine::access_sizes(*found, access.element_bits));
  std::vector<CopyChoice> choices;
  for (const std::int64_t bytes : sizes) {
    choices.push_back(
        choice_of(fmt::format("{} bytes a lane", bytes), lane_exchange(8 * bytes), access));
  }
  HEDDLE_TRY(auto together, by_warps(access, direction, found->name));
  std::ranges::move(together, std::back_inserter(choices));
  return machine::make_copy_plan(
      fmt::format("{} values of {} bits of {} threads from {} on {}; instructions of one warp",
                  access.values, access.element_bits, access.threads,
                  direction == Direction::kRead ? "memory to registers" : "registers to memory",
                  found->name),
      std::move(choices));
}

}  // namespace heddle::analyze
