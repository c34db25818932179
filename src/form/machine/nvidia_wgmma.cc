// Hopper's products of a warpgroup, wgmma: 64 rows of A in shared memory or in registers, B in
// shared memory, N from 8 to 256 columns.
//
// Elements of shared memory are numbered as CuTe does, rows of A and columns of B fastest; where
// one lies is said by the layout that a descriptor describes (heddle/machine/matrix_descriptor.h).

#include <fmt/format.h>

#include <utility>

#include "form/machine/families.h"
#include "form/machine/names.h"
#include "form/machine/nvidia_names.h"
#include "form/machine/nvidia_rules.h"

namespace heddle::form {
namespace {

constexpr std::int64_t kWarpgroup = 128;
constexpr std::int64_t kWarpsOfGroup = 4;
constexpr std::int64_t kRowsOfGroup = 64;
constexpr int kDepthBits = 256;
constexpr std::int64_t kWidest = 256;

/// The types of D, A and B, and where A is; the sizes are before them.
constexpr std::string_view kWgmmaNames[] = {
    "{F16F16F16,F32F16F16,F32BF16BF16}_{SS,RS}",
    "F32TF32TF32_{SS,RS}_TN",
    "{F16,F32}{E4M3,E5M2}{E4M3,E5M2}_{SS,RS}_TN",
    "S32{S8,U8}{S8,U8}_{SS,RS}_TN{,_SATURATE}",
};
constexpr std::string_view kDensePrefix = "SM90_";
constexpr std::string_view kSparsePrefix = "SM90::GMMA::SPARSE::GMMA_";

/// Integers come in fewer widths than the other types.
bool has_width(std::string_view name, std::int64_t n) {
  return !name.starts_with("S32") || n % 16 == 0 || n == 8 || n == 24;
}

Fragment in_shared_memory(Factor factor, std::int64_t across, std::int64_t along) {
  const FactorDims dims = dims_of(factor);
  return {{"shared", "lane", "warp"},
          in_order(factor, dims),
          {{"shared", dims.across, across},
           {"shared", dims.along, along},
           {"lane", kCopies, kWarpgroup / kWarpsOfGroup},
           {"warp", kCopies, kWarpsOfGroup}}};
}

InstructionOperand described(std::string name, const NvidiaType& type, Fragment fragment) {
  InstructionOperand operand = nvidia_operand(std::move(name), type, std::move(fragment));
  operand.note = "in shared memory, through a descriptor that all threads give";
  return operand;
}

Instruction wgmma(const std::string& name, const std::string& machine) {
  const bool is_sparse = name.starts_with(kSparsePrefix);
  const std::vector<std::string_view> parts =
      split(std::string_view(name).substr((is_sparse ? kSparsePrefix : kDensePrefix).size()), '_');
  const auto shape = nvidia_shape(parts[0]);
  const std::vector<NvidiaType> types = nvidia_types(parts[1]);
  const auto& [m, n, k] = shape;
  const NvidiaType& a_type = types[1];
  const Fragment accumulator =
      core_fragment(Factor::kA, {.across = m, .along = n, .warps = kWarpsOfGroup});
  InstructionOperand a =
      parts[2] == "SS"
          ? described("A", a_type, in_shared_memory(Factor::kA, m, k))
          : nvidia_operand(
                "A", a_type,
                core_fragment(Factor::kA, {.across = m,
                                           .along = k,
                                           .run = run_of(a_type.bits) * (is_sparse ? 2 : 1),
                                           .warps = kWarpsOfGroup}));
  Instruction made = {
      .name = name,
      .machine = machine,
      .shape = shape,
      .lanes = kWarpgroup,
      .operands = {std::move(a), described("B", types[2], in_shared_memory(Factor::kB, n, k)),
                   nvidia_operand("C", types[0], accumulator),
                   nvidia_operand("D", types[0], accumulator)},
      .source = "PTX ISA 9.0; CuTe, mma_traits_sm90_gmma"};
  if (is_sparse) {
    made.operands[0].shared_by = 2;
    made.operands[0].note += made.operands[0].note.empty() ? "" : "; ";
    made.operands[0].note += "A with its zeros, of which half of the elements are stored";
    made.operands.push_back(sparse_index(a_type.bits, k, kWarpsOfGroup));
  }
  return made;
}

/// `wgmma.mma_async.sync.aligned.m64n104k16.f32.f16.f16`, whether A is in registers or not.
std::vector<std::string> ptx_names(bool is_sparse, const std::array<std::int64_t, 3>& shape,
                                   std::string_view tail) {
  const std::vector<NvidiaType> types = nvidia_types(tail.substr(0, tail.find('_')));
  const std::string begin =
      fmt::format("wgmma.mma_async{}.sync.aligned.{}", is_sparse ? ".sp" : "", ptx_shape(shape));
  return {fmt::format("{}.{}.{}.{}{}", begin, types[0].name, types[1].name, types[2].name,
                      tail.ends_with("SATURATE") ? ".satfinite" : ""),
          begin};
}

}  // namespace

void list_nvidia_wgmma(InstructionListings& listings) {
  for (const bool is_sparse : {false, true}) {
    for (const std::string_view pattern : kWgmmaNames) {
      for (const std::string& tail : expand(pattern)) {
        const NvidiaType a = nvidia_types(tail.substr(0, tail.find('_')))[1];
        for (std::int64_t n = 8; n <= kWidest; n += 8) {
          if (!has_width(tail, n)) continue;
          const std::int64_t k = kDepthBits / a.bits * (is_sparse ? 2 : 1);
          list_by_name(listings,
                       fmt::format("{}{}x{}x{}_{}", is_sparse ? kSparsePrefix : kDensePrefix,
                                   kRowsOfGroup, n, k, tail),
                       "sm_90", kWarpgroup, ptx_names(is_sparse, {kRowsOfGroup, n, k}, tail), wgmma,
                       false);
        }
      }
    }
  }
}

}  // namespace heddle::form
