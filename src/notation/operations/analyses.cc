#include "heddle/notation/analyses.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <numeric>
#include <utility>
#include <variant>

#include "analyze/checks.h"
#include "core/overloaded.h"
#include "core/text.h"
#include "heddle/cute/tiled_copy.h"
#include "heddle/map/convert.h"
#include "heddle/notation/any_layout.h"
#include "heddle/notation/linear.h"
#include "heddle/notation/operations.h"
#include "heddle/notation/triton.h"
#include "notation/operations/readers.h"

namespace heddle::notation {
namespace {

using analyze::Access;
using form::IndexMap;
using linear::LinearLayout;

/// A layout of Triton, and the padding of a shared one.
struct LinearSide {
  LinearLayout layout;
  std::vector<linear::PaddedSharedEncoding::Padding> paddings;
};
/// The map of a layout of any system, a thread-value layout of a tile, or a layout of Triton.
using Side = std::variant<IndexMap, cute::TvLayout, LinearSide>;

Refusal wrong_type(const Value& value, std::string_view needed) {
  return refuse("call.type", fmt::format("{} is needed, not {}", needed, kind_name(value)));
}

Result<LinearSide> encoded_side(const linear::Encoding& encoding, const linear::Sizes& shape) {
  if (shape.empty()) {
    return refuse(
        Diagnostic("analyze.shape", fmt::format("a {} encoding is a layout only for a "
                                                "tensor of some shape",
                                                encoding.kind()))
            .with_hint("give the shape of the tensor: shape=(128,64), or --shape 128,64"));
  }
  LinearSide side;
  HEDDLE_TRY(side.layout, linear::to_linear_layout(encoding, shape));
  if (const auto* padded = encoding.get_if<linear::PaddedSharedEncoding>())
    side.paddings = padded->paddings;
  return side;
}

/// An Axe layout of thread registers, inverted: which element each register holds. nullopt for one
/// of memory.
Result<std::optional<Side>> held_by_threads(const axe::Layout& layout, const linear::Sizes& shape) {
  map::ConvertOptions options;
  if (!shape.empty()) options.shape.emplace(shape.begin(), shape.end());
  const auto registers = map::convert(layout, map::System::kLinear, options);
  if (registers && registers->reading == map::Reading::kOwnership) {
    return Side(LinearSide{std::get<LinearLayout>(registers->layout), {}});
  }
  const auto values = map::convert(layout, map::System::kCuteTv, options);
  if (!values || values->reading != map::Reading::kOwnership) return std::nullopt;
  return Side(std::get<cute::TvLayout>(values->layout));
}

/// nullopt for a value that is not a layout of Triton and does not describe registers.
Result<std::optional<LinearSide>> linear_side(const Value& value, const linear::Sizes& shape) {
  if (const auto* encoding = value.get_if<linear::Encoding>()) {
    HEDDLE_TRY(LinearSide side, encoded_side(*encoding, shape));
    return side;
  }
  if (const auto* layout = value.get_if<axe::Layout>()) {
    HEDDLE_TRY(const auto held, held_by_threads(*layout, shape));
    const auto* side = held ? std::get_if<LinearSide>(&*held) : nullptr;
    return side != nullptr ? std::optional(*side) : std::nullopt;
  }
  HEDDLE_TRY(const auto layout, convert<LinearLayout>(value));
  if (!layout || !layout->is<LinearLayout>()) return std::nullopt;
  return LinearSide{layout->get<LinearLayout>(), {}};
}

/// The map of an Axe layout of threads or of memory, on the box of the tensor if that is given.
Result<Side> axe_side(const axe::Layout& layout, const linear::Sizes& shape) {
  HEDDLE_TRY(auto held, held_by_threads(layout, shape));
  if (held) return *std::move(held);
  if (shape.empty()) {
    HEDDLE_TRY(IndexMap map, index_map_of(layout));
    return Side(std::move(map));
  }
  HEDDLE_TRY(IndexMap map, axe::index_map(layout, std::vector<Int>(shape.begin(), shape.end())));
  return Side(std::move(map));
}

Result<Side> side_of(const Value& value, const linear::Sizes& shape) {
  if (const auto* tv = value.get_if<cute::TvLayout>()) return Side(*tv);
  if (const auto* layout = value.get_if<axe::Layout>()) return axe_side(*layout, shape);
  HEDDLE_TRY(auto linear, linear_side(value, shape));
  if (linear) return Side(*std::move(linear));
  HEDDLE_TRY(const auto layout, as_any_layout(value));
  if (!layout) return wrong_type(value, "a layout of some system or an encoding");
  HEDDLE_TRY(IndexMap map, index_map_of(*layout));
  return Side(std::move(map));
}

/// The sizes of the tensor of a memory or of a Triton layout; empty if they are not constant.
linear::Sizes tensor_of(const Side& side) {
  linear::Sizes sizes;
  if (const auto* linear = std::get_if<LinearSide>(&side)) {
    for (const auto& out : linear->layout.out_dims()) sizes.push_back(out.size());
    return sizes;
  }
  const auto* map = std::get_if<IndexMap>(&side);
  if (map == nullptr) return {};
  for (const Int& extent : map->extents()) {
    if (!extent.is_constant()) return {};
    sizes.push_back(extent.value());
  }
  return sizes;
}

/// Refuses unless encodings are of registers for the access and of shared memory for the memory. A
/// number is not a memory, but the width of an element where the memory is left out.
Result<void> check_kinds(const Value& access, const std::optional<Value>& memory) {
  if (memory && memory->is_integer())
    return refuse(Diagnostic("call.type", fmt::format("the memory is {}; a layout is needed",
                                                      to_string(*memory)))
                      .with_hint(fmt::format("element_bits={}: what follows a memory that is left "
                                             "out is given by its name",
                                             to_string(*memory))));
  const auto* registers = access.get_if<linear::Encoding>();
  const auto* shared = memory ? memory->get_if<linear::Encoding>() : nullptr;
  if (registers != nullptr && !registers->is_distributed())
    return refuse("analyze.encoding", fmt::format("the access is a {} encoding; one of registers "
                                                  "is needed",
                                                  registers->kind()));
  if (shared != nullptr && !shared->is_shared())
    return refuse("analyze.encoding", fmt::format("the memory has a {} encoding; one of shared "
                                                  "memory is needed",
                                                  shared->kind()));
  return {};
}

/// The map (thread, value) -> element of the memory; without one, the elements are addresses.
Result<IndexMap> access_map(const Side& side, const IndexMap* memory,
                            std::int64_t warp_lanes = analyze::kWarpLanes) {
  return std::visit(Overloaded{[](const IndexMap& map) -> Result<IndexMap> { return map; },
                               [&](const cute::TvLayout& tv) -> Result<IndexMap> {
                                 return memory != nullptr ? analyze::access_of_tile(tv, *memory)
                                                          : index_map(tv.layout);
                               },
                               [&](const LinearSide& linear) {
                                 return analyze::thread_value_map(linear.layout, warp_lanes);
                               }},
                    side);
}

Result<IndexMap> memory_map(const Side& side) {
  return std::visit(
      Overloaded{[](const IndexMap& map) -> Result<IndexMap> { return map; },
                 [](const cute::TvLayout& tv) -> Result<IndexMap> { return index_map(tv.layout); },
                 [](const LinearSide& linear) {
                   return analyze::offset_map(linear.layout, linear.paddings);
                 }},
      side);
}

// Accesses as linear layouts.

/// Refuses unless the addresses are those of the bits of thread and value, XORed.
Result<void> check_linear(const Access& access, std::span<const std::int64_t> of_threads,
                          std::span<const std::int64_t> of_values) {
  const auto image = [](std::span<const std::int64_t> bases, std::int64_t place) {
    std::int64_t address = 0;
    for (std::size_t bit = 0; bit < bases.size(); ++bit)
      address ^= (place >> bit & 1) != 0 ? bases[bit] : 0;
    return address;
  };
  for (std::int64_t value = 0; value < access.values; ++value) {
    for (std::int64_t thread = 0; thread < access.threads; ++thread) {
      const std::int64_t wanted = image(of_threads, thread) ^ image(of_values, value);
      if (access.address(thread, value) == wanted) continue;
      return refuse(Diagnostic("analyze.no_matrix",
                               "the access is not linear in the bits of thread "
                               "and value, as ldmatrix needs")
                        .with_witness({fmt::format("({},{})", thread, value),
                                       std::to_string(access.address(thread, value)),
                                       std::to_string(wanted), "a linear layout"}));
    }
  }
  return {};
}

/// The access as (register, lane, warp) -> offset.
Result<LinearLayout> linear_offsets(const Access& access) {
  const auto is_power = [](std::int64_t n) {
    return std::has_single_bit(static_cast<std::uint64_t>(n));
  };
  if (!is_power(access.threads) || !is_power(access.values)) {
    return refuse("analyze.no_matrix",
                  fmt::format("the access has {} of {}; ldmatrix moves powers of two",
                              counted(access.threads, "thread"), counted(access.values, "value")));
  }
  std::vector<std::int64_t> threads;
  std::vector<std::int64_t> values;
  for (std::int64_t i = 1; i < access.threads; i *= 2) threads.push_back(access.address(i, 0));
  for (std::int64_t i = 1; i < access.values; i *= 2) values.push_back(access.address(0, i));
  HEDDLE_CHECK(check_linear(access, threads, values));
  linear::Bases bases = {{"register", {}}, {"lane", {}}, {"warp", {}}};
  for (const std::int64_t offset : values) bases[0].vectors.push_back({offset});
  for (std::size_t bit = 0; bit < threads.size(); ++bit) {
    const bool is_lane = std::int64_t{1} << bit < access.warp_lanes;
    bases[is_lane ? 1 : 2].vectors.push_back({threads[bit]});
  }
  const std::int64_t most = std::ranges::max(access.addresses);
  const auto size = static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(most) + 1));
  return LinearLayout::make(bases, linear::NamedSizes{{"offset", size}});
}

