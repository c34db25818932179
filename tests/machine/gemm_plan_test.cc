// Plans of products: an emulator executes them on the places of the operands, and the result is the
// plain product. What is built from an instruction is found to fit it.

#include "heddle/machine/gemm_plan.h"

#include <gtest/gtest.h>

#include <array>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "heddle/axe/fragment.h"
#include "heddle/axe/tile.h"
#include "heddle/form/instruction.h"
#include "heddle/machine/instruction_layout.h"
#include "heddle/notation/axe.h"
#include "support/law.h"
#include "support/random_axe.h"
#include "support/refusal.h"

namespace heddle::test {
namespace {

using axe::Iter;
using form::Instruction;
using form::InstructionOperand;
using machine::gemm_plan;
using machine::GemmChoice;
using machine::GemmMatrices;
using machine::GemmPlan;
using machine::GemmShape;
using machine::GemmTiling;

axe::Layout axe_of(const std::string& text) { return notation::parse_axe(text).value(); }

// ---- Emulation ----

/// The warps, blocks and devices of a place: all of it but memory and the lane.
PlainPlace unit_of(PlainPlace place) {
  std::erase_if(place, [](const auto& entry) {
    return entry.first != "warpid" && entry.first != "bx" && entry.first != "gpuid";
  });
  return place;
}

/// The places of one matrix by tile and by the element in it.
class Tiles {
 public:
  explicit Tiles(const GemmTiling& tiling) : tiling_(tiling) {
    const auto ints = [](const auto& sizes) { return std::vector<Int>{sizes[0], sizes[1]}; };
    const auto outer = ints(tiling.tiler_shape);
    const auto inner = ints(tiling.atom_shape);
    const auto product = tiling.is_tile ? axe::tile(tiling.tiler, outer, tiling.atom, inner)
                                        : axe::direct_sum(tiling.tiler, outer, tiling.atom, inner);
    places_ = plain_map(product.value());
  }

  [[nodiscard]] const PlainPlaces& at(std::int64_t tile_row, std::int64_t row,
                                      std::int64_t tile_column, std::int64_t column) const {
    const std::int64_t index =
        ((tile_row * tiling_.atom_shape[0] + row) * tiling_.tiler_shape[1] + tile_column) *
            tiling_.atom_shape[1] +
        column;
    return places_[static_cast<std::size_t>(index)];
  }

