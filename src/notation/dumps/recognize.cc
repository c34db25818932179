#include "heddle/notation/recognize.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "core/printable.h"
#include "core/words.h"
#include "heddle/notation/analyses.h"
#include "heddle/notation/diagnose.h"
#include "heddle/notation/evaluator.h"
#include "heddle/notation/kernel.h"
#include "heddle/notation/npy.h"
#include "heddle/notation/parser.h"
#include "heddle/notation/ttgir.h"
#include "notation/dumps/distinct_names.h"
#include "notation/dumps/tvm_script.h"
#include "notation/operations/any_layout.h"

namespace heddle::notation {
namespace {

/// `a CuTe layout`; for values that are no layout, their kind.
std::string kind_of(const Value& value) {
  const auto system = system_of(value);
  return std::string(system ? map::description(*system) : kind_name(value));
}

/// Whether the picture of the value is that of the operands of an instruction.
bool has_operands(const Value& value) {
  return value.is<cute::TiledMma>() || value.is<cute::TiledCopy>() || value.is<cute::MmaAtom>();
}

/// The value as a layout of any system, or as what has pictures of its operands; nullopt for
/// others.
std::optional<Value> layout_in(const Value& value) {
  if (value.has_map() || value.is<axe::Mesh>() || has_operands(value)) return value;
  const bool may_be_layout = is_list(value) || value.is<std::string>() || system_of(value);
  if (!may_be_layout) return std::nullopt;
  const auto layout = as_any_layout(value);
  return layout ? *layout : std::nullopt;
}

/// `16 x 32`
std::string sizes_text(const linear::Sizes& sizes) {
  return fmt::format("{}", fmt::join(sizes, " x "));
}

/// An encoding on a tensor of this shape, or of the smallest that it covers if the shape is empty.
Result<FoundLayout> on_a_tensor(std::string name, const linear::Encoding& encoding,
                                linear::Sizes shape) {
  const bool is_assumed = shape.empty();
  if (is_assumed) {
    HEDDLE_TRY(shape, linear::smallest_shape(encoding));
  }
  HEDDLE_CHECK(linear::to_linear_layout(encoding, shape));
  FoundLayout found;
  found.name = std::move(name);
  found.text = fmt::format("encoding_to_linear_layout({}, [{}])", to_string(encoding),
                           fmt::join(shape, ", "));
  found.kind = "a linear layout";
  found.shape = std::move(shape);
  if (is_assumed) {
    found.assumed = fmt::format("the shape {}, the smallest tensor that the encoding covers",
                                sizes_text(found.shape));
  }
  return found;
}

/// The shape of the tensor of an Axe layout, which states none: what was asked for, or one row.
void give_shape(FoundLayout& found, const axe::Layout& layout, const linear::Sizes& asked) {
  const Int size = axe::size(layout);
  if (!asked.empty() || !found.shape.empty()) {
    if (found.shape.empty()) found.shape = asked;
    return;
  }
  if (!size.is_constant()) return;
  found.shape = {size.value()};
  found.assumed = fmt::format("the shape {}: an Axe layout states none", size.value());
}

// Programs.

/// Reads the statements of a program, or of a single expression.
class ProgramReader {
 public:
  ProgramReader(std::string_view text, const Environment& environment, const linear::Sizes& shape)
      : text_(text), shape_(shape), environment_(environment), outer_(environment) {}

  Result<Recognized> read() && {
    StatementReader reader(text_);
    std::size_t statements = 0;
    std::string kind;
    while (true) {
      HEDDLE_TRY(const auto statement, reader.next());
      if (!statement) break;
      HEDDLE_TRY(kind, take(*statement));
      ++statements;
    }
    if (statements == 0) {
      return refuse(Diagnostic("syntax.unexpected", "the text is empty")
                        .with_hint("a layout in the notation of any system, as (4,8):(8,1)"));
    }
    found_.kind = statements == 1 ? kind : "a program";
    return std::move(found_);
  }

