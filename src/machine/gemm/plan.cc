#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <utility>

#include "axe/layout/iters.h"
#include "core/format.h"
#include "core/text.h"
#include "heddle/axe/group.h"
#include "heddle/axe/threads.h"
#include "heddle/core/exact.h"
#include "heddle/machine/gemm_plan.h"
#include "heddle/machine/machine.h"
#include "heddle/map/convert.h"
#include "heddle/map/decide.h"
#include "machine/gemm/fit.h"

namespace heddle::machine {
namespace {

using MatrixShape = std::array<std::int64_t, 2>;

/// A matrix as an Axe layout, and its rows and columns where its notation shows them.
struct Matrix {
  axe::Layout layout;
  std::optional<MatrixShape> shape;
};

Result<void> check_constant(const axe::Layout& layout) {
  const auto is_constant = [](const axe::Iter& iter) {
    return iter.extent.is_constant() && iter.stride.is_constant();
  };
  const bool is_known = std::ranges::all_of(layout.shard(), is_constant) &&
                        std::ranges::all_of(layout.replica(), is_constant) &&
                        std::ranges::all_of(layout.offset(), [](const auto& entry) {
                          return entry.second.is_constant();
                        });
  if (is_known) return {};
  return refuse(diagnose("gemm.symbolic", "{} has sizes that are not known", layout)
                    .with_hint("put numbers in for the names: instantiate(L, {M: 128})"));
}

/// Whether B is (N,K) in the notation, as CuTe has it, or A is (K,M) by the names of its
/// dimensions.
bool is_turned(const map::AnyLayout& layout, std::size_t matrix) {
  const map::System system = map::system_of(layout);
  if (system == map::System::kCute || system == map::System::kCuteTv) return matrix == 1;
  const auto* linear = std::get_if<linear::LinearLayout>(&layout);
  return matrix == 0 && linear != nullptr && linear->out_dims().front().name == "k";
}

/// The rows, columns and steps to which a linear layout or a relation leads from the places of a
/// machine, as those of the catalogue do, by name. Empty for other layouts.
std::vector<std::string> elements_of(const map::AnyLayout& layout) {
  std::vector<std::string> names;
  if (const auto* linear = std::get_if<linear::LinearLayout>(&layout)) {
    for (const linear::Dimension& dim : linear->out_dims()) names.push_back(dim.name);
  } else if (const auto* relation = std::get_if<map::IntegerRelation>(&layout)) {
    for (const Axis& axis : relation->axes()) names.push_back(axis.name());
  }
  const auto is_element = [](const std::string& name) {
    return name == "row" || name == "col" || name == "k";
  };
  return std::ranges::all_of(names, is_element) ? names : std::vector<std::string>();
}

/// A vector is a matrix of one row or column.
std::vector<Int> with_both_sides(std::vector<Int> shape, const std::string& along,
                                 std::size_t matrix) {
  const bool is_column = along == "row" || (matrix == 1 && along == "k");
  shape.insert(is_column ? shape.end() : shape.begin(), 1);
  return shape;
}

Result<Matrix> matrix_of(const map::AnyLayout& layout, std::size_t matrix) {
  if (const auto* axe = std::get_if<axe::Layout>(&layout)) {
    HEDDLE_CHECK(check_constant(*axe));
    return Matrix{*axe, {}};
  }
  const std::vector<std::string> elements = elements_of(layout);
  map::ConvertOptions options;
  if (!elements.empty()) options.reading = map::Reading::kOwnership;
  HEDDLE_TRY(const map::Converted converted, map::convert(layout, map::System::kAxe, options));
  Matrix found{std::get<axe::Layout>(converted.layout), {}};
  HEDDLE_CHECK(check_constant(found.layout));
  std::vector<Int> shape = converted.shape;
  if (elements.size() == 1) shape = with_both_sides(std::move(shape), elements.front(), matrix);
  if (shape.size() != 2) {
    return refuse(
        diagnose("gemm.shapes", "{} is a tensor of {}, not a matrix", map::to_string(layout),
                 counted(shape.size(), "dimension"))
            .with_hint(
                "group its modes to rows and columns, as group(L, 0, 2) does with the first two"));
  }
  // The threads of a thread-value layout have no waves yet.
  if (map::system_of(layout) == map::System::kCuteTv) {
    HEDDLE_TRY(found.layout, axe::unify_threads(found.layout));
  }
  if (is_turned(layout, matrix)) {
    HEDDLE_TRY(const axe::Grouping turned,
               axe::permute_groups(found.layout, shape, std::vector<std::int64_t>{1, 0}));
    found.layout = turned.layout;
    std::swap(shape[0], shape[1]);
  }
  found.shape = MatrixShape{shape[0].value(), shape[1].value()};
  return found;
}

// ---- Sizes ----

exact::Value whole_root(std::int64_t square) {
  const exact::Value root = exact::square_root(square);
  return root && *root * *root == square ? root : std::nullopt;
}

/// The root of a*b/c, if it is a whole number: that of x*y, where c is in lowest terms with both.
/// As x/g and y/g have no common divisor, both are squares if their product is.
exact::Value root_of(const Int& a, const Int& b, const Int& c) {
  const std::int64_t common = std::gcd(a.value(), c.value());
  const std::int64_t rest = c.value() / common;
  if (b.value() % rest != 0) return std::nullopt;
  const std::int64_t x = a.value() / common;
  const std::int64_t y = b.value() / rest;
  const std::int64_t g = std::gcd(x, y);
  const exact::Value first = whole_root(x / g);
  const exact::Value second = whole_root(y / g);
  return first && second ? exact::multiply(g, *first * *second) : std::nullopt;
}

/// M, N and K from the sizes M*K, K*N and M*N.
Result<GemmShape> shape_from_sizes(const std::array<Matrix, 3>& matrices) {
  const Int a = axe::size(matrices[0].layout);
  const Int b = axe::size(matrices[1].layout);
  const Int c = axe::size(matrices[2].layout);
  const auto m = root_of(a, c, b);
  const auto n = root_of(b, c, a);
  const auto k = root_of(a, b, c);
  if (m && n && k) return GemmShape{*m, *n, *k};
  return refuse("gemm.shapes",
                "A, B and C have {}, {} and {}; no M, N and K with M*K, K*N and M*N are these", a,
                b, counted(c, "element"));
}

Result<GemmTensors> tensors_of(const GemmMatrices& matrices) {
  std::array<Matrix, 3> found;
  const std::array<const map::AnyLayout*, 3> layouts = {&matrices.a, &matrices.b, &matrices.c};
  for (std::size_t i = 0; i < 3; ++i) {
    HEDDLE_TRY(found[i], matrix_of(*layouts[i], i));
  }
  GemmTensors tensors;
  if (matrices.shape) {
    tensors.shape = *matrices.shape;
  } else {
    HEDDLE_TRY(tensors.shape, shape_from_sizes(found));
  }
  for (std::size_t i = 0; i < 3; ++i) {
    const MatrixShape shape = tensors.shape_of(i);
    const MatrixShape has = found[i].shape.value_or(shape);
    if (has != shape || axe::size(found[i].layout) != Int(shape[0]) * Int(shape[1])) {
      auto wrong = diagnose(
          "gemm.shapes", "{} is {} and not {} for M, N, K = {}", kGemmMatrices[i],
          has != shape ? fmt::format("{} x {}", has[0], has[1])
                       : fmt::format("of {}", counted(axe::size(found[i].layout), "element")),
          fmt::format("{} x {}", shape[0], shape[1]), fmt::join(tensors.shape, ", "));
      if (i == 1) {
        return refuse(
            std::move(wrong).with_hint("B is (K,N), and (N,K) if it is a layout of CuTe"));
      }
      return refuse(std::move(wrong));
    }
    tensors.layouts[i] = found[i].layout;
  }
  return tensors;
}

// ---- C ----

/// Refuses `gemm.sums` if two elements of C share a place.
Result<void> check_sums(const axe::Layout& c) {
  const Verdict apart = map::injective(c);
  if (apart.is_yes()) return {};
  if (apart.is_unknown()) {
    return refuse(
        diagnose("axe.undecided", "it is not known whether two elements of C, {}, share a place", c)
            .with_note(apart.method()));
  }
  Diagnostic shared = diagnose("gemm.sums", "two elements of C, {}, share a place", c);
  if (const auto& where = apart.counterexample()) {
    shared = std::move(shared).with_note(
        fmt::format("coordinate {}: {} and {}", where->coordinate, where->found, where->wanted));
  }
  return refuse(std::move(shared));
}

// ---- Instructions ----

/// The machine's matrix instructions of which A has the type.
std::vector<form::Instruction> instructions_of(const form::Machine& machine,
                                               std::string_view type) {
  std::vector<form::Instruction> found;
  for (const form::InstructionListing* listing : form::listings_on(machine)) {
    form::Instruction made = listing->make();
    const bool is_copy = !made.from.empty() || !made.to.empty();
    if (is_copy || made.operands.size() < 3) continue;
    if (!type.empty() && !form::is_of_type(made.operands.front(), type)) continue;
    found.push_back(std::move(made));
  }
  return found;
}

/// Elements of C in one bank of a memory that has rows, of which a result must stay in one.
std::int64_t bank_elements(const form::Machine& machine, const form::Instruction& instruction) {
  const auto* memory = machine.memory("PSUM");
  const auto* c = instruction.operand("D");
  if (memory == nullptr || !memory->bank_bytes || c == nullptr || !c->fragment.place("Bank")) {
    return 0;
  }
  return memory->bank_bytes->value * 8 / c->bits;
}

std::int64_t volume(const GemmChoice& choice) {
  return choice.shape[0] * choice.shape[1] * choice.shape[2];
}

}  // namespace

std::array<std::int64_t, 2> GemmTensors::shape_of(std::size_t matrix) const {
  const auto [m, n, k] = shape;
  return std::array<MatrixShape, 3>{{{m, k}, {k, n}, {m, n}}}[matrix];
}

Result<GemmDigits> gemm_digits(const GemmTensors& tensors, std::int64_t wave) {
  GemmDigits digits;
  for (std::size_t i = 0; i < 3; ++i) {
    HEDDLE_TRY(digits.matrices[i], matrix_digits(tensors.layouts[i], tensors.shape_of(i), wave));
  }
  for (std::size_t dim = 0; dim < 3; ++dim) {
    const auto [one, other] = kGemmSides[dim];
    const MatrixRuns& first = digits.matrices[one.matrix].sides[one.side];
    const MatrixRuns& second = digits.matrices[other.matrix].sides[other.side];
    auto shared = shared_digits(first, second);
    if (!shared) {
      return refuse("gemm.digits",
                    "{} is cut after {} elements in {} and after {} in {}, which have no digits in "
                    "common",
                    kGemmDims[dim], fmt::join(cuts_of(first), ", "), kGemmMatrices[one.matrix],
                    fmt::join(cuts_of(second), ", "), kGemmMatrices[other.matrix]);
    }
    digits.dims[dim] = *std::move(shared);
  }
  return digits;
}

Result<GemmPlan> gemm_plan(const GemmMatrices& matrices, std::string_view machine,
                           std::string_view type) {
  HEDDLE_TRY(const form::Machine* found, find(machine));
  const std::vector<form::Instruction> instructions = instructions_of(*found, type);
  if (instructions.empty()) {
    return refuse(
        diagnose("gemm.instructions", "{} has no matrix instruction{}{}", found->name,
                 type.empty() ? "" : " whose A is ", type)
            .with_hint(fmt::format("instructions(\"{}\") lists what it has", found->name)));
  }
  HEDDLE_TRY(const GemmTensors tensors, tensors_of(matrices));
  HEDDLE_CHECK(check_sums(tensors.layouts[2]));
  GemmPlan plan{.shape = tensors.shape, .machine = std::string(found->name), .choices = {}};
  std::map<std::int64_t, GemmDigits> digits;
  for (const form::Instruction& instruction : instructions) {
    const std::int64_t wave = wave_of(instruction);
    if (!digits.contains(wave)) {
      HEDDLE_TRY(digits[wave], gemm_digits(tensors, wave));
    }
    plan.choices.push_back(
        gemm_choice(instruction, tensors, digits.at(wave), bank_elements(*found, instruction)));
  }
  std::ranges::stable_sort(plan.choices, [](const GemmChoice& a, const GemmChoice& b) {
    return std::pair(!a.fits(), -volume(a)) < std::pair(!b.fits(), -volume(b));
  });
  return plan;
}

namespace {

std::string title_of(const GemmChoice& choice) {
  return fmt::format("{}, {}", choice.instruction, choice.type);
}

std::string fit_text(const GemmChoice& choice) {
  std::string text =
      fmt::format("{}, {} times", fmt::join(choice.shape, " x "), fmt::join(choice.loops, " x "));
  if (choice.units > 1) text += fmt::format(" in each of {} units", choice.units);
  return text;
}

/// `A = S[(2):(128@F)] + S[(128,128):(1@F,1@P)]`, for each matrix.
std::string tilings_text(const GemmChoice& choice) {
  std::string text;
  for (std::size_t matrix = 0; matrix < choice.tilings.size(); ++matrix) {
    const GemmTiling& tiling = choice.tilings[matrix];
    text += fmt::format("\n          {} = {} {} {}", kGemmMatrices[matrix], tiling.tiler,
                        tiling.is_tile ? "(x)" : "+", tiling.atom);
  }
  return text;
}

}  // namespace

std::string to_string(const GemmPlan& plan) {
  std::string text = fmt::format("M, N, K = {} on {}", fmt::join(plan.shape, ", "), plan.machine);
  std::map<std::string_view, std::size_t> with_reason;
  std::size_t width = 0;
  for (const GemmChoice& choice : plan.choices) {
    width = std::max(width, title_of(choice).size());
    ++with_reason[choice.reason];
  }
  for (const GemmChoice& choice : plan.choices) {
    if (choice.fits()) {
      text += fmt::format("\n  fits  {:{}}  {}", title_of(choice), width, fit_text(choice));
      if (&choice == plan.choices.data()) text += tilings_text(choice);
      continue;
    }
    // Instructions with one reason are one line.
    std::size_t& others = with_reason[choice.reason];
    if (others == 0) continue;
    const std::string more =
        others == 1 ? "" : fmt::format(" (and {} other{})", others - 1, others == 2 ? "" : "s");
    text += fmt::format("\n  no    {:{}}  {}{}", title_of(choice), width, choice.reason, more);
    others = 0;
  }
  return text;
}

}  // namespace heddle::machine
