/// A model's weights in memory, once for all loads of the same file in this process.
#pragma once

#include <filesystem>
#include <memory>

#include "engine/runtime/package/description.h"

namespace tw::package {

/// Read-only memory that starts at a multiple of 64; gone with the last who holds it.
class Parameters {
public:
  /// What another load of the same file, unchanged since, holds; else the file is read and checked.
  /// Errors: package_unreadable, damaged_package, tensor_too_large.
  static Result<std::shared_ptr<Parameters const>> load(std::filesystem::path const& file,
                                                        File const& stated);
  ~Parameters();
  Parameters(Parameters const&) = delete;
  Parameters& operator=(Parameters const&) = delete;

  /// Kernels take all buffers alike; what writes here ends the process.
  void* data() const { return data_; }

private:
  Parameters(void* data, size_t mapped) : data_(data), mapped_(mapped) {}
  static Result<std::shared_ptr<Parameters const>> read(class OpenFile& file, File const& stated);

  void* data_;
  size_t mapped_;
};

}  // namespace tw::package
