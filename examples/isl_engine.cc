// Layouts from integer set relations, by isl: given the shape, given the strides.

#include <heddle/cute/int_tuple.h>
#include <heddle/map/isl_engine.h>

#include <iostream>

using heddle::Int;
using heddle::IntTuple;
using heddle::Result;
using heddle::cute::Layout;
using heddle::cute::StrideTuple;
using heddle::map::IntegerRelation;
namespace isl_engine = heddle::map::isl_engine;

namespace {

void print(const Result<Layout>& layout) {
  if (layout) {
    std::cout << *layout << "\n";
  } else {
    std::cout << layout.error() << "\n";
  }
}

IntegerRelation relation(const char* text) { return IntegerRelation::parse(text).value(); }

}  // namespace

int main() {
  // 0 2 4 6 1 3 5 7 8 10 12 14 9 11 13 15
  const IntegerRelation mapping =
      relation("{ [c] -> [2*(c mod 4) + floor(c/4) mod 2 + 8*floor(c/8)] : 0 <= c < 16 }");
  print(isl_engine::layout_from_shape(mapping, IntTuple{Int(4), Int(2), Int(2)}));
  print(isl_engine::layout_from_shape(mapping, IntTuple{Int(4), Int(4)}));
  print(isl_engine::layout_from_strides(mapping, StrideTuple{2, 1, 8}));
  print(isl_engine::layout_from_strides(mapping, StrideTuple{1, 8}));
  print(isl_engine::layout_from_shape(relation("{ [c] -> [c] : 0 < c < 8 }"), Int(7)));
  print(isl_engine::inverse(Layout::make(Int::variable("N", 1, 64), 1).value()));
}
