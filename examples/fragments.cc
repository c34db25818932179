// Deals the elements of a matrix out to lanes and registers, and reads the deal in three systems.

#include <heddle/axe/fragment.h>
#include <heddle/cute/fragment.h>
#include <heddle/linear/fragment.h>
#include <heddle/map/fragment.h>

#include <iostream>

using heddle::form::Deal;
using heddle::form::Fragment;

int main() {
  const auto fragment = [](const std::vector<Deal>& deals) {
    return Fragment({"register", "lane"}, {"row", "col"}, deals);
  };
  const Fragment rows = fragment({{"register", "col", 4}, {"lane", "row", 8}});
  std::cout << rows.places()[1].name << " 0 to 7: " << to_string(rows) << "\n";
  std::cout << heddle::linear::linear_layout(rows).value() << "\n";
  std::cout << heddle::cute::thread_value_layout(rows, {"row", "col"}).value() << "\n";
  std::cout << heddle::axe::axe_layout(rows).value() << "\n";

  const Fragment three = fragment({{"register", "col", 3}, {"lane", "row", 8}});
  std::cout << heddle::linear::linear_layout(three).error() << "\n";
  const Fragment half = fragment({{"register", heddle::form::kUnused, 2}, {"lane", "row", 8}});
  std::cout << heddle::linear::linear_layout(half).error() << "\n";
  const Fragment last_first = fragment({{"register", "col", 4, true}, {"lane", "row", 8}});
  std::cout << heddle::linear::linear_layout(last_first).error() << "\n";
  std::cout << heddle::map::relation(last_first).value() << "\n";
}
