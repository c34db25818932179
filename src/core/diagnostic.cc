#include "heddle/core/diagnostic.h"

#include <algorithm>
#include <ostream>

#include "core/format.h"
#include "core/printable.h"
#include "core/text.h"
#include "heddle/core/axis.h"
#include "heddle/core/result.h"
#include "heddle/core/verdict.h"

namespace heddle {
namespace {

/// The line of `source` that `span` begins in, with its position and a caret line under
/// `span`.
std::string quote_source(std::string_view source, Span span) {
  constexpr std::size_t kMaxWidth = 100;
  const std::size_t begin = std::min(span.begin, source.size());
  const std::size_t line_begin = begin == 0 ? 0 : source.rfind('\n', begin - 1) + 1;
  const std::size_t line_end = std::min(source.find('\n', begin), source.size());
  const std::size_t line_number =
      1 + static_cast<std::size_t>(std::ranges::count(source.substr(0, line_begin), '\n'));
  const std::size_t column = begin - line_begin;

  // Only a window around the place is shown of a very long line.
  const std::size_t first = column < kMaxWidth ? 0 : column - kMaxWidth / 2;
  const std::string_view line =
      source.substr(line_begin, line_end - line_begin).substr(first).substr(0, kMaxWidth);
  const std::string before = printable(line.substr(0, column - first));
  const std::string marked =
      printable(line.substr(column - first).substr(0, span.end - std::min(span.end, begin)));
  const std::size_t carets = std::max<std::size_t>(1, code_points(marked));
  return fmt::format("  line {}, column {}\n    {}\n    {}{}\n", line_number, column + 1,
                     printable(line), std::string(code_points(before), ' '),
                     std::string(carets, '^'));
}

/// Shortens texts that would fill the screen, such as long formulas.
std::string shown(std::string_view text) {
  constexpr std::size_t kMost = 2000;
  return printable_lines(shortened(text, kMost));
}

/// Whether the witness is a coordinate (`1 = (1,0)`, `1 where M=2`), and not values of variables
/// (`M=3, N=1`) or empty.
bool is_coordinate(const Witness& witness) {
  const std::string_view all = witness.coordinate;
  const std::string_view point = all.substr(0, all.find(" where "));
  const std::size_t sign = point.find('=');
  const bool has_values = sign != std::string_view::npos && sign > 0 && point[sign - 1] != ' ';
  return !witness.coordinate.empty() && !has_values;
}

/// `coordinate 1: 9 and 8`, `M=3: 9 and 8`, `9 and 8`, `no coordinate maps to 3`.
std::string both_sides(const Witness& witness) {
  return (is_coordinate(witness) ? "coordinate " : "") + witness.coordinate +
         (witness.coordinate.empty() ? "" : ": ") + witness.found +
         (witness.wanted.empty() ? "" : " and " + witness.wanted);
}

}  // namespace

std::string to_string(const Witness& witness) {
  if (!is_coordinate(witness)) return both_sides(witness);
  std::string text = "coordinate " + witness.coordinate + " maps to " + witness.found;
  if (!witness.wanted.empty()) text += "; " + witness.wanted_by + " would need " + witness.wanted;
  return text;
}

struct Diagnostic::Contents {
  std::string code;
  std::string message;
  std::vector<std::string> notes;
  std::string hint;
  std::optional<Span> span;
  std::optional<Witness> witness;

  friend bool operator==(const Contents&, const Contents&) = default;
};

Diagnostic::Diagnostic(std::string_view code, std::string_view message)
    : contents_(std::make_unique<Contents>(
          Contents{std::string(code), std::string(message), {}, {}, {}, {}})) {}
Diagnostic::Diagnostic(const Diagnostic& other)
    : contents_(std::make_unique<Contents>(*other.contents_)) {}
Diagnostic::Diagnostic(Diagnostic&& other) noexcept = default;
Diagnostic& Diagnostic::operator=(const Diagnostic& other) { return *this = Diagnostic(other); }
Diagnostic& Diagnostic::operator=(Diagnostic&& other) noexcept = default;
Diagnostic::~Diagnostic() = default;

const std::string& Diagnostic::code() const { return contents_->code; }
const std::string& Diagnostic::message() const { return contents_->message; }
const std::vector<std::string>& Diagnostic::notes() const { return contents_->notes; }
const std::string& Diagnostic::hint() const { return contents_->hint; }
const std::optional<Span>& Diagnostic::span() const { return contents_->span; }
const std::optional<Witness>& Diagnostic::witness() const { return contents_->witness; }

Diagnostic Diagnostic::with_note(std::string note) && {
  contents_->notes.push_back(std::move(note));
  return std::move(*this);
}

Diagnostic Diagnostic::with_hint(std::string hint) && {
  contents_->hint = std::move(hint);
  return std::move(*this);
}

Diagnostic Diagnostic::with_span(Span span) && {
  contents_->span = span;
  return std::move(*this);
}

Diagnostic Diagnostic::with_witness(Witness witness) && {
  contents_->witness = std::move(witness);
  return std::move(*this);
}

std::string Diagnostic::to_string(std::string_view source) const {
  std::string text = "error " + code() + ": " + shown(message()) + "\n";
  if (span() && !source.empty()) text += quote_source(source, *span());
  for (const std::string& note : notes()) text += "  " + shown(note) + "\n";
  if (witness()) text += "  witness: " + shown(heddle::to_string(*witness())) + "\n";
  if (!hint().empty()) text += "  hint: " + shown(hint()) + "\n";
  text.pop_back();
  return text;
}

bool operator==(const Diagnostic& a, const Diagnostic& b) { return *a.contents_ == *b.contents_; }

Refusal refuse(std::string_view code, std::string_view message) {
  return Refusal(Diagnostic(code, message));
}

std::ostream& operator<<(std::ostream& stream, const Diagnostic& diagnostic) {
  return stream << diagnostic.to_string();
}

Verdict Verdict::yes(std::string method) { return Verdict(Answer::kYes, std::move(method)); }

Verdict Verdict::no(std::string method, std::optional<Witness> counterexample) {
  Verdict verdict(Answer::kNo, std::move(method));
  verdict.counterexample_ = std::move(counterexample);
  return verdict;
}

Verdict Verdict::unknown(std::string method) {
  return Verdict(Answer::kUnknown, std::move(method));
}

Verdict Verdict::with_remark(std::string remark) && {
  remark_ = std::move(remark);
  return std::move(*this);
}

std::string Verdict::to_string() const {
  std::string text = is_yes() ? "yes" : is_no() ? "no" : "unknown";
  text += "  (" + method_;
  if (!remark_.empty()) text += "; " + remark_;
  text += ")";
  if (counterexample_) text += "  counterexample: " + both_sides(*counterexample_);
  return text;
}

std::ostream& operator<<(std::ostream& stream, const Verdict& verdict) {
  return stream << verdict.to_string();
}

std::ostream& operator<<(std::ostream& stream, const Axis& axis) { return stream << axis.name(); }

}  // namespace heddle
