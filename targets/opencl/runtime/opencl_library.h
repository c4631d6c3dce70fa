/// A loaded library: its program, built for a device, and what each kernel launches.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "engine/runtime/device_runtime.h"
#include "targets/opencl/runtime/handles.h"
#include "targets/shared/launch_record/launch_record.h"

namespace tw::opencl {

/// A kernel with its device functions: which one each of its launches runs.
struct LoadedKernel {
  launch_record::KernelRecord record;
  std::map<std::string, Kernel> functions;
  std::vector<cl_kernel> launched;
};

/// What lies in a library's bytes.
struct LibraryTexts {
  std::vector<launch_record::KernelRecord> records;
  std::string_view source;  ///< a view of them
};
/// Errors: module_not_loadable, bad_launch_record.
Result<LibraryTexts> parts_of(std::span<std::byte const> library);

class OpenClLibrary final : public KernelLibrary {
public:
  /// Errors: module_not_loadable with the compiler's first line, or with a function of which the
  /// device runs fewer threads than a launch has; bad_launch_record.
  static Result<std::unique_ptr<OpenClLibrary>> load(Functions const& cl, cl_context context,
                                                     cl_device_id device,
                                                     std::span<std::byte const> library);
  Result<void*> find(std::string const& symbol) override;

private:
  Program program_;
  std::map<std::string, LoadedKernel> kernels_;
};

}  // namespace tw::opencl
