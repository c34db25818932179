#pragma once

// Runs statements one after the other; what they bind stays for the next text.

#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "heddle/console.h"
#include "heddle/notation/evaluator.h"
#include "heddle/notation/explain.h"
#include "heddle/notation/syntax.h"

namespace heddle::app {

/// How much a session says.
enum class Echo {
  kResults,     // results of expressions
  kPrompt,      // these, and what every other statement does
  kStatements,  // every statement and what came of it
  kFailures,    // only what fails
};

/// A coordinate that layouts are applied to; the shape that it is of where it is not empty.
struct PointOption {
  std::vector<std::int64_t> at;
  std::vector<std::int64_t> shape;
};

class Session {
 public:
  /// Begins with what the environment binds and assumes.
  Session(const Console& console, Echo echo, notation::Environment environment)
      : console_(console), echo_(echo), environment_(std::move(environment)) {}

  /// What may stop the searches of the statements that follow.
  void set_stop(std::stop_token stop);

  /// Runs the statements of a text up to the first that fails. The exit code is that failure's, or
  /// what the decisions among the results say.
  ExitCode run(const Source& source);
  /// Explains the expressions of a text up to the first that is refused; bindings bind. The exit
  /// code is that of run().
  ExitCode explain(const Source& source, const notation::TextStyle& style,
                   const std::optional<PointOption>& point = {});

 private:
  using Statement = notation::Statement;

  /// What `act` does with each statement, up to the first that fails, or is refuted where asserts
  /// stop; a refusal without a place is one of its statement.
  ExitCode each(const Source& source, bool asserts_stop,
                const std::function<Result<ExitCode>(const Statement&)>& act) const;
  Result<ExitCode> run(const Statement& statement, const Source& source);
  Result<ExitCode> run_expression(const Statement& statement, const Source& source);
  Result<ExitCode> run_binding(const Statement& statement, const Source& source);
  Result<ExitCode> run_assert(const Statement& statement, const Source& source);
  Result<ExitCode> run_refuse(const Statement& statement, const Source& source);
  Result<ExitCode> run_draw(const Statement& statement, const Source& source);
  Result<ExitCode> run_assume(const Statement& statement, const Source& source);
  Result<ExitCode> explain(const Statement& statement, const Source& source,
                           const notation::TextStyle& style,
                           const std::optional<PointOption>& point);
  /// A text among the statements is a heading.
  void show_heading(const notation::Value& value) const;
  void show(const notation::Statement& statement, const Source& source,
            const notation::Value& value) const;

  const Console& console_;
  Echo echo_;
  bool has_begun_ = false;
  notation::Environment environment_;
};

/// Whether a text goes on in the next line: a parenthesis is open, an operator is the last word, or
/// it is a function of Python.
[[nodiscard]] bool is_unfinished(std::string_view text);

/// Refuses what StatementReader refuses, without running anything.
[[nodiscard]] Result<void> check_syntax(std::string_view text);

}  // namespace heddle::app