// A memory alone.

/// A buffer of shared memory, a swizzle, or a layout with one.
bool is_memory(const Value& value) {
  if (const auto* encoding = value.get_if<linear::Encoding>()) return encoding->is_shared();
  if (const auto* layout = value.get_if<LinearLayout>()) return layout->has_in_dim("offset");
  return value.is<cute::ComposedLayout>() || value.is<cute::Swizzle>();
}

/// Lanes down the first dimension, 16 bytes each along the last one; lanes that are left go on
/// along it.
Result<cute::Layout> usual_access(const IndexMap& memory, int element_bits,
                                  std::int64_t warp_lanes) {
  std::vector<std::int64_t> sizes;
  for (const Int& extent : memory.extents()) {
    const bool is_size = extent.is_constant() && known_less(0, extent);
    if (!is_size)
      return refuse("analyze.symbolic",
                    fmt::format("the memory has the extent {}; an analysis counts with numbers",
                                to_string(extent)));
    sizes.push_back(extent.value());
  }
  const std::int64_t columns = sizes.empty() ? 1 : sizes.back();
  const std::int64_t rows = sizes.size() < 2 ? 1 : sizes.front();
  const bool is_first_fastest = memory.order() == form::FlatOrder::kFirstFastest;
  const std::size_t others = sizes.empty() ? 0 : sizes.size() - 1;
  const Int across = is_first_fastest ? form::product(memory.extents().first(others)) : Int(1);
  const Int down = is_first_fastest ? Int(1) : form::product(memory.extents().last(others));
  const std::int64_t values =
      std::gcd(columns, std::max<std::int64_t>(1, analyze::kMaxAccessBits / element_bits));
  const std::int64_t lanes = std::min(rows, warp_lanes);
  const std::int64_t along = std::clamp<std::int64_t>(columns / values, 1, warp_lanes / lanes);
  return cute::Layout::make({{lanes, along}, values}, {{down, Int(values) * across}, across});
}

