#include "kernel/device/tune_choices.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <utility>

#include "heddle/axe/layout.h"
#include "heddle/kernel/operators.h"
#include "heddle/kernel/view.h"
#include "heddle/machine/machine.h"
#include "kernel/lower/gemm_blocks.h"
#include "kernel/lower/shared_layout.h"
#include "kernel/thread_walk.h"

namespace heddle::kernel {

namespace {

/// The statement of a number, counted down; nullptr if it is not in the block.
template <class Statements>
auto* numbered(Statements& block, std::size_t& number) {
  decltype(block.data()) found = nullptr;
  for (auto& statement : block) {
    if (number-- == 0) return &statement;
    for_each_block(statement, [&](auto& inner) {
      if (found == nullptr) found = numbered(inner, number);
    });
    if (found != nullptr) return found;
  }
  return found;
}

Statement& statement_of(Kernel& kernel, std::size_t number) {
  return *numbered(kernel.body, number);
}
const Statement& statement_of(const Kernel& kernel, std::size_t number) {
  return *numbered(kernel.body, number);
}

/// The schedules of the library that a CPU may do an operator by, but for that of gemm's tiles,
/// whose sizes are choices of their own.
std::vector<std::string> known_schedules(std::string_view operation) {
  std::vector<std::string> names;
  for (const WayRule& way : find_operator(operation)->ways) {
    const bool is_for_cpus =
        way.needs == WayRule::Needs::kNothing || way.needs == WayRule::Needs::kOneWorker;
    if (is_for_cpus && way.name != "tiles") names.emplace_back(way.name);
  }
  return names;
}

std::vector<Setting> schedules_for(std::size_t number, const Kernel& kernel) {
  const auto& call = std::get<Call>(statement_of(kernel, number).node);
  std::vector<std::string> names = known_schedules(call.operation);
  for (const Instruction& each : kernel.instructions) {
    if (each.operation == call.operation) names.push_back(each.name);
  }
  for (const Schedule& each : kernel.schedules) {
    if (each.operation == call.operation && each.options == call.options) {
      names.push_back(each.name);
    }
  }
  std::vector<Setting> settings;
  for (std::string& name : names) settings.push_back({number, Forced{std::move(name)}});
  return settings;
}

/// The blocks that a product is done in, if it is done in tiles.
std::optional<GemmBlocks> blocks_of(const Call& call) {
  if (call.schedule != "tiles" || call.schedule_options.size() != 5) return std::nullopt;
  const auto number = [&](const char* name) {
    return static_cast<std::int64_t>(std::get<double>(call.schedule_options.at(name)));
  };
  return GemmBlocks{{number("rows"), number("columns")}, number("kc"), number("mc"), number("nc")};
}

/// The bytes of an element of tiles of this size.
std::optional<std::int64_t> tile_bytes(const ThreadBlock& block, const TileSize& size) {
  std::optional<std::int64_t> found;
  for (const ThreadStatement& statement : block) {
    if (const auto* tile = std::get_if<MultiplyTile>(&statement.node)) {
      if (tile->size == size) return bits(tile->type) / 8;
    }
    for_each_block(statement, [&](const ThreadBlock& inner) {
      if (!found) found = tile_bytes(inner, size);
    });
    if (found) return found;
  }
  return found;
}

/// The tiles that the model finds best, some of each width, each in its best blocks.
std::vector<GemmBlocks> tiles_to_try(const TargetMachine& target, std::int64_t bytes) {
  constexpr std::ptrdiff_t kMostOfAWidth = 3;
  const std::array<Int, 3> unknown = {Int::variable("M"), Int::variable("N"), Int::variable("K")};
  const form::Machine* machine = target.machine != nullptr ? target.machine : &machine::host();
  std::vector<GemmBlocks> tiles = {gemm_candidates(nullptr, bytes, unknown).front().blocks};
  for (const GemmCandidate& each : gemm_candidates(machine, bytes, unknown)) {
    const TileSize& tile = each.blocks.tile;
    const bool is_known =
        std::ranges::any_of(tiles, [&](const GemmBlocks& known) { return known.tile == tile; });
    const auto of_width = std::ranges::count_if(
        tiles, [&](const GemmBlocks& known) { return known.tile.columns == tile.columns; });
    if (!is_known && of_width < kMostOfAWidth) tiles.push_back(each.blocks);
  }
  return tiles;
}

std::int64_t in_pieces(std::int64_t number, std::int64_t piece) {
  return std::max<std::int64_t>(number / piece, 1) * piece;
}

/// The same blocks with other steps, rows or columns. Blocks of other steps have as many bytes.
std::vector<GemmBlocks> blocks_to_try(const GemmBlocks& now, OpenChoice::Kind kind) {
  constexpr std::array<std::array<std::int64_t, 2>, 5> kFactors = {
      {{1, 2}, {3, 4}, {3, 2}, {2, 1}, {4, 1}}};
  std::vector<GemmBlocks> blocks;
  for (const auto& [times, over] : kFactors) {
    GemmBlocks next = now;
    if (kind == OpenChoice::Kind::kSteps) {
      next.kc = std::max<std::int64_t>(now.kc * times / over, 1);
      next.mc = in_pieces(now.mc * now.kc / next.kc, now.tile.rows);
      next.nc = in_pieces(now.nc * now.kc / next.kc, now.tile.columns);
    } else if (kind == OpenChoice::Kind::kRows) {
      next.mc = in_pieces(now.mc * times / over, now.tile.rows);
    } else {
      next.nc = in_pieces(now.nc * times / over, now.tile.columns);
    }
    blocks.push_back(next);
  }
  return blocks;
}

std::vector<Setting> tiles_for(const OpenChoice& open, const Kernel& kernel,
                               const ThreadProgram& program, const TargetMachine& target) {
  const auto now = blocks_of(std::get<Call>(statement_of(kernel, open.statement).node));
  if (!now) return {};
  std::vector<GemmBlocks> blocks;
  if (open.kind == OpenChoice::Kind::kTile) {
    const auto bytes = tile_bytes(program.body, now->tile);
    if (bytes) blocks = tiles_to_try(target, *bytes);
  } else {
    blocks = blocks_to_try(*now, open.kind);
  }
  std::vector<Setting> settings;
  for (const GemmBlocks& each : blocks) {
    settings.push_back({open.statement, Forced{"tiles", options_of(each)}});
  }
  return settings;
}

/// Columns first, and rows that are a line of a cache further apart.
std::vector<Setting> layouts_for_tensor(std::size_t number, const Kernel& kernel) {
  constexpr std::int64_t kLineBits = 512;
  const Tensor& tensor = std::get<Declaration>(statement_of(kernel, number).node).tensor;
  const std::size_t rank = tensor.shape.size();
  std::vector<axe::Iter> columns(rank);
  std::vector<axe::Iter> padded(rank);
  Int stride = 1;
  for (std::size_t d = 0; d != rank; ++d) {
    columns[d] = {tensor.shape[d], stride};
    stride *= tensor.shape[d];
  }
  stride = 1;
  for (std::size_t d = rank; d-- != 0;) {
    padded[d] = {tensor.shape[d], stride};
    stride *= tensor.shape[d];
    if (d + 1 == rank) stride += kLineBits / held_bits(tensor.type, tensor.space);
  }
  std::vector<Setting> settings;
  for (std::vector<axe::Iter>& iters : std::array{std::move(columns), std::move(padded)}) {
    if (auto layout = axe::Layout::make(std::move(iters), {}, {})) {
      settings.push_back({number, map::AnyLayout(*std::move(layout))});
    }
  }
  return settings;
}

bool has_open_layout(const Tensor& tensor, const RowMajorOnly& row_major_only) {
  return tensor.space == Space::kShared && !tensor.layout && tensor.shape.size() > 1 &&
         row_major_only.reason(tensor.name).empty();
}

// ---- Operations ----

/// Counts multiply-adds, block by block.
class MultiplyAdds {
 public:
  MultiplyAdds(const Kernel& kernel, const Sizes& sizes) : kernel_(kernel) {
    for (const auto& [name, size] : sizes) values_[name] = size;
    for (const Tensor& parameter : kernel.parameters) tensors_[parameter.name] = parameter;
    for_each_statement(kernel.body, [&](const Statement& statement) {
      const auto* declared = std::get_if<Declaration>(&statement.node);
      if (declared != nullptr) tensors_[declared->tensor.name] = declared->tensor;
    });
  }

