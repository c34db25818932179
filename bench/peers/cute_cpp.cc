// The cases of bench/cases.json in CuTe C++, with integers that are known at run time only.
//
// The operands are objects that the optimiser must take for unknown at each turn. Where CuTe asks
// for strides at compile time (complement, inverses, products), the strides are constants `Int<n>`
// and the extents run-time integers; a case that CuTe cannot do even so is left out. The label of
// each benchmark tells the operands and the result, so that bench/compare can hold them against the
// other libraries'.

#include <benchmark/benchmark.h>

#include <cstdint>
#include <cute/layout.hpp>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#ifndef HEDDLE_BENCH_INTEGER
#define HEDDLE_BENCH_INTEGER int
#endif

namespace {

using namespace cute;
using Integer = HEDDLE_BENCH_INTEGER;

/// An integer of the type under test.
constexpr Integer n(Integer value) { return value; }

template <class... Modes>
auto shape(Modes... modes) {
  return cute::make_shape(modes...);
}
template <class... Modes>
auto stride(Modes... modes) {
  return cute::make_stride(modes...);
}

template <class T>
std::string text(const T& value);

template <class Tuple, std::size_t... I>
std::string list(const Tuple& tuple, std::index_sequence<I...>) {
  std::string result;
  ((result += (I == 0 ? "" : ",") + text(get<I>(tuple))), ...);
  return result;
}

template <class T>
std::string text(const T& value) {
  if constexpr (is_layout<T>::value) {
    return text(value.shape()) + ":" + text(value.stride());
  } else if constexpr (is_tuple<T>::value) {
    constexpr std::size_t kSize = tuple_size<T>::value;
    const std::string inner = list(value, std::make_index_sequence<kSize>());
    if constexpr (kSize > 0) {
      if constexpr (is_layout<tuple_element_t<0, T>>::value) return "<" + inner + ">";
    }
    return "(" + inner + ")";
  } else {
    return std::to_string(static_cast<std::int64_t>(value));
  }
}

template <class Operation, class... Operands>
void add(const std::string& name, Operation operation, Operands... operands) {
  benchmark::RegisterBenchmark(name.c_str(), [=](benchmark::State& state) mutable {
    for (auto _ : state) {
      (benchmark::DoNotOptimize(operands), ...);
      auto result = operation(operands...);
      benchmark::DoNotOptimize(result);
    }
    std::string label;
    ((label += (label.empty() ? "" : " ; ") + text(operands)), ...);
    state.SetLabel(label + " => " + text(operation(operands...)));
  });
}

void add_algebra() {
  const auto compose = [](const auto& a, const auto& b) { return composition(a, b); };
  add("composition/reshape", compose, make_layout(shape(n(20), n(2)), stride(n(16), n(4))),
      make_layout(shape(n(4), n(5)), stride(n(1), n(4))));
  add("composition/thread_values", compose,
      make_layout(shape(shape(n(8), n(16)), shape(n(64), n(2))),
                  stride(stride(n(64), n(512)), stride(n(1), n(8192)))),
      make_layout(shape(shape(n(4), n(8), n(4)), shape(n(2), n(2), n(2))),
                  stride(stride(n(64), n(1), n(1024)), stride(n(32), n(8), n(512)))));
  add("composition/rows_of_a_tile", compose, make_layout(shape(n(128), n(64)), stride(n(64), n(1))),
      make_layout(shape(shape(n(8), n(4)), shape(n(4), n(2))),
                  stride(stride(n(1), n(32)), stride(n(8), n(128)))));

  const auto join = [](const auto& a) { return coalesce(a); };
  add("coalesce/nested", join,
      make_layout(shape(shape(n(2), n(4)), shape(n(2), shape(n(2), n(4)))),
                  stride(stride(n(1), n(2)), stride(n(8), stride(n(16), n(64))))));
  add("coalesce/padded", join,
      make_layout(shape(n(128), shape(n(8), n(8))), stride(n(1), stride(n(136), n(1088)))));

  const auto rest = [](const auto& a, const auto& target) { return complement(a, target); };
  add("complement/one_mode", rest, make_layout(n(8), n(64)), n(4096));
  add("complement/three_modes", rest,
      make_layout(shape(n(2), n(4), n(8)), stride(Int<1>(), Int<64>(), Int<4>())), n(4096));

  // right_inverse/permuted is missing: where extents are known at run time only, CuTe does not see
  // that one mode follows the other and inverts the first alone.
  const auto right = [](const auto& a) { return right_inverse(a); };
  const auto left = [](const auto& a) { return left_inverse(a); };
  const auto padded = make_layout(shape(n(64), n(8)), stride(Int<1>(), Int<72>()));
  const auto permuted =
      make_layout(shape(n(8), n(16), n(4)), stride(Int<64>(), Int<1>(), Int<16>()));
  add("right_inverse/padded", right, padded);
  add("left_inverse/permuted", left, permuted);
  add("left_inverse/padded", left, padded);

  const auto divide = [](const auto& a, const auto& tile) { return logical_divide(a, tile); };
  const auto zip_divide = [](const auto& a, const auto& tile) { return zipped_divide(a, tile); };
  const auto nested =
      make_layout(shape(n(9), shape(n(4), n(8))), stride(n(59), stride(n(13), n(1))));
  const auto nested_tiler = make_tile(make_layout(n(3), n(3)),
                                      make_layout(shape(n(2), n(4)), stride(Int<1>(), Int<8>())));
  add("logical_divide/one_mode", divide,
      make_layout(shape(n(4), n(2), n(3)), stride(n(2), n(1), n(8))), make_layout(n(4), n(2)));
  add("logical_divide/across_modes", divide,
      make_layout(shape(n(8), n(4), n(16)), stride(n(1), n(64), n(8))), make_layout(n(32), n(1)));
  add("zipped_divide/interleaved", zip_divide,
      make_layout(shape(shape(n(8), n(16)), shape(n(64), n(2))),
                  stride(stride(n(64), n(512)), stride(n(1), n(8192)))),
      make_tile(make_layout(n(16), n(1)), make_layout(n(32), n(1))));
  add("logical_divide/two_modes", divide, nested, nested_tiler);
  add("zipped_divide/matrix", zip_divide,
      make_layout(shape(n(4096), n(4096)), stride(n(4096), n(1))),
      make_tile(make_layout(n(128), n(1)), make_layout(n(64), n(1))));
  add("zipped_divide/nested", zip_divide, nested, nested_tiler);

  const auto product = [](const auto& a, const auto& b) { return logical_product(a, b); };
  const auto block_product = [](const auto& a, const auto& b) { return blocked_product(a, b); };
  const auto block = make_layout(shape(n(2), n(5)), stride(Int<5>(), Int<1>()));
  const auto copies = make_layout(shape(n(3), n(4)), stride(n(1), n(3)));
  add("logical_product/one_mode", product,
      make_layout(shape(n(2), n(2)), stride(Int<4>(), Int<1>())), make_layout(n(6), n(1)));
  add("logical_product/two_modes", product, block, copies);
  add("logical_product/of_a_run", product, make_layout(n(8), n(1)), copies);
  add("blocked_product/of_a_run", block_product, make_layout(n(8), n(1)), copies);
  add("blocked_product/row_major", block_product, block, copies);
  add("blocked_product/swizzle_atom", block_product,
      make_layout(shape(n(8), n(64)), stride(Int<64>(), Int<1>())),
      make_layout(shape(n(16), n(2)), stride(n(1), n(16))));
}

void add_evaluation() {
  const auto tile = make_layout(shape(shape(n(8), n(16)), shape(n(64), n(2))),
                                stride(stride(n(64), n(512)), stride(n(1), n(8192))));
  benchmark::RegisterBenchmark("evaluate/flat_coordinates", [=](benchmark::State& state) mutable {
    std::vector<Integer> coordinates(1 << 14);
    std::iota(coordinates.begin(), coordinates.end(), Integer{0});
    std::vector<Integer> indices(coordinates.size());
    for (auto _ : state) {
      benchmark::DoNotOptimize(tile);
      const auto layout = tile;
      for (std::size_t i = 0; i < indices.size(); ++i) indices[i] = layout(coordinates[i]);
      benchmark::ClobberMemory();
    }
    state.SetItemsProcessed(state.iterations() * (1 << 14));
  });
}

}  // namespace

int main(int argc, char** argv) {
  add_algebra();
  add_evaluation();
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  benchmark::RunSpecifiedBenchmarks();
}
