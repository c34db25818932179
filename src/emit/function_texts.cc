#include "emit/function_texts.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "core/printable.h"
#include "core/words.h"
#include "emit/function_source.h"
#include "emit/writer.h"

namespace heddle::emit {
namespace {

// Names.

std::string as_identifier(const std::string& name) {
  std::string text;
  for (const char c : name) text += is_word_character(c) ? c : '_';
  if (text.empty() || !is_identifier(text)) text = "axis" + text;
  return text;
}

/// Names that occur in the loops of OpenMP.
constexpr std::array<const char*, 4> kNamesOfLoops = {"packed", "plain", "bytes", "memcpy"};

Result<void> check_name(const TextOptions& options) {
  const std::string& module = options.mlir.gpu_module;
  if (!module.empty() && !is_identifier(module)) {
    return refuse(
        Diagnostic("print.name", fmt::format("'{}' is not a name for a gpu.module", module))
            .with_hint("--gpu-module kernels"));
  }
  const bool is_parameter =
      options.openmp && std::ranges::find(kNamesOfLoops, options.name) != kNamesOfLoops.end();
  // Functions that come with templates have this reserved prefix, and may keep it.
  const bool is_index = options.name.starts_with("heddle_index_");
  const bool is_free =
      is_identifier(options.name) && (is_index || !is_reserved(options.name, options.dialect));
  if (is_free && !is_parameter) return {};
  return refuse(Diagnostic("print.name", fmt::format("'{}' is not a name for a function in {}",
                                                     options.name, title_of(options.dialect)))
                    .with_hint("--name idx"));
}

// Kernels under the names of the language.

/// The variables of a kernel as they are spelled, in the order in which they occur.
std::vector<std::string> names_in(const SpelledKernel& kernel) {
  std::vector<std::string> names;
  for_each_node(*kernel.kernel, [&](const CodeExpression& node) {
    if (node.operation() != CodeOperation::kVariable) return;
    const std::string& name = spelled(node.name(), kernel.spelling);
    if (std::ranges::find(names, name) == names.end()) names.push_back(name);
  });
  return names;
}

/// A condition among others needs parentheses only if it is a select.
std::string as_operand(const std::string& condition, Dialect dialect) {
  const std::string_view sign = is_c_like(dialect) ? " ? " : " if ";
  const bool is_choice = dialect != Dialect::kLatex && has_outside(condition, {&sign, 1});
  return is_choice ? "(" + condition + ")" : condition;
}

FunctionBody body_of(const SpelledKernel& kernel, const PrintedKernel& printed,
                     std::span<const Branch> branches, Dialect dialect) {
  FunctionBody body{printed.definitions, {}, names_in(kernel)};
  for (const Branch& branch : branches) {
    BranchText& text = body.branches.emplace_back();
    for (const std::size_t i : branch.guards) {
      text.guards.push_back(as_operand(printed.guards[i], dialect));
    }
    for (const std::size_t i : branch.results) text.results.push_back(printed.results[i]);
  }
  return body;
}

/// A kernel whose parameters have these identifiers; its definitions, and others beside it, get
/// names that no parameter has.
SpelledKernel with_identifiers(const BranchedKernel& function,
                               const std::vector<std::string>& identifiers, const Spelling& sizes,
                               const Kernel& beside = {}) {
  SpelledKernel made{&function.kernel, sizes};
  for (std::size_t i = 0; i < identifiers.size(); ++i) {
    made.spelling[function.parameters[i]] = identifiers[i];
  }
  for (const Kernel* kernel : {&beside, &function.kernel}) {
    std::vector<std::string> taken;
    for (const auto& [from, to] : made.spelling) taken.push_back(to);
    for (const auto& [name, value] : kernel->definitions) {
      made.spelling[name] = free_name(name, taken);
    }
  }
  return made;
}

// Comments.

std::string box_text(const MapFunction& function, const FunctionTexts& texts) {
  const std::vector<CodeExpression>& ends = function.guard.ends.results;
  const auto text = [&](const std::optional<std::size_t>& i) {
    return i ? std::optional(heddle::to_string(ends[*i].value())) : std::nullopt;
  };
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < texts.coordinates.size(); ++i) {
    const auto& [low, end] = function.guard.box[i];
    parts.push_back(interval_text({text(low), text(end)}, texts.coordinates[i]));
  }
  return listed(parts);
}

std::string value_text(const std::string& name, const Range& values) {
  if (!values.is_bounded()) return name;
  return fmt::format("{} in [{}, {}]", name, values.low, values.high);
}

std::string point_text(const std::vector<std::string>& names) {
  return names.size() == 1 ? names.front() : fmt::format("({})", fmt::join(names, ", "));
}

std::string width_text(const MapFunction& function, const FunctionTexts& texts) {
  const Range& values = function.on_the_way;
  std::string bits = texts.is_narrow ? "32 bits" : "64 bits";
  if (texts.type == "index") bits = "index of " + bits + " or more";
  if (values.is_bounded()) {
    return fmt::format("{}: every number on the way is proved to be from {} to {}.", bits,
                       values.low, values.high);
  }
  return fmt::format("{}: nothing is known of how large {} may be; what is computed has to fit.",
                     bits, fmt::join(function.unbounded, ", "));
}

void write_comments(FunctionTexts& texts, const MapFunction& function) {
  std::vector<std::string> values;
  const std::vector<std::string>& places = texts.map.results;
  for (std::size_t k = 0; k < places.size(); ++k) {
    values.push_back(value_text(places[k], function.values[k]));
  }
  const std::string point = point_text(texts.coordinates);
  const std::string place = point_text(places);
  texts.map.comment =
      printable(fmt::format("The place {} of a point {}: {}.", fmt::join(values, ", "), point,
                            box_text(function, texts)));
  texts.about_guard = fmt::format("Whether {} is a point of the layout.", point);
  texts.about_all.push_back(in_a_comment(
      fmt::format("{}: the map of {}, {}.", texts.name, function.layout, function.description)));
  if (!function.assumptions.empty()) {
    texts.about_all.push_back(
        in_a_comment(fmt::format("Assumed: {}.", fmt::join(function.assumptions, ", "))));
  }
  const bool has_width = texts.dialect == Dialect::kTriton || texts.dialect == Dialect::kMlir;
  if (is_c_like(texts.dialect) || has_width) {
    texts.about_all.push_back(in_a_comment(width_text(function, texts)));
  }
  if (function.inverse) {
    texts.inverse->comment =
        fmt::format("The point {} at a place {} that {} gives.", point, place, texts.name);
    return;
  }
  const Diagnostic& why = function.inverse.error();
  texts.about_all.push_back(
      in_a_comment(fmt::format("No {}: {}.", texts.named("inverse"), why.message())));
  for (const std::string& note : why.notes()) texts.about_all.push_back(in_a_comment("  " + note));
}

std::optional<std::int64_t> size_of(const MapFunction& function) {
  if (function.values.size() != 1 || !function.values.front().is_bounded()) return std::nullopt;
  const Range& values = function.values.front();
  if (values.low < 0) return std::nullopt;
  return values.high + 1;
}

/// Chooses the names of everything.
FunctionTexts named(const MapFunction& function, const TextOptions& options) {
  FunctionTexts texts;
  texts.dialect = options.dialect;
  texts.name = options.name;
  std::vector<std::string> taken = {options.name};
  for (const char* part : {"inverse", "guard", "place", "point", "accessor", "size"}) {
    taken.push_back(texts.named(part));
  }
  // Names of the accessor, and of the loops.
  if (is_cpp_like(options.dialect)) taken.insert(taken.end(), {"T", "data"});
  if (options.openmp) {
    taken.insert(taken.end(), kNamesOfLoops.begin(), kNamesOfLoops.end());
    taken.insert(taken.end(), {texts.named("pack"), texts.named("unpack")});
  }
  // Names of the functions that are called.
  for (const char* helper : {"quotient", "remainder", "min", "max", "shift_left", "gcd", "isqrt"}) {
    taken.push_back(texts.named(helper));
  }
  if (options.dialect == Dialect::kMlir) taken.insert(taken.end(), {"value", "data"});
  texts.sizes = identifiers(function.sizes, options.dialect, taken);
  std::vector<std::string> taken_by_coordinates = taken;
  texts.coordinates = identifiers(function.coordinates, options.dialect, taken_by_coordinates);
  const std::vector<std::string> places = identifiers(function.places, options.dialect, taken);
  texts.map = {texts.name, texts.named("place"), texts.coordinates, places};
  if (function.inverse) {
    texts.inverse = {texts.named("inverse"), texts.named("point"), places, texts.coordinates};
  }
  texts.is_narrow = fits_32_bits(function.on_the_way);
  texts.size = size_of(function);
  texts.has_memory = places.size() == 1 && function.values.front().low >= 0;
  return texts;
}

/// Prints the kernels in the language.
Result<void> print_kernels(FunctionTexts& texts, const MapFunction& function,
                           const TextOptions& options) {
  Spelling sizes;
  for (std::size_t i = 0; i < function.sizes.size(); ++i) {
    sizes[function.sizes[i]] = texts.sizes[i];
  }
  // The guard has its two kernels in one function.
  const SpelledKernel inside =
      with_identifiers(function.guard.inside, texts.coordinates, sizes, function.guard.ends);
  std::vector<SpelledKernel> kernels = {with_identifiers(function.map, texts.coordinates, sizes),
                                        {&function.guard.ends, inside.spelling},
                                        inside};
  if (function.inverse) {
    kernels.push_back(with_identifiers(*function.inverse, texts.map.results, sizes));
  }
  HEDDLE_TRY(const std::vector<PrintedKernel> printed,
             print_together(kernels, {options.dialect, true, false, options.name + "_"}));
  const auto body = [&](std::size_t i, std::span<const Branch> branches) {
    return body_of(kernels[i], printed[i], branches, options.dialect);
  };
  texts.type = printed.front().type;
  texts.helpers = printed.front().helpers;
  texts.map.body = body(0, function.map.branches);
  texts.ends = body(1, {});
  texts.inside = body(2, function.guard.inside.branches);
  if (function.inverse) texts.inverse->body = body(3, function.inverse->branches);
  const std::vector<std::string>& ends = printed[1].results;
  for (const auto& [low, end] : function.guard.box) {
    texts.box.push_back({low ? std::optional(ends[*low]) : std::nullopt,
                         end ? std::optional(ends[*end]) : std::nullopt});
  }
  return {};
}

}  // namespace

