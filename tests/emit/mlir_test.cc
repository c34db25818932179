// MLIR, in builds with the component. Law: at every point of random layouts of every system the
// functions, run by MLIR's JIT, give what plain evaluation of the layout gives, and their inverses
// and guards do too. What is written round-trips, and lowers to PTX within a gpu.module.

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "emit/drawn_loops.h"
#include "emit/mlir_programs.h"
#include "emit/program.h"
#include "support/any_layout.h"
#include "support/shell.h"
#include "support/strings.h"

namespace heddle::emit {
namespace {

using test::contains;

constexpr const char* kNoTools = "MLIR is not run: there is no mlir-opt-19 (mlir-19-tools)";

bool has_tools() { return test::has_tool("mlir-opt-19") && test::has_tool("mlir-cpu-runner-19"); }

std::string mlir_text(std::string_view layout, const MlirOptions& options = {},
                      const std::string& name = "idx") {
  return map_text(test::layout_of_text(layout), {Dialect::kMlir, name, options}).value();
}

std::string text_of_relation(std::string_view relation, const MlirOptions& options = {}) {
  const map::AnyLayout layout = map::IntegerRelation::parse(std::string(relation)).value();
  return map_text(layout, {Dialect::kMlir, "idx", options}).value();
}

/// Writes the program, has it verified and lowered, and runs its @main, which is to give 0.
void expect_zero(const std::string& name, const std::string& program) {
  if (!has_tools()) GTEST_SKIP() << kNoTools;
  const test::ProgramFolder folder(name);
  folder.write("law.mlir", program);
  folder.expect_silent("mlir-opt-19 --verify-roundtrip law.mlir -o /dev/null");
  const auto [status, printed] =
      folder.run(std::string(kLowerToLlvm) + " law.mlir -o low.mlir && " + kRunMain + " low.mlir");
  EXPECT_EQ(printed.substr(0, 4000), "0\n");
  EXPECT_EQ(status, 0);
}

// The law.

class MlirLaw : public testing::TestWithParam<Source> {
 protected:
  static void expect_law(const MlirOptions& options) {
    const int count = std::max(1, test::property_count() / 100);
    const std::vector<DrawnFunction> functions = drawn_functions(GetParam(), count, Dialect::kMlir);
    expect_zero("mlir-" + GetParam().name, mlir_program(functions, options));
  }
};

TEST_P(MlirLaw, OnIndex) { expect_law({}); }
TEST_P(MlirLaw, OnIntegers) { expect_law({.integers = true, .gpu_module = ""}); }

INSTANTIATE_TEST_SUITE_P(Systems, MlirLaw, testing::ValuesIn(sources()),
                         [](const auto& instance) { return instance.param.name; });

// Texts.

TEST(Mlir, Golden) {
  const std::vector<std::pair<MlirOptions, std::string>> files = {
      {{}, "idx.mlir"},
      {{.integers = true, .gpu_module = ""}, "idx_integers.mlir"},
      {{.integers = false, .gpu_module = "kernels"}, "idx_gpu.mlir"},
  };
  for (const auto& [options, file] : files) {
    const std::string path = std::string(HEDDLE_SOURCE_DIR "/tests/emit/golden/") + file;
    const std::string text = mlir_text("Sw<1,1,1> o 4 o (3,(2,2)):(-2,(1,6))", options);
    if (std::getenv("HEDDLE_UPDATE_GOLDEN") != nullptr) std::ofstream(path) << text;
    EXPECT_EQ(text, test::contents(path)) << path;
  }
}

TEST(Mlir, AffineWhereQuasiAffineElseArith) {
  EXPECT_TRUE(contains(mlir_text("(4,8):(8,1)"),
                       "affine.apply affine_map<(d0, d1) -> (d0 * 8 + d1)>(%i, %j)"));
  const std::string swizzled = mlir_text("Sw<1,2,2> o 0 o (4,8):(8,1)");
  EXPECT_TRUE(contains(swizzled, "arith.xori")) << swizzled;
  EXPECT_TRUE(contains(swizzled, "arith.shrsi") || contains(swizzled, "arith.andi")) << swizzled;
  const std::string integers = mlir_text("(4,8):(8,1)", {.integers = true, .gpu_module = ""});
  EXPECT_TRUE(contains(integers, "func.func @idx(%i: i32, %j: i32) -> i32")) << integers;
  EXPECT_FALSE(contains(integers, "affine")) << integers;
}

TEST(Mlir, DivisionIsCutOffOnlyWhereProved) {
  // No coordinate is negative: one operation.
  const MlirOptions integers{.integers = true, .gpu_module = ""};
  EXPECT_TRUE(
      contains(text_of_relation("{ [c] -> [floor(c/3)] : 0 <= c < 9 }", integers), "arith.divui"));
  // Some are: a choice.
  const std::string text = text_of_relation("{ [c] -> [floor(c/3)] : -5 <= c < 9 }", integers);
  EXPECT_FALSE(contains(text, "arith.divui")) << text;
  EXPECT_TRUE(contains(text, "arith.remsi") && contains(text, "arith.select")) << text;
}

TEST(Mlir, SizesAreSymbols) {
  const std::string text = text_of_relation("[n] -> { [i] -> [i + n] : 0 <= i < n }");
  EXPECT_TRUE(contains(text, "affine_map<(d0)[s0] -> (d0 + s0)>(%i)[%n]")) << text;
}

TEST(Mlir, LoopsHaveNamesOfTheirOwn) {
  const std::string text = mlir_text("GroupBy([6,6]).OrderBy(GenP([6,6],antidiag))");
  EXPECT_TRUE(contains(text, "scf.while (%arg")) << text;
}

TEST(Mlir, SeveralPlacesAreSeveralResults) {
  const std::string text = mlir_text("S[(8,4):(4@laneid,1@warpid)]");
  EXPECT_TRUE(contains(text, "func.func @idx(%i: index, %j: index) -> (index, index)")) << text;
  EXPECT_FALSE(contains(text, "@idx_load")) << text;
  // Nor is there memory before its first element.
  EXPECT_FALSE(contains(text_of_relation("{ [c] -> [c - 3] : 0 <= c < 4 }"), "memref"));
}

TEST(Mlir, NamesThatValuesHaveAreLeftFree) {
  MapFunctionOptions options;
  options.coordinates = {"c8", "data"};
  const std::string text =
      map_text(test::layout_of_text("Sw<1,2,2> o 0 o (4,8):(8,1)"), {Dialect::kMlir, "f"}, options)
          .value();
  EXPECT_TRUE(contains(text, "%c8_: index, %data_: index")) << text;
}

TEST(Mlir, VectorsWhereContiguous) {
  EXPECT_TRUE(contains(mlir_text("(4,8):(8,1)"), "@idx_load4(%data: memref<?xf32>"));
  EXPECT_TRUE(contains(mlir_text("(8,4):(1,8)"), "from (i, j) on, i a multiple of 4"));
  EXPECT_TRUE(contains(mlir_text("(4,6):(6,1)"), "@idx_store2(%value: vector<2xf32>"));
  EXPECT_FALSE(contains(mlir_text("(4,8):(8,2)"), "vector"));
  EXPECT_FALSE(contains(mlir_text("(4,7):(7,1)"), "vector"));
  // Swizzles move runs, by trial.
  EXPECT_TRUE(contains(mlir_text("Sw<1,2,2> o 0 o (4,8):(8,1)"), "@idx_load4"));
  EXPECT_TRUE(contains(mlir_text("Sw<3,1,3> o 0 o (8,16):(16,1)"), "@idx_load2"));
  EXPECT_TRUE(contains(mlir_text("GroupBy([4,4]).OrderBy(Col(4,4))"), "i a multiple of 4"));
  EXPECT_FALSE(contains(mlir_text("Sw<1,0,3> o 0 o (4,8):(8,1)"), "vector"));
}

TEST(Mlir, MemoryIsReadAndWrittenInPlace) {
  expect_zero("mlir-memory", mlir_text("(4,8):(8,1)", {}, "f") + R"(
func.func @main() -> i32 {
  %memory = memref.alloca() : memref<32xf32>
  %data = memref.cast %memory : memref<32xf32> to memref<?xf32>
  %i = arith.constant 3 : index
  %j = arith.constant 5 : index
  %begin = arith.constant 4 : index
  %place = arith.constant 29 : index
  %value = arith.constant 1.5 : f32
  func.call @f_store(%value, %data, %i, %j) : (f32, memref<?xf32>, index, index) -> ()
  %direct = memref.load %memory[%place] : memref<32xf32>
  %loaded = func.call @f_load(%data, %i, %j) : (memref<?xf32>, index, index) -> f32
  %row = func.call @f_load4(%data, %i, %begin) : (memref<?xf32>, index, index) -> vector<4xf32>
  func.call @f_store4(%row, %data, %i, %begin)
    : (vector<4xf32>, memref<?xf32>, index, index) -> ()
  %second = vector.extract %row[1] : f32 from vector<4xf32>
  %a = arith.cmpf une, %direct, %value : f32
  %b = arith.cmpf une, %loaded, %value : f32
  %c = arith.cmpf une, %second, %value : f32
  %ab = arith.ori %a, %b : i1
  %abc = arith.ori %ab, %c : i1
  %wrong = arith.extui %abc : i1 to i32
  return %wrong : i32
}
)");
}

TEST(Mlir, GpuModulesBecomePtx) {
  if (!has_tools()) GTEST_SKIP() << kNoTools;
  const test::ProgramFolder folder("mlir-ptx");
  std::string all;
  for (const Source& source : sources()) {
    const std::vector<DrawnFunction> functions = drawn_functions(source, 5, Dialect::kMlir);
    for (std::size_t i = 0; i < functions.size(); ++i) {
      const std::string name = fmt::format("{}{}", source.name, i);
      all += to_text(functions[i].function, {Dialect::kMlir, name, {i % 2 == 0, "in_" + name}})
                 .value();
    }
  }
  folder.write("gpu.mlir", all);
  const auto [status, printed] = folder.run(
      "mlir-opt-19 --gpu-lower-to-nvvm-pipeline='cubin-chip=sm_90 cubin-format=isa' gpu.mlir");
  EXPECT_EQ(status, 0) << printed.substr(0, 4000);
  EXPECT_TRUE(contains(printed, ".target sm_90")) << printed.substr(0, 4000);
  EXPECT_TRUE(contains(printed, ".func") && contains(printed, "cute0_inverse"))
      << printed.substr(0, 4000);
}

TEST(Mlir, NamesOfModulesAreNames) {
  const auto text = map_text(test::layout_of_text("(4,8):(8,1)"),
                             {Dialect::kMlir, "idx", {.integers = false, .gpu_module = "a b"}});
  ASSERT_FALSE(text);
  EXPECT_EQ(text.error().code(), "print.name");
}

TEST(Mlir, TheDocumentShowsWhatIsWritten) {
  EXPECT_TRUE(contains(test::contents(HEDDLE_SOURCE_DIR "/docs/emit.md"),
                       "```text\n" + mlir_text("(4,8):(8,1)") + "```\n"));
}

// The transpose: the same templates with each layout of the tile.

class MlirTranspose : public testing::Test {
 protected:
  void SetUp() override {
    if (!has_tools()) GTEST_SKIP() << kNoTools;
    if (layouts().empty()) GTEST_SKIP() << "There are no layouts of the transpose";
  }
  /// Layouts of the tile, a file each.
  static std::vector<std::string> layouts() {
    std::vector<std::string> files;
    for (const auto& entry : std::filesystem::directory_iterator(kFolder)) {
      const std::filesystem::path& path = entry.path();
      if (path.extension() == ".heddle" && path.stem() != "tiles") files.push_back(path.string());
    }
    std::ranges::sort(files);
    return files;
  }
  /// Completes the template as done.mlir, then runs the command.
  static std::string made(const test::ProgramFolder& folder, const std::string& name,
                          const std::string& layout, const std::string& command) {
    const auto [status, printed] = folder.run(
        fmt::format("'{0}' instantiate {1}/{2}.mlir.in {1}/tiles.heddle {3} -o done.mlir && {4}",
                    HEDDLE_BINARY, kFolder, name, layout, command));
    EXPECT_EQ(status, 0) << layout << "\n" << printed.substr(0, 4000);
    return printed;
  }

