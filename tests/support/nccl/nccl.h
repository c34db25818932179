// A model of NCCL on the CPU: ranks are threads, and messages go through boxes between two ranks.
// What is wrong in a program is an error here, and no hang: a message of another length or type
// than is waited for, one that nobody sends, and buffers of a collective that overlap as NCCL
// forbids.

#pragma once

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <cstring>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <tuple>
#include <utility>
#include <vector>

#include "cuda_runtime.h"

enum ncclResult_t { ncclSuccess, ncclUnhandledCudaError, ncclInvalidArgument };
enum ncclDataType_t {
  ncclInt8,
  ncclUint8,
  ncclInt32,
  ncclUint32,
  ncclInt64,
  ncclUint64,
  ncclFloat32,
  ncclFloat64
};
enum ncclRedOp_t { ncclSum, ncclProd, ncclMax, ncclMin, ncclAvg };
constexpr int NCCL_SPLIT_NOCOLOR = -1;
using ncclConfig_t = struct ncclConfig;

struct NcclMessage {
  ncclDataType_t type;
  std::vector<char> bytes;
};

// What the ranks of all communicators share.
class NcclWorld {
 public:
  // From rank to rank of a communicator.
  using Route = std::tuple<std::vector<int>, int, int>;

  void send(const Route& route, NcclMessage message) {
    const std::lock_guard lock(mutex_);
    boxes_[route].push_back(std::move(message));
    arrived_.notify_all();
  }

  bool receive(const Route& route, NcclMessage& message) {
    std::unique_lock lock(mutex_);
    auto& box = boxes_[route];
    constexpr std::chrono::minutes kPatience(5);
    if (!arrived_.wait_for(lock, kPatience, [&] { return !box.empty(); })) return false;
    message = std::move(box.front());
    box.pop_front();
    return true;
  }

 private:
  std::mutex mutex_;
  std::condition_variable arrived_;
  std::map<Route, std::deque<NcclMessage>> boxes_;
};

// A communicator as one rank has it.
struct NcclComm {
  NcclWorld* world;
  // How it was split off, the same for all of its ranks, and for no others.
  std::vector<int> name;
  int rank;
  int size;
  int splits = 0;
};
using ncclComm_t = NcclComm*;

inline std::size_t nccl_bytes(ncclDataType_t type) {
  constexpr std::size_t kBytes[] = {1, 1, 4, 4, 8, 8, 4, 8};
  return kBytes[type];
}

inline ncclResult_t nccl_send(const void* from, std::size_t bytes, ncclDataType_t type, int to,
                              ncclComm_t comm) {
  if (to < 0 || to >= comm->size) return ncclInvalidArgument;
  const char* first = static_cast<const char*>(from);
  comm->world->send({comm->name, comm->rank, to}, {type, {first, first + bytes}});
  return ncclSuccess;
}

inline ncclResult_t nccl_receive(void* to, std::size_t bytes, ncclDataType_t type, int from,
                                 ncclComm_t comm) {
  NcclMessage message;
  if (from < 0 || from >= comm->size) return ncclInvalidArgument;
  if (!comm->world->receive({comm->name, from, comm->rank}, message)) return ncclInvalidArgument;
  if (message.type != type || message.bytes.size() != bytes) return ncclInvalidArgument;
  std::memcpy(to, message.bytes.data(), bytes);
  return ncclSuccess;
}

// ---- messages: those of a group are sent first, and then waited for ----

struct NcclWaiting {
  void* to;
  std::size_t bytes;
  ncclDataType_t type;
  int from;
  ncclComm_t comm;
};
inline thread_local int nccl_depth = 0;
inline thread_local std::vector<NcclWaiting> nccl_waiting;

inline ncclResult_t ncclGroupStart() {
  ++nccl_depth;
  return ncclSuccess;
}
inline ncclResult_t ncclGroupEnd() {
  if (--nccl_depth > 0) return ncclSuccess;
  const std::vector<NcclWaiting> waiting = std::exchange(nccl_waiting, {});
  for (const NcclWaiting& one : waiting) {
    const ncclResult_t result = nccl_receive(one.to, one.bytes, one.type, one.from, one.comm);
    if (result != ncclSuccess) return result;
  }
  return ncclSuccess;
}
inline ncclResult_t ncclSend(const void* from, std::size_t count, ncclDataType_t type, int peer,
                             ncclComm_t comm, cudaStream_t) {
  if (nccl_depth == 0) return ncclInvalidArgument;
  return nccl_send(from, count * nccl_bytes(type), type, peer, comm);
}
inline ncclResult_t ncclRecv(void* to, std::size_t count, ncclDataType_t type, int peer,
                             ncclComm_t comm, cudaStream_t) {
  if (nccl_depth == 0) return ncclInvalidArgument;
  nccl_waiting.push_back({to, count * nccl_bytes(type), type, peer, comm});
  return ncclSuccess;
}

