#include "kernel/lower/spread.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <numeric>

#include "core/text.h"
#include "heddle/axe/group.h"
#include "heddle/axe/threads.h"
#include "heddle/expr/proof.h"
#include "heddle/form/index_map.h"
#include "heddle/map/convert.h"

namespace heddle::kernel {

namespace {

/// The greatest power of two up to `most` that divides `threads` and is at most the extent, rounded
/// up to a power of two.
std::int64_t threads_along(const Int& extent, std::int64_t threads, std::int64_t most) {
  std::int64_t along = 1;
  while (2 * along <= most && threads % (2 * along) == 0 && !known_at_most(extent, along)) {
    along *= 2;
  }
  return along;
}

/// Adds digits to one dimension after another, from the fastest to the slowest.
class SpreadMaker {
 public:
  SpreadMaker(std::vector<Int> shape, std::int64_t threads)
      : spread_{std::move(shape), threads, 1, {}}, left_(spread_.shape) {
    steps_.assign(spread_.shape.size(), Int(1));
  }

  /// The dimension's elements that no digit counts yet.
  [[nodiscard]] const Int& left(std::size_t dimension) const { return left_[dimension]; }
  [[nodiscard]] std::int64_t threads_left() const { return spread_.threads / thread_stride_; }

  void add_registers(std::size_t dimension, const Int& extent) {
    if (known_equal(extent, 1)) return;
    add(dimension, {dimension, extent, steps_[dimension], false, 1});
  }

  void add_threads(std::size_t dimension, std::int64_t extent) {
    if (extent == 1) return;
    add(dimension, {dimension, extent, steps_[dimension], true, thread_stride_});
    thread_stride_ *= extent;
  }

  /// The rest of each dimension goes to registers, whose numbers are given out, the last added of
  /// the last dimension fastest.
  Spread finish() {
    for (std::size_t d = spread_.shape.size(); d-- != 0;) add_registers(d, left_[d]);
    Int stride = 1;
    for (SpreadDigit& digit : spread_.digits) {
      if (digit.is_thread) continue;
      digit.stride = stride.is_constant() ? stride.value() : 0;
      stride *= digit.extent;
    }
    spread_.registers = stride;
    return std::move(spread_);
  }

 private:
  void add(std::size_t dimension, SpreadDigit digit) {
    steps_[dimension] *= digit.extent;
    left_[dimension] = ceil_div(left_[dimension], digit.extent);
    spread_.digits.push_back(std::move(digit));
  }

