/// What a schedule and a lowering must know of a target.
#pragma once

#include <string>
#include <vector>

#include "engine/hardware/hardware.h"
#include "engine/tensor/dtype.h"

namespace tw {

struct Target {
  std::string name;  ///< "cpu"
  Hardware hardware;
  std::vector<std::string> scopes;  ///< memory scopes that buffers may have

  /// Elements of a vector register.
  int lanes(DType type) const { return int(hardware.vector_bytes / size_of(type)); }
  int registers() const { return hardware.vector_registers; }
  /// "x86-64 · AVX-512"
  std::string title() const;
};

}  // namespace tw
