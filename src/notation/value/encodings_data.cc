// Encodings as objects: `{"kind":"blocked","sizePerThread":[1,4],…}`.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/text.h"
#include "heddle/notation/lexer.h"
#include "heddle/notation/linear.h"
#include "heddle/notation/triton.h"
#include "linear/encoding_fields.h"

namespace heddle::notation {
namespace {

using linear::Bases;
using linear::CtaLayout;
using linear::Encoding;
using linear::LinearLayout;
using linear::Order;
using linear::Sizes;

// Fields.

using Vectors = std::vector<linear::Sizes>;
using Paddings = std::vector<linear::PaddedSharedEncoding::Padding>;
using Parent = std::shared_ptr<const Encoding>;

std::string plain(std::string_view name) {
  std::string result;
  for (const char c : name) {
    if (c != '_') result += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  }
  return result;
}

// Readers of fields, by type.

std::optional<std::int64_t> read(const Datum& datum, const std::int64_t*) {
  return datum.number() == nullptr ? std::nullopt : std::optional(*datum.number());
}
std::optional<int> read(const Datum& datum, const int*) {
  constexpr std::int64_t kMost = 1 << 30;
  const std::int64_t* number = datum.number();
  const bool is_small = number != nullptr && *number >= -kMost && *number <= kMost;
  return is_small ? std::optional(static_cast<int>(*number)) : std::nullopt;
}
std::optional<bool> read(const Datum& datum, const bool*) {
  return datum.truth() == nullptr ? std::nullopt : std::optional(*datum.truth());
}
std::optional<std::string> read(const Datum& datum, const std::string*) {
  return datum.text() == nullptr ? std::nullopt : std::optional(*datum.text());
}
std::optional<Sizes> read(const Datum& datum, const Sizes*) { return sizes_of(datum); }
std::optional<Order> read(const Datum& datum, const Order*) {
  if (datum.list() == nullptr) return std::nullopt;
  Order order;
  for (const Datum& item : *datum.list()) {
    const auto dim = read(item, static_cast<const int*>(nullptr));
    if (!dim) return std::nullopt;
    order.push_back(*dim);
  }
  return order;
}
std::optional<Vectors> read(const Datum& datum, const Vectors*) { return vectors_of(datum); }
std::optional<Datum> read(const Datum& datum, const Datum*) { return datum; }
std::optional<Paddings> read(const Datum& datum, const Paddings*) {
  const std::optional<Vectors> pairs = vectors_of(datum);
  if (!pairs) return std::nullopt;
  Paddings paddings;
  for (const Sizes& pair : *pairs) {
    if (pair.size() != 2) return std::nullopt;
    paddings.push_back({pair[0], pair[1]});
  }
  return paddings;
}

constexpr std::string_view description(const std::int64_t*) { return "an integer"; }
constexpr std::string_view description(const int*) { return "an integer"; }
constexpr std::string_view description(const bool*) { return "true or false"; }
constexpr std::string_view description(const std::string*) { return "a name"; }
constexpr std::string_view description(const Sizes*) { return "a list of integers"; }
constexpr std::string_view description(const Order*) { return "a list of dimensions"; }
constexpr std::string_view description(const Vectors*) { return "a list of lists of integers"; }
constexpr std::string_view description(const Datum*) { return "a value"; }
constexpr std::string_view description(const Paddings*) { return "a list of [interval, padding]"; }

/// `sizePerThread` and `size_per_thread` are one name.
bool same_name(std::string_view a, std::string_view b) { return plain(a) == plain(b); }

/// The fields of an encoding that is written as an object, read by name and by type. Each is used
/// once; fields left over are refused.
///
///   Fields fields("blocked", {{"sizePerThread", …}, {"order", …}});
///   fields.get<Sizes>("sizePerThread")      also written size_per_thread
///   fields.finish()                         refused: nothing has read `order`
class Fields {
 public:
  /// `depth` is the number of encodings that have this one as a parent of a parent.
  Fields(std::string kind, Datum::Fields fields, int depth = 0)
      : kind_(std::move(kind)), depth_(depth), fields_(std::move(fields)) {
    used_.insert("kind");
  }

