// `heddle help`: operations, error codes and topics, and suggestions for an unknown word.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>

#include "heddle/commands.h"
#include "heddle/core/nearest_names.h"
#include "heddle/core/plain_text.h"
#include "heddle/error_pages.h"
#include "heddle/notation/operations.h"
#include "heddle/notation/repackings.h"

namespace heddle::app {
namespace {

using notation::Need;
using notation::Operation;
using notation::Parameter;

constexpr std::string_view kLanguage =
    R"help(The expression language

  (_2,4):(_12,_1)    (4, 2):(1, 4)    Layout((4, 8), (1, 4))       layouts, in every spelling of CuTe's
  cute::Layout<cute::tuple<cute::C<4>, …>, …>    Layout<Shape<_4,_8>>    types of C++, as compilers print them
  smem_ptr[16b](0x400) o (8,64):(64,1)    !cute.layout<"(8,4):(1,8)">    printed tensors; types of CuTe DSL
  (4,8)                                                            a shape alone is column-major
  (4,8):(1@0,1@1)    8@1@0 or 8*E<0,1>                             strides along the modes of a coordinate
  Sw<3,4,3>    S<3,4,3>    Swizzle<3,4,3>                          swizzles
  Sw<3,3,3> o 0 o (8,64):(64,1)                                    swizzle, offset, layout
  <8:4,(2,4):(1,8),16,_>    [8:4;16;_]                             tilers
  ((4,8),(2,2)):((32,1),(16,8)) tile (16,8)                        a thread-value layout and its tile
  A o B                                                            composition(A, B)
  A == B                                                           the same map? With the evidence
  A(5)    A(1,(0,2))    A(_,3)                                     an index, or a slice
  tensor<128x64xf16, #ttg.blocked<{…}>>    #ttg.slice<{…}>         Triton's types and attributes
  {"ins":[["lane",[[1],[2]]]],"outs":[["dim0",4]]}                 a linear layout; printed ones too
  L(lane=3)    L * M    M o L    L.invert()                        linear layouts
  composition(A, B)    tile_to_shape(A, (128,64), order=(1,0))     operations
  + - * // %   == != < <= > >=    0x40    0b101                    on integers; / is refused
  (M,N):(N,1)    with --assume 'M%128==0' or assume M%128==0       symbolic sizes

  Next to a `:` parentheses always make tuples; elsewhere they group, but literals such as (4) and
  ((2,2)) keep their nesting. `#` starts a comment unless a letter follows at once.
)help";

constexpr std::string_view kExplain =
    R"help(heddle explain EXPR [--color WHEN]

Explains each operation that the expression applies, innermost first: its steps with the numbers,
the result of each step after `->`, and the result of the operation after `=`. A refusal is explained
up to the condition that fails. Statements before the expression may bind names.

  heddle explain 'composition((6,2):(8,2), (4,3):(3,1))'
  heddle explain 'A = (4,(2,2)):(2,(1,8)); A(13)'
)help";

constexpr std::string_view kAssume =
    R"help(heddle eval --assume CONDITION EXPR        also of run, table, draw, explain and batch

Sizes, strides and coordinates may be symbolic; --assume states facts about them. It may be given
several times, and commas separate several conditions. In a file or at the prompt `assume` is a
statement.

  M>=1, K<=2*M, 0<=t<128, lane in [0,32)    bounds
  M%128==0, 128|M, M%8==4                   remainders
  N%K==0, M%(2*BM)==0                       another variable divides it
  M==256                                    the number itself

  heddle eval --assume 'M%128==0' 'logical_divide((M,N):(N,1), <128,64>)'

A variable without a lower bound is at least 1; t>=0 overrides that. The numbers written `?` are
called D0, D1, … in their order.
)help";

constexpr std::string_view kRun =
    R"help(heddle run FILE [--quiet] [--assume CONDITION]

