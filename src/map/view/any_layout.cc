#include "heddle/map/any_layout.h"

#include <algorithm>
#include <array>

#include "core/overloaded.h"

namespace heddle::map {
namespace {

struct SystemText {
  System system;
  std::string_view name;
  std::string_view description;
};

constexpr std::array kSystemTexts = {
    SystemText{System::kCute, "cute", "a CuTe layout"},
    SystemText{System::kCuteTv, "cute_tv", "a CuTe thread-value layout"},
    SystemText{System::kLinear, "linear", "a linear layout"},
    SystemText{System::kAxe, "axe", "an Axe layout"},
    SystemText{System::kLego, "lego", "a LEGO layout"},
    SystemText{System::kRelation, "relation", "a relation"},
    SystemText{System::kTable, "table", "a table"},
};

constexpr std::array kSystems = {System::kCute, System::kCuteTv,   System::kLinear, System::kAxe,
                                 System::kLego, System::kRelation, System::kTable};

}  // namespace

std::string_view name(System system) { return kSystemTexts[static_cast<std::size_t>(system)].name; }

std::string_view description(System system) {
  return kSystemTexts[static_cast<std::size_t>(system)].description;
}

std::optional<System> find_system(std::string_view name) {
  // What users call the systems by whose they are.
  if (name == "triton") return System::kLinear;
  if (name == "tvm") return System::kAxe;
  if (name == "isl") return System::kRelation;
  const auto found = std::ranges::find(kSystemTexts, name, &SystemText::name);
  return found == kSystemTexts.end() ? std::nullopt : std::optional(found->system);
}

std::span<const System> systems() { return kSystems; }

System system_of(const AnyLayout& layout) {
  return std::visit(Overloaded{[](const cute::Layout&) { return System::kCute; },
                               [](const cute::ComposedLayout&) { return System::kCute; },
                               [](const cute::TvLayout&) { return System::kCuteTv; },
                               [](const linear::LinearLayout&) { return System::kLinear; },
                               [](const axe::Layout&) { return System::kAxe; },
                               [](const lego::Layout&) { return System::kLego; },
                               [](const IntegerRelation&) { return System::kRelation; },
                               [](const form::Table&) { return System::kTable; }},
                    layout);
}

std::string to_string(const AnyLayout& layout) {
  // Found where each layout's type is at home.
  return std::visit([](const auto& any) -> std::string { return to_string(any); }, layout);
}

std::ostream& operator<<(std::ostream& stream, const AnyLayout& layout) {
  return stream << to_string(layout);
}

Result<Int> size(const AnyLayout& layout) {
  HEDDLE_TRY(const View box, view(layout));
  return check_defined(box.size(), [&] { return "the size of " + to_string(layout); });
}

Result<std::vector<std::vector<Int>>> evaluate(const AnyLayout& layout,
                                               const std::vector<Int>& point) {
  HEDDLE_TRY(View box, view(layout));
  const auto* axe = std::get_if<axe::Layout>(&layout);
  if (axe != nullptr && axe->shard().size() == point.size()) {
    std::vector<Int> shape;
    for (const axe::Iter& iter : axe->shard()) shape.push_back(iter.extent);
    HEDDLE_TRY(box, reshaped(box, shape));
  }
  return images(box, point);
}

Result<form::IndexMap> index_map(const AnyLayout& layout) {
  HEDDLE_TRY(const View box, view(layout));
  return box.index_map();
}

}  // namespace heddle::map