 private:
  GemmTiling tiling_;
  std::vector<PlainPlaces> places_;
};

using Memory = std::map<PlainPlace, std::int64_t>;

/// Random values of the elements, in all their places; elements with a place in common are equal.
Memory filled(const axe::Layout& layout, std::int64_t size, Random& random,
              std::vector<std::int64_t>& values) {
  Memory memory;
  for (std::int64_t index = 0; index < size; ++index) {
    std::int64_t value = random.between(-9, 9);
    const PlainPlaces places = plain_places(layout, index);
    for (const PlainPlace& place : places) {
      if (const auto found = memory.find(place); found != memory.end()) value = found->second;
    }
    for (const PlainPlace& place : places) memory[place] = value;
    values.push_back(value);
  }
  return memory;
}

std::optional<std::int64_t> read(const Memory& memory, const PlainPlaces& places,
                                 const PlainPlace& unit) {
  for (const PlainPlace& place : places) {
    const auto found = memory.find(place);
    if (unit_of(place) == unit && found != memory.end()) return found->second;
  }
  return std::nullopt;
}

/// Executes the loops of a choice; what is wrong with the result.
Finding differs_from_product(const std::array<axe::Layout, 3>& layouts, const GemmShape& shape,
                             const GemmChoice& choice, Random& random) {
  const auto [m, n, k] = shape;
  std::vector<std::int64_t> a;
  std::vector<std::int64_t> b;
  const Memory a_memory = filled(layouts[0], m * k, random, a);
  const Memory b_memory = filled(layouts[1], k * n, random, b);
  Memory sums;
  const Tiles a_tiles(choice.tilings[0]);
  const Tiles b_tiles(choice.tilings[1]);
  const Tiles c_tiles(choice.tilings[2]);
  const auto [rows, columns, depth] = choice.shape;
  std::map<PlainPlace, std::int64_t> issued;
  for (std::int64_t i = 0; i < m; ++i) {
    for (std::int64_t j = 0; j < n; ++j) {
      for (const PlainPlace& place : c_tiles.at(i / rows, i % rows, j / columns, j % columns)) {
        const PlainPlace unit = unit_of(place);
        if (i % rows == 0 && j % columns == 0) issued[unit] += k / depth;
        for (std::int64_t l = 0; l < k; ++l) {
          const auto left =
              read(a_memory, a_tiles.at(i / rows, i % rows, l / depth, l % depth), unit);
          const auto right =
              read(b_memory, b_tiles.at(l / depth, l % depth, j / columns, j % columns), unit);
          if (!left || !right) return found("a unit lacks an element of ", left ? "B" : "A");
          sums[place] += *left * *right;
        }
      }
    }
  }
  for (const auto& [unit, times] : issued) {
    if (times != choice.loops[0] * choice.loops[1] * choice.loops[2]) {
      return found("issued ", times, " times in a unit");
    }
  }
  if (static_cast<std::int64_t>(issued.size()) != choice.units) {
    return found("there are ", issued.size(), " units");
  }
  // The rows, columns and steps of the loops are the matrices' in another order, which the places
  // of C undo: its elements are compared by their places.
  Memory wanted;
  for (std::int64_t i = 0; i < m; ++i) {
    for (std::int64_t j = 0; j < n; ++j) {
      std::int64_t sum = 0;
      for (std::int64_t l = 0; l < k; ++l) {
        sum += a[static_cast<std::size_t>(i * k + l)] * b[static_cast<std::size_t>(l * n + j)];
      }
      for (const PlainPlace& place : plain_places(layouts[2], i * n + j)) wanted[place] = sum;
    }
  }
  return wanted == sums ? Finding(kHolds) : found("the sums are not the product's");
}

// ---- The atoms ----

/// Whether lanes and other fixed places of an atom are those of the instruction, and its elements
/// share registers as the instruction's do.
Finding differs_from_fragment(const GemmTiling& tiling, const InstructionOperand& operand,
                              std::size_t rows_dim) {
  const auto held = axe::axe_layout(operand.fragment).value();
  const std::int64_t slow = operand.fragment.dims()[1].size;
  const std::int64_t pack = operand.slot_bits < 32 ? 32 / operand.slot_bits : 1;
  for (std::int64_t i = 0; i < tiling.atom_shape[0]; ++i) {
    for (std::int64_t j = 0; j < tiling.atom_shape[1]; ++j) {
      const auto split = [&](const axe::Layout& layout, std::int64_t index) {
        PlainPlaces places;
        for (PlainPlace place : plain_places(layout, index)) {
          place["m"] %= pack;
          place.erase("F");
          places.insert(place);
        }
        return places;
      };
      const std::int64_t in_fragment = rows_dim == 0 ? i * slow + j : j * slow + i;
      if (split(tiling.atom, i * tiling.atom_shape[1] + j) != split(held, in_fragment)) {
        return found("element (", i, ",", j, ") of ", operand.name, " is elsewhere");
      }
    }
  }
  return kHolds;
}

const InstructionOperand& operand_of(const Instruction& instruction, std::size_t matrix) {
  const auto* result = instruction.operand("D");
  if (matrix == 2) return result != nullptr ? *result : *instruction.operand("C");
  return *instruction.operand(matrix == 0 ? "A" : "B");
}

// ---- Products made from an instruction ----

/// Instructions of plain products of powers of two, a few of each machine.
std::vector<Instruction> plain_instructions() {
  std::vector<Instruction> instructions;
  std::map<std::string, int> of_machine;
  for (const auto& listing : form::instruction_listings()) {
    if (of_machine[listing.machine] > 40) continue;
    Instruction made = listing.make();
    const auto is_plain = [&](const char* name) {
      const auto* operand = made.operand(name);
      return operand != nullptr && operand->fragment.dims().size() == 2 && operand->group == 1 &&
             operand->fragment.is_binary() && !operand->fragment.has_descending() &&
             !operand->fragment.has_unused() && operand->fragment.dims()[0].name != "block" &&
             operand->fragment.copies() < std::max<std::int64_t>(made.lanes, 2) &&
             !operand->fragment.dim("kgroup");
    };
    const auto* c = made.operand("C");
    const auto* d = made.operand("D");
    if (!is_plain("A") || !is_plain("B") || !(is_plain("C") || is_plain("D"))) continue;
    if (c != nullptr && d != nullptr && c->fragment != d->fragment) continue;
    const bool has_scales = made.operand("SFA") != nullptr;
    if (has_scales || !made.thread_ids.empty() || made.operand("A")->fragment.place("shared") ||
        made.operand("B")->fragment.place("shared") || made.operand("A")->shared_by > 1) {
      continue;
    }
    if (made.shape[0] * made.shape[1] * made.shape[2] > 4096) continue;
    ++of_machine[listing.machine];
    instructions.push_back(std::move(made));
  }
  return instructions;
}

struct Product {
  std::array<axe::Layout, 3> layouts;
  GemmShape shape{1, 1, 1};
};

/// Digits of M, N and K in a random order: those of the instruction and loops over registers and
/// warps.
class ProductMaker {
 public:
  ProductMaker(Random& random, const Instruction& instruction)
      : random_(random), instruction_(instruction) {}

