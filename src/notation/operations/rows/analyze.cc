// What an access to memory costs, and which layouts make it cheap.

#include <fmt/format.h>

#include <limits>
#include <optional>
#include <vector>

#include "heddle/notation/analyses.h"
#include "notation/operations/binding.h"

namespace heddle::notation {
namespace {

constexpr const char* kFamily = "analyses";

Result<int> bits_of(const Int& number, std::string_view name) {
  if (number.is_constant() && number.value() >= 0 && number.value() <= (1 << 20))
    return static_cast<int>(number.value());
  return refuse("analyze.element_bits",
                fmt::format("{} is {}; a number of bits is needed", name, to_string(number)));
}

Result<int> max_bits_of(const std::optional<Int>& number) {
  if (!number) return analyze::kMaxAccessBits;
  if (number->is_constant() && number->value() > 0 && number->value() <= analyze::kMaxAccessBits)
    return static_cast<int>(number->value());
  return refuse("analyze.max_bits",
                fmt::format("accesses of at most {} bits: 8, 16, 32, 64 or 128 is needed",
                            to_string(*number)));
}

Result<linear::Sizes> shape_of(const std::optional<IntTuple>& shape) {
  linear::Sizes sizes;
  if (!shape) return sizes;
  for (const Int& extent : shape->leaves()) {
    if (!extent.is_constant())
      return refuse("analyze.symbolic",
                    fmt::format("the shape has the extent {}; an analysis counts with numbers",
                                to_string(extent)));
    sizes.push_back(extent.value());
  }
  return sizes;
}

Result<Report> bank_report(const Value& access, const std::optional<Value>& shared,
                           const Int& element_bits, const std::optional<Int>& max_bits,
                           const std::optional<IntTuple>& shape) {
  HEDDLE_TRY(const int bits, bits_of(element_bits, "element_bits"));
  HEDDLE_TRY(const int most, max_bits_of(max_bits));
  HEDDLE_TRY(const linear::Sizes sizes, shape_of(shape));
  HEDDLE_TRY(const analyze::Access composed, access_of(access, shared, bits, sizes));
  HEDDLE_TRY(const analyze::BankReport report, analyze::bank_conflicts(composed, most));
  return report_of(report);
}

Result<Report> coalescing_report(const Value& access, const std::optional<Value>& memory,
                                 const Int& element_bits, const std::optional<Int>& max_bits,
                                 const std::optional<Int>& alignment,
                                 const std::optional<IntTuple>& shape) {
  HEDDLE_TRY(const int bits, bits_of(element_bits, "element_bits"));
  HEDDLE_TRY(const int most, max_bits_of(max_bits));
  HEDDLE_TRY(const linear::Sizes sizes, shape_of(shape));
  const Int aligned = alignment.value_or(Int(analyze::kLineBytes));
  HEDDLE_TRY(const analyze::Access composed, access_of(access, memory, bits, sizes));
  HEDDLE_TRY(const analyze::CoalescingReport report,
             analyze::coalescing(composed, most, aligned.is_constant() ? aligned.value() : 0));
  return report_of(report);
}

Result<Report> phases_report(const IntTuple& lane_bytes, const Int& bytes) {
  std::vector<std::int64_t> addresses;
  for (const Int& address : lane_bytes.leaves()) {
    if (!address.is_constant())
      return refuse("analyze.symbolic",
                    fmt::format("a lane's address is {}; an analysis counts with numbers",
                                to_string(address)));
    addresses.push_back(address.value());
  }
  const bool is_width = bytes.is_constant() && bytes.value() >= 0 && bytes.value() <= 1024;
  HEDDLE_TRY(const auto phases,
             analyze::bank_phases(addresses, is_width ? static_cast<int>(bytes.value()) : -1));
  return report_of(phases);
}

/// Two register layouts and the width of their elements.
struct Pair {
  linear::LinearLayout src;
  linear::LinearLayout dst;
  int element_bits = 0;
};

Result<Pair> pair_of(const Value& src, const Value& dst, const Int& element_bits,
                     const std::optional<IntTuple>& shape) {
  Pair pair;
  HEDDLE_TRY(const linear::Sizes sizes, shape_of(shape));
  HEDDLE_TRY(pair.src, register_layout_of(src, sizes));
  HEDDLE_TRY(pair.dst, register_layout_of(dst, sizes));
  HEDDLE_TRY(pair.element_bits, bits_of(element_bits, "element_bits"));
  return pair;
}

Result<std::vector<form::IndexMap>> accesses_of(const std::vector<Value>& accesses) {
  std::vector<form::IndexMap> maps;
  for (const Value& access : accesses) {
    HEDDLE_TRY(form::IndexMap map, thread_value_map_of(access));
    maps.push_back(std::move(map));
  }
  return maps;
}

/// The memory that a swizzle is searched for: a tuple is the layout of that shape, a layout of any
/// other system stays what it is. Refuses a layout that has a swizzle.
Result<Value> memory_of(const Value& memory) {
  HEDDLE_TRY(const std::optional<Value> layout, convert<cute::AnyLayout>(memory));
  if (!layout) return memory;
  if (layout->is<cute::Layout>()) return *layout;
  return refuse(
      Diagnostic("call.type", fmt::format("{} has a swizzle; the search is for a plain layout",
                                          to_string(*layout)))
          .with_hint("nonswizzle_portion() gives the layout within it"));
}

void add_traffic(const Rows& add) {
  add({.call = "bank_conflicts(access, shared, element_bits, max_bits=128, shape)",
       .summary = "How often shared memory is read for an access: (thread, value) -> element -> "
                  "address; without `shared` the access leads to addresses itself.",
       .example = {"bank_conflicts((32,8):(1,64), (64,64):(64,1), 16)",
                   "8-way bank conflicts: 32 wavefronts, ideally 4\n"
                   "  each lane     8 elements of 16 bits in an instruction\n"
                   "  instructions  1\n"
                   "  worst         warp 0, values 0 to 7, lanes 0 to 7: 8 wavefronts\n"
                   "                bank 0: word 0 by lane 0, word 32 by lane 1, word 64 by lane "
                   "2, word 96 by lane 3, … 8 in all\n"
                   "                and 3 banks like it"}},
      bank_report);
  add({.call = "bank_phases(lane_bytes, bytes)",
       .summary =
           "The wavefronts of one instruction: each lane moves so many bytes at its address.",
       .example =
           {"bank_phases((0,128,4,256), 4)",
            "3-way bank conflicts: 3 wavefronts, ideally 1\n"
            "  lanes 0 to 3  3 wavefronts\n"
            "                bank 0: word 0 by lane 0, word 32 by lane 1, word 64 by lane 3"}},
      phases_report);
  add({.call = "coalescing(access, memory, element_bits, max_bits=128, alignment=128, shape)",
       .summary = "How much of global memory is moved for an access: sectors of 32 bytes, lines of "
                  "128; without `memory` the access leads to addresses itself.",
       .example = {"coalescing((32,4):(1,32), (32,4):(1,64), 32)",
                   "coalesced: 16 sectors of 32 bytes for 512 bytes\n"
                   "  each lane     1 element of 32 bits in an instruction\n"
                   "  instructions  4\n"
                   "  lines         4 of 128 bytes"}},
      coalescing_report);
}

void add_swizzles(const Rows& add) {
  add({.call = "find_swizzle(layout, element_bits, accesses)",
       .summary = "The layout with the swizzle that gives these accesses the fewest wavefronts.",
       .example = {"find_swizzle((64,64):(64,1), 16, (32,8):(1,64))",
                   "Sw<3,3,3> o 0 o (64,64):(64,1)"}},
      [](const Value& layout, const Int& element_bits,
         const std::vector<Value>& accesses) -> Result<Value> {
        HEDDLE_TRY(const int bits, bits_of(element_bits, "element_bits"));
        HEDDLE_TRY(const auto maps, accesses_of(accesses));
        HEDDLE_TRY(const Value memory, memory_of(layout));
        return swizzled_layout(memory, maps, bits);
      });
  add({.call = "swizzle_search(layout, element_bits, accesses)",
       .summary =
           "The best swizzle, the best padding and the best linear layout, with what they cost.",
       .example = {"swizzle_search((32,32):(32,1), 32, (32,1):(32,0), (32,1):(1,0))",
                   "Sw<5,0,5>: 2 wavefronts instead of 33\n"
                   "  as it is  (32,32):(32,1)  1 + 32 wavefronts\n"
                   "  swizzled  Sw<5,0,5> o 0 o (32,32):(32,1)  1 + 1 wavefronts; the best of 190 "
                   "swizzles\n"
                   "  padded    (32,32):(33,1)  1 + 1 wavefronts; the best of 32 paddings\n"
                   "  linear    1 + 1 wavefronts; the best of all linear layouts"}},
      [](const Value& layout, const Int& element_bits,
         const std::vector<Value>& accesses) -> Result<Report> {
        HEDDLE_TRY(const int bits, bits_of(element_bits, "element_bits"));
        HEDDLE_TRY(const auto maps, accesses_of(accesses));
        HEDDLE_TRY(const Value memory, memory_of(layout));
        return swizzle_report(memory, maps, bits);
      });
  // Four elements a lane, against one in four.
  const std::string pieces =
      R"(identity_1d(4, "register", "dim0") * identity_1d(8, "lane", "dim0"))";
  const std::string strided =
      R"(identity_1d(8, "lane", "dim0") * identity_1d(4, "register", "dim0"))";
  const auto call = [&](std::string_view name) {
    return fmt::format("{}({}, {}, 32)", name, pieces, strided);
  };
  add({.call = "optimal_swizzle(src, dst, element_bits, shape)",
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
      [](const Value& src, const Value& dst, const Int& element_bits,
         const std::optional<IntTuple>& shape) -> Result<linear::LinearLayout> {
        HEDDLE_TRY(const Pair pair, pair_of(src, dst, element_bits, shape));
        HEDDLE_TRY(const auto buffer,
                   analyze::optimal_swizzle(pair.src, pair.dst, pair.element_bits));
        return buffer.layout;
      });
  add({.call = "swizzle_costs(src, dst, element_bits, shape)",
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
      [](const Value& src, const Value& dst, const Int& element_bits,
         const std::optional<IntTuple>& shape) -> Result<Report> {
        HEDDLE_TRY(const Pair pair, pair_of(src, dst, element_bits, shape));
        HEDDLE_TRY(const auto buffer,
                   analyze::optimal_swizzle(pair.src, pair.dst, pair.element_bits));
        return report_of(buffer);
      });
  add({.call = "conversion_class(src, dst, element_bits, shape)",
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
      [](const Value& src, const Value& dst, const Int& element_bits,
         const std::optional<IntTuple>& shape) -> Result<Report> {
        HEDDLE_TRY(const Pair pair, pair_of(src, dst, element_bits, shape));
        HEDDLE_TRY(const auto conversion,
                   analyze::conversion_class(pair.src, pair.dst, pair.element_bits));
        return report_of(conversion);
      });
}

auto matrix_report(analyze::MatrixOrder order) {
  return [order](const Value& registers, const Value& shared, const Int& element_bits,
                 const std::optional<IntTuple>& shape) -> Result<Report> {
    HEDDLE_TRY(const Pair pair, pair_of(registers, shared, element_bits, shape));
    HEDDLE_TRY(const auto offsets, analyze::register_offsets(pair.src, pair.dst));
    HEDDLE_TRY(const auto access, analyze::matrix_access(offsets, pair.element_bits, order));
    return report_of(access);
  };
}

void add_matrix(const Rows& add) {
  // Pairs of neighbours in a register, against halves of a register in two rows of 8 elements.
  const std::string pairs =
      R"(identity_1d(2, "register", "dim0") * identity_1d(32, "lane", "dim0"))";
  const std::string halves =
      R"({"ins": {"register": [[8]], "lane": [[16], [32], [1], [2], [4]]}, "outs": ["dim0"]})";
  const auto call = [](std::string_view name, std::string_view registers) {
    return fmt::format(R"({}({}, identity_1d(64, "offset", "dim0"), 16))", name, registers);
  };
  add({.call = "ldmatrix(registers, shared, element_bits, shape)",
       .summary = "How ldmatrix or stmatrix moves registers, or what is in the way.",
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
