#include "map/isl/door.h"

#include <fmt/format.h>
#include <isl/aff.h>
#include <isl/map.h>
#include <isl/set.h>
#include <isl/space.h>
#include <isl/val.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <optional>
#include <span>

#include "core/words.h"
#include "map/isl/pieces.h"

namespace heddle::map {
namespace {

/// Functions over more bits than this are read as constraints.
constexpr std::size_t kMaxFunctionBits = 6;

/// The memory that the process holds; 0 if the system does not tell.
std::size_t resident_bytes() {
  std::ifstream file("/proc/self/statm");
  std::size_t total = 0;
  std::size_t resident = 0;
  file >> total >> resident;
  return file ? resident * static_cast<std::size_t>(sysconf(_SC_PAGESIZE)) : 0;
}

/// isl's message without the place in its sources.
std::string message_of(const isl::exception& error) {
  std::string text = error.what();
  const std::size_t place = text.find(".c:");
  if (place == std::string::npos) return text;
  const std::size_t end = text.find(": ", place);
  return end == std::string::npos ? text : text.substr(end + 2);
}

/// The names of the dimensions; empty for a dimension without a name.
std::vector<std::string> names_in(const isl::space& space, isl_dim_type type) {
  std::vector<std::string> names(static_cast<std::size_t>(isl_space_dim(space.get(), type)));
  for (std::size_t i = 0; i < names.size(); ++i) {
    const unsigned position = static_cast<unsigned>(i);
    if (isl_space_has_dim_name(space.get(), type, position) == isl_bool_true) {
      names[i] = isl_space_get_dim_name(space.get(), type, position);
    }
  }
  return names;
}

/// Whether isl made up the name when it printed: o0, i1'.
bool is_made_up(std::string_view name) {
  const std::size_t digits = name.find_first_not_of("0123456789", 1);
  return name.size() > 1 && (name.front() == 'o' || name.front() == 'i') && digits != 1 &&
         (digits == std::string_view::npos || name[digits] == '\'');
}

/// The name without the primes that isl appends to a name that is already used.
std::string without_primes(std::string name) {
  while (!name.empty() && name.back() == '\'') name.pop_back();
  return name;
}

/// Names that differ from each other and from those of the parameters; c0, c1, … where none is
/// given.
std::vector<std::string> distinct_names(std::vector<std::string> names,
                                        std::span<const std::string> parameters) {
  const auto is_taken = [&](const std::string& name, std::size_t position) {
    const auto begin = names.begin();
    return std::ranges::find(parameters, name) != parameters.end() ||
           std::find(begin, begin + static_cast<std::ptrdiff_t>(position), name) !=
               begin + static_cast<std::ptrdiff_t>(position) ||
           std::find(begin + static_cast<std::ptrdiff_t>(position) + 1, names.end(), name) !=
               names.end();
  };
  for (std::size_t i = 0; i < names.size(); ++i) {
    names[i] = is_made_up(names[i]) ? std::string() : without_primes(names[i]);
    if (!names[i].empty() && !is_taken(names[i], i)) continue;
    names[i] = fmt::format("c{}", i);
    while (is_taken(names[i], i)) names[i] += '_';
  }
  return names;
}

/// The names of the inputs.
std::vector<std::string> input_names(const isl::space& space,
                                     std::span<const std::string> parameters) {
  return distinct_names(names_in(space, isl_dim_in), parameters);
}

std::vector<Axis> axes_of_space(const isl::space& space) {
  return axes_of(names_in(space, isl_dim_out));
}

/// The names that isl prints for axes; empty if they are the default ones.
std::vector<std::string> output_names(std::span<const Axis> axes,
                                      std::span<const std::string> parameters) {
  std::vector<std::string> names;
  for (const Axis& axis : axes) {
    const bool is_usual = axes.size() == 1 && axis == Axis::memory();
    const bool is_parameter = std::ranges::find(parameters, axis.name()) != parameters.end();
    const bool is_shown =
        !is_usual && !is_parameter && !is_made_up(axis.name()) && is_isl_name(axis.name());
    names.push_back(is_shown ? axis.name() : std::string());
  }
  return names;
}

/// As above if the inputs have names too: reusing one of them would mean an equation.
std::vector<std::string> output_names(std::span<const Axis> axes,
                                      std::span<const std::string> parameters,
                                      std::span<const std::string> inputs) {
  std::vector<std::string> names = output_names(axes, parameters);
  for (std::string& name : names) {
    if (std::ranges::find(inputs, name) != inputs.end()) name += '\'';
  }
  return names;
}

/// Distinct names of inputs that isl can write.
std::vector<std::string> isl_names(std::span<const std::string> wanted) {
  std::vector<std::string> names;
  const auto is_taken = [&](const std::string& name) {
    return std::ranges::find(names, name) != names.end();
  };
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const bool is_fit = is_isl_name(wanted[i]) && !is_made_up(wanted[i]) && !is_taken(wanted[i]);
    std::string name = is_fit ? wanted[i] : fmt::format("c{}", i);
    while (is_taken(name)) name += '_';
    names.push_back(std::move(name));
  }
  return names;
}

isl::map renamed(const isl::map& map, isl_dim_type type, std::span<const std::string> names) {
  isl_map* result = map.copy();
  for (std::size_t i = 0; i < names.size(); ++i) {
    result = isl_map_set_dim_name(result, type, static_cast<unsigned>(i),
                                  names[i].empty() ? nullptr : names[i].c_str());
  }
  return isl::manage(result);
}

std::string owned(char* text, const isl::ctx& context) {
  if (text == nullptr) isl::exception::throw_last_error(context);
  const std::unique_ptr<char, decltype(&std::free)> owner(text, &std::free);
  return text;
}

/// `(2c + 1)` without its parentheses.
std::string_view bare(std::string_view expression) {
  if (expression.empty() || expression.front() != '(' || expression.back() != ')') {
    return expression;
  }
  int depth = 0;
  for (std::size_t i = 0; i + 1 < expression.size(); ++i) {
    depth += expression[i] == '(' ? 1 : expression[i] == ')' ? -1 : 0;
    if (depth == 0) return expression;
  }
  return expression.substr(1, expression.size() - 2);
}

/// Adds the names of the output dimensions, which isl leaves out when it prints expressions.
std::string with_output_names(std::string_view text, std::span<const std::string> names) {
  constexpr std::string_view kArrow = "] -> [";
  std::string result;
  std::size_t begin = 0;
  for (std::size_t at; (at = text.find(kArrow, begin)) != std::string_view::npos;) {
    result += text.substr(begin, at + kArrow.size() - begin);
    begin = text.find(']', at + kArrow.size());
    std::string_view images = text.substr(at + kArrow.size(), begin - at - kArrow.size());
    for (std::size_t i = 0; i < names.size(); ++i) {
      int depth = 0;
      std::size_t end = 0;
      for (; end < images.size() && (depth > 0 || images[end] != ','); ++end) {
        depth += images[end] == '(' ? 1 : images[end] == ')' ? -1 : 0;
      }
      if (i > 0) result += ", ";
      if (!names[i].empty()) result += names[i] + " = ";
      result += bare(images.substr(0, end));
      images.remove_prefix(std::min(end + 2, images.size()));
    }
  }
  result += text.substr(begin);
  return result;
}

}  // namespace

