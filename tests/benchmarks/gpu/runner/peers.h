/// What does the same on the same device, where it is found: libraries that are opened at run time
/// by declarations of our own, and PyTorch in a process of its own.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>

#include "tests/benchmarks/gpu/runner/item.h"
#include "tests/benchmarks/gpu/runner/timing.h"

namespace tw::gpu_bench {

class Peer {
public:
  virtual ~Peer() = default;
  virtual std::string name() const = 0;
  virtual std::string version() const = 0;
  /// `what`: {"op": ..., sizes}. It writes to `output`, for which `writes_output` says yes.
  /// Nothing: it has no such operator. Errors: device_failed, with its words. `tensors` and
  /// `output` outlive the arm, and the peer does; an arm is of no more use after the next one.
  virtual Result<std::optional<Arm>> arm(Json const& what, ItemTensors const& tensors,
                                         Memory const& output) = 0;
  virtual bool writes_output() const { return true; }
};

/// Errors: no_such_hardware, whose sentence says what is not there. `file`: empty: by its names.
Result<std::unique_ptr<Peer>> open_cublas(Device const& device, std::string const& file);
Result<std::unique_ptr<Peer>> open_cudnn(Device const& device, std::string const& file);
/// `python`: a program. `script`: what speaks for PyTorch there.
Result<std::unique_ptr<Peer>> open_torch(std::string const& python,
                                         std::filesystem::path const& script);

/// The first of these that can be opened; null: none.
void* open_library(std::vector<std::string> const& names);

}  // namespace tw::gpu_bench
