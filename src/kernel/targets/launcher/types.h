/// The types of arguments of launchers.
#define CONSTANTS HEDDLE_BOOL,
#define CASES case HEDDLE_BOOL: return "bool";
#define OVERLOADS

//@ types
#ifndef HEDDLE_LAUNCHER_TYPES
#define HEDDLE_LAUNCHER_TYPES
#include <stddef.h>
#include <stdint.h>
#ifdef __cplusplus
#include <initializer_list>
#include <stdexcept>
#include <type_traits>
#endif

/* The type of a tensor's elements. */
typedef enum heddle_type {
  HEDDLE_NO_TYPE,
CONSTANTS
} heddle_type;
static inline const char* heddle_type_name(heddle_type type) {
  switch (type) {
    case HEDDLE_NO_TYPE: break;
CASES
  }
  return "no type";
}

/* A tensor on the device: its elements in row-major order if strides is NULL. */
typedef struct heddle_tensor {
  void* data; /* a pointer of the device; in OpenCL a cl_mem */
  heddle_type type;
  int rank;
  int64_t shape[8];
  const int64_t* strides; /* in elements; NULL: those that the kernel expects */
} heddle_tensor;

/* Why a kernel is not launched. */
typedef struct heddle_error {
  char text[512];
} heddle_error;

#ifdef __cplusplus
OVERLOADS
inline heddle_type heddle_type_of(const bool*) { return HEDDLE_BOOL; }
#endif

#ifdef __cplusplus
/* heddle_tensor_of(x, {rows, columns}), of elements that C++ has a type for. */
template <class Element>
inline heddle_tensor heddle_tensor_of(Element* data, std::initializer_list<int64_t> shape,
                                      const int64_t* strides = nullptr) {
  heddle_tensor tensor = {const_cast<std::remove_const_t<Element> *>(data),
                          heddle_type_of(static_cast<const Element*>(nullptr)),
                          static_cast<int>(shape.size()), {}, strides};
  int64_t* extent = tensor.shape;
  for (const int64_t each : shape) {
    if (extent != tensor.shape + 8) *extent++ = each;
  }
  return tensor;
}
#endif
#endif
