// Four devices have four rows each of a 16 x 4 tensor, and want one of its columns each.

#include <heddle/distribute/plan.h>
#include <heddle/distribute/run.h>

#include <cstdint>
#include <iostream>
#include <map>
#include <span>
#include <vector>

using namespace heddle;
using distribute::Distribution;

int main() {
  const axe::Mesh mesh = axe::Mesh::make({4}, {"x"}).value();
  const auto on_mesh = [&](std::int64_t dim) {
    return axe::dtensor(mesh, {axe::Placement::shard(dim)}, {16, 4}).value();
  };
  const Distribution rows = Distribution::make(on_mesh(0)).value();
  const Distribution columns = Distribution::make(on_mesh(1)).value();
  constexpr std::int64_t kBits = 32;
  const distribute::Plan plan = distribute::redistribute(rows, columns, kBits).value();
  std::cout << to_string(plan) << "\n" << distribute::is_complete(plan) << "\n";

  std::map<std::int64_t, std::vector<std::int32_t>> sources;
  std::map<std::int64_t, std::vector<std::int32_t>> destinations;
  std::map<std::int64_t, distribute::DeviceMemory> memories;
  for (const std::int64_t device : plan.devices()) {
    for (std::int64_t i = 0; i < rows.memory(device); ++i) {
      sources[device].push_back(static_cast<std::int32_t>(16 * device + i));
    }
    destinations[device].resize(static_cast<std::size_t>(columns.memory(device)));
    memories[device] = {.source = std::as_bytes(std::span(sources[device])),
                        .destination = std::as_writable_bytes(std::span(destinations[device]))};
  }
  if (const Result<void> ran = distribute::run(plan, memories); !ran) std::cout << ran.error();
  for (const std::int32_t element : destinations[1]) std::cout << element << " ";
  std::cout << "\n";
}
