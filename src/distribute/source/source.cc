#include "heddle/distribute/source.h"

#include <algorithm>
#include <array>

#include "core/format.h"
#include "distribute/source/jax_text.h"
#include "distribute/source/nccl_text.h"
#include "heddle/emit/dialect.h"

namespace heddle::distribute {

std::string_view name_of(SourceTarget target) {
  return target == SourceTarget::kNccl ? "nccl" : "jax";
}

std::optional<SourceTarget> find_source_target(std::string_view name) {
  for (const SourceTarget target : {SourceTarget::kNccl, SourceTarget::kJax}) {
    if (name == name_of(target)) return target;
  }
  return std::nullopt;
}

namespace {

Result<void> check_reduction(const Plan& plan) {
  constexpr std::array<std::string_view, 6> kKnown = {"", "sum", "avg", "product", "max", "min"};
  if (std::ranges::find(kKnown, plan.reduce_op()) != kKnown.end()) return {};
  return refuse(diagnose("distribute.partial", "no program reduces by {}", plan.reduce_op())
                    .with_hint("programs reduce by sum, avg, product, max and min"));
}

}  // namespace

Result<std::string> to_source(const Plan& plan, SourceTarget target, const SourceOptions& options) {
  const bool is_nccl = target == SourceTarget::kNccl;
  const emit::Dialect dialect = is_nccl ? emit::Dialect::kCuda : emit::Dialect::kPython;
  if (!emit::is_identifier(options.name) || emit::is_reserved(options.name, dialect)) {
    return refuse(diagnose("print.name", "'{}' is not a name for a function in {}", options.name,
                           emit::title_of(dialect))
                      .with_hint("letters, digits and _, such as redistribute"));
  }
  HEDDLE_CHECK(check_reduction(plan));
  return is_nccl ? nccl_text(plan, options) : jax_text(plan, options);
}

}  // namespace heddle::distribute
