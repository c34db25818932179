// Step 3 of a copy: the tensor map of a box, and the rules that it has to keep.

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <utility>

#include "core/format.h"
#include "core/text.h"
#include "expr/assume_needed.h"
#include "expr/format.h"
#include "expr/numbers_text.h"
#include "heddle/form/index_map.h"
#include "heddle/machine/tma.h"
#include "machine/tma/boxes.h"
#include "machine/tma/pairing.h"

namespace heddle::machine {
namespace {

constexpr std::int64_t kMostExtent = std::int64_t{1} << 32;
constexpr std::int64_t kMostStride = std::int64_t{1} << 40;
constexpr std::int64_t kMostCoordinate = (std::int64_t{1} << 31) - 1;

/// Makes the tensor map and the instructions for one box.
class Encoder {
 public:
  Encoder(const Pairing& pairing, const TmaElement& element, const Box& box,
          const std::string& call)
      : pairing_(pairing), bytes_(element.bits / 8), box_(box), call_(call) {
    copy_.map.element = element;
    copy_.map.swizzle = pairing.swizzle;
    copy_.shared_alignment = std::max(
        kBoxAlignment, pairing.swizzle.span == 0 ? std::int64_t{0} : pairing.swizzle.period());
  }

  Result<TmaCopy> run() {
    for (const BoxDimension& dim : box_.dims) add_dimension(dim.extent, dim.stride, dim.extent);
    place_whole_dimensions();
    HEDDLE_CHECK(place_beginnings());
    // The loop with the largest step in shared memory is the outermost.
    for (auto loop = box_.loops.rbegin(); loop != box_.loops.rend(); ++loop) {
      HEDDLE_CHECK(add_loop(*loop));
    }
    add_offset();
    HEDDLE_CHECK(check_rules());
    return std::move(copy_);
  }

 private:
  std::size_t add_dimension(const Int& extent, const Int& stride, std::int64_t box) {
    copy_.map.dims.push_back({extent, stride * bytes_, box});
    strides_.push_back(stride);
    copy_.coordinates.emplace_back(0);
    for (TmaLoop& loop : copy_.loops) loop.coordinates.emplace_back(0);
    return strides_.size() - 1;
  }

  /// A dimension of the box that steps as a dimension of the tensor does stands for all of it.
  void place_whole_dimensions() {
    place_.assign(pairing_.whole.size(), std::nullopt);
    for (std::size_t d = 0; d < box_.dims.size(); ++d) {
      const auto& whole = box_.dims[d].whole;
      if (!whole || place_[*whole]) continue;
      if (known_equal(strides_[d], pairing_.whole[*whole].stride)) hold_whole(*whole, d);
    }
  }

  void hold_whole(std::size_t whole, std::size_t d) {
    place_[whole] = d;
    copy_.map.dims[d].extent = pairing_.whole[whole].extent;
    copy_.coordinates[d] = pairing_.whole[whole].begin;
  }

  /// Whether a dimension of the tensor map may have the stride; refuses if that is not known.
  [[nodiscard]] Result<bool> is_stride(const Int& stride) const {
    return decide_needed({Int(kPieceBytes), Predicate::kDivides, stride * bytes_},
                         [&] { return call_; });
  }

  /// The refusal of the first digit whose stride no tensor map can have.
  [[nodiscard]] Diagnostic wrong_stride() const {
    const auto is_wrong = [&](const PairedDigit& digit) {
      return !known_divides(kPieceBytes, digit.global * bytes_);
    };
    const auto digit =
        std::ranges::find_if(pairing_.digits.begin() + 1, pairing_.digits.end(), is_wrong);
    Diagnostic diagnostic("tma.stride",
                          "a stride of the global part is not a multiple of 16 bytes");
    if (digit != pairing_.digits.end()) {
      const Int step = digit->global * bytes_;
      diagnostic = diagnose("tma.stride", "the global part steps by {}, which are {} bytes",
                            counted(digit->global, "element"), step);
      if (step.is_constant() && digit->weight.is_constant()) {
        diagnostic =
            std::move(diagnostic)
                .with_witness(
                    {.coordinate = point_text(form::unflatten(pairing_.extents, digit->weight)),
                     .found = fmt::format("byte {} of the region", step),
                     .wanted = "a multiple of 16",
                     .wanted_by = "a tensor map"});
      }
    }
    return std::move(diagnostic)
        .with_hint(
            "strides of a tensor map are multiples of 16 bytes: pad the rows, or copy one "
            "row at a time");
  }

