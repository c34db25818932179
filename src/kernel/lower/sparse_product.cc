// Sparse products by multiply-adds: all steps along K are gone through, and at each of them the
// elements that A keeps there are multiplied, as their codes say (kernel/sparse.h).
//
//   gemm_sparse(acc, A, B, E)        A: f16[M,K/2], E: u4[M,K/4]
//
//     for k in K
//       place = k % 4
//       kept = E[i,k/4] % 4 == place or E[i,k/4] / 4 == place
//       acc[i,j] = kept ? acc[i,j] + A[i, 2*(k/4) + …] * B[k,j] : acc[i,j]

#include "kernel/lower/lowerer.h"
#include "kernel/sparse.h"

namespace heddle::kernel {

namespace {

Computation index_value(const Int& value) { return {Computation::Index{value}, DType::kI64, {}}; }

Computation of_integers(Function function, DType type, std::vector<Computation> operands) {
  return {Computation::Apply{function, DType::kI64}, type, std::move(operands)};
}

Computation same_integers(Computation a, Computation b) {
  return of_integers(Function::kEqual, DType::kBool, {std::move(a), std::move(b)});
}

}  // namespace

/// An element that is there where the conditions hold too, and is 0 elsewhere.
Result<Computation> Lowerer::element_inside(const View& view, const std::vector<Int>& point,
                                            const std::vector<Condition>& inside,
                                            const Team& team) const {
  HEDDLE_TRY(Computation value, compute({view}, point, team));
  auto& load = std::get<Computation::Load>(value.node);
  load.inside.insert(load.inside.end(), inside.begin(), inside.end());
  load.otherwise = converted(value.type, Number(0.0));
  return value;
}

Result<Lowerer::KeptElement> Lowerer::kept_element(const ProductViews& views, const Int& row,
                                                   const Int& step,
                                                   const std::vector<Condition>& inside,
                                                   const Team& team) const {
  HEDDLE_TRY(const DType type, type_of({views.a}));
  const SparseGroup group = sparse_group(type);
  const Int number = floor_div(step, group.elements);
  const Int first = number * (group.elements / 2) + mod(step, group.together);
  const Computation place = index_value(floor_div(mod(step, group.elements), group.together));
  HEDDLE_TRY(const Computation code, element_inside(*views.index, {row, number}, inside, team));
  HEDDLE_TRY(Computation element, element_inside(views.a, {row, first}, inside, team));
  const auto digit = [&](Function function, std::int64_t by) {
    return of_integers(function, DType::kI64, {code, index_value(by)});
  };
  if (group.elements == 2) {
    return KeptElement{std::move(element), same_integers(digit(Function::kQuotient, 8), place)};
  }
  const Computation is_first = same_integers(digit(Function::kRemainder, 4), place);
  const Computation is_second = same_integers(digit(Function::kQuotient, 4), place);
  HEDDLE_TRY(Computation second,
             element_inside(views.a, {row, first + group.together}, inside, team));
  const DType computed = element.type;
  return KeptElement{
      {Computation::Apply{Function::kSelect, computed},
       computed,
       {is_second, std::move(second), std::move(element)}},
      {Computation::Apply{Function::kOr, DType::kBool}, DType::kBool, {is_first, is_second}}};
}

}  // namespace heddle::kernel
