/// Where tensors are while a kernel's calls are made.
#pragma once

#include <map>
#include <string>

#include "engine/ir/op.h"
#include "targets/vta/hardware/configuration.h"

namespace tw::vta {

struct TensorPlace {
  bool main = false;  ///< in main memory: parameter number `parameter`
  int32_t parameter = 0;
  Memory memory = Memory::kAcc;  ///< else: from element `base` on
  int64_t base = 0;
  /// Whether what is read by the statement at hand is read for the last time: it may be computed
  /// over.
  bool last_use = false;
  /// Whether no other statement reads it, however often that runs.
  bool only_reader = false;
};
using Places = std::map<std::string, TensorPlace, std::less<>>;

// Names of the memories in programs.
inline constexpr char kInpScope[] = "inp";
inline constexpr char kWgtScope[] = "wgt";
inline constexpr char kAccScope[] = "acc";

/// Scalars of an element of the memory.
inline int64_t scalars_of(Configuration const& configuration, Memory memory) {
  int64_t block = configuration.block();
  return memory == Memory::kWgt ? block * block : configuration.batch() * block;
}

}  // namespace tw::vta
