#include "heddle/options.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <charconv>
#include <chrono>
#include <system_error>

#include "heddle/notation/lexer.h"

namespace heddle::app {
namespace {

constexpr const char* kAxeShape = "The shape of the tensor of an Axe layout, as 8,16";

/// CLI::Range lets what is no number pass.
std::string is_duration(const std::string& text) {
  constexpr double kLeast = 0.001;
  constexpr double kMost = 1e6;
  double seconds = 0;
  const bool is_number = CLI::detail::lexical_cast(text, seconds);
  if (is_number && seconds >= kLeast && seconds <= kMost) return {};
  return fmt::format("a number of seconds from {} to {} is needed, not {}", kLeast, kMost,
                     notation::quote(text));
}

std::string is_path(const std::string& text) {
  return text.empty() ? "the name of a file is needed" : "";
}

void add_color_option(CLI::App& command, Request& request) {
  command.add_option("--color", request.color, "When to use colours: auto, always, never");
}

void add_picture_option(CLI::App& command, std::string& output) {
  command.add_option("-o,--output", output, "Write a picture: .svg, .html, .tex, or .txt for text")
      ->check(is_path);
}

/// Options of what analyses accesses to memory.
void add_access_options(CLI::App& command, Request& request) {
  add_swizzle_options(command, request);
  command.add_option("--max-bits", request.analyze.max_bits,
                     "The widest access of a lane; 128 by default");
}

/// How layouts are read; where it is not said, as usual.
void add_reading_options(CLI::App& command, Request& request, const std::string& usual) {
  command.add_option("--as", request.convert.as,
                     "How layouts are read: literal, memory (coordinates to addresses) or "
                     "ownership (places to elements); by default " +
                         usual);
  command.add_option("--shape", request.convert.shape,
                     "The shape of an Axe layout, which has none of its own, as 8,16");
}

}  // namespace

// ---- What options say ----

Result<std::optional<std::int64_t>> limit_of(const Request& request) {
  if (!request.limit) return std::nullopt;
  const std::string& text = *request.limit;
  const char* end = text.data() + text.size();
  std::int64_t limit = 0;
  const auto read = std::from_chars(text.data(), end, limit);
  if (read.ec == std::errc::invalid_argument || read.ptr != end) {
    return refuse("usage.option",
                  fmt::format("--limit is {}; an integer is needed", notation::quote(text)));
  }
  if (read.ec == std::errc()) return limit;
  return refuse("table.limit",
                fmt::format("a table of {} values: the limit does not fit into 64 bits", text));
}

Result<ColorChoice> color_of(const Request& request) {
  if (request.color == "auto") return ColorChoice::kAuto;
  if (request.color == "always") return ColorChoice::kAlways;
  if (request.color == "never") return ColorChoice::kNever;
  return refuse("usage.option", fmt::format("--color is {}; auto, always or never is needed",
                                            notation::quote(request.color)));
}

notation::CallContext context_of(const Request& request) {
  notation::CallContext context;
  context.decide.limits.time =
      std::chrono::milliseconds(static_cast<std::int64_t>(request.timeout_s * 1000));
  if (request.engine == "isl") context.engine = notation::AlgebraEngine::kIsl;
  return context;
}

// ---- Options ----

void add_evaluation_options(CLI::App& command, Request& request) {
  command
      .add_option("--assume", request.assumptions,
                  "What is known of symbolic sizes: M%128==0, lane in [0,32)")
      ->type_name("CONDITION")
      ->allow_extra_args(false);
  command.add_option("--axis", request.axes, "Declare an axis of Axe layouts: stage: memory")
      ->type_name("AXIS")
      ->allow_extra_args(false);
  command.add_flag("--strict", request.strict, "Refuse axes that nothing declares");
  command.add_option("--timeout", request.timeout_s, "Seconds for a search; 10 by default")
      ->check(is_duration);
  command
      .add_option("--engine", request.engine,
                  "Who composes, complements and inverts: algebra, or isl for a second opinion")
      ->check(CLI::IsMember({"algebra", "isl"}));
}

void add_no_options(CLI::App& /*command*/, Request& /*request*/) {}

void add_run_options(CLI::App& command, Request& request) {
  command.add_option("file", request.path, "The file; - is standard input")->required();
  add_evaluation_options(command, request);
  command.add_flag("--quiet", request.quiet, "Print only failures");
}

void add_table_options(CLI::App& command, Request& request) {
  command.add_option("--limit", request.limit, "Only so many values, in flat order")
      ->type_name("INT");
}

void add_draw_options(CLI::App& command, Request& request) {
  command
      .add_option("-o,--output", request.draw.output,
                  "Write a file: .svg, .html, .tex, or .txt for text")
      ->check(is_path);
  add_color_option(command, request);
  command.add_option("--colors", request.draw.colors,
                     "Indices equal modulo this share a colour; 0: none");
  command.add_option("--run", request.draw.run, "So many consecutive indices share a colour");
  command.add_option("--banks", request.draw.banks, "Colours are memory banks, so many of 32 bits");
  command.add_option("--element-bits", request.draw.element_bits,
                     "The width of an element, for banks; 32 by default");
  command.add_flag("--all", request.draw.all, "Leave out nothing of a large layout");
  command.add_flag("--result-only", request.draw.result_only,
                   "Of an operation only the result, without its operands");
  command.add_flag("--tv", request.draw.tv, "A thread-value layout, as a table of its tile");
  command.add_option("--tile", request.draw.tile, "The tile of --tv, as 16x8");
  command.add_option("--mma", request.draw.mma,
                     "Thread-value layouts of A, B and C, of the shape M,N,K");
  command.add_option("--thread", request.draw.thread,
                     "Pick one thread of --tv, of --mma or of a linear layout");
  command.add_option("--element", request.draw.element,
                     "Pick one element, as 3,4 or by its number: who holds it?");
  command.add_option("--view", request.draw.view,
                     "tensor or hardware; of a linear layout matrix, of an Axe layout devices");
  command.add_option("--slice", request.draw.slice,
                     "Hold dimensions of a linear layout, as warp=1,block=0");
  command.add_option("--by", request.draw.by,
                     "The dimension of a linear layout, or the axis of an Axe layout, that decides "
                     "about colours");
  command.add_option("--shape", request.draw.shape, kAxeShape);
}

void add_explain_options(CLI::App& command, Request& request) {
  add_color_option(command, request);
  command.add_option("--at", request.explain.at, "Where the layout takes this coordinate, as 1,5");
  command.add_option("--shape", request.explain.shape, kAxeShape);
}

void add_index_options(CLI::App& command, Request& request) {
  command.add_option(
      "--target", request.index.target,
      "The language: heddle (by default), c, cpp, cuda, hip, opencl, triton, python, "
      "latex");
  command.add_option(
      "--cost", request.index.cost,
      "What is to be small: operations, gpu or cpu; by default as the language is run or read");
  command.add_flag("--inverse", request.index.inverse,
                   "From a position of a LEGO layout to its coordinates");
  command.add_flag("--count", request.index.count, "Count the operations");
  command.add_flag("--explain", request.index.explain,
                   "Which rules were applied, and why they may");
  command.add_flag("--check", request.index.check, "Have Z3 confirm the whole simplification");
  command.add_flag("--narrow", request.index.narrow,
                   "C: 32 bits where every value is proved to fit");
  command.add_option("--shape", request.index.shape, kAxeShape);
}

void add_instantiate_options(CLI::App& command, Request& request) {
  InstantiateOptions& options = request.instantiate;
  command.add_option("files", options.files, "The template, then files of layouts")->required();
  command
      .add_option("-o,--output", options.output, "The file to write; standard output by default")
      ->check(is_path);
  command.add_option("--target", options.target,
                     "The language: c, cpp, cuda, hip, opencl, triton, python, mlir, latex; by "
                     "default what the names of the files tell");
  command.add_option("--delimiters", options.delimiters,
                     "What encloses placeholders, with a space between: '<% %>'");
  command
      .add_option("--define,-D", options.definitions,
                  "A statement before the layouts files: 'BM = 64'")
      ->type_name("STATEMENT")
      ->allow_extra_args(false);
  command.add_flag("--no-comment", options.no_comment,
                   "Without the comment that says where the expressions come from");
}

void add_emit_options(CLI::App& command, Request& request) {
  command.add_option("--target", request.emit.target,
                     "The language: c (by default), cpp, cuda, hip, opencl, triton, python, mlir, "
                     "latex");
  command.add_option("--name", request.emit.name, "What the function is called; idx by default");
  command.add_option("--shape", request.emit.shape, kAxeShape);
  command.add_flag("--inverse", request.emit.inverse, "Refuse a layout that has no inverse");
  command.add_flag("--openmp", request.emit.openmp,
                   "C and C++: for omp simd loops, with loops that move arrays into the layout");
  command.add_flag("--integers", request.emit.integers,
                   "MLIR: on i32 or i64, as proved to be enough, instead of index");
  command.add_option("--gpu-module", request.emit.gpu_module,
                     "MLIR: the name of a gpu.module around the functions");
}

void add_relation_options(CLI::App& command, Request& request) {
  command.add_flag("--mappings", request.mappings,
                   "Also the mappings it is made of: coordinates, bits, index");
}

void add_prove_options(CLI::App& command, Request& request) {
  command.add_option("--method", request.prove.method,
                     "The only method to use: digits, bits, exhaustive, isl, z3");
  add_reading_options(command, request, "literal");
}

void add_recover_options(CLI::App& command, Request& request) {
  command.add_option("--shape", request.recover.shape,
                     "Only the layout of exactly this shape, as (2,(2,2))");
  command.add_option("--compatible", request.recover.compatible,
                     "Only the layout whose shape refines this one");
  command.add_option("--strides", request.recover.strides,
                     "Only the layout of exactly these strides, as (1,(2,8))");
  command.add_option("--axes", request.recover.axes,
                     "The innermost numbers of a table are coordinates on these axes: lane,reg");
}

void add_banks_options(CLI::App& command, Request& request) {
  add_access_options(command, request);
  add_picture_option(command, request.analyze.output);
  add_color_option(command, request);
  command.add_flag("--all", request.analyze.all, "Draw all phases of the worst instruction");
  command.add_flag("--no-picture", request.analyze.no_picture, "Only the numbers");
}

void add_swizzle_options(CLI::App& command, Request& request) {
  command.add_option("--bits", request.analyze.bits, "The width of an element");
  command.add_option("--shape", request.analyze.shape,
                     "The shape of the tensor that encodings are of, as 128,64");
}

void add_coalescing_options(CLI::App& command, Request& request) {
  add_access_options(command, request);
  command.add_option("--alignment", request.analyze.alignment,
                     "Address 0 is a multiple of so many bytes; 128 by default");
}

void add_convert_options(CLI::App& command, Request& request) {
  command.add_option("--to", request.convert.to,
                     "cute, cute_tv, linear, axe, lego, relation or table");
  add_reading_options(command, request, "what suits both sides");
}

void add_show_options(CLI::App& command, Request& request) {
  add_reading_options(command, request, "what suits both sides");
}

void add_compare_options(CLI::App& command, Request& request) {
  add_reading_options(command, request, "literal");
  add_picture_option(command, request.draw.output);
  add_color_option(command, request);
}

void add_batch_options(CLI::App& command, Request& request) {
  command.add_option("file", request.path, "The file; standard input by default");
  add_evaluation_options(command, request);
}

void add_diagnose_options(CLI::App& command, Request& request) {
  command.add_option("file", request.path, "The output; standard input by default");
}

void add_layouts_options(CLI::App& command, Request& request) {
  command.add_option("file", request.path, "The dump; standard input by default");
  command.add_flag("--draw", request.draws, "Draw each layout: who holds which element");
}

void add_help_options(CLI::App& command, Request& request) {
  command.add_option("topic", request.topic,
                     "A command, an operation, an error code or a topic; without it a list of all");
}

}  // namespace heddle::app
