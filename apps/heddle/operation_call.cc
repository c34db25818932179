#include "heddle/operation_call.h"

#include <algorithm>
#include <utility>

#include "heddle/layout_arguments.h"

namespace heddle::app {

using notation::Datum;
using notation::Value;

Arguments& Arguments::add(Value value) { return add({}, std::move(value)); }

Arguments& Arguments::add(std::string name, Value value) {
  arguments_.push_back({std::move(value), std::move(name), {}});
  return *this;
}

Arguments& Arguments::add_text(std::string name, const std::string& text) {
  return text.empty() ? *this : add(std::move(name), Value(text));
}

Arguments& Arguments::add_flag(std::string name, bool is_given) {
  return is_given ? add(std::move(name), Value(true)) : *this;
}

Result<void> Arguments::add_shape(const std::string& text) {
  HEDDLE_TRY(const auto shape, box_of(text));
  if (shape) add("shape", Value(IntTuple::flat(*shape)));
  return {};
}

Arguments& Arguments::add_names(std::string name, const std::string& text) {
  std::vector<std::string> names;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t comma = std::min(text.find(',', begin), text.size());
    names.push_back(text.substr(begin, comma - begin));
    begin = comma + 1;
  }
  return add_names(std::move(name), names);
}

Arguments& Arguments::add_names(std::string name, const std::vector<std::string>& names) {
  return names.empty() ? *this : add(std::move(name), Value(notation::list_of(names)));
}

ExitCode answer(const Console& console, const Result<Value>& value, const Source& source) {
  if (!value) return console.fail(value.error(), source);
  console.print(*value);
  return exit_code(*value);
}

}  // namespace heddle::app
