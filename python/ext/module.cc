// The extension heddle._heddle.

#include "object.h"

#include <iostream>

#include "heddle/command_line.h"

namespace heddle::python {

/// The command `heddle`: the one of apps/heddle.
void bind_command(nb::module_& m) {
  m.def("_command", [](std::vector<std::string> words) {
    std::vector<char*> argv;
    for (std::string& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    const nb::gil_scoped_release unlocked;
    return static_cast<int>(
        app::flushed(app::run_command_line(static_cast<int>(words.size()), argv.data())));
  });
}

}  // namespace heddle::python

NB_MODULE(_heddle, m) {
  m.attr("__version__") = HEDDLE_VERSION;
  heddle::python::bind_settings(m);
  heddle::python::bind_kinds(m);
  heddle::python::bind_operations(m);
  heddle::python::bind_arrays(m);
  heddle::python::bind_relayout(m);
  heddle::python::bind_reshard(m);
  heddle::python::bind_kernel(m);
  heddle::python::bind_command(m);
  heddle::python::bind_pycute(m);
  heddle::python::bind_linear_layout(m);
  heddle::python::bind_tvm_layout(m);
}
