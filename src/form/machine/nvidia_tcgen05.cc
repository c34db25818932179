// The tensor cores of data-centre Blackwell: tcgen05.mma, whose operands are in shared memory and
// in tensor memory, and the copies between tensor memory, registers and shared memory.
//
// Tensor memory has 128 data paths (`dp`, Axe's TLane) with `column`s (TCol), which are counted in
// the slots of the operand: 32 bits for an accumulator, the bits of an element for A, 8 for scale
// factors, 1 for metadata. Layouts A to G of PTX are those of D:
//
//   M = 128      a row in each data path (D); for two CTAs with 256 rows each (A)
//   M = 64       rows in the first half of each 32 data paths (F); with .ws all columns of the
//                second half follow in the upper 64 data paths (E), for two CTAs too (B)
//   M = 32, .ws  each quarter of the columns in its own 32 data paths (G)
//
// Sources: CuTe, mma_traits_sm100 and tmem_frg; TVM 0.27; PTX ISA 9.0, 9.7.16.

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/text.h"
#include "form/machine/families.h"
#include "form/machine/names.h"
#include "form/machine/nvidia_names.h"
#include "form/machine/nvidia_rules.h"

namespace heddle::form {
namespace {

constexpr std::int64_t kDataPaths = 128;
constexpr std::int64_t kPathsOfWarp = 32;
constexpr std::string_view kPrefix = "SM100_MMA_";
constexpr std::string_view kTcgen05Source = "CuTe, mma_traits_sm100; PTX ISA 9.0";

/// What one kind of tcgen05.mma multiplies.
struct Tcgen05Kind {
  /// CuTe's name and PTX's.
  std::string_view cute;
  std::string_view ptx;
  /// The first arguments of CuTe's template: A, B and C, and the scale factors.
  std::vector<std::string_view> types;
  std::int64_t k = 16;
  /// Elements along K that share a scale factor; 0 without scales.
  std::int64_t vector = 0;
};

const std::vector<Tcgen05Kind>& tcgen05_kinds() {
  static const std::vector<Tcgen05Kind> kinds = {
      {"F16BF16",
       "f16",
       {"half_t,half_t,float", "half_t,half_t,half_t", "bfloat16_t,bfloat16_t,float"},
       16},
      {"TF32", "tf32", {"tfloat32_t,tfloat32_t,float"}, 8},
      {"S8",
       "i8",
       {"int8_t,int8_t,int32_t", "int8_t,uint8_t,int32_t", "uint8_t,int8_t,int32_t",
        "uint8_t,uint8_t,int32_t"},
       32},
      {"F8F6F4",
       "f8f6f4",
       {"float_e4m3_t,float_e4m3_t,float", "float_e4m3_t,float_e4m3_t,half_t"},
       32},
      {"MXF8F6F4", "mxf8f6f4", {"float_e4m3_t,float_e4m3_t,float,float_ue8m0_t"}, 32, 32},
      {"MXF4", "mxf4", {"float_e2m1_t,float_e2m1_t,float,float_ue8m0_t"}, 64, 32},
      {"MXF4",
       "mxf4nvf4",
       {"float_e2m1_t,float_e2m1_t,float,float_ue8m0_t",
        "float_e2m1_t,float_e2m1_t,float,float_ue4m3_t"},
       64,
       16},
  };
  return kinds;
}

/// How an instruction of a kind is carried out.
struct Tcgen05Form {
  const Tcgen05Kind* kind = nullptr;
  std::int64_t m = 128;
  std::int64_t n = 128;
  std::int64_t ctas = 1;
  bool a_in_tensor_memory = false;
  bool is_sparse = false;
  /// By the name of PTX, `.ws`: A stays while B and D change.
  bool is_stationary = false;

