#include "map/recover/question.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <utility>

#include "heddle/core/exact.h"
#include "heddle/expr/proof.h"
#include "heddle/map/decide.h"
#include "heddle/map/relations.h"
#include "map/forms/conversion.h"
#include "map/forms/layouts_of_forms.h"
#include "map/view/shown_digits.h"

namespace heddle::map {
namespace {

constexpr std::int64_t kMaxSize = std::int64_t{1} << 62;

/// `recovery looks at points, and an extent is M`, with what would help.
Diagnostic needs_values(std::string_view looked_at, const Int& symbolic) {
  std::vector<std::string> assumptions;
  for (const std::string& name : variables(symbolic)) {
    assumptions.push_back(fmt::format("--assume '{}==64'", name));
  }
  return Diagnostic("assume.needed",
                    fmt::format("recovery looks at {} is {}", looked_at, to_string(symbolic)))
      .with_hint(fmt::format("give it a number, as with {}; heddle convert and heddle show handle "
                             "all sizes, as the notation says",
                             fmt::join(assumptions, " ")));
}

Result<std::int64_t> extent_number(const Int& extent) {
  HEDDLE_TRY(const Int defined, check_defined(extent, "an extent"));
  if (defined.is_constant()) return defined.value();
  return refuse(needs_values("points, and an extent", defined));
}

/// The numbers of an image; the first one that is no number goes to `failure`, and 0 replaces it.
std::vector<std::int64_t> numbers_of(std::span<const Int> image,
                                     std::optional<Diagnostic>& failure) {
  std::vector<std::int64_t> numbers;
  numbers.reserve(image.size());
  for (const Int& number : image) {
    if (!number.is_constant() && !failure) {
      failure = number.is_defined() ? needs_values("numbers, and a value", number)
                                    : Diagnostic("overflow", "a value does not fit into 64 bits");
    }
    numbers.push_back(number.is_constant() ? number.value() : 0);
  }
  return numbers;
}

std::vector<form::Digit> all_digits(const StridedView& strided) {
  return flat_digits(strided, form::FlatOrder::kFirstFastest);
}

/// The number of a point counted last index fastest, from its number counted first index fastest.
std::int64_t counted_from_the_other_end(std::span<const std::int64_t> extents, std::int64_t flat) {
  std::int64_t step = 1;
  for (const std::int64_t extent : extents) step *= extent;
  std::int64_t index = 0;
  for (const std::int64_t extent : extents) {
    step /= extent;
    index += flat % extent * step;
    flat /= extent;
  }
  return index;
}

/// A sampler that evaluates each point only once.
form::Sampler remembered(form::Sampler sampler, std::int64_t size) {
  using Samples = std::vector<std::optional<std::vector<std::int64_t>>>;
  auto samples = std::make_shared<Samples>(static_cast<std::size_t>(size));
  return [sampler = std::move(sampler), samples](std::int64_t flat) {
    auto& sample = (*samples)[static_cast<std::size_t>(flat)];
    if (!sample) sample = sampler(flat);
    return *sample;
  };
}

/// Whether the view starts at this offset.
bool has_offset(const StridedView& strided, std::span<const std::int64_t> offset) {
  return std::ranges::equal(strided.offset, offset,
                            [](const Int& a, std::int64_t b) { return known_equal(a, b); });
}

bool are_alike(const BitView& a, const BitView& b) {
  const auto images = [](const BitView& bits) {
    std::vector<std::vector<std::int64_t>> all = {unpacked(bits, bits.offset)};
    for (const std::uint64_t column : bits.matrix.columns()) all.push_back(unpacked(bits, column));
    return all;
  };
  return images(a) == images(b);
}

}  // namespace

Diagnostic recover_no_layout(std::string why) { return {"recover.no_layout", std::move(why)}; }

Result<RecoverQuestion> RecoverQuestion::make(const AnyLayout& layout, const Limits& limits) {
  HEDDLE_TRY(View viewed, map::view(layout, limits));
  HEDDLE_TRY(viewed, boxed(layout, viewed));
  HEDDLE_TRY(RecoverQuestion question, make(std::move(viewed), limits));
  if (const auto* table = std::get_if<form::Table>(&layout)) {
    question.sample_table(std::make_shared<const form::Table>(*table));
  }
  return question;
}

Result<RecoverQuestion> RecoverQuestion::make(View view, const Limits& limits) {
  if (!view.is_function()) {
    return refuse(Diagnostic("recover.copies",
                             fmt::format("each point has {} images", to_string(view.copies)))
                      .with_hint("only Axe layouts and relations have copies: recover_axe(…)"));
  }
  RecoverQuestion question;
  exact::Value size = 1;
  for (const Int& extent : view.extents) {
    HEDDLE_TRY(question.extents_.emplace_back(), extent_number(extent));
    if (size) size = exact::multiply(*size, question.extents_.back());
  }
  if (!size || *size > kMaxSize) {
    return refuse("recover.too_large", "recovery goes up to 2^62 points");
  }
  question.view_ = std::move(view);
  question.limits_ = limits.begun();
  question.size_ = *size;
  question.failure_ = std::make_shared<std::optional<Diagnostic>>();
  question.sample_view();
  return question;
}

Result<RecoverQuestion> RecoverQuestion::flattened() const {
  HEDDLE_TRY(View flat, reshaped(view_, std::vector<Int>{Int(size_)}));
  HEDDLE_TRY(RecoverQuestion question, make(std::move(flat), limits_));
  question.is_table_ = is_table_;
  if (extents_.size() > 1 && view_.order == form::FlatOrder::kLastFastest) {
    // The same samples, with their points counted from the other end.
    question.sampler_ = [reversed = std::vector(extents_.rbegin(), extents_.rend()),
                         sampler = sampler_](std::int64_t flat_index) {
      return sampler(counted_from_the_other_end(reversed, flat_index));
    };
  } else {
    question.sampler_ = sampler_;
  }
  question.failure_ = failure_;
  return question;
}

void RecoverQuestion::sample_view() {
  const form::Sampler sampler = [evaluate = view_.evaluate, extents = extents_,
                                 leaves_out = view_.leaves_out,
                                 failure = failure_](std::int64_t flat) {
    std::vector<Int> point(extents.size());
    for (std::size_t i = 0; i < extents.size(); ++i) {
      point[i] = flat % extents[i];
      flat /= extents[i];
    }
    std::vector<std::int64_t> numbers = numbers_of(evaluate(point, 0), *failure);
    if (leaves_out && numbers.front() < 0 && !*failure) {
      *failure = recover_no_layout(tuple_text(point) + " has no place, which no layout can say");
    }
    return numbers;
  };
  // If the notation shows nothing, all points will be evaluated, some several times.
  const bool shows_nothing = !view_.strided && !view_.bits;
  sampler_ = shows_nothing && size_ <= max_points() ? remembered(sampler, size_) : sampler;
}

void RecoverQuestion::sample_table(std::shared_ptr<const form::Table> table) {
  is_table_ = true;
  sampler_ = [table = std::move(table)](std::int64_t flat) {
    const auto axes = static_cast<std::ptrdiff_t>(table->axes.size());
    const std::int64_t row = counted_from_the_other_end(table->extents, flat);
    const auto first = table->values.begin() + row * axes;
    return std::vector<std::int64_t>(first, first + axes);
  };
}

Result<void> RecoverQuestion::check() const {
  if (*failure_) return refuse(**failure_);
  return {};
}

std::int64_t RecoverQuestion::max_points() const {
  return is_table_ ? form::kMaxTable : form::kMaxVerified;
}

std::function<bool(std::int64_t)> RecoverQuestion::keep_going() const {
  // An evaluation takes less than an operation of isl.
  constexpr std::int64_t kEvaluationsOfAStep = 64;
  return [limits = limits_, failure = failure_](std::int64_t evaluations) {
    // An image that is no number is refused at once.
    return evaluations / kEvaluationsOfAStep < limits.steps && !limits.are_over() && !*failure;
  };
}

std::optional<bool> RecoverQuestion::is(const form::StridedMap& candidate) const {
  return is(form::MixedMap{candidate, {}, 0});
}

std::optional<bool> RecoverQuestion::is(const form::BitMap& candidate) const {
  if (!view_.bits) return std::nullopt;
  const auto bits = bit_view(candidate, view_.bounds);
  return bits && are_alike(*view_.bits, *bits);
}

std::optional<bool> RecoverQuestion::is(const form::MixedMap& candidate) const {
  const bool is_plain = candidate.swizzle.bits == 0;
  if (view_.strided) {
    const bool same_swizzle =
        view_.strided->swizzle
            ? view_.strided->swizzle == step_of(candidate.swizzle, candidate.axis)
            : is_plain;
    if (same_swizzle) {
      return has_offset(*view_.strided, candidate.strided.offset) &&
             form::DigitForm(view_.axes, all_digits(*view_.strided)) ==
                 form::DigitForm(view_.axes, candidate.strided.digits());
    }
  }
  if (view_.bits) {
    if (const auto bits = bits_of(strided_view(candidate), view_.bounds)) {
      return are_alike(*view_.bits, *bits);
    }
  }
  // Small boxes are evaluated faster than proved.
  if (size_ <= max_points()) return std::nullopt;
  if (view_.relation && is_plain) return is_relation(candidate.strided);
  return is_at_variables(candidate);
}

std::optional<bool> RecoverQuestion::is_at_variables(const form::MixedMap& candidate) const {
  const std::vector<Int> point =
      variable_point(view_.extents, numbered_names(extents_.size(), "heddle_c"));
  auto modes = cut_digits(candidate.strided.digits(), view_.extents);
  if (!modes) return std::nullopt;
  StridedView strided = strided_view(candidate);
  strided.modes = *std::move(modes);
  const std::vector<Int> found = view_.evaluate(point, 0);
  const std::vector<Int> wanted = image_of(strided, point, 0);
  for (std::size_t axis = 0; axis < wanted.size(); ++axis) {
    if (!found[axis].is_defined() || !wanted[axis].is_defined()) return std::nullopt;
    if (!known_equal(found[axis], wanted[axis])) return std::nullopt;
  }
  return true;
}

std::optional<bool> RecoverQuestion::is_relation(const form::StridedMap& candidate) const {
  auto modes = cut_digits(candidate.digits(), view_.extents);
  if (!modes) return std::nullopt;
  StridedView strided = strided_view({candidate, {}, 0});
  strided.modes = *std::move(modes);
  const auto wanted = relation(with_digits(view_, std::move(strided)), limits_);
  if (!wanted) return std::nullopt;
  DecideOptions options;
  options.method = Method::kIsl;
  options.limits = limits_;
  const Verdict verdict = equal(*view_.relation, *wanted, options);
  if (verdict.is_unknown()) return std::nullopt;
  return verdict.is_yes();
}

}  // namespace heddle::map
