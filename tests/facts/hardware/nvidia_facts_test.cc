// What CuTe, the PTX manual, TVM and Triton say of NVIDIA's instructions, against the catalogue:
// every row of nvidia_*.jsonl, ptx_fragments.jsonl and triton_tensor_memory.jsonl, and the names of
// instructions_without_facts.txt on their machines.

#include <fmt/format.h>

#include <array>
#include <fstream>
#include <map>
#include <optional>
#include <set>

#include "facts/hardware/machine_facts.h"
#include "heddle/cute/fragment.h"
#include "heddle/cute/manipulation.h"
#include "heddle/machine/matrix_descriptor.h"
#include "support/refusal.h"

namespace heddle::test {
namespace {

using Json = nlohmann::json;
using map::System;

std::string text_at(const Json& row, const char* field) { return row.at(field).get<std::string>(); }

form::Instruction instruction_named(const std::string& name, const form::InstructionQuery& query) {
  const auto found = machine::instruction(name, query);
  EXPECT_TRUE(found) << name << ": " << found.error();
  return found.value();
}

/// `sm_90` of SM90_… and SM90::…; what is older than the machines is in the first one.
std::string machine_of(const std::string& name) {
  const int number = std::stoi(name.substr(2));
  return fmt::format("sm_{}", std::max(number, 70));
}

void expect_sizes(const Json& row, const form::Instruction& instruction) {
  EXPECT_EQ(Json(instruction.shape), row.at("mnk")) << instruction.name;
}

/// Whether threads and values are mapped alike, mode by mode.
testing::AssertionResult maps_as(const cute::Layout& found, const std::string& text) {
  const cute::Layout wanted = notation::parse_cute(text).value();
  for (const std::size_t mode : {0U, 1U}) {
    if (cute::coalesce(found.mode(mode)) == cute::coalesce(wanted.mode(mode))) continue;
    return testing::AssertionFailure() << found << " is not " << text;
  }
  return testing::AssertionSuccess();
}

testing::AssertionResult maps_as(const map::AnyLayout& found, const std::string& text) {
  return maps_as(std::get<cute::TvLayout>(found).layout, text);
}

/// The texts of the operands, as CuTe writes them.
void expect_thread_values(const Json& row, const std::string& name,
                          const form::InstructionQuery& query) {
  for (const char* operand : {"A", "B", "C", "SFA", "SFB", "E"}) {
    if (!row.contains(operand) || text_at(row, operand).ends_with(":((512,1),((16,8)))")) continue;
    EXPECT_TRUE(maps_as(catalogued(name, operand, query, System::kCuteTv), text_at(row, operand)))
        << name << " " << operand;
  }
}

TEST(NvidiaFacts, MatrixInstructionsOfWarps) {
  int operands = 0;
  for (const Json& row : fact_rows("hardware/nvidia_mma.jsonl")) {
    const std::string name = row.at("name");
    const std::string machine = machine_of(name);
    const form::InstructionQuery query{.machine = machine};
    const form::Instruction instruction = instruction_named(name, query);
    EXPECT_EQ(instruction.machine, machine);
    expect_sizes(row, instruction);
    EXPECT_EQ(instruction.thread_ids.empty(), !row.contains("thr_id")) << name;
    expect_thread_values(row, name, query);
    for (const auto& [operand, layout] : row.at("linear").items()) {
      EXPECT_EQ(std::get<linear::LinearLayout>(catalogued(name, operand, query)),
                fact_layout(layout))
          << name << " " << operand;
      ++operands;
    }
    if (!row.contains("axe")) continue;
    for (const auto& [operand, text] : row.at("axe").items()) {
      EXPECT_TRUE(is_axe(catalogued(name, operand, query, System::kAxe), text)) << name;
    }
  }
  EXPECT_GE(operands, 150);
}

/// CuTe's invalid A of SM80_16x8x128, and the manual's layout in its place.
TEST(NvidiaFacts, IntrinsicsOfIree) {
  int operands = 0;
  for (const Json& row : fact_rows("hardware/iree_nvidia.jsonl")) {
    const std::string name = row.at("instruction");
    EXPECT_EQ(std::get<linear::LinearLayout>(catalogued(name, text_at(row, "operand"), {})),
              fact_layout(row.at("layout")))
        << name;
    ++operands;
  }
  EXPECT_EQ(operands, 15);
  // B and D are those of PTX.
  for (const char* operand : {"B", "D"}) {
    EXPECT_EQ(catalogued("NV_MMA_SYNC_F32_16x8x16_F16", operand, {}),
              catalogued("SM80_16x8x16_F32F16F16F32_TN", operand, {}));
  }
}

TEST(NvidiaFacts, WhatIsDisputedHasANote) {
  for (const char* name : {"SM80_16x8x128_S32U1U1S32_TN_XORPOPC", "SM80_16x8x32_S32S4S4S32_TN",
                           "SM80_16x8x256_S32U1U1S32_TN_ANDPOPC", "SM75_U32x1_MOVM_T"}) {
    EXPECT_FALSE(instruction_named(name, {}).note.empty()) << name;
  }
}

TEST(NvidiaFacts, MatrixInstructionsOfWarpgroups) {
  std::size_t names = 0;
  for (const Json& row : fact_rows("hardware/nvidia_wgmma.jsonl")) {
    const std::vector<std::string> of_row = row.at("names");
    names += of_row.size();
    const form::InstructionQuery query{.machine = "sm_90"};
    const form::Instruction first = instruction_named(of_row.front(), query);
    expect_sizes(row, first);
    expect_thread_values(row, of_row.front(), query);
    for (const std::string& name : of_row) {
      const form::Instruction other = instruction_named(name, query);
      ASSERT_EQ(other.operands.size(), first.operands.size());
      for (std::size_t i = 0; i < first.operands.size(); ++i) {
        EXPECT_EQ(other.operands[i].fragment, first.operands[i].fragment) << name;
      }
    }
    for (const auto& [field, operand] : {std::pair{"linear_C", "D"}, std::pair{"linear_A", "A"}}) {
      if (!row.contains(field)) continue;
      EXPECT_EQ(std::get<linear::LinearLayout>(catalogued(of_row.front(), operand, query)),
                fact_layout(row.at(field)))
          << of_row.front();
    }
  }
  EXPECT_GE(names, 600U);
}

// ---- Copies ----

/// CuTe counts 65536 columns of 32 bits in a data path.
constexpr std::int64_t kPathBits = 65536 * 32;

/// The side in registers of a copy of tensor memory, as CuTe counts it, in bits of the data: a data
/// path has `width` of them.
cute::Layout bits_layout(const form::Fragment& fragment, int bits) {
  std::vector<form::Deal> deals = {{"register", "bit", bits}};
  const auto dims = fragment.dims();
  // Deals in the order of the places, each with its step in bits.
  for (std::size_t place = 0; place < 2; ++place) {
    for (const form::Fragment::Mode& mode : fragment.modes_of_place(place)) {
      const std::int64_t unit = *mode.index == 1 ? bits : bits * dims[1].size;
      deals.push_back({.place = place == 0 ? "register" : "lane",
                       .dim = "bit",
                       .extent = mode.extent,
                       .step = mode.stride * unit});
    }
  }
  const form::Fragment in_bits({"register", "lane"}, {"bit"}, deals);
  return cute::thread_value_layout(in_bits, {"bit"}).value();
}

void expect_tensor_copy(const Json& row, const form::Instruction& copy) {
  const bool is_load = copy.from == "tensor";
  const form::InstructionOperand& held = copy.operands.front();
  const form::Fragment& fragment = held.fragment;
  ASSERT_EQ(held.name, is_load ? "dst" : "src");
  EXPECT_TRUE(maps_as(bits_layout(fragment, held.bits), row.at(is_load ? "dst" : "src")))
      << copy.name;
  // Every thread gives the whole of tensor memory: its columns, then its data paths.
  const std::int64_t paths = fragment.dims()[0].size;
  const std::int64_t bits = fragment.dims()[1].size * held.bits;
  EXPECT_EQ(row.at(is_load ? "src" : "dst"), fmt::format("(32,{}):(0,1)", paths * bits));
  const std::string columns =
      held.bits == 32 ? fmt::format("{}", bits) : fmt::format("(16,{})", bits / 16);
  EXPECT_EQ(row.at("val_id"), fmt::format("({},{}):({},{})", columns, paths,
                                          held.bits == 32 ? "1" : "(1,32)", kPathBits))
      << copy.name;
}

/// tcgen05.cp: each element of the source, `rows` fastest, is where CuTe's numbers of the values
/// say.
void expect_matrix_copy(const Json& row, const form::Instruction& copy) {
  const form::Fragment& paths = copy.operand("dst")->fragment;
  const form::IndexMap map = index_map(paths);
  const cute::Layout addresses = notation::parse_cute(text_at(row, "val_id")).value();
  const cute::Layout source = notation::parse_cute(text_at(row, "src")).value().mode(1);
  const std::int64_t rows = cute::size(addresses.mode(0)).value();
  const std::int64_t bits = cute::size(addresses.mode(1)).value();
  // Of four rows each is the first of 32.
  const bool is_sparse = cute::size(source) != cute::size(addresses);
  for (std::int64_t value = 0; value < cute::size(source).value(); ++value) {
    const std::int64_t element = source(value).value();
    const std::int64_t address = addresses(is_sparse ? element : value).value();
    const std::int64_t bit = element / rows % bits;
    if (bit % 32 != 0) continue;
    const std::int64_t dp = address / kPathBits;
    const std::int64_t column = address % kPathBits / 32;
    const std::int64_t source_row = element % rows + element / (rows * bits) * rows;
    ASSERT_EQ(map.at(dp + paths.places()[0].size * column),
              (std::vector<Int>{is_sparse ? source_row / 32 : source_row, bit / 32}))
        << copy.name << " " << value;
  }
  EXPECT_EQ(paths.dims()[1].size * 32, bits) << copy.name;
}

TEST(NvidiaFacts, Copies) {
  int rows = 0;
  for (const Json& row : fact_rows("hardware/nvidia_copy.jsonl")) {
    ++rows;
    const std::string name = row.at("name");
    const form::Instruction copy = instruction_named(name, {});
    if (copy.from == "tensor" || (copy.to == "tensor" && copy.from == "registers")) {
      expect_tensor_copy(row, copy);
      continue;
    }
    if (copy.to == "tensor") {
      expect_matrix_copy(row, copy);
      continue;
    }
    for (const char* side : {"src", "dst"}) {
      const bool is_corrected = side == std::string("dst") && row.contains("dst_ptx");
      EXPECT_TRUE(maps_as(catalogued(name, side, {}, System::kCuteTv),
                          row.at(is_corrected ? "dst_ptx" : side)))
          << name << " " << side;
    }
  }
  EXPECT_EQ(rows, 190);
}

/// (register, lane) -> (data path, column), and TVM's fragment of a warpgroup, whose warps have the
/// data paths one after another.
TEST(NvidiaFacts, LoadsOfTensorMemory) {
  int compared = 0;
  for (const Json& row : fact_rows("hardware/nvidia_tcgen05_ld.jsonl")) {
    const std::string name = row.at("cute");
    const linear::LinearLayout layout = std::get<linear::LinearLayout>(catalogued(name, "dst"));
    EXPECT_EQ(layout, fact_layout(row.at("layout"))) << name;
    EXPECT_EQ(row.at("register_bits"), instruction_named(name, {}).operands.front().bits);
    if (!row.contains("axe")) continue;
    ++compared;
    const form::Fragment held = instruction_named(name, {}).operands.front().fragment;
    const std::int64_t paths = held.dims()[0].size;
    const std::int64_t columns = held.dims()[1].size;
    const auto reshaped = [&](const map::AnyLayout& held_by, std::int64_t rows) {
      const std::vector<Int> sizes = {rows, columns};
      return map::reshaped(map::view(held_by).value(), sizes).value();
    };
    const map::View view = reshaped(notation::parse_axe(text_at(row, "axe")).value(), 4 * paths);
    const map::View of_warp = reshaped(catalogued(name, "dst", {}, System::kAxe), paths);
    for (std::int64_t dp = 0; dp < 4 * paths; ++dp) {
      for (std::int64_t column = 0; column < columns; ++column) {
        const auto place_of = [&](const map::View& from, std::int64_t at) {
          std::map<std::string, std::int64_t> place;
          const std::vector<Int> element = {at, column};
          const auto images = map::images(from, element).value();
          for (std::size_t axis = 0; axis < from.axes.size(); ++axis) {
            place[std::string(from.axes[axis].name())] = images.front()[axis].value();
          }
          return place;
        };
        auto wanted = place_of(view, dp);
        if (wanted.contains("tid_in_wg")) {
          wanted["wid_in_wg"] = wanted["tid_in_wg"] / 32;
          wanted["laneid"] = wanted["tid_in_wg"] % 32;
        }
        auto found = place_of(of_warp, dp % paths);
        ASSERT_EQ(wanted["wid_in_wg"], dp / paths) << name;
        ASSERT_EQ(wanted["laneid"], found["laneid"]) << name;
        ASSERT_EQ(wanted["m"], found["m"]) << name;
      }
    }
  }
  EXPECT_GE(compared, 25);
}

// ---- Tensor memory ----

/// The element at the numbers of the first places, by plain arithmetic; nullopt for unused places.
std::optional<std::pair<std::int64_t, std::int64_t>> element_at(
    const form::Fragment& fragment, std::array<std::int64_t, 2> places) {
  std::array<std::int64_t, 2> element = {0, 0};
  for (std::size_t place = 0; place < places.size(); ++place) {
    for (const form::Fragment::Mode& mode : fragment.modes_of_place(place)) {
      const std::int64_t digit = places[place] % mode.extent;
      places[place] /= mode.extent;
      if (mode.unused && digit != mode.held) return std::nullopt;
      if (mode.index) element[*mode.index] += digit * mode.stride;
    }
  }
  return std::pair(element[0], element[1]);
}

/// CuTe's address of the element (row, column), in units of `unit` bits, against the data path and
/// the column of `slot` bits.
void expect_addresses(const std::string& cute, std::int64_t unit, std::int64_t slot,
                      const form::Fragment& fragment, const std::string& name) {
  const cute::Layout addresses = notation::parse_cute(cute).value().mode(0);
  std::vector<cute::Layout> modes = {addresses.mode(0), addresses.mode(1)};
  std::array<std::vector<std::int64_t>, 2> steps;
  for (std::size_t mode = 0; mode < 2; ++mode) {
    for (std::int64_t i = 0; i < cute::size(modes[mode]).value(); ++i) {
      steps[mode].push_back(modes[mode](i).value());
    }
  }
  const std::int64_t ctas = fragment.places().size() == 2 ? 1 : fragment.places()[2].size;
  std::set<std::pair<std::int64_t, std::int64_t>> found;
  for (std::int64_t column = 0; column < fragment.places()[1].size; ++column) {
    for (std::int64_t dp = 0; dp < fragment.places()[0].size; ++dp) {
      const auto element = element_at(fragment, {dp, column});
      // Of an element that is there twice, CuTe's rows go on after the first ones.
      if (!element || !found.insert(*element).second) continue;
      ASSERT_EQ(steps[0][std::size_t(element->first)] + steps[1][std::size_t(element->second)],
                dp * (kPathBits / unit) + column * slot / unit)
          << name;
    }
  }
  EXPECT_EQ(std::int64_t(found.size()), fragment.dims()[0].size / ctas * fragment.dims()[1].size)
      << name;
}

const form::Fragment& fragment_of(const form::Instruction& instruction, std::string_view operand) {
  return instruction.operand(operand)->fragment;
}

TEST(NvidiaFacts, MatrixInstructionsOfTensorMemory) {
  int rows = 0;
  for (const Json& row : fact_rows("hardware/nvidia_tensor_memory.jsonl")) {
    if (row.at("what") != "tcgen05.mma") continue;
    ++rows;
    const std::string name = row.at("name");
    const form::Instruction instruction = instruction_named(name, {});
    expect_sizes(row, instruction);
    for (const char* operand : {"A", "B"}) {
      if (row.contains("tmem_A") && operand == std::string("A")) continue;
      EXPECT_TRUE(maps_as(catalogued(name, operand, {}, System::kCuteTv), row.at(operand)))
          << name << " " << operand;
    }
    const std::vector<int> bits = row.at("bits");
    expect_addresses(row.at("tmem_C"), bits[2], 32, fragment_of(instruction, "D"), name);
    if (row.contains("tmem_A")) {
      expect_addresses(row.at("tmem_A"), bits[0], bits[0], fragment_of(instruction, "A"), name);
    }
  }
  EXPECT_EQ(rows, 138);
}

/// The name of an instruction of CuTe's whose D has this many rows in each CTA; empty if there is
/// none.
std::string with_accumulator(std::int64_t rows, std::int64_t cols, std::int64_t ctas) {
  if (rows == 32) {
    return cols < 64 ? "" : fmt::format("tcgen05.mma.ws.cta_group::1.kind::f16.m32n{}k16", cols);
  }
  return fmt::format("SM100_MMA_F16BF16_{}SS<half_t,half_t,float,{},{},K,K>",
                     ctas == 2 ? "2x1SM_" : "", rows * ctas, cols);
}

TEST(NvidiaFacts, AccumulatorsAndOperandsOfTensorMemory) {
  const std::map<std::string, int> storage_bits = {
      {"float", 32}, {"uint32_t", 32}, {"half_t", 16}, {"uint8_t", 8}};
  int compared = 0;
  int without_instruction = 0;
  for (const Json& row : fact_rows("hardware/nvidia_tensor_memory.jsonl")) {
    if (row.at("what") != "tmem accumulator or operand") continue;
    const std::int64_t cols = row.at("cols");
    // A that a pair of CTAs has twice has 16 columns of halves.
    const bool is_twice = row.at("alloc") == "Duplicated";
    const std::string name =
        is_twice ? (cols == 16 ? "SM100_MMA_F16BF16_2x1SM_TS<half_t,half_t,float,128,64,K,K>" : "")
                 : with_accumulator(row.at("rows"), cols, row.at("ctas"));
    if (name.empty()) {
      ++without_instruction;
      continue;
    }
    ++compared;
    const char* operand = is_twice ? "A" : "D";
    expect_addresses(row.at("cute"), row.at("value_bits"), storage_bits.at(row.at("storage")),
                     fragment_of(instruction_named(name, {}), operand), name);
    if (row.contains("axe") && row.at("ctas") == 1) {
      EXPECT_TRUE(is_axe(catalogued(name, operand, {}, System::kAxe), row.at("axe"))) << name;
    }
  }
  EXPECT_GE(compared, 120);
  EXPECT_EQ(compared + without_instruction, 175);
}

/// Of each row of A or column of B: 4 data paths hold its factors, each in a byte.
TEST(NvidiaFacts, ScaleFactorsOfTensorMemory) {
  int rows = 0;
  for (const Json& row : fact_rows("hardware/nvidia_tensor_memory.jsonl")) {
    if (row.at("what") != "scale factors") continue;
    ++rows;
    const std::int64_t vector = row.at("vec");
    const std::int64_t mn = row.at("mn");
    const std::int64_t k = row.at("k");
    const std::int64_t ctas = row.at("n_sm");
    // Only B has 256 of them in one CTA.
    const bool is_a = row.at("sfa").get<bool>() && mn == 128;
    const std::string name = fmt::format("SM100_MMA_{}_{}SS<{}{},{},{}{}>",
                                         k == 32 ? "MXF8F6F4" : "MXF4", ctas == 2 ? "2x1SM_" : "",
                                         k == 32 ? "e4m3,e4m3,float,ue8m0" : "e2m1,e2m1,float,",
                                         k == 32 ? "" : (vector == 32 ? "ue8m0" : "ue4m3"),
                                         128 * ctas, mn, k == 32 ? "" : fmt::format(",{}", vector));
    const form::Fragment fragment = fragment_of(instruction_named(name, {}), is_a ? "SFA" : "SFB");
    const form::IndexMap map = index_map(fragment);
    const cute::Layout addresses = notation::parse_cute(text_at(row, "cute")).value().mode(0);
    for (std::int64_t index = 0; index < mn; ++index) {
      for (std::int64_t copy = 0; copy < 4; ++copy) {
        for (std::int64_t factor = 0; factor < k / vector; ++factor) {
          const std::int64_t address = addresses(index + mn * copy, factor * vector).value();
          const std::int64_t dp = address / (kPathBits / 8);
          const std::int64_t column = address % (kPathBits / 8);
          const std::vector<Int> held = map.at(dp + 128 * column);
          ASSERT_EQ(held[is_a ? 0 : 1], index) << name << " " << dp << " " << column;
          ASSERT_EQ(held[is_a ? 1 : 0], factor) << name;
        }
      }
    }
  }
  EXPECT_EQ(rows, 24);
}

TEST(NvidiaFacts, SparsityMetadataOfTensorMemory) {
  const std::map<std::string, std::string> names = {
      {"tfloat32_t", "SM100_MMA_TF32_SS_SPARSE<tfloat32_t,tfloat32_t,float,128,64>"},
      {"half_t", "SM100_MMA_F16BF16_SS_SPARSE<half_t,half_t,float,128,64>"},
      {"uint8_t", "SM100_MMA_S8_SS_SPARSE<uint8_t,uint8_t,int32_t,128,64>"}};
  int rows = 0;
  for (const Json& row : fact_rows("hardware/nvidia_tensor_memory.jsonl")) {
    if (row.at("what") != "sparsity metadata") continue;
    ++rows;
    const std::string& name = names.at(row.at("value"));
    const form::InstructionOperand index = *instruction_named(name, {}).operand("E");
    expect_addresses(row.at("cute"), index.bits, index.bits, index.fragment, name);
    EXPECT_EQ(index.fragment.dims()[1].size, row.at("n")) << name;
  }
  EXPECT_EQ(rows, 3);
}

TEST(NvidiaFacts, DataPathLayouts) {
  const std::map<std::string, std::string> names = {
      {"A", with_accumulator(128, 256, 2)},
      {"B", with_accumulator(64, 256, 2)},
      {"C", "SM100_MMA_F16BF16_2x1SM_SS_SPARSE<half_t,half_t,float,128,256>"},
      {"D", with_accumulator(128, 256, 1)},
      {"E", "tcgen05.mma.ws.cta_group::1.kind::f16.m64n256k16"},
      {"F", with_accumulator(64, 256, 1)},
      {"G", "tcgen05.mma.ws.cta_group::1.kind::f16.m32n256k16"}};
  int rows = 0;
  for (const Json& row : fact_rows("hardware/nvidia_tensor_memory.jsonl")) {
    if (row.at("what") != "PTX data path layout") continue;
    ++rows;
    std::string wanted = row.at("axe");
    const std::string letter = row.at("letter");
    if (letter < "D") {  // both CTAs of a pair
      wanted.replace(0, 3, "S[(2,").replace(wanted.find("):(") + 3, 0, "1@cta,");
    }
    EXPECT_TRUE(is_axe(catalogued(names.at(letter), "D", {}, System::kAxe), wanted)) << letter;
  }
  EXPECT_EQ(rows, 7);
}

// ---- Shared memory ----

TEST(NvidiaFacts, SharedMemory) {
  const std::map<int, std::string> types = {
      {4, "uint4_t"}, {8, "uint8_t"}, {16, "half_t"}, {32, "float"}, {64, "double"}};
  int atoms = 0;
  int modes = 0;
  for (const Json& row : fact_rows("hardware/nvidia_shared.jsonl")) {
    const std::string what = row.at("what");
    if (what == "UMMA/GMMA shared memory atom") {
      ++atoms;
      // A swizzle that changes nothing is not printed.
      std::string wanted = row.at("cute");
      if (wanted.starts_with("Sw<0,")) wanted = wanted.substr(wanted.find(" o ") + 3);
      EXPECT_EQ(value(fmt::format("UMMA::{}<{}>{{}}", text_at(row, "name"),
                                  types.at(row.at("element_bits")))),
                wanted);
    } else if (what == "TMA swizzle mode") {
      ++modes;
      const std::vector<int> swizzle = row.at("cute_swizzle_on_bytes");
      const auto& table = row.at("table");
      const auto of_bytes = cute::Swizzle::make(swizzle[0], swizzle[1], swizzle[2]).value();
      for (std::int64_t line = 0; line < 16; ++line) {
        for (std::int64_t place = 0; place < 8; ++place) {
          const std::int64_t piece = table[std::size_t(line) % table.size()][std::size_t(place)];
          EXPECT_EQ(of_bytes(Int(line * 128 + piece * 16)), line * 128 + place * 16) << row;
        }
      }
    }
  }
  EXPECT_EQ(atoms, 45);
  EXPECT_EQ(modes, 6);
}

/// The manual's canonical layouts of halves, with numbers for the sizes and offsets: a descriptor
/// has those offsets in bytes.
TEST(NvidiaFacts, CanonicalLayouts) {
  constexpr int kLeading = 4096;
  constexpr int kStride = 512;
  int rows = 0;
  for (const Json& row : fact_rows("hardware/nvidia_shared.jsonl")) {
    if (!row.contains("layout_symbolic")) continue;
    ++rows;
    std::string text = row.at("layout_symbolic");
    const std::vector<std::pair<std::string, int>> numbers = {
        {"LBO", kLeading}, {"SBO", kStride}, {"2k", 2},  {"k", 2},  {"m", 4},
        {"8T", 64},        {"4T", 32},       {"2T", 16}, {"1T", 8}, {"T", 8}};
    for (const auto& [name, number] : numbers) {
      for (auto at = text.find(name); at != std::string::npos; at = text.find(name)) {
        text.replace(at, name.size(), std::to_string(number));
      }
    }
    const int swizzle = text_at(row, "swizzle_cute")[8] - '0';
    if (swizzle != 0) text = fmt::format("Sw<{},3,3> o 0 o {}", swizzle, text);
    const bool is_k = row.at("major") == "K";
    const auto descriptor =
        machine::wgmma_descriptor(notation::parse_any_layout(text).value(), 16,
                                  is_k ? machine::Major::kK : machine::Major::kMN);
    ASSERT_TRUE(descriptor) << text << descriptor.error();
    EXPECT_EQ(descriptor->stride, 2 * kStride) << text;
    const int leading = is_k && swizzle != 0 ? 16 : 2 * kLeading;  // 16 is not used
    EXPECT_EQ(descriptor->leading, leading) << text;
  }
  EXPECT_EQ(rows, 8);
}

// ---- PTX ----

/// Volta's fragments are of the 8 threads of a quad pair; the manual's of A and B are those of the
/// order in which they are stored.
std::string volta_name(const std::string& types, const std::string& operand) {
  const std::string order = types.substr(types.find(' ') + 1);
  const std::string a = operand == "A" ? order : "row";
  const std::string b = operand == "B" ? order : "col";
  const std::string sum = types == "f32" ? "f32" : "f16";
  const bool is_sum = operand == "C";
  return fmt::format("mma.sync.aligned.m8n8k4.{}.{}.{}.f16.f16.{}", is_sum ? "row" : a,
                     is_sum ? "col" : b, sum, sum);
}

TEST(NvidiaFacts, FragmentsOfTheManual) {
  int rows = 0;
  for (Json row : fact_rows("hardware/ptx_fragments.jsonl")) {
    ++rows;
    const std::string types = row.at("types");
    const std::string operand = row.at("operand");
    std::string name = row.at("instruction");
    const bool is_volta = row.at("mnk") == Json({8, 8, 4}) && types != "f64";
    if (is_volta) {
      name = volta_name(types, operand);
      row["layout"]["ins"][1][0] = "thread";
      row.erase("axe");
      expect_operand(row, name);
      continue;
    }
    std::size_t begin = 0;
    while (begin < types.size()) {
      const std::size_t end = std::min(types.find('/', begin), types.size());
      const std::string type = types.substr(begin, end - begin);
      expect_operand(row, name, {.type = type});
      begin = end + 1;
    }
  }
  EXPECT_EQ(rows, 65);
}

/// The fragments that the design of the kernels' compiler names.
TEST(NvidiaFacts, AxeLayoutsOfTheUsualInstructions) {
  const auto axe = [](const std::string& name, const std::string& operand) {
    return map::to_string(catalogued(name, operand, {.type = "f16"}, System::kAxe));
  };
  EXPECT_EQ(axe("mma.m16n8k16", "D"), "S[(2,8,4,2):(2@m,4@laneid,1@laneid,1@m)]");
  EXPECT_EQ(axe("mma.m16n8k16", "A"), "S[(2,8,2,4,2):(2@m,4@laneid,4@m,1@laneid,1@m)]");
  for (int n = 16; n <= 256; n += 8) {
    EXPECT_EQ(axe(fmt::format("wgmma.m64n{}k16", n), "D"),
              fmt::format("S[(4,2,8,{},4,2):(1@wid_in_wg,2@m,4@laneid,4@m,1@laneid,1@m)]", n / 8));
  }
}

// ---- Triton ----

/// A dimension's bits of `layout`, the images of the first bits of an input.
std::vector<std::vector<std::int64_t>> first_images(const Json& layout, std::size_t in,
                                                    std::size_t count) {
  std::vector<std::vector<std::int64_t>> images = layout.at("ins").at(in).at(1);
  images.resize(std::min(images.size(), count));
  return images;
}

/// What tcgen05.ld of Triton's variant holds of a block is what the instruction holds; what follows
/// are further instructions and warps.
TEST(NvidiaFacts, RegistersOfTritonsLoads) {
  int rows = 0;
  for (const Json& row : fact_rows("hardware/triton_tensor_memory.jsonl")) {
    if (row.at("what") != "registers of tcgen05.ld") continue;
    ++rows;
    const std::string variant = row.at("variant");
    const std::int64_t block_rows = row.at("block").at(0);
    const std::int64_t groups = row.at("num_warps").get<std::int64_t>() / 4;
    const std::int64_t columns = row.at("block").at(1).get<std::int64_t>() / groups;
    const std::int64_t tensor_rows = row.at("shape").at(0);
    const bool halves = row.at("element_bits") == 16;
    const auto x = variant.find('x');
    // A block of 64 rows is in every second 16 data paths; the lanes between have the block below,
    // or else the other half of the columns.
    const bool is_split = variant == "32x32b" && block_rows == 64 && tensor_rows == 64;
    const std::int64_t count = is_split ? columns / (halves ? 4 : 2) : 1;
    const std::string name =
        fmt::format("SM100_TMEM_LOAD_{}dp{}{}x{}", is_split ? "16" : variant.substr(0, x),
                    variant.substr(x + 1), count, halves ? "_16b" : "");
    const linear::Bases held = std::get<linear::LinearLayout>(catalogued(name, "dst")).bases();
    for (std::size_t in = 0; in < 2; ++in) {
      std::vector<std::vector<std::int64_t>> wanted;
      for (const auto& image : held[in].vectors) {
        std::int64_t dp = image[0];
        if (dp == 16 && block_rows == 64) dp = 64;
        wanted.push_back({dp, image[1]});
      }
      EXPECT_EQ(first_images(row.at("layout"), in, wanted.size()), wanted) << row;
    }
    const std::int64_t step = block_rows == 64 ? 16 : 32;
    EXPECT_EQ(first_images(row.at("layout"), 2, 2),
              (std::vector<std::vector<std::int64_t>>{{step, 0}, {2 * step, 0}}))
        << row;
  }
  EXPECT_EQ(rows, 128);
}

TEST(NvidiaFacts, TritonsEncodingsOfTensorMemory) {
  int rows = 0;
  for (const Json& row : fact_rows("hardware/triton_tensor_memory.jsonl")) {
    if (!row.contains("text") && !row.contains("blockRepOrder")) continue;
    ++rows;
    const std::string text =
        row.contains("text")
            ? text_at(row, "text")
            : fmt::format("#ttng.tensor_memory_scales_encoding<blockRepOrder = {}>",
                          text_at(row, "blockRepOrder"));
    const auto made =
        notation::evaluate(fmt::format("to_linear({}, {})", text, row.at("shape").dump()));
    ASSERT_TRUE(made) << text << made.error();
    // Gluon's object does not show the one CTA.
    const auto* layout = made->get_if<linear::LinearLayout>();
    ASSERT_NE(layout, nullptr);
    const linear::LinearLayout wanted = fact_layout(row.at("layout"));
    for (std::size_t in = 0; in < 2; ++in) {
      EXPECT_EQ(layout->bases()[in].vectors, wanted.bases()[in].vectors) << text;
    }
    EXPECT_EQ(layout->out_dim_sizes(), wanted.out_dim_sizes()) << text;
  }
  EXPECT_EQ(rows, 29);
}

// ---- Names ----

struct NamedInstruction {
  std::string name;
  std::string machine;
};

/// The names of the list, each with its machine: written after it, or that of its family.
std::vector<NamedInstruction> listed_names() {
  std::vector<NamedInstruction> names;
  std::ifstream file(std::string(HEDDLE_SOURCE_DIR) +
                     "/tests/facts/hardware/instructions_without_facts.txt");
  std::string family;
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line.front() == '#') continue;
    if (line.front() == '[') {
      family = line.substr(1, line.size() - 2);
    } else if (family.starts_with("nvidia")) {
      for (std::size_t begin = 0; begin < line.size();) {
        const std::size_t end = std::min(line.find('|', begin), line.size());
        const std::string name = line.substr(begin, end - begin);
        names.push_back({name, machine_of(name)});
        begin = end + 1;
      }
    } else if (family.starts_with("amd")) {
      const std::size_t space = line.find(' ');
      names.push_back({line.substr(0, space), line.substr(space + 1)});
    } else {
      const bool is_vector = line.starts_with("VDP");
      names.push_back(
          {line, family == "arm_sme" ? "arm-sme" : (is_vector ? "x86-avx512" : "x86-amx")});
    }
  }
  return names;
}

TEST(InstructionsWithoutFacts, AreOnTheirMachinesWithAllOperands) {
  const std::vector<NamedInstruction> names = listed_names();
  EXPECT_GE(names.size(), 357U);
  for (const auto& [name, machine] : names) {
    const auto listings = form::find_listings(name, {.machine = machine});
    ASSERT_FALSE(listings.empty()) << name << " " << machine;
    for (const form::InstructionListing* listing : listings) {
      EXPECT_EQ(listing->machine, machine) << name;
      const form::Instruction made = listing->make();
      std::set<std::string> operands;
      for (const form::InstructionOperand& operand : made.operands) operands.insert(operand.name);
      const bool has_index = name.find("SPARSE") != std::string::npos;
      const bool has_scales = name.find("_VS") != std::string::npos;
      EXPECT_TRUE(operands.contains("A") && operands.contains("B")) << name;
      EXPECT_TRUE(operands.contains("D") || operands.contains("C")) << name;
      EXPECT_EQ(operands.contains("E"), has_index) << name;
      EXPECT_EQ(operands.contains("SFA") && operands.contains("SFB"), has_scales) << name;
    }
  }
}

}  // namespace
}  // namespace heddle::test
