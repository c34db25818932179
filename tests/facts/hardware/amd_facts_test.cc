// Every row that AMD's Matrix Instruction Calculator printed of the operands of its instructions
// (amd.jsonl) and of their modifiers (amd_modifiers.jsonl), and what IREE and Triton say of the
// same instructions, against the catalogue.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "heddle/axe/canonical.h"
#include "heddle/axe/fragment.h"
#include "heddle/cute/fragment.h"
#include "heddle/linear/fragment.h"
#include "heddle/machine/instruction_layout.h"
#include "heddle/notation/axe.h"
#include "support/facts.h"
#include "support/text.h"

namespace heddle::test {
namespace {

using form::Instruction;
using form::InstructionModifiers;
using form::InstructionOperand;
using form::InstructionQuery;
using Json = nlohmann::json;

std::string text_of(const Json& row, const char* field) { return row.at(field).get<std::string>(); }

Instruction instruction_of(const std::string& name, const InstructionQuery& query) {
  const Result<Instruction> found = machine::instruction(name, query);
  EXPECT_TRUE(found) << name << " on " << query.machine;
  return found.value();
}

linear::LinearLayout linear_of(const InstructionOperand& operand) {
  return linear::linear_layout(operand.fragment).value();
}

/// CuTe's order of the dimensions, fastest first.
std::vector<std::string_view> tile_dims(const InstructionOperand& operand) {
  std::vector<std::string_view> dims;
  for (const auto& dim : operand.fragment.dims()) dims.push_back(dim.name);
  if (dims.front() == "block") std::ranges::rotate(dims, dims.begin() + 1);
  if (operand.name == "B") std::swap(dims[0], dims[1]);
  return dims;
}

// ---- The calculator ----

TEST(AmdFacts, EveryOperandOfTheCalculator) {
  int rows = 0;
  for (const Json& row : fact_rows("hardware/amd.jsonl")) {
    const std::string name = text_of(row, "instruction");
    const std::string machine = text_of(row, "arch");
    SCOPED_TRACE(name + " " + machine + " " + text_of(row, "operand"));
    const Instruction instruction =
        instruction_of(name, {.machine = machine, .lanes = row.at("lanes")});
    EXPECT_EQ(instruction.name, name);
    EXPECT_EQ(instruction.shape, (row.at("mnk").get<std::array<std::int64_t, 3>>()));
    const InstructionOperand* operand = instruction.operand(text_of(row, "operand"));
    ASSERT_NE(operand, nullptr);
    EXPECT_EQ(operand->type, text_of(row, "dtype"));
    EXPECT_EQ(operand->bits, row.at("bits"));
    EXPECT_EQ(form::register_count(*operand), row.at("vgprs"));
    std::vector<std::array<std::int64_t, 3>> slots;
    for (const auto& slot : form::register_slots(*operand)) {
      slots.push_back({slot.vgpr, slot.first_bit, slot.bits});
    }
    EXPECT_EQ(Json(slots), row.at("slots"));

    const linear::LinearLayout held = linear_of(*operand);
    EXPECT_EQ(held, fact_layout(row.at("layout")));
    EXPECT_EQ(held.in_dim_size("lane").value(), row.at("lanes_used").get<std::int64_t>());
    const auto tv = cute::thread_value_layout(operand->fragment, tile_dims(*operand));
    const cute::Layout expected = layout(text_of(row, "cute_tv"));
    ASSERT_TRUE(tv);
    ASSERT_EQ(tv->size(), expected.size());
    for (std::int64_t place = 0; place < expected.size().value(); ++place) {
      ASSERT_EQ((*tv)(place), expected(place)) << place;
    }
    const axe::Layout axe = notation::parse_axe(text_of(row, "axe")).value();
    EXPECT_TRUE(axe::equal(axe::axe_layout(operand->fragment).value(), axe).is_yes());
    ++rows;
  }
  EXPECT_EQ(rows, 300);
}

// ---- Modifiers ----

/// Calls `check` with each of the `cdna1:v_mfma_…` of the row.
template <class Check>
void for_each_instruction(const Json& row, const Check& check) {
  for (const std::string text : row.at("instructions")) {
    const std::size_t colon = text.find(':');
    check(text.substr(colon + 1), text.substr(0, colon));
  }
}

/// Element by element, what is read in the lane is what the other lane holds.
void expect_reads(const map::AnyLayout& modified, const linear::LinearLayout& plain,
                  const std::vector<std::int64_t>& lanes) {
  const form::IndexMap map = map::view(modified).value().index_map();
  const std::int64_t registers = plain.in_dim_size("register").value();
  for (std::int64_t lane = 0; lane < std::ssize(lanes); ++lane) {
    const std::int64_t read = lanes[static_cast<std::size_t>(lane)];
    for (std::int64_t reg = 0; reg < registers; ++reg) {
      const auto held = plain.apply({{"register", reg}, {"lane", read}}).value();
      const std::vector<Int> element = map(std::vector<Int>{reg, lane});
      ASSERT_EQ(element.size(), held.size());
      for (std::size_t dim = 0; dim < held.size(); ++dim) {
        ASSERT_EQ(element[dim], Int(held[dim].second)) << lane << " reads " << read;
      }
    }
  }
}

TEST(AmdFacts, EveryBlgp) {
  int checked = 0;
  int refused = 0;
  for (const Json& row : fact_rows("hardware/amd_modifiers.jsonl")) {
    if (row.at("modifier") != "BLGP") continue;
    const InstructionModifiers blgp = {.blgp = row.at("value")};
    const auto lanes = row.at("reads_lane").get<std::vector<std::int64_t>>();
    for_each_instruction(row, [&](const std::string& name, const std::string& machine) {
      SCOPED_TRACE(name + " " + machine);
      const auto modified = machine::instruction_layout(name, "B", {.machine = machine}, {}, blgp);
      // For f64, CDNA3 has the signs of the operands in the field (LLVM's neg:[1,0,0]).
      if (name.find("f64") != std::string::npos) {
        ASSERT_FALSE(modified);
        EXPECT_EQ(modified.error().code(), "instruction.modifier");
        ++refused;
        return;
      }
      ASSERT_TRUE(modified);
      const Instruction plain = instruction_of(name, {.machine = machine});
      expect_reads(*modified, linear_of(*plain.operand("B")), lanes);
      ++checked;
    });
  }
  EXPECT_EQ(checked, 7 * 59);
  EXPECT_EQ(refused, 7 * 2);
}

TEST(AmdFacts, EveryBroadcastOfBlocks) {
  int checked = 0;
  for (const Json& row : fact_rows("hardware/amd_modifiers.jsonl")) {
    if (row.at("modifier") != "CBSZ/ABID") continue;
    const InstructionModifiers broadcast = {.cbsz = row.at("cbsz"), .abid = row.at("abid")};
    const auto blocks = row.at("reads_block").get<std::vector<std::int64_t>>();
    for_each_instruction(row, [&](const std::string& name, const std::string& machine) {
      SCOPED_TRACE(name + " " + machine);
      const auto modified =
          machine::instruction_layout(name, "A", {.machine = machine}, {}, broadcast);
      ASSERT_TRUE(modified);
      const Instruction plain = instruction_of(name, {.machine = machine});
      // Each block has as many lanes as A has rows.
      std::vector<std::int64_t> lanes;
      for (const std::int64_t block : blocks) {
        for (std::int64_t i = 0; i < plain.shape[0]; ++i) {
          lanes.push_back(block * plain.shape[0] + i);
        }
      }
      expect_reads(*modified, linear_of(*plain.operand("A")), lanes);
      ++checked;
    });
  }
  EXPECT_EQ(checked, 38 * (4 + 5 + 4));
}

TEST(AmdFacts, EveryIndexSetAndUpperHalf) {
  int rows = 0;
  for (const Json& row : fact_rows("hardware/amd_modifiers.jsonl")) {
    const bool halves = row.at("modifier") == "OPSEL";
    if (!halves && row.at("modifier") != "index set") continue;
    const std::string name = text_of(row, "instruction");
    SCOPED_TRACE(name);
    const std::string machine = text_of(row, "arch");
    const InstructionQuery query = {.machine = machine, .lanes = row.at("lanes")};
    ++rows;
    if (halves) {
      for (const char* operand : {"C", "D"}) {
        const auto slots =
            machine::instruction_slots(name, operand, query, {.opsel = row.at("value")}).value();
        Json written = Json::array();
        for (const auto& slot : slots) written.push_back({slot.vgpr, slot.first_bit, slot.bits});
        EXPECT_EQ(written, row.at("slots"));
      }
      continue;
    }
    const bool by_abid = machine == "cdna3";
    const auto with = [&](std::int64_t set) {
      const InstructionModifiers modifiers =
          by_abid ? InstructionModifiers{.abid = set} : InstructionModifiers{.opsel = set};
      return machine::instruction_slots(name, "K", query, modifiers);
    };
    const std::int64_t sets = row.at("sets");
    for (std::int64_t set = 0; set < sets; ++set) {
      std::vector<std::int64_t> first_bits;
      const std::vector<form::RegisterSlot> slots = with(set).value();
      for (const form::RegisterSlot& slot : slots) {
        EXPECT_EQ(slot.vgpr, 0);
        EXPECT_EQ(slot.bits, 4);
        first_bits.push_back(slot.first_bit);
      }
      EXPECT_EQ(Json(first_bits), row.at("first_bits_of_the_4_bit_fields").at(std::size_t(set)));
    }
    EXPECT_EQ(with(sets).error().code(), "instruction.modifier");
  }
  EXPECT_EQ(rows, 40);
}

// ---- IREE and Triton ----

/// The k of ours for each k of theirs, if the layouts differ by nothing else; `k` is the number of
/// the dimension along K. The layouts may differ in the number of lanes that hold copies.
std::optional<std::vector<std::int64_t>> permutation_of_k(const linear::LinearLayout& ours,
                                                          const linear::LinearLayout& theirs,
                                                          std::size_t k) {
  const auto sizes = ours.out_dim_sizes();
  std::vector<std::int64_t> permutation(static_cast<std::size_t>(sizes[k].second), -1);
  const std::int64_t registers = theirs.in_dim_size("register").value();
  const std::int64_t lanes = theirs.in_dim_size("lane").value();
  if (registers != ours.in_dim_size("register").value()) return std::nullopt;
  for (std::int64_t place = 0; place < registers * lanes; ++place) {
    const linear::NamedSizes point = {{"register", place % registers}, {"lane", place / registers}};
    linear::NamedSizes rest = point;
    for (const auto& in : theirs.in_dims()) {
      if (in.name != "register" && in.name != "lane") rest.emplace_back(in.name, 0);
    }
    const auto a = ours.apply(point).value();
    const auto b = theirs.apply(rest).value();
    for (std::size_t dim = 0; dim < a.size(); ++dim) {
      if (dim != k && a[dim].second != b[dim].second) return std::nullopt;
    }
    std::int64_t& image = permutation[static_cast<std::size_t>(b[k].second)];
    if (image != -1 && image != a[k].second) return std::nullopt;
    image = a[k].second;
  }
  return permutation;
}

std::vector<std::int64_t> identity(std::size_t size) {
  std::vector<std::int64_t> all(size);
  for (std::size_t i = 0; i < size; ++i) all[i] = static_cast<std::int64_t>(i);
  return all;
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at)) {
    text.replace(at, from.size(), to);
    at += to.size();
  }
  return text;
}

