// Plans as programs for NCCL, run on the CPU with a model of NCCL (tests/support/nccl), and taken
// by CUDA's compiler with NCCL's own header where they are.

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "distribute/plain.h"
#include "emit/program.h"
#include "heddle/distribute/source.h"
#include "support/law.h"
#include "support/refusal.h"

namespace heddle::distribute {
namespace {

// A main program that gives every rank a thread, and compares what each of them has in the end.
constexpr const char* kMain = R"(
template <class T>
using Run = ncclResult_t (*)(const T* source, T* destination, T* scratch, ncclComm_t, int rank);

template <class T>
bool check(std::FILE* file, Run<T> run, long long (*scratch_of)(int)) {
  auto number = [&] {
    long long value = 0;
    if (std::fscanf(file, "%lld", &value) != 1) std::abort();
    return value;
  };
  // The least int stands for NaN.
  auto numbers = [&] {
    std::vector<T> values(number());
    for (T& value : values) {
      const long long read = number();
      const bool is_nan = std::numeric_limits<T>::has_quiet_NaN && read == INT32_MIN;
      value = is_nan ? std::numeric_limits<T>::quiet_NaN() : T(read);
    }
    return values;
  };
  const auto is_same = [](T a, T b) { return a == b || (a != a && b != b); };
  const int ranks = int(number());
  std::vector<std::vector<T>> sources, wanted, destinations;
  for (int rank = 0; rank < ranks; ++rank) {
    sources.push_back(numbers());
    wanted.push_back(numbers());
    destinations.emplace_back(wanted.back().size(), T(-1));
  }
  NcclWorld world;
  std::vector<ncclResult_t> results(ranks);
  std::vector<std::thread> threads;
  for (int rank = 0; rank < ranks; ++rank) {
    threads.emplace_back([&, rank] {
      NcclComm comm = {&world, {}, rank, ranks};
      std::vector<T> scratch(scratch_of(rank), T(-2));
      const T* source = sources[rank].data();
      results[rank] = run(source, destinations[rank].data(), scratch.data(), &comm, rank);
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (int rank = 0; rank < ranks; ++rank) {
    if (results[rank] != ncclSuccess) std::printf("rank %d: error %d\n", rank, results[rank]);
    const bool is_right = std::equal(wanted[rank].begin(), wanted[rank].end(),
                                     destinations[rank].begin(), is_same);
    if (!is_right) std::printf("rank %d is wrong\n", rank);
    if (results[rank] != ncclSuccess || !is_right) return false;
  }
  return true;
}
)";

/// Programs for some plans, and what every rank has before and after.
struct Programs {
  std::string text;
  std::string calls;
  std::string numbers;
  std::size_t count = 0;

  using Memories = std::map<std::int64_t, std::vector<Element>>;

  void add(const Plan& plan, const std::string& program, const Memories& sources,
           const Memories& wanted) {
    const bool has_groups = program.find("redistribute_groups") != std::string::npos;
    text += fmt::format("namespace p{} {{\n{}}}\n", count, program);
    calls += fmt::format(
        "  using T{0} = p{0}::redistribute_parts::T;\n"
        "  if (!check<T{0}>(file, [](const T{0}* source, T{0}* destination, T{0}* scratch, "
        "ncclComm_t comm, int rank) {{\n",
        count);
    if (has_groups) {
      calls += fmt::format(
          "    ncclComm_t groups[4] = {{}};\n"
          "    if (p{0}::redistribute_groups(comm, rank, groups) != ncclSuccess) return "
          "ncclInvalidArgument;\n"
          "    const ncclResult_t result = p{0}::redistribute(source, destination, scratch, comm, "
          "groups, "
          "nullptr, rank);\n"
          "    for (ncclComm_t group : groups) ncclCommDestroy(group);\n    return result;\n",
          count);
    } else {
      calls += fmt::format(
          "    return p{0}::redistribute(source, destination, scratch, comm, nullptr, rank);\n",
          count);
    }
    calls += fmt::format(
        "  }}, p{0}::redistribute_scratch)) return std::printf(\"plan {0}\\n\"), 1;\n", count);
    numbers += fmt::format("{}\n", plan.devices().size());
    for (const std::int64_t device : plan.devices()) {
      for (const Memories* side : {&sources, &wanted}) {
        const auto found = side->find(device);
        const std::vector<Element> none;
        const std::vector<Element>& values = found == side->end() ? none : found->second;
        numbers += fmt::format("{} {}\n", values.size(), fmt::join(values, " "));
      }
    }
    ++count;
  }

  [[nodiscard]] std::string program() const {
    return "#include <nccl.h>\n#include <cstddef>\n#include <cstdint>\n#include <cstdio>\n"
           "#include <limits>\n#include <thread>\n" +
           text + kMain + "int main() {\n  std::FILE* file = std::fopen(\"numbers\", \"r\");\n" +
           calls + "  return 0;\n}\n";
  }

  /// Builds and runs them, and expects that they find nothing wrong.
  void expect_right(const std::string& name) const {
    const test::ProgramFolder folder(name);
    folder.write("plans.cc", program());
    folder.write("numbers", numbers);
    folder.expect_silent(
        "c++ -std=c++17 -O0 -Wall -Wextra -Wno-missing-field-initializers "
        "-Wno-sign-compare -fwrapv -fsanitize=address -pthread -I " HEDDLE_SOURCE_DIR
        "/tests/support/nccl plans.cc -o plans && ./plans");
  }
};

std::string program_of(const Plan& plan, const std::string& element) {
  const Result<std::string> made = to_source(plan, SourceTarget::kNccl, {.element = element});
  if (!made) ADD_FAILURE() << made.error();
  return made ? *made : "";
}

/// A type in which the terms are reduced exactly.
std::string random_element(Random& random, const std::string& op) {
  if (op == "product") return "uint32";
  if (op == "avg") return "int32";
  if (op == "sum")
    return random.one_of<std::string>({"int32", "uint32", "float32", "int64", "float64", "uint8"});
  return random.one_of<std::string>({"int32", "float32", "int64", "float64"});
}

std::int64_t bits_of(const std::string& element) {
  return std::stol(element.substr(element.find_first_of("0123456789")));
}

Result<Plan> plan_of_bits(const Spec& from, const Spec& to, std::int64_t bits,
                          const Topology& topology) {
  HEDDLE_TRY(const Distribution source, Distribution::make(from.sharding()));
  HEDDLE_TRY(const Distribution destination, Distribution::make(to.sharding()));
  return redistribute(source, destination, bits, {.topology = topology});
}

void add_pair(const Pair& pair, const std::string& element, const Topology& topology,
              Programs& programs) {
  const Plan plan = *plan_of_bits(pair.from, pair.to, bits_of(element), topology);
  Programs::Memories sources;
  Programs::Memories wanted;
  for (const std::int64_t device : plan.from().devices()) {
    sources[device] = plain_source(pair.from, device);
  }
  for (const std::int64_t device : plan.to().devices()) {
    for (const std::int64_t flat : plain_elements(pair.to, device)) {
      wanted[device].push_back(plain_value(pair.from, pair.to, flat, device));
    }
  }
  programs.add(plan, program_of(plan, element), sources, wanted);
}

void set_operation(Placements& placements, const std::string& op) {
  for (Placement& placement : placements) {
    if (placement.kind == Placement::Kind::kPartial) placement.reduce_op = op;
  }
}

TEST(NcclSource, GivesEveryRankWhatItsSpecSays) {
  const int plans = test::property_count() / 200;
  Programs programs;
  for (int i = 0; i < plans; ++i) {
    Random random(test::property_seed() + static_cast<std::uint64_t>(i));
    Pair pair = random_pair(random);
    const auto op =
        random.one_of<std::string>({"sum", "sum", "sum", "avg", "max", "min", "product"});
    set_operation(pair.from.placements, op);
    set_operation(pair.to.placements, op);
    add_pair(pair, random_element(random, op), random_topology(random, pair), programs);
  }
  programs.expect_right("nccl-pairs");
}

TEST(NcclSource, PutsEveryElementOfALayoutInItsPlaces) {
  const int plans = test::property_count() / 250;
  Programs programs;
  for (int i = 0; i < plans; ++i) {
    Random random(test::property_seed() + static_cast<std::uint64_t>(i));
    const auto size = random.one_of<std::int64_t>({6, 8, 12, 16, 24, 36, 48});
    const std::vector<Int> shape = test::random_shape(random, size);
    const OnDevices from = on_devices(random_layout(random, size), shape);
    const OnDevices to = on_devices(random_layout(random, size), shape);
    ASSERT_TRUE(from.distribution && to.distribution);
    const Plan plan = *redistribute(*from.distribution, *to.distribution, kBits);
    programs.add(plan, program_of(plan, ""), from.memories(Element{-2}), to.memories(Element{-1}));
  }
  programs.expect_right("nccl-layouts");
}

// ---- which calls ----

Spec on(Numbers mesh, Placements placements, Numbers shape = {8, 4}) {
  return {*Mesh::make(std::move(mesh)), std::move(placements), std::move(shape)};
}

std::string source_of(const Spec& from, const Spec& to) {
  return program_of(*plan_of(from, to), "int32");
}

/// How often the texts are in the program.
std::vector<int> counts(const std::string& program, const std::vector<std::string>& texts) {
  std::vector<int> counts;
  for (const std::string& text : texts) {
    int& count = counts.emplace_back(0);
    for (auto at = program.find(text); at != std::string::npos; at = program.find(text, at + 1)) {
      ++count;
    }
  }
  return counts;
}

const Placement kRows = Placement::shard(0);
const Placement kColumns = Placement::shard(1);
const Placement kWhole = Placement::replicate();
const Placement kTerms = Placement::partial();

/// Terms of three devices of which any may be NaN: the greatest or the least number, NaN where
/// there is none.
void add_nans(const std::string& op, const std::string& element, const Placement& target,
              Programs& programs) {
  const Spec from = on({3}, {Placement::partial(op)}, {7, 4});
  const Spec to = on({3}, {target}, {7, 4});
  const Plan plan = *plan_of_bits(from, to, bits_of(element), {});
  constexpr Element kNan = INT32_MIN;
  Programs::Memories sources;
  Programs::Memories wanted;
  const auto term = [&](std::int64_t flat, std::int64_t device) -> Element {
    if ((flat >> device & 1) != 0) return kNan;
    return static_cast<Element>((flat * 5 + device * 7) % 23 - 11);
  };
  for (std::int64_t device = 0; device < 3; ++device) {
    for (std::int64_t flat = 0; flat < 28; ++flat) sources[device].push_back(term(flat, device));
    for (const std::int64_t flat : plain_elements(to, device)) {
      std::vector<Element> numbers;
      for (std::int64_t i = 0; i < 3; ++i) {
        if (term(flat, i) != kNan) numbers.push_back(term(flat, i));
      }
      wanted[device].push_back(numbers.empty() ? kNan
                               : op == "max"   ? std::ranges::max(numbers)
                                               : std::ranges::min(numbers));
    }
  }
  programs.add(plan, program_of(plan, element), sources, wanted);
}

TEST(NcclSource, TakesTheNumberOfANumberAndNaN) {
  Programs programs;
  for (const char* op : {"max", "min"}) {
    for (const char* element : {"float32", "float64"}) {
      for (const Placement& target : {kRows, kWhole}) add_nans(op, element, target, programs);
    }
  }
  // Rows of which devices have different numbers are reduced by kernels, and all of them by NCCL.
  for (const int count : counts(programs.text, {"!(a == a)", "ncclAllReduce("}))
    EXPECT_GE(count, 4);
  programs.expect_right("nccl-nans");
  for (const char* element : {"float16", "bfloat16"}) {
    const Plan plan = *plan_of_bits(on({3}, {Placement::partial("max")}, {7, 4}),
                                    on({3}, {kRows}, {7, 4}), 16, {});
    EXPECT_NE(program_of(plan, element).find("a < b || !(a == a) ? b : a"), std::string::npos);
  }
}

TEST(NcclSource, CallsTheCollectiveThatAStepIs) {
  const auto calls = [](const Spec& from, const Spec& to) {
    const std::string program = source_of(from, to);
    std::string names;
    for (const char* name : {"ncclAllGather", "ncclReduceScatter", "ncclAllReduce", "ncclBroadcast",
                             "ncclReduce", "exchange"}) {
      const auto count = counts(program, {"result = " + std::string(name) + "("}).front();
      for (int i = 0; i < count; ++i) names += (names.empty() ? "" : " ") + std::string(name);
    }
    return names;
  };
  EXPECT_EQ(calls(on({4}, {kRows}), on({4}, {kWhole})), "ncclAllGather");
  EXPECT_EQ(calls(on({4}, {kColumns}), on({4}, {kWhole})), "ncclAllGather");
  EXPECT_EQ(calls(on({4}, {kTerms}), on({4}, {kRows})), "ncclReduceScatter");
  EXPECT_EQ(calls(on({4}, {kTerms}), on({4}, {kWhole})), "ncclAllReduce");
  EXPECT_EQ(calls(on({3}, {kTerms}), on({3}, {kWhole})), "ncclAllReduce");
  EXPECT_EQ(calls(on({1}, {kWhole}), on({4}, {kWhole})), "ncclBroadcast");
  EXPECT_EQ(calls(on({4}, {kTerms}), on({1}, {kWhole})), "ncclReduce");
  EXPECT_EQ(calls(on({4}, {kRows}), on({4}, {kColumns})), "exchange");
  EXPECT_EQ(calls(on({3}, {kRows}), on({3}, {kWhole})), "exchange");
  EXPECT_EQ(calls(on({4}, {kWhole}), on({4}, {kRows})), "");
}

TEST(NcclSource, CopiesOnlyWhatDoesNotLieAsItIsSent) {
  const auto copies = [](const Spec& from, const Spec& to) {
    return counts(source_of(from, to), {"__global__", "\n    {0, "});
  };
  // Rows are gathered in their places; columns come into scratch memory, and a kernel puts each of
  // them in its place.
  EXPECT_EQ(copies(on({4}, {kRows}), on({4}, {kWhole})), (std::vector{0, 0}));
  EXPECT_EQ(copies(on({4}, {kColumns}), on({4}, {kWhole})), (std::vector{1, 4}));
  EXPECT_EQ(copies(on({4}, {kTerms}), on({4}, {kWhole})), (std::vector{0, 0}));
}

TEST(NcclSource, SplitsTheCommunicatorWhereGroupsAreApart) {
  const Spec from = on({2, 2}, {kRows, kColumns});
  const std::string program = source_of(from, on({2, 2}, {kRows, kWhole}));
  EXPECT_EQ(counts(program, {"{0, 0, 1, 1},", "kType, groups[0], stream)"}), (std::vector{1, 1}));
  const std::string swap = source_of(from, on({2, 2}, {kColumns, kRows}));
  EXPECT_EQ(counts(swap, {"groups"}), (std::vector{0}));
}

TEST(NcclSource, IsTakenByCudasCompiler) {
  const test::ProgramFolder folder("nccl-nvcc");
  folder.write("header.cu", "#include <nccl.h>\nint main() { return NCCL_MAJOR < 2; }\n");
  if (!test::has_tool("nvcc") || folder.run("nvcc -c header.cu").first != 0) {
    GTEST_SKIP() << "NCCL's programs are not compiled: there is no nvcc with nccl.h";
  }
  std::string program;
  int number = 0;
  for (const char* element : {"float16", "bfloat16", "int8"}) {
    for (const Placement& target : {kColumns, kWhole}) {
      for (const char* op : {"avg", "product", "max"}) {
        Spec from = on({2, 2}, {kRows, Placement::partial(op)}, {7, 4});
        const Plan plan =
            *plan_of_bits(from, on({2, 2}, {target, kColumns}, {7, 4}), bits_of(element), {});
        const Result<std::string> made = to_source(
            plan, SourceTarget::kNccl, {.name = fmt::format("f{}", number++), .element = element});
        ASSERT_TRUE(made) << made.error();
        program += *made;
      }
    }
  }
  folder.write("plans.cu", program);
  folder.expect_silent("nvcc -std=c++17 -arch=sm_80 -c plans.cu -o plans.o");
}

// ---- refusals ----

TEST(NcclSource, RefusesElementsByName) {
  const auto refusal = [](std::int64_t bits, const std::string& element, const Placement& from) {
    const Plan plan = *plan_of_bits(on({2}, {from}), on({2}, {kWhole}), bits, {});
    return test::refusal(to_source(plan, SourceTarget::kNccl, {.element = element}));
  };
  EXPECT_EQ(refusal(4, "", kRows),
            "error distribute.element: no program for NCCL is written for elements of 4 bits\n"
            "  hint: the types are float16, bfloat16, float32, float64, int8, int16, int32, int64, "
            "uint8, uint16, uint32, uint64, bool; others of 8, 16, 32 or 64 bits are moved as "
            "unsigned integers if no type is given");
  EXPECT_EQ(
      refusal(8, "float8_e4m3fn", kRows).substr(0, 86),
      "error distribute.element: no program for NCCL is written for elements of float8_e4m3fn");
  EXPECT_EQ(refusal(16, "float32", kRows),
            "error distribute.element: float32 has 32 bits, and the plan is of elements of 16");
  EXPECT_EQ(refusal(32, "", kTerms),
            "error distribute.element: terms of 32 bits are reduced by sum, and their type is not "
            "given\n  hint: give their type, one of float32, int32, uint32");
  EXPECT_EQ(refusal(16, "int16", kTerms),
            "error distribute.element: NCCL does not reduce int16\n  hint: it reduces float16, "
            "bfloat16, float32, float64, int8, int32, int64, uint8, uint32, uint64");
  EXPECT_EQ(refusal(16, "int16", kRows), "not refused");
  const Plan plan = *plan_of(on({2}, {kRows}), on({2}, {kWhole}));
  EXPECT_EQ(test::code(to_source(plan, SourceTarget::kNccl, {.name = "int"})), "print.name");
  EXPECT_EQ(test::code(to_source(plan, SourceTarget::kJax, {.name = "a b"})), "print.name");
  const Plan unknown = *plan_of(on({2}, {Placement::partial("xor")}), on({2}, {kWhole}));
  EXPECT_EQ(test::code(to_source(unknown, SourceTarget::kJax)), "distribute.partial");
}

}  // namespace
}  // namespace heddle::distribute
