# Finds MLIR 19 by its headers and the two shared libraries that hold all of it and of LLVM, as Debian's
# libmlir-19-dev brings them.
#
# Defines the target MLIR::MLIR. Installed beside heddleConfig.cmake, which a static Heddle needs it for.

set(mlir_places /usr/lib/llvm-19 /usr/local/opt/llvm@19 /opt/homebrew/opt/llvm@19)
find_path(MLIR_INCLUDE_DIR mlir/IR/MLIRContext.h PATHS ${mlir_places} PATH_SUFFIXES include)
find_library(MLIR_LIBRARY MLIR PATHS ${mlir_places} PATH_SUFFIXES lib)
find_library(MLIR_LLVM_LIBRARY NAMES LLVM-19 LLVM PATHS ${mlir_places} PATH_SUFFIXES lib)
mark_as_advanced(MLIR_INCLUDE_DIR MLIR_LIBRARY MLIR_LLVM_LIBRARY)
unset(mlir_places)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(
  MLIR
  REQUIRED_VARS MLIR_LIBRARY MLIR_LLVM_LIBRARY MLIR_INCLUDE_DIR
  REASON_FAILURE_MESSAGE
    "the header <mlir/IR/MLIRContext.h> and the libraries MLIR and LLVM-19 (Debian: libmlir-19-dev)")

if(MLIR_FOUND AND NOT TARGET MLIR::MLIR)
  add_library(MLIR::MLIR UNKNOWN IMPORTED)
  set_target_properties(
    MLIR::MLIR
    PROPERTIES IMPORTED_LOCATION "${MLIR_LIBRARY}" INTERFACE_LINK_LIBRARIES "${MLIR_LLVM_LIBRARY}"
               INTERFACE_INCLUDE_DIRECTORIES "${MLIR_INCLUDE_DIR}")
endif()
