#include "heddle/notation/npy.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>

#include "core/little_endian.h"
#include "core/printable.h"
#include "core/text.h"
#include "heddle/core/exact.h"
#include "notation/language/python_literal.h"

namespace heddle::notation {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY";
/// Headers are short; only structures make them long.
constexpr std::size_t kMaxHeader = 1 << 16;
constexpr std::size_t kMaxDimensions = 64;
/// Version 1 of the format has room for so long a list of fields and a shape.
constexpr std::size_t kMaxFields = 1 << 15;

bool is_printable_ascii(char c) { return c >= ' ' && c <= '~'; }

Refusal bad_header(std::string why) {
  return refuse("npy.header", "this is not an array of NumPy's format: " + std::move(why));
}

/// The header's text and what follows it.
struct NpyParts {
  std::string_view header;
  std::string_view data;
};

Result<NpyParts> npy_parts_of(std::string_view bytes) {
  if (!bytes.starts_with(kMagic)) return bad_header("it does not begin with \\x93NUMPY");
  if (bytes.size() < kMagic.size() + 2) return bad_header("it ends before its version");
  const int version = static_cast<unsigned char>(bytes[kMagic.size()]);
  const int minor = static_cast<unsigned char>(bytes[kMagic.size() + 1]);
  if (version < 1 || version > 3 || minor != 0) {
    return refuse("npy.version", fmt::format("NumPy's format has versions 1.0, 2.0 and 3.0, and "
                                             "this is {}.{}",
                                             version, minor));
  }
  bytes.remove_prefix(kMagic.size() + 2);
  const std::size_t length_bytes = version == 1 ? 2 : 4;
  if (bytes.size() < length_bytes) return bad_header("it ends before its header");
  const std::uint64_t length = little_endian(bytes.substr(0, length_bytes));
  bytes.remove_prefix(length_bytes);
  if (length > kMaxHeader || length > bytes.size()) {
    return bad_header(fmt::format("its header claims {} bytes, and {} follow (at most {} are read)",
                                  length, bytes.size(), kMaxHeader));
  }
  return NpyParts{bytes.substr(0, length), bytes.substr(length)};
}

/// Reads the header, a dictionary as Python prints it.
Result<NpyHeader> npy_header_of(std::string_view text) {
  using Kind = PythonLiteral::Kind;
  const Result<PythonLiteral> header = parse_python_literal(text);
  if (!header) return bad_header(printable(header.error().message()));
  if (!header->is(Kind::kSet)) return bad_header("its header is not a dictionary");
  const PythonLiteral* dtype = header->keyed("descr");
  const PythonLiteral* order = header->keyed("fortran_order");
  const PythonLiteral* shape = header->keyed("shape");
  if (dtype == nullptr || order == nullptr || shape == nullptr || header->items.size() != 3) {
    return bad_header("it needs 'descr', 'fortran_order' and 'shape', each once");
  }
  std::string type = dtype->text;
  if (dtype->is(Kind::kList)) {
    type = text.substr(dtype->span.begin, dtype->span.end - dtype->span.begin);
    if (type.size() > kMaxFields || !std::ranges::all_of(type, is_printable_ascii)) {
      return refuse("npy.dtype", fmt::format("the names and types of the fields take {} bytes; "
                                             "those of up to {} in ASCII are read",
                                             type.size(), kMaxFields));
    }
  } else if (!dtype->is(Kind::kString) || type.starts_with('[')) {
    return bad_header("'descr' is not in quotes");
  }
  const bool is_fortran = order->is_name("True");
  if (!is_fortran && !order->is_name("False")) {
    return bad_header("'fortran_order' is neither True nor False");
  }
  if (!shape->is(Kind::kTuple)) return bad_header("'shape' is not a tuple");
  if (shape->items.size() > kMaxDimensions) return bad_header("it has more than 64 dimensions");
  std::vector<std::int64_t> extents;
  for (const PythonLiteral& extent : shape->items) {
    if (!extent.is(Kind::kInteger) || extent.number < 0) {
      return bad_header("an extent is not a number");
    }
    extents.push_back(extent.number);
  }
  return NpyHeader{std::move(type), is_fortran, std::move(extents), 0};
}

/// The width of an element and how to read its bytes: `<i8`.
struct NpyElement {
  std::size_t width = 1;
  bool is_signed = false;
  bool is_big_endian = false;
  /// A boolean: any byte but 0 is read as 1.
  bool is_truth = false;
};

Result<NpyElement> npy_element_of(const std::string& dtype) {
  if (dtype.starts_with('[')) {
    return refuse(Diagnostic("npy.dtype", "the elements are structures, and a table holds integers")
                      .with_hint("array[\"a\"] is an array of the field a"));
  }
  const auto refusal = [&] {
    return refuse(
        Diagnostic("npy.dtype",
                   fmt::format("the elements are '{}', and a table holds integers or booleans",
                               printable(dtype)))
            .with_hint("array.astype(numpy.int64)"));
  };
  std::string_view text = dtype;
  const bool has_order =
      !text.empty() && std::string_view("<>|=").find(text.front()) != std::string_view::npos;
  const char order = has_order ? text.front() : '|';
  if (has_order) text.remove_prefix(1);
  if (text == "?" || text == "b1") {
    NpyElement truth;
    truth.is_truth = true;
    return truth;
  }
  if (text.size() != 2 || (text[0] != 'i' && text[0] != 'u')) return refusal();
  const std::size_t width = static_cast<unsigned char>(text[1]) - static_cast<unsigned char>('0');
  if (width != 1 && width != 2 && width != 4 && width != 8) return refusal();
  // Elements wider than a byte need a byte order.
  if (width > 1 && order == '|') return refusal();
  return NpyElement{width, text[0] == 'i', order == '>', false};
}

Result<std::int64_t> number_in(std::string_view bytes, const NpyElement& element) {
  std::string turned(bytes);
  if (element.is_big_endian) std::ranges::reverse(turned);
  const std::uint64_t word = little_endian(turned);
  if (element.is_truth) return word == 0 ? 0 : 1;
  if (!element.is_signed) {
    if (word <= static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) {
      return static_cast<std::int64_t>(word);
    }
    return refuse("npy.range",
                  fmt::format("the element {} is past 2^63 - 1, the largest number here", word));
  }
  const unsigned unused = 64 - 8 * static_cast<unsigned>(element.width);
  return static_cast<std::int64_t>(word << unused) >> unused;
}

/// Walks the points in row-major order and gives their positions in Fortran order.
class FortranWalk {
 public:
  explicit FortranWalk(const std::vector<std::int64_t>& shape)
      : shape_(shape), point_(shape.size(), 0) {
    std::int64_t step = 1;
    for (const std::int64_t extent : shape) {
      steps_.push_back(step);
      step *= extent;
    }
  }

