#pragma once

// The picture of an access to shared memory: which lane touches which word in which bank, one panel
// for each phase in which the hardware serves it. Words are 32 bits wide, and word w is in bank w
// mod 32. Lanes that read one word share it; lanes that access different words of a bank wait for
// each other.
//
//   phase 0: 2 wavefronts            0  1  2  3 …
//                            lane 0  0  0                  words 0 and 1
//                                 1  1  1                  words 32 and 33: in banks 0 and 1 too
//                                 2        0  0            words 2 and 3
//                            words   2  2  1  1
//
// A cell names the line of 32 words that has the word, and its colour is the turn: the words of one
// bank are served one after the other. The caller computes the accesses and phases of a layout;
// this only draws them.

#include <cstdint>
#include <string>
#include <vector>

#include "heddle/draw/picture.h"

#pragma GCC visibility push(default)
namespace heddle::draw {

/// One lane touches one word. In an access wider than a word, a lane touches several.
struct WordAccess {
  std::int64_t lane = 0;
  std::int64_t word = 0;

  friend bool operator==(const WordAccess&, const WordAccess&) = default;
};

/// The accesses that are served together: 32 lanes at 4 bytes, 16 at 8, 8 at 16.
struct BankPhase {
  /// `registers 0 to 3, lanes 0 to 7`; may be empty.
  std::string label;
  std::vector<WordAccess> accesses;

  friend bool operator==(const BankPhase&, const BankPhase&) = default;
};

struct BankAccess {
  std::string title;
  std::int64_t banks = 32;
  std::vector<BankPhase> phases;

  friend bool operator==(const BankAccess&, const BankAccess&) = default;
};

/// Lanes down, banks along, the lines of the words in the cells; below them how many words each
/// bank has to serve. A cell where one lane touches several words of a bank names the first and
/// says how many there are. Refuses `draw.color` for banks that are not 1 to 1024 and `draw.tv`
/// for negative lanes and words; `draw.too_large` for a phase of more than
/// kMaxCells cells. Phases are shown until PictureOptions::max_cells cells are filled, at least
/// one. Cost: linear in cells, n log n in accesses.
[[nodiscard]] Result<Picture> bank_picture(const BankAccess& access,
                                           const PictureOptions& options = {});

}  // namespace heddle::draw
#pragma GCC visibility pop
