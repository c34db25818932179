#include "heddle/checker/report.h"

#include <fmt/format.h>

#include "heddle/checker/checker.h"

namespace heddle::checker {

std::string_view name_of(FindingKind kind) {
  switch (kind) {
    case FindingKind::kOutside:
      return "outside";
    case FindingKind::kUnaligned:
      return "unaligned";
    case FindingKind::kUninitialised:
      return "uninitialised";
    case FindingKind::kRace:
      return "race";
    case FindingKind::kOnItsWay:
      return "on its way";
    case FindingKind::kNotAwaited:
      return "not awaited";
    case FindingKind::kDivergent:
      return "divergent";
    case FindingKind::kStuck:
      return "stuck";
    case FindingKind::kFault:
      return "fault";
    case FindingKind::kReadOnly:
      return "read-only";
    case FindingKind::kUndefined:
      return "undefined";
    case FindingKind::kTooLong:
      return "too long";
  }
  return "";
}

std::string_view name_of(SiteKind kind) {
  switch (kind) {
    case SiteKind::kBarrier:
      return "barrier";
    case SiteKind::kWarpBarrier:
      return "barrier of warps";
    case SiteKind::kWait:
      return "wait";
    case SiteKind::kCommit:
      return "commit";
    case SiteKind::kCopy:
      return "copy";
    case SiteKind::kMatrices:
      return "matrix load";
  }
  return "";
}

std::string_view name_of(Arrival arrival) {
  if (arrival == Arrival::kEarly) return "early";
  return arrival == Arrival::kLate ? "late" : "random";
}

std::string_view name_of(Change change) {
  switch (change) {
    case Change::kDrop:
      return "dropped";
    case Change::kLoosen:
      return "one group more pending";
    case Change::kWhole:
      return "all bytes";
    case Change::kStale:
      return "the place before";
  }
  return "";
}

std::vector<Mutation> mutations(const Report& report) {
  std::vector<Mutation> all;
  for (const Site& site : report.sites) {
    const bool is_wait = site.kind == SiteKind::kWait;
    if (site.kind != SiteKind::kMatrices && (!is_wait || site.has_waited)) {
      all.push_back({site.offset, Change::kDrop});
    }
    if (is_wait && site.has_waited) all.push_back({site.offset, Change::kLoosen});
    if (site.is_partial) all.push_back({site.offset, Change::kWhole});
    if (site.moves) all.push_back({site.offset, Change::kStale});
  }
  return all;
}

std::string to_string(const std::vector<Finding>& findings) {
  std::string text;
  for (const Finding& each : findings) {
    text += fmt::format("{}: {}\n", name_of(each.kind), each.message);
  }
  return text;
}

std::string traffic_text(const Report& report) {
  const auto counted = [](const Traffic& traffic) {
    return fmt::format("{} instruction{} of warps, {} wavefront{}, {}", traffic.instructions,
                       traffic.instructions == 1 ? "" : "s", traffic.wavefronts,
                       traffic.wavefronts == 1 ? "" : "s",
                       traffic.wavefronts == traffic.ideal
                           ? "no bank conflicts"
                           : fmt::format("{} without bank conflicts", traffic.ideal));
  };
  if (report.traffic.instructions == 0) return {};
  std::string text = fmt::format("shared memory: {}\n", counted(report.traffic));
  for (const SiteTraffic& place : report.places) {
    if (place.traffic.wavefronts == place.traffic.ideal) continue;
    text += fmt::format("    {} at {}: {}\n", place.buffer, place.line, counted(place.traffic));
  }
  return text;
}

}  // namespace heddle::checker
