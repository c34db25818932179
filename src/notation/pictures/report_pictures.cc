// Operations that draw what other operations find: bank conflicts, where two layouts differ, and
// what a redistribution sends.

#include "notation/pictures/report_pictures.h"
#include "heddle/distribute/picture.h"
#include "heddle/draw/view.h"
#include "notation/operations/drawn_reports.h"
#include "notation/operations/planned.h"
#include "notation/pictures/picture_report.h"

namespace heddle::notation {
namespace {

Result<Report> bank_drawing(const Value& access, const std::optional<Value>& shared,
                            const Int& element_bits, const Int& max_bits,
                            const std::optional<IntTuple>& shape,
                            const std::optional<std::string>& machine, const std::string& direction,
                            const std::string& format) {
  HEDDLE_TRY(const PictureFormat wanted, picture_format_named(format));
  HEDDLE_TRY(const analyze::BankReport report,
             bank_report(access, shared, element_bits, max_bits, shape, machine, direction));
  HEDDLE_TRY(draw::Picture picture, worst_picture(report, true, options_for(wanted, {})));
  HEDDLE_TRY(const auto assumed, assumed_for_banks(access, shared, element_bits, shape, machine));
  if (assumed) picture.notes.push_back("access " + access_text(*assumed));
  return report_of(picture, wanted);
}

Result<Report> difference_drawing(const map::AnyLayout& a, const map::AnyLayout& b,
                                  std::optional<map::Reading> as,
                                  const std::optional<IntList>& shape, const std::string& format,
                                  const map::DecideOptions& asked) {
  HEDDLE_TRY(const PictureFormat wanted, picture_format_named(format));
  HEDDLE_TRY(const map::Comparison comparison, compared(a, b, as, shape, asked));
  std::optional<map::ComparedViews> views = comparison.views;
  // Equal layouts have views of their own, and so do those that only the picture refuses.
  if (!views) {
    HEDDLE_TRY(map::View first, map::view(a));
    HEDDLE_TRY(map::View second, map::view(b));
    views = {std::move(first), std::move(second)};
  }
  draw::PictureOptions options;
  options.limits = asked.limits.begun();
  HEDDLE_TRY(const draw::Picture picture,
             draw::difference_picture(views->a, views->b, options_for(wanted, options)));
  return report_of(picture, wanted);
}

Result<Report> plan_drawing(const OnDevices& from, const OnDevices& to, const ElementWidth& element,
                            const std::optional<axe::Mesh>& mesh,
                            const std::optional<IntList>& shape,
                            const std::optional<linear::NamedSizes>& bandwidth,
                            const std::string& format) {
  HEDDLE_TRY(const PictureFormat wanted, picture_format_named(format));
  HEDDLE_TRY(const distribute::Plan plan, planned(from, to, element, mesh, shape, bandwidth));
  HEDDLE_TRY(const draw::Picture picture, distribute::picture(plan, options_for(wanted, {})));
  return report_of(picture, wanted);
}

}  // namespace

void add_report_pictures(const Rows& add) {
  add({.call = "bank_picture(access, shared, element_bits, max_bits=128, shape, machine, "
               "direction=\"read\", format=text)",
       .summary = "The worst instruction of bank_conflicts as a picture, phase by phase: lanes "
                  "down, banks along, and which line of the bank each lane touches.",
       .example = {"bank_picture((2,1):(64,1), (64,64):(64,1), 32)",
                   "warp 0, value 0\n"
                   "\n"
                   "phase 0, lanes 0 to 1: 1 wavefront\n"
                   "           0   1   2   3   4   5   6   7   8   9  10  11  12  13  14  15  16  "
                   "17  18  19  20  21  22  23  24  25  26  27  28  29  30  31\n"
                   "        "
                   "┏━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━"
                   "━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━┓\n"
                   "lane  0 ┃  0                                                                   "
                   "                                                          ┃\n"
                   "      1 ┃      0                                                               "
                   "                                                          ┃\n"
                   "        "
                   "┠──────────────────────────────────────────────────────────────────────────────"
                   "──────────────────────────────────────────────────┨\n"
                   "words   ┃  1   1   0   0   0   0   0   0   0   0   0   0   0   0   0   0   0   "
                   "0   0   0   0   0   0   0   0   0   0   0   0   0   0   0 ┃\n"
                   "        "
                   "┗━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━"
                   "━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━┛\n"
                   "a cell names the line: word = 32 * line + bank; the words of one bank are "
                   "served in turn"}},
      bank_drawing);
  add({.call = "compare_picture(a, b, as, shape, format=text)",
       .summary = "The points at which two layouts of any systems differ, as a picture: what a has "
                  "/ what b has. Read as equal reads them.",
       .example = {"compare_picture((2,2):(1,2), GroupBy([2,2]))",
                   "the differences\n"
                   "        0      1\n"
                   "  ┌──────────────┐\n"
                   "0 │     0  2 / 1 │\n"
                   "1 │ 1 / 2      3 │\n"
                   "  └──────────────┘"}},
      difference_drawing);
  add({.call = "redistribute_picture(from, to, element_bits, mesh, shape, bandwidth, format=text)",
       .summary =
           "The steps of redistribute as a picture: how many bytes go from which device, "
           "down, to which device, along; on the diagonal what a device keeps. +16 are terms "
           "that are combined with what is there.",
       .example = {"redistribute_picture([Shard(0)], [Shard(1)], 8, mesh=[0,1], shape=(4,4))",
                   "bytes from device to device\n"
                   "\n"
                   "local, 8 bytes\n"
                   "         to\n"
                   "         0  1\n"
                   "       ┏━━━━━━┓\n"
                   "from 0 ┃ 4    ┃\n"
                   "     1 ┃    4 ┃\n"
                   "       ┗━━━━━━┛\n"
                   "\n"
                   "all-to-all, 8 bytes\n"
                   "         to\n"
                   "         0  1\n"
                   "       ┏━━━━━━┓\n"
                   "from 0 ┃    4 ┃\n"
                   "     1 ┃ 4    ┃\n"
                   "       ┗━━━━━━┛"}},
      plan_drawing);
}

}  // namespace heddle::notation