// Data.

Datum datum_of(const analyze::BankCounts& counts) {
  return Datum::Fields{{"vector_elements", counts.vector_elements},
                       {"vector_bits", counts.vector_bits},
                       {"requests", counts.requests},
                       {"wavefronts", counts.wavefronts},
                       {"ideal", counts.ideal}};
}

Datum datum_of(const std::vector<analyze::BankCounts>& counts) {
  Datum::List list;
  for (const analyze::BankCounts& count : counts) list.push_back(datum_of(count));
  return list;
}

Datum datum_of(const analyze::Phase& phase) {
  Datum::List conflicts;
  for (const analyze::BankConflict& conflict : phase.conflicts) {
    Datum::List words;
    for (const analyze::TouchedWord& word : conflict.words) {
      words.emplace_back(Datum::Fields{{"word", word.word}, {"lanes", list_of(word.lanes)}});
    }
    conflicts.emplace_back(Datum::Fields{{"bank", conflict.bank}, {"words", words}});
  }
  const auto count = static_cast<std::int64_t>(phase.lanes.size());
  Datum::Fields fields = {{"first_lane", phase.lanes.front()},
                          {"lanes", count},
                          {"wavefronts", phase.wavefronts},
                          {"conflicts", conflicts}};
  const bool is_run = phase.lanes.back() - phase.lanes.front() + 1 == count;
  if (!is_run) fields.emplace_back("served", list_of(phase.lanes));
  return fields;
}

