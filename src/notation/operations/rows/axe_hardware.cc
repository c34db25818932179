// Axe layouts on hardware: threads and their scopes, packed elements, layouts that are prescribed.

#include <fmt/format.h>

#include <utility>

#include "core/text.h"
#include "heddle/axe/hardware.h"
#include "heddle/axe/iter_intersect.h"
#include "heddle/axe/pack.h"
#include "heddle/axe/threads.h"
#include "heddle/notation/lexer.h"
#include "notation/operations/binding.h"
#include "notation/value/constants.h"

namespace heddle::notation {
namespace {

constexpr const char* kThreads = "threads of Axe layouts";
constexpr const char* kHardware = "Axe layouts of hardware";

// Threads.

Result<axe::Layout> unify_threads(const axe::Layout& layout, const std::string& name) {
  const auto scope = axe::scope_named(name);
  if (scope) return axe::unify_threads(layout, *scope);
  return refuse(Diagnostic("axe.thread_scope", fmt::format("no scope is called {}", quote(name)))
                    .with_hint("threads are unified in cta, to tx, or in warpgroup, to tid_in_wg"));
}

/// The known axes and those that a text declares: `quad: thread in warp, stage: memory`.
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
  if (!scopes) return Value(Datum::null());
  return Value(Datum(Datum::List{std::string(axe::to_string(scopes->first)),
                                 std::string(axe::to_string(scopes->second))}));
}

void add_threads(std::vector<Operation>& table) {
  table.push_back(operation("unify_threads", kThreads, {"layout", "scope=cta"},
                            "One thread axis for several: tx in a cta, tid_in_wg in a warpgroup.",
                            "unify_threads(S[(4,32):(1@warpid,1@laneid)])", "S[(128):(1@tx)]",
                            [](const axe::Layout& layout, const std::optional<std::string>& scope) {
                              return unify_threads(layout, scope.value_or("cta"));
                            }));
  table.push_back(operation(
      "split_threads", kThreads, {"layout", "scope"},
      R"(Several thread axes for one: "warp", tx to warpid and laneid; "warpgroup", tx to wgid and )"
      R"(tid_in_wg; "tid", tid_in_wg to wid_in_wg and laneid.)",
      R"(split_threads(S[(128):(1@tx)], "warp"))", "S[(4,32):(1@warpid,1@laneid)]",
      [](const axe::Layout& layout, const std::string& scope) -> Result<axe::Layout> {
        HEDDLE_TRY(const axe::ThreadSplit split, axe::thread_split_named(scope));
        return axe::split_threads(layout, split);
      }));
  table.push_back(operation(
      "storage", kThreads, {"layout", "axes"},
      "What is left in the memory of one thread: all on thread axes is dropped.",
      "storage(S[(8,4,2):(4@laneid,1@laneid,1@m)])", "S[(2):(1@m)]",
      [](const axe::Layout& layout, const std::optional<std::string>& axes) -> Result<axe::Layout> {
        HEDDLE_TRY(const axe::AxisTable known, table_with(axes));
        return axe::storage(layout, known);
      }));
  table.push_back(operation("scope", kThreads, {"layout", "axes"},
                            "The scopes from which and to which its thread axes lead; null where "
                            "it has none.",
                            "scope(S[(8,4,2):(4@laneid,1@laneid,1@m)])", R"(["thread","warp"])",
                            [](const axe::Layout& layout, const std::optional<std::string>& axes) {
                              return scope_of(layout, axes);
                            }));
}

void add_elements(std::vector<Operation>& table) {
  table.push_back(operation(
      "unpack", kThreads, {"layout", "n"}, "Each element becomes n at consecutive addresses.",
      "unpack(S[8], 2)", "S[(8,2):(2@m,1@m)]",
      [](const axe::Layout& layout, const Int& n) { return axe::unpack(layout, n); }));
  table.push_back(
      operation("pack", kThreads, {"layout", "n"}, "Each n consecutive elements become one.",
                "pack(S[(8,16)], 2)", "S[(8,8):(8@m,1@m)]",
                [](const axe::Layout& layout, const Int& n) { return axe::pack(layout, n); }));
  table.push_back(
      operation("iter_intersect", kThreads, {"a", "b"}, "The iter with the values that both have.",
                R"(iter_intersect((4, 2@P), [3, 3, "P"]))", "(2, 6@P)",
                [](const axe::Iter& a, const axe::Iter& b) { return axe::iter_intersect(a, b); }));
}

// Hardware.

Result<axe::Layout> datapath_layout(const std::string& datapath, const Int& rows, const Int& cols,
                                    const std::optional<Int>& sub_slab) {
  if (datapath.size() != 1) {
    return refuse("axe.datapath",
                  fmt::format("a data path has one letter, not {}", quote(datapath)));
  }
  HEDDLE_TRY(const std::int64_t slab, constant(sub_slab.value_or(Int(0))));
  return axe::tmem_datapath_layout(datapath.front(), rows, cols, slab);
}

void add_hardware(std::vector<Operation>& table) {
  table.push_back(operation("trainium", kHardware, {"annotation", "shape"},
                            "A tensor over partitions P and free dimensions F of a scratchpad.",
                            R"(trainium("PF", (128,512)))", "S[(128,512):(1@P,1@F)]",
                            [](const std::string& annotation, const AxeShape& shape) {
                              return axe::trainium(annotation, shape.extents);
                            }));
  table.push_back(
      operation("to_psum", kHardware, {"layout"},
                "The same tile in accumulation memory: Bank = F div 512, F = F mod 512.",
                "to_psum(S[(1024,8):(1@F,1@P)])", "S[(2,512,8):(1@Bank,1@F,1@P)]",
                [](const axe::Layout& layout) { return axe::to_psum(layout); }));
  table.push_back(operation(
      "mma_shared_layout", kHardware, {"element_bits", "swizzle", "shape"},
      "Shared memory as matrix instructions read it, in atoms of 8 rows of `swizzle` bytes.",
      "mma_shared_layout(16, 128, (64,128))", "SW(3,3,3) o S[(64,2,64):(64@m,4096@m,1@m)]",
      [](const Int& element_bits, const Int& swizzle,
         const AxeShape& shape) -> Result<axe::Layout> {
        HEDDLE_TRY(const std::int64_t bits, constant(element_bits));
        HEDDLE_TRY(const std::int64_t bytes, constant(swizzle));
        return axe::mma_shared_layout(bits, bytes, shape.extents);
      }));
  table.push_back(
      operation("tmem_datapath_layout", kHardware, {"datapath", "rows", "cols", "sub_slab=0"},
                "Where tcgen05.mma puts its result in tensor memory, by the data path's letter.",
                R"(tmem_datapath_layout("F", 64, 32))", "S[(4,16,32):(32@TLane,1@TLane,1@TCol)]",
                [](const std::string& datapath, const Int& rows, const Int& cols,
                   const std::optional<Int>& sub_slab) {
                  return datapath_layout(datapath, rows, cols, sub_slab);
                }));
  table.push_back(operation("wg_local_layout", kHardware, {"cols", "rows=128"},
                            "Registers of a warpgroup, a row for each thread.",
                            "wg_local_layout(32)", "S[(128,32):(1@tid_in_wg,1@m)]",
                            [](const Int& cols, const std::optional<Int>& rows) {
                              return axe::wg_local_layout(cols, rows.value_or(Int(128)));
                            }));
}

}  // namespace

void add_axe_hardware_operations(std::vector<Operation>& table) {
  add_threads(table);
  add_elements(table);
  add_hardware(table);
}

}  // namespace heddle::notation
