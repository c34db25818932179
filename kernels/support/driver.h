// What every driver does: read options, fill arrays, measure, compare with the reference, report.
//
//   driver --program padded.cl --m 100 --n 70            is the result right?
//   driver --program padded.fatbin --m 8192 --time 100   and how long does it take?
//
// Exit status: 0 the result is right, 1 it is wrong, 2 something else went wrong, 77 there is no
// device.

#pragma once

#include "support/device.h"

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace heddle::kernels {

// An option with a number: its name without the dashes, what it is where it is not given, its
// meaning.
struct Option {
  std::string name;
  std::int64_t value;
  std::string meaning;
};

// What the command line says.
class Options {
 public:
  Options(int argc, char** argv, const std::vector<Option>& known);

  std::int64_t operator[](const std::string& name) const;
  // The same, as kernels take their sizes.
  int size(const std::string& name) const { return static_cast<int>((*this)[name]); }
  const std::string& program() const { return program_; }
  // --twin FILE: the kernels written by hand, in place of the program's.
  const std::string& twin() const { return twin_; }
  // --time N: how many times to measure; 0: not at all.
  int repetitions() const { return repetitions_; }
  // Results are compared with the reference; a driver that has --check may be told not to.
  bool compares() const { return !values_.contains("check") || values_.at("check") != 0; }
  // --json: a line of JSON for each result.
  bool json() const { return json_; }

 private:
  std::map<std::string, std::int64_t> values_;
  std::string program_;
  std::string twin_;
  int repetitions_ = 0;
  bool json_ = false;
};

// The numbers below bound, and numbers in [-1, 1), the same ones in every run: SplitMix64 of
// `seed`.
std::vector<int> random_integers(std::size_t count, int bound, std::uint64_t seed);
std::vector<float> random_floats(std::size_t count, std::uint64_t seed);

// How far a result may be off: |actual - expected| <= absolute + relative * |expected|.
struct Tolerance {
  double relative = 0;
  double absolute = 0;
};

// A result that is wrong: what() names the first element that differs, with both values.
struct WrongResult : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Throws WrongResult where the arrays differ. `shape` is their row-major shape, for the message.
void compare(const std::string& what, const std::vector<int>& expected,
             const std::vector<int>& actual, const std::vector<std::int64_t>& shape);
void compare(const std::string& what, const std::vector<float>& expected,
             const std::vector<float>& actual, const std::vector<std::int64_t>& shape,
             Tolerance tolerance = {});

// The median time of `work`, in seconds, after a quarter as many runs to warm up.
double median_seconds(Device& device, int repetitions, const std::function<void()>& work);

// What a driver has found out about one kernel.
struct Finding {
  std::string kernel;
  // Where it was measured:
  double seconds = 0;
  // What has to be moved from and to memory at least, and floating-point or integer operations of
  // the algorithm; 0: not stated.
  double bytes = 0;
  double operations = 0;
};

// Prints one line: that the result is right, or was not compared, and, where it was measured, time,
// GB/s and Gop/s.
void report(const Options& options, const Device& device, const Finding& finding);

// main(): reads the options, opens the device of --program and calls `drive`.
int run_driver(int argc, char** argv, const std::vector<Option>& known,
               const std::function<void(const Options&, Device&)>& drive);

}  // namespace heddle::kernels
