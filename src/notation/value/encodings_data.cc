// Encodings as objects: `{"kind":"blocked","sizePerThread":[1,4],…}`.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <initializer_list>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "heddle/notation/lexer.h"
#include "heddle/notation/linear.h"
#include "heddle/notation/triton.h"

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

constexpr std::string_view description(const std::int64_t*) { return "an integer"; }
constexpr std::string_view description(const int*) { return "an integer"; }
constexpr std::string_view description(const bool*) { return "true or false"; }
constexpr std::string_view description(const std::string*) { return "a name"; }
constexpr std::string_view description(const Sizes*) { return "a list of integers"; }
constexpr std::string_view description(const Order*) { return "a list of dimensions"; }
constexpr std::string_view description(const Vectors*) { return "a list of lists of integers"; }
constexpr std::string_view description(const Datum*) { return "a value"; }

/// `sizePerThread` and `size_per_thread` are one name.
bool same_name(std::string_view a, std::string_view b) { return plain(a) == plain(b); }

/// The fields of an encoding that is written as an object, read by name and by type. Each is used
/// once; fields left over are refused.
///
///   Fields fields("blocked", {{"sizePerThread", …}, {"order", …}});
///   fields.required<Sizes>({"sizePerThread"})      also written size_per_thread
///   fields.finish()                                refused: nothing has read `order`
class Fields {
 public:
  Fields(std::string kind, const Datum::Fields& fields);

  [[nodiscard]] const std::string& kind() const { return kind_; }

  /// The field under one of its names, or nullptr.
  const Datum* find(std::initializer_list<std::string_view> names);

  /// The field as an integer, a boolean, a text, Sizes, Order, Vectors or a datum; nullopt if
  /// missing. Refuses `encoding.field` for another type.
  template <class T>
  Result<std::optional<T>> get(std::initializer_list<std::string_view> names);
  /// As get(), but refuses `encoding.field` if there is no such field.
  template <class T>
  Result<T> required(std::initializer_list<std::string_view> names) {
    HEDDLE_TRY(std::optional<T> value, get<T>(names));
    if (value) return *std::move(value);
    return missing(*names.begin());
  }
  template <class T>
  Result<T> with_default(std::initializer_list<std::string_view> names, T otherwise) {
    HEDDLE_TRY(std::optional<T> value, get<T>(names));
    return std::move(value).value_or(std::move(otherwise));
  }

  /// The fields not used yet, as bases by input dimension.
  Result<linear::Bases> rest_as_bases();
  /// Refuses `encoding.field` for a field that was not read, or that occurs twice.
  [[nodiscard]] Result<void> finish() const;

  [[nodiscard]] Refusal missing(std::string_view name) const;

 private:
  std::string kind_;
  const Datum::Fields& fields_;
  std::set<std::string, std::less<>> used_;
};

Fields::Fields(std::string kind, const Datum::Fields& fields)
    : kind_(std::move(kind)), fields_(fields) {
  used_.insert("kind");
}

const Datum* Fields::find(std::initializer_list<std::string_view> names) {
  for (const auto& [name, content] : fields_) {
    const bool is_wanted = std::ranges::any_of(
        names, [&](std::string_view wanted) { return same_name(wanted, name); });
    if (!is_wanted) continue;
    used_.insert(name);
    return &content;
  }
  return nullptr;
}

template <class T>
Result<std::optional<T>> Fields::get(std::initializer_list<std::string_view> names) {
  const Datum* content = find(names);
  if (content == nullptr) return std::nullopt;
  constexpr const T* kType = nullptr;
  if (auto value = read(*content, kType)) return value;
  return refuse("encoding.field", fmt::format("{} of {} is {}; {} is needed", *names.begin(), kind_,
                                              quote(to_string(*content)), description(kType)));
}

