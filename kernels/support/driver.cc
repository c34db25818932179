#include "support/driver.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <iostream>
#include <limits>
#include <sstream>

namespace heddle::kernels {
namespace {

struct BadUsage : std::runtime_error {
  using std::runtime_error::runtime_error;
};

std::int64_t number(const std::string& option, const std::string& text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < 0 ||
      value > std::numeric_limits<int>::max()) {
    throw BadUsage(option + " needs a number, not '" + text + "'");
  }
  return value;
}

std::string usage(const std::string& program, const std::vector<Option>& known) {
  std::ostringstream text;
  text << "usage: " << std::filesystem::path(program).filename().string()
       << " --program FILE [--twin FILE] [--time N] [--json]";
  for (const Option& option : known) text << " [--" << option.name << " N]";
  text << "\n";
  for (const Option& option : known) {
    text << "  --" << option.name << "  " << option.meaning << "; " << option.value
         << " by default\n";
  }
  return text.str();
}

// SplitMix64.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  std::uint64_t operator()() {
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }

 private:
  std::uint64_t state_;
};

// The coordinates of element `index` of an array, as [i, j].
std::string coordinates(std::size_t index, const std::vector<std::int64_t>& shape) {
  std::string text;
  for (auto extent = shape.rbegin(); extent != shape.rend(); ++extent) {
    const auto size = static_cast<std::size_t>(*extent);
    text = std::to_string(index % size) + (text.empty() ? "" : ", ") + text;
    index /= size;
  }
  return "[" + text + "]";
}

template <class Number, class Differs>
void compare_elements(const std::string& what, const std::vector<Number>& expected,
                      const std::vector<Number>& actual, const std::vector<std::int64_t>& shape,
                      const Differs& differs) {
  if (expected.size() != actual.size()) {
    throw WrongResult(what + " has " + std::to_string(actual.size()) + " elements, not " +
                      std::to_string(expected.size()));
  }
  std::size_t wrong = 0;
  std::size_t first = 0;
  for (std::size_t i = expected.size(); i-- > 0;) {
    if (!differs(expected[i], actual[i])) continue;
    ++wrong;
    first = i;
  }
  if (wrong == 0) return;
  std::ostringstream text;
  text.precision(9);
  text << what << coordinates(first, shape) << " is " << actual[first] << ", not "
       << expected[first] << " (" << wrong << " of " << expected.size() << " elements are wrong)";
  throw WrongResult(text.str());
}

}  // namespace

Options::Options(int argc, char** argv, const std::vector<Option>& known) {
  for (const Option& option : known) values_[option.name] = option.value;
  for (int i = 1; i < argc; ++i) {
    const std::string option = argv[i];
    if (option == "--json") {
      json_ = true;
      continue;
    }
    if (i + 1 == argc) throw BadUsage(option + " needs a value, or is not an option");
    const std::string value = argv[++i];
    if (option == "--program") {
      program_ = value;
    } else if (option == "--twin") {
      twin_ = value;
    } else if (option == "--time") {
      repetitions_ = static_cast<int>(number(option, value));
    } else if (option.starts_with("--") && values_.contains(option.substr(2))) {
      values_[option.substr(2)] = number(option, value);
    } else {
      throw BadUsage(option + " is not an option");
    }
  }
  if (program_.empty()) throw BadUsage("--program is missing");
}

std::int64_t Options::operator[](const std::string& name) const { return values_.at(name); }

std::vector<int> random_integers(std::size_t count, int bound, std::uint64_t seed) {
  Random random(seed);
  std::vector<int> numbers(count);
  for (int& n : numbers) n = static_cast<int>(random() % static_cast<std::uint64_t>(bound));
  return numbers;
}

std::vector<float> random_floats(std::size_t count, std::uint64_t seed) {
  Random random(seed);
  std::vector<float> numbers(count);
  for (float& n : numbers) n = static_cast<float>(random() >> 40) * 0x1p-23F - 1;
  return numbers;
}

void compare(const std::string& what, const std::vector<int>& expected,
             const std::vector<int>& actual, const std::vector<std::int64_t>& shape) {
  compare_elements(what, expected, actual, shape, [](int e, int a) { return e != a; });
}

void compare(const std::string& what, const std::vector<float>& expected,
             const std::vector<float>& actual, const std::vector<std::int64_t>& shape,
             Tolerance tolerance) {
  compare_elements(what, expected, actual, shape, [&](double e, double a) {
    // Not-a-number is within no tolerance.
    return !(std::abs(a - e) <= tolerance.absolute + tolerance.relative * std::abs(e));
  });
}

double median_seconds(Device& device, int repetitions, const std::function<void()>& work) {
  for (int i = 0; i < (repetitions + 3) / 4; ++i) work();
  device.finish();
  std::vector<double> times;
  for (int i = 0; i < repetitions; ++i) times.push_back(device.seconds(work));
  if (times.empty()) return 0;
  const auto middle = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2);
  std::nth_element(times.begin(), middle, times.end());
  return *middle;
}

void report(const Options& options, const Device& device, const Finding& finding) {
  const std::string variant = variant_of(options.program());
  if (options.json()) {
    std::printf(
        "{\"kernel\":\"%s\",\"variant\":\"%s\",\"device\":\"%s\",\"seconds\":%.9g,\"bytes\":%.9g,"
        "\"operations\":%.9g}\n",
        finding.kernel.c_str(), variant.c_str(), device.name().c_str(), finding.seconds,
        finding.bytes, finding.operations);
    return;
  }
  std::printf("%s, %s: %s", finding.kernel.c_str(), variant.c_str(),
              options.compares() ? "right" : "not compared");
  if (finding.seconds > 0) {
    std::printf(", %.4g ms", 1e3 * finding.seconds);
    if (finding.bytes > 0) std::printf(", %.4g GB/s", 1e-9 * finding.bytes / finding.seconds);
    if (finding.operations > 0) {
      std::printf(", %.4g Gop/s", 1e-9 * finding.operations / finding.seconds);
    }
  }
  std::printf(" on %s\n", device.name().c_str());
}

int run_driver(int argc, char** argv, const std::vector<Option>& known,
               const std::function<void(const Options&, Device&)>& drive) {
  try {
    const Options options(argc, argv, known);
    const std::unique_ptr<Device> device = open_device(options.program(), options.twin());
    drive(options, *device);
    return 0;
  } catch (const BadUsage& error) {
    std::cerr << error.what() << "\n" << usage(argv[0], known);
    return 2;
  } catch (const DeviceMissing& error) {
    std::cout << "skipped: " << error.what() << "\n";
    return 77;
  } catch (const WrongResult& error) {
    std::cerr << "wrong: " << error.what() << "\n";
    return 1;
  } catch (const std::exception& error) {
    std::cerr << "error: " << error.what() << "\n";
    return 2;
  }
}

}  // namespace heddle::kernels
