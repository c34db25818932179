# heddle_unity(<target>): with HEDDLE_UNITY_BUILD=ON, compiles the sources of one folder together, at
# most a dozen at a time, so that what they all include is read once. A fresh build takes a third of
# its time, the rebuild after an edit longer: for machines that build once. Files whose own
# names (helpers, aliases) clash with those of a neighbour are compiled alone; they are listed here.

option(HEDDLE_UNITY_BUILD "Compile several sources of the library at a time" OFF)
set(HEDDLE_UNITY_BATCH 12)
set(HEDDLE_UNITY_ALONE
    axe/explain.cc
    axe/layout.cc
    axe/replica_remainder.cc
    axe/set_map_layout.cc
    axe/swizzle.cc
    cute/explain_coordinates.cc
    cute/int_tuple.cc
    cute/tabulate.cc
    draw/axe.cc
    draw/lego.cc
    draw/linear.cc
    draw/picture.cc
    draw/tv.cc
    expr/term.cc
    expr/z3_solver.cc
    heddle/help.cc
    heddle/index_command.cc
    heddle/layouts_command.cc
    linear/column_action.cc
    notation/axe_text.cc
    notation/cpp_types.cc
    notation/cute_calls.cc
    notation/lego_explain.cc
    notation/evaluator.cc
    notation/evaluator_choices.cc
    notation/evaluator_lego.cc
    notation/explanation_text.cc
    notation/operations_axe.cc
    notation/operations_axe_grouping.cc
    notation/operations_axe_hardware.cc
    notation/operations_axe_mesh.cc
    notation/operations_axe_tiles.cc
    notation/operations_lego.cc
    notation/operations_lego_questions.cc
    notation/operations_linear.cc
    notation/operations_partitions.cc
    notation/operations_swizzle.cc
    notation/operations_tiled_copy.cc
    notation/operations_tiled_mma.cc
    notation/parser.cc
    notation/python_literal.cc
    notation/sharding.cc)

function(heddle_unity target)
  if(NOT HEDDLE_UNITY_BUILD)
    return()
  endif()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  # A local that has the name of a neighbour's helper hides nothing of its own file.
  target_compile_options(${target} PRIVATE -Wno-shadow)
  get_target_property(sources ${target} SOURCES)
  list(FILTER sources INCLUDE REGEX "\\.cc$")
  list(SORT sources)
  set(previous "")
  foreach(source IN LISTS sources)
    cmake_path(GET source PARENT_PATH path)
    cmake_path(GET path FILENAME folder)
    cmake_path(GET source FILENAME name)
    if("${folder}/${name}" IN_LIST HEDDLE_UNITY_ALONE OR folder STREQUAL "generated")
      continue()
    endif()
    if(NOT folder STREQUAL previous)
      set(count 0)
      set(previous ${folder})
    endif()
    math(EXPR batch "${count} / ${HEDDLE_UNITY_BATCH}")
    math(EXPR count "${count} + 1")
    set_source_files_properties("${source}" PROPERTIES UNITY_GROUP ${folder}_${batch})
  endforeach()
endfunction()
