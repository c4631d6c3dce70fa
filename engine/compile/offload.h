/// What an accelerator takes over from the machine beside it: its layouts, and the kernels that it
/// can run.
#pragma once

#include "engine/backend/backend.h"
#include "engine/compile/cut.h"

namespace tw {

/// `home`'s choices, and for what it leaves as it is those of `helper`.
GraphChoices joined(GraphChoices home, GraphChoices helper);

/// A kernel, and why it stays at home; empty: it goes over.
struct OffloadedKernel {
  std::string name;
  std::string stays_because;
};
struct Offload {
  Cut cut;
  std::vector<OffloadedKernel> kernels;  ///< in the order of the plan's
};
/// Every kernel for which `helper` has a schedule by rule and code goes to the place `there`; the
/// rest stays at `home`. Errors: nothing_to_offload (a model of floats), no_kernel_fits.
Result<Offload> offload(Graph const& graph, Plan const& plan, Backend const& helper,
                        std::string const& home, std::string const& there);

}  // namespace tw
