#pragma once

// What the command prints, as text or as JSON, and the exit codes it ends with.

#include <optional>
#include <string>
#include <string_view>

#include "heddle/draw/formats.h"
#include "heddle/notation/value.h"

namespace heddle::app {

enum class ExitCode { kDone = 0, kRefuted = 1, kUsage = 2, kUnknown = 3, kRefused = 4 };

/// The exit code of a refusal: kUsage where the text is at fault, else kRefused.
[[nodiscard]] ExitCode exit_code(const Diagnostic& diagnostic);
/// The exit code of a decision.
[[nodiscard]] ExitCode exit_code(const Verdict& verdict);
/// What a yes/no answer says, and how a report ends; every other result says kDone.
[[nodiscard]] ExitCode exit_code(const notation::Value& value);
/// The one that says more: a failure over a refuted claim, that over an unknown one.
[[nodiscard]] ExitCode worse(ExitCode a, ExitCode b);

/// What nothing can go on after: a usage error or a refusal.
[[nodiscard]] constexpr bool is_failure(ExitCode code) {
  return code == ExitCode::kUsage || code == ExitCode::kRefused;
}

/// A text that is being evaluated: the words of an argument, or a file with a name.
struct Source {
  std::string_view text;
  std::string name;
};

/// Why a command ends early, and the text that the place of the reason is in, if it is in one.
struct Failure {
  Failure(Diagnostic reason) : why(std::move(reason)) {}  // NOLINT: a refusal is such a reason
  Failure(Diagnostic reason, const Source& source)
      : why(std::move(reason)), text(source.text), name(source.name) {}

  Diagnostic why;
  std::string text;
  std::string name;
};

/// How a command ends.
using Outcome = tl::expected<ExitCode, Failure>;

/// The result, whose refusal has its place in this source.
template <class T>
[[nodiscard]] tl::expected<T, Failure> in(const Source& source, Result<T> result) {
  return std::move(result).map_error([&](const Diagnostic& why) { return Failure(why, source); });
}

enum class ColorChoice { kAuto, kAlways, kNever };

class Console {
 public:
  explicit Console(bool json) : json_(json) {}

  [[nodiscard]] bool json() const { return json_; }

  /// A result on its own line; in JSON {"ok":true,"result":…}.
  void print(const notation::Value& value) const;
  /// A statement and, indented below it, what came of it; in JSON one object with both.
  void print(std::string_view statement, const notation::Value& value) const;
  /// The same of a statement that was rightly refused.
  void print(std::string_view statement, const Diagnostic& refusal) const;
  /// Text as it is; in JSON as the result.
  void print_text(std::string_view text) const;
  /// One line of JSON, as it is.
  void print_line(std::string_view line) const;
  /// A refusal: on the error stream with its place in the source, in JSON {"ok":false,"error":…}.
  [[nodiscard]] ExitCode fail(const Diagnostic& diagnostic, const Source& source = {}) const;
  /// The exit code of a command, once the reason is reported if it failed.
  [[nodiscard]] ExitCode ended(const Outcome& outcome) const {
    if (outcome) return *outcome;
    const auto& [why, text, name] = outcome.error();
    return fail(why, {text, name});
  }

 private:
  bool json_;
};

/// Colours and width for standard output: colours on a terminal unless NO_COLOR says otherwise.
[[nodiscard]] draw::TerminalStyle terminal_style(ColorChoice choice);
[[nodiscard]] bool input_is_terminal();

/// `code`, once all output is written; where it cannot be, that of `file.unwritable`, which is then
/// reported on the error stream.
[[nodiscard]] ExitCode flushed(ExitCode code);

/// The refusal `file.unreadable`; `-` is standard input. `why` is what is known of the reason.
[[nodiscard]] Diagnostic unreadable(const std::string& path, std::string_view why = {});
/// Refuses `file.unreadable` for a path that is no file, is a folder or may not be read.
[[nodiscard]] Result<void> check_readable(const std::string& path);
/// The whole file; `-` is standard input. Every command reads its files with it. Refuses
/// `file.unreadable` for what is no file or is longer than 256 MiB: a device may never end.
[[nodiscard]] Result<std::string> read_file(const std::string& path);
/// Writes a file. Refuses `file.unwritable`.
[[nodiscard]] Result<void> write_file(const std::string& path, std::string_view contents);

}  // namespace heddle::app

namespace heddle {

/// For HEDDLE_TRY of a result in a source.
[[nodiscard]] inline tl::unexpected<app::Failure> refuse(app::Failure failure) {
  return tl::unexpected(std::move(failure));
}

}  // namespace heddle