Datum datum_of(const analyze::SwizzledBuffer& buffer) {
  return Datum::Fields{{"layout", to_datum(buffer.layout)},
                       {"bytes", buffer.bytes},
                       {"write", datum_of(buffer.write)},
                       {"read", datum_of(buffer.read)}};
}

Datum datum_of(const analyze::RequestTraffic& traffic) {
  return Datum::Fields{{"bytes", traffic.bytes},
                       {"sectors", traffic.sectors},
                       {"ideal", traffic.ideal},
                       {"lines", traffic.lines}};
}

void add_costs(Datum::Fields& fields, const std::vector<analyze::BankCounts>& counts) {
  fields.emplace_back("wavefronts", analyze::wavefronts_of(counts));
  fields.emplace_back("accesses", datum_of(counts));
}

void add_losses(Datum::Fields& fields, const analyze::SwizzleSearch& search,
                const analyze::Candidate<cute::Swizzle>& candidate) {
  const std::vector<std::string> losses = analyze::given_up(search, candidate);
  if (!losses.empty()) fields.emplace_back("gives_up", Datum::List(losses.begin(), losses.end()));
}

}  // namespace

Result<Access> access_of(const Value& access, const std::optional<Value>& memory, int element_bits,
                         const linear::Sizes& shape, std::int64_t warp_lanes) {
  const auto of_warps = [&](Result<Access> composed) {
    if (composed) composed->warp_lanes = warp_lanes;
    return composed;
  };
  HEDDLE_TRY(const auto usual, assumed_access(access, memory, element_bits, shape, warp_lanes));
  if (usual) return access_of(Value(*usual), access, element_bits, shape, warp_lanes);
  HEDDLE_CHECK(check_kinds(access, memory));
  HEDDLE_TRY(Side from, side_of(access, shape));
  if (!memory) {
    HEDDLE_TRY(const IndexMap map, access_map(from, nullptr, warp_lanes));
    return of_warps(analyze::make_access(map, element_bits));
  }
  // An Axe layout has no shape of its own: it takes that of the other layout.
  const bool takes_memory = shape.empty() && access.is<axe::Layout>();
  const bool takes_access = shape.empty() && memory->is<axe::Layout>() && !takes_memory &&
                            std::holds_alternative<LinearSide>(from);
  HEDDLE_TRY(const Side to, side_of(*memory, takes_access ? tensor_of(from) : shape));
  if (takes_memory) {
    auto beside = side_of(access, tensor_of(to));
    if (beside) from = *std::move(beside);
  }
  const auto* registers = std::get_if<LinearSide>(&from);
  const auto* shared = std::get_if<LinearSide>(&to);
  if (registers != nullptr && shared != nullptr)
    return analyze::make_access(registers->layout, shared->layout, element_bits, shared->paddings,
                                warp_lanes);
  HEDDLE_TRY(const IndexMap memory_part, memory_map(to));
  HEDDLE_TRY(const IndexMap access_part, access_map(from, &memory_part, warp_lanes));
  return of_warps(analyze::make_access(access_part, memory_part, element_bits));
}

