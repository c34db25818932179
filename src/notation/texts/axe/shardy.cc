// Shardings and meshes of Shardy, as MLIR prints its attributes, and what HLO has in common with
// them.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "core/text.h"
#include "heddle/notation/lexer.h"
#include "notation/language/scanner.h"
#include "notation/texts/axe/sharding_readers.h"

namespace heddle::notation {
namespace {

using axe::AxisPart;
using axe::HloSpec;
using axe::Mesh;
using axe::Sharding;
using axe::ShardyDimension;
using axe::ShardySpec;

using Numbers = std::vector<std::int64_t>;

constexpr std::string_view kCode = "syntax.sharding";

Refusal wrong(std::string message, Span span) {
  return refuse(Diagnostic("axe.sharding_spec", std::move(message)).with_span(span));
}

class ShardyReader {
 public:
  ShardyReader(Scanner& scanner, bool is_hlo) : scanner_(scanner), is_hlo_(is_hlo) {}

  /// `#sdy.sharding<…>`, `#sdy.sharding_per_value<[…]>`, `<@mesh, […]>`.
  Result<Sharding> sharding() {
    if (!scanner_.accept("#sdy.sharding_per_value")) return one();
    HEDDLE_CHECK(scanner_.expect("<"));
    HEDDLE_CHECK(scanner_.expect("["));
    axe::ShardingTuple tuple{{}, true};
    while (!scanner_.accept("]")) {
      if (!tuple.parts.empty()) HEDDLE_CHECK(scanner_.expect(","));
      HEDDLE_TRY(tuple.parts.emplace_back(), one());
    }
    HEDDLE_CHECK(scanner_.expect(">"));
    return Sharding{std::move(tuple)};
  }

  /// `sdy.mesh @name = <["x"=2]>`, `#sdy.mesh<["x"=2]>`, `mesh<["x"=2]>`, `<["x"=2]>`.
  Result<Mesh> mesh() {
    if (scanner_.accept("sdy.mesh ")) {
      HEDDLE_CHECK(symbol());
      HEDDLE_CHECK(scanner_.expect("="));
    }
    if (!scanner_.accept("#sdy.mesh")) scanner_.accept("mesh");
    return axes();
  }

  /// What HLO has in braces, without metadata: `mesh['x'=2], [{'x'}, {}]`, `mesh['x'=2], manual`.
  Result<Sharding> hlo() {
    std::optional<Mesh> over;
    ShardySpec spec{.mesh_name = {}, .dims = {}, .is_hlo = true};
    if (scanner_.accept("mesh")) {
      HEDDLE_TRY(over, hlo_mesh());
      HEDDLE_CHECK(scanner_.expect(","));
      if (auto whole = over_all_axes()) return Sharding{*std::move(whole), std::move(over)};
    } else {
      HEDDLE_TRY(spec.mesh_name, symbol());
      HEDDLE_CHECK(scanner_.expect(","));
    }
    HEDDLE_CHECK(cut_axes(spec));
    return Sharding{std::move(spec), std::move(over)};
  }

  Result<void> finish() {
    if (scanner_.at_end()) return {};
    return scanner_.refuse_here("the end");
  }

 private:
  /// Quotes within a quoted attribute are written \22.
  bool accept_quote() { return scanner_.accept("\"") || scanner_.accept("\\22"); }

  Result<std::string> symbol() {
    HEDDLE_CHECK(scanner_.expect("@"));
    HEDDLE_TRY(std::string name, scanner_.expect_name("the name of a mesh"));
    return name;
  }

  /// HLO has single quotes, or none.
  Result<std::string> axis_name() {
    const bool is_single = is_hlo_ && scanner_.accept("'");
    if (is_hlo_ && !is_single) return scanner_.expect_name("the name of an axis");
    if (!is_single && !accept_quote()) {
      return scanner_.refuse_here("the name of an axis in quotes");
    }
    const std::string_view rest = scanner_.rest();
    const std::size_t end = std::min(rest.find_first_of(is_single ? "'" : "\"\\"), rest.size());
    std::string name(rest.substr(0, end));
    if (name.empty() || !scanner_.accept(name)) return scanner_.refuse_here("the name of an axis");
    if (is_single ? scanner_.accept("'") : accept_quote()) return name;
    return scanner_.refuse_here("the closing quote of a name");
  }

  /// Whether HLO goes on with `, metadata={…}` or another such field.
  bool begins_behind_comma(std::string_view field) {
    return is_hlo_ && scanner_.sees(",") && trimmed(scanner_.rest().substr(1)).starts_with(field);
  }

  /// The axes of a mesh, and its devices if they are not those from 0 on.
  struct Axes {
    std::size_t begin = 0;
    Numbers extents;
    std::vector<std::string> names;
    Numbers devices;
  };

