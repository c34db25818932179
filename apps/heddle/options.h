#pragma once

// The options of all commands, and their values on the command line.

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "heddle/console.h"
#include "heddle/core/result.h"
#include "heddle/expr/variables.h"
#include "heddle/notation/operations.h"

namespace CLI {  // NOLINT(readability-identifier-naming): the library's name
class App;
}  // namespace CLI

namespace heddle::app {

/// The kind of an option's value. A path is a text that is not empty; a list collects an option
/// that may be repeated.
enum class Reads { kText, kPath, kNumber, kFlag, kList };

/// An option, or a positional argument if its name has no dashes.
struct Option {
  const char* name;
  Reads reads;
  const char* help;
  /// The default of a text option.
  const char* usual = "";
  /// The name of the value in the help; nullptr for the name of its kind.
  const char* value_name = nullptr;
  bool is_required = false;
};

/// The values of one command's options, each under its long name with the dashes.
struct Said {
  std::map<std::string, std::string, std::less<>> texts;
  std::map<std::string, std::optional<std::int64_t>, std::less<>> numbers;
  std::map<std::string, bool, std::less<>> flags;
  std::map<std::string, std::vector<std::string>, std::less<>> lists;

  /// Empty, false or nullopt if the option is not given.
  [[nodiscard]] const std::string& text(std::string_view name) const;
  [[nodiscard]] std::optional<std::int64_t> number(std::string_view name) const;
  [[nodiscard]] bool flag(std::string_view name) const;
  [[nodiscard]] const std::vector<std::string>& list(std::string_view name) const;
};

/// The parsed command line.
struct Request {
  bool json = false;
  /// By command.
  std::map<std::string, Said> said;
  std::vector<std::string> behind_dashes;
  // Options of every command that evaluates.
  std::vector<std::string> assumptions;
  std::vector<std::string> axes;
  bool strict = false;
  std::uint32_t steps = map::Limits().steps;
  std::optional<double> timeout_s;
  std::string engine = "algebra";
};

/// Adds options to a command, which store their values in `said`.
void add_options(CLI::App& command, std::span<const Option> options, Said& said);
/// Adds the options of commands that evaluate: --assume, --axis, --strict, --steps, --timeout,
/// --engine.
void add_evaluation_options(CLI::App& command, Request& request);

// Values of options.

/// The choice of --color. Refuses `usage.option`.
[[nodiscard]] Result<ColorChoice> color_of(const Said& said);
/// The search limits and the engine.
[[nodiscard]] notation::CallContext context_of(const Request& request);

/// An option whose value is a few numbers: `--tile 16x8`, `--mma 16,8,8`, `--shape 128,64`. Has its
/// name, how many numbers it takes, and the message if they are missing.
struct NumbersOption {
  std::string_view name;
  std::size_t least;
  std::size_t most;
  std::string_view needed;
};
/// The extents of a box.
inline constexpr NumbersOption kShapeOption = {"--shape", 1, 64, "a shape is needed, as 8,16"};

/// The numbers of `8x16`, `8,16` or `(8,16)`; empty if the option is not given. Refuses
/// `usage.option` for other texts.
[[nodiscard]] Result<std::vector<std::int64_t>> numbers_of(const NumbersOption& option,
                                                           const Said& said);

/// The sizes of `--size C=64`, `--size C=64,K=8`. Refuses `usage.option` for other texts.
[[nodiscard]] Result<Bindings> stated_sizes(const std::vector<std::string>& texts);

}  // namespace heddle::app