  [[nodiscard]] std::int64_t k() const { return kind->k * (is_sparse ? 2 : 1); }
};

// ---- Where operands are ----

/// `held` in each CTA, whose rows follow those of the CTA before.
Fragment in_ctas(std::vector<std::string_view> places, Factor factor, std::vector<Deal> held,
                 std::string_view along_ctas, std::int64_t ctas) {
  if (ctas != 1) {
    places.emplace_back("cta");
    held.push_back({"cta", along_ctas, ctas});
  }
  return {std::move(places), in_order(factor, dims_of(factor)), held};
}

/// The rows of one CTA in the data paths, and the columns that do not follow in the column.
Fragment accumulator_of(const Tcgen05Form& form) {
  const std::int64_t rows = form.m / form.ctas;
  std::vector<Deal> deals;
  if (rows == kDataPaths) {
    deals = {{"dp", "row", rows}, {"column", "col", form.n}};
  } else if (form.is_stationary || (form.ctas == 2 && !form.is_sparse)) {
    const std::int64_t parts = kDataPaths / rows;
    deals = {{"dp", "row", rows}, {"column", "col", form.n / parts}, {"dp", "col", parts}};
  } else {
    deals = {{"dp", "row", 16}, {"dp", kUnused, 2}, {"dp", "row", 4}, {"column", "col", form.n}};
  }
  return in_ctas({"dp", "column"}, Factor::kA, std::move(deals), "row", form.ctas);
}

/// A in tensor memory: as the accumulator, but a pair of CTAs with 64 rows each has them twice.
Fragment a_in_tensor_memory(const Tcgen05Form& form) {
  if (form.ctas == 2 && form.m / form.ctas != kDataPaths) {
    return in_ctas({"dp", "column"}, Factor::kA,
                   {{"dp", "row", form.m / 2}, {"dp", kCopies, 2}, {"column", "col", form.k()}},
                   "row", form.ctas);
  }
  Tcgen05Form as_sum = form;
  as_sum.n = form.k();
  return accumulator_of(as_sum);
}

Fragment in_shared_of_ctas(Factor factor, std::int64_t across, std::int64_t along,
                           std::int64_t ctas) {
  const FactorDims dims = dims_of(factor);
  return in_ctas({"shared"}, factor,
                 {{"shared", dims.across, across / ctas}, {"shared", dims.along, along}},
                 dims.across, ctas);
}

/// A column of 4 bytes has the factors of a row; 32 rows are in the data paths of a warp, which all
/// warps repeat, and the next 32 rows in the next column.
Fragment scales_of(const Tcgen05Form& form, Factor factor) {
  constexpr std::int64_t kBytes = 4;
  const FactorDims dims = dims_of(factor);
  const bool is_a = factor == Factor::kA;
  const std::int64_t across = is_a ? form.m / form.ctas : form.n;
  const std::int64_t factors = form.k() / form.kind->vector;
  return in_ctas({"dp", "column"}, factor,
                 {{"dp", dims.across, kPathsOfWarp},
                  {"column", dims.along, factors},
                  {"column", kUnused, kBytes / factors},
                  {"column", dims.across, (across + kPathsOfWarp - 1) / kPathsOfWarp},
                  {"dp", kCopies, kDataPaths / kPathsOfWarp}},
                 is_a ? dims.across : kCopies, form.ctas);
}

/// The metadata of 128 rows: 8-bit elements have 64 bits of a row in its data path, larger ones 16
/// bits of two rows that are 8 apart, in two data paths that are 8 apart.
std::vector<Deal> metadata_deals(std::int64_t k, int bits) {
  if (bits == 8) return {{"dp", "row", kDataPaths}, {"column", "col", k}};
  return {{"dp", "row", 8},
          {"column", "col", k / 2},
          {"dp", "col", 2},
          {"column", "row", 2},
          {"dp", "row", kDataPaths / 16}};
}

// ---- Instructions ----

/// What the descriptor of the instruction chooses.
constexpr std::string_view kChosen = "e4m3/e5m2/e3m2/e2m3/e2m1";

InstructionOperand factor_operand(std::string name, const Tcgen05Kind& kind, NvidiaType type,
                                  Fragment fragment) {
  const bool is_chosen = kind.cute.ends_with("F8F6F4");
  if (is_chosen) type.name = kChosen;
  const bool is_shared = fragment.place("shared").has_value();
  InstructionOperand operand = nvidia_operand(std::move(name), type, std::move(fragment));
  operand.note = is_shared ? "in shared memory, through a descriptor" : "in tensor memory";
  if (is_chosen) operand.note += "; the instruction descriptor chooses the type";
  return operand;
}

InstructionOperand scale_operand_of(std::string name, const Tcgen05Form& form, Factor factor,
                                    const NvidiaType& type) {
  InstructionOperand scales = nvidia_operand(std::move(name), type, scales_of(form, factor));
  scales.note = fmt::format(
      "a factor for {} along K; a column is a byte, of each four "
      "those that the scale factor id names",
      counted(form.kind->vector, "element"));
  return scales;
}

std::vector<NvidiaType> types_of(std::string_view arguments) {
  std::vector<NvidiaType> types;
  for (const std::string_view argument : split(arguments, ',')) {
    types.push_back(nvidia_type(argument));
  }
  return types;
}

Instruction tcgen05_mma(const std::string& name, const Tcgen05Form& form,
                        std::string_view arguments) {
  const std::vector<NvidiaType> types = types_of(arguments);
  const Tcgen05Kind& kind = *form.kind;
  const std::int64_t k = form.k();
  InstructionOperand sum = nvidia_operand("C", types[2], accumulator_of(form));
  sum.slot_bits = 32;
  sum.note = "in tensor memory";
  Instruction made = {
      .name = name,
      .machine = "sm_100",
      .shape = {form.m, form.n, k},
      .operands = {factor_operand("A", kind, types[0],
                                  form.a_in_tensor_memory
                                      ? a_in_tensor_memory(form)
                                      : in_shared_of_ctas(Factor::kA, form.m, k, form.ctas)),
                   factor_operand("B", kind, types[1],
                                  in_shared_of_ctas(Factor::kB, form.n, k, form.ctas)),
                   sum, sum},
      .source = std::string(kTcgen05Source)};
  made.operands.back().name = "D";
  if (form.m == 64 && form.is_stationary) {
    made.note = "PTX's manual calls the data paths of this layout (E) 2x3, where 2x2 is meant";
  }
  if (kind.vector != 0) {
    made.operands.push_back(scale_operand_of("SFA", form, Factor::kA, types[3]));
    made.operands.push_back(scale_operand_of("SFB", form, Factor::kB, types[3]));
  }
  if (form.is_sparse) {
    made.operands[0].shared_by = 2;
    made.operands[0].note += fmt::format("; {}", kSparseNote);
    // No source is known that states the metadata of 64 rows.
    if (form.m / form.ctas == kDataPaths) {
      InstructionOperand index{"E", "index", types[0].bits == 32 ? 2 : 1,
                               in_ctas({"dp", "column"}, Factor::kA,
                                       metadata_deals(k, types[0].bits), "row", form.ctas)};
      index.note = "in tensor memory; a column is the bits of one element along K";
      made.operands.push_back(std::move(index));
    }
  }
  return made;
}

/// `SM100_MMA_F16BF16_2x1SM_TS<half_t,half_t,float,128,64>`, without the majors of A and B, which
/// change nothing but the descriptors.
std::string cute_name(const Tcgen05Form& form, std::string_view arguments) {
  const Tcgen05Kind& kind = *form.kind;
  return fmt::format("{}{}{}_{}S{}<{},{},{}{}>", kPrefix, kind.cute, form.ctas == 2 ? "_2x1SM" : "",
                     form.a_in_tensor_memory ? "T" : "S", form.is_sparse ? "_SPARSE" : "",
                     arguments, form.m, form.n,
                     kind.cute == "MXF4" ? fmt::format(",{}", kind.vector) : "");
}

/// PTX's mnemonic, and the sizes that the instruction descriptor has.
std::string ptx_name(const Tcgen05Form& form) {
  return fmt::format("tcgen05.mma{}{}.cta_group::{}.kind::{}{}.{}", form.is_stationary ? ".ws" : "",
                     form.is_sparse ? ".sp" : "", form.ctas, form.kind->ptx,
                     form.kind->vector != 0 ? ".block_scale" : "",
                     ptx_shape({form.m, form.n, form.k()}));
}

void list_form(InstructionListings& listings, const Tcgen05Form& form) {
  for (const std::string_view arguments : form.kind->types) {
    std::string name = form.is_stationary ? ptx_name(form) : cute_name(form, arguments);
    std::vector<std::string> aliases;
    if (!form.is_stationary) aliases.push_back(ptx_name(form));
    listings.push_back(
        {.name = name,
         .machine = "sm_100",
         .make = [name, form, arguments] { return tcgen05_mma(name, form, arguments); },
         .aliases = std::move(aliases)});
  }
}

/// From where on, and by which steps, N runs up to 256.
std::int64_t step_of_n(const Tcgen05Form& form) {
  const bool is_integer = form.kind->cute == "S8";
  if (form.ctas == 2) return is_integer ? 32 : 16;
  return form.a_in_tensor_memory && form.m == kDataPaths ? 16 : 8;
}

bool has_columns(const Tcgen05Form& form) {
  return form.kind->cute != "S8" || has_integer_width(form.n);
}

void list_widths(InstructionListings& listings, Tcgen05Form form) {
  constexpr std::int64_t kWidestN = 256;
  const std::int64_t step = step_of_n(form);
  for (form.n = step; form.n <= kWidestN; form.n += step) {
    if (has_columns(form)) list_form(listings, form);
  }
}

void list_kind(InstructionListings& listings, const Tcgen05Kind& kind) {
  for (const std::int64_t ctas : {1, 2}) {
    for (const std::int64_t rows : {std::int64_t{64}, kDataPaths}) {
      for (const bool in_tensor_memory : {false, true}) {
        for (const bool is_sparse : {false, true}) {
          const bool is_scaled = kind.vector != 0;
          if (is_scaled && (rows == 64 || in_tensor_memory || is_sparse)) continue;
          list_widths(listings, {.kind = &kind,
                                 .m = rows * ctas,
                                 .ctas = ctas,
                                 .a_in_tensor_memory = in_tensor_memory,
                                 .is_sparse = is_sparse});
        }
      }
    }
  }
  if (kind.vector != 0) return;
  for (const std::int64_t rows : {32, 64, 128}) {
    for (const std::int64_t n : {64, 128, 256}) {
      list_form(listings, {.kind = &kind, .m = rows, .n = n, .is_stationary = true});
    }
  }
}

// ---- Copies ----

constexpr std::string_view kCopySource = "CuTe, copy_traits_sm100; PTX ISA 9.0";

/// A shape of tcgen05.ld and .st: data paths, and bits of each that a repetition moves.
struct PathShape {
  std::string_view cute;
  std::string_view ptx;
  std::int64_t most;
};
constexpr PathShape kPathShapes[] = {{"16dp256b", "16x256b", 32},
                                     {"16dp128b", "16x128b", 64},
                                     {"16dp64b", "16x64b", 128},
                                     {"16dp32b", "16x32bx2", 128},
                                     {"32dp32b", "32x32b", 128}};

/// The registers of a lane; `halves` is 2 if each has two elements of 16 bits, from two columns.
Fragment registers_of(std::string_view shape, std::int64_t repetitions, std::int64_t halves) {
  const Deal first = {"register", "column", halves};
  const Deal rest = {"register", "column", repetitions};
  std::vector<Deal> deals;
  if (shape == "32dp32b") {
    deals = {first, rest, {"lane", "dp", 32}};
  } else if (shape == "16dp32b") {
    deals = {first, rest, {"lane", "dp", 16}, {"lane", "column", 2}};
  } else if (shape == "16dp64b") {
    deals = {first,
             {.place = "lane", .dim = "dp", .extent = 2, .step = 8},
             {"lane", "column", 2},
             {.place = "lane", .dim = "dp", .extent = 8, .step = 1},
             rest};
  } else {
    deals = {{"register", "column", halves * (shape == "16dp256b" ? 2 : 1)},
             {"lane", "column", 4},
             {"lane", "dp", 8},
             {"register", "dp", 2},
             rest};
  }
  return {{"register", "lane"}, {"dp", "column"}, deals};
}

Instruction copy_of_paths(const std::string& name, std::string machine, bool is_load,
                          Fragment registers, bool is_packed) {
  const int bits = is_packed ? 16 : 32;
  InstructionOperand held{is_load ? "dst" : "src", is_packed ? "b16" : "b32", bits,
                          std::move(registers)};
  if (is_packed) held.note = "two elements in a register; in tensor memory each has 32 bits";
  return {.name = name,
          .machine = std::move(machine),
          .lanes = kPathsOfWarp,
          .operands = {std::move(held)},
          .source = std::string(kCopySource),
          .from = is_load ? "tensor" : "registers",
          .to = is_load ? "registers" : "tensor"};
}

void list_path_copies(InstructionListings& listings) {
  for (const bool is_load : {true, false}) {
    for (const PathShape& shape : kPathShapes) {
      for (std::int64_t count = 1; count <= shape.most; count *= 2) {
        for (const bool is_packed : {false, true}) {
          const std::string name = fmt::format("SM100_TMEM_{}_{}{}x{}", is_load ? "LOAD" : "STORE",
                                               shape.cute, count, is_packed ? "_16b" : "");
          const std::string ptx =
              fmt::format("tcgen05.{}.sync.aligned.{}.x{}{}.b32", is_load ? "ld" : "st", shape.ptx,
                          count, is_packed ? (is_load ? ".pack::16b" : ".unpack::16b") : "");
          listings.push_back({.name = name,
                              .machine = "sm_100",
                              .lanes = kPathsOfWarp,
                              .make =
                                  [=, &shape] {
                                    return copy_of_paths(
                                        name, "sm_100", is_load,
                                        registers_of(shape.cute, count, is_packed ? 2 : 1),
                                        is_packed);
                                  },
                              .aliases = {ptx}});
        }
      }
    }
  }
  for (const std::int64_t count : {32, 128}) {
    const std::string name = fmt::format("SM100_TMEM_LOAD_STAT_32dp32b{}x", count);
    listings.push_back(
        {.name = name,
         .machine = "sm_103",
         .lanes = kPathsOfWarp,
         .make =
             [=] {
               Instruction made =
                   copy_of_paths(name, "sm_103", true, registers_of("32dp32b", count, 1), false);
               made.note = "another register has the minimum or maximum of the columns";
               return made;
             },
         .aliases = {fmt::format("tcgen05.ld.red.sync.aligned.32x32b.x{}.max.f32", count)}});
  }
}

/// tcgen05.cp: rows of shared memory to data paths, in columns of 32 bits.
struct MatrixCopy {
  std::string_view cute;
  std::string_view ptx;
  /// Which warps hold the same.
  std::string_view multicast;
  std::vector<Deal> paths;
};

const std::vector<MatrixCopy>& matrix_copies() {
  static const std::vector<MatrixCopy> rows = {
      {"128dp256bit", "128x256b", "", {{"column", "col", 8}, {"dp", "row", 128}}},
      {"128dp128bit", "128x128b", "", {{"column", "col", 4}, {"dp", "row", 128}}},
      {"4dp256bit",
       "4x256b",
       "",
       {{"column", "col", 8}, {"dp", kUnused, kPathsOfWarp}, {"dp", "row", 4}}},
      {"4x32dp128bit",
       "32x128b",
       ".warpx4",
       {{"column", "col", 4}, {"dp", "row", 32}, {"dp", kCopies, 4}}},
      {"2x64dp128bitlw0213",
       "64x128b",
       ".warpx2::02_13",
       {{"column", "col", 4}, {"dp", "row", 64}, {"dp", kCopies, 2}}},
      {"2x64dp128bitlw0123",
       "64x128b",
       ".warpx2::01_23",
       {{"column", "col", 4}, {"dp", "row", 32}, {"dp", kCopies, 2}, {"dp", "row", 2}}},
  };
  return rows;
}

Instruction matrix_copy(const std::string& name, const MatrixCopy& row, std::int64_t ctas) {
  const Fragment paths = in_ctas({"dp", "column"}, Factor::kA, row.paths, kCopies, ctas);
  const std::int64_t rows = paths.dims()[0].size;
  const std::int64_t columns = paths.dims()[1].size;
  const Fragment shared = in_ctas(
      {"shared"}, Factor::kA, {{"shared", "col", columns}, {"shared", "row", rows}}, kCopies, ctas);
  return {.name = name,
          .machine = "sm_100",
          .shape = {rows, columns, 1},
          .operands = {{"src", "b32", 32, shared, 32, "in shared memory, through a descriptor"},
                       {"dst", "b32", 32, paths}},
          .source = std::string(kCopySource),
          .from = "shared",
          .to = "tensor"};
}

void list_matrix_copies(InstructionListings& listings) {
  for (const MatrixCopy& row : matrix_copies()) {
    for (const std::int64_t ctas : {1, 2}) {
      const std::string name = fmt::format("SM100_UTCCP_{}_{}cta", row.cute, ctas);
      listings.push_back({.name = name,
                          .machine = "sm_100",
                          .make = [name, ctas, &row] { return matrix_copy(name, row, ctas); },
                          .aliases = {fmt::format("tcgen05.cp.cta_group::{}.{}{}", ctas, row.ptx,
                                                  row.multicast)}});
    }
  }
}

}  // namespace

void list_nvidia_tcgen05(InstructionListings& listings) {
  for (const Tcgen05Kind& kind : tcgen05_kinds()) list_kind(listings, kind);
  list_path_copies(listings);
  list_matrix_copies(listings);
}

}  // namespace heddle::form
