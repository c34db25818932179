#pragma once

// Axe layouts, their pieces, and tensors and meshes, as values of the language.

#include "heddle/notation/axe.h"
#include "heddle/notation/value.h"
#include "notation/value/data.h"
#include "notation/value/shard_pieces.h"
#include "notation/value/traits.h"

namespace heddle::notation {

template <>
struct ValueTraits<axe::Iter> : SharedTraits<axe::Iter> {
  static constexpr std::string_view kName = "an iter";
  static Datum datum(const axe::Iter& iter) { return to_datum(iter); }
  static void integers(const axe::Iter& iter, Integers& all) {
    all.add(iter.extent);
    all.add(iter.stride);
  }
};

inline void add_iters(std::span<const axe::Iter> iters, Integers& all) {
  for (const axe::Iter& iter : iters) add_integers(iter, all);
}
inline void add_place(const axe::Coordinate& place, Integers& all) {
  for (const auto& [axis, value] : place) all.add(value);
}

template <>
struct ValueTraits<axe::Layout> : SharedTraits<axe::Layout> {
  static constexpr std::string_view kName = "an Axe layout";
  static void integers(const axe::Layout& layout, Integers& all) {
    add_iters(layout.shard(), all);
    add_iters(layout.replica(), all);
    add_place(layout.offset(), all);
  }
  static std::size_t leaf_count(const axe::Layout& layout) {
    return layout.shard().size() + layout.replica().size();
  }
};

template <>
struct ValueTraits<axe::Swizzle> : SharedTraits<axe::Swizzle> {
  static constexpr std::string_view kName = "a swizzle in TVM's order";
};

template <>
struct ValueTraits<AxisStep> : SharedTraits<AxisStep> {
  static constexpr std::string_view kName = "a step along an axis";
  static std::string text(const AxisStep& step) { return to_string(step); }
  static void integers(const AxisStep& step, Integers& all) { all.add(step.value); }
};

template <>
struct ValueTraits<AxePart> : SharedTraits<AxePart> {
  static std::string_view name(const AxePart& part) {
    return part.replica.empty() ? "an offset along axes" : "the replica of an Axe layout";
  }
  static std::string text(const AxePart& part) { return to_string(part); }
  static void integers(const AxePart& part, Integers& all) {
    add_iters(part.replica, all);
    add_place(part.offset, all);
  }
  static std::size_t leaf_count(const AxePart& part) { return part.replica.size() + 1; }
};

template <>
struct ValueTraits<IterList> : SharedTraits<IterList> {
  static constexpr std::string_view kName = "a list of iters";
  static std::string text(const IterList& iters) { return to_string(iters); }
  static Datum datum(const IterList& iters) { return list_of_data(iters); }
  static void integers(const IterList& iters, Integers& all) { add_iters(iters, all); }
  static std::size_t leaf_count(const IterList& iters) { return iters.size(); }
};

template <>
struct ValueTraits<Places> : SharedTraits<Places> {
  static constexpr std::string_view kName = "a set of places";
  static std::string text(const Places& places) { return to_string(places); }
  static Datum datum(const Places& places) { return list_of_data(places); }
  static void integers(const Places& places, Integers& all) {
    for (const axe::Coordinate& place : places) add_place(place, all);
  }
  static std::size_t leaf_count(const Places& places) { return places.size(); }
};

template <>
struct ValueTraits<axe::Mesh> : SharedTraits<axe::Mesh> {
  static constexpr std::string_view kName = "a mesh";
  static Datum datum(const axe::Mesh& mesh) {
    Datum::Fields fields = {{"shape", list_of(mesh.extents())},
                            {"devices", list_of(mesh.devices())}};
    if (!mesh.is_unnamed()) fields.emplace_back("names", list_of(mesh.names()));
    return fields;
  }
  static std::size_t leaf_count(const axe::Mesh& mesh) { return mesh.devices().size(); }
};

template <>
struct ValueTraits<axe::Sharding> : SharedTraits<axe::Sharding> {
  static constexpr std::string_view kName = "a sharding";
  static std::string text(const axe::Sharding& sharding) { return text_of(sharding); }
  static void integers(const axe::Sharding& sharding, Integers& all) {
    if (sharding.shape) all.add(*sharding.shape);
  }
  static std::size_t leaf_count(const axe::Sharding& sharding) {
    return 1 + (sharding.mesh ? leaves_of(*sharding.mesh) : 0);
  }
};

template <>
struct ValueTraits<axe::Sharded> : SharedTraits<axe::Sharded> {
  static constexpr std::string_view kName = "a tensor over a mesh";
  static Datum datum(const axe::Sharded& sharded) {
    std::string layout = axe::to_string(sharded.layout);
    if (sharded.partial.empty()) return layout;
    Datum::Fields partial;
    for (const axe::PartialAxis& axis : sharded.partial) {
      partial.emplace_back(axis.axis, axis.reduce_op);
    }
    return Datum::Fields{{"layout", std::move(layout)}, {"partial", std::move(partial)}};
  }
  static void integers(const axe::Sharded& sharded, Integers& all) {
    add_integers(sharded.layout, all);
    all.add(sharded.shape);
  }
  static std::size_t leaf_count(const axe::Sharded& sharded) {
    return leaves_of(sharded.layout) + leaves_of(sharded.mesh);
  }
};

}  // namespace heddle::notation
