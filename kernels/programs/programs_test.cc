// Random kernels on every back end, beside what they mean: copies bit by bit with unique ids as
// data, integers exactly, floats within a few units in the last place.

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "back_end.h"
#include "heddle/notation/kernel.h"
#include "programs.h"

namespace heddle::kernels {
namespace {

using kernel::Array;

class Programs : public testing::TestWithParam<kernel::Target> {
 protected:
  // Runs all of them; those that the back end refuses are counted.
  void expect_the_meaning(const std::vector<Program>& programs, Random& random) {
    BackEnd back_end(GetParam());
    std::vector<std::pair<kernel::Kernel, const Program*>> kernels;
    std::map<std::string, int> refused;
    for (const Program& program : programs) {
      const auto parsed = notation::parse_kernels(program.text);
      ASSERT_TRUE(parsed.has_value()) << parsed.error().to_string(program.text) << program.text;
      kernel::Kernel kernel = parsed->front();
      kernel.name = "k" + std::to_string(kernels.size());
      const auto added = back_end.add(kernel);
      if (!added) {
        ++refused[added.error().code()];
        ++outcomes_[program.forced].refused;
        const bool is_forced = added.error().code() == "kernel.schedule" && !program.forced.empty();
        const bool is_known =
            added.error().code() == "kernel.not_lowered" || added.error().code() == "kernel.shared";
        EXPECT_TRUE(is_forced || is_known) << added.error() << program.text;
        continue;
      }
      ++outcomes_[program.forced].taken;
      kernels.emplace_back(std::move(kernel), &program);
    }
    for (const auto& [code, count] : refused) {
      std::printf("%d of %zu refused: %s\n", count, programs.size(), code.c_str());
    }
    if (programs.front().forced.empty()) {
      EXPECT_GT(kernels.size() * 4, programs.size() * 3);
    }
    const std::string folder = std::string(HEDDLE_PROGRAMS_BINARY) + "/" +
                               testing::UnitTest::GetInstance()->current_test_info()->name();
    std::filesystem::create_directories(folder);
    try {
      back_end.compile(folder);
    } catch (const DeviceMissing& missing) {
      GTEST_SKIP() << missing.what();
    }
    int wrong = 0;
    for (const auto& [kernel, program] : kernels) {
      const std::vector<Array> arguments = data_for(kernel, program->sizes, random);
      const auto wanted = run(kernel, arguments, {program->sizes});
      ASSERT_TRUE(wanted.has_value()) << wanted.error() << program->text;
      const std::string text =
          wrong_result(back_end, kernel, arguments, program->sizes, *wanted, program->tolerance);
      if (text.empty() || ++wrong > 5) continue;
      ADD_FAILURE() << kernel.name << ", " << text << "\n" << program->text << folder;
    }
  }

