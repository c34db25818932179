// Linear layouts as lists and objects, and as Triton prints them.

#include <fmt/format.h>

#include <optional>
#include <utility>

#include "heddle/notation/lexer.h"
#include "heddle/notation/linear.h"
#include "notation/language/foreign/printed_layout.h"
#include "notation/language/scanner.h"

namespace heddle::notation {
namespace {

using linear::Bases;
using linear::LinearLayout;
using linear::NamedSizes;
using linear::Names;
using linear::Sizes;

/// The name and content of each item of `{"a": x}`, `[["a", x]]` or `["a", x]`.
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

// As Triton prints them.

namespace {

class PrintedLayoutReader {
 public:
  explicit PrintedLayoutReader(std::string_view text) : scanner_(text, "syntax.linear_layout") {}

  Result<LinearLayout> read() {
    if (scanner_.accept(kEmptyLayout)) return at_end(LinearLayout());
    while (!scanner_.accept(kOutDims)) HEDDLE_CHECK(read_line());
    HEDDLE_TRY(const NamedSizes outs, read_out_dims());
    HEDDLE_TRY(LinearLayout layout, LinearLayout::make(bases_, outs));
    return at_end(std::move(layout));
  }

 private:
  /// ` - lane=1 -> (1, 0)`, `   lane=2 -> (2, 0)` or ` - block is a size 1 dimension`.
  Result<void> read_line() {
    const bool begins_dim = scanner_.accept("-");
    HEDDLE_TRY(const std::string name, scanner_.expect_name("an input dimension"));
    if (begins_dim) bases_.push_back({name, {}});
    if (bases_.empty() || bases_.back().name != name) {
      return scanner_.refuse_here(fmt::format("'-' before the first basis of {}", name));
    }
    if (begins_dim && scanner_.accept(kSizeOne)) return {};
    return read_basis(bases_.back());
  }

  Result<void> read_basis(linear::InBases& in) {
    HEDDLE_CHECK(scanner_.expect("="));
    constexpr std::size_t kMostBits = 62;
    const std::int64_t wanted =
        in.vectors.size() < kMostBits ? std::int64_t{1} << in.vectors.size() : -1;
    HEDDLE_TRY(const std::int64_t coordinate, scanner_.expect_integer("a coordinate"));
    if (coordinate != wanted) {
      return refuse("syntax.linear_layout",
                    fmt::format("the image of {}={} follows where that of {}={} is expected",
                                in.name, coordinate, in.name, wanted));
    }
    HEDDLE_CHECK(scanner_.expect("->"));
    HEDDLE_CHECK(scanner_.expect("("));
    std::vector<std::int64_t>& vector = in.vectors.emplace_back();
    if (scanner_.accept(")")) return {};
    do {
      HEDDLE_TRY(const std::int64_t part, scanner_.expect_integer("a coordinate"));
      vector.push_back(part);
    } while (scanner_.accept(","));
    return scanner_.expect(")");
  }

  /// `[dim0 (size 16), dim1 (size 8)]`.
  Result<NamedSizes> read_out_dims() {
    NamedSizes outs;
    HEDDLE_CHECK(scanner_.expect("["));
    if (scanner_.accept("]")) return outs;
    do {
      HEDDLE_TRY(std::string name, scanner_.expect_name("an output dimension"));
      HEDDLE_CHECK(scanner_.expect("(size "));
      HEDDLE_TRY(const std::int64_t size, scanner_.expect_integer("a size"));
      HEDDLE_CHECK(scanner_.expect(")"));
      outs.emplace_back(std::move(name), size);
    } while (scanner_.accept(","));
    HEDDLE_CHECK(scanner_.expect("]"));
    return outs;
  }

  Result<LinearLayout> at_end(LinearLayout layout) {
    if (scanner_.at_end()) return layout;
    return scanner_.refuse_here("the end");
  }

  Scanner scanner_;
  Bases bases_;
};

}  // namespace

Result<LinearLayout> parse_printed_layout(std::string_view text) {
  return PrintedLayoutReader(text).read();
}

}  // namespace heddle::notation
