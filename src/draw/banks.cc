#include "heddle/draw/banks.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "core/text.h"
#include "draw/grid.h"

namespace heddle::draw {
namespace {

Result<void> check(const BankAccess& access) {
  constexpr std::int64_t kMostBanks = 1024;
  if (access.banks < 1 || access.banks > kMostBanks) {
    return refuse("draw.color",
                  fmt::format("memory has 1 to {} banks, not {}", kMostBanks, access.banks));
  }
  for (const BankPhase& phase : access.phases) {
    for (const WordAccess& one : phase.accesses) {
      if (one.lane >= 0 && one.word >= 0) continue;
      return refuse("draw.tv", fmt::format("lane {} touches word {}: lanes and words count from "
                                           "0",
                                           one.lane, one.word));
    }
  }
  return {};
}

/// One phase: the accesses, and the order in which a bank serves its words.
class Phase {
 public:
  Phase(const BankPhase& phase, std::int64_t banks)
      : banks_(banks), words_(static_cast<std::size_t>(banks)) {
    std::set<std::int64_t> lanes;
    for (const auto& [lane, word] : phase.accesses) {
      lanes.insert(lane);
      words_[bank_of(word)].insert(word);
      touched_[{lane, bank_of(word)}].insert(word);
    }
    lanes_.assign(lanes.begin(), lanes.end());
  }

  [[nodiscard]] std::size_t lanes() const { return lanes_.size(); }
  [[nodiscard]] std::size_t wavefronts() const {
    std::size_t most = 0;
    for (const Words& words : words_) most = std::max(most, words.size());
    return most;
  }

  /// Lanes down, banks along, and below them the number of words in each bank.
  [[nodiscard]] Grid grid(std::size_t colors, bool has_facts) const {
    Grid grid;
    grid.pattern = [](Positions) { return "lane=_, bank=_"; };
    grid.rows = Side{lanes() + 1, {}};
    grid.rows->text = [this](std::size_t row) {
      return row == lanes() ? std::string() : std::to_string(lanes_[row]);
    };
    if (lanes() > 0) grid.rows->groups.push_back({0, lanes(), "lane"});
    grid.rows->groups.push_back({lanes(), lanes() + 1, "words"});
    grid.columns = Side{words_.size(), whole_side(words_.size(), "bank")};
    if (has_facts) grid.fact_names = {"lane", "bank", "words", "turn", "words of the bank"};
    grid.cell = [this, colors, has_facts](Positions at) {
      Cell cell = at[0] == lanes() ? sum_cell(at[1]) : make_cell(lanes_[at[0]], at[1], colors);
      if (!has_facts) cell.facts.clear();
      return cell;
    };
    return grid;
  }

 private:
  using Words = std::set<std::int64_t>;

  [[nodiscard]] std::size_t bank_of(std::int64_t word) const {
    return static_cast<std::size_t>(word % banks_);
  }

  [[nodiscard]] Cell make_cell(std::int64_t lane, std::size_t bank, std::size_t colors) const {
    constexpr std::size_t kColorsWithoutNumbers = 8;
    const Words& served = words_[bank];
    const auto found = touched_.find({lane, bank});
    std::vector<std::string> facts = {std::to_string(lane), std::to_string(bank), "none", "",
                                      std::to_string(served.size())};
    if (found == touched_.end()) return {"", "", kPlain, std::move(facts)};
    const Words& words = found->second;
    const std::int64_t first = *words.begin();
    // The turn in which the bank serves the word, counted from 0.
    const auto turn = static_cast<std::size_t>(std::distance(served.begin(), served.find(first)));
    facts[2] = fmt::format("{}", fmt::join(words, ", "));
    facts[3] = std::to_string(turn);
    return {std::to_string(first / banks_) +
                (words.size() > 1 ? fmt::format(" x{}", words.size()) : ""),
            colors > kColorsWithoutNumbers ? fmt::format("#{}", turn) : "", turn % colors,
            std::move(facts)};
  }

  [[nodiscard]] Cell sum_cell(std::size_t bank) const {
    const std::string count = std::to_string(words_[bank].size());
    return {count, "", kPlain, {"", std::to_string(bank), "", "", count}};
  }

  std::int64_t banks_;
  std::vector<std::int64_t> lanes_;
  std::vector<Words> words_;
  std::map<std::pair<std::int64_t, std::size_t>, Words> touched_;
};

std::string phase_label(const BankPhase& phase, std::size_t number, std::size_t wavefronts) {
  return fmt::format("phase {}{}{}: {}", number, phase.label.empty() ? "" : ", ", phase.label,
                     counted(static_cast<std::int64_t>(wavefronts), "wavefront"));
}

}  // namespace

Result<Picture> bank_picture(const BankAccess& access, const PictureOptions& options) {
  HEDDLE_CHECK(check(access));
  const auto banks = static_cast<std::size_t>(access.banks);
  std::vector<Phase> shown;
  std::size_t cells = 0;
  std::size_t most = 1;
  for (const BankPhase& phase : access.phases) {
    Phase next(phase, access.banks);
    const std::size_t size = (next.lanes() + 1) * banks;
    if (size > kMaxCells) {
      return refuse("draw.too_large",
                    fmt::format("a phase of {} lanes on {} banks has {} cells, and a picture at "
                                "most {}",
                                next.lanes(), banks, size, kMaxCells));
    }
    cells += size;
    if (!shown.empty() && cells > std::min(options.max_cells.value_or(kUsualCells), kMaxCells))
      break;
    most = std::max(most, next.wavefronts());
    shown.push_back(std::move(next));
  }
  Picture picture;
  picture.title = access.title;
  picture.colors = std::min(most, static_cast<std::size_t>(kMaxColors));
  picture.scale = Scale::kOrdered;
  picture.legend = most > picture.colors ? fmt::format("turn mod {}", kMaxColors) : "turn";
  for (std::size_t i = 0; i < shown.size(); ++i) {
    HEDDLE_CHECK(add_panels(picture, shown[i].grid(picture.colors, options.facts), kMaxCells,
                            options.limits));
    picture.panels.back().label = phase_label(access.phases[i], i, shown[i].wavefronts());
  }
  if (shown.size() < access.phases.size()) {
    picture.notes.push_back(
        fmt::format("left out: phases {} to {}", shown.size(), access.phases.size() - 1));
  }
  picture.notes.push_back(fmt::format(
      "a cell names the line: word = {} * line + bank; the words of one bank are served in turn",
      access.banks));
  return picture;
}

}  // namespace heddle::draw