  [[nodiscard]] bool has_loop(std::size_t whole) const {
    return std::ranges::any_of(box_.loops,
                               [&](const LoopDigit& loop) { return loop.whole == whole; });
  }

  /// Gives a dimension to each whole dimension that no dimension of the box stands for, if there
  /// can be one; otherwise only the beginning counts, and its loops are as others.
  Result<void> place_beginnings() {
    for (std::size_t j = 0; j < place_.size(); ++j) {
      const WholeDimension& whole = pairing_.whole[j];
      if (place_[j] || (known_equal(whole.begin, 0) && !has_loop(j))) continue;
      HEDDLE_TRY(const bool is_legal, is_stride(whole.stride));
      if (is_legal && strides_.size() < kMostDimensions) {
        hold_whole(j, add_dimension(whole.extent, whole.stride, 1));
      } else {
        add_to_first(whole.begin * whole.stride);
      }
    }
    return {};
  }

  /// Moves the instruction along dimension 0, which then reaches all of the tensor.
  void add_to_first(const Int& elements) {
    copy_.coordinates[0] += elements;
    reach_all();
  }

  void reach_all() { copy_.map.dims[0].extent = pairing_.global_span; }

  /// The dimension along which a loop moves, which it widens if need be.
  Result<std::size_t> dimension_of(const LoopDigit& loop) {
    if (loop.whole && place_[*loop.whole]) return *place_[*loop.whole];
    if (loop.box) {
      const Int steps = floor_div(loop.global, strides_[*loop.box]);
      copy_.map.dims[*loop.box].extent += steps * (loop.count - 1);
      return *loop.box;
    }
    HEDDLE_TRY(const bool is_legal, is_stride(loop.global));
    if (!is_legal) return refuse(wrong_stride());
    if (strides_.size() < kMostDimensions) return add_dimension(loop.count, loop.global, 1);
    reach_all();
    return std::size_t{0};
  }

  Result<void> add_loop(const LoopDigit& digit) {
    TmaLoop loop{.count = digit.count,
                 .coordinates = std::vector<Int>(strides_.size(), Int(0)),
                 .shared = digit.shared * bytes_};
    if (!known_equal(digit.global, 0)) {
      HEDDLE_TRY(const std::size_t d, dimension_of(digit));
      loop.coordinates.resize(strides_.size(), Int(0));
      loop.coordinates[d] = floor_div(digit.global, strides_[d]);
    }
    copy_.loops.push_back(std::move(loop));
    return {};
  }

  /// The beginning of the region that no coordinate has: the base, if that is a known number of
  /// whole pieces, otherwise coordinate 0.
  void add_offset() {
    const Int& offset = pairing_.global_offset;
    copy_.shared = pairing_.shared_offset * bytes_;
    if (!offset.is_constant()) {
      copy_.map.base = 0;
      return add_to_first(offset);
    }
    const Int pieces = mod(offset, floor_div(kPieceBytes, bytes_));
    copy_.map.base = (offset - pieces) * bytes_;
    copy_.coordinates[0] += pieces;
    copy_.map.dims[0].extent += pieces;
  }

  /// A rule that the copy needs: refused unless it is known to hold.
  Result<void> require(std::string subject, const Condition& condition,
                       const std::function<Diagnostic()>& refused) {
    HEDDLE_TRY(const bool holds, decide_needed(condition, [&] { return call_; }));
    if (!holds) return refuse(refused());
    copy_.rules.push_back({std::move(subject), condition, true});
    return {};
  }

  /// A rule on sizes, which the caller has to keep if they are not known.
  Result<void> limit(std::string subject, const Condition& condition,
                     const std::function<Diagnostic()>& refused) {
    const std::optional<bool> answer = answer_to(condition);
    if (answer == false) return refuse(refused());
    copy_.rules.push_back({std::move(subject), condition, answer.has_value()});
    return {};
  }

