# Triton's kernels: Triton's interpreter runs them on the CPU, and its compiler compiles them for
# sm_90. Both need the packages triton and numpy of a Python 3, which HEDDLE_TRITON_PYTHON may
# name.

set(HEDDLE_TRITON_PYTHON
    "${Python3_EXECUTABLE}"
    CACHE FILEPATH "A Python with triton and numpy, for the tests of Triton's kernels")
set(triton_missing 1)
if(HEDDLE_TRITON_PYTHON)
  execute_process(
    COMMAND "${HEDDLE_TRITON_PYTHON}" -c "import triton, numpy"
    RESULT_VARIABLE triton_missing
    OUTPUT_QUIET ERROR_QUIET)
endif()
if(NOT triton_missing EQUAL 0)
  message(STATUS "Kernels: no Python with triton and numpy, Triton's kernels are instantiated but not run")
endif()

# heddle_triton(<name> <template> VARIANTS <variant>… [LAYOUTS <file>…] [TEST <test>])
#
# Completes a template of this folder with LAYOUTS, with each <variant>.heddle and with the files of
# the variable <variant>_LAYOUTS, as <variant>.py in the folder of the build, and registers the tests of run_triton for kernel <name>:
# kernels.<test>.triton_run and kernels.<test>.triton_compile, where <test> is <name> unless it is
# given.
function(heddle_triton name template)
  cmake_parse_arguments(PARSE_ARGV 2 arg "" "TEST" "LAYOUTS;VARIANTS")
  if(NOT arg_TEST)
    set(arg_TEST ${name})
  endif()
  set(template "${CMAKE_CURRENT_SOURCE_DIR}/${template}")
  set(programs "")
  foreach(variant IN LISTS arg_VARIANTS)
    set(layouts ${arg_LAYOUTS} ${variant}.heddle ${${variant}_LAYOUTS})
    list(TRANSFORM layouts PREPEND "${CMAKE_CURRENT_SOURCE_DIR}/")
    set(program "${CMAKE_CURRENT_BINARY_DIR}/${variant}.py")
    add_custom_command(
      OUTPUT "${program}"
      COMMAND heddle_cli instantiate "${template}" ${layouts} -o "${program}"
      DEPENDS heddle_cli "${template}" ${layouts}
      COMMENT "Instantiating ${name}/${variant}.py"
      VERBATIM)
    list(APPEND programs "${program}")
  endforeach()
  add_custom_target(triton_${arg_TEST} ALL DEPENDS ${programs})
  if(triton_missing EQUAL 0)
    foreach(mode run compile)
      set(test kernels.${arg_TEST}.triton_${mode})
      add_test(NAME ${test} COMMAND "${HEDDLE_TRITON_PYTHON}" "${heddle_kernels_dir}/support/run_triton"
                                    --${mode} ${name} ${programs})
      set_tests_properties(${test} PROPERTIES LABELS kernels SKIP_RETURN_CODE 77)
    endforeach()
  endif()
endfunction()
