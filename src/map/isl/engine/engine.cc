#include "heddle/map/isl_engine.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "expr/numbers_text.h"
#include "map/isl/engine/mappings.h"

namespace heddle::map::isl_engine {
namespace {

constexpr std::array<std::string_view, 6> kOperations = {
    "complement", "complement_fill", "composition", "inverse", "left_inverse", "right_inverse"};

/// The image of one point, as text.
std::string image_text(const isl::map& map, const isl::set& point) {
  const auto image = least_point(map.intersect_domain(point).range());
  return image ? point_text(*image) : "nothing";
}

Verdict equal_mappings(const isl::map& a, const isl::map& b) {
  if (a.is_equal(b)) return Verdict::yes("isl engine");
  const isl::set where = a.subtract(b).domain().unite(b.subtract(a).domain()).lexmin();
  const auto point = least_point(where);
  if (!point) return Verdict::no("isl engine");
  return Verdict::no("isl engine",
                     Witness{point_text(*point), image_text(a, where), image_text(b, where)});
}

/// isl's comparison of two mappings, or the reason why it has none.
template <class Layout>
Verdict compare(const Layout& a, const Layout& b, const Limits& limits) {
  IslSession session(limits);
  const Result<Verdict> verdict = session.ask("equal", [&] {
    return equal_mappings(layout_mapping(session, a), layout_mapping(session, b));
  });
  return verdict ? *verdict : Verdict::unknown(verdict.error().message());
}

/// A question to isl about one layout mapping.
template <class Layout, class Question>
Result<bool> ask_of(const Layout& layout, const Limits& limits, std::string_view what,
                    Question question) {
  IslSession session(limits);
  return session.ask(what, [&] { return question(layout_mapping(session, layout)); });
}

}  // namespace

Result<bool> is_single_valued(const cute::Layout& layout, const Limits& limits) {
  HEDDLE_TRY(const Leaves leaves, leaves_of(layout));
  return ask_of(leaves, limits, "single-valued",
                [](const isl::map& map) { return map.is_single_valued(); });
}

Result<bool> is_single_valued(const linear::LinearLayout& layout, const Limits& limits) {
  HEDDLE_CHECK(check_operand(layout));
  return ask_of(layout, limits, "single-valued",
                [](const isl::map& map) { return map.is_single_valued(); });
}

Result<bool> is_injective(const cute::Layout& layout, const Limits& limits) {
  HEDDLE_TRY(const Leaves leaves, leaves_of(layout));
  return ask_of(leaves, limits, "injective",
                [](const isl::map& map) { return map.is_injective(); });
}

Result<bool> is_injective(const linear::LinearLayout& layout, const Limits& limits) {
  HEDDLE_CHECK(check_operand(layout));
  return ask_of(layout, limits, "injective",
                [](const isl::map& map) { return map.is_injective(); });
}

Verdict equal(const cute::Layout& a, const cute::Layout& b, const Limits& limits) {
  const Result<Leaves> left = leaves_of(a);
  if (!left) return Verdict::unknown(left.error().message());
  const Result<Leaves> right = leaves_of(b);
  if (!right) return Verdict::unknown(right.error().message());
  return compare(*left, *right, limits);
}

Verdict equal(const linear::LinearLayout& a, const linear::LinearLayout& b, const Limits& limits) {
  if (a.in_dims().size() != b.in_dims().size() || a.out_dims().size() != b.out_dims().size()) {
    return Verdict::no("isl engine: the dimensions differ in number");
  }
  for (const linear::LinearLayout* layout : {&a, &b}) {
    if (const Result<void> small = check_operand(*layout); !small) {
      return Verdict::unknown(small.error().message());
    }
  }
  return compare(a, b, limits);
}

std::span<const std::string_view> operations() { return kOperations; }

Result<cute::Layout> call(std::string_view operation, std::span<const cute::Layout> layouts,
                          std::optional<std::int64_t> target, const Limits& limits) {
  const bool is_composition = operation == "composition";
  const bool is_complement = operation == "complement" || operation == "complement_fill";
  if (std::ranges::find(kOperations, operation) == kOperations.end()) {
    return refuse("isl_engine.operation",
                  fmt::format("the isl engine has no operation {}; it has {}", operation,
                              fmt::join(kOperations, ", ")));
  }
  const std::size_t wanted = is_composition ? 2 : 1;
  const bool needs_target = operation == "complement_fill";
  if (layouts.size() != wanted || (target ? !is_complement : needs_target)) {
    return refuse("isl_engine.operation", fmt::format("{} by the isl engine takes {}{}", operation,
                                                      wanted == 1 ? "one layout" : "two layouts",
                                                      is_complement ? " and a number" : ""));
  }
  if (is_composition) return composition(layouts[0], layouts[1], limits);
  if (operation == "complement") {
    HEDDLE_TRY(const Leaves leaves, leaves_of(layouts[0]));
    const std::int64_t cosize = leaves.greatest().value() + 1;
    return complement(layouts[0], target.value_or(cosize), limits);
  }
  if (operation == "complement_fill") return complement_fill(layouts[0], *target, limits);
  if (operation == "inverse") return inverse(layouts[0], limits);
  if (operation == "right_inverse") return right_inverse(layouts[0], limits);
  return left_inverse(layouts[0], limits);
}

}  // namespace heddle::map::isl_engine
