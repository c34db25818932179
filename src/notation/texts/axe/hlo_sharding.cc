// Shardings of XLA, as HLO prints them.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <utility>

#include "core/text.h"
#include "heddle/core/exact.h"
#include "heddle/notation/lexer.h"
#include "notation/language/scanner.h"
#include "notation/texts/axe/sharding_readers.h"

namespace heddle::notation {
namespace {

using axe::HloSpec;
using axe::Sharding;
using Extents = std::vector<std::int64_t>;

std::optional<std::int64_t> count_of(const Extents& extents) {
  std::int64_t count = 1;
  for (const std::int64_t extent : extents) {
    const auto next = exact::multiply(count, extent);
    if (extent < 1 || !next) return std::nullopt;
    count = *next;
  }
  return count;
}

class HloReader {
 public:
  explicit HloReader(std::string_view text) : scanner_(text, "syntax.sharding") {}

  Result<Sharding> read() {
    HEDDLE_TRY(Sharding sharding, value());
    if (!scanner_.at_end()) return scanner_.refuse_here("the end");
    return sharding;
  }

 private:
  /// A sharding, or a tuple of them, which do not nest.
  Result<Sharding> value() {
    HEDDLE_CHECK(scanner_.expect("{"));
    if (!scanner_.rest().starts_with('{')) return body();
    axe::ShardingTuple tuple;
    while (!scanner_.accept("}")) {
      if (!tuple.parts.empty()) HEDDLE_CHECK(scanner_.expect(","));
      HEDDLE_CHECK(scanner_.expect("{"));
      HEDDLE_TRY(tuple.parts.emplace_back(), body());
    }
    return Sharding{std::move(tuple)};
  }

  Result<Sharding> body() {
    static_cast<void>(scanner_.rest());
    const std::size_t begin = scanner_.position();
    if (scanner_.sees("mesh[") || scanner_.sees("@")) return over_mesh();
    HloSpec spec;
    HEDDLE_CHECK(kind(spec));
    HEDDLE_TRY(spec.notes, notes());
    HEDDLE_CHECK(scanner_.expect("}"));
    HEDDLE_CHECK(check_hlo_grid(spec, {begin, scanner_.position() - 1}));
    return Sharding{std::move(spec)};
  }

  /// `mesh['x'=2], [{'x'}, {}], metadata={{op_name="a"}}`
  Result<Sharding> over_mesh() {
    HEDDLE_TRY(Sharding sharding, read_hlo_over_mesh(scanner_));
    HEDDLE_TRY(std::string written, notes());
    HEDDLE_CHECK(scanner_.expect("}"));
    if (auto* named = std::get_if<axe::ShardySpec>(&sharding.spec)) {
      named->notes = std::move(written);
    } else {
      std::get<HloSpec>(sharding.spec).notes = std::move(written);
    }
    return sharding;
  }

  Result<void> kind(HloSpec& spec) {
    struct Word {
      std::string_view text;
      HloSpec::Kind kind;
    };
    constexpr std::array kWords = {
        Word{"replicated", HloSpec::Kind::kReplicated}, Word{"manual", HloSpec::Kind::kManual},
        Word{"unknown", HloSpec::Kind::kUnknown}, Word{"unreduced", HloSpec::Kind::kUnreduced}};
    for (const Word& word : kWords) {
      if (!scanner_.accept(word.text)) continue;
      spec.kind = word.kind;
      return {};
    }
    for (const std::string_view name : {"maximal_mesh", "single_device", "maximal"}) {
      if (!scanner_.accept(name)) continue;
      const bool is_mesh = name != "maximal";
      spec.kind = HloSpec::Kind::kMaximal;
      HEDDLE_CHECK(scanner_.expect(is_mesh ? "[device_id=" : "device="));
      HEDDLE_TRY(spec.devices.emplace_back(), scanner_.expect_integer("the id of a device"));
      return is_mesh ? scanner_.expect("]") : Result<void>();
    }
    spec.kind = HloSpec::Kind::kTiled;
    HEDDLE_CHECK(scanner_.expect("devices="));
    return grid(spec);
  }

  /// `[2,2]0,1,2,3`, `[2,2]<=[2,2]T(1,0)`, and what the last extents mean.
  Result<void> grid(HloSpec& spec) {
    HEDDLE_TRY(spec.tiles, integers("[", "]"));
    if (scanner_.accept("<=")) {
      HEDDLE_TRY(spec.iota, integers("[", "]"));
      if (scanner_.accept("T")) {
        HEDDLE_TRY(const Extents order, integers("(", ")"));
        spec.transpose.assign(order.begin(), order.end());
      }
    } else {
      do {
        HEDDLE_TRY(spec.devices.emplace_back(), scanner_.expect_integer("the id of a device"));
      } while (scanner_.accept(","));
    }
    if (scanner_.accept("last_tile_dim_replicate")) {
      spec.replicates_last = true;
      spec.subgroups = {HloSpec::Subgroup::kReplicated};
    } else if (scanner_.accept("last_tile_dims=")) {
      return subgroups(spec);
    }
    return {};
  }

