# The kinds of values: src/notation/value/value.cc asks the traits of all of them, and each file of
# traits there is one that it includes, so that a new kind needs no edit of value.cc.
#
# heddle_list_kinds(<target>) writes the header kinds_of_values.h, which includes them.

function(heddle_list_kinds target)
  file(
    GLOB traits
    RELATIVE "${CMAKE_CURRENT_SOURCE_DIR}/src"
    CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/src/notation/value/*_traits.h")
  list(TRANSFORM traits REPLACE "(.+)" "#include \"\\1\"\n")
  list(JOIN traits "" includes)
  set(folder "${CMAKE_CURRENT_BINARY_DIR}/generated/kinds")
  file(CONFIGURE OUTPUT "${folder}/kinds_of_values.h" CONTENT "#pragma once\n\n${includes}" @ONLY)
  target_include_directories(${target} PRIVATE "${folder}")
endfunction()