  /// `["x"=2, "y"=2]`
  Result<Axes> sizes() {
    static_cast<void>(scanner_.rest());
    Axes axes;
    axes.begin = scanner_.position();
    HEDDLE_CHECK(scanner_.expect("["));
    while (!scanner_.accept("]")) {
      if (!axes.names.empty()) HEDDLE_CHECK(scanner_.expect(","));
      HEDDLE_TRY(axes.names.emplace_back(), axis_name());
      HEDDLE_CHECK(scanner_.expect("="));
      HEDDLE_TRY(axes.extents.emplace_back(), scanner_.expect_integer("the size of an axis"));
    }
    return axes;
  }

  Result<Mesh> mesh_of(Axes axes) {
    const Span span{axes.begin, scanner_.position()};
    HEDDLE_CHECK(check_permutation(axes.devices, axes.extents.empty(), span));
    Result<Mesh> mesh =
        Mesh::make(std::move(axes.extents), std::move(axes.names), std::move(axes.devices));
    if (!mesh) return refuse(std::move(mesh).error().with_span(span));
    return mesh;
  }

  /// `<["x"=2, "y"=2], device_ids=[3, 2, 1, 0]>`
  Result<Mesh> axes() {
    HEDDLE_CHECK(scanner_.expect("<"));
    HEDDLE_TRY(Axes axes, sizes());
    if (scanner_.accept(",")) {
      HEDDLE_CHECK(scanner_.expect("device_ids"));
      HEDDLE_CHECK(scanner_.expect("="));
      HEDDLE_TRY(axes.devices, numbers("[", "]"));
    }
    HEDDLE_CHECK(scanner_.expect(">"));
    return mesh_of(std::move(axes));
  }

  /// `['x'=2,'y'=2]`, `['x'=2,'y'=2], device_ids=(0,2,1,3)`, `…, device_ids=([2,2]T(1,0))`; there
  /// is none in `[]`.
  Result<std::optional<Mesh>> hlo_mesh() {
    HEDDLE_TRY(Axes axes, sizes());
    if (axes.names.empty()) return std::nullopt;
    if (begins_behind_comma("device_ids=")) {
      scanner_.accept(",");
      scanner_.accept("device_ids=");
      HEDDLE_CHECK(scanner_.expect("("));
      if (scanner_.sees("[")) {
        HEDDLE_TRY(axes.devices, transposed(axes));
        HEDDLE_CHECK(scanner_.expect(")"));
      } else {
        HEDDLE_TRY(axes.devices, numbers("", ")"));
      }
    }
    HEDDLE_TRY(Mesh mesh, mesh_of(std::move(axes)));
    return mesh;
  }

  /// `[4,16]T(1,0)`: the numbers from 0 on, reshaped and transposed.
  Result<Numbers> transposed(const Axes& axes) {
    HloSpec grid{.kind = HloSpec::Kind::kTiled, .tiles = axes.extents};
    HEDDLE_TRY(grid.iota, numbers("[", "]"));
    HEDDLE_CHECK(scanner_.expect("T"));
    HEDDLE_TRY(const Numbers order, numbers("(", ")"));
    grid.transpose.assign(order.begin(), order.end());
    HEDDLE_CHECK(check_hlo_grid(grid, {axes.begin, scanner_.position()}));
    HEDDLE_TRY(const Mesh mesh, axe::mesh_of(Sharding{std::move(grid)}));
    return Numbers(mesh.devices().begin(), mesh.devices().end());
  }

  Result<Numbers> numbers(std::string_view open, std::string_view close) {
    HEDDLE_CHECK(scanner_.expect(open));
    Numbers result;
    while (!scanner_.accept(close)) {
      if (!result.empty()) HEDDLE_CHECK(scanner_.expect(","));
      HEDDLE_TRY(result.emplace_back(), scanner_.expect_integer("an integer"));
    }
    return result;
  }

  /// `replicated`, `manual`, `unreduced`, `unreduced=max`: the same over all axes of the mesh.
  std::optional<HloSpec> over_all_axes() {
    static_cast<void>(scanner_.rest());
    const std::size_t begin = scanner_.position();
    HloSpec spec;
    bool ends = true;
    if (scanner_.accept("replicated")) {
      spec.kind = HloSpec::Kind::kReplicated;
    } else if (scanner_.accept("manual")) {
      spec.kind = HloSpec::Kind::kManual;
    } else if (scanner_.accept("unreduced")) {
      spec.kind = HloSpec::Kind::kUnreduced;
      if (scanner_.accept("=")) {
        const auto operation = reduction();
        ends = operation.has_value();
        if (operation) spec.reduce_op = *operation;
      }
    } else {
      return std::nullopt;
    }
    if (ends && (scanner_.sees("}") || scanner_.sees(","))) return spec;
    scanner_.go_to(begin);
    return std::nullopt;
  }