  /// Rules that every box keeps.
  void add_box_rules() {
    const auto add = [&](std::string subject, const Condition& condition) {
      copy_.rules.push_back({std::move(subject), condition, true});
    };
    const auto& dims = copy_.map.dims;
    add("rank", {dims.size(), Predicate::kAtMost, kMostDimensions});
    for (std::size_t d = 0; d < dims.size(); ++d) {
      add(fmt::format("box {}", d), {dims[d].box, Predicate::kAtMost, kMostBoxExtent});
    }
    const Int row = dims.front().box * bytes_;
    add("bytes of a row", {kPieceBytes, Predicate::kDivides, row});
    if (copy_.map.swizzle.span != 0) {
      add("bytes of a row", {row, Predicate::kAtMost, copy_.map.swizzle.span});
    }
  }

  Result<void> check_rules() {
    add_box_rules();
    for (std::size_t d = 0; d < copy_.map.dims.size(); ++d) HEDDLE_CHECK(check_dimension(d));
    HEDDLE_CHECK(check_shared("the first instruction", copy_.shared));
    for (const TmaLoop& loop : copy_.loops) {
      HEDDLE_CHECK(check_shared("a turn of a loop", loop.shared));
    }
    return {};
  }

  Result<void> check_dimension(std::size_t d) {
    const TmaDimension& dim = copy_.map.dims[d];
    HEDDLE_CHECK(
        limit(fmt::format("extent {}", d), {dim.extent, Predicate::kAtMost, kMostExtent}, [&] {
          return diagnose("tma.extent",
                          "dimension {} of the tensor map has the extent {}; at "
                          "most 2^32 are possible",
                          d, dim.extent);
        }));
    Int last = copy_.coordinates[d];
    for (const TmaLoop& loop : copy_.loops) last += loop.coordinates[d] * (loop.count - 1);
    const Condition fits{last, Predicate::kAtMost, kMostCoordinate};
    if (answer_to(fits) == false) {
      return refuse("tma.extent", "coordinate {} goes up to {}; it is a signed 32-bit number", d,
                    last);
    }
    if (d == 0) return {};
    HEDDLE_CHECK(require(fmt::format("stride {}", d),
                         {Int(kPieceBytes), Predicate::kDivides, dim.stride},
                         [&] { return wrong_stride(); }));
    return limit(fmt::format("stride {}", d), {dim.stride, Predicate::kLess, kMostStride}, [&] {
      return diagnose("tma.stride", "dimension {} has a stride of {} bytes; it is less than 2^40",
                      d, dim.stride);
    });
  }

  Result<void> check_shared(std::string subject, const Int& bytes) {
    return require(std::move(subject) + " in shared memory",
                   {Int(kBoxAlignment), Predicate::kDivides, bytes}, [&] {
                     return diagnose("tma.shared_alignment",
                                     "an instruction would write to byte {} of shared memory",
                                     bytes)
                         .with_hint("each instruction begins at a multiple of 128 bytes");
                   });
  }

