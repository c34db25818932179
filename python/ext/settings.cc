// Assumptions, declared axes and limits of calls: heddle.assume, heddle.settings.

#include <chrono>
#include <set>

#include <fmt/format.h>

#include "heddle/emit/dialect.h"
#include "heddle/notation/assume.h"
#include "object.h"
#include "refusal.h"

namespace heddle::python {
namespace {

/// The settings as Python holds them.
struct Held {
  std::shared_ptr<const Settings> settings;
};

/// The context variable of the module; it lives as long as the interpreter.
nb::handle variable() {
  static const nb::handle kept =
      nb::module_::import_("heddle._heddle").attr("_current_settings").inc_ref();
  return kept;
}

std::vector<Fact> facts_of(const std::vector<Condition>& conditions) {
  std::vector<Fact> facts;
  for (const Condition& condition : conditions) {
    std::set<std::string> names;
    for (const Int* side : {&condition.left, &condition.right}) {
      for (std::string& name : variables(*side)) names.insert(std::move(name));
    }
    facts.push_back({to_string(condition), {names.begin(), names.end()}});
  }
  return facts;
}

Held assuming(const std::vector<std::string>& texts) {
  auto made = std::make_shared<Settings>(*settings());
  for (const std::string& text : texts) {
    const std::vector<Condition> conditions = unwrapped(notation::parse_assumptions(text));
    if (auto done = made->environment.assume(conditions); !done) raise(done.error());
    for (Fact& fact : facts_of(conditions)) {
      if (std::ranges::find(made->facts, fact) == made->facts.end()) {
        made->facts.push_back(std::move(fact));
      }
    }
  }
  return {made};
}

Held with_settings(std::optional<std::int64_t> steps, std::optional<double> timeout,
                   const std::optional<std::string>& engine, const std::vector<std::string>& axes,
                   bool strict) {
  auto made = std::make_shared<Settings>(*settings());
  Environment& environment = made->environment;
  notation::CallContext context = environment.context();
  if (steps) {
    if (*steps < 1 || *steps > std::int64_t{map::kMostSteps}) {
      raise(Diagnostic("usage.option",
                       fmt::format("steps are a number from 1 to {}", map::kMostSteps)));
    }
    context.decide.limits.steps = static_cast<std::uint32_t>(*steps);
  }
  if (timeout) {
    if (!(*timeout > 0 && *timeout <= 1e6)) {
      raise(Diagnostic("usage.option", "the timeout is a number of seconds up to 1000000"));
    }
    context.decide.limits.time =
        std::chrono::milliseconds(static_cast<std::int64_t>(*timeout * 1000));
  }
  if (engine && *engine != "isl" && *engine != "algebra") {
    raise(Diagnostic("usage.option", "an engine is 'algebra' or 'isl'"));
  }
  if (engine) {
    context.engine =
        *engine == "isl" ? notation::AlgebraEngine::kIsl : notation::AlgebraEngine::kAlgebra;
  }
  environment.set_context(std::move(context));
  for (const std::string& axis : axes) {
    if (auto done = environment.declare_axis(axis); !done) raise(done.error());
  }
  if (strict) environment.be_strict();
  return {made};
}

}  // namespace

std::shared_ptr<const Settings> settings() {
  static const auto kUsual = std::make_shared<const Settings>();
  PyObject* value = nullptr;
  if (PyContextVar_Get(variable().ptr(), nullptr, &value) != 0) throw nb::python_error();
  if (value == nullptr) return kUsual;
  return nb::cast<Held>(nb::steal(value)).settings;
}

void bind_settings(nb::module_& m) {
  m.attr("_current_settings") = nb::steal(PyContextVar_New("heddle_settings", nullptr));
  nb::class_<Held>(m, "Settings", "Assumptions, declared axes and limits of calls.")
      .def_prop_ro("assumptions", [](const Held& held) {
        std::vector<std::string> texts;
        for (const Fact& fact : held.settings->facts) texts.push_back(fact.text);
        return texts;
      });
  m.def("_assuming", assuming, nb::arg("texts"));
  m.def("_with_settings", with_settings, nb::arg("steps").none(), nb::arg("timeout").none(),
        nb::arg("engine").none(), nb::arg("axes"), nb::arg("strict"));
  m.def(
      "_size",
      [](const std::string& name) {
        if (!emit::is_identifier(name)) {
          raise(Diagnostic("call.type", "'" + name + "' is not the name of a size")
                    .with_hint("heddle.symbols('M N')"));
        }
        return to_python(settings()->environment.assumptions().variable(name));
      },
      nb::arg("name"));
}

}  // namespace heddle::python