Result<Value> accessing_side(const Value& access, analyze::Direction direction) {
  if (const auto* copy = access.get_if<cute::TiledCopy>()) {
    const bool reads = direction == analyze::Direction::kRead;
    HEDDLE_TRY(cute::TvLayout side, reads ? cute::layoutS_TV(*copy) : cute::layoutD_TV(*copy));
    return Value(std::move(side));
  }
  if (!access.is<cute::TiledMma>() && !access.is<cute::MmaAtom>()) return access;
  return refuse(
      Diagnostic("call.type", fmt::format("{} has three operands, and which one accesses the "
                                          "memory is not said",
                                          kind_name(access)))
          .with_hint("name it: layoutA_TV(MMA), layoutB_TV(MMA) or layoutC_TV(MMA)"));
}

Result<std::optional<cute::Layout>> assumed_access(const Value& given,
                                                   const std::optional<Value>& memory,
                                                   int element_bits, const linear::Sizes& shape,
                                                   std::int64_t warp_lanes) {
  if (memory || !is_memory(given) || element_bits < 1) return std::nullopt;
  HEDDLE_TRY(const IndexMap map, memory_map_of(given, shape));
  HEDDLE_TRY(cute::Layout access, usual_access(map, element_bits, warp_lanes));
  return access;
}

Result<IndexMap> thread_value_map_of(const Value& access, const IndexMap* memory,
                                     const linear::Sizes& shape, std::int64_t warp_lanes) {
  HEDDLE_TRY(const Side side, side_of(access, shape));
  return access_map(side, memory, warp_lanes);
}

Result<IndexMap> memory_map_of(const Value& memory, const linear::Sizes& shape) {
  HEDDLE_TRY(const Side side, side_of(memory, shape));
  return memory_map(side);
}

bool is_register_layout(const Value& value, const linear::Sizes& shape) {
  if (const auto* encoding = value.get_if<linear::Encoding>()) return encoding->is_distributed();
  const auto side = linear_side(value, shape);
  return side && *side && !(*side)->layout.has_in_dim("offset");
}

Result<analyze::SwizzleSearch> find_swizzle(const Value& memory, std::span<const IndexMap> accesses,
                                            int element_bits, analyze::Splitting split,
                                            const analyze::Served& served) {
  if (const auto* plain = memory.get_if<cute::Layout>()) {
    return analyze::find_swizzle(*plain, accesses, element_bits, split, served);
  }
  HEDDLE_TRY(const IndexMap map, memory_map_of(memory));
  return analyze::find_swizzle(map, accesses, element_bits, split, served);
}

Result<Value> swizzled_layout(const Value& memory, const analyze::SwizzleSearch& search) {
  if (search.layout) return Value(search.swizzled_layout());
  HEDDLE_TRY(const IndexMap map, memory_map_of(memory));
  HEDDLE_TRY(form::Table table, form::table_of(map));
  for (std::int64_t& address : table.values) address = search.swizzled.layout(address);
  const auto system = system_of(memory);
  if (!system) return Value(std::move(table));
  // Not every system can express this swizzled layout.
  const auto written = map::convert(table, *system);
  return written ? to_value(written->layout) : Value(std::move(table));
}

Result<LinearLayout> register_layout_of(const Value& registers, const linear::Sizes& shape) {
  HEDDLE_TRY(auto side, linear_side(registers, shape));
  if (side) return std::move(side->layout);
  return wrong_type(registers, "a linear layout or an encoding");
}

