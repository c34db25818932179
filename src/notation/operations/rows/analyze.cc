// The cost of a memory access, and layouts that make it cheap.

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "heddle/machine/machine.h"
#include "heddle/notation/analyses.h"
#include "notation/operations/binding.h"
#include "notation/operations/drawn_reports.h"

namespace heddle::notation {
namespace {

using analyze::Served;
using linear::LinearLayout;

constexpr const char* kFamily = "analyses";

Result<int> bits_of(const Int& number) {
  if (number.is_constant() && number.value() >= 0 && number.value() <= (1 << 20))
    return static_cast<int>(number.value());
  return refuse("analyze.element_bits",
                fmt::format("element_bits is {}; a number of bits is needed", to_string(number)));
}

Result<int> max_bits_of(const Int& number) {
  if (number.is_constant() && number.value() > 0 && number.value() <= analyze::kMaxAccessBits)
    return static_cast<int>(number.value());
  return refuse("analyze.max_bits",
                fmt::format("accesses of at most {} bits: 8, 16, 32, 64 or 128 is needed",
                            to_string(number)));
}

/// The leaves of a tuple; `what` names one in messages.
Result<linear::Sizes> constants_of(const IntTuple& tuple, std::string_view what) {
  linear::Sizes constants;
  for (const Int& leaf : tuple.leaves()) {
    if (!leaf.is_constant())
      return refuse("analyze.symbolic",
                    fmt::format("{} {}; an analysis counts with numbers", what, to_string(leaf)));
    constants.push_back(leaf.value());
  }
  return constants;
}

Result<linear::Sizes> shape_of(const std::optional<IntTuple>& shape) {
  return shape ? constants_of(*shape, "the shape has the extent") : linear::Sizes();
}

/// The shared memory of the machine; NVIDIA's if none is named.
Result<analyze::Serving> serving_of(const std::optional<std::string>& machine) {
  if (!machine) return analyze::Serving();
  return analyze::serving(*machine);
}

Result<Served> served_by(const std::optional<std::string>& machine, const std::string& direction) {
  Served served;
  HEDDLE_TRY(served.serving, serving_of(machine));
  if (direction == "read") return served;
  served.direction = analyze::Direction::kWrite;
  if (direction == "write") return served;
  return refuse("call.type",
                fmt::format("direction is \"{}\"; \"read\" or \"write\" is needed", direction));
}

}  // namespace

Result<analyze::BankReport> bank_report(const Value& access, const std::optional<Value>& shared,
                                        const Int& element_bits, const Int& max_bits,
                                        const std::optional<IntTuple>& shape,
                                        const std::optional<std::string>& machine,
                                        const std::string& direction) {
  HEDDLE_TRY(const int bits, bits_of(element_bits));
  HEDDLE_TRY(const int most, max_bits_of(max_bits));
  HEDDLE_TRY(const linear::Sizes sizes, shape_of(shape));
  HEDDLE_TRY(const Served served, served_by(machine, direction));
  HEDDLE_TRY(const Value side, accessing_side(access, served.direction));
  HEDDLE_TRY(const analyze::Access composed,
             access_of(side, shared, bits, sizes, served.serving.warp_lanes()));
  return analyze::bank_conflicts(composed, most, served.serving, served.direction);
}

Result<std::optional<cute::Layout>> assumed_for_banks(const Value& access,
                                                      const std::optional<Value>& shared,
                                                      const Int& element_bits,
                                                      const std::optional<IntTuple>& shape,
                                                      const std::optional<std::string>& machine) {
  HEDDLE_TRY(const int bits, bits_of(element_bits));
  HEDDLE_TRY(const linear::Sizes sizes, shape_of(shape));
  HEDDLE_TRY(const Served served, served_by(machine, "read"));
  return assumed_access(access, shared, bits, sizes, served.serving.warp_lanes());
}

std::string access_text(const cute::Layout& access) {
  return fmt::format("{}, assumed for the memory: lanes down, 16 bytes each along",
                     cute::to_string(access));
}

namespace {

/// The report, which says which access was assumed, if one was.
Report with_access(Report report, const std::optional<cute::Layout>& assumed) {
  if (!assumed) return report;
  report.text += "\n  access        " + access_text(*assumed);
  Datum::Fields fields = *report.data.fields();
  fields.emplace_back("assumed_access", cute::to_string(*assumed));
  report.data = std::move(fields);
  return report;
}

Result<Report> bank_answer(const Value& access, const std::optional<Value>& shared,
                           const Int& element_bits, const Int& max_bits,
                           const std::optional<IntTuple>& shape,
                           const std::optional<std::string>& machine,
                           const std::string& direction) {
  HEDDLE_TRY(const analyze::BankReport report,
             bank_report(access, shared, element_bits, max_bits, shape, machine, direction));
  HEDDLE_TRY(const auto assumed, assumed_for_banks(access, shared, element_bits, shape, machine));
  return with_access(report_of(report), assumed);
}

/// The lanes of a warp of the machine; of RDNA, whose waves have 32 or 64, those of the access.
Result<std::int64_t> lanes_of(const std::optional<std::string>& machine, const Value& access) {
  if (!machine) return analyze::kWarpLanes;
  HEDDLE_TRY(const form::Machine* found, machine::find(*machine));
  if (!found->lanes) {
    return refuse("analyze.machine", fmt::format("the machine '{}' has no warps", *machine));
  }
  const auto* layout = access.get_if<LinearLayout>();
  const auto of_access = layout == nullptr ? 0 : layout->in_dim_size("lane").value_or(0);
  const auto& sizes = found->lanes->values;
  const bool is_one = std::ranges::find(sizes, of_access) != sizes.end();
  return is_one ? of_access : sizes.front();
}

Result<Report> coalescing_report(const Value& access, const std::optional<Value>& memory,
                                 const Int& element_bits, const Int& max_bits, const Int& alignment,
                                 const std::optional<IntTuple>& shape,
                                 const std::optional<std::string>& machine) {
  HEDDLE_TRY(const int bits, bits_of(element_bits));
  HEDDLE_TRY(const int most, max_bits_of(max_bits));
  HEDDLE_TRY(const linear::Sizes sizes, shape_of(shape));
  HEDDLE_TRY(const std::int64_t lanes, lanes_of(machine, access));
  HEDDLE_TRY(const Value side, accessing_side(access, analyze::Direction::kRead));
  HEDDLE_TRY(const analyze::Access composed, access_of(side, memory, bits, sizes, lanes));
  HEDDLE_TRY(const analyze::CoalescingReport report,
             analyze::coalescing(composed, most, alignment.is_constant() ? alignment.value() : 0));
  HEDDLE_TRY(const auto assumed, assumed_access(access, memory, bits, sizes, lanes));
  return with_access(report_of(report), assumed);
}

Result<std::vector<analyze::Phase>> phases_of(const IntTuple& lane_bytes, const Int& bytes,
                                              const std::optional<std::string>& machine,
                                              const std::string& direction) {
  HEDDLE_TRY(const auto addresses, constants_of(lane_bytes, "a lane's address is"));
  HEDDLE_TRY(const Served served, served_by(machine, direction));
  const bool is_width = bytes.is_constant() && bytes.value() >= 0 && bytes.value() <= 1024;
  return analyze::bank_phases(addresses, is_width ? static_cast<int>(bytes.value()) : -1,
                              served.serving, served.direction);
}

/// A question about two register layouts, or about registers and a memory, and the element width.
template <class Ask>
auto of_two_layouts(Ask ask) {
  return [ask](const Value& src, const Value& dst, const Int& element_bits,
               const std::optional<IntTuple>& shape, const std::optional<std::string>& machine)
             -> std::invoke_result_t<Ask, const LinearLayout&, const LinearLayout&, int,
                                     const analyze::ServedMove&> {
    HEDDLE_TRY(analyze::Serving serving, serving_of(machine));
    HEDDLE_TRY(const linear::Sizes sizes, shape_of(shape));
    HEDDLE_TRY(const LinearLayout first, register_layout_of(src, sizes));
    HEDDLE_TRY(const LinearLayout second, register_layout_of(dst, sizes));
    HEDDLE_TRY(const int bits, bits_of(element_bits));
    return ask(first, second, bits, analyze::ServedMove{std::move(serving)});
  };
}

Result<std::vector<form::IndexMap>> accesses_of(const std::vector<Value>& accesses,
                                                const form::IndexMap& memory,
                                                const Served& served) {
  const std::int64_t lanes = served.serving.warp_lanes();
  std::vector<form::IndexMap> maps;
  for (const Value& access : accesses) {
    HEDDLE_TRY(const Value side, accessing_side(access, served.direction));
    HEDDLE_TRY(form::IndexMap map, thread_value_map_of(side, &memory, {}, lanes));
    maps.push_back(std::move(map));
  }
  return maps;
}

/// The memory to search a swizzle for: a tuple is the layout of that shape, a layout of another
/// system is unchanged. Refuses a layout that has a swizzle.
Result<Value> memory_of(const Value& memory) {
  HEDDLE_TRY(const std::optional<Value> layout, convert<cute::AnyLayout>(memory));
  if (!layout) return memory;
  if (layout->is<cute::Layout>()) return *layout;
  return refuse(
      Diagnostic("call.type", fmt::format("{} has a swizzle; the search is for a plain layout",
                                          to_string(*layout)))
          .with_hint(
              fmt::format("nonswizzle_portion({}) is the layout within it", to_string(*layout))));
}

/// Searches the best swizzle of a memory for some accesses and applies `finish`.
template <class Finish>
auto of_search(Finish finish) {
  return [finish](const Value& layout, const Int& element_bits, std::optional<bool> split,
                  const std::optional<std::string>& machine, const std::string& direction,
                  const std::vector<Value>& accesses) -> Result<Value> {
    HEDDLE_TRY(const Served served, served_by(machine, direction));
    HEDDLE_TRY(const int bits, bits_of(element_bits));
    HEDDLE_TRY(const Value memory, memory_of(layout));
    HEDDLE_TRY(const form::IndexMap memory_map, memory_map_of(memory));
    HEDDLE_TRY(const auto maps, accesses_of(accesses, memory_map, served));
    const auto splitting =
        split.value_or(false) ? analyze::Splitting::kMaySplit : analyze::Splitting::kKeeps;
    HEDDLE_TRY(const analyze::SwizzleSearch search,
               find_swizzle(memory, maps, bits, splitting, served));
    return finish(memory, search);
  };
}

void add_traffic(const Rows& add) {
  add({.call = "bank_conflicts(access, shared, element_bits, max_bits=128, shape, machine, "
               "direction=\"read\")",
       .summary = "How often shared memory is read for an access: (thread, value) -> element -> "
                  "address; without `shared` the access leads to addresses itself, and a memory, "
                  "as a layout with a swizzle, is read by lanes down its rows, 16 bytes each. The "
                  "machine is one of NVIDIA's, or gfx908, gfx90a, gfx942, gfx950.",
       .example = {"bank_conflicts((32,8):(1,64), (64,64):(64,1), 16)",
                   "8-way bank conflicts: 32 wavefronts, ideally 4\n"
                   "  each lane     8 elements of 16 bits in an instruction\n"
                   "  instructions  1\n"
                   "  worst         warp 0, values 0 to 7, lanes 0 to 7: 8 wavefronts\n"
                   "                bank 0: word 0 by lane 0, word 32 by lane 1, word 64 by lane "
                   "2, word 96 by lane 3, … 8 in all\n"
                   "                and 3 banks like it"}},
      bank_answer);
  add({.call = "bank_phases(lane_bytes, bytes, machine, direction=\"read\")",
       .summary = "The wavefronts of one instruction, in which each lane moves this many bytes at "
                  "its address.",
       .example =
           {"bank_phases((0,128,4,256), 4)",
            "3-way bank conflicts: 3 wavefronts, ideally 1\n"
            "  lanes 0 to 3  3 wavefronts\n"
            "                bank 0: word 0 by lane 0, word 32 by lane 1, word 64 by lane 3"}},
      phases_of);
  add({.call = "coalescing(access, memory, element_bits, max_bits=128, alignment=128, shape, "
               "machine)",
       .summary =
           "How much of global memory is moved for an access: sectors of 32 bytes, lines of "
           "128; without `memory` as bank_conflicts. The machine says how many lanes a warp has.",
       .example = {"coalescing((32,4):(1,32), (32,4):(1,64), 32)",
                   "coalesced: 16 sectors of 32 bytes for 512 bytes\n"
                   "  each lane     1 element of 32 bits in an instruction\n"
                   "  instructions  4\n"
                   "  lines         4 of 128 bytes"}},
      coalescing_report);
}

void add_swizzles(const Rows& add) {
  add({.call = "find_swizzle(layout, element_bits, split=false, machine, direction=\"read\", "
               "accesses)",
       .summary =
           "The layout with the swizzle that gives these accesses the fewest wavefronts and, "
           "unless `split` is true, leaves their vectors and the rows of ldmatrix whole. The "
           "machine is one of bank_conflicts.",
       .example = {"find_swizzle((64,64):(64,1), 16, (32,8):(1,64))",
                   "Sw<3,3,3> o 0 o (64,64):(64,1)"}},
      of_search(swizzled_layout));
  add({.call = "swizzle_search(layout, element_bits, split=false, machine, direction=\"read\", "
               "accesses)",
       .summary =
           "The best swizzle, the best padding and the best linear layout, with what they cost.",
       .example = {"swizzle_search((32,32):(32,1), 32, (32,1):(32,0), (32,1):(1,0))",
                   "Sw<5,0,5>: 2 wavefronts instead of 33\n"
                   "  as it is  (32,32):(32,1)  1 + 32 wavefronts\n"
                   "  swizzled  Sw<5,0,5> o 0 o (32,32):(32,1)  1 + 1 wavefronts; the best of 190 "
                   "swizzles\n"
                   "  padded    (32,32):(33,1)  1 + 1 wavefronts; the best of 32 paddings\n"
                   "  linear    1 + 1 wavefronts; the best of all linear layouts"}},
      of_search([](const Value&, const analyze::SwizzleSearch& search) {
        return Value(report_of(search));
      }));
  // Four elements per lane, compared with one in four.
  const std::string pieces =
      R"(identity_1d(4, "register", "dim0") * identity_1d(8, "lane", "dim0"))";
  const std::string strided =
      R"(identity_1d(8, "lane", "dim0") * identity_1d(4, "register", "dim0"))";
  const auto call = [&](std::string_view name) {
    return fmt::format("{}({}, {}, 32)", name, pieces, strided);
  };
  add({.call = "optimal_swizzle(src, dst, element_bits, shape, machine)",
       .summary =
           "The shared layout through which one register layout becomes another at the least cost.",
       .example = {call("optimal_swizzle"),
                   " - offset=1 -> (1)\n"
                   "   offset=2 -> (2)\n"
                   "   offset=4 -> (4)\n"
                   "   offset=8 -> (8)\n"
                   "   offset=16 -> (16)\n"
                   " - block is a size 1 dimension\n"
                   "where out dims are: [dim0 (size 32)]"}},
      of_two_layouts([](const LinearLayout& src, const LinearLayout& dst, int bits,
                        const analyze::ServedMove& move) -> Result<LinearLayout> {
        HEDDLE_TRY(const auto buffer, analyze::optimal_swizzle(src, dst, bits, move));
        return buffer.layout;
      }));
  add({.call = "swizzle_costs(src, dst, element_bits, shape, machine)",
       .summary = "What optimal_swizzle costs: vectors, wavefronts, bytes.",
       .example = {call("swizzle_costs"),
                   "written by 128 bits, read by 32: no bank conflicts\n"
                   "  write   1 instruction of 128 bits, 1 wavefront\n"
                   "  read    4 instructions of 32 bits, 4 wavefronts\n"
                   "  memory  128 bytes\n"
                   " - offset=1 -> (1)\n"
                   "   offset=2 -> (2)\n"
                   "   offset=4 -> (4)\n"
                   "   offset=8 -> (8)\n"
                   "   offset=16 -> (16)\n"
                   " - block is a size 1 dimension\n"
                   "where out dims are: [dim0 (size 32)]"}},
      of_two_layouts(analyze::optimal_swizzle));
  add({.call = "conversion_class(src, dst, element_bits, shape, machine)",
       .summary = "What moving a tensor from one register layout to another takes.",
       .example = {call("conversion_class"),
                   "within a warp: 4 shuffles a thread, 1 element each\n"
                   "  stays   1 of 8 elements is in its thread already\n"
                   "  memory  128 bytes\n"
                   "  write   1 instruction of 128 bits, 1 wavefront\n"
                   "  read    4 instructions of 32 bits, 4 wavefronts\n"
                   "  moves   place in dst -> place in src, without what stays where it is\n"
                   " - register=1 -> (0, 2)\n"
                   "   register=2 -> (0, 4)\n"
                   " - lane=1 -> (1, 0)\n"
                   "   lane=2 -> (2, 0)\n"
                   "   lane=4 -> (0, 1)\n"
                   "where out dims are: [register (size 4), lane (size 8)]"}},
      of_two_layouts(analyze::conversion_class));
}

auto matrix_report(analyze::MatrixOrder order) {
  return [order](const Value& registers, const Value& shared, const Int& element_bits,
                 const std::optional<IntTuple>& shape) -> Result<analyze::MatrixAccess> {
    HEDDLE_TRY(const linear::Sizes sizes, shape_of(shape));
    HEDDLE_TRY(const int bits, bits_of(element_bits));
    HEDDLE_TRY(const LinearLayout offsets, matrix_offsets(registers, shared, bits, sizes));
    return analyze::matrix_access(offsets, bits, order);
  };
}

void add_matrix(const Rows& add) {
  // Pairs of neighbours in a register, compared with halves of a register in two rows of 8
  // elements.
  const std::string pairs =
      R"(identity_1d(2, "register", "dim0") * identity_1d(32, "lane", "dim0"))";
  const std::string halves =
      R"({"ins": {"register": [[8]], "lane": [[16], [32], [1], [2], [4]]}, "outs": ["dim0"]})";
  const auto call = [](std::string_view name, std::string_view registers) {
    return fmt::format(R"({}({}, identity_1d(64, "offset", "dim0"), 16))", name, registers);
  };
  add({.call = "ldmatrix(registers, shared, element_bits, shape)",
       .summary = "How ldmatrix or stmatrix moves registers, or an access in any notation, or what "
                  "is in the way.",
       .example = {call("ldmatrix", pairs),
                   "ldmatrix.x1: 1 instruction, 1 wavefront, no bank conflicts"}},
      matrix_report(analyze::MatrixOrder::kPlain));
  add({.call = "ldmatrix_trans(registers, shared, element_bits, shape)",
       .summary = "The same with .trans.",
       .example = {call("ldmatrix_trans", halves),
                   "ldmatrix.x1.trans: 1 instruction, 1 wavefront, no bank conflicts"}},
      matrix_report(analyze::MatrixOrder::kTransposed));
}

}  // namespace

void add_analyze_operations(std::vector<Operation>& table) {
  add_traffic({table, kFamily});
  add_swizzles({table, kFamily});
  add_matrix({table, kFamily});
}

}  // namespace heddle::notation