/// IREE's names of types, which say more than AMD's.
struct Asked {
  std::string name;
  std::string_view machine;
};
Asked asked_of_iree(std::string name) {
  const bool fnuz = name.find("FNUZ") != std::string::npos;
  const bool is_ocp = !fnuz && name.find("F8E") != std::string::npos;
  constexpr std::array<std::array<const char*, 2>, 4> kFloats = {
      {{"F8E5M2FNUZ", "BF8"}, {"F8E4M3FNUZ", "FP8"}, {"F8E4M3FN", "FP8"}, {"F8E5M2", "BF8"}}};
  for (const auto& [from, to] : kFloats) name = replaced(name, from, to);
  // One type stands for both operands, AMD writes both.
  for (const std::string_view type : {"_BF8", "_FP8"}) {
    const std::string_view before = std::string_view(name).substr(0, name.size() - type.size());
    const bool has_two = before.ends_with("BF8") || before.ends_with("FP8");
    if (name.ends_with(type) && !has_two) name += type;
  }
  std::string_view machine = "cdna3";
  if (name.starts_with("WMMAR3_")) machine = "rdna3";
  if (name.starts_with("WMMAR4_")) machine = "rdna4";
  if (name.starts_with("WMMA_")) machine = "gfx1250";
  const bool is_mfma = name.starts_with("MFMA");
  if (!is_mfma) name = replaced(replaced(replaced(name, "R3_", "_"), "R4_", "_"), "_I8", "_iu8");
  if (is_mfma && is_ocp) machine = "cdna4";
  for (const std::string_view large : {"16x16x128_", "32x32x64_"}) {
    const std::size_t at = name.find(large);
    if (is_mfma && at != std::string::npos) name = name.substr(0, at + large.size()) + "f8f6f4";
  }
  for (const int count : {2, 4, 16}) {
    const std::string blocks = std::to_string(count);
    name = replaced(name, "x" + blocks + "B_", "_" + blocks + "b_");
  }
  std::ranges::transform(name, name.begin(), [](unsigned char c) { return std::tolower(c); });
  name = "v_" + name;
  if (machine != "cdna3" || !is_mfma) return {name, machine};
  // CDNA4 has new shapes, CDNA2 some that CDNA3 no longer has.
  if (machine::instruction(name, {.machine = machine})) return {name, machine};
  if (machine::instruction(name, {.machine = "cdna4"})) return {name, "cdna4"};
  const std::size_t last = name.rfind('_');
  return {name.erase(last, 1), "cdna2"};
}

