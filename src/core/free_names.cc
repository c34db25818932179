#include "core/free_names.h"

#include <array>

namespace heddle {

std::vector<std::string> coordinate_names(std::size_t count) {
  constexpr std::array<const char*, 3> kLetters = {"i", "j", "k"};
  if (count <= kLetters.size()) return {kLetters.begin(), kLetters.begin() + count};
  FreeNames numbered("i", {});
  std::vector<std::string> names;
  for (std::size_t i = 0; i < count; ++i) names.push_back(numbered.next());
  return names;
}

std::string FreeNames::next() {
  std::string name;
  do {
    name = prefix_ + std::to_string(count_++);
  } while (taken_.contains(name));
  return name;
}

}  // namespace heddle
