#include "heddle/cute/atoms.h"

#include <algorithm>
#include <functional>
#include <map>

namespace heddle::cute {
namespace {

/// `SM80_16x8x8_{F16F16F16F16,F32F16F16F32}_TN`: one name for each choice within the braces.
std::vector<std::string> expand(std::string_view pattern) {
  const std::size_t open = pattern.find('{');
  if (open == std::string_view::npos) return {std::string(pattern)};
  const std::size_t close = pattern.find('}', open);
  const std::vector<std::string> tails = expand(pattern.substr(close + 1));
  std::vector<std::string> names;
  std::size_t begin = open + 1;
  while (begin <= close) {
    const std::size_t end = std::min(pattern.find(',', begin), close);
    for (const std::string& tail : tails) {
      names.push_back(std::string(pattern.substr(0, open)) +
                      std::string(pattern.substr(begin, end - begin)) + tail);
    }
    begin = end + 1;
  }
  return names;
}

/// The layouts of this file are constants that are known to be valid.
Layout layout(const IntTuple& shape, const StrideTuple& stride) {
  return make_layout(shape, stride).value();
}

/// Makes an atom when it is requested.
using MakeMma = std::function<MmaAtom(int n)>;

MakeMma mma(const IntTuple& shape, const Layout& threads, const Layout& a, const Layout& b,
            const Layout& c) {
  return [=](int) { return MmaAtom::make(shape, threads, a, b, c).value(); };
}
/// A and B have the same layout.
MakeMma mma(const IntTuple& shape, const Layout& threads, const Layout& a_and_b, const Layout& c) {
  return mma(shape, threads, a_and_b, a_and_b, c);
}

/// The atoms with these names. If the pattern has a `#`, there is a name for each N of the
/// instruction.
struct MmaRow {
  std::vector<std::string_view> patterns;
  MakeMma make;
};

// Fragments of mma.sync: 32 threads, four to a row.

Layout warp() { return layout(32, 1); }
Layout one_thread() { return layout(1, 0); }
Layout single_value() { return layout({1, 1}, {0, 0}); }

/// M16 x N8 of 32-bit accumulators: two neighbours in a row, and eight rows below.
Layout c_16x8() { return layout({{4, 8}, {2, 2}}, {{32, 1}, {16, 8}}); }
Layout c_8x8() { return layout({{4, 8}, 2}, {{16, 1}, 8}); }

// Volta: eight threads, 0-3 and 16-19.

Layout quad_pair() { return layout({4, 2}, {1, 16}); }
Layout volta_row() { return layout({8, 4}, {1, 8}); }
Layout volta_column() { return layout({{4, 2}, 4}, {{8, 4}, 1}); }
Layout volta_c16() { return layout({8, 8}, {1, 8}); }
Layout volta_c32() { return layout({{2, 2, 2}, {2, 2, 2}}, {{1, 16, 4}, {8, 2, 32}}); }

MakeMma volta(const Layout& a, const Layout& b, const Layout& c) {
  return mma({8, 8, 4}, quad_pair(), a, b, c);
}

// Hopper's warpgroups: 128 threads; all of them share an operand in shared memory.

Layout warpgroup() { return layout(128, 1); }
Layout shared_operand(int rows, int k) { return layout({128, {rows, k}}, {0, {1, rows}}); }
/// M64 x N of accumulators: each warp has 16 rows.
Layout warpgroup_c(int n) {
  return layout({{4, 8, 4}, {2, 2, n / 8}}, {{128, 1, 16}, {64, 8, 512}});
}
/// M64 x K in registers: `run` values that are neighbours along K, and 32 bytes along K in all.
Layout warpgroup_a(int run) {
  return layout({{4, 8, 4}, {run, 2, 2}}, {{64 * run, 1, 16}, {64, 8, 256 * run}});
}
Layout warpgroup_a_tf32() { return layout({{4, 8, 4}, {2, 2}}, {{64, 1, 16}, {8, 256}}); }

MakeMma warpgroup_mma(int k, const Layout& a) {
  return [=](int n) {
    return mma({64, n, k}, warpgroup(), a, shared_operand(n, k), warpgroup_c(n))(n);
  };
}

const std::vector<MmaRow>& mma_rows() {
  static const std::vector<MmaRow> rows = {
      {{"UniversalFMA"},
       mma({1, 1, 1}, one_thread(), single_value(), single_value(), single_value())},
      {{"SM61_DP4A"}, mma({1, 1, 4}, one_thread(), layout({1, 4}, {0, 1}), single_value())},
      {{"SM61_DP2A"}, mma({1, 1, 2}, one_thread(), layout({1, 2}, {0, 1}), single_value())},
      {{"SM70_8x8x4_F16F16F16F16_TN"}, volta(volta_row(), volta_row(), volta_c16())},
      {{"SM70_8x8x4_F16F16F16F16_NT"}, volta(volta_column(), volta_column(), volta_c16())},
      {{"SM70_8x8x4_F16F16F16F16_NN"}, volta(volta_column(), volta_row(), volta_c16())},
      {{"SM70_8x8x4_F16F16F16F16_TT"}, volta(volta_row(), volta_column(), volta_c16())},
      {{"SM70_8x8x4_F32F16F16F32_TN"}, volta(volta_row(), volta_row(), volta_c32())},
      {{"SM70_8x8x4_F32F16F16F32_NT"}, volta(volta_column(), volta_column(), volta_c32())},
      {{"SM70_8x8x4_F32F16F16F32_NN"}, volta(volta_column(), volta_row(), volta_c32())},
      {{"SM70_8x8x4_F32F16F16F32_TT"}, volta(volta_row(), volta_column(), volta_c32())},
      {{"SM75_16x8x8_F32F16F16F32_TN", "SM80_16x8x8_{F16F16F16F16,F32F16F16F32,F32BF16BF16F32}_TN"},
       mma({16, 8, 8}, warp(), c_16x8(), c_8x8(), c_16x8())},
      {{"SM75_8x8x16_S32S8S8S32_TN", "SM80_8x8x16_S32{S8,U8}{S8,U8}S32_TN{,_SATURATE}"},
       mma({8, 8, 16}, warp(), layout({{4, 8}, 4}, {{32, 1}, 8}), c_8x8())},
      {{"SM80_16x8x16_{F16F16F16F16,F32F16F16F32,F32BF16BF16F32}_TN"},
       mma({16, 8, 16}, warp(), layout({{4, 8}, {2, 2, 2}}, {{32, 1}, {16, 8, 128}}),
           layout({{4, 8}, {2, 2}}, {{16, 1}, {8, 64}}), c_16x8())},
      {{"SM80_16x8x4_F32TF32TF32F32_TN", "SM90_16x8x4_{F64F64F64F64,C64C64C64C64}_TN"},
       mma({16, 8, 4}, warp(), layout({{4, 8}, 2}, {{16, 1}, 8}), layout({{4, 8}, 1}, {{8, 1}, 0}),
           c_16x8())},
      {{"SM80_16x8x8_F32TF32TF32F32_TN", "SM90_16x8x8_{F64F64F64F64,C64C64C64C64}_TN"},
       mma({16, 8, 8}, warp(), layout({{4, 8}, {2, 2}}, {{16, 1}, {8, 64}}),
           layout({{4, 8}, 2}, {{8, 1}, 32}), c_16x8())},
      {{"SM90_16x8x16_{F64F64F64F64,C64C64C64C64}_TN"},
       mma({16, 8, 16}, warp(), layout({{4, 8}, {2, 4}}, {{16, 1}, {8, 64}}),
           layout({{4, 8}, 4}, {{8, 1}, 32}), c_16x8())},
      {{"SM80_8x8x4_{F64F64F64F64,C64C64C64C64,GC64C64C64GC64}_TN"},
       mma({8, 8, 4}, warp(), layout({{4, 8}, 1}, {{8, 1}, 0}), c_8x8())},
      {{"SM80_16x8x16_S32{S8,U8}{S8,U8}S32_TN{,_SATURATE}"},
       mma({16, 8, 16}, warp(), layout({{4, 8}, {4, 2}}, {{64, 1}, {16, 8}}),
           layout({{4, 8}, 4}, {{32, 1}, 8}), c_16x8())},
      {{"SM80_16x8x32_S32{S8,U8}{S8,U8}S32_TN{,_SATURATE}",
        "SM89_16x8x32_F32{E4M3,E5M2}{E4M3,E5M2}F32_TN",
        "SM89_16x8x32_F16{E4M3,E5M2}{E4M3,E5M2}F16_TN", "SM120_16x8x32_TN{,_VS}"},
       mma({16, 8, 32}, warp(), layout({{4, 8}, {4, 2, 2}}, {{64, 1}, {16, 8, 256}}),
           layout({{4, 8}, {4, 2}}, {{32, 1}, {8, 128}}), c_16x8())},
      {{"SM80_8x8x32_S32{S4,U4}{S4,U4}S32_TN{,_SATURATE}"},
       mma({8, 8, 32}, warp(), layout({{4, 8}, {8}}, {{64, 1}, {8}}), c_8x8())},
      {{"SM80_16x8x32_S32{S4,U4}{S4,U4}S32_TN{,_SATURATE}"},
       mma({16, 8, 32}, warp(), layout({{4, 8}, {8, 2}}, {{128, 1}, {16, 8}}),
           layout({{4, 8}, {8}}, {{64, 1}, {8}}), c_16x8())},
      {{"SM80_16x8x64_S32{S4,U4}{S4,U4}S32_TN{,_SATURATE}", "SM120_16x8x64_TN_VS"},
       mma({16, 8, 64}, warp(), layout({{4, 8}, {8, 2, 2}}, {{128, 1}, {16, 8, 512}}),
           layout({{4, 8}, {8, 2}}, {{64, 1}, {8, 256}}), c_16x8())},
      {{"SM80_8x8x128_S32U1U1S32_TN_{XORPOPC,ANDPOPC}"},
       mma({8, 8, 128}, warp(), layout({{4, 8}, 32}, {{256, 1}, 8}), c_8x8())},
      {{"SM80_16x8x128_S32U1U1S32_TN_{XORPOPC,ANDPOPC}"},
       mma({16, 8, 128}, warp(), layout({{4, 8}, {32, 2}}, {{512, 1}, {16, 8}}),
           layout({{4, 8}, 32}, {{256, 1}, 8}), c_16x8())},
      {{"SM80_16x8x256_S32U1U1S32_TN_{XORPOPC,ANDPOPC}"},
       mma({16, 8, 256}, warp(), layout({{4, 8}, {32, 2, 2}}, {{512, 1}, {16, 8, 2048}}),
           layout({{4, 8}, {32, 2}}, {{256, 1}, {8, 1024}}), c_16x8())},
      {{"SM90_64x#x16_{F16F16F16,F32F16F16,F32BF16BF16}_SS"},
       warpgroup_mma(16, shared_operand(64, 16))},
      {{"SM90_64x#x16_{F16F16F16,F32F16F16,F32BF16BF16}_RS"}, warpgroup_mma(16, warpgroup_a(2))},
      {{"SM90_64x#x8_F32TF32TF32_SS_TN"}, warpgroup_mma(8, shared_operand(64, 8))},
      {{"SM90_64x#x8_F32TF32TF32_RS_TN"}, warpgroup_mma(8, warpgroup_a_tf32())},
      {{"SM90_64x#x32_{F16,F32}{E4M3,E5M2}{E4M3,E5M2}_SS_TN",
        "SM90_64x#x32_S32{S8,U8}{S8,U8}_SS_TN{,_SATURATE}"},
       warpgroup_mma(32, shared_operand(64, 32))},
      {{"SM90_64x#x32_{F16,F32}{E4M3,E5M2}{E4M3,E5M2}_RS_TN",
        "SM90_64x#x32_S32{S8,U8}{S8,U8}_RS_TN{,_SATURATE}"},
       warpgroup_mma(32, warpgroup_a(4))},
  };
  return rows;
}

/// Integers come in fewer widths than the other types of wgmma.
bool exists(std::string_view pattern, int n) {
  const bool is_integer = pattern.find("S32") != std::string_view::npos;
  return !is_integer || n % 16 == 0 || n == 8 || n == 24;
}

struct NamedMma {
  const MakeMma* make;
  int n;
};

struct AtomIndex {
  std::vector<std::string> names;
  std::map<std::string, NamedMma, std::less<>> by_name;

