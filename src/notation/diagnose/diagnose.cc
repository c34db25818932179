#include "heddle/notation/diagnose.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <ostream>
#include <utility>

#include "core/text.h"
#include "heddle/notation/evaluator.h"
#include "notation/diagnose/compiler_log.h"
#include "notation/diagnose/cute_assertions.h"
#include "notation/diagnose/cute_calls.h"
#include "notation/diagnose/shape_div_caller.h"
#include "notation/value/axe.h"
#include "notation/value/data.h"

namespace heddle::notation {
namespace {

// Longer source lines and conditions are cut, as they do not help.
constexpr std::size_t kMaxText = 2000;

bool has_folder(std::string_view file, std::string_view folder) {
  const std::size_t at = file.rfind(folder);
  if (at == std::string_view::npos) return false;
  return at == 0 || file[at - 1] == '/' || file[at - 1] == '\\';
}

bool is_in_cute(const SourcePlace& place) {
  return has_folder(place.file, "cute/") || has_folder(place.file, "cute\\");
}
bool is_in_library(const SourcePlace& place) {
  return is_in_cute(place) || has_folder(place.file, "cutlass/") ||
         has_folder(place.file, "cutlass\\") || has_folder(place.file, "c++/") ||
         has_folder(place.file, "cuda/std/");
}

std::string cut_to_limit(std::string_view text) { return std::string(text.substr(0, kMaxText)); }

std::string text_of(const SourcePlace& place) {
  return place.line == 0 ? std::string()
                         : cut_to_limit(fmt::format("{}:{}", place.file, place.line));
}

/// The index of the first instantiation requested from outside CuTe; the number of instantiations
/// if there is none.
std::size_t call_site(const FailedAssertion& failed, bool (*is_inside)(const SourcePlace&)) {
  const auto& frames = failed.instantiations;
  const auto site = std::ranges::find_if(frames, [&](const TemplateInstantiation& frame) {
    return frame.caller.line != 0 && !is_inside(frame.caller) &&
           !has_folder(frame.caller.file, "c++/");
  });
  return static_cast<std::size_t>(site - frames.begin());
}

bool concerns_cute(const FailedAssertion& failed) {
  if (is_in_cute(failed.place) || find_cute_assertion(failed.message) != nullptr) return true;
  return std::ranges::any_of(failed.instantiations, [](const TemplateInstantiation& frame) {
    return !cute_function(frame.signature).empty();
  });
}

/// The outermost call whose operands can be read, preferably one without unknown numbers.
std::optional<CuteCall> find_call(const FailedAssertion& failed, std::size_t site) {
  const auto& frames = failed.instantiations;
  std::optional<CuteCall> dynamic;
  for (std::size_t i = std::min(site + 1, frames.size()); i-- > 0;) {
    auto call = cute_call(frames[i].signature);
    if (!call) continue;
    if (!call->is_dynamic) return call;
    if (!dynamic) dynamic = std::move(call);
  }
  return dynamic;
}

std::string list_of_functions(const FailedAssertion& failed, std::size_t site) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < failed.instantiations.size() && i <= site; ++i) {
    std::string name = cute_function(failed.instantiations[i].signature);
    if (name.empty() || std::ranges::find(names, name) != names.end()) continue;
    names.push_back(std::move(name));
  }
  constexpr std::size_t kMost = 8;
  if (names.size() > kMost) names.resize(kMost);
  return cut_to_limit(fmt::format("{}", fmt::join(names, ", ")));
}

/// What was looked for, if no call could be read.
std::string missing_call(const FailedAssertion& failed, std::size_t site) {
  const std::string functions = list_of_functions(failed, site);
  if (failed.instantiations.empty()) {
    return "the log shows no instantiation around the assertion (\"instantiation of … [with …]\", "
           "\"in instantiation of … requested here\", \"required from … [with …]\"): the operands "
           "are not known";
  }
  if (functions.empty()) {
    return fmt::format("none of the {} instantiations around the assertion is a function of CuTe",
                       failed.instantiations.size());
  }
  return fmt::format(
      "the instantiations name {}; no function among them is one that is made again "
      "here with operands that can be read as layouts, tuples or integers",
      functions);
}

