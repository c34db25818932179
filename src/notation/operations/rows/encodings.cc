// Encodings: what each means as a linear layout, and the names that Gluon has for them.

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "heddle/linear/encoding.h"
#include "heddle/linear/encoding_choice.h"
#include "heddle/linear/encoding_counts.h"
#include "heddle/map/convert.h"
#include "heddle/notation/any_layout.h"
#include "heddle/notation/triton.h"
#include "notation/operations/any_layout.h"
#include "notation/operations/binding.h"
#include "notation/value/as_datum.h"
#include "notation/value/constants.h"

namespace heddle::notation {
namespace {

using linear::Encoding;
using linear::LinearLayout;
using linear::Sizes;

constexpr const char* kMeaning = "encodings";
constexpr const char* kGluon = "encodings in Gluon";

constexpr const char* kExample =
    "to_linear(#ttg.blocked<{sizePerThread = [1, 2], threadsPerWarp = [2, 2], "
    "warpsPerCTA = [1, 1], order = [1, 0]}>, [2, 4])";
constexpr const char* kExampleResult =
    " - register=1 -> (0, 1)\n - lane=1 -> (0, 2)\n   lane=2 -> (1, 0)\n"
    " - warp is a size 1 dimension\n - block is a size 1 dimension\n"
    "where out dims are: [dim0 (size 2), dim1 (size 4)]";

void add_meaning(std::vector<Operation>& table) {
  const auto to_linear = [](const Encoding& encoding, const Sizes& shape) {
    return linear::to_linear_layout(encoding, shape);
  };
  table.push_back(operation("to_linear", kMeaning, {"encoding", "shape"},
                            "The linear layout of a tensor of that shape; of padded_shared that "
                            "before the padding.",
                            kExample, kExampleResult, to_linear));
  table.push_back(
      operation("encoding_to_linear_layout", kMeaning, {"encoding", "shape"}, "The same.",
                std::string("encoding_") + std::string(kExample).replace(0, 9, "to_linear_layout"),
                kExampleResult, to_linear));
}

/// The fields that were given, by the names of the parameters.
class FieldList {
 public:
  explicit FieldList(std::string_view kind) { fields_.emplace_back("kind", std::string(kind)); }

  template <class T>
  FieldList& add(std::string_view name, const T& content) {
    fields_.emplace_back(std::string(name), datum(content));
    return *this;
  }
  template <class T>
  FieldList& add(std::string_view name, const std::optional<T>& content) {
    return content ? add(name, *content) : *this;
  }

  [[nodiscard]] Result<Encoding> encoding() const { return encoding_of(Datum(fields_)); }

 private:
  static Datum datum(const Sizes& sizes) { return list_of(sizes); }
  static Datum datum(const Encoding& encoding) { return to_datum(encoding); }
  static Datum datum(const LinearLayout& layout) { return to_datum(layout); }
  /// What is no datum is refused where the field is read.
  static Datum datum(const Value& value) {
    return as_datum(value).value_or(Datum(std::string(kind_name(value))));
  }

