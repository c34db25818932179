// Tuning by measurement: one open choice after the other, what is compared for it in turns.

#include "heddle/kernel/tune.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <memory>
#include <set>
#include <utility>

#include "heddle/kernel/meaning.h"
#include "heddle/kernel/operators.h"
#include "kernel/device/tune_choices.h"

namespace heddle::kernel {

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

/// Memory of this size that begins at a line of the caches.
class LineMemory {
 public:
  explicit LineMemory(std::vector<std::byte> bytes)
      : bytes_(std::move(bytes)), memory_(bytes_.size() + kLine) {}

  void* begin() {
    void* first = memory_.data();
    std::size_t room = memory_.size();
    return std::align(kLine, bytes_.size(), first, room);
  }
  /// Holds again what it held first.
  void restore() { std::ranges::copy(bytes_, static_cast<std::byte*>(begin())); }
  [[nodiscard]] std::size_t size() const { return bytes_.size(); }

 private:
  static constexpr std::size_t kLine = 64;
  std::vector<std::byte> bytes_;
  std::vector<std::byte> memory_;
};

/// The arguments in memory, which all that is compared runs on.
class Workbench {
 public:
  static Result<Workbench> make(const Kernel& kernel, std::vector<Array> arguments,
                                const Sizes& sizes) {
    Workbench bench;
    for (std::size_t i = 0; i != arguments.size(); ++i) {
      const Tensor& parameter = kernel.parameters[i];
      Places places;
      if (parameter.space != Space::kValue && parameter.layout) {
        HEDDLE_TRY(places, places_of(parameter, arguments[i], sizes));
        bench.memory_.emplace_back(bytes_of(spread_out(arguments[i], places)));
      } else {
        bench.memory_.emplace_back(bytes_of(arguments[i]));
      }
      bench.memory_.back().restore();
      bench.places_.push_back(std::move(places));
      if (parameter.space != Space::kValue) {
        bench.bytes_ += static_cast<double>(bench.memory_.back().size());
      }
    }
    bench.written_ = written_parameters(kernel);
    bench.arguments_ = std::move(arguments);
    return bench;
  }

  std::vector<void*> pointers() {
    std::vector<void*> all;
    for (LineMemory& each : memory_) all.push_back(each.begin());
    return all;
  }
  void restore() {
    for (const std::size_t i : written_) memory_[i].restore();
  }
  /// The arguments, with what the memory holds now.
  std::vector<Array> results() {
    std::vector<Array> all = arguments_;
    for (const std::size_t i : written_) {
      const std::span bytes(static_cast<const std::byte*>(memory_[i].begin()), memory_[i].size());
      if (places_[i].of_element.empty()) {
        all[i] = array_of(all[i].type, all[i].shape, bytes);
        continue;
      }
      const Array held = array_of(all[i].type, {places_[i].elements}, bytes);
      all[i] = gathered(std::move(all[i]), places_[i], held);
    }
    return all;
  }
  [[nodiscard]] const std::vector<Array>& arguments() const { return arguments_; }
  [[nodiscard]] double bytes() const { return bytes_; }

 private:
  std::vector<Array> arguments_;
  std::vector<LineMemory> memory_;
  std::vector<Places> places_;
  std::vector<std::size_t> written_;
  double bytes_ = 0;
};

/// The source without the lines that are only comments: what is compiled.
std::string code_of(const std::string& source) {
  std::string code;
  for (std::size_t begin = 0; begin < source.size();) {
    const std::size_t end = std::min(source.find('\n', begin), source.size() - 1) + 1;
    const std::string_view line = std::string_view(source).substr(begin, end - begin);
    const std::size_t first = line.find_first_not_of(' ');
    if (!line.substr(std::min(first, line.size())).starts_with("//")) code += line;
    begin = end;
  }
  return code;
}

/// A kernel that may win.
struct Runner {
  Kernel kernel;
  ThreadProgram program;
  /// What of it is compiled.
  std::string code;
  std::size_t trial = 0;
  std::function<Result<void>()> run = {};
  /// The least time of the comparison that is made.
  double seconds = 0;
};

class Tuner {
 public:
  Tuner(const Kernel& kernel, TargetMachine target, Workbench bench, const Sizes& sizes,
        const TuneOptions& options)
      : kernel_(kernel),
        target_(target),
        bench_(std::move(bench)),
        sizes_(sizes),
        options_(options) {}

