// The algebra beside the same questions put to isl: seed 000's relations and algorithms
// (heddle/map/isl_engine.h). CuTe layouts from rank 2 to 24, linear layouts from 4 to 40 bits, and
// the recovery of a large layout from its values.
//
//   any_layout_bench                      the usual benchmark, with small layouts for isl
//   any_layout_bench --table [seconds]    the tables of docs/speed.md; isl gets that long, 10
//   seconds
//                                  if nothing is said, for a question
//
// Times are processor times of one thread, and so is isl's limit. Either way it fails where the
// answers differ.

#include <benchmark/benchmark.h>
#include <pthread.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <functional>
#include <iostream>
#include <limits>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "heddle/cute/algebra.h"
#include "heddle/linear/equality.h"
#include "heddle/linear/linear_layout.h"
#include "heddle/map/isl_engine.h"
#include "heddle/map/recover.h"
#include "labelled.h"

namespace {

using namespace heddle;
using bench::value_of;
using cute::Layout;
using linear::LinearLayout;
namespace isl_engine = heddle::map::isl_engine;

[[noreturn]] void fail(const std::string& what) {
  std::cerr << what << '\n';
  std::exit(1);
}

double seconds_on(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

double processor_seconds() { return seconds_on(CLOCK_THREAD_CPUTIME_ID); }

/// Stops isl when the thread that asks has worked so long, however busy the machine is.
map::Limits processor_limits(double seconds, std::stop_source& stop) {
  clockid_t clock{};
  pthread_getcpuclockid(pthread_self(), &clock);
  map::Limits limits;
  limits.steps = std::numeric_limits<std::uint32_t>::max();
  limits.stop = stop.get_token();
  const double end = seconds_on(clock) + seconds;
  limits.progress = [=, source = stop](std::chrono::milliseconds /*elapsed*/) mutable {
    if (seconds_on(clock) >= end) source.request_stop();
  };
  return limits;
}

/// Seconds of one call: the least of a few batches that take long enough to be measured.
double seconds_of(const std::function<void()>& work) {
  double least = 1e9;
  std::size_t calls = 1;
  for (int batch = 0; batch < 5;) {
    const double begin = processor_seconds();
    for (std::size_t i = 0; i < calls; ++i) work();
    const double taken = processor_seconds() - begin;
    if (taken < 2e-3) {
      calls *= 4;
      continue;
    }
    least = std::min(least, taken / static_cast<double>(calls));
    ++batch;
  }
  return least;
}

/// What isl made of a question, or nothing where it hit its limit.
template <class T>
std::optional<T> answer_of(Result<T> result) {
  if (result) return *std::move(result);
  if (result.error().code() == "relation.gave_up") return std::nullopt;
  fail(result.error().to_string());
}

std::optional<bool> answer_of(const Verdict& verdict) {
  if (verdict.is_unknown()) return std::nullopt;
  return verdict.is_yes();
}

/// One question about operands of one size, to both.
struct Question {
  std::string name;
  std::function<void()> ours;
  /// False where isl hit its limit; fails where its answer is another.
  std::function<bool(const map::Limits&)> isl;
};

// ---- CuTe layouts ----

/// A bijection of this rank, extents 4 and 2 in turns: the odd modes are the faster ones, so that
/// no two of them join.
Layout interleaved(std::size_t rank) {
  IntTuple::Leaves extents(rank, Int(1));
  cute::StrideTuple::Leaves strides(rank, cute::Stride(0));
  for (std::size_t i = 0; i < rank; ++i) extents[i] = Int(i % 2 == 0 ? 4 : 2);
  Int stride = 1;
  for (const std::size_t first : {1U, 0U}) {
    for (std::size_t i = first; i < rank; i += 2) {
      strides[i] = cute::Stride(stride);
      stride *= extents[i];
    }
  }
  return value_of(cute::make_layout(IntTuple(Profile::flat(rank), extents),
                                    cute::StrideTuple(Profile::flat(rank), strides)));
}

/// The same map with each extent of 4 as two of 2.
Layout in_twos(const Layout& layout) {
  std::vector<Layout> modes;
  for (const Layout& mode : layout.modes()) {
    const Int step = mode.strides().front().scale();
    if (mode.size() == Int(4)) modes.push_back(value_of(cute::make_layout(Int(2), step)));
    const Int last = mode.size() == Int(4) ? 2 * step : step;
    modes.push_back(value_of(cute::make_layout(Int(2), last)));
  }
  return value_of(cute::make_layout(modes));
}

/// The modes of the layout, read the last one first.
Layout backwards(const Layout& layout) {
  std::vector<Layout> modes;
  Int stride = 1;
  for (const Int& extent : layout.extents()) {
    modes.insert(modes.begin(), value_of(cute::make_layout(extent, stride)));
    stride *= extent;
  }
  return value_of(cute::make_layout(modes));
}

void expect_same(const Layout& ours, const Layout& theirs) {
  if (cute::equal(ours, theirs).is_yes()) return;
  fail("the algebra: " + to_string(ours) + ", isl: " + to_string(theirs));
}

std::vector<Question> cute_questions(std::size_t rank) {
  const Layout a = interleaved(rank);
  const Layout b = backwards(a);
  const Layout finer = in_twos(a);
  const IntTuple shape = a.shape();
  const cute::StrideTuple stride = a.stride();
  return {
      {"build",
       [=] {
         const Layout layout = *cute::make_layout(shape, stride);
         benchmark::DoNotOptimize(cute::digit_form(layout));
       },
       [=](const map::Limits& limits) {
         const auto single = answer_of(isl_engine::is_single_valued(a, limits));
         if (single == false) fail("not single-valued: " + to_string(a));
         return single.has_value();
       }},
      {"compose", [=] { benchmark::DoNotOptimize(cute::composition(a, b)); },
       [=](const map::Limits& limits) {
         const auto composed = answer_of(isl_engine::composition(a, b, limits));
         if (composed) expect_same(value_of(cute::composition(a, b)), *composed);
         return composed.has_value();
       }},
      {"invert", [=] { benchmark::DoNotOptimize(cute::inverse(a)); },
       [=](const map::Limits& limits) {
         const auto inverse = answer_of(isl_engine::inverse(a, limits));
         if (inverse) expect_same(value_of(cute::inverse(a)), *inverse);
         return inverse.has_value();
       }},
      {"compare", [=] { benchmark::DoNotOptimize(cute::equal(a, finer)); },
       [=](const map::Limits& limits) {
         const auto same = answer_of(isl_engine::equal(a, finer, limits));
         if (same && *same != cute::equal(a, finer).is_yes()) fail("isl: not equal");
         return same.has_value();
       }},
  };
}

// ---- Linear layouts ----

/// (x, y) -> (x, y xor x), all bits of x beside those of y: a swizzle. With `twist` the last basis
/// leads elsewhere too.
LinearLayout swizzled(int bits, const linear::Names& ins, const linear::Names& outs,
                      bool twist = false) {
  const int low = bits / 2;
  const int high = bits - low;
  linear::InBases x{ins[0], {}};
  linear::InBases y{ins[1], {}};
  for (int i = 0; i < low; ++i) x.vectors.push_back({std::int64_t{1} << i, std::int64_t{1} << i});
  for (int i = 0; i < high; ++i) y.vectors.push_back({0, std::int64_t{1} << i});
  if (twist) y.vectors.back()[0] = 1;
  const linear::NamedSizes sizes = {{outs[0], std::int64_t{1} << low},
                                    {outs[1], std::int64_t{1} << high}};
  return value_of(LinearLayout::make({x, y}, sizes));
}

std::vector<Question> linear_questions(int bits) {
  const linear::Names ins{"lane", "register"};
  const linear::Names outs{"dim0", "dim1"};
  const linear::Names last{"offset", "bank"};
  const LinearLayout a = swizzled(bits, ins, outs);
  const LinearLayout outer = swizzled(bits, outs, last);
  const LinearLayout other = swizzled(bits, ins, outs, true);
  const linear::Bases bases = a.bases();
  const linear::NamedSizes sizes = a.out_dim_sizes();
  return {
      {"build", [=] { benchmark::DoNotOptimize(LinearLayout::make(bases, sizes)); },
       [=](const map::Limits& limits) {
         const auto single = answer_of(isl_engine::is_single_valued(a, limits));
         if (single == false) fail("not single-valued: " + to_string(a));
         return single.has_value();
       }},
      {"compose", [=] { benchmark::DoNotOptimize(linear::compose(a, outer)); },
       [=](const map::Limits& limits) {
         const auto composed = answer_of(isl_engine::compose(a, outer, limits));
         if (composed && *composed != value_of(linear::compose(a, outer))) fail("composed");
         return composed.has_value();
       }},
      {"invert", [=] { benchmark::DoNotOptimize(linear::invert(a)); },
       [=](const map::Limits& limits) {
         const auto inverse = answer_of(isl_engine::invert(a, limits));
         if (inverse && *inverse != value_of(linear::invert(a))) fail("inverted");
         return inverse.has_value();
       }},
      {"compare", [=] { benchmark::DoNotOptimize(linear::equal(a, other)); },
       [=](const map::Limits& limits) {
         const auto same = answer_of(isl_engine::equal(a, other, limits));
         if (same == true) fail("isl: equal");
         return same.has_value();
       }},
  };
}

// ---- Recovery ----

/// 2^40 elements: eight modes of 32, none of them beside the one that it would continue.
Layout large_layout() {
  IntTuple::Leaves extents(8, Int(32));
  cute::StrideTuple::Leaves strides(8, cute::Stride(0));
  for (int i = 0; i < 8; ++i) {
    strides[static_cast<std::size_t>(i)] = cute::Stride(std::int64_t{1} << 5 * (i * 3 % 8));
  }
  return value_of(cute::make_layout(IntTuple(Profile::flat(8), extents),
                                    cute::StrideTuple(Profile::flat(8), strides)));
}

map::RecoverOptions one_flat_index(const Layout& layout) {
  map::RecoverOptions options;
  options.compatible_with = IntTuple(layout.size());
  return options;
}

void recover_large(const Layout& layout) {
  auto recovered = map::recover_strided(layout, one_flat_index(layout));
  benchmark::DoNotOptimize(recovered);
}

void check_recovery(const Layout& layout) {
  const auto recovered = value_of(map::recover_strided(layout, one_flat_index(layout)));
  if (!cute::equal(recovered, layout).is_yes()) fail("recovered: another layout");
}

// ---- The tables ----

std::string time_text(double seconds) {
  char text[32];
  if (seconds < 1e-6) {
    std::snprintf(text, sizeof text, "%.0f ns", seconds * 1e9);
  } else if (seconds < 1e-3) {
    std::snprintf(text, sizeof text, "%.1f us", seconds * 1e6);
  } else if (seconds < 1) {
    std::snprintf(text, sizeof text, "%.1f ms", seconds * 1e3);
  } else {
    std::snprintf(text, sizeof text, "%.1f s", seconds);
  }
  return text;
}

/// Two digits: 1,400,000.
std::string ratio_text(double ratio) {
  const double unit = std::pow(10, std::max(0.0, std::floor(std::log10(ratio)) - 1));
  std::string digits = std::to_string(static_cast<long long>(std::round(ratio / unit) * unit));
  for (std::size_t i = digits.size(); i > 3;) digits.insert(i -= 3, ",");
  return digits;
}

/// Prints the rows of one family, a size each; a question that was too much for isl twice is not
/// put again.
class Table {
 public:
  explicit Table(double limit) : limit_(limit) {}

  void begin(const char* what) {
    std::printf("\n| %s | question | Heddle | isl | ratio |\n|---|---|---|---|---|\n", what);
    exhausted_.assign(4, 0);
  }

  void add(const std::string& size, const std::vector<Question>& questions) {
    for (std::size_t i = 0; i < questions.size(); ++i) {
      print(size, questions[i], exhausted_[i]);
      std::fflush(stdout);
    }
  }

 private:
  void print(const std::string& size, const Question& question, int& exhausted) const {
    const double ours = seconds_of(question.ours);
    std::printf("| %s | %s | %s | ", size.c_str(), question.name.c_str(), time_text(ours).c_str());
    if (exhausted >= 2) {
      std::printf("> | > |\n");
      return;
    }
    std::stop_source stop;
    const double begin = processor_seconds();
    const bool answered = question.isl(processor_limits(limit_, stop));
    const double theirs = processor_seconds() - begin;
    exhausted = answered ? 0 : exhausted + 1;
    const char* sign = answered ? "" : "> ";
    std::printf("%s%s | %s%s |\n", sign, time_text(theirs).c_str(), sign,
                ratio_text(theirs / ours).c_str());
  }

  double limit_;
  std::vector<int> exhausted_;
};

void print_tables(double limit) {
  Table table(limit);
  table.begin("CuTe layouts");
  for (const std::size_t rank : {2U, 3U, 4U, 5U, 6U, 8U, 12U, 16U, 24U}) {
    table.add("rank " + std::to_string(rank), cute_questions(rank));
  }
  table.begin("linear layouts");
  for (const int bits : {4, 6, 8, 10, 12, 16, 24, 32, 40}) {
    table.add(std::to_string(bits) + " bits", linear_questions(bits));
  }
  const Layout large = large_layout();
  const double seconds = seconds_of([&] { recover_large(large); });
  std::printf("\nRecovery of %s, 2^40 elements, from its values: %s.\n", to_string(large).c_str(),
              time_text(seconds).c_str());
  if (seconds > 1e-3) fail("the recovery takes longer than a millisecond");
}

void register_questions(const std::string& prefix, const std::vector<Question>& questions,
                        bool with_isl) {
  for (const Question& question : questions) {
    const std::string name = question.name + "/" + prefix;
    benchmark::RegisterBenchmark(name.c_str(), [=](benchmark::State& state) {
      for (auto _ : state) question.ours();
    });
    if (!with_isl) continue;
    benchmark::RegisterBenchmark((name + "/isl").c_str(), [=](benchmark::State& state) {
      for (auto _ : state) question.isl({});
    });
  }
}

}  // namespace

int main(int argc, char** argv) {
  check_recovery(large_layout());
  if (argc > 1 && std::strcmp(argv[1], "--table") == 0) {
    print_tables(argc > 2 ? std::atof(argv[2]) : 10);
    return 0;
  }
  for (const std::size_t rank : {2U, 6U, 24U}) {
    register_questions("rank_" + std::to_string(rank), cute_questions(rank), rank == 2);
  }
  for (const int bits : {4, 8, 40}) {
    register_questions(std::to_string(bits) + "_bits", linear_questions(bits), bits == 4);
  }
  benchmark::RegisterBenchmark("recover/2^40", [](benchmark::State& state) {
    const Layout large = large_layout();
    for (auto _ : state) recover_large(large);
  });
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return 0;
}