  const Pairing& pairing_;
  Int bytes_;
  const Box& box_;
  const std::string& call_;
  TmaCopy copy_;
  /// In elements.
  std::vector<Int> strides_;
  /// Which dimension of the tensor map stands for a whole dimension of the tensor.
  std::vector<std::optional<std::size_t>> place_;
};

/// Why there is no box at all.
Diagnostic no_box(const Pairing& pairing, int element_bits) {
  const std::int64_t unit = kPieceBytes * 8 / element_bits;
  Diagnostic refusal = diagnose("tma.contiguous",
                                "no {} of {} bits are contiguous in "
                                "both memories and a whole part of a row",
                                counted(unit, "element"), element_bits);
  if (pairing.digits.empty()) {
    return std::move(refusal).with_hint(
        "the region is one element; a copy moves at least 16 bytes");
  }
  const PairedDigit& first = pairing.digits.front();
  const std::string coordinate =
      first.weight.is_constant() ? point_text(form::unflatten(pairing.extents, first.weight)) : "";
  if (!coordinate.empty() && known_equal(first.shared, 1) && !known_equal(first.global, 1)) {
    refusal = std::move(refusal).with_witness(
        {.coordinate = coordinate,
         .found = fmt::format("element {} of global memory, counted from the first", first.global),
         .wanted = "element 1",
         .wanted_by = "its place in shared memory"});
  }
  return std::move(refusal)
      .with_note(fmt::format("the fastest digit of the shared part has {}, {} apart in "
                             "shared memory and {} apart in global memory",
                             counted(first.extent, "element"), first.shared, first.global))
      .with_hint(pairing.swizzle.span == 0
                     ? "the inner dimension of a box is a multiple of 16 bytes"
                     : fmt::format("the inner dimension of a box fills the {} bytes of the swizzle",
                                   pairing.swizzle.span));
}

/// The copy with the largest box that keeps the rules; otherwise why the largest box does not.
Result<TmaCopy> best_copy(const Pairing& pairing, const TmaElement& element,
                          const std::string& call) {
  const std::vector<Box> candidates = boxes(pairing, element.bits);
  if (candidates.empty()) return refuse(no_box(pairing, element.bits));
  const std::int64_t row = candidates.front().dims.front().extent * element.bits / 8;
  std::optional<Diagnostic> first;
  for (const Box& box : candidates) {
    Result<TmaCopy> copy = Encoder(pairing, element, box, call).run();
    if (copy) return copy;
    if (copy.error().code() == "assume.needed" || copy.error().code() == "tma.stride") return copy;
    if (!first) first = std::move(copy).error();
  }
  // Single rows of less than the span are tried, but what is missing is whole rows.
  if (row < pairing.swizzle.span) return refuse(no_box(pairing, element.bits));
  return refuse(*std::move(first));
}

bool is_better(const Result<TmaCopy>& other, const Result<TmaCopy>& copy) {
  return other && (!copy || other->box_size() > copy->box_size());
}

void explain(TmaCopy& copy, const Pairing& pairing, const std::string& call) {
  copy.explanation.operation = "tma_descriptor";
  copy.explanation.title = call;
  copy.explanation.steps = pairing.steps;
  const SharedSwizzle& swizzle = copy.map.swizzle;
  std::string text = "Shared memory is not swizzled: a row is any multiple of 16 bytes.";
  if (swizzle.span != 0) {
    text = fmt::format(
        "XOR of {} bits of the byte address from bit {} with those {} up: rows of "
        "{} bytes, repeated after {} bytes.",
        swizzle.bits, swizzle.low, swizzle.shift, swizzle.span, swizzle.period());
  }
  copy.explanation.steps.push_back(step("swizzle", text, std::string(swizzle.name)));
  std::string box;
  for (const TmaDimension& dim : copy.map.dims) {
    if (!box.empty()) box += " x ";
    box += std::to_string(dim.box);
  }
  copy.explanation.steps.push_back(
      step("box",
           fmt::format("The longest run of digits without a gap in shared memory has {}; "
                       "the rest takes {}.",
                       counted(copy.box_size(), "element"), instructions_text(copy)),
           box));
  for (const TmaRule& rule : copy.rules) {
    copy.explanation.steps.push_back(
        step("rule", fmt::format("{}: {} {}", rule.subject, to_string(rule.condition),
                                 rule.is_proved ? "holds."
                                                : "is left to the "
                                                  "caller.")));
  }
}

}  // namespace

Result<TmaCopy> tma_descriptor(const TensorPart& global, const TensorPart& shared,
                               const TmaElement& element) {
  const std::string call = call_text(global, shared);
  HEDDLE_TRY(Pairing pairing, pair_digits(global, shared, element.bits));
  std::optional<Result<TmaCopy>> best;
  for (const SharedSwizzle& swizzle : pairing.swizzles) {
    pairing.swizzle = swizzle;
    Result<TmaCopy> copy = best_copy(pairing, element, call);
    const Pairing merged = merged_across_dimensions(pairing);
    if (merged.digits.size() < pairing.digits.size()) {
      Result<TmaCopy> other = best_copy(merged, element, call);
      if (is_better(other, copy)) copy = std::move(other);
    }
    if (!best || is_better(copy, *best)) best = std::move(copy);
  }
  if (*best) explain(**best, pairing, call);
  return *std::move(best);
}

}  // namespace heddle::machine
