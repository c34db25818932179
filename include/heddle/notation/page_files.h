#pragma once

// The files of the folder explorer/, which are within the library: the explorer's page, its style
// sheet and its modules.

#include <string_view>
#include <vector>

#pragma GCC visibility push(default)
namespace heddle::notation {

struct PageFile {
  /// `picture.js`
  std::string_view name;
  std::string_view text;
};

/// All files, by name.
[[nodiscard]] const std::vector<PageFile>& page_files();

}  // namespace heddle::notation
#pragma GCC visibility pop
