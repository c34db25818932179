#include "heddle/axe/hardware.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "axe/hardware/split_axis.h"
#include "axe/layout/iters.h"
#include "axe/layout/reach.h"
#include "core/bits.h"
#include "core/text.h"
#include "expr/assume_needed.h"
#include "heddle/axe/canonical.h"

namespace heddle::axe {
namespace {

constexpr std::int64_t kPartitions = 128;
constexpr std::int64_t kBankElements = 512;
constexpr std::int64_t kWarpgroupThreads = 128;
/// Rows are swizzled in units of 16 bytes; an atom has 8 rows.
constexpr std::int64_t kUnitBits = 128;
constexpr std::int64_t kAtomRows = 8;

Result<void> check_shape(std::span<const Int> shape, const std::string& call) {
  HEDDLE_CHECK(check_extents(shape));
  HEDDLE_CHECK(check_defined(product(shape), [&] { return "the size of " + call; }));
  return {};
}

/// The partition dimension in units of 128, or 1 if 128 partitions suffice.
Result<Int> high_part(std::string_view annotation, std::span<const Int> shape,
                      const std::string& call) {
  Int partitions = 1;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (annotation[i] == 'P') partitions *= shape[i];
  }
  const auto needs = [&] { return call; };
  const bool is_single = std::ranges::count(annotation, 'P') == 1;
  const Condition within{partitions, Predicate::kAtMost, kPartitions};
  HEDDLE_TRY(const bool fits, is_single ? decide(within, needs) : decide_needed(within, needs));
  if (fits) return Int(1);
  if (!is_single) {
    return refuse(diagnose("axe.trainium", "{}: {} partitions; there are 128", call, partitions)
                      .with_hint("a single P may be larger: its high part goes to F"));
  }
  HEDDLE_TRY(const bool divides,
             decide_needed({kPartitions, Predicate::kDivides, partitions}, needs));
  if (divides) return floor_div(partitions, kPartitions);
  return refuse("axe.trainium", "{}: {} partitions are more than 128, and 128 does not divide them",
                call, partitions);
}

class MmaShared {
 public:
  MmaShared(std::int64_t element_bits, std::int64_t swizzle_bytes, std::span<const Int> shape)
      : bits_(element_bits),
        bytes_(swizzle_bytes),
        shape_(shape),
        call_(fmt::format("mma_shared_layout({}, {}, {})", bits_, bytes_, tuple_text(shape))) {}

  Result<Layout> run() const {
    HEDDLE_CHECK(check_parameters());
    HEDDLE_CHECK(check_shape(shape_, call_));
    const Int rows = shape_[shape_.size() - 2];
    const Int columns = shape_.back();
    const Int width = std::max<std::int64_t>(8 * bytes_, kUnitBits) / bits_;
    if (bytes_ == 0) {
      HEDDLE_TRY(const bool fits,
                 decide({width, Predicate::kDivides, columns}, [this] { return call_; }));
      return fits ? atoms(rows, columns, width, {}) : atoms(rows, columns, columns, {});
    }
    HEDDLE_CHECK(check_divides(kAtomRows, rows, "rows"));
    HEDDLE_CHECK(check_divides(width, columns, "columns"));
    HEDDLE_TRY(const Swizzle swizzle,
               Swizzle::make(log2_exact(kUnitBits / bits_), log2_exact(8 * bytes_ / kUnitBits), 3));
    return atoms(rows, columns, width, swizzle);
  }

 private:
  Result<void> check_parameters() const {
    if (!is_power_of_two(bits_) || bits_ > kUnitBits) {
      return refuse("axe.mma_shared",
                    "{}: elements of {} bits; their width is a power of two up to 128", call_,
                    bits_);
    }
    constexpr std::array<std::int64_t, 4> kWidths = {0, 32, 64, 128};
    if (std::ranges::find(kWidths, bytes_) == kWidths.end()) {
      return refuse("axe.mma_shared",
                    "{}: a swizzle of {} bytes; it has 32, 64 or 128, or 0 for none", call_,
                    bytes_);
    }
    if (shape_.size() >= 2) return {};
    return refuse("axe.mma_shared",
                  "{}: rank {}; the last two dimensions are rows and columns of the atoms", call_,
                  shape_.size());
  }

