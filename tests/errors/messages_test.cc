// Refusals as data: messages.txt says how it is read.

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "docs/markdown.h"
#include "docs/shell.h"
#include "heddle/notation/evaluator.h"

namespace heddle::test {
namespace {

/// What the terminal shows, without the place in the text.
std::string printed_for(const std::string& assumption, const std::string& text) {
  if (text.starts_with("heddle ")) return run_in_shell(text).output;
  notation::Environment environment;
  if (!assumption.empty()) {
    const auto assumed = environment.assume(std::string_view(assumption));
    if (!assumed) return assumed.error().to_string() + "\n";
  }
  const auto value = notation::evaluate(text, environment);
  return (value ? to_string(*value) : value.error().to_string()) + "\n";
}

TEST(Messages, AreThoseOfTheFile) {
  const auto path = source_root() / "tests/errors/messages.txt";
  const std::vector<std::string> lines = split_lines(contents(path));
  constexpr std::string_view kAssume = "assume ";
  std::string assumption;
  std::string written;
  int count = 0;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    written += lines[i] + "\n";
    if (lines[i].starts_with(kAssume)) assumption = lines[i].substr(kAssume.size());
    if (!lines[i].starts_with("$ ")) continue;
    const std::string text = lines[i].substr(2);
    std::string expected;
    while (i + 1 < lines.size() && !lines[i + 1].empty()) expected += lines[++i] + "\n";
    const std::string printed = printed_for(assumption, text);
    EXPECT_EQ(printed, expected) << text;
    written += printed;
    assumption.clear();
    ++count;
  }
  EXPECT_GT(count, 100);
  if (std::getenv("HEDDLE_UPDATE_DOCS") != nullptr) std::ofstream(path) << written;
}

}  // namespace
}  // namespace heddle::test
