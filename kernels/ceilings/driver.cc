// How fast a device copies, and how fast it multiplies and adds: what other kernels are measured
// by.

#include "support/driver.h"

namespace heddle::kernels {
namespace {

void measure_copy(const Options& options, Device& device, int threads) {
  const int count = options.size("megabytes") << 16;  // of 16 bytes
  const std::vector<float> input = random_floats(4 * static_cast<std::size_t>(count), 1);
  const Buffer<float> from(device, input);
  const Buffer<float> to(device, input.size());
  const auto work = [&] {
    device.launch("copy", {ceil_div(count, threads)}, {threads}, from, to, count);
  };
  work();
  compare("to", input, to.read(), {static_cast<std::int64_t>(input.size())});
  const double seconds = median_seconds(device, options.repetitions(), work);
  report(options, device, {"copy", seconds, 32.0 * count, 0});
}

void measure_multiply_add(const Options& options, Device& device, int threads, int sums_each) {
  const int blocks = options.size("blocks");
  const int count = blocks * threads;
  const Buffer<float> sums(device, static_cast<std::size_t>(count));
  const auto work = [&] { device.launch("multiply_add", {blocks}, {threads}, sums, 0.0F, count); };
  work();
  // With a factor of 0 each of a thread's sums ends as 1.
  compare("sums", std::vector<float>(sums.size(), static_cast<float>(sums_each)), sums.read(),
          {count});
  const double seconds = median_seconds(device, options.repetitions(), work);
  report(options, device, {"multiply_add", seconds, 0, 2.0 * 512 * sums_each * count});
}

void drive(const Options& options, Device& device) {
  const std::vector<int> numbers = geometry(device, 2);
  measure_copy(options, device, numbers[0]);
  measure_multiply_add(options, device, numbers[0], numbers[1]);
}

}  // namespace
}  // namespace heddle::kernels

int main(int argc, char** argv) {
  return heddle::kernels::run_driver(
      argc, argv,
      {{"megabytes", 1, "what to copy"}, {"blocks", 16, "blocks that multiply and add"}},
      heddle::kernels::drive);
}