  // How often what is forced was taken, and refused.
  struct Outcomes {
    int taken = 0;
    int refused = 0;
  };
  std::map<std::string, Outcomes> outcomes_;
};

// --- generators ----------------------------------------------------------------------------------

// A tile of a tensor copied to shared memory or registers, perhaps through another one, perhaps
// permuted, by some of the threads, and back.
Program random_copy(Random& random) {
  static const std::vector<std::string> kTypes = {
      "f32", "f16", "bf16", "e4m3", "e5m2", "f64", "i32", "i8", "u16", "i64", "u8", "bool", "u32"};
  const std::string type = random.one_of(kTypes);
  const auto rank = static_cast<std::size_t>(random.from(1, 3));
  const std::int64_t threads = random.one_of(std::vector<std::int64_t>{1, 32, 64, 96, 128});
  const std::vector<std::string> names = {"M", "N", "K"};
  Program program;
  std::vector<std::string> shape;
  std::vector<std::string> tile;
  std::vector<std::string> slices;
  std::string assumed;
  std::vector<std::int64_t> tiles;
  for (std::size_t d = 0; d != rank; ++d) {
    tiles.push_back(random.one_of(std::vector<std::int64_t>{1, 3, 4, 8, 16, 12}));
    const std::int64_t divisor = random.one_of(std::vector<std::int64_t>{1, 4, 8, 16});
    const std::int64_t size = divisor * random.from(1, 5);
    shape.push_back(names[d]);
    if (divisor > 1) {
      assumed += (assumed.empty() ? "  assume " : ", ") + names[d] + " % " +
                 std::to_string(divisor) + " == 0";
    }
    program.sizes[names[d]] = size;
    tile.push_back(std::to_string(tiles.back()));
    const bool is_first = d == 0;
    const std::string begin = is_first ? tile.back() + "*bx" : std::to_string(random.from(0, 1));
    slices.push_back(begin + " : +" + tile.back());
  }
  const std::string grid = "(M + " + std::to_string(tiles[0] - 1) + ") // " + tile[0];
  std::string body;
  const bool is_shared = random.coin();
  const std::string layout =
      is_shared && rank == 1 && random.coin() ? " = (" + tile[0] + "):(" + "2)" : "";
  body += std::string(is_shared ? "  shared" : "  reg") + " X: " + type + "[" + joined(tile) + "]" +
          layout + "\n";
  body += "  copy(X, A[" + joined(slices) + "]" +
          random.one_of(std::vector<std::string>{"", "", ", pad=3", ", pad=300", ", pad=-1.5"}) +
          ")\n";
  std::string last = "X";
  if (random.coin()) {
    body += std::string(random.coin() ? "  shared" : "  reg") + " Y: " + type + "[" + joined(tile) +
            "]\n  copy(Y, X)\n";
    last = "Y";
  }
  if (rank == 2 && random.coin()) {
    body += std::string(random.coin() ? "  shared" : "  reg") + " Z: " + type + "[" + tile[1] +
            "," + tile[0] + "]\n  copy(Z, " + last + ".T)\n";
    last = "Z.T";
  }
  body += "  copy(B[" + joined(slices) + "], " + last + ")\n";
  // One of the scopes that do the whole together.
  if (threads >= 64 && random.from(0, 3) == 0 && body.find("shared") == std::string::npos) {
    body = "  warp[0:1] {\n" + body + "  } else {\n  }\n";
  }
  program.text = "kernel copies(A: " + type + "[" + joined(shape) + "], B: " + type + "[" +
                 joined(shape) + "])\n" + assumed + "\n  launch cta " + grid + ", threads " +
                 std::to_string(threads) + "\n{\n" + body + "}\n";
  return program;
}

// Instructions for elements of 8 to 64 bits, of several widths, alignments and layouts, between all
// memories, with and without texts.
constexpr std::string_view kInstructions = R"(
instruction two_bytes(D: b8[2], S: b8[2]) for copy aligned 2
instruction four_bytes(D: b8[4], S: b8[4]) for copy aligned 1
instruction eight_halves(D: b16[8], S: b16[8]) for copy aligned 16
instruction three_words(D: b32[3], S: b32[3]) for copy aligned 4
instruction four_words(D: b32[4], S: b32[4]) for copy aligned 16
instruction two_rows(D: b32[2,4] = S[(2,4):(4@m,1@m)], S: b32[2,4] = S[(2,4):(4@m,1@m)]) for copy
  aligned 8
instruction load_words(D: b32[2] reg, S: b32[2] global) for copy
  aligned 8
  cuda "{D[0]} = {S[0]}; {D[1]} = {S[1]};"
  opencl "for (int i = 1; i >= 0; --i) {{ {D}[i] = {S}[i]; }}"
instruction store_halves(D: b16[2] global, S: b16[2] reg) for copy
  aligned 4
  cuda "*(unsigned*){D} = *(const unsigned*){S};"
  opencl "{D[1]} = {S[1]}; {D[0]} = {S[0]};"
instruction one_byte(D: b8[1] shared, S: b8[1] global) for copy
  opencl "*{D} = *{S};"
instruction two_longs(D: b64[2], S: b64[2]) for copy aligned 8
)";
const std::vector<std::pair<std::string, int>> kInstructionBits = {
    {"two_bytes", 8},   {"four_bytes", 8}, {"eight_halves", 16}, {"three_words", 32},
    {"four_words", 32}, {"two_rows", 32},  {"load_words", 32},   {"store_halves", 16},
    {"one_byte", 8},    {"two_longs", 64}, {"vector", 0},        {"element", 0}};

// A tile that is copied through two tensors and back, one of the copies by a forced instruction: of
// elements, extents and offsets that mostly fit it.
Program random_instruction(Random& random) {
  const auto& [name, bits] = random.one_of(kInstructionBits);
  const std::map<int, std::vector<std::string>> types = {{8, {"i8", "u8", "e4m3"}},
                                                         {16, {"f16", "bf16", "u16"}},
                                                         {32, {"f32", "i32", "u32"}},
                                                         {64, {"f64", "i64"}},
                                                         {0, {"f32", "f16", "i8"}}};
  const bool fits = bits == 0 || random.from(0, 9) != 0;
  const std::string type = random.one_of(types.at(fits ? bits : 64));
  const std::int64_t rows = random.one_of(std::vector<std::int64_t>{8, 16, 32});
  const std::int64_t columns =
      name == "two_rows" ? 4 : random.one_of(std::vector<std::int64_t>{12, 8, 16, 32});
  const bool is_whole = random.coin();
  Program program;
  program.forced = name;
  program.sizes["M"] = rows * random.from(1, 3) - (random.coin() ? 0 : 1);
  if (!is_whole)
    program.sizes["N"] =
        columns * random.from(1, 3) + random.one_of(std::vector<std::int64_t>{0, 0, 8});
  const std::string r = std::to_string(rows);
  const std::string c = std::to_string(columns);
  const std::string begin = std::to_string(random.one_of(std::vector<std::int64_t>{0, 0, 0, 4, 1}));
  const std::string shape = is_whole ? "[M," + c + "]" : "[M,N]";
  const std::string tile =
      "[" + r + "*bx : +" + r + ", " + (is_whole ? ":" : begin + " : +" + c) + "]";
  const std::vector<std::string> copies = {"copy(X, A" + tile + ", pad=3)", "copy(Y, X)",
                                           "copy(B" + tile + ", Y)"};
  const std::int64_t forced = random.from(0, 2);
  std::string body;
  for (const char* tensor : {"X", "Y"}) {
    body += std::string(random.coin() ? "  shared " : "  reg ") + tensor + ": " + type + "[" + r +
            "," + c + "]\n";
  }
  for (std::int64_t i = 0; i != 3; ++i) {
    body +=
        "  " + copies[static_cast<std::size_t>(i)] + (i == forced ? " using " + name : "") + "\n";
  }
  program.text = std::string(kInstructions) + "kernel copies(A: " + type + shape + ", B: " + type +
                 shape + ")\n" + (is_whole ? "" : "  assume N % 4 == 0\n") + "  launch cta (M + " +
                 std::to_string(rows - 1) + ") // " + r + ", threads " +
                 random.one_of(std::vector<std::string>{"32", "32", "64"}) + "\n{\n" + body + "}\n";
  return program;
}

// Registers of a thread on its own: parts of them that run-time integers tell, by vectors and by
// instructions.
Program random_registers(Random& random) {
  const std::string type = random.one_of(std::vector<std::string>{"f32", "i32", "u32"});
  const std::int64_t columns = random.one_of(std::vector<std::int64_t>{8, 16, 32});
  const std::int64_t width = random.one_of(std::vector<std::int64_t>{1, 2, 4});
  const std::string c = std::to_string(columns);
  const std::string w = std::to_string(width);
  const bool is_one = random.from(0, 3) == 0;
  const std::string row = is_one ? "0" : "tx";
  const auto place = [&]() -> std::string {
    const std::string number = std::to_string(random.from(0, columns / width - 1));
    return random.one_of(std::vector<std::string>{w + "*j", w + "*m", "m", number + "*" + w, "3"});
  };
  const auto part = [&](const std::string& of) { return of + place() + " : +" + w + "]"; };
  const std::string memory = "A[" + row + ", ";
  std::string body = "  reg x: " + type + "[" + c + "]\n  copy(x, A[" + row + "])" +
                     random.one_of(std::vector<std::string>{"", " using load_words"}) + "\n";
  // Indices from memory have to be inside.
  const std::string parts = std::to_string(columns / width);
  body += "  let i = I[" + row + "]\n  let m = i % " + parts + "\n  for j in " + parts + " {\n";
  for (std::int64_t i = random.from(1, 4); i != 0; --i) {
    const std::string source =
        random.one_of(std::vector<std::string>{part("x["), part("x["), part(memory)});
    switch (random.from(0, 4)) {
      case 0:
        body += "    copy(" + part("x[") + ", " + source + ", pad=3)" +
                (width % 2 == 0 && random.coin() ? " using vector" : "") + "\n";
        break;
      case 1:
        body += "    x[" + place() + "] = x[" + place() + "] + j\n";
        break;
      case 2:
        body += "    " + part("x[") + " = " + source + " * 2 + x[m]\n";
        break;
      case 3:
        body += "    x = max(x, x[" + place() + "])\n";
        break;
      default:
        body += "    copy(" + part("B[" + row + ", ") + ", " + part("x[") + ")\n";
    }
  }
  body += "  }\n  copy(B[" + row + "], x)\n";
  std::string threads = "64";
  if (is_one && random.coin()) {
    threads = "1";
  } else {
    body = std::string(is_one ? "  elect {\n" : "  thread {\n") + body + "  }\n";
  }
  Program program;
  program.forced = body.find("using") == std::string::npos ? "" : "vectors and instructions";
  program.text = std::string(kInstructions) + "kernel registers(A: " + type + "[64," + c +
                 "], B: " + type + "[64," + c + "], I: i32[64])\n  launch cta 1, threads " +
                 threads + "\n{\n" + body + "}\n";
  return program;
}

// A function of elements of registers, or of memory, that an instruction may do.
constexpr std::string_view kFunctions = R"(
instruction add_words(D: i32[4] reg, A: i32[4] reg, B: i32[4] reg) for +
  aligned 16
  cuda "for (int i = 3; i >= 0; --i) {{ {D}[i] = {A}[i] + {B}[i]; }}"
  opencl "for (int i = 3; i >= 0; --i) {{ {D}[i] = {A}[i] + {B}[i]; }}"
instruction subtract_words(D: i32[2] reg, A: i32[2] reg, B: i32[2] shared) for -
  cuda "{D[0]} = {A[0]} - {B[0]}; {D[1]} = {A[1]} - {B[1]};"
  opencl "{D[0]} = {A[0]} - {B[0]}; {D[1]} = {A[1]} - {B[1]};"
instruction greatest(D: i32[2] global = S[(2):(1@m)], A: i32[2] reg, B: i32[2] reg) for max
  cuda "{D[0]} = max({A[0]}, {B[0]}); {D[1]} = max({A[1]}, {B[1]});"
  opencl "{D[0]} = max({A[0]}, {B[0]}); {D[1]} = max({A[1]}, {B[1]});"
instruction negate_word(D: i32[1] reg, A: i32[1] reg) for -
  cuda "*{D} = -*{A};"
  opencl "{D[0]} = -{A[0]};"
)";

