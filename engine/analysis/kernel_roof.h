/// What a kernel could reach at best, whatever its schedule: its arithmetic against the machine's,
/// its data against the memory level where that lies from run to run.
#pragma once

#include <string>

#include "engine/hardware/hardware.h"
#include "engine/ir/program.h"

namespace tw::analysis {

/// What every schedule of a kernel has to compute and to move.
struct KernelNeeds {
  double flops = 0;
  bool integers = false;  ///< that is what they are of: products of bytes
  std::string factors;    ///< what products are of, as "f16"; its roof counts where one is known
  double read = 0;        ///< distinct bytes of its inputs
  double written = 0;     ///< distinct bytes of its outputs
  double bytes() const { return read + written; }
};

/// `plain`: the kernel as it was written. Tensors between its stages need not leave the registers
/// and do not count; rows of a table that are chosen by data count as often as they are chosen.
KernelNeeds needs_of(ir::Program const& plain, double flops);

struct KernelRoof {
  double seconds = 0;      ///< the least that the roofs allow; 0: nothing is known
  bool arithmetic = true;  ///< that is what takes longest, else moving the data
  std::string level;       ///< the nearest one that holds the data: "L1", ..., "DRAM"
  double gflops = 0;       ///< of the cores used
  double gbytes = 0;       ///< in a second, of the data where it lies
};

/// On `threads` cores. A cache keeps what it holds, and what does not fit comes from the next
/// level: no order of accesses can do better, so that a kernel that is faster shows a roof that was
/// measured too low.
KernelRoof roof_of(KernelNeeds const& needs, Hardware const& hardware, Roofs const& roofs,
                   int threads);

}  // namespace tw::analysis