  std::optional<double> count() {
    constexpr std::array<std::string_view, 3> kNames = {"bx", "by", "bz"};
    std::array<std::int64_t, 3> grid = {1, 1, 1};
    for (std::size_t d = 0; d != kernel_.launch.grid.size(); ++d) {
      const auto extent = value(kernel_.launch.grid[d]);
      if (!extent) return std::nullopt;
      grid[d] = *extent;
    }
    for (std::int64_t z = 0; z < grid[2]; ++z) {
      for (std::int64_t y = 0; y < grid[1]; ++y) {
        for (std::int64_t x = 0; x < grid[0]; ++x) {
          const std::array<std::int64_t, 3> block = {x, y, z};
          for (std::size_t d = 0; d != 3; ++d) values_[std::string(kNames[d])] = block[d];
          if (!add(kernel_.body)) return std::nullopt;
        }
      }
    }
    if (total_ == 0) return std::nullopt;
    return total_;
  }

 private:
  static constexpr int kMostVisits = 1 << 17;

  std::optional<std::int64_t> value(const Int& integer) const {
    const auto at = instantiate(integer, values_);
    if (!at || !at->is_constant()) return std::nullopt;
    return at->value();
  }

  /// Whether all of the block is counted.
  bool add(const Block& block) {
    return std::ranges::all_of(block, [&](const Statement& statement) {
      if (++visits_ > kMostVisits) return false;
      if (const auto* call = std::get_if<Call>(&statement.node)) return add(*call);
      if (const auto* loop = std::get_if<For>(&statement.node)) return add(*loop);
      bool has_gemm = false;
      for_each_block(statement, [&](const Block& inner) {
        for_each_statement(inner, [&](const Statement& each) {
          const auto* call = std::get_if<Call>(&each.node);
          has_gemm = has_gemm || (call != nullptr && call->operation == "gemm");
        });
      });
      return !has_gemm;
    });
  }