Program random_function(Random& random) {
  const std::string rows = random.one_of(std::vector<std::string>{"8", "16"});
  const std::string columns = random.one_of(std::vector<std::string>{"4", "16", "12"});
  const std::string shape = "i32[" + rows + "," + columns + "]";
  const auto one = [&] { return random.one_of(std::vector<std::string>{"X", "Y", "S", "X", "T"}); };
  std::string body = "  reg X: " + shape + "\n  reg Y: " + shape + "\n  shared S: " + shape +
                     "\n  reg T: " + shape + " = S[(" + rows + "," + columns +
                     "):(1@tx,1@m)]\n  copy(X, A)\n  Y = X * 3\n  S = X - 7\n  T = S\n";
  for (std::int64_t i = random.from(2, 5); i != 0; --i) {
    const std::string a = one();
    const std::string b = random.from(0, 5) == 0 ? "5" : one();
    const std::string to = random.one_of(std::vector<std::string>{"X", "Y", "T", "B", "S"});
    body += "  " + to + " = " +
            random.one_of(std::vector<std::string>{a + " + " + b, a + " - " + b,
                                                   "max(" + a + ", " + b + ")", "-" + a}) +
            "\n";
  }
  Program program;
  program.text = std::string(kFunctions) + "kernel functions(A: " + shape + ", B: " + shape +
                 ")\n  launch cta 1, threads " +
                 random.one_of(std::vector<std::string>{"16", "32", "64"}) + "\n{\n" + body +
                 "  B = X + Y\n  B = B + T\n}\n";
  return program;
}