 private:
  /// The kind of the value of a statement.
  Result<std::string> take(const Statement& statement) {
    if (statement.kind == StatementKind::kAssume || statement.kind == StatementKind::kAxis) {
      HEDDLE_CHECK(environment_.assume(statement));
      if (statement.kind == StatementKind::kAssume)
        found_.assumptions.emplace_back(trimmed(statement.assumption));
      return std::string("an assumption");
    }
    Result<Value> value = evaluate(statement.expression, environment_);
    if (!value) {
      const bool has_place = value.error().span().has_value();
      return refuse(has_place ? value.error()
                              : Diagnostic(value.error()).with_span(statement.span));
    }
    if (!statement.names.empty()) HEDDLE_CHECK(environment_.bind(statement.names, *value));
    has_bound_ = has_bound_ || !statement.names.empty();
    add(statement, *value);
    const auto layout = layout_in(*value);
    return kind_of(layout ? *layout : *value);
  }

  void add(const Statement& statement, const Value& value) {
    const auto* encoding = value.get_if<linear::Encoding>();
    const auto layout = layout_in(value);
    if (found_.layouts.size() == kMaxFoundLayouts || (!layout && encoding == nullptr)) return;
    const std::string name =
        names_.make(statement.names.size() == 1 ? name_in(statement.names.front())
                                                : fmt::format("L{}", found_.layouts.size() + 1));
    const Span span = statement.expression.span;
    if (encoding != nullptr) return add_encoding(name, *encoding, span);
    FoundLayout found{name, own_text(text_.substr(span.begin, span.end - span.begin), value),
                      kind_of(*layout), span};
    if (const auto* axe = value.get_if<axe::Layout>()) give_shape(found, *axe, shape_);
    found_.layouts.push_back(std::move(found));
  }

  void add_encoding(const std::string& name, const linear::Encoding& encoding, Span span) {
    auto found = on_a_tensor(name, encoding, shape_);
    if (!found)
      return found_.remarks.push_back(fmt::format("{}: {}", name, found.error().message()));
    found->span = span;
    found_.layouts.push_back(*std::move(found));
  }

  /// The name of an alias without its `#`.
  static std::string name_in(std::string_view name) {
    return std::string(name.substr(name.starts_with('#') ? 1 : 0));
  }

  /// The text as written if it means the same without the names that the program bound, else the
  /// value's.
  [[nodiscard]] std::string own_text(std::string_view written, const Value& value) const {
    if (!has_bound_) return std::string(written);
    Environment alone = outer_;
    const bool is_assumed = alone.assume(environment_.conditions()).has_value();
    const auto again = is_assumed ? evaluate(written, alone) : Result<Value>(value);
    const bool is_same = again && to_string(*again) == to_string(value);
    return is_same ? std::string(written) : to_string(value);
  }

