#include "cute/layout/picked_modes.h"

#include "cute/layout/format.h"

namespace heddle::cute {
namespace {

class Picker {
 public:
  explicit Picker(Keep keep) : keep_(keep) {}

  /// False where the coordinate does not fit the tuple.
  bool visit(CoordinateView coordinate, ProfileView tuple) {
    if (coordinate.is_leaf()) {
      pick(coordinate.leaf(), tuple);
      return true;
    }
    if (tuple.is_leaf() || tuple.rank() != coordinate.rank()) return false;
    auto mode = tuple.modes().begin();
    for (const CoordinateView part : coordinate.modes()) {
      if (!visit(part, *mode)) return false;
      ++mode;
    }
    return true;
  }

  [[nodiscard]] const std::vector<ProfileView>& parts() const { return parts_; }
  [[nodiscard]] const std::vector<std::size_t>& leaves() const { return leaves_; }

 private:
  void pick(const Index& index, ProfileView tuple) {
    const std::size_t count = tuple.leaf_count();
    if (index.is_underscore() == (keep_ == Keep::kUnderscores)) {
      parts_.push_back(tuple);
      for (std::size_t i = 0; i < count; ++i) leaves_.push_back(next_leaf_ + i);
    }
    next_leaf_ += count;
  }

  Keep keep_;
  std::size_t next_leaf_ = 0;
  std::vector<ProfileView> parts_;
  std::vector<std::size_t> leaves_;
};

}  // namespace

Result<Selection> select_parts(const Coordinate& coordinate, ProfileView tuple, Keep keep) {
  Picker picker(keep);
  if (!picker.visit(coordinate, tuple)) {
    return refuse(
        "coordinate.incongruent",
        fmt::format("the coordinate {} has another nesting than the {} modes it is to pick from",
                    coordinate, tuple.rank()));
  }
  if (picker.parts().empty()) {
    return refuse(
        Diagnostic("slice.empty", fmt::format("the coordinate {} leaves no mode over", coordinate))
            .with_hint(
                keep == Keep::kUnderscores
                    ? "a slice needs at least one _; evaluate the layout at the coordinate instead"
                    : "a dice needs at least one index"));
  }
  Selection selection{Profile::incomplete(), picker.leaves()};
  if (!coordinate.is_leaf()) selection.profile.append_tuple(picker.parts().size());
  for (const ProfileView part : picker.parts()) selection.profile.append(part);
  return selection;
}

}  // namespace heddle::cute