std::vector<std::string> identifiers(const std::vector<std::string>& names, Dialect dialect,
                                     std::vector<std::string>& taken) {
  std::vector<std::string> made;
  for (const std::string& name : names) {
    std::string text = as_identifier(name);
    // Such names are reserved for helper functions, whatever their ending.
    if (text.starts_with("heddle_")) text.insert(0, "_");
    while (is_reserved(text, dialect)) text += '_';
    made.push_back(free_name(std::move(text), taken));
  }
  return made;
}

std::string in_a_comment(std::string text) {
  constexpr std::size_t kMost = 400;
  std::ranges::replace(text, '\n', ' ');
  text = printable(text);
  if (text.size() > kMost) text = printable(text.substr(0, kMost)) + "...";
  while (!text.empty() && text.back() == '\\') text.pop_back();
  return text;
}

std::string joined(const Names& parts, std::string_view sign, std::string_view none) {
  return parts.empty() ? std::string(none) : fmt::format("{}", fmt::join(parts, sign));
}

std::vector<std::string> with_sizes(std::vector<std::string> names, const FunctionTexts& texts) {
  names.insert(names.end(), texts.sizes.begin(), texts.sizes.end());
  return names;
}

std::string row_major(std::span<const std::string> coordinates,
                      std::span<const std::string> extents) {
  std::string index = coordinates.front();
  for (std::size_t i = 1; i < coordinates.size(); ++i) {
    const bool is_word = std::ranges::all_of(extents[i], is_word_character);
    index = fmt::format(fmt::runtime(i == 1 ? "{} * {} + {}" : "({}) * {} + {}"), index,
                        is_word ? extents[i] : "(" + extents[i] + ")", coordinates[i]);
  }
  return index;
}

