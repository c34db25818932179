# With HEDDLE_QUICK, the shortest fresh build: clang 19 without optimisation where it is installed, which
# takes less than half of g++'s time; otherwise the usual compiler with -O1. What clang builds is linked
# by its linker, where that is installed.
#
# Included before project(), which looks for the compiler; heddle_set_flags() is called after it.

option(HEDDLE_QUICK "Build as fast as the installed compilers can" OFF)
if(HEDDLE_QUICK AND NOT CMAKE_CXX_COMPILER AND NOT DEFINED ENV{CXX})
  find_program(HEDDLE_CLANG clang++-19)
  mark_as_advanced(HEDDLE_CLANG)
  if(HEDDLE_CLANG)
    set(CMAKE_CXX_COMPILER "${HEDDLE_CLANG}" CACHE FILEPATH "The compiler of C++")
  endif()
endif()

macro(heddle_set_flags)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # g++ collects garbage rarely, which takes a fifth less time in units of many sources.
    add_compile_options(--param=ggc-min-expand=400 --param=ggc-min-heapsize=1500000)
  endif()
  if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    if(HEDDLE_QUICK)
      set(CMAKE_CXX_FLAGS_RELEASE "-O0 -DNDEBUG")
    endif()
    # It links tests with sanitizers in a tenth of the time of the usual one.
    cmake_path(GET CMAKE_CXX_COMPILER PARENT_PATH compiler_folder)
    find_program(HEDDLE_LLD NAMES ld.lld-19 ld.lld HINTS "${compiler_folder}")
    mark_as_advanced(HEDDLE_LLD)
    if(HEDDLE_LLD)
      add_link_options("--ld-path=${HEDDLE_LLD}")
    endif()
  elseif(HEDDLE_QUICK)
    set(CMAKE_CXX_FLAGS_RELEASE "-O1 -DNDEBUG")
  endif()
endmacro()