  std::string_view text_;
  linear::Sizes shape_;
  Environment environment_;
  const Environment& outer_;
  bool has_bound_ = false;
  DistinctNames names_;
  Recognized found_;
};

// Dumps and logs.

/// The type with its encoding in place of the alias: a text of its own.
std::string self_contained_type(const ListedType& listed) {
  const std::string encoding =
      listed.type && listed.type->encoding ? to_string(*listed.type->encoding) : std::string();
  if (encoding.empty() || listed.text.find(encoding) != std::string::npos) return listed.text;
  const std::size_t begin = listed.text.find(", #");
  if (begin == std::string::npos) return listed.text;
  std::size_t end = begin + 3;
  while (end < listed.text.size() && is_word_character(listed.text[end])) ++end;
  return listed.text.substr(0, begin + 2) + encoding + listed.text.substr(end);
}

/// `load`, from the first operation that the type occurs at.
std::string use_name(const ListedType& listed) {
  const std::string use = listed.uses.empty() ? "type" : listed.uses.front().operation;
  const std::string last = use.substr(use.rfind('.') + 1);
  std::string name;
  for (const char c : last) {
    if (is_word_character(c)) name += c;
  }
  return name.empty() || (name[0] >= '0' && name[0] <= '9') ? "type" + name : name;
}

Result<Recognized> read_dump(std::string_view text, const linear::Sizes& shape) {
  HEDDLE_TRY(const TtgirDump dump, read_ttgir(text));
  Recognized found{"a dump of TTGIR"};
  DistinctNames names;
  for (const ListedType& listed : dump.types) {
    if (!listed.layout) {
      found.remarks.push_back(fmt::format("{}: {}", listed.text, listed.layout.error().message()));
      continue;
    }
    if (found.layouts.size() == kMaxFoundLayouts) break;
    const std::string own = self_contained_type(listed);
    const bool is_own = evaluate(own).has_value();
    found.layouts.push_back({names.make(use_name(listed)),
                             is_own ? own : to_string(Value(*listed.layout)), "a linear layout",
                             std::nullopt});
  }
  for (const ListedAlias& alias : dump.aliases) {
    if (found.layouts.size() == kMaxFoundLayouts) break;
    auto layout = alias.encoding.and_then([&](const linear::Encoding& encoding) {
      return on_a_tensor(names.make(alias.name.substr(1)), encoding, shape);
    });
    if (!layout) {
      found.remarks.push_back(fmt::format("{}: {}", alias.name, layout.error().message()));
      continue;
    }
    found.layouts.push_back(*std::move(layout));
  }
  return found;
}

/// The operands of a call that are layouts: `composition_A = (8,8):(8,1)`.
void add_operands(const Finding& finding, DistinctNames& names, Recognized& found) {
  const auto call = parse_expression(finding.expression);
  if (!call || !std::holds_alternative<Application>(call->node)) return;
  for (std::size_t i = 1; i < call->parts.size(); ++i) {
    const std::string text(text_at(finding.expression, call->parts[i].span));
    const auto operand = evaluate(text);
    const auto layout = operand ? layout_in(*operand) : std::nullopt;
    if (!layout || found.layouts.size() == kMaxFoundLayouts) continue;
    const std::string name =
        fmt::format("{}_{}", finding.function, static_cast<char>('A' + (i - 1) % 26));
    found.layouts.push_back({names.make(name), text, kind_of(*layout), std::nullopt});
  }
}

/// The results of the calls of a log, or the operands of those that are refused here too; beside
/// them all that diagnose() says.
Result<Recognized> read_log(std::string_view text) {
  HEDDLE_TRY(const Diagnosis diagnosis, diagnose(text));
  Recognized found{"a compiler's log"};
  DistinctNames names;
  for (const Finding& finding : diagnosis.findings) {
    std::string said = to_string(Diagnosis{{finding}, 0});
    if (said.ends_with('\n')) said.pop_back();
    found.remarks.push_back(std::move(said));
    const bool has_result = finding.answer && *finding.answer && layout_in(**finding.answer);
    if (!has_result) add_operands(finding, names, found);
    if (!has_result || found.layouts.size() == kMaxFoundLayouts) continue;
    found.layouts.push_back(
        {names.make(finding.function), finding.expression, "a call", std::nullopt});
  }
  if (diagnosis.more > 0)
    found.remarks.push_back(fmt::format("{} more places are not shown", diagnosis.more));
  found.diagnosis = to_datum(diagnosis);
  return found;
}

// Kernels.

/// Whether a line of the text begins a kernel: `kernel NAME(`.
bool defines_kernel(std::string_view text) {
  constexpr std::string_view kKernel = "kernel ";
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    std::string_view line = trimmed(text.substr(begin, end - begin));
    begin = end + 1;
    if (!line.starts_with(kKernel)) continue;
    line = trimmed(line.substr(kKernel.size()));
    const std::string_view name = first_word(line);
    if (!name.empty() && trimmed(line.substr(name.size())).starts_with('(')) return true;
  }
  return false;
}

Result<Recognized> read_kernels(std::string_view text, const Environment& environment) {
  HEDDLE_TRY(const std::vector<kernel::Kernel> kernels, parse_kernels(text, environment));
  Recognized found;
  for (const kernel::Kernel& kernel : kernels) found.kernels.push_back(kernel.name);
  found.kind = fmt::format("{}: {}", kernels.size() == 1 ? "a kernel" : "kernels",
                           fmt::join(found.kernels, ", "));
  return found;
}

// Tables.

/// The integers of a line, between blanks, tabs, commas or semicolons; nullopt if there are others.
std::optional<std::vector<std::int64_t>> integers_in(std::string_view line) {
  constexpr std::string_view kBetween = " \t,;\r";
  std::vector<std::int64_t> numbers;
  for (std::size_t at = line.find_first_not_of(kBetween); at != std::string_view::npos;
       at = line.find_first_not_of(kBetween, at)) {
    const std::size_t end = std::min(line.find_first_of(kBetween, at), line.size());
    std::int64_t number = 0;
    const auto read = std::from_chars(line.data() + at, line.data() + end, number);
    if (read.ec != std::errc() || read.ptr != line.data() + end) return std::nullopt;
    numbers.push_back(number);
    at = end;
  }
  return numbers;
}

/// Rows of as many integers each, as spreadsheets copy them; nullopt for other texts.
std::optional<Recognized> read_rows(std::string_view text) {
  std::vector<std::string> rows;
  std::size_t width = 0;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const auto numbers = integers_in(text.substr(begin, end - begin));
    begin = end + 1;
    if (!numbers) return std::nullopt;
    if (numbers->empty()) continue;
    if (!rows.empty() && numbers->size() != width) return std::nullopt;
    width = numbers->size();
    rows.push_back(fmt::format("[{}]", fmt::join(*numbers, ",")));
  }
  if (rows.empty()) return std::nullopt;
  const std::string table =
      rows.size() == 1 ? rows.front() : fmt::format("[{}]", fmt::join(rows, ","));
  if (!parse_table(table)) return std::nullopt;
  return Recognized{"a table", {{"T", table, "a table", Span{0, text.size()}}}};
}

