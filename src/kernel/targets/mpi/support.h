/// What C that calls MPI does: boxes in memory, the steps of plans, and checks of its arguments.
#include "types.h"
#include "../launcher/checks.h"

//@ heddle_next_run()
/* Goes on to the next run of the fastest digit; 0 at the end. */
static inline int heddle_next_run(const heddle_box* box, int64_t* index, int64_t* at) {
  for (int d = box->digits - 2; d >= 0; --d) {
    *at += box->steps[d];
    if (++index[d] < box->extents[d]) return 1;
    *at -= index[d] * box->steps[d];
    index[d] = 0;
  }
  return 0;
}

//@ heddle_gather(): heddle_next_run
static inline void heddle_gather(unsigned char* message, const unsigned char* memory,
                                 const heddle_box* box, size_t width) {
  const size_t extent = (size_t)box->extents[box->digits - 1];
  const int64_t step = box->steps[box->digits - 1];
  int64_t index[8] = {0};
  int64_t at = box->at;
  do {
    if (step == 1) {
      memcpy(message, memory + (size_t)at * width, extent * width);
    } else {
      for (size_t i = 0; i < extent; ++i) {
        memcpy(message + i * width, memory + (size_t)(at + (int64_t)i * step) * width, width);
      }
    }
    message += extent * width;
  } while (heddle_next_run(box, index, &at));
}

//@ heddle_scatter(): heddle_next_run
static inline void heddle_scatter(unsigned char* memory, const unsigned char* message,
                                  const heddle_box* box, size_t width) {
  const size_t extent = (size_t)box->extents[box->digits - 1];
  const int64_t step = box->steps[box->digits - 1];
  int64_t index[8] = {0};
  int64_t at = box->at;
  do {
    if (step == 1) {
      memcpy(memory + (size_t)at * width, message, extent * width);
    } else {
      for (size_t i = 0; i < extent; ++i) {
        memcpy(memory + (size_t)(at + (int64_t)i * step) * width, message + i * width, width);
      }
    }
    message += extent * width;
  } while (heddle_next_run(box, index, &at));
}

//@ heddle_is_run()
/* Whether the elements are consecutive. */
static inline int heddle_is_run(const heddle_box* box) {
  return box->digits == 1 && box->steps[0] == 1;
}

//@ heddle_first()
static inline unsigned char* heddle_first(const heddle_step* step, int memory,
                                          const heddle_box* box) {
  return step->memory[memory] + (size_t)box->at * step->width;
}

//@ heddle_room()
/* Memory; where there is none, all processes are ended, for the others wait for this one. */
static inline void* heddle_room(MPI_Comm comm, size_t bytes) {
  void* room = malloc(bytes == 0 ? 1 : bytes);
  if (room == NULL) {
    fprintf(stderr, "heddle: there are no %zu bytes for what devices exchange\n", bytes);
    MPI_Abort(comm, 1);
  }
  return room;
}

//@ heddle_message(): heddle_room
/* Gives the transfer a message of its own. */
static inline unsigned char* heddle_message(heddle_step* step, int i) {
  const size_t bytes = (size_t)step->transfers[i].count * step->width;
  step->messages[i] = (unsigned char*)heddle_room(step->comm, bytes);
  return step->messages[i];
}

//@ heddle_begin(): heddle_is_run heddle_first heddle_room heddle_message
/* Is ready for all that this device gets in the step: where `is_in_place`, nothing reads the
   memory that it goes to before the step ends. */
static inline void heddle_begin(heddle_step* step, int is_in_place) {
  const size_t count = (size_t)step->count;
  step->requests = (MPI_Request*)heddle_room(step->comm, count * sizeof *step->requests);
  step->messages = (unsigned char**)heddle_room(step->comm, count * sizeof *step->messages);
  for (int i = 0; i < step->count; ++i) {
    const heddle_transfer* each = &step->transfers[i];
    step->requests[i] = MPI_REQUEST_NULL;
    step->messages[i] = NULL;
    if (each->to != step->device || each->from == step->device) continue;
    unsigned char* const memory = is_in_place && !each->reduces && heddle_is_run(&each->to_box)
                                      ? heddle_first(step, each->written, &each->to_box)
                                      : heddle_message(step, i);
    MPI_Irecv(memory, each->count, step->type, each->from, i, step->comm, &step->requests[i]);
  }
}

//@ heddle_send(): heddle_gather heddle_is_run heddle_first heddle_message
/* Sends what is to be sent by the transfer, which stays as it is until the step ends. */
static inline void heddle_send(heddle_step* step, int i) {
  const heddle_transfer* each = &step->transfers[i];
  const unsigned char* memory = heddle_first(step, each->read, &each->from_box);
  if (!heddle_is_run(&each->from_box)) {
    unsigned char* const message = heddle_message(step, i);
    heddle_gather(message, step->memory[each->read], &each->from_box, step->width);
    memory = message;
  }
  MPI_Isend(memory, each->count, step->type, each->to, i, step->comm, &step->requests[i]);
}

