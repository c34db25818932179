// Operations for those who write programs and pages around Heddle: what a text is, how a result
// comes about, and which operations there are.

#include <string>
#include <utility>
#include <vector>

#include "heddle/notation/explain.h"
#include "heddle/notation/parser.h"
#include "heddle/notation/recognize.h"
#include "notation/operations/binding.h"

namespace heddle::notation {
namespace {

Result<Report> recognized_text(const CallContext& context, const std::string& text,
                               const std::optional<linear::Sizes>& shape) {
  HEDDLE_TRY(const Environment environment, environment_of(context));
  HEDDLE_TRY(const Recognized recognized,
             recognize(text, environment, shape.value_or(linear::Sizes())));
  return Report{to_string(recognized), to_datum(recognized)};
}

Result<Report> explained_text(const CallContext& context, const std::string& expression) {
  HEDDLE_TRY(const Expression parsed, parse_expression(expression));
  HEDDLE_TRY(const Environment environment, environment_of(context));
  const Explained explained = explain(parsed, environment);
  const bool is_explained = explained.value || !explained.operations.empty();
  if (!is_explained) return refuse(explained.value.error());
  std::string text = to_text(explained);
  if (text.ends_with('\n')) text.pop_back();
  return Report{std::move(text), to_datum(explained),
                explained.value ? Report::Outcome::kDone : Report::Outcome::kRefused};
}

Datum operation_datum(const Operation& operation) {
  return Datum::Fields{{"name", operation.name},
                       {"family", operation.family},
                       {"signature", signature(operation)},
                       {"summary", operation.summary},
                       {"example", operation.example},
                       {"result", operation.example_result}};
}

Datum operation_list() {
  Datum::List list;
  for (const Operation& operation : operations()) list.push_back(operation_datum(operation));
  return list;
}

}  // namespace

void add_page_operations(std::vector<Operation>& table) {
  const Rows add = {table, "texts"};
  add({.call = "read(text, shape)",
       .summary = "What a text is, and the layouts in it with their names: a layout in any "
                  "notation, a program, a dump of TTGIR, a compiler's log, a TVM script, kernels, "
                  "the rows of a table. Encodings and Axe layouts are of a tensor of `shape`; "
                  "without it the answer states which shape is assumed.",
       .example = {"read('A = (4,8):(8,1)')", "a CuTe layout\nA = (4,8):(8,1)"}},
      recognized_text);
  add({.call = "explain(expression)",
       .summary = "How each operation of an expression, a text in quotes, gets its result, step "
                  "by step; where one refuses, up to the condition that fails.",
       .example =
           {"explain('coalesce((2,4):(1,2))')",
            "coalesce((2,4):(1,2)) = 8:1\n"
            "  A mode of extent 1 is dropped; neighbours s0:d0 and s1:d1 are joined where d1 = "
            "s0*d0.\n"
            "  2:1  begins                                                         -> 2:1\n"
            "  4:2  joined to 2:1: 2*1 = 2, which is its stride; 2*4 = 8 elements  -> 8:1"}},
      explained_text);
  add({.call = "operations()",
       .summary = "All operations as data: for each its name, family, signature, summary, example "
                  "and the example's result.",
       .example = {"operations() == operations()", "true"}},
      operation_list);
}

}  // namespace heddle::notation
