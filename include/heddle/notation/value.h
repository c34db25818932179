#pragma once

// The value of an expression: any result of the layout algebra.
//
//   Value value = *evaluate("composition((6,2):(8,2), (4,3):(3,1))");
//   value.get_if<cute::Layout>()          // ((2,2),3):((24,2),8)
//   to_string(value)                      // the same as text
//
// A Value is immutable and shared: copies are cheap.

#include <cassert>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "heddle/axe/sharding.h"
#include "heddle/axe/sharding_spec.h"
#include "heddle/core/verdict.h"
#include "heddle/cute/algebra.h"
#include "heddle/cute/tensor.h"
#include "heddle/cute/thread_value.h"
#include "heddle/cute/tiled_copy.h"
#include "heddle/cute/tiled_mma.h"
#include "heddle/form/table.h"
#include "heddle/linear/encoding.h"
#include "heddle/linear/linear_layout.h"
#include "heddle/map/integer_relation.h"
#include "heddle/map/integer_set.h"
#include "heddle/map/xla_layout.h"
#include "heddle/notation/axe.h"
#include "heddle/notation/datum.h"
#include "heddle/notation/lego.h"
#include "heddle/notation/report.h"

#pragma GCC visibility push(default)
namespace heddle::notation {

/// A table of indices, a list of coordinates.
using TupleList = std::vector<IntTuple>;
using LayoutList = std::vector<cute::Layout>;

class Value {
 public:
  /// An IntTuple that is a leaf is an integer; a leaf Coordinate is `_`; a Major is CuTe's
  /// LayoutLeft or LayoutRight.
  using Data =
      std::variant<bool, IntTuple, cute::StrideTuple, cute::Coordinate, cute::Tiler, cute::Layout,
                   cute::ComposedLayout, cute::OffsetLayout, cute::Swizzle, cute::Engine,
                   cute::Tensor, cute::Major, cute::FactMorphism, cute::Divisibility,
                   cute::TvLayout, cute::MmaAtom, cute::TiledMma, cute::CopyAtom, cute::TiledCopy,
                   linear::LinearLayout, linear::Encoding, axe::Layout, axe::Swizzle, axe::Iter,
                   AxisStep, AxePart, IterList, Places, axe::Mesh, axe::Sharded, axe::Sharding,
                   lego::Layout, lego::Slice, LegoPermutation, LegoOrders, LegoFunction,
                   map::IntegerRelation, map::IntegerSet, map::XlaLayout, form::Table, Datum,
                   Report, Verdict, std::string, TupleList, LayoutList>;

  template <class T, class... Alternatives>
  static constexpr bool is_alternative(const std::variant<Alternatives...>*) {
    return (... || std::is_same_v<T, Alternatives>);
  }

  template <class T>
    requires(is_alternative<std::remove_cvref_t<T>>(static_cast<const Data*>(nullptr)))
  Value(T&& data)  // NOLINT: every kind of result is a value
      : data_(std::make_shared<const Data>(std::in_place_type<std::remove_cvref_t<T>>,
                                           std::forward<T>(data))) {}
  Value(const Int& integer) : Value(IntTuple(integer)) {}  // NOLINT
  Value(const cute::AnyLayout& layout);                    // NOLINT

  [[nodiscard]] const Data& data() const { return *data_; }
  template <class T>
  [[nodiscard]] bool is() const {
    return std::holds_alternative<T>(*data_);
  }
  template <class T>
  [[nodiscard]] const T* get_if() const {
    return std::get_if<T>(data_.get());
  }
  /// The value as a T; it must hold one.
  template <class T>
  [[nodiscard]] const T& get() const {
    assert(is<T>());
    return *get_if<T>();
  }
  [[nodiscard]] bool is_integer() const { return is<IntTuple>() && get<IntTuple>().is_leaf(); }
  /// A layout, plain or composed.
  [[nodiscard]] bool is_layout() const { return is<cute::Layout>() || is<cute::ComposedLayout>(); }
  /// A layout on its own, with its tile, or with its engine.
  [[nodiscard]] bool has_map() const {
    return is_layout() || is<cute::TvLayout>() || is<cute::Tensor>() ||
           is<linear::LinearLayout>() || is<axe::Layout>() || is<axe::Sharded>() ||
           is<lego::Layout>() || is<map::IntegerRelation>() || is<form::Table>();
  }
  /// An Axe layout, or a piece of one.
  [[nodiscard]] bool is_axe() const {
    return is<axe::Layout>() || is<axe::Swizzle>() || is<AxisStep>() || is<AxePart>() ||
           is<axe::Iter>() || is<IterList>() || is<axe::Sharded>();
  }

  /// A LEGO layout, or the OrderBy links that a layout in LEGO's Python notation begins with.
  [[nodiscard]] bool is_lego() const { return is<lego::Layout>() || is<LegoOrders>(); }

 private:
  std::shared_ptr<const Data> data_;
};

/// Its text: CuTe's notation without spaces, `true`, `yes  (digit form)`, `[0,4,8]`; linear layouts
/// and encodings as Triton prints them.
[[nodiscard]] std::string to_string(const Value& value);

/// The value as JSON text: integers, booleans and tables as JSON, layouts and tuples as strings,
/// linear layouts as {"ins":…,"outs":…}, the places of an Axe layout as [{"laneid":6,"m":1}] and
/// encodings as {"kind":…}, a verdict as {"verdict":"no","method":…,"counterexample":…}.
[[nodiscard]] std::string to_json(const Value& value);
/// {"code":…,"message":…,"notes":[…],"hint":…,"witness":…}, and "span":[begin,end] if it has one.
[[nodiscard]] std::string to_json(const Diagnostic& diagnostic);

/// The kind of a value, for messages: "an integer", "a layout", ….
[[nodiscard]] std::string_view kind_name(const Value& value);

/// Whether every integer in it is defined (expr/int.h), so nothing overflowed 64 bits.
[[nodiscard]] bool is_defined(const Value& value);

/// The names of the symbolic sizes in it, each once, without parameters of functions.
[[nodiscard]] std::vector<std::string> variables(const Value& value);

/// How many leaves it has, a measure of its cost in memory and time.
[[nodiscard]] std::size_t leaf_count(const Value& value);

/// How deep its tuples, tiles or lists nest: 1 for (4,8), 0 for an integer and other values without
/// such parts.
[[nodiscard]] std::size_t depth(const Value& value);

}  // namespace heddle::notation
#pragma GCC visibility pop
