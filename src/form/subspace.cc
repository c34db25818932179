#include "heddle/form/subspace.h"

#include <bit>

namespace heddle::form {

Subspace::Subspace(std::span<const std::uint64_t> vectors) {
  for (const std::uint64_t vector : vectors) insert(vector);
}

Subspace::Member Subspace::reduced(Member member) const {
  for (std::uint64_t leads = member.vector & leading_bits_; leads != 0; leads &= leads - 1) {
    const Member& other = members_[static_cast<std::size_t>(std::countr_zero(leads))];
    member.vector ^= other.vector;
    member.label ^= other.label;
  }
  return member;
}

bool Subspace::insert(std::uint64_t vector, std::uint64_t label) {
  const Member rest = reduced({vector, label});
  if (rest.vector == 0) return false;
  const int lead = 63 - std::countl_zero(rest.vector);
  // The new leading bit is cleared in members that lead with a higher bit.
  const std::uint64_t above = leading_bits_ >> lead << lead;
  for (std::uint64_t leads = above; leads != 0; leads &= leads - 1) {
    Member& other = members_[static_cast<std::size_t>(std::countr_zero(leads))];
    if ((other.vector >> lead & 1U) == 0) continue;
    other.vector ^= rest.vector;
    other.label ^= rest.label;
  }
  members_[static_cast<std::size_t>(lead)] = rest;
  leading_bits_ |= std::uint64_t{1} << lead;
  ++size_;
  return true;
}

std::uint64_t Subspace::reduce(std::uint64_t vector) const { return reduced({vector, 0}).vector; }

std::optional<std::uint64_t> Subspace::express(std::uint64_t vector) const {
  const Member rest = reduced({vector, 0});
  if (rest.vector != 0) return std::nullopt;
  return rest.label;
}

std::vector<std::uint64_t> Subspace::basis() const {
  std::vector<std::uint64_t> vectors;
  vectors.reserve(size_);
  for (std::uint64_t leads = leading_bits_; leads != 0; leads &= leads - 1) {
    vectors.push_back(members_[static_cast<std::size_t>(std::countr_zero(leads))].vector);
  }
  return vectors;
}

Subspace intersection(const Subspace& a, const Subspace& b) {
  // x is in a and in b: x is an XOR of some of a's basis, and 0 modulo b. The remainder of that XOR
  // modulo b is linear in the choice; each choice with remainder 0 gives a vector of the
  // intersection.
  Subspace remainders;
  Subspace result;
  for (const std::uint64_t vector : a.basis()) {
    const std::uint64_t remainder = b.reduce(vector);
    const auto others = remainders.express(remainder);
    if (others) {
      result.insert(vector ^ *others);
    } else {
      remainders.insert(remainder, vector);
    }
  }
  return result;
}

Subspace sum(const Subspace& a, const Subspace& b) {
  Subspace result = a;
  for (const std::uint64_t vector : b.basis()) result.insert(vector);
  return result;
}

std::vector<std::uint64_t> complement(const Subspace& space, std::size_t bits) {
  Subspace completed = space;
  std::vector<std::uint64_t> missing;
  for (std::size_t bit = 0; bit < bits; ++bit) {
    const std::uint64_t unit = std::uint64_t{1} << bit;
    if (completed.insert(unit)) missing.push_back(unit);
  }
  return missing;
}

}  // namespace heddle::form
