#include "heddle/notation/repackings.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <utility>

#include "core/format.h"
#include "core/printable.h"
#include "heddle/core/exact.h"
#include "heddle/notation/any_layout.h"
#include "heddle/notation/evaluator.h"

namespace heddle::notation {
namespace {

constexpr Repacking kRepackings[] = {
    {"nchw_to_nhwc", "images, channels last", "(N,C,H,W):(C*H*W,H*W,W,1)",
     "(N,C,H,W):(H*W*C,1,W*C,C)", 0, "oneDNN, format tags nchw and nhwc"},
    {"nhwc_to_nchw", "images, channels first", "(N,C,H,W):(H*W*C,1,W*C,C)",
     "(N,C,H,W):(C*H*W,H*W,W,1)", 0, "oneDNN, format tags nhwc and nchw"},
    {"nchw_to_nChw8c", "images, blocks of 8 channels", "(N,C,H,W):(C*H*W,H*W,W,1)",
     "(N,(8,C//8),H,W):(C*H*W,(1,8*H*W),8*W,8)", 0, "oneDNN, format tag nChw8c"},
    {"nchw_to_nChw16c", "images, blocks of 16 channels", "(N,C,H,W):(C*H*W,H*W,W,1)",
     "(N,(16,C//16),H,W):(C*H*W,(1,16*H*W),16*W,16)", 0, "oneDNN, format tag nChw16c"},
    {"vnni2", "the B of products of pairs, as of bf16: pairs of rows interleaved", "(K,N):(N,1)",
     "((2,K//2),N):((1,2*N),2)", 16, "Intel's VDPBF16PS; oneDNN, format tag BA..2a"},
    {"vnni4", "the B of products of four, as of int8: four rows interleaved", "(K,N):(N,1)",
     "((4,K//4),N):((1,4*N),4)", 8, "Intel's VPDPBUSD; oneDNN, format tag BA..4a"},
    {"amx_b_bf16", "tiles of B of TDPBF16PS: 16 rows of 16 pairs, tile after tile along K",
     "(K,N):(N,1)", "((2,16,K//32),(16,N//16)):((1,32,512),(2,16*K))", 16,
     "Intel's Architecture Instruction Set Extensions, TDPBF16PS"},
    {"amx_b_int8", "tiles of B of TDPBUSD: 16 rows of 16 times four, tile after tile along K",
     "(K,N):(N,1)", "((4,16,K//64),(16,N//16)):((1,64,1024),(4,16*K))", 8,
     "Intel's Architecture Instruction Set Extensions, TDPBUSD"},
    {"column32", "a matrix in groups of 32 columns, row after row in a group", "(M,N):(N,1)",
     "(M,(32,N//32)):(32,(1,32*M))", 8,
     "cuBLASLt's CUBLASLT_ORDER_COL32; CUTLASS's ColumnMajorInterleaved<32> of the transpose"},
    {"awq_int4", "4-bit weights, eight to a word in the order 0 2 4 6 1 3 5 7", "(K,N):(N,1)",
     "(K,((2,4),N//8)):(N,((4,1),8))", 4, "AutoAWQ, packing order of the GEMM version"},
    {"marlin_int4", "4-bit weights as fragments of m16n8k16: 16 bytes a thread for 16 x 64 of them",
     "(K,N):(N,1)", "((2,4,2,K//16),(8,2,4,N//64)):((4,32,1,16*N),(128,2,8,1024))", 4,
     "Marlin (Frantar et al.), B of m16n8k16 in PTX, nibbles as its dequantization takes them"},
    {"gguf_q4_0", "the nibbles of rows of Q4_0: 32 to a block of 18 bytes, after its scale of two",
     "(R,K):(K,1)", "Sw<0,0,0> o 4 o (R,((16,2),K//32)):(36*(K//32),((2,1),36))", 4,
     "ggml, dequantize_row_q4_0"},
    {"gguf_q8_0", "the bytes of rows of Q8_0: 32 to a block of 34 bytes, after its scale of two",
     "(R,K):(K,1)", "Sw<0,0,0> o 2 o (R,(32,K//32)):(34*(K//32),(1,34))", 8,
     "ggml, dequantize_row_q8_0"},
    {"bricks4", "a volume in bricks of 4 x 4 x 4", "(X,Y,Z):(Y*Z,Z,1)",
     "((4,X//4),(4,Y//4),(4,Z//4)):((16,4*Y*Z),(4,16*Z),(1,64))", 0,
     "Bricks (Zhao et al.), bricks of 4 x 4 x 4 in the order of rows"},
    {"mx_scales", "scale factors of MX types for tcgen05: 128 x 4 to a block of 512 bytes",
     "(M,K):(K,1)", "((32,4,M//128),(4,K//4)):((16,4,128*K),(1,512))", 8,
     "cuBLAS, 128 x 4 blocks of 1D block scaling; CUTLASS's Sm1xxBlockScaledConfig"},
    {"kv_pages16", "keys of 16-bit elements in pages of 16 tokens, eight elements together",
     "(T,H,D):(H*D,D,1)", "((16,T//16),H,(8,D//8)):((8,16*H*D),16*D,(1,128))", 16,
     "vLLM's PagedAttention: [block, head, D/8, 16, 8]"},
    {"kv_value_pages16", "values in pages of 16 tokens, a token's elements apart",
     "(T,H,D):(H*D,D,1)", "((16,T//16),H,D):((1,16*H*D),16*D,16)", 0,
     "vLLM's PagedAttention: [block, head, D, 16]"},
};

/// The names of sizes in the layouts.
std::set<std::string> names_in(const Repacking& repacking) {
  std::set<std::string> names;
  for (const std::string_view text : {repacking.from, repacking.to}) {
    for (std::size_t i = 0; i < text.size(); ++i) {
      const auto is_letter = [&](std::size_t at) {
        return at < text.size() &&
               ((text[at] >= 'A' && text[at] <= 'Z') || (text[at] >= 'a' && text[at] <= 'z'));
      };
      if (!is_letter(i) || text[i] < 'A' || text[i] > 'Z' || is_letter(i + 1)) continue;
      if (i > 0 && is_letter(i - 1)) continue;
      names.emplace(1, text[i]);
    }
  }
  return names;
}

}  // namespace

std::span<const Repacking> repackings() { return kRepackings; }

Result<Repacking> find_repacking(std::string_view name) {
  const auto* found = std::ranges::find(kRepackings, name, &Repacking::name);
  if (found != std::end(kRepackings)) return *found;
  return refuse(diagnose("repacking.unknown", "unknown repacking {}", printable(name))
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

Result<RepackingLayouts> layouts_of(const Repacking& repacking, const Bindings& sizes) {
  const std::set<std::string> names = names_in(repacking);
  const auto refusal = [&](std::string why) {
    return refuse(diagnose("repacking.sizes", "{}: {}", repacking.name, why)
                      .with_hint(fmt::format("its sizes: {}", fmt::join(names, ", "))));
  };
  for (const std::string& name : names) {
    if (!sizes.contains(name)) return refusal(fmt::format("the size {} is missing", name));
  }
  for (const auto& [name, size] : sizes) {
    if (!names.contains(name)) return refusal(fmt::format("it has no size {}", printable(name)));
  }
  Environment environment;
  for (const auto& [name, size] : sizes) environment.bind(name, Value(size));
  const auto bound = [&](std::string_view text) -> Result<map::AnyLayout> {
    HEDDLE_TRY(const Value layout, evaluate(text, environment));
    return to_any_layout(layout);
  };
  HEDDLE_TRY(map::AnyLayout from, bound(repacking.from));
  HEDDLE_TRY(map::AnyLayout to, bound(repacking.to));
  HEDDLE_TRY(const Int count_from, map::size(from));
  HEDDLE_TRY(const Int count_to, map::size(to));
  if (!known_equal(count_from, count_to)) {
    return refusal(fmt::format("of {} elements, whole blocks hold {}", to_string(count_from),
                               to_string(count_to)));
  }
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
                      "{}: rows of {} elements of {} bits hold no whole number of {} bits",
                      repacking.name, size, tensor_bits, element_bits);
      }
      size = *bits / element_bits;
    }
    const auto [found, is_new] = sizes.emplace(names[i], size);
    if (is_new || known_equal(found->second, size)) continue;
    return refuse(diagnose("repacking.sizes", "{}: {} is {}, and the tensor has {}", repacking.name,
                           names[i], to_string(found->second), size)
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
        diagnose("repacking.sizes", "{} moves elements of {} bits, and those of the tensor have {}",
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
  HEDDLE_TRY(RepackingLayouts layouts, layouts_of(repacking, sizes));
  HEDDLE_TRY(const Int moved, map::size(layouts.from));
  const std::int64_t has = exact::multiply(8, packed.bytes).value_or(INT64_MAX) / bits;
  if (!known_at_most(has, moved)) {
    return refuse("repacking.sizes",
                  "{}: the sizes are of {} elements of {} bits, and there are {}", repacking.name,
                  to_string(moved), bits, has);
  }
  return Repacked{std::move(layouts), bits};
}

std::string repackings_text() {
  std::string text;
  for (const Repacking& repacking : kRepackings) {
    text += repacking.name;
    if (repacking.element_bits != 0) text += fmt::format(", {} bits", repacking.element_bits);
    text += fmt::format("\n  {}\n  from {}\n  to   {}\n  as in {}\n", repacking.summary,
                        repacking.from, repacking.to, repacking.source);
  }
  return text;
}

}  // namespace heddle::notation
