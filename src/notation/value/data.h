#pragma once

// Values as lists and objects, and lists and objects as values.
//
// to_datum() writes any result as data. It is overloaded for the types that several files write; a
// conversion that one file needs is called datum_of() there.

#include <optional>
#include <vector>

#include "heddle/core/diagnostic.h"
#include "heddle/map/any_layout.h"
#include "heddle/notation/value.h"

namespace heddle::notation {

/// The datum that the value was written as: a list of numbers, texts and lists; a single integer,
/// boolean or text; an object. nullopt for a value that is written in another notation.
[[nodiscard]] std::optional<Datum> datum_if_data(const Value& value);

/// Whether the value's kind can be written as an object: its traits have kField (value/traits.h).
[[nodiscard]] bool is_written_as_object(const Value& value);

/// The value of an object: of the kind whose kField it has (ins: a linear layout; kind: an
/// encoding), otherwise the datum itself. Refuses what reading that kind refuses.
[[nodiscard]] Result<Value> value_of(Datum datum);

// ---- Results as data ----

/// The value as data, in the form of heddle::to_json().
[[nodiscard]] Datum to_datum(const Value& value);
/// A number, the text of a symbolic one; null if it is undefined.
[[nodiscard]] Datum to_datum(const Int& integer);
[[nodiscard]] Datum to_datum(const cute::TvLayout& tv);
/// Nested lists, which parse_table() reads; with `axes` if there are axes other than m.
[[nodiscard]] Datum to_datum(const form::Table& table);
/// A thread-value layout, a linear layout and a table as data, others as text.
[[nodiscard]] Datum to_datum(const map::AnyLayout& layout);

/// `3`, `[0,3]`, `{"laneid":0,"reg":3}`.
[[nodiscard]] Datum to_datum(const NamedNumbers& numbers);
[[nodiscard]] Datum to_datum(const Verdict& verdict);
[[nodiscard]] Datum to_datum(const Diagnostic& diagnostic);

/// The items as data, in a list.
template <class Range>
[[nodiscard]] Datum list_of_data(const Range& items) {
  Datum::List list;
  for (const auto& item : items) list.push_back(to_datum(item));
  return list;
}

}  // namespace heddle::notation