IslSession::IslSession(const Limits& limits)
    : limits_(limits.begun()), memory_at_begin_(resident_bytes()), context_(isl_ctx_alloc()) {
  isl_options_set_on_error(context_.get(), ISL_ON_ERROR_CONTINUE);
  // 0 would mean any number.
  isl_ctx_set_max_operations(context_.get(), std::max<std::uint32_t>(limits.steps, 1));
  watchdog_ = std::jthread([this](const std::stop_token& done) { watch(done); });
}

IslSession::~IslSession() {
  watchdog_.request_stop();
  if (watchdog_.joinable()) watchdog_.join();
}

void IslSession::watch(const std::stop_token& done) {
  constexpr std::chrono::milliseconds kInterval(20);
  std::unique_lock lock(mutex_);
  while (!done.stop_requested()) {
    wake_.wait_for(lock, done, kInterval, [] { return false; });
    if (done.stop_requested()) return;
    const Reason reason = exceeded();
    if (reason != Reason::kNone) {
      reason_ = reason;
      isl_ctx_abort(context_.get());
      return;
    }
    if (limits_.progress) {
      limits_.progress(std::chrono::duration_cast<std::chrono::milliseconds>(
          std::chrono::steady_clock::now() - begin_));
    }
  }
}

IslSession::Reason IslSession::exceeded() const {
  if (limits_.are_over()) return Reason::kOver;
  const std::size_t resident = resident_bytes();
  const bool grown =
      resident > memory_at_begin_ && resident - memory_at_begin_ > limits_.memory_bytes;
  return grown ? Reason::kMemory : Reason::kNone;
}