  [[nodiscard]] std::int64_t place() const { return place_; }

  void advance() {
    for (std::size_t i = shape_.size(); i-- > 0;) {
      place_ += steps_[i];
      if (++point_[i] < shape_[i]) return;
      place_ -= shape_[i] * steps_[i];
      point_[i] = 0;
    }
  }

 private:
  const std::vector<std::int64_t>& shape_;
  std::vector<std::int64_t> point_;
  std::vector<std::int64_t> steps_;
  std::int64_t place_ = 0;
};

Result<std::int64_t> npy_count_of(const std::vector<std::int64_t>& shape) {
  exact::Value count = 1;
  for (const std::int64_t extent : shape) {
    if (extent == 0) {
      return refuse("table.shape",
                    fmt::format("the array ({}) has no elements", fmt::join(shape, ",")));
    }
    if (count) count = exact::multiply(*count, extent);
  }
  if (count && *count <= form::kMaxTable) return *count;
  return refuse("table.too_large",
                fmt::format("the array claims ({}) elements, and a table holds at most {}",
                            fmt::join(shape, ","), form::kMaxTable));
}

}  // namespace

bool looks_like_npy(std::string_view bytes) { return bytes.starts_with(kMagic); }

Result<NpyHeader> read_npy_header(std::string_view bytes) {
  HEDDLE_TRY(const NpyParts parts, npy_parts_of(bytes));
  HEDDLE_TRY(NpyHeader header, npy_header_of(parts.header));
  header.begin = bytes.size() - parts.data.size();
  return header;
}

