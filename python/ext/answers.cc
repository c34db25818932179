#include "answers.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "refusal.h"

namespace heddle::python {
namespace {

using notation::Datum;
using notation::Report;

constexpr const char* kOutcomes[] = {"done", "refuted", "unknown", "refused"};

[[noreturn]] void refuse_data(const std::string& what) {
  raise(Diagnostic("call.type", "these are not data of " + what)
            .with_hint("pickle and repr() write what is read here"));
}

/// `parts` counts: a list that has another one twice, and so on, may have no end within memory.
Datum datum_of(nb::handle object, std::size_t& parts, std::size_t depth = 0) {
  constexpr std::size_t kMost = std::size_t{1} << 22;
  if (depth > kMaxDepth) refuse_data("a value: they nest too deep");
  if (++parts > kMost) refuse_data("a value: they have too many parts");
  if (object.is_none()) return nullptr;
  if (PyBool_Check(object.ptr())) return object.ptr() == Py_True;
  std::int64_t number = 0;
  if (nb::try_cast(object, number, false)) return number;
  std::string text;
  if (nb::try_cast(object, text, false)) return text;
  if (PyDict_Check(object.ptr())) {
    Datum::Fields fields;
    for (const auto& [key, item] : nb::borrow<nb::dict>(object)) {
      if (!nb::try_cast(key, text, false)) refuse_data("a value: a key is not a text");
      fields.emplace_back(text, datum_of(item, parts, depth + 1));
    }
    return fields;
  }
  if (!PyList_Check(object.ptr()) && !PyTuple_Check(object.ptr())) refuse_data("a value");
  Datum::List list;
  for (const nb::handle item : nb::borrow<nb::sequence>(object)) {
    list.push_back(datum_of(item, parts, depth + 1));
  }
  return list;
}

Datum datum_of(nb::handle object) {
  std::size_t parts = 0;
  return datum_of(object, parts);
}

std::string text_in(const Datum& datum, const char* name) {
  const Datum* field = datum.field(name);
  if (field == nullptr) return {};
  if (field->text() == nullptr) refuse_data("a verdict");
  return *field->text();
}

std::int64_t number_of(const Datum& datum) {
  if (datum.number() == nullptr) refuse_data("a witness");
  return *datum.number();
}

/// `3`, `[0,3]`, `{"laneid":0}`
NamedNumbers numbers_of(const Datum& datum) {
  if (datum.number() != nullptr) return {{*datum.number()}, {}};
  NamedNumbers numbers;
  if (const Datum::Fields* fields = datum.fields()) {
    for (const auto& [name, item] : *fields) {
      numbers.names.push_back(name);
      numbers.numbers.push_back(number_of(item));
    }
    return numbers;
  }
  if (datum.list() == nullptr) refuse_data("a witness");
  for (const Datum& item : *datum.list()) numbers.numbers.push_back(number_of(item));
  return numbers;
}

WitnessNumbers::Images images_of(const Datum& datum) {
  if (datum.is_null()) return {};
  const Datum* set = datum.field("set");
  if (set == nullptr || set->list() == nullptr) return {numbers_of(datum)};
  WitnessNumbers::Images images;
  for (const Datum& item : *set->list()) images.push_back(numbers_of(item));
  return images;
}

std::optional<WitnessNumbers::Point> point_in(const Datum& datum) {
  const Datum* coordinate = datum.field("coordinate");
  if (coordinate == nullptr) return std::nullopt;
  WitnessNumbers::Point point{numbers_of(*coordinate), {}};
  if (const Datum* flat = datum.field("flat")) point.flat = number_of(*flat);
  return point;
}

WitnessNumbers witness_numbers_of(const Datum& datum) {
  WitnessNumbers numbers;
  numbers.point = point_in(datum);
  if (const Datum* found = datum.field("found")) numbers.found = images_of(*found);
  if (const Datum* wanted = datum.field("wanted")) numbers.wanted = images_of(*wanted);
  if (const Datum* at = datum.field("at")) numbers.other = point_in(*at);
  const Datum* sizes = datum.field("sizes");
  if (sizes == nullptr || sizes->fields() == nullptr) return numbers;
  for (const auto& [name, size] : *sizes->fields())
    numbers.sizes.emplace_back(name, number_of(size));
  return numbers;
}

std::optional<Witness> witness_in(const Datum& datum) {
  const Datum* field = datum.field("counterexample");
  if (field == nullptr || field->is_null()) return std::nullopt;
  Witness witness{text_in(*field, "coordinate"), text_in(*field, "found"),
                  text_in(*field, "wanted")};
  if (const Datum* numbers = field->field("numbers"))
    witness.numbers = witness_numbers_of(*numbers);
  return witness;
}

}  // namespace

nb::object data_of_report(const Report& report) {
  nb::dict data;
  data["text"] = nb::str(report.text.data(), report.text.size());
  data["data"] = to_python(report.data);
  data["outcome"] = kOutcomes[static_cast<std::size_t>(report.outcome)];
  return data;
}

Report report_of_data(nb::handle data) {
  const Datum datum = datum_of(data);
  const Datum* text = datum.field("text");
  const Datum* inner = datum.field("data");
  const auto outcome = std::ranges::find(kOutcomes, text_in(datum, "outcome"));
  if (text == nullptr || text->text() == nullptr || inner == nullptr ||
      outcome == std::end(kOutcomes)) {
    refuse_data("a report");
  }
  return {*text->text(), *inner, static_cast<Report::Outcome>(outcome - std::begin(kOutcomes))};
}

Verdict verdict_of_data(nb::handle data) {
  const Datum datum = datum_of(data);
  const std::string answer = text_in(datum, "verdict");
  std::string method = text_in(datum, "method");
  if (answer != "yes" && answer != "no" && answer != "unknown") refuse_data("a verdict");
  Verdict verdict = answer == "yes"  ? Verdict::yes(std::move(method))
                    : answer == "no" ? Verdict::no(std::move(method), witness_in(datum))
                                     : Verdict::unknown(std::move(method));
  return std::move(verdict).with_remark(text_in(datum, "remark"));
}

}  // namespace heddle::python