void IslSession::check() const {
  if (reason_.load() != Reason::kNone) {
    isl::exception::throw_error(isl_error_abort, "execution aborted", __FILE__, __LINE__);
  }
  if (!has_steps_left()) {
    isl::exception::throw_error(isl_error_quota, "no steps are left", __FILE__, __LINE__);
  }
}

bool IslSession::has_steps_left() const {
  // isl's last error may be another one, such as the syntax error of a text that it could not read
  // to its end. But it makes no object without a step.
  isl_val* one = isl_val_one(get());
  isl_val_free(one);
  return one != nullptr;
}

Diagnostic IslSession::failure(std::string_view what, const isl::exception& error) const {
  const Reason reason = reason_.load();
  if (reason == Reason::kNone && !has_steps_left()) {
    return Diagnostic("relation.gave_up",
                      fmt::format("{}: gave up after {} steps of isl", what, limits_.steps))
        .with_hint(fmt::format("more steps may be enough: --steps {}",
                               std::min(10 * std::uint64_t{limits_.steps}, kMostSteps)));
  }
  if (reason == Reason::kNone) {
    return Diagnostic("relation.gave_up", fmt::format("{}: isl refused it", what))
        .with_note(fmt::format("isl: {}", message_of(error)));
  }
  Diagnostic diagnostic("relation.gave_up", fmt::format("{}: gave up", what));
  if (reason == Reason::kMemory) {
    return std::move(diagnostic)
        .with_note(fmt::format("it took more than {} MiB of memory", limits_.memory_bytes >> 20));
  }
  return std::move(diagnostic).with_note(limits_.over_text());
}

bool is_isl_name(std::string_view name) {
  const auto is_part = [](char c) { return is_word_character(c) || c == '\''; };
  return !name.empty() && begins_name(name.front()) && std::ranges::all_of(name, is_part) &&
         isl_word(name).empty();
}

isl::set read(IslSession& session, const IntegerSet& set) {
  return adopt(session, isl_set_read_from_str(session.get(), set.text().c_str()));
}

isl::map read(IslSession& session, const IntegerRelation& relation) {
  const auto box = box_function_of(relation);
  if (box != nullptr && is_read_as_bits(*box)) {
    std::vector<std::string> outputs = output_names(relation.axes(), {}, relation.inputs());
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      if (outputs[i].empty()) outputs[i] = fmt::format("o{}", i);
    }
    return read_bits(session, *box, relation.inputs(), outputs);
  }
  return adopt(session, isl_map_read_from_str(session.get(), relation.text().c_str()));
}

