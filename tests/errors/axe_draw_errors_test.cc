// The texts of refusals to draw Axe layouts.

#include <gtest/gtest.h>

#include "heddle/draw/axe.h"

namespace heddle::draw {
namespace {

std::string refusal(const Result<Picture>& result) {
  return result ? "not refused" : result.error().to_string();
}

axe::Layout lanes() {
  return axe::Layout::make({{8, 4, Axis("laneid")}, {2, 1, Axis::memory()}}).value();
}

TEST(ErrorText, draw_devices) {
  EXPECT_EQ(refusal(device_picture(lanes())),
            "error draw.devices: S[(8,2):(4@laneid,1@m)] uses no axis of devices\n"
            "  hint: devices are on gpuid, pid and node; the tensor view shows threads");
}

TEST(ErrorText, AxePicturesSayWhatTheyLack) {
  PictureOptions color;
  color.color_by = "gpuid";
  EXPECT_EQ(refusal(tensor_picture(lanes(), color)),
            "error draw.color: no axis gpuid decides about the colours of this view: there are "
            "(laneid, m)");
  EXPECT_EQ(refusal(hardware_picture(lanes(), color)),
            "error draw.color: no dimension gpuid decides about the colours of this view: there "
            "are (dim0)");
  PictureOptions element;
  element.shape = {8, 2};
  element.element = std::vector<std::int64_t>{8, 0};
  EXPECT_EQ(refusal(tensor_picture(lanes(), element)),
            "error draw.tv: there is no element (8,0) in the tensor (8,2)");
  const axe::Layout copies =
      axe::Layout::make({{2, 1, Axis::memory()}}, {{(1 << 20) + 1, 2, Axis::memory()}}).value();
  EXPECT_EQ(refusal(tensor_picture(copies)),
            "error draw.too_large: S[(2):(1@m)] + R[(1048577):(2@m)] has more than 16384 "
            "replicas on axis m, and a picture lists them");
}

}  // namespace
}  // namespace heddle::draw
