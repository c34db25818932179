# heddle_unity(<target>): compiles the sources of one folder together (of notation and of the tests
# those of one room), at most HEDDLE_UNITY_BATCH at a time in the order of their paths, so that what
# they all include is read once. A fresh build takes a third of its time. After an edit a rebuild takes
# longer, so the debug preset sets HEDDLE_UNITY_BUILD=OFF. These sources therefore have no file-local
# name twice, and no using-declaration that another one of them would have to know of
# (scripts/check-floors).

option(HEDDLE_UNITY_BUILD "Compile several sources of the library at a time" ON)
set(HEDDLE_UNITY_BATCH 16 CACHE STRING "Sources compiled together at most")
mark_as_advanced(HEDDLE_UNITY_BATCH)

function(heddle_unity target)
  if(NOT HEDDLE_UNITY_BUILD)
    return()
  endif()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  get_target_property(sources ${target} SOURCES)
  list(FILTER sources INCLUDE REGEX "\\.cc$")
  list(SORT sources)
  set(previous "")
  foreach(source IN LISTS sources)
    cmake_path(RELATIVE_PATH source BASE_DIRECTORY "${PROJECT_SOURCE_DIR}" OUTPUT_VARIABLE path)
    # What is generated is not there before the build.
    if(path MATCHES "generated/")
      continue()
    endif()
    cmake_path(GET path PARENT_PATH folder)
    if(NOT path MATCHES "^(src/notation|tests)/")
      string(REGEX REPLACE "^([^/]*/[^/]*)/.*" "\\1" folder "${path}")
    endif()
    string(REGEX REPLACE "[^a-z]" "_" folder "${folder}")
    if(NOT folder STREQUAL previous)
      set(count 0)
      set(previous ${folder})
    endif()
    math(EXPR batch "${count} / ${HEDDLE_UNITY_BATCH}")
    math(EXPR count "${count} + 1")
    set_source_files_properties("${source}" PROPERTIES UNITY_GROUP ${folder}_${batch})
  endforeach()
endfunction()
