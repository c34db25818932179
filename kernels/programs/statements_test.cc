// Random kernels of many statements that use the same tensors again and again: by the block, by
// warps, by parts of them and by single threads, in loops and under conditions, so that every
// missing barrier shows. All data are integers, and every result is exact.

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "back_end.h"
#include "heddle/notation/kernel.h"
#include "kernel/thread_walk.h"
#include "programs.h"
#include "race_check.h"

namespace heddle::kernels {
namespace {

using kernel::Array;

// Makes the text of one kernel: statements over shared tensors S and Q (rows, columns), T (columns,
// rows), V (rows) and c (1), and registers X (rows, columns), which every thread of the block sees.
class Maker {
 public:
  explicit Maker(Random& random, bool has_barriers = true)
      : random_(random),
        has_barriers_(has_barriers),
        rows_(random.one_of(std::vector<std::int64_t>{4, 8, 16})),
        columns_(random.one_of(std::vector<std::int64_t>{4, 8, 16})),
        threads_(random.one_of(std::vector<std::int64_t>{32, 64, 96, 128})) {}

  std::string kernel() {
    const std::string box = text(rows_) + "," + text(columns_);
    const std::string turned = text(columns_) + "," + text(rows_);
    std::string result = "kernel mixed(A: i32[2," + box + "]" + parameter_layout() + ", P: i32[" +
                         text(rows_) + "], G: i32[2," + box + "]" + parameter_layout() +
                         ", H: i32[2," + box + "], J: i32[2," + turned + "], K: i32[2," +
                         text(rows_) + "])\n  launch cta 2, threads " + text(threads_) + "\n{\n";
    result += "  shared S: i32[" + box + "]" + shared_layout() + "\n";
    result += "  shared Q: i32[" + box + "]" + shared_layout() + "\n";
    result += "  shared T: i32[" + turned + "]\n  shared V: i32[" + text(rows_) + "]\n";
    result += "  shared I: i32[" + text(rows_) + "]\n  shared c: i32[1]\n";
    result += "  reg X: i32[" + box + "]" + register_layout() + "\n";
    result += "  copy(S, A[bx])\n  Q = S + 1\n  copy(T, S.T)\n  V = P * 3\n  I = P % " +
              text(rows_) + "\n  fill(c, 0)\n  copy(X, Q)\n";
    const std::int64_t count = random_.from(2, 6);
    for (std::int64_t i = 0; i != count; ++i) result += statement("  ", 2);
    return result +
           "  copy(G[bx], S)\n  copy(H[bx], Q)\n  copy(J[bx], T)\n  copy(K[bx], V)\n"
           "  G[bx] = G[bx] + X\n}\n";
  }

 private:
  static std::string text(std::int64_t number) { return std::to_string(number); }
  std::string one_of(const std::vector<std::string>& list) { return random_.one_of(list); }
  std::string fresh(const std::string& name) { return name + text(names_++); }

  // --- layouts

  std::string shared_layout() {
    const std::string r = text(rows_);
    const std::string c = text(columns_);
    const std::string box = "(" + r + "," + c + ")";
    return one_of({"", "", " = " + box + ":(1," + r + ")",
                   " = " + box + ":(" + text(columns_ + 1) + ",1)",
                   " = Sw<2,0,2> o 0 o " + box + ":(" + c + ",1)",
                   " = ((2," + text(rows_ / 2) + "),(2," + text(columns_ / 2) + ")):((2," +
                       text(2 * columns_) + "),(1,4))",
                   " = GroupBy([" + r + "," + c + "]).OrderBy(RegP([" + r + "," + c + "],[2,1]))"});
  }

  std::string parameter_layout() {
    const std::string box = "(2," + text(rows_) + "," + text(columns_) + ")";
    const std::string size = text(rows_ * columns_);
    return one_of(
        {"", " = " + box + ":(" + size + ",1," + text(rows_) + ")",
         " = " + box + ":(" + text(rows_ * (columns_ + 3)) + "," + text(columns_ + 3) + ",1)",
         " = Sw<2,0,2> o 0 o " + box + ":(" + size + "," + text(columns_) + ",1)",
         " = (2,(2," + text(rows_ / 2) + "),(2," + text(columns_ / 2) + ")):(" + size + ",(2," +
             text(2 * columns_) + "),(1,4))"});
  }

