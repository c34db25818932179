#pragma once

#include "expr/format.h"
#include "heddle/cute/composed_layout.h"
#include "heddle/cute/coordinate.h"
#include "heddle/cute/layout.h"
#include "heddle/cute/stride.h"
#include "heddle/cute/swizzle.h"

template <>
struct fmt::formatter<heddle::cute::Layout> : fmt::ostream_formatter {};
template <>
struct fmt::formatter<heddle::cute::Stride> : fmt::ostream_formatter {};
template <>
struct fmt::formatter<heddle::cute::Index> : fmt::ostream_formatter {};
template <>
struct fmt::formatter<heddle::cute::Swizzle> : fmt::ostream_formatter {};
template <>
struct fmt::formatter<heddle::cute::ComposedLayout> : fmt::ostream_formatter {};
