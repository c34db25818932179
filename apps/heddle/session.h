#pragma once

// Runs statements in order; their bindings stay for the next text.

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

/// How much a session prints.
enum class Echo {
  kResults,     // results of expressions
  kPrompt,      // these, and the effect of every other statement
  kStatements,  // every statement and its result
  kFailures,    // only what fails
};

/// A coordinate that layouts are applied to, and its shape if that is not empty.
struct PointOption {
  std::vector<std::int64_t> at;
  std::vector<std::int64_t> shape;
};

class Session {
 public:
  /// Starts with the bindings and assumptions of the environment.
  Session(const Console& console, Echo echo, notation::Environment environment)
      : console_(console), echo_(echo), environment_(std::move(environment)) {}

  /// Sets the token that stops the searches of later statements.
  void set_stop(std::stop_token stop);

  /// Runs the statements of a text up to the first that fails. The exit code is that failure's, or
  /// that of the verdicts among the results.
  ExitCode run(const Source& source);
  /// Explains the expressions of a text up to the first that is refused, and executes its bindings.
  /// The exit code is as for run().
  ExitCode explain(const Source& source, const notation::TextStyle& style,
                   const std::optional<PointOption>& point = {});

 private:
  using Statement = notation::Statement;

  /// Calls `act` for each statement up to the first that fails, or is refuted if `asserts_stop`; a
  /// refusal without a place gets that of its statement.
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
  /// Prints a text among the statements as a heading.
  void show_heading(const notation::Value& value) const;
  void show(const notation::Statement& statement, const Source& source,
            const notation::Value& value) const;

  const Console& console_;
  Echo echo_;
  bool has_begun_ = false;
  notation::Environment environment_;
};

/// Whether a text continues on the next line: a parenthesis is open, an operator is the last word,
/// or it is a Python function.
[[nodiscard]] bool is_unfinished(std::string_view text);

/// Refuses what StatementReader refuses, without running anything.
[[nodiscard]] Result<void> check_syntax(std::string_view text);

}  // namespace heddle::app