TEST(AmdFacts, EveryOperandOfIree) {
  int rows = 0;
  for (const Json& row : fact_rows("hardware/iree_amd.jsonl")) {
    const std::string name = text_of(row, "instruction");
    const std::string operand = text_of(row, "operand");
    SCOPED_TRACE(name + " " + operand);
    const auto held = machine::instruction_layout(name, operand);
    ASSERT_TRUE(held);
    EXPECT_EQ(std::get<linear::LinearLayout>(*held), fact_layout(row.at("layout")));
    ++rows;
  }
  EXPECT_EQ(rows, 283);
}

TEST(AmdFacts, IreeSaysTheSameUpToTheOrderOfK) {
  int same = 0;
  int permuted = 0;
  int blocks = 0;
  std::map<std::string, std::vector<std::int64_t>> permutation_of_a;
  for (const Json& row : fact_rows("hardware/iree_amd.jsonl")) {
    const std::string iree = text_of(row, "instruction");
    std::string operand = text_of(row, "operand");
    SCOPED_TRACE(iree + " " + operand);
    if (iree.find("SCALE") != std::string::npos) continue;
    const Asked asked = asked_of_iree(iree);
    const bool wave32 = asked.name.find("wmma") != std::string::npos;
    const Instruction instruction =
        instruction_of(asked.name, {.machine = asked.machine, .lanes = wave32 ? 32 : 64});
    const linear::LinearLayout ours = linear_of(*instruction.operand(operand));
    const linear::LinearLayout theirs = fact_layout(row.at("layout"));
    if (operand == "D") {
      if (ours == theirs) {
        ++same;
        continue;
      }
      // The registers run through the blocks before the groups of rows.
      const auto bases = theirs.bases();
      auto reordered = bases;
      std::ranges::rotate(reordered[0].vectors.begin() + 2, reordered[0].vectors.begin() + 3,
                          reordered[0].vectors.end());
      EXPECT_EQ(ours, linear::LinearLayout::make(reordered, theirs.out_dim_sizes()).value());
      EXPECT_NE(instruction.note.find("IREE"), std::string::npos);
      ++blocks;
      continue;
    }
    const std::size_t rank = ours.out_dims().size();
    const auto order = permutation_of_k(ours, theirs, operand == "A" ? rank - 1 : rank - 2);
    ASSERT_TRUE(order);
    if (*order == identity(order->size())) {
      ++same;
    } else {
      EXPECT_NE(instruction.note.find("IREE"), std::string::npos);
      ++permuted;
    }
    // A and B permute k alike.
    if (operand == "A") permutation_of_a[iree] = *order;
    if (operand == "B") {
      EXPECT_EQ(permutation_of_a.at(iree), *order);
    }
  }
  EXPECT_EQ(same + permuted + blocks, 273);
  EXPECT_EQ(blocks, 4);
  EXPECT_EQ(permuted, 50);
}

