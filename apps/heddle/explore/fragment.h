#pragma once

// The layouts that the page begins with: arguments of the command, which name files or are texts.
//
//   HEDDLE_TRY(const auto texts, texts_of({"docs/gallery/bricks.heddle", "(4,8):(8,1)"}));
//   fragment_of(texts)       bricks=%23%20Bricks.%20…&A=(4,8):(8,1)

#include <string>
#include <vector>

#include "heddle/core/result.h"

namespace heddle::app {

/// A text that the page shows, and what it is called there.
struct NamedText {
  std::string name;
  std::string text;
};

/// An argument that names a file is called as the file is, without its ending, and is what stands
/// in it, comments included; of an `.npy` file that is its table. Any other argument is the text
/// itself, and is called A, B, …, as the page does. Refuses what read_file() and read_npy() refuse.
[[nodiscard]] Result<std::vector<NamedText>> texts_of(const std::vector<std::string>& arguments);

/// The texts as the page's address has them after `#`: `A=(4,8):(8,1)&B=…`, escaped.
[[nodiscard]] std::string fragment_of(const std::vector<NamedText>& texts);

}  // namespace heddle::app
