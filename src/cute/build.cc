#include "cute/build.h"

namespace heddle::cute {

Result<Layout> from_modes(std::span<const Mode> modes) {
  if (modes.empty()) return Layout();
  Layout::Extents extents;
  Layout::Strides strides;
  for (const Mode& mode : modes) {
    extents.push_back(mode.extent);
    strides.push_back(mode.stride);
  }
  Profile profile = modes.size() == 1 ? Profile() : Profile::flat(modes.size());
  return Layout::make(std::move(profile), std::move(extents), std::move(strides));
}

Modes leaves(const Layout& layout) {
  Modes modes;
  modes.reserve(layout.extents().size());
  for (std::size_t i = 0; i < layout.extents().size(); ++i) {
    modes.push_back({layout.extents()[i], layout.strides()[i]});
  }
  return modes;
}

Modes join_neighbours(const Modes& modes) {
  Modes joined;
  for (const Mode& mode : modes) {
    if (known_equal(mode.extent, 1)) continue;
    if (!joined.empty() && known_equal(joined.back().extent * joined.back().stride, mode.stride)) {
      joined.back().extent *= mode.extent;
    } else {
      joined.push_back(mode);
    }
  }
  return joined;
}

Result<Layout> replace_leaves(ProfileView profile, std::span<const Modes> images) {
  Profile nesting = Profile::incomplete();
  Layout::Extents extents;
  Layout::Strides strides;
  auto image = images.begin();
  for (const ProfileView::Node node : profile.nodes()) {
    if (node != 0) {
      nesting.append_tuple(node - 1);
      continue;
    }
    if (image->size() != 1) nesting.append_tuple(image->size());
    for (const Mode& mode : *image) {
      nesting.append_leaf();
      extents.push_back(mode.extent);
      strides.push_back(mode.stride);
    }
    ++image;
  }
  return Layout::make(std::move(nesting), std::move(extents), std::move(strides));
}

}  // namespace heddle::cute
