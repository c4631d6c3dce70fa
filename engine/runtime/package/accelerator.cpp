#include "engine/runtime/package/accelerator.h"

#include <dlfcn.h>

#include <cstdlib>

namespace tw::package {
namespace {

/// Where the library or program lies that this code is part of, with a slash; empty: unknown.
std::string own_folder() {
  Dl_info info{};
  if (dladdr(reinterpret_cast<void*>(&own_folder), &info) == 0 || info.dli_fname == nullptr)
    return {};
  std::string path = info.dli_fname;
  return path.substr(0, path.rfind('/') + 1);
}

bool simulates() {
  char const* word = std::getenv("TILEWRIGHT_SIMULATE");
  return word != nullptr && *word != '\0' && std::string(word) != "0";
}

std::unexpected<Error> missing(std::string const& target, std::string const& why) {
  return bad_input("wrong_processor", "some steps of the package need a device of the target '" +
                                          target + "', whose library cannot be loaded: " + why);
}

}  // namespace

std::string accelerator_library(std::string const& target) {
  return "libtilewright_" + target + ".so.1";
}

Result<std::unique_ptr<DeviceRuntime>> open_accelerator(Target const& target, int64_t bytes) {
  std::string name = accelerator_library(target.name);
  // A name from a file must not lead elsewhere.
  if (name.find('/') != std::string::npos) return missing(target.name, "there is no such target");
  std::string path = own_folder() + name;
  // It stays loaded: processors of its making may outlive whoever asked.
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (library == nullptr) return missing(target.name, dlerror());
  auto open = reinterpret_cast<OpenAccelerator>(dlsym(library, kOpenAccelerator));
  if (open == nullptr) return missing(target.name, path + " is of another version");
  Result<std::unique_ptr<DeviceRuntime>> opened;
  open(target, bytes, simulates(), opened);
  return opened;
}

}  // namespace tw::package