Result<LinearLayout> matrix_offsets(const Value& access, const Value& memory, int element_bits,
                                    const linear::Sizes& shape) {
  HEDDLE_TRY(const auto registers, linear_side(access, shape));
  HEDDLE_TRY(const auto shared, linear_side(memory, shape));
  if (registers && shared) {
    // For 64 lanes matrix_access() says that ldmatrix has 32, whatever the machine.
    return analyze::register_offsets(registers->layout, shared->layout,
                                     analyze::warp_lanes_of(registers->layout));
  }
  HEDDLE_TRY(const Access composed, access_of(access, memory, element_bits, shape));
  return linear_offsets(composed);
}

Report report_of(const analyze::BankReport& report) {
  Datum::Fields fields = *datum_of(report.counts).fields();
  const std::size_t worst = report.worst();
  Datum::List phases;
  for (const analyze::Phase& phase : report.phases(worst)) phases.push_back(datum_of(phase));
  fields.emplace_back("worst", Datum::Fields{{"warp", report.requests[worst].warp},
                                             {"values", list_of(report.requests[worst].values)},
                                             {"phases", phases}});
  return {to_string(report), fields};
}

Report report_of(const std::vector<analyze::Phase>& phases) {
  Datum::List list;
  std::int64_t wavefronts = 0;
  for (const analyze::Phase& phase : phases) {
    list.push_back(datum_of(phase));
    wavefronts += phase.wavefronts;
  }
  return {analyze::to_string(phases),
          Datum::Fields{{"wavefronts", wavefronts}, {"ideal", phases.size()}, {"phases", list}}};
}

Report report_of(const analyze::CoalescingReport& report) {
  Datum::Fields fields = {{"vector_elements", report.vector_elements},
                          {"vector_bits", report.vector_bits},
                          {"requests", report.requests.size()}};
  const Datum total = datum_of(report.total);
  fields.insert(fields.end(), total.fields()->begin(), total.fields()->end());
  return {to_string(report), fields};
}

Report report_of(const analyze::SwizzledBuffer& buffer) {
  return {to_string(buffer), datum_of(buffer)};
}

Report report_of(const analyze::SwizzleSearch& search) {
  Datum::Fields plain;
  Datum::Fields swizzled = {{"swizzle", cute::to_string(search.swizzled.layout)}};
  if (search.layout) {
    plain = {{"layout", cute::to_string(*search.layout)}};
    swizzled = {{"layout", cute::to_string(search.swizzled_layout())}};
  }
  add_costs(plain, search.plain);
  add_costs(swizzled, search.swizzled.counts);
  Datum::Fields fields = {
      {"plain", plain}, {"swizzled", swizzled}, {"swizzles_tried", search.swizzles_tried}};
  add_losses(swizzled, search, search.swizzled);
  if (search.padded) {
    Datum::Fields padded = {{"layout", cute::to_string(search.padded->layout)}};
    add_costs(padded, search.padded->counts);
    fields.emplace_back("padded", padded);
    fields.emplace_back("paddings_tried", search.paddings_tried);
  }
  if (search.splitting) {
    Datum::Fields splitting = {{"swizzle", cute::to_string(search.splitting->layout)}};
    add_costs(splitting, search.splitting->counts);
    add_losses(splitting, search, *search.splitting);
    fields.emplace_back("splitting", splitting);
  }
  if (search.linear) fields.emplace_back("linear", datum_of(*search.linear));
  return {to_string(search), fields};
}

Report report_of(const analyze::Conversion& conversion) {
  Datum::Fields fields = {{"kind", std::string(analyze::name_of(conversion.kind))},
                          {"log2_leaving", conversion.log2_leaving},
                          {"places", to_datum(conversion.places)},
                          {"remaining", to_datum(conversion.remaining)}};
  if (conversion.kind == analyze::ConversionClass::kWarp) {
    fields.emplace_back("shuffles", conversion.shuffles);
    fields.emplace_back("elements_per_shuffle", conversion.elements_per_shuffle);
  }
  if (conversion.buffer) fields.emplace_back("buffer", datum_of(*conversion.buffer));
  return {to_string(conversion), fields};
}

