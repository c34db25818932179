#include "heddle/axe/mesh.h"

#include <gtest/gtest.h>

#include "support/law.h"

namespace heddle::axe {
namespace {

using test::Finding;
using test::for_all_seeds;
using test::found;
using test::kHolds;
using test::Random;

using Extents = std::vector<std::int64_t>;

TEST(AxeMesh, PrintsAsPyTorch) {
  EXPECT_EQ(to_string(*Mesh::make({2, 2}, {"x", "y"}, {0, 2, 1, 3})),
            "DeviceMesh([[0, 2], [1, 3]], mesh_dim_names=('x', 'y'))");
  EXPECT_EQ(to_string(*Mesh::make({4}, {"dp"})),
            "DeviceMesh([0, 1, 2, 3], mesh_dim_names=('dp',))");
  EXPECT_EQ(to_string(*Mesh::make({2, 2})), "DeviceMesh([[0, 1], [2, 3]])");
}

TEST(AxeMesh, IsALayoutWithABlockForEachAxis) {
  const Grouping grouping = *layout(*Mesh::make({2, 2}, {"x", "y"}, {0, 2, 1, 3}));
  EXPECT_EQ(to_string(grouping.layout), "S[(2,2):(1@gpuid,2@gpuid)]");
  EXPECT_EQ(grouping.seps, (std::vector<std::size_t>{0, 1, 2}));
}

TEST(AxeMesh, AnAxisMayRunInSeveralStrides) {
  const Grouping grouping = *layout(*Mesh::make({4, 2}, {}, {4, 6, 5, 7, 20, 22, 21, 23}));
  EXPECT_EQ(to_string(grouping.layout), "S[(2,2,2):(16@gpuid,1@gpuid,2@gpuid)] + 4@gpuid");
  EXPECT_EQ(grouping.seps, (std::vector<std::size_t>{0, 2, 3}));
}

TEST(AxeMesh, ComesFromALayoutToo) {
  const Layout layout = *Layout::make({{2, 1, device_axis()}, {2, 2, device_axis()}});
  EXPECT_EQ(*Mesh::make({2, 2}, {"x", "y"}, layout), *Mesh::make({2, 2}, {"x", "y"}, {0, 2, 1, 3}));
}

TEST(AxeMesh, KnowsWhereADeviceIs) {
  const Mesh mesh = *Mesh::make({2, 2}, {"x", "y"}, {0, 2, 1, 3});
  EXPECT_EQ(mesh.coordinate(2), (Extents{0, 1}));
  EXPECT_EQ(mesh.coordinate(4), std::nullopt);
  EXPECT_EQ(mesh.axis("y"), 1U);
  EXPECT_EQ(mesh.axis("z"), std::nullopt);
}

/// A mesh that is given by strides, as a list.
TEST(AxeMeshLaw, TheLayoutOfAMeshGivesItsDevices) {
  test::Tally strided;
  for_all_seeds([&](Random& random) -> Finding {
    Extents extents;
    for (std::int64_t n = random.between(0, 3); n > 0; --n) extents.push_back(random.between(1, 4));
    std::int64_t size = 1;
    for (const std::int64_t extent : extents) size *= extent;
    Extents devices;
    for (std::int64_t i = 0; i < size; ++i) devices.push_back(i + random.between(0, 1) * 100);
    if (random.chance(30)) random.shuffle(devices);
    if (random.chance(70)) {
      Extents steps(extents.size());
      std::int64_t step = random.between(1, 2);
      std::vector<std::size_t> order;
      for (std::size_t i = 0; i < extents.size(); ++i) order.push_back(i);
      random.shuffle(order);
      for (const std::size_t i : order) {
        steps[i] = step;
        step *= extents[i];
      }
      for (std::int64_t i = 0; i < size; ++i) {
        std::int64_t rest = i;
        std::int64_t id = 3;
        for (std::size_t d = extents.size(); d-- > 0; rest /= extents[d]) {
          id += rest % extents[d] * steps[d];
        }
        devices[static_cast<std::size_t>(i)] = id;
      }
    }
    const Mesh mesh = *Mesh::make(extents, {}, devices);
    const Result<Grouping> grouping = layout(mesh);
    if (!grouping) {
      return grouping.error().code() == "axe.mesh_layout" ? kHolds
                                                          : found(mesh, ": ", grouping.error());
    }
    strided.count();
    if (grouping->rank() != extents.size()) return found(mesh, ": rank");
    const Mesh back = *Mesh::make(extents, {}, grouping->layout);
    return back == mesh ? kHolds : found(mesh, " but ", back);
  });
  strided.expect_at_least(50);
}

}  // namespace
}  // namespace heddle::axe