std::string interval_text(const Interval<std::string>& ends, const std::string& name,
                          std::string_view at_most) {
  std::string text = ends.low ? fmt::format("{}{}", *ends.low, at_most) : "";
  text += name;
  return ends.end ? text + " < " + *ends.end : text;
}

std::vector<std::string> box_intervals(const FunctionTexts& texts,
                                       const std::vector<std::string>& names,
                                       std::string_view at_most) {
  std::vector<std::string> intervals;
  for (std::size_t i = 0; i < texts.box.size(); ++i) {
    const bool has_end = texts.box[i].low || texts.box[i].end;
    if (has_end) intervals.push_back(interval_text(texts.box[i], names[i], at_most));
  }
  return intervals;
}

std::vector<std::string> box_conditions(const FunctionTexts& texts) {
  std::vector<std::string> conditions;
  for (std::size_t i = 0; i < texts.box.size(); ++i) {
    const auto& [low, end] = texts.box[i];
    if (low) conditions.push_back(*low + " <= " + texts.coordinates[i]);
    if (end) conditions.push_back(texts.coordinates[i] + " < " + *end);
  }
  return conditions;
}

Result<FunctionTexts> texts_of(const MapFunction& function, const TextOptions& options) {
  HEDDLE_CHECK(check_name(options));
  FunctionTexts texts = named(function, options);
  if (options.dialect == Dialect::kMlir) {
    texts.type = !options.mlir.integers ? "index" : texts.is_narrow ? "i32" : "i64";
  } else {
    HEDDLE_CHECK(print_kernels(texts, function, options));
  }
  write_comments(texts, function);
  return texts;
}

