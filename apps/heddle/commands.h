#pragma once

// The subcommands of `heddle`, and the table of their names, arguments and functions. A command
// reads its options, calls the operation of the table that batch and the language call, and prints
// the result.

#include <span>
#include <string>
#include <vector>

#include "heddle/console.h"
#include "heddle/files/transport.h"
#include "heddle/notation/evaluator.h"
#include "heddle/options.h"

namespace heddle::app {

/// A call of a command: the program and the command as parsed, the values of the options, and the
/// environment, which has the assumptions of --assume.
struct Call {
  const CLI::App& program;
  const CLI::App& command;
  const Said& said;
  std::vector<std::string> expressions;
  const Console& console;
  const notation::Environment& environment;
  /// The processes that run the command together; usually it is one alone.
  files::Transport& transport;
};

/// What a command takes besides options: expressions, a file of statements (also evaluated), or
/// something else.
enum class Takes { kExpressions, kStatements, kOther };

/// A command: `heddle NAME USAGE`. The help and the documents list commands by these words.
struct Command {
  const char* name;
  const char* summary;
  const char* usage;
  Takes takes;
  std::span<const Option> options;
  Outcome (*run)(const Call& call);
};

/// All commands, in the order in which the help lists them.
[[nodiscard]] std::span<const Command> commands();

/// The one expression of a command; `-` is standard input. Refuses `usage.expression`.
[[nodiscard]] Result<std::string> expression_of(const Call& call);

/// `heddle eval EXPR…`: without an expression, or with `-`, the text of standard input.
[[nodiscard]] Outcome eval_command(const Call& call);
/// `heddle run FILE`
[[nodiscard]] Outcome run_command(const Call& call);
/// `heddle table EXPR`
[[nodiscard]] Outcome table_command(const Call& call);
/// `heddle draw EXPR`, `heddle draw --tv EXPR`, `heddle draw --mma M,N,K A B C`,
/// `heddle draw --view hardware EXPR`
[[nodiscard]] Outcome draw_command(const Call& call);
/// `heddle explore [LAYOUT…]`: serves the explorer to this machine's browser until Ctrl-C, or
/// writes it as a folder.
[[nodiscard]] Outcome explore_command(const Call& call);
/// `heddle explain EXPR`: how each operation of an expression gets its result. Statements before it
/// may bind names. With a coordinate: how the layout maps it.
[[nodiscard]] Outcome explain_command(const Call& call);
/// `heddle index LAYOUT [COORDINATE…]`: the layout at symbolic coordinates, as the cheapest
/// expression that is found.
[[nodiscard]] Outcome index_command(const Call& call);
/// `heddle instantiate TEMPLATE [LAYOUTS…] [-o FILE]`: a template filled with index expressions.
[[nodiscard]] Outcome instantiate_command(const Call& call);
/// `heddle emit LAYOUT [NAME…]`: the layout as functions of a program, with these names for its
/// coordinates.
[[nodiscard]] Outcome emit_command(const Call& call);
/// `heddle loops LAYOUT | SET`: loops over its points as a function of a program. Gives up at
/// Ctrl-C.
[[nodiscard]] Outcome loops_command(const Call& call);
/// `heddle relation LAYOUT`: the layout as an integer set relation, on request with the mappings of
/// seed 000 that it is composed of, and its quasi-affine expression.
[[nodiscard]] Outcome relation_command(const Call& call);
/// `heddle prove CLAIM`: whether it holds, by which method, and a counterexample if it does not.
/// Shows the elapsed time on a terminal, and gives up at Ctrl-C.
[[nodiscard]] Outcome prove_command(const Call& call);
/// `heddle recover TABLE.npy | FILE | - | '[[0,1],[2,3]]' | LAYOUT`: recovers the layout, in the
/// notation of every system. Refused if only a relation can express it.
[[nodiscard]] Outcome recover_command(const Call& call);
/// `heddle banks ACCESS SHARED`: bank conflicts, and a picture of the worst instruction.
[[nodiscard]] Outcome banks_command(const Call& call);
/// `heddle tma GLOBAL SHARED`: how the tensor memory accelerator copies a region of global memory
/// to shared memory, step by step, or the rule that is in the way.
[[nodiscard]] Outcome tma_command(const Call& call);
/// `heddle swizzle LAYOUT ACCESS…`: the best swizzle for accesses; `heddle swizzle SRC DST`: the
/// best shared layout between two register layouts.
[[nodiscard]] Outcome swizzle_command(const Call& call);
/// `heddle coalescing ACCESS MEMORY`: the traffic to global memory.
[[nodiscard]] Outcome coalescing_command(const Call& call);
/// `heddle convert --to SYSTEM LAYOUT`: the layout in another notation, or the proof that it has
/// none in that notation.
[[nodiscard]] Outcome convert_command(const Call& call);
/// `heddle relayout FILE --to LAYOUT -o FILE`: a tensor in a file, moved to another layout. Shows
/// the elapsed time on a terminal.
[[nodiscard]] Outcome relayout_command(const Call& call);
/// `heddle reshard CHECKPOINT… --from SPEC --to SPEC -o OUT`: a checkpoint, one file a device,
/// written anew for other devices. Shows the elapsed time on a terminal.
[[nodiscard]] Outcome reshard_command(const Call& call);
/// `heddle kernel ACTION FILE [NAME]`: a kernel compiled, explained, or run by its meaning.
[[nodiscard]] Outcome kernel_command(const Call& call);
/// `heddle show LAYOUT`: the layout in every notation that can write it, and why not in the others.
[[nodiscard]] Outcome show_command(const Call& call);
/// `heddle compare A B`: whether two layouts of any systems are the same map, and where they
/// differ.
[[nodiscard]] Outcome compare_command(const Call& call);
/// `heddle batch [FILE]`
[[nodiscard]] Outcome batch_command(const Call& call);
/// `heddle diagnose [FILE]`: what the static assertions in a compiler's output mean.
[[nodiscard]] Outcome diagnose_command(const Call& call);
/// `heddle layouts [FILE]`: every tensor of a TTGIR dump with its layout, drawn on request, and
/// every conversion.
[[nodiscard]] Outcome layouts_command(const Call& call);
/// `heddle help [TOPIC]`: everything, one operation, or a topic, which may be a command.
[[nodiscard]] Outcome help_command(const Call& call);

/// `heddle eval -`, or with expressions.
[[nodiscard]] Outcome evaluate_all(const Console& console,
                                   const std::vector<std::string>& expressions,
                                   const notation::Environment& environment);
/// Prints the help on a topic; otherwise `options`, those of the command of that name.
[[nodiscard]] Outcome print_help(const Console& console, const std::string& topic,
                                 const std::string& options = {});
/// Reads and runs statements from a terminal until the end of input.
[[nodiscard]] Outcome run_prompt(const Console& console, const notation::Environment& environment);

}  // namespace heddle::app