/// The innermost function that users know, rather than the folds and transforms within it.
std::string asserting_function(const FailedAssertion& failed) {
  std::string innermost;
  for (const TemplateInstantiation& frame : failed.instantiations) {
    std::string function = cute_function(frame.signature);
    if (is_known_function(function)) return function;
    if (innermost.empty()) innermost = std::move(function);
  }
  return innermost;
}

/// For a copy between different ranks, measures the ranks, which explain more than common
/// contiguity.
void measure_ranks(CuteCall& call) {
  if (call.operands.size() != 2) return;
  call.expression = fmt::format("(rank({}), rank({}))", call.operands[0], call.operands[1]);
}

Finding explain(const FailedAssertion& failed) {
  Finding finding;
  finding.assertion = cut_to_limit(failed.message);
  if (const CuteAssertion* known = find_cute_assertion(failed.message)) {
    finding.meaning = known->meaning;
    finding.advice = known->advice;
  }
  const auto& frames = failed.instantiations;
  const std::size_t site = call_site(failed, is_in_cute);
  const SourcePlace& place = site < frames.size() ? frames[site].caller : failed.place;
  finding.place = text_of(place);
  finding.source_line = cut_to_limit(place.text);
  if (const std::size_t outside = call_site(failed, is_in_library);
      site < outside && outside < frames.size()) {
    finding.reached_from = text_of(frames[outside].caller);
  }
  finding.asserted_in = asserting_function(failed);
  auto call = find_call(failed, site);
  const bool ends_early = !call || call->function == "shape_div";
  if (const auto caller = ends_early ? caller_of_shape_div(failed) : std::nullopt) {
    finding.inferred_caller = caller->text;
    if (!caller->expression.empty()) call = CuteCall{"shape_div", caller->expression, {}};
  }
  const bool is_about_ranks = failed.message.find("rank-mismatch") != std::string_view::npos;
  if (call && call->is_measure && is_about_ranks) measure_ranks(*call);
  if (!call) {
    finding.function = site < frames.size() ? cute_function(frames[site].signature) : "";
    finding.missing = missing_call(failed, site);
    return finding;
  }
  finding.function = call->function;
  finding.expression = call->expression;
  finding.is_measure = call->is_measure;
  if (call->is_dynamic) {
    finding.missing =
        "each ? is a number that only the running program knows; below D0, D1, … in their order";
  }
  Result<Value> answer = evaluate(call->expression);
  // The place is that of the whole expression, so it is left out.
  if (!answer) answer = without_place(std::move(answer).error());
  finding.answer = std::move(answer);
  return finding;
}

std::string answer_text(const Finding& finding) {
  if (!finding.answer->has_value()) return finding.answer->error().to_string();
  const std::string value = to_string(finding.answer->value());
  if (finding.is_measure) return value;
  return value +
         "\nexact: CuTe requires more than this answer needs; written out, it can be used in place "
         "of the call";
}

void append(std::string& text, std::string_view label, std::string_view content) {
  if (!content.empty()) text += fmt::format("  {}{}\n", label, content);
}

std::string text_of(const Finding& finding) {
  std::string text = finding.place.empty() ? "(no place)" : finding.place;
  if (!finding.function.empty()) text += ": " + finding.function;
  text += finding.assertion.empty() ? ": an assertion without a message"
                                    : fmt::format(": \"{}\"", finding.assertion);
  text += '\n';
  if (!finding.source_line.empty()) text += fmt::format("      {}\n", finding.source_line);
  append(text, "reached from ", finding.reached_from);
  const bool is_elsewhere =
      finding.asserted_in != finding.function && finding.asserted_in != finding.function + "_impl";
  if (is_elsewhere) append(text, "asserted in ", finding.asserted_in);
  if (finding.inferred_caller != finding.expression) {
    append(text, "called in ", finding.inferred_caller);
  }
  append(text, "CuTe asks: ", finding.meaning);
  append(text, "", finding.missing);
  append(text, "", finding.expression);
  if (finding.answer) text += indented(answer_text(finding), 4) + '\n';
  // If the call has an answer, no advice is needed.
  const bool is_answered = finding.answer && finding.answer->has_value() && !finding.is_measure;
  if (!is_answered) append(text, "hint: ", finding.advice);
  if (finding.consequences > 0) {
    text += fmt::format("  {} more assertion{} failed for the same call\n", finding.consequences,
                        finding.consequences == 1 ? "" : "s");
  }
  return text;
}