  Product make() {
    for (std::size_t matrix = 0; matrix < 3; ++matrix) {
      const auto& operand = operand_of(instruction_, matrix);
      held_[matrix] = axe::axe_layout(operand.fragment).value();
      const auto registers = operand.fragment.place("register");
      reached_[matrix] = registers ? operand.fragment.places()[*registers].size : 1;
      for (const Iter& copy : held_[matrix].replica()) copies_[matrix].push_back(copy);
    }
    for (std::size_t dim = 0; dim < 3; ++dim) make_dim(dim);
    Product product;
    product.shape = sizes_;
    for (std::size_t matrix = 0; matrix < 3; ++matrix) {
      std::vector<Iter> shard;
      for (const std::size_t side : {0U, 1U}) {
        const auto& digits = sides_[matrix][side];
        shard.insert(shard.end(), digits.begin(), digits.end());
      }
      product.layouts[matrix] = *axe::Layout::make(shard, copies_[matrix]);
    }
    return product;
  }

 private:
  struct Side {
    std::size_t matrix;
    std::size_t side;
  };
  static constexpr std::array<std::array<Side, 2>, 3> kSides = {
      {{{{0, 0}, {2, 0}}}, {{{1, 1}, {2, 1}}}, {{{0, 1}, {1, 0}}}}};

  /// The number of the side in the operand's own dimensions.
  [[nodiscard]] std::size_t own_dim(const Side& side) const {
    const auto& dims = operand_of(instruction_, side.matrix).fragment.dims();
    const bool is_turned = side.matrix == 0 ? dims[1].name == "row" : dims[0].name == "col";
    return is_turned ? 1 - side.side : side.side;
  }
  [[nodiscard]] std::int64_t size_of(const Side& side) const {
    return operand_of(instruction_, side.matrix).fragment.dims()[own_dim(side)].size;
  }

  [[nodiscard]] Iter step_of(const Side& side, std::int64_t weight) const {
    const auto& dims = operand_of(instruction_, side.matrix).fragment.dims();
    const std::int64_t index = own_dim(side) == 0 ? weight * dims[1].size : weight;
    const axe::Coordinate step = axe::shard_at(held_[side.matrix], index);
    if (step.is_zero()) return {2, 0, kM};
    return {2, step.begin()->second, step.begin()->first};
  }

  void make_dim(std::size_t dim) {
    const auto& sides = kSides[dim];
    std::vector<std::array<Iter, 2>> digits;
    for (std::int64_t weight = 1; weight < size_of(sides[0]); weight *= 2) {
      digits.push_back({step_of(sides[0], weight), step_of(sides[1], weight)});
    }
    const std::int64_t loops = random_.between(0, 2);
    for (std::int64_t i = 0; i < loops; ++i) digits.push_back(loop(dim));
    if (random_.chance(70)) random_.shuffle(digits);
    sizes_[dim] = 1;
    for (const auto& digit : digits) {
      sizes_[dim] *= digit[0].extent.value();
      for (std::size_t i = 0; i < 2; ++i) {
        auto& iters = sides_[sides[i].matrix][sides[i].side];
        iters.insert(iters.begin(), digit[i]);
      }
    }
  }

