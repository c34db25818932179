#include "cute/layout/modes.h"

#include <fmt/ranges.h>

#include <algorithm>

#include "cute/layout/format.h"

namespace heddle::cute {

Result<Layout> nest(Profile profile, std::span<const Mode> leaves) {
  Layout::Extents extents;
  Layout::Strides strides;
  for (const Mode& leaf : leaves) {
    extents.push_back(leaf.extent);
    strides.push_back(leaf.stride);
  }
  return Layout::make(std::move(profile), std::move(extents), std::move(strides));
}

std::string text_of(const Modes& modes) { return fmt::format("{}", fmt::join(modes, " ")); }

Result<Layout> from_modes(std::span<const Mode> modes) {
  if (modes.empty()) return Layout();
  return nest(modes.size() == 1 ? Profile() : Profile::flat(modes.size()), modes);
}

Modes leaves(const Layout& layout) {
  Modes modes;
  modes.reserve(layout.extents().size());
  for (std::size_t i = 0; i < layout.extents().size(); ++i) {
    modes.push_back({layout.extents()[i], layout.strides()[i]});
  }
  return modes;
}

bool is_constant(const Layout& layout) {
  return std::ranges::all_of(layout.extents(), &Int::is_constant) &&
         std::ranges::all_of(layout.strides(),
                             [](const Stride& stride) { return stride.scale().is_constant(); });
}

bool is_constant(const AnyLayout& layout) {
  return std::ranges::all_of(integers(layout), &Int::is_constant);
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
  Modes replaced;
  auto image = images.begin();
  for (const ProfileView::Node node : profile.nodes()) {
    if (node != 0) {
      nesting.append_tuple(node - 1);
      continue;
    }
    if (image->size() != 1) nesting.append_tuple(image->size());
    for (const Mode& mode : *image) {
      nesting.append_leaf();
      replaced.push_back(mode);
    }
    ++image;
  }
  return nest(std::move(nesting), {replaced.data(), replaced.size()});
}

}  // namespace heddle::cute
