// AMD's loads that transpose: groups of lanes read rows from memory and exchange the elements, so
// that each lane gets a column.
//
//   ds_read_b64_tr_b16: 16 lanes read 4 elements of 16 bits each, a tile of 4 x 16
//
//     lane      0           1           2            3          reads
//             0 1 2 3     4 5 6 7     8 9 10 11   12 … 15       row 0; lanes 4 … 7 read row 1, …
//     lane 5 gets column 5: element 1 of what lanes 1, 5, 9 and 13 read
//
// The fragment says for each register and lane which lane's address it is read from (`address`),
// and which of the elements from there on it is (`element`). It does not depend on the addresses.
//
// Sources: Triton's lowering of local loads (MemoryOpToLLVM.cpp), LLVM (DSInstructions.td,
// FLATInstructions.td) for the names.

#include <array>
#include <string>
#include <vector>

#include "form/machine/families.h"

namespace heddle::form {
namespace {

struct TransposingLoad {
  std::string_view machine;
  std::int64_t lanes;
  int bits;
  /// Elements that each lane reads.
  std::int64_t elements;
  /// The mnemonic, then other names: those of intrinsics, and what assemblers accept.
  std::vector<std::string_view> names;
};

const std::vector<TransposingLoad>& transposing_loads() {
  static const std::vector<TransposingLoad> loads = {
      {"cdna4", 64, 16, 4, {"ds_read_b64_tr_b16", "ds_read_tr16_b64"}},
      {"cdna4", 64, 8, 8, {"ds_read_b64_tr_b8", "ds_read_tr8_b64"}},
      {"cdna4", 64, 6, 16, {"ds_read_b96_tr_b6", "ds_read_tr6_b96"}},
      {"cdna4", 64, 4, 16, {"ds_read_b64_tr_b4", "ds_read_tr4_b64"}},
      {"gfx1250", 32, 16, 8, {"ds_load_tr16_b128", "ds_load_tr_b128", "ds_load_b128_tr_b16"}},
      {"gfx1250", 32, 8, 8, {"ds_load_tr8_b64", "ds_load_tr_b64", "ds_load_b64_tr_b8"}},
      {"gfx1250",
       32,
       16,
       8,
       {"global_load_tr16_b128", "global_load_tr_b128", "global_load_b128_tr_b16"}},
      {"gfx1250", 32, 8, 8, {"global_load_tr8_b64", "global_load_tr_b64", "global_load_b64_tr_b8"}},
  };
  return loads;
}

/// In CDNA4 the tile has 16 columns, in gfx1250 as many as a lane reads. gfx1250 exchanges bytes
/// between 4 lanes and 4 lanes that are 8 further on.
Fragment transposed(const TransposingLoad& load) {
  const std::int64_t width = load.elements;
  if (load.machine == "gfx1250" && load.bits == 8) {
    return {{"register", "lane"},
            {"address", "element"},
            {{"lane", "element", width},
             {"register", "address", width / 2},
             {"lane", "address", 2},
             {"register", "address", 2},
             {"lane", "address", load.lanes / (2 * width)}}};
  }
  const std::int64_t columns = load.machine == "cdna4" ? 16 : width;
  return {{"register", "lane"},
          {"address", "element"},
          {{"lane", "element", width},
           {"lane", "address", columns / width},
           {"register", "address", width},
           {"lane", "address", load.lanes / columns}}};
}

Instruction make_transposing_load(const TransposingLoad& load) {
  const std::int64_t columns = load.machine == "cdna4" ? 16 : load.elements;
  Instruction instruction = {
      .name = std::string(load.names.front()),
      .machine = std::string(load.machine),
      .shape = {load.elements, columns, 1},
      .lanes = load.lanes,
      .operands = {{"D", "b" + std::to_string(load.bits), load.bits, transposed(load)}},
      .source = "Triton 3.9.0 (MemoryOpToLLVM.cpp)",
      .from = load.names.front().starts_with("ds_") ? "shared" : "global",
      .to = "registers"};
  if (load.bits == 6) {
    instruction.note = "as ds_read_b64_tr_b4, whose lanes read as many elements";
    instruction.source = "LLVM (DSInstructions.td)";
  }
  return instruction;
}

}  // namespace

void list_amd_transposing_loads(InstructionListings& listings) {
  for (const TransposingLoad& load : transposing_loads()) {
    listings.push_back({.name = std::string(load.names.front()),
                        .machine = std::string(load.machine),
                        .lanes = load.lanes,
                        .make = [&load] { return make_transposing_load(load); },
                        .aliases = {load.names.begin() + 1, load.names.end()}});
  }
}

}  // namespace heddle::form