  std::optional<std::string_view> reduction() {
    constexpr std::array<std::string_view, 3> kOps = {"sum", "max", "min"};
    for (const std::string_view operation : kOps) {
      if (scanner_.accept(operation)) return operation;
    }
    return std::nullopt;
  }

  /// `[{"x"}, {}], replicated={"y"}`; HLO leaves out the dimensions if there are none.
  Result<void> cut_axes(ShardySpec& spec) {
    static_cast<void>(scanner_.rest());
    const std::size_t begin = scanner_.position();
    if (spec.is_hlo && !scanner_.sees("[")) {
      HEDDLE_CHECK(other_axes(spec));
    } else {
      HEDDLE_CHECK(scanner_.expect("["));
      while (!scanner_.accept("]")) {
        if (!spec.dims.empty()) HEDDLE_CHECK(scanner_.expect(","));
        HEDDLE_TRY(spec.dims.emplace_back(), dimension());
      }
    }
    while (!begins_behind_comma("metadata=") && scanner_.accept(",")) {
      HEDDLE_CHECK(other_axes(spec));
    }
    return check_disjoint(spec, {begin, scanner_.position()});
  }

  /// The ids on axes are those from 0 on; a mesh without axes is any one device.
  static Result<void> check_permutation(std::vector<std::int64_t> ids, bool is_maximal, Span span) {
    if (is_maximal) return {};
    std::ranges::sort(ids);
    for (std::size_t i = 0; i < ids.size(); ++i) {
      if (std::cmp_equal(ids[i], i)) continue;
      return refuse(Diagnostic("axe.mesh",
                               fmt::format("the device ids of a mesh of Shardy are those from 0 to "
                                           "{} in some order; {} is missing",
                                           ids.size() - 1, i))
                        .with_span(span));
    }
    return {};
  }

  Result<Sharding> one() {
    scanner_.accept("#sdy.sharding");
    HEDDLE_CHECK(scanner_.expect("<"));
    ShardySpec spec;
    std::optional<Mesh> mesh;
    if (scanner_.accept("mesh")) {
      HEDDLE_TRY(mesh, axes());
    } else {
      HEDDLE_TRY(spec.mesh_name, symbol());
    }
    HEDDLE_CHECK(scanner_.expect(","));
    HEDDLE_CHECK(cut_axes(spec));
    HEDDLE_CHECK(scanner_.expect(">"));
    return Sharding{std::move(spec), std::move(mesh)};
  }

  /// `{"x", "y":(1)2, ?}p1`
  Result<ShardyDimension> dimension() {
    static_cast<void>(scanner_.rest());
    const std::size_t begin = scanner_.position();
    HEDDLE_CHECK(scanner_.expect("{"));
    ShardyDimension dim;
    while (!scanner_.accept("}")) {
      if (!dim.axes.empty()) HEDDLE_CHECK(scanner_.expect(","));
      if (scanner_.accept("?")) {
        dim.is_open = true;
        HEDDLE_CHECK(scanner_.expect("}"));
        break;
      }
      HEDDLE_TRY(dim.axes.emplace_back(), part());
    }
    if (!scanner_.accept("p")) return dim;
    const std::string_view digits = scanner_.rest();
    HEDDLE_TRY(dim.priority, scanner_.expect_integer("a priority"));
    const Span span{begin, scanner_.position()};
    if (*dim.priority < 0 || (digits.front() == '0' && *dim.priority != 0)) {
      return wrong("a priority is written as p0, p1, …, without other zeros in front", span);
    }
    if (dim.axes.empty() && !dim.is_open) {
      return wrong("a dimension that no axis cuts or may cut has no priority", span);
    }
    return dim;
  }

  /// `"x"`, `"x":(2)4`
  Result<AxisPart> part() {
    static_cast<void>(scanner_.rest());
    const std::size_t begin = scanner_.position();
    AxisPart part;
    HEDDLE_TRY(part.axis, axis_name());
    if (!scanner_.accept(":")) return part;
    HEDDLE_CHECK(scanner_.expect("("));
    HEDDLE_TRY(part.pre_size, scanner_.expect_integer("the size of the parts before"));
    HEDDLE_CHECK(scanner_.expect(")"));
    HEDDLE_TRY(part.size, scanner_.expect_integer("the size of the part"));
    constexpr std::int64_t kMost = Mesh::kMaxDevices;
    if (part.pre_size < 1 || *part.size < 2 || part.pre_size > kMost || *part.size > kMost) {
      return wrong(
          fmt::format("a part of an axis is \"x\":(m)k with m from 1 and k from 2 on, here "
                      "({}){}",
                      part.pre_size, *part.size),
          {begin, scanner_.position()});
    }
    return part;
  }

