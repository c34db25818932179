// The operation `diagnose`: explains failed assertions of CuTe in a compiler's output.

#include <algorithm>
#include <string>
#include <utility>

#include "core/printable.h"
#include "heddle/notation/diagnose.h"
#include "notation/operations/binding.h"

namespace heddle::notation {
namespace {

Result<Report> diagnosis_report(const std::string& log) {
  HEDDLE_TRY(const Diagnosis diagnosis, diagnose(log));
  std::string text = printable_lines(to_string(diagnosis));
  if (text.ends_with('\n')) text.pop_back();
  const bool is_whole =
      diagnosis.more == 0 && std::ranges::all_of(diagnosis.findings, [](const Finding& finding) {
        return finding.answer.has_value();
      });
  return Report{std::move(text), to_datum(diagnosis),
                is_whole ? Report::Outcome::kDone : Report::Outcome::kUnknown};
}

}  // namespace

void add_diagnose_operations(std::vector<Operation>& table) {
  const Rows add = {table, "dumps"};
  add({.call = "diagnose(log)",
       .summary = "What the failed static assertions of CuTe in the output of nvcc, clang or g++ "
                  "mean, and what the same calls give here.",
       .example =
           {"diagnose('a.cu:3:1: error: static assertion failed: Shape Divisibility "
            "Condition')",
            "a.cu:3: \"Shape Divisibility Condition\"\n"
            "  CuTe asks: in composition(A, B), wherever a mode of B takes what it can from a "
            "mode of A, the rest of its extent must be a multiple of that\n"
            "  the log shows no instantiation around the assertion (\"instantiation of … [with "
            "…]\", \"in instantiation of … requested here\", \"required from … [with …]\"): the "
            "operands are not known\n"
            "  hint: let the extent of B divide, or be divided by, the extents of A it runs "
            "through"}},
      diagnosis_report);
}

}  // namespace heddle::notation
