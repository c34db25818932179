#include "heddle/draw/banks.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <span>

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

/// One phase: who touches what, and in which order a bank serves its words.
class Phase {
 public:
  Phase(const BankPhase& phase, std::int64_t banks) : banks_(banks) {
    words_.resize(static_cast<std::size_t>(banks));
    std::set<std::int64_t> lanes;
    for (const WordAccess& access : phase.accesses) {
      lanes.insert(access.lane);
      words_[bank(access.word)].insert(access.word);
      touched_[{access.lane, bank(access.word)}].insert(access.word);
    }
    lanes_.assign(lanes.begin(), lanes.end());
  }

  [[nodiscard]] std::span<const std::int64_t> lanes() const { return lanes_; }
  [[nodiscard]] std::size_t wavefronts() const {
    std::size_t most = 0;
    for (const auto& words : words_) most = std::max(most, words.size());
    return most;
  }
  [[nodiscard]] std::size_t words_in(std::size_t bank) const { return words_[bank].size(); }
  /// The words of a bank that a lane touches, rising; null for none.
  [[nodiscard]] const std::set<std::int64_t>* touched(std::int64_t lane, std::size_t bank) const {
    const auto found = touched_.find({lane, bank});
    return found == touched_.end() ? nullptr : &found->second;
  }
  /// When the bank serves the word, counted from 0.
  [[nodiscard]] std::size_t turn(std::int64_t word) const {
    const auto& words = words_[bank(word)];
    return static_cast<std::size_t>(std::distance(words.begin(), words.find(word)));
  }

 private:
  [[nodiscard]] std::size_t bank(std::int64_t word) const {
    return static_cast<std::size_t>(word % banks_);
  }

  std::int64_t banks_;
  std::vector<std::int64_t> lanes_;
  std::vector<std::set<std::int64_t>> words_;
  std::map<std::pair<std::int64_t, std::size_t>, std::set<std::int64_t>> touched_;
};

class PhasePanel {
 public:
  PhasePanel(const Phase& phase, std::int64_t banks, std::size_t colors, bool has_facts)
      : phase_(phase), banks_(banks), colors_(colors), has_facts_(has_facts) {}

  [[nodiscard]] Panel make(std::string label) const {
    const auto banks = static_cast<std::size_t>(banks_);
    Panel panel;
    panel.label = std::move(label);
    panel.pattern = "lane=_, bank=_";
    panel.columns.length = banks;
    panel.columns.digits = {{banks, 1, "bank"}};
    panel.rows = rows();
    if (has_facts_) panel.fact_names = {"lane", "bank", "words", "turn", "words of the bank"};
    for (const std::int64_t lane : phase_.lanes()) {
      for (std::size_t bank = 0; bank < banks; ++bank) panel.cells.push_back(make_cell(lane, bank));
    }
    for (std::size_t bank = 0; bank < banks; ++bank) panel.cells.push_back(sum_cell(bank));
    return panel;
  }

 private:
  static constexpr std::size_t kColorsWithoutNumbers = 8;

  [[nodiscard]] Ruler rows() const {
    Ruler rows;
    for (const std::int64_t lane : phase_.lanes()) rows.names.push_back(std::to_string(lane));
    const std::size_t lanes = rows.names.size();
    rows.names.emplace_back();
    rows.length = rows.names.size();
    if (lanes > 0) rows.groups.push_back({0, lanes, "lane"});
    rows.groups.push_back({lanes, lanes + 1, "words"});
    return rows;
  }

  [[nodiscard]] Cell make_cell(std::int64_t lane, std::size_t bank) const {
    Cell cell;
    const auto* words = phase_.touched(lane, bank);
    if (words != nullptr) {
      const std::size_t turn = phase_.turn(*words->begin());
      cell.text = std::to_string(*words->begin() / banks_);
      if (words->size() > 1) cell.text += fmt::format(" x{}", words->size());
      cell.color = turn % colors_;
      if (colors_ > kColorsWithoutNumbers) cell.note = fmt::format("#{}", turn);
    }
    if (!has_facts_) return cell;
    cell.facts = {std::to_string(lane), std::to_string(bank),
                  words == nullptr ? "none" : fmt::format("{}", fmt::join(*words, ", ")),
                  words == nullptr ? "" : std::to_string(phase_.turn(*words->begin())),
                  std::to_string(phase_.words_in(bank))};
    return cell;
  }

  [[nodiscard]] Cell sum_cell(std::size_t bank) const {
    Cell cell{std::to_string(phase_.words_in(bank)), "", kPlain, {}};
    if (has_facts_)
      cell.facts = {"", std::to_string(bank), "", "", std::to_string(phase_.words_in(bank))};
    return cell;
  }

  const Phase& phase_;
  std::int64_t banks_;
  std::size_t colors_;
  bool has_facts_;
};

std::string phase_label(const BankPhase& phase, std::size_t number, std::size_t wavefronts) {
  return fmt::format("phase {}{}{}: {} wavefront{}", number, phase.label.empty() ? "" : ", ",
                     phase.label, wavefronts, wavefronts == 1 ? "" : "s");
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
    const std::size_t size = (next.lanes().size() + 1) * banks;
    if (size > kMaxCells) {
      return refuse("draw.too_large",
                    fmt::format("a phase of {} lanes on {} banks has {} cells, and a picture at "
                                "most {}",
                                next.lanes().size(), banks, size, kMaxCells));
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
  picture.legend = most > picture.colors ? fmt::format("turn mod {}", kMaxColors) : "turn";
  for (std::size_t i = 0; i < shown.size(); ++i) {
    const PhasePanel panel(shown[i], access.banks, picture.colors, options.facts);
    picture.panels.push_back(panel.make(phase_label(access.phases[i], i, shown[i].wavefronts())));
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
