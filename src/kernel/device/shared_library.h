#pragma once

// Functions of a shared library, by their names.

#include <dlfcn.h>

namespace heddle::kernel {

/// Whether the library has it; the pointer is null where it has not.
template <class Function>
bool load_function(void* library, const char* name, Function*& function) {
  // POSIX: what dlsym() returns may be a function.
  function = reinterpret_cast<Function*>(dlsym(library, name));  // NOLINT
  return function != nullptr;
}

}  // namespace heddle::kernel
