# Finds the theorem prover Z3: by its own CMake package where it has one, else by its header and its
# library, as Debian's libz3-dev brings them.
#
# Defines the target z3::libz3. Installed beside heddleConfig.cmake, which a static Heddle needs it for.

find_package(Z3 CONFIG QUIET)

if(TARGET z3::libz3)
  set(Z3_LIBRARY z3::libz3)
else()
  find_path(Z3_INCLUDE_DIR z3++.h PATH_SUFFIXES z3)
  find_library(Z3_LIBRARY z3)
  mark_as_advanced(Z3_INCLUDE_DIR Z3_LIBRARY)
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(
  Z3
  REQUIRED_VARS Z3_LIBRARY
  REASON_FAILURE_MESSAGE "the header <z3++.h> and the library z3 (Debian: libz3-dev)")

if(Z3_FOUND AND NOT TARGET z3::libz3)
  add_library(z3::libz3 UNKNOWN IMPORTED)
  set_target_properties(z3::libz3 PROPERTIES IMPORTED_LOCATION "${Z3_LIBRARY}"
                                             INTERFACE_INCLUDE_DIRECTORIES "${Z3_INCLUDE_DIR}")
endif()