  bool add(const For& loop) {
    const auto extent = value(loop.extent);
    if (!extent) return false;
    for (std::int64_t i = 0; i < *extent; ++i) {
      values_[loop.counter] = i;
      if (!add(loop.body)) return false;
    }
    values_.erase(loop.counter);
    return true;
  }

  bool add(const Call& call) {
    if (call.operation != "gemm") return true;
    const auto c = extents(std::get<View>(call.operands[0].node));
    const auto a = extents(std::get<View>(call.operands[1].node));
    if (c.size() != 2 || a.size() != 2) return false;
    total_ += 2 * c[0] * c[1] * a[1];
    return true;
  }

  /// The extents of a view, of a slice only what is inside of the tensor; none if they are not
  /// known.
  std::vector<double> extents(const View& view) const {
    const auto found = tensors_.find(view.tensor);
    if (found == tensors_.end()) return {};
    const auto shape = shape_of(view, found->second);
    if (!shape) return {};
    const auto* sliced = view.steps.size() == 1 ? std::get_if<Sliced>(&view.steps[0]) : nullptr;
    std::vector<double> known;
    for (const Int& extent : shape->extents) {
      const auto constant = value(extent);
      if (!constant) return {};
      known.push_back(static_cast<double>(*constant));
    }
    if (sliced == nullptr) return known;
    std::size_t dimension = 0;
    std::size_t kept = 0;
    for (const Subscript& each : sliced->subscripts) {
      if (each.kind == Subscript::Kind::kNew) return known;
      const auto end = value(found->second.shape[dimension++]);
      const auto begin = value(each.begin);
      if (each.kind == Subscript::Kind::kRange && end && begin) {
        known[kept] = std::clamp(static_cast<double>(*end - *begin), 0.0, known[kept]);
      }
      if (each.kind != Subscript::Kind::kIndex) ++kept;
    }
    return known;
  }