/// How a tensor of Triton is made of an operand: element (block, row, col) to (dim0, dim1).
using Place = std::array<std::int64_t, 3>;
using Tile = std::function<std::array<std::int64_t, 2>(const Place&)>;

/// Whether Triton's layout, of one warp, holds in every register what the operand does.
bool holds(const linear::LinearLayout& triton, const linear::LinearLayout& operand,
           const Tile& tile) {
  const std::int64_t registers = triton.in_dim_size("register").value();
  const std::int64_t lanes = triton.in_dim_size("lane").value();
  if (registers != operand.in_dim_size("register").value()) return false;
  if (lanes != operand.in_dim_size("lane").value()) return false;
  for (std::int64_t place = 0; place < registers * lanes; ++place) {
    linear::NamedSizes point = {{"register", place % registers}, {"lane", place / registers}};
    const auto ours = operand.apply(point).value();
    point.insert(point.end(), {{"warp", 0}, {"block", 0}});
    const auto theirs = triton.apply(point).value();
    Place element{};
    std::int64_t* last = element.data() + element.size();
    for (auto dim = ours.rbegin(); dim != ours.rend(); ++dim) *--last = dim->second;
    if (tile(element) != std::array{theirs[0].second, theirs[1].second}) return false;
  }
  return true;
}

/// The operand of which one register of Triton is one, and how; nullopt for several instructions.
struct OfTriton {
  std::string operand;
  Tile tile;
};
std::optional<OfTriton> of_triton(const Json& row, const Instruction& instruction) {
  const auto [m, n, k] = instruction.shape;
  const std::string operand = text_of(row, "operand");
  const auto mnk = row.at("mnk").get<std::array<std::int64_t, 3>>();
  // Transposed encodings compute the transpose of D, with A and B exchanged.
  const bool transposed = text_of(row, "text").find("ransposed = true") != std::string::npos ||
                          text_of(row, "text").find("ranspose = true") != std::string::npos;
  const bool swapped = transposed && operand == "D";
  if (mnk == instruction.shape) {
    return OfTriton{operand, [swapped](const Place& at) {
                      return swapped ? std::array{at[2], at[1]} : std::array{at[1], at[2]};
                    }};
  }
  // 16 blocks of 4 x 4 become a tile of 4 x 64 or 64 x 4: blocks along K of the short factor, which
  // all share, and along the long side of D.
  const std::int64_t tall = mnk[0] == 64 ? 1 : 0;
  if (mnk[2] != 16 * k) return std::nullopt;
  if (operand == "D") {
    return OfTriton{operand, [=](const Place& at) {
                      std::array tile =
                          swapped ? std::array{at[2], at[1]} : std::array{at[1], at[2]};
                      tile[1 - static_cast<std::size_t>(tall)] += 4 * at[0];
                      return tile;
                    }};
  }
  if (operand == (tall == 1 ? "A" : "B")) return std::nullopt;
  return OfTriton{"A", [=](const Place& at) {
                    const std::int64_t along = at[0] * k + at[2];
                    return tall == 1 ? std::array{along, at[1]} : std::array{at[1], along};
                  }};
}