Statements end at a newline or `;`; a line goes on within parentheses and after an operator.

  name = EXPR              binds a name
  EXPR                     prints the value
  "some text"              prints the text
  assert A == B            stops with exit code 1 (no) or 3 (unknown), with the evidence
                           or, of numbers and tuples, with both sides
  assume M%128==0, K<=M    states facts about symbolic sizes
  refuse EXPR              prints why EXPR is refused; stops with exit code 1 if it is not
  draw EXPR to "a.svg"     writes a picture: .svg, .html, .tex, or .txt for text
  draw EXPR                draws in the terminal

The whole file is parsed before its first statement runs. Each statement is printed with its result;
--quiet prints only failures.
)help";

// clang-format would treat the text as JSON. clang-format off
constexpr std::string_view kBatch =
    R"help(heddle batch [FILE]

One request per line, one answer per line, in the same order:

  {"id":1,"op":"composition","args":["(6,2):(8,2)","(4,3):(3,1)"]}
  {"id":1,"ok":true,"result":"((2,2),3):((24,2),8)"}
  {"id":2,"op":"table","args":["(4,2):(2,1)"],"kwargs":{"limit":3}}
  {"id":2,"ok":true,"result":[0,2,4]}
  {"id":3,"op":"eval","args":["2 +"]}
  {"id":3,"ok":false,"error":{"code":"syntax.unexpected","message":…,"notes":[…],"hint":…,"witness":…}}

`op` is any operation, `args` its arguments by position, `kwargs` by name; `assume` states facts about
symbolic sizes ("M%8==0", or an array of such); any other key except `id` is refused. Strings are
expressions unless the parameter is a text; numbers are integers, arrays are tuples. A line that
cannot be read is answered with "id":null. The exit code is 0 if every line was answered.
)help";
// clang-format on

constexpr std::string_view kCodes =
    R"help(Exit codes

  0   done, or proved
  1   refuted: an assert, or a result that is false or no
  2   usage or syntax
  3   unknown: an assert, or a result that is unknown
  4   refused: no exact answer exists; the error says which condition failed

  A result is the value of an expression that is not bound to a name, in `heddle eval` and
  `heddle run`: false and no give 1, whether they come from ==, from <, from a question such as
  congruent or left_divisible, or from a report such as compare. A report that finds nothing, such as
  recover_report, gives 4. Values that are bound to names do not affect the exit code. Among several
  codes, 2 and 4 take precedence over 1, and 1 over 3. `heddle batch` reports errors in its lines and
  exits with 0.
)help";

/// The text wrapped into lines of at most 100 characters, the first of which begins at column
/// `indent`.
std::string wrapped(std::string_view text, std::size_t indent) {
  constexpr std::size_t kWidth = 100;
  const std::string gap = "\n" + std::string(indent, ' ');
  return fmt::format("{}", fmt::join(word_wrap(text, kWidth - indent), gap));
}

// Commands and topics.

std::string command_list() {
  constexpr std::size_t kColumn = 38;
  std::string text;
  for (const Command& command : commands()) {
    const std::string call = fmt::format("  heddle {} {}", command.name, command.usage);
    // `…` is three bytes and one column.
    const auto width = static_cast<std::size_t>(
        std::ranges::count_if(call, [](char c) { return (c & 0xC0) != 0x80; }));
    const std::string gap =
        width + 2 > kColumn ? "\n" + std::string(kColumn, ' ') : std::string(kColumn - width, ' ');
    text += call + gap + command.summary + "\n";
  }
  return text;
}

nlohmann::ordered_json to_json(const Command& command) {
  return {{"command", command.name}, {"usage", command.usage}, {"summary", command.summary}};
}

/// A help topic that is no command, operation or error code.
struct Topic {
  std::string_view name;
  std::string (*text)();
};

std::string list_errors();

