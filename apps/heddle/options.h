#pragma once

// The options of all commands, and what the command line said with them.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "heddle/commands.h"
#include "heddle/core/result.h"
#include "heddle/notation/operations.h"

namespace CLI {  // NOLINT(readability-identifier-naming): the library's name
class App;
}  // namespace CLI

namespace heddle::app {

/// What the command line asks for.
struct Request {
  bool json = false;
  bool quiet = false;
  bool draws = false;
  std::string path = "-";
  std::string topic;
  std::optional<std::string> limit;
  std::string color = "auto";
  DrawOptions draw;
  ExplainOptions explain;
  AnalyzeOptions analyze;
  IndexOptions index;
  ProveOptions prove;
  RecoverCommandOptions recover;
  ConvertCommandOptions convert;
  EmitOptions emit;
  InstantiateOptions instantiate;
  std::vector<std::string> behind_dashes;
  std::vector<std::string> assumptions;
  std::vector<std::string> axes;
  bool strict = false;
  bool mappings = false;
  double timeout_s = 10;
  std::string engine = "algebra";
};

// What options say.

/// The number given with --limit, if any. Refuses `usage.option`, `table.limit`.
[[nodiscard]] Result<std::optional<std::int64_t>> limit_of(const Request& request);
/// Refuses `usage.option`.
[[nodiscard]] Result<ColorChoice> color_of(const Request& request);
/// What searches may spend, and who computes.
[[nodiscard]] notation::CallContext context_of(const Request& request);

// The options that a command has; what they say is kept in the request.

/// Those of whatever evaluates: --assume, --axis, --strict, --timeout, --engine.
void add_evaluation_options(CLI::App& command, Request& request);

void add_no_options(CLI::App& command, Request& request);
void add_run_options(CLI::App& command, Request& request);
void add_table_options(CLI::App& command, Request& request);
void add_draw_options(CLI::App& command, Request& request);
void add_explain_options(CLI::App& command, Request& request);
void add_index_options(CLI::App& command, Request& request);
void add_emit_options(CLI::App& command, Request& request);
void add_instantiate_options(CLI::App& command, Request& request);
void add_relation_options(CLI::App& command, Request& request);
void add_prove_options(CLI::App& command, Request& request);
void add_recover_options(CLI::App& command, Request& request);
void add_banks_options(CLI::App& command, Request& request);
void add_swizzle_options(CLI::App& command, Request& request);
void add_coalescing_options(CLI::App& command, Request& request);
void add_convert_options(CLI::App& command, Request& request);
void add_show_options(CLI::App& command, Request& request);
void add_compare_options(CLI::App& command, Request& request);
void add_batch_options(CLI::App& command, Request& request);
void add_diagnose_options(CLI::App& command, Request& request);
void add_layouts_options(CLI::App& command, Request& request);
void add_help_options(CLI::App& command, Request& request);

}  // namespace heddle::app
