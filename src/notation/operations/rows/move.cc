// Plans of relayouts: how the elements of a buffer move from one layout to another.

#include <optional>
#include <string>
#include <utility>

#include "heddle/move/relayout.h"
#include "notation/operations/binding.h"
#include "notation/operations/element_width.h"

namespace heddle::notation {
namespace {

Report report_of_plan(const move::Plan& plan) {
  Datum::List steps;
  for (const auto& [name, step] : plan.steps()) {
    steps.emplace_back(Datum::Fields{{"step", name}, {"text", step}});
  }
  return {.text = to_string(plan),
          .data = Datum::Fields{{"elements", plan.elements()},
                                {"element_bits", plan.element_bits()},
                                {"source_bytes", plan.source_bytes()},
                                {"destination_bytes", plan.destination_bytes()},
                                {"matched", plan.matched()},
                                {"steps", std::move(steps)}}};
}

}  // namespace

void add_move_operations(std::vector<Operation>& table) {
  const Rows add{table, "moving data"};
  add({.call = "relayout_plan(from, to, element_bits, as)",
       .summary =
           "How heddle relayout moves element c from place from(c) to place to(c) of another "
           "buffer: in which pieces, loops and blocks. Steps are in bytes, of the source and "
           "of the destination, or in bits where elements share bytes.",
       .example = {"relayout_plan((4,8):(8,1), (4,8):(1,4), 32)",
                   "moves   32 elements of 32 bits, 128 bytes to 128 bytes\n"
                   "loops   4 (32 to 4), 8 (4 to 16) bytes\n"
                   "kernel  transposes 4 x 8 elements of 4 bytes in registers\n"
                   "blocks  4 x 8 steps of the loops\n"
                   "stores  through the caches"}},
      [](const map::AnyLayout& from, const map::AnyLayout& to, const ElementWidth& element,
         const std::optional<map::Reading>& as, const map::Limits& limits) -> Result<Report> {
        move::PlanOptions options;
        options.reading = as;
        options.limits = limits;
        HEDDLE_TRY(const move::Plan plan, move::make_plan(from, to, element.bits, options));
        return report_of_plan(plan);
      });
}

}  // namespace heddle::notation