  Result<Tuning> run() {
    HEDDLE_TRY(Runner first, prepared(kernel_));
    HEDDLE_CHECK(bind(first));
    HEDDLE_TRY(first.seconds, timed(first));
    wanted_ = bench_.results();
    tuning_.trials.push_back({{}, "original", first.seconds});
    report_progress(first.seconds);
    Runner best = first;
    best.kernel = with_tiles(kernel_, first.program);
    HEDDLE_CHECK(search(open_choices(kernel_), best));
    HEDDLE_CHECK(conclude(first, best));
    tuning_.operations = operations_of(kernel_, sizes_);
    tuning_.bytes = bench_.bytes();
    tuning_.is_stopped = options_.stop.stop_requested();
    return std::move(tuning_);
  }

 private:
  [[nodiscard]] bool is_over() const {
    return options_.stop.stop_requested() || seconds_since(begin_) >= options_.seconds;
  }

  Result<Runner> prepared(Kernel kernel) const {
    Runner runner;
    HEDDLE_TRY(runner.program, lower(kernel, options_for(target_)));
    HEDDLE_TRY(const std::string source, to_source(runner.program, target_.target));
    runner.code = code_of(source);
    runner.kernel = std::move(kernel);
    return runner;
  }

  /// Compiles it for the memory.
  Result<void> bind(Runner& runner) {
    HEDDLE_TRY(const DeviceKernel device, DeviceKernel::compile(runner.kernel, target_));
    const std::vector<void*> pointers = bench_.pointers();
    HEDDLE_TRY(runner.run, device.bound_to(bench_.arguments(), pointers, sizes_, options_.workers));
    known_.insert(runner.code);
    return {};
  }

  /// The seconds of a run on the arguments as they were.
  Result<double> timed(const Runner& runner) {
    bench_.restore();
    if (options_.stopwatch) return options_.stopwatch(runner.kernel, runner.run);
    const Clock::time_point begin = Clock::now();
    HEDDLE_CHECK(runner.run());
    return seconds_since(begin);
  }

  /// Tries what is open, one after the other and again, until nothing is better.
  Result<void> search(const std::vector<OpenChoice>& open, Runner& best) {
    constexpr int kMostPasses = 3;
    for (int pass = 0; pass != kMostPasses; ++pass) {
      const Kernel before = best.kernel;
      for (const OpenChoice& each : open) {
        if (is_over()) return {};
        std::vector<Runner> runners;
        for (const Setting& setting : settings_for(each, best.kernel, best.program, target_)) {
          if (is_over()) break;
          if (auto runner = tried(best.kernel, setting)) runners.push_back(*std::move(runner));
        }
        HEDDLE_CHECK(compare_with(best, runners));
      }
      if (best.kernel == before) return {};
    }
    return {};
  }

  /// The kernel with the setting, if it holds, makes another program, and does what the first does.
  std::optional<Runner> tried(const Kernel& kernel, const Setting& setting) {
    auto runner = prepared(with(kernel, setting));
    if (!runner || known_.contains(runner->code)) return std::nullopt;
    runner->trial = tuning_.trials.size();
    Trial& trial = tuning_.trials.emplace_back();
    trial.statement = statement_text(kernel_, setting.statement);
    trial.change = statement_text(runner->kernel, setting.statement);
    // What is open stands at the end of a statement.
    if (trial.change.starts_with(trial.statement)) {
      trial.change.erase(0, std::min(trial.statement.size() + 1, trial.change.size()));
    }
    trial.reason = reason_against(*runner);
    report_progress(0);
    if (!trial.reason.empty()) return std::nullopt;
    return *std::move(runner);
  }

  /// Why it may not win; empty if it may.
  std::string reason_against(Runner& runner) {
    if (const auto bound = bind(runner); !bound) return bound.error().message();
    bench_.restore();
    if (const auto done = runner.run(); !done) return done.error().message();
    for (const Deviation& each : deviations(runner.kernel, wanted_, bench_.results())) {
      if (are_close(runner.kernel, {each})) continue;
      return fmt::format("{} of {} elements of {} differ from those of the original kernel",
                         each.different, each.elements, each.parameter);
    }
    return {};
  }

  /// Runs all of them in turns; the fastest is the best then.
  Result<void> compare_with(Runner& best, std::vector<Runner>& runners) {
    if (runners.empty()) return {};
    std::vector<Runner*> all = {&best};
    for (Runner& each : runners) all.push_back(&each);
    HEDDLE_CHECK(in_turns(all));
    // Half of a comparison says nothing.
    if (options_.stop.stop_requested()) return {};
    for (const Runner& each : runners) {
      tuning_.trials[each.trial].seconds = each.seconds;
    }
    const auto fastest = std::ranges::min_element(runners, {}, &Runner::seconds);
    if (fastest->seconds < kWorthIt * best.seconds) {
      Runner next = std::move(*fastest);
      best = std::move(next);
    }
    report_progress(best.seconds);
    return {};
  }