Result<linear::Bases> Fields::rest_as_bases() {
  linear::Bases bases;
  for (const auto& [name, content] : fields_) {
    if (used_.contains(name)) continue;
    HEDDLE_TRY(auto vectors, required<Vectors>({name}));
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
  HEDDLE_TRY(const auto ctas, fields.get<Sizes>({"CTAsPerCGA"}));
  HEDDLE_TRY(const auto split, fields.get<Sizes>({"CTASplitNum"}));
  HEDDLE_TRY(const auto order, fields.get<Order>({"CTAOrder"}));
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

Result<CtaLayout> cta_layout(Fields& fields) {
  HEDDLE_TRY(auto bases, fields.get<Vectors>({"CGALayout"}));
  if (bases) return CtaLayout{*std::move(bases)};
  const Datum* nested = fields.find({"cga"});
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
  if (const Datum* layout = fields.find({"layout"})) return linear_layout_of(*layout);
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

Result<Encoding> nested_encoding(Fields& fields, std::string_view name, int depth) {
  HEDDLE_TRY(const Datum nested, fields.required<Datum>({name}));
  // An attribute may be written as its text.
  if (nested.text() != nullptr) return parse_encoding(*nested.text());
  return read_encoding(nested, depth + 1);
}

// One function for each kind.

Result<Encoding> read_blocked(Fields& fields) {
  linear::BlockedEncoding encoding;
  HEDDLE_TRY(encoding.size_per_thread, fields.required<Sizes>({"sizePerThread"}));
  HEDDLE_TRY(encoding.threads_per_warp, fields.required<Sizes>({"threadsPerWarp"}));
  HEDDLE_TRY(encoding.warps_per_cta, fields.required<Sizes>({"warpsPerCTA"}));
  HEDDLE_TRY(encoding.order, fields.required<Order>({"order"}));
  HEDDLE_TRY(encoding.ctas, cta_layout(fields));
  return Encoding(std::move(encoding));
}

Result<Encoding> read_slice(Fields& fields, int depth) {
  HEDDLE_TRY(const int dim, fields.required<int>({"dim"}));
  HEDDLE_TRY(Encoding parent, nested_encoding(fields, "parent", depth));
  return Encoding(linear::slice_of(std::move(parent), dim));
}

Result<Encoding> read_linear(Fields& fields) {
  // Triton accepts an order here, and neither uses nor prints it.
  HEDDLE_CHECK(fields.get<Order>({"order"}));
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
  linear::NvidiaMmaEncoding encoding;
  HEDDLE_TRY(const auto version, fields.get<Sizes>({"version"}));
  if (version && version->size() == 2) {
    encoding.version_major = static_cast<int>(std::clamp<std::int64_t>(version->front(), -1, 99));
    encoding.version_minor = static_cast<int>(std::clamp<std::int64_t>(version->back(), -1, 99));
  } else {
    HEDDLE_TRY(encoding.version_major, fields.required<int>({"versionMajor"}));
    HEDDLE_TRY(encoding.version_minor, fields.with_default<int>({"versionMinor"}, 0));
  }
  HEDDLE_TRY(encoding.warps_per_cta, fields.required<Sizes>({"warpsPerCTA"}));
  HEDDLE_TRY(encoding.instr_shape, fields.with_default<Sizes>({"instrShape"}, {}));
  if (encoding.instr_shape.empty()) {
    HEDDLE_TRY(encoding.instr_shape,
               default_instruction(fields, encoding.version_major, encoding.warps_per_cta.size()));
  }
  HEDDLE_TRY(encoding.ctas, cta_layout(fields));
  return Encoding(std::move(encoding));
}

/// The version, in older texts called versionMajor; 0 if there is none.
Result<int> read_amd_version(Fields& fields) {
  HEDDLE_CHECK(fields.get<int>({"versionMinor"}));
  return fields.with_default<int>({"version", "versionMajor"}, 0);
}

Result<Encoding> read_amd_mfma(Fields& fields) {
  linear::AmdMfmaEncoding encoding;
  HEDDLE_TRY(encoding.version, read_amd_version(fields));
  HEDDLE_TRY(encoding.warps_per_cta, fields.required<Sizes>({"warpsPerCTA"}));
  HEDDLE_TRY(encoding.instr_shape, fields.required<Sizes>({"instrShape"}));
  HEDDLE_TRY(encoding.is_transposed,
             fields.with_default<bool>({"isTransposed", "isTranspose", "transposed"}, false));
  HEDDLE_TRY(encoding.tiles_per_warp, fields.with_default<Sizes>({"tilesPerWarp"}, {}));
  // One tile along each dimension is what an encoding without the field has.
  if (std::ranges::all_of(encoding.tiles_per_warp, [](std::int64_t count) { return count == 1; })) {
    encoding.tiles_per_warp.clear();
  }
  HEDDLE_TRY(encoding.element_bit_width,
             fields.with_default<std::int64_t>({"elementBitWidth"}, 32));
  HEDDLE_TRY(encoding.ctas, cta_layout(fields));
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
    HEDDLE_TRY(auto vectors, fields.with_default<Vectors>({name}, {}));
    if (!vectors.empty()) rank = vectors.front().size();
    bases.push_back({name, std::move(vectors)});
  }
  HEDDLE_CHECK(fields.finish());
  return LinearLayout::make(bases, linear::standard_out_dim_names(rank));
}

/// The tiles of each warp: Triton's ctaLayout, Gluon's reg_bases and warp_bases, or the older
/// sizes.
Result<LinearLayout> tiles_of_warps(Fields& fields) {
  HEDDLE_TRY(const auto warps, fields.get<Sizes>({"warpsPerCTA"}));
  if (warps) {
    HEDDLE_TRY(const auto tiles, fields.with_default<Sizes>({"tilesPerWarp"}, {}));
    // Older versions of Triton print three ones for any rank.
    const bool is_one = std::ranges::all_of(tiles, [](std::int64_t count) { return count == 1; });
    return linear::AmdWmmaEncoding::make_cta_layout(*warps, is_one ? Sizes() : tiles);
  }
  HEDDLE_TRY(const auto rank, fields.with_default<int>({"rank"}, 2));
  if (rank < 1 || rank > 3) {
    return refuse("encoding.field", fmt::format("rank of {} is {}; a product has 2 or 3 dimensions",
                                                fields.kind(), rank));
  }
  if (const Datum* tiles = fields.find({"ctaLayout"})) {
    return layout_of_tiles(*tiles, static_cast<std::size_t>(rank));
  }
  HEDDLE_TRY(auto warp_bases, fields.get<Datum>({"warpBases"}));
  if (!warp_bases) return fields.missing("ctaLayout");
  HEDDLE_TRY(Datum register_bases, fields.with_default<Datum>({"regBases"}, Datum(Datum::List{})));
  return layout_of_tiles(Datum(Datum::Fields{{"register", std::move(register_bases)},
                                             {"warp", *std::move(warp_bases)}}),
                         static_cast<std::size_t>(rank));
}

Result<Encoding> read_amd_wmma(Fields& fields) {
  linear::AmdWmmaEncoding encoding;
  HEDDLE_TRY(encoding.version, fields.required<int>({"version"}));
  HEDDLE_TRY(encoding.is_transposed,
             fields.with_default<bool>({"isTranspose", "isTransposed", "transposed"}, false));
  HEDDLE_TRY(encoding.cta_layout, tiles_of_warps(fields));
  HEDDLE_TRY(encoding.instr_shape, fields.with_default<Sizes>({"instrShape"}, {16, 16, 16}));
  HEDDLE_TRY(encoding.ctas, cta_layout(fields));
  return Encoding(std::move(encoding));
}

Result<Encoding> read_dot_op(Fields& fields, int depth) {
  HEDDLE_TRY(const int op_idx, fields.required<int>({"opIdx", "operand_index"}));
  HEDDLE_TRY(Encoding parent, nested_encoding(fields, "parent", depth));
  HEDDLE_TRY(const auto k_width, fields.with_default<std::int64_t>({"kWidth"}, 0));
  return Encoding(linear::dot_operand_of(std::move(parent), op_idx, k_width));
}

Result<Encoding> read_swizzled_shared(Fields& fields) {
  linear::SwizzledSharedEncoding encoding;
  HEDDLE_TRY(encoding.vec, fields.required<std::int64_t>({"vec"}));
  HEDDLE_TRY(encoding.per_phase, fields.required<std::int64_t>({"perPhase"}));
  HEDDLE_TRY(encoding.max_phase, fields.required<std::int64_t>({"maxPhase"}));
  HEDDLE_TRY(encoding.order, fields.required<Order>({"order"}));
  HEDDLE_TRY(encoding.ctas, cta_layout(fields));
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
  linear::NvmmaSharedEncoding encoding;
  encoding.swizzling_byte_width = 128 / shared.per_phase;
  encoding.element_bit_width = 128 / shared.vec;
  encoding.transposed = shared.order.front() == 0;
  encoding.rank = static_cast<int>(shared.order.size());
  encoding.ctas = shared.ctas;
  return Encoding(std::move(encoding));
}

/// The older `shared`: swizzled_shared, or nvmma_shared if it has a leading offset.
Result<Encoding> read_shared(Fields& fields) {
  HEDDLE_TRY(const bool has_offset, fields.with_default<bool>({"hasLeadingOffset"}, false));
  HEDDLE_TRY(const Encoding swizzled, read_swizzled_shared(fields));
  if (!has_offset) return swizzled;
  return leading_offset(*swizzled.get_if<linear::SwizzledSharedEncoding>());
}

Result<Encoding> read_nvmma_shared(Fields& fields) {
  linear::NvmmaSharedEncoding encoding;
  HEDDLE_TRY(encoding.swizzling_byte_width,
             fields.required<std::int64_t>({"swizzlingByteWidth", "swizzle_byte_width"}));
  HEDDLE_TRY(encoding.transposed, fields.with_default<bool>({"transposed"}, false));
  HEDDLE_TRY(encoding.element_bit_width, fields.required<std::int64_t>({"elementBitWidth"}));
  HEDDLE_TRY(encoding.fp4_padded, fields.with_default<bool>({"fp4Padded"}, false));
  HEDDLE_TRY(encoding.ctas, cta_layout(fields));
  const bool has_ctas = !encoding.ctas.block_bases.empty();
  const int rank = has_ctas ? static_cast<int>(encoding.ctas.block_bases.front().size()) : 2;
  HEDDLE_TRY(encoding.rank, fields.with_default<int>({"rank"}, rank));
  return Encoding(std::move(encoding));
}

Result<Encoding> read_shared_linear(Fields& fields) {
  HEDDLE_TRY(const auto alignment, fields.with_default<std::int64_t>({"alignment"}, 16));
  HEDDLE_TRY(LinearLayout layout, own_layout(fields, {"offset", "block"}));
  return Encoding(linear::SharedLinearEncoding{std::move(layout), alignment});
}

Result<Encoding> read_padded_shared(Fields& fields) {
  HEDDLE_TRY(const auto pairs, fields.required<Vectors>({"paddings", "interval_padding_pairs"}));
  std::vector<linear::PaddedSharedEncoding::Padding> paddings;
  for (const Sizes& pair : pairs) {
    if (pair.size() != 2) {
      return refuse("encoding.field", fmt::format("a padding of padded_shared is [{}]; [interval, "
                                                  "padding] is needed",
                                                  fmt::join(pair, ",")));
    }
    paddings.push_back({pair[0], pair[1]});
  }
  HEDDLE_TRY(const auto order, fields.get<Order>({"order"}));
  if (order) {
    HEDDLE_TRY(const Sizes shape, fields.required<Sizes>({"shape"}));
    HEDDLE_TRY(const CtaLayout ctas, cta_layout(fields));
    HEDDLE_TRY(auto encoding,
               linear::PaddedSharedEncoding::make(std::move(paddings), *order, shape, ctas));
    return Encoding(std::move(encoding));
  }
  HEDDLE_TRY(LinearLayout layout, own_layout(fields, {"offset", "block"}));
  return Encoding(linear::PaddedSharedEncoding{std::move(paddings), std::move(layout)});
}

Result<Encoding> read_partitioned_shared(Fields& fields, int depth) {
  linear::PartitionedSharedEncoding encoding;
  HEDDLE_TRY(encoding.num_partitions, fields.required<std::int64_t>({"numPartitions"}));
  HEDDLE_TRY(encoding.num_groups, fields.required<std::int64_t>({"numGroups"}));
  HEDDLE_TRY(encoding.partition_dim, fields.required<int>({"partitionDim"}));
  HEDDLE_TRY(Encoding layout, nested_encoding(fields, "partitionLayout", depth));
  encoding.partition_layout = std::make_shared<const Encoding>(std::move(layout));
  return Encoding(std::move(encoding));
}

/// CTASplitM and CTASplitN, the older form for tensor memory.
Result<CtaLayout> tensor_memory_ctas(Fields& fields) {
  HEDDLE_TRY(const auto split_m, fields.with_default<std::int64_t>({"CTASplitM"}, 1));
  HEDDLE_TRY(const auto split_n, fields.with_default<std::int64_t>({"CTASplitN"}, 1));
  if (split_m == 1 && split_n == 1) return cta_layout(fields);
  const Sizes split = {split_m, split_n};
  return CtaLayout::make(split, split, {0, 1});
}

Result<linear::TensorMemoryCtaMode> cta_mode(Fields& fields) {
  using enum linear::TensorMemoryCtaMode;
  HEDDLE_TRY(const auto mode, fields.with_default<std::string>({"ctaMode"}, "default"));
  if (same_name(mode, "twocta_lhs")) return kLeftOperand;
  if (same_name(mode, "twocta_rhs")) return kAccumulator;
  if (same_name(mode, "default")) return kDefault;
  return refuse("encoding.field",
                fmt::format("ctaMode of {} is {}; default, twocta_lhs or twocta_rhs is needed",
                            fields.kind(), quote(mode)));
}

Result<Encoding> read_tensor_memory(Fields& fields) {
  linear::TensorMemoryEncoding encoding;
  HEDDLE_TRY(const auto block, fields.get<Sizes>({"block"}));
  if (block && block->size() == 2) {
    encoding.block_m = block->front();
    encoding.block_n = block->back();
  } else {
    HEDDLE_TRY(encoding.block_m, fields.required<std::int64_t>({"blockM"}));
    HEDDLE_TRY(encoding.block_n, fields.required<std::int64_t>({"blockN"}));
  }
  if (fields.find({"unpacked"}) != nullptr) {
    return refuse(
        Diagnostic("encoding.field",
                   "tensor_memory_encoding has the older field 'unpacked', which depends "
                   "on the element type")
            .with_hint("write colStride: 1 where it is false, 32 / BITS where it is true, "
                       "BITS those of an element"));
  }
  HEDDLE_TRY(encoding.col_stride, fields.with_default<std::int64_t>({"colStride"}, 1));
  HEDDLE_TRY(encoding.two_ctas, fields.with_default<bool>({"twoCTAs"}, false));
  HEDDLE_TRY(encoding.fp4_padded, fields.with_default<bool>({"fp4Padded"}, false));
  HEDDLE_TRY(encoding.cta_mode, cta_mode(fields));
  HEDDLE_TRY(encoding.ctas, tensor_memory_ctas(fields));
  return Encoding(std::move(encoding));
}

Result<Encoding> read_tensor_memory_scales(Fields& fields) {
  linear::TensorMemoryScalesEncoding encoding;
  HEDDLE_TRY(const auto order, fields.with_default<std::string>({"blockRepOrder"}, "mnThenK"));
  encoding.k_then_mn = same_name(order, "kThenMn");
  if (!encoding.k_then_mn && !same_name(order, "mnThenK")) {
    return refuse("encoding.field",
                  fmt::format("blockRepOrder of {} is {}; mnThenK or kThenMn is needed",
                              fields.kind(), quote(order)));
  }
  HEDDLE_TRY(encoding.ctas, tensor_memory_ctas(fields));
  return Encoding(std::move(encoding));
}

Result<Encoding> read_dpas(Fields& fields) {
  linear::DpasEncoding encoding;
  HEDDLE_TRY(encoding.repeat_count, fields.required<std::int64_t>({"repeatCount"}));
  HEDDLE_TRY(encoding.systolic_depth, fields.required<std::int64_t>({"systolicDepth"}));
  HEDDLE_TRY(encoding.execution_size, fields.required<std::int64_t>({"executionSize"}));
  HEDDLE_TRY(encoding.ops_per_channel,
             fields.required<std::int64_t>({"opsPerChan", "opsPerChannel"}));
  HEDDLE_TRY(encoding.fp4_k_pack, fields.get<std::int64_t>({"fp4KPack"}));
  HEDDLE_TRY(encoding.threads_per_warp, fields.required<std::int64_t>({"threadsPerWarp"}));
  HEDDLE_TRY(encoding.warps_per_cta, fields.required<Sizes>({"warpsPerCTA"}));
  HEDDLE_TRY(encoding.rep_cluster, fields.required<Sizes>({"repCluster"}));
  // The sizes of the matrices follow from the other fields, and Triton does not read them either.
  for (const std::string_view name : {"A", "B", "C"}) HEDDLE_CHECK(fields.get<Sizes>({name}));
  return Encoding(std::move(encoding));
}

Result<Encoding> read_subgroup_2d_block(Fields& fields) {
  linear::Subgroup2dBlockEncoding encoding;
  HEDDLE_TRY(encoding.warps_per_cta, fields.required<Sizes>({"warpsPerCTA"}));
  HEDDLE_TRY(encoding.instr_shape, fields.required<Sizes>({"instrShape"}));
  HEDDLE_TRY(encoding.num_blocks, fields.required<std::int64_t>({"numBlocks"}));
  HEDDLE_TRY(encoding.order, fields.required<Order>({"order"}));
  HEDDLE_TRY(encoding.k_width, fields.required<std::int64_t>({"kWidth"}));
  HEDDLE_TRY(encoding.threads_per_warp, fields.required<std::int64_t>({"threadsPerWarp"}));
  HEDDLE_TRY(encoding.ctas, cta_layout(fields));
  return Encoding(std::move(encoding));
}

Result<Encoding> read_warp(Fields& fields) {
  linear::WarpEncoding encoding;
  HEDDLE_TRY(encoding.size_per_thread, fields.required<Sizes>({"sizePerThread"}));
  HEDDLE_TRY(encoding.threads_per_warp, fields.required<Sizes>({"threadsPerWarp"}));
  HEDDLE_TRY(encoding.order, fields.required<Order>({"order"}));
  return Encoding(std::move(encoding));
}

/// The attributes that stand for an encoding, with their dialects.
constexpr std::array<std::pair<std::string_view, std::string_view>, 5> kPlaceholders = {
    {{"auto_encoding", "gluon"},
     {"coalesced_encoding", "gluon"},
     {"dummy_register_layout", "tlx"},
     {"dummy_smem_layout", "tlx"},
     {"dummy_tmem_layout", "tlx"}}};

/// `gluon.auto_encoding`, and with parameters `tlx.dummy_register_layout<[128, 64], f16>`.
Result<Encoding> read_placeholder(Fields& fields, std::string_view dialect) {
  HEDDLE_TRY(const auto parameters, fields.get<std::string>({"parameters"}));
  std::string attribute = fmt::format("{}.{}", dialect, fields.kind());
  if (parameters) attribute += fmt::format("<{}>", *parameters);
  return Encoding(linear::PlaceholderEncoding{std::move(attribute)});
}

constexpr std::array<std::string_view, 20> kKinds = {"blocked",
                                                     "slice",
                                                     "linear",
                                                     "generic_linear",
                                                     "nvidia_mma",
                                                     "amd_mfma",
                                                     "amd_wmma",
                                                     "dot_op",
                                                     "swizzled_shared",
                                                     "amd_rotating_shared",
                                                     "nvmma_shared",
                                                     "shared_linear",
                                                     "padded_shared",
                                                     "partitioned_shared",
                                                     "tensor_memory_encoding",
                                                     "tensor_memory_scales_encoding",
                                                     "dpas",
                                                     "subgroup_2d_block",
                                                     "auto_encoding",
                                                     "coalesced_encoding"};

Result<Encoding> read_kind(Fields& fields, int depth) {
  const std::string& kind = fields.kind();
  if (kind == "blocked") return read_blocked(fields);
  if (kind == "slice") return read_slice(fields, depth);
  if (kind == "linear" || kind == "generic_linear") return read_linear(fields);
  if (kind == "nvidia_mma" || kind == "mma") return read_nvidia_mma(fields);
  if (kind == "amd_mfma" || kind == "mfma") return read_amd_mfma(fields);
  if (kind == "amd_wmma") return read_amd_wmma(fields);
  if (kind == "dot_op") return read_dot_op(fields, depth);
  if (kind == "swizzled_shared" || kind == "amd_rotating_shared") {
    return read_swizzled_shared(fields);
  }
  if (kind == "partitioned_shared") return read_partitioned_shared(fields, depth);
  if (kind == "shared") return read_shared(fields);
  if (kind == "nvmma_shared") return read_nvmma_shared(fields);
  if (kind == "shared_linear") return read_shared_linear(fields);
  if (kind == "padded_shared") return read_padded_shared(fields);
  if (kind == "tensor_memory_encoding" || kind == "tensor_memory") {
    return read_tensor_memory(fields);
  }
  if (kind == "tensor_memory_scales_encoding" || kind == "tensor_memory_scales") {
    return read_tensor_memory_scales(fields);
  }
  if (kind == "dpas") return read_dpas(fields);
  if (kind == "subgroup_2d_block") return read_subgroup_2d_block(fields);
  if (kind == "warp") return read_warp(fields);
  for (const auto& [name, dialect] : kPlaceholders) {
    if (kind == name) return read_placeholder(fields, dialect);
  }
  return refuse(
      Diagnostic("encoding.unknown", fmt::format("unknown encoding {}", quote(kind)))
          .with_hint(fmt::format("encodings that are read: {}", fmt::join(kKinds, ", "))));
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
  Fields fields(*kind->text(), *datum.fields());
  HEDDLE_TRY(Encoding encoding, read_kind(fields, depth));
  HEDDLE_CHECK(fields.finish());
  return encoding;
}

// Writing.

void add_ctas(Datum::Fields& fields, const CtaLayout& ctas) {
  if (ctas.block_bases.empty()) return;
  Datum::List vectors;
  for (const auto& vector : ctas.block_bases) vectors.push_back(list_of(vector));
  fields.emplace_back("CGALayout", std::move(vectors));
}

Datum parent_datum(const std::shared_ptr<const Encoding>& parent) {
  return parent ? to_datum(*parent) : Datum(Datum::Fields{});
}

Datum::Fields fields_of(const linear::BlockedEncoding& encoding) {
  Datum::Fields fields = {{"sizePerThread", list_of(encoding.size_per_thread)},
                          {"threadsPerWarp", list_of(encoding.threads_per_warp)},
                          {"warpsPerCTA", list_of(encoding.warps_per_cta)},
                          {"order", list_of(encoding.order)}};
  add_ctas(fields, encoding.ctas);
  return fields;
}

Datum::Fields fields_of(const linear::SliceEncoding& encoding) {
  return {{"dim", encoding.dim}, {"parent", parent_datum(encoding.parent)}};
}

Datum::Fields fields_of(const linear::LinearEncoding& encoding) {
  return {{"layout", to_datum(encoding.layout)}};
}

Datum::Fields fields_of(const linear::NvidiaMmaEncoding& encoding) {
  Datum::Fields fields = {{"versionMajor", encoding.version_major},
                          {"versionMinor", encoding.version_minor},
                          {"warpsPerCTA", list_of(encoding.warps_per_cta)},
                          {"instrShape", list_of(encoding.instr_shape)}};
  add_ctas(fields, encoding.ctas);
  return fields;
}

Datum::Fields fields_of(const linear::AmdMfmaEncoding& encoding) {
  Datum::Fields fields = {{"version", encoding.version},
                          {"warpsPerCTA", list_of(encoding.warps_per_cta)},
                          {"instrShape", list_of(encoding.instr_shape)},
                          {"isTransposed", encoding.is_transposed}};
  if (!encoding.tiles_per_warp.empty()) {
    fields.emplace_back("tilesPerWarp", list_of(encoding.tiles_per_warp));
  }
  fields.emplace_back("elementBitWidth", encoding.element_bit_width);
  add_ctas(fields, encoding.ctas);
  return fields;
}

Datum::Fields fields_of(const linear::AmdWmmaEncoding& encoding) {
  Datum::Fields fields = {{"version", encoding.version},
                          {"isTranspose", encoding.is_transposed},
                          {"ctaLayout", to_datum(encoding.cta_layout)},
                          {"instrShape", list_of(encoding.instr_shape)}};
  add_ctas(fields, encoding.ctas);
  return fields;
}

Datum::Fields fields_of(const linear::PartitionedSharedEncoding& encoding) {
  return {{"numPartitions", encoding.num_partitions},
          {"numGroups", encoding.num_groups},
          {"partitionDim", encoding.partition_dim},
          {"partitionLayout", parent_datum(encoding.partition_layout)}};
}

Datum::Fields fields_of(const linear::DotOperandEncoding& encoding) {
  Datum::Fields fields = {{"opIdx", encoding.op_idx}, {"parent", parent_datum(encoding.parent)}};
  if (encoding.k_width != 0) fields.emplace_back("kWidth", encoding.k_width);
  return fields;
}

Datum::Fields fields_of(const linear::SwizzledSharedEncoding& encoding) {
  Datum::Fields fields = {{"vec", encoding.vec},
                          {"perPhase", encoding.per_phase},
                          {"maxPhase", encoding.max_phase},
                          {"order", list_of(encoding.order)}};
  add_ctas(fields, encoding.ctas);
  return fields;
}

Datum::Fields fields_of(const linear::NvmmaSharedEncoding& encoding) {
  Datum::Fields fields = {{"swizzlingByteWidth", encoding.swizzling_byte_width},
                          {"transposed", encoding.transposed},
                          {"elementBitWidth", encoding.element_bit_width},
                          {"fp4Padded", encoding.fp4_padded},
                          {"rank", encoding.rank}};
  add_ctas(fields, encoding.ctas);
  return fields;
}

Datum::Fields fields_of(const linear::SharedLinearEncoding& encoding) {
  return {{"layout", to_datum(encoding.layout)}, {"alignment", encoding.alignment}};
}

Datum::Fields fields_of(const linear::PaddedSharedEncoding& encoding) {
  Datum::List paddings;
  for (const auto& [interval, padding] : encoding.paddings) {
    paddings.emplace_back(Datum::List{interval, padding});
  }
  return {{"paddings", std::move(paddings)}, {"layout", to_datum(encoding.layout)}};
}

Datum::Fields fields_of(const linear::TensorMemoryEncoding& encoding) {
  Datum::Fields fields = {{"blockM", encoding.block_m},
                          {"blockN", encoding.block_n},
                          {"colStride", encoding.col_stride},
                          {"twoCTAs", encoding.two_ctas},
                          {"fp4Padded", encoding.fp4_padded}};
  if (encoding.cta_mode != linear::TensorMemoryCtaMode::kDefault) {
    const bool is_left = encoding.cta_mode == linear::TensorMemoryCtaMode::kLeftOperand;
    fields.emplace_back("ctaMode", is_left ? "twocta_lhs" : "twocta_rhs");
  }
  add_ctas(fields, encoding.ctas);
  return fields;
}

Datum::Fields fields_of(const linear::TensorMemoryScalesEncoding& encoding) {
  Datum::Fields fields = {{"blockRepOrder", encoding.k_then_mn ? "kThenMn" : "mnThenK"}};
  add_ctas(fields, encoding.ctas);
  return fields;
}

Datum::Fields fields_of(const linear::DpasEncoding& encoding) {
  Datum::Fields fields = {{"repeatCount", encoding.repeat_count},
                          {"systolicDepth", encoding.systolic_depth},
                          {"executionSize", encoding.execution_size},
                          {"opsPerChan", encoding.ops_per_channel},
                          {"threadsPerWarp", encoding.threads_per_warp},
                          {"warpsPerCTA", list_of(encoding.warps_per_cta)},
                          {"repCluster", list_of(encoding.rep_cluster)}};
  if (encoding.fp4_k_pack) fields.emplace_back("fp4KPack", *encoding.fp4_k_pack);
  return fields;
}

Datum::Fields fields_of(const linear::Subgroup2dBlockEncoding& encoding) {
  Datum::Fields fields = {{"warpsPerCTA", list_of(encoding.warps_per_cta)},
                          {"instrShape", list_of(encoding.instr_shape)},
                          {"numBlocks", encoding.num_blocks},
                          {"order", list_of(encoding.order)},
                          {"kWidth", encoding.k_width},
                          {"threadsPerWarp", encoding.threads_per_warp}};
  add_ctas(fields, encoding.ctas);
  return fields;
}

Datum::Fields fields_of(const linear::WarpEncoding& encoding) {
  return {{"sizePerThread", list_of(encoding.size_per_thread)},
          {"threadsPerWarp", list_of(encoding.threads_per_warp)},
          {"order", list_of(encoding.order)}};
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