  // Columns over tx, rows over registers; or rows over laneid and warpid.
  std::string register_layout() {
    const std::string r = text(rows_);
    const std::string c = text(columns_);
    std::vector<std::string> choices = {"", "", " = S[(" + r + "," + c + "):(1@m,1@tx)]"};
    if (rows_ * columns_ / 4 <= threads_) {
      choices.push_back(" = S[(" + r + "," + text(columns_ / 4) + ",4):(" + text(columns_ / 4) +
                        "@tx,1@tx,1@m)]");
    }
    if (threads_ == 64 || threads_ == 128) {
      choices.push_back(" = S[(2," + text(rows_ / 2) + "," + c + "):(1@warpid,1@laneid,1@m)]");
    }
    return one_of(choices);
  }

  // --- statements

  std::string statement(const std::string& indent, int depth) {
    const std::int64_t choice = random_.from(0, depth > 0 ? 15 : 8);
    if (choice <= 8) return simple(indent, choice);
    if (choice == 9) return loop(indent, depth - 1);
    if (choice == 10) return while_loop(indent, depth - 1);
    if (choice == 11) return branch(indent, depth - 1);
    if (choice == 12) return by_warps(indent);
    if (choice == 13) return by_part(indent, depth - 1);
    return by_threads(indent);
  }

  std::string block(const std::string& indent, int depth) {
    std::string result;
    const std::int64_t count = random_.from(1, 3);
    for (std::int64_t i = 0; i != count; ++i) result += statement(indent, depth);
    return result;
  }

  // A row that is known, that a loop counts, or that was read from memory.
  std::string row() {
    if (!indices_.empty() && random_.coin()) return random_.one_of(indices_);
    return text(random_.from(0, rows_ - 1));
  }

  std::string box() {
    return one_of(is_in_part_ ? std::vector<std::string>{"S", "Q", "T.T"}
                              : std::vector<std::string>{"S", "Q", "T.T", "X"});
  }
  std::string memory() { return one_of({"S", "Q"}); }

  std::string value() {
    const std::string other = one_of({box(), "V[:, None]", "A[bx]", "S[" + row() + ", :]", "2"});
    return one_of({box() + " + " + other, box() + " - " + other,
                   "max(" + box() + ", " + other + ")",
                   "(" + box() + " if " + box() + " < " + other + " else 5)"});
  }

  std::string simple(const std::string& indent, std::int64_t choice) {
    switch (choice) {
      case 0:
        return indent + "copy(" + box() + ", " + box() + ")\n";
      case 1:
        return indent + box() + " = " + value() + "\n";
      case 2:
        return indent + memory() + "[" + row() + ", :] = " + memory() + "[" + row() + ", :] + 1\n";
      case 3:
        return overlap(indent);
      case 4:
        return indent + "reduce(" + one_of({"V", memory() + "[:, 1]"}) + ", " +
               one_of({box(), value()}) + ", op=\"" + one_of({"sum", "max"}) + "\", axis=1" +
               one_of({"", ", accum=true"}) + ")\n";
      case 5:
        return indent + "scan(" + box() + ", " + box() +
               ", op=\"sum\", axis=" + one_of({"0", "1"}) + one_of({"", ", exclusive=true"}) +
               ")\n";
      case 6:
        return indent + one_of({"gather", "scatter"}) + "(" + memory() + ", " + box() +
               ", I, axis=0)\n";
      case 7:
        return indent + "atomic_add(" + one_of({"S", "Q", "T"}) + ".reshape(" +
               text(rows_ * columns_) + ")[" + text(random_.from(0, 3)) + " : +" + text(columns_) +
               "], " + memory() + "[" + row() + ", :])\n";
      default:
        return indent + box() + " = " +
               one_of({"T.reshape(" + text(rows_) + "," + text(columns_) + ")", "S", "Q"}) + "\n";
    }
  }

  // Rows of a tensor to other rows of it.
  std::string overlap(const std::string& indent) {
    const std::string tensor = one_of({"S", "Q", is_in_part_ ? "S" : "X"});
    const std::int64_t height = random_.from(1, rows_ - 1);
    const auto part = [&] {
      return tensor + "[" + text(random_.from(0, rows_ - height + 1)) + " : +" + text(height) +
             ", :]";
    };
    return indent + "copy(" + part() + ", " + part() + ")\n";
  }

