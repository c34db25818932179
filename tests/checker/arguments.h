#pragma once

// What kernels under the checker are given, and what they leave.

#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "heddle/checker/checker.h"
#include "support/shell.h"

namespace heddle::checker {

template <class Element>
Argument memory(std::string name, const std::vector<Element>& elements) {
  Argument made{std::move(name), {}, true, sizeof(Element)};
  made.bytes.resize(elements.size() * sizeof(Element));
  std::memcpy(made.bytes.data(), elements.data(), made.bytes.size());
  return made;
}
template <class Element>
std::vector<Element> elements(const Argument& argument) {
  std::vector<Element> all(argument.bytes.size() / sizeof(Element));
  std::memcpy(all.data(), argument.bytes.data(), argument.bytes.size());
  return all;
}
inline Argument number(std::string name, int value) {
  Argument made = memory<int>(std::move(name), {value});
  made.is_memory = false;
  return made;
}

/// A file beside this one.
inline std::string text_of(const std::string& name) {
  return test::contents(HEDDLE_SOURCE_DIR "/tests/checker/" + name);
}

}  // namespace heddle::checker
