// What tests of programs have in common: random numbers, data for parameters, comparison.

#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "heddle/kernel/meaning.h"
#include "heddle/kernel/program.h"
#include "heddle/kernel/source.h"

namespace heddle::kernels {

// One kernel as text, with the sizes that it is run at.
struct Program {
  std::string text;
  kernel::Sizes sizes;
  // How far results may be from what the kernel means, relative to the largest.
  double tolerance = 0;
  // The schedule of the program's own that one of its operators must be done by.
  std::string forced = {};
};

// A kernel with arguments, and what they are when it has run.
struct Case {
  kernel::Kernel kernel;
  std::vector<kernel::Array> arguments;
  std::vector<kernel::Array> wanted;
  std::string text = {};
  kernel::Sizes sizes = {};
  double tolerance = 0;
};

// HEDDLE_SEED and HEDDLE_PROPERTY_COUNT of the environment, or fixed numbers.
std::uint64_t seed();
int case_count();

// `cuda_on_cpu`, `opencl`: the name of a test's back end.
inline std::string device_name(const testing::TestParamInfo<kernel::Target>& target) {
  if (target.param == kernel::Target::kCpu) return "cpu";
  return target.param == kernel::Target::kCuda ? "cuda_on_cpu" : "opencl";
}

class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}
  std::int64_t from(std::int64_t low, std::int64_t high) {
    return std::uniform_int_distribution<std::int64_t>(low, high)(engine_);
  }
  bool coin() { return from(0, 1) == 1; }
  template <class T>
  const T& one_of(const std::vector<T>& list) {
    return list[static_cast<std::size_t>(from(0, static_cast<std::int64_t>(list.size()) - 1))];
  }

 private:
  std::mt19937_64 engine_;
};

// The kernels of a .heddle file beside this one.
std::string text_of_file(const std::string& name);
std::vector<kernel::Kernel> kernels_of_file(const std::string& name);

// The kernels of all files at sizes with remainders; values are positive (files_test.cc). Without
// what is wanted unless that is asked for.
std::vector<Case> cases_of_files(Random& random, bool with_results = true);
// Copies, functions of elements, reductions, products and views of bits (programs_test.cc).
std::vector<Program> random_programs(Random& random, int of_each);
// Statements, loops and scopes; nullopt for a kernel that races or does not end
// (statements_test.cc).
std::optional<Case> random_case(Random& random, std::map<std::string, int>& refused,
                                bool has_barriers = true);

// Data for each parameter: unique ids for integers, small numbers for floats.
std::vector<kernel::Array> data_for(const kernel::Kernel& kernel, const kernel::Sizes& sizes,
                                    Random& random);

// Empty if the results agree; else where they do not.
std::string difference(const kernel::Array& found, const kernel::Array& wanted, double tolerance);

// `8,16`.
std::string joined(const std::vector<std::string>& parts);

}  // namespace heddle::kernels
