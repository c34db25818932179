# Writes SOURCE, in which the files of FOLDER that match one of PATTERNS (between `|`) are strings; run
# with `cmake -P`. HEADER declares in NAMESPACE the function FUNCTION, which returns a
# `const std::vector<TYPE>&` of names and texts. Names are paths in FOLDER, or file names
# without their endings if STEMS is set.

string(REPLACE "|" ";" patterns "${PATTERNS}")
list(TRANSFORM patterns PREPEND "${FOLDER}/")
file(GLOB files ${patterns})
list(SORT files)
cmake_path(GET FOLDER FILENAME folder)
set(text "// Made from ${folder}/ by cmake/EmbedTexts.cmake.

#include \"${HEADER}\"

namespace ${NAMESPACE} {

const std::vector<${TYPE}>& ${FUNCTION}() {
  static const std::vector<${TYPE}> texts = {
")
foreach(file IN LISTS files)
  if(STEMS)
    cmake_path(GET file STEM LAST_ONLY name)
  else()
    cmake_path(RELATIVE_PATH file BASE_DIRECTORY "${FOLDER}" OUTPUT_VARIABLE name)
  endif()
  file(READ "${file}" content)
  string(APPEND text "      {\"${name}\", R\"embedded(${content})embedded\"},\n")
endforeach()
string(APPEND text "  };
  return texts;
}

}  // namespace ${NAMESPACE}
")
file(WRITE "${SOURCE}" "${text}")
