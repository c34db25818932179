#pragma once

// The only entry to isl, the Integer Set Library: only src/map/isl/ includes this header, and with
// it isl/cpp.h.
//
//   IslSession session(limits);
//   return session.ask("is it one-to-one", [&] {
//     return read(session, relation).is_injective();             // isl's own types
//   });                                                          // Result<bool>
//
// A session is one question: a context of isl, which stops after its steps, and a watchdog that
// stops isl past the other limits.
// Inside ask() isl's functions may be called freely; their exceptions become a Diagnostic, and isl
// writes nothing to the terminal. isl's objects must be destroyed before their session.

#include <isl/cpp.h>

#include <atomic>
#include <chrono>
#include <concepts>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include "heddle/core/axis.h"
#include "heddle/core/result.h"
#include "heddle/core/verdict.h"
#include "heddle/map/integer_relation.h"
#include "heddle/map/integer_set.h"
#include "heddle/map/limits.h"
#include "map/view/box_function.h"

namespace heddle::map {

/// More dimensions of inputs, outputs or parameters are refused, because isl's own limits are not
/// documented.
inline constexpr std::size_t kMaxIslDimensions = 128;
inline constexpr std::size_t kMaxRelationText = std::size_t{1} << 20;

namespace isl_door {
template <class T>
struct ResultOf {
  using Type = Result<T>;
};
template <class T>
struct ResultOf<Result<T>> {
  using Type = Result<T>;
};
}  // namespace isl_door

class IslSession {
 public:
  explicit IslSession(const Limits& limits = {});
  IslSession(const IslSession&) = delete;
  IslSession& operator=(const IslSession&) = delete;
  ~IslSession();

  [[nodiscard]] isl::ctx context() const { return isl::ctx(context_.get()); }
  [[nodiscard]] isl_ctx* get() const { return context_.get(); }

  /// The value that `work` returns, or its Result. Refuses `relation.gave_up` past the limits and
  /// `relation.gave_up` if isl refuses; `what` describes the question, as in "gave up …".
  template <std::invocable Work>
  auto ask(std::string_view what, Work&& work) ->
      typename isl_door::ResultOf<std::invoke_result_t<Work>>::Type {
    try {
      auto answer = std::forward<Work>(work)();
      check();
      return answer;
    } catch (const isl::exception& error) {
      return refuse(failure(what, error));
    }
  }

  /// Throws the error that stopped isl, if any: for loops of our own between isl's functions.
  void check() const;

 private:
  enum class Reason : std::uint8_t { kNone, kOver, kMemory };
  struct FreeContext {
    void operator()(isl_ctx* context) const { isl_ctx_free(context); }
  };

  void watch(const std::stop_token& done);
  [[nodiscard]] Reason exceeded() const;
  [[nodiscard]] bool has_steps_left() const;
  [[nodiscard]] Diagnostic failure(std::string_view what, const isl::exception& error) const;

