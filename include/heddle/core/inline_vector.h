#pragma once

#include <cstddef>

// GCC 12 takes the inline storage of a moved small_vector for an overread (a false alarm).
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wstringop-overread"
#pragma GCC diagnostic ignored "-Wstringop-overflow"
#pragma GCC diagnostic ignored "-Warray-bounds"
#endif
#include <boost/container/small_vector.hpp>
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic pop
#endif

namespace heddle {

/// A vector whose first `N` elements live inside the object: layouts of usual size allocate
/// nothing. This is the one door to Boost.Container.
template <class T, std::size_t N>
using InlineVector = boost::container::small_vector<T, N>;

/// How many leaves of a tuple live inline.
inline constexpr std::size_t kInlineLeaves = 8;

}  // namespace heddle
