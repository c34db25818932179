// Plans of relayouts as Python has them: run on arrays, without copies.

#include "heddle/move/relayout.h"

#include <nanobind/stl/map.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "heddle/notation/any_layout.h"
#include "heddle/notation/given.h"
#include "heddle/notation/repackings.h"
#include "memory.h"
#include "object.h"
#include "refusal.h"

namespace heddle::python {
namespace {

using move::Plan;

/// A layout argument, or where an array's elements lie if it is an array's memory.
Result<map::AnyLayout> layout_of(const Given& given, const Environment& environment) {
  HEDDLE_TRY(const Value value, notation::value_of(given, environment));
  return notation::to_any_layout(value, environment.context());
}

Plan make_plan(nb::handle from, nb::handle to, nb::handle bits, nb::handle reading) {
  const std::int64_t element_bits = given_integer(bits, "the bits of an element");
  const std::optional<std::string> as =
      reading.is_none() ? std::nullopt : std::optional(given_text(reading));
  const auto given = [](nb::handle object) -> Given {
    const Memory* memory = nullptr;
    const bool is_memory = nb::try_cast(nb::borrow(object), memory) && memory != nullptr;
    if (!is_memory) return given_of(object);
    return Given(notation::to_value(memory->layout()));
  };
  const Given given_from = given(from);
  const Given given_to = given(to);
  std::optional<Result<Plan>> plan;
  const auto planned = [&](const Environment& environment) -> Result<Plan> {
    move::PlanOptions options;
    options.limits = environment.context().decide.limits;
    if (as) {
      HEDDLE_TRY(options.reading, notation::reading_named(*as));
    }
    HEDDLE_TRY(const map::AnyLayout layout_from, layout_of(given_from, environment));
    HEDDLE_TRY(const map::AnyLayout layout_to, layout_of(given_to, environment));
    return move::make_plan(layout_from, layout_to, element_bits, options);
  };
  interruptible(
      [&](const Environment& environment, const std::stop_token&) { plan = planned(environment); });
  return unwrapped(*std::move(plan));
}

/// The plans of a repacking by name, of all of an array, and the shape of the new one.
nb::tuple plan_recipe(const Memory& memory, const std::string& name,
                      const std::map<std::string, std::int64_t>& given,
                      std::optional<std::int64_t> element_bits) {
  Bindings sizes;
  for (const auto& [size, number] : given) sizes.emplace(size, number);
  const notation::Packed packed{.shape = memory.shape(),
                                .element_bits = memory.element_bits(),
                                .bytes = std::ssize(memory.bytes()),
                                .in_rows = memory.is_in_rows(),
                                .are_integers = memory.are_integers(),
                                .are_signed = memory.kind() == 'i',
                                .data = memory.bytes()};
  std::vector<std::int64_t> shape;
  const auto planned = [&](const Environment& environment) -> Result<std::vector<Plan>> {
    HEDDLE_TRY(const notation::Repacking repacking, notation::find_repacking(name));
    HEDDLE_TRY(notation::Repacked moved,
               notation::repacked(repacking, packed, sizes, element_bits));
    move::PlanOptions options;
    options.limits = environment.context().decide.limits;
    std::vector<Plan> plans;
    for (const notation::RepackingLayouts& part : moved.parts) {
      HEDDLE_TRY(Plan plan, move::make_plan(part.from, part.to, moved.element_bits, options));
      plans.push_back(std::move(plan));
    }
    shape = std::move(moved.shape);
    return plans;
  };
  std::optional<Result<std::vector<Plan>>> plans;
  interruptible([&](const Environment& environment, const std::stop_token&) {
    plans = planned(environment);
  });
  nb::list all;
  for (Plan& plan : unwrapped(*std::move(plans))) all.append(nb::cast(std::move(plan)));
  return nb::make_tuple(all, nb::tuple(nb::cast(shape)));
}

/// The repackings by name, as the fields of Recipe in Python.
nb::list recipes() {
  nb::list all;
  for (const notation::Repacking& one : notation::repackings()) {
    all.append(nb::make_tuple(one.name, nb::tuple(nb::cast(notation::size_names(one))), one.summary,
                              one.from, one.to, one.element_bits, one.source, one.shape));
  }
  return all;
}

/// Calls `work`, which moves so many bytes, with options under which Ctrl-C stops it.
void run(std::int64_t bytes, std::optional<int> threads,
         const std::function<Result<void>(const move::RunOptions&)>& work) {
  if (threads && *threads < 1) {
    raise(Diagnostic("call.type", "threads is " + std::to_string(*threads) +
                                      ", and at least 1 thread moves the elements")
              .with_hint("threads=1"));
  }
  // What takes no longer than starting a thread is done by this one.
  constexpr std::int64_t kShort = std::int64_t{1} << 20;
  const auto usual = std::clamp<std::int64_t>(
      bytes / kShort, 1, std::max<std::int64_t>(1, std::thread::hardware_concurrency()));
  move::RunOptions options{.threads = threads.value_or(static_cast<int>(usual))};
  Result<void> moved;
  if (bytes < kShort) {
    const nb::gil_scoped_release unlocked;
    moved = work(options);
  } else {
    interruptible([&](const Environment&, const std::stop_token& stop) {
      options.stop = stop;
      moved = work(options);
    });
  }
  if (!moved) raise(moved.error());
}

void run_on(const Plan& plan, const Memory& source, const Memory& destination,
            std::optional<int> threads) {
  run(plan.destination_bytes(), threads, [&](const move::RunOptions& options) {
    return plan.run(source.bytes(), destination.bytes(), options);
  });
}

void run_within(const Plan& plan, const Memory& memory) {
  run(plan.destination_bytes(), 1,
      [&](const move::RunOptions& options) { return plan.run_in_place(memory.bytes(), options); });
}

/// Refuses an array with gaps, or that runs back: the places of a layout count all elements of the
/// memory, from its first element on.
void check_dense(const Memory& memory, const char* side) {
  if (memory.is_dense()) return;
  raise(Diagnostic("move.buffer", std::string("the ") + side +
                                      (memory.runs_back() ? " has negative strides"
                                                          : " has gaps between its elements"))
            .with_hint("relayout() without a layout for it takes its own strides"));
}

}  // namespace

void bind_relayout(nb::module_& m) {
  nb::class_<Memory>(m, "_Memory", "The memory of an array.")
      .def(
          "__init__",
          [](Memory* memory, nb::handle object, bool is_written) {
            new (memory) Memory(object, is_written ? Access::kWrite : Access::kRead);
          },
          nb::arg("array").none(), nb::arg("is_written"))
      .def_prop_ro("element_bits", &Memory::element_bits)
      .def("holds_as",
           [](const Memory& memory, const Memory& other) {
             const bool is_alike =
                 memory.kind() == 0 || other.kind() == 0 || memory.kind() == other.kind();
             return is_alike && memory.is_big_endian() == other.is_big_endian();
           })
      .def("check_dense", check_dense);
  nb::class_<Plan>(m, "Plan",
                   "A copy from one layout to another, ready to run: made by make_plan().")
      .def_prop_ro("elements", &Plan::elements, "The elements of the logical box.")
      .def_prop_ro("element_bits", &Plan::element_bits, "The bits of an element.")
      .def_prop_ro("source_bytes", &Plan::source_bytes, "The bytes up to the last one read.")
      .def_prop_ro("destination_bytes", &Plan::destination_bytes,
                   "The bytes up to the last one written.")
      .def_prop_ro("matched", &Plan::matched, "How points of different shapes are matched.")
      .def("__str__", [](const Plan& plan) { return to_string(plan); })
      .def(
          "run",
          [](const Plan& plan, nb::handle source, nb::handle destination,
             std::optional<int> threads) {
            const Memory from(source, Access::kRead);
            const Memory to(destination, Access::kWrite);
            check_dense(from, "source");
            check_dense(to, "destination");
            run_on(plan, from, to, threads);
          },
          nb::arg("source").none(), nb::arg("destination").none(), nb::kw_only(),
          nb::arg("threads") = nb::none(),
          "Moves every element from one array to another, in the memory that they have. What no "
          "element moves to stays as it is.")
      .def(
          "run_in_place",
          [](const Plan& plan, nb::handle array) {
            const Memory memory(array, Access::kWrite);
            check_dense(memory, "array");
            run_within(plan, memory);
          },
          nb::arg("array").none(),
          "Moves every element within one array, whose places must be those of both layouts.")
      .def("_run", run_on, nb::arg("source"), nb::arg("destination"),
           nb::arg("threads") = nb::none())
      .def("_run_in_place", run_within);
  m.def("_plan_recipe", plan_recipe, nb::arg("memory"), nb::arg("name"), nb::arg("sizes"),
        nb::arg("element_bits") = nb::none());
  m.def("_recipes", recipes);
  m.def("make_plan", make_plan, nb::arg("from_").none(), nb::arg("to").none(),
        nb::arg("element_bits").none(), nb::kw_only(), nb::arg("as_") = nb::none(),
        nb::sig("def make_plan(from_: object, to: object, element_bits: int, *, as_: str | None = "
                "None) -> Plan"),
        "The plan that moves element c from place from_(c) of one array to place to(c) of another, "
        "for elements of so many bits.");
}

}  // namespace heddle::python