TEST(AmdFacts, TritonHoldsTheSame) {
  constexpr std::array<std::string_view, 5> kCdna = {"", "cdna1", "cdna2", "cdna3", "cdna4"};
  constexpr std::array<std::string_view, 4> kRdna = {"", "rdna3", "rdna4", "gfx1250"};
  int same = 0;
  int permuted = 0;
  int of_several = 0;
  for (const Json& row : fact_rows("hardware/triton_amd_instructions.jsonl")) {
    std::string intrinsic = text_of(row, "intrinsic");
    const std::string operand = text_of(row, "operand");
    const std::size_t version = row.at("version");
    // Triton's table has the sizes of the instruction without _1k here, which has one block.
    if (intrinsic == "mfma_f32_32x32x4bf16_1k") intrinsic = "mfma_f32_32x32x4bf16";
    SCOPED_TRACE(intrinsic + " " + operand + " " + row.at("mnk").dump());
    const bool is_wmma = intrinsic.starts_with("wmma");
    const Instruction instruction = instruction_of(
        "v_" + replaced(intrinsic, ".", "_"),
        {.machine = is_wmma ? kRdna.at(version) : kCdna.at(version), .lanes = is_wmma ? 32 : 64});
    const linear::LinearLayout theirs = fact_layout(row.at("layout"));
    if (is_wmma && operand != "D") {
      const linear::LinearLayout ours = linear_of(*instruction.operand(operand));
      if (row.at("text").get<std::string>().find("16, 64]}>, kWidth = 16") != std::string::npos) {
        // Two elements of 4 bits are one of Triton's bytes.
        const auto sizes = ours.out_dim_sizes();
        for (std::int64_t place = 0; place < 64 * 32; ++place) {
          const auto held =
              ours.apply({{"register", 2 * (place % 64)}, {"lane", place / 64}}).value();
          const auto bytes = theirs.apply(
              {{"register", place % 64}, {"lane", place / 64}, {"warp", 0}, {"block", 0}});
          ASSERT_EQ(held[0].second, bytes.value()[0].second);
          ASSERT_EQ(held[1].second, 2 * bytes.value()[1].second);
        }
        ++same;
        continue;
      }
      const auto order = permutation_of_k(ours, theirs, operand == "A" ? 1 : 0);
      ASSERT_TRUE(order);
      (*order == identity(order->size()) ? same : permuted) += 1;
      continue;
    }
    const std::optional<OfTriton> of = of_triton(row, instruction);
    if (!of) {
      ++of_several;
      continue;
    }
    EXPECT_TRUE(holds(theirs, linear_of(*instruction.operand(of->operand)), of->tile));
    ++same;
  }
  EXPECT_EQ(same + permuted + of_several, 248);
  EXPECT_EQ(permuted, 13);
  // The long factor of 4 x 64 and 64 x 4, whose registers are those of 16 instructions.
  EXPECT_EQ(of_several, 21);
}

// ---- tensor-layouts ----

std::size_t elements_reached(const cute::Layout& layout) {
  std::set<std::int64_t> reached;
  for (std::int64_t at = 0; at < layout.size().value(); ++at) reached.insert(layout(at).value());
  return reached.size();
}

// tensor-layouts 0.3.2 has other atoms for AMD. For A and B of MFMA, computation decides: its lanes
// hold neither all rows nor all of K, so that most elements are nowhere. Those of D hold each
// element once, but the calculator, IREE and Triton agree on another order of the lanes.
TEST(AmdFacts, TheAtomsOfTensorLayoutsAreOthers) {
  int incomplete = 0;
  int others = 0;
  for (const Json& row : fact_rows("hardware/tensor_layouts_amd.jsonl")) {
    const std::string operand = text_of(row, "operand");
    SCOPED_TRACE(text_of(row, "atom") + " " + operand);
    const std::string name = text_of(row, "against");
    const Instruction instruction = form::find_instruction(name).value();
    const InstructionOperand* has = instruction.operand(operand);
    const auto ours = cute::thread_value_layout(has->fragment, tile_dims(*has)).value();
    const cute::Layout theirs = layout(text_of(row, "atom_layout"));
    const auto [m, n, k] = instruction.shape;
    const std::int64_t all = operand == "D" ? m * n : (operand == "A" ? m : n) * k;
    ASSERT_EQ(elements_reached(ours), static_cast<std::size_t>(all));
    if (elements_reached(theirs) < static_cast<std::size_t>(all)) {
      ++incomplete;
      continue;
    }
    bool differs = ours.size() != theirs.size();
    for (std::int64_t at = 0; !differs && at < theirs.size().value(); ++at) {
      differs = ours(at) != theirs(at);
    }
    EXPECT_TRUE(differs);
    ++others;
  }
  EXPECT_EQ(incomplete, 54);
  EXPECT_EQ(others, 55);
}