std::optional<isl::pw_multi_aff> read_function(const IslSession& session,
                                               const IntegerRelation& relation) {
  if (!RelationAccess::is_function(relation)) return std::nullopt;
  const auto box = box_function_of(relation);
  if (box != nullptr && is_read_as_bits(*box) &&
      box->bits->matrix.columns().size() > kMaxFunctionBits) {
    return std::nullopt;
  }
  return adopt(session, isl_pw_multi_aff_read_from_str(session.get(), relation.text().c_str()));
}

bool is_integral(const isl::pw_multi_aff& function) {
  bool result = true;
  function.foreach_piece([&](const isl::set&, const isl::multi_aff& images) {
    const isl_size count = isl_multi_aff_dim(images.get(), isl_dim_out);
    for (int i = 0; i < count; ++i) {
      const isl::aff image = images.at(i);
      const isl::val denominator = isl::manage(isl_aff_get_denominator_val(image.get()));
      result = result && isl_val_is_one(denominator.get()) == isl_bool_true;
    }
  });
  return result;
}

IntegerSet write(const isl::set& set) {
  return write(set, names_in(isl::manage(isl_set_get_space(set.get())), isl_dim_set));
}

IntegerSet write(const isl::set& set, std::vector<std::string> wanted) {
  const isl::space space = isl::manage(isl_set_get_space(set.get()));
  std::vector<std::string> parameters = names_in(space, isl_dim_param);
  for (std::string& name : wanted) {
    if (!is_isl_name(name)) name.clear();
  }
  std::vector<std::string> names = distinct_names(std::move(wanted), parameters);
  isl_set* named = isl_set_reset_tuple_id(isl_set_flatten(set.copy()));
  for (std::size_t i = 0; i < names.size(); ++i) {
    named = isl_set_set_dim_name(named, isl_dim_set, static_cast<unsigned>(i), names[i].c_str());
  }
  const isl::set printed = isl::manage(named);
  std::string text = owned(isl_set_to_str(printed.get()), set.ctx());
  return SetAccess::make(std::move(text), std::move(parameters), std::move(names));
}

IntegerRelation write(const isl::map& map) { return write(map, axes_of_space(map.space())); }

IntegerRelation write(const isl::map& map, std::vector<Axis> axes) {
  std::vector<std::string> parameters = names_in(map.space(), isl_dim_param);
  std::vector<std::string> inputs = input_names(map.space(), parameters);
  const isl::map named =
      renamed(renamed(map, isl_dim_in, inputs), isl_dim_out, output_names(axes, parameters));
  std::string text = owned(isl_map_to_str(named.get()), map.ctx());
  return RelationAccess::make(std::move(text), std::move(parameters), std::move(inputs),
                              std::move(axes), false);
}

std::vector<Axis> axes_of(std::vector<std::string> names) {
  for (std::string& name : names) name = is_made_up(name) ? "" : without_primes(name);
  if (names.size() == 1 && names.front().empty()) return {Axis::memory()};
  std::vector<Axis> axes;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const bool is_new = !names[i].empty() && std::ranges::find(axes, Axis(names[i])) == axes.end();
    axes.emplace_back(is_new ? names[i] : fmt::format("{}", i));
  }
  return axes;
}

IntegerRelation write(const BoxFormula& formula, std::span<const std::string> inputs,
                      std::vector<Axis> axes) {
  std::vector<std::string> names = isl_names(inputs);
  std::string text = to_string(formula, names, output_names(axes, {}, names));
  return RelationAccess::make(std::move(text), {}, std::move(names), std::move(axes),
                              formula.copies == 0);
}

IntegerRelation write(const isl::pw_multi_aff& function) {
  return write(function, axes_of_space(function.space()));
}

