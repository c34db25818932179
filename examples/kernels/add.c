/* Adds two vectors on the first OpenCL device, by the header that heddle writes of add.heddle. */

#define HEDDLE_ADD_IMPLEMENTATION
#include "add.h"

#include <stdio.h>

int main(void) {
  float a[5] = {1, 2, 3, 4, 5};
  float b[5] = {10, 20, 30, 40, 50};
  float c[5];
  cl_platform_id platform;
  cl_device_id device;
  clGetPlatformIDs(1, &platform, NULL);
  if (clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL) != CL_SUCCESS) return 1;
  cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
  cl_command_queue queue = clCreateCommandQueue(context, device, 0, NULL);
  const cl_mem_flags copied = CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR;
  heddle_tensor A = {clCreateBuffer(context, copied, sizeof a, a, NULL), HEDDLE_F32, 1, {5}, NULL};
  heddle_tensor B = {clCreateBuffer(context, copied, sizeof b, b, NULL), HEDDLE_F32, 1, {5}, NULL};
  heddle_tensor C = {clCreateBuffer(context, copied, sizeof c, c, NULL), HEDDLE_F32, 1, {5}, NULL};

  heddle_error error;
  cl_program program = heddle_build_add(context, device, &error);
  if (program == NULL || heddle_launch_add(A, B, C, program, queue, &error) != 0) {
    puts(error.text);
    return 1;
  }
  clEnqueueReadBuffer(queue, C.data, CL_TRUE, 0, sizeof c, c, 0, NULL, NULL);
  for (int i = 0; i < 5; ++i) printf("%g ", c[i]);
  puts("");

  B.shape[0] = 4;
  if (heddle_launch_add(A, B, C, program, queue, &error) != 0) puts(error.text);
  return 0;
}
