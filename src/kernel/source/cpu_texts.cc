#include "kernel/source/cpu_texts.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "core/words.h"
#include "heddle/kernel/thread_program.h"
#include "kernel/lower/gemm_blocks.h"
#include "kernel/source/conversions.h"

namespace heddle::kernel {

namespace {

std::string listed(const std::vector<CParameter>& parameters) {
  std::string text;
  for (const CParameter& each : parameters) text += fmt::format("{} {}, ", each.type, each.name);
  return text;
}

/// `f32`, `i8_u8`: the types of a tile in names of functions.
std::string types_of(const TileFunction& tile) {
  if (tile.a == tile.type) return std::string(name_of(tile.type));
  return fmt::format("{}_{}", name_of(tile.a), name_of(tile.b));
}

Support of_tiles(std::string_view name) { return Support::of("cpu/tiles.h").group(name); }

Support dot(const TileFunction& tile) {
  const bool a_has_sign = tile.a == DType::kI8;
  const bool b_has_sign = tile.b == DType::kI8;
  return of_tiles("heddle_vector_fma_NAME")
      .with({{"HAS_DOT", a_has_sign || b_has_sign ? "1" : "0"},
             {"NO_SIGN", !a_has_sign ? "a" : (b_has_sign ? "a ^ 0x80808080u" : "b")},
             {"WITH_SIGN", b_has_sign ? "b" : "a"},
             {"NAME", types_of(tile)},
             {"_i8(a)", fmt::format("_{}(a)", name_of(tile.a))},
             {"_i8(b)", fmt::format("_{}(b)", name_of(tile.b))}});
}

/// Sums of integers wrap.
std::string held_as(const TileFunction& tile) {
  return std::string(tile.type == DType::kI32 ? "unsigned" : stored_as(tile.type, Target::kCpu));
}

/// The registers that a tile's rows are counted for, by the name that the text has for them.
struct NamedRegisters {
  std::string_view name;
  VectorRegisters registers;
};
constexpr std::array<NamedRegisters, 4> kHeights = {{{"HEIGHT_OF_512", {64, 32}},
                                                     {"HEIGHT_OF_256", {32, 16}},
                                                     {"HEIGHT_OF_NEON", {16, 32}},
                                                     {"HEIGHT_OF_128", {16, 16}}}};

/// Tiles of fewer rows than are in registers at once, which are at most so many.
std::string cases_text(std::int64_t most) {
  std::string cases;
  for (std::int64_t rows = 1; rows < most; ++rows) {
    cases += fmt::format(
        "#if HEDDLE_HEIGHT > {0}\n"
        "    case {0}:\n      heddle_tile_NAME_SIZE({0}, depth, a, a_row, a_step, b, b_step, c, "
        "c_row, adds);\n"
        "      break;\n"
        "#endif\n",
        rows);
  }
  return cases;
}

Support multiply(const TileFunction& tile) {
  std::vector<std::pair<std::string, std::string>> by;
  std::int64_t most = 1;
  for (const auto& [name, registers] : kHeights) {
    const std::int64_t height = tile_height(tile.size, bits(tile.type) / 8, registers);
    by.emplace_back(name, std::to_string(height));
    most = std::max(most, height);
  }
  const bool has_excess = tile.a == DType::kI8 && tile.b == DType::kI8;
  const std::vector<std::pair<std::string, std::string>> rest = {
      {"EXCESS", has_excess ? "EXCESS" : ""},
      {"CASES\n", cases_text(most)},
      {"NAME", types_of(tile)},
      {"SIZE", fmt::format("{}x{}", tile.size.rows, tile.size.columns)},
      {"TYPE", std::string(stored_as(tile.type, Target::kCpu))},
      {"HELD", held_as(tile)},
      {"ROWS", std::to_string(tile.size.rows)},
      {"COLUMNS", std::to_string(tile.size.columns)}};
  by.insert(by.end(), rest.begin(), rest.end());
  return of_tiles("heddle_multiply_NAME_SIZE").with(by);
}

}  // namespace

std::string cpu_head() { return Support::of("cpu/head.h").text(); }

bool CpuFunctions::add(std::string_view name, DType type) {
  constexpr std::array<std::string_view, 6> kOfF32 = {"exp", "exp2", "log", "log2", "tanh", "erf"};
  const bool is_made = name == "min" || name == "max" || (name == "rsqrt" && is_float(type));
  if (is_made) used_.emplace(name, type);
  return is_made || (type == DType::kF32 && std::ranges::find(kOfF32, name) != kOfF32.end());
}

std::string name_of(const TileFunction& tile) {
  return fmt::format("heddle_multiply_{}_{}x{}", types_of(tile), tile.size.rows, tile.size.columns);
}

std::string CpuFunctions::add(const PackPanel& panel, std::string_view loaded) {
  const DType type = panel.type;
  const DType from = panel.from_type;
  const bool has_bytes = panel.together != 1;
  const std::string prefix = has_bytes ? "heddle_pack_bytes_of_" : "heddle_pack_";
  const std::string types = has_bytes ? std::string(name_of(from))
                                      : fmt::format("{}_of_{}", name_of(type), name_of(from));
  const bool is_same = type == from;
  panels_.emplace(prefix + types,
                  Support::of("cpu/panels.h")
                      .group(prefix + "NAME")
                      .with({{"CONVERTED", is_same ? "" : "CONVERTED"},
                             {"ROWS_OF_I", is_same ? "from + i * row + k" : "held + i * kSteps"},
                             {"ROW", is_same ? "row" : "kSteps"},
                             {"LOADED", std::string(loaded)},
                             {"NAME", types},
                             {"TYPE", std::string(stored_as(type, Target::kCpu))},
                             {"FROM", std::string(stored_as(from, Target::kCpu))}}));
  return prefix + types;
}

Support CpuFunctions::support() const {
  const Support& math = Support::of("cpu/math.h");
  Support all = math;
  all += of_tiles("HEDDLE_VECTOR_BYTES");
  all += of_tiles("HEDDLE_DOT");
  std::set<std::string> with_vectors;
  for (const TileFunction& tile : tiles_) {
    if (with_vectors.insert(types_of(tile)).second) {
      all += of_tiles("heddle_NAMEs").with({{"NAME", types_of(tile)}, {"HELD", held_as(tile)}});
      if (tile.a != tile.type) all += dot(tile);
    }
    all += multiply(tile);
  }
  for (const auto& [name, type] : used_) {
    all += math.group(fmt::format("heddle_{}_NAME", name))
               .with({{"NAME", std::string(name_of(type))},
                      {"TYPE", std::string(stored_as(type, Target::kCpu))},
                      {" OR_NAN", is_float(type) ? " || a != a" : ""},
                      {"SQUARE_ROOT", type == DType::kF64 ? "sqrt" : "sqrtf"}});
  }
  for (const auto& [name, panel] : panels_) all += panel;
  return all;
}

namespace {

/// A function that computes an extent of the grid, whose sums need not fit into 32 bits, and a call
/// of it.
struct ExtentText {
  std::string function;
  std::string call;
};
ExtentText extent_text(const CpuFunction& function, std::size_t dimension) {
  const std::string& extent = function.grid[dimension];
  std::vector<std::string> parameters;
  std::vector<std::string> arguments;
  for (const CParameter& each : function.parameters) {
    if (!has_word(extent, each.name)) continue;
    parameters.push_back("long long " + each.name);
    arguments.push_back(each.name);
  }
  if (parameters.empty()) parameters.emplace_back("void");
  const std::string name = fmt::format("heddle_extent_{}_{}", function.name, dimension);
  return {fmt::format("\nstatic inline long long {}({}) {{ return {}; }}\n", name,
                      fmt::join(parameters, ", "), extent),
          fmt::format("{}({})", name, fmt::join(arguments, ", "))};
}

/// The blocks of a grid: the functions of its extents, how many blocks there are, the parameters of
/// a block, and what they are for block `heddle_i`.
struct GridText {
  std::string extents;
  std::string count = "1";
  std::string parameters;
  std::string arguments;
  std::string unused;
};
GridText grid_text(const CpuFunction& function) {
  constexpr std::array<std::string_view, 3> kBlocks = {"bx", "by", "bz"};
  GridText grid;
  for (std::size_t d = 0; d != function.grid.size(); ++d) {
    const auto [defined, extent] = extent_text(function, d);
    const std::string rest = d == 0 ? "heddle_i" : fmt::format("heddle_i / ({})", grid.count);
    grid.extents += defined;
    grid.count = d == 0 ? extent : fmt::format("{} * {}", grid.count, extent);
    grid.parameters += fmt::format("const int {}, ", kBlocks[d]);
    grid.arguments += fmt::format("(int)({} % ({})), ", rest, extent);
    grid.unused += fmt::format("  (void){};\n", kBlocks[d]);
  }
  return grid;
}

/// What a block does.
std::string block_text(const CpuFunction& function, const GridText& grid) {
  std::string unused;
  for (const CParameter& each : function.parameters) {
    if (!has_word(function.body, each.name)) unused += fmt::format("  (void){};\n", each.name);
  }
  return fmt::format(
      "\nstatic void heddle_block_{}({}{}unsigned char* heddle_memory) {{\n{}{}  "
      "(void)heddle_memory;\n{}}}\n",
      function.name, listed(function.parameters), grid.parameters, unused, grid.unused,
      function.body);
}

/// All blocks, given to threads.
std::string blocks_text(const CpuFunction& function, const GridText& grid) {
  std::string names;
  for (const CParameter& each : function.parameters) names += each.name + ", ";
  return fmt::format(R"(
int {0}({1}int heddle_threads, int heddle_core) {{
  const long long heddle_blocks = {2};
  int heddle_failed = 0;
  int heddle_count = heddle_workers(heddle_threads);
  if (heddle_count == 0) return 2;
  if (heddle_blocks < heddle_count) heddle_count = heddle_blocks < 1 ? 1 : (int)heddle_blocks;
#pragma omp parallel num_threads(heddle_count)
  {{
    heddle_cores heddle_before;
    if (heddle_core >= 0 && !heddle_pin(&heddle_before, heddle_core)) {{
#pragma omp atomic write
      heddle_failed = 2;
    }}
    unsigned char* const heddle_memory = aligned_alloc(64, {3});
    if (heddle_memory == NULL) {{
#pragma omp atomic write
      heddle_failed = 1;
    }}
#pragma omp barrier
#pragma omp for schedule(dynamic, heddle_blocks / (32LL * heddle_count) + 1)
    for (long long heddle_i = 0; heddle_i < (heddle_failed ? 0 : heddle_blocks); ++heddle_i) {{
      heddle_block_{0}({4}{5}heddle_memory);
    }}
    free(heddle_memory);
    if (heddle_core >= 0) heddle_unpin(&heddle_before);
  }}
  return heddle_failed;
}}
)",
                     function.name, listed(function.parameters), grid.count,
                     (std::max<std::int64_t>(function.bytes, 1) + 63) / 64 * 64, names,
                     grid.arguments);
}

/// The same with the arguments behind pointers.
std::string run_text(const CpuFunction& function) {
  std::string loaded;
  for (std::size_t i = 0; i != function.parameters.size(); ++i) {
    const std::string& type = function.parameters[i].type;
    loaded += type.ends_with('*') ? fmt::format("({})heddle_arguments[{}], ", type, i)
                                  : fmt::format("*(const {}*)heddle_arguments[{}], ", type, i);
  }
  return fmt::format(R"(
int heddle_run_{0}(void* const* heddle_arguments, int heddle_threads, int heddle_core) {{
  (void)heddle_arguments;
  return {0}({1}heddle_threads, heddle_core);
}}
)",
                     function.name, loaded);
}

}  // namespace

std::string to_string(const CpuFunction& function) {
  const GridText grid = grid_text(function);
  return grid.extents + block_text(function, grid) + blocks_text(function, grid) +
         run_text(function);
}

}  // namespace heddle::kernel
