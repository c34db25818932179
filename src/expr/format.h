#pragma once

#include "core/format.h"
#include "heddle/expr/int.h"

template <>
struct fmt::formatter<heddle::Int> : fmt::ostream_formatter {};
