#include "heddle/cute/swizzle.h"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <ostream>

#include "cute/layout/format.h"
#include "cute/layout/width.h"

namespace heddle::cute {
namespace {

constexpr int kMaxBits = 62;

std::int64_t run_of_ones(int bits, int base) { return ((std::int64_t{1} << bits) - 1) << base; }

/// Bits shifted by `shift` places down, or up if it is negative.
std::uint64_t shift_right(std::uint64_t bits, int shift) {
  return shift >= 0 ? bits >> shift : bits << -shift;
}

/// log2(n) if n is a power of two; refuses (`swizzle.power_of_two`) any other number.
Result<int> exponent(const Swizzle& swizzle, const Int& n) {
  if (n.is_constant() && n.value() > 0 &&
      std::has_single_bit(static_cast<std::uint64_t>(n.value()))) {
    return std::countr_zero(static_cast<std::uint64_t>(n.value()));
  }
  return refuse(
      "swizzle.power_of_two",
      "{} acts on bits: its elements can become wider or narrower by a power of two, not by {}",
      swizzle, n);
}

}  // namespace

Result<Swizzle> Swizzle::make(int bits, int base, int shift) {
  const auto text = [&] { return fmt::format("Sw<{},{},{}>", bits, base, shift); };
  if (bits < 0 || base < 0) {
    return refuse("swizzle.parameters",
                  text() + ": the numbers of bits B and M must not be negative");
  }
  if (bits > kMaxBits || base > kMaxBits || shift > kMaxBits || shift < -kMaxBits ||
      bits + base + std::abs(shift) > kMaxBits) {
    return refuse("swizzle.parameters", "{}: B + M + |S| is more than the {} bits of an address",
                  text(), kMaxBits);
  }
  if (std::abs(shift) < bits) {
    return refuse("swizzle.parameters",
                  "{}: |S| must be at least B, or the {} bits that are read and those that are "
                  "changed overlap",
                  text(), bits);
  }
  Swizzle swizzle;
  swizzle.bits_ = bits;
  swizzle.base_ = base;
  swizzle.shift_ = shift;
  return swizzle;
}

std::int64_t Swizzle::source_mask() const {
  return run_of_ones(bits_, base_ + std::max(0, shift_));
}

std::int64_t Swizzle::target_mask() const {
  return run_of_ones(bits_, base_ - std::min(0, shift_));
}

std::int64_t Swizzle::operator()(std::int64_t address) const {
  const auto bits = static_cast<std::uint64_t>(address);
  const auto source = static_cast<std::uint64_t>(source_mask());
  return static_cast<std::int64_t>(bits ^ shift_right(bits & source, shift_));
}

Int Swizzle::operator()(const Int& address) const {
  if (address.is_constant()) return (*this)(address.value());
  const Int source = bit_and(address, source_mask());
  return bit_xor(address, shift_ >= 0 ? heddle::shift_right(source, shift_)
                                      : heddle::shift_left(source, -shift_));
}

Result<Swizzle> make_swizzle(std::int64_t y, std::int64_t z) {
  const auto y_bits = static_cast<std::uint64_t>(y);
  const auto z_bits = static_cast<std::uint64_t>(z);
  if (y == 0 && z == 0) return Swizzle::make(0, 0, 0);
  const int count = std::popcount(y_bits);
  const auto is_run = [&](std::uint64_t mask) {
    return mask != 0 && std::popcount(mask) == count &&
           static_cast<int>(std::bit_width(mask)) - std::countr_zero(mask) == count;
  };
  if (y < 0 || z < 0 || !is_run(y_bits) || !is_run(z_bits)) {
    return refuse(
        "swizzle.masks",
        "make_swizzle({:#b},{:#b}): the masks are not two runs of the same number of bits", y, z);
  }
  const int y_base = std::countr_zero(y_bits);
  const int z_base = std::countr_zero(z_bits);
  return Swizzle::make(count, std::min(y_base, z_base), y_base - z_base);
}

Result<Swizzle> composition(const Swizzle& a, const Swizzle& b) {
  if (a.is_identity()) return b;
  if (b.is_identity()) return a;
  const std::int64_t size = std::max(a.size(), b.size());
  std::int64_t sources = 0;
  std::int64_t targets = 0;
  std::int64_t first_moved = 0;
  for (std::int64_t bit = 1; bit < size; bit *= 2) {
    const std::int64_t moved = a(b(bit)) ^ bit;
    if (moved == 0) continue;
    if (sources == 0) first_moved = bit;
    sources |= bit;
    targets |= moved;
  }
  const Result<Swizzle> joined = make_swizzle(sources, targets);
  const auto agrees = [&] {
    for (std::int64_t bit = 1; bit < size; bit *= 2) {
      if ((*joined)(bit) != a(b(bit))) return false;
    }
    return true;
  };
  if (joined && agrees()) return joined;
  return refuse(
      diagnose("swizzle.no_swizzle",
               "{} o {} is not a single swizzle: it XORs the bits {:#b} onto {:#b}, not one run of "
               "bits onto another",
               a, b, sources, targets)
          .with_witness({std::to_string(first_moved), std::to_string(a(b(first_moved))), "", ""}));
}

Result<Swizzle> upcast(const Swizzle& swizzle, const Int& n) {
  HEDDLE_TRY(const int lost, exponent(swizzle, n));
  if (lost <= swizzle.base() || swizzle.is_identity()) {
    return Swizzle::make(swizzle.bits(), std::max(0, swizzle.base() - lost), swizzle.shift());
  }
  // The lowest bit that is read moves the address where it is the only one.
  const std::int64_t address =
      std::int64_t{1} << std::countr_zero(static_cast<std::uint64_t>(swizzle.source_mask()));
  return refuse(diagnose("recast.swizzle",
                         "upcast({},{}): the lowest bits of an address, which count within a wider "
                         "element, are swizzled, and that tears the element apart",
                         swizzle, n)
                    .with_witness({std::to_string(address), std::to_string(swizzle(address)),
                                   std::to_string(address), "an element that stays whole"}));
}

Result<Swizzle> downcast(const Swizzle& swizzle, const Int& n) {
  HEDDLE_TRY(const int gained, exponent(swizzle, n));
  return Swizzle::make(swizzle.bits(), swizzle.base() + gained, swizzle.shift());
}

Result<Swizzle> recast(const Swizzle& swizzle, const Int& old_bits, const Int& new_bits) {
  return change_width(swizzle, old_bits, new_bits);
}

Int max_alignment(const Swizzle& swizzle) { return std::int64_t{1} << swizzle.base(); }

form::BitMatrix bit_matrix(const Swizzle& swizzle) {
  std::vector<std::uint64_t> columns;
  for (std::int64_t bit = 1; bit < swizzle.size(); bit *= 2) {
    columns.push_back(static_cast<std::uint64_t>(swizzle(bit)));
  }
  return {columns.size(), columns};
}

std::string to_string(const Swizzle& swizzle) { return fmt::format("{}", swizzle); }

std::ostream& operator<<(std::ostream& stream, const Swizzle& swizzle) {
  return stream << "Sw<" << swizzle.bits() << ',' << swizzle.base() << ',' << swizzle.shift()
                << '>';
}

}  // namespace heddle::cute

std::size_t std::hash<heddle::cute::Swizzle>::operator()(
    const heddle::cute::Swizzle& swizzle) const {
  const std::size_t seed = heddle::combine_hashes(static_cast<std::size_t>(swizzle.bits()),
                                                  static_cast<std::size_t>(swizzle.base()));
  return heddle::combine_hashes(seed, static_cast<std::size_t>(swizzle.shift()));
}
