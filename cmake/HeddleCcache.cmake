# Compiles through ccache where it is installed and no other launcher was asked for.

if(NOT CMAKE_CXX_COMPILER_LAUNCHER)
  find_program(HEDDLE_CCACHE ccache)
  mark_as_advanced(HEDDLE_CCACHE)
  if(HEDDLE_CCACHE)
    set(CMAKE_CXX_COMPILER_LAUNCHER "${HEDDLE_CCACHE}")
  endif()
endif()
