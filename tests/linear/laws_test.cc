// The laws of the algebra, each on thousands of random layouts, by plain evaluation at every point.

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "heddle/linear/linear_layout.h"
#include "support/random_linear.h"

namespace heddle::linear {
namespace {

using test::any_linear;
using test::coordinate_of;
using test::differs_as_map;
using test::distributed_linear;
using test::Finding;
using test::for_all_seeds;
using test::found;
using test::invertible_linear;
using test::kHardware;
using test::kHolds;
using test::kSaysNothing;
using test::kTensor;
using test::plain_apply;
using test::points;
using test::Random;
using test::random_dims;
using test::surjective_linear;
using test::Tally;

/// The size of a dimension; 1 where there is none.
std::int64_t size_of(const NamedSizes& dims, std::string_view name) {
  for (const auto& [dim, size] : dims) {
    if (dim == name) return size;
  }
  return 1;
}

/// The point with its coordinates on other dimensions: those that `dims` names, each mapped by
/// `coordinate(name, value)`; 0 where the point has none.
template <class Coordinate>
NamedSizes mapped(const NamedSizes& dims, const NamedSizes& point, Coordinate coordinate) {
  NamedSizes result;
  for (const auto& [name, size] : dims) {
    const auto given = std::ranges::find(point, name, &NamedSize::first);
    result.emplace_back(name, given == point.end() ? 0 : coordinate(name, given->second));
  }
  return result;
}

NamedSizes same(const NamedSizes& dims, const NamedSizes& point) {
  return mapped(dims, point, [](const std::string&, std::int64_t value) { return value; });
}

bool is_zero(const NamedSizes& point) {
  return std::ranges::all_of(point, [](const NamedSize& dim) { return dim.second == 0; });
}

/// The number of a point among points(dims).
std::int64_t flat(const NamedSizes& dims, const NamedSizes& point) {
  std::int64_t number = 0;
  std::int64_t stride = 1;
  for (const auto& [name, size] : dims) {
    number += stride * coordinate_of(point, name);
    stride *= size;
  }
  return number;
}

std::set<std::int64_t> image(const LinearLayout& layout) {
  std::set<std::int64_t> values;
  for (const NamedSizes& point : points(layout.in_dim_sizes())) {
    values.insert(flat(layout.out_dim_sizes(), plain_apply(layout, point)));
  }
  return values;
}

/// Asks `holds(point, image)` at every point.
template <class Predicate>
Finding at_all_points(const LinearLayout& layout, Predicate holds) {
  for (const NamedSizes& point : points(layout.in_dim_sizes())) {
    if (!holds(point, plain_apply(layout, point))) {
      return found("at point ", flat(layout.in_dim_sizes(), point), " of\n", layout);
    }
  }
  return kHolds;
}

Finding refused(const Diagnostic& error) { return found("refused: ", error); }

/// Some of the names.
Names some(Random& random, const Names& names) {
  Names result;
  for (const std::string& name : names) {
    if (random.chance(50)) result.push_back(name);
  }
  return result;
}

Names shuffled(Random& random, Names names) {
  random.shuffle(names);
  return names;
}

int bits_up_to(Random& random, int most) { return static_cast<int>(random.between(0, most)); }

// ---- Evaluation ----

TEST(LinearLaws, ApplyIsTheXorOfBases) {
  for_all_seeds([](Random& random) {
    const LinearLayout layout = any_linear(random, 6);
    return at_all_points(layout, [&](const NamedSizes& point, const NamedSizes& image) {
      NamedSizes given = point;
      random.shuffle(given);
      return layout.apply(given) == image;
    });
  });
}

TEST(LinearLaws, BasesMakeTheLayoutAgain) {
  for_all_seeds([](Random& random) -> Finding {
    const LinearLayout layout = any_linear(random, 8);
    if (LinearLayout::make(layout.bases(), layout.out_dim_sizes()) != layout) return found(layout);
    return kHolds;
  });
}

TEST(LinearLaws, SurjectiveInjectiveInvertibleCountTheImage) {
  for_all_seeds([](Random& random) -> Finding {
    const LinearLayout layout = any_linear(random, 6);
    const std::size_t reached = image(layout).size();
    const bool surjective = reached == points(layout.out_dim_sizes()).size();
    const bool injective = reached == points(layout.in_dim_sizes()).size();
    if (layout.is_surjective() == surjective && layout.is_injective() == injective &&
        layout.is_invertible() == (surjective && injective)) {
      return kHolds;
    }
    return found(layout);
  });
}

// ---- Direct sum and division ----

/// The product at a point, by division with remainder.
NamedSizes plain_product(const LinearLayout& a, const LinearLayout& b, const NamedSizes& outs,
                         const NamedSizes& point) {
  const NamedSizes of_a = plain_apply(
      a, mapped(a.in_dim_sizes(), point, [&](const std::string& name, std::int64_t value) {
        return value % size_of(a.in_dim_sizes(), name);
      }));
  const NamedSizes of_b = plain_apply(
      b, mapped(b.in_dim_sizes(), point, [&](const std::string& name, std::int64_t value) {
        return value / size_of(a.in_dim_sizes(), name);
      }));
  NamedSizes result;
  for (const auto& [name, size] : outs) {
    const std::int64_t low = a.has_out_dim(name) ? coordinate_of(of_a, name) : 0;
    const std::int64_t high = b.has_out_dim(name) ? coordinate_of(of_b, name) : 0;
    result.emplace_back(name, low + high * size_of(a.out_dim_sizes(), name));
  }
  return result;
}

LinearLayout partial_linear(Random& random, int bits) {
  const NamedSizes ins = random_dims(random, some(random, kHardware), bits_up_to(random, bits));
  const NamedSizes outs = random_dims(random, some(random, kTensor), bits_up_to(random, bits));
  return any_linear(random, ins, outs);
}

TEST(LinearLaws, ProductActsOnLowAndHighParts) {
  for_all_seeds([](Random& random) -> Finding {
    const LinearLayout a = partial_linear(random, 3);
    const LinearLayout b = partial_linear(random, 3);
    const auto product = a * b;
    if (!product) return refused(product.error());
    return at_all_points(*product, [&](const NamedSizes& point, const NamedSizes& image) {
      return image == plain_product(a, b, product->out_dim_sizes(), point);
    });
  });
}

// Where the orders of dimensions allow both.
TEST(LinearLaws, ProductIsAssociative) {
  for_all_seeds({.percent = 50}, [&](Random& random) -> Finding {
    const LinearLayout a = partial_linear(random, 4);
    const LinearLayout b = partial_linear(random, 4);
    const LinearLayout c = partial_linear(random, 4);
    const auto left = (a * b) * c;
    const auto right = a * (b * c);
    if (!left || !right) return kSaysNothing;
    if (!equivalent(*left, *right)) return found(*left, "\nand\n", *right);
    return kHolds;
  });
}

TEST(LinearLaws, DivisionUndoesMultiplication) {
  for_all_seeds([](Random& random) -> Finding {
    const LinearLayout a = partial_linear(random, 4);
    const LinearLayout b = partial_linear(random, 4);
    const LinearLayout product = (a * b).value();
    const auto of_a = divide_left(product, a);
    const auto of_b = divide_right(product, b);
    if (!of_a) return refused(of_a.error());
    if (!of_b) return refused(of_b.error());
    if (a * *of_a != product) return found("a * c is\n", (a * *of_a).value());
    if (*of_b * b != product) return found("c * b is\n", (*of_b * b).value());
    return kHolds;
  });
}

/// Whether `a` splits into its low and high parts, and acts on the low (left) or high ones as `b`.
bool splits(const LinearLayout& a, const LinearLayout& b, bool left) {
  const auto in_cut = [&](const std::string& name) {
    const std::int64_t of_b = size_of(b.in_dim_sizes(), name);
    return left ? of_b : size_of(a.in_dim_sizes(), name) / of_b;
  };
  const auto out_cut = [&](const std::string& name) {
    const std::int64_t of_b = size_of(b.out_dim_sizes(), name);
    return left ? of_b : size_of(a.out_dim_sizes(), name) / of_b;
  };
  const NamedSizes ins = a.in_dim_sizes();
  for (const NamedSizes& point : points(ins)) {
    const auto low_in = [&](const std::string& name, std::int64_t x) { return x % in_cut(name); };
    const auto high_in = [&](const std::string& name, std::int64_t x) { return x / in_cut(name); };
    const NamedSizes only_low = mapped(ins, point, low_in);
    const NamedSizes only_high = mapped(
        ins, point, [&](const std::string& name, std::int64_t x) { return x - x % in_cut(name); });
    const NamedSizes whole = plain_apply(a, point);
    const NamedSizes from_low = plain_apply(a, only_low);
    const NamedSizes from_high = plain_apply(a, only_high);
    const NamedSizes of_b = plain_apply(b, left ? mapped(b.in_dim_sizes(), point, low_in)
                                                : mapped(b.in_dim_sizes(), point, high_in));
    for (const auto& [name, value] : whole) {
      const std::int64_t cut = out_cut(name);
      if (value % cut != coordinate_of(from_low, name) % cut) return false;
      if (value / cut != coordinate_of(from_high, name) / cut) return false;
      const std::int64_t wanted = b.has_out_dim(name) ? coordinate_of(of_b, name) : 0;
      if (wanted != (left ? value % cut : value / cut)) return false;
    }
  }
  return true;
}

bool is_subsequence(const Names& part, const Names& whole) {
  std::size_t next = 0;
  for (const std::string& name : whole) {
    if (next < part.size() && part[next] == name) ++next;
  }
  return next == part.size();
}

bool fits_within(const NamedSizes& part, const NamedSizes& whole) {
  return std::ranges::all_of(
      part, [&](const NamedSize& dim) { return dim.second <= size_of(whole, dim.first); });
}

/// The layout with some coordinates replaced.
LinearLayout spoiled(Random& random, const LinearLayout& layout) {
  Bases bases = layout.bases();
  for (InBases& in : bases) {
    for (auto& vector : in.vectors) {
      for (std::size_t i = 0; i < vector.size(); ++i) {
        if (random.chance(30)) vector[i] = random.between(0, layout.out_dims()[i].size() - 1);
      }
    }
  }
  return LinearLayout::make(bases, layout.out_dim_sizes()).value();
}

TEST(LinearLaws, DivisionIsRefusedWhereTheLayoutDoesNotSplit) {
  Tally exists;
  Tally exists_not;
  for_all_seeds([&](Random& random) -> Finding {
    const LinearLayout b = partial_linear(random, 3);
    const LinearLayout c = partial_linear(random, 3);
    const bool left = random.chance(50);
    const LinearLayout product = (left ? b * c : c * b).value();
    // Spoiling a product gives cases in which it only just fails.
    const LinearLayout a = random.chance(70) ? spoiled(random, product) : product;
    const auto quotient = left ? divide_left(a, b) : divide_right(a, b);
    const bool expected = splits(a, b, left);
    (expected ? exists : exists_not).count();
    if (quotient.has_value() != expected) return found(left, "\n", a, "\nby\n", b);
    if (quotient && (left ? b * *quotient : *quotient * b) != a) return found(*quotient);
    return kHolds;
  });
  exists.expect_at_least(20);
  exists_not.expect_at_least(15);
}

TEST(LinearLaws, DivisionNeedsTheDimensionsOfTheDivisor) {
  for_all_seeds({.percent = 50}, [&](Random& random) -> Finding {
    const LinearLayout a = partial_linear(random, 3);
    const LinearLayout b = partial_linear(random, 3);
    const bool fits = is_subsequence(b.in_dim_names(), a.in_dim_names()) &&
                      is_subsequence(b.out_dim_names(), a.out_dim_names()) &&
                      fits_within(b.in_dim_sizes(), a.in_dim_sizes()) &&
                      fits_within(b.out_dim_sizes(), a.out_dim_sizes());
    if (fits) return kSaysNothing;
    const auto left = divide_left(a, b);
    const auto right = divide_right(a, b);
    if (left || right) return found(a, "\nby\n", b);
    if (left.error().code() != "linear.not_divisible") return refused(left.error());
    return kHolds;
  });
}

TEST(LinearLaws, RepetitionsAndTheTileMakeTheLayout) {
  Tally tally;
  for_all_seeds([&](Random& random) -> Finding {
    const NamedSizes ins = random_dims(random, kHardware, 5);
    const NamedSizes outs = random_dims(random, kTensor, 5);
    const LinearLayout layout = distributed_linear(random, ins, outs);
    // The tile: the lowest bases of each input.
    LinearLayout tile = layout;
    for (const auto& [name, size] : ins) {
      std::int64_t kept = size;
      while (kept > 1 && random.chance(50)) kept /= 2;
      tile = resize_in_dim(tile, name, kept).value();
    }
    const auto rest = reps(layout, tile);
    if (!rest) return refused(rest.error());
    if (tile != layout) tally.count();
    return at_all_points(layout, [&](const NamedSizes& point, const NamedSizes& image) {
      const NamedSizes in_tile =
          mapped(tile.in_dim_sizes(), point, [&](const std::string& name, std::int64_t x) {
            return x % size_of(tile.in_dim_sizes(), name);
          });
      const NamedSizes of_tile = plain_apply(tile, in_tile);
      const NamedSizes of_rest = plain_apply(*rest, point);
      return std::ranges::all_of(image, [&](const NamedSize& dim) {
        return dim.second ==
               (coordinate_of(of_tile, dim.first) ^ coordinate_of(of_rest, dim.first));
      });
    });
  });
  tally.expect_at_least(50);
}

// ---- Composition and inverses ----

const Names kMiddle = {"offset", "block"};

TEST(LinearLaws, ComposeIsOneAfterTheOther) {
  for_all_seeds([](Random& random) -> Finding {
    const NamedSizes middle = random_dims(random, kMiddle, bits_up_to(random, 6));
    NamedSizes smaller = middle;
    for (auto& [name, size] : smaller)
      size = std::max<std::int64_t>(1, size >> random.between(0, 1));
    random.shuffle(smaller);
    const LinearLayout inner =
        any_linear(random, random_dims(random, kHardware, bits_up_to(random, 6)), smaller);
    const LinearLayout outer =
        any_linear(random, middle, random_dims(random, kTensor, bits_up_to(random, 6)));
    const auto composed = compose(inner, outer);
    if (!composed) return refused(composed.error());
    return at_all_points(*composed, [&](const NamedSizes& point, const NamedSizes& image) {
      return image == plain_apply(outer, plain_apply(inner, point));
    });
  });
}

TEST(LinearLaws, ComposeIsAssociative) {
  for_all_seeds([](Random& random) -> Finding {
    const NamedSizes first = random_dims(random, kMiddle, bits_up_to(random, 10));
    const NamedSizes second = random_dims(random, kTensor, bits_up_to(random, 10));
    const LinearLayout a = any_linear(random, random_dims(random, kHardware, 8), first);
    const LinearLayout b = any_linear(random, first, second);
    const LinearLayout c = any_linear(random, second, random_dims(random, {"x", "y", "z"}, 8));
    const auto left = compose(compose(a, b).value(), c);
    const auto right = compose(a, compose(b, c).value());
    if (!left || !right || *left != *right) return found(a, "\n", b, "\n", c);
    return kHolds;
  });
}

TEST(LinearLaws, InvertAndComposeGivesBackTheLayout) {
  Tally solved;
  Tally unsolved;
  for_all_seeds([&](Random& random) -> Finding {
    const NamedSizes outs = random_dims(random, kTensor, bits_up_to(random, 6));
    NamedSizes smaller = outs;
    for (auto& [name, size] : smaller)
      size = std::max<std::int64_t>(1, size >> random.between(0, 1));
    random.shuffle(smaller);
    const bool same_names = random.chance(50);
    const LinearLayout layout =
        any_linear(random, random_dims(random, kHardware, bits_up_to(random, 6)), smaller);
    const NamedSizes targets =
        random_dims(random, same_names ? kHardware : kMiddle, bits_up_to(random, 6));
    const LinearLayout outer = any_linear(random, targets, outs);
    const auto c = invert_and_compose(layout, outer);
    if (c) {
      solved.count();
      if (c->in_dim_sizes() != layout.in_dim_sizes()) return found("inputs of\n", *c);
      if (c->out_dim_sizes() != outer.in_dim_sizes()) return found("outputs of\n", *c);
      return at_all_points(layout, [&](const NamedSizes& point, const NamedSizes& image) {
        return same(layout.out_dim_sizes(), plain_apply(outer, plain_apply(*c, point))) == image;
      });
    }
    unsolved.count();
    // Refused only where some image is out of reach.
    const std::set<std::int64_t> reached = image(outer);
    const Finding all_reached =
        at_all_points(layout, [&](const NamedSizes&, const NamedSizes& image) {
          return reached.contains(flat(outs, same(outs, image)));
        });
    if (!all_reached) return refused(c.error());
    return kHolds;
  });
  solved.expect_at_least(20);
  unsolved.expect_at_least(10);
}

// Free variables are 0, pivots the earliest independent bits: no bit that is an XOR of bits before
// it is ever used, unless an input maps to itself.
TEST(LinearLaws, InvertAndComposeUsesNoFreeVariable) {
  for_all_seeds([](Random& random) -> Finding {
    const int bits = bits_up_to(random, 5);
    const NamedSizes outs = random_dims(random, kTensor, bits);
    const LinearLayout layout =
        any_linear(random, random_dims(random, kHardware, bits_up_to(random, 5)), outs);
    const LinearLayout outer =
        surjective_linear(random, random_dims(random, kMiddle, bits + bits_up_to(random, 2)), outs);
    const auto c = invert_and_compose(layout, outer);
    if (!c) return refused(c.error());
    const NamedSizes masks = free_variable_masks(outer);
    return at_all_points(*c, [&](const NamedSizes&, const NamedSizes& image) {
      return std::ranges::all_of(image, [&](const NamedSize& dim) {
        return (dim.second & coordinate_of(masks, dim.first)) == 0;
      });
    });
  });
}

TEST(LinearLaws, EqualDimensionsMapToThemselves) {
  for_all_seeds({.percent = 90}, [&](Random& random) -> Finding {
    const NamedSizes outs = random_dims(random, kTensor, 4);
    const NamedSizes warp = random_dims(random, {"warp"}, bits_up_to(random, 2));
    const LinearLayout shared = any_linear(random, warp, outs);
    const LinearLayout a =
        concat_ins(any_linear(random, random_dims(random, {"register", "lane"}, 4), outs), shared)
            .value();
    const LinearLayout b =
        concat_ins(surjective_linear(random, random_dims(random, {"register", "lane"}, 5), outs),
                   shared)
            .value();
    const auto c = invert_and_compose(a, b);
    if (!c) return refused(c.error());
    return at_all_points(*c, [&](const NamedSizes& point, const NamedSizes& image) {
      if (a.bases()[0] == b.bases()[0] || a.bases()[1] == b.bases()[1]) return true;
      return coordinate_of(image, "warp") == coordinate_of(point, "warp");
    });
  });
}

TEST(LinearLaws, TheInverseUndoesTheLayout) {
  for_all_seeds([](Random& random) -> Finding {
    const int bits = bits_up_to(random, 8);
    const LinearLayout layout = invertible_linear(random, random_dims(random, kHardware, bits),
                                                  random_dims(random, kTensor, bits));
    const auto inverse = invert(layout);
    if (!inverse) return refused(inverse.error());
    if (pseudoinvert(layout) != *inverse) return found("the pseudoinverse of\n", layout);
    return at_all_points(layout, [&](const NamedSizes& point, const NamedSizes& image) {
      return plain_apply(*inverse, image) == point;
    });
  });
}

TEST(LinearLaws, TheInverseIsRefusedUnlessThereIsOne) {
  for_all_seeds([](Random& random) -> Finding {
    const LinearLayout layout = any_linear(random, 4);
    if (invert(layout).has_value() != layout.is_invertible()) return found(layout);
    return kHolds;
  });
}

TEST(LinearLaws, ThePseudoinverseIsARightInverse) {
  for_all_seeds([](Random& random) -> Finding {
    const int bits = bits_up_to(random, 6);
    const NamedSizes outs = random_dims(random, kTensor, bits);
    const LinearLayout layout = surjective_linear(
        random, random_dims(random, kHardware, bits + bits_up_to(random, 2)), outs);
    const auto inverse = pseudoinvert(layout);
    if (!inverse) return refused(inverse.error());
    return at_all_points(*inverse, [&](const NamedSizes& point, const NamedSizes& image) {
      return plain_apply(layout, image) == point;
    });
  });
}

// ---- Dimensions ----

TEST(LinearLaws, TransposingKeepsTheMap) {
  for_all_seeds([](Random& random) -> Finding {
    const LinearLayout layout = any_linear(random, 6);
    const auto ins = transpose_ins(layout, shuffled(random, kHardware));
    const auto outs = transpose_outs(layout, shuffled(random, kTensor));
    if (!ins || !outs) return found("refused");
    if (const Finding finding = differs_as_map(*ins, layout)) return finding;
    if (!equivalent(*ins, layout) || !equivalent(*outs, layout)) return found(layout);
    return differs_as_map(*outs, layout);
  });
}

TEST(LinearLaws, ReshapingKeepsTheFlatMap) {
  for_all_seeds([](Random& random) -> Finding {
    const LinearLayout layout = any_linear(random, 6);
    const NamedSizes ins = random_dims(random, {"a", "b", "c"}, layout.total_in_dim_size_log2());
    const NamedSizes outs = random_dims(random, {"x", "y"}, layout.total_out_dim_size_log2());
    const auto reshaped = reshape_ins(reshape_outs(layout, outs).value(), ins);
    if (!reshaped) return refused(reshaped.error());
    const auto before = points(layout.in_dim_sizes());
    return at_all_points(*reshaped, [&](const NamedSizes& point, const NamedSizes& image) {
      const NamedSizes& old = before[static_cast<std::size_t>(flat(ins, point))];
      return flat(outs, image) == flat(layout.out_dim_sizes(), plain_apply(layout, old));
    });
  });
}

TEST(LinearLaws, FlatteningNumbersThePoints) {
  for_all_seeds([](Random& random) -> Finding {
    const LinearLayout layout = any_linear(random, 6);
    const auto flattened = flatten_outs(flatten_ins(layout).value());
    if (!flattened) return refused(flattened.error());
    const auto before = points(layout.in_dim_sizes());
    return at_all_points(*flattened, [&](const NamedSizes& point, const NamedSizes& image) {
      const NamedSizes& old = before[static_cast<std::size_t>(point.front().second)];
      return image == NamedSizes{{"dim0", flat(layout.out_dim_sizes(), plain_apply(layout, old))}};
    });
  });
}

TEST(LinearLaws, SqueezingDropsDimensionsOfOnePoint) {
  for_all_seeds([](Random& random) -> Finding {
    const LinearLayout layout = any_linear(random, 3);
    LinearLayout one_by_one = layout;
    for (const Dimension& dim : layout.in_dims()) {
      const auto squeezed = squeeze_in(one_by_one, dim.name);
      if (squeezed.has_value() != (dim.bits == 0)) return found(dim.name, " of\n", layout);
      if (squeezed) one_by_one = *squeezed;
    }
    for (const Dimension& dim : layout.out_dims()) {
      const auto squeezed = squeeze_out(one_by_one, dim.name);
      if (squeezed.has_value() != (dim.bits == 0)) return found(dim.name, " of\n", layout);
      if (squeezed) one_by_one = *squeezed;
    }
    if (squeeze_outs(squeeze_ins(layout)) != one_by_one) return found(layout);
    return at_all_points(layout, [&](const NamedSizes& point, const NamedSizes& image) {
      return plain_apply(one_by_one, same(one_by_one.in_dim_sizes(), point)) ==
             same(one_by_one.out_dim_sizes(), image);
    });
  });
}

TEST(LinearLaws, ResizingTakesCoordinatesModuloTheSize) {
  for_all_seeds([](Random& random) -> Finding {
    const LinearLayout layout = any_linear(random, 5);
    const std::string in = random.one_of(kHardware);
    const std::string out = random.one_of(kTensor);
    const std::int64_t in_size = std::int64_t{1} << random.between(0, 3);
    const std::int64_t out_size = std::int64_t{1} << random.between(0, 3);
    const auto resized = resize_out_dim(resize_in_dim(layout, in, in_size).value(), out, out_size);
    if (!resized) return refused(resized.error());
    if (resized->in_dim_size(in) != in_size || resized->out_dim_size(out) != out_size) {
      return found("sizes of\n", *resized);
    }
    return at_all_points(*resized, [&](const NamedSizes& point, const NamedSizes& image) {
      const NamedSizes old = plain_apply(
          layout,
          mapped(layout.in_dim_sizes(), point, [&](const std::string& name, std::int64_t x) {
            return x % size_of(layout.in_dim_sizes(), name);
          }));
      return image == mapped(old, old, [&](const std::string& name, std::int64_t y) {
               return name == out ? y % out_size : y;
             });
    });
  });
}

TEST(LinearLaws, RenamingKeepsTheMap) {
  for_all_seeds([](Random& random) -> Finding {
    const LinearLayout layout = any_linear(random, 5);
    const auto renamed =
        rename_out_dim(rename_in_dim(layout, "lane", "thread").value(), "dim1", "column");
    if (!renamed) return refused(renamed.error());
    if (renamed->in_dim_names() != Names{"register", "thread", "warp"}) return found(*renamed);
    if (renamed->out_dim_names() != Names{"dim0", "column"}) return found(*renamed);
    return renamed->matrix() == layout.matrix() ? kHolds : found(*renamed);
  });
}

TEST(LinearLaws, ConcatenatingIsTheXorOfInputsAndThePairOfOutputs) {
  for_all_seeds([](Random& random) -> Finding {
    const LinearLayout a = any_linear(random, 5);
    NamedSizes outs = a.out_dim_sizes();
    random.shuffle(outs);
    const LinearLayout b = any_linear(random, random_dims(random, kMiddle, 2), outs);
    const auto ins = concat_ins(a, b);
    if (!ins) return refused(ins.error());
    const Finding of_ins =
        at_all_points(*ins, [&](const NamedSizes& point, const NamedSizes& image) {
          const NamedSizes of_a = plain_apply(a, same(a.in_dim_sizes(), point));
          const NamedSizes of_b = plain_apply(b, same(b.in_dim_sizes(), point));
          return std::ranges::all_of(image, [&](const NamedSize& dim) {
            return dim.second == (coordinate_of(of_a, dim.first) ^ coordinate_of(of_b, dim.first));
          });
        });
    if (of_ins) return of_ins;
    NamedSizes sources = a.in_dim_sizes();
    random.shuffle(sources);
    const LinearLayout c = any_linear(random, sources, random_dims(random, {"x", "y"}, 4));
    const auto both = concat_outs(a, c);
    if (!both) return refused(both.error());
    return at_all_points(*both, [&](const NamedSizes& point, const NamedSizes& image) {
      return same(a.out_dim_sizes(), image) == plain_apply(a, point) &&
             same(c.out_dim_sizes(), image) == plain_apply(c, point);
    });
  });
}

TEST(LinearLaws, SublayoutIsTheMapWithTheOtherInputsZero) {
  for_all_seeds([](Random& random) -> Finding {
    const LinearLayout layout = any_linear(random, 6);
    const Names ins = some(random, kHardware);
    const Names outs = some(random, kTensor);
    const auto chosen = sublayout(layout, shuffled(random, ins), shuffled(random, outs));
    if (!chosen) return refused(chosen.error());
    if (chosen->in_dim_names() != ins || chosen->out_dim_names() != outs) return found(*chosen);
    bool all_zero = true;
    const Finding finding =
        at_all_points(*chosen, [&](const NamedSizes& point, const NamedSizes& image) {
          all_zero = all_zero && is_zero(image);
          return image == same(chosen->out_dim_sizes(),
                               plain_apply(layout, same(layout.in_dim_sizes(), point)));
        });
    if (finding) return finding;
    if (sublayout_is_zero(layout, ins, outs) != all_zero) return found("is zero: ", layout);
    return kHolds;
  });
}

TEST(LinearLaws, RemovingZeroBasesKeepsTheImage) {
  for_all_seeds([](Random& random) -> Finding {
    const LinearLayout layout = any_linear(random, 5);
    const std::string dim = random.one_of(kHardware);
    const auto stripped = remove_zero_bases_along_dim(layout, dim);
    if (!stripped) return refused(stripped.error());
    if (image(*stripped) != image(layout)) return found(*stripped);
    for (const InBases& in : stripped->bases()) {
      for (const auto& vector : in.vectors) {
        const bool zero = std::ranges::all_of(vector, [](std::int64_t x) { return x == 0; });
        if (in.name == dim && zero) return found(*stripped);
      }
    }
    return kHolds;
  });
}

// ---- Trivial parts ----

/// A layout with outputs of the same names, mostly near the identity on some of them.
LinearLayout near_identity(Random& random) {
  const Names names = {"x", "y", "z"};
  NamedSizes ins = random_dims(random, names, 4);
  Bases bases = LinearLayout::make(any_linear(random, ins, ins).bases(), ins).value().bases();
  for (std::size_t dim = 0; dim < 3; ++dim) {
    if (random.chance(40)) continue;
    for (std::size_t from = 0; from < 3; ++from) {
      for (std::size_t i = 0; i < bases[from].vectors.size(); ++i) {
        if (random.chance(90)) {
          bases[from].vectors[i][dim] = from == dim ? std::int64_t{1} << i : 0;
        }
        if (dim == from && random.chance(80)) {
          for (std::size_t other = 0; other < 3; ++other) {
            if (other != dim) bases[from].vectors[i][other] = 0;
          }
        }
      }
    }
  }
  LinearLayout layout = LinearLayout::make(bases, ins).value();
  if (random.chance(20)) layout = transpose_outs(layout, shuffled(random, names)).value();
  if (random.chance(10)) layout = rename_out_dim(layout, "z", "w").value();
  if (random.chance(10)) layout = resize_in_dim(layout, "y", 4).value();
  return layout;
}

TEST(LinearLaws, TrivialOverMeansItselfAndNothingElse) {
  Tally trivial;
  for_all_seeds([&](Random& random) -> Finding {
    const LinearLayout layout = near_identity(random);
    const Names dims = some(random, {"x", "y", "z"});
    bool expected = true;
    for (const std::string& dim : dims) {
      expected = expected && layout.has_in_dim(dim) && layout.has_out_dim(dim) &&
                 layout.in_dim_size(dim) == layout.out_dim_size(dim);
    }
    const auto is_chosen = [&](const std::string& name) {
      return std::ranges::find(dims, name) != dims.end();
    };
    // Those dimensions go where they are, whatever the others; the others go where they would
    // without them.
    expected =
        expected && !at_all_points(layout, [&](const NamedSizes& point, const NamedSizes& image) {
          const NamedSizes without = plain_apply(
              layout, mapped(point, point, [&](const std::string& name, std::int64_t x) {
                return is_chosen(name) ? 0 : x;
              }));
          return std::ranges::all_of(image, [&](const NamedSize& dim) {
            return dim.second == (is_chosen(dim.first) ? coordinate_of(point, dim.first)
                                                       : coordinate_of(without, dim.first));
          });
        });
    if (expected && !dims.empty()) trivial.count();
    if (is_trivial_over(layout, dims) != expected) return found("trivial over: ", layout);
    const auto rest = quotient(layout, dims);
    if (rest.has_value() != expected) return found("quotient of ", layout);
    if (!rest) return kHolds;
    return at_all_points(*rest, [&](const NamedSizes& point, const NamedSizes& image) {
      return image ==
             same(rest->out_dim_sizes(), plain_apply(layout, same(layout.in_dim_sizes(), point)));
    });
  });
  trivial.expect_at_least(5);
}

TEST(LinearLaws, IdentityOnAnOutputMeansThatItIsThatInput) {
  Tally holds;
  for_all_seeds([&](Random& random) -> Finding {
    const LinearLayout layout = near_identity(random);
    const std::string dim = "y";
    const bool expected =
        layout.in_dim_size(dim) == layout.out_dim_size(dim) &&
        !at_all_points(layout, [&](const NamedSizes& point, const NamedSizes& image) {
          return coordinate_of(image, dim) == coordinate_of(point, dim);
        });
    if (expected) holds.count();
    if (is_identity_on_out_dim(layout, dim) != expected) return found(layout);
    return kHolds;
  });
  holds.expect_at_least(10);
}

TEST(LinearLaws, SquareSublayoutIsTheIdentityWherePointsStay) {
  Tally holds;
  for_all_seeds([&](Random& random) -> Finding {
    const LinearLayout layout = near_identity(random);
    const Names dims = some(random, {"x", "y"});
    bool expected = std::ranges::all_of(dims, [&](const std::string& dim) {
      return layout.in_dim_size(dim) == layout.out_dim_size(dim);
    });
    const LinearLayout square = sublayout(layout, dims, dims).value();
    expected =
        expected && !at_all_points(square, [&](const NamedSizes& point, const NamedSizes& image) {
          return same(square.in_dim_sizes(), image) == point;
        });
    if (expected && !dims.empty()) holds.count();
    if (square_sublayout_is_identity(layout, dims) != expected) return found(layout);
    return kHolds;
  });
  holds.expect_at_least(5);
}

// ---- Shapes ----

TEST(LinearLaws, NotLargerThanWrapsAtTheShape) {
  for_all_seeds([](Random& random) -> Finding {
    const LinearLayout layout = distributed_linear(random, random_dims(random, kHardware, 5),
                                                   random_dims(random, kTensor, 5));
    const NamedSizes shape = random_dims(random, kTensor, bits_up_to(random, 6));
    const auto limited = ensure_layout_not_larger_than(layout, shape);
    if (!limited) return refused(limited.error());
    const Finding wraps =
        at_all_points(*limited, [&](const NamedSizes& point, const NamedSizes& image) {
          const NamedSizes old = plain_apply(layout, point);
          return image == mapped(old, old, [&](const std::string& name, std::int64_t x) {
                   return x % size_of(shape, name);
                 });
        });
    if (wraps) return wraps;
    for (const auto& [name, size] : shape) {
      if (limited->out_dim_size(name) != std::min(size, *layout.out_dim_size(name))) {
        return found("sizes of\n", *limited);
      }
    }
    // Without broadcast registers: the same elements, each register that stayed where it was.
    const auto dropped = ensure_layout_not_larger_than(layout, shape, false);
    if (!dropped) return refused(dropped.error());
    if (image(*dropped) != image(*limited)) return found(*dropped);
    const auto zero_bases = [](const LinearLayout& l) {
      return std::ranges::count_if(l.bases().front().vectors, [](const auto& vector) {
        return std::ranges::all_of(vector, [](std::int64_t x) { return x == 0; });
      });
    };
    if (zero_bases(*dropped) != zero_bases(layout)) return found(*dropped);
    return kHolds;
  });
}

TEST(LinearLaws, NotSmallerThanGrowsTheFirstInput) {
  for_all_seeds([](Random& random) -> Finding {
    const LinearLayout layout = surjective_linear(random, random_dims(random, kHardware, 4),
                                                  random_dims(random, kTensor, 3));
    const NamedSizes shape = random_dims(random, kTensor, bits_up_to(random, 6));
    const auto grown = ensure_layout_not_smaller_than(layout, shape);
    if (!grown) return refused(grown.error());
    for (const auto& [name, size] : shape) {
      if (grown->out_dim_size(name) != std::max(size, *layout.out_dim_size(name))) {
        return found("sizes of\n", *grown);
      }
    }
    if (!grown->is_surjective()) return found("not surjective:\n", *grown);
    return differs_as_map(*grown, layout);
  });
}

// ---- Questions ----

TEST(LinearLaws, FreeVariablesAreTheBitsThatLeadNowhereNew) {
  for_all_seeds([](Random& random) -> Finding {
    const LinearLayout layout = any_linear(random, 6);
    const NamedSizes masks = free_variable_masks(layout);
    NamedSizes before = layout.in_dim_sizes();  // the part of each input that came before
    for (auto& [name, size] : before) size = 1;
    const auto reached = [&](const NamedSizes& sizes) {
      std::set<std::int64_t> values;
      for (const NamedSizes& point : points(sizes)) {
        values.insert(flat(layout.out_dim_sizes(), plain_apply(layout, point)));
      }
      return values.size();
    };
    for (auto& [name, size] : before) {
      for (int bit = 0; bit < layout.in_dim_size_log2(name).value(); ++bit) {
        const std::size_t so_far = reached(before);
        size *= 2;
        const bool is_new = reached(before) > so_far;
        const bool is_free = (coordinate_of(masks, name) >> bit & 1) != 0;
        if (is_new == is_free) return found(name, " bit ", bit, " of\n", layout);
      }
    }
    return kHolds;
  });
}

/// V consecutive coordinates of the first input give V consecutive ones of the first output.
bool consecutive(const LinearLayout& layout, std::int64_t v) {
  const std::string in = layout.in_dim_names().front();
  const std::string out = layout.out_dim_names().front();
  return !at_all_points(layout, [&](const NamedSizes& point, const NamedSizes& image) {
    NamedSizes start = point;
    start.front().second -= start.front().second % v;
    NamedSizes wanted = plain_apply(layout, start);
    wanted.front().second += point.front().second % v;
    return image == wanted;
  });
}

TEST(LinearLaws, NumConsecutiveIsTheGreatestThatRunsOn) {
  Tally above_one;
  for_all_seeds([&](Random& random) -> Finding {
    LinearLayout layout = any_linear(random, 4);
    if (random.chance(50)) {
      layout = (identity_1d(std::int64_t{1} << random.between(0, 2), "register", "dim0") * layout)
                   .value();
    }
    const std::int64_t v = num_consecutive_in_out(layout);
    if (v > 1) above_one.count();
    if (!consecutive(layout, v)) return found(v, " in\n", layout);
    if (2 * v <= layout.in_dims().front().size() && consecutive(layout, 2 * v)) {
      return found(2 * v, " in\n", layout);
    }
    return kHolds;
  });
  above_one.expect_at_least(20);
}

TEST(LinearLaws, EqualityIsThatOfDimensionsAndMap) {
  for_all_seeds([](Random& random) -> Finding {
    const NamedSizes ins = random_dims(random, kHardware, 3);
    const NamedSizes outs = random_dims(random, kTensor, 3);
    const LinearLayout a = any_linear(random, ins, outs);
    const LinearLayout b = random.chance(30) ? a : any_linear(random, ins, outs);
    const bool same_map = !differs_as_map(a, b);
    if ((a == b) != same_map) return found(a, "\nand\n", b);
    if (a == b && std::hash<LinearLayout>()(a) != std::hash<LinearLayout>()(b)) return found(a);
    const LinearLayout larger = resize_out_dim(b, "dim0", size_of(outs, "dim0") * 2).value();
    if (equal_ignoring_out_dim_sizes(a, larger) != same_map || a == larger) return found(a, b);
    return kHolds;
  });
}

TEST(LinearLaws, SupremumIsTheLeastOrderWithBoth) {
  Tally exists;
  Tally exists_not;
  for_all_seeds([&](Random& random) -> Finding {
    const Names all = {"a", "b", "c", "d"};
    const Names x = shuffled(random, some(random, all));
    const Names y = shuffled(random, some(random, all));
    Names both = x;
    for (const std::string& name : y) {
      if (std::ranges::find(both, name) == both.end()) both.push_back(name);
    }
    std::ranges::sort(both);
    bool possible = false;
    Names order = both;
    do {
      possible = possible || (is_subsequence(x, order) && is_subsequence(y, order));
    } while (std::ranges::next_permutation(order).found);
    (possible ? exists : exists_not).count();
    auto result = supremum(x, y);
    if (result.has_value() != possible) return found("exists: ", possible);
    if (!result) return kHolds;
    if (!is_subsequence(x, *result) || !is_subsequence(y, *result)) return found("order");
    std::ranges::sort(*result);
    return *result == both ? kHolds : found("names");
  });
  exists.expect_at_least(30);
  exists_not.expect_at_least(10);
}

}  // namespace
}  // namespace heddle::linear