constexpr Topic kTopics[] = {
    {"language", [] { return std::string(kLanguage); }},
    {"run", [] { return std::string(kRun); }},
    {"explain", [] { return std::string(kExplain); }},
    {"batch", [] { return std::string(kBatch); }},
    {"assume", [] { return std::string(kAssume); }},
    {"symbolic", [] { return std::string(kAssume); }},
    {"codes", [] { return std::string(kCodes); }},
    {"errors", list_errors},
    {"commands", command_list},
    {"recipes",
     [] {
       return "Repackings, for heddle relayout --recipe NAME --size C=64 …\n\n" +
              notation::repackings_text();
     }},
};

std::string overview() {
  constexpr std::size_t kIndent = 26;
  std::vector<std::string_view> topics;
  for (const Topic& topic : kTopics) topics.push_back(topic.name);
  const std::string hint = fmt::format(
      "On a terminal heddle alone shows a prompt. Every command takes --json; heddle COMMAND "
      "--help "
      "lists its options. heddle help TOPIC explains a command, an operation, an error code, or "
      "{}.",
      fmt::join(topics, ", "));
  std::string text = fmt::format(
      "heddle: one layout algebra, exact or refused\n\n{}\n{}\n\n"
      "Operations (heddle help OPERATION):\n",
      command_list(), wrapped(hint, 0));
  const auto& table = notation::operations();
  for (auto first = table.begin(); first != table.end();) {
    std::vector<std::string> names;
    const std::string& family = first->family;
    for (; first != table.end() && first->family == family; ++first) {
      if (std::ranges::find(names, first->name) == names.end()) names.push_back(first->name);
    }
    const std::string gap = family.size() + 4 > kIndent
                                ? "\n" + std::string(kIndent, ' ')
                                : std::string(kIndent - 2 - family.size(), ' ');
    text += fmt::format("  {}{}{}\n", family, gap,
                        wrapped(fmt::format("{}", fmt::join(names, " ")), kIndent));
  }
  return text;
}

// Errors.

/// The code of that name, or the codes of the family of that name, the part before the dot.
std::vector<ErrorCode> errors_of(const std::string& topic) {
  std::vector<ErrorCode> errors;
  for (ErrorChapter& chapter : error_index()) {
    for (ErrorCode& error : chapter.codes) {
      const bool is_meant = error.code == topic || error.code.starts_with(topic + ".");
      if (is_meant) errors.push_back(std::move(error));
    }
  }
  return errors;
}

std::string describe(const std::vector<ErrorCode>& errors) {
  constexpr std::size_t kIndent = 36;
  std::string text;
  for (const ErrorCode& error : errors) {
    text += fmt::format("  {:<{}}{}\n", error.code, kIndent - 2, wrapped(error.meaning, kIndent));
  }
  return text;
}

std::string list_errors() {
  std::string text = "Error codes\n";
  for (const ErrorChapter& chapter : error_index()) {
    if (chapter.codes.empty()) continue;
    text += fmt::format("\n{}\n\n{}", chapter.heading, describe(chapter.codes));
  }
  return text + "\nheddle help CODE explains a code. The part before the dot is a topic too.\n";
}

nlohmann::ordered_json to_json(const ErrorCode& error) {
  return {{"code", error.code}, {"meaning", error.meaning}, {"page", error_page(error.code)}};
}

// Operations.

std::string describe(const Parameter& parameter) {
  std::string text = fmt::format("  {:<10}  {}", parameter.name, parameter.type->description);
  if (parameter.need == Need::kRepeated) text += ", once or more";
  if (parameter.need == Need::kOptional) {
    text += parameter.default_text.empty() ? ", optional" : ", else " + parameter.default_text;
  }
  return text + "\n";
}

std::string describe(const Operation& operation) {
  std::string text = fmt::format("{}\n\n  {}\n\n", signature(operation), operation.summary);
  for (const Parameter& parameter : operation.parameters) text += describe(parameter);
  return fmt::format("{}\n{}\n{}\n", text, indented(operation.example, 2),
                     indented(operation.example_result, 6));
}

