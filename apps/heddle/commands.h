#pragma once

// The subcommands of `heddle`. An environment holds what --assume says.

#include <optional>
#include <string>
#include <vector>

#include "heddle/console.h"
#include "heddle/notation/evaluator.h"

namespace heddle::app {

/// `heddle eval EXPR…`: without an expression, or with `-`, the text of standard input.
[[nodiscard]] ExitCode evaluate_all(const Console& console,
                                    const std::vector<std::string>& expressions,
                                    const notation::Environment& environment);

/// `heddle run FILE`
[[nodiscard]] ExitCode run_file(const Console& console, const std::string& path, bool quiet,
                                const notation::Environment& environment);

/// `heddle table EXPR`
[[nodiscard]] ExitCode print_table(const Console& console, const std::string& expression,
                                   std::optional<std::int64_t> limit,
                                   const notation::Environment& environment);

struct DrawOptions {
  std::string output;  // an SVG or text file; empty for the terminal
  ColorChoice color = ColorChoice::kAuto;
  std::int64_t colors = 8;
  std::int64_t run = 1;
};
/// `heddle draw EXPR`
[[nodiscard]] ExitCode draw_expression(const Console& console, const std::string& expression,
                                       const DrawOptions& options,
                                       const notation::Environment& environment);

/// `heddle explain EXPR`: how each operation of an expression comes to its result. Statements before
/// it may bind names.
[[nodiscard]] ExitCode explain_expression(const Console& console, const std::string& text,
                                          ColorChoice color);

/// `heddle batch [FILE]`
[[nodiscard]] ExitCode run_batch_file(const Console& console, const std::string& path,
                                      const notation::Environment& environment);

/// `heddle diagnose [FILE]`: what the static assertions in a compiler's output mean.
[[nodiscard]] ExitCode diagnose_log(const Console& console, const std::string& path);

/// `heddle help [TOPIC]`: everything, one operation, or a topic.
[[nodiscard]] ExitCode print_help(const Console& console, const std::string& topic);

/// Reads statements from a terminal until its end.
[[nodiscard]] ExitCode run_prompt(const Console& console,
                                  const notation::Environment& environment);

}  // namespace heddle::app
