// One test an error code of relations: the whole text that the terminal shows. A test has the name
// of its code with `_` for `.`.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <regex>

#include "heddle/map/relations.h"
#include "map/isl/door.h"
#include "support/text.h"

namespace heddle::map {
namespace {

template <class T>
std::string refusal(const Result<T>& result, std::string_view source = {}) {
  return result ? "not refused" : result.error().to_string(source);
}

std::string not_read(const std::string& text) {
  return refusal(IntegerRelation::parse(text), text);
}

IntegerRelation parsed(const std::string& text) { return IntegerRelation::parse(text).value(); }

TEST(ErrorText, relation_syntax) {
  EXPECT_EQ(not_read("{ [c] -> [2c : 0 <= c }"),
            "error relation.syntax: '}' where ']' would close '['\n"
            "  line 1, column 23\n"
            "    { [c] -> [2c : 0 <= c }\n"
            "                          ^\n"
            "  hint: a relation is written as { [i, j] -> [8i + j] : 0 <= i < 4 }");
  EXPECT_EQ(
      not_read("{ [c] -> [2c] : 0 <= c < m }"),
      "error relation.syntax: nothing is called 'm': it is no dimension, no parameter and not "
      "declared by exists\n"
      "  line 1, column 26\n"
      "    { [c] -> [2c] : 0 <= c < m }\n"
      "                             ^\n"
      "  hint: a parameter is declared in front: [m] -> { … }");
  EXPECT_EQ(not_read("{ [c] -> [c + ] }"),
            "error relation.syntax: unexpected ']'\n"
            "  line 1, column 15\n"
            "    { [c] -> [c + ] }\n"
            "                  ^\n"
            "  hint: a relation is written as { [i, j] -> [8i + j] : 0 <= i < 4 }");
  EXPECT_EQ(not_read("{ [c] : c > 0 }"),
            "error relation.syntax: there is no '->': this is a set, not a relation\n"
            "  line 1, column 1\n"
            "    { [c] : c > 0 }\n"
            "    ^^^^^^^^^^^^^^^\n"
            "  hint: a relation is written as { [i, j] -> [8i + j] : 0 <= i < 4 }");
}

TEST(ErrorText, relation_spaces) {
  EXPECT_EQ(not_read("{ [c] -> [c]; [i, j] -> [i] }"),
            "error relation.spaces: the parts of the union have different dimensions or names\n"
            "  a relation has one kind of point and one kind of image");
}

TEST(ErrorText, relation_too_large) {
  std::string names = "x0";
  for (int i = 1; i < 129; ++i) names += fmt::format(", x{}", i);
  EXPECT_EQ(
      not_read(fmt::format("{{ [{}] -> [x0] }}", names)),
      "error relation.too_large: a relation of 129 dimensions; at most 128 of inputs, outputs "
      "or parameters are read");
  std::string parts = "[0] -> [7]";
  for (int i = 1; i < 5000; ++i) parts += fmt::format("; [{}] -> [{}]", i, i * i % 997);
  EXPECT_EQ(
      not_read("{ " + parts + " }"),
      "error relation.too_large: a union of 5000 parts; isl is given up to 1024\n"
      "  hint: one part for each run of even steps of a box from 0, as heddle prints a table, "
      "is read without isl");
}

TEST(ErrorText, relation_gave_up) {
  Limits limits;
  limits.time = std::chrono::milliseconds(20);
  std::string text = "{ [a, b, c, d] -> [a] : a >= 0";
  for (int i = 2; i < 60; ++i) {
    text += fmt::format(" and ({}a + {}b) mod {} <= ({}c - d) mod {}", i, i + 1, 17 + i, i, 23 + i);
  }
  const std::string refused = refusal(IntegerRelation::parse(text + " }", limits));
  EXPECT_EQ(std::regex_replace(refused, std::regex("after [0-9]+ ms"), "after N ms"),
            "error relation.gave_up: reading a relation: gave up after N ms\n"
            "  the time limit is 20 ms\n"
            "  hint: a higher limit gives it more time: --timeout 60");
}

TEST(ErrorText, relation_refused_by_isl) {
  IslSession session;
  EXPECT_EQ(refusal(session.ask("a set as a relation",
                                [&] { return isl::map(session.context(), "{ [c] : c }"); })),
            "error relation.gave_up: a set as a relation: isl refused it\n"
            "  isl: syntax error");
}

TEST(ErrorText, relation_multi_valued) {
  EXPECT_EQ(
      refusal(pieces(parsed("{ [c] -> [w] : 0 <= w <= 1 and 0 <= c < 4 }"))),
      "error relation.multi_valued: its pieces: the relation has several images of one point\n"
      "  witness: coordinate 0 maps to 0 and 1");
}

TEST(ErrorText, relation_parameters) {
  EXPECT_EQ(
      refusal(index_map(parsed("[N] -> { [c] -> [2c] : 0 <= c < N }"))),
      "error relation.parameters: the relation has a parameter that no value is given for: N\n"
      "  [N] -> { [c] -> [2c] : 0 <= c < N }");
}

TEST(ErrorText, relation_coordinate) {
  EXPECT_EQ(
      refusal(images(parsed("{ [c] -> [2c] : 0 <= c < 4 }"), std::vector<Int>{3, 4})),
      "error relation.coordinate: (3,4) is no point of { [c] -> [2c] : 0 <= c <= 3 }: it has 2 "
      "coordinates, the relation 1");
}

TEST(ErrorText, relation_unbounded) {
  EXPECT_EQ(
      refusal(images(parsed("{ [c] -> [d] : d >= c }"), std::vector<Int>{3})),
      "error relation.unbounded: point 3 of { [c] -> [d] : d >= c } has infinitely many images");
  EXPECT_EQ(refusal(index_map(parsed("{ [c] -> [c] : c >= 0 }"))),
            "error relation.unbounded: the domain of the relation has no end: it is no layout\n"
            "  { [c] -> [c] : c >= 0 }");
}

TEST(ErrorText, relation_domain) {
  EXPECT_EQ(refusal(index_map(parsed("{ [i, j] -> [8i + j] : 0 <= j <= i < 8 }"))),
            "error relation.domain: the domain of the relation is no box from 0\n"
            "  it lacks the point (0,1), which is between others\n"
            "  { [i, j] -> [8i + j] : i <= 7 and 0 <= j <= i }");
  EXPECT_EQ(refusal(index_map(parsed("{ [c] -> [c] : -2 <= c < 4 }"))),
            "error relation.domain: the domain of the relation is no box from 0\n"
            "  it has the point -2\n"
            "  { [c] -> [c] : -2 <= c <= 3 }");
}

TEST(ErrorText, relation_empty) {
  EXPECT_EQ(refusal(index_map(parsed("{ [c] -> [d] : c < 0 and c > 0 }"))),
            "error relation.empty: the relation has no points: it is no layout\n"
            "  { [c] -> [d] : false }");
}

TEST(ErrorText, relation_dims_differ) {
  const IntegerRelation line = parsed("{ [c] -> [c] }");
  const IntegerRelation plane = parsed("{ [i, j] -> [j, i] }");
  EXPECT_EQ(refusal(compose(plane, line)),
            "error relation.dims_differ: a relation of 1 -> 1 dimensions after one of 2 -> 2: the "
            "images of the inner one have 2 coordinates, the points of the outer one 1");
  EXPECT_EQ(refusal(unite(line, plane)),
            "error relation.dims_differ: the union of relations of 1 -> 1 and 2 -> 2 dimensions");
}

TEST(ErrorText, relation_not_affine) {
  const Int rows = Int::variable("M", 1, 4096);
  const cute::Layout layout =
      cute::make_layout(IntTuple{IntTuple(rows), IntTuple(4)},
                        cute::StrideTuple{cute::StrideTuple(4), cute::StrideTuple(rows)})
          .value();
  EXPECT_EQ(refusal(relation(layout)),
            "error relation.not_affine: the layout is no quasi-affine relation\n"
            "  M*c1+4*c0 multiplies two things that vary");
}

}  // namespace
}  // namespace heddle::map
