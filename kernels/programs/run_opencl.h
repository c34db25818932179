/* The device that launchers are tested on: OpenCL's first one. As C, compiled with a launcher. */

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stddef.h>

static cl_device_id device;
static cl_context context;
static cl_command_queue queue;
static cl_program program;

/* 0, or 1 where no device is there. */
int open_device(void);
void* make_memory(size_t bytes, const void* from);
void read_memory(void* memory, size_t bytes, void* to);
void free_memory(void* memory);

int open_device(void) {
  cl_platform_id platforms[16];
  cl_uint count = 0;
  cl_int status = clGetPlatformIDs(16, platforms, &count);
  for (cl_uint i = 0; status == CL_SUCCESS && i < count && i < 16 && device == NULL; ++i) {
    if (clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_ALL, 1, &device, NULL) != CL_SUCCESS) {
      device = NULL;
    }
  }
  if (device == NULL) return 1;
  context = clCreateContext(NULL, 1, &device, NULL, NULL, &status);
  queue = clCreateCommandQueue(context, device, 0, &status);
  return status != CL_SUCCESS;
}

void* make_memory(size_t bytes, const void* from) {
  cl_mem memory = clCreateBuffer(context, CL_MEM_READ_WRITE, bytes, NULL, NULL);
  clEnqueueWriteBuffer(queue, memory, CL_TRUE, 0, bytes, from, 0, NULL, NULL);
  return memory;
}

void read_memory(void* memory, size_t bytes, void* to) {
  clEnqueueReadBuffer(queue, memory, CL_TRUE, 0, bytes, to, 0, NULL, NULL);
}

void free_memory(void* memory) { clReleaseMemObject(memory); }
