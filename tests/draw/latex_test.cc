// Pictures as LaTeX documents.

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>

#include "heddle/cute/divide.h"
#include "heddle/draw/formats.h"
#include "heddle/draw/operation.h"
#include "heddle/draw/tv.h"
#include "support/law.h"
#include "support/shell.h"
#include "support/strings.h"
#include "support/text.h"

namespace heddle::draw {
namespace {

using test::contains;
using test::layout;

Picture drawn(std::string_view text, PictureOptions options = {}) {
  options.facts = true;
  return picture(layout(text), options).value();
}

// LaTeX.

TEST(Latex, EscapesWhatTexReads) {
  const std::string tex = to_latex(drawn("1:0", {.title = "a_b{c}\\$&#%^~ \xc3\xa9"}));
  EXPECT_TRUE(contains(tex, "{a\\_b\\{c\\}\\char`\\\\{}\\$\\&\\#\\%\\char`\\^{}\\char`\\~{} ?};"))
      << tex;
}

TEST(Latex, IsAscii) {
  const std::string tex = to_latex(drawn("(600,600):(1,600)"));
  for (const char c : tex) ASSERT_TRUE(c == '\n' || (c >= ' ' && c <= '~')) << tex;
}

TEST(Latex, OpensAndClosesBraces) {
  test::for_all(
      [](test::Random& random) { return test::Operands{{test::any_layout(random, 64)}, {}}; },
      [](const test::Operands& o) -> test::Finding {
        const std::string tex = to_latex(picture(to_layout(o.layouts[0])).value());
        std::size_t open = 0;
        for (std::size_t i = 0; i < tex.size(); ++i) {
          if (tex[i] == '\\')
            ++i;
          else if (tex[i] == '{')
            ++open;
          else if (tex[i] == '}' && open-- == 0)
            return test::found("a stray } in ", tex);
        }
        return open == 0 ? test::kHolds : test::found("an open { in ", tex);
      });
}

/// Whether the document compiles, and what TeX says where it does not.
test::Finding compiles(const std::string& tex) {
  const test::Folder folder;
  folder.write("picture.tex", tex);
  const std::string command = "cd '" + folder.path().string() +
                              "' && pdflatex -interaction=nonstopmode -halt-on-error picture.tex "
                              ">printed 2>&1 </dev/null && grep -qa '%PDF' picture.pdf";
  const bool is_done = std::system(command.c_str()) == 0;
  const std::string printed = test::contents(folder.path("printed"));
  if (!is_done) return printed;
  const bool lacks_glyphs = contains(printed, "Missing character");
  return lacks_glyphs ? test::found("characters are missing") : test::kHolds;
}

bool has_tex() {
  return std::system(
             "command -v pdflatex >/dev/null 2>&1 && kpsewhich standalone.cls tikz.sty >/dev/null "
             "2>&1") == 0;
}

TEST(Latex, Compiles) {
  if (!has_tex()) GTEST_SKIP() << "there is no pdflatex with standalone and tikz";
  EXPECT_EQ(compiles(to_latex(drawn("((2,2),(2,4)):((1,4),(2,8))"))), test::kHolds);
  EXPECT_EQ(compiles(to_latex(drawn("(4,4,3):(1,4,16)", {.modulus = 32}))), test::kHolds);
  EXPECT_EQ(compiles(to_latex(drawn("(20000,2):(1,20000)", {.title = "a_b{c}\\$&#%^~<>|\"'`"}))),
            test::kHolds);
  const cute::Layout a = layout("(8,8):(8,1)");
  const cute::Tiler t = test::tiler("<4,2>");
  EXPECT_EQ(compiles(to_latex(
                picture(AppliedOperation{"zipped_divide", a, t, cute::zipped_divide(a, t).value()})
                    .value())),
            test::kHolds);
  EXPECT_EQ(
      compiles(to_latex(tv_picture(layout("((4,8),2):((16,1),8)"), {8, 8}, {.thread = 3}).value())),
      test::kHolds);
}

}  // namespace
}  // namespace heddle::draw
