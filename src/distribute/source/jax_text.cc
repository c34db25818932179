#include "distribute/source/jax_text.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "core/format.h"
#include "distribute/source/jax_rounds.h"
#include "distribute/source/jax_spec.h"

namespace heddle::distribute {
namespace {

/// A string of Python.
std::string quoted(std::string_view text) {
  std::string made = "'";
  for (const char c : text) {
    if (c == '\'' || c == '\\') made += '\\';
    made += c;
  }
  return made + "'";
}

/// `(2, 4)`, `(2,)`, `()`.
std::string tuple_text(std::span<const std::string> items) {
  return fmt::format("({}{})", fmt::join(items, ", "), items.size() == 1 ? "," : "");
}
std::string tuple_text(std::span<const std::int64_t> numbers) {
  return fmt::format("({}{})", fmt::join(numbers, ", "), numbers.size() == 1 ? "," : "");
}

/// `'x'`, `('x', 'y')`.
std::string axes_text(const axe::Mesh& mesh, std::span<const std::size_t> axes) {
  std::vector<std::string> names;
  for (const std::size_t axis : axes) names.push_back(quoted(mesh.names()[axis]));
  return names.size() == 1 ? names.front() : tuple_text(names);
}

/// `P(None, 'x')`.
std::string spec_text(const axe::Mesh& mesh, const JaxSpec& spec) {
  std::vector<std::string> dims;
  for (const AxisNumbers& axes : spec.dims) {
    dims.push_back(axes.empty() ? "None" : axes_text(mesh, axes));
  }
  return fmt::format("P({})", fmt::join(dims, ", "));
}

constexpr std::string_view kMove = R"(
def _move(read, read_size, first_read, written, written_size, first_written, pairs, combine=None):
    """For each pair the box that begins at first_read in `read` of the first device goes to
    first_written in `written` of the second one. Without pairs devices keep boxes."""
    me = lax.axis_index(AXES)
    arrives = jnp.array([first is not None for first in first_written])[me]

    def here(firsts, rank):
        starts = np.array([first or (0,) * rank for first in firsts], dtype=np.int32)
        return tuple(jnp.asarray(starts.reshape(len(firsts), rank))[me])

    box = lax.dynamic_slice(read, here(first_read, len(read_size)), read_size)
    if pairs:
        box = lax.ppermute(box, AXES, pairs)
    first = here(first_written, len(written_size))
    there = lax.dynamic_slice(written, first, written_size)
    box = box.reshape(written_size)
    box = jnp.where(arrives, combine(there, box) if combine else box, there)
    return lax.dynamic_update_slice(written, box, first)
)";

std::string_view variable_of(Memory memory) {
  if (memory == Memory::kSource) return "shard";
  return memory == Memory::kDestination ? "result" : "scratch";
}

/// The lines of a function, each with its indentation.
class JaxWriter {
 public:
  JaxWriter(const Plan& plan, const JaxSides& sides, std::string name)
      : plan_(plan), sides_(sides), name_(std::move(name)) {}

  Result<std::string> text() && {
    const auto calls = jax_calls(sides_, plan_.reduce_op());
    write_head(!calls);
    add("\n\ndef {}(shard):\n", name_);
    write_docstring();
    if (calls) {
      for (const JaxCall& call : *calls) write_call(call);
    } else {
      HEDDLE_CHECK(write_rounds());
    }
    if (plan_.averaged_over() > 1) {
      add("    shard = (shard / {}).astype(shard.dtype)\n", plan_.averaged_over());
    }
    text_ += "    return shard\n";
    write_map();
    return std::move(text_);
  }

 private:
  template <class... Values>
  void add(fmt::format_string<Values...> format, Values&&... values) {
    text_ += fmt::format(format, std::forward<Values>(values)...);
  }

  void write_head(bool is_general) {
    const axe::Mesh& mesh = sides_.mesh;
    add("# A tensor of shape ({}) from {} to {}, by JAX.\n#\n", fmt::join(plan_.to().shape(), ","),
        spec_text(mesh, sides_.from), spec_text(mesh, sides_.to));
    for (const auto& [title, line] : lines_of(plan_)) add("#   {:<14}  {}\n", title, line);
    text_ += "\nimport jax\n";
    if (is_general) text_ += "import jax.numpy as jnp\n";
    text_ += "import numpy as np\nfrom jax import lax\n";
    text_ += "from jax.sharding import Mesh, PartitionSpec as P\n\n";
    std::vector<std::string> names;
    for (const std::string& axis : mesh.names()) names.push_back(quoted(axis));
    add("AXES = {}\nMESH = {}\n", tuple_text(names), tuple_text(mesh.extents()));
    add("# The numbers of the devices, in the order of the mesh.\nDEVICES = {}\n",
        tuple_text(mesh.devices()));
    add("IN_SPECS = {}\nOUT_SPECS = {}\n", spec_text(mesh, sides_.from),
        spec_text(mesh, sides_.to));
    if (is_general) text_ += std::string("\n") + std::string(kMove);
  }

