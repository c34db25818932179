#include "kernel/source/launcher_texts.h"

#include <fmt/format.h>

#include <cctype>

namespace heddle::kernel {

namespace {

constexpr std::string_view kTensorTypes = R"(
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
)";

constexpr std::string_view kTensorOf = R"(
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
)";

constexpr std::string_view kChecks = R"c(#include <stdarg.h>
#include <stdio.h>

static inline int heddle_refuse(heddle_error* error, const char* format, ...) {
  if (error != NULL) {
    va_list values;
    va_start(values, format);
    vsnprintf(error->text, sizeof error->text, format, values);
    va_end(values);
  }
  return 1;
}

/* Writes (3,5). */
static inline const char* heddle_list(char* text, size_t size, const int64_t* numbers, int count) {
  size_t used = (size_t)snprintf(text, size, "(");
  for (int i = 0; i < count && used < size; ++i) {
    used += (size_t)snprintf(text + used, size - used, i == 0 ? "%lld" : ",%lld",
                             (long long)numbers[i]);
  }
  if (used < size) snprintf(text + used, size - used, ")");
  return text;
}

static inline int heddle_check_tensor(const char* name, const heddle_tensor* tensor,
                                      heddle_type type, int rank, heddle_error* error) {
  if (tensor->type != type) {
    return heddle_refuse(error, "%s has elements of %s, not %s", name,
                         heddle_type_name(tensor->type), heddle_type_name(type));
  }
  if (tensor->rank != rank) {
    return heddle_refuse(error, "%s has %d dimensions, not %d", name, tensor->rank, rank);
  }
  for (int d = 0; d < rank; ++d) {
    if (tensor->shape[d] >= 0) continue;
    return heddle_refuse(error, "%s has the extent %lld in dimension %d", name,
                         (long long)tensor->shape[d], d);
  }
  return 0;
}

static inline int heddle_check_size(const char* name, int64_t size, int64_t low, int64_t high,
                                    heddle_error* error) {
  if (low <= size && size <= high) return 0;
  return heddle_refuse(error, "%s is %lld, and the kernel is for %lld to %lld", name,
                       (long long)size, (long long)low, (long long)high);
}

/* Whether the product of two numbers is so small that sums of some of them fit into 64 bits. */
static inline int heddle_product_fits(int64_t a, int64_t b) {
  const int64_t most = INT64_C(1) << 48;
  if (a < -most || most < a || b < -most || most < b) return 0;
  return a == 0 || ((b < 0 ? -b : b) <= most / (a < 0 ? -a : a));
}

/* The number of elements, with row-major strides; -1 past the most. */
static inline int64_t heddle_rows(const heddle_tensor* tensor, int64_t most, int64_t* strides) {
  int64_t count = 1;
  int is_empty = 0;
  for (int d = tensor->rank - 1; d >= 0; --d) {
    const int64_t extent = tensor->shape[d];
    strides[d] = count;
    if (extent == 0) {
      is_empty = 1;
      continue;
    }
    if (extent > most / count) return -1;
    count *= extent;
  }
  return is_empty ? 0 : count;
}

static inline int heddle_check_count(const char* name, int64_t count, int64_t most,
                                     heddle_error* error) {
  if (0 <= count && count <= most) return 0;
  return heddle_refuse(error, "%s has more than %lld elements, which the kernel does not count",
                       name, (long long)most);
}

/* The shape, and strides that are given: row-major ones are wanted if strides is NULL. A stride of
   a dimension of one element does not matter. Sets the number of elements. */
static inline int heddle_check_shape(const char* name, const heddle_tensor* tensor,
                                     const int64_t* shape, const int64_t* strides, int64_t most,
                                     int64_t* count, heddle_error* error) {
  char found[192];
  char wanted[192];
  int64_t rows[8];
  for (int d = 0; d < tensor->rank; ++d) {
    if (tensor->shape[d] == shape[d]) continue;
    return heddle_refuse(error, "%s has the shape %s, not %s", name,
                         heddle_list(found, sizeof found, tensor->shape, tensor->rank),
                         heddle_list(wanted, sizeof wanted, shape, tensor->rank));
  }
  *count = heddle_rows(tensor, most, rows);
  if (heddle_check_count(name, *count, most, error)) return 1;
  if (strides == NULL) strides = rows;
  for (int d = 0; d < tensor->rank && tensor->strides != NULL; ++d) {
    if (tensor->shape[d] < 2 || tensor->strides[d] == strides[d]) continue;
    return heddle_refuse(error, "%s has the strides %s, not %s", name,
                         heddle_list(found, sizeof found, tensor->strides, tensor->rank),
                         heddle_list(wanted, sizeof wanted, strides, tensor->rank));
  }
  return 0;
}

