// The report on a dump, as text and as JSON.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "core/printable.h"
#include "core/text.h"
#include "heddle/notation/linear.h"
#include "heddle/notation/ttgir.h"
#include "notation/value/data.h"

namespace heddle::notation {
namespace {

/// `cuda:90, 4 warps of 32, 1 CTA; 5 types, 2 conversions`.
std::string heading(const TtgirDump& dump) {
  std::vector<std::string> parts;
  if (dump.target) parts.push_back(*dump.target);
  if (dump.num_warps) {
    const std::string lanes =
        dump.threads_per_warp ? fmt::format(" of {}", *dump.threads_per_warp) : "";
    parts.push_back(counted(*dump.num_warps, "warp") + lanes);
  }
  if (dump.num_ctas) parts.push_back(counted(*dump.num_ctas, "CTA"));
  return fmt::format("{}{}{}, {}", fmt::join(parts, ", "), parts.empty() ? "" : "; ",
                     counted(static_cast<std::int64_t>(dump.types.size()), "type"),
                     counted(static_cast<std::int64_t>(dump.conversions.size()), "conversion"));
}

/// `tt.load (lines 12, 15, 18, …)`.
std::string use_text(const TypeUse& use) {
  constexpr std::size_t kShown = 6;
  const std::size_t shown = std::min(use.lines.size(), kShown);
  const std::span<const std::size_t> lines = std::span(use.lines).first(shown);
  return fmt::format("{} ({} {}{})", use.operation.empty() ? "…" : use.operation,
                     use.lines.size() == 1 ? "line" : "lines", fmt::join(lines, ", "),
                     shown < use.lines.size() ? ", …" : "");
}

std::string uses_text(const std::vector<TypeUse>& uses) {
  std::vector<std::string> texts;
  for (const TypeUse& use : uses) texts.push_back(use_text(use));
  return fmt::format("{}", fmt::join(texts, ", "));
}

/// The encoding itself if the type only has its alias.
std::string encoding_text(const ListedType& listed) {
  if (!listed.type || !listed.type->encoding) return {};
  const std::string text = to_string(*listed.type->encoding);
  return listed.text.find(text) == std::string::npos ? "  " + text + "\n" : "";
}

/// A note that padding makes the offsets of a buffer larger than in its linear layout.
std::string padding_text(const ListedType& listed) {
  if (!listed.type || !listed.type->encoding) return {};
  const auto* padded = linear::padding_of(*listed.type->encoding);
  if (padded == nullptr) return {};
  std::vector<std::string> texts;
  for (const auto& [interval, padding] : padded->paddings) {
    texts.push_back(fmt::format("{}:+{}", interval, padding));
  }
  return fmt::format("  before the padding [{}]:\n", fmt::join(texts, ", "));
}

/// A note that the offsets are those of the whole buffer.
std::string part_text(const ListedType& listed) {
  if (!listed.type || listed.type->alloc_shape.empty()) return {};
  const auto whole = std::span(listed.type->alloc_shape).last(listed.layout->out_dims().size());
  const bool is_whole = std::ranges::equal(whole, listed.layout->out_dims(), {}, {},
                                           [](const linear::Dimension& out) { return out.size(); });
  return is_whole ? "" : fmt::format("  a part of a buffer of {}:\n", fmt::join(whole, "x"));
}

std::string padded_text(const PaddedLayout& padded) {
  return fmt::format("  padded to {}:\n{}\n", fmt::join(padded.shape, "x"),
                     indented(to_string(padded.layout), 2));
}

std::string refusal_text(std::string_view what, const Diagnostic& error) {
  std::string text = fmt::format("  {}: {}: {}\n", what, error.code(), error.message());
  for (const std::string& note : error.notes()) text += fmt::format("    {}\n", note);
  return text;
}

std::string type_text(const ListedType& listed) {
  std::string text = listed.text + "\n" + encoding_text(listed);
  text += "  used by " + uses_text(listed.uses) + "\n";
  if (listed.layout)
    return text + part_text(listed) + padding_text(listed) +
           indented(to_string(*listed.layout), 2) + "\n";
  text += refusal_text("no layout", listed.layout.error());
  return listed.padded ? text + padded_text(*listed.padded) : text;
}

std::string alias_text(const ListedAlias& alias) {
  return fmt::format("{} (line {})\n", alias.name, alias.line) +
         (alias.encoding ? fmt::format("  {}\n", to_string(*alias.encoding))
                         : refusal_text("no encoding", alias.encoding.error()));
}

/// `128 bits wide, 8 wavefronts`, and the ideal if it differs.
std::string access_text(const analyze::BankCounts& counts) {
  const std::string ideal =
      counts.is_conflict_free() ? "" : fmt::format(", {} ideal", counts.ideal);
  return fmt::format("{} bits wide, {} wavefronts{}", counts.vector_bits, counts.wavefronts, ideal);
}

std::string move_text(const analyze::Conversion& move) {
  using enum analyze::ConversionClass;
  switch (move.kind) {
    case kNone:
      return "nothing moves";
    case kRegisters:
      return "within each thread, from register to register";
    case kWarp:
      return fmt::format("within each warp: {}, {} each", counted(move.shuffles, "shuffle"),
                         counted(move.elements_per_shuffle, "element"));
    case kAcrossCtas:
      return "across CTAs";
    case kSharedMemory:
      break;
  }
  if (!move.buffer) return "through shared memory";
  return fmt::format("through shared memory, {} bytes at best: written {}; read {}",
                     move.buffer->bytes, access_text(move.buffer->write),
                     access_text(move.buffer->read));
}

std::string conversion_text(const TtgirDump& dump, const ListedConversion& conversion) {
  const auto move = conversion_of(dump, conversion);
  const std::string what =
      move ? move_text(*move) : fmt::format("{}: {}", move.error().code(), move.error().message());
  return fmt::format("line {}{}{}: {}\n  {}\n  -> {}\n", conversion.line,
                     conversion.result.empty() ? "" : ", ", conversion.result, what,
                     dump.types[conversion.source].text, dump.types[conversion.target].text);
}

Datum datum_of(const ListedType& listed) {
  Datum::Fields fields = {{"type", listed.text}};
  if (listed.type) {
    fields.emplace_back("shape", list_of(listed.type->shape));
    fields.emplace_back("element_type", listed.type->element_type);
    if (listed.type->encoding) fields.emplace_back("encoding", to_datum(*listed.type->encoding));
  }
  if (listed.layout) {
    fields.emplace_back("layout", to_datum(*listed.layout));
  } else {
    fields.emplace_back("error", to_datum(listed.layout.error()));
  }
  if (listed.padded) {
    fields.emplace_back("padded_shape", list_of(listed.padded->shape));
    fields.emplace_back("padded_layout", to_datum(listed.padded->layout));
  }
  Datum::List uses;
  for (const TypeUse& use : listed.uses) {
    uses.emplace_back(Datum::Fields{{"operation", use.operation}, {"lines", list_of(use.lines)}});
  }
  fields.emplace_back("uses", std::move(uses));
  return fields;
}

Datum datum_of(const ListedAlias& alias) {
  return Datum::Fields{
      {"name", alias.name},
      {"line", alias.line},
      {alias.encoding ? "encoding" : "error",
       alias.encoding ? to_datum(*alias.encoding) : to_datum(alias.encoding.error())}};
}

Datum datum_of(const analyze::BankCounts& counts) {
  return Datum::Fields{{"vector_bits", counts.vector_bits},
                       {"wavefronts", counts.wavefronts},
                       {"ideal", counts.ideal}};
}

Datum datum_of(const TtgirDump& dump, const ListedConversion& conversion) {
  Datum::Fields fields = {{"line", conversion.line},
                          {"result", conversion.result},
                          {"source", conversion.source},
                          {"target", conversion.target}};
  const auto move = conversion_of(dump, conversion);
  if (!move) {
    fields.emplace_back("error", to_datum(move.error()));
    return fields;
  }
  fields.emplace_back("move", std::string(analyze::name_of(move->kind)));
  if (move->kind == analyze::ConversionClass::kWarp) {
    fields.emplace_back("shuffles", move->shuffles);
    fields.emplace_back("elements_per_shuffle", move->elements_per_shuffle);
  }
  if (move->buffer) {
    fields.emplace_back("bytes", move->buffer->bytes);
    fields.emplace_back("write", datum_of(move->buffer->write));
    fields.emplace_back("read", datum_of(move->buffer->read));
  }
  return fields;
}

/// The shared memory of the target, `hip:gfx942`; that of NVIDIA's machines if none is known.
analyze::Serving serving_of(const TtgirDump& dump) {
  const std::string target = dump.target.value_or("");
  return analyze::serving(target.substr(target.find(':') + 1)).value_or(analyze::Serving());
}

}  // namespace

bool ListedType::is_described() const {
  return layout || padded || layout.error().code() == "encoding.not_inferred";
}

Result<analyze::Conversion> conversion_of(const TtgirDump& dump,
                                          const ListedConversion& conversion) {
  const ListedType& source = dump.types[conversion.source];
  const ListedType& target = dump.types[conversion.target];
  for (const ListedType* side : {&source, &target}) {
    if (!side->layout) return refuse(side->layout.error());
  }
  const std::string& element_type = source.type->element_type;
  const auto bits = element_bit_width(element_type);
  if (!bits) {
    return refuse("ttgir.element_type",
                  fmt::format("the width of an element of type {} is not known", element_type));
  }
  constexpr int kByte = 8;
  return analyze::conversion_class(*source.layout, *target.layout, std::max(*bits, kByte),
                                   {serving_of(dump)});
}

std::string to_string(const TtgirDump& dump, const TypePicture& picture) {
  std::string text = printable(heading(dump)) + "\n";
  for (const ListedType& listed : dump.types) {
    text += "\n" + printable_lines(type_text(listed));
    // A picture contains terminal colours, so it is not escaped here: it escapes its own input.
    if (picture) text += picture(listed);
  }
  if (!dump.aliases.empty()) text += "\nencodings without a tensor\n";
  for (const ListedAlias& alias : dump.aliases) text += "\n" + printable_lines(alias_text(alias));
  if (!dump.conversions.empty()) text += "\nconversions\n";
  for (const ListedConversion& conversion : dump.conversions) {
    text += "\n" + printable_lines(conversion_text(dump, conversion));
  }
  return text;
}

Datum to_datum(const TtgirDump& dump) {
  Datum::List types;
  for (const ListedType& listed : dump.types) types.push_back(datum_of(listed));
  Datum::List aliases;
  for (const ListedAlias& alias : dump.aliases) aliases.push_back(datum_of(alias));
  Datum::List conversions;
  for (const ListedConversion& conversion : dump.conversions) {
    conversions.push_back(datum_of(dump, conversion));
  }
  return Datum::Fields{{"target", dump.target},
                       {"num_warps", dump.num_warps},
                       {"num_ctas", dump.num_ctas},
                       {"threads_per_warp", dump.threads_per_warp},
                       {"types", std::move(types)},
                       {"aliases", std::move(aliases)},
                       {"conversions", std::move(conversions)}};
}

}  // namespace heddle::notation