// ---- Names ----

TEST(AmdNames, AssemblersAcceptOldNamesOnNewMachines) {
  const auto name_of = [](const char* name, const char* machine) {
    return instruction_of(name, {.machine = machine}).name;
  };
  EXPECT_EQ(name_of("v_mfma_f32_32x32x8f16", "cdna2"), "v_mfma_f32_32x32x8f16");
  EXPECT_EQ(name_of("v_mfma_f32_32x32x8f16", "cdna3"), "v_mfma_f32_32x32x8_f16");
  EXPECT_EQ(name_of("v_mfma_f32_32x32x4bf16_1k", "cdna2"), "v_mfma_f32_32x32x4bf16_1k");
  EXPECT_EQ(name_of("v_mfma_f32_32x32x4bf16_1k", "cdna3"), "v_mfma_f32_32x32x4_2b_bf16");
  EXPECT_EQ(name_of("v_mfma_f64_4x4x4f64", "cdna4"), "v_mfma_f64_4x4x4_4b_f64");
  EXPECT_EQ(name_of("v_mfma_i32_16x16x64i8", "cdna4"), "v_mfma_i32_16x16x64_i8");
  EXPECT_EQ(name_of("v_smfmac_f32_16x16x64bf8fp8", "cdna3"), "v_smfmac_f32_16x16x64_bf8_fp8");
  EXPECT_EQ(name_of("v_mfma_f32_16x16x4f32_e64", "cdna1"), "v_mfma_f32_16x16x4f32");
  EXPECT_EQ(name_of("V_MFMA_F32_16X16X4F32", "gfx90a"), "v_mfma_f32_16x16x4f32");
  EXPECT_EQ(name_of("__builtin_amdgcn_mfma_f32_32x32x8f16", "gfx90a"), "v_mfma_f32_32x32x8f16");
  EXPECT_EQ(name_of("__builtin_amdgcn_wmma_f32_16x16x16_f16_w32", "gfx1100"),
            "v_wmma_f32_16x16x16_f16");
  EXPECT_EQ(name_of("llvm.amdgcn.mfma.f32.32x32x4bf16.1k", "gfx942"), "v_mfma_f32_32x32x4_2b_bf16");
  EXPECT_EQ(name_of("rocdl.mfma.scale.f32.32x32x64.f8f6f4", "gfx950"),
            "v_mfma_scale_f32_32x32x64_f8f6f4");
  EXPECT_EQ(name_of("llvm.amdgcn.ds.read.tr16.b64", "gfx950"), "ds_read_b64_tr_b16");
}

TEST(AmdNames, SuffixesOfIntrinsicsSayMachineLanesAndRegisters) {
  struct Intrinsic {
    std::string name;
    std::string machine;
    std::int64_t lanes;
  };
  const std::string builtin = "__builtin_amdgcn_";
  const std::string llvm = "llvm.amdgcn.";
  for (const Intrinsic& asked : std::vector<Intrinsic>{
           {builtin + "wmma_f32_16x16x16_f16_w32_gfx12", "rdna4", 32},
           {builtin + "wmma_i32_16x16x32_iu4_w64_gfx12", "rdna4", 64},
           {builtin + "wmma_f32_16x16x16_f16_w32", "rdna3", 32},
           {builtin + "wmma_bf16_16x16x16_bf16_tied_w64", "rdna3", 64},
           {builtin + "swmmac_f32_16x16x32_f16_w32", "rdna4", 32},
           {llvm + "wmma.f32.16x16x16.f16.v8f32.v16f16", "rdna3", 32},
           {llvm + "wmma.f32.16x16x16.f16.v8f32.v8f16", "rdna4", 32},
           {llvm + "wmma.f32.16x16x16.f16.v4f32.v4f16", "rdna4", 64},
           {llvm + "wmma.f16.16x16x16.f16.tied.v16f16.v16f16", "rdna3", 32},
           {llvm + "wmma.i32.16x16x16.iu8.v4i32.v4i32", "rdna3", 64},
           {llvm + "wmma.i32.16x16x16.iu8.v8i32.v2i32", "rdna4", 32},
           {llvm + "wmma.i32.16x16x16.iu4.v8i32.i32", "rdna4", 32},
           {llvm + "swmmac.f32.16x16x32.bf16.v8f32.v8bf16.v16bf16.i16", "rdna4", 32},
           {llvm + "mfma.scale.f32.32x32x64.f8f6f4.v8i32.v8i32", "cdna4", 64},
           {llvm + "ds.read.tr16.b64.v4f16", "cdna4", 64}}) {
    const auto found = machine::instruction(asked.name);
    ASSERT_TRUE(found) << asked.name << ": " << found.error();
    EXPECT_EQ(found->machine, asked.machine) << asked.name;
    EXPECT_EQ(found->lanes, asked.lanes) << asked.name;
  }
  // RDNA3's builtin is another one.
  EXPECT_EQ(
      machine::instruction(builtin + "wmma_f32_16x16x16_f16_w32_gfx12", {.machine = "gfx1100"})
          .error()
          .code(),
      "instruction.unknown");
  EXPECT_EQ(instruction_of("v_wmma_f32_16x16x16_f16", {.machine = "gfx12", .lanes = 32}).machine,
            "rdna4");
}