#ifndef HEDDLE_HAS_MLIR
Result<std::string> mlir_text(const MapFunction& /*function*/, const FunctionTexts& /*texts*/,
                              const MlirOptions& /*options*/) {
  return refuse(Diagnostic("emit.target", "this build of Heddle does not write MLIR")
                    .with_hint("build it with the component: cmake -DHEDDLE_MLIR=ON (Debian: "
                               "libmlir-19-dev)"));
}
#endif

Result<std::string> to_text(const MapFunction& function, const TextOptions& options) {
  if (options.dialect == Dialect::kHeddle) {
    return refuse(Diagnostic("print.operation",
                             "the expression language has no functions of "
                             "several statements")
                      .with_hint("heddle index writes expressions"));
  }
  const bool has_openmp = options.dialect == Dialect::kC || options.dialect == Dialect::kCpp;
  if (options.openmp && !has_openmp) {
    return refuse(Diagnostic("emit.target", fmt::format("OpenMP is of C and C++, not of {}",
                                                        title_of(options.dialect)))
                      .with_hint("--target cpp"));
  }
  HEDDLE_TRY(const FunctionTexts texts, texts_of(function, options));
  if (options.dialect == Dialect::kMlir) return mlir_text(function, texts, options.mlir);
  if (is_c_like(options.dialect)) return c_text(texts, options.openmp);
  return is_python_like(options.dialect) ? python_text(texts) : latex_text(texts);
}

}  // namespace heddle::emit