// An expression of the given operands, of floats or of integers.
std::string random_expression(Random& random, const std::vector<std::string>& operands,
                              bool is_float, int depth) {
  const auto operand = [&] { return random_expression(random, operands, is_float, depth - 1); };
  if (depth == 0 || random.from(0, 5) == 0) {
    if (random.from(0, 3) == 0) return is_float ? "1.5" : std::to_string(random.from(-5, 5));
    return random.one_of(operands);
  }
  switch (random.from(0, is_float ? 9 : 7)) {
    case 0:
      return "(" + operand() + " + " + operand() + ")";
    case 1:
      return "(" + operand() + " - " + operand() + ")";
    case 2:
      return "(" + operand() + " * " + operand() + ")";
    case 3:
      return "min(" + operand() + ", " + operand() + ")";
    case 4:
      return "max(" + operand() + ", " + operand() + ")";
    case 5:
      return "(" + operand() + " if " + operand() + " < " + operand() + " else " + operand() + ")";
    case 6:
      return "abs(" + operand() + ")";
    case 7:
      return is_float ? "floor(" + operand() + ")"
                      : "(" + operand() + (random.coin() ? " // " : " % ") +
                            std::to_string(random.from(1, 7)) + ")";
    case 8:
      return "exp(-abs(" + operand() + "))";
    default:
      return "sqrt(abs(" + operand() + "))";
  }
}

// D = an expression of tensors in global memory, shared memory and registers, with broadcasts.
Program random_elementwise(Random& random) {
  const bool is_float = random.coin();
  const std::string type =
      is_float ? random.one_of(std::vector<std::string>{"f32", "f16", "bf16"})
               : random.one_of(std::vector<std::string>{"i32", "i16", "u8", "u32", "i64", "u64"});
  const std::int64_t threads = random.one_of(std::vector<std::int64_t>{1, 32, 64, 128});
  const std::int64_t rows = random.from(1, 9);
  const std::int64_t columns = random.one_of(std::vector<std::int64_t>{1, 4, 16, 33, 64});
  const std::string r = std::to_string(rows);
  const std::string c = std::to_string(columns);
  Program program;
  program.tolerance = is_float ? (type == "f32" ? 1e-5 : 2e-2) : 0;
  program.sizes["M"] = rows * random.from(1, 3);
  const std::string space = random.coin() ? "reg" : "shared";
  std::string body = "  " + space + " X: " + type + "[" + r + "," + c + "]\n";
  body += "  copy(X, A[" + r + "*bx : +" + r + ", :])\n";
  body += std::string(random.coin() ? "  reg" : "  shared") + " V: " + type + "[" + c + "]\n";
  body += "  copy(V, W)\n";
  const std::vector<std::string> operands = {
      "X", "V", "X", "V[None, :]", "A[" + r + "*bx : +" + r + ", :]", "W"};
  const std::string expression = random_expression(random, operands, is_float, 3);
  if (random.coin()) {
    body += std::string(random.coin() ? "  reg" : "  shared") + " Y: " + type + "[" + r + "," + c +
            "]\n  Y = " + expression + "\n  B[" + r + "*bx : +" + r + ", :] = Y\n";
  } else {
    body += "  B[" + r + "*bx : +" + r + ", :] = " + expression + "\n";
  }
  program.text = "kernel elementwise(A: " + type + "[M," + c + "], W: " + type + "[" + c +
                 "], B: " + type + "[M," + c + "])\n  assume M % " + r +
                 " == 0\n  launch cta M // " + r + ", threads " + std::to_string(threads) +
                 "\n{\n" + body + "}\n";
  return program;
}

// A reduction of a tile along some of its dimensions.
Program random_reduction(Random& random) {
  const bool is_float = random.coin();
  const std::string type = is_float ? random.one_of(std::vector<std::string>{"f32", "f16"})
                                    : random.one_of(std::vector<std::string>{"i32", "u8", "i64"});
  const std::string op = random.one_of(
      is_float ? std::vector<std::string>{"sum", "max", "min", "argmax", "argmin"}
               : std::vector<std::string>{"sum", "max", "min", "argmax", "argmin", "prod"});
  const bool is_position = op[0] == 'a';
  const std::int64_t threads = random.one_of(std::vector<std::int64_t>{1, 32, 64, 128, 96});
  std::vector<std::string> tile;
  std::vector<std::string> kept;
  std::vector<std::string> axes;
  const auto rank = static_cast<std::size_t>(random.from(1, 3));
  const auto reduced = static_cast<std::size_t>(random.from(0, static_cast<int>(rank) - 1));
  for (std::size_t d = 0; d != rank; ++d) {
    tile.push_back(std::to_string(random.one_of(std::vector<std::int64_t>{1, 2, 5, 8, 16, 40})));
    const bool is_reduced = d == reduced || (!is_position && random.from(0, 3) == 0);
    (is_reduced ? axes : kept).push_back(is_reduced ? std::to_string(d) : tile.back());
  }
  // The destination may be wider.
  const std::string wide = is_float ? "f32" : "i64";
  const std::string result = is_position ? "i32" : random.coin() ? wide : type;
  Program program;
  program.tolerance = is_float && !is_position ? (type == "f32" ? 1e-5 : 1e-2) : 0;
  std::string body;
  std::string source = "A";
  if (random.coin()) {
    body += std::string(random.coin() ? "  reg" : "  shared") + " X: " + type + "[" + joined(tile) +
            "]\n  copy(X, A)\n";
    source = "X";
  }
  const bool accumulates = !is_position && random.coin();
  std::string target = "B";
  if (random.coin()) {
    target = "Y";
    body += std::string(random.coin() ? "  reg" : "  shared") + " Y: " + result + "[" +
            joined(kept) + "]\n  copy(Y, B)\n";
  }
  // Truth values are counted.
  if (!is_position && random.from(0, 3) == 0) source += " > 2";
  body += "  reduce(" + target + ", " + source + ", op=\"" + op + "\", axis=[" + joined(axes) +
          "]" + (accumulates ? ", accum=true" : "") + ")\n";
  if (target == "Y") body += "  copy(B, Y)\n";
  program.text = "kernel reduces(A: " + type + "[" + joined(tile) + "], B: " + result + "[" +
                 joined(kept) + "])\n  launch cta 1, threads " + std::to_string(threads) + "\n{\n" +
                 body + "}\n";
  return program;
}

