# heddle_unity(<target>): compiles the sources of a group of folders together, so that what they all
# include is read once: a fresh build takes a third of its time. After an edit a rebuild takes longer, so
# the debug preset sets HEDDLE_UNITY_BUILD=OFF. The sources of a group therefore have no file-local name
# twice in one namespace (scripts/check-floors, which reads the groups here).

option(HEDDLE_UNITY_BUILD "Compile several sources of the library at a time" ON)
# clang compiles the largest group in 1.5 GB; g++ needs up to 2 GB for a third of its sources.
set(unity_batch 24)
if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  set(unity_batch 100)
endif()
set(HEDDLE_UNITY_BATCH ${unity_batch} CACHE STRING "Sources compiled together at most")
mark_as_advanced(HEDDLE_UNITY_BATCH)

# The groups, each a regular expression that the folders of its sources match; the first that matches
# is taken.
set(HEDDLE_UNITY_GROUPS
    "src/(core|expr|lego|draw)"
    "src/(cute|linear)"
    "src/(axe|form)"
    "src/map"
    "src/(analyze|distribute|emit|machine)"
    "src/(checker|files|move)"
    "src/kernel"
    "src/notation/(batch|dumps|evaluate|json|language|value)"
    "src/notation/(diagnose|explain|kernel|pictures|templates)"
    "src/notation/operations"
    "src/notation/texts"
    "apps/[a-z-]+"
    "python/ext"
    "kernels/programs"
    "tests/notation/[a-z]+"
    "tests/[a-z]+")

# Those that tests and checks of kernels spend their time in, which HEDDLE_QUICK optimises where it
# does not optimise others: they take 50 s more to compile, and 90 s less in the tests of kernels.
set(HEDDLE_HOT_GROUPS src__checker_files_move_ src__core_expr_lego_draw_)

function(heddle_unity target)
  if(NOT HEDDLE_UNITY_BUILD)
    return()
  endif()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  get_target_property(sources ${target} SOURCES)
  list(FILTER sources INCLUDE REGEX "\\.cc$")
  list(SORT sources)
  foreach(source IN LISTS sources)
    cmake_path(RELATIVE_PATH source BASE_DIRECTORY "${PROJECT_SOURCE_DIR}" OUTPUT_VARIABLE path)
    # What is generated is not there before the build.
    if(path MATCHES "generated/")
      continue()
    endif()
    foreach(pattern IN LISTS HEDDLE_UNITY_GROUPS)
      if(path MATCHES "^(${pattern})/")
        # A range of letters names several folders, each of which is a group.
        set(group "${pattern}")
        if(pattern MATCHES "\\[")
          string(REGEX MATCH "^${pattern}" group "${path}")
        endif()
        string(MAKE_C_IDENTIFIER "${group}" group)
        math(EXPR batch "0${count_${group}} / ${HEDDLE_UNITY_BATCH}")
        math(EXPR count_${group} "0${count_${group}} + 1")
        set_source_files_properties("${source}" PROPERTIES UNITY_GROUP ${group}_${batch})
        if(HEDDLE_QUICK AND CMAKE_CXX_COMPILER_ID MATCHES "Clang" AND group IN_LIST HEDDLE_HOT_GROUPS)
          set_source_files_properties(
            "${CMAKE_CURRENT_BINARY_DIR}/CMakeFiles/${target}.dir/Unity/unity_${group}_${batch}_cxx.cxx"
            PROPERTIES COMPILE_OPTIONS -O1 SKIP_PRECOMPILE_HEADERS ON)
        endif()
        break()
      endif()
    endforeach()
  endforeach()
endfunction()
