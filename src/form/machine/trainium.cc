// Trainium's tensor engine: nc_matmul computes stationary.T @ moving. Both have the contraction on
// the partitions of SBUF; the result has M on the partitions of PSUM and N in one of its banks.

#include "form/machine/families.h"

namespace heddle::form {
namespace {

constexpr std::int64_t kTrainiumPartitions = 128;
constexpr std::int64_t kTrainiumMoving = 512;

Instruction trainium_matmul(const std::string& type, int bits) {
  const auto in_sbuf = [](std::string_view free, std::int64_t size) {
    return Fragment({"P", "F"}, {"k", free}, {{"P", "k", kTrainiumPartitions}, {"F", free, size}});
  };
  return {
      .name = "nc_matmul",
      .machine = "trainium1",
      .shape = {kTrainiumPartitions, kTrainiumMoving, kTrainiumPartitions},
      .operands = {{"A", type, bits, in_sbuf("row", kTrainiumPartitions), bits,
                    "stationary, transposed, in SBUF"},
                   {"B", type, bits, in_sbuf("col", kTrainiumMoving), bits, "moving, in SBUF"},
                   {"D", "fp32", 32,
                    Fragment({"P", "F", "Bank"}, {"row", "col"},
                             {{"P", "row", kTrainiumPartitions}, {"F", "col", kTrainiumMoving}}),
                    32, "result, in one bank of PSUM"}},
      .source = "NKI, nki.isa.nc_matmul",
      .note = "these are the largest sizes; smaller operands keep the same places",
      .takes_smaller = true};
}

}  // namespace

void list_trainium(InstructionListings& listings) {
  using Type = std::pair<const char*, int>;
  for (const auto& [type, bits] :
       {Type{"fp8", 8}, Type{"fp16", 16}, Type{"bf16", 16}, Type{"tf32", 32}, Type{"fp32", 32}}) {
    listings.push_back(
        {"nc_matmul", "trainium1", 1, 0, [type, bits] { return trainium_matmul(type, bits); }});
  }
}

}  // namespace heddle::form
