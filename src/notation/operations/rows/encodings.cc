// Encodings: their linear layouts, and Gluon's names for them.

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
#include "notation/value/constants.h"
#include "notation/value/data.h"

namespace heddle::notation {
namespace {

using linear::Encoding;
using linear::LinearLayout;
using linear::Sizes;

constexpr const char* kGluon = "encodings in Gluon";

constexpr const char* kExample =
    "to_linear(#ttg.blocked<{sizePerThread = [1, 2], threadsPerWarp = [2, 2], warpsPerCTA = [1, "
    "1], order = [1, 0]}>, [2, 4])";
constexpr const char* kExampleResult =
    " - register=1 -> (0, 1)\n - lane=1 -> (0, 2)\n   lane=2 -> (1, 0)\n"
    " - warp is a size 1 dimension\n - block is a size 1 dimension\n"
    "where out dims are: [dim0 (size 2), dim1 (size 4)]";

void add_meaning(const Rows& add) {
  const auto to_linear = linear::to_linear_layout;
  add({.call = "to_linear(encoding, shape)",
       .summary =
           "The linear layout of a tensor of that shape; of padded_shared that before the padding.",
       .example = {kExample, kExampleResult}},
      to_linear);
  add({.call = "encoding_to_linear_layout(encoding, shape)",
       .summary = "The same.",
       .example = {std::string("encoding_") +
                       std::string(kExample).replace(0, 9, "to_linear_layout"),
                   kExampleResult}},
      to_linear);
}

using Optional = std::optional<Value>;

Datum datum_of(const Sizes& sizes) { return list_of(sizes); }
Datum datum_of(const Encoding& encoding) { return to_datum(encoding); }
/// A value that is no datum is refused later, when the field is read.
Datum datum_of(const Value& value) {
  return datum_if_data(value).value_or(Datum(std::string(kind_name(value))));
}

/// Adds a field if it is given.
template <class T>
void add_field(Datum::Fields& fields, std::string_view name, const T& content) {
  fields.emplace_back(std::string(name), datum_of(content));
}
void add_field(Datum::Fields& fields, std::string_view name, const Optional& content) {
  if (content) add_field(fields, name, *content);
}

/// Adds a row that makes an encoding from the given fields, named like its parameters.
template <class... Types>
void add_encoding(const Rows& add, std::string_view kind, Row row) {
  const std::vector<std::string> names = row.parameter_names();
  add(std::move(row), [names, kind = std::string(kind)](const Types&... contents) {
    Datum::Fields fields = {{"kind", kind}};
    auto name = names.begin();
    (add_field(fields, *name++, contents), ...);
    return encoding_of(fields);
  });
}

void add_distributed(const Rows& add) {
  add_encoding<Sizes, Sizes, Sizes, Sizes, Optional, Optional, Optional, Optional>(
      add, "blocked",
      {.call = "BlockedLayout(size_per_thread, threads_per_warp, warps_per_cta, order, cga_layout, "
               "ctas_per_cga, cta_split_num, cta_order)",
       .summary = "#ttg.blocked.",
       .example = {"gl.BlockedLayout([1, 4], [4, 8], [4, 1], [1, 0])",
                   "#ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = "
                   "[4, 1], order = [1, 0]}>"}});
  add_encoding<Value, Encoding>(
      add, "slice",
      {.call = "SliceLayout(dim, parent)",
       .summary = "#ttg.slice.",
       .example = {"gl.SliceLayout(1, gl.BlockedLayout([1, 4], [4, 8], [4, 1], [1, 0]))",
                   "#ttg.slice<{dim = 1, parent = #ttg.blocked<{sizePerThread = [1, 4], "
                   "threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>}>"}});
  add_encoding<Sizes, Sizes, Sizes, Optional, Optional, Optional, Optional>(
      add, "nvidia_mma",
      {.call = "NVMMADistributedLayout(version, warps_per_cta, instr_shape, cga_layout, "
               "ctas_per_cga, cta_split_num, cta_order)",
       .summary = "#ttg.nvidia_mma.",
       .example = {"gl.NVMMADistributedLayout([2, 0], [4, 1], [16, 8])",
                   "#ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [4, 1], "
                   "instrShape = [16, 8]}>"}});
  add_encoding<Value, Sizes, Value, Sizes, Optional, Optional, Optional, Optional, Optional,
               Optional>(
      add, "amd_mfma",
      {.call =
           "AMDMFMALayout(version, instr_shape, transposed, warps_per_cta, element_bitwidth=32, "
           "tiles_per_warp, cga_layout, ctas_per_cga, cta_split_num, cta_order)",
       .summary = "#ttg.amd_mfma.",
       .example = {"gl.amd.AMDMFMALayout(3, [32, 32, 8], true, [2, 2])",
                   "#ttg.amd_mfma<{version = 3, warpsPerCTA = [2, 2], instrShape = [32, 32, 8], "
                   "isTransposed = true}>"}});
  add_encoding<Value, Value, Optional, Optional, Optional, Optional, Optional, Optional, Optional>(
      add, "amd_wmma",
      {.call = "AMDWMMALayout(version, transposed, warp_bases, reg_bases, instr_shape, cga_layout, "
               "rank, warps_per_cta, tiles_per_warp)",
       .summary =
           "#ttg.amd_wmma; warps_per_cta is the older form of warp_bases, and tiles_per_warp "
           "of reg_bases.",
       .example = {"gl.amd.AMDWMMALayout(2, true, [[0, 1], [1, 0]])",
                   "#ttg.amd_wmma<{version = 2, isTranspose = true, ctaLayout = {warp = [[0, 1], "
                   "[1, 0]]}}>"}});
  add_encoding<Value, Encoding, Optional>(
      add, "dot_op",
      {.call = "DotOperandLayout(operand_index, parent, k_width=0)",
       .summary = "#ttg.dot_op.",
       .example = {
           "gl.DotOperandLayout(0, gl.NVMMADistributedLayout([2, 0], [4, 1], [16, 8]), 2)",
           "#ttg.dot_op<{opIdx = 0, parent = #ttg.nvidia_mma<{versionMajor = 2, "
           "versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 8]}>, kWidth = 2}>"}});
}

/// The layout with a list of bases for each input, over dim0, dim1, … of that shape.
Result<LinearLayout> layout_over(
    const std::vector<std::pair<const char*, Value>>& ins, const Sizes& shape,
    linear::Surjectivity surjectivity = linear::Surjectivity::kRequired) {
  Datum::Fields fields;
  for (const auto& [name, vectors] : ins) {
    const std::optional<Datum> datum = datum_if_data(vectors);
    if (!datum) {
      return refuse("call.type", fmt::format("the bases of {} are {}; a list of lists is needed",
                                             name, kind_name(vectors)));
    }
    fields.emplace_back(name, *datum);
  }
  const auto bases = bases_of(Datum(fields));
  if (!bases) return refuse("call.type", "bases are a list of lists of integers: [[0, 1], [0, 2]]");
  return LinearLayout::make(*bases, linear::standard_out_dim_pairs(shape), surjectivity);
}

/// The linear layout of a layout of shared memory: Triton's, or one of a system that maps the other
/// way, from the element to its offset. nullopt for lists of bases.
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
  // Both dimensions exist, of size 1 by default.
  linear::Bases bases = {{"offset", {}}, {"block", {}}};
  for (const linear::InBases& in : layout.bases()) {
    const auto wanted = std::ranges::find(bases, in.name, &linear::InBases::name);
    if (wanted != bases.end()) {
      wanted->vectors = in.vectors;
    } else if (!in.vectors.empty()) {
      return refuse(
          "encoding.field",
          fmt::format(
              "a layout with the input {} is not one of shared memory, which has offset and block",
              in.name));
    }
  }
  HEDDLE_TRY(LinearLayout shared, LinearLayout::make(bases, layout.out_dim_sizes()));
  return shared;
}

Value no_bases() { return Value(Datum(Datum::List{})); }

/// AutoLayout() and CoalescedLayout(): attributes that the compiler replaces.
void add_placeholders(const Rows& add) {
  const auto add_placeholder = [&](std::string call, std::string example, std::string attribute) {
    add({.call = std::move(call),
         .summary = fmt::format("#{}: an encoding that is not inferred yet.", attribute),
         .example = {std::move(example), "#" + attribute}},
        [attribute]() -> Result<Encoding> {
          return Encoding(linear::PlaceholderEncoding{attribute});
        });
  };
  add_placeholder("AutoLayout()", "gl.AutoLayout()", "gluon.auto_encoding");
  add_placeholder("CoalescedLayout()", "gl.CoalescedLayout()", "gluon.coalesced_encoding");
}

void add_linear(const Rows& add) {
  add({.call = "DistributedLinearLayout(reg_bases, lane_bases, warp_bases, block_bases, shape)",
       .summary = "#ttg.linear.",
       .example = {"gl.DistributedLinearLayout(reg_bases=[[0,1]], lane_bases=[[1,0]], "
                   "warp_bases=[], block_bases=[], shape=[2,2])",
                   "#ttg.linear<{register = [[0, 1]], lane = [[1, 0]], warp = [], block = []}>"}},
      [](const Value& registers, const Value& lanes, const Value& warps, const Value& blocks,
         const Sizes& shape) -> Result<Encoding> {
        HEDDLE_TRY(
            LinearLayout layout,
            layout_over(
                {{"register", registers}, {"lane", lanes}, {"warp", warps}, {"block", blocks}},
                shape));
        return Encoding(linear::LinearEncoding{std::move(layout)});
      });
  add({.call = "SharedLinearLayout(offset_bases, block_bases, alignment=16)",
       .summary = "#ttg.shared_linear. In place of bases also a layout of memory of any system.",
       .example = {"gl.SharedLinearLayout([[0,1],[1,0]])",
                   "#ttg.shared_linear<{offset = [[0, 1], [1, 0]]}, alignment = 16>"}},
      [](const Value& offsets, const Optional& blocks,
         const Optional& alignment) -> Result<Encoding> {
        Datum::Fields fields = {{"kind", "shared_linear"}};
        HEDDLE_TRY(const auto layout, shared_layout(offsets));
        if (layout && !blocks) {
          fields.emplace_back("layout", to_datum(*layout));
        } else {
          add_field(fields, "offset", offsets);
          add_field(fields, "block", blocks.value_or(no_bases()));
        }
        add_field(fields, "alignment", alignment);
        return encoding_of(fields);
      });
}

/// The width of an element: a number of bits, or a type such as gl.float16.
Result<std::int64_t> element_width(const Value& type) {
  const Datum datum = datum_of(type);
  if (datum.number() != nullptr) return *datum.number();
  const auto bits = datum.text() == nullptr ? std::nullopt : element_bit_width(*datum.text());
  if (bits) return *bits;
  return refuse("call.type", fmt::format("dtype is {}; a type of elements is needed, as gl.float16",
                                         to_string(datum)));
}

/// CTAs as the field of an encoding gives them; one CTA for none.
Result<linear::CtaLayout> ctas_of(const Optional& bases) {
  if (!bases) return linear::CtaLayout();
  const auto vectors = vectors_of(datum_of(*bases));
  if (vectors) return linear::CtaLayout{*vectors};
  return refuse("call.type", "cga_layout is a list of lists of integers: [[1, 0]]");
}

/// Gluon's order of a matrix whose rows run along the first dimension is only that dimension moved
/// to the end.
linear::Order order_of_rows(std::size_t rank, bool transposed) {
  linear::Order order(rank);
  for (std::size_t i = 0; i < rank; ++i) order[i] = static_cast<int>(rank - 1 - i);
  if (transposed && rank > 0) std::rotate(order.begin(), order.end() - 1, order.end());
  return order;
}

void add_tensor_memory_bases(const Rows& add) {
  add({.call = "_TensorMemoryLinearLayout(rows, cols, shape)",
       .summary = "A layout of tensor memory, as Gluon prints it.",
       .example = {"_TensorMemoryLinearLayout(rows=[[1, 0]], cols=[[0, 1]], shape=[2, 2])",
                   " - row=1 -> (1, 0)\n - col=1 -> (0, 1)\n"
                   "where out dims are: [dim0 (size 2), dim1 (size 2)]"}},
      [](const Value& rows, const Value& cols, const Sizes& shape) {
        // It is that of one CTA, which may have only a part of the tensor.
        return layout_over({{"row", rows}, {"col", cols}}, shape,
                           linear::Surjectivity::kNotRequired);
      });
}

void add_default_shared(const Rows& add) {
  add({.call =
           "get_default_for(block_shape, dtype, transposed=false, fp4_padded=false, cga_layout)",
       .summary = "The NVMMASharedLayout with the widest swizzle that the rows fill.",
       .example = {"gl.NVMMASharedLayout.get_default_for([128, 64], gl.float16)",
                   "#ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, "
                   "elementBitWidth = 16}>"}},
      [](const Sizes& shape, const Value& type, const bool& transposed, const bool& fp4_padded,
         const Optional& cga) -> Result<linear::NvmmaSharedEncoding> {
        HEDDLE_TRY(const std::int64_t bits, element_width(type));
        HEDDLE_TRY(const linear::CtaLayout ctas, ctas_of(cga));
        return linear::nvmma_shared_encoding(shape, order_of_rows(shape.size(), transposed), bits,
                                             fp4_padded, ctas);
      });
}

void add_shared(const Rows& add) {
  add_encoding<Value, Value, Optional, Optional, Optional, Optional, Optional, Optional, Optional>(
      add, "nvmma_shared",
      {.call = "NVMMASharedLayout(swizzle_byte_width, element_bitwidth, rank=2, transposed=false, "
               "fp4_padded=false, cga_layout, ctas_per_cga, cta_split_num, cta_order)",
       .summary = "#ttg.nvmma_shared.",
       .example = {"gl.NVMMASharedLayout(swizzle_byte_width=128, element_bitwidth=16)",
                   "#ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, "
                   "elementBitWidth = 16}>"}});
  add_encoding<Value, Value, Value, Sizes, Optional, Optional, Optional, Optional>(
      add, "swizzled_shared",
      {.call = "SwizzledSharedLayout(vec, per_phase, max_phase, order, cga_layout, ctas_per_cga, "
               "cta_split_num, cta_order)",
       .summary = "#ttg.swizzled_shared.",
       .example = {"gl.SwizzledSharedLayout(8, 1, 8, [1, 0])",
                   "#ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>"}});
  add_encoding<Value, Value, Value, Encoding>(
      add, "partitioned_shared",
      {.call = "PartitionedSharedLayout(num_partitions, num_groups, partition_dim, "
               "partition_layout)",
       .summary = "#ttg.partitioned_shared.",
       .example = {"gl.amd.gfx1250.PartitionedSharedLayout(2, 2, 0, gl.SwizzledSharedLayout(1, 1, "
                   "1, [1, 0]))",
                   "#ttg.partitioned_shared<{numPartitions = 2, numGroups = 2, partitionDim = 0, "
                   "partitionLayout = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, "
                   "order = [1, 0]}>}>"}});
  add({.call = "PaddedSharedLayout(interval_padding_pairs, offset_bases, block_bases, shape, "
               "cga_layout)",
       .summary = "#ttg.padded_shared of these bases; block_bases is also called cga_layout.",
       .example = {"gl.PaddedSharedLayout([[2, 1]], [[0,1],[1,0]], [], [2, 2])",
                   "#ttg.padded_shared<[2:+1] {order = [1, 0], shape = [2, 2]}>"}},
      [](const Value& pairs, const Value& offsets, const Optional& blocks, const Sizes& shape,
         const Optional& cga) -> Result<Encoding> {
        if (blocks && cga) {
          return refuse(
              "call.keyword",
              "PaddedSharedLayout is given block_bases and cga_layout, which are the same");
        }
        const Value ctas = blocks ? *blocks : cga.value_or(no_bases());
        HEDDLE_TRY(const LinearLayout layout,
                   layout_over({{"offset", offsets}, {"block", ctas}}, shape));
        return encoding_of(Datum::Fields{{"kind", "padded_shared"},
                                         {"paddings", datum_of(pairs)},
                                         {"layout", to_datum(layout)}});
      });
  add_encoding<Value, Sizes, Sizes, Optional>(
      add, "padded_shared",
      {.call = "with_identity_for(interval_padding_pairs, shape, order, cga_layout)",
       .summary = "#ttg.padded_shared whose offsets run through the shape in that order.",
       .example = {"gl.PaddedSharedLayout.with_identity_for([[512, 16]], [16, 32], [1, 0])",
                   "#ttg.padded_shared<[512:+16] {order = [1, 0], shape = [16, 32]}>"}});
  add_encoding<Sizes, Optional, Optional, Optional, Optional>(
      add, "tensor_memory_encoding",
      {.call =
           "TensorMemoryLayout(block, col_stride=1, cga_layout, two_ctas=false, fp4_padded=false)",
       .summary = "#ttng.tensor_memory_encoding.",
       .example = {"TensorMemoryLayout((128, 64), col_stride=1)",
                   "#ttng.tensor_memory_encoding<blockM = 128, blockN = 64, colStride = 1>"}});
  add_encoding<Optional, Optional>(
      add, "tensor_memory_scales_encoding",
      {.call = "TensorMemoryScalesLayout(cga_layout, block_rep_order)",
       .summary = "#ttng.tensor_memory_scales_encoding; the order is mnThenK or kThenMn.",
       .example = {R"(TensorMemoryScalesLayout(block_rep_order="kThenMn"))",
                   "#ttng.tensor_memory_scales_encoding<blockRepOrder = kThenMn>"}});
}

// Encodings given by hardware.

auto in_padded(std::string_view name,
               Result<std::int64_t> (*function)(const linear::PaddedSharedEncoding&,
                                                std::int64_t)) {
  return [=](const Encoding& encoding, std::int64_t number) -> Result<std::int64_t> {
    const auto* padded = encoding.get_if<linear::PaddedSharedEncoding>();
    if (padded != nullptr) return function(*padded, number);
    return refuse("call.type",
                  fmt::format("{} takes a padded_shared encoding, not {}", name, encoding.kind()));
  };
}

void add_counting(const Rows& add) {
  add({.call = "total_elems_per_thread(encoding, shape)",
       .summary = "Elements that one thread holds.",
       .example =
           {"total_elems_per_thread(gl.BlockedLayout([2,4], [16,2], [2,2], [1,0]), [128,128])",
            "128"}},
      linear::total_elems_per_thread);
  add({.call = "unique_elems_per_thread(encoding, shape)",
       .summary = "Without those that repeat others.",
       .example =
           {"unique_elems_per_thread(gl.BlockedLayout([2,4], [16,2], [2,2], [1,0]), [128,128])",
            "128"}},
      linear::unique_elems_per_thread);
  add({.call = "total_threads(encoding, shape)",
       .summary = "Threads of all warps and CTAs.",
       .example = {"total_threads(gl.BlockedLayout([2,4], [16,2], [2,2], [1,0]), [128,128])",
                   "128"}},
      linear::total_threads);
  add({.call = "padded_offset(encoding, offset)",
       .summary = "Where the element of a linear offset is in a padded buffer.",
       .example =
           {"padded_offset(gl.PaddedSharedLayout.with_identity_for([[4, 2]], [4, 4], [1, 0]), 6)",
            "8"}},
      in_padded("padded_offset", linear::padded_offset));
  add({.call = "padded_size(encoding, elements)",
       .summary = "The number of elements that a padded buffer takes.",
       .example =
           {"padded_size(gl.PaddedSharedLayout.with_identity_for([[4, 2]], [4, 4], [1, 0]), 6)",
            "8"}},
      in_padded("padded_size", linear::padded_size));
  add({.call = "shared_memory_image(layout)",
       .summary = "For each offset the element that is stored there, by its row-major number.",
       .example =
           {"shared_memory_image(to_linear(gl.SwizzledSharedLayout(1, 1, 2, [1, 0]), [2, 4]))",
            "[0,1,2,3,5,4,7,6]"}},
      linear::shared_memory_image);
}

// The scale factors of AMD's matrix instructions.

Result<linear::DotOperandEncoding> operand_in(std::string_view name, const Encoding& encoding) {
  if (const auto* operand = encoding.get_if<linear::DotOperandEncoding>()) return *operand;
  return refuse("call.type", fmt::format("{} takes a dot_op, not {}", name, encoding.kind()));
}

Result<LinearLayout> mfma_scales(const Encoding& encoding, const Sizes& shape,
                                 std::int64_t scale_factor) {
  HEDDLE_TRY(const auto operand, operand_in("get_mfma_scale_layout", encoding));
  if (scale_factor == 32) return linear::mfma_scale_layout(operand, shape);
  return refuse("encoding.parameter",
                fmt::format("get_mfma_scale_layout: scale_factor = {}; v_mfma_scale has one for 32 "
                            "elements",
                            scale_factor));
}

Result<LinearLayout> wmma_scales(const Encoding& encoding, const Sizes& shape,
                                 std::int64_t scale_factor) {
  HEDDLE_TRY(const auto operand, operand_in("get_wmma_scale_layout", encoding));
  return linear::wmma_scale_layout(operand, shape, scale_factor);
}

/// The scale factors of an instruction with `rows` rows in matrices of 2 dimensions.
Result<LinearLayout> mfma_scales_of(int op_idx, const Sizes& shape, std::int64_t rows,
                                    const Sizes& tiles, const Sizes& warps) {
  const linear::AmdMfmaEncoding mfma{
      .version = 4, .warps_per_cta = warps, .instr_shape = {rows, rows}, .tiles_per_warp = tiles};
  return linear::mfma_scale_layout(linear::dot_operand_of(mfma, op_idx), shape);
}

Result<LinearLayout> wmma_scales_of(int op_idx, const Sizes& shape, std::int64_t rows,
                                    std::int64_t columns, bool transposed,
                                    std::int64_t scale_factor, const Optional& registers,
                                    const Optional& warps, const Optional& ctas) {
  Datum::Fields fields = {{"kind", "amd_wmma"},
                          {"version", 3},
                          {"transposed", transposed},
                          {"instrShape", datum_of(Sizes{rows, columns, 128})}};
  add_field(fields, "regBases", registers.value_or(no_bases()));
  add_field(fields, "warpBases", warps.value_or(no_bases()));
  add_field(fields, "CGALayout", ctas);
  HEDDLE_TRY(Encoding wmma, encoding_of(fields));
  return linear::wmma_scale_layout(linear::dot_operand_of(std::move(wmma), op_idx), shape,
                                   scale_factor);
}

void add_amd_scales(const Rows& add) {
  constexpr const char* kOf16Rows =
      " - register is a size 1 dimension\n - lane=1 -> (1, 0)\n   lane=2 -> (2, 0)\n"
      "   lane=4 -> (4, 0)\n   lane=8 -> (8, 0)\n   lane=16 -> (0, 1)\n   lane=32 -> (0, 2)\n"
      " - warp is a size 1 dimension\n - block is a size 1 dimension\n"
      "where out dims are: [dim0 (size 16), dim1 (size 4)]";
  constexpr const char* kOf32Rows =
      " - register=1 -> (0, 1)\n   register=2 -> (0, 2)\n - lane=1 -> (1, 0)\n"
      "   lane=2 -> (2, 0)\n   lane=4 -> (4, 0)\n   lane=8 -> (8, 0)\n   lane=16 -> (16, 0)\n"
      " - warp is a size 1 dimension\n - block is a size 1 dimension\n"
      "where out dims are: [dim0 (size 32), dim1 (size 4)]";
  add({.call = "get_mfma_scale_layout(operand, shape, scale_factor=32)",
       .summary = "The registers with the scale factors of an operand of v_mfma_scale (gfx950).",
       .example = {"get_mfma_scale_layout(DotOperandLayout(0, AMDMFMALayout(4, [16, 16, 128], "
                   "true, [1, 1]), 16), [16, 4])",
                   kOf16Rows}},
      mfma_scales);
  add({.call = "get_wmma_scale_layout(operand, shape, scale_factor=32)",
       .summary = "The registers with the scale factors of an operand of v_wmma_scale (gfx1250).",
       .example = {"get_wmma_scale_layout(DotOperandLayout(0, AMDWMMALayout(3, true, [], [], [16, "
                   "16, 128]), 16), [32, 4])",
                   kOf32Rows}},
      wmma_scales);
  add({.call = "get_amd_mfma_scale_layout(op_idx, shape, mfma_m_dim, tiles_per_warp, "
               "warps_per_cta)",
       .summary = "The same by the parameters of the operand; A is 0 and B is 1.",
       .example = {"get_amd_mfma_scale_layout(0, [16, 4], 16, [1, 1], [1, 1])", kOf16Rows}},
      mfma_scales_of);
  add({.call = "get_amd_wmma_scale_layout(op_idx, shape, wmma_m_dim, wmma_n_dim, transposed, "
               "scale_factor, reg_bases, warp_bases, cga_bases)",
       .summary = "The same by the parameters of the operand.",
       .example = {"get_amd_wmma_scale_layout(0, [32, 4], 16, 16, false, 32)", kOf32Rows}},
      wmma_scales_of);
}

// Triton's default encodings.

void add_choosing(const Rows& add) {
  add({.call = "blocked_encoding(shape, size_per_thread, order, num_warps=4, threads_per_warp=32, "
               "num_ctas=1)",
       .summary = "Threads dealt out along the order until each dimension is full.",
       .example = {"blocked_encoding([16, 32], [1, 4], [1, 0])",
                   "#ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = "
                   "[4, 1], order = [1, 0]}>"}},
      [](const Sizes& shape, const Sizes& size, const linear::Order& order, std::int64_t warps,
         std::int64_t lanes, std::int64_t ctas) {
        return linear::blocked_encoding(shape, size, order, {warps, lanes, ctas});
      });
  add({.call = "default_blocked_encoding(shape, num_warps=4, threads_per_warp=32, num_ctas=1)",
       .summary = "What a tensor gets that no access has shaped yet.",
       .example = {"default_blocked_encoding([16, 32])",
                   "#ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 32], warpsPerCTA = "
                   "[4, 1], order = [1, 0]}>"}},
      [](const Sizes& shape, std::int64_t warps, std::int64_t lanes, std::int64_t ctas) {
        return linear::default_blocked_encoding(shape, {warps, lanes, ctas});
      });
  add({.call = "coalesced_encoding(shape, order, element_bits, num_warps=4, threads_per_warp=32, "
               "num_ctas=1)",
       .summary =
           "What an access to global memory gets that is contiguous and aligned along order[0].",
       .example = {"coalesced_encoding([128, 64], [1, 0], 16)",
                   "#ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = "
                   "[4, 1], order = [1, 0]}>"}},
      [](const Sizes& shape, const linear::Order& order, std::int64_t bits, std::int64_t warps,
         std::int64_t lanes, std::int64_t ctas) {
        return linear::coalesced_encoding(shape, order, bits, {warps, lanes, ctas});
      });
  add({.call = "swizzled_shared_encoding(operand, shape, order, element_bits)",
       .summary = "The shared memory from which ldmatrix loads that operand of an MMA without bank "
                  "conflicts.",
       .example = {"swizzled_shared_encoding(gl.DotOperandLayout(0, gl.NVMMADistributedLayout([2, "
                   "0], [2, 2], [16, 8]), 2), [128, 32], [1, 0], 16)",
                   "#ttg.swizzled_shared<{vec = 8, perPhase = 2, maxPhase = 4, order = [1, 0]}>"}},
      [](const Encoding& encoding, const Sizes& shape, const linear::Order& order,
         std::int64_t bits) -> Result<linear::SwizzledSharedEncoding> {
        const auto* operand = encoding.get_if<linear::DotOperandEncoding>();
        if (operand == nullptr) {
          return refuse("call.type", fmt::format("swizzled_shared_encoding takes a dot_op, not {}",
                                                 encoding.kind()));
        }
        return linear::swizzled_shared_encoding(*operand, shape, order, bits);
      });
  add({.call = "nvmma_shared_encoding(shape, order, element_bits)",
       .summary = "The nvmma_shared with the widest swizzle that the rows, along order[0], fill.",
       .example = {"nvmma_shared_encoding([128, 32], [1, 0], 16)",
                   "#ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = false, "
                   "elementBitWidth = 16}>"}},
      [](const Sizes& shape, const linear::Order& order, std::int64_t bits) {
        return linear::nvmma_shared_encoding(shape, order, bits);
      });
  add({.call = "sm120_dot_scaled_scale_layout(shape, op_idx, warps_per_cta)",
       .summary =
           "The registers with the scale factors of a block-scaled mma.sync; A is 0 and B is 1.",
       .example = {"sm120_dot_scaled_scale_layout([16, 2], 0, [1, 1])",
                   " - register=1 -> (0, 1)\n - lane=1 -> (8, 0)\n   lane=2 -> (0, 0)\n"
                   "   lane=4 -> (1, 0)\n   lane=8 -> (2, 0)\n   lane=16 -> (4, 0)\n"
                   " - warp is a size 1 dimension\n - block is a size 1 dimension\n"
                   "where out dims are: [dim0 (size 16), dim1 (size 2)]"}},
      [](const Sizes& shape, int op_idx, const Sizes& warps) {
        return linear::sm120_dot_scaled_scale_layout(shape, op_idx, warps);
      });
  add({.call = "recognize_nvmma_shared(layout, element_bit_width)",
       .summary = "The nvmma_shared that a shared layout is.",
       .example = {"recognize_nvmma_shared(to_linear(gl.NVMMASharedLayout(64, 16), [64, 32]), 16)",
                   "#ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = false, "
                   "elementBitWidth = 16}>"}},
      linear::recognize_nvmma_shared);
}

}  // namespace

void add_encoding_operations(std::vector<Operation>& table) {
  add_meaning({table, "encodings"});
  add_counting({table, "what encodings take"});
  add_choosing({table, "chosen encodings"});
  add_amd_scales({table, "chosen encodings"});
  add_distributed({table, kGluon});
  add_placeholders({table, kGluon});
  add_linear({table, kGluon});
  add_shared({table, kGluon});
  add_default_shared({table, kGluon});
  add_tensor_memory_bases({table, kGluon});
}

}  // namespace heddle::notation
