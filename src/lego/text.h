#pragma once

// Lists as the folder's texts write them.

#include <span>
#include <string>

#include "expr/format.h"
#include "heddle/expr/int.h"

namespace heddle::lego {

/// `8,M//BM`.
[[nodiscard]] std::string commas(std::span<const Int> numbers);

}  // namespace heddle::lego
