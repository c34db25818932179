// One test an error code of recovery and of tables: the whole text that the terminal shows, but for
// the place in the text. A test has the name of its code with `_` for `.`.

#include <gtest/gtest.h>

#include <string>

#include "heddle/form/recover.h"
#include "heddle/form/recover_bits.h"
#include "heddle/form/table.h"
#include "heddle/map/recover.h"
#include "heddle/notation/axe.h"
#include "heddle/notation/npy.h"
#include "support/refusal.h"
#include "support/text.h"

namespace heddle {
namespace {

using test::refusal;

using Values = std::vector<std::int64_t>;

form::Table table(std::string_view text) { return notation::parse_table(text).value(); }

TEST(ErrorText, table_syntax) {
  EXPECT_EQ(refusal(notation::parse_table("[0,1.5]")),
            "error table.syntax: this is no table of integers: this number is no integer");
  EXPECT_EQ(refusal(notation::parse_table("[0,1")),
            "error table.syntax: this is no table of integers: a comma or the closing bracket is "
            "missing");
}

TEST(ErrorText, table_shape) {
  EXPECT_EQ(refusal(notation::parse_table("[[0,1],[2]]")),
            "error table.shape: a list of 1 stands where others have 2");
  EXPECT_EQ(refusal(form::make_table({2, 2}, {Axis::memory()}, {0, 1, 2})),
            "error table.shape: 2 x 2 points with 1 number each need 4 values, not 3");
  EXPECT_EQ(refusal(notation::on_axes(table("[[0,1],[2,3]]"), {"lane", "reg", "m"})),
            "error table.shape: 3 axes are named, and the innermost lists of (2,2) numbers are not "
            "of that length");
}

TEST(ErrorText, table_too_large_to_hold) {
  EXPECT_EQ(refusal(form::make_table({4096, 8192}, {Axis::memory()}, {})),
            "error table.too_large: 4096 x 8192 points with 1 number each are too many for a "
            "table, which holds at most 16777216");
}

TEST(ErrorText, npy_header) {
  EXPECT_EQ(refusal(notation::read_npy("PK")),
            "error npy.header: this is no array of NumPy's format: it does not begin with "
            "\\x93NUMPY");
}

TEST(ErrorText, npy_version) {
  EXPECT_EQ(refusal(notation::read_npy(std::string("\x93NUMPY\x04\0", 8))),
            "error npy.version: NumPy's format has versions 1.0, 2.0 and 3.0, and this is 4.0");
}

std::string array(const std::string& dictionary, const std::string& data) {
  std::string bytes("\x93NUMPY\1\0", 8);
  bytes += static_cast<char>(dictionary.size());
  bytes += '\0';
  return bytes + dictionary + data;
}

TEST(ErrorText, npy_dtype) {
  EXPECT_EQ(refusal(notation::read_npy(
                array("{'descr':'<f8','fortran_order':False,'shape':(1,)}", "01234567"))),
            "error npy.dtype: the elements are '<f8', and a table holds integers or truths\n"
            "  hint: array.astype(numpy.int64)");
}

TEST(ErrorText, npy_size) {
  EXPECT_EQ(refusal(notation::read_npy(
                array("{'descr':'<i4','fortran_order':False,'shape':(2,2)}", "01234567"))),
            "error npy.size: 4 elements of '<i4' take 16 bytes, and 8 follow the header");
}

TEST(ErrorText, npy_range) {
  EXPECT_EQ(refusal(notation::read_npy(array("{'descr':'<u8','fortran_order':False,'shape':(1,)}",
                                             std::string(8, '\xff')))),
            "error npy.range: the element 18446744073709551615 is past 2^63 - 1, the largest "
            "number here");
}

TEST(ErrorText, recover_no_layout_of_a_table) {
  EXPECT_EQ(refusal(map::recover_strided(table("[0,1,2,3,5,6]"))),
            "error recover.no_layout: no strided layout on 6 points has this function: its step "
            "changes at 4, and 4 does not divide 6\n"
            "  witness: coordinate 4 maps to 5; a layout would need 4");
  EXPECT_EQ(refusal(map::recover_strided(table("[[5,6],[7,9]]"))),
            "error recover.no_layout: no layout compatible with (2,2) has this function: what the "
            "modes add alone makes 7 + 6 - 5 at (1,1), where 9 is\n"
            "  witness: coordinate (1,1) maps to 9; a layout would need 8");
  map::RecoverOptions options;
  options.shape = test::tuple("(3,2)");
  EXPECT_EQ(refusal(map::recover_strided(table("[0,1,4,5,8,9]"), options)),
            "error recover.no_layout: no layout of shape (3,2) has this function: the first step "
            "of each mode leaves only the strides of 3:1 2:5\n"
            "  witness: coordinate 2 maps to 4; a layout of shape (3,2) would need 2");
}

TEST(ErrorText, recover_strides) {
  map::RecoverOptions options;
  options.strides = test::strides("(1,7)");
  EXPECT_EQ(refusal(map::recover_strided(table("[0,1,2,3,8,9,10,11]"), options)),
            "error recover.strides: the function is 4:1 2:8, and no extents make the strides (1,7) "
            "that");
}

TEST(ErrorText, recover_no_bits) {
  EXPECT_EQ(refusal(map::recover_bit_linear(table("[0,1,2,0]"))),
            "error recover.no_bits: no linear layout over bits has this function: f(0)^f(1)^f(2) = "
            "3, and f(1^2) is 0\n"
            "  witness: coordinate 3 maps to 0; a layout would need 3");
  EXPECT_EQ(refusal(map::recover_bit_linear(table("[0,1,2]"))),
            "error recover.no_bits: a linear layout over bits has powers of two of points, not 3");
  EXPECT_EQ(refusal(map::recover_bit_linear(table("[1,0]"))),
            "error recover.no_bits: the image of 0 is 1, and a linear layout takes 0 to 0\n"
            "  witness: coordinate 0 maps to 1; a linear layout would need 0");
}

TEST(ErrorText, recover_no_mixed) {
  EXPECT_EQ(refusal(map::recover_mixed(table("[0,1,4,9]"))),
            "error recover.no_mixed: no strided layout followed by a swizzle has this function: "
            "all swizzles were tried\n"
            "  witness: coordinate 3 maps to 9; a layout without a swizzle would need 5");
}

TEST(ErrorText, recover_no_axe) {
  EXPECT_EQ(refusal(map::recover_axe(table("[0,1,4,9]"))),
            "error recover.no_axe: no strided layout followed by a swizzle has this function: all "
            "swizzles were tried\n"
            "  witness: coordinate 3 maps to 9; a layout without a swizzle would need 5");
}

TEST(ErrorText, recover_copies) {
  EXPECT_EQ(
      refusal(map::recover_strided(notation::parse_axe("S[(4):(1@m)] + R[(2):(1@gpuid)]").value())),
      "error recover.copies: each point has 2 images\n"
      "  hint: only Axe layouts and relations have copies: recover_axe(…)");
}

TEST(ErrorText, recover_too_large_with_an_offset) {
  const form::Sampler line = [](std::int64_t c) { return Values{c}; };
  EXPECT_EQ(refusal(form::recover_strided(std::int64_t{1} << 40, 1, line)),
            "error recover.too_large: 1099511627776 points are too many to verify a recovered "
            "layout at each of them (at most 1048576)");
}

TEST(ErrorText, recover_gave_up) {
  form::RecoverStridedOptions options;
  options.keep_going = [](std::int64_t) { return false; };
  const form::Sampler line = [](std::int64_t c) { return Values{c}; };
  EXPECT_EQ(refusal(form::recover_strided(1 << 20, 1, line, options)),
            "error recover.gave_up: gave up after 65536 evaluations");
}

}  // namespace
}  // namespace heddle
