// Pictures of instructions: every owner that is drawn holds the element, as the fragment says it.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "heddle/form/instruction.h"
#include "heddle/notation/picture.h"

namespace heddle::notation {
namespace {

Result<draw::Picture> picture_of_call(const std::string& call) {
  return picture_of({Value(call)}, PictureRequest{}, Environment());
}

std::string call_of(const form::InstructionListing& listing) {
  std::string call = fmt::format("instruction(\"{}\", arch=\"{}\"", listing.name, listing.machine);
  if (listing.lanes > 1) call += fmt::format(", wave={}", listing.lanes);
  if (listing.vector_bits != 0) call += fmt::format(", svl={}", listing.vector_bits);
  return call + ")";
}

/// The panel of the result, if all of it is drawn with one owner for each element.
const draw::Panel* result_panel(const draw::Picture& picture, std::size_t elements) {
  const auto found = std::ranges::find_if(
      picture.panels, [](const draw::Panel& panel) { return panel.label.starts_with("C ("); });
  if (found == picture.panels.end() || found->cells.size() != elements) return nullptr;
  return &*found;
}

TEST(InstructionPicture, NamesTheOwnersOfTheResult) {
  std::map<std::string, int> of_machine;
  int compared = 0;
  for (const auto& listing : form::instruction_listings()) {
    if (of_machine[listing.machine]++ > 2) continue;
    const auto picture = picture_of_call(call_of(listing));
    if (!picture) {
      const std::string code = picture.error().code();
      EXPECT_TRUE(code == "instruction.ambiguous" || code == "draw.tv" || code == "draw.too_large")
          << picture.error();
      continue;
    }
    const form::Instruction instruction = listing.make();
    const auto* d = instruction.operand("D");
    const auto* c = d != nullptr ? d : instruction.operand("C");
    if (c == nullptr || c->fragment.copies() != 1 || c->fragment.dims().size() != 2) continue;
    const auto& fragment = c->fragment;
    if (fragment.places().front().name != "register" || fragment.places().size() != 2) continue;
    const auto elements =
        static_cast<std::size_t>(fragment.dims()[0].size * fragment.dims()[1].size);
    const draw::Panel* panel = result_panel(*picture, elements);
    if (panel == nullptr) continue;
    const form::IndexMap map = index_map(fragment);
    const std::int64_t registers = fragment.places()[0].size;
    for (std::int64_t lane = 0; lane < fragment.places()[1].size; ++lane) {
      for (std::int64_t value = 0; value < registers; ++value) {
        const auto element = map.at(lane * registers + value);
        const auto cell = static_cast<std::size_t>(element[0].value() * fragment.dims()[1].size +
                                                   element[1].value());
        EXPECT_EQ(panel->cells[cell].text, fmt::format("T{}", lane)) << listing.name;
        EXPECT_EQ(panel->cells[cell].note, fmt::format("V{}", value)) << listing.name;
      }
    }
    ++compared;
    if (HasFailure()) return;
  }
  EXPECT_GE(compared, 20);
}

TEST(InstructionPicture, DrawsOperandsThatAreNoMatricesOneByOne) {
  const auto picture = picture_of_call(R"(instruction("v_mfma_f32_4x4x4f16", arch="cdna2"))");
  ASSERT_TRUE(picture) << picture.error();
  ASSERT_EQ(picture->panels.size(), 4U);
  EXPECT_EQ(picture->panels[0].label, "A: block 16, row 4, col 4; T is lane, V is register");
  EXPECT_EQ(picture->panels[0].cells.size(), 256U);
}

}  // namespace
}  // namespace heddle::notation
