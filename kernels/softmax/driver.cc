// softmax of each row of M x N numbers.

#include "support/driver.h"
#include "support/matrix.h"

#include <algorithm>
#include <cmath>

namespace heddle::kernels {
namespace {

std::vector<float> softmax(const std::vector<float>& x, std::int64_t m, std::int64_t n) {
  std::vector<float> y(x.size());
  for (std::int64_t i = 0; i < m; ++i) {
    const float* const from = x.data() + i * n;
    const float max = *std::max_element(from, from + n);
    double sum = 0;
    for (std::int64_t j = 0; j < n; ++j) sum += std::exp(static_cast<double>(from[j]) - max);
    for (std::int64_t j = 0; j < n; ++j) {
      y[at(i * n + j)] = static_cast<float>(std::exp(static_cast<double>(from[j]) - max) / sum);
    }
  }
  return y;
}

void drive(const Options& options, Device& device) {
  const int m = options.size("m");
  const int n = options.size("n");
  const auto count = at(options["m"] * options["n"]);
  const std::vector<int> decided = geometry(device, 2);
  const bool by_columns = decided[1] != 0;

  std::vector<float> input = random_floats(count, 1);
  // Numbers whose exponents would overflow.
  for (float& x : input) x *= 100;

  const Buffer<float> x(device, by_columns ? transposed(input, m, n) : input);
  const Buffer<float> y(device, count);
  const auto work = [&] { device.launch("softmax", {m}, {decided[0]}, x, y, m, n); };
  work();
  const std::vector<float> result = y.read();
  compare("y", softmax(input, m, n), by_columns ? transposed(result, n, m) : result, {m, n},
          {2e-5, 1e-7});
  const double seconds = median_seconds(device, options.repetitions(), work);
  report(options, device, {"softmax", seconds, 8.0 * static_cast<double>(count), 0});
}

}  // namespace
}  // namespace heddle::kernels

int main(int argc, char** argv) {
  return heddle::kernels::run_driver(
      argc, argv, {{"m", 70, "rows of the matrix"}, {"n", 300, "columns of the matrix"}},
      heddle::kernels::drive);
}
