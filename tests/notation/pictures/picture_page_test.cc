// Pictures as pages of one file: the explorer's modules over the picture's data.

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "heddle/notation/page_files.h"
#include "heddle/notation/picture.h"
#include "support/strings.h"

namespace heddle::notation {
namespace {

using test::contains;

draw::Picture pictured_with(draw::PictureOptions options) {
  PictureRequest request;
  request.format = PictureFormat::kHtml;
  request.options = std::move(options);
  return picture_of({Value(std::string("(4,8):(8,1)"))}, request, {}).value();
}

/// The texts between `begin` and `end`, one after the other.
std::vector<std::string> between(const std::string& text, std::string_view begin,
                                 std::string_view end) {
  std::vector<std::string> found;
  for (std::size_t at = text.find(begin); at != std::string::npos; at = text.find(begin, at)) {
    at += begin.size();
    found.push_back(text.substr(at, text.find(end, at) - at));
  }
  return found;
}

TEST(PicturePage, HoldsTheDataOfThePicture) {
  const draw::Picture picture = pictured_with({});
  const std::string page = to_html(picture);
  EXPECT_TRUE(page.starts_with("<!doctype html>\n<html lang=\"en\">"));
  EXPECT_EQ(between(page, "id=\"model\">", "</script>"),
            std::vector<std::string>{to_string(to_datum(picture))});
  EXPECT_FALSE(picture.panels[0].cells[0].facts.empty());
}

TEST(PicturePage, HasEveryModuleThatItsModulesImport) {
  const std::string page = to_html(pictured_with({}));
  std::set<std::string> mapped;
  for (const std::string& name : between(page, "\"heddle/", "\":\"data:")) mapped.insert(name);
  EXPECT_TRUE(mapped.contains("page.js"));
  for (const PageFile& file : page_files()) {
    if (!mapped.contains(std::string(file.name))) continue;
    for (const std::string& name : between(std::string(file.text), "\"heddle/", "\""))
      EXPECT_TRUE(mapped.contains(name)) << file.name << " imports " << name;
  }
  // A page of one picture asks nobody.
  EXPECT_FALSE(mapped.contains("ask.js"));
  EXPECT_FALSE(mapped.contains("explorer.js"));
}

TEST(PicturePage, LoadsNothingAndSendsNothing) {
  const std::string page = to_html(pictured_with({}));
  EXPECT_TRUE(contains(page, "default-src 'none'"));
  EXPECT_FALSE(contains(page, "connect-src"));
  for (const char* piece : {"src=\"", "href=", "@import", "http:", "https:"})
    EXPECT_FALSE(contains(page, piece)) << piece;
}

TEST(PicturePage, HasNoMarkupFromTitlesLabelsAndCells) {
  const std::string script = "</script><script>alert(1)</script><!--<img src=x onerror=alert(1)>";
  draw::Picture picture;
  picture.title = script;
  picture.legend = script;
  picture.notes = {script};
  draw::Panel& panel = picture.panels.emplace_back();
  panel.label = script;
  panel.pattern = script;
  panel.columns.names = {script};
  panel.columns.groups = {{0, 1, script}};
  panel.columns.digits = {{1, 1, script}};
  panel.fact_names = {script};
  panel.cells = {{script, script, draw::kPlain, {script}}};
  const std::string page = to_html(picture);
  EXPECT_FALSE(contains(page, "<script>alert"));
  EXPECT_FALSE(contains(page, "<img"));
  EXPECT_FALSE(contains(page, "<!--"));
  EXPECT_EQ(between(page, "<script", ">").size(), 3U) << "the map, the data and the module";
  EXPECT_FALSE(contains(draw::to_svg(picture), "<script"));
  EXPECT_FALSE(contains(draw::to_svg(picture), "<img"));
}

}  // namespace
}  // namespace heddle::notation
