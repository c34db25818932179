#include "heddle/distribute/picture.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "distribute/plain.h"
#include "support/law.h"

namespace heddle::distribute {
namespace {

/// The bytes in the cells off the diagonal.
std::int64_t bytes_between(const draw::Picture& picture) {
  std::int64_t bytes = 0;
  for (const draw::Panel& panel : picture.panels) {
    const std::size_t devices = panel.columns.length;
    for (std::size_t i = 0; i < panel.cells.size(); ++i) {
      const std::string& text = panel.cells[i].text;
      if (i / devices != i % devices && !text.empty()) bytes += std::stol(text);
    }
  }
  return bytes;
}

TEST(PlanPicture, HasTheBytesOfThePlanBetweenDevices) {
  test::for_all_seeds({.one_in = 10}, [](Random& random) -> test::Finding {
    const Pair pair = random_pair(random);
    const Plan plan = *plan_of(pair.from, pair.to);
    const Result<draw::Picture> drawn = picture(plan);
    if (!drawn) return test::found(pair, ": ", drawn.error());
    if (drawn->panels.size() != plan.steps().size()) return test::found(pair, ": other steps");
    if (bytes_between(*drawn) == traffic(plan).total) return test::kHolds;
    return test::found(pair, ": the cells have other bytes than\n", to_string(plan));
  });
}

TEST(PlanPicture, MarksTermsAndColorsGroups) {
  const Mesh mesh = *Mesh::make({2, 2});
  const Spec from{mesh, {Placement::shard(0), Placement::partial()}, {4, 4}};
  const Spec to{mesh, {Placement::shard(0), Placement::shard(1)}, {4, 4}};
  const draw::Picture drawn = *picture(*plan_of(from, to));
  ASSERT_EQ(drawn.panels.size(), 2U);
  const auto& cells = drawn.panels[1].cells;
  EXPECT_EQ(drawn.panels[1].label, "reduce-scatter, 64 bytes");
  EXPECT_EQ(cells[1].text, "+16");
  EXPECT_EQ(cells[1].color, 0U);
  EXPECT_EQ(cells[2].text, "");
  EXPECT_EQ(cells[11].text, "+16");
  EXPECT_EQ(cells[11].color, 1U);
}

}  // namespace
}  // namespace heddle::distribute
