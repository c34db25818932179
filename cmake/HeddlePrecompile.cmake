# heddle_precompile(<target> [TESTS]): parses the headers of the standard library, of fmt and of
# tl::expected once for the whole target, with TESTS GoogleTest's too. A fresh build
# takes about a third less time. Off where a compiler cache is in use, which does better, and for g++,
# which takes precompiled headers for the house's own code and warns of what is in them.

set(HEDDLE_PRECOMPILED_HEADERS
    <algorithm>
    <fmt/format.h>
    <functional>
    <map>
    <memory>
    <optional>
    <span>
    <string>
    <tl/expected.hpp>
    <variant>
    <vector>)

function(heddle_precompile target)
  if(CMAKE_CXX_COMPILER_LAUNCHER OR NOT CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    return()
  endif()
  set(headers ${HEDDLE_PRECOMPILED_HEADERS})
  if("TESTS" IN_LIST ARGN)
    list(APPEND headers <gtest/gtest.h>)
  endif()
  target_precompile_headers(${target} PRIVATE ${headers})
endfunction()