  static constexpr const char* kFolder = HEDDLE_SOURCE_DIR "/kernels/transpose";
};

TEST_F(MlirTranspose, RunsOnTheCpu) {
  const test::ProgramFolder folder("mlir-transpose");
  for (const std::string& layout : layouts()) {
    const std::string printed =
        made(folder, "transpose_host", layout,
             fmt::format("{} done.mlir -o low.mlir && {} low.mlir", kLowerToLlvm, kRunMain));
    EXPECT_EQ(printed, "0\n") << layout;
  }
}

TEST_F(MlirTranspose, BecomesPtx) {
  const test::ProgramFolder folder("mlir-transpose-ptx");
  for (const std::string& layout : layouts()) {
    const std::string printed = made(
        folder, "transpose", layout,
        "mlir-opt-19 --gpu-lower-to-nvvm-pipeline='cubin-chip=sm_90 cubin-format=isa' done.mlir");
    for (const char* part : {".entry transpose", "st.shared.f32", "bar.sync"}) {
      EXPECT_TRUE(contains(printed, part)) << layout << " has no " << part;
    }
    // All index functions are inlined.
    EXPECT_FALSE(contains(printed, "call.uni")) << layout;
  }
}

// Loops: what they visit is gathered, and compared with plain enumeration.

constexpr const char* kGathered = R"(
memref.global "private" @seen : memref<65536xi64> = uninitialized
memref.global "private" @used : memref<1xi64> = dense<0>
func.func private @gather(%number: index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : i64
  %seen = memref.get_global @seen : memref<65536xi64>
  %used = memref.get_global @used : memref<1xi64>
  %count = memref.load %used[%zero] : memref<1xi64>
  %at = arith.index_cast %count : i64 to index
  %value = arith.index_cast %number : index to i64
  memref.store %value, %seen[%at] : memref<65536xi64>
  %next = arith.addi %count, %one : i64
  memref.store %next, %used[%zero] : memref<1xi64>
  return
}
func.func private @differs(%rows: memref<?xi64>, %end: index) -> i1 {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %none = arith.constant 0 : i64
  %seen = memref.get_global @seen : memref<65536xi64>
  %used = memref.get_global @used : memref<1xi64>
  %count = memref.load %used[%zero] : memref<1xi64>
  memref.store %none, %used[%zero] : memref<1xi64>
  %wanted = arith.index_cast %end : index to i64
  %other = arith.cmpi ne, %count, %wanted : i64
  %wrong = scf.for %r = %zero to %end step %one iter_args(%before = %other) -> (i1) {
    %a = memref.load %rows[%r] : memref<?xi64>
    %b = memref.load %seen[%r] : memref<65536xi64>
    %here = arith.cmpi ne, %a, %b : i64
    %all = arith.ori %before, %here : i1
    scf.yield %all : i1
  }
  return %wrong : i1
}
)";

/// The loops, with the function that they call, and for each run a call that compares.
class LoopChecks {
 public:
  void add(const DrawnLoops& drawn) {
    const std::string name = fmt::format("f{}", number_++);
    const Result<std::string> loops = to_text(drawn.nest, {Dialect::kMlir, name});
    ASSERT_TRUE(loops) << loops.error();
    const std::string declared = fmt::format("func.func private @{}_body(", name);
    const std::size_t begin = loops->find(declared);
    std::string text = *loops;
    text.erase(begin, text.find('\n', begin) - begin);
    const std::size_t count = drawn.nest.coordinates.size() + drawn.nest.places.size();
    std::string arguments;
    std::string calls;
    for (std::size_t i = 0; i < count; ++i) {
      arguments += fmt::format("{}%a{}: index", i == 0 ? "" : ", ", i);
      calls += fmt::format("  call @gather(%a{}) : (index) -> ()\n", i);
    }
    text_ +=
        text + fmt::format("func.func @{}_body({}) {{\n{}  return\n}}\n", name, arguments, calls);
    for (const DrawnRun& run : drawn.runs) add_run(name, run);
  }

