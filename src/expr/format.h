#pragma once

// Int and what is made of it in fmt's format strings.

#include "core/format.h"
#include "heddle/expr/int.h"

template <>
struct fmt::formatter<heddle::Int> : fmt::ostream_formatter {};
