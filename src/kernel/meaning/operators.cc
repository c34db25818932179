// What the operators compute, each once, by one part of a block.

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <span>
#include <unordered_map>
#include <utility>

#include "core/format.h"
#include "core/text.h"
#include "fmt/ranges.h"
#include "kernel/meaning/code.h"
#include "kernel/sparse.h"

namespace heddle::kernel::meaning {
namespace {

/// The most elements that an operator keeps at a time.
constexpr std::int64_t kMaxKept = std::int64_t{1} << 26;

/// Calls `each(first, count)` for all elements, so many at a time, until one is refused.
template <class Each>
Result<void> in_chunks(std::int64_t size, Each each) {
  for (std::int64_t first = 0; first < size; first += static_cast<std::int64_t>(kChunk)) {
    const auto count = static_cast<std::size_t>(std::min<std::int64_t>(kChunk, size - first));
    HEDDLE_CHECK(each(first, count));
  }
  return {};
}

Result<void> check_kept(std::int64_t elements) {
  if (elements <= kMaxKept) return {};
  return refuse(
      diagnose("kernel.work", "an operator on {} elements is too large to be interpreted", elements)
          .with_hint("run the kernel with smaller sizes, --size N=64, or work in tiles"));
}

/// The number of elements of a box. Refuses `overflow`.
Result<std::int64_t> size_of(std::span<const std::int64_t> extents) {
  if (const exact::Value size = product_of(extents)) return *size;
  return refuse("overflow", "the number of elements of ({}) does not fit into 64 bits",
                fmt::join(extents, ","));
}

Number lane_number(const Lanes& lanes, std::size_t i) {
  return lanes.is_real() ? Number(lanes.real[i]) : Number(lanes.integer[i]);
}

bool is_nan_number(const Number& number) { return number.is_real && std::isnan(number.real); }

void set_lane(Lanes& lanes, std::size_t i, const Number& value) {
  lanes.real[i] = value.real;
  lanes.integer[i] = value.integer;
}

/// Numbers of one computed type.
struct Values {
  DType type = DType::kF32;
  std::vector<Number> numbers;
};

/// Writes numbers to a resolved view.
Result<void> write_values(Places& places, const Values& values, const Performance& performance,
                          Budget& budget) {
  HEDDLE_CHECK(budget.spend(places.size()));
  places.spread(places.extents());
  return in_chunks(places.size(), [&](std::int64_t first, std::size_t count) {
    Lanes lanes;
    lanes.type = values.type;
    for (std::size_t i = 0; i != count; ++i) {
      set_lane(lanes, i, values.numbers[static_cast<std::size_t>(first) + i]);
    }
    std::array<std::uint64_t, kChunk> bits;
    const std::span<std::uint64_t> taken(bits.data(), count);
    encode_lanes(places.type(), lanes, taken);
    return write_elements(places, first, count, performance, taken);
  });
}

/// All values of an expression over its own box, as those of a computed type.
Result<Values> values_of(Expression& expression, DType type, const Performance& performance,
                         Budget& budget) {
  HEDDLE_CHECK(expression.resolve(performance));
  HEDDLE_TRY(const std::int64_t size, size_of(expression.extents()));
  HEDDLE_CHECK(check_kept(size));
  HEDDLE_CHECK(budget.spend(size, expression.cost()));
  expression.spread(expression.extents());
  Values values{type, {}};
  values.numbers.reserve(static_cast<std::size_t>(size));
  const auto add = [&](std::int64_t first, std::size_t count) -> Result<void> {
    HEDDLE_CHECK(expression.evaluate(first, count, performance));
    convert_lanes(expression.values(), type, count);
    for (std::size_t i = 0; i != count; ++i) {
      values.numbers.push_back(lane_number(expression.values(), i));
    }
    return {};
  };
  HEDDLE_CHECK(in_chunks(size, add));
  return values;
}

/// Row-major points of a box, one after the other, and a sum of their coordinates by strides.
class Walk {
 public:
  Walk(std::span<const std::int64_t> extents, std::vector<std::int64_t> strides)
      : extents_(extents.begin(), extents.end()),
        strides_(std::move(strides)),
        point_(extents.size()) {}

  [[nodiscard]] std::size_t place() const { return static_cast<std::size_t>(place_); }
  [[nodiscard]] std::int64_t coordinate(std::size_t dimension) const { return point_[dimension]; }