std::string npy_header_text(const NpyHeader& header) {
  // The elements begin at a multiple of 64 bytes, as NumPy has it.
  constexpr std::size_t kAlignment = 64;
  std::string text =
      fmt::format("{{'descr': {}, 'fortran_order': {}, 'shape': ({}{}), }}",
                  header.type.starts_with('[') ? header.type : fmt::format("'{}'", header.type),
                  header.first_fastest ? "True" : "False", fmt::join(header.shape, ", "),
                  header.shape.size() == 1 ? "," : "");
  const std::size_t before = kMagic.size() + 4;
  const std::size_t whole = (before + text.size() + 1 + kAlignment - 1) / kAlignment * kAlignment;
  text.append(whole - before - text.size() - 1, ' ');
  text += '\n';
  std::string bytes(kMagic);
  bytes += {'\x01', '\x00', static_cast<char>(text.size() & 0xFF),
            static_cast<char>(text.size() >> 8 & 0xFF)};
  return bytes + text;
}

Result<form::Table> read_npy(std::string_view bytes) {
  HEDDLE_TRY(const NpyParts parts, npy_parts_of(bytes));
  HEDDLE_TRY(NpyHeader header, npy_header_of(parts.header));
  HEDDLE_TRY(const NpyElement element, npy_element_of(header.type));
  HEDDLE_TRY(const std::int64_t count, npy_count_of(header.shape));
  const std::size_t wanted = static_cast<std::size_t>(count) * element.width;
  if (parts.data.size() != wanted) {
    return refuse("npy.size", fmt::format("{} of '{}' take {} bytes, and {} follow the "
                                          "header",
                                          counted(count, "element"), printable(header.type), wanted,
                                          parts.data.size()));
  }
  std::vector<std::int64_t> values;
  values.reserve(static_cast<std::size_t>(count));
  FortranWalk walk(header.shape);
  for (std::int64_t i = 0; i < count; ++i, walk.advance()) {
    const std::int64_t place = header.first_fastest ? walk.place() : i;
    const std::size_t begin = static_cast<std::size_t>(place) * element.width;
    HEDDLE_TRY(values.emplace_back(), number_in(parts.data.substr(begin, element.width), element));
  }
  return form::make_table(std::move(header.shape), {Axis::memory()}, std::move(values));
}

Result<form::Table> on_axes(form::Table table, const std::vector<std::string>& names) {
  const auto count = static_cast<std::int64_t>(names.size());
  const bool fits =
      table.axes.size() == 1 && !table.extents.empty() && table.extents.back() == count;
  if (!fits) {
    return refuse("table.shape",
                  fmt::format("{} named, and the innermost lists of ({}) numbers are not "
                              "of that length",
                              count == 1 ? "1 axis is" : fmt::format("{} axes are", count),
                              fmt::join(table.extents, ",")));
  }
  std::vector<Axis> axes;
  for (const std::string& name : names) {
    HEDDLE_CHECK(check_name(name));
    if (std::ranges::find(axes, Axis(name)) != axes.end()) {
      return refuse("table.shape", fmt::format("the axis {} is named twice", name));
    }
    axes.emplace_back(name);
  }
  table.extents.pop_back();
  return form::make_table(std::move(table.extents), std::move(axes), std::move(table.values));
}

}  // namespace heddle::notation