IntegerRelation write(const isl::pw_multi_aff& function, std::vector<Axis> axes) {
  // A function of no pieces has no text that shows its dimensions.
  if (isl_pw_multi_aff_n_piece(function.get()) == 0)
    return write(function.as_map(), std::move(axes));
  std::vector<std::string> parameters = names_in(function.space(), isl_dim_param);
  std::vector<std::string> inputs = input_names(function.space(), parameters);
  isl_pw_multi_aff* named = function.copy();
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    named =
        isl_pw_multi_aff_set_dim_id(named, isl_dim_in, static_cast<unsigned>(i),
                                    isl_id_alloc(function.ctx().get(), inputs[i].c_str(), nullptr));
  }
  const isl::pw_multi_aff printed = isl::manage(named);
  if (printed.is_null() || isl_pw_multi_aff_n_piece(printed.get()) == 0) {
    return write(printed.as_map(), std::move(axes));
  }
  const std::vector<std::string> outputs = output_names(axes, parameters, inputs);
  std::string text =
      with_output_names(owned(isl_pw_multi_aff_to_str(printed.get()), function.ctx()), outputs);
  return RelationAccess::make(std::move(text), std::move(parameters), std::move(inputs),
                              std::move(axes), true);
}

isl::set coalesced(const isl::set& set) {
  const isl::set fewer = set.coalesce();
  const bool is_same = isl_set_n_basic_set(fewer.get()) == isl_set_n_basic_set(set.get());
  return is_same || fewer.is_equal(set) ? fewer : set;
}

isl::map coalesced(const isl::map& map) {
  const isl::map fewer = map.coalesce();
  const bool is_same = isl_map_n_basic_map(fewer.get()) == isl_map_n_basic_map(map.get());
  return is_same || fewer.is_equal(map) ? fewer : map;
}

isl::pw_multi_aff coalesced(const isl::pw_multi_aff& function) {
  const isl::pw_multi_aff fewer = isl::manage(isl_pw_multi_aff_coalesce(function.copy()));
  const auto map_of = [](const isl::pw_multi_aff& pieces) {
    return isl::manage(isl_map_from_pw_multi_aff(pieces.copy()));
  };
  const isl::map before = map_of(function);
  const isl::map after = map_of(fewer);
  const bool is_same = isl_map_n_basic_map(after.get()) == isl_map_n_basic_map(before.get());
  return is_same || after.is_equal(before) ? fewer : function;
}

std::optional<std::int64_t> number(const isl::val& value) {
  if (isl_val_is_int(value.get()) != isl_bool_true) return std::nullopt;
  if (isl_val_n_abs_num_chunks(value.get(), sizeof(std::uint64_t)) > 1) return std::nullopt;
  std::uint64_t magnitude = 0;
  if (isl_val_get_abs_num_chunks(value.get(), sizeof(magnitude), &magnitude) < 0) {
    return std::nullopt;
  }
  const bool negative = isl_val_is_neg(value.get()) == isl_bool_true;
  constexpr std::uint64_t kLowest = std::uint64_t{1} << 63;
  if (negative ? magnitude > kLowest : magnitude >= kLowest) return std::nullopt;
  return static_cast<std::int64_t>(negative ? ~magnitude + 1 : magnitude);
}

isl::val value(IslSession& session, std::int64_t number) {
  static_assert(sizeof(long) == sizeof(std::int64_t));
  return isl::manage(isl_val_int_from_si(session.get(), number));
}

std::vector<Int> coordinates(const isl::point& point) {
  isl::space space = isl::manage(isl_point_get_space(point.get()));
  std::vector<Int> result;
  const isl_size count = isl_space_dim(space.get(), isl_dim_set);
  for (int i = 0; i < count; ++i) {
    const isl::val coordinate =
        isl::manage(isl_point_get_coordinate_val(point.get(), isl_dim_set, i));
    const std::optional<std::int64_t> value = number(coordinate);
    result.push_back(value ? Int(*value) : Int::undefined());
  }
  return result;
}

std::optional<std::vector<Int>> least_point(const isl::set& set) {
  const isl::set least = set.lexmin();
  if (least.is_empty()) return std::nullopt;
  return coordinates(least.sample_point());
}

}  // namespace heddle::map
