/// Which accelerators are compared: all that can be built of some values of each setting.
#pragma once

#include <vector>

#include "targets/vta/hardware/configuration.h"

namespace tw::vta {

/// Of each setting the values to take, as they are in a configuration: logarithms to base 2, but
/// for the port's bits and the version.
struct DesignSpace {
  Configuration base;  ///< what is not named below: clock, queues, widths of operands
  std::vector<int> isa, log_block, log_batch;
  std::vector<int> log_uop_bytes, log_inp_bytes, log_wgt_bytes, log_acc_bytes;
  std::vector<int> memory_bits;
  int64_t most_sram = 0;      ///< bytes of all memories; 0: as many as there are
  int64_t most_products = 0;  ///< in a cycle; 0: the same
};

struct Designs {
  std::vector<Configuration> legal;
  int64_t illegal = 0;    ///< that cannot be built
  int64_t too_large = 0;  ///< of what can be built, beyond `most_sram` or `most_products`
};
/// Every combination once. Designs with elements of one shape stand together. Errors:
/// too_many_designs (more than `most` combinations); nothing_fits, with the reason.
Result<Designs> designs_in(DesignSpace const& space, int64_t most = 100'000);

}  // namespace tw::vta
