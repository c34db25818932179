#pragma once

// The headers of models/, which kernels are compiled with.

#include <string_view>
#include <vector>

namespace heddle::checker {

struct ModelText {
  std::string_view name;
  std::string_view text;
};
[[nodiscard]] const std::vector<ModelText>& model_texts();

}  // namespace heddle::checker