static inline int heddle_check_pointer(const char* name, const void* data, int64_t count,
                                       unsigned alignment, heddle_error* error) {
  if (count > 0 && data == NULL) return heddle_refuse(error, "%s is a null pointer", name);
  if ((uintptr_t)data % alignment == 0) return 0;
  return heddle_refuse(error, "%s is not aligned to %u bytes", name, alignment);
}

static inline int heddle_check_grid(const int64_t* grid, const int64_t* most, heddle_error* error) {
  char text[192];
  for (int d = 0; d < 3; ++d) {
    if (1 <= grid[d] && grid[d] <= most[d]) continue;
    return heddle_refuse(error, "the grid is %s, and extent %d is not from 1 to %lld",
                         heddle_list(text, sizeof text, grid, 3), d, (long long)most[d]);
  }
  return 0;
}
)c";

constexpr std::string_view kChecksOfOpenCl = R"c(
#ifndef HEDDLE_LAUNCHER_CHECKS_OF_OPENCL
#define HEDDLE_LAUNCHER_CHECKS_OF_OPENCL
#ifndef CL_TARGET_OPENCL_VERSION
#define CL_TARGET_OPENCL_VERSION 120
#endif
#include <CL/cl.h>

static inline int heddle_check_buffer(const char* name, void* data, int64_t count, size_t bytes,
                                      heddle_error* error) {
  size_t room = 0;
  if (count == 0) return 0;
  if (data == NULL) return heddle_refuse(error, "%s is a null pointer", name);
  if (clGetMemObjectInfo((cl_mem)data, CL_MEM_SIZE, sizeof room, &room, NULL) != CL_SUCCESS) {
    return heddle_refuse(error, "%s is not OpenCL memory", name);
  }
  if (room / bytes >= (size_t)count) return 0;
  return heddle_refuse(error, "%s has %llu bytes of memory, too few for %lld elements", name,
                       (unsigned long long)room, (long long)count);
}
#endif
)c";

}  // namespace

std::string literal_of_c(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '\n') {
      quoted += "\\n";
    } else if (c == '"' || c == '\\' || c == '?') {
      quoted += {'\\', c};
    } else if (byte < 0x20 || byte >= 0x7f) {
      quoted += fmt::format("\\{:03o}", byte);
    } else {
      quoted += c;
    }
  }
  return quoted + "\"";
}

std::string type_constant(DType type) {
  std::string name = "HEDDLE_";
  for (const char c : name_of(type)) name += static_cast<char>(std::toupper(c));
  return name;
}

std::string type_in_c(DType type) {
  if (type == DType::kF64) return "double";
  if (type == DType::kF32 || type == DType::kTf32) return "float";
  constexpr std::int64_t kByte = 8;
  const bool has_sign = !is_float(type) && is_signed(type) && bits(type) >= kByte;
  return fmt::format("{}int{}_t", has_sign ? "" : "u", std::max(kByte, bits(type)));
}

std::string launcher_types() {
  std::string constants;
  std::string names;
  std::string overloads;
  for (const DType type : dtypes()) {
    constants += fmt::format("  {},\n", type_constant(type));
    names += fmt::format("    case {}: return \"{}\";\n", type_constant(type), name_of(type));
    // Types that are held as those of integers are named by hand.
    const bool is_own = type == DType::kF64 || type == DType::kF32 ||
                        (!is_float(type) && bits(type) >= 8 && type != DType::kBool);
    if (!is_own) continue;
    overloads += fmt::format("inline heddle_type heddle_type_of(const {}*) {{ return {}; }}\n",
                             type_in_c(type), type_constant(type));
  }
  return fmt::format(R"(
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
typedef enum heddle_type {{
  HEDDLE_NO_TYPE,
{}}} heddle_type;
static inline const char* heddle_type_name(heddle_type type) {{
  switch (type) {{
    case HEDDLE_NO_TYPE: break;
{}  }}
  return "no type";
}}
{}
#ifdef __cplusplus
{}inline heddle_type heddle_type_of(const bool*) {{ return HEDDLE_BOOL; }}
#endif
{}#endif
)",
                     constants, names, kTensorTypes, overloads, kTensorOf);
}

std::string_view check_functions() { return kChecks; }

std::string launcher_checks(Target target) {
  std::string text = fmt::format(
      "\n#ifndef HEDDLE_LAUNCHER_CHECKS\n#define HEDDLE_LAUNCHER_CHECKS\n{}#endif\n", kChecks);
  if (target == Target::kOpenCl) text += kChecksOfOpenCl;
  return text;
}

}  // namespace heddle::kernel
