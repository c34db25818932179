# Texts within the library and the command, made anew whenever a file of theirs changes.
#
# heddle_embed(TARGET FOLDER PATTERNS SOURCE DEFINITION…) adds a source file with the files of FOLDER that match
# PATTERNS, files names with `*` between `|`; the definitions are those of cmake/EmbedTexts.cmake.

function(heddle_embed target folder patterns source)
  string(REPLACE "|" ";" globs "${patterns}")
  list(TRANSFORM globs PREPEND "${CMAKE_CURRENT_SOURCE_DIR}/${folder}/")
  file(GLOB files CONFIGURE_DEPENDS ${globs})
  set(script "${CMAKE_CURRENT_SOURCE_DIR}/cmake/EmbedTexts.cmake")
  set(output "${CMAKE_CURRENT_BINARY_DIR}/generated/${source}")
  set(definitions ${ARGN})
  list(TRANSFORM definitions PREPEND "-D")
  add_custom_command(
    OUTPUT "${output}"
    COMMAND ${CMAKE_COMMAND} "-DFOLDER=${CMAKE_CURRENT_SOURCE_DIR}/${folder}" "-DPATTERNS=${patterns}"
            "-DSOURCE=${output}" ${definitions} -P "${script}"
    DEPENDS ${files} "${script}"
    COMMENT "Embedding ${folder}"
    VERBATIM)
  target_sources(${target} PRIVATE "${output}")
  set_source_files_properties("${output}" PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON
                                                     SKIP_PRECOMPILE_HEADERS ON)
endfunction()
