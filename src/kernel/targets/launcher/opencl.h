/// By what launchers of OpenCL check arguments besides.
#include "checks.h"

//@ opencl
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
