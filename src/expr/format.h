#pragma once

// fmt formatters for Int and the types built on it.

#include "core/format.h"
#include "heddle/expr/int.h"

template <>
struct fmt::formatter<heddle::Int> : fmt::ostream_formatter {};
