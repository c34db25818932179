// Axe layouts on hardware: threads and their scopes, packed elements, prescribed layouts.

#include <fmt/format.h>

#include <array>
#include <utility>

#include "core/text.h"
#include "heddle/axe/hardware.h"
#include "heddle/axe/iter_intersect.h"
#include "heddle/axe/pack.h"
#include "heddle/axe/threads.h"
#include "heddle/notation/lexer.h"
#include "notation/operations/binding.h"
#include "notation/operations/element_width.h"
#include "notation/value/constants.h"

namespace heddle::notation {
namespace {

constexpr const char* kThreads = "threads of Axe layouts";

// Threads.

Result<axe::Layout> unify_threads(const axe::Layout& layout, const std::string& name) {
  const auto scope = axe::scope_named(name);
  if (scope) return axe::unify_threads(layout, *scope);
  return refuse(Diagnostic("axe.thread_scope", fmt::format("unknown scope {}", quote(name)))
                    .with_hint("threads are unified in cta, to tx, or in warpgroup, to tid_in_wg"));
}

/// The predefined axes and those that a text declares: `quad: thread in warp, stage: memory`.
Result<axe::AxisTable> table_with(const std::optional<std::string>& declared) {
  axe::AxisTable table = axe::AxisTable::hardware();
  std::string_view rest = declared ? std::string_view(*declared) : std::string_view();
  while (!trimmed(rest).empty()) {
    const std::size_t comma = std::min(rest.find(','), rest.size());
    HEDDLE_TRY(axe::AxisInfo axis, parse_axis(rest.substr(0, comma)));
    HEDDLE_TRY(table, table.declare(std::move(axis)));
    rest.remove_prefix(std::min(comma + 1, rest.size()));
  }
  return table;
}

Result<Value> scope_of(const axe::Layout& layout, const std::optional<std::string>& declared) {
  HEDDLE_TRY(const axe::AxisTable table, table_with(declared));
  HEDDLE_TRY(const auto scopes, axe::scope(layout, table));
  if (!scopes) return Value(Datum(nullptr));
  return Value(Datum(Datum::List{std::string(axe::to_string(scopes->first)),
                                 std::string(axe::to_string(scopes->second))}));
}

void add_threads(const Rows& add) {
  add({.call = "unify_threads(layout, scope=cta)",
       .summary = "One thread axis for several: tx in a cta, tid_in_wg in a warpgroup.",
       .example = {"unify_threads(S[(4,32):(1@warpid,1@laneid)])", "S[(128):(1@tx)]"}},
      unify_threads);
  add({.call = "split_threads(layout, scope)",
       .summary =
           R"(Several thread axes for one: "warp", tx to warpid and laneid; "warpgroup", tx to wgid and )"
           R"(tid_in_wg; "tid", tid_in_wg to wid_in_wg and laneid.)",
       .example = {R"(split_threads(S[(128):(1@tx)], "warp"))", "S[(4,32):(1@warpid,1@laneid)]"}},
      [](const axe::Layout& layout, const std::string& scope) -> Result<axe::Layout> {
        HEDDLE_TRY(const axe::ThreadSplit split, axe::thread_split_named(scope));
        return axe::split_threads(layout, split);
      });
  add({.call = "storage(layout, axes)",
       .summary = "What is left in the memory of one thread: all on thread axes is dropped.",
       .example = {"storage(S[(8,4,2):(4@laneid,1@laneid,1@m)])", "S[(2):(1@m)]"}},
      [](const axe::Layout& layout, const std::optional<std::string>& axes) -> Result<axe::Layout> {
        HEDDLE_TRY(const axe::AxisTable known, table_with(axes));
        return axe::storage(layout, known);
      });
  add({.call = "scope(layout, axes)",
       .summary =
           "The scopes from which and to which its thread axes lead; null where it has none.",
       .example = {"scope(S[(8,4,2):(4@laneid,1@laneid,1@m)])", R"(["thread","warp"])"}},
      scope_of);
}

void add_elements(const Rows& add) {
  add({.call = "unpack(layout, n)",
       .summary = "Each element becomes n at consecutive addresses.",
       .example = {"unpack(S[8], 2)", "S[(8,2):(2@m,1@m)]"}},
      axe::unpack);
  add({.call = "pack(layout, n)",
       .summary = "Each n consecutive elements become one.",
       .example = {"pack(S[(8,16)], 2)", "S[(8,8):(8@m,1@m)]"}},
      axe::pack);
  add({.call = "iter_intersect(a, b)",
       .summary = "The iter with the values that both have.",
       .example = {R"(iter_intersect((4, 2@P), [3, 3, "P"]))", "(2, 6@P)"}},
      axe::iter_intersect);
}

// Hardware.

Result<axe::Layout> datapath_layout(const std::string& datapath, const Int& rows, const Int& cols,
                                    std::int64_t sub_slab) {
  if (datapath.size() != 1) {
    return refuse("axe.datapath",
                  fmt::format("a data path has one letter, not {}", quote(datapath)));
  }
  return axe::tmem_datapath_layout(datapath.front(), rows, cols, sub_slab);
}

/// The bytes of a swizzle. Beside the name of a type a number is that of TVM's mode: 0 for none,
/// then 32, 64 and 128 bytes.
Result<std::int64_t> bytes_of(const ElementWidth& element, const SwizzleMode& swizzle) {
  if (swizzle.is_named || element.type.empty()) return swizzle.number;
  constexpr std::array<std::int64_t, 4> kBytes = {0, 32, 64, 128};
  if (swizzle.number >= 0 && swizzle.number < 4) {
    return kBytes[static_cast<std::size_t>(swizzle.number)];
  }
  return refuse(
      Diagnostic(
          "axe.mma_shared",
          fmt::format("with the name of a type the swizzle is TVM's mode, from 0 to 3, not {}",
                      swizzle.number))
          .with_hint("mode 3 swizzles 128 bytes; with a number of bits the swizzle is in "
                     "bytes: mma_shared_layout(16, 128, (64,128))"));
}

Result<axe::Layout> mma_shared_layout(const ElementWidth& element, const SwizzleMode& swizzle,
                                      const IntList& shape) {
  HEDDLE_TRY(const std::int64_t bytes, bytes_of(element, swizzle));
  return axe::mma_shared_layout(element.bits, bytes, shape);
}

void add_hardware(const Rows& add) {
  add({.call = "trainium(annotation, shape)",
       .summary = "A tensor over partitions P and free dimensions F of a scratchpad.",
       .example = {R"(trainium("PF", (128,512)))", "S[(128,512):(1@P,1@F)]"}},
      axe::trainium);
  add({.call = "to_psum(layout)",
       .summary = "The same tile in accumulation memory: Bank = F div 512, F = F mod 512.",
       .example = {"to_psum(S[(1024,8):(1@F,1@P)])", "S[(2,512,8):(1@Bank,1@F,1@P)]"}},
      axe::to_psum);
  add({.call = "mma_shared_layout(element_bits, swizzle, shape)",
       .summary =
           "Shared memory as matrix instructions read it, in atoms of 8 rows of `swizzle` bytes. "
           R"(Also as TVM writes it, with a type and a swizzle mode: mma_shared_layout("float16", 3, (64,128)).)",
       .example = {"mma_shared_layout(16, 128, (64,128))",
                   "SW(3,3,3) o S[(64,2,64):(64@m,4096@m,1@m)]"}},
      mma_shared_layout);
  add({.call = "tmem_datapath_layout(datapath, rows, cols, sub_slab=0)",
       .summary = "Where tcgen05.mma puts its result in tensor memory, by the data path's letter.",
       .example = {R"(tmem_datapath_layout("F", 64, 32))",
                   "S[(4,16,32):(32@TLane,1@TLane,1@TCol)]"}},
      datapath_layout);
  add({.call = "wg_local_layout(cols, rows=128)",
       .summary = "Registers of a warpgroup, a row for each thread.",
       .example = {"wg_local_layout(32)", "S[(128,32):(1@tid_in_wg,1@m)]"}},
      axe::wg_local_layout);
  add({.call = "tcgen05_atom_layout(instruction, shape, element_bits)",
       .summary = "Registers of a warpgroup after tcgen05.ld, by the instruction's shape.",
       .example = {R"(tcgen05_atom_layout("16x64b", (64,8), "float32"))",
                   "S[(4,2,8,4,2):(1@wid_in_wg,1@laneid,4@laneid,1@m,2@laneid)]"}},
      [](const std::string& instruction, const linear::Sizes& shape, const ElementWidth& element) {
        return axe::tcgen05_atom_layout(instruction, shape, element.bits);
      });
}

}  // namespace

void add_axe_hardware_operations(std::vector<Operation>& table) {
  add_threads({table, kThreads});
  add_elements({table, kThreads});
  add_hardware({table, "Axe layouts of hardware"});
}

}  // namespace heddle::notation