// C += A @ B of small integers, all transposes, with tails.
Program random_gemm(Random& random) {
  const std::string type = random.one_of(std::vector<std::string>{"f32", "f16", "i32", "i8"});
  const std::string sum = type[0] == 'f' ? "f32" : "i32";
  const auto some = [&] {
    return std::to_string(random.one_of(std::vector<std::int64_t>{1, 4, 8, 13, 16}));
  };
  const std::string m = some();
  const std::string n = some();
  const std::string k = some();
  const bool a_transposed = random.coin();
  const bool b_transposed = random.coin();
  Program program;
  program.tolerance = type[0] == 'f' ? 1e-5 : 0;
  const std::string threads = random.one_of(std::vector<std::string>{"1", "32", "64", "128"});
  const std::string a_shape = a_transposed ? k + "," + m : m + "," + k;
  const std::string b_shape = b_transposed ? n + "," + k : k + "," + n;
  std::string body;
  std::string a = "A";
  if (random.coin()) {
    body += std::string(random.coin() ? "  shared" : "  reg") + " As: " + type + "[" + a_shape +
            "]\n  copy(As, A)\n";
    a = "As";
  }
  if (a_transposed) a += ".T";
  const std::string b = b_transposed ? "B.T" : "B";
  const std::string options = random.one_of(
      std::vector<std::string>{"", ", alpha=2", ", accum=false", ", beta=3", ", alpha=2, beta=0"});
  if (random.coin()) {
    body += "  reg acc: " + sum + "[" + m + "," + n + "]\n  copy(acc, C)\n  gemm(acc, " + a + ", " +
            b + options + ")\n  copy(C, acc)\n";
  } else {
    body += "  gemm(C, " + a + ", " + b + options + ")\n";
  }
  program.text = "kernel product(A: " + type + "[" + a_shape + "], B: " + type + "[" + b_shape +
                 "], C: " + sum + "[" + m + "," + n + "])\n  launch cta 1, threads " + threads +
                 "\n{\n" + body + "}\n";
  return program;
}

// Tiles that are seen as elements of another type, on the way from one tensor to another, and
// perhaps changed there.
Program random_bits(Random& random) {
  static const std::vector<std::pair<std::string, int>> kTypes = {
      {"i4", 4},   {"u4", 4},   {"u8", 8},   {"i8", 8},    {"e5m2", 8},
      {"u16", 16}, {"i16", 16}, {"f16", 16}, {"bf16", 16}, {"u32", 32},
      {"i32", 32}, {"f32", 32}, {"i64", 64}, {"u64", 64},  {"f64", 64}};
  const auto& [type, bits] = random.one_of(kTypes);
  const auto& [seen, seen_bits] = random.one_of(kTypes);
  const std::int64_t columns = random.one_of(std::vector<std::int64_t>{16, 16, 48, 80});
  const std::string rows = std::to_string(random.one_of(std::vector<std::int64_t>{1, 3, 8}));
  const std::string shape = "," + std::to_string(columns) + "]";
  const std::string seen_shape = "," + std::to_string(columns * bits / seen_bits) + "]";
  const std::string cast = ".bits(" + seen + ")";
  const std::string tile = "[" + rows + "*bx : +" + rows + "]";
  const auto declared = [&](const std::string& name, bool is_seen) {
    return std::string(random.coin() ? "  shared " : "  reg ") + name + ": " +
           (is_seen ? seen : type) + "[" + rows + (is_seen ? seen_shape : shape) + "\n";
  };
  Program program;
  program.sizes["M"] = random.from(1, 20);
  std::string body;
  std::string last = "A" + cast + tile;
  if (random.coin()) {
    body += declared("X", false) + "  copy(X, A" + tile + ")\n";
    last = "X" + cast;
  }
  if (random.coin()) {
    body += declared("Y", true) + "  copy(Y, " + last + ")\n";
    last = "Y";
  }
  const bool is_integer = seen[0] == 'i' || seen[0] == 'u';
  if (is_integer && random.coin()) last += " + 1";
  const bool is_seen = random.coin();
  if (!is_seen && random.coin()) {
    // Registers are not written as wider elements.
    body += (seen_bits > bits ? "  shared Z: " + type + "[" + rows + shape + "\n"
                              : declared("Z", false)) +
            "  Z" + cast + " = " + last + "\n  copy(B" + tile + ", Z)\n";
  } else {
    body += "  B" + (is_seen ? "" : cast) + tile + " = " + last + "\n";
  }
  program.text = "kernel bits(A: " + type + "[M" + shape + ", B: " + (is_seen ? seen : type) +
                 "[M" + (is_seen ? seen_shape : shape) + ")\n  launch cta (M + " + rows +
                 " - 1) // " + rows + ", threads " +
                 random.one_of(std::vector<std::string>{"1", "32", "64", "128"}) + "\n{\n" + body +
                 "}\n";
  return program;
}