  Spread spread_;
  std::vector<Int> left_;
  std::vector<Int> steps_;
  std::int64_t thread_stride_ = 1;
};

/// The coordinate's part that a digit is, from 0 to its extent.
Int digit_of(const Spread& spread, const SpreadDigit& digit, const std::vector<Int>& coordinate) {
  const Int quotient = floor_div(coordinate[digit.dimension], digit.step);
  const bool is_top = std::ranges::none_of(spread.digits, [&](const SpreadDigit& other) {
    return other.dimension == digit.dimension && known_less(digit.step, other.step);
  });
  return is_top ? quotient : mod(quotient, digit.extent);
}

/// The digits of the rank by which copies are told apart: extent and stride.
std::vector<std::pair<std::int64_t, std::int64_t>> copy_digits(const Spread& spread) {
  std::vector<SpreadDigit> threads;
  std::ranges::copy_if(spread.digits, std::back_inserter(threads), &SpreadDigit::is_thread);
  std::ranges::sort(threads, {}, &SpreadDigit::stride);
  std::vector<std::pair<std::int64_t, std::int64_t>> copies;
  std::int64_t next = 1;
  for (const SpreadDigit& digit : threads) {
    if (digit.stride > next) copies.emplace_back(digit.stride / next, next);
    next = digit.stride * digit.extent.value();
  }
  if (next < spread.threads) copies.emplace_back(ceil_div(spread.threads, next).value(), next);
  return copies;
}

Refusal refuse_layout(const Tensor& tensor, std::string_view reason) {
  return refuse(
      Diagnostic("kernel.register_layout", fmt::format("{}: {}", to_string(tensor), reason))
          .with_hint("leave the layout out, or spread the shape by digits: "
                     "S[(8,16,4):(16@tx,1@tx,1@m)]"));
}

/// Whether the digits of threads are digits of the rank: each stride is a multiple of what the
/// smaller ones count, and all of them stay below the number of threads.
bool are_digits_of_rank(const Spread& spread) {
  std::vector<SpreadDigit> threads;
  std::ranges::copy_if(spread.digits, std::back_inserter(threads), &SpreadDigit::is_thread);
  std::ranges::sort(threads, {}, &SpreadDigit::stride);
  std::int64_t next = 1;
  for (const SpreadDigit& digit : threads) {
    if (digit.stride % next != 0) return false;
    next = digit.stride * digit.extent.value();
  }
  return next <= spread.threads && spread.threads % next == 0;
}

}  // namespace

Spread row_spread(const std::vector<Int>& shape, std::int64_t threads, std::int64_t side) {
  SpreadMaker maker(shape, threads);
  if (!shape.empty()) maker.add_registers(shape.size() - 1, side);
  for (std::size_t d = shape.size(); d-- != 0;) {
    maker.add_threads(d, threads_along(maker.left(d), maker.threads_left(), maker.threads_left()));
  }
  return maker.finish();
}

Spread block_spread(const std::vector<Int>& shape, std::int64_t threads) {
  SpreadMaker maker(shape, threads);
  // About as many threads along the rows as along the columns, so that both operands are read as
  // little as possible.
  const std::int64_t half = std::int64_t{1}
                            << (std::bit_width(static_cast<std::uint64_t>(threads)) / 2);
  maker.add_threads(1, threads_along(maker.left(1), threads, half));
  maker.add_threads(0, threads_along(maker.left(0), maker.threads_left(), maker.threads_left()));
  return maker.finish();
}

Result<Spread> spread_of(const Tensor& tensor, std::int64_t threads) {
  HEDDLE_TRY(const map::Converted converted, map::convert(*tensor.layout, map::System::kAxe));
  auto unified = axe::unify_threads(std::get<axe::Layout>(converted.layout));
  if (!unified) return refuse_layout(tensor, unified.error().message());
  if (unified->swizzle()) return refuse_layout(tensor, "its layout has a swizzle");
  if (!unified->offset().is_zero()) return refuse_layout(tensor, "its layout has an offset");
  auto grouped = axe::group(*unified, tensor.shape);
  if (!grouped) return refuse_layout(tensor, grouped.error().message());
  Spread spread{tensor.shape, threads, 1, {}};
  const Axis thread_axis("tx");
  for (std::size_t d = tensor.shape.size(); d-- != 0;) {
    Int step = 1;
    const auto block = grouped->block(d);
    for (std::size_t i = block.size(); i-- != 0;) {
      const axe::Iter& iter = block[i];
      const bool is_thread = iter.axis == thread_axis;
      if (!is_thread && iter.axis != Axis::memory()) {
        return refuse_layout(
            tensor, fmt::format("{} is not an axis of threads or registers", iter.axis.name()));
      }
      if (!iter.extent.is_constant() || !iter.stride.is_constant() || iter.stride.value() < 0) {
        return refuse_layout(tensor, "its steps are not constant");
      }
      if (iter.extent.value() != 1) {
        if (iter.stride.value() == 0)
          return refuse_layout(tensor, "several elements share a place");
        spread.digits.push_back({d, iter.extent, step, is_thread, iter.stride.value()});
        if (!is_thread) spread.registers += (iter.extent - 1) * iter.stride;
      }
      step *= iter.extent;
    }
  }
  if (!are_digits_of_rank(spread)) {
    std::vector<std::string> digits;
    for (const SpreadDigit& digit : spread.digits) {
      if (digit.is_thread) digits.push_back(to_string(digit.extent * digit.stride));
    }
    return refuse_layout(
        tensor, fmt::format("its digits of threads end at {}, which do not divide {} into digits",
                            fmt::join(digits, ", "), counted(threads, "thread")));
  }
  return spread;
}

Spread reduced(const Spread& spread, const std::vector<std::int64_t>& axes) {
  const auto is_reduced = [&](std::size_t d) {
    return std::ranges::find(axes, static_cast<std::int64_t>(d)) != axes.end();
  };
  Spread result{{}, spread.threads, 1, {}};
  std::vector<std::size_t> renumbered(spread.shape.size());
  for (std::size_t d = 0; d != spread.shape.size(); ++d) {
    renumbered[d] = result.shape.size();
    if (!is_reduced(d)) result.shape.push_back(spread.shape[d]);
  }
  Int stride = 1;
  for (SpreadDigit digit : spread.digits) {
    if (is_reduced(digit.dimension)) continue;
    digit.dimension = renumbered[digit.dimension];
    if (!digit.is_thread) {
      digit.stride = stride.is_constant() ? stride.value() : 0;
      stride *= digit.extent;
    }
    result.digits.push_back(std::move(digit));
  }
  result.registers = stride;
  return result;
}

std::vector<Int> coordinate_at(const Spread& spread, const Int& rank,
                               const std::vector<Int>& counters) {
  std::vector<Int> coordinate(spread.shape.size(), Int(0));
  std::size_t next = 0;
  for (const SpreadDigit& digit : spread.digits) {
    const Int value =
        digit.is_thread ? mod(floor_div(rank, digit.stride), digit.extent) : counters[next++];
    coordinate[digit.dimension] += value * digit.step;
  }
  return coordinate;
}

Int register_at(const Spread& spread, const std::vector<Int>& counters) {
  Int number = 0;
  std::size_t next = 0;
  for (const SpreadDigit& digit : spread.digits) {
    if (!digit.is_thread) number += counters[next++] * digit.stride;
  }
  return number;
}

Int register_of(const Spread& spread, const std::vector<Int>& coordinate) {
  Int number = 0;
  for (const SpreadDigit& digit : spread.digits) {
    if (!digit.is_thread) number += digit_of(spread, digit, coordinate) * digit.stride;
  }
  return number;
}

bool is_held(const Spread& spread, const Int& rank, const std::vector<Int>& coordinate) {
  return std::ranges::all_of(spread.digits, [&](const SpreadDigit& digit) {
    if (!digit.is_thread) return true;
    const Int held = mod(floor_div(rank, digit.stride), digit.extent);
    return known_equal(held, digit_of(spread, digit, coordinate));
  });
}

std::vector<Condition> inside(const Spread& spread, const std::vector<Int>& coordinate) {
  std::vector<Condition> conditions;
  for (std::size_t d = 0; d != coordinate.size(); ++d) {
    Condition condition = {coordinate[d], Predicate::kLess, spread.shape[d]};
    if (!known(condition)) conditions.push_back(std::move(condition));
  }
  return conditions;
}

std::vector<Condition> is_first_copy(const Spread& spread, const Int& rank) {
  std::vector<Condition> conditions;
  for (const auto& [extent, stride] : copy_digits(spread)) {
    Condition condition = {mod(floor_div(rank, stride), extent), Predicate::kEqual, 0};
    if (!known(condition)) conditions.push_back(std::move(condition));
  }
  return conditions;
}

bool has_copies(const Spread& spread) { return !copy_digits(spread).empty(); }

std::vector<SpreadDigit> register_digits(const Spread& spread) {
  std::vector<SpreadDigit> registers;
  std::ranges::copy_if(spread.digits, std::back_inserter(registers),
                       [](const SpreadDigit& digit) { return !digit.is_thread; });
  return registers;
}

std::string to_string(const Spread& spread) {
  std::vector<std::string> dimensions;
  for (std::size_t d = 0; d != spread.shape.size(); ++d) {
    std::vector<std::string> parts;
    for (const SpreadDigit& digit : spread.digits) {
      if (digit.dimension != d) continue;
      parts.push_back(fmt::format("{} {}", heddle::to_string(digit.extent),
                                  digit.is_thread ? "threads" : "in turn"));
    }
    dimensions.push_back(fmt::format(
        "dimension {}: {}", d, parts.empty() ? "1" : fmt::format("{}", fmt::join(parts, ", "))));
  }
  if (has_copies(spread)) dimensions.emplace_back("other threads hold copies");
  return fmt::format("{}", fmt::join(dimensions, "; "));
}

}  // namespace heddle::kernel
