// One test an error code of moving data: the whole text that the terminal shows.

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "heddle/files/tensor_file.h"
#include "heddle/move/relayout.h"
#include "heddle/notation/repackings.h"
#include "support/any_layout.h"
#include "support/refusal.h"

namespace heddle::move {
namespace {

using test::layout_of_text;
using test::refusal;

std::string planned(std::string_view from, std::string_view to, std::int64_t bits = 16) {
  return refusal(make_plan(layout_of_text(from), layout_of_text(to), bits));
}

TEST(ErrorText, move_bits) {
  EXPECT_EQ(planned("4:1", "4:1", 0),
            "error move.bits: elements of 0 bits; they have 1 to 1048576");
}

TEST(ErrorText, move_sizes) {
  EXPECT_EQ(
      planned("(4,8):(8,1)", "(4,4):(4,1)"),
      "error move.sizes: (4,8):(8,1) has 32 elements and (4,4):(4,1) has 16; each moves to one "
      "place");
}

TEST(ErrorText, move_symbolic) {
  EXPECT_EQ(planned("(M,8):(8,1)", "(M,8):(8,1)"),
            "error move.symbolic: (M,8):(8,1) has sizes that are not known\n"
            "  hint: bind the names: numbers are needed to move bytes");
}

TEST(ErrorText, move_axes) {
  EXPECT_EQ(
      planned("8:1", "S[(2,4):(1@laneid,1@m)]"),
      "error move.axes: the places of S[(2,4):(1@laneid,1@m)] have 2 coordinates, (laneid,m), "
      "and a buffer has one\n"
      "  hint: a layout of memory is needed: convert it, or give its axes strides in one "
      "buffer");
}

TEST(ErrorText, move_overlap) {
  EXPECT_EQ(
      planned("(4,8):(8,1)", "(4,8):(1,2)"),
      "error move.overlap: (4,8):(1,2) has two coordinates at one place, which would be written "
      "twice\n"
      "  witness: coordinate 4 = (0,1) maps to 2; a move would need another place than 2 = (2,0) "
      "has");
}

TEST(ErrorText, move_negative) {
  EXPECT_EQ(planned("8:1", "8:-1"),
            "error move.negative: 8:-1 has the place -7, and a buffer begins at 0\n"
            "  witness: coordinate 1 maps to -1; a buffer would need at least 0\n"
            "  hint: add an offset, as in `o`");
}

TEST(ErrorText, move_too_large) {
  EXPECT_EQ(planned("4611686018427387904:1", "4611686018427387904:1"),
            "error move.too_large: the places of 4611686018427387904:1 reach past 2^62 bits");
}

TEST(ErrorText, move_buffer) {
  const Plan plan = make_plan(layout_of_text("8:1"), layout_of_text("8:2"), 16).value();
  std::vector<std::byte> bytes(64);
  const std::span all(bytes);
  EXPECT_EQ(refusal(plan.run(all.first(16), all.last(29))),
            "error move.buffer: the destination has 29 bytes, and the layout reaches 30");
  EXPECT_EQ(refusal(plan.run(all, all)),
            "error move.buffer: source and destination overlap\n"
            "  hint: a move in place takes one buffer");
}

TEST(ErrorText, move_in_place) {
  std::vector<std::byte> bytes(64);
  EXPECT_EQ(
      refusal(
          make_plan(layout_of_text("8:1"), layout_of_text("8:2"), 16).value().run_in_place(bytes)),
      "error move.in_place: the elements cannot move within one buffer: the piece at byte 2 is "
      "read and not written\n"
      "  hint: move them to another buffer or file");
}

TEST(ErrorText, move_stopped) {
  const Plan plan = make_plan(layout_of_text("4:1"), layout_of_text("4:1"), 16).value();
  std::vector<std::byte> bytes(16);
  const std::span all(bytes);
  std::stop_source stop;
  stop.request_stop();
  const RunOptions options{.stop = stop.get_token()};
  EXPECT_EQ(refusal(plan.run(all.first(8), all.last(8), options)),
            "error move.stopped: the move was stopped; the destination holds some of the elements");
  EXPECT_EQ(refusal(plan.run_in_place(all, options)),
            "error move.stopped: the move was stopped; the buffer is as it was");
}

TEST(ErrorText, repacking_unknown) {
  EXPECT_EQ(refusal(notation::find_repacking("vnni3")),
            "error repacking.unknown: there is no repacking vnni3\n"
            "  hint: heddle help recipes lists them");
}

TEST(ErrorText, repacking_sizes) {
  EXPECT_EQ(refusal(notation::layouts_of(notation::find_repacking("vnni2").value(),
                                         {{"K", 7}, {"N", 2}})),
            "error repacking.sizes: vnni2: K is 7, which 2 does not divide\n"
            "  hint: its sizes: K, N");
}

TEST(ErrorText, npz_header) {
  EXPECT_EQ(refusal(files::tensors_of("PK\x03\x04")),
            "error npz.header: this is no archive of arrays: it has no directory at its end");
}

TEST(ErrorText, npz_compressed) {
  // A directory of one member that is deflated.
  std::string bytes = "PK\x03\x04";
  bytes += std::string("PK\x01\x02", 4) + std::string(6, '\0') + '\x08' + std::string(17, '\0') +
           '\x05' + std::string(17, '\0') + "a.npy";
  bytes += std::string("PK\x05\x06", 4) + std::string(6, '\0') + '\x01' + std::string(5, '\0') +
           '\x04' + std::string(5, '\0');
  EXPECT_EQ(refusal(files::tensors_of(bytes)),
            "error npz.compressed: the member a.npy is compressed\n"
            "  hint: write it with numpy.savez, which does not compress");
}

TEST(ErrorText, safetensors_header) {
  const std::string text = R"({"w":{"dtype":"F32","shape":[2],"data_offsets":[0,4]}})";
  const std::string bytes =
      std::string(1, static_cast<char>(text.size())) + std::string(7, '\0') + text + "0123";
  EXPECT_EQ(refusal(files::tensors_of(bytes)),
            "error safetensors.header: this is no file of safetensors: the tensor w has 4 bytes, "
            "which is not what its shape takes");
}

}  // namespace
}  // namespace heddle::move
