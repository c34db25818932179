#pragma once

// CuTe's types as values of the language.

#include "heddle/notation/value.h"
#include "notation/value/plain_traits.h"

namespace heddle::notation {

template <>
struct ValueTraits<cute::StrideTuple> : SharedTraits<cute::StrideTuple> {
  static constexpr std::string_view kName = "a stride along modes";
  static void integers(const cute::StrideTuple& strides, Integers& all) {
    for (const cute::Stride& stride : strides.leaves()) all.add(stride.scale());
  }
};

template <>
struct ValueTraits<cute::Coordinate> : SharedTraits<cute::Coordinate> {
  static constexpr std::string_view kName = "a coordinate with '_'";
  static void integers(const cute::Coordinate& coordinate, Integers& all) {
    for (const cute::Index& index : coordinate.leaves()) {
      if (!index.is_underscore()) all.add(index.value());
    }
  }
};

template <>
struct ValueTraits<cute::Layout> : SharedTraits<cute::Layout> {
  static constexpr std::string_view kName = "a layout";
  static void integers(const cute::Layout& layout, Integers& all) {
    all.add(layout.extents());
    for (const cute::Stride& stride : layout.strides()) all.add(stride.scale());
  }
  static std::size_t leaf_count(const cute::Layout& layout) { return layout.extents().size(); }
};

template <>
struct ValueTraits<LayoutList> : ListTraits<cute::Layout> {
  static constexpr std::string_view kName = "a list of layouts";
  static std::size_t leaf_count(const LayoutList& list) {
    std::size_t count = 0;
    for (const cute::Layout& layout : list) count += leaves_of(layout);
    return count;
  }
};

template <>
struct ValueTraits<cute::Tiler> : SharedTraits<cute::Tiler> {
  static constexpr std::string_view kName = "a tiler";
  static void integers(const cute::Tiler& tiler, Integers& all) {
    for (const cute::Tile& tile : tiler.leaves()) {
      if (tile.layout() != nullptr) add_integers(*tile.layout(), all);
      if (tile.size() != nullptr) all.add(*tile.size());
    }
  }
  static std::size_t leaf_count(const cute::Tiler& tiler) {
    std::size_t count = 0;
    for (const cute::Tile& tile : tiler.leaves()) {
      count += tile.layout() != nullptr ? leaves_of(*tile.layout()) : 1;
    }
    return count;
  }
};

template <>
struct ValueTraits<cute::ComposedLayout> : SharedTraits<cute::ComposedLayout> {
  static constexpr std::string_view kName = "a composed layout";
  static void integers(const cute::ComposedLayout& composed, Integers& all) {
    all.add(cute::integers(composed));
  }
  static std::size_t leaf_count(const cute::ComposedLayout& composed) {
    return cute::integers(composed).size() / 2;
  }
};

template <>
struct ValueTraits<cute::OffsetLayout> : SharedTraits<cute::OffsetLayout> {
  static constexpr std::string_view kName = "a layout with an offset";
  static std::string text(const cute::OffsetLayout& slice) {
    return cute::to_string(slice.layout) + " offset " + SharedTraits<IntTuple>::text(slice.offset);
  }
  static Datum datum(const cute::OffsetLayout& slice) {
    return Datum::Fields{{"layout", cute::to_string(slice.layout)},
                         {"offset", ValueTraits<IntTuple>::datum(slice.offset)}};
  }
  static void integers(const cute::OffsetLayout& slice, Integers& all) {
    add_integers(slice.layout, all);
    add_integers(slice.offset, all);
  }
  static std::size_t leaf_count(const cute::OffsetLayout& slice) { return leaves_of(slice.layout); }
};

template <>
struct ValueTraits<cute::Swizzle> : SharedTraits<cute::Swizzle> {
  static constexpr std::string_view kName = "a swizzle";
};

template <>
struct ValueTraits<cute::Engine> : SharedTraits<cute::Engine> {
  static constexpr std::string_view kName = "a pointer or counter";
  static void integers(const cute::Engine& engine, Integers& all) {
    if (const auto* counter = std::get_if<cute::Counter>(&engine)) {
      add_integers(counter->origin, all);
    }
  }
};

template <>
struct ValueTraits<cute::Tensor> : SharedTraits<cute::Tensor> {
  static constexpr std::string_view kName = "a tensor";
  static void integers(const cute::Tensor& tensor, Integers& all) {
    std::visit([&](const auto& layout) { add_integers(layout, all); }, tensor.layout);
    add_integers(tensor.engine, all);
  }
  static std::size_t leaf_count(const cute::Tensor& tensor) {
    return std::visit([](const auto& layout) { return leaves_of(layout); }, tensor.layout);
  }
};

template <>
struct ValueTraits<cute::Major> : SharedTraits<cute::Major> {
  static constexpr std::string_view kName = "an order of modes";
  static std::string text(cute::Major major) {
    return major == cute::Major::kRow ? "LayoutRight" : "LayoutLeft";
  }
};

template <>
struct ValueTraits<cute::FactMorphism> : SharedTraits<cute::FactMorphism> {
  static constexpr std::string_view kName = "a morphism of factorizations";
};

template <>
struct ValueTraits<cute::Divisibility> : SharedTraits<cute::Divisibility> {
  static constexpr std::string_view kName = "an answer";
  static std::string text(const cute::Divisibility& answer) {
    return (answer.holds ? "yes: " : "no: ") + answer.explanation;
  }
  static Datum datum(const cute::Divisibility& answer) {
    return Datum::Fields{
        {"answer", answer.holds ? "yes" : "no"},
        {"index", answer.index},
        {"quotient", answer.quotient ? to_datum(*answer.quotient) : Datum(nullptr)},
        {"rest", list_of_data(answer.rest)},
        {"explanation", answer.explanation}};
  }
};

template <>
struct ValueTraits<cute::TvLayout> : SharedTraits<cute::TvLayout> {
  static constexpr std::string_view kName = "a thread-value layout";
  static Datum datum(const cute::TvLayout& tv) { return to_datum(tv); }
  static void integers(const cute::TvLayout& tv, Integers& all) {
    add_integers(tv.layout, all);
    add_integers(tv.tiler, all);
  }
  static std::size_t leaf_count(const cute::TvLayout& tv) { return leaves_of(tv.layout); }
  static std::size_t depth(const cute::TvLayout& tv) { return tv.layout.depth(); }
};

template <>
struct ValueTraits<cute::MmaAtom> : SharedTraits<cute::MmaAtom> {
  static constexpr std::string_view kName = "an MMA atom";
  static Datum datum(const cute::MmaAtom& atom) {
    return Datum::Fields{{"thr_id", cute::to_string(atom.thr_id())},
                         {"shape_mnk", ValueTraits<IntTuple>::text(atom.shape_mnk())},
                         {"layoutA_TV", cute::to_string(atom.layout(cute::Operand::kA))},
                         {"layoutB_TV", cute::to_string(atom.layout(cute::Operand::kB))},
                         {"layoutC_TV", cute::to_string(atom.layout(cute::Operand::kC))}};
  }
};

template <>
struct ValueTraits<cute::TiledMma> : SharedTraits<cute::TiledMma> {
  static constexpr std::string_view kName = "a tiled MMA";
  static Datum datum(const cute::TiledMma& mma) {
    return Datum::Fields{{"thr_layout_vmnk", cute::to_string(mma.thr_layout_vmnk())},
                         {"permutation_mnk", cute::to_string(mma.permutation_mnk())},
                         {"atom", ValueTraits<cute::MmaAtom>::datum(mma.atom())}};
  }
};

template <>
struct ValueTraits<cute::CopyAtom> : SharedTraits<cute::CopyAtom> {
  static constexpr std::string_view kName = "a copy atom";
  static Datum datum(const cute::CopyAtom& atom) {
    return Datum::Fields{{"thr_id", cute::to_string(atom.thr_id())},
                         {"layout_src", cute::to_string(atom.layout_src())},
                         {"layout_dst", cute::to_string(atom.layout_dst())},
                         {"layout_ref", cute::to_string(atom.layout_ref())},
                         {"value_bits", to_datum(atom.value_bits())}};
  }
};

template <>
struct ValueTraits<cute::TiledCopy> : SharedTraits<cute::TiledCopy> {
  static constexpr std::string_view kName = "a tiled copy";
  static Datum datum(const cute::TiledCopy& copy) {
    return Datum::Fields{{"tiler", cute::to_string(copy.tiler())},
                         {"layout_tv", cute::to_string(copy.layout_tv())},
                         {"atom", ValueTraits<cute::CopyAtom>::datum(copy.atom())}};
  }
};

}  // namespace heddle::notation