  void advance() {
    for (std::size_t d = point_.size(); d-- != 0;) {
      place_ += strides_[d];
      if (++point_[d] != extents_[d]) return;
      place_ -= strides_[d] * extents_[d];
      point_[d] = 0;
    }
  }

 private:
  std::vector<std::int64_t> extents_;
  std::vector<std::int64_t> strides_;
  std::vector<std::int64_t> point_;
  std::int64_t place_ = 0;
};

/// Row-major strides of the dimensions that are kept; 0 for the others.
std::vector<std::int64_t> kept_strides(std::span<const std::int64_t> extents,
                                       const std::vector<bool>& is_left_out) {
  std::vector<std::int64_t> strides(extents.size());
  std::int64_t stride = 1;
  for (std::size_t d = extents.size(); d-- != 0;) {
    if (is_left_out[d]) continue;
    strides[d] = stride;
    stride *= extents[d];
  }
  return strides;
}

/// The computed type of results, of which the destination may ask for more bits.
DType wide_type(DType source, DType destination) {
  const DType wanted = computed_in(destination);
  return is_float(source) == is_float(wanted) ? common_type(source, wanted) : source;
}

/// Evaluates the source chunk by chunk, and calls `each(number, is_inside)` for every value.
template <class Each>
Result<void> for_each_value(Expression& source, std::int64_t size, DType type,
                            const Performance& performance, Each each) {
  source.spread(source.extents());
  return in_chunks(size, [&](std::int64_t first, std::size_t count) -> Result<void> {
    HEDDLE_CHECK(source.evaluate(first, count, performance));
    convert_lanes(source.values(), type, count);
    for (std::size_t i = 0; i != count; ++i) {
      each(lane_number(source.values(), i), source.are_inside()[i]);
    }
    return {};
  });
}

/// Adds what the destination holds, if the reduction accumulates.
Result<void> accumulate(ReduceCode& code, Values& results, const Performance& performance) {
  code.destination.spread(code.destination.extents());
  const DType stored = code.destination.type();
  const DType type = common_type(results.type, computed_in(stored));
  if (type != results.type) {
    for (Number& result : results.numbers) result = converted(type, result);
    results.type = type;
  }
  return in_chunks(
      code.destination.size(), [&](std::int64_t first, std::size_t count) -> Result<void> {
        Elements elements;
        HEDDLE_CHECK(read_elements(code.destination, first, count, performance, elements));
        Lanes lanes;
        decode_lanes(stored, std::span(elements.bits.data(), count), lanes);
        convert_lanes(lanes, type, count);
        for (std::size_t i = 0; i != count; ++i) {
          Number& result = results.numbers[static_cast<std::size_t>(first) + i];
          result = folded(code.fold, type, lane_number(lanes, i), result);
        }
        return {};
      });
}

Number multiplied_and_added(DType type, const Number& a, const Number& b, const Number& c) {
  if (type == DType::kF32) {
    return Number(static_cast<double>(std::fma(
        static_cast<float>(a.real), static_cast<float>(b.real), static_cast<float>(c.real))));
  }
  if (type == DType::kF64) return Number(std::fma(a.real, b.real, c.real));
  const auto bits = static_cast<std::uint64_t>(a.integer) * static_cast<std::uint64_t>(b.integer) +
                    static_cast<std::uint64_t>(c.integer);
  return converted(type, Number(static_cast<std::int64_t>(bits)));
}

bool is_number(const Number& number, double value) {
  return (number.is_real ? number.real : static_cast<double>(number.integer)) == value;
}

/// beta*C, what the products are added to.
Result<Values> scaled_destination(GemmCode& code, DType type, const Number& beta,
                                  const Performance& performance) {
  const Number zero = converted(type, Number(0.0));
  Values result{type, std::vector<Number>(static_cast<std::size_t>(code.c.size()), zero)};
  if (is_number(beta, 0)) return result;
  code.c.spread(code.c.extents());
  const auto scale = [&](std::int64_t first, std::size_t count) -> Result<void> {
    Elements elements;
    HEDDLE_CHECK(read_elements(code.c, first, count, performance, elements));
    Lanes lanes;
    decode_lanes(code.c.type(), std::span(elements.bits.data(), count), lanes);
    convert_lanes(lanes, type, count);
    for (std::size_t i = 0; i != count; ++i) {
      const Number c = lane_number(lanes, i);
      result.numbers[static_cast<std::size_t>(first) + i] =
          is_number(beta, 1) ? c : multiplied_and_added(type, beta, c, zero);
    }
    return {};
  };
  HEDDLE_CHECK(in_chunks(code.c.size(), scale));
  return result;
}

/// sums += A @ B, each sum in the order of k. Of a sparse A, `steps` says which k each element is
/// at.
void add_products(const Values& a, const Values& b, Values& sums, std::size_t rows,
                  std::size_t columns, std::size_t depth, std::span<const std::size_t> steps) {
  for (std::size_t i = 0; i != rows; ++i) {
    Number* row = sums.numbers.data() + i * columns;
    for (std::size_t k = 0; k != depth; ++k) {
      const Number left = a.numbers[i * depth + k];
      const std::size_t step = steps.empty() ? k : steps[i * depth + k];
      const Number* right = b.numbers.data() + step * columns;
      for (std::size_t j = 0; j != columns; ++j) {
        row[j] = multiplied_and_added(sums.type, left, right[j], row[j]);
      }
    }
  }
}

/// The step along K of each element that a sparse A keeps; empty for another A.
Result<std::vector<std::size_t>> kept_steps(GemmCode& code, const Performance& performance,
                                            Budget& budget) {
  std::vector<std::size_t> steps;
  if (!code.index) return steps;
  HEDDLE_TRY(const Values codes, values_of(*code.index, DType::kI32, performance, budget));
  const SparseGroup group = sparse_group(code.a.single_view()->type());
  const std::int64_t along = code.index->extents()[1];
  for (std::size_t i = 0; i != codes.numbers.size(); ++i) {
    const std::int64_t number = codes.numbers[i].integer;
    const auto at = static_cast<std::int64_t>(i);
    if (std::ranges::find(group.codes, number) == group.codes.end()) {
      return refuse(diagnose("kernel.index",
                             "the index of gemm_sparse has the code {} at ({},{}), which does not "
                             "say which half of {} elements is kept",
                             number, at / along, at % along, group.elements)
                        .with_hint(fmt::format("the codes are {}", fmt::join(group.codes, ", "))));
    }
    for (std::int64_t nth = 0; nth != group.elements / 2; ++nth) {
      steps.push_back(
          static_cast<std::size_t>(at % along * group.elements + group.place(number, nth)));
    }
  }
  return steps;
}

}  // namespace

Result<void> Budget::spend(std::int64_t elements, std::int64_t times) {
  const exact::Value work = exact::multiply(elements, times);
  if (work && *work <= left_) {
    left_ -= *work;
    return {};
  }
  return refuse(diagnose("kernel.work", "the kernel reads and writes more than {} elements", limit_)
                    .with_hint("run it with smaller sizes, --size N=64, or allow more work"));
}

Result<Number> scalar(Expression& value, const Performance& performance, Budget& budget) {
  HEDDLE_CHECK(budget.spend(value.cost()));
  HEDDLE_CHECK(value.resolve(performance));
  value.spread({});
  HEDDLE_CHECK(value.evaluate(0, 1, performance));
  return lane_number(value.values(), 0);
}

Result<void> perform(AssignCode& code, const Performance& performance, Budget& budget) {
  HEDDLE_CHECK(code.destination.resolve(performance.row, performance.actor.part));
  HEDDLE_CHECK(code.value.resolve(performance));
  const std::int64_t size = code.destination.size();
  HEDDLE_CHECK(budget.spend(size, 1 + code.value.cost()));
  code.destination.spread(code.destination.extents());
  code.value.spread(code.destination.extents());
  Places* const source = code.value.single_view();
  const bool moves_bits = source != nullptr && source->type() == code.destination.type();
  const std::uint64_t padding =
      encode(code.destination.type(), code.padding.value_or(Number(std::int64_t{0})));
  const auto compute = [&](std::int64_t first, std::size_t count,
                           std::span<std::uint64_t> bits) -> Result<void> {
    if (!moves_bits) {
      HEDDLE_CHECK(code.value.evaluate(first, count, performance));
      encode_lanes(code.destination.type(), code.value.values(), bits);
      return {};
    }
    Elements elements;
    HEDDLE_CHECK(read_elements(*source, first, count, performance, elements));
    for (std::size_t i = 0; i != count; ++i) {
      bits[i] = elements.located.places[i] < 0 ? padding : elements.bits[i];
    }
    return {};
  };
  if (!code.value.reads(code.destination.storage())) {
    return in_chunks(size, [&](std::int64_t first, std::size_t count) -> Result<void> {
      std::array<std::uint64_t, kChunk> bits;
      HEDDLE_CHECK(compute(first, count, std::span(bits.data(), count)));
      return write_elements(code.destination, first, count, performance,
                            std::span(bits.data(), count));
    });
  }
  HEDDLE_CHECK(check_kept(size));
  std::vector<std::uint64_t> all(static_cast<std::size_t>(size));
  HEDDLE_CHECK(in_chunks(size, [&](std::int64_t first, std::size_t count) {
    return compute(first, count, std::span(all).subspan(static_cast<std::size_t>(first), count));
  }));
  return in_chunks(size, [&](std::int64_t first, std::size_t count) {
    return write_elements(code.destination, first, count, performance,
                          std::span(all).subspan(static_cast<std::size_t>(first), count));
  });
}

Result<void> perform(ReduceCode& code, const Performance& performance, Budget& budget) {
  HEDDLE_CHECK(code.destination.resolve(performance.row, performance.actor.part));
  HEDDLE_CHECK(code.source.resolve(performance));
  HEDDLE_TRY(const std::int64_t size, size_of(code.source.extents()));
  HEDDLE_CHECK(check_kept(code.destination.size()));
  HEDDLE_CHECK(budget.spend(size, code.source.cost()));
  const std::span<const std::int64_t> extents = code.source.extents();
  code.is_reduced.resize(extents.size());
  const DType type = wide_type(code.source.type(), code.destination.type());
  const auto results = static_cast<std::size_t>(code.destination.size());
  Values best{type,
              std::vector<Number>(results, first_of(code.fold, type, code.destination.type()))};
  std::vector<std::int64_t> positions(code.finds_position ? results : 0, -1);
  const auto axis =
      static_cast<std::size_t>(std::ranges::find(code.is_reduced, true) - code.is_reduced.begin());
  Walk walk(extents, kept_strides(extents, code.is_reduced));
  HEDDLE_CHECK(for_each_value(
      code.source, size, type, performance, [&](const Number& number, bool is_inside) {
        Number& result = best.numbers[walk.place()];
        if (is_inside && !code.finds_position) {
          result = folded(code.fold, type, result, number);
        } else if (is_inside) {
          // The first one stays unless another wins against it.
          std::int64_t& position = positions[walk.place()];
          const Number winner = position < 0 ? number : folded(code.fold, type, result, number);
          const bool is_new = position < 0 || !(winner == result || is_nan_number(winner));
          if (is_new) position = walk.coordinate(axis);
          result = winner;
        }
        walk.advance();
      }));
  if (code.finds_position) {
    best.type = DType::kI64;
    for (std::size_t i = 0; i != results; ++i) {
      best.numbers[i] = Number(std::max<std::int64_t>(positions[i], 0));
    }
  }
  if (code.accumulates) HEDDLE_CHECK(accumulate(code, best, performance));
  return write_values(code.destination, best, performance, budget);
}

Result<void> perform(ScanCode& code, const Performance& performance, Budget& budget) {
  HEDDLE_CHECK(code.destination.resolve(performance.row, performance.actor.part));
  HEDDLE_CHECK(code.source.resolve(performance));
  HEDDLE_TRY(const std::int64_t size, size_of(code.source.extents()));
  HEDDLE_CHECK(check_kept(size));
  HEDDLE_CHECK(budget.spend(size, code.source.cost()));
  const std::span<const std::int64_t> extents = code.source.extents();
  std::vector<bool> is_scanned(extents.size());
  is_scanned[code.axis] = true;
  const DType type = wide_type(code.source.type(), code.destination.type());
  const auto lines = static_cast<std::size_t>(size / std::max<std::int64_t>(1, extents[code.axis]));
  std::vector<Number> running(lines, first_of(code.fold, type, code.destination.type()));
  Values results{type, {}};
  results.numbers.reserve(static_cast<std::size_t>(size));
  Walk walk(extents, kept_strides(extents, is_scanned));
  HEDDLE_CHECK(for_each_value(code.source, size, type, performance,
                              [&](const Number& number, bool is_inside) {
                                Number& sum = running[walk.place()];
                                const Number before = sum;
                                if (is_inside) sum = folded(code.fold, type, sum, number);
                                results.numbers.push_back(code.is_exclusive ? before : sum);
                                walk.advance();
                              }));
  return write_values(code.destination, results, performance, budget);
}

Result<void> perform(GemmCode& code, const Performance& performance, Budget& budget) {
  HEDDLE_CHECK(code.c.resolve(performance.row, performance.actor.part));
  const DType type =
      common_type(common_type(code.a.type(), code.b.type()), computed_in(code.c.type()));
  const Number alpha = converted(type, code.alpha);
  const Number beta = converted(type, code.beta);
  HEDDLE_CHECK(check_kept(code.c.size()));
  HEDDLE_TRY(const Values a, values_of(code.a, type, performance, budget));
  HEDDLE_TRY(const Values b, values_of(code.b, type, performance, budget));
  const std::int64_t rows = code.a.extents()[0];
  const std::int64_t depth = code.a.extents()[1];
  const std::int64_t columns = code.b.extents()[1];
  HEDDLE_TRY(const std::int64_t products, size_of(std::array{rows, depth, columns}));
  HEDDLE_CHECK(budget.spend(products));
  HEDDLE_TRY(const std::vector<std::size_t> steps, kept_steps(code, performance, budget));
  HEDDLE_TRY(Values sums, scaled_destination(code, type, beta, performance));
  const auto add = [&](Values& to) {
    add_products(a, b, to, static_cast<std::size_t>(rows), static_cast<std::size_t>(columns),
                 static_cast<std::size_t>(depth), steps);
  };
  if (is_number(alpha, 1)) {
    add(sums);
  } else {
    Values raw{type, std::vector<Number>(sums.numbers.size(), converted(type, Number(0.0)))};
    add(raw);
    for (std::size_t i = 0; i != sums.numbers.size(); ++i) {
      sums.numbers[i] = multiplied_and_added(type, alpha, raw.numbers[i], sums.numbers[i]);
    }
  }
  return write_values(code.c, sums, performance, budget);
}

namespace {

/// The indices of a gather or a scatter; nullopt for those outside of their view.
Result<std::vector<std::optional<std::int64_t>>> indices_of(PickCode& code,
                                                            const Performance& performance,
                                                            Budget& budget) {
  HEDDLE_CHECK(code.index.resolve(performance));
  HEDDLE_TRY(const std::int64_t size, size_of(code.index.extents()));
  HEDDLE_CHECK(check_kept(size));
  HEDDLE_CHECK(budget.spend(size));
  std::vector<std::optional<std::int64_t>> indices;
  HEDDLE_CHECK(for_each_value(
      code.index, size, code.index.type(), performance, [&](const Number& number, bool is_inside) {
        indices.push_back(is_inside ? std::optional(number.integer) : std::nullopt);
      }));
  const std::int64_t extent = code.whole.extents()[code.axis];
  for (std::size_t i = 0; i != indices.size(); ++i) {
    if (!indices[i] || (*indices[i] >= 0 && *indices[i] < extent)) continue;
    return refuse(diagnose("kernel.index",
                           "index {} of {} is {}, outside of the {} elements of {} "
                           "along axis {}",
                           i, code.is_gather ? "gather" : "scatter", *indices[i], extent,
                           code.whole.storage().tensor.name, code.axis)
                      .with_hint("indices count from 0"));
  }
  return indices;
}

Result<void> check_distinct(const std::vector<std::optional<std::int64_t>>& indices,
                            const PickCode& code) {
  std::unordered_map<std::int64_t, std::size_t> seen;
  for (std::size_t i = 0; i != indices.size(); ++i) {
    if (!indices[i]) continue;
    const auto [other, is_new] = seen.emplace(*indices[i], i);
    if (is_new) continue;
    return refuse(diagnose("kernel.race",
                           "scatter writes {} along axis {} of {} twice: indices {} "
                           "and {} are equal",
                           *indices[i], code.axis, code.whole.storage().tensor.name, other->second,
                           i)
                      .with_hint("make the indices distinct"));
  }
  return {};
}

/// Elements of a view that follow one another, appended as elements of this type.
Result<void> read_run(const Places& from, std::int64_t from_first, std::int64_t size, DType type,
                      const Performance& performance, std::vector<std::uint64_t>& run) {
  return in_chunks(size, [&](std::int64_t first, std::size_t count) -> Result<void> {
    Elements elements;
    HEDDLE_CHECK(read_elements(from, from_first + first, count, performance, elements));
    const std::span<std::uint64_t> bits(elements.bits.data(), count);
    if (from.type() != type) {
      Lanes lanes;
      decode_lanes(from.type(), bits, lanes);
      encode_lanes(type, lanes, bits);
    }
    run.insert(run.end(), bits.begin(), bits.end());
    return {};
  });
}

Result<void> write_run(const Places& to, std::int64_t to_first, std::span<std::uint64_t> run,
                       const Performance& performance) {
  const auto size = static_cast<std::int64_t>(run.size());
  return in_chunks(size, [&](std::int64_t first, std::size_t count) {
    return write_elements(to, to_first + first, count, performance,
                          run.subspan(static_cast<std::size_t>(first), count));
  });
}

}  // namespace

Result<void> perform(PickCode& code, const Performance& performance, Budget& budget) {
  HEDDLE_CHECK(code.whole.resolve(performance.row, performance.actor.part));
  HEDDLE_CHECK(code.picked.resolve(performance.row, performance.actor.part));
  HEDDLE_TRY(const auto indices, indices_of(code, performance, budget));
  if (!code.is_gather) HEDDLE_CHECK(check_distinct(indices, code));
  HEDDLE_CHECK(budget.spend(code.picked.size()));
  code.whole.spread(code.whole.extents());
  code.picked.spread(code.picked.extents());
  const std::span<const std::int64_t> extents = code.whole.extents();
  HEDDLE_TRY(const std::int64_t outer, size_of(extents.first(code.axis)));
  HEDDLE_TRY(const std::int64_t run, size_of(extents.subspan(code.axis + 1)));
  const auto count = static_cast<std::int64_t>(indices.size());
  const Places& from = code.is_gather ? code.whole : code.picked;
  const Places& to = code.is_gather ? code.picked : code.whole;
  // What is written may be read: all of it is read before.
  const bool is_apart = &from.storage() != &to.storage();
  if (!is_apart) HEDDLE_CHECK(check_kept(code.picked.size()));
  std::vector<std::uint64_t> read;
  std::vector<std::int64_t> places;
  const auto write = [&]() -> Result<void> {
    for (std::size_t i = 0; i != places.size(); ++i) {
      const auto size = static_cast<std::size_t>(run);
      HEDDLE_CHECK(write_run(to, places[i], std::span(read).subspan(i * size, size), performance));
    }
    read.clear();
    places.clear();
    return {};
  };
  for (std::int64_t o = 0; o != outer; ++o) {
    for (std::int64_t i = 0; i != count; ++i) {
      const std::optional<std::int64_t>& index = indices[static_cast<std::size_t>(i)];
      if (!index && !code.is_gather) continue;
      const std::int64_t whole = (o * extents[code.axis] + index.value_or(0)) * run;
      const std::int64_t picked = (o * count + i) * run;
      places.push_back(code.is_gather ? picked : whole);
      HEDDLE_CHECK(
          read_run(from, code.is_gather ? whole : picked, run, to.type(), performance, read));
      if (is_apart) HEDDLE_CHECK(write());
    }
  }
  return write();
}

Result<void> perform(AtomicAddCode& code, const Performance& performance, Budget& budget) {
  Performance atomic = performance;
  atomic.actor.is_atomic = true;
  HEDDLE_CHECK(code.destination.resolve(performance.row, performance.actor.part));
  // A float is cut to an element before it is added to integers.
  const DType stored = code.destination.type();
  const bool is_cut = is_float(code.value.type()) && !is_float(stored);
  const DType type =
      is_cut ? computed_in(stored) : common_type(computed_in(stored), code.value.type());
  HEDDLE_CHECK(code.value.resolve(performance));
  HEDDLE_CHECK(check_kept(code.destination.size()));
  HEDDLE_TRY(Values sums, values_of(code.current, type, atomic, budget));
  HEDDLE_CHECK(budget.spend(code.destination.size()));
  code.value.spread(code.destination.extents());
  const auto add = [&](std::int64_t first, std::size_t count) -> Result<void> {
    HEDDLE_CHECK(code.value.evaluate(first, count, performance));
    if (!is_cut) convert_lanes(code.value.values(), type, count);
    for (std::size_t i = 0; i != count; ++i) {
      Number& sum = sums.numbers[static_cast<std::size_t>(first) + i];
      const Number added = lane_number(code.value.values(), i);
      sum = folded(Fold::kSum, type, sum, is_cut ? converted(stored, added) : added);
    }
    return {};
  };
  HEDDLE_CHECK(in_chunks(code.destination.size(), add));
  return write_values(code.destination, sums, atomic, budget);
}

}  // namespace heddle::kernel::meaning