  Limits limits_;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  std::size_t memory_at_begin_ = 0;
  std::unique_ptr<isl_ctx, FreeContext> context_;
  std::atomic<Reason> reason_ = Reason::kNone;
  std::mutex mutex_;
  std::condition_variable_any wake_;
  std::jthread watchdog_;
};

/// An empty cache (relation.cc).
[[nodiscard]] std::shared_ptr<PiecesCache> make_pieces_cache();

/// Makes relations. The caller guarantees that the text is isl's and the names those of its
/// dimensions.
struct RelationAccess {
  [[nodiscard]] static IntegerRelation make(std::string text, std::vector<std::string> parameters,
                                            std::vector<std::string> inputs, std::vector<Axis> axes,
                                            bool is_function) {
    return IntegerRelation(IntegerRelation::Data{std::move(text), std::move(parameters),
                                                 std::move(inputs), std::move(axes), is_function,
                                                 make_pieces_cache()});
  }
  [[nodiscard]] static bool is_function(const IntegerRelation& relation) {
    return relation.data_->is_function;
  }
  [[nodiscard]] static PiecesCache& cache(const IntegerRelation& relation) {
    return *relation.data_->cache;
  }
};

/// Makes sets, as RelationAccess makes relations.
struct SetAccess {
  [[nodiscard]] static IntegerSet make(std::string text, std::vector<std::string> parameters,
                                       std::vector<std::string> names) {
    return IntegerSet(IntegerSet::Data{std::move(text), std::move(parameters), std::move(names)});
  }
};

// All functions below are called within ask().

/// The result of one of isl's C functions as isl's C++ object; throws isl's error.
template <class T>
[[nodiscard]] auto adopt(const IslSession& session, T* pointer) {
  if (pointer == nullptr) isl::exception::throw_last_error(session.context());
  return isl::manage(pointer);
}

/// The set as an object of isl.
[[nodiscard]] isl::set read(IslSession& session, const IntegerSet& set);
/// A set of isl's as a value; dimensions are flat, and get these names if isl can write them.
[[nodiscard]] IntegerSet write(const isl::set& set);
[[nodiscard]] IntegerSet write(const isl::set& set, std::vector<std::string> wanted);

/// The relation as an object of isl.
[[nodiscard]] isl::map read(IslSession& session, const IntegerRelation& relation);

/// The function, if the relation is written as one. Otherwise isl would have to find it from the
/// constraints, which takes long and gives long results.
[[nodiscard]] std::optional<isl::pw_multi_aff> read_function(const IslSession& session,
                                                             const IntegerRelation& relation);
/// Whether each image is an integer wherever the function is defined: no `[c/2]`.
[[nodiscard]] bool is_integral(const isl::pw_multi_aff& function);

/// A relation of isl's as a value. Inputs keep isl's names, or are c0, c1, …; `axes`, if given, are
/// those of the outputs.
[[nodiscard]] IntegerRelation write(const isl::map& map);
[[nodiscard]] IntegerRelation write(const isl::map& map, std::vector<Axis> axes);
/// The relation of a formula on a box. Inputs have these names if isl can write them.
[[nodiscard]] IntegerRelation write(const BoxFormula& formula, std::span<const std::string> inputs,
                                    std::vector<Axis> axes);
/// The axes of outputs with these names; empty if there are none.
[[nodiscard]] std::vector<Axis> axes_of(std::vector<std::string> names);
/// As above for a function that is_integral(): it is written as a function.
[[nodiscard]] IntegerRelation write(const isl::pw_multi_aff& function);
[[nodiscard]] IntegerRelation write(const isl::pw_multi_aff& function, std::vector<Axis> axes);

[[nodiscard]] inline std::size_t dimension(const isl::map& map, isl_dim_type type) {
  return static_cast<std::size_t>(isl_map_dim(map.get(), type));
}
[[nodiscard]] inline std::size_t dimension(const isl::set& set, isl_dim_type type) {
  return static_cast<std::size_t>(isl_set_dim(set.get(), type));
}

/// The same points in fewer parts, where isl finds some. Its coalesce() now and then adds points
/// (in version 0.25, { 0, 1 } with { 0, 2, …, 8 } becomes { 0, …, 9 }); so what it gives is taken
/// only if it is equal.
[[nodiscard]] isl::set coalesced(const isl::set& set);
[[nodiscard]] isl::map coalesced(const isl::map& map);
[[nodiscard]] isl::pw_multi_aff coalesced(const isl::pw_multi_aff& function);

/// The number, if it is an integer of 64 bits; otherwise nullopt.
[[nodiscard]] std::optional<std::int64_t> number(const isl::val& value);
[[nodiscard]] isl::val value(IslSession& session, std::int64_t number);

/// The coordinates of a point, undefined if they do not fit 64 bits.
[[nodiscard]] std::vector<Int> coordinates(const isl::point& point);
/// The lexicographically least point of a set that is not empty and bounded below.
[[nodiscard]] std::optional<std::vector<Int>> least_point(const isl::set& set);

/// Objects that isl has no C++ type for, or for which its C++ types lack operations.
template <class T, T* (*Free)(T*)>
struct IslFree {
  void operator()(T* pointer) const { Free(pointer); }
};
template <class T, T* (*Free)(T*)>
using IslOwned = std::unique_ptr<T, IslFree<T, Free>>;

/// Whether isl accepts the name for a dimension.
[[nodiscard]] bool is_isl_name(std::string_view name);

}  // namespace heddle::map
