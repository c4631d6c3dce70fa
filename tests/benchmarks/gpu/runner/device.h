/// One NVIDIA GPU through its driver, which is opened at run time.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "targets/cuda/runtime/driver.h"
#include "targets/shared/launch_record/launch_record.h"
#include "tests/benchmarks/gpu/runner/pack.h"

namespace tw::gpu_bench {

/// Of CUDA graphs: where one of them is missing, calls are put on the stream one by one.
struct GraphFunctions {
  cuda::CuResult (*begin)(cuda::CuStream, int mode) = nullptr;
  cuda::CuResult (*end)(cuda::CuStream, void** graph) = nullptr;
  cuda::CuResult (*instantiate)(void** made, void* graph, unsigned long long flags) = nullptr;
  cuda::CuResult (*launch)(void* made, cuda::CuStream) = nullptr;
  cuda::CuResult (*destroy_made)(void* made) = nullptr;
  cuda::CuResult (*destroy)(void* graph) = nullptr;
  bool found() const { return begin && end && instantiate && launch && destroy_made && destroy; }
};

struct Device {
  cuda::Driver driver;
  GraphFunctions graphs;
  cuda::CuDevice device = 0;
  cuda::CuStream stream = nullptr;
  cuda::CuPointer fault = 0;  ///< one int: not zero where a kernel was to divide by zero
  std::string architecture;   ///< whose code of the pack it runs

  int attribute(int which) const;
  /// Errors: device_failed, with what the driver calls it.
  Status told(std::string const& what, cuda::CuResult code) const;
  Status finish() const;
};

/// The first device. Empty: the machine's own driver. Errors: no_such_hardware, device_failed.
Result<Device> open_device(std::string const& driver_file);

/// Names, sizes, clocks.
Json facts_of(Device const& device);

class Memory {
public:
  Memory() = default;
  /// Errors: device_failed.
  static Result<Memory> create(Device const& device, size_t bytes);
  Memory(Memory&& other) noexcept { *this = std::move(other); }
  Memory& operator=(Memory&& other) noexcept;
  ~Memory();
  cuda::CuPointer at() const { return place_; }
  size_t size() const { return bytes_; }
  Status write(std::span<std::byte const> from) const;
  Status read(std::span<std::byte> to, size_t offset = 0) const;
  /// Every byte; 255 makes floats that are no numbers.
  Status fill(unsigned char byte) const;

private:
  Device const* device_ = nullptr;
  cuda::CuPointer place_ = 0;
  size_t bytes_ = 0;
};

/// Code of one of the pack's kernels.
class Kernel {
public:
  Kernel() = default;
  /// The assembled code where the driver takes it, else PTX. `code`: of an item, for the device's
  /// architecture. Errors: module_not_loadable with the driver's words, bad_launch_record.
  static Result<Kernel> load(Device const& device, Pack const& pack, Json const& code);
  Kernel(Kernel&& other) noexcept { *this = std::move(other); }
  Kernel& operator=(Kernel&& other) noexcept;
  ~Kernel();
  /// Puts its launches on the stream. `buffers`: inputs, outputs, workspace. Errors: bad_launch,
  /// device_failed.
  Status run(std::span<cuda::CuPointer const> buffers) const;
  std::string const& form() const { return form_; }  ///< "cubin" or "ptx"

private:
  Status start(size_t launch, std::span<cuda::CuPointer const> buffers) const;

  Device const* device_ = nullptr;
  cuda::CuModule module_ = nullptr;
  std::string form_;
  launch_record::KernelRecord record_;
  std::vector<cuda::CuFunction> functions_;
};

/// Errors: module_not_loadable.
Result<cuda::CuModule> load_module(Device const& device, std::string const& code);

}  // namespace tw::gpu_bench
