// A layout as an index map, with symbolic coordinates too.
//
// A coordinate is cut into runs of input bits that go, in order, to a run of output bits: each run
// is a shift of its bits, x // 2^i % 2^n * 2^j. If the output bits of two runs are disjoint, their
// XOR is their sum.

#include <algorithm>

#include "heddle/form/index_map.h"
#include "linear/bit_runs.h"

namespace heddle::linear {
namespace {

/// `count` bits of input `dim`, from bit `from` on, whose images are the bits from `to` on of one
/// output.
struct Shift {
  std::size_t dim = 0;
  int from = 0;
  int count = 0;
  int to = 0;
  bool reaches_top = false;

  [[nodiscard]] std::uint64_t outputs() const { return Run{0, count}.of(~std::uint64_t{0}) << to; }
};

/// The runs that map to one output, those with the most bits first.
std::vector<Shift> shifts_to(const LinearLayout& layout, const Run& out) {
  std::vector<Shift> shifts;
  const std::vector<Run> ins = runs_of(layout.in_dims());
  const auto leads = [&](const Run& in, int from, int to) {
    if (from < 0 || to < 0 || from >= in.bits || to >= out.bits) return false;
    const auto column = layout.matrix().columns()[in.begin + static_cast<std::size_t>(from)];
    return (out.of(column) >> to & 1U) != 0;
  };
  for (std::size_t dim = 0; dim < ins.size(); ++dim) {
    for (int from = 0; from < ins[dim].bits; ++from) {
      for (int to = 0; to < out.bits; ++to) {
        if (!leads(ins[dim], from, to) || leads(ins[dim], from - 1, to - 1)) continue;
        int count = 1;
        while (leads(ins[dim], from + count, to + count)) ++count;
        shifts.push_back({dim, from, count, to, from + count == ins[dim].bits});
      }
    }
  }
  std::ranges::stable_sort(shifts, std::ranges::greater(), &Shift::count);
  return shifts;
}

Int term(const Shift& shift, const Int& coordinate) {
  const Int low = floor_div(coordinate, std::int64_t{1} << shift.from);
  const Int bits = shift.reaches_top ? low : mod(low, std::int64_t{1} << shift.count);
  return bits * (std::int64_t{1} << shift.to);
}

/// The coordinate on one output.
Int image(const std::vector<Shift>& shifts, std::span<const Int> indices) {
  Int result = 0;
  std::uint64_t taken = 0;
  for (const Shift& shift : shifts) {
    const Int next = term(shift, indices[shift.dim]);
    const bool overlaps = (taken & shift.outputs()) != 0;
    result = overlaps ? bit_xor(result, next) : result + next;
    taken |= shift.outputs();
  }
  return result;
}

bool are_constant(std::span<const Int> indices) {
  return std::ranges::all_of(indices, &Int::is_constant);
}

/// The bits of constant indices; nullopt if one is outside its dimension.
std::optional<std::uint64_t> word_of(std::span<const Dimension> dims,
                                     std::span<const Int> indices) {
  std::uint64_t word = 0;
  std::size_t begin = 0;
  for (std::size_t i = 0; i < dims.size(); ++i) {
    const std::int64_t index = indices[i].value();
    if (index < 0 || index >= dims[i].size()) return std::nullopt;
    if (index != 0) word |= static_cast<std::uint64_t>(index) << begin;
    begin += static_cast<std::size_t>(dims[i].bits);
  }
  return word;
}

}  // namespace

form::IndexMap index_map(const LinearLayout& layout) {
  std::vector<Int> extents;
  for (const Dimension& in : layout.in_dims()) extents.emplace_back(in.size());
  std::vector<Axis> axes;
  for (const Dimension& out : layout.out_dims()) axes.emplace_back(out.name);
  std::vector<std::vector<Shift>> shifts;
  for (const Run& out : runs_of(layout.out_dims())) shifts.push_back(shifts_to(layout, out));

  const auto evaluate = [layout, shifts](std::span<const Int> indices) {
    std::vector<Int> result;
    if (!are_constant(indices)) {
      for (const auto& runs : shifts) result.push_back(image(runs, indices));
      return result;
    }
    const auto word = word_of(layout.in_dims(), indices);
    if (!word) return std::vector<Int>(layout.out_dims().size(), Int::undefined());
    for (const std::int64_t value : coordinates(layout.out_dims(), layout.matrix()(*word))) {
      result.emplace_back(value);
    }
    return result;
  };
  return {std::move(extents), form::FlatOrder::kFirstFastest, std::move(axes), evaluate};
}

}  // namespace heddle::linear
