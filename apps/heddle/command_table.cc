#include "heddle/commands.h"

#include <array>

namespace heddle::app {
namespace {

using enum Reads;

// Options of several commands.

constexpr Option kAxeShape = {"--shape", kText,
                              "The shape of the tensor of an Axe layout, as 8,16"};
constexpr Option kColor = {"--color", kText, "When to use colours: auto, always, never", "auto"};
constexpr Option kPicture = {"-o,--output", kPath,
                             "Write a picture: .svg, .html, .tex, or .txt for text"};
/// How layouts are read.
constexpr Option kReadAsSuits = {
    "--as", kText,
    "How layouts are read: literal, memory (coordinates to addresses) or ownership (places to "
    "elements); default: inferred from both layouts"};
constexpr Option kReadShape = {
    "--shape", kText,
    "The shape of an Axe layout or an encoding, which have none of their own, as 8,16"};
constexpr Option kBits = {"--bits", kNumber, "The width of an element, 16, or its type, f16"};
constexpr Option kTensorShape = {"--shape", kText, "The shape of the encoded tensor, as 128,64"};
constexpr Option kMaxBits = {"--max-bits", kNumber, "The widest access of a lane; 128 by default"};

// Options by command.

constexpr Option kRunOptions[] = {
    {"file", kText, "The file; - is standard input", "-", nullptr, true},
    {"--quiet", kFlag, "Print only failures"}};

constexpr Option kTableOptions[] = {
    {"--limit", kText, "Print at most this many values, in flat order", "", "INT"}, kAxeShape};

constexpr Option kDrawOptions[] = {
    {"-o,--output", kPath, "Write a file: .svg, .html, .tex, or .txt for text"},
    kColor,
    {"--colors", kNumber, "Indices equal modulo this share a colour; 0: none"},
    {"--run", kNumber, "The number of consecutive indices that share a colour"},
    {"--banks", kNumber, "Colour by memory bank; the number of banks, each 32 bits wide"},
    {"--element-bits", kNumber, "The width of an element, for banks; 32 by default"},
    {"--all", kFlag, "Show all of a large layout"},
    {"--result-only", kFlag, "Show only the result of an operation, without its operands"},
    {"--tv", kFlag, "Draw a thread-value layout as a table of its tile"},
    {"--tile", kText, "The tile of --tv, as 16x8"},
    {"--mma", kText, "Draw the thread-value layouts of A, B and C, of the shape M,N,K"},
    {"--thread", kNumber, "Pick one thread of --tv, of --mma or of a linear layout"},
    {"--element", kText, "Pick one element, as 3,4 or by its number: who holds it?"},
    {"--view", kText,
     "The view: tensor or hardware; also matrix for linear layouts, devices for Axe layouts"},
    {"--slice", kText, "Fix dimensions of a linear layout, as warp=1,block=0"},
    {"--by", kText,
     "The dimension of a linear layout, or the axis of an Axe layout, that determines the colours"},
    kAxeShape};

constexpr Option kExplainOptions[] = {
    kColor, {"--at", kText, "Where the layout takes this coordinate, as 1,5"}, kAxeShape};

constexpr Option kIndexOptions[] = {
    {"--target", kText,
     "The language: heddle (default), c, cpp, cuda, hip, opencl, triton, python, latex"},
    {"--cost", kText,
     "What to minimise: operations, or the cost on a gpu or cpu; default: chosen for the language"},
    {"--inverse", kFlag, "Map a position of a LEGO layout to its coordinates"},
    {"--count", kFlag, "Count the operations"},
    {"--explain", kFlag, "Show which rules were applied, and why each is valid"},
    {"--check", kFlag, "Have Z3 confirm the whole simplification"},
    {"--narrow", kFlag, "C: 32 bits where every value is proved to fit"},
    kAxeShape};

constexpr Option kInstantiateOptions[] = {
    {"files", kList, "The template, then files of layouts", "", nullptr, true},
    {"-o,--output", kPath, "The file to write; standard output by default"},
    {"--target", kText,
     "The language: c, cpp, cuda, hip, opencl, triton, python, mlir, latex; default: inferred from "
     "the file names"},
    {"--delimiters", kText, "The delimiters of placeholders, with a space between: '<% %>'"},
    {"--define,-D", kList, "A statement to run before the layouts files: 'BM = 64'", "",
     "STATEMENT"},
    {"--no-comment", kFlag, "Omit the comment that says where the expressions come from"}};

constexpr Option kEmitOptions[] = {
    {"--target", kText,
     "The language: c (default), cpp, cuda, hip, opencl, triton, python, mlir, latex", "c"},
    {"--name", kText, "The name of the function; idx by default", "idx"},
    kAxeShape,
    {"--inverse", kFlag, "Refuse a layout that has no inverse"},
    {"--openmp", kFlag,
     "C and C++: for omp simd loops, with loops that move arrays into the layout"},
    {"--integers", kFlag,
     "MLIR: use i32 or i64, whichever is proved wide enough, instead of index"},
    {"--gpu-module", kText, "MLIR: the name of a gpu.module around the functions"}};

constexpr Option kLoopsOptions[] = {
    {"--order", kText,
     "domain (default), image, a permutation of the dimensions as [1,0], or a relation to ranks",
     "domain"},
    {"--tile", kText, "The sizes of tiles, as 8,8"},
    {"--target", kText, "The language: c (default), cpp, cuda, hip, python, mlir", "c"},
    {"--name", kText, "The name of the function; scan by default", "scan"},
    kAxeShape,
    {"--openmp", kFlag, "C and C++: run loops in parallel whose iterations share no place"}};

constexpr Option kRelationOptions[] = {
    kAxeShape,
    {"--mappings", kFlag,
     "Also print the mappings that it is composed of: coordinates, bits, index"}};

constexpr Option kProveOptions[] = {
    {"--method", kText, "The only method to use: digits, bits, exhaustive, isl, z3"},
    kReadAsSuits,
    kReadShape};

constexpr Option kRecoverOptions[] = {
    {"--shape", kText, "Only the layout of exactly this shape, as (2,(2,2))"},
    {"--compatible", kText, "Only the layout whose shape refines this one"},
    {"--strides", kText, "Only the layout of exactly these strides, as (1,(2,8))"},
    {"--axes", kText, "The innermost numbers of a table are coordinates on these axes: lane,reg"}};

constexpr Option kMachine = {"--machine", kText,
                             "The machine, as sm_90 or gfx942; default: an NVIDIA GPU"};
constexpr Option kWrites = {"--write", kFlag, "The accesses write; by default they read"};

constexpr Option kBanksOptions[] = {kBits,
                                    kTensorShape,
                                    kMaxBits,
                                    kMachine,
                                    kWrites,
                                    kPicture,
                                    kColor,
                                    {"--all", kFlag, "Draw all phases of the worst instruction"},
                                    {"--no-picture", kFlag, "Only the numbers"}};

constexpr Option kTmaOptions[] = {
    kBits,
    {"--type", kText, "The type of an element, as f16, instead of its width"},
    {"--region", kText, "The part of the global tensor, as '[[0,128],[0,64]]'"},
    {"--shape", kText, "The shape of the global tensor, as 256,64"},
    {"--shared-region", kText, "The part of the shared tensor"},
    {"--shared-shape", kText, "The shape of the shared tensor, as 128,64"}};

constexpr Option kSwizzleOptions[] = {
    kBits,
    kTensorShape,
    kMachine,
    kWrites,
    {"--split", kFlag, "The swizzle may split vectors and the rows of ldmatrix"}};

constexpr Option kCoalescingOptions[] = {
    kBits,
    kTensorShape,
    kMaxBits,
    kMachine,
    {"--alignment", kNumber, "The alignment of address 0 in bytes; 128 by default"}};

constexpr Option kConvertOptions[] = {
    {"--to", kText, "cute, cute_tv, linear, axe, lego, relation, table or mlir"},
    kReadAsSuits,
    kReadShape};

constexpr Option kRelayoutOptions[] = {
    {"file", kPath, "The tensor: .npy, .npz, .safetensors, or raw bytes", "", nullptr, true},
    {"--to", kText, "The layout of the new file: element to place"},
    {"--from", kText, "The layout of the tensor; default: as it is in its file"},
    {"-o,--output", kPath, "The file to write: .npy, .safetensors, or raw bytes"},
    {"--in-place", kFlag, "Move within the file, .npy or raw bytes, instead of writing another"},
    {"--recipe", kText, "A repacking by name, instead of --from and --to: heddle help recipes"},
    {"--size", kList, "A size in the layouts, by name, as C=64", "", "NAME=INT"},
    {"--tensor", kText, "The name of the tensor in a file that holds several"},
    {"--bits", kNumber, "The width of an element; default: that of the tensor's type"},
    {"--shape", kText, "The shape of the new file, as 128,64; default: one extent"},
    {"--threads", kNumber, "The number of threads; default: the number of cores"},
    kReadAsSuits};

constexpr Option kReshardOptions[] = {
    {"checkpoint", kList,
     "safetensors files, one per device, in the order of the devices; or a pattern, as "
     "'model-*.safetensors'; or a folder",
     "", "CHECKPOINT", true},
    {"--from", kText,
     "The sharding of the checkpoint, or a file of lines PATTERN: SPEC; default: each tensor is "
     "whole, on device 0"},
    {"--from-mesh", kText, "The mesh for specs of --from that give none"},
    {"--to", kText, "The new sharding, likewise"},
    {"--to-mesh", kText, "The mesh for specs of --to that give none"},
    {"-o,--output", kPath,
     "The folder to write, one file per device; for one device also a .safetensors file"},
    {"--dry-run", kFlag, "Print the plans only: what would be moved, and the lower bound"},
    {"--resume", kFlag, "Resume from what an earlier run left in OUTPUT.partial"},
    {"--verify", kFlag, "Read back what was written, and verify its checksums"},
    {"--trust-replicas", kFlag,
     "Take any copy of a part that several devices have, without comparing the copies"},
    {"--bandwidth", kList,
     "The bandwidth in bytes per second of links along a mesh axis, as x=900e9", "", "AXIS=NUMBER"},
    {"--bandwidth-mesh", kText,
     "The mesh of all devices that has these axes; default: --to-mesh or --from-mesh, whichever "
     "has them"}};

constexpr Option kKernelOptions[] = {
    {"action", kText, "compile, explain, run, check or tune", "", nullptr, true},
    {"file", kPath, "The file with the kernel", "", nullptr, true},
    {"name", kText, "The kernel's name; without it, all kernels of the file"},
    {"arguments", kList,
     "For run: a .npy file or a number for each parameter that is read, in order, or named: "
     "eps=1e-5",
     "", "ARGUMENT"},
    {"--target", kText,
     "cuda (by default), opencl (by default of check) or cpu (which tune is for); cuda:sm_80 says "
     "the GPU, cpu:zen4 and cpu:host the CPU"},
    {"--emit", kText,
     "What compile writes: source, header (for C and C++, with a launcher for GPUs) or binary; by "
     "default what the file's name ends in: .h, or .so and .fatbin, else source"},
    {"--lines", kFlag, "Put #line into the source, so that tools show the kernel's file"},
    {"--arch", kList, "For cuda's binary: an architecture, sm_80 by default; several make a fatbin",
     "", "NAME"},
    {"-o,--output", kList,
     "The file to write: for compile the source, for run each result, in order, for tune the "
     "kernel",
     "", "PATH"},
    {"--seconds", kText, "For tune: how many seconds to search; 30 by default"},
    {"--checker", kFlag,
     "For check: run the kernel's CUDA on this CPU, and watch its accesses, copies and barriers"},
    {"--source", kPath, "For check --checker: CUDA of the same kernel, instead of what is emitted"},
    {"--mutants", kFlag,
     "For check --checker: drop each barrier, wait and copy, and say whether that is noticed"},
    {"--value", kList, "For check and tune: the value of a parameter, instead of random numbers",
     "", "NAME=NUMBER"},
    {"--range", kList,
     "For check and tune: where the random numbers of a parameter begin and end; sizes may be ends",
     "", "NAME=FROM:TO"},
    {"--size,--sizes", kList, "A size by name, as M=64, or several, as M=64,N=128", "",
     "NAME=INT"}};

constexpr Option kShowOptions[] = {kReadAsSuits, kReadShape};

constexpr Option kCompareOptions[] = {kReadAsSuits, kReadShape, kPicture, kColor};

constexpr Option kBatchOptions[] = {{"file", kText, "The file; standard input by default", "-"}};

constexpr Option kDiagnoseOptions[] = {
    {"file", kText, "The output; standard input by default", "-"}};

constexpr Option kLayoutsOptions[] = {
    {"file", kText, "The dump; standard input by default", "-"},
    {"--draw", kFlag, "Draw each layout: who holds which element"}};

constexpr Option kExploreOptions[] = {
    {"--static", kPath, "Write a folder for any web server, and serve nothing"},
    {"--port", kNumber, "The port; a free one by default"},
    {"--no-browser", kFlag, "Print the address and open no browser"}};

constexpr Option kHelpOptions[] = {
    {"topic", kText,
     "A command, an operation, an error code or a topic; without it a list of all"}};

constexpr std::array kCommands = {
    Command{"eval", "Evaluate expressions", "EXPR…", Takes::kExpressions, {}, eval_command},
    Command{"run", "Run the statements of a file", "FILE", Takes::kStatements, kRunOptions,
            run_command},
    Command{"table", "Print the indices of a layout", "EXPR", Takes::kExpressions, kTableOptions,
            table_command},
    Command{"draw", "Draw a layout", "EXPR", Takes::kExpressions, kDrawOptions, draw_command},
    Command{"explore", "Explore layouts in the browser", "[LAYOUT…]", Takes::kExpressions,
            kExploreOptions, explore_command},
    Command{"explain", "Explain a result step by step", "EXPR", Takes::kExpressions,
            kExplainOptions, explain_command},
    Command{"index", "Print the index expression of a layout", "LAYOUT [COORDINATE…]",
            Takes::kExpressions, kIndexOptions, index_command},
    Command{"instantiate", "Fill a template with index expressions", "TEMPLATE [LAYOUTS…]",
            Takes::kOther, kInstantiateOptions, instantiate_command},
    Command{"emit", "Write a layout as functions of a program", "LAYOUT [NAME…]",
            Takes::kExpressions, kEmitOptions, emit_command},
    Command{"loops", "Write loops over the points of a layout, a relation or a set", "LAYOUT | SET",
            Takes::kExpressions, kLoopsOptions, loops_command},
    Command{"relation", "Write a layout as an integer set relation", "LAYOUT", Takes::kExpressions,
            kRelationOptions, relation_command},
    Command{"prove", "Prove or refute a claim about layouts", "CLAIM", Takes::kExpressions,
            kProveOptions, prove_command},
    Command{"recover", "Find the layout of a table, in every system's notation",
            "TABLE.npy | FILE | - | '[[0,1],[2,3]]' | LAYOUT", Takes::kExpressions, kRecoverOptions,
            recover_command},
    Command{"banks", "Count the bank conflicts of an access", "ACCESS [SHARED] --bits N",
            Takes::kExpressions, kBanksOptions, banks_command},
    Command{"tma", "Plan a copy to shared memory by TMA: the tensor map and the instructions",
            "GLOBAL SHARED --bits N", Takes::kExpressions, kTmaOptions, tma_command},
    Command{"swizzle", "Find the best swizzle for accesses", "LAYOUT ACCESS… | SRC DST --bits N",
            Takes::kExpressions, kSwizzleOptions, swizzle_command},
    Command{"coalescing", "Count the traffic of an access to global memory",
            "ACCESS [MEMORY] --bits N", Takes::kExpressions, kCoalescingOptions,
            coalescing_command},
    Command{"convert", "Convert a layout to another system's notation", "--to SYSTEM LAYOUT",
            Takes::kExpressions, kConvertOptions, convert_command},
    Command{"relayout", "Move a tensor in a file to another layout", "FILE --to LAYOUT -o FILE",
            Takes::kOther, kRelayoutOptions, relayout_command},
    Command{"reshard", "Reshard a checkpoint, one file per device, for other devices",
            "CHECKPOINT… --from SPEC --to SPEC -o OUTPUT", Takes::kOther, kReshardOptions,
            reshard_command},
    Command{"kernel", "Compile, explain, run, check or tune a kernel",
            "ACTION FILE [NAME] [ARGUMENT…]", Takes::kOther, kKernelOptions, kernel_command},
    Command{"show", "Show a layout in every notation", "LAYOUT", Takes::kExpressions, kShowOptions,
            show_command},
    Command{"compare", "Show where two layouts of any systems differ", "A B", Takes::kExpressions,
            kCompareOptions, compare_command},
    Command{"batch", "Answer JSON Lines", "[FILE]", Takes::kStatements, kBatchOptions,
            batch_command},
    Command{"diagnose", "Explain CuTe's static assertions in a compiler's output", "[FILE]",
            Takes::kOther, kDiagnoseOptions, diagnose_command},
    Command{"layouts", "List the layouts of a dump of Triton's TTGIR", "[FILE]", Takes::kOther,
            kLayoutsOptions, layouts_command},
    Command{"help", "Explain an operation or a topic", "[TOPIC]", Takes::kOther, kHelpOptions,
            help_command},
};

}  // namespace

std::span<const Command> commands() { return kCommands; }

}  // namespace heddle::app
