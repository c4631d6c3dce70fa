/// Copies between main memory and the accelerator's as LOADs and STOREs: dense in SRAM, two
/// dimensions with a stride in DRAM, and zeros around.
#pragma once

#include "targets/vta/compiler/stages/elements.h"
#include "targets/vta/compiler/stages/stage.h"

namespace tw::vta {

/// A copy of elements; `loops` go from element to element.
struct Copy {
  Memory memory = Memory::kInp;
  int32_t tensor = 0;  ///< in main memory
  std::vector<ElementLoop> loops;
  ElementForm sram, dram;
  /// Of a load with zeros around: iterations [first, second) of each loop are copied; empty: all.
  std::vector<std::pair<int64_t, int64_t>> inside;
  bool load = true;
  bool saturate = false;  ///< of a store, in version 2
};

/// As few transfers as the two dimensions of an instruction allow. Errors: vta_transfer, with the
/// loop or the padding that does not fit.
Result<std::vector<StageCall>> transfers_of(Copy copy);

}  // namespace tw::vta
