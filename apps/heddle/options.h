#pragma once

// The options of all commands, and what the command line said with them.

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "heddle/console.h"
#include "heddle/core/result.h"
#include "heddle/notation/operations.h"

namespace CLI {  // NOLINT(readability-identifier-naming): the library's name
class App;
}  // namespace CLI

namespace heddle::app {

/// What stands behind an option. A path is a text that is not empty, a list is the option given
/// once or more.
enum class Reads { kText, kPath, kNumber, kFlag, kList };

/// An option, or with a name without dashes a word.
struct Option {
  const char* name;
  Reads reads;
  const char* help;
  /// What a text is where it is not given.
  const char* usual = "";
  /// What the help calls the value; null for the kind of value.
  const char* value_name = nullptr;
  bool is_required = false;
};

/// What the options of one command say, each under its long name with its dashes.
struct Said {
  std::map<std::string, std::string, std::less<>> texts;
  std::map<std::string, std::optional<std::int64_t>, std::less<>> numbers;
  std::map<std::string, bool, std::less<>> flags;
  std::map<std::string, std::vector<std::string>, std::less<>> lists;

  /// Empty, false or nothing where the option is not given.
  [[nodiscard]] const std::string& text(std::string_view name) const;
  [[nodiscard]] std::optional<std::int64_t> number(std::string_view name) const;
  [[nodiscard]] bool flag(std::string_view name) const;
  [[nodiscard]] const std::vector<std::string>& list(std::string_view name) const;
};

/// What the command line asks for.
struct Request {
  bool json = false;
  /// By command.
  std::map<std::string, Said> said;
  std::vector<std::string> behind_dashes;
  // What holds for whatever evaluates.
  std::vector<std::string> assumptions;
  std::vector<std::string> axes;
  bool strict = false;
  double timeout_s = 10;
  std::string engine = "algebra";
};

/// Tells a command's options where to keep what they say.
void add_options(CLI::App& command, std::span<const Option> options, Said& said);
/// Those of whatever evaluates: --assume, --axis, --strict, --timeout, --engine.
void add_evaluation_options(CLI::App& command, Request& request);

// What options say.

/// What --color asks for. Refuses `usage.option`.
[[nodiscard]] Result<ColorChoice> color_of(const Said& said);
/// What searches may spend, and who computes.
[[nodiscard]] notation::CallContext context_of(const Request& request);

/// Options whose values are a few numbers: `--tile 16x8`, `--mma 16,8,8`, `--shape 128,64`. Its
/// name, how many numbers it takes, and what to say where they are not there.
struct NumbersOption {
  std::string_view name;
  std::size_t least;
  std::size_t most;
  std::string_view needed;
};
/// The sizes of a box.
inline constexpr NumbersOption kShapeOption = {"--shape", 1, 64, "a shape is needed, as 8,16"};

/// The numbers of `8x16`, `8,16` or `(8,16)`, nothing where the option is not given; refuses
/// `usage.option` for other texts.
[[nodiscard]] Result<std::vector<std::int64_t>> numbers_of(const NumbersOption& option,
                                                           const Said& said);

}  // namespace heddle::app