/// What the text is, without what the types of its layouts state.
Result<Recognized> read_text(std::string_view text, const Environment& environment,
                             const linear::Sizes& shape) {
  Result<Recognized> program = ProgramReader(text, environment, shape).read();
  if (program) return program;
  if (defines_kernel(text)) return read_kernels(text, environment);
  if (auto dump = read_dump(text, shape); dump && !dump->layouts.empty()) return dump;
  if (auto log = read_log(text)) return log;
  if (auto rows = read_rows(text)) return *std::move(rows);
  Recognized script = read_script(text);
  for (FoundLayout& found : script.layouts) {
    if (const auto value = evaluate(found.text))
      give_shape(found, value->get<axe::Layout>(), shape);
  }
  if (!script.layouts.empty()) return script;
  return program;
}

}  // namespace

Result<Recognized> recognize(std::string_view text, const Environment& environment,
                             const std::vector<std::int64_t>& shape) {
  HEDDLE_TRY(Recognized found, read_text(text, environment, shape));
  for (FoundLayout& layout : found.layouts) {
    const auto stated = stated_elements({{layout.text}});
    if (stated) layout.element_bits = stated->bits;
  }
  return found;
}

namespace {

/// What was assumed, and the remarks.
std::vector<std::string> all_remarks(const Recognized& recognized) {
  std::vector<std::string> remarks;
  for (const FoundLayout& layout : recognized.layouts) {
    if (!layout.assumed.empty())
      remarks.push_back(fmt::format("{}: assumed is {}", layout.name, layout.assumed));
  }
  remarks.insert(remarks.end(), recognized.remarks.begin(), recognized.remarks.end());
  return remarks;
}

}  // namespace

std::string to_string(const Recognized& recognized) {
  std::string text = recognized.kind;
  for (const FoundLayout& layout : recognized.layouts)
    text += fmt::format("\n{} = {}", layout.name, layout.text);
  for (const std::string& assumption : recognized.assumptions) text += "\nassume " + assumption;
  for (const std::string& remark : all_remarks(recognized)) {
    std::string lines = printable_lines(remark);
    for (std::size_t at = 0; (at = lines.find('\n', at)) != std::string::npos; at += 3)
      lines.insert(at + 1, "# ");
    text += "\n# " + lines;
  }
  return text;
}

Datum to_datum(const Recognized& recognized) {
  Datum::List layouts;
  for (const FoundLayout& layout : recognized.layouts) {
    Datum span = nullptr;
    if (layout.span) span = Datum::List{layout.span->begin, layout.span->end};
    layouts.emplace_back(Datum::Fields{
        {"name", layout.name},
        {"text", layout.text},
        {"kind", layout.kind},
        {"span", std::move(span)},
        {"shape", layout.shape.empty() ? Datum(nullptr) : list_of(layout.shape)},
        {"assumed", layout.assumed.empty() ? Datum(nullptr) : Datum(layout.assumed)},
        {"element_bits", layout.element_bits ? Datum(*layout.element_bits) : Datum(nullptr)}});
  }
  return Datum::Fields{{"kind", recognized.kind},
                       {"layouts", std::move(layouts)},
                       {"assumptions", list_of(recognized.assumptions)},
                       {"remarks", list_of(all_remarks(recognized))},
                       {"kernels", list_of(recognized.kernels)},
                       {"diagnosis", recognized.diagnosis}};
}

}  // namespace heddle::notation
