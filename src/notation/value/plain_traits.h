#pragma once

// Numbers, tuples, texts, data and answers as values of the language.

#include <algorithm>

#include "heddle/core/verdict.h"
#include "heddle/notation/report.h"
#include "heddle/notation/value.h"
#include "notation/value/data.h"
#include "notation/value/traits.h"

namespace heddle::notation {

template <>
struct ValueTraits<bool> : SharedTraits<bool> {
  static constexpr std::string_view kName = "a truth value";
  static std::string text(bool truth) { return truth ? "true" : "false"; }
  static Datum datum(bool truth) { return truth; }
};

template <>
struct ValueTraits<IntTuple> : SharedTraits<IntTuple> {
  static std::string_view name(const IntTuple& tuple) {
    return tuple.is_leaf() ? "an integer" : "a tuple";
  }
  static std::string text(const IntTuple& tuple) { return text(tuple.view()); }
  static Datum datum(const IntTuple& tuple) {
    return tuple.is_leaf() ? to_datum(tuple.leaf()) : Datum(text(tuple));
  }
  static void integers(const IntTuple& tuple, Integers& all) { all.add(tuple.leaves()); }

 private:
  /// A text that reads back as the same tuple: parentheses around a single name only group, (M,) is
  /// a tuple.
  static std::string text(const IntTupleView& tuple) {
    if (tuple.is_leaf()) return heddle::to_string(tuple.leaf());
    if (tuple.rank() == 0) return "()";
    std::string text;
    for (const IntTupleView mode : tuple.modes()) {
      text += (text.empty() ? "(" : ",") + ValueTraits::text(mode);
    }
    const bool groups = tuple.rank() == 1 && (*tuple.modes().begin()).is_leaf() &&
                        !tuple.leaves().front().is_constant();
    return text + (groups ? ",)" : ")");
  }
};

/// A list of values of one type.
template <class T>
struct ListTraits : SharedTraits<std::vector<T>> {
  static std::string text(const std::vector<T>& list) {
    std::ostringstream stream;
    for (std::size_t i = 0; i < list.size(); ++i) stream << (i > 0 ? "," : "[") << list[i];
    stream << (list.empty() ? "[]" : "]");
    return stream.str();
  }
  static Datum datum(const std::vector<T>& list) {
    Datum::List items;
    items.reserve(list.size());
    for (const T& item : list) items.push_back(ValueTraits<T>::datum(item));
    return items;
  }
  static void integers(const std::vector<T>& list, Integers& all) {
    for (const T& item : list) add_integers(item, all);
  }
};

template <>
struct ValueTraits<TupleList> : ListTraits<IntTuple> {
  static constexpr std::string_view kName = "a list";
  static std::size_t leaf_count(const TupleList& list) { return list.size(); }
};

template <>
struct ValueTraits<std::string> : SharedTraits<std::string> {
  static constexpr std::string_view kName = "a text";
  static std::string text(const std::string& text) { return text; }
  static std::size_t leaf_count(const std::string& text) {
    return notation::leaf_count(Datum(text));
  }
};

template <>
struct ValueTraits<Datum> : SharedTraits<Datum> {
  static std::string_view name(const Datum& datum) {
    if (datum.is_null()) return "nothing";
    if (datum.fields() != nullptr) return "an object";
    return datum.list() != nullptr && datum.list()->empty() ? "an empty list" : "a list";
  }
  static std::string text(const Datum& datum) { return to_string(datum); }
  static Datum datum(const Datum& datum) { return datum; }
  static std::size_t leaf_count(const Datum& datum) { return notation::leaf_count(datum); }
  static std::size_t depth(const Datum& datum) { return notation::depth(datum); }
};

template <>
struct ValueTraits<Report> : SharedTraits<Report> {
  static constexpr std::string_view kName = "a report";
  static std::string text(const Report& report) { return report.text; }
  static Datum datum(const Report& report) { return report.data; }
};

template <>
struct ValueTraits<Verdict> : SharedTraits<Verdict> {
  static constexpr std::string_view kName = "a verdict";
  static Datum datum(const Verdict& verdict) { return to_datum(verdict); }
};

template <>
struct ValueTraits<map::XlaLayout> : SharedTraits<map::XlaLayout> {
  static constexpr std::string_view kName = "a layout of XLA";
};

template <>
struct ValueTraits<map::IntegerRelation> : SharedTraits<map::IntegerRelation> {
  static constexpr std::string_view kName = "an integer set relation";
  static void integers(const map::IntegerRelation& relation, Integers& all) {
    for (const std::string& name : relation.parameters()) all.add_name(name);
  }
  static std::size_t leaf_count(const map::IntegerRelation& relation) {
    return relation.inputs().size() + relation.axes().size();
  }
};

template <>
struct ValueTraits<form::Table> : SharedTraits<form::Table> {
  static constexpr std::string_view kName = "a table";
  static Datum datum(const form::Table& table) { return to_datum(table); }
};

}  // namespace heddle::notation
