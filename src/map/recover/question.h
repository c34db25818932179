#pragma once

// A view in the form that the functions of form/recover*.h need: a box of numbers, a sampler over
// its flat index (first extent fastest), and the facts that are known without evaluating points.

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "heddle/form/recover.h"
#include "heddle/form/recover_bits.h"
#include "heddle/form/recover_mixed.h"
#include "heddle/map/any_layout.h"

namespace heddle::map {

/// The refusal `recover.no_layout`, for the writers of forms.
[[nodiscard]] Diagnostic recover_no_layout(std::string why);

class RecoverQuestion {
 public:
  /// Refuses views that cannot be a function on a box of numbers; see recover.h.
  [[nodiscard]] static Result<RecoverQuestion> make(const AnyLayout& layout, const Limits& limits);
  [[nodiscard]] static Result<RecoverQuestion> make(View view, const Limits& limits);

  [[nodiscard]] const View& view() const { return view_; }
  [[nodiscard]] std::span<const std::int64_t> extents() const { return extents_; }
  [[nodiscard]] std::int64_t size() const { return size_; }
  [[nodiscard]] std::size_t axes() const { return view_.axes.size(); }

  /// The same function of one index, numbered in the view's own order.
  [[nodiscard]] Result<RecoverQuestion> flattened() const;

  /// A sample that is no number is remembered; see check().
  [[nodiscard]] const form::Sampler& sampler() const { return sampler_; }
  /// Refuses `overflow` or `assume.needed` if some sample so far was no number.
  [[nodiscard]] Result<void> check() const;
  /// The answer, unless some sample was no number.
  template <class Answer>
  [[nodiscard]] Result<Answer> checked(Result<Answer> answer) const {
    HEDDLE_CHECK(check());
    return answer;
  }

  /// The options with which candidates of this type of map are searched.
  template <class Options, class Map>
  [[nodiscard]] Options options() const {
    return {[this](const Map& candidate) { return is(candidate); }, max_points(), keep_going()};
  }
  [[nodiscard]] auto strided_options() const {
    return options<form::RecoverStridedOptions, form::StridedMap>();
  }
  [[nodiscard]] auto bits_options() const {
    return options<form::RecoverBitsOptions, form::BitMap>();
  }
  [[nodiscard]] auto mixed_options() const {
    return options<form::RecoverMixedOptions, form::MixedMap>();
  }

 private:
  RecoverQuestion() = default;

  void sample_table(std::shared_ptr<const form::Table> table);
  void sample_view();

  [[nodiscard]] std::optional<bool> is(const form::StridedMap& candidate) const;
  [[nodiscard]] std::optional<bool> is(const form::BitMap& candidate) const;
  [[nodiscard]] std::optional<bool> is(const form::MixedMap& candidate) const;
  [[nodiscard]] std::optional<bool> is_at_variables(const form::MixedMap& candidate) const;
  [[nodiscard]] std::optional<bool> is_relation(const form::StridedMap& candidate) const;
  [[nodiscard]] std::int64_t max_points() const;
  [[nodiscard]] std::function<bool(std::int64_t)> keep_going() const;

  View view_;
  Limits limits_;
  std::vector<std::int64_t> extents_;
  std::int64_t size_ = 1;
  bool is_table_ = false;
  form::Sampler sampler_;
  std::shared_ptr<std::optional<Diagnostic>> failure_;
};

}  // namespace heddle::map
