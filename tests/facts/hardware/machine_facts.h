#pragma once

// What the facts about machines say of an operand, against what the catalogue says: the layout from
// places to elements, CuTe's thread-value layout and Axe's layout.

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "heddle/machine/instruction_layout.h"
#include "heddle/map/decide.h"
#include "heddle/notation/any_layout.h"
#include "heddle/notation/axe.h"
#include "heddle/notation/cute.h"
#include "support/facts.h"

namespace heddle::test {

/// The operand in a system; the text of the refusal as the message of a failure.
inline map::AnyLayout catalogued(const std::string& name, const std::string& operand,
                                 const form::InstructionQuery& query = {},
                                 std::optional<map::System> system = {}) {
  const auto layout = machine::instruction_layout(name, operand, query, system);
  EXPECT_TRUE(layout) << name << " " << operand << ": " << layout.error();
  return layout ? *layout : map::AnyLayout();
}

/// Whether a thread-value layout is that of a text, at every thread and value.
inline testing::AssertionResult is_thread_value(const map::AnyLayout& layout,
                                                const std::string& text) {
  const cute::Layout wanted = notation::parse_cute(text).value();
  const cute::Layout& found = std::get<cute::TvLayout>(layout).layout;
  const std::int64_t threads = cute::size(wanted.mode(0)).value();
  const std::int64_t values = cute::size(wanted.mode(1)).value();
  bool same = cute::size(found.mode(0)) == threads && cute::size(found.mode(1)) == values;
  for (std::int64_t index = 0; same && index < threads * values; ++index) {
    same = wanted(index % threads, index / threads) == found(index % threads, index / threads);
  }
  if (same) return testing::AssertionSuccess();
  return testing::AssertionFailure() << found << " is not " << text;
}

/// Whether an Axe layout places every element as the text does.
inline testing::AssertionResult is_axe(const map::AnyLayout& layout, const std::string& text) {
  const auto same = map::equal(layout, notation::parse_axe(text).value());
  if (same.is_yes()) return testing::AssertionSuccess();
  return testing::AssertionFailure() << map::to_string(layout) << " is not " << text;
}

/// The operand's linear layout, and the other two texts where the row has them.
inline void expect_operand(const nlohmann::json& row, const std::string& name,
                           const form::InstructionQuery& query = {}) {
  const std::string operand = row.at("operand");
  const auto all = [&](map::System system) { return catalogued(name, operand, query, system); };
  if (row.contains("layout")) {
    EXPECT_EQ(std::get<linear::LinearLayout>(catalogued(name, operand, query)),
              fact_layout(row.at("layout")))
        << row;
  }
  if (row.contains("cute_tv")) {
    EXPECT_TRUE(is_thread_value(all(map::System::kCuteTv), row.at("cute_tv"))) << row;
  }
  if (row.contains("axe")) {
    EXPECT_TRUE(is_axe(all(map::System::kAxe), row.at("axe"))) << row;
  }
}

/// The number that the layout gives to the coordinates: `(4,4):(-4,1) + 12` as the facts write it.
class OffsetLayout {
 public:
  explicit OffsetLayout(const std::string& text)
      : layout_(notation::parse_cute(text.substr(0, text.find(" + "))).value()) {
    const auto plus = text.find(" + ");
    if (plus != std::string::npos) offset_ = std::stoll(text.substr(plus + 3));
  }
  template <class... Index>
  [[nodiscard]] std::int64_t operator()(Index... index) const {
    return offset_ + layout_(Int(index)...).value();
  }

 private:
  cute::Layout layout_;
  std::int64_t offset_ = 0;
};

/// Where each element of an operand of these sizes is: (row, col) -> {place: number}.
class Places {
 public:
  Places(const std::string& name, const std::string& operand, std::vector<Int> sizes,
         const form::InstructionQuery& query = {})
      : view_(map::reshaped(map::view(catalogued(name, operand, query, map::System::kAxe)).value(),
                            sizes)
                  .value()) {}

  /// The number of the place of that name; a place that no element needs is number 0.
  [[nodiscard]] std::int64_t operator()(std::string_view place, std::vector<Int> element) const {
    const auto images = map::images(view_, element).value();
    for (std::size_t axis = 0; axis < view_.axes.size(); ++axis) {
      if (view_.axes[axis].name() == place) return images.front()[axis].value();
    }
    return 0;
  }

 private:
  map::View view_;
};

}  // namespace heddle::test