  [[nodiscard]] const std::string& kind() const { return kind_; }
  [[nodiscard]] int depth() const { return depth_; }

  /// The field of that name, or of one of the others, separated by commas; nullptr if missing.
  const Datum* find(std::string_view name, std::string_view others = {});

  /// The field as an integer, a boolean, a text, Sizes, Order, Vectors or a datum; nullopt if
  /// missing. Refuses `encoding.field` for another type.
  template <class T>
  Result<std::optional<T>> get(std::string_view name, std::string_view others = {});
  /// As get(), but refuses `encoding.field` if there is no such field.
  template <class T>
  Result<T> required(std::string_view name) {
    HEDDLE_TRY(std::optional<T> value, get<T>(name));
    if (value) return *std::move(value);
    return missing(name);
  }
  template <class T>
  Result<T> with_default(std::string_view name, T otherwise) {
    HEDDLE_TRY(std::optional<T> value, get<T>(name));
    return std::move(value).value_or(std::move(otherwise));
  }

  /// Replaces a list of two numbers by two fields of these names.
  Result<void> split(std::string_view name, const char* first, const char* second);
  /// The fields not used yet, as bases by input dimension.
  Result<linear::Bases> rest_as_bases();
  /// Refuses `encoding.field` for a field that was not read, or that occurs twice.
  [[nodiscard]] Result<void> finish() const;

  [[nodiscard]] Refusal missing(std::string_view name) const;

