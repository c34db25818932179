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

}  // namespace

void interruptible(const std::function<void(const Environment&, const std::stop_token&)>& work) {
  std::stop_source stop;
  Environment stoppable = settings()->environment;
  notation::CallContext context = stoppable.context();
  context.decide.limits.stop = stop.get_token();
  stoppable.set_context(std::move(context));
  // What the work throws, get() throws again.
  std::packaged_task<void()> task([&] { work(stoppable, stop.get_token()); });
  std::future<void> result = task.get_future();
  bool is_stopped = false;
  {
    const nb::gil_scoped_release unlocked;
    const std::jthread worker(std::move(task));
    while (result.wait_for(std::chrono::milliseconds(50)) != std::future_status::ready) {
      if (is_stopped) continue;
      is_stopped = is_interrupted();
      if (is_stopped) stop.request_stop();
    }
  }
  if (is_stopped) throw nb::python_error();  // PyErr_CheckSignals() has set it
  result.get();
}

Value run(Length length, const std::function<Result<Value>(const Environment&)>& work) {
  std::optional<Result<Value>> result;
  if (length == Length::kLong) {
    interruptible([&](const Environment& environment, const std::stop_token&) {
      result = work(environment);
    });
  } else {
    const auto in_force = settings();
    const nb::gil_scoped_release unlocked;
    result = work(in_force->environment);
  }
  return unwrapped(*std::move(result));
}

}  // namespace heddle::python
