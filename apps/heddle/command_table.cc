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
constexpr Option kReadLiterally = {
    "--as", kText,
    "How layouts are read: literal, memory (coordinates to addresses) or ownership (places to "
    "elements); by default literal"};
constexpr Option kReadAsSuits = {
    "--as", kText,
    "How layouts are read: literal, memory (coordinates to addresses) or ownership (places to "
    "elements); by default what suits both sides"};
constexpr Option kReadShape = {"--shape", kText,
                               "The shape of an Axe layout, which has none of its own, as 8,16"};
constexpr Option kBits = {"--bits", kNumber, "The width of an element"};
constexpr Option kTensorShape = {"--shape", kText,
                                 "The shape of the tensor that encodings are of, as 128,64"};
constexpr Option kMaxBits = {"--max-bits", kNumber, "The widest access of a lane; 128 by default"};

// Options by command.

constexpr Option kRunOptions[] = {
    {"file", kText, "The file; - is standard input", "-", nullptr, true},
    {"--quiet", kFlag, "Print only failures"}};

constexpr Option kTableOptions[] = {
    {"--limit", kText, "Only so many values, in flat order", "", "INT"}};

constexpr Option kDrawOptions[] = {
    {"-o,--output", kPath, "Write a file: .svg, .html, .tex, or .txt for text"},
    kColor,
    {"--colors", kNumber, "Indices equal modulo this share a colour; 0: none"},
    {"--run", kNumber, "So many consecutive indices share a colour"},
    {"--banks", kNumber, "Colours are memory banks, so many of 32 bits"},
    {"--element-bits", kNumber, "The width of an element, for banks; 32 by default"},
    {"--all", kFlag, "Leave out nothing of a large layout"},
    {"--result-only", kFlag, "Of an operation only the result, without its operands"},
    {"--tv", kFlag, "A thread-value layout, as a table of its tile"},
    {"--tile", kText, "The tile of --tv, as 16x8"},
    {"--mma", kText, "Thread-value layouts of A, B and C, of the shape M,N,K"},
    {"--thread", kNumber, "Pick one thread of --tv, of --mma or of a linear layout"},
    {"--element", kText, "Pick one element, as 3,4 or by its number: who holds it?"},
    {"--view", kText, "tensor or hardware; of a linear layout matrix, of an Axe layout devices"},
    {"--slice", kText, "Hold dimensions of a linear layout, as warp=1,block=0"},
    {"--by", kText,
     "The dimension of a linear layout, or the axis of an Axe layout, that decides about colours"},
    kAxeShape};

constexpr Option kExplainOptions[] = {
    kColor, {"--at", kText, "Where the layout takes this coordinate, as 1,5"}, kAxeShape};

constexpr Option kIndexOptions[] = {
    {"--target", kText,
     "The language: heddle (by default), c, cpp, cuda, hip, opencl, triton, python, latex"},
    {"--cost", kText,
     "What is to be small: operations, gpu or cpu; by default as the language is run or read"},
    {"--inverse", kFlag, "From a position of a LEGO layout to its coordinates"},
    {"--count", kFlag, "Count the operations"},
    {"--explain", kFlag, "Which rules were applied, and why they may"},
    {"--check", kFlag, "Have Z3 confirm the whole simplification"},
    {"--narrow", kFlag, "C: 32 bits where every value is proved to fit"},
    kAxeShape};

constexpr Option kInstantiateOptions[] = {
    {"files", kList, "The template, then files of layouts", "", nullptr, true},
    {"-o,--output", kPath, "The file to write; standard output by default"},
    {"--target", kText,
     "The language: c, cpp, cuda, hip, opencl, triton, python, mlir, latex; by default what the "
     "names of the files tell"},
    {"--delimiters", kText, "What encloses placeholders, with a space between: '<% %>'"},
    {"--define,-D", kList, "A statement before the layouts files: 'BM = 64'", "", "STATEMENT"},
    {"--no-comment", kFlag, "Without the comment that says where the expressions come from"}};

constexpr Option kEmitOptions[] = {
    {"--target", kText,
     "The language: c (by default), cpp, cuda, hip, opencl, triton, python, mlir, latex", "c"},
    {"--name", kText, "What the function is called; idx by default", "idx"},
    kAxeShape,
    {"--inverse", kFlag, "Refuse a layout that has no inverse"},
    {"--openmp", kFlag,
     "C and C++: for omp simd loops, with loops that move arrays into the layout"},
    {"--integers", kFlag, "MLIR: on i32 or i64, as proved to be enough, instead of index"},
    {"--gpu-module", kText, "MLIR: the name of a gpu.module around the functions"}};