TEST(AmdNames, OneNameMayMeanTwoInstructions) {
  // Without _1k it is the one of 2 blocks on CDNA3, and that of one block before.
  EXPECT_EQ(instruction_of("v_mfma_f32_32x32x4bf16", {.machine = "cdna2"}).operand("D")->fragment,
            instruction_of("v_mfma_f32_32x32x8f16", {.machine = "cdna2"}).operand("D")->fragment);
  EXPECT_EQ(instruction_of("v_mfma_f32_32x32x4bf16", {.machine = "cdna3"}).name,
            "v_mfma_f32_32x32x4_2b_bf16");
  EXPECT_EQ(machine::instruction("v_mfma_f32_32x32x4bf16").error().code(), "instruction.ambiguous");
  EXPECT_EQ(machine::instruction("v_wmma_f32_16x16x16_f16", {.machine = "rdna3"}).error().code(),
            "instruction.ambiguous");
}

TEST(AmdNames, MachinesHaveTheirOwn) {
  const auto code = [](const char* name, const char* machine) {
    const auto found = machine::instruction(name, {.machine = machine});
    return found ? std::string() : found.error().code();
  };
  EXPECT_EQ(code("v_mfma_f32_32x32x8_f16", "cdna2"), "instruction.unknown");
  EXPECT_EQ(code("v_mfma_f32_32x32x4_xf32", "cdna4"), "instruction.unknown");
  EXPECT_EQ(code("v_mfma_i32_32x32x8i8", "cdna3"), "instruction.unknown");
  EXPECT_EQ(code("v_wmma_i32_16x16x32_iu4", "rdna3"), "instruction.unknown");
  EXPECT_EQ(code("v_mfma_f32_32x32x9f16", "cdna2"), "instruction.unknown");
  const auto no_operand = machine::instruction_layout("v_smfmac_f32_16x16x32_f16", "C");
  EXPECT_EQ(no_operand.error().code(), "instruction.operand");
}

TEST(AmdNames, ModifiersOfOtherInstructionsAreRefused) {
  const auto code = [](const char* name, const char* machine, const InstructionModifiers& with) {
    const auto layout = machine::instruction_layout(name, "A", {.machine = machine}, {}, with);
    return layout ? std::string() : layout.error().code();
  };
  const std::string refused = "instruction.modifier";
  EXPECT_EQ(code("v_mfma_f32_32x32x8f16", "cdna2", {.blgp = 8}), refused);
  EXPECT_EQ(code("v_mfma_f32_32x32x8f16", "cdna2", {.blgp = -1}), refused);
  EXPECT_EQ(code("v_mfma_f32_32x32x8f16", "cdna2", {.cbsz = 1}), refused);
  EXPECT_EQ(code("v_mfma_f32_4x4x4f16", "cdna2", {.cbsz = 5}), refused);
  EXPECT_EQ(code("v_mfma_f32_4x4x4f16", "cdna2", {.cbsz = 2, .abid = 4}), refused);
  EXPECT_EQ(code("v_mfma_f32_32x32x8_f16", "cdna3", {.blgp = 1}), refused);
  EXPECT_EQ(code("v_mfma_f32_16x16x8_xf32", "cdna3", {.blgp = 1}), refused);
  EXPECT_EQ(code("v_mfma_f32_16x16x128_f8f6f4", "cdna4", {.cbsz = 5}), refused);
  EXPECT_EQ(code("v_mfma_f32_4x4x4f16", "cdna2", {.cbsz = 2, .abid = 3}), "");
}

TEST(AmdNames, WhatLanesReadIsSaidByFewSystems) {
  const auto code = [](map::System system, std::int64_t blgp) {
    const auto layout = machine::instruction_layout("v_mfma_f32_32x32x8f16", "B",
                                                    {.machine = "cdna2"}, system, {.blgp = blgp});
    return layout ? std::string() : layout.error().code();
  };
  EXPECT_EQ(code(map::System::kLinear, 1), "");
  EXPECT_EQ(code(map::System::kRelation, 1), "");
  EXPECT_EQ(code(map::System::kRelation, 3), "");
  EXPECT_EQ(code(map::System::kLinear, 3), "instruction.modifier");
  EXPECT_EQ(code(map::System::kAxe, 1), "instruction.modifier");
}

TEST(AmdNames, ModifiersOfF8f6f4ChooseTypes) {
  const auto slots = machine::instruction_slots("v_mfma_scale_f32_16x16x128_f8f6f4", "B", {},
                                                {.cbsz = 4, .blgp = 2});
  ASSERT_TRUE(slots);
  ASSERT_EQ(slots->size(), 32U);
  EXPECT_EQ(slots->at(5), (form::RegisterSlot{0, 30, 6}));
  EXPECT_EQ(slots->at(16), (form::RegisterSlot{3, 0, 6}));
}

