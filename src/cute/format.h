#pragma once

#include "expr/format.h"
#include "heddle/cute/layout.h"
#include "heddle/cute/stride.h"

template <>
struct fmt::formatter<heddle::cute::Layout> : fmt::ostream_formatter {};
template <>
struct fmt::formatter<heddle::cute::Stride> : fmt::ostream_formatter {};