// ---- collectives: all ranks tell each other all they have ----

inline ncclResult_t nccl_tell_all(const void* from, std::size_t bytes, ncclDataType_t type,
                                  ncclComm_t comm, std::vector<std::vector<char>>& told) {
  for (int rank = 0; rank < comm->size; ++rank) nccl_send(from, bytes, type, rank, comm);
  for (int rank = 0; rank < comm->size; ++rank) {
    told.emplace_back(bytes);
    const ncclResult_t result = nccl_receive(told.back().data(), bytes, type, rank, comm);
    if (result != ncclSuccess) return result;
  }
  return ncclSuccess;
}

// Whether two buffers have a byte in common, and are not the two of a call in place.
inline bool nccl_clash(const void* a, std::size_t a_bytes, const void* b, std::size_t b_bytes,
                       std::ptrdiff_t in_place) {
  const auto first = reinterpret_cast<std::intptr_t>(a);
  const auto second = reinterpret_cast<std::intptr_t>(b);
  if (first - second == in_place) return false;
  return first < second + std::intptr_t(b_bytes) && second < first + std::intptr_t(a_bytes);
}

template <class T>
void nccl_combine(std::vector<char>& sum, const std::vector<char>& term, ncclRedOp_t op) {
  for (std::size_t i = 0; i < sum.size(); i += sizeof(T)) {
    T a, b;
    std::memcpy(&a, &sum[i], sizeof a);
    std::memcpy(&b, &term[i], sizeof b);
    // A number and a NaN give the number.
    const bool is_nan = !(a == a);
    if (op == ncclMax && (a < b || is_nan)) a = b;
    if (op == ncclMin && (b < a || is_nan)) a = b;
    if (op == ncclProd) a = T(a * b);
    if (op == ncclSum || op == ncclAvg) a = T(a + b);
    std::memcpy(&sum[i], &a, sizeof a);
  }
}

template <class T>
void nccl_divide(std::vector<char>& sum, int by) {
  for (std::size_t i = 0; i < sum.size(); i += sizeof(T)) {
    T a;
    std::memcpy(&a, &sum[i], sizeof a);
    a = T(a / T(by));
    std::memcpy(&sum[i], &a, sizeof a);
  }
}

template <class T>
std::vector<char> nccl_reduced(const std::vector<std::vector<char>>& terms, ncclRedOp_t op) {
  std::vector<char> sum = terms.front();
  for (std::size_t i = 1; i < terms.size(); ++i) nccl_combine<T>(sum, terms[i], op);
  if (op == ncclAvg) nccl_divide<T>(sum, int(terms.size()));
  return sum;
}

inline std::vector<char> nccl_reduced(const std::vector<std::vector<char>>& terms, ncclRedOp_t op,
                                      ncclDataType_t type) {
  switch (type) {
    case ncclInt8:
      return nccl_reduced<std::int8_t>(terms, op);
    case ncclUint8:
      return nccl_reduced<std::uint8_t>(terms, op);
    case ncclInt32:
      return nccl_reduced<std::int32_t>(terms, op);
    case ncclUint32:
      return nccl_reduced<std::uint32_t>(terms, op);
    case ncclInt64:
      return nccl_reduced<std::int64_t>(terms, op);
    case ncclUint64:
      return nccl_reduced<std::uint64_t>(terms, op);
    case ncclFloat32:
      return nccl_reduced<float>(terms, op);
    case ncclFloat64:
      break;
  }
  return nccl_reduced<double>(terms, op);
}

inline ncclResult_t ncclAllGather(const void* from, void* to, std::size_t count,
                                  ncclDataType_t type, ncclComm_t comm, cudaStream_t) {
  const std::size_t bytes = count * nccl_bytes(type);
  const auto own = std::ptrdiff_t(comm->rank * bytes);
  if (nccl_clash(from, bytes, to, bytes * comm->size, own)) return ncclInvalidArgument;
  std::vector<std::vector<char>> told;
  if (nccl_tell_all(from, bytes, type, comm, told) != ncclSuccess) return ncclInvalidArgument;
  for (std::size_t i = 0; i < told.size(); ++i) {
    std::memcpy(static_cast<char*>(to) + i * bytes, told[i].data(), bytes);
  }
  return ncclSuccess;
}