// ---- Loads that transpose ----

/// The lane whose address a register is read from, and the element from there on.
struct ReadFrom {
  std::int64_t lane = 0;
  std::int64_t element = 0;

  friend bool operator==(const ReadFrom&, const ReadFrom&) = default;
};
ReadFrom read_from(const linear::LinearLayout& load, std::int64_t lane, std::int64_t reg) {
  const auto from = load.apply({{"register", reg}, {"lane", lane}}).value();
  return {from[0].second, from[1].second};
}

TEST(AmdTransposingLoads, GiveEachLaneAColumn) {
  struct Load {
    const char* name;
    std::int64_t columns;
  };
  for (const Load load : {Load{"ds_read_b64_tr_b16", 16},
                          {"ds_read_b64_tr_b8", 16},
                          {"ds_read_b96_tr_b6", 16},
                          {"ds_read_b64_tr_b4", 16},
                          {"ds_load_tr16_b128", 8},
                          {"global_load_tr16_b128", 8}}) {
    SCOPED_TRACE(load.name);
    const Instruction instruction = instruction_of(load.name, {});
    const linear::LinearLayout layout = linear_of(*instruction.operand("D"));
    const std::int64_t elements = layout.in_dim_size("register").value();
    for (std::int64_t lane = 0; lane < instruction.lanes; ++lane) {
      for (std::int64_t reg = 0; reg < elements; ++reg) {
        // As many lanes as there are columns read a tile of `elements` rows, row by row.
        const std::int64_t first = lane / load.columns * load.columns;
        const std::int64_t flat = reg * load.columns + lane % load.columns;
        const ReadFrom expected = {first + flat / elements, flat % elements};
        ASSERT_EQ(read_from(layout, lane, reg), expected) << lane << " " << reg;
      }
    }
  }
}

TEST(AmdTransposingLoads, BytesOfGfx1250ComeFromTwoRunsOfLanes) {
  const Instruction instruction = instruction_of("ds_load_b64_tr_b8", {.machine = "gfx1250"});
  const linear::LinearLayout layout = linear_of(*instruction.operand("D"));
  const std::vector<std::int64_t> runs = {0, 1, 2, 3, 8, 9, 10, 11};
  for (std::int64_t reg = 0; reg < 8; ++reg) {
    const std::int64_t lane = runs[static_cast<std::size_t>(reg)];
    EXPECT_EQ(read_from(layout, 2, reg), (ReadFrom{lane, 2}));
    EXPECT_EQ(read_from(layout, 10, reg), (ReadFrom{lane + 4, 2}));
    EXPECT_EQ(read_from(layout, 18, reg), (ReadFrom{lane + 16, 2}));
  }
}

// Triton's layout says which bytes each lane reads, two elements of 4 bits along M or N in each.
// After the exchange, lanes hold the operand of the instruction.
TEST(AmdTransposingLoads, TritonReadsWhatBecomesAnOperand) {
  const Instruction load = instruction_of("ds_read_b64_tr_b4", {.machine = "cdna4"});
  const linear::LinearLayout exchange = linear_of(*load.operand("D"));
  int rows = 0;
  for (const Json& row : fact_rows("hardware/triton_ds_read_tr.jsonl")) {
    const bool is_a = row.at("opIdx") == 0;
    const bool is_16 = row.at("mDim") == 16;
    SCOPED_TRACE(row.dump());
    const Instruction instruction = instruction_of(
        is_16 ? "v_mfma_f32_16x16x128_f8f6f4" : "v_mfma_f32_32x32x64_f8f6f4", {.machine = "cdna4"});
    const linear::LinearLayout operand = linear_of(*instruction.operand(is_a ? "A" : "B"));
    const linear::LinearLayout bytes = fact_layout(row.at("layout"));
    for (std::int64_t at = 0; at < 64 * 32; ++at) {
      const std::int64_t lane = at / 32;
      const std::int64_t reg = at % 32;
      const ReadFrom from = read_from(exchange, lane, reg % 16);
      const auto byte = bytes
                            .apply({{"register", from.element / 2 + reg / 16 * 8},
                                    {"lane", from.lane},
                                    {"warp", 0},
                                    {"block", 0}})
                            .value();
      const std::int64_t across = 2 * byte[is_a ? 0 : 1].second + from.element % 2;
      const std::int64_t along = byte[is_a ? 1 : 0].second;
      const auto held = operand.apply({{"register", reg}, {"lane", lane}}).value();
      ASSERT_EQ(held[is_a ? 0 : 1].second, across);
      ASSERT_EQ(held[is_a ? 1 : 0].second, along);
    }
    ++rows;
  }
  EXPECT_EQ(rows, 4);
}

}  // namespace
}  // namespace heddle::test
