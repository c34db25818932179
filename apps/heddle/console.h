#pragma once

// The output of commands, as text or as JSON, and their exit codes.

#include <optional>
#include <string>
#include <string_view>

#include "heddle/draw/formats.h"
#include "heddle/notation/value.h"

namespace heddle::app {

enum class ExitCode { kDone = 0, kRefuted = 1, kUsage = 2, kUnknown = 3, kRefused = 4 };

/// The exit code of a refusal: kUsage if the text is at fault, otherwise kRefused.
[[nodiscard]] ExitCode exit_code(const Diagnostic& diagnostic);
/// The exit code of a verdict.
[[nodiscard]] ExitCode exit_code(const Verdict& verdict);
/// The exit code of a yes/no answer or of a report's outcome; kDone for every other result.
[[nodiscard]] ExitCode exit_code(const notation::Value& value);
/// The more severe code: a failure outranks a refuted claim, which outranks an unknown one.
[[nodiscard]] ExitCode worse(ExitCode a, ExitCode b);

/// Whether nothing can continue after it: a usage error or a refusal.
[[nodiscard]] constexpr bool is_failure(ExitCode code) {
  return code == ExitCode::kUsage || code == ExitCode::kRefused;
}

/// A text that is being evaluated: an argument, or the contents of a named file.
struct Source {
  std::string_view text;
  std::string name;
};

/// Why a command ends early, and the text that the place of the reason refers to, if any.
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

/// The result; a refusal is attributed to this source.
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
  /// A statement and, indented below it, its result; in JSON one object with both.
  void print(std::string_view statement, const notation::Value& value) const;
  /// A statement that was refused as expected, and the refusal.
  void print(std::string_view statement, const Diagnostic& refusal) const;
  /// Text, unchanged; in JSON as the result.
  void print_text(std::string_view text) const;
  /// One line of JSON, unchanged.
  void print_line(std::string_view line) const;
  /// A line for people beside the result, on the error stream.
  void note(std::string_view text) const;
  /// A refusal: on the error stream with its place in the source, in JSON {"ok":false,"error":…}.
  [[nodiscard]] ExitCode fail(const Diagnostic& diagnostic, const Source& source = {}) const;
  /// Reports the reason if a command failed, and returns the exit code.
  [[nodiscard]] ExitCode ended(const Outcome& outcome) const {
    if (outcome) return *outcome;
    const auto& [why, text, name] = outcome.error();
    return fail(why, {text, name});
  }

 private:
  bool json_;
};

/// Colours and width for standard output: by default colours on a terminal unless NO_COLOR is set.
[[nodiscard]] draw::TerminalStyle terminal_style(ColorChoice choice);
[[nodiscard]] bool input_is_terminal();

/// Flushes all output and returns `code`; if writing fails, reports `file.unwritable` on the error
/// stream and returns its code.
[[nodiscard]] ExitCode flushed(ExitCode code);

/// The refusal `file.unreadable`; `-` is standard input. `why` is the reason, if known.
[[nodiscard]] Diagnostic unreadable(const std::string& path, std::string_view why = {});
/// Refuses `file.unreadable` for a path that does not exist, is a folder or cannot be read.
[[nodiscard]] Result<void> check_readable(const std::string& path);
/// Reads the whole file; `-` is standard input. Every command reads its files this way. Refuses
/// `file.unreadable` for a path that is no file or has more than 256 MiB: a device may never end.
[[nodiscard]] Result<std::string> read_file(const std::string& path);
/// Refuses `file.unwritable` for a folder, and for a name in a folder that does not exist.
[[nodiscard]] Result<void> check_file_name(const std::string& path);
/// Writes a file; `-` is standard output. Refuses `file.unwritable`.
[[nodiscard]] Result<void> write_file(const std::string& path, std::string_view contents);

}  // namespace heddle::app

namespace heddle {

/// Lets HEDDLE_TRY return a Failure.
[[nodiscard]] inline tl::unexpected<app::Failure> refuse(app::Failure failure) {
  return tl::unexpected(std::move(failure));
}

}  // namespace heddle
