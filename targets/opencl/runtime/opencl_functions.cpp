#include "targets/opencl/runtime/opencl_functions.h"

#include <dlfcn.h>

#include <optional>

namespace tw::opencl {
namespace {

Result<Functions> opened() {
  void* library = ::dlopen("libOpenCL.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!library)
    return environment_failed(
        "no_such_hardware", "there is no ICD loader (libOpenCL.so.1, package ocl-icd-libopencl1)");
  Functions found;
  char const* missing = nullptr;
#define TW_LOOK_UP(name)                                                        \
  found.name = reinterpret_cast<decltype(found.name)>(::dlsym(library, #name)); \
  if (!found.name) missing = #name;
  TW_OPENCL_FUNCTIONS(TW_LOOK_UP)
#undef TW_LOOK_UP
  if (!missing) return found;
  ::dlclose(library);
  return environment_failed("no_such_hardware",
                            std::string("libOpenCL.so.1 has no ") + missing + " (OpenCL 1.2)");
}

struct Name {
  cl_int code;
  char const* name;
};
constexpr Name kNames[] = {
    {CL_DEVICE_NOT_FOUND, "CL_DEVICE_NOT_FOUND"},
    {CL_DEVICE_NOT_AVAILABLE, "CL_DEVICE_NOT_AVAILABLE"},
    {CL_COMPILER_NOT_AVAILABLE, "CL_COMPILER_NOT_AVAILABLE"},
    {CL_MEM_OBJECT_ALLOCATION_FAILURE, "CL_MEM_OBJECT_ALLOCATION_FAILURE"},
    {CL_OUT_OF_RESOURCES, "CL_OUT_OF_RESOURCES"},
    {CL_OUT_OF_HOST_MEMORY, "CL_OUT_OF_HOST_MEMORY"},
    {CL_PROFILING_INFO_NOT_AVAILABLE, "CL_PROFILING_INFO_NOT_AVAILABLE"},
    {CL_BUILD_PROGRAM_FAILURE, "CL_BUILD_PROGRAM_FAILURE"},
    {CL_INVALID_VALUE, "CL_INVALID_VALUE"},
    {CL_INVALID_BUFFER_SIZE, "CL_INVALID_BUFFER_SIZE"},
    {CL_INVALID_KERNEL_ARGS, "CL_INVALID_KERNEL_ARGS"},
    {CL_INVALID_WORK_GROUP_SIZE, "CL_INVALID_WORK_GROUP_SIZE"},
    {CL_INVALID_WORK_ITEM_SIZE, "CL_INVALID_WORK_ITEM_SIZE"},
    {CL_INVALID_GLOBAL_WORK_SIZE, "CL_INVALID_GLOBAL_WORK_SIZE"},
    {CL_INVALID_MEM_OBJECT, "CL_INVALID_MEM_OBJECT"},
};

}  // namespace

Result<Functions const*> functions() {
  static Result<Functions> const found = opened();
  if (!found) return std::unexpected(found.error());
  return &*found;
}

std::string name_of(cl_int code) {
  for (Name const& one : kNames)
    if (one.code == code) return one.name;
  return "OpenCL error " + std::to_string(code);
}

}  // namespace tw::opencl
