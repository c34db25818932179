// Transposes an array of M x N numbers, straight and through local memory.

#include "support/driver.h"

namespace heddle::kernels {
namespace {

std::vector<float> transpose(const std::vector<float>& a, std::int64_t m, std::int64_t n) {
  std::vector<float> b(a.size());
  for (std::int64_t i = 0; i < m; ++i) {
    for (std::int64_t j = 0; j < n; ++j) {
      b[static_cast<std::size_t>(j * m + i)] = a[static_cast<std::size_t>(i * n + j)];
    }
  }
  return b;
}

void drive(const Options& options, Device& device) {
  const int m = options.size("m");
  const int n = options.size("n");
  const auto count = static_cast<std::size_t>(options["m"] * options["n"]);
  const std::vector<float> input = random_floats(count, 1);
  const std::vector<float> expected = transpose(input, m, n);

  const std::vector<int> sizes = geometry(device, 2);
  const int tile = sizes[0];
  const int rows = sizes[1];
  const Extent grid{ceil_div(n, tile), ceil_div(m, tile)};
  const Buffer<float> a(device, input);
  for (const char* kernel : {"transpose_naive", "transpose"}) {
    const Buffer<float> b(device, count);
    const auto work = [&] { device.launch(kernel, grid, {tile, rows}, a, b, m, n); };
    work();
    compare("b", expected, b.read(), {n, m});
    const double seconds = median_seconds(device, options.repetitions(), work);
    report(options, device, {kernel, seconds, 8.0 * static_cast<double>(count), 0});
  }
}

}  // namespace
}  // namespace heddle::kernels

int main(int argc, char** argv) {
  return heddle::kernels::run_driver(
      argc, argv, {{"m", 100, "rows of the array"}, {"n", 70, "columns of the array"}},
      heddle::kernels::drive);
}
