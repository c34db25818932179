// Writes a recovered layout or table in the notation of each system.

#include <utility>

#include "expr/numbers_text.h"
#include "heddle/map/convert.h"
#include "heddle/map/recover.h"
#include "heddle/map/relations.h"
#include "map/forms/layouts_of_forms.h"
#include "map/recover/question.h"

namespace heddle::map {
namespace {

Notation cute_notation(const AnyLayout& layout, const RecoverOptions& options) {
  Result<cute::AnyLayout> found = recover_strided(layout, options);
  if (!found && found.error().code() == "recover.no_layout" && !options.strides) {
    const Diagnostic strided = found.error();
    found = recover_mixed(layout, options);
    if (!found && found.error().code() == "recover.no_mixed") {
      found = refuse(Diagnostic(strided).with_note(found.error().message()));
    }
  }
  if (!found) return {System::kCute, refuse(found.error()), {}};
  return {System::kCute, any_layout(*found), {}};
}

Notation linear_notation(const AnyLayout& layout, const RecoverOptions& options) {
  Result<linear::LinearLayout> found = recover_bit_linear(layout, options);
  if (!found) return {System::kLinear, refuse(found.error()), {}};
  return {System::kLinear, AnyLayout(*std::move(found)), {}};
}

Notation axe_notation(const AnyLayout& layout, const RecoverOptions& options) {
  Result<RecoveredAxe> found = recover_axe(layout, options);
  if (!found) return {System::kAxe, refuse(found.error()), {}};
  std::string remark;
  if (found->shape.size() > 1) remark = "shape " + tuple_text(found->shape);
  return {System::kAxe, AnyLayout(std::move(found->layout)), std::move(remark)};
}

Notation converted(const AnyLayout& layout, System system, const RecoverOptions& options) {
  ConvertOptions wanted;
  wanted.limits = options.limits;
  Result<Converted> found = convert(layout, system, wanted);
  if (!found) return {system, refuse(found.error()), {}};
  return {system, std::move(found->layout), std::move(found->remark)};
}

/// A table as the relation of the digits and the swizzle that it consists of, not of its numbers.
Result<IntegerRelation> relation_of_digits(const AnyLayout& layout, const RecoverOptions& options) {
  HEDDLE_TRY(const RecoverQuestion question, RecoverQuestion::make(layout, options.limits));
  HEDDLE_TRY(const form::MixedMap map,
             question.checked(form::recover_mixed(question.extents(), question.axes(),
                                                  question.sampler(), question.mixed_options())));
  View view = question.view();
  view.strided = strided_view(map);
  return relation(view, options.limits);
}

Notation relation_notation(const AnyLayout& layout, const RecoverOptions& options) {
  if (system_of(layout) == System::kTable) {
    Result<IntegerRelation> found = relation_of_digits(layout, options);
    if (found) return {System::kRelation, AnyLayout(*std::move(found)), {}};
  }
  return converted(layout, System::kRelation, options);
}

/// Whether the two indices may be threads and values.
bool has_two_indices(const AnyLayout& layout, const RecoverOptions& options) {
  const auto viewed = view(layout, options.limits);
  return viewed && viewed->extents.size() == 2;
}

}  // namespace

std::vector<Notation> notations(const AnyLayout& layout, const RecoverOptions& options) {
  std::vector<Notation> all = {cute_notation(layout, options), linear_notation(layout, options),
                               axe_notation(layout, options),
                               converted(layout, System::kLego, options),
                               relation_notation(layout, options)};
  if (has_two_indices(layout, options)) {
    all.insert(all.begin() + 1, converted(layout, System::kCuteTv, options));
  }
  return all;
}

}  // namespace heddle::map
