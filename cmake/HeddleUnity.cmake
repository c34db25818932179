# heddle_unity(<target>): with HEDDLE_UNITY_BUILD=ON, compiles the sources of one room together, at
# most HEDDLE_UNITY_BATCH at a time, so that what they all include is read once. A fresh build takes
# a third of its time, the rebuild after an edit longer: for machines that build once. The sources of
# one folder, of tests too, therefore have no file-local name twice, and no using-declaration that
# another one of them would have to know of (scripts/check-floors).

option(HEDDLE_UNITY_BUILD "Compile several sources of the library at a time" OFF)
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
    cmake_path(GET source PARENT_PATH folder)
    cmake_path(RELATIVE_PATH folder BASE_DIRECTORY "${PROJECT_SOURCE_DIR}" OUTPUT_VARIABLE room)
    # What is generated is not there before the build.
    if(room MATCHES "generated$")
      continue()
    endif()
    string(REGEX REPLACE "[^a-z]" "_" room "${room}")
    if(NOT room STREQUAL previous)
      set(count 0)
      set(previous ${room})
    endif()
    math(EXPR batch "${count} / ${HEDDLE_UNITY_BATCH}")
    math(EXPR count "${count} + 1")
    set_source_files_properties("${source}" PROPERTIES UNITY_GROUP ${room}_${batch})
  endforeach()
endfunction()
