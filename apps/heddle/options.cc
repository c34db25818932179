#include "heddle/options.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cassert>
#include <charconv>
#include <chrono>
#include <system_error>

#include "heddle/form/element_type.h"
#include "heddle/notation/lexer.h"

namespace heddle::app {
namespace {

/// CLI::Range accepts texts that are no number.
std::string is_duration(const std::string& text) {
  constexpr double kLeast = 0.001;
  constexpr double kMost = 1e6;
  double seconds = 0;
  const bool is_number = CLI::detail::lexical_cast(text, seconds);
  if (is_number && seconds >= kLeast && seconds <= kMost) return {};
  return fmt::format("a number of seconds from {} to {} is needed, not {}", kLeast, kMost,
                     notation::quote(text));
}

std::string is_number_of_steps(const std::string& text) {
  std::uint64_t steps = 0;
  const bool is_number = CLI::detail::lexical_cast(text, steps);
  if (is_number && steps >= 1 && steps <= map::kMostSteps) return {};
  return fmt::format("a number of steps from 1 to {} is needed, not {}", map::kMostSteps,
                     notation::quote(text));
}

std::string is_path(const std::string& text) {
  return text.empty() ? "the name of a file is needed" : "";
}

/// The long name in `-o,--output`.
std::string long_name(std::string_view name) {
  const std::size_t dashes = name.find("--");
  if (dashes == std::string_view::npos) return std::string(name);
  const std::string_view rest = name.substr(dashes);
  return std::string(rest.substr(0, rest.find(',')));
}

/// `16` for `f16`.
std::string bits_of(const std::string& text) {
  const form::ElementType* type = form::find_element_type(text);
  return type == nullptr ? text : std::to_string(type->bits);
}

template <class Number>
CLI::Option* add_number(CLI::App& command, const Option& option, Number& number) {
  CLI::Option* added = command.add_option(option.name, number, option.help);
  return std::string_view(option.name).ends_with("bits") ? added->transform(bits_of) : added;
}

CLI::Option* add_option(CLI::App& command, const Option& option, Said& said) {
  const std::string name = long_name(option.name);
  switch (option.reads) {
    case Reads::kNumber:
      return add_number(command, option, said.numbers[name]);
    case Reads::kFlag:
      return command.add_flag(option.name, said.flags[name], option.help);
    case Reads::kList:
      return command.add_option(option.name, said.lists[name], option.help);
    case Reads::kText:
    case Reads::kPath:
      break;
  }
  std::string& text = said.texts[name];
  text = option.usual;
  CLI::Option* added = command.add_option(option.name, text, option.help);
  if (option.reads == Reads::kPath) added->check(is_path);
  return added;
}

template <class Values>
auto said_value(const Values& values, std::string_view name) {
  const auto found = values.find(name);
  return found == values.end() ? typename Values::mapped_type() : found->second;
}

}  // namespace

void add_options(CLI::App& command, std::span<const Option> options, Said& said) {
  for (const Option& option : options) {
    CLI::Option* added = add_option(command, option, said);
    if (option.is_required) added->required();
    if (option.value_name != nullptr) added->type_name(option.value_name);
    const bool is_word = option.name[0] != '-';
    if (option.reads == Reads::kList && !is_word) added->allow_extra_args(false);
  }
}

void add_evaluation_options(CLI::App& command, Request& request) {
  command
      .add_option("--assume", request.assumptions,
                  "What is known of symbolic sizes: M%128==0, lane in [0,32)")
      ->type_name("CONDITION")
      ->allow_extra_args(false);
  command.add_option("--axis", request.axes, "Declare an axis of Axe layouts: stage: memory")
      ->type_name("AXIS")
      ->allow_extra_args(false);
  command.add_flag("--strict", request.strict, "Refuse axes that nothing declares");
  command
      .add_option("--steps", request.steps,
                  fmt::format("Steps of isl for a question, an eighth for Z3; {} by default",
                              request.steps))
      ->check(is_number_of_steps);
  command
      .add_option("--timeout", request.timeout_s,
                  "Seconds for a search, which end it on a slow machine; no limit by default")
      ->check(is_duration);
  command
      .add_option(
          "--engine", request.engine,
          "The engine that composes, complements and inverts: algebra, or isl for a second opinion")
      ->check(CLI::IsMember({"algebra", "isl"}));
}

const std::string& Said::text(std::string_view name) const {
  const auto found = texts.find(name);
  assert(found != texts.end());  // the row of the command in the table has the option
  return found->second;
}

std::optional<std::int64_t> Said::number(std::string_view name) const {
  return said_value(numbers, name);
}

bool Said::flag(std::string_view name) const { return said_value(flags, name); }

const std::vector<std::string>& Said::list(std::string_view name) const {
  const auto found = lists.find(name);
  assert(found != lists.end());
  return found->second;
}

Result<ColorChoice> color_of(const Said& said) {
  const std::string& color = said.text("--color");
  if (color == "auto") return ColorChoice::kAuto;
  if (color == "always") return ColorChoice::kAlways;
  if (color == "never") return ColorChoice::kNever;
  return refuse("usage.option", fmt::format("--color is {}; auto, always or never is needed",
                                            notation::quote(color)));
}

notation::CallContext context_of(const Request& request) {
  notation::CallContext context;
  context.decide.limits.steps = request.steps;
  if (request.timeout_s) {
    context.decide.limits.time =
        std::chrono::milliseconds(static_cast<std::int64_t>(*request.timeout_s * 1000));
  }
  if (request.engine == "isl") context.engine = notation::AlgebraEngine::kIsl;
  return context;
}

Result<std::vector<std::int64_t>> numbers_of(const NumbersOption& option, const Said& said) {
  const std::string& text = said.text(option.name);
  std::vector<std::int64_t> numbers;
  if (text.empty()) return numbers;
  std::string_view rest = text;
  if (rest.starts_with('(') && rest.ends_with(')')) rest = rest.substr(1, rest.size() - 2);
  while (true) {
    std::int64_t number = 0;
    const auto read = std::from_chars(rest.data(), rest.data() + rest.size(), number);
    if (read.ec != std::errc()) break;
    numbers.push_back(number);
    rest.remove_prefix(static_cast<std::size_t>(read.ptr - rest.data()));
    if (rest.empty() && numbers.size() >= option.least && numbers.size() <= option.most)
      return numbers;
    if (!rest.starts_with(',') && !rest.starts_with('x')) break;
    rest.remove_prefix(1);
  }
  return refuse("usage.option",
                fmt::format("{} is {}; {}", option.name, notation::quote(text), option.needed));
}

Result<Bindings> stated_sizes(const std::vector<std::string>& texts) {
  Bindings sizes;
  for (std::string_view rest : texts) {
    while (!rest.empty()) {
      const std::string_view text = rest.substr(0, rest.find(','));
      rest.remove_prefix(std::min(text.size() + 1, rest.size()));
      const std::size_t equals = text.find('=');
      std::int64_t size = 0;
      const char* end = text.data() + text.size();
      const bool is_named = equals != std::string_view::npos && equals != 0;
      const char* begin = is_named ? text.data() + equals + 1 : end;
      const auto read = std::from_chars(begin, end, size);
      if (!is_named || read.ptr != end) {
        return refuse(Diagnostic("usage.option", fmt::format("--size {} is not NAME=NUMBER", text))
                          .with_hint(fmt::format("--size {}=64", text.substr(0, equals))));
      }
      if (read.ec == std::errc::result_out_of_range) {
        return refuse("usage.option",
                      fmt::format("--size {}: the number does not fit into 64 bits", text));
      }
      if (size < 1) {
        return refuse("usage.option", fmt::format("--size {}: the size {} is {}, and sizes are at "
                                                  "least 1",
                                                  text, text.substr(0, equals), size));
      }
      const auto [stated, is_new] = sizes.try_emplace(std::string(text.substr(0, equals)), size);
      if (!is_new && stated->second != Int(size)) {
        return refuse("usage.option", fmt::format("--size {}: {} is {} already", text,
                                                  stated->first, stated->second.value()));
      }
    }
  }
  return sizes;
}

}  // namespace heddle::app
