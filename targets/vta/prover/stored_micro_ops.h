/// Whether a stream may make its own micro-ops: what such a stream touches nobody knows before it
/// ran.
#pragma once

#include "targets/vta/prover/footprint.h"
#include "targets/vta/prover/happens_before.h"

namespace tw::vta {

struct StoredMicroOps {
  int32_t load = 0, store = 0;  ///< instructions
  int64_t byte = 0;             ///< of DRAM, that the store writes and the load may read after it
};

/// The first load of micro-ops that may read what a store of the same stream wrote.
std::optional<StoredMicroOps> stored_micro_ops(TokenOrder const& order,
                                               std::span<Instruction const> stream,
                                               std::span<Footprint const> footprints);

/// "instruction 3 loads micro-ops that instruction 2 may have stored (byte ... of DRAM): ..."
std::string to_sentence(StoredMicroOps const& found);

}  // namespace tw::vta