//@ heddle_put(): heddle_scatter
/* Puts a message where it belongs. */
static inline void heddle_put(heddle_step* step, int i, const unsigned char* message) {
  const heddle_transfer* each = &step->transfers[i];
  if (each->reduces) {
    step->combine(step->memory[each->written], message, &each->to_box);
  } else {
    heddle_scatter(step->memory[each->written], message, &each->to_box, step->width);
  }
}

//@ heddle_keep(): heddle_gather heddle_is_run heddle_first heddle_message heddle_put
/* What the device keeps. */
static inline void heddle_keep(heddle_step* step, int i) {
  const heddle_transfer* each = &step->transfers[i];
  if (heddle_is_run(&each->from_box)) {
    heddle_put(step, i, heddle_first(step, each->read, &each->from_box));
    return;
  }
  unsigned char* const message = heddle_message(step, i);
  heddle_gather(message, step->memory[each->read], &each->from_box, step->width);
  heddle_put(step, i, message);
}

//@ heddle_go_on()
/* Lets MPI move what is on its way. */
static inline void heddle_go_on(heddle_step* step) {
  int is_there = 0;
  MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, step->comm, &is_there, MPI_STATUS_IGNORE);
}

//@ heddle_end(): heddle_put heddle_keep
/* Puts what arrives, and what this device keeps, where it belongs, in the order of the transfers. */
static inline void heddle_end(heddle_step* step) {
  for (int i = 0; i < step->count; ++i) {
    const heddle_transfer* each = &step->transfers[i];
    if (each->to != step->device) continue;
    if (each->from == step->device) {
      heddle_keep(step, i);
    } else {
      MPI_Wait(&step->requests[i], MPI_STATUS_IGNORE);
      if (step->messages[i] != NULL) heddle_put(step, i, step->messages[i]);
    }
    free(step->messages[i]);
    step->messages[i] = NULL;
  }
  MPI_Waitall(step->count, step->requests, MPI_STATUSES_IGNORE);
  for (int i = 0; i < step->count; ++i) free(step->messages[i]);
  free(step->messages);
  free(step->requests);
}

//@ heddle_do_step(): heddle_begin heddle_send heddle_end
static inline void heddle_do_step(heddle_step* step) {
  heddle_begin(step, 1);
  for (int i = 0; i < step->count; ++i) {
    const heddle_transfer* each = &step->transfers[i];
    if (each->from == step->device && each->to != step->device) heddle_send(step, i);
  }
  heddle_end(step);
}

//@ heddle_agree(): heddle_refuse
/* Whether all processes go on; those that do not have said why. */
static inline int heddle_agree(MPI_Comm comm, int device, int devices, int is_refused,
                               heddle_error* error) {
  int first = is_refused ? device : devices;
  MPI_Allreduce(MPI_IN_PLACE, &first, 1, MPI_INT, MPI_MIN, comm);
  if (first == devices) return 0;
  if (is_refused) return 1;
  return heddle_refuse(error, "device %d refuses its arguments", first);
}

//@ heddle_check_part(): heddle_refuse heddle_check_shape heddle_check_pointer
/* The shape, the strides and the memory of a part. */
static inline int heddle_check_part(const char* name, const heddle_tensor* part,
                                    const int64_t* shape, int is_row_major, unsigned width,
                                    heddle_error* error) {
  int64_t count = 0;
  if (!is_row_major && part->strides != NULL) {
    return heddle_refuse(error, "%s has strides, and the layout of the kernel's parameter has none",
                         name);
  }
  if (heddle_check_shape(name, part, shape, NULL, INT32_MAX, &count, error)) return 1;
  return heddle_check_pointer(name, part->data, count, width, error);
}

//@ heddle_hash()
/* FNV-1a of some bytes, continuing a hash. */
static inline uint64_t heddle_hash(uint64_t hash, const unsigned char* bytes, size_t count) {
  for (size_t i = 0; i < count; ++i) hash = (hash ^ bytes[i]) * UINT64_C(1099511628211);
  return hash;
}

//@ heddle_check_copies(): heddle_refuse heddle_gather heddle_room heddle_hash
/* Whether devices that should have the same bytes do. `first` says for each device which one it
   should be the same as; -1 for none. */
static inline int heddle_check_copies(MPI_Comm comm, int device, int devices, const char* name,
                                      const int* first, const unsigned char* memory,
                                      const heddle_box* box, size_t width, heddle_error* error) {
  uint64_t own = UINT64_C(14695981039346656037);
  uint64_t* all = (uint64_t*)heddle_room(comm, (size_t)devices * sizeof *all);
  int wrong = -1;
  if (first[device] >= 0) {
    size_t count = width;
    for (int d = 0; d < box->digits; ++d) count *= (size_t)box->extents[d];
    unsigned char* bytes = (unsigned char*)heddle_room(comm, count);
    heddle_gather(bytes, memory, box, width);
    own = heddle_hash(own, bytes, count);
    free(bytes);
  }
  MPI_Allgather(&own, 1, MPI_UINT64_T, all, 1, MPI_UINT64_T, comm);
  for (int d = 0; d < devices && wrong < 0; ++d) {
    if (first[d] >= 0 && all[d] != all[first[d]]) wrong = d;
  }
  free(all);
  if (wrong < 0) return 0;
  return heddle_refuse(error, "%s is not the same on the devices %d and %d, which have copies of it",
                       name, first[wrong], wrong);
}