  std::string loop(const std::string& indent, int depth) {
    // Half of the counters have one name.
    const std::string counter = random_.coin() && !is_counting_ ? std::string("k") : fresh("k");
    const bool outer = std::exchange(is_counting_, is_counting_ || counter == "k");
    indices_.push_back(counter);
    std::string result = indent + "for " + counter + " in " + text(random_.from(1, 3)) + " {\n";
    result += block(indent + "  ", depth) + indent + "}\n";
    indices_.pop_back();
    is_counting_ = outer;
    return result;
  }

  std::string leave(const std::string& indent) {
    if (random_.coin()) return {};
    return indent + "if " + memory() + "[" + row() + ", 1] < " + text(random_.from(0, 60)) +
           " {\n" + indent + "  " + one_of({"break", "continue"}) + "\n" + indent + "}\n";
  }

  std::string while_loop(const std::string& indent, int depth) {
    if (is_in_part_ || is_in_while_) return simple(indent, 1);
    is_in_while_ = true;
    std::string result = indent + "while c[0] % 8 < " + text(random_.from(1, 4)) + " {\n";
    result += indent + "  c[0] = c[0] + 1\n" + block(indent + "  ", depth) + leave(indent + "  ");
    result += block(indent + "  ", depth);
    if (has_barriers_) result += one_of({"", indent + "  barrier()\n"});
    result += indent + "}\n";
    is_in_while_ = false;
    return result + one_of({"", indent + "c[0] = c[0] + 5\n"});
  }

  std::string branch(const std::string& indent, int depth) {
    const std::string name = fresh("n");
    std::string result = indent + "let " + name + " = " + one_of({"V", "I"}) + "[" + row() + "]\n";
    indices_.push_back(name + " % " + text(rows_));
    result += indent + "if " + one_of({name + " < 3", memory() + "[" + name + " % 4, 1] < 40"}) +
              " {\n" + block(indent + "  ", depth) + indent + "}";
    if (random_.coin()) result += " else {\n" + block(indent + "  ", depth) + indent + "}";
    indices_.pop_back();
    return result + "\n";
  }

  // Each warp has a row; those behind the last one have nothing.
  std::string by_warps(const std::string& indent) {
    if (is_in_part_ || threads_ % 32 != 0) return simple(indent, 3);
    const std::string c = text(columns_);
    const std::string in = indent + "  ";
    std::string result = indent + "warp {\n" + in + "reg x: i32[" + c + "]\n" + in + "copy(x, " +
                         memory() + "[warpid, :])\n";
    if (random_.coin()) {
      result += in + "reg s: i32[]\n" + in + "reduce(s, x + 1, op=\"sum\", axis=0)\n" + in +
                "x = x + s\n";
    }
    if (random_.coin()) {
      result +=
          in + "reg y: i32[" + c + "]\n" + in + "scan(y, x, op=\"sum\", axis=0)\n" + in + "x = y\n";
    }
    if (random_.coin()) {
      result += in + "reg z: i32[" + text(columns_ / 2) + "]\n" + in + "z = x[1 : +" +
                text(columns_ / 2) + "]\n" + in + "x[0 : +" + text(columns_ / 2) + "] = z\n";
    }
    if (random_.coin()) result += in + "x = x + " + memory() + "[warpid + 1, :]\n";
    result += in + memory() + "[warpid, :] = x\n";
    return result + indent + "}\n";
  }

  // Some warps do one thing and the others another thing, to another tensor.
  std::string by_part(const std::string& indent, int depth) {
    if (is_in_part_ || threads_ < 64) return simple(indent, 4);
    const std::string in = indent + "  ";
    is_in_part_ = true;
    std::string result = indent + "warp[" + one_of({"0:1", "1:2"}) + "] {\n";
    result += in + "reg x: i32[" + text(rows_) + "," + text(columns_) + "]\n" + in +
              "x = " + value() + "\n" + in + memory() + " = x\n" + block(in, depth) + indent + "}";
    if (random_.coin()) result += " else {\n" + block(in, depth) + indent + "}";
    is_in_part_ = false;
    return result + "\n";
  }