Report report_of(const analyze::MatrixAccess& access) {
  return {to_string(access),
          Datum::Fields{{"transposed", access.order == analyze::MatrixOrder::kTransposed},
                        {"matrices", access.matrices},
                        {"requests", access.requests},
                        {"wavefronts", access.wavefronts},
                        {"ideal", access.ideal}}};
}
namespace {

constexpr std::string_view kElementBits = "element_bits";
constexpr std::string_view kTensorShape = "shape";

/// The argument for a parameter of that name, by name or by position; nullptr if it is not given.
const Value* given_value(const Operation& operation, std::string_view name,
                         std::span<const Argument> arguments) {
  const auto named = std::ranges::find(arguments, name, &Argument::name);
  if (named != arguments.end()) return &named->value;
  const auto parameter = std::ranges::find(operation.parameters, name, &Parameter::name);
  const auto place = static_cast<std::size_t>(parameter - operation.parameters.begin());
  return place < arguments.size() && arguments[place].name.empty() ? &arguments[place].value
                                                                   : nullptr;
}

Result<void> state_bits(const Operation& operation, std::optional<int> stated,
                        std::vector<Argument>& arguments) {
  if (!stated) return {};
  const Value* given = given_value(operation, kElementBits, arguments);
  if (given == nullptr) {
    arguments.push_back({Value(Int(*stated)), std::string(kElementBits), {}});
    return {};
  }
  const auto* number = given->get_if<IntTuple>();
  if (number == nullptr || (number->is_leaf() && known_equal(number->leaf(), *stated))) return {};
  return refuse("analyze.element_bits",
                fmt::format("element_bits is {}; the type has elements of {} bits",
                            to_string(*given), *stated));
}

Result<void> state_shape(const Operation& operation, const linear::Sizes& stated,
                         std::vector<Argument>& arguments) {
  if (stated.empty() || !has_parameter(operation, kTensorShape)) return {};
  const Value* given = given_value(operation, kTensorShape, arguments);
  if (given == nullptr) {
    const std::vector<Int> extents(stated.begin(), stated.end());
    arguments.push_back({Value(IntTuple::flat(extents)), std::string(kTensorShape), {}});
    return {};
  }
  const auto* shape = given->get_if<IntTuple>();
  const auto is_same = [](const Int& a, std::int64_t b) { return known_equal(a, b); };
  if (shape == nullptr || std::ranges::equal(shape->leaves(), stated, is_same)) return {};
  return refuse("analyze.shape", fmt::format("shape is {}; the tensor has the shape ({})",
                                             to_string(*given), fmt::join(stated, ",")));
}

}  // namespace

Result<StatedElements> stated_elements(std::span<const std::string> texts) {
  constexpr int kByte = 8;
  StatedElements stated;
  for (const std::string& text : texts) {
    const auto type = stated_type(text);
    if (!type) continue;
    if (stated.shape.empty() && !type->is_memdesc) stated.shape = type->shape;
    const auto width = element_bit_width(type->element_type);
    if (!width) continue;
    const int bits = std::max(*width, kByte);
    if (stated.bits && *stated.bits != bits) {
      return refuse(
          "analyze.element_bits",
          fmt::format("the types have elements of {} and of {} bits", *stated.bits, bits));
    }
    stated.bits = bits;
  }
  return stated;
}

Result<void> add_stated_elements(const Operation& operation, std::span<const std::string> texts,
                                 std::vector<Argument>& arguments) {
  if (texts.empty() || !has_parameter(operation, kElementBits)) return {};
  HEDDLE_TRY(const StatedElements stated, stated_elements(texts));
  HEDDLE_CHECK(state_bits(operation, stated.bits, arguments));
  return state_shape(operation, stated.shape, arguments);
}

}  // namespace heddle::notation
