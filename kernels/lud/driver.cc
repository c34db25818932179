// Decomposes an N x N matrix into L and U.

#include "support/driver.h"

namespace heddle::kernels {
namespace {

// A random matrix that needs no pivoting: no row is larger off the diagonal than on it.
std::vector<float> random_matrix(std::size_t n) {
  std::vector<float> a = random_floats(n * n, 1);
  for (std::size_t i = 0; i < n; ++i) a[i * n + i] += static_cast<float>(n);
  return a;
}

std::vector<float> decompose(const std::vector<float>& matrix, std::size_t n) {
  std::vector<double> a(matrix.begin(), matrix.end());
  for (std::size_t p = 0; p < n; ++p) {
    for (std::size_t i = p + 1; i < n; ++i) {
      const double factor = a[i * n + p] /= a[p * n + p];
      for (std::size_t j = p + 1; j < n; ++j) a[i * n + j] -= factor * a[p * n + j];
    }
  }
  return {a.begin(), a.end()};
}

void drive(const Options& options, Device& device) {
  const int n = options.size("n");
  const std::vector<float> matrix = random_matrix(static_cast<std::size_t>(n));
  const std::vector<int> numbers = geometry(device, 2);
  const int size = numbers[0];
  const Extent threads{numbers[1], numbers[1]};
  const auto blocks = static_cast<int>(ceil_div(n, size));

  Buffer<float> a(device, matrix);
  const auto work = [&] {
    for (int step = 0; step < blocks; ++step) {
      device.launch("lud_diagonal", {}, threads, a, n, step);
      const int rest = blocks - step - 1;
      if (rest == 0) break;
      device.launch("lud_rows", {rest}, threads, a, n, step);
      device.launch("lud_columns", {rest}, threads, a, n, step);
      device.launch("lud_inner", {rest, rest}, threads, a, n, step);
    }
  };
  work();
  if (options.compares()) {
    compare("a", decompose(matrix, static_cast<std::size_t>(n)), a.read(), {n, n}, {1e-5, 1e-5});
  }
  // Measured are decompositions of what is there: how long they take does not depend on the
  // numbers, as long as these are finite, and decomposing L and U anew keeps them so.
  const double seconds = median_seconds(device, options.repetitions(), work);
  const double elements = static_cast<double>(n) * n;
  report(options, device, {"lud", seconds, 8 * elements, 2 * elements * n / 3});
}

}  // namespace
}  // namespace heddle::kernels

int main(int argc, char** argv) {
  return heddle::kernels::run_driver(
      argc, argv, {{"n", 100, "rows and columns"}, {"check", 1, "0: measure only, do not compare"}},
      heddle::kernels::drive);
}
