#include "notation/kernel/kernel_names.h"

#include <utility>

namespace heddle::notation {

void KernelNames::bind(std::string_view name, Meaning meaning) {
  if (const Int* integer = std::get_if<Int>(&meaning)) {
    environment_.bind(std::string(name), Value(*integer));
  }
  names_.insert_or_assign(std::string(name), std::move(meaning));
}

const Meaning* KernelNames::find(std::string_view name) const {
  for (const KernelNames* names = this; names != nullptr; names = names->outer_) {
    const auto found = names->names_.find(name);
    if (found != names->names_.end()) return &found->second;
  }
  return nullptr;
}

std::vector<std::string> KernelNames::all() const {
  std::vector<std::string> all;
  for (const KernelNames* names = this; names != nullptr; names = names->outer_) {
    for (const auto& [name, meaning] : names->names_) all.push_back(name);
  }
  for (const auto& [name, value] : environment_.values()) all.push_back(name);
  return all;
}

}  // namespace heddle::notation