  Result<void> check_divides(const Int& part, const Int& whole, std::string_view what) const {
    HEDDLE_TRY(const bool divides,
               decide_needed({part, Predicate::kDivides, whole}, [this] { return call_; }));
    if (divides) return {};
    return refuse("axe.mma_shared", "{}: an atom has {} {}, which does not divide {}", call_, part,
                  what, whole);
  }

  /// All rows of `width` columns first, then the next columns.
  Result<Layout> atoms(const Int& rows, const Int& columns, const Int& width,
                       std::optional<Swizzle> swizzle) const {
    const Axis m = Axis::memory();
    std::vector<Iter> iters = {{width, 1, m}};  // fastest first
    if (width != columns) iters.push_back({floor_div(columns, width), rows * width, m});
    iters.push_back({rows, width, m});
    Int step = rows * columns;
    for (std::size_t i = shape_.size() - 2; i-- > 0;) {
      iters.push_back({shape_[i], step, m});
      step *= shape_[i];
    }
    std::ranges::reverse(iters);
    return Layout::make(std::move(iters), {}, {}, swizzle);
  }

  std::int64_t bits_;
  std::int64_t bytes_;
  std::span<const Int> shape_;
  std::string call_;
};

struct DataPath {
  std::string_view letters;
  std::int64_t rows;
  std::int64_t column_parts;  // side by side on the lanes
  bool is_scattered;          // 16 rows of every 32 lanes
};

constexpr std::array<DataPath, 4> kDataPaths = {{
    {"AD", 128, 1, false},
    {"BE", 64, 2, false},
    {"CF", 64, 1, true},
    {"G", 32, 4, false},
}};

/// tcgen05.ld and its registers.
struct LoadAtom {
  std::string_view name;
  std::int64_t rows;       // of a warp
  std::int64_t registers;  // of a thread, in one repetition
  std::int64_t columns;    // of 32 bits, in one repetition
  std::int64_t most;       // repetitions
};

constexpr std::array<LoadAtom, 4> kLoadAtoms = {{
    {"32x32b", 32, 1, 1, 128},
    {"16x64b", 16, 1, 2, 128},
    {"16x128b", 16, 2, 4, 64},
    {"16x256b", 16, 4, 8, 32},
}};

class LoadedRegisters {
 public:
  LoadedRegisters(std::string_view name, std::span<const std::int64_t> shape, std::int64_t bits)
      : name_(name), shape_(shape), bits_(bits) {}

  Result<Layout> run() {
    const auto* atom = std::ranges::find(kLoadAtoms, name_, &LoadAtom::name);
    if (atom == kLoadAtoms.end()) {
      return fail("the instructions are 32x32b, 16x64b, 16x128b and 16x256b");
    }
    if (bits_ != 16 && bits_ != 32) return fail("elements have 16 or 32 bits");
    if (shape_.size() != 2) return fail("a tile has rows and columns");
    if (rows() != 64 && rows() != 128) return fail("a tile has 64 or 128 rows");
    const bool is_folded = atom->rows == 32 && rows() == 64;
    if (is_folded && bits_ != 32) return fail("64 rows of 32x32b are of elements of 32 bits");
    const std::int64_t width = atom->columns * packed() * (is_folded ? 2 : 1);
    repetitions_ = columns() / width;
    if (columns() < 1 || columns() % width != 0 || !is_power_of_two(repetitions_) ||
        repetitions_ > atom->most) {
      return fail(fmt::format("its columns are {} times 1, 2, 4, … up to {}", width, atom->most));
    }
    if (atom->rows == 16) return slabs(*atom);
    if (is_folded) return Layout::make({{64, 1, thread_}, {2, 64, thread_}, {repetitions_, 1, m_}});
    return Layout::make({{rows(), 1, thread_}, {columns(), 1, m_}});
  }