  const Kernel& kernel_;
  Bindings values_;
  std::map<std::string, Tensor> tensors_;
  double total_ = 0;
  int visits_ = 0;
};

}  // namespace

Kernel with(Kernel kernel, const Setting& setting) {
  Statement& statement = statement_of(kernel, setting.statement);
  if (const auto* layout = std::get_if<map::AnyLayout>(&setting.what)) {
    std::get<Declaration>(statement.node).tensor.layout = *layout;
    return kernel;
  }
  const auto& forced = std::get<Forced>(setting.what);
  auto& call = std::get<Call>(statement.node);
  call.schedule = forced.schedule;
  call.schedule_options = forced.options;
  return kernel;
}

std::string statement_text(const Kernel& kernel, std::size_t statement) {
  return to_string(statement_of(kernel, statement));
}

std::vector<OpenChoice> open_choices(const Kernel& kernel) {
  using enum OpenChoice::Kind;
  const RowMajorOnly row_major_only(kernel);
  std::vector<OpenChoice> open;
  std::size_t number = 0;
  for_each_statement(kernel.body, [&](const Statement& statement) {
    const std::size_t here = number++;
    if (const auto* declared = std::get_if<Declaration>(&statement.node)) {
      if (has_open_layout(declared->tensor, row_major_only)) open.push_back({here, kLayout});
    }
    const auto* call = std::get_if<Call>(&statement.node);
    if (call == nullptr) return;
    const bool has_sizes = !call->schedule_options.empty();
    const bool is_product =
        call->operation == "gemm" && !has_sizes && (!call->schedule || call->schedule == "tiles");
    const auto sizes =
        is_product ? std::vector{kTile, kSteps, kRows, kColumns} : std::vector<OpenChoice::Kind>();
    for (const OpenChoice::Kind kind : sizes) open.push_back({here, kind});
    if (!call->schedule) open.push_back({here, kSchedule});
  });
  return open;
}

std::vector<Setting> settings_for(const OpenChoice& open, const Kernel& kernel,
                                  const ThreadProgram& program, const TargetMachine& target) {
  if (open.kind == OpenChoice::Kind::kSchedule) return schedules_for(open.statement, kernel);
  if (open.kind == OpenChoice::Kind::kLayout) return layouts_for_tensor(open.statement, kernel);
  return tiles_for(open, kernel, program, target);
}

Kernel with_tiles(Kernel kernel, const ThreadProgram& program) {
  std::size_t number = 0;
  std::vector<Setting> settings;
  for_each_statement(kernel.body, [&](const Statement& statement) {
    const std::size_t here = number++;
    const auto* call = std::get_if<Call>(&statement.node);
    if (call == nullptr || call->operation != "gemm" || !call->schedule_options.empty()) return;
    const auto choice =
        std::ranges::find(program.choices, to_string(statement), &Choice::statement);
    if (choice == program.choices.end() || choice->options.empty()) return;
    settings.push_back({here, Forced{choice->candidates.front().schedule, choice->options}});
  });
  for (const Setting& each : settings) kernel = with(std::move(kernel), each);
  return kernel;
}

std::optional<double> operations_of(const Kernel& kernel, const Sizes& sizes) {
  return MultiplyAdds(kernel, sizes).count();
}

}  // namespace heddle::kernel
