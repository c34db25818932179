#include "heddle/map/show.h"
#include "core/text.h"

#include <fmt/format.h>

#include <utility>

namespace heddle::map {
namespace {

/// Converting the result back by the same reading gives the layout again.
Verdict comes_back(const AnyLayout& layout, const Converted& there, const DecideOptions& decide) {
  ConvertOptions options;
  options.reading = there.reading;
  options.limits = decide.limits;
  if (system_of(there.layout) == System::kAxe) options.shape = there.shape;
  const auto back = convert(there.layout, system_of(layout), options);
  if (!back) return Verdict::unknown("not converted back: " + back.error().message());
  DecideOptions literal = decide;
  literal.reading = Reading::kLiteral;
  return equal(layout, back->layout, literal);
}

/// Whether both are one map under the reading of the conversion. Where that is not settled, by
/// converting back.
Verdict is_same_map(const AnyLayout& layout, const Converted& there, const ConvertOptions& options,
                    const DecideOptions& decide) {
  DecideOptions read = decide;
  read.reading = there.reading;
  read.shape = system_of(there.layout) == System::kAxe ? there.shape : options.shape;
  const Verdict verdict = equal(layout, there.layout, read);
  const bool is_settled = !verdict.is_unknown() || there.reading == Reading::kLiteral;
  return is_settled ? verdict : comes_back(layout, there, decide);
}

Result<Converted> in_system(const AnyLayout& layout, System system, const ConvertOptions& options) {
  if (system == System::kTable && system_of(layout) != System::kTable) {
    const auto viewed = view(layout, options.limits);
    if (viewed && known_less(Int(kMaxShownPoints), viewed->size())) {
      return refuse(
          Diagnostic("table.too_large", fmt::format("a table of {} is not shown",
                                                    counted(to_string(viewed->size()), "point")))
              .with_hint("convert --to table writes it"));
    }
  }
  return convert(layout, system, options);
}

}  // namespace

std::vector<Notation> show(const AnyLayout& layout, const ConvertOptions& options,
                           const DecideOptions& decide) {
  std::vector<Notation> all;
  for (const System system : systems()) {
    Notation shown{system, in_system(layout, system, options)};
    if (shown.converted && system != system_of(layout)) {
      shown.same = is_same_map(layout, *shown.converted, options, decide);
    }
    all.push_back(std::move(shown));
  }
  return all;
}

}  // namespace heddle::map
