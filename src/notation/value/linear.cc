// Linear layouts as lists and objects.

#include <fmt/format.h>

#include <optional>
#include <utility>

#include "heddle/notation/lexer.h"
#include "heddle/notation/linear.h"

namespace heddle::notation {
namespace {

using linear::Bases;
using linear::LinearLayout;
using linear::NamedSizes;
using linear::Names;
using linear::Sizes;

/// Name and content of each item: `{"a": x}`, `[["a", x]]` or `["a", x]`… a pair each.
std::optional<std::vector<std::pair<std::string, const Datum*>>> pairs_of(const Datum& datum) {
  std::vector<std::pair<std::string, const Datum*>> pairs;
  if (const auto* fields = datum.fields()) {
    for (const auto& [name, content] : *fields) pairs.emplace_back(name, &content);
    return pairs;
  }
  if (datum.list() == nullptr) return std::nullopt;
  for (const Datum& item : *datum.list()) {
    const auto* pair = item.list();
    if (pair == nullptr || pair->size() != 2 || pair->front().text() == nullptr)
      return std::nullopt;
    pairs.emplace_back(*pair->front().text(), &pair->back());
  }
  return pairs;
}

Refusal refuse_form(std::string_view what, const Datum& datum, std::string_view wanted) {
  return refuse(
      Diagnostic("syntax.linear_layout", fmt::format("{} of a linear layout is {}; {} is needed",
                                                     what, quote(to_string(datum)), wanted))
          .with_hint(R"({"ins":[["register",[[0,1]]],["lane",[]]],)"
                     R"("outs":[["dim0",1],["dim1",2]]})"));
}

}  // namespace

std::optional<Names> names_of(const Datum& datum) {
  if (datum.text() != nullptr) return Names{*datum.text()};
  if (datum.list() == nullptr) return std::nullopt;
  Names names;
  for (const Datum& item : *datum.list()) {
    if (item.text() == nullptr) return std::nullopt;
    names.push_back(*item.text());
  }
  return names;
}

std::optional<NamedSizes> named_sizes_of(const Datum& datum) {
  const auto pairs = pairs_of(datum);
  if (!pairs) return std::nullopt;
  NamedSizes sizes;
  for (const auto& [name, content] : *pairs) {
    if (content->number() == nullptr) return std::nullopt;
    sizes.emplace_back(name, *content->number());
  }
  return sizes;
}

std::optional<Sizes> sizes_of(const Datum& datum) {
  if (datum.number() != nullptr) return Sizes{*datum.number()};
  if (datum.list() == nullptr) return std::nullopt;
  Sizes sizes;
  for (const Datum& item : *datum.list()) {
    if (item.number() == nullptr) return std::nullopt;
    sizes.push_back(*item.number());
  }
  return sizes;
}

std::optional<std::vector<Sizes>> vectors_of(const Datum& datum) {
  if (datum.list() == nullptr) return std::nullopt;
  std::vector<Sizes> vectors;
  for (const Datum& item : *datum.list()) {
    auto vector = sizes_of(item);
    if (!vector) return std::nullopt;
    vectors.push_back(*std::move(vector));
  }
  return vectors;
}

std::optional<Bases> bases_of(const Datum& datum) {
  const auto pairs = pairs_of(datum);
  if (!pairs) return std::nullopt;
  Bases bases;
  for (const auto& [name, content] : *pairs) {
    auto vectors = vectors_of(*content);
    if (!vectors) return std::nullopt;
    bases.push_back({name, *std::move(vectors)});
  }
  return bases;
}

Datum to_datum(const Names& names) { return list_of(names); }

Datum to_datum(const NamedSizes& sizes) {
  Datum::List list;
  for (const auto& [name, size] : sizes) list.emplace_back(Datum::List{name, size});
  return list;
}

Datum to_datum(const LinearLayout& layout) {
  Datum::List ins;
  for (const linear::InBases& in : layout.bases()) {
    Datum::List vectors;
    for (const auto& vector : in.vectors) vectors.push_back(list_of(vector));
    ins.emplace_back(Datum::List{in.name, std::move(vectors)});
  }
  return Datum::Fields{{"ins", std::move(ins)}, {"outs", to_datum(layout.out_dim_sizes())}};
}

Result<LinearLayout> linear_layout_of(const Datum& datum) {
  const Datum* ins = datum.field("ins");
  const Datum* outs = datum.field("outs");
  if (ins == nullptr || outs == nullptr || datum.fields()->size() != 2) {
    return refuse_form("the JSON", datum, "\"ins\" and \"outs\"");
  }
  const auto bases = bases_of(*ins);
  if (!bases) return refuse_form("\"ins\"", *ins, "a list of [name, bases]");
  if (const auto sizes = named_sizes_of(*outs)) return LinearLayout::make(*bases, *sizes);
  if (const auto names = names_of(*outs)) return LinearLayout::make(*bases, *names);
  return refuse_form("\"outs\"", *outs, "a list of [name, size]");
}

}  // namespace heddle::notation
