#include "notation/value/axe.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "axe/layout/iters.h"
#include "core/text.h"
#include "heddle/emit/dialect.h"
#include "heddle/notation/axe.h"
#include "heddle/notation/sharding.h"
#include "notation/value/data.h"

namespace heddle::notation {
namespace {

template <class View>
std::optional<IntTuple> tuple_from(View tiles) {
  if (tiles.is_leaf()) {
    if (tiles.leaf().size() == nullptr) return std::nullopt;
    return IntTuple(*tiles.leaf().size());
  }
  std::vector<IntTuple> modes;
  for (const auto mode : tiles.modes()) {
    std::optional<IntTuple> tuple = tuple_from(mode);
    if (!tuple) return std::nullopt;
    modes.push_back(*std::move(tuple));
  }
  return IntTuple::of(modes);
}

std::optional<IntTuple> tuple_from(const Datum& datum) {
  if (datum.number() != nullptr) return IntTuple(Int(*datum.number()));
  if (datum.list() == nullptr || datum.list()->empty()) return std::nullopt;
  std::vector<IntTuple> modes;
  for (const Datum& item : *datum.list()) {
    std::optional<IntTuple> tuple = tuple_from(item);
    if (!tuple) return std::nullopt;
    modes.push_back(*std::move(tuple));
  }
  return IntTuple::of(modes);
}

std::optional<IntTuple> int_tuple(const Value& value) {
  if (const auto* tuple = value.get_if<IntTuple>()) return *tuple;
  if (const auto* tiler = value.get_if<cute::Tiler>()) return tuple_from(tiler->view());
  if (const auto* datum = value.get_if<Datum>()) return tuple_from(*datum);
  return std::nullopt;
}

}  // namespace

std::optional<Value> as_tuple(const Value& value) {
  std::optional<IntTuple> tuple = int_tuple(value);
  if (!tuple) return std::nullopt;
  return Value(*std::move(tuple));
}

std::optional<Value> as_shape(const Value& value) {
  const std::optional<IntTuple> tuple = int_tuple(value);
  if (!tuple || tuple->depth() > 1) return std::nullopt;
  return Value(*tuple);
}

std::optional<Value> as_shapes(const Value& value) {
  std::optional<IntTuple> tuple = int_tuple(value);
  if (!tuple || tuple->is_leaf()) return std::nullopt;
  for (const TupleView<Int> mode : tuple->modes()) {
    if (mode.depth() > 1) return std::nullopt;
  }
  return Value(*std::move(tuple));
}

bool is_axis_name(std::string_view name) {
  return emit::is_identifier(name) && name != "o" && name != "_";
}

Refusal without_place(Diagnostic diagnostic) {
  Diagnostic result(diagnostic.code(), diagnostic.message());
  for (const std::string& note : diagnostic.notes()) result = std::move(result).with_note(note);
  if (!diagnostic.hint().empty()) result = std::move(result).with_hint(diagnostic.hint());
  if (diagnostic.witness()) result = std::move(result).with_witness(*diagnostic.witness());
  return refuse(std::move(result));
}

Result<std::optional<Value>> as_mesh(const Value& value) {
  if (value.is<axe::Mesh>()) return value;
  if (const auto* sharded = value.get_if<axe::Sharded>()) return Value(sharded->mesh);
  std::optional<std::string> text;
  if (const auto* given = value.get_if<std::string>()) text = *given;
  if (const std::optional<Datum> datum = datum_if_data(value); !text && datum)
    text = to_string(*datum);
  if (!text) return std::nullopt;
  Result<axe::Mesh> mesh = parse_mesh(*text);
  if (!mesh) return without_place(std::move(mesh).error());
  return Value(*std::move(mesh));
}
namespace {

template <class Range>
std::string joined_text(const char* format, const char* separator, const Range& items) {
  std::vector<std::string> texts;
  for (const auto& item : items) texts.push_back(to_string(item));
  return fmt::format(fmt::runtime(format), fmt::join(texts, separator));
}

// LaTeX.

std::string escaped(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (c == '_' || c == '%') result += '\\';
    result += c;
  }
  return result;
}

std::string step_latex(const Int& value, const Axis& axis) {
  const std::string plain = axe::step_text(value, axis);
  const std::string number = plain.substr(0, plain.size() - axis.name().size());  // with its @
  return fmt::format("{}\\texttt{{{}}}", escaped(number), escaped(axis.name()));
}

std::string matrix_latex(std::string_view kind, std::span<const axe::Iter> iters) {
  std::vector<std::string> extents;
  std::vector<std::string> strides;
  for (const axe::Iter& iter : iters) {
    extents.push_back(escaped(to_string(iter.extent)));
    strides.push_back(step_latex(iter.stride, iter.axis));
  }
  return fmt::format("\\begin{{{0}}}{1}\\\\ {2}\\end{{{0}}}", kind, fmt::join(extents, "&"),
                     fmt::join(strides, "&"));
}

std::string swizzle_latex(const axe::Swizzle& swizzle) {
  std::string text = axe::to_string(swizzle);
  std::string axis;
  if (const std::size_t at = text.find('@'); at != std::string::npos) {
    axis = fmt::format("@\\texttt{{{}}}", escaped(text.substr(at + 1)));
    text.resize(at);
  }
  return fmt::format("\\mathrm{{SW}}{}{}\\circ ", text.substr(text.find('(')), axis);
}

}  // namespace

