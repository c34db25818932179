#pragma once

// Two layouts of systems with different directions, brought into one direction for comparison.
//
//   ((4,8),(2,2)):((32,1),(16,8)) tile (16,8)       (thread, value) -> (dim0, dim1)
//   register=1 -> (0,1), …, lane=1 -> (0,2), …      equal: lanes are threads, registers values
//   S[(2,8,4,2):(2@reg,4@laneid,1@laneid,1@reg)]    inverted, on the shape (16,8)
//
// Inversion and names of coordinates are those of convert(): a layout and the result of converting
// it under a reading are equal under that reading.

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "heddle/core/result.h"
#include "heddle/core/verdict.h"
#include "heddle/map/any_layout.h"
#include "heddle/map/decide_options.h"
#include "heddle/map/reading.h"

namespace heddle::map {

/// Whether the box is one of register, lane, warp or thread; whether it is one of offset.
[[nodiscard]] bool names_places(const View& view);
[[nodiscard]] bool names_offset(const View& view);
/// Whether there is an axis of threads: laneid, warpid, tx, ….
[[nodiscard]] bool has_thread_axis(const View& view);

struct Side {
  const AnyLayout& layout;
  View view;
};

/// Whether it is a layout of threads and values: with a tile, or a CuTe layout of two modes without
/// one.
[[nodiscard]] bool is_thread_value(const View& view);
/// Whether the layout is inverted for the reading. `other` is null if there is no other side.
[[nodiscard]] bool is_turned(Reading reading, const View& view, const View* other);
/// A layout prepared for its inversion: an Axe layout on the elements of the other side.
[[nodiscard]] Result<View> backwards(Reading reading, const Side& side, const Side* other,
                                     const DecideOptions& options);
/// A view of register, lane, … converted to one of (thread, value).
[[nodiscard]] Result<View> by_threads(const Side& side, const View& view,
                                      const DecideOptions& options);

/// Both sides in the form in which they are compared, on the same coordinates if they have the
/// same.
struct ReadPair {
  View a;
  View b;
  /// `(thread,value) -> (dim0,dim1)`; empty if nothing was changed.
  std::string remark;
  /// Set if one side has places that the other lacks: then they differ, or may differ.
  std::optional<Verdict> places;
};

/// Refuses what inverting a layout refuses: `convert.holes`, `convert.no_layout`, ….
[[nodiscard]] Result<ReadPair> read_as(Reading reading, const Side& a, const Side& b,
                                       const DecideOptions& options);
[[nodiscard]] Result<View> read_as(Reading reading, const Side& side, const DecideOptions& options);

/// Whether both describe the same ownership or the same memory if one of them cannot be inverted:
/// compares every place and element of both.
[[nodiscard]] Verdict equal_by_places(Reading reading, const Side& a, const Side& b,
                                      const DecideOptions& options);

/// The reading by which layouts of the two systems are usually compared.
[[nodiscard]] Reading usual_reading(const View& a, const View& b);

}  // namespace heddle::map
