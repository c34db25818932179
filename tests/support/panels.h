#pragma once

// What a picture shows, read back from its panels.

#include <string>
#include <vector>

#include "heddle/draw/picture.h"

namespace heddle::test {

/// The text of each cell.
[[nodiscard]] inline std::vector<std::string> texts(const draw::Panel& panel) {
  std::vector<std::string> result;
  for (const draw::Cell& cell : panel.cells) result.push_back(cell.text);
  return result;
}

}  // namespace heddle::test