nlohmann::ordered_json to_json(const Operation& operation) {
  nlohmann::ordered_json parameters = nlohmann::ordered_json::array();
  for (const Parameter& parameter : operation.parameters) {
    const std::string_view need = parameter.need == Need::kRequired   ? "required"
                                  : parameter.need == Need::kOptional ? "optional"
                                                                      : "repeated";
    parameters.push_back({{"name", parameter.name},
                          {"takes", parameter.type->description},
                          {"need", need},
                          {"default", parameter.default_text}});
  }
  return {{"name", operation.name},
          {"family", operation.family},
          {"signature", signature(operation)},
          {"summary", operation.summary},
          {"parameters", parameters},
          {"example", operation.example},
          {"result", operation.example_result}};
}

/// The operations of a family, one per line; empty if there is no such family.
std::string family_text(const std::string& family) {
  std::string text;
  for (const Operation& operation : notation::operations()) {
    if (operation.family != family) continue;
    text += fmt::format("  {}\n      {}\n", signature(operation), operation.summary);
  }
  return text.empty() ? text : family + "\n\n" + text;
}

/// The help text on a topic, on operations, on their family, or on an error code; empty if it is
/// none of them.
std::string text_of(const std::string& topic) {
  if (topic.empty()) return overview();
  const auto* named = std::ranges::find(kTopics, topic, &Topic::name);
  if (named != std::end(kTopics)) return named->text();
  std::string text;
  const auto add = [&text](const std::string& part) {
    if (!part.empty()) text += (text.empty() ? "" : "\n") + part;
  };
  for (const Operation* operation : notation::operations_named(topic)) add(describe(*operation));
  add(family_text(topic));
  return text.empty() ? error_page(topic) : text;
}

Refusal unknown_topic(const std::string& topic) {
  std::vector<std::string> names;
  for (const Topic& named : kTopics) names.emplace_back(named.name);
  for (const Command& command : commands()) names.emplace_back(command.name);
  for (const Operation& operation : notation::operations()) names.push_back(operation.name);
  for (const ErrorChapter& chapter : error_index()) {
    for (const ErrorCode& error : chapter.codes) names.push_back(error.code);
  }
  return refuse(
      Diagnostic(
          "name.unknown",
          fmt::format(
              "unknown topic '{}': it is not a command, an operation, an error code or a topic",
              topic))
          .with_hint(did_you_mean(topic, names)));
}

}  // namespace

/// If the topic is a command, prints its --help text.
Outcome help_command(const Call& call) {
  const std::string& topic = call.said.text("topic");
  const auto named = call.program.get_subcommands(
      [&](const CLI::App* command) { return command->get_name() == topic; });
  return print_help(call.console, topic,
                    named.empty() ? "" : named.front()->help(call.program.get_name()));
}

Outcome print_help(const Console& console, const std::string& topic, const std::string& options) {
  const auto named = notation::operations_named(topic);
  const std::vector<ErrorCode> errors = errors_of(topic);
  if (console.json() && topic == "commands") {
    for (const Command& command : commands()) console.print_line(to_json(command).dump());
    return ExitCode::kDone;
  }
  if (console.json() && (topic.empty() || !named.empty() || !errors.empty())) {
    for (const Operation& row : notation::operations()) {
      if (topic.empty() || std::ranges::find(named, &row) != named.end())
        console.print_line(to_json(row).dump());
    }
    for (const ErrorCode& error : errors) console.print_line(to_json(error).dump());
    return ExitCode::kDone;
  }
  std::string text = text_of(topic);
  if (!errors.empty() && errors.front().code != topic) {
    text += (text.empty() ? "Error codes\n\n" : "\n") + describe(errors);
  }
  if (!options.empty()) text += (text.empty() ? "" : "\n") + options;
  if (text.empty()) return unknown_topic(topic);
  console.print_text(text);
  return ExitCode::kDone;
}

}  // namespace heddle::app