  Result<void> subgroups(HloSpec& spec) {
    HEDDLE_CHECK(scanner_.expect("{"));
    while (!scanner_.accept("}")) {
      if (!spec.subgroups.empty()) HEDDLE_CHECK(scanner_.expect(","));
      if (scanner_.accept("replicated")) {
        spec.subgroups.push_back(HloSpec::Subgroup::kReplicated);
      } else if (scanner_.accept("manual")) {
        spec.subgroups.push_back(HloSpec::Subgroup::kManual);
      } else if (scanner_.accept("unreduced")) {
        spec.subgroups.push_back(HloSpec::Subgroup::kUnreduced);
      } else {
        return scanner_.refuse_here("replicated, manual or unreduced");
      }
    }
    return {};
  }

  Result<Extents> integers(std::string_view open, std::string_view close) {
    HEDDLE_CHECK(scanner_.expect(open));
    Extents result;
    while (!scanner_.accept(close)) {
      if (!result.empty()) HEDDLE_CHECK(scanner_.expect(","));
      HEDDLE_TRY(result.emplace_back(), scanner_.expect_integer("an integer"));
    }
    return result;
  }

  /// ` shard_as 1`, ` metadata={op_name="a"}`, `, metadata={…}`, which change nothing, as written.
  Result<std::string> notes() {
    static_cast<void>(scanner_.rest());
    const bool has_comma = scanner_.accept(",");
    static_cast<void>(scanner_.rest());
    const std::size_t begin = scanner_.position();
    std::size_t end = begin;
    while (true) {
      if (scanner_.accept("shard_as") || scanner_.accept("shard_like")) {
        HEDDLE_CHECK(scanner_.expect_integer("the number of a group"));
      } else if (scanner_.accept("metadata=")) {
        HEDDLE_CHECK(braces());
      } else {
        break;
      }
      end = scanner_.position();
    }
    if (end > begin) {
      return (has_comma ? ", " : " ") + std::string(scanner_.text().substr(begin, end - begin));
    }
    if (has_comma) return scanner_.refuse_here("metadata");
    return std::string();
  }

  /// Braces with anything in them; those in quotes do not count.
  Result<void> braces() {
    const std::string_view rest = scanner_.rest();
    std::size_t depth = 0;
    bool is_string = false;
    for (std::size_t i = 0; i < rest.size(); ++i) {
      if (rest[i] == '"' && (i == 0 || rest[i - 1] != '\\')) is_string = !is_string;
      if (is_string) continue;
      if (rest[i] == '{') ++depth;
      if (rest[i] == '}' && depth > 0) --depth;
      if (depth > 0) continue;
      if (i == 0) break;
      return scanner_.expect(rest.substr(0, i + 1));
    }
    return scanner_.refuse_here("metadata in braces");
  }

  Scanner scanner_;
};

}  // namespace

Result<Sharding> read_hlo_sharding(std::string_view text) { return HloReader(text).read(); }

Result<void> check_hlo_grid(const HloSpec& spec, Span span) {
  if (spec.kind != HloSpec::Kind::kTiled) return {};
  const auto wrong = [&](std::string message) {
    return refuse(Diagnostic("axe.sharding_spec", std::move(message)).with_span(span));
  };
  const auto wanted = count_of(spec.tiles);
  const auto given = spec.iota.empty() ? std::optional<std::int64_t>(std::ssize(spec.devices))
                                       : count_of(spec.iota);
  if (!wanted || !given) return wrong("the extents of a grid of devices start at 1");
  if (*wanted != *given) {
    return wrong(fmt::format("a grid of {} is given {}", counted(*wanted, "device"), *given));
  }
  if (spec.subgroups.size() > spec.tiles.size()) {
    return wrong(fmt::format("a grid of {} has no {} last ones",
                             counted(spec.tiles.size(), "extent"), spec.subgroups.size()));
  }
  std::vector<std::size_t> order = spec.transpose;
  std::ranges::sort(order);
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (order[i] == i && order.size() == spec.iota.size()) continue;
    return wrong(fmt::format("T(…) is not an order of the {} extents after <=", spec.iota.size()));
  }
  return {};
}

}  // namespace heddle::notation
