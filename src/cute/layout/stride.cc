#include "heddle/cute/stride.h"

#include <algorithm>
#include <limits>
#include <ostream>
#include <string>

namespace heddle::cute {

Result<Basis> Basis::make(std::span<const std::size_t> path) {
  if (path.size() > kMaxSteps) {
    return refuse("stride.basis", "a basis stride of " + std::to_string(path.size()) +
                                      " steps; at most " + std::to_string(kMaxSteps) +
                                      " are supported");
  }
  Basis basis;
  for (std::size_t level = 0; level < path.size(); ++level) {
    if (path[level] > kMaxMode) {
      return refuse("stride.basis", "a basis stride along mode " + std::to_string(path[level]) +
                                        "; modes up to " + std::to_string(kMaxMode) +
                                        " are supported");
    }
    basis.steps_[level] = static_cast<std::uint16_t>(path[level] + 1);
  }
  return basis;
}

std::size_t Basis::length() const {
  return static_cast<std::size_t>(std::ranges::find(steps_, 0) - steps_.begin());
}

Basis Basis::tail() const {
  Basis basis;
  std::copy(steps_.begin() + 1, steps_.end(), basis.steps_.begin());
  return basis;
}

bool Basis::is_prefix_of(const Basis& other) const {
  return std::equal(steps_.begin(), steps_.begin() + static_cast<std::ptrdiff_t>(length()),
                    other.steps_.begin());
}

Axis Basis::axis() const {
  if (empty()) return Axis::memory();
  std::string name;
  for (std::size_t level = 0; level < length(); ++level) {
    if (level > 0) name += '.';
    name += std::to_string((*this)[level]);
  }
  return Axis(name);
}

bool known_equal(const Stride& a, const Stride& b) {
  if (!known_equal(a.scale(), b.scale())) return false;
  return a.basis() == b.basis() || a.is_zero();
}

std::ostream& operator<<(std::ostream& stream, const Stride& stride) {
  // M@0 and 8@0, but (M+1)@0: `@` binds more closely than any operator.
  const bool is_sum = stride.scale().is_symbolic() && !stride.basis().empty();
  const std::string scale = to_string(stride.scale());
  const bool is_loose = is_sum && scale.find_first_of("+-*/%(") != std::string::npos;
  stream << (is_loose ? "(" + scale + ")" : scale);
  for (std::size_t level = stride.basis().length(); level > 0; --level) {
    stream << '@' << stride.basis()[level - 1];
  }
  return stream;
}

}  // namespace heddle::cute

std::size_t std::hash<heddle::cute::Stride>::operator()(const heddle::cute::Stride& stride) const {
  std::size_t seed = std::hash<heddle::Int>()(stride.scale());
  for (std::size_t level = 0; level < stride.basis().length(); ++level) {
    seed = heddle::combine_hashes(seed, stride.basis()[level]);
  }
  return seed;
}
