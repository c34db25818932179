# Writes SOURCE, in which every page of FOLDER is a string; run with `cmake -P`.

file(GLOB pages "${FOLDER}/*.md")
list(SORT pages)
set(text "// Made from docs/errors by cmake/EmbedErrorPages.cmake.

#include \"heddle/error_pages.h\"

namespace heddle::app {

const std::vector<ErrorPage>& error_page_texts() {
  static const std::vector<ErrorPage> pages = {
")
foreach(page IN LISTS pages)
  cmake_path(GET page STEM LAST_ONLY name)
  file(READ "${page}" content)
  string(APPEND text "      {\"${name}\", R\"page(${content})page\"},\n")
endforeach()
string(APPEND text "  };
  return pages;
}

}  // namespace heddle::app
")
file(WRITE "${SOURCE}" "${text}")