  Datum::Fields fields_;
};

using Optional = std::optional<Value>;

/// `cga_layout`, or the three lists that were written before it.
struct CtaArguments {
  const Optional& cga_layout;
  const Optional& ctas_per_cga;
  const Optional& cta_split_num;
  const Optional& cta_order;
};

FieldList& add_ctas(FieldList& fields, const CtaArguments& ctas) {
  return fields.add("cga_layout", ctas.cga_layout)
      .add("ctas_per_cga", ctas.ctas_per_cga)
      .add("cta_split_num", ctas.cta_split_num)
      .add("cta_order", ctas.cta_order);
}

void add_distributed(std::vector<Operation>& table) {
  table.push_back(operation(
      "BlockedLayout", kGluon,
      {"size_per_thread", "threads_per_warp", "warps_per_cta", "order", "cga_layout",
       "ctas_per_cga", "cta_split_num", "cta_order"},
      "#ttg.blocked.", "gl.BlockedLayout([1, 4], [4, 8], [4, 1], [1, 0])",
      "#ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], "
      "order = [1, 0]}>",
      [](const Sizes& size, const Sizes& threads, const Sizes& warps, const Sizes& order,
         const Optional& cga, const Optional& ctas, const Optional& split,
         const Optional& cta_order) {
        FieldList fields("blocked");
        fields.add("size_per_thread", size).add("threads_per_warp", threads);
        fields.add("warps_per_cta", warps).add("order", order);
        return add_ctas(fields, {cga, ctas, split, cta_order}).encoding();
      }));
  table.push_back(operation(
      "SliceLayout", kGluon, {"dim", "parent"}, "#ttg.slice.",
      "gl.SliceLayout(1, gl.BlockedLayout([1, 4], [4, 8], [4, 1], [1, 0]))",
      "#ttg.slice<{dim = 1, parent = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, "
      "8], warpsPerCTA = [4, 1], order = [1, 0]}>}>",
      [](const Value& dim, const Encoding& parent) {
        return FieldList("slice").add("dim", dim).add("parent", parent).encoding();
      }));
  table.push_back(operation(
      "NVMMADistributedLayout", kGluon,
      {"version", "warps_per_cta", "instr_shape", "cga_layout", "ctas_per_cga", "cta_split_num",
       "cta_order"},
      "#ttg.nvidia_mma.", "gl.NVMMADistributedLayout([2, 0], [4, 1], [16, 8])",
      "#ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = "
      "[16, 8]}>",
      [](const Sizes& version, const Sizes& warps, const Sizes& instr, const Optional& cga,
         const Optional& ctas, const Optional& split, const Optional& cta_order) {
        FieldList fields("nvidia_mma");
        fields.add("version", version).add("warps_per_cta", warps).add("instr_shape", instr);
        return add_ctas(fields, {cga, ctas, split, cta_order}).encoding();
      }));
  table.push_back(operation(
      "DotOperandLayout", kGluon, {"operand_index", "parent", "k_width=0"}, "#ttg.dot_op.",
      "gl.DotOperandLayout(0, gl.NVMMADistributedLayout([2, 0], [4, 1], [16, 8]), 2)",
      "#ttg.dot_op<{opIdx = 0, parent = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, "
      "warpsPerCTA = [4, 1], instrShape = [16, 8]}>, kWidth = 2}>",
      [](const Value& index, const Encoding& parent, const Optional& k_width) {
        FieldList fields("dot_op");
        return fields.add("opIdx", index).add("parent", parent).add("kWidth", k_width).encoding();
      }));
}

/// Bases of a list each, over dim0, dim1, … of that shape.
Result<LinearLayout> layout_over(const std::vector<std::pair<const char*, Value>>& ins,
                                 const Sizes& shape) {
  Datum::Fields fields;
  for (const auto& [name, vectors] : ins) {
    const std::optional<Datum> datum = as_datum(vectors);
    if (!datum) {
      return refuse("call.type", fmt::format("the bases of {} are {}; a list of lists is needed",
                                             name, kind_name(vectors)));
    }
    fields.emplace_back(name, *datum);
  }
  const auto bases = bases_of(Datum(fields));
  if (!bases) return refuse("call.type", "bases are a list of lists of integers: [[0, 1], [0, 2]]");
  return LinearLayout::make(*bases, linear::standard_out_dim_pairs(shape));
}

/// What a layout of shared memory says: of Triton, or of a system that goes the other way, from the
/// element to its offset. Nothing for lists of bases.
Result<std::optional<LinearLayout>> shared_layout(const Value& value) {
  HEDDLE_TRY(const auto known, as_any_layout(value));
  const bool is_layout = known && !known->is<form::Table>();
  if (!is_layout) return std::nullopt;
  LinearLayout layout;
  if (const auto* linear = known->get_if<LinearLayout>()) {
    layout = *linear;
  } else {
    HEDDLE_TRY(const map::AnyLayout any, to_any_layout(*known));
    HEDDLE_TRY(const map::Converted converted,
               map::convert(any, map::System::kLinear, {map::Reading::kMemory, {}, {}}));
    layout = std::get<LinearLayout>(converted.layout);
  }
  // Both dimensions are there, of size 1 where nothing is said of one.
  linear::Bases bases = {{"offset", {}}, {"block", {}}};
  for (const linear::InBases& in : layout.bases()) {
    const auto wanted = std::ranges::find(bases, in.name, &linear::InBases::name);
    if (wanted != bases.end()) {
      wanted->vectors = in.vectors;
    } else if (!in.vectors.empty()) {
      return refuse("encoding.field",
                    fmt::format("a layout with the input {} is none of shared memory, which has "
                                "offset and block",
                                in.name));
    }
  }
  HEDDLE_TRY(LinearLayout shared, LinearLayout::make(bases, layout.out_dim_sizes()));
  return shared;
}

Value no_bases() { return Value(Datum(Datum::List{})); }

void add_linear(std::vector<Operation>& table) {
  table.push_back(operation(
      "DistributedLinearLayout", kGluon,
      {"reg_bases", "lane_bases", "warp_bases", "block_bases", "shape"}, "#ttg.linear.",
      "gl.DistributedLinearLayout(reg_bases=[[0,1]], lane_bases=[[1,0]], warp_bases=[], "
      "block_bases=[], shape=[2,2])",
      "#ttg.linear<{register = [[0, 1]], lane = [[1, 0]], warp = [], block = []}>",
      [](const Value& registers, const Value& lanes, const Value& warps, const Value& blocks,
         const Sizes& shape) -> Result<Encoding> {
        HEDDLE_TRY(
            LinearLayout layout,
            layout_over(
                {{"register", registers}, {"lane", lanes}, {"warp", warps}, {"block", blocks}},
                shape));
        return Encoding(linear::LinearEncoding{std::move(layout)});
      }));
  table.push_back(
      operation("SharedLinearLayout", kGluon, {"offset_bases", "block_bases", "alignment=16"},
                "#ttg.shared_linear. In place of bases also a layout of memory of any system.",
                "gl.SharedLinearLayout([[0,1],[1,0]])",
                "#ttg.shared_linear<{offset = [[0, 1], [1, 0]]}, alignment = 16>",
                [](const Value& offsets, const Optional& blocks,
                   const Optional& alignment) -> Result<Encoding> {
                  FieldList fields("shared_linear");
                  HEDDLE_TRY(const auto layout, shared_layout(offsets));
                  if (layout && !blocks) {
                    fields.add("layout", *layout);
                  } else {
                    fields.add("offset", offsets).add("block", blocks.value_or(no_bases()));
                  }
                  return fields.add("alignment", alignment).encoding();
                }));
}

void add_shared(std::vector<Operation>& table) {
  table.push_back(operation(
      "NVMMASharedLayout", kGluon,
      {"swizzle_byte_width", "element_bitwidth", "rank=2", "transposed=false", "fp4_padded=false",
       "cga_layout", "ctas_per_cga", "cta_split_num", "cta_order"},
      "#ttg.nvmma_shared.", "gl.NVMMASharedLayout(swizzle_byte_width=128, element_bitwidth=16)",
      "#ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>",
      [](const Value& width, const Value& bits, const Optional& rank, const Optional& transposed,
         const Optional& fp4_padded, const Optional& cga, const Optional& ctas,
         const Optional& split, const Optional& cta_order) {
        FieldList fields("nvmma_shared");
        fields.add("swizzle_byte_width", width).add("element_bitwidth", bits).add("rank", rank);
        fields.add("transposed", transposed).add("fp4_padded", fp4_padded);
        return add_ctas(fields, {cga, ctas, split, cta_order}).encoding();
      }));
  table.push_back(
      operation("SwizzledSharedLayout", kGluon,
                {"vec", "per_phase", "max_phase", "order", "cga_layout", "ctas_per_cga",
                 "cta_split_num", "cta_order"},
                "#ttg.swizzled_shared.", "gl.SwizzledSharedLayout(8, 1, 8, [1, 0])",
                "#ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>",
                [](const Value& vec, const Value& per_phase, const Value& max_phase,
                   const Sizes& order, const Optional& cga, const Optional& ctas,
                   const Optional& split, const Optional& cta_order) {
                  FieldList fields("swizzled_shared");
                  fields.add("vec", vec).add("per_phase", per_phase).add("max_phase", max_phase);
                  fields.add("order", order);
                  return add_ctas(fields, {cga, ctas, split, cta_order}).encoding();
                }));
  table.push_back(
      operation("PaddedSharedLayout", kGluon,
                {"interval_padding_pairs", "offset_bases", "block_bases", "shape", "cga_layout"},
                "#ttg.padded_shared of these bases; block_bases is also called "
                "cga_layout.",
                "gl.PaddedSharedLayout([[2, 1]], [[0,1],[1,0]], [], [2, 2])",
                "#ttg.padded_shared<[2:+1] {order = [1, 0], shape = [2, 2]}>",
                [](const Value& pairs, const Value& offsets, const Optional& blocks,
                   const Sizes& shape, const Optional& cga) -> Result<Encoding> {
                  if (blocks && cga) {
                    return refuse("call.keyword",
                                  "PaddedSharedLayout is given block_bases and "
                                  "cga_layout, which are the same");
                  }
                  const Value ctas = blocks ? *blocks : cga.value_or(no_bases());
                  HEDDLE_TRY(const LinearLayout layout,
                             layout_over({{"offset", offsets}, {"block", ctas}}, shape));
                  return FieldList("padded_shared")
                      .add("paddings", pairs)
                      .add("layout", Value(layout))
                      .encoding();
                }));
  table.push_back(operation(
      "with_identity_for", kGluon, {"interval_padding_pairs", "shape", "order"},
      "#ttg.padded_shared whose offsets run through the shape in that order.",
      "gl.PaddedSharedLayout.with_identity_for([[512, 16]], [16, 32], [1, 0])",
      "#ttg.padded_shared<[512:+16] {order = [1, 0], shape = [16, 32]}>",
      [](const Value& pairs, const Sizes& shape, const Sizes& order) {
        FieldList fields("padded_shared");
        return fields.add("paddings", pairs).add("order", order).add("shape", shape).encoding();
      }));
  table.push_back(
      operation("TensorMemoryLayout", kGluon,
                {"block", "col_stride=1", "cga_layout", "two_ctas=false", "fp4_padded=false"},
                "#ttng.tensor_memory_encoding.", "TensorMemoryLayout((128, 64), col_stride=1)",
                "#ttng.tensor_memory_encoding<blockM = 128, blockN = 64, colStride = 1>",
                [](const Sizes& block, const Optional& col_stride, const Optional& cga,
                   const Optional& two_ctas, const Optional& fp4_padded) {
                  FieldList fields("tensor_memory_encoding");
                  fields.add("block", block).add("col_stride", col_stride).add("cga_layout", cga);
                  return fields.add("two_ctas", two_ctas).add("fp4_padded", fp4_padded).encoding();
                }));
}

// What encodings take of the hardware.

constexpr const char* kCounting = "what encodings take";

void add_counting(std::vector<Operation>& table) {
  const auto add_count =
      [&](const char* name, const char* summary, const char* result,
          Result<std::int64_t> (*count)(const Encoding&, std::span<const std::int64_t>)) {
        table.push_back(operation(
            name, kCounting, {"encoding", "shape"}, summary,
            fmt::format("{}(gl.BlockedLayout([2,4], [16,2], [2,2], [1,0]), [128,128])", name),
            result, [count](const Encoding& encoding, const Sizes& shape) -> Result<Int> {
              HEDDLE_TRY(const std::int64_t number, count(encoding, shape));
              return Int(number);
            }));
      };
  add_count("total_elems_per_thread", "Elements that one thread holds.", "128",
            linear::total_elems_per_thread);
  add_count("unique_elems_per_thread", "Without those that repeat others.", "128",
            linear::unique_elems_per_thread);
  add_count("total_threads", "Threads of all warps and CTAs.", "128", linear::total_threads);
  const auto add_padded =
      [&](const char* name, const char* parameter, const char* summary, const char* result,
          Result<std::int64_t> (*function)(const linear::PaddedSharedEncoding&, std::int64_t)) {
        table.push_back(operation(
            name, kCounting, {"encoding", parameter}, summary,
            fmt::format("{}(gl.PaddedSharedLayout.with_identity_for([[4, 2]], [4, 4], [1, 0]), 6)",
                        name),
            result, [name, function](const Encoding& encoding, const Int& number) -> Result<Int> {
              const auto* padded = encoding.get_if<linear::PaddedSharedEncoding>();
              if (padded == nullptr || !number.is_constant()) {
                return refuse("call.type",
                              fmt::format("{} takes a padded_shared encoding and a number", name));
              }
              HEDDLE_TRY(const std::int64_t place, function(*padded, number.value()));
              return Int(place);
            }));
      };
  add_padded("padded_offset", "offset",
             "Where the element of a linear offset lies in a padded buffer.", "8",
             linear::padded_offset);
  add_padded("padded_size", "elements", "The elements that a padded buffer of so many takes.", "8",
             linear::padded_size);
  table.push_back(
      operation("shared_memory_image", kCounting, {"layout"},
                "For each offset the element that is stored there, by its row-major number.",
                "shared_memory_image(to_linear(gl.SwizzledSharedLayout(1, 1, 2, [1, 0]), [2, 4]))",
                "[0,1,2,3,5,4,7,6]", [](const LinearLayout& layout) -> Result<Datum> {
                  HEDDLE_TRY(const auto image, linear::shared_memory_image(layout));
                  return list_of(image);
                }));
}

// What Triton chooses where the program says nothing.

constexpr const char* kChoosing = "chosen encodings";

Result<linear::Threads> threads_of(const std::optional<Int>& warps,
                                   const std::optional<Int>& threads_per_warp,
                                   const std::optional<Int>& ctas) {
  linear::Threads threads;
  const auto set = [](std::int64_t& number, const std::optional<Int>& given) -> Result<void> {
    if (!given) return {};
    if (!given->is_constant()) return refuse("call.type", "numbers of threads are constants");
    number = given->value();
    return {};
  };
  HEDDLE_CHECK(set(threads.warps, warps));
  HEDDLE_CHECK(set(threads.threads_per_warp, threads_per_warp));
  HEDDLE_CHECK(set(threads.ctas, ctas));
  return threads;
}

template <class T>
Result<Encoding> as_encoding(Result<T> encoding) {
  if (!encoding) return refuse(std::move(encoding).error());
  return Encoding(*std::move(encoding));
}

Result<std::int64_t> element_width(const Int& bits) {
  if (bits.is_constant()) return bits.value();
  return refuse("call.type", "the width of an element is a constant");
}

void add_choosing(std::vector<Operation>& table) {
  table.push_back(operation(
      "blocked_encoding", kChoosing,
      {"shape", "size_per_thread", "order", "num_warps=4", "threads_per_warp=32", "num_ctas=1"},
      "Threads dealt out along the order until each dimension is full.",
      "blocked_encoding([16, 32], [1, 4], [1, 0])",
      "#ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], "
      "order = [1, 0]}>",
      [](const Sizes& shape, const Sizes& size, const Sizes& order, const std::optional<Int>& warps,
         const std::optional<Int>& lanes, const std::optional<Int>& ctas) -> Result<Encoding> {
        HEDDLE_TRY(const linear::Threads threads, threads_of(warps, lanes, ctas));
        return as_encoding(linear::blocked_encoding(shape, size, order_of(order), threads));
      }));
  table.push_back(operation(
      "default_blocked_encoding", kChoosing,
      {"shape", "num_warps=4", "threads_per_warp=32", "num_ctas=1"},
      "What a tensor gets that no access has shaped yet.", "default_blocked_encoding([16, 32])",
      "#ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 32], warpsPerCTA = [4, 1], "
      "order = [1, 0]}>",
      [](const Sizes& shape, const std::optional<Int>& warps, const std::optional<Int>& lanes,
         const std::optional<Int>& ctas) -> Result<Encoding> {
        HEDDLE_TRY(const linear::Threads threads, threads_of(warps, lanes, ctas));
        return as_encoding(linear::default_blocked_encoding(shape, threads));
      }));
  table.push_back(operation(
      "coalesced_encoding", kChoosing,
      {"shape", "order", "element_bits", "num_warps=4", "threads_per_warp=32", "num_ctas=1"},
      "What an access to global memory gets that is contiguous and aligned along order[0].",
      "coalesced_encoding([128, 64], [1, 0], 16)",
      "#ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], "
      "order = [1, 0]}>",
      [](const Sizes& shape, const Sizes& order, const Int& bits, const std::optional<Int>& warps,
         const std::optional<Int>& lanes, const std::optional<Int>& ctas) -> Result<Encoding> {
        HEDDLE_TRY(const linear::Threads threads, threads_of(warps, lanes, ctas));
        HEDDLE_TRY(const std::int64_t width, element_width(bits));
        return as_encoding(linear::coalesced_encoding(shape, order_of(order), width, threads));
      }));
  table.push_back(operation(
      "swizzled_shared_encoding", kChoosing, {"operand", "shape", "order", "element_bits"},
      "The shared memory from which ldmatrix loads that operand of an MMA without bank conflicts.",
      "swizzled_shared_encoding(gl.DotOperandLayout(0, gl.NVMMADistributedLayout([2, 0], [2, 2], "
      "[16, 8]), 2), [128, 32], [1, 0], 16)",
      "#ttg.swizzled_shared<{vec = 8, perPhase = 2, maxPhase = 4, order = [1, 0]}>",
      [](const Encoding& encoding, const Sizes& shape, const Sizes& order,
         const Int& bits) -> Result<Encoding> {
        const auto* operand = encoding.get_if<linear::DotOperandEncoding>();
        if (operand == nullptr) {
          return refuse("call.type", fmt::format("swizzled_shared_encoding takes a dot_op, not {}",
                                                 encoding.kind()));
        }
        HEDDLE_TRY(const std::int64_t width, element_width(bits));
        return as_encoding(
            linear::swizzled_shared_encoding(*operand, shape, order_of(order), width));
      }));
  table.push_back(operation(
      "nvmma_shared_encoding", kChoosing, {"shape", "order", "element_bits"},
      "The nvmma_shared with the widest swizzle that the rows, along order[0], fill.",
      "nvmma_shared_encoding([128, 32], [1, 0], 16)",
      "#ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = false, elementBitWidth = 16}>",
      [](const Sizes& shape, const Sizes& order, const Int& bits) -> Result<Encoding> {
        HEDDLE_TRY(const std::int64_t width, element_width(bits));
        return as_encoding(linear::nvmma_shared_encoding(shape, order_of(order), width));
      }));
  table.push_back(operation(
      "sm120_dot_scaled_scale_layout", kChoosing, {"shape", "op_idx", "warps_per_cta"},
      "The registers with the scale factors of a block-scaled mma.sync; A is 0 and B is 1.",
      "sm120_dot_scaled_scale_layout([16, 2], 0, [1, 1])",
      " - register=1 -> (0, 1)\n - lane=1 -> (8, 0)\n   lane=2 -> (0, 0)\n"
      "   lane=4 -> (1, 0)\n   lane=8 -> (2, 0)\n   lane=16 -> (4, 0)\n"
      " - warp is a size 1 dimension\n - block is a size 1 dimension\n"
      "where out dims are: [dim0 (size 16), dim1 (size 2)]",
      [](const Sizes& shape, const Int& op_idx, const Sizes& warps) -> Result<LinearLayout> {
        const bool is_b = op_idx == Int(1);
        if (!is_b && op_idx != Int(0)) {
          return refuse("call.type", "op_idx is 0 for A and 1 for B");
        }
        return linear::sm120_dot_scaled_scale_layout(shape, is_b ? 1 : 0, warps);
      }));
  table.push_back(operation(
      "recognize_nvmma_shared", kChoosing, {"layout", "element_bit_width"},
      "The nvmma_shared that a shared layout is.",
      "recognize_nvmma_shared(to_linear(gl.NVMMASharedLayout(64, 16), [64, 32]), 16)",
      "#ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = false, elementBitWidth = 16}>",
      [](const LinearLayout& layout, const Int& bits) -> Result<Encoding> {
        HEDDLE_TRY(const std::int64_t width, element_width(bits));
        return as_encoding(linear::recognize_nvmma_shared(layout, width));
      }));
}

}  // namespace

void add_encoding_operations(std::vector<Operation>& table) {
  add_meaning(table);
  add_counting(table);
  add_choosing(table);
  add_distributed(table);
  add_linear(table);
  add_shared(table);
}

}  // namespace heddle::notation
