#pragma once

// Lets fmt print whatever has a stream operator; include it in source files only.

#include <fmt/format.h>
#include <fmt/ostream.h>

#include "heddle/core/tuple.h"

template <class Leaf>
struct fmt::formatter<heddle::Tuple<Leaf>> : fmt::ostream_formatter {};
template <class Leaf>
struct fmt::formatter<heddle::TupleView<Leaf>> : fmt::ostream_formatter {};