 private:
  std::string kind_;
  int depth_;
  Datum::Fields fields_;
  std::set<std::string, std::less<>> used_;
};

const Datum* Fields::find(std::string_view name, std::string_view others) {
  std::vector<std::string_view> names = split_at_commas(others);
  names.push_back(name);
  for (const auto& [written, content] : fields_) {
    const bool is_wanted = std::ranges::any_of(
        names, [&](std::string_view wanted) { return same_name(wanted, written); });
    if (!is_wanted) continue;
    used_.insert(written);
    return &content;
  }
  return nullptr;
}

template <class T>
Result<std::optional<T>> Fields::get(std::string_view name, std::string_view others) {
  const Datum* content = find(name, others);
  if (content == nullptr) return std::nullopt;
  constexpr const T* kType = nullptr;
  if (auto value = read(*content, kType)) return value;
  return refuse("encoding.field", fmt::format("{} of {} is {}; {} is needed", name, kind_,
                                              quote(to_string(*content)), description(kType)));
}

Result<void> Fields::split(std::string_view name, const char* first, const char* second) {
  HEDDLE_TRY(const auto pair, get<Sizes>(name));
  if (!pair || pair->size() != 2) return {};
  fields_.emplace_back(first, pair->front());
  fields_.emplace_back(second, pair->back());
  return {};
}

Result<linear::Bases> Fields::rest_as_bases() {
  linear::Bases bases;
  for (const auto& [name, content] : fields_) {
    if (used_.contains(name)) continue;
    HEDDLE_TRY(auto vectors, required<Vectors>(name));
    bases.push_back({name, std::move(vectors)});
  }
  return bases;
}

Result<void> Fields::finish() const {
  std::set<std::string_view> seen;
  for (const auto& [name, content] : fields_) {
    if (!used_.contains(name)) {
      return refuse("encoding.field", fmt::format("{} has no field {}", kind_, quote(name)));
    }
    if (!seen.insert(name).second) {
      return refuse("encoding.field", fmt::format("{} has {} twice", kind_, quote(name)));
    }
  }
  return {};
}

Refusal Fields::missing(std::string_view name) const {
  return refuse("encoding.field", fmt::format("{} has no {}", kind_, name));
}

/// The deepest nesting of parents.
constexpr int kMaxParents = 32;

// Parts that encodings share.

/// The older form, under `names`: {"ctasPerCGA": …, "ctaSplitNum": …, "ctaOrder": …}.
Result<CtaLayout> older_cta_layout(Fields& fields) {
  HEDDLE_TRY(const auto ctas, fields.get<Sizes>("CTAsPerCGA"));
  HEDDLE_TRY(const auto split, fields.get<Sizes>("CTASplitNum"));
  HEDDLE_TRY(const auto order, fields.get<Order>("CTAOrder"));
  if (!ctas && !split && !order) return CtaLayout();
  if (ctas && split && order) return CtaLayout::make(*ctas, *split, *order);
  return refuse("encoding.field", fmt::format("{} needs CTAsPerCGA, CTASplitNum and CTAOrder "
                                              "together",
                                              fields.kind()));
}

/// The CTA layout in the block bases of LAYOUT, `{"linear": LAYOUT}`.
Result<CtaLayout> cta_layout_of(const LinearLayout& layout) {
  for (const linear::InBases& in : layout.bases()) {
    if (in.name == "block") return CtaLayout{in.vectors};
  }
  return refuse("encoding.field", "the layout of the CTAs has no input 'block'");
}

/// CTASplitM and CTASplitN, the older form for tensor memory; nullopt without them.
Result<std::optional<CtaLayout>> split_matrix(Fields& fields) {
  HEDDLE_TRY(const auto split_m, fields.with_default<std::int64_t>("CTASplitM", 1));
  HEDDLE_TRY(const auto split_n, fields.with_default<std::int64_t>("CTASplitN", 1));
  if (split_m == 1 && split_n == 1) return std::nullopt;
  const Sizes split = {split_m, split_n};
  return CtaLayout::make(split, split, {0, 1});
}

Result<CtaLayout> cta_layout(Fields& fields) {
  if (fields.kind().starts_with("tensor_memory")) {
    HEDDLE_TRY(const auto split, split_matrix(fields));
    if (split) return *split;
  }
  HEDDLE_TRY(auto bases, fields.get<Vectors>("CGALayout"));
  if (bases) return CtaLayout{*std::move(bases)};
  const Datum* nested = fields.find("cga");
  if (nested == nullptr) return older_cta_layout(fields);
  if (const Datum* layout = nested->field("linear")) {
    HEDDLE_TRY(const LinearLayout linear, linear_layout_of(*layout));
    return cta_layout_of(linear);
  }
  if (nested->fields() == nullptr) return refuse("encoding.field", "cga is not an object");
  Fields inner("cga", *nested->fields());
  HEDDLE_TRY(CtaLayout ctas, older_cta_layout(inner));
  HEDDLE_CHECK(inner.finish());
  return ctas;
}

/// The layout that an encoding contains: `"layout": {…}`, or its bases by input dimension. A
/// dimension in `ins` that the encoding does not mention has size 1.
Result<LinearLayout> own_layout(Fields& fields, const std::vector<std::string>& ins) {
  if (const Datum* layout = fields.find("layout")) return linear_layout_of(*layout);
  HEDDLE_TRY(Bases bases, fields.rest_as_bases());
  std::size_t rank = 0;
  for (const auto& in : bases) {
    if (!in.vectors.empty()) rank = in.vectors.front().size();
  }
  if (rank == 0) {
    return refuse("encoding.field",
                  fmt::format("{} has no basis that would show its rank", fields.kind()));
  }
  for (const std::string& name : ins) {
    if (std::ranges::find(bases, name, &linear::InBases::name) == bases.end()) {
      bases.push_back({name, {}});
    }
  }
  return LinearLayout::make(bases, linear::standard_out_dim_names(rank));
}

Result<Encoding> read_encoding(const Datum& datum, int depth);

Result<Parent> nested_encoding(Fields& fields, std::string_view name) {
  HEDDLE_TRY(const Datum nested, fields.required<Datum>(name));
  // An attribute may be written as its text.
  HEDDLE_TRY(Encoding encoding, nested.text() != nullptr
                                    ? parse_encoding(*nested.text())
                                    : read_encoding(nested, fields.depth() + 1));
  return std::make_shared<const Encoding>(std::move(encoding));
}

/// The number of the field's word among the words it may be; nullopt if missing.
Result<std::optional<int>> read_word(Fields& fields, std::string_view name,
                                     std::string_view words) {
  HEDDLE_TRY(const auto word, fields.get<std::string>(name));
  if (!word) return std::nullopt;
  const std::vector<std::string_view> all = split_at_commas(words);
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (same_name(*word, all[i])) return static_cast<int>(i);
  }
  const auto but_last = std::span(all).first(all.size() - 1);
  return refuse("encoding.field",
                fmt::format("{} of {} is {}; {} or {} is needed", name, fields.kind(), quote(*word),
                            fmt::join(but_last, ", "), all.back()));
}

// The members of encodings, by type.

template <class E, class T>
Result<std::optional<T>> read_member(Fields& fields, const linear::Field<E, T>& field) {
  if constexpr (std::is_enum_v<T> || std::is_same_v<T, bool>) {
    if (!field.words.empty()) {
      HEDDLE_TRY(const auto number, read_word(fields, field.name, field.words));
      return number ? std::optional(static_cast<T>(*number)) : std::nullopt;
    }
  }
  if constexpr (!std::is_enum_v<T>) return fields.get<T>(field.name, field.others);
  return std::nullopt;
}
template <class E>
Result<std::optional<CtaLayout>> read_member(Fields& fields,
                                             const linear::Field<E, CtaLayout>& /*field*/) {
  return cta_layout(fields);
}
template <class E>
Result<std::optional<Parent>> read_member(Fields& fields, const linear::Field<E, Parent>& field) {
  return nested_encoding(fields, field.name);
}
template <class E>
Result<std::optional<std::optional<std::int64_t>>> read_member(
    Fields& fields, const linear::Field<E, std::optional<std::int64_t>>& field) {
  return fields.get<std::int64_t>(field.name, field.others);
}
/// The function of the kind reads the layout, after all other fields.
template <class E>
Result<std::optional<LinearLayout>> read_member(Fields& /*fields*/,
                                                const linear::Field<E, LinearLayout>& /*field*/) {
  return LinearLayout();
}

/// Reads the fields of the struct's list; those that may be missing keep the value that `encoding`
/// has.
template <class E>
Result<E> read_fields(Fields& fields, E encoding = {}) {
  Result<void> done;
  const auto read_one = [&](const auto& field) -> Result<void> {
    HEDDLE_TRY(auto value, read_member(fields, field));
    const bool is_missing = !value && field.writing == linear::Writing::kRequired;
    if (is_missing) return fields.missing(field.name);
    if (value) encoding.*field.member = *std::move(value);
    return {};
  };
  linear::for_each_field(encoding, [&](const auto& field) {
    if (done) done = read_one(field);
  });
  HEDDLE_CHECK(done);
  return encoding;
}

template <class E>
Result<Encoding> read_plain(Fields& fields) {
  HEDDLE_TRY(E encoding, read_fields<E>(fields));
  return Encoding(std::move(encoding));
}

// Kinds that have more than their fields.

Result<Encoding> read_linear(Fields& fields) {
  // Triton accepts an order here, and neither uses nor prints it.
  HEDDLE_CHECK(fields.get<Order>("order"));
  HEDDLE_TRY(LinearLayout layout, own_layout(fields, {"register", "lane", "warp", "block"}));
  return Encoding(linear::LinearEncoding{std::move(layout), fields.kind() == "generic_linear"});
}

/// The instruction of versions of Triton that did not print it. Version 2 had one for all elements;
/// that of version 3 is chosen for each tensor.
Result<Sizes> default_instruction(const Fields& fields, int version, std::size_t rank) {
  if (version != 2 || rank < 2) return fields.missing("instrShape");
  Sizes instruction(rank - 2, 1);
  instruction.insert(instruction.end(), {16, 8});
  return instruction;
}

Result<Encoding> read_nvidia_mma(Fields& fields) {
  HEDDLE_CHECK(fields.split("version", "versionMajor", "versionMinor"));
  HEDDLE_TRY(auto encoding, read_fields<linear::NvidiaMmaEncoding>(fields));
  if (encoding.instr_shape.empty()) {
    HEDDLE_TRY(encoding.instr_shape,
               default_instruction(fields, encoding.version_major, encoding.warps_per_cta.size()));
  }
  return Encoding(std::move(encoding));
}

/// Sizes of 1 only, of any rank, are what an encoding without the field has.
Sizes without_ones(Sizes tiles) {
  const bool is_one = std::ranges::all_of(tiles, [](std::int64_t count) { return count == 1; });
  return is_one ? Sizes() : std::move(tiles);
}

/// The version, in older texts called versionMajor, is 0 if there is none.
Result<Encoding> read_amd_mfma(Fields& fields) {
  HEDDLE_CHECK(fields.get<int>("versionMinor"));
  HEDDLE_TRY(auto encoding, read_fields(fields, linear::AmdMfmaEncoding{.version = 0}));
  encoding.tiles_per_warp = without_ones(std::move(encoding.tiles_per_warp));
  return Encoding(std::move(encoding));
}

/// `ctaLayout = {register = [[0, 1]], warp = [[1, 0]]}`, a layout or the bases that it has. Without
/// bases, the tensor has `rank` dimensions.
Result<LinearLayout> layout_of_tiles(const Datum& tiles, std::size_t rank) {
  if (tiles.field("ins") != nullptr) return linear_layout_of(tiles);
  if (tiles.fields() == nullptr) return refuse("encoding.field", "ctaLayout is not an object");
  Fields fields("ctaLayout", *tiles.fields());
  Bases bases;
  for (const char* name : {"register", "warp"}) {
    HEDDLE_TRY(auto vectors, fields.with_default<Vectors>(name, {}));
    if (!vectors.empty()) rank = vectors.front().size();
    bases.push_back({name, std::move(vectors)});
  }
  HEDDLE_CHECK(fields.finish());
  return LinearLayout::make(bases, linear::standard_out_dim_names(rank));
}

/// The tiles of each warp: Triton's ctaLayout, Gluon's reg_bases and warp_bases, or the older
/// sizes.
Result<LinearLayout> tiles_of_warps(Fields& fields) {
  HEDDLE_TRY(const auto warps, fields.get<Sizes>("warpsPerCTA"));
  if (warps) {
    HEDDLE_TRY(const auto tiles, fields.with_default<Sizes>("tilesPerWarp", {}));
    return linear::AmdWmmaEncoding::make_cta_layout(*warps, without_ones(tiles));
  }
  HEDDLE_TRY(const auto rank, fields.with_default<int>("rank", 2));
  if (rank < 1 || rank > 3) {
    return refuse("encoding.field", fmt::format("rank of {} is {}; a product has 2 or 3 dimensions",
                                                fields.kind(), rank));
  }
  if (const Datum* tiles = fields.find("ctaLayout")) {
    return layout_of_tiles(*tiles, static_cast<std::size_t>(rank));
  }
  HEDDLE_TRY(auto warp_bases, fields.get<Datum>("warpBases"));
  if (!warp_bases) return fields.missing("ctaLayout");
  HEDDLE_TRY(Datum register_bases, fields.with_default<Datum>("regBases", Datum(Datum::List{})));
  return layout_of_tiles(Datum(Datum::Fields{{"register", std::move(register_bases)},
                                             {"warp", *std::move(warp_bases)}}),
                         static_cast<std::size_t>(rank));
}

Result<Encoding> read_amd_wmma(Fields& fields) {
  HEDDLE_TRY(auto encoding, read_fields<linear::AmdWmmaEncoding>(fields));
  HEDDLE_TRY(encoding.cta_layout, tiles_of_warps(fields));
  return Encoding(std::move(encoding));
}

Result<Encoding> read_swizzled_shared(Fields& fields) {
  HEDDLE_TRY(auto encoding, read_fields<linear::SwizzledSharedEncoding>(fields));
  encoding.rotating = fields.kind() == "amd_rotating_shared";
  return Encoding(std::move(encoding));
}

/// The current form of `#triton_gpu.shared` with a leading offset: 16-byte groups, a row of the
/// swizzle in 128 / perPhase bytes.
Result<Encoding> leading_offset(const linear::SwizzledSharedEncoding& shared) {
  const bool is_known = shared.vec > 0 && 128 % shared.vec == 0 && shared.per_phase > 0 &&
                        shared.max_phase == 8 / shared.per_phase && !shared.order.empty() &&
                        (shared.per_phase == 1 || shared.per_phase == 2 || shared.per_phase == 4);
  if (!is_known) {
    return refuse("encoding.field",
                  fmt::format("shared with hasLeadingOffset has vec = {}, perPhase = {}, maxPhase "
                              "= {}, which is not a swizzle of 32, 64 or 128 bytes",
                              shared.vec, shared.per_phase, shared.max_phase));
  }
  return Encoding(linear::NvmmaSharedEncoding{.swizzling_byte_width = 128 / shared.per_phase,
                                              .transposed = shared.order.front() == 0,
                                              .element_bit_width = 128 / shared.vec,
                                              .rank = static_cast<int>(shared.order.size()),
                                              .ctas = shared.ctas});
}

/// The older `shared`: swizzled_shared, or nvmma_shared if it has a leading offset.
Result<Encoding> read_shared(Fields& fields) {
  HEDDLE_TRY(const bool has_offset, fields.with_default<bool>("hasLeadingOffset", false));
  HEDDLE_TRY(const Encoding swizzled, read_swizzled_shared(fields));
  if (!has_offset) return swizzled;
  return leading_offset(*swizzled.get_if<linear::SwizzledSharedEncoding>());
}

Result<Encoding> read_nvmma_shared(Fields& fields) {
  HEDDLE_TRY(auto encoding, read_fields<linear::NvmmaSharedEncoding>(fields));
  const Vectors& ctas = encoding.ctas.block_bases;
  const bool has_rank = fields.find("rank") != nullptr;
  if (!has_rank && !ctas.empty()) encoding.rank = static_cast<int>(ctas.front().size());
  return Encoding(std::move(encoding));
}

Result<Encoding> read_shared_linear(Fields& fields) {
  HEDDLE_TRY(auto encoding, read_fields<linear::SharedLinearEncoding>(fields));
  HEDDLE_TRY(encoding.layout, own_layout(fields, {"offset", "block"}));
  return Encoding(std::move(encoding));
}

Result<Encoding> read_padded_shared(Fields& fields) {
  HEDDLE_TRY(auto encoding, read_fields<linear::PaddedSharedEncoding>(fields));
  HEDDLE_TRY(const auto order, fields.get<Order>("order"));
  if (order) {
    HEDDLE_TRY(const Sizes shape, fields.required<Sizes>("shape"));
    HEDDLE_TRY(const CtaLayout ctas, cta_layout(fields));
    HEDDLE_TRY(encoding, linear::PaddedSharedEncoding::make(std::move(encoding.paddings), *order,
                                                            shape, ctas));
  } else {
    HEDDLE_TRY(encoding.layout, own_layout(fields, {"offset", "block"}));
  }
  return Encoding(std::move(encoding));
}

Result<Encoding> read_tensor_memory(Fields& fields) {
  if (fields.find("unpacked") != nullptr) {
    return refuse(
        Diagnostic("encoding.field",
                   "tensor_memory_encoding has the older field 'unpacked', which depends "
                   "on the element type")
            .with_hint("write colStride: 1 where it is false, 32 / BITS where it is true, "
                       "BITS those of an element"));
  }
  HEDDLE_CHECK(fields.split("block", "blockM", "blockN"));
  return read_plain<linear::TensorMemoryEncoding>(fields);
}

/// The sizes of the matrices follow from the other fields, and Triton does not read them either.
Result<Encoding> read_dpas(Fields& fields) {
  for (const char* name : {"A", "B", "C"}) HEDDLE_CHECK(fields.get<Sizes>(name));
  return read_plain<linear::DpasEncoding>(fields);
}

/// An attribute in place of an encoding: `gluon.auto_encoding`, and with parameters
/// `tlx.dummy_register_layout<[128, 64], f16>`.
Result<Encoding> read_placeholder(Fields& fields) {
  HEDDLE_TRY(const auto parameters, fields.get<std::string>("parameters"));
  const std::string_view dialect = fields.kind().starts_with("dummy_") ? "tlx" : "gluon";
  std::string attribute = fmt::format("{}.{}", dialect, fields.kind());
  if (parameters) attribute += fmt::format("<{}>", *parameters);
  return Encoding(linear::PlaceholderEncoding{std::move(attribute)});
}

struct EncodingKind {
  std::string_view name;
  Result<Encoding> (*read)(Fields& fields);
  /// Whether the hint names it; older names are read only.
  bool is_named = true;
};

constexpr std::array kKinds = {
    EncodingKind{"blocked", read_plain<linear::BlockedEncoding>},
    EncodingKind{"slice", read_plain<linear::SliceEncoding>},
    EncodingKind{"linear", read_linear},
    EncodingKind{"generic_linear", read_linear},
    EncodingKind{"nvidia_mma", read_nvidia_mma},
    EncodingKind{"mma", read_nvidia_mma, false},
    EncodingKind{"amd_mfma", read_amd_mfma},
    EncodingKind{"mfma", read_amd_mfma, false},
    EncodingKind{"amd_wmma", read_amd_wmma},
    EncodingKind{"dot_op", read_plain<linear::DotOperandEncoding>},
    EncodingKind{"swizzled_shared", read_swizzled_shared},
    EncodingKind{"amd_rotating_shared", read_swizzled_shared},
    EncodingKind{"shared", read_shared, false},
    EncodingKind{"nvmma_shared", read_nvmma_shared},
    EncodingKind{"shared_linear", read_shared_linear},
    EncodingKind{"padded_shared", read_padded_shared},
    EncodingKind{"partitioned_shared", read_plain<linear::PartitionedSharedEncoding>},
    EncodingKind{"tensor_memory_encoding", read_tensor_memory},
    EncodingKind{"tensor_memory", read_tensor_memory, false},
    EncodingKind{"tensor_memory_scales_encoding", read_plain<linear::TensorMemoryScalesEncoding>},
    EncodingKind{"tensor_memory_scales", read_plain<linear::TensorMemoryScalesEncoding>, false},
    EncodingKind{"dpas", read_dpas},
    EncodingKind{"subgroup_2d_block", read_plain<linear::Subgroup2dBlockEncoding>},
    EncodingKind{"warp", read_plain<linear::WarpEncoding>, false},
    EncodingKind{"auto_encoding", read_placeholder},
    EncodingKind{"coalesced_encoding", read_placeholder},
    EncodingKind{"dummy_register_layout", read_placeholder, false},
    EncodingKind{"dummy_smem_layout", read_placeholder, false},
    EncodingKind{"dummy_tmem_layout", read_placeholder, false},
};

Result<Encoding> read_kind(Fields& fields) {
  const auto known = std::ranges::find(kKinds, fields.kind(), &EncodingKind::name);
  if (known != kKinds.end()) return known->read(fields);
  std::vector<std::string_view> names;
  for (const EncodingKind& kind : kKinds) {
    if (kind.is_named) names.push_back(kind.name);
  }
  return refuse(
      Diagnostic("encoding.unknown", fmt::format("unknown encoding {}", quote(fields.kind())))
          .with_hint(fmt::format("encodings that are read: {}", fmt::join(names, ", "))));
}

Result<Encoding> read_encoding(const Datum& datum, int depth) {
  const Datum* kind = datum.field("kind");
  if (kind == nullptr || kind->text() == nullptr) {
    return refuse(
        Diagnostic("encoding.field", fmt::format("{} has no \"kind\"", quote(to_string(datum))))
            .with_hint(R"({"kind":"blocked","sizePerThread":[1,4],)"
                       R"("threadsPerWarp":[4,8],"warpsPerCTA":[4,1],"order":[1,0]})"));
  }
  if (depth > kMaxParents) {
    return refuse("syntax.too_deep",
                  fmt::format("parents of encodings nest more than {} deep", kMaxParents));
  }
  Fields fields(*kind->text(), *datum.fields(), depth);
  HEDDLE_TRY(Encoding encoding, read_kind(fields));
  HEDDLE_CHECK(fields.finish());
  return encoding;
}

// Writing.

template <class T>
Datum datum_of(const T& value) {
  return Datum(value);
}
Datum datum_of(const Sizes& sizes) { return list_of(sizes); }
Datum datum_of(const Order& order) { return list_of(order); }
Datum datum_of(const LinearLayout& layout) { return to_datum(layout); }
Datum datum_of(const Parent& parent) { return parent ? to_datum(*parent) : Datum(Datum::Fields{}); }
Datum datum_of(const CtaLayout& ctas) {
  Datum::List vectors;
  for (const Sizes& vector : ctas.block_bases) vectors.push_back(list_of(vector));
  return vectors;
}
Datum datum_of(const Paddings& paddings) {
  Datum::List pairs;
  for (const auto& [interval, padding] : paddings) {
    pairs.emplace_back(Datum::List{interval, padding});
  }
  return pairs;
}

template <class E, class T>
Datum datum_of_field(const E& encoding, const linear::Field<E, T>& field) {
  const std::string_view word = linear::word_of(encoding, field);
  if constexpr (!std::is_enum_v<T>) {
    if (word.empty()) return datum_of(encoding.*field.member);
  }
  return Datum(std::string(word));
}

template <class E>
Datum::Fields fields_of(const E& encoding) {
  Datum::Fields fields;
  linear::for_each_field(encoding, [&](const auto& field) {
    if (!linear::is_written(encoding, field, true)) return;
    fields.emplace_back(std::string(field.name), datum_of_field(encoding, field));
  });
  // The CTAs come last.
  const auto ctas = std::ranges::find(fields, "CGALayout", &Datum::Field::first);
  if (ctas != fields.end()) std::rotate(ctas, ctas + 1, fields.end());
  return fields;
}

Datum::Fields fields_of(const linear::PlaceholderEncoding& encoding) {
  const std::size_t open = encoding.attribute.find('<');
  if (open == std::string::npos) return {};
  const std::size_t length = encoding.attribute.size() - open - 2;
  return {{"parameters", encoding.attribute.substr(open + 1, length)}};
}

}  // namespace

Result<Encoding> encoding_of(const Datum& datum) { return read_encoding(datum, 0); }

Datum to_datum(const Encoding& encoding) {
  Datum::Fields fields = {{"kind", encoding.kind()}};
  auto rest = std::visit([](const auto& data) { return fields_of(data); }, encoding.data());
  std::ranges::move(rest, std::back_inserter(fields));
  return fields;
}

}  // namespace heddle::notation
