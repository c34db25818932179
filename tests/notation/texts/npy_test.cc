// Tables as JSON and as NumPy's files.

#include "heddle/notation/npy.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace heddle::notation {
namespace {

std::string text(const Result<form::Table>& table) {
  return table ? to_string(*table) : table.error().code();
}

// JSON.

TEST(TableText, NestedLists) {
  EXPECT_EQ(text(parse_table("[0,2,1,3]")), "[0,2,1,3]");
  EXPECT_EQ(text(parse_table(" [ [0, 1] ,\n [4, -5] ] ")), "[[0,1],[4,-5]]");
  EXPECT_EQ(text(parse_table("[[[1],[2]],[[3],[4]]]")), "[[[1],[2]],[[3],[4]]]");
  EXPECT_EQ(text(parse_table("7")), "7");
  EXPECT_EQ(text(parse_table("[true,false]")), "[1,0]");
}

TEST(TableText, NamedAxes) {
  const auto table = parse_table(R"({"table": [[0,1],[2,3],[4,5]], "axes": ["lane","reg"]})");
  ASSERT_TRUE(table.has_value());
  EXPECT_EQ(table->extents, std::vector<std::int64_t>{3});
  EXPECT_EQ(table->axes, (std::vector<Axis>{Axis("lane"), Axis("reg")}));
  EXPECT_EQ(text(parse_table(R"({"axes": ["m"], "table": [[0],[2]]})")), "[0,2]");
}

TEST(TableText, RefusesWithThePlace) {
  const auto refused = parse_table("[[0,1],[2,3,4]]");
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().code(), "table.shape");
  EXPECT_EQ(refused.error().span(), (Span{7, 8}));
  for (const auto* ragged : {"[[0],1]", "[0,[1]]", "[]", "[[],[]]", "[[0,1],[]]"}) {
    EXPECT_EQ(text(parse_table(ragged)), "table.shape") << ragged;
  }
  for (const auto* broken : {"",
                             "[",
                             "[0",
                             "[0,",
                             "[0,]",
                             "[0 1]",
                             "[0]]",
                             "[1.5]",
                             "[1e3]",
                             "[99999999999999999999]",
                             "[null]",
                             "[\"a\"]",
                             "{",
                             "{}",
                             R"({"table":[1]})"
                             "x",
                             R"({"table":[1],"table":[1]})",
                             R"({"axes":["m"]})",
                             R"({"table":[1],"axes":[]})",
                             R"({"table":[1],"axes":["a)",
                             R"({"other":[1]})"}) {
    EXPECT_EQ(text(parse_table(broken)), "table.syntax") << broken;
  }
  EXPECT_EQ(text(parse_table(R"({"table":[1,2],"axes":["a"]})")), "table.shape");
  EXPECT_EQ(text(parse_table(R"({"table":[[1,2]],"axes":["a","a"]})")), "table.shape");
  EXPECT_EQ(text(parse_table(std::string(100'000, '['))), "table.syntax");
}

// NumPy.

std::string header(int version, const std::string& dictionary) {
  std::string bytes = "\x93NUMPY";
  bytes += static_cast<char>(version);
  bytes += '\0';
  std::string text = dictionary;
  const std::size_t length_bytes = version == 1 ? 2 : 4;
  while ((bytes.size() + length_bytes + text.size() + 1) % 64 != 0) text += ' ';
  text += '\n';
  for (std::size_t i = 0; i < length_bytes; ++i)
    bytes += static_cast<char>(text.size() >> (8 * i) & 0xffU);
  return bytes + text;
}

std::string dictionary(const std::string& dtype, bool fortran, const std::string& shape) {
  return "{'descr': '" + dtype + "', 'fortran_order': " + (fortran ? "True" : "False") +
         ", 'shape': " + shape + ", }";
}

std::string array(const std::string& dtype, bool fortran, const std::string& shape,
                  const std::string& data, int version = 1) {
  return header(version, dictionary(dtype, fortran, shape)) + data;
}

/// The numbers as the dtype has them.
std::string encoded(const std::vector<std::int64_t>& numbers, std::size_t width, bool is_big) {
  std::string bytes;
  for (const std::int64_t number : numbers) {
    std::string one;
    for (std::size_t i = 0; i < width; ++i)
      one += static_cast<char>(static_cast<std::uint64_t>(number) >> (8 * i) & 0xffU);
    if (is_big) std::ranges::reverse(one);
    bytes += one;
  }
  return bytes;
}

TEST(Npy, EveryIntegerInEitherOrderAndVersion) {
  const std::vector<std::int64_t> numbers{0, 1, 100, 127};
  for (const int version : {1, 2, 3}) {
    for (const char kind : {'i', 'u'}) {
      for (const std::size_t width : {1U, 2U, 4U, 8U}) {
        for (const char order : {'<', '>', '='}) {
          const std::string dtype = std::string{order, kind} + std::to_string(width);
          const std::string bytes =
              array(dtype, false, "(2, 2)", encoded(numbers, width, order == '>'), version);
          EXPECT_EQ(text(read_npy(bytes)), "[[0,1],[100,127]]") << dtype;
        }
      }
    }
  }
  EXPECT_EQ(text(read_npy(array("|i1", false, "(2,)", encoded({-1, -128}, 1, false)))),
            "[-1,-128]");
  EXPECT_EQ(text(read_npy(array("|u1", false, "(2,)", encoded({255, 0}, 1, false)))), "[255,0]");
  EXPECT_EQ(text(read_npy(array(">i2", false, "(1,)", encoded({-300}, 2, true)))), "[-300]");
  EXPECT_EQ(text(read_npy(array("<i8", false, "(1,)", encoded({INT64_MIN}, 8, false)))),
            "[-9223372036854775808]");
  EXPECT_EQ(text(read_npy(array("|b1", false, "(3,)", {'\0', '\1', '\0'}))), "[0,1,0]");
}

TEST(Npy, FortranOrder) {
  const std::string data = encoded({0, 10, 1, 11, 2, 12}, 4, false);
  EXPECT_EQ(text(read_npy(array("<i4", true, "(2, 3)", data))), "[[0,1,2],[10,11,12]]");
  EXPECT_EQ(text(read_npy(array("<i4", false, "(2, 3)", data))), "[[0,10,1],[11,2,12]]");
  std::vector<std::int64_t> numbers;
  for (std::int64_t c = 0; c < 24; ++c) numbers.push_back(c);
  EXPECT_EQ(text(read_npy(array("<i4", true, "(2, 3, 4)", encoded(numbers, 4, false)))),
            "[[[0,6,12,18],[2,8,14,20],[4,10,16,22]],[[1,7,13,19],[3,9,15,21],[5,11,17,23]]]");
}

TEST(Npy, OtherSpellingsOfTheHeader) {
  EXPECT_EQ(text(read_npy(array("<i4", false, "()", encoded({7}, 4, false)))), "7");
  EXPECT_EQ(text(read_npy(header(1, "{\"shape\":(2L,),\"descr\":\"<i4\",\"fortran_order\":False}") +
                          encoded({7, 8}, 4, false))),
            "[7,8]");
}

TEST(Npy, RefusesWhatIsNoTableOfIntegers) {
  const auto of_dtype = [](const std::string& dtype) {
    return text(read_npy(array(dtype, false, "(1,)", std::string(16, '\0'))));
  };
  for (const auto* dtype : {"<f8", "<f4", "<f2", "<c16", "|S8", "<U4", "|O", "<M8[ns]", "|V8",
                            "<i3", "<i16", "i8", "", "|i8", "<i", "\x1b[31m"}) {
    EXPECT_EQ(of_dtype(dtype), "npy.dtype") << dtype;
  }
  EXPECT_EQ(text(read_npy(header(1,
                                 "{'descr': [('a', '<i4')], 'fortran_order': False, "
                                 "'shape': (1,), }"))),
            "npy.dtype");
}

TEST(Npy, RefusesBrokenHeaders) {
  const std::string whole = array("<i4", false, "(2, 2)", encoded({0, 1, 2, 3}, 4, false));
  for (std::size_t length = 0; length < whole.size(); ++length) {
    const std::string code = text(read_npy(whole.substr(0, length)));
    EXPECT_TRUE(code == "npy.header" || code == "npy.size") << length << ": " << code;
  }
  EXPECT_EQ(text(read_npy(whole + "x")), "npy.size");
  for (const auto* broken :
       {"", "{", "[]", "{}", "{'descr': '<i4'}", "{'descr': '<i4', 'fortran_order': Maybe, ",
        "{'descr': '<i4', 'fortran_order': True, 'shape': 4}",
        "{'descr': '<i4', 'fortran_order': True, 'shape': (-1,)}",
        "{'descr': '<i4', 'fortran_order': True, 'shape': (99999999999999999999,)}",
        "{'descr': '<i4', 'descr': '<i4', 'fortran_order': True, 'shape': (1,)}",
        "{'descr': '<i4', 'fortran_order': True, 'shape': (1,)} x",
        "{'descr': '<i4, 'fortran_order': True, 'shape': (1,)}"}) {
    EXPECT_EQ(text(read_npy(header(1, broken))), "npy.header") << broken;
  }
  EXPECT_EQ(text(read_npy(header(4, "{}"))), "npy.version");
}

TEST(Npy, BelievesNoClaims) {
  EXPECT_EQ(text(read_npy(array("<i8", false, "(4611686018427387904, 4)", ""))), "table.too_large");
  EXPECT_EQ(text(read_npy(array("<i8", false, "(16777216,)", "1234"))), "npy.size");
  EXPECT_EQ(text(read_npy(array("<i8", false, "(0, 3)", ""))), "table.shape");
  EXPECT_EQ(text(read_npy(std::string("\x93NUMPY\x02\0\xff\xff\xff\x7f", 12))), "npy.header");
  EXPECT_EQ(text(read_npy(array("<u8", false, "(1,)", std::string(8, '\xff')))), "npy.range");
}

}  // namespace
}  // namespace heddle::notation
