#include "heddle/notation/repackings.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <utility>

#include "core/format.h"
#include "core/printable.h"
#include "core/text.h"
#include "heddle/core/exact.h"
#include "heddle/cute/layout.h"
#include "heddle/notation/any_layout.h"
#include "heddle/notation/evaluator.h"

namespace heddle::notation {
namespace {

constexpr Repacking kRepackings[] = {
    {"nchw_to_nhwc", "images, channels last", "(N,C,H,W):(C*H*W,H*W,W,1)",
     "(N,C,H,W):(H*W*C,1,W*C,C)", "(N,H,W,C)", 0, "oneDNN, format tags nchw and nhwc"},
    {"nhwc_to_nchw", "images, channels first", "(N,H,W,C):(H*W*C,W*C,C,1)",
     "(N,H,W,C):(C*H*W,W,1,H*W)", "(N,C,H,W)", 0, "oneDNN, format tags nhwc and nchw"},
    {"nchw_to_nChw8c", "images, blocks of 8 channels", "(N,C,H,W):(C*H*W,H*W,W,1)",
     "(N,(8,C//8),H,W):(C*H*W,(1,8*H*W),8*W,8)", "(N,C//8,H,W,8)", 0, "oneDNN, format tag nChw8c"},
    {"nchw_to_nChw16c", "images, blocks of 16 channels", "(N,C,H,W):(C*H*W,H*W,W,1)",
     "(N,(16,C//16),H,W):(C*H*W,(1,16*H*W),16*W,16)", "(N,C//16,H,W,16)", 0,
     "oneDNN, format tag nChw16c"},
    {"vnni2", "the B of products of pairs, as of bf16: pairs of rows interleaved", "(K,N):(N,1)",
     "((2,K//2),N):((1,2*N),2)", "(K//2,N,2)", 16, "Intel's VDPBF16PS; oneDNN, format tag BA..2a"},
    {"vnni4", "the B of products of four, as of int8: four rows interleaved", "(K,N):(N,1)",
     "((4,K//4),N):((1,4*N),4)", "(K//4,N,4)", 8, "Intel's VPDPBUSD; oneDNN, format tag BA..4a"},
    {"amx_b_bf16", "tiles of B of TDPBF16PS: 16 rows of 16 pairs, tile after tile along K",
     "(K,N):(N,1)", "((2,16,K//32),(16,N//16)):((1,32,512),(2,16*K))", "(N//16,K//32,16,16,2)", 16,
     "Intel's Architecture Instruction Set Extensions, TDPBF16PS"},
    {"amx_b_int8", "tiles of B of TDPBUSD: 16 rows of 16 times four, tile after tile along K",
     "(K,N):(N,1)", "((4,16,K//64),(16,N//16)):((1,64,1024),(4,16*K))", "(N//16,K//64,16,16,4)", 8,
     "Intel's Architecture Instruction Set Extensions, TDPBUSD"},
    {"column32", "a matrix in groups of 32 columns, row after row in a group", "(M,N):(N,1)",
     "(M,(32,N//32)):(32,(1,32*M))", "(N//32,M,32)", 8,
     "cuBLASLt's CUBLASLT_ORDER_COL32; CUTLASS's ColumnMajorInterleaved<32> of the transpose"},
    {"awq_int4", "4-bit weights, eight to a word in the order 0 2 4 6 1 3 5 7", "(K,N):(N,1)",
     "(K,((2,4),N//8)):(N,((4,1),8))", "(K,N)", 4, "AutoAWQ, packing order of the GEMM version",
     false},
    {"marlin_int4", "4-bit weights as fragments of m16n8k16: 16 bytes a thread for 16 x 64 of them",
     "(K,N):(N,1)", "((2,4,2,K//16),(8,2,4,N//64)):((4,32,1,16*N),(128,2,8,1024))", "(K//16,16*N)",
     4, "Marlin (Frantar et al.), B of m16n8k16 in PTX, nibbles as its dequantization takes them",
     false},
    {"gguf_q4_0", "the nibbles of rows of Q4_0: 32 to a block of 18 bytes, after its scale of two",
     "(R,K):(K,1)", "Sw<0,0,0> o 4 o (R,((16,2),K//32)):(36*(K//32),((2,1),36))", "(R,36*(K//32))",
     4, "ggml, dequantize_row_q4_0", false},
    {"gguf_q8_0", "the bytes of rows of Q8_0: 32 to a block of 34 bytes, after its scale of two",
     "(R,K):(K,1)", "Sw<0,0,0> o 2 o (R,(32,K//32)):(34*(K//32),(1,34))", "(R,34*(K//32))", 8,
     "ggml, dequantize_row_q8_0", false},
    {"bricks4", "a volume in bricks of 4 x 4 x 4", "(X,Y,Z):(Y*Z,Z,1)",
     "((4,X//4),(4,Y//4),(4,Z//4)):((16,4*Y*Z),(4,16*Z),(1,64))", "(X//4,Y//4,Z//4,4,4,4)", 0,
     "Bricks (Zhao et al.), bricks of 4 x 4 x 4 in the order of rows"},
    {"mx_scales", "scale factors of MX types for tcgen05: 128 x 4 to a block of 512 bytes",
     "(M,K):(K,1)", "((32,4,M//128),(4,K//4)):((16,4,128*K),(1,512))", "(M//128,K//4,32,4,4)", 8,
     "cuBLAS, 128 x 4 blocks of 1D block scaling; CUTLASS's Sm1xxBlockScaledConfig"},
    {"kv_pages16", "keys of 16-bit elements in pages of 16 tokens, eight elements together",
     "(T,H,D):(H*D,D,1)", "((16,T//16),H,(8,D//8)):((8,16*H*D),16*D,(1,128))",
     "(T//16,H,D//8,16,8)", 16, "vLLM's PagedAttention: [block, head, D/8, 16, 8]"},
    {"kv_value_pages16", "values in pages of 16 tokens, a token's elements apart",
     "(T,H,D):(H*D,D,1)", "((16,T//16),H,D):((1,16*H*D),16*D,16)", "(T//16,H,D,16)", 0,
     "vLLM's PagedAttention: [block, head, D, 16]"},
};

bool is_letter(char c) { return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z'); }

/// The names of sizes in the layouts, each with the number of elements in a block along it: 16 for
/// `C//16`, 1 where there are no blocks.
std::map<std::string, std::int64_t> blocks_in(const Repacking& repacking) {
  std::map<std::string, std::int64_t> blocks;
  for (const std::string_view text : {repacking.from, repacking.to}) {
    for (std::size_t i = 0; i < text.size(); ++i) {
      const bool is_alone =
          (i == 0 || !is_letter(text[i - 1])) && (i + 1 == text.size() || !is_letter(text[i + 1]));
      if (!is_alone || text[i] < 'A' || text[i] > 'Z') continue;
      std::int64_t& block = blocks.emplace(text.substr(i, 1), 1).first->second;
      std::string_view rest = text.substr(i + 1);
      if (!rest.starts_with("//")) continue;
      rest = rest.substr(2, rest.find_first_not_of("0123456789", 2) - 2);
      block = std::max(block, integer_in(rest).value_or(1));
    }
  }
  return blocks;
}

Environment bound(const Bindings& sizes) {
  Environment environment;
  for (const auto& [name, size] : sizes) environment.bind(name, Value(size));
  return environment;
}

Result<map::AnyLayout> layout_in(std::string_view text, const Bindings& sizes) {
  HEDDLE_TRY(const Value layout, evaluate(text, bound(sizes)));
  return to_any_layout(layout);
}

// ---- Partial blocks ----

/// A part of one mode: extents and both strides, the fastest first, and where it begins.
struct ModePart {
  std::vector<std::int64_t> extents;
  std::vector<std::int64_t> from;
  std::vector<std::int64_t> to;
  std::int64_t first_from = 0;
  std::int64_t first_to = 0;
};

/// A mode of `size` elements at a stride of `step`, which in `whole` has larger extents: of the
/// coarsest digit what is whole, then of the next finer one, as 20 = 1*16 + 4.
std::vector<ModePart> parts_of(const cute::Layout& whole, std::int64_t size, std::int64_t step) {
  std::vector<ModePart> parts;
  ModePart part;
  std::vector<std::int64_t> inner = {1};
  for (const Int& extent : whole.extents()) inner.push_back(inner.back() * extent.value());
  for (std::size_t digits = whole.extents().size(); digits-- > 0 && size > 0;) {
    const std::int64_t count = size / inner[digits];
    if (count == 0) continue;
    for (std::vector<std::int64_t>* list : {&part.extents, &part.from, &part.to}) list->clear();
    for (std::size_t i = 0; i <= digits; ++i) {
      part.extents.push_back(i == digits ? count : whole.extents()[i].value());
      part.from.push_back(step * inner[i]);
      part.to.push_back(whole.strides()[i].scale().value());
    }
    parts.push_back(part);
    size -= count * inner[digits];
    part.first_from += count * inner[digits] * step;
    part.first_to += count * part.to.back();
  }
  return parts;
}

/// `Sw<0,0,0> o 4 o ((2,3),5):((1,2),6)`: the layout of one side of parts, one of each mode.
std::string side_text(std::span<const ModePart> modes,
                      std::vector<std::int64_t> ModePart::* strides,
                      std::int64_t ModePart::* first) {
  std::vector<std::string> extents;
  std::vector<std::string> steps;
  std::int64_t begin = 0;
  for (const ModePart& mode : modes) {
    extents.push_back(fmt::format("({})", fmt::join(mode.extents, ",")));
    steps.push_back(fmt::format("({})", fmt::join(mode.*strides, ",")));
    begin += mode.*first;
  }
  return fmt::format("Sw<0,0,0> o {} o ({}):({})", begin, fmt::join(extents, ","),
                     fmt::join(steps, ","));
}

/// The layouts by which a tensor of these sizes gets into the layout of whole blocks.
Result<std::vector<RepackingLayouts>> parts_of(const map::AnyLayout& from,
                                               const map::AnyLayout& whole) {
  const auto* given = std::get_if<cute::Layout>(&from);
  const auto* wanted = std::get_if<cute::Layout>(&whole);
  std::vector<std::vector<ModePart>> combined = {{}};
  for (std::size_t mode = 0; mode < given->rank(); ++mode) {
    const Int size = given->mode(mode).size();
    const Int step = given->strides()[mode].scale();
    std::vector<std::vector<ModePart>> longer;
    for (const ModePart& part : parts_of(wanted->mode(mode), size.value(), step.value())) {
      for (const std::vector<ModePart>& before : combined) {
        longer.push_back(before);
        longer.back().push_back(part);
      }
    }
    combined = std::move(longer);
  }
  std::vector<RepackingLayouts> layouts;
  for (const std::vector<ModePart>& modes : combined) {
    HEDDLE_TRY(map::AnyLayout source,
               layout_in(side_text(modes, &ModePart::from, &ModePart::first_from), {}));
    HEDDLE_TRY(map::AnyLayout target,
               layout_in(side_text(modes, &ModePart::to, &ModePart::first_to), {}));
    layouts.push_back({std::move(source), std::move(target)});
  }
  return layouts;
}

// ---- Data ----

/// Whether every integer of `width` bytes is one element of so many bits. What is packed has other
/// bits in some of them.
bool has_one_in_each(std::span<const std::byte> data, std::size_t width, std::int64_t bits,
                     bool are_signed) {
  for (std::size_t at = 0; at + width <= data.size(); at += width) {
    std::uint64_t number = 0;
    for (std::size_t i = 0; i < width; ++i) {
      number |= std::to_integer<std::uint64_t>(data[at + i]) << (8 * i);
    }
    const std::uint64_t mask = ~std::uint64_t{0} >> (64 - 8 * width);
    const std::uint64_t above = number >> bits;
    const bool is_negative = are_signed && (number | ((1U << (bits - 1)) - 1)) == mask;
    if (above != 0 && !is_negative) return false;
  }
  return data.size() >= width;
}

/// Refuses data of which each integer has one element, unless the sizes say that more are packed.
Result<void> check_packed(const Repacking& repacking, const Packed& packed, std::int64_t bits,
                          const Bindings& given) {
  const bool may_be_packed = packed.are_integers && bits < packed.element_bits &&
                             packed.element_bits <= 64 && packed.element_bits % 8 == 0;
  const bool is_said = given.contains(size_names(repacking).back());
  if (!may_be_packed || is_said || !packed.shape || packed.shape->empty()) return {};
  const auto width = static_cast<std::size_t>(packed.element_bits / 8);
  if (!has_one_in_each(packed.data, width, bits, packed.are_signed)) return {};
  const std::int64_t count = packed.bytes / static_cast<std::int64_t>(width);
  return refuse(
      heddle::diagnose(
          "repacking.unpacked",
          "{} moves elements of {} bits, and each of the tensor's {} integers of {} bits is as "
          "small as one of them",
          repacking.name, bits, count, packed.element_bits)
          .with_note(fmt::format("{} in each of them would be moved", packed.element_bits / bits))
          .with_hint(
              fmt::format("one in each integer is packed by --bits {0} --from '{1}:{2}' --to "
                          "'{1}:1'; --size {3}={4} says that {2} are",
                          bits, count, packed.element_bits / bits, size_names(repacking).back(),
                          packed.shape->back() * (packed.element_bits / bits))));
}

}  // namespace

std::span<const Repacking> repackings() { return kRepackings; }

Result<Repacking> find_repacking(std::string_view name) {
  const auto* found = std::ranges::find(kRepackings, name, &Repacking::name);
  if (found != std::end(kRepackings)) return *found;
  return refuse(heddle::diagnose("repacking.unknown", "unknown repacking {}", printable(name))
                    .with_hint("heddle help recipes lists them"));
}

std::vector<std::string> size_names(const Repacking& repacking) {
  // `(K,N)` of `(K,N):(N,1)`: a name each.
  std::vector<std::string> names;
  for (const char letter : repacking.from.substr(0, repacking.from.find(':'))) {
    if (letter >= 'A' && letter <= 'Z') names.emplace_back(1, letter);
  }
  return names;
}

namespace {

Result<void> check_sizes(const Repacking& repacking, const Bindings& sizes, bool pads) {
  const std::map<std::string, std::int64_t> blocks = blocks_in(repacking);
  const auto refusal = [&](const std::string& why) {
    std::vector<std::string> names;
    for (const auto& [name, block] : blocks) names.push_back(name);
    return refuse(heddle::diagnose("repacking.sizes", "{}: {}", repacking.name, why)
                      .with_hint(fmt::format("its sizes: {}", fmt::join(names, ", "))));
  };
  for (const auto& [name, block] : blocks) {
    if (!sizes.contains(name)) return refusal(fmt::format("the size {} is missing", name));
  }
  for (const auto& [name, size] : sizes) {
    const auto block = blocks.find(name);
    if (block == blocks.end()) return refusal(fmt::format("it has no size {}", printable(name)));
    if (pads || !size.is_constant() || size.value() % block->second == 0) continue;
    return refusal(
        fmt::format("{} is {}, which {} does not divide", name, size.value(), block->second));
  }
  return {};
}

/// The sizes with each partial block filled up.
Bindings filled_up(const Repacking& repacking, const Bindings& sizes) {
  Bindings whole = sizes;
  for (const auto& [name, block] : blocks_in(repacking)) {
    const auto size = whole.find(name);
    if (size == whole.end() || !size->second.is_constant()) continue;
    size->second = Int((size->second.value() + block - 1) / block * block);
  }
  return whole;
}

/// The shape of the new array in integers of so many bits, in which elements are packed.
Result<std::vector<std::int64_t>> shape_of(const Repacking& repacking, const Bindings& whole,
                                           std::int64_t element_bits, std::int64_t tensor_bits) {
  HEDDLE_TRY(const Value value, evaluate(repacking.shape, bound(whole)));
  std::vector<std::int64_t> shape;
  for (const Int& extent : value.get<IntTuple>().leaves()) {
    if (!extent.is_constant()) return std::vector<std::int64_t>();
    shape.push_back(extent.value());
  }
  const auto bits = exact::multiply(shape.back(), element_bits);
  if (!bits || *bits % tensor_bits != 0) return std::vector<std::int64_t>();
  shape.back() = *bits / tensor_bits;
  return shape;
}

}  // namespace

Result<RepackingLayouts> layouts_of(const Repacking& repacking, const Bindings& sizes) {
  HEDDLE_CHECK(check_sizes(repacking, sizes, false));
  HEDDLE_TRY(map::AnyLayout from, layout_in(repacking.from, sizes));
  HEDDLE_TRY(map::AnyLayout to, layout_in(repacking.to, sizes));
  return RepackingLayouts{std::move(from), std::move(to)};
}

Result<Bindings> sizes_of(const Repacking& repacking, std::span<const std::int64_t> shape,
                          std::int64_t tensor_bits, std::int64_t element_bits,
                          const Bindings& given) {
  const std::vector<std::string> names = size_names(repacking);
  if (names.size() != shape.size()) return given;
  Bindings sizes = given;
  for (std::size_t i = 0; i < names.size(); ++i) {
    std::int64_t size = shape[i];
    if (i + 1 == names.size()) {
      const auto bits = exact::multiply(size, tensor_bits);
      if (!bits || *bits % element_bits != 0) {
        return refuse("repacking.sizes",
                      "{}: rows of {} of {} bits hold no whole number of {} bits", repacking.name,
                      counted(size, "element"), tensor_bits, element_bits);
      }
      size = *bits / element_bits;
    }
    const auto [found, is_new] = sizes.emplace(names[i], size);
    if (is_new || known_equal(found->second, size)) continue;
    return refuse(heddle::diagnose("repacking.sizes", "{}: {} is {}, and the tensor has {}",
                                   repacking.name, names[i], to_string(found->second), size)
                      .with_hint("leave --size out: the file's shape gives it"));
  }
  return sizes;
}

Result<Repacked> repacked(const Repacking& repacking, const Packed& packed, const Bindings& given,
                          std::optional<std::int64_t> element_bits) {
  const std::int64_t own =
      repacking.element_bits != 0 ? repacking.element_bits : packed.element_bits;
  const std::int64_t bits = element_bits.value_or(own);
  if (bits < 1) return refuse("move.bits", "elements of {} bits; they have at least 1", bits);
  if (!element_bits && bits != packed.element_bits && !packed.are_integers) {
    return refuse(
        heddle::diagnose("repacking.sizes",
                         "{} moves elements of {} bits, and those of the tensor have {}",
                         repacking.name, bits, packed.element_bits)
            .with_hint("heddle help recipes says which elements are moved; bits takes others"));
  }
  if (!packed.in_rows) {
    return refuse("repacking.sizes",
                  "{} reads row after row, and the elements are in another order", repacking.name);
  }
  Bindings sizes = given;
  if (packed.shape) {
    HEDDLE_TRY(sizes, sizes_of(repacking, *packed.shape, packed.element_bits, bits, given));
  }
  HEDDLE_CHECK(check_sizes(repacking, sizes, repacking.pads));
  HEDDLE_TRY(const map::AnyLayout from, layout_in(repacking.from, sizes));
  HEDDLE_TRY(const Int moved, map::size(from));
  const std::int64_t has = exact::multiply(8, packed.bytes).value_or(INT64_MAX) / bits;
  if (!known_at_most(has, moved)) {
    return refuse("repacking.sizes", "{}: the sizes are of {} of {} bits, and there are {}",
                  repacking.name, counted(to_string(moved), "element"), bits, has);
  }
  if (!element_bits) HEDDLE_CHECK(check_packed(repacking, packed, bits, given));
  const Bindings whole = filled_up(repacking, sizes);
  HEDDLE_TRY(const map::AnyLayout to, layout_in(repacking.to, whole));
  Repacked result;
  result.parts = {{from, to}};
  result.element_bits = bits;
  if (whole != sizes) {
    HEDDLE_TRY(result.parts, parts_of(from, to));
  }
  result.elements = moved.is_constant() ? moved.value() : 0;
  HEDDLE_TRY(result.shape, shape_of(repacking, whole, bits, packed.element_bits));
  return result;
}

std::string repackings_text() {
  std::string text;
  for (const Repacking& repacking : kRepackings) {
    text += repacking.name;
    if (repacking.element_bits != 0) text += fmt::format(", {} bits", repacking.element_bits);
    text +=
        fmt::format("\n  {}\n  from  {}\n  to    {}\n  shape {}\n  as in {}\n", repacking.summary,
                    repacking.from, repacking.to, repacking.shape, repacking.source);
  }
  return text;
}

}  // namespace heddle::notation
