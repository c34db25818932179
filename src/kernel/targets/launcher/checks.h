/// By what launchers check arguments.
#include "types.h"
//@ heddle_includes
#include <stdarg.h>
#include <stdio.h>

//@ heddle_refuse(): heddle_includes
static inline int heddle_refuse(heddle_error* error, const char* format, ...) {
  if (error != NULL) {
    va_list values;
    va_start(values, format);
    vsnprintf(error->text, sizeof error->text, format, values);
    va_end(values);
  }
  return 1;
}

//@ heddle_list(): heddle_includes
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

//@ heddle_check_tensor(): heddle_refuse
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

//@ heddle_check_size(): heddle_refuse
static inline int heddle_check_size(const char* name, int64_t size, int64_t low, int64_t high,
                                    heddle_error* error) {
  if (low <= size && size <= high) return 0;
  return heddle_refuse(error, "%s is %lld, and the kernel is for %lld to %lld", name,
                       (long long)size, (long long)low, (long long)high);
}

//@ heddle_product_fits()
/* Whether the product of two numbers is so small that sums of some of them fit into 64 bits. */
static inline int heddle_product_fits(int64_t a, int64_t b) {
  const int64_t most = INT64_C(1) << 48;
  if (a < -most || most < a || b < -most || most < b) return 0;
  return a == 0 || ((b < 0 ? -b : b) <= most / (a < 0 ? -a : a));
}

//@ heddle_rows()
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

//@ heddle_check_count(): heddle_refuse
static inline int heddle_check_count(const char* name, int64_t count, int64_t most,
                                     heddle_error* error) {
  if (0 <= count && count <= most) return 0;
  return heddle_refuse(error, "%s has more than %lld elements, which the kernel does not count",
                       name, (long long)most);
}

//@ heddle_check_shape(): heddle_refuse heddle_list heddle_rows heddle_check_count
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

//@ heddle_check_pointer(): heddle_refuse
static inline int heddle_check_pointer(const char* name, const void* data, int64_t count,
                                       unsigned alignment, heddle_error* error) {
  if (count > 0 && data == NULL) return heddle_refuse(error, "%s is a null pointer", name);
  if ((uintptr_t)data % alignment == 0) return 0;
  return heddle_refuse(error, "%s is not aligned to %u bytes", name, alignment);
}

//@ heddle_check_grid(): heddle_refuse heddle_list
static inline int heddle_check_grid(const int64_t* grid, const int64_t* most, heddle_error* error) {
  char text[192];
  for (int d = 0; d < 3; ++d) {
    if (1 <= grid[d] && grid[d] <= most[d]) continue;
    return heddle_refuse(error, "the grid is %s, and extent %d is not from 1 to %lld",
                         heddle_list(text, sizeof text, grid, 3), d, (long long)most[d]);
  }
  return 0;
}
