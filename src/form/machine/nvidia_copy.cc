// NVIDIA's copies between registers and shared or global memory, counted in bits as CuTe's copy
// traits are: `src` and `dst` say for each lane and bit which bit of the data it is. A lane gives
// the address of a row of 128 bits in shared memory; lanes beyond the rows repeat the first ones.

#include <fmt/format.h>

#include <array>
#include <string>
#include <utility>
#include <vector>

#include "form/machine/families.h"
#include "form/machine/nvidia_names.h"

namespace heddle::form {
namespace {

using Deals = std::vector<Deal>;

constexpr std::int64_t kLanesOfCopy = 32;

Fragment of_bits(const Deals& deals) { return {{"register", "lane"}, {"bit"}, deals}; }

Deal bits_of_register(std::int64_t extent, std::int64_t step = 0) {
  return {.place = "register", .dim = "bit", .extent = extent, .step = step};
}
Deal bits_of_lane(std::int64_t extent, std::int64_t step = 0) {
  return {.place = "lane", .dim = "bit", .extent = extent, .step = step};
}

/// So many rows of 8 x 8 or 16 x 8 matrices.
Fragment rows_of_memory(std::int64_t rows) {
  return of_bits(
      {bits_of_register(128), bits_of_lane(rows), {"lane", kCopies, kLanesOfCopy / rows}});
}
/// 32 bits of a row of each matrix; transposed, 16 in each of two rows.
Fragment of_rows(std::int64_t matrices) {
  return of_bits({bits_of_register(32), bits_of_lane(32), bits_of_register(matrices)});
}
Fragment of_columns(std::int64_t matrices) {
  return of_bits({bits_of_register(16), bits_of_lane(4, 256), bits_of_lane(8, 16),
                  bits_of_register(2, 128), bits_of_register(matrices)});
}
/// 8 bits of each of two rows, of two columns that are 8 apart, in each half of 8 rows.
Fragment of_byte_columns(std::int64_t halves) {
  return of_bits({bits_of_register(8), bits_of_lane(4, 256), bits_of_lane(8, 8),
                  bits_of_register(2, 128), bits_of_register(2, 64), bits_of_register(halves)});
}
/// The rows of 16 x 16 bytes in the order in which lanes give them.
Fragment byte_rows_of_memory(std::int64_t matrices) {
  return of_bits({bits_of_register(128), bits_of_lane(2, 128), bits_of_lane(2, 1024),
                  bits_of_lane(4, 256),
                  matrices == 2 ? bits_of_lane(2, 2048) : Deal{"lane", kCopies, 2}});
}

struct NvidiaCopy {
  std::string machine;
  std::string name;
  std::string ptx;
  std::string_view from;
  std::string_view to;
  Fragment source;
  Fragment destination;
  std::string note = {};
};

InstructionOperand side(std::string name, std::string_view where, const Fragment& fragment) {
  InstructionOperand bits{std::move(name), "bit", 1, fragment};
  if (where != "registers") {
    bits.note = fmt::format("in {} memory, from the address of each lane on", where);
  }
  return bits;
}

/// Its sizes are those of a matrix, `m8n8`.
Instruction copy_of(const NvidiaCopy& copy) {
  const std::size_t shape = copy.ptx.find(".m");
  std::array<std::int64_t, 3> sizes = {1, 1, 1};
  if (shape != std::string::npos) sizes = nvidia_shape(copy.ptx.substr(shape + 1));
  sizes[2] = 1;
  return {.name = copy.name,
          .machine = copy.machine,
          .shape = sizes,
          .lanes = copy.from == "global" || copy.to == "global" ? 1 : kLanesOfCopy,
          .operands = {side("src", copy.from, copy.source), side("dst", copy.to, copy.destination)},
          .source = "CuTe, copy_traits; PTX ISA 9.0",
          .note = copy.note,
          .from = copy.from,
          .to = copy.to};
}

void add_matrices(std::vector<NvidiaCopy>& all, std::string_view machine) {
  const auto load = [&](std::string name, std::string ptx, Fragment memory, Fragment registers) {
    all.push_back({std::string(machine), std::move(name), "ldmatrix.sync.aligned." + ptx, "shared",
                   "registers", std::move(memory), std::move(registers)});
  };
  const auto store = [&](std::string name, std::string ptx, Fragment memory, Fragment registers) {
    all.push_back({std::string(machine), std::move(name), "stmatrix.sync.aligned." + ptx,
                   "registers", "shared", std::move(registers), std::move(memory)});
  };
  for (const std::int64_t n : {1, 2, 4}) {
    const Fragment rows = rows_of_memory(8 * n);
    if (machine == "sm_75") {
      load(fmt::format("SM75_U32x{}_LDSM_N", n), fmt::format("m8n8.x{}.shared.b16", n), rows,
           of_rows(n));
      load(fmt::format("SM75_U16x{}_LDSM_T", 2 * n), fmt::format("m8n8.x{}.trans.shared.b16", n),
           rows, of_columns(n));
    } else if (machine == "sm_90") {
      store(fmt::format("SM90_U32x{}_STSM_N", n), fmt::format("m8n8.x{}.shared.b16", n), rows,
            of_rows(n));
      store(fmt::format("SM90_U16x{}_STSM_T", 2 * n), fmt::format("m8n8.x{}.trans.shared.b16", n),
            rows, of_columns(n));
    } else {
      for (const auto& [bits, padded] : {std::pair{4, "b4x16_p64"}, std::pair{6, "b6x16_p32"}}) {
        load(fmt::format("SM100_SU{}_DU8x16_x{}_LDSM_N", bits, n),
             fmt::format("m8n16.x{}.shared.b8x16.{}", n, padded), rows, of_rows(n));
      }
      store(fmt::format("SM100_U8x{}_STSM_T", 4 * n), fmt::format("m16n8.x{}.trans.shared.b8", n),
            rows, of_byte_columns(n));
      if (n == 4) continue;
      load(fmt::format("SM100_U8x{}_LDSM_T", 8 * n), fmt::format("m16n16.x{}.trans.shared.b8", n),
           byte_rows_of_memory(n), of_byte_columns(2 * n));
    }
  }
}

/// Exchanges of registers between neighbouring lanes, which CuTe makes of shuffles.
void add_shuffles(std::vector<NvidiaCopy>& all) {
  const Fragment held = of_bits({bits_of_register(64), bits_of_lane(32)});
  all.push_back(
      {"sm_70", "SM50_Shuffle_U32_2x2Trans_XOR1", "", "registers", "registers", held,
       of_bits({bits_of_register(32), bits_of_lane(2), bits_of_register(2), bits_of_lane(16)})});
  all.push_back({"sm_70", "SM50_Shuffle_U32_2x2Trans_XOR4", "", "registers", "registers", held,
                 of_bits({bits_of_register(32), bits_of_lane(4, 64), bits_of_lane(2, 32),
                          bits_of_register(2, 256), bits_of_lane(4)})});
}

std::vector<NvidiaCopy> made_copies() {
  std::vector<NvidiaCopy> all;
  add_shuffles(all);
  add_matrices(all, "sm_75");
  all.push_back({"sm_75", "SM75_U32x1_MOVM_T", "movmatrix.sync.aligned.m8n8.trans.b16", "registers",
                 "registers", of_rows(1), of_columns(1),
                 "CuTe's traits give dst as src, as if nothing were transposed"});
  add_matrices(all, "sm_90");
  const Fragment wide = of_bits({bits_of_register(256)});
  for (const char* machine : {"sm_100", "sm_120"}) {
    add_matrices(all, machine);
    all.push_back({machine, "SM100_LOAD_256bit_CACHE_NOALLOCATION",
                   "ld.global.L1::no_allocate.v8.f32", "global", "registers", wide, wide});
    all.push_back({machine, "SM100_STORE_256bit_CACHE_NOALLOCATION",
                   "st.global.L1::no_allocate.v8.f32", "registers", "global", wide, wide});
  }
  return all;
}

}  // namespace

void list_nvidia_copies(InstructionListings& listings) {
  static const std::vector<NvidiaCopy> copies = made_copies();
  for (const NvidiaCopy& copy : copies) {
    listings.push_back({.name = copy.name,
                        .machine = copy.machine,
                        .lanes = copy_of(copy).lanes,
                        .make = [&copy] { return copy_of(copy); },
                        .aliases = copy.ptx.empty() ? std::vector<std::string>()
                                                    : std::vector<std::string>{copy.ptx}});
  }
}

}  // namespace heddle::form
