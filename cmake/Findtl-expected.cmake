# Finds tl::expected: by its own CMake package where it has one, else by its header.
#
# Defines the target tl::expected. Installed beside heddleConfig.cmake, which uses it too.

find_package(tl-expected CONFIG QUIET)

if(TARGET tl::expected)
  get_target_property(tl-expected_INCLUDE_DIR tl::expected INTERFACE_INCLUDE_DIRECTORIES)
  list(GET tl-expected_INCLUDE_DIR 0 tl-expected_INCLUDE_DIR)
else()
  find_path(tl-expected_INCLUDE_DIR tl/expected.hpp)
  mark_as_advanced(tl-expected_INCLUDE_DIR)
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(
  tl-expected
  REQUIRED_VARS tl-expected_INCLUDE_DIR
  REASON_FAILURE_MESSAGE "the header <tl/expected.hpp> (Debian: libexpected-dev)")

if(tl-expected_FOUND AND NOT TARGET tl::expected)
  add_library(tl::expected INTERFACE IMPORTED)
  set_target_properties(tl::expected PROPERTIES INTERFACE_INCLUDE_DIRECTORIES
                                                "${tl-expected_INCLUDE_DIR}")
endif()