  /// `replicated={"x"}`, `unreduced={"y"}`, `unreduced=max{"y"}`, in HLO `manual={'z'}`.
  Result<void> other_axes(ShardySpec& spec) {
    const bool is_replicated = scanner_.accept("replicated");
    const bool is_manual = !is_replicated && is_hlo_ && scanner_.accept("manual");
    if (!is_replicated && !is_manual) HEDDLE_CHECK(scanner_.expect("unreduced"));
    std::vector<AxisPart>& parts = is_replicated ? spec.replicated
                                   : is_manual   ? spec.manual
                                                 : spec.unreduced;
    if (!parts.empty()) return scanner_.refuse_here("the end of the sharding");
    HEDDLE_CHECK(scanner_.expect("="));
    if (!is_replicated && !is_manual) {
      if (const auto operation = reduction()) spec.reduce_op = *operation;
    }
    static_cast<void>(scanner_.rest());
    const std::size_t begin = scanner_.position();
    HEDDLE_CHECK(scanner_.expect("{"));
    while (!scanner_.accept("}")) {
      if (!parts.empty()) HEDDLE_CHECK(scanner_.expect(","));
      HEDDLE_TRY(parts.emplace_back(), part());
    }
    for (std::size_t i = 1; i < parts.size(); ++i) {
      if (parts[i - 1].axis != parts[i].axis || parts[i - 1].pre_size < parts[i].pre_size) continue;
      return wrong(
          fmt::format("the parts of axis {} are listed from the coarsest on", parts[i].axis),
          {begin, scanner_.position()});
    }
    return {};
  }

  static bool overlap(const AxisPart& a, const AxisPart& b) {
    if (a.axis != b.axis) return false;
    if (!a.size || !b.size) return true;
    return a.pre_size < b.pre_size * *b.size && b.pre_size < a.pre_size * *a.size;
  }

  static Result<void> check_disjoint(const ShardySpec& spec, Span span) {
    std::vector<const AxisPart*> parts;
    const auto add = [&](const std::vector<AxisPart>& list) -> Result<void> {
      for (const AxisPart& part : list) {
        for (const AxisPart* other : parts) {
          if (!overlap(*other, part)) continue;
          return wrong(fmt::format("devices of axis {} are used twice", part.axis), span);
        }
        parts.push_back(&part);
      }
      constexpr std::size_t kMaxParts = 1024;
      if (parts.size() > kMaxParts) {
        return wrong(fmt::format("a sharding names up to {} axes", kMaxParts), span);
      }
      // What could be one part is written as one.
      for (std::size_t i = 1; i < list.size(); ++i) {
        const AxisPart& a = list[i - 1];
        const AxisPart& b = list[i];
        if (a.axis == b.axis && a.size && b.pre_size == a.pre_size * *a.size) {
          return wrong(
              fmt::format("\"{0}\":({1}){2} and \"{0}\":({3}){4} are one part, "
                          "\"{0}\":({1}){5}",
                          a.axis, a.pre_size, *a.size, b.pre_size, *b.size, *a.size * *b.size),
              span);
        }
      }
      return {};
    };
    for (const ShardyDimension& dim : spec.dims) HEDDLE_CHECK(add(dim.axes));
    HEDDLE_CHECK(add(spec.replicated));
    HEDDLE_CHECK(add(spec.unreduced));
    return add(spec.manual);
  }

  Scanner& scanner_;
  bool is_hlo_;
};

}  // namespace

Result<Sharding> read_hlo_over_mesh(Scanner& scanner) { return ShardyReader(scanner, true).hlo(); }

bool begins_shardy_mesh(std::string_view text) {
  for (const std::string_view start : {"sdy.mesh ", "#sdy.mesh", "mesh<", "<["}) {
    if (text.starts_with(start)) return true;
  }
  return false;
}

Result<Sharding> read_shardy(std::string_view text) {
  Scanner scanner(text, kCode);
  ShardyReader reader(scanner, false);
  HEDDLE_TRY(Sharding sharding, reader.sharding());
  HEDDLE_CHECK(reader.finish());
  return sharding;
}

Result<Mesh> read_shardy_mesh(std::string_view text) {
  Scanner scanner(text, kCode);
  ShardyReader reader(scanner, false);
  HEDDLE_TRY(Mesh mesh, reader.mesh());
  HEDDLE_CHECK(reader.finish());
  return mesh;
}

}  // namespace heddle::notation
