# heddle_target_warnings(<target>): the warnings every file of the house is free of.

function(heddle_target_warnings target)
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wpedantic -Wconversion -Wshadow)
  # clang takes the temporary buffer inside std::stable_sort of libstdc++ 12 for a use of ours.
  if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    target_compile_options(${target} PRIVATE -Wno-deprecated-declarations)
  endif()
  # g++ 12 takes what std::optional and inline storage leave unset for a use of it.
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    target_compile_options(${target} PRIVATE -Wno-maybe-uninitialized)
  endif()
  if(HEDDLE_WERROR)
    target_compile_options(${target} PRIVATE -Werror)
  endif()
endfunction()
