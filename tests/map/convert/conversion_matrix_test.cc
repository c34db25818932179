// docs/conversion.md has for each pair of systems a layout that has the same map in both, and one
// that has none in the other. This test makes that part of the page; HEDDLE_UPDATE_DOCS=1 writes
// it.

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "heddle/map/convert.h"
#include "heddle/notation/any_layout.h"
#include "support/any_layout.h"

namespace heddle::map {
namespace {

using test::layout_of_text;
using test::table;

constexpr const char* kBegin = "<!-- made by tests/map/convert/conversion_matrix_test.cc -->\n";
constexpr const char* kEnd = "<!-- end -->\n";

struct SourceLayouts {
  System system;
  std::vector<AnyLayout> layouts;
};

AnyLayout thread_values(std::string_view layout, const IntTuple& tile) {
  return cute::TvLayout{std::get<cute::Layout>(layout_of_text(layout)), cute::to_tiler(tile)};
}

/// As many elements as (T,V) has.
IntTuple symbolic_size() { return {std::get<cute::Layout>(layout_of_text("(T,V):(V,1)")).size()}; }

/// The first that converts is the example, the first that is refused the refusal.
std::vector<SourceLayouts> sources() {
  const std::string lanes = R"({"ins":[["register",[[0,1],[8,0]]],)"
                            R"(["lane",[[0,2],[0,4],[1,0],[2,0],[4,0]]]],)"
                            R"("outs":[["dim0",16],["dim1",8]]})";
  const std::string swizzled =
      R"({"ins":[["offset",[[0,1],[0,2],[1,1],[2,2]]]],"outs":[["dim0",4],["dim1",4]]})";
  const std::string mixed = R"({"ins":[["lane",[[1],[3],[5]]]],"outs":[["dim0",8]]})";
  const std::string uneven =
      R"({"ins":[["register",[[1]]],["lane",[[2],[3]]]],"outs":[["dim0",8]]})";
  std::string large = R"({"ins":[["offset",[)";
  for (int bit = 0; bit < 26; ++bit) {
    large += (bit > 0 ? ",[" : "[") + std::to_string(std::int64_t{1} << bit) + "]";
  }
  large += R"(]]],"outs":[["dim0",67108864]]})";
  return {
      {System::kCute,
       {layout_of_text("(4,8):(8,1)"), layout_of_text("Sw<2,0,3> o 0 o (4,8):(8,1)"),
        layout_of_text("(3,2):(1,3)"), layout_of_text("(4,8):(1@0,1@1)"),
        layout_of_text("(4,2,2):(1,4,8)"), layout_of_text("(M,N):(N,1)")}},
      {System::kCuteTv,
       {thread_values("((4,8),(2,2)):((32,1),(16,8))", IntTuple{16, 8}),
        thread_values("(4,2):(1,8)", 16), thread_values("(3,2):(1,3)", 6),
        thread_values("(T,V):(V,1)", symbolic_size())}},
      {System::kLinear,
       {layout_of_text(lanes), layout_of_text(swizzled), layout_of_text(mixed),
        layout_of_text(uneven), layout_of_text(large)}},
      {System::kAxe,
       {layout_of_text("S[(2,8,4,2):(2@reg,4@laneid,1@laneid,1@reg)]"),
        layout_of_text("S[(4,8):(8@m,1@m)]"), layout_of_text("S[(4):(1@m)] + R[(2):(4@m)]"),
        layout_of_text("S[(4,2):(1@laneid,8@laneid)]"), layout_of_text("S[(3,4):(4@m,1@m)]"),
        layout_of_text("S[(2,2,2):(1@m,2@m,4@m)]"), layout_of_text("S[(M,N):(N@m,1@m)]")}},
      {System::kLego,
       {layout_of_text("GroupBy([4,8]).OrderBy(Col(4,8))"),
        layout_of_text("GroupBy([4,4]).OrderBy(GenP([4,4],antidiag))"),
        layout_of_text("GroupBy([M,N]).OrderBy(Row(M,N))")}},
      {System::kRelation,
       {layout_of_text("relation(\"{ [i, j] -> [8i + j] : 0 <= i < 4 and 0 <= j < 8 }\")"),
        layout_of_text("relation(\"{ [c] -> [(-3c) mod 16] : 0 <= c <= 15 }\")"),
        layout_of_text("relation(\"{ [i, j] -> [8i + j] : 0 <= j <= i < 8 }\")")}},
      {System::kTable,
       {table({2, 2}, {0, 1, 2, 3}), table({4}, {0, 1, 2, 0}), table({5}, {0, 2, 1, 4, 3})}},
  };
}

/// As it may stand in a table.
std::string escaped(const std::string& text) {
  std::string result;
  for (const char character : text) {
    if (character == '|') result += '\\';
    result += character;
  }
  return result;
}

/// On one line, as the expression language reads it.
std::string line_of(const AnyLayout& layout) {
  constexpr std::size_t kMaxLine = 160;
  std::string text = std::holds_alternative<linear::LinearLayout>(layout)
                         ? notation::to_json(notation::to_value(layout))
                         : to_string(layout);
  if (text.size() > kMaxLine) text = text.substr(0, 60) + " … " + text.substr(text.size() - 20);
  return "`" + escaped(text) + "`";
}

std::string reason_of(const Diagnostic& refusal) {
  const bool is_proof = refusal.code() == "convert.no_layout" && !refusal.notes().empty();
  return is_proof ? refusal.notes().front() : refusal.message();
}

std::string row(const SourceLayouts& source, System to) {
  std::string example = "none";
  std::string refusal = "none: it writes them all";
  bool has_example = false;
  bool has_refusal = false;
  for (const AnyLayout& layout : source.layouts) {
    const auto converted = convert(layout, to);
    if (converted && !has_example) {
      has_example = true;
      example = line_of(layout) + " is " + line_of(converted->layout);
      if (!converted->remark.empty()) example += ", " + converted->remark;
    }
    if (!converted && !has_refusal) {
      has_refusal = true;
      refusal = line_of(layout) + ": " + escaped(reason_of(converted.error()));
    }
  }
  return "| " + std::string(name(to)) + " | " + example + " | " + refusal + " |\n";
}

std::string matrix() {
  std::string text;
  for (const SourceLayouts& source : sources()) {
    text += "\n### From " + std::string(name(source.system)) + "\n\n| to | example | refused |\n";
    text += "| --- | --- | --- |\n";
    for (const System to : systems()) {
      if (to != source.system) text += row(source, to);
    }
  }
  return text + "\n";
}

std::string contents(const std::string& path) {
  const std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

TEST(ConversionMatrix, IsThatOfThePage) {
  const std::string path = std::string(HEDDLE_SOURCE_DIR) + "/docs/conversion.md";
  const std::string page = contents(path);
  const std::size_t begin = page.find(kBegin);
  const std::size_t end = page.find(kEnd);
  ASSERT_NE(begin, std::string::npos) << path;
  ASSERT_NE(end, std::string::npos) << path;
  const std::size_t from = begin + std::string(kBegin).size();
  const std::string made = matrix();
  if (std::getenv("HEDDLE_UPDATE_DOCS") != nullptr) {
    std::ofstream(path) << page.substr(0, from) << made << page.substr(end);
    return;
  }
  EXPECT_EQ(page.substr(from, end - from), made) << "HEDDLE_UPDATE_DOCS=1 writes it";
}

/// Of each pair there is an example, and of nearly each a refusal.
TEST(ConversionMatrix, HasBothOfNearlyEveryPair) {
  const std::string made = matrix();
  EXPECT_EQ(made.find("| none |"), std::string::npos);
}

}  // namespace
}  // namespace heddle::map
