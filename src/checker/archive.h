#pragma once

// Values as bytes and back, for another process of the same program: one function says what a type
// consists of, and is given a writer or a reader.
//
//   template <class Archive> void visit(Archive& archive, Site& site) { archive(site.kind, …); }

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "heddle/checker/report.h"

namespace heddle::checker {

class Writer {
 public:
  template <class... Values>
  void operator()(Values&... values) {
    (add(values), ...);
  }
  [[nodiscard]] std::string bytes() && { return std::move(bytes_); }

 private:
  template <class Value>
  void add(Value& value) {
    if constexpr (std::is_arithmetic_v<Value> || std::is_enum_v<Value>) {
      const char* const first = reinterpret_cast<const char*>(&value);  // NOLINT: as bytes
      bytes_.append(first, sizeof value);
    } else {
      visit(*this, value);
    }
  }
  void add(std::string& text) {
    std::size_t size = text.size();
    add(size);
    bytes_ += text;
  }
  template <class Value>
  void add(std::vector<Value>& values) {
    std::size_t size = values.size();
    add(size);
    for (Value& each : values) add(each);
  }

  std::string bytes_;
};

/// What is not there is zeros, and nothing.
class Reader {
 public:
  explicit Reader(std::string_view bytes) : bytes_(bytes) {}
  template <class... Values>
  void operator()(Values&... values) {
    (take(values), ...);
  }

 private:
  template <class Value>
  void take(Value& value) {
    if constexpr (std::is_arithmetic_v<Value> || std::is_enum_v<Value>) {
      const std::string_view part = taken(sizeof value);
      if (part.size() == sizeof value) part.copy(reinterpret_cast<char*>(&value), sizeof value);
    } else {
      visit(*this, value);
    }
  }
  void take(std::string& text) {
    std::size_t size = 0;
    take(size);
    text = taken(size);
  }
  template <class Value>
  void take(std::vector<Value>& values) {
    std::size_t size = 0;
    take(size);
    // Each has a byte at least.
    values.resize(std::min(size, bytes_.size()));
    for (Value& each : values) take(each);
  }
  std::string_view taken(std::size_t size) {
    const std::string_view part = bytes_.substr(0, size);
    bytes_.remove_prefix(part.size());
    return part;
  }

  std::string_view bytes_;
};

template <class Archive>
void visit(Archive& archive, Finding& finding) {
  archive(finding.kind, finding.message);
}
template <class Archive>
void visit(Archive& archive, Site& site) {
  archive(site.kind, site.offset, site.line, site.has_waited, site.is_partial, site.moves);
}
template <class Archive>
void visit(Archive& archive, Traffic& traffic) {
  archive(traffic.instructions, traffic.wavefronts, traffic.ideal);
}
template <class Archive>
void visit(Archive& archive, SiteTraffic& place) {
  archive(place.buffer, place.offset, place.line, place.traffic);
}
template <class Archive>
void visit(Archive& archive, Report& report) {
  archive(report.findings, report.suspicions, report.sites, report.traffic, report.places,
          report.accesses, report.copies, report.multiplications, report.printed);
}

}  // namespace heddle::checker
