# Finds isl, the Integer Set Library, by its header and its library, as Debian's libisl-dev brings them.
#
# Defines the target isl::isl. Installed beside heddleConfig.cmake, which a static Heddle needs it for.

find_path(isl_INCLUDE_DIR isl/ctx.h)
find_library(isl_LIBRARY isl)
mark_as_advanced(isl_INCLUDE_DIR isl_LIBRARY)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(
  isl
  REQUIRED_VARS isl_LIBRARY isl_INCLUDE_DIR
  REASON_FAILURE_MESSAGE "the header <isl/ctx.h> and the library isl (Debian: libisl-dev)")

if(isl_FOUND AND NOT TARGET isl::isl)
  add_library(isl::isl UNKNOWN IMPORTED)
  set_target_properties(isl::isl PROPERTIES IMPORTED_LOCATION "${isl_LIBRARY}"
                                            INTERFACE_INCLUDE_DIRECTORIES "${isl_INCLUDE_DIR}")
endif()
