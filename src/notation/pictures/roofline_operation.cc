// The operation `roofline`: measured programs beside what their machine does at most.

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "heddle/draw/roofline.h"
#include "heddle/notation/lexer.h"
#include "heddle/notation/linear.h"
#include "notation/operations/binding.h"
#include "notation/pictures/picture_report.h"

namespace heddle::notation {

using MeasuredPrograms = std::vector<draw::MeasuredProgram>;
template <>
struct Reader<MeasuredPrograms> : DataReader<MeasuredPrograms> {
  static constexpr std::string_view kDescription =
      "names with operations, bytes and nanoseconds, as in {\"axpy\": [2000, 12000, 400]}";
  static std::optional<MeasuredPrograms> parsed(const Datum& datum) {
    if (datum.fields() == nullptr) return std::nullopt;
    MeasuredPrograms programs;
    for (const auto& [name, numbers] : *datum.fields()) {
      const auto sizes = sizes_of(numbers);
      if (!sizes || sizes->size() != 3) return std::nullopt;
      const auto number = [&](std::size_t i) { return static_cast<double>((*sizes)[i]); };
      programs.push_back({name, number(0), number(1), number(2) * 1e-9});
    }
    return programs;
  }
};

void add_roofline_operations(std::vector<Operation>& table) {
  const Rows add = {table, "pictures"};
  add({.call = "roofline(programs, operations, bytes, format=text, title)",
       .summary = "Measured programs compared with the most operations and bytes per second of "
                  "their machine: for each its operations per second, and the least possible time "
                  "as a share of the measured time; as 'text', or drawn as 'svg'.",
       .example = {"roofline({\"sum\": [1000, 8000, 400], \"product\": [2000000, 24000, 20000]}, "
                   "120000000000, 27000000000)",
                   "sum       2.50 G    74 %  ██████████████████████          memory\n"
                   "product    100 G    83 %  █████████████████████████       operations"}},
      [](const MeasuredPrograms& programs, std::int64_t operations, std::int64_t bytes,
         const std::optional<std::string>& format,
         const std::optional<std::string>& title) -> Result<Report> {
        const draw::Roofline roofline{title.value_or(""),
                                      {static_cast<double>(operations), static_cast<double>(bytes)},
                                      programs};
        const std::string form = format.value_or("text");
        if (form != "text" && form != "svg") {
          return refuse("call.type", "a roofline is a text or svg, and not " + quote(form));
        }
        HEDDLE_TRY(std::string drawn,
                   form == "svg" ? draw::to_svg(roofline) : draw::to_terminal(roofline));
        return report_of(std::move(drawn));
      });
}

}  // namespace heddle::notation