  // Each thread has a row, or a column, or an element.
  std::string by_threads(const std::string& indent) {
    if (is_in_part_) return simple(indent, 2);
    const std::string in = indent + "  ";
    const std::string c = text(columns_);
    const std::string other = one_of({"tx + 1", "tx", row(), text(rows_ - 1) + " - tx"});
    std::string result = indent + "thread {\n" + in + "reg x: i32[" + c + "]\n" + in + "copy(x, " +
                         memory() + "[" + other + ", :])\n";
    switch (random_.from(0, 5)) {
      case 0:
        result += in + "for j in " + c + " {\n" + in + "  x[j] = x[j] * 3 + V[" + row() + "]\n" +
                  in + "}\n";
        break;
      case 1:
        result += in + "if tx % 2 < 1 {\n" + in + "  x = x + tx\n" + in + "} else {\n" + in +
                  "  x = " + memory() + "[0, :] + x[1]\n" + in + "}\n";
        break;
      case 2:
        result += in + "reg n: i32\n" + in + "n = 0\n" + in + "while n < 5 {\n" + in +
                  "  n = n + 1\n" + in + "  let q = n\n" + in + "  if x[q % 4] % 3 < 1 {\n" + in +
                  "    " + one_of({"continue", "break"}) + "\n" + in + "  }\n" + in +
                  "  x[q % 4] = n + x[0]\n" + in + "}\n";
        break;
      case 3:
        result +=
            in + "reg s: i32[]\n" + in + "reduce(s, x, op=\"max\", axis=0)\n" + in + "x = s - x\n";
        break;
      case 4:
        result += in + "let m = I[tx]\n" + in + "copy(x, " + memory() + "[m, :])\n";
        break;
      default:
        result += in + "for j in tx % 3 {\n" + in + "  x[j] = x[j + 1] + j\n" + in + "}\n";
    }
    result += in +
              one_of({memory() + "[tx, :] = x", "T[:, tx] = x", "V[tx] = x[1] + x[0]",
                      "atomic_add(" + memory() + "[0, :], x)"}) +
              "\n";
    return result + indent + "}\n";
  }

