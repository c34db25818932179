// Moves the elements of a matrix from rows to columns, and within one buffer.

#include <heddle/move/relayout.h>
#include <heddle/notation/any_layout.h>

#include <cstdint>
#include <iostream>
#include <span>
#include <vector>

using heddle::move::make_plan;
using heddle::move::Plan;

int main() {
  const auto layout = [](const char* text) {
    return heddle::notation::parse_any_layout(text).value();
  };
  std::vector<std::uint16_t> rows(12);
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = static_cast<std::uint16_t>(i);
  std::vector<std::uint16_t> columns(12);

  const Plan plan = make_plan(layout("(3,4):(4,1)"), layout("(3,4):(1,3)"), 16).value();
  if (!plan.run(std::as_bytes(std::span(rows)), std::as_writable_bytes(std::span(columns))))
    return 1;
  for (const std::uint16_t number : columns) std::cout << number << ' ';
  std::cout << "\n" << to_string(plan) << "\n\n";

  if (!plan.run_in_place(std::as_writable_bytes(std::span(rows)))) return 1;
  std::cout << "in place: " << (rows == columns ? "the same" : "different") << "\n";

  // The columns are padded: the destination has places that the source lacks.
  const Plan padded = make_plan(layout("(3,4):(4,1)"), layout("(3,4):(1,4)"), 16).value();
  std::cout << padded.destination_bytes() << " bytes are needed\n";
  const auto why = padded.run_in_place(std::as_writable_bytes(std::span(rows)));
  std::cout << why.error() << "\n";
  rows.resize(16);
  std::cout << padded.run_in_place(std::as_writable_bytes(std::span(rows))).error() << "\n";
}
