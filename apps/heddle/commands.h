#pragma once

// The subcommands of `heddle`. An environment holds what --assume says.

#include <cstdint>
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
  std::string output;  // the name of a file; empty for the terminal
  ColorChoice color = ColorChoice::kAuto;
  std::int64_t colors = 8;
  std::int64_t run = 1;
  std::optional<std::int64_t> banks;
  std::optional<std::int64_t> element_bits;
  bool all = false;
  bool result_only = false;
  // Thread-value layouts.
  bool tv = false;
  std::string mma;  // M,N,K
  std::string tile;
  std::optional<std::int64_t> thread;
  std::string element;
  // Linear and Axe layouts.
  std::string view;   // tensor, hardware, matrix or devices; empty for tensor
  std::string slice;  // warp=1,block=0
  std::string by;     // the dimension or axis that decides about colours
  std::string shape;  // of the tensor of an Axe layout, 8,16
};
/// `heddle draw EXPR`, `heddle draw --tv EXPR`, `heddle draw --mma M,N,K A B C`,
/// `heddle draw --view hardware EXPR`
[[nodiscard]] ExitCode draw_expressions(const Console& console,
                                        const std::vector<std::string>& expressions,
                                        const DrawOptions& options,
                                        const notation::Environment& environment);
/// The number of expressions that go into one picture.
[[nodiscard]] std::size_t expression_count(const DrawOptions& options);

/// Options of `heddle banks`, `swizzle` and `coalescing`.
struct AnalyzeOptions {
  std::optional<std::int64_t> bits;
  std::optional<std::int64_t> max_bits = 128;
  std::int64_t alignment = 128;
  std::string shape;
  std::string output;  // the name of a file; empty for the terminal
  ColorChoice color = ColorChoice::kAuto;
  bool all = false;
  bool no_picture = false;
};
/// `heddle banks ACCESS SHARED`: bank conflicts, and a picture of the worst instruction.
[[nodiscard]] ExitCode print_banks(const Console& console,
                                   const std::vector<std::string>& expressions,
                                   const AnalyzeOptions& options,
                                   const notation::Environment& environment);
/// `heddle coalescing ACCESS MEMORY`: the traffic to global memory.
[[nodiscard]] ExitCode print_coalescing(const Console& console,
                                        const std::vector<std::string>& expressions,
                                        const AnalyzeOptions& options,
                                        const notation::Environment& environment);
/// `heddle swizzle LAYOUT ACCESS…`: the best swizzle for accesses; `heddle swizzle SRC DST`: the
/// best shared layout between two register layouts.
[[nodiscard]] ExitCode print_swizzle(const Console& console,
                                     const std::vector<std::string>& expressions,
                                     const AnalyzeOptions& options,
                                     const notation::Environment& environment);

/// Options of `heddle explain`.
struct ExplainOptions {
  ColorChoice color = ColorChoice::kAuto;
  std::string at;     // a coordinate, 1,5; empty for none
  std::string shape;  // of the tensor of an Axe layout, 8,16
};
/// `heddle explain EXPR`: how each operation of an expression comes to its result. Statements
/// before it may bind names. With a coordinate: where the layout takes it.
[[nodiscard]] ExitCode explain_expression(const Console& console, const std::string& text,
                                          const ExplainOptions& options,
                                          const notation::Environment& environment);

/// Options of `heddle index`.
struct IndexOptions {
  std::string target;  // heddle, c, cuda, python, triton or latex; empty for heddle
  std::string cost;    // operations, gpu or cpu; empty for what suits the target
  std::string shape;   // of the tensor of an Axe layout, 8,16
  bool inverse = false;
  bool count = false;
  bool explain = false;
  bool check = false;
  bool narrow = false;
};
/// `heddle index LAYOUT [COORDINATE…]`: the layout at symbolic coordinates, as the cheapest
/// expression that is found.
[[nodiscard]] ExitCode print_index(const Console& console,
                                   const std::vector<std::string>& expressions,
                                   const IndexOptions& options,
                                   const notation::Environment& environment);

/// `heddle relation LAYOUT`: the layout as an integer set relation, with the mappings of seed 000
/// that it is made of where `has_mappings`, and its quasi-affine expression.
[[nodiscard]] ExitCode print_relation(const Console& console, const std::string& expression,
                                      bool has_mappings, const notation::Environment& environment);