  std::array<Iter, 2> loop(std::size_t dim) {
    const std::int64_t extent = random_.between(2, 3);
    const bool is_of_warps = dim < 2 && instruction_.lanes > 1 && random_.chance(40);
    std::array<Iter, 2> steps;
    for (std::size_t i = 0; i < 2; ++i) {
      std::int64_t& reached = reached_[kSides[dim][i].matrix];
      steps[i] = is_of_warps ? Iter{extent, warps_, Axis("warpid")} : Iter{extent, reached, kM};
      if (!is_of_warps) reached *= extent;
    }
    if (is_of_warps) {
      copies_[dim == 0 ? 1 : 0].push_back({extent, warps_, Axis("warpid")});
      warps_ *= extent;
    }
    return steps;
  }

  Random& random_;
  const Instruction& instruction_;
  std::array<axe::Layout, 3> held_;
  std::array<std::int64_t, 3> reached_{1, 1, 1};
  std::array<std::vector<Iter>, 3> copies_;
  std::array<std::array<std::vector<Iter>, 2>, 3> sides_;
  GemmShape sizes_{1, 1, 1};
  std::int64_t warps_ = 1;
};

const GemmChoice* choice_of(const GemmPlan& plan, const Instruction& instruction) {
  for (const GemmChoice& choice : plan.choices) {
    if (choice.instruction == instruction.name &&
        choice.type == instruction.operands.front().type) {
      return &choice;
    }
  }
  return nullptr;
}

TEST(GemmPlanLaw, WhatAnInstructionIsMadeForIsItsProduct) {
  const std::vector<Instruction> instructions = plain_instructions();
  EXPECT_GE(instructions.size(), 100U);
  std::set<std::string> machines;
  for_all_seeds({.one_in = 20, .percent = 25}, [&](Random& random) -> Finding {
    const Instruction& instruction = random.one_of(instructions);
    const Product product = ProductMaker(random, instruction).make();
    const auto [m, n, k] = product.shape;
    if (m * n * k > 20000) return kSaysNothing;
    const auto plan =
        gemm_plan({product.layouts[0], product.layouts[1], product.layouts[2], product.shape},
                  instruction.machine, instruction.operands.front().type);
    if (!plan) return found(instruction.name, ": ", plan.error().to_string());
    const GemmChoice* choice = choice_of(*plan, instruction);
    if (choice == nullptr) return kSaysNothing;
    if (!choice->fits()) {
      return found(instruction.name, " on ", instruction.machine, ": ", choice->reason, "\n",
                   to_string(product.layouts[0]), "\n", to_string(product.layouts[1]), "\n",
                   to_string(product.layouts[2]));
    }
    machines.insert(instruction.machine);
    if (auto wrong = differs_from_product(product.layouts, product.shape, *choice, random)) {
      return found(instruction.name, ": ", *wrong, "\n", to_string(*plan));
    }
    if (choice->shape != instruction.shape) return kHolds;
    for (std::size_t matrix = 0; matrix < 3; ++matrix) {
      const InstructionOperand& operand = operand_of(instruction, matrix);
      const std::string& first = operand.fragment.dims()[0].name;
      const bool is_turned = matrix == 0 ? first != "row" : first == "col";
      if (auto wrong = differs_from_fragment(choice->tilings[matrix], operand, is_turned ? 1 : 0)) {
        return found(instruction.name, ": ", *wrong);
      }
    }
    return kHolds;
  });
  if (property_count() >= 5000) {
    EXPECT_GE(machines.size(), 8U);
  }
}

/// Layouts of which few fit: what fits anyway computes the product.
TEST(GemmPlanLaw, WhateverFitsComputesTheProduct) {
  const std::vector<Instruction> instructions = plain_instructions();
  Tally fits;
  Tally refused;
  for_all_seeds({.one_in = 20, .percent = 20}, [&](Random& random) -> Finding {
    const Instruction& instruction = random.one_of(instructions);
    Product product = ProductMaker(random, instruction).make();
    const auto [m, n, k] = product.shape;
    if (m * n * k > 20000) return kSaysNothing;
    // One digit of one matrix goes elsewhere.
    const auto matrix = static_cast<std::size_t>(random.between(0, 2));
    const axe::Layout& layout = product.layouts[matrix];
    std::vector<Iter> shard(layout.shard().begin(), layout.shard().end());
    const auto changed =
        static_cast<std::size_t>(random.between(0, static_cast<std::int64_t>(shard.size()) - 1));
    const auto other =
        static_cast<std::size_t>(random.between(0, static_cast<std::int64_t>(shard.size()) - 1));
    if (random.chance(50)) {
      std::swap(shard[changed], shard[other]);
    } else {
      shard[changed].stride = shard[changed].stride * random.between(0, 3);
    }
    const std::vector<Iter> copies(layout.replica().begin(), layout.replica().end());
    product.layouts[matrix] = *axe::Layout::make(shard, copies);
    const auto plan =
        gemm_plan({product.layouts[0], product.layouts[1], product.layouts[2], product.shape},
                  instruction.machine, instruction.operands.front().type);
    if (!plan) {
      refused.count();
      return kHolds;
    }
    bool has_any = false;
    for (const GemmChoice& choice : plan->choices) {
      if (!choice.fits()) continue;
      has_any = true;
      if (auto wrong = differs_from_product(product.layouts, product.shape, choice, random)) {
        return found(choice.instruction, ": ", *wrong, "\n", to_string(*plan));
      }
    }
    (has_any ? fits : refused).count();
    return kHolds;
  });
  fits.expect_at_least(0.5);
  refused.expect_at_least(0.5);
}

// ---- Seed 002, section 3.4 and appendix H ----

GemmPlan on_trainium(const std::string& a, const std::string& b, const std::string& c) {
  return gemm_plan({axe_of(a), axe_of(b), axe_of(c)}, "trn1", "fp16").value();
}

TEST(GemmPlan, TakesTheTilesOfThePaperOnTrainium) {
  // The tensor of section 2: 2 x 128 x 512 on two tiles of the free dimension.
  const GemmPlan plan = on_trainium("S[(2,128,128):(128@F,1@F,1@P)]", "S[(128,512):(1@P,1@F)]",
                                    "S[(2,128,512):(512@F,1@P,1@F)]");
  EXPECT_EQ(plan.shape, (GemmShape{256, 512, 128}));
  ASSERT_EQ(plan.choices.size(), 1U);
  EXPECT_EQ(plan.choices[0].reason, "");
  EXPECT_EQ(plan.choices[0].shape, (GemmShape{128, 512, 128}));
  EXPECT_EQ(plan.choices[0].loops, (GemmShape{2, 1, 1}));
}

TEST(GemmPlan, KeepsTheLimitsOfTheTensorEngine) {
  // K = 4 * 128, M = 2 * 128, N = 2 * 512: K and M are at most 128, N 512.
  const GemmPlan plan =
      on_trainium("S[(2,128,4,128):(512@F,1@F,128@F,1@P)]", "S[(4,128,1024):(1024@F,1@P,1@F)]",
                  "S[(2,128,1024):(1024@F,1@P,1@F)]");
  EXPECT_EQ(plan.choices[0].reason, "");
  EXPECT_EQ(plan.choices[0].shape, (GemmShape{128, 512, 128}));
  EXPECT_EQ(plan.choices[0].loops, (GemmShape{2, 2, 4}));
  // Smaller ones, and sizes that are no powers of two.
  const GemmPlan small =
      on_trainium("S[(96,64):(1@F,1@P)]", "S[(64,320):(1@P,1@F)]", "S[(96,320):(1@P,1@F)]");
  EXPECT_EQ(small.choices[0].shape, (GemmShape{96, 320, 64}));
  EXPECT_EQ(small.choices[0].loops, (GemmShape{1, 1, 1}));
}

TEST(GemmPlan, KeepsAResultInOneBank) {
  // Rows of 768 elements: the second half would lie in two banks of 512.
  const GemmPlan plan =
      on_trainium("S[(128,128):(1@F,1@P)]", "S[(128,768):(1@P,1@F)]", "S[(128,768):(1@P,1@F)]");
  EXPECT_EQ(plan.choices[0].shape, (GemmShape{128, 256, 128}));
  EXPECT_EQ(plan.choices[0].loops, (GemmShape{1, 3, 1}));
}

TEST(GemmPlan, TakesNFromTheLargerOfTwoIters) {
  // The columns of C are in two tiles of 128 that are apart; those of B follow each other.
  const GemmPlan plan = on_trainium("S[(128,128):(1@F,1@P)]", "S[(128,256):(1@P,1@F)]",
                                    "S[(128,2,128):(1@P,256@F,1@F)]");
  EXPECT_EQ(plan.choices[0].shape, (GemmShape{128, 256, 128}));
}

TEST(GemmPlan, DoesNotTakeSharedPartitionsForSharedK) {
  // (64,1@P) and (64,2@P) have 32 partitions in common, of other k.
  const GemmPlan plan =
      on_trainium("S[(128,64):(1@F,1@P)]", "S[(64,512):(2@P,1@F)]", "S[(128,512):(1@P,1@F)]");
  EXPECT_EQ(plan.choices[0].reason,
            "along K the digit 2 at 1@P of A is not in any instruction; B has it at 2@P");
}

// ---- Descriptors ----

/// C of a warpgroup: 128 x 128 in two instructions of 64 rows.
constexpr const char* kWarpgroupSums =
    "S[(2,4,2,8,16,4,2):(64@m,1@wid_in_wg,2@m,4@laneid,4@m,1@laneid,1@m)]";

const GemmChoice* named(const GemmPlan& plan, std::string_view name) {
  const auto found = std::ranges::find(plan.choices, name, &GemmChoice::instruction);
  return found == plan.choices.end() ? nullptr : &*found;
}

TEST(GemmPlan, ReadsSharedMemoryThroughDescriptors) {
  const auto plan =
      gemm_plan({axe_of("SW(3,3,3) o S[(128,64):(64@m,1@m)]"),
                 axe_of("SW(3,3,3) o S[(64,128):(1@m,64@m)]"), axe_of(kWarpgroupSums)},
                "sm_90", "f16")
          .value();
  const GemmChoice* widest = named(plan, "SM90_64x128x16_F32F16F16_SS");
  ASSERT_NE(widest, nullptr);
  EXPECT_EQ(widest->reason, "");
  EXPECT_EQ(widest->loops, (GemmShape{2, 1, 4}));
  const GemmChoice* narrow = named(plan, "SM90_64x64x16_F32F16F16_SS");
  ASSERT_NE(narrow, nullptr);
  EXPECT_EQ(narrow->loops, (GemmShape{2, 2, 4}));
  const GemmChoice* in_registers = named(plan, "SM90_64x128x16_F32F16F16_RS");
  ASSERT_NE(in_registers, nullptr);
  EXPECT_EQ(in_registers->reason, "A is on m; the instruction takes it from laneid, m, warpid");
}

TEST(GemmPlan, SharesMemoryBetweenWarpgroups) {
  const auto plan = gemm_plan({axe_of("SW(3,3,3) o S[(128,64):(64@m,1@m)]"),
                               axe_of("SW(3,3,3) o S[(64,128):(1@m,64@m)]"),
                               axe_of("S[(2,4,2,8,16,4,2):(1@wgid,1@wid_in_wg,2@m,4@laneid,4@m,"
                                      "1@laneid,1@m)]")},
                              "sm_90", "f16")
                        .value();
  const GemmChoice* widest = named(plan, "SM90_64x128x16_F32F16F16_SS");
  ASSERT_NE(widest, nullptr);
  EXPECT_EQ(widest->reason, "");
  EXPECT_EQ(widest->loops, (GemmShape{1, 1, 4}));
  EXPECT_EQ(widest->units, 2);
}

TEST(GemmPlan, RefusesPartsThatNoDescriptorDescribes) {
  const auto plan =
      gemm_plan({axe_of("SW(3,2,3) o S[(128,64):(64@m,1@m)]"),
                 axe_of("SW(3,3,3) o S[(64,128):(1@m,64@m)]"), axe_of(kWarpgroupSums)},
                "sm_90", "f16")
          .value();
  const GemmChoice* widest = named(plan, "SM90_64x128x16_F32F16F16_SS");
  ASSERT_NE(widest, nullptr);
  EXPECT_FALSE(widest->fits());
}

TEST(GemmPlan, TakesNoSparseInstructionForADenseMatrix) {
  int sparse = 0;
  for (const form::InstructionListing& listing : form::instruction_listings()) {
    if (listing.name.find("SPARSE") == std::string::npos) continue;
    const Instruction instruction = listing.make();
    const InstructionOperand* a = instruction.operand("A");
    ASSERT_NE(a, nullptr) << listing.name;
    EXPECT_GT(a->shared_by, 1) << listing.name << " takes a dense A";
    ++sparse;
  }
  EXPECT_GT(sparse, 100);
}

// Also of machines whose places are no lanes and registers, and with one step along K.
TEST(GemmPlan, TakesTheLayoutsOfTheCatalogueAsTheyAre) {
  struct Case {
    const char* name;
    form::InstructionQuery query;
    const char* result;
  };
  for (const Case& one : {Case{"TDPBF16PS", {.machine = "x86-amx"}, "C"},
                          Case{"nc_matmul", {.machine = "trainium1"}, "D"},
                          Case{"xvf32gerpp", {.machine = "power10"}, "C"},
                          Case{"v_mfma_f32_32x32x8f16", {.machine = "cdna2"}, "D"},
                          Case{"SM80_16x8x16_F32F16F16F32_TN", {.machine = "sm_80"}, "C"}}) {
    const auto layout = [&](const char* operand) {
      return machine::instruction_layout(one.name, operand, one.query).value();
    };
    const auto plan = gemm_plan({layout("A"), layout("B"), layout(one.result)}, one.query.machine);
    ASSERT_TRUE(plan) << one.name << ": " << plan.error();
    const auto found = std::ranges::find(plan->choices, one.name, &GemmChoice::instruction);
    ASSERT_NE(found, plan->choices.end()) << one.name;
    EXPECT_TRUE(found->fits()) << one.name << ": " << found->reason;
  }
}

TEST(GemmPlan, TakesTheFirstTileOfSmeForC) {
  const form::InstructionQuery query{.machine = "arm-sme", .vector_bits = 128};
  const auto layout = [&](const char* operand) {
    return machine::instruction_layout("FMOPA (single)", operand, query).value();
  };
  const auto plan =
      gemm_plan({layout("A"), layout("B"), axe_of("S[(4,4):(4@za_vector,1@element)]")}, "sme");
  ASSERT_TRUE(plan) << plan.error();
  EXPECT_TRUE(std::ranges::any_of(plan->choices, [](const GemmChoice& choice) {
    return choice.instruction == "FMOPA (single)" && choice.fits();
  }));
}

TEST(GemmPlan, HasSizesUpToTheGreatest) {
  // The greatest prime of 63 bits, and one whose square has more than 64.
  for (const std::string m : {"9223372036854775783", "2305843009213693951"}) {
    const auto plan = gemm_plan({axe_of("S[(" + m + ",1):(1@F,1@P)]"), axe_of("S[(1,1):(1@P,1@F)]"),
                                 axe_of("S[(" + m + ",1):(1@F,1@P)]")},
                                "trn1");
    ASSERT_TRUE(plan.has_value()) << plan.error().to_string();
    EXPECT_EQ(plan->shape, (GemmShape{std::stoll(m), 1, 1}));
  }
  const auto plan = gemm_plan({axe_of("S[(1073741824,1073741824):(1073741824@m,1@m)]"),
                               axe_of("S[(1073741824,1073741824):(1073741824@m,1@m)]"),
                               axe_of("S[(1073741824,1073741824):(1073741824@m,1@m)]")},
                              "trn1");
  ASSERT_TRUE(plan.has_value()) << plan.error().to_string();
  EXPECT_EQ(plan->shape, (GemmShape{1073741824, 1073741824, 1073741824}));
}

TEST(GemmPlan, SaysWhyAnInstructionDoesNotFit) {
  const auto reason = [](const GemmMatrices& matrices, const char* machine, const char* type) {
    return gemm_plan(matrices, machine, type).value().choices.front().reason;
  };
  EXPECT_EQ(reason({axe_of("S[(32,8):(8@m,1@m)]"), axe_of("S[(8,32):(32@m,1@m)]"),
                    axe_of("S[(32,32):(32@m,1@m)]")},
                   "cdna2", "fp16"),
            "A is on m; the instruction takes it from laneid, m");
}

}  // namespace
}  // namespace heddle::test
