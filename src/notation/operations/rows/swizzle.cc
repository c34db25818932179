// Swizzles, composed layouts and elements of other widths.

#include <fmt/format.h>

#include "heddle/cute/algebra.h"
#include "notation/operations/binding.h"

namespace heddle::notation {
namespace {

using cute::AnyLayout;
using cute::ComposedLayout;
using cute::Layout;
using cute::Swizzle;

constexpr const char* kSwizzles = "swizzles";
constexpr const char* kRecasting = "recasting";
constexpr const char* kLanguage = "language";

IntTuple offset_of(const Placed& layout) {
  if (const auto* composed = std::get_if<ComposedLayout>(&layout)) return composed->offset();
  return std::get<cute::OffsetLayout>(layout).offset;
}

Result<Swizzle> swizzle_of(const Int& y, const Int& z) {
  if (y.is_constant() && z.is_constant()) return cute::make_swizzle(y.value(), z.value());
  return refuse("swizzle.masks", fmt::format("make_swizzle({},{}): a mask is no number",
                                             to_string(y), to_string(z)));
}

void add_swizzling(std::vector<Operation>& table) {
  table.push_back(operation("make_swizzle", kSwizzles, {"y", "z"},
                            "The swizzle that XORs the bits of mask y onto those of mask z.",
                            "make_swizzle(448, 7)", "Sw<3,0,6>",
                            [](const Int& y, const Int& z) { return swizzle_of(y, z); }));
  table.push_back(operation("swizzle", kSwizzles, {"swizzle"}, "The swizzle itself.",
                            "swizzle(Swizzle<3,4,3>)", "Sw<3,4,3>",
                            [](const Swizzle& swizzle) { return swizzle; }));
  table.push_back(
      operation("composed", kSwizzles, {"layout"}, "The layout itself, plain or composed.",
                "composed(S<3,4,3> o 0 o (8,64):(64,1))", "Sw<3,4,3> o 0 o (8,64):(64,1)",
                [](const AnyLayout& layout) { return layout; }));
  table.push_back(
      operation("swizzle_portion", kSwizzles, {"layout"},
                "The swizzle of a layout; the identity where it has none.",
                "swizzle_portion(Sw<3,4,3> o 0 o (8,64):(64,1))", "Sw<3,4,3>",
                [](const AnyLayout& layout) { return cute::get_swizzle_portion(layout); }));
  table.push_back(
      operation("nonswizzle_portion", kSwizzles, {"layout"}, "The layout without its swizzle.",
                "nonswizzle_portion(Sw<3,4,3> o 0 o (8,64):(64,1))", "(8,64):(64,1)",
                [](const AnyLayout& layout) { return cute::get_nonswizzle_portion(layout); }));
  table.push_back(operation("offset", kSwizzles, {"layout"},
                            "The offset of a composed layout, or where a partition begins; else 0.",
                            "offset(Sw<3,4,3> o 16 o (8,64):(64,1))", "16",
                            [](const Placed& layout) { return offset_of(layout); }));
}

void add_recasting(std::vector<Operation>& table) {
  table.push_back(operation(
      "recast", kRecasting, {"x", "old_bits", "new_bits"},
      "The same memory as elements of another width.", "recast((16,4):(1,16), 8, 32)",
      "(4,4):(1,4)", [](const Swizzled& x, const Int& old_bits, const Int& new_bits) {
        return std::visit(
            [&](const auto& any) { return to_result(cute::recast(any, old_bits, new_bits)); }, x);
      }));
  table.push_back(operation(
      "upcast", kRecasting, {"x", "n"}, "Every n elements become one.", "upcast((8,4):(1,8), 4)",
      "(2,4):(1,2)", [](const Swizzled& x, const Int& n) {
        return std::visit([&](const auto& any) { return to_result(cute::upcast(any, n)); }, x);
      }));
  table.push_back(operation(
      "downcast", kRecasting, {"x", "n"}, "Every element becomes n.", "downcast((2,4):(1,2), 4)",
      "(8,4):(1,8)", [](const Swizzled& x, const Int& n) {
        return std::visit([&](const auto& any) { return to_result(cute::downcast(any, n)); }, x);
      }));
}

void add_language(std::vector<Operation>& table) {
  table.push_back(operation("eval", kLanguage, {"expression"},
                            "The expression itself: `heddle batch` evaluates its text.",
                            "eval(2 * (3 + 4))", "14",
                            [](const Value& expression) { return expression; }));
}

}  // namespace

void add_swizzle_operations(std::vector<Operation>& table) {
  add_swizzling(table);
  add_recasting(table);
  add_language(table);
}

}  // namespace heddle::notation
