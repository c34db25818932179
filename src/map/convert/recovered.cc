// Writes a recovered layout or table in the notation of each system.

#include <utility>

#include "heddle/map/relations.h"
#include "heddle/map/show.h"
#include "map/forms/layouts_of_forms.h"
#include "map/recover/question.h"

namespace heddle::map {
namespace {

/// The layout in the notation of its own system, with nothing to say about it.
Notation plainly(System system, Result<AnyLayout> found) {
  if (!found) return {system, refuse(std::move(found).error())};
  return {system, Converted{*std::move(found), {}, Reading::kLiteral, {}}};
}

Notation cute_notation(const AnyLayout& layout, const RecoverOptions& options) {
  Result<cute::AnyLayout> found = recover_strided(layout, options);
  if (!found && found.error().code() == "recover.no_layout" && !options.strides) {
    const Diagnostic strided = found.error();
    found = recover_mixed(layout, options);
    if (!found && found.error().code() == "recover.no_mixed") {
      found = refuse(Diagnostic(strided).with_note(found.error().message()));
    }
  }
  return plainly(System::kCute, std::move(found).transform(any_layout));
}

Notation axe_notation(const AnyLayout& layout, const RecoverOptions& options) {
  Result<RecoveredAxe> found = recover_axe(layout, options);
  if (!found) return {System::kAxe, refuse(std::move(found).error())};
  if (found->shape.size() == 1) found->shape.clear();
  return {System::kAxe,
          Converted{std::move(found->layout), std::move(found->shape), Reading::kLiteral, {}}};
}

Notation converted(const AnyLayout& layout, System system, const RecoverOptions& options) {
  ConvertOptions wanted;
  wanted.limits = options.limits;
  return {system, convert(layout, system, wanted)};
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
    if (found) return plainly(System::kRelation, *std::move(found));
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
  std::vector<Notation> all = {
      cute_notation(layout, options), plainly(System::kLinear, recover_bit_linear(layout, options)),
      axe_notation(layout, options), converted(layout, System::kLego, options),
      relation_notation(layout, options)};
  if (has_two_indices(layout, options)) {
    all.insert(all.begin() + 1, converted(layout, System::kCuteTv, options));
  }
  return all;
}

}  // namespace heddle::map
