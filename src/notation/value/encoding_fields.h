#pragma once

// The fields of an encoding that is written as an object, read by name and by type; each is used
// once, and what is left over is refused.
//
//   Fields fields("blocked", {{"sizePerThread", …}, {"order", …}});
//   fields.required<Sizes>({"sizePerThread"})      also written size_per_thread
//   fields.finish()                                refused: nothing has read `order`

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "heddle/core/result.h"
#include "heddle/linear/encoding.h"
#include "heddle/notation/datum.h"

namespace heddle::notation {

using Vectors = std::vector<linear::Sizes>;

/// `sizePerThread` and `size_per_thread` are one name.
[[nodiscard]] bool same_name(std::string_view a, std::string_view b);

class Fields {
 public:
  Fields(std::string kind, const Datum::Fields& fields);

  [[nodiscard]] const std::string& kind() const { return kind_; }

  /// The field under one of its names, or nothing.
  const Datum* find(std::initializer_list<std::string_view> names);

  /// The same as an integer, a truth, a text, Sizes, Order, Vectors or as it is. Refuses
  /// `encoding.field` for something else.
  template <class T>
  Result<std::optional<T>> get(std::initializer_list<std::string_view> names);
  /// Refuses `encoding.field` where there is no such field.
  template <class T>
  Result<T> required(std::initializer_list<std::string_view> names) {
    HEDDLE_TRY(std::optional<T> value, get<T>(names));
    if (value) return *std::move(value);
    return missing(*names.begin());
  }
  template <class T>
  Result<T> with_default(std::initializer_list<std::string_view> names, T otherwise) {
    HEDDLE_TRY(std::optional<T> value, get<T>(names));
    return std::move(value).value_or(std::move(otherwise));
  }

  /// What is not used yet, as bases by input dimension.
  Result<linear::Bases> rest_as_bases();
  /// Refuses `encoding.field` for a field that nothing was read from, or that is there twice.
  [[nodiscard]] Result<void> finish() const;

 private:
  [[nodiscard]] Refusal missing(std::string_view name) const;

  std::string kind_;
  const Datum::Fields& fields_;
  std::set<std::string, std::less<>> used_;
};

}  // namespace heddle::notation
