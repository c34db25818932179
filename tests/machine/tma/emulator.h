#pragma once

// The tensor memory accelerator in plain numbers: what one instruction writes, from the words of
// the PTX manual and nothing of the library but the plan itself.

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "heddle/machine/tma.h"

namespace heddle::test {

/// Which element of global memory lies at each place of shared memory, both counted in elements.
using Landed = std::map<std::int64_t, std::int64_t>;

/// The swizzle modes of the manual, on absolute byte addresses: pieces of 16 bytes change places by
/// the number of their row of 128 bytes.
inline std::int64_t swizzled_address(const std::string& mode, std::int64_t address) {
  const std::int64_t row = address / 128;
  if (mode == "32B") return address ^ ((row & 1) * 16);
  if (mode == "64B") return address ^ ((row & 3) * 16);
  if (mode == "128B") return address ^ ((row & 7) * 16);
  if (mode == "128B_ATOM_32B") return address ^ ((row & 3) * 32);
  if (mode == "128B_ATOM_64B") return address ^ ((row & 1) * 64);
  return address;
}

/// The manual's limits of one tensor map; empty if all are kept.
inline std::string broken_rule(const machine::TensorMap& map) {
  const std::int64_t bytes = map.element.bits / 8;
  if (map.dims.empty() || map.dims.size() > 5) return "rank";
  if (map.base.value() % 16 != 0) return "address";
  for (std::size_t d = 0; d < map.dims.size(); ++d) {
    const machine::TmaDimension& dim = map.dims[d];
    if (dim.extent.value() < 1 || dim.extent.value() > (std::int64_t{1} << 32)) return "extent";
    if (dim.box < 1 || dim.box > 256) return "box";
    if (d == 0 && dim.stride.value() != bytes) return "stride of an element";
    if (d > 0 && (dim.stride.value() % 16 != 0 || dim.stride.value() < 0)) return "stride";
  }
  const std::int64_t row = map.dims.front().box * bytes;
  if (row % 16 != 0) return "inner box";
  if (map.swizzle.span != 0 && row > map.swizzle.span) return "span";
  return {};
}

/// Runs all instructions of the copy with the shared buffer at `buffer`; `problem` says what no
/// correct copy does.
class Emulator {
 public:
  explicit Emulator(const machine::TmaCopy& copy, std::int64_t buffer)
      : copy_(copy), buffer_(buffer), bytes_(copy.map.element.bits / 8) {}

  [[nodiscard]] Landed run() {
    problem = broken_rule(copy_.map);
    if (buffer_ % copy_.shared_alignment != 0) problem = "alignment of the buffer";
    std::vector<std::int64_t> coordinates;
    for (const Int& coordinate : copy_.coordinates) coordinates.push_back(coordinate.value());
    if (problem.empty()) run_loop(0, coordinates, copy_.shared.value());
    return landed_;
  }

  std::string problem;

 private:
  void run_loop(std::size_t i, const std::vector<std::int64_t>& coordinates, std::int64_t shared) {
    if (i == copy_.loops.size()) return run_instruction(coordinates, buffer_ + shared);
    const machine::TmaLoop& loop = copy_.loops[i];
    for (std::int64_t turn = 0; turn < loop.count.value(); ++turn) {
      std::vector<std::int64_t> moved = coordinates;
      for (std::size_t d = 0; d < moved.size(); ++d) {
        moved[d] += turn * loop.coordinates[d].value();
      }
      run_loop(i + 1, moved, shared + turn * loop.shared.value());
    }
  }

  void run_instruction(const std::vector<std::int64_t>& coordinates, std::int64_t start) {
    if (start % 128 != 0) problem = "start in shared memory";
    const std::vector<machine::TmaDimension>& dims = copy_.map.dims;
    std::vector<std::int64_t> at(dims.size(), 0);
    for (std::int64_t linear = 0; linear < copy_.box_size(); ++linear) {
      std::int64_t rest = linear;
      std::int64_t global = copy_.map.base.value();
      for (std::size_t d = 0; d < dims.size(); ++d) {
        const std::int64_t index = coordinates[d] + rest % dims[d].box;
        rest /= dims[d].box;
        if (index < 0 || index >= dims[d].extent.value()) problem = "out of bounds";
        global += index * dims[d].stride.value();
      }
      write(swizzled_address(std::string(copy_.map.swizzle.name), start + linear * bytes_), global);
    }
  }

  void write(std::int64_t shared, std::int64_t global) {
    const bool is_new = landed_.emplace((shared - buffer_) / bytes_, global / bytes_).second;
    if (!is_new) problem = "written twice";
  }

  const machine::TmaCopy& copy_;
  std::int64_t buffer_;
  std::int64_t bytes_;
  Landed landed_;
};

}  // namespace heddle::test