constexpr Option kLoopsOptions[] = {
    {"--order", kText,
     "domain (by default), image, a permutation of the dimensions as [1,0], or a relation to ranks",
     "domain"},
    {"--tile", kText, "The sizes of tiles, as 8,8"},
    {"--target", kText, "The language: c (by default), cpp, cuda, hip, python, mlir", "c"},
    {"--name", kText, "What the function is called; scan by default", "scan"},
    {"--openmp", kFlag, "C and C++: loops whose iterations share no place run in parallel"}};

constexpr Option kRelationOptions[] = {
    {"--mappings", kFlag, "Also the mappings it is made of: coordinates, bits, index"}};

constexpr Option kProveOptions[] = {
    {"--method", kText, "The only method to use: digits, bits, exhaustive, isl, z3"},
    kReadLiterally,
    kReadShape};

constexpr Option kRecoverOptions[] = {
    {"--shape", kText, "Only the layout of exactly this shape, as (2,(2,2))"},
    {"--compatible", kText, "Only the layout whose shape refines this one"},
    {"--strides", kText, "Only the layout of exactly these strides, as (1,(2,8))"},
    {"--axes", kText, "The innermost numbers of a table are coordinates on these axes: lane,reg"}};

constexpr Option kMachine = {"--machine", kText,
                             "The machine, as sm_90 or gfx942; by default one of NVIDIA's"};
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
    {"--alignment", kNumber, "Address 0 is a multiple of so many bytes; 128 by default"}};

constexpr Option kConvertOptions[] = {
    {"--to", kText, "cute, cute_tv, linear, axe, lego, relation, table or mlir"},
    kReadAsSuits,
    kReadShape};

constexpr Option kRelayoutOptions[] = {
    {"file", kPath, "The tensor: .npy, .npz, .safetensors, or raw bytes", "", nullptr, true},
    {"--to", kText, "The layout of the new file: element to place"},
    {"--from", kText, "The layout of the tensor; by default how it lies in its file"},
    {"-o,--output", kPath, "The file to write: .npy, .safetensors, or raw bytes"},
    {"--in-place", kFlag, "Move within the file, .npy or raw bytes, instead of writing another"},
    {"--recipe", kText, "A repacking by name, instead of --from and --to: heddle help recipes"},
    {"--size", kList, "A size in the layouts by its name, as C=64", "", "NAME=INT"},
    {"--tensor", kText, "The name of the tensor in a file of several"},
    {"--bits", kNumber, "The width of an element; by default that of the tensor's type"},
    {"--shape", kText, "The shape that the new file states, as 128,64; by default one extent"},
    {"--threads", kNumber, "How many threads move; by default as many as there are cores"},
    kReadAsSuits};

constexpr Option kReshardOptions[] = {
    {"checkpoint", kList,
     "Files of safetensors, one a device, in the order of the devices; a pattern, as "
     "'model-*.safetensors', or a folder",
     "", "CHECKPOINT", true},
    {"--from", kText,
     "The sharding of the checkpoint, or a file of lines PATTERN: SPEC; by default each tensor is "
     "whole, on device 0"},
    {"--from-mesh", kText, "The mesh of the specs of --from that say none"},
    {"--to", kText, "The new sharding, likewise"},
    {"--to-mesh", kText, "The mesh of the specs of --to that say none"},
    {"-o,--output", kPath,
     "The folder to write, a file a device; for one device also a file, .safetensors"},
    {"--dry-run", kFlag, "Only the plans: what would be moved, and the least that has to be"},
    {"--resume", kFlag, "Go on with what an earlier run has left in OUTPUT.partial"},
    {"--verify", kFlag, "Read what was written back from the disk, and verify its checksums"},
    {"--bandwidth", kList, "The bytes a second of links along an axis of a mesh, as x=900e9", "",
     "AXIS=NUMBER"},
    {"--bandwidth-mesh", kText,
     "The mesh of all devices that has these axes; by default --to-mesh or --from-mesh, "
     "whichever has them"}};

