// Products of matrices: which instructions of a machine compute them where the operands lie.

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "heddle/machine/gemm_plan.h"
#include "notation/operations/binding.h"
#include "notation/value/data.h"

namespace heddle::notation {
namespace {

Datum::List list_of(const machine::GemmShape& shape) {
  return Datum::List(shape.begin(), shape.end());
}

Datum data_of(const machine::GemmTiling& tiling) {
  return Datum::Fields{{"tiler", to_string(tiling.tiler)},
                       {"tiler_shape", Datum::List{tiling.tiler_shape[0], tiling.tiler_shape[1]}},
                       {"atom", to_string(tiling.atom)},
                       {"atom_shape", Datum::List{tiling.atom_shape[0], tiling.atom_shape[1]}},
                       {"is_tile", tiling.is_tile}};
}

Datum data_of(const machine::GemmChoice& choice) {
  Datum::List tilings;
  for (const machine::GemmTiling& tiling : choice.tilings) tilings.push_back(data_of(tiling));
  return Datum::Fields{{"instruction", choice.instruction},
                       {"type", choice.type},
                       {"fits", choice.fits()},
                       {"shape", list_of(choice.shape)},
                       {"loops", list_of(choice.loops)},
                       {"units", choice.units},
                       {"operands", std::move(tilings)},
                       {"reason", choice.reason}};
}

Report report_of(const machine::GemmPlan& plan) {
  Datum::List choices;
  for (const machine::GemmChoice& choice : plan.choices) choices.push_back(data_of(choice));
  return {.text = to_string(plan),
          .data = Datum::Fields{{"shape", list_of(plan.shape)},
                                {"machine", plan.machine},
                                {"choices", std::move(choices)}}};
}

Result<std::optional<machine::GemmShape>> shape_of(const std::optional<IntList>& shape) {
  std::optional<machine::GemmShape> sizes;
  if (!shape) return sizes;
  const auto is_size = [](const Int& size) { return size.is_constant() && size.value() > 0; };
  if (shape->size() != 3 || !std::ranges::all_of(*shape, is_size)) {
    return refuse("call.type", "the shape of a product is (M,N,K), three sizes");
  }
  sizes = {(*shape)[0].value(), (*shape)[1].value(), (*shape)[2].value()};
  return sizes;
}

}  // namespace

void add_machine_gemm_operations(std::vector<Operation>& table) {
  const Rows add{table, "machines and their instructions"};
  add({.call = "gemm_plan(a, b, c, machine, dtype=\"\", shape)",
       .summary =
           "Which matrix instructions of a machine compute C = A * B in the places of the three, "
           "how often each is issued over M, N and K, and why the others do not fit. A is "
           "(M,K), B is (K,N), of CuTe's layouts (N,K).",
       .example = {R"(gemm_plan(S[(2,128,128):(128@F,1@F,1@P)], S[(128,512):(1@P,1@F)], )"
                   R"(S[(2,128,512):(512@F,1@P,1@F)], "trn1", "fp16"))",
                   "M, N, K = 256, 512, 128 on trainium1\n"
                   "  fits  nc_matmul, fp16  128 x 512 x 128, 2 x 1 x 1 times\n"
                   "          A = S[(2):(1@F)] (x) S[(128,128):(1@F,1@P)]\n"
                   "          B = S[(1):(1@m)] (x) S[(128,512):(1@P,1@F)]\n"
                   "          C = S[(2):(1@F)] (x) S[(128,512):(1@P,1@F)]"}},
      [](const map::AnyLayout& a, const map::AnyLayout& b, const map::AnyLayout& c,
         const std::string& machine, const std::string& dtype,
         const std::optional<IntList>& shape) -> Result<Report> {
        HEDDLE_TRY(const auto sizes, shape_of(shape));
        HEDDLE_TRY(const machine::GemmPlan plan,
                   machine::gemm_plan({a, b, c, sizes}, machine, dtype));
        return report_of(plan);
      });
}

}  // namespace heddle::notation