  void add(std::string name, NamedMma atom) {
    by_name.emplace(name, atom);
    names.push_back(std::move(name));
  }
};

void add_widths(AtomIndex& index, std::string_view pattern, const MakeMma& make) {
  const std::size_t mark = pattern.find('#');
  if (mark == std::string_view::npos) {
    for (std::string& name : expand(pattern)) index.add(std::move(name), {&make, 0});
    return;
  }
  constexpr int kMaxWidth = 256;
  for (int n = 8; n <= kMaxWidth; n += 8) {
    if (!exists(pattern, n)) continue;
    std::string of_width(pattern);
    of_width.replace(mark, 1, std::to_string(n));
    for (std::string& name : expand(of_width)) index.add(std::move(name), {&make, n});
  }
}

const AtomIndex& mma_index() {
  static const AtomIndex index = [] {
    AtomIndex all;
    for (const MmaRow& row : mma_rows()) {
      for (const std::string_view pattern : row.patterns) add_widths(all, pattern, row.make);
    }
    return all;
  }();
  return index;
}

// Copies, in bits: (thread, bit of the thread) -> bit.

/// The shared-memory side of ldmatrix and stmatrix: each thread has a row of 128 bits; threads
/// beyond the rows repeat the first ones.
Layout rows_of_memory(int rows) {
  if (rows == 32) return layout({32, 128}, {128, 1});
  return layout({{rows, 32 / rows}, 128}, {{128, 0}, 1});
}

/// The register side: 32 bits of each matrix, in one row of it; or, transposed, 16 in each of two
/// rows.
Layout registers(int matrices) {
  if (matrices == 1) return layout({32, 32}, {32, 1});
  return layout({32, {32, matrices}}, {32, {1, 1024}});
}
Layout transposed_registers(int matrices) {
  if (matrices == 1) return layout({{4, 8}, {16, 2}}, {{256, 16}, {1, 128}});
  return layout({{4, 8}, {16, 2, matrices}}, {{256, 16}, {1, 128, 1024}});
}
/// 8-bit elements of 16 x 16 or 8 x 16 matrices.
Layout transposed_bytes(int pairs) {
  if (pairs == 1) return layout({{4, 8}, {8, 2, 2}}, {{256, 8}, {1, 128, 64}});
  return layout({{4, 8}, {8, 2, 2, pairs}}, {{256, 8}, {1, 128, 64, 1024}});
}
Layout byte_rows_of_memory(int pairs) {
  return layout({{2, 2, 4, 2}, 128}, {{128, 1024, 256, pairs == 4 ? 2048 : 0}, 1});
}

struct CopyRow {
  std::string_view pattern;
  Layout memory;
  Layout registers;
  Side memory_side;
};

CopyAtom make_copy(const CopyRow& row) {
  const bool loads = row.memory_side == Side::kSource;
  return CopyAtom::make(warp(), loads ? row.memory : row.registers,
                        loads ? row.registers : row.memory, row.registers, 1)
      .value();
}

struct NamedCopy {
  std::string name;
  CopyAtom atom;
};

const std::vector<NamedCopy>& copy_table() {
  static const std::vector<NamedCopy> table = [] {
    const Side load = Side::kSource;
    const Side store = Side::kDestination;
    const CopyRow rows[] = {
        {"SM50_Shuffle_U32_2x2Trans_XOR1", layout({{2, 16}, {32, 2}}, {{32, 128}, {1, 64}}),
         layout({32, 64}, {64, 1}), store},
        {"SM50_Shuffle_U32_2x2Trans_XOR4", layout({{4, 2, 4}, {32, 2}}, {{64, 32, 512}, {1, 256}}),
         layout({32, 64}, {64, 1}), store},
        {"SM75_U32x1_LDSM_N", rows_of_memory(8), registers(1), load},
        {"SM75_U32x2_LDSM_N", rows_of_memory(16), registers(2), load},
        {"SM75_U32x4_LDSM_N", rows_of_memory(32), registers(4), load},
        {"SM75_U16x2_LDSM_T", rows_of_memory(8), transposed_registers(1), load},
        {"SM75_U16x4_LDSM_T", rows_of_memory(16), transposed_registers(2), load},
        {"SM75_U16x8_LDSM_T", rows_of_memory(32), transposed_registers(4), load},
        {"SM75_U32x1_MOVM_T", registers(1), registers(1), load},
        {"SM90_U32x1_STSM_N", rows_of_memory(8), registers(1), store},
        {"SM90_U32x2_STSM_N", rows_of_memory(16), registers(2), store},
        {"SM90_U32x4_STSM_N", rows_of_memory(32), registers(4), store},
        {"SM90_U16x2_STSM_T", rows_of_memory(8), transposed_registers(1), store},
        {"SM90_U16x4_STSM_T", rows_of_memory(16), transposed_registers(2), store},
        {"SM90_U16x8_STSM_T", rows_of_memory(32), transposed_registers(4), store},
        {"SM100_U8x8_LDSM_T", byte_rows_of_memory(2), transposed_bytes(2), load},
        {"SM100_U8x16_LDSM_T", byte_rows_of_memory(4), transposed_bytes(4), load},
        {"SM100_{SU4,SU6}_DU8x16_x1_LDSM_N", rows_of_memory(8), registers(1), load},
        {"SM100_{SU4,SU6}_DU8x16_x2_LDSM_N", rows_of_memory(16), registers(2), load},
        {"SM100_{SU4,SU6}_DU8x16_x4_LDSM_N", rows_of_memory(32), registers(4), load},
        {"SM100_U8x4_STSM_T", rows_of_memory(8), transposed_bytes(1), store},
        {"SM100_U8x8_STSM_T", rows_of_memory(16), transposed_bytes(2), store},
        {"SM100_U8x16_STSM_T", rows_of_memory(32), transposed_bytes(4), store},
    };
    // CuTe's default: a thread copies value by value, and merges what lies contiguously.
    const Layout value = single_value();
    std::vector<NamedCopy> all = {
        {"DefaultCopy", CopyAtom::make(one_thread(), value, value, value, 1).value()}};
    for (const CopyRow& row : rows) {
      for (std::string& name : expand(row.pattern))
        all.push_back({std::move(name), make_copy(row)});
    }
    return all;
  }();
  return table;
}

}  // namespace

std::optional<MmaAtom> find_mma_atom(std::string_view name) {
  const auto& by_name = mma_index().by_name;
  const auto found = by_name.find(name);
  if (found == by_name.end()) return std::nullopt;
  return (*found->second.make)(found->second.n);
}

std::optional<CopyAtom> find_copy_atom(std::string_view name) {
  const auto& table = copy_table();
  const auto found = std::ranges::find(table, name, &NamedCopy::name);
  if (found == table.end()) return std::nullopt;
  return found->atom;
}

bool is_bulk_copy(std::string_view name) {
  return name.starts_with("SM90_TMA_") || name.starts_with("SM100_TMA_") ||
         name.starts_with("SM90_BULK_COPY_G2S") || name.starts_with("SM90_BULK_COPY_S2G");
}

std::vector<std::string> mma_atom_names() { return mma_index().names; }

std::vector<std::string> copy_atom_names() {
  std::vector<std::string> names;
  for (const NamedCopy& copy : copy_table()) names.push_back(copy.name);
  return names;
}

}  // namespace heddle::cute
