// Stencils of six shapes on a grid of n_z x n_y x n_x points.

#include "support/driver.h"

#include <cstdlib>

namespace heddle::kernels {
namespace {

struct Point {
  std::int64_t z;
  std::int64_t y;
  std::int64_t x;
};

struct Stencil {
  const char* name;
  bool is_star;
  int radius;
  int points;
};

constexpr Stencil kStencils[] = {{"star7", true, 1, 7},    {"star13", true, 2, 13},
                                 {"star19", true, 3, 19},  {"star25", true, 4, 25},
                                 {"cube27", false, 1, 27}, {"cube125", false, 2, 125}};

// A row-major array.
struct Grid {
  Point size;
  std::vector<float> points;

  std::size_t count() const { return static_cast<std::size_t>(size.z * size.y * size.x); }
  float& operator()(std::int64_t z, std::int64_t y, std::int64_t x) {
    return points[static_cast<std::size_t>((z * size.y + y) * size.x + x)];
  }
};

// Multiples of 1/128 in [-1, 1). With weights that are powers of two every sum is exact, in any
// order.
std::vector<float> random_points(std::size_t count) {
  std::vector<float> points;
  for (const int n : random_integers(count, 256, 1)) {
    points.push_back(static_cast<float>(n - 128) / 128);
  }
  return points;
}

// The points of a stencil about the origin.
std::vector<Point> neighbours(const Stencil& stencil) {
  std::vector<Point> points;
  const std::int64_t radius = stencil.radius;
  for (std::int64_t z = -radius; z <= radius; ++z) {
    for (std::int64_t y = -radius; y <= radius; ++y) {
      for (std::int64_t x = -radius; x <= radius; ++x) {
        const int off_axes = (z != 0 ? 1 : 0) + (y != 0 ? 1 : 0) + (x != 0 ? 1 : 0);
        if (!stencil.is_star || off_axes <= 1) points.push_back({z, y, x});
      }
    }
  }
  return points;
}

// What `in` becomes; the ghost points around what is computed become 0.
Grid apply(const Stencil& stencil, Grid in, std::int64_t ghost, Point computed) {
  const std::vector<Point> around = neighbours(stencil);
  Grid out{in.size, std::vector<float>(in.count())};
  for (std::int64_t z = ghost; z < ghost + computed.z; ++z) {
    for (std::int64_t y = ghost; y < ghost + computed.y; ++y) {
      for (std::int64_t x = ghost; x < ghost + computed.x; ++x) {
        float sum = 0;
        for (const Point& p : around) {
          const auto steps = std::abs(p.z) + std::abs(p.y) + std::abs(p.x);
          sum += in(z + p.z, y + p.y, x + p.x) / static_cast<float>(1 << steps);
        }
        out(z, y, x) = sum;
      }
    }
  }
  return out;
}

void drive(const Options& options, Device& device) {
  const Point computed{options["nz"], options["ny"], options["nx"]};
  const std::vector<int> numbers = geometry(device, 5);
  const std::int64_t brick = numbers[0];
  const std::int64_t ghost = numbers[1];
  const Point threads{numbers[2], numbers[3], numbers[4]};

  const auto stored_size = [&](std::int64_t n) {
    return static_cast<int>(brick * ceil_div(n + 2 * ghost, brick));
  };
  const int Z = stored_size(computed.z);
  const int Y = stored_size(computed.y);
  const int X = stored_size(computed.x);
  Grid input{{Z, Y, X}, {}};
  input.points = random_points(input.count());
  const std::vector<std::int64_t> shape{input.size.z, input.size.y, input.size.x};

  const Extent all{X / brick, Y / brick, Z / brick};
  const Extent one{brick, brick, brick};
  const Buffer<float> stored(device, input.points);
  const Buffer<float> in(device, input.count());
  device.launch("arrange", all, one, stored, in, Z, Y, X);

  const Extent grid{ceil_div(computed.x, threads.x), ceil_div(computed.y, threads.y),
                    ceil_div(computed.z, threads.z)};
  const Extent block{threads.x, threads.y, threads.z};
  const double count = static_cast<double>(computed.z * computed.y * computed.x);
  for (const Stencil& stencil : kStencils) {
    const Buffer<float> out(device, input.count());
    const auto work = [&] {
      device.launch(stencil.name, grid, block, in, out, Z, Y, X, static_cast<int>(computed.z),
                    static_cast<int>(computed.y), static_cast<int>(computed.x));
    };
    work();
    device.launch("restore", all, one, out, stored, Z, Y, X);
    if (options.compares()) {
      compare(stencil.name, apply(stencil, input, ghost, computed).points, stored.read(), shape);
    }
    const double seconds = median_seconds(device, options.repetitions(), work);
    report(options, device, {stencil.name, seconds, 8 * count, 2.0 * stencil.points * count});
  }
}

}  // namespace
}  // namespace heddle::kernels

int main(int argc, char** argv) {
  return heddle::kernels::run_driver(argc, argv,
                                     {{"nz", 20, "planes to compute"},
                                      {"ny", 13, "rows of a plane"},
                                      {"nx", 70, "points of a row"},
                                      {"check", 1, "0: measure only, do not compare"}},
                                     heddle::kernels::drive);
}
