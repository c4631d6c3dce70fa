/// A loaded library: a module of PTX for each kernel, and what the kernel launches.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "engine/runtime/device_runtime.h"
#include "targets/cuda/runtime/driver.h"
#include "targets/shared/launch_record/launch_record.h"

namespace tw::cuda {

/// A kernel with its device functions, one for each of its launches.
struct LoadedKernel {
  launch_record::KernelRecord record;
  std::vector<CuFunction> functions;
};

/// What lies in a library's bytes of each kernel.
struct KernelTexts {
  launch_record::KernelRecord record;
  std::string ptx;
};
/// Errors: module_not_loadable, bad_launch_record.
Result<std::vector<KernelTexts>> parts_of(std::span<std::byte const> library);

class CudaLibrary final : public KernelLibrary {
public:
  /// In the current context. Errors: module_not_loadable with the driver's first line,
  /// bad_launch_record.
  static Result<std::unique_ptr<CudaLibrary>> load(Driver const& driver, CuContext context,
                                                   std::span<std::byte const> library);
  CudaLibrary(Driver const& driver, CuContext context) : driver_(driver), context_(context) {}
  CudaLibrary(CudaLibrary const&) = delete;
  CudaLibrary& operator=(CudaLibrary const&) = delete;
  ~CudaLibrary() override;
  Result<void*> find(std::string const& symbol) override;
  Result<TwFunction> device_function(std::string const& name) override;

private:
  Status add(std::string ptx, launch_record::KernelRecord record);

  Driver const& driver_;
  CuContext context_;
  std::vector<CuModule> modules_;
  std::map<std::string, LoadedKernel> kernels_;
};

}  // namespace tw::cuda