  Random& random_;
  // Whether there are some that nothing needs.
  bool has_barriers_;
  std::int64_t rows_;
  std::int64_t columns_;
  std::int64_t threads_;
  int names_ = 0;
  bool is_counting_ = false;
  bool is_in_part_ = false;
  bool is_in_while_ = false;
  std::vector<std::string> indices_;
};

}  // namespace

std::optional<Case> random_case(Random& random, std::map<std::string, int>& refused,
                                bool has_barriers) {
  Case made;
  made.text = Maker(random, has_barriers).kernel();
  const auto parsed = notation::parse_kernels(made.text);
  if (!parsed) {
    ADD_FAILURE() << parsed.error().to_string(made.text) << made.text;
    return std::nullopt;
  }
  made.kernel = parsed->front();
  made.arguments = data_for(made.kernel, {}, random);
  auto wanted = run(made.kernel, made.arguments, {{}, 1 << 22});
  if (!wanted) {
    const std::string code(wanted.error().code());
    ++refused[code];
    EXPECT_TRUE(code == "kernel.race" || code == "kernel.index" || code == "kernel.work")
        << wanted.error() << made.text;
    return std::nullopt;
  }
  made.wanted = *std::move(wanted);
  return made;
}

namespace {

std::string folder_of_test() {
  std::string folder = std::string(HEDDLE_PROGRAMS_BINARY) + "/" +
                       testing::UnitTest::GetInstance()->current_test_info()->name();
  std::filesystem::create_directories(folder);
  return folder;
}

class Statements : public testing::TestWithParam<kernel::Target> {};

TEST_P(Statements, OfRandomKernelsAreWhatTheyMean) {
  Random random(seed() + 4);
  BackEnd back_end(GetParam());
  std::vector<Case> cases;
  std::map<std::string, int> refused;
  // OpenCL's compiler takes seconds for each.
  const int count = case_count() / (GetParam() == kernel::Target::kOpenCl ? 40 : 2);
  for (int i = 0; i != count; ++i) {
    std::optional<Case> made = random_case(random, refused);
    if (!made) continue;
    made->kernel.name = "k" + std::to_string(cases.size());
    if (const auto added = back_end.add(made->kernel); !added) {
      const std::string code(added.error().code());
      ++refused[code];
      EXPECT_TRUE(code == "kernel.not_lowered" || code == "kernel.barrier" ||
                  code == "kernel.register_layout")
          << added.error() << made->text;
      continue;
    }
    cases.push_back(*std::move(made));
  }
  for (const auto& [code, number] : refused) {
    std::printf("%d of %d refused: %s\n", number, count, code.c_str());
  }
  EXPECT_GT(cases.size() * 2, static_cast<std::size_t>(count));
  const std::string folder = folder_of_test();
  try {
    back_end.compile(folder);
  } catch (const DeviceMissing& missing) {
    GTEST_SKIP() << missing.what();
  }
  int wrong = 0;
  for (const Case& each : cases) {
    const std::string text =
        wrong_result(back_end, each.kernel, each.arguments, {}, each.wanted, 0);
    if (text.empty() || ++wrong > 5) continue;
    ADD_FAILURE() << each.kernel.name << ", " << text << "\n" << each.text << folder;
  }
  EXPECT_EQ(wrong, 0);
}

// --- barriers ------------------------------------------------------------------------------------

// The barriers of a block, in order.
void list_barriers(const kernel::ThreadBlock& block,
                   std::vector<const kernel::ThreadStatement*>& barriers) {
  for (const kernel::ThreadStatement& statement : block) {
    if (std::holds_alternative<kernel::Barrier>(statement.node)) barriers.push_back(&statement);
    kernel::for_each_block(
        statement, [&](const kernel::ThreadBlock& inner) { list_barriers(inner, barriers); });
  }
}

// Removes the barrier of this number; afterwards it is less by those that were passed, and negative
// if it was found.
void drop_barrier(kernel::ThreadBlock& block, int& number) {
  for (std::size_t i = 0; i != block.size() && number >= 0; ++i) {
    if (std::holds_alternative<kernel::Barrier>(block[i].node) && number-- == 0) {
      block.erase(block.begin() + static_cast<std::ptrdiff_t>(i));
      return;
    }
    kernel::for_each_block(block[i],
                           [&](kernel::ThreadBlock& inner) { drop_barrier(inner, number); });
  }
}

// No two threads touch an element with no barrier between, and without any one of the barriers they
// do. A few barriers that threads come to are not needed for these data: behind branches of which
// only the other one would race, for indices that are read from memory, and for global memory whose
// layout does not tell the block's part from the thread's.
TEST(Barriers, AreWhereThreadsWouldRaceAndNowhereElse) {
  Random random(seed() + 5);
  std::map<std::string, int> refused;
  int barriers = 0;
  int needed = 0;
  for (int i = 0; i != case_count() / 2; ++i) {
    const std::optional<Case> each = random_case(random, refused, false);
    if (!each) continue;
    const auto program = lower(each->kernel, options_for(kernel::Target::kCuda));
    if (!program) continue;
    const RaceCheck found = run_for_races(*program, each->arguments);
    ASSERT_EQ(found.race, "") << each->text;
    for (std::size_t a = 0; a != found.arguments.size(); ++a) {
      ASSERT_EQ(difference(found.arguments[a], each->wanted[a], 0), "") << a << each->text;
    }
    std::vector<const kernel::ThreadStatement*> all;
    list_barriers(program->body, all);
    for (std::size_t k = 0; k != all.size(); ++k) {
      if (!found.barriers.contains(all[k])) continue;
      kernel::ThreadProgram mutant = *program;
      int number = static_cast<int>(k);
      drop_barrier(mutant.body, number);
      const bool is_needed = !run_for_races(mutant, each->arguments).race.empty();
      ++barriers;
      needed += is_needed ? 1 : 0;
      if (is_needed || std::getenv("HEDDLE_VERBOSE") == nullptr) continue;
      std::printf("no race without barrier %d:\n%s", barriers, each->text.c_str());
    }
  }
  std::printf("%d of %d barriers are needed\n", needed, barriers);
  EXPECT_GT(needed * 10, barriers * 9);
}

INSTANTIATE_TEST_SUITE_P(Targets, Statements,
                         testing::Values(kernel::Target::kCuda, kernel::Target::kOpenCl,
                                         kernel::Target::kCpu),
                         device_name);

}  // namespace
}  // namespace heddle::kernels
