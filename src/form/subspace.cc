#include "heddle/form/subspace.h"

#include <algorithm>
#include <bit>

namespace heddle::form {

Subspace::Subspace(std::span<const std::uint64_t> vectors) {
  for (const std::uint64_t vector : vectors) insert(vector);
}

Subspace::Member Subspace::reduced(Member member) const {
  for (std::size_t i = 0; i < size_; ++i) {
    if ((member.vector & std::bit_floor(members_[i].vector)) == 0) continue;
    member.vector ^= members_[i].vector;
    member.combination ^= members_[i].combination;
  }
  return member;
}

bool Subspace::insert(std::uint64_t vector) {
  if (size_ == members_.size()) return false;
  const Member rest = reduced({vector, std::uint64_t{1} << size_});
  if (rest.vector == 0) return false;
  // Earlier members lose the new leading bit, so that one pass in any order reduces.
  const std::uint64_t lead = std::bit_floor(rest.vector);
  for (std::size_t i = 0; i < size_; ++i) {
    if ((members_[i].vector & lead) == 0) continue;
    members_[i].vector ^= rest.vector;
    members_[i].combination ^= rest.combination;
  }
  members_[size_++] = rest;
  return true;
}

std::uint64_t Subspace::reduce(std::uint64_t vector) const { return reduced({vector, 0}).vector; }

std::optional<std::uint64_t> Subspace::express(std::uint64_t vector) const {
  const Member rest = reduced({vector, 0});
  if (rest.vector != 0) return std::nullopt;
  return rest.combination;
}

std::uint64_t Subspace::leading_bits() const {
  std::uint64_t bits = 0;
  for (std::size_t i = 0; i < size_; ++i) bits |= std::bit_floor(members_[i].vector);
  return bits;
}

std::vector<std::uint64_t> Subspace::basis() const {
  std::vector<std::uint64_t> vectors;
  vectors.reserve(size_);
  for (std::size_t i = 0; i < size_; ++i) vectors.push_back(members_[i].vector);
  std::sort(vectors.begin(), vectors.end());
  return vectors;
}

Subspace intersection(const Subspace& a, const Subspace& b) {
  // x in a and in b: x = xor of some of a's basis, and 0 modulo b. What a's basis leaves modulo b
  // is linear in that choice; a choice that leaves 0 is a vector of the intersection.
  const std::vector<std::uint64_t> basis = a.basis();
  Subspace remainders;
  std::vector<std::uint64_t> independent;
  Subspace result;
  for (const std::uint64_t vector : basis) {
    const std::uint64_t remainder = b.reduce(vector);
    const auto dependence = remainders.express(remainder);
    if (!dependence) {
      remainders.insert(remainder);
      independent.push_back(vector);
      continue;
    }
    std::uint64_t common = vector;
    for (std::size_t i = 0; i < independent.size(); ++i) {
      if ((*dependence >> i & 1U) != 0) common ^= independent[i];
    }
    result.insert(common);
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
