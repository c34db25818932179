/// Boxes in memory, and transfers.
//@ flags
#ifndef HEDDLE_CHECK_COPIES
#define HEDDLE_CHECK_COPIES 1
#endif

//@ types
#ifndef HEDDLE_OVER_DEVICES
#define HEDDLE_OVER_DEVICES
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Elements in the memory of a device: the first one, and the digits by which the others are
   counted, the slowest first. */
typedef struct heddle_box {
  int64_t at;
  int digits;
  int64_t extents[8];
  int64_t steps[8];
} heddle_box;

enum { heddle_source, heddle_target, heddle_scratch };

/* What one device sends to another, or keeps: `count` elements of one of its memories. */
typedef struct heddle_transfer {
  int from;
  int to;
  int read;
  int written;
  int reduces; /* whether it is combined with what is there */
  int count;
  heddle_box from_box;
  heddle_box to_box;
} heddle_transfer;

/* A step of a plan while this device does its part. */
typedef struct heddle_step {
  MPI_Comm comm;
  int device;
  const heddle_transfer* transfers;
  int count;
  unsigned char* memory[3];
  size_t width;
  MPI_Datatype type;
  void (*combine)(unsigned char* memory, const unsigned char* message, const heddle_box* box);
  MPI_Request* requests;
  unsigned char** messages;
} heddle_step;

#endif
