#include "axe/layout/ladder.h"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <utility>

namespace heddle::axe {
namespace {

// Holds products of two 64-bit numbers.
__extension__ using Wide = __int128;

using Place = std::optional<std::int64_t>;

/// The places first + n * period, n >= 0.
struct Progression {
  Wide first = 0;
  Wide period = 0;
};

/// a * x = 1 (mod m) for coprime a and m > 0.
Wide inverse_modulo(Wide a, Wide m) {
  Wide previous = m;
  Wide current = a % m;
  Wide before = 0;
  Wide x = 1;
  while (current > 1) {
    const Wide quotient = previous / current;
    previous = std::exchange(current, previous - quotient * current);
    before = std::exchange(x, before - quotient * x);
  }
  return m == 1 ? 0 : (x % m + m) % m;
}

/// The t > 0 with p | begin + t and q | t.
std::optional<Progression> common_places(std::int64_t p, std::int64_t begin, std::int64_t q) {
  if (q % p == 0) {
    if (begin % p != 0) return std::nullopt;
    return Progression{q, q};
  }
  if (p % q == 0) {
    if (begin % q != 0) return std::nullopt;
    return Progression{p - begin % p, p};
  }
  const std::int64_t common = std::gcd(p, q);
  if (begin % common != 0) return std::nullopt;
  const std::int64_t modulus = p / common;
  const std::int64_t wanted = modulus - begin / common % modulus;
  const Wide times = wanted * inverse_modulo(q / common, modulus) % modulus;
  return Progression{q * (times == 0 ? modulus : times), Wide{q} * modulus};
}

/// The least place at which a rung of the map and one of the part meet, each as the coarsest of its
/// ladder: p and q divide there, the next levels (0 for none) do not.
Place meeting(std::int64_t p, std::int64_t next_p, std::int64_t q, std::int64_t next_q,
              std::int64_t begin, std::int64_t count) {
  const std::optional<Progression> common = common_places(p, begin, q);
  if (!common) return std::nullopt;
  // Each of the next levels excludes none, all, or every second, third, … of the places. If two of
  // them do not exclude all, they leave one of four neighbours.
  Wide t = common->first;
  for (int tries = 0; tries < 4 && t < count; ++tries, t += common->period) {
    const auto place = static_cast<std::int64_t>(t);
    const bool coarser_p = next_p != 0 && (begin + place) % next_p == 0;
    const bool coarser_q = next_q != 0 && place % next_q == 0;
    if (!coarser_p && !coarser_q) return place;
  }
  return std::nullopt;
}

Place earlier(Place a, Place b) {
  if (!a || !b) return a ? a : b;
  return std::min(*a, *b);
}

/// The least place at which the rung is the coarsest of the part, and the map steps otherwise.
Place first_mismatch(const Ladder& map, std::int64_t begin, std::int64_t count,
                     const Ladder::Rung& rung, std::int64_t next_level) {
  Place first;
  for (std::size_t k = 0; k < map.rungs.size(); ++k) {
    if (map.rungs[k].step == rung.step) continue;
    const std::int64_t next = k + 1 < map.rungs.size() ? map.rungs[k + 1].level : 0;
    first = earlier(first, meeting(map.rungs[k].level, next, rung.level, next_level, begin,
                                   first.value_or(count)));
  }
  return first;
}

}  // namespace

int Ladder::step_onto(std::int64_t y) const {
  std::size_t k = rungs.size() - 1;
  while (y % rungs[k].level != 0) --k;
  return rungs[k].step;
}

std::optional<LadderObstacle> cut(const Ladder& map, std::int64_t begin, std::int64_t count,
                                  Ladder& part) {
  part.rungs.clear();
  part.rungs.push_back({1, map.step_onto(begin + 1)});
  Place settled;  // the first mismatch at a rung before the last, which is final
  while (true) {
    const Ladder::Rung last = part.rungs.back();
    const Place first = earlier(settled, first_mismatch(map, begin, count, last, 0));
    if (!first) return std::nullopt;
    if (*first % last.level != 0 || count % *first != 0) {
      LadderObstacle obstacle{*first, map.step_onto(begin + *first), part.step_onto(*first), {}};
      if (*first % last.level != 0) obstacle.no_multiple_of = last.level;
      return obstacle;
    }
    settled = earlier(settled, first_mismatch(map, begin, count, last, *first));
    part.rungs.push_back({*first, map.step_onto(begin + *first)});
  }
}

}  // namespace heddle::axe
