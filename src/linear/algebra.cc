// Direct sum, composition and inverses.

#include <fmt/format.h>

#include <algorithm>

#include "linear/bit_runs.h"

namespace heddle::linear {
namespace {

/// The supremum of two lists of what has names. `name` gives the name of an item.
template <class Item, class Name>
Result<std::vector<std::string_view>> merged_names(std::span<const Item> x, std::span<const Item> y,
                                                   Name name) {
  const auto has = [&](std::span<const Item> items, std::string_view wanted) {
    return std::ranges::find(items, wanted, name) != items.end();
  };
  // Merges as in sorting: a name of x waits for the names that come before it in y.
  std::vector<std::string_view> merged;
  merged.reserve(x.size() + y.size());
  std::size_t i = 0;
  std::size_t j = 0;
  while (i < x.size() || j < y.size()) {
    const auto are_same = [&] { return j < y.size() && name(x[i]) == name(y[j]); };
    const bool x_is_free = i < x.size() && (are_same() || !has(y, name(x[i])));
    if (x_is_free) {
      if (are_same()) ++j;
      merged.push_back(name(x[i++]));
      continue;
    }
    const bool y_is_free = j < y.size() && !has(x, name(y[j]));
    if (!y_is_free) {
      const auto written = [&](std::span<const Item> items) {
        Names names;
        for (const Item& item : items) names.emplace_back(name(item));
        return names_text(names);
      };
      return refuse("linear.dim_order", "the orders {} and {} contradict each other", written(x),
                    written(y));
    }
    merged.push_back(name(y[j++]));
  }
  return merged;
}

/// The dimensions of a direct sum, in the order of the supremum.
Result<std::vector<Dimension>> added_dims(std::span<const Dimension> inner,
                                          std::span<const Dimension> outer) {
  constexpr auto kName = [](const Dimension& dim) { return std::string_view(dim.name); };
  HEDDLE_TRY(const std::vector<std::string_view> names, merged_names(inner, outer, kName));
  std::vector<Dimension> dims;
  dims.reserve(names.size());
  for (const std::string_view name : names) {
    const auto low = run_of(inner, name).value_or(Run{});
    const auto high = run_of(outer, name).value_or(Run{});
    if (low.bits + high.bits > kMaxDimBits) {
      return refuse("linear.too_many_bits",
                    "dimension {} of the product would have {} + {} bits, at most {}", name,
                    low.bits, high.bits, kMaxDimBits);
    }
    dims.push_back({std::string(name), low.bits + high.bits});
  }
  return dims;
}

/// The refusal of an output that is larger than the input that takes it.
Result<void> check_fits(std::span<const Dimension> outputs, std::span<const Dimension> takers,
                        std::string_view question) {
  for (const Dimension& output : outputs) {
    const auto taker = run_of(takers, output.name);
    if (!taker || output.bits <= taker->bits) continue;
    return refuse("linear.dim_too_large", "{}: {} has size {} on the left and {} on the right",
                  question, output.name, output.size(), std::int64_t{1} << taker->bits);
  }
  return {};
}

/// For each input bit of `left`, its image in the identity on the dimensions that have the same
/// bases on both sides; 0 for all others. The rows of both sides are in the same order.
std::vector<std::uint64_t> identities(const LinearLayout& left, const LinearLayout& right) {
  std::vector<std::uint64_t> columns(left.matrix().columns().size());
  std::size_t begin = 0;
  for (const Dimension& in : left.in_dims()) {
    const auto bits = static_cast<std::size_t>(in.bits);
    const auto other = run_of(right.in_dims(), in.name);
    if (other && other->bits == in.bits &&
        std::ranges::equal(left.matrix().columns().subspan(begin, bits),
                           right.matrix().columns().subspan(other->begin, bits))) {
      for (std::size_t i = 0; i < bits; ++i) {
        columns[begin + i] = std::uint64_t{1} << (other->begin + i);
      }
    }
    begin += bits;
  }
  return columns;
}

/// X with right(X(x)) = left(x), both over the same rows. The nonzero columns of `given` are taken
/// over, and the others are solved for by the remaining columns of `right`; nullopt if these do not
/// suffice.
std::optional<std::vector<std::uint64_t>> solved(const LinearLayout& left,
                                                 const LinearLayout& right,
                                                 std::vector<std::uint64_t> given) {
  std::uint64_t taken = 0;
  for (const std::uint64_t column : given) taken |= column;
  form::Subspace image;
  for (std::size_t i = 0; i < right.matrix().columns().size(); ++i) {
    const std::uint64_t bit = std::uint64_t{1} << i;
    if ((taken & bit) == 0) image.insert(right.matrix().columns()[i], bit);
  }
  for (std::size_t i = 0; i < given.size(); ++i) {
    if (given[i] != 0) continue;
    const auto solution = image.express(left.matrix().columns()[i]);
    if (!solution) return std::nullopt;
    given[i] = *solution;
  }
  return given;
}

/// Refuses with the first input of `left` whose image `right` does not reach.
Refusal no_solution(const LinearLayout& left, const LinearLayout& right) {
  const form::Subspace image = right.matrix().image();
  std::size_t bit = 0;
  while (image.contains(left.matrix().columns()[bit])) ++bit;
  return refuse(diagnose("linear.no_solution",
                         "the right layout does not reach L({}) = {} of the left one",
                         bit_name(left.in_dims(), bit),
                         vector_text(coordinates(left.out_dims(), left.matrix().columns()[bit])))
                    .with_note(fmt::format("its rank is {}, and its outputs {} have {} bits",
                                           image.dimension(), dims_text(right.out_dims()),
                                           right.matrix().rows())));
}

LinearLayout identity_on(std::span<const Dimension> dims) {
  return assembled(copied(dims), copied(dims),
                   form::BitMatrix::identity(static_cast<std::size_t>(total_bits(dims))));
}

}  // namespace

Result<Names> supremum(const Names& x, const Names& y) {
  constexpr auto kName = [](const std::string& name) { return std::string_view(name); };
  HEDDLE_TRY(const std::vector<std::string_view> names,
             merged_names(std::span<const std::string>(x), std::span<const std::string>(y), kName));
  return Names(names.begin(), names.end());
}

Result<LinearLayout> multiply(const LinearLayout& inner, const LinearLayout& outer) {
  HEDDLE_TRY(std::vector<Dimension> ins, added_dims(inner.in_dims(), outer.in_dims()));
  HEDDLE_TRY(std::vector<Dimension> outs, added_dims(inner.out_dims(), outer.out_dims()));
  HEDDLE_CHECK(check_dims(ins, "input"));
  HEDDLE_CHECK(check_dims(outs, "output"));

  const std::vector<Move> low = moves_between(inner.out_dims(), outs);
  std::vector<Move> high = moves_between(outer.out_dims(), outs);
  for (std::size_t i = 0; i < high.size(); ++i) {
    const auto below = run_of(inner.out_dims(), outer.out_dims()[i].name);
    if (below) high[i].to += static_cast<std::size_t>(below->bits);
  }

  std::vector<std::uint64_t> columns;
  columns.reserve(static_cast<std::size_t>(total_bits(ins)));
  const auto append = [&](const LinearLayout& layout, std::string_view name,
                          std::span<const Move> moves) {
    const Run run = run_of(layout.in_dims(), name).value_or(Run{});
    for (std::size_t bit = run.begin; bit < run.end(); ++bit) {
      columns.push_back(moved(layout.matrix().columns()[bit], moves));
    }
  };
  for (const Dimension& in : ins) {
    append(inner, in.name, low);
    append(outer, in.name, high);
  }
  const auto rows = static_cast<std::size_t>(total_bits(outs));
  return assembled(std::move(ins), std::move(outs), {rows, std::move(columns)});
}

Result<LinearLayout> operator*(const LinearLayout& inner, const LinearLayout& outer) {
  return multiply(inner, outer);
}

Result<LinearLayout> operator*(Result<LinearLayout> inner, const Result<LinearLayout>& outer) {
  if (!inner) return inner;
  if (!outer) return outer;
  return multiply(*inner, *outer);
}

Result<LinearLayout> compose(const LinearLayout& layout, const LinearLayout& outer) {
  constexpr std::string_view kQuestion =
      "the outputs of the first layout must be the inputs of the second";
  HEDDLE_CHECK(check_same_names(layout.out_dims(), outer.in_dims(), kQuestion));
  HEDDLE_CHECK(check_fits(layout.out_dims(), outer.in_dims(), kQuestion));
  const std::vector<Move> moves = moves_between(layout.out_dims(), outer.in_dims());
  std::vector<std::uint64_t> columns;
  columns.reserve(layout.matrix().columns().size());
  for (const std::uint64_t column : layout.matrix().columns()) {
    columns.push_back(outer.matrix()(moved(column, moves)));
  }
  return assembled(copied(layout.in_dims()), copied(outer.out_dims()),
                   {outer.matrix().rows(), std::move(columns)});
}

Result<LinearLayout> invert_and_compose(const LinearLayout& layout, const LinearLayout& outer) {
  constexpr std::string_view kQuestion = "both layouts must have the same outputs";
  HEDDLE_CHECK(check_same_names(layout.out_dims(), outer.out_dims(), kQuestion));
  HEDDLE_CHECK(check_fits(layout.out_dims(), outer.out_dims(), kQuestion));
  const std::vector<Move> moves = moves_between(layout.out_dims(), outer.out_dims());
  const LinearLayout left = assembled(copied(layout.in_dims()), copied(outer.out_dims()),
                                      moved_rows(layout.matrix(), moves, outer.matrix().rows()));
  // The identities are preferred, but may use up columns that the rest needs.
  auto columns = solved(left, outer, identities(left, outer));
  if (!columns)
    columns = solved(left, outer, std::vector<std::uint64_t>(left.matrix().columns().size()));
  if (!columns) return no_solution(left, outer);
  return assembled(copied(left.in_dims()), copied(outer.in_dims()),
                   {outer.matrix().columns().size(), *std::move(columns)});
}

Result<LinearLayout> invert(const LinearLayout& layout) {
  Result<form::BitMatrix> inverse = form::inverse(layout.matrix());
  if (!inverse) {
    return refuse("linear.not_invertible",
                  "the layout is not a bijection: its {} bases have rank {}, and {} have {} bits",
                  layout.matrix().columns().size(), layout.matrix().rank(),
                  dims_text(layout.out_dims()), layout.matrix().rows());
  }
  return assembled(copied(layout.out_dims()), copied(layout.in_dims()), *std::move(inverse));
}

Result<LinearLayout> pseudoinvert(const LinearLayout& layout) {
  return invert_and_compose(identity_on(layout.out_dims()), layout);
}

}  // namespace heddle::linear