  [[nodiscard]] std::string program() const {
    return kGathered + text_ + "func.func @main() -> i32 {\n  %found0 = arith.constant 0 : i32\n" +
           main_ + fmt::format("  return %found{} : i32\n}}\n", runs_);
  }

 private:
  void add_run(const std::string& name, const DrawnRun& run) {
    test::Coordinates rows;
    for (const test::Coordinates& visit : run.visits) {
      rows.insert(rows.end(), visit.begin(), visit.end());
    }
    const std::size_t length = rows.size();
    rows.push_back(0);
    const std::string type = fmt::format("memref<{}xi64>", rows.size());
    const int r = runs_++;
    text_ += fmt::format("memref.global \"private\" constant @rows{} : {} = dense<[{}]>\n", r, type,
                         fmt::join(rows, ", "));
    std::string sizes;
    std::string types;
    for (std::size_t i = 0; i < run.sizes.size(); ++i) {
      main_ += fmt::format("  %size{}_{} = arith.constant {} : index\n", r, i, run.sizes[i]);
      sizes += fmt::format("{}%size{}_{}", i == 0 ? "" : ", ", r, i);
      types += i == 0 ? "index" : ", index";
    }
    main_ += fmt::format(
        "  call @{0}({1}) : ({2}) -> ()\n"
        "  %rows{3} = memref.get_global @rows{3} : {4}\n"
        "  %all{3} = memref.cast %rows{3} : {4} to memref<?xi64>\n"
        "  %end{3} = arith.constant {5} : index\n"
        "  %wrong{3} = call @differs(%all{3}, %end{3}) : (memref<?xi64>, index) -> i1\n"
        "  %number{3} = arith.constant {6} : i32\n"
        "  %found{6} = arith.select %wrong{3}, %number{3}, %found{3} : i32\n",
        name, sizes, types, r, type, length, r + 1);
  }

