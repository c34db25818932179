# heddle_unity(<target>): with HEDDLE_UNITY_BUILD=ON, compiles the sources of one folder together, at
# most a dozen at a time, so that what they all include is read once. A fresh build takes a third of
# its time, the rebuild after an edit longer: for machines that build once. Files whose own names
# (helpers, aliases) clash with those of a neighbour are listed here, in groups free of clashes.

option(HEDDLE_UNITY_BUILD "Compile several sources of the library at a time" OFF)
set(HEDDLE_UNITY_BATCH 12)
set(HEDDLE_UNITY_APART
    "axe explain.cc replica_remainder.cc swizzle.cc"
    "axe layout.cc set_map_layout.cc"
    "cute explain_coordinates.cc int_tuple.cc tabulate.cc"
    "draw axe.cc lego.cc picture.cc tv.cc"
    "draw linear.cc"
    "emit mlir_text.cc mlir_values.cc"
    "expr term.cc"
    "expr z3_solver.cc"
    "heddle help.cc layouts_command.cc"
    "heddle index_command.cc"
    "linear column_action.cc"
    "notation axe_text.cc cpp_types.cc evaluator_choices.cc evaluator_lego.cc explanation_text.cc"
    "notation cute_calls.cc evaluator.cc lego_explain.cc operations_axe_mesh.cc operations_linear.cc"
    "notation operations_axe.cc operations_axe_grouping.cc operations_axe_hardware.cc operations_axe_tiles.cc"
    "notation operations_lego.cc operations_lego_questions.cc"
    "notation operations_partitions.cc operations_swizzle.cc sharding.cc"
    "notation operations_tiled_copy.cc"
    "notation operations_tiled_mma.cc"
    "notation parser.cc python_literal.cc")

# heddle_unity_apart(<folder> <name> <out>): the number of the group of HEDDLE_UNITY_APART that has the
# file, `alone` where it has no other, or nothing.
function(heddle_unity_apart folder name out)
  set(${out} "" PARENT_SCOPE)
  set(number 0)
  foreach(group IN LISTS HEDDLE_UNITY_APART)
    separate_arguments(group)
    list(POP_FRONT group group_folder)
    if(folder STREQUAL group_folder AND name IN_LIST group)
      set(${out} ${number} PARENT_SCOPE)
      list(LENGTH group files)
      if(files EQUAL 1)
        set(${out} alone PARENT_SCOPE)
      endif()
    endif()
    math(EXPR number "${number} + 1")
  endforeach()
endfunction()

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
    if(folder STREQUAL "generated")
      continue()
    endif()
    heddle_unity_apart(${folder} ${name} apart)
    if(apart STREQUAL "alone")
      continue()
    elseif(NOT apart STREQUAL "")
      set_source_files_properties("${source}" PROPERTIES UNITY_GROUP apart_${apart})
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