Datum datum_of(const Finding& finding) {
  Datum answer = nullptr;
  if (finding.answer && finding.answer->has_value()) {
    answer = Datum::Fields{{"ok", true}, {"result", to_datum(finding.answer->value())}};
  } else if (finding.answer) {
    answer = Datum::Fields{{"ok", false}, {"error", to_datum(finding.answer->error())}};
  }
  return Datum::Fields{{"assertion", finding.assertion},
                       {"place", text_or_null(finding.place)},
                       {"source_line", text_or_null(finding.source_line)},
                       {"reached_from", text_or_null(finding.reached_from)},
                       {"function", text_or_null(finding.function)},
                       {"asserted_in", text_or_null(finding.asserted_in)},
                       {"inferred_caller", text_or_null(finding.inferred_caller)},
                       {"expression", text_or_null(finding.expression)},
                       {"is_measure", finding.is_measure},
                       {"meaning", text_or_null(finding.meaning)},
                       {"answer", std::move(answer)},
                       {"missing", text_or_null(finding.missing)},
                       {"hint", text_or_null(finding.advice)},
                       {"consequences", finding.consequences}};
}

}  // namespace

Result<Diagnosis> diagnose(std::string_view log) {
  Diagnosis diagnosis;
  std::map<std::string, std::size_t> found;  // the finding at each place
  CompilerLog reader(log);
  std::size_t others = 0;
  for (FailedAssertion failed; reader.next(failed);) {
    if (!concerns_cute(failed)) {
      ++others;
      continue;
    }
    const std::size_t site = call_site(failed, is_in_cute);
    const std::string place = text_of(
        site < failed.instantiations.size() ? failed.instantiations[site].caller : failed.place);
    if (const auto known = found.find(place); known != found.end()) {
      ++diagnosis.findings[known->second].consequences;
    } else if (diagnosis.findings.size() == kMaxFindings) {
      ++diagnosis.more;
    } else {
      found.emplace(place, diagnosis.findings.size());
      diagnosis.findings.push_back(explain(failed));
    }
  }
  if (!diagnosis.findings.empty()) return diagnosis;
  return refuse(
      Diagnostic(
          "diagnose.no_assertion",
          fmt::format("no failed static assertion of CuTe in {} lines; {} of others, {} other "
                      "errors",
                      reader.lines(), others, reader.other_errors()))
          .with_hint("give the whole output of nvcc, clang or g++: heddle diagnose looks for "
                     "\"static assertion failed\" and the instantiations around it"));
}

std::string to_string(const Diagnosis& diagnosis) {
  std::string text;
  for (const Finding& finding : diagnosis.findings) {
    if (!text.empty()) text += '\n';
    text += text_of(finding);
  }
  if (diagnosis.more > 0) text += fmt::format("\n{} more places are not shown\n", diagnosis.more);
  return text;
}

Datum to_datum(const Diagnosis& diagnosis) {
  Datum::List findings;
  for (const Finding& finding : diagnosis.findings) findings.push_back(datum_of(finding));
  return Datum::Fields{{"findings", std::move(findings)}, {"more", diagnosis.more}};
}

std::ostream& operator<<(std::ostream& stream, const Diagnosis& diagnosis) {
  return stream << to_string(diagnosis);
}

}  // namespace heddle::notation