inline ncclResult_t ncclAllReduce(const void* from, void* to, std::size_t count,
                                  ncclDataType_t type, ncclRedOp_t op, ncclComm_t comm,
                                  cudaStream_t) {
  const std::size_t bytes = count * nccl_bytes(type);
  if (nccl_clash(from, bytes, to, bytes, 0)) return ncclInvalidArgument;
  std::vector<std::vector<char>> told;
  if (nccl_tell_all(from, bytes, type, comm, told) != ncclSuccess) return ncclInvalidArgument;
  std::memcpy(to, nccl_reduced(told, op, type).data(), bytes);
  return ncclSuccess;
}

inline ncclResult_t ncclReduceScatter(const void* from, void* to, std::size_t count,
                                      ncclDataType_t type, ncclRedOp_t op, ncclComm_t comm,
                                      cudaStream_t) {
  const std::size_t bytes = count * nccl_bytes(type);
  const auto own = std::ptrdiff_t(comm->rank * bytes);
  if (nccl_clash(to, bytes, from, bytes * comm->size, own)) return ncclInvalidArgument;
  std::vector<std::vector<char>> told;
  if (nccl_tell_all(from, bytes * comm->size, type, comm, told) != ncclSuccess) {
    return ncclInvalidArgument;
  }
  std::memcpy(to, nccl_reduced(told, op, type).data() + own, bytes);
  return ncclSuccess;
}

inline ncclResult_t ncclReduce(const void* from, void* to, std::size_t count, ncclDataType_t type,
                               ncclRedOp_t op, int root, ncclComm_t comm, cudaStream_t) {
  const std::size_t bytes = count * nccl_bytes(type);
  std::vector<std::vector<char>> told;
  if (nccl_tell_all(from, bytes, type, comm, told) != ncclSuccess) return ncclInvalidArgument;
  if (comm->rank != root) return ncclSuccess;
  if (nccl_clash(from, bytes, to, bytes, 0)) return ncclInvalidArgument;
  std::memcpy(to, nccl_reduced(told, op, type).data(), bytes);
  return ncclSuccess;
}

inline ncclResult_t ncclBroadcast(const void* from, void* to, std::size_t count,
                                  ncclDataType_t type, int root, ncclComm_t comm, cudaStream_t) {
  const std::size_t bytes = count * nccl_bytes(type);
  if (comm->rank != root) return nccl_receive(to, bytes, type, root, comm);
  if (nccl_clash(from, bytes, to, bytes, 0)) return ncclInvalidArgument;
  for (int rank = 0; rank < comm->size; ++rank) {
    if (rank != root) nccl_send(from, bytes, type, rank, comm);
  }
  if (from != to) std::memcpy(to, from, bytes);
  return ncclSuccess;
}

// ---- communicators ----

inline ncclResult_t ncclCommSplit(ncclComm_t comm, int color, int key, ncclComm_t* made,
                                  ncclConfig_t*) {
  const int own[] = {color, key};
  std::vector<std::vector<char>> told;
  if (nccl_tell_all(own, sizeof own, ncclInt32, comm, told) != ncclSuccess) {
    return ncclInvalidArgument;
  }
  const int split = comm->splits++;
  *made = nullptr;
  if (color == NCCL_SPLIT_NOCOLOR) return ncclSuccess;
  std::vector<std::pair<int, int>> members;
  for (int rank = 0; rank < comm->size; ++rank) {
    int other[2];
    std::memcpy(other, told[rank].data(), sizeof other);
    if (other[0] == color) members.emplace_back(other[1], rank);
  }
  std::sort(members.begin(), members.end());
  const auto at = std::find(members.begin(), members.end(), std::pair(key, comm->rank));
  std::vector<int> name = comm->name;
  name.insert(name.end(), {split, color});
  *made = new NcclComm{comm->world, name, int(at - members.begin()), int(members.size())};
  return ncclSuccess;
}
inline ncclResult_t ncclCommDestroy(ncclComm_t comm) {
  delete comm;
  return ncclSuccess;
}
