#include "support/contract.h"

#include <algorithm>
#include <set>

namespace heddle::test {

bool compatible(const Plain& a, const Plain& b) {
  if (a.is_leaf()) return size(a) == size(b);
  if (a.modes.size() != b.modes.size()) return false;
  for (std::size_t i = 0; i < a.modes.size(); ++i) {
    if (!compatible(a.modes[i], b.modes[i])) return false;
  }
  return true;
}

std::int64_t flat_coordinate(IntTupleView crd, const Plain& shape) {
  if (crd.is_leaf()) return crd.leaf().value();
  std::int64_t flat = 0;
  std::int64_t scale = 1;
  for (std::size_t i = 0; i < shape.modes.size(); ++i) {
    flat += scale * flat_coordinate(crd.mode(i), shape.modes[i]);
    scale *= size(shape.modes[i]);
  }
  return flat;
}

Finding check_composition(const Plain& a, const Plain& b, const Plain& r) {
  if (!compatible(b, r)) return found(to_string(r), " does not keep the modes of ", to_string(b));
  const std::int64_t n = size(b);
  for (std::int64_t c = 0; c < n; ++c) {
    const std::int64_t wanted = evaluate(a, evaluate(b, c));
    const std::int64_t got = evaluate(r, c);
    if (got != wanted) return found(to_string(r), "(", c, ") = ", got, ", wanted ", wanted);
  }
  return kHolds;
}

bool composition_exists(const Plain& a, const Plain& b) {
  const std::vector<Plain> modes = leaves(b);
  std::vector<Plain> result;
  for (const Plain& mode : modes) {
    std::vector<std::int64_t> values;
    for (std::int64_t k = 0; k < mode.extent; ++k) values.push_back(evaluate(a, k * mode.stride));
    const std::vector<std::vector<Plain>> layouts = layouts_with(values);
    if (layouts.empty()) return false;
    result.push_back(plain_layout(layouts.front()));
  }
  const Plain flat_b = plain_tuple(modes);
  return !check_composition(a, flat_b, plain_tuple(result));
}

Finding check_complement(const Plain& a, std::int64_t target, const Plain& r) {
  std::set<std::int64_t> taken;
  for (const std::int64_t index : table(a)) {
    if (index != 0) taken.insert(index);
  }
  const std::vector<std::int64_t> values = table(r);
  for (std::size_t y = 1; y < values.size(); ++y) {
    if (taken.count(values[y]) > 0) return found("both reach ", values[y]);
    if (values[y] <= values[y - 1]) return found("not increasing at ", y, ": ", values[y]);
  }
  std::int64_t distinct = 1;
  for (const Plain& leaf : leaves(a)) distinct *= leaf.stride == 0 ? 1 : leaf.extent;
  if (size(r) < target / distinct) return found("size ", size(r), " below ", target / distinct);
  return kHolds;
}

std::vector<Plain> coalesced_modes(const Plain& a) {
  std::vector<Plain> modes;
  for (const Plain& leaf : leaves(a)) {
    if (leaf.extent == 1) continue;
    if (!modes.empty() && leaf.stride == modes.back().extent * modes.back().stride) {
      modes.back().extent *= leaf.extent;
    } else {
      modes.push_back(leaf);
    }
  }
  return modes;
}

Plain plain_layout(const std::vector<Plain>& modes) {
  if (modes.empty()) return plain_leaf(1, 0);
  return modes.size() == 1 ? modes.front() : plain_tuple(modes);
}

namespace {

/// `flat` with leaf `i` rounded up so that the size is `wanted`, where that is possible.
std::optional<Plain> with_leaf_rounded_up(Plain flat, std::size_t i, std::int64_t wanted) {
  const std::int64_t others = size(flat) / flat.modes[i].extent;
  if (wanted % others != 0 || wanted / others <= flat.modes[i].extent) return std::nullopt;
  flat.modes[i].extent = wanted / others;
  return flat;
}

/// `a` itself and every way to round up the last leaf of `a` as it is written, or one mode of the
/// coalesced `a`, so that the size is `wanted`.
std::vector<Plain> padded_to(const Plain& a, std::int64_t wanted) {
  std::vector<Plain> all;
  if (size(a) == wanted) all.push_back(a);
  const auto add = [&](const Plain& flat, std::size_t i) {
    if (auto padded = with_leaf_rounded_up(flat, i, wanted)) all.push_back(*std::move(padded));
  };
  const Plain as_written = plain_tuple(leaves(a));
  add(as_written, as_written.modes.size() - 1);
  const Plain flat = plain_tuple(leaves(plain_layout(coalesced_modes(a))));
  for (std::size_t i = 0; i < flat.modes.size(); ++i) add(flat, i);
  return all;
}

}  // namespace

Finding check_divide(const Plain& a, const Plain& b, const Plain& r) {
  if (r.modes.size() != 2) return found(to_string(r), " has not two modes");
  if (!compatible(b, r.modes[0])) return found(to_string(r), " does not keep the tile's modes");
  std::int64_t repeats = 1;  // a tile with stride-0 modes shows its elements more than once
  for (const Plain& leaf : leaves(b)) repeats *= leaf.stride == 0 ? leaf.extent : 1;
  for (const Plain& padded : padded_to(a, size(r) / repeats)) {
    const std::optional<Plain> rest = cute_complement(b, size(padded));
    if (!rest) continue;
    const Plain both = plain_tuple({b, *rest});
    if (size(both) == size(r) && !check_composition(padded, both, r)) return kHolds;
  }
  return found(to_string(r), " is no divide of A or of A rounded up");
}

Finding check_left_inverse(const Plain& l, const Plain& r) {
  const bool injective = is_injective(l);
  for (std::int64_t c = 0; c < size(l); ++c) {
    const std::int64_t index = evaluate(l, c);
    const std::int64_t back = evaluate(r, index);
    if (injective && back != c)
      return found(to_string(r), ": coordinate ", c, " comes back as ", back);
    if (back < 0 || back >= size(l) || evaluate(l, back) != index)
      return found(to_string(r), ": index ", index, " leads to ", back);
  }
  return kHolds;
}

Finding check_right_inverse(const Plain& l, const Plain& r) {
  for (std::int64_t i = 0; i < size(r); ++i) {
    const std::int64_t got = evaluate(l, evaluate(r, i));
    if (got != i) return found(to_string(r), ": index ", i, " comes back as ", got);
  }
  return kHolds;
}

namespace {

/// The modes of `a` that move, sorted by stride.
std::vector<Plain> sorted_moving_modes(const Plain& a) {
  std::vector<Plain> moving;
  for (const Plain& leaf : leaves(a)) {
    if (leaf.stride != 0) moving.push_back(leaf);
  }
  std::vector<Plain> modes = coalesced_modes(plain_layout(moving));
  std::sort(modes.begin(), modes.end(), [](const Plain& x, const Plain& y) {
    return x.stride != y.stride ? x.stride < y.stride : x.extent < y.extent;
  });
  return modes;
}

}  // namespace

std::optional<Plain> cute_complement(const Plain& a, std::int64_t target) {
  const std::optional<Plain> positions = free_positions(a, target);
  if (!positions) return std::nullopt;
  return plain_layout(coalesced_modes(*positions));
}

std::optional<Plain> free_positions(const Plain& a, std::int64_t target) {
  std::vector<Plain> result;
  std::int64_t end = 1;
  for (const Plain& mode : sorted_moving_modes(a)) {
    const std::int64_t extent = mode.stride / end;
    if (extent <= 0) return std::nullopt;
    result.push_back(plain_leaf(extent, end));
    end = mode.extent * mode.stride;
  }
  result.push_back(plain_leaf((target + end - 1) / end, end));
  return plain_tuple(result);
}

Finding check_product(const Plain& a, const Plain& b, const Plain& r) {
  if (r.modes.size() != 2 || !(r.modes[0] == a))
    return found(to_string(r), " does not begin with the block");
  const std::vector<std::int64_t> positions = table(b);
  const bool only_at_0 =
      std::all_of(positions.begin(), positions.end(), [](auto p) { return p == 0; });
  const Plain origin = plain_leaf(1, 0);  // a tiler that only repeats position 0 needs no other one
  const std::optional<Plain> room = only_at_0 ? origin : free_positions(a, size(a) * cosize(b));
  if (!room) return found(to_string(a), " leaves no room for copies");
  return check_composition(*room, b, r.modes[1]);
}

bool admissible_2_5(const Plain& a, std::int64_t target) {
  std::int64_t end = 1;
  for (const Plain& leaf : leaves(a)) {
    if (leaf.stride == 0 && leaf.extent > 1) return false;
  }
  for (const Plain& mode : sorted_moving_modes(a)) {
    if (mode.stride <= 0 || mode.stride % end != 0) return false;
    end = mode.extent * mode.stride;
  }
  return target % end == 0;
}

Plain cute_right_inverse(const Plain& a) {
  const std::vector<Plain> modes = coalesced_modes(a);
  std::vector<Plain> result;
  std::int64_t next = 1;
  for (bool more = true; more;) {
    more = false;
    std::int64_t before = 1;
    for (const Plain& mode : modes) {
      if (mode.stride == next) {
        result.push_back(plain_leaf(mode.extent, before));
        next *= mode.extent;
        more = true;
        break;
      }
      before *= mode.extent;
    }
  }
  return plain_layout(coalesced_modes(plain_layout(result)));
}

}  // namespace heddle::test