 private:
  [[nodiscard]] std::int64_t rows() const { return shape_[0]; }
  [[nodiscard]] std::int64_t columns() const { return shape_[1]; }
  /// The elements of a register.
  [[nodiscard]] std::int64_t packed() const { return 32 / bits_; }

  [[nodiscard]] Refusal fail(const std::string& why) const {
    const std::vector<Int> shape(shape_.begin(), shape_.end());
    return refuse("axe.tcgen05", "tcgen05_atom_layout(\"{}\", {}, {}): {}", name_,
                  tuple_text(shape), bits_, why);
  }

  /// Slabs of 16 rows for each warp.
  [[nodiscard]] Result<Layout> slabs(const LoadAtom& atom) const {
    const std::int64_t step = packed();
    const bool is_by_lane = atom.registers == 1;
    std::vector<Iter> iters = {{4, 1, Axis("wid_in_wg")}};
    if (rows() == 128) iters.push_back({2, atom.registers * repetitions_ * step, m_});
    iters.push_back(is_by_lane ? Iter{2, 1, lane_} : Iter{2, atom.registers / 2 * step, m_});
    iters.push_back({8, 4, lane_});
    iters.push_back({repetitions_, atom.registers * step, m_});
    iters.push_back(is_by_lane ? Iter{2, 2, lane_} : Iter{4, 1, lane_});
    if (atom.registers == 4) iters.push_back({2, step, m_});
    if (step > 1) iters.push_back({step, 1, m_});
    return Layout::make(std::move(iters));
  }

  std::string_view name_;
  std::span<const std::int64_t> shape_;
  std::int64_t bits_;
  std::int64_t repetitions_ = 0;
  Axis m_ = Axis::memory();
  Axis lane_ = Axis("laneid");
  Axis thread_ = Axis("tid_in_wg");
};

}  // namespace

Result<Layout> trainium(std::string_view annotation, std::span<const Int> shape) {
  const std::string call = fmt::format("trainium(\"{}\", {})", annotation, tuple_text(shape));
  if (annotation.find_first_not_of("PF") != std::string_view::npos) {
    return refuse("axe.trainium", call + ": an annotation has letters P and F only");
  }
  if (annotation.size() != shape.size()) {
    return refuse("axe.trainium", "{}: {} letters for {}", call, annotation.size(),
                  counted(shape.size(), "dimension"));
  }
  HEDDLE_CHECK(check_shape(shape, call));
  HEDDLE_TRY(const Int high, high_part(annotation, shape, call));
  std::vector<Iter> iters;  // fastest first
  Int partitions = 1;
  Int free = 1;
  std::optional<std::size_t> high_position;
  for (std::size_t i = shape.size(); i-- > 0;) {
    const bool is_partition = annotation[i] == 'P';
    const bool is_cut = is_partition && high != Int(1);
    const Int extent = is_cut ? Int(kPartitions) : shape[i];
    Int& step = is_partition ? partitions : free;
    iters.push_back({extent, step, Axis(is_partition ? "P" : "F")});
    step *= extent;
    if (is_cut) high_position = iters.size();
  }
  if (high_position) {
    iters.insert(iters.begin() + static_cast<std::ptrdiff_t>(*high_position),
                 {high, free, Axis("F")});
  }
  std::ranges::reverse(iters);
  return Layout::make(std::move(iters));
}