  /// The least time of each, in rounds, of which there are less if a stop is requested. What is far
  /// behind after the first of them is left out of the others.
  Result<void> in_turns(std::vector<Runner*> runners) {
    const Clock::time_point begin = Clock::now();
    for (int round = 0; round != kMostRounds; ++round) {
      for (Runner* runner : runners) {
        HEDDLE_TRY(const double seconds, timed(*runner));
        runner->seconds = round == 0 ? seconds : std::min(runner->seconds, seconds);
      }
      const bool is_long = seconds_since(begin) >= options_.turn_seconds;
      const bool is_enough =
          is_long && (round + 1 >= kLeastRounds || (round + 1 >= kFirstRounds && is_over()));
      if (is_enough || options_.stop.stop_requested()) return {};
      if (round + 1 != kFirstRounds) continue;
      const double least = (*std::ranges::min_element(runners, {}, &Runner::seconds))->seconds;
      std::erase_if(runners, [&](const Runner* each) { return each->seconds > kFar * least; });
    }
    return {};
  }

  /// Measures the first and the best beside each other.
  Result<void> conclude(Runner& first, Runner& best) {
    if (best.trial == first.trial) {
      HEDDLE_CHECK(in_turns({&first}));
    } else {
      HEDDLE_CHECK(in_turns({&first, &best}));
    }
    const bool is_better = best.trial != first.trial && best.seconds < kWorthIt * first.seconds;
    tuning_.before = first.seconds;
    tuning_.after = is_better ? best.seconds : first.seconds;
    tuning_.trials[best.trial].seconds = best.seconds;
    tuning_.trials.front().seconds = first.seconds;
    tuning_.kernel = is_better ? std::move(best.kernel) : with_tiles(kernel_, first.program);
    return {};
  }

  void report_progress(double best) const {
    if (options_.progress == nullptr) return;
    options_.progress->tried = static_cast<int>(tuning_.trials.size());
    if (best == 0) return;
    if (options_.progress->first == 0) options_.progress->first = best;
    options_.progress->best = best;
  }

  /// What is not faster by a hundredth is not told from noise.
  static constexpr double kWorthIt = 0.99;
  static constexpr double kFar = 8;
  static constexpr int kFirstRounds = 2;
  static constexpr int kLeastRounds = 10;
  static constexpr int kMostRounds = 500;

  const Kernel& kernel_;
  TargetMachine target_;
  Workbench bench_;
  const Sizes& sizes_;
  const TuneOptions& options_;
  Clock::time_point begin_ = Clock::now();
  std::vector<Array> wanted_;
  /// What was compiled.
  std::set<std::string> known_;
  Tuning tuning_;
};

}  // namespace

Result<Tuning> tune(const Kernel& kernel, TargetMachine target, const std::vector<Array>& arguments,
                    const Sizes& sizes, const TuneOptions& options) {
  if (target.target != Target::kCpu) {
    return refuse(Diagnostic("kernel.no_device", fmt::format("kernels for {} cannot be measured",
                                                             name_of(target.target)))
                      .with_hint("--target cpu tunes for this CPU"));
  }
  HEDDLE_TRY(const Sizes known, sizes_of(kernel, arguments, sizes));
  HEDDLE_TRY(Workbench bench, Workbench::make(kernel, arguments, known));
  return Tuner(kernel, target, std::move(bench), known, options).run();
}

std::string to_string(const Tuning& tuning) {
  const bool is_product = tuning.operations.has_value();
  const double work = is_product ? *tuning.operations : tuning.bytes;
  std::string text = fmt::format("{:>10}  {:>8}\n", "ms", is_product ? "GFLOP/s" : "GB/s");
  std::string_view statement;
  for (const Trial& trial : tuning.trials) {
    if (trial.statement != statement) text += fmt::format("{}\n", trial.statement);
    statement = trial.statement;
    if (trial.seconds) {
      text += fmt::format("{:>10.3f}  {:>8.1f}  {}\n", 1e3 * *trial.seconds,
                          work / 1e9 / *trial.seconds, trial.change);
    } else {
      text += fmt::format("{:>10}  {:>8}  {}: {}\n", "-", "-", trial.change,
                          trial.reason.empty() ? "not measured" : trial.reason);
    }
  }
  text += fmt::format("{}: {:.3f} ms originally, {:.3f} ms at best, {:.2f} times as fast{}\n",
                      tuning.kernel.name, 1e3 * tuning.before, 1e3 * tuning.after,
                      tuning.before / tuning.after, tuning.is_stopped ? "; stopped" : "");
  return text;
}

}  // namespace heddle::kernel
