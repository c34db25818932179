// Finds where in swizzled shared memory the registers of an operand of mma.sync lie.

#include <heddle/linear/encoding_choice.h>

#include <iostream>

namespace {

using namespace heddle;
using namespace heddle::linear;

Result<void> print_offsets() {
  const NvidiaMmaEncoding mma{.warps_per_cta = {2, 2}, .instr_shape = {16, 8}};
  const DotOperandEncoding operand = dot_operand_of(mma, /*op_idx=*/0, /*k_width=*/2);
  const Sizes shape{32, 64};
  HEDDLE_TRY(const SwizzledSharedEncoding shared,
             swizzled_shared_encoding(operand, shape, /*order=*/{1, 0}, /*element_bits=*/16));
  std::cout << Encoding(shared) << "\n";

  HEDDLE_TRY(const LinearLayout registers, to_linear_layout(operand, shape));
  HEDDLE_TRY(const LinearLayout offsets, to_linear_layout(shared, shape));
  HEDDLE_TRY(const LinearLayout places, invert_and_compose(registers, offsets));
  for (const int lane : {0, 1, 4, 8}) {
    HEDDLE_TRY(const NamedSizes place,
               places.apply({{"register", 0}, {"lane", lane}, {"warp", 0}, {"block", 0}}));
    std::cout << "lane " << lane << ": " << place[0].first << " " << place[0].second << "\n";
  }
  return {};
}

}  // namespace

int main() {
  const Result<void> printed = print_offsets();
  if (!printed) std::cerr << printed.error() << "\n";
  return printed ? 0 : 1;
}
