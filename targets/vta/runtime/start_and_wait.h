/// One run of a board's accelerator, by its registers alone.
#pragma once

#include <chrono>

#include "targets/vta/runtime/registers.h"

namespace tw::vta {

struct RunRequest {
  uint32_t stream = 0;  ///< address, as the accelerator sees it
  uint32_t count = 0;   ///< of instructions; the last one is FINISH
  std::chrono::milliseconds limit{10'000};
};

/// Starts and waits until FINISH is done. The done flag may still be that of the run before: it is
/// not believed before all instructions were fetched, and the first one for the compute module,
/// which waits for nothing, puts it out.
/// Errors: accelerator_busy (it still runs), accelerator_timed_out, which says how far it came.
Status start_and_wait(Registers& registers, BoardLayout const& layout, RunRequest const& request);

}  // namespace tw::vta