// The bits of a number of rows or columns, as dimensions of a reshape in groups: `2,4,2`.
std::vector<std::int64_t> bit_groups(Random& random, int bits) {
  std::vector<std::int64_t> extents;
  while (bits != 0) {
    const auto taken = static_cast<int>(random.from(1, bits));
    extents.push_back(std::int64_t{1} << taken);
    bits -= taken;
  }
  return extents;
}

// A tile whose rows and columns are powers of two, permuted bit by bit on the way to another
// tensor, or through shared memory whose bits are swizzled, perhaps past the end of the tensors.
Program random_rows(Random& random) {
  static const std::vector<std::string> kTypes = {"u8",  "i8",  "f16", "bf16", "u16",
                                                  "i32", "f32", "i64", "i4",   "u4"};
  const std::string type = random.one_of(kTypes);
  const bool is_packed = type.ends_with('4') && type.size() == 2;
  const auto row_bits = static_cast<int>(random.from(1, 5));
  const auto column_bits = static_cast<int>(random.from(is_packed ? 4 : 2, 7));
  const std::string rows = std::to_string(1 << row_bits);
  const std::string columns = std::to_string(1 << column_bits);
  const std::string from =
      "A[" + rows + "*bx : +" + rows + ", " + columns + "*by : +" + columns + "]";
  const std::string swizzle = "Sw<" + std::to_string(random.from(1, 3)) + "," +
                              std::to_string(random.from(0, 4)) + "," +
                              std::to_string(random.from(3, 5)) + "> o 0 o ";
  Program program;
  program.sizes = {{"M", (1 << row_bits) * random.from(1, 3)},
                   {"N", (1 << column_bits) * random.from(1, 3)}};
  if (!is_packed && random.from(0, 2) == 0) {
    // Tiles of shared memory, of which the last ones may be cut.
    if (random.coin()) program.sizes["M"] += random.from(0, 5);
    if (random.coin()) program.sizes["N"] += random.from(0, 5);
    const bool is_turned = random.coin();
    program.text =
        "kernel rows(A: " + type + "[M,N], B: " + type + (is_turned ? "[N,M]" : "[M,N]") +
        ")\n  launch cta ((M + " + rows + " - 1) // " + rows + ", (N + " + columns + " - 1) // " +
        columns + "), threads 64\n{\n  shared S: " + type + "[" + rows + "," + columns +
        "] = " + swizzle + "(" + rows + "," + columns + "):(" + columns + ",1)\n  copy(S, " + from +
        ")\n  copy(" +
        (is_turned
             ? "B[" + columns + "*by : +" + columns + ", " + rows + "*bx : +" + rows + "], S.T)"
             : "B" + from.substr(1) + ", S)") +
        "\n}\n";
    return program;
  }
  std::vector<std::int64_t> extents = bit_groups(random, row_bits);
  const std::vector<std::int64_t> of_columns = bit_groups(random, column_bits);
  extents.insert(extents.end(), of_columns.begin(), of_columns.end());
  std::vector<std::size_t> order(extents.size());
  for (std::size_t i = 0; i != order.size(); ++i) order[i] = i;
  for (std::size_t i = order.size(); i-- > 1;) {
    std::swap(order[i], order[static_cast<std::size_t>(random.from(0, static_cast<int>(i)))]);
  }
  std::vector<std::string> shape;
  std::vector<std::string> permuted;
  std::vector<std::string> numbers;
  for (std::size_t i = 0; i != order.size(); ++i) {
    shape.push_back(std::to_string(extents[i]));
    permuted.push_back(std::to_string(extents[order[i]]));
    numbers.push_back(std::to_string(order[i]));
  }
  const bool is_assumed = is_packed || random.from(0, 3) != 0;
  program.text = "kernel rows(A: " + type + "[M,N], B: " + type + "[M//" + rows + ",N//" + columns +
                 "," + joined(permuted) + "])\n" +
                 (is_assumed ? "  assume M % " + rows + " == 0, N % " + columns + " == 0\n"
                             : "  assume M >= " + rows + ", N >= " + columns + "\n") +
                 "  launch cta (M // " + rows + ", N // " + columns +
                 "), threads 64\n{\n  copy(B[bx,by], " + from + ".reshape(" + joined(shape) +
                 ").permute(" + joined(numbers) + "))\n}\n";
  return program;
}

std::vector<Program> drawn(Random& random, Program (*make)(Random&), std::size_t count) {
  std::vector<Program> programs;
  while (programs.size() != count) programs.push_back(make(random));
  return programs;
}

/// How many programs are run.
std::size_t run_count(kernel::Target target) {
  // PoCL takes long to compile.
  return static_cast<std::size_t>(case_count()) / (target == kernel::Target::kOpenCl ? 4 : 1);
}

/// The number of programs in which the ways that are taken are counted; they are only lowered.
constexpr std::size_t kCounted = 200;

std::vector<Program> many(kernel::Target target, Random& random, Program (*make)(Random&)) {
  return drawn(random, make, run_count(target));
}

}  // namespace

std::vector<Program> random_programs(Random& random, int of_each) {
  std::vector<Program> programs;
  for (Program (*make)(Random&) :
       {random_copy, random_rows, random_elementwise, random_reduction, random_gemm, random_bits}) {
    for (int i = 0; i != of_each; ++i) programs.push_back(make(random));
  }
  return programs;
}

