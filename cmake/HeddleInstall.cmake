# Headers, library, command, CMake package and pkg-config file; the gallery as pages where it is built.

include(CMakePackageConfigHelpers)

set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/heddle")
get_target_property(library_type heddle TYPE)

install(
  TARGETS heddle
  EXPORT heddleTargets
  LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}"
  ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}")
install(TARGETS heddle_cli RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}")
if(TARGET heddle_mpi)
  install(TARGETS heddle_mpi RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}")
endif()
install(
  DIRECTORY include/heddle
  DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}"
  FILES_MATCHING
  PATTERN "*.h")
install(
  EXPORT heddleTargets
  NAMESPACE heddle::
  DESTINATION "${package_dir}")

# A static heddle leaves fmt, isl, and Z3 and MLIR where it is built with them, to the program that links it.
set(package_finds_fmt "")
set(package_finds_isl "")
set(package_finds_z3 "")
set(package_finds_mlir "")
set(pkgconfig_requires "Requires.private: fmt")
set(pkgconfig_libs "-L\${libdir} -lheddle")
if(library_type STREQUAL "STATIC_LIBRARY")
  set(package_finds_fmt "find_dependency(fmt)")
  set(package_finds_isl "find_dependency(isl)")
  set(pkgconfig_requires "Requires: fmt")
  string(APPEND pkgconfig_libs " -lisl")
  if(HEDDLE_Z3 AND Z3_FOUND)
    set(package_finds_z3 "find_dependency(Z3)")
    string(APPEND pkgconfig_libs " -lz3")
  endif()
  if(HEDDLE_MLIR)
    set(package_finds_mlir "find_dependency(MLIR MODULE)")
    # MLIR stands where no linker looks by itself.
    get_filename_component(mlir_folder "${MLIR_LIBRARY}" DIRECTORY)
    string(APPEND pkgconfig_libs
           " ${MLIR_LIBRARY} ${MLIR_LLVM_LIBRARY} -Wl,-rpath,${mlir_folder}")
  endif()
endif()

configure_package_config_file(cmake/heddleConfig.cmake.in heddleConfig.cmake
                              INSTALL_DESTINATION "${package_dir}")
write_basic_package_version_file(heddleConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(
  FILES "${CMAKE_CURRENT_BINARY_DIR}/heddleConfig.cmake"
        "${CMAKE_CURRENT_BINARY_DIR}/heddleConfigVersion.cmake" cmake/Findtl-expected.cmake
        cmake/Findisl.cmake cmake/FindZ3.cmake cmake/FindMLIR.cmake
  DESTINATION "${package_dir}")

# The pkg-config file finds the prefix from its own place, so `cmake --install --prefix` works.
if(IS_ABSOLUTE "${CMAKE_INSTALL_LIBDIR}")
  set(pkgconfig_prefix "${CMAKE_INSTALL_PREFIX}")
else()
  file(RELATIVE_PATH up_to_prefix "/prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/prefix")
  string(REGEX REPLACE "/$" "" up_to_prefix "${up_to_prefix}")
  set(pkgconfig_prefix "\${pcfiledir}/${up_to_prefix}")
endif()
foreach(name IN ITEMS LIBDIR INCLUDEDIR)
  if(IS_ABSOLUTE "${CMAKE_INSTALL_${name}}")
    set(pkgconfig_${name} "${CMAKE_INSTALL_${name}}")
  else()
    set(pkgconfig_${name} "\${prefix}/${CMAKE_INSTALL_${name}}")
  endif()
endforeach()
configure_file(cmake/heddle.pc.in heddle.pc @ONLY)
install(FILES "${CMAKE_CURRENT_BINARY_DIR}/heddle.pc"
        DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig")

# cmake --build BUILD --target gallery: the layouts of docs/gallery as pages for any web server.
file(GLOB gallery_files CONFIGURE_DEPENDS docs/gallery/*.heddle)
set(gallery_pages "${CMAKE_CURRENT_BINARY_DIR}/gallery")
add_custom_command(
  OUTPUT "${gallery_pages}/index.html"
  COMMAND "${CMAKE_COMMAND}" -E rm -rf "${gallery_pages}"
  COMMAND heddle_cli explore --static "${gallery_pages}" ${gallery_files}
  DEPENDS heddle_cli ${gallery_files}
  VERBATIM)
add_custom_target(gallery DEPENDS "${gallery_pages}/index.html")
install(DIRECTORY "${gallery_pages}" DESTINATION "${CMAKE_INSTALL_DOCDIR}" OPTIONAL)
