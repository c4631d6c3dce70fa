/// A shared library of kernels, loaded from memory.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "engine/support/base/error.h"

namespace tw {

class LoadedModule {
public:
  /// `library`: the bytes of an ELF shared library for this machine. Loaded from memory by way of
  /// /proc; where that is not mounted, from a private file in the first of /dev/shm, $TMPDIR, /tmp
  /// and /var/tmp that allows it, removed at once. Errors: module_not_loadable (with the loader's
  /// words), module_too_new (it needs entries of `TwRuntime` that came later than this runtime).
  static Result<LoadedModule> load(std::span<std::byte const> library);

  LoadedModule(LoadedModule&& other) noexcept;
  LoadedModule& operator=(LoadedModule&& other) noexcept;
  ~LoadedModule();

  /// The address of an exported function. Errors: symbol_not_found.
  Result<void*> symbol(std::string const& name) const;

private:
  LoadedModule(void* handle, int file) : handle_(handle), file_(file) {}
  void* handle_ = nullptr;
  int file_ = -1;  ///< of memory, with the library: open while it is loaded, so that it is counted
};

}  // namespace tw
