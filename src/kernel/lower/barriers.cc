#include "kernel/lower/barriers.h"

#include <algorithm>
#include <utility>

#include "core/words.h"

namespace heddle::kernel {

namespace {

bool conflicts(const Access& before, const Access& next) {
  if (before.buffer != next.buffer || !(before.is_write || next.is_write)) return false;
  if (before.key.empty() || before.key != next.key) return true;
  return before.is_past && !next.is_apart;
}

/// Whether the word stands in the text on its own.
bool mentions(const std::string& text, const std::string& word) {
  for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    const bool begins = at == 0 || !is_word_character(text[at - 1]);
    if (begins && (end == text.size() || !is_word_character(text[end]))) return true;
  }
  return false;
}

}  // namespace

const Access* Accesses::conflict(const std::vector<Access>& next) const {
  const auto found = std::ranges::find_if(state_.pending, [&](const Access& before) {
    return std::ranges::any_of(next, [&](const Access& each) { return conflicts(before, each); });
  });
  return found == state_.pending.end() ? nullptr : &*found;
}

void Accesses::note(const std::vector<Access>& next) {
  state_.pending.insert(state_.pending.end(), next.begin(), next.end());
  if (!state_.has_barrier) {
    state_.leading.insert(state_.leading.end(), next.begin(), next.end());
  }
}

void Accesses::clear() {
  state_.pending.clear();
  state_.has_barrier = true;
}

void Accesses::forget(const std::string& name, bool is_counter) {
  for (std::vector<Access>* list : {&state_.pending, &state_.leading, &left_}) {
    for (Access& access : *list) {
      if (!mentions(access.key, name)) continue;
      access.is_past = true;
      if (!is_counter || !access.is_apart) access.key.clear();
    }
  }
}

void Accesses::leave() { left_.insert(left_.end(), state_.pending.begin(), state_.pending.end()); }

std::vector<Access> Accesses::take_left(std::vector<Access> before) {
  return std::exchange(left_, std::move(before));
}

void Accesses::add_pending(const std::vector<Access>& accesses) {
  state_.pending.insert(state_.pending.end(), accesses.begin(), accesses.end());
}

Accesses::State Accesses::begin() {
  State before = state_;
  state_.leading.clear();
  state_.has_barrier = false;
  return before;
}

Accesses::State Accesses::end(State before) {
  State part = state_;
  if (part.has_barrier) {
    // The part may not run at all: what was pending before it still is.
    state_.pending.insert(state_.pending.end(), before.pending.begin(), before.pending.end());
  } else {
    const auto older = static_cast<std::ptrdiff_t>(before.pending.size());
    part.pending.erase(part.pending.begin(), part.pending.begin() + older);
  }
  state_.leading = std::move(before.leading);
  state_.has_barrier = before.has_barrier;
  if (!state_.has_barrier) {
    state_.leading.insert(state_.leading.end(), part.leading.begin(), part.leading.end());
  }
  return part;
}

const Access* Accesses::between_runs(const State& part, const std::string& counter) {
  for (const Access& last : part.pending) {
    for (Access first : part.leading) {
      if (!first.is_apart && mentions(first.key, counter)) first.key.clear();
      if (conflicts(last, first)) return &last;
    }
  }
  return nullptr;
}

}  // namespace heddle::kernel