constexpr Option kKernelOptions[] = {
    {"action", kText, "compile, explain, run, check or tune", "", nullptr, true},
    {"file", kPath, "The file with the kernel", "", nullptr, true},
    {"name", kText,
     "The kernel's name; without it all kernels of the file are compiled, explained, checked"},
    {"arguments", kList, "For run: a .npy file or a number for each parameter that is read", "",
     "ARGUMENT"},
    {"--target", kText,
     "cuda (by default), opencl (by default of check) or cpu (which tune is for); cpu:zen4 and "
     "cpu:host say the CPU"},
    {"--emit", kText,
     "What compile writes: source, header (for C and C++, with a launcher for GPUs) or binary; by "
     "default what the file's name ends in: .h, or .so and .fatbin, else source"},
    {"--lines", kFlag, "Put #line into the source, so that tools show the kernel's file"},
    {"--arch", kList, "For cuda's binary: an architecture, sm_80 by default; several make a fatbin",
     "", "NAME"},
    {"-o,--output", kList,
     "The file to write: of compile what it emits, of run each result, in order, of tune the "
     "kernel",
     "", "PATH"},
    {"--seconds", kText, "For how long tune tries what is open", "30"},
    {"--checker", kFlag,
     "For check: run the kernel's CUDA on this CPU, and watch its accesses, copies and barriers"},
    {"--source", kPath, "For check --checker: CUDA of the same kernel, instead of what is emitted"},
    {"--mutants", kFlag,
     "For check --checker: drop each barrier, wait and copy, and say whether that is noticed"},
    {"--size,--sizes", kList, "A size by its name, as M=64, or several, as M=64,N=128", "",
     "NAME=INT"}};

constexpr Option kShowOptions[] = {kReadAsSuits, kReadShape};

constexpr Option kCompareOptions[] = {kReadLiterally, kReadShape, kPicture, kColor};

constexpr Option kBatchOptions[] = {{"file", kText, "The file; standard input by default", "-"}};

constexpr Option kDiagnoseOptions[] = {
    {"file", kText, "The output; standard input by default", "-"}};

constexpr Option kLayoutsOptions[] = {
    {"file", kText, "The dump; standard input by default", "-"},
    {"--draw", kFlag, "Draw each layout: who holds which element"}};

constexpr Option kExploreOptions[] = {
    {"--static", kPath, "Write a folder that any web server can hold, and serve nothing"},
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
    Command{"explore", "Layouts in the browser", "[LAYOUT…]", Takes::kExpressions, kExploreOptions,
            explore_command},
    Command{"explain", "Explain a result step by step", "EXPR", Takes::kExpressions,
            kExplainOptions, explain_command},
    Command{"index", "The index expression of a layout", "LAYOUT [COORDINATE…]",
            Takes::kExpressions, kIndexOptions, index_command},
    Command{"instantiate", "A template filled with index expressions", "TEMPLATE [LAYOUTS…]",
            Takes::kOther, kInstantiateOptions, instantiate_command},
    Command{"emit", "A layout as functions of a program", "LAYOUT [NAME…]", Takes::kExpressions,
            kEmitOptions, emit_command},
    Command{"loops", "Loops over the points of a layout, a relation or a set", "LAYOUT | SET",
            Takes::kExpressions, kLoopsOptions, loops_command},
    Command{"relation", "A layout as an integer set relation", "LAYOUT", Takes::kExpressions,
            kRelationOptions, relation_command},
    Command{"prove", "Whether a claim about layouts holds, and what shows it", "CLAIM",
            Takes::kExpressions, kProveOptions, prove_command},
    Command{"recover", "What layout is this, in every system's notation?",
            "TABLE.npy | FILE | - | '[[0,1],[2,3]]' | LAYOUT", Takes::kExpressions, kRecoverOptions,
            recover_command},
    Command{"banks", "Bank conflicts of an access", "ACCESS [SHARED] --bits N", Takes::kExpressions,
            kBanksOptions, banks_command},
    Command{"tma", "The tensor map and the instructions of a copy to shared memory",
            "GLOBAL SHARED --bits N", Takes::kExpressions, kTmaOptions, tma_command},
    Command{"swizzle", "The best swizzle for accesses", "LAYOUT ACCESS… | SRC DST --bits N",
            Takes::kExpressions, kSwizzleOptions, swizzle_command},
    Command{"coalescing", "Traffic of an access to global memory", "ACCESS [MEMORY] --bits N",
            Takes::kExpressions, kCoalescingOptions, coalescing_command},
    Command{"convert", "A layout in another system's notation", "--to SYSTEM LAYOUT",
            Takes::kExpressions, kConvertOptions, convert_command},
    Command{"relayout", "A tensor in a file, moved to another layout", "FILE --to LAYOUT -o FILE",
            Takes::kOther, kRelayoutOptions, relayout_command},
    Command{"reshard", "A checkpoint, one file a device, for other devices",
            "CHECKPOINT… --from SPEC --to SPEC -o OUTPUT", Takes::kOther, kReshardOptions,
            reshard_command},
    Command{"kernel", "A kernel compiled, explained or run", "ACTION FILE [NAME] [ARGUMENT…]",
            Takes::kOther, kKernelOptions, kernel_command},
    Command{"show", "A layout in every notation", "LAYOUT", Takes::kExpressions, kShowOptions,
            show_command},
    Command{"compare", "Where two layouts of any systems differ", "A B", Takes::kExpressions,
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
