#pragma once

// LEGO layouts and their pieces as values of the language.

#include "heddle/emit/slice.h"
#include "heddle/notation/lego.h"
#include "heddle/notation/value.h"
#include "notation/value/traits.h"

namespace heddle::notation {

template <>
struct ValueTraits<LegoFunction> : SharedTraits<LegoFunction> {
  static constexpr std::string_view kName = "a function";
  static std::string text(const LegoFunction& function) { return to_string(function); }
  static void integers(const LegoFunction& function, Integers& all) {
    integers(function.function, all);
  }
  static void integers(const lego::GenP::Function& function, Integers& all) {
    if (const auto* formula = std::get_if<lego::Formula>(&function)) {
      Integers inner;
      inner.add(formula->results);
      all.add_without(inner, formula->parameters);
    }
    if (const auto* built_in = std::get_if<lego::BuiltIn>(&function)) all.add(built_in->parameters);
  }
};

template <>
struct ValueTraits<LegoPermutation> : SharedTraits<LegoPermutation> {
  static constexpr std::string_view kName = "a permutation of a tile";
  static std::string text(const LegoPermutation& permutation) { return to_string(permutation); }
  static void integers(const LegoPermutation& permutation, Integers& all) {
    integers(permutation.permutation, all);
  }
  static void integers(const lego::Permutation& permutation, Integers& all) {
    all.add(lego::dims(permutation));
    const auto* general = std::get_if<lego::GenP>(&permutation);
    if (general == nullptr) return;
    ValueTraits<LegoFunction>::integers(general->function(), all);
    if (general->inverse()) ValueTraits<LegoFunction>::integers(*general->inverse(), all);
  }
};

template <>
struct ValueTraits<LegoOrders> : SharedTraits<LegoOrders> {
  static constexpr std::string_view kName = "a chain of orders without a GroupBy";
  static std::string text(const LegoOrders& orders) { return to_string(orders); }
  static void integers(const LegoOrders& orders, Integers& all) {
    for (const auto& link : orders.links) {
      for (const LegoPermutation& permutation : link) add_integers(permutation, all);
    }
  }
};

template <>
struct ValueTraits<lego::Layout> : SharedTraits<lego::Layout> {
  static constexpr std::string_view kName = "a LEGO layout";
  static void integers(const lego::Layout& layout, Integers& all) {
    for (const lego::Sizes& tile : layout.tiles()) all.add(tile);
    for (const lego::Order& order : layout.chain()) {
      for (const lego::Permutation& permutation : order.permutations) {
        ValueTraits<LegoPermutation>::integers(permutation, all);
      }
    }
    if (!layout.expansion()) return;
    all.add(layout.expansion()->original);
    all.add(layout.expansion()->extended);
  }
  static std::size_t leaf_count(const lego::Layout& layout) {
    std::size_t count = 0;
    for (const lego::Sizes& tile : layout.tiles()) count += tile.size();
    for (const lego::Order& order : layout.chain()) {
      for (const lego::Permutation& permutation : order.permutations) {
        count += lego::dims(permutation).size();
      }
    }
    return count;
  }
};

template <>
struct ValueTraits<lego::Slice> : SharedTraits<lego::Slice> {
  static constexpr std::string_view kName = "a slice of a LEGO layout";
  static std::string text(const lego::Slice& slice) { return emit::to_string(slice); }
  static Datum datum(const lego::Slice& slice) { return to_datum(slice); }
  static void integers(const lego::Slice& slice, Integers& all) { all.add(slice.index); }
};

}  // namespace heddle::notation
