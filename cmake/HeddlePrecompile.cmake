# heddle_precompile(<target> [TESTS | REUSE_FROM <other>]): parses the headers of the standard library,
# of fmt and of tl::expected once for the whole target, with TESTS those of GoogleTest and RapidCheck
# too; or takes what another target of the same options has parsed. The house's own headers are not
# among them: g++ would warn of what is in them once more. Off where a compiler cache is in use, which
# does better.

set(HEDDLE_PRECOMPILED_HEADERS
    <algorithm>
    <array>
    <compare>
    <fmt/format.h>
    <fmt/ranges.h>
    <functional>
    <map>
    <memory>
    <numeric>
    <optional>
    <ostream>
    <ranges>
    <set>
    <span>
    <sstream>
    <string>
    <tl/expected.hpp>
    <unordered_map>
    <utility>
    <variant>
    <vector>)

function(heddle_precompile target)
  if(CMAKE_CXX_COMPILER_LAUNCHER)
    return()
  endif()
  cmake_parse_arguments(PARSE_ARGV 1 precompile "TESTS" "REUSE_FROM" "")
  if(precompile_REUSE_FROM)
    target_precompile_headers(${target} REUSE_FROM ${precompile_REUSE_FROM})
    return()
  endif()
  set(headers ${HEDDLE_PRECOMPILED_HEADERS})
  if(precompile_TESTS)
    list(APPEND headers <gtest/gtest.h> <rapidcheck.h>)
  endif()
  target_precompile_headers(${target} PRIVATE ${headers})
endfunction()

# heddle_precompiled_with_tests(<target>): takes what the tests have parsed, where the quick build has
# tests and clang, which does not mind that the target lacks some of their definitions.
function(heddle_precompiled_with_tests target)
  if(HEDDLE_QUICK AND TARGET heddle_test_support AND CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    heddle_precompile(${target} REUSE_FROM heddle_test_support)
  endif()
endfunction()
