// One test an error code of views: the whole text that the terminal shows. A test has the name of
// its code with `_` for `.`.

#include <gtest/gtest.h>

#include <vector>

#include "heddle/map/any_layout.h"

namespace heddle::map {
namespace {

View view_of_rows() { return view(cute::make_layout({4, 8}, {8, 1}).value()).value(); }

TEST(ErrorText, view_coordinate) {
  EXPECT_EQ(images(view_of_rows(), std::vector<Int>{1, 8}).error().to_string(),
            "error view.coordinate: (1,8) is no point of the box (4,8): index c1 runs from 0 to 7");
  EXPECT_EQ(images(view_of_rows(), std::vector<Int>{1}).error().to_string(),
            "error view.coordinate: (1) is no point of the box (4,8): it has 1 indices, the box 2");
}

TEST(ErrorText, view_shape) {
  EXPECT_EQ(reshaped(view_of_rows(), std::vector<Int>{4, 9}).error().to_string(),
            "error view.shape: a box (4,8) of 32 points has no shape (4,9) of 36 points");
}

}  // namespace
}  // namespace heddle::map