namespace {

TEST_P(Programs, CopiesOfRandomViewsMoveEveryBit) {
  Random random(seed());
  expect_the_meaning(many(GetParam(), random, random_copy), random);
}

TEST_P(Programs, CopiesThatPermuteBitsOfPlacesMoveEveryBit) {
  // Packed elements, of which two are in a byte, are moved by rows alone.
  if (GetParam() != kernel::Target::kCpu) GTEST_SKIP() << "rows are those of CPUs";
  Random random(seed() + 14);
  std::vector<Program> programs = drawn(random, random_rows, kCounted);
  int by_rows = 0;
  for (const Program& program : programs) {
    const auto kernels = notation::parse_kernels(program.text);
    ASSERT_TRUE(kernels.has_value()) << kernels.error().to_string(program.text) << program.text;
    const auto lowered = lower(kernels->front(), options_for(GetParam()));
    by_rows += lowered && lowered->choices.back().candidates.front().schedule == "rows" ? 1 : 0;
  }
  std::printf("%d of %zu are done by rows\n", by_rows, programs.size());
  EXPECT_GT(by_rows * 2, std::ssize(programs));
  programs.resize(std::min(programs.size(), run_count(GetParam())));
  expect_the_meaning(programs, random);
}

// Tensors that fill the caches are written past them: 2^22 elements of 4 bytes.
TEST_P(Programs, RowsThatAreStreamedAreTheSame) {
  if (GetParam() != kernel::Target::kCpu) GTEST_SKIP() << "rows are those of CPUs";
  constexpr std::string_view kText =
      "kernel f(A: i32[M,N], B: i32[M//2,N,2]) assume M % 2 == 0, N % 64 == 0\n"
      "  launch cta M // 2, threads 64 { copy(B[bx], A[2*bx : +2].T) }\n"
      "kernel g(A: i32[M,N], B: i32[M,N]) assume N % 64 == 0\n"
      "  launch cta M, threads 64 { copy(B[bx], A[bx]) }\n";
  Random random(seed() + 15);
  std::vector<Program> programs;
  for (const std::string_view kernel :
       {kText.substr(0, kText.find("kernel g")), kText.substr(kText.find("kernel g"))}) {
    const auto lowered =
        lower(notation::parse_kernels(kernel).value().front(), options_for(GetParam())).value();
    EXPECT_NE(explanation(lowered).find("past the caches if 4194304 <= M*N"), std::string::npos);
    programs.push_back({std::string(kernel), {{"M", 1024}, {"N", 4096}}});
    programs.push_back({std::string(kernel), {{"M", 8}, {"N", 192}}});
  }
  expect_the_meaning(programs, random);
}

TEST_P(Programs, CopiesByInstructionsMoveEveryBit) {
  Random random(seed() + 5);
  std::vector<Program> programs = many(GetParam(), random, random_instruction);
  std::ranges::move(many(GetParam(), random, random_instruction), std::back_inserter(programs));
  expect_the_meaning(programs, random);
  for (const auto& [name, count] : outcomes_) {
    std::printf("%s: taken %d times, refused %d times\n", name.c_str(), count.taken, count.refused);
  }
  // OpenCL's compiler takes too long for enough of each; for CPUs the compiler makes the vectors.
  if (GetParam() != kernel::Target::kCuda || case_count() < 200) return;
  for (const auto& [name, bits] : kInstructionBits) {
    EXPECT_GT(outcomes_[name].taken, 0) << name;
    EXPECT_TRUE(name == "element" || outcomes_[name].refused > 0) << name;
  }
}

TEST_P(Programs, ScopesInScopesWaitForAllThreads) {
  const auto kernel_of = [](std::string_view body) {
    return Program{
        "kernel f(X: i32[256], Y: i32[256]) launch cta 1, threads 256 {\n  shared s: i32[256]\n  " +
            std::string(body) + "\n}\n",
        {}};
  };
  Random random(seed() + 10);
  expect_the_meaning(
      {kernel_of("warp { thread { s[tx] = X[tx]; Y[tx] = s[255 - tx] } }"),
       kernel_of("warpgroup { warp { thread { s[tx] = X[tx]; Y[tx] = s[255 - tx] } } }"),
       kernel_of(
           "for k in 3 { warp { thread { let n = X[tx]; s[tx] = n + k; Y[tx] = s[255 - tx] + n "
           "} } }"),
       kernel_of(
           "warp { reg r: i32[32]; copy(r, X[32*warpid : +32]); copy(s[224 - 32*warpid : +32], "
           "r); copy(Y[32*warpid : +32], s[32*warpid : +32]) }"),
       kernel_of("fill(s, 0); barrier(); thread { if laneid == 31 { s[tx - laneid] = X[tx] }; "
                 "Y[tx] = s[tx - "
                 "laneid] }"),
       kernel_of("fill(s, 0); barrier(); thread { if warpid == 7 { s[tx - 32*warpid] = X[tx] }; "
                 "Y[tx] = s[tx - "
                 "32*warpid] }"),
       kernel_of("thread { reg r: i32[]; s[tx] = 0; for k in 4 { r = s[(tx + 1) % 256]; s[tx] = r "
                 "+ X[tx] "
                 "}; Y[tx] = s[tx] }"),
       kernel_of(
           "fill(s, 0); elect { for j in 64 { let n = X[j]; s[j + n % 64] = s[j + n % 64] + 1 } "
           "}; copy(Y, s)")},
      random);
}

TEST_P(Programs, LoopsThatAllThreadsLeaveAlikeMayHaveBarriers) {
  const auto kernel_of = [](std::string_view body) {
    return Program{
        "kernel f(X: i32[64], n: u8[2], Y: i32[64]) launch cta 1, threads 64 {\n"
        "  shared s: i32[64]\n  fill(Y, 0)\n  thread {\n    reg r: i32[]\n    r = 1\n" +
            std::string(body) + "\n  }\n}\n",
        {}};
  };
  Random random(seed() + 12);
  expect_the_meaning(
      {kernel_of("for k in 300 { if n[0] <= k { break }; s[tx] = X[tx] + k; r = r + s[63 - tx] }\n"
                 "Y[tx] = r"),
       kernel_of("for k in 9 { s[tx] = X[tx] + k; r = r + s[63 - tx]; if n[1] % 8 == k { s[tx] = r;"
                 " r = s[tx - laneid] + 1; break } }; Y[tx] = r"),
       kernel_of("for k in 9 { if n[0] % 2 == k % 2 { r = r + 1; continue }; s[tx] = r + X[tx]\n"
                 "r = r + s[(tx + k) % 64] }; Y[tx] = r"),
       kernel_of("if n[0] < n[1] { s[tx] = X[tx]; r = s[63 - tx] } else { r = X[tx] }; Y[tx] = r")},
      random);
}

TEST_P(Programs, ClustersOfBlocksAreWhatTheyMean) {
  if (GetParam() != kernel::Target::kCuda) GTEST_SKIP() << "clusters are CUDA's";
  Random random(seed() + 13);
  expect_the_meaning(
      {{"kernel f(X: i32[6,128], Y: i32[6,128]) launch cta 6, cluster 2, threads 64 {\n"
        "  shared s: i32[128]\n  cluster {\n    cta[0] { copy(s, X[bx]) }\n"
        "    else { copy(s, X[bx - 1]) }\n    cta { Y[bx] = s + cbx }\n  }\n}\n",
        {}}},
      random);
}

TEST_P(Programs, AScheduleThatIsWrongIsNotWhatItMeans) {
  constexpr std::string_view kText =
      "schedule late for copy(D: f32[N], S: f32[N]) { copy(D[1 : N], S[1 : N]); fill(D[0], 0) }\n"
      "schedule right for copy(D: f32[N], S: f32[N]) { copy(D[0], S[0]); copy(D[1 : N], S[1 : N]) "
      "}\n"
      "kernel wrong(X: f32[64], Y: f32[64]) launch cta 1, threads 32 { copy(Y, X) using late }\n"
      "kernel same(X: f32[64], Y: f32[64]) launch cta 1, threads 32 { copy(Y, X) using right }\n";
  const auto kernels = notation::parse_kernels(kText);
  ASSERT_TRUE(kernels.has_value()) << kernels.error();
  BackEnd back_end(GetParam());
  for (const kernel::Kernel& kernel : *kernels) ASSERT_TRUE(back_end.add(kernel).has_value());
  const std::string folder = std::string(HEDDLE_PROGRAMS_BINARY) + "/Schedules";
  std::filesystem::create_directories(folder);
  try {
    back_end.compile(folder);
  } catch (const DeviceMissing& missing) {
    GTEST_SKIP() << missing.what();
  }
  Random random(seed() + 6);
  for (const kernel::Kernel& kernel : *kernels) {
    std::vector<Array> arguments = data_for(kernel, {}, random);
    arguments[0].elements[0] = encode(kernel::DType::kF32, kernel::Number(5.0));
    const auto wanted = run(kernel, arguments, {});
    ASSERT_TRUE(wanted.has_value()) << wanted.error();
    EXPECT_EQ(wrong_result(back_end, kernel, arguments, {}, *wanted, 0).empty(),
              kernel.name == "same");
  }
}

TEST_P(Programs, BitsThatAreSeenAsOtherTypesAreTheSameBits) {
  Random random(seed() + 7);
  expect_the_meaning(many(GetParam(), random, random_bits), random);
}

TEST_P(Programs, RegistersOfOneThreadAreWhatTheyMean) {
  Random random(seed() + 8);
  expect_the_meaning(many(GetParam(), random, random_registers), random);
  EXPECT_GT(outcomes_["vectors and instructions"].taken, 0);
}

TEST_P(Programs, FunctionsByInstructionsAreWhatTheyMean) {
  Random random(seed() + 9);
  std::vector<Program> programs = drawn(random, random_function, kCounted);
  std::map<std::string, int> taken;
  for (const Program& program : programs) {
    const auto kernels = notation::parse_kernels(program.text);
    ASSERT_TRUE(kernels.has_value()) << kernels.error().to_string(program.text);
    const auto lowered = lower(kernels->front(), options_for(GetParam()));
    ASSERT_TRUE(lowered.has_value()) << lowered.error() << program.text;
    for (const kernel::Choice& choice : lowered->choices) ++taken[choice.candidates[0].schedule];
  }
  for (const char* name : {"add_words", "subtract_words", "greatest", "negate_word"}) {
    std::printf("%s: taken %d times\n", name, taken[name]);
    EXPECT_TRUE(taken[name] > 0 || GetParam() != kernel::Target::kCuda) << name;
  }
  programs.resize(std::min(programs.size(), run_count(GetParam())));
  expect_the_meaning(programs, random);
}

TEST_P(Programs, ElementwiseExpressionsAreWhatTheyMean) {
  Random random(seed() + 1);
  expect_the_meaning(many(GetParam(), random, random_elementwise), random);
}

TEST_P(Programs, ReductionsAreWhatTheyMean) {
  Random random(seed() + 2);
  expect_the_meaning(many(GetParam(), random, random_reduction), random);
}

TEST_P(Programs, ProductsOfMatricesAreWhatTheyMean) {
  Random random(seed() + 3);
  expect_the_meaning(many(GetParam(), random, random_gemm), random);
}

INSTANTIATE_TEST_SUITE_P(Targets, Programs,
                         testing::Values(kernel::Target::kCuda, kernel::Target::kOpenCl,
                                         kernel::Target::kCpu),
                         device_name);

}  // namespace
}  // namespace heddle::kernels
