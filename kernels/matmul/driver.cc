// C = A B for M x K and K x N numbers, in whatever order the layouts keep A and B.

#include "support/driver.h"
#include "support/matrix.h"

namespace heddle::kernels {
namespace {

void drive(const Options& options, Device& device) {
  const int m = options.size("m");
  const int n = options.size("n");
  const int k = options.size("k");
  const std::vector<int> decided = geometry(device, 5);
  const std::vector<float> a = random_floats(at(options["m"] * k), 1);
  const std::vector<float> b = random_floats(at(options["k"] * n), 2);

  const Buffer<float> a_memory(device, decided[3] != 0 ? transposed(a, m, k) : a);
  const Buffer<float> b_memory(device, decided[4] != 0 ? transposed(b, k, n) : b);
  const Buffer<float> c_memory(device, at(options["m"] * n));
  const Extent blocks{ceil_div(m, decided[0]) * ceil_div(n, decided[1])};
  const auto work = [&] {
    device.launch("matmul", blocks, {decided[2]}, a_memory, b_memory, c_memory, m, n, k,
                  options.size("group"));
  };
  work();
  if (options.compares()) {
    compare("C", product(a, b, m, n, k), c_memory.read(), {m, n}, product_tolerance(k));
  }
  const double seconds = median_seconds(device, options.repetitions(), work);
  const double elements =
      static_cast<double>(m) * k + static_cast<double>(k) * n + static_cast<double>(m) * n;
  report(options, device, {"matmul", seconds, 4 * elements, 2.0 * m * n * k});
}

}  // namespace
}  // namespace heddle::kernels

int main(int argc, char** argv) {
  return heddle::kernels::run_driver(argc, argv,
                                     {{"m", 100, "rows of A and C"},
                                      {"n", 70, "columns of B and C"},
                                      {"k", 50, "columns of A, rows of B"},
                                      {"group", 8, "rows of tiles that blocks take together"},
                                      {"check", 1, "0: do not compare with the reference"}},
                                     heddle::kernels::drive);
}
