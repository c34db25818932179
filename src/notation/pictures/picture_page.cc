// A picture as a page of one file: the explorer's modules over the picture's data.
//
//   <script
//   type="importmap">{"imports":{"heddle/page.js":"data:text/javascript;base64,…"}}</script>
//   <script type="application/json" id="model">{"title":"(4,8):(8,1)","panels":[…]}</script>
//   <script type="module">import "heddle/page.js";</script>

#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "draw/markup.h"
#include "heddle/notation/page_files.h"
#include "heddle/notation/picture.h"

namespace heddle::notation {
namespace {

/// The module of the page of one picture.
constexpr std::string_view kEntry = "page.js";
constexpr std::string_view kStyleSheet = "style.css";
constexpr std::string_view kSpecifier = "heddle/";

std::string_view file_text(std::string_view name) {
  const auto& files = page_files();
  const auto found = std::ranges::find(files, name, &PageFile::name);
  return found == files.end() ? std::string_view() : found->text;
}

/// The modules that a module names: `"heddle/dom.js"`, on whatever line of an import.
std::vector<std::string> imports_of(std::string_view module) {
  constexpr std::string_view kFrom = "\"heddle/";
  std::vector<std::string> names;
  for (std::size_t at = module.find(kFrom); at != std::string_view::npos;
       at = module.find(kFrom, at)) {
    at += kFrom.size();
    names.emplace_back(module.substr(at, module.find('"', at) - at));
  }
  return names;
}

/// The module and all that it needs.
std::set<std::string> needed_by(std::string_view entry) {
  std::set<std::string> needed;
  std::vector<std::string> open = {std::string(entry)};
  while (!open.empty()) {
    const std::string name = std::move(open.back());
    open.pop_back();
    if (!needed.insert(name).second) continue;
    for (std::string& other : imports_of(file_text(name))) open.push_back(std::move(other));
  }
  return needed;
}

std::string base64(std::string_view bytes) {
  constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::size_t count = std::min<std::size_t>(3, bytes.size() - i);
    unsigned word = 0;
    for (std::size_t k = 0; k < 3; ++k)
      word = word << 8 | (k < count ? static_cast<unsigned char>(bytes[i + k]) : 0U);
    for (std::size_t k = 0; k < 4; ++k)
      text += k <= count ? kDigits[word >> (18 - 6 * k) & 63] : '=';
  }
  return text;
}

/// JSON within a script: no text of it can end the script, or begin a comment there.
std::string within_script(std::string json) {
  constexpr std::string_view kEscaped = "\\u003c";
  std::string text;
  text.reserve(json.size());
  for (const char c : json) {
    if (c == '<') text += kEscaped;
    if (c != '<') text += c;
  }
  return text;
}

std::string import_map() {
  Datum::Fields imports;
  for (const std::string& name : needed_by(kEntry)) {
    imports.emplace_back(std::string(kSpecifier) + name,
                         "data:text/javascript;base64," + base64(file_text(name)));
  }
  return to_string(Datum(Datum::Fields{{"imports", std::move(imports)}}));
}

}  // namespace

std::string to_html(const draw::Picture& picture) {
  std::string page =
      "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; script-src "
      "'unsafe-inline' data:; style-src 'unsafe-inline'; img-src data: blob:; base-uri 'none'; "
      "form-action 'none'\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta name=\"color-scheme\" content=\"light dark\">\n<title>";
  page += draw::escape_xml(picture.title);
  page += "</title>\n<style>\n";
  page += file_text(kStyleSheet);
  page += "</style>\n<script type=\"importmap\">";
  page += import_map();
  page += "</script>\n</head>\n<body>\n<script type=\"application/json\" id=\"model\">";
  page += within_script(to_string(to_datum(picture)));
  page += "</script>\n<script type=\"module\">import \"heddle/page.js\";</script>\n";
  return page + "</body>\n</html>\n";
}

}  // namespace heddle::notation
