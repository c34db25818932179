// Several products C = A B of different sizes by one launch.

#include "support/driver.h"
#include "support/matrix.h"

namespace heddle::kernels {
namespace {

struct Problem {
  std::int64_t m, n, k;
  std::vector<float> a, b;
  // Where the matrices begin in memory.
  std::int64_t a_place, b_place, c_place;
};

void append(std::vector<float>& memory, const std::vector<float>& elements) {
  memory.insert(memory.end(), elements.begin(), elements.end());
}

void drive(const Options& options, Device& device) {
  const std::vector<int> decided = geometry(device, 6);
  const auto count = options["g"];

  // The products get smaller, each in another dimension than the last.
  std::vector<Problem> problems;
  std::vector<float> a_input, b_input;
  std::int64_t c_size = 0;
  double bytes = 0;
  double operations = 0;
  for (std::int64_t g = 0; g < count; ++g) {
    const auto part = [&](const char* name, std::int64_t smaller) {
      return (options[name] + smaller - 1) / smaller;
    };
    Problem p{part("m", 1 + g % 3), part("n", 1 + g % 2), part("k", 1 + g % 4), {}, {}, 0, 0, 0};
    p.a = random_floats(at(p.m * p.k), static_cast<std::uint64_t>(2 * g));
    p.b = random_floats(at(p.k * p.n), static_cast<std::uint64_t>(2 * g + 1));
    p.a_place = static_cast<std::int64_t>(a_input.size());
    p.b_place = static_cast<std::int64_t>(b_input.size());
    p.c_place = c_size;
    append(a_input, decided[3] != 0 ? transposed(p.a, p.m, p.k) : p.a);
    append(b_input, decided[4] != 0 ? transposed(p.b, p.k, p.n) : p.b);
    c_size += p.m * p.n;
    bytes += 4 * static_cast<double>(p.m * p.k + p.k * p.n + p.m * p.n);
    operations += 2 * static_cast<double>(p.m * p.n * p.k);
    problems.push_back(std::move(p));
  }

  // The table, in the order that the layouts decide.
  std::vector<int> table(at(count * 6));
  for (std::int64_t g = 0; g < count; ++g) {
    const Problem& p = problems[at(g)];
    const std::int64_t fields[] = {p.m, p.n, p.k, p.a_place, p.b_place, p.c_place};
    for (std::int64_t field = 0; field < 6; ++field) {
      table[at(decided[5] != 0 ? field * count + g : g * 6 + field)] =
          static_cast<int>(fields[field]);
    }
  }

  const Buffer<float> a(device, a_input), b(device, b_input), c(device, at(c_size));
  const Buffer<int> problems_memory(device, table);
  const auto work = [&] {
    device.launch("grouped_gemm", {options["blocks"]}, {decided[2]}, a, b, c, problems_memory,
                  options.size("g"));
  };
  work();
  if (options.compares()) {
    const std::vector<float> result = c.read();
    for (std::int64_t g = 0; g < count; ++g) {
      const Problem& p = problems[at(g)];
      const auto first = result.begin() + p.c_place;
      compare("C of product " + std::to_string(g), product(p.a, p.b, p.m, p.n, p.k),
              {first, first + p.m * p.n}, {p.m, p.n}, product_tolerance(p.k));
    }
  }
  const double seconds = median_seconds(device, options.repetitions(), work);
  report(options, device, {"grouped_gemm", seconds, bytes, operations});
}

}  // namespace
}  // namespace heddle::kernels

int main(int argc, char** argv) {
  return heddle::kernels::run_driver(argc, argv,
                                     {{"g", 5, "products"},
                                      {"m", 150, "rows of the first A and C"},
                                      {"n", 100, "columns of the first B and C"},
                                      {"k", 60, "columns of the first A, rows of the first B"},
                                      {"blocks", 4, "blocks that share the work"},
                                      {"check", 1, "0: do not compare with the reference"}},
                                     heddle::kernels::drive);
}