std::string to_string(const AxisStep& step) { return axe::step_text(step.value, step.axis); }

std::string to_string(const AxePart& part) {
  if (part.replica.empty()) return axe::to_string(part.offset);
  std::vector<std::string> extents;
  std::vector<std::string> strides;
  for (const axe::Iter& iter : part.replica) {
    extents.push_back(to_string(iter.extent));
    strides.push_back(axe::step_text(iter.stride, iter.axis));
  }
  std::string text = fmt::format("R[({}):({})]", fmt::join(extents, ","), fmt::join(strides, ","));
  if (!part.offset.is_zero()) text += " + " + axe::to_string(part.offset);
  return text;
}

std::string to_string(const IterList& iters) { return joined_text("[{}]", ",", iters); }
std::string to_string(const Places& places) { return joined_text("{{{}}}", ", ", places); }

Datum to_datum(const axe::Coordinate& place) {
  Datum::Fields fields;
  for (const auto& [axis, value] : place) fields.emplace_back(axis.name(), to_datum(value));
  return fields;
}

Datum to_datum(const axe::Iter& iter) {
  return Datum::List{to_datum(iter.extent), to_datum(iter.stride), iter.axis.name()};
}

namespace {

Refusal wrong_axis(std::string_view text) {
  return refuse(
      Diagnostic("axe.axis_syntax", fmt::format("'axis {}' declares no axis", trimmed(text)))
          .with_hint("axis NAME: memory, device, thread, or SCOPE in SCOPE for an axis "
                     "of threads, as in warp in cta"));
}

/// The properties of an axis of this kind; nullopt if the words are no kind.
std::optional<axe::AxisInfo> info_of(std::string_view kind) {
  if (kind == "memory") return axe::AxisInfo{{}, axe::AxisKind::kMemory, {}, {}, {}};
  if (kind == "device") {
    return axe::AxisInfo{{}, axe::AxisKind::kDevice, axe::Scope::kKernel, axe::Scope::kWorld, {}};
  }
  if (kind == "thread") kind = "thread in cta";
  constexpr std::string_view kIn = " in ";
  const std::size_t in = kind.find(kIn);
  if (in == std::string_view::npos) return std::nullopt;
  const auto inner = axe::scope_named(trimmed(kind.substr(0, in)));
  const auto outer = axe::scope_named(trimmed(kind.substr(in + kIn.size())));
  if (!inner || !outer || *inner >= *outer) return std::nullopt;
  return axe::AxisInfo{{}, axe::AxisKind::kThread, *inner, *outer, {}};
}

}  // namespace

Result<axe::AxisInfo> parse_axis(std::string_view text) {
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos) return wrong_axis(text);
  const std::string_view name = trimmed(text.substr(0, colon));
  std::optional<axe::AxisInfo> info = info_of(trimmed(text.substr(colon + 1)));
  if (!info || !is_axis_name(name)) return wrong_axis(text);
  info->name = name;
  info->meaning = "declared";
  return *std::move(info);
}

std::string to_latex(const axe::Layout& layout) {
  std::string text;
  if (layout.swizzle()) text = swizzle_latex(*layout.swizzle());
  text += matrix_latex("pmatrix", layout.shard());
  if (!layout.replica().empty()) text += "+" + matrix_latex("bmatrix", layout.replica());
  for (const auto& [axis, value] : layout.offset()) text += "+" + step_latex(value, axis);
  return text;
}

}  // namespace heddle::notation
