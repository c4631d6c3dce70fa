#include "targets/cuda/runtime/driver.h"

#include <dlfcn.h>
#include <fmt/format.h>

namespace tw::cuda {
namespace {

constexpr char kFile[] = "libcuda.so.1";
/// Of CUDA 12.0, which takes the version of PTX that is generated (PTX ISA 8.0).
constexpr int kLeastVersion = 12000;

std::string version_text(int version) {
  return fmt::format("{}.{}", version / 1000, version % 1000 / 10);
}

std::unexpected<Error> not_there(std::string const& why) {
  return environment_failed("no_such_hardware", why);
}

Result<Driver> with_functions(void* library) {
  Driver found;
  char const* missing = nullptr;
#define TW_LOOK_UP(name, parameters)                                            \
  found.name = reinterpret_cast<decltype(found.name)>(::dlsym(library, #name)); \
  if (!found.name) missing = #name;
  TW_CUDA_FUNCTIONS(TW_LOOK_UP)
#undef TW_LOOK_UP
  if (missing)
    return not_there(fmt::format("the NVIDIA driver has no function {}: it is too old", missing));
  return found;
}

Status make_ready(Driver const& driver) {
  int version = 0;
  if (driver.cuDriverGetVersion(&version) == kCuSuccess && version < kLeastVersion)
    return not_there(fmt::format("the NVIDIA driver is of CUDA {}, and kernels need one of {}",
                                 version_text(version), version_text(kLeastVersion)));
  CuResult code = driver.cuInit(0);
  if (code == kCuNoDevice) return not_there("the NVIDIA driver has no device here");
  if (code != kCuSuccess)
    return not_there(fmt::format("the NVIDIA driver does not start ({})", driver.name_of(code)));
  return {};
}

}  // namespace

std::string Driver::name_of(CuResult code) const {
  char const* name = nullptr;
  if (cuGetErrorName && cuGetErrorName(code, &name) == kCuSuccess && name) return name;
  return "CUDA error " + std::to_string(code);
}

Result<Driver> open_driver(std::string const& file) {
  void* library = ::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library) return not_there(fmt::format("there is no NVIDIA driver ({})", kFile));
  auto found = with_functions(library);
  Status ready = found ? make_ready(*found) : Status();
  if (found && ready) return found;
  ::dlclose(library);
  return found ? std::unexpected(ready.error()) : found;
}

Result<Driver const*> driver() {
  static Result<Driver> const found = open_driver(kFile);
  if (!found) return std::unexpected(found.error());
  return &*found;
}

}  // namespace tw::cuda