Result<Layout> to_psum(const Layout& layout) {
  const std::string call = fmt::format("to_psum({})", layout);
  const Axis free("F");
  const Axis bank("Bank");
  HEDDLE_TRY(const Layout canonical, canonicalize(layout));
  if (std::ranges::count(axes(canonical), bank) != 0) {
    return refuse("axe.psum", "{}: the layout has banks already", call);
  }
  const Int low = reach(canonical, free).low;
  HEDDLE_TRY(const bool is_place,
             decide_needed({0, Predicate::kAtMost, low}, [&] { return call; }));
  if (!is_place) {
    return refuse("axe.psum", "{}: F runs down to {}; banks are counted from 0", call, low);
  }
  HEDDLE_TRY(const Layout split, split_axis(canonical, {.code = "axe.psum",
                                                        .call = call,
                                                        .from = free,
                                                        .unit = kBankElements,
                                                        .high = bank,
                                                        .low = free}));
  return canonicalize(split);
}

Result<Layout> mma_shared_layout(std::int64_t element_bits, std::int64_t swizzle_bytes,
                                 std::span<const Int> shape) {
  return MmaShared(element_bits, swizzle_bytes, shape).run();
}

Result<Layout> tmem_datapath_layout(char datapath, const Int& rows, const Int& cols,
                                    std::int64_t sub_slab) {
  const std::string call =
      fmt::format("tmem_datapath_layout('{}', {}, {}, {})", datapath, rows, cols, sub_slab);
  const auto needs = [&] { return call; };
  const auto* path = std::ranges::find_if(kDataPaths, [&](const DataPath& candidate) {
    return candidate.letters.find(datapath) != std::string_view::npos;
  });
  if (path == kDataPaths.end()) {
    return refuse("axe.datapath", call + ": the data paths are A, B, C, D, E, F and G");
  }
  const std::vector<Int> shape = {rows, cols};
  HEDDLE_CHECK(check_shape(shape, call));
  HEDDLE_TRY(const bool is_height, decide_needed({path->rows, Predicate::kEqual, rows}, needs));
  if (!is_height) {
    return refuse("axe.datapath", "{}: data path {} has {}, not {}", call, datapath,
                  counted(path->rows, "row"), rows);
  }
  HEDDLE_TRY(const bool is_whole,
             decide_needed({path->column_parts, Predicate::kDivides, cols}, needs));
  if (!is_whole) {
    return refuse(
        "axe.datapath",
        "{}: data path {} puts {} parts of the columns side by side; {} columns have no such parts",
        call, datapath, path->column_parts, cols);
  }
  if (sub_slab != 0 && (sub_slab != 1 || !path->is_scattered)) {
    return refuse("axe.datapath",
                  "{}: sub_slab is 0, or 1 for C and F, which take half of the lanes", call);
  }
  const Axis lane("TLane");
  const Axis column("TCol");
  if (path->is_scattered) {
    return Layout::make({{4, 32, lane}, {16, 1, lane}, {cols, 1, column}}, {},
                        {{lane, 16 * sub_slab}});
  }
  if (path->column_parts == 1) return Layout::make({{rows, 1, lane}, {cols, 1, column}});
  return Layout::make({{rows, 1, lane},
                       {path->column_parts, rows, lane},
                       {floor_div(cols, path->column_parts), 1, column}});
}

Result<Layout> tcgen05_atom_layout(std::string_view instruction,
                                   std::span<const std::int64_t> shape, std::int64_t element_bits) {
  return LoadedRegisters(instruction, shape, element_bits).run();
}

Result<Layout> wg_local_layout(const Int& cols, const Int& rows) {
  const std::string call = fmt::format("wg_local_layout({}, {})", cols, rows);
  const std::vector<Int> shape = {rows, cols};
  HEDDLE_CHECK(check_shape(shape, call));
  HEDDLE_TRY(const bool fits,
             decide_needed({rows, Predicate::kAtMost, kWarpgroupThreads}, [&] { return call; }));
  if (fits) return Layout::make({{rows, 1, Axis("tid_in_wg")}, {cols, 1, Axis::memory()}});
  return refuse(diagnose("axe.thread_range", "{}: tid_in_wg runs from 0 to {}", call, rows - 1)
                    .with_note("a warpgroup has 128 threads"));
}

}  // namespace heddle::axe
