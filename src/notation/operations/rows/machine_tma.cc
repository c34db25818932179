// Machines: copies by the tensor memory accelerator, and descriptors of matrices in shared memory.

#include <optional>
#include <string>
#include <utility>

#include "heddle/notation/machine.h"
#include "notation/operations/binding.h"

namespace heddle::notation {
namespace {

constexpr const char* kTensorMemory = "tensor maps and matrix descriptors";

/// `16`, `"f16"`: the element of a tensor map.
struct Element {
  machine::TmaElement element;
};

}  // namespace

template <>
struct Reader<Element> : SharedReader<Element> {
  static constexpr std::string_view kDescription = R"(a number of bits, or a type as in "f16")";
  static constexpr TextIs kText = TextIs::kName;
  static std::optional<Value> make(const Value& value) {
    if (value.is_integer() || value.is<std::string>()) return value;
    return std::nullopt;
  }
  static Result<Element> read(const Value& value) {
    if (const auto* type = value.get_if<std::string>()) {
      HEDDLE_TRY(const machine::TmaElement element, machine::tma_element(*type));
      return Element{element};
    }
    HEDDLE_TRY(const std::int64_t bits, constant(value.get<IntTuple>().leaf()));
    HEDDLE_TRY(const machine::TmaElement element, machine::tma_element(bits));
    return Element{element};
  }
};

namespace {

using machine::MatrixDescriptor;

auto of_copy(Report (*report)(const machine::TmaCopy&)) {
  return [report](const map::AnyLayout& global, const map::AnyLayout& shared,
                  const Element& element, std::optional<IntList> global_shape,
                  std::optional<Region> global_region, std::optional<IntList> shared_shape,
                  std::optional<Region> shared_region) -> Result<Report> {
    const machine::TensorPart from{global, std::move(global_shape), std::move(global_region)};
    const machine::TensorPart to{shared, std::move(shared_shape), std::move(shared_region)};
    HEDDLE_TRY(const machine::TmaCopy copy, machine::tma_descriptor(from, to, element.element));
    return report(copy);
  };
}

void add_tensor_maps(const Rows& add) {
  add({.call = "tma_descriptor(global, shared, element, global_shape, global_region, "
               "shared_shape, shared_region)",
       .summary = "The tensor map and the instructions that copy a region of global memory to "
                  "shared memory, or the rule of the hardware that is in the way.",
       .example = {"tma_descriptor((256,64):(64,1), (64,64):(64,1), 16, "
                   "global_region=[[64,128],[0,64]])",
                   "1 instruction of 8192 bytes\n"
                   "  tensor map  UINT16, rank 2, swizzle NONE\n"
                   "    address   global + 0\n"
                   "    extents   (64,256)\n"
                   "    strides   (128) bytes\n"
                   "    box       (64,64)\n"
                   "  copy        box at (0, 64) -> shared + 0\n"
                   "  needs       global address: a multiple of 16; shared address: of 128"}},
      of_copy(notation::report_of));
  add({.call = "tma_steps(global, shared, element, global_shape, global_region, shared_shape, "
               "shared_region)",
       .summary = "The same, with the steps by which it is found and the rules that it keeps.",
       .example =
           {"tma_steps((8,64):(64,1), (8,64):(64,1), 16)",
            "global    [0,8) x [0,64) of the global tensor is sliced. -> S[(512):(1@m)]\n"
            "shared    [0,8) x [0,64) of the shared tensor is sliced. -> S[(512):(1@m)]\n"
            "digits    Both parts are cut where either one changes its step. -> 64 (global 1, "
            "shared 1), 8 (global 64, shared 64)\n"
            "swizzle   Shared memory is not swizzled: a row is any multiple of 16 bytes. -> NONE\n"
            "box       The longest run of digits without a gap in shared memory has 512 elements; "
            "the rest takes 1 instruction. -> 64 x 8\n"
            "rule      rank: 2 <= 5 holds.\n"
            "rule      box 0: 64 <= 256 holds.\n"
            "rule      box 1: 8 <= 256 holds.\n"
            "rule      bytes of a row: 16 | 128 holds.\n"
            "rule      extent 0: 64 <= 4294967296 holds.\n"
            "rule      extent 1: 8 <= 4294967296 holds.\n"
            "rule      stride 1: 16 | 128 holds.\n"
            "rule      stride 1: 128 < 1099511627776 holds.\n"
            "rule      the first instruction in shared memory: 128 | 0 holds.\n"
            "1 instruction of 1024 bytes\n"
            "  tensor map  UINT16, rank 2, swizzle NONE\n"
            "    address   global + 0\n"
            "    extents   (64,8)\n"
            "    strides   (128) bytes\n"
            "    box       (64,8)\n"
            "  copy        box at (0, 0) -> shared + 0\n"
            "  needs       global address: a multiple of 16; shared address: of 128"}},
      of_copy(notation::report_of_steps));
}

auto with_major(Result<MatrixDescriptor> (*make)(const map::AnyLayout&, int, machine::Major,
                                                 std::optional<std::vector<Int>>)) {
  return [make](const map::AnyLayout& layout, int element_bits, const std::string& major,
                std::int64_t address, std::optional<IntList> shape) -> Result<Report> {
    HEDDLE_TRY(const machine::Major dimension, machine::major_named(major));
    HEDDLE_TRY(const MatrixDescriptor descriptor,
               make(layout, element_bits, dimension, std::move(shape)));
    return notation::report_of(descriptor, address);
  };
}

void add_descriptors(const Rows& add) {
  add({.call = "wgmma_descriptor(layout, element_bits, major, address=0, shape)",
       .summary = "The matrix descriptor of an operand of wgmma, a tile (MN,K) in shared memory.",
       .example = {R"(wgmma_descriptor(Sw<3,3,3> o 0 o (64,16):(64,1), 16, "K"))",
                   "wgmma descriptor, K major, swizzle 128B\n"
                   "  start    (address + 0) >> 4\n"
                   "  leading  16 bytes, field 1\n"
                   "  stride   1024 bytes, field 64\n"
                   "  type     1\n"
                   "  bits     0x4000004000010000 at address 0"}},
      with_major(machine::wgmma_descriptor));
  add({.call = "umma_descriptor(layout, element_bits, major, address=0, shape)",
       .summary = "The matrix descriptor of an operand of tcgen05.mma, a tile (MN,K).",
       .example = {R"(umma_descriptor(Sw<3,3,3> o 0 o (64,16):(1,64), 16, "MN"))",
                   "tcgen05 descriptor, MN major, swizzle 128B\n"
                   "  start    (address + 0) >> 4\n"
                   "  leading  0 bytes, field 0\n"
                   "  stride   1024 bytes, field 64\n"
                   "  type     2\n"
                   "  bits     0x4000404000000000 at address 0"}},
      with_major(machine::umma_descriptor));
}

}  // namespace

void add_machine_tma_operations(std::vector<Operation>& table) {
  add_tensor_maps({table, kTensorMemory});
  add_descriptors({table, kTensorMemory});
}

}  // namespace heddle::notation
