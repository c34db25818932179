#pragma once

// Two layouts of systems that go different ways, brought to one way before they are compared.
//
//   ((4,8),(2,2)):((32,1),(16,8)) tile (16,8)       (thread, value) -> (dim0, dim1)
//   register=1 -> (0,1), …, lane=1 -> (0,2), …      the same: lanes are threads, registers values
//   S[(2,8,4,2):(2@reg,4@laneid,1@laneid,1@reg)]    turned round, on the shape (16,8)
//
// What is turned and how coordinates are named is what convert() does: a layout and what it is
// converted to under a reading are the same under it.

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

/// A box of register, lane, warp or thread; one of offset.
[[nodiscard]] bool names_places(const View& view);
[[nodiscard]] bool names_offset(const View& view);
/// Axes of threads: laneid, warpid, tx, ….
[[nodiscard]] bool has_thread_axis(const View& view);

struct Side {
  const AnyLayout& layout;
  View view;
};

/// Threads and values: with a tile, or a CuTe layout of two modes without one.
[[nodiscard]] bool is_thread_value(const View& view);
/// Whether the layout goes the other way than others under the reading; alone where there is no
/// other.
[[nodiscard]] bool is_turned(Reading reading, const View& view, const View* other);
/// What is turned round before it is turned: an Axe layout on the elements of the other side.
[[nodiscard]] Result<View> backwards(Reading reading, const Side& side, const Side* other,
                                     const DecideOptions& options);
/// A view of register, lane, … as one of (thread, value).
[[nodiscard]] Result<View> by_threads(const Side& side, const View& view,
                                      const DecideOptions& options);

/// Both sides as they are compared: by the same coordinates where they have the same.
struct ReadPair {
  View a;
  View b;
  /// `(thread,value) -> (dim0,dim1)`; empty where nothing was brought to another form.
  std::string remark;
  /// Where one has places that the other has not: that they differ, or may.
  std::optional<Verdict> places;
};

/// Refuses what turning a layout round refuses: `convert.holes`, `convert.no_layout`, ….
[[nodiscard]] Result<ReadPair> read_as(Reading reading, const Side& a, const Side& b,
                                       const DecideOptions& options);
[[nodiscard]] Result<View> read_as(Reading reading, const Side& side, const DecideOptions& options);

/// Whether both say the same of who owns what, or of what lies where, where one of them could not
/// be turned round: by every place and element of both.
[[nodiscard]] Verdict equal_by_places(Reading reading, const Side& a, const Side& b,
                                      const DecideOptions& options);

/// By which reading layouts of the two systems are usually compared.
[[nodiscard]] Reading usual_reading(const View& a, const View& b);

}  // namespace heddle::map
