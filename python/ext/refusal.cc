#include "refusal.h"

#include <chrono>
#include <future>
#include <optional>
#include <stop_token>
#include <thread>

namespace heddle::python {

void raise(const Diagnostic& why, const nb::object& kind) {
  const nb::object data = to_python(notation::data_of(why));
  const nb::object error =
      nb::module_::import_("heddle._errors").attr("refusal")(data, why.to_string(), kind);
  PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(error.ptr())), error.ptr());
  throw nb::python_error();
}

namespace {

/// Whether Ctrl-C, or another signal whose handler raises, has come.
bool is_interrupted() {
  const nb::gil_scoped_acquire locked;
  return PyErr_CheckSignals() != 0;
}

/// Runs the work on a thread of its own. After an interrupt it is asked to stop, and awaited.
Result<Value> run_beside(const Environment& environment, bool& is_stopped,
                         const std::function<Result<Value>(const Environment&)>& work) {
  std::stop_source stop;
  Environment stoppable = environment;
  notation::CallContext context = environment.context();
  context.decide.limits.stop = stop.get_token();
  stoppable.set_context(std::move(context));
  // What the work throws, get() throws again.
  std::packaged_task<Result<Value>()> task([&] { return work(stoppable); });
  std::future<Result<Value>> result = task.get_future();
  const std::jthread worker(std::move(task));
  while (result.wait_for(std::chrono::milliseconds(50)) != std::future_status::ready) {
    if (is_stopped) continue;
    is_stopped = is_interrupted();
    if (is_stopped) stop.request_stop();
  }
  return result.get();
}

}  // namespace

Value run(Length length, const std::function<Result<Value>(const Environment&)>& work) {
  const auto in_force = settings();
  const Environment& environment = in_force->environment;
  bool is_stopped = false;
  std::optional<Result<Value>> result;
  {
    const nb::gil_scoped_release unlocked;
    result =
        length == Length::kShort ? work(environment) : run_beside(environment, is_stopped, work);
  }
  if (is_stopped) throw nb::python_error();  // PyErr_CheckSignals() has set it
  return unwrapped(*std::move(result));
}

}  // namespace heddle::python
