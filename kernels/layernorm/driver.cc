// Layer normalisation of the rows of M x N numbers, and its gradients.

#include "support/driver.h"
#include "support/matrix.h"

#include <cmath>

namespace heddle::kernels {
namespace {

constexpr float kEpsilon = 1e-5F;

struct Forward {
  std::vector<float> y, means, rstds;
};

struct Backward {
  std::vector<float> dx, dw, db;
};

Forward forward(const std::vector<float>& x, const std::vector<float>& w,
                const std::vector<float>& b, std::int64_t m, std::int64_t n) {
  Forward result{std::vector<float>(x.size()), std::vector<float>(at(m)),
                 std::vector<float>(at(m))};
  for (std::int64_t i = 0; i < m; ++i) {
    const float* const row = x.data() + i * n;
    double mean = 0;
    for (std::int64_t j = 0; j < n; ++j) mean += row[j];
    mean /= static_cast<double>(n);
    double variance = 0;
    for (std::int64_t j = 0; j < n; ++j) variance += (row[j] - mean) * (row[j] - mean);
    const double rstd = 1 / std::sqrt(variance / static_cast<double>(n) + kEpsilon);
    for (std::int64_t j = 0; j < n; ++j) {
      result.y[at(i * n + j)] = static_cast<float>((row[j] - mean) * rstd * w[at(j)] + b[at(j)]);
    }
    result.means[at(i)] = static_cast<float>(mean);
    result.rstds[at(i)] = static_cast<float>(rstd);
  }
  return result;
}

Backward backward(const std::vector<float>& dy, const std::vector<float>& x,
                  const std::vector<float>& w, const Forward& of, std::int64_t m, std::int64_t n) {
  Backward result{std::vector<float>(x.size()), {}, {}};
  std::vector<double> dw(at(n)), db(at(n));
  for (std::int64_t i = 0; i < m; ++i) {
    const double mean = of.means[at(i)];
    const double rstd = of.rstds[at(i)];
    const auto normal = [&](std::int64_t j) { return (x[at(i * n + j)] - mean) * rstd; };
    const auto change = [&](std::int64_t j) {
      return static_cast<double>(dy[at(i * n + j)]) * w[at(j)];
    };
    double along_x = 0;
    double along_ones = 0;
    for (std::int64_t j = 0; j < n; ++j) {
      along_x += change(j) * normal(j);
      along_ones += change(j);
      dw[at(j)] += dy[at(i * n + j)] * normal(j);
      db[at(j)] += dy[at(i * n + j)];
    }
    const auto count = static_cast<double>(n);
    for (std::int64_t j = 0; j < n; ++j) {
      result.dx[at(i * n + j)] =
          static_cast<float>((change(j) - normal(j) * along_x / count - along_ones / count) * rstd);
    }
  }
  result.dw.assign(dw.begin(), dw.end());
  result.db.assign(db.begin(), db.end());
  return result;
}

void drive(const Options& options, Device& device) {
  const int m = options.size("m");
  const int n = options.size("n");
  const auto count = at(options["m"] * options["n"]);
  const std::vector<int> decided = geometry(device, 3);
  const Extent block{decided[0]};
  const bool by_columns = decided[2] != 0;
  const auto stored = [&](const std::vector<float>& matrix) {
    return by_columns ? transposed(matrix, m, n) : matrix;
  };
  const auto loaded = [&](const Buffer<float>& buffer) {
    return by_columns ? transposed(buffer.read(), n, m) : buffer.read();
  };

  const std::vector<float> x_input = random_floats(count, 1);
  const std::vector<float> dy_input = random_floats(count, 2);
  const std::vector<float> w_input = random_floats(at(n), 3);
  const std::vector<float> b_input = random_floats(at(n), 4);
  const Forward expected = forward(x_input, w_input, b_input, m, n);
  const Backward gradients = backward(dy_input, x_input, w_input, expected, m, n);
  const Tolerance tolerance{1e-4, 1e-5};

  const Buffer<float> x(device, stored(x_input)), dy(device, stored(dy_input));
  const Buffer<float> w(device, w_input), b(device, b_input);
  const Buffer<float> y(device, count), means(device, at(m)), rstds(device, at(m));
  const auto run_forward = [&] {
    device.launch("layernorm", {m}, block, x, w, b, y, means, rstds, m, n, kEpsilon);
  };
  run_forward();
  compare("y", expected.y, loaded(y), {m, n}, tolerance);
  compare("mean", expected.means, means.read(), {m}, tolerance);
  compare("rstd", expected.rstds, rstds.read(), {m}, tolerance);

  const Buffer<float> dx(device, count), dw(device, at(n)), db(device, at(n));
  const auto run_dx = [&] {
    device.launch("layernorm_dx", {m}, block, dy, x, w, means, rstds, dx, m, n);
  };
  const auto run_dwdb = [&] {
    device.launch("layernorm_dwdb", {ceil_div(n, decided[1])}, block, dy, x, means, rstds, dw, db,
                  m, n);
  };
  run_dx();
  run_dwdb();
  compare("dx", gradients.dx, loaded(dx), {m, n}, tolerance);
  // Sums of M numbers, each rounded.
  const Tolerance sums{1e-4, 1e-5 + 1e-6 * m};
  compare("dw", gradients.dw, dw.read(), {n}, sums);
  compare("db", gradients.db, db.read(), {n}, sums);

  const double bytes = 4 * static_cast<double>(count);
  report(options, device,
         {"layernorm", median_seconds(device, options.repetitions(), run_forward), 2 * bytes, 0});
  report(options, device,
         {"layernorm_dx", median_seconds(device, options.repetitions(), run_dx), 3 * bytes, 0});
  report(options, device,
         {"layernorm_dwdb", median_seconds(device, options.repetitions(), run_dwdb), 2 * bytes, 0});
}

}  // namespace
}  // namespace heddle::kernels

int main(int argc, char** argv) {
  return heddle::kernels::run_driver(
      argc, argv, {{"m", 70, "rows of the matrix"}, {"n", 300, "columns of the matrix"}},
      heddle::kernels::drive);
}