  std::string text_;
  std::string main_;
  int number_ = 0;
  int runs_ = 0;
};

TEST(MlirLoops, VisitThePointsInOrder) {
  LoopChecks checks;
  for (const DrawnLoops& drawn : drawn_loops(std::max(12, test::property_count() / 50))) {
    checks.add(drawn);
  }
  expect_zero("mlir-loops", checks.program());
}

TEST(MlirLoops, AreAffineWhereBoundsAndConditionsAre) {
  const auto text = [](const Result<map::LoopNest>& nest) {
    return to_text(nest.value(), {Dialect::kMlir, "scan"}).value();
  };
  const auto set =
      map::IntegerSet::parse("[N] -> { [i, j] : 0 <= i < N and i <= j < 8 and (i + j) mod 3 = 1 }")
          .value();
  const std::string loops = text(map::loops(set));
  EXPECT_TRUE(contains(loops, "affine.for")) << loops;
  EXPECT_FALSE(contains(loops, "scf.for")) << loops;
  const std::string swizzled =
      text(map::loops(test::layout_of_text("Sw<1,2,2> o 0 o (4,8):(8,1)")));
  EXPECT_TRUE(contains(swizzled, "affine.for")) << swizzled;
  EXPECT_TRUE(contains(swizzled, "arith.xori")) << swizzled;
}

}  // namespace
}  // namespace heddle::emit
