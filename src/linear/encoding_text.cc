// Encodings as Triton prints attributes.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "linear/bit_runs.h"
#include "linear/encoding_checks.h"
#include "linear/encoding_fields.h"
#include "linear/tile.h"

namespace heddle::linear {
namespace {

/// `[[0, 1], [8, 0]]`
std::string vectors_text(const std::vector<Sizes>& vectors) {
  std::vector<std::string> texts;
  for (const auto& vector : vectors) texts.push_back(list_text(vector));
  return fmt::format("[{}]", fmt::join(texts, ", "));
}

std::string base_text(const InBases& in) {
  return fmt::format("{} = {}", in.name, vectors_text(in.vectors));
}

/// `register = [[0, 1]], lane = [], …`, without the empty ones that `is_shown` leaves out.
std::string bases_text(const LinearLayout& layout, auto is_shown) {
  std::vector<std::string> texts;
  for (const InBases& in : layout.bases()) {
    if (!in.vectors.empty() || is_shown(in)) texts.push_back(base_text(in));
  }
  return fmt::format("{}", fmt::join(texts, ", "));
}
std::string bases_text(const LinearLayout& layout) {
  return bases_text(layout, [](const InBases&) { return true; });
}

// The value of a field.

std::string value_text(std::int64_t number) { return std::to_string(number); }
std::string value_text(int number) { return std::to_string(number); }
std::string value_text(bool truth) { return truth ? "true" : "false"; }
std::string value_text(const Sizes& sizes) { return list_text(sizes); }
std::string value_text(const Order& order) { return list_text(order); }
std::string value_text(const CtaLayout& ctas) { return vectors_text(ctas.block_bases); }
std::string value_text(const std::optional<std::int64_t>& number) { return value_text(*number); }
std::string value_text(const std::shared_ptr<const Encoding>& parent) {
  return parent ? to_string(*parent) : "<<no parent>>";
}
/// The tiles of an amd_wmma.
std::string value_text(const LinearLayout& layout) {
  return fmt::format("{{{}}}", bases_text(layout, [](const InBases&) { return false; }));
}

template <class E, class T>
std::string field_text(const E& encoding, const Field<E, T>& field) {
  std::string text(word_of(encoding, field));
  if constexpr (!std::is_enum_v<T>) {
    if (text.empty()) text = value_text(encoding.*field.member);
  }
  return fmt::format("{} = {}", field.name, text);
}

std::vector<std::string> field_texts(const auto& encoding) {
  std::vector<std::string> texts;
  for_each_field(encoding, [&](const auto& field) {
    if (is_written(encoding, field, false)) texts.push_back(field_text(encoding, field));
  });
  return texts;
}

/// `#ttg.blocked<{…}>`; attributes of ttng have no braces.
std::string attribute_text(std::string_view attribute, const std::vector<std::string>& fields) {
  const bool has_braces = !attribute.starts_with("ttng.");
  return fmt::format("#{}<{}{}{}>", attribute, has_braces ? "{" : "", fmt::join(fields, ", "),
                     has_braces ? "}" : "");
}

template <class E>
std::string text_of(const E& encoding) {
  return attribute_text(described(encoding).attribute, field_texts(encoding));
}

// Attributes that are not only their fields.

std::string text_of(const LinearEncoding& encoding) {
  return attribute_text(described(encoding).attribute, {bases_text(encoding.layout)});
}

/// The CTAs tell the rank.
std::string text_of(NvmmaSharedEncoding encoding) {
  if (!encoding.ctas.block_bases.empty()) encoding.rank = NvmmaSharedEncoding().rank;
  return attribute_text(described(encoding).attribute, field_texts(encoding));
}

std::string text_of(const SharedLinearEncoding& encoding) {
  const auto is_shown = [](const InBases& in) { return in.name != "block"; };
  return fmt::format("#ttg.shared_linear<{{{}}}, alignment = {}>",
                     bases_text(encoding.layout, is_shown), encoding.alignment);
}

/// `order = [1, 0], shape = [16, 32]`, if the offsets of one CTA run through one dimension after
/// another; otherwise nullopt.
std::optional<std::string> short_form(const PaddedSharedEncoding& encoding) {
  const LinearLayout& layout = encoding.layout;
  const Dimension* block = layout.find_in("block");
  if (block == nullptr || block->bits != 0 || layout.in_dims()[0].name != "offset") return {};
  const Order order = order_of(layout, "offset");
  Sizes shape;
  for (const Dimension& out : layout.out_dims()) shape.push_back(out.size());
  const auto plain = PaddedSharedEncoding::make(encoding.paddings, order, shape);
  if (!plain || plain->layout != layout) return {};
  return fmt::format("order = {}, shape = {}", list_text(order), list_text(shape));
}

std::string text_of(const PaddedSharedEncoding& encoding) {
  std::vector<std::string> paddings;
  for (const auto& [interval, padding] : encoding.paddings) {
    paddings.push_back(fmt::format("{}:+{}", interval, padding));
  }
  return fmt::format("#ttg.padded_shared<[{}] {{{}}}>", fmt::join(paddings, ", "),
                     short_form(encoding).value_or(bases_text(encoding.layout)));
}

/// The sizes of the matrices follow from the other fields.
std::string text_of(const DpasEncoding& encoding) {
  std::vector<std::string> fields = field_texts(encoding);
  const auto [a, b, c] = matrix_shapes(encoding);
  if (!a.empty()) {
    fields.push_back(
        fmt::format("A = {}, B = {}, C = {}", list_text(a), list_text(b), list_text(c)));
  }
  return attribute_text(described(encoding).attribute, fields);
}

std::string text_of(const AmdWmmaEncoding& encoding) {
  std::vector<std::string> fields = field_texts(encoding);
  const std::size_t rank = encoding.cta_layout.out_dims().size();
  if (rank != 2) fields.insert(fields.begin() + 2, fmt::format("rank = {}", rank));
  return attribute_text(described(encoding).attribute, fields);
}

std::string text_of(const PlaceholderEncoding& encoding) { return "#" + encoding.attribute; }

}  // namespace

std::string to_string(const Encoding& encoding) {
  return std::visit([](const auto& data) { return text_of(data); }, encoding.data());
}

}  // namespace heddle::linear
