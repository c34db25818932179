#include "heddle/distribute/picture.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/format.h"
#include "draw/grid.h"
#include "heddle/distribute/run.h"

namespace heddle::distribute {
namespace {

/// What goes from one device to another in a step.
struct Sent {
  std::int64_t bytes = 0;
  bool reduces = false;
};

/// Senders down, receivers along.
class StepPicture {
 public:
  StepPicture(const Plan& plan, const Step& step) : devices_(plan.devices()) {
    for (const Transfer& transfer : step.transfers) {
      Sent& sent = sent_[{transfer.from, transfer.to}];
      sent.bytes += message_bytes(plan, transfer);
      sent.reduces |= transfer.reduces;
      total_ += message_bytes(plan, transfer);
    }
    for (std::size_t group = 0; group < step.groups.size(); ++group) {
      for (const std::int64_t device : step.groups[group]) group_[device] = group;
    }
    label_ = fmt::format("{}, {} bytes", name(step.collective), total_);
  }

  [[nodiscard]] const std::string& label() const { return label_; }

  [[nodiscard]] draw::Grid grid(std::size_t colors) const {
    const auto side = [this](std::string title) {
      draw::Side made{devices_.size(), {}};
      made.text = [this](std::size_t position) { return std::to_string(devices_[position]); };
      made.groups = {{0, devices_.size(), std::move(title)}};
      return made;
    };
    draw::Grid grid;
    grid.pattern = [](draw::Positions) { return std::string("from=_, to=_"); };
    grid.rows = side("from");
    grid.columns = side("to");
    grid.cell = [this, colors](draw::Positions at) -> Result<draw::Cell> {
      return cell(devices_[at[0]], devices_[at[1]], colors);
    };
    return grid;
  }

 private:
  [[nodiscard]] draw::Cell cell(std::int64_t from, std::int64_t to, std::size_t colors) const {
    const auto found = sent_.find({from, to});
    if (found == sent_.end()) return {};
    const auto group = group_.find(from);
    const bool is_grouped = from != to && group != group_.end();
    return {.text = fmt::format("{}{}", found->second.reduces ? "+" : "", found->second.bytes),
            .note = {},
            .color = is_grouped ? group->second % colors : draw::kPlain,
            .facts = {}};
  }

  std::span<const std::int64_t> devices_;
  std::map<std::pair<std::int64_t, std::int64_t>, Sent> sent_;
  std::map<std::int64_t, std::size_t> group_;
  std::int64_t total_ = 0;
  std::string label_;
};

std::size_t most_groups(const Plan& plan) {
  std::size_t most = 1;
  for (const Step& step : plan.steps()) most = std::max(most, step.groups.size());
  return most;
}

}  // namespace

Result<draw::Picture> picture(const Plan& plan, const draw::PictureOptions& options) {
  if (plan.steps().size() > draw::kMaxPanels) {
    return refuse("draw.too_large", "a plan of {} steps, and a picture has at most {} panels",
                  plan.steps().size(), draw::kMaxPanels);
  }
  const std::size_t groups = most_groups(plan);
  draw::Picture picture;
  picture.title = options.title.value_or("bytes from device to device");
  picture.colors = std::min(groups, static_cast<std::size_t>(draw::kMaxColors));
  picture.legend =
      groups > picture.colors ? fmt::format("group mod {}", draw::kMaxColors) : "group";
  const std::size_t most = options.max_cells.value_or(draw::kUsualCells);
  for (const Step& step : plan.steps()) {
    const StepPicture drawn(plan, step);
    HEDDLE_CHECK(draw::add_panels(picture, drawn.grid(picture.colors), most, options.limits));
    picture.panels.back().label = drawn.label();
  }
  return picture;
}

}  // namespace heddle::distribute