  void write_docstring() {
    const std::string terms = sides_.reduced.empty()
                                  ? ""
                                  : fmt::format(", a term of {} over {}", plan_.reduce_op(),
                                                axes_text(sides_.mesh, sides_.reduced));
    add("    \"\"\"In a shard_map: the shard {} of a device out of its shard {}{}.\"\"\"\n",
        tuple_text(sides_.to.extents), tuple_text(sides_.from.extents), terms);
  }

  /// The number of devices along some axes.
  std::int64_t devices_along(std::span<const std::size_t> axes) const {
    std::int64_t devices = 1;
    for (const std::size_t axis : axes) devices *= sides_.mesh.extents()[axis];
    return devices;
  }

  void write_call(const JaxCall& call) {
    const std::string axes = axes_text(sides_.mesh, call.axes);
    switch (call.kind) {
      case JaxCall::Kind::kSlice:
        add("    size = shard.shape[{}] // {}\n", call.dim, devices_along(call.axes));
        add("    shard = lax.dynamic_slice_in_dim(shard, lax.axis_index({}) * size, size, {})\n",
            axes, call.dim);
        return;
      case JaxCall::Kind::kAllGather:
        add("    shard = lax.all_gather(shard, {}, axis={}, tiled=True)\n", axes, call.dim);
        return;
      case JaxCall::Kind::kAllToAll:
        add("    shard = lax.all_to_all(shard, {}, split_axis={}, concat_axis={}, tiled=True)\n",
            axes, call.cut, call.dim);
        return;
      case JaxCall::Kind::kReduceScatter:
        add("    shard = lax.psum_scatter(shard, {}, scatter_dimension={}, tiled=True)\n", axes,
            call.dim);
        return;
      case JaxCall::Kind::kReduce:
        const bool is_end = plan_.reduce_op() == "max" || plan_.reduce_op() == "min";
        add("    shard = lax.p{}(shard, {})\n", is_end ? plan_.reduce_op() : "sum", axes);
    }
  }

  // ---- rounds ----

  Result<void> write_rounds() {
    HEDDLE_TRY(const std::vector<JaxRound> rounds, jax_rounds(plan_, sides_.mesh));
    add("    result = jnp.zeros({}, shard.dtype)\n", tuple_text(sides_.to.extents));
    std::int64_t scratch = 0;
    for (const std::int64_t device : plan_.devices()) {
      scratch = std::max(scratch, plan_.scratch().memory(device));
    }
    if (scratch > 0) add("    scratch = jnp.zeros({}, shard.dtype)\n", scratch);
    for (const JaxRound& round : rounds) write_round(round);
    text_ += "    shard = result\n";
    return {};
  }

  static std::string firsts_text(std::span<const std::optional<std::vector<std::int64_t>>> firsts) {
    std::vector<std::string> texts;
    for (const auto& first : firsts) texts.push_back(first ? tuple_text(*first) : "None");
    return fmt::format("[{}]", fmt::join(texts, ", "));
  }

  void write_round(const JaxRound& round) {
    std::vector<std::string> pairs;
    for (const auto& [from, to] : round.pairs) pairs.push_back(fmt::format("({}, {})", from, to));
    const std::string_view written = variable_of(round.written.memory);
    add("    {} = _move(\n        {}, {}, {},\n", written, variable_of(round.read.memory),
        tuple_text(round.read.size), firsts_text(round.first_read));
    add("        {}, {}, {},\n", written, tuple_text(round.written.size),
        firsts_text(round.first_written));
    add("        {}{})\n", round.is_local ? "None" : fmt::format("[{}]", fmt::join(pairs, ", ")),
        round.reduces ? fmt::format(", {}", combine()) : "");
  }

  std::string_view combine() const {
    if (plan_.reduce_op() == "max") return "jnp.fmax";
    if (plan_.reduce_op() == "min") return "jnp.fmin";
    return plan_.reduce_op() == "product" ? "jnp.multiply" : "jnp.add";
  }

  /// The function on arrays over the whole mesh.
  void write_map() {
    add("\n\ndef {}_on(devices=None):\n", name_);
    add("    \"\"\"{}() for arrays over the mesh of these devices.\"\"\"\n", name_);
    text_ +=
        "    devices = np.array(jax.devices() if devices is None else devices)\n"
        "    mesh = Mesh(devices[list(DEVICES)].reshape(MESH), AXES)\n";
    add("    return jax.shard_map({}, mesh=mesh, in_specs=IN_SPECS, out_specs=OUT_SPECS,\n"
        "                         check_vma=False)\n",
        name_);
  }

  const Plan& plan_;
  const JaxSides& sides_;
  std::string name_;
  std::string text_;
};

}  // namespace

Result<std::string> jax_text(const Plan& plan, const SourceOptions& options) {
  HEDDLE_TRY(const JaxSides sides, jax_sides(plan));
  return JaxWriter(plan, sides, options.name).text();
}

}  // namespace heddle::distribute