/// Options of `heddle prove`.
struct ProveOptions {
  std::string method;  // digits, bits, exhaustive, isl or z3; empty for the cheapest that answers
};
/// `heddle prove CLAIM`: whether it holds, how that is known, and what shows it where it does not.
/// Says on a terminal how long it takes, and gives up at Ctrl-C.
[[nodiscard]] ExitCode prove_claim(const Console& console, const std::string& claim,
                                   const ProveOptions& options,
                                   const notation::Environment& environment);

/// Options of `heddle recover`.
struct RecoverCommandOptions {
  std::string shape;       // the result has this shape
  std::string compatible;  // the result's shape refines this one
  std::string strides;     // the result has these strides
  std::string axes;        // what the last numbers of a table are on: lane,reg
};
/// `heddle recover TABLE.npy | FILE | - | '[[0,1],[2,3]]' | LAYOUT`: what layout is this, in the
/// notation of every system? Refused where only a relation can write it.
[[nodiscard]] ExitCode recover_layout(const Console& console, const std::string& argument,
                                      const RecoverCommandOptions& options,
                                      const notation::Environment& environment);

/// Options of `heddle convert` and `heddle show`.
struct ConvertCommandOptions {
  std::string to;     // the name of a system
  std::string as;     // literal, memory or ownership; empty for what suits both sides
  std::string shape;  // of an Axe layout, 8,16
};
/// `heddle convert --to SYSTEM LAYOUT`: the layout in another notation, or the proof that it has
/// none there.
[[nodiscard]] ExitCode print_converted(const Console& console, const std::string& expression,
                                       const ConvertCommandOptions& options,
                                       const notation::Environment& environment);
/// `heddle show LAYOUT`: the layout in every notation that can write it, and why not in the others.
[[nodiscard]] ExitCode show_everywhere(const Console& console, const std::string& expression,
                                       const ConvertCommandOptions& options,
                                       const notation::Environment& environment);
/// `heddle compare A B`: whether two layouts of any systems are the same map, and where they
/// differ. Of the options `as`, `shape`, `output` and `color` count.
[[nodiscard]] ExitCode compare_layouts(const Console& console,
                                       const std::vector<std::string>& expressions,
                                       const ConvertCommandOptions& reading,
                                       const DrawOptions& options,
                                       const notation::Environment& environment);

/// Options of `heddle emit`.
struct EmitOptions {
  std::string target = "c";
  std::string name = "idx";
  std::string shape;     // of the tensor of an Axe layout, 8,16
  bool inverse = false;  // refuse a layout without one
  bool openmp = false;   // of C and C++
  // Of MLIR.
  bool integers = false;   // i32 or i64 instead of index
  std::string gpu_module;  // empty for none
};
/// Options of `heddle instantiate`.
struct InstantiateOptions {
  /// The template, then layouts files.
  std::vector<std::string> files;
  std::string output;                    // empty for standard output
  std::string target;                    // empty for what the names of the files tell
  std::string delimiters;                // `<% %>`; empty for `{{ }}`
  std::vector<std::string> definitions;  // `BM = 64`, read before the layouts files
  bool no_comment = false;
};
/// `heddle instantiate TEMPLATE [LAYOUTS…] [-o FILE]`: a template filled with index expressions.
[[nodiscard]] ExitCode instantiate_template(const Console& console,
                                            const InstantiateOptions& options,
                                            const notation::Environment& environment);

/// `heddle emit LAYOUT [NAME…]`: the layout as functions of a program, its coordinates called so.
[[nodiscard]] ExitCode print_functions(const Console& console,
                                       const std::vector<std::string>& expressions,
                                       const EmitOptions& options,
                                       const notation::Environment& environment);

/// `heddle batch [FILE]`
[[nodiscard]] ExitCode run_batch_file(const Console& console, const std::string& path,
                                      const notation::Environment& environment);

/// `heddle diagnose [FILE]`: what the static assertions in a compiler's output mean.
[[nodiscard]] ExitCode diagnose_log(const Console& console, const std::string& path);

/// `heddle layouts [FILE]`: every tensor of a dump of TTGIR with its layout, drawn where `draws`,
/// and every conversion.
[[nodiscard]] ExitCode list_layouts(const Console& console, const std::string& path, bool draws);

/// `heddle help [TOPIC]`: everything, one operation, or a topic; else `options`, those of the
/// command that is called so.
[[nodiscard]] ExitCode print_help(const Console& console, const std::string& topic,
                                  const std::string& options = {});

/// Reads statements from a terminal until its end.
[[nodiscard]] ExitCode run_prompt(const Console& console, const notation::Environment& environment);

}  // namespace heddle::app
